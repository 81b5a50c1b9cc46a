// Elements of a deformable whose nodes are bodies: energy, forces and their derivatives, all of one deformable as one force.
//
// Of an element of volume V at rest with corners at x_a and constant gradients g_a (deformables/gradient.h):
//   F = Σ x_a g_aᵀ,  E = V ψ(F),  f_a = −V P g_a,  P = ∂ψ/∂F
//   K_ab = ∂f_a/∂x_b = −V Σ_jl g_a[j] (∂P_ij/∂F_kl) g_b[l]
// symmetric and exact; where A must be definite, without the negative eigenvalues of ∂P/∂F. In a step of one solution an element is
// linearised where it has turned to (element_turn.c), its stress P has something besides and K_ab is R K_ab Rᵀ. Bending of cloth is E = ½ Σ Q_ij x_i · x_j
// with constant Q whose rows sum up to 0 (deformables/bending.h), so that only pairs i > j are needed:
//   E = −½ Σ Q_ij |x_i − x_j|²,  f_i = −Σ_j Q_ij (x_j − x_i),  K_ij = −Q_ij 1.
// Triangles that are curved at rest add ½ s − n · w (deformables/bending_rest.c).
//
// All of it is in W. A node that hangs on the world has the world's axes; one that a body carries turns with it: in its axes C
//   f_C = Rᵀ f,  K_C = R_aᵀ K_ab R_b, and with its turning the force changes by [f_C] (RM 1.34).
#include "core/deformables/bending_rest.h"
#include "core/deformables/elastic.h"
#include "core/forces/element_corners.h"
#include "core/forces/element_curve.h"
#include "core/math/svd3.h"

// ---- one element ------------------------------------------------------------------------------------------

static MbElastic elastic_of(const MbElementForce *e) {
  return mb_elastic_from(e->of->model, e->of->young, e->of->poisson, e->rank == 2);
}

static void gradient_at(const MbElementForce *e, const MbMaximal *x, size_t k, double F[9]) {
  const double *p[MB_MOST_CORNERS] = {0};
  for (size_t a = 0; a < e->corners; a++) p[a] = x->E[mb_corner_body(e, k, a)].p;
  mb_corner_gradient(e, p, k, F);
}

static double density(const MbElastic *elastic, size_t rank, const double F[9]) {
  return rank == 3 ? mb_elastic_energy(elastic, F) : mb_elastic_sheet_energy(elastic, F);
}

// T_b (3 rank x 3) = V H g_b, for every corner; H = ∂P/∂F
static void tangents(const MbElementForce *e, size_t k, const double H[81], double T[MB_MOST_CORNERS][27]) {
  const size_t rank = e->rank, width = 3 * rank;
  const double *g = mb_corner_slopes(e, k);
  for (size_t b = 0; b < e->corners; b++)
    for (size_t m = 0; m < width; m++)
      for (size_t c = 0; c < 3; c++) {
        double sum = 0;
        for (size_t l = 0; l < rank; l++) sum += H[width * m + rank * c + l] * g[rank * b + l];
        T[b][3 * m + c] = e->size[k] * sum;
      }
}

// K_ab = −Σ_j g_a[j] T_b[ij]
static void couple_corners(size_t rank, const double *ga, const double Tb[27], double K[9]) {
  for (size_t i = 0; i < 3; i++)
    for (size_t c = 0; c < 3; c++) {
      double sum = 0;
      for (size_t j = 0; j < rank; j++) sum -= ga[j] * Tb[3 * (rank * i + j) + c];
      K[3 * i + c] = sum;
    }
}

// ---- to the bodies ----------------------------------------------------------------------------------------

// K_ab of two corners in W: into their body's block, or into the two of their couple.
static void add_stiffness(const MbModel *model, const MbElementForce *e, MbMaximal *x, size_t a, size_t b,
                          size_t couple, const double Kab[9]) {
  double K[9];
  memcpy(K, Kab, sizeof K);
  mb_corner_to_own_axes(model, x, a, b, K);
  mb_corner_add(mb_corner_block(model, e, x->K, a, b, couple), K, false, 3);
  if (a != b) mb_corner_add(mb_corner_block(model, e, x->K, b, a, couple), K, true, 3);
}

// f_a = −V P g_a
static void force_of(const MbElementForce *e, size_t k, const double P[9], size_t a, double f[3]) {
  const double *g = mb_corner_slopes(e, k);
  mb_vec3_set(f, 0, 0, 0);
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < e->rank; j++) f[i] -= e->size[k] * P[e->rank * i + j] * g[e->rank * a + j];
}

// K ← R K Rᵀ
static void turn_block(const double R[9], double K[9]) {
  double KR[9];
  mb_mat3_mult(KR, K, R);
  mb_mat3_mul(K, R, KR);
}

