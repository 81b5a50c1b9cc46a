// Families of fibres in a deformable's elements: how the corners of each element have a part in them.
#include "core/base/report.h"
#include "core/compile/compile_elements.h"
#include "core/deformables/fibres.h"
#include "core/deformables/quadratic.h"
#include "core/math/vec3.h"
#include "core/model/builder.h"

#include <stdio.h>

enum { WHERE = 128 };

// Of ten nodes at each point, of what the corners have: c_n = Σ_a (share of n in y_a) c_a.
static void spread(const double straight[4], double *c) {
  for (size_t point = 0; point < MB_QUADRATIC_POINTS; point++) {
    double L[4];
    mb_quadratic_point(point, L);
    for (size_t n = 0; n < MB_QUADRATIC_NODES; n++, c++) {
      *c = 0;
      for (size_t a = 0; a < 4; a++) *c += mb_quadratic_share(L, a, n) * straight[a];
    }
  }
}

static MbStatus lay(const MbDeformableSpec *spec, const char *where, const MbElementMesh *mesh,
                    const double d[3], double *weight, MbReport *report) {
  const size_t rank = mesh->tets ? 3 : 2, n = mesh->tets ? mesh->tets : mesh->triangles;
  const uint32_t *const corner = mesh->tets ? mesh->tet : mesh->triangle;
  for (size_t k = 0; k < n; k++) {
    double straight[4];
    double *const c = mesh->middle ? straight : weight + (rank + 1) * k;
    if (!mb_fibre_weights(mesh->x, corner + (rank + 1) * k, rank, d, c))
      return mb_error(report, MB_SCENE, where,
                      "the fibres stand across element %zu of \"%s\", and do not lie in it", k, spec->name);
    if (mesh->middle) spread(straight, weight + MB_QUADRATIC_POINTS * MB_QUADRATIC_NODES * k);
  }
  return MB_OK;
}

MbStatus mb_compile_fibres(const MbDeformableSpec *spec, size_t i, MbModel *model, MbElements *elements,
                           MbReport *report) {
  const MbElementMesh *mesh = &elements->mesh;
  const size_t rank = mesh->tets ? 3 : 2, points = elements->points;
  const size_t n = points * (mesh->tets ? mesh->tets : mesh->triangles);
  if (!spec->nfibres) return MB_OK;
  MbFibres *list = mb_arena_alloc(&model->arena, spec->nfibres, sizeof *list);
  double *volume = mb_arena_alloc(&model->arena, n, sizeof *volume);
  if (!list || !volume) return mb_no_memory(report, "deformables");
  for (size_t k = 0; k < n; k++)
    volume[k] =
        (rank == 2 ? spec->thickness : 1) / (double)points *
        mb_fibre_volume(mesh->x, (mesh->tets ? mesh->tet : mesh->triangle) + (rank + 1) * (k / points), rank);
  for (size_t k = 0; k < spec->nfibres; k++) {
    const MbFibresSpec *from = &spec->fibres[k];
    char where[WHERE];
    double *weight = mb_arena_alloc(&model->arena, n, elements->corners * sizeof *weight);
    if (!weight) return mb_no_memory(report, "deformables");
    list[k] = (MbFibres){.weight = weight,
                         .stiffness = from->stiffness,
                         .limit = from->beyond > 0 ? from->limit : 0,
                         .beyond = from->beyond,
                         .strength = from->strength,
                         .activation = SIZE_MAX};
    snprintf(where, sizeof where, "/deformables/%zu/material/fibres/%zu/direction", i, k);
    MbStatus status = lay(spec, where, mesh, from->direction, weight, report);
    snprintf(where, sizeof where, "/deformables/%zu/material/fibres/%zu/activation", i, k);
    if (status == MB_OK && from->activated)
      status = mb_model_add_signal(model, &from->activation, where, &list[k].activation, report);
    if (status != MB_OK) return status;
  }
  elements->fibres = list, elements->nfibres = spec->nfibres, elements->fibre_volume = volume;
  return MB_OK;
}
