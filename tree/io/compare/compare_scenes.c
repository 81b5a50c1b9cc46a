// Where the scenes differ that two trajectories hold, and whether they are of one mechanism at all.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/compare/compare_parts.h"
#include "io/json/json_text.h"

#include <stdio.h>
#include <string.h>

enum { POINTER = 512, VALUE = 120 }; // bytes of a pointer, and of a value's text, that are told

// What is no part of a scene's meaning: comments, and the schema that an editor uses.
static bool is_aside(const char *key) { return key[0] == '_' || key[0] == '$'; }

// ---- differences ------------------------------------------------------------------------------------------

// The value as JSON, cut where it is long; NULL: out of memory.
static const char *value_text(MbCompare *c, const cJSON *value) {
  MbText text = {0};
  mb_text_json(&text, value);
  char *whole = mb_text_take(&text);
  if (!whole) return NULL;
  const size_t length = strlen(whole), kept = mb_text_cut(whole, VALUE);
  char *copy = mb_arena_alloc(c->arena, kept + 4, 1);
  if (copy) {
    memcpy(copy, whole, kept);
    strcpy(copy + kept, kept < length ? "..." : "");
  }
  mb_free(whole);
  return copy;
}

// Values of one place; NULL where it is not there.
static MbStatus add_difference(MbCompare *c, const char *pointer, const cJSON *a, const cJSON *b) {
  MbCompareResult *r = c->result;
  if (!r->scene && !(r->scene = mb_arena_alloc(c->arena, MB_SCENE_DIFFERENCES, sizeof *r->scene)))
    return mb_no_memory(c->report, "the comparison");
  if (r->nscene++ >= MB_SCENE_DIFFERENCES) return MB_OK; // counted only
  MbSceneDifference *d = &r->scene[r->nscene - 1];
  d->pointer = mb_arena_strdup(c->arena, pointer);
  d->a = a ? value_text(c, a) : NULL, d->b = b ? value_text(c, b) : NULL;
  const bool fine = d->pointer && (!a || d->a) && (!b || d->b);
  return fine ? MB_OK : mb_no_memory(c->report, "the comparison");
}

// `into` ← pointer/key, with ~ and / of the key as JSON pointers have them
static void descend(const char *pointer, const char *key, char into[POINTER]) {
  size_t n = (size_t)snprintf(into, POINTER, "%s/", pointer);
  for (; *key && n + 3 < POINTER; key++) {
    if (*key == '~' || *key == '/') into[n++] = '~';
    into[n++] = *key == '~' ? '0' : *key == '/' ? '1' : *key;
  }
  if (n < POINTER) into[n] = 0;
}

static MbStatus walk(MbCompare *c, const char *pointer, const cJSON *a, const cJSON *b);

static MbStatus walk_objects(MbCompare *c, const char *pointer, const cJSON *a, const cJSON *b) {
  MbStatus status = MB_OK;
  char inner[POINTER];
  for (const cJSON *x = a->child; x && status == MB_OK; x = x->next) {
    if (is_aside(x->string)) continue;
    descend(pointer, x->string, inner);
    const cJSON *y = cJSON_GetObjectItemCaseSensitive(b, x->string);
    status = y ? walk(c, inner, x, y) : add_difference(c, inner, x, NULL);
  }
  for (const cJSON *y = b->child; y && status == MB_OK; y = y->next) {
    if (is_aside(y->string) || cJSON_GetObjectItemCaseSensitive(a, y->string)) continue;
    descend(pointer, y->string, inner);
    status = add_difference(c, inner, NULL, y);
  }
  return status;
}

static const char *name_of(const cJSON *value) {
  return cJSON_IsObject(value) ? cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(value, "name")) : NULL;
}

// An element of that name, or of that place where x has none.
static const cJSON *like(const cJSON *x, size_t place, const cJSON *list) {
  const char *name = name_of(x);
  size_t i = 0;
  for (const cJSON *y = list->child; y; y = y->next, i++) {
    const char *other = name_of(y);
    if (name ? other && !strcmp(name, other) : i == place && !other) return y;
  }
  return NULL;
}

// Elements with names are matched by these, the others by their places.
static MbStatus walk_lists(MbCompare *c, const char *pointer, const cJSON *a, const cJSON *b) {
  MbStatus status = MB_OK;
  char inner[POINTER];
  for (int side = 0; side < 2; side++) {
    const cJSON *own = side ? b : a, *other = side ? a : b;
    size_t i = 0;
    for (const cJSON *x = own->child; x && status == MB_OK; x = x->next, i++) {
      const cJSON *y = like(x, i, other);
      snprintf(inner, sizeof inner, "%s/%zu", pointer, i);
      if (y && !side) status = walk(c, inner, x, y);
      if (!y) status = add_difference(c, inner, side ? NULL : x, side ? x : NULL);
    }
  }
  return status;
}

static MbStatus walk(MbCompare *c, const char *pointer, const cJSON *a, const cJSON *b) {
  if (cJSON_IsObject(a) && cJSON_IsObject(b)) return walk_objects(c, pointer, a, b);
  if (cJSON_IsArray(a) && cJSON_IsArray(b)) return walk_lists(c, pointer, a, b);
  return cJSON_Compare(a, b, true) ? MB_OK : add_difference(c, pointer, a, b);
}

// ---- relation ---------------------------------------------------------------------------------------------

// Whether the lists of this kind have names, and whether the two have one in common.
static void look_for_names(const cJSON *a, const cJSON *b, const char *kind, bool named[2], bool *common) {
  const cJSON *list[2] = {cJSON_GetObjectItemCaseSensitive(a, kind),
                          cJSON_GetObjectItemCaseSensitive(b, kind)};
  for (int side = 0; side < 2; side++) {
    size_t i = 0;
    for (const cJSON *x = list[side] ? list[side]->child : NULL; x; x = x->next, i++) {
      const char *name = name_of(x);
      named[side] = true;
      // one without a name could be any
      *common |= !name || (list[1 - side] && like(x, i, list[1 - side]));
    }
  }
}

static MbStatus relate(MbCompare *c, const cJSON *a, const cJSON *b) {
  bool named[2] = {false, false}, common = false;
  look_for_names(a, b, "bodies", named, &common);
  look_for_names(a, b, "deformables", named, &common);
  if (common || !named[0] || !named[1]) return MB_OK;
  return mb_error(
      c->report, MB_USAGE, "",
      "%s and %s are of unrelated scenes: no body and no deformable of one has a name that the other knows",
      mb_traj_path(c->a), mb_traj_path(c->b));
}

MbStatus mb_compare_scenes(MbCompare *c) {
  cJSON *a = cJSON_Parse(mb_traj_scene_json(c->a)), *b = cJSON_Parse(mb_traj_scene_json(c->b));
  MbStatus status =
      a && b ? MB_OK : mb_no_memory(c->report, "the scenes"); // opening has seen that they are JSON
  if (cJSON_IsObject(a) && cJSON_IsObject(b)) {
    status = relate(c, a, b);
    if (status == MB_OK) status = walk(c, "", a, b);
  }
  cJSON_Delete(a);
  cJSON_Delete(b);
  return status;
}
