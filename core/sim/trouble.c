// Whose fault it is that numbers failed: a signal or a force that is not finite is told by its name, before the body
// that it spoilt or the matrix that it went into; bodies that have left all bounds; matrices that are singular, with the body
// to blame; and the numbers that a frame would show.
#include "core/sim/channels.h"
#include "core/sim/trouble.h"
#include "core/base/report.h"
#include "core/model/coordinate_map.h"
#include "core/model/joint_gap.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void note(MbSim *sim, double t, const char *format, ...) MB_PRINTF(3, 4);

static void note(MbSim *sim, double t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(sim->trouble, sizeof sim->trouble, format, args);
  va_end(args);
  sim->trouble_time = t;
}

// target of the motor of "elbow"
static void name_drive(const MbModel *model, size_t index, char *out, size_t size) {
  for (size_t i = 0; i < model->ndrives; i++) {
    const MbDrive *drive = &model->drives[i];
    if (drive->target != index && drive->target_velocity != index && drive->force != index) continue;
    snprintf(out, size, "%s of \"%.80s\"",
             drive->target == index            ? "target of the motor"
             : drive->target_velocity == index ? "target velocity of the motor"
                                               : "force in the joint",
             model->body_name[drive->body]);
  }
}

// force y of the wrench "gust" on body "ball"; activation of the muscle "biceps"
static void name_signal(const MbModel *model, size_t index, char *out, size_t size) {
  snprintf(out, size, "a signal");
  name_drive(model, index, out, size);
  for (size_t i = 0; i < model->nforces; i++) {
    const MbForce *force = &model->forces[i];
    const bool on_body = !force->ops->everywhere && !force->ops->least && !force->elements;
    const char *const kind = force->ops->name, *const body = on_body ? model->body_name[force->body] : "";
    if (force->ops->muscle && force->signal[0] == index)
      snprintf(out, size, "activation of the %s \"%.80s\"", kind, force->name);
    for (size_t k = 0; k < 6 && on_body; k++)
      if (force->signal[k] == index)
        snprintf(out, size, "%s %c of the %s \"%.80s\" on body \"%.80s\"", k < 3 ? "torque" : "force",
                 'x' + (int)k % 3, kind, force->name, body);
  }
}

void mb_sim_watch_signals(MbSim *sim, double t) {
  const MbModel *model = sim->model;
  for (size_t k = 0; k < sim->nvarying && !sim->trouble[0]; k++) {
    const size_t i = sim->varying[k];
    if (isfinite(sim->signal[i])) continue;
    char name[240];
    name_signal(model, i, name, sizeof name);
    const char *text = model->signals[i].text;
    note(sim, t, "%s is %g%s%.200s%s", name, mb_plain(sim->signal[i]), text ? ": \"=" : "", text ? text : "",
         text ? "\"" : "");
  }
}

// Whether one of the numbers, three at a time, is not finite: 0 times such a number is no 0.
static bool spoilt(const double *x, size_t n) {
  double a = 0, b = 0, c = 0;
  for (size_t i = 0; i + 2 < n; i += 3) a += 0 * x[i], b += 0 * x[i + 1], c += 0 * x[i + 2];
  return isnan(a + b + c);
}

// The first body with a wrench that is not finite although its motion is; nb where there is none.
static size_t find_body(const MbMaximal *x, size_t nb) {
  for (size_t b = 0; b < nb; b++)
    if (spoilt(x->f + 6 * b, 6) && !spoilt(x->phi + 6 * b, 6) && !spoilt(x->E[b].p, 3)) return b;
  return nb;
}

