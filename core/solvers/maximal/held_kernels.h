// What every step of joints held by rows goes through, for MB_LANES instances: the table MB_HELD_TABLE of a file that defines both and
// MB_HELD_NAME, what it says of itself, and includes this. Arrays have the instances' numbers side by side.
#include "core/solvers/maximal/held_work.h"
#include "core/solvers/redmax/posture_passes.h"

static inline const double *poses(const MbMaximal *x, size_t b) {
  return (const double *)x->E + (size_t)MB_LANES * 7 * b;
}
static inline Quat quat_of(const double *E) {
  return (Quat){coordinate(E, 3), coordinate(E, 4), coordinate(E, 5), coordinate(E, 6)};
}
static inline void put_vec_at(double *a, size_t i, Vec x) {
  put_coordinate(a, i, x.x), put_coordinate(a, i + 1, x.y), put_coordinate(a, i + 2, x.z);
}
static inline Vec negative(Vec a) { return scale((Real){0} - 1.0, a); }

// ---- rows of hinges ---------------------------------------------------------------------------------------

// The parent's C in the body's: X turns twists by ( R ω ; R v + p × R ω ).
typedef struct Place {
  Mat R;
  Vec p;
} Place;

// What of the parent is seen from the body (held_hinge.h).
typedef struct Sight {
  Vec a, u, s;
} Sight;

// The row ( m ; 0 )
static inline void turning(const Place *X, Vec m, double *Jc, double *Jp) {
  const Vec none = {0};
  put_screw(Jc, 0, (Screw){m, none});
  if (Jp) put_screw(Jp, 0, (Screw){negative(apply_transposed(X->R, m)), none});
}

// The rows ( s × e_k ; e_k ) of v + ω × s;  to the parent −( d_p × r ; r ), r the row k of R, as s = p + R d_p
static inline void sliding(const Place *X, Vec s, Vec d, double *Jc, double *Jp) {
  const Real zero = {0}, one = zero + 1.0;
  put_screw(Jc, 0, (Screw){{zero, s.z, -s.y}, {one, zero, zero}});
  put_screw(Jc, 6, (Screw){{-s.z, zero, s.x}, {zero, one, zero}});
  put_screw(Jc, 12, (Screw){{s.y, -s.x, zero}, {zero, zero, one}});
  if (!Jp) return;
  const Vec row[3] = {{-X->R.x.x, -X->R.y.x, -X->R.z.x},
                      {-X->R.x.y, -X->R.y.y, -X->R.z.y},
                      {-X->R.x.z, -X->R.y.z, -X->R.z.z}};
  for (size_t k = 0; k < 3; k++) put_screw(Jp, 6 * k, (Screw){cross(d, row[k]), row[k]});
}

// R(q)ᵀ x, by the quaternion
static inline Vec turned_back(Quat q, Vec x) {
  const Vec c = {-q.x, -q.y, -q.z}, t = scale((Real){0} + 2.0, cross(c, x));
  return add_cross(add_scaled(x, q.w, t), c, t);
}

// X, and η of it: how the body moves as its parent sees it.
static inline Place see_parent(MbHeld *held, size_t b, const MbMaximal *x, Screw *eta, Screw *seen) {
  const size_t p = held->model->parent[b];
  const double *E = poses(x, b);
  const Quat q = quat_of(E), back = {q.w, -q.x, -q.y, -q.z};
  const Screw phi = screw_at(x->phi + (size_t)MB_LANES * 6 * b, 0), none = {0};
  const Vec origin = {0};
  const bool hangs = p != MB_WORLD;
  Place X;
  X.R = quat_mat(hangs ? quat_mul(back, quat_of(poses(x, p))) : back);
  X.p = turned_back(q, sub(hangs ? vec_at(poses(x, p), 0) : origin, vec_at(E, 0)));
  *seen = none, *eta = phi;
  if (hangs) {
    const Screw up = screw_at(x->phi + (size_t)MB_LANES * 6 * p, 0);
    seen->turn = apply(X.R, up.turn);
    seen->line = add_cross(apply(X.R, up.line), X.p, seen->turn);
    *eta = (Screw){sub(phi.turn, seen->turn), sub(phi.line, seen->line)};
  }
  put_screw(held->eta, 6 * b, *eta), put_screw(held->seen, 6 * b, *seen);
  double *kept = (double *)held->X + (size_t)MB_LANES * 12 * b;
  put_vec_at(kept, 0, (Vec){X.R.x.x, X.R.y.x, X.R.z.x});
  put_vec_at(kept, 3, (Vec){X.R.x.y, X.R.y.y, X.R.z.y});
  put_vec_at(kept, 6, (Vec){X.R.x.z, X.R.y.z, X.R.z.z});
  put_vec_at(kept, 9, X.p);
  return X;
}

