// Where deformables touch one another and themselves: nodes over triangles, edges across edges, half of both thicknesses apart. A tree of
// boxes over each surface tells which triangles come near one another; each node and each edge is looked at with one triangle that has it.
//
// Which side of a sheet something is on is where it is when the step begins. It stays there: each pair that may come together within the step
// is listed, and its gap, as it changes with the nodes' velocities by the directions and weights of the step's start, is kept from closing;
// what that leaves out is of the order of the step's turns squared, and has the thickness to use up before anything is past a sheet. What
// tetrahedra fill has an inside, so that there the triangles' own sides decide.
//
// Pairs that are nearer at rest than the thickness, as neighbours are, are no contacts. Forces are shared out by the weights of the points they
// act at: both sides get the same, on both sides of the gap; a friction force along a gap of thickness d leaves a torque of d times itself.
#include "core/collision/nearest.h"
#include "core/sim/touch.h"

static const double NEAR = 0.05,    // of the size: listed whatever the velocities
    FARTHEST = 2,                   // of the size: by velocities nothing is listed beyond
    DEEP = 0.5,                     // of the size: what is farther inside of a solid is not there
    TOUCHES = 1e-6, FLAT = 1e-9,    // of the size; of a triangle
    RISES = 1e-6, RISES_EDGE = 0.1, // sines: of neighbours along the way to a node, to an edge
    RIDGE = 1e-3,                   // a sine: what falls away by less beside an edge is flat
    TURNED = 0.2;                   // the cosine by which solids' normals may look the same way

typedef struct Folding {
  MbSim *sim;
  size_t k, l;
  const MbTouchSurface *surface[2];
  const MbFaces *faces[2];
  double size, thickness, mu, most, always;
} Folding;

static bool is_self(const Folding *f) { return f->k == f->l; }

static const double *place_of(const MbFaces *faces, uint32_t node) { return faces->x + 3 * (size_t)node; }
static const double *rest_of(const MbFaces *faces, uint32_t node) { return faces->rest + 3 * (size_t)node; }

// By how much the gap between some nodes may close in the step, as they move now; twice that, as what comes behind may push.
static double reach_of(const Folding *f, const uint32_t *a, size_t na, const uint32_t *b, size_t nb) {
  double fastest = 0;
  for (size_t i = 0; i < na; i++)
    for (size_t j = 0; j < nb; j++) {
      double d[3];
      mb_vec3_sub(d, f->faces[0]->v + 3 * (size_t)a[i], f->faces[1]->v + 3 * (size_t)b[j]);
      fastest = fmax(fastest, mb_vec3_norm(d));
    }
  return fmin(2 * f->sim->model->h * fastest + f->always, FARTHEST * f->size) + NEAR * f->size;
}

// What at rest is no farther apart is no contact.
static double joined(const Folding *f) {
  return f->faces[0]->closed ? fmax(f->thickness, DEEP * f->size) : f->thickness * (1 + 1e-9);
}

static bool add(const Folding *f, const uint32_t feature[2], const uint32_t *a, const double *wa, size_t na,
                const uint32_t *b, const double *wb, size_t nb, const double n[3], double gap) {
  bool moves = false;
  for (size_t i = 0; i < na; i++) moves |= !f->surface[0]->fixed[a[i]];
  for (size_t i = 0; i < nb; i++) moves |= !f->surface[1]->fixed[b[i]];
  if (!moves) return true;
  MbTouch *touch = mb_touch_gathered(f->sim->touching);
  if (!touch) return false;
  const size_t nsolids = f->sim->touching->rules->nsolids;
  *touch = (MbTouch){.a = (uint32_t)(nsolids + f->k),
                     .b = (uint32_t)(nsolids + f->l),
                     .feature_a = feature[0],
                     .feature_b = feature[1],
                     .gap = gap,
                     .size = f->size,
                     .mu = f->mu,
                     .ends = touch->ends};
  MbTouchEnds *ends = &f->sim->touching->found.ends[touch->ends];
  mb_vec3_copy(touch->normal, n);
  for (size_t i = 0; i < na; i++) {
    mb_touch_end(f->sim, ends, f->surface[0], a[i], -wa[i]);
    mb_vec3_add_scaled(touch->point, touch->point, wa[i] / 2, place_of(f->faces[0], a[i]));
  }
  for (size_t i = 0; i < nb; i++) {
    mb_touch_end(f->sim, ends, f->surface[1], b[i], wb[i]);
    mb_vec3_add_scaled(touch->point, touch->point, wb[i] / 2, place_of(f->faces[1], b[i]));
  }
  mb_touch_close(ends);
  return true;
}

