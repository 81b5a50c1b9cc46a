// Tetrahedra of ten nodes: gradients of quadratic functions are exact, forces and their derivatives are the energy's, beams bend as they should
// where those of four nodes lock, and meshes with such elements are read.
#include "core/deformables/quadratic.h"
#include "core/base/alloc.h"
#include "core/deformables/element_mesh.h"
#include "core/deformables/gradient.h"
#include "core/deformables/mesh_surface.h"
#include "core/forces/forces.h"
#include "core/math/vec3.h"
#include "tests/runs.h"
#include "tests/ways.h"

#include <stdio.h>
#include <string.h>

static void no_leaks(void) { cr_assert_eq(mb_alloc_live(), 0); }
TestSuite(quadratic, .fini = no_leaks);

typedef struct Ten {
  MbArena arena;
  MbElementMesh straight, mesh;
} Ten;

static void begin_ten(Ten *ten, const size_t n[3], const double size[3]) {
  *ten = (Ten){0};
  cr_assert(mb_element_mesh_box(&ten->straight, n, size));
  uint64_t seed = 5;
  for (size_t i = 0; i < 3 * ten->straight.nodes; i++) ten->straight.x[i] += 0.05 * test_random(&seed);
  ten->mesh = ten->straight;
  cr_assert(mb_quadratic_add(&ten->mesh, &ten->arena));
}

static void end_ten(Ten *ten) { mb_arena_free(&ten->arena), mb_element_mesh_free(&ten->straight); }

Test(quadratic, every_edge_has_one_node_in_its_middle_behind_all_corners) {
  Ten ten;
  begin_ten(&ten, (const size_t[]){3, 2, 2}, (const double[]){2, 1, 1});
  // 12 corners; two cubes have 11 · 2 − 4 edges of squares, 10 + 1 diagonals of these, and one inner diagonal each
  cr_expect_eq(ten.mesh.nodes, 12 + 20 + 11 + 2);
  for (size_t t = 0; t < ten.mesh.tets; t++)
    for (size_t k = 0; k < MB_QUADRATIC_EDGES; k++) {
      const double *a = ten.mesh.x + 3 * ten.mesh.tet[4 * t + mb_quadratic_edge[k][0]],
                   *b = ten.mesh.x + 3 * ten.mesh.tet[4 * t + mb_quadratic_edge[k][1]];
      const uint32_t n = ten.mesh.middle[6 * t + k];
      cr_assert_geq(n, 12);
      for (size_t c = 0; c < 3; c++) cr_expect_float_eq(ten.mesh.x[3 * n + c], (a[c] + b[c]) / 2, 1e-15);
      cr_expect_eq(mb_quadratic_between[mb_quadratic_edge[k][0]][mb_quadratic_edge[k][1]], k);
      cr_expect_eq(mb_quadratic_between[mb_quadratic_edge[k][1]][mb_quadratic_edge[k][0]], k);
    }
  end_ten(&ten);
}

Test(quadratic, the_eight_parts_fill_a_tetrahedron_and_are_not_inside_out) {
  Ten ten;
  begin_ten(&ten, (const size_t[]){2, 2, 2}, (const double[]){1, 1, 1});
  for (size_t t = 0; t < ten.mesh.tets; t++) {
    double B[9], whole, size, L[4];
    cr_assert(mb_gradient_rest(3, ten.mesh.tet + 4 * t, ten.mesh.x, B, &whole));
    for (size_t p = 0; p < MB_QUADRATIC_PARTS; p++) {
      uint32_t node[4];
      double middle[3] = {0}, by[3] = {0};
      mb_quadratic_part_nodes(&ten.mesh, t, p, node);
      cr_assert(mb_gradient_rest(3, node, ten.mesh.x, B, &size));
      cr_expect_float_eq(size, whole / 8, 1e-15);
      mb_quadratic_part(p, L);
      for (size_t k = 0; k < 4; k++) {
        mb_vec3_add_scaled(middle, middle, 0.25, ten.mesh.x + 3 * node[k]);
        mb_vec3_add_scaled(by, by, L[k], ten.mesh.x + 3 * ten.mesh.tet[4 * t + k]);
      }
      for (int c = 0; c < 3; c++) cr_expect_float_eq(middle[c], by[c], 1e-15);
    }
  }
  end_ten(&ten);
}

// u_i = c_i + a_i · x + x · S_i x, ∂u_i/∂x = a_i + 2 S_i x
static double quadratic_of(const double *x, int i, double g[3]) {
  double u = 0.3 * i;
  for (int j = 0; j < 3; j++) {
    g[j] = 0.7 + i - 0.4 * j;
    u += g[j] * x[j];
    for (int k = 0; k < 3; k++) {
      const double S = 0.2 * (j + k + 1) - 0.3 * (j == k) * (i + 1);
      u += S * x[j] * x[k];
      g[j] += 2 * S * x[k];
    }
  }
  return u;
}

