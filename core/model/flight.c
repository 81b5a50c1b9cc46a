#include "core/model/flight.h"
#include "core/model/flight_body.h"

void mb_flight_swing(double h, const double I[3], const double w[3], double swing[3]) {
  mb_swing_of(h, I, w, swing);
}

void mb_flight_carry(double h, const double I[3], const double swing[3], double w[3]) {
  mb_carry_of(h, I, swing, w);
}
