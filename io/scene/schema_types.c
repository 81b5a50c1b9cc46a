// How a value of every type is read: numbers and lists of them; a row's value by its type.
#include "io/scene/schema_read.h"
#include "io/json/json_fold.h"
#include "core/base/arena.h"
#include "io/json/json_text.h"
#include "io/json/number_text.h"
#include "io/scene/scene_override.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- numbers ----------------------------------------------------------------------------------------------

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

// The parameters whose names are in a text, so that having many of them costs no time.
static size_t mentioned(const MbReader *r, const char *text, MbConstant *out, size_t most) {
  size_t n = 0;
  for (text += strcspn(text, letters); *text && n < most; text += strcspn(text, letters)) {
    const size_t length = strspn(text, more);
    const size_t i = mb_schema_names_find(&r->names[MB_PARAMETER_NAMES], text, length);
    bool twice = i == SIZE_MAX;
    for (size_t k = 0; k < n && !twice; k++) twice = out[k].name == r->constants[i].name;
    if (!twice) out[n++] = r->constants[i];
    text += length;
  }
  return n;
}

// Says so where a parameter uses itself or one that stands behind it.
static bool uses_later(MbReader *r, const char *text) {
  for (text += strcspn(text, letters); *text; text += strcspn(text, letters)) {
    const size_t length = strspn(text, more);
    for (const cJSON *p = r->parameter; p; p = p->next) {
      if (strlen(p->string) != length || memcmp(p->string, text, length)) continue;
      if (p == r->parameter)
        mb_reader_error(r, "the parameter \"%.63s\" uses itself", p->string);
      else
        mb_reader_error(r, "the parameter \"%.63s\" is used before it is there: move it before \"%.63s\"",
                        p->string, r->parameter->string);
      return true;
    }
    text += length;
  }
  return false;
}

MbExpression *mb_read_expression(MbReader *r, const cJSON *item, bool with_time) {
  enum { MOST = 64 };
  const char *const text = item->valuestring + 1;
  MbConstant few[MOST];
  char message[300] = "";
  const size_t n = mentioned(r, text, few, MOST);
  MbExpression *e = n < MOST ? mb_expression_create(text, few, n, with_time, message, sizeof message) : NULL;
  // with all of them: for the nearest name, or where very many are used
  if (!e && (mb_reader_listens(r) || n == MOST))
    e = mb_expression_create(text, r->constants, r->nconstants, with_time, message, sizeof message);
  if (e) return e;
  if (!strcmp(message, "out of memory"))
    mb_reader_no_memory(r);
  else if (!uses_later(r, text))
    mb_reader_unwanted(r, item, "an expression: %s", message);
  return NULL;
}

bool mb_read_number(MbReader *r, const cJSON *item, double *value) {
  if (cJSON_IsNumber(item)) {
    *value = item->valuedouble;
    return true;
  }
  if (!cJSON_IsString(item) || item->valuestring[0] != '=')
    return mb_reader_unwanted(r, item, "a number, or an expression in quotes as \"=2*pi\"");
  MbExpression *const e = mb_read_expression(r, item, false);
  if (!e) return false;
  *value = mb_expression_value(e, 0);
  mb_expression_free(e);
  if (!isfinite(*value))
    return mb_reader_unwanted(r, item, "an expression with a finite value, not %g", mb_plain(*value));
  return true;
}

void mb_schema_bounds(const MbSchemaRow *row, const char *noun, char *out, size_t size) {
  char lo[MB_NUMBER_TEXT], hi[MB_NUMBER_TEXT];
  mb_number_text(row->lo, lo);
  mb_number_text(row->hi, hi);
  switch (row->bound) {
  case MB_ABOVE:
    snprintf(out, size, "%s > %s", noun, lo);
    break;
  case MB_FROM:
    snprintf(out, size, "%s >= %s", noun, lo);
    break;
  case MB_BETWEEN:
    if (row->lo < row->hi)
      snprintf(out, size, "%s from %s to %s", noun, lo, hi);
    else
      snprintf(out, size, "%s", lo);
    break;
  case MB_NOT_ZERO:
    snprintf(out, size, "%s other than 0", noun);
    break;
  default:
    snprintf(out, size, "%s", noun);
  }
}

// " (m is set on the command line)" where an expression has a parameter for which that is so; else nothing.
static void say_overridden(const MbReader *r, const char *text, char *out, size_t size) {
  out[0] = 0;
  for (text += strcspn(text, letters); *text && !out[0]; text += strcspn(text, letters)) {
    const size_t length = strspn(text, more);
    char pointer[96];
    snprintf(pointer, sizeof pointer, "/parameters/%.*s", (int)(length < 64 ? length : 64), text);
    if (mb_scene_overridden(r->overridden, r->noverridden, pointer))
      snprintf(out, size, " (%s is set on the command line)", pointer + strlen("/parameters/"));
    text += length;
  }
}

