// Ways in which the nodes of a deformable can move that are bodies, and the derivatives of forces by them.
#ifndef MB_TESTS_WAYS_H
#define MB_TESTS_WAYS_H

#include "tests/support.h"

// One way: of nodes that a body carries six, of the others three.
typedef struct TestWay {
  size_t body, axis;
} TestWay;

// Lists those of a deformable's nodes, `most` of them at most; returns how many.
size_t test_ways(const MbModel *model, int deformable, TestWay *ways, size_t most);
// out (n x n) ← the derivatives by the ways, from blocks as those of K and D are laid out.
void test_ways_blocks(const MbModel *model, const double *blocks, const TestWay *ways, size_t n, double *out);
// aᵀ B b of twists of all bodies, and blocks B as those of K and D are laid out.
double test_block_product(const MbModel *model, const double *B, const double *a, const double *b);
// Throws every node out of its place, and moves it; what a body carries turns as well.
void test_disturb(MbSim *sim);
// The force alone at the places and velocities of sim->x, with exact derivatives if wanted.
void test_evaluate(MbSim *sim, const MbForce *force, bool derivatives);
// Column j of out (n x n) ← differences of the force by way j: of its place (E exp(s e_j)), or of its velocity. Returns minus that of its
// energy.
double test_differ(MbSim *sim, const MbForce *force, const TestWay *ways, size_t n, size_t j, bool places,
                   double *out);
// What such differences are good to, of forces of some 100 N over 0.1 m and 1 m/s: rounding is 1e-16/1e-6 of them, what the third
// derivative leaves 1e-12/0.01.
#define TEST_CLOSE 1e-6
double test_largest(const double *x, size_t n);
// The force of a deformable's elements.
const MbForce *test_elements_of(const MbModel *model, int deformable);
// Throws the nodes of a deformable out of their places and checks that D and K of its elements are the slopes of their force by velocities
// and by places; K to so many times TEST_CLOSE of its largest entry.
void test_slopes_of_damping(MbSim *sim, int deformable, const char *name, double times);

#endif
