// What a scene says of how its motion is found: solver, integrator, time.
#ifndef MB_MODEL_SPEC_SOLVER_H
#define MB_MODEL_SPEC_SOLVER_H

#include <stdbool.h>
#include <stdint.h>
#include "core/sparse/global_method.h"

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
  bool project_told; // `project` was given
  // what is done: the model's fingerprint takes all from here on as a whole
  MbSolverKind kind;
  bool project;          // maximal: the state is the joints' coordinates; of a scene see mb_scene_projects
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

// Steps to do: those given, or as many as reach the duration.
int64_t mb_time_steps(const MbTimeSpec *time);

// The words of the scene format, in the order of their enum, each list ended by NULL.
extern const char *const mb_solver_words[MB_SOLVERS + 1];
extern const char *const mb_bodies_solver_words[3]; // the first of mb_solver_words
extern const char *const mb_integrator_words[MB_INTEGRATORS + 1];
extern const char *const mb_dynamics_words[4];
extern const char *const mb_velocity_terms_words[3];
extern const char *const mb_mode_words[3];
extern const char *const mb_linear_words[5];
extern const char *const mb_device_words[4];
extern const char *const mb_precision_words[3];
extern const char *const mb_method_words[5];
extern const char *const mb_stabilization_words[4];
extern const char *const mb_upper_limit_words[3];

#endif
