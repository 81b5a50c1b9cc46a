// A set of names that lie elsewhere.
#ifndef MB_IO_SCHEMA_NAMES_H
#define MB_IO_SCHEMA_NAMES_H

#include <stdbool.h>
#include <stddef.h>

// Zero it before use.
typedef struct MbSchemaNames {
  const char **slot; // (size) open addressing
  const char **list; // (count + 1) in order, ended by NULL
  size_t count, size;
} MbSchemaNames;

bool mb_schema_names_has(const MbSchemaNames *names, const char *name);
bool mb_schema_names_add(MbSchemaNames *names, const char *name); // false when memory ran out
void mb_schema_names_free(MbSchemaNames *names);

#endif
