// Deformables of elements in a run: their nodes' places and velocities, what the last step's solution was like, and the dual are
// sections of the state's memory. Bodies are moved first, by themselves: what carries nodes is driven, or stands still.
#include "core/sim/sim_soft.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/forces/forces.h"
#include "core/math/quat.h"
#include "core/sim/layout.h"
#include "core/solvers/projective/projective.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct MbSimSoft {
  MbSoftEngine *engine;
  MbArena arena;
  size_t n;             // nodes of all deformables
  double *q1, *v1;      // (n x 3) at the end of the step
  double *target;       // (n x 3) where held nodes go
  double *force, *most; // (cables)
  size_t ncables;
  const MbCable **cable; // (ncables)
  int iterations;        // of a step, at most
  double share;          // of its energy that may be left; 0: that is not asked
  MbSoftStats stats;
  MbSoftStart start; // of the step
  double *at_ports;  // (nports x 3) twice
};

static size_t count_nodes(const MbModel *model) {
  size_t n = 0;
  for (size_t i = 0; i < model->ndeformables; i++)
    n += model->deformables[i].points ? model->deformables[i].count : 0;
  return n;
}

static size_t count_cables(const MbModel *model) {
  size_t n = 0;
  for (size_t i = 0; i < model->ndeformables; i++)
    n += model->deformables[i].points ? model->deformables[i].elements->ncables : 0;
  return n;
}

static MbSoftPart part_of(const MbDeformable *of) {
  const MbElements *e = of->elements;
  return (MbSoftPart){.mesh = &e->mesh,
                      .first = of->first,
                      .elastic = mb_elastic_from(e->model, e->young, e->poisson, e->mesh.triangles > 0),
                      .thickness = e->thickness,
                      .bending = e->bending,
                      .bending_stiffness = e->bending_stiffness,
                      .stiffness = e->stiffness,
                      .damping = e->damping,
                      .by_strain = e->law == MB_LAW_STRAIN};
}

// Of the last step: iterations, the last one's correction, what is left by estimate; of all steps the most that was left,
// whether that has been told, and how many have not come to the energy that was wanted. Behind them each iteration's correction.
enum { ITERATIONS, RESIDUAL, LEFT, MOST_LEFT, TOLD, MISSED, NUMBERS };

// Iterations of a step at most: where the scene says nothing, the method's own number.
static int most_iterations(const MbModel *model) {
  static const int MOST = 200, NEWTON = 100;
  if (model->solver.iterations > 0) return model->solver.iterations;
  return model->solver.method == MB_METHOD_NEWTON ? NEWTON : MOST;
}

static MbMethod method_of(const MbModel *model) {
  if (model->solver.method != MB_METHOD_AUTO) return model->solver.method;
  return model->nports ? MB_METHOD_PROJECTIVE : MB_METHOD_LBFGS;
}

// Of what a step takes off its energy, what may be left; 0: that does not end iterations.
static double share_of(const MbModel *model) {
  static const double SHARE = 1e-3;
  const MbSolverSpec *solver = &model->solver;
  if (solver->method == MB_METHOD_NEWTON) return 0;
  if (!isnan(solver->energy_tolerance)) return solver->energy_tolerance;
  return solver->iterations > 0 || solver->tolerance > 0 ? 0 : SHARE;
}

size_t mb_sim_soft_history_size(const MbModel *model) {
  return count_nodes(model) ? (size_t)most_iterations(model) : 0;
}

void mb_sim_soft_sections(const MbModel *model, size_t size[MB_SECTIONS]) {
  const size_t n = count_nodes(model);
  if (!n) return;
  size[MB_SECTION_NODES] = 6 * n;
  size[MB_SECTION_SOLUTION] = NUMBERS + mb_sim_soft_history_size(model);
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbSoftPart part = part_of(&model->deformables[i]);
    size[MB_SECTION_DUAL] += mb_soft_dual_size(&part, method_of(model));
  }
}

const double *mb_sim_soft_places(const MbSim *sim) { return mb_section(sim, MB_SECTION_NODES); }
const double *mb_sim_soft_velocities(const MbSim *sim) {
  return mb_section(sim, MB_SECTION_NODES) + 3 * sim->soft->n;
}

