// Joints as constraints between bodies: their rows at one instant, and the system of bodies and multipliers made of them.
// With η the motion of a body in its parent, in its C axes,  η = φ_c − X φ_p,  η̇ = φ̇_c − X φ̇_p + ad_η X φ_p:
//   ġ = Jc η,   q̇ = V η.
// Velocities v of the bodies, and what acts along them, have their linear parts in the world's axes (model/coordinates.h); twists φ and
// η and the rows have not.
#ifndef MB_SOLVERS_MAXIMAL_HELD_H
#define MB_SOLVERS_MAXIMAL_HELD_H

#include "core/model/ops.h"
#include "core/solvers/maximal/kkt.h"
#include "core/solvers/redmax/links.h"

// The frame of the parent's C in the body's: X turns twists by  ( R ω ; R v + p × R ω ).
typedef struct MbHeldPlace {
  double R[9], p[3];
} MbHeldPlace;

// A revolute joint (held_hinge.h): its axis, two directions across it and a point on it, in C axes.
typedef struct MbHeldHinge {
  double a[3], u[3], w[3], d[3]; // of the body; w = a × u
  double pa[3], pu[3], pd[3];    // of its parent
} MbHeldHinge;

typedef struct MbHeldPosture MbHeldPosture;
typedef struct MbHeldKernels MbHeldKernels;

// Of one instance, or of several in lockstep whose models differ in numbers alone: then `model` is what they have in common, every
// number below is there for each, side by side, and only the articulated form is at hand (held_lanes.c).
typedef struct MbHeld {
  const MbModel *model;
  size_t lanes;
  MbArena arena;

  // the forest: joints, and constraints that hold a body that is free in space (held_forest.c)
  size_t *up;           // (nb) the body that it is held by; MB_WORLD
  size_t *by;           // (nb) the constraint that holds it; MB_WORLD = its joint, or nothing
  size_t *holds;        // (nconstraints) the body that it holds; MB_WORLD = none
  size_t *rows, *first; // (nb)
  size_t *owner;        // (nv) body whose joint's coordinate it is
  bool any_hollow;      // some body has no inertia in some direction
  double stuff;         // weight of JᵀJ that stands in for it: it changes nothing where J v = b

  // the system's bodies have other numbers where they hang on bodies of higher ones
  bool moved;
  size_t *spot;                                 // (nb) number in the system
  size_t *spot_parent, *spot_rows, *spot_first; // (nb) the shape's, by these numbers
  size_t *couple, ncouple;                      // (npairs x 2) pairs of which neither hangs on the other
  size_t *place; // (npairs) of the model's pairs: where in `couple`, or MB_WORLD
  size_t *tie;   // (npairs) of the others: the body that hangs on the other one
  double *M;     // (nb x 6) where moved
  bool *point;   // (nb) by these numbers: nodes that hang on the world
  MbKktShape shape;
  const MbKktOps *ops;
  MbKktWork *kkt; // NULL where the articulated form does it
  MbHeldPosture *posture;
  const MbHeldKernels *kernels;

  const double *inertia; // (nb x 6) the models' M
  bool *hinged;          // (nb) is a revolute joint
  MbHeldHinge *hinge;    // (nb) of such

  // at the last instant
  MbHeldPlace *X;     // (nb)
  double *eta, *seen; // (nb x 6) η, X φ_p
  double *Jc, *Jp;    // (nrows x 6); Jp NULL in the articulated form
  double *N, *Z; // (nv x 6), (nrows x 6) η of q̇ = 1 and ġ = 0; of ġ = 1 and q̇ = 0; not of hinges. There only
  double *V;            // (nv x 6)
  double *g, *gt;       // (nrows) gaps; what of ġ no body makes
  unsigned char *order; // (nrows) 0: g is known; 1: only its rate is
  unsigned char *angle; // (nrows) whether g is an angle
  double *bend;         // (nrows) what of g̈ the bodies' accelerations do not make
  double *q, *v, *turn; // (nq), (nv), (nv) of the joints; as bend, of q̈
  double *guess;        // (nq) where coordinates are looked for
  bool curves;          // bend is wanted at every instant: hinges make it with their rows
  bool bent;            // bend and turn are those of this instant for hinges too

  const MbPose *E; // (nb) and their twists, at the last instant
  const double *phi;
  double *twist; // (6 nb) scratch

  double *A, *C, *pairs; // the system's: (nb x 36), (nb x 36), (ncouple x 36); NULL in the articulated form
  double *lambda, *r, *moving; // (nrows), (6 nb), (6 nb) scratch
} MbHeld;