// ---- a node and a triangle, or another node ---------------------------------------------------------------

// A part of a surface that is nearest to a node.
typedef struct Foot {
  size_t n;         // nodes that hold it
  uint32_t node[3]; // of its surface
  double weight[3];
  uint32_t feature, triangle, edge; // edge: where n is 2
  double normal[3];                 // of the surface there, if that is known
} Foot;

static void find_foot(const MbFaces *faces, uint32_t element, const double x[3], Foot *foot) {
  static const uint32_t side_of[8] = {[3] = 0, [6] = 1, [5] = 2};
  *foot = (Foot){.n = 1, .node = {element}, .weight = {1}, .triangle = element};
  if (faces->of->ntriangles) {
    const uint32_t *corner = faces->corner + 3 * (size_t)element;
    const double *at[3];
    double weight[3];
    for (size_t i = 0; i < 3; i++) at[i] = place_of(faces, corner[i]);
    const unsigned held = mb_nearest_on_triangle(x, at, FLAT, weight);
    foot->n = 0;
    for (size_t i = 0; i < 3; i++)
      if (held >> i & 1) foot->node[foot->n] = corner[i], foot->weight[foot->n++] = weight[i];
    if (foot->n == 2) foot->edge = faces->side[3 * (size_t)element + side_of[held]];
  }
  if (foot->n == 3) {
    foot->feature = MB_FEATURE_FACE | element;
    mb_vec3_copy(foot->normal, faces->normal + 3 * (size_t)element);
  } else if (foot->n == 2) {
    foot->feature = MB_FEATURE_EDGE | foot->edge;
    mb_faces_edge_normal(faces, foot->edge, foot->normal);
  } else {
    foot->feature = mb_faces_number(faces, foot->node[0]);
    mb_faces_node_normal(faces, foot->node[0], foot->normal);
  }
}

static bool leads(const MbFaces *faces, const Foot *foot, const double up[3]) {
  if (foot->n == 2) return mb_faces_edge_leads(faces, foot->edge, MB_NO_FACE, up, RISES);
  return foot->n == 3 || mb_faces_node_leads(faces, foot->node[0], up, RISES);
}

// The direction `up` from the foot to the node, and how far it is that way. False: there is none.
static bool find_up(const Folding *f, const MbFaces *faces, const Foot *foot, const double x[3], double up[3],
                    double *height) {
  const double size = mb_vec3_norm(foot->normal);
  double d[3];
  mb_vec3_copy(d, x);
  for (size_t i = 0; i < foot->n; i++)
    mb_vec3_add_scaled(d, d, -foot->weight[i], place_of(faces, foot->node[i]));
  const double far = mb_vec3_norm(d), along = size > 0 ? mb_vec3_dot(d, foot->normal) / size : 0;
  const bool turned = along < 0, flat = foot->n == 3 || (size > 0 && !(far > TOUCHES * f->size));
  if (!flat && !(far > 0)) return false;
  mb_vec3_scale(up, flat ? 1 / size : 1 / far, flat ? foot->normal : d);
  // a sheet is met from where the node is, a solid from outside
  if (turned && flat != faces->closed) mb_vec3_scale(up, -1, up);
  *height = mb_vec3_dot(d, up);
  return true;
}

static bool is_rest_apart(const Folding *f, const MbFaces *faces, uint32_t v, uint32_t element) {
  double weight[3] = {1, 0, 0}, d[3];
  const double *at[3] = {0};
  const bool triangles = faces->of->ntriangles > 0;
  for (size_t i = 0; i < 3; i++)
    at[i] = rest_of(faces, triangles ? faces->corner[3 * (size_t)element + i] : element);
  if (triangles) mb_nearest_on_triangle(rest_of(faces, v), at, 0, weight);
  mb_vec3_copy(d, rest_of(faces, v));
  for (size_t i = 0; i < 3; i++) mb_vec3_add_scaled(d, d, -weight[i], at[i]);
  return mb_vec3_norm(d) > joined(f);
}

static bool is_of(const MbFaces *faces, uint32_t element, uint32_t v) {
  if (!faces->of->ntriangles) return element == v;
  const uint32_t *corner = faces->corner + 3 * (size_t)element;
  return corner[0] == v || corner[1] == v || corner[2] == v;
}

