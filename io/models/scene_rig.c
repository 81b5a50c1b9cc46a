// A scene as a rig: the way back of rig_scene.c. Here are bodies with their shapes and masses, and the order in which all is read. What no
// model can say is an error with its JSON pointer; all of them are listed.
#include "core/math/quat.h"
#include "io/json/json_fold.h"
#include "io/models/scene_rig_reading.h"

#include <string.h>

// ---- shapes and masses ------------------------------------------------------------------------------------

static double density_of(const MbReading *r, const MbBodySpec *body, const MbShapeSpec *shape) {
  const MbMaterialSpec *own = mb_find_material(r->spec, shape->material),
                       *all = mb_find_material(r->spec, body->material);
  return !isnan(shape->density)  ? shape->density
         : own                   ? own->density
         : !isnan(body->density) ? body->density
         : all                   ? all->density
                                 : NAN;
}

// Friction or restitution: a shape's word wins over its material's, that over its body's material's, that over the scene's.
static double surface_of(const MbReading *r, const MbBodySpec *body, const MbShapeSpec *s, bool restitution) {
  const MbMaterialSpec *const of[] = {mb_find_material(r->spec, s->material),
                                      mb_find_material(r->spec, body->material)};
  double x = restitution ? s->restitution : s->friction;
  for (int i = 0; i < 2; i++)
    if (isnan(x) && of[i]) x = restitution ? of[i]->restitution : of[i]->friction;
  const MbContactsSpec *contact = r->spec->contact;
  return !isnan(x) ? x : !contact ? NAN : restitution ? contact->restitution : contact->friction;
}

static bool read_shape(MbReading *r, const MbBodySpec *body, const MbShapeSpec *s, size_t b) {
  MbRigShape *shape = mb_rig_add_shape(&r->rig->body[b], s->kind, (MbXmlPlace){0});
  if (!shape) return mb_reading_no_memory(r);
  memcpy(shape->size, s->size, sizeof shape->size), memcpy(shape->normal, s->normal, sizeof shape->normal);
  memcpy(shape->frame.p, s->frame.position, sizeof shape->frame.p);
  memcpy(shape->frame.q, s->frame.rotation, sizeof shape->frame.q);
  shape->radius = s->radius, shape->length = s->length, shape->offset = s->offset;
  if (s->file)
    shape->file =
        *s->file == '/' || !*r->directory ? s->file : mb_reading_format(r, "%s/%s", r->directory, s->file);
  for (int i = 0; i < 3; i++) shape->scale[i] = s->scale * s->size[i];
  shape->seen = true;
  const double *color = mb_shape_color(r->spec, body, s);
  shape->colored = color != NULL;
  if (color) memcpy(shape->rgba, color, sizeof shape->rgba);
  shape->collides = s->collide != MB_COLLIDE_NOT;
  shape->hull = s->collide == MB_COLLIDE_HULL;
  shape->friction = surface_of(r, body, s, false);
  if (r->rig->contact && shape->collides && surface_of(r, body, s, true) > 0)
    mb_reading_unfit(r, mb_reading_format(r, "%s/shape", r->rig->body[b].where),
                     "a model says nothing of how bodies rebound: restitution 0 is wanted");
  shape->density = s->kind == MB_SHAPE_PLANE || body->inertia ? NAN : density_of(r, body, s);
  shape->weightless = body->inertia != NULL;
  return true;
}

// As the compiled model has it: principal moments about the centre of mass.
static void take_mass(const MbReading *r, size_t i, MbRigBody *body) {
  const size_t number = r->model->number[i];
  const double *M = r->model->M + 6 * number;
  const MbPose *C = &r->model->C[number];
  double R[9];
  mb_quat_to_mat3(R, C->q);
  body->inertial = M[3] > 0;
  body->mass = M[3];
  memcpy(body->center, C->p, sizeof body->center);
  static const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) {
    body->matrix[k] = 0;
    for (int n = 0; n < 3; n++) body->matrix[k] += R[3 * row[k] + n] * M[n] * R[3 * column[k] + n];
  }
  mb_rig_tidy(body->matrix, 6, 0);
  mb_rig_tidy(body->center, 3, 0.1);
}

