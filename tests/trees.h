// Trees of joints, made in C.
#ifndef MB_TESTS_TREES_H
#define MB_TESTS_TREES_H

#include "tests/support.h"

double test_around_zero(uint64_t *seed); // in [-1, 1)
void test_random_frame(MbFrameSpec *frame, uint64_t *seed);
MbNumbersSpec test_one_number(MbArena *arena, double value);

// A body of some mass, its centre somewhere; and its joint, with stiffness, damping, a position and a velocity.
MbBodySpec *test_random_body(MbSceneSpec *spec, uint64_t *seed);
void test_hang(MbSceneSpec *spec, MbBodySpec *body, MbJointKind kind, const char *parent, uint64_t *seed);
// Two bodies with every kind of joint and some free in space, hanging on random bodies before them.
MbSceneSpec test_forest(MbIntegratorKind kind, uint64_t *seed);
// A joint of a kind with random geometry, and its memory; a composite has seven degrees of freedom.
enum { TEST_KNOTS = 6 };
typedef struct TestJoint {
  MbJoint joint, part[3], inner[2];
  MbPose frame[TEST_KNOTS];
  double step[6 * TEST_KNOTS], control[6 * TEST_KNOTS * TEST_KNOTS];
  MbSpline spline;
} TestJoint;
void test_random_joint(TestJoint *random, MbJointKind kind, uint64_t *seed);
// Links with axes y and z in turn, let go from the horizontal, bent a little at every joint; ten of them.
MbSceneSpec test_chain_of(int links, MbIntegratorKind kind, double h);
MbSceneSpec test_chain(MbIntegratorKind kind, double h);

#endif
