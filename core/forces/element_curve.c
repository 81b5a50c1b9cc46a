// How K and D of elements change (corner_curve.h), of strained and of viscous ones. With gradients Z, X, Y, M of the vectors z, x, y and t, V the volume at rest, R the
// turn of a step that linearises there (element_turn.c; else 1) and P_v = β F C : Ė, Ė = sym(FᵀḞ), of what damps (element_damping.c)
//
//   S = −V ( (A − Z + M) : P + A : H : B + β sym(FᵀZ) : C : sym(FᵀX) + M : P_v ),   A = RᵀZ,  B = Rᵀ(F + Y) − F
//
// of which A : P − Z : P + A : H : (RᵀF − F) is what turned elements have beside f. Where R is 1, A is Z and B is Y. So
//
//   F is felt by −V ( H : (A − Z + M) + T(A, B) + R (H : A) − H : A + β (Z C : sym(FᵀX) + X C : sym(FᵀZ) + M C : Ė + Ḟ C : sym(FᵀM)) )
//   Ḟ by −V β F C : sym(FᵀM),   R by −V ( Z (P + H : B)ᵀ + (F + Y)(H : A)ᵀ )
//
// with T of elastic_third.h, and R goes back to F and Ḟ. The material `linear` damps by Ḟ alone.
#include "core/forces/element_curve.h"
#include "core/deformables/elastic_third.h"
#include "core/deformables/viscous_stress.h"
#include "core/forces/element_corners.h"

#include <string.h>

// An element at one of its points.
typedef struct Strained {
  const MbElementForce *e;
  const MbElastic *elastic;
  size_t k;
  double ahead, F[9], Fdot[9], P[9], H[81];
  bool turned;
  MbElementTurn turn;
} Strained;

static void gradient(const Strained *s, const MbCorner *corner, MbCornerVector v, double G[9]) {
  const double *at[MB_MOST_CORNERS] = {0};
  for (size_t a = 0; a < s->e->corners; a++) at[a] = corner[a].at[v];
  mb_corner_gradient(s->e, at, s->k, G);
}

// Corners' vectors are felt by −V G g_a.
static void give(const Strained *s, MbCorner *corner, MbCornerVector v, const double G[9]) {
  const size_t rank = s->e->rank;
  const double *g = mb_corner_slopes(s->e, s->k), V = s->e->size[s->k];
  for (size_t a = 0; a < s->e->corners; a++)
    for (size_t i = 0; i < 3; i++)
      for (size_t j = 0; j < rank; j++) corner[a].felt[v][i] -= V * G[rank * i + j] * g[rank * a + j];
}

static double product(const double *A, const double *B, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += A[i] * B[i];
  return sum;
}

static void add(double *to, double s, const double *from, size_t n) {
  for (size_t i = 0; i < n; i++) to[i] += s * from[i];
}

// out ← H : G
static void apply(const Strained *s, const double G[9], double out[9]) {
  const size_t width = 3 * s->e->rank;
  for (size_t i = 0; i < width; i++) {
    out[i] = 0;
    for (size_t j = 0; j < width; j++) out[i] += s->H[width * i + j] * G[j];
  }
}

// out ← R G, or Rᵀ G; of 3 x rank
static void turn(const double R[9], bool transposed, size_t rank, const double G[9], double out[9]) {
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < rank; j++) {
      double sum = 0;
      for (size_t l = 0; l < 3; l++) sum += R[transposed ? 3 * l + i : 3 * i + l] * G[rank * l + j];
      out[rank * i + j] = sum;
    }
}

// C (3 x 3) += A Bᵀ, of 3 x rank
static void add_outer(double C[9], size_t rank, const double A[9], const double B[9]) {
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++)
      for (size_t l = 0; l < rank; l++) C[3 * i + j] += A[rank * i + l] * B[rank * j + l];
}

