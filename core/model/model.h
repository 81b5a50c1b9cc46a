// Model: what a scene is to the steps, constant once it is compiled. State: what a resume needs, no more.
// Maximal: what forces read and write.
#ifndef MB_MODEL_MODEL_H
#define MB_MODEL_MODEL_H

#include "core/base/names.h"
#include "core/model/contacts.h"
#include "core/model/deformable.h"
#include "core/model/joint.h"
#include "core/model/signal.h"
#include "core/model/spec.h"

typedef struct MbForceOps MbForceOps;
typedef struct MbConstraintOps MbConstraintOps;

#define MB_WORLD SIZE_MAX

// A point (or frame) that a force acts at, fixed in a body.
typedef struct MbForcePoint {
  size_t body; // MB_WORLD: fixed in space
  MbPose at;   // in C of the body; in W
} MbForcePoint;

// One force of the scene. What is after `elements` is numbers alone, which the model's fingerprint takes as a whole.
typedef struct MbForce {
  const MbForceOps *ops;
  const char *name;       // for messages
  const void *parameters; // (ops->parameters bytes) its kind's own, without pointers; see the kind's header
  const MbForcePoint *points; // (npoints) of a force between points
  const size_t *block; // (npoints x npoints) where in K and D the derivative of the wrench on i's body by
                       // the motion of j's stands; MB_WORLD = nowhere
  const MbElementForce *elements; // of a deformable

  size_t npoints;
  size_t body; // that it acts on, where its kind acts on one
  size_t signal
      [6]; // numbers in the model's list: of a body's force torque, then force; of a muscle its activation
  bool lagged; // its derivatives count only where every derivative does
} MbForce;

// A node of a deformable of elements that is a body as well: one that rows act on, as attachments to bodies and constraints do.
typedef struct MbPort {
  size_t deformable;
  uint32_t node; // in it
} MbPort;

// What drives one coordinate: a force given over time, and a servo motor (see MbMotorSpec).
typedef struct MbDrive {
  size_t body;                           // whose joint it is; those of a joint follow one another
  size_t q, v;                           // places of the coordinate and its velocity
  size_t force, target, target_velocity; // signals; MB_WORLD = none
  double stiffness, damping, most;
} MbDrive;

// A soft limit of a joint's coordinate: the force K (bound − q) − D q̇ where it is beyond one.
typedef struct MbStop {
  size_t body; // whose joint it is
  size_t q, v; // places of the coordinate and its velocity
  double low, high;
  double stiffness, damping;
} MbStop;

// A body, and its part in what follows it.
typedef struct MbMaster {
  size_t body;
  double weight;
} MbMaster;

// One constraint of the scene, a joint's limit or its prescribed motion. What its kind does not use is zero. What is after
// `master` is numbers alone, which the model's fingerprint takes as a whole.
typedef struct MbConstraint {
  const MbConstraintOps *ops;
  const char *name;       // for messages
  const void *parameters; // (ops->parameters bytes) its kind's own, without pointers; see the kind's header
  const MbJoint
      *closure; // a joint that closes a loop, where its coordinates are looked for; a driven body's path
  const MbMaster *master; // (nmasters)

  size_t slot, rows;          // number of its first row among those of all, how many it has
  size_t body[2];             // MB_WORLD = fixed in space
  double at[2][3];            // points in C of the bodies; in W
  double R[2][9];             // axes of frames there, columns in C's axes; in W's
  size_t q[2], v[2];          // coordinates and their velocities
  size_t guess;               // closure: place of the first of its coordinates
  size_t path, npath;         // motion of a body: its signals, one after the other
  size_t signal[3];           // motion: of position, velocity, acceleration; SIZE_MAX = not given
  size_t nmasters;            // follow: of the node body[0]; at[1] is what is between it and their mean, in W
  double compliance, damping; // α and β (AR 0.11)
  double outward;  // limit: 2 γ where it is to go on at γ times what it is beyond, instead of back; 0
  MbAxes axes;     // motion of a body: that its velocity is given in
  int order;       // motion: what is prescribed, 0 position, 1 velocity, 2 acceleration
  bool unilateral; // its rows ask for g ≥ 0
  bool dry;        // its rows are dry friction: they ask for ġ = 0 with a force of no more than MbRow.most
  bool turns;      // limit, motion, ratio: the coordinate that is off is no length
} MbConstraint;