// J̇ v of the rows, with W = X φ_p's spin:  η̇ at v̇ = 0 is ( ω × W ; −2 W × v − ω × v − W × (p × W) ), so that
//   turning  u · d, w · d of d = a′ × (ω × W) + ω × (ω × a′)
//   sliding  −2 (W + ω) × v − W × (p × W) + (ω × W) × s − ω × (ω × s)
static inline void hinge_bend(const double *hinge, const Sight *sight, Screw eta, Vec W, Vec p,
                              double *bend) {
  const Vec o = eta.turn, cw = cross(o, W), d = add_cross(cross(o, cross(o, sight->a)), sight->a, cw);
  put_coordinate(bend, 0, dot(vec_at(hinge, 3), d)), put_coordinate(bend, 1, dot(vec_at(hinge, 6), d));
  Vec t = cross(scale((Real){0} - 2.0, add(W, o)), eta.line);
  t = add_cross(t, cross(p, W), W);
  t = add_cross(t, cw, sight->s);
  put_vec_at(bend, 2, add_cross(t, cross(o, sight->s), o));
}

// The angle whose sine and cosine are in the ratio of these, by the library's function for each.
static inline Real angle_of(Real sine, Real cosine) {
#if MB_LANES == 1
  return atan2(sine, cosine);
#else
  Real angle = {0};
  for (size_t k = 0; k < MB_LANES; k++) angle[k] = atan2(sine[k], cosine[k]);
  return angle;
#endif
}

// All of the joint at an instant.
static void hinge_rows(MbHeld *held, size_t b, const MbMaximal *x) {
  static const double TURN = 6.283185307179586476925, MAGIC = 0x1.8p52; // adding it rounds to whole numbers
  const MbModel *model = held->model;
  const double *hinge = (const double *)held->hinge + (size_t)MB_LANES * 21 * b;
  const size_t first = held->first[b], v = model->v_first[b], q = model->q_first[b];
  const Vec u = vec_at(hinge, 3), w = vec_at(hinge, 6), d = vec_at(hinge, 18);
  Screw eta, seen;
  const Place X = see_parent(held, b, x, &eta, &seen);
  const Sight sight = {apply(X.R, vec_at(hinge, 12)), apply(X.R, vec_at(hinge, 15)), add(X.p, apply(X.R, d))};
  const Real c = dot(u, sight.u), sigma = -dot(w, sight.u), per = 1.0 / mad(c, c, sigma * sigma);
  double *Jc = held->Jc + (size_t)MB_LANES * 6 * first, *g = held->g + MB_LANES * first;
  double *Jp = held->Jp ? held->Jp + 6 * first : NULL; // the articulated form has none
  turning(&X, cross(u, sight.a), Jc, Jp);
  turning(&X, cross(w, sight.a), Jc + MB_LANES * 6, Jp ? Jp + 6 : NULL);
  sliding(&X, sight.s, d, Jc + MB_LANES * 12, Jp ? Jp + 12 : NULL);
  if (held->curves) hinge_bend(hinge, &sight, eta, seen.turn, X.p, held->bend + MB_LANES * first);
  put_coordinate(g, 0, dot(u, sight.a)), put_coordinate(g, 1, dot(w, sight.a));
  put_vec_at(g, 2, sub(vec_at(hinge, 9), sight.s));

  const Vec none = {0}, V = scale(per, add_scaled(scale(c, cross(sight.u, w)), sigma, cross(sight.u, u)));
  const Real angle = angle_of(sigma, c), turns = (coordinate(held->guess, q) - angle) / TURN;
  put_screw(held->V, 6 * v, (Screw){V, none});
  put_coordinate(held->q, q, mad((Real){0} + TURN, (turns + MAGIC) - MAGIC, angle));
  put_coordinate(held->v, v, dot(V, eta.turn));
}

