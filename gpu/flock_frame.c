// What is looked at of a flock: who goes on, frames, and whether energies leave their bounds.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/accounting.h"
#include "core/sim/body_frame.h"
#include "core/sim/energy_watch.h"
#include "gpu/flock_internal.h"

#include <math.h>
#include <string.h>

// ---- what is wanted -----------------------------------------------------------------------------------------

static void want_rows(MbFlock *f, const double *there, double *here, size_t first, size_t count) {
  const size_t skip = first * f->stride;
  MbRows *last = f->nrows ? &f->rows[f->nrows - 1] : NULL;
  if (!count) return;
  if (last && last->from + last->count * f->stride == there + skip &&
      last->to + last->count * f->stride == here + skip)
    last->count += count;
  else
    f->rows[f->nrows++] = (MbRows){there + skip, here + skip, count};
}

// Rows of joints' coordinates or velocities, in the order in which frames tell them.
static void want_joints(MbFlock *f, const bool *reads, const size_t *first, const double *there,
                        double *here) {
  const MbModel *like = f->like->model;
  size_t number = 0;
  for (size_t b = 0; b < like->nlisted; b++)
    for (size_t i = 0; like->joint[b].ops && i < like->joint[b].n; i++)
      if (reads[number++]) want_rows(f, there, here, first[b] + i, 1);
}

static void note_bodies(MbFlock *f, const MbChannel *channel, const bool *reads) {
  const MbModel *like = f->like->model;
  const size_t width = channel->width;
  if (!strcmp(channel->name, "momentum")) {
    for (size_t b = 0; b < f->size.nb; b++) f->body[b] = true;
    return;
  }
  for (size_t i = 0; i < like->nlisted; i++)
    for (size_t k = 0; k < width; k++) f->body[like->number[i]] |= reads[width * i + k];
}

static void want_channel(MbFlock *f, size_t c, const bool *reads) {
  const MbChannel *channel = &f->channels[c];
  const MbModel *like = f->like->model;
  const bool energy = !strcmp(channel->name, "energy");
  f->wanted[c] = energy;
  for (size_t i = 0; i < channel->items * channel->width; i++) f->wanted[c] |= reads[i];
  if (!f->wanted[c] || energy) return;
  if (!strcmp(channel->name, "joint.position"))
    want_joints(f, reads, like->q_first, f->there.q, f->here.q);
  else if (!strcmp(channel->name, "joint.velocity"))
    want_joints(f, reads, like->v_first, f->there.v, f->here.v);
  else
    note_bodies(f, channel, reads);
}

MbStatus mb_flock_want(MbFlock *f, const bool *reads, MbReport *report) {
  (void)report;
  f->nrows = 0;
  memset(f->body, 0, f->size.nb * sizeof *f->body);
  for (size_t c = 0; c < f->nchannels; c++) want_channel(f, c, reads + f->channels[c].offset);
  f->bodies = false;
  for (size_t b = 0; b < f->size.nb; b++) f->bodies |= f->body[b];
  for (size_t b = 0; b < f->size.nb; b++)
    if (f->body[b]) want_rows(f, f->there.E, f->here.E, 7 * b, 7);
  for (size_t b = 0; b < f->size.nb; b++)
    if (f->body[b]) want_rows(f, f->there.phi, f->here.phi, 6 * b, 6);
  want_rows(f, f->there.energy, f->here.energy, 0, 4);
  return MB_OK;
}

// ---- a look -------------------------------------------------------------------------------------------------

static void get_rows(MbFlock *f, const double *from, double *to, size_t count) {
  f->on->get(f->gpu, to, from, count * f->stride * sizeof *to);
}

MbStatus mb_flock_look(MbFlock *f, MbReport *report) {
  f->on->run(f->gpu, MB_RUN_mb_tree_look, f->count, &f->there);
  f->on->get(f->gpu, f->here.left, f->there.left, f->count * sizeof *f->here.left);
  for (size_t i = 0; i < f->nrows; i++) get_rows(f, f->rows[i].from, f->rows[i].to, f->rows[i].count);
  return mb_flock_fault(f, report);
}

static double number(const MbFlock *f, const double *rows, size_t i, size_t k) {
  return rows[i * f->stride + k];
}

// Bodies that some channel tells of, into the scene's own simulation.
static void spread(const MbFlock *f, size_t k, bool all) {
  const MbMaximal *x = &f->lane[k]->sim->x;
  for (size_t b = 0; b < f->size.nb; b++) {
    if (!all && !f->body[b]) continue;
    double E[7];
    for (size_t i = 0; i < 7; i++) E[i] = number(f, f->here.E, 7 * b + i, k);
    mb_vec3_copy(x->E[b].p, E);
    memcpy(x->E[b].q, E + 3, sizeof x->E[b].q);
    for (size_t i = 0; i < 6; i++) x->phi[6 * b + i] = number(f, f->here.phi, 6 * b + i, k);
  }
}

