#include "cli/tally.h"
#include "core/base/report.h"

#include <math.h>
#include <string.h>

void mb_tally_start(MbTally *t, const MbChannel *channels, size_t count) {
  *t = (MbTally){.energy = SIZE_MAX, .worst = NAN};
  for (size_t c = 0; c < count; c++) {
    const MbChannel *channel = &channels[c];
    if (strcmp(channel->name, "energy") != 0) continue;
    t->energies = channel->offset;
    t->nenergies = channel->width;
    for (size_t k = 0; k < channel->width; k++)
      if (!strcmp(channel->component_names[k], "total")) t->energy = channel->offset + k;
  }
}

void mb_tally_frame(MbTally *t, const double *frame, double error) {
  if (t->energy != SIZE_MAX) {
    t->last = mb_plain(frame[t->energy]);
    if (!t->started) t->first = t->last;
    for (size_t k = 0; k < t->nenergies; k++) t->scale = fmax(t->scale, fabs(frame[t->energies + k]));
  }
  t->worst = fmax(t->worst, error); // of NaN and a number, the number
  t->started = true;
}

double mb_tally_drift(const MbTally *t) {
  if (t->energy == SIZE_MAX || !t->started) return NAN;
  return t->scale > 0 ? mb_plain((t->last - t->first) / t->scale) : 0;
}

double mb_tally_constraint(const MbTally *t) { return t->worst; }