// Of port p: where its velocities and its coordinates begin; its number among all nodes.
static size_t velocity_of(const MbSim *sim, size_t p) {
  return mb_sim_port_velocity(sim, mb_model_own(sim->model) + p);
}
static size_t place_of(const MbSim *sim, size_t p) {
  return mb_sim_port_place(sim, mb_model_own(sim->model) + p);
}
static size_t node_of(const MbModel *model, size_t p) {
  return model->deformables[model->ports[p].deformable].first + model->ports[p].node;
}

// ---- making -----------------------------------------------------------------------------------------------

static double drag_of(const MbModel *model) {
  double drag = 0;
  for (size_t i = 0; i < model->nforces; i++)
    if (model->forces[i].ops->drag) drag += model->forces[i].ops->drag(&model->forces[i]);
  return drag;
}

// Its nodes by their numbers among all.
static bool copy_cable(const MbDeformable *of, const MbCable *from, MbArena *scratch, MbSoftCable *to) {
  const size_t n = from->first[from->npoints];
  uint32_t *node = mb_arena_alloc(scratch, n, sizeof *node);
  for (size_t k = 0; node && k < n; k++) node[k] = (uint32_t)(of->first + from->node[k]);
  *to = (MbSoftCable){from->npoints, from->first, node,
                      from->pull == SIZE_MAX ? from->compliance : (double)NAN};
  return node != NULL;
}

static bool describe(MbSim *sim, MbArena *scratch, MbSoftSpec *spec) {
  const MbModel *model = sim->model;
  MbSimSoft *soft = sim->soft;
  double *mass = mb_arena_alloc(scratch, soft->n, sizeof *mass);
  unsigned char *held = mb_arena_alloc(scratch, soft->n, sizeof *held);
  MbSoftPart *parts = mb_arena_alloc(scratch, model->ndeformables, sizeof *parts);
  MbSoftCable *cables = mb_arena_alloc(scratch, soft->ncables, sizeof *cables);
  size_t next = 0;
  if (!mass || !held || !parts || !cables) return false;
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbDeformable *of = &model->deformables[i];
    const MbElements *e = of->elements;
    parts[i] = part_of(of);
    memcpy(mass + of->first, e->mass, of->count * sizeof *mass);
    for (size_t k = 0; k < e->nheld; k++) held[of->first + e->held[k].node] = (unsigned char)e->held[k].axes;
    for (size_t k = 0; k < e->nattached; k++) held[of->first + e->attached[k].node] = 7;
    for (size_t k = 0; k < e->ncables; k++, next++) {
      soft->cable[next] = &e->cables[k];
      if (!copy_cable(of, &e->cables[k], scratch, &cables[next])) return false;
    }
  }
  uint32_t *ports = mb_arena_alloc(scratch, model->nports, sizeof *ports);
  if (!ports) return false;
  for (size_t p = 0; p < model->nports; p++) ports[p] = (uint32_t)node_of(model, p);
  *spec = (MbSoftSpec){.nodes = soft->n,
                       .mass = mass,
                       .held = held,
                       .drag = drag_of(model),
                       .nparts = model->ndeformables,
                       .parts = parts,
                       .ncables = soft->ncables,
                       .cables = cables,
                       .nports = model->nports,
                       .port = ports,
                       .h = model->h,
                       .method = method_of(model),
                       .global = model->solver.global,
                       .single = model->solver.precision == MB_PRECISION_SINGLE,
                       .iterations = most_iterations(model),
                       .tolerance = model->solver.tolerance,
                       .share = share_of(model),
                       .threads = sim->threads};
  soft->iterations = spec->iterations, soft->share = spec->share;
  return true;
}

// The step's matrix is the scene's: it names the deformable's mesh, and the node by its number there.
static MbStatus unsolvable(const MbModel *model, size_t node, MbReport *report) {
  size_t i = 0;
  while (i + 1 < model->ndeformables && node >= model->deformables[i].first + model->deformables[i].count)
    i++;
  const MbDeformable *of = &model->deformables[i];
  char where[64];
  snprintf(where, sizeof where, "/deformables/%zu/mesh", i);
  return mb_error(
      report, MB_SCENE, where,
      "the step's equations cannot be solved at node %zu of \"%s\": the elements there are too thin "
      "for what they measure along their longest edges, or far too stiff for their mass",
      node - of->first, of->name);
}

