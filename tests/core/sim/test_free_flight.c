// Free bodies whose motion is known: in closed form, by invariants, or from published runs.
#include "core/integrators/integrators.h"
#include "tests/trees.h"
#include "tests/support.h"

static const double ROUNDING = 1e-11; // of a few hundred steps of numbers around 100

// Numbers of the `rigid` example of the reference implementation of the REDMAX notes (sueda/redmax, MIT,
// matlab-simple/testRigid.m): a free cuboid 10 × 1 × 1 of mass 10, h = 0.005, gravity −98 along z, symplectic
// Euler.
typedef struct Published {
  int64_t steps;
  double E[12]; // rows of (R p)
  double phi[6];
} Published;

static const Published published[] = {
    {1,
     {0.9998875021093592, 0, 0.01499943750632809, -0.0033931848140941346, 0, 1, 0, 0, -0.01499943750632809, 0,
      0.9998875021093592, 0.4475838411145976},
     {0, 3, 0, -1.35, 0, 89.51}},
    {2,
     {0.9995500337489875, 0, 0.029995500202495657, -0.006804622474987084, 0, 1, 0, 0, -0.029995500202495657,
      0, 0.9995500337489875, 0.8927681282702029},
     {0, 3, 0, -2.6853002756218993, 0, 88.99980512396641}},
    {10,
     {0.9887710779360424, 0, 0.14943813247359922, -0.03475379675503096, 0, 1, 0, 0, -0.14943813247359922, 0,
      0.9887710779360422, 4.367826086922995},
     {0, 3, 0, -12.803765342119101, 0, 84.23182807996015}},
    {100,
     {0.07073720166770345, 0, 0.997494986604054, -0.4304418923906969, 0, 1, 0, 0, -0.9974949866040533, 0,
      0.0707372016677038, 32.83682760501349},
     {0, 2.9999999999999987, 0, -41.696993477549896, 0, 2.22350809036899}},
    {401,
     {0.964253344821992, 0, -0.26498205033472344, -2.876141931143794, 0, 1, 0, 0, 0.2649820503347244, 0,
      0.964253344821993, -15.874682897494909},
     {0, 2.999999999999995, 0, -31.210309971525447, 0, -102.18433018250849}},
};

Test(free_flight, explicit_velocity_terms_reproduce_the_published_tumbling_box) {
  MbSceneSpec spec = test_scene(MB_SYMPLECTIC, 0.005, 401);
  spec.solver.kind = MB_SOLVER_MAXIMAL;
  spec.solver.terms = MB_TERMS_EXPLICIT;
  spec.gravity[2] = -98;
  MbBodySpec *box = test_body(&spec, "box", 10, 10 / 12.0 * 2, 10 / 12.0 * 101, 10 / 12.0 * 101);
  box->angular[1] = 3;
  box->linear[2] = 90;
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  for (size_t k = 0; k < sizeof published / sizeof *published; k++) {
    test_steps(sim, published[k].steps - mb_sim_steps(sim));
    double R[9], E[12];
    mb_quat_to_mat3(R, sim->x.E[0].q);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++) E[4 * i + j] = j < 3 ? R[3 * i + j] : sim->x.E[0].p[i];
    test_near("pose", E, published[k].E, 12, ROUNDING);
    test_near("twist", sim->x.phi, published[k].phi, 6, ROUNDING);
  }
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

Test(free_flight, a_falling_body_without_spin_follows_each_integrators_own_parabola) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
    const double h = 0.01, n = 100, t = h * n;
    MbSceneSpec spec = test_scene(kind, h, (int64_t)n);
    spec.gravity[2] = -9.81;
    MbBodySpec *body = test_body(&spec, "stone", 2, 1, 2, 2.5);
    mb_vec3_set(body->linear, 1, 0, 5);
    // an attitude that is no identity, to see that gravity is turned into the body's axes
    const double q[4] = {0.5, 0.5, -0.5, 0.5};
    for (int i = 0; i < 4; i++) body->pose.rotation[i] = q[i];
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    test_steps(sim, (int64_t)n);
    // Σ h v⁺ of the Euler schemes is ½ g t (t + h); the others are exact on a parabola
    const bool euler = mb_integrator_table[kind].order == 1;
    const double wanted[3] = {t, 0, 5 * t - 9.81 / 2 * t * (euler ? t + h : t)};
    test_near(mb_integrator_words[kind], sim->x.E[0].p, wanted, 3, ROUNDING);
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