static bool is_within(const MbSchemaRow *row, double value) {
  switch (row->bound) {
  case MB_ABOVE:
    return value > row->lo;
  case MB_FROM:
    return value >= row->lo;
  case MB_BETWEEN:
    return value >= row->lo && value <= row->hi;
  case MB_NOT_ZERO:
    return value != 0;
  default:
    return true;
  }
}

bool mb_read_bounds(MbReader *r, const MbSchemaRow *row, const cJSON *item, double value) {
  if (is_within(row, value)) return true;
  char wanted[100];
  mb_schema_bounds(row, "a number", wanted, sizeof wanted);
  if (cJSON_IsNumber(item)) return mb_reader_unwanted(r, item, "%s", wanted);
  char where[160];
  say_overridden(r, item->valuestring, where, sizeof where);
  return mb_reader_unwanted(r, item, "%s, not %.10g%s", wanted, value, where);
}

static bool read_whole(MbReader *r, const MbSchemaRow *row, const cJSON *item, double *value) {
  if (!mb_read_number(r, item, value)) return false;
  if (*value != floor(*value) || fabs(*value) > 9e15) return mb_reader_unwanted(r, item, "a whole number");
  return mb_read_bounds(r, row, item, *value);
}

static bool read_bounded(MbReader *r, const MbSchemaRow *row, const cJSON *item, double *value) {
  if (row->flags & MB_WHOLE) return read_whole(r, row, item, value);
  return mb_read_number(r, item, value) && mb_read_bounds(r, row, item, *value);
}

bool mb_read_numbers(MbReader *r, const MbSchemaRow *row, const cJSON *item, size_t n, double *out) {
  if (!cJSON_IsArray(item) || (size_t)cJSON_GetArraySize(item) != n)
    return mb_reader_unwanted(r, item, "a list of %zu numbers%s%s", n, row->form ? ": " : "",
                              row->form ? row->form : "");
  bool fine = true;
  size_t i = 0;
  for (const cJSON *number = item->child; number; number = number->next, i++) {
    const MbReaderPlace place = mb_reader_enter_index(r, i);
    fine = read_bounded(r, row, number, &out[i]) && fine;
    mb_reader_leave(r, place);
  }
  return fine;
}

bool mb_read_count(MbReader *r, const MbSchemaRow *row, const cJSON *item, const char *what) {
  const size_t n = (size_t)cJSON_GetArraySize(item);
  if (n >= row->least && !(row->most && n > row->most)) return true;
  if (row->least == row->most) return mb_reader_unwanted(r, item, "a list of %zu %s", row->least, what);
  if (row->least == 1 && !row->most) return mb_reader_unwanted(r, item, "a list of one or more %s", what);
  if (!row->most) return mb_reader_unwanted(r, item, "a list of at least %zu %s", row->least, what);
  return mb_reader_unwanted(r, item, "a list of %zu to %zu %s", row->least, row->most, what);
}

static bool read_sequence(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base) {
  if (row->object && cJSON_IsObject(item)) {
    void *const object = mb_read_place_apart(r, row->object, (char *)base + row->extra);
    return object && mb_read_object(r, row->object, item, object);
  }
  const bool single = row->flags & MB_SINGLE && !cJSON_IsArray(item);
  if (!single && (!cJSON_IsArray(item) || !item->child))
    return row->object
               ? mb_reader_unwanted(r, item, "a list of numbers, or an object (%s)", row->object->name)
               : mb_reader_unwanted(r, item, "a list of numbers");
  const size_t n = single ? 1 : (size_t)cJSON_GetArraySize(item);
  if (!single && !mb_read_count(r, row, item, "numbers")) return false;
  double *const out = mb_arena_alloc(r->arena, n, sizeof *out);
  if (!out) return mb_reader_no_memory(r);
  if (single ? !read_bounded(r, row, item, out) : !mb_read_numbers(r, row, item, n, out)) return false;
  memcpy((char *)base + row->offset, &out, sizeof out);
  memcpy((char *)base + row->count, &n, sizeof n);
  return true;
}

