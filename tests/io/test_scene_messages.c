// What is said of scenes that people get wrong in ways that have a known way out.
#include "core/base/alloc.h"
#include "io/scene/scene.h"
#include "io/scene/schema_table.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define HEAD  "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 5}"
#define POINT "\"inertia\": {\"mass\": 1, \"matrix\": [1, 1, 1, 0, 0, 0]}"

static MbReport report;

static MbStatus read_scene(const char *text) {
  memset(&report, 0, sizeof report);
  MbScene *scene = NULL;
  const MbStatus status = mb_scene_parse(text, strlen(text), "test", ".", NULL, &scene, &report);
  mb_scene_free(scene);
  cr_assert_eq(mb_alloc_live(), 0);
  return status;
}

static void said(int i, const char *where, const char *part) {
  cr_assert_lt(i, report.kept, "there are %d issues, none with \"%s\"", report.kept, part);
  const MbIssue *issue = &report.issues[i];
  cr_expect(!strcmp(issue->where, where) && strstr(issue->text, part) && issue->line > 0,
            "%d: %s: \"%s\"; wanted %s with \"%s\"", issue->line, issue->where, issue->text, where, part);
}

Test(scene_messages, unknown_parents_and_unknown_bodies_of_forces_are_told_in_one_round) {
  cr_expect_eq(
      read_scene(HEAD
                 ", \"bodies\": [{\"name\": \"rod\", " POINT
                 ", \"joint\": {\"type\": \"revolute\", \"parent\": \"arn\"}},\n{\"name\": \"arm\", " POINT
                 "}],\n\"forces\": [{\"type\": \"wrench\", \"body\": \"rid\", \"force\": [1, 0, 0]}]}"),
      MB_SCENE);
  cr_expect_eq(report.errors, 2);
  said(0, "/bodies/0/joint/parent", "there is no body \"arn\" (did you mean \"arm\"?)");
  said(1, "/forces/0/body", "there is no body \"rid\" (did you mean \"rod\"?)");
}

Test(scene_messages, colours_have_three_or_four_numbers_from_0_to_1) {
  cr_expect_eq(
      read_scene(HEAD
                 ", \"materials\": {\"oak\": {\"rgba\": [1, 1, 1]}}, \"bodies\": [{\"name\": \"a\", " POINT
                 ", \"color\": [0.1, 1.1, 0]}, {\"name\": \"b\", " POINT
                 ", \"color\": [0.1, -0.1, 0.2, 1]},\n{\"name\": \"c\", " POINT
                 ", \"color\": [1, 1]}, {\"name\": \"d\", " POINT
                 ", \"color\": [1, 1, 1, 1, 1]}, {\"name\": \"e\", " POINT
                 ", \"colour\": [1, 1, 1]}, {\"name\": \"f\", " POINT ", \"color\": \"red\"}]}"),
      MB_SCENE);
  cr_expect_eq(report.errors, 7);
  said(0, "/materials/oak/rgba", "is \"color\"");
  said(1, "/bodies/0/color/1", "wanted a number from 0 to 1");
  said(2, "/bodies/1/color/1", "wanted a number from 0 to 1");
  said(3, "/bodies/2/color", "wanted a color: 3 or 4 numbers from 0 to 1");
  said(4, "/bodies/3/color", "wanted a color: 3 or 4 numbers from 0 to 1");
  said(5, "/bodies/4/colour", "it is spelt \"color\"");
  said(6, "/bodies/5/color", "wanted a color");
}

Test(scene_messages, a_parent_may_stand_behind_its_child) {
  cr_expect_eq(
      read_scene(HEAD
                 ", \"bodies\": [{\"name\": \"rod\", " POINT
                 ", \"joint\": {\"type\": \"revolute\", \"parent\": \"arm\"}}, {\"name\": \"arm\", " POINT
                 "}]}"),
      MB_OK);
}

