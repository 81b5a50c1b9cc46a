// Deformables of elements as the model holds them: masses, pins, attached nodes, cables, meshes from files, and what warnings tell of meshes.
#include "core/compile/compile_elements.h"
#include "core/math/quat.h"
#include "core/base/alloc.h"
#include "core/compile/compile_internal.h"
#include "tests/support.h"

#include <string.h>
#include <stdlib.h>

static const double ROUNDING = 1e-12; // relative, of sums of some hundred numbers

static MbReport said;

static void no_leaks(void) { cr_assert_eq(mb_alloc_live(), 0); }
TestSuite(compile_elements, .fini = no_leaks);

// The parts of core/compile as they follow one another, so that what the model holds can be looked at whatever solver and
// integrator go together.
static MbStatus build_parts(const MbSceneSpec *spec, MbModel **out) {
  typedef MbStatus Part(const MbSceneSpec *spec, MbModel *model, MbReport *report);
  static Part *const parts[] = {mb_compile_deformables,   mb_compile_tree,         mb_compile_bodies,
                                mb_compile_joints,        mb_compile_node_parents, mb_compile_forces,
                                mb_compile_elements_hold, mb_compile_constraints};
  MbModel *model = *out = mb_calloc(1, sizeof *model);
  MbStatus status = model ? MB_OK : MB_IO;
  said = (MbReport){0};
  if (model) memcpy(model->gravity, spec->gravity, sizeof model->gravity), model->solver = spec->solver;
  for (size_t i = 0; i < sizeof parts / sizeof *parts && status == MB_OK; i++)
    status = parts[i](spec, model, &said);
  if (status == MB_OK) status = mb_compile_breaks(model, &said);
  return status;
}

static MbModel *model_of(const MbSceneSpec *spec) {
  MbModel *model = NULL;
  const MbStatus status = build_parts(spec, &model);
  cr_assert_eq(status, MB_OK, "%s: %s", said.issues[0].where, said.issues[0].text);
  return model;
}

static void expect_refused(const MbSceneSpec *spec, const char *part) {
  MbModel *model = NULL;
  cr_assert_eq(build_parts(spec, &model), MB_SCENE, "wanted \"%s\"", part);
  bool found = false;
  for (int i = 0; i < said.kept; i++) found |= strstr(said.issues[i].text, part) != NULL;
  cr_assert(found, "\"%s\" does not say \"%s\"", said.issues[said.kept - 1].text, part);
  mb_model_free(model);
}

static const double cube[] = {2, 1, 0.5};

static MbDeformableSpec jelly(void) {
  return (MbDeformableSpec){
      .kind = MB_DEFORMABLE_TETS,
      .name = "jelly",
      .mesh = {.box = {4, 3, 3}, .nsize = 3, .size = cube, .length = NAN, .radius = NAN},
      .model = MB_COROTATIONAL,
      .young = 1e5,
      .poisson = 0.25,
      .density = 800,
      .pose = {.rotation = {1, 0, 0, 0}}};
}

static MbDeformableSpec sheet(void) {
  MbDeformableSpec spec = jelly();
  spec.kind = MB_DEFORMABLE_CLOTH, spec.name = "sheet", spec.thickness = 0.01;
  spec.mesh = (MbNodeMeshSpec){.grid = {4, 3}, .nsize = 2, .size = cube, .length = NAN, .radius = NAN};
  return spec;
}

static MbSceneSpec scene_of(MbDeformableSpec *list, size_t n) {
  MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, 10);
  spec.solver.kind = MB_SOLVER_PROJECTIVE;
  spec.ndeformables = n, spec.deformables = list;
  return spec;
}

static double total(const MbDeformable *of) {
  double sum = 0;
  for (size_t i = 0; i < of->count; i++) {
    cr_assert(of->elements->mass[i] > 0, "node %zu of %s has mass %g", i, of->name, of->elements->mass[i]);
    sum += of->elements->mass[i];
  }
  return sum;
}

