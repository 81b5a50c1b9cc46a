// The steps of nodes that a device moves: a row of core/solvers/projective/pd_mover.h a backend. Vectors stay there. What comes back in an
// iteration are the sums that decide how it goes on; at a step's start and end the places and velocities of all nodes go there and back.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/math/vec3.h"
#include "core/solvers/projective/pd_lbfgs.h"
#include "gpu/moved.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static MbMoved *of(const MbPdEngine *engine) { return engine->moved; }

// ---- making and freeing -----------------------------------------------------------------------------------

static void free_moved(MbPdEngine *engine) {
  MbMoved *moved = of(engine);
  if (!moved) return;
  mb_moved_near_free(moved);
  if (moved->gpu) moved->on->give(moved->gpu, moved->memory);
  if (moved->gpu) moved->on->close(moved->gpu);
  mb_moved_loads_free(moved);
  mb_moved_ports_free(moved);
  mb_moved_touch_free(moved);
  mb_moved_away_free(moved);
  mb_moved_levels_free(moved->levels);
  mb_free(moved->block);
  mb_free(moved->carry);
  mb_free(moved->target);
  mb_free(moved);
  engine->moved = NULL;
}

static bool list_blocks(MbMoved *moved, MbPdEngine *engine) {
  moved->nblocks = engine->nblocks;
  moved->block = mb_calloc(engine->nblocks, sizeof *moved->block);
  for (size_t k = 0; moved->block && k < engine->nblocks; k++) {
    const MbPdBlock *block = &engine->block[k];
    const size_t carried = 3 * block->rank * block->gradient.stride;
    moved->block[k] = (MbMovedBlock){.of = block, .at = moved->elements};
    moved->block[k].dual =
        engine->method == MB_METHOD_PROJECTIVE && block->rank > 1 && mb_local_has_dual(&block->elastic);
    moved->elements += block->count;
    if (moved->block[k].dual && carried > moved->ncarry) moved->ncarry = carried;
  }
  if (!mb_moved_loads_list(moved, engine) || !mb_moved_ports_list(moved, engine) ||
      !mb_moved_inverse_list(moved, engine) || !mb_moved_touch_list(moved, engine) ||
      !mb_moved_near_list(moved, engine) || !mb_moved_away_list(moved, engine))
    return false;
  moved->energies =
      moved->elements + engine->form.n + engine->form.rest.count + mb_moved_loads_energies(moved);
  moved->carry = mb_calloc(moved->ncarry, sizeof *moved->carry);
  for (size_t i = 0; i < engine->n; i++) moved->nheld += engine->placed[i] != 0;
  moved->target = mb_calloc(moved->nheld, 3 * sizeof *moved->target);
  return moved->block && moved->carry && moved->target;
}

MbStatus mb_moved_take(MbMoved *moved, size_t bytes, char **memory, MbReport *report) {
  static const double MB = 1048576;
  const char *name = moved->on->device(moved->gpu);
  const size_t room = moved->on->room(moved->gpu), taken = moved->memory ? moved->bytes : 0;
  if (bytes <= room) *memory = moved->on->take(moved->gpu, bytes);
  const char *fault = moved->on->fault(moved->gpu);
  if (fault) return mb_error(report, MB_DEVICE, "/solver/device", "device %s: %s", moved->on->name, fault);
  if (*memory) return MB_OK;
  return mb_error(report, MB_DEVICE, "/solver/device",
                  "device %s: %s has %.1f MB of memory left, and the scene takes %.1f MB there",
                  moved->on->name, name, (double)(room + taken) / MB, (double)(bytes + taken) / MB);
}

static MbStatus take_memory(MbMoved *moved, MbPdEngine *engine, MbReport *report) {
  moved->bytes = mb_moved_lay_out(moved, engine, NULL);
  const MbStatus status = mb_moved_take(moved, moved->bytes, &moved->memory, report);
  if (status != MB_OK) return status;
  (void)mb_moved_lay_out(moved, engine, moved->memory);
  if (!mb_moved_fill(moved, engine)) return mb_no_memory(report, "a device's copies");
  mb_moved_away_ready(moved);
  return MB_OK;
}

