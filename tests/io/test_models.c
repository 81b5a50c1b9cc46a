// URDF and MJCF as scenes: what is written.
#include "tests/io/imported.h"

#include <stdio.h>
#include <string.h>

TestSuite(models, .init = imported_begin, .fini = imported_end);

Test(models, scenes_are_written_for_people) {
  Imported r = imported(MJCF(
      "<compiler angle='degree'/><worldbody>\n<body name='arm' pos='0 0 1' euler='0 30 0'>\n"
      "<joint name='elbow' axis='0 1 0' range='-45 90' ref='10'/><geom size='0.1'/></body></worldbody>"));
  cr_assert_str_eq(imported_word(&r, "/_source"), "imported from model.xml (MJCF)");
  cr_assert_str_eq(imported_word(&r, "/bodies/0/_"), "model.xml:3");
  cr_assert_str_eq(imported_word(&r, "/bodies/0/name"), "arm");
  cr_assert_str_eq(imported_word(&r, "/bodies/0/joint/_name"), "elbow");
  cr_assert_str_eq(imported_word(&r, "/bodies/0/joint/limits/0"), "=-45*deg");
  cr_assert_str_eq(imported_word(&r, "/bodies/0/joint/in_parent/rotation/angle"), "=30*deg");
  cr_assert_str_eq(imported_word(&r, "/bodies/0/joint/position"), "=10*deg");
  cr_assert_null(imported_at(&r, "/bodies/0/joint/parent"));
  cr_assert_null(imported_at(&r, "/bodies/0/joint/damping"));
  cr_assert_null(imported_at(&r, "/gravity"));
  imported_runs(&r, 10);
  imported_drop(&r);
}

// <inertial fullinertia> has the order xx yy zz xy xz yz, URDF's names have their own; turned inertia is R I Rᵀ.
Test(models, inertia_comes_in_its_own_order_and_axes) {
  Imported r = imported(
      MJCF("<worldbody><body name='a'><joint/><inertial pos='1 2 3' mass='2' fullinertia='5 6 7 0.1 0.2 "
           "0.3'/></body></worldbody>"));
  static const double wanted[] = {5, 6, 7, 0.1, 0.2, 0.3};
  for (int i = 0; i < 6; i++) {
    char pointer[40];
    snprintf(pointer, sizeof pointer, "/bodies/0/inertia/matrix/%d", i);
    cr_assert_float_eq(imported_number(&r, pointer), wanted[i], 1e-15);
  }
  imported_drop(&r);
  // a quarter of a turn about z: x becomes y, y becomes −x
  r = imported(
      "<robot><link name='a'><inertial><origin rpy='0 0 1.5707963267948966' xyz='0 0 0'/><mass value='1'/>"
      "<inertia ixx='5' ixy='0.1' ixz='0.2' iyy='6' iyz='0.3' izz='7'/></inertial></link></robot>");
  static const double turned[] = {6, 5, 7, -0.1, -0.3, 0.2};
  for (int i = 0; i < 6; i++) {
    char pointer[40];
    snprintf(pointer, sizeof pointer, "/bodies/0/inertia/matrix/%d", i);
    cr_assert_float_eq(imported_number(&r, pointer), turned[i], 1e-12);
  }
  imported_drop(&r);
}

// Copies and frames stand where they would stand if they were written out.
Test(models, copies_and_frames_are_folded) {
  Imported a = imported(MJCF(
      "<worldbody><frame pos='1 0 0' euler='0 0 90'><replicate count='3' offset='0.5 0 0' euler='0 0 "
      "90' sep='-'><body name='x' pos='0.1 0 0'><freejoint/><geom size='0.1'/></body></replicate></frame>"
      "</worldbody>"));
  // frame (1,0,0) turned by 90°; copies at 0, then 0.5 along x of the first, then 0.5 along x of the second
  static const double wanted[3][3] = {{1, 0.1, 0}, {1 - 0.1, 0.5, 0}, {0.5, 0.5 - 0.1, 0}};
  for (int b = 0; b < 3; b++) {
    char pointer[60], name[16];
    snprintf(name, sizeof name, "x-%d", b);
    snprintf(pointer, sizeof pointer, "/bodies/%d/name", b);
    cr_assert_str_eq(imported_word(&a, pointer), name);
    for (int k = 0; k < 3; k++) {
      snprintf(pointer, sizeof pointer, "/bodies/%d/pose/position/%d", b, k);
      cr_assert_float_eq(imported_number(&a, pointer), wanted[b][k], 1e-15, "%s is %g", pointer,
                         imported_number(&a, pointer));
    }
  }
  imported_drop(&a);
}

