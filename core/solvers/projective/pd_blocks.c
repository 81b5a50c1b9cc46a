#include "core/solvers/projective/pd_blocks.h"
#include "core/base/alloc.h"
#include "core/deformables/viscous.h"
#include "core/math/mat3.h"

#include <string.h>

// ---- making and freeing -----------------------------------------------------------------------------------

static bool make_gradient(const MbElementMesh *mesh, int rank, MbGradient *gradient, size_t *flat) {
  const size_t count = rank == 3 ? mesh->tets : rank == 2 ? mesh->triangles : mesh->edges;
  if (rank == 3 && mesh->middle) return mb_gradient_create_quadratic(gradient, mesh, flat);
  return mb_gradient_create(gradient, rank,
                            rank == 3   ? mesh->tet
                            : rank == 2 ? mesh->triangle
                                        : mesh->edge,
                            count, mesh->x, mesh->nodes, flat);
}

static size_t before_size(const MbPdBlock *block) {
  return block->rank == 1 ? 1 : mb_pd_damped(block) ? block->rank * block->rank : 0;
}

static bool allocate(MbPdBlock *block) {
  const size_t stride = block->gradient.stride, width = 3 * block->rank;
  block->k = mb_calloc(block->rank == 1 ? stride : 0, sizeof *block->k);
  block->c = mb_calloc(block->rank == 1 ? stride : 0, sizeof *block->c);
  block->before = mb_calloc(before_size(block) * stride, sizeof *block->before);
  block->weight = mb_calloc(stride, sizeof *block->weight);
  block->scale = mb_calloc(stride, sizeof *block->scale);
  block->F = mb_calloc(stride, width * sizeof *block->F);
  block->u = mb_calloc(stride, width * sizeof *block->u);
  block->p = mb_calloc(stride, width * sizeof *block->p);
  block->corner = mb_calloc(stride, (width + 3) * sizeof *block->corner);
  block->energy = mb_calloc(stride, sizeof *block->energy);
  return block->k && block->c && block->before && block->weight && block->scale && block->F && block->u &&
         block->p && block->corner && block->energy;
}

bool mb_pd_block_make(const MbPdPart *part, size_t number, int rank, double h, MbPdBlock *block,
                      size_t *flat) {
  *flat = SIZE_MAX;
  *block = (MbPdBlock){.part = number,
                       .first = part->first,
                       .rank = (size_t)rank,
                       .rod = part->rod != NULL,
                       .thickness = rank == 2 || part->rod ? part->thickness : 1,
                       .elastic = part->elastic,
                       .damper = rank > 1 ? part->damping / h : 0};
  if (!make_gradient(part->mesh, rank, &block->gradient, flat)) return false;
  const size_t count = block->count = block->gradient.n;
  block->corners = mb_gradient_nodes(&block->gradient);
  block->points = mb_gradient_points(&block->gradient);
  if (!allocate(block)) {
    mb_pd_block_free(block);
    return false;
  }
  for (size_t e = 0; rank == 1 && e < count; e++) {
    const double length = block->gradient.size[e], by = part->by_strain ? length : 1;
    block->before[e] = 1;
    block->k[e] = part->stiffness / by, block->c[e] = part->damping / h / by;
    block->weight[e] = (block->k[e] + block->c[e]) * length;
  }
  // whole packs, of which the last may be filled up
  for (size_t e = 0; e < (rank > 1 ? block->gradient.stride : count); e++) {
    if (rank > 1) block->weight[e] = mb_local_weight(&block->elastic, rank);
    block->scale[e] = block->weight[e] * block->thickness;
  }
  return true;
}

void mb_pd_block_free(MbPdBlock *block) {
  mb_gradient_free(&block->gradient);
  mb_free(block->k), mb_free(block->c);
  mb_free(block->before);
  mb_free(block->weight);
  mb_free(block->scale);
  mb_free(block->F);
  mb_free(block->u);
  mb_free(block->p);
  mb_free(block->corner);
  mb_free(block->energy);
  *block = (MbPdBlock){0};
}

size_t mb_pd_block_bytes(const MbPdBlock *block) {
  const MbGradient *g = &block->gradient;
  const size_t corners = block->count * (block->rank + 1);
  const size_t ten = g->ten ? corners * (3 * (sizeof *g->corner + sizeof *g->y) + 4 * sizeof *g->share) +
                                  block->count / 4 * 10 * sizeof *g->ten
                            : 0;
  return ten + corners * (sizeof *g->node + sizeof *g->corner + 3 * sizeof *block->corner) +
         (g->nodes + 1) * sizeof *g->first + g->nodes * sizeof *g->order +
         g->stride * (block->rank * block->rank + 1) * sizeof *g->B +
         g->stride * (9 * block->rank + (block->rank == 1 ? 5 : 3) + before_size(block)) * sizeof *block->F;
}

