// The swing s(ω) of a body that flies is a step's torque s/h in the place of Iω × ω. How it changes is told by differences over a small part of the spin: the flight goes by series for small turns
// and by parts for large ones, which are as smooth as they are exact.
#include "core/sim/tangent_swing.h"
#include "core/math/vec3.h"
#include "core/model/flight.h"

#include <string.h>

void mb_tangent_swing(const MbModel *model, size_t b, const double w[3], double B[9]) {
  static const double MOVE = 1e-5; // of the spin
  const double move = MOVE * mb_vec3_norm(w), *I = model->M + 6 * b;
  memset(B, 0, 9 * sizeof *B);
  if (move == 0) return; // s is of second order in ω
  for (int k = 0; k < 3; k++)
    for (int side = -1; side <= 1; side += 2) {
      double moved[3], s[3];
      mb_vec3_copy(moved, w);
      moved[k] += side * move;
      mb_flight_swing(model->h, I, moved, s);
      for (int i = 0; i < 3; i++) B[3 * i + k] += side * s[i] / (2 * move);
    }
}
