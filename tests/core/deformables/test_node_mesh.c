#include "core/deformables/node_mesh.h"
#include "core/deformables/select.h"

#include <criterion/criterion.h>
#include <math.h>

static const double size[] = {2, 3};

static MbNodeMeshSpec grid(double n, double m, MbGridPattern pattern) {
  return (MbNodeMeshSpec){.length = NAN, .grid = {n, m}, .nsize = 2, .size = size, .pattern = pattern};
}

Test(node_mesh, a_rope_runs_along_x_from_the_origin) {
  const MbNodeMeshSpec rope = {.rope = 5, .length = 2};
  cr_assert_eq(mb_node_mesh_count(&rope), 5);
  for (size_t i = 0; i < 5; i++) {
    double x[3];
    mb_node_mesh_place(&rope, i, x);
    cr_assert(x[0] == 0.5 * (double)i && x[1] == 0 && x[2] == 0, "node %zu is at %g %g %g", i, x[0], x[1],
              x[2]);
  }
  size_t edge[4][2];
  cr_assert_eq(mb_node_mesh_edges(&rope, NULL), 4);
  mb_node_mesh_edges(&rope, edge);
  for (size_t i = 0; i < 4; i++) cr_assert(edge[i][0] == i && edge[i][1] == i + 1);
}

Test(node_mesh, a_grid_has_its_sides_and_the_diagonals_of_its_pattern) {
  static const size_t wanted[MB_PATTERNS] = {
      [MB_PATTERN_CROSS] = 17 + 12, [MB_PATTERN_DIAGONAL] = 17 + 6, [MB_PATTERN_SQUARE] = 17};
  for (int pattern = 0; pattern < MB_PATTERNS; pattern++) {
    const MbNodeMeshSpec mesh = grid(4, 3, (MbGridPattern)pattern);
    size_t edge[40][2];
    cr_assert_eq(mb_node_mesh_count(&mesh), 12);
    const size_t n = mb_node_mesh_edges(&mesh, edge);
    cr_assert_eq(n, wanted[pattern], "%s has %zu edges", mb_pattern_words[pattern], n);
    for (size_t k = 0; k < n; k++) {
      const long i = (long)(edge[k][0] % 4) - (long)(edge[k][1] % 4),
                 j = (long)(edge[k][0] / 4) - (long)(edge[k][1] / 4);
      cr_assert(edge[k][0] != edge[k][1] && labs(i) <= 1 && labs(j) <= 1, "edge %zu is no neighbours'", k);
      for (size_t l = 0; l < k; l++)
        cr_assert(edge[k][0] != edge[l][0] || edge[k][1] != edge[l][1], "edge %zu is there twice", k);
    }
  }
  const MbNodeMeshSpec mesh = grid(4, 3, MB_PATTERN_CROSS);
  double x[3];
  mb_node_mesh_place(&mesh, 11, x);
  cr_assert(x[0] == 2 && x[1] == 3 && x[2] == 0);
}

static char fault[MB_SELECT_FAULT];

static size_t chosen_of(const MbNodeMeshSpec *mesh, const MbSelectSpec *select, bool chosen[12]) {
  size_t n = 0;
  for (size_t i = 0; i < 12; i++) chosen[i] = false;
  cr_assert_null(mb_node_mesh_select(mesh, select, chosen, fault));
  for (size_t i = 0; i < 12; i++) n += chosen[i];
  return n;
}

Test(node_mesh, nodes_are_chosen_by_number_by_place_and_by_side) {
  const MbNodeMeshSpec mesh = grid(4, 3, MB_PATTERN_CROSS);
  bool chosen[12];
  const double vertices[] = {3, 7}, place[] = {1.9, 2.9, 5};
  cr_assert_eq(chosen_of(&mesh, &(MbSelectSpec){.nvertices = 2, .vertices = vertices}, chosen), 2);
  cr_assert(chosen[3] && chosen[7]);
  cr_assert_eq(chosen_of(&mesh, &(MbSelectSpec){.nnearest = 3, .nearest = place}, chosen), 1);
  cr_assert(chosen[11]);
  cr_assert_eq(chosen_of(&mesh, &(MbSelectSpec){.side = "-x"}, chosen), 3);
  cr_assert(chosen[0] && chosen[4] && chosen[8]);
  cr_assert_eq(chosen_of(&mesh, &(MbSelectSpec){.side = "+y"}, chosen), 4);
  cr_assert(chosen[8] && chosen[9] && chosen[10] && chosen[11]);
  cr_assert_eq(chosen_of(&mesh, &(MbSelectSpec){.side = "+z"}, chosen),
               12); // a flat one has but one side there
}

Test(node_mesh, choices_that_make_no_sense_are_told) {
  const MbNodeMeshSpec mesh = grid(4, 3, MB_PATTERN_CROSS);
  bool chosen[12] = {false};
  const double bad[][1] = {{12}, {-1}, {0.5}, {NAN}};
  for (size_t i = 0; i < 4; i++)
    cr_assert_not_null(
        mb_node_mesh_select(&mesh, &(MbSelectSpec){.nvertices = 1, .vertices = bad[i]}, chosen, fault));
  cr_assert_not_null(
      mb_node_mesh_select(&mesh, &(MbSelectSpec){.nnearest = 1, .nearest = size}, chosen, fault));
  cr_assert_not_null(mb_node_mesh_select(&mesh, &(MbSelectSpec){.side = "x+"}, chosen, fault));
  cr_assert_not_null(mb_node_mesh_select(&mesh, &(MbSelectSpec){.nvertices = 0}, chosen, fault));
  cr_assert_not_null(mb_node_mesh_select(&mesh, &(MbSelectSpec){.side = "+x", .nnearest = 3, .nearest = size},
                                         chosen, fault));
}

Test(node_mesh, nodes_are_chosen_by_boxes_and_balls) {
  const MbNodeMeshSpec mesh = grid(4, 3, MB_PATTERN_CROSS); // places 0, 2/3, 4/3, 2 by 0, 1.5, 3
  bool chosen[12];
  const double third = 2.0 / 3;
  const MbSelectSpec box = {.in_box = true, .box = {{third, 1.5, 0}, {2 - third, 3, 0}}};
  cr_assert_eq(chosen_of(&mesh, &box, chosen), 4); // those on its sides too, rounded or not
  cr_assert(chosen[5] && chosen[6] && chosen[9] && chosen[10]);
  const MbSelectSpec ball = {.in_sphere = true, .center = {2, 0, 0}, .radius = 1.5};
  cr_assert_eq(chosen_of(&mesh, &ball, chosen), 4);
  cr_assert(chosen[1] && chosen[2] && chosen[3] && chosen[7]);

  const MbSelectSpec nowhere = {.in_box = true, .box = {{0.1, 0.1, 0}, {0.2, 0.2, 0}}};
  cr_assert_not_null(mb_node_mesh_select(&mesh, &nowhere, chosen, fault));
  const MbSelectSpec far = {.in_sphere = true, .center = {0, 0, 5}, .radius = 1};
  cr_assert_not_null(mb_node_mesh_select(&mesh, &far, chosen, fault));
  const MbSelectSpec both = {.in_sphere = true, .in_box = true, .radius = 1};
  cr_assert_not_null(mb_node_mesh_select(&mesh, &both, chosen, fault));
}
