// Batches of a pile's contacts, and the sweeps over them: see pile.h.
#include "core/contact/pile.h"
#include "core/base/alloc.h"
#include "core/base/threads.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 32, SUMS = 4 * MB_LANES_WIDE }; // batches of a thread; numbers of a batch's sums

// ---- room -------------------------------------------------------------------------------------------------

// Room for as many bodies and contacts as the pile has; without a block of memory it only counts.
static size_t lay(MbPile *p, char *block) {
  MbRoom room = {.at = block};
  const size_t n = p->given.n, cells = mb_lane_cells(n), batches = mb_lane_batches(n);
  p->body = mb_room_take(&room, p->nbodies + 1, sizeof *p->body);
  p->inertia = mb_room_take(&room, p->nbodies + 1, sizeof *p->inertia);
  p->place = mb_room_take(&room, p->nbodies + 1, sizeof *p->place);
  p->base = mb_room_take(&room, 8 * p->nbodies, sizeof *p->base);
  p->batch = mb_room_take(&room, batches, sizeof *p->batch);
  p->block = mb_room_take(&room, MB_LANES_WIDE * cells, sizeof *p->block);
  p->head = mb_room_take(&room, MB_LANES_WIDE * MB_PILE_HEAD * batches, sizeof *p->head);
  p->hot = mb_room_take(&room, MB_LANES_WIDE * MB_PILE_HOT * cells, sizeof *p->hot);
  p->cold = mb_room_take(&room, MB_LANES_WIDE * MB_PILE_COLD * cells, sizeof *p->cold);
  p->part = mb_room_take(&room, MB_LANES_WIDE * MB_PILE_PART * cells, sizeof *p->part);
  p->sum = mb_room_take(&room, SUMS * batches, sizeof *p->sum);
  p->patch = mb_room_take(&room, n, sizeof *p->patch);
  mb_lane_runs_lay(&p->runs, &room, n, p->nbodies);
  return room.used;
}

static bool reserve(MbPile *p) {
  enum { LINE = 64 };
  if (!mb_grow(&p->memory, &p->room, lay(p, NULL) + LINE, 1)) return false;
  lay(p, p->memory + (LINE - (uintptr_t)p->memory % LINE) % LINE);
  return true;
}

size_t mb_pile_bytes(const MbPile *p) { return p->room; }

void mb_pile_free(MbPile *p) {
  mb_free(p->memory);
  *p = (MbPile){0};
}

// ---- batches ----------------------------------------------------------------------------------------------

static bool same_patch(const double *x, const double *y) {
  return x[MB_PILE_MU] == y[MB_PILE_MU] && !memcmp(x + MB_PILE_NORMAL, y + MB_PILE_NORMAL, 3 * sizeof *x);
}

static void add_batch(MbPile *p, const uint32_t *order, size_t count) {
  const MbLaneRuns *r = &p->runs;
  MbPileBatch *batch = &p->batch[p->nbatches++];
  *batch = (MbPileBatch){.cell = (uint32_t)p->ncells, .depth = r->depth[order[0]]};
  p->ncells += batch->depth;
  for (size_t i = 0; i < MB_LANES_WIDE; i++) {
    const bool is = i < count;
    for (uint32_t k = 0; k < batch->depth; k++)
      p->block[MB_LANES_WIDE * (batch->cell + k) + i] =
          is && k < r->depth[order[i]] ? r->run[order[i]] + k : UINT32_MAX;
    for (int end = 0; end < 2; end++)
      batch->body[end][i] = is ? p->given.body[r->run[order[i]]][end] : (uint32_t)p->nbodies;
  }
}

bool mb_pile_make(MbPile *p, const MbPileContacts *contacts, size_t nbodies, bool *is) {
  const double *number = contacts->number;
  p->passes = p->passes ? p->passes : mb_pile_passes();
  p->given = *contacts, p->nbodies = nbodies;
  if (!reserve(p)) return false;
  for (size_t i = 0; i < contacts->n; i++, number += contacts->stride)
    p->patch[i] = i ? p->patch[i - 1] + !same_patch(number, number - contacts->stride) : 0;
  *is = mb_lane_runs_find(&p->runs, contacts->body, p->patch, contacts->n);
  p->nbatches = p->ncells = p->ncolours = 0;
  for (size_t i = 0, some; i < p->runs.count && *is; i += some) {
    const uint32_t *order = p->runs.order + i;
    if (!i || p->runs.colour[order[0]] != p->runs.colour[order[-1]])
      p->begin[p->ncolours++] = (uint32_t)p->nbatches;
    some = mb_lane_runs_some(&p->runs, i);
    add_batch(p, order, some);
  }
  p->begin[p->ncolours] = (uint32_t)p->nbatches;
  memset(&p->body[nbodies], 0, sizeof *p->body);
  memset(&p->inertia[nbodies], 0, sizeof *p->inertia);
  memset(&p->place[nbodies], 0, sizeof *p->place);
  for (int k = 0; k < 3; k++) p->place[nbodies].R[4 * k] = 1;
  return true;
}

// ---- passes -----------------------------------------------------------------------------------------------

typedef struct Range {
  const MbPile *pile;
  void (*pass)(const MbPile *pile, size_t batch);
  size_t from;
} Range;

static void pass_range(void *context, size_t begin, size_t end) {
  const Range *range = context;
  for (size_t k = begin; k < end; k++) range->pass(range->pile, range->from + k);
}

