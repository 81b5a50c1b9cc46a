// Surfaces of meshes: which parts are closed, how their triangles are turned, what they enclose.
#include "core/deformables/mesh_surface.h"
#include "core/base/alloc.h"
#include "core/deformables/element_mesh.h"
#include "tests/support.h"

#include <string.h>

static void no_leaks(void) { cr_assert_eq(mb_alloc_live(), 0); }
TestSuite(mesh_surface, .fini = no_leaks);

static double enclosed(const MbElementMesh *mesh, const MbMeshSurface *surface, size_t part) {
  double sum = 0;
  for (size_t t = surface->first[part]; t < surface->first[part + 1]; t++) {
    const uint32_t *c = surface->triangle + 3 * t;
    double normal[3];
    mb_vec3_cross(normal, mesh->x + 3 * c[1], mesh->x + 3 * c[2]);
    sum += mb_vec3_dot(mesh->x + 3 * c[0], normal) / 6;
  }
  return sum;
}

Test(mesh_surface, a_block_has_one_closed_surface_around_all_of_it) {
  MbElementMesh mesh;
  MbMeshSurface s;
  cr_assert(mb_element_mesh_box(&mesh, (const size_t[]){3, 4, 2}, (const double[]){2, 1, 0.5}));
  cr_assert(mb_mesh_surface_find(&mesh, &s));
  cr_expect_eq(s.nclosed, 1);
  cr_expect_eq(s.count, 4 * (2 * 3 + 2 * 1 + 3 * 1));
  cr_expect(!s.hollow[0] && !s.open && !s.twisted);
  cr_expect_float_eq(enclosed(&mesh, &s, 0), 1, 1e-14);
  mb_mesh_surface_free(&s), mb_element_mesh_free(&mesh);
}

// Six tetrahedra a cube; the one in the middle has none.
Test(mesh_surface, a_hollow_is_a_closed_part_of_its_own_seen_from_the_elements) {
  MbElementMesh mesh;
  MbMeshSurface s;
  cr_assert(mb_element_mesh_box(&mesh, (const size_t[]){4, 4, 4}, (const double[]){3, 3, 3}));
  size_t kept = 0;
  for (size_t t = 0; t < mesh.tets; t++) {
    double middle[3] = {0};
    bool inside = true;
    for (size_t k = 0; k < 4; k++) mb_vec3_add_scaled(middle, middle, 0.25, mesh.x + 3 * mesh.tet[4 * t + k]);
    for (size_t k = 0; k < 3; k++) inside &= middle[k] > 1 && middle[k] < 2;
    if (!inside) memmove(mesh.tet + 4 * kept++, mesh.tet + 4 * t, 4 * sizeof *mesh.tet);
  }
  mesh.tets = kept;
  cr_assert(mb_mesh_surface_find(&mesh, &s));
  cr_assert_eq(s.nclosed, 2);
  cr_expect_neq(s.hollow[0], s.hollow[1]);
  for (size_t part = 0; part < 2; part++)
    cr_expect_float_eq(enclosed(&mesh, &s, part), s.hollow[part] ? 1 : 27, 1e-12);
  mb_mesh_surface_free(&s), mb_element_mesh_free(&mesh);
}

Test(mesh_surface, triangles_that_are_turned_anyhow_are_put_right_where_they_close) {
  MbElementMesh mesh;
  MbMeshSurface s;
  uint64_t seed = 3;
  cr_assert(mb_element_mesh_sphere(&mesh, 6, 2));
  cr_expect_eq(mesh.nodes, 92);
  cr_expect_eq(mesh.triangles, 180);
  for (size_t i = 0; i < mesh.nodes; i++) cr_expect_float_eq(mb_vec3_norm(mesh.x + 3 * i), 2, 1e-14);
  cr_assert(mb_mesh_surface_find(&mesh, &s));
  const double volume = enclosed(&mesh, &s, 0);
  cr_expect(volume > 30 && volume < 4 * 3.15 / 3 * 8);
  cr_expect_arr_eq(s.triangle, mesh.triangle, 3 * mesh.triangles * sizeof *s.triangle);
  mb_mesh_surface_free(&s);
  for (size_t t = 0; t < mesh.triangles; t++) {
    const uint32_t corner = mesh.triangle[3 * t];
    if (test_random(&seed) < 0.5) continue;
    mesh.triangle[3 * t] = mesh.triangle[3 * t + 1], mesh.triangle[3 * t + 1] = corner;
  }
  cr_assert(mb_mesh_surface_find(&mesh, &s));
  cr_expect_eq(s.nclosed, 1);
  cr_expect_float_eq(enclosed(&mesh, &s, 0), volume, 1e-12);
  mb_mesh_surface_free(&s), mb_element_mesh_free(&mesh);
}

Test(mesh_surface, a_sheet_is_open_and_a_strip_that_is_twisted_has_one_side) {
  MbElementMesh mesh;
  MbMeshSurface s;
  cr_assert(mb_element_mesh_grid(&mesh, 3, 4, 1, 1, true));
  cr_assert(mb_mesh_surface_find(&mesh, &s));
  cr_expect(s.open && !s.twisted && s.nclosed == 0 && s.count == mesh.triangles);
  mb_mesh_surface_free(&s), mb_element_mesh_free(&mesh);
  // Möbius's strip of five triangles
  static uint32_t strip[] = {0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 0, 4, 0, 1};
  static double x[15];
  const MbElementMesh moebius = {.nodes = 5, .x = x, .triangles = 5, .triangle = strip};
  cr_assert(mb_mesh_surface_find(&moebius, &s));
  cr_expect(s.open && s.twisted && s.nclosed == 0);
  mb_mesh_surface_free(&s);
}
