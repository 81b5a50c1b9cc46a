// The joints' own springs: force, energy and derivative say the same.
#include "core/model/coordinates.h"
#include "tests/support.h"

Test(coordinates, springs_of_joints_pull_as_their_energy_falls) {
  MbSceneSpec spec = test_scene(MB_IMPLICIT, 0.01, 1);
  const MbJointKind kinds[] = {MB_JOINT_REVOLUTE, MB_JOINT_CYLINDRICAL, MB_JOINT_TRANSLATIONAL};
  static const double position[] = {0.3, -0.4, 0.9}, velocity[] = {1, -2, 3}, rest[] = {-0.2, 0.5, 0.1},
                      stiffness[] = {3, 7, 11}, damping[] = {0.5, 0.25, 2};
  test_body(&spec, "free", 1, 1, 1,
            1); // coordinates and velocities of those after it are not the same places
  for (size_t i = 0; i < 3; i++) {
    MbBodySpec *body = test_body(&spec, (const char *[]){"a", "b", "c"}[i], 1, 1, 1, 1);
    body->jointed = true;
    body->joint = (MbJointSpec){.kind = kinds[i], .axis = {0, 0, 1}};
    body->joint.in_parent.rotation[0] = body->joint.in_body.rotation[0] = 1;
    body->joint.position = (MbNumbersSpec){i + 1, position};
    body->joint.velocity = (MbNumbersSpec){i + 1, velocity};
    body->joint.rest = (MbNumbersSpec){i + 1, rest};
    body->joint.stiffness = (MbNumbersSpec){i + 1, stiffness};
    body->joint.damping = (MbNumbersSpec){i + 1, damping};
  }
  MbModel *model = test_model(&spec);
  enum { NV = 6 + 6, NQ = 7 + 6, FREE = 6 };
  cr_assert(model->nv == NV && model->nq == NQ);

  // by hand: the first number of each list for each joint, then the second, then the third
  const int number[6] = {0, 0, 1, 0, 1, 2};
  double energy = 0, force[NV] = {0}, found[NV] = {0}, K[NV] = {0}, D[NV] = {0}, zero[NV] = {0};
  for (int i = 0; i < 6; i++) {
    const int k = number[i];
    const double stretch = position[k] - rest[k];
    energy += stiffness[k] * stretch * stretch / 2;
    force[FREE + i] = -stiffness[k] * stretch - damping[k] * velocity[k];
    K[FREE + i] = -stiffness[k], D[FREE + i] = -damping[k];
  }
  const double stored = mb_coordinates_energy(model, model->q0);
  test_near("energy", &stored, &energy, 1, 1e-14);
  MbSim *sim = test_sim(model, 1);
  mb_coordinates_forces(model, &sim->x, model->q0, model->v0, found);
  test_near("forces", found, force, NV, 1e-14);

  double ones[NV], derivative[NV];
  for (int i = 0; i < NV; i++) ones[i] = 1;
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < NV; i++) derivative[i] = zero[i];
    mb_coordinates_blocks(model, &sim->x, k ? 0 : 1, k ? 1 : 0, ones, derivative);
    test_near(k ? "K" : "D", derivative, k ? K : D, NV, 1e-14);
  }
  mb_sim_free(sim);
  mb_model_free(model);
  mb_arena_free(&spec.arena);
}
