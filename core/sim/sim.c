// Making and freeing a simulation, and what its owner asks of it between steps.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/base/threads.h"
#include "core/integrators/integrators.h"
#include "core/sim/advise.h"
#include "core/sim/balance.h"
#include "core/sim/channels.h"
#include "core/sim/constrain.h"
#include "core/sim/crushed.h"
#include "core/sim/gimbal_watch.h"
#include "core/sim/dry.h"
#include "core/sim/energy_watch.h"
#include "core/sim/evaluate.h"
#include "core/sim/kinematic.h"
#include "core/sim/kept_moves.h"
#include "core/sim/layout.h"
#include "core/sim/lists.h"
#include "core/sim/schemes.h"
#include "core/sim/start_watch.h"
#include "core/sim/newton.h"
#include "core/sim/nodes.h"
#include "core/sim/touch.h"
#include "core/sim/trouble.h"
#include "core/sim/turned_over.h"
#include "core/solvers/solvers.h"
#include "core/solvers/engine.h"
#include "core/solvers/watched.h"

#include <math.h>
#include <string.h>

size_t mb_model_dofs(const MbModel *model) {
  size_t n = model->nv - 3 * model->nports; // counted with their deformables
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbElements *e = model->deformables[i].elements;
    if (!model->deformables[i].points) continue;
    n += 3 * (model->deformables[i].count - e->nattached);
    for (size_t k = 0; k < e->npinned; k++)
      for (int axis = 0; axis < 3; axis++) n -= e->pinned[k].axes >> axis & 1;
  }
  return n;
}

static MbStatus compile_signals(MbSim *sim, MbReport *report) {
  const MbModel *model = sim->model;
  for (size_t i = 0; i < model->nsignals; i++) {
    const MbSignal *signal = &model->signals[i];
    if (signal->kind != MB_SIGNAL_EXPRESSION) continue;
    char message[256] = "";
    sim->expressions[i] = mb_expression_create(signal->text, model->constants, model->nconstants, true,
                                               message, sizeof message);
    if (!sim->expressions[i] && !strcmp(message, "out of memory")) return mb_no_memory(report, "signals");
    if (!sim->expressions[i])
      return mb_error(report, MB_SCENE, "", "signal \"%s\": %s", signal->text, message);
  }
  return MB_OK;
}

static double *numbers(MbSim *sim, size_t n) { return mb_arena_alloc(&sim->arena, n, sizeof(double)); }

// What depends on the rows that the solver claims.
static MbStatus allocate_claims(MbSim *sim, MbReport *report) {
  const size_t rows = sim->nclaimed = sim->solver->claims->rows(sim->work).n;
  sim->gap0 = numbers(sim, rows), sim->gap1 = numbers(sim, rows), sim->aim = numbers(sim, rows);
  sim->pull = numbers(sim, rows), sim->pulled = numbers(sim, rows);
  const bool ok = sim->gap0 && sim->gap1 && sim->aim && sim->pull && sim->pulled;
  return ok ? MB_OK : mb_no_memory(report, "the simulation");
}

// Whether steps ask for derivatives of forces, and any force has some.
static bool needs_blocks(const MbSim *sim) {
  const MbModel *model = sim->model;
  bool some = model->solver.mode == MB_FIRST_ORDER || sim->x.exact;
  for (size_t i = 0; i < model->nforces && !some; i++) some = !model->forces[i].ops->inertial;
  return some && (model->solver.mode == MB_FIRST_ORDER || sim->integrator->a != 0);
}

// Whether K is among them: velocity Verlet has damping alone implicit, and Euler's steps of the kinematic mode.
static bool needs_stiffness(const MbSim *sim) {
  const MbIntegrator *in = sim->integrator;
  return (sim->model->solver.mode == MB_FIRST_ORDER ? in->a : in->b) != 0 || in->d != 0;
}

// Whether steps are one solution with forces linearised where they begin.
static bool linearises(const MbSim *sim) {
  const MbIntegrator *in = sim->integrator;
  return sim->scheme->step == mb_scheme_once && in->order == 1 && in->b != 0 && needs_blocks(sim) &&
         mb_sim_outside(sim->model);
}

static bool note_carriers(MbSim *sim) {
  const bool all = sim->solver->map->layout->apart(sim->model);
  sim->x.carrier = mb_carriers(sim->model, all, &sim->arena);
  return sim->x.carrier;
}

