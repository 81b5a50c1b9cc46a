// .ply: a text header that names elements and their properties, then their values as text or binary in either
// byte order. Used are x, y, z of "vertex" and the list vertex_indices (or vertex_index) of "face"; all else
// is stepped over.
#include "core/base/alloc.h"
#include "io/mesh/mesh_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ELEMENTS = 32, MAX_PROPERTIES = 256 };

typedef enum Format { TEXT, LITTLE, BIG } Format;
typedef enum Type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, TYPES } Type;
typedef enum Role { SKIPPED, X, Y, Z, CORNERS } Role;

static const size_t type_bytes[TYPES] = {1, 1, 2, 2, 4, 4, 4, 8};

typedef struct Property {
  Type type, count_type;
  bool list;
  Role role;
} Property;

typedef struct Element {
  MbToken name;
  size_t count, first, properties; // of the property list
  bool vertex, face;
} Element;

typedef struct Ply {
  MbMeshFile *file;
  Format format;
  size_t elements, properties;
  Element element[MAX_ELEMENTS];
  Property property[MAX_PROPERTIES];
  size_t vertices;   // that the header tells of
  MbScanner scanner; // header, and values of a text
  size_t at;         // next byte of binary values
} Ply;

// ---- header ----

static MbStatus unexpected(const Ply *p, const MbToken *found, const char *wanted) {
  char text[MB_FOUND];
  return mb_mesh_error_line(p->file, found->line, "found %s, wanted %s", mb_mesh_found(p->file, found, text),
                            wanted);
}

