// A step's equations have one solution near the state before it while no element is far from its rest. Elements that are crushed or inside out
// give them others: `neo_hookean`, whose energy is infinite at J = 0, is continued below J = MB_ELASTIC_LEAST_J as no material is, and a
// tetrahedron of the other materials that is inside out, J < 0, has more than one way back. From there methods, and steps of other lengths,
// come to different places, each of them a minimum. So a step that ends with such elements is counted and told: its numbers are not the
// scene's alone.
//
// J is the volume now by that at rest; of cloth, whose triangles have no inside, the area's, and only of `neo_hookean`. A law that is linear
// in places has one solution always. Springs and rods have no J that counts.
#include "core/sim/crushed.h"
#include "core/base/arena.h"
#include "core/base/report.h"
#include "core/base/threads.h"
#include "core/deformables/elastic.h"
#include "core/deformables/quadratic.h"
#include "core/deformables/surface_load.h"
#include "core/math/vec3.h"
#include "core/sim/nodes.h"
#include "core/sim/nodes_away.h"

enum { CHUNK = 1024 }; // elements that are looked at together

// The elements of one deformable, and what a chunk of them has.
struct MbCrushed {
  const MbDeformable *of;
  size_t n;       // points of elements, 0: none can be crushed
  double least;   // J below this
  double *rest;   // (n) six times the volume at rest, or twice the area
  size_t *count;  // (chunks)
  double *lowest; // (chunks) J, and where
  size_t *where;
};

// ---- measuring ----------------------------------------------------------------------------------------------

// J below which an element of this counts; minus infinity: none ever does.
static double least_of(const MbElements *e) {
  const bool tets = e && e->kind == MB_DEFORMABLE_TETS, cloth = e && e->kind == MB_DEFORMABLE_CLOTH;
  if ((tets || cloth) && e->model == MB_NEO_HOOKEAN) return MB_ELASTIC_LEAST_J;
  return tets && e->model != MB_LINEAR ? 0 : -INFINITY;
}

static double six_volumes(const double *a, const double *b, const double *c, const double *d) {
  double u[3], v[3], w[3], normal[3];
  mb_vec3_sub(u, b, a), mb_vec3_sub(v, c, a), mb_vec3_sub(w, d, a);
  mb_vec3_cross(normal, u, v);
  return mb_vec3_dot(normal, w);
}

static double two_areas(const double *a, const double *b, const double *c) {
  double u[3], v[3], normal[3];
  mb_vec3_sub(u, b, a), mb_vec3_sub(v, c, a);
  mb_vec3_cross(normal, u, v);
  return mb_vec3_norm(normal);
}

// Of a point of an element of ten nodes: the corners y_a that have its F there.
static double at_point(const MbElements *e, size_t k, const MbSpots *at) {
  static const uint32_t number[MB_QUADRATIC_NODES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const uint32_t *const node = e->node + e->corners * (k / e->points);
  double x[3 * MB_QUADRATIC_NODES], y[12], L[4];
  for (size_t a = 0; a < MB_QUADRATIC_NODES; a++) mb_vec3_copy(x + 3 * a, mb_spot(at, node[a]));
  mb_quadratic_point(k % e->points, L);
  mb_quadratic_corners(L, number, x, y);
  return six_volumes(y, y + 3, y + 6, y + 9);
}

static double size_of(const MbElements *e, size_t k, const MbSpots *at) {
  if (e->points > 1) return at_point(e, k, at);
  const uint32_t *const n = e->node + e->corners * k;
  if (e->kind == MB_DEFORMABLE_CLOTH)
    return two_areas(mb_spot(at, n[0]), mb_spot(at, n[1]), mb_spot(at, n[2]));
  return six_volumes(mb_spot(at, n[0]), mb_spot(at, n[1]), mb_spot(at, n[2]), mb_spot(at, n[3]));
}

// ---- making -------------------------------------------------------------------------------------------------

size_t mb_crushed_size(const MbModel *model) {
  bool any = false;
  for (size_t i = 0; i < model->ndeformables; i++)
    any = any || isfinite(least_of(model->deformables[i].elements));
  return any ? MB_CRUSHED_NUMBERS : 0;
}

MbStatus mb_crushed_create(MbSim *sim, MbReport *report) {
  const MbModel *model = sim->model;
  if (!mb_crushed_size(model)) return MB_OK;
  MbCrushed *all = sim->crushed = mb_arena_alloc(&sim->arena, model->ndeformables, sizeof *all);
  if (!all) return mb_no_memory(report, "deformables");
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbElements *e = model->deformables[i].elements;
    MbCrushed *c = &all[i];
    *c = (MbCrushed){.of = &model->deformables[i], .least = least_of(e)};
    if (!isfinite(c->least)) continue;
    c->n = e->kind == MB_DEFORMABLE_CLOTH ? e->mesh.triangles : e->points * e->mesh.tets;
    const size_t chunks = (c->n + CHUNK - 1) / CHUNK;
    c->rest = mb_arena_alloc(&sim->arena, c->n, sizeof *c->rest);
    c->count = mb_arena_alloc(&sim->arena, chunks, sizeof *c->count);
    c->lowest = mb_arena_alloc(&sim->arena, chunks, sizeof *c->lowest);
    c->where = mb_arena_alloc(&sim->arena, chunks, sizeof *c->where);
    if (!c->rest || !c->count || !c->lowest || !c->where) return mb_no_memory(report, "deformables");
    const MbSpots rest = {e->mesh.x, 3};
    for (size_t k = 0; k < c->n; k++) c->rest[k] = size_of(e, k, &rest);
  }
  return MB_OK;
}

