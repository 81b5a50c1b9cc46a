// Nodes of deformables: what their springs do, what bodies and pins do to them, and that they run as all else does.
#include "core/base/alloc.h"
#include "core/model/coordinates.h"
#include "core/integrators/integrators.h"
#include "tests/trees.h"

#include <string.h>

enum { COUNT = 8 }; // deformables and pins of a scene at most

// A deformable added to the scene, at the origin.
static MbDeformableSpec *deformable(MbSceneSpec *spec, const char *name, MbDeformableKind kind, double mass) {
  if (!spec->deformables) spec->deformables = mb_arena_alloc(&spec->arena, COUNT, sizeof *spec->deformables);
  cr_assert_lt(spec->ndeformables, COUNT);
  MbDeformableSpec *d = &spec->deformables[spec->ndeformables++];
  *d = (MbDeformableSpec){.kind = kind, .name = name, .mass = mass, .pose.rotation = {1}};
  d->pins = mb_arena_alloc(&spec->arena, COUNT, sizeof *d->pins);
  d->attachments = mb_arena_alloc(&spec->arena, COUNT, sizeof *d->attachments);
  return d;
}

static MbDeformableSpec *rope(MbSceneSpec *spec, int64_t nodes, double length, double mass,
                              double stiffness) {
  MbDeformableSpec *d = deformable(spec, "rope", MB_DEFORMABLE_SPRINGS, mass);
  d->mesh = (MbNodeMeshSpec){.rope = nodes, .length = length};
  d->stiffness = stiffness;
  return d;
}

static MbDeformableSpec *net(MbSceneSpec *spec, double n, double m, double stiffness, double damping) {
  static const double size[] = {1, 1};
  MbDeformableSpec *d = deformable(spec, "net", MB_DEFORMABLE_SPRINGS, 0.1 * n * m);
  d->mesh = (MbNodeMeshSpec){.length = NAN, .grid = {n, m}, .nsize = 2, .size = size};
  d->stiffness = stiffness, d->damping = damping;
  return d;
}

static void pin(MbDeformableSpec *d, const char *side, const char *axes) {
  d->pins[d->npins++] = (MbPinSpec){.select.side = side, .axes = axes};
}

static void attach(MbDeformableSpec *d, const char *side, const char *body) {
  d->attachments[d->nattachments++] = (MbAttachSpec){.select.side = side, .body = body};
}

// A net that hangs on a swinging link and carries a free body on a spring.
static MbSceneSpec mobile(MbIntegratorKind kind, double h, bool constrained) {
  MbSceneSpec spec = test_scene(kind, h, 100);
  spec.gravity[2] = -9.81;
  MbBodySpec *link = test_body(&spec, "link", 1, 0.1, 0.1, 0.1);
  link->jointed = true;
  link->joint = (MbJointSpec){.kind = MB_JOINT_SPHERICAL};
  link->joint.in_parent.rotation[0] = link->joint.in_body.rotation[0] = 1;
  link->joint.in_body.position[2] = 0.2;
  link->joint.velocity = test_one_number(&spec.arena, 0.4);
  MbBodySpec *weight = test_body(&spec, "weight", 0.5, 0.01, 0.02, 0.03);
  weight->pose.position[0] = 1.2, weight->angular[1] = 1;
  MbDeformableSpec *d = net(&spec, 4, 3, 300, 0.5);
  static const double vertex[] = {10};
  pin(d, NULL, "y");
  d->pins[0].select = (MbSelectSpec){.nvertices = 1, .vertices = vertex};
  if (constrained) attach(d, "-x", "link");
  MbForceSpec *tie = test_force(&spec, MB_FORCE_SPRING, NULL);
  tie->points = mb_arena_alloc(&spec.arena, 2, sizeof *tie->points);
  tie->npoints = 2;
  *test_spring(tie) = (MbSpringSpec){.stiffness = 100, .damping = 0.5, .length = NAN};
  tie->points[0] = (MbPointSpec){.node = "net", .index = 3, .frame.rotation = {1}};
  tie->points[1] = (MbPointSpec){.body = "weight", .frame = {{0.1, 0, 0}, {1}}};
  if (!constrained) {
    MbForceSpec *string = test_force(&spec, MB_FORCE_SPRING, NULL);
    *string = *tie;
    string->points = mb_arena_alloc(&spec.arena, 2, sizeof *string->points);
    string->points[0] = (MbPointSpec){.node = "net", .index = 0, .frame.rotation = {1}};
    string->points[1] = (MbPointSpec){.body = "link", .frame.rotation = {1}};
    string->points[1].frame.position[2] = -0.3;
  }
  test_damping(test_force(&spec, MB_FORCE_DAMPING, NULL))->coefficient = 0.05;
  return spec;
}

