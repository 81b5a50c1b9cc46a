// What passes leave of an instant, kept as numbers (core/solvers/keep.h).
#ifndef MB_SOLVERS_REDMAX_POSTURE_KEEP_H
#define MB_SOLVERS_REDMAX_POSTURE_KEEP_H

#include "core/solvers/redmax/posture.h"

// How many numbers.
size_t mb_posture_keep_numbers(const MbPosture *posture);
// kept ← where bodies and their joints are.
void mb_posture_keep_instant(const MbPosture *posture, double *kept);
// Adds how joints take part in A⁻¹.
void mb_posture_keep_factor(const MbPosture *posture, double *kept);
// Puts both back, the factor being that of M. Of the rest MbLanes.recall is to be asked, with the poses and twists of x.
void mb_posture_put(MbPosture *posture, const double *kept, MbMaximal *x);

#endif