Test(free_flight, velocity_is_that_of_the_body_frames_origin) {
  MbSceneSpec spec = test_scene(MB_RK45, 0.1, 10);
  spec.integrator.relative = 1e-12, spec.integrator.absolute = 1e-13;
  // the centre of mass is 0.5 m off the origin and at rest; the body spins about it, so that the origin
  // circles
  MbBodySpec *body = test_body(&spec, "club", 1, 1, 1, 2);
  mb_vec3_set(body->inertia->center, 0.5, 0, 0);
  mb_vec3_set(body->angular, 0, 0, 2);
  mb_vec3_set(body->linear, 0, -1, 0); // ω × (o − c) = (0, 0, 2) × (−0.5, 0, 0)
  const char *channels[] = {"body.position", "body.velocity", "momentum"};
  spec.output.channels = channels, spec.output.nchannels = 3;
  MbModel *model = test_model(&spec);
  MbSim *sim = test_sim(model, 1);
  double frame[15];
  cr_assert_eq(mb_sim_frame_size(sim), 15);
  test_steps(sim, 10);
  mb_sim_sample(sim, frame, NULL);
  const double a = 2 * 1.0,
               wanted[15] = {
                   0.5 - 0.5 * cos(a), -0.5 * sin(a), 0, 0, 0, 2, sin(a), -cos(a), 0, 0, 0, 0, 0, 0, 4};
  test_near("position, velocity, momentum", frame, wanted, 15, 1e-10); // the integrator's tolerance
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}

Test(free_flight, an_impulse_changes_momentum_by_itself_and_its_moment) {
  for (MbIntegratorKind kind = 0; kind < MB_STATIC; kind++) {
    MbSceneSpec spec = test_scene(kind, 0.01, 10);
    MbBodySpec *body = test_body(&spec, "plate", 3, 1, 2, 2.5);
    mb_vec3_set(body->pose.position, 1, 2, 3);
    mb_vec3_set(body->inertia->center, 0.1, 0.2, -0.3);
    MbModel *model = test_model(&spec);
    MbSim *sim = test_sim(model, 1);
    const double at[3] = {0.5, -0.5, 0.25}, impulse[3] = {1, 2, -3}, point[3] = {1.5, 1.5, 3.25};
    double linear[3], angular[3], moment[3];
    test_steps(sim, 2); // at rest: nothing moves, but an adaptive integrator is under way
    cr_assert_eq(mb_sim_impulse(sim, 0, at, impulse), MB_OK);
    mb_vec3_cross(moment, point, impulse);
    for (int k = 0; k < 2; k++) { // at once, and after the motion it started
      mb_momentum(model, &sim->x, linear, angular);
      test_near("linear momentum", linear, impulse, 3, k ? 0.1 : 1e-12);
      test_near("angular momentum", angular, moment, 3, k ? 0.1 : 1e-12);
      test_steps(sim, 1);
    }
    cr_assert_eq(mb_sim_impulse(sim, 1, at, impulse), MB_USAGE, "there is no second body");
    mb_sim_free(sim);
    mb_model_free(model);
    mb_arena_free(&spec.arena);
  }
}

// What is beside it decides which solver moves a body that is free in space, and nothing else.
Test(free_flight, a_body_beside_one_on_a_joint_moves_as_it_does_by_itself) {
  static const MbIntegratorKind kinds[] = {MB_SYMPLECTIC, MB_IMPLICIT, MB_RK45};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    double end[2][13];
    for (int beside = 0; beside < 2; beside++) {
      MbSceneSpec spec = test_scene(kinds[i], 0.01, 200);
      uint64_t seed = 9;
      spec.integrator.relative = 1e-12, spec.integrator.absolute = 1e-13;
      mb_vec3_set(spec.gravity, 0.3, 0, -9.81);
      MbBodySpec *body = test_random_body(&spec, &seed);
      mb_vec3_set(body->angular, 3, -2, 0.5);
      mb_vec3_set(body->linear, 0.3, 0.2, 1);
      if (beside) {
        MbBodySpec *stand = test_body(&spec, "stand", 1, 1, 1, 1);
        stand->jointed = true;
        stand->joint = (MbJointSpec){.kind = MB_JOINT_REVOLUTE, .axis = {0, 0, 1}};
        stand->joint.in_parent.rotation[0] = stand->joint.in_body.rotation[0] = 1;
      }
      MbModel *model = test_model(&spec);
      MbSim *sim = test_sim(model, 1);
      test_steps(sim, 200);
      const size_t b = model->number[0];
      memcpy(end[beside], sim->x.E[b].p, 3 * sizeof(double));
      memcpy(end[beside] + 3, sim->x.E[b].q, 4 * sizeof(double));
      memcpy(end[beside] + 7, sim->x.phi + 6 * b, 6 * sizeof(double));
      mb_sim_free(sim);
      mb_model_free(model);
      mb_arena_free(&spec.arena);
    }
    test_near(mb_integrator_words[kinds[i]], end[1], end[0], 13, kinds[i] == MB_RK45 ? 1e-9 : ROUNDING);
  }
}
