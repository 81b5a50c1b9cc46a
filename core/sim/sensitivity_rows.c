// Rows of stages whose derivatives are exact: for whom they are, and the rows at an instant. sensitivity_stage.c has the derivation.
#include "core/sim/sensitivity_rows.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/evaluate.h"

#include <math.h>
#include <string.h>

// ---- whom it is for -------------------------------------------------------------------------------------------------

// Of stages that close what gaps there are whole, each of which is a function of the state then and of nothing before it.
static const char *close_in_part(const MbModel *model) {
  static const double SAME = 1e-9;
  if (fabs(model->gamma * model->h - 1) > SAME || model->solver.stabilization.kind == MB_POST)
    return "there are exact ones only where steps close the gaps of constraints whole, without "
           "\"stabilization\"";
  return NULL;
}

// Limits that go on beyond their bounds do so by what the gap was.
static const char *kinds_refuse(const MbModel *model) {
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *c = &model->constraints[i];
    if (c->unilateral && c->outward != 0) return "there are no exact ones of limits that are passed";
    if (c->dry) return "there are no exact ones of dry friction";
  }
  return NULL;
}

const char *mb_slope_rows_refuse(const MbModel *model) {
  const char *why = kinds_refuse(model);
  if (why || !model->nslots) return why;
  return model->dry ? "there are no exact ones of dry friction" : close_in_part(model);
}

const char *mb_slope_stages_close(const MbModel *model) {
  const char *why = kinds_refuse(model);
  return why ? why : close_in_part(model);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

bool mb_slope_rows_make(MbSensitivity *g) {
  const MbSim *sim = g->probe;
  const size_t n = sim->model->nslots, nv = sim->nv;
  if (!n || g->by_steps || g->once) return true;
  MbSlopeRows *r = g->rows = mb_arena_alloc(&g->arena, 1, sizeof *r);
  if (!r) return false;
  double **const of_rows[] = {&r->mu,        &r->nu,   &r->gives, &r->velocity, &r->number.r, &r->number.idle,
                              &r->number.rp, &r->zeta, &r->zetap, &r->asked[0], &r->asked[1]};
  double **const of_velocities[] = {&r->p,         &r->x,     &r->felt, &r->number.inertia, &r->number.y,
                                    &r->number.yp, &r->z,     &r->zp,   &r->zero,           &r->one,
                                    &r->two,       &r->along, &r->rho,  &r->wrench[0],      &r->wrench[1]};
  double **const of_both[] = {&r->G, &r->D, &r->Dp, &r->B, &r->Y, &r->Yp};
  double **const squares[] = {&r->C, &r->Cp, &r->A, &r->Q, &r->V, &r->P, &r->move};
  bool ok = true;
#define ALLOCATE(list, count)                                                                                \
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)                                                    \
  ok &= (*list[i] = mb_arena_alloc(&g->arena, (count), sizeof(double))) != NULL
  ALLOCATE(of_rows, n);
  ALLOCATE(of_velocities, nv);
  ALLOCATE(of_both, n * nv);
  ALLOCATE(squares, nv * nv);
#undef ALLOCATE
  r->slot = mb_arena_alloc(&g->arena, n, sizeof *r->slot);
  r->idle = mb_arena_alloc(&g->arena, n, sizeof *r->idle);
  r->takes = mb_arena_alloc(&g->arena, n, sizeof *r->takes);
  r->keeps = mb_arena_alloc(&g->arena, n, sizeof *r->keeps);
  r->near = SIZE_MAX;
  r->pivot = mb_arena_alloc(&g->arena, nv, sizeof *r->pivot);
  r->q = mb_arena_alloc(&g->arena, sim->nq, sizeof *r->q);
  r->guess = mb_arena_alloc(&g->arena, sim->model->nguess + 1, sizeof *r->guess);
  r->still = mb_tangent_create(g->probe);
  const bool ranked = mb_ranked_create(&g->arena, &r->S, n) && mb_ranked_create(&g->arena, &r->Sp, n);
  return ok && ranked && r->slot && r->idle && r->takes && r->keeps && r->pivot && r->q && r->guess &&
         r->still;
}

