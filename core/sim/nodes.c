// Deformables of elements in a run: their nodes' places and velocities, what the last step's solution was like, and the dual are
// sections of the state's memory. Where no row and no force is about a node, bodies are moved first, by themselves, and nodes that they
// carry go along; else the scheme moves all together.
#include "core/sim/nodes.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/math/vec3.h"
#include "core/sim/layout.h"

#include <string.h>

static const MbPassOps *passes_of(const MbSim *sim) { return sim->solver->passes; }

size_t mb_nodes_history_size(const MbSim *sim) {
  return passes_of(sim) ? (size_t)passes_of(sim)->plan(sim->model).iterations : 0;
}

void mb_nodes_sections(const MbSim *sim, size_t size[MB_SECTIONS]) {
  if (!passes_of(sim)) return;
  size[MB_SECTION_NODES] = 6 * mb_model_points(sim->model);
  size[MB_SECTION_SOLUTION] = MB_NODES_NUMBERS + mb_nodes_history_size(sim);
  size[MB_SECTION_DUAL] = passes_of(sim)->plan(sim->model).carried;
}

// Of port p: where its velocities and its coordinates begin.
static size_t velocity_of(const MbSim *sim, size_t p) {
  return mb_sim_port_velocity(sim, mb_model_own(sim->model) + p);
}
static size_t place_of(const MbSim *sim, size_t p) {
  return mb_sim_port_place(sim, mb_model_own(sim->model) + p);
}

// ---- making -----------------------------------------------------------------------------------------------

static void list_cables(const MbModel *model, MbNodes *nodes) {
  size_t next = 0;
  for (size_t i = 0; i < model->ndeformables; i++)
    for (size_t k = 0; k < model->deformables[i].elements->ncables; k++)
      if (model->deformables[i].elements->cables[k].pull != SIZE_MAX)
        nodes->cable[next++] = &model->deformables[i].elements->cables[k];
}

MbStatus mb_nodes_create(MbSim *sim, MbReport *report) {
  const MbPassOps *passes = sim->solver->passes;
  if (!passes) return MB_OK;
  const MbModel *model = sim->model;
  const size_t n = mb_model_points(model), ncables = mb_model_cables(model);
  MbNodes *nodes = sim->nodes = mb_calloc(1, sizeof *nodes);
  if (!nodes) return mb_no_memory(report, "deformables");
  MbArena *arena = &nodes->arena;
  nodes->n = n, nodes->ncables = ncables;
  nodes->plan = passes->plan(model);
  nodes->q1 = mb_arena_alloc(arena, n, 3 * sizeof *nodes->q1);
  nodes->v1 = mb_arena_alloc(arena, n, 3 * sizeof *nodes->v1);
  nodes->target = mb_arena_alloc(arena, n, 3 * sizeof *nodes->target);
  nodes->force = mb_arena_alloc(arena, ncables, sizeof *nodes->force);
  nodes->cable = mb_arena_alloc(arena, ncables, sizeof *nodes->cable);
  nodes->load = mb_arena_alloc(arena, model->ndeformables, sizeof *nodes->load);
  if (!nodes->load) return mb_no_memory(report, "deformables");
  for (size_t i = 0; i < model->ndeformables; i++) {
    const size_t families = model->deformables[i].elements->nfibres;
    nodes->load[i].activation = mb_arena_alloc(arena, families, sizeof(double));
    if (!nodes->load[i].activation) return mb_no_memory(report, "deformables");
  }
  if (!nodes->q1 || !nodes->v1 || !nodes->target || !nodes->force || !nodes->cable)
    return mb_no_memory(report, "deformables");
  list_cables(model, nodes);
  const MbStatus status = passes->make(sim->work, report);
  return status == MB_OK ? mb_nodes_make_cables(sim, report) : status;
}

void mb_nodes_free(MbSim *sim) {
  if (!sim->nodes) return;
  mb_arena_free(&sim->nodes->arena);
  mb_free(sim->nodes);
}

size_t mb_nodes_bytes(const MbSim *sim) {
  return sim->nodes ? sizeof *sim->nodes + sim->nodes->arena.bytes : 0;
}

void mb_nodes_start(MbSim *sim) {
  const MbModel *model = sim->model;
  if (!sim->nodes) return;
  double *memory = mb_section(sim, MB_SECTION_NODES);
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbDeformable *of = &model->deformables[i];
    double *q = memory + 3 * of->first;
    memcpy(q, of->elements->x0, 3 * of->count * sizeof *q);
    memcpy(q + 3 * sim->nodes->n, of->elements->v0, 3 * of->count * sizeof *q);
  }
  mb_nodes_set_out(sim);
}

void mb_nodes_set_out(MbSim *sim) {
  mb_away_changed(sim);
  passes_of(sim)->set_out(sim->work, mb_section(sim, MB_SECTION_NODES));
  passes_of(sim)->keep(sim->work, mb_section(sim, MB_SECTION_DUAL));
}

