// What a scene says, in C: filled by io/ from JSON (or by a program), read by core/compile.
//
// Nothing here is checked against anything else: names are not resolved, masses not computed; that is the
// build's work. Where a number may be absent, NaN says so; where a list or text may, NULL. All memory belongs
// to the scene's arena.
#ifndef MB_MODEL_SPEC_H
#define MB_MODEL_SPEC_H

#include "core/base/arena.h"
#include "core/mbsim.h"
#include "core/sparse/global_method.h"

// Of the lists of kinds below: a name in the enum, a word in the list of words.
#define MB_KIND_NAME(name, word) name,
#define MB_KIND_WORD(name, word) word,

// A value over time.
typedef enum MbSignalKind { MB_SIGNAL_CONSTANT, MB_SIGNAL_EXPRESSION, MB_SIGNAL_TABLE } MbSignalKind;
typedef enum MbInterpolation { MB_LINES, MB_HOLD, MB_CUBIC } MbInterpolation;

typedef struct MbSignalSpec {
  MbSignalKind kind;
  MbInterpolation interpolation;
  double value;                 // constant
  const char *text;             // expression in t and the parameters, without the "="
  size_t count;                 // table: strictly increasing times
  const double *times, *values; // (count)
} MbSignalSpec;

typedef struct MbFrameSpec {
  double position[3];
  double rotation[4]; // unit quaternion w x y z
} MbFrameSpec;

// A triangle mesh as it was read: corners index vertices, outward normals by the right-hand rule.
typedef struct MbMesh {
  size_t nv, nt;
  double *vertex;    // (nv x 3)
  int32_t *triangle; // (nt x 3)
} MbMesh;

// Nodes, and what stands between them. Counts that are 0 may have NULL for a list.
typedef struct MbElementMesh {
  size_t nodes, tets, triangles, edges;
  double *x;     // (nodes x 3) at rest
  uint32_t *tet; // (tets x 4) positive: det(x1 − x0, x2 − x0, x3 − x0) > 0
  uint32_t *
      middle; // (tets x 6) nodes half way along their edges (deformables/quadratic.h); NULL: they have corners alone
  uint32_t *triangle; // (triangles x 3) of cloth
  uint32_t *edge;     // (edges x 2) of springs
} MbElementMesh;

typedef enum MbShapeKind {
  MB_SHAPE_BOX,
  MB_SHAPE_SPHERE,
  MB_SHAPE_CAPSULE,
  MB_SHAPE_CYLINDER,
  MB_SHAPE_ELLIPSOID,
  MB_SHAPE_MESH,
  MB_SHAPE_PLANE,
  MB_SHAPES
} MbShapeKind;

// As what a shape takes part in contact. A mesh may do so as the hull of its vertices, or triangle by triangle, convex or not.
typedef enum MbCollideKind {
  MB_COLLIDE_NOT,
  MB_COLLIDE_AS_IT_IS, // of a mesh: its hull where that is the same
  MB_COLLIDE_HULL,
  MB_COLLIDE_MESH,
  MB_COLLIDES
} MbCollideKind;

typedef struct MbShapeSpec {
  MbShapeKind kind;
  MbCollideKind collide;
  double size[3];               // box: whole edges; ellipsoid: radii
  double radius;                // sphere, capsule, cylinder
  double length;                // capsule (between the caps' centres), cylinder; along z
  double normal[3], offset;     // plane
  const char *file;             // mesh, as written
  double scale;                 // mesh
  const MbMesh *mesh;           // mesh, read and scaled
  MbFrameSpec frame;            // in the body
  double density;               // NaN = not given
  const char *material;         // NULL = not given
  double friction, restitution; // NaN = not given
  const double
      *color; // (4) for pictures: red, green, blue as screens have them (sRGB), opacity; NULL = not given
} MbShapeSpec;

