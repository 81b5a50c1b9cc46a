// The tables of functions that a family of things is: forces, constraints, solvers; and the integrators' table of
// coefficients. A new member is one file and one row.
#ifndef MB_MODEL_OPS_H
#define MB_MODEL_OPS_H

#include "core/model/coordinate_map.h"
#include "core/model/model.h"
#include "core/sparse/branches.h"

// Behind the bodies' numbers stand those of nodes that are points and no bodies (mb_model_points), as rows name them: node n is number
// nb + n. Behind the solver's velocities stand three of each of these.

typedef struct MbBuilder MbBuilder; // core/model/builder.h

// ---- forces -----------------------------------------------------------------------------------------------

// How K and D of a force change where the bodies and their velocities do, weighed by twists of the bodies, in their own axes (nb x 6 each):
//
//   S = ½ ( zᵀ D x₁ + x₂ᵀ D z + zᵀ K y₁ + y₂ᵀ K z ),   z, x₁, … held fixed in the bodies' axes
//
// and z · f̃ beside, of what a step adds to the force where it turns what it is linearised along (MbMaximal.ahead), K and D being those of steps (exact and safe are false). by_move
// and by_phi += what S changes by with each body's motion in its own axes and with its twist.
//
// Of forces that say so (MbForceOps.changes) the same the other way, where `change` is not NULL: change (nb x 6) += what S is felt by along z of how the bodies' motion, `move`
// and `phi`, changes it; z, by_move and by_phi are not looked at. And where `value` is not NULL: *value += S + z · f, f being the force itself, and nothing else.
typedef struct MbForceCurve {
  const double *z, *x1, *x2, *y1, *y2;
  double *by_move, *by_phi;
  const MbModel *model;
  const double *move, *phi;
  double *change, *value;
} MbForceCurve;

struct MbForceOps {
  const char *name;  // the scene's word
  size_t parameters; // bytes that it keeps of its own in MbForce.parameters
  bool everywhere;   // acts on every body: evaluated on ranges of bodies, in parallel
  // It comes of inertia alone: some solvers have it in their passes; its derivatives count only where all of them do
  // (MbMaximal.exact)
  bool inertial;
  // Adds f (and K, D where x has them) on bodies [begin, end); one that is not everywhere gets the whole
  // range.
  void (*eval)(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end);
  size_t least, most; // points that it acts between; 0 = on one body, or everywhere
  // Adds how S changes (MbForceCurve). NULL: of one that is everywhere nothing changes; of others that is not known.
  void (*curve)(const MbForce *force, const MbMaximal *x, const MbForceCurve *at);
  bool changes; // `curve` takes changes and values too: of forces on many bodies
  // Adds what z · f is felt by along the bodies' motion in their own axes and along their twists (nb x 6 each), z held in the bodies' axes: zᵀ K and zᵀ D with every derivative, as x.exact has them,
  // without their blocks. NULL: by the blocks.
  void (*felt)(const MbForce *force, const MbMaximal *x, const double *z, double *by_move, double *by_phi);
  // Makes its own parameters, which are zero before, and its signals from what the scene says of its kind; its body and its
  // points stand. NULL: the parameters are those that the scene gives, byte by byte.
  MbStatus (*build)(MbBuilder *b, const MbForceSpec *from, MbForce *force, void *own);
  // When the scene stands, with the bodies at the start: what the scene leaves to that. NULL: nothing.
  MbStatus (*settle)(MbBuilder *b, const MbMaximal *start, const MbForce *force, void *own);
  double (*energy)(const MbForce *force, const MbMaximal *x); // elastic; NULL: none
  bool (*damps)(const MbForce *force); // of one that has energy: whether it takes some; NULL: no
  void (*muscle)(const MbForce *force, const MbMaximal *x,
                 double lvf[3]); // length, speed, force; NULL: is none
  // One that is everywhere acts on points, that are no bodies, by −drag times their velocity; NULL: not at all, so that
  // core/compile refuses it in scenes that have such points.
  double (*drag)(const MbForce *force);
};

