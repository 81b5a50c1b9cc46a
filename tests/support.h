// What several tests need: scenes made in C, and comparisons that say where they fail.
#ifndef MB_TESTS_SUPPORT_H
#define MB_TESTS_SUPPORT_H

#include "core/compile/compile.h"
#include "core/forces/body_force.h"
#include "core/forces/damping.h"
#include "core/forces/frame_spring.h"
#include "core/forces/muscle.h"
#include "core/forces/spring.h"
#include "core/sim/accelerate.h"
#include "core/sim/accounting.h"
#include "core/sim/constrain.h"
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"
#include "core/sim/nodes.h"

#include <criterion/criterion.h>

// Of a test that takes long, of numbers alone: the sanitizers' build leaves it out, as shorter ones run the same code.
#ifdef MB_SANITIZED
#define TEST_LONG .disabled = true
#else
#define TEST_LONG .disabled = false
#endif

// A scene in C: bodies and forces are added to it. Free with mb_arena_free(&spec.arena).
MbSceneSpec test_scene(MbIntegratorKind integrator, double step, int64_t steps);
// A body with principal moments I and mass m about its frame's origin, which is its centre of mass.
MbBodySpec *test_body(MbSceneSpec *spec, const char *name, double mass, double Ixx, double Iyy, double Izz);
MbForceSpec *test_force(MbSceneSpec *spec, MbForceKind kind, const char *body);
// What its kind has of its own, zero at first.
static inline MbDamping *test_damping(const MbForceSpec *force) { return force->parameters; }
static inline MbBodyForceSpec *test_wrench(const MbForceSpec *force) { return force->parameters; }
static inline MbSpringSpec *test_spring(const MbForceSpec *force) { return force->parameters; }
static inline MbFrameSpring *test_frame_spring(const MbForceSpec *force) { return force->parameters; }
static inline MbMuscleSpec *test_muscle(const MbForceSpec *force) { return force->parameters; }
// Gives it to a force between points of any kind, along its line and about it; a muscle has numbers of its own.
void test_pull(MbForceSpec *force, const double stiffness[2], const double damping[2], double length);
MbSignalSpec test_constant(double value);
MbSignalSpec test_expression(const char *text);

// Builds, or fails the test with what the report says.
MbModel *test_model(const MbSceneSpec *spec);
MbSim *test_sim(const MbModel *model, int threads);
void test_steps(MbSim *sim, int64_t count);
void test_ok(MbStatus status, const MbReport *report);

// Fails when some |a_i − b_i| > tolerance, and says which is the worst.
void test_near(const char *what, const double *a, const double *b, size_t n, double tolerance);

// Makes a folder of the test's own, and takes it away with all that is in it; nothing may be allocated then.
void test_folder_begin(char folder[64], const char *name);
void test_folder_end(const char *folder);

// A deterministic stream of numbers in [0, 1).
double test_random(uint64_t *state);

#endif
