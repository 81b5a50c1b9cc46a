// What frames of the lanes hold, and the energies' bounds.
#include "core/sim/accounting.h"
#include "core/sim/body_frame.h"
#include "core/sim/energy_watch.h"
#include "core/sim/lockstep_internal.h"

#include <string.h>

enum { L = MB_LOCKSTEP };

// ---- energies -----------------------------------------------------------------------------------------------

// kinetic, gravity, elastic, total of a lane
static MbEnergy energy_of(const MbLockstep *l, size_t k) {
  return (MbEnergy){l->energy[k], l->energy[L + k], l->energy[2 * L + k], l->energy[3 * L + k]};
}

void mb_lockstep_energies(MbLockstep *l) {
  const MbModel *like = l->like;
  bool forces = false;
  l->kernels->energies(l);
  for (size_t i = 0; i < like->nforces; i++) forces |= like->forces[i].ops->energy != NULL;
  if (!forces) return;
  mb_lockstep_spread(l);
  for (size_t k = 0; k < l->count; k++) {
    MbEnergy e = energy_of(l, k);
    const MbModel *model = l->lane[k]->model;
    for (size_t i = 0; i < model->nforces; i++)
      if (model->forces[i].ops->energy)
        e.elastic += model->forces[i].ops->energy(&model->forces[i], &l->lane[k]->sim->x);
    l->energy[2 * L + k] = e.elastic;
    l->energy[3 * L + k] = e.kinetic + e.gravity + e.elastic;
  }
}

// The lanes' simulations tell, where they would.
void mb_lockstep_watch(MbLockstep *l) {
  bool any = false;
  for (size_t k = 0; k < l->count; k++) any |= l->goes >> k & 1 && mb_watch_looks(l->lane[k]->sim);
  if (!any) return;
  mb_lockstep_energies(l);
  mb_lockstep_spread(l);
  for (size_t k = 0; k < l->count; k++) {
    MbSim *sim = l->lane[k]->sim;
    const MbEnergy now = energy_of(l, k);
    if (!(l->goes >> k & 1)) continue;
    sim->state.step = l->step;
    sim->state.t = (double)l->step * sim->model->h;
    mb_watch_energy(sim, &now, &l->said[k]);
  }
}

// ---- frames -------------------------------------------------------------------------------------------------

static void sample_positions(const MbModel *model, const MbMaximal *x, double *out) {
  for (size_t i = 0; i < model->nlisted; i++) {
    MbPose B;
    mb_body_frame(model, x, model->number[i], &B);
    mb_vec3_copy(out + 3 * i, B.p);
  }
}
static void sample_rotations(const MbModel *model, const MbMaximal *x, double *out) {
  for (size_t i = 0; i < model->nlisted; i++) {
    MbPose B;
    mb_body_frame(model, x, model->number[i], &B);
    memcpy(out + 4 * i, B.q, sizeof B.q);
  }
}
static void sample_velocities(const MbModel *model, const MbMaximal *x, double *out) {
  for (size_t i = 0; i < model->nlisted; i++) mb_body_velocity(model, x, model->number[i], out + 6 * i);
}
static void sample_momentum(const MbModel *model, const MbMaximal *x, double *out) {
  mb_momentum(model, x, out, out + 3);
}

// Numbers of the state: coordinates or velocities of the joints in the order of the tree.
static void copy_joints(const MbLockstep *l, const double *from, const size_t *first, size_t lane,
                        double *out) {
  const MbModel *like = l->like;
  for (size_t b = 0; b < like->nlisted; b++)
    for (size_t i = 0; like->joint[b].ops && i < like->joint[b].n; i++)
      *out++ = from[L * (first[b] + i) + lane];
}
static void sample_joint_positions(const MbLockstep *l, size_t lane, double *out) {
  copy_joints(l, l->jq, l->like->q_first, lane, out);
}
static void sample_joint_velocities(const MbLockstep *l, size_t lane, double *out) {
  copy_joints(l, l->jv, l->like->v_first, lane, out);
}
static void sample_energies(const MbLockstep *l, size_t lane, double *out) {
  for (size_t i = 0; i < 4; i++) out[i] = l->energy[L * i + lane];
}

// The channels that lanes have: of a lane's state, or of its bodies.
static const struct {
  const char *name;
  void (*state)(const MbLockstep *l, size_t lane, double *out);
  void (*bodies)(const MbModel *model, const MbMaximal *x, double *out);
} table[] = {
    {"joint.position", sample_joint_positions, NULL},
    {"joint.velocity", sample_joint_velocities, NULL},
    {"energy", sample_energies, NULL},
    {"body.position", NULL, sample_positions},
    {"body.rotation", NULL, sample_rotations},
    {"body.velocity", NULL, sample_velocities},
    {"momentum", NULL, sample_momentum},
};
enum { CHANNELS = sizeof table / sizeof *table };

static size_t row_of(const char *name) {
  size_t i = 0;
  while (i < CHANNELS && strcmp(table[i].name, name) != 0) i++;
  return i;
}

bool mb_lockstep_has_channel(const char *name) { return row_of(name) < CHANNELS; }

void mb_lockstep_sample(MbLockstep *l, double *frames) {
  for (size_t c = 0; c < l->nchannels; c++) {
    const MbChannel *channel = &l->channels[c];
    const size_t row = row_of(channel->name);
    if (!l->wanted[c]) continue;
    if (table[row].bodies) mb_lockstep_spread(l);
    if (!strcmp(channel->name, "energy")) mb_lockstep_energies(l);
    for (size_t k = 0; k < l->count; k++) {
      double *out = frames + l->frame_size * k + channel->offset;
      if (table[row].state)
        table[row].state(l, k, out);
      else
        table[row].bodies(l->lane[k]->model, &l->lane[k]->sim->x, out);
      for (size_t i = 0; i < channel->items * channel->width; i++)
        if (!isfinite(out[i])) l->goes &= ~(1u << k);
    }
  }
}

void mb_lockstep_want(MbLockstep *l, const bool *wanted) {
  for (size_t c = 0; c < l->nchannels; c++)
    l->wanted[c] = wanted[c] || !strcmp(l->channels[c].name, "energy");
}

const MbChannel *mb_lockstep_channels(const MbLockstep *l, size_t *count, size_t *frame_size) {
  *count = l->nchannels, *frame_size = l->frame_size;
  return l->channels;
}
