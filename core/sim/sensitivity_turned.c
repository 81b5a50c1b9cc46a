// What A has of the springs, dampers, motors and stops of joints that turn about any axis (trapezoidal): along their velocities, of which  q̇ = N v,
//
//   A_own = Nᵀ (d + s k) N,   N that of the coordinates where the pass is
//
// so that  δ(A_own z)  has how N changes too, which is told by differences along each of the joint's own velocities (fourth order: 1e-11 or so).
#include "core/model/coordinates.h"
#include "core/model/joint.h"
#include "core/sim/sensitivity_parts.h"

#include <string.h>

enum { MOST = MB_JOINT_MOST * MB_JOINT_MOST };

struct MbTurned {
  size_t n;
  size_t *body;          // (n)
  double *A, *bend;      // (n x MOST) A_own, and ∂(A_own z)/∂q, row after row
  double *stiffness;     // (nv) d + s k
  const double *nothing; // (nv)
};

static bool turns(const MbModel *model, size_t b) {
  return model->joint[b].ops && model->joint[b].ops->change;
}

bool mb_slope_turned_make(MbSensitivity *g) {
  const MbModel *model = g->sim->model;
  MbTurned *t = g->turned = mb_arena_alloc(&g->arena, 1, sizeof *t);
  if (!t) return false;
  t->body = mb_arena_alloc(&g->arena, model->ncurved, sizeof *t->body);
  t->A = mb_arena_alloc(&g->arena, model->ncurved * MOST, sizeof(double));
  t->bend = mb_arena_alloc(&g->arena, model->ncurved * MOST, sizeof(double));
  t->stiffness = mb_arena_alloc(&g->arena, model->nv, sizeof(double));
  t->nothing = mb_arena_alloc(&g->arena, model->nv, sizeof(double));
  if (!t->body || !t->A || !t->bend || !t->stiffness || !t->nothing) return false;
  for (size_t i = 0; i < model->ncurved; i++)
    if (turns(model, model->curved[i])) t->body[t->n++] = model->curved[i];
  return true;
}

// y ← A_own z of one body, at coordinates q of all
static void times(const MbModel *model, MbMaximal *x, const double *q, size_t b, const double *z,
                  double A[MOST], double *y) {
  const size_t n = model->joint[b].n;
  x->q = q;
  mb_coordinates_own(model, x, b, 0, 1, A);
  for (size_t i = 0; i < n; i++) {
    y[i] = 0;
    for (size_t k = 0; k < n; k++) y[i] += A[n * i + k] * z[k];
  }
}

static void find_bend(MbSensitivity *g, MbMaximal *x, size_t b, const double *z, double *bend) {
  static const double MOVE = 1e-3, weight[5] = {1, -8, 0, 8, -1};
  const MbModel *model = g->sim->model;
  const MbJoint *joint = &model->joint[b];
  const size_t n = joint->n, first = model->q_first[b];
  double unused[MOST], y[MB_JOINT_MOST], *q = g->moved + first;
  memset(bend, 0, MOST * sizeof *bend);
  for (size_t k = 0; k < n; k++) {
    double along[MB_JOINT_MOST] = {0};
    along[k] = 1;
    for (int side = -2; side <= 2; side++) {
      if (!side) continue;
      memcpy(q, g->q1 + first, n * sizeof *q);
      joint->ops->advance(joint, q, side * MOVE, along);
      times(model, x, g->moved, b, z, unused, y);
      for (size_t i = 0; i < n; i++) bend[n * i + k] += weight[side + 2] / (12 * MOVE) * y[i];
    }
  }
}

void mb_slope_turned_at(MbSensitivity *g, double s, const double *z) {
  MbTurned *t = g->turned;
  const MbModel *model = g->sim->model;
  MbMaximal x = g->probe->x;
  x.stiffness = t->stiffness, x.joint_damping = t->nothing;
  for (size_t i = 0; i < t->n; i++) {
    const size_t b = t->body[i], first = model->v_first[b];
    double y[MB_JOINT_MOST];
    bool any = false;
    for (size_t k = first; k < first + model->joint[b].n; k++) {
      t->stiffness[k] = g->damping[k] + s * g->stiffness[k];
      any |= t->stiffness[k] != 0;
      g->damping[k] = g->stiffness[k] = 0;
    }
    memset(t->A + MOST * i, 0, MOST * sizeof *t->A), memset(t->bend + MOST * i, 0, MOST * sizeof *t->A);
    if (!any) continue;
    times(model, &x, g->q1, b, z + first, t->A + MOST * i, y);
    find_bend(g, &x, b, z + first, t->bend + MOST * i);
  }
}

void mb_slope_turned_value(const MbSensitivity *g, const double *z, double *out) {
  const MbTurned *t = g->turned;
  for (size_t i = 0; i < t->n; i++) {
    const size_t first = g->sim->model->v_first[t->body[i]], n = g->sim->model->joint[t->body[i]].n;
    for (size_t r = 0; r < n; r++)
      for (size_t c = 0; c < n; c++) out[first + r] += t->A[MOST * i + n * r + c] * z[first + c];
  }
}

void mb_slope_turned_times(const MbSensitivity *g, const double *dq, const double *dv, double *out) {
  const MbTurned *t = g->turned;
  for (size_t i = 0; i < t->n; i++) {
    const size_t first = g->sim->model->v_first[t->body[i]], n = g->sim->model->joint[t->body[i]].n;
    const double *A = t->A + MOST * i, *bend = t->bend + MOST * i;
    for (size_t r = 0; r < n; r++)
      for (size_t c = 0; c < n; c++)
        out[first + r] += bend[n * r + c] * dq[first + c] - A[n * r + c] * dv[first + c];
  }
}

void mb_slope_turned_back(const MbSensitivity *g, const double *z, double *dq, double *dv) {
  const MbTurned *t = g->turned;
  for (size_t i = 0; i < t->n; i++) {
    const size_t first = g->sim->model->v_first[t->body[i]], n = g->sim->model->joint[t->body[i]].n;
    const double *A = t->A + MOST * i, *bend = t->bend + MOST * i;
    for (size_t r = 0; r < n; r++)
      for (size_t c = 0; c < n; c++) {
        dq[first + c] += bend[n * r + c] * z[first + r];
        dv[first + c] -= A[n * r + c] * z[first + r];
      }
  }
}