typedef struct Run {
  MbSceneSpec spec;
  MbModel *model;
  MbSim *sim;
} Run;

static Run begin(MbSceneSpec spec, int threads) {
  Run run = {.spec = spec};
  run.model = test_model(&run.spec);
  run.sim = test_sim(run.model, threads);
  return run;
}

static void end(Run *run) {
  mb_sim_free(run->sim);
  mb_model_free(run->model);
  mb_arena_free(&run->spec.arena);
}

static const double *node(const Run *run, size_t deformable, size_t i) {
  return run->sim->x.E[run->model->deformables[deformable].first + i].p;
}

// ---- forces -----------------------------------------------------------------------------------------------

// Jᵀ f at (q, v) into y
static void forces_at(MbSim *sim, double *q, double *v, bool derivatives, double *y) {
  mb_sim_kinematics(sim, q, v);
  mb_sim_forces(sim, 0, derivatives);
  mb_sim_gather(sim, q, v, y);
}

Test(nodes, stiffness_and_damping_are_the_derivatives_of_the_springs) {
  static const double STEP = 1e-6, CLOSE = 1e-5; // the differences' own error, of forces of some 100 N
  enum { N = 27 };
  uint64_t seed = 1;
  for (int law = 0; law < MB_LAWS; law++) {
    MbSceneSpec spec = test_scene(MB_IMPLICIT, 1e-3, 1);
    net(&spec, 3, 3, 50, 2)->law = (MbSpringLaw)law;
    Run run = begin(spec, 1);
    cr_assert(run.sim->nq == N && run.sim->nv == N);
    double q[N], still[N] = {0}, moved[N], v[N], K[N], D[N], low[N], high[N];
    for (int i = 0; i < N; i++)
      q[i] = run.sim->state.q[i] + 0.1 * test_around_zero(&seed), v[i] = test_around_zero(&seed);
    forces_at(run.sim, q, still, true, low);
    memset(K, 0, sizeof K), memset(D, 0, sizeof D);
    mb_sim_add_blocks(run.sim, 0, 1, v, K);
    mb_sim_add_blocks(run.sim, 1, 0, v, D);
    for (int sign = -1; sign <= 1; sign += 2) {
      for (int i = 0; i < N; i++) moved[i] = q[i] + sign * STEP * v[i];
      forces_at(run.sim, moved, still, false, sign < 0 ? low : high);
    }
    for (int i = 0; i < N; i++) high[i] = (high[i] - low[i]) / (2 * STEP);
    test_near("K v", K, high, N, CLOSE);
    forces_at(run.sim, q, v, false, high);
    forces_at(run.sim, q, still, false, low);
    for (int i = 0; i < N; i++) high[i] -= low[i];
    test_near("D v", D, high, N, CLOSE);
    end(&run);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

// x(t) = L + a sin(w t)/w of one node on one spring
Test(nodes, a_node_on_a_spring_swings_with_its_frequency) {
  static const double CLOSE = 1e-8; // what the adaptive integrator keeps to
  MbSceneSpec spec = test_scene(MB_RK45, 0.01, 100);
  spec.integrator.relative = spec.integrator.absolute = 1e-11;
  MbDeformableSpec *d = rope(&spec, 2, 1, 0.5, 4);
  d->linear[0] = 0.3;
  pin(d, "-x", NULL);
  Run run = begin(spec, 1);
  cr_assert_eq(run.sim->nv, 3);
  test_steps(run.sim, 100);
  const double w = sqrt(4 / 0.25), wanted[] = {1 + 0.3 * sin(w) / w, 0, 0}, zero[3] = {0};
  test_near("the node", node(&run, 0, 1), wanted, 3, CLOSE);
  test_near("the pin", node(&run, 0, 0), zero, 3, 0);
  end(&run);
  cr_assert_eq(mb_alloc_live(), 0);
}

// Every spring of a hanging rope is stretched by the weight below it.
Test(nodes, a_hanging_rope_is_as_long_as_its_weight_makes_it) {
  static const double CLOSE = 1e-6; // of 1 m, after the damping has done its work
  enum { NODES = 6 };
  MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.02, 2000);
  spec.gravity[2] = -10;
  MbDeformableSpec *d = rope(&spec, NODES, 1, 0.6, 500);
  d->damping = 5;
  d->pose.rotation[0] = d->pose.rotation[2] = sqrt(0.5); // x to −z
  pin(d, "-x", NULL);
  test_damping(test_force(&spec, MB_FORCE_DAMPING, NULL))->coefficient = 0.1;
  Run run = begin(spec, 1);
  test_steps(run.sim, 2000);
  double wanted[3] = {0};
  for (int i = 1; i < NODES; i++) {
    wanted[2] -= 0.2 + (NODES - i) * 0.1 * 10 / 500;
    test_near("a node", node(&run, 0, (size_t)i), wanted, 3, CLOSE);
  }
  end(&run);
}

// m ẍ = −d ẋ of one node on a damper without a spring
Test(nodes, the_damping_of_a_spring_slows_what_it_is_tied_to) {
  static const double CLOSE = 1e-8;
  MbSceneSpec spec = test_scene(MB_RK45, 0.1, 10);
  spec.integrator.relative = spec.integrator.absolute = 1e-11;
  MbDeformableSpec *d = rope(&spec, 2, 1, 0.5, 0);
  d->damping = 0.3, d->linear[0] = 2;
  pin(d, "-x", "xyz");
  Run run = begin(spec, 1);
  test_steps(run.sim, 10);
  const double wanted[] = {1 + 2 * 0.25 / 0.3 * (1 - exp(-0.3 / 0.25)), 0, 0};
  test_near("the node", node(&run, 0, 1), wanted, 3, CLOSE);
  end(&run);
}

Test(nodes, a_node_falls_along_the_axes_that_no_pin_holds) {
  static const double CLOSE = 1e-12; // rounding
  static const char *const axes[] = {"x", "y", "z", "xy", "zx", "zyx"};
  for (size_t k = 0; k < sizeof axes / sizeof *axes; k++) {
    MbSceneSpec spec = test_scene(MB_TRAPEZOIDAL, 0.01, 100);
    MbDeformableSpec *d = deformable(&spec, "dust", MB_DEFORMABLE_PARTICLES, 1);
    d->mesh = (MbNodeMeshSpec){.rope = 2, .length = 1};
    for (int i = 0; i < 3; i++) {
      spec.gravity[i] = i + 1;
      d->linear[i] = 0.5 * i - 1;
      d->pose.position[i] = 3 - i;
    }
    pin(d, "-x", axes[k]);
    Run run = begin(spec, 1);
    cr_assert_eq(run.model->nv, 6 - strlen(axes[k]));
    test_steps(run.sim, 100);
    for (int of = 0; of < 2; of++) {
      double wanted[3];
      for (int i = 0; i < 3; i++) {
        const bool held = !of && strchr(axes[k], 'x' + i);
        wanted[i] = 3 - i + (i == 0 ? of : 0) + (held ? 0 : 0.5 * i - 1 + 0.5 * (i + 1));
      }
      test_near(axes[k], node(&run, 0, (size_t)of), wanted, 3, CLOSE);
    }
    end(&run);
  }
}

Test(nodes, drag_slows_a_free_particle_by_its_law) {
  static const double CLOSE = 1e-8;
  MbSceneSpec spec = test_scene(MB_RK45, 0.1, 10);
  spec.integrator.relative = spec.integrator.absolute = 1e-11;
  MbDeformableSpec *d = deformable(&spec, "dust", MB_DEFORMABLE_PARTICLES, 0.6);
  d->mesh = (MbNodeMeshSpec){.rope = 3, .length = 1};
  d->linear[1] = 2, d->angular[2] = 1;
  test_damping(test_force(&spec, MB_FORCE_DAMPING, NULL))->coefficient = 0.3;
  Run run = begin(spec, 1);
  test_steps(run.sim, 10);
  const double left = exp(-0.3 / 0.2);
  for (size_t i = 0; i < 3; i++) {
    const double *v = run.sim->x.phi + 6 * (run.model->deformables[0].first + i) + 3;
    const double wanted[] = {0, (2 + 0.5 * (double)i) * left, 0};
    test_near("a velocity", v, wanted, 3, CLOSE);
  }
  end(&run);
}

// ---- what is kept -----------------------------------------------------------------------------------------

// A spinning net, and a body that is attached to it and tied to it by a spring.
static MbSceneSpec spinning(MbIntegratorKind kind, bool body) {
  MbSceneSpec spec = test_scene(kind, 2e-3, 200);
  MbDeformableSpec *d = net(&spec, 5, 4, 200, 1);
  d->linear[0] = 1, d->angular[2] = 3, d->angular[0] = 1;
  if (!body) return spec;
  test_body(&spec, "weight", 2, 0.1, 0.2, 0.3)->pose.position[2] = 0.2;
  attach(d, "-x", "weight");
  MbForceSpec *tie = test_force(&spec, MB_FORCE_SPRING, NULL);
  tie->points = mb_arena_alloc(&spec.arena, 2, sizeof *tie->points);
  tie->points[0] = (MbPointSpec){.node = "net", .index = 19, .frame.rotation = {1}};
  tie->points[1] = (MbPointSpec){.body = "weight", .frame = {{0, 0.1, 0}, {1}}};
  tie->npoints = 2;
  *test_spring(tie) = (MbSpringSpec){.stiffness = 50, .length = 0.1};
  return spec;
}

// How far momentum goes in 200 steps, of some 10 kg m/s at the start.
static void momentum(Run *run, double before[6], double after[6]) {
  test_steps(run->sim, 1); // attached nodes have taken their body along
  mb_momentum(run->model, &run->sim->x, before, before + 3);
  cr_assert_gt(fabs(before[0]) + fabs(before[5]), 1);
  test_steps(run->sim, 200);
  mb_momentum(run->model, &run->sim->x, after, after + 3);
}

Test(nodes, implicit_steps_of_a_net_keep_linear_momentum) {
  static const double ROUNDING = 1e-10; // 200 steps, whose iterations end at 1e-12
  Run run = begin(spinning(MB_IMPLICIT, false), 1);
  double before[6], after[6];
  momentum(&run, before, after);
  test_near("linear momentum", after, before, 3, ROUNDING);
  end(&run);
}

Test(nodes, springs_and_attachments_between_nodes_and_bodies_keep_momentum) {
  static const double CLOSE = 1e-7; // the adaptive integrator's
  MbSceneSpec spec = spinning(MB_RK45, true);
  spec.integrator.relative = spec.integrator.absolute = 1e-9;
  Run run = begin(spec, 1);
  double before[6], after[6];
  momentum(&run, before, after);
  test_near("momentum", after, before, 6, CLOSE);
  end(&run);
}

// q⁺ = q + h v⁺ and forces along the lines between nodes: x⁺ × m v⁺ = x × m v⁺
Test(nodes, symplectic_steps_of_a_net_keep_angular_momentum) {
  static const double ROUNDING = 1e-12;
  Run run = begin(spinning(MB_SYMPLECTIC, false), 1);
  double before[6], after[6];
  momentum(&run, before, after);
  test_near("momentum", after, before, 6, ROUNDING);
  end(&run);
}

Test(nodes, a_net_without_damping_keeps_its_energy) {
  static const double CLOSE = 1e-7; // J, of 5; the adaptive integrator's
  MbSceneSpec spec = test_scene(MB_RK45, 0.01, 50);
  spec.gravity[2] = -9.81;
  spec.integrator.relative = spec.integrator.absolute = 1e-10;
  MbDeformableSpec *d = net(&spec, 4, 4, 100, 0);
  d->angular[2] = 1;
  pin(d, "-x", "xyz");
  pin(d, "+x", "z");
  Run run = begin(spec, 1);
  const double before = mb_energy(run.model, &run.sim->x).total;
  test_steps(run.sim, 50);
  const MbEnergy after = mb_energy(run.model, &run.sim->x);
  cr_assert_gt(after.elastic, 1e-3);
  test_near("energy", &after.total, &before, 1, CLOSE);
  for (size_t i = 0; i < 16; i += 4) {
    const double *left = node(&run, 0, i), *right = node(&run, 0, i + 3),
                 start[] = {0, (double)(i / 4) / 3, 0};
    test_near("a pinned node", left, start, 3, 1e-15);
    cr_assert(right[2] == 0, "the node is held at height 0, and is at %g", right[2]);
  }
  end(&run);
}

// ---- attachments ------------------------------------------------------------------------------------------

Test(nodes, attached_nodes_stay_with_their_body) {
  static const double CLOSE = 5e-3; // m: one step's gap, which the next one closes
  Run run = begin(mobile(MB_IMPLICIT, 1e-3, true), 1);
  cr_assert_eq(run.model->nslots, 9);
  cr_assert_str_eq(run.model->slots[3], "net.4.attach.0");
  double local[3][3], now[3];
  const size_t link = run.model->number[0];
  MbPose inverse;
  for (int moment = 0; moment < 2; moment++) {
    mb_pose_inverse(&inverse, &run.sim->x.E[link]);
    for (size_t k = 0; k < 3; k++) {
      mb_pose_point(moment ? now : local[k], &inverse, node(&run, 0, 4 * k));
      if (moment) test_near("the node in the body", now, local[k], 3, CLOSE);
    }
    if (!moment) test_steps(run.sim, 300);
  }
  cr_assert_lt(mb_sim_constraint_error(run.sim), CLOSE);
  const double *q = run.sim->x.E[link].q;
  cr_assert_lt(q[0] * q[0], 0.9999, "the link does not turn");
  end(&run);
  cr_assert_eq(mb_alloc_live(), 0);
}

// By reduction the same nodes are parts of the body: the same motion as under constraints, exactly in place.
Test(nodes_long, nodes_held_by_reduction_move_as_under_constraints) {
  static const double CLOSE = 1e-6, SAME = 1e-9; // the gaps that rows leave under rk45; of two ways to solve
  double x[3][36];
  for (int k = 0; k < 3; k++) { // rows; reduction, recursive; reduction, dense
    MbSceneSpec spec = mobile(MB_RK45, 0.01, true);
    spec.integrator.relative = spec.integrator.absolute = 1e-11;
    spec.bodies[0].joint.velocity = (MbNumbersSpec){0}; // nodes start at rest under constraints
    spec.solver.dynamics = k == 2 ? MB_DENSE : MB_RECURSIVE;
    spec.deformables[0].attachments[0].enforce = k ? MB_BY_REDUCTION : MB_BY_CONSTRAINT;
    Run run = begin(spec, 1);
    const MbModel *model = run.model;
    const size_t link = model->number[0];
    double local[3], now[3];
    MbPose inverse;
    cr_assert_eq(model->nslots, k ? 0 : 9);
    mb_pose_inverse(&inverse, &run.sim->x.E[link]);
    mb_pose_point(local, &inverse, node(&run, 0, 4));
    const double before = mb_energy(model, &run.sim->x).total;
    test_steps(run.sim, 60);
    for (size_t i = 0; i < 12; i++) mb_vec3_copy(x[k] + 3 * i, node(&run, 0, i));
    mb_pose_inverse(&inverse, &run.sim->x.E[link]);
    mb_pose_point(now, &inverse, node(&run, 0, 4));
    if (k) test_near("the node in the body", now, local, 3, 1e-14);
    const double after = mb_energy(model, &run.sim->x).total;
    cr_assert_lt(after, before, "dampers give energy");
    end(&run);
  }
  test_near("nodes, rows against reduction", x[1], x[0], 36, CLOSE);
  test_near("nodes, dense against recursive", x[2], x[1], 36, SAME);
  cr_assert_eq(mb_alloc_live(), 0);
}

// Implicit steps of first order tend to the same.
Test(nodes_long, nodes_held_by_reduction_run_under_every_integrator, TEST_LONG) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
    double x[2][36], most = 0;
    for (int k = 0; k < 2; k++) {
      MbSceneSpec spec = mobile(k ? MB_RK45 : kind, k ? 0.01 : 1e-4, true);
      spec.integrator.relative = spec.integrator.absolute = 1e-10;
      spec.deformables[0].attachments[0].enforce = MB_BY_REDUCTION;
      Run run = begin(spec, 1);
      test_steps(run.sim, k ? 10 : 1000);
      for (size_t i = 0; i < 12; i++) mb_vec3_copy(x[k] + 3 * i, node(&run, 0, i));
      end(&run);
    }
    for (size_t i = 0; i < 36; i++) most = fmax(most, fabs(x[0][i] - x[1][i]));
    const double first = 5e-4, second = 2e-7; // m, for steps of 1e-4 s
    const bool is_first = mb_integrator_table[kind].order == 1;
    cr_expect_lt(most, is_first ? first : second, "%s: off by %g", mb_integrator_words[kind], most);
  }
}

