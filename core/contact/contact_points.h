// W of rows about points that something behind them couples all with all, as nodes of deformables are, and about bodies that nothing couples:
//
//   W = H S Hᵀ + F Fᵀ + V N Vᵀ
//
// with S what a push at one point does to another, along each axis by itself; F of bodies as in contact_ops.h; N of few numbers. Many rows
// are about few points: W is never formed where there are many rows, but what λ does at the points is kept, S Hᵀ λ. Of many points S is not
// formed either: they have branches (sparse/branches.h), S = B Bᵀ, and what is kept is y = Bᵀ Hᵀ λ. Where all columns of W are wanted, as
// methods for few rows do, S is worth its room.
#ifndef MB_CONTACT_CONTACT_POINTS_H
#define MB_CONTACT_CONTACT_POINTS_H

#include "core/sparse/branches.h"

#include <stdbool.h>

enum { MB_POINT_ENDS = 4 };   // points of a row
enum { MB_POINTS_FEW = 512 }; // of which a table of S is kept

// A point Σ weight x of nodes, by their numbers in the solver's list.
typedef struct MbPointSum {
  uint32_t n, node[MB_POINT_ENDS];
  double weight[MB_POINT_ENDS];
} MbPointSum;

typedef struct MbContactPoints {
  size_t npoints, width;  // width 1: S is the same along all axes; 3: each has its own
  const double *S;        // (npoints x npoints x width) symmetric; NULL: there are branches
  const MbBranch *branch; // (npoints)
  const double *self;     // (npoints) s · s of each branch; NULL: to be found
  double *table;          // (npoints x npoints) S of few points with branches; NULL: columns are by these
  bool *tabled;           // whether S stands there, as a column of W has been wanted
  bool lone;   // along the first axis alone, of points with branches: there is nothing along the others
  size_t rows; // that branches run over
  const size_t *
      first; // (n + 1) where the ends of each row begin; all rows of a contact have the same points, in one order
  const uint32_t *point; // of each end
  const double *H;       // three of each end
  size_t nslots;         // bodies
  const double *F;       // (n x 12)
  const uint32_t *slot;  // (2 n) UINT32_MAX: none
  size_t weights;
  const double *V, *NV;  // (n x weights) V, and V N
  double *scratch;       // (3 npoints) for columns of S or of the table
  const MbPointSum *sum; // (npoints) what each is of; NULL: not told
  uint64_t version;      // another one whenever all but V and NV may have become others
} MbContactPoints;

// What λ does, as sweeps keep it.
typedef struct MbPointsState {
  double *push; // (3 npoints) Hᵀ λ
  double *v;    // (mb_points_numbers) S Hᵀ λ, or Bᵀ Hᵀ λ, the three axes one after the other
  double *y;    // (6 nslots) Fᵀ λ
  double *z;    // (weights) N Vᵀ λ
} MbPointsState;

// Numbers of v.
static inline size_t mb_points_numbers(const MbContactPoints *p) {
  return (p->lone ? 1 : 3) * (p->branch ? p->rows : p->npoints);
}

// out (n) ← column i of W.
void mb_points_column(const MbContactPoints *points, size_t n, size_t i, double *out);
// D (rows x rows) ← the part of W that rows [row, row + rows) have by themselves.
void mb_points_own(const MbContactPoints *points, size_t row, size_t rows, double *D);
// Begins at λ (n).
void mb_points_begin(const MbContactPoints *points, size_t n, const double *lambda, MbPointsState *state);
// u ← W λ of rows [row, row + rows), which are about the same points; three at most.
void mb_points_rates(const MbContactPoints *points, const MbPointsState *state, size_t row, size_t rows,
                     double *u);
// Adds d to the λ of rows [row, row + rows), which are about the same points.
void mb_points_push(const MbContactPoints *points, MbPointsState *state, size_t row, size_t rows,
                    const double *d);

#endif
