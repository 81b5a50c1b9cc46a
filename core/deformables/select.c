#include "core/deformables/select.h"
#include "core/deformables/node_mesh.h"
#include "core/deformables/rod.h"
#include "core/math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double CLOSE =
    1e-6; // of what a mesh measures along an axis: as far that way as the furthest node
static const double ROUNDING = 1e-9; // of what it measures: still on the side of a box or a ball

static void place_of(const MbPlaces *places, size_t node, double x[3]) {
  if (places->x)
    mb_vec3_copy(x, places->x + 3 * node);
  else
    mb_node_mesh_place(places->mesh, node, x);
}

static const char *select_vertices(const MbPlaces *places, const MbSelectSpec *select, bool *chosen,
                                   char fault[MB_SELECT_FAULT]) {
  const double most = (double)places->count;
  for (size_t k = 0; k < select->nvertices; k++) {
    const double node = select->vertices[k];
    if (!(node >= 0 && node < most) || node != floor(node)) {
      snprintf(fault, MB_SELECT_FAULT, "there is no node %.10g: there are %zu, numbered from 0 to %zu", node,
               places->count, places->count - 1);
      return fault;
    }
    chosen[(size_t)node] = true;
  }
  return NULL;
}

static const char *select_nearest(const MbPlaces *places, const MbSelectSpec *select, bool *chosen) {
  if (select->nnearest != 3) return "\"nearest\" is a place: three numbers";
  size_t best = 0;
  double least = INFINITY;
  for (size_t i = 0; i < places->count; i++) {
    double x[3];
    place_of(places, i, x);
    mb_vec3_sub(x, x, select->nearest);
    const double far = mb_vec3_dot(x, x);
    if (far < least) least = far, best = i;
  }
  if (best < places->count) chosen[best] = true;
  return NULL;
}

static void measure(const MbPlaces *places, double least[3], double most[3]) {
  mb_vec3_set(least, INFINITY, INFINITY, INFINITY);
  mb_vec3_set(most, -INFINITY, -INFINITY, -INFINITY);
  for (size_t i = 0; i < places->count; i++) {
    double x[3];
    place_of(places, i, x);
    for (int k = 0; k < 3; k++) least[k] = fmin(least[k], x[k]), most[k] = fmax(most[k], x[k]);
  }
}

static const char *select_side(const MbPlaces *places, const MbSelectSpec *select, bool *chosen) {
  const char *side = select->side;
  if (strlen(side) != 2 || !strchr("+-", side[0]) || !strchr("xyz", side[1]))
    return "a side is \"+x\", \"-x\", \"+y\", \"-y\", \"+z\" or \"-z\"";
  const int axis = side[1] - 'x';
  const bool up = side[0] == '+';
  double least[3], most[3];
  measure(places, least, most);
  const double near = CLOSE * (most[axis] - least[axis]);
  for (size_t i = 0; i < places->count; i++) {
    double x[3];
    place_of(places, i, x);
    chosen[i] |= up ? x[axis] >= most[axis] - near : x[axis] <= least[axis] + near;
  }
  return NULL;
}

static const char *select_within(const MbPlaces *places, const MbSelectSpec *select, bool *chosen) {
  double least[3], most[3], size[3];
  measure(places, least, most);
  mb_vec3_sub(size, most, least);
  const double near = ROUNDING * mb_vec3_norm(size);
  bool any = false;
  for (size_t i = 0; i < places->count; i++) {
    double x[3];
    place_of(places, i, x);
    bool inside = true;
    for (int k = 0; k < 3 && select->in_box; k++)
      inside &= x[k] >= select->box[0][k] - near && x[k] <= select->box[1][k] + near;
    mb_vec3_sub(x, x, select->center);
    if (select->in_sphere) inside = mb_vec3_norm(x) <= select->radius + near;
    chosen[i] |= inside;
    any |= inside;
  }
  return any              ? NULL
         : select->in_box ? "no node is in this box; places are those of the mesh before \"pose\""
                          : "no node is in this sphere; places are those of the mesh before \"pose\"";
}

MbPlaces mb_places_of(const MbElements *elements) {
  const MbRod *rod = elements->rod.points ? &elements->rod : NULL;
  return (MbPlaces){.count = rod ? rod->points : elements->mesh.nodes, .x = elements->mesh.x, .rod = rod};
}

// An end of a rod, and its handle.
static const char *select_clamp(const MbPlaces *places, const MbSelectSpec *select, bool *chosen) {
  const bool last = !strcmp(select->clamp, "last");
  if (!last && strcmp(select->clamp, "first")) return "\"clamp\" is \"first\" or \"last\"";
  if (!places->rod) return "\"clamp\" is an end of a rod with its direction: other deformables have none";
  const size_t handle = places->rod->handle[last];
  if (handle == SIZE_MAX) return "\"clamp\" is for pins and for bodies that hold an end";
  chosen[last ? places->count - 1 : 0] = true;
  for (size_t k = 0; k < MB_ROD_HANDLE; k++) chosen[handle + k] = true;
  return NULL;
}

const char *mb_select(const MbPlaces *places, const MbSelectSpec *select, bool *chosen,
                      char fault[MB_SELECT_FAULT]) {
  const int given = (select->nvertices > 0) + (select->nnearest > 0) + (select->side != NULL) +
                    (select->clamp != NULL) + select->in_box + select->in_sphere;
  if (given != 1) return "give one of \"vertices\", \"nearest\", \"side\", \"box\", \"sphere\" and \"clamp\"";
  if (select->nvertices) return select_vertices(places, select, chosen, fault);
  if (select->clamp) return select_clamp(places, select, chosen);
  if (select->nnearest) return select_nearest(places, select, chosen);
  return select->side ? select_side(places, select, chosen) : select_within(places, select, chosen);
}

const char *mb_node_mesh_select(const MbNodeMeshSpec *mesh, const MbSelectSpec *select, bool *chosen,
                                char fault[MB_SELECT_FAULT]) {
  return mb_select(&(MbPlaces){.count = mb_node_mesh_count(mesh), .mesh = mesh}, select, chosen, fault);
}