// Evaluates the forces one by one on what is scratch by now, and leaves this body's wrench as bad as it was.
static void find_force(MbSim *sim, size_t b, double t) {
  const MbModel *model = sim->model;
  MbMaximal *x = &sim->x;
  double *const K = x->K, *const D = x->D;
  x->K = x->D = NULL;
  for (size_t i = 0; i < model->nforces && !sim->trouble[0]; i++) {
    memset(x->f, 0, 6 * model->nb * sizeof *x->f);
    model->forces[i].ops->eval(model, &model->forces[i], x, 0, model->nb);
    const MbForce *force = &model->forces[i];
    if (spoilt(x->f + 6 * b, 6))
      note(sim, t, "the %s \"%.80s\" on %s \"%.80s\" is not finite", force->ops->name, force->name,
           mb_model_kind(model, b), model->body_name[b]);
  }
  x->K = K, x->D = D;
  memset(x->f, 0, 6 * model->nb * sizeof *x->f);
  for (size_t i = 6 * b; i < 6 * b + 6; i++) x->f[i] = NAN;
}

void mb_sim_watch_forces(MbSim *sim, double t) {
  const size_t nb = sim->model->nb;
  if (sim->trouble[0] || !spoilt(sim->x.f, 6 * nb)) return;
  const size_t b = find_body(&sim->x, nb);
  if (b < nb) find_force(sim, b, t);
}

// ---- bodies and matrices ----------------------------------------------------------------------------------

MbStatus mb_sim_trouble(const MbSim *sim, MbReport *report) {
  if (!sim->trouble[0]) return MB_OK;
  return mb_error(report, MB_NUMBERS, "", "at t = %.9g s, step %lld: %s", sim->trouble_time,
                  (long long)sim->state.step + 1, sim->trouble);
}

static const double FASTEST = 1e12, FARTHEST = 1e15; // no scene in any unit means more than this

// Comparisons with NaN are false. A quaternion's numbers are bounded if they are finite.
static bool is_sound(const double phi[6], const MbPose *E) {
  int ok = fabs(E->q[0]) <= 1e3;
  for (int i = 0; i < 6; i++) ok &= fabs(phi[i]) < FASTEST;
  for (int i = 0; i < 3; i++) ok &= fabs(E->p[i]) < FARTHEST;
  return ok;
}

// Without overflow on the way.
static double length(const double v[3]) { return mb_plain(hypot(hypot(v[0], v[1]), v[2])); }

MbStatus mb_sim_check(const MbSim *sim, double t, int64_t step, MbReport *report) {
  for (size_t b = 0; b < sim->model->nb; b++) {
    const double *phi = sim->x.phi + 6 * b, *p = sim->x.E[b].p;
    if (is_sound(phi, &sim->x.E[b])) continue;
    const MbStatus cause = mb_sim_trouble(sim, report);
    if (cause != MB_OK) return cause;
    bool finite = isfinite(sim->x.E[b].q[0]) != 0;
    for (int i = 0; i < 6; i++) finite &= isfinite(phi[i]) != 0;
    for (int i = 0; i < 3; i++) finite &= isfinite(p[i]) != 0;
    const char *grown = step ? "has grown beyond all bounds" : "starts beyond all bounds";
    char where[64] = "";
    size_t listed = 0;
    if (!step && mb_names_find(&sim->model->names, sim->model->body_name[b], &listed))
      snprintf(where, sizeof where, "/bodies/%zu", listed);
    return mb_error(report, MB_NUMBERS, where,
                    "at t = %.9g s, step %lld: %s \"%s\" %s (speed %.3g m/s, spin %.3g rad/s)", t,
                    (long long)step, mb_model_kind(sim->model, b), sim->model->body_name[b],
                    finite ? grown : "has numbers that are not finite", length(phi + 3), length(phi));
  }
  return MB_OK;
}

// Whether coordinates of the body's joint move it in the same way where it stands: these have no mass of their own.
static bool moves_alike(const MbSim *sim, size_t b) {
  const MbModel *model = sim->model;
  if (sim->solver->map->layout != &mb_own_layout || !model->joint[b].ops) return false;
  return !mb_joint_moves_apart(&model->joint[b], sim->state.q + model->q_first[b]);
}

