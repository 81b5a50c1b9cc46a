// Contact problems for tests, made of bodies that stand where they like: W = H M⁻¹ Hᵀ, b = H v.
#ifndef MB_TESTS_CONTACT_MAKE_H
#define MB_TESTS_CONTACT_MAKE_H

#include "core/contact/contact_ops.h"
#include "tests/support.h"

// A problem with the memory that it points to. Free with made_free().
typedef struct Made {
  MbContactProblem problem;
  size_t room; // rows there is room for
  double *W, *b, *soft, *most, *start;
  MbContactRowKind *kind;
  MbContactCone *contact;
  double *H;         // (rows x 6 bodies) while it is made
  size_t (*ends)[2]; // (rows) the bodies of each
  size_t bodies;
  double *mass; // (6 bodies) diagonal of M
  double *v;    // (6 bodies)
  size_t *first;
  uint32_t *index;
  double *value, *factor;
  uint32_t *slot;
} Made;

// Bodies of such masses (moments are 0.4 of them, as those of balls of radius 1) with velocities v (6 each, angular first).
Made made_begin(size_t bodies, size_t room);
// A row of H: what pushes `body` along n at arm r pushes `other` (SIZE_MAX: the world) the other way at arm s.
void made_row(Made *made, MbContactRowKind kind, size_t body, const double r[3], size_t other,
              const double s[3], const double n[3]);
// Three rows; the tangents follow from the normal.
void made_contact(Made *made, size_t body, const double r[3], size_t other, const double s[3],
                  const double n[3], MbCone cone, double mu);
// W and b of the rows there are, dense; with `sparse` as rows without zeros.
void made_end(Made *made, bool sparse);
// The same W as F Fᵀ, of a problem that is there.
void made_factor(Made *made);
void made_free(Made *made);

// A problem of a given W (n x n) and b, contacts only, n a multiple of 3.
Made made_given(size_t contacts, const double *W, const double *b, MbCone cone, double mu);

// Balls in a heap: contacts between random pairs and with the world, masses spread over `spread` decades. With `mixed` some rows both
// ways, one way and bounded stand before and between the contacts.
Made made_heap(uint64_t *seed, size_t bodies, size_t contacts, double mu, MbCone cone, double spread,
               bool mixed);
// A stack of boxes, four contacts each: W is singular (hyperstatic). It is pushed sideways by `push` of its weight.
Made made_stack(size_t boxes, double mu, MbCone cone, double push, double ratio);

// The natural map over |b| by a formula of the tests' own, ρ = 3 / trace of each block.
double made_natural(const Made *made, const double *lambda);

// Solves by name; the answer's arrays belong to `work`.
MbContactResult made_solve(const Made *made, const char *method, MbContactWork *work,
                           MbContactAnswer *answer);

#endif
