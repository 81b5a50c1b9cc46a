// What reading URDF and MJCF has in common: errors and notes with places, numbers of attributes, the table of elements.
#include "io/models/door.h"
#include "core/base/alloc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

bool mb_door_error(MbDoor *door, MbXmlPlace at, const char *format, ...) {
  char text[560];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  mb_xml_error(door->report, MB_SCENE, at, "%s", text);
  if (!door->status) door->status = MB_SCENE;
  return false;
}

bool mb_door_no_memory(MbDoor *door) {
  const MbStatus status = mb_no_memory(door->report, "a model");
  if (!door->status) door->status = status;
  return false;
}

char *mb_door_format(MbDoor *door, const char *format, ...) {
  static char none[1];
  char text[4096];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  char *copy = mb_arena_strdup(&door->rig.arena, text);
  if (!copy) mb_door_no_memory(door);
  return copy ? copy : none;
}

void mb_door_note(MbDoor *door, MbXmlPlace at, bool loss, const char *format, ...) {
  char text[400];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  MbModelNotes *notes = door->notes;
  const size_t known = mb_rig_names_find(&notes->index, text);
  if (known != MB_RIG_NO_NAME) {
    notes->note[known].count++;
    return;
  }
  size_t before = 0;
  const char *copy = mb_arena_strdup(&notes->arena, text),
             *file = at.file ? mb_arena_strdup(&notes->arena, at.file) : "";
  if (!copy || !file || !mb_grow(&notes->note, &notes->room, notes->n + 1, sizeof *notes->note) ||
      !mb_rig_names_put(&notes->index, copy, notes->n, &before)) {
    mb_door_no_memory(door);
    return;
  }
  at.file = file;
  notes->note[notes->n++] = (MbModelNote){.at = at, .loss = loss, .count = 1, .text = copy};
}

void mb_model_notes_free(MbModelNotes *notes) {
  mb_free(notes->note);
  mb_rig_names_free(&notes->index);
  mb_arena_free(&notes->arena);
  *notes = (MbModelNotes){0};
}

// ---- the table --------------------------------------------------------------------------------------------

// Whether a row is of this element: by its name, or by its parent's and its own.
static int fit(const MbDoorRow *row, const MbXmlElement *e) {
  const char *slash = strchr(row->element, '/');
  if (!slash) return !strcmp(row->element, e->name) ? 1 : 0;
  const size_t n = (size_t)(slash - row->element);
  const char *parent = e->parent ? e->parent->name : "";
  return !strcmp(slash + 1, e->name) && strlen(parent) == n && !strncmp(parent, row->element, n) ? 2 : 0;
}