// The kernels know elements of as many nodes as they have sides and one more, and springs without a cross-section: what has more to it is not
// computed as if it had not.
static bool knows_all(const MbPdEngine *engine) {
  for (size_t k = 0; k < engine->nblocks; k++) {
    const MbPdBlock *block = &engine->block[k];
    if (block->corners != block->rank + 1 || (block->rank != 2 && block->thickness != 1)) return false;
  }
  for (size_t i = 0; i < engine->nloaded; i++) {
    size_t corners = 0;
    if (mb_pd_fibred(&engine->loaded[i], &corners) && corners > MB_LOAD_CORNERS) return false;
  }
  return !engine->still && !engine->form.nbends;
}

static MbStatus unknown(const MbBackend *on, MbReport *report) {
  return mb_error(report, MB_DEVICE, "/solver/device",
                  "device %s: it has kernels for tetrahedra of four nodes, triangles and springs alone, "
                  "without damping of bending, and for steps that begin where motion leads",
                  on->name);
}

static MbStatus make_on(MbPdEngine *engine, const MbBackend *backend, MbReport *report) {
  const MbBackend *on = mb_backend_for(backend);
  char why[256] = "";
  MbMoved *moved = engine->moved = mb_calloc(1, sizeof *moved);
  if (!moved) return mb_no_memory(report, "deformables");
  moved->on = on;
  if (!list_blocks(moved, engine)) return mb_no_memory(report, "deformables");
  moved->gpu = on->open(sizeof why, why);
  if (!moved->gpu) return mb_error(report, MB_DEVICE, "/solver/device", "device %s: %s", on->name, why);
  if (!knows_all(engine)) return unknown(on, report);
  return take_memory(moved, engine, report);
}

static MbStatus make_by_cuda(MbPdEngine *engine, MbReport *report) {
  const MbBackend *cuda = mb_cuda_backend();
  if (cuda) return make_on(engine, cuda, report);
  return mb_error(report, MB_DEVICE, "/solver/device", "device cuda: this mbsim was built without CUDA");
}
static MbStatus make_by_loops(MbPdEngine *engine, MbReport *report) {
  return make_on(engine, &mb_loops_backend, report);
}

// No step is taken of what this makes.
static MbStatus make_none(MbPdEngine *engine, MbReport *report) {
  MbMoved *moved = engine->moved = mb_calloc(1, sizeof *moved);
  if (!moved || !list_blocks(moved, engine)) return mb_no_memory(report, "deformables");
  if (!knows_all(engine)) return unknown(&mb_loops_backend, report);
  moved->bytes = mb_moved_lay_out(moved, engine, NULL);
  return MB_OK;
}

size_t mb_moved_bytes(const MbPdEngine *engine) { return of(engine)->bytes; }

static size_t bytes(const MbPdEngine *engine) {
  const MbMoved *moved = of(engine);
  return sizeof *moved + moved->nblocks * sizeof *moved->block +
         (moved->ncarry + 3 * moved->nheld) * sizeof *moved->carry + mb_moved_loads_bytes(moved) +
         mb_moved_ports_bytes(engine) + mb_moved_touch_bytes(moved) + mb_moved_away_bytes(moved) +
         mb_moved_near_here(moved, engine->n) + mb_moved_levels_bytes(moved->levels);
}

static const char *fault(const MbPdEngine *engine) {
  MbMoved *moved = of(engine);
  const char *what = moved->on->fault(moved->gpu);
  if (!what) return NULL;
  snprintf(moved->fault, sizeof moved->fault, "device %s: %s: %s", moved->on->name,
           moved->on->device(moved->gpu), what);
  return moved->fault;
}

// ---- launches ---------------------------------------------------------------------------------------------

static void nodes(const MbMoved *moved, MbKernel kernel, size_t n) {
  moved->on->run(moved->gpu, kernel, n, &moved->nodes);
}

// One kernel for elements that are springs, and one for the others, at places x; then what corners get goes to f.
typedef enum Collecting { KEPT, COLLECTED } Collecting;

static void elements(MbMoved *moved, const MbMovedBlock *block, MbKernel kernel, double *x,
                     Collecting collecting) {
  const size_t first = 3 * block->of->first;
  MbElementArgs args = block->args;
  args.x = x + first, args.f = moved->nodes.f + first;
  moved->on->run(moved->gpu, kernel, block->of->count, &args);
  if (collecting == COLLECTED) moved->on->run(moved->gpu, MB_RUN_mb_node_collect, args.gradient.nodes, &args);
}

