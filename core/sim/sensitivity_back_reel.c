// What the way back is noted in: a reel of steps, states that are kept between reels, and what both take of the memory that there is.
#include "core/sim/sensitivity_back.h"
#include "core/base/pages.h"
#include "core/sim/sensitivity_held.h"
#include "core/solvers/keep.h"

enum { MOST_KEPT = 64 };

// Of steps from the pool, as long as that has room.
static bool take(MbBackward *b, double **list, size_t n) {
  if (b->pooled > n) {
    *list = b->pool;
    b->pool += n + 1, b->pooled -= n + 1;
    return true;
  }
  return (*list = mb_arena_alloc(&b->g->arena, n + 1, sizeof(double))) != NULL;
}

// How many numbers a solver keeps of a step's start, whose matrix is M alone; 0: it keeps none.
static size_t instant_numbers(const MbSensitivity *g) {
  const MbSim *sim = g->sim;
  const bool keeps = g->once && !g->halves && sim->integrator->a == 0 && sim->solver->keeps;
  return keeps ? sim->solver->keeps->numbers(sim->work) : 0;
}

bool mb_back_at_once(const MbSensitivity *g) {
  return g->held ? !g->held->stages && !g->held->halves : g->once && !g->halves;
}

bool mb_back_by_passes(const MbSensitivity *g) { return g->halves || (g->held && g->held->halves); }

// Of a step of one solution its velocities at both ends are all there is, and beside them what the solver had at its start. It begins with the state that the one before it ends with.
static bool make_turn(MbBackward *b, MbTurn *turn) {
  const MbSim *sim = b->g->sim;
  const size_t instant = b->stands ? instant_numbers(b->g) : 0;
  turn->block = b->pool;
  if (instant && !take(b, &turn->instant, instant)) return false;
  bool ok = take(b, &turn->q, sim->nq) && take(b, &turn->v, sim->nv);
  if (mb_back_at_once(b->g)) {
    turn->note[0].from = turn->v;
    if (mb_slope_ends(sim->model)) ok = ok && take(b, &turn->note[0].w, sim->nv);
    return ok && take(b, &turn->guess, sim->model->nguess) &&
           take(b, &turn->note[0].impulse, sim->model->nslots + mb_held_noted(b->g));
  }
  for (size_t s = 0; s < MB_BACK_STAGES && ok; s++)
    ok = take(b, &turn->note[s].base, sim->nv) && take(b, &turn->note[s].from, sim->nv) &&
         take(b, &turn->note[s].w, sim->nv) && take(b, &turn->note[s].impulse, sim->model->nslots);
  if (ok && mb_back_by_passes(b->g)) ok = take(b, &turn->noted, mb_slope_halves_numbers(sim));
  if (ok && b->g->nodes) ok = take(b, &turn->nodes, mb_back_nodes_numbers(b->g));
  return ok && take(b, &turn->guess, sim->model->nguess);
}

// Without what solvers keep.
static size_t turn_bytes(const MbSensitivity *g) {
  const MbSim *sim = g->sim;
  const size_t turn = sizeof(MbTurn) + (g->met ? sizeof(MbMeeting) : 0);
  const size_t rows = 2 * sim->model->nslots + sim->model->nguess + mb_held_noted(g),
               noted = (mb_back_by_passes(g) ? mb_slope_halves_numbers(sim) : 0) + mb_back_nodes_numbers(g);
  if (mb_back_at_once(g)) return turn + (sim->nq + 2 * sim->nv + rows + 5) * sizeof(double);
  return turn + (sim->nq + 7 * sim->nv + rows + noted + 12) * sizeof(double);
}
static size_t state_bytes(const MbSim *sim) {
  return sizeof(MbState) + (sim->nq + sim->nv + sim->nm + 3) * sizeof(double);
}

size_t mb_sensitivity_least_memory(const MbSensitivity *g) {
  return 2 * (turn_bytes(g) + state_bytes(g->sim));
}

