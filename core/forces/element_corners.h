// Forces and derivatives at an element's corners, which are bodies: W is theirs in it, C the bodies' axes (forces/elements.c).
#ifndef MB_FORCES_ELEMENT_CORNERS_H
#define MB_FORCES_ELEMENT_CORNERS_H

#include "core/deformables/elastic.h"
#include "core/forces/forces.h"

#include <string.h>

enum { MB_MOST_CORNERS = 10 };

// The body that a node of the element with point k is; that element's gradients there; its couples.
static inline size_t mb_corner_body(const MbElementForce *e, size_t k, size_t corner) {
  return e->first + e->node[e->corners * (k / e->points) + corner];
}
static inline const double *mb_corner_slopes(const MbElementForce *e, size_t k) {
  return e->g + e->rank * e->corners * k;
}
static inline const uint32_t *mb_corner_edges(const MbElementForce *e, size_t k) {
  return e->edge + e->corners * (e->corners - 1) / 2 * (k / e->points);
}

static inline bool mb_corner_turns(const MbModel *model, size_t b) { return model->parent[b] != MB_WORLD; }

// f (W) on body b, and what its turning changes of that
static inline void mb_corner_push(const MbModel *model, const MbForce *force, MbMaximal *x, size_t b,
                                  const double f[3]) {
  double own[3];
  mb_vec3_copy(own, f);
  if (mb_corner_turns(model, b)) {
    mb_quat_unrotate(own, x->E[b].q, f);
    if (mb_force_stiffens(force, x) && !x->safe) mb_force_add_turning(x->K + 36 * b, 3, 1, own);
  }
  mb_vec3_add(x->f + 6 * b + 3, x->f + 6 * b + 3, own);
}

// B ← R_aᵀ B R_b
static inline void mb_corner_to_own_axes(const MbModel *model, const MbMaximal *x, size_t a, size_t b,
                                         double B[9]) {
  double R[9], BR[9];
  if (mb_corner_turns(model, b)) {
    mb_quat_to_mat3(R, x->E[b].q);
    mb_mat3_mul(BR, B, R);
    memcpy(B, BR, sizeof BR);
  }
  if (mb_corner_turns(model, a)) {
    mb_quat_to_mat3(R, x->E[a].q);
    mb_mat3_tmul(BR, R, B);
    memcpy(B, BR, sizeof BR);
  }
}

// Of ∂f_a/∂x_b the 6 x 6 block among K's or D's, for bodies a and b of a couple; of one body with itself its own.
static inline double *mb_corner_block(const MbModel *model, const MbElementForce *e, double *blocks, size_t a,
                                      size_t b, size_t couple) {
  if (a == b) return blocks + 36 * a;
  double *pair =
      blocks + 36 * (model->nb + 2 * e->pair[couple]); // of the lower number by the higher one's motion
  return pair + (a < b ? 0 : 36);
}

// Adds a 3 x 3 matrix in C at rows of the force and the columns from `column`, 0 the turning, 3 the moving.
static inline void mb_corner_add(double *block, const double B[9], bool transposed, size_t column) {
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++) block[6 * (3 + i) + column + j] += B[transposed ? 3 * j + i : 3 * i + j];
}

// The gradient of the corners' places or velocities x_a (W), from sides, so that places far from the origin do no harm.
static inline void mb_corner_gradient(const MbElementForce *e, const double *const x[MB_MOST_CORNERS],
                                      size_t k, double F[9]) {
  const size_t rank = e->rank;
  const double *g = mb_corner_slopes(e, k);
  memset(F, 0, 9 * sizeof *F);
  for (size_t a = 1; a < e->corners; a++)
    for (size_t i = 0; i < 3; i++)
      for (size_t j = 0; j < rank; j++) F[rank * i + j] += (x[a][i] - x[0][i]) * g[rank * a + j];
}

// How an element turns: ω before its share, A ω = c, its rotation vector, and how fast it changes its shape and turns.
typedef struct MbElementTurn {
  double R[9], Fdot[9], A[9], c[3], w[3], turn[3];
  double whole, turning;
} MbElementTurn;

// The rotation R by which the element at point k, with gradient F, turns in x->ahead seconds (element_turn.c). False: by none.
bool mb_element_turn(const MbElementForce *e, const MbMaximal *x, size_t k, const double F[9],
                     MbElementTurn *turn);
// Takes what R is felt by to F and Ḟ.
void mb_element_turn_back(const MbElementTurn *turn, size_t rank, double ahead, const double F[9],
                          const double by_R[9], double by_F[9], double by_Fdot[9]);
// extra ← what the stress has beside P where the element has turned by R and is linearised there, H = ∂P/∂F; both 3 × rank.
void mb_element_turned_stress(size_t rank, const double R[9], const double F[9], const double P[9],
                              const double H[81], double extra[9]);

// Damping of element k with gradient F (element_damping.c).
void mb_element_damp(const MbModel *model, const MbForce *force, const MbElastic *elastic, size_t k,
                     const double F[9], MbMaximal *x);

// Damping of bending (element_bending_damping.c).
void mb_element_damp_bending(const MbModel *model, const MbForce *force, MbMaximal *x);

// Fibres (element_fibres.c), and their energy; y, T and T′ of family m in element k.
void mb_element_fibre_tension(const MbElementForce *e, size_t m, const MbMaximal *x, size_t k, double y[3],
                              double *T, double *slope);
void mb_element_fibres_eval(const MbModel *model, const MbForce *force, MbMaximal *x);
double mb_element_fibres_energy(const MbForce *force, const MbMaximal *x);
// Pressure and wind on the surface (element_surface.c), and the energy of the former.
void mb_element_surface_eval(const MbModel *model, const MbForce *force, MbMaximal *x);
double mb_element_surface_energy(const MbForce *force, const MbMaximal *x);

#endif
