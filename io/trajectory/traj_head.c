// The HEAD record as JSON text, written and read: channels, lists, bounds of error, the scene.
#include "io/trajectory/traj_head.h"
#include "core/base/alloc.h"
#include "io/trajectory/traj_format.h"
#include "io/json/json_text.h"

#include <cjson/cJSON.h>
#include <math.h>

static const char *const quantity_words[MB_QUANTITIES] = {"pose",  "velocity", "acceleration",
                                                          "force", "energy",   "other"};

// ---- writing ----------------------------------------------------------------------------------------------

static bool same_names(const char *const *a, const char *const *b, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(a[i], b[i]) != 0) return false;
  return true;
}

uint32_t mb_head_version(const MbChannel *channels, size_t nchannels) {
  for (size_t i = 0; i < nchannels; i++)
    if (channels[i].list) return MB_TRAJ_VERSION_LISTS;
  return MB_TRAJ_VERSION;
}

double mb_head_field_bound(const MbTrajHead *head, const MbList *list, size_t field) {
  return field < list->keys || list->fields[field].words ? 0 : head->bound[list->fields[field].quantity];
}

static void write_list(MbText *t, const MbTrajHead *head, const MbList *list) {
  mb_text_format(t, ",\"list\":{\"keys\":%zu,\"fields\":[", list->keys);
  for (size_t k = 0; k < list->width; k++) {
    const MbField *f = &list->fields[k];
    mb_text_add(t, k ? ",{\"name\":" : "{\"name\":");
    mb_text_quoted(t, f->name);
    mb_text_add(t, ",\"unit\":");
    mb_text_quoted(t, f->unit ? f->unit : "");
    mb_text_format(t, ",\"quantity\":\"%s\",\"bound\":%.17g", quantity_words[f->quantity],
                   mb_head_field_bound(head, list, k));
    if (f->words) {
      mb_text_add(t, ",\"words\":");
      mb_text_list(t, f->words, f->nwords);
    }
    mb_text_add(t, "}");
  }
  mb_text_add(t, "]}");
}

static void write_channel(MbText *t, const MbTrajHead *head, const MbChannel *c) {
  const double bound = c->list ? 0 : head->bound[c->quantity]; // counts are exact
  mb_text_add(t, "{\"name\":");
  mb_text_quoted(t, c->name);
  mb_text_add(t, ",\"unit\":");
  mb_text_quoted(t, c->unit ? c->unit : "");
  mb_text_format(t, ",\"quantity\":\"%s\",\"rotation\":%s,\"unstable\":%s,\"items\":%zu,\"width\":%zu",
                 quantity_words[c->quantity], c->rotation ? "true" : "false", c->unstable ? "true" : "false",
                 c->items, c->width);
  mb_text_format(t, ",\"dtype\":\"f64\",\"mode\":\"%s\",\"bound\":%.17g", bound > 0 ? "bounded" : "lossless",
                 bound);
  if (c->items_names) {
    mb_text_add(t, ",\"items_names\":");
    if (c->items == head->nbodies && same_names(c->items_names, head->bodies, c->items))
      mb_text_add(t, "\"bodies\"");
    else
      mb_text_list(t, c->items_names, c->items);
  }
  if (c->component_names) {
    mb_text_add(t, ",\"component_names\":");
    mb_text_list(t, c->component_names, c->width);
  }
  for (size_t k = 0; k < c->nvectors; k++)
    mb_text_format(t, "%s%zu%s", k ? "," : ",\"vectors\":[", c->vectors[k], k + 1 < c->nvectors ? "" : "]");
  if (c->list) write_list(t, head, c->list);
  mb_text_add(t, "}");
}

static bool good_list(const MbChannel *c) {
  const MbList *list = c->list;
  if (!list) return true;
  if (c->items != 1 || c->width != 1 || !list->width || list->width > MB_TRAJ_FIELDS_MAX ||
      list->keys > list->width)
    return false;
  for (size_t k = 0; k < list->width; k++)
    if (!list->fields[k].name || (unsigned)list->fields[k].quantity >= MB_QUANTITIES) return false;
  return true;
}

