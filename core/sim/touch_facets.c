// Where triangles and edges of deformables touch the shapes of bodies: corners, edges and round sides that come between nodes. Each triangle
// near a shape meets it as a solid of no thickness (collision/facet.h), which tells up to four points, and a force there is shared out over the
// triangle's nodes by the point's weights Σ w_i x_i = x: so the nodes get the force and its torque, and the body the opposite of both.
//
// Round sides that bend little beside a triangle are met by nodes alone: what comes through between these is a chord's rise, at most a
// sixteenth of an edge.
//
// Points at a node are the node's own contacts. Those at an edge count once, where the direction belongs to the edge: where the triangle on
// its other side rises along that, this triangle is the nearer one. So what slides over a surface of many triangles meets no inner edges.
// An edge of a shape that lies on a triangle, but for a few degrees, meets it from one side to the other: the triangle itself may rise from
// one of these, which is as near as not to be left to the next step.
#include "core/base/alloc.h"
#include "core/base/threads.h"
#include "core/collision/facet.h"
#include "core/collision/nearest.h"
#include "core/sim/touch.h"

#include <string.h>

static const double
    AT_NODE = MB_NEAR_AT_NODE, // a share of the triangle
    RISES = 1e-3, ROUND = 4,
    SIDE = 0.1; // a sine; half edges of a radius that bends little; the cosine of its normal and the axis

typedef struct Meeting {
  MbSim *sim;
  MbTouchSurface *surface;
  size_t k;
  uint32_t solid;
  const MbNearPair *pair;
  const MbNearSolid *at;
  double size;
  size_t first;            // of the batch, among the triangles that are near
  const MbTouchSeen *seen; // NULL: the processor has found which are
} Meeting;

// Nodes that a body carries, or that rows hold at this one, are not asked to leave it.
static bool takes_part(const Meeting *m, const uint32_t corner[3]) {
  const MbTouching *t = m->sim->touching;
  const MbModel *model = m->sim->model;
  bool free = t->rules->moved[t->rules->solids[m->solid].body] != MB_WORLD;
  for (size_t i = 0; i < 3; i++) {
    const size_t end = m->surface->end[corner[i]];
    if (m->surface->carried[corner[i]]) return false;
    if (end < model->nb && mb_touch_excludes(t, end, t->rules->solids[m->solid].body)) return false;
    free |= !m->surface->fixed[corner[i]];
  }
  return free;
}

// How near the triangle has to be.
static double reach_of(const Meeting *m, const uint32_t corner[3]) {
  const double *v[3];
  for (size_t i = 0; i < 3; i++) v[i] = m->surface->faces->v + 3 * (size_t)corner[i];
  return mb_near_triangle_reach(m->pair, m->at, v);
}

// The least radius of what is round of a shape.
static double least_radius(const MbShape *shape) {
  const double *r = shape->axes;
  switch (shape->form) {
  case MB_FORM_SPHERE:
  case MB_FORM_CAPSULE:
  case MB_FORM_CYLINDER:
    return shape->radius;
  case MB_FORM_ELLIPSOID: {
    const double least = fmin(r[0], fmin(r[1], r[2])), most = fmax(r[0], fmax(r[1], r[2]));
    return least * least / most;
  }
  default:
    return 0;
  }
}

static bool bends_little(const MbShape *shape, const MbTouchSurface *surface) {
  return least_radius(shape) > ROUND * surface->size;
}

bool mb_touch_facets_meet(const MbSim *sim, size_t k, uint32_t solid) {
  const MbTouchSurface *surface = &sim->touching->surface[k];
  const MbShape *shape = &sim->touching->solids.shape[solid];
  if (!surface->of->ntriangles || shape->form == MB_FORM_PLANE) return false;
  return shape->form == MB_FORM_CYLINDER || !bends_little(shape, surface);
}

// Whether a point is on a cylinder's side, which its rims are not.
static bool is_on_side(const Meeting *m, const double n[3]) {
  double axis[3];
  mb_quat_rotate(axis, m->sim->touching->E[m->solid].q, (double[]){0, 0, 1});
  return bends_little(&m->sim->touching->solids.shape[m->solid], m->surface) &&
         fabs(mb_vec3_dot(axis, n)) < SIDE;
}

