// A body's coordinates and velocities are told in its principal axes. A number that changes products of inertia turns these: by T for each unit of it, where T is one over the
// difference of two moments. Derivatives of coordinates would be T and more, and what bodies do, which is of the size of 1, would be the small difference of two such turns: differences over a
// move e lose T (e T)² of it, which is all of it where moments differ by a thousandth.
//
// So a state is compared with those beside it as its bodies stand, not as their principal axes do. With Q from the run's principal axes to a side's,
//
//   R_side = R Q,   ω_side = Qᵀ ω,   τ_side = Qᵀ τ            (center and velocity of mass stay what they are)
//
// the side is asked at (R_side, ω_side), and what it answers is taken back by Q. Q is C⁻¹ C_side, C being the pose of principal axes in the body's own frame. Bodies that joints tell of
// have no such coordinates.
#include "core/sim/sensitivity_axes.h"
#include "core/math/quat.h"
#include "core/math/vec3.h"
#include "core/sim/layout.h"
#include "core/sim/schemes.h"

#include <math.h>
#include <string.h>

// ---- which bodies ---------------------------------------------------------------------------------------------------

bool mb_axes_turn(const MbModel *from, const MbModel *to, size_t b, double out[4]) {
  static const double ROUNDING = 1e-12; // of the sine of half an angle
  double back[4], turn[4];
  mb_quat_conj(back, from->C[b].q);
  mb_quat_mul(turn, back, to->C[b].q);
  mb_quat_normalise(turn);
  if (out) memcpy(out, turn, sizeof turn);
  return mb_vec3_norm(turn + 1) > ROUNDING;
}

bool mb_axes_tells_pose(const MbSim *run, size_t b) {
  return run->solver->map->layout->apart(run->model) || !run->model->joint[b].ops;
}

// Fills the list; NULL: it is counted alone.
static size_t list(const MbSim *run, const MbModel *const side[2], MbSlopeAxes *axes) {
  const MbLayout *layout = run->solver->map->layout;
  size_t n = 0;
  for (size_t b = 0; b < run->model->nb; b++) {
    double turn[2][4];
    bool any = false;
    for (int s = 0; s < 2; s++) any |= mb_axes_turn(run->model, side[s], b, turn[s]);
    if (!mb_axes_tells_pose(run, b) || !any) continue;
    if (axes) {
      axes->body[n] = b, axes->place[n] = layout->place(run->model, b);
      axes->first[n] = layout->velocity(run->model, b);
      for (int s = 0; s < 2; s++) memcpy(axes->turn[s] + 4 * n, turn[s], sizeof turn[s]);
    }
    n++;
  }
  return n;
}

bool mb_axes_find(MbArena *arena, const MbSim *run, const MbModel *less, const MbModel *more,
                  MbSlopeAxes **out) {
  const MbModel *const side[2] = {less, more};
  const size_t n = list(run, side, NULL);
  *out = NULL;
  if (!n) return true;
  MbSlopeAxes *axes = mb_arena_alloc(arena, 1, sizeof *axes);
  if (!axes) return false;
  *axes = (MbSlopeAxes){.n = n, .nq = run->nq, .nv = run->nv};
  size_t **const lists[] = {&axes->body, &axes->place, &axes->first};
  bool ok = true;
  for (int i = 0; i < 3; i++) ok = (*lists[i] = mb_arena_alloc(arena, n, sizeof(size_t))) && ok;
  for (int s = 0; s < 2; s++) {
    ok = (axes->turn[s] = mb_arena_alloc(arena, 4 * n, sizeof(double))) && ok;
    ok = (axes->q[s] = mb_arena_alloc(arena, run->nq, sizeof(double))) && ok;
    for (int i = 0; i < MB_AXES_VECTORS; i++)
      ok = (axes->v[s][i] = mb_arena_alloc(arena, run->nv, sizeof(double))) && ok;
  }
  if (!ok) return false;
  list(run, side, axes);
  *out = axes;
  return true;
}

// ---- to a side and back ---------------------------------------------------------------------------------------------

