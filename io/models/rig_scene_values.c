// Values in the text of a scene that is made of a rig, as people write them: numbers, angles, frames and comments, and the members of JSON
// that hold them.
#include "io/json/number_text.h"
#include "io/models/rig_scene.h"

#include <stdio.h>
#include <string.h>

static const double DEG = 3.14159265358979323846 / 180;

// ---- building ---------------------------------------------------------------------------------------------

// Whether memory has run out since the scene was begun: then nothing of it counts.
static _Thread_local __attribute__((tls_model("initial-exec"))) bool lost; // as a shared library may have it

void mb_rig_begin_scene(void) { lost = false; }
bool mb_rig_scene_is_lost(void) { return lost; }

bool mb_rig_put(cJSON *to, const char *key, cJSON *value) {
  const bool fine = cJSON_AddItemToObject(to, key, value);
  if (!fine) cJSON_Delete(value);
  lost |= !fine;
  return fine;
}
void mb_rig_push(cJSON *to, cJSON *value) {
  if (cJSON_AddItemToArray(to, value)) return;
  cJSON_Delete(value);
  lost = true;
}
void mb_rig_put_text(cJSON *to, const char *key, const char *text) {
  mb_rig_put(to, key, cJSON_CreateString(text));
}
void mb_rig_put_number(cJSON *to, const char *key, double x) { mb_rig_put(to, key, cJSON_CreateNumber(x)); }
cJSON *mb_rig_put_object(cJSON *to, const char *key) {
  cJSON *object = cJSON_CreateObject();
  return mb_rig_put(to, key, object) ? object : NULL;
}
cJSON *mb_rig_put_list(cJSON *to, const char *key) {
  cJSON *list = cJSON_CreateArray();
  return mb_rig_put(to, key, list) ? list : NULL;
}

// ---- values -----------------------------------------------------------------------------------------------

// "=30*deg" where that is the angle, to the last digit but one.
static cJSON *angle(double x) {
  static const double parts[] = {1, 2, 10, 100};
  for (size_t i = 0; x != 0 && i < sizeof parts / sizeof *parts; i++) {
    const double k = rint(x / DEG * parts[i]) / parts[i];
    if (k == 0 || fabs(k) > 3600 || fabs(k * DEG - x) > 3e-16 * fabs(x)) continue;
    char text[64], number[MB_NUMBER_TEXT];
    snprintf(text, sizeof text, "=%s*deg", mb_number_text(k, number));
    return cJSON_CreateString(text);
  }
  return cJSON_CreateNumber(x == 0 ? 0 : x);
}

cJSON *mb_rig_say_length(double x) { return cJSON_CreateNumber(x == 0 ? 0 : x); }
cJSON *mb_rig_say_coordinate(double x, bool turns) { return turns ? angle(x) : mb_rig_say_length(x); }

cJSON *mb_rig_say_numbers(const double *x, int n) {
  cJSON *list = cJSON_CreateArray();
  for (int i = 0; i < n; i++) mb_rig_push(list, mb_rig_say_length(x[i]));
  return list;
}

bool mb_rig_are_zero(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != 0) return false;
  return true;
}

static cJSON *about(int axis, double x) {
  cJSON *turn = cJSON_CreateObject();
  const double v[3] = {axis == 0, axis == 1, axis == 2};
  mb_rig_put(turn, "axis", mb_rig_say_numbers(v, 3));
  mb_rig_put(turn, "angle", angle(x));
  return turn;
}

// About one axis; three angles; or the quaternion.
static cJSON *rotation(const MbRigFrame *f) {
  int turns = 0, only = 0;
  for (int i = 0; i < 3; i++)
    if (f->q[1 + i] != 0) turns++, only = i;
  if (f->order) {
    int given = 0, which = 0;
    for (int i = 0; i < 3; i++)
      if (f->angles[i] != 0) given++, which = i;
    if (given == 1) return about(f->order[which] - 'x', f->angles[which]);
    cJSON *euler = cJSON_CreateObject(), *list = cJSON_CreateArray();
    for (int i = 0; i < 3; i++) mb_rig_push(list, angle(f->angles[i]));
    mb_rig_put_text(euler, "euler", f->order);
    mb_rig_put(euler, "angles", list);
    return euler;
  }
  if (turns == 1) return about(only, 2 * atan2(f->q[1 + only], f->q[0]));
  return mb_rig_say_numbers(f->q, 4);
}

// NULL: it changes nothing
static cJSON *frame(const MbRigFrame *f) {
  const bool still = mb_rig_are_zero(f->q + 1, 3);
  if (still && mb_rig_are_zero(f->p, 3)) return NULL;
  cJSON *out = cJSON_CreateObject();
  if (!mb_rig_are_zero(f->p, 3)) mb_rig_put(out, "position", mb_rig_say_numbers(f->p, 3));
  if (!still) mb_rig_put(out, "rotation", rotation(f));
  return out;
}

void mb_rig_put_frame(cJSON *to, const char *key, const MbRigFrame *f) {
  cJSON *value = frame(f);
  if (value) mb_rig_put(to, key, value);
}

void mb_rig_put_comment(cJSON *to, MbXmlPlace at, const char *more) {
  const char *slash = at.file ? strrchr(at.file, '/') : NULL;
  char text[400];
  snprintf(text, sizeof text, "%s:%d%s%s",
           slash     ? slash + 1
           : at.file ? at.file
                     : "",
           at.line, more ? "; " : "", more ? more : "");
  mb_rig_put_text(to, "_", text);
}

const char *mb_rig_body_name(const MbRig *rig, size_t b) {
  return b == MB_RIG_WORLD ? "world" : rig->body[b].name;
}
