// Columns of W however it is given, and W = F Fᵀ in strips: rows of one body have six numbers each, and W is formed where it is small.
#include "core/base/targets.h"
#include "core/contact/contact_factor.h"

#include <string.h>

void mb_contact_column(const MbContactOperator *W, size_t n, size_t i, double *out) {
  if (W->dense) {
    memcpy(out, W->dense + i * n, n * sizeof *out);
    return;
  }
  if (!W->value && !W->factor && W->points) {
    mb_points_column(W->points, n, i, out);
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
  s->F = mb_room_take(room, 12 * s->n, sizeof *s->F);
  s->slot = mb_room_take(room, s->nblocks, sizeof *s->slot);
  s->soft = mb_room_take(room, s->n, sizeof *s->soft);
  s->local = mb_room_take(room, s->nslots + 1, sizeof *s->local);
  s->y = mb_room_take(room, 6 * (s->nslots + 1), sizeof *s->y);
  for (size_t k = 0; room->at && k < s->nslots; k++) s->local[k] = MB_NO_SLOT;
}

// Whether a row's numbers are as they are wanted: nothing where there is no slot, and two slots that are not the same.
static bool is_plain(const MbContactOperator *W, size_t i) {
  const uint32_t *slot = W->slot + 2 * i;
  if (slot[0] == slot[1]) return false;
  for (size_t end = 0; end < 2; end++)
    for (size_t k = 0; k < 6 && slot[end] == MB_NO_SLOT; k++)
      if (W->factor[12 * i + 6 * end + k] != 0) return false;
  return true;
}

// Two slots that are the same become one.
static void copy_rows(const MbContactProblem *problem, double *F) {
  memset(F, 0, 12 * problem->n * sizeof *F);
  for (size_t i = 0; i < problem->n; i++)
    for (size_t end = 0; end < 2; end++) {
      const uint32_t *slot = problem->W.slot + 2 * i;
      const size_t to = end && slot[0] == slot[1] ? 0 : end;
      for (size_t k = 0; k < 6 && slot[end] != MB_NO_SLOT; k++)
        F[12 * i + 6 * to + k] += problem->W.factor[12 * i + 6 * end + k];
    }
}

static void find_own(MbStrips *s, MbBlock *block) {
  const double *F = s->F + 12 * (size_t)block->row;
  const size_t rows = block->rows;
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c <= r; c++) {
      double sum = r == c ? s->soft[block->row + r] : 0;
      for (size_t k = 0; k < 12; k++) sum += F[12 * r + k] * F[12 * c + k];
      block->D[rows * r + c] = block->D[rows * c + r] = sum;
    }
}

// A slot that is none is that behind the last, where F has zeros.
void mb_factor_fill(MbStrips *s, const MbContactProblem *problem) {
  bool plain = true;
  for (size_t i = 0; i < s->n && plain; i++) plain = is_plain(&problem->W, i);
  if (plain)
    s->F = problem->W.factor;
  else
    copy_rows(problem, (double *)s->F);
  for (size_t i = 0; i < s->n; i++) s->soft[i] = problem->soft ? problem->soft[i] : 0;
  for (size_t j = 0; j < s->nblocks; j++) {
    const uint32_t *slot = problem->W.slot + 2 * (size_t)s->block[j].row;
    for (size_t end = 0; end < 2; end++) {
      const bool none = slot[end] == MB_NO_SLOT || (end && slot[0] == slot[1]);
      s->slot[j][end] = none ? (uint32_t)s->nslots : slot[end];
    }
    find_own(s, &s->block[j]);
  }
}

// ---- forming ----------------------------------------------------------------------------------------------

static bool meet(const MbStrips *s, size_t j, size_t e, size_t o, size_t f) {
  return s->slot[j][e] == s->slot[o][f] && s->slot[j][e] < s->nslots;
}