// As many steps as there are where memory allows, with what solvers keep where there is room for that too, else half of it for the reel and half for states.
static void choose_lengths(MbBackward *b, int64_t steps, size_t memory) {
  const MbSim *sim = b->g->sim;
  const size_t instant = instant_numbers(b->g);
  const size_t turn = turn_bytes(b->g), state = state_bytes(sim);
  const size_t whole = memory / turn, half = memory / 2 / turn, states = memory / 2 / state;
  if (whole >= (size_t)steps) {
    b->stands = instant && memory / (turn + (instant + 1) * sizeof(double)) >= (size_t)steps;
    b->length = steps > 0 ? steps : 1, b->nkept = 1;
    return;
  }
  b->length = half ? (int64_t)half : 1;
  b->nkept = states < 2 ? 2 : states > MOST_KEPT ? MOST_KEPT : states;
}

// Which numbers have to be asked at each step: under rows whose curvature is by differences all of them.
static bool make_gather(MbBackward *b) {
  MbSensitivity *g = b->g;
  const MbModel *model = mb_held_equations(g)->sim->model;
  b->gather = mb_tangent_gather_create(&g->arena, model, g->count);
  b->rest = mb_arena_alloc(&g->arena, g->count, sizeof *b->rest);
  if (!b->gather || !b->rest) return false;
  const bool all = g->rows || mb_slope_tied_asks(g);
  for (size_t k = 0; k < g->count; k++) {
    const MbTangentNumber *number = g->slopes[k].number;
    if (!mb_tangent_number_jumps(number) && !mb_tangent_gather_for(b->gather, number)) return false;
    if (all || mb_tangent_number_rests(number)) b->rest[b->nrest++] = k;
  }
  return true;
}

static void end_turn(MbTurn *turn, double *q1, double *v1) {
  turn->q1 = q1, turn->v1 = v1;
  if (!turn->note[0].w) turn->note[0].w = v1;
}

// All steps lie in one block, which is gone through from one end to the other and back.
static bool make_reel(MbBackward *b) {
  const MbSim *sim = b->g->sim;
  const size_t turn = turn_bytes(b->g) / sizeof(double), length = (size_t)b->length;
  const size_t numbers =
      length * (turn + (b->stands ? instant_numbers(b->g) + 1 : 0)) + sim->nq + sim->nv + 3;
  double *q1, *v1;
  if (!(b->pool = mb_arena_alloc(&b->g->arena, numbers, sizeof *b->pool))) return false;
  mb_large_pages(b->pool, numbers * sizeof *b->pool);
  b->pooled = numbers;
  bool ok = true;
  for (size_t i = 0; i < length && ok; i++) {
    ok = make_turn(b, &b->reel[i]);
    b->reel[i].bytes = (size_t)(b->pool - b->reel[i].block) * sizeof *b->pool;
  }
  ok = ok && take(b, &q1, sim->nq) && take(b, &v1, sim->nv);
  for (size_t i = 1; i < length && ok; i++) end_turn(&b->reel[i - 1], b->reel[i].q, b->reel[i].v);
  if (ok) end_turn(&b->reel[length - 1], q1, v1);
  b->pooled = 0;
  return ok;
}

bool mb_back_make(MbBackward *b, int64_t steps, size_t memory) {
  const MbSim *sim = b->g->sim;
  const size_t size = mb_sim_frame_size(sim);
  double **const lists[] = {&b->q,      &b->v,     &b->u,  &b->before,    &b->move, &b->base,
                            &b->w,      &b->z,     &b->dq, &b->dv,        &b->da,   &b->first,
                            &b->next_q, &b->along, &b->q1, &b->left_moved};
  bool ok = take(b, &b->weight, size) && take(b, &b->left, size) && take(b, &b->frame[0], size) &&
            take(b, &b->frame[1], size) && take(b, &b->by_move, 6 * sim->model->nb) &&
            take(b, &b->by_phi, 6 * sim->model->nb);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) ok = take(b, lists[i], sim->nv) && ok;
  choose_lengths(b, steps, b->g->met ? memory / 2 : memory);
  b->reel = mb_arena_alloc(&b->g->arena, (size_t)b->length, sizeof *b->reel);
  b->kept = mb_arena_alloc(&b->g->arena, b->nkept, sizeof *b->kept);
  if (!ok || !b->reel || !b->kept || !make_gather(b)) return false;
  if (!make_reel(b)) return false;
  if (!mb_back_meetings_make(b, memory) || !mb_back_nodes_make(b)) return false;
  for (size_t i = 0; i < b->nkept; i++)
    if (!take(b, &b->kept[i].q, sim->nq) || !take(b, &b->kept[i].v, sim->nv) ||
        !take(b, &b->kept[i].memory, sim->nm))
      return false;
  return true;
}