static bool read_mass(MbReading *r, size_t i, size_t b) {
  const MbBodySpec *spec = &r->spec->bodies[i];
  MbRigBody *body = &r->rig->body[b];
  if (spec->inertia) {
    body->inertial = true, body->mass = spec->inertia->mass;
    memcpy(body->center, spec->inertia->center, sizeof body->center);
    memcpy(body->matrix, spec->inertia->matrix, sizeof body->matrix);
  } else if (r->planes) { // masses are numbers there
    take_mass(r, i, body);
  } else if (spec->nshapes == 1 && !isnan(spec->mass)) {
    body->shape[0].mass = spec->mass, body->shape[0].density = NAN;
  } else if (!isnan(spec->mass)) {
    take_mass(r, i, body);
  }
  return true;
}

static bool read_body(MbReading *r, size_t i, const cJSON *json) {
  const MbBodySpec *spec = &r->spec->bodies[i];
  const size_t b = r->rig->nbodies;
  const char *name = mb_reading_format(r, "%s", spec->name), *where = mb_reading_format(r, "/bodies/%zu", i);
  if (!mb_rig_add_body(r->rig, name, (MbXmlPlace){0})) return mb_reading_no_memory(r);
  r->rig->body[b].where = where;
  if (spec->motion)
    mb_reading_unfit(r, mb_reading_format(r, "%s/motion", where), "a model has no prescribed motion");
  if (spec->damping != 0)
    mb_reading_unfit(r, mb_reading_format(r, "%s/damping", where),
                     "a model has no drag of bodies, only damping of joints");
  for (size_t k = 0; k < spec->nshapes; k++)
    if (!read_shape(r, spec, &spec->shapes[k], b)) return false;
  if (!read_mass(r, i, b)) return false;
  const bool jointed = spec->jointed;
  return jointed ? mb_reading_add_joint(r, i, b, cJSON_GetObjectItemCaseSensitive(json, "joint"))
                 : mb_reading_add_free(r, i, b);
}

// ---- the scene --------------------------------------------------------------------------------------------

bool mb_rig_of_scene(const MbScene *scene, const MbModel *model, const MbRigAsk *ask, MbRig *rig,
                     MbReport *report) {
  MbReading r = {.spec = &scene->spec,
                 .model = model,
                 .rig = rig,
                 .planes = ask->planes,
                 .directory = ask->directory,
                 .q = ask->q,
                 .v = ask->v,
                 .report = report};
  const char *slash = strrchr(scene->name, '/');
  rig->format = "scene";
  rig->source = mb_reading_format(&r, "%s", slash ? slash + 1 : scene->name);
  rig->name = mb_reading_format(&r, "%s", scene->spec.name ? scene->spec.name : "");
  memcpy(rig->gravity, scene->spec.gravity, sizeof rig->gravity);
  rig->step = scene->spec.time.step;
  rig->contact = scene->spec.contact && scene->spec.contact->enabled;
  if (scene->spec.ndeformables)
    mb_reading_unfit(&r, "/deformables", "a model has rigid bodies alone: deformables do not fit");
  MbJsonElements elements = mb_json_elements(cJSON_GetObjectItemCaseSensitive(scene->resolved, "bodies"));
  bool fine = true;
  for (size_t i = 0; i < scene->spec.nbodies && fine; i++)
    fine = read_body(&r, i, mb_json_next_element(&elements));
  if (elements.failed) fine = mb_reading_no_memory(&r);
  mb_json_leave_elements(&elements);
  for (size_t i = 0; i < scene->spec.nconstraints && fine; i++) fine = mb_reading_add_constraint(&r, i);
  for (size_t i = 0; i < scene->spec.nforces && fine; i++) fine = mb_reading_add_force(&r, i);
  fine = fine && mb_reading_add_contact(&r);
  return fine && !r.status;
}
