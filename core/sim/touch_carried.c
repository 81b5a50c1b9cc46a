// What rides on what turns. Rows are asked where a step begins, and there what sticks has the velocity of the point it lies on; but in the step
// that point goes along an arc, and a body that flies goes straight. So what was asked to stick would be left behind on the tangent, farther out
// by (ω h)²/2 of its distance in every step. What is wanted is that b has not gone over a in the step, as coordinates move in it: body i takes its
// centre by D_i and turns by Q_i = exp(θ_i), as joints have it, and a point of it at r_i from its centre goes by D_i + (Q_i − 1) r_i. So tangents ask,
// in the place of h G v = 0, for
//
//   s = D_b − D_a + (Q_b − 1) r_b − (Q_a − 1) r_a = 0
//
// that the same two points touch at the step's end, by  G v = (h G v − s)/h,  where the right-hand side is of second order. Nodes of deformables go
// by h v. A ball b goes over a by y = D_b − D_a − (Q_a − 1)(c_b − c_a), and other points touch at the step's end. Seen from a, whose axes turn,
// its centre goes by Q_a⁻¹ y and it turns by δ about it, with its point at r_b from it all the time where a is flat:
//
//   s = Q_a⁻¹ y + δ × r_b = 0,   δ = log(Q_a⁻¹ Q_b)
//
// so that what comes nearer along the normal does not slip: a thing between two fingers could not stick to both if it
// did. Where both turn alike the two are the same, and what sticks keeps its place. So the second is asked of all solids: as s is a rigid motion,
// all points of two that lie flat on one another can stick together, which they cannot do by the first where the two turn a little differently.
// Of what is not round, and turns otherwise than what it is on, that is as little true as that points stay where they are: a part of s is asked
// for that goes to none where one of the two does not turn.
//
// D and Q are those of the velocities that are being solved for. They are known by the last step's velocities but for what changes in the
// step, where bodies go straight but for what turns them; of links, the solution is made again about what it has led to, as often as that
// changes by more than the solution is good for. The change is less by a part of ω h each time.
//
// Normals ask for the same s: of fingers that swing, what a row at the step's start sees of their gap is off by as much as what its tangents see, and what
// four points of a thing between two fingers were asked for would fit no motion of it. So a gap is to be  gap + n · s ≥ 0  at the step's end,
// which leaves no depth but for how surfaces curve. That is asked where joints hold one of the two, as what is driven is known by the last step alone. A blow that throws back is asked of the velocities before it alone.
//
// It is asked of pairs of which one is driven and turns, or is held by joints.
#include "core/sim/touch_carried.h"
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/layout.h"
#include "core/sim/lists.h"
#include "core/sim/touch.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- where bodies get to ----------------------------------------------------------------------------------

static bool goes_straight(const MbSim *sim, size_t body) {
  return mb_reached_apart(sim) || (!sim->model->joint[body].ops && sim->model->parent[body] == MB_WORLD);
}

static void reach_all(MbSim *sim, const double *v) {
  static const double SOME = 8; // places that are sums of several
  MbTouchCarried *c = &sim->touching->carried;
  c->rounding = SOME * DBL_EPSILON * mb_reached_go(sim, &c->reached, v) / sim->model->h;
}

// How a body goes in a step.
typedef struct Way {
  const double *c;      // its centre at the start
  double d[3], turn[3]; // that it goes, and turns by
  double q[4];          // the turn as a quaternion, in the world's axes
  bool straight;
} Way;

static Way way_of(const MbSim *sim, const MbArcs *arcs, size_t body) {
  const MbPose *from = &sim->x.E[body], *to = &arcs->to[body];
  Way way = {.c = from->p, .straight = goes_straight(sim, body)};
  double back[4];
  mb_vec3_sub(way.d, to->p, from->p);
  mb_quat_conj(back, from->q);
  mb_quat_mul(way.q, to->q, back);
  mb_quat_log(way.turn, way.q);
  return way;
}

// u ← (Q − 1) r
static void swing(const double q[4], const double r[3], double u[3]) {
  double once[3], twice[3];
  mb_vec3_cross(once, q + 1, r);
  mb_vec3_cross(twice, q + 1, once);
  for (int k = 0; k < 3; k++) u[k] = 2 * (q[0] * once[k] + twice[k]);
}

// ---- what two do ------------------------------------------------------------------------------------------

// What a contact is about. MB_WORLD in the place of a body: a deformable.
typedef struct Pair {
  size_t body[2];
  bool goes[2]; // which goes over the other, as a ball does: both by half, where neither is it alone
  bool round;   // one is
  bool linked;  // joints hold one
  bool driven;  // one is
} Pair;