Test(nodes, a_node_has_one_holder) {
  MbSceneSpec spec = mobile(MB_IMPLICIT, 1e-3, true);
  MbReport report = {0};
  MbModel *model = NULL;
  pin(&spec.deformables[0], "-x", "z");
  spec.deformables[0].attachments[0].enforce = MB_BY_REDUCTION;
  cr_assert_eq(mb_compile(&spec, &model, &report), MB_SCENE);
  cr_assert(strstr(report.issues[0].text, "node 0 of \"net\" is held already"), "%s", report.issues[0].text);
  mb_arena_free(&spec.arena);
}

// ---- as all else runs -------------------------------------------------------------------------------------

static const MbIntegratorKind every[] = {MB_SYMPLECTIC, MB_IMPLICIT, MB_RK45, MB_TRAPEZOIDAL,
                                         MB_BRIDSON_MARINO};
static bool constrained(size_t i) { return i < 3; } // trapezoidal and bridson_marino have no constraints

Test(nodes, recursive_and_dense_agree) {
  static const double CLOSE = 1e-9; // iterations end at 1e-12; 50 steps of a stiff scene
  for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
    double v[64];
    size_t nv = 0;
    for (int way = 0; way < 2; way++) {
      MbSceneSpec spec = mobile(every[i], 2e-3, constrained(i));
      spec.solver.dynamics = way ? MB_DENSE : MB_RECURSIVE;
      Run run = begin(spec, 1);
      test_steps(run.sim, 50);
      nv = run.sim->nv;
      cr_assert_leq(nv, 64);
      if (!way) memcpy(v, run.sim->state.v, nv * sizeof *v);
      if (way) test_near(mb_integrator_words[every[i]], run.sim->state.v, v, nv, CLOSE);
      end(&run);
    }
  }
}