// Kinds of joints: their names, and the words of scenes.
#define MB_JOINT_KINDS(KIND)                                                                                 \
  KIND(MB_JOINT_FIXED, "fixed")                                                                              \
  KIND(MB_JOINT_REVOLUTE, "revolute")                                                                        \
  KIND(MB_JOINT_PRISMATIC, "prismatic")                                                                      \
  KIND(MB_JOINT_CYLINDRICAL, "cylindrical")                                                                  \
  KIND(MB_JOINT_SCREW, "screw")                                                                              \
  KIND(MB_JOINT_UNIVERSAL, "universal")                                                                      \
  KIND(MB_JOINT_PLANAR, "planar")                                                                            \
  KIND(MB_JOINT_TRANSLATIONAL, "translational")                                                              \
  KIND(MB_JOINT_SPHERICAL, "spherical")                                                                      \
  KIND(MB_JOINT_EULER, "euler")                                                                              \
  KIND(MB_JOINT_FREE2D, "free2d")                                                                            \
  KIND(MB_JOINT_FREE3D, "free3d")                                                                            \
  KIND(MB_JOINT_COMPOSITE, "composite")                                                                      \
  KIND(MB_JOINT_SPLINE_CURVE, "spline_curve")                                                                \
  KIND(MB_JOINT_SPLINE_SURFACE, "spline_surface")
typedef enum MbJointKind { MB_JOINT_KINDS(MB_KIND_NAME) MB_JOINTS } MbJointKind;

// How a body hangs on its parent. Lists of numbers by degree of freedom have one number for all of them, or as many
// as there are; none = 0.
typedef struct MbNumbersSpec {
  size_t count;
  const double *value; // (count)
} MbNumbersSpec;

// Signals by degree of freedom: one for each, or one for all; none = not given.
typedef struct MbSignalsSpec {
  uint32_t count;
  bool list;            // written as a list: pointers are /force/0, not /force
  MbSignalSpec *signal; // (count)
} MbSignalsSpec;

// A servo motor: stiffness (target − q) + damping (target velocity − q̇), no more than max.
typedef struct MbMotorSpec {
  MbSignalsSpec target, target_velocity;
  MbNumbersSpec stiffness, damping, max; // no max = any force
} MbMotorSpec;

// What gives way at limits: stiffness (limit − q) − damping q̇ beyond them.
typedef struct MbStopsSpec {
  MbNumbersSpec stiffness, damping;
} MbStopsSpec;

// [lo, hi] of every degree of freedom, or of all of them; −inf and inf = open
typedef struct MbLimitsSpec {
  size_t count;        // pairs; 0 = not given
  const double *value; // (count x 2)
} MbLimitsSpec;

// Prescribed motion of the coordinates: their positions, or their velocities, or their accelerations; of what is
// prescribed the higher rates may be given too. A signal that is constantly NaN prescribes nothing.
typedef struct MbMotionSpec {
  MbSignalsSpec position, velocity, acceleration;
} MbMotionSpec;

// How the body moves in its parent at the start, as a rigid motion: of the joint's frame in the body, seen from the parent.
typedef enum MbJointSide { MB_SIDE_PARENT, MB_SIDE_BODY } MbJointSide;
typedef struct MbJointTwistSpec {
  double angular[3], linear[3];
  bool has_angular, has_linear;
  MbJointSide axes; // those of the joint's frame in the parent, or in the body
} MbJointTwistSpec;

// Control values of a spline surface.
typedef struct MbSurfaceSpec {
  size_t rows, columns;
  const double *control[6]; // (rows x columns) each: x, y, z, rotations about x, y, z
} MbSurfaceSpec;

// Friction inside a joint: surfaces that its load presses on one another.
typedef struct MbJointFrictionSpec {
  double coefficient;
  double radius, length; // of a pin, a shaft or a ball
  double size[3];        // prismatic: of the slide, along the joint's axis last
  double tolerance;      // of the loads, relative; a step's passes end there
  int passes;            // at most
} MbJointFrictionSpec;