void mb_slope_rows_step(MbSensitivity *g, const double *guess, const double *struck) {
  const size_t n = g->sim->model->nguess;
  if (!g->rows) return;
  g->rows->struck = struck;
  if (n) memcpy(g->rows->guess, guess, n * sizeof *guess);
}

// ---- rows at an instant ---------------------------------------------------------------------------------------------

void mb_slope_rows_make_at(MbSensitivity *g, MbSim *sim, const MbStageNote *note, const double *q) {
  const double span = note->gamma * sim->model->h;
  const MbHalf half = {.here = true, .impulse = span, .span = span, .t = note->t, .from = note->from};
  const size_t guesses = sim->model->nguess;
  MbConstraining *c = sim->constraining;
  if (guesses) memcpy(mb_section(sim, MB_SECTION_CLOSURES), g->rows->guess, guesses * sizeof(double));
  mb_sim_kinematics(sim, q, note->w);
  mb_rows_make_half(sim, &half, q, note->w, note->t);
  for (size_t s = 0; s < c->set.n; s++) c->g1[s] = c->set.row[s].g;
}

MbAsked mb_slope_rows_asked(const MbSim *sim, const MbStageNote *note, size_t s, double faster) {
  const double span = note->gamma * sim->model->h;
  const MbHalf half = {.here = true, .impulse = span, .span = span, .t = note->t, .from = note->from};
  const MbAsking asking = mb_asking_half(sim, &half);
  MbAskRow known = mb_rows_known(sim, s, &asking, note->w, NULL);
  known.one_way = false; // as it takes part: what is moved by little is on the branch of the run
  known.rate += faster;
  return mb_ask(&asking, &known);
}

double mb_slope_rows_agree(const MbSensitivity *g, const MbSim *at, size_t k, const double *p,
                           const double *x) {
  const MbRowSet *set = &at->constraining->set;
  const size_t s = g->rows->slot[k];
  return g->rows->keeps[k] ? mb_row_rate(set, s, x) : mb_row_rate(set, s, p) + set->row[s].gt;
}

// Whether a row takes part in the stage, and whether velocities are made to agree with it where that ends.
static bool takes_part(const MbRowTerms *is, const MbStageNote *note, size_t s) {
  return is->kind != MB_ROW_ONE_WAY || note->impulse[s] > 0;
}
static bool agrees(const MbRowTerms *is, const MbStageNote *note, size_t s) {
  if (is->alpha > 0) return false;
  return is->kind != MB_ROW_ONE_WAY || (note->agreed && note->agreed[s] > 0);
}

// Lists row s.
static void list(MbSensitivity *g, const MbStageNote *note, size_t s, bool takes) {
  MbSlopeRows *r = g->rows;
  const MbSim *sim = g->probe;
  const MbRowSet *set = &sim->constraining->set;
  const double span = note->gamma * sim->model->h;
  const size_t k = r->n++;
  const MbAsked asked = mb_slope_rows_asked(sim, note, s, 0);
  r->slot[k] = s, r->takes[k] = takes, r->keeps[k] = set->row[s].order == 2;
  r->mu[k] = takes ? note->impulse[s] / span : 0;
  r->gives[k] = takes ? span * asked.soft : 0;
  r->velocity[k] = mb_slope_rows_asked(sim, note, s, 1).b - asked.b;
  memset(r->G + sim->nv * k, 0, sim->nv * sizeof *r->G);
  mb_row_spread(set, s, 1, r->G + sim->nv * k);
}

void mb_slope_rows_list(MbSensitivity *g, const MbStageNote *note, bool stage) {
  MbSlopeRows *r = g->rows;
  const MbRowTerms *is = g->probe->constraining->set.is;
  r->n = 0;
  for (int alone = 0; alone < 2; alone++) {
    for (size_t s = 0; s < g->probe->model->nslots; s++) {
      const bool takes = stage && takes_part(&is[s], note, s), agree = agrees(&is[s], note, s);
      if (alone ? takes && !agree : agree) list(g, note, s, takes);
    }
    if (!alone) r->nagreed = r->n;
  }
}
