#include "core/deformables/element_mesh.h"
#include "core/base/alloc.h"
#include "core/math/vec3.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// Sums of some ten thousand products of numbers about one
static const double ROUNDING = 1e-11;

static void no_leaks(void) { cr_assert_eq(mb_alloc_live(), 0); }
TestSuite(element_mesh, .fini = no_leaks);

static double tet_volume(const MbElementMesh *mesh, size_t t) {
  double edge[3][3], normal[3];
  for (size_t k = 0; k < 3; k++)
    mb_vec3_sub(edge[k], mesh->x + 3 * mesh->tet[4 * t + k + 1], mesh->x + 3 * mesh->tet[4 * t]);
  mb_vec3_cross(normal, edge[0], edge[1]);
  return mb_vec3_dot(normal, edge[2]) / 6;
}

// All of them positive, and what they are together
static double volume_of(const MbElementMesh *mesh) {
  double sum = 0;
  for (size_t t = 0; t < mesh->tets; t++) {
    const double one = tet_volume(mesh, t);
    cr_assert(one > 0, "tetrahedron %zu has volume %g", t, one);
    sum += one;
  }
  return sum;
}

static double area_of(const MbElementMesh *mesh) {
  double sum = 0;
  for (size_t t = 0; t < mesh->triangles; t++) {
    const uint32_t *corner = mesh->triangle + 3 * t;
    double ab[3], ac[3], normal[3];
    mb_vec3_sub(ab, mesh->x + 3 * corner[1], mesh->x + 3 * corner[0]);
    mb_vec3_sub(ac, mesh->x + 3 * corner[2], mesh->x + 3 * corner[0]);
    mb_vec3_cross(normal, ab, ac);
    cr_assert(normal[2] > 0 && normal[0] == 0 && normal[1] == 0, "triangle %zu is turned", t);
    sum += normal[2] / 2;
  }
  return sum;
}

static int by_corners(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(uint32_t)); }

