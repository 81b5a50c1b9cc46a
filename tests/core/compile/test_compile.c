// What core/compile makes of bodies, and what it refuses.
#include "core/base/alloc.h"
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

static void refused(const MbSceneSpec *spec, const char *where, const char *text) {
  MbReport report = {0};
  MbModel *model = NULL;
  cr_assert_eq(mb_compile(spec, &model, &report), MB_SCENE, "\"%s\" should have been refused", text);
  cr_assert_null(model);
  cr_assert_str_eq(report.issues[0].where, where);
  cr_assert(strstr(report.issues[0].text, text), "found \"%s\", wanted \"%s\"", report.issues[0].text, text);
}

static void warned(const MbSceneSpec *spec, const char *text) {
  MbReport report = {0};
  MbModel *model = NULL;
  test_ok(mb_compile(spec, &model, &report), &report);
  cr_assert_eq(report.warnings, 1, "\"%s\" should have been warned about", text);
  cr_assert(strstr(report.issues[0].text, text), "found \"%s\", wanted \"%s\"", report.issues[0].text, text);
  mb_model_free(model);
}

static void accepted(const MbSceneSpec *spec) {
  MbReport report = {0};
  MbModel *model = NULL;
  test_ok(mb_compile(spec, &model, &report), &report);
  cr_assert_eq(report.warnings, 0, "%s", report.issues[0].text);
  mb_model_free(model);
}

static MbShapeSpec box(double a, double b, double c) {
  return (MbShapeSpec){
      .kind = MB_SHAPE_BOX, .size = {a, b, c}, .frame.rotation = {1}, .density = NAN, .scale = 1};
}

static MbSceneSpec with_shape(MbShapeSpec *shape) {
  MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, 1);
  MbBodySpec *body = test_body(&spec, "b", 1, 1, 1, 1);
  body->inertia = NULL;
  body->shapes = shape;
  body->nshapes = 1;
  return spec;
}

Test(compile, bodies_without_mass_or_with_two_are_refused) {
  MbShapeSpec shape = box(1, 2, 3);
  MbSceneSpec spec = with_shape(&shape);
  refused(&spec, "/bodies/0", "has no mass");
  spec.bodies[0].density = 0;
  refused(&spec, "/bodies/0", "must be positive");
  spec.bodies[0].nshapes = 0;
  refused(&spec, "/bodies/0", "has no mass");
  spec.bodies[0].inertia = &(MbInertiaSpec){.mass = 1, .matrix = {1, 1, 1}};
  refused(&spec, "/bodies/0", "already says the mass");
  spec.bodies[0].density = NAN;
  spec.bodies[0].inertia->matrix[0] = -1;
  refused(&spec, "/bodies/0/inertia", "must be positive");
  mb_arena_free(&spec.arena);
}

Test(compile, impossible_scenes_are_refused_by_name) {
  MbShapeSpec shapes[2] = {box(1, 2, 3), box(1, 1, 1)};
  MbSceneSpec spec = with_shape(shapes);
  spec.bodies[0].nshapes = 2, spec.bodies[0].shape_list = true;
  shapes[0].density = 1000;
  refused(&spec, "/bodies/0/shape/1", "has no density");
  shapes[1].density = 1000, shapes[1].kind = MB_SHAPE_PLANE;
  refused(&spec, "/bodies/0/shape/1", "plane");
  shapes[1] = shapes[0];

  test_force(&spec, MB_FORCE_POINT, "nobody");
  refused(&spec, "/forces/0/body", "nobody");
  spec.nforces = 0;
  spec.time.step = 0;
  refused(&spec, "/time/step", "must be positive");
  spec.time = (MbTimeSpec){.step = 1e-9, .duration = 1e9, .steps = -1};
  refused(&spec, "/time/duration", "1e15");
  spec.time.duration = 1;
  spec.solver.kind = MB_SOLVER_PROJECTIVE;
  refused(&spec, "/solver", "moves deformables, and there are none");
  spec.solver.kind = MB_SOLVER_MAXIMAL, spec.solver.mode = MB_FIRST_ORDER,
  spec.integrator.kind = MB_BRIDSON_MARINO;
  refused(&spec, "/integrator", "\"implicit\"");
  mb_arena_free(&spec.arena);
}

Test(compile, likely_mistakes_are_warned_about) {
  MbSceneSpec spec = test_scene(MB_SYMPLECTIC, 0.1, 1);
  MbBodySpec *body = test_body(&spec, "b", 1, 1, 1, 3);
  warned(&spec, "no solid has these");
  body->inertia->matrix[2] = 1;
  body->angular[0] = 20;
  warned(&spec, "turns by 2 rad in a step");
  mb_arena_free(&spec.arena);
}