// Refuses what could not be written or read back.
static MbStatus check_head(const MbTrajHead *head, MbReport *report) {
  if (head->nchannels > MB_TRAJ_CHANNELS_MAX || head->frame_size > MB_TRAJ_RAW_MAX / 8)
    return mb_error(report, MB_USAGE, "", "a trajectory holds at most %d channels and 1 GiB a frame",
                    MB_TRAJ_CHANNELS_MAX);
  if (!isfinite(head->constraint_bound) || !isfinite(head->constraint_patience))
    return mb_error(report, MB_USAGE, "", "what constraints are allowed must be finite");
  if (!isfinite(head->step)) return mb_error(report, MB_USAGE, "", "the step of a trajectory must be finite");
  size_t total = 0;
  for (size_t i = 0; i < head->nchannels; i++) {
    const MbChannel *c = &head->channels[i];
    size_t cols = 0, end = 0;
    if ((unsigned)c->quantity >= MB_QUANTITIES || !c->name || !good_list(c) ||
        __builtin_mul_overflow(c->items, c->width, &cols) || __builtin_add_overflow(cols, c->offset, &end) ||
        end > head->frame_size || __builtin_add_overflow(total, cols, &total) || total > MB_TRAJ_RAW_MAX / 8)
      return mb_error(report, MB_USAGE, "", "channel %zu of the trajectory does not lie within its frame", i);
    const double bound = head->bound[c->quantity];
    if (!(bound >= 0) || isinf(bound))
      return mb_error(report, MB_USAGE, "", "the error bound of channel %s must be finite and not negative",
                      c->name);
  }
  cJSON *scene = head->scene ? cJSON_Parse(head->scene) : NULL;
  if (head->scene && !scene) return mb_error(report, MB_USAGE, "", "the trajectory's scene is no JSON");
  cJSON_Delete(scene);
  return MB_OK;
}

MbStatus mb_head_write(const MbTrajHead *head, char **text, MbReport *report) {
  *text = NULL;
  const MbStatus status = check_head(head, report);
  if (status) return status;
  MbText t = {0};
  mb_text_format(&t, "{\"format\":\"mbt\",\"mbsim\":\"%s\",\"step\":%.17g,\"frames_per_chunk\":%d",
                 MB_VERSION, head->step, MB_TRAJ_CHUNK_FRAMES);
  if (head->constraint_bound > 0)
    mb_text_format(&t, ",\"constraint_bound\":%.17g,\"constraint_patience\":%.17g", head->constraint_bound,
                   head->constraint_patience);
  mb_text_add(&t, ",\"bodies\":");
  mb_text_list(&t, head->bodies, head->nbodies);
  mb_text_add(&t, ",\"channels\":[");
  for (size_t i = 0; i < head->nchannels; i++) {
    if (i) mb_text_add(&t, ",");
    write_channel(&t, head, &head->channels[i]);
  }
  mb_text_add(&t, "],\"scene\":");
  mb_text_add(&t, head->scene ? head->scene : "null");
  mb_text_add(&t, "}");
  if (!t.failed && t.length <= MB_TRAJ_TEXT_MAX) {
    *text = t.text;
    return MB_OK;
  }
  mb_free(t.text);
  if (t.failed) return mb_no_memory(report, "the head of the trajectory");
  return mb_error(
      report, MB_SCENE, "",
      "scene and names of channels take more than the 64 MiB that the head of a trajectory may have");
}

// ---- reading ----------------------------------------------------------------------------------------------

static bool get_size(const cJSON *object, const char *key, size_t *value) {
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);
  if (!cJSON_IsNumber(v) || !(v->valuedouble >= 0 && v->valuedouble <= 0x1p40)) return false;
  *value = (size_t)v->valuedouble;
  return (double)*value == v->valuedouble;
}

static const char *get_text(const cJSON *object, const char *key, MbArena *arena) {
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsString(v) ? mb_arena_strdup(arena, v->valuestring) : NULL;
}

// A number above 0; 0 where there is none.
static double get_above(const cJSON *object, const char *key) {
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNumber(v) && v->valuedouble > 0 ? v->valuedouble : 0;
}

static bool get_flag(const cJSON *object, const char *key) {
  return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, key));
}