// Six lists of m rows of n numbers each, into a place of their own.
static bool read_grids(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *at) {
  if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 6 || !cJSON_IsArray(item->child) ||
      !item->child->child)
    return mb_reader_unwanted(r, item, "6 lists of rows of numbers: x, y, z, and the rotations about them");
  MbSurfaceSpec *const surface = mb_arena_alloc(r->arena, 1, sizeof *surface);
  if (!surface) return mb_reader_no_memory(r);
  memcpy(at, &surface, sizeof surface);
  surface->rows = (size_t)cJSON_GetArraySize(item->child);
  surface->columns = (size_t)cJSON_GetArraySize(item->child->child);
  bool fine = true;
  size_t k = 0;
  for (const cJSON *grid = item->child; grid && fine; grid = grid->next, k++) {
    const MbReaderPlace place = mb_reader_enter_index(r, k);
    double *const out = mb_arena_alloc(r->arena, surface->rows * surface->columns, sizeof *out);
    if (!out) return mb_reader_no_memory(r);
    if (!cJSON_IsArray(grid) || (size_t)cJSON_GetArraySize(grid) != surface->rows)
      fine = mb_reader_unwanted(r, grid, "a list of %zu rows, as in the first", surface->rows);
    size_t i = 0;
    for (const cJSON *line = fine ? grid->child : NULL; line && fine; line = line->next, i++) {
      const MbReaderPlace inner = mb_reader_enter_index(r, i);
      fine = mb_read_numbers(r, row, line, surface->columns, out + i * surface->columns);
      mb_reader_leave(r, inner);
    }
    surface->control[k] = out;
    mb_reader_leave(r, place);
  }
  return fine;
}

// Places, one after the other.
static bool read_points(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base) {
  if (!cJSON_IsArray(item) || !item->child)
    return mb_reader_unwanted(r, item, "a list of places: [[x, y, z], ...]");
  if (!mb_read_count(r, row, item, "places")) return false;
  const size_t n = (size_t)cJSON_GetArraySize(item);
  double *const out = mb_arena_alloc(r->arena, n, 3 * sizeof *out);
  if (!out) return mb_reader_no_memory(r);
  bool fine = true;
  size_t i = 0;
  for (const cJSON *place = item->child; place; place = place->next, i++) {
    const MbReaderPlace inner = mb_reader_enter_index(r, i);
    fine = mb_read_numbers(r, row, place, 3, out + 3 * i) && fine;
    mb_reader_leave(r, inner);
  }
  memcpy((char *)base + row->offset, &out, sizeof out);
  memcpy((char *)base + row->count, &n, sizeof n);
  return fine;
}

// The least and the greatest corner of a box.
static bool read_corners(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base) {
  double(*const corner)[3] = (void *)((char *)base + row->offset);
  if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 2)
    return mb_reader_unwanted(r, item, "two corners: [[x, y, z], [x, y, z]], the least and the greatest");
  *(bool *)((char *)base + row->extra) = true;
  bool fine = true;
  size_t i = 0;
  for (const cJSON *place = item->child; place; place = place->next, i++) {
    const MbReaderPlace inner = mb_reader_enter_index(r, i);
    fine = mb_read_numbers(r, row, place, 3, corner[i]) && fine;
    mb_reader_leave(r, inner);
  }
  for (int k = 0; k < 3 && fine; k++)
    if (corner[0][k] > corner[1][k])
      fine = mb_reader_error(r, "a box from %g to %g along %c: the first corner is the least", corner[0][k],
                             corner[1][k], 'x' + k);
  return fine;
}

// Opaque, unless a fourth number says how much.
static bool read_color(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *at) {
  const int n = cJSON_IsArray(item) ? cJSON_GetArraySize(item) : 0;
  if (n < 3 || n > 4)
    return mb_reader_unwanted(r, item, "a color: 3 or 4 numbers from 0 to 1, as [0.8, 0.2, 0.1]");
  double *const rgba = mb_arena_alloc(r->arena, 4, sizeof *rgba);
  if (!rgba) return mb_reader_no_memory(r);
  rgba[3] = 1;
  memcpy(at, &rgba, sizeof rgba);
  return mb_read_numbers(r, row, item, (size_t)n, rgba);
}

static bool read_direction(MbReader *r, const MbSchemaRow *row, const cJSON *item, double *out) {
  double v[3];
  if (!mb_read_numbers(r, row, item, 3, v)) return false;
  const double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
  if (!(largest > 0)) return mb_reader_error(r, "found [0, 0, 0], wanted a direction");
  // scaled first, so that nothing overflows; a unit vector stays as it is
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += v[i] / largest * (v[i] / largest);
  const double length = sqrt(sum);
  for (int i = 0; i < 3; i++) out[i] = v[i] / largest / length;
  return true;
}

