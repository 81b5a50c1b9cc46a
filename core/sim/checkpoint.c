// The state as bytes, little endian: fingerprint, sizes, step, t, q, v, memory, inputs. Those that were written before there were
// inputs end before them: none was given.
#include "core/base/report.h"
#include "core/sim/evaluate.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "checkpoints are written as they lie in memory");

typedef struct Header {
  uint64_t fingerprint, nq, nv, nm;
  int64_t step;
  double t;
} Header;

static size_t size_without_inputs(const MbSim *sim) {
  return sizeof(Header) + (sim->nq + sim->nv + sim->nm) * sizeof(double);
}

size_t mb_sim_checkpoint_size(const MbSim *sim) {
  return size_without_inputs(sim) + sim->model->nsignals * sizeof(double);
}

void mb_sim_checkpoint(const MbSim *sim, void *bytes) {
  const MbState *state = &sim->state;
  const Header header = {sim->model->fingerprint, sim->nq, sim->nv, sim->nm, state->step, state->t};
  unsigned char *p = bytes;
  memcpy(p, &header, sizeof header);
  p += sizeof header;
  memcpy(p, state->q, sim->nq * sizeof *state->q);
  p += sim->nq * sizeof *state->q;
  memcpy(p, state->v, sim->nv * sizeof *state->v);
  p += sim->nv * sizeof *state->v;
  memcpy(p, state->memory, sim->nm * sizeof *state->memory);
  p += sim->nm * sizeof *state->memory;
  memcpy(p, sim->input, sim->model->nsignals * sizeof *sim->input);
}

MbStatus mb_sim_restore(MbSim *sim, const void *bytes, size_t size, MbReport *report) {
  Header header;
  const bool inputs = size == mb_sim_checkpoint_size(sim);
  if (!inputs && size != size_without_inputs(sim))
    return mb_error(report, MB_USAGE, "",
                    "the checkpoint has %zu bytes, this model's have %zu: another scene made it", size,
                    mb_sim_checkpoint_size(sim));
  memcpy(&header, bytes, sizeof header);
  if (header.fingerprint != sim->model->fingerprint || header.nq != sim->nq || header.nv != sim->nv ||
      header.nm != sim->nm || header.step < 0)
    return mb_error(report, MB_USAGE, "",
                    "the checkpoint does not belong to this model: another scene made it");

  MbState *state = &sim->state;
  const unsigned char *p = (const unsigned char *)bytes + sizeof header;
  state->step = header.step;
  state->t = header.t;
  memcpy(state->q, p, sim->nq * sizeof *state->q);
  p += sim->nq * sizeof *state->q;
  memcpy(state->v, p, sim->nv * sizeof *state->v);
  p += sim->nv * sizeof *state->v;
  memcpy(state->memory, p, sim->nm * sizeof *state->memory);
  p += sim->nm * sizeof *state->memory;
  for (size_t i = 0; i < sim->model->nsignals; i++) sim->input[i] = NAN;
  if (inputs) memcpy(sim->input, p, sim->model->nsignals * sizeof *sim->input);
  mb_sim_kinematics(sim, state->q, state->v);
  return MB_OK;
}
