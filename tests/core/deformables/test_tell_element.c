// What is told of an element, against closed forms and against P Fᵀ/J as a product of matrices.
#include "core/deformables/tell_element.h"
#include "tests/core/math/near.h"

static const double ROUNDED = 1e-12;

static double at(const MbElementTensor *t, int i, int j) {
  static const int place[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
  return t->full[place[3 * i + j]];
}

// E = 2.6, ν = 0.3: μ = 1, λ = 1.5
static MbElastic material(MbElasticModel model) { return mb_elastic_from(model, 2.6, 0.3, false); }

Test(tell_element, stress_is_p_f_transposed_by_the_volume) {
  uint64_t seed = 5;
  for (int model = 0; model < 4; model++)
    for (int trial = 0; trial < 200; trial++) {
      const MbElastic e = material((MbElasticModel)model);
      double F[9], P[9];
      random_numbers(&seed, F, 9);
      for (int i = 0; i < 9; i++) F[i] = 0.4 * F[i] + (i % 4 == 0);
      const double J = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
                       F[2] * (F[3] * F[7] - F[4] * F[6]);
      mb_elastic_stress(&e, F, P);
      const MbElementTensor t = mb_element_stress(&e, 3, F);
      double trace = 0, squares = 0, of_values = 0, values = 0;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          double known = 0;
          for (int k = 0; k < 3; k++) known += P[3 * i + k] * F[3 * j + k] / fmax(J, MB_TELL_LEAST_J);
          if (e.model == MB_LINEAR) known = P[3 * i + j];
          cr_assert_float_eq(at(&t, i, j), known, ROUNDED * (1 + fabs(known)) * 100, "model %d: %g %g", model,
                             at(&t, i, j), known);
          squares += known * known;
          trace += i == j ? known : 0;
        }
      for (int i = 0; i < 3; i++) values += t.principal[i], of_values += t.principal[i] * t.principal[i];
      cr_assert_float_eq(values, trace, 1e-10 * sqrt(squares));
      cr_assert_float_eq(of_values, squares, 1e-10 * squares);
      cr_assert(t.principal[0] >= t.principal[1] && t.principal[1] >= t.principal[2]);
    }
}

// s₂ = s₃ such that ψ₂ = 0: in tension neo-Hookean has σ = (μ s² + λ ln J − μ)/J along it.
Test(tell_element, simple_tension_is_what_von_mises_says) {
  const MbElastic e = material(MB_NEO_HOOKEAN);
  const double s = 1.4;
  double across = 1;
  for (int i = 0; i < 60; i++) { // μ (a − 1/a) + λ ln(s a²)/a = 0
    const double f = e.mu * (across * across - 1) + e.lambda * log(s * across * across);
    across -= f / (2 * e.mu * across + 2 * e.lambda / across);
  }
  // along the second axis, which is then turned about the third
  const double c = cos(0.7), d = sin(0.7), F[9] = {c * across, -d * s, 0, d * across, c * s, 0, 0, 0, across};
  const double J = s * across * across, known = (e.mu * (s * s - 1) + e.lambda * log(J)) / J;
  const MbElementTensor t = mb_element_stress(&e, 3, F), strain = mb_element_strain(&e, 3, F);
  const double full[6] = {known * d * d, known * c * c, 0, -known * c * d, 0, 0};
  check_near("stress", t.full, full, 6, ROUNDED);
  cr_assert_float_eq(mb_element_von_mises(3, &t), known, ROUNDED);
  cr_assert_float_eq(t.principal[0], known, ROUNDED);
  cr_assert_float_eq(strain.principal[0], s - 1, ROUNDED);
  cr_assert_float_eq(strain.principal[2], across - 1, ROUNDED);
  cr_assert_float_eq(strain.full[0], (s - 1) * d * d + (across - 1) * c * c, ROUNDED);
}

// Hooke's law at small strains in plane stress, of a sheet in the plane y z.
Test(tell_element, a_sheet_is_in_plane_stress) {
  const double young = 3, poisson = 0.25, ey = 1e-7, ez = -3e-7;
  const MbElasticModel models[] = {MB_COROTATIONAL, MB_NEO_HOOKEAN};
  for (int m = 0; m < 2; m++) {
    const MbElastic e = mb_elastic_from(models[m], young, poisson, true);
    const double F[6] = {0, 0, 1 + ey, 0, 0, 1 + ez}, by = young / (1 - poisson * poisson);
    const double y = by * (ey + poisson * ez), z = by * (ez + poisson * ey), full[6] = {0, y, z, 0, 0, 0};
    const MbElementTensor t = mb_element_stress(&e, 2, F), strain = mb_element_strain(&e, 2, F);
    check_near("stress", t.full, full, 6, 1e-5 * fabs(z));
    cr_assert_float_eq(mb_element_von_mises(2, &t), sqrt(y * y - y * z + z * z), 1e-5 * fabs(z));
    cr_assert_float_eq(strain.principal[1], ez, 1e-15);
    cr_assert_float_eq(strain.full[1], ey, 1e-15);
  }
}

Test(tell_element, what_is_crushed_has_a_stress_that_is_a_number) {
  const double flat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0}, turned[9] = {1, 0, 0, 0, 1, 0, 0, 0, -0.5},
               none[9] = {0};
  const double *const F[] = {flat, turned, none};
  for (int model = 0; model < 4; model++)
    for (int i = 0; i < 3; i++) {
      const MbElastic e = material((MbElasticModel)model);
      const MbElementTensor t = mb_element_stress(&e, 3, F[i]);
      for (int k = 0; k < 6; k++) cr_assert(isfinite(t.full[k]));
      cr_assert(isfinite(mb_element_von_mises(3, &t)));
    }
}