// Node v of surface `side` and an element of the other one.
static bool see_node(const Folding *f, int side, uint32_t v, uint32_t element) {
  const int other = 1 - side;
  const MbFaces *own = f->faces[side], *faces = f->faces[other];
  const double *x = place_of(own, v);
  Foot foot;
  double up[3], height, outward[3];
  if (f->surface[side]->carried[v] || (is_self(f) && is_of(faces, element, v))) return true;
  find_foot(faces, element, x, &foot);
  for (size_t i = 0; i < foot.n; i++)
    if (f->surface[other]->carried[foot.node[i]]) return true;
  // two nodes are looked at from both sides
  if (foot.n == 1 && (is_self(f) ? v >= foot.node[0] : side == 1)) return true;
  if (!find_up(f, faces, &foot, x, up, &height)) return true;
  const double gap = height - f->thickness;
  const uint32_t *a = side ? foot.node : &v, *b = side ? &v : foot.node;
  if (!(gap < reach_of(f, a, side ? foot.n : 1, b, side ? 1 : foot.n)) || height < -DEEP * f->size)
    return true;
  if (!leads(faces, &foot, up)) return true;
  if (own->closed && faces->closed) {
    mb_faces_node_normal(own, v, outward);
    if (mb_vec3_dot(outward, up) > TURNED * mb_vec3_norm(outward)) return true;
  }
  if (is_self(f) && !is_rest_apart(f, faces, v, element)) return true;
  const double one = 1;
  const uint32_t number = mb_faces_number(own, v);
  if (side)
    return add(f, (uint32_t[]){foot.feature, number}, foot.node, foot.weight, foot.n, &v, &one, 1, up, gap);
  mb_vec3_scale(up, -1, up);
  return add(f, (uint32_t[]){number, foot.feature}, &v, &one, 1, foot.node, foot.weight, foot.n, up, gap);
}

// ---- two edges --------------------------------------------------------------------------------------------

// Turns n so that it leads from the first edge to the second one. False: it cannot be told, or they are turned away from one another.
static bool turn(const Folding *f, uint32_t e, uint32_t g, const double d[3], double n[3]) {
  double outward[2][3], along[2], sum = 0;
  mb_faces_edge_normal(f->faces[0], e, outward[0]);
  mb_faces_edge_normal(f->faces[1], g, outward[1]);
  for (int k = 0; k < 2; k++) {
    const double size = mb_vec3_norm(outward[k]);
    along[k] = f->faces[k]->closed && size > 0 ? (k ? -1 : 1) * mb_vec3_dot(outward[k], n) / size : 0;
    sum += along[k];
  }
  if (!f->faces[0]->closed && !f->faces[1]->closed) sum = mb_vec3_dot(d, n);
  if (sum == 0) return false;
  if (sum < 0) mb_vec3_scale(n, -1, n), along[0] = -along[0], along[1] = -along[1];
  return along[0] > -TURNED && along[1] > -TURNED;
}

static bool is_rest_apart_edges(const Folding *f, const uint32_t *a, const uint32_t *b) {
  const MbFaces *faces = f->faces[0];
  double s, t, n[3], d[3];
  const double *const p[2] = {rest_of(faces, a[0]), rest_of(faces, a[1])}, *const q[2] = {
                                                                               rest_of(faces, b[0]),
                                                                               rest_of(faces, b[1])};
  mb_nearest_of_segments(p[0], p[1], q[0], q[1], &s, &t, n);
  for (int k = 0; k < 3; k++) d[k] = (1 - s) * p[0][k] + s * p[1][k] - (1 - t) * q[0][k] - t * q[1][k];
  return mb_vec3_norm(d) > joined(f);
}