MbStatus mb_sim_soft_create(MbSim *sim, MbReport *report) {
  const size_t n = count_nodes(sim->model), ncables = count_cables(sim->model);
  if (!n) return MB_OK;
  MbSimSoft *soft = sim->soft = mb_calloc(1, sizeof *soft);
  if (!soft) return mb_no_memory(report, "deformables");
  soft->n = n, soft->ncables = ncables;
  soft->q1 = mb_arena_alloc(&soft->arena, n, 3 * sizeof *soft->q1);
  soft->v1 = mb_arena_alloc(&soft->arena, n, 3 * sizeof *soft->v1);
  soft->target = mb_arena_alloc(&soft->arena, n, 3 * sizeof *soft->target);
  soft->force = mb_arena_alloc(&soft->arena, ncables, sizeof *soft->force);
  soft->most = mb_arena_alloc(&soft->arena, ncables, sizeof *soft->most);
  soft->cable = mb_arena_alloc(&soft->arena, ncables, sizeof *soft->cable);
  soft->at_ports = mb_arena_alloc(&soft->arena, sim->model->nports, 6 * sizeof *soft->at_ports);
  if (!soft->q1 || !soft->v1 || !soft->target || !soft->force || !soft->most || !soft->cable ||
      !soft->at_ports)
    return mb_no_memory(report, "deformables");
  MbSoftSpec spec;
  MbArena scratch = {0};
  size_t blame = SIZE_MAX;
  const bool described = describe(sim, &scratch, &spec);
  spec.blame = &blame;
  const MbStatus status =
      described ? mb_soft_create(&spec, &soft->engine, report) : mb_no_memory(report, "deformables");
  mb_arena_free(&scratch);
  if (status == MB_NUMBERS && blame != SIZE_MAX) return unsolvable(sim->model, blame, report);
  return status;
}

void mb_sim_soft_free(MbSim *sim) {
  if (!sim->soft) return;
  mb_soft_free(sim->soft->engine);
  mb_arena_free(&sim->soft->arena);
  mb_free(sim->soft);
}

size_t mb_sim_soft_bytes(const MbSim *sim) {
  return sim->soft ? sizeof *sim->soft + sim->soft->arena.bytes + mb_soft_bytes(sim->soft->engine) : 0;
}

void mb_sim_soft_start(MbSim *sim) {
  for (size_t i = 0; sim->soft && i < sim->model->ndeformables; i++) {
    const MbDeformable *of = &sim->model->deformables[i];
    double *q = mb_section(sim, MB_SECTION_NODES) + 3 * of->first;
    memcpy(q, of->elements->x0, 3 * of->count * sizeof *q);
    memcpy(q + 3 * sim->soft->n, of->elements->v0, 3 * of->count * sizeof *q);
  }
  if (!sim->soft) return;
  if (method_of(sim->model) == MB_METHOD_PROJECTIVE)
    mb_soft_dual_begin(sim->soft->engine, mb_section(sim, MB_SECTION_NODES));
  mb_soft_dual_read(sim->soft->engine, mb_section(sim, MB_SECTION_DUAL));
}

// ---- a step -----------------------------------------------------------------------------------------------

// c + R(a, angle) (x − c) + translate
static void moved(const MbSim *sim, const MbPinMotion *motion, double t, const double *x, double to[3]) {
  mb_vec3_copy(to, x);
  if (motion->turns) {
    const double angle = mb_sim_signal(sim, motion->angle, t), length = mb_vec3_norm(motion->axis);
    double turn[3], q[4];
    mb_vec3_scale(turn, angle / length, motion->axis);
    mb_quat_exp(q, turn);
    mb_vec3_sub(to, to, motion->through);
    mb_quat_rotate(to, q, to);
    mb_vec3_add(to, to, motion->through);
  }
  for (size_t k = 0; k < 3; k++) to[k] += mb_sim_signal(sim, motion->translate[k], t);
}

