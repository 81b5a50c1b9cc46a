// The parts of the JSON Schema that stand for values.
#ifndef MB_IO_SCHEMA_PRINT_H
#define MB_IO_SCHEMA_PRINT_H

#include "io/json/json_text.h"
#include "io/scene/schema_table.h"

// What a value may be by its row, as a schema without default and description.
void mb_schema_print_value(MbText *t, const MbSchemaRow *row);
// The definitions that all these refer to: members of an object, without its braces.
void mb_schema_print_shared(MbText *t);
void mb_schema_print_words(MbText *t, const char *const *words); // as a list

#endif
