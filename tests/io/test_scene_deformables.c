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

static const char elements[] =
    "{\"mbsim\": 1, \"time\": {\"step\": 0.01, \"steps\": 2}, \"parameters\": {\"n\": 4},\n"
    "\"solver\": {\"type\": \"projective\", \"iterations\": 7, \"global\": \"chebyshev\", \"precision\": "
    "\"single\", "
    "\"method\": \"newton\"},\n"
    "\"deformables\": [\n"
    " {\"name\": \"jelly\", \"type\": \"tets\", \"mesh\": {\"box\": [2, 3, \"=n\"], \"size\": [1, 2, 3]},\n"
    "  \"material\": {\"model\": \"arap\", \"young\": 1e5, \"density\": 1000},\n"
    "  \"pin\": [{\"select\": {\"box\": [[0, 1, 2], [3, 4, 5]]}, \"motion\": {\"translate\": [0, \"=t\", 0], "
    "\"rotate\": "
    "{\"axis\": [0, 2, 0], \"through\": [1, 2, 3], \"angle\": {\"times\": [0, 1], \"values\": [0, 2]}}}},\n"
    "           {\"select\": {\"sphere\": {\"center\": [1, 2, 3], \"radius\": 4}}}],\n"
    "  \"cables\": [{\"path\": [{\"side\": \"+x\"}, {\"side\": \"-x\"}], \"pull\": \"=3*t\"},\n"
    "             {\"path\": [{\"side\": \"+y\"}, {\"side\": \"-y\"}], \"compliance\": 0.5}]},\n"
    " {\"name\": \"ball\", \"type\": \"tets\", \"mesh\": {\"ball\": \"=n\", \"radius\": 2},\n"
    "  \"material\": {\"young\": 1e5, \"poisson\": 0.45, \"density\": 1000}},\n"
    " {\"name\": \"sheet\", \"type\": \"cloth\", \"mesh\": {\"file\": \"unused.obj\", \"scale\": 2},\n"
    "  \"material\": {\"young\": 1, \"density\": 2, \"thickness\": 3, \"bending\": {\"stiffness\": 4}}},\n"
    " {\"name\": \"other\", \"type\": \"cloth\", \"mesh\": {\"file\": \"unused.obj\", \"scale\": 2},\n"
    "  \"material\": {\"young\": 1, \"density\": 2, \"thickness\": 3, \"bending\": {\"model\": "
    "\"laplace_beltrami\"}}}]}";

Test(scene_deformables, every_key_of_elements_is_read) {
  MbReport report = {0};
  MbScene *scene = NULL;
  const MbStatus status =
      mb_scene_parse(elements, strlen(elements), "test", "scenes/bad", NULL, &scene, &report);
  cr_assert_eq(status, MB_OK, "%s: %s", report.issues[0].where, report.issues[0].text);
  const MbSolverSpec *solver = &scene->spec.solver;
  cr_assert(solver->kind == MB_SOLVER_PROJECTIVE && solver->iterations == 7);
  cr_assert(solver->global == MB_GLOBAL_CHEBYSHEV && solver->precision == MB_PRECISION_SINGLE);
  cr_assert_eq(solver->method, MB_METHOD_NEWTON);
  const MbDeformableSpec *jelly = &scene->spec.deformables[0], *ball = jelly + 1, *sheet = jelly + 2,
                         *last = jelly + 3;

  cr_assert(jelly->kind == MB_DEFORMABLE_TETS && jelly->mesh.box[0] == 2 && jelly->mesh.box[2] == 4);
  cr_assert(jelly->mesh.nsize == 3 && jelly->mesh.grid[0] == 0 && !jelly->mesh.mesh &&
            isnan(jelly->mesh.radius));
  cr_assert(jelly->model == MB_ARAP && jelly->young == 1e5 && jelly->poisson == 0.3 &&
            jelly->density == 1000);
  const MbPinSpec *pin = jelly->pins;
  cr_assert(pin->select.in_box && !pin->select.in_sphere && pin->select.box[0][1] == 1 &&
            pin->select.box[1][2] == 5);
  cr_assert(pin->motion.given && pin->motion.turns && pin->motion.axis[1] == 1 &&
            pin->motion.through[2] == 3);
  cr_assert_str_eq(pin->motion.translate[1].text, "t");
  cr_assert(pin->motion.angle.kind == MB_SIGNAL_TABLE && pin->motion.angle.values[1] == 2);
  cr_assert(!pin[1].motion.given && pin[1].select.in_sphere && !pin[1].select.in_box);
  cr_assert(pin[1].select.center[1] == 2 && pin[1].select.radius == 4);
  cr_assert(jelly->ncables == 2 && jelly->cables[0].npath == 2 && jelly->cables[0].pulled);
  cr_assert_str_eq(jelly->cables[0].pull.text, "3*t");
  cr_assert(!jelly->cables[1].pulled && jelly->cables[1].compliance == 0.5 &&
            jelly->cables[0].compliance == 0);

  cr_assert(ball->mesh.ball == 4 && ball->mesh.radius == 2 && ball->model == MB_NEO_HOOKEAN &&
            ball->poisson == 0.45);
  cr_assert(!ball->bending.given && ball->npins == 0 && ball->ncables == 0);
  cr_assert(sheet->kind == MB_DEFORMABLE_CLOTH && sheet->thickness == 3 && sheet->bending.given);
  cr_assert(sheet->bending.model == MB_BENDING_ISOMETRIC && sheet->bending.stiffness == 4);
  cr_assert(last->bending.model == MB_BENDING_LAPLACE_BELTRAMI && isnan(last->bending.stiffness));
  cr_assert_str_eq(sheet->mesh.file, "unused.obj");
  cr_assert(sheet->mesh.mesh->nodes == 4 && sheet->mesh.mesh->triangles == 1 && sheet->mesh.mesh->x[3] == 2);
  cr_assert_eq(sheet->mesh.mesh, last->mesh.mesh, "a file is read twice");
  mb_scene_free(scene);
  cr_assert_eq(mb_alloc_live(), 0);
}

// Which deformable a flat element belongs to is known where it is found, by the solver's own matrices.
Test(scene_deformables, a_flat_element_is_told_with_its_place_under_projective) {
  static const char flat[] = "{\"mbsim\": 1, \"time\": {\"step\": 0.001, \"steps\": 3}, \"solver\": "
                             "\"projective\", \"bodies\": [],\n"
                             "\"deformables\": [{\"name\": \"dust\", \"type\": \"particles\", \"mesh\": "
                             "{\"grid\": [2, 2], \"size\": [1, 1]},\n"
                             "  \"material\": {\"mass\": 1}},\n"
                             " {\"name\": \"block\", \"type\": \"tets\", \"mesh\": {\"box\": [2, 2, 2], "
                             "\"size\": [0.1, 0.1, 1e11]},\n"
                             "  \"material\": {\"young\": 1e6, \"poisson\": 0.3, \"density\": 1000}}]}";
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  MbSim *sim = NULL;
  cr_assert_eq(mb_scene_parse(flat, strlen(flat), "test", ".", NULL, &scene, &report), MB_OK);
  cr_assert_eq(mb_model_create(scene, &model, &report), MB_OK, "%s", report.issues[0].text);
  cr_assert_eq(mb_sim_create(model, NULL, &sim, &report), MB_SCENE);
  cr_assert_str_eq(report.issues[0].where, "/deformables/1/mesh");
  cr_assert(strstr(report.issues[0].text, "element 2 "), "%s", report.issues[0].text);
  mb_model_free(model), mb_scene_free(scene);
}
