// The articulated form: what B96's elimination of a body and its joint leaves to the parent is the articulated inertia of the
// reduced coordinates, and the joint's motions T span what its rows leave free. With η the motion of a body in its parent,
//   J v = b   is   η = T q̇ + β,   β = Z b,
// and the passes are those of the reduced coordinates (redmax/lanes.h), in world axes at origins O, about where the bodies are:
//   inward    p = −f + Σ children's,  p ← p + Î β,   u = −Tᵀ p,   to the parent  p + U G⁻¹ u
//   outward   q̇ = G⁻¹ (u − Uᵀ a_p),   a = X a_p + β + T q̇,   λ = Zᵀ (Î a + p)
// A hinge that has drifted apart turns its body about its parent's point and axis: there O is, and of T nothing but the axis is
// left, T = κ a with V T = 1.
#define MB_LANES 1
#include "core/base/alloc.h"
#include "core/solvers/maximal/held.h"
#include "core/solvers/redmax/lanes_joints.h"
#include "core/solvers/redmax/responses.h"

struct MbHeldWorld {
  MbLinks links;
  const MbLanes *lanes;
  MbRecursion *work;
  MbWorld world;
  Mat *R;             // (nb)
  Vec *O;             // (nb)
  double *arm;        // (nb x 3) C − O
  Articulated *whole; // (nb) Î
  Screw *a, *beta;    // (nb)
  MbResponses *responses;
  double *none, *rate; // (nv) zero; scratch
};

void mb_held_world_free(MbHeldWorld *w) {
  if (!w) return;
  if (w->work) w->lanes->free(w->work);
  mb_links_free(&w->links);
  mb_responses_free(w->responses);
  mb_free(w->R);
  mb_free(w->O);
  mb_free(w->arm);
  mb_free(w->whole);
  mb_free(w->a);
  mb_free(w->beta);
  mb_free(w->none);
  mb_free(w->rate);
  mb_free(w);
}

MbHeldWorld *mb_held_world_create(const MbModel *model) {
  const size_t nb = model->nb;
  MbHeldWorld *w = mb_calloc(1, sizeof *w);
  if (!w) return NULL;
  w->lanes = mb_lanes_for(1);
  const bool linked = mb_links_create(model, &w->links);
  w->work = linked ? w->lanes->create(&w->links) : NULL;
  w->R = mb_calloc(nb, sizeof *w->R);
  w->O = mb_calloc(nb, sizeof *w->O);
  w->arm = mb_calloc(3 * nb, sizeof *w->arm);
  w->whole = mb_calloc(nb, sizeof *w->whole);
  w->a = mb_calloc(nb, sizeof *w->a);
  w->beta = mb_calloc(nb, sizeof *w->beta);
  w->none = mb_calloc(model->nv, sizeof *w->none);
  w->rate = mb_calloc(model->nv, sizeof *w->rate);
  w->world = (MbWorld){.model = model, .links = &w->links, .work = w->work, .arm = w->arm};
  if (w->work && w->R && w->O && w->arm && w->whole && w->a && w->beta && w->none && w->rate) return w;
  mb_held_world_free(w);
  return NULL;
}

size_t mb_held_world_bytes(const MbHeldWorld *w) {
  return sizeof *w + mb_responses_bytes(w->responses) + mb_links_bytes(&w->links) + w->lanes->bytes(w->work) +
         w->links.nb *
             (sizeof *w->R + sizeof *w->O + 3 * sizeof *w->arm + sizeof *w->whole + 2 * sizeof *w->a) +
         2 * w->links.nv * sizeof(double);
}

static void put_screw(double a[6], Screw x) {
  a[0] = x.turn.x, a[1] = x.turn.y, a[2] = x.turn.z, a[3] = x.line.x, a[4] = x.line.y, a[5] = x.line.z;
}

// ---- where everything is ----------------------------------------------------------------------------------

static void place_hinge(const MbHeld *held, size_t b, const MbMaximal *x) {
  MbHeldWorld *w = held->world;
  const MbHeldHinge *hinge = &held->hinge[b];
  const size_t p = held->up[b];
  Vec axis = vec(hinge->pa), point = vec(hinge->pd);
  if (p != MB_WORLD) axis = turn(w->R[p], hinge->pa), point = add(vec(x->E[p].p), turn(w->R[p], hinge->pd));
  const Vec V = turn(w->R[b], held->V + 6 * held->model->v_first[b]);
  w->work->stand[b].s = scale(1 / dot(V, axis), axis);
  w->O[b] = point;
}