static void turn_coordinates(const MbSlopeAxes *axes, int side, bool back, double *q) {
  for (size_t i = 0; i < axes->n; i++) {
    double turn[4], *at = q + axes->place[i] + 3;
    memcpy(turn, axes->turn[side] + 4 * i, sizeof turn);
    if (back) mb_quat_conj(turn, turn);
    mb_quat_mul(at, at, turn);
    mb_quat_normalise(at);
  }
}

static void turn_vector(const MbSlopeAxes *axes, int side, size_t i, bool back, double x[3]) {
  (back ? mb_quat_rotate : mb_quat_unrotate)(x, axes->turn[side] + 4 * i, x);
}

static void turn_velocities(const MbSlopeAxes *axes, int side, bool back, double *v) {
  for (size_t i = 0; i < axes->n; i++) turn_vector(axes, side, i, back, v + axes->first[i]);
}

const double *mb_axes_q(MbSlopeAxes *axes, int side, const double *q) {
  if (!axes) return q;
  memcpy(axes->q[side], q, axes->nq * sizeof *q);
  turn_coordinates(axes, side, false, axes->q[side]);
  return axes->q[side];
}

const double *mb_axes_v(MbSlopeAxes *axes, int side, int which, const double *v) {
  if (!axes || !v) return v;
  double *out = axes->v[side][which];
  memcpy(out, v, axes->nv * sizeof *v);
  turn_velocities(axes, side, false, out);
  return out;
}

void mb_axes_return(const MbSlopeAxes *axes, int side, double *v) {
  if (axes) turn_velocities(axes, side, true, v);
}

static void turn_state(const MbSlopeAxes *axes, int side, bool back, const MbSim *sim, MbState *state) {
  double *carried = axes ? mb_scheme_stages_carried(sim, state->memory) : NULL;
  if (!axes) return;
  turn_coordinates(axes, side, back, state->q);
  turn_velocities(axes, side, back, state->v);
  for (size_t i = 0; carried && i < 2; i++) turn_velocities(axes, side, back, carried + i * axes->nv);
}

void mb_axes_to_side(const MbSlopeAxes *axes, int side, const MbSim *sim, MbState *state) {
  turn_state(axes, side, false, sim, state);
}

void mb_axes_to_run(const MbSlopeAxes *axes, int side, const MbSim *sim, MbState *state) {
  turn_state(axes, side, true, sim, state);
}

void mb_axes_adopt(MbSim *sim, const MbModel *of) {
  const MbLayout *layout = sim->solver->map->layout;
  double *carried = mb_scheme_stages_carried(sim, sim->state.memory), turn[4];
  for (size_t b = 0; b < sim->model->nb; b++) {
    if (!mb_axes_tells_pose(sim, b)) continue;
    if (!mb_axes_turn(of, sim->model, b, turn)) continue;
    const size_t first = layout->velocity(sim->model, b);
    double *q = sim->state.q + layout->place(sim->model, b) + 3;
    mb_quat_mul(q, q, turn);
    mb_quat_normalise(q);
    mb_quat_unrotate(sim->state.v + first, turn, sim->state.v + first);
    for (size_t i = 0; carried && i < 2; i++)
      mb_quat_unrotate(carried + i * sim->nv + first, turn, carried + i * sim->nv + first);
  }
}

void mb_axes_twists(const MbSlopeAxes *axes, int side, double *twists) {
  for (size_t i = 0; axes && i < axes->n; i++)
    for (size_t k = 0; k < 6; k += 3) turn_vector(axes, side, i, false, twists + 6 * axes->body[i] + k);
}

void mb_axes_poses(const MbSlopeAxes *axes, int side, MbPose *E) {
  for (size_t i = 0; axes && i < axes->n; i++) {
    double *q = E[axes->body[i]].q;
    mb_quat_mul(q, q, axes->turn[side] + 4 * i);
    mb_quat_normalise(q);
  }
}

void mb_axes_vector(const MbSlopeAxes *axes, int side, size_t body, bool back, double x[3]) {
  for (size_t i = 0; axes && i < axes->n; i++)
    if (axes->body[i] == body) turn_vector(axes, side, i, back, x);
}
