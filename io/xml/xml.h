// XML files as trees whose elements and attributes know where they stand. Read by expat, hardened: a document type is refused, and with it
// every entity of a file's own, bombs of them and files that they name; depth, size and number of elements are bounded.
#ifndef MB_IO_XML_H
#define MB_IO_XML_H

#include "core/base/arena.h"
#include "core/base/report.h"

enum { MB_XML_DEPTH = 2000, MB_XML_ELEMENTS = 1 << 21 };
#define MB_XML_BYTES ((size_t)64 << 20)

// What an issue points at, lines and columns from 1.
typedef struct MbXmlPlace {
  const char *file;
  int line, column;
} MbXmlPlace;

typedef struct MbXmlAttribute {
  const char *name, *value;
  MbXmlPlace at; // of the value
} MbXmlAttribute;

typedef struct MbXmlElement {
  const char *name;
  MbXmlPlace at;
  size_t nattributes;
  MbXmlAttribute *attribute; // (nattributes)
  bool text;                 // something but space stands between its tags
  struct MbXmlElement *parent, *first, *last, *next;
} MbXmlElement;

// Parses a whole document; the tree lies in the arena. `name` is the file's in messages, and is kept. MB_IO with file:line:column where it
// is no XML, or more than is read here.
MbStatus mb_xml_parse(const char *text, size_t length, const char *name, MbArena *arena, MbXmlElement **root,
                      MbReport *report);
// The same of a file. MB_IO where it cannot be read.
MbStatus mb_xml_read(const char *path, MbArena *arena, MbXmlElement **root, MbReport *report);

// An attribute by its name, or NULL.
const MbXmlAttribute *mb_xml_attribute(const MbXmlElement *element, const char *name);
// The first child of a name, and the next sibling of the same name; NULL: there is none.
const MbXmlElement *mb_xml_child(const MbXmlElement *element, const char *name);
const MbXmlElement *mb_xml_again(const MbXmlElement *element);

// Adds an error at a place. Where the report already speaks of another file, the text names this one.
MbStatus mb_xml_error(MbReport *report, MbStatus status, MbXmlPlace at, const char *format, ...)
    MB_PRINTF(4, 5);

#endif
