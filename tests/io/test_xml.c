// XML as a tree with places; what is refused.
#include "core/base/alloc.h"
#include "io/xml/xml.h"

#include <criterion/criterion.h>
#include <string.h>

static MbStatus parse(const char *text, MbArena *arena, MbXmlElement **root, MbReport *report) {
  return mb_xml_parse(text, strlen(text), "model.xml", arena, root, report);
}

static void refused(const char *text, int line, int column, const char *words) {
  MbArena arena = {0};
  MbReport report = {0};
  MbXmlElement *root = NULL;
  cr_assert_eq(parse(text, &arena, &root, &report), MB_IO);
  cr_assert_null(root);
  cr_assert_str_eq(report.file, "model.xml");
  cr_assert(strstr(report.issues[0].text, words), "%s", report.issues[0].text);
  cr_assert(report.issues[0].line == line && report.issues[0].column == column, "at %d:%d",
            report.issues[0].line, report.issues[0].column);
  mb_arena_free(&arena);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(xml, elements_and_attributes_know_their_places) {
  MbArena arena = {0};
  MbReport report = {0};
  MbXmlElement *root = NULL;
  cr_assert_eq(parse("<?xml version='1.0'?>\n<robot name = \"Zürich &amp; &#65;\">\n  <link\n    name='a'\n  "
                     " x=\"1\"/>\n"
                     "  <link name='b'>text</link><other/></robot>",
                     &arena, &root, &report),
               MB_OK);
  cr_assert_str_eq(root->name, "robot");
  cr_assert_eq(root->at.line, 2);
  cr_assert_str_eq(mb_xml_attribute(root, "name")->value, "Zürich & A");
  cr_assert_eq(mb_xml_attribute(root, "name")->at.column, 16);
  const MbXmlElement *link = mb_xml_child(root, "link");
  cr_assert(link->at.line == 3 && link->at.column == 3);
  const MbXmlAttribute *x = mb_xml_attribute(link, "x");
  cr_assert(x->at.line == 5 && x->at.column == 7, "%d:%d", x->at.line, x->at.column);
  cr_assert_null(mb_xml_attribute(link, "y"));
  cr_assert(!link->text);
  link = mb_xml_again(link);
  cr_assert_str_eq(mb_xml_attribute(link, "name")->value, "b");
  cr_assert(link->text);
  cr_assert_null(mb_xml_again(link));
  mb_arena_free(&arena);
}

Test(xml, what_is_no_xml_is_refused_with_its_place) {
  refused("<a>\n <b></a>", 2, 7, "mismatched tag");
  refused("<a x='1' x='2'/>", 1, 10, "duplicate attribute");
  refused("", 1, 1, "no element");
  refused("<a/><b/>", 1, 5, "junk");
  refused("<a>&nbsp;</a>", 1, 4, "undefined entity");
}

Test(xml, document_types_are_refused_and_entities_with_them) {
  refused("<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY x \"y\"><!ENTITY z \"&x;&x;&x;\">]>\n<a>&z;</a>", 2,
          1, "document type");
  refused("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>", 1, 1, "document type");
  refused("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>", 1, 1, "document type");
}

Test(xml, depth_is_bounded) {
  enum { DEEP = MB_XML_DEPTH + 1 };
  static char text[7 * DEEP + 1];
  for (int i = 0; i < DEEP; i++) memcpy(text + 3 * i, "<a>", 3);
  for (int i = 0; i < DEEP; i++) memcpy(text + 3 * DEEP + 4 * i, "</a>", 4);
  refused(text, 1, 3 * MB_XML_DEPTH + 1, "nested deeper");
}

Test(xml, memory_that_runs_out_is_told_and_nothing_leaks) {
  for (int fail = 0;; fail++) {
    MbArena arena = {0};
    MbReport report = {0};
    MbXmlElement *root = NULL;
    mb_alloc_fail_after(fail);
    const MbStatus status = parse("<a x='1'><b y='2'>t</b></a>", &arena, &root, &report);
    mb_alloc_fail_after(-1);
    mb_arena_free(&arena);
    cr_assert_eq(mb_alloc_live(), 0);
    if (status == MB_OK) break;
    cr_assert_eq(status, MB_IO);
    cr_assert_lt(fail, 1000);
  }
}
