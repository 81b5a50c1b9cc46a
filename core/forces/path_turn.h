// Paths that turn in a step of one solution (path_turn.c).
#ifndef MB_FORCES_PATH_TURN_H
#define MB_FORCES_PATH_TURN_H

#include "core/forces/points.h"

// The tension of a path, how it changes with length and rate, and what of it A has across the path.
typedef struct MbTension {
  double F, F_length, F_rate, across;
} MbTension;

// Turns the path's directions to where they will be in x->ahead seconds; extra ← what each segment then pulls its first point by besides
// F u, where forces are linearised there. False: the path does not turn, or is not stiff, and is left as it is.
bool mb_path_turn(const MbForce *force, const MbMaximal *x, const MbTension *tension, MbPath *path,
                  double extra[MB_PATH_MOST][3]);

#endif