// An array of strings; NULL when it is none or memory ran out.
static const char **get_names(const cJSON *array, size_t *count, MbArena *arena) {
  if (!cJSON_IsArray(array)) return NULL;
  *count = (size_t)cJSON_GetArraySize(array);
  const char **names = mb_arena_alloc(arena, *count + 1, sizeof *names);
  size_t i = 0;
  for (const cJSON *v = array->child; names && v; v = v->next, i++) {
    names[i] = cJSON_IsString(v) ? mb_arena_strdup(arena, v->valuestring) : NULL;
    if (!names[i]) return NULL;
  }
  return names;
}

static bool read_names(const cJSON *object, MbChannel *c, MbHeadInfo *info) {
  const cJSON *items = cJSON_GetObjectItemCaseSensitive(object, "items_names");
  const cJSON *parts = cJSON_GetObjectItemCaseSensitive(object, "component_names");
  size_t count = 0;
  if (cJSON_IsString(items)) {
    if (strcmp(items->valuestring, "bodies") != 0 || info->nbodies != c->items) return false;
    c->items_names = info->bodies;
  } else if (items) {
    c->items_names = get_names(items, &count, &info->arena);
    if (!c->items_names || count != c->items) return false;
  }
  if (parts) {
    c->component_names = get_names(parts, &count, &info->arena);
    if (!c->component_names || count != c->width) return false;
  }
  return true;
}

// Places of rotation vectors: they rise, and three numbers of each lie within the channel.
static bool read_vectors(const cJSON *object, MbChannel *c, MbHeadInfo *info) {
  const cJSON *places = cJSON_GetObjectItemCaseSensitive(object, "vectors");
  if (!places) return true;
  if (!cJSON_IsArray(places)) return false;
  size_t *vectors = mb_arena_alloc(&info->arena, (size_t)cJSON_GetArraySize(places), sizeof *vectors);
  double least = 0;
  c->vectors = vectors;
  for (const cJSON *p = places->child; vectors && p; p = p->next) {
    const double at = p->valuedouble;
    if (!cJSON_IsNumber(p) || !(at >= least) || at != floor(at) || at + 3 > (double)(c->items * c->width))
      return false;
    vectors[c->nvectors++] = (size_t)at;
    least = at + 3;
  }
  return vectors;
}

static MbQuantity read_quantity(const cJSON *object) {
  const cJSON *quantity = cJSON_GetObjectItemCaseSensitive(object, "quantity");
  for (int q = 0; q < MB_QUANTITIES; q++)
    if (cJSON_IsString(quantity) && !strcmp(quantity->valuestring, quantity_words[q])) return (MbQuantity)q;
  return MB_OTHER;
}

static bool read_bound(const cJSON *object, double *bound) {
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, "bound");
  if (!cJSON_IsNumber(v) || !(v->valuedouble >= 0)) return false;
  *bound = v->valuedouble;
  return true;
}

static bool read_field(const cJSON *object, MbHeadInfo *info, MbField *field, double *bound) {
  const cJSON *words = cJSON_GetObjectItemCaseSensitive(object, "words");
  *field = (MbField){.name = get_text(object, "name", &info->arena),
                     .unit = get_text(object, "unit", &info->arena),
                     .quantity = read_quantity(object)};
  if (!field->name || !field->unit || !read_bound(object, bound)) return false;
  if (words) field->words = get_names(words, &field->nwords, &info->arena);
  return !words || field->words;
}

static bool read_list(const cJSON *object, MbHeadInfo *info, size_t i) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, "list");
  const cJSON *fields = cJSON_GetObjectItemCaseSensitive(list, "fields");
  if (!list) return true;
  MbList *l = mb_arena_alloc(&info->arena, 1, sizeof *l);
  if (!l || !cJSON_IsArray(fields) || !get_size(list, "keys", &l->keys)) return false;
  l->width = (size_t)cJSON_GetArraySize(fields);
  MbField *field = mb_arena_alloc(&info->arena, l->width, sizeof *field);
  info->fields[i] = mb_arena_alloc(&info->arena, l->width, sizeof **info->fields);
  info->channels[i].list = l;
  l->fields = field;
  size_t k = 0;
  for (const cJSON *f = fields->child; f && field && info->fields[i]; f = f->next, k++)
    if (!read_field(f, info, &field[k], &info->fields[i][k])) return false;
  return k == l->width && good_list(&info->channels[i]);
}

