// Interior points: the method that mass ratios and loads that are left open trouble least (interior.c).
#ifndef MB_CONTACT_INTERIOR_H
#define MB_CONTACT_INTERIOR_H

#include "core/contact/body_sums.h"
#include "core/contact/second_order.h"
#include "core/math/averages.h"

// What a block is here: one that has no λ, a row both ways, one that pushes one way (a contact without friction is one), one within bounds, a
// contact with the exact cone.
typedef enum MbInsideIs {
  MB_INSIDE_NOTHING,
  MB_INSIDE_FREE,
  MB_INSIDE_ONE_SIDED,
  MB_INSIDE_BOUNDED,
  MB_INSIDE_CONE
} MbInsideIs;

// One block: along a contact's scaled measures, or of one row.
typedef struct MbInside {
  MbInsideIs is;
  size_t rows;         // that have a λ
  double x[3], z[3];   // what pushes and what comes of it, inside their cones; of a bounded row λ
  double pull[2];      // of a bounded row: what holds it at either bound
  double slip, seen;   // the speed that the turn takes for the contact's, and the one that w has
  double r[3];         // by how much z is not that of x
  double dx[3], dz[3]; // of a bounded row dz is of `pull`
  double aim[3];       // dz + H dx; of a bounded row what `pull` would change by without dx
  double K[3],
      H[3]; // how x changes with z, and the opposite, along the scaling's axes; of one row K[0] and H[0]
  MbConeScaling scaling;
} MbInside;

typedef struct MbInterior {
  MbStrips strips;
  MbBodySums sums; // of strips that are not formed
  MbInside *inside;
  double *lambda, *w, *best, *trial, *right, *left; // (n)
  double *A;                                        // (n x n) of strips that are formed, by rows
  double *y;                                        // (width + 6) of those that are not
  double (*K)[9];                                   // (nblocks)
  double *slip, *moved;                             // (nblocks) of a turn, and what it has changed it by
  MbAverages averages;                              // of turns
  double held;                                      // δ of each block's own W, at least
} MbInterior;

// What is left of a turn's problem, and how far the slips are from those that it takes for them.
typedef struct MbInteriorLeft {
  double convex, slips;
  double gap;    // mean of xᵀz
  double beside; // the same of x and of what z is off by
} MbInteriorLeft;

// Tells whether it can take the strips: no boxes and pyramids, and a W that is formed and small or of one group of bodies.
bool mb_interior_takes(const MbStrips *strips, const MbBodyFactor *factor);
// Lays out what steps need; λ is the caller's to fill.
void mb_interior_make(MbInterior *interior, MbRoom *room, const MbStrips *strips, MbBodyFactor *factor);
// Steps until the natural map is enough, or `most` times. Leaves the better of the best λ that was met and the λ it had, and its w.
bool mb_interior_run(MbInterior *interior, size_t most, size_t *done);

// Goes one step towards the solution of the turn's problem (interior_step.c), of which that is left. False: there is none.
bool mb_interior_step(MbInterior *interior, const MbInteriorLeft *left);

#endif
