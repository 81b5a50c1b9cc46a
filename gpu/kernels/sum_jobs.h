// Sums of vectors, their products, and largest numbers, several at once: a warp a chunk, then a warp a job over its chunks. The order of
// additions depends on the vectors' lengths alone.
#ifndef MB_GPU_KERNELS_SUM_JOBS_H
#define MB_GPU_KERNELS_SUM_JOBS_H

#include "gpu/kernels/kernel_body.h"

enum { MB_SUM_JOBS = 13, MB_SUM_CHUNK = 256, mb_sum_chunk_NUMBERS = 1, mb_sum_job_NUMBERS = 1 };

typedef struct MbSumJob {
  const double *x, *y; // y NULL: of x alone
  size_t n;
  uint32_t first; // its first chunk
  uint32_t most;  // 1: the largest of x, which is 0 or more
} MbSumJob;

typedef struct MbSumArgs {
  uint32_t jobs, chunks;
  MbSumJob job[MB_SUM_JOBS];
  double *part;   // (chunks)
  double *result; // (jobs)
} MbSumArgs;

// What is no number is not larger.
MB_BODY double mb_sum_join_as(uint32_t most, double one, double other) {
  return !most ? one + other : other > one ? other : one;
}

MB_BODY const MbSumJob *mb_sum_job_of(const MbSumArgs *a, size_t chunk) {
  uint32_t j = 0;
  while (j + 1 < a->jobs && a->job[j + 1].first <= chunk) j++;
  return &a->job[j];
}

MB_BODY void mb_sum_chunk_part(const MbSumArgs *a, size_t i, uint32_t lane, double *sum) {
  const MbSumJob *const job = mb_sum_job_of(a, i);
  const size_t begin = MB_SUM_CHUNK * (i - job->first);
  const size_t end = begin + MB_SUM_CHUNK < job->n ? begin + MB_SUM_CHUNK : job->n;
  for (size_t k = begin + lane; k < end; k += MB_WARP)
    sum[0] = mb_sum_join_as(job->most, sum[0], job->y ? job->x[k] * job->y[k] : job->x[k]);
}
MB_BODY double mb_sum_chunk_join(const MbSumArgs *a, size_t i, double one, double other) {
  return mb_sum_join_as(mb_sum_job_of(a, i)->most, one, other);
}
MB_BODY void mb_sum_chunk_end(const MbSumArgs *a, size_t i, const double *sum) { a->part[i] = sum[0]; }

MB_BODY void mb_sum_job_part(const MbSumArgs *a, size_t i, uint32_t lane, double *sum) {
  const uint32_t end = i + 1 < a->jobs ? a->job[i + 1].first : a->chunks;
  for (uint32_t k = a->job[i].first + lane; k < end; k += MB_WARP)
    sum[0] = mb_sum_join_as(a->job[i].most, sum[0], a->part[k]);
}
MB_BODY double mb_sum_job_join(const MbSumArgs *a, size_t i, double one, double other) {
  return mb_sum_join_as(a->job[i].most, one, other);
}
MB_BODY void mb_sum_job_end(const MbSumArgs *a, size_t i, const double *sum) { a->result[i] = sum[0]; }

#endif
