// Rows of the constraints at one instant, shared by the files that make and solve them.
#ifndef MB_SIM_CONSTRAIN_INTERNAL_H
#define MB_SIM_CONSTRAIN_INTERNAL_H

#include "core/constraints/constraints.h"
#include "core/contact/pivoting.h"
#include "core/sim/ask.h"
#include "core/sim/claims.h"
#include "core/sim/sim_internal.h"

#define MB_EVENT_CLOSE 1e-9 // of a row's size: at its bound

struct MbConstraining {
  MbRow *row;              // (nslots)
  const MbConstraint **of; // (nslots)
  size_t *first;           // (nslots + 1) where each row's coordinates begin
  size_t *index;           // of the coordinates
  double *G;               // the rows' numbers for them
  double *signal;          // (nsignals x 3)
  double *found;           // (nguess) coordinates of closures at the rows' instant
  int *driven;             // (nsignals) used by motions: 1 = its value, 2 = its rates too; 0 = not
  double *y, *drift;       // (nv) zero between uses, (nb x 6)
  double *force;           // (nslots) of the step that is being made
  size_t
      *apart; // (nslots) number of the row among those that the solver holds itself; MB_WORLD = it does not

  // schemes of second order (constrain_halves.c)
  double *g0, *g1; // (nslots) gaps at the state, and where the step would end
  double *v;       // (nv) velocities at the start, made to agree
  double *half;    // (nslots) impulses of the first half

  // hard unilateral rows under the adaptive integrator (events.c)
  bool one_way;       // there are some
  const double *held; // (nslots) nonzero: accelerations keep the row
  bool *near;         // (nslots) is at its bound, or was held: an event asks whether to hold it
  bool deciding;      // accelerations ask so now

  // the rows that take part
  size_t n;
  size_t *slot;                     // (nslots)
  double *b, *slack, *least, *soft; // (nslots); soft is on W's diagonal
  double *all;                      // (nslots) W_ii of bodies that nothing holds
  const MbRow **picked;             // (nslots)
  double *W;                        // (nslots x nslots) where the solver tells it at once, or NULL
  bool whole;                       // it has
  bool unsolved;                    // A⁻¹ could not be applied
  bool again;                       // they have been solved for since they were made, and W is what it was
  bool *unilateral;                 // (nslots)
  MbPivoting pivoting;

  // fixed steps near singular positions (singular.c)
  bool singular;     // this step is near one
  double freedom[2]; // what the state is to remember of rows' freedom
};

// All rows at (q, v, t), the bodies of sim->x being there; G = H J + c. `h`: see MbInstant.
void mb_rows_make(MbSim *sim, const double *q, const double *v, double t, double h);
// The rows' own numbers only, not G, and of closures that are looked for nothing new to remember.
void mb_rows_look(MbSim *sim, const double *q, const double *v, double t);
// The same for velocities over the whole step from t, the bodies being at the half's coordinates.
void mb_rows_make_half(MbSim *sim, const MbHalf *half, const double *q, const double *v, double t);
// G v of one row; the sum of its terms' sizes is added to *size.
double mb_rows_rate(const MbConstraining *c, size_t s, const double *v, double *size);
// y += Gᵀ λ of one row
void mb_rows_spread(const MbConstraining *c, size_t s, double lambda, double *y);
// H J̇ v of one row, and what velocities of joints that the solver holds add
double mb_rows_drift(const MbSim *sim, size_t s);

// f (nb x 6) += Hᵀ λ of one row: what acts on bodies, in their C axes
void mb_rows_push(const MbSim *sim, size_t s, double lambda, double *f);
// v̇ ← v̇ + what soft rows do as forces at velocities v, which go to c->force; false: A⁻¹ could not be applied
bool mb_rows_soft(MbSim *sim, const double *v, double *vdot);

// Forces of the rows that the solver holds: what pulls, so many times.
void mb_rows_apart(MbSim *sim, double times);

// What the rows that take part ask for. Accelerations that are not finite are the integrator's matter; moved positions need
// not tell of rows that could not be satisfied.
typedef enum MbLevel { MB_VELOCITIES, MB_JUMPS, MB_ACCELERATIONS, MB_POSITIONS } MbLevel;

// What is known of row s, for mb_ask: with G x and G last, either of which may be NULL (0).
MbAskRow mb_rows_known(const MbSim *sim, size_t s, const MbAsking *asking, const double *x,
                       const double *last);
// Takes row s into the problem w = W λ + b.
void mb_rows_take(MbSim *sim, size_t s, const MbAsked *asked);
// Takes all rows that ask for something into the problem w = W λ + b. Returns the largest |b| by the sizes of its terms.
double mb_rows_ask(MbSim *sim, const MbAsking *asking, const double *x, const double *last);
// v ← v + A⁻¹ Gᵀ λ for the rows taken; to c->force their λ are added, times `scale`.
MbStatus mb_rows_solve(MbSim *sim, MbLevel level, double t, double scale, double *v, MbReport *report);

// Whether row s waits for events: it is hard and unilateral.
static inline bool mb_rows_one_way(const MbConstraining *c, size_t s) {
  return c->of[s]->unilateral && !(c->of[s]->compliance > 0);
}

#endif
