// A rod as nodes. Its points x_0 … x_N are nodes, and each of the N segments between them has two more beside its middle, by which it knows how it
// is turned: with the unit tangent t at rest, d_1 and d_2 across it and an arm s,
//
//   a = (x_j + x_j+1)/2 + s d_1,   b = (x_j + x_j+1)/2 + s d_2
//
// A segment is the tetrahedron (x_j, x_j+1, a, b). Its gradient F takes directions at rest to where they are now, and is a rotation but for
// strains. The law is that of "arap" with 2μ = E, in a volume A l: ½ E A l |F − R|², so that along the segment its stiffness is E A/l; shear has
// G = E/2, and what it adds to bending is of the order of (radius/length)², as it is for Timoshenko's beam.
//
// Bending and twisting are what F changes by from a segment to the next, over the length l between their middles. When the next one is turned by a
// small rotation ω against the other, for any direction u at rest,
//
//   (F' − F) u = R (ω × u),   Σ_u c_u |(F' − F) u|² = Σ_u c_u |ω × u|²
//
// and with u the tangent t, c = B − C/2, and two directions across it, c = C/2 each, the sum is B (ω_1² + ω_2²) + C ω_t²: half of it over l is the
// energy of a round rod of bending stiffness B and twisting stiffness C (Kirchhoff). F is linear in the nodes' places, so that the energy is a
// quadratic form with a constant matrix, however far the rod is turned, bent at rest or wound up: any number of turns of twist is in
// the nodes. It needs C ≤ 2 B; a round rod of one material has C = B/(1 + ν). Where ω is not small |ω| becomes 2 sin(|ω|/2).
//
// An end whose direction is held has a handle: a node behind the end, on the tangent, and two beside the middle between the two. With the end
// itself they are the rotation F of what holds the rod, from which bending and twisting go on over half a segment's length.
//
// Of the mass m = ρ A l of a segment m r²/4 s² is at a and b each, which gives it the moment m r²/2 of a round rod
// about its axis, and the rest is at its ends in halves. d_1 and d_2 of every other segment point the other way, so that what a and b weigh
// turns the rod nowhere. s is the mean length of the segments, or the radius where that is more.
#include "core/deformables/rod.h"
#include "core/base/alloc.h"
#include "core/deformables/bending_parts.h"
#include "core/deformables/element_mesh.h"
#include "core/deformables/gradient.h"
#include "core/math/vec3.h"

#include <stdio.h>
#include <string.h>

// ---- shape ------------------------------------------------------------------------------------------------

void mb_rod_helix(const MbHelixSpec *helix, size_t i, double x[3]) {
  static const double TURN = 6.283185307179586;
  const double turns = helix->turns * (double)i / (double)(helix->nodes - 1);
  mb_vec3_set(x, helix->radius * cos(TURN * turns), helix->radius * sin(TURN * turns), helix->pitch * turns);
}

// The unit vector from point i to the next; its length.
static double tangent(const double *point, size_t i, double t[3]) {
  mb_vec3_sub(t, point + 3 * (i + 1), point + 3 * i);
  const double l = mb_vec3_norm(t);
  if (l > 0) mb_vec3_scale(t, 1 / l, t);
  return l;
}

// d_1 ← what of `like` is across t, of length 1, or any such direction where that is next to nothing; d_2 = t × d_1.
static void across(const double t[3], const double like[3], double d1[3], double d2[3]) {
  mb_vec3_add_scaled(d1, like, -mb_vec3_dot(like, t), t);
  if (!(mb_vec3_norm(d1) > 0.1)) {
    size_t least = 0;
    for (size_t k = 1; k < 3; k++)
      if (fabs(t[k]) < fabs(t[least])) least = k;
    mb_vec3_set(d1, 0, 0, 0);
    d1[least] = 1;
    mb_vec3_add_scaled(d1, d1, -t[least], t);
  }
  mb_vec3_scale(d1, 1 / mb_vec3_norm(d1), d1);
  mb_vec3_cross(d2, t, d1);
}

static MbStatus check(const double *point, size_t n, double *mean, char fault[MB_ROD_FAULT]) {
  static const double SHARP = -0.5; // cosine of the angle from a segment to the next
  double before[3] = {0}, t[3], whole = 0;
  for (size_t i = 0; i + 1 < n; i++) {
    const double l = tangent(point, i, t);
    if (!(l > 0) || !isfinite(l)) {
      snprintf(fault, MB_ROD_FAULT, "points %zu and %zu (from 0) are in one place", i, i + 1);
      return MB_SCENE;
    }
    if (i && mb_vec3_dot(before, t) < SHARP) {
      snprintf(fault, MB_ROD_FAULT,
               "it turns back by more than 120 degrees at point %zu (from 0): more points are wanted there",
               i);
      return MB_SCENE;
    }
    mb_vec3_copy(before, t);
    whole += l;
  }
  *mean = whole / (double)(n - 1);
  return MB_OK;
}