Test(models, files_are_included_in_their_place) {
  imported_write(
      "more.xml",
      "<mujocoinclude>\n<body name='b'><joint/>\n<geom size='0.1' colour='1'/></body></mujocoinclude>");
  const MbImportOptions options = {0};
  Imported r = imported_with(
      MJCF("<worldbody><body name='a'/><include file='more.xml'/><body name='c'/></worldbody>"), &options);
  cr_assert_eq(r.status, MB_SCENE);
  cr_assert(strstr(r.report.file, "more.xml"), "%s", r.report.file);
  cr_assert(r.report.issues[0].line == 3 && strstr(r.report.issues[0].text, "colour"));
  imported_drop(&r);
  imported_write("more.xml",
                 "<mujocoinclude>\n<body name='b'><joint/>\n<geom size='0.1'/></body></mujocoinclude>");
  r = imported(MJCF("<worldbody><body name='a'/><include file='more.xml'/><body name='c'/></worldbody>"));
  cr_assert_str_eq(imported_word(&r, "/bodies/1/name"), "b");
  cr_assert_str_eq(imported_word(&r, "/bodies/1/_"), "more.xml:2");
  cr_assert_str_eq(imported_word(&r, "/bodies/2/name"), "c");
  imported_drop(&r);
  imported_write("model.xml", "");
  imported_refused(MJCF("<include file='model.xml'/>"), 2, 1, "includes itself");
  imported_refused(MJCF("<include file='none.xml'/>"), 2, 1, "cannot be read");
}

Test(models, a_keyframe_is_where_the_run_starts) {
  const MbImportOptions options = {.key = "up"};
  Imported r = imported_with(
      MJCF("<compiler angle='radian'/><worldbody><body name='f'><freejoint/><geom size='0.1'/></body>"
           "<body name='a'><joint name='j' type='slide'/><geom size='0.1'/></body></worldbody><keyframe>"
           "<key name='up' qpos='1 2 3 0 1 0 0 0.7' qvel='4 5 6 0 1 0 8'/></keyframe>"),
      &options);
  cr_assert_eq(r.status, MB_OK);
  cr_assert_eq(imported_number(&r, "/bodies/0/pose/position/2"), 3);
  cr_assert_eq(imported_number(&r, "/bodies/0/velocity/linear/1"), 5);
  cr_assert_float_eq(imported_number(&r, "/bodies/0/velocity/angular/1"), -1,
                     1e-15); // turned by half a turn about x
  cr_assert_eq(imported_number(&r, "/bodies/1/joint/position"), 0.7);
  cr_assert_eq(imported_number(&r, "/bodies/1/joint/velocity"), 8);
  imported_drop(&r);
  const MbImportOptions other = {.key = "down"};
  r = imported_with(MJCF("<worldbody/>"), &other);
  cr_assert_eq(r.status, MB_SCENE);
  imported_drop(&r);
}

// The other engine counts a muscle's speed in optimal lengths a second, as a scene does; ω of a ball is no rate of a rotation vector.
Test(models, muscles_and_balls_move_in_units_of_their_own) {
  Imported r = imported(MJCF(
      "<worldbody><site name='s'/><body name='a'><joint/><geom size='0.1' pos='0.3 0 0'/><site name='t' "
      "pos='0.5 0 "
      "0'/></body></worldbody><tendon><spatial name='m'><site site='s'/><site site='t'/></spatial></tendon>"
      "<actuator><muscle tendon='m' force='100' lengthrange='1.8 2.4' vmax='2'/></actuator>"));
  cr_assert_eq(imported_number(&r, "/forces/0/max_velocity"), 2);
  cr_assert_float_eq(imported_number(&r, "/forces/0/optimal_length"), 2, 1e-14);
  imported_drop(&r);
  const MbImportOptions options = {.key = "up"};
  r = imported_with(
      MJCF("<worldbody><body name='a'><joint name='j' type='ball'/><geom size='0.1'/></body></worldbody>"
           "<keyframe><key name='up' qpos='0.8 0.6 0 0' qvel='0 0 2'/></keyframe>"),
      &options);
  cr_assert_eq(r.status, MB_OK);
  TestRun run = test_run(r.text, (const char *const[]){"/output={\"channels\": [\"body.velocity\"]}", NULL});
  double twist[6];
  size_t count = 0;
  memcpy(twist, test_channel(run.sim, "body.velocity", &count), sizeof twist);
  // (0, 0, 2) in the body's axes, which are turned about x by an angle with cos = 0.28, sin = 0.96
  cr_assert_float_eq(twist[1], -2 * 0.96, 1e-12);
  cr_assert_float_eq(twist[2], 2 * 0.28, 1e-12);
  test_run_free(&run);
  imported_drop(&r);
}