Test(quadratic, gradients_of_quadratic_functions_are_exact_at_all_points_and_forces_do_their_work) {
  Ten ten;
  MbGradient g;
  size_t flat;
  begin_ten(&ten, (const size_t[]){3, 3, 2}, (const double[]){1, 0.8, 0.5});
  cr_assert(mb_gradient_create_quadratic(&g, &ten.mesh, &flat));
  const size_t n = g.n, nodes = ten.mesh.nodes;
  cr_assert_eq(n, 4 * ten.mesh.tets);
  double *u = mb_calloc(3 * nodes, sizeof *u), *f = mb_calloc(3 * nodes, sizeof *f);
  double *F = mb_calloc(9 * g.stride, sizeof *F), *p = mb_calloc(9 * g.stride, sizeof *p),
         *c = mb_calloc(12 * g.stride, sizeof *c);
  double slope[3], volume = 0, work = 0, mine = 0;
  for (size_t i = 0; i < 3 * nodes; i++) u[i] = quadratic_of(ten.mesh.x + i / 3 * 3, (int)(i % 3), slope);
  mb_gradient_gather_all(&g, 1, u, F);
  for (size_t e = 0; e < n; e++) {
    double L[4], x[3] = {0}, each[30], sum[9] = {0};
    mb_quadratic_point(e % 4, L);
    volume += g.size[e];
    for (size_t a = 0; a < 4; a++)
      mb_vec3_add_scaled(x, x, L[a], ten.mesh.x + 3 * ten.mesh.tet[e / 4 * 4 + a]);
    mb_gradient_of(&g, e, each);
    for (size_t a = 0; a < 10; a++)
      for (size_t k = 0; k < 9; k++)
        sum[k] += u[3 * mb_gradient_node(&g, e, a) + k / 3] * each[3 * a + k % 3];
    for (int i = 0; i < 3; i++) {
      quadratic_of(x, i, slope);
      for (int j = 0; j < 3; j++) {
        const size_t at = (size_t)(3 * i + j) * g.stride + e;
        cr_expect_float_eq(F[at], slope[j], 1e-13);
        cr_expect_float_eq(sum[3 * i + j], slope[j], 1e-13);
        p[at] = sin((double)at);
        work += g.size[e] * p[at] * F[at];
      }
    }
  }
  cr_expect_gt(volume, 0);
  mb_gradient_scatter_all(&g, 2, NULL, p, NULL, c, f);
  for (size_t i = 0; i < 3 * nodes; i++) mine += f[i] * u[i];
  cr_expect_float_eq(mine, work, 1e-12);
  mb_free(u), mb_free(f), mb_free(F), mb_free(p), mb_free(c);
  mb_gradient_free(&g), end_ten(&ten);
}

Test(quadratic, a_face_has_four_triangles_seen_from_outside) {
  Ten ten;
  MbMeshSurface s, straight;
  begin_ten(&ten, (const size_t[]){3, 2, 2}, (const double[]){2, 1, 1});
  MbElementMesh corners = ten.mesh;
  corners.middle = NULL;
  cr_assert(mb_mesh_surface_find(&ten.mesh, &s) && mb_mesh_surface_find(&corners, &straight));
  cr_expect_eq(s.count, 4 * straight.count);
  cr_expect_eq(s.nclosed, 1);
  double volume[2] = {0};
  for (int which = 0; which < 2; which++) {
    const MbMeshSurface *of = which ? &straight : &s;
    for (size_t t = 0; t < of->count; t++) {
      double normal[3];
      mb_vec3_cross(normal, ten.mesh.x + 3 * of->triangle[3 * t + 1],
                    ten.mesh.x + 3 * of->triangle[3 * t + 2]);
      volume[which] += mb_vec3_dot(ten.mesh.x + 3 * of->triangle[3 * t], normal) / 6;
    }
  }
  cr_expect_gt(volume[0], 1);
  cr_expect_float_eq(volume[0], volume[1], 1e-13);
  mb_mesh_surface_free(&s), mb_mesh_surface_free(&straight), end_ten(&ten);
}

// ---- scenes -----------------------------------------------------------------------------------------------

