#include "core/contact/contact_factor.h"

#include <string.h>

void mb_contact_column(const MbContactOperator *W, size_t n, size_t i, double *out) {
  if (W->dense) {
    memcpy(out, W->dense + i * n, n * sizeof *out);
    return;
  }
  if (!W->value && !W->factor) {
    W->column(W->context, i, out);
    return;
  }
  memset(out, 0, n * sizeof *out);
  if (W->value) {
    for (size_t e = W->first[i]; e < W->first[i + 1]; e++) out[W->index[e]] = W->value[e];
    return;
  }
  for (size_t j = 0; j < n; j++)
    for (size_t e = 0; e < 4; e++) {
      const size_t a = 2 * i + e / 2, b = 2 * j + e % 2;
      if (W->slot[a] == MB_NO_SLOT || W->slot[a] != W->slot[b]) continue;
      for (size_t k = 0; k < 6; k++) out[j] += W->factor[6 * a + k] * W->factor[6 * b + k];
    }
}

void mb_factor_lay(MbStrips *s, MbRoom *room) {
  s->F = mb_room_take(room, 36 * s->nblocks, sizeof *s->F);
  s->slot = mb_room_take(room, s->nblocks, sizeof *s->slot);
  s->soft = mb_room_take(room, s->n, sizeof *s->soft);
  s->y = mb_room_take(room, 6 * (s->nslots + 1), sizeof *s->y);
  s->other_y = mb_room_take(room, 6 * (s->nslots + 1), sizeof *s->other_y);
}

// Two slots that are the same become one. A slot that is none is that behind the last, where F has zeros.
void mb_factor_fill(MbStrips *s, const MbContactProblem *problem, size_t j) {
  MbBlock *block = &s->block[j];
  const size_t rows = block->rows;
  const uint32_t *slot = problem->W.slot + 2 * (size_t)block->row;
  double *F = s->F + 36 * j;
  memset(F, 0, 36 * sizeof *F);
  for (size_t end = 0; end < 2; end++) {
    const bool same = end && slot[0] == slot[1];
    s->slot[j][end] = slot[end] == MB_NO_SLOT || same ? (uint32_t)s->nslots : slot[end];
    for (size_t k = 0; k < 6 && slot[end] != MB_NO_SLOT; k++)
      for (size_t r = 0; r < rows; r++)
        F[rows * ((same ? 0 : 6 * end) + k) + r] += problem->W.factor[12 * (block->row + r) + 6 * end + k];
  }
  for (size_t r = 0; r < rows; r++) {
    s->soft[block->row + r] = problem->soft ? problem->soft[block->row + r] : 0;
    for (size_t c = 0; c < rows; c++) {
      double sum = r == c ? s->soft[block->row + r] : 0;
      for (size_t k = 0; k < 12; k++) sum += F[rows * k + r] * F[rows * k + c];
      block->D[rows * r + c] = sum;
    }
  }
}

// ---- forming ----------------------------------------------------------------------------------------------

static bool meet(const MbStrips *s, size_t j, size_t e, size_t o, size_t f) {
  return s->slot[j][e] == s->slot[o][f] && s->slot[j][e] < s->nslots;
}

// value (rows of j x rows of o, by columns) ← the block of W between blocks j and o
static void between(const MbStrips *s, size_t j, size_t o, double *value) {
  const size_t rows = s->block[j].rows, columns = s->block[o].rows;
  const double *F = s->F + 36 * j, *G = s->F + 36 * o;
  for (size_t c = 0; c < columns; c++)
    for (size_t r = 0; r < rows; r++) {
      double sum = o == j && r == c ? s->soft[s->block[j].row + r] : 0;
      for (size_t e = 0; e < 2; e++)
        for (size_t f = 0; f < 2; f++)
          for (size_t k = 0; k < 6 && meet(s, j, e, o, f); k++)
            sum += F[rows * (6 * e + k) + r] * G[columns * (6 * f + k) + c];
      value[rows * c + r] = sum;
    }
}

