#include "io/export/column_name.h"

#include <stdio.h>
#include <string.h>

// A further part, after a point unless it is the first; empty ones leave no trace.
static void add_part(MbText *n, const char *part) {
  if (!*part) return;
  if (n->length) mb_text_add(n, ".");
  mb_text_add(n, part);
}

static void add_index(MbText *n, size_t index) {
  char text[24];
  snprintf(text, sizeof text, "%zu", index);
  add_part(n, text);
}

static const char *last_part(const char *channel) {
  const char *point = strrchr(channel, '.');
  return point ? point + 1 : channel;
}

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

// "ball.1" of "joint.position" is "ball.joint.position.1".
static void name_coordinate(MbText *n, const char *channel, const char *item) {
  const char *index = strrchr(item, '.');
  if (index && (!index[1] || index[1 + strspn(index + 1, "0123456789")])) index = NULL;
  mb_text_add_n(n, item, index ? (size_t)(index - item) : strlen(item));
  add_part(n, channel);
  if (index) mb_text_add(n, index);
}

// Everything before the component.
static void name_item(MbText *n, const MbChannel *c, size_t item) {
  static const char deformable[] = "deformable.";
  const char *last = last_part(c->name);
  if (c->items_names && begins(c->name, "joint.")) {
    name_coordinate(n, c->name, c->items_names[item]);
  } else if (c->items_names) {
    add_part(n, c->items_names[item]);
    add_part(n, last);
  } else if (begins(c->name, deformable) && last > c->name + sizeof deformable) {
    const char *name = c->name + sizeof deformable - 1;
    mb_text_add_n(n, name, (size_t)(last - 1 - name));
    add_index(n, item);
    if (strcmp(last, "position") != 0) add_part(n, last);
  } else {
    add_part(n, c->name);
    if (c->items > 1) add_index(n, item);
  }
}

static void name_component(MbText *n, const MbChannel *c, size_t k) {
  if (c->width == 1 && begins(c->name, "joint.")) return;
  if (c->component_names)
    add_part(n, c->component_names[k]);
  else if (c->width > 1)
    add_index(n, k);
}

void mb_column_name(MbText *n, const MbChannel *c, size_t k) {
  name_item(n, c, k / c->width);
  name_component(n, c, k % c->width);
}

void mb_column_full_name(MbText *n, const MbChannel *c, size_t k) {
  add_part(n, c->name);
  if (c->items_names)
    add_part(n, c->items_names[k / c->width]);
  else if (c->items > 1)
    add_index(n, k / c->width);
  if (c->component_names)
    add_part(n, c->component_names[k % c->width]);
  else if (c->width > 1)
    add_index(n, k % c->width);
}
