// XML by expat: elements and attributes are noted with their lines and columns, which a second look at each tag finds.
#include "io/xml/xml.h"
#include "core/base/alloc.h"

#include <errno.h>
#include <expat.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Reading {
  XML_Parser parser;
  const char *text, *name;
  size_t length, depth, elements;
  MbArena *arena;
  MbReport *report;
  MbXmlElement *root, *open;
  MbStatus status; // of what stopped the parser
} Reading;

MbStatus mb_xml_error(MbReport *report, MbStatus status, MbXmlPlace at, const char *format, ...) {
  char text[600];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (!report) return status;
  if (!report->file[0] && at.file) snprintf(report->file, sizeof report->file, "%s", at.file);
  if (!at.file || !strncmp(report->file, at.file, sizeof report->file - 1))
    return mb_error_at(report, status, at.line, at.column, "", "%s", text);
  return mb_error(report, status, "", "%s:%d:%d: %s", at.file, at.line, at.column, text);
}

// ---- what stops it ----------------------------------------------------------------------------------------

static MbXmlPlace here(const Reading *r) {
  return (MbXmlPlace){r->name, (int)XML_GetCurrentLineNumber(r->parser),
                      (int)XML_GetCurrentColumnNumber(r->parser) + 1};
}

static void stop(Reading *r, MbStatus status) {
  r->status = status;
  XML_StopParser(r->parser, XML_FALSE);
}

static void no_memory(Reading *r) { stop(r, mb_no_memory(r->report, "an XML file")); }

// expat tells where the document type's name ends, if it comes to that.
static MbXmlPlace start_of_doctype(const Reading *r) {
  static const char word[] = "<!DOCTYPE";
  MbXmlPlace at = here(r), place = {r->name, 1, 1};
  const XML_Index index = XML_GetCurrentByteIndex(r->parser);
  for (XML_Index i = 0; i <= index && (size_t)i + sizeof word <= r->length; i++) {
    if (!memcmp(r->text + i, word, sizeof word - 1)) at = place;
    if (r->text[i] == '\n')
      place.line++, place.column = 1;
    else if (((unsigned char)r->text[i] & 0xC0) != 0x80)
      place.column++;
  }
  return at;
}

static void on_doctype(void *user, const char *name, const char *system, const char *public, int subset) {
  Reading *r = user;
  (void)name, (void)system, (void)public, (void)subset;
  if (r->status) return;
  stop(r,
       mb_xml_error(
           r->report, MB_IO, start_of_doctype(r),
           "a document type (<!DOCTYPE) is refused: models have none, and entities of a file's own are not "
           "read"));
}

// ---- places of attributes ---------------------------------------------------------------------------------

// Goes over a start tag as it is written; expat has seen that it is well formed.
typedef struct Tag {
  const char *at, *end;
  MbXmlPlace place;
} Tag;

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static void pass(Tag *tag) {
  const unsigned char c = (unsigned char)*tag->at++;
  if (c == '\n')
    tag->place.line++, tag->place.column = 1;
  else if ((c & 0xC0) != 0x80)
    tag->place.column++;
}

static void pass_space(Tag *tag) {
  while (tag->at < tag->end && is_space(*tag->at)) pass(tag);
}

static void pass_name(Tag *tag) {
  while (tag->at < tag->end && !is_space(*tag->at) && !strchr("=/>", *tag->at)) pass(tag);
}

// The place of the next attribute's value; false where the text is not to be gone over so (UTF-16).
static bool next_value(Tag *tag, MbXmlPlace *at) {
  pass_space(tag);
  pass_name(tag);
  pass_space(tag);
  if (tag->at >= tag->end || *tag->at != '=') return false;
  pass(tag);
  pass_space(tag);
  if (tag->at >= tag->end || (*tag->at != '"' && *tag->at != '\'')) return false;
  const char quote = *tag->at;
  pass(tag);
  *at = tag->place;
  while (tag->at < tag->end && *tag->at != quote) pass(tag);
  if (tag->at < tag->end) pass(tag);
  return true;
}

// ---- the tree ---------------------------------------------------------------------------------------------

static bool take_attributes(Reading *r, MbXmlElement *e, const char **list) {
  while (list[2 * e->nattributes]) e->nattributes++;
  e->attribute = mb_arena_alloc(r->arena, e->nattributes, sizeof *e->attribute);
  if (!e->attribute) return false;
  const XML_Index index = XML_GetCurrentByteIndex(r->parser);
  const int count = XML_GetCurrentByteCount(r->parser);
  Tag tag = {.place = e->at};
  bool places =
      index >= 0 && count > 1 && (size_t)index + (size_t)count <= r->length && r->text[index] == '<';
  if (places) {
    tag.at = r->text + index, tag.end = tag.at + count;
    pass(&tag);
    pass_name(&tag);
  }
  for (size_t i = 0; i < e->nattributes; i++) {
    MbXmlAttribute *a = &e->attribute[i];
    a->name = mb_arena_strdup(r->arena, list[2 * i]), a->value = mb_arena_strdup(r->arena, list[2 * i + 1]);
    if (!a->name || !a->value) return false;
    a->at = e->at;
    places = places && next_value(&tag, &a->at);
  }
  return true;
}

