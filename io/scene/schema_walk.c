#include "io/scene/schema_walk.h"

static void visit(MbSchemaWalk *walk, const MbSchemaObject *object);

static void visit_rows(MbSchemaWalk *walk, const MbSchemaRow *rows) {
  for (const MbSchemaRow *row = rows; row && row->key; row++) {
    if (row->object) visit(walk, row->object);
    if (row->type == MB_TYPE_ROTATION) {
      visit(walk, &mb_schema_axis_angle);
      visit(walk, &mb_schema_euler);
    }
    if (row->type == MB_TYPE_SIGNAL || row->type == MB_TYPE_SIGNALS || row->type == MB_TYPE_SIGNAL_LIST)
      visit(walk, &mb_schema_signal);
  }
}

static void visit(MbSchemaWalk *walk, const MbSchemaObject *object) {
  for (size_t i = 0; i < walk->count; i++)
    if (walk->object[i] == object) return;
  if (walk->count == MB_SCHEMA_OBJECTS) return;
  walk->object[walk->count++] = object;
  visit_rows(walk, object->rows);
  for (size_t v = 0; object->variants && object->words[v]; v++) visit_rows(walk, object->variants[v].rows);
}

MbSchemaWalk mb_schema_walk(const MbSchemaObject *root) {
  MbSchemaWalk walk = {.count = 0};
  visit(&walk, root);
  return walk;
}
