// Where bodies touch. A contact is listed where its gap may close within the step that begins: nothing is held at a distance, as what is
// asked of a gap is that the step's end leaves none open to less than 0 (ask.c). The list depends on coordinates and velocities of the
// state alone, and its order on the scene's.
#include "core/sim/touch.h"
#include "core/base/alloc.h"
#include "core/base/targets.h"
#include "core/sim/constrain_internal.h"

#include <stddef.h>
#include <string.h>

static const double NEAR =
    0.01; // of the smaller one's size: listed whatever the velocities, as forces may be large

// ---- looking ----------------------------------------------------------------------------------------------

// Whether a solid's axes are its body's.
static bool is_plain(const MbPose *at) {
  return at->p[0] == 0 && at->p[1] == 0 && at->p[2] == 0 && at->q[0] == 1 && at->q[1] == 0 && at->q[2] == 0 &&
         at->q[3] == 0;
}

// Where the solids are, how far they may go in a step, and the boxes that hold them on their way.
static void place(MbSim *sim) {
  MbTouching *t = sim->touching;
  const double h = sim->model->h, fall = 2 * h * h * mb_vec3_norm(sim->model->gravity);
  for (size_t i = 0; i < t->rules->nsolids; i++) {
    const MbSolid *solid = &t->rules->solids[i];
    const bool moves = t->rules->moved[solid->body] != MB_WORLD;
    const double *phi = sim->x.phi + 6 * solid->body;
    if (is_plain(&solid->at))
      t->E[i] = sim->x.E[solid->body];
    else
      mb_pose_mul(&t->E[i], &sim->x.E[solid->body], &solid->at);
    t->way[i] = moves ? h * (mb_vec3_norm(phi + 3) + t->solids.reach[i] * mb_vec3_norm(phi)) + fall : 0;
    t->placed[i] = mb_place(&t->solids.shape[i], &t->E[i]);
    mb_shape_bounds_at(&t->solids.shape[i], t->placed[i].p, t->placed[i].R, &t->bounds[i]);
    const double wide = t->way[i] + (isfinite(t->solids.size[i]) ? NEAR * t->solids.size[i] : 0);
    for (int k = 0; k < 3; k++) t->bounds[i].low[k] -= wide, t->bounds[i].high[k] += wide;
  }
}

static bool behind(const MbContactPoint *x, const MbContactPoint *y) {
  if (x->feature_a != y->feature_a) return x->feature_a > y->feature_a;
  return x->feature_b > y->feature_b;
}

// order ← that of features, of equal ones as they come.
static void sort_points(const MbContactPoint *point, int n, uint8_t order[MB_CONTACT_POINTS]) {
  for (int i = 0; i < n; i++) {
    int k = i;
    for (; k > 0 && behind(&point[order[k - 1]], &point[i]); k--) order[k] = order[k - 1];
    order[k] = (uint8_t)i;
  }
}

// What all contacts of a pair of solids have. False: out of memory.
static bool describe_pair(MbTouching *t, uint32_t a, uint32_t b, double size, MbTouch *touch) {
  const MbSolid *const solid[2] = {&t->rules->solids[a], &t->rules->solids[b]};
  const MbBodyRule *rule = t->rules->nrules ? mb_touch_rule(t->rules, solid[0]->body, solid[1]->body) : NULL;
  MbTouchEnds *ends = mb_touch_begin_ends(&t->next, touch);
  if (!ends) return false;
  ends->n = 2, ends->weight[0] = -1, ends->weight[1] = 1;
  for (int k = 0; k < 2; k++)
    ends->end[k] = t->rules->moved[solid[k]->body] == MB_WORLD ? MB_WORLD : solid[k]->body;
  touch->a = a, touch->b = b, touch->size = size, touch->rebounds = touch->narrow = false;
  touch->mu = sqrt(solid[0]->friction * solid[1]->friction);
  touch->bounce = fmax(solid[0]->restitution, solid[1]->restitution);
  if (rule && !isnan(rule->friction)) touch->mu = rule->friction;
  if (rule && !isnan(rule->restitution)) touch->bounce = rule->restitution;
  return true;
}

