// URDF and MJCF as scenes: what is written, what is refused, what is listed.
#include "core/base/alloc.h"
#include "io/json/json.h"
#include "io/models/models.h"
#include "tests/runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Imported {
  MbStatus status;
  MbReport report;
  MbModelNotes notes;
  char *text;
  cJSON *scene;
} Imported;

static char folder[64];

static void begin(void) { test_folder_begin(folder, "models"); }
static void end(void) { test_folder_end(folder); }
TestSuite(models, .init = begin, .fini = end);

static void write_file(const char *name, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  cr_assert(file);
  fputs(text, file);
  fclose(file);
}

static Imported import_with(const char *text, const MbImportOptions *options) {
  Imported r = {0};
  char path[200];
  snprintf(path, sizeof path, "%s/model.xml", folder);
  write_file("model.xml", text);
  r.status = mb_model_import(path, options, &r.notes, &r.text, &r.report);
  if (r.text) cr_assert_eq(mb_json_parse(r.text, strlen(r.text), &r.scene, &r.report), MB_OK);
  return r;
}

static void drop(Imported *r) {
  mb_free(r->text);
  cJSON_Delete(r->scene);
  mb_model_notes_free(&r->notes);
}

static Imported import(const char *text) {
  const MbImportOptions options = {0};
  Imported r = import_with(text, &options);
  cr_assert_eq(r.status, MB_OK, "%s (%d:%d)", r.report.issues[0].text, r.report.issues[0].line,
               r.report.issues[0].column);
  return r;
}

static void refused(const char *text, int line, int column, const char *words) {
  const MbImportOptions options = {0};
  Imported r = import_with(text, &options);
  cr_assert_neq(r.status, MB_OK, "it should be refused: %s", words);
  cr_assert_null(r.text);
  const MbIssue *issue = &r.report.issues[0];
  cr_assert(strstr(issue->text, words), "\"%s\" is not \"%s\"", issue->text, words);
  cr_assert(issue->line == line && issue->column == column, "%s: at %d:%d, not %d:%d", words, issue->line,
            issue->column, line, column);
  drop(&r);
}

static bool noted(const Imported *r, bool loss, const char *words) {
  for (size_t i = 0; i < r->notes.n; i++)
    if (r->notes.note[i].loss == loss && strstr(r->notes.note[i].text, words)) return true;
  return false;
}

static const cJSON *at(const Imported *r, const char *pointer) { return mb_json_at(r->scene, pointer); }
static const char *word(const Imported *r, const char *pointer) {
  const char *text = cJSON_GetStringValue(at(r, pointer));
  return text ? text : "";
}
static double number(const Imported *r, const char *pointer) {
  cr_assert(cJSON_IsNumber(at(r, pointer)), "%s", pointer);
  return at(r, pointer)->valuedouble;
}

static void runs(const Imported *r, int64_t steps) {
  MbReport report = {0};
  test_ok(test_try(r->text, NULL, steps, &report), &report);
}

#define MJCF(inner) "<mujoco>\n" inner "\n</mujoco>"
#define BODY(inner)                                                                                          \
  MJCF("<worldbody><body name='a'><joint name='j'/><geom size='0.1'/>" inner "</body></worldbody>")
#define MASS                                                                                                 \
  "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"

// ---- what is written --------------------------------------------------------------------------------------

Test(models, scenes_are_written_for_people) {
  Imported r = import(MJCF(
      "<compiler angle='degree'/><worldbody>\n<body name='arm' pos='0 0 1' euler='0 30 0'>\n"
      "<joint name='elbow' axis='0 1 0' range='-45 90' ref='10'/><geom size='0.1'/></body></worldbody>"));
  cr_assert_str_eq(word(&r, "/_source"), "imported from model.xml (MJCF)");
  cr_assert_str_eq(word(&r, "/bodies/0/_"), "model.xml:3");
  cr_assert_str_eq(word(&r, "/bodies/0/name"), "arm");
  cr_assert_str_eq(word(&r, "/bodies/0/joint/_name"), "elbow");
  cr_assert_str_eq(word(&r, "/bodies/0/joint/limits/0"), "=-45*deg");
  cr_assert_str_eq(word(&r, "/bodies/0/joint/in_parent/rotation/angle"), "=30*deg");
  cr_assert_str_eq(word(&r, "/bodies/0/joint/position"), "=10*deg");
  cr_assert_null(at(&r, "/bodies/0/joint/parent"));
  cr_assert_null(at(&r, "/bodies/0/joint/damping"));
  cr_assert_null(at(&r, "/gravity"));
  runs(&r, 10);
  drop(&r);
}