// Where the nodes of a deformable that are held are at t, with the bodies where they are then.
static void aim(MbSim *sim, const MbDeformable *of, double t) {
  const MbElements *e = of->elements;
  double *target = sim->soft->target + 3 * of->first;
  for (size_t k = 0; k < e->nheld; k++) {
    const MbHeldNode *held = &e->held[k];
    for (size_t axis = 0; axis < 3; axis++) {
      double to[3];
      if (!(held->axes >> axis & 1)) continue;
      mb_vec3_copy(to, e->x0 + 3 * (size_t)held->node);
      if (held->motion[axis] != MB_STILL) moved(sim, &e->motions[held->motion[axis]], t, to, to);
      target[3 * (size_t)held->node + axis] = to[axis];
    }
  }
  for (size_t k = 0; k < e->nattached; k++) {
    const MbAttachedNode *attached = &e->attached[k];
    double *to = target + 3 * (size_t)attached->node;
    if (attached->body == MB_WORLD)
      mb_vec3_copy(to, attached->at);
    else
      mb_pose_point(to, &sim->x.E[attached->body], attached->at);
  }
}

static MbStatus check_targets(const MbSim *sim, double t, MbReport *report) {
  const MbSimSoft *soft = sim->soft;
  for (size_t i = 0; i < sim->model->ndeformables; i++) {
    const MbDeformable *of = &sim->model->deformables[i];
    for (size_t c = 3 * of->first; c < 3 * (of->first + of->count); c++)
      if (!isfinite(soft->target[c]))
        return mb_error(report, MB_NUMBERS, "",
                        "at t = %.9g s, step %lld: the motion of a pin of \"%s\" is %g", t,
                        (long long)sim->state.step + 1, of->name, mb_plain(soft->target[c]));
  }
  for (size_t k = 0; k < soft->ncables; k++)
    if (!isfinite(soft->force[k]))
      return mb_error(report, MB_NUMBERS, "", "at t = %.9g s, step %lld: the pull of a cable is %g", t,
                      (long long)sim->state.step + 1, mb_plain(soft->force[k]));
  return MB_OK;
}

static const double FASTEST = 1e12, FARTHEST = 1e15; // as of bodies

static MbStatus check_nodes(const MbSim *sim, double t, MbReport *report) {
  const MbSimSoft *soft = sim->soft;
  for (size_t i = 0; i < sim->model->ndeformables; i++) {
    const MbDeformable *of = &sim->model->deformables[i];
    for (size_t k = 0; k < of->count; k++) {
      const double *q = soft->q1 + 3 * (of->first + k), *v = soft->v1 + 3 * (of->first + k);
      bool sound = true;
      for (int c = 0; c < 3; c++) sound &= fabs(q[c]) < FARTHEST && fabs(v[c]) < FASTEST;
      if (!sound)
        return mb_error(report, MB_NUMBERS, "",
                        "at t = %.9g s, step %lld: node %zu of \"%s\" has grown beyond all bounds (speed "
                        "%.3g m/s)",
                        t, (long long)sim->state.step + 1, k, of->name, mb_plain(mb_vec3_norm(v)));
    }
  }
  return MB_OK;
}

// How far the nodes still are from the step's solution, by the size of the largest deformable: corrections that shrink by ρ an
// iteration come to residual · ρ/(1 − ρ) yet. What does not shrink has far to go.
static double left_after(const MbSimSoft *soft) {
  static const double SLOWEST = 0.999;
  const int n = soft->stats.iterations;
  static const double DONE = 1e-12; // by the tolerance, or by Newton's method
  const double *history = mb_soft_history(soft->engine), residual = soft->stats.residual;
  if (residual <= DONE || (soft->stats.converged && !(soft->share > 0))) return 0;
  if (n < 2 || !(history[n - 2] > 0)) return residual;
  const double rate = fmin(history[n - 1] / history[n - 2], SLOWEST);
  return residual * rate / (1 - rate);
}

