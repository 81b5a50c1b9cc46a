// The fused passes: every way they are compiled, one instance or eight, gives what the dense solver gives; and steps by them
// are those by the solver's separate parts.
#include "core/base/alloc.h"
#include "core/model/coordinates.h"
#include "core/solvers/redmax/recursion.h"
#include "core/solvers/redmax/sines.h"
#include "core/solvers/solvers.h"
#include "tests/trees.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 8, MOST = 400 };

static const double ROUNDING = 1e-10; // condition of some thousands, accelerations of some tens

// An instance's own coordinates: the model's, moved a little. Bodies free in space keep their unit quaternions.
static void spread(const MbModel *model, size_t lane, double *q, double *v) {
  memcpy(q, model->q0, model->nq * sizeof *q);
  memcpy(v, model->v0, model->nv * sizeof *v);
  for (size_t b = 0; b < model->nb; b++)
    for (size_t i = 0; model->joint[b].ops && i < model->joint[b].n; i++) {
      q[model->q_first[b] + i] += 0.01 * (double)(lane * (i + 1));
      v[model->v_first[b] + i] -= 0.02 * (double)lane;
    }
}

// Accelerations by the solver that the model asks for, of forces on the bodies and their joints' own.
static void expected(const MbModel *model, const double *q, const double *v, double *vdot) {
  MbReport report = {0};
  MbSim *sim = test_sim(model, 1);
  mb_sim_kinematics(sim, q, v);
  test_ok(mb_sim_accelerations(sim, 0, q, v, vdot, &report), &report);
  mb_sim_free(sim);
}

// Forces that are neither gravity nor velocity terms, in f; the joints' own in y.
static void outside(const MbModel *model, const double *q, const double *v, double *f, double *y) {
  MbSim *sim = test_sim(model, 1);
  mb_sim_kinematics(sim, q, v);
  mb_sim_forces(sim, 0, false);
  memset(sim->x.f, 0, 6 * model->nb * sizeof *f);
  for (size_t i = 0; i < model->nforces; i++)
    if (strcmp(model->forces[i].name, "gravity"))
      model->forces[i].ops->eval(model, &model->forces[i], &sim->x, 0, model->nb);
  memcpy(f, sim->x.f, 6 * model->nb * sizeof *f);
  memset(y, 0, model->nv * sizeof *y);
  mb_coordinates_forces(model, &sim->x, q, v, y);
  mb_sim_free(sim);
}

static double *numbers(size_t n) {
  double *x = aligned_alloc(64, (n * LANES + 8) / 8 * 64);
  memset(x, 0, (n * LANES + 8) / 8 * 64);
  return x;
}

static void agrees(const MbLanes *lanes, const MbModel *model, const double want[][MOST]) {
  const size_t count = lanes->lanes, nb = model->nb;
  double *q = numbers(model->nq), *v = numbers(model->nv), *y = numbers(model->nv), *f = numbers(6 * nb);
  double *E = numbers(7 * nb), *phi = numbers(6 * nb);
  double one_q[2 * MOST], one_v[MOST], one_f[6 * MOST], one_y[MOST];
  size_t blame = 0;
  MbLinks links;
  for (size_t k = 0; k < count; k++) {
    spread(model, k, one_q, one_v);
    outside(model, one_q, one_v, one_f, one_y);
    for (size_t i = 0; i < model->nq; i++) q[i * count + k] = one_q[i];
    for (size_t i = 0; i < model->nv; i++) v[i * count + k] = one_v[i], y[i * count + k] = one_y[i];
    for (size_t i = 0; i < 6 * nb; i++) f[i * count + k] = one_f[i];
  }
  cr_assert(mb_links_create(model, &links));
  const MbLinks *each[LANES];
  for (size_t k = 0; k < LANES; k++) each[k] = &links;
  MbRecursion *work = lanes->create(each);
  lanes->forward(work, q, v, E, phi);
  cr_assert(lanes->accelerate(work, E, f, y, &blame), "%s", lanes->name);
  for (size_t k = 0; k < count; k++) {
    double most = 0;
    for (size_t i = 0; i < model->nv; i++) one_y[i] = y[i * count + k], most = fmax(most, fabs(want[k][i]));
    test_near(lanes->name, one_y, want[k], model->nv, ROUNDING * most);
  }
  lanes->free(work);
  mb_links_free(&links);
  free(q), free(v), free(y), free(f), free(E), free(phi);
}

