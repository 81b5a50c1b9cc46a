#include "core/sim/same_elements.h"
#include "core/deformables/bending_damper.h"

#include <string.h>

static bool same(const double *x, const double *y, size_t n) {
  return n == 0 || memcmp(x, y, n * sizeof *x) == 0;
}

static bool same_surface(const MbElementSurface *s, const MbElementSurface *t) {
  if (!s || !t) return s == t;
  return same(s->volume, t->volume, s->nchambers) && s->pressure == t->pressure && s->gas == t->gas &&
         s->outside == t->outside && memcmp(s->wind, t->wind, sizeof s->wind) == 0 &&
         s->density == t->density && s->drag == t->drag && s->lift == t->lift;
}

static bool same_fibres(const MbFibres *f, const MbFibres *g, size_t weights) {
  return same(f->weight, g->weight, weights) && f->stiffness == g->stiffness && f->beyond == g->beyond &&
         f->strength == g->strength && f->limit == g->limit && f->activation == g->activation;
}

static bool same_damper(const MbBendingDamper *d, const MbBendingDamper *e) {
  if (!d || !e) return d == e;
  return same(d->c[0], e->c[0], 3 * d->entries) && (!d->axes || same(d->axes[0], e->axes[0], 3 * d->entries));
}

bool mb_same_elements(const MbElementForce *e, const MbElementForce *o) {
  const MbElements *a = e->of, *b = o->of;
  bool alike = a->model == b->model && a->young == b->young && a->poisson == b->poisson &&
               a->damping == b->damping && a->bending_damping == b->bending_damping &&
               same(e->g, o->g, e->n * e->corners * e->rank) && same(e->size, o->size, e->n) &&
               !e->bend == !o->bend && (!e->bend || same(e->bend, o->bend, e->ncouples)) &&
               same_damper(e->damper, o->damper) && same_surface(a->surface, b->surface);
  if (e->ncurved != o->ncurved) return false;
  if (e->ncurved)
    alike = alike && same(e->curved_weight, o->curved_weight, e->curved_first[e->ncurved]) &&
            same(e->curved_square, o->curved_square, e->ncurved);
  for (size_t m = 0; alike && m < a->nfibres; m++)
    alike = same_fibres(&a->fibres[m], &b->fibres[m], e->n * e->corners);
  return alike;
}
