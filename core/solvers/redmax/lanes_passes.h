// The passes over a tree for MB_LANES instances: the table MB_LANES_TABLE of a file that defines both and includes this, with
// MB_LANES_NAME what it says of itself. Featherstone's recursion (RM 2.12, 2.13) with the accelerations measured from γ,
// what they would be at v̇ = 0 under gravity:
//   forward   E, (ω, v), γ of every body from its parent's
//   backward  Î = I + Σ children's,  p = Iγ + velocity terms − f + Σ children's
//             U = Î T,  G = Tᵀ U,  u = y − Tᵀ p;   to the parent: Î − U G⁻¹ Uᵀ,  p + U G⁻¹ u
//             (of revolute joints U and Î are moved to the parent's origin first, side by side with the division)
//   outward   v̇ = G⁻¹ (u − Uᵀ a),  a ← a + T v̇
#include "core/solvers/redmax/lanes_joints.h"
#include "core/solvers/redmax/lanes_work.h"
#include "core/solvers/redmax/sines.h"

MB_KERNEL Real load(const double *a, size_t i) {
  Real x;
  memcpy(&x, a + MB_LANES * i, sizeof x);
  return x;
}
MB_KERNEL void store(double *a, size_t i, Real x) { memcpy(a + MB_LANES * i, &x, sizeof x); }
MB_KERNEL Vec load_vec(const double *a, size_t i) {
  return (Vec){load(a, i), load(a, i + 1), load(a, i + 2)};
}
MB_KERNEL void store_vec(double *a, size_t i, Vec x) {
  store(a, i, x.x);
  store(a, i + 1, x.y);
  store(a, i + 2, x.z);
}

// ---- forward ----------------------------------------------------------------------------------------------

MB_KERNEL void keep(Frame *slot, Frame own, bool poses) {
  slot->q = own.q;
  slot->R = own.R;
  slot->motion.turn = own.motion.turn;
  slot->gamma = own.gamma;
  if (!poses) return;
  slot->O = own.O;
  slot->motion.line = own.motion.line;
}

// The pose of a body and its twist, c being C − O.
MB_KERNEL void tell(Frame own, Vec c, double *E, double *phi) {
  store_vec(E, 0, add(own.O, c));
  store(E, 3, own.q.w);
  store_vec(E, 4, (Vec){own.q.x, own.q.y, own.q.z});
  store_vec(phi, 0, apply_transposed(own.R, own.motion.turn));
  store_vec(phi, 3, apply_transposed(own.R, add_cross(own.motion.line, own.motion.turn, c)));
}

// What becomes of a body's place and motion: its inertia in world axes, its pose and twist.
MB_KERNEL void settle(const Link *link, Frame own, Rigid *rigid, double *E, double *phi) {
  const Vec c = turn(own.R, link->c), h = scale((Real){0} + link->m, c);
  rigid->h = h;
  rigid->I = rigid_inertia(link->I, own.R, c, h);
  rigid->w = own.motion.turn;
  rigid->gamma = own.gamma;
  if (E) tell(own, c, E, phi);
}

// Sine and cosine of half the coordinates of a window.
typedef struct Window {
  size_t begin, end;
  double cosine[SINES], sine[SINES];
} Window;

// Moves the window on to so many coordinates from the first on, if it does not have them.
MB_KERNEL void reach(Window *window, const MbLinks *links, const double *q, size_t first, size_t n) {
  if (first + n <= window->end) return;
  window->begin = first, window->end = first + SINES / MB_LANES;
  if (window->end > links->nq) window->end = links->nq;
  half_sines(q + MB_LANES * first, MB_LANES * (window->end - first), window->cosine, window->sine);
}

MB_ASIDE void forward_other(MbRecursion *work, size_t b, Window *window, const double *q, const double *v,
                            double *E, double *phi) {
  const MbHop *hop = &work->links->hop[b];
  Frame own;
  if (hop->turns) {
    reach(window, work->links, q, hop->q, hop->n);
    const size_t at = MB_LANES * (hop->q - window->begin);
    forward_turns(work, b, window->cosine + at, window->sine + at, v, &work->frame[hop->up], &own);
  } else {
    own = forward_joint(work, b, q, v, work->frame[hop->up]);
  }
  work->frame[hop->slot] = own;
  work->stand[b].V = own.motion;
  settle(&work->link[b], own, &work->rigid[b], E, phi);
  const Vec none = {0};
  if (hop->flies) work->rigid[b].w = none; // its velocity term is a force (forces/velocity_term.c)
}

