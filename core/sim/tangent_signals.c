// S = z · τ + ζ · r is felt by a signal's value s and its first two rates at an instant:
//
//   S_s = − Z · ∂f/∂s − z · ∂f_r/∂s + ∂(−μ G z + ζ r)/∂s
//
// of the forces, the motors and the rows that use it. Motors are straight in their signals. Of forces and rows these are differences, over as much as the numbers in question change it. A table's value is a sum of its
// numbers x_j, and of a spline's second derivatives m_j, at the instant:  s = Σ w_j x_j + Σ u_j m_j,  so that S_s w_j and S_s u_j add up over steps to what x_j and m_j are felt by. Where a number changes the
// times of a table, or an expression, the signal's difference is asked for that number in each step.
#include "core/sim/tangent_signals.h"
#include "core/constraints/constraints.h"
#include "core/forces/body_force.h"
#include "core/forces/forces.h"
#include "core/model/coordinates.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/tangent_number_parts.h"

#include <math.h>
#include <string.h>

// A number that is asked in each step, and what it has changed.
typedef struct Apart {
  struct Apart *next;
  const MbTangentNumber *of;
  double change[3]; // of the value and its rates at hand
  double sum;
} Apart;

// A signal that numbers change, and what uses it.
typedef struct Felt {
  size_t signal;
  size_t ndrives, nforces, nties;
  size_t *drive, *force, *tie;
  double most;               // half of what a number changes of its table, at most
  double *value, *curvature; // (count) what the table's numbers are felt by; of a constant one
  Apart *apart;
} Felt;

struct MbTangentSignals {
  MbArena *arena;
  const MbModel *model;
  size_t n;
  Felt *felt;     // (n) with room for all signals
  double *wrench; // (nb x 6) zero
};

// ---- what uses a signal ---------------------------------------------------------------------------------------------

static bool drive_uses(const MbDrive *drive, size_t i) {
  return drive->force == i || drive->target == i || drive->target_velocity == i;
}

static bool elements_use(const MbElements *of, size_t i) {
  bool uses = false;
  if (of->surface) {
    const size_t *wind = of->surface->wind;
    uses =
        of->surface->pressure == i || (of->surface->nouter && (wind[0] == i || wind[1] == i || wind[2] == i));
  }
  for (size_t m = 0; m < of->nfibres; m++) uses |= of->fibres[m].activation == i;
  return uses;
}

static bool force_uses(const MbForce *force, size_t i) {
  if (force->elements) return elements_use(force->elements->of, i);
  bool uses = force->ops->muscle && force->signal[0] == i;
  for (size_t k = 0; k < 6 && force->ops->build == mb_force_on_body; k++) uses |= force->signal[k] == i;
  return uses;
}

static bool tie_uses(const MbConstraint *constraint, size_t i) {
  bool uses = i >= constraint->path && i < constraint->path + constraint->npath;
  for (size_t k = 0; k < 3 && constraint->ops == &mb_motion_ops; k++) uses |= constraint->signal[k] == i;
  return uses;
}

static bool find_uses(MbArena *arena, const MbModel *model, Felt *felt) {
  const size_t i = felt->signal;
  felt->drive = mb_arena_alloc(arena, model->ndrives, sizeof *felt->drive);
  felt->force = mb_arena_alloc(arena, model->nforces, sizeof *felt->force);
  felt->tie = mb_arena_alloc(arena, model->nconstraints, sizeof *felt->tie);
  if (!felt->drive || !felt->force || !felt->tie) return false;
  for (size_t k = 0; k < model->ndrives; k++)
    if (drive_uses(&model->drives[k], i)) felt->drive[felt->ndrives++] = k;
  for (size_t k = 0; k < model->nforces; k++)
    if (force_uses(&model->forces[k], i)) felt->force[felt->nforces++] = k;
  for (size_t k = 0; k < model->nconstraints; k++)
    if (tie_uses(&model->constraints[k], i)) felt->tie[felt->nties++] = k;
  return true;
}

// ---- what numbers change of it --------------------------------------------------------------------------------------

// Whether the values alone differ, of a table or a constant signal.
static bool values_differ(const MbSignal *s, const MbSignal *less, const MbSignal *more) {
  const size_t size = s->count * sizeof *s->times;
  if (s->kind == MB_SIGNAL_EXPRESSION || less->kind != s->kind || more->kind != s->kind) return false;
  if (s->kind == MB_SIGNAL_CONSTANT) return true;
  return s->interpolation == less->interpolation && s->interpolation == more->interpolation &&
         s->count == less->count && s->count == more->count && memcmp(s->times, less->times, size) == 0 &&
         memcmp(s->times, more->times, size) == 0;
}

