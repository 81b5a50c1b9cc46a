// Products with S and the coupling (inverse.h), of numbers of type MB_STORE; included for doubles and for floats by
// inverse_machine.h. Vectors stand by planes, one right-hand side each.

KERNEL V4 NAME(four)(const MB_STORE *a) {
#if MB_IS_FLOAT
  V4F v;
  memcpy(&v, a, sizeof v);
  return __builtin_convertvector(v, V4);
#else
  V4 v;
  memcpy(&v, a, sizeof v);
  return v;
#endif
}

// sums (rows x 3) = rows p of `count` numbers times the planes b, `n` apart
KERNEL void NAME(dots)(const MB_STORE *const p[], size_t rows, size_t count, const double *restrict b,
                       size_t n, double *restrict sums) {
  V4 s[12];
  for (size_t k = 0; k < 3 * rows; k++) s[k] = (V4){0};
  size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (size_t q = 0; q < rows; q++) {
      const V4 a = NAME(four)(p[q] + i);
      for (size_t r = 0; r < 3; r++) s[3 * q + r] += a * load(b + r * n + i);
    }
  for (size_t k = 0; k < 3 * rows; k++) sums[k] = (s[k][0] + s[k][1]) + (s[k][2] + s[k][3]);
  for (; i < count; i++)
    for (size_t q = 0; q < rows; q++)
      for (size_t r = 0; r < 3; r++) sums[3 * q + r] += (double)p[q][i] * b[r * n + i];
}

// the planes x += rows p of `count` numbers times y (rows x 3)
KERNEL void NAME(spread)(const MB_STORE *const p[], size_t rows, size_t count, double *restrict x, size_t n,
                         const double *restrict y) {
  size_t i = 0;
  V4 a[12];
  for (size_t k = 0; k < 3 * rows; k++) a[k] = all(y[k]);
  for (; i + 4 <= count; i += 4) {
    V4 s[4];
    for (size_t q = 0; q < rows; q++) s[q] = NAME(four)(p[q] + i);
    for (size_t r = 0; r < 3; r++) {
      V4 sum = load(x + r * n + i);
      for (size_t q = 0; q < rows; q++) sum += s[q] * a[3 * q + r];
      store(x + r * n + i, sum);
    }
  }
  for (; i < count; i++)
    for (size_t r = 0; r < 3; r++)
      for (size_t q = 0; q < rows; q++) x[r * n + i] += (double)p[q][i] * y[3 * q + r];
}

static void NAME(multiply)(const MbInverse *S, const MbInverseItem *item) {
  const size_t n = S->n;
  const MB_STORE *numbers = S->numbers;
  double sums[12];
  for (size_t g = item->group; g < item->end; g++) {
    const MbRowGroup *group = &S->group[g];
    size_t i = group->first;
    for (; i + 4 <= group->last; i += 4) { // then a triangle of three columns
      const MB_STORE *const p[4] = {numbers + S->at[i], numbers + S->at[i + 1], numbers + S->at[i + 2],
                                    numbers + S->at[i + 3]};
      const size_t count = i + 1 - group->from;
      NAME(dots)(p, 4, count, S->b + group->from, n, sums);
      for (size_t q = 0; q < 4; q++)
        for (size_t r = 0; r < 3; r++) {
          double sum = sums[3 * q + r];
          for (size_t k = 0; k < q; k++) sum += (double)p[q][count + k] * S->b[r * n + i + 1 + k];
          S->y[r * n + i + q] = sum;
        }
    }
    for (; i < group->last; i++) {
      const MB_STORE *const p[1] = {numbers + S->at[i]};
      NAME(dots)(p, 1, i + 1 - group->from, S->b + group->from, n, sums);
      for (size_t r = 0; r < 3; r++) S->y[r * n + i] = sums[r];
    }
  }
}