// Told once, when a step has not come to the energy that was wanted.
static void warn_missed(MbSim *sim, double t, MbReport *report) {
  const MbSimSoft *soft = sim->soft;
  double *numbers = mb_section(sim, MB_SECTION_SOLUTION);
  if (numbers[TOLD] != 0) return;
  numbers[TOLD] = 1;
  mb_warning(
      report, "",
      "at t = %.9g s, step %lld: %d iterations do not bring the step's energy to %.3g of what they take off "
      "it "
      "(the last correction of a node was %.2g of the largest deformable's size): allow more \"iterations\", "
      "take a smaller step or method \"newton\"; the run goes on, and counts such steps",
      t, (long long)sim->state.step + 1, soft->stats.iterations, soft->share, soft->stats.residual);
}

// Told once, when a step ends far from its solution: the run goes on, with what it has.
static void warn_left(MbSim *sim, double t, MbReport *report) {
  static const double FAR = 1e-3;
  const MbSimSoft *soft = sim->soft;
  double *numbers = mb_section(sim, MB_SECTION_SOLUTION);
  const double left = left_after(soft);
  if (!(left > FAR) || numbers[TOLD] != 0) return;
  numbers[TOLD] = 1;
  mb_warning(
      report, "",
      "at t = %.9g s, step %lld: after %d iterations nodes are about %.2g of the largest deformable's size "
      "from where the step's equations want them (the last correction was %.2g): allow more \"iterations\", "
      "take a smaller step or method \"newton\"; until then what moves is too slow",
      t, (long long)sim->state.step + 1, soft->stats.iterations, left, soft->stats.residual);
}

// The residual with as many digits as it takes to be above what was wanted.
static void write_residual(double residual, double wanted, char out[40]) {
  for (int digits = 3; digits <= 17; digits++) {
    snprintf(out, 40, "%.*g", digits, residual);
    if (strtod(out, NULL) > wanted) return;
  }
}

// What the step begins with; nodes that are held go where they are at t.
static MbStatus prepare(MbSim *sim, double t, MbReport *report) {
  MbSimSoft *soft = sim->soft;
  for (size_t i = 0; i < sim->model->ndeformables; i++) aim(sim, &sim->model->deformables[i], t);
  for (size_t k = 0; k < soft->ncables; k++) {
    const double pull = soft->cable[k]->pull == SIZE_MAX ? 0 : mb_sim_signal(sim, soft->cable[k]->pull, t);
    soft->force[k] = pull < 0 ? 0 : pull;
    soft->most[k] = soft->cable[k]->length;
  }
  soft->start = (MbSoftStart){mb_sim_soft_places(sim),
                              mb_sim_soft_velocities(sim),
                              soft->target,
                              sim->model->gravity,
                              soft->force,
                              soft->most};
  mb_soft_dual_write(soft->engine, mb_section(sim, MB_SECTION_DUAL));
  return check_targets(sim, t, report);
}

// Whether the solution at the end of a step is one to go on with.
static MbStatus judge(MbSim *sim, bool fine, double t, MbReport *report) {
  MbSimSoft *soft = sim->soft;
  soft->stats = mb_soft_stats(soft->engine);
  if (!fine)
    return mb_error(
        report, MB_NUMBERS, "",
        "at t = %.9g s, step %lld: the deformables' equations give numbers that are not finite, in "
        "iteration %d: take a smaller step",
        t, (long long)sim->state.step + 1, soft->stats.iterations);
  // Newton's method, where nobody says how far to go, is to come to where the energy cannot tell steps apart.
  static const double LOOSE = 1e-9;
  const MbSolverSpec *solver = &sim->model->solver;
  const double free_to_stop = solver->method == MB_METHOD_NEWTON ? LOOSE : INFINITY;
  const double wanted = solver->tolerance > 0 ? solver->tolerance : free_to_stop;
  const bool stuck = soft->stats.iterations < soft->iterations; // Newton's line search has found nothing
  if (soft->stats.residual > wanted) {
    char residual[40];
    write_residual(soft->stats.residual, wanted, residual);
    return mb_error(
        report, MB_NUMBERS, "",
        "at t = %.9g s, step %lld: the deformables' equations are solved to %s of their size after %d "
        "iterations, not to %.12g: %s a smaller step",
        t, (long long)sim->state.step + 1, residual, soft->stats.iterations, wanted,
        stuck ? "no step takes the energy further down: take" : "allow more \"iterations\" or take");
  }
  const MbStatus status = check_nodes(sim, t, report);
  if (status != MB_OK) return status;
  if (!(soft->share > 0))
    warn_left(sim, t, report);
  else if (!soft->stats.converged)
    warn_missed(sim, t, report);
  return status;
}

