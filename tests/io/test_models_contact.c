// Contact of URDF and MJCF as that of scenes.
#include "tests/io/imported.h"

#include <stdio.h>
#include <string.h>

TestSuite(models_contact, .init = imported_begin, .fini = imported_end);

#define BALL(name, x, words)                                                                                 \
  "<body name='" name "' pos='" x " 0 1'><freejoint/><geom size='0.1' " words "/></body>"
#define FLOOR(words) "<geom name='floor' type='plane' size='1 1 1' " words "/>"

static bool lists_pair(const Imported *r, const char *pointer, const char *a, const char *b) {
  const cJSON *list = imported_at(r, pointer), *entry = NULL;
  cJSON_ArrayForEach(entry, list) {
    const cJSON *pair = cJSON_IsObject(entry) ? cJSON_GetObjectItem(entry, "bodies") : entry;
    const char *x = pair->child->valuestring, *y = pair->child->next->valuestring;
    if ((!strcmp(x, a) && !strcmp(y, b)) || (!strcmp(x, b) && !strcmp(y, a))) return true;
  }
  return false;
}

Test(models_contact, what_all_shapes_say_alike_is_said_once) {
  Imported r = imported(MJCF("<worldbody>" FLOOR("") BALL("a", "0", "") BALL("b", "1", "") "</worldbody>"));
  cr_assert_eq(imported_number(&r, "/contact/friction"), 1);
  cr_assert(!imported_at(&r, "/contact/pairs") && !imported_at(&r, "/contact/exclude") &&
            !imported_at(&r, "/bodies/1/shape/friction"));
  cr_assert_eq(r.notes.n, 0);
  // a ball falls onto the floor and stays there
  const char *sets[] = {"/output={\"channels\": [\"body.position\"]}", NULL};
  TestRun run = test_run(r.text, sets);
  test_steps(run.sim, 1000);
  cr_assert_float_eq(test_channel(run.sim, "body.position", NULL)[5], 0.1, 1e-4);
  test_run_free(&run);
  imported_drop(&r);
  r = imported(MJCF("<option><flag contact='disable'/></option><worldbody>" FLOOR("")
                        BALL("a", "0", "") "</worldbody>"));
  cr_assert(!imported_at(&r, "/contact"));
  imported_drop(&r);
}

// Balls meet the floor and not one another; what meets nothing has no part in contact.
Test(models_contact, bits_of_contact_become_exclusions) {
  Imported r = imported(
      MJCF("<worldbody>" FLOOR("conaffinity='3'") BALL("a", "0", "contype='1' conaffinity='0'")
               BALL("b", "1", "contype='2' conaffinity='0'") BALL("c", "2", "contype='4' conaffinity='1'")
                   BALL("d", "3", "contype='0' conaffinity='0'") "</worldbody>"));
  cr_assert(lists_pair(&r, "/contact/exclude", "a", "b"));
  cr_assert(lists_pair(&r, "/contact/exclude", "b", "c")); // 2 & 1, 4 & 0
  cr_assert_eq(cJSON_GetArraySize(imported_at(&r, "/contact/exclude")), 2);
  cr_assert(cJSON_IsFalse(imported_at(&r, "/bodies/4/shape/collide")));
  imported_drop(&r);
}

// There the larger friction counts, here the root of the product; condim 1 has none.
Test(models_contact, frictions_of_pairs_are_those_of_the_other_engine) {
  Imported r = imported(MJCF("<worldbody>" FLOOR("") BALL("a", "0", "friction='0.2'")
                                 BALL("b", "1", "friction='0.2'") BALL("c", "2", "friction='3' condim='1'")
                                     BALL("d", "3", "condim='1'") "</worldbody>"));
  cr_assert(lists_pair(&r, "/contact/pairs", "a", "floor"));
  const cJSON *pair = NULL;
  cJSON_ArrayForEach(pair, imported_at(&r, "/contact/pairs")) {
    const cJSON *bodies = cJSON_GetObjectItem(pair, "bodies");
    const char *x = bodies->child->valuestring, *y = bodies->child->next->valuestring;
    const double mu = cJSON_GetObjectItem(pair, "friction")->valuedouble;
    const bool c = !strcmp(x, "c") || !strcmp(y, "c"), d = !strcmp(x, "d") || !strcmp(y, "d");
    cr_assert_eq(mu, c && d ? 0 : c ? 3 : 1, "%s and %s: %g", x, y, mu);
  }
  cr_assert(!lists_pair(&r, "/contact/pairs", "a", "b")); // alike: their own
  imported_drop(&r);
}

Test(models_contact, pairs_and_exclusions_of_a_model_are_the_scenes) {
  Imported r = imported(MJCF("<worldbody>" FLOOR(
      "") "<body name='a' pos='0 0 1'><freejoint/><geom name='g' size='0.1' contype='0' "
          "conaffinity='0'/></body>" BALL(
              "b", "1", "") "</worldbody><contact><pair geom1='g' geom2='floor' "
                            "friction='0.3'/><exclude body1='b' body2='world'/></contact>"));
  cr_assert_eq(imported_number(&r, "/contact/pairs/0/friction"), 0.3);
  cr_assert(lists_pair(&r, "/contact/pairs", "a", "floor"));
  cr_assert(lists_pair(&r, "/contact/exclude", "b", "floor"));
  cr_assert(lists_pair(&r, "/contact/exclude", "a", "b")); // its bits meet nothing else
  imported_drop(&r);
}

