// Hulls from vertices and faces: what is found of them, and what is refused.
#include "tests/core/collision/hull_make.h"

#include "core/base/alloc.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

// Every edge has its ends in both faces, which turn it opposite ways; Euler's V − E + F = 2.
static void check(const MbHull *hull) {
  cr_assert_eq(hull->vertices + hull->faces, hull->edges + 2);
  for (uint32_t e = 0; e < hull->edges; e++) {
    const MbHullEdge *edge = &hull->edge[e];
    for (int side = 0; side < 2; side++) {
      const uint32_t face = side ? edge->right : edge->left, from = side ? edge->to : edge->from,
                     to = side ? edge->from : edge->to;
      bool found = false;
      for (uint32_t i = hull->first[face]; i < hull->first[face + 1]; i++) {
        const uint32_t next = i + 1 < hull->first[face + 1] ? i + 1 : hull->first[face];
        found |= hull->corner[i] == from && hull->corner[next] == to;
      }
      cr_assert(found, "edge %u: face %u does not have it", e, face);
    }
  }
  for (uint32_t f = 0; f < hull->faces; f++)
    for (uint32_t i = 0; i < hull->vertices; i++) {
      double d[3];
      mb_vec3_sub(d, hull->vertex + 3 * (size_t)i, hull->vertex + 3 * (size_t)hull->corner[hull->first[f]]);
      cr_assert(mb_vec3_dot(d, hull->normal + 3 * (size_t)f) < 1e-12);
    }
}

Test(hull, the_cube_random_hulls_and_prisms_are_sound) {
  uint64_t seed = 11;
  check(&mb_hull_cube);
  for (uint32_t n = 4; n < 20; n++) {
    MbHull *hull = made_hull(&seed, n);
    check(hull);
    mb_hull_free(hull);
    hull = made_prism(n, 0.5, 0.3);
    cr_assert_eq(hull->edges, 3 * n);
    check(hull);
    mb_hull_free(hull);
  }
}

Test(hull, what_is_no_hull_is_refused_by_its_fault) {
  const MbHull *cube = &mb_hull_cube;
  const int64_t live = mb_alloc_live();
  double vertex[24];
  uint32_t corner[24], first[7];
  MbHull *hull;
#define MAKE(vertices, faces) mb_hull_make(&hull, vertices, vertex, faces, first, corner)
  for (int fault = 0; fault < 7; fault++) {
    memcpy(vertex, cube->vertex, sizeof vertex);
    memcpy(corner, cube->corner, sizeof corner);
    memcpy(first, cube->first, sizeof first);
    MbHullFault got = MB_HULL_SOUND, wanted = MB_HULL_OPEN;
    switch (fault) {
    case 0: // a face is missing
      got = MAKE(8, 5);
      break;
    case 1: // one turns the other way
      corner[1] = cube->corner[3], corner[3] = cube->corner[1];
      got = MAKE(8, 6), wanted = MB_HULL_CONCAVE;
      break;
    case 2:
      vertex[0] = -0.5;
      got = MAKE(8, 6), wanted = MB_HULL_NOT_FLAT;
      break;
    case 3:
      corner[5] = 8;
      got = MAKE(8, 6), wanted = MB_HULL_FACE;
      break;
    case 4:
      vertex[4] = NAN;
      got = MAKE(8, 6), wanted = MB_HULL_FACE;
      break;
    case 5:
      mb_alloc_fail_after(0);
      got = MAKE(8, 6), wanted = MB_HULL_NO_MEMORY;
      mb_alloc_fail_after(-1);
      break;
    default: // no area
      for (int i = 0; i < 8; i++) vertex[3 * i] = vertex[3 * i + 1] = 0;
      got = MAKE(8, 6), wanted = MB_HULL_FACE;
    }
    cr_assert_eq((int)got, (int)wanted, "fault %d: got %d, wanted %d", fault, (int)got, (int)wanted);
    cr_assert_null(hull);
  }
  cr_assert_eq(mb_alloc_live(), live);
}