// A body alone in space: O is its C, its twist is its velocities in C axes, and nothing hangs on it that would need its frame. Whether or
// not anything acts on it, its velocities are what the passes make of them, without a turn to the world's axes and back.
MB_ASIDE void forward_alone(MbRecursion *work, size_t b, const double *q, const double *v, double *E,
                            double *phi) {
  const MbHop *hop = &work->links->hop[b];
  const Link *link = &work->link[b];
  Rigid *rigid = &work->rigid[b];
  const Vec O = load_vec(q, hop->q), w = load_vec(v, hop->v), u = load_vec(v, hop->v + 3), none = {0};
  const Quat turned = {load(q, hop->q + 3), load(q, hop->q + 4), load(q, hop->q + 5), load(q, hop->q + 6)};
  const Mat R = quat_mat(turned);
  const Screw rate = free_motion(work->T + hop->column, R, w, u);
  work->stand[b].r = O;
  rigid->h = none;
  rigid->I = rigid_inertia(link->I, R, none, none);
  rigid->w = hop->flies ? none : rate.turn; // as forward_other has it
  rigid->gamma = work->frame[0].gamma;
  if (!E) return;
  store_vec(E, 0, O);
  store(E, 3, turned.w);
  store_vec(E, 4, (Vec){turned.x, turned.y, turned.z});
  store_vec(phi, 0, w);
  store_vec(phi, 3, apply_transposed(R, u));
}

MB_KERNEL void forward_all(MbRecursion *work, const double *q, const double *v, double *E, double *phi) {
  const MbLinks *links = work->links;
  Window window;
  window.begin = window.end = 0;
  for (size_t b = 0; b < links->nb; b++) {
    const MbHop *hop = &links->hop[b];
    const Link *link = &work->link[b];
    double *const Eb = E ? E + MB_LANES * 7 * b : NULL, *const phib = E ? phi + MB_LANES * 6 * b : NULL;
    if (hop->alone) {
      forward_alone(work, b, q, v, Eb, phib);
      continue;
    }
    if (hop->kind != MB_LINK_REVOLUTE) {
      forward_other(work, b, &window, q, v, Eb, phib);
      continue;
    }
    reach(&window, links, q, hop->q, 1);
    const Frame own = forward_revolute(link, work->turn + link->turn, &work->frame[hop->up], &work->stand[b],
                                       load(window.cosine, hop->q - window.begin),
                                       load(window.sine, hop->q - window.begin), load(v, hop->v), E != NULL);
    if (!hop->leaf) keep(&work->frame[hop->slot], own, E != NULL);
    settle(link, own, &work->rigid[b], Eb, phib);
  }
}

static void forward(MbRecursion *work, const double *q, const double *v, double *E, double *phi) {
  if (E)
    forward_all(work, q, v, E, phi);
  else
    forward_all(work, q, v, NULL, NULL);
}

// ---- an instant that has been kept ------------------------------------------------------------------------

MB_KERNEL Quat rotation_of(const double *E) { return (Quat){load(E, 3), load(E, 4), load(E, 5), load(E, 6)}; }

MB_ASIDE void recall_other(MbRecursion *work, size_t b, const double *q, const double *v, double *E,
                           double *phi) {
  const MbHop *hop = &work->links->hop[b];
  const Stand *stand = &work->stand[b];
  if (hop->alone) {
    forward_alone(work, b, q, v, E, phi);
    return;
  }
  Frame own = {.q = rotation_of(E), .O = add(work->frame[hop->up].O, stand->r), .motion = stand->V};
  own.R = quat_mat(own.q);
  work->frame[hop->slot] = own;
  tell(own, turn(own.R, work->link[b].c), E, phi);
}

static void recall(MbRecursion *work, const double *q, const double *v, double *E, double *phi) {
  const MbLinks *links = work->links;
  for (size_t b = 0; b < links->nb; b++) {
    const MbHop *hop = &links->hop[b];
    const Link *link = &work->link[b];
    double *const Eb = E + MB_LANES * 7 * b, *const phib = phi + MB_LANES * 6 * b;
    if (hop->kind != MB_LINK_REVOLUTE) {
      recall_other(work, b, q, v, Eb, phib);
      continue;
    }
    Frame own;
    own.q = rotation_of(Eb);
    place_revolute(link, work->turn + link->turn, &work->frame[hop->up], &own, &work->stand[b],
                   load(v, hop->v), true);
    tell(own, turn(own.R, link->c), Eb, phib);
    if (hop->leaf) continue;
    Frame *slot = &work->frame[hop->slot];
    slot->R = own.R, slot->O = own.O, slot->motion = own.motion;
  }
}

// ---- backward ---------------------------------------------------------------------------------------------

// A wrench f of C in C axes, at O in the world's.
MB_KERNEL Screw wrench_outside(const MbRecursion *work, size_t b, const double *E, const double *f) {
  const Mat R =
      quat_mat((Quat){load(E, 7 * b + 3), load(E, 7 * b + 4), load(E, 7 * b + 5), load(E, 7 * b + 6)});
  const Screw F = {apply(R, load_vec(f, 6 * b)), apply(R, load_vec(f, 6 * b + 3))};
  return move_wrench(F, turn(R, work->link[b].c));
}