// What S is felt by along gradients, by −V.
typedef struct Felt {
  double F[9], Fdot[9], X[9], Y[9], Z[9], M[9];
} Felt;

static void feel_straight(const Strained *s, const double Z[9], const double Y[9], Felt *felt) {
  const size_t width = 3 * s->e->rank;
  double by[9];
  mb_elastic_third(s->elastic, (int)s->e->rank, s->F, Z, Y, by);
  add(felt->F, 1, by, width);
  apply(s, Y, felt->Z), apply(s, Z, felt->Y);
}

static void feel_turned(const Strained *s, const double Z[9], const double Y[9], Felt *felt) {
  const size_t rank = s->e->rank, width = 3 * rank;
  const double *R = s->turn.R;
  double A[9], B[9], moved[9], by[9], HA[9], Q[9], by_R[9] = {0};
  memcpy(moved, s->F, width * sizeof *moved), add(moved, 1, Y, width);
  turn(R, true, rank, Z, A), turn(R, true, rank, moved, B);
  add(B, -1, s->F, width);
  apply(s, A, HA), apply(s, B, Q), add(Q, 1, s->P, width);
  mb_elastic_third(s->elastic, (int)rank, s->F, A, B, by);
  add(felt->F, 1, by, width);
  turn(R, false, rank, HA, felt->Y), add(felt->F, 1, felt->Y, width);
  apply(s, Z, by), add(felt->F, -1, by, width); // H : (A − Z) − H : A
  turn(R, false, rank, Q, felt->Z), add(felt->Z, -1, s->P, width);
  add_outer(by_R, rank, Z, Q), add_outer(by_R, rank, moved, HA);
  mb_element_turn_back(&s->turn, rank, s->ahead, s->F, by_R, felt->F, felt->Fdot);
}

// to += β G C : E
static void add_viscous(const Strained *s, const double G[9], const double E[9], double to[9]) {
  double P[9];
  mb_viscous_stress_at(s->elastic, (int)s->e->rank, G, E, P);
  add(to, s->e->of->damping, P, 3 * s->e->rank);
}

static void feel_viscous(const Strained *s, const double X[9], const double Z[9], const double M[9],
                         Felt *felt) {
  const int rank = (int)s->e->rank;
  double by_x[9] = {0}, by_z[9] = {0}, by_m[9] = {0}, E[9] = {0};
  mb_viscous_rate_at(s->elastic, rank, s->F, X, by_x), mb_viscous_rate_at(s->elastic, rank, s->F, Z, by_z);
  mb_viscous_rate_at(s->elastic, rank, s->F, M, by_m);
  mb_viscous_rate_at(s->elastic, rank, s->F, s->Fdot, E);
  add_viscous(s, s->F, by_x, felt->Z), add_viscous(s, s->F, by_z, felt->X);
  add_viscous(s, s->F, E, felt->M), add_viscous(s, s->F, by_m, felt->Fdot);
  if (mb_viscous_plain(s->elastic, rank)) return;
  add_viscous(s, Z, by_x, felt->F), add_viscous(s, X, by_z, felt->F);
  add_viscous(s, M, E, felt->F), add_viscous(s, s->Fdot, by_m, felt->F);
}

static void feel(const void *piece, MbCorner *corner, size_t n) {
  const Strained *s = piece;
  const size_t width = 3 * s->e->rank;
  const bool turns = mb_corners_turn(corner, n);
  double X[9], Y[9], Z[9], M[9] = {0}, by[9];
  Felt felt = {{0}, {0}, {0}, {0}, {0}, {0}};
  gradient(s, corner, MB_CORNER_Y, Y), gradient(s, corner, MB_CORNER_Z, Z);
  if (s->turned)
    feel_turned(s, Z, Y, &felt);
  else
    feel_straight(s, Z, Y, &felt);
  if (turns) {
    gradient(s, corner, MB_CORNER_T, M);
    apply(s, M, by), add(felt.F, 1, by, width), add(felt.M, 1, s->P, width);
  }
  if (s->e->of->damping > 0) {
    gradient(s, corner, MB_CORNER_X, X);
    feel_viscous(s, X, Z, M, &felt);
  }
  give(s, corner, MB_CORNER_PLACE, felt.F), give(s, corner, MB_CORNER_RATE, felt.Fdot);
  if (!turns) return;
  give(s, corner, MB_CORNER_X, felt.X), give(s, corner, MB_CORNER_Y, felt.Y);
  give(s, corner, MB_CORNER_Z, felt.Z), give(s, corner, MB_CORNER_T, felt.M);
}

