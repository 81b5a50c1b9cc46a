// Memory of the methods: handed out piece by piece.
#include "core/contact/contact_dense.h"
#include "core/contact/contact_parts.h"

void *mb_room_take(MbRoom *room, size_t count, size_t size) {
  enum { LINE = 64 };
  char *piece = room->at ? room->at + room->used : NULL;
  room->used += (count * size + LINE - 1) / LINE * LINE;
  return piece;
}

void mb_strips_lay(MbStrips *s, MbRoom *room, size_t columns, size_t values) {
  s->first = mb_room_take(room, s->nblocks + 1, sizeof *s->first);
  s->at = mb_room_take(room, s->nblocks + 1, sizeof *s->at);
  s->column = mb_room_take(room, columns, sizeof *s->column);
  s->value = mb_room_take(room, values, sizeof *s->value);
  if (room->at) s->first[0] = s->at[0] = 0;
}

bool mb_contact_reserve_dense(MbContactWork *work, const MbContactProblem *problem) {
  (void)work;
  mb_dense_start(problem->n);
  return true;
}
