// Making the engine, and a step of it.
#include "core/solvers/projective/pd_slopes.h"
#include "core/solvers/projective/pd_engine.h"
#include "core/solvers/projective/pd_ports.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/report.h"
#include "core/math/vec3.h"

#include <stdio.h>
#include <string.h>

// ---- making and freeing -----------------------------------------------------------------------------------

static size_t count_blocks(const MbPdSpec *spec) {
  size_t n = 0;
  for (size_t i = 0; i < spec->nparts; i++) {
    const MbElementMesh *mesh = spec->parts[i].mesh;
    n += (mesh->tets ? 1u : 0) + (mesh->triangles ? 1u : 0) + (mesh->edges ? 1u : 0);
  }
  return n;
}

static bool allocate(MbPdEngine *engine, const MbPdSpec *spec) {
  const size_t n = spec->nodes;
  engine->n = n, engine->beside = spec->beside;
  engine->method = spec->method;
  engine->mover = spec->mover ? spec->mover : &mb_pd_processor;
  engine->elsewhere = spec->mover != NULL;
  engine->number = mb_calloc(n, sizeof *engine->number);
  engine->node = mb_calloc(n, sizeof *engine->node);
  engine->placed = mb_calloc(n, sizeof *engine->placed);
  engine->mass = mb_calloc(n, sizeof *engine->mass);
  engine->drifts = mb_calloc(spec->nparts, sizeof *engine->drifts);
  engine->inertia = mb_calloc(n, sizeof *engine->inertia);
  engine->ahead = mb_calloc(n, 3 * sizeof *engine->ahead);
  engine->q = mb_calloc(n, 3 * sizeof *engine->q);
  engine->f = mb_calloc(n, 3 * sizeof *engine->f);
  engine->r = mb_calloc(3 * n + spec->beside, sizeof *engine->r);
  engine->b = mb_calloc(n, 3 * sizeof *engine->b);
  engine->history = mb_calloc((size_t)spec->iterations, sizeof *engine->history);
  engine->block = mb_calloc(count_blocks(spec), sizeof *engine->block);
  return engine->number && engine->node && engine->placed && engine->mass && engine->inertia &&
         engine->ahead && engine->q && engine->drifts && engine->f && engine->r && engine->b &&
         engine->history && engine->block;
}

static void number_nodes(MbPdEngine *engine, const MbPdSpec *spec) {
  memcpy(engine->placed, spec->placed, engine->n * sizeof *engine->placed);
  memcpy(engine->mass, spec->mass, engine->n * sizeof *engine->mass);
  for (size_t i = 0; i < engine->n; i++) {
    engine->inertia[i] = spec->mass[i] + spec->h * spec->drag;
    engine->number[i] = MB_NONE;
    if (engine->placed[i] == 7) continue;
    engine->number[i] = (uint32_t)engine->nfree;
    engine->node[engine->nfree++] = (uint32_t)i;
  }
}

// The diagonal of the box that all parts at rest are in, the largest one's.
static double size_of(const MbPdSpec *spec) {
  double size = 0;
  for (size_t k = 0; k < spec->nparts; k++) {
    const MbElementMesh *mesh = spec->parts[k].mesh;
    double squared = 0;
    for (size_t axis = 0; axis < 3; axis++) {
      double low = INFINITY, high = -INFINITY;
      for (size_t i = 0; i < mesh->nodes; i++) {
        low = fmin(low, mesh->x[3 * i + axis]);
        high = fmax(high, mesh->x[3 * i + axis]);
      }
      squared += mesh->nodes ? (high - low) * (high - low) : 0;
    }
    size = fmax(size, sqrt(squared));
  }
  return size > 0 ? size : 1;
}

// Parts are the scene's deformables, in its order.
static MbStatus flat_at_rest(size_t part, size_t element, MbReport *report) {
  char where[64];
  snprintf(where, sizeof where, "/deformables/%zu/mesh", part);
  return mb_error(report, MB_SCENE, where, "element %zu has no extent at rest", element);
}

static MbStatus make_blocks(MbPdEngine *engine, const MbPdSpec *spec, MbReport *report) {
  for (size_t i = 0; i < spec->nparts; i++) {
    const MbPdPart *part = &spec->parts[i];
    const size_t counts[] = {0, part->mesh->edges, part->mesh->triangles, part->mesh->tets};
    for (int rank = 3; rank >= 1; rank--) {
      size_t flat = SIZE_MAX;
      if (!counts[rank]) continue;
      if (mb_pd_block_make(part, i, rank, spec->h, &engine->block[engine->nblocks], &flat))
        engine->nblocks++;
      else if (flat == SIZE_MAX)
        return mb_no_memory(report, "deformables");
      else
        return flat_at_rest(i, flat, report);
    }
  }
  return MB_OK;
}