Test(compile_elements, masses_are_lumped_and_nodes_are_placed) {
  MbDeformableSpec list[] = {jelly(), sheet()};
  const double half = sqrt(0.5);
  list[1].pose = (MbFrameSpec){{1, 2, 3}, {half, 0, 0, half}}; // a quarter turn about z
  mb_vec3_set(list[1].angular, 0, 0, 2);
  mb_vec3_set(list[1].linear, 0, 0, 5);
  MbSceneSpec spec = scene_of(list, 2);
  MbModel *model = model_of(&spec);
  const MbDeformable *a = &model->deformables[0], *b = &model->deformables[1];
  cr_assert(model->nb == 0 && mb_model_nodes(model) == 36 + 18);
  cr_assert(a->first == 0 && a->count == 36 && b->first == 36 && b->count == 12 + 6);
  cr_assert(a->elements->mesh.tets == 6 * 12 && !a->elements->mesh.triangles &&
            b->elements->mesh.triangles == 24);
  cr_assert(a->elements->model == MB_COROTATIONAL && a->elements->bending == MB_NO_BENDING);
  cr_assert_float_eq(total(a), 800, 800 * ROUNDING);
  cr_assert_float_eq(total(b), 800 * 2 * 0.01, 16 * ROUNDING);
  cr_assert_float_eq(b->elements->mass[12], 16.0 / 6 / 3,
                     ROUNDING); // the middle of a cell has a third of its mass

  // (2, 1, 0) turned to (-1, 2, 0); ω × r and v
  const double x[] = {0, 4, 3}, v[] = {-4, -2, 5};
  test_near("place", b->elements->x0 + 3 * 11, x, 3, 1e-14);
  test_near("velocity", b->elements->v0 + 3 * 11, v, 3, 1e-14);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

Test(compile_elements, bending_is_that_of_a_plate_unless_it_is_given) {
  MbDeformableSpec list[] = {sheet(), sheet()};
  list[0].bending = (MbBendingSpec){.model = MB_BENDING_ISOMETRIC, .given = true, .stiffness = NAN};
  list[1].bending = (MbBendingSpec){.model = MB_BENDING_LAPLACE_BELTRAMI, .given = true, .stiffness = 3};
  MbSceneSpec spec = scene_of(list, 2);
  MbModel *model = model_of(&spec);
  cr_assert_float_eq(model->deformables[0].elements->bending_stiffness, 1e5 * 1e-6 / 12 / (1 - 0.0625),
                     1e-15);
  cr_assert_eq(model->deformables[1].elements->bending_stiffness, 3);
  cr_assert(said.kept == 1 && strstr(said.issues[0].text, "free edges") &&
            !strcmp(said.issues[0].where, "/deformables/1/material/bending/model"));
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

Test(compile_elements, springs_and_particles_have_nodes_and_edges) {
  MbDeformableSpec list[] = {
      {.kind = MB_DEFORMABLE_SPRINGS,
       .name = "rope",
       .mesh = {.rope = 4, .length = 3, .radius = NAN},
       .mass = 2,
       .stiffness = 7,
       .pose = {.rotation = {1, 0, 0, 0}}},
      {.kind = MB_DEFORMABLE_PARTICLES,
       .name = "dust",
       .mesh = {.grid = {3, 3}, .nsize = 2, .size = cube, .length = NAN, .radius = NAN},
       .mass = 9,
       .pose = {.rotation = {1, 0, 0, 0}}}};
  MbSceneSpec spec = scene_of(list, 2);
  MbModel *model = model_of(&spec);
  const MbElements *rope = model->deformables[0].elements, *dust = model->deformables[1].elements;
  cr_assert(rope->mesh.edges == 3 && rope->mesh.edge[2] == 1 && rope->mesh.edge[3] == 2 &&
            rope->stiffness == 7);
  cr_assert(rope->mesh.x[9] == 3 && rope->mass[3] == 0.5);
  cr_assert(dust->mesh.edges == 0 && dust->mesh.nodes == 9 && dust->mass[8] == 1);
  cr_assert_eq(model->nforces, 0); // the springs are none of the bodies' forces
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

Test(compile_elements, pins_hold_axes_and_name_the_motion_of_each) {
  MbDeformableSpec list[] = {jelly()};
  MbPinSpec pins[] = {{.select = {.side = "-x"}, .axes = "x"},
                      {.select = {.side = "-x"}, .axes = "xz"}, // again, and as still: no contradiction
                      {.select = {.in_box = true, .box = {{1.9, -1, -1}, {2, 2, 2}}},
                       .motion = {.given = true,
                                  .turns = true,
                                  .translate = {test_constant(0), test_expression("2*t"), test_constant(0)},
                                  .axis = {1, 0, 0},
                                  .through = {0, 0.5, 0.25},
                                  .angle = test_expression("sin(t)")}}};
  list[0].npins = 3, list[0].pins = pins;
  MbSceneSpec spec = scene_of(list, 1);
  MbModel *model = model_of(&spec);
  const MbElements *e = model->deformables[0].elements;
  cr_assert_eq(said.warnings, 0);
  cr_assert_eq(e->npinned, 18);
  cr_assert_eq(e->nmotions, 1);
  for (size_t i = 0; i < e->npinned; i++) {
    const MbPinnedNode *pinned = &e->pinned[i];
    const bool left = e->x0[3 * pinned->node] == 0;
    cr_assert(!i || e->pinned[i - 1].node < pinned->node);
    cr_assert_eq(pinned->axes, left ? 5 : 7, "node %u is held along %u", pinned->node, pinned->axes);
    for (size_t k = 0; k < 3; k++) cr_assert_eq(pinned->motion[k], left ? MB_STILL : 0);
  }
  cr_assert_eq(model->nsignals, 4);
  cr_assert_eq(model->signals[e->motions[0].translate[1]].kind, MB_SIGNAL_EXPRESSION);
  cr_assert_str_eq(model->signals[e->motions[0].angle].text, "sin(t)");
  cr_assert_eq(e->motions[0].through[1], 0.5);
  mb_model_free(model);

  // a motion that does not begin where the nodes are is told
  pins[2].motion.angle = test_expression("cos(t)");
  model = model_of(&spec);
  cr_assert(said.warnings == 1 && strstr(said.issues[0].text, "the angle is 1 at t = 0"), "%s",
            said.issues[0].text);
  mb_model_free(model);

  // two motions of one node along one axis
  pins[1] = (MbPinSpec){.select = {.side = "+x"}, .axes = "y"};
  expect_refused(&spec, "is held along y already");
  pins[2].axes = "z";
  pins[1].axes = "z";
  expect_refused(&spec, "is held along z already");
  mb_arena_free(&spec.arena);
}

Test(compile_elements, attached_nodes_have_their_place_in_the_body) {
  MbDeformableSpec list[] = {jelly()};
  MbAttachSpec attach[] = {{.select = {.side = "+x"}, .body = "hand"},
                           {.select = {.nearest = (double[]){0, 0, 0}, .nnearest = 3}, .body = "world"}};
  MbSceneSpec spec = scene_of(list, 1);
  MbBodySpec *hand = test_body(&spec, "hand", 1, 1, 1, 1);
  mb_vec3_set(hand->pose.position, 2, 0, 1);
  list[0].nattachments = 2, list[0].attachments = attach;
  MbModel *model = model_of(&spec);
  const MbElements *e = model->deformables[0].elements;
  // what stands still carries its node; at a body that can move rows hold them, as the bodies behind the scene's
  cr_assert_eq(e->nattached, 1);
  cr_assert(e->attached[0].node == 0 && e->attached[0].body == MB_WORLD);
  cr_assert_eq(model->nports, 9);
  cr_assert_eq(model->nb, 10);
  cr_assert_eq(model->deformables[0].port[11], 3);
  cr_assert_eq(model->deformables[0].port[0], MB_WORLD);
  const MbConstraint *constraint = &model->constraints[2];
  cr_assert(constraint->body[0] == 3 && constraint->body[1] == 0);
  const double wanted[] = {0, 1, -1};
  test_near("place in the body", constraint->at[1], wanted, 3, 1e-15);
  mb_model_free(model);

  MbPinSpec pin = {.select = {.side = "-y"}};
  list[0].npins = 1, list[0].pins = &pin;
  expect_refused(&spec, "is held already");
  mb_arena_free(&spec.arena);
}

Test(compile_elements, cables_go_through_the_middles_of_selections) {
  MbDeformableSpec list[] = {jelly()};
  MbSelectSpec path[] = {{.side = "-x"}, {.nvertices = 2, .vertices = (double[]){1, 2}}, {.side = "+x"}};
  MbCableSpec cables[] = {{.npath = 3, .path = path, .pulled = true, .pull = test_expression("10*t")},
                          {.npath = 2, .path = path, .compliance = 0.25}};
  list[0].ncables = 2, list[0].cables = cables;
  MbSceneSpec spec = scene_of(list, 1);
  MbModel *model = model_of(&spec);
  const MbElements *e = model->deformables[0].elements;
  cr_assert_eq(e->ncables, 2);
  const MbCable *cable = &e->cables[0];
  cr_assert(cable->npoints == 3 && cable->first[1] == 9 && cable->first[2] == 11 && cable->first[3] == 20);
  cr_assert(cable->node[9] == 1 && cable->node[10] == 2);
  const double middle = hypot(hypot(1, 0.5), 0.25); // the sides' middles, and that of an edge of the box
  cr_assert_float_eq(cable->length, 2 * middle, 1e-14);
  cr_assert_str_eq(model->signals[cable->pull].text, "10*t");
  cr_assert(e->cables[1].pull == SIZE_MAX && e->cables[1].compliance == 0.25);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

Test(compile_elements, meshes_from_files_are_checked_and_turned_round) {
  double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  uint32_t tet[] = {0, 2, 1, 3}, triangle[] = {0, 1, 2, 0, 1, 3, 0, 1, 3};
  MbElementMesh mesh = {.nodes = 4, .tets = 1, .x = x, .tet = tet};
  MbDeformableSpec list[] = {jelly()};
  list[0].mesh = (MbNodeMeshSpec){.file = "one.msh", .mesh = &mesh, .length = NAN, .radius = NAN};
  MbSceneSpec spec = scene_of(list, 1);
  MbModel *model = model_of(&spec);
  const uint32_t *made = model->deformables[0].elements->mesh.tet;
  cr_assert(made[0] == 0 && made[1] == 2 && made[2] == 3 && made[3] == 1);
  cr_assert(said.warnings == 1 && strstr(said.issues[0].text, "1 of 1 tetrahedra were inside out"), "%s",
            said.issues[0].text);
  cr_assert_float_eq(total(&model->deformables[0]), 800.0 / 6, 1e-12);
  mb_model_free(model);

  tet[1] = 4;
  expect_refused(&spec, "tetrahedron 0 has vertex 4 for a corner");
  tet[1] = 0;
  expect_refused(&spec, "vertex 2 (numbered from 0) belongs to no tetrahedron");
  tet[1] = 2, x[11] = 1e-12;
  expect_refused(&spec, "is flat");
  mesh.tets = 0, mesh.triangles = 2, mesh.triangle = triangle;
  expect_refused(&spec, "is a surface");
  mb_arena_free(&spec.arena);
}

Test(compile_elements, cloth_from_files_must_be_a_surface_that_can_be_one) {
  double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0};
  uint32_t tet[] = {0, 1, 2, 3}, triangle[] = {0, 1, 2, 0, 1, 3, 1, 0, 4};
  MbElementMesh mesh = {.nodes = 4, .triangles = 2, .x = x, .triangle = triangle, .tet = tet};
  MbDeformableSpec list[] = {sheet()};
  list[0].mesh = (MbNodeMeshSpec){.file = "two.obj", .mesh = &mesh, .length = NAN, .radius = NAN};
  MbSceneSpec spec = scene_of(list, 1);
  MbModel *model = model_of(&spec);
  cr_assert_float_eq(total(&model->deformables[0]), 8, 1e-12);
  mb_model_free(model);

  mesh.nodes = 5;
  expect_refused(&spec, "vertex 4 (numbered from 0) belongs to no triangle");
  mesh.triangles = 3;
  expect_refused(
      &spec, "the edge between the vertices 0 and 1 (numbered from 0) belongs to more than two triangles");
  mesh.nodes = 4, mesh.triangles = 2, triangle[5] = 1;
  expect_refused(&spec, "vertex 3");
  triangle[5] = 3, x[11] = 0, x[9] = 0.5;
  expect_refused(&spec, "triangle 1 (numbered from 0; corners 0, 1, 3) is a line");
  mesh.tets = 1;
  expect_refused(&spec, "is a volume");
  mesh.tets = mesh.triangles = 0;
  expect_refused(&spec, "has no triangles");
  mb_arena_free(&spec.arena);
}

Test(compile_elements, memory_that_runs_out_anywhere_is_an_error_and_no_leak) {
  MbDeformableSpec list[] = {jelly(), sheet()};
  MbPinSpec pin = {.select = {.side = "-x"}};
  MbSelectSpec path[] = {{.side = "-x"}, {.side = "+x"}};
  MbCableSpec cable = {.npath = 2, .path = path};
  list[0].npins = 1, list[0].pins = &pin, list[0].ncables = 1, list[0].cables = &cable;
  MbSceneSpec spec = scene_of(list, 2);
  MbStatus status = MB_IO;
  int calls = 0;
  const int64_t before = mb_alloc_live();
  for (; status != MB_OK && calls < 1000; calls++) {
    MbModel *model = NULL;
    mb_alloc_fail_after(calls);
    status = build_parts(&spec, &model);
    mb_alloc_fail_after(-1);
    cr_assert(status == MB_OK || status == MB_IO, "call %d: %s", calls, said.issues[0].text);
    mb_model_free(model);
    cr_assert_eq(mb_alloc_live(), before, "call %d leaks", calls);
  }
  cr_assert(calls > 10 && calls < 1000);
  mb_arena_free(&spec.arena);
}

// Whether a warning says this.
static bool warned(const char *part) {
  for (int i = 0; i < said.kept; i++)
    if (strstr(said.issues[i].text, part)) return true;
  return false;
}

static MbModel *model_of_file(MbSceneSpec *spec, const MbElementMesh *mesh, double weld) {
  spec->deformables[0].mesh =
      (MbNodeMeshSpec){.file = "a.msh", .mesh = mesh, .length = NAN, .radius = NAN, .weld = weld};
  return model_of(spec);
}

Test(compile_elements, slivers_are_named_before_a_step_fails_on_them) {
  double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.3, 0.3, 1e-8};
  uint32_t tet[] = {0, 1, 2, 3}, triangle[] = {0, 1, 2};
  MbElementMesh mesh = {.nodes = 4, .tets = 1, .x = x, .tet = tet};
  MbDeformableSpec list[] = {jelly()};
  MbSceneSpec spec = scene_of(list, 1);
  list[0].mesh = (MbNodeMeshSpec){.file = "a.msh", .mesh = &mesh, .length = NAN, .radius = NAN};
  expect_refused(&spec, "tetrahedron 0 (numbered from 0; corners 0, 1, 2, 3) is a sliver");
  x[11] = 1e-3; // which can be simulated
  mb_model_free(model_of_file(&spec, &mesh, 0));
  cr_assert(warned("less than 0.01 of their longest edge high: 1 of 1; number 0"));
  x[11] = 1;
  mb_model_free(model_of_file(&spec, &mesh, 0));
  cr_assert_eq(said.kept, 0);
  mb_arena_free(&spec.arena);

  mesh = (MbElementMesh){.nodes = 3, .triangles = 1, .x = x, .triangle = triangle};
  list[0] = sheet();
  list[0].mesh = (MbNodeMeshSpec){.file = "a.msh", .mesh = &mesh, .length = NAN, .radius = NAN};
  x[6] = 0.5, x[7] = 1e-7;
  expect_refused(&spec, "triangle 0 (numbered from 0; corners 0, 1, 2) is a sliver");
}

Test(compile_elements, cracks_are_told_of_and_welded) {
  double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1 + 1e-12, 1, 1, 1};
  uint32_t tet[] = {0, 1, 2, 3, 1, 2, 4, 5};
  const MbElementMesh mesh = {.nodes = 6, .tets = 2, .x = x, .tet = tet};
  MbDeformableSpec list[] = {jelly()};
  MbSceneSpec spec = scene_of(list, 1);
  mb_model_free(model_of_file(&spec, &mesh, 0));
  cr_assert(said.kept == 1 &&
            warned("1 of 6. The mesh is cracked there: \"weld\": 1e-09 in the mesh joins them"));
  MbModel *model = model_of_file(&spec, &mesh, 1e-9);
  const MbElementMesh *made = &model->deformables[0].elements->mesh;
  cr_assert(said.kept == 0 && made->nodes == 5 && made->tets == 2);
  cr_assert(made->tet[6] == 3 && made->tet[7] == 4 && made->x[3 * 4] == 1 && made->x[3 * 4 + 1] == 1);
  mb_model_free(model);
  mb_model_free(model_of_file(&spec, &mesh, 1e-13));
  cr_assert(warned("joins nothing"));
  list[0].mesh.weld = 1.5;
  expect_refused(&spec, "would join two corners of element 0");
  mb_arena_free(&spec.arena);
}

Test(compile_elements, elements_there_twice_are_told_of_and_left_out) {
  double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  uint32_t tet[] = {0, 1, 2, 3, 1, 2, 0, 3}, triangle[] = {0, 1, 2, 2, 1, 0};
  MbElementMesh mesh = {.nodes = 4, .tets = 2, .x = x, .tet = tet};
  MbDeformableSpec list[] = {jelly()};
  MbSceneSpec spec = scene_of(list, 1);
  mb_model_free(model_of_file(&spec, &mesh, 0));
  cr_assert(said.kept == 1 &&
            warned("tetrahedra that have the same corners as another one: 1 of 2. They count twice"));
  MbModel *model = model_of_file(&spec, &mesh, 1e-9);
  cr_assert(said.kept == 0 && model->deformables[0].elements->mesh.tets == 1);
  mb_model_free(model);
  mb_arena_free(&spec.arena);

  mesh = (MbElementMesh){.nodes = 3, .triangles = 2, .x = x, .triangle = triangle};
  list[0] = sheet();
  spec = scene_of(list, 1);
  mb_model_free(model_of_file(&spec, &mesh, 0));
  cr_assert(warned("triangles that have the same corners as another one: 1 of 2"));
  mb_arena_free(&spec.arena);
}

Test(compile_elements, parts_that_are_not_joined_or_by_a_vertex_alone_are_told_of) {
  double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 1, 0, 2, 2, 0, 3, 0, 0, 4, 0, 0, 3, 1, 0};
  uint32_t triangle[] = {0, 1, 2, 1, 3,
                         4, 5, 6, 7}; // the second hangs on the first's corner, the third is apart
  const MbElementMesh mesh = {.nodes = 8, .triangles = 3, .x = x, .triangle = triangle};
  MbDeformableSpec list[] = {sheet()};
  MbSceneSpec spec = scene_of(list, 1);
  mb_model_free(model_of_file(&spec, &mesh, 0));
  cr_assert(said.kept == 2 && warned("2 parts without a vertex in common") && warned("by vertices alone: 1"));
  mb_arena_free(&spec.arena);
}

