// The one table of methods for rows that push: joints' rows, limits, contacts with friction and joints' friction, all in one problem
//
//     w = (W + diag(soft)) λ + b,      W symmetric and positive semidefinite,
//
// where λ are impulses and w velocities. A method sees W, b and what each row asks; it knows no bodies. Every row is one of
//
//   both ways   w = 0                                   joints, motions, what is tied
//   one way     0 ≤ λ ⊥ w ≥ 0                           limits, ropes
//   bounded     |λ| ≤ most;  w = 0 inside,              motors with a most, friction of joints whose load is known
//               w ≤ 0 where λ = most, w ≥ 0 where λ = −most
//   contact     three rows: normal, first tangent, second tangent. Along the normal 0 ≤ λ_n ⊥ w_n ≥ 0; the tangents push within
//               the section C(μ λ_n) of its cone, so that nothing in it takes more work out:  w_tᵀ(x − λ_t) ≥ 0 for x in C(μ λ_n)
//
// and the section's shape is a point (none), a square with its sides across the tangents (box), a regular polygon with a corner
// on the first tangent (pyramid) or a disc (exact). For the disc this is Coulomb's law; with û = w + μ |w_t| n it is K* ∋ û ⊥ λ ∈ K, so
// that sliding lifts nothing (De Saxcé).
#ifndef MB_CONTACT_CONTACT_OPS_H
#define MB_CONTACT_CONTACT_OPS_H

#include "core/contact/body_factor.h"
#include "core/contact/contact_points.h"
#include "core/contact/pivoting.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum MbContactRowKind {
  MB_CONTACT_BOTH_WAYS,
  MB_CONTACT_ONE_WAY,
  MB_CONTACT_BOUNDED,
  MB_CONTACT_NORMAL, // the first of a contact's three rows
  MB_CONTACT_TANGENT
} MbContactRowKind;

typedef enum MbCone { MB_CONE_NONE, MB_CONE_BOX, MB_CONE_PYRAMID, MB_CONE_EXACT } MbCone;

typedef struct MbContactCone {
  size_t row; // of the normal; the tangents are the next two
  MbCone cone;
  int sides; // of a pyramid: even, 4 to MB_MOST_SIDES
  double mu;
} MbContactCone;

enum { MB_MOST_SIDES = 32 };
#define MB_NO_SLOT UINT32_MAX

// W. One of `dense`, `value`, `factor`, `points` and `column` must be there; where several are, it is taken from the first of them, in that order.
typedef struct MbContactOperator {
  const double *dense; // (n x n)
  // rows of a sparse W: those of row i are first[i] to first[i + 1]
  const size_t *first;   // (n + 1)
  const uint32_t *index; // columns, rising in each row
  const double *value;
  // W = F Fᵀ, which is never formed where it is large: row i has 6 numbers in each of two groups of columns, slot[2 i] and slot[2 i + 1];
  // the rows of a contact have the same two. (Of bodies that nothing couples: a group a body, F = G L⁻ᵀ with A = L Lᵀ.)
  const double *factor; // (n x 12)
  const uint32_t *slot; // (2 n), MB_NO_SLOT: none
  size_t nslots;
  const MbContactPoints *points; // of rows about nodes of deformables
  // out (n) ← column i
  void (*column)(void *context, size_t i, double *out);
  void *context;
} MbContactOperator;

// out (n) ← column i of W, whichever way it is given
void mb_contact_column(const MbContactOperator *W, size_t n, size_t i, double *out);

// Which function of a pair the non-smooth Newton method makes zero.
typedef enum MbContactFunction { MB_CONTACT_MINIMUM_MAP, MB_CONTACT_FISCHER_BURMEISTER } MbContactFunction;