// ---- constraints ------------------------------------------------------------------------------------------

// One scalar constraint at one instant: g = 0, or g ≥ 0. With H on the bodies' twists and c on velocities
//   ġ = Σ H φ + Σ c v + gt,   g̈ = Σ H φ̇ + Σ c v̇ + gtt.
typedef struct MbRow {
  size_t body[2]; // MB_WORLD = none
  double H[2][6];
  size_t v[2];
  double c[2];     // 0 = none
  double along[3]; // its masters' part of ġ: their points' velocities in W along this, times their weights
  double g, gt, gtt;
  double size;       // of the numbers whose difference g is
  int order;         // 0: g is known; 1: only its rate is; 2: only its acceleration
  bool angle;        // g is an angle (rad), or stands for one; else a length (m)
  double most;       // of dry friction: the largest force along the row
  double seen[2][6]; // H as the solver has seen it where G was found (MbSolverOps.carry)
} MbRow;

// How H of a row at one end changes by a motion of the body at another, in its own axes:  δH[end] = by[end][other] ε.
typedef struct MbRowBend {
  double by[2][2][36];
} MbRowBend;

// What rows are made from.
typedef struct MbInstant {
  const MbMaximal *x;
  const double *nodes; // (mb_model_points x 3) places of nodes that are points and no bodies
  const double *q, *v;
  const double *signal; // (nsignals x 3) values and their first two rates, of those that constraints use
  const double *guess;  // (nguess) where joints that close loops are looked for
  double *found;        // (nguess) where they are
  double h;             // step that velocities are asked for at the end of; 0 where accelerations are
  // After this instant the bodies go on for so many seconds at the velocities that are asked for. A row that depends on how bodies
  // are turned asks by the mean of their turn over that time. 0: as they are turned now.
  double turn;
} MbInstant;

enum { MB_ROWS = 6 }; // of one constraint at most

struct MbConstraintOps {
  const char *name;
  size_t parameters;    // bytes that it keeps of its own in MbConstraint.parameters
  size_t rows;          // at most
  size_t coordinates;   // that its rows are about; 0 = they are about bodies
  const char *singular; // what it means that its g is not a number; NULL: it always is one
  bool target; // asks where things are at a step's end, whatever the way there: limits, prescribed motions
  double (*felt)(const MbConstraint *constraint); // what its first end feels for each unit of λ; NULL: 1
  bool rates; // asks for velocities alone: where it is soft it slips by what damps it
  // What it says of coordinates at the start that the scene leaves open, before anything else is built on these. It tells no
  // errors: `build` does. NULL: nothing.
  void (*start)(const MbConstraintSpec *from, const MbSceneSpec *spec, MbModel *model);
  // Adds what the scene says to those that are being built (mb_builder_between and others). NULL: one constraint between two
  // points, its parameters those that the scene gives, byte by byte.
  MbStatus (*build)(MbBuilder *b, const MbConstraintSpec *from);
  // When the scene stands, at the start: what the scene leaves to that. NULL: nothing.
  MbStatus (*settle)(MbBuilder *b, const MbInstant *start, const MbConstraint *constraint, void *own);
  // Says why its g is no number at the start. NULL: by `singular`.
  MbStatus (*refuse)(MbBuilder *b, const MbConstraint *constraint);
  // Its rows at an instant. Fields of `rows` are zero before, bodies MB_WORLD; `unilateral` is the constraint's.
  void (*eval)(const MbConstraint *constraint, const MbInstant *at, MbRow *rows);
  // Adds how H of its rows changes, of rows that know their gap, about two bodies. NULL: by differences.
  void (*bend)(const MbConstraint *constraint, const MbInstant *at, MbRowBend *rows);
};

// ---- integrators ------------------------------------------------------------------------------------------