// ---- where everything is ----------------------------------------------------------------------------------

// With rows m₁, m₂ (the turns) and V:  m₁ · x₁ = 1, m₂ · x₁ = 0, V · x₁ = 0, and x₂ the other way.
static inline void place_hinge(const MbHeld *held, size_t b, const MbMaximal *x) {
  MbHeldPosture *w = held->posture;
  const double *hinge = (const double *)held->hinge + (size_t)MB_LANES * 21 * b;
  const size_t p = held->up[b], first = held->first[b];
  const Mat R = w->R[b];
  Vec axis = vec_at(hinge, 12), point = vec_at(hinge, 18);
  if (p != MB_WORLD) axis = apply(w->R[p], axis), point = add(vec_at(poses(x, p), 0), apply(w->R[p], point));
  const Vec V = vec_at(held->V, 6 * held->model->v_first[b]), m1 = vec_at(held->Jc, 6 * first),
            m2 = vec_at(held->Jc, 6 * (first + 1)), x1 = cross(m2, V), x2 = cross(V, m1);
  const Real s = 1.0 / dot(m1, x1);
  w->across[2 * b] = scale(s, apply(R, x1)), w->across[2 * b + 1] = scale(s, apply(R, x2));
  w->work->stand[b].s = scale(1.0 / dot(apply(R, V), axis), axis);
  w->O[b] = point;
}

static inline Screw turn_screw(Mat R, Screw x) { return (Screw){apply(R, x.turn), apply(R, x.line)}; }

