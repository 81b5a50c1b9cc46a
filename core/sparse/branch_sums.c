// Sums and products of branches: see branches.h.
#include "core/base/targets.h"
#include "core/sparse/branches.h"

#include <string.h>

size_t mb_branch_join(const MbBranch *const *of, size_t n, MbStretch *run, size_t *length) {
  uint32_t at[MB_BRANCH_TERMS] = {0}, end = 0;
  size_t count = 0, sum = 0;
  for (;;) {
    size_t least = n;
    for (size_t k = 0; k < n; k++)
      if (of[k]->s && at[k] < of[k]->nruns &&
          (least == n || of[k]->run[at[k]].first < of[least]->run[at[least]].first))
        least = k;
    if (least == n) break;
    const MbStretch *next = &of[least]->run[at[least]++];
    const uint32_t last = next->first + next->count, first = count && next->first < end ? end : next->first;
    if (last <= first && count) continue;
    const bool on = count && first == end;
    if (!on && run) run[count] = (MbStretch){first, 0};
    if (!on) count++;
    if (run) run[count - 1].count += last - first;
    sum += last - first;
    end = last;
  }
  *length = sum;
  return count;
}

MB_CLONES void mb_branch_sum(const MbBranch *const *of, const double *weight, size_t n, const MbBranch *sum,
                             double *s) {
  size_t length = 0;
  for (uint32_t r = 0; r < sum->nruns; r++) length += sum->run[r].count;
  if (length) memset(s, 0, length * sizeof *s);
  for (size_t k = 0; k < n; k++) {
    const double *from = of[k]->s;
    double *to = s;
    uint32_t at = 0;
    for (uint32_t r = 0; from && r < of[k]->nruns; from += of[k]->run[r++].count) {
      const MbStretch *run = &of[k]->run[r];
      while (run->first >= sum->run[at].first + sum->run[at].count) to += sum->run[at++].count;
      double *restrict x = to + (run->first - sum->run[at].first);
      MB_SIMD
      for (uint32_t i = 0; i < run->count; i++) x[i] += weight[k] * from[i];
    }
  }
}

// ---- products ---------------------------------------------------------------------------------------------

MB_CLONES double mb_branch_dot(const MbBranch *s, const MbBranch *t) {
  const double *a = s->s, *b = t->s;
  double sum = 0;
  if (!a || !b) return 0;
  for (uint32_t i = 0, j = 0; i < s->nruns && j < t->nruns;) {
    const MbStretch *p = &s->run[i], *q = &t->run[j];
    const uint32_t p_end = p->first + p->count, q_end = q->first + q->count,
                   begin = p->first > q->first ? p->first : q->first, end = p_end < q_end ? p_end : q_end;
    const uint32_t both = end > begin ? end - begin : 0;
    if (both) {
      const double *x = a + (begin - p->first), *y = b + (begin - q->first);
      MB_SIMD_SUM(sum)
      for (uint32_t k = 0; k < both; k++) sum += x[k] * y[k];
    }
    if (p_end <= q_end) i++, a += p->count;
    if (q_end <= p_end) j++, b += q->count;
  }
  return sum;
}

typedef double Four __attribute__((vector_size(4 * sizeof(double))));

static inline __attribute__((always_inline)) Four four_at(const double *x) {
  Four made;
  memcpy(&made, x, sizeof made);
  return made;
}

MB_CLONES void mb_branch_add(const MbBranch *s, const double f[3], size_t rows, double *y) {
  const double *a = s->s;
  for (uint32_t r = 0; a && r < s->nruns; r++) {
    const size_t n = s->run[r].count;
    double *x = y + s->run[r].first, *const end = x + (n & ~(size_t)3), *const last = x + n;
    for (; x < end; x += 4, a += 4) {
      const Four by = four_at(a), sum0 = four_at(x) + by * f[0], sum1 = four_at(x + rows) + by * f[1],
                 sum2 = four_at(x + 2 * rows) + by * f[2];
      memcpy(x, &sum0, sizeof sum0);
      memcpy(x + rows, &sum1, sizeof sum1);
      memcpy(x + 2 * rows, &sum2, sizeof sum2);
    }
    for (; x < last; x++, a++) x[0] += *a * f[0], x[rows] += *a * f[1], x[2 * rows] += *a * f[2];
  }
}

// Four chains of sums for each right-hand side go side by side.
MB_CLONES void mb_branch_rate(const MbBranch *s, size_t rows, const double *y, double out[3]) {
  Four s0 = {0}, s1 = {0}, s2 = {0};
  const double *a = s->s;
  for (uint32_t r = 0; a && r < s->nruns; r++) {
    const size_t n = s->run[r].count;
    const double *x = y + s->run[r].first, *const end = x + (n & ~(size_t)3), *const last = x + n;
    for (; x < end; x += 4, a += 4) {
      const Four by = four_at(a);
      s0 += four_at(x) * by, s1 += four_at(x + rows) * by, s2 += four_at(x + 2 * rows) * by;
    }
    for (; x < last; x++, a++) {
      s0 += (Four){x[0] * *a, 0, 0, 0}, s1 += (Four){x[rows] * *a, 0, 0, 0};
      s2 += (Four){x[2 * rows] * *a, 0, 0, 0};
    }
  }
  out[0] = (s0[0] + s0[1]) + (s0[2] + s0[3]);
  out[1] = (s1[0] + s1[1]) + (s1[2] + s1[3]);
  out[2] = (s2[0] + s2[1]) + (s2[2] + s2[3]);
}

MB_CLONES void mb_branch_add_alone(const MbBranch *s, double f, double *y) {
  const double *restrict a = s->s;
  for (uint32_t r = 0; a && r < s->nruns; a += s->run[r++].count) {
    const size_t n = s->run[r].count;
    double *restrict x = y + s->run[r].first;
    MB_SIMD
    for (size_t i = 0; i < n; i++) x[i] += f * a[i];
  }
}

MB_CLONES double mb_branch_rate_alone(const MbBranch *s, const double *y) {
  const double *a = s->s;
  double sum = 0;
  for (uint32_t r = 0; a && r < s->nruns; a += s->run[r++].count) {
    const size_t n = s->run[r].count;
    const double *x = y + s->run[r].first;
    MB_SIMD_SUM(sum)
    for (size_t i = 0; i < n; i++) sum += a[i] * x[i];
  }
  return sum;
}