// The stiffness of an element, turned by R unless that is NULL.
static void stiffen(const MbModel *model, const MbElementForce *e, size_t k, const double H[81],
                    const double *R, MbMaximal *x) {
  const double *g = mb_corner_slopes(e, k);
  const uint32_t *edge = mb_corner_edges(e, k);
  double T[MB_MOST_CORNERS][27], K[9];
  tangents(e, k, H, T);
  for (size_t a = 0; a < e->corners; a++)
    for (size_t b = 0; b <= a; b++) {
      couple_corners(e->rank, g + e->rank * a, T[b], K);
      if (R) turn_block(R, K);
      add_stiffness(model, e, x, mb_corner_body(e, k, a), mb_corner_body(e, k, b), a == b ? 0 : *edge++, K);
    }
}

// What an element's forces have besides where it is linearised as it is turned by R. They are no pull that bodies that carry nodes turn with.
static void push_turned(const MbModel *model, const MbElementForce *e, size_t k, const double extra[9],
                        MbMaximal *x) {
  for (size_t a = 0; a < e->corners; a++) {
    const size_t b = mb_corner_body(e, k, a);
    double f[3], own[3];
    force_of(e, k, extra, a, f);
    mb_vec3_copy(own, f);
    if (mb_corner_turns(model, b)) mb_quat_unrotate(own, x->E[b].q, f);
    mb_vec3_add(x->f + 6 * b + 3, x->f + 6 * b + 3, own);
  }
}

static void eval_element(const MbModel *model, const MbForce *force, const MbElastic *elastic, size_t k,
                         MbMaximal *x) {
  const MbElementForce *e = force->elements;
  const bool solid = e->rank == 3;
  double F[9], P[9], H[81], extra[9], f[3];
  MbElementTurn turn;
  gradient_at(e, x, k, F);
  if (solid)
    mb_elastic_stress(elastic, F, P);
  else
    mb_elastic_sheet_stress(elastic, F, P);
  for (size_t a = 0; a < e->corners; a++) {
    force_of(e, k, P, a, f);
    mb_corner_push(model, force, x, mb_corner_body(e, k, a), f);
  }
  if (e->of->damping > 0) mb_element_damp(model, force, elastic, k, F, x);
  if (!mb_force_stiffens(force, x)) return;
  if (solid)
    mb_elastic_tangent(elastic, F, x->safe, H);
  else
    mb_elastic_sheet_tangent(elastic, F, x->safe, H);
  const bool turned = x->ahead > 0 && mb_element_turn(e, x, k, F, &turn);
  stiffen(model, e, k, H, turned ? turn.R : NULL, x);
  if (!turned) return;
  mb_element_turned_stress(e->rank, turn.R, F, P, H, extra);
  push_turned(model, e, k, extra, x);
}

// ---- bending ----------------------------------------------------------------------------------------------

static void eval_bending(const MbModel *model, const MbForce *force, MbMaximal *x) {
  const MbElementForce *e = force->elements;
  for (size_t k = 0; k < e->ncouples; k++) {
    const size_t i = e->first + e->couple[2 * k], j = e->first + e->couple[2 * k + 1];
    const double Q = e->bend[k];
    double f[3], K[9] = {-Q, 0, 0, 0, -Q, 0, 0, 0, -Q};
    if (Q == 0) continue;
    mb_vec3_sub(f, x->E[j].p, x->E[i].p);
    mb_vec3_scale(f, -Q, f);
    mb_corner_push(model, force, x, i, f);
    mb_vec3_scale(f, -1, f);
    mb_corner_push(model, force, x, j, f);
    if (!mb_force_stiffens(force, x)) continue;
    add_stiffness(model, e, x, i, j, k, K);
    K[0] = K[4] = K[8] = Q;
    add_stiffness(model, e, x, i, i, k, K);
    add_stiffness(model, e, x, j, j, k, K);
  }
}

static double bending_energy(const MbElementForce *e, const MbMaximal *x) {
  double sum = 0, d[3];
  for (size_t k = 0; k < e->ncouples; k++) {
    mb_vec3_sub(d, x->E[e->first + e->couple[2 * k]].p, x->E[e->first + e->couple[2 * k + 1]].p);
    sum -= e->bend[k] * mb_vec3_dot(d, d) / 2;
  }
  return sum;
}

// Where the corners of a triangle that is curved at rest are, and w of it.
static void look_at_curved(const MbElementForce *e, const MbMaximal *x, size_t t, const double *p[3],
                           double w[3]) {
  double d[3];
  for (size_t j = 0; j < 3; j++) p[j] = x->E[e->first + e->curved[3 * t + j]].p;
  mb_vec3_set(w, 0, 0, 0);
  for (size_t k = e->curved_first[t]; k < e->curved_first[t + 1]; k++) {
    mb_vec3_sub(d, x->E[e->first + e->curved_node[k]].p, p[0]);
    mb_vec3_add_scaled(w, w, e->curved_weight[k], d);
  }
}