Test(compile, densities_and_total_mass_are_as_the_scene_says) {
  MbMaterialSpec materials[2] = {{.name = "steel", .density = 7800, .friction = NAN, .restitution = NAN},
                                 {.name = "wood", .density = 600, .friction = NAN, .restitution = NAN}};
  MbShapeSpec shape = box(1, 2, 3);
  MbSceneSpec spec = with_shape(&shape);
  spec.materials = materials, spec.nmaterials = 2;
  spec.bodies[0].material = "wood";
  const double cases[4] = {6 * 600, 6 * 1000, 6 * 7800, 6 * 2};
  for (int k = 0; k < 4; k++) {
    if (k == 1) spec.bodies[0].density = 1000;
    if (k == 2) shape.material = "steel";
    if (k == 3) shape.density = 2;
    MbModel *model = test_model(&spec);
    test_near("mass", &model->M[3], &cases[k], 1, 1e-12 * cases[k]);
    mb_model_free(model);
  }
  spec.bodies[0].mass = 5;
  MbModel *model = test_model(&spec);
  const double M[6] = {5 * 13 / 12.0, 5 * 10 / 12.0, 5 * 5 / 12.0, 5, 5, 5};
  test_near("inertia of the box scaled to 5 kg", model->M, M, 6, 1e-14);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

Test(compile, many_bodies_are_found_by_name) {
  MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, 1);
  for (int i = 0; i < 1000; i++) {
    char name[16];
    snprintf(name, sizeof name, "n%d", i);
    test_body(&spec, mb_arena_strdup(&spec.arena, name), 1, 1, 1, 1);
  }
  test_force(&spec, MB_FORCE_WRENCH, "n777");
  MbModel *model = test_model(&spec);
  cr_assert_eq(model->forces[0].body, 777);
  mb_model_free(model);
  spec.bodies[3].name = "n4";
  refused(&spec, "/bodies", "two bodies are called \"n4\"");
  mb_arena_free(&spec.arena);
}

static void hang(MbBodySpec *body, MbJointKind kind) {
  body->jointed = true;
  body->joint = (MbJointSpec){.kind = kind, .axis = {0, 0, 1}};
  if (kind == MB_JOINT_SCREW) body->joint.pitch = 0.5;
  body->joint.in_parent.rotation[0] = body->joint.in_body.rotation[0] = 1;
}

Test(compile, what_a_joint_decides_cannot_be_said_of_its_body) {
  MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, 1);
  MbBodySpec *body = test_body(&spec, "arm", 1, 1, 1, 1);
  hang(body, MB_JOINT_REVOLUTE);
  body->linear[1] = 2;
  refused(&spec, "/bodies/0/velocity", "hangs on a joint");
  body->pose.position[0] = 1;
  refused(&spec, "/bodies/0/pose", "hangs on a joint");
  mb_arena_free(&spec.arena);
}

Test(compile, a_plane_may_be_fixed_to_the_world_and_nowhere_else) {
  MbShapeSpec plane = {.kind = MB_SHAPE_PLANE, .normal = {0, 0, 1}, .density = NAN, .frame.rotation = {1}};
  MbSceneSpec spec = with_shape(&plane);
  refused(&spec, "/bodies/0/shape", "fixed to the world");
  hang(&spec.bodies[0], MB_JOINT_REVOLUTE);
  refused(&spec, "/bodies/0/shape", "fixed to the world");
  hang(&spec.bodies[0], MB_JOINT_FIXED);
  accepted(&spec); // it is the ground, and needs no mass
  mb_arena_free(&spec.arena);
}

Test(compile, a_screw_goes_on_by_its_pitch_in_a_turn) {
  MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, 1);
  MbBodySpec *body = test_body(&spec, "nut", 1, 1, 1, 1);
  const double turns = 2 * 2 * acos(-1.0);
  hang(body, MB_JOINT_SCREW);
  body->joint.position = (MbNumbersSpec){1, &turns};
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  test_near("after two turns", sim->x.E[0].p, (double[]){0, 0, 1}, 3, 1e-14);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

Test(compile, velocities_are_given_in_the_axes_that_the_scene_says) {
  MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, 1);
  MbBodySpec *body = test_body(&spec, "b", 1, 1, 2, 2.5);
  for (int i = 0; i < 4; i++) body->pose.rotation[i] = (double[]){0.5, 0.5, 0.5, 0.5}[i]; // x → y → z → x
  mb_vec3_set(body->angular, 1, 2, 3);
  mb_vec3_set(body->linear, 4, 5, 6);
  for (int k = 0; k < 2; k++) {
    body->velocity_axes = k ? MB_AXES_BODY : MB_AXES_WORLD;
    MbModel *model = test_model(&spec);
    // ω in the body's axes, v in the world's
    const double of_world[6] = {2, 3, 1, 4, 5, 6}, of_own[6] = {1, 2, 3, 6, 4, 5};
    test_near("velocities", model->v0, k ? of_own : of_world, 6, 1e-15);
    mb_model_free(model);
  }
  mb_arena_free(&spec.arena);
}