static double value(const void *piece, const MbCorner *corner, size_t n) {
  const Strained *s = piece;
  const size_t rank = s->e->rank, width = 3 * rank;
  double X[9], Y[9], Z[9], M[9] = {0}, A[9], B[9], moved[9], HB[9], sum;
  gradient(s, corner, MB_CORNER_Y, Y), gradient(s, corner, MB_CORNER_Z, Z);
  if (mb_corners_turn(corner, n)) gradient(s, corner, MB_CORNER_T, M);
  memcpy(A, Z, sizeof A), memcpy(B, Y, sizeof B);
  if (s->turned) {
    memcpy(moved, s->F, width * sizeof *moved), add(moved, 1, Y, width);
    turn(s->turn.R, true, rank, Z, A), turn(s->turn.R, true, rank, moved, B);
    add(B, -1, s->F, width);
  }
  apply(s, B, HB);
  sum = product(A, HB, width) + product(A, s->P, width) + product(M, s->P, width);
  if (s->e->of->damping > 0) {
    double E[9], by_x[9] = {0}, viscous[9] = {0}, across[9] = {0};
    gradient(s, corner, MB_CORNER_X, X);
    mb_viscous_rate_at(s->elastic, (int)rank, s->F, s->Fdot, E);
    mb_viscous_rate_at(s->elastic, (int)rank, s->F, X, by_x);
    add(by_x, 1, E, rank * rank);
    add_viscous(s, s->F, by_x, viscous), add_viscous(s, s->F, E, across);
    sum += product(Z, viscous, width) + product(M, across, width);
  }
  return -s->e->size[s->k] * sum;
}

static const MbCornerPiece strained = {feel, value};

static void curve_element(const MbElementForce *e, const MbElastic *elastic, size_t k, const MbMaximal *x,
                          const MbForceCurve *at) {
  Strained s = {.e = e, .elastic = elastic, .k = k, .ahead = x->ahead};
  MbCorner corner[MB_MOST_CORNERS];
  for (size_t a = 0; a < e->corners; a++) mb_corner_take(mb_corner_body(e, k, a), x, at, &corner[a]);
  gradient(&s, corner, MB_CORNER_PLACE, s.F), gradient(&s, corner, MB_CORNER_RATE, s.Fdot);
  if (e->rank == 3) {
    mb_elastic_stress(elastic, s.F, s.P), mb_elastic_tangent(elastic, s.F, false, s.H);
  } else {
    mb_elastic_sheet_stress(elastic, s.F, s.P), mb_elastic_sheet_tangent(elastic, s.F, false, s.H);
  }
  s.turned = x->ahead > 0 && mb_element_turn(e, x, k, s.F, &s.turn);
  mb_corner_curve(at, corner, e->corners, &s, &strained);
}

void mb_elements_curve(const MbForce *force, const MbMaximal *x, const MbForceCurve *at) {
  const MbElementForce *e = force->elements;
  const MbElastic elastic =
      e->n ? mb_elastic_from(e->of->model, e->of->young, e->of->poisson, e->rank == 2) : (MbElastic){0};
  if (force->lagged) return;
  for (size_t k = 0; k < e->n; k++) curve_element(e, &elastic, k, x, at);
  mb_element_bending_curve(e, x, at);
  mb_element_loads_curve(e, x, at);
}