MbStatus mb_sim_singular(const MbSim *sim, size_t blame, MbReport *report) {
  const MbStatus cause = mb_sim_trouble(sim, report);
  if (cause != MB_OK) return cause;
  const char *holder = sim->solver->claims->holder(sim->work, blame);
  if (holder)
    return mb_error(report, MB_NUMBERS, "",
                    "at t = %.9g s, step %lld: constraint \"%s\" cannot hold body \"%s\": it is at a "
                    "singular position, or "
                    "two of its rows are the same",
                    sim->state.t, (long long)sim->state.step + 1, holder, sim->model->body_name[blame]);
  const char *advice = moves_alike(sim, blame)
                           ? "some coordinates of its joint move it in the same way there: go round that "
                             "position where it is a locked gimbal, else take a joint without those that "
                             "are too many, or give their joint \"inertia\""
                           : "take a smaller step";
  return mb_error(report, MB_NUMBERS, "",
                  "at t = %.9g s, step %lld: the step's matrix is singular because of %s \"%s\": %s",
                  sim->state.t, (long long)sim->state.step + 1, mb_model_kind(sim->model, blame),
                  sim->model->body_name[blame], advice);
}

MbStatus mb_sim_unsolved(const MbSim *sim, MbReport *report) {
  const MbStatus cause = mb_sim_trouble(sim, report);
  if (cause != MB_OK) return cause;
  return mb_error(
      report, MB_NUMBERS, "",
      "at t = %.9g s, step %lld: the step's equations, which forces between bodies couple, cannot be "
      "solved to 1e-12: take a smaller step",
      sim->state.t, (long long)sim->state.step + 1);
}

// ---- frames -----------------------------------------------------------------------------------------------

// velocity of "ball" (vx); energy (kinetic)
static void name_number(const MbChannel *channel, size_t i, char *out, size_t size) {
  const char *item = channel->items_names ? channel->items_names[i / channel->width] : NULL;
  const char *component = channel->component_names ? channel->component_names[i % channel->width] : NULL;
  int n = snprintf(out, size, "%.100s", channel->name);
  if (item)
    n += snprintf(out + n, size - (size_t)n, " of \"%.100s\"", item);
  else if (channel->items > 1)
    n += snprintf(out + n, size - (size_t)n, " %zu", i / channel->width);
  if (component) snprintf(out + n, size - (size_t)n, " (%.20s)", component);
}

static MbStatus not_finite(const MbSim *sim, const char *name, double x, MbReport *report) {
  return mb_error(report, MB_NUMBERS, "",
                  "at t = %.9g s, step %lld: %s is %g, and no frame is written of that", sim->state.t,
                  (long long)sim->state.step, name, mb_plain(x));
}

// constraint.active of entry 2 (force)
static MbStatus check_list(const MbSim *sim, const MbChannel *channel, MbReport *report) {
  size_t count = 0;
  const double *x = mb_sim_list(sim, channel, &count);
  for (size_t i = 0; i < count * channel->list->width; i++) {
    char name[300];
    if (isfinite(x[i])) continue;
    snprintf(name, sizeof name, "%.100s of entry %zu (%.100s)", channel->name, i / channel->list->width,
             channel->list->fields[i % channel->list->width].name);
    return not_finite(sim, name, x[i], report);
  }
  return MB_OK;
}

MbStatus mb_sim_check_channel(const MbSim *sim, size_t c, const double *x, MbReport *report) {
  const MbChannel *channel = &sim->channels[c];
  for (size_t i = 0; i < mb_channel_size(channel); i++) {
    char name[300];
    if (isfinite(x[i])) continue;
    name_number(channel, i, name, sizeof name);
    return not_finite(sim, name, x[i], report);
  }
  return channel->list ? check_list(sim, channel, report) : MB_OK;
}

MbStatus mb_sim_check_frame(const MbSim *sim, const double *frame, MbReport *report) {
  MbStatus status = MB_OK;
  for (size_t c = 0; c < sim->nchannels && status == MB_OK; c++)
    status = mb_sim_check_channel(sim, c, frame + sim->channels[c].offset, report);
  return status;
}