// A body that is driven and does not turn carries nothing round, nor does what stands still.
static bool stands(const MbSim *sim, uint32_t solid) {
  const MbTouching *t = sim->touching;
  const size_t body = t->rules->solids[solid].body;
  const double *phi = sim->x.phi + 6 * body;
  return t->rules->moved[body] == MB_WORLD || (t->driven[solid] && phi[0] == 0 && phi[1] == 0 && phi[2] == 0);
}

static bool is_round(MbShapeKind kind) {
  return kind == MB_SHAPE_SPHERE || kind == MB_SHAPE_CAPSULE || kind == MB_SHAPE_CYLINDER ||
         kind == MB_SHAPE_ELLIPSOID;
}

static Pair describe(const MbSim *sim, uint32_t a, uint32_t b) {
  const MbTouching *t = sim->touching;
  const uint32_t which[2] = {a, b};
  bool round[2] = {false, false}, holds[2] = {false, false};
  Pair pair = {.body = {MB_WORLD, MB_WORLD}};
  for (int k = 0; k < 2; k++) {
    if (which[k] >= t->rules->nsolids) continue;
    pair.body[k] = t->rules->solids[which[k]].body;
    round[k] = is_round(t->rules->solids[which[k]].kind);
    holds[k] = t->carried.linked[pair.body[k]] || t->driven[which[k]];
    pair.linked |= t->carried.linked[pair.body[k]];
    pair.driven |= t->driven[which[k]];
  }
  pair.round = round[0] || round[1];
  for (int k = 0; k < 2; k++) pair.goes[k] = pair.round ? round[k] : holds[0] == holds[1] || !holds[k];
  return pair;
}

// Whether tangents of a contact ask for arcs. *iterates: these are not known before the step is solved.
static bool pair_of(const MbSim *sim, uint32_t a, uint32_t b, Pair *pair, bool *iterates) {
  const uint32_t which[2] = {a, b};
  for (int k = 0; k < 2; k++)
    if (which[k] < sim->touching->rules->nsolids && stands(sim, which[k])) return false;
  *pair = describe(sim, a, b);
  *iterates |= pair->linked;
  return pair->driven || pair->linked;
}

// How body or node `end` takes the point of contact along.
static void goes(const MbSim *sim, const MbArcs *arcs, const double point[3], size_t end, double u[3]) {
  const MbModel *model = sim->model;
  if (end < model->nlisted) {
    const Way way = way_of(sim, arcs, end);
    double r[3];
    mb_vec3_sub(r, point, way.c);
    swing(way.q, r, u);
    mb_vec3_add(u, u, way.d);
    return;
  }
  const size_t at =
      end < model->nb ? sim->solver->map->layout->node(model, end) : sim->nv + 3 * (end - model->nb);
  mb_vec3_scale(u, model->h, arcs->v + at);
}

// s ← how far the points that touch get from one another.
static void pinned(const MbSim *sim, const MbArcs *arcs, const MbArcOf *of, double s[3]) {
  mb_vec3_set(s, 0, 0, 0);
  for (size_t k = 0; k < of->n; k++) {
    double u[3];
    if (of->end[k] == MB_WORLD) continue;
    goes(sim, arcs, of->point, of->end[k], u);
    mb_vec3_add_scaled(s, s, of->weight[k], u);
  }
}

// y ← how far `over` goes over `on`; `last`: as it did in the last step, by whose velocities bodies that go straight went that turned with `on` since.
static void gone(const Way *on, const Way *over, bool last, double y[3]) {
  double r[3], turned[3];
  mb_vec3_sub(y, over->d, on->d);
  mb_vec3_sub(r, over->c, on->c);
  swing(on->q, r, turned);
  mb_vec3_sub(y, y, turned);
  if (!last) return;
  swing(on->q, over->d, turned);
  if (over->straight) mb_vec3_add(y, y, turned);
  swing(on->q, on->d, turned);
  if (on->straight) mb_vec3_sub(y, y, turned);
}

// s ← s + how far `over` slips on `on`, as a ball, in the axes of `on`, times w
static void roll(const double point[3], const Way *on, const Way *over, bool last, double w, double s[3]) {
  double slip[3], y[3], r[3], part[3], back[4], apart[4];
  mb_quat_conj(back, on->q);
  mb_quat_mul(apart, back, over->q);
  mb_quat_log(part, apart);
  mb_vec3_sub(r, point, over->c);
  mb_vec3_cross(slip, part, r);
  gone(on, over, false, y);
  mb_vec3_add(slip, slip, y);
  gone(on, over, last, y);
  swing(back, y, part);
  mb_vec3_add(slip, slip, part);
  mb_vec3_add_scaled(s, s, w, slip);
}