// The feature of a point of a triangle, MB_NO_FACE where it is a node's or another triangle's.
static uint32_t feature_of(const MbFaces *faces, uint32_t t, unsigned held, const double n[3]) {
  static const uint32_t side_of[8] = {[3] = 0, [6] = 1, [5] = 2};
  if (held == 7) {
    const bool inside_out = faces->closed && mb_vec3_dot(n, faces->normal + 3 * (size_t)t) < 0;
    return inside_out ? MB_NO_FACE : MB_FEATURE_FACE | t;
  }
  if (held != 3 && held != 6 && held != 5) return MB_NO_FACE;
  const uint32_t edge = faces->side[3 * (size_t)t + side_of[held]];
  return mb_faces_edge_leads(faces, edge, t, n, RISES) ? MB_FEATURE_EDGE | edge : MB_NO_FACE;
}

// ---- contacts that are found, by feature --------------------------------------------------------------------

// 1 + the number of the last contact at a feature.
static uint32_t *last_at(MbTouchFacets *facets, const MbFaces *faces, uint32_t feature) {
  const bool face = feature & MB_FEATURE_FACE;
  return &facets->last[face ? feature ^ MB_FEATURE_FACE : faces->nelements + (feature ^ MB_FEATURE_EDGE)];
}

static bool features_reserve(MbTouchFacets *facets, const MbFaces *faces) {
  const size_t n = faces->nelements + faces->nedges, room = facets->last_room;
  if (!mb_grow(&facets->last, &facets->last_room, n, sizeof *facets->last)) return false;
  if (facets->last_room > room)
    memset(facets->last + room, 0, (facets->last_room - room) * sizeof *facets->last);
  return true;
}

// Takes note of the last contact that was found.
static bool features_add(MbTouching *t, const MbFaces *faces, uint32_t feature) {
  MbTouchFacets *facets = &t->facets;
  uint32_t *last = last_at(facets, faces, feature);
  if (!mb_grow(&facets->before, &facets->before_room, t->found.n, sizeof *facets->before)) return false;
  facets->before[t->found.n - 1] = *last;
  *last = (uint32_t)t->found.n;
  return true;
}

static void features_clear(MbTouching *t, const MbFaces *faces) {
  for (size_t i = 0; i < t->found.n; i++) *last_at(&t->facets, faces, t->found.touch[i].feature_a) = 0;
}

static bool is_there(MbTouching *t, const MbFaces *faces, uint32_t feature, const double x[3], double size) {
  for (uint32_t i = *last_at(&t->facets, faces, feature); i; i = t->facets.before[i - 1]) {
    double d[3];
    mb_vec3_sub(d, t->found.touch[i - 1].point, x);
    if (mb_vec3_norm(d) < AT_NODE * size) return true;
  }
  return false;
}

// ---- a triangle and a solid ---------------------------------------------------------------------------------

static bool add_point(const Meeting *m, uint32_t t, const double *const x[3], const MbContactPoint *point) {
  MbTouching *touching = m->sim->touching;
  const MbFaces *faces = m->surface->faces;
  double on[3], weight[3];
  mb_vec3_add_scaled(on, point->position, -point->gap / 2, point->normal);
  const unsigned held = mb_nearest_on_triangle(on, x, AT_NODE, weight);
  const uint32_t feature = feature_of(faces, t, held, point->normal);
  if (touching->solids.shape[m->solid].form == MB_FORM_CYLINDER && is_on_side(m, point->normal)) return true;
  if (feature == MB_NO_FACE || is_there(touching, faces, feature, on, m->size)) return true;
  MbTouch *touch = mb_touch_gathered(touching);
  if (!touch) return false;
  *touch = (MbTouch){.a = (uint32_t)(touching->rules->nsolids + m->k),
                     .b = m->solid,
                     .feature_a = feature,
                     .feature_b = point->feature_b,
                     .gap = point->gap - m->surface->of->thickness / 2,
                     .size = m->size,
                     .mu = mb_touch_friction(m->sim, m->k, m->solid),
                     .ends = touch->ends};
  MbTouchEnds *ends = &touching->found.ends[touch->ends];
  for (size_t i = 0; i < 3; i++)
    mb_touch_end(m->sim, ends, m->surface, faces->corner[3 * (size_t)t + i], -weight[i]);
  mb_touch_end_solid(m->sim, ends, m->solid);
  mb_touch_close(ends);
  mb_vec3_copy(touch->normal, point->normal);
  for (size_t i = 0; i < 3; i++) mb_vec3_add_scaled(touch->point, touch->point, weight[i], x[i]);
  return features_add(touching, faces, feature);
}

// Notes a triangle whose box is near the solid's.
static bool see(void *context, uint32_t t) {
  MbTouchFacets *facets = &((const Meeting *)context)->sim->touching->facets;
  if (!mb_grow(&facets->near, &facets->near_room, facets->n + 1, sizeof *facets->near)) return false;
  facets->near[facets->n++] = t;
  return true;
}