typedef enum MbScheme {
  MB_ONE_SOLVE,  // one system a step
  MB_VERLET,     // a half step for the positions, a whole one for the velocities, same matrix
  MB_ADAPTIVE,   // embedded Runge–Kutta on accelerations
  MB_STAGES,     // everything at the state to come, by Newton's method (sim/scheme_stages.c)
  MB_EQUILIBRIUM // no motion
} MbScheme;

// A v⁺ = r with A = M − a h D − b h² K,  r = M v + h (f − c D v + d h K v),  q⁺ = q ⊕ h (w v + (1 − w) v⁺).
typedef struct MbIntegrator {
  const char *name;
  int order;
  MbScheme scheme;
  double a, b, c, d, w;
  double instant; // at which the signals are taken, as a fraction of the step
  bool exact;     // needs every derivative, unsymmetrised, to keep its order
  int passes;     // trees of joints: of Newton's method on a half step, whose M, J and forces move with the
                  // coordinates (sim/scheme_halves.c); 0 = all of them at the start of the step
} MbIntegrator;

// ---- solvers ----------------------------------------------------------------------------------------------

// Rows that a solver claims: its own factor holds them, those of joints and of constraints that fit.  g = 0, ġ = J v + gt.
typedef struct MbClaimedRows {
  size_t n;
  const double *g, *gt;
  const unsigned char *order; // 0: g is known; 1: only its rate is
  const unsigned char *angle; // whether g is an angle
} MbClaimedRows;

// What is asked of claimed rows, at the last kinematics. Solvers that claim none have mb_claims_nothing.
typedef struct MbClaimOps {
  MbClaimedRows (*rows)(const MbSolverWork *work);
  size_t (*row_of)(const MbSolverWork *work, size_t i);      // the first of constraint i; MB_WORLD = none
  const char *(*holder)(const MbSolverWork *work, size_t b); // constraint that holds body b; NULL = none
  size_t (*body_of)(const MbSolverWork *work, size_t r);     // the body that row r holds
  void (*speeds)(const MbSolverWork *work, const double *v, double *rate); // J v
  const double *(*bends)(MbSolverWork *work);                              // J̇ v
  bool over_step; // velocities are asked to keep them over a step's curve, not along its start
  double nothing; // of W_ii of free bodies: what rounding leaves of a row that moves nothing
} MbClaimOps;

extern const MbClaimOps mb_claims_nothing; // solvers/claims_nothing.c

// What drives a deformable in a step: pressure beside that of a gas, Pa, the wind's velocity, and how far each family of its fibres is
// activated.
typedef struct MbNodeLoad {
  double pressure, wind[3];
  double *activation; // (MbElements.nfibres)
} MbNodeLoad;

// What a step of nodes of elements begins with.
typedef struct MbNodeStart {
  const double *q, *v;    // (nodes x 3) NULL: where the last step has ended, see MbAwayOps
  const double *target;   // (nodes x 3) where nodes are at the end, read along axes that are placed
  const double *gravity;  // (3)
  const double *force;    // (ncables) N, of those that pull with a given tension
  const MbNodeLoad *load; // (deformables); NULL: there is none of that
} MbNodeStart;

// What their last step was like.
typedef struct MbNodeStats {
  int iterations, trials; // trials: places that line searches have looked at
  double residual;        // largest move of a node in the last iteration, by the size of what is simulated
  bool converged;         // to the tolerance and to the share, where they were asked for
  double seconds;         // wall time
  // seconds of parts of local-global iterations: local steps with bending, adding up by nodes, solves
  double local, collect, global;
} MbNodeStats;

// What their steps are to be like, by the model alone.
typedef struct MbNodePlan {
  int iterations; // at most
  // What share may be left, by estimate, of the energy that a step's iterations take off. 0: that is not asked.
  double share;
  // A step goes on to where energies cannot tell its iterates apart; one that did not is no solution
  bool to_end;
  double tolerance; // of the last correction, by the size; more of it is no solution. 0: that is not asked
  size_t carried;   // numbers that go from step to step beside places and velocities
} MbNodePlan;

