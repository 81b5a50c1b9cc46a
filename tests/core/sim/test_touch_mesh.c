// Meshes of bodies in contact: as what they collide, that what moves over a flat one moves as over a plane, and what cannot collide.
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"
#include "tests/core/collision/mesh_make.h"
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// A file of the mesh, whose name is in `path`.
static void write_mesh(const MbSkin *surface, char *path) {
  strcpy(path, "/tmp/mbsim_mesh_XXXXXX.obj");
  const int file = mkstemps(path, 4);
  cr_assert(file >= 0);
  FILE *out = fdopen(file, "w");
  for (size_t i = 0; i < surface->vertices; i++) {
    const double *x = surface->vertex + 3 * i;
    fprintf(out, "v %.17g %.17g %.17g\n", x[0], x[1], x[2]);
  }
  for (size_t t = 0; t < surface->triangles; t++) {
    const uint32_t *v = surface->corner + 3 * t;
    fprintf(out, "f %u %u %u\n", v[0] + 1, v[1] + 1, v[2] + 1);
  }
  fclose(out);
}

#define INERTIA "\"inertia\": {\"mass\": 1, \"center\": [0, 0, 0], \"matrix\": [1, 1, 1, 0, 0, 0]}"
#define FIXED   "\"joint\": {\"type\": \"fixed\"}"
#define GROUND  "{\"name\": \"ground\", \"shape\": {\"type\": \"plane\"}, " FIXED "}"

// ---- a flat mesh --------------------------------------------------------------------------------------------