static void place_columns(const MbHeld *held, size_t b, const MbMaximal *x) {
  MbHeldWorld *w = held->world;
  const MbModel *model = held->model;
  Screw *T = w->work->T + w->work->column[b];
  const Vec none = {0};
  const Mat R = w->R[b];
  w->O[b] = vec(x->E[b].p);
  if (model->joint[b].ops) {
    for (size_t i = 0; i < model->joint[b].n; i++) {
      const double *N = held->N + 6 * (model->v_first[b] + i);
      T[i] = (Screw){turn(R, N), turn(R, N + 3)};
    }
    return;
  }
  T[0] = (Screw){R.x, none}, T[1] = (Screw){R.y, none}, T[2] = (Screw){R.z, none};
  T[3] = (Screw){none, R.x}, T[4] = (Screw){none, R.y}, T[5] = (Screw){none, R.z};
}

static void put_bodies(MbHeld *held, const MbMaximal *x) {
  MbHeldWorld *w = held->world;
  const MbModel *model = held->model;
  w->world.E = x->E, w->world.phi = x->phi;
  for (size_t b = 0; b < model->nb; b++) {
    const double *q = x->E[b].q;
    const size_t p = held->up[b];
    w->R[b] = quat_mat((Quat){q[0], q[1], q[2], q[3]});
    if (held->hinge[b].is)
      place_hinge(held, b, x);
    else
      place_columns(held, b, x);
    const Vec origin = {0}, arm = sub(vec(x->E[b].p), w->O[b]);
    w->arm[3 * b] = arm.x, w->arm[3 * b + 1] = arm.y, w->arm[3 * b + 2] = arm.z;
    w->work->stand[b].r = sub(w->O[b], p == MB_WORLD ? origin : w->O[p]);
    Rigid *rigid = &w->work->rigid[b];
    rigid->h = scale(model->M[6 * b + 3], arm);
    rigid->I = rigid_inertia(model->M + 6 * b, w->R[b], arm, rigid->h);
  }
}

bool mb_held_world_factor(MbHeld *held, const MbMaximal *x, double a, double b, size_t *blame) {
  MbHeldWorld *w = held->world;
  put_bodies(held, x);
  return mb_world_factor(&w->world, x, a, b, w->whole, blame);
}

// ---- the solution -----------------------------------------------------------------------------------------

// β of O in the world. Of a hinge with rows m₁, m₂ (the turns) and V: m₁ · ω = b₁, m₂ · ω = b₂, V · ω = 0; at its O the velocity
// is that of the other three rows.
static Screw bias_of(const MbHeld *held, size_t b, const double *aim) {
  const MbModel *model = held->model;
  const Mat R = held->world->R[b];
  const size_t first = held->first[b];
  Screw sum = {0};
  if (!held->hinge[b].is) {
    for (size_t r = first; r < first + held->rows[b]; r++) {
      const double *Z = held->Z + 6 * r;
      sum = add_scaled_screw(sum, aim[r], (Screw){turn(R, Z), turn(R, Z + 3)});
    }
    return sum;
  }
  const Vec m1 = vec(held->Jc + 6 * first), m2 = vec(held->Jc + 6 * (first + 1));
  const Vec V = vec(held->V + 6 * model->v_first[b]), x = cross(m2, V), y = cross(V, m1);
  const double s = 1 / dot(m1, x);
  const Vec turned = add(scale(s * aim[first], x), scale(s * aim[first + 1], y));
  const Vec moved = {aim[first + 2], aim[first + 3], aim[first + 4]};
  return (Screw){apply(R, turned), apply(R, moved)};
}

static void inward(const MbHeld *held, const double *x, const double *aim) {
  MbHeldWorld *w = held->world;
  MbRecursion *work = w->work;
  const size_t nb = held->model->nb;
  for (size_t b = 0; b < nb; b++) {
    const Screw f = {scale(-1, turn(w->R[b], x + 6 * b)), scale(-1, turn(w->R[b], x + 6 * b + 3))};
    w->a[b] = move_wrench(f, vec(w->arm + 3 * b));
  }
  for (size_t b = nb; b-- > 0;) {
    const MbHop *hop = &w->links.hop[b];
    Stand *stand = &work->stand[b];
    const size_t p = held->up[b];
    Screw up = w->a[b];
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
    if (p != MB_WORLD) w->a[p] = add_screw(w->a[p], up);
  }
}