// What is rare lies apart, NULL = not given: a scene may have a million joints.
typedef struct MbJointSpec {
  MbJointKind kind;
  bool closed;        // spline_curve
  const char *parent; // NULL = the world
  MbFrameSpec in_parent,
      in_body;         // the joint's frame in the parent's frame, and in the body's; of a composite's part
                       // the first is its frame in what the part before it moves
  double axis[3];      // revolute, prismatic, cylindrical, screw
  union {              // by the kind
    double pitch;      // screw: metres a turn
    const char *order; // euler
  };
  union {
    const char *name;   // part of a composite; NULL = not given
    MbStopsSpec *stops; // of any other; NULL: limits are hard
  };
  union {    // by the kind
    struct { // composite
      size_t nparts;
      struct MbJointSpec *parts; // (nparts) nearest to the parent first
    };
    struct { // spline_curve
      size_t nframes;
      MbFrameSpec *frames; // (nframes)
    };
    MbSurfaceSpec *surface; // spline_surface
  };
  MbNumbersSpec position, velocity, stiffness, rest, damping, inertia, frictionloss;
  MbJointTwistSpec *twist; // instead of `velocity`
  MbLimitsSpec limits;
  MbMotionSpec *motion;
  MbSignalsSpec force; // applied along the coordinates
  MbMotorSpec *motor;
  MbJointFrictionSpec *friction;
} MbJointSpec;

typedef struct MbInertiaSpec {
  double mass, center[3], matrix[6]; // xx yy zz xy xz yz about the centre, body axes
} MbInertiaSpec;

typedef enum MbAxes { MB_AXES_WORLD, MB_AXES_BODY } MbAxes;

// A body that is driven, along a path or at a velocity of its frame's origin.
typedef struct MbBodyMotionSpec {
  MbSignalSpec position[3];
  bool has_pose, has_velocity, turns, euler; // euler: turns about three axes; neither: does not turn
  double axis[3];
  MbSignalSpec angle;
  const char *order;
  MbSignalSpec angles[3];
  MbSignalSpec angular[3], linear[3];
  MbAxes axes; // that the velocity is given in
} MbBodyMotionSpec;

typedef struct MbBodySpec {
  const char *name;
  size_t nshapes;
  MbShapeSpec *shapes;          // (nshapes)
  bool shape_list;              // written as a list: pointers are /shape/0, not /shape
  bool jointed;                 // else it is free in space
  bool posed, moving;           // `pose`, `velocity` is given; else a driven body starts as its path does
  MbAxes velocity_axes;         // axes that angular and linear are given in
  double density, mass;         // NaN = not given
  const char *material;         // NULL = not given
  const double *color;          // (4) as a shape's
  MbInertiaSpec *inertia;       // NULL = not given
  MbFrameSpec pose;             // of the body frame in the world
  double angular[3], linear[3]; // velocity of the body frame's origin
  double damping;               // wrench -damping * twist
  MbBodyMotionSpec *motion;     // NULL = not given; apart, being large and rare
  MbJointSpec joint;
} MbBodySpec;

// The kinds of force: what the code calls each, and its word in scenes.
#define MB_FORCE_KINDS(KIND)                                                                                 \
  KIND(MB_FORCE_DAMPING, "damping")                                                                          \
  KIND(MB_FORCE_WRENCH, "wrench")                                                                            \
  KIND(MB_FORCE_POINT, "point_force")                                                                        \
  KIND(MB_FORCE_SPRING, "spring")                                                                            \
  KIND(MB_FORCE_FRAME_SPRING, "frame_spring")                                                                \
  KIND(MB_FORCE_MULTI_SPRING, "multi_spring")                                                                \
  KIND(MB_FORCE_MUSCLE, "muscle")
typedef enum MbForceKind { MB_FORCE_KINDS(MB_KIND_NAME) MB_FORCES } MbForceKind;

// How a spring's tension depends on its length l and rest length L.
typedef enum MbSpringLaw {
  MB_LAW_LINEAR,           // k (l − L)
  MB_LAW_STRAIN,           // k (l − L)/L
  MB_LAW_QUADRATIC_STRAIN, // k l (l² − L²)/2L²
  MB_LAW_ZERO_LENGTH,      // k l
  MB_LAWS
} MbSpringLaw;