Test(nodes, resume_threads_and_repetition_give_the_same_bits) {
  for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
    Run a = begin(mobile(every[i], 2e-3, constrained(i)), 1),
        b = begin(mobile(every[i], 2e-3, constrained(i)), 2);
    const size_t size = mb_sim_checkpoint_size(a.sim);
    void *bytes = mb_calloc(size, 1), *last = mb_calloc(size, 1);
    MbReport report = {0};
    test_steps(a.sim, 20);
    mb_sim_checkpoint(a.sim, bytes);
    test_steps(a.sim, 20);
    mb_sim_checkpoint(a.sim, last);
    test_ok(mb_sim_restore(b.sim, bytes, size, &report), &report);
    test_steps(b.sim, 20);
    mb_sim_checkpoint(b.sim, bytes);
    cr_assert(!memcmp(bytes, last, size), "%s: resumed on two threads it differs",
              mb_integrator_words[every[i]]);
    mb_free(bytes);
    mb_free(last);
    end(&a);
    end(&b);
  }
}

Test(nodes, steps_allocate_nothing) {
  for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
    Run run = begin(mobile(every[i], 2e-3, constrained(i)), 1);
    test_steps(run.sim, 2);
    const int64_t before = mb_alloc_calls();
    test_steps(run.sim, 20);
    cr_assert_eq(mb_alloc_calls(), before, "%s", mb_integrator_words[every[i]]);
    end(&run);
  }
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(nodes, another_mesh_pin_or_stiffness_is_another_model) {
  uint64_t marks[5];
  for (int i = 0; i < 5; i++) {
    MbSceneSpec spec = mobile(MB_IMPLICIT, 1e-3, true);
    MbDeformableSpec *d = spec.deformables;
    if (i == 1) d->stiffness *= 2;
    if (i == 2) d->pins[0].axes = "x";
    if (i == 3) d->mesh.pattern = MB_PATTERN_SQUARE;
    if (i == 4) d->mass *= 2;
    Run run = begin(spec, 1);
    marks[i] = run.model->fingerprint;
    for (int k = 0; k < i; k++) cr_assert_neq(marks[k], marks[i], "cases %d and %d", k, i);
    end(&run);
  }
}

