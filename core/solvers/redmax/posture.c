#define MB_LANES 1
#include "core/solvers/redmax/posture.h"
#include "core/base/targets.h"
#include "core/math/dense6.h"
#include "core/solvers/coupled.h"
#include "core/solvers/redmax/posture_passes.h"

// A pass over the tree, compiled whole for each kind of processor.
#define PASS MB_CLONES __attribute__((flatten))

void mb_posture_wrench(const MbPosture *posture, size_t body, const double w[6], double F[6]) {
  put_screw(F, 0, wrench_to_world(posture, body, screw_at(w, 0)));
}

PASS void mb_posture_gather(MbPosture *posture, const double *f, double *y) { posture_gather(posture, f, y); }

void mb_posture_carry(MbPosture *posture, size_t body, const double w[6], double *seen, double *y) {
  Screw F = wrench_to_world(posture, body, screw_at(w, 0));
  if (seen) put_screw(seen, 0, F);
  for (size_t b = body; b != MB_WORLD; b = posture->model->parent[b]) {
    joint_forces(posture, b, F, y);
    F = move_wrench(F, posture->work->stand[b].r);
  }
}

typedef double Four __attribute__((vector_size(32)));

// Wrenches side by side.
typedef struct Wrenches {
  Four turn[3], line[3];
} Wrenches;

static inline Wrenches side_by_side(const Screw F[3]) {
  return (Wrenches){{{F[0].turn.x, F[1].turn.x, F[2].turn.x},
                     {F[0].turn.y, F[1].turn.y, F[2].turn.y},
                     {F[0].turn.z, F[1].turn.z, F[2].turn.z}},
                    {{F[0].line.x, F[1].line.x, F[2].line.x},
                     {F[0].line.y, F[1].line.y, F[2].line.y},
                     {F[0].line.z, F[1].line.z, F[2].line.z}}};
}

// As those of lanes.h, for one motion and all wrenches, to the same bits.
static inline Four dots(Vec a, const Four b[3]) { return a.x * b[0] + a.y * b[1] + a.z * b[2]; }

static inline void move_wrenches(Wrenches *F, Vec r) {
  const Four *const f = F->line;
  F->turn[0] = F->turn[0] + r.y * f[2] - r.z * f[1];
  F->turn[1] = F->turn[1] + r.z * f[0] - r.x * f[2];
  F->turn[2] = F->turn[2] + r.x * f[1] - r.y * f[0];
}

static inline void add_four(double *y, size_t v, Four x) {
  Four at;
  memcpy(&at, y + 4 * v, sizeof at);
  at += x;
  memcpy(y + 4 * v, &at, sizeof at);
}

// The joints' forces on the way down to the world, as joint_forces has them.
static inline void carry_down(const MbPosture *posture, size_t body, const Screw start[3], double *y) {
  const Stand *const stands = posture->work->stand;
  Wrenches F = side_by_side(start);
  for (size_t b = body; b != MB_WORLD; b = posture->model->parent[b]) {
    const MbHop *hop = &posture->links->hop[b];
    const Screw *T = posture->work->T + hop->column;
    if (hop->kind == MB_LINK_REVOLUTE)
      add_four(y, hop->v, dots(stands[b].s, F.turn));
    else if (hop->kind == MB_LINK_FREE)
      for (size_t i = 0; i < 3; i++) {
        add_four(y, hop->v + i, dots(T[i].turn, F.turn));
        add_four(y, hop->v + 3 + i, F.line[i]);
      }
    else
      for (size_t i = 0; i < hop->n; i++)
        add_four(y, hop->v + i, dots(T[i].turn, F.turn) + dots(T[i].line, F.line));
    move_wrenches(&F, stands[b].r);
  }
}

PASS void mb_posture_carry_three(MbPosture *posture, size_t body, const double *const w[3],
                                 double *const seen[3], double *y) {
  const Mat R = rotation(posture, body);
  const Vec arm = arm_of(posture, body, R);
  Screw F[3];
  for (int k = 0; k < 3; k++) {
    F[k] = move_wrench((Screw){apply(R, vec_at(w[k], 0)), apply(R, vec_at(w[k], 3))}, arm);
    put_screw(seen[k], 0, F[k]);
  }
  carry_down(posture, body, F, y);
}

PASS void mb_posture_momentum(MbPosture *posture, const double *v, double *y) {
  posture_momentum(posture, v, y);
}

PASS void mb_posture_impel(MbPosture *posture, const double *v, const double *f, double s, double *y) {
  posture_impel(posture, v, f, s, y);
}

void mb_posture_twists(MbPosture *posture, const double *v, double *phi) {
  const Screw *at_o = twists_of(posture, v);
  for (size_t b = 0; b < posture->model->nb; b++) put_screw(phi, 6 * b, twist_to_body(posture, b, at_o[b]));
}

PASS void mb_posture_blocks(MbPosture *posture, const double *B, double s, const double *v, double *y) {
  const MbModel *model = posture->model;
  Screw *F = twists_of(posture, v);
  double *phi = model->npairs ? posture->twist : posture->screws, *f = posture->screws;
  for (size_t b = 0; b < model->nb; b++) put_screw(phi, 6 * b, twist_to_body(posture, b, F[b]));
  for (size_t b = 0; b < model->nb; b++) {
    double t[6];
    mb_mat6_apply(t, B + 36 * b, phi + 6 * b);
    for (size_t i = 0; i < 6; i++) f[6 * b + i] = s * t[i];
  }
  mb_pairs_multiply(model, B + 36 * model->nb, s, phi, f);
  for (size_t b = 0; b < model->nb; b++) F[b] = wrench_to_world(posture, b, screw_at(f, 6 * b));
  gather_up(posture, F, y, false);
}

void mb_posture_drift(MbPosture *posture, double *a) {
  for (size_t b = 0; b < posture->model->nb; b++) put_screw(a, 6 * b, drift_of(posture, b));
}

PASS void mb_posture_bias(MbPosture *posture, double *f) {
  const double *M = posture->model->M;
  for (size_t b = 0; b < posture->model->nb; b++) {
    double a[6];
    put_screw(a, 0, drift_of(posture, b));
    for (size_t i = 0; i < 6; i++) f[6 * b + i] -= M[6 * b + i] * a[i];
  }
}

PASS bool mb_posture_factor(MbPosture *posture, const MbMaximal *x, double a, double c, void *whole,
                            size_t *blame) {
  posture->derived = a != 0 || c != 0;
  return factor_posture(posture, x, a, c, whole, blame);
}

PASS void mb_posture_apply(MbPosture *posture, double *x) { posture_apply(posture, x); }
