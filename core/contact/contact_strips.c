// The problem put together block by block, and velocities and the natural map of it.
#include "core/base/targets.h"
#include "core/contact/contact_factor.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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
  mb_contact_column(&problem->W, problem->n, i, s->whole + (i % 3) * problem->n);
  return s->whole + (i % 3) * problem->n;
}

static bool is_soft(const MbContactProblem *problem, const MbBlock *block, size_t k) {
  return problem->soft && problem->soft[k] > 0 && k >= block->row && k < block->row + block->rows;
}

// Columns of one row, as those of three below.
static size_t fill_row(const MbContactProblem *problem, const MbBlock *block, const double *row,
                       uint32_t *column, double *value) {
  size_t columns = 0;
  for (size_t k = 0; k < problem->n; k++) {
    if (row[k] == 0 && !is_soft(problem, block, k)) continue;
    value[columns] = row[k];
    column[columns++] = (uint32_t)k;
  }
  return columns;
}

// Columns that any of a contact's three rows have a number in, one after the other. How many there are.
static size_t fill_contact(const MbContactProblem *problem, const MbBlock *block, const double *const row[3],
                           uint32_t *column, double *value) {
  const double *const first = row[0], *const second = row[1], *const third = row[2];
  size_t columns = 0;
  for (size_t k = 0, n = problem->n; k < n; k++) {
    const double x = first[k], y = second[k], z = third[k];
    if (x == 0 && y == 0 && z == 0 && !is_soft(problem, block, k)) continue;
    value[0] = x, value[1] = y, value[2] = z;
    value += 3, column[columns++] = (uint32_t)k;
  }
  return columns;
}

