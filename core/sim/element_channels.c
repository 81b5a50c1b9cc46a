#include "core/sim/element_channels.h"
#include "core/deformables/fibres.h"
#include "core/deformables/gradient.h"
#include "core/deformables/quadratic.h"
#include "core/deformables/tell_element.h"
#include "core/math/vec3.h"
#include "core/sim/nodes.h"

#include <string.h>

size_t mb_element_count(const MbDeformable *of) {
  const MbElements *e = of->elements;
  return !e                               ? 0
         : e->mesh.middle                 ? MB_QUADRATIC_PARTS * e->mesh.tets
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

// F (3 x rank) of what stands between corners x at rest and y now.
static void compare(size_t rank, const double x[12], const double y[12], double F[9]) {
  static const uint32_t node[4] = {0, 1, 2, 3};
  double B[9] = {0}, size, side[3];
  mb_gradient_rest((int)rank, node, x, B, &size); // the compiler has seen that it has a size
  memset(F, 0, 9 * sizeof *F);
  for (size_t a = 0; a < rank; a++) {
    mb_vec3_sub(side, y + 3 * (a + 1), y);
    for (size_t i = 0; i < 3; i++)
      for (size_t j = 0; j < rank; j++) F[rank * i + j] += side[i] * B[rank * a + j];
  }
}

// Corners of element k at rest and now; of a part of ten nodes those y_a that have its F in the part's middle (deformables/quadratic.h).
static void corners_of(const MbSim *sim, const MbDeformable *of, size_t k, double rest[12], double now[12]) {
  const MbElements *e = of->elements;
  const size_t nodes = e->corners;
  const uint32_t *const node = e->node + nodes * (e->mesh.middle ? k / MB_QUADRATIC_PARTS : k);
  uint32_t number[MB_QUADRATIC_NODES];
  double x[3 * MB_QUADRATIC_NODES], y[3 * MB_QUADRATIC_NODES], L[4];
  for (size_t a = 0; a < nodes; a++) {
    mb_vec3_copy(x + 3 * a, e->mesh.x + 3 * (size_t)node[a]);
    mb_vec3_copy(y + 3 * a, place_of(sim, of, node[a]));
    number[a] = (uint32_t)a;
  }
  memcpy(rest, x, (e->mesh.middle ? 12 : 3 * nodes) * sizeof *rest);
  memcpy(now, y, (e->mesh.middle ? 12 : 3 * nodes) * sizeof *now);
  if (!e->mesh.middle) return;
  mb_quadratic_part(k % MB_QUADRATIC_PARTS, L);
  mb_quadratic_corners(L, number, y, now);
}

static void gradient_of(const MbSim *sim, const MbDeformable *of, size_t k, double F[9]) {
  double rest[12], now[12];
  corners_of(sim, of, k, rest, now);
  compare(mb_element_rank(of), rest, now, F);
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
  static const uint32_t node[4] = {0, 1, 2, 3};
  double rest[12], now[12], weight[4];
  corners_of(sim, of, k, rest, now);
  for (size_t m = 0; m < e->nfibres; m++) {
    const double activation = mb_nodes_activation(sim, &e->fibres[m], sim->state.t);
    double y[3], T, d[3];
    const double *c = weight;
    if (e->mesh.middle) { // d = Σ c_a x_a over the nodes at rest, the same at all points
      const size_t element = k / MB_QUADRATIC_PARTS, point = element * e->points;
      mb_fibre_along(e->fibres[m].weight + e->corners * point, e->corners, (MbSpots){e->mesh.x, 3},
                     mb_fibre_nodes(e, point), d);
      mb_fibre_weights(rest, node, rank, d, weight);
    } else {
      c = e->fibres[m].weight + e->corners * k;
    }
    mb_fibre_along(c, rank + 1, (MbSpots){now, 3}, node, y);
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