// ---- one element ------------------------------------------------------------------------------------------

void mb_pd_gradient(const MbPdBlock *block, size_t e, const double *q, double F[9], double g[MB_PD_SLOPES]) {
  const size_t rank = block->rank;
  mb_gradient_of(&block->gradient, e, g);
  memset(F, 0, 3 * rank * sizeof *F);
  // sides from the first corner, so that places far from the origin do no harm
  const double *origin = q + 3 * mb_pd_node(block, e, 0);
  for (size_t a = 1; a < block->corners; a++) {
    const double *x = q + 3 * mb_pd_node(block, e, a);
    for (size_t i = 0; i < 3; i++)
      for (size_t j = 0; j < rank; j++) F[i * rank + j] += (x[i] - origin[i]) * g[a * rank + j];
  }
}

double mb_pd_viscous(const MbPdBlock *block, size_t e, const double F[9], double P[9]) {
  const int rank = (int)block->rank;
  const double *before = block->before + (size_t)(rank * rank) * e;
  double E[9];
  mb_viscous_strain(&block->elastic, rank, F, E);
  for (int c = 0; c < rank * rank; c++) E[c] -= before[c];
  const double energy = mb_viscous_stress(&block->elastic, rank, F, E, P);
  for (int c = 0; c < 3 * rank; c++) P[c] *= block->damper;
  return block->damper * energy;
}

// H += what damping adds
static void add_viscous_tangent(const MbPdBlock *block, size_t e, const double F[9], bool positive,
                                double H[81]) {
  const int rank = (int)block->rank;
  const double *before = block->before + (size_t)(rank * rank) * e;
  double E[9], viscous[81];
  mb_viscous_strain(&block->elastic, rank, F, E);
  for (int c = 0; c < rank * rank; c++) E[c] -= before[c];
  mb_viscous_tangent(&block->elastic, rank, F, viscous);
  mb_viscous_turning(&block->elastic, rank, E, positive, viscous);
  for (int c = 0; c < 9 * rank * rank; c++) H[c] += block->damper * viscous[c];
}

double mb_pd_density(const MbPdBlock *block, size_t e, const double F[9], bool stepping) {
  double P[9];
  const double viscous = stepping && mb_pd_damped(block) ? mb_pd_viscous(block, e, F, P) : 0;
  if (block->rank == 3) return viscous + mb_elastic_energy(&block->elastic, F);
  if (block->rank == 2) return viscous + mb_elastic_sheet_energy(&block->elastic, F);
  const double s = mb_vec3_norm(F), stretch = s - 1, move = s - block->before[e];
  const double damper = stepping ? block->c[e] : 0;
  return block->gradient.size[e] * (block->k[e] * stretch * stretch + damper * move * move) / 2;
}

void mb_pd_stress(const MbPdBlock *block, size_t e, const double F[9], double P[9]) {
  if (block->rank == 3) {
    mb_elastic_stress(&block->elastic, F, P);
  } else if (block->rank == 2) {
    mb_elastic_sheet_stress(&block->elastic, F, P);
  } else {
    double rest;
    const double k = mb_pd_spring(block, e, &rest) * block->gradient.size[e], s = mb_vec3_norm(F);
    mb_vec3_scale(P, s > 0 ? k * (1 - rest / s) : 0, F);
  }
}

void mb_pd_tangent(const MbPdBlock *block, size_t e, const double F[9], bool positive, double H[81]) {
  if (block->rank == 3) {
    mb_elastic_tangent(&block->elastic, F, positive, H);
  } else if (block->rank == 2) {
    mb_elastic_sheet_tangent(&block->elastic, F, positive, H);
  } else {
    // k d dᵀ + k (1 − rest/s)(1 − d dᵀ), the second part where it pulls, or is to be exact
    double rest;
    const double k = mb_pd_spring(block, e, &rest) * block->gradient.size[e], s = mb_vec3_norm(F),
                 across = s > 0 && (s > rest || !positive) ? k * (1 - rest / s) : 0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const double dd = s > 0 ? F[i] * F[j] / (s * s) : 0;
        H[3 * i + j] = k * dd + across * ((i == j) - dd);
      }
  }
  if (mb_pd_damped(block)) add_viscous_tangent(block, e, F, positive, H);
}