Test(nodes, running_out_of_memory_anywhere_is_told_and_leaks_nothing) {
  MbSceneSpec spec = mobile(MB_IMPLICIT, 1e-3, true);
  const int64_t live = mb_alloc_live();
  bool done = false;
  for (int64_t k = 0; !done; k++) {
    MbReport report = {0};
    MbModel *model = NULL;
    MbSim *sim = NULL;
    mb_alloc_fail_after(k);
    MbStatus status = mb_compile(&spec, &model, &report);
    if (status == MB_OK) status = mb_sim_create(model, NULL, &sim, &report);
    mb_alloc_fail_after(-1);
    done = status == MB_OK;
    cr_assert(done || status == MB_IO, "call %lld failed, and it was told as %d", (long long)k, status);
    mb_sim_free(sim);
    mb_model_free(model);
    cr_assert_eq(mb_alloc_live(), live, "call %lld failed and something leaked", (long long)k);
  }
  mb_arena_free(&spec.arena);
}

// ---- channels ---------------------------------------------------------------------------------------------

static MbStatus channels(const char **names, size_t n, Run *run, MbReport *report) {
  run->spec = test_scene(MB_IMPLICIT, 1e-3, 1);
  rope(&run->spec, 3, 1, 1, 1)->linear[2] = 7;
  MbDeformableSpec *dust = deformable(&run->spec, "dust.x", MB_DEFORMABLE_PARTICLES, 1);
  dust->mesh = (MbNodeMeshSpec){.rope = 2, .length = 1};
  run->spec.output.channels = names, run->spec.output.nchannels = n;
  run->model = test_model(&run->spec);
  run->sim = NULL;
  return mb_sim_create(run->model, NULL, &run->sim, report);
}

