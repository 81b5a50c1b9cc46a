// What the way back is noted in: a reel of steps, states that are kept between reels, and what both take of the memory that there is.
#include "core/sim/sensitivity_back.h"
#include "core/base/pages.h"
#include "core/sim/sensitivity_held.h"
#include "core/sim/sensitivity_rubbed.h"
#include "core/solvers/keep.h"

#include <stddef.h>
#include <string.h>

enum { MOST_KEPT = 64 };

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

// What is noted of a step that is no list of numbers; what is below `gamma` of steps of stages alone.
typedef struct Head {
  double begin, t, at[MB_BACK_STAGES];
  bool standing, agrees[MB_BACK_STAGES];
  unsigned char stages;
  double gamma[MB_BACK_STAGES];
  MbStageTerms terms[MB_BACK_STAGES];
} Head;

static size_t head_bytes(const MbSensitivity *g) {
  return mb_back_at_once(g) ? offsetof(Head, gamma) : sizeof(Head);
}

// A block of a step's numbers: NULL where these are counted alone.
typedef struct Block {
  double *numbers;
  size_t used;
} Block;

static double *take(Block *block, size_t n) {
  double *const at = block->numbers ? block->numbers + block->used : NULL;
  block->used += n;
  return at;
}

// The state stands first, as the block of one step begins with what the one before it ends with. Of a step of one solution its velocities at both ends are all there is, and beside them what the solver
// had at its start.
static void lay_out(const MbSensitivity *g, bool stands, Block *block, MbTurn *turn) {
  const MbSim *sim = g->sim;
  const size_t instant = stands ? instant_numbers(g) : 0, rows = sim->model->nslots;
  turn->q = take(block, sim->nq), turn->v = take(block, sim->nv);
  turn->nodes = take(block, mb_back_nodes_numbers(g));
  (void)take(block, head_bytes(g) / sizeof(double));
  turn->guess = take(block, sim->model->nguess);
  if (mb_back_at_once(g)) {
    if (instant) turn->instant = take(block, instant);
    turn->note[0].from = turn->v;
    if (mb_slope_ends(sim->model)) turn->note[0].w = take(block, sim->nv);
    turn->note[0].impulse = take(block, rows + mb_held_noted(g) + mb_slope_rubbed_noted(g));
    return;
  }
  for (size_t s = 0; s < MB_BACK_STAGES; s++) {
    turn->note[s].base = take(block, sim->nv), turn->note[s].from = take(block, sim->nv);
    turn->note[s].w = take(block, sim->nv);
    turn->note[s].impulse = take(block, rows), turn->note[s].agreed = take(block, rows);
  }
  turn->struck = take(block, rows);
  if (mb_back_by_passes(g)) turn->noted = take(block, mb_half_notes_numbers(sim));
}

// Of the state alone, where a block begins.
static size_t state_numbers(const MbSensitivity *g) {
  return g->sim->nq + g->sim->nv + mb_back_nodes_numbers(g);
}

static size_t stride_of(const MbSensitivity *g, bool stands) {
  Block block = {0};
  MbTurn turn = {0};
  lay_out(g, stands, &block, &turn);
  return block.used;
}

MbTurn mb_back_new_turn(const MbBackward *b, int64_t i) {
  const MbSensitivity *g = b->g;
  Block block = {.numbers = b->reel + (size_t)i * b->stride};
  MbTurn turn = {.step = b->begins + i + 1, .met = b->meeting ? &b->meeting[i] : NULL};
  lay_out(g, b->stands, &block, &turn);
  double *const end = block.numbers + b->stride;
  turn.q1 = end, turn.v1 = end + g->sim->nq, turn.nodes1 = g->nodes ? turn.v1 + g->sim->nv : NULL;
  if (!turn.note[0].w) turn.note[0].w = turn.v1;
  return turn;
}