static MbStatus make(MbPdEngine *engine, const MbPdSpec *spec, MbReport *report) {
  if (!allocate(engine, spec)) return mb_no_memory(report, "deformables");
  engine->h = engine->span = spec->h, engine->drag = spec->drag, engine->still = spec->still;
  engine->iterations = spec->iterations, engine->threads = spec->threads;
  engine->clock = spec->clock ? spec->clock : mb_clock;
  engine->watch = spec->watch, engine->context = spec->context;
  engine->tolerance = spec->tolerance, engine->share = spec->share, engine->size = size_of(spec),
  engine->nparts = spec->nparts;
  number_nodes(engine, spec);
  const MbStatus status = make_blocks(engine, spec, report);
  if (status != MB_OK) return status;
  if (!mb_pd_form_make(engine, spec)) return mb_no_memory(report, "bending");
  if (!mb_pd_loads_make(engine, spec)) return mb_no_memory(report, "deformables");
  const MbStatus made = !engine->nfree                     ? MB_OK
                        : spec->method == MB_METHOD_NEWTON ? mb_pd_newton_make(engine, spec, report)
                                                           : mb_pd_global_make(engine, spec, report);
  if (made != MB_OK) return made;
  if (!mb_pd_lbfgs_make(engine)) return mb_no_memory(report, "deformables");
  if (spec->ncables && !(engine->cables = mb_pd_cables_make(spec))) return mb_no_memory(report, "cables");
  // the processor has ports when a node is named first; others take room for their columns here
  if (spec->nports || (engine->elsewhere && spec->names)) {
    engine->ports =
        mb_pd_ports_make(engine, spec->nports, spec->port, spec->names || !engine->elsewhere, spec->columns);
    if (!engine->ports) return mb_no_memory(report, "deformables");
    engine->ports->touches = spec->touches;
  }
  const MbStatus moved = engine->elsewhere ? engine->mover->make(engine, report) : MB_OK;
  if (moved != MB_OK || !engine->ports || !engine->mover->find) return moved;
  return mb_pd_name(engine, 0, NULL) ? MB_OK : mb_no_memory(report, "deformables");
}

MbStatus mb_pd_create(const MbPdSpec *spec, MbPdEngine **out, MbReport *report) {
  *out = NULL;
  MbPdEngine *engine = mb_calloc(1, sizeof *engine);
  if (!engine) return mb_no_memory(report, "deformables");
  const MbStatus status = make(engine, spec, report);
  if (status == MB_OK)
    *out = engine;
  else
    mb_pd_free(engine);
  return status;
}

void mb_pd_free(MbPdEngine *engine) {
  if (!engine) return;
  if (engine->moved) engine->mover->free(engine);
  for (size_t k = 0; k < engine->nblocks; k++) mb_pd_block_free(&engine->block[k]);
  mb_free(engine->block);
  mb_pd_form_free(&engine->form);
  mb_pd_loads_free(engine);
  mb_pd_ports_free(engine->ports, engine->nfree);
  mb_pd_global_free(&engine->global);
  mb_pd_newton_free(engine->newton);
  mb_pd_lbfgs_free(engine->lbfgs);
  mb_pd_cables_free(engine->cables);
  mb_pd_slopes_free(engine);
  mb_free(engine->number);
  mb_free(engine->node);
  mb_free(engine->placed);
  mb_free(engine->drifts);
  mb_free(engine->mass);
  mb_free(engine->inertia);
  mb_free(engine->ahead);
  mb_free(engine->q);
  mb_free(engine->f);
  mb_free(engine->r);
  mb_free(engine->b);
  mb_free(engine->history);
  mb_free(engine);
}

