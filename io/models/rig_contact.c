// What of a model collides, as a scene says it: shapes that do, bodies that do not with one another, friction of pairs.
//
// Two geoms meet there where (contype_1 & conaffinity_2) | (contype_2 & conaffinity_1), with the larger of their frictions; here all
// shapes that collide meet, with the root of the product of theirs. What differs is said of pairs of bodies.
#include "core/base/alloc.h"
#include "io/models/door.h"

#include <stdlib.h>
#include <string.h>

// What all shapes of a body that collide have in common.
typedef struct Touching {
  size_t body;
  size_t moves; // the body that it moves with; MB_RIG_WORLD: it stands
} Touching;

static bool is_static(const Touching *t) { return t->moves == MB_RIG_WORLD; }

static size_t mover(const MbRig *rig, size_t b) {
  while (b != MB_RIG_WORLD && !rig->body[b].njoints) b = rig->body[b].parent;
  return b;
}

// Joints join what they move with what carries it, but for what stands: the scene's rule, and the other engine's.
static bool are_joined(const MbRig *rig, const Touching *a, const Touching *b) {
  if (a->moves == b->moves) return true;
  for (int turn = 0; turn < 2; turn++) {
    const Touching *child = turn ? b : a, *parent = turn ? a : b;
    if (is_static(child) || is_static(parent)) continue;
    if (rig->body[child->moves].parent != MB_RIG_WORLD &&
        mover(rig, rig->body[child->moves].parent) == parent->moves)
      return true;
  }
  return false;
}

static bool meet(const MbRigShape *a, const MbRigShape *b) {
  return (a->contype & b->conaffinity) || (b->contype & a->conaffinity);
}

double mb_rig_slide(const MbRigShape *a, const MbRigShape *b) {
  const int condim = a->condim > b->condim ? a->condim : b->condim;
  return condim == 1 ? 0 : fmax(a->friction, b->friction);
}

// ---- pairs ------------------------------------------------------------------------------------------------

static int by_bodies(const void *a, const void *b) {
  const MbRigPair *x = a, *y = b;
  for (int k = 0; k < 2; k++)
    if (x->body[k] != y->body[k]) return x->body[k] < y->body[k] ? -1 : 1;
  if (x->given != y->given) return y->given - x->given;
  return isnan(x->friction) - isnan(y->friction); // what collides before what does not
}

// Sorted, each two bodies once: what the model says of them wins, and of that what collides.
void mb_rig_order_pairs(MbRig *rig) {
  size_t n = 0;
  for (size_t i = 0; i < rig->npairs; i++) {
    size_t *body = rig->pair[i].body;
    if (body[0] == body[1] || body[0] == MB_RIG_WORLD || body[1] == MB_RIG_WORLD) continue;
    if (body[0] > body[1]) {
      const size_t swap = body[0];
      body[0] = body[1], body[1] = swap;
    }
    rig->pair[n++] = rig->pair[i];
  }
  if (n) qsort(rig->pair, n, sizeof *rig->pair, by_bodies);
  rig->npairs = 0;
  for (size_t i = 0; i < n; i++) {
    const MbRigPair *last = rig->npairs ? &rig->pair[rig->npairs - 1] : NULL;
    if (last && last->body[0] == rig->pair[i].body[0] && last->body[1] == rig->pair[i].body[1]) continue;
    rig->pair[rig->npairs++] = rig->pair[i];
  }
}

static bool add_pair(MbDoor *door, const Touching *a, const Touching *b, double friction) {
  MbRigPair *pair = mb_rig_add_pair(&door->rig, door->rig.body[a->body].at);
  if (!pair) return mb_door_no_memory(door);
  pair->body[0] = a->body, pair->body[1] = b->body, pair->friction = friction;
  return true;
}