static bool see_edges(const Folding *f, uint32_t e, uint32_t g) {
  const uint32_t *a = f->faces[0]->edge + 2 * (size_t)e, *b = f->faces[1]->edge + 2 * (size_t)g;
  double s, t, n[3], d[3], back[3];
  if (is_self(f) && (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1])) return true;
  for (size_t i = 0; i < 2; i++)
    if (f->surface[0]->carried[a[i]] || f->surface[1]->carried[b[i]]) return true;
  const double *p[2] = {place_of(f->faces[0], a[0]), place_of(f->faces[0], a[1])},
               *q[2] = {place_of(f->faces[1], b[0]), place_of(f->faces[1], b[1])};
  if (!mb_nearest_of_segments(p[0], p[1], q[0], q[1], &s, &t, n)) return true;
  // what ends there is a node's
  if (s < FLAT || s > 1 - FLAT || t < FLAT || t > 1 - FLAT) return true;
  for (int k = 0; k < 3; k++) d[k] = (1 - t) * q[0][k] + t * q[1][k] - (1 - s) * p[0][k] - s * p[1][k];
  if (!turn(f, e, g, d, n)) return true;
  const double height = mb_vec3_dot(d, n), gap = height - f->thickness;
  if (!(gap < reach_of(f, a, 2, b, 2)) || height < -DEEP * f->size) return true;
  mb_vec3_scale(back, -1, n);
  if (!mb_faces_edge_leads(f->faces[0], e, MB_NO_FACE, n, RISES_EDGE) ||
      !mb_faces_edge_leads(f->faces[1], g, MB_NO_FACE, back, RISES_EDGE))
    return true;
  // along a ridge or a rim over what is flat the gap is linear, and least at nodes or where another ridge crosses
  if (mb_faces_edge_falls(f->faces[0], e, n) < RIDGE || mb_faces_edge_falls(f->faces[1], g, back) < RIDGE)
    return true;
  if (is_self(f) && !is_rest_apart_edges(f, a, b)) return true;
  const bool turned = is_self(f) && e > g;
  const double wa[2] = {1 - s, s}, wb[2] = {1 - t, t};
  const uint32_t feature[2] = {MB_FEATURE_EDGE | e, MB_FEATURE_EDGE | g},
                 swapped[2] = {feature[1], feature[0]};
  if (turned) return add(f, swapped, b, wb, 2, a, wa, 2, back, gap);
  return add(f, feature, a, wa, 2, b, wb, 2, n, gap);
}

// ---- all of them ------------------------------------------------------------------------------------------

// Nodes and sides that element `own` of a surface is looked at for, with another element.
static bool see_nodes(const Folding *f, int side, uint32_t own, uint32_t other) {
  const MbFaces *faces = f->faces[side];
  for (unsigned i = 0; i < 3; i++) {
    const uint32_t v = faces->of->ntriangles ? faces->corner[3 * (size_t)own + i] : own;
    // of itself a surface's nodes are the first side's
    if (faces->own[own] >> i & 1 && !see_node(f, is_self(f) ? 0 : side, v, other)) return false;
  }
  return true;
}

static bool see(void *context, uint32_t a, uint32_t b) {
  const Folding *f = context;
  if (!see_nodes(f, 0, a, b) || !see_nodes(f, 1, b, a)) return false;
  if (!f->faces[0]->of->ntriangles || !f->faces[1]->of->ntriangles) return true;
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++) {
      if (!(f->faces[0]->own[a] >> (3 + i) & 1) || !(f->faces[1]->own[b] >> (3 + j) & 1)) continue;
      if (!see_edges(f, f->faces[0]->side[3 * (size_t)a + i], f->faces[1]->side[3 * (size_t)b + j]))
        return false;
    }
  return true;
}

bool mb_touch_may_fold(const MbSim *sim, size_t k, size_t l) {
  const MbTouching *t = sim->touching;
  const MbDeformableSurface *a = t->surface[k].of, *b = t->surface[l].of;
  if (k == l) return a->self;
  return !mb_touch_excludes(t, sim->model->nb + a->deformable, sim->model->nb + b->deformable);
}

bool mb_touch_look_folds(MbSim *sim, size_t k, size_t l, double fall) {
  MbTouching *t = sim->touching;
  const MbTouchSurface *a = &t->surface[k], *b = &t->surface[l];
  double d[3];
  Folding f = {.sim = sim,
               .k = k,
               .l = l,
               .surface = {a, b},
               .faces = {a->faces, b->faces},
               .size = fmin(a->size, b->size),
               .thickness = (a->of->thickness + b->of->thickness) / 2,
               .always = fall + fmax(a->pace, b->pace)};
  f.mu = mb_touch_friction(sim, k, (uint32_t)(t->rules->nsolids + l));
  mb_vec3_sub(d, a->faces->mean, b->faces->mean);
  const double fastest = mb_vec3_norm(d) + a->faces->spread + b->faces->spread;
  f.most = fmin(2 * sim->model->h * fastest + f.always, FARTHEST * f.size) + NEAR * f.size;
  mb_faces_fit(a->faces), mb_faces_fit(b->faces);
  mb_touch_gather(t);
  return mb_faces_pairs(a->faces, b->faces, f.most + f.thickness, see, &f) && mb_touch_add_gathered(t);
}
