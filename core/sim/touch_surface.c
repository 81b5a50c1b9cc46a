// Where nodes at the surfaces of deformables touch the shapes of bodies: a contact for each node and shape whose gap may close within the
// step. The node is a of the contact, as if it were a ball of half the thickness; both sides are pushed where the node is, so that what
// one gets the other loses, torques too.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/nodes.h"
#include "core/sim/touch.h"

static const double NEAR =
    0.05; // of a deformable's size: listed whatever the velocities, as elastic forces may be large

// ---- nodes ------------------------------------------------------------------------------------------------

static const double *place_of(const MbSim *sim, size_t end) {
  return end < sim->model->nb ? sim->x.E[end].p : mb_nodes_at(sim) + 3 * (end - sim->model->nb);
}

static double speed_of(const MbSim *sim, size_t end) {
  if (end < sim->model->nb) return mb_vec3_norm(sim->x.phi + 6 * end + 3);
  const double *v = sim->nodes->ahead ? sim->nodes->v1 : mb_nodes_velocities(sim);
  return mb_vec3_norm(v + 3 * (end - sim->model->nb));
}

// Half of the triangles' mean side; where there are none, of the mean distance between nodes if they were in a row.
static double measure(const MbSim *sim, const MbTouchSurface *surface) {
  const MbDeformableSurface *of = surface->of;
  double sum = 0, d[3];
  if (!of->ntriangles) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < of->nnodes; i++) {
      const double *x = place_of(sim, surface->end[i]);
      for (int k = 0; k < 3; k++) low[k] = fmin(low[k], x[k]), high[k] = fmax(high[k], x[k]);
    }
    mb_vec3_sub(d, high, low);
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
    if (!surface->end || !surface->carried) return mb_no_memory(report, "contact");
    for (size_t k = 0; k < surface->of->nnodes; k++) {
      surface->end[k] = mb_row_node(model, surface->of->deformable, surface->of->node[k]);
      surface->carried[k] = is_carried(sim, of, surface->of->node[k], surface->end[k]);
    }
    surface->size = measure(sim, surface);
    t->points |= of->points;
  }
  return MB_OK;
}

// ---- looking ----------------------------------------------------------------------------------------------

// Where a deformable may be within the step.
static void find_bounds(const MbSim *sim, const MbTouchSurface *surface, double fall, MbBounds *bounds) {
  double fastest = 0;
  *bounds = (MbBounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (size_t i = 0; i < surface->of->nnodes; i++) {
    const double *x = place_of(sim, surface->end[i]);
    for (int k = 0; k < 3; k++)
      bounds->low[k] = fmin(bounds->low[k], x[k]), bounds->high[k] = fmax(bounds->high[k], x[k]);
    fastest = fmax(fastest, speed_of(sim, surface->end[i]));
  }
  const double wide = sim->model->h * fastest + fall + NEAR * surface->size + surface->of->thickness / 2;
  for (int k = 0; k < 3; k++) bounds->low[k] -= wide, bounds->high[k] += wide;
}

static bool overlap(const MbBounds *a, const MbBounds *b) {
  for (int k = 0; k < 3; k++)
    if (!(a->low[k] <= b->high[k] && b->low[k] <= a->high[k])) return false;
  return true;
}

static bool is_near(const double x[3], double reach, const MbBounds *bounds) {
  for (int k = 0; k < 3; k++)
    if (!(x[k] - reach <= bounds->high[k] && bounds->low[k] <= x[k] + reach)) return false;
  return true;
}

// The contact of one node with a shape, if there is one.
static bool add_node(MbSim *sim, size_t k, size_t i, uint32_t solid, double fall) {
  MbTouching *t = sim->touching;
  const MbTouchSurface *surface = &t->surface[k];
  const MbSolid *of = &t->rules->solids[solid];
  const size_t end = surface->end[i], mover = t->rules->moved[of->body];
  const double size = fmin(surface->size, t->size[solid]), half = surface->of->thickness / 2;
  const double within = sim->model->h * speed_of(sim, end) + fall + t->way[solid] + NEAR * size;
  double local[3], n[3], x[3];
  uint32_t feature;
  if (surface->carried[i]) return true;
  mb_vec3_copy(x, place_of(sim, end));
  if (!is_near(x, within + half, &t->bounds[solid])) return true;
  mb_vec3_sub(local, x, t->E[solid].p);
  mb_quat_unrotate(local, t->E[solid].q, local);
  const double gap = mb_shape_distance(&t->shape[solid], local, n, &feature) - half;
  if (!(gap < within)) return true;
  if (end < sim->model->nb && mb_touch_excludes(t, end, of->body)) return true;
  if (!mb_grow(&t->next.touch, &t->next.room, t->next.n + 1, sizeof *t->next.touch)) return false;
  const bool still = end < sim->model->nb && t->rules->moved[end] == MB_WORLD; // a body that pins hold
  MbTouch *touch = &t->next.touch[t->next.n++];
  *touch = (MbTouch){.a = (uint32_t)(t->rules->nsolids + k),
                     .b = solid,
                     .feature_a = surface->of->node[i],
                     .feature_b = feature,
                     .nends = 2,
                     .end = {still ? MB_WORLD : end, mover == MB_WORLD ? MB_WORLD : of->body},
                     .weight = {-1, 1},
                     .gap = gap,
                     .size = size,
                     .mu = sqrt(surface->of->friction * of->friction)};
  mb_vec3_copy(touch->point, x);
  mb_quat_rotate(touch->axis[0], t->E[solid].q, n);
  mb_vec3_scale(touch->axis[0], -1, touch->axis[0]);
  return true;
}

bool mb_touch_look_surfaces(MbSim *sim, bool points) {
  MbTouching *t = sim->touching;
  const double h = sim->model->h, fall = 2 * h * h * mb_vec3_norm(sim->model->gravity);
  for (size_t k = 0; k < t->nsurfaces; k++) {
    const MbTouchSurface *surface = &t->surface[k];
    MbBounds bounds;
    if (!points && sim->model->deformables[surface->of->deformable].points) continue;
    find_bounds(sim, surface, fall, &bounds);
    for (uint32_t s = 0; s < t->rules->nsolids; s++) {
      if (!overlap(&bounds, &t->bounds[s])) continue;
      for (size_t i = 0; i < surface->of->nnodes; i++)
        if (!add_node(sim, k, i, s, fall)) return false;
    }
  }
  return true;
}