// A point of a body, or a frame; or a node of a deformable.
typedef struct MbPointSpec {
  const char *body;  // or "world"
  MbFrameSpec frame; // in the body; a point's rotation is the identity
  const char *node;  // the deformable; NULL: of the body
  int64_t index;     // of the node in it
} MbPointSpec;

typedef struct MbForceSpec {
  MbForceKind kind;
  const char *name; // NULL = not given
  const char *body; // of a kind that acts on one body
  bool lagged;      // the implicit integrators of first order leave out its derivatives
  size_t npoints;
  MbPointSpec *points; // (npoints) of a kind that acts between points: both ends, or a path
  void *parameters;    // what its kind has of its own: the struct for that in core/forces
} MbForceSpec;

// What holds things together: rows, or that there are no coordinates in which they could part.
typedef enum MbEnforce { MB_BY_CONSTRAINT, MB_BY_REDUCTION } MbEnforce;

// The kinds of constraint, as those of force.
#define MB_CONSTRAINT_KINDS(KIND)                                                                            \
  KIND(MB_CONSTRAINT_JOINT, "joint")                                                                         \
  KIND(MB_CONSTRAINT_POINT, "point")                                                                         \
  KIND(MB_CONSTRAINT_DISTANCE, "distance")                                                                   \
  KIND(MB_CONSTRAINT_ON_LINE, "point_on_line")                                                               \
  KIND(MB_CONSTRAINT_ON_PLANE, "point_on_plane")                                                             \
  KIND(MB_CONSTRAINT_RATIO, "ratio")                                                                         \
  KIND(MB_CONSTRAINT_VELOCITY_RATIO, "velocity_ratio")                                                       \
  KIND(MB_CONSTRAINT_ROLLING, "rolling")
typedef enum MbConstraintKind { MB_CONSTRAINT_KINDS(MB_KIND_NAME) MB_CONSTRAINTS } MbConstraintKind;

typedef struct MbConstraintSpec {
  MbConstraintKind kind;
  const char *name; // NULL = not given
  size_t nbetween;
  MbPointSpec *between;       // (nbetween) two ends, of a kind that is between points
  double compliance, damping; // 0 = hard
  void *parameters;           // what its kind has of its own: the struct for that in core/constraints
} MbConstraintSpec;

typedef enum MbDeformableKind {
  MB_DEFORMABLE_SPRINGS,
  MB_DEFORMABLE_PARTICLES,
  MB_DEFORMABLE_TETS,
  MB_DEFORMABLE_CLOTH,
  MB_DEFORMABLE_ROD,
  MB_DEFORMABLES
} MbDeformableKind;
typedef enum MbGridPattern {
  MB_PATTERN_CROSS,
  MB_PATTERN_DIAGONAL,
  MB_PATTERN_SQUARE,
  MB_PATTERNS
} MbGridPattern;

// Points on a helix about z.
typedef struct MbHelixSpec {
  int64_t nodes;               // 0 = it is none
  double radius, pitch, turns; // m; m a turn
} MbHelixSpec;

// Where the nodes are before the pose: one of rope, points, helix, grid, box, ball and file. A rope's first node and a corner of a grid
// or a box are at the origin, the others along x (and y, and z) from there; a ball is about the origin.
typedef struct MbNodeMeshSpec {
  int64_t rope;         // nodes; 0 = it is none
  double length;        // rope; NaN = not given
  size_t npoints;       // 0 = it is none
  const double *points; // (npoints x 3)
  MbHelixSpec helix;
  double grid[2], box[3];    // nodes along x, y (and z), whole numbers; 0 = it is none
  int64_t ball;              // cells along its diameter; 0 = it is none
  double radius;             // ball; NaN = not given
  const char *file;          // as written; NULL = it is none
  double scale;              // file
  double weld;               // file: vertices that are no further apart are one; 0, NaN = none are
  int64_t order;             // of tets: 1, or 2 with nodes half way along edges; 0 = not given
  const MbElementMesh *mesh; // file, read and scaled
  size_t nsize;              // numbers in `size`
  const double *size;        // grid, box: along x and y (and z)
  MbGridPattern pattern;     // grid: which of its cells' diagonals are springs; of cloth, how cells are cut
} MbNodeMeshSpec;