// <inertial fullinertia> has the order xx yy zz xy xz yz, URDF's names have their own; turned inertia is R I Rᵀ.
Test(models, inertia_comes_in_its_own_order_and_axes) {
  Imported r = import(
      MJCF("<worldbody><body name='a'><joint/><inertial pos='1 2 3' mass='2' fullinertia='5 6 7 0.1 0.2 "
           "0.3'/></body></worldbody>"));
  static const double wanted[] = {5, 6, 7, 0.1, 0.2, 0.3};
  for (int i = 0; i < 6; i++) {
    char pointer[40];
    snprintf(pointer, sizeof pointer, "/bodies/0/inertia/matrix/%d", i);
    cr_assert_float_eq(number(&r, pointer), wanted[i], 1e-15);
  }
  drop(&r);
  // a quarter of a turn about z: x becomes y, y becomes −x
  r = import(
      "<robot><link name='a'><inertial><origin rpy='0 0 1.5707963267948966' xyz='0 0 0'/><mass value='1'/>"
      "<inertia ixx='5' ixy='0.1' ixz='0.2' iyy='6' iyz='0.3' izz='7'/></inertial></link></robot>");
  static const double turned[] = {6, 5, 7, -0.1, -0.3, 0.2};
  for (int i = 0; i < 6; i++) {
    char pointer[40];
    snprintf(pointer, sizeof pointer, "/bodies/0/inertia/matrix/%d", i);
    cr_assert_float_eq(number(&r, pointer), turned[i], 1e-12);
  }
  drop(&r);
}

// Copies and frames stand where they would stand if they were written out.
Test(models, copies_and_frames_are_folded) {
  Imported a = import(MJCF(
      "<worldbody><frame pos='1 0 0' euler='0 0 90'><replicate count='3' offset='0.5 0 0' euler='0 0 "
      "90' sep='-'><body name='x' pos='0.1 0 0'><freejoint/><geom size='0.1'/></body></replicate></frame>"
      "</worldbody>"));
  // frame (1,0,0) turned by 90°; copies at 0, then 0.5 along x of the first, then 0.5 along x of the second
  static const double wanted[3][3] = {{1, 0.1, 0}, {1 - 0.1, 0.5, 0}, {0.5, 0.5 - 0.1, 0}};
  for (int b = 0; b < 3; b++) {
    char pointer[60], name[16];
    snprintf(name, sizeof name, "x-%d", b);
    snprintf(pointer, sizeof pointer, "/bodies/%d/name", b);
    cr_assert_str_eq(word(&a, pointer), name);
    for (int k = 0; k < 3; k++) {
      snprintf(pointer, sizeof pointer, "/bodies/%d/pose/position/%d", b, k);
      cr_assert_float_eq(number(&a, pointer), wanted[b][k], 1e-15, "%s is %g", pointer, number(&a, pointer));
    }
  }
  drop(&a);
}

Test(models, files_are_included_in_their_place) {
  write_file(
      "more.xml",
      "<mujocoinclude>\n<body name='b'><joint/>\n<geom size='0.1' colour='1'/></body></mujocoinclude>");
  const MbImportOptions options = {0};
  Imported r = import_with(
      MJCF("<worldbody><body name='a'/><include file='more.xml'/><body name='c'/></worldbody>"), &options);
  cr_assert_eq(r.status, MB_SCENE);
  cr_assert(strstr(r.report.file, "more.xml"), "%s", r.report.file);
  cr_assert(r.report.issues[0].line == 3 && strstr(r.report.issues[0].text, "colour"));
  drop(&r);
  write_file("more.xml",
             "<mujocoinclude>\n<body name='b'><joint/>\n<geom size='0.1'/></body></mujocoinclude>");
  r = import(MJCF("<worldbody><body name='a'/><include file='more.xml'/><body name='c'/></worldbody>"));
  cr_assert_str_eq(word(&r, "/bodies/1/name"), "b");
  cr_assert_str_eq(word(&r, "/bodies/1/_"), "more.xml:2");
  cr_assert_str_eq(word(&r, "/bodies/2/name"), "c");
  drop(&r);
  write_file("model.xml", "");
  refused(MJCF("<include file='model.xml'/>"), 2, 1, "includes itself");
  refused(MJCF("<include file='none.xml'/>"), 2, 1, "cannot be read");
}

Test(models, a_keyframe_is_where_the_run_starts) {
  const MbImportOptions options = {.key = "up"};
  Imported r = import_with(
      MJCF("<compiler angle='radian'/><worldbody><body name='f'><freejoint/><geom size='0.1'/></body>"
           "<body name='a'><joint name='j' type='slide'/><geom size='0.1'/></body></worldbody><keyframe>"
           "<key name='up' qpos='1 2 3 0 1 0 0 0.7' qvel='4 5 6 0 1 0 8'/></keyframe>"),
      &options);
  cr_assert_eq(r.status, MB_OK);
  cr_assert_eq(number(&r, "/bodies/0/pose/position/2"), 3);
  cr_assert_eq(number(&r, "/bodies/0/velocity/linear/1"), 5);
  cr_assert_float_eq(number(&r, "/bodies/0/velocity/angular/1"), -1, 1e-15); // turned by half a turn about x
  cr_assert_eq(number(&r, "/bodies/1/joint/position"), 0.7);
  cr_assert_eq(number(&r, "/bodies/1/joint/velocity"), 8);
  drop(&r);
  const MbImportOptions other = {.key = "down"};
  r = import_with(MJCF("<worldbody/>"), &other);
  cr_assert_eq(r.status, MB_SCENE);
  drop(&r);
}

