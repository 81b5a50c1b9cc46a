// How K and D of a tension along a path change (path_curve.c).
#ifndef MB_FORCES_PATH_CURVE_H
#define MB_FORCES_PATH_CURVE_H

#include "core/forces/points.h"

// The tension of a path and its derivatives by length and rate.
typedef struct MbTensionCurve {
  double F, F_length, F_rate, F_length_length, F_length_rate, F_rate_rate;
} MbTensionCurve;

// Adds how S changes (MbForceCurve), also where a step turns the path (path_turn.c), which `path` is then.
void mb_path_curve(const MbForce *force, const MbMaximal *x, const MbTensionCurve *tension, MbPath *path,
                   const MbForceCurve *at);

#endif