// ---- looking ------------------------------------------------------------------------------------------------

typedef struct Look {
  const MbCrushed *of;
  MbSpots at;
} Look;

static void look_at_chunk(void *context, size_t chunk) {
  const Look *const look = context;
  const MbCrushed *c = look->of;
  const size_t begin = CHUNK * chunk, end = begin + CHUNK < c->n ? begin + CHUNK : c->n;
  size_t count = 0, where = begin;
  double lowest = INFINITY;
  for (size_t k = begin; k < end; k++) {
    const double J = size_of(c->of->elements, k, &look->at) / c->rest[k];
    count += J < c->least ? 1 : 0;
    if (J < lowest) lowest = J, where = k;
  }
  c->count[chunk] = count, c->lowest[chunk] = lowest, c->where[chunk] = where;
}

// How many elements of one deformable count, and which of them is the worst.
static size_t look_at(const MbSim *sim, const MbCrushed *c, size_t *where, double *lowest) {
  const MbDeformable *of = c->of;
  Look look = {c, {NULL, 3}};
  if (of->points)
    look.at.x = mb_nodes_places(sim) + 3 * of->first;
  else
    look.at = (MbSpots){sim->x.E[of->first].p, sizeof *sim->x.E / sizeof(double)};
  const size_t chunks = (c->n + CHUNK - 1) / CHUNK;
  mb_parallel_tasks(sim->threads, chunks, look_at_chunk, &look);
  size_t count = 0;
  *lowest = INFINITY;
  for (size_t k = 0; k < chunks; k++) {
    count += c->count[k];
    if (c->lowest[k] < *lowest) *lowest = c->lowest[k], *where = c->where[k];
  }
  return count;
}

static void tell(const MbSim *sim, const MbCrushed *c, size_t count, size_t where, double lowest,
                 MbReport *report) {
  const MbElements *e = c->of->elements;
  const bool cloth = e->kind == MB_DEFORMABLE_CLOTH;
  const char *why = e->model == MB_NEO_HOOKEAN
                        ? "below a tenth the material's law is a continuation without meaning, with which"
                        : "from inside out there is more than one way back, so that";
  mb_warning(report, "",
             "at t = %.9g s, step %lld: %zu of the %zu %s \"%s\" end crushed or inside out (%s %zu "
             "has %.2g "
             "of its %s at rest): %s other methods and steps may come to other places; take smaller steps, "
             "a finer mesh, or move what presses it less far; the run goes on, and counts such steps",
             sim->state.t, (long long)sim->state.step, count, c->n,
             e->points > 1 ? "points in elements of" : "elements of", c->of->name,
             e->points > 1 ? "a point of element" : "element", where / e->points, lowest,
             cloth ? "area" : "volume", why);
}

double mb_crushed_least(const MbSim *sim, size_t i) {
  return sim->crushed ? sim->crushed[i].least : -INFINITY;
}

void mb_crushed_watch(MbSim *sim, MbReport *report) {
  if (mb_away_even(sim)) return;
  double *numbers = mb_section(sim, MB_SECTION_CRUSHED);
  bool any = false;
  for (size_t i = 0; i < sim->model->ndeformables; i++) {
    const MbCrushed *c = &sim->crushed[i];
    size_t where = 0;
    double lowest;
    const size_t count = c->n ? look_at(sim, c, &where, &lowest) : 0;
    any = any || count;
    if (!count || numbers[MB_CRUSHED_TOLD] != 0) continue;
    numbers[MB_CRUSHED_TOLD] = 1;
    tell(sim, c, count, where, lowest, report);
  }
  numbers[MB_CRUSHED_STEPS] += any ? 1 : 0;
}

int64_t mb_sim_steps_crushed(const MbSim *sim) {
  return sim->crushed ? (int64_t)mb_section(sim, MB_SECTION_CRUSHED)[MB_CRUSHED_STEPS] : 0;
}