// Over all batches at once: what they write is their own.
static void all(const MbPile *p, void (*pass)(const MbPile *pile, size_t batch)) {
  Range range = {p, pass, 0};
  mb_parallel_ranges(p->threads, p->nbatches, GRAIN, pass_range, &range);
}

// Over the batches of one colour after the other.
static void by_colours(const MbPile *p, void (*pass)(const MbPile *pile, size_t batch)) {
  for (size_t c = 0; c < p->ncolours; c++) {
    Range range = {p, pass, p->begin[c]};
    mb_parallel_ranges(p->threads, p->begin[c + 1] - p->begin[c], GRAIN, pass_range, &range);
  }
}

// Of each lane first, so that sums do not wait for one another.
static double total(const MbPile *p, size_t which) {
  double lane[MB_LANES_WIDE] = {0}, sum = 0;
  for (size_t k = 0; k < p->nbatches; k++)
    for (size_t i = 0; i < MB_LANES_WIDE; i++) lane[i] += p->sum[SUMS * k + MB_LANES_WIDE * which + i];
  for (size_t i = 0; i < MB_LANES_WIDE; i++) sum += lane[i];
  return sum;
}

static double greatest(const MbPile *p, size_t which) {
  double most = 0;
  for (size_t k = 0; k < p->nbatches; k++)
    for (size_t i = 0; i < MB_LANES_WIDE; i++)
      most = fmax(most, p->sum[SUMS * k + MB_LANES_WIDE * which + i]);
  return most;
}

void mb_pile_take(MbPile *p, const MbPileAsking *asking, int threads) {
  p->asking = *asking;
  p->threads = threads > 1 ? threads : 1;
  for (size_t b = 0; b < p->nbodies; b++) memcpy(p->base + 8 * b, &p->body[b], sizeof *p->body);
  all(p, p->passes->take);
  p->norm = sqrt(total(p, 0)), p->size = sqrt(total(p, 1));
  p->rebounds = greatest(p, 2) > 0;
}

// ---- a solution -------------------------------------------------------------------------------------------

// The natural map of λ as it is, velocities made anew from it, so that rounding does not add up.
static double look(MbPile *p) {
  for (size_t b = 0; b < p->nbodies; b++) memcpy(&p->body[b], p->base + 8 * b, sizeof *p->body);
  by_colours(p, p->passes->push);
  all(p, p->passes->look);
  return sqrt(total(p, 0));
}

typedef enum Way { KEEP, BACK } Way;

static void carry(MbPile *p, Way way) {
  for (size_t k = 0; k < p->ncells; k++) {
    double *now = p->hot + MB_LANES_WIDE * (MB_PILE_HOT * k + MB_PILE_NOW),
           *best = p->cold + MB_LANES_WIDE * (MB_PILE_COLD * k + MB_PILE_BEST);
    memcpy(way == KEEP ? best : now, way == KEEP ? now : best, 3 * MB_LANES_WIDE * sizeof *now);
  }
}

// As gauss_seidel.c has it.
size_t mb_pile_solve(MbPile *p, double share, size_t most) {
  const double enough = fmax(share * p->size, 1e-15 * p->norm);
  double look_at = 4 * enough, best = INFINITY, natural = INFINITY;
  size_t done = 0, since = 0;
  for (;; done++) {
    double moved = 0;
    if (done) {
      by_colours(p, p->passes->sweep);
      moved = sqrt(total(p, 0));
    }
    since++;
    if (done && moved > look_at && since < 50 && done < most) continue;
    natural = look(p);
    const bool better = natural < best || natural <= enough;
    if (better) best = natural;
    if ((natural <= enough && (done || natural <= MB_SETTLED * enough)) || done >= most || !isfinite(natural))
      break;
    if (better) carry(p, KEEP);
    look_at = fmin(look_at, 0.7 * moved);
    if (since >= 50 || !done) look_at = fmax(look_at, 4 * enough);
    since = 0;
  }
  if (natural != best && isfinite(best)) {
    carry(p, BACK);
    look(p);
  }
  p->natural = best;
  return done;
}

void mb_pile_tell(const MbPile *p, MbPileTold *told) {
  for (size_t k = 0; k < MB_LANES_WIDE * p->ncells; k++) {
    const uint32_t j = p->block[k];
    if (j == UINT32_MAX) continue;
    const size_t cell = k / MB_LANES_WIDE, lane = k % MB_LANES_WIDE;
    const double *hot = p->hot + MB_LANES_WIDE * MB_PILE_HOT * cell + lane,
                 *cold = p->cold + MB_LANES_WIDE * MB_PILE_COLD * cell + lane;
    for (size_t r = 0; r < 3; r++) {
      told[j].lambda[r] = hot[MB_LANES_WIDE * (MB_PILE_NOW + r)];
      told[j].before[r] = cold[MB_LANES_WIDE * (MB_PILE_BEFORE + r)];
      told[j].after[r] = cold[MB_LANES_WIDE * (MB_PILE_RATE + r)];
    }
  }
}

// ---- parting ----------------------------------------------------------------------------------------------

double mb_pile_move(MbPile *p) {
  all(p, p->passes->move);
  return greatest(p, 0);
}

size_t mb_pile_part(MbPile *p, size_t most) {
  static const double LITTLE = 1e-3; // of what the first sweep moves
  double first = 0;
  for (size_t done = 1; done <= most; done++) {
    by_colours(p, p->passes->part);
    const double moved = sqrt(total(p, 1)); // 0: how deep they were
    if (done == 1) first = moved;
    if (moved <= LITTLE * LITTLE * first) return done;
  }
  return most;
}