// What two bodies' shapes have to say of one another.
static bool judge(MbDoor *door, const Touching *a, const Touching *b) {
  const MbRigBody *x = &door->rig.body[a->body], *y = &door->rig.body[b->body];
  size_t all = 0, some = 0;
  double least = INFINITY, most = 0, mean = NAN;
  bool other = false;
  for (size_t i = 0; i < x->nshapes; i++)
    for (size_t k = 0; k < y->nshapes; k++) {
      const MbRigShape *s = &x->shape[i], *t = &y->shape[k];
      if (!s->collides || !t->collides) continue;
      all++;
      if (!meet(s, t)) continue;
      some++;
      const double mu = mb_rig_slide(s, t);
      mean = sqrt(s->friction * t->friction);
      least = fmin(least, mu), most = fmax(most, mu);
      other |= fabs(mu - mean) > 1e-15;
    }
  if (!some) return add_pair(door, a, b, NAN);
  if (some < all)
    mb_door_note(door, x->at, true,
                 "some shapes of \"%s\" and \"%s\" collide with one another, others not: all do", x->name,
                 y->name);
  if (!other) return true;
  if (least != most)
    mb_door_note(door, x->at, true,
                 "shapes of \"%s\" and \"%s\" have several frictions: a scene has one of two bodies, the "
                 "largest is taken",
                 x->name, y->name);
  return add_pair(door, a, b, most);
}

// Whether any two shapes may differ in what they say: where all say the same there is nothing to be said of pairs.
static bool all_alike(const MbRig *rig) {
  const MbRigShape *first = NULL;
  for (size_t b = 0; b < rig->nbodies; b++)
    for (size_t k = 0; k < rig->body[b].nshapes; k++) {
      const MbRigShape *s = &rig->body[b].shape[k];
      if (!s->collides) continue;
      if (!first) first = s;
      if (s->contype != first->contype || s->conaffinity != first->conaffinity ||
          s->condim != first->condim || s->friction != first->friction)
        return false;
    }
  return first && meet(first, first) && first->condim != 1;
}

static bool list_pairs(MbDoor *door, const Touching *list, size_t n) {
  enum { MOST = 2000 }; // bodies, of which each two are looked at
  if (all_alike(&door->rig)) return true;
  if (n > MOST) {
    mb_door_note(door, door->rig.body[0].at, true,
                 "contype, conaffinity and friction of more than %d bodies that collide: all of them collide",
                 MOST);
    return true;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t k = i + 1; k < n; k++)
      if (!are_joined(&door->rig, &list[i], &list[k]) && !judge(door, &list[i], &list[k])) return false;
  return true;
}

// ---- friction ---------------------------------------------------------------------------------------------

static int rising(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// What most shapes have; NaN where none says any.
static bool find_friction(MbDoor *door) {
  MbRig *rig = &door->rig;
  size_t n = 0, best = 0;
  for (size_t b = 0; b < rig->nbodies; b++) n += rig->body[b].nshapes;
  double *mu = mb_calloc(n + 1, sizeof *mu);
  if (!mu) return mb_door_no_memory(door);
  n = 0;
  for (size_t b = 0; b < rig->nbodies; b++)
    for (size_t k = 0; k < rig->body[b].nshapes; k++)
      if (rig->body[b].shape[k].collides && !isnan(rig->body[b].shape[k].friction))
        mu[n++] = rig->body[b].shape[k].friction;
  if (n) qsort(mu, n, sizeof *mu, rising);
  rig->friction = NAN;
  for (size_t i = 0; i < n;) {
    size_t same = 1;
    while (i + same < n && mu[i + same] == mu[i]) same++;
    if (same > best) best = same, rig->friction = mu[i];
    i += same;
  }
  mb_free(mu);
  return true;
}

bool mb_rig_find_contact(MbDoor *door) {
  MbRig *rig = &door->rig;
  Touching *list = mb_calloc(rig->nbodies + 1, sizeof *list);
  size_t n = 0;
  bool moves = false;
  if (!list) return mb_door_no_memory(door);
  for (size_t b = 0; b < rig->nbodies; b++) {
    bool collides = false;
    for (size_t k = 0; k < rig->body[b].nshapes; k++) collides |= rig->body[b].shape[k].collides;
    if (!collides || rig->body[b].merged) continue;
    list[n] = (Touching){.body = b, .moves = mover(rig, b)};
    moves |= !is_static(&list[n]);
    n++;
  }
  bool fine = find_friction(door);
  rig->contact = rig->contact && n > 1 && moves;
  if (fine && rig->contact) fine = list_pairs(door, list, n);
  mb_free(list);
  if (fine && rig->contact) mb_rig_order_pairs(rig);
  return fine;
}