// Whether all lanes that this processor runs have the dense solver's accelerations; how many there are of them.
static size_t all_agree(const MbModel *model) {
  static double want[LANES][MOST];
  size_t ran = 0;
  for (size_t k = 0; k < LANES; k++) {
    double q[2 * MOST], v[MOST];
    spread(model, k, q, v);
    expected(model, q, v, want[k]);
  }
  for (const MbLanes *const *row = mb_lanes_list; *row; row++)
    if (mb_lanes_runs(*row)) agrees(*row, model, want), ran++;
  return ran;
}

Test(lanes, one_instance_and_eight_accelerate_as_the_dense_solver_says) {
  uint64_t seed = 77;
  for (int round = 0; round < 5; round++) {
    MbSceneSpec spec = test_forest(MB_SYMPLECTIC, &seed);
    spec.solver.dynamics = MB_DENSE;
    MbModel *model = test_model(&spec);
    cr_assert(model->nv <= MOST && model->nq <= 2 * MOST && model->nb <= MOST);
    cr_assert_geq(all_agree(model), 2);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

// Axes along those of the bodies, whose products are left out where they are with zero.
static MbSceneSpec robot(int parent_of(int), int n) {
  static const double position = 0.4, velocity = -1.5;
  MbSceneSpec spec = test_scene(MB_SYMPLECTIC, 1e-3, 10);
  spec.gravity[0] = 3, spec.gravity[2] = -9.81;
  for (int i = 0; i < n; i++) {
    char name[32];
    snprintf(name, sizeof name, "link%d", i);
    MbBodySpec *body = test_body(&spec, mb_arena_strdup(&spec.arena, name), 1, 0.01, 0.02, 0.03);
    body->inertia->center[1] = 0.1;
    body->jointed = true;
    body->joint = (MbJointSpec){.kind = MB_JOINT_REVOLUTE, .axis = {i % 3 == 0, i % 3 == 1, i % 3 == 2}};
    body->joint.in_parent.rotation[0] = body->joint.in_body.rotation[0] = 1;
    body->joint.in_parent.position[0] = 0.2, body->joint.in_parent.position[2] = 0.05;
    body->joint.position = (MbNumbersSpec){1, &position};
    body->joint.velocity = (MbNumbersSpec){1, &velocity};
    if (i) body->joint.parent = spec.bodies[parent_of(i)].name;
  }
  return spec;
}
static int before(int i) { return i - 1; }
static int half(int i) { return (i - 1) / 2; }

Test(lanes, chains_and_trees_with_plain_axes_accelerate_as_the_dense_solver_says) {
  for (int tree = 0; tree < 2; tree++) {
    MbSceneSpec spec = robot(tree ? half : before, tree ? 63 : 20);
    spec.solver.dynamics = MB_DENSE;
    MbModel *model = test_model(&spec);
    MbLinks links;
    cr_assert(mb_links_create(model, &links));
    for (size_t b = 0; b < model->nb; b++) cr_assert_lt(links.link[b].along, 3, "of body %zu", b);
    cr_assert_lt(links.slots, 16);
    mb_links_free(&links);
    cr_assert_geq(all_agree(model), 1);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

// Limbs on joints that are made of turns: composites of hinges, of others in frames of their own and of composites; universal joints; Euler's angles.
static MbSceneSpec limbs(uint64_t *seed) {
  static const MbJointKind kinds[] = {MB_JOINT_COMPOSITE, MB_JOINT_UNIVERSAL, MB_JOINT_EULER};
  static const double axes[5][3] = {{0.6, 0.8, 0}, {0, 0.6, 0.8}, {0.8, 0, 0.6}, {1, 0, 0}, {0, 0.8, -0.6}};
  MbSceneSpec spec = test_scene(MB_SYMPLECTIC, 1e-3, 10);
  spec.gravity[0] = 3, spec.gravity[2] = -9.81;
  for (size_t i = 0; i < 12; i++) {
    MbBodySpec *body = test_random_body(&spec, seed);
    test_hang(&spec, body, kinds[i % 3], i ? spec.bodies[i / 2].name : NULL, seed);
    MbJointSpec *joint = &body->joint;
    joint->inertia = test_one_number(&spec.arena, 0.5); // where axes come to lie in a plane
    if (joint->kind != MB_JOINT_COMPOSITE) continue;
    const MbFrameSpec straight = {.rotation = {1, 0, 0, 0}};
    joint->nparts = 3;
    joint->parts = mb_arena_alloc(&spec.arena, 5, sizeof *joint->parts);
    for (size_t k = 0; k < 5; k++) {
      joint->parts[k] = (MbJointSpec){.kind = MB_JOINT_REVOLUTE, .in_parent = straight};
      memcpy(joint->parts[k].axis, axes[k], sizeof *axes);
    }
    if (i < 6) continue;
    joint->nparts = 2;
    joint->parts[1] = (MbJointSpec){.kind = MB_JOINT_UNIVERSAL, .in_parent = straight};
    test_random_frame(&joint->parts[1].in_parent, seed);
    memset(joint->parts[1].in_parent.position, 0, sizeof straight.position);
    if (i < 9) continue;
    joint->parts[0] = (MbJointSpec){.kind = MB_JOINT_COMPOSITE, .nparts = 2, .in_parent = straight};
    joint->parts[0].parts = &joint->parts[3];
    joint->parts[1].kind = MB_JOINT_REVOLUTE, joint->parts[1].axis[0] = 1;
  }
  return spec;
}

Test(lanes, joints_made_of_turns_accelerate_as_the_dense_solver_says) {
  uint64_t seed = 18;
  for (int round = 0; round < 3; round++) {
    MbSceneSpec spec = limbs(&seed);
    spec.solver.dynamics = MB_DENSE;
    MbModel *model = test_model(&spec);
    MbLinks links;
    cr_assert(mb_links_create(model, &links));
    for (size_t b = 0; b < model->nb; b++) cr_assert_eq(links.hop[b].turns, model->joint[b].n, "body %zu", b);
    mb_links_free(&links);
    cr_assert_geq(all_agree(model), 1);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

// ---- the same bits alone and beside others ----------------------------------------------------------------------

// Everything that the passes tell of instances k, one beside the other: poses, twists, accelerations.
static void passes(const MbLanes *lanes, const MbLinks *const *links, double *q, double *v, double *f,
                   double *y, double *E, double *phi) {
  size_t blame = 0;
  MbRecursion *work = lanes->create(links);
  lanes->forward(work, q, v, E, phi);
  cr_assert(lanes->accelerate(work, f ? E : NULL, f, y, &blame));
  lanes->free(work);
}

static void same_bits(const char *what, const MbLanes *eight, const double *all, const double *one, size_t n,
                      size_t lane) {
  for (size_t i = 0; i < n; i++)
    cr_assert(!memcmp(&all[LANES * i + lane], &one[i], sizeof *one),
              "%s: %s %zu of instance %zu: %.17g, alone %.17g", eight->name, what, i, lane,
              all[LANES * i + lane], one[i]);
}

// Trees that hang together alike, and differ in every number: forests of the same seed, moved.
static void move_numbers(MbModel *model, uint64_t *seed) {
  double *const M = (double *)model->M;
  MbPose *const P = (MbPose *)model->P, *const B = (MbPose *)model->B;
  for (size_t b = 0; b < model->nb; b++) {
    const double s = 1 + 0.3 * test_random(seed), m = 0.5 + test_random(seed);
    for (size_t i = 0; i < 3; i++) M[6 * b + i] *= s, M[6 * b + 3 + i] *= m;
    for (int i = 0; i < 3; i++)
      P[b].p[i] += 0.1 * test_around_zero(seed),
          B[b].p[i] += model->joint[b].ops ? 0.1 * test_around_zero(seed) : 0;
  }
  for (int i = 0; i < 3; i++) model->gravity[i] += test_around_zero(seed);
}

static void check_bits(const MbLanes *eight, const MbLanes *one, MbModel *const *model, bool outside) {
  const size_t nb = model[0]->nb, nq = model[0]->nq, nv = model[0]->nv;
  double *q = numbers(nq), *v = numbers(nv), *y = numbers(nv), *f = numbers(6 * nb), *E = numbers(7 * nb),
         *phi = numbers(6 * nb);
  double *q1 = numbers(nq), *v1 = numbers(nv), *y1 = numbers(nv), *f1 = numbers(6 * nb),
         *E1 = numbers(7 * nb), *phi1 = numbers(6 * nb), *start = numbers(nv);
  MbLinks links[LANES];
  const MbLinks *each[LANES];
  uint64_t seed = 91;
  for (size_t k = 0; k < LANES; k++) {
    cr_assert(mb_links_create(model[k], &links[k]));
    each[k] = &links[k];
    cr_assert(mb_links_alike(each[0], each[k]));
    spread(model[k], k, q1, v1);
    for (size_t i = 0; i < nq; i++) q[i * LANES + k] = q1[i];
    for (size_t i = 0; i < nv; i++) v[i * LANES + k] = v1[i];
    for (size_t i = 0; i < nv; i++) y[i * LANES + k] = start[i * LANES + k] = test_around_zero(&seed);
    for (size_t i = 0; i < 6 * nb; i++) f[i * LANES + k] = test_around_zero(&seed);
  }
  passes(eight, each, q, v, outside ? f : NULL, y, E, phi);
  for (size_t k = 0; k < LANES; k++) {
    spread(model[k], k, q1, v1);
    for (size_t i = 0; i < nv; i++) y1[i] = start[i * LANES + k];
    for (size_t i = 0; i < 6 * nb; i++) f1[i] = f[i * LANES + k];
    passes(one, &each[k], q1, v1, outside ? f1 : NULL, y1, E1, phi1);
    same_bits("pose", eight, E, E1, 7 * nb, k);
    same_bits("twist", eight, phi, phi1, 6 * nb, k);
    same_bits("acceleration", eight, y, y1, nv, k);
  }
  for (size_t k = 0; k < LANES; k++) mb_links_free(&links[k]);
  double *const all[] = {q, v, y, f, E, phi, q1, v1, y1, f1, E1, phi1, start};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

Test(lanes, an_instance_has_the_same_bits_alone_and_beside_others) {
  for (uint64_t round = 0; round < 7; round++) {
    MbModel *model[LANES];
    MbSceneSpec spec[LANES];
    for (size_t k = 0; k < LANES; k++) {
      uint64_t seed = 500 + round, moved = 31 * k + round;
      spec[k] = round < 5 ? test_forest(MB_SYMPLECTIC, &seed) : round < 6 ? robot(half, 40) : limbs(&seed);
      model[k] = test_model(&spec[k]);
      if (round != 5) move_numbers(model[k], &moved);
    }
    size_t pairs = 0;
    for (const MbLanes *const *one = mb_lanes_list; *one; one++)
      for (const MbLanes *const *eight = mb_lanes_list; *eight; eight++) {
        const bool kin =
            (*one)->lanes == 1 && (*eight)->lanes == LANES && !strcmp((*one)->name + 1, (*eight)->name + 1);
        if (!kin || !mb_lanes_runs(*one)) continue;
        check_bits(*eight, *one, model, round % 2);
        pairs++;
      }
    cr_assert_geq(pairs, 1);
    for (size_t k = 0; k < LANES; k++) mb_model_free(model[k]), mb_arena_free(&spec[k].arena);
  }
}

Test(lanes, slots_are_as_many_as_are_in_use_at_once) {
  MbSceneSpec spec = robot(before, 500);
  MbModel *model = test_model(&spec);
  MbLinks links;
  cr_assert(mb_links_create(model, &links));
  cr_assert_eq(links.slots, 3, "%zu slots for a chain: the world's, a body's and its child's", links.slots);
  mb_links_free(&links);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

// A point mass on the axis of the last joint of a chain: the joint has nothing to move.
Test(lanes, a_pivot_of_zero_is_blamed_on_its_body) {
  MbSceneSpec spec = robot(before, 6);
  memset(spec.bodies[5].inertia->matrix, 0, sizeof spec.bodies[5].inertia->matrix);
  memset(spec.bodies[5].inertia->center, 0, sizeof spec.bodies[5].inertia->center);
  MbModel *model = test_model(&spec);
  MbReport report = {0};
  MbSim *sim = test_sim(model, 1);
  cr_assert_eq(mb_sim_step(sim, &report), MB_NUMBERS);
  cr_assert(strstr(report.issues[0].text, "link5"), "%s", report.issues[0].text);
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

Test(lanes, steps_allocate_nothing) {
  uint64_t seed = 3;
  const MbIntegratorKind kinds[] = {MB_SYMPLECTIC, MB_IMPLICIT};
  for (int k = 0; k < 2; k++) {
    MbSceneSpec spec = test_forest(kinds[k], &seed);
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    const int64_t calls = mb_alloc_calls();
    test_steps(sim, 5);
    cr_assert_eq(mb_alloc_calls(), calls);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

Test(lanes, sines_are_those_of_the_library) {
  double q[SINES], c[SINES], s[SINES], c1[SINES], s1[SINES];
  uint64_t seed = 5;
  for (int round = 0; round < 200; round++) {
    const double size = pow(10, round % 8);
    const size_t n = 1 + (size_t)(test_random(&seed) * (SINES - 1));
    for (size_t i = 0; i < n; i++) q[i] = size * test_around_zero(&seed);
    half_sines(q, n, c, s);
    for (size_t i = 0; i < n; i++) c1[i] = cos(q[i] / 2), s1[i] = sin(q[i] / 2);
    test_near("cosine", c, c1, n, 4e-16);
    test_near("sine", s, s1, n, 4e-16);
  }
  q[0] = NAN, q[1] = INFINITY;
  half_sines(q, 2, c, s);
  cr_assert(isnan(c[0]) && isnan(s[1]));
}
