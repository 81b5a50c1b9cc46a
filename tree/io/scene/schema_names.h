// A set of names that lie elsewhere, each with its number in the order of adding.
#ifndef MB_IO_SCHEMA_NAMES_H
#define MB_IO_SCHEMA_NAMES_H

#include <stdbool.h>
#include <stddef.h>

// Zero it before use.
typedef struct MbSchemaNames {
  size_t *slot;      // (size) open addressing: number + 1, 0 = free
  const char **list; // (count + 1) in order, ended by NULL
  size_t count, size;
} MbSchemaNames;

bool mb_schema_names_has(const MbSchemaNames *names, const char *name);
// The number of the name that is the first `length` bytes of `text`, or SIZE_MAX.
size_t mb_schema_names_find(const MbSchemaNames *names, const char *text, size_t length);
bool mb_schema_names_add(MbSchemaNames *names, const char *name); // false when memory ran out
void mb_schema_names_free(MbSchemaNames *names);

#endif