static const char arm[] =
    "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.001, \"steps\": 1}, \"integrator\": "
    "\"implicit\", "
    "\"bodies\": [{\"name\": \"arm\", \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, 0.1]}, \"mass\": "
    "1, "
    "\"joint\": {\"type\": \"spherical\", \"position\": [0.3, -0.5, 0.8]}}], \"deformables\": ["
    "{\"name\": \"block\", \"type\": \"tets\", \"mesh\": {\"box\": [2, 2, 2], \"size\": [0.2, 0.3, 0.4], "
    "\"order\": "
    "2}, \"material\": {\"model\": \"neo_hookean\", \"young\": 1000, \"poisson\": 0.3, \"density\": 100, "
    "\"damping\": "
    "0.1, \"fibres\": [{\"direction\": [1, 2, 0.5], \"stiffness\": 900, \"limit\": 0.02, \"beyond\": 4000, "
    "\"strength\": 700, \"activation\": 0.6}]}, \"attach\": [{\"select\": {\"side\": \"-z\"}, \"body\": "
    "\"arm\", "
    "\"enforce\": \"reduction\"}]}]}";

Test(quadratic, forces_are_the_energys_slopes_and_their_derivatives_are_exact) {
  enum { MOST = 27 * 6 };
  static double K[MOST * MOST], D[MOST * MOST], wanted[MOST * MOST];
  static const char *const models[] = {"neo_hookean", "corotational", "arap", "linear"};
  for (int m = 0; m < 4; m++) {
    char set[60], dry[] = "/deformables/0/material/damping=0";
    snprintf(set, sizeof set, "/deformables/0/material/model=\"%s\"", models[m]);
    for (int damped = 0; damped < 2; damped++) {
      TestRun run = test_run(arm, (const char *const[]){set, damped ? NULL : dry, NULL});
      TestWay ways[MOST];
      double f[MOST], slope[MOST];
      cr_assert_eq(mb_sim_step(run.sim, NULL), MB_OK); // signals have their values
      const MbForce *force = test_elements_of(run.model, 0);
      const size_t n = test_ways(run.model, 0, ways, MOST);
      cr_assert_eq(n, 3 * 27 + 3 * 9, "%zu", n);
      test_disturb(run.sim);
      test_evaluate(run.sim, force, true);
      for (size_t i = 0; i < n; i++) f[i] = run.sim->x.f[6 * ways[i].body + ways[i].axis];
      test_ways_blocks(run.model, run.sim->x.K, ways, n, K);
      test_ways_blocks(run.model, run.sim->x.D, ways, n, D);
      for (size_t j = 0; j < n; j++) slope[j] = test_differ(run.sim, force, ways, n, j, true, wanted);
      test_near("stiffness", K, wanted, n * n, TEST_CLOSE * (1 + test_largest(K, n * n)));
      if (!damped) test_near("forces", f, slope, n, TEST_CLOSE * (1 + test_largest(f, n)));
      for (size_t j = 0; j < n && damped; j++) test_differ(run.sim, force, ways, n, j, false, wanted);
      if (damped) test_near("damping", D, wanted, n * n, TEST_CLOSE * (1 + test_largest(D, n * n)));
      test_run_free(&run);
    }
  }
}

// Of a block with density 1 the mass, its first moments and how far the second are from those of the block.
Test(quadratic, masses_are_positive_and_add_up_with_their_middle) {
  TestRun run = test_run("{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 1}, \"solver\": "
                         "\"projective\", \"deformables\": [{\"name\": "
                         "\"b\", \"type\": \"tets\", \"mesh\": {\"box\": [4, 3, 3], \"size\": [3, 2, 1], "
                         "\"order\": 2}, \"material\": "
                         "{\"young\": 1e4, \"poisson\": 0.3, \"density\": 10}}]}",
                         (const char *const[]){NULL});
  const MbElements *e = run.model->deformables[0].elements;
  double mass = 0, first[3] = {0}, second[3] = {0};
  for (size_t i = 0; i < e->mesh.nodes; i++) {
    cr_assert_gt(e->mass[i], 0);
    mass += e->mass[i];
    mb_vec3_add_scaled(first, first, e->mass[i], e->mesh.x + 3 * i);
    for (int k = 0; k < 3; k++)
      second[k] += e->mass[i] * (e->mesh.x[3 * i + (size_t)k] - (3 - k) / 2.0) *
                   (e->mesh.x[3 * i + (size_t)k] - (3 - k) / 2.0);
  }
  cr_expect_float_eq(mass, 60, 1e-12);
  for (int k = 0; k < 3; k++) {
    const double size = 3 - k, right = mass * size * size / 12;
    cr_expect_float_eq(first[k], mass * size / 2, 1e-11);
    cr_expect_float_eq(second[k], right, 0.13 * right, "axis %d: %g, %g", k, second[k], right);
  }
  test_run_free(&run);
}