static bool read_directions(MbReader *r, const MbSchemaRow *row, const cJSON *item, double (*out)[3]) {
  if (!cJSON_IsArray(item) || (size_t)cJSON_GetArraySize(item) != row->length)
    return mb_reader_unwanted(r, item, "a list of %zu directions", row->length);
  bool fine = true;
  size_t i = 0;
  for (const cJSON *one = item->child; one; one = one->next, i++) {
    const MbReaderPlace place = mb_reader_enter_index(r, i);
    fine = read_direction(r, row, one, out[i]) && fine;
    mb_reader_leave(r, place);
  }
  return fine;
}

// ---- one value by its row ---------------------------------------------------------------------------------

static bool read_signals(MbReader *r, const cJSON *item, MbSignalSpec *signals) {
  if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 3)
    return mb_reader_unwanted(r, item, "a list of 3 signals");
  bool fine = true;
  size_t i = 0;
  for (const cJSON *signal = item->child; signal; signal = signal->next, i++) {
    const MbReaderPlace place = mb_reader_enter_index(r, i);
    fine = mb_read_signal(r, signal, &signals[i]) && fine;
    mb_reader_leave(r, place);
  }
  return fine;
}

// One signal, or a list of them, in which null may stand for none.
static bool read_signal_list(MbReader *r, const MbSchemaRow *row, const cJSON *item, MbSignalsSpec *out) {
  const bool many = cJSON_IsArray(item);
  const size_t n = many ? (size_t)cJSON_GetArraySize(item) : 1;
  if (!n) return mb_reader_unwanted(r, item, "a signal, or a list of them");
  MbSignalSpec *const signal = mb_arena_alloc(r->arena, n, sizeof *signal);
  if (!signal) return mb_reader_no_memory(r);
  out->signal = signal;
  out->count = (uint32_t)n;
  out->list = many;
  if (!many) return mb_read_signal(r, item, signal);
  bool fine = true;
  size_t i = 0;
  for (const cJSON *element = item->child; element; element = element->next, i++) {
    const MbReaderPlace place = mb_reader_enter_index(r, i);
    signal[i] = (MbSignalSpec){.kind = MB_SIGNAL_CONSTANT, .value = NAN};
    if (!(row->flags & MB_NULLS) || !cJSON_IsNull(element))
      fine = mb_read_signal(r, element, &signal[i]) && fine;
    mb_reader_leave(r, place);
  }
  return fine;
}

// [lo, hi], where null is open
static bool read_pair(MbReader *r, const MbSchemaRow *row, const cJSON *item, double pair[2]) {
  pair[0] = -INFINITY, pair[1] = INFINITY;
  if (cJSON_IsNull(item)) return true;
  if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 2)
    return mb_reader_unwanted(r, item, "a pair [lo, hi] of numbers, null where it is open");
  bool fine = true;
  size_t i = 0;
  for (const cJSON *number = item->child; number; number = number->next, i++) {
    const MbReaderPlace place = mb_reader_enter_index(r, i);
    if (!cJSON_IsNull(number)) fine = read_bounded(r, row, number, &pair[i]) && fine;
    mb_reader_leave(r, place);
  }
  return fine;
}

// One pair, or a list of pairs: a list whose elements are all lists or null, and not two nulls, which are a pair.
static bool read_limits(MbReader *r, const MbSchemaRow *row, const cJSON *item, MbLimitsSpec *out) {
  if (!cJSON_IsArray(item) || !item->child)
    return mb_reader_unwanted(r, item, "a pair [lo, hi], or a list of pairs");
  bool many = false;
  for (const cJSON *element = item->child; element; element = element->next) many |= cJSON_IsArray(element);
  const size_t n = many ? (size_t)cJSON_GetArraySize(item) : 1;
  double *const value = mb_arena_alloc(r->arena, n, 2 * sizeof *value);
  if (!value) return mb_reader_no_memory(r);
  out->value = value;
  out->count = n;
  if (!many) return read_pair(r, row, item, value);
  bool fine = true;
  size_t i = 0;
  for (const cJSON *pair = item->child; pair; pair = pair->next, i++) {
    const MbReaderPlace place = mb_reader_enter_index(r, i);
    fine = read_pair(r, row, pair, value + 2 * i) && fine;
    mb_reader_leave(r, place);
  }
  return fine;
}

// A list that is still text (io/json/json_fold.h) where none of objects is wanted.
static bool read_unfolded(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base) {
  cJSON *const tree = mb_json_read_folded(item);
  if (!tree) return mb_reader_no_memory(r);
  const bool fine = mb_read_row(r, row, tree, base);
  cJSON_Delete(tree);
  return fine;
}