double mb_touch_within(const MbTouching *t, uint32_t a, uint32_t b) {
  return t->way[a] + t->way[b] + NEAR * fmin(t->solids.size[a], t->solids.size[b]);
}

// The contacts of one pair, in order of their features. Each is written where it is to be: they are the most numbers of a pile.
static bool add_pair(MbSim *sim, uint32_t a, uint32_t b) {
  MbTouching *t = sim->touching;
  MbTouches *now = &t->next;
  const double size = fmin(t->solids.size[a], t->solids.size[b]), within = mb_touch_within(t, a, b);
  MbContactPoint point[MB_CONTACT_POINTS];
  const int n = mb_collide_placed(&t->placed[a], &t->placed[b], within, point);
  if (n <= 0) return true;
  if (!mb_grow(&now->touch, &now->room, now->n + (size_t)n, sizeof *now->touch)) return false;
  uint8_t order[MB_CONTACT_POINTS];
  sort_points(point, n, order);
  for (int i = 0; i < n; i++) {
    const MbContactPoint *from = &point[order[i]];
    MbTouch *made = &now->touch[now->n + (size_t)i];
    if (i)
      memcpy(made, made - 1, sizeof *made);
    else if (!describe_pair(t, a, b, size, made))
      return false;
    mb_vec3_set(made->lambda, 0, 0, 0);
    made->feature_a = from->feature_a, made->feature_b = from->feature_b;
    mb_vec3_copy(made->point, from->position);
    made->gap = from->gap;
    mb_vec3_copy(made->normal, from->normal);
  }
  now->n += (size_t)n;
  return true;
}

static bool same_pair(const MbPushed *x, const MbTouch *y) { return x->a == y->a && x->b == y->b; }

// Which of the last contacts of a deformable is this one, whose parts are the same by their numbers: that with its features, else the first of its part. Parts
// ascend, so *first goes on to this one's.
static const MbPushed *find_same_part(const MbPushed **first, const MbPushed *end, const MbTouch *touch) {
  while (*first < end && (*first)->feature_a < touch->feature_a) ++*first;
  const MbPushed *same = *first < end && (*first)->feature_a == touch->feature_a ? *first : NULL;
  for (const MbPushed *at = *first; at < end && at->feature_a == touch->feature_a; at++)
    if (at->feature_b == touch->feature_b) return at;
  return same;
}

// How far what has pushed is gone through: pairs ascend in both lists.
typedef struct Recall {
  const MbPushed *at, *end;
} Recall;

// What has pushed is where the solution starts, in the axes that the contacts have now: those from `first` on.
static void remember(Recall *recall, MbTouches *now, size_t first, size_t nsolids) {
  for (size_t i = first; i < now->n;) {
    const uint32_t a = now->touch[i].a, b = now->touch[i].b;
    const MbPushed *was = recall->at;
    while (was < recall->end && (was->a < a || (was->a == a && was->b < b))) was++;
    const MbPushed *end = was;
    while (end < recall->end && same_pair(end, &now->touch[i])) end++;
    recall->at = end;
    for (; i < now->n && now->touch[i].a == a && now->touch[i].b == b; i++) {
      MbTouch *touch = &now->touch[i];
      const MbPushed *same = a >= nsolids ? find_same_part(&was, end, touch) : mb_touch_same(was, end, touch);
      if (same) memcpy(touch->lambda, same->lambda, sizeof touch->lambda);
    }
  }
}

bool mb_touch_look(MbSim *sim, const MbPushes *pushed, bool points) {
  MbTouching *t = sim->touching;
  const size_t nsolids = t->rules->nsolids;
  Recall recall = {pushed->touch, pushed->touch + pushed->n};
  place(sim);
  t->next.n = t->next.nends = 0;
  t->fresh = false;
  if (!mb_broad_find(&t->broad, (uint32_t)nsolids, t->bounds)) return false;
  for (size_t i = 0; i < t->broad.npairs; i++) {
    const MbPair pair = t->broad.pair[i];
    const size_t before = t->next.n;
    if (mb_touch_may(t, sim->model, pair.a, pair.b) && !add_pair(sim, pair.a, pair.b)) return false;
    remember(&recall, &t->next, before, nsolids);
  }
  const size_t before = t->next.n;
  if (t->nsurfaces && !mb_touch_look_surfaces(sim, points)) return false;
  remember(&recall, &t->next, before, nsolids);
  return true;
}