// Some nodes, by places in the mesh's own coordinates; one of the six is given.
typedef struct MbSelectSpec {
  size_t nvertices, nnearest;
  const double *vertices; // (nvertices) numbers of nodes
  const double *nearest;  // (nnearest) a place: the node nearest to it
  const char *side;       // "+x": the nodes furthest that way; NULL = not given
  const char *clamp;      // of a rod "first" or "last": an end with its direction; NULL = not given
  bool in_box, in_sphere;
  double box[2][3]; // least and most
  double center[3], radius;
} MbSelectSpec;

// How pinned nodes move from where they are at the start: turned about a line of the world, then moved.
typedef struct MbPinMotionSpec {
  MbSignalSpec translate[3];
  bool given, turns;
  double axis[3], through[3];
  MbSignalSpec angle;
} MbPinMotionSpec;

typedef struct MbPinSpec {
  MbSelectSpec select;
  const char *axes; // of the world, that are held: "xyz"
  MbPinMotionSpec motion;
} MbPinSpec;

// Nodes of a deformable, and their weights.
typedef struct MbMastersSpec {
  const char *deformable; // NULL = the same
  size_t nvertices, nweights;
  const double *vertices; // (nvertices) numbers of nodes
  const double *weights;  // (nweights) none: those that come nearest to where the attached node is
} MbMastersSpec;

typedef struct MbAttachSpec {
  MbSelectSpec select;
  const char *body; // or "world"; NULL: to nodes
  MbMastersSpec to;
  MbEnforce enforce;
} MbAttachSpec;

// A cable through points, each the middle of some nodes.
typedef struct MbCableSpec {
  size_t npath;
  MbSelectSpec *path; // (npath)
  MbSignalSpec pull;  // tension
  bool pulled;        // else it keeps its length
  double compliance;  // 0 = hard
} MbCableSpec;

// ψ of each is in core/deformables/elastic.h.
typedef enum MbElasticModel {
  MB_ARAP,
  MB_COROTATIONAL,
  MB_NEO_HOOKEAN,
  MB_LINEAR,
  MB_ELASTIC_MODELS
} MbElasticModel;

typedef enum MbBendingKind {
  MB_BENDING_ISOMETRIC,
  MB_BENDING_LAPLACE_BELTRAMI,
  MB_NO_BENDING,
  MB_BENDINGS
} MbBendingKind;

typedef struct MbBendingSpec {
  MbBendingKind model;
  bool given;
  double stiffness; // J; NaN = that of a plate
  double damping;   // s
} MbBendingSpec;

// A family of fibres in a deformable's elements.
typedef struct MbFibresSpec {
  double direction[3];
  double stiffness, limit, beyond, strength;
  MbSignalSpec activation;
  bool activated; // it is given
} MbFibresSpec;

// What is inside the closed parts of a deformable's surface beside a pressure that is given: a gas whose p V stays what it is.
typedef struct MbGasSpec {
  double pressure, outside; // Pa; 0 = there is none
} MbGasSpec;

// Wind at the triangles of a deformable's surface.
typedef struct MbWindSpec {
  bool given;
  MbSignalSpec velocity[3];
  double density, drag, lift;
} MbWindSpec;

// How a deformable takes part in contact.
typedef struct MbDeformableContactSpec {
  bool given, enabled, self, self_given;
  double thickness, friction; // NaN = not given
} MbDeformableContactSpec;

