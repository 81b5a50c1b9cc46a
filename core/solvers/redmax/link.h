// One body of a tree as the recursions read it, in records that processors and devices have alike.
//
// Every body b has an origin O, fixed in it: a point of the axis where the joint is revolute, where all axes meet where it is made of several turns,
// else the centre of mass C.
// The recursions work in world axes at these origins, so that going from a body to its parent is a translation by
// r = O_b − O_p and no more, whatever the axes and placements are.
//
// A revolute joint turns about an axis that does not move in C axes: with k the rotation of C in the parent's C at q = 0 and a
// the axis in C axes, the relative quaternion at the angle q is
//   k (cos q/2, a sin q/2) = cos q/2 · k + sin q/2 · k2,   k2 = k (0, a)
// A joint made of several turns (MbJointOps.turns) is a product of such quaternions, and each a is of the axes that its own turn leads to.
#ifndef MB_SOLVERS_REDMAX_LINK_H
#define MB_SOLVERS_REDMAX_LINK_H

#include <stdbool.h>
#include <stdint.h>

typedef enum MbLinkKind { MB_LINK_REVOLUTE, MB_LINK_GENERAL, MB_LINK_FREE } MbLinkKind;

// What every pass reads. What a body's children need of it is kept in slots: a slot is taken when the body is come to and
// given up after its last child, so that there are as many as the tree is wide, not as it has bodies, and they stay in cache.
// Backwards the same slots take the sums over children.
typedef struct MbHop {
  uint32_t slot, up; // its own, its parent's; slot 0 is the world's
  uint16_t kind;     // MbLinkKind
  bool leaf, last;   // has no children; is its parent's last child
  bool flies;        // the model's
  bool alone;        // free in space and has no children: A is its M where nothing derived is in it
  uint8_t turns;     // a general one: how many turns it is made of; 0: it is not
  uint32_t n;        // degrees of freedom
  uint32_t q, v;     // its first coordinate and velocity
  uint32_t column,
      square; // joints that are not revolute: its first degree of freedom among theirs, place of its n x n numbers
  double m;
} MbHop;

// What the pass over poses reads beside it.
typedef struct MbLink {
  double e[3]; // of turns: O − O_p in the parent's C axes; else the joint's place in the parent from O_p
  double c[3]; // C − O in C axes; zero where O is C
  double m, I[3];
  uint32_t
      along; // revolute: 0, 1, 2 where k = 1 and a is C's x, y, z axis, so that they need not be read; else 3
  uint32_t turn; // else their place in the list of turns, of a joint made of several that of the first
} MbLink;

typedef struct MbTurn {
  double k[4], k2[4], a[3]; // of a turn
} MbTurn;

#endif
