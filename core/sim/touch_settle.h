// Contacts are solved until what they ask for is that of where the solution leads (touch_settle.c).
#ifndef MB_SIM_TOUCH_SETTLE_H
#define MB_SIM_TOUCH_SETTLE_H

#include "core/sim/touch_finding.h"

// Solves the problem, and again about where that leads. False: it is no use going on.
bool mb_touch_settle(MbFinding *finding);

#endif