// A coordinate that follows another one: q_b = ratio q_a + offset.
typedef struct MbReduction {
  size_t q[2], v[2]; // of a, of b
  size_t body;       // b's, for messages
  double ratio, offset;
} MbReduction;

// A node that follows others, of which none follows itself: p = Σ weight p_master + offset, in the world's axes.
typedef struct MbFollower {
  const MbMaster *master; // (nmasters)
  // numbers alone from here on, which the model's fingerprint takes as a whole
  size_t body, nmasters;
  double offset[3];
} MbFollower;

struct MbModel {
  MbArena arena;
  const char *name;

  // bodies; frames: W world, B body (as in the scene), C centre of mass with principal axes
  size_t nb;                    // in depth-first order: parents before children, each subtree together
  size_t nlisted;               // the first of them are the scene's bodies; the rest are nodes, see below
  const size_t *number;         // (nlisted) of the scene's bodies, in the scene's order, here
  const char *const *body_name; // (nb)
  const char *const *listed;    // (nlisted) names in the scene's order
  MbNames names;                // of the bodies, in the scene's order
  const double *M;              // (nb x 6) principal inertia about C: I1 I2 I3 m m m
  const MbPose *C;              // (nb) C in B
  const double *damping;        // (nb) wrench −d φ
  double gravity[3];

  // nodes of deformables: bodies without extent, that hang on the world by a joint along axes (mb_joint_node); under the
  // projective solver points of elements, of which only ports are bodies
  size_t ndeformables;
  const MbDeformable *deformables; // (ndeformables)
  size_t nports;
  const MbPort *ports; // (nports) the last bodies, in this order; their mass is the deformable's

  // the tree; a body whose joint has no ops is free in space (7 coordinates, 6 velocities)
  bool jointed;         // some body has a joint
  const size_t *parent; // (nb) MB_WORLD = none
  const MbJoint *joint; // (nb)
  const MbPose *P;      // (nb) the joint's frame in the parent's C (in W)
  const MbPose *B;      // (nb) C in the joint's frame
  size_t nq, nv;
  const size_t *q_first, *v_first;                // (nb)
  const double *q0, *v0;                          // (nq), (nv) at t = 0
  const double *stiffness, *rest, *joint_damping; // (nv) zero for bodies that are free in space
  const double *joint_inertia; // (nv) of coordinates alone; zero for bodies that are free in space
  bool rotors;                 // some coordinate has inertia of its own
  bool sprung;                 // some joint has stiffness or damping
  const bool *
      flies; // (nb) bodies whose spin steps of first order carry (flight.h); they are bodies free in space, with no tree on
             // them, or those that solver "maximal" holds
  const bool *swings; // (nb) those of them whose spin changes in flight: a ball's does not, nor a cube's
  bool any_flies, any_swings;
  size_t ncurved, nrenewing;
  const size_t
      *curved; // (ncurved) bodies whose velocities are no rates of coordinates: free in space, or turned by
               // angular velocities; ascending
  const size_t *renewing; // (nrenewing) bodies whose joints may exchange their coordinates

  // pairs of bodies that forces couple: first < second, ascending
  size_t npairs;
  const size_t *pair; // (npairs x 2)

  size_t ndrives;
  const MbDrive *drives; // (ndrives)
  size_t nstops;
  const MbStop *stops; // (nstops)
  size_t nforces;
  const MbForce *forces; // (nforces)
  size_t nconstraints;
  const MbConstraint *constraints; // (nconstraints)
  size_t nguess;                   // coordinates of joints that close loops and are looked for
  const double *guess0;            // (nguess) at t = 0
  size_t nslots;                   // rows that they have together
  bool dry;                        // some of them are dry friction
  size_t nloads;                   // loads of all places at which joints rub (constraints/joint_friction.h)
  const char *const *slots;        // (nslots) names of the rows
  double gamma;                    // rate at which errors of position are asked to shrink; 0 = not at all
  double size;                     // of the scene, in metres
  double largest[2];               // gap of a hard row beyond which the run ends: a length, an angle (rad)
  bool ahead;                      // γ is 1/h, or not used: unilateral rows act before they are passed
  size_t nreductions;
  const MbReduction *reductions; // (nreductions) nothing follows what follows
  size_t nfollowers;
  const MbFollower *followers; // (nfollowers)
  MbContacts contacts;
  size_t nsignals, signal_room;
  const MbSignal *signals; // (nsignals) with room for signal_room
  size_t ninputs;
  const size_t *input;            // (ninputs) signals that a running simulation may be given values of
  const char *const *input_names; // (ninputs) where they stand in the scene; NULL behind the last
  size_t nconstants;
  const MbConstant *constants; // (nconstants) that expressions may use
  size_t nbreaks;
  const double *breaks; // (nbreaks) ascending times at which a signal has a corner

