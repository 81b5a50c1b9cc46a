#include "core/sim/ports.h"
#include "core/math/vec3.h"
#include "core/sim/layout.h"

// Where velocities of a port are among all.
static double *port_of(const MbSim *sim, double *y, size_t p) {
  return y + sim->solver->map->layout->node(sim->model, mb_model_own(sim->model) + p);
}

void mb_ports_give(const MbSim *sim, double *y, double *nodes) {
  for (size_t p = 0; p < sim->model->nports; p++) {
    double *from = port_of(sim, y, p), *to = nodes + 3 * mb_model_port(sim->model, p);
    mb_vec3_add(to, to, from);
    mb_vec3_set(from, 0, 0, 0);
  }
}

void mb_ports_take(const MbSim *sim, double *y, const double *nodes) {
  for (size_t p = 0; p < sim->model->nports; p++)
    mb_vec3_copy(port_of(sim, y, p), nodes + 3 * mb_model_port(sim->model, p));
}
