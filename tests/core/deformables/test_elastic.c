// Materials: stress and tangent against differences of the energy, constants of engineering at small strains, closed forms at large ones.
#include "core/deformables/elastic_third.h"
#include "tests/core/math/near.h"

#include <lapacke.h>
#include <stdio.h>
#include <string.h>

// Central differences with a step of 1e-5 are good to 1e-10 of third derivatives, which are large next to the kinks of R
// and where J is small: materials are of about 1 Pa, F is within about 2 of 0, and states nearer to kinks are left out.
static const double STEP = 1e-5, DIFFERENCE = 2e-7;
static const double ROUNDED = 1e-12;
static const char *const names[] = {"arap", "corotational", "neo_hookean", "linear"};

typedef struct Kind { // of deformation gradient
  int size;
  double (*energy)(const MbElastic *, const double *);
  void (*stress)(const MbElastic *, const double *, double *);
  void (*tangent)(const MbElastic *, const double *, bool, double *);
} Kind;
static const Kind solid = {9, mb_elastic_energy, mb_elastic_stress, mb_elastic_tangent};
static const Kind sheet = {6, mb_elastic_sheet_energy, mb_elastic_sheet_stress, mb_elastic_sheet_tangent};

static MbElastic material(int model) { return (MbElastic){(MbElasticModel)model, 0.7, 1.3}; }

static void check_derivatives(const char *what, const Kind *kind, const MbElastic *e, const double *F,
                              double size) {
  const int n = kind->size;
  double P[9], dP[9], G[9], H[81], dH[81];
  kind->stress(e, F, P);
  kind->tangent(e, F, false, H);
  memcpy(G, F, sizeof(double) * (size_t)n);
  for (int i = 0; i < n; i++) {
    double high[9], low[9];
    G[i] = F[i] + STEP;
    const double above = kind->energy(e, G);
    kind->stress(e, G, high);
    G[i] = F[i] - STEP;
    const double below = kind->energy(e, G);
    kind->stress(e, G, low);
    G[i] = F[i];
    dP[i] = (above - below) / (2 * STEP);
    for (int j = 0; j < n; j++) dH[n * j + i] = (high[j] - low[j]) / (2 * STEP);
  }
  check_near(what, P, dP, (size_t)n, DIFFERENCE * size);
  check_near(what, H, dH, (size_t)(n * n), DIFFERENCE * size);
}

static void turned(uint64_t *seed, double R[9]) {
  double q[4], n = 0;
  random_numbers(seed, q, 4);
  for (int i = 0; i < 4; i++) n += q[i] * q[i];
  n = 2 / n;
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double T[9] = {1 - n * (y * y + z * z), n * (x * y - w * z),     n * (x * z + w * y),
                       n * (x * y + w * z),     1 - n * (x * x + z * z), n * (y * z - w * x),
                       n * (x * z - w * y),     n * (y * z + w * x),     1 - n * (x * x + y * y)};
  memcpy(R, T, sizeof T);
}

// U diag(s) Vᵀ with random rotations, or of a sheet U's first two columns and a turn in the plane.
static void with_values(uint64_t *seed, const Kind *kind, const double s[3], double *F) {
  double U[9], V[9];
  const double angle = 3 * random_number(seed);
  const double W[4] = {cos(angle), -sin(angle), sin(angle), cos(angle)};
  turned(seed, U), turned(seed, V);
  const int rank = kind->size / 3;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < rank; j++) {
      F[rank * i + j] = 0;
      for (int k = 0; k < rank; k++)
        F[rank * i + j] += U[3 * i + k] * s[k] * (rank == 3 ? V[3 * j + k] : W[2 * j + k]);
    }
}

// Repeated, at rest, inverted, singular, flat; below and about the J where neo_hookean is continued. Neither s₂ + s₃ nor, of
// sheets, s is 0: there R jumps.
static const double solids[][3] = {
    {1, 1, 1},    {1.3, 1.3, 1.3}, {1.5, 0.9, 0.9}, {1.2, 1.2, 0.4},    {1.4, 0.8, 0.6},  {1.1, 0.9, -0.3},
    {1, 1, -0.5}, {1.5, 1, 0},     {1, 0.7, 1e-9},  {1, 0.5, 0.201},    {1, 0.5, 0.199},  {0.5, 0.4, 0.3},
    {2, 2, 2},    {3, 1, 0.3},     {1.7, 1.6, -1},  {0.47, 0.47, 0.47}, {0.3, 0.3, -0.1}, {0.9, 0.9, 0.05}};
static const double sheets[][3] = {{1, 1},      {1.3, 1.3}, {1.5, 0.9}, {1.2, 0.4}, {1, 0.21},
                                   {0.5, 0.19}, {2, 0.3},   {0.3, 0.3}, {3, 2},     {0.32, 0.32}};
enum { SOLIDS = sizeof solids / sizeof *solids, SHEETS = sizeof sheets / sizeof *sheets };

