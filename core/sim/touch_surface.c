// The surfaces of deformables, and where their nodes touch the shapes of bodies: a contact for each node and shape whose gap may close within
// the step. The node is a of the contact, as if it were a ball of half the thickness; both sides are pushed where the node is, so that what
// one gets the other loses, torques too. What is between nodes is looked at by touch_facets.c and touch_folds.c.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/nodes.h"
#include "core/sim/touch.h"

// ---- nodes ------------------------------------------------------------------------------------------------

static const double *place_of(const MbSim *sim, size_t end) {
  return end < sim->model->nb ? sim->x.E[end].p : mb_nodes_at(sim) + 3 * (end - sim->model->nb);
}

static void velocity_of(const MbSim *sim, size_t end, double v[3]) {
  if (end < sim->model->nb) {
    mb_quat_rotate(v, sim->x.E[end].q, sim->x.phi + 6 * end + 3);
    return;
  }
  mb_vec3_copy(v, mb_nodes_velocities_at(sim) + 3 * (end - sim->model->nb));
}

// Half of the triangles' mean side; where there are none, of the mean distance between nodes if they were in a row.
static double measure(const MbSim *sim, const MbTouchSurface *surface) {
  const MbDeformableSurface *of = surface->of;
  double sum = 0, d[3];
  if (!of->ntriangles) {
    MbBounds all = mb_bounds_none();
    for (size_t i = 0; i < of->nnodes; i++) mb_bounds_take(&all, place_of(sim, surface->end[i]));
    mb_vec3_sub(d, all.high, all.low);
    const double apart = of->nnodes > 1 ? mb_vec3_norm(d) / (double)(of->nnodes - 1) : 0;
    return apart > 0 ? apart / 2 : fmax(of->thickness / 2, 1e-3);
  }
  for (size_t i = 0; i < 3 * of->ntriangles; i++) {
    const size_t next = i % 3 == 2 ? i - 2 : i + 1;
    mb_vec3_sub(d, place_of(sim, mb_row_node(sim->model, of->deformable, of->triangle[i])),
                place_of(sim, mb_row_node(sim->model, of->deformable, of->triangle[next])));
    sum += mb_vec3_norm(d);
  }
  return sum / (double)(6 * of->ntriangles);
}

// Nodes that a body carries take no part: they are that body's.
static bool is_carried(const MbSim *sim, const MbDeformable *of, size_t node, size_t end) {
  const MbModel *model = sim->model;
  if (!of->points) return model->contacts.moved[end] != end && model->contacts.moved[end] != MB_WORLD;
  for (size_t k = 0; k < of->elements->nattached; k++)
    if (of->elements->attached[k].node == node) return true;
  return false;
}

// Nodes that pins keep along all axes.
static bool is_fixed(const MbModel *model, const MbDeformable *of, size_t node, size_t end) {
  if (end < model->nb) return model->contacts.moved[end] == MB_WORLD;
  for (size_t k = 0; k < of->elements->npinned; k++)
    if (of->elements->pinned[k].node == node) return of->elements->pinned[k].axes == 7;
  return false;
}

static void read_places(const MbSim *sim, MbTouchSurface *surface, double *x) {
  for (size_t i = 0; i < surface->of->nnodes; i++) mb_vec3_copy(x + 3 * i, place_of(sim, surface->end[i]));
}

static bool make_faces(MbSim *sim, MbTouchSurface *surface, const MbDeformable *of) {
  double *x = mb_calloc(surface->of->nnodes ? 3 * surface->of->nnodes : 1, sizeof *x);
  if (!x) return false;
  read_places(sim, surface, x);
  const bool closed = of->elements && of->elements->kind == MB_DEFORMABLE_TETS;
  surface->faces =
      mb_faces_make(&sim->arena, surface->of, closed, of->elements ? of->elements->mesh.x : NULL, x);
  mb_free(x);
  return surface->faces != NULL;
}

MbStatus mb_touch_make_surfaces(MbSim *sim, MbReport *report) {
  MbTouching *t = sim->touching;
  const MbModel *model = sim->model;
  t->nsurfaces = t->rules->nsurfaces;
  t->surface = mb_arena_alloc(&sim->arena, t->nsurfaces, sizeof *t->surface);
  if (!t->surface) return mb_no_memory(report, "contact");
  for (size_t i = 0; i < t->nsurfaces; i++) {
    MbTouchSurface *surface = &t->surface[i];
    surface->of = &t->rules->surfaces[i];
    const MbDeformable *of = &model->deformables[surface->of->deformable];
    surface->end = mb_arena_alloc(&sim->arena, surface->of->nnodes, sizeof *surface->end);
    surface->carried = mb_arena_alloc(&sim->arena, surface->of->nnodes, sizeof *surface->carried);
    surface->fixed = mb_arena_alloc(&sim->arena, surface->of->nnodes, sizeof *surface->fixed);
    if (!surface->end || !surface->carried || !surface->fixed) return mb_no_memory(report, "contact");
    for (size_t k = 0; k < surface->of->nnodes; k++) {
      surface->end[k] = mb_row_node(model, surface->of->deformable, surface->of->node[k]);
      surface->carried[k] = is_carried(sim, of, surface->of->node[k], surface->end[k]);
      surface->fixed[k] = is_fixed(model, of, surface->of->node[k], surface->end[k]);
    }
    surface->size = measure(sim, surface);
    if (!make_faces(sim, surface, of)) return mb_no_memory(report, "contact");
    t->points |= of->points;
  }
  return MB_OK;
}

