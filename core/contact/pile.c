// Batches of a pile's contacts, and the sweeps over them: see pile.h.
#include "core/contact/pile.h"
#include "core/base/alloc.h"
#include "core/base/threads.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 32, SUMS = 3 }; // batches of a thread; kinds of sums

// ---- room -------------------------------------------------------------------------------------------------

// Room for as many bodies and contacts as the pile has; without a block of memory it only counts.
static size_t lay(MbPile *p, char *block) {
  MbRoom room = {.at = block};
  const size_t n = p->given.n, cells = mb_lane_cells(n), batches = mb_lane_batches(n);
  p->body = mb_room_take(&room, p->nbodies + 1, sizeof *p->body);
  p->inertia = mb_room_take(&room, p->nbodies + 1, sizeof *p->inertia);
  p->start = mb_room_take(&room, p->nbodies + 1, sizeof *p->start);
  p->base = mb_room_take(&room, p->nbodies + 1, sizeof *p->base);
  p->anew = mb_room_take(&room, p->nbodies + 1, sizeof *p->anew);
  p->batch = mb_room_take(&room, batches, sizeof *p->batch);
  p->near = mb_room_take(&room, batches, sizeof *p->near);
  p->block = mb_room_take(&room, MB_LANES_WIDE * (cells + MB_PILE_AHEAD), sizeof *p->block);
  p->head = mb_room_take(&room, MB_LANES_WIDE * MB_PILE_HEAD * batches, sizeof *p->head);
  p->told = mb_room_take(&room, n, sizeof *p->told);
  p->hot = mb_room_take(&room, MB_LANES_WIDE * MB_PILE_HOT * cells, sizeof *p->hot);
  p->rough = mb_room_take(&room, MB_LANES_WIDE * MB_PILE_ROUGH * cells, sizeof *p->rough);
  p->best = mb_room_take(&room, MB_LANES_WIDE * MB_PILE_BEST * cells, sizeof *p->best);
  p->cold = mb_room_take(&room, MB_LANES_WIDE * MB_PILE_COLD * cells, sizeof *p->cold);
  p->part =
      mb_room_take(&room, MB_LANES_WIDE * (MB_PILE_RUN * batches + MB_PILE_PART * cells), sizeof *p->part);
  p->sum = mb_room_take(&room, SUMS * MB_LANES_WIDE * batches, sizeof *p->sum);
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

bool mb_pile_same_patch(const double *x, const double *y) {
  return x[MB_PILE_MU] == y[MB_PILE_MU] && !memcmp(x + MB_PILE_NORMAL, y + MB_PILE_NORMAL, 3 * sizeof *x);
}

static void add_batch(MbPile *p, const uint32_t *order, size_t count) {
  const MbLaneRuns *r = &p->runs;
  MbPileBatch *batch = &p->batch[p->nbatches++];
  *batch = (MbPileBatch){.cell = (uint32_t)p->ncells, .depth = r->depth[order[0]]};
  p->ncells += batch->depth;
  for (size_t i = 0; i < MB_LANES_WIDE; i++) {
    const bool is = i < count;
    for (uint32_t k = 0; k < batch->depth; k++) {
      const size_t lane = MB_LANES_WIDE * (batch->cell + k) + i;
      p->block[lane] = is && k < r->depth[order[i]] ? r->run[order[i]] + k : UINT32_MAX;
    }
    for (int end = 0; end < 2; end++)
      batch->body[end][i] = is ? p->given.body[r->run[order[i]]][end] : (uint32_t)p->nbodies;
  }
}

static uint32_t first_of(const MbPile *p, size_t batch) {
  return p->block[MB_LANES_WIDE * (size_t)p->batch[batch].cell];
}

// Batches by the first contact of each, in so many parts that what is near one another stays so.
static void sort_near(MbPile *p) {
  enum { PARTS = 256 };
  uint32_t start[PARTS + 1] = {0};
  for (size_t i = 0; i < p->nbatches; i++) start[first_of(p, i) * (size_t)PARTS / p->given.n + 1]++;
  for (size_t k = 0; k < PARTS; k++) start[k + 1] += start[k];
  for (size_t i = 0; i < p->nbatches; i++)
    p->near[start[first_of(p, i) * (size_t)PARTS / p->given.n]++] = (uint32_t)i;
}

bool mb_pile_make(MbPile *p, const MbPileContacts *contacts, size_t nbodies, bool *is) {
  p->passes = p->passes ? p->passes : mb_pile_passes();
  p->given = *contacts, p->nbodies = nbodies;
  if (!reserve(p)) return false;
  *is = mb_lane_runs_find(&p->runs, contacts->body, contacts->patch, contacts->n);
  p->nbatches = p->ncells = p->ncolours = 0;
  for (size_t i = 0, some; i < p->runs.count && *is; i += some) {
    const uint32_t *order = p->runs.order + i;
    if (!i || p->runs.colour[order[0]] != p->runs.colour[order[-1]])
      p->begin[p->ncolours++] = (uint32_t)p->nbatches;
    some = mb_lane_runs_some(&p->runs, i);
    add_batch(p, order, some);
  }
  p->begin[p->ncolours] = (uint32_t)p->nbatches;
  memset(p->block + MB_LANES_WIDE * p->ncells, 0xff, MB_LANES_WIDE * MB_PILE_AHEAD * sizeof *p->block);
  sort_near(p);
  memset(&p->body[nbodies], 0, sizeof *p->body);
  memset(&p->inertia[nbodies], 0, sizeof *p->inertia);
  memset(&p->start[nbodies], 0, sizeof *p->start);
  for (int k = 0; k < 3; k++) p->start[nbodies].R[4 * k] = 1;
  return true;
}

// ---- passes -----------------------------------------------------------------------------------------------

typedef struct Range {
  const MbPile *pile;
  void (*pass)(const MbPile *pile, size_t batch);
  size_t from;
  const uint32_t *order; // NULL: as they are
} Range;

static void pass_range(void *context, size_t begin, size_t end) {
  const Range *range = context;
  for (size_t k = begin; k < end; k++)
    range->pass(range->pile, range->order ? range->order[k] : range->from + k);
}

// Over all batches at once: what they write is their own.
static void all(const MbPile *p, void (*pass)(const MbPile *pile, size_t batch)) {
  Range range = {p, pass, 0, NULL};
  mb_parallel_ranges(p->threads, p->nbatches, GRAIN, pass_range, &range);
}

// The same, of batches that were given near one another one behind the other: for what reads what was given or writes in its order.
static void all_near(const MbPile *p, void (*pass)(const MbPile *pile, size_t batch)) {
  Range range = {p, pass, 0, p->near};
  mb_parallel_ranges(p->threads, p->nbatches, GRAIN, pass_range, &range);
}

// Over the batches of one colour after the other.
static void by_colours(const MbPile *p, void (*pass)(const MbPile *pile, size_t batch)) {
  for (size_t c = 0; c < p->ncolours; c++) {
    Range range = {p, pass, p->begin[c], NULL};
    mb_parallel_ranges(p->threads, p->begin[c + 1] - p->begin[c], GRAIN, pass_range, &range);
  }
}

// Of each lane first, so that sums do not wait for one another.
static double total(const MbPile *p, size_t which) {
  const double *sums = p->sum + MB_LANES_WIDE * p->nbatches * which;
  double lane[MB_LANES_WIDE] = {0}, sum = 0;
  for (size_t k = 0; k < p->nbatches; k++)
    for (size_t i = 0; i < MB_LANES_WIDE; i++) lane[i] += sums[MB_LANES_WIDE * k + i];
  for (size_t i = 0; i < MB_LANES_WIDE; i++) sum += lane[i];
  return sum;
}

static double greatest(const MbPile *p, size_t which) {
  const double *sums = p->sum + MB_LANES_WIDE * p->nbatches * which;
  double most = 0;
  for (size_t k = 0; k < MB_LANES_WIDE * p->nbatches; k++)
    if (sums[k] > most) most = sums[k];
  return most;
}

void mb_pile_take(MbPile *p, const MbPileAsking *asking, int threads) {
  p->asking = *asking;
  p->threads = threads > 1 ? threads : 1;
  memcpy(p->base, p->body, (p->nbodies + 1) * sizeof *p->base);
  all_near(p, p->passes->take);
  by_colours(p, p->passes->push);
  p->norm = sqrt(total(p, 0)), p->size = sqrt(total(p, 1));
  p->rebounds = greatest(p, 2) > 0;
}

// ---- a solution -------------------------------------------------------------------------------------------

// Velocities made anew from λ as it is, so that rounding does not add up.
static void push_anew(MbPile *p) {
  memcpy(p->body, p->base, (p->nbodies + 1) * sizeof *p->body);
  by_colours(p, p->passes->push);
}

// The natural map of λ as it is, of which bodies have the velocities. Before the first sweep nobody asks what is told.
static double look(MbPile *p, bool tells) {
  if (tells)
    all_near(p, p->passes->look);
  else
    all(p, p->passes->glance);
  return sqrt(total(p, 0));
}

// Returns by how much velocities have changed. Behind the last one velocities are made anew.
static double sweep(MbPile *p, bool last) {
  if (!last) {
    by_colours(p, p->passes->sweep);
    return sqrt(total(p, 0));
  }
  MbPileBody *const was = p->body;
  memcpy(p->anew, p->base, (p->nbodies + 1) * sizeof *p->anew);
  by_colours(p, p->passes->last);
  p->body = p->anew, p->anew = was;
  return sqrt(total(p, 0));
}

typedef enum Way { KEEP, BACK } Way;

// λ that was taken is not kept, but taken again.
static void carry(MbPile *p, Way way, bool first) {
  if (first && way == BACK) all(p, p->passes->again);
  if (first) return;
  for (size_t k = 0; k < p->ncells; k++) {
    double *now = p->hot + MB_LANES_WIDE * (MB_PILE_HOT * k + MB_PILE_NOW),
           *best = p->best + MB_LANES_WIDE * MB_PILE_BEST * k;
    memcpy(way == KEEP ? best : now, way == KEEP ? now : best, MB_PILE_BEST * MB_LANES_WIDE * sizeof *now);
  }
}

// As gauss_seidel.c has it.
size_t mb_pile_solve(MbPile *p, double share, size_t most) {
  const double enough = fmax(share * p->size, 1e-15 * p->norm);
  double look_at = 4 * enough, best = INFINITY, natural = INFINITY;
  size_t done = 0, since = 0, best_at = 0;
  for (;; done++) {
    const double moved = done ? sweep(p, done >= most) : 0;
    since++;
    if (done && moved > look_at && since < 50 && done < most) continue;
    if (done && done < most) push_anew(p);
    natural = look(p, done > 0);
    const bool better = natural < best || natural <= enough;
    if (better) best = natural, best_at = done;
    if ((natural <= enough && (done || natural <= MB_SETTLED * enough)) || done >= most || !isfinite(natural))
      break;
    if (better) carry(p, KEEP, done == 0);
    look_at = fmin(look_at, 0.7 * moved);
    if (since >= 50 || !done) look_at = fmax(look_at, 4 * enough);
    since = 0;
  }
  if (natural != best && isfinite(best)) {
    carry(p, BACK, best_at == 0);
    push_anew(p);
    look(p, true);
  } else if (done == 0) {
    look(p, true);
  }
  p->natural = best;
  return done;
}

// ---- parting ----------------------------------------------------------------------------------------------

double mb_pile_move(MbPile *p) {
  by_colours(p, p->passes->move);
  return greatest(p, 0);
}

size_t mb_pile_part(MbPile *p, size_t most) {
  static const double LITTLE = 1e-3;      // of what the first sweep moves
  const double first = sqrt(total(p, 1)); // 0: how deep they were
  if (first <= 0) return 1;
  for (size_t done = 2; done <= most; done++) {
    by_colours(p, p->passes->part);
    const double moved = sqrt(total(p, 1));
    if (moved <= LITTLE * LITTLE * first) return done;
  }
  return most;
}

// The first contact of a lane that has been moved; UINT32_MAX: none.
static uint32_t first_moved(const MbPile *p, size_t batch, size_t lane) {
  const float *now = mb_pile_run(p, batch) + MB_LANES_WIDE * (MB_PILE_RUN + MB_PILE_ONE_NOW) + lane;
  const uint32_t *block = p->block + MB_LANES_WIDE * p->batch[batch].cell + lane;
  for (size_t k = 0; k < p->batch[batch].depth;
       k++, now += MB_LANES_WIDE * MB_PILE_PART, block += MB_LANES_WIDE)
    if (*block != UINT32_MAX && *now > 0) return *block;
  return UINT32_MAX;
}

void mb_pile_each_moved(const MbPile *p, void (*see)(void *context, size_t contact), void *context) {
  for (size_t i = 0; i < p->nbatches; i++)
    for (size_t lane = 0; lane < MB_LANES_WIDE; lane++) {
      const uint32_t contact = first_moved(p, i, lane);
      if (contact != UINT32_MAX) see(context, contact);
    }
}
