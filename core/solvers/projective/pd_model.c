#include "core/solvers/projective/pd_model.h"
#include "core/base/report.h"
#include "core/model/ops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the method -------------------------------------------------------------------------------------------

// Rods are so much stiffer against stretching than against bending that methods with a constant matrix take very many iterations.
static bool has_rods(const MbModel *model) {
  for (size_t i = 0; i < model->ndeformables; i++)
    if (model->deformables[i].elements && model->deformables[i].elements->rod.points) return true;
  return false;
}

MbMethod mb_pd_model_method(const MbModel *model) {
  if (model->solver.method != MB_METHOD_AUTO) return model->solver.method;
  return model->integrator.kind == MB_STATIC || has_rods(model) ? MB_METHOD_NEWTON : MB_METHOD_LBFGS;
}

// Where the scene says nothing, the method's own number.
int mb_pd_model_iterations(const MbModel *model) {
  static const int MOST = 200, NEWTON = 1000, OF_RODS = 10000;
  if (model->solver.iterations > 0) return model->solver.iterations;
  if (mb_pd_model_method(model) == MB_METHOD_NEWTON) return NEWTON;
  return has_rods(model) ? OF_RODS : MOST;
}

// Where rods are a step's energy is that of stretching, and tells nothing of how far they are bent.
double mb_pd_model_tolerance(const MbModel *model) {
  static const double OF_RODS = 1e-8;
  const double given = model->solver.tolerance;
  return given > 0 || mb_pd_model_method(model) == MB_METHOD_NEWTON || !has_rods(model) ? given : OF_RODS;
}

double mb_pd_model_share(const MbModel *model) {
  static const double SHARE = 1e-3;
  const MbSolverSpec *solver = &model->solver;
  if (mb_pd_model_method(model) == MB_METHOD_NEWTON) return 0;
  if (!isnan(solver->energy_tolerance)) return solver->energy_tolerance;
  if (has_rods(model)) return 0;
  return solver->iterations > 0 || solver->tolerance > 0 ? 0 : SHARE;
}

// ---- the description --------------------------------------------------------------------------------------

static MbPdPart part_of(const MbDeformable *of, bool still) {
  const MbElements *e = of->elements;
  return (MbPdPart){.mesh = &e->mesh,
                    .first = of->first,
                    .elastic = mb_elastic_from(e->model, e->young, e->poisson, e->mesh.triangles > 0),
                    .thickness = e->thickness,
                    .bending = e->bending,
                    .bending_stiffness = e->bending_stiffness,
                    .bending_damping = still ? 0 : e->bending_damping,
                    .stiffness = e->stiffness,
                    .damping = still ? 0 : e->damping,
                    .by_strain = e->law == MB_LAW_STRAIN,
                    .surface = e->surface,
                    .fibred = e->nfibres ? e : NULL,
                    .rod = e->rod.points ? &e->rod : NULL};
}

size_t mb_pd_model_dual(const MbModel *model) {
  size_t n = 0;
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbPdPart part = part_of(&model->deformables[i], false);
    n += mb_pd_dual_size(&part, mb_pd_model_method(model));
  }
  return n;
}

static double drag_of(const MbModel *model) {
  double drag = 0;
  for (size_t i = 0; i < model->nforces; i++)
    if (model->forces[i].ops->drag) drag += model->forces[i].ops->drag(&model->forces[i]);
  return drag;
}

// Its nodes by their numbers among all.
static bool copy_cable(const MbDeformable *of, const MbCable *from, MbArena *scratch, MbCablePath *to) {
  const size_t n = from->first[from->npoints];
  uint32_t *node = mb_arena_alloc(scratch, n, sizeof *node);
  for (size_t k = 0; node && k < n; k++) node[k] = (uint32_t)(of->first + from->node[k]);
  *to = (MbCablePath){from->npoints, from->first, node};
  return node != NULL;
}

// Whether rows name nodes that are no ports: those of contacts, and of cables that keep their length.
static bool names_nodes(const MbModel *model) {
  bool names = model->contacts.any;
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbElements *e = model->deformables[i].elements;
    for (size_t k = 0; k < e->ncables; k++) names = names || e->cables[k].pull == SIZE_MAX;
  }
  return names;
}

// Whether contacts do that are solved by a method which a device may have in the processor's place.
static bool touches(const MbModel *model) {
  const MbContacts *rules = &model->contacts;
  return rules->any && (rules->method == MB_CONTACT_AUTO || rules->method == MB_CONTACT_BY_NEWTON);
}

bool mb_pd_model_describe(const MbModel *model, int threads, MbArena *scratch, MbPdSpec *spec) {
  const size_t n = mb_model_points(model), ncables = mb_model_cables(model);
  double *mass = mb_arena_alloc(scratch, n, sizeof *mass);
  unsigned char *placed = mb_arena_alloc(scratch, n, sizeof *placed);
  MbPdPart *parts = mb_arena_alloc(scratch, model->ndeformables, sizeof *parts);
  MbCablePath *cables = mb_arena_alloc(scratch, ncables, sizeof *cables);
  uint32_t *ports = mb_arena_alloc(scratch, model->nports, sizeof *ports);
  size_t next = 0;
  const bool still = model->integrator.kind == MB_STATIC;
  if (!mass || !placed || !parts || !cables || !ports) return false;
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbDeformable *of = &model->deformables[i];
    const MbElements *e = of->elements;
    parts[i] = part_of(of, still);
    memcpy(mass + of->first, e->mass, of->count * sizeof *mass);
    for (size_t k = 0; k < e->npinned; k++)
      placed[of->first + e->pinned[k].node] = (unsigned char)e->pinned[k].axes;
    for (size_t k = 0; k < e->nattached; k++) placed[of->first + e->attached[k].node] = 7;
    for (size_t k = 0; k < e->ncables; k++)
      if (e->cables[k].pull != SIZE_MAX && !copy_cable(of, &e->cables[k], scratch, &cables[next++]))
        return false;
  }
  for (size_t p = 0; p < model->nports; p++) ports[p] = (uint32_t)mb_model_port(model, p);
  *spec = (MbPdSpec){.nodes = n,
                     .mass = mass,
                     .placed = placed,
                     .drag = still ? 0 : drag_of(model),
                     .nparts = model->ndeformables,
                     .parts = parts,
                     .ncables = ncables,
                     .cables = cables,
                     .nports = model->nports,
                     .port = ports,
                     .names = names_nodes(model),
                     .touches = touches(model),
                     .h = model->h,
                     .still = still,
                     .method = mb_pd_model_method(model),
                     .global = model->solver.global,
                     .single = model->solver.precision == MB_PRECISION_SINGLE,
                     .iterations = mb_pd_model_iterations(model),
                     .tolerance = mb_pd_model_tolerance(model),
                     .share = mb_pd_model_share(model),
                     .threads = threads};
  return true;
}

// ---- the engine -------------------------------------------------------------------------------------------

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

MbStatus mb_pd_model_engine(const MbModel *model, int threads, size_t beside, const MbPdMover *mover,
                            MbPdEngine **engine, MbReport *report) {
  MbPdSpec spec;
  MbArena scratch = {0};
  size_t blame = SIZE_MAX;
  const bool described = mb_pd_model_describe(model, threads, &scratch, &spec);
  spec.blame = &blame, spec.beside = beside, spec.mover = mover;
  const MbStatus status =
      described ? mb_pd_create(&spec, engine, report) : mb_no_memory(report, "deformables");
  mb_arena_free(&scratch);
  return status == MB_NUMBERS && blame != SIZE_MAX ? unsolvable(model, blame, report) : status;
}