Test(elastic, stress_and_tangent_are_the_derivatives_of_the_energy) {
  uint64_t seed = 1;
  for (int model = 0; model < MB_ELASTIC_MODELS; model++)
    for (int k = 0; k < 5 * (SOLIDS + SHEETS); k++) {
      const MbElastic e = material(model);
      const int at = k / 5;
      const Kind *const kind = at < SOLIDS ? &solid : &sheet;
      const double *const s = at < SOLIDS ? solids[at] : sheets[at - SOLIDS];
      double F[9], H[81], size = 1;
      with_values(&seed, kind, s, F);
      kind->tangent(&e, F, false, H);
      for (int i = 0; i < kind->size * kind->size; i++) size = fmax(size, fabs(H[i]));
      char what[80];
      snprintf(what, sizeof what, "%s at %g %g %g", names[model], s[0], s[1], kind == &solid ? s[2] : NAN);
      check_derivatives(what, kind, &e, F, size);
    }
}

Test(elastic, random_states_have_the_derivatives_of_the_energy) {
  uint64_t seed = 2;
  for (int model = 0; model < MB_ELASTIC_MODELS; model++)
    for (int k = 0; k < 300; k++) {
      const MbElastic e = material(model);
      const Kind *const kind = k % 2 ? &solid : &sheet;
      double F[9], H[81], size = 1;
      random_numbers(&seed, F, 9);
      for (int i = 0; i < kind->size; i++) F[i] = 0.6 * F[i] + (i % (kind->size / 3 + 1) == 0);
      kind->tangent(&e, F, false, H);
      for (int i = 0; i < kind->size * kind->size; i++) size = fmax(size, fabs(H[i]));
      check_derivatives(names[model], kind, &e, F, size * size);
    }
}

// A : H : B along every number of F, by differences of fourth order of the tangent. Where f of a neo-Hookean material gives way to its parabola its third derivative jumps.
static double third_is_off(const Kind *kind, const MbElastic *e, const double *F, const double *A,
                           const double *B) {
  static const double MOVE = 1e-4, weight[5] = {1, -8, 0, 8, -1};
  const int n = kind->size;
  double T[9], G[9], H[81], most = 1, off = 0;
  mb_elastic_third(e, n / 3, F, A, B, T);
  memcpy(G, F, sizeof(double) * (size_t)n);
  for (int k = 0; k < n; k++) {
    double wanted = 0;
    for (int side = -2; side <= 2; side++) {
      if (!side) continue;
      G[k] = F[k] + side * MOVE;
      kind->tangent(e, G, false, H);
      for (int i = 0; i < n * n; i++) wanted += weight[side + 2] / (12 * MOVE) * A[i / n] * H[i] * B[i % n];
    }
    G[k] = F[k];
    most = fmax(most, fabs(wanted)), off = fmax(off, fabs(wanted - T[k]));
  }
  return off / most;
}

Test(elastic, third_derivatives_are_those_of_the_tangent) {
  static const double CLOSE = 1e-8, KINK = 0.01;
  uint64_t seed = 9;
  double worst = 0;
  for (int model = 0; model < MB_ELASTIC_MODELS; model++)
    for (int k = 0; k < 5 * (SOLIDS + SHEETS); k++) {
      const MbElastic e = material(model);
      const int at = k / 5;
      const Kind *const kind = at < SOLIDS ? &solid : &sheet;
      const double *const s = at < SOLIDS ? solids[at] : sheets[at - SOLIDS];
      const double J = s[0] * s[1] * (kind == &solid ? s[2] : 1);
      double F[9], A[9], B[9];
      with_values(&seed, kind, s, F);
      random_numbers(&seed, A, 9), random_numbers(&seed, B, 9);
      if (model == MB_NEO_HOOKEAN && fabs(J - MB_ELASTIC_LEAST_J) < KINK) continue;
      const double off = third_is_off(kind, &e, F, A, B);
      worst = fmax(worst, off);
      cr_expect_lt(off, CLOSE, "%s at %g %g %g: %g", names[model], s[0], s[1], kind == &solid ? s[2] : NAN,
                   off);
    }
  printf("largest error, of the largest derivative: %.1e\n", worst);
}

// Hooke's law of Young's modulus and Poisson's ratio at a strain of 1e-6: uniaxial stress, then shear.
Test(elastic, small_strains_see_the_engineering_constants) {
  static const double E = 2e5, strain = 1e-6, SMALL = 2e-5;
  for (int model = 0; model < MB_ELASTIC_MODELS; model++)
    for (int plane = 0; plane < 2; plane++) {
      const double nu = model == MB_ARAP ? 0 : 0.3;
      const MbElastic e = mb_elastic_from((MbElasticModel)model, E, 0.3, plane);
      const double across = 1 - nu * strain, G = E / (2 * (1 + nu));
      double P[9];
      if (plane) {
        mb_elastic_sheet_stress(&e, (double[6]){1 + strain, 0, 0, across, 0, 0}, P);
        check_near(names[model], P, (double[6]){E * strain, 0, 0, 0, 0, 0}, 6, SMALL * E * strain);
        mb_elastic_sheet_stress(&e, (double[6]){1, strain, 0, 1, 0, 0}, P);
        check_near(names[model], P, (double[6]){0, G * strain, G * strain, 0, 0, 0}, 6, SMALL * E * strain);
      } else {
        mb_elastic_stress(&e, (double[9]){1 + strain, 0, 0, 0, across, 0, 0, 0, across}, P);
        check_near(names[model], P, (double[9]){E * strain}, 9, SMALL * E * strain);
        mb_elastic_stress(&e, (double[9]){1, strain, 0, 0, 1, 0, 0, 0, 1}, P);
        check_near(names[model], P, (double[9]){0, G * strain, 0, G * strain}, 9, SMALL * E * strain);
      }
    }
}