// Bending at places x, by the kernel that has them.
static void bending(MbMoved *moved, const MbPdEngine *engine, MbKernel kernel, const double *x) {
  MbCurvedArgs args = moved->curved;
  args.x = x;
  nodes(moved, kernel, engine->form.n);
  moved->on->run(moved->gpu, MB_RUN_mb_curved_pull, moved->ncurved, &args);
  if (moved->ncurved) moved->on->run(moved->gpu, MB_RUN_mb_curved_collect, engine->n, &args);
}

void mb_moved_add_job(MbMoved *moved, const double *x, const double *y, size_t n, bool most) {
  MbSumArgs *sums = &moved->sums;
  sums->job[sums->jobs++] = (MbSumJob){x, y, n, sums->chunks, most};
  sums->chunks += (uint32_t)((n + MB_SUM_CHUNK - 1) / MB_SUM_CHUNK);
}

const double *mb_moved_sums(MbMoved *moved) {
  MbSumArgs *sums = &moved->sums;
  moved->on->run(moved->gpu, MB_RUN_mb_sum_chunk, sums->chunks, sums);
  moved->on->run(moved->gpu, MB_RUN_mb_sum_job, sums->jobs, sums);
  moved->on->get(moved->gpu, moved->result, sums->result, sums->jobs * sizeof *sums->result);
  for (size_t k = 0; k < MB_SUM_JOBS && moved->on->fault(moved->gpu); k++) moved->result[k] = NAN;
  sums->jobs = sums->chunks = 0;
  return moved->result;
}

// ---- a step -----------------------------------------------------------------------------------------------

static void look_ahead(MbPdEngine *engine) {
  MbMoved *moved = of(engine);
  const MbNodeStart *start = engine->start;
  if (start->q) mb_moved_put_start(moved, engine->n, start->q, start->v);
  mb_moved_put_targets(moved, engine);
  mb_vec3_copy(moved->nodes.gravity, start->gravity);
  nodes(moved, MB_RUN_mb_node_ahead, engine->n);
}

static void begin(MbPdEngine *engine) {
  MbMoved *moved = of(engine);
  for (size_t k = 0; k < moved->nblocks; k++)
    if (moved->block[k].of->rank == 1 || mb_pd_damped(moved->block[k].of)) {
      MbElementArgs args = moved->block[k].args;
      args.x = moved->nodes.q0 + 3 * moved->block[k].of->first;
      moved->on->run(moved->gpu, MB_RUN_mb_element_before, moved->block[k].of->count, &args);
    }
  mb_moved_loads_begin(moved, engine);
}

static double advance(MbPdEngine *engine) {
  MbMoved *moved = of(engine);
  const MbNodeArgs *a = &moved->nodes;
  if (!engine->nfree) return 0;
  nodes(moved, MB_RUN_mb_free_advance, engine->nfree);
  mb_moved_add_job(moved, a->most, NULL, engine->nfree, true);
  mb_moved_add_job(moved, a->along, NULL, engine->nfree, false);
  const double *sum = mb_moved_sums(moved);
  return sum[0] / engine->size + sum[1];
}

static bool inside_out(MbPdEngine *engine, bool start) {
  MbMoved *moved = of(engine);
  double most = 0;
  for (size_t k = 0; k < moved->nblocks; k++) {
    const MbMovedBlock *block = &moved->block[k];
    if (block->of->rank != 3) continue;
    MbElementArgs args = block->args;
    args.x = (start ? moved->nodes.q0 : moved->nodes.q) + 3 * block->of->first;
    moved->on->run(moved->gpu, MB_RUN_mb_element_turned, block->of->count, &args);
    mb_moved_add_job(moved, args.energy, NULL, block->of->count, true);
    most = fmax(most, mb_moved_sums(moved)[0]);
  }
  return most > 0;
}

static bool lead(MbPdEngine *engine) {
  MbMoved *moved = of(engine);
  const MbNodeArgs *a = &moved->nodes;
  if (!engine->nfree) return true;
  nodes(moved, MB_RUN_mb_node_jump, engine->n);
  mb_moved_add_job(moved, a->apart, NULL, engine->n, true);
  const double jump = mb_moved_sums(moved)[0];
  if (!(jump > 0)) return !isnan(jump);
  nodes(moved, MB_RUN_mb_node_clear, 3 * engine->n);
  for (size_t k = 0; k < moved->nblocks; k++)
    elements(moved, &moved->block[k], MB_RUN_mb_element_pull, a->q1, COLLECTED);
  mb_moved_add_job(moved, moved->energy, NULL, moved->elements, true);
  const double largest = mb_moved_sums(moved)[0];
  if (!(sqrt(largest) > MB_PD_LITTLE)) return !isnan(largest);
  nodes(moved, MB_RUN_mb_node_form, engine->form.n);
  nodes(moved, MB_RUN_mb_free_pull, engine->nfree);
  mb_moved_solve(moved, moved->nodes.r);
  return isfinite(advance(engine));
}