MbStatus mb_sim_soft_step(MbSim *sim, double t, MbReport *report) {
  MbSimSoft *soft = sim->soft;
  const MbModel *model = sim->model;
  if (!soft) return MB_OK;
  if (!model->nports) {
    const MbStatus status = prepare(sim, t, report);
    if (status != MB_OK) return status;
    return judge(sim, mb_soft_step(soft->engine, &soft->start, soft->q1, soft->v1), t, report);
  }
  // what has closed gaps since the scheme's passes has moved ports as well
  for (size_t p = 0; p < model->nports; p++) {
    mb_vec3_copy(soft->q1 + 3 * node_of(model, p), sim->q1 + place_of(sim, p));
    mb_vec3_copy(soft->v1 + 3 * node_of(model, p), sim->v1 + velocity_of(sim, p));
  }
  return judge(sim, true, t, report);
}

// ---- a step together with bodies --------------------------------------------------------------------------

MbStatus mb_sim_soft_begin(MbSim *sim, double t, MbReport *report) {
  const MbStatus status = prepare(sim, t, report);
  if (status == MB_OK) mb_soft_begin(sim->soft->engine, &sim->soft->start);
  return status;
}

bool mb_sim_soft_goes_on(const MbSim *sim) { return mb_soft_goes_on(sim->soft->engine); }

static void push(MbSim *sim, const double *impulse) {
  const MbSimSoft *soft = sim->soft;
  for (size_t p = 0; p < sim->model->nports; p++)
    mb_vec3_copy(soft->at_ports + 3 * p, impulse + velocity_of(sim, p));
  mb_soft_push_ports(soft->engine, soft->at_ports);
}

void mb_sim_soft_pass(MbSim *sim, const double *impulse, double *v) {
  const MbSimSoft *soft = sim->soft;
  mb_soft_pass(soft->engine);
  push(sim, impulse);
  mb_soft_read_ports(soft->engine, soft->at_ports);
  for (size_t p = 0; p < sim->model->nports; p++)
    mb_vec3_copy(v + velocity_of(sim, p), soft->at_ports + 3 * p);
}

MbStatus mb_sim_soft_end_pass(MbSim *sim, const double *impulse, MbReport *report) {
  push(sim, impulse);
  if (mb_soft_end_pass(sim->soft->engine)) return MB_OK;
  return judge(sim, false, sim->state.t + sim->model->h, report);
}

void mb_sim_soft_end(MbSim *sim, double *v) {
  const MbSimSoft *soft = sim->soft;
  mb_soft_end(soft->engine, soft->q1, soft->v1);
  for (size_t p = 0; p < sim->model->nports; p++)
    mb_vec3_copy(v + velocity_of(sim, p), soft->v1 + 3 * node_of(sim->model, p));
}

void mb_sim_soft_respond(const MbSim *sim, const double *impulse, double *v) {
  const MbSimSoft *soft = sim->soft;
  const size_t n = sim->model->nports;
  for (size_t p = 0; p < n; p++) mb_vec3_copy(soft->at_ports + 3 * p, impulse + velocity_of(sim, p));
  mb_soft_respond(soft->engine, soft->at_ports, soft->at_ports + 3 * n);
  for (size_t p = 0; p < n; p++) mb_vec3_copy(v + velocity_of(sim, p), soft->at_ports + 3 * n + 3 * p);
}

