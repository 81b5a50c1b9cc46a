// Where a contact of a deformable is when its nodes, or the solid that it meets, are moved a little: between the same features that have pushed. With a and b the points Σ w x of both sides' nodes, half of both
// thicknesses from one another where two deformables touch, and n from a to b,
//
//   node and face      n is the face's normal, w the weights of the node's foot on it
//   node and edge      n is along the way from the foot on the edge to the node
//   two nodes          n is along the way between them
//   two edges          n is square to both, w those of their nearest points
//   node and solid     n is less than nothing of how the solid's distance grows from the node
//   face, edge, solid  n and the point are found as touch_facets.c does, of the triangle as a solid
//
// on the side on which n was when it pushed, as touch_folds.c has found it. The gap is (b − a) · n less the thickness. Beyond the feature, where a step would find the next one, the gap goes on as it does beside it.
#include "core/collision/facet.h"
#include "core/collision/nearest.h"
#include "core/collision/nearest_of_triangle.h"
#include "core/sim/nodes.h"
#include "core/sim/sensitivity_met.h"

#include <math.h>
#include <string.h>

// ---- features -------------------------------------------------------------------------------------------------------

// The part of a surface that touches: its nodes by their places in the surface's list, where they are, and their weights.
typedef struct Part {
  const MbTouchSurface *surface;
  size_t n;
  uint32_t node[3];
  const double *x[3];
  double weight[3];
} Part;

static const MbTouchSurface *surface_of(const MbSim *sim, uint32_t which) {
  return &sim->touching->surface[which - sim->touching->rules->nsolids];
}

// The place of a deformable's node in the list of its surface, in which they ascend.
static uint32_t listed(const MbDeformableSurface *of, uint32_t node) {
  size_t first = 0, end = of->nnodes;
  while (end - first > 1) {
    const size_t middle = (first + end) / 2;
    if (of->node[middle] > node)
      end = middle;
    else
      first = middle;
  }
  return (uint32_t)first;
}

static void take_nodes(const MbSim *sim, const uint32_t *node, size_t n, Part *part) {
  part->n = n;
  for (size_t i = 0; i < n; i++) {
    const size_t end = part->surface->end[node[i]], nb = sim->model->nb;
    part->node[i] = node[i], part->weight[i] = n == 1;
    part->x[i] = end < nb ? sim->x.E[end].p : mb_nodes_at(sim) + 3 * (end - nb);
  }
}

static Part part_of(const MbSim *sim, uint32_t which, uint32_t feature) {
  Part part = {.surface = surface_of(sim, which)};
  const MbFaces *faces = part.surface->faces;
  if (feature & MB_FEATURE_FACE)
    take_nodes(sim, faces->corner + 3 * (size_t)(feature ^ MB_FEATURE_FACE), 3, &part);
  else if (feature & MB_FEATURE_EDGE)
    take_nodes(sim, faces->edge + 2 * (size_t)(feature ^ MB_FEATURE_EDGE), 2, &part);
  else
    take_nodes(sim, (uint32_t[]){listed(faces->of, feature)}, 1, &part);
  return part;
}

static void point_of(const Part *part, double x[3]) {
  mb_vec3_set(x, 0, 0, 0);
  for (size_t i = 0; i < part->n; i++) mb_vec3_add_scaled(x, x, part->weight[i], part->x[i]);
}

// Of nodes that bodies are those that pins hold along all axes are none.
static void add_ends(const MbSim *sim, const Part *part, double way, MbSeen *seen) {
  for (size_t i = 0; i < part->n; i++) {
    const size_t end = part->surface->end[part->node[i]];
    if (part->surface->fixed[part->node[i]] && end < sim->model->nb) continue;
    mb_met_end(sim, end, way * part->weight[i], seen);
    mb_met_follows(sim, end, seen);
  }
}

// ---- two deformables ------------------------------------------------------------------------------------------------

// Finds the foot of a node on a face or an edge. n ← the face's normal, not of unit length.
static bool find_foot(const double x[3], Part *on, double n[3]) {
  double e[3], f[3], d[3];
  mb_vec3_sub(e, on->x[1], on->x[0]);
  if (on->n == 3) {
    mb_vec3_sub(f, on->x[2], on->x[0]);
    mb_vec3_cross(n, e, f);
    return mb_nearest_foot(x, on->x, on->weight);
  }
  const double square = mb_vec3_dot(e, e);
  mb_vec3_sub(d, x, on->x[0]);
  if (!(square > 0)) return false;
  on->weight[1] = mb_vec3_dot(d, e) / square, on->weight[0] = 1 - on->weight[1];
  return true;
}

// Finds the weights of both sides, and n but for its length and way. False: there is none.
static bool find_between(Part *a, Part *b, double n[3]) {
  double x[3], y[3];
  if (a->n == 2 && b->n == 2)
    return mb_nearest_of_segments(a->x[0], a->x[1], b->x[0], b->x[1], &a->weight[1], &b->weight[1], n);
  if (a->n > 1 && b->n > 1) return false;
  if (a->n > 1 && !find_foot(b->x[0], a, n)) return false;
  if (b->n > 1 && !find_foot(a->x[0], b, n)) return false;
  if (a->n == 3 || b->n == 3) return true;
  point_of(a, x), point_of(b, y);
  mb_vec3_sub(n, y, x);
  return true;
}