// A tendon that keeps its length is a rod, one of two joints a gear: where the model stands, and by what is said more.
Test(models, tendons_that_are_held_become_distances_and_ratios) {
  Imported r = imported(MJCF(
      "<compiler angle='radian'/><worldbody><site name='s'/><body name='a'><joint name='ja' ref='0.5'/><geom "
      "size='0.1'/><site "
      "name='t' pos='0 0 0.4'/></body><body name='b'><joint name='jb'/><geom "
      "size='0.1'/></body></worldbody><tendon>"
      "<spatial name='rod'><site site='s'/><site site='t'/></spatial><fixed name='gear'><joint joint='ja' "
      "coef='2'/>"
      "<joint joint='jb' coef='-4'/></fixed></tendon><equality><tendon tendon1='rod' polycoef='0.1'/><tendon "
      "tendon1='gear' polycoef='0.2'/></equality>"));
  cr_assert_str_eq(imported_word(&r, "/constraints/0/type"), "distance");
  cr_assert_float_eq(imported_number(&r, "/constraints/0/length"), 0.5, 1e-15);
  cr_assert(!imported_at(&r, "/constraints/0/rope"));
  cr_assert_str_eq(imported_word(&r, "/constraints/1/joints/0"), "a");
  cr_assert_eq(imported_number(&r, "/constraints/1/ratio"), 0.5);
  cr_assert_float_eq(imported_number(&r, "/constraints/1/offset"), -0.3,
                     1e-15); // 2 q_a − 4 q_b = 2 · 0.5 + 0.2
  imported_drop(&r);
}

// A mimic's offset and a mimic of a mimic: q_c = 2 (3 q_a + 0.5) − 1.
Test(models, mimics_follow_to_the_last_digit) {
  Imported r = imported(
      "<robot><link name='w'/><link name='a'>" MASS "</link><link name='b'>" MASS
      "</link><link name='c'>" MASS
      "</link><joint name='ja' type='continuous'><parent link='w'/><child link='a'/></joint>"
      "<joint name='jb' type='continuous'><parent link='w'/><child link='b'/><mimic joint='ja' "
      "multiplier='3' "
      "offset='0.5'/></joint><joint name='jc' type='continuous'><parent link='w'/><child link='c'/><mimic "
      "joint='jb' multiplier='2' offset='-1'/></joint></robot>");
  cr_assert_eq(cJSON_GetArraySize(imported_at(&r, "/constraints")), 2);
  cr_assert_eq(imported_number(&r, "/constraints/1/ratio"), 6);
  cr_assert(!imported_at(&r, "/constraints/1/offset"));
  cr_assert_eq(imported_number(&r, "/constraints/0/offset"), 0.5);
  cr_assert_str_eq(imported_word(&r, "/constraints/1/enforce"), "reduction");
  TestRun run = test_run(r.text, (const char *const[]){"/bodies/1/joint/force=3", NULL});
  test_steps(run.sim, 50);
  const double *q = run.sim->state.q;
  cr_assert_gt(fabs(q[0]), 1e-5);
  cr_assert_float_eq(q[1], 3 * q[0] + 0.5, 1e-15);
  cr_assert_float_eq(q[2], 6 * q[0], 1e-15);
  test_run_free(&run);
  imported_drop(&r);
}

