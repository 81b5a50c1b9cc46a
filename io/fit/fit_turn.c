// A rotation can be told in two ways (core/sim/turns.h). A run goes from one to the other at some step, and what the data was taken from
// may have done so at another time, or not at all. So what is summed up around a time is brought to one way first, and of the sum the way
// counts that is nearer to the data.
#include "io/fit/fit_turn.h"

#include <math.h>
#include <string.h>

// The sample that counts most.
static size_t heaviest(const MbFitPoint *p) {
  size_t most = 0;
  for (size_t k = 1; k < p->count; k++)
    if (fabs(p->weight[k]) > fabs(p->weight[most])) most = k;
  return p->first + most;
}

void mb_fit_turn_at(const MbFitMatch *m, const MbFitPoint *p, const MbFitTurn *turn, const double *samples,
                    const double *changes, double value[4], double *slope) {
  const size_t n = turn->in_frame.width;
  const double *near = samples + heaviest(p) * m->width + turn->at;
  double one[4], one_slope[4], wanted[4];
  for (size_t i = 0; i < 4; i++) value[i] = 0;
  for (size_t i = 0; i < 4 && slope; i++) slope[i] = 0;
  for (size_t k = 0; k < p->count; k++) {
    const size_t at = (p->first + k) * m->width + turn->at;
    memcpy(one, samples + at, n * sizeof *one);
    if (slope) memcpy(one_slope, changes + at, n * sizeof *one_slope);
    mb_turn_bring(one, slope ? one_slope : NULL, near, n);
    for (size_t i = 0; i < n; i++) value[i] += p->weight[k] * one[i];
    for (size_t i = 0; i < n && slope; i++) slope[i] += p->weight[k] * one_slope[i];
  }
  for (size_t i = 0; i < n; i++) wanted[i] = turn->data[i] ? turn->data[i]->value[p->row] : (double)NAN;
  mb_turn_bring(value, slope, wanted, n);
}
