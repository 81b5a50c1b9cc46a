// Gauss–Seidel over blocks (AR 0.15, 0.16): each block in its turn is solved exactly, the others being as they are,
//   u = (row of W) λ + b,   q = u − D λ_c,   λ_c ← the solution of D λ + q.
// Of many blocks those of one colour share no number of W, so that threads may solve them at once: the colours, and with them every
// bit, follow from W alone. Of few blocks the order is that of the rows, and of W = F Fᵀ: there y = Fᵀ λ is kept, a block reads its
// two slots of y and adds to them, which costs the same however many blocks it has to do with.
//
// Of deformables, whose contacts are coupled all with all, sweeps overshoot: contacts beside one another all take what one of them would, and λ goes back and
// forth. So they may go a part of the way (PART), by which fewer are needed whether things slip or stick, and every third one is followed by an average of the last
// sweeps (math/averages.h), which takes out what still goes back and forth, or round, or slowly. Where a sweep changes far more than the one before, averages begin anew.
//
// A sweep tells by what it changes, |D Δλ|, when it is worth to look at the natural map, which costs as much as a sweep.
#include "core/contact/contact_parts.h"
#include "core/contact/gauss_seidel.h"
#include "core/base/threads.h"

#include <math.h>
#include <string.h>

enum { COLOURED = 512, GRAIN = 64, SWEEPS = 10000 };

void mb_gauss_make(MbGaussSeidel *sweeps, MbRoom *room, const MbStrips *strips, int threads) {
  const MbStrips *s = &sweeps->strips;
  sweeps->strips = *strips;
  sweeps->lambda = mb_room_take(room, s->n, sizeof *sweeps->lambda);
  sweeps->w = mb_room_take(room, s->n, sizeof *sweeps->w);
  sweeps->best = mb_room_take(room, s->n, sizeof *sweeps->best);
  sweeps->moved = mb_room_take(room, s->nblocks, sizeof *sweeps->moved);
  sweeps->order = mb_room_take(room, s->nblocks, sizeof *sweeps->order);
  sweeps->colour = mb_room_take(room, s->n, sizeof *sweeps->colour);
  sweeps->begin = mb_room_take(room, s->nblocks + 1, sizeof *sweeps->begin);
  sweeps->used = mb_room_take(room, s->nblocks + 1, sizeof *sweeps->used);
  sweeps->threads = threads;
  sweeps->hastens = false;
  mb_lanes_make(&sweeps->lanes, room, strips);
  if (room->at) mb_gauss_order(sweeps);
}

void mb_gauss_hasten(MbGaussSeidel *sweeps, MbRoom *room) {
  static const double PART = 0.7;
  const size_t n = sweeps->strips.n;
  if (!sweeps->strips.points) return;
  sweeps->hastens = true, sweeps->strips.part = PART, sweeps->last = INFINITY;
  sweeps->before = mb_room_take(room, n, sizeof *sweeps->before);
  sweeps->change = mb_room_take(room, n, sizeof *sweeps->change);
  double *const own = mb_room_take(room, mb_averages_room(n), sizeof *own);
  if (room->at) mb_averages_begin(&sweeps->averages, n, own);
}

// Each block in turn takes the first colour that none of the blocks before it which it touches has.
void mb_gauss_order(MbGaussSeidel *sweeps) {
  const MbStrips *s = &sweeps->strips;
  sweeps->ncolours = 0;
  if (s->nblocks < COLOURED || s->F || s->points) {
    for (size_t j = 0; j < s->nblocks; j++) sweeps->order[j] = (uint32_t)j;
    return;
  }
  // colour and used are per row and per colour, + 1
  memset(sweeps->colour, 0, s->n * sizeof *sweeps->colour);
  memset(sweeps->used, 0, (s->nblocks + 1) * sizeof *sweeps->used);
  memset(sweeps->begin, 0, (s->nblocks + 1) * sizeof *sweeps->begin);
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    for (size_t k = s->first[j]; k < s->first[j + 1]; k++)
      sweeps->used[sweeps->colour[s->column[k]]] = (uint32_t)j + 1;
    uint32_t colour = 1;
    while (sweeps->used[colour] == (uint32_t)j + 1) colour++;
    for (size_t r = 0; r < block->rows; r++) sweeps->colour[block->row + r] = colour;
    if (colour > sweeps->ncolours) sweeps->ncolours = colour;
    sweeps->begin[colour]++;
  }
  for (size_t c = 1; c <= sweeps->ncolours; c++) sweeps->begin[c] += sweeps->begin[c - 1];
  for (size_t j = s->nblocks; j-- > 0;)
    sweeps->order[--sweeps->begin[sweeps->colour[s->block[j].row]]] = (uint32_t)j;
  // begin[c] is where colour c begins now; the last ends at nblocks
  for (size_t c = 1; c <= sweeps->ncolours; c++) sweeps->begin[c - 1] = sweeps->begin[c];
  sweeps->begin[sweeps->ncolours] = (uint32_t)s->nblocks;
}

static void relax_range(void *context, size_t begin, size_t end) {
  MbGaussSeidel *sweeps = context;
  for (size_t k = begin; k < end; k++) {
    const size_t j = sweeps->order[sweeps->from + k];
    sweeps->moved[j] = mb_strip_relax(&sweeps->strips, j, sweeps->lambda);
  }
}

double mb_gauss_sweep(MbGaussSeidel *sweeps) {
  const MbStrips *s = &sweeps->strips;
  double sum = 0;
  if (sweeps->lanes.is) return mb_lanes_sweep(&sweeps->lanes, sweeps->threads);
  if (!sweeps->ncolours) return sqrt(mb_strips_sweep(s, sweeps->lambda));
  for (size_t c = 0; c < sweeps->ncolours; c++) {
    sweeps->from = sweeps->begin[c];
    mb_parallel_ranges(sweeps->threads > 1 ? sweeps->threads : 1, sweeps->begin[c + 1] - sweeps->from, GRAIN,
                       relax_range, sweeps);
  }
  for (size_t j = 0; j < s->nblocks; j++) sum += sweeps->moved[j] * sweeps->moved[j];
  return sqrt(sum);
}

