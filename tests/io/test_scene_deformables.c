// Deformables as they are read from a scene.
#include "core/base/alloc.h"
#include "io/scene/scene.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const char text[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 2}, \"parameters\": {\"n\": 4},\n"
    "\"bodies\": [{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}, \"mass\": 1}],\n"
    "\"forces\": [{\"type\": \"spring\", \"stiffness\": 1, \"between\": [{\"node\": \"rope\", \"index\": "
    "\"=n-1\"}, "
    "{\"body\": \"world\", \"at\": [1, 2, 3]}]}],\n"
    "\"deformables\": [\n"
    " {\"name\": \"rope\", \"type\": \"springs\", \"mesh\": {\"rope\": \"=n\", \"length\": 2},\n"
    "  \"material\": {\"mass\": 3, \"stiffness\": 5, \"damping\": 7, \"law\": \"strain\", \"lagged\": "
    "true},\n"
    "  \"pose\": {\"position\": [1, 2, 3]}, \"velocity\": {\"linear\": [4, 5, 6], \"angular\": [7, 8, 9]},\n"
    "  \"pin\": [{\"select\": {\"side\": \"-x\"}, \"axes\": \"xz\"}, {\"select\": {\"vertices\": [1, 2]}}],\n"
    "  \"attach\": [{\"select\": {\"nearest\": [2, 0, 0]}, \"body\": \"ball\"}]},\n"
    " {\"name\": \"dust\", \"type\": \"particles\", \"mesh\": {\"grid\": [2, \"=n\"], \"size\": [1, 2], "
    "\"pattern\": \"square\"}, \"material\": {\"mass\": 1},\n"
    "  \"attach\": [{\"select\": {\"vertices\": [0]}, \"to\": {\"deformable\": \"rope\", \"vertices\": [0, "
    "2], "
    "\"weights\": [0.25, 0.75]}, \"enforce\": \"reduction\"}, "
    "{\"select\": {\"vertices\": [1]}, \"to\": {\"vertices\": [0]}}]}],\n"
    "\"output\": {\"channels\": [\"deformable.dust.velocity\", \"deformable.*.position\"]}}";

static MbScene *scene_of(void) {
  MbReport report = {0};
  MbScene *scene = NULL;
  const MbStatus status = mb_scene_parse(text, strlen(text), "test", ".", NULL, &scene, &report);
  cr_assert_eq(status, MB_OK, "%s: %s", report.issues[0].where, report.issues[0].text);
  return scene;
}

Test(scene_deformables, every_key_is_read) {
  MbScene *scene = scene_of();
  const MbSceneSpec *s = &scene->spec;
  cr_assert_eq(s->ndeformables, 2);
  const MbDeformableSpec *rope = &s->deformables[0], *dust = &s->deformables[1];
  cr_assert_str_eq(rope->name, "rope");
  cr_assert(rope->kind == MB_DEFORMABLE_SPRINGS && dust->kind == MB_DEFORMABLE_PARTICLES);
  cr_assert(rope->mesh.rope == 4 && rope->mesh.length == 2 && rope->mesh.nsize == 0);
  cr_assert(rope->mass == 3 && rope->stiffness == 5 && rope->damping == 7 && rope->lagged);
  cr_assert_eq(rope->law, MB_LAW_STRAIN);
  for (int i = 0; i < 3; i++)
    cr_assert(rope->pose.position[i] == 1 + i && rope->linear[i] == 4 + i && rope->angular[i] == 7 + i);
  cr_assert(rope->pose.rotation[0] == 1 && dust->pose.rotation[0] == 1);
  cr_assert(rope->npins == 2 && rope->pins[1].select.nvertices == 2 && rope->pins[1].select.vertices[1] == 2);
  cr_assert_str_eq(rope->pins[0].select.side, "-x");
  cr_assert_str_eq(rope->pins[0].axes, "xz");
  cr_assert_str_eq(rope->pins[1].axes, "xyz");
  cr_assert(rope->nattachments == 1 && rope->attachments[0].select.nnearest == 3);
  cr_assert_str_eq(rope->attachments[0].body, "ball");
  cr_assert(dust->mesh.rope == 0 && isnan(dust->mesh.length) && dust->mesh.grid[1] == 4);
  cr_assert(dust->mesh.size[1] == 2 && dust->mesh.pattern == MB_PATTERN_SQUARE && dust->mass == 1);
  cr_assert(dust->npins == 0 && dust->nattachments == 2);
  const MbMastersSpec *to = &dust->attachments[0].to;
  cr_assert(!dust->attachments[0].body && dust->attachments[0].enforce == MB_BY_REDUCTION);
  cr_assert_str_eq(to->deformable, "rope");
  cr_assert(to->nvertices == 2 && to->vertices[1] == 2 && to->nweights == 2 && to->weights[1] == 0.75);
  to = &dust->attachments[1].to;
  cr_assert(!to->deformable && to->nvertices == 1 && to->nweights == 0);
  cr_assert_eq(dust->attachments[1].enforce, MB_BY_CONSTRAINT);

  const MbPointSpec *ends = s->forces[0].points;
  cr_assert_str_eq(ends[0].node, "rope");
  cr_assert(ends[0].index == 3 && !ends[0].body && !ends[1].node && ends[1].frame.position[2] == 3);
  cr_assert_str_eq(s->output.channels[0], "deformable.dust.velocity");
  cr_assert_str_eq(s->output.channels[1], "deformable.*.position");
  mb_scene_free(scene);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(scene_deformables, nodes_are_counted_apart_from_bodies) {
  MbScene *scene = scene_of();
  MbReport report = {0};
  MbModel *model = NULL;
  cr_assert_eq(mb_model_create(scene, &model, &report), MB_OK, "%s", report.issues[0].text);
  cr_assert_eq(mb_model_bodies(model), 1);
  cr_assert_eq(mb_model_nodes(model), 12);
  cr_assert_eq(mb_model_dofs(model), 6 + 3 * 12 - 2 - 6); // one node is held along two axes, two along all
  cr_assert_str_eq(mb_model_body_name(model, 0), "ball");
  cr_assert_null(mb_model_body_name(model, 1));
  mb_model_free(model);
  mb_scene_free(scene);
}