Test(compile_elements, nodes_may_start_apart_from_where_they_are_at_rest) {
  MbDeformableSpec list[] = {jelly(), jelly()};
  MbSceneSpec spec = scene_of(list, 2);
  MbModel *model = model_of(&spec);
  const MbElementMesh *rest = &model->deformables[0].elements->mesh;
  double *x = malloc(3 * rest->nodes * sizeof *x);
  cr_assert(x);
  for (size_t i = 0; i < rest->nodes; i++)
    for (size_t c = 0; c < 3; c++) x[3 * i + c] = (c == 2 ? 1.5 : 1) * rest->x[3 * i + c];
  MbElementMesh start = {.nodes = rest->nodes, .x = x};
  list[1].start = (MbNodeMeshSpec){.file = "s.msh", .mesh = &start};
  MbModel *moved = model_of(&spec);
  const MbElements *a = moved->deformables[0].elements, *b = moved->deformables[1].elements;
  test_near("rest", b->mesh.x, rest->x, 3 * rest->nodes, 0);
  test_near("masses", b->mass, a->mass, rest->nodes, 0);
  double z[3], along[3] = {0, 0, 1}; // as the pose turns it
  mb_quat_rotate(z, list[1].pose.rotation, along);
  for (size_t i = 0; i < rest->nodes; i++)
    for (size_t c = 0; c < 3; c++)
      cr_assert_float_eq(b->x0[3 * i + c], a->x0[3 * i + c] + 0.5 * rest->x[3 * i + 2] * z[c], 1e-14);
  mb_model_free(model), mb_model_free(moved);

  start.nodes--;
  expect_refused(&spec, "as many are wanted");
  start.nodes++;
  for (size_t i = 0; i < start.nodes; i++) x[3 * i] = -x[3 * i];
  mb_model_free(model_of(&spec));
  cr_assert(warned("are inside out at the start"));
  free(x);
  mb_arena_free(&spec.arena);
}