Test(nodes, every_deformable_has_channels_of_its_own) {
  MbReport report = {0};
  Run run;
  test_ok(channels(NULL, 0, &run, &report), &report);
  size_t count = 0;
  const MbChannel *all = mb_sim_channels(run.sim, &count);
  cr_assert_eq(count, 5); // poses of no bodies, energy, two of positions
  cr_assert_str_eq(all[3].name, "deformable.rope.position");
  cr_assert_str_eq(all[4].name, "deformable.dust.x.position");
  cr_assert(all[3].items == 3 && all[3].width == 3 && all[4].items == 2);
  end(&run);

  const char *asked[] = {"deformable.dust.x.position", "deformable.*.velocity"};
  test_ok(channels(asked, 2, &run, &report), &report);
  all = mb_sim_channels(run.sim, &count);
  cr_assert(count == 3 && mb_sim_frame_size(run.sim) == 6 + 9 + 6);
  double frame[21];
  const double wanted[] = {0, 0, 0, 1, 0, 0, 0, 0, 7, 0, 0, 7, 0, 0, 7, 0, 0, 0, 0, 0, 0};
  mb_sim_sample(run.sim, frame, NULL);
  test_near("a frame", frame, wanted, 21, 0);
  end(&run);

  const char *twice[] = {"deformable.*.position", "deformable.rope.position"};
  cr_assert_eq(channels(twice, 2, &run, &report), MB_SCENE);
  cr_assert(strstr(report.issues[0].text, "is there twice"));
  end(&run);
  cr_assert_eq(mb_alloc_live(), 0);
}