static const char *const solvers[] = {"\"redmax\"", "\"maximal\"",
                                      "{\"type\": \"projective\", \"method\": \"newton\"}"};

// A beam of density 1000 between rollers at its root, where it may become wider, and nothing: tip over that of Timoshenko's beam.
static double tip(const char *solver, int order, int nx, int nz, double poisson) {
  static const double E = 1e6, g = 0.01, length = 1, height = 0.1;
  char set[6][200];
  snprintf(set[0], sizeof set[0], "/solver=%s", solver);
  snprintf(set[1], sizeof set[1], "/deformables/0/mesh/order=%d", order);
  snprintf(set[2], sizeof set[2], "/deformables/0/mesh/box=[%d, 3, %d]", nx, nz);
  snprintf(set[3], sizeof set[3], "/deformables/0/material/poisson=%g", poisson);
  snprintf(set[4], sizeof set[4], "/deformables/0/mesh/size=[%g, %g, %g]", length, height, height);
  TestRun run =
      test_run("{\"mbsim\": 1, \"gravity\": [0, 0, -0.01], \"time\": {\"step\": 1, \"steps\": 1}, "
               "\"integrator\": \"static\", "
               "\"deformables\": [{\"name\": \"beam\", \"type\": \"tets\", \"mesh\": {\"box\": [11, 3, 3], "
               "\"size\": [1, 0.1, "
               "0.1]}, \"material\": {\"model\": \"linear\", \"young\": 1e6, \"poisson\": 0, \"density\": "
               "1000}, \"pin\": "
               "[{\"select\": {\"side\": \"-x\"}, \"axes\": \"x\"}, {\"select\": {\"nearest\": [0, 0.05, "
               "0.05]}, \"axes\": "
               "\"z\"}, {\"select\": {\"box\": [[0, 0.049, -1], [0, 0.051, 1]]}, \"axes\": \"y\"}]}]}",
               (const char *const[]){set[0], set[1], set[2], set[3], set[4], NULL});
  const double rest = 0.05, w = 1000 * g * height * height, I = height * height * height * height / 12,
               G = E / (2 * (1 + poisson));
  cr_assert_eq(mb_sim_step(run.sim, NULL), MB_OK);
  size_t count;
  const double *q = test_channel(run.sim, "deformable.beam.position", &count);
  const double *x = run.model->deformables[0].elements->mesh.x;
  double sum = 0;
  for (size_t i = 0; i < count / 3; i++)
    if (x[3 * i] == 1 && fabs(x[3 * i + 1] - rest) < 1e-9 && fabs(x[3 * i + 2] - rest) < 1e-9)
      sum = rest - q[3 * i + 2];
  test_run_free(&run);
  return sum / (w / 8 / (E * I) + w / 2 / (G * height * height * 5 / 6));
}

Test(quadratic, a_cantilever_of_two_cells_through_its_height_bends_as_a_beam_where_four_nodes_lock,
     TEST_LONG) {
  for (int s = 0; s < 3; s++)
    for (int k = 0; k < 2; k++) {
      const double poisson = k ? 0.45 : 0, ten = tip(solvers[s], 2, 11, 3, poisson),
                   four = tip(solvers[s], 1, 11, 3, poisson);
      if (s == 2)
        printf("  Poisson's ratio %.2f: ten nodes %.4f of the beam's tip, four %.4f\n", poisson, ten, four);
      cr_expect_float_eq(ten, 1, 0.02, "%s: %g of the beam", solvers[s], ten);
      cr_expect_lt(four, 0.5);
    }
}

static const char wedge[] =
    "{\"mbsim\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 1, \"steps\": 1}, \"deformables\": "
    "[{\"name\": \"b\", "
    "\"type\": \"tets\", \"mesh\": {\"file\": \"tests/core/deformables/ten_nodes.msh\"}, \"material\": "
    "{\"model\": "
    "\"corotational\", \"young\": 1e4, \"poisson\": 0.4, \"density\": 1}}]}";

