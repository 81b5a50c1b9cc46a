// Fibres in elements whose nodes are bodies (deformables/fibres.h), all in W, to the bodies' axes as those of elements.
#include "core/deformables/fibres.h"
#include "core/forces/element_corners.h"

static MbSpots places_in(const MbElementForce *e, const MbPose *E) {
  return (MbSpots){E[e->first].p, sizeof *E / sizeof *E->p};
}
static MbSpots places_of(const MbElementForce *e, const MbMaximal *x) { return places_in(e, x->E); }

static double activation_of(const MbFibres *fibres, const MbMaximal *x) {
  return fibres->activation == SIZE_MAX ? 0 : x->signal[fibres->activation];
}

// The same family of x->branch, whose deformables are this model's but for their numbers.
static const MbFibres *alike(const MbElementForce *e, const MbMaximal *x, size_t m) {
  const MbDeformable *other = x->branch->deformables;
  while (other->first != e->first) other++;
  return &other->elements->fibres[m];
}

void mb_element_fibre_tension(const MbElementForce *e, size_t m, const MbMaximal *x, size_t k, double y[3],
                              double *T, double *slope) {
  const MbFibres *fibres = &e->of->fibres[m];
  const uint32_t *node = mb_fibre_nodes(e->of, k);
  mb_fibre_along(fibres->weight + e->corners * k, e->corners, places_of(e, x), node, y);
  if (!x->branch) {
    mb_fibre_energy(fibres, activation_of(fibres, x), mb_vec3_norm(y), T, slope);
    return;
  }
  const MbFibres *other = alike(e, x, m);
  double there[3];
  mb_fibre_along(other->weight + e->corners * k, e->corners, places_in(e, x->branch_E), node, there);
  mb_fibre_tension_as(fibres, activation_of(fibres, x), mb_vec3_norm(y), other, mb_vec3_norm(there), T,
                      slope);
}

// −V c_a c_b H into the bodies' blocks.
static void couple(const MbModel *model, const MbElementForce *e, MbMaximal *x, size_t k, const double *c,
                   const double *H) {
  const uint32_t *edge = mb_corner_edges(e, k);
  for (size_t a = 0; a < e->corners; a++)
    for (size_t b = 0; b <= a; b++) {
      const size_t A = mb_corner_body(e, k, a), B = mb_corner_body(e, k, b), pair = a == b ? 0 : *edge++;
      double K[9];
      for (size_t i = 0; i < 9; i++) K[i] = -e->size[k] * c[a] * c[b] * H[i];
      mb_corner_to_own_axes(model, x, A, B, K);
      mb_corner_add(mb_corner_block(model, e, x->K, A, B, pair), K, false, 3);
      if (a != b) mb_corner_add(mb_corner_block(model, e, x->K, B, A, pair), K, true, 3);
    }
}

void mb_element_fibres_eval(const MbModel *model, const MbForce *force, MbMaximal *x) {
  const MbElementForce *e = force->elements;
  const bool counts = mb_force_stiffens(force, x);
  for (size_t m = 0; m < e->of->nfibres; m++) {
    const MbFibres *fibres = &e->of->fibres[m];
    for (size_t k = 0; k < e->n; k++) {
      const double *const c = fibres->weight + e->corners * k;
      double y[3], u[3], f[3], T, slope, H[9];
      mb_element_fibre_tension(e, m, x, k, y, &T, &slope);
      mb_fibre_direct(y, T, slope, u, counts ? H : NULL);
      for (size_t a = 0; a < e->corners; a++) {
        mb_vec3_scale(f, -e->size[k] * T * c[a], u);
        mb_corner_push(model, force, x, mb_corner_body(e, k, a), f);
      }
      if (counts) couple(model, e, x, k, c, H);
    }
  }
}

double mb_element_fibres_energy(const MbForce *force, const MbMaximal *x) {
  const MbElementForce *e = force->elements;
  double sum = 0, y[3];
  for (size_t m = 0; m < e->of->nfibres; m++) {
    const MbFibres *fibres = &e->of->fibres[m];
    for (size_t k = 0; k < e->n; k++) {
      mb_fibre_along(fibres->weight + e->corners * k, e->corners, places_of(e, x), mb_fibre_nodes(e->of, k),
                     y);
      sum += e->size[k] * mb_fibre_energy(fibres, activation_of(fibres, x), mb_vec3_norm(y), NULL, NULL);
    }
  }
  return sum;
}