static uint64_t fingerprint(const MbSceneSpec *spec) {
  MbModel *model = test_model(spec);
  const uint64_t mark = model->fingerprint;
  mb_model_free(model);
  return mark;
}

// A run may go on in other colours.
Test(compile, colours_are_no_part_of_a_fingerprint) {
  static const double red[4] = {1, 0, 0, 1}, blue[4] = {0, 0, 1, 0.5};
  MbShapeSpec shape = box(1, 2, 3);
  shape.density = 1;
  MbSceneSpec spec = with_shape(&shape);
  const uint64_t plain = fingerprint(&spec);
  cr_expect_null(mb_shape_color(&spec, &spec.bodies[0], &shape));
  spec.bodies[0].color = red;
  cr_expect_eq(mb_shape_color(&spec, &spec.bodies[0], &shape), red, "the body's");
  shape.color = blue;
  cr_expect_eq(mb_shape_color(&spec, &spec.bodies[0], &shape), blue, "its own is nearer");
  cr_expect_eq(mb_shape_color(&spec, &spec.bodies[0], NULL), red, "the body's own");
  cr_expect_eq(fingerprint(&spec), plain);
  mb_arena_free(&spec.arena);
}

// A checkpoint of another model must not be taken: whatever moves bodies otherwise has another fingerprint.
Test(compile, fingerprints_tell_models_apart) {
  MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, 1);
  MbBodySpec *arm = test_body(&spec, "arm", 1, 1, 1.2, 1.5), *hand = test_body(&spec, "hand", 1, 1, 1.2, 1.5);
  const double one = 1, two = 2;
  hang(arm, MB_JOINT_REVOLUTE);
  hang(hand, MB_JOINT_REVOLUTE);
  hand->joint.parent = "arm";
  MbForceSpec *force = test_force(&spec, MB_FORCE_POINT, "arm");
  test_wrench(force)->force[0] = test_expression("sin(t)");
  uint64_t seen[16] = {fingerprint(&spec)};
  size_t n = 1;
  cr_assert_eq(fingerprint(&spec), seen[0]);

  arm->joint.axis[2] = 0, arm->joint.axis[0] = 1;
  seen[n++] = fingerprint(&spec);
  arm->joint.kind = MB_JOINT_SCREW;
  seen[n++] = fingerprint(&spec);
  arm->joint.pitch = 0.25;
  seen[n++] = fingerprint(&spec);
  hand->joint.parent = NULL;
  seen[n++] = fingerprint(&spec);
  arm->joint.rest = (MbNumbersSpec){1, &one};
  seen[n++] = fingerprint(&spec);
  arm->joint.rest.value = &two;
  seen[n++] = fingerprint(&spec);
  test_wrench(force)->at[1] = 1;
  seen[n++] = fingerprint(&spec);
  test_wrench(force)->force[0] = test_expression("cos(t)");
  seen[n++] = fingerprint(&spec);
  test_wrench(force)->force[0] = test_constant(1);
  seen[n++] = fingerprint(&spec);
  test_wrench(force)->axes = MB_AXES_BODY;
  seen[n++] = fingerprint(&spec);
  spec.gravity[1] = -9.81;
  seen[n++] = fingerprint(&spec);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < i; k++) cr_assert_neq(seen[i], seen[k], "changes %zu and %zu", k, i);
  mb_arena_free(&spec.arena);
}

// So many bodies that lists of them are asked for one by one, and little things still find room.
Test(compile, running_out_of_memory_for_any_of_many_bodies_is_clean) {
  for (int k = 0;; k++) {
    MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, 1);
    for (int i = 0; i < 3000; i++) {
      char name[16];
      snprintf(name, sizeof name, "n%d", i);
      test_body(&spec, mb_arena_strdup(&spec.arena, name), 1, 1, 1, 1);
    }
    test_force(&spec, MB_FORCE_DAMPING, NULL);
    MbReport report = {0};
    MbModel *model = NULL;
    mb_alloc_fail_after(k);
    const MbStatus status = mb_compile(&spec, &model, &report);
    mb_alloc_fail_after(-1);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
    cr_assert_eq(mb_alloc_live(), 0, "failing call %d leaks", k);
    if (status == MB_OK) break;
    cr_assert_eq(status, MB_IO, "failing call %d", k);
    cr_assert_lt(k, 100);
  }
}
