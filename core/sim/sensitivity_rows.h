// Private to core/sim/sensitivity*.c: derivatives of stages with rows. sensitivity_stage.c has the derivation, sensitivity_border.c solves.
#ifndef MB_SIM_SENSITIVITY_ROWS_H
#define MB_SIM_SENSITIVITY_ROWS_H

#include "core/sim/ask.h"
#include "core/sim/dense_lu.h"
#include "core/sim/sensitivity_parts.h"

// What one number changes at a stage, everything else being as it is; (nv) and (rows).
typedef struct MbRowsNumber {
  double *inertia; // M (p − w)
  double *y, *r;   // Gᵀ μ and what the rows ask of the stage
  double *idle;    // and what those ask that move nothing
  double *yp, *rp; // Gᵀ ν and what they ask of p
} MbRowsNumber;

struct MbSlopeRows {
  size_t n, nagreed;        // rows that take part; first come those with which velocities are made to agree
  size_t *slot;             // (n)
  bool *takes;              // (n) it is one of the stage's
  bool *keeps;              // (n) it prescribes an acceleration: velocities that agree keep its rate
  size_t nidle, *idle;      // (nidle) hard rows that move nothing, and take no part
  double *mu, *nu;          // (n) what they do in the stage, and to make w agree
  double *gives, *velocity; // (n) of what they ask for: by μ, by G w
  double *G;                // (n x nv)
  double *C, *D;            // (nv x nv) column by column, (n x nv): d(Gᵀ μ)/dq, dr/dq
  double *Cp, *Dp;          // the same of ν and of p
  double *A, *B, *Y;        // (nv x nv) factors, (n x nv) dr/dw, A⁻¹ Gᵀ
  double *Q, *Yp;           // (nv x nv) columns of ∂(M x)/∂q − C_p; M⁻¹ Gᵀ
  MbRanked S, Sp;
  size_t *pivot;        // (nv)
  double *V, *P;        // (nv x nv) ∂τ/∂v, and how p changes with w, where forces feel p
  double *move;         // (nv x nv) how coordinates move with each velocity of the stage
  MbTangent *still;     // of M (p − w)
  double *p, *x;        // (nv) velocities that agree, and p − w
  double *felt;         // (nv) those that forces feel: w or p
  double *guess;        // (nguess) where closures are looked for
  const double *struck; // (nslots) of the step: mb_stages_struck; NULL: it is none
  size_t near; // a row of one way that is about to do otherwise in the stage; SIZE_MAX: there is none
  bool told;   // of such a row
  MbRowsNumber number;
  double *z, *zeta, *zp, *zetap;      // (nv), (n) what the stage's and p's equations are felt by, backwards
  double *zero, *one, *two, *along;   // (nv)
  double *rho, *asked[2], *wrench[2]; // (nv), (n), (nv)
  double *q;                          // (nq)
};

// Takes a simulation and its rows to coordinates q at a stage. What its row s asks for there with a rate that is so much faster.
void mb_slope_rows_make_at(MbSensitivity *g, MbSim *sim, const MbStageNote *note, const double *q);
MbAsked mb_slope_rows_asked(const MbSim *sim, const MbStageNote *note, size_t s, double faster);
// What the row k of those listed asks of velocities p that are made to agree where a simulation's rows stand, x being what they are changed by.
double mb_slope_rows_agree(const MbSensitivity *g, const MbSim *at, size_t k, const double *p,
                           const double *x);
// Lists the rows of the probe there, of one way those that have pushed in the run, with what they do in the stage, if it is one.
void mb_slope_rows_list(MbSensitivity *g, const MbStageNote *note, bool stage);

// Makes g->rows, where there are rows; false: out of memory.
bool mb_slope_rows_make(MbSensitivity *g);
// Notes of a step where closures are looked for in it, and what it has struck (mb_stages_struck; NULL: it is none).
void mb_slope_rows_step(MbSensitivity *g, const double *guess, const double *struck);
// Takes it to a stage that ends at g->q1 by g->step, with accelerations g->a; false: its equations are singular.
bool mb_slope_rows_at(MbSensitivity *g, const MbStageNote *note);
// Takes it to velocities v at the start (q, t = 0) that are made to agree, which `start` names then; only mb_slope_project* are for this.
bool mb_slope_start(MbSensitivity *g, const double *q, const double *v, MbStageNote *start);

// Takes rows->number to what a number changes there.
void mb_slope_rows_number(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, double move);
// Notes it where that opens rows which nothing can close.
void mb_slope_rows_look(MbSensitivity *g, const MbSlope *slope);
// out ← how p changes with w (NULL: not), with where the bodies are, and with the number.
void mb_slope_project(MbSensitivity *g, const double *w, const double *moved, bool number, double *out);
// out ← how the stage's w changes, of τ's change `rho`, of where the bodies are and of v* (`from`), with rows->number.
void mb_slope_rows_solve(MbSensitivity *g, const double *rho, const double *moved, const double *from,
                         double *out);

// ---- sensitivity_stage_near.c: limits and ropes that are about to do otherwise ---------------------------------

// Looks for such a row where S stands but has not been factored, and where it has been.
void mb_slope_rows_look_for_ends(MbSensitivity *g, const MbStageNote *note);
void mb_slope_rows_look_for_holds(MbSensitivity *g, const MbStageNote *note);
// Warns once in a run of what has been found in the stages since the step's begin.
void mb_slope_rows_tell(MbSensitivity *g, double t, int64_t step, MbReport *report);

// Notes numbers that open rows which nothing can close, of the stage that is at hand.
void mb_slope_rows_look_back(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, double move);
// The transposed of these. p̄ in; w and moved += what it is felt by (w NULL: not asked); rows->zp and rows->zetap += its equations' share.
void mb_slope_project_back(MbSensitivity *g, const double *p, double *w, double *moved);
// w̄ in; rows->z and rows->zeta ← the equations' share, moved and from ← what the rows' part is felt by, of the latter by v*.
void mb_slope_rows_solve_back(MbSensitivity *g, const double *w, double *moved, double *from);
// Sums of these for mb_slope_rows_number_back begin with nothing, and are done.
void mb_slope_rows_begin(MbSensitivity *g);
void mb_slope_rows_done(MbSensitivity *g);
// Returns what those equations say of a number beside τ; without `stage` those of p alone.
double mb_slope_rows_number_back(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, double move,
                                 bool stage);

#endif