// The natural map of λ as it is, anew, so that rounding does not add up.
static double look(MbGaussSeidel *sweeps) {
  if (sweeps->lanes.is) return mb_lanes_natural(&sweeps->lanes);
  mb_strips_rates(&sweeps->strips, sweeps->lambda, sweeps->w);
  return mb_strips_natural(&sweeps->strips, sweeps->lambda, sweeps->w);
}

static void keep(MbGaussSeidel *sweeps) {
  if (sweeps->lanes.is)
    mb_lanes_lambda(&sweeps->lanes, sweeps->best);
  else
    memcpy(sweeps->best, sweeps->lambda, sweeps->strips.n * sizeof *sweeps->best);
}

// λ ← the best; `last`: it is what was looked at last.
static void take_best(MbGaussSeidel *sweeps, bool last) {
  const MbStrips *s = &sweeps->strips;
  memcpy(sweeps->lambda, sweeps->best, s->n * sizeof *sweeps->best);
  if (!last)
    mb_strips_rates(s, sweeps->lambda, sweeps->w);
  else if (sweeps->lanes.is)
    mb_lanes_rates(&sweeps->lanes, sweeps->w); // else w is there
}

// One sweep, of which an average with those before goes on where `averages`. Tells by how much the sweep has changed velocities.
static double hastened_sweep(MbGaussSeidel *sweeps, bool averages) {
  static const double FAR = 2;
  const MbStrips *s = &sweeps->strips;
  memcpy(sweeps->before, sweeps->lambda, s->n * sizeof *sweeps->before);
  const double moved = mb_gauss_sweep(sweeps);
  if (moved > FAR * sweeps->last) mb_averages_forget(&sweeps->averages);
  sweeps->last = moved;
  for (size_t i = 0; i < s->n; i++) sweeps->change[i] = sweeps->lambda[i] - sweeps->before[i];
  mb_averages_note(&sweeps->averages, sweeps->before, sweeps->change);
  if (!averages) return moved;
  mb_averages_next(&sweeps->averages, sweeps->before, sweeps->change);
  for (size_t j = 0; j < s->nblocks; j++) mb_block_clamp(&s->block[j], sweeps->before + s->block[j].row);
  memcpy(sweeps->lambda, sweeps->before, s->n * sizeof *sweeps->lambda);
  mb_strips_begin(s, sweeps->lambda);
  return moved;
}

// The sweep of this number.
static double sweep(MbGaussSeidel *sweeps, size_t number) {
  enum { AVERAGED = 3 };
  return sweeps->hastens ? hastened_sweep(sweeps, number % AVERAGED == 0) : mb_gauss_sweep(sweeps);
}

bool mb_gauss_run(MbGaussSeidel *sweeps, size_t most, size_t *done) {
  const MbStrips *s = &sweeps->strips;
  double look_at = 4 * s->enough, best = INFINITY, natural = INFINITY;
  size_t since = 0;
  bool last = false; // the best is what was looked at last
  if (sweeps->lanes.is) mb_lanes_begin(&sweeps->lanes, sweeps->lambda);
  for (*done = 0;; ++*done) {
    // natural map at the start, where little moves, now and then, and at the end
    const double moved = *done ? sweep(sweeps, *done) : 0;
    since++;
    if (*done && moved > look_at && since < 50 && *done < most) continue;
    natural = look(sweeps);
    last = natural < best || natural <= s->enough;
    if (last) {
      best = natural;
      keep(sweeps);
    }
    const bool stays = *done || !s->betters || natural <= MB_SETTLED * s->enough;
    if ((natural <= s->enough && stays) || *done >= most || !isfinite(natural)) break;
    look_at = fmin(look_at, 0.7 * moved);
    if (since >= 50 || !*done) look_at = fmax(look_at, 4 * s->enough);
    since = 0;
  }
  take_best(sweeps, last);
  sweeps->natural = best;
  return best <= s->enough;
}

// ---- the method -------------------------------------------------------------------------------------------

static size_t room_of(const MbContactProblem *problem) {
  MbRoom room = {0};
  MbStrips strips;
  MbGaussSeidel sweeps;
  mb_strips_make(&strips, &room, problem, MB_UNFORMED);
  mb_gauss_make(&sweeps, &room, &strips, 1);
  return room.used;
}

static MbContactResult solve(MbContactWork *work, const MbContactProblem *problem, MbContactAnswer *answer) {
  MbRoom room = {.at = work->block};
  MbStrips strips;
  MbGaussSeidel sweeps;
  const size_t most = problem->iterations ? problem->iterations : SWEEPS;
  mb_strips_make(&strips, &room, problem, MB_UNFORMED);
  mb_gauss_make(&sweeps, &room, &strips, problem->threads);
  mb_strips_start(&sweeps.strips, problem, sweeps.lambda);
  mb_gauss_run(&sweeps, most, &answer->iterations);
  return mb_contact_tell_known(&sweeps.strips, sweeps.lambda, sweeps.w, sweeps.natural, "gauss_seidel",
                               "sweeps", answer);
}

const MbContactMethod mb_contact_gauss_seidel = {
    .name = "gauss_seidel",
    .exact = "rows of every kind and every cone",
    .rows = MB_CONTACT_ALL_ROWS,
    .cones = MB_CONTACT_ALL_CONES,
    .room = room_of,
    .solve = solve,
};