static MbStatus allocate(MbSim *sim, MbReport *report) {
  const MbModel *model = sim->model;
  const size_t nb = model->nb;
  sim->state.q = numbers(sim, sim->nq), sim->q1 = numbers(sim, sim->nq);
  sim->state.v = numbers(sim, sim->width), sim->v1 = numbers(sim, sim->width);
  sim->state.memory = numbers(sim, sim->nm);
  sim->r = numbers(sim, sim->width), sim->s = numbers(sim, sim->width), sim->t = numbers(sim, sim->width);
  if (linearises(sim)) sim->linear.force = numbers(sim, sim->width);
  sim->stage = numbers(sim, sim->scheme->scratch ? sim->scheme->scratch(sim->nq, sim->nv) : 0);
  sim->nudge = numbers(sim, sim->width);
  sim->along = numbers(sim, model->nv), sim->near = numbers(sim, model->nq);
  sim->signal = numbers(sim, model->nsignals), sim->input = numbers(sim, model->nsignals);
  sim->varying = mb_arena_alloc(&sim->arena, model->nsignals, sizeof *sim->varying);
  sim->expressions = mb_arena_alloc(&sim->arena, model->nsignals, sizeof *sim->expressions);
  MbMaximal *x = &sim->x;
  *x = (MbMaximal){
      .nb = nb, .signal = sim->signal, .M = model->M, .exact = sim->integrator->exact && !model->jointed};
  x->E = mb_arena_alloc(&sim->arena, nb, sizeof *x->E);
  x->phi = numbers(sim, 6 * nb), x->f = numbers(sim, 6 * nb);
  if (sim->solver->passes) sim->push = numbers(sim, sim->width);
  if (model->any_flies) x->swing = numbers(sim, 3 * nb);
  x->carried = sim->solver->map->layout->apart(model) && model->solver.terms == MB_TERMS_CARRIED;
  const size_t nblocks = nb + 2 * model->npairs;
  const bool blocks = needs_blocks(sim);
  const bool stiff = blocks && needs_stiffness(sim);
  if (blocks) x->D = numbers(sim, 36 * nblocks);
  if (stiff) x->K = numbers(sim, 36 * nblocks);
  if (mb_model_drives(model))
    sim->stiffness = numbers(sim, model->nv), sim->damping = numbers(sim, model->nv);
  x->stiffness = mb_model_drives(model) ? sim->stiffness : model->stiffness;
  x->joint_damping = mb_model_drives(model) ? sim->damping : model->joint_damping;
  sim->work = sim->solver->create(model, sim->threads);
  const bool ok = sim->state.q && sim->q1 && sim->state.v && sim->v1 && sim->state.memory && sim->r &&
                  sim->s && sim->t && sim->nudge && sim->along && sim->near && sim->stage && sim->signal &&
                  sim->input && sim->varying && sim->expressions && x->E && x->phi && x->f &&
                  (sim->push || !sim->solver->passes) && (x->swing || !model->any_flies) && x->stiffness &&
                  note_carriers(sim) && x->joint_damping && (!blocks || x->D) && (!stiff || x->K) &&
                  sim->work;
  if (!ok) return mb_no_memory(report, "the simulation");
  if (mb_newton_fits(sim)) {
    sim->newton = mb_newton_create(sim);
    sim->notes = mb_stage_notes_create(&sim->arena, sim);
    if (!sim->newton || !sim->notes) return mb_no_memory(report, "the simulation");
  }
  for (size_t i = 0; i < model->nsignals; i++) {
    sim->input[i] = NAN;
    if (model->signals[i].kind != MB_SIGNAL_CONSTANT) sim->varying[sim->nvarying++] = i;
  }
  mb_sim_hold_signals(sim);
  return allocate_claims(sim, report);
}