// Of a joint that is no hinge: by itself, as what it needs would be in the way of hinges.
static __attribute__((noinline)) void place_columns(const MbHeld *held, size_t b, const MbMaximal *x) {
  MbHeldPosture *w = held->posture;
  const MbModel *model = held->model;
  Screw *T = w->work->T + w->work->links->hop[b].column;
  const Real zero = {0}, one = zero + 1.0;
  const Vec none = {0};
  const Mat R = w->R[b];
  w->O[b] = vec_at(poses(x, b), 0);
  if (model->joint[b].ops) {
    for (size_t i = 0; i < model->joint[b].n; i++)
      T[i] = turn_screw(R, screw_at(held->N, 6 * (model->v_first[b] + i)));
    return;
  }
  const Vec e[3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
  T[0] = (Screw){R.x, none}, T[1] = (Screw){R.y, none}, T[2] = (Screw){R.z, none};
  T[3] = (Screw){none, e[0]}, T[4] = (Screw){none, e[1]}, T[5] = (Screw){none, e[2]};
}

static void put_bodies(MbHeld *held, const MbMaximal *x) {
  MbHeldPosture *w = held->posture;
  const MbModel *model = held->model;
  w->posture.E = x->E, w->posture.phi = x->phi;
  for (size_t b = 0; b < model->nb; b++) {
    const double *E = poses(x, b), *M = held->inertia + (size_t)MB_LANES * 6 * b;
    const Real I[3] = {coordinate(M, 0), coordinate(M, 1), coordinate(M, 2)};
    const size_t p = held->up[b];
    w->R[b] = quat_mat(quat_of(E));
    if (held->hinged[b])
      place_hinge(held, b, x);
    else
      place_columns(held, b, x);
    const Vec origin = {0}, arm = sub(vec_at(E, 0), w->O[b]);
    put_vec_at(w->arm, 3 * b, arm);
    w->work->stand[b].r = sub(w->O[b], p == MB_WORLD ? origin : w->O[p]);
    Rigid *rigid = &w->work->rigid[b];
    rigid->h = scale(coordinate(M, 3), arm);
    rigid->I = rigid_inertia(I, w->R[b], arm, rigid->h);
  }
}

static bool factor(MbHeld *held, const MbMaximal *x, const double *ab, size_t *blame) {
  MbHeldPosture *w = held->posture;
  put_bodies(held, x);
  w->posture.derived = ab[0] != 0 || ab[MB_LANES] != 0;
  return factor_posture(&w->posture, x, coordinate(ab, 0), coordinate(ab, 1), w->whole, blame);
}

// ---- the solution -----------------------------------------------------------------------------------------

// β of O in the world. At a hinge's O the velocity is that of its last three rows.
static inline Screw bias_of(const MbHeld *held, size_t b, const double *aim) {
  const MbHeldPosture *w = held->posture;
  const size_t first = held->first[b];
  if (held->hinged[b])
    return (Screw){add_scaled(scale(coordinate(aim, first), w->across[2 * b]), coordinate(aim, first + 1),
                              w->across[2 * b + 1]),
                   apply(w->R[b], vec_at(aim, first + 2))};
  Screw sum = {0};
  for (size_t r = first; r < first + held->rows[b]; r++)
    sum = add_scaled_screw(sum, coordinate(aim, r), turn_screw(w->R[b], screw_at(held->Z, 6 * r)));
  return sum;
}

// a comes to hold p of every body, what its joint must answer for.
static inline void inward(const MbHeld *held, const double *x, const double *aim) {
  MbHeldPosture *w = held->posture;
  MbRecursion *work = w->work;
  for (size_t b = held->model->nb; b-- > 0;) {
    const MbHop *hop = &w->links->hop[b];
    Stand *stand = &work->stand[b];
    const size_t p = held->up[b];
    const Screw given = screw_at(x, 6 * b), f = {apply(w->R[b], given.turn), given.line};
    const Screw own = move_wrench(f, vec_at(w->arm, 3 * b)), none = {0}, sum = hop->leaf ? none : w->a[b];
    Screw up = {sub(sum.turn, own.turn), sub(sum.line, own.line)};
    w->a[b] = up;
    if (aim && held->rows[b]) {
      w->beta[b] = bias_of(held, b, aim);
      up = add_screw(up, inertia_apply(w->whole[b], w->beta[b]));
    }
    if (hop->kind == MB_LINK_REVOLUTE) {
      stand->u = -dot(stand->s, up.turn);
      up = add_scaled_screw(move_wrench(up, stand->r), stand->u, stand->V);
    } else {
      balance_joint(work, b, &up, w->none);
      up = move_wrench(up, stand->r);
    }
    if (p != MB_WORLD) w->a[p] = hop->last ? up : add_screw(w->a[p], up);
  }
}

// λ of the rows of a body: Zᵀ of the wrench f that its joint puts on it, of O in the world.
static inline void multipliers(const MbHeld *held, size_t b, Screw f, double *lambda) {
  const MbHeldPosture *w = held->posture;
  const Mat R = w->R[b];
  const size_t first = held->first[b];
  const Vec line = apply_transposed(R, f.line);
  if (held->hinged[b]) {
    put_coordinate(lambda, first, dot(w->across[2 * b], f.turn));
    put_coordinate(lambda, first + 1, dot(w->across[2 * b + 1], f.turn));
    put_vec_at(lambda, first + 2, line);
    return;
  }
  const Screw own = {apply_transposed(R, f.turn), line};
  for (size_t r = first; r < first + held->rows[b]; r++)
    put_coordinate(lambda, r, dot_screw(screw_at(held->Z, 6 * r), own));
}

static inline void outward(const MbHeld *held, double *x, double *lambda) {
  MbHeldPosture *w = held->posture;
  for (size_t b = 0; b < held->model->nb; b++) {
    const MbHop *hop = &w->links->hop[b];
    const Stand *stand = &w->work->stand[b];
    const size_t p = held->up[b];
    const Mat R = w->R[b];
    const Screw none = {0}, from = p == MB_WORLD ? none : w->a[p];
    Screw a = move_motion(from, stand->r);
    if (hop->kind == MB_LINK_REVOLUTE)
      a.turn = add_scaled(a.turn, mad(stand->u, stand->inverse, -dot_screw(stand->V, from)), stand->s);
    else
      a = outward_joint(w->work, b, a, w->rate);
    if (lambda && held->rows[b]) {
      a = add_screw(a, w->beta[b]);
      multipliers(held, b, add_screw(w->a[b], inertia_apply(w->whole[b], a)), lambda);
    }
    w->a[b] = a;
    const Screw at_c = move_motion(a, vec_at(w->arm, 3 * b));
    put_screw(x, 6 * b, (Screw){apply_transposed(R, at_c.turn), at_c.line});
  }
}

static void solve(MbHeld *held, double *x, double *b) {
  inward(held, x, b);
  outward(held, x, b);
}

// ---- room -------------------------------------------------------------------------------------------------

// Places for the arrays in one block: first to be counted, then to be given.
static size_t lay_out_posture(MbHeldPosture *w, char *memory) {
  const size_t nb = w->links->nb, nv = w->links->nv;
  size_t used = 0;
  w->R = place(memory, &used, nb, sizeof *w->R);
  w->O = place(memory, &used, nb, sizeof *w->O);
  w->arm = place(memory, &used, 3 * nb, sizeof(Real));
  w->whole = place(memory, &used, nb, sizeof *w->whole);
  w->across = place(memory, &used, 2 * nb, sizeof *w->across);
  w->a = place(memory, &used, nb, sizeof *w->a);
  w->beta = place(memory, &used, nb, sizeof *w->beta);
  w->none = place(memory, &used, nv, sizeof(Real));
  w->rate = place(memory, &used, nv, sizeof(Real));
  return used;
}

static void free_posture(MbHeldPosture *w) {
  if (!w) return;
  if (w->work) w->lanes->free(w->work);
  mb_links_free(&w->own);
  mb_responses_free(w->responses);
  mb_free(w->memory);
  mb_free(w);
}

static MbHeldPosture *create_posture(const MbModel *model, const MbLinks *const *links) {
  MbHeldPosture *w = mb_calloc(1, sizeof *w);
  if (!w) return NULL;
  const MbLinks *const own[] = {&w->own};
  const bool linked = links || mb_links_create(model, &w->own);
  if (!links) links = own;
  w->links = links[0];
  w->lanes = mb_lanes_for(MB_LANES);
  w->work = linked ? w->lanes->create(links) : NULL;
  w->bytes = linked ? lay_out_posture(w, NULL) + 128 : 0;
  w->memory = w->work ? mb_calloc(w->bytes, 1) : NULL;
  if (!w->memory) return free_posture(w), NULL;
  lay_out_posture(w, w->memory + (128 - (uintptr_t)w->memory % 128));
  w->posture = (MbPosture){.model = model, .links = w->links, .work = w->work, .arm = w->arm};
  return w;
}

static void load_posture(MbHeldPosture *w, const MbLinks *const *links) {
  w->links = w->posture.links = links[0];
  w->lanes->load(w->work, links);
}

static size_t bytes_of_posture(const MbHeldPosture *w) {
  return sizeof *w + w->bytes + mb_responses_bytes(w->responses) +
         (w->own.hop ? mb_links_bytes(&w->own) : 0) + w->lanes->bytes(w->work);
}

extern const MbHeldKernels MB_HELD_TABLE;
const MbHeldKernels MB_HELD_TABLE = {.name = MB_HELD_NAME,
                                     .lanes = MB_LANES,
                                     .create = create_posture,
                                     .free = free_posture,
                                     .load = load_posture,
                                     .bytes = bytes_of_posture,
                                     .hinge = hinge_rows,
                                     .factor = factor,
                                     .solve = solve};