// Nodes a and b of the segment from p to q, and d_1.
static void put_beside(const double p[3], const double q[3], double arm, bool other_way, double d1[3],
                       double *a) {
  double t[3], d2[3], middle[3];
  const double s = other_way ? -arm : arm;
  mb_vec3_sub(t, q, p);
  mb_vec3_scale(t, 1 / mb_vec3_norm(t), t);
  across(t, d1, d1, d2);
  for (size_t k = 0; k < 3; k++) middle[k] = (p[k] + q[k]) / 2;
  mb_vec3_add_scaled(a, middle, s, d1);
  mb_vec3_add_scaled(a + 3, middle, s, d2);
}

MbStatus mb_rod_mesh(const double *point, size_t n, const bool held[2], MbRod *rod, MbElementMesh *mesh,
                     char fault[MB_ROD_FAULT]) {
  double mean, t[3], d1[3] = {0, 0, 1};
  const MbStatus sound = check(point, n, &mean, fault);
  if (sound != MB_OK) return sound;
  size_t nodes = n + 2 * (n - 1);
  rod->points = n, rod->arm = mean > rod->radius ? mean : rod->radius;
  for (int end = 0; end < 2; end++) {
    rod->handle[end] = held[end] ? nodes : SIZE_MAX;
    nodes += held[end] ? MB_ROD_HANDLE : 0;
  }
  *mesh = (MbElementMesh){.nodes = nodes,
                          .tets = n - 1,
                          .x = mb_calloc(nodes, 3 * sizeof(double)),
                          .tet = mb_calloc(n - 1, 4 * sizeof(uint32_t))};
  if (!mesh->x || !mesh->tet) {
    mb_element_mesh_free(mesh);
    return MB_IO;
  }
  memcpy(mesh->x, point, 3 * n * sizeof *point);
  for (size_t j = 0; j + 1 < n; j++) {
    const size_t a = n + 2 * j;
    const uint32_t corner[4] = {(uint32_t)j, (uint32_t)(j + 1), (uint32_t)a, (uint32_t)(a + 1)};
    put_beside(point + 3 * j, point + 3 * (j + 1), rod->arm, j % 2, d1, mesh->x + 3 * a);
    memcpy(mesh->tet + 4 * j, corner, sizeof corner);
  }
  for (int end = 0; end < 2; end++) {
    if (!held[end]) continue;
    double *const tip = mesh->x + 3 * rod->handle[end];
    const double *const x = point + 3 * (end ? n - 1 : 0);
    tangent(point, end ? n - 2 : 0, t);
    mb_vec3_add_scaled(tip, x, end ? rod->arm : -rod->arm, t);
    mb_vec3_set(d1, 0, 0, 1);
    put_beside(end ? x : tip, end ? tip : x, rod->arm, false, d1, tip + 3);
  }
  return MB_OK;
}

// ---- what it weighs ---------------------------------------------------------------------------------------

// The tetrahedra are l s²/6 each.
double mb_rod_volume(const MbRod *rod) { return 6 * rod->area / (rod->arm * rod->arm); }

void mb_rod_masses(const MbRod *rod, const MbElementMesh *mesh, double density, double *mass) {
  static const double HANDLE = 0.01; // of the end's mass, each of its nodes; they are held
  const double share = rod->radius * rod->radius / (4 * rod->arm * rod->arm);
  double t[3];
  for (size_t j = 0; j + 1 < rod->points; j++) {
    const double m = density * rod->area * tangent(mesh->x, j, t);
    const size_t a = rod->points + 2 * j;
    mass[a] = mass[a + 1] = share * m;
    mass[j] += (1 - 2 * share) * m / 2;
    mass[j + 1] += (1 - 2 * share) * m / 2;
  }
  for (int end = 0; end < 2; end++) {
    double *const of = &mass[end ? rod->points - 1 : 0];
    const double own = HANDLE * *of;
    for (size_t k = 0; rod->handle[end] != SIZE_MAX && k < MB_ROD_HANDLE; k++)
      mass[rod->handle[end] + k] = own, *of -= own;
  }
}

// ---- bending and twisting ---------------------------------------------------------------------------------