bool mb_nodes_carried(const MbModel *model) {
  bool any = false;
  for (size_t i = 0; i < model->ndeformables; i++)
    for (size_t k = 0; model->deformables[i].points && k < model->deformables[i].elements->nattached; k++)
      any |= model->deformables[i].elements->attached[k].body != MB_WORLD;
  return any;
}

// ---- a step -----------------------------------------------------------------------------------------------

MbStatus mb_nodes_begin(MbSim *sim, double t, MbReport *report) {
  const MbStatus status = mb_nodes_prepare(sim, t, report);
  if (status == MB_OK) passes_of(sim)->begin(sim->work, &sim->nodes->start);
  return status;
}

bool mb_nodes_end(MbSim *sim, double *v) {
  sim->nodes->moved = true;
  return passes_of(sim)->end(sim->work, sim->nodes->q1, sim->nodes->v1, v);
}

MbStatus mb_nodes_step(MbSim *sim, double t, MbReport *report) {
  MbNodes *nodes = sim->nodes;
  const MbModel *model = sim->model;
  nodes->ahead = true;
  if (sim->integrator->scheme == MB_EQUILIBRIUM) return mb_nodes_settle(sim, t, report);
  if (nodes->places_away) return mb_away_step(sim, t, report);
  if (!nodes->moved) {
    const MbStatus status = mb_nodes_prepare(sim, t, report);
    if (status != MB_OK) return status;
    const bool fine = passes_of(sim)->step(sim->work, &nodes->start, nodes->q1, nodes->v1);
    return mb_nodes_judge(sim, fine, t, report);
  }
  nodes->moved = false;
  // what has closed gaps since the scheme's passes has moved ports as well
  for (size_t p = 0; p < model->nports; p++) {
    const size_t node = mb_model_port(model, p);
    mb_vec3_copy(nodes->q1 + 3 * node, sim->q1 + place_of(sim, p));
    mb_vec3_copy(nodes->v1 + 3 * node, sim->v1 + velocity_of(sim, p));
  }
  return mb_nodes_judge(sim, true, t, report);
}

bool mb_nodes_push(MbSim *sim, size_t node, double way, const double n[3]) {
  const MbModel *model = sim->model;
  size_t i = 0;
  while (node >= model->deformables[i].first + model->deformables[i].count) i++;
  const MbElements *of = model->deformables[i].elements;
  const size_t own = node - model->deformables[i].first;
  // axes that pins hold stay
  unsigned pinned = 0;
  for (size_t k = 0; k < of->npinned; k++)
    if (of->pinned[k].node == own) pinned = of->pinned[k].axes;
  for (size_t k = 0; k < 3; k++)
    if (!(pinned >> k & 1)) sim->nodes->q1[3 * node + k] += way * n[k];
  return pinned != 7;
}

// Takes places and velocities of the step's end.
static void take_end(MbSim *sim) {
  const MbNodes *nodes = sim->nodes;
  double *memory = mb_section(sim, MB_SECTION_NODES);
  memcpy(memory, nodes->q1, 3 * nodes->n * sizeof *memory);
  memcpy(memory + 3 * nodes->n, nodes->v1, 3 * nodes->n * sizeof *memory);
}

void mb_nodes_commit(MbSim *sim) {
  MbNodes *nodes = sim->nodes;
  nodes->ahead = false;
  double *numbers = mb_section(sim, MB_SECTION_SOLUTION);
  numbers[MB_NODES_ITERATIONS] = nodes->stats.iterations;
  numbers[MB_NODES_RESIDUAL] = nodes->stats.residual;
  numbers[MB_NODES_LEFT] = mb_nodes_left(sim);
  numbers[MB_NODES_MOST_LEFT] = fmax(numbers[MB_NODES_MOST_LEFT], numbers[MB_NODES_LEFT]);
  if (mb_nodes_missed(nodes)) numbers[MB_NODES_MISSED]++;
  const double *history = passes_of(sim)->history(sim->work);
  for (int k = 0; k < nodes->plan.iterations; k++)
    numbers[MB_NODES_NUMBERS + k] = k < nodes->stats.iterations ? history[k] : 0;
  if (!nodes->places_away) take_end(sim);
  if (!nodes->away) passes_of(sim)->keep(sim->work, mb_section(sim, MB_SECTION_DUAL));
  mb_away_commit(sim);
}

void mb_nodes_take_ports(MbSim *sim) {
  if (!sim->model->nports) return;
  mb_away_changed(sim);
  double *v = mb_section(sim, MB_SECTION_NODES) + 3 * sim->nodes->n;
  for (size_t p = 0; p < sim->model->nports; p++)
    mb_vec3_copy(v + 3 * mb_model_port(sim->model, p), sim->state.v + velocity_of(sim, p));
}