// A⁻¹ of nodes in a pass, and of bodies beside them: S + U N Uᵀ, with S of nodes that pushes at some of them move.
typedef struct MbNodeCoupling {
  size_t count, width;    // listed nodes; 1: S is the same along all axes, 3: each has its own
  bool branched;          // S is products of branches, the same along all axes
  const double *S;        // (count x count x width); NULL: there are branches
  const MbBranch *branch; // (count); NULL: there is S, or `tell` has not been asked for
  size_t rows;            // that branches run over
  uint64_t version; // another one whenever S, or A⁻¹ of bodies, may have become another; not for U and N
  size_t weights;   // columns of U
  const double *N;  // (weights x weights)
  const struct MbContactElsewhere
      *elsewhere; // who can solve for contacts in the processor's place; NULL: nobody
} MbNodeCoupling;

// What of a step's end may stay where the nodes are moved.
typedef enum MbAwayOffer {
  MB_AWAY_NOTHING,
  MB_AWAY_CARRIED, // what goes from step to step
  MB_AWAY_ALL      // places and velocities as well
} MbAwayOffer;

// Steps of nodes by themselves whose end stays where the nodes are moved until somebody asks for it, in engines that have a memory of their own
// (core/sim/nodes_away.h).
typedef struct MbAwayOps {
  // Tells what may stay, once what moves the nodes is made.
  MbAwayOffer (*offered)(const MbSolverWork *work);
  // Takes a step, from where the last one has ended where start->q is NULL. False: numbers that are not finite, or a device that stopped, see
  // `fault`. *odd: numbers are large, or elements have less than `least` (deformables) times their extent at rest or hardly more: the end is to be looked at.
  bool (*step)(MbSolverWork *work, const MbNodeStart *start, const double *least, bool *odd);
  // Takes note of where the last step has ended, with its places or without, as the next one goes on from there; goes back there.
  void (*go_on)(MbSolverWork *work, bool all);
  void (*undo)(MbSolverWork *work);
  // Begins to send places, velocities and what goes from step to step as they are, and goes on: what comes behind does not change what is sent.
  void (*leave)(MbSolverWork *work);
  // Waits for what has left last, and copies it: places and velocities (nodes x 3), and what goes from step to step; NULL: that is not wanted. Another thread may call it while steps are taken.
  // False: it cannot be had.
  bool (*arrive)(MbSolverWork *work, double *q, double *v, double *carried);
} MbAwayOps;

