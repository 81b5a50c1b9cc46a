// Nodes of long lists have branches of the factor in the place of columns: the same answers and corrections as by columns, which a method without
// branches has for any list.
#include "core/base/alloc.h"
#include "tests/soft.h"

#include <string.h>

enum { SIDE = 6, NODES = SIDE * SIDE * SIDE, PINNED = 31 };

static void begin(Soft *soft, MbGlobalMethod global) {
  *soft = (Soft){0};
  cr_assert(mb_element_mesh_box(&soft->mesh, (const size_t[]){SIDE, SIDE, SIDE}, (const double[]){1, 1, 1}));
  soft_begin(soft, 1000);
  soft_material(soft, MB_COROTATIONAL, 1e5, 0.3);
  soft->placed[PINNED] = 7;
  soft->spec.global = global;
  soft_create(soft, 0.01, MB_METHOD_PROJECTIVE, 1, 0);
}

// Every `stride`th node from `first` on.
static size_t list(size_t first, size_t stride, uint32_t node[NODES]) {
  size_t n = 0;
  for (size_t i = first; i < NODES; i += stride) node[n++] = (uint32_t)i;
  return n;
}

static void step(Soft *soft, const double *impulse, double *after, double *q1) {
  double v1[3 * NODES], t;
  const MbNodeStart start = {soft->q, soft->v, soft->target, soft->gravity, soft->force, NULL};
  mb_pd_begin(soft->engine, &start);
  cr_assert(mb_pd_pass(soft->engine));
  mb_pd_push_ports(soft->engine, impulse);
  mb_pd_read_ports(soft->engine, 1, after);
  cr_assert(mb_pd_end_pass(soft->engine, &(MbPdAlong){0}, &t));
  mb_pd_end(soft->engine, q1, v1);
}

static void compare(Soft soft[2], size_t n) {
  static double impulse[3 * NODES], told[2][3 * NODES], after[2][3 * NODES], q1[2][3 * NODES];
  double S[2][3], size = 0;
  for (size_t a = 0; a < n; a += 5)
    for (size_t b = 0; b < n; b++) {
      for (int k = 0; k < 2; k++) mb_pd_response(soft[k].engine, a, b, S[k]);
      size = fmax(size, S[1][0]);
      test_near("response", S[0], S[1], 3, 1e-13 * size);
    }
  for (size_t c = 0; c < 3 * n; c++) impulse[c] = c / 3 % 4 ? 0.1 * sin(1.0 + (double)c) : 0;
  for (int k = 0; k < 2; k++) {
    mb_pd_respond(soft[k].engine, impulse, told[k]);
    step(&soft[k], impulse, after[k], q1[k]);
  }
  test_near("told", told[0], told[1], 3 * n, 1e-12);
  test_near("velocities", after[0], after[1], 3 * n, 1e-11);
  test_near("places", q1[0], q1[1], 3 * NODES, 1e-13);
}

Test(pd_branches, long_lists_are_answered_as_by_columns) {
  static const size_t first[] = {0, 20, 1, 4, 0}, stride[] = {1, 1, 1, 9, 1};
  static const bool branched[] = {true, true, true, false, true};
  uint32_t node[NODES];
  size_t rows;
  for (int method = 0; method < 2; method++) {
    Soft soft[2];
    begin(&soft[0], method ? MB_GLOBAL_SPARSE_INVERSE : MB_GLOBAL_CHOLESKY);
    begin(&soft[1], MB_GLOBAL_PARTITIONED_INVERSE);
    for (size_t k = 0; k < 5; k++) {
      const size_t n = list(first[k], stride[k], node);
      for (int i = 0; i < 2; i++) cr_assert(mb_pd_name(soft[i].engine, n, node));
      cr_expect_eq(mb_pd_branches(soft[0].engine, &rows) != NULL, branched[k], "a list of %zu", n);
      cr_expect_eq(rows, (size_t)NODES - 1);
      cr_expect_null(mb_pd_branches(soft[1].engine, &rows));
      compare(soft, n);
    }
    soft_end(&soft[0]), soft_end(&soft[1]);
  }
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(pd_branches, a_list_that_has_been_is_named_again_without_allocating) {
  Soft soft;
  uint32_t node[NODES];
  begin(&soft, MB_GLOBAL_CHOLESKY);
  cr_assert(mb_pd_name(soft.engine, list(0, 1, node), node));
  const size_t bytes = mb_pd_bytes(soft.engine);
  const int64_t calls = mb_alloc_calls();
  for (size_t first = 0; first < 4; first++) cr_assert(mb_pd_name(soft.engine, list(first, 1, node), node));
  cr_expect_eq(mb_alloc_calls(), calls);
  cr_expect_eq(mb_pd_bytes(soft.engine), bytes);
  soft_end(&soft);
}
