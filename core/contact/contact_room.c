// Memory of the methods, and the problem put together block by block.
#include "core/contact/contact_parts.h"

#include <math.h>
#include <string.h>

void *mb_room_take(MbRoom *room, size_t count, size_t size) {
  enum { LINE = 64 };
  char *piece = room->at ? room->at + room->used : NULL;
  room->used += (count * size + LINE - 1) / LINE * LINE;
  return piece;
}

// ---- the pattern ------------------------------------------------------------------------------------------

// Columns that any of the block's rows have; to `column` where that is not NULL.
static size_t merge(const MbContactOperator *W, size_t row, size_t rows, uint32_t *column) {
  size_t at[3], end[3], count = 0;
  for (size_t r = 0; r < rows; r++) at[r] = W->first[row + r], end[r] = W->first[row + r + 1];
  for (;;) {
    uint32_t next = UINT32_MAX;
    for (size_t r = 0; r < rows; r++)
      if (at[r] < end[r] && W->index[at[r]] < next) next = W->index[at[r]];
    if (next == UINT32_MAX) return count;
    for (size_t r = 0; r < rows; r++) at[r] += at[r] < end[r] && W->index[at[r]] == next;
    if (column) column[count] = next;
    count++;
  }
}

static size_t block_rows(const MbContactProblem *problem, size_t row) {
  return problem->kind[row] == MB_CONTACT_NORMAL ? 3 : 1;
}

static bool is_sparse(const MbContactProblem *problem) { return problem->W.value && !problem->W.dense; }

// Numbers of blocks, of columns over all strips, and of values.
static void count(const MbContactProblem *problem, size_t *blocks, size_t *columns, size_t *values) {
  *blocks = *columns = *values = 0;
  for (size_t i = 0, rows; i < problem->n; i += rows) {
    rows = block_rows(problem, i);
    const size_t k = is_sparse(problem) ? merge(&problem->W, i, rows, NULL) : problem->n;
    *blocks += 1, *columns += k, *values += rows * k;
  }
}

// ---- filling ----------------------------------------------------------------------------------------------

static void fill_sparse(MbStrips *s, const MbContactOperator *W, size_t j) {
  const MbBlock *block = &s->block[j];
  uint32_t *column = s->column + s->first[j];
  double *value = s->value + s->at[j];
  const size_t columns = merge(W, block->row, block->rows, column);
  memset(value, 0, columns * block->rows * sizeof *value);
  for (size_t r = 0; r < block->rows; r++)
    for (size_t k = 0, e = W->first[block->row + r]; e < W->first[block->row + r + 1]; e++) {
      while (column[k] != W->index[e]) k++;
      value[block->rows * k + r] = W->value[e];
    }
  s->first[j + 1] = s->first[j] + columns;
  s->at[j + 1] = s->at[j] + columns * block->rows;
}

static const double *whole_column(const MbStrips *s, const MbContactProblem *problem, size_t i) {
  if (problem->W.dense) return problem->W.dense + i * problem->n;
  problem->W.column(problem->W.context, i, s->whole + (i % 3) * problem->n);
  return s->whole + (i % 3) * problem->n;
}

// W is symmetric: its columns are its rows.
static void fill_dense(MbStrips *s, const MbContactProblem *problem, size_t j) {
  const MbBlock *block = &s->block[j];
  uint32_t *column = s->column + s->first[j];
  double *value = s->value + s->at[j];
  const double *row[3];
  size_t columns = 0;
  for (size_t r = 0; r < block->rows; r++) row[r] = whole_column(s, problem, block->row + r);
  for (size_t k = 0; k < problem->n; k++) {
    bool any = false;
    for (size_t r = 0; r < block->rows; r++) any |= row[r][k] != 0;
    if (!any) continue;
    column[columns] = (uint32_t)k;
    for (size_t r = 0; r < block->rows; r++) value[block->rows * columns + r] = row[r][k];
    columns++;
  }
  s->first[j + 1] = s->first[j] + columns;
  s->at[j + 1] = s->at[j] + columns * block->rows;
}

// Inverts D. Where it is singular (a contact that can move along some directions only) a little is put on its diagonal. The local
// problem is then D λ + (u − D λ_before): the same D both times, so that what was added is of no effect once λ stays.
static void invert(MbBlock *block) {
  static const double SINGULAR = 1e-9, A_LITTLE = 1e-7;
  double *D = block->D, *I = block->I;
  const double c0 = D[4] * D[8] - D[5] * D[7], c1 = D[5] * D[6] - D[3] * D[8], c2 = D[3] * D[7] - D[4] * D[6],
               det = D[0] * c0 + D[1] * c1 + D[2] * c2, mean = block->scale;
  if (!(det > SINGULAR * mean * mean * mean))
    for (int i = 0; i < 3; i++) D[4 * i] += A_LITTLE * mean;
  const double d = D[0] * (D[4] * D[8] - D[5] * D[7]) + D[1] * c1 + D[2] * c2;
  I[0] = (D[4] * D[8] - D[5] * D[7]) / d, I[1] = I[3] = (D[2] * D[7] - D[1] * D[8]) / d;
  I[2] = I[6] = (D[1] * D[5] - D[2] * D[4]) / d, I[4] = (D[0] * D[8] - D[2] * D[6]) / d;
  I[5] = I[7] = (D[2] * D[3] - D[0] * D[5]) / d, I[8] = (D[0] * D[4] - D[1] * D[3]) / d;
}

