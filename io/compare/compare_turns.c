// Rotation vectors of two runs: r and (1 - 2π/|r|) r tell the same, and runs go from one to the other at steps of their own.
#include "core/sim/turns.h"
#include "io/compare/compare_parts.h"

#include <string.h>

// Where in b the vector is that begins at a place of a; false: not all of its numbers are one behind the other there.
static bool place_in_b(const MbPair *p, size_t at, size_t *in_b) {
  *in_b = p->item[at];
  return *in_b != SIZE_MAX && p->item[at + 1] == *in_b + 1 && p->item[at + 2] == *in_b + 2;
}

bool mb_compare_turns(const MbPair *p) { return p->a->nvectors && p->a->width == 1 && p->b->width == 1; }

const double *mb_compare_brought(const MbPair *p, const double *a, const double *b) {
  if (!p->brought) return b;
  memcpy(p->brought, b, p->b->items * sizeof *b);
  for (size_t i = 0; i < p->a->nvectors; i++) {
    size_t in_b = 0;
    if (place_in_b(p, p->a->vectors[i], &in_b))
      mb_turn_bring(p->brought + in_b, NULL, a + p->a->vectors[i], 3);
  }
  return p->brought;
}

void mb_compare_blend_vectors(const MbChannel *b, const double *b0, const double *b1, double s, double *out) {
  for (size_t i = 0; i < b->nvectors; i++) {
    const size_t at = b->offset + b->vectors[i];
    double end[3] = {b1[at], b1[at + 1], b1[at + 2]};
    mb_turn_bring(end, NULL, b0 + at, 3);
    for (size_t k = 0; k < 3; k++) out[at + k] = b0[at + k] + s * (end[k] - b0[at + k]);
  }
}