MbTurn mb_back_turn(const MbBackward *b, int64_t i) {
  MbTurn turn = mb_back_new_turn(b, i);
  Head head = {.gamma = {1}};
  memcpy(&head, turn.q + state_numbers(b->g), head_bytes(b->g));
  turn.begin = head.begin, turn.t = head.t, turn.standing = head.standing, turn.stages = head.stages;
  for (size_t s = 0; s < MB_BACK_STAGES; s++) {
    turn.note[s].gamma = head.gamma[s], turn.note[s].t = head.at[s], turn.note[s].agrees = head.agrees[s];
    turn.terms[s] = head.terms[s];
  }
  return turn;
}

void mb_back_note_turn(const MbBackward *b, int64_t i, const MbTurn *turn) {
  Head head = {
      .begin = turn->begin, .t = turn->t, .standing = turn->standing, .stages = (unsigned char)turn->stages};
  for (size_t s = 0; s < MB_BACK_STAGES; s++) {
    head.at[s] = turn->note[s].t, head.agrees[s] = turn->note[s].agrees, head.gamma[s] = turn->note[s].gamma;
    head.terms[s] = turn->terms[s];
  }
  memcpy(b->reel + (size_t)i * b->stride + state_numbers(b->g), &head, head_bytes(b->g));
}

// ---- memory -----------------------------------------------------------------------------------------------------------

// Without what solvers keep.
static size_t turn_bytes(const MbSensitivity *g) {
  return stride_of(g, false) * sizeof(double) + (g->met ? sizeof(MbMeeting) : 0);
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
    b->stands = instant && memory / (turn + instant * sizeof(double)) >= (size_t)steps;
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
    const bool rests = g->held ? mb_held_number_rests(g, k) : mb_tangent_number_rests(number);
    if (all || rests) b->rest[b->nrest++] = k;
  }
  return true;
}

// All steps lie in one block, which is gone through from one end to the other and back.
static bool make_reel(MbBackward *b) {
  b->stride = stride_of(b->g, b->stands);
  const size_t numbers = (size_t)b->length * b->stride + state_numbers(b->g);
  b->reel = mb_arena_alloc(&b->g->arena, numbers, sizeof *b->reel);
  if (b->reel) mb_large_pages(b->reel, numbers * sizeof *b->reel);
  return b->reel;
}

static bool take_list(MbBackward *b, double **list, size_t n) {
  return (*list = mb_arena_alloc(&b->g->arena, n + 1, sizeof(double))) != NULL;
}

bool mb_back_make(MbBackward *b, int64_t steps, size_t memory) {
  const MbSim *sim = b->g->sim;
  const size_t size = mb_sim_frame_size(sim);
  double **const lists[] = {&b->q,      &b->v,     &b->u,  &b->before,     &b->move,     &b->base,
                            &b->w,      &b->z,     &b->dq, &b->dv,         &b->da,       &b->first,
                            &b->next_q, &b->along, &b->q1, &b->left_moved, &b->left_from};
  bool ok = take_list(b, &b->weight, size) && take_list(b, &b->left, size) &&
            take_list(b, &b->frame[0], size) && take_list(b, &b->frame[1], size) &&
            take_list(b, &b->by_move, 6 * sim->model->nb) && take_list(b, &b->by_phi, 6 * sim->model->nb);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) ok = take_list(b, lists[i], sim->nv) && ok;
  choose_lengths(b, steps, b->g->met ? memory / 2 : memory);
  b->kept = mb_arena_alloc(&b->g->arena, b->nkept, sizeof *b->kept);
  if (!ok || !b->kept || !make_gather(b)) return false;
  if (!make_reel(b)) return false;
  if (!mb_back_meetings_make(b, memory) || !mb_back_nodes_make(b) || !mb_back_beside_make(b)) return false;
  for (size_t i = 0; i < b->nkept; i++)
    if (!take_list(b, &b->kept[i].q, sim->nq) || !take_list(b, &b->kept[i].v, sim->nv) ||
        !take_list(b, &b->kept[i].memory, sim->nm))
      return false;
  return true;
}