// Where the sections of the state's memory begin, by what their owners want of it.
static void plan_memory(MbSim *sim) {
  const MbModel *model = sim->model;
  const size_t events = sim->integrator->scheme == MB_ADAPTIVE ? model->nslots : 0;
  const bool solved = model->contacts.any || model->dry;
  size_t size[MB_SECTIONS] = {[MB_SECTION_CRUSHED] = mb_crushed_size(model),
                              [MB_SECTION_WATCH] = mb_watch_size(),
                              [MB_SECTION_LINEAR] = linearises(sim) ? MB_LINEAR_NUMBERS : 0,
                              [MB_SECTION_WARNED] = MB_WARNED_NUMBERS,
                              [MB_SECTION_GAPS] = 2,
                              [MB_SECTION_FREEDOM] = 2,
                              [MB_SECTION_CLOSURES] = model->nguess,
                              [MB_SECTION_LATCHED_BEFORE] = events,
                              [MB_SECTION_LATCHED] = events,
                              [MB_SECTION_CONTACT] = model->contacts.any ? 2 : 0,
                              [MB_SECTION_FRICTION] = model->dry ? 1 : 0,
                              [MB_SECTION_LOADS] = model->nloads,
                              [MB_SECTION_TOLD] = solved ? MB_SOLVED_NUMBERS : 0,
                              [MB_SECTION_FORCES] = model->nslots};
  if (sim->scheme->memory) size[MB_SECTION_SCHEME] = sim->scheme->memory(sim->nq, sim->nv);
  mb_nodes_sections(sim, size);
  for (int i = 0; i < MB_SECTIONS; i++) sim->section[i + 1] = sim->section[i] + size[i];
  sim->nm = sim->section[MB_SECTIONS];
}

// The start is judged as every step is, and so is the first frame.
static MbStatus check_start(MbSim *sim, MbReport *report) {
  MbStatus status = mb_sim_check(sim, 0, 0, report);
  if (status != MB_OK) return status;
  size_t most = 0;
  for (size_t i = 0; i < sim->nchannels; i++)
    most = mb_channel_size(&sim->channels[i]) > most ? mb_channel_size(&sim->channels[i]) : most;
  double *numbers_of_one = mb_calloc(most, sizeof *numbers_of_one);
  if (!numbers_of_one) return mb_no_memory(report, "the simulation");
  for (size_t i = 0; i < sim->nchannels && status == MB_OK; i++) {
    status = mb_sim_read(sim, &sim->channels[i], numbers_of_one, report);
    if (status == MB_OK) status = mb_sim_check_channel(sim, i, numbers_of_one, report);
  }
  mb_free(numbers_of_one);
  return status;
}

// Takes the solver of the engine that is given, or of the processor's own.
static MbStatus take_solver(MbSim *sim, const MbEngine *given, MbReport *report) {
  static const char *const where = "/solver/device";
  const MbModel *model = sim->model;
  const MbEngine *engine = given ? given : mb_watch_solvers ? &mb_watched_engine : &mb_cpu_engine;
  bool available = false;
  if (!given && model->solver.device == MB_CUDA)
    return mb_error(report, MB_DEVICE, where, "device %s: no engine for it was given",
                    mb_device_words[model->solver.device]);
  const char *text = engine->text(&available), *why = available ? engine->refuses(model) : text;
  if (why) return mb_error(report, MB_DEVICE, where, "device %s: %s", engine->name, why);
  sim->solver = engine->solver(model, &sim->arena);
  return sim->solver ? MB_OK : mb_no_memory(report, "the simulation");
}

static MbStatus create(MbSim *sim, const MbModel *model, const MbSimOptions *options, MbReport *report) {
  sim->model = model;
  const MbStatus taken = take_solver(sim, options ? options->engine : NULL, report);
  if (taken != MB_OK) return taken;
  sim->integrator = &mb_integrator_table[model->integrator.kind];
  sim->threads = options && options->threads > 0 ? options->threads : model->solver.threads;
  sim->solver->map->layout->size(model, &sim->nq, &sim->nv);
  sim->width = sim->nv + 3 * mb_model_points(model);
  sim->scheme = mb_scheme_for(sim);
  plan_memory(sim);

  const int threads = mb_threads_start(sim->threads);
  if (threads < sim->threads)
    mb_warning(report, "/solver/threads",
               "of %d threads the system starts %d: the run is slower, and its result the same", sim->threads,
               threads);
  MbStatus status = allocate(sim, report);
  if (status == MB_OK) status = compile_signals(sim, report);
  if (status == MB_OK) status = mb_constraining_create(sim, report);
  if (status == MB_OK) status = mb_nodes_create(sim, report);
  if (status == MB_OK) status = mb_crushed_create(sim, report);
  if (status == MB_OK) status = mb_gimbal_create(sim, report);
  if (status == MB_OK) status = mb_turned_create(sim, report);
  if (status == MB_OK) status = mb_channels_build(sim, report);
  if (status != MB_OK) return status;
  status = mb_sim_start_at(sim, model->q0, model->v0, report);
  if (status != MB_OK) return status;
  if (sim->scheme->restart) sim->scheme->restart(sim);
  mb_constraining_start(sim);
  mb_nodes_start(sim);
  if (sim->integrator->scheme == MB_EQUILIBRIUM) // nothing moves, from the start on
    memset(sim->state.v, 0, sim->width * sizeof *sim->state.v);
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  mb_sim_follow(sim, sim->state.q, sim->state.v);
  status = mb_touching_create(sim, report);
  if (status == MB_OK) status = mb_dry_create(sim, report);
  if (status == MB_OK) status = mb_kept_create(sim, report);
  if (status != MB_OK) return status;
  if (model->solver.mode != MB_FIRST_ORDER) {
    status = mb_sim_advise(sim, report);
  } else {
    status = mb_sim_kinematic_velocity(sim, sim->state.q, 0, sim->state.v, report);
    mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  }
  if (status == MB_OK) status = check_start(sim, report);
  if (status == MB_OK) mb_watch_start(sim);
  if (status == MB_OK && !(options && options->restored)) mb_start_watch(sim, report);
  return status;
}