static bool end(MbPdEngine *engine, double *q1, double *v1) {
  MbMoved *moved = of(engine);
  const double h = engine->h;
  const double *q0 = engine->start->q;
  for (size_t c = 0; c < 3 * engine->n; c++) v1[c] = q0[c]; // q1 may be where it stands
  moved->on->get(moved->gpu, q1, moved->nodes.q, 3 * engine->n * sizeof *q1);
  for (size_t c = 0; c < 3 * engine->n; c++) v1[c] = (q1[c] - v1[c]) / h;
  return !moved->on->fault(moved->gpu);
}

// ---- local-global iterations ------------------------------------------------------------------------------

static void dual_begin(MbPdEngine *engine, const double *q) {
  MbMoved *moved = of(engine);
  double *x = q ? moved->nodes.q1 : moved->nodes.q;
  if (q) mb_moved_put(moved, x, q, 3 * engine->n * sizeof *q);
  for (size_t k = 0; k < moved->nblocks; k++)
    if (moved->block[k].dual) elements(moved, &moved->block[k], MB_RUN_mb_element_dual, x, KEPT);
}

// Components one after the other, without what pads them.
static void dual_read(const MbPdEngine *engine, double *dual) {
  const MbMoved *moved = of(engine);
  for (size_t k = 0; k < moved->nblocks; k++) {
    const MbMovedBlock *block = &moved->block[k];
    const size_t stride = block->of->gradient.stride, width = 3 * block->of->rank, count = block->of->count;
    if (!block->dual) continue;
    moved->on->get(moved->gpu, moved->carry, block->args.u, width * stride * sizeof *dual);
    for (size_t c = 0; c < width; c++, dual += count)
      memcpy(dual, moved->carry + c * stride, count * sizeof *dual);
  }
}

static void dual_write(MbPdEngine *engine, const double *dual) {
  MbMoved *moved = of(engine);
  for (size_t k = 0; k < moved->nblocks; k++) {
    const MbMovedBlock *block = &moved->block[k];
    const size_t stride = block->of->gradient.stride, width = 3 * block->of->rank, count = block->of->count;
    if (!block->dual) continue;
    memset(moved->carry, 0, width * stride * sizeof *dual);
    for (size_t c = 0; c < width; c++, dual += count)
      memcpy(moved->carry + c * stride, dual, count * sizeof *dual);
    mb_moved_put(moved, block->args.u, moved->carry, width * stride * sizeof *dual);
  }
}

static void local_global(MbPdEngine *engine) {
  MbMoved *moved = of(engine);
  double *q = moved->nodes.q;
  nodes(moved, MB_RUN_mb_node_clear, 3 * engine->n);
  for (size_t k = 0; k < moved->nblocks; k++) {
    const MbMovedBlock *block = &moved->block[k];
    const bool spring = block->of->rank == 1;
    elements(moved, block, spring ? MB_RUN_mb_element_spring_local : MB_RUN_mb_element_local, q, COLLECTED);
    if (mb_pd_damped(block->of)) elements(moved, block, MB_RUN_mb_element_damp, q, COLLECTED);
  }
  bending(moved, engine, MB_RUN_mb_node_form_local, q);
  mb_moved_loads_act(moved, engine, q);
  if (!engine->nfree) return;
  nodes(moved, MB_RUN_mb_free_left, engine->nfree);
  mb_moved_solve(moved, moved->nodes.r);
}

static double product(MbMoved *moved, size_t nfree) {
  if (!nfree) return 0;
  mb_moved_add_job(moved, moved->nodes.r, moved->nodes.b, 3 * nfree, false);
  return mb_moved_sums(moved)[0];
}
static double worth(const MbPdEngine *engine) { return product(of(engine), engine->nfree) / 2; }

// ---- quasi-Newton steps -----------------------------------------------------------------------------------

