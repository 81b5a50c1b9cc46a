// One row of a step of one solution, and what answers to it: of bodies by their solver, of nodes beside them by the matrix of both (ports.h).
#include "core/sim/ports.h"
#include "core/sim/sensitivity_met.h"
#include "core/sim/sensitivity_tied.h"

#include <string.h>

bool mb_slope_tied_row(MbSensitivity *g, size_t slot, double span, double *G, double *Y) {
  MbSim *sim = g->probe;
  const size_t wide = g->tied->wide;
  memset(G, 0, wide * sizeof *G);
  mb_row_spread(&sim->constraining->set, slot, 1, G);
  if (wide > sim->nv) mb_ports_give(sim, G, G + sim->nv);
  memcpy(Y, G, wide * sizeof *Y);
  if (wide > sim->nv) return mb_met_invert(g, sim, span, Y);
  for (size_t i = 0; i < wide; i++) Y[i] *= span;
  return sim->solver->apply(sim->work, Y, NULL, NULL);
}