// How many sides belong to one tetrahedron only; none belongs to three.
static size_t outer_sides(const MbElementMesh *mesh) {
  static const int corner[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
  const size_t n = 4 * mesh->tets;
  uint32_t(*side)[3] = mb_calloc(n, sizeof *side);
  for (size_t i = 0; i < n; i++) {
    uint32_t *s = side[i];
    for (size_t k = 0; k < 3; k++) s[k] = mesh->tet[4 * (i / 4) + (size_t)corner[i % 4][k]];
    for (size_t k = 0; k < 3; k++)
      if (s[k % 2] > s[k % 2 + 1]) {
        const uint32_t swap = s[k % 2];
        s[k % 2] = s[k % 2 + 1], s[k % 2 + 1] = swap;
      }
  }
  qsort(side, n, sizeof *side, by_corners);
  size_t outer = 0;
  for (size_t i = 0, same = 0; i < n; i += same) {
    for (same = 1; i + same < n && !by_corners(side[i], side[i + same]);) same++;
    cr_assert(same <= 2, "%zu tetrahedra share the side %u %u %u", same, side[i][0], side[i][1], side[i][2]);
    outer += same == 1;
  }
  mb_free(side);
  return outer;
}

static void every_node_is_used(const MbElementMesh *mesh) {
  bool *used = mb_calloc(mesh->nodes, sizeof *used);
  for (size_t i = 0; i < 4 * mesh->tets; i++) used[mesh->tet[i]] = true;
  for (size_t i = 0; i < 3 * mesh->triangles; i++) used[mesh->triangle[i]] = true;
  for (size_t i = 0; i < mesh->nodes; i++) cr_assert(used[i], "node %zu is of no element", i);
  mb_free(used);
}

Test(element_mesh, a_cross_grid_has_the_counts_of_the_papers_cloth) {
  static const size_t cells[] = {50, 71, 87, 100}, nodes[] = {5101, 10225, 15313, 20201};
  for (size_t k = 0; k < 4; k++) {
    const size_t n = cells[k];
    MbElementMesh mesh;
    cr_assert(mb_element_mesh_grid(&mesh, n + 1, n + 1, 2, 3, true));
    cr_assert_eq(mesh.nodes, nodes[k]);
    cr_assert_eq(mesh.triangles, 4 * n * n);
    cr_assert_float_eq(area_of(&mesh), 6, ROUNDING);
    every_node_is_used(&mesh);
    mb_element_mesh_free(&mesh);
  }
}

Test(element_mesh, a_diagonal_grid_has_rows_of_nodes_and_two_triangles_a_cell) {
  MbElementMesh mesh;
  cr_assert(mb_element_mesh_grid(&mesh, 4, 3, 3, 2, false));
  cr_assert(mesh.nodes == 12 && mesh.triangles == 12 && mesh.tets == 0 && !mesh.tet);
  for (size_t i = 0; i < 12; i++)
    cr_assert(mesh.x[3 * i] == (double)(i % 4) && mesh.x[3 * i + 1] == (double)(i / 4) &&
              mesh.x[3 * i + 2] == 0);
  cr_assert_float_eq(area_of(&mesh), 6, ROUNDING);
  every_node_is_used(&mesh);
  mb_element_mesh_free(&mesh);
}

Test(element_mesh, a_box_has_the_counts_of_the_papers_bar_and_fills_it) {
  static const size_t cubes[] = {13, 17, 21}, nodes[] = {5292, 11340, 20812};
  for (size_t k = 0; k < 3; k++) {
    const size_t n = cubes[k];
    MbElementMesh mesh;
    cr_assert(
        mb_element_mesh_box(&mesh, (const size_t[]){n + 1, n + 1, 2 * n + 1}, (const double[]){1, 2, 3}));
    cr_assert_eq(mesh.nodes, nodes[k]);
    cr_assert_eq(mesh.tets, 12 * n * n * n);
    cr_assert_float_eq(volume_of(&mesh), 6, ROUNDING);
    cr_assert_eq(outer_sides(&mesh), 20 * n * n);
    every_node_is_used(&mesh);
    mb_element_mesh_free(&mesh);
  }
}

// The cosine of the angle between two sides, from the normals of both
static double worst_cosine(const MbElementMesh *mesh, size_t t) {
  static const int corner[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
  double normal[4][3], worst = -1;
  for (size_t k = 0; k < 4; k++) {
    double ab[3], ac[3];
    const double *a = mesh->x + 3 * mesh->tet[4 * t + (size_t)corner[k][0]];
    mb_vec3_sub(ab, mesh->x + 3 * mesh->tet[4 * t + (size_t)corner[k][1]], a);
    mb_vec3_sub(ac, mesh->x + 3 * mesh->tet[4 * t + (size_t)corner[k][2]], a);
    mb_vec3_cross(normal[k], ab, ac);
    mb_vec3_scale(normal[k], 1 / mb_vec3_norm(normal[k]), normal[k]);
    for (size_t l = 0; l < k; l++) worst = fmax(worst, -mb_vec3_dot(normal[k], normal[l]));
  }
  return worst;
}

Test(element_mesh, a_ball_is_made_of_good_tetrahedra) {
  static const double LEAST_ANGLE = 35,
                      MOST_VOLUMES = 5; // nearly regular ones have 70 degrees; a cube's six have 45
  for (size_t n = 1; n <= 24; n += n < 8 ? 1 : 8) {
    MbElementMesh mesh;
    const size_t s = (n + 1) / 2;
    cr_assert(mb_element_mesh_ball(&mesh, n, 0.5));
    cr_assert_eq(mesh.tets, 20 * s * s * s);
    cr_assert_eq(mesh.nodes, 1 + 5 * s * (s + 1) * (2 * s + 1) / 3 + 2 * s);
    cr_assert_eq(outer_sides(&mesh), 20 * s * s);
    every_node_is_used(&mesh);

    // all on or in the sphere, as many on it as an icosahedron's sides have nodes
    size_t on = 0;
    for (size_t i = 0; i < mesh.nodes; i++) {
      const double far = mb_vec3_norm(mesh.x + 3 * i);
      cr_assert(far <= 0.5 + ROUNDING, "node %zu is %g from the centre", i, far);
      on += far >= 0.5 - ROUNDING;
    }
    cr_assert_eq(on, 10 * s * s + 2);

    double worst = -1, least = 1, most = 0;
    const double volume = volume_of(&mesh), ball = 4 * acos(-1) / 3 / 8;
    for (size_t t = 0; t < mesh.tets; t++) {
      const double one = tet_volume(&mesh, t);
      worst = fmax(worst, worst_cosine(&mesh, t));
      least = fmin(least, one), most = fmax(most, one);
    }
    const double angle = acos(worst) * 180 / acos(-1);
    cr_log_info(
        "ball of %zu: %zu nodes, least dihedral angle %.1f degrees, volumes 1 to %.2f, %.2f %% of the ball",
        n, mesh.nodes, angle, most / least, 100 * volume / ball);
    cr_assert(angle > LEAST_ANGLE, "n = %zu: a dihedral angle has %g degrees", n, angle);
    cr_assert(most < MOST_VOLUMES * least, "n = %zu: volumes from %g to %g", n, least, most);
    // what the outer triangles cut off shrinks as 1/s²
    cr_assert(volume < ball && volume > ball * (1 - 0.6 / (double)(s * s)), "n = %zu: volume %g of %g", n,
              volume, ball);
    mb_element_mesh_free(&mesh);
  }
}

Test(element_mesh, what_cannot_be_counted_or_held_leaves_an_empty_mesh) {
  MbElementMesh mesh;
  cr_assert_not(mb_element_mesh_box(&mesh, (const size_t[]){5000, 5000, 5000}, (const double[]){1, 1, 1}));
  cr_assert_not(mb_element_mesh_grid(&mesh, 70000, 70000, 1, 1, false));
  cr_assert_not(mb_element_mesh_ball(&mesh, SIZE_MAX, 1));
  cr_assert(!mesh.nodes && !mesh.x);
  for (int calls = 0; calls < 2; calls++) {
    mb_alloc_fail_after(calls);
    const bool made = mb_element_mesh_box(&mesh, (const size_t[]){2, 2, 2}, (const double[]){1, 1, 1});
    mb_alloc_fail_after(-1);
    cr_assert(!made && !mesh.nodes && !mesh.x && !mesh.tet);
  }
}