struct MbContactProblem {
  size_t n;
  const double *b;              // (n)
  const MbContactRowKind *kind; // (n)
  const double *soft;           // (n) or NULL: none
  const double *most;           // (n) of bounded rows; NULL where there are none
  const double *slack;          // (n) sizes of w that are rounding, or NULL
  const double *least;          // (n) W_ii up to which a row moves nothing and is left out, or NULL
  size_t ncontacts;
  const MbContactCone *contact; // (ncontacts) rows rising
  MbContactOperator W;
  const double *start; // (n) λ to begin with, or NULL
  bool same;           // all but b, slack and start is as in the last solution with this work

  // A start that is good enough is bettered once all the same: of solutions one after the other, each of which starts from the
  // last, the same little error in all of them would add up
  bool betters;

  double tolerance; // of the natural map over |b|; 0 = 1e-10
  // Method `auto` alone: rows without friction are swept island by island, each until that share is left of what its own b asks for
  bool sweeps;
  size_t iterations; // at most; 0 = the method's own
  double rho;        // of the natural map: see MbContactAnswer; 0 = the inverse of each block's own W
  MbContactFunction function;
  int threads; // 0 = 1; no result depends on it
};

typedef enum MbContactResult {
  MB_CONTACT_SOLVED,
  MB_CONTACT_NOT_CONVERGED, // λ is the best that was met, `natural` tells how good; `why` says what stopped the method
  MB_CONTACT_REFUSED, // the method is not exact for such a problem; `why` says what it cannot take
  MB_CONTACT_MEMORY
} MbContactResult;

// What a method leaves. The arrays belong to the work and are good until its next use.
typedef struct MbContactAnswer {
  const double *lambda; // (n)
  const double *w;      // (n) (W + diag(soft)) λ + b
  const bool *
      dropped; // (n) by pivoting: rows that depend on others or move nothing, w is what they come to. NULL by the others
  const char *method; // who solved it, of those that `auto` tries
  size_t iterations;  // sweeps, steps of Newton's method, pivots
  // ‖(1/ρ)(λ − P(λ − ρ û))‖ / ‖b‖ over all blocks, P the projection to where λ may be. With `rho` of the problem that ρ for all
  // and without the 1/ρ, as others judge such problems; else ρ is 3 / trace of each block's W, so that units do not matter.
  double natural;
  char why[200];
} MbContactAnswer;

// Memory of the methods; zero it before use. It grows by mb_contact_reserve() alone.
typedef struct MbContactWork {
  char *block;
  size_t size;
  MbPivoting pivoting;
  MbBodyFactor bodies; // of W = F Fᵀ
} MbContactWork;

typedef struct MbContactMethod {
  const char *name;
  const char *exact; // what it is exact for, in words
  unsigned rows;     // kinds of rows that it takes: bits 1 << MbContactRowKind
  unsigned cones;    // cones that it takes: bits 1 << MbCone
  // Why it takes no such problem although it takes its rows and cones ("more than 600 rows"), or NULL.
  const char *(*refuses)(const MbContactProblem *problem);
  // Bytes that a solution needs.
  size_t (*room)(const MbContactProblem *problem);
  // Makes room beside those bytes; NULL where there is nothing. False when memory ran out.
  bool (*reserve)(MbContactWork *work, const MbContactProblem *problem);
  MbContactResult (*solve)(MbContactWork *work, const MbContactProblem *problem, MbContactAnswer *answer);
} MbContactMethod;

// The methods, ended by NULL.
extern const MbContactMethod *const mb_contact_methods[];
const MbContactMethod *mb_contact_method(const char *name); // NULL: there is none

// Whether the method takes the problem; false with the reason in `why`.
bool mb_contact_takes(const MbContactMethod *method, const MbContactProblem *problem, char *why, size_t size);
// Makes room for a solution, which then allocates nothing. False when memory ran out.
bool mb_contact_reserve(MbContactWork *work, const MbContactMethod *method, const MbContactProblem *problem);
size_t mb_contact_work_bytes(const MbContactWork *work);
void mb_contact_work_free(MbContactWork *work);

// Asks whether the method takes the problem, then solves it. There must be room.
MbContactResult mb_contact_solve(const MbContactMethod *method, MbContactWork *work,
                                 const MbContactProblem *problem, MbContactAnswer *answer);

#endif