// Point masses; springs between them, or tetrahedra or triangles of something elastic.
typedef struct MbDeformableSpec {
  MbDeformableKind kind;
  const char *name;
  MbNodeMeshSpec mesh;
  MbNodeMeshSpec start;      // tets, cloth: a file with the places at the start; none = those of the mesh
  double mass;               // springs, particles: of all nodes together
  double stiffness, damping; // springs
  MbSpringLaw law;           // springs
  bool lagged;               // springs: as a force's
  MbElasticModel model;      // tets, cloth
  double young, poisson, density; // tets, cloth
  double thickness;               // cloth
  MbBendingSpec bending;          // cloth
  double radius;                  // rods
  double bends, twists;           // rods: N m²; NaN = as young, poisson and radius have it
  size_t nfibres;
  MbFibresSpec *fibres;  // (nfibres) tets, cloth
  MbSignalSpec pressure; // tets, cloth: inside closed parts
  bool pressed;          // it is given
  MbGasSpec gas;         // tets, cloth
  MbWindSpec wind;       // tets, cloth
  MbDeformableContactSpec contact;
  MbFrameSpec pose;             // of the mesh in the world at the start
  double angular[3], linear[3]; // velocity at the start, as of a rigid body with its origin at the pose's
  size_t npins, nattachments, ncables;
  MbPinSpec *pins;           // (npins)
  MbAttachSpec *attachments; // (nattachments)
  MbCableSpec *cables;       // (ncables)
  const double *color;       // (4) as a shape's
} MbDeformableSpec;

typedef struct MbMaterialSpec {
  const char *name;
  double density;               // NaN = not given
  double friction, restitution; // NaN = not given
  const double *color;          // (4) as a shape's
} MbMaterialSpec;

// The cones that friction may stay in, as core/contact has them in the same order.
typedef enum MbConeKind { MB_NO_CONE, MB_BOX_CONE, MB_PYRAMID_CONE, MB_ROUND_CONE, MB_CONES } MbConeKind;
// The methods, which core/contact has by the same words.
typedef enum MbContactMethodKind {
  MB_CONTACT_AUTO,
  MB_CONTACT_BY_PIVOTING,
  MB_CONTACT_BY_GAUSS_SEIDEL,
  MB_CONTACT_BY_STAGGERED,
  MB_CONTACT_BY_NEWTON,
  MB_CONTACT_BY_ADMM,
  MB_CONTACT_METHODS
} MbContactMethodKind;
typedef enum MbNewtonFunction {
  MB_BY_MINIMUM_MAP,
  MB_BY_FISCHER_BURMEISTER,
  MB_NEWTON_FUNCTIONS
} MbNewtonFunction;

// What holds for two bodies; NaN = not given.
typedef struct MbContactPairSpec {
  const char *bodies[2];
  double friction, restitution;
} MbContactPairSpec;

typedef struct MbBodyPairSpec {
  const char *bodies[2];
} MbBodyPairSpec;

// Contact and friction.
typedef struct MbContactsSpec {
  bool enabled;
  double friction, restitution;
  double threshold; // approaches that are slower do not rebound, m/s; NaN = not given
  MbContactMethodKind method;
  MbConeKind cone;
  int sides;                  // of a pyramid
  double compliance, damping; // 0 = hard
  int iterations;             // 0 = the method's own
  double tolerance;           // of the natural map
  MbNewtonFunction function;
  bool self; // deformables, where these do not say it
  size_t npairs, nexclude;
  MbContactPairSpec *pairs; // (npairs)
  MbBodyPairSpec *exclude;  // (nexclude)
} MbContactsSpec;

typedef struct MbParameterSpec {
  const char *name;
  double value;
} MbParameterSpec;

typedef enum MbSolverKind {
  MB_SOLVER_REDMAX,
  MB_SOLVER_MAXIMAL,
  MB_SOLVER_PROJECTIVE,
  MB_SOLVERS
} MbSolverKind;