MbStatus mb_sim_create(const MbModel *model, const MbSimOptions *options, MbSim **out, MbReport *report) {
  *out = NULL;
  MbSim *sim = mb_calloc(1, sizeof *sim);
  if (!sim) return mb_no_memory(report, "the simulation");
  MbStatus status = create(sim, model, options, report);
  // what fails before the first step is wrong in the scene
  if (status == MB_NUMBERS) status = MB_SCENE;
  if (status == MB_SCENE && report && report->status == MB_NUMBERS) report->status = MB_SCENE;
  if (status == MB_OK)
    *out = sim;
  else
    mb_sim_free(sim);
  return status;
}

void mb_sim_free(MbSim *sim) {
  if (!sim) return;
  for (size_t i = 0; sim->expressions && i < sim->model->nsignals; i++)
    mb_expression_free(sim->expressions[i]);
  if (sim->work) sim->solver->free(sim->work);
  mb_touching_free(sim);
  mb_dry_free(sim);
  mb_constraining_free(sim);
  mb_nodes_free(sim);
  mb_balance_free(sim);
  mb_sim_lists_free(sim);
  mb_arena_free(&sim->arena);
  mb_free(sim);
}

size_t mb_sim_memory(const MbSim *sim) {
  return sizeof *sim + sim->arena.bytes + sim->model->arena.bytes + sim->solver->bytes(sim->work) +
         mb_constraining_bytes(sim) + mb_dry_bytes(sim) + mb_touching_bytes(sim) + mb_nodes_bytes(sim) +
         mb_balance_bytes(sim) + mb_sim_lists_bytes(sim);
}

double mb_sim_time(const MbSim *sim) { return sim->state.t; }
int64_t mb_sim_steps(const MbSim *sim) { return sim->state.step; }

MbStatus mb_sim_impulse(MbSim *sim, size_t body, const double at[3], const double impulse[3]) {
  const MbModel *model = sim->model;
  size_t blame = 0;
  if (body >= model->nlisted) return MB_USAGE;
  for (int k = 0; k < 3; k++)
    if (!isfinite(at[k]) || !isfinite(impulse[k])) return MB_USAGE;
  body = model->number[body]; // from the scene's order
  if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame)) return MB_USAGE;

  // j = ( r × Rᵀp ; Rᵀp ) in C axes, then v ← v + M⁻¹ Jᵀ j
  double *j = sim->x.f + 6 * body, r[3];
  MbPose inverse;
  memset(sim->x.f, 0, 6 * model->nb * sizeof *sim->x.f);
  mb_pose_inverse(&inverse, &model->C[body]);
  mb_pose_point(r, &inverse, at);
  mb_quat_unrotate(j + 3, sim->x.E[body].q, impulse);
  mb_vec3_cross(j, r, j + 3);
  sim->solver->gather(sim->work, sim->x.f, sim->r);
  MbStatus status = sim->solver->apply(sim->work, sim->r, NULL, NULL) ? MB_OK : MB_NUMBERS;
  for (size_t i = 0; i < sim->nv; i++) sim->v1[i] = sim->state.v[i] + sim->r[i];
  if (status == MB_OK) status = mb_constrain_impulse(sim, sim->v1);
  for (size_t i = 0; status == MB_OK && i < sim->nv; i++)
    if (!isfinite(sim->v1[i])) status = MB_NUMBERS;
  if (status == MB_OK) {
    memcpy(sim->state.v, sim->v1, sim->nv * sizeof *sim->state.v);
    mb_nodes_take_ports(sim);
    mb_watch_give_up(sim);
    mb_touch_forget(sim);
    if (sim->scheme->restart) sim->scheme->restart(sim);
  }
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  return status;
}
