// Writing XML for people: an element a line, what is in it two columns further in, numbers with as few digits as read back to the same.
#ifndef MB_IO_XML_WRITE_H
#define MB_IO_XML_WRITE_H

#include "io/json/json_text.h"

typedef struct MbXmlWriter {
  MbText text;
  int depth;
  bool open; // the last element's tag has not ended yet
} MbXmlWriter;

void mb_xml_open(MbXmlWriter *w, const char *name);
void mb_xml_close(MbXmlWriter *w, const char *name);
// Attributes of the element that was opened last, before anything stands in it.
void mb_xml_put(MbXmlWriter *w, const char *name, const char *value);
void mb_xml_put_numbers(MbXmlWriter *w, const char *name, const double *x, size_t n);
void mb_xml_put_number(MbXmlWriter *w, const char *name, double x);
// An element with nothing in it but attributes may be begun by mb_xml_open and ended by this.
void mb_xml_end(MbXmlWriter *w);
void mb_xml_comment(MbXmlWriter *w, const char *text);

#endif
