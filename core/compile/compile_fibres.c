// Families of fibres in a deformable's elements: how the corners of each element have a part in them.
#include "core/base/report.h"
#include "core/compile/compile_elements.h"
#include "core/deformables/fibres.h"
#include "core/math/vec3.h"
#include "core/model/builder.h"

#include <stdio.h>

enum { WHERE = 128 };

static MbStatus lay(const MbDeformableSpec *spec, const char *where, const MbElementMesh *mesh,
                    const double d[3], double *weight, MbReport *report) {
  const size_t rank = mesh->tets ? 3 : 2, n = mesh->tets ? mesh->tets : mesh->triangles;
  const uint32_t *const corner = mesh->tets ? mesh->tet : mesh->triangle;
  for (size_t k = 0; k < n; k++)
    if (!mb_fibre_weights(mesh->x, corner + (rank + 1) * k, rank, d, weight + (rank + 1) * k))
      return mb_error(report, MB_SCENE, where,
                      "the fibres stand across element %zu of \"%s\", and do not lie in it", k, spec->name);
  return MB_OK;
}

MbStatus mb_compile_fibres(const MbDeformableSpec *spec, size_t i, MbModel *model, MbElements *elements,
                           MbReport *report) {
  const MbElementMesh *mesh = &elements->mesh;
  const size_t rank = mesh->tets ? 3 : 2, n = mesh->tets ? mesh->tets : mesh->triangles;
  if (!spec->nfibres) return MB_OK;
  MbFibres *list = mb_arena_alloc(&model->arena, spec->nfibres, sizeof *list);
  double *volume = mb_arena_alloc(&model->arena, n, sizeof *volume);
  if (!list || !volume) return mb_no_memory(report, "deformables");
  for (size_t k = 0; k < n; k++)
    volume[k] = (rank == 2 ? spec->thickness : 1) *
                mb_fibre_volume(mesh->x, (mesh->tets ? mesh->tet : mesh->triangle) + (rank + 1) * k, rank);
  for (size_t k = 0; k < spec->nfibres; k++) {
    const MbFibresSpec *from = &spec->fibres[k];
    char where[WHERE];
    double *weight = mb_arena_alloc(&model->arena, n, (rank + 1) * sizeof *weight);
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