size_t mb_pd_bytes(const MbPdEngine *engine) {
  size_t bytes = sizeof *engine + engine->n * (17 * sizeof(double) + 2 * sizeof(uint32_t) + 1) +
                 ((size_t)engine->iterations + engine->beside) * sizeof(double) +
                 mb_pd_global_bytes(&engine->global) + mb_pd_newton_bytes(engine->newton) +
                 mb_pd_lbfgs_bytes(engine) + mb_pd_cables_bytes(engine->cables) + mb_pd_ports_bytes(engine) +
                 mb_pd_form_bytes(&engine->form) + mb_pd_loads_bytes(engine) + mb_pd_slopes_bytes(engine);
  if (engine->moved) bytes += engine->mover->bytes(engine);
  for (size_t k = 0; k < engine->nblocks; k++)
    bytes += sizeof engine->block[k] + mb_pd_block_bytes(&engine->block[k]);
  return bytes;
}

// ---- the dual ---------------------------------------------------------------------------------------------

void mb_pd_dual_begin(MbPdEngine *engine, const double *q) {
  engine->mover->dual_begin(engine, q);
  engine->begun = true;
}
void mb_pd_dual_read(const MbPdEngine *engine, double *dual) { engine->mover->dual_read(engine, dual); }
void mb_pd_dual_write(MbPdEngine *engine, const double *dual) {
  engine->mover->dual_write(engine, dual);
  engine->begun = true;
}

// ---- a step -----------------------------------------------------------------------------------------------

// Whether Newton's iterations are at work, not quasi-Newton steps in their place.
static bool by_newton(const MbPdEngine *engine) { return engine->newton && !engine->downhill; }

// Of the correction Δ the part ½ Δᵀ A Δ, which is half of Δ along what A was solved for. Where the step is softer than A corrections
// are shorter than what is left to go, and so are parts: they are asked to be smaller by as much as makes up for it.
static bool near_enough(MbPdEngine *engine) {
  static const double SOFT = 0.25;
  return mb_pd_way_goes(&engine->way, fmax(engine->mover->worth(engine), 0), SOFT * engine->share);
}

// Iterations that are to begin anew do not end where elements are inside out. A fixed number of iterations promises no minimum: these go on
// as they are.
static void look_inside_out(MbPdEngine *engine, bool start) {
  const bool to_an_end = engine->newton || engine->tolerance > 0 || engine->share > 0;
  if (engine->method == MB_METHOD_LBFGS || engine->anew || !to_an_end) return;
  engine->inside_out = engine->inside_out || engine->mover->inside_out(engine, start);
  if (engine->inside_out) engine->stats.converged = engine->stuck = false;
}

static bool end_local_global(MbPdEngine *engine) {
  MbNodeStats *stats = &engine->stats;
  const bool enough = near_enough(engine);
  stats->residual = engine->history[stats->iterations++] = engine->mover->advance(engine);
  if (!isfinite(stats->residual)) return false;
  const bool near = enough && stats->residual <= MB_PD_SHORT;
  const bool still = engine->tolerance > 0 ? stats->residual <= engine->tolerance : engine->share > 0;
  stats->converged = stats->residual <= 0 || (still && (near || !(engine->share > 0)));
  look_inside_out(engine, false);
  if (stats->iterations == 1 || stats->residual < engine->least)
    engine->least = stats->residual, engine->least_at = stats->iterations;
  if (engine->watch) engine->watch(engine->context, engine->q);
  return true;
}

bool mb_pd_goes_on(const MbPdEngine *engine) {
  return engine->stats.iterations < engine->iterations && !engine->stats.converged && !engine->stuck;
}

// Where elements are crushed or turned so far that their energy curves down more than the constant weights curve up, the local step
// jumps between two minima and the iterations go round for ever: their corrections get no smaller.
static bool goes_round(const MbPdEngine *engine) {
  static const int PATIENCE = 30;
  static const double FLOOR = 1e-9; // below which rounding may be what is left
  return engine->lbfgs && !engine->global.near && engine->least > FLOOR &&
         engine->stats.iterations - engine->least_at >= PATIENCE;
}

static void descend(MbPdEngine *engine) {
  engine->downhill = true, engine->made = false;
  engine->way = (MbPdWay){0};
  if (engine->nfree) mb_pd_lbfgs_begin(engine);
}

// A step that begins with elements inside out, or has an iterate with such, has more than one minimum as a rule, and which of
// them iterations end in is a matter of their way: long corrections lead to others than short ones. The one that is meant is where quasi-Newton
// steps lead from the first guess, whose every iterate has less energy and whose corrections are never longer than the constant matrix and what
// it has learnt allow. So every method begins such a step anew with these: local-global iterations leave it to them, and Newton's end it when
// they are near.
static bool strays(const MbPdEngine *engine) { return engine->inside_out && !engine->anew; }

