// W = G A⁻¹ Gᵀ of many rows at once, by the factors of the recursion: every row is a few wrenches on bodies, and with Λ_b the
// inverse inertia that body b shows (how it moves under wrenches on itself),
//   Λ_b = Ψ Λ_p Ψᵀ + T G⁻¹ Tᵀ,   Ψ a_p = X a_p − T G⁻¹ Uᵀ X a_p,
// two wrenches meet in the last body c that carries both: w = F_eᵀ Λ_c F_f, F having been taken up to c by Ψᵀ. All of them
// are taken up together, side by side.
#ifndef MB_SOLVERS_REDMAX_RESPONSES_H
#define MB_SOLVERS_REDMAX_RESPONSES_H

#include "core/model/ops.h"
#include "core/solvers/redmax/posture.h"

typedef struct MbResponses MbResponses;

// Room for so many rows; NULL: out of memory.
MbResponses *mb_responses_create(const MbLinks *links, size_t rows);
void mb_responses_free(MbResponses *responses); // NULL is fine
size_t mb_responses_bytes(const MbResponses *responses);

// Whether this way is open: the bodies of each subtree follow one another, as they do where bodies hold no nodes by reduction. Else W takes an application of A⁻¹ a row.
bool mb_responses_apply(const MbResponses *responses);
// Begins a set of rows; each wrench, of C in C axes, is added to a row; and forces along coordinates (of velocities), false
// where the coordinate is not a hinge's.
void mb_responses_begin(MbResponses *responses);
void mb_responses_add(MbResponses *responses, const MbPosture *posture, size_t row, size_t body,
                      const double w[6]);
bool mb_responses_add_along(MbResponses *responses, const MbPosture *posture, size_t row, size_t coordinate,
                            double force);
// W (k x k) at the last factor
void mb_responses_solve(MbResponses *responses, const MbPosture *posture, size_t k, double *W);
// The same for rows of constraints, as mb_posture_carry has seen them; false where one is about a coordinate of another joint than a hinge, or
// this way is not open.
bool mb_responses_of_rows(MbResponses *responses, const MbPosture *posture, size_t k, const MbRow *const *row,
                          double *W);

#endif
