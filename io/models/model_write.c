#include "io/models/model_write.h"
#include "core/base/alloc.h"
#include "core/math/quat.h"
#include "core/model/model.h"
#include "io/models/door.h"
#include "io/models/models.h"
#include "io/models/scene_rig.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEG = 3.14159265358979323846 / 180, PI = 3.14159265358979323846;

void mb_model_unfit(MbModelWriter *w, const char *where, const char *format, ...) {
  char text[400];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  const MbStatus status = mb_error(w->report, MB_SCENE, where ? where : "", "%s", text);
  if (!w->status) w->status = status;
}

const char *mb_model_format(MbModelWriter *w, const char *format, ...) {
  char text[4096];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  const char *copy = mb_arena_strdup(&w->rig->arena, text);
  if (!copy && !w->status) w->status = mb_no_memory(w->report, "a model");
  return copy ? copy : "";
}

const char *mb_model_file(MbModelWriter *w, const char *file) {
  char out[4096];
  mb_rig_relative(file, w->folder, out, sizeof out);
  return mb_model_format(w, "%s", out);
}

// ---- the tree ---------------------------------------------------------------------------------------------

// Children of a body keep the rig's order.
bool mb_model_order(MbModelWriter *w) {
  const MbRig *rig = w->rig;
  const size_t n = rig->nbodies;
  MbArena *arena = &w->rig->arena;
  size_t *first = mb_arena_alloc(arena, n + 1, sizeof *first),
         *next = mb_arena_alloc(arena, n + 1, sizeof *next);
  w->order = mb_arena_alloc(arena, n + 1, sizeof *w->order);
  w->depth = mb_arena_alloc(arena, n + 1, sizeof *w->depth);
  if (!first || !next || !w->order || !w->depth) {
    w->status = mb_no_memory(w->report, "a model");
    return false;
  }
  for (size_t b = 0; b <= n; b++) first[b] = SIZE_MAX;
  for (size_t b = n; b-- > 0;) {
    const size_t parent = rig->body[b].parent == MB_RIG_WORLD ? n : rig->body[b].parent;
    next[b] = first[parent], first[parent] = b;
  }
  size_t at = first[n], count = 0;
  for (int depth = 0; at != SIZE_MAX;) {
    w->order[count] = at, w->depth[count++] = depth;
    if (first[at] != SIZE_MAX) {
      at = first[at], depth++;
      continue;
    }
    while (next[at] == SIZE_MAX && rig->body[at].parent != MB_RIG_WORLD) at = rig->body[at].parent, depth--;
    at = next[at];
  }
  return true;
}

// ---- angles -----------------------------------------------------------------------------------------------

bool mb_angle_is_round(double x, double *degrees) {
  *degrees = rint(x / DEG * 100) / 100;
  return fabs(*degrees * DEG - x) <= 1e-15 + 4e-16 * fabs(x);
}

double mb_angle_tidy(double x) {
  double degrees;
  char text[32];
  if (fabs(x) < 1e-15) return 0;
  if (mb_angle_is_round(x, &degrees)) return degrees * DEG;
  snprintf(text, sizeof text, "%.12g", x);
  const double round = strtod(text, NULL);
  return fabs(round - x) <= 1e-15 ? round : x;
}

static bool is_nice(double x) {
  double degrees;
  char text[32];
  snprintf(text, sizeof text, "%.9g", x);
  return mb_angle_is_round(x, &degrees) || strtod(text, NULL) == x;
}

// q = q_z(c) q_y(b) q_x(a):  (w + y, x − z) = (cos b/2 + sin b/2) (cos, sin)((a − c)/2),
//                            (w − y, x + z) = (cos b/2 − sin b/2) (cos, sin)((a + c)/2)
void mb_turn_zyx(const double q[4], double angles[3], bool *nice) {
  const double more = hypot(q[0] + q[2], q[1] - q[3]), less = hypot(q[0] - q[2], q[1] + q[3]);
  double difference = atan2(q[1] - q[3], q[0] + q[2]), sum = atan2(q[1] + q[3], q[0] - q[2]);
  if (less < 1e-15) sum = difference; // z turns as x does: one of them is enough
  if (more < 1e-15) difference = sum;
  const double out[3] = {sum - difference, 2 * atan2(more, less) - PI / 2, sum + difference};
  *nice = true;
  for (int i = 0; i < 3; i++) {
    angles[i] = mb_angle_tidy(remainder(out[i], 2 * PI));
    *nice &= is_nice(angles[i]);
  }
}

// Backwards it is a turn the other way about z, y, x.
void mb_turn_xyz(const double q[4], double angles[3], bool *nice) {
  double back[4], zyx[3];
  mb_quat_conj(back, q);
  mb_turn_zyx(back, zyx, nice);
  for (int i = 0; i < 3; i++) angles[i] = zyx[2 - i] == 0 ? 0 : -zyx[2 - i];
}

// ---- the interface ----------------------------------------------------------------------------------------

const char *const mb_model_formats[MB_MODEL_FORMATS + 1] = {"mjcf", "urdf", NULL};

// Coordinates and velocities of the start, in one list.
static MbStatus find_start(const MbModel *model, MbArena *arena, MbRigAsk *ask, MbReport *report) {
  MbSim *sim = NULL;
  size_t nq = 0, nv = 0;
  MbStatus status = mb_sim_create(model, NULL, &sim, report);
  if (status) return status;
  mb_model_coordinates(model, mb_model_bodies(model), &nq),
      mb_model_velocities(model, mb_model_bodies(model), &nv);
  double *q = mb_arena_alloc(arena, nq + nv + 1, sizeof *q);
  if (q)
    mb_sim_get(sim, q, q + nq);
  else
    status = mb_no_memory(report, "a model");
  mb_sim_free(sim);
  ask->q = q, ask->v = q ? q + nq : NULL;
  return status;
}

MbStatus mb_model_export(const MbScene *scene, MbModelFormat format, const char *directory,
                         const char *folder, char **text, MbReport *report) {
  MbRig rig = {0};
  MbModel *model = NULL;
  MbModelWriter w = {.rig = &rig, .folder = folder, .report = report};
  MbRigAsk ask = {.directory = directory, .planes = format == MB_MODEL_URDF};
  *text = NULL;
  w.status = mb_model_create(scene, &model, report);
  if (!w.status) w.status = find_start(model, &rig.arena, &ask, report);
  if (!w.status && !mb_rig_of_scene(scene, model, &ask, &rig, report)) w.status = MB_SCENE;
  // what the format cannot say is listed together with what no format can
  const bool read = model && rig.nbodies == scene->spec.nbodies;
  if (read && mb_model_order(&w)) {
    if (format == MB_MODEL_URDF)
      mb_urdf_write(&w);
    else
      mb_mjcf_write(&w);
  }
  *text = mb_text_take(&w.xml.text);
  if (!w.status && !*text) w.status = mb_no_memory(report, "a model");
  if (w.status) {
    mb_free(*text);
    *text = NULL;
  }
  mb_scene_locate(scene, report);
  mb_model_free(model);
  mb_rig_free(&rig);
  return w.status;
}
