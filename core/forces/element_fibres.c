// Fibres in elements whose nodes are bodies (deformables/fibres.h), all in W, to the bodies' axes as those of elements.
#include "core/deformables/fibres.h"
#include "core/forces/element_corners.h"

static MbSpots places_of(const MbElementForce *e, const MbMaximal *x) {
  return (MbSpots){x->E[e->first].p, sizeof *x->E / sizeof *x->E->p};
}

static double activation_of(const MbFibres *fibres, const MbMaximal *x) {
  return fibres->activation == SIZE_MAX ? 0 : x->signal[fibres->activation];
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
      double y[3], u[3], f[3], T, H[9];
      mb_fibre_along(c, e->corners, places_of(e, x), mb_fibre_nodes(e->of, k), y);
      mb_fibre_pull(fibres, activation_of(fibres, x), y, u, &T, counts ? H : NULL);
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