// The body whose joint's pivot is not positive: `joint`, unless a revolute one came to that before. Always false.
static bool blame_for(const MbRecursion *work, size_t joint, size_t *blame) {
  const MbLinks *links = work->links;
  *blame = joint;
  for (size_t b = joint == SIZE_MAX ? 0 : joint + 1; b < links->nb; b++)
    if (links->hop[b].kind == MB_LINK_REVOLUTE && !all_fine(pivot_fine(FINE, work->stand[b].inverse)))
      *blame = b;
  return false;
}

// Î and p of a body, before its joint lets go of anything.
MB_KERNEL Articulated body_and_children(const MbRecursion *work, size_t b, const double *E, const double *f) {
  const MbHop *hop = &work->links->hop[b];
  const Rigid *rigid = &work->rigid[b];
  const Real m = mass_of(work, b);
  Articulated A = hop->leaf ? only_rigid(rigid->I, rigid->h, m)
                            : with_rigid(&work->sum[hop->slot], rigid->I, rigid->h, m);
  A.p = wrench_at_gamma(A.p, rigid, m);
  if (!f) return A;
  const Screw F = wrench_outside(work, b, E, f);
  A.p = (Screw){sub(A.p.turn, F.turn), sub(A.p.line, F.line)};
  return A;
}

MB_ASIDE bool backward_joint(MbRecursion *work, size_t b, const double *E, const double *f, const double *y) {
  const MbHop *hop = &work->links->hop[b];
  Articulated A = body_and_children(work, b, E, f);
  Screw p = A.p;
  if (!release_joint(work, b, &A, NULL)) return false;
  balance_joint(work, b, &p, y);
  const Vec r = work->stand[b].r;
  if (hop->up != 0) collect(&work->sum[hop->up], inertia_move(A, r), move_wrench(p, r), hop->last);
  return true;
}

MB_KERNEL bool backward(MbRecursion *work, const double *E, const double *f, const double *y, size_t *blame) {
  const MbLinks *links = work->links;
  Fine fine = FINE;
  for (size_t b = links->nb; b-- > 0;) {
    const MbHop *hop = &links->hop[b];
    Stand *stand = &work->stand[b];
    if (hop->kind != MB_LINK_REVOLUTE) {
      if (!backward_joint(work, b, E, f, y)) return blame_for(work, b, blame);
      continue;
    }
    const Articulated A = body_and_children(work, b, E, f);
    const Vec s = stand->s, r = stand->r;
    const Vec Is = apply_sym(A.I, s);
    const Screw U = move_wrench((Screw){Is, apply_transposed(A.H, s)}, r);
    const Real pivot = dot(s, Is) + links->inertia[hop->v], inverse = 1.0 / pivot,
               u = load(y, hop->v) - dot(s, A.p.turn);
    const Screw V = {scale(inverse, U.turn), scale(inverse, U.line)};
    fine = pivot_fine(fine, pivot);
    stand->V = V, stand->inverse = inverse, stand->u = u * inverse;
    if (hop->up == 0) continue;
    const Screw p = add_scaled_screw(move_wrench(A.p, r), u, V);
    collect(&work->sum[hop->up], inertia_less(inertia_move(A, r), U, V), p, hop->last);
  }
  return all_fine(fine) || blame_for(work, SIZE_MAX, blame);
}

// ---- outward ----------------------------------------------------------------------------------------------

MB_KERNEL void outward(MbRecursion *work, double *y) {
  Screw latest = work->rate[0];
  uint32_t before = 0;
  const MbLinks *links = work->links;
  for (size_t b = 0; b < links->nb; b++) {
    const MbHop *hop = &links->hop[b];
    const Stand *stand = &work->stand[b];
    const Screw a = hop->up == before ? latest : work->rate[hop->up], own = move_motion(a, stand->r);
    if (hop->kind != MB_LINK_REVOLUTE) {
      work->rate[hop->slot] = outward_joint(work, b, own, y);
      before = UINT32_MAX;
      continue;
    }
    const Vec n = stand->V.turn;
    const Real rate =
        less(n.z, a.turn.z, less(n.y, a.turn.y, less(n.x, a.turn.x, stand->u))) - dot(stand->V.line, a.line);
    store(y, hop->v, rate);
    latest = (Screw){add_scaled(own.turn, rate, stand->s), own.line}, before = hop->slot;
    if (!hop->leaf) work->rate[hop->slot] = latest;
  }
}

static bool accelerate(MbRecursion *work, const double *E, const double *f, double *y, size_t *blame) {
  const bool fine = f ? backward(work, E, f, y, blame) : backward(work, NULL, NULL, y, blame);
  if (fine) outward(work, y);
  return fine;
}

extern const MbLanes MB_LANES_TABLE;
const MbLanes MB_LANES_TABLE = {.name = MB_LANES_NAME,
                                .lanes = MB_LANES,
                                .create = recursion_create,
                                .load = recursion_load,
                                .free = recursion_free,
                                .bytes = recursion_bytes,
                                .forward = forward,
                                .recall = recall,
                                .accelerate = accelerate};