// Solvers of which the right-hand side changes by iterations: deformables, whose elements leave something else in every pass. Their part of A
// is constant, but for what quasi-Newton steps learn and under Newton's method, where every pass has another one. A pass solves
// A v = r + Gᵀ λ with what they leave now; λ is solved for between its two halves.
typedef struct MbPassOps {
  // Makes what moves the nodes; what the model cannot be solved with is told.
  MbStatus (*make)(MbSolverWork *work, MbReport *report);
  MbNodePlan (*plan)(const MbModel *model);
  // Tells whether forces or rows of the step to come are about nodes: else nodes and bodies take their steps apart.
  bool (*tied)(const MbSolverWork *work);
  // Takes note of the nodes, by their numbers among all, that rows of the step to come are about beside those that are bodies as well.
  // False: out of memory.
  bool (*name)(MbSolverWork *work, size_t n, const uint32_t *node);
  // Makes room for as many rows of a step, of all kinds. False: out of memory.
  bool (*room)(MbSolverWork *work, size_t rows);
  // Tells whether A is what it was in the last pass.
  bool (*steady)(const MbSolverWork *work);
  // Moves what of a right-hand side is at nodes to push (NULL: drops it): their own inertia is in the passes.
  void (*split)(const MbSolverWork *work, double *r, double *push);
  void (*begin)(MbSolverWork *work, const MbNodeStart *start);
  bool (*goes_on)(const MbSolverWork *work);
  // Tells by what velocity the last pass has moved a node most, INFINITY before there was one; 0 where the next one is the last, or wants rows
  // solved for as well as they can be.
  double (*moves)(const MbSolverWork *work);
  // Tells where the nodes are that the next pass begins with (nodes x 3), those at least that the step's rows are about.
  const double *(*places)(const MbSolverWork *work);
  // Makes of v, the solution with nothing at nodes, the one with what elements leave in this pass and with what pushes the nodes.
  // False: it cannot be solved for.
  bool (*pass)(MbSolverWork *work, const double *push, double *v);
  // Ends the pass at velocities v, which impulses along the velocities have come to from there, of rows with these multipliers (as many as
  // there is room for); v and the multipliers become those that are taken, which may be less than that. Spoils `impulse`. False: numbers
  // that are not finite.
  bool (*end_pass)(MbSolverWork *work, double *v, double *impulse, double *lambda);
  // Ends the step: places and velocities (nodes x 3) of all nodes at its end, and in v those of nodes that are bodies. False: they could not
  // be had, see `fault`.
  bool (*end)(MbSolverWork *work, double *q1, double *v1, double *v);

  // The same step of nodes that nothing ties to bodies, at once. False: numbers that are not finite.
  bool (*step)(MbSolverWork *work, const MbNodeStart *start, double *q1, double *v1);
  const MbAwayOps *away; // NULL: all steps' ends are the processor's
  // Tells what else than the numbers was at fault in a step that failed, as a device that stopped; NULL: nothing. NULL: nothing ever is.
  const char *(*fault)(const MbSolverWork *work);
  // In the steps to come, of plans that go to the end, inertia resists so many times as much as masses do. Where nothing drags nodes at rest go
  // as in steps that are longer by 1 over the root of that.
  void (*take_inertia)(MbSolverWork *work, double times);
  // What goes from step to step: sets it as it is at places q, where nothing has moved yet; reads it, and writes it back.
  void (*set_out)(MbSolverWork *work, const double *q);
  void (*keep)(const MbSolverWork *work, double *carried);
  void (*recall)(MbSolverWork *work, const double *carried);
  // Tells what the last step was like, and the residual of each of its iterations.
  MbNodeStats (*stats)(const MbSolverWork *work);
  const double *(*history)(const MbSolverWork *work);
  // At places q of all nodes: the elastic energy; of deformable i its volume (of cloth area x thickness) and the largest strain.
  double (*energy)(const MbSolverWork *work, const double *q);
  void (*measure)(const MbSolverWork *work, size_t i, const double *q, double *volume, double *strain);
  // How pushes at the listed nodes move them and bodies within a pass; false where that is to be had by `apply` only.
  bool (*coupling)(MbSolverWork *work, MbNodeCoupling *coupling);
  // Makes what `coupling` tells of S, which may not be there before somebody wants it. False: out of memory.
  bool (*tell)(MbSolverWork *work);
  // Which of the listed nodes a body of a row is, or a node; MB_WORLD: it is a body.
  size_t (*listed)(const MbSolverWork *work, size_t body);
  // weights (coupling's) ← Uᵀ of pushes y along the velocities of bodies (NULL: none) and H (3 each) at n listed nodes, MB_BRANCH_TERMS at most
  void (*weigh)(const MbSolverWork *work, const double *y, size_t n, const size_t *node, const double *H,
                double *weights);
  // x ← A⁻¹ x of bodies as if there were no nodes
  bool (*alone)(MbSolverWork *work, double *x);
  // Tells who finds what of deformables is near shapes where the nodes are moved, once what moves them is made; NULL, or NULL told: nobody.
  const struct MbNearElsewhere *(*finds)(const MbSolverWork *work);
  // What derivatives of the same steps of nodes by themselves are made of; NULL: there are none.
  const struct MbPassSlopes *slopes;
} MbPassOps;