// λ of the rows of a body: Zᵀ of the wrench f that its joint puts on it, of O in the world.
static void multipliers(const MbHeld *held, size_t b, Screw f, double *lambda) {
  const Mat R = held->world->R[b];
  const size_t first = held->first[b];
  const Screw own = {apply_transposed(R, f.turn), apply_transposed(R, f.line)};
  if (!held->hinge[b].is) {
    for (size_t r = first; r < first + held->rows[b]; r++) {
      const double *Z = held->Z + 6 * r;
      lambda[r] = dot(vec(Z), own.turn) + dot(vec(Z + 3), own.line);
    }
    return;
  }
  const Vec m1 = vec(held->Jc + 6 * first), m2 = vec(held->Jc + 6 * (first + 1));
  const Vec V = vec(held->V + 6 * held->model->v_first[b]), x = cross(m2, V), y = cross(V, m1);
  const double s = 1 / dot(m1, x);
  lambda[first] = s * dot(x, own.turn), lambda[first + 1] = s * dot(y, own.turn);
  lambda[first + 2] = own.line.x, lambda[first + 3] = own.line.y, lambda[first + 4] = own.line.z;
}

static void outward(const MbHeld *held, double *x, double *lambda) {
  MbHeldWorld *w = held->world;
  for (size_t b = 0; b < held->model->nb; b++) {
    const MbHop *hop = &w->links.hop[b];
    const Stand *stand = &w->work->stand[b];
    const size_t p = held->up[b];
    const Screw none = {0}, from = p == MB_WORLD ? none : w->a[p];
    Screw a = move_motion(from, stand->r);
    if (hop->kind == MB_LINK_REVOLUTE)
      a.turn = add_scaled(a.turn, stand->u * stand->inverse - dot_screw(stand->V, from), stand->s);
    else
      a = outward_joint(w->work, b, a, w->rate);
    if (lambda && held->rows[b]) {
      a = add_screw(a, w->beta[b]);
      multipliers(held, b, add_screw(w->a[b], inertia_apply(w->whole[b], a)), lambda);
    }
    w->a[b] = a;
    const Screw at_c = move_motion(a, vec(w->arm + 3 * b));
    put_screw(x + 6 * b, (Screw){apply_transposed(w->R[b], at_c.turn), apply_transposed(w->R[b], at_c.line)});
  }
}

void mb_held_world_solve(MbHeld *held, double *x, double *b) {
  inward(held, x, b);
  outward(held, x, b);
}

// ---- many rows at once ------------------------------------------------------------------------------------

bool mb_held_world_reserve(MbHeldWorld *w, size_t rows) {
  w->responses = mb_responses_create(&w->links, rows);
  return w->responses;
}

// A force along a coordinate is V's wrench on the body and what answers it on the parent.
static void add_along(MbHeld *held, size_t row, size_t k, double force) {
  MbHeldWorld *w = held->world;
  const size_t b = held->owner[k], p = held->up[b];
  double own[6], other[6] = {0};
  for (size_t i = 0; i < 6; i++) own[i] = force * held->V[6 * k + i];
  mb_responses_add(w->responses, &w->world, row, b, own);
  if (p == MB_WORLD) return;
  mb_held_up(&held->X[b], -1, own, other);
  mb_responses_add(w->responses, &w->world, row, p, other);
}

void mb_held_world_responses(MbHeld *held, size_t k, const MbRow *const *row, double *W) {
  MbHeldWorld *w = held->world;
  mb_responses_begin(w->responses);
  for (size_t i = 0; i < k; i++)
    for (int end = 0; end < 2; end++) {
      if (row[i]->body[end] != MB_WORLD)
        mb_responses_add(w->responses, &w->world, i, row[i]->body[end], row[i]->H[end]);
      if (row[i]->c[end] != 0) add_along(held, i, row[i]->v[end], row[i]->c[end]);
    }
  mb_responses_solve(w->responses, &w->world, k, W);
}