static void begin_anew(MbPdEngine *engine) {
  engine->anew = true;
  engine->mover->look_ahead(engine);
  descend(engine);
}

double mb_pd_moves(const MbPdEngine *engine) {
  const MbNodeStats *stats = &engine->stats;
  if (engine->newton || stats->iterations + 1 >= engine->iterations) return 0;
  return stats->iterations > 0 ? stats->residual * engine->size / engine->h : INFINITY;
}

// Newton's iterations go on from where quasi-Newton steps are near.
static bool near_for_newton(const MbPdEngine *engine) {
  static const double NEAR = 1e-7; // of the size, and as far as the way tells
  return engine->made && engine->stats.iterations > 0 && engine->stats.residual <= NEAR;
}

void mb_pd_take_inertia(MbPdEngine *engine, double times) {
  for (size_t i = 0; i < engine->n; i++) engine->inertia[i] = times * engine->mass[i];
  engine->span = engine->h / sqrt(times);
}

// Where the nodes are another's, places of those that are listed come here.
const double *mb_pd_iterate(const MbPdEngine *engine) {
  const MbPdPorts *ports = engine->ports;
  if (!engine->elsewhere || !ports) return engine->q;
  engine->mover->read(engine, 0, ports->place);
  for (size_t k = 0; k < ports->count; k++)
    mb_vec3_copy(engine->q + 3 * (size_t)ports->node[k], ports->place + 3 * k);
  return engine->q;
}
bool mb_pd_whole(const MbPdEngine *engine) { return engine->whole; }

bool mb_pd_pass(MbPdEngine *engine) {
  // such a step is begun anew, and goes down by quasi-Newton steps; the dual is the stress at its end
  if (!engine->downhill && (strays(engine) || (!engine->newton && goes_round(engine)))) {
    begin_anew(engine);
    if (engine->newton && !mb_pd_newton_factor_constant(engine)) return false;
  }
  if (engine->newton && engine->downhill && near_for_newton(engine)) engine->downhill = false;
  engine->whole = !engine->newton && !engine->downhill;
  if (engine->whole) {
    engine->mover->local_global(engine);
    return true;
  }
  if (!engine->made && !engine->mover->lead(engine)) return false;
  engine->whole = !engine->made && mb_pd_listed(engine);
  if (engine->whole) {
    engine->mover->rest(engine);
    return true;
  }
  engine->made = true;
  return by_newton(engine) ? mb_pd_newton_look(engine) : mb_pd_lbfgs_look(engine);
}

static double *what_acts(MbPdEngine *engine) {
  return by_newton(engine) ? mb_pd_newton_down(engine) : mb_pd_lbfgs_down(engine);
}

MbPdBeside mb_pd_beside(MbPdEngine *engine) {
  const size_t first = mb_pd_first_beside(engine);
  return (MbPdBeside){what_acts(engine) + first, engine->r + first};
}

void mb_pd_pull_ports(MbPdEngine *engine, const double *p) {
  if (mb_pd_listed(engine)) engine->mover->pull(engine, what_acts(engine), p);
}

void mb_pd_solve(MbPdEngine *engine) {
  if (!by_newton(engine)) {
    mb_pd_lbfgs_solve(engine);
    return;
  }
  memcpy(engine->r, mb_pd_newton_down(engine), 3 * engine->nfree * sizeof *engine->r);
  mb_pd_newton_solve(engine->newton, engine->r);
  mb_pd_unheld(engine, false, engine->r);
}

void mb_pd_bend(MbPdEngine *engine) {
  if (!by_newton(engine)) mb_pd_lbfgs_bend(engine);
}

const MbPairs *mb_pd_pairs_of(const MbPdEngine *engine) {
  return engine->downhill && !engine->whole ? mb_pd_lbfgs_pairs(engine) : NULL;
}

size_t mb_pd_beside_at(const MbPdEngine *engine) { return mb_pd_first_beside(engine); }

void mb_pd_push_weights(MbPdEngine *engine, const double *c) {
  if (!by_newton(engine)) mb_pd_lbfgs_push(engine, c);
}

const double *mb_pd_weights(const MbPdEngine *engine) { return mb_pd_lbfgs_weights(engine); }