static void places_of(const Meeting *m, uint32_t t, const double *x[3]) {
  for (size_t i = 0; i < 3; i++)
    x[i] = m->surface->faces->x + 3 * (size_t)m->surface->faces->corner[3 * (size_t)t + i];
}

// Takes where a triangle meets the solid, if somebody else has found that.
static bool take_points(const MbTouchSeen *seen, size_t i, MbContactPoint *out, int *count) {
  if (!seen || seen->face[i].points == MB_NEAR_LEFT) return false;
  const MbNearFace *face = &seen->face[i];
  for (size_t k = 0; k < face->points; k++) out[k] = seen->point[face->first + k];
  *count = (int)face->points;
  return true;
}

// Lets triangles begin to end of a batch meet the solid, each by itself.
static void meet(void *context, size_t begin, size_t end) {
  const Meeting *m = context;
  const MbTouching *touching = m->sim->touching;
  const MbTouchFacets *facets = &touching->facets;
  for (size_t i = begin; i < end; i++) {
    const uint32_t t = facets->near[m->first + i], *corner = m->surface->faces->corner + 3 * (size_t)t;
    MbContactPoint *point = facets->point + MB_CONTACT_POINTS * i;
    facets->count[i] = 0;
    if (!takes_part(m, corner) || take_points(m->seen, m->first + i, point, &facets->count[i])) continue;
    const double reach = reach_of(m, corner), *x[3];
    places_of(m, t, x);
    if (mb_near_aside(m->at, x, reach)) continue;
    facets->count[i] =
        mb_collide_facet(x, &touching->solids.shape[m->solid], &touching->E[m->solid], reach, point);
  }
}

// Threads share the triangles, whose points are then taken in the triangles' order: so contacts are the same on any number of threads.
static bool meet_all(Meeting *m) {
  enum { BATCH = 1024, GRAIN = 32 };
  MbTouchFacets *facets = &m->sim->touching->facets;
  const size_t n = facets->n < BATCH ? facets->n : BATCH;
  if (!mb_grow(&facets->count, &facets->count_room, n, sizeof *facets->count) ||
      !mb_grow(&facets->point, &facets->point_room, MB_CONTACT_POINTS * n, sizeof *facets->point))
    return false;
  for (m->first = 0; m->first < facets->n; m->first += BATCH) {
    const size_t left = facets->n - m->first, some = left < BATCH ? left : BATCH;
    mb_parallel_ranges(m->sim->threads, some, GRAIN, meet, m);
    for (size_t i = 0; i < some; i++) {
      const uint32_t t = facets->near[m->first + i];
      const double *x[3];
      places_of(m, t, x);
      for (int k = 0; k < facets->count[i]; k++)
        if (!add_point(m, t, x, &facets->point[MB_CONTACT_POINTS * i + (size_t)k])) return false;
    }
  }
  return true;
}

// Those that were seen elsewhere, whose order is the tree's.
static bool take_seen(MbTouchFacets *facets, const MbFaces *faces, const MbTouchSeen *seen) {
  if (!mb_grow(&facets->near, &facets->near_room, seen->nfaces, sizeof *facets->near)) return false;
  for (size_t i = 0; i < seen->nfaces; i++) facets->near[i] = faces->order[seen->face[i].triangle];
  facets->n = seen->nfaces;
  return true;
}

static bool find_near(Meeting *m) {
  MbTouching *t = m->sim->touching;
  const MbTouchSurface *surface = m->surface;
  t->facets.n = 0;
  if (m->seen) return take_seen(&t->facets, surface->faces, m->seen);
  // the solid's box has its own way in it
  const double within = m->pair->h * surface->fastest + m->pair->fall + MB_NEAR_SHARE * surface->size +
                        surface->of->thickness / 2;
  mb_faces_fit(surface->faces);
  return mb_faces_near(surface->faces, &t->bounds[m->solid], within, see, m);
}

bool mb_touch_look_facets(MbSim *sim, const MbNearPair *pair, const MbTouchSeen *seen) {
  MbTouching *t = sim->touching;
  const uint32_t solid = pair->solid;
  MbTouchSurface *surface = &t->surface[pair->surface];
  if (!pair->facets) return true;
  Meeting m = {.sim = sim,
               .surface = surface,
               .k = pair->surface,
               .solid = solid,
               .pair = pair,
               .at = &t->sight.solid[solid],
               .size = pair->size,
               .seen = seen};
  mb_touch_gather(t);
  if (!features_reserve(&t->facets, surface->faces)) return false;
  const bool met = find_near(&m) && meet_all(&m) && mb_touch_add_gathered(t);
  features_clear(t, surface->faces);
  return met;
}