// Four nodes whose gradient is a rotation: F u = Σ (g_a · u) x_a.
typedef struct Frame {
  uint32_t node[4];
  double g[4][3], tangent[3], length;
} Frame;

static void find_gradients(Frame *frame, const double *x) {
  double B[9], size;
  mb_gradient_rest(3, frame->node, x, B, &size);
  mb_vec3_set(frame->g[0], 0, 0, 0);
  for (size_t a = 0; a < 3; a++) {
    mb_vec3_copy(frame->g[a + 1], B + 3 * a);
    mb_vec3_sub(frame->g[0], frame->g[0], B + 3 * a);
  }
  mb_vec3_sub(frame->tangent, x + 3 * (size_t)frame->node[1], x + 3 * (size_t)frame->node[0]);
  frame->length = mb_vec3_norm(frame->tangent);
  mb_vec3_scale(frame->tangent, 1 / frame->length, frame->tangent);
}

static Frame segment(const MbElementMesh *mesh, size_t j) {
  Frame frame;
  memcpy(frame.node, mesh->tet + 4 * j, sizeof frame.node);
  find_gradients(&frame, mesh->x);
  return frame;
}

static Frame handle(const MbRod *rod, const MbElementMesh *mesh, int end) {
  const uint32_t tip = (uint32_t)rod->handle[end], x = (uint32_t)(end ? rod->points - 1 : 0);
  Frame frame = {.node = {end ? x : tip, end ? tip : x, tip + 1, tip + 2}};
  find_gradients(&frame, mesh->x);
  return frame;
}

// What (F' − F) u costs over the length l, and F u of the mean of the two, for u = t, d_1, d_2.
typedef struct Joints {
  MbStencils cost, axes;
} Joints;

static void resist(const MbRod *rod, const Frame *from, const Frame *to, double l, Joints *joints) {
  const double along = sqrt((rod->bending - rod->twisting / 2) / l), aside = sqrt(rod->twisting / 2 / l);
  double t[3], d1[3] = {0}, d2[3];
  mb_vec3_add(t, from->tangent, to->tangent);
  mb_vec3_scale(t, 1 / mb_vec3_norm(t), t);
  across(t, d1, d1, d2);
  for (int k = 0; k < 2; k++) {
    const Frame *const frame = k ? to : from;
    const double sign = k ? 1 : -1;
    for (size_t a = 0; a < 4; a++) {
      const double *const g = frame->g[a];
      const double c[3] = {sign * along * mb_vec3_dot(g, t), sign * aside * mb_vec3_dot(g, d1),
                           sign * aside * mb_vec3_dot(g, d2)};
      const double mean[3] = {mb_vec3_dot(g, t) / 2, mb_vec3_dot(g, d1) / 2, mb_vec3_dot(g, d2) / 2};
      mb_stencil_add(&joints->cost, frame->node[a], c);
      mb_stencil_add(&joints->axes, frame->node[a], mean);
    }
  }
  mb_stencil_end(&joints->cost), mb_stencil_end(&joints->axes);
}

static void list_joints(const MbRod *rod, const MbElementMesh *mesh, Joints *joints) {
  Frame before = segment(mesh, 0);
  if (rod->handle[0] != SIZE_MAX) {
    const Frame held = handle(rod, mesh, 0);
    resist(rod, &held, &before, before.length / 2, joints);
  }
  for (size_t j = 1; j + 1 < rod->points; j++) {
    const Frame next = segment(mesh, j);
    resist(rod, &before, &next, (before.length + next.length) / 2, joints);
    before = next;
  }
  if (rod->handle[1] != SIZE_MAX) {
    const Frame held = handle(rod, mesh, 1);
    resist(rod, &before, &held, before.length / 2, joints);
  }
}

bool mb_rod_bending(const MbRod *rod, const MbElementMesh *mesh, MbBending *bending) {
  Joints joints = {0};
  list_joints(rod, mesh, &joints);
  const bool made = mb_bending_of_stencils(&joints.cost, mesh->nodes, bending);
  mb_stencils_free(&joints.cost), mb_stencils_free(&joints.axes);
  return made;
}

bool mb_rod_damper(const MbRod *rod, const MbElementMesh *mesh, MbBendingDamper *damper) {
  Joints joints = {0};
  list_joints(rod, mesh, &joints);
  *damper = (MbBendingDamper){0};
  bool made = !joints.axes.failed;
  if (made && joints.cost.count) {
    made = mb_bending_damper_take(damper, &joints.cost, joints.axes.c);
    joints.axes.c = NULL; // the damper's
  }
  mb_stencils_free(&joints.cost), mb_stencils_free(&joints.axes);
  return made;
}