static void NAME(transposed)(const MbInverse *S, const MbInverseItem *item) {
  const size_t n = S->n, begin = item->first, end = item->last;
  const MB_STORE *numbers = S->numbers;
  double y[12];
  for (size_t r = 0; r < 3; r++) memset(S->b + r * n + begin, 0, (end - begin) * sizeof *S->b);
  for (size_t g = item->group; g < item->end; g++) {
    const MbRowGroup *group = &S->group[g];
    if (group->from >= end) continue;
    const size_t low = group->from > begin ? group->from : begin;
    size_t i = group->first;
    for (; i + 4 <= group->last; i += 4) {
      const size_t high = i + 1 < end ? i + 1 : end;
      const MB_STORE *p[4];
      for (size_t q = 0; q < 4; q++) {
        p[q] = numbers + S->at[i + q] + (low - group->from);
        for (size_t r = 0; r < 3; r++) y[3 * q + r] = S->y[r * n + i + q];
      }
      if (high > low) NAME(spread)(p, 4, high - low, S->b + low, n, y);
      for (size_t q = 1; q < 4; q++)
        for (size_t k = i + 1 > begin ? i + 1 : begin; k <= i + q && k < end; k++)
          for (size_t r = 0; r < 3; r++)
            S->b[r * n + k] += (double)numbers[S->at[i + q] + (k - group->from)] * y[3 * q + r];
    }
    for (; i < group->last; i++) {
      const size_t high = i + 1 < end ? i + 1 : end;
      const MB_STORE *const p[1] = {numbers + S->at[i] + (low - group->from)};
      for (size_t r = 0; r < 3; r++) y[r] = S->y[r * n + i];
      if (high > low) NAME(spread)(p, 1, high - low, S->b + low, n, y);
    }
  }
}

static void NAME(couple)(const MbInverse *S, const MbPiece *part) {
  double *border = S->border + 3 * part->border, sums[12];
  memset(border, 0, 3 * part->nborder * sizeof *border);
  for (size_t k = part->block; k < part->block + part->nblocks; k++) {
    const MbCoupling *block = &S->block[k];
    const MB_STORE *a = (const MB_STORE *)S->numbers + block->at;
    const uint32_t *slot = S->slot + block->slot;
    const size_t w = block->columns;
    size_t i = 0;
    for (; i + 4 <= block->rows; i += 4, a += 4 * w) {
      const MB_STORE *const p[4] = {a, a + w, a + 2 * w, a + 3 * w};
      NAME(dots)(p, 4, w, S->y + block->first, S->n, sums);
      for (size_t q = 0; q < 4; q++)
        for (size_t r = 0; r < 3; r++) border[3 * slot[i + q] + r] += sums[3 * q + r];
    }
    for (; i < block->rows; i++, a += w) {
      NAME(dots)(&a, 1, w, S->y + block->first, S->n, sums);
      for (size_t r = 0; r < 3; r++) border[3 * slot[i] + r] += sums[r];
    }
  }
}

static void NAME(uncouple)(const MbInverse *S, const MbPiece *part) {
  const double *border = S->border + 3 * part->border;
  double y[12];
  for (size_t k = part->block; k < part->block + part->nblocks; k++) {
    const MbCoupling *block = &S->block[k];
    const MB_STORE *a = (const MB_STORE *)S->numbers + block->at;
    const uint32_t *slot = S->slot + block->slot;
    const size_t w = block->columns;
    size_t i = 0;
    for (; i + 4 <= block->rows; i += 4, a += 4 * w) {
      const MB_STORE *const p[4] = {a, a + w, a + 2 * w, a + 3 * w};
      for (size_t q = 0; q < 4; q++)
        for (size_t r = 0; r < 3; r++) y[3 * q + r] = -border[3 * slot[i + q] + r];
      NAME(spread)(p, 4, w, S->y + block->first, S->n, y);
    }
    for (; i < block->rows; i++, a += w) {
      for (size_t r = 0; r < 3; r++) y[r] = -border[3 * slot[i] + r];
      NAME(spread)(&a, 1, w, S->y + block->first, S->n, y);
    }
  }
}