// Half of what a number changes of its numbers, at most.
static double most_of(const MbSignal *less, const MbSignal *more) {
  double most = less->kind == MB_SIGNAL_CONSTANT ? fabs(more->value - less->value) / 2 : 0;
  for (size_t k = 0; k < less->count; k++) most = fmax(most, fabs(more->values[k] - less->values[k]) / 2);
  return most;
}

MbTangentSignals *mb_tangent_signals_create(MbArena *arena, const MbModel *model) {
  MbTangentSignals *signals = mb_arena_alloc(arena, 1, sizeof *signals);
  if (!signals) return NULL;
  *signals = (MbTangentSignals){.arena = arena, .model = model};
  signals->felt = mb_arena_alloc(arena, model->nsignals, sizeof *signals->felt);
  signals->wrench = mb_arena_alloc(arena, 6 * model->nb, sizeof *signals->wrench);
  return signals->felt && signals->wrench ? signals : NULL;
}

static Felt *felt_of(const MbTangentSignals *signals, size_t i) {
  size_t k = 0;
  while (k < signals->n && signals->felt[k].signal != i) k++;
  return k < signals->n ? &signals->felt[k] : NULL;
}

static Felt *add_felt(MbTangentSignals *signals, size_t i) {
  Felt *felt = &signals->felt[signals->n];
  const size_t count = signals->model->signals[i].count + 1;
  *felt = (Felt){.signal = i};
  felt->value = mb_arena_alloc(signals->arena, count, sizeof *felt->value);
  felt->curvature = mb_arena_alloc(signals->arena, count, sizeof *felt->curvature);
  if (!felt->value || !felt->curvature || !find_uses(signals->arena, signals->model, felt)) return NULL;
  signals->n++;
  return felt;
}

bool mb_tangent_signals_for(MbTangentSignals *signals, const MbTangentNumber *n) {
  for (size_t k = 0; k < n->nsignals; k++) {
    const size_t i = n->signal[k];
    const MbSignal *less = &n->side[0]->model->signals[i], *more = &n->side[1]->model->signals[i];
    Felt *felt = felt_of(signals, i);
    if (!felt && !(felt = add_felt(signals, i))) return false;
    if (values_differ(&signals->model->signals[i], less, more)) {
      felt->most = fmax(felt->most, most_of(less, more));
      continue;
    }
    Apart *apart = mb_arena_alloc(signals->arena, 1, sizeof *apart);
    if (!apart) return false;
    *apart = (Apart){.next = felt->apart, .of = n};
    felt->apart = apart;
  }
  return true;
}

// ---- at an instant --------------------------------------------------------------------------------------------------

static void find_change(const MbTangentNumber *n, size_t i, double t, bool rates, double change[3]) {
  double value[2][3] = {{0}};
  for (int side = 0; side < 2; side++)
    if (rates)
      mb_sim_signal_rates(n->side[side], i, t, value[side]);
    else
      value[side][0] = mb_sim_signal(n->side[side], i, t);
  for (int k = 0; k < 3; k++) change[k] = value[1][k] - value[0][k];
}

// Finds what those that are asked in each step change of it at time t, and of its rates. Returns half of what any number changes of its value, at most.
static double look_at(Felt *felt, double t, bool rates) {
  double most = felt->most;
  for (Apart *apart = felt->apart; apart; apart = apart->next) {
    find_change(apart->of, felt->signal, t, rates, apart->change);
    most = fmax(most, fabs(apart->change[0]) / 2);
  }
  return most;
}

// Adds a share of what S is felt by along the value and its rates at time t.
static void take(const MbTangentSignals *signals, Felt *felt, double t, double share, const double by[3]) {
  const MbSignal *s = &signals->model->signals[felt->signal];
  if (s->kind == MB_SIGNAL_CONSTANT) felt->value[0] += share * by[0];
  if (s->kind == MB_SIGNAL_TABLE) {
    const MbSignalParts parts = mb_signal_parts(s, t);
    for (size_t i = 0; i < parts.n; i++) {
      felt->value[parts.first + i] += share * mb_vec3_dot(parts.value[i], by);
      felt->curvature[parts.first + i] += share * mb_vec3_dot(parts.curvature[i], by);
    }
  }
  for (Apart *apart = felt->apart; apart; apart = apart->next)
    apart->sum += share * mb_vec3_dot(apart->change, by);
}

static double of_drives(const MbSim *sim, const Felt *felt, const double *v, const double *z) {
  const MbModel *model = sim->model;
  MbMaximal x = sim->x;
  double sum = 0;
  x.v = v;
  for (size_t k = 0; k < felt->ndrives; k++) {
    const MbDrive *drive = &model->drives[felt->drive[k]];
    const MbDriveFelt by = mb_coordinates_drive_felt(model, &x, felt->drive[k], z);
    if (drive->force == felt->signal) sum += by.force;
    if (drive->target == felt->signal) sum += by.target;
    if (drive->target_velocity == felt->signal) sum += by.target_velocity;
  }
  return sum;
}