// value (rows of j x rows of o, by columns) ← the block of W between blocks j and o
static void between(const MbStrips *s, size_t j, size_t o, double *value) {
  const size_t rows = s->block[j].rows, columns = s->block[o].rows;
  const double *F = s->F + 12 * (size_t)s->block[j].row, *G = s->F + 12 * (size_t)s->block[o].row;
  for (size_t c = 0; c < columns; c++)
    for (size_t r = 0; r < rows; r++) {
      double sum = o == j && r == c ? s->soft[s->block[j].row + r] : 0;
      for (size_t e = 0; e < 2; e++)
        for (size_t f = 0; f < 2; f++)
          for (size_t k = 0; k < 6 && meet(s, j, e, o, f); k++)
            sum += F[12 * r + 6 * e + k] * G[12 * c + 6 * f + k];
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
  s->unformed = false;
}

// Numbers the slots of some blocks as they come.
static void find_slots(MbStrips *part, MbRoom *room, const MbStrips *whole, const uint32_t *blocks) {
  const size_t ends = 2 * part->nblocks;
  uint32_t *origin = mb_room_take(room, ends < whole->nslots ? ends : whole->nslots, sizeof *origin);
  part->slot = mb_room_take(room, part->nblocks, sizeof *part->slot);
  for (size_t k = 0; k < ends; k++) {
    const uint32_t slot = whole->slot[blocks[k / 2]][k % 2];
    uint32_t *local = &whole->local[slot];
    if (slot < whole->nslots && *local == MB_NO_SLOT) {
      origin[part->nslots] = slot;
      *local = (uint32_t)part->nslots++;
    }
    part->slot[k / 2][k % 2] = slot < whole->nslots ? *local : MB_NO_SLOT;
  }
  for (size_t k = 0; k < ends; k++)
    if (part->slot[k / 2][k % 2] == MB_NO_SLOT) part->slot[k / 2][k % 2] = (uint32_t)part->nslots;
  for (size_t k = 0; k < part->nslots; k++) whole->local[origin[k]] = MB_NO_SLOT;
  part->origin = origin;
}

void mb_factor_part(MbStrips *part, MbRoom *room, const MbStrips *whole, const uint32_t *blocks,
                    const uint32_t *rows) {
  find_slots(part, room, whole, blocks);
  part->y = mb_room_take(room, 6 * (part->nslots + 1), sizeof *part->y);
  double *F = mb_room_take(room, 12 * part->n, sizeof *F);
  part->soft = mb_room_take(room, part->n, sizeof *part->soft);
  for (size_t k = 0; k < part->nblocks; k++) {
    const MbBlock *from = &whole->block[blocks[k]];
    memcpy(F + 12 * (size_t)rows[from->row], whole->F + 12 * (size_t)from->row, 12 * from->rows * sizeof *F);
    memcpy(part->soft + rows[from->row], whole->soft + from->row, from->rows * sizeof *part->soft);
  }
  part->F = F;
  part->unformed = true;
}

// ---- velocities -------------------------------------------------------------------------------------------

typedef double Four __attribute__((vector_size(32)));
typedef double Two __attribute__((vector_size(16)));
#define INLINE static inline __attribute__((always_inline))

// Six numbers of a slot, or of a row at one of its ends.
typedef struct Six {
  Four a;
  Two b;
} Six;

INLINE Six six(const double *x) {
  Six made;
  memcpy(&made.a, x, sizeof made.a);
  memcpy(&made.b, x + 4, sizeof made.b);
  return made;
}

INLINE void put(double *x, Six made) {
  memcpy(x, &made.a, sizeof made.a);
  memcpy(x + 4, &made.b, sizeof made.b);
}

INLINE double rate(const double *F, Six p, Six q) {
  const Six f = six(F), g = six(F + 6);
  const Four a = f.a * p.a + g.a * q.a;
  const Two b = f.b * p.b + g.b * q.b;
  return ((a[0] + a[2]) + b[0]) + ((a[1] + a[3]) + b[1]);
}

INLINE Six added(Six y, const double *F, double d) {
  const Six f = six(F);
  y.a += d * f.a, y.b += d * f.b;
  return y;
}

INLINE void push(const MbStrips *s, size_t j, const double *d) {
  const MbBlock *block = &s->block[j];
  const double *F = s->F + 12 * (size_t)block->row;
  for (size_t end = 0; end < 2; end++) {
    double *at = s->y + 6 * (size_t)s->slot[j][end];
    Six y = added(six(at), F + 6 * end, d[0]);
    if (block->rows == 3) {
      y = added(y, F + 12 + 6 * end, d[1]);
      y = added(y, F + 24 + 6 * end, d[2]);
    }
    put(at, y);
  }
}

MB_CLONES void mb_factor_begin(const MbStrips *s, const double *lambda) {
  memset(s->y, 0, 6 * (s->nslots + 1) * sizeof *s->y);
  for (size_t j = 0; j < s->nblocks; j++) push(s, j, lambda + s->block[j].row);
}

MB_CLONES void mb_factor_rates(const MbStrips *s, const double *lambda, double *w) {
  for (size_t j = 0; j < s->nblocks; j++) {
    const Six p = six(s->y + 6 * (size_t)s->slot[j][0]), q = six(s->y + 6 * (size_t)s->slot[j][1]);
    const size_t begin = s->block[j].row, end = begin + s->block[j].rows;
    for (size_t i = begin; i < end; i++) w[i] = s->b[i] + s->soft[i] * lambda[i] + rate(s->F + 12 * i, p, q);
  }
}

// One contact or one row, from its velocities without what it does itself. What is open or sticks in the exact cone is nearly all there is.
INLINE void solve(const MbBlock *block, const double q[3], double *x) {
  const double *I = block->I;
  if (block->kind == MB_CONTACT_NORMAL && block->cone == MB_CONE_EXACT) {
    if (q[0] >= 0) {
      x[0] = x[1] = x[2] = 0;
      return;
    }
    const double n = -(I[0] * q[0] + I[1] * q[1] + I[2] * q[2]),
                 t = -(I[3] * q[0] + I[4] * q[1] + I[5] * q[2]),
                 u = -(I[6] * q[0] + I[7] * q[1] + I[8] * q[2]);
    if (n >= 0 && t * t + u * u <= block->mu * block->mu * n * n) {
      x[0] = n, x[1] = t, x[2] = u;
      return;
    }
  }
  mb_block_solve(block, q, x);
}

MB_CLONES double mb_factor_sweep(const MbStrips *s, size_t from, size_t to, double *lambda) {
  double sum = 0;
  for (size_t j = from; j < to; j++) {
    const MbBlock *block = &s->block[j];
    const size_t i = block->row;
    const double *F = s->F + 12 * i, *D = block->D;
    double *x = lambda + i, d[3] = {0, 0, 0}, c[3];
    if (block->left_out) continue;
    const Six p = six(s->y + 6 * (size_t)s->slot[j][0]), q = six(s->y + 6 * (size_t)s->slot[j][1]);
    if (block->rows == 1) {
      const double before = x[0];
      c[0] = s->b[i] + (s->soft[i] - D[0]) * before + rate(F, p, q);
      if (block->kind == MB_CONTACT_ONE_WAY)
        x[0] = c[0] < 0 ? -c[0] * block->I[0] : 0;
      else
        mb_block_solve(block, c, x);
      d[0] = x[0] - before;
      sum += (D[0] * d[0]) * (D[0] * d[0]);
    } else {
      const double before[3] = {x[0], x[1], x[2]};
      for (size_t r = 0; r < 3; r++)
        c[r] = s->b[i + r] + s->soft[i + r] * before[r] + rate(F + 12 * r, p, q) -
               (D[3 * r] * before[0] + D[3 * r + 1] * before[1] + D[3 * r + 2] * before[2]);
      solve(block, c, x);
      double moved = 0;
      for (size_t r = 0; r < 3; r++) d[r] = x[r] - before[r], moved += d[r] * d[r];
      sum += block->scale * block->scale * moved;
    }
    if (d[0] != 0 || d[1] != 0 || d[2] != 0) push(s, j, d);
  }
  return sum;
}
