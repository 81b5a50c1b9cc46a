// Body i takes its centre and turns in a step as the coordinates move that its solver has: of links the joints', from the root on, else its own.
#include "core/sim/reached.h"
#include "core/sim/constrain_internal.h"

#include <string.h>

bool mb_reached_create(MbSim *sim, MbReached *reached) {
  const size_t nb = sim->model->nb;
  reached->mark = mb_arena_alloc(&sim->arena, nb, sizeof *reached->mark);
  reached->E = mb_arena_alloc(&sim->arena, nb, sizeof *reached->E);
  reached->q = mb_arena_alloc(&sim->arena, sim->nq, sizeof *reached->q);
  return reached->mark && reached->E && reached->q;
}

void mb_reached_forget(const MbSim *sim, MbReached *reached) {
  memset(reached->mark, 0, sim->model->nb * sizeof *reached->mark);
}

bool mb_reached_apart(const MbSim *sim) { return sim->solver->map->layout->apart(sim->model); }

void mb_reached_mark(const MbSim *sim, MbReached *reached, size_t body) {
  const bool alone = mb_reached_apart(sim);
  for (size_t b = body; b != MB_WORLD && !reached->mark[b]; b = alone ? MB_WORLD : sim->model->parent[b])
    reached->mark[b] = true;
}

// E ← where body b gets to by velocities v; the one that carries it has been taken there.
static void reach(const MbSim *sim, MbReached *reached, size_t b, const double *v) {
  const MbModel *model = sim->model;
  const MbLayout *layout = sim->solver->map->layout;
  double S[6 * MB_JOINT_MOST], Sdot[6 * MB_JOINT_MOST];
  double *const q = reached->q;
  MbPose *const E = reached->E, Q;
  layout->advance(model, q, model->h, v, b, b + 1);
  const double *own = q + layout->place(model, b);
  if (mb_reached_apart(sim) || !model->joint[b].ops) {
    memcpy(E[b].p, own, sizeof E[b].p);
    memcpy(E[b].q, own + 3, sizeof E[b].q);
    return;
  }
  model->joint[b].ops->eval(&model->joint[b], own, v + layout->velocity(model, b), &Q, S, Sdot);
  mb_pose_mul(&E[b], &model->P[b], &Q);
  mb_pose_mul(&E[b], &E[b], &model->B[b]);
  if (model->parent[b] != MB_WORLD) mb_pose_mul(&E[b], &E[model->parent[b]], &E[b]);
  mb_quat_normalise(E[b].q);
}

double mb_reached_go(const MbSim *sim, MbReached *reached, const double *v) {
  double farthest = 0;
  memcpy(reached->q, sim->state.q, sim->nq * sizeof *reached->q);
  for (size_t b = 0; b < sim->model->nb; b++) {
    if (!reached->mark[b]) continue;
    reach(sim, reached, b, v);
    farthest = fmax(farthest, mb_vec3_norm(reached->E[b].p));
  }
  return farthest;
}

bool mb_reached_velocities(MbSim *sim, const double *v, double *out) {
  MbConstraining *c = sim->constraining;
  const double *lambda = c->answer.lambda;
  const size_t width = c->of == MB_ROWS_OF_BODIES ? sim->nv : mb_row_width(sim, &c->set);
  memcpy(out, v, width * sizeof *out);
  if (!c->claims && mb_delassus_move(&c->delassus, c->n, lambda, width, out)) return true;
  for (size_t i = 0; i < c->n; i++)
    if (lambda[i] != 0) mb_row_spread(&c->set, c->slot[i], lambda[i], c->y);
  const bool solved = sim->solver->apply(sim->work, c->y, NULL, c->claims ? sim->pulled : NULL);
  for (size_t i = 0; i < width; i++) out[i] += c->y[i];
  memset(c->y, 0, sim->width * sizeof *c->y);
  return solved;
}