// A node that lies just on an edge or a node has a normal that the surface tells, and jumps.
static bool see_fold(const MbSim *sim, const MbPushed *touch, MbSeen *seen) {
  static const double JUST = 1e-6; // of the size, as in touch_folds.c
  Part a = part_of(sim, touch->a, touch->feature_a), b = part_of(sim, touch->b, touch->feature_b);
  double x[3], y[3], n[3];
  if (!find_between(&a, &b, n)) return false;
  if (a.n == 2 && b.n == 2) a.weight[0] = 1 - a.weight[1], b.weight[0] = 1 - b.weight[1];
  const double size = mb_vec3_norm(n), way = mb_vec3_dot(n, touch->normal) < 0 ? -1 : 1;
  const bool apart = a.n != 3 && b.n != 3 && (a.n == 1 || b.n == 1);
  if (!(size > (apart ? JUST * touch->size : 0))) return false;
  mb_vec3_scale(seen->normal, way / size, n);
  point_of(&a, x), point_of(&b, y);
  for (int k = 0; k < 3; k++) seen->point[k] = (x[k] + y[k]) / 2;
  mb_vec3_sub(y, y, x);
  seen->gap = mb_vec3_dot(y, seen->normal) - (a.surface->of->thickness + b.surface->of->thickness) / 2;
  seen->n = seen->nplaces = 0;
  add_ends(sim, &a, -1, seen), add_ends(sim, &b, 1, seen);
  return true;
}

// ---- a deformable and a solid ---------------------------------------------------------------------------------------

static bool see_node(const MbSim *sim, const MbPushed *touch, Part *part, MbSeen *seen) {
  const MbPlaced solid = mb_met_placed(sim, touch->b);
  double local[3], n[3];
  uint32_t feature;
  mb_vec3_sub(local, part->x[0], solid.p);
  mb_mat3_tapply(local, solid.R, local);
  seen->gap = mb_shape_distance_of(solid.shape, local, n, &feature) - part->surface->of->thickness / 2;
  mb_mat3_apply(seen->normal, solid.R, n);
  mb_vec3_scale(seen->normal, -1, seen->normal);
  return true;
}

// Finds where a triangle meets the solid next to where it did. False: nowhere near.
static bool meet(const MbSim *sim, const MbPushed *touch, uint32_t t, Part *part, MbContactPoint *at) {
  static const double REACH = 0.1; // of the size: other points of the triangle are as good as those of a step
  const MbTouching *touching = sim->touching;
  const MbSolid *solid = &touching->rules->solids[touch->b];
  const MbContactPoint *nearest;
  MbContactPoint point[MB_CONTACT_POINTS];
  MbPose E;
  mb_pose_mul(&E, &sim->x.E[solid->body], &solid->at);
  take_nodes(sim, part->surface->faces->corner + 3 * (size_t)t, 3, part);
  const double reach = fabs(touch->gap) + part->surface->of->thickness / 2 + REACH * touch->size;
  const int n = mb_collide_facet(part->x, &touching->solids.shape[touch->b], &E, reach, point);
  for (int i = 0; i < n; i++) // a contact is on the triangle
    mb_vec3_add_scaled(point[i].position, point[i].position, -point[i].gap / 2, point[i].normal);
  if (!(nearest = mb_met_nearest(point, n, touch))) return false;
  *at = *nearest;
  return true;
}

// How unlike a point of a triangle is to the contact that it may be.
static double unlike(const MbPushed *touch, const MbContactPoint *at) {
  static const double OTHER = 1e-3; // feature of the solid
  double d[3], turned[3];
  mb_vec3_sub(d, at->position, touch->point), mb_vec3_sub(turned, at->normal, touch->normal);
  return mb_vec3_norm(d) / touch->size + mb_vec3_norm(turned) +
         (at->feature_b == touch->feature_b ? 0 : OTHER);
}

// Each of an edge's two triangles meets the solid by itself, and a step has found the contact by one of them: that is the one which has it as it was, and is held from then on. Its third node turns the normal, where the edge has no more than a corner of what lies flat.
static bool see_facet(const MbSim *sim, const MbPushed *touch, Part *part, MbSeen *seen) {
  const MbFaces *faces = part->surface->faces;
  const bool face = touch->feature_a & MB_FEATURE_FACE;
  const uint32_t number = touch->feature_a ^ (uint32_t)(face ? MB_FEATURE_FACE : MB_FEATURE_EDGE),
                 *beside = face ? &number : faces->beside + 2 * (size_t)number;
  double least = INFINITY;
  for (size_t i = 0; i < (face ? 1 : 2); i++) {
    MbContactPoint at;
    Part own = {.surface = part->surface};
    if (beside[i] == MB_NO_FACE || (seen->held && beside[i] != seen->part)) continue;
    if (!meet(sim, touch, beside[i], &own, &at)) continue;
    const double far = unlike(touch, &at);
    if (!(far < least)) continue;
    least = far, *part = own;
    if (!seen->held) seen->part = beside[i];
    mb_nearest_on_triangle(at.position, part->x, MB_NEAR_AT_NODE, part->weight);
    mb_vec3_copy(seen->normal, at.normal);
    seen->gap = at.gap - part->surface->of->thickness / 2;
  }
  seen->held = true;
  return least < INFINITY;
}

bool mb_met_see_nodes(const MbSim *sim, const MbPushed *touch, MbSeen *seen) {
  if (touch->b >= sim->touching->rules->nsolids) return see_fold(sim, touch, seen);
  Part part = part_of(sim, touch->a, touch->feature_a);
  if (!(part.n == 1 ? see_node : see_facet)(sim, touch, &part, seen)) return false;
  point_of(&part, seen->point);
  seen->n = seen->nplaces = 0;
  add_ends(sim, &part, -1, seen);
  mb_met_end(sim, sim->touching->rules->solids[touch->b].body, 1, seen);
  mb_met_follows(sim, sim->touching->rules->solids[touch->b].body, seen);
  return true;
}
