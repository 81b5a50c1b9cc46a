// What pushed in a step, and the work that it has done, as they are found; they become the state's when the step is done.
#include "core/sim/touch.h"

void mb_touch_begin_notes(MbSim *sim) {
  sim->touching->done.n = 0;
  mb_impacts_begin(&sim->touching->impacts);
  sim->touching->work = mb_section(sim, MB_SECTION_CONTACT)[0];
}

void mb_touch_note(MbSim *sim, const MbTouch *touch, const double lambda[3], const double before[3],
                   const double after[3]) {
  MbTouching *t = sim->touching;
  MbTouch *done = &t->done.touch[t->done.n++]; // there is room for all that are listed
  *done = *touch;
  mb_vec3_copy(done->lambda, lambda);
  mb_vec3_copy(done->rate, after);
  for (int k = 0; k < 3; k++) t->work += lambda[k] * (before[k] + after[k]) / 2;
  mb_impacts_note(&t->impacts, touch, lambda, before, t->rules->threshold,
                  ((double)sim->state.step + 1) * sim->model->h);
}
