// The objects of the schema in the order in which they are first met, for the documents made from it.
#ifndef MB_IO_SCHEMA_WALK_H
#define MB_IO_SCHEMA_WALK_H

#include "io/scene/schema_table.h"

enum { MB_SCHEMA_OBJECTS = 96 };

typedef struct MbSchemaWalk {
  const MbSchemaObject *object[MB_SCHEMA_OBJECTS];
  size_t count;
} MbSchemaWalk;

MbSchemaWalk mb_schema_walk(void);

#endif
