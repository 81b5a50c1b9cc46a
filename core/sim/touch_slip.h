// Which bounds friction of a contact has come to, under every cone (touch_slip.c).
#ifndef MB_SIM_TOUCH_SLIP_H
#define MB_SIM_TOUCH_SLIP_H

#include "core/sim/touch.h"

// Forces along the tangents, λ_t, that are at bounds  m · λ_t = share μ λ_n. Under the round cone m turns with what slides, and there is no other equation.
typedef struct MbTouchSlip {
  int n;           // how many there are; 0: it sticks
  double m[2][2];  // unit vectors along the tangents
  double share[2]; //
  double most;     // μ λ_n
} MbTouchSlip;

// Returns the bounds that a contact which has pushed is at, but for rounding.
MbTouchSlip mb_touch_slip(const MbContacts *rules, const MbPushed *touch);
// Tells whether two contacts are at the same bounds.
bool mb_touch_slips_alike(const MbContacts *rules, const MbPushed *one, const MbPushed *other);
// Tells whether a contact is about to come to other bounds, where rates are small against `size`.
bool mb_touch_slip_near(const MbContacts *rules, const MbPushed *touch, double size);

#endif
