// Rows of the constraints at one instant, shared by the files that make and solve them.
#ifndef MB_SIM_CONSTRAIN_INTERNAL_H
#define MB_SIM_CONSTRAIN_INTERNAL_H

#include "core/constraints/constraints.h"
#include "core/contact/contact_pivoting.h"
#include "core/sim/ask.h"
#include "core/sim/ask_slopes.h"
#include "core/sim/claims.h"
#include "core/sim/delassus.h"
#include "core/sim/row_set.h"
#include "core/sim/sim_internal.h"
#include "core/sim/touch_rebound.h"

#define MB_EVENT_CLOSE   1e-9  // of a row's size: at its bound
#define MB_ROWS_ROUNDING 1e-12 // of sums over some tens of terms, through A⁻¹

// What the rows that take part ask for. Accelerations that are not finite are the integrator's matter; moved positions need
// not tell of rows that could not be satisfied.
typedef enum MbLevel { MB_VELOCITIES, MB_JUMPS, MB_ACCELERATIONS, MB_POSITIONS } MbLevel;

// Rows about nodes that are no bodies, and those that passes make anew, take part where velocities of nodes are known: in a step's passes.
typedef enum MbRowsOf { MB_ROWS_OF_ALL, MB_ROWS_OF_BODIES, MB_ROWS_OF_NODES } MbRowsOf;

// The least free of the rows both ways that the last solution by pivots holds, and how many of these there are.
typedef struct MbFreedom {
  bool known; // it has been looked for since
  double freedom;
  size_t n, slot;
} MbFreedom;

typedef struct MbRubbing MbRubbing;     // friction inside joints (dry.c)
typedef struct MbKeptMoves MbKeptMoves; // what joints keep to in a step (kept_moves.c)

struct MbConstraining {
  MbRowSet set;
  double *signal; // (nsignals x 3)
  double *found;  // (nguess) coordinates of closures at the rows' instant
  int *driven;    // (nsignals) used by motions: 1 = its value, 2 = its rates too; 0 = not
  bool *jumps;    // (nsignals) it is used so, and may jump where no corner of a table is (kinks.h)
  double *y;      // (width) zero between uses
  double *come;   // (width) velocities that a solution comes to
  double *drift;  // (nb x 6)
  double *v;      // (nv) schemes of second order: velocities at the start, made to agree

  // of each row of the set, as long as it is there: for a step
  size_t room;     // rows that there is room for
  double *force;   // of the step that is being made
  double *g0, *g1; // schemes of second order: gaps at the state, and where the step would end
  double *
      begun; // (model's nv) rates of coordinates as the step begins, where these follow from the solver's velocities
  double *rates; // (model's nv) those that the instant at hand is asked by
  double *half;  // schemes of second order: impulses of the first half
  bool *near;    // events: is at its bound, or was latched, so that an event asks whether to latch it

  // hard rows of one way under the adaptive integrator (events.c)
  bool one_way;          // there are some
  const double *latched; // (nslots) nonzero: accelerations keep the row
  bool deciding;         // accelerations ask so now

  // the rows that take part, and the problem that they make
  size_t n;
  size_t *slot; // (room) row of the set
  double *b, *slack, *least, *soft;
  double *all;    // W_ii of bodies that nothing holds
  double *own;    // W_ii of the last problem that was solved by pivots
  double *yields; // (nb x 6) by what they give way: 1/M, 0 where there is none
  MbContactRowKind *kind;
  const MbRow **picked;
  double *most; // (room) of dry friction: the largest impulse
  size_t ndry;  // rows of dry friction among them
  // contacts among them, each the rows [row, row + 3) of the problem
  size_t ntouches;
  MbContactCone *cone; // (cone_room)
  size_t cone_room;
  double *from;                        // (room) impulses to begin with
  const MbContactMethod *touch_method; // where something touches, or rubs in a joint
  MbContactWork work;
  MbContactAnswer answer;
  double gives;                   // of `all`, which is on the diagonal so that pivots find W definite
  double *aimed;                  // (room) b of the last solution of contacts, without what that gives way
  double told[MB_SOLVED_NUMBERS]; // of the step that is being made (sections.h)
  MbRubbing *rubbing;             // NULL: no joint has friction inside it
  MbKeptMoves *kept;              // NULL: no joint has to
  double dry_work;                // that dry friction does in it
  MbDelassus delassus;
  MbAskSlopes slopes;
  MbRebounds rebounds; // of contacts with restitution
  bool claims;         // the solver claims rows of constraints, whose forces are wanted
  double loose; // velocity by which iterations still move nodes (touch_solve.c); 0: all is solved to the end
  bool unfinished; // contacts were last solved for to less than the scene asks for
  bool same;       // all but b is as in the last solution
  bool solved;     // the rows at the step's start have been solved for, with the factor that there is
  MbRowsOf of;     // the rows that may take part

  // fixed steps near singular positions (singular.c)
  MbFreedom least_free;
  bool singular;     // this step is near one
  double freedom[2]; // what the state is to remember of rows' freedom,
  bool freed;        // where a step has looked at it
};

// All rows at (q, v, t), the bodies of sim->x being there; G = H J + c. `h`: see MbInstant.
void mb_rows_make(MbSim *sim, const double *q, const double *v, double t, double h);
// Adds what brings rows that come and go, and lists them.
MbStatus mb_rows_add_source(MbSim *sim, const MbRowSource *source, MbReport *report);
// Lists the rows of the step to come, and makes room for them.
MbStatus mb_rows_list(MbSim *sim, MbReport *report);
// Makes room for the numbers of n rows that take part, whether they are of the set or not.
bool mb_rows_reserve(MbConstraining *c, size_t n);
// The rows' own numbers only, not G, and of closures that are looked for nothing new to remember.
void mb_rows_look(MbSim *sim, const double *q, const double *v, double t);
// Notes by what rates of coordinates halves of a step begin, which has velocities v where its bodies are.
void mb_rows_begin(MbSim *sim, const double *v);
// The same for velocities over the whole step from t, the bodies being at the half's coordinates.
void mb_rows_make_half(MbSim *sim, const MbHalf *half, const double *q, const double *v, double t);
// Rows of one constraint, of this model or of one that differs in numbers alone, where the bodies of sim->x are, for velocities over so many seconds that turn for so many (MbInstant): with these values
// of signals (nsignals x 3), which mb_rows_signals evaluates at t into the constraints' own. What masters have of them is left out.
void mb_rows_of(MbSim *sim, const MbConstraint *constraint, const double *signal, double h, double turn,
                MbRow *rows);
// How H of such rows changes (constraint->rows). False: the constraint does not tell.
bool mb_rows_bend(MbSim *sim, const MbConstraint *constraint, MbRowBend *rows);
void mb_rows_signals(MbSim *sim, double t);
// H J̇ v of one row, and what velocities of joints that the solver holds add
double mb_rows_drift(const MbSim *sim, size_t s);
// Returns what a row about coordinates speeds up by that a step of one solution does not solve for.
double mb_rows_unsolved(const MbSim *sim, size_t s);

// v̇ ← v̇ + what soft rows do as forces at velocities v, which go to c->force; false: A⁻¹ could not be applied
bool mb_rows_soft(MbSim *sim, const double *v, double *vdot);

// Notes the forces of the rows that the solver claims: what pulls, so many times.
void mb_rows_claimed(MbSim *sim, double times);

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
  return c->set.is[s].kind == MB_ROW_ONE_WAY && !(c->set.is[s].alpha > 0);
}

#endif