// E and −∂E/∂q at q1.
static double evaluate(MbPdEngine *engine, double *along) {
  MbMoved *moved = of(engine);
  const MbNodeArgs *a = &moved->nodes;
  nodes(moved, MB_RUN_mb_node_clear, 3 * engine->n);
  for (size_t k = 0; k < moved->nblocks; k++) {
    const MbMovedBlock *block = &moved->block[k];
    const bool spring = block->of->rank == 1;
    elements(moved, block, spring ? MB_RUN_mb_element_spring : MB_RUN_mb_element_stress, a->q1, COLLECTED);
    if (mb_pd_damped(block->of)) elements(moved, block, MB_RUN_mb_element_damp, a->q1, COLLECTED);
  }
  bending(moved, engine, MB_RUN_mb_node_form, a->q1);
  mb_moved_loads_act(moved, engine, a->q1);
  nodes(moved, MB_RUN_mb_free_slope, engine->nfree);
  mb_moved_add_job(moved, moved->energy, NULL, moved->energies, false);
  mb_moved_add_job(moved, a->energy, NULL, engine->nfree, false);
  mb_moved_add_job(moved, a->along, NULL, engine->nfree, false);
  mb_moved_add_job(moved, a->most, NULL, engine->nfree, true);
  const double *sum = mb_moved_sums(moved);
  *along = sum[2], moved->most = sum[3];
  return sum[0] + sum[1];
}

static void swap(double **a, double **b) {
  double *const was = *a;
  *a = *b, *b = was;
}

// b ← b1, of nodes and of what is beside them.
static void go_on(MbPdEngine *engine) {
  swap(&of(engine)->nodes.b, &of(engine)->nodes.b1);
  swap(&engine->lbfgs->b, &engine->lbfgs->b1);
}

static double look(MbPdEngine *engine) {
  double along;
  nodes(of(engine), MB_RUN_mb_node_copy, 3 * engine->n);
  const double energy = evaluate(engine, &along);
  go_on(engine);
  return energy;
}

static void solve(MbPdEngine *engine) {
  of(engine)->knows_down = false;
  nodes(of(engine), MB_RUN_mb_free_begin, 3 * engine->nfree);
  mb_moved_solve(of(engine), of(engine)->nodes.r);
}

// Products of b with s and z of all pairs; of the new one too, and behind them those of y with its own, where `pair` says so. Returns d · b.
static double products(MbMoved *moved, const MbPairs *pairs, size_t n, bool pair, double c[MB_PAIR_SUMS]) {
  const MbNodeArgs *a = &moved->nodes;
  size_t at[MB_PAIR_SUMS], count = 0;
  for (size_t k = 0; k < MB_PAIRS; k++) {
    if (!mb_pairs_has(pairs, k) && !(pair && k == pairs->next)) continue;
    mb_moved_add_job(moved, a->b, a->s[k], n, false), at[count++] = 2 * k;
    mb_moved_add_job(moved, a->b, a->zs[k], n, false), at[count++] = 2 * k + 1;
  }
  if (pair) {
    mb_moved_add_job(moved, a->y, a->s[pairs->next], n, false), at[count++] = MB_PAIR_WEIGHTS;
    mb_moved_add_job(moved, a->y, a->zs[pairs->next], n, false), at[count++] = MB_PAIR_WEIGHTS + 1;
  }
  memset(c, 0, MB_PAIR_SUMS * sizeof *c);
  mb_moved_add_job(moved, a->r, a->b, n, false);
  const double *sum = mb_moved_sums(moved);
  for (size_t k = 0; k < count; k++) c[at[k]] = sum[k];
  return sum[count];
}

// The same of the velocities beside the nodes, which are the processor's: takes note of the pair and of d, and adds products to the sums.
static void products_beside(MbPdEngine *engine, bool pair, double sum[MB_PAIR_SUMS]) {
  MbPdLbfgs *lbfgs = engine->lbfgs;
  const MbPairs *pairs = &lbfgs->pairs;
  for (size_t i = 0; i < engine->beside; i++) {
    const double y = lbfgs->b1[i] - lbfgs->b[i];
    if (pair) {
      pairs->z[pairs->next][i] = lbfgs->z[i] - engine->r[i];
      sum[MB_PAIR_WEIGHTS] += y * pairs->s[pairs->next][i];
      sum[MB_PAIR_WEIGHTS + 1] += y * pairs->z[pairs->next][i];
    }
    lbfgs->z[i] = engine->r[i];
  }
  for (size_t k = 0; k < MB_PAIRS; k++) {
    if (!mb_pairs_has(pairs, k) && !(pair && k == pairs->next)) continue;
    for (size_t i = 0; i < engine->beside; i++) {
      sum[2 * k] += lbfgs->b[i] * pairs->s[k][i];
      sum[2 * k + 1] += lbfgs->b[i] * pairs->z[k][i];
    }
  }
}