// ---- looking ----------------------------------------------------------------------------------------------

// Where a deformable is, and where it may be within the step.
static void place(const MbSim *sim, MbTouchSurface *surface, double fall) {
  MbFaces *faces = surface->faces;
  surface->fastest = 0;
  read_places(sim, surface, faces->x);
  MbBounds *bounds = &surface->bounds;
  *bounds = mb_bounds_none();
  for (size_t i = 0; i < surface->of->nnodes; i++) {
    const double *x = faces->x + 3 * i;
    velocity_of(sim, surface->end[i], faces->v + 3 * i);
    mb_bounds_take(bounds, x);
    const double speed = mb_vec3_norm(faces->v + 3 * i);
    if (speed > surface->fastest) surface->fastest = speed;
  }
  const double wide =
      sim->model->h * surface->fastest + fall + MB_NEAR_SHARE * surface->size + surface->of->thickness / 2;
  for (int k = 0; k < 3; k++) bounds->low[k] -= wide, bounds->high[k] += wide;
  mb_faces_place(faces);
}

// The contact of one node with a shape, as it was found.
static bool add_node(MbSim *sim, const MbNearPair *pair, size_t i, const MbNearNode *how) {
  MbTouching *t = sim->touching;
  const uint32_t solid = pair->solid;
  const MbTouchSurface *surface = &t->surface[pair->surface];
  const size_t end = surface->end[i];
  if (end < sim->model->nb && mb_touch_excludes(t, end, t->rules->solids[solid].body)) return true;
  if (!mb_grow(&t->next.touch, &t->next.room, t->next.n + 1, sizeof *t->next.touch)) return false;
  MbTouch *touch = &t->next.touch[t->next.n++];
  *touch = (MbTouch){.a = (uint32_t)(t->rules->nsolids + pair->surface),
                     .b = solid,
                     .feature_a = surface->of->node[i],
                     .feature_b = how->feature,
                     .gap = how->gap,
                     .size = pair->size,
                     .mu = mb_touch_friction(sim, pair->surface, solid)};
  MbTouchEnds *ends = mb_touch_begin_ends(&t->next, touch);
  if (!ends) return false;
  mb_touch_end(sim, ends, surface, (uint32_t)i, -1);
  mb_touch_end_solid(sim, ends, solid);
  mb_touch_close(ends);
  mb_vec3_copy(touch->point, surface->faces->x + 3 * i);
  mb_vec3_copy(touch->normal, how->normal);
  return true;
}

static bool look_at_nodes(MbSim *sim, const MbNearPair *pair) {
  const MbTouching *t = sim->touching;
  const MbTouchSurface *surface = &t->surface[pair->surface];
  const MbFaces *faces = surface->faces;
  const MbShape *shape = &t->solids.shape[pair->solid];
  const MbNearSolid *solid = &t->sight.solid[pair->solid];
  MbNearNode how;
  for (size_t i = 0; i < surface->of->nnodes; i++)
    if (!surface->carried[i] && mb_near_node(shape, solid, pair, faces->x + 3 * i, faces->v + 3 * i, &how) &&
        !add_node(sim, pair, i, &how))
      return false;
  return true;
}

static bool look_at_solids(MbSim *sim, size_t k, double fall) {
  MbTouching *t = sim->touching;
  MbTouchSurface *surface = &t->surface[k];
  surface->pace = 0;
  for (uint32_t s = 0; s < t->rules->nsolids; s++) {
    if (!mb_touch_sight_may(sim, k, s)) continue;
    const MbNearPair pair = mb_touch_sight_pair(sim, k, s, fall);
    MbTouchSeen seen;
    const bool there = mb_touch_sight_take(&t->sight, k, s, &seen);
    surface->pace = fmax(surface->pace, t->way[s]);
    if (!there && !look_at_nodes(sim, &pair)) return false;
    for (size_t i = 0; there && i < seen.ntouches; i++)
      if (!add_node(sim, &pair, seen.touch[i].node, &seen.touch[i].how)) return false;
    if (!mb_touch_look_facets(sim, &pair, there ? &seen : NULL)) return false;
  }
  return true;
}

bool mb_touch_look_surfaces(MbSim *sim, bool points) {
  MbTouching *t = sim->touching;
  const MbModel *model = sim->model;
  const double h = model->h, fall = 2 * h * h * mb_vec3_norm(model->gravity);
  for (size_t k = 0; k < t->nsurfaces; k++) place(sim, &t->surface[k], fall);
  if (!mb_touch_sight_begin(sim, fall, points)) return false;
  for (size_t k = 0; k < t->nsurfaces; k++) {
    const bool still = !points && model->deformables[t->surface[k].of->deformable].points;
    if (!still && !look_at_solids(sim, k, fall)) return false;
    for (size_t l = k; l < t->nsurfaces; l++) {
      // one of them may be of points; what is between a body and a point is left to these
      if (still || (!points && model->deformables[t->surface[l].of->deformable].points)) continue;
      if (mb_touch_may_fold(sim, k, l) && !mb_touch_look_folds(sim, k, l, fall)) return false;
    }
  }
  return true;
}
