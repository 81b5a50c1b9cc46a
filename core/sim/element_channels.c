#include "core/sim/element_channels.h"
#include "core/deformables/fibres.h"
#include "core/deformables/gradient.h"
#include "core/deformables/tell_element.h"
#include "core/math/vec3.h"
#include "core/sim/nodes.h"

#include <string.h>

size_t mb_element_count(const MbDeformable *of) {
  const MbElements *e = of->elements;
  return !e                               ? 0
         : e->kind == MB_DEFORMABLE_TETS  ? e->mesh.tets
         : e->kind == MB_DEFORMABLE_CLOTH ? e->mesh.triangles
                                          : 0;
}

size_t mb_element_rank(const MbDeformable *of) {
  return of->elements && of->elements->kind == MB_DEFORMABLE_CLOTH ? 2 : 3;
}

static const double *place_of(const MbSim *sim, const MbDeformable *of, size_t node) {
  return of->points ? mb_nodes_places(sim) + 3 * (of->first + node) : sim->x.E[of->first + node].p;
}

// F of element k, from its sides at rest and now.
static void gradient_of(const MbSim *sim, const MbDeformable *of, size_t k, double F[9]) {
  const MbElementMesh *mesh = &of->elements->mesh;
  const size_t rank = mb_element_rank(of);
  const uint32_t *node = rank == 3 ? mesh->tet + 4 * k : mesh->triangle + 3 * k;
  double B[9] = {0}, size, side[3];
  mb_gradient_rest((int)rank, node, mesh->x, B, &size); // the compiler has seen that it has a size
  memset(F, 0, 9 * sizeof *F);
  for (size_t a = 0; a < rank; a++) {
    mb_vec3_sub(side, place_of(sim, of, node[a + 1]), place_of(sim, of, node[0]));
    for (size_t i = 0; i < 3; i++)
      for (size_t j = 0; j < rank; j++) F[rank * i + j] += side[i] * B[rank * a + j];
  }
}

typedef MbElementTensor (*Tell)(const MbElastic *elastic, int rank, const double *F);

static MbElastic elastic_of(const MbDeformable *of) {
  const MbElements *e = of->elements;
  return mb_elastic_from(e->model, e->young, e->poisson, e->kind == MB_DEFORMABLE_CLOTH);
}

static void add_fibres(const MbSim *sim, const MbDeformable *of, size_t k, const double F[9],
                       MbElementTensor *t) {
  const MbElements *e = of->elements;
  const size_t rank = mb_element_rank(of);
  const uint32_t *const corner = rank == 3 ? e->mesh.tet + 4 * k : e->mesh.triangle + 3 * k;
  const MbSpots places = of->points ? (MbSpots){mb_nodes_places(sim) + 3 * of->first, 3}
                                    : (MbSpots){sim->x.E[of->first].p, sizeof *sim->x.E / sizeof(double)};
  for (size_t m = 0; m < e->nfibres; m++) {
    const double activation = mb_nodes_activation(sim, &e->fibres[m], sim->state.t);
    double y[3], T;
    mb_fibre_along(e->fibres[m].weight + (rank + 1) * k, rank, places, corner, y);
    mb_fibre_energy(&e->fibres[m], activation, mb_vec3_norm(y), &T, NULL);
    mb_element_add_fibres((int)rank, F, y, T, t);
  }
}

static MbElementTensor tell(const MbSim *sim, const MbDeformable *of, const MbElastic *elastic, Tell what,
                            size_t k) {
  const size_t rank = mb_element_rank(of);
  double F[9];
  gradient_of(sim, of, k, F);
  MbElementTensor t = what(elastic, (int)rank, F);
  if (what == mb_element_stress) add_fibres(sim, of, k, F, &t);
  return t;
}

static void put_full(const MbSim *sim, const MbDeformable *of, Tell what, double *out) {
  const MbElastic elastic = elastic_of(of);
  for (size_t k = 0; k < mb_element_count(of); k++) {
    const MbElementTensor t = tell(sim, of, &elastic, what, k);
    memcpy(out + 6 * k, t.full, sizeof t.full);
  }
}

static void put_principal(const MbSim *sim, const MbDeformable *of, Tell what, double *out) {
  const MbElastic elastic = elastic_of(of);
  const size_t rank = mb_element_rank(of);
  for (size_t k = 0; k < mb_element_count(of); k++) {
    const MbElementTensor t = tell(sim, of, &elastic, what, k);
    memcpy(out + rank * k, t.principal, rank * sizeof *out);
  }
}

void mb_element_stresses(const MbSim *sim, const MbDeformable *of, double *out) {
  put_full(sim, of, mb_element_stress, out);
}
void mb_element_principal_stresses(const MbSim *sim, const MbDeformable *of, double *out) {
  put_principal(sim, of, mb_element_stress, out);
}
void mb_element_strains(const MbSim *sim, const MbDeformable *of, double *out) {
  put_full(sim, of, mb_element_strain, out);
}
void mb_element_principal_strains(const MbSim *sim, const MbDeformable *of, double *out) {
  put_principal(sim, of, mb_element_strain, out);
}

void mb_element_von_mises_all(const MbSim *sim, const MbDeformable *of, double *out) {
  const MbElastic elastic = elastic_of(of);
  for (size_t k = 0; k < mb_element_count(of); k++) {
    const MbElementTensor t = tell(sim, of, &elastic, mb_element_stress, k);
    out[k] = mb_element_von_mises((int)mb_element_rank(of), &t);
  }
}