bool mb_pd_end_pass(MbPdEngine *engine, const MbPdAlong *along, double *t) {
  *t = 1;
  if (engine->whole && !engine->newton && !engine->downhill) return end_local_global(engine);
  if (engine->whole) {
    engine->made = true;
    return isfinite(engine->mover->advance(engine));
  }
  if (!(by_newton(engine) ? mb_pd_newton_end(engine, along, t) : mb_pd_lbfgs_end(engine, along, t)))
    return false;
  if (!engine->newton) return true;
  // what quasi-Newton steps end is not yet Newton's end
  if (engine->downhill && engine->stats.converged) engine->downhill = engine->stats.converged = false;
  look_inside_out(engine, false);
  return true;
}

bool mb_pd_prepare(MbPdEngine *engine) {
  engine->downhill = false;
  return !engine->newton || mb_pd_newton_factor_constant(engine);
}

bool mb_pd_constant(const MbPdEngine *engine) { return !engine->newton; }

void mb_pd_begin(MbPdEngine *engine, const MbNodeStart *start) {
  engine->began = mb_clock();
  engine->start = start;
  engine->stats = (MbNodeStats){.converged = engine->nfree == 0};
  engine->way = (MbPdWay){0};
  engine->least = engine->least_at = 0;
  engine->downhill = engine->made = engine->stuck = engine->inside_out = engine->anew = false;
  engine->mover->look_ahead(engine);
  engine->mover->begin(engine);
  if (engine->method == MB_METHOD_LBFGS)
    descend(engine);
  else if (!engine->begun && engine->method == MB_METHOD_PROJECTIVE)
    mb_pd_dual_begin(engine, start->q);
  if (engine->nfree) look_inside_out(engine, true);
  if (engine->watch) engine->watch(engine->context, engine->q);
}

// What goes on from the step's end is found there, by whichever way it has come.
static void settle(MbPdEngine *engine) {
  if (engine->downhill && engine->method == MB_METHOD_PROJECTIVE) mb_pd_dual_begin(engine, NULL);
  engine->downhill = false;
}

bool mb_pd_end(MbPdEngine *engine, double *q1, double *v1) {
  settle(engine);
  const bool fine = engine->mover->end(engine, q1, v1);
  engine->stats.seconds = mb_clock() - engine->began;
  return fine;
}

// All of a step but its end, of nodes that nothing ties to bodies.
static bool iterate(MbPdEngine *engine, const MbNodeStart *start) {
  const MbPdAlong nothing = {0};
  double t;
  bool ok = true;
  mb_pd_begin(engine, start);
  while (ok && mb_pd_goes_on(engine)) {
    ok = mb_pd_pass(engine);
    if (ok && !engine->whole) mb_pd_solve(engine), mb_pd_bend(engine);
    ok = ok && mb_pd_end_pass(engine, &nothing, &t);
  }
  return ok;
}

bool mb_pd_step(MbPdEngine *engine, const MbNodeStart *start, double *q1, double *v1) {
  const bool ok = iterate(engine, start) && mb_pd_end(engine, q1, v1);
  engine->stats.seconds = mb_clock() - engine->began;
  return ok;
}

// ---- steps whose end stays away ------------------------------------------------------------------------------

MbAwayOffer mb_pd_stays(const MbPdEngine *engine) {
  return engine->mover->stays ? engine->mover->stays(engine) : MB_AWAY_NOTHING;
}

bool mb_pd_step_away(MbPdEngine *engine, const MbNodeStart *start, const double *least, bool *odd) {
  bool ok = iterate(engine, start);
  *odd = false;
  if (ok) settle(engine);
  ok = ok && engine->mover->stay(engine, least, odd);
  engine->stats.seconds = mb_clock() - engine->began;
  return ok;
}

void mb_pd_go_on(MbPdEngine *engine, bool all) { engine->mover->go_on(engine, all); }
void mb_pd_undo(MbPdEngine *engine) { engine->mover->undo(engine); }
void mb_pd_leave(MbPdEngine *engine) { engine->mover->leave(engine); }
bool mb_pd_arrive(MbPdEngine *engine, double *q, double *v, double *dual) {
  return engine->mover->arrive(engine, q, v, dual);
}

const char *mb_pd_fault(const MbPdEngine *engine) {
  return engine->mover->fault ? engine->mover->fault(engine) : NULL;
}

MbNodeStats mb_pd_stats(const MbPdEngine *engine) { return engine->stats; }
const double *mb_pd_history(const MbPdEngine *engine) { return engine->history; }