typedef struct MbSolverOps {
  const char *name;
  MbSolverWork *(*create)(const MbModel *model, int threads); // NULL: out of memory
  void (*free)(MbSolverWork *work);
  size_t (*bytes)(const MbSolverWork *work); // that the work holds

  // coordinates → poses and twists of the bodies; on ranges of them where by_ranges, else on all
  bool by_ranges;
  void (*kinematics)(MbSolverWork *work, const double *q, const double *v, MbMaximal *x, size_t begin,
                     size_t end);
  // f −= M J̇ v at the last kinematics (NULL: J is constant)
  void (*bias)(MbSolverWork *work, MbMaximal *x);
  // A = M − a D − b K (a = b = 0 needs neither), with the body to blame where A is singular. x may be looked at until the next factor.
  bool (*factor)(MbSolverWork *work, const MbMaximal *x, double a, double b, bool exact, size_t *blame);
  // A v = x + Jᵀ λ, J v = aim of the claimed rows: x ← v. `aim` NULL: 0; `lambda` NULL: not wanted; they may be the same. Fails only
  // where forces couple bodies (x is then not a number).
  bool (*apply)(MbSolverWork *work, double *x, const double *aim, double *lambda);
  // y = M v; y = Jᵀ f; y += s Jᵀ B J v, with B the blocks K or D
  void (*momentum)(MbSolverWork *work, const double *v, double *y);
  void (*gather)(MbSolverWork *work, const double *f, double *y);
  void (*blocks)(MbSolverWork *work, const double *B, double s, const double *v, double *y);
  // y = M v + s Jᵀ f for the velocities v of the last kinematics, in one pass. NULL: by `momentum` and `gather`.
  void (*impel)(MbSolverWork *work, const double *v, const double *f, double s, double *y);
  // y += Jᵀ w for a wrench on one body, of which `seen` (6; NULL: not wanted) takes what `responses` wants to know of it;
  // a = J̇ v at the last kinematics (NULL: J is constant)
  void (*carry)(MbSolverWork *work, size_t body, const double w[6], double *seen, double *y);
  // The same of three wrenches on one body: y has four numbers for each velocity, one for each of them and one that is left alone. NULL: by
  // `carry`.
  void (*carry_three)(MbSolverWork *work, size_t body, const double *const w[3], double *const seen[3],
                      double *y);
  void (*drift)(MbSolverWork *work, double *a);
  // y ← accelerations at the last kinematics, from the joints' own forces y and wrenches f (NULL: none) beside gravity and
  // the velocity terms, which it adds itself; factors M as `factor` with a = b = 0 does. NULL: by the functions above.
  bool (*accelerate)(MbSolverWork *work, const double *f, double *y, size_t *blame);
  // y += the forces along coordinates that the last `apply` found it takes to keep them in step (NULL: none are)
  void (*reactions)(const MbSolverWork *work, double *y);
  // Room for as many rows; W (k x k) = G A⁻¹ Gᵀ of rows at the last factor, which have been carried there, false where it is to be had by `apply` only. NULL: it
  // always is.
  bool (*reserve)(MbSolverWork *work, size_t rows);
  bool (*responses)(MbSolverWork *work, size_t k, const MbRow *const *row, double *W);
  // The factor of nodes that hang on the world, where forces couple these and nothing else at the last factor. NULL: it is not so (solvers/node_factor.h).
  const struct MbNodeFactor *(*nodes)(const MbSolverWork *work);
  // Bodies that follow others (NULL: none do): (q, v) ← where they are and how they move, at the last kinematics, which look
  // only at what they follow (NULL: not wanted); y += what of their accelerations `apply` leaves out.
  void (*follow)(const MbSolverWork *work, double *q, double *v);
  void (*bend)(const MbSolverWork *work, double *y);
  const MbCoordinateMap *map;
  const MbClaimOps *claims;
  const MbPassOps *passes;       // NULL: one solution is all
  const struct MbKeepOps *keeps; // NULL: what a step leaves cannot be kept (core/solvers/keep.h)
} MbSolverOps;

#endif
