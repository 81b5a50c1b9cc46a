// Where errors are said to be when the command line has changed the scene; and one mesh file in several sizes.
#include "core/base/alloc.h"
#include "io/json/json_text.h"
#include "io/scene/scene.h"
#include <criterion/criterion.h>
#include <string.h>

Test(scene_places, an_element_is_not_overridden_because_one_with_a_shorter_number_is) {
  MbText text = {0};
  mb_text_add(&text, "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 5}, \"bodies\": [\n");
  for (int i = 0; i < 11; i++)
    mb_text_format(&text,
                   "%s{\"name\": \"b%d\", \"mass\": %d, \"shape\": {\"type\": \"sphere\", \"radius\": 1}}",
                   i ? ",\n" : "", i, i == 10 ? -1 : 1);
  mb_text_add(&text, "]}");
  const char *const sets[] = {"/bodies/1={\"name\": \"b1\", \"mass\": -2}"};
  const MbSceneOptions options = {.sets = sets, .nsets = 1};
  MbReport report = {0};
  MbScene *scene = NULL;
  char *const json = mb_text_take(&text);
  cr_assert_eq(mb_scene_parse(json, strlen(json), "test", ".", &options, &scene, &report), MB_SCENE);
  cr_assert_eq(report.errors, 2);
  for (int i = 0; i < 2; i++) {
    const MbIssue *issue = &report.issues[i];
    const bool set = !strcmp(issue->where, "/bodies/1/mass");
    cr_assert(set || !strcmp(issue->where, "/bodies/10/mass"), "%s", issue->where);
    cr_assert_eq(issue->line, set ? 0 : 12, "%s: line %d", issue->where, issue->line);
    cr_assert_eq(strstr(issue->text, "command line") != NULL, set, "%s", issue->text);
  }
  mb_free(json);
}

Test(scene_places, a_mesh_file_is_read_in_every_size_that_is_asked_for) {
  const char *const text =
      "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 5}, \"bodies\": [{\"name\": \"a\", \"mass\": 1,"
      " \"shape\": [{\"type\": \"mesh\", \"file\": \"scenes/free/angle.obj\"},"
      " {\"type\": \"mesh\", \"file\": \"scenes/free/angle.obj\", \"scale\": 2},"
      " {\"type\": \"mesh\", \"file\": \"scenes/free/angle.obj\"}]}]}";
  MbReport report = {0};
  MbScene *scene = NULL;
  cr_assert_eq(mb_scene_parse(text, strlen(text), "test", ".", NULL, &scene, &report), MB_OK, "%s",
               report.issues[0].text);
  const MbShapeSpec *shape = scene->spec.bodies[0].shapes;
  cr_assert_eq(shape[2].mesh, shape[0].mesh, "the same file is read twice");
  for (size_t i = 0; i < 3 * shape[0].mesh->nv; i++)
    cr_assert_eq(shape[1].mesh->vertex[i], 2 * shape[0].mesh->vertex[i], "number %zu", i);
  mb_scene_free(scene);
}