void mb_sim_soft_commit(MbSim *sim) {
  MbSimSoft *soft = sim->soft;
  if (!soft) return;
  double *memory = mb_section(sim, MB_SECTION_NODES), *numbers = mb_section(sim, MB_SECTION_SOLUTION);
  memcpy(memory, soft->q1, 3 * soft->n * sizeof *memory);
  memcpy(memory + 3 * soft->n, soft->v1, 3 * soft->n * sizeof *memory);
  numbers[ITERATIONS] = soft->stats.iterations, numbers[RESIDUAL] = soft->stats.residual;
  numbers[LEFT] = left_after(soft), numbers[MOST_LEFT] = fmax(numbers[MOST_LEFT], numbers[LEFT]);
  if (soft->share > 0 && !soft->stats.converged) numbers[MISSED]++;
  const double *history = mb_soft_history(soft->engine);
  for (int k = 0; k < most_iterations(sim->model); k++)
    numbers[NUMBERS + k] = k < soft->stats.iterations ? history[k] : 0;
  mb_soft_dual_read(soft->engine, mb_section(sim, MB_SECTION_DUAL));
}

void mb_sim_soft_take_ports(MbSim *sim) {
  if (!sim->model->nports) return;
  double *v = mb_section(sim, MB_SECTION_NODES) + 3 * sim->soft->n;
  for (size_t p = 0; p < sim->model->nports; p++)
    mb_vec3_copy(v + 3 * node_of(sim->model, p), sim->state.v + velocity_of(sim, p));
}

// ---- what channels tell -----------------------------------------------------------------------------------

void mb_sim_soft_solution(const MbSim *sim, double solution[4], double *seconds) {
  const MbSimSoft *soft = sim->soft;
  memset(solution, 0, 4 * sizeof *solution);
  *seconds = 0;
  if (!soft) return;
  const double *numbers = mb_section(sim, MB_SECTION_SOLUTION);
  solution[0] = numbers[ITERATIONS], solution[1] = numbers[RESIDUAL], solution[2] = numbers[LEFT];
  solution[3] = numbers[MISSED];
  *seconds = soft->stats.seconds;
}

int64_t mb_sim_steps_missed(const MbSim *sim) {
  return sim->soft ? (int64_t)mb_section(sim, MB_SECTION_SOLUTION)[MISSED] : 0;
}

double mb_sim_solution_left(const MbSim *sim) {
  return sim->soft ? mb_section(sim, MB_SECTION_SOLUTION)[MOST_LEFT] : NAN;
}

void mb_sim_soft_history(const MbSim *sim, double *out) {
  if (!sim->soft) return;
  memcpy(out, mb_section(sim, MB_SECTION_SOLUTION) + NUMBERS,
         mb_sim_soft_history_size(sim->model) * sizeof *out);
}

void mb_sim_soft_measure(const MbSim *sim, const MbDeformable *of, double *volume, double *strain) {
  mb_soft_measure(sim->soft->engine, (size_t)(of - sim->model->deformables), mb_sim_soft_places(sim), volume,
                  strain);
}

void mb_sim_soft_energy(const MbSim *sim, MbEnergy *e) {
  if (!sim->soft) return;
  const double *q = mb_sim_soft_places(sim), *v = mb_sim_soft_velocities(sim);
  for (size_t i = 0; i < sim->model->ndeformables; i++) {
    const MbDeformable *of = &sim->model->deformables[i];
    for (size_t k = 0; k < of->count; k++) {
      const double m = of->elements->mass[k], *x = q + 3 * (of->first + k), *u = v + 3 * (of->first + k);
      e->kinetic += m * mb_vec3_dot(u, u) / 2;
      e->gravity -= m * mb_vec3_dot(sim->model->gravity, x);
    }
  }
  e->elastic += mb_soft_energy(sim->soft->engine, q);
  e->total = e->kinetic + e->gravity + e->elastic;
}

void mb_sim_soft_momentum(const MbSim *sim, double linear[3], double angular[3]) {
  if (!sim->soft) return;
  const double *q = mb_sim_soft_places(sim), *v = mb_sim_soft_velocities(sim);
  for (size_t i = 0; i < sim->model->ndeformables; i++) {
    const MbDeformable *of = &sim->model->deformables[i];
    for (size_t k = 0; k < of->count; k++) {
      double p[3], arm[3];
      mb_vec3_scale(p, of->elements->mass[k], v + 3 * (of->first + k));
      mb_vec3_cross(arm, q + 3 * (of->first + k), p);
      mb_vec3_add(linear, linear, p);
      mb_vec3_add(angular, angular, arm);
    }
  }
}