static bool lists(const char *names, const char *name) {
  const size_t n = strlen(name);
  for (const char *at = names; (at = strstr(at, name)); at += n)
    if ((at == names || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
  return false;
}

// The row of an attribute (NULL: of the element); NULL where nothing is known of it.
static const MbDoorRow *row_of(const MbDoor *door, const MbXmlElement *e, const char *attribute) {
  const MbDoorRow *found = NULL;
  int best = 0;
  for (const MbDoorRow *row = door->rows; row->element; row++) {
    const int how = fit(row, e);
    if (!how || (attribute != NULL) != (row->attributes != NULL)) continue;
    const bool all = attribute && !strcmp(row->attributes, "*");
    if (attribute && !all && !lists(row->attributes, attribute)) continue;
    const int rank = 2 * how + !all;
    if (rank > best) best = rank, found = row;
  }
  return found;
}

static void unknown_attribute(MbDoor *door, const MbXmlElement *e, const MbXmlAttribute *a) {
  char names[64][40];
  const char *words[65];
  size_t n = 0;
  for (const MbDoorRow *row = door->rows; row->element; row++)
    for (const char *at = row->attributes; fit(row, e) && at && *at && n < 64;) {
      const size_t length = strcspn(at, " ");
      snprintf(names[n], sizeof names[n], "%.*s", (int)length, at);
      words[n] = names[n];
      n++;
      at += length + strspn(at + length, " ");
    }
  words[n] = NULL;
  const char *near = mb_nearest_word(a->name, words);
  mb_door_error(door, a->at, "<%s> has no attribute \"%s\"%s%s%s", e->name, a->name,
                near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static void judge(MbDoor *door, const MbDoorRow *row, MbXmlPlace at, const char *element,
                  const char *attribute) {
  char name[120];
  snprintf(name, sizeof name, "%s%s<%s>", attribute ? attribute : "", attribute ? " of " : "", element);
  if (row->how == MB_DOOR_REFUSED)
    mb_door_error(door, at, "%s: %s", name, row->what);
  else if (row->how == MB_DOOR_LOST || row->how == MB_DOOR_LOOKS)
    mb_door_note(door, at, row->how == MB_DOOR_LOST, "%s: %s", name, row->what);
}

static void unknown_element(MbDoor *door, const MbXmlElement *e) {
  if (!strncmp(e->name, "xacro:", 6)) {
    mb_door_error(door, e->at, "<%s> is xacro: make a URDF of it first (xacro model.xacro > model.urdf)",
                  e->name);
    return;
  }
  if (door->open) {
    mb_door_note(door, e->at, true, "<%s> in <%s>: not known here, left out with all in it", e->name,
                 e->parent ? e->parent->name : "");
    return;
  }
  const char *words[128];
  size_t n = 0;
  for (const MbDoorRow *row = door->rows; row->element && n < 127; row++)
    if (!row->attributes && !strchr(row->element, '/')) words[n++] = row->element;
  words[n] = NULL;
  const char *near = mb_nearest_word(e->name, words);
  mb_door_error(door, e->at, "<%s> in <%s> is not known%s%s%s", e->name, e->parent ? e->parent->name : "",
                near ? "; did you mean <" : "", near ? near : "", near ? ">?" : "");
}

void mb_door_check(MbDoor *door, const MbXmlElement *e) {
  const MbDoorRow *own = row_of(door, e, NULL);
  if (!own) {
    unknown_element(door, e);
    return;
  }
  judge(door, own, e->at, e->name, NULL);
  if (own->how == MB_DOOR_LOOKS || own->how == MB_DOOR_LOST || own->how == MB_DOOR_REFUSED) return;
  if (e->text) mb_door_note(door, e->at, true, "text in <%s>: left out", e->name);
  for (size_t i = 0; i < e->nattributes; i++) {
    const MbXmlAttribute *a = &e->attribute[i];
    if (!strncmp(a->name, "xmlns", 5)) continue;
    const MbDoorRow *row = row_of(door, e, a->name);
    if (row)
      judge(door, row, a->at, e->name, a->name);
    else if (door->open)
      mb_door_note(door, a->at, true, "%s of <%s>: not known here, left out", a->name, e->name);
    else
      unknown_attribute(door, e, a);
  }
  for (const MbXmlElement *c = e->first; c; c = c->next) mb_door_check(door, c);
}

// ---- values -----------------------------------------------------------------------------------------------

size_t mb_door_numbers(MbDoor *door, const MbXmlAttribute *a, double *out, size_t least, size_t most) {
  size_t n = 0;
  const char *at = a->value + strspn(a->value, " \t\r\n");
  while (*at) {
    char *end = NULL;
    const size_t length = strcspn(at, " \t\r\n");
    const double x = strtod(at, &end);
    if (end != at + length || !isfinite(x) || strpbrk(at, "xXpP") == at + 1) {
      mb_door_error(door, a->at, "%s: \"%.*s\" is no number", a->name, (int)(length < 40 ? length : 40), at);
      return 0;
    }
    if (n < most) out[n] = x;
    n++;
    at = end + strspn(end, " \t\r\n");
  }
  if (n >= least && n <= most) return n;
  if (least == most)
    mb_door_error(door, a->at, "%s: there are %zu numbers, %zu are wanted", a->name, n, most);
  else
    mb_door_error(door, a->at, "%s: there are %zu numbers, %zu to %zu are wanted", a->name, n, least, most);
  return 0;
}

double mb_door_number(MbDoor *door, const MbXmlAttribute *a, double absent) {
  double x = absent;
  if (a && !mb_door_numbers(door, a, &x, 1, 1)) return absent;
  return x;
}

bool mb_door_vector(MbDoor *door, const MbXmlAttribute *a, double *out, size_t n) {
  return !a || mb_door_numbers(door, a, out, n, n) == n;
}

bool mb_door_color(MbDoor *door, const MbXmlAttribute *a, double rgba[4]) {
  if (!mb_door_vector(door, a, rgba, 4)) return false;
  for (int i = 0; i < 4; i++) {
    if (!(rgba[i] >= 0 && rgba[i] <= 1))
      mb_door_note(door, a->at, false, "%s beyond 0 to 1: the nearest is taken", a->name);
    rgba[i] = rgba[i] > 1 ? 1 : rgba[i] > 0 ? rgba[i] : 0; // no negative zeros
  }
  return true;
}

bool mb_door_flag(MbDoor *door, const MbXmlAttribute *a, bool absent) {
  static const char *const words[] = {"false", "true", NULL};
  if (!a) return absent;
  return mb_door_word(door, a, words) == 1;
}

const char *mb_door_name(MbDoor *door, const MbXmlElement *e, const char *name) {
  const MbXmlAttribute *a = mb_xml_attribute(e, name);
  if (a && *a->value) return a->value;
  mb_door_error(door, a ? a->at : e->at, "<%s> needs \"%s\"", e->name, name);
  return NULL;
}

int mb_door_word(MbDoor *door, const MbXmlAttribute *a, const char *const *words) {
  char all[200] = "";
  for (int i = 0; words[i]; i++) {
    if (!strcmp(words[i], a->value)) return i;
    const size_t n = strlen(all);
    snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", words[i]);
  }
  mb_door_error(door, a->at, "%s is \"%.60s\": one of %s is wanted", a->name, a->value, all);
  return -1;
}

// ---- meshes -----------------------------------------------------------------------------------------------

// package://NAME/rest: in a folder whose last part is NAME, or that has a folder NAME.
static const char *in_packages(MbDoor *door, const char *file) {
  const char *rest = strchr(file, '/');
  const size_t n = rest ? (size_t)(rest - file) : strlen(file);
  if (!rest) return NULL;
  for (size_t i = 0; i < door->options->npackages; i++) {
    const char *folder = door->options->packages[i];
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    const char *path = mb_door_format(door, "%.*s/%s", (int)length, folder, file);
    if (!access(path, R_OK)) return path;
    if (length >= n && !strncmp(folder + length - n, file, n) &&
        (length == n || folder[length - n - 1] == '/')) {
      path = mb_door_format(door, "%.*s%s", (int)length, folder, rest);
      if (!access(path, R_OK)) return path;
    }
  }
  return NULL;
}

static bool ends(const char *path, const char *ending) {
  const size_t n = strlen(path), m = strlen(ending);
  return n >= m && !strcasecmp(path + n - m, ending);
}

const char *mb_door_mesh(MbDoor *door, MbXmlPlace at, const char *folder, const char *file, MbDoorMesh use,
                         bool *left_out) {
  const char *path = NULL;
  *left_out = false;
  if (!strncmp(file, "package://", 10)) {
    path = in_packages(door, file + 10);
    if (!path) {
      mb_door_error(door, at, "%s: no such file below the folders of --package-path%s", file,
                    door->options->npackages ? "" : ", of which none is given");
      return NULL;
    }
  } else {
    if (!strncmp(file, "file://", 7)) file += 7;
    path = *file == '/' || !*folder ? file : mb_door_format(door, "%s/%s", folder, file);
    if (access(path, R_OK)) {
      mb_door_error(door, at, "the mesh %s cannot be read: %s", path, strerror(errno));
      return NULL;
    }
  }
  if (ends(path, ".stl") || ends(path, ".obj") || ends(path, ".ply")) return path;
  *left_out = use != MB_DOOR_MESH_COLLIDES;
  if (*left_out)
    mb_door_note(door, at, use != MB_DOOR_MESH_SEEN,
                 "mesh %s is no .stl, .obj or .ply: left out; convert it to .obj", file);
  else
    mb_door_error(door, at, "mesh %s collides, and is no .stl, .obj or .ply: convert it to .obj", file);
  return NULL;
}