// Z · f of a body, which is then zero.
static double take_body(const MbTangent *t, double *f, size_t b) {
  if (b == MB_WORLD) return 0;
  const double sum = mb_dot6(t->dF + 6 * b, f + 6 * b);
  memset(f + 6 * b, 0, 6 * sizeof *f);
  return sum;
}

// Z · f of one force
static double of_force(const MbModel *model, const MbForce *force, MbMaximal *x, const MbTangent *t) {
  double sum = 0;
  if (t->linearised && t->linear->forces) return mb_linear_of_force(model, force, x, t, x->f);
  force->ops->eval(model, force, x, 0, model->nb);
  for (size_t b = 0; b < model->nb && force->elements; b++) sum += take_body(t, x->f, b);
  for (size_t k = 0; k < force->npoints; k++) sum += take_body(t, x->f, force->points[k].body);
  return force->elements || force->npoints ? sum : take_body(t, x->f, force->body);
}

static double of_forces(const MbTangentSignals *signals, MbSim *sim, const MbTangent *t, const Felt *felt,
                        double little) {
  double *const value = &sim->signal[felt->signal], keep = *value, sum = 0;
  MbMaximal x = sim->x;
  x.f = signals->wrench, x.K = x.D = NULL;
  x.branch = sim->model, x.branch_E = sim->x.E; // the branch taken
  for (int s = -1; s <= 1; s += 2) {
    *value = keep + s * little;
    for (size_t k = 0; k < felt->nforces; k++)
      sum += s * of_force(sim->model, &sim->model->forces[felt->force[k]], &x, t);
  }
  *value = keep;
  return sum / (2 * little);
}

void mb_tangent_signals_gather(MbTangentSignals *signals, MbSim *sim, const MbTangent *t, const double *v,
                               double time, const double *z) {
  const bool forced = !t->still, tied = t->rows && t->linearised;
  if (!signals->n) return;
  if (tied) mb_rows_signals(sim, t->rows->t);
  for (size_t i = 0; i < signals->n; i++) {
    Felt *felt = &signals->felt[i];
    double by[3] = {0}, of_rows[3] = {0};
    if (forced && (felt->ndrives || felt->nforces)) {
      const double little = look_at(felt, time, false);
      by[0] = -of_drives(sim, felt, v, z);
      if (felt->nforces && little > 0) by[0] -= of_forces(signals, sim, t, felt, little);
      take(signals, felt, time, 1, by);
    }
    if (!tied || !felt->nties) continue;
    const double little = look_at(felt, t->rows->t, true);
    for (size_t k = 0; k < felt->nties; k++)
      mb_rows_of_signal(sim, t, felt->tie[k], felt->signal, little, z, of_rows);
    take(signals, felt, t->rows->t, 1, of_rows);
  }
}

void mb_tangent_signals_give(MbTangentSignals *signals, size_t signal, double t, double by) {
  Felt *felt = felt_of(signals, signal);
  if (!felt) return;
  look_at(felt, t, false);
  take(signals, felt, t, 1, (double[3]){by, 0, 0});
}

void mb_tangent_signals_gather_gaps(MbTangentSignals *signals, MbSim *sim, const MbTangent *t, double time,
                                    double share) {
  if (!signals->n) return;
  mb_rows_signals(sim, time);
  for (size_t i = 0; i < signals->n; i++) {
    Felt *felt = &signals->felt[i];
    double by[3] = {0};
    if (!felt->nties) continue;
    const double little = look_at(felt, time, true);
    for (size_t k = 0; k < felt->nties; k++)
      mb_rows_gaps_of_signal(sim, t, felt->tie[k], felt->signal, little, by);
    take(signals, felt, time, share, by);
  }
}

// ---- in the end -----------------------------------------------------------------------------------------------------

static double of_values(const Felt *felt, const MbSignal *less, const MbSignal *more) {
  if (less->kind == MB_SIGNAL_CONSTANT) return felt->value[0] * (more->value - less->value);
  double sum = 0;
  for (size_t k = 0; k < less->count; k++) sum += felt->value[k] * (more->values[k] - less->values[k]);
  for (size_t k = 0; k < less->count && less->curvature; k++)
    sum += felt->curvature[k] * (more->curvature[k] - less->curvature[k]);
  return sum;
}

double mb_tangent_signals_gathered(const MbTangentSignals *signals, const MbTangentNumber *n) {
  double sum = 0;
  for (size_t k = 0; k < n->nsignals; k++) {
    const size_t i = n->signal[k];
    const MbSignal *less = &n->side[0]->model->signals[i], *more = &n->side[1]->model->signals[i];
    const Felt *felt = felt_of(signals, i);
    if (values_differ(&signals->model->signals[i], less, more)) sum += of_values(felt, less, more);
    for (const Apart *apart = felt->apart; apart; apart = apart->next)
      if (apart->of == n) sum += apart->sum;
  }
  return sum;
}
