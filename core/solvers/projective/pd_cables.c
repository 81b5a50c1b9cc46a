// Cables that pull with a tension T that the caller gives, whatever their length l: the energy T l, and −T ∂l/∂q at their nodes. Those that
// keep their length are rows of the caller's.
#include "core/base/alloc.h"
#include "core/math/vec3.h"
#include "core/solvers/projective/pd_engine.h"

#include <string.h>

struct MbPdCables {
  size_t count, bytes;
  MbCablePath *path; // (count) of copies
  double *J;         // (most points x 3)
};

static bool copy_path(const MbCablePath *from, MbCablePath *to, size_t *bytes) {
  const size_t n = from->npoints, nodes = from->first[n];
  size_t *first = mb_calloc(n + 1, sizeof *first);
  uint32_t *node = mb_calloc(nodes, sizeof *node);
  *to = (MbCablePath){n, first, node};
  if (!first || !node) return false;
  memcpy(first, from->first, (n + 1) * sizeof *first);
  memcpy(node, from->node, nodes * sizeof *node);
  *bytes += (n + 1) * sizeof *first + nodes * sizeof *node;
  return true;
}

MbPdCables *mb_pd_cables_make(const MbPdSpec *spec) {
  const size_t n = spec->ncables;
  MbPdCables *cables = mb_calloc(1, sizeof *cables);
  size_t most = 0;
  if (!cables) return NULL;
  cables->path = mb_calloc(n, sizeof *cables->path);
  cables->bytes = sizeof *cables + n * sizeof *cables->path;
  bool fine = cables->path != NULL;
  for (; fine && cables->count < n; cables->count++) {
    fine = copy_path(&spec->cables[cables->count], &cables->path[cables->count], &cables->bytes);
    if (spec->cables[cables->count].npoints > most) most = spec->cables[cables->count].npoints;
  }
  cables->bytes += 3 * most * sizeof *cables->J;
  if (fine && (cables->J = mb_calloc(most, 3 * sizeof *cables->J))) return cables;
  mb_pd_cables_free(cables);
  return NULL;
}

void mb_pd_cables_free(MbPdCables *cables) {
  if (!cables) return;
  for (size_t k = 0; cables->path && k < cables->count; k++) {
    mb_free((size_t *)cables->path[k].first);
    mb_free((uint32_t *)cables->path[k].node);
  }
  mb_free(cables->path);
  mb_free(cables->J);
  mb_free(cables);
}

size_t mb_pd_cables_bytes(const MbPdCables *cables) { return cables ? cables->bytes : 0; }

size_t mb_pd_cables(const MbPdEngine *engine, const MbCablePath **path) {
  *path = engine->cables ? engine->cables->path : NULL;
  return engine->cables ? engine->cables->count : 0;
}

void mb_pd_cables_pull(MbPdEngine *engine, const double *q, double *f) {
  const MbPdCables *cables = engine->cables;
  for (size_t n = 0; n < cables->count; n++) {
    const MbCablePath *path = &cables->path[n];
    mb_cable_length(path, q, cables->J);
    for (size_t j = 0; j < path->npoints; j++)
      for (size_t k = path->first[j]; k < path->first[j + 1]; k++) {
        double *at = f + 3 * (size_t)path->node[k];
        mb_vec3_add_scaled(at, at, -engine->start->force[n], cables->J + 3 * j);
      }
  }
}

double mb_pd_cables_potential(const MbPdEngine *engine, const double *q) {
  const MbPdCables *cables = engine->cables;
  double sum = 0;
  for (size_t n = 0; n < cables->count; n++)
    sum += engine->start->force[n] * mb_cable_length(&cables->path[n], q, NULL);
  return sum;
}
