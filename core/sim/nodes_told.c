#include "core/sim/nodes_told.h"
#include "core/sim/channel_table.h"
#include "core/sim/nodes.h"

#include <string.h>

// Whether forces between points act on nodes.
static bool forced(const MbModel *model) {
  const size_t own = mb_model_own(model);
  bool any = false;
  for (size_t i = 0; i < model->nforces; i++)
    for (size_t k = 0; k < model->forces[i].npoints; k++)
      any |= model->forces[i].points[k].body != MB_WORLD && model->forces[i].points[k].body >= own;
  return any;
}

const char *mb_nodes_no_way_back(const MbSim *sim) {
  const MbModel *model = sim->model;
  if (!sim->nodes || !sim->nodes->plan.to_end || !sim->solver->passes->slopes)
    return "no deformables are moved by steps that are solved to their end";
  if (forced(model) && mb_model_cables(model))
    return "forces between points and cables hold nodes of deformables at once";
  return NULL;
}

MbNodesTold mb_nodes_told(const MbSim *sim, size_t c) {
  static const struct {
    const char *name;
    MbNodesTold told;
  } rows[] = {{"deformable.*.position", MB_TOLD_PLACES},
              {"deformable.*.velocity", MB_TOLD_VELOCITIES},
              {"momentum", MB_TOLD_MOMENTUM},
              {"energy", MB_TOLD_ENERGY},
              {"body.position", MB_TOLD_NOTHING},
              {"body.rotation", MB_TOLD_NOTHING},
              {"body.velocity", MB_TOLD_NOTHING},
              {"joint.position", MB_TOLD_NOTHING},
              {"joint.velocity", MB_TOLD_NOTHING}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(sim->samplers[c]->name, rows[i].name)) return rows[i].told;
  return MB_TOLD_ELSE;
}

MbNodesTold mb_nodes_told_by(const MbSim *sim, size_t column) {
  size_t c = 0;
  while (c + 1 < sim->nchannels && column >= sim->channels[c + 1].offset) c++;
  return mb_nodes_told(sim, c);
}
