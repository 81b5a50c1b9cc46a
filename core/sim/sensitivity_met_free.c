// Back through contacts that rebound. One of them asks for  G v⁺ + e G v₀ − G (u − v₀) = 0  (ask.c), where u is what velocities would come to without
// rows, of which equations are those of the step:
//
//   τ(q, v₀, a; p) + d (u − v₀) + h k u = 0,   a = (u − v₀)/h
//
// With ζ what the contacts' equations are felt by, and Y = h A⁻¹ Gᵀ, these are felt by
//
//   z_u = −h A⁻¹ ( −Gᵀ ζ ) = Y ζ        of contacts that rebound
//
// and that by where the step begins and by numbers as z of the step itself is, in a second pass of the tangent with nothing that rows push. u is v⁺ less what they do.
#include "core/sim/sensitivity_met.h"
#include "core/sim/sensitivity_rubbed.h"

#include <string.h>

// y (nv) ← Gᵀ μ of rows of constraints.
static void push_ties(MbSensitivity *g, double *y) {
  memset(y, 0, g->sim->nv * sizeof *y);
  if (!g->tied) return;
  const MbRowSet *set = &g->probe->constraining->set;
  const MbTangentRows *rows = mb_tangent_rows(g->tangent);
  for (size_t k = 0; k < rows->n; k++) {
    const size_t slot = rows->row[k].slot;
    mb_row_spread(set, slot, mb_tangent_row_pushes(&rows->row[k], &set->row[slot]), y);
  }
}

bool mb_met_free_at(MbSensitivity *g, const MbStageNote *note) {
  MbMet *met = g->met;
  const size_t nv = g->sim->nv;
  const double h = g->sim->model->h;
  met->rebounds = false;
  for (size_t i = 0; i < met->n; i++) {
    met->rebounds |= met->pushed->touch[i].rebounds;
    if (met->points && met->rebounds) {
      g->parted = "bodies rebound beside deformables";
      return false;
    }
    if (!met->pushed->touch[i].lessened) continue;
    g->parted = "contacts rebound by less than they ask for, or friction would make energy";
    return false;
  }
  if (!met->rebounds) return true;
  push_ties(g, met->free);
  for (size_t i = 0; i < nv; i++) met->free[i] *= -h;
  if (!g->probe->solver->apply(g->probe->work, met->free, NULL, NULL)) return false;
  for (size_t i = 0; i < nv; i++) met->free[i] += note->w[i];
  for (size_t k = 0; k < 3 * met->n; k++)
    for (size_t i = 0; i < nv; i++) met->free[i] -= met->mu[k] * met->Y[nv * k + i];
  return true;
}

void mb_met_free_felt(const MbSensitivity *g, double *v) {
  const MbMet *met = g->met;
  const size_t nv = g->sim->nv;
  for (size_t i = 0; i < met->n; i++) {
    if (!met->pushed->touch[i].rebounds) continue;
    const double share = (1 + met->seen[0][i].bounce) * met->zeta[3 * i], *N = met->G + 3 * i * nv;
    for (size_t k = 0; k < nv; k++) v[k] += share * N[k];
  }
}

const double *mb_met_free_begin(MbSensitivity *g, const MbStageNote *note, MbStageNote *free) {
  MbMet *met = g->met;
  const size_t nv = g->sim->nv;
  const double h = g->sim->model->h;
  *free = *note;
  free->w = met->free;
  memset(met->back, 0, nv * sizeof *met->back);
  for (size_t i = 0; i < met->n; i++)
    for (size_t k = 0; k < nv && met->pushed->touch[i].rebounds; k++)
      met->back[k] += met->zeta[3 * i] * met->Y[3 * i * nv + k];
  for (size_t i = 0; i < nv; i++) g->a[i] = (free->w[i] - note->from[i]) / h;
  mb_tangent_rows_leave(g->tangent), mb_slope_rubbed_leave(g);
  mb_tangent_to(g->tangent, free->w);
  mb_tangent_at(g->probe, g->tangent, note->from, g->a, note->t, NULL);
  return met->back;
}

void mb_met_free_back(MbSensitivity *g, double *scratch[3], double *q, double *v) {
  const size_t nv = g->sim->nv;
  const double h = g->sim->model->h, *z = g->met->back;
  mb_tangent_transposed(g->probe, g->tangent, z, scratch[0], scratch[1], scratch[2]);
  for (size_t i = 0; i < nv; i++) {
    q[i] += scratch[0][i];
    v[i] += scratch[1][i] - scratch[2][i] / h - g->damping[i] * z[i];
  }
}