// ---- rows -------------------------------------------------------------------------------------------------

// Whether rows of a contact are about the same bodies as those of the one before it (NULL: none), and no others.
static bool same_bodies(const MbTouchEnds *ends, const MbTouchEnds *last) {
  return last && ends->n == 2 && last->n == 2 && ends->end[0] == last->end[0] && ends->end[1] == last->end[1];
}

// Whether the rows of contact i have the same terms in two lists.
static bool same_terms(const MbTouches *before, const MbTouches *now, size_t i) {
  const MbTouch *x = &before->touch[i], *y = &now->touch[i];
  const MbTouchEnds *from = mb_touch_ends(before, x), *to = mb_touch_ends(now, y);
  bool same = from->n == to->n && x->mu == y->mu && x->bounce == y->bounce;
  for (size_t k = 0; k < from->n && same; k++) same = from->end[k] == to->end[k];
  return same;
}

bool mb_touch_renew(void *context, const MbSim *sim, size_t rows, bool *same) {
  MbTouching *t = context;
  if (!t->fresh && !mb_touch_look((MbSim *)sim, &t->last, true)) return false;
  const MbTouches before = t->now;
  t->now = t->next;
  t->next = before;
  t->fresh = t->carried.made = false;
  if (!mb_grow(&t->done.touch, &t->done.room, t->now.n, sizeof *t->done.touch)) return false;
  if (!mb_impacts_reserve(&t->impacts, t->now.n)) return false;
  const size_t told = t->now.n > t->impacts.room ? t->now.n : t->impacts.room;
  if (!mb_grow(&t->turn, &t->turn_room, told, sizeof *t->turn)) return false;
  *same = false;
  if (mb_touch_apart(sim)) return true;
  if (!mb_touch_carried_begin((MbSim *)sim, t->now.n)) return false;
  *same = before.n == t->now.n && rows == 3 * before.n;
  for (size_t i = 0; i < before.n && *same; i++) *same = same_terms(&before, &t->now, i);
  return true;
}

// Three rows a contact: the normal, then the tangents.
bool mb_touch_list(void *context, const MbSim *sim, MbRowSet *set) {
  MbTouching *t = context;
  if (mb_touch_apart(sim)) return true;
  for (size_t i = 0; i < t->now.n; i++) {
    const MbTouch *touch = &t->now.touch[i];
    const MbTouchEnds *ends = mb_touch_ends(&t->now, touch);
    MbRowTerms terms = {.kind = MB_ROW_CONTACT,
                        .alpha = t->rules->compliance,
                        .beta = t->rules->damping,
                        .mu = touch->mu,
                        .bounce = touch->bounce,
                        .target = true,
                        .two_bodies = ends->n <= 2,
                        .name = "contact",
                        .key = i,
                        .claimed = MB_WORLD};
    const MbTouchEnds *before_it = i ? mb_touch_ends(&t->now, touch - 1) : NULL;
    terms.normal = set->n;
    for (int k = 0; k < 3; k++) {
      if (!(k || same_bodies(ends, before_it) ? mb_row_set_add_beside(set, &terms)
                                              : mb_row_set_add(sim, set, ends->end, ends->n, &terms)))
        return false;
      terms.kind = MB_ROW_FRICTION, terms.alpha = terms.beta = 0;
    }
  }
  return true;
}

// ( r × Rᵀ d ; Rᵀ d ), r = Rᵀ (p − c)
void mb_touch_push_at(double H[6], const MbPose *E, const double p[3], const double d[3], double sign) {
  double r[3];
  mb_vec3_sub(r, p, E->p);
  mb_quat_unrotate(r, E->q, r);
  mb_quat_unrotate(H + 3, E->q, d);
  mb_vec3_scale(H + 3, sign, H + 3);
  mb_vec3_cross(H, r, H + 3);
}