static bool parse_type(const MbToken *word, Type *type) {
  static const char *const words[TYPES][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                              {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                              {"float", "float32"}, {"double", "float64"}};
  for (int k = 0; k < TYPES; k++)
    if (mb_token_is(word, words[k][0]) || mb_token_is(word, words[k][1])) {
      *type = (Type)k;
      return true;
    }
  return false;
}

static MbStatus parse_format(Ply *p) {
  const MbToken word = mb_scan_word_of_line(&p->scanner);
  if (mb_token_is(&word, "ascii"))
    p->format = TEXT;
  else if (mb_token_is(&word, "binary_little_endian"))
    p->format = LITTLE;
  else if (mb_token_is(&word, "binary_big_endian"))
    p->format = BIG;
  else
    return unexpected(p, &word, "ascii, binary_little_endian or binary_big_endian");
  const MbToken version = mb_scan_word_of_line(&p->scanner);
  return mb_token_is(&version, "1.0") ? MB_OK : unexpected(p, &version, "version 1.0");
}

static MbStatus parse_element(Ply *p) {
  const MbToken name = mb_scan_word_of_line(&p->scanner), count = mb_scan_word_of_line(&p->scanner);
  double n = 0;
  if (!name.text) return unexpected(p, &name, "an element's name");
  if (!mb_token_number(&count, &n) || !(n >= 0 && n <= 9007199254740992.0 && n == floor(n)))
    return unexpected(p, &count, "a number of elements");
  if (p->elements == MAX_ELEMENTS)
    return mb_mesh_error_line(p->file, name.line, "more than %d kinds of elements", MAX_ELEMENTS);
  Element *e = &p->element[p->elements++];
  *e = (Element){.name = name, .count = (size_t)n, .first = p->properties};
  e->vertex = mb_token_is(&name, "vertex");
  e->face = mb_token_is(&name, "face");
  char text[MB_FOUND];
  for (const Element *before = p->element; before < e; before++)
    if ((e->vertex && before->vertex) || (e->face && before->face))
      return mb_mesh_error_line(p->file, name.line, "element %s for the second time",
                                mb_mesh_found(p->file, &name, text));
  if (e->vertex) p->vertices = e->count;
  return MB_OK;
}

static Role role_of(const Element *e, const MbToken *name) {
  if (e->vertex)
    return mb_token_is(name, "x") ? X : mb_token_is(name, "y") ? Y : mb_token_is(name, "z") ? Z : SKIPPED;
  if (e->face && (mb_token_is(name, "vertex_indices") || mb_token_is(name, "vertex_index"))) return CORNERS;
  return SKIPPED;
}

static MbStatus parse_property(Ply *p) {
  if (!p->elements)
    return mb_mesh_error_line(p->file, p->scanner.line, "a property before the first element");
  if (p->properties == MAX_PROPERTIES)
    return mb_mesh_error_line(p->file, p->scanner.line, "more than %d properties", MAX_PROPERTIES);
  Element *e = &p->element[p->elements - 1];
  Property *property = &p->property[p->properties];
  *property = (Property){0};
  MbToken word = mb_scan_word_of_line(&p->scanner);
  if (mb_token_is(&word, "list")) {
    property->list = true;
    word = mb_scan_word_of_line(&p->scanner);
    if (!parse_type(&word, &property->count_type) || property->count_type >= FLOAT32)
      return unexpected(p, &word, "an integer type for the length of a list");
    word = mb_scan_word_of_line(&p->scanner);
  }
  if (!parse_type(&word, &property->type)) return unexpected(p, &word, "a type, such as float or int32");
  const MbToken name = mb_scan_word_of_line(&p->scanner);
  if (!name.text) return unexpected(p, &name, "a property's name");
  property->role = role_of(e, &name);

  char text[MB_FOUND];
  if (property->role != SKIPPED && property->list != (property->role == CORNERS))
    return mb_mesh_error_line(p->file, name.line, "property %s must %sbe a list",
                              mb_mesh_found(p->file, &name, text), property->list ? "not " : "");
  if (property->role == CORNERS && property->type >= FLOAT32) return unexpected(p, &word, "an integer type");
  for (size_t k = e->first; k < p->properties; k++)
    if (property->role != SKIPPED && p->property[k].role == property->role)
      return mb_mesh_error_line(p->file, name.line, "property %s for the second time",
                                mb_mesh_found(p->file, &name, text));
  p->properties++, e->properties++;
  return MB_OK;
}

// That the properties are there that a mesh needs.
static MbStatus judge_header(const Ply *p) {
  bool has[CORNERS + 1] = {false};
  for (size_t k = 0; k < p->properties; k++) has[p->property[k].role] = true;
  if (has[X] && has[Y] && has[Z] && has[CORNERS]) return MB_OK;
  return mb_mesh_error_line(p->file, p->scanner.line, "the header ends without %s",
                            has[CORNERS]
                                ? "the properties x, y and z of an element vertex"
                                : "a property list vertex_indices (or vertex_index) of an element face");
}

static MbStatus parse_header(Ply *p) {
  MbScanner *s = &p->scanner;
  bool has_format = false;
  MbToken word = mb_scan_word_of_line(s);
  if (!mb_token_is(&word, "ply")) return unexpected(p, &word, "the word ply");
  p->file->known = true;
  for (;;) {
    mb_scan_line_end(s);
    if (s->at == s->end) return mb_mesh_error_line(p->file, s->line, "the file ends before end_header");
    word = mb_scan_word_of_line(s);
    if (mb_token_is(&word, "end_header")) break;
    MbStatus status = MB_OK;
    if (mb_token_is(&word, "format"))
      status = parse_format(p), has_format = true;
    else if (mb_token_is(&word, "element"))
      status = parse_element(p);
    else if (mb_token_is(&word, "property"))
      status = parse_property(p);
    else if (word.text && !mb_token_is(&word, "comment") && !mb_token_is(&word, "obj_info"))
      status = unexpected(p, &word, "format, element, property, comment or end_header");
    if (status) return status;
  }
  if (!has_format) return mb_mesh_error_line(p->file, word.line, "the header ends without a format");
  const MbStatus status = judge_header(p);
  mb_scan_line_end(s);
  p->at = (size_t)(s->at - p->file->data);
  return status;
}

// ---- values ----

static double decode(Type type, uint64_t bits) {
  float single;
  double number;
  const uint32_t low = (uint32_t)bits;
  switch (type) {
  case INT8:
    return (int8_t)(uint8_t)bits;
  case UINT8:
    return (uint8_t)bits;
  case INT16:
    return (int16_t)(uint16_t)bits;
  case UINT16:
    return (uint16_t)bits;
  case INT32:
    return (int32_t)low;
  case UINT32:
    return low;
  case FLOAT32:
    memcpy(&single, &low, sizeof single);
    return (double)single;
  case FLOAT64:
  case TYPES:
    memcpy(&number, &bits, sizeof number);
    return number;
  }
  return 0;
}

static MbStatus error_here(const Ply *p, const char *what, const Element *e, size_t index) {
  char text[MB_FOUND];
  const char *element = mb_mesh_found(p->file, &e->name, text);
  if (p->format == TEXT)
    return mb_mesh_error_line(p->file, p->scanner.line, "%s, in %s %zu", what, element, index + 1);
  return mb_mesh_error_byte(p->file, p->at, "%s, in %s %zu", what, element, index + 1);
}

// The next value; a binary one may be no finite number.
static MbStatus next_value(Ply *p, Type type, const Element *e, size_t index, double *value) {
  if (p->format == TEXT) {
    const MbToken word = mb_scan_word(&p->scanner);
    if (!word.text) return error_here(p, "the file ends", e, index);
    return mb_token_number(&word, value) ? MB_OK : unexpected(p, &word, "a finite number");
  }
  const size_t bytes = type_bytes[type];
  if (p->file->size - p->at < bytes) return error_here(p, "the file ends", e, index);
  const unsigned char *data = (const unsigned char *)p->file->data + p->at;
  uint64_t bits = 0;
  for (size_t k = 0; k < bytes; k++) bits |= (uint64_t)data[p->format == LITTLE ? k : bytes - 1 - k] << 8 * k;
  p->at += bytes;
  *value = decode(type, bits);
  return MB_OK;
}

static MbStatus step_over(Ply *p, Type type, size_t count, const Element *e, size_t index) {
  if (p->format != TEXT) {
    if ((p->file->size - p->at) / type_bytes[type] < count) return error_here(p, "the file ends", e, index);
    p->at += count * type_bytes[type];
    return MB_OK;
  }
  for (; count; count--)
    if (!mb_scan_word(&p->scanner).text) return error_here(p, "the file ends", e, index);
  return MB_OK;
}

static MbStatus read_corners(Ply *p, Type type, size_t count, const Element *e, size_t index) {
  if (count < 3) return error_here(p, "fewer than three corners", e, index);
  int32_t first = 0, before = 0;
  for (size_t k = 0; k < count; k++) {
    double value = 0;
    MbStatus status = next_value(p, type, e, index, &value);
    if (status) return status;
    if (!(value >= 0 && value < (double)p->vertices && value <= INT32_MAX && value == floor(value))) {
      char text[120];
      snprintf(text, sizeof text, "the corner %.15g does not exist (%zu vertices, counted from 0)", value,
               p->vertices);
      return error_here(p, text, e, index);
    }
    const int32_t corner = (int32_t)value;
    if (k >= 2) status = mb_mesh_add_triangle(p->file, first, before, corner);
    if (status) return status;
    if (k == 0) first = corner;
    before = corner;
  }
  return MB_OK;
}

static MbStatus read_item(Ply *p, const Element *e, size_t index) {
  double x[3] = {0, 0, 0};
  for (size_t k = e->first; k < e->first + e->properties; k++) {
    const Property *property = &p->property[k];
    MbStatus status = MB_OK;
    double value = 1;
    if (property->list) {
      status = next_value(p, property->count_type, e, index, &value);
      if (status) return status;
      if (!(value >= 0 && value <= (double)p->file->size && value == floor(value)))
        return error_here(p, "a list's length is wrong", e, index);
    }
    const size_t count = (size_t)value;
    if (property->role == CORNERS)
      status = read_corners(p, property->type, count, e, index);
    else if (property->role == SKIPPED)
      status = step_over(p, property->type, count, e, index);
    else
      status = next_value(p, property->type, e, index, &x[property->role - X]);
    if (status) return status;
  }
  if (!e->vertex) return MB_OK;
  if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
    return error_here(p, "a coordinate is not a finite number", e, index);
  return mb_mesh_add_vertex(p->file, x);
}

static MbStatus read_element(Ply *p, const Element *e) {
  if (!e->properties) return MB_OK; // nothing is written of it, however many there are

  // what is left must hold so many of the shortest
  size_t shortest = 0;
  for (size_t k = e->first; k < e->first + e->properties; k++)
    shortest += p->format == TEXT
                    ? 2
                    : type_bytes[p->property[k].list ? p->property[k].count_type : p->property[k].type];
  const size_t left =
      p->format == TEXT ? (size_t)(p->scanner.end - p->scanner.at) + 1 : p->file->size - p->at;
  char text[MB_FOUND];
  if (e->count > left / shortest)
    return mb_mesh_error_line(p->file, e->name.line,
                              "%zu of element %s do not fit into the file: %zu bytes are left for them",
                              e->count, mb_mesh_found(p->file, &e->name, text), left);
  for (size_t i = 0; i < e->count; i++) {
    const MbStatus status = read_item(p, e, i);
    if (status) return status;
  }
  return MB_OK;
}

MbStatus mb_read_ply(MbMeshFile *file) {
  Ply *p = mb_calloc(1, sizeof *p);
  if (!p) return mb_no_memory(file->report, "a mesh file's header");
  p->file = file;
  mb_scanner_start(&p->scanner, file);
  MbStatus status = parse_header(p);
  for (size_t k = 0; !status && k < p->elements; k++) status = read_element(p, &p->element[k]);
  mb_free(p);
  return status;
}