// What slides, rolls, tips and bounces apart from one another on one ground.
static const char movers[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"steps\": 400}, "
    "\"contact\": {\"friction\": 0.3, \"restitution\": 0.2, \"tolerance\": 1e-13}, \"bodies\": [" GROUND ", "
    "{\"name\": \"box\", \"density\": 500, \"shape\": {\"type\": \"box\", \"size\": [0.3, 0.2, 0.1]}, "
    "\"pose\": {\"position\": [-1.5, 0, 0.05]}, \"velocity\": {\"linear\": [2, 1, 0]}}, "
    "{\"name\": \"ball\", \"density\": 800, \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, "
    "\"pose\": {\"position\": [-1.5, 1, 0.1]}, \"velocity\": {\"linear\": [2, 0.3, 0]}}, "
    "{\"name\": \"wheel\", \"density\": 800, \"shape\": {\"type\": \"cylinder\", \"radius\": 0.1, "
    "\"length\": "
    "0.2}, \"pose\": {\"position\": [-1.5, -1, 0.1], \"rotation\": {\"axis\": [1, 0, 0], \"angle\": "
    "\"=90*deg\"}}, \"velocity\": {\"linear\": [1.5, 0, 0]}}, "
    "{\"name\": \"capsule\", \"density\": 600, \"shape\": {\"type\": \"capsule\", \"radius\": 0.1, "
    "\"length\": "
    "0.3}, \"pose\": {\"position\": [0.2, 1.3, 0.3], \"rotation\": {\"axis\": [1, 0, 0], \"angle\": "
    "\"=70*deg\"}}, \"velocity\": {\"linear\": [0.5, 0, 0]}}, "
    "{\"name\": \"egg\", \"density\": 700, \"shape\": {\"type\": \"ellipsoid\", \"radii\": [0.1, 0.1, "
    "0.14]}, "
    "\"pose\": {\"position\": [0.5, -1.5, 0.14]}, \"velocity\": {\"linear\": [0.3, 0.5, 0]}}]}";

// The largest distance of the bodies over the steps from where they are on the plane.
static double strays(const char *ground, int64_t steps) {
  enum { MOST = 18 * 6 };
  double worst = 0, x[MOST], y[MOST];
  const char *const sets[] = {ground, NULL};
  TestRun plane = test_run(movers, NULL), mesh = test_run(movers, sets);
  for (int64_t i = 0; i < steps; i++) {
    test_steps(plane.sim, 1), test_steps(mesh.sim, 1);
    const size_t n = test_bodies(plane.sim, x, MOST);
    test_bodies(mesh.sim, y, MOST);
    // where the ground is is no matter
    worst = fmax(worst, test_distance(x + 18, y + 18, n - 18));
  }
  test_run_free(&plane), test_run_free(&mesh);
  return worst;
}

Test(touch_mesh_long, what_slides_and_rolls_over_a_flat_mesh_of_200_triangles_moves_as_on_a_plane) {
  static const char *const words[] = {"true", "\"mesh\""};
  for (int thick = 0; thick < 2; thick++)
    for (int word = 0; word < 2; word++) {
      char path[64], ground[400];
      uint64_t seed = 3;
      MbSkin *sheet = made_sheet(&seed, 10, 3, thick);
      cr_assert_geq(sheet->triangles, 200);
      write_mesh(sheet, path);
      snprintf(ground, sizeof ground,
               "/bodies/0={\"name\": \"ground\", \"shape\": {\"type\": \"mesh\", \"collide\": %s, \"file\": "
               "\"%s\"}, " INERTIA ", " FIXED "}",
               words[word], path);
      const double far = strays(ground, 400);
      cr_expect(far < 1e-9, "%s sheet, %s: %g", thick ? "thick" : "thin", words[word], far);
      unlink(path);
      mb_skin_free(sheet);
    }
}

// ---- as what a mesh collides --------------------------------------------------------------------------------

static MbForm form_of(const char *mesh, const char *word) {
  char body[400];
  snprintf(body, sizeof body,
           "/bodies/1={\"name\": \"it\", \"density\": 500, \"pose\": {\"position\": [0, 0, 9]}, \"shape\": "
           "{\"type\": \"mesh\", \"collide\": %s, \"file\": \"%s\"}}",
           word, mesh);
  const char *const sets[] = {body, NULL};
  TestRun run = test_run(movers, sets);
  const MbContacts *rules = &run.model->contacts;
  size_t i = 0;
  while (strcmp(run.model->listed[rules->solids[i].listed], "it")) i++;
  const MbForm form = run.sim->touching->solids.shape[i].form;
  test_steps(run.sim, 1);
  test_run_free(&run);
  return form;
}

Test(touch_mesh, a_convex_mesh_collides_as_its_hull_and_another_by_its_triangles) {
  char cone_file[64], torus_file[64];
  MbSkin *cone = made_cone(0.5, 0.7, 12), *torus = made_torus(0.4, 0.1, 16, 8);
  write_mesh(cone, cone_file), write_mesh(torus, torus_file);
  cr_expect_eq(form_of(cone_file, "true"), MB_FORM_HULL);
  cr_expect_eq(form_of(cone_file, "\"mesh\""), MB_FORM_MESH);
  cr_expect_eq(form_of(torus_file, "true"), MB_FORM_MESH);
  cr_expect_eq(form_of(torus_file, "\"hull\""), MB_FORM_HULL);
  unlink(cone_file), unlink(torus_file);
  mb_skin_free(cone), mb_skin_free(torus);
}

// ---- meshes that rest ---------------------------------------------------------------------------------------

// ---- what wobbles -------------------------------------------------------------------------------------------

// A ring falls askew. Its lowest vertex is another one in each step, until all lie on the ground.
static const char ring[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 150}, \"contact\": {}, "
    "\"output\": {\"channels\": [\"solver.contact\"]}, \"bodies\": [" GROUND ", "
    "{\"name\": \"ring\", \"density\": 1000, \"shape\": {\"type\": \"mesh\", \"file\": \"%s\", \"collide\": "
    "\"mesh\"}, \"pose\": {\"position\": [0, 0, 0.1], \"rotation\": {\"axis\": [1, 0.3, 0], \"angle\": "
    "0.05}}}]}";

Test(touch_mesh, a_ring_that_wobbles_comes_to_lie_on_whatever_is_flat) {
  static const char *const grounds[] = {
      "/bodies/0/shape={\"type\": \"plane\"}",
      "/bodies/0={\"name\": \"ground\", \"density\": 1, \"shape\": {\"type\": \"box\", \"size\": [2, 2, 1], "
      "\"frame\": {\"position\": [0, 0, -0.5]}}, " FIXED "}",
      "/bodies/0={\"name\": \"ground\", \"density\": 1, \"shape\": {\"type\": \"cylinder\", \"radius\": 1, "
      "\"length\": 1, \"frame\": {\"position\": [0, 0, -0.5]}}, " FIXED "}"};
  MbSkin *torus = made_torus(0.1, 0.02, 16, 8);
  char path[64], text[1000];
  write_mesh(torus, path);
  mb_skin_free(torus);
  snprintf(text, sizeof text, ring, path);
  for (size_t k = 0; k < sizeof grounds / sizeof *grounds; k++) {
    const char *const sets[] = {grounds[k], NULL};
    TestRun run = test_run(text, sets);
    double x[36], worst = 0;
    for (int step = 0; step < 150; step++) {
      test_steps(run.sim, 1);
      worst = fmax(worst, test_channel(run.sim, "solver.contact", NULL)[3]);
    }
    test_bodies(run.sim, x, 36);
    cr_expect(fabs(x[18 + 2] - 0.02) < 1e-6 && worst < 0.05,
              "%s: the ring's middle is at %.6f, it has been %g of a size deep", grounds[k], x[18 + 2],
              worst);
    test_run_free(&run);
  }
  unlink(path);
}

// A ring that is dropped over a cone comes to lie around it, where its hole is as wide as the cone, and carries its weight there.
Test(touch_mesh_long, a_torus_that_falls_onto_a_cone_comes_to_hang_on_it, TEST_LONG) {
  char cone_file[64], torus_file[64], text[1000];
  MbSkin *cone = made_cone(0.5, 1, 48), *torus = made_torus(0.4, 0.1, 48, 16);
  write_mesh(cone, cone_file), write_mesh(torus, torus_file);
  snprintf(text, sizeof text,
           "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 1000}, \"contact\": {\"friction\": 0.8}, "
           "\"bodies\": [{\"name\": \"cone\", \"density\": 1, \"shape\": {\"type\": \"mesh\", \"file\": "
           "\"%s\"}, " FIXED
           "}, {\"name\": \"ring\", \"mass\": 2, \"pose\": {\"position\": [0, 0, 0.6]}, \"shape\": "
           "{\"type\": \"mesh\", \"file\": \"%s\"}}]}",
           cone_file, torus_file);
  TestRun run = test_run(text, NULL);
  test_steps(run.sim, 1000);
  // the hole, of radius 0.3, and the tube above it where the cone's side, of slope 2, is tangent to that
  const double c = 1 / sqrt(5), s = 2 / sqrt(5), height = 1 - 2 * (0.4 - 0.1 * s) + 0.1 * c;
  const double *p = run.sim->x.E[1].p;
  cr_expect(fabs(p[2] - height) < 0.01, "at %g, not %g", p[2], height);
  cr_expect(hypot(p[0], p[1]) < 0.01, "off by %g", hypot(p[0], p[1]));
  const double fall = fabs(run.sim->state.v[run.model->v_first[1] + 5]);
  cr_expect(fall < 1e-6, "%g m/s", fall);
  double weight = 0;
  const MbPushes *last = &run.sim->touching->last;
  for (size_t i = 0; i < last->n; i++) {
    double axis[3][3];
    mb_touch_axes(last->touch[i].normal, axis);
    for (int k = 0; k < 3; k++) weight += last->touch[i].lambda[k] * axis[k][2] / 0.002;
  }
  cr_expect(fabs(weight - 2 * 9.81) < 1e-6, "%g N", weight);
  test_run_free(&run);
  unlink(cone_file), unlink(torus_file);
  mb_skin_free(cone), mb_skin_free(torus);
}

// A chain of three links, of which the first is fixed and the others begin in a line with it, swings. Links touch where both surfaces turn
// up beside the place, and at two places at once: what is shallow at one must not hide what is deep at the other.
Test(touch_mesh_long, links_of_a_chain_swing_and_stay_linked, TEST_LONG) {
  char file[64], text[1500];
  MbSkin *link = made_torus(1, 0.2, 16, 8);
  write_mesh(link, file);
  const char shape[] = "\"density\": 7800, \"shape\": {\"type\": \"mesh\", \"file\": ";
  snprintf(
      text, sizeof text,
      "{\"mbsim\": 1, \"time\": {\"step\": 0.002, \"steps\": 1000}, \"contact\": {\"friction\": 0.3}, "
      "\"bodies\": [{\"name\": \"0\", %s\"%s\"}, \"joint\": {\"type\": \"fixed\", \"in_parent\": "
      "{\"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"=pi/2\"}}}}, {\"name\": \"1\", %s\"%s\"}, \"pose\": "
      "{\"position\": [1.55, 0, 0]}}, {\"name\": \"2\", %s\"%s\"}, \"pose\": {\"position\": [3.1, 0, 0], "
      "\"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"=pi/2\"}}}]}",
      shape, file, shape, file, shape, file);
  TestRun run = test_run(text, NULL);
  for (int step = 0; step < 700; step++) {
    test_steps(run.sim, 1);
    for (size_t k = 1; k < 3; k++) {
      double d[3];
      mb_vec3_sub(d, run.sim->x.E[k].p, run.sim->x.E[k - 1].p);
      cr_assert(mb_vec3_norm(d) < 1.61, "step %d: links %zu and %zu are %g apart", step, k, k - 1,
                mb_vec3_norm(d));
    }
  }
  cr_expect_lt(run.sim->constraining->told[MB_SOLVED_DEEPEST], 0.01, "%g",
               run.sim->constraining->told[MB_SOLVED_DEEPEST]);
  // by then it has gone through the lowest place, and kept to the plane of its swing
  cr_expect_lt(run.sim->x.E[2].p[0], -0.5);
  cr_expect_lt(fabs(run.sim->x.E[2].p[1]), 0.01);
  test_run_free(&run);
  unlink(file);
  mb_skin_free(link);
}

Test(touch_mesh_long, bodies_of_one_mesh_share_its_surface_and_steps_do_not_allocate) {
  char file[64], text[1200];
  MbSkin *torus = made_torus(0.1, 0.03, 16, 8);
  write_mesh(torus, file);
  snprintf(
      text, sizeof text,
      "{\"mbsim\": 1, \"time\": {\"step\": 0.005, \"steps\": 1000}, \"contact\": {}, \"bodies\": [" GROUND
      ", {\"name\": \"a\", \"density\": 500, \"pose\": {\"position\": [0, 0, 0.05]}, \"shape\": {\"type\": "
      "\"mesh\", \"file\": \"%s\"}}, {\"name\": \"b\", \"density\": 500, \"pose\": {\"position\": [0.05, 0, "
      "0.2]}, \"shape\": {\"type\": \"mesh\", \"file\": \"%s\"}}]}",
      file, file);
  TestRun run = test_run(text, NULL);
  cr_expect_eq(run.sim->touching->solids.shape[1].surface, run.sim->touching->solids.shape[2].surface);
  test_steps(run.sim, 300);
  const int64_t before = mb_alloc_calls();
  test_steps(run.sim, 100);
  cr_expect_eq(mb_alloc_calls(), before);
  // one ring lies, the other leans on it: nothing is through anything
  cr_expect_gt(run.sim->x.E[1].p[2], 0.029);
  cr_expect_gt(run.sim->x.E[2].p[2], 0.03);
  test_run_free(&run);
  unlink(file);
  mb_skin_free(torus);
}

// ---- what cannot collide ------------------------------------------------------------------------------------

static void refused(const char *vertices, const char *body, const char *where, const char *text) {
  char path[] = "/tmp/mbsim_mesh_XXXXXX.obj", set[600];
  const int file = mkstemps(path, 4);
  cr_assert(file >= 0);
  cr_assert_eq(write(file, vertices, strlen(vertices)), (ssize_t)strlen(vertices));
  close(file);
  snprintf(set, sizeof set, body, path);
  const char *const sets[] = {set, NULL};
  MbReport report = {0};
  cr_expect_eq(test_try(movers, sets, 0, &report), MB_SCENE);
  const MbIssue *issue = &report.issues[report.kept ? report.kept - 1 : 0];
  cr_expect_str_eq(issue->where, where);
  cr_expect(strstr(issue->text, text), "%s", issue->text);
  unlink(path);
}

Test(touch_mesh, meshes_that_cannot_collide_are_refused_with_their_place) {
  static const char line[] = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 1\nf 1 2 3\nf 3 2 1\n";
  static const char flat[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n";
#define BODY(collide_)                                                                                       \
  "/bodies/1={\"name\": \"it\", \"pose\": {\"position\": [0, 0, 9]}, " INERTIA ", \"shape\": "               \
  "[{\"type\": \"sphere\", \"radius\": 0.1, \"collide\": false}, {\"type\": \"mesh\", " collide_             \
  "\"file\": \"%s\"}]}"
  refused(line, BODY(""), "/bodies/1/shape/1", "has no area, that at [0, 0, 0]");
  refused(flat, BODY("\"collide\": \"hull\", "), "/bodies/1/shape/1",
          "the mesh of \"it\" has all of its points in a plane: it cannot collide");
  refused(flat,
          "/bodies/1={\"name\": \"it\", \"pose\": {\"position\": [0, 0, 9]}, \"density\": 1, \"shape\": "
          "{\"type\": \"sphere\", \"radius\": 0.1, \"collide\": \"hull\"}}",
          "/bodies/1/shape/collide", "\"hull\" is a word for meshes: a sphere collides as it is");
}