bool mb_read_row(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base) {
  void *const at = (char *)base + row->offset;
  double value = 0;
  if (mb_json_is_folded(item) && row->type != MB_TYPE_LIST && row->type != MB_TYPE_ONE_OR_LIST)
    return read_unfolded(r, row, item, base);
  switch (row->type) {
  case MB_TYPE_VERSION:
    if (!cJSON_IsNumber(item)) return mb_reader_unwanted(r, item, "%g", row->lo);
    return read_whole(r, row, item, &value);
  case MB_TYPE_NUMBER:
    return read_bounded(r, row, item, at);
  case MB_TYPE_INTEGER:
    if (!read_whole(r, row, item, &value)) return false;
    *(int64_t *)at = (int64_t)value;
    return true;
  case MB_TYPE_COUNT:
    if (!read_whole(r, row, item, &value)) return false;
    *(int *)at = (int)value;
    return true;
  case MB_TYPE_BOOL:
    if (row->extra) *(bool *)((char *)base + row->extra) = true;
    if (!cJSON_IsBool(item)) return mb_reader_unwanted(r, item, "true or false");
    *(bool *)at = cJSON_IsTrue(item);
    return true;
  case MB_TYPE_TEXT:
    return (!row->words || mb_read_word(r, row, item, &(int){0})) && mb_read_text(r, item, at);
  case MB_TYPE_NAME:
    return mb_read_name(r, row, item, at);
  case MB_TYPE_REFERENCE:
    return mb_read_reference(r, row, item, at);
  case MB_TYPE_WORD:
    return mb_read_word(r, row, item, at);
  case MB_TYPE_WORDS:
    return mb_read_words(r, row, item, base);
  case MB_TYPE_NUMBERS:
    if (row->extra) *(bool *)((char *)base + row->extra) = true;
    return mb_read_numbers(r, row, item, row->length, at);
  case MB_TYPE_DIRECTION:
    return read_direction(r, row, item, at);
  case MB_TYPE_DIRECTIONS:
    return read_directions(r, row, item, at);
  case MB_TYPE_SEQUENCE:
    if (!read_sequence(r, row, item, base)) return false;
    if (row->flags & MB_START) mb_read_doubt_start(r, item, base);
    return true;
  case MB_TYPE_ROTATION:
    return mb_read_rotation(r, item, at);
  case MB_TYPE_SIGNAL:
    if (row->extra) *(bool *)((char *)base + row->extra) = true;
    return mb_read_signal(r, item, at);
  case MB_TYPE_SIGNALS:
    return read_signals(r, item, at);
  case MB_TYPE_SIGNAL_LIST:
    return read_signal_list(r, row, item, at);
  case MB_TYPE_LIMITS:
    return read_limits(r, row, item, at);
  case MB_TYPE_REFERENCES:
    return mb_read_references(r, row, item, at);
  case MB_TYPE_REFERENCE_LISTS:
    return mb_read_reference_lists(r, row, item, base);
  case MB_TYPE_OBJECT: {
    if (row->flags & MB_OR_BOOL && cJSON_IsBool(item))
      return cJSON_IsFalse(item) || mb_read_place_apart(r, row->object, at);
    if (row->extra) *(bool *)((char *)base + row->extra) = true;
    void *const object = row->flags & MB_APART ? mb_read_place_apart(r, row->object, at) : at;
    return object && mb_read_object(r, row->object, item, object);
  }
  case MB_TYPE_LIST:
  case MB_TYPE_ONE_OR_LIST:
    return mb_read_list(r, row, item, base);
  case MB_TYPE_PARAMETERS:
    return mb_read_parameters(r, row, item, base);
  case MB_TYPE_MAP:
    return mb_read_map(r, row, item, base);
  case MB_TYPE_ERROR:
    return mb_read_error(r, row, item, at);
  case MB_TYPE_MESH:
    return mb_read_mesh(r, row, item, base);
  case MB_TYPE_ELEMENTS:
    return mb_read_elements(r, item, base);
  case MB_TYPE_POINTS:
    return read_points(r, row, item, base);
  case MB_TYPE_CORNERS:
    return read_corners(r, row, item, base);
  case MB_TYPE_TEXTS:
  case MB_TYPE_VALUES:
    return mb_read_texts(r, row, item, base);
  case MB_TYPE_GRIDS:
    return read_grids(r, row, item, at);
  case MB_TYPE_COLOR:
    return read_color(r, row, item, at);
  case MB_TYPES:
    break;
  }
  return false;
}
