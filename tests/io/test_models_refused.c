// What of URDF and MJCF cannot be said in a scene: it is listed or refused.
#include "core/base/alloc.h"
#include "tests/io/imported.h"

TestSuite(models_refused, .init = imported_begin, .fini = imported_end);

Test(models_refused, what_cannot_be_said_is_listed) {
  Imported r = imported(
      MJCF("<option density='1.2' cone='elliptic'/><worldbody><light/><body name='a' gravcomp='1'><joint "
           "name='j' frictionloss='1' margin='0.1'/><geom size='0.1' condim='1' rgba='1 0 0 "
           "1'/></body></worldbody>"));
  cr_assert(imported_noted(&r, true, "density of <option>"));
  cr_assert(imported_noted(&r, true, "gravcomp of <body>"));
  cr_assert(imported_noted(&r, true, "margin of <joint>"));
  cr_assert(imported_noted(&r, false, "<light>"));
  cr_assert_not(imported_noted(&r, false, "rgba of <geom>"));
  cr_assert(imported_noted(&r, false, "cone of <option>"));
  cr_assert_eq(cJSON_GetArraySize(imported_at(&r, "/_left_out")), 3);
  imported_drop(&r);
  r = imported("<robot><link name='a'>" MASS
               "<flavour x='1'/></link><gazebo/><transmission name='t'/></robot>");
  cr_assert(imported_noted(&r, true, "<flavour> in <link>"));
  cr_assert(imported_noted(&r, true, "<gazebo>"));
  cr_assert(imported_noted(&r, false, "<transmission>"));
  imported_drop(&r);
}

// What is only looked at moves nothing; what collides would no more.
Test(models_refused, meshes_of_other_kinds_are_left_out_where_they_are_seen_and_refused_where_they_collide) {
  imported_write("part.dae", "<COLLADA/>");
  Imported r = imported("<robot><link name='a'>" MASS
                        "<visual><geometry><mesh filename='part.dae'/></geometry></visual></link></robot>");
  cr_assert(imported_noted(&r, false, "part.dae is no .stl, .obj or .ply"));
  cr_assert_null(imported_at(&r, "/_left_out"));
  imported_drop(&r);
  imported_refused("<robot><link name='a'>" MASS
                   "\n<collision><geometry><mesh filename='part.dae'/></geometry></collision></link></robot>",
                   2, 38, "part.dae collides, and is no .stl, .obj or .ply: convert it to .obj");
}

// ---- what is refused --------------------------------------------------------------------------------------

Test(models_refused, what_is_not_known_is_refused_with_its_place) {
  imported_refused(MJCF("<worldbody><boddy/></worldbody>"), 2, 12, "did you mean <body>");
  imported_refused(BODY("<joint axes='0 0 1'/>"), 2, 75, "did you mean axis");
  imported_refused(BODY("<composite type='rope'/>"), 2, 62, "stands for many bodies");
  imported_refused(BODY("<plugin plugin='x'/>"), 2, 62, "plugins");
  imported_refused("<sdf version='1.6'/>", 1, 1, "SDF is not read");
  imported_refused("<robot xmlns:xacro='x'><xacro:macro name='m'/></robot>", 1, 24, "is xacro");
  imported_refused("<!DOCTYPE robot [<!ENTITY a 'aaa'>]><robot>&a;</robot>", 1, 1, "document type");
  imported_refused("<mujoco><worldbody></mujoco>", 1, 22, "mismatched tag");
}

Test(models_refused, numbers_and_names_that_are_wrong_are_refused_with_their_place) {
  imported_refused(BODY("<joint axis='0 0'/>"), 2, 75, "there are 2 numbers, 3 are wanted");
  imported_refused(BODY("<joint axis='0 zero 1'/>"), 2, 75, "\"zero\" is no number");
  imported_refused(BODY("<joint axis='0 nan 1'/>"), 2, 75, "\"nan\" is no number");
  imported_refused(BODY("<joint axis='0 0 0'/>"), 2, 62, "no direction");
  imported_refused(BODY("<joint name='j'/>"), 2, 62, "two joints are called");
  imported_refused(BODY("<joint class='none'/>"), 2, 76, "there is no class");
  imported_refused(BODY("<geom size='-1'/>"), 2, 74, "above 0");
  imported_refused(BODY("<geom type='box' size='1 1'/>"), 2, 85, "needs 3 sizes");
  imported_refused(BODY("<geom size='1' quat='1 0 0 0' euler='0 0 1'/>"), 2, 83, "in two ways");
  imported_refused(BODY("<joint range='1 -1' limited='true'/>"), 2, 76, "the smaller one");
  imported_refused(BODY("<geom type='mesh' mesh='none'/>"), 2, 86, "there is no mesh");
  imported_refused(MJCF("<worldbody><body name='a'/><body name='a'/></worldbody>"), 2, 28,
                   "two bodies are called");
  imported_refused(MJCF("<worldbody/><equality><connect body1='x' anchor='0 0 0'/></equality>"), 2, 39,
                   "there is no body");
  imported_refused(MJCF("<compiler coordinate='global'/>"), 2, 23, "one of local is wanted");
}

Test(models_refused, tendons_that_wrap_are_refused) {
  imported_refused(MJCF("<worldbody><geom name='g' size='1'/><site name='s'/><site "
                        "name='t'/></worldbody>\n<tendon><spatial><site "
                        "site='s'/>\n<geom geom='g'/><site site='t'/></spatial></tendon>"),
                   4, 1, "do not wrap");
}

Test(models_refused, gains_of_another_actuators_class_are_refused) {
  imported_refused(MJCF("<default><position kp='5'/></default><worldbody><body><joint name='j'/><geom "
                        "size='1'/></body></worldbody>"
                        "\n<actuator><velocity joint='j'/></actuator>"),
                   3, 11, "give them classes of their own");
}

Test(models_refused, trees_that_are_none_are_refused) {
#define LINKS "<link name='a'/><link name='b'/>"
#define JOINT(name, parent, child)                                                                           \
  "<joint name='" name "' type='fixed'><parent link='" parent "'/><child link='" child "'/></joint>"
  imported_refused("<robot>" LINKS "\n" JOINT("x", "a", "b") JOINT("y", "b", "a") "</robot>", 2, 73,
                   "hangs on itself");
  imported_refused("<robot>" LINKS "<link name='c'/>\n" JOINT("x", "a", "c") JOINT("y", "b", "c") "</robot>",
                   2, 73, "hangs on two joints");
  imported_refused("<robot>" LINKS "\n" JOINT("x", "a", "z") "</robot>", 2, 61, "there is no link \"z\"");
  imported_refused("<robot><link name='a'/><link name='a'/></robot>", 1, 24, "two links are called");
  imported_refused("<robot>" LINKS
                   "\n<joint name='x' type='hinge'><parent link='a'/><child link='b'/></joint></robot>",
                   2, 23, "one of revolute, continuous");
}

Test(models_refused, meshes_that_are_missing_are_refused) {
  imported_refused("<robot><link name='a'><visual><geometry>\n<mesh "
                   "filename='none.stl'/></geometry></visual></link></robot>",
                   2, 17, "cannot be read");
  imported_refused("<robot><link name='a'><visual><geometry>\n<mesh "
                   "filename='package://p/none.stl'/></geometry></visual></link></robot>",
                   2, 17, "--package-path");
}

Test(models_refused, memory_that_runs_out_is_told_and_nothing_leaks) {
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
