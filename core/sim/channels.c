// The channels that a frame can hold: one table; a new one is one row and its sampler.
#include "core/base/report.h"
#include "core/math/spatial.h"
#include "core/sim/channels.h"
#include "core/sim/sim_internal.h"

#include <string.h>

struct MbSampler {
  const char *name, *unit;
  MbQuantity quantity;
  bool rotation, per_body, standard; // standard: in a frame when the scene says nothing
  size_t width;
  const char *const *components;
  void (*sample)(const MbSim *sim, double *out);
};

// B in W from C in W:  E_WB = E_WC C⁻¹
static void body_frame(const MbSim *sim, size_t b, MbPose *B) {
  MbPose inverse;
  mb_pose_inverse(&inverse, &sim->model->C[b]);
  mb_pose_mul(B, &sim->x.E[b], &inverse);
}

static void sample_position(const MbSim *sim, double *out) {
  MbPose B;
  for (size_t i = 0; i < sim->model->nb; i++) {
    body_frame(sim, sim->model->number[i], &B);
    mb_vec3_copy(out + 3 * i, B.p);
  }
}

static void sample_rotation(const MbSim *sim, double *out) {
  MbPose B;
  for (size_t i = 0; i < sim->model->nb; i++) {
    body_frame(sim, sim->model->number[i], &B);
    mb_quat_normalise(B.q);
    memcpy(out + 4 * i, B.q, sizeof B.q);
  }
}

// ω_W = R ω, and of B's origin v_W = R (v + ω × o), with o the origin of B in C
static void sample_velocity(const MbSim *sim, double *out) {
  for (size_t i = 0; i < sim->model->nb; i++) {
    const size_t b = sim->model->number[i];
    const double *phi = sim->x.phi + 6 * b;
    MbPose inverse;
    double turn[3];
    mb_pose_inverse(&inverse, &sim->model->C[b]);
    mb_vec3_cross(turn, phi, inverse.p);
    mb_vec3_add(turn, turn, phi + 3);
    mb_quat_rotate(out + 6 * i, sim->x.E[b].q, phi);
    mb_quat_rotate(out + 6 * i + 3, sim->x.E[b].q, turn);
  }
}

static void sample_energy(const MbSim *sim, double *out) {
  const MbEnergy e = mb_energy(sim->model, &sim->x, sim->state.q);
  out[0] = e.kinetic, out[1] = e.gravity, out[2] = e.elastic, out[3] = e.total;
}

static void sample_momentum(const MbSim *sim, double *out) { mb_momentum(sim->model, &sim->x, out, out + 3); }

static const char *const xyz[] = {"x", "y", "z"}, *const wxyz[] = {"w", "x", "y", "z"};
static const char *const twist[] = {"wx", "wy", "wz", "vx", "vy", "vz"};
static const char *const energies[] = {"kinetic", "gravity", "elastic", "total"};
static const char *const momenta[] = {"lx", "ly", "lz", "ax", "ay", "az"};

static const MbSampler table[] = {
    // clang-format off
    {"body.position", "m",        MB_POSE,     false, true,  true,  3, xyz,      sample_position},
    {"body.rotation", "",         MB_POSE,     true,  true,  true,  4, wxyz,     sample_rotation},
    {"body.velocity", "rad/s, m/s", MB_VELOCITY, false, true,  false, 6, twist,    sample_velocity},
    {"energy",        "J",        MB_ENERGY,   false, false, true,  4, energies, sample_energy},
    {"momentum",      "kg m/s, kg m²/s", MB_OTHER, false, false, false, 6, momenta, sample_momentum},
    // clang-format on
};
enum { CHANNELS = sizeof table / sizeof *table };

const char *mb_channel_word(size_t i) { return i < CHANNELS ? table[i].name : NULL; }

static const MbSampler *find(const char *name) {
  for (size_t i = 0; i < CHANNELS; i++)
    if (!strcmp(table[i].name, name)) return &table[i];
  return NULL;
}

MbStatus mb_channels_build(MbSim *sim, MbReport *report) {
  const MbModel *model = sim->model;
  sim->channels = mb_arena_alloc(&sim->arena, CHANNELS + model->nchannels, sizeof *sim->channels);
  sim->samplers = mb_arena_alloc(&sim->arena, CHANNELS + model->nchannels, sizeof *sim->samplers);
  if (!sim->channels || !sim->samplers) return mb_no_memory(report, "channels");

  const size_t asked = model->channels ? model->nchannels : CHANNELS;
  for (size_t i = 0; i < asked; i++) {
    const MbSampler *row = model->channels ? find(model->channels[i]) : &table[i];
    if (!row)
      return mb_error(report, MB_SCENE, "/output/channels", "there is no channel \"%s\"", model->channels[i]);
    if (!model->channels && !row->standard) continue;
    const size_t items = row->per_body ? model->nb : 1;
    sim->samplers[sim->nchannels] = row;
    sim->channels[sim->nchannels++] = (MbChannel){.name = row->name,
                                                  .unit = row->unit,
                                                  .quantity = row->quantity,
                                                  .rotation = row->rotation,
                                                  .items = items,
                                                  .width = row->width,
                                                  .offset = sim->frame_size,
                                                  .items_names = row->per_body ? model->listed : NULL,
                                                  .component_names = row->components};
    sim->frame_size += items * row->width;
  }
  return MB_OK;
}

const MbChannel *mb_sim_channels(const MbSim *sim, size_t *count) {
  *count = sim->nchannels;
  return sim->channels;
}

size_t mb_sim_frame_size(const MbSim *sim) { return sim->frame_size; }

void mb_sim_sample(MbSim *sim, double *frame) {
  for (size_t i = 0; i < sim->nchannels; i++) sim->samplers[i]->sample(sim, frame + sim->channels[i].offset);
}