// Puts `soft` on the diagonal and takes the block's own part out.
static void finish(MbStrips *s, const MbContactProblem *problem, size_t j) {
  MbBlock *block = &s->block[j];
  for (size_t k = s->first[j]; k < s->first[j + 1]; k++) {
    if (s->column[k] < block->row || s->column[k] >= block->row + block->rows) continue;
    const size_t c = s->column[k] - block->row;
    double *value = s->value + s->at[j] + (k - s->first[j]) * block->rows;
    if (problem->soft) value[c] += problem->soft[block->row + c];
    for (size_t r = 0; r < block->rows; r++) block->D[block->rows * r + c] = value[r];
  }
  const double nothing = problem->least ? problem->least[block->row] : 0;
  block->left_out = !(block->D[0] > nothing);
  if (block->rows == 1) {
    block->scale = block->D[0];
    block->I[0] = block->left_out ? 0 : 1 / block->D[0];
    return;
  }
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < r; c++)
      block->D[3 * r + c] = block->D[3 * c + r] = 0.5 * (block->D[3 * r + c] + block->D[3 * c + r]);
  block->scale = (block->D[0] + block->D[4] + block->D[8]) / 3;
  if (!block->left_out) invert(block);
}

static double norm(const double *x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

void mb_strips_make(MbStrips *s, MbRoom *room, const MbContactProblem *problem) {
  size_t columns, values;
  *s = (MbStrips){.n = problem->n, .b = problem->b, .rho = problem->rho};
  count(problem, &s->nblocks, &columns, &values);
  s->block = mb_room_take(room, s->nblocks, sizeof *s->block);
  s->first = mb_room_take(room, s->nblocks + 1, sizeof *s->first);
  s->at = mb_room_take(room, s->nblocks + 1, sizeof *s->at);
  s->column = mb_room_take(room, columns, sizeof *s->column);
  s->value = mb_room_take(room, values, sizeof *s->value);
  s->whole = mb_room_take(room, 3 * problem->n, sizeof *s->whole);
  if (!room->at) return;

  s->first[0] = s->at[0] = 0;
  const MbContactCone *contact = problem->contact;
  for (size_t j = 0, i = 0; j < s->nblocks; i += s->block[j++].rows) {
    MbBlock *block = &s->block[j];
    *block = (MbBlock){.row = (uint32_t)i,
                       .rows = (uint8_t)block_rows(problem, i),
                       .kind = (uint8_t)problem->kind[i],
                       .most = problem->most ? problem->most[i] : 0};
    if (block->rows == 3) {
      block->cone = (uint8_t)contact->cone;
      block->sides = contact->sides;
      block->mu = contact->cone == MB_CONE_NONE ? 0 : contact->mu;
      contact++;
    }
    if (is_sparse(problem))
      fill_sparse(s, &problem->W, j);
    else
      fill_dense(s, problem, j);
    finish(s, problem, j);
  }
  s->size = norm(problem->b, problem->n);
  s->enough = (problem->tolerance > 0 ? problem->tolerance : 1e-10) * s->size;
  if (problem->slack) s->enough = fmax(s->enough, norm(problem->slack, problem->n));
}

void mb_strips_part(MbStrips *part, MbRoom *room, const MbStrips *whole, const uint32_t *blocks, size_t count,
                    const uint32_t *rows) {
  size_t columns = 0, values = 0, n = 0;
  for (size_t k = 0; k < count; k++) {
    const size_t j = blocks[k];
    columns += whole->first[j + 1] - whole->first[j];
    values += whole->at[j + 1] - whole->at[j];
    n += whole->block[j].rows;
  }
  *part = (MbStrips){.n = n, .nblocks = count, .rho = whole->rho};
  part->block = mb_room_take(room, count, sizeof *part->block);
  part->first = mb_room_take(room, count + 1, sizeof *part->first);
  part->at = mb_room_take(room, count + 1, sizeof *part->at);
  part->column = mb_room_take(room, columns, sizeof *part->column);
  part->value = mb_room_take(room, values, sizeof *part->value);
  double *b = mb_room_take(room, n, sizeof *b);
  part->first[0] = part->at[0] = 0;
  for (size_t k = 0; k < count; k++) {
    const size_t j = blocks[k], wide = whole->first[j + 1] - whole->first[j],
                 numbers = whole->at[j + 1] - whole->at[j];
    part->block[k] = whole->block[j];
    part->block[k].row = rows[whole->block[j].row];
    part->first[k + 1] = part->first[k] + wide;
    part->at[k + 1] = part->at[k] + numbers;
    memcpy(part->value + part->at[k], whole->value + whole->at[j], numbers * sizeof *part->value);
    for (size_t c = 0; c < wide; c++)
      part->column[part->first[k] + c] = rows[whole->column[whole->first[j] + c]];
    for (size_t r = 0; r < whole->block[j].rows; r++)
      b[part->block[k].row + r] = whole->b[whole->block[j].row + r];
  }
  part->b = b;
  part->size = norm(b, n);
  // of its own size, but not below what the whole does not see
  part->enough =
      whole->size > 0 ? whole->enough * fmax(part->size / whole->size, 1e-3 / sqrt((double)whole->n)) : 0;
}

// ---- velocities -------------------------------------------------------------------------------------------

void mb_strip_rates(const MbStrips *s, size_t j, const double *lambda, double u[3]) {
  const MbBlock *block = &s->block[j];
  const uint32_t *column = s->column + s->first[j];
  const double *value = s->value + s->at[j];
  const size_t n = s->first[j + 1] - s->first[j];
  size_t k = 0;
  if (block->rows == 1) {
    double sum = s->b[block->row];
    for (; k < n; k++) sum += value[k] * lambda[column[k]];
    u[0] = sum;
    return;
  }
  // even and odd columns by themselves: two chains of sums are faster than one
  double a0 = s->b[block->row], a1 = s->b[block->row + 1], a2 = s->b[block->row + 2], c0 = 0, c1 = 0, c2 = 0;
  for (; k + 1 < n; k += 2, value += 6) {
    const double x = lambda[column[k]], y = lambda[column[k + 1]];
    a0 += value[0] * x, a1 += value[1] * x, a2 += value[2] * x;
    c0 += value[3] * y, c1 += value[4] * y, c2 += value[5] * y;
  }
  if (k < n) {
    const double x = lambda[column[k]];
    a0 += value[0] * x, a1 += value[1] * x, a2 += value[2] * x;
  }
  u[0] = a0 + c0, u[1] = a1 + c1, u[2] = a2 + c2;
}

double mb_strip_relax(const MbStrips *s, size_t j, double *lambda) {
  const MbBlock *block = &s->block[j];
  double u[3], q[3], *x = lambda + block->row;
  if (block->left_out) return 0;
  mb_strip_rates(s, j, lambda, u);
  if (block->rows == 1) {
    const double before = x[0];
    q[0] = u[0] - block->D[0] * before;
    mb_block_solve(block, q, x);
    return fabs(block->D[0] * (x[0] - before));
  }
  const double *D = block->D, before[3] = {x[0], x[1], x[2]};
  for (int i = 0; i < 3; i++) q[i] = u[i] - (D[3 * i] * x[0] + D[3 * i + 1] * x[1] + D[3 * i + 2] * x[2]);
  mb_block_solve(block, q, x);
  const double d[3] = {x[0] - before[0], x[1] - before[1], x[2] - before[2]};
  return block->scale * sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

void mb_strips_rates(const MbStrips *s, const double *lambda, double *w) {
  for (size_t j = 0; j < s->nblocks; j++) {
    double u[3];
    mb_strip_rates(s, j, lambda, u);
    for (size_t r = 0; r < s->block[j].rows; r++) w[s->block[j].row + r] = u[r];
  }
}

double mb_strips_natural(const MbStrips *s, const double *lambda, const double *w) {
  double sum = 0;
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    double part[3];
    if (block->left_out) continue;
    mb_block_natural(block, s->rho > 0 ? s->rho : 1 / block->scale, lambda + block->row, w + block->row,
                     part);
    for (size_t r = 0; r < block->rows; r++) sum += part[r] * part[r];
  }
  return sqrt(sum);
}

void mb_strips_start(const MbStrips *s, const MbContactProblem *problem, double *lambda) {
  for (size_t i = 0; i < s->n; i++) lambda[i] = problem->start ? problem->start[i] : 0;
  for (size_t j = 0; j < s->nblocks; j++) mb_block_clamp(&s->block[j], lambda + s->block[j].row);
}

MbContactResult mb_contact_tell(const MbStrips *s, const double *lambda, const double *w, const char *method,
                                MbContactAnswer *answer) {
  const double natural = mb_strips_natural(s, lambda, w);
  answer->lambda = lambda;
  answer->w = w;
  answer->dropped = NULL;
  answer->method = method;
  answer->natural = s->size > 0 ? natural / s->size : natural;
  return natural <= s->enough ? MB_CONTACT_SOLVED : MB_CONTACT_NOT_CONVERGED;
}
