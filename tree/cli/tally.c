#include "cli/tally.h"
#include "core/base/report.h"

#include <math.h>
#include <string.h>

void mb_tally_start(MbTally *t, const MbChannel *channels, size_t count) {
  *t = (MbTally){SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, .worst = NAN};
  for (size_t c = 0; c < count; c++) {
    const MbChannel *channel = &channels[c];
    if (strcmp(channel->name, "energy") != 0) continue;
    for (size_t k = 0; k < channel->width; k++) {
      const char *name = channel->component_names[k];
      const size_t index = channel->offset + k;
      if (!strcmp(name, "kinetic")) t->kinetic = index;
      if (!strcmp(name, "gravity")) t->gravity = index;
      if (!strcmp(name, "elastic")) t->elastic = index;
      if (!strcmp(name, "total")) t->total = index;
    }
  }
}

static bool has_energy(const MbTally *t) {
  return t->kinetic != SIZE_MAX && t->gravity != SIZE_MAX && t->elastic != SIZE_MAX && t->total != SIZE_MAX;
}

void mb_tally_frame(MbTally *t, const double *frame, double error) {
  if (has_energy(t)) {
    t->last = mb_plain(frame[t->total]);
    if (!t->started) {
      t->first = t->last;
      t->moving = frame[t->kinetic] + fabs(frame[t->elastic]);
      t->height = frame[t->gravity];
    }
    t->fallen = fmax(t->fallen, t->height - frame[t->gravity]);
  }
  t->worst = fmax(t->worst, error); // of NaN and a number, the number
  t->started = true;
}

double mb_tally_scale(const MbTally *t) {
  return has_energy(t) && t->started ? mb_plain(t->moving + t->fallen) : NAN;
}

double mb_tally_drift(const MbTally *t) {
  static const double ROUNDING = 1e-12; // of the energies that are subtracted
  const double scale = mb_tally_scale(t), change = t->last - t->first;
  if (isnan(scale)) return NAN;
  if (fabs(change) <= ROUNDING * (fabs(t->last) + fabs(t->first))) return 0;
  return scale > ROUNDING * (fabs(t->last) + fabs(t->first)) ? mb_plain(change / scale) : NAN;
}

double mb_tally_constraint(const MbTally *t) { return t->worst; }
