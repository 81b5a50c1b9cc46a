// The schemes there are, and which one a simulation takes.
#include "core/sim/schemes.h"

enum {
  ONCE,
  EXPLICIT,
  VERLET,
  MIDPOINT,
  VERLET_HALVES,
  KINEMATIC,
  KINEMATIC_PASSES,
  COUPLED,
  RK45,
  BDF1,
  BDF2,
  SDIRK2,
  STATIC,
  SCHEMES
};

// clang-format off
static const MbSchemeOps table[SCHEMES] = {
    [ONCE]             = {.name = "one solution",             .step = mb_scheme_once},
    [EXPLICIT]         = {.name = "accelerations",            .step = mb_scheme_explicit},
    [VERLET]           = {.name = "velocity Verlet",          .step = mb_scheme_verlet},
    [MIDPOINT]         = {.name = "implicit midpoint",        .step = mb_scheme_midpoint},
    [VERLET_HALVES]    = {.name = "two implicit half steps",  .step = mb_scheme_verlet_halves},
    [KINEMATIC]        = {.name = "kinematic",                .step = mb_scheme_kinematic},
    [KINEMATIC_PASSES] = {.name = "kinematic, by passes",     .step = mb_scheme_kinematic_passes},
    [COUPLED]          = {.name = "bodies and deformables",   .step = mb_scheme_coupled},
    [RK45]             = {.name = "Dormand-Prince 5(4)",      .step = mb_scheme_rk45,
                          .memory = mb_scheme_rk45_memory,    .scratch = mb_scheme_rk45_scratch,
                          .restart = mb_scheme_rk45_restart},
    [BDF1]             = {.name = "BDF of order 1",           .step = mb_scheme_stages,
                          .scratch = mb_scheme_stages_scratch},
    [BDF2]             = {.name = "BDF of order 2",           .step = mb_scheme_bdf2,
                          .memory = mb_scheme_bdf2_memory,    .scratch = mb_scheme_stages_scratch,
                          .restart = mb_scheme_bdf2_restart,  .commit = mb_scheme_bdf2_commit},
    [SDIRK2]           = {.name = "SDIRK of order 2",         .step = mb_scheme_stages,
                          .scratch = mb_scheme_stages_scratch},
    [STATIC]           = {.name = "equilibrium",              .step = mb_scheme_static,
                          .scratch = mb_scheme_static_room},
};
// clang-format on

static bool is_explicit(const MbIntegrator *in) {
  return in->a == 0 && in->b == 0 && in->c == 0 && in->d == 0 && in->w == 0;
}

static const MbSchemeOps *stages_of(MbIntegratorKind kind) {
  return &table[kind == MB_BDF1 ? BDF1 : kind == MB_BDF2 ? BDF2 : SDIRK2];
}

const MbSchemeOps *mb_scheme_for(const MbSim *sim) {
  const MbModel *model = sim->model;
  const MbIntegrator *in = sim->integrator;
  const bool holds = model->jointed || model->nslots > 0; // M and J change over a step, or there are rows
  const bool verlet = in->scheme == MB_VERLET;
  if (in->scheme == MB_ADAPTIVE) return &table[RK45];
  if (in->scheme == MB_STAGES) return stages_of(model->integrator.kind);
  if (in->scheme == MB_EQUILIBRIUM) return &table[STATIC];
  if (sim->solver->passes) return &table[COUPLED];
  if (model->solver.mode == MB_FIRST_ORDER) return &table[holds ? KINEMATIC_PASSES : KINEMATIC];
  if (holds && in->passes) return &table[verlet ? VERLET_HALVES : MIDPOINT];
  if (verlet) return &table[VERLET];
  // loads of joints are taken from forces that accelerations at once leave out
  return &table[sim->solver->accelerate && is_explicit(in) && !model->nloads ? EXPLICIT : ONCE];
}
