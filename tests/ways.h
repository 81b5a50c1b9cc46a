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
// The force of a deformable's elements.
const MbForce *test_elements_of(const MbModel *model, int deformable);

#endif