void mb_factor_form(MbStrips *s, MbRoom *room, const MbStrips *from) {
  const size_t count = from->nblocks;
  // as much as if all had to do with all
  mb_strips_lay(s, room, count * from->n, from->n * from->n);
  for (size_t j = 0; room->at && j < count; j++) {
    s->first[j + 1] = s->first[j];
    s->at[j + 1] = s->at[j];
    for (size_t o = 0; o < count; o++) {
      if (!meet(from, j, 0, o, 0) && !meet(from, j, 0, o, 1) && !meet(from, j, 1, o, 0) &&
          !meet(from, j, 1, o, 1) && o != j)
        continue;
      between(from, j, o, s->value + s->at[j + 1]);
      for (uint32_t c = 0; c < from->block[o].rows; c++)
        s->column[s->first[j + 1]++] = from->block[o].row + c;
      s->at[j + 1] += (size_t)from->block[o].rows * from->block[j].rows;
    }
  }
  s->F = NULL;
}

void mb_factor_part(MbStrips *part, MbRoom *room, const MbStrips *whole, const uint32_t *blocks,
                    const uint32_t *rows) {
  // slots, and what is kept of them, are those of the whole
  part->nslots = whole->nslots;
  part->y = whole->y, part->other_y = whole->other_y;
  part->F = mb_room_take(room, 36 * part->nblocks, sizeof *part->F);
  part->slot = mb_room_take(room, part->nblocks, sizeof *part->slot);
  part->soft = mb_room_take(room, part->n, sizeof *part->soft);
  for (size_t k = 0; k < part->nblocks; k++) {
    const MbBlock *from = &whole->block[blocks[k]];
    memcpy(part->F + 36 * k, whole->F + 36 * (size_t)blocks[k], 36 * sizeof *part->F);
    memcpy(part->slot[k], whole->slot[blocks[k]], sizeof part->slot[k]);
    memcpy(part->soft + rows[from->row], whole->soft + from->row, from->rows * sizeof *part->soft);
  }
}

// ---- velocities -------------------------------------------------------------------------------------------

void mb_factor_begin(const MbStrips *s, const double *lambda, double *y) {
  memset(y, 0, 6 * (s->nslots + 1) * sizeof *y);
  for (size_t j = 0; j < s->nblocks; j++) mb_factor_push(s, j, lambda + s->block[j].row, y);
}

void mb_factor_rates(const MbStrips *s, size_t j, const double *lambda, const double *y, double u[3]) {
  const MbBlock *block = &s->block[j];
  const double *F = s->F + 36 * j, *p = y + 6 * (size_t)s->slot[j][0], *q = y + 6 * (size_t)s->slot[j][1];
  const size_t i = block->row;
  if (block->rows == 1) {
    double sum = s->b[i] + s->soft[i] * lambda[i];
    for (size_t k = 0; k < 6; k++) sum += F[k] * p[k] + F[6 + k] * q[k];
    u[0] = sum;
    return;
  }
  double a[3], c[3] = {0, 0, 0};
  for (size_t r = 0; r < 3; r++) a[r] = s->b[i + r] + s->soft[i + r] * lambda[i + r];
  for (size_t k = 0; k < 6; k++)
    for (size_t r = 0; r < 3; r++) a[r] += F[3 * k + r] * p[k], c[r] += F[18 + 3 * k + r] * q[k];
  for (size_t r = 0; r < 3; r++) u[r] = a[r] + c[r];
}

void mb_factor_push(const MbStrips *s, size_t j, const double *d, double *y) {
  const double *F = s->F + 36 * j;
  double *p = y + 6 * (size_t)s->slot[j][0], *q = y + 6 * (size_t)s->slot[j][1];
  if (s->block[j].rows == 1)
    for (size_t k = 0; k < 6; k++) p[k] += F[k] * d[0], q[k] += F[6 + k] * d[0];
  else
    for (size_t k = 0; k < 6; k++) {
      p[k] += F[3 * k] * d[0] + F[3 * k + 1] * d[1] + F[3 * k + 2] * d[2];
      q[k] += F[18 + 3 * k] * d[0] + F[18 + 3 * k + 1] * d[1] + F[18 + 3 * k + 2] * d[2];
    }
}
