// What damps bending over a step: β/2h Σ (z − z₀)² of what stencils measure (deformables/bending_damper.h). Stencils are gone through one after
// the other, so that any number of threads gives the same bits.
#include "core/base/alloc.h"
#include "core/deformables/rod.h"
#include "core/math/vec3.h"
#include "core/solvers/projective/pd_engine.h"

#include <string.h>

// ---- making -----------------------------------------------------------------------------------------------

static bool make_one(const MbPdPart *part, double h, MbPdBends *to) {
  const MbElementMesh *mesh = part->mesh;
  *to = (MbPdBends){.first = part->first, .weight = part->bending_damping / h};
  const bool made = part->rod ? mb_rod_damper(part->rod, mesh, &to->damper)
                              : mb_bending_damper_cloth(&to->damper, part->bending_stiffness, mesh->triangle,
                                                        mesh->triangles, mesh->x, mesh->nodes);
  if (!made) return false;
  to->before = mb_calloc(to->damper.count, mb_bending_damper_measures(&to->damper) * sizeof *to->before);
  return to->before != NULL;
}

static bool is_damped(const MbPdPart *part) {
  return part->bending_damping > 0 && (part->rod || part->bending != MB_NO_BENDING);
}

bool mb_pd_bends_make(MbPdEngine *engine, const MbPdSpec *spec) {
  MbPdForm *form = &engine->form;
  size_t count = 0;
  for (size_t k = 0; k < spec->nparts; k++) count += is_damped(&spec->parts[k]);
  form->times = mb_calloc(form->n, sizeof *form->times);
  form->bends = mb_calloc(count, sizeof *form->bends);
  if (!form->times || !form->bends) return false;
  for (size_t i = 0; i < form->n; i++) form->times[i] = 1;
  for (size_t k = 0; k < spec->nparts; k++) {
    const MbPdPart *part = &spec->parts[k];
    if (!is_damped(part)) continue;
    for (size_t i = 0; i < part->mesh->nodes; i++)
      form->times[part->first + i] += part->bending_damping / spec->h;
    if (!make_one(part, spec->h, &form->bends[form->nbends++])) return false;
  }
  return true;
}

void mb_pd_bends_free(MbPdForm *form) {
  for (size_t k = 0; k < form->nbends; k++)
    mb_bending_damper_free(&form->bends[k].damper), mb_free(form->bends[k].before);
  mb_free(form->bends), mb_free(form->times);
}

size_t mb_pd_bends_bytes(const MbPdForm *form) {
  size_t bytes = form->n * sizeof *form->times;
  for (size_t k = 0; k < form->nbends; k++) {
    const MbBendingDamper *const damper = &form->bends[k].damper;
    bytes +=
        sizeof form->bends[k] +
        damper->entries * (sizeof(uint32_t) + (damper->axes ? 6 * sizeof(double) : 3 * sizeof(double) + 1)) +
        damper->count * (sizeof(size_t) + mb_bending_damper_measures(damper) * sizeof(double));
  }
  return bytes;
}

// ---- a step -----------------------------------------------------------------------------------------------

void mb_pd_bent(const MbPdBends *bends, size_t stencil, const double *q, bool curved, MbBent *bent) {
  const MbBendingDamper *const damper = &bends->damper;
  const size_t first = damper->first[stencil], end = damper->first[stencil + 1];
  double x[MB_BENT_NODES][3];
  for (size_t a = first; a < end; a++) mb_vec3_copy(x[a - first], q + 3 * (bends->first + damper->node[a]));
  mb_bent_look(damper, stencil, x[0], curved, bent);
}

void mb_pd_bends_begin(MbPdEngine *engine, const double *q) {
  for (size_t k = 0; k < engine->form.nbends; k++) {
    MbPdBends *const bends = &engine->form.bends[k];
    MbBent bent;
    for (size_t s = 0; s < bends->damper.count; s++) {
      mb_pd_bent(bends, s, q, false, &bent);
      memcpy(bends->before + bent.measures * s, bent.z, bent.measures * sizeof *bent.z);
    }
  }
}

static double pull(const MbPdBends *bends, size_t s, const double *q, double *f) {
  MbBent bent;
  double energy = 0;
  mb_pd_bent(bends, s, q, false, &bent);
  for (size_t m = 0; m < bent.measures; m++) {
    const double away = bent.z[m] - bends->before[bent.measures * s + m];
    energy += bends->weight * away * away / 2;
    for (size_t a = 0; f && a < bent.nodes; a++) {
      double *const to = f + 3 * (bends->first + bends->damper.node[bends->damper.first[s] + a]);
      mb_vec3_add_scaled(to, to, -bends->weight * away, mb_bent_slope(&bent, m, a));
    }
  }
  return energy;
}

double mb_pd_bends(const MbPdForm *form, const double *q, double *f) {
  double energy = 0;
  for (size_t k = 0; k < form->nbends; k++)
    for (size_t s = 0; s < form->bends[k].damper.count; s++) energy += pull(&form->bends[k], s, q, f);
  return energy;
}
