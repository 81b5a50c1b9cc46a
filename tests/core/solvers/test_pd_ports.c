// Nodes that a caller's rows act on: how they answer impulses, whether what is kept for them is kept or not.
#include "tests/soft.h"

#include <string.h>

enum { PORTS = 4, NODES = 27 };
static const uint32_t ports[PORTS] = {4, 13, 22,
                                      26}; // 22 rolls: it is placed along y; 26 is placed along every axis
static const double impulses[3 * PORTS] = {0.2, -0.1, 0.3, 0, 0.4, 0, 0.1, 0, -0.3, 0, 0, 0};

static void begin(Soft *soft, size_t columns, int iterations) {
  *soft = (Soft){0};
  cr_assert(mb_element_mesh_box(&soft->mesh, (const size_t[]){3, 3, 3}, (const double[]){1, 1, 1}));
  soft_begin(soft, 1000);
  soft_material(soft, MB_COROTATIONAL, 1e5, 0.3);
  soft->placed[22] = 2, soft->placed[26] = 7;
  soft->spec.nports = PORTS, soft->spec.port = ports, soft->spec.columns = columns;
  soft_create(soft, 0.01, MB_METHOD_PROJECTIVE, iterations, 0);
}

// One iteration with impulses at the ports; their velocities before and after these, and all nodes' places.
static void push(Soft *soft, double *before, double *after, double *q1) {
  double v1[3 * NODES], t;
  const MbNodeStart start = {soft->q, soft->v, soft->target, soft->gravity, soft->force, NULL};
  mb_pd_begin(soft->engine, &start);
  cr_assert(mb_pd_pass(soft->engine));
  mb_pd_read_ports(soft->engine, 1, before);
  mb_pd_push_ports(soft->engine, impulses);
  mb_pd_read_ports(soft->engine, 1, after);
  cr_assert(mb_pd_end_pass(soft->engine, &(MbPdAlong){0}, &t));
  mb_pd_end(soft->engine, q1, v1);
}

Test(pd_ports, impulses_change_velocities_by_the_response_that_is_told) {
  Soft soft;
  double before[3 * PORTS], after[3 * PORTS], told[3 * PORTS], change[3 * PORTS], q1[3 * NODES];
  begin(&soft, 0, 1);
  push(&soft, before, after, q1);
  mb_pd_respond(soft.engine, impulses, told);
  for (int k = 0; k < 3 * PORTS; k++) change[k] = after[k] - before[k];
  test_near("velocities", change, told, 3 * PORTS, 1e-12);
  cr_expect_gt(fabs(told[0]), 1e-4);
  cr_expect(fabs(told[7]) < 1e-15 && fabs(told[9]) < 1e-15, "nodes that are placed move");
  soft_end(&soft);
}

Test(pd_ports, without_room_for_columns_a_solution_makes_the_same_correction) {
  Soft kept, solved;
  double before[3 * PORTS], after[2][3 * PORTS], q1[2][3 * NODES];
  begin(&kept, 0, 1), begin(&solved, 1, 1);
  cr_expect_gt(mb_pd_bytes(kept.engine), mb_pd_bytes(solved.engine));
  push(&kept, before, after[0], q1[0]);
  push(&solved, before, after[1], q1[1]);
  test_near("velocities", after[1], after[0], 3 * PORTS, 1e-13);
  test_near("places", q1[1], q1[0], 3 * NODES, 1e-14);
  soft_end(&kept), soft_end(&solved);
}

// What is free takes up all of the impulses, whatever its stiffness.
Test(pd_ports, a_free_block_takes_up_the_momentum_that_it_is_given) {
  Soft soft = {0};
  double before[3 * PORTS], after[3 * PORTS], q1[3 * NODES], sum[3] = {0}, given[3] = {0};
  cr_assert(mb_element_mesh_box(&soft.mesh, (const size_t[]){3, 3, 3}, (const double[]){1, 1, 1}));
  soft_begin(&soft, 1000);
  soft_material(&soft, MB_COROTATIONAL, 1e5, 0.3);
  soft.spec.nports = PORTS, soft.spec.port = ports;
  soft_create(&soft, 0.01, MB_METHOD_PROJECTIVE, 1, 0);
  push(&soft, before, after, q1);
  for (size_t i = 0; i < NODES; i++)
    for (size_t k = 0; k < 3; k++) sum[k] += soft.mass[i] * (q1[3 * i + k] - soft.q[3 * i + k]) / 0.01;
  for (size_t p = 0; p < PORTS; p++)
    for (size_t k = 0; k < 3; k++) given[k] += impulses[3 * p + k];
  test_near("momentum", sum, given, 3, 1e-10);
  soft_end(&soft);
}

static void begin_free(Soft *soft, size_t columns) {
  *soft = (Soft){0};
  cr_assert(mb_element_mesh_box(&soft->mesh, (const size_t[]){3, 3, 3}, (const double[]){1, 1, 1}));
  soft_begin(soft, 1000);
  soft_material(soft, MB_COROTATIONAL, 1e5, 0.3);
  soft->spec.nports = 1, soft->spec.port = ports, soft->spec.columns = columns;
  soft_create(soft, 0.01, MB_METHOD_PROJECTIVE, 1, 0);
}

// Lists that come and go: columns that are there still, that make room for others, and more nodes than there is room for.
Test(pd_ports, nodes_are_named_from_step_to_step_in_whatever_room_there_is) {
  static const uint32_t lists[][4] = {{1, 5}, {5, 9, 11}, {1, 2, 3, 7}, {2}, {2, 26}, {0, 8, 12, 20}};
  static const size_t counts[] = {2, 3, 4, 1, 2, 4};
  Soft roomy, tight;
  begin_free(&roomy, 0), begin_free(&tight, 3 * NODES * sizeof(double));
  for (size_t i = 0; i < 6; i++) {
    double S[2][3], before[15], after[2][15], q1[2][3 * NODES];
    cr_assert(mb_pd_name(roomy.engine, counts[i], lists[i]));
    cr_assert(mb_pd_name(tight.engine, counts[i], lists[i]));
    for (size_t a = 0; a <= counts[i]; a++)
      for (size_t b = 0; b <= counts[i]; b++) {
        mb_pd_response(roomy.engine, a, b, S[0]), mb_pd_response(tight.engine, a, b, S[1]);
        test_near("response", S[1], S[0], 3, 1e-15);
      }
    for (int k = 0; k < 2; k++) {
      Soft *soft = k ? &tight : &roomy;
      double impulse[15], v1[3 * NODES], t;
      const MbNodeStart start = {soft->q, soft->v, soft->target, soft->gravity, soft->force, NULL};
      for (size_t c = 0; c < 15; c++) impulse[c] = sin(1.0 + (double)c);
      mb_pd_begin(soft->engine, &start);
      cr_assert(mb_pd_pass(soft->engine));
      mb_pd_read_ports(soft->engine, 1, before);
      mb_pd_push_ports(soft->engine, impulse);
      mb_pd_read_ports(soft->engine, 1, after[k]);
      cr_assert(mb_pd_end_pass(soft->engine, &(MbPdAlong){0}, &t));
      mb_pd_end(soft->engine, q1[k], v1);
    }
    test_near("velocities", after[1], after[0], 3 * (counts[i] + 1), 1e-13);
    test_near("places", q1[1], q1[0], 3 * NODES, 1e-14);
    cr_expect_neq(before[0], after[0][0]);
  }
  cr_expect_gt(mb_pd_bytes(roomy.engine), mb_pd_bytes(tight.engine));
  soft_end(&roomy), soft_end(&tight);
}