static void couple_curved(const MbModel *model, const MbElementForce *e, size_t t, const double *const p[3],
                          const double w[3], MbMaximal *x) {
  const uint32_t *const corner = e->curved + 3 * t;
  double turn[3][9], H[9][9], K[9];
  mb_bending_pull_slopes(p, w, x->safe ? e->curved_square[t] : 0, turn, H);
  for (size_t k = e->curved_first[t]; k < e->curved_first[t + 1]; k++)
    for (size_t j = 0; j < 3; j++) {
      const size_t a = e->first + e->curved_node[k], b = e->first + corner[j],
                   couple = e->curved_couple[3 * k + j];
      for (size_t c = 0; c < 9; c++) {
        K[c] = e->curved_weight[k] * turn[j][c];
        if (a == b) K[c] += e->curved_weight[k] * turn[j][3 * (c % 3) + c / 3];
      }
      add_stiffness(model, e, x, a, b, couple, K);
      for (size_t i = 0; i <= j; i++) // a corner's own are where it is met among the nodes
        if (e->curved_node[k] == corner[i]) add_stiffness(model, e, x, a, b, couple, H[3 * i + j]);
    }
}

static void eval_curved(const MbModel *model, const MbForce *force, MbMaximal *x) {
  const MbElementForce *e = force->elements;
  for (size_t t = 0; t < e->ncurved; t++) {
    const double *p[3];
    double w[3], f[3];
    MbBendingPull pull;
    look_at_curved(e, x, t, p, w);
    mb_bending_pull(p, w, &pull);
    for (size_t j = 0; j < 3; j++)
      mb_corner_push(model, force, x, e->first + e->curved[3 * t + j], pull.slope[j]);
    for (size_t k = e->curved_first[t]; k < e->curved_first[t + 1]; k++) {
      mb_vec3_scale(f, e->curved_weight[k], pull.n);
      mb_corner_push(model, force, x, e->first + e->curved_node[k], f);
    }
    if (mb_force_stiffens(force, x)) couple_curved(model, e, t, p, w, x);
  }
}

static double curved_energy(const MbElementForce *e, const MbMaximal *x) {
  double sum = 0, w[3];
  for (size_t t = 0; t < e->ncurved; t++) {
    const double *p[3];
    MbBendingPull pull;
    look_at_curved(e, x, t, p, w);
    mb_bending_pull(p, w, &pull);
    sum += e->curved_square[t] / 2 - pull.value;
  }
  return sum;
}

// ---- all --------------------------------------------------------------------------------------------------

static void eval(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end) {
  (void)begin, (void)end;
  const MbElementForce *e = force->elements;
  const MbElastic elastic = elastic_of(e);
  for (size_t k = 0; k < e->n; k++) eval_element(model, force, &elastic, k, x);
  if (e->bend) eval_bending(model, force, x);
  eval_curved(model, force, x);
  if (e->damper) mb_element_damp_bending(model, force, x);
  mb_element_fibres_eval(model, force, x);
  if (e->of->surface) mb_element_surface_eval(model, force, x);
}

static double energy(const MbForce *force, const MbMaximal *x) {
  const MbElementForce *e = force->elements;
  const MbElastic elastic = elastic_of(e);
  double sum =
             (e->bend ? bending_energy(e, x) : 0) + curved_energy(e, x) + mb_element_fibres_energy(force, x),
         F[9];
  for (size_t k = 0; k < e->n; k++) {
    gradient_at(e, x, k, F);
    sum += e->size[k] * density(&elastic, e->rank, F);
  }
  return e->of->surface ? sum + mb_element_surface_energy(force, x) : sum;
}

void mb_elements_measure(const MbElementForce *elements, const MbMaximal *x, double *volume, double *strain) {
  double F[9], U[9], s[3], V[9];
  *volume = *strain = 0;
  for (size_t k = 0; k < elements->n; k++) {
    double share = elements->size[k];
    gradient_at(elements, x, k, F);
    if (elements->rank == 3)
      mb_svd3(F, U, s, V);
    else
      mb_svd32(F, U, s, V);
    for (size_t i = 0; i < elements->rank; i++) {
      share *= s[i];
      *strain = fmax(*strain, fabs(fabs(s[i]) - 1));
    }
    *volume += share;
  }
}

static bool damps(const MbForce *force) {
  const MbElementSurface *surface = force->elements->of->surface;
  return force->elements->of->damping > 0 || force->elements->damper || (surface && surface->nouter);
}

const MbForceOps mb_elements_ops = {.name = "elasticity",
                                    .eval = eval,
                                    .energy = energy,
                                    .damps = damps,
                                    .curve = mb_elements_curve,
                                    .changes = true};