// 1 where both turn alike, 0 where one does not turn, or turns back.
static double alike(const double a[3], const double b[3]) {
  const double size = mb_vec3_dot(a, a) + mb_vec3_dot(b, b);
  return size > 0 ? fmax(2 * mb_vec3_dot(a, b) / size, 0) : 0;
}

// The same by its slopes about turns a0 and b0.
static double nearly_alike(const double a[3], const double b[3], const double a0[3], const double b0[3]) {
  const double size = mb_vec3_dot(a0, a0) + mb_vec3_dot(b0, b0), both = 2 * mb_vec3_dot(a0, b0);
  double sum = both / size;
  if (!(size > 0) || !(both > 0)) return 0;
  for (int k = 0; k < 3; k++) {
    sum += 2 * (b0[k] - both / size * a0[k]) / size * (a[k] - a0[k]);
    sum += 2 * (a0[k] - both / size * b0[k]) / size * (b[k] - b0[k]);
  }
  return sum;
}

void mb_touch_arc_turns(const MbSim *sim, const MbArcs *arcs, const MbArcOf *of, double turns[2][3]) {
  const Pair pair = describe(sim, of->a, of->b);
  for (int k = 0; k < 2; k++) {
    mb_vec3_set(turns[k], 0, 0, 0);
    if (pair.body[k] == MB_WORLD) continue;
    const Way way = way_of(sim, arcs, pair.body[k]);
    mb_vec3_copy(turns[k], way.turn);
  }
}

double mb_touch_arc(const MbSim *sim, const MbArcs *arcs, const MbArcOf *of, double s[3]) {
  const Pair pair = describe(sim, of->a, of->b);
  if (pair.body[0] == MB_WORLD || pair.body[1] == MB_WORLD) {
    pinned(sim, arcs, of, s);
    return 1;
  }
  const Way way[2] = {way_of(sim, arcs, pair.body[0]), way_of(sim, arcs, pair.body[1])};
  const double half = pair.goes[0] && pair.goes[1] ? 0.5 : 1;
  mb_vec3_set(s, 0, 0, 0);
  if (pair.goes[0]) roll(of->point, &way[1], &way[0], arcs->last, -half, s);
  if (pair.goes[1]) roll(of->point, &way[0], &way[1], arcs->last, half, s);
  if (pair.round) return 1;
  if (!arcs->about) return alike(way[0].turn, way[1].turn);
  return nearly_alike(way[0].turn, way[1].turn, arcs->about[0], arcs->about[1]);
}

bool mb_touch_arc_closes(const MbSim *sim, uint32_t a, uint32_t b) { return describe(sim, a, b).linked; }

// How fast a body of the pair goes, any of its points.
static double speed_of(const MbSim *sim, const MbArcs *arcs, size_t body, uint32_t solid) {
  const Way way = way_of(sim, arcs, body);
  return (mb_vec3_norm(way.d) + mb_vec3_norm(way.turn) * sim->touching->solids.reach[solid]) / sim->model->h;
}

// Whether a contact throws back what comes, as it did at the step's start.
static bool rebounds(const MbSim *sim, const MbTouch *touch, size_t slot) {
  return touch->bounce > 0 &&
         mb_row_rate(&sim->constraining->set, slot, sim->state.v) < -sim->touching->rules->threshold;
}

// along ← what rows of a contact ask for, which begin at `slot`. How fast what meets there is.
static double ask_along(const MbSim *sim, const MbTouch *touch, const Pair *pair, size_t slot,
                        const MbArcs *arcs, double along[3]) {
  const MbRowSet *set = &sim->constraining->set;
  const MbTouchEnds *ends = mb_touch_ends(&sim->touching->now, touch);
  const MbArcOf of = {touch->a, touch->b, touch->point, ends->n, ends->end, ends->weight};
  double axis[3][3], s[3], size = 0;
  for (int k = 0; k < 2; k++)
    if (pair->body[k] != MB_WORLD) size += speed_of(sim, arcs, pair->body[k], k ? touch->b : touch->a);
  const double share = mb_touch_arc(sim, arcs, &of, s);
  mb_touch_axes(touch->normal, axis);
  for (size_t k = 0; k < 3; k++)
    along[k] = share * (mb_row_rate(set, slot + k, arcs->v) - mb_vec3_dot(s, axis[k]) / sim->model->h);
  if (!pair->linked || rebounds(sim, touch, slot)) along[0] = 0;
  return size;
}