Test(elastic, rest_and_rotations_are_free_of_energy_and_stress) {
  static const double zero[9] = {0};
  uint64_t seed = 3;
  for (int model = 0; model < MB_ELASTIC_MODELS; model++)
    for (int k = 0; k < 20; k++) {
      const MbElastic e = material(model);
      double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, P[9];
      if (model != MB_LINEAR) turned(&seed, R);
      mb_elastic_stress(&e, R, P);
      check_near(names[model], P, zero, 9, ROUNDED);
      cr_assert_float_eq(mb_elastic_energy(&e, R), 0, ROUNDED, "%g", mb_elastic_energy(&e, R));
    }
}

// Stretch 1.5 and 0.8 with E = 1e5, ν = 0.4, by the closed form ∂ψ/∂s = 0 across, to the digits given.
Test(elastic, neo_hookean_bars_contract_across_as_worked_out) {
  static const double stretch[] = {1.5, 0.8}, across[] = {0.846028, 1.091582}, pull[] = {36529.4, -24622.8};
  const MbElastic e = mb_elastic_from(MB_NEO_HOOKEAN, 1e5, 0.4, false);
  for (int k = 0; k < 2; k++) {
    double P[9];
    mb_elastic_stress(&e, (double[9]){stretch[k], 0, 0, 0, across[k], 0, 0, 0, across[k]}, P);
    // half a unit in the last digit of `across`, times the tangent
    check_near("stress", P, (double[9]){pull[k]}, 9, 0.5);
  }
}

// Where the logarithm gives way to its parabola, on either side of it.
Test(elastic, neo_hookean_is_continued_without_a_step_in_its_tangent) {
  static const double GAP = 1e-13,
                      CONTINUOUS = 1e-8; // a gap's worth of third derivatives, which are some 1e4
  const MbElastic e = material(MB_NEO_HOOKEAN);
  double P[2][9], H[2][81], psi[2];
  for (int side = 0; side < 2; side++) {
    const double F[9] = {1, 0.1, 0, 0, 1, 0, 0, 0, MB_ELASTIC_LEAST_J + (side ? GAP : -GAP)};
    psi[side] = mb_elastic_energy(&e, F);
    mb_elastic_stress(&e, F, P[side]), mb_elastic_tangent(&e, F, false, H[side]);
  }
  check_near("energy", psi, psi + 1, 1, CONTINUOUS);
  check_near("stress", P[0], P[1], 9, CONTINUOUS);
  check_near("tangent", H[0], H[1], 81, CONTINUOUS);
}

Test(elastic, inverted_neo_hookean_is_driven_back) {
  const MbElastic e = material(MB_NEO_HOOKEAN);
  double last = INFINITY;
  for (double s = -3; s < 0.9; s += 0.01) {
    const double psi = mb_elastic_energy(&e, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, s});
    cr_assert(isfinite(psi) && psi < last, "energy does not fall at %g", s);
    last = psi;
  }
}

// Against a general eigenvalue routine: the positive part of what is not projected.
Test(elastic, positive_tangents_are_what_is_left_without_negative_eigenvalues) {
  uint64_t seed = 4;
  for (int model = 0; model < MB_ELASTIC_MODELS; model++)
    for (int k = 0; k < 4 * (SOLIDS + SHEETS); k++) {
      const MbElastic e = material(model);
      const int at = k / 4;
      const Kind *const kind = at < SOLIDS ? &solid : &sheet;
      const int n = kind->size;
      double F[9], H[81], part[81] = {0}, positive[81], value[9], size = 1;
      with_values(&seed, kind, at < SOLIDS ? solids[at] : sheets[at - SOLIDS], F);
      kind->tangent(&e, F, false, H);
      kind->tangent(&e, F, true, positive);
      cr_assert_eq(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'L', n, H, n, value), 0);
      for (int m = 0; m < n; m++) size = fmax(size, fabs(value[m]));
      for (int m = 0; m < n; m++)
        for (int i = 0; i < n * n && value[m] > 0; i++)
          part[i] += value[m] * H[n * (i / n) + m] * H[n * (i % n) + m];
      check_near(names[model], positive, part, (size_t)(n * n), ROUNDED * size);
    }
}