Test(compile_elements, cloth_is_not_linear) {
  MbDeformableSpec list[] = {sheet()};
  list[0].model = MB_LINEAR;
  MbSceneSpec spec = scene_of(list, 1);
  expect_refused(&spec, "take \"corotational\"");
  mb_arena_free(&spec.arena);
}

// One for each of 3,000 nodes; what would take for ever is refused.
Test(compile_elements, pins_may_be_as_many_as_there_are_nodes) {
  enum { PINS = 3000 };
  static MbPinSpec pins[PINS];
  static double vertex[PINS];
  MbDeformableSpec list[] = {jelly()};
  list[0].mesh.box[0] = 30, list[0].mesh.box[1] = list[0].mesh.box[2] = 10;
  for (size_t k = 0; k < PINS; k++) {
    vertex[k] = (double)k;
    pins[k] = (MbPinSpec){.select = {.vertices = &vertex[k], .nvertices = 1}, .axes = "xyz"};
  }
  list[0].npins = PINS, list[0].pins = pins;
  MbSceneSpec spec = scene_of(list, 1);
  MbModel *model = model_of(&spec);
  cr_expect_eq(model->deformables[0].elements->npinned, PINS);
  mb_model_free(model);
  list[0].npins = 4000000; // refused before one of them is looked at
  expect_refused(&spec,
                 "4000000 pins, attachments and points of cables: 3333333 are the most with 3000 nodes");
  mb_arena_free(&spec.arena);
}