typedef enum MbIntegratorKind {
  MB_SYMPLECTIC,
  MB_IMPLICIT,
  MB_TRAPEZOIDAL,
  MB_BRIDSON_MARINO,
  MB_RK45,
  MB_BDF1,
  MB_BDF2,
  MB_SDIRK2,
  MB_STATIC,
  MB_INTEGRATORS
} MbIntegratorKind;

// Whether all of a step's equations are those at its end, solved by iteration.
static inline bool mb_integrator_is_full(MbIntegratorKind kind) {
  return kind == MB_BDF1 || kind == MB_BDF2 || kind == MB_SDIRK2;
}

typedef enum MbDevice { MB_CPU, MB_CUDA, MB_AUTO } MbDevice;

typedef enum MbDynamics { MB_DYNAMICS_AUTO, MB_RECURSIVE, MB_DENSE } MbDynamics;
typedef enum MbMode { MB_DYNAMIC, MB_FIRST_ORDER } MbMode;
typedef enum MbLinear { MB_LINEAR_AUTO, MB_LINEAR_TREE, MB_LINEAR_SPARSE, MB_LINEAR_DENSE } MbLinear;

// projective: in which numbers the global step keeps its matrix, and the method around it
typedef enum MbPrecision { MB_PRECISION_DOUBLE, MB_PRECISION_SINGLE } MbPrecision;
typedef enum MbMethod {
  MB_METHOD_AUTO,
  MB_METHOD_LBFGS,
  MB_METHOD_PROJECTIVE,
  MB_METHOD_NEWTON,
  MB_METHODS
} MbMethod;

// Of bodies in space: linear velocities and angular momenta are carried through the step in the world's axes; or twists stay
// in the bodies' axes and what turns them there is a force, taken as it is at the step's start.
typedef enum MbVelocityTerms { MB_TERMS_CARRIED, MB_TERMS_EXPLICIT } MbVelocityTerms;

typedef enum MbStabilization { MB_BAUMGARTE, MB_POST, MB_NO_STABILIZATION } MbStabilization;

// Where a coordinate is asked to go that is beyond its upper limit.
typedef enum MbUpperLimits { MB_INWARD, MB_OUTWARD } MbUpperLimits;

typedef struct MbStabilizationSpec {
  MbStabilization kind;
  double gamma; // baumgarte: 1/s; NaN = 1/h, or of the scene under the adaptive integrator
  MbUpperLimits upper_limits;
  double largest_error; // gap at which the run ends, by the size of the scene
} MbStabilizationSpec;

typedef struct MbSolverSpec {
  // how it is done, which changes results by rounding alone
  MbDynamics dynamics; // redmax: how A is inverted
  MbLinear linear;     // maximal: how the multipliers are found
  int threads;         // at least 1
  MbDevice device;
  // what is done: the model's fingerprint takes all from here on as a whole
  MbSolverKind kind;
  bool project;          // maximal: the state is the joints' coordinates
  MbVelocityTerms terms; // maximal: what of the velocities turns with the bodies
  MbMode mode;           // maximal: f = m a, or the kinematic f = m v
  int iterations;        // projective: a step's; 0 = the method's own
  MbGlobalMethod global; // projective
  double tolerance;      // projective: of a step's last correction, by the size of the deformables; 0 = none
  double energy_tolerance; // projective: of what a step takes off its energy; NaN = what goes with the rest
  MbPrecision precision;   // projective
  MbMethod method;         // projective
  MbSolverKind bodies;     // projective: what moves the bodies
  MbStabilizationSpec stabilization; // of constraints
} MbSolverSpec;

// What moves the bodies of a scene.
static inline MbSolverKind mb_solver_of_bodies(const MbSolverSpec *solver) {
  return solver->kind == MB_SOLVER_PROJECTIVE ? solver->bodies : solver->kind;
}

typedef struct MbIntegratorSpec {
  MbIntegratorKind kind;
  double relative, absolute; // rk45: tolerances a step
  double tolerance;          // static: largest correction that is none, m or rad
  int load_steps;            // static: of each step
} MbIntegratorSpec;

