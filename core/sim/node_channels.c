// What is told of the deformables' nodes: how a step was solved, what they measure, their part of energy and momentum.
#include "core/deformables/fibres.h"
#include "core/math/vec3.h"
#include "core/sim/nodes.h"

#include <string.h>

void mb_nodes_solution(const MbSim *sim, double solution[4], double *seconds) {
  const MbNodes *nodes = sim->nodes;
  memset(solution, 0, 4 * sizeof *solution);
  *seconds = 0;
  if (!nodes) return;
  const double *numbers = mb_section(sim, MB_SECTION_SOLUTION);
  solution[0] = numbers[MB_NODES_ITERATIONS], solution[1] = numbers[MB_NODES_RESIDUAL],
  solution[2] = numbers[MB_NODES_LEFT];
  solution[3] = numbers[MB_NODES_MISSED];
  *seconds = nodes->stats.seconds;
}

int64_t mb_sim_steps_missed(const MbSim *sim) {
  return sim->nodes ? (int64_t)mb_section(sim, MB_SECTION_SOLUTION)[MB_NODES_MISSED] : 0;
}

bool mb_sim_solution_told(const MbSim *sim) {
  return sim->nodes && mb_section(sim, MB_SECTION_SOLUTION)[MB_NODES_TOLD] != 0;
}

double mb_sim_solution_left(const MbSim *sim) {
  return sim->nodes ? mb_section(sim, MB_SECTION_SOLUTION)[MB_NODES_MOST_LEFT] : NAN;
}

void mb_nodes_history(const MbSim *sim, double *out) {
  if (!sim->nodes) return;
  memcpy(out, mb_section(sim, MB_SECTION_SOLUTION) + MB_NODES_NUMBERS,
         mb_nodes_history_size(sim) * sizeof *out);
}

void mb_nodes_measure(const MbSim *sim, const MbDeformable *of, double *volume, double *strain) {
  sim->solver->passes->measure(sim->work, (size_t)(of - sim->model->deformables), mb_nodes_places(sim),
                               volume, strain);
}

// The energy of pressure in chambers, beside that at the start, and of fibres.
static double loaded(const MbSim *sim, const MbDeformable *of, const double *q) {
  const MbElements *e = of->elements;
  const MbSpots places = {q + 3 * of->first, 3};
  double sum = 0, y[3];
  for (size_t k = 0; e->surface && k < e->surface->nchambers; k++)
    sum += mb_chamber_energy(e->surface, k, mb_nodes_pressure(sim, of, sim->state.t),
                             mb_chamber_volume(e->surface, k, places), NULL, NULL);
  for (size_t m = 0; m < e->nfibres; m++) {
    const double activation = mb_nodes_activation(sim, &e->fibres[m], sim->state.t);
    for (size_t k = 0; k < mb_fibre_points(e); k++) {
      mb_fibre_along(e->fibres[m].weight + e->corners * k, e->corners, places, mb_fibre_nodes(e, k), y);
      sum += e->fibre_volume[k] * mb_fibre_energy(&e->fibres[m], activation, mb_vec3_norm(y), NULL, NULL);
    }
  }
  return sum;
}

void mb_nodes_energy_of(const MbSim *sim, const double *q, const double *v, MbEnergy *e) {
  for (size_t i = 0; i < sim->model->ndeformables; i++) {
    const MbDeformable *of = &sim->model->deformables[i];
    for (size_t k = 0; k < of->count; k++) {
      const double m = of->elements->mass[k], *x = q + 3 * (of->first + k), *u = v + 3 * (of->first + k);
      e->kinetic += m * mb_vec3_dot(u, u) / 2;
      e->gravity -= m * mb_vec3_dot(sim->model->gravity, x);
    }
    e->elastic += loaded(sim, of, q);
  }
  e->elastic += sim->solver->passes->energy(sim->work, q);
  e->total = e->kinetic + e->gravity + e->elastic;
}

void mb_nodes_energy(const MbSim *sim, MbEnergy *e) {
  if (sim->nodes) mb_nodes_energy_of(sim, mb_nodes_places(sim), mb_nodes_velocities(sim), e);
}

void mb_nodes_momentum(const MbSim *sim, double linear[3], double angular[3]) {
  if (!sim->nodes) return;
  const double *q = mb_nodes_places(sim), *v = mb_nodes_velocities(sim);
  for (size_t i = 0; i < sim->model->ndeformables; i++) {
    const MbDeformable *of = &sim->model->deformables[i];
    for (size_t k = 0; k < of->count; k++) {
      double p[3], arm[3];
      mb_vec3_scale(p, of->elements->mass[k], v + 3 * (of->first + k));
      mb_vec3_cross(arm, q + 3 * (of->first + k), p);
      mb_vec3_add(linear, linear, p);
      mb_vec3_add(angular, angular, arm);
    }
  }
}