// Pins, welds and gears hold where the model stands; the other engine's offsets are from where its joints begin.
Test(models, equality_becomes_constraints_that_hold_at_the_start) {
  Imported r = imported(
      MJCF("<compiler angle='radian'/><worldbody><body name='a' pos='0 0 1' euler='0 0.3 0'><joint "
           "name='ja' axis='0 1 0'/><geom "
           "size='0.1' pos='0.2 0 0'/></body><body name='b' pos='1 0 1'><joint name='jb' axis='0 1 0' "
           "ref='0.4'/><geom size='0.1' "
           "pos='0 0 0.2'/></body><body name='c' pos='0 1 1'><freejoint/><geom "
           "size='0.1'/></body><body name='d' pos='0 2 1' "
           "euler='1 0 0'><freejoint/><geom size='0.1'/></body></worldbody><equality><connect "
           "body1='c' body2='d' anchor='0 0.5 "
           "0'/><weld body1='d'/><joint joint1='ja' joint2='jb' polycoef='0 2'/></equality>"));
  cr_assert_str_eq(imported_word(&r, "/constraints/0/type"), "point");
  cr_assert_str_eq(imported_word(&r, "/constraints/1/joint"), "fixed");
  cr_assert_eq(imported_number(&r, "/constraints/2/offset"), -0.8);
  TestRun run = test_run(r.text, NULL);
  cr_assert_lt(mb_sim_constraint_error(run.sim), 1e-12);
  test_steps(run.sim, 50);
  test_run_free(&run);
  imported_drop(&r);
}

Test(models, fixed_links_merge_with_their_shapes_and_mass) {
  const MbImportOptions options = {.merge_fixed = true, .free_base = true};
  Imported r = imported_with(
      "<robot><link name='a'>" MASS "<visual><geometry><sphere radius='0.1'/></geometry></visual></link>"
      "<link name='b'>" MASS "<visual><geometry><sphere radius='0.2'/></geometry></visual></link>"
      "<joint name='j' type='fixed'><parent link='a'/><child link='b'/><origin xyz='2 0 0'/></joint></robot>",
      &options);
  cr_assert_eq(r.status, MB_OK);
  cr_assert_eq(cJSON_GetArraySize(imported_at(&r, "/bodies")), 1);
  cr_assert_eq(imported_number(&r, "/bodies/0/inertia/mass"), 2);
  cr_assert_eq(imported_number(&r, "/bodies/0/inertia/center/0"), 1);
  cr_assert_eq(imported_number(&r, "/bodies/0/inertia/matrix/1"),
               4); // 2 about their centres, and 1 m from the common one each
  cr_assert_eq(imported_number(&r, "/bodies/0/shape/1/frame/position/0"), 2);
  imported_runs(&r, 5);
  imported_drop(&r);
}

// A slide of 2 kg at 3 m/s that 4 N of dry friction brake has stopped after 1.5 s and 2.25 m; with 25 N its weight does not move it.
Test(models, dry_friction_brakes_and_holds) {
  Imported r = imported(
      MJCF("<worldbody><body name='a'><joint name='j' type='slide' axis='1 0 0' frictionloss='4'/><geom "
           "size='0.1' "
           "mass='2'/></body><body name='b' pos='0 1 0'><joint name='k' type='slide' "
           "frictionloss='25'/><geom size='0.1' "
           "mass='2'/></body></worldbody>"));
  cr_assert_eq(imported_number(&r, "/bodies/0/joint/frictionloss"), 4);
  cr_assert_eq(r.notes.n, 0);
  TestRun run =
      test_run(r.text, (const char *const[]){"/bodies/0/joint/velocity=3", "/contact=false",
                                             "/time/step=0.0001", "/integrator=\"symplectic\"", NULL});
  double q[2], v[2];
  test_steps(run.sim, 10000);
  mb_sim_get(run.sim, q, v);
  cr_assert_float_eq(v[0], 3 - 2 * 1.0, 1e-9);
  test_steps(run.sim, 10000);
  mb_sim_get(run.sim, q, v);
  cr_assert_float_eq(q[0], 2.25, 1e-3); // first order in the step
  cr_assert_float_eq(v[0], 0, 1e-9);
  cr_assert_float_eq(q[1], 0, 1e-9);
  test_run_free(&run);
  imported_drop(&r);
  r = imported("<robot><link name='w'/><link name='a'>" MASS
               "</link><joint name='j' type='continuous'><parent link='w'/><child "
               "link='a'/><dynamics friction='0.7'/></joint></robot>");
  cr_assert_eq(imported_number(&r, "/bodies/1/joint/frictionloss"), 0.7);
  imported_drop(&r);
}
