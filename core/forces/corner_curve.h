// How K and D of elements change with the bodies' motion (MbForceCurve), by vectors at the nodes, piece by piece: an element at a point of it, a stencil, a triangle.
//
// K and D of elements are symmetric, but for the forces that turn with bodies that carry nodes, so that with x = ½ (x₁ + x₂), y = ½ (y₁ + y₂), in W,
//
//   S = zᵀ D x + zᵀ K y + Σ f · t,   t = ½ R (ω_y₁ × z_v + ω_z × y₂_v)      of a node that a body carries: f · t = z · [f_C] y₁ and y₂ · … z
//
// A piece says what S is felt by along each vector (`felt`); R b of a node that turns is moved by R (θ × b).
#ifndef MB_FORCES_CORNER_CURVE_H
#define MB_FORCES_CORNER_CURVE_H

#include "core/model/ops.h"

typedef enum MbCornerVector {
  MB_CORNER_PLACE,
  MB_CORNER_RATE,
  MB_CORNER_X,
  MB_CORNER_Y,
  MB_CORNER_Z,
  MB_CORNER_T,
  MB_CORNER_VECTORS
} MbCornerVector;

typedef struct MbCorner {
  size_t body;
  bool turns; // a body carries it; the others' axes are the world's
  double R[9];
  double own[MB_CORNER_VECTORS][3]; // of those that turn, in their axes; no place
  double at[MB_CORNER_VECTORS][3];  // W
  double felt[MB_CORNER_VECTORS][3];
} MbCorner;

// A piece of some kind: adds what is felt, of the vectors of `corner`; returns its part of S + Σ z · f.
typedef struct MbCornerPiece {
  void (*feel)(const void *piece, MbCorner *corner, size_t n);
  double (*value)(const void *piece, const MbCorner *corner, size_t n);
} MbCornerPiece;

// Where a body is and moves, and x and y there.
void mb_corner_take(size_t body, const MbMaximal *x, const MbForceCurve *at, MbCorner *corner);
// Takes a piece of corners that have been taken to the bodies, or its change or value.
void mb_corner_curve(const MbForceCurve *at, MbCorner *corner, size_t n, const void *piece,
                     const MbCornerPiece *kind);

// Whether any of them turns: if not, t is zero, and what is felt along all but places and rates is not asked for.
static inline bool mb_corners_turn(const MbCorner *corner, size_t n) {
  for (size_t a = 0; a < n; a++)
    if (corner[a].turns) return true;
  return false;
}

#endif