Test(scene_messages, a_quaternion_of_another_length_is_shown_as_it_should_be) {
  cr_expect_eq(read_scene(HEAD ", \"bodies\": [{\"name\": \"a\", " POINT
                               ", \"pose\": {\"rotation\": [0.7, 0.7, 0, 0]}}]}"),
               MB_SCENE);
  cr_expect_eq(report.errors, 1);
  said(0, "/bodies/0/pose/rotation", "divided by its length it is [0.7071067812, 0.7071067812, 0, 0]");
  cr_expect_eq(read_scene(HEAD ", \"bodies\": [{\"name\": \"a\", " POINT
                               ", \"pose\": {\"rotation\": [0.7071067812, 0.7071067812, 0, 0]}}]}"),
               MB_OK);
  cr_expect_eq(read_scene(HEAD ", \"bodies\": [{\"name\": \"a\", " POINT
                               ", \"pose\": {\"rotation\": [0, 0, 0, 0]}}]}"),
               MB_SCENE);
  said(0, "/bodies/0/pose/rotation", "no rotation is [1, 0, 0, 0]");
}

Test(scene_messages, words_of_other_formats_lead_to_those_of_this_one) {
  static const struct {
    const char *body, *where, *part;
  } cases[] = {
      {"\"pose\": {\"rpy\": [0, 0, 1]}", "/bodies/0/pose/rpy",
       "{\"euler\": \"zyx\", \"angles\": [yaw, pitch, roll]}"},
      {"\"pose\": {\"rotation\": {\"rpy\": [0, 0, 1]}}", "/bodies/0/pose/rotation",
       "{\"euler\": \"zyx\", \"angles\": [yaw, pitch, roll]}"},
      {"\"pose\": {\"pos\": [0, 0, 1]}", "/bodies/0/pose/pos", "write \"position\""},
      {"\"pose\": {\"quat\": [0, 0, 0, 1]}", "/bodies/0/pose/quat", "\"rotation\": [w, x, y, z]"},
      {"\"position\": [0, 0, 1]", "/bodies/0/position", "in its \"pose\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[400];
    snprintf(text, sizeof text, HEAD ", \"bodies\": [{\"name\": \"a\", " POINT ", %s}]}", cases[i].body);
    cr_expect_eq(read_scene(text), MB_SCENE);
    cr_expect_eq(report.errors, 1, "%s: %d errors", cases[i].body, report.errors);
    said(0, cases[i].where, cases[i].part);
  }
}

Test(scene_messages, angles_beyond_a_turn_are_doubted_where_they_are_fixed_or_a_joints_start) {
  cr_expect_eq(
      read_scene(
          HEAD ", \"parameters\": {\"a\": 90}, \"bodies\": [\n{\"name\": \"a\", " POINT
               ", \"pose\": {\"rotation\": {\"axis\": [0, 0, 1], \"angle\": 45}}},\n{\"name\": \"b\", " POINT
               ", \"pose\": {\"rotation\": {\"euler\": \"xyz\", \"angles\": [0, \"=-a\", 1]}}},\n{\"name\": "
               "\"c\", " POINT
               ", \"joint\": {\"type\": \"revolute\", \"position\": 30}},\n{\"name\": \"d\", " POINT
               ", \"joint\": {\"type\": \"free2d\", \"position\": [50, 60, 70]}}]}"),
      MB_OK);
  cr_expect_eq(report.warnings, 4);
  said(0, "/bodies/0/pose/rotation/angle", "45 rad is more than a turn: degrees? 45 degrees are \"=45*deg\"");
  said(1, "/bodies/1/pose/rotation/angles/1", "-90 rad is more than a turn");
  said(2, "/bodies/2/joint/position", "30 rad");
  said(3, "/bodies/3/joint/position/2", "70 rad");
}

Test(scene_messages, a_turn_and_what_is_said_in_degrees_is_not_doubted) {
  cr_expect_eq(
      read_scene(
          HEAD
          ", \"bodies\": [{\"name\": \"a\", " POINT
          ", \"pose\": {\"rotation\": {\"axis\": [0, 0, 1], \"angle\": \"=2*pi\"}}}, {\"name\": \"b\", " POINT
          ", \"joint\": {\"type\": \"revolute\", \"position\": \"=720*deg\"}}, {\"name\": \"c\", " POINT
          ", \"joint\": {\"type\": \"prismatic\", \"position\": 30}}, {\"name\": \"d\", " POINT
          ", \"joint\": {\"type\": \"screw\", \"pitch\": 0.01, \"position\": 30}}]}"),
      MB_OK);
  cr_expect_eq(report.warnings, 0, "%s: %s", report.issues[0].where, report.issues[0].text);
}

Test(scene_messages, texts_have_a_bound_that_is_told_before_a_run) {
  enum { HEAD_ROOM = 200 };
  char *text = mb_calloc(MB_TEXT_MOST + HEAD_ROOM, 1);
  for (int over = 0; over < 2; over++) {
    size_t n = (size_t)snprintf(text, HEAD_ROOM, "%s, \"description\": \"", HEAD);
    memset(text + n, 'x', MB_TEXT_MOST + (size_t)over);
    n += MB_TEXT_MOST + (size_t)over;
    memcpy(text + n, "\"}", 3);
    MbScene *scene = NULL;
    memset(&report, 0, sizeof report);
    cr_expect_eq(mb_scene_parse(text, n + 2, "test", ".", NULL, &scene, &report), over ? MB_SCENE : MB_OK);
    mb_scene_free(scene);
  }
  said(0, "/description", "the text is 1048577 bytes long, wanted at most 1048576");
  mb_free(text);
}

// ---- parts of composites ------------------------------------------------------------------------------------

Test(scene_parts, names_of_parts_are_in_the_channels_behind_the_bodys) {
  static const char *const wanted[] = {"head.yaw", "head.1", "head.wrist.0", "head.wrist.1", "arm"};
  static const char text[] =
      HEAD ", \"bodies\": [{\"name\": \"head\", " POINT ", \"joint\": {\"type\": \"composite\", \"joints\": "
           "[{\"type\": \"revolute\", \"name\": \"yaw\"}, {\"type\": "
           "\"prismatic\"}, {\"type\": \"universal\", \"name\": \"wrist\", \"frame\": {\"position\": [0, 0, "
           "1]}}]}}, {\"name\": "
           "\"arm\", " POINT ", \"joint\": {\"type\": \"revolute\"}}], \"output\": {\"channels\": "
           "[\"body.position\", \"joint.position\"]}}";
  MbScene *scene = NULL;
  MbModel *model = NULL;
  MbSim *sim = NULL;
  memset(&report, 0, sizeof report);
  cr_assert_eq(mb_scene_parse(text, strlen(text), "test", ".", NULL, &scene, &report), MB_OK, "%s",
               report.issues[0].text);
  cr_assert_eq(mb_model_create(scene, &model, &report), MB_OK, "%s", report.issues[0].text);
  cr_assert_eq(mb_sim_create(model, NULL, &sim, &report), MB_OK, "%s", report.issues[0].text);
  size_t n = 0;
  const MbChannel *channel = mb_sim_channels(sim, &n);
  cr_assert_eq(n, 2);
  cr_assert_eq(channel[1].items, 5);
  for (size_t i = 0; i < 5; i++) cr_expect_str_eq(channel[1].items_names[i], wanted[i]);
  double frame[16];
  cr_assert_eq(mb_sim_frame_size(sim), 2 * 3 + 5);
  mb_sim_sample(sim, frame, NULL);
  cr_expect_eq(frame[2], 1, "the last part's frame lifts the head");
  mb_sim_free(sim);
  mb_model_free(model);
  mb_scene_free(scene);
  cr_assert_eq(mb_alloc_live(), 0);
}