static void joints_of(const MbFlock *f, size_t k, const double *rows, const size_t *first, double *out) {
  const MbModel *like = f->like->model;
  for (size_t b = 0; b < like->nlisted; b++)
    for (size_t i = 0; like->joint[b].ops && i < like->joint[b].n; i++)
      *out++ = number(f, rows, first[b] + i, k);
}

// body.position, body.rotation, body.velocity of bodies that are told of
static void bodies_of(const MbFlock *f, size_t k, const char *name, double *out) {
  const MbModel *model = f->lane[k]->model;
  const MbMaximal *x = &f->lane[k]->sim->x;
  for (size_t i = 0; i < model->nlisted; i++) {
    const size_t b = model->number[i];
    MbPose B;
    if (!f->body[b]) continue;
    if (!strcmp(name, "body.velocity")) {
      mb_body_velocity(model, x, b, out + 6 * i);
      continue;
    }
    mb_body_frame(model, x, b, &B);
    if (!strcmp(name, "body.position"))
      mb_vec3_copy(out + 3 * i, B.p);
    else
      memcpy(out + 4 * i, B.q, sizeof B.q);
  }
}

static void channel_of(const MbFlock *f, size_t k, const char *name, double *out) {
  const MbModel *like = f->like->model;
  if (!strcmp(name, "joint.position"))
    joints_of(f, k, f->here.q, like->q_first, out);
  else if (!strcmp(name, "joint.velocity"))
    joints_of(f, k, f->here.v, like->v_first, out);
  else if (!strcmp(name, "momentum"))
    mb_momentum(f->lane[k]->model, &f->lane[k]->sim->x, out, out + 3);
  else if (!strcmp(name, "energy"))
    for (size_t i = 0; i < 4; i++) out[i] = number(f, f->here.energy, i, k);
  else
    bodies_of(f, k, name, out);
}

bool mb_flock_frame(MbFlock *f, size_t k, double *frame) {
  if (!mb_flock_goes(f, k)) return false;
  if (f->bodies) spread(f, k, false);
  for (size_t c = 0; c < f->nchannels; c++)
    if (f->wanted[c]) channel_of(f, k, f->channels[c].name, frame + f->channels[c].offset);
  for (size_t i = 0; i < 4; i++)
    if (!isfinite(number(f, f->here.energy, i, k))) f->gone[k] = true;
  return !f->gone[k];
}

// ---- energies -----------------------------------------------------------------------------------------------

bool mb_flock_watches(const MbFlock *f) {
  bool any = false;
  for (size_t k = 0; k < f->count && !any; k++) any = mb_flock_goes(f, k) && mb_watch_looks(f->lane[k]->sim);
  return any;
}

static MbStatus watch_one(MbFlock *f, size_t k, bool *bodies, MbReport *report) {
  MbSim *sim = f->lane[k]->sim;
  const MbEnergy now = {number(f, f->here.energy, 0, k), number(f, f->here.energy, 1, k),
                        number(f, f->here.energy, 2, k), number(f, f->here.energy, 3, k)};
  if (!mb_flock_goes(f, k) || !mb_watch_nears(sim, &now)) return MB_OK;
  if (!*bodies) {
    get_rows(f, f->there.E, f->here.E, 7 * f->size.nb);
    get_rows(f, f->there.phi, f->here.phi, 6 * f->size.nb);
    *bodies = true;
  }
  spread(f, k, true);
  if (!f->said[k] && !(f->said[k] = mb_calloc(1, sizeof *f->said[k]))) return mb_no_memory(report, "a flock");
  sim->state.step = f->step;
  sim->state.t = (double)f->step * sim->model->h;
  mb_watch_energy(sim, &now, f->said[k]);
  return MB_OK;
}

MbStatus mb_flock_watch(MbFlock *f, MbReport *report) {
  bool bodies = false;
  f->on->run(f->gpu, MB_RUN_mb_tree_look, f->count, &f->there);
  f->on->get(f->gpu, f->here.left, f->there.left, f->count * sizeof *f->here.left);
  get_rows(f, f->there.energy, f->here.energy, 4);
  MbStatus status = mb_flock_fault(f, report);
  for (size_t k = 0; k < f->count && !status; k++) status = watch_one(f, k, &bodies, report);
  return status ? status : mb_flock_fault(f, report);
}
