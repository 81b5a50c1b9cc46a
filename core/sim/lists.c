#include "core/sim/lists.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

static const MbSimList none;

// Lists grow by half, so that a run that holds ever more allocates ever more seldom.
static bool reserve(MbSimList *list, size_t width, size_t count) {
  if (count <= list->room) return true;
  const size_t room = count + count / 2;
  double *grown = mb_realloc(list->entries, room * width, sizeof *grown);
  if (!grown) return false;
  list->entries = grown;
  list->room = room;
  return true;
}

MbStatus mb_sim_list_make(MbSim *sim, size_t i, double *count, MbReport *report) {
  MbSimList *list = &sim->lists[i];
  const size_t n = list->lister->count(sim);
  list->count = 0;
  if (!reserve(list, sim->channels[i].list->width, n))
    return mb_no_memory(report, "the entries of a channel");
  if (n) list->lister->fill(sim, list->entries);
  list->count = n;
  *count = (double)n;
  return MB_OK;
}

const double *mb_sim_list(const MbSim *sim, const MbChannel *channel, size_t *count) {
  const MbSimList *list = channel->list ? &sim->lists[channel - sim->channels] : &none;
  *count = list->count;
  return list->entries;
}

void mb_sim_lists_free(MbSim *sim) {
  for (size_t i = 0; sim->lists && i < sim->nchannels; i++) mb_free(sim->lists[i].entries);
}

size_t mb_sim_lists_bytes(const MbSim *sim) {
  size_t bytes = 0;
  for (size_t i = 0; i < sim->nchannels; i++)
    if (sim->channels[i].list) bytes += sim->lists[i].room * sim->channels[i].list->width * sizeof(double);
  return bytes;
}