// The other engine counts a muscle's speed in optimal lengths a second, as a scene does; ω of a ball is no rate of a rotation vector.
Test(models, muscles_and_balls_move_in_units_of_their_own) {
  Imported r = import(MJCF(
      "<worldbody><site name='s'/><body name='a'><joint/><geom size='0.1' pos='0.3 0 0'/><site name='t' "
      "pos='0.5 0 "
      "0'/></body></worldbody><tendon><spatial name='m'><site site='s'/><site site='t'/></spatial></tendon>"
      "<actuator><muscle tendon='m' force='100' lengthrange='1.8 2.4' vmax='2'/></actuator>"));
  cr_assert_eq(number(&r, "/forces/0/max_velocity"), 2);
  cr_assert_float_eq(number(&r, "/forces/0/optimal_length"), 2, 1e-14);
  drop(&r);
  const MbImportOptions options = {.key = "up"};
  r = import_with(
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
  drop(&r);
}

// A tendon that keeps its length is a rod, one of two joints a gear: where the model stands, and by what is said more.
Test(models, tendons_that_are_held_become_distances_and_ratios) {
  Imported r = import(MJCF(
      "<compiler angle='radian'/><worldbody><site name='s'/><body name='a'><joint name='ja' ref='0.5'/><geom "
      "size='0.1'/><site "
      "name='t' pos='0 0 0.4'/></body><body name='b'><joint name='jb'/><geom "
      "size='0.1'/></body></worldbody><tendon>"
      "<spatial name='rod'><site site='s'/><site site='t'/></spatial><fixed name='gear'><joint joint='ja' "
      "coef='2'/>"
      "<joint joint='jb' coef='-4'/></fixed></tendon><equality><tendon tendon1='rod' polycoef='0.1'/><tendon "
      "tendon1='gear' polycoef='0.2'/></equality>"));
  cr_assert_str_eq(word(&r, "/constraints/0/type"), "distance");
  cr_assert_float_eq(number(&r, "/constraints/0/length"), 0.5, 1e-15);
  cr_assert(!at(&r, "/constraints/0/rope"));
  cr_assert_str_eq(word(&r, "/constraints/1/joints/0"), "a");
  cr_assert_eq(number(&r, "/constraints/1/ratio"), 0.5);
  cr_assert_float_eq(number(&r, "/constraints/1/offset"), -0.3, 1e-15); // 2 q_a − 4 q_b = 2 · 0.5 + 0.2
  drop(&r);
}

// A mimic's offset and a mimic of a mimic: q_c = 2 (3 q_a + 0.5) − 1.
Test(models, mimics_follow_to_the_last_digit) {
  Imported r = import(
      "<robot><link name='w'/><link name='a'>" MASS "</link><link name='b'>" MASS
      "</link><link name='c'>" MASS
      "</link><joint name='ja' type='continuous'><parent link='w'/><child link='a'/></joint>"
      "<joint name='jb' type='continuous'><parent link='w'/><child link='b'/><mimic joint='ja' "
      "multiplier='3' "
      "offset='0.5'/></joint><joint name='jc' type='continuous'><parent link='w'/><child link='c'/><mimic "
      "joint='jb' multiplier='2' offset='-1'/></joint></robot>");
  cr_assert_eq(cJSON_GetArraySize(at(&r, "/constraints")), 2);
  cr_assert_eq(number(&r, "/constraints/1/ratio"), 6);
  cr_assert(!at(&r, "/constraints/1/offset"));
  cr_assert_eq(number(&r, "/constraints/0/offset"), 0.5);
  cr_assert_str_eq(word(&r, "/constraints/1/enforce"), "reduction");
  TestRun run = test_run(r.text, (const char *const[]){"/bodies/1/joint/force=3", NULL});
  test_steps(run.sim, 50);
  const double *q = run.sim->state.q;
  cr_assert_gt(fabs(q[0]), 1e-5);
  cr_assert_float_eq(q[1], 3 * q[0] + 0.5, 1e-15);
  cr_assert_float_eq(q[2], 6 * q[0], 1e-15);
  test_run_free(&run);
  drop(&r);
}

// Pins, welds and gears hold where the model stands; the other engine's offsets are from where its joints begin.
Test(models, equality_becomes_constraints_that_hold_at_the_start) {
  Imported r =
      import(MJCF("<compiler angle='radian'/><worldbody><body name='a' pos='0 0 1' euler='0 0.3 0'><joint "
                  "name='ja' axis='0 1 0'/><geom "
                  "size='0.1' pos='0.2 0 0'/></body><body name='b' pos='1 0 1'><joint name='jb' axis='0 1 0' "
                  "ref='0.4'/><geom size='0.1' "
                  "pos='0 0 0.2'/></body><body name='c' pos='0 1 1'><freejoint/><geom "
                  "size='0.1'/></body><body name='d' pos='0 2 1' "
                  "euler='1 0 0'><freejoint/><geom size='0.1'/></body></worldbody><equality><connect "
                  "body1='c' body2='d' anchor='0 0.5 "
                  "0'/><weld body1='d'/><joint joint1='ja' joint2='jb' polycoef='0 2'/></equality>"));
  cr_assert_str_eq(word(&r, "/constraints/0/type"), "point");
  cr_assert_str_eq(word(&r, "/constraints/1/joint"), "fixed");
  cr_assert_eq(number(&r, "/constraints/2/offset"), -0.8);
  TestRun run = test_run(r.text, NULL);
  cr_assert_lt(mb_sim_constraint_error(run.sim), 1e-12);
  test_steps(run.sim, 50);
  test_run_free(&run);
  drop(&r);
}

Test(models, fixed_links_merge_with_their_shapes_and_mass) {
  const MbImportOptions options = {.merge_fixed = true, .free_base = true};
  Imported r = import_with(
      "<robot><link name='a'>" MASS "<visual><geometry><sphere radius='0.1'/></geometry></visual></link>"
      "<link name='b'>" MASS "<visual><geometry><sphere radius='0.2'/></geometry></visual></link>"
      "<joint name='j' type='fixed'><parent link='a'/><child link='b'/><origin xyz='2 0 0'/></joint></robot>",
      &options);
  cr_assert_eq(r.status, MB_OK);
  cr_assert_eq(cJSON_GetArraySize(at(&r, "/bodies")), 1);
  cr_assert_eq(number(&r, "/bodies/0/inertia/mass"), 2);
  cr_assert_eq(number(&r, "/bodies/0/inertia/center/0"), 1);
  cr_assert_eq(number(&r, "/bodies/0/inertia/matrix/1"),
               4); // 2 about their centres, and 1 m from the common one each
  cr_assert_eq(number(&r, "/bodies/0/shape/1/frame/position/0"), 2);
  runs(&r, 5);
  drop(&r);
}

// A slide of 2 kg at 3 m/s that 4 N of dry friction brake has stopped after 1.5 s and 2.25 m; with 25 N its weight does not move it.
Test(models, dry_friction_brakes_and_holds) {
  Imported r = import(
      MJCF("<worldbody><body name='a'><joint name='j' type='slide' axis='1 0 0' frictionloss='4'/><geom "
           "size='0.1' "
           "mass='2'/></body><body name='b' pos='0 1 0'><joint name='k' type='slide' "
           "frictionloss='25'/><geom size='0.1' "
           "mass='2'/></body></worldbody>"));
  cr_assert_eq(number(&r, "/bodies/0/joint/frictionloss"), 4);
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
  drop(&r);
  r = import("<robot><link name='w'/><link name='a'>" MASS
             "</link><joint name='j' type='continuous'><parent link='w'/><child "
             "link='a'/><dynamics friction='0.7'/></joint></robot>");
  cr_assert_eq(number(&r, "/bodies/1/joint/frictionloss"), 0.7);
  drop(&r);
}

// ---- contact ----------------------------------------------------------------------------------------------

#define BALL(name, x, words)                                                                                 \
  "<body name='" name "' pos='" x " 0 1'><freejoint/><geom size='0.1' " words "/></body>"
#define FLOOR(words) "<geom name='floor' type='plane' size='1 1 1' " words "/>"

static bool lists_pair(const Imported *r, const char *pointer, const char *a, const char *b) {
  const cJSON *list = at(r, pointer), *entry = NULL;
  cJSON_ArrayForEach(entry, list) {
    const cJSON *pair = cJSON_IsObject(entry) ? cJSON_GetObjectItem(entry, "bodies") : entry;
    const char *x = pair->child->valuestring, *y = pair->child->next->valuestring;
    if ((!strcmp(x, a) && !strcmp(y, b)) || (!strcmp(x, b) && !strcmp(y, a))) return true;
  }
  return false;
}

Test(models, what_all_shapes_say_alike_is_said_once) {
  Imported r = import(MJCF("<worldbody>" FLOOR("") BALL("a", "0", "") BALL("b", "1", "") "</worldbody>"));
  cr_assert_eq(number(&r, "/contact/friction"), 1);
  cr_assert(!at(&r, "/contact/pairs") && !at(&r, "/contact/exclude") && !at(&r, "/bodies/1/shape/friction"));
  cr_assert_eq(r.notes.n, 0);
  // a ball falls onto the floor and stays there
  const char *sets[] = {"/output={\"channels\": [\"body.position\"]}", NULL};
  TestRun run = test_run(r.text, sets);
  test_steps(run.sim, 1000);
  cr_assert_float_eq(test_channel(run.sim, "body.position", NULL)[5], 0.1, 1e-4);
  test_run_free(&run);
  drop(&r);
  r = import(MJCF("<option><flag contact='disable'/></option><worldbody>" FLOOR("")
                      BALL("a", "0", "") "</worldbody>"));
  cr_assert(!at(&r, "/contact"));
  drop(&r);
}

// Balls meet the floor and not one another; what meets nothing has no part in contact.
Test(models, bits_of_contact_become_exclusions) {
  Imported r = import(
      MJCF("<worldbody>" FLOOR("conaffinity='3'") BALL("a", "0", "contype='1' conaffinity='0'")
               BALL("b", "1", "contype='2' conaffinity='0'") BALL("c", "2", "contype='4' conaffinity='1'")
                   BALL("d", "3", "contype='0' conaffinity='0'") "</worldbody>"));
  cr_assert(lists_pair(&r, "/contact/exclude", "a", "b"));
  cr_assert(lists_pair(&r, "/contact/exclude", "b", "c")); // 2 & 1, 4 & 0
  cr_assert_eq(cJSON_GetArraySize(at(&r, "/contact/exclude")), 2);
  cr_assert(cJSON_IsFalse(at(&r, "/bodies/4/shape/collide")));
  drop(&r);
}

// There the larger friction counts, here the root of the product; condim 1 has none.
Test(models, frictions_of_pairs_are_those_of_the_other_engine) {
  Imported r =
      import(MJCF("<worldbody>" FLOOR("") BALL("a", "0", "friction='0.2'") BALL("b", "1", "friction='0.2'")
                      BALL("c", "2", "friction='3' condim='1'") BALL("d", "3", "condim='1'") "</worldbody>"));
  cr_assert(lists_pair(&r, "/contact/pairs", "a", "floor"));
  const cJSON *pair = NULL;
  cJSON_ArrayForEach(pair, at(&r, "/contact/pairs")) {
    const cJSON *bodies = cJSON_GetObjectItem(pair, "bodies");
    const char *x = bodies->child->valuestring, *y = bodies->child->next->valuestring;
    const double mu = cJSON_GetObjectItem(pair, "friction")->valuedouble;
    const bool c = !strcmp(x, "c") || !strcmp(y, "c"), d = !strcmp(x, "d") || !strcmp(y, "d");
    cr_assert_eq(mu, c && d ? 0 : c ? 3 : 1, "%s and %s: %g", x, y, mu);
  }
  cr_assert(!lists_pair(&r, "/contact/pairs", "a", "b")); // alike: their own
  drop(&r);
}

Test(models, pairs_and_exclusions_of_a_model_are_the_scenes) {
  Imported r = import(MJCF("<worldbody>" FLOOR(
      "") "<body name='a' pos='0 0 1'><freejoint/><geom name='g' size='0.1' contype='0' "
          "conaffinity='0'/></body>" BALL(
              "b", "1", "") "</worldbody><contact><pair geom1='g' geom2='floor' "
                            "friction='0.3'/><exclude body1='b' body2='world'/></contact>"));
  cr_assert_eq(number(&r, "/contact/pairs/0/friction"), 0.3);
  cr_assert(lists_pair(&r, "/contact/pairs", "a", "floor"));
  cr_assert(lists_pair(&r, "/contact/exclude", "b", "floor"));
  cr_assert(lists_pair(&r, "/contact/exclude", "a", "b")); // its bits meet nothing else
  drop(&r);
}

// Links of robots often stand in one another beside a joint.
Test(models, what_begins_deep_in_one_another_does_not_collide) {
  Imported r =
      import(MJCF("<worldbody>" BALL("a", "0", "") BALL("b", "0.05", "") BALL("c", "1", "") "</worldbody>"));
  cr_assert(lists_pair(&r, "/contact/exclude", "a", "b"));
  cr_assert_eq(cJSON_GetArraySize(at(&r, "/contact/exclude")), 1);
  cr_assert(noted(&r, true, "begin deep in one another"));
  runs(&r, 3);
  drop(&r);
}

Test(models, what_is_seen_and_collides_alike_is_one_shape) {
  Imported r =
      import_with("<robot><link name='a'>" MASS
                  "<visual><geometry><sphere radius='0.1'/></geometry></visual><collision><geometry><sphere "
                  "radius='0.1'/></geometry></collision><collision><geometry><box size='1 1 1'/></geometry>"
                  "</collision><visual><geometry><sphere radius='0.2'/></geometry></visual></link></robot>",
                  &(MbImportOptions){.free_base = true});
  cr_assert_eq(cJSON_GetArraySize(at(&r, "/bodies/0/shape")), 3);
  cr_assert(!at(&r, "/bodies/0/shape/0/collide") && !at(&r, "/bodies/0/shape/1/collide"));
  cr_assert(cJSON_IsFalse(at(&r, "/bodies/0/shape/2/collide")));
  drop(&r);
}

// As MuJoCo 2.2.2 has it: a second outermost section holds for all but the classes within the first, wherever it stands, and under both
// sections' names.
Test(models, outermost_defaults_of_several_sections_add_up) {
  static const double damping[] = {5, 1, 5, 5}, stiffness[] = {3, 0, 3, 3}, inertia[] = {0, 0.1, 0.2, 0};
  Imported r = import_with(
      "<mujoco><default class='x'><joint damping='1'/><geom size='0.1'/><default class='a'><joint "
      "armature='0.1'/></default></default><worldbody><body><joint name='n'/><joint name='na' class='a'/>"
      "<joint name='nb' class='b'/><joint name='nx' class='x' axis='1 0 0'/><geom/></body></worldbody>"
      "<default><joint damping='5' stiffness='3'/><default class='b'><joint armature='0.2'/></default>"
      "</default></mujoco>",
      &(MbImportOptions){0});
  for (int i = 0; i < 4; i++) {
    char pointer[100];
    snprintf(pointer, sizeof pointer, "/bodies/0/joint/damping/%d", i);
    cr_expect_eq(at(&r, pointer)->valuedouble, damping[i], "%s", pointer);
    snprintf(pointer, sizeof pointer, "/bodies/0/joint/stiffness/%d", i);
    cr_expect_eq(at(&r, pointer)->valuedouble, stiffness[i], "%s", pointer);
    snprintf(pointer, sizeof pointer, "/bodies/0/joint/inertia/%d", i);
    cr_expect_eq(at(&r, pointer)->valuedouble, inertia[i], "%s", pointer);
  }
  drop(&r);
}

// ---- colours ----------------------------------------------------------------------------------------------

static void has_color(const Imported *r, const char *pointer, int n, const double *wanted) {
  const cJSON *list = at(r, pointer);
  cr_assert_eq(cJSON_GetArraySize(list), n, "%s has %d numbers, not %d", pointer, cJSON_GetArraySize(list),
               n);
  for (int i = 0; i < n; i++)
    cr_expect_eq(cJSON_GetArrayItem(list, i)->valuedouble, wanted[i], "%s: %d", pointer, i);
}

#define GEOM(more)     "<geom size='0.1' " more "/>"
#define SEEN(material) "<visual><geometry><sphere radius='0.1'/></geometry>" material "</visual>"

// The geom's own, unless that is the usual grey beside a material; the material's; the class's; none.
Test(models, colours_of_geoms_are_their_own_their_materials_or_their_classes) {
  Imported r = import(MJCF(
      "<default><default class='blue'><geom rgba='0 0 1 1'/><material rgba='0.25 0.5 0.75 "
      "1'/></default></default>"
      "<asset><texture name='t' type='2d' builtin='flat' width='1' height='1'/><material name='red' rgba='1 "
      "0 0 0.5'/><material name='white'/>"
      "<material name='painted' texture='t'/><material name='classy' class='blue'/></asset><worldbody>"
      "<body name='a'><joint/>" GEOM("") GEOM("rgba='0.1 0.2 0.3 1'") GEOM("material='red'")
          GEOM("material='red' rgba='0 1 0 1'") GEOM("material='red' rgba='.5 .5 .5 1'") GEOM("class='blue'")
              GEOM("material='white'") GEOM("material='painted'") GEOM("material='classy'")
                  GEOM("group='3' rgba='1 1 0 1'") "</body>"
                                                   "<body name='b'><joint/>" GEOM("material='red'") GEOM(
                                                       "material='red' pos='1 0 0'") "</body></worldbody>"));
  cr_assert_null(at(&r, "/bodies/0/shape/0/color"));
  has_color(&r, "/bodies/0/shape/1/color", 3, (double[]){0.1, 0.2, 0.3});
  has_color(&r, "/bodies/0/shape/2/color", 4, (double[]){1, 0, 0, 0.5});
  has_color(&r, "/bodies/0/shape/3/color", 3, (double[]){0, 1, 0});
  has_color(&r, "/bodies/0/shape/4/color", 4, (double[]){1, 0, 0, 0.5});
  has_color(&r, "/bodies/0/shape/5/color", 3, (double[]){0, 0, 1});
  has_color(&r, "/bodies/0/shape/6/color", 3, (double[]){1, 1, 1});
  cr_assert_null(at(&r, "/bodies/0/shape/7/color"));
  has_color(&r, "/bodies/0/shape/8/color", 3, (double[]){0.25, 0.5, 0.75});
  has_color(&r, "/bodies/0/shape/9/color", 4, (double[]){1, 1, 0, 0});
  has_color(&r, "/bodies/1/color", 4, (double[]){1, 0, 0, 0.5});
  cr_assert_null(at(&r, "/bodies/1/shape/0/color"));
  cr_assert(noted(&r, false, "texture of <material>: surfaces have one colour"));
  runs(&r, 1);
  drop(&r);
  refused(BODY("<geom size='0.1' material='green'/>"), 2, 89, "there is no material \"green\"");
  refused(BODY("<geom size='0.1' rgba='1 0 0'/>"), 2, 85, "rgba: there are 3 numbers, 4 are wanted");
}

// As ROS reads them: of several of one name the robot's own counts, then the first.
Test(models, colours_of_visuals_are_found_by_the_names_of_materials) {
  Imported r = import_with(
      "<robot><link name='a'>" MASS SEEN("<material name='red'/>")
          SEEN("<material name='blue'><color rgba='0 0 1 1'/></material>") SEEN(
              "<material name=''><color rgba='0 1 0 2'/></material>") SEEN("<material name='none'/>")
              SEEN("<material name='red'><color rgba='1 1 1 1'/></material>") SEEN(
                  "<material name='wood'><texture filename='wood.png'/></material>") "<collision><geometry><"
                                                                                     "box size='1 1 "
                                                                                     "1'/></geometry></"
                                                                                     "collision></link>\n"
                                                                                     "<link name='b'>" MASS
                                                                                         SEEN("<material "
                                                                                              "name='blue'/"
                                                                                              ">") "</"
                                                                                                   "link><"
                                                                                                   "joint "
                                                                                                   "name='j'"
                                                                                                   " type='"
                                                                                                   "fixed'><"
                                                                                                   "parent "
                                                                                                   "link='a'"
                                                                                                   "/><"
                                                                                                   "child "
                                                                                                   "link='b'"
                                                                                                   "/></"
                                                                                                   "joint>"
                                                                                                   "<link "
                                                                                                   "name='c'"
                                                                                                   ">" MASS
                                                                                                   "<collisi"
                                                                                                   "on><"
                                                                                                   "geometry"
                                                                                                   "><box "
                                                                                                   "size='1 "
                                                                                                   "1 "
                                                                                                   "1'/></"
                                                                                                   "geometry"
                                                                                                   "></"
                                                                                                   "collisio"
                                                                                                   "n></"
                                                                                                   "link>"
                                                                                                   "<joint "
                                                                                                   "name='k'"
                                                                                                   " type='"
                                                                                                   "fixed'><"
                                                                                                   "parent "
                                                                                                   "link='a'"
                                                                                                   "/><"
                                                                                                   "child "
                                                                                                   "link='c'"
                                                                                                   "/></"
                                                                                                   "joint>"
                                                                                                   "<materia"
                                                                                                   "l "
                                                                                                   "name='"
                                                                                                   "red'><"
                                                                                                   "color "
                                                                                                   "rgba='0."
                                                                                                   "8 0.1 "
                                                                                                   "0.1 "
                                                                                                   "1'/></"
                                                                                                   "material"
                                                                                                   "></"
                                                                                                   "robot>",
      &(MbImportOptions){0});
  cr_assert_eq(r.status, MB_OK);
  has_color(&r, "/bodies/0/shape/0/color", 3, (double[]){0.8, 0.1, 0.1});
  has_color(&r, "/bodies/0/shape/1/color", 3, (double[]){0, 0, 1});
  has_color(&r, "/bodies/0/shape/2/color", 3, (double[]){0, 1, 0});
  cr_assert_null(at(&r, "/bodies/0/shape/3/color"));
  has_color(&r, "/bodies/0/shape/4/color", 3, (double[]){0.8, 0.1, 0.1});
  cr_assert_null(at(&r, "/bodies/0/shape/5/color"));
  has_color(&r, "/bodies/0/shape/6/color", 4, (double[]){0, 0, 0, 0});
  has_color(&r, "/bodies/1/shape/color", 3, (double[]){0, 0, 1});
  cr_assert_null(at(&r, "/bodies/2/shape/color"), "what collides alone is seen where there is nothing else");
  cr_assert(noted(&r, false, "no <material> \"none\" has a <color>"));
  cr_assert(noted(&r, false, "rgba beyond 0 to 1"));
  cr_assert_not(noted(&r, false, "\"wood\""));
  runs(&r, 1);
  drop(&r);
  refused("<robot>\n<material name='x'><color/></material><link name='a'/></robot>", 2, 20,
          "<color> needs \"rgba\"");
}

// ---- what is listed ---------------------------------------------------------------------------------------

Test(models, what_cannot_be_said_is_listed) {
  Imported r = import(
      MJCF("<option density='1.2' cone='elliptic'/><worldbody><light/><body name='a' gravcomp='1'><joint "
           "name='j' frictionloss='1' margin='0.1'/><geom size='0.1' condim='1' rgba='1 0 0 "
           "1'/></body></worldbody>"));
  cr_assert(noted(&r, true, "density of <option>"));
  cr_assert(noted(&r, true, "gravcomp of <body>"));
  cr_assert(noted(&r, true, "margin of <joint>"));
  cr_assert(noted(&r, false, "<light>"));
  cr_assert_not(noted(&r, false, "rgba of <geom>"));
  cr_assert(noted(&r, false, "cone of <option>"));
  cr_assert_eq(cJSON_GetArraySize(at(&r, "/_left_out")), 3);
  drop(&r);
  r = import("<robot><link name='a'>" MASS
             "<flavour x='1'/></link><gazebo/><transmission name='t'/></robot>");
  cr_assert(noted(&r, true, "<flavour> in <link>"));
  cr_assert(noted(&r, true, "<gazebo>"));
  cr_assert(noted(&r, false, "<transmission>"));
  drop(&r);
}

// What is only looked at moves nothing; what collides would no more.
Test(models, meshes_of_other_kinds_are_left_out_where_they_are_seen_and_refused_where_they_collide) {
  write_file("part.dae", "<COLLADA/>");
  Imported r = import("<robot><link name='a'>" MASS
                      "<visual><geometry><mesh filename='part.dae'/></geometry></visual></link></robot>");
  cr_assert(noted(&r, false, "part.dae is no .stl, .obj or .ply"));
  cr_assert_null(at(&r, "/_left_out"));
  drop(&r);
  refused("<robot><link name='a'>" MASS
          "\n<collision><geometry><mesh filename='part.dae'/></geometry></collision></link></robot>",
          2, 38, "part.dae collides, and is no .stl, .obj or .ply: convert it to .obj");
}

// ---- what is refused --------------------------------------------------------------------------------------

Test(models, what_is_not_known_is_refused_with_its_place) {
  refused(MJCF("<worldbody><boddy/></worldbody>"), 2, 12, "did you mean <body>");
  refused(BODY("<joint axes='0 0 1'/>"), 2, 75, "did you mean axis");
  refused(BODY("<composite type='rope'/>"), 2, 62, "stands for many bodies");
  refused(BODY("<plugin plugin='x'/>"), 2, 62, "plugins");
  refused("<sdf version='1.6'/>", 1, 1, "SDF is not read");
  refused("<robot xmlns:xacro='x'><xacro:macro name='m'/></robot>", 1, 24, "is xacro");
  refused("<!DOCTYPE robot [<!ENTITY a 'aaa'>]><robot>&a;</robot>", 1, 1, "document type");
  refused("<mujoco><worldbody></mujoco>", 1, 22, "mismatched tag");
}

Test(models, numbers_and_names_that_are_wrong_are_refused_with_their_place) {
  refused(BODY("<joint axis='0 0'/>"), 2, 75, "there are 2 numbers, 3 are wanted");
  refused(BODY("<joint axis='0 zero 1'/>"), 2, 75, "\"zero\" is no number");
  refused(BODY("<joint axis='0 nan 1'/>"), 2, 75, "\"nan\" is no number");
  refused(BODY("<joint axis='0 0 0'/>"), 2, 62, "no direction");
  refused(BODY("<joint name='j'/>"), 2, 62, "two joints are called");
  refused(BODY("<joint class='none'/>"), 2, 76, "there is no class");
  refused(BODY("<geom size='-1'/>"), 2, 74, "above 0");
  refused(BODY("<geom type='box' size='1 1'/>"), 2, 85, "needs 3 sizes");
  refused(BODY("<geom size='1' quat='1 0 0 0' euler='0 0 1'/>"), 2, 83, "in two ways");
  refused(BODY("<joint range='1 -1' limited='true'/>"), 2, 76, "the smaller one");
  refused(BODY("<geom type='mesh' mesh='none'/>"), 2, 86, "there is no mesh");
  refused(MJCF("<worldbody><body name='a'/><body name='a'/></worldbody>"), 2, 28, "two bodies are called");
  refused(MJCF("<worldbody/><equality><connect body1='x' anchor='0 0 0'/></equality>"), 2, 39,
          "there is no body");
  refused(MJCF("<compiler coordinate='global'/>"), 2, 23, "one of local is wanted");
}

Test(models, tendons_that_wrap_are_refused) {
  refused(MJCF("<worldbody><geom name='g' size='1'/><site name='s'/><site "
               "name='t'/></worldbody>\n<tendon><spatial><site "
               "site='s'/>\n<geom geom='g'/><site site='t'/></spatial></tendon>"),
          4, 1, "do not wrap");
}

Test(models, gains_of_another_actuators_class_are_refused) {
  refused(MJCF("<default><position kp='5'/></default><worldbody><body><joint name='j'/><geom "
               "size='1'/></body></worldbody>"
               "\n<actuator><velocity joint='j'/></actuator>"),
          3, 11, "give them classes of their own");
}

Test(models, trees_that_are_none_are_refused) {
#define LINKS "<link name='a'/><link name='b'/>"
#define JOINT(name, parent, child)                                                                           \
  "<joint name='" name "' type='fixed'><parent link='" parent "'/><child link='" child "'/></joint>"
  refused("<robot>" LINKS "\n" JOINT("x", "a", "b") JOINT("y", "b", "a") "</robot>", 2, 73,
          "hangs on itself");
  refused("<robot>" LINKS "<link name='c'/>\n" JOINT("x", "a", "c") JOINT("y", "b", "c") "</robot>", 2, 73,
          "hangs on two joints");
  refused("<robot>" LINKS "\n" JOINT("x", "a", "z") "</robot>", 2, 61, "there is no link \"z\"");
  refused("<robot><link name='a'/><link name='a'/></robot>", 1, 24, "two links are called");
  refused("<robot>" LINKS
          "\n<joint name='x' type='hinge'><parent link='a'/><child link='b'/></joint></robot>",
          2, 23, "one of revolute, continuous");
}

Test(models, meshes_that_are_missing_are_refused) {
  refused("<robot><link name='a'><visual><geometry>\n<mesh "
          "filename='none.stl'/></geometry></visual></link></robot>",
          2, 17, "cannot be read");
  refused("<robot><link name='a'><visual><geometry>\n<mesh "
          "filename='package://p/none.stl'/></geometry></visual></link></robot>",
          2, 17, "--package-path");
}

Test(models, memory_that_runs_out_is_told_and_nothing_leaks) {
  const MbImportOptions options = {0};
  for (int fail = 0, bad = 1; bad; fail += 7) {
    MbModelNotes notes = {0};
    MbReport report = {0};
    char *text = NULL;
    mb_alloc_fail_after(fail);
    bad = mb_model_import("tests/models/joints.xml", &options, &notes, &text, &report) != MB_OK;
    mb_alloc_fail_after(-1);
    mb_free(text);
    mb_model_notes_free(&notes);
    cr_assert_eq(mb_alloc_live(), 0, "after %d allocations", fail);
    cr_assert_lt(fail, 100000);
  }
}