// ---- a step -----------------------------------------------------------------------------------------------

bool mb_touch_carried_create(MbSim *sim) {
  MbTouchCarried *c = &sim->touching->carried;
  const MbModel *model = sim->model;
  c->linked = mb_arena_alloc(&sim->arena, model->nb, sizeof *c->linked);
  if (!c->linked || !mb_reached_create(sim, &c->reached)) return false;
  for (size_t b = 0; b < model->nlisted; b++) {
    if (!model->joint[b].ops) continue;
    c->linked[b] = true;
    if (model->parent[b] != MB_WORLD) c->linked[model->parent[b]] = true;
  }
  return true;
}

void mb_touch_carried_free(MbTouchCarried *c) { mb_free(c->along); }

size_t mb_touch_carried_bytes(const MbSim *sim) {
  return sim->touching->carried.room * sizeof *sim->touching->carried.along;
}

bool mb_touch_carried_begin(MbSim *sim, size_t n) {
  MbTouchCarried *c = &sim->touching->carried;
  c->made = c->iterates = false;
  c->n = 0;
  if (!mb_grow(&c->along, &c->room, n, sizeof *c->along)) return false;
  if (n) memset(c->along, 0, n * sizeof *c->along);
  c->n = n;
  return true;
}

void mb_touch_carried_guess(MbSim *sim) {
  MbTouching *t = sim->touching;
  const MbRowSet *set = &sim->constraining->set;
  Pair pair;
  bool any = false;
  if (t->carried.made) return;
  t->carried.made = true;
  mb_reached_forget(sim, &t->carried.reached);
  for (size_t i = 0; i < t->carried.n; i++) {
    const MbTouch *touch = &t->now.touch[i];
    if (!pair_of(sim, touch->a, touch->b, &pair, &t->carried.iterates)) continue;
    any = true;
    for (int k = 0; k < 2; k++)
      if (pair.body[k] != MB_WORLD) mb_reached_mark(sim, &t->carried.reached, pair.body[k]);
  }
  if (!any) return;
  reach_all(sim, sim->state.v);
  const MbArcs arcs = {.to = t->carried.reached.E, .v = sim->state.v, .last = true};
  for (size_t s = set->fixed; s < set->n; s++) {
    if (set->is[s].kind != MB_ROW_CONTACT) continue;
    const size_t i = set->is[s].key;
    const MbTouch *touch = &t->now.touch[i];
    if (pair_of(sim, touch->a, touch->b, &pair, &t->carried.iterates))
      ask_along(sim, touch, &pair, s, &arcs, t->carried.along[i]);
  }
}

double mb_touch_carried_again(MbSim *sim, const double *v) {
  MbTouching *t = sim->touching;
  MbConstraining *c = sim->constraining;
  bool iterates = false;
  double change = 0;
  t->carried.off = 0;
  reach_all(sim, v);
  const MbArcs arcs = {.to = t->carried.reached.E, .v = v};
  for (size_t i = 0; i < c->ntouches; i++) {
    const size_t row = c->cone[i].row, slot = c->slot[row], key = c->set.is[slot].key;
    const MbTouch *touch = &t->now.touch[key];
    Pair pair;
    double along[3];
    if (!pair_of(sim, touch->a, touch->b, &pair, &iterates)) continue;
    const double speed = ask_along(sim, touch, &pair, slot, &arcs, along);
    for (int k = 0; k < 3; k++) {
      const double more = along[k] - t->carried.along[key][k];
      if (fabs(more) > t->carried.rounding) change = fmax(change, fabs(more) / (speed + c->loose));
      t->carried.off = fmax(t->carried.off, fabs(more));
      c->b[row + (size_t)k] -= more;
      t->carried.along[key][k] = along[k];
    }
  }
  return change;
}

bool mb_touch_carries(const MbSim *sim, uint32_t a, uint32_t b) {
  Pair pair;
  bool iterates = false;
  return pair_of(sim, a, b, &pair, &iterates);
}

void mb_touch_carried(const MbSim *sim, const MbTouch *touch, double along[3]) {
  const MbTouching *t = sim->touching;
  along[0] = along[1] = along[2] = 0;
  if (!t->carried.made) return;
  const size_t i = (size_t)(touch - t->now.touch);
  memcpy(along, t->carried.along[i], sizeof t->carried.along[i]);
}