static void add_pairs(MbPdEngine *engine, const double *w) {
  memcpy(of(engine)->nodes.weight, w, sizeof of(engine)->nodes.weight);
  nodes(of(engine), MB_RUN_mb_pair_bend, 3 * engine->nfree);
}
static void bend_by(MbPdEngine *engine, const double *w) {
  of(engine)->knows_down = false;
  add_pairs(engine, w);
}

static void bend(MbPdEngine *engine, bool pair) {
  MbMoved *moved = of(engine);
  MbPairs *pairs = mb_pd_lbfgs_pairs(engine);
  const size_t newest = pairs->next;
  double sums[MB_PAIR_SUMS], w[MB_PAIR_WEIGHTS], *c = engine->lbfgs->c;
  _Static_assert((int)MB_PAIR_SUMS <= (int)MB_SUM_JOBS && (int)MB_GPU_PAIRS == (int)MB_PAIRS, "room");
  moved->nodes.next = (uint32_t)pairs->next;
  nodes(moved, pair ? MB_RUN_mb_pair_change : MB_RUN_mb_pair_note, 3 * engine->nfree);
  // d · b of d = r + U w is r · b + w · Uᵀ b, and both are among the products
  moved->down = products(moved, pairs, 3 * engine->nfree, pair, sums);
  moved->knows_down = !engine->beside;
  products_beside(engine, pair, sums);
  if (!pair)
    memcpy(c, sums, MB_PAIR_WEIGHTS * sizeof *c), mb_pairs_see(pairs, c);
  else if (mb_pairs_note(pairs, sums, c))
    mb_moved_tell_pair(engine, newest);
  if (!pairs->count) return;
  mb_pairs_weigh(pairs, c, w);
  for (size_t k = 0; k < MB_PAIR_WEIGHTS; k++) moved->down += w[k] * c[k];
  mb_pairs_add(pairs, w, 0, engine->beside, 1, engine->r);
  add_pairs(engine, w);
}

static double down(MbPdEngine *engine) {
  const MbMoved *moved = of(engine);
  if (moved->knows_down) return moved->down;
  double sum = product(of(engine), engine->nfree);
  for (size_t i = 0; i < engine->beside; i++) sum += engine->r[i] * engine->lbfgs->b[i];
  return sum;
}

static double attempt(MbPdEngine *engine, double t, double *along, double *most) {
  MbMoved *moved = of(engine);
  const MbPairs *pairs = mb_pd_lbfgs_pairs(engine);
  for (size_t i = 0; i < engine->beside; i++) pairs->s[pairs->next][i] = t * engine->r[i];
  moved->nodes.t = t, moved->nodes.next = (uint32_t)pairs->next;
  nodes(moved, MB_RUN_mb_free_move, engine->nfree);
  const double energy = evaluate(engine, along);
  *most = moved->most;
  return energy;
}

static void accept(MbPdEngine *engine) {
  MbNodeArgs *a = &of(engine)->nodes;
  go_on(engine);
  swap(&a->q, &a->q1);
}

#define ROW(making)                                                                                          \
  {                                                                                                          \
    .make = making, .free = free_moved, .bytes = bytes, .fault = fault, .look_ahead = look_ahead,            \
    .begin = begin, .lead = lead, .advance = advance, .inside_out = inside_out, .end = end,                  \
    .stays = mb_moved_stays, .stay = mb_moved_stay, .go_on = mb_moved_go_on, .undo = mb_moved_undo,          \
    .leave = mb_moved_leave, .arrive = mb_moved_arrive, .dual_begin = dual_begin, .dual_read = dual_read,    \
    .dual_write = dual_write, .local_global = local_global, .worth = worth, .look = look, .solve = solve,    \
    .bend = bend, .down = down, .attempt = attempt, .accept = accept, .find = mb_moved_find,                 \
    .answer = mb_moved_answer, .read = mb_moved_read, .pull = mb_moved_pull, .push = mb_moved_push,          \
    .rest = mb_moved_rest, .bend_by = bend_by, .respond = mb_moved_respond, .contacts = mb_moved_contacts,   \
    .finds = mb_moved_finds                                                                                  \
  }
const MbPdMover mb_moved_by_cuda = ROW(make_by_cuda), mb_moved_by_loops = ROW(make_by_loops),
                mb_moved_by_none = {.make = make_none, .free = free_moved, .bytes = bytes};
