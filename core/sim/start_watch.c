// What moves at the start as hard constraints do not let it is stopped by the first step at once: a blow, which takes energy that nobody asked it to take. A cloth that hangs on an arm that
// moves, and is given no velocity of its own, is jerked along. What is driven is asked to begin as it does; ropes and limits may be on their way to where they hold.
#include "core/sim/start_watch.h"
#include "core/base/report.h"
#include "core/sim/constrain.h"
#include "core/sim/constrain_internal.h"

#include <math.h>
#include <stdio.h>

static bool is_held(const MbRowSet *set, size_t s) {
  return set->is[s].kind == MB_ROW_BOTH_WAYS && set->is[s].alpha == 0 && set->row[s].order < 2 &&
         set->row[s].gt == 0;
}

// How many rows are contradicted, and which of them most, by *most.
static size_t find_contradicted(const MbSim *sim, size_t *worst, double *most) {
  static const double
      LARGE = 1e-3,
      SMALL = 1e-4; // of the speeds that a row is about: what is written with three digits; of the fastest
  const MbRowSet *set = &sim->constraining->set;
  size_t count = 0;
  double fastest = 0;
  for (size_t i = 0; i < sim->nv; i++) fastest = fmax(fastest, fabs(sim->state.v[i]));
  for (size_t s = 0; s < sim->model->nslots; s++) {
    double size = 0;
    const double rate = fabs(mb_row_rate_sized(set, s, sim->state.v, &size));
    if (!is_held(set, s) || !(rate > fmax(LARGE * size, SMALL * fastest))) continue;
    count++;
    if (rate > *most) *most = rate, *worst = s;
  }
  return count;
}

void mb_start_watch(MbSim *sim, MbReport *report) {
  size_t worst = 0;
  double most = 0;
  if (!sim->constraining || sim->model->solver.mode == MB_FIRST_ORDER) return;
  mb_rows_make(sim, sim->state.q, sim->state.v, sim->state.t, 0);
  const size_t count = find_contradicted(sim, &worst, &most);
  if (!count) return;
  char others[60] = "";
  if (count > 1) snprintf(others, sizeof others, ", and %zu row%s beside", count - 1, count > 2 ? "s" : "");
  const MbRowSet *set = &sim->constraining->set;
  mb_warning(
      report, "",
      "velocities at the start contradict \"%s\" by %.3g %s/s%s: the first step stops that at once, and "
      "takes energy with it; give what is joined velocities that go together",
      set->is[worst].name, most, set->row[worst].angle ? "rad" : "m", others);
}
