#include "io/xml/xml_write.h"
#include "io/json/number_text.h"

#include <string.h>

static void end_tag(MbXmlWriter *w) {
  if (w->open) mb_text_add(&w->text, ">\n");
  w->open = false;
}

// Deep trees are not moved in without an end.
static void indent(MbXmlWriter *w) {
  enum { MOST = 40 };
  for (int i = 0; i < w->depth && i < MOST; i++) mb_text_add(&w->text, "  ");
}

void mb_xml_open(MbXmlWriter *w, const char *name) {
  end_tag(w);
  indent(w);
  mb_text_format(&w->text, "<%s", name);
  w->open = true;
  w->depth++;
}

void mb_xml_end(MbXmlWriter *w) {
  mb_text_add(&w->text, "/>\n");
  w->open = false;
  w->depth--;
}

void mb_xml_close(MbXmlWriter *w, const char *name) {
  if (w->open) {
    mb_xml_end(w);
    return;
  }
  w->depth--;
  indent(w);
  mb_text_format(&w->text, "</%s>\n", name);
}

void mb_xml_put(MbXmlWriter *w, const char *name, const char *value) {
  mb_text_format(&w->text, " %s=\"", name);
  for (const char *at = value; *at; at++) {
    if (strchr("<>&\"", *at))
      mb_text_add(&w->text, *at == '<' ? "&lt;" : *at == '>' ? "&gt;" : *at == '&' ? "&amp;" : "&quot;");
    else if ((unsigned char)*at < ' ') // a reader would make spaces of these
      mb_text_format(&w->text, "&#%d;", *at);
    else
      mb_text_add_n(&w->text, at, 1);
  }
  mb_text_add(&w->text, "\"");
}

void mb_xml_put_numbers(MbXmlWriter *w, const char *name, const double *x, size_t n) {
  char number[MB_NUMBER_TEXT];
  mb_text_format(&w->text, " %s=\"", name);
  for (size_t i = 0; i < n; i++)
    mb_text_format(&w->text, "%s%s", i ? " " : "", mb_number_text(x[i] == 0 ? 0 : x[i], number));
  mb_text_add(&w->text, "\"");
}

void mb_xml_put_number(MbXmlWriter *w, const char *name, double x) { mb_xml_put_numbers(w, name, &x, 1); }

// Two hyphens in a row end a comment.
void mb_xml_comment(MbXmlWriter *w, const char *text) {
  end_tag(w);
  indent(w);
  mb_text_add(&w->text, "<!-- ");
  for (const char *at = text; *at; at++) {
    const bool two = at != text && *at == '-' && at[-1] == '-';
    mb_text_add_n(&w->text, two ? " " : at, 1);
  }
  mb_text_add(&w->text, " -->\n");
}