typedef struct MbTimeSpec {
  double step;
  double duration; // NaN = not given
  int64_t steps;   // -1 = not given
} MbTimeSpec;

typedef struct MbOutputSpec {
  const char *file; // NULL = not given
  int64_t every;    // steps a frame; 0 = not given
  double interval;  // seconds a frame; NaN = not given
  size_t nchannels;
  const char **channels;       // (nchannels); NULL = the default ones
  double error[MB_QUANTITIES]; // largest error a number may have in the file; 0 = lossless
  double checkpoint;           // simulated seconds between checkpoints; NaN = not given
} MbOutputSpec;

typedef struct MbSceneSpec {
  MbArena arena;
  const char *schema;             // for editors; NULL = not given
  const char *name, *description; // "" when not given
  double gravity[3];
  MbTimeSpec time;
  MbSolverSpec solver;
  MbIntegratorSpec integrator;
  MbOutputSpec output;
  size_t nparameters, nmaterials, nbodies, nforces, nconstraints, ndeformables;
  MbParameterSpec *parameters;   // (nparameters) after overriding
  MbMaterialSpec *materials;     // (nmaterials)
  MbBodySpec *bodies;            // (nbodies)
  MbForceSpec *forces;           // (nforces)
  MbConstraintSpec *constraints; // (nconstraints)
  MbDeformableSpec *deformables; // (ndeformables)
  MbContactsSpec *contact;       // NULL = nothing collides
} MbSceneSpec;

// The material of a name; NULL where the name is NULL, or none has it.
const MbMaterialSpec *mb_find_material(const MbSceneSpec *spec, const char *name);
// The colour of a body's shape: its own, its material's, the body's or the body's material's, whichever comes first. NULL = none.
// Without a shape, that of the body.
const double *mb_shape_color(const MbSceneSpec *spec, const MbBodySpec *body, const MbShapeSpec *shape);

// Steps to do: those given, or as many as reach the duration.
int64_t mb_time_steps(const MbTimeSpec *time);

// The words of the scene format, in the order of their enum, each list ended by NULL.
extern const char *const mb_shape_words[MB_SHAPES + 1];
extern const char *const mb_joint_words[MB_JOINTS + 1];
extern const char *const mb_force_words[MB_FORCES + 1];
extern const char *const mb_constraint_words[MB_CONSTRAINTS + 1];
extern const char *const mb_deformable_words[MB_DEFORMABLES + 1];
extern const char *const mb_pattern_words[MB_PATTERNS + 1];
extern const char *const mb_enforce_words[3];
extern const char *const mb_elastic_words[MB_ELASTIC_MODELS + 1];
extern const char *const mb_bending_words[MB_BENDINGS + 1];
extern const char *const mb_precision_words[3];
extern const char *const mb_bodies_solver_words[3]; // the first of mb_solver_words
extern const char *const mb_method_words[5];
extern const char *const mb_stabilization_words[4];
extern const char *const mb_upper_limit_words[3];
extern const char *const mb_law_words[MB_LAWS + 1];
extern const char *const mb_solver_words[MB_SOLVERS + 1];
extern const char *const mb_integrator_words[MB_INTEGRATORS + 1];
extern const char *const mb_dynamics_words[4];
extern const char *const mb_velocity_terms_words[3];
extern const char *const mb_mode_words[3];
extern const char *const mb_linear_words[5];
extern const char *const mb_device_words[4];
extern const char *const mb_axes_words[3];
extern const char *const mb_joint_side_words[3];
extern const char *const mb_interpolation_words[4];
extern const char *const mb_cone_kind_words[MB_CONES + 1];
extern const char *const mb_contact_method_words[MB_CONTACT_METHODS + 1];
extern const char *const mb_collide_words[MB_COLLIDES - MB_COLLIDE_HULL + 1]; // from MB_COLLIDE_HULL on
extern const char *const mb_newton_function_words[MB_NEWTON_FUNCTIONS + 1];
extern const char *const mb_quantity_words[MB_QUANTITIES + 1];

#endif