// Links of robots often stand in one another beside a joint.
Test(models_contact, what_begins_deep_in_one_another_does_not_collide) {
  Imported r = imported(
      MJCF("<worldbody>" BALL("a", "0", "") BALL("b", "0.05", "") BALL("c", "1", "") "</worldbody>"));
  cr_assert(lists_pair(&r, "/contact/exclude", "a", "b"));
  cr_assert_eq(cJSON_GetArraySize(imported_at(&r, "/contact/exclude")), 1);
  cr_assert(imported_noted(&r, true, "begin deep in one another"));
  imported_runs(&r, 3);
  imported_drop(&r);
}

// A model with a mesh of the scale, of a corner of a cube, and a ball beside it; text[] gets it.
static void write_corner(char *text, size_t size, const char *folder, const char *scale) {
  char path[100];
  snprintf(path, sizeof path, "%s/corner.obj", folder);
  FILE *file = fopen(path, "w");
  cr_assert(file);
  fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 4 3\nf 1 2 4\nf 2 3 4\n", file);
  fclose(file);
  snprintf(text, size,
           MJCF("<asset><mesh name='corner' file='%s' scale='%s'/></asset><worldbody>" FLOOR(
               "") "<body name='a' pos='0 0 0.001'><freejoint/><geom type='mesh' mesh='corner'/></body>"
                   "<body name='b' pos='0.3 0.3 0.101'><freejoint/><geom size='0.1'/></body></worldbody>"),
           path, scale);
}

// Mirrored at y and half as high it lies on the floor; where it would be as the file has it the ball does.
Test(models_contact, meshes_that_are_stretched_and_mirrored_collide_as_they_are) {
  char folder[64], text[1000], file[150];
  test_folder_begin(folder, "corner");
  write_corner(text, sizeof text, folder, "1 -1 0.5");
  Imported r = imported(text);
  cr_assert_eq(r.notes.n, 0);
  cr_assert_eq(imported_number(&r, "/bodies/1/shape/stretch/1"), -1);
  snprintf(file, sizeof file, "/bodies/1/shape/file=\"%s/corner.obj\"", folder);
  const char *sets[] = {file, "/output={\"channels\": [\"body.position\", \"energy\"]}", NULL};
  TestRun run = test_run(r.text, sets);
  test_steps(run.sim, 500);
  const double *x = test_channel(run.sim, "body.position", NULL), g = 9.81;
  const double mass = 1000. / 12, ball = 1000 * 4 / 3. * acos(-1.0) * 1e-3;
  cr_expect_float_eq(x[5], 0, 1e-9, "%g", x[5]);
  cr_expect_float_eq(x[8], 0.1, 1e-9, "%g", x[8]);
  cr_expect_float_eq(test_channel(run.sim, "energy", NULL)[1], g * (mass / 8 + ball * 0.1), 1e-6);
  test_run_free(&run);
  imported_drop(&r);
  test_folder_end(folder);
}

Test(models_contact, what_is_seen_and_collides_alike_is_one_shape) {
  Imported r = imported_with(
      "<robot><link name='a'>" MASS
      "<visual><geometry><sphere radius='0.1'/></geometry></visual><collision><geometry><sphere "
      "radius='0.1'/></geometry></collision><collision><geometry><box size='1 1 1'/></geometry>"
      "</collision><visual><geometry><sphere radius='0.2'/></geometry></visual></link></robot>",
      &(MbImportOptions){.free_base = true});
  cr_assert_eq(cJSON_GetArraySize(imported_at(&r, "/bodies/0/shape")), 3);
  cr_assert(!imported_at(&r, "/bodies/0/shape/0/collide") && !imported_at(&r, "/bodies/0/shape/1/collide"));
  cr_assert(cJSON_IsFalse(imported_at(&r, "/bodies/0/shape/2/collide")));
  imported_drop(&r);
}

// As MuJoCo 2.2.2 has it: a second outermost section holds for all but the classes within the first, wherever it stands, and under both
// sections' names.
Test(models_contact, outermost_defaults_of_several_sections_add_up) {
  static const double damping[] = {5, 1, 5, 5}, stiffness[] = {3, 0, 3, 3}, inertia[] = {0, 0.1, 0.2, 0};
  Imported r = imported_with(
      "<mujoco><default class='x'><joint damping='1'/><geom size='0.1'/><default class='a'><joint "
      "armature='0.1'/></default></default><worldbody><body><joint name='n'/><joint name='na' class='a'/>"
      "<joint name='nb' class='b'/><joint name='nx' class='x' axis='1 0 0'/><geom/></body></worldbody>"
      "<default><joint damping='5' stiffness='3'/><default class='b'><joint armature='0.2'/></default>"
      "</default></mujoco>",
      &(MbImportOptions){0});
  for (int i = 0; i < 4; i++) {
    char pointer[100];
    snprintf(pointer, sizeof pointer, "/bodies/0/joint/damping/%d", i);
    cr_expect_eq(imported_at(&r, pointer)->valuedouble, damping[i], "%s", pointer);
    snprintf(pointer, sizeof pointer, "/bodies/0/joint/stiffness/%d", i);
    cr_expect_eq(imported_at(&r, pointer)->valuedouble, stiffness[i], "%s", pointer);
    snprintf(pointer, sizeof pointer, "/bodies/0/joint/inertia/%d", i);
    cr_expect_eq(imported_at(&r, pointer)->valuedouble, inertia[i], "%s", pointer);
  }
  imported_drop(&r);
}