static bool read_channel(const cJSON *object, MbHeadInfo *info, size_t i) {
  MbChannel *c = &info->channels[i];
  *c = (MbChannel){.name = get_text(object, "name", &info->arena),
                   .unit = get_text(object, "unit", &info->arena),
                   .quantity = read_quantity(object),
                   .rotation = get_flag(object, "rotation"),
                   .unstable = get_flag(object, "unstable"),
                   .offset = info->frame_size};
  if (!c->name || !c->unit || !get_size(object, "items", &c->items) || !get_size(object, "width", &c->width))
    return false;
  if (!read_bound(object, &info->bound[i])) return false;
  size_t cols = 0;
  if (__builtin_mul_overflow(c->items, c->width, &cols) || cols > MB_TRAJ_RAW_MAX / 8 - info->frame_size)
    return false;
  info->frame_size += cols;
  return read_names(object, c, info) && read_vectors(object, c, info) && read_list(object, info, i);
}

static bool read_tree(const cJSON *tree, MbHeadInfo *info, const char **why) {
  const cJSON *format = cJSON_GetObjectItemCaseSensitive(tree, "format");
  const cJSON *step = cJSON_GetObjectItemCaseSensitive(tree, "step");
  const cJSON *channels = cJSON_GetObjectItemCaseSensitive(tree, "channels");
  *why = "lacks members that it must have";
  if (!cJSON_IsString(format) || strcmp(format->valuestring, "mbt") != 0 || !cJSON_IsNumber(step) ||
      !cJSON_IsArray(channels))
    return false;
  info->step = step->valuedouble;
  info->constraint_bound = get_above(tree, "constraint_bound");
  info->constraint_patience = get_above(tree, "constraint_patience");
  info->bodies = get_names(cJSON_GetObjectItemCaseSensitive(tree, "bodies"), &info->nbodies, &info->arena);
  if (!info->bodies) return false;

  info->nchannels = (size_t)cJSON_GetArraySize(channels);
  if (info->nchannels > MB_TRAJ_CHANNELS_MAX) return *why = "has more channels than the format allows", false;
  info->channels = mb_arena_alloc(&info->arena, info->nchannels + 1, sizeof *info->channels);
  info->bound = mb_arena_alloc(&info->arena, info->nchannels + 1, sizeof *info->bound);
  info->fields = mb_arena_alloc(&info->arena, info->nchannels + 1, sizeof *info->fields);
  if (!info->channels || !info->bound || !info->fields) return *why = "does not fit in memory", false;
  *why = "describes a channel that makes no sense, or frames beyond 1 GiB";
  size_t i = 0;
  for (const cJSON *c = channels->child; c; c = c->next, i++)
    if (!read_channel(c, info, i)) return false;
  *why = "describes channels of another version of the format than the file's";
  return mb_head_version(info->channels, info->nchannels) == info->version;
}

bool mb_head_read(const char *text, size_t length, uint32_t version, MbHeadInfo *info, const char **why) {
  *info = (MbHeadInfo){.version = version};
  if (memchr(text, 0, length)) return *why = "is no JSON text", false;
  cJSON *tree = cJSON_ParseWithLength(text, length);
  if (!tree) return *why = "is no JSON text", false;
  bool good = read_tree(tree, info, why);
  cJSON_Delete(tree);
  if (good) {
    size_t n = 0;
    const char *scene = mb_json_slice(text, "scene", &n);
    info->text = mb_arena_strndup(&info->arena, text, length);
    info->scene = scene ? mb_arena_strndup(&info->arena, scene, n) : mb_arena_strdup(&info->arena, "null");
    good = info->text && info->scene;
    if (!good) *why = "does not fit in memory";
  }
  if (!good) mb_head_free(info);
  return good;
}

void mb_head_free(MbHeadInfo *info) {
  mb_arena_free(&info->arena);
  *info = (MbHeadInfo){0};
}
