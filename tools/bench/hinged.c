#include "tools/bench/hinged.h"

#include <math.h>
#include <stdio.h>

const char *const tree_names[TREES] = {"chain", "binary tree", "humanoid"};

// Parents of a humanoid: a trunk that is free in space, then 28 revolute joints (neck 3, spine 3, arms 2 x 5, legs 2 x 6).
static const int humanoid[HUMANOID_BODIES] = {-1, 0,  1, 2,  3,  4,  5,  3,  7, 8,  9,  10, 3,  12, 13,
                                              14, 15, 0, 17, 18, 19, 20, 21, 0, 23, 24, 25, 26, 27};

int hinged_humanoid(int body) { return humanoid[body]; }

// Positions and velocities of joints at the start: to and fro, so that long chains are neither rolled up nor fast.
static const double turned[2] = {1e-3, -1e-3}, rate[2] = {1e-4, -1e-4};

static MbInertiaSpec inertia = {.mass = 1, .center = {0, 0, -0.1}, .matrix = {0.01, 0.012, 0.008}};

static void add_link(MbSceneSpec *spec, size_t i, long parent) {
  MbBodySpec *body = &spec->bodies[i];
  char name[32];
  snprintf(name, sizeof name, "b%zu", i);
  *body = (MbBodySpec){.name = mb_arena_strdup(&spec->arena, name), .density = NAN, .mass = NAN};
  body->pose.rotation[0] = 1;
  body->inertia = &inertia;
  if (parent < 0 && spec->nbodies == HUMANOID_BODIES) return; // free in space
  body->jointed = true;
  MbJointSpec *joint = &body->joint;
  *joint = (MbJointSpec){.kind = MB_JOINT_REVOLUTE, .axis = {i % 3 == 0, i % 3 == 1, i % 3 == 2}};
  joint->in_parent.rotation[0] = joint->in_body.rotation[0] = 1;
  joint->position = (MbNumbersSpec){1, &turned[i / 3 % 2]};
  joint->velocity = (MbNumbersSpec){1, &rate[i / 3 % 2]};
  if (parent < 0) return;
  joint->parent = spec->bodies[parent].name;
  joint->in_parent.position[2] = -0.2;
}

MbModel *hinged_make(Tree tree, size_t n, const MbSolverSpec *solver) {
  MbSceneSpec spec = {.name = "bench", .description = "", .nbodies = n};
  spec.time = (MbTimeSpec){.step = 1e-6, .duration = NAN, .steps = 1};
  spec.solver = *solver;
  spec.integrator = (MbIntegratorSpec){.kind = MB_SYMPLECTIC};
  spec.output = (MbOutputSpec){.every = 1, .interval = NAN, .checkpoint = NAN};
  spec.gravity[2] = -9.81;
  spec.bodies = mb_arena_alloc(&spec.arena, n, sizeof *spec.bodies);
  for (size_t i = 0; spec.bodies && i < n; i++) {
    const long before = (long)i - 1;
    add_link(&spec, i, tree == CHAIN ? before : tree == HUMANOID ? humanoid[i] : i ? before / 2 : -1);
  }
  MbReport report = {0};
  MbModel *model = NULL;
  if (!spec.bodies || mb_compile(&spec, &model, &report) != MB_OK)
    fprintf(stderr, "no model: %s\n", report.issues[0].text);
  mb_arena_free(&spec.arena);
  return model;
}
