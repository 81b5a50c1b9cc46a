#include "core/sim/same_elements.h"
#include "core/deformables/bending_damper.h"

#include <stddef.h>
#include <string.h>

static bool same(const double *x, const double *y, size_t n) {
  return n == 0 || memcmp(x, y, n * sizeof *x) == 0;
}

// The numbers that a struct ends with are looked at as a whole, as the model's fingerprint takes them, so that one that is added to it counts.
#define SAME_FROM(type, first, one, other)                                                                   \
  (memcmp((const char *)(one) + offsetof(type, first), (const char *)(other) + offsetof(type, first),        \
          sizeof(type) - offsetof(type, first)) == 0)

// Density is felt as masses, which are no part of the elements.
static bool same_numbers(const MbElements *a, const MbElements *b) {
  MbElements one, other;
  memcpy(&one, a, sizeof one), memcpy(&other, b, sizeof other);
  other.density = one.density;
  return SAME_FROM(MbElements, npinned, &one, &other);
}

static bool same_surface(const MbElementSurface *s, const MbElementSurface *t) {
  if (!s || !t) return s == t;
  return SAME_FROM(MbElementSurface, nchambers, s, t) && same(s->volume, t->volume, s->nchambers);
}

static bool same_fibres(const MbElementForce *e, const MbElementForce *o) {
  bool alike = true;
  for (size_t m = 0; alike && m < e->of->nfibres; m++) {
    const MbFibres *f = &e->of->fibres[m], *g = &o->of->fibres[m];
    alike = SAME_FROM(MbFibres, stiffness, f, g) && same(f->weight, g->weight, e->n * e->corners);
  }
  return alike;
}

static bool same_damper(const MbBendingDamper *d, const MbBendingDamper *e) {
  if (!d || !e) return d == e;
  return same(d->c[0], e->c[0], 3 * d->entries) && (!d->axes || same(d->axes[0], e->axes[0], 3 * d->entries));
}

static bool same_bending(const MbElementForce *e, const MbElementForce *o) {
  if (!e->bend != !o->bend || e->ncurved != o->ncurved || !same_damper(e->damper, o->damper)) return false;
  if (e->bend && !same(e->bend, o->bend, e->ncouples)) return false;
  return !e->ncurved || (same(e->curved_weight, o->curved_weight, e->curved_first[e->ncurved]) &&
                         same(e->curved_square, o->curved_square, e->ncurved));
}

bool mb_same_elements(const MbElementForce *e, const MbElementForce *o) {
  return same_numbers(e->of, o->of) && same_surface(e->of->surface, o->of->surface) &&
         same(e->g, o->g, e->n * e->corners * e->rank) && same(e->size, o->size, e->n) &&
         same_bending(e, o) && same_fibres(e, o);
}

static bool same_families(const MbElements *a, const MbElements *b) {
  const size_t points = a->nfibres ? a->points * (a->mesh.tets ? a->mesh.tets : a->mesh.triangles) : 0;
  bool alike = same(a->fibre_volume, b->fibre_volume, points);
  for (size_t m = 0; alike && m < a->nfibres; m++) {
    const MbFibres *f = &a->fibres[m], *g = &b->fibres[m];
    alike = SAME_FROM(MbFibres, stiffness, f, g) && same(f->weight, g->weight, points * a->corners);
  }
  return alike;
}

bool mb_same_rest(const MbElements *a, const MbElements *b) {
  return same(a->mesh.x, b->mesh.x, 3 * a->mesh.nodes);
}

bool mb_same_nodes(const MbElements *a, const MbElements *b) {
  return same_numbers(a, b) && mb_same_rest(a, b) && same_surface(a->surface, b->surface) &&
         same_families(a, b);
}

bool mb_same_masses(const MbElements *a, const MbElements *b) {
  return same(a->mass, b->mass, a->mesh.nodes);
}

bool mb_same_targets(const MbElements *a, const MbElements *b) {
  bool alike = !a->nmotions || memcmp(a->motions, b->motions, a->nmotions * sizeof *a->motions) == 0;
  for (size_t k = 0; k < a->npinned; k++) {
    const size_t at = 3 * (size_t)a->pinned[k].node;
    alike = alike && same(a->x0 + at, b->x0 + at, 3);
  }
  for (size_t k = 0; k < a->nattached; k++) alike = alike && same(a->attached[k].at, b->attached[k].at, 3);
  return alike;
}
