// The parts of the JSON Schema that stand for values.
#ifndef MB_IO_SCHEMA_PRINT_H
#define MB_IO_SCHEMA_PRINT_H

#include "io/json/json_text.h"
#include "io/scene/schema_table.h"

// What a value may be by its row, as a schema without default and description.
void mb_schema_print_value(MbText *t, const MbSchemaRow *row);
// The definitions that all these refer to: members of an object, without its braces.
void mb_schema_print_shared(MbText *t);
void mb_schema_print_numbers(MbText *t); // those of them that are about single numbers
void mb_schema_print_words(MbText *t, const char *const *words); // as a list

// The documents of a format whose outermost object is `root` (mb_free them); NULL when memory ran out.
char *mb_schema_json_of(const MbSchemaObject *root);
char *mb_schema_reference_of(const MbSchemaObject *root);

#endif