// Who holds whom, and in what order. False: out of memory.
bool mb_held_plan(MbHeld *held);
bool mb_held_create(const MbModel *model, int threads, MbHeld *held);
void mb_held_free(MbHeld *held);
size_t mb_held_bytes(const MbHeld *held);

// At the bodies of x; joints' coordinates are looked for near q.
void mb_held_update(MbHeld *held, const double *q, const MbMaximal *x);
// The same of one joint that is not revolute, alone; its coordinates are looked for near `guess`.
void mb_held_joint(MbHeld *held, size_t b, const MbMaximal *x);
// bend and turn of that instant
void mb_held_bend(MbHeld *held);
// Factors the system for A = M − a D − b K and the joints' own inertia, stiffness and damping.
bool mb_held_factor(MbHeld *held, const MbMaximal *x, double a, double b, size_t *blame);
// x ← v, b ← λ of A v = x + Jᵀ λ, J v = b
void mb_held_solve(MbHeld *held, double *x, double *b);
void mb_held_rates(const MbHeld *held, const double *v, double *rate); // q̇ = V v, (nv)
void mb_held_along(const MbHeld *held, size_t k, double s, double *y); // y += s V_kᵀ, of one coordinate
void mb_held_spread(const MbHeld *held, const double *f, double *y);   // y += Vᵀ f

// Instances in lockstep. Tells whether the articulated form solves a model's system.
bool mb_held_articulated(const MbModel *model);
// Makes room for so many instances, `links` of each. False: out of memory; mb_held_free all the same. Their kernels are called as they
// are; all else here is for one instance.
bool mb_held_create_lanes(const MbModel *model, size_t lanes, const MbLinks *const *links, MbHeld *held);
// Puts the models of instances in: how their trees are made, then numbers of each.
void mb_held_posture_load(MbHeld *held, const MbLinks *const *links);
void mb_held_load_lane(MbHeld *held, size_t lane, const MbModel *model);

// Of one body, a revolute joint.
bool mb_held_is_hinge(const MbModel *model, size_t b);
// Directions across its axis are chosen as in a model like it, for numbers that turn the axis: the model itself, or the one that it was made beside.
void mb_held_make_hinge(const MbModel *model, const MbModel *like, size_t b, MbHeldHinge *hinge);
void mb_held_bend_hinge(MbHeld *held, size_t b);

// The articulated form of the same system, where joints are all that holds bodies and no forces couple them: by the recursion
// of the reduced coordinates, about where the bodies are (held_work.h, held_kernels.h).
bool mb_held_posture_factor(MbHeld *held, const MbMaximal *x, double a, double b, size_t *blame);
void mb_held_posture_solve(MbHeld *held, double *x, double *b); // b NULL: no motion is asked for, no λ
bool mb_held_posture_reserve(MbHeldPosture *posture, size_t rows);
// W (k x k) of rows at the last factor; false: it is not to be had at once (responses.h).
bool mb_held_posture_responses(MbHeld *held, size_t k, const MbRow *const *row, double *W);
// ġ (nrows) for velocities v
void mb_held_speeds(const MbHeld *held, const double *v, double *rate);

// As compiled for a number of instances and some kind of processor: all of a revolute joint's rows at an instant, and the articulated
// form. An instance comes to the same bits alone and beside others.
struct MbHeldKernels {
  const char *name;
  size_t lanes;
  MbHeldPosture *(*create)(const MbModel *model,
                           const MbLinks *const *links); // links NULL: its own. NULL: out of memory
  void (*free)(MbHeldPosture *posture);
  void (*load)(MbHeldPosture *posture, const MbLinks *const *links); // other instances of the same tree
  size_t (*bytes)(const MbHeldPosture *posture);
  void (*hinge)(MbHeld *held, size_t b, const MbMaximal *x);
  // `ab`: a of every instance, then b of every one
  bool (*factor)(MbHeld *held, const MbMaximal *x, const double *ab, size_t *blame);
  void (*solve)(MbHeld *held, double *x, double *b);
};
const MbHeldKernels *mb_held_kernels(
    size_t lanes); // the fastest that this machine can run, for 1 or 8 instances
// All that were built, ended by NULL; those that the machine cannot run say so.
extern const MbHeldKernels *const mb_held_kernels_list[];
bool mb_held_kernels_run(const MbHeldKernels *kernels);

// carry += what η̇ has at constant velocities of the bodies for their linear ones being in the world's axes
void mb_held_add_drift(const MbHeld *held, size_t b, double carry[6]);
// y = X x, y += s Xᵀ x
void mb_held_down(const MbHeldPlace *X, const double x[6], double y[6]);
void mb_held_up(const MbHeldPlace *X, double s, const double x[6], double *y);

#endif