// mb_touch_push_at of three directions, to the same bits.
static void push_three(double *const H[3], const MbPose *E, const double p[3], const double d[3][3],
                       double sign) {
  double r[3];
  mb_vec3_sub(r, p, E->p);
  mb_quat_unrotate(r, E->q, r);
  for (int k = 0; k < 3; k++) {
    mb_quat_unrotate(H[k] + 3, E->q, d[k]);
    mb_vec3_scale(H[k] + 3, sign, H[k] + 3);
    mb_vec3_cross(H[k], r, H[k] + 3);
  }
}

// Unit forces along three directions on one end, times its weight: on a node they act where that is.
static void push_end(double *const H[3], const MbModel *model, const MbInstant *at, const MbTouch *touch,
                     size_t end, double weight, const double d[3][3]) {
  const bool node = end >= model->nlisted;
  if (end < model->nb) {
    push_three(H, &at->x->E[end], node ? at->x->E[end].p : touch->point, d, weight);
    return;
  }
  for (int k = 0; k < 3; k++) {
    mb_vec3_set(H[k], 0, 0, 0);
    mb_vec3_scale(H[k] + 3, weight, d[k]);
  }
}

// Of the bodies where they were when the contacts were found, whatever the instant.
MB_CLONES __attribute__((flatten)) void mb_touch_eval(void *context, const MbInstant *at, MbRowSet *set,
                                                      size_t first, size_t n) {
  const MbTouching *t = context;
  double axis[3][3], *H[3];
  for (size_t i = 0; i < n; i += 3) {
    const MbTouch *touch = &t->now.touch[i / 3];
    const MbTouchEnds *ends = mb_touch_ends(&t->now, touch);
    MbRow *row = &set->row[first + i];
    mb_touch_axes(touch->normal, axis);
    for (size_t k = 0; k < ends->n; k++) {
      for (size_t r = 0; r < 3; r++) {
        H[r] = k < 2 ? row[r].H[k] : set->ends[set->end[first + i + r] + k - 2].H;
        if (k < 2) row[r].body[k] = ends->end[k];
      }
      if (ends->end[k] != MB_WORLD)
        push_end(H, t->model, at, touch, ends->end[k], ends->weight[k], (const double(*)[3])axis);
    }
    for (size_t r = 0; r < 3; r++) {
      row[r].order = 1; // no gap that stabilization closes
      row[r].g = r ? 0 : touch->gap;
      row[r].size = touch->size;
    }
  }
}

// ---- after a solution -------------------------------------------------------------------------------------

void mb_touch_take(MbSim *sim, const double *v) {
  MbTouching *t = sim->touching;
  if (!t) return;
  const MbConstraining *c = sim->constraining;
  mb_touch_begin_notes(sim);
  for (size_t i = 0; i < c->n; i++) {
    if (c->kind[i] != MB_CONTACT_NORMAL) continue;
    if (!(c->answer.lambda[i] > 0) && !t->noted) continue;
    double rate[2][3], *const before = rate[0], *const after = rate[1];
    mb_row_rate_three(&c->set, c->slot[i], (const double *const[]){sim->state.v, v}, rate);
    // where the next of a step's passes starts
    MbTouch *touch = &t->now.touch[c->set.is[c->slot[i]].key];
    if (!(c->answer.lambda[i] > 0)) {
      mb_touch_note_near(sim, touch, before, after);
      continue;
    }
    memcpy(touch->lambda, c->answer.lambda + i, sizeof touch->lambda);
    mb_touch_note(sim, touch, touch->lambda, after, before[0], mb_vec3_dot(touch->lambda, before));
  }
}

bool mb_touch_watch(MbSim *sim, MbTouchWatch watch) {
  if (sim->touching) sim->touching->watch = watch;
  return sim->touching != NULL;
}

void mb_touch_forget(MbSim *sim) {
  if (sim->touching) sim->touching->fresh = false;
}

// What pushed is the state's; the rest is worth nothing.
void mb_touch_commit(MbSim *sim) {
  MbTouching *t = sim->touching;
  const MbPushes last = t->last;
  t->last = t->done;
  t->done = last;
  mb_impacts_commit(&t->impacts, sim->state.step);
  mb_section(sim, MB_SECTION_CONTACT)[0] = t->work;
  mb_section(sim, MB_SECTION_CONTACT)[1] = t->kept.parted;
}