// Between rollers, drawn by a fifth: all nodes of an irregular mesh go exactly where a uniform strain has them.
Test(quadratic, a_block_of_any_mesh_is_strained_uniformly_where_it_should_be) {
  TestRun run = test_run(
      wedge,
      (const char *const[]){
          "/integrator=\"static\"", "/solver={\"type\": \"projective\", \"method\": \"newton\"}",
          "/deformables/0/pin=[{\"select\": {\"side\": \"-x\"}, \"axes\": \"x\"}, {\"select\": {\"side\": "
          "\"-y\"}, \"axes\": \"y\"}, {\"select\": {\"side\": \"-z\"}, \"axes\": \"z\"}, {\"select\": "
          "{\"side\": \"+x\"}, \"axes\": \"x\", \"motion\": {\"translate\": [\"=0.2*t\", 0, 0]}}]",
          NULL});
  size_t count;
  cr_assert_eq(mb_sim_step(run.sim, NULL), MB_OK);
  const double *q = test_channel(run.sim, "deformable.b.position", &count);
  const double *x = run.model->deformables[0].elements->mesh.x;
  const double across = 1 - 0.2 * 0.4; // what Hooke's law of stretches has
  for (size_t i = 0; i < count / 3; i++) {
    cr_expect_float_eq(q[3 * i], 1.2 * x[3 * i], 1e-9);
    for (size_t k = 1; k < 3; k++) cr_expect_float_eq(q[3 * i + k], across * x[3 * i + k], 1e-9);
  }
  test_run_free(&run);
}

// Where nodes are bodies: under one F of all elements only those at the surface are pushed.
Test(quadratic, inner_nodes_feel_nothing_in_a_uniform_strain) {
  TestRun run = test_run(wedge, (const char *const[]){"/solver=\"redmax\"", NULL});
  static const double A[3][3] = {{1.2, 0.3, 0}, {-0.1, 0.9, 0.2}, {0.1, 0, 1.1}};
  const MbElementMesh *mesh = &run.model->deformables[0].elements->mesh;
  const size_t first = run.model->deformables[0].first;
  double inner = 0, outer = 0;
  for (size_t i = 0; i < mesh->nodes; i++)
    for (size_t k = 0; k < 3; k++) run.sim->x.E[first + i].p[k] = mb_vec3_dot(A[k], mesh->x + 3 * i);
  test_evaluate(run.sim, test_elements_of(run.model, 0), false);
  for (size_t i = 0; i < mesh->nodes; i++) {
    bool inside = true;
    for (size_t k = 0; k < 3; k++) inside &= mesh->x[3 * i + k] > 1e-9 && mesh->x[3 * i + k] < 1 - 1e-9;
    double *const most = inside ? &inner : &outer;
    *most = fmax(*most, mb_vec3_norm(run.sim->x.f + 6 * (first + i) + 3));
  }
  cr_expect_gt(outer, 10);
  cr_expect_lt(inner, 1e-11 * outer);
  test_run_free(&run);
}

// Errors of a square bar's tip under an end moment would vanish; of its own weight they fall with h³ at least, as the middle of a quadratic
// field does.
Test(quadratic, the_error_of_a_beam_falls_with_the_third_power_of_the_cells_at_least) {
  const double fine = tip(solvers[2], 2, 21, 3, 0);
  const double coarse = fabs(tip(solvers[2], 2, 5, 3, 0) - fine),
               finer = fabs(tip(solvers[2], 2, 9, 3, 0) - fine);
  printf("  4 cells along a beam: %.2e of its tip; 8 cells: %.2e; order %.2f\n", coarse, finer,
         log2(coarse / finer));
  cr_expect_gt(log2(coarse / finer), 2.8);
}

Test(quadratic, what_cannot_be_is_refused_by_name) {
  static const struct {
    const char *mesh, *material, *says;
  } bad[] = {
      {"{\"grid\": [3, 3], \"size\": [1, 1], \"order\": 2}", ", \"thickness\": 0.01", "is of \"tets\""},
      {"{\"file\": \"tests/core/deformables/ten_nodes.msh\", \"order\": 1}", "",
       "has tetrahedra of ten nodes"},
      {"{\"file\": \"tests/core/deformables/ten_nodes.msh\", \"weld\": 1e-6}", "",
       "joins tetrahedra of four nodes"},
      {"{\"file\": \"tests/core/deformables/curved.msh\"}", "",
       "is curved: vertex 4 is 0.1 of it off its middle"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[700];
    MbReport report = {0};
    snprintf(
        text, sizeof text,
        "{\"mbsim\": 1, \"time\": {\"step\": 1, \"steps\": 1}, \"deformables\": [{\"name\": \"b\", \"type\": "
        "\"%s\", \"mesh\": %s, \"material\": {\"young\": 1e4, \"poisson\": 0.4, \"density\": 1%s}}]}",
        i ? "tets" : "cloth", bad[i].mesh, bad[i].material);
    cr_expect_eq(test_try(text, (const char *const[]){NULL}, 0, &report), MB_SCENE);
    cr_expect(report.kept && strstr(report.issues[0].text, bad[i].says), "%zu: %s", i,
              report.kept ? report.issues[0].text : "nothing");
  }
}