// W is symmetric: its columns are its rows.
static void fill_dense(MbStrips *s, const MbContactProblem *problem, size_t j) {
  const MbBlock *block = &s->block[j];
  uint32_t *column = s->column + s->first[j];
  double *value = s->value + s->at[j];
  const double *row[3];
  for (size_t r = 0; r < block->rows; r++) row[r] = whole_column(s, problem, block->row + r);
  const size_t columns = block->rows == 3 ? fill_contact(problem, block, row, column, value)
                                          : fill_row(problem, block, row[0], column, value);
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

// What follows from the block's own part.
static void finish_block(MbBlock *block, const MbContactProblem *problem) {
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

// Puts `soft` on the diagonal and takes the block's own part out. A strip has no column of what moves none of its rows, as of the tangent along
// which a planar chain cannot move: its numbers there are 0.
static void finish(MbStrips *s, const MbContactProblem *problem, size_t j) {
  MbBlock *block = &s->block[j];
  memset(block->D, 0, sizeof block->D);
  // columns rise, so that its own are no further than where they would be if there were all
  const size_t last = s->first[j] + block->row + block->rows;
  for (size_t k = last < s->first[j + 1] ? last : s->first[j + 1]; k-- > s->first[j];) {
    if (s->column[k] >= block->row + block->rows) continue;
    if (s->column[k] < block->row) break;
    const size_t c = s->column[k] - block->row;
    double *value = s->value + s->at[j] + (k - s->first[j]) * block->rows;
    if (problem->soft) value[c] += problem->soft[block->row + c];
    for (size_t r = 0; r < block->rows; r++) block->D[block->rows * r + c] = value[r];
  }
  finish_block(block, problem);
}

static double norm(const double *x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

static void fill_blocks(MbStrips *s, const MbContactProblem *problem) {
  const MbContactCone *contact = problem->contact;
  for (size_t j = 0, i = 0; j < s->nblocks; i += s->block[j++].rows) {
    MbBlock *block = &s->block[j];
    // D and I are written later
    block->row = (uint32_t)i;
    block->rows = (uint8_t)block_rows(problem, i);
    block->kind = (uint8_t)problem->kind[i];
    block->cone = 0, block->left_out = false, block->sides = 0;
    block->mu = 0, block->most = problem->most ? problem->most[i] : 0;
    if (block->rows == 1) continue;
    block->cone = (uint8_t)contact->cone;
    block->sides = contact->sides;
    block->mu = contact->cone == MB_CONE_NONE ? 0 : contact->mu;
    contact++;
  }
}

static void make_factor(MbStrips *s, MbRoom *room, const MbContactProblem *problem, MbForming forming) {
  for (size_t i = 0; i < problem->n; i += block_rows(problem, i)) s->nblocks++;
  s->unformed = true;
  s->block = mb_room_take(room, s->nblocks, sizeof *s->block);
  mb_factor_lay(s, room);
  if (room->at) fill_blocks(s, problem);
  if (room->at) mb_factor_fill(s, problem);
  for (size_t j = 0; room->at && j < s->nblocks; j++) finish_block(&s->block[j], problem);
  if (forming == MB_UNFORMED || (forming == MB_FORMED_IF_SMALL && s->n > MB_SMALL)) return;
  const MbStrips unformed = *s;
  mb_factor_form(s, room, &unformed);
}

static void make_formed(MbStrips *s, MbRoom *room, const MbContactProblem *problem) {
  size_t columns, values;
  count(problem, &s->nblocks, &columns, &values);
  s->block = mb_room_take(room, s->nblocks, sizeof *s->block);
  mb_strips_lay(s, room, columns, values);
  s->whole = mb_room_take(room, 3 * problem->n, sizeof *s->whole);
  if (room->at) fill_blocks(s, problem);
  for (size_t j = 0; room->at && j < s->nblocks; j++) {
    if (is_sparse(problem))
      fill_sparse(s, &problem->W, j);
    else
      fill_dense(s, problem, j);
    finish(s, problem, j);
  }
}

static bool has_points(const MbContactProblem *problem) {
  return problem->W.points && !problem->W.dense && !problem->W.value && !mb_factor_is(problem);
}

static void make_points(MbStrips *s, MbRoom *room, const MbContactProblem *problem) {
  const MbContactPoints *points = problem->W.points;
  for (size_t i = 0; i < problem->n; i += block_rows(problem, i)) s->nblocks++;
  s->points = points;
  s->block = mb_room_take(room, s->nblocks, sizeof *s->block);
  s->soft = mb_room_take(room, s->n, sizeof *s->soft);
  s->state = mb_room_take(room, 1, sizeof *s->state);
  double *push = mb_room_take(room, 3 * points->npoints, sizeof *push);
  double *v = mb_room_take(room, mb_points_numbers(points), sizeof *v);
  double *y = mb_room_take(room, 6 * points->nslots, sizeof *y);
  double *z = mb_room_take(room, points->weights, sizeof *z);
  if (!room->at) return;
  *s->state = (MbPointsState){push, v, y, z};
  for (size_t i = 0; i < s->n; i++) s->soft[i] = problem->soft ? problem->soft[i] : 0;
  fill_blocks(s, problem);
  for (size_t j = 0; j < s->nblocks; j++) {
    MbBlock *block = &s->block[j];
    mb_points_own(points, block->row, block->rows, block->D);
    for (size_t r = 0; r < block->rows; r++) block->D[(block->rows + 1) * r] += s->soft[block->row + r];
    finish_block(block, problem);
  }
}

// How large the problem is, and what is enough.
static void measure(MbStrips *s, const MbContactProblem *problem) {
  s->size = norm(problem->b, problem->n);
  s->enough = (problem->tolerance > 0 ? problem->tolerance : 1e-10) * s->size;
  if (problem->slack) s->enough = fmax(s->enough, norm(problem->slack, problem->n));
}

void mb_strips_make(MbStrips *s, MbRoom *room, const MbContactProblem *problem, MbForming forming) {
  *s = (MbStrips){.n = problem->n,
                  .b = problem->b,
                  .rho = problem->rho,
                  .betters = problem->betters,
                  .nslots = problem->W.nslots};
  if (mb_factor_is(problem))
    make_factor(s, room, problem, forming);
  else if (has_points(problem) && forming != MB_FORMED && problem->n > MB_SMALL)
    make_points(s, room, problem);
  else
    make_formed(s, room, problem);
  if (room->at) measure(s, problem);
}

void mb_strips_blocks(MbStrips *s, MbRoom *room, const MbContactProblem *problem) {
  *s = (MbStrips){.n = problem->n, .b = problem->b, .rho = problem->rho, .betters = problem->betters};
  for (size_t i = 0; i < problem->n; i += block_rows(problem, i)) s->nblocks++;
  s->block = mb_room_take(room, s->nblocks, sizeof *s->block);
  if (!room->at) return;
  fill_blocks(s, problem);
  measure(s, problem);
}

static void copy_part(MbStrips *part, MbRoom *room, const MbStrips *whole, const uint32_t *blocks,
                      const uint32_t *rows) {
  size_t columns = 0, values = 0;
  for (size_t k = 0; k < part->nblocks; k++) {
    columns += whole->first[blocks[k] + 1] - whole->first[blocks[k]];
    values += whole->at[blocks[k] + 1] - whole->at[blocks[k]];
  }
  mb_strips_lay(part, room, columns, values);
  for (size_t k = 0; k < part->nblocks; k++) {
    const size_t j = blocks[k], wide = whole->first[j + 1] - whole->first[j],
                 numbers = whole->at[j + 1] - whole->at[j];
    part->first[k + 1] = part->first[k] + wide;
    part->at[k + 1] = part->at[k] + numbers;
    memcpy(part->value + part->at[k], whole->value + whole->at[j], numbers * sizeof *part->value);
    for (size_t c = 0; c < wide; c++)
      part->column[part->first[k] + c] = rows[whole->column[whole->first[j] + c]];
  }
}

void mb_strips_part(MbStrips *part, MbRoom *room, const MbStrips *whole, const uint32_t *blocks, size_t count,
                    const uint32_t *rows) {
  *part = (MbStrips){.nblocks = count, .rho = whole->rho, .betters = whole->betters};
  part->block = mb_room_take(room, count, sizeof *part->block);
  for (size_t k = 0; k < count; k++) {
    part->block[k] = whole->block[blocks[k]];
    part->block[k].row = rows[part->block[k].row];
    part->n += part->block[k].rows;
  }
  if (!whole->F)
    copy_part(part, room, whole, blocks, rows);
  else
    mb_factor_part(part, room, whole, blocks, rows);
  double *b = mb_room_take(room, part->n, sizeof *b);
  for (size_t k = 0; k < count; k++)
    memcpy(b + part->block[k].row, whole->b + whole->block[blocks[k]].row, part->block[k].rows * sizeof *b);
  part->b = b;
  part->size = norm(b, part->n);
  // of its own size, but not below what the whole does not see
  part->enough =
      whole->size > 0 ? whole->enough * fmax(part->size / whole->size, 1e-3 / sqrt((double)whole->n)) : 0;
}

// ---- velocities -------------------------------------------------------------------------------------------

static void point_rates(const MbStrips *s, size_t j, const double *lambda, double u[3]) {
  const size_t row = s->block[j].row, rows = s->block[j].rows;
  mb_points_rates(s->points, s->state, row, rows, u);
  for (size_t r = 0; r < rows; r++) u[r] += s->b[row + r] + s->soft[row + r] * lambda[row + r];
}

typedef double Four __attribute__((vector_size(4 * sizeof(double))));

static inline __attribute__((always_inline)) Four four_at(const double *x) {
  Four made;
  memcpy(&made, x, sizeof made);
  return made;
}

// u ← u + three rows of W λ, of which `value` has a column after the other. Even and odd columns by themselves: two chains of sums are faster than
// one. The fourth number of each is the next column's, and left alone.
MB_CLONES static void add_columns(const double *value, const uint32_t *column, size_t n, const double *lambda,
                                  double u[3]) {
  Four even = {u[0], u[1], u[2], 0}, odd = {0};
  size_t k = 0;
  for (; k + 2 < n; k += 2, value += 6) {
    const double x = lambda[column[k]], y = lambda[column[k + 1]];
    even += four_at(value) * (Four){x, x, x, x};
    odd += four_at(value + 3) * (Four){y, y, y, y};
  }
  for (; k < n; k++, value += 3) {
    const double x = lambda[column[k]];
    const Four last = {value[0] * x, value[1] * x, value[2] * x, 0};
    if (k % 2)
      odd += last;
    else
      even += last;
  }
  even += odd;
  for (int i = 0; i < 3; i++) u[i] = even[i];
}

// u ← rows of one block of W λ + b
static void formed_rates(const MbStrips *s, size_t j, const double *lambda, double u[3]) {
  const MbBlock *block = &s->block[j];
  if (s->points) {
    point_rates(s, j, lambda, u);
    return;
  }
  const uint32_t *column = s->column + s->first[j];
  const double *value = s->value + s->at[j];
  const size_t n = s->first[j + 1] - s->first[j];
  if (block->rows == 1) {
    double sum = s->b[block->row];
    for (size_t k = 0; k < n; k++) sum += value[k] * lambda[column[k]];
    u[0] = sum;
    return;
  }
  memcpy(u, s->b + block->row, 3 * sizeof *u);
  add_columns(value, column, n, lambda, u);
}

// λ ← where it may be that part of the way from `before` to it.
static void go_part(const MbBlock *block, double part, const double before[3], double lambda[3]) {
  for (int i = 0; i < 3; i++) lambda[i] = before[i] + part * (lambda[i] - before[i]);
  mb_block_clamp(block, lambda);
}

double mb_strip_relax(const MbStrips *s, size_t j, double *lambda) {
  const MbBlock *block = &s->block[j];
  double u[3], q[3], *x = lambda + block->row;
  if (block->left_out) return 0;
  if (s->F) return sqrt(mb_factor_sweep(s, j, j + 1, lambda));
  formed_rates(s, j, lambda, u);
  if (block->rows == 1) {
    const double before = x[0];
    q[0] = u[0] - block->D[0] * before;
    mb_block_solve(block, q, x);
    const double change = x[0] - before;
    if (s->points && change != 0) mb_points_push(s->points, s->state, block->row, 1, &change);
    return fabs(block->D[0] * change);
  }
  const double *D = block->D, before[3] = {x[0], x[1], x[2]};
  for (int i = 0; i < 3; i++) q[i] = u[i] - (D[3 * i] * x[0] + D[3 * i + 1] * x[1] + D[3 * i + 2] * x[2]);
  mb_block_solve(block, q, x);
  if (s->part > 0) go_part(block, s->part, before, x);
  const double d[3] = {x[0] - before[0], x[1] - before[1], x[2] - before[2]};
  if (s->points && (d[0] != 0 || d[1] != 0 || d[2] != 0))
    mb_points_push(s->points, s->state, block->row, 3, d);
  return block->scale * sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

double mb_strips_sweep(const MbStrips *s, double *lambda) {
  double sum = 0;
  if (s->F) return mb_factor_sweep(s, 0, s->nblocks, lambda);
  for (size_t j = 0; j < s->nblocks; j++) {
    const double moved = mb_strip_relax(s, j, lambda);
    sum += moved * moved;
  }
  return sum;
}

void mb_strips_begin(const MbStrips *s, const double *lambda) {
  if (s->F) mb_factor_begin(s, lambda);
  if (s->points) mb_points_begin(s->points, s->n, lambda, s->state);
}

void mb_strips_rates(const MbStrips *s, const double *lambda, double *w) {
  if (s->F) {
    mb_factor_begin(s, lambda);
    mb_factor_rates(s, lambda, w);
    return;
  }
  mb_strips_begin(s, lambda);
  for (size_t j = 0; j < s->nblocks; j++) {
    double u[3];
    formed_rates(s, j, lambda, u);
    for (size_t r = 0; r < s->block[j].rows; r++) w[s->block[j].row + r] = u[r];
  }
}

// Impulses so large that w has no such digits make nothing of it zero by law, though it may be zero: what is jammed has λ without bounds.
double mb_strips_natural_up_to(const MbStrips *s, const double *lambda, const double *w, double most) {
  static const double LOST = 20, // of what is enough
      BEYOND = 1 + 1e-9;         // of a square: more than rounding
  const double bound = BEYOND * most * most;
  double sum = 0, largest = 0;
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    double part[3];
    if (block->left_out) continue;
    mb_block_natural(block, s->rho > 0 ? s->rho : 1 / block->scale, lambda + block->row, w + block->row,
                     part);
    for (size_t r = 0; r < block->rows; r++) {
      sum += part[r] * part[r];
      largest = fmax(largest, block->scale * fabs(lambda[block->row + r]));
    }
    if (sum > bound) return INFINITY;
  }
  const double grain = DBL_EPSILON * largest;
  return grain > LOST * s->enough ? fmax(sqrt(sum), grain) : sqrt(sum);
}

double mb_strips_natural(const MbStrips *s, const double *lambda, const double *w) {
  return mb_strips_natural_up_to(s, lambda, w, INFINITY);
}

bool mb_strips_stick(const MbStrips *s, const double *lambda, const double *w, double slow) {
  static const double INSIDE = 1 - 1e-6;
  bool pushes = false;
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    const double *x = lambda + block->row, *u = w + block->row, *b = s->b + block->row;
    pushes |= x[0] != 0;
    if (block->rows == 1 || !(block->mu > 0) || !(x[0] > 0)) continue;
    const double most = INSIDE * block->mu * x[0];
    if (mb_block_holds(block, most, x + 1)) continue;
    const double speed = u[1] * u[1] + u[2] * u[2], without = b[1] * b[1] + b[2] * b[2];
    if (speed > fmax(slow * slow * without, s->enough * s->enough)) return false;
  }
  return pushes;
}

void mb_strips_start(const MbStrips *s, const MbContactProblem *problem, double *lambda) {
  for (size_t i = 0; i < s->n; i++) lambda[i] = problem->start ? problem->start[i] : 0;
  for (size_t j = 0; j < s->nblocks; j++) mb_block_clamp(&s->block[j], lambda + s->block[j].row);
}

MbContactResult mb_contact_tell(const MbStrips *s, const double *lambda, const double *w, const char *method,
                                const char *turns, MbContactAnswer *answer) {
  return mb_contact_tell_known(s, lambda, w, mb_strips_natural(s, lambda, w), method, turns, answer);
}

MbContactResult mb_contact_tell_known(const MbStrips *s, const double *lambda, const double *w,
                                      double natural, const char *method, const char *turns,
                                      MbContactAnswer *answer) {
  answer->lambda = lambda;
  answer->w = w;
  answer->dropped = NULL;
  answer->method = method;
  answer->natural = s->size > 0 ? natural / s->size : natural;
  if (natural <= s->enough) return MB_CONTACT_SOLVED;
  snprintf(answer->why, sizeof answer->why, "%zu %s come to a natural map of %.3g of |b|", answer->iterations,
           turns, answer->natural);
  return MB_CONTACT_NOT_CONVERGED;
}
