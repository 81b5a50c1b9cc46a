// Damping of bending and twisting between nodes that are bodies, by the rates of what stencils measure (deformables/bending_damper.h). All of it
// is in W. A node that a body carries has its velocity in its own axes: v = R v_C turns with it, by −R [v_C] for each unit.
#include "core/deformables/bending_damper.h"
#include "core/forces/element_corners.h"

// A stencil where it is now: its bodies, their velocities in W, and by measure ż.
typedef struct Bending {
  const MbModel *model;
  const MbElementForce *of;
  size_t stencil, body[MB_BENT_NODES];
  double v[MB_BENT_NODES][3], rate[MB_BENT_MEASURES];
  MbBent bent;
} Bending;

static void look(Bending *s, const MbMaximal *x, bool curved) {
  const MbBendingDamper *const damper = s->of->damper;
  const size_t first = damper->first[s->stencil], n = damper->first[s->stencil + 1] - first;
  double p[MB_BENT_NODES][3];
  for (size_t a = 0; a < n; a++) {
    const size_t b = s->body[a] = s->of->first + damper->node[first + a];
    mb_vec3_copy(p[a], x->E[b].p);
    mb_quat_rotate(s->v[a], x->E[b].q, x->phi + 6 * b + 3);
  }
  mb_bent_look(damper, s->stencil, p[0], curved, &s->bent);
  for (size_t m = 0; m < s->bent.measures; m++) {
    s->rate[m] = 0;
    for (size_t a = 0; a < n; a++) s->rate[m] += mb_vec3_dot(mb_bent_slope(&s->bent, m, a), s->v[a]);
  }
}

static size_t couple_of(const Bending *s, size_t a, size_t b) {
  const size_t high = a > b ? a : b, low = a > b ? b : a;
  return a == b ? 0 : s->of->damped_couple[s->of->damped_first[s->stencil] + high * (high - 1) / 2 + low];
}

static void add(const Bending *s, double *blocks, size_t a, size_t b, const double B[9], size_t column) {
  mb_corner_add(mb_corner_block(s->model, s->of, blocks, s->body[a], s->body[b], couple_of(s, a, b)), B,
                false, column);
}

// D_ab, and of a body that turns what D v changes with its turning, into K
static void add_damping(const Bending *s, MbMaximal *x, double beta, size_t a, size_t b) {
  double D[9] = {0}, X[9], DX[9];
  const size_t body = s->body[b];
  for (size_t m = 0; m < s->bent.measures; m++) {
    const double *const za = mb_bent_slope(&s->bent, m, a), *const zb = mb_bent_slope(&s->bent, m, b);
    for (size_t c = 0; c < 9; c++) D[c] -= beta * za[c / 3] * zb[c % 3];
  }
  mb_corner_to_own_axes(s->model, x, s->body[a], body, D);
  add(s, x->D, a, b, D, 3);
  if (!x->K || !x->exact || !mb_corner_turns(s->model, body)) return;
  mb_mat3_cross(X, x->phi + 6 * body + 3);
  mb_mat3_mul(DX, D, X);
  for (size_t c = 0; c < 9; c++) DX[c] = -DX[c];
  add(s, x->K, a, b, DX, 0);
}

// K of all nodes by those of node b: ∂ż/∂x_b = Σ_a ∂²z/∂x_b∂x_a v_a
static void add_stiffness(const Bending *s, MbMaximal *x, double beta, size_t b) {
  double change[MB_BENT_MEASURES][3] = {{0}}, B[9], moved[3];
  for (size_t m = 0; m < s->bent.measures; m++)
    for (size_t a = 0; a < s->bent.nodes; a++) {
      mb_bent_second(&s->bent, m, b, a, B);
      mb_mat3_apply(moved, B, s->v[a]);
      mb_vec3_add(change[m], change[m], moved);
    }
  for (size_t a = 0; a < s->bent.nodes; a++) {
    double K[9] = {0};
    for (size_t m = 0; m < s->bent.measures; m++) {
      const double *const za = mb_bent_slope(&s->bent, m, a);
      mb_bent_second(&s->bent, m, a, b, B);
      for (size_t c = 0; c < 9; c++) K[c] -= beta * (za[c / 3] * change[m][c % 3] + s->rate[m] * B[c]);
    }
    mb_corner_to_own_axes(s->model, x, s->body[a], s->body[b], K);
    add(s, x->K, a, b, K, 3);
  }
}

void mb_element_damp_bending(const MbModel *model, const MbForce *force, MbMaximal *x) {
  const MbElementForce *e = force->elements;
  const double beta = e->of->bending_damping;
  const bool counts = mb_force_counts(force, x), exact = counts && x->exact && x->K;
  Bending s = {.model = model, .of = e};
  for (s.stencil = 0; s.stencil < e->damper->count; s.stencil++) {
    look(&s, x, exact);
    for (size_t a = 0; a < s.bent.nodes; a++) {
      double f[3] = {0};
      for (size_t m = 0; m < s.bent.measures; m++)
        mb_vec3_add_scaled(f, f, -beta * s.rate[m], mb_bent_slope(&s.bent, m, a));
      mb_corner_push(model, force, x, s.body[a], f);
      for (size_t b = 0; counts && b < s.bent.nodes; b++) add_damping(&s, x, beta, a, b);
    }
    for (size_t b = 0; exact && b < s.bent.nodes; b++) add_stiffness(&s, x, beta, b);
  }
}