  // what runs
  MbSolverSpec solver;
  MbIntegratorSpec integrator;
  double h;
  int64_t steps;
  size_t nchannels;
  const char *const *channels; // (nchannels) names, as in the scene's output
  double frame_interval;       // s between frames, as there; NaN: every frame_every steps (sim/plan.h)
  int64_t frame_every;
  uint64_t fingerprint; // of all that a checkpoint must agree with
};

// Whether forces along joints' coordinates have other derivatives than springs and dampers there: motors and soft limits have, which act now
// and then.
static inline bool mb_model_drives(const MbModel *model) { return model->ndrives || model->nstops; }

// How many of the bodies have mass of their own: all but ports.
static inline size_t mb_model_own(const MbModel *model) { return model->nb - model->nports; }

// How many nodes are points and no bodies, but for ports: those of deformables of elements under the projective solver.
static inline size_t mb_model_points(const MbModel *model) {
  size_t n = 0;
  for (size_t i = 0; i < model->ndeformables; i++)
    n += model->deformables[i].points ? model->deformables[i].count : 0;
  return n;
}

// Which of all nodes a port is.
static inline size_t mb_model_port(const MbModel *model, size_t port) {
  return model->deformables[model->ports[port].deformable].first + model->ports[port].node;
}

// How many cables through those nodes pull with a tension that is given.
static inline size_t mb_model_cables(const MbModel *model) {
  size_t n = 0;
  for (size_t i = 0; i < model->ndeformables; i++)
    for (size_t k = 0; model->deformables[i].points && k < model->deformables[i].elements->ncables; k++)
      n += model->deformables[i].elements->cables[k].pull != SIZE_MAX;
  return n;
}

// What messages call body b.
static inline const char *mb_model_kind(const MbModel *model, size_t b) {
  return b < model->nlisted ? "body" : "node";
}

// All that a resume needs. Sizes are the solver's and the integrator's.
typedef struct MbState {
  double t;
  int64_t step;
  double *q;      // (nq) coordinates
  double *v;      // (nv) velocities
  double *memory; // (nm) what the integrator carries from step to step
} MbState;

// Bodies in maximal terms at one instant: poses and twists in; wrenches and their derivatives out. A wrench
// is (torque, force) in C axes at C's origin, like the twist (ω, v). K = ∂f/∂δ for a displacement E exp(δ), D
// = ∂f/∂φ.
typedef struct MbMaximal {
  size_t nb;
  double t;
  const double *signal; // (nsignals) values at t
  MbPose *E;            // (nb)
  double *phi;          // (nb x 6)
  double *f;            // (nb x 6)
  double *swing;        // (nb x 3) of bodies that fly over the step (flight.h); NULL: none do
  // (nb) the body in space whose velocities, the linear one in the world's axes, move the body: itself, or the one that carries its
  // tree; MB_WORLD: none does. NULL: nobody is in space.
  const size_t *carrier;
  bool carried; // all linear velocities are in the world's axes: no force has to turn them with the bodies
  // (nb x 36) row major blocks of the bodies, then (npairs x 2 x 36) of the pairs (i, j): ∂f_i by j's motion, ∂f_j by
  // i's; they need not be each other's transposes. NULL where nobody asks for them, and where no force has any; K alone where only
  // D is asked for.
  double *K, *D;
  // joints' own forces along the coordinates (model->stiffness, and motors): minus their derivatives, diagonal
  const double *q, *v;                     // that the bodies are at
  const double *stiffness, *joint_damping; // (nv)
  bool exact; // K and D hold the derivatives of gravity and of the velocity term too
  bool felt;  // forces that tell what they are felt by (MbForceOps.felt) have nothing in K and D
  bool safe;  // K holds no derivatives that could make A indefinite: a fall back for large steps
  // s: elements and stiff paths are linearised as they are turned by then, from where they are (forces/element_turn.c, path_turn.c);
  // 0: where they are. M (nb x 6) the bodies' inertia.
  double ahead;
  const double *M;
  // of a model that differs from another in a number moved a little, that other one and where its bodies are: what has corners, as
  // fibres that go slack, is on the side of them on which it is there; NULL: on its own
  const struct MbModel *branch;
  const MbPose *branch_E;
} MbMaximal;

#endif
