// Paths that turn in a step of one solution (path_turn.c), and how what they are linearised by changes (path_turn_curve.c).
#ifndef MB_FORCES_PATH_TURN_H
#define MB_FORCES_PATH_TURN_H

#include "core/forces/points.h"

// The tension of a path, how it changes with length and rate, and what of it A has across the path.
typedef struct MbTension {
  double F, F_length, F_rate, across;
} MbTension;

// How a segment has been turned.
typedef struct MbTurnedSegment {
  bool counts, turned;   // it has a direction and is active; that is another one than before
  double u[3];           // as it was
  double stiff, stiffer; // its share by stiffness, and what that changes by with F_length
  double curve[3];       // c_b − c_a
  double rate[3], by[3], e[3];
} MbTurnedSegment;

typedef struct MbPathTurned {
  double pull, longer, faster; // F + F_L longer + F_L̇ faster
  MbTurnedSegment segment[MB_PATH_MOST];
} MbPathTurned;

// Turns the path's directions to where they will be in x->ahead seconds; extra ← what each segment then pulls its first point by besides
// F u, where forces are linearised there; `how` (may be NULL) ← how it is turned. False: the path does not turn, or is not stiff, and is left as it is.
bool mb_path_turn(const MbForce *force, const MbMaximal *x, const MbTension *tension, MbPath *path,
                  double extra[MB_PATH_MOST][3], MbPathTurned *how);

// What a sum is felt by: along F, F_L and F_L̇, and of each segment along its direction to come (`to`), the one it has, its length and the velocity of its end seen from its
// start.
typedef struct MbTurnFelt {
  double F, F_length, F_rate;
  double to[MB_PATH_MOST][3], u[MB_PATH_MOST][3], rate[MB_PATH_MOST][3], length[MB_PATH_MOST];
} MbTurnFelt;

// Adds to `felt` what  Σ weight · extra  is felt by, and takes what is felt along directions to come to what these are made of; by_move and by_phi (nb x 6) += the part of it that
// is the bodies' turning on. `path` has been turned so.
void mb_path_turn_back(const MbForce *force, const MbMaximal *x, const MbTension *tension, const MbPath *path,
                       const MbPathTurned *how, double weight[MB_PATH_MOST][3], MbTurnFelt *felt,
                       double *by_move, double *by_phi);

#endif