static void on_start(void *user, const char *name, const char **list) {
  Reading *r = user;
  if (r->status) return;
  if (++r->depth > MB_XML_DEPTH) {
    stop(r, mb_xml_error(r->report, MB_IO, here(r), "elements are nested deeper than %d", MB_XML_DEPTH));
    return;
  }
  if (++r->elements > MB_XML_ELEMENTS) {
    stop(r, mb_xml_error(r->report, MB_IO, here(r), "there are more than %d elements", MB_XML_ELEMENTS));
    return;
  }
  MbXmlElement *e = mb_arena_alloc(r->arena, 1, sizeof *e);
  if (!e || !(e->name = mb_arena_strdup(r->arena, name))) {
    no_memory(r);
    return;
  }
  e->at = here(r);
  e->parent = r->open;
  if (!take_attributes(r, e, list)) {
    no_memory(r);
    return;
  }
  if (!r->root) r->root = e;
  if (r->open) {
    *(r->open->last ? &r->open->last->next : &r->open->first) = e;
    r->open->last = e;
  }
  r->open = e;
}

static void on_end(void *user, const char *name) {
  Reading *r = user;
  (void)name;
  if (r->status) return;
  r->open = r->open->parent;
  r->depth--;
}

static void on_text(void *user, const char *text, int length) {
  Reading *r = user;
  for (int i = 0; i < length && r->open; i++) r->open->text |= !is_space(text[i]);
}

// ---- reading ----------------------------------------------------------------------------------------------

static void *take_memory(size_t size) { return mb_calloc(1, size); }
static void *change_memory(void *block, size_t size) { return mb_realloc(block, size, 1); }

MbStatus mb_xml_parse(const char *text, size_t length, const char *name, MbArena *arena, MbXmlElement **root,
                      MbReport *report) {
  static const XML_Memory_Handling_Suite memory = {take_memory, change_memory, mb_free};
  *root = NULL;
  Reading r = {.text = text, .length = length, .name = name, .arena = arena, .report = report};
  if (length > MB_XML_BYTES)
    return mb_xml_error(report, MB_IO, (MbXmlPlace){name, 1, 1}, "a file of more than %zu MiB is not read",
                        MB_XML_BYTES >> 20);
  r.parser = XML_ParserCreate_MM(NULL, &memory, NULL);
  if (!r.parser) return mb_no_memory(report, "an XML file");
  XML_SetUserData(r.parser, &r);
  XML_SetElementHandler(r.parser, on_start, on_end);
  XML_SetCharacterDataHandler(r.parser, on_text);
  XML_SetStartDoctypeDeclHandler(r.parser, on_doctype);
  const enum XML_Status parsed = XML_Parse(r.parser, text, (int)length, XML_TRUE);
  if (!r.status && parsed != XML_STATUS_OK) {
    const enum XML_Error code = XML_GetErrorCode(r.parser);
    r.status = code == XML_ERROR_NO_MEMORY
                   ? mb_no_memory(report, "an XML file")
                   : mb_xml_error(report, MB_IO, here(&r), "this is no XML: %s", XML_ErrorString(code));
  }
  XML_ParserFree(r.parser);
  if (!r.status) *root = r.root;
  return r.status;
}

static MbStatus read_all(FILE *stream, const char *path, char **text, size_t *length, MbReport *report) {
  size_t room = 0;
  for (;;) {
    if (!mb_grow(text, &room, *length + (1 << 16), 1)) return mb_no_memory(report, "an XML file");
    const size_t n = fread(*text + *length, 1, 1 << 16, stream);
    *length += n;
    if (!n || *length > MB_XML_BYTES) break; // the parser refuses it
  }
  return ferror(stream) ? mb_error(report, MB_IO, "", "%s cannot be read: %s", path, strerror(errno)) : MB_OK;
}

MbStatus mb_xml_read(const char *path, MbArena *arena, MbXmlElement **root, MbReport *report) {
  *root = NULL;
  const char *name = mb_arena_strdup(arena, path);
  if (!name) return mb_no_memory(report, "an XML file");
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe would be waited for
  if (file < 0) return mb_error(report, MB_IO, "", "%s cannot be opened: %s", path, strerror(errno));
  struct stat about;
  const bool regular = !fstat(file, &about) && S_ISREG(about.st_mode);
  FILE *stream = regular ? fdopen(file, "r") : NULL;
  if (!stream) {
    close(file);
    return mb_error(report, MB_IO, "", "%s is no file to be read", path);
  }
  char *text = NULL;
  size_t length = 0;
  MbStatus status = read_all(stream, path, &text, &length, report);
  fclose(stream);
  if (!status) status = mb_xml_parse(text, length, name, arena, root, report);
  mb_free(text);
  return status;
}

const MbXmlAttribute *mb_xml_attribute(const MbXmlElement *element, const char *name) {
  for (size_t i = 0; i < element->nattributes; i++)
    if (!strcmp(element->attribute[i].name, name)) return &element->attribute[i];
  return NULL;
}

const MbXmlElement *mb_xml_child(const MbXmlElement *element, const char *name) {
  for (const MbXmlElement *e = element->first; e; e = e->next)
    if (!strcmp(e->name, name)) return e;
  return NULL;
}

const MbXmlElement *mb_xml_again(const MbXmlElement *element) {
  for (const MbXmlElement *e = element->next; e; e = e->next)
    if (!strcmp(e->name, element->name)) return e;
  return NULL;
}
