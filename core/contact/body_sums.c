// Where blocks' ends are in the order of a group of bodies, and y = Fᵀ λ there.
#include "core/contact/body_sums.h"
#include "core/base/targets.h"

#include <string.h>

// The slot of the problem that an end of a block has; MB_NO_SLOT: none.
static uint32_t slot_of(const MbStrips *s, size_t j, size_t end) {
  const uint32_t slot = s->slot[j][end];
  if (slot >= s->nslots) return MB_NO_SLOT;
  return s->origin ? s->origin[slot] : slot;
}

uint32_t mb_body_sums_group(const MbStrips *s, const MbBodyFactor *factor) {
  if (!s->F || !factor->nkey) return MB_NO_PLACE;
  uint32_t group = MB_NO_PLACE;
  for (size_t j = 0; j < s->nblocks; j++)
    for (size_t end = 0; end < 2; end++) {
      const uint32_t slot = slot_of(s, j, end);
      if (slot == MB_NO_SLOT) continue;
      const uint32_t own = factor->group[slot];
      if (own == MB_NO_PLACE || (group != MB_NO_PLACE && own != group)) return MB_NO_PLACE;
      group = own;
    }
  return group;
}

bool mb_body_sums_takes(const MbStrips *s, const MbBodyFactor *factor) {
  return mb_body_sums_group(s, factor) != MB_NO_PLACE;
}

void mb_body_sums_make(MbBodySums *t, MbRoom *room, const MbStrips *s, MbBodyFactor *factor) {
  t->factor = factor;
  t->width = 6 * s->nslots;
  t->place = mb_room_take(room, s->nblocks, sizeof *t->place);
  if (!room->at) return;
  t->group = MB_NO_PLACE;
  for (size_t j = 0; j < s->nblocks; j++)
    for (size_t end = 0; end < 2; end++) {
      const uint32_t slot = slot_of(s, j, end);
      t->place[j][end] = slot == MB_NO_SLOT ? MB_NO_PLACE : factor->place[slot];
      if (slot != MB_NO_SLOT) t->group = factor->group[slot];
    }
  t->width = 6 * mb_body_factor_size(factor, t->group);
}

MB_CLONES void mb_body_sums_gather(const MbBodySums *t, const MbStrips *s, const double *lambda, double *y) {
  memset(y, 0, (t->width + 6) * sizeof *y);
  for (size_t j = 0; j < s->nblocks; j++) {
    double *p = y + mb_body_sums_at(t, j, 0), *q = y + mb_body_sums_at(t, j, 1);
    const double *F = s->F + 12 * (size_t)s->block[j].row, *x = lambda + s->block[j].row;
    if (s->block[j].rows == 3) {
      for (size_t k = 0; k < 6; k++) p[k] += x[0] * F[k] + x[1] * F[12 + k] + x[2] * F[24 + k];
      for (size_t k = 0; k < 6; k++) q[k] += x[0] * F[6 + k] + x[1] * F[18 + k] + x[2] * F[30 + k];
    } else {
      for (size_t k = 0; k < 6; k++) p[k] += x[0] * F[k];
      for (size_t k = 0; k < 6; k++) q[k] += x[0] * F[6 + k];
    }
  }
  memset(y + t->width, 0, 6 * sizeof *y);
}
