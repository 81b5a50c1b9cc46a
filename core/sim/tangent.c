// Derivatives of inverse dynamics by recursion, as Carpentier and Mansard (2018) have them for joints of constant axes, here in the bodies'
// own axes and for joints of every kind. With E_i = E_p …, φ the twist, α its rate, both in C, X = Ad⁻¹ of C in the parent's C:
//
//   φ_i = X φ_p + T v,   α_i = X α_p + ad(X φ_p) T v + Ṫ v + T a                                            down the tree
//   W_i = M α − ad_φᵀ M φ − m (0, Rᵀ g) − f,   F_i = W_i + Σ Xᵀ F_children,   τ_i = T ᵀ F_i − f_r           up the tree
//
// A motion of the joint by δq moves the body by σ = T δq in its own axes, so that δX = −ad(σ) X. With ε_i = X ε_p + σ how far the body has
// moved, D the joint's derivative along its velocities (D T, D(Ṫ v): joint_curve.c),
//
//   δ(X φ_p) = X δφ_p − ad(σ) X φ_p,                δφ = δ(X φ_p) + (D T δq) v + T δv
//   δα = X δα_p − ad(σ) X α_p + ad(δ(X φ_p)) T v + ad(X φ_p) δ(T v) + D(Ṫ v) δq + (D T v + Ṫ) δv + (D T δq) a + T δa
//   δW = M δα − δ(ad_φᵀ M φ) − m (0, Rᵀg × ε) − Σ_j (K_ij ε_j + D_ij δφ_j)
//   δF_p = δW_p + Σ Xᵀ (δF − ad(σ)ᵀ F),             δτ = (D T δq)ᵀ F + T ᵀ δF − δf_r
//
// which is one pass each way, O(n). A single coordinate moves the bodies behind it alone, and loads those before it: all columns of the
// matrix cost O(n d) where no forces couple bodies.
#include "core/sim/tangent.h"
#include "core/base/targets.h"
#include "core/forces/forces.h"
#include "core/joints/joints.h"
#include "core/math/dense6.h"
#include "core/math/spatial.h"
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "core/sim/tangent_free.h"
#include "core/sim/tangent_moved.h"
#include "core/sim/tangent_parts.h"

#include <string.h>

// Joints of which coordinates and velocities are no rates of one another.
static bool turns(const MbModel *model, size_t b) {
  return model->joint[b].ops && model->joint[b].ops->change;
}

const char *mb_tangent_refuses(const MbSim *sim) {
  if (sim->solver->passes) return "deformables of elements are solved for by iterations of their own";
  return mb_tangent_refuses_bodies(sim);
}

const char *mb_tangent_refuses_bodies(const MbSim *sim) {
  const MbModel *model = sim->model;
  if (sim->solver->map->layout != &mb_own_layout) return "the solver has velocities for each body";
  if (model->solver.terms == MB_TERMS_EXPLICIT) return "velocity terms are explicit"; // of free bodies too
  if (model->nreductions || model->nfollowers) return "some coordinates follow others";
  return NULL;
}

// Whether a joint has one column, which a move along it leaves as it is.
static bool stays(const MbJoint *joint) {
  bool carried = false;
  return joint->n == 1 && joint->ops->carries && joint->ops->carries(joint, &carried, 1);
}

// ---- memory -------------------------------------------------------------------------------------------------------

static bool note_ends(const MbModel *model, size_t *end) {
  for (size_t b = model->nb; b-- > 0;) {
    if (end[b] < b + 1) end[b] = b + 1;
    const size_t p = model->parent[b];
    if (p != MB_WORLD && end[p] < end[b]) end[p] = end[b];
  }
  return true;
}

// Whether forces act on bodies beside gravity, velocity terms and swings.
static bool pulled(const MbModel *model) {
  bool any = false;
  for (size_t i = 0; i < model->nforces; i++) any |= !model->forces[i].ops->inertial;
  return any;
}

MbTangent *mb_tangent_create(MbSim *sim) {
  const MbModel *model = sim->model;
  const size_t nb = model->nb, nv = model->nv, blocks = 36 * (nb + 2 * model->npairs);
  MbTangent *t = mb_arena_alloc(&sim->arena, 1, sizeof *t);
  size_t *first = mb_arena_alloc(&sim->arena, nb, sizeof *first);
  size_t *end = mb_arena_alloc(&sim->arena, nb, sizeof *end), own = 0;
  bool *stay = mb_arena_alloc(&sim->arena, nb, sizeof *stay);
  if (!t || !first || !end || !stay) return NULL;
  t->stays = stay;
  for (size_t b = 0; b < nb; b++) stay[b] = model->joint[b].ops && stays(&model->joint[b]);
  for (size_t b = 0; b < nb; b++)
    first[b] = own, own += mb_tangent_dofs(model, b) * mb_tangent_dofs(model, b);
  t->own_first = first, t->end = end;
  t->forced = t->blocked = pulled(model);
  note_ends(model, end);
  double **const of_bodies[] = {&t->Xphi, &t->Xalpha, &t->Tv, &t->alpha, &t->F,     &t->move,
                                &t->dphi, &t->dalpha, &t->dF, &t->turn,  &t->weight};
  double **const of_columns[] = {&t->T, &t->Tdot, &t->DTv, &t->DTa, &t->C};
  double **const of_velocities[] = {&t->stiffness, &t->damping, &t->drive, &t->dq, &t->dv, &t->da};
  double **const of_joints[] = {&t->own_q, &t->own_v};
  double **const of_forces[] = {&t->K, &t->D};
  bool ok = true;
#define ALLOCATE(list, count)                                                                                \
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)                                                    \
  ok &= (*list[i] = mb_arena_alloc(&sim->arena, (count), sizeof(double))) != NULL
  ALLOCATE(of_bodies, 6 * nb);
  ALLOCATE(of_columns, 6 * nv);
  ALLOCATE(of_velocities, nv);
  ALLOCATE(of_joints, own);
  ALLOCATE(of_forces, blocks);
#undef ALLOCATE
  t->X = mb_arena_alloc(&sim->arena, 36 * nb, sizeof *t->X);
  t->fall = mb_arena_alloc(&sim->arena, 3 * nb, sizeof *t->fall);
  t->swing = mb_arena_alloc(&sim->arena, model->any_flies ? nb : 0, sizeof *t->swing);
  return ok && t->X && t->fall && t->swing ? t : NULL;
}

void mb_tangent_feel(MbSim *sim, MbTangent *t, bool feels) {
  const MbModel *model = sim->model;
  t->feels = feels, t->blocked = t->forced && !feels;
  for (size_t i = 0; i < model->nforces; i++)
    t->blocked |= !model->forces[i].ops->inertial && !model->forces[i].ops->felt;
}

// ---- down the tree, at one instant --------------------------------------------------------------------------------

// E = E_p P Q B,  T = Ad(B⁻¹) S
void mb_tangent_joint(const MbModel *model, size_t b, const double *q, const double *v, MbTangentJoint *at,
                      double *T, double *Tdot) {
  const MbJoint *joint = &model->joint[b];
  double Sdot[6 * MB_JOINT_MOST];
  MbPose Q, inverse;
  joint->ops->eval(joint, q, v, &Q, at->S, Sdot);
  mb_pose_mul(&at->E, &model->P[b], &Q);
  mb_pose_mul(&at->E, &at->E, &model->B[b]);
  mb_pose_inverse(&inverse, &at->E);
  mb_se3_adjoint(at->X, &inverse);
  mb_pose_inverse(&inverse, &model->B[b]);
  mb_se3_adjoint(at->A, &inverse);
  for (size_t i = 0; i < joint->n; i++) {
    mb_mat6_apply(T + 6 * i, at->A, at->S + 6 * i);
    mb_mat6_apply(Tdot + 6 * i, at->A, Sdot + 6 * i);
  }
}

// X = Ad(E_b⁻¹ E_p) = ( R 0 ; [p] R R ) of the poses in W, but for its zeros
MB_INLINE void place(const MbSim *sim, MbTangent *t, size_t b) {
  static const MbPose world = {.q = {1, 0, 0, 0}};
  const size_t p = sim->model->parent[b];
  const MbPose *E = &sim->x.E[b], *parent = p == MB_WORLD ? &world : &sim->x.E[p];
  MbPose back;
  double own[4], R[9], *X = t->X + 36 * b;
  mb_vec3_sub(back.p, parent->p, E->p); // before anything else, as both may be far from the origin
  mb_quat_unrotate(back.p, E->q, back.p);
  mb_quat_conj(own, E->q);
  mb_quat_mul(back.q, own, parent->q);
  mb_quat_to_mat3(R, back.q);
  for (size_t i = 0; i < 3; i++) {
    const size_t j = (i + 1) % 3, k = (i + 2) % 3;
    mb_vec3_copy(X + 6 * i, R + 3 * i), mb_vec3_copy(X + 6 * i + 21, R + 3 * i);
    mb_vec3_scale(X + 6 * i + 18, back.p[j], R + 3 * k);
    mb_vec3_add_scaled(X + 6 * i + 18, X + 6 * i + 18, -back.p[k], R + 3 * j);
  }
}

// Of a joint that stays the columns are those of any place, and nothing of them changes.
void mb_tangent_place(MbSim *sim, MbTangent *t) {
  const MbModel *model = sim->model;
  const double still = 0;
  MbTangentJoint at;
  t->placed = true;
  for (size_t b = 0; b < model->nb; b++) {
    const size_t first = 6 * model->v_first[b];
    if (!t->stays[b]) continue;
    mb_tangent_joint(model, b, model->q0 + model->q_first[b], &still, &at, t->T + first, t->Tdot + first);
    memcpy(t->X + 36 * b, at.X, sizeof at.X);
  }
}

static void jointed_body(const MbSim *sim, MbTangent *t, size_t b, const double *q, const double *v,
                         const double *a, bool derivatives) {
  const MbJoint *joint = &sim->model->joint[b];
  const size_t first = 6 * sim->model->v_first[b], n = joint->n;
  double C[6 * MB_JOINT_MOST], unused[6 * MB_JOINT_MOST], Sdot[6 * MB_JOINT_MOST];
  MbTangentJoint at;
  MbPose Q;
  mb_tangent_joint(sim->model, b, q, v, &at, t->T + first, t->Tdot + first);
  memcpy(t->X + 36 * b, at.X, sizeof at.X);
  if (!derivatives) return;
  if (t->stays[b]) {
    memset(t->C + first, 0, 6 * sizeof *t->C);
    memset(t->DTv + first, 0, 6 * sizeof *t->C), memset(t->DTa + first, 0, 6 * sizeof *t->C);
    return; // as DTv of velocities to come always is
  }
  mb_joint_curve(joint, q, v, at.S, C);
  for (size_t k = 0; k < n; k++) { // Ṡ at the rate e_k is D_k S
    double along[MB_JOINT_MOST] = {0}, DSv[6] = {0}, DSa[6] = {0};
    along[k] = 1;
    joint->ops->eval(joint, q, along, &Q, unused, Sdot);
    mb_add_columns(DSv, Sdot, n, v);
    mb_add_columns(DSa, Sdot, n, a);
    mb_mat6_apply(t->C + first + 6 * k, at.A, C + 6 * k);
    mb_mat6_apply(t->DTv + first + 6 * k, at.A, DSv);
    mb_mat6_apply(t->DTa + first + 6 * k, at.A, DSa);
    if (!t->linearised) continue;
    double DSto[6] = {0};
    mb_add_columns(DSto, Sdot, n, t->linear->to + sim->model->v_first[b]);
    mb_mat6_apply(t->linear->DTv + first + 6 * k, at.A, DSto);
  }
}

MB_INLINE void carry(const double X[36], const double *T, const double *Tdot, size_t n,
                     const double *phi_of_parent, const double *alpha_of_parent, const double *v,
                     const double *a, MbTangentMotion *out) {
  double Tv[6] = {0}, Xphi[6] = {0}, alpha[6] = {0};
  mb_add_columns(Tv, T, n, v);
  if (phi_of_parent) {
    mb_apply_motion(Xphi, X, phi_of_parent);
    mb_apply_motion(alpha, X, alpha_of_parent);
  }
  mb_six_copy(out->Xphi, Xphi), mb_six_copy(out->Tv, Tv), mb_six_copy(out->Xalpha, alpha);
  mb_add_bracket(alpha, 1, Xphi, Tv);
  mb_add_columns(alpha, Tdot, n, v);
  mb_add_columns(alpha, T, n, a);
  mb_six_copy(out->alpha, alpha);
}

void mb_tangent_carry(const double X[36], const double *T, const double *Tdot, size_t n,
                      const double *phi_of_parent, const double *alpha_of_parent, const double *v,
                      const double *a, MbTangentMotion *out) {
  carry(X, T, Tdot, n, phi_of_parent, alpha_of_parent, v, a, out);
}

MB_CLONES __attribute__((flatten)) static void down(const MbSim *sim, MbTangent *t, const double *v,
                                                    const double *a, bool derivatives) {
  const MbModel *model = sim->model;
  for (size_t b = 0; b < model->nb; b++) {
    const size_t p = model->parent[b], first = model->v_first[b], n = mb_tangent_dofs(model, b);
    const double *vb = v + first, *ab = a + first;
    MbTangentMotion motion = {t->Xphi + 6 * b, t->Xalpha + 6 * b, t->Tv + 6 * b, t->alpha + 6 * b};
    if (!model->joint[b].ops) {
      mb_free_at(sim, t, b, vb, ab, derivatives);
      continue;
    }
    if (t->placed && t->stays[b])
      place(sim, t, b);
    else
      jointed_body(sim, t, b, sim->x.q + model->q_first[b], vb, ab, derivatives);
    carry(t->X + 36 * b, t->T + 6 * first, t->Tdot + 6 * first, n, p == MB_WORLD ? NULL : sim->x.phi + 6 * p,
          p == MB_WORLD ? NULL : t->alpha + 6 * p, vb, ab, &motion);
  }
}

// ---- joints' own --------------------------------------------------------------------------------------------------

// What acts along the velocities of a joint that turns, of forces f − k δq − d δq̇ along its coordinates.
typedef struct Turned {
  const MbJoint *joint;
  const double *q, *v, *stiffness, *damping;
  double force[MB_JOINT_MOST], rate[MB_JOINT_MOST];
} Turned;

static void felt(const Turned *at, const double *q, double *y) {
  const size_t n = at->joint->n;
  double rate[MB_JOINT_MOST];
  memcpy(rate, at->v, n * sizeof *rate);
  at->joint->ops->change(at->joint, q, MB_TO_RATES, rate);
  for (size_t i = 0; i < n; i++)
    y[i] = at->force[i] - at->stiffness[i] * (q[i] - at->q[i]) - at->damping[i] * (rate[i] - at->rate[i]);
  at->joint->ops->change(at->joint, q, MB_TO_FORCES, y);
}

// By differences along each velocity: these joints have few, and none of what else they feel is needed.
static void turned_joint(const MbModel *model, MbTangent *t, size_t b, const double *q, const double *v) {
  static const double MOVE = 1e-3;
  const MbJoint *joint = &model->joint[b];
  const size_t n = joint->n, first = model->v_first[b];
  Turned at = {joint, q, v, t->stiffness + first, t->damping + first, {0}, {0}};
  memcpy(at.rate, v, n * sizeof *at.rate);
  joint->ops->change(joint, q, MB_TO_RATES, at.rate);
  bool any = false;
  for (size_t i = 0; i < n; i++) {
    const size_t k = first + i;
    at.force[i] =
        t->drive[k] - model->stiffness[k] * (q[i] - model->rest[k]) - model->joint_damping[k] * at.rate[i];
    any |= at.force[i] != 0 || t->stiffness[k] != 0 || t->damping[k] != 0;
  }
  double *Kq = t->own_q + t->own_first[b], *Kv = t->own_v + t->own_first[b];
  for (size_t k = 0; k < n && any; k++) {
    double rate[MB_JOINT_MOST] = {0}, along[MB_JOINT_MOST] = {0};
    along[k] = rate[k] = 1;
    for (int side = -2; side <= 2; side++) {
      double moved[MB_JOINT_MOST], y[MB_JOINT_MOST];
      const double s = (side == 2 || side == -2 ? -side / 2.0 : 8.0 * side) / (12 * MOVE);
      if (side == 0) continue;
      memcpy(moved, q, n * sizeof *moved);
      joint->ops->advance(joint, moved, side * MOVE, along);
      felt(&at, moved, y);
      for (size_t i = 0; i < n; i++) Kq[n * i + k] -= s * y[i];
    }
    joint->ops->change(joint, q, MB_TO_RATES, rate);
    for (size_t i = 0; i < n; i++) rate[i] *= at.damping[i];
    joint->ops->change(joint, q, MB_TO_FORCES, rate);
    for (size_t i = 0; i < n; i++) Kv[n * i + k] += rate[i];
  }
}

static void add_joints_own(const MbSim *sim, MbTangent *t, const double *v) {
  const MbModel *model = sim->model;
  if (!model->sprung && !mb_model_drives(model)) return;
  mb_coordinates_derivatives(model, &sim->x, t->stiffness, t->damping);
  memset(t->drive, 0, model->nv * sizeof *t->drive);
  mb_coordinates_driven(model, &sim->x, sim->x.q, v, t->drive);
  for (size_t b = 0; b < model->nb; b++) {
    const size_t first = model->v_first[b], n = model->joint[b].n;
    if (!model->joint[b].ops) continue;
    if (turns(model, b)) {
      turned_joint(model, t, b, sim->x.q + model->q_first[b], v + first);
      continue;
    }
    for (size_t i = 0; i < n; i++) {
      t->own_q[t->own_first[b] + (n + 1) * i] += t->stiffness[first + i];
      t->own_v[t->own_first[b] + (n + 1) * i] += t->damping[first + i];
    }
  }
}

// ---- up the tree --------------------------------------------------------------------------------------------------

static void body_wrench(const MbSim *sim, const MbTangent *t, size_t b, double F[6]) {
  const double *M = mb_tangent_mass(sim->model, b);
  double quadratic[6] = {0}, g[3];
  for (size_t k = 0; k < 6 && t->still; k++)
    F[k] = M[k] * t->alpha[6 * b + k] - (t->linearised ? sim->x.f[6 * b + k] : 0); // of rows alone
  if (t->still) return;
  mb_coriolis_add(quadratic, M, sim->x.phi + 6 * b);
  if (mb_tangent_flies(sim->model, b)) mb_vec3_set(quadratic, 0, 0, 0);
  mb_quat_unrotate(g, sim->x.E[b].q, sim->model->gravity);
  mb_vec3_copy(t->fall + 3 * b, g);
  for (size_t k = 0; k < 6; k++)
    quadratic[k] = M[k] * t->alpha[6 * b + k] - quadratic[k] - sim->x.f[6 * b + k];
  for (size_t k = 0; k < 3; k++) quadratic[3 + k] -= M[3] * g[k];
  mb_six_copy(F, quadratic);
}

// What of τ is the turn of a joint's own axes:  own_q += (D_k T_i)ᵀ F
static void add_turn(const MbSim *sim, MbTangent *t, size_t b) {
  const MbModel *model = sim->model;
  const MbJoint *joint = &model->joint[b];
  const size_t n = mb_tangent_dofs(model, b);
  double *own = t->own_q + t->own_first[b];
  const double *F = t->F + 6 * b;
  if (!joint->ops) {
    mb_free_turn(sim, t, b);
    return;
  }
  double S[6 * MB_JOINT_MOST], DS[6 * MB_JOINT_MOST], A[36], G[6] = {0};
  MbPose Q, inverse;
  if (t->stays[b]) return;
  mb_pose_inverse(&inverse, &model->B[b]);
  mb_se3_adjoint(A, &inverse);
  mb_add_transposed(G, A, F);
  for (size_t k = 0; k < n; k++) {
    double along[MB_JOINT_MOST] = {0};
    along[k] = 1;
    joint->ops->eval(joint, sim->x.q + model->q_first[b], along, &Q, S, DS);
    for (size_t i = 0; i < n; i++) own[n * i + k] += mb_dot6(DS + 6 * i, G);
  }
}

MB_CLONES __attribute__((flatten)) static void up(const MbSim *sim, MbTangent *t, const double *a,
                                                  bool derivatives, double *tau) {
  const MbModel *model = sim->model;
  for (size_t b = 0; b < model->nb; b++) body_wrench(sim, t, b, t->F + 6 * b);
  for (size_t b = model->nb; b-- > 0;) {
    const size_t p = model->parent[b], first = model->v_first[b], n = mb_tangent_dofs(model, b);
    const double *F = t->F + 6 * b;
    if (p != MB_WORLD) mb_add_motion_transposed(t->F + 6 * p, t->X + 36 * b, F);
    if (derivatives) add_turn(sim, t, b);
    for (size_t i = first; tau && i < first + n; i++) {
      const double rotor = model->rotors && model->joint[b].ops ? model->joint_inertia[i] * a[i] : 0;
      tau[i] = mb_dot6(t->T + 6 * i, F) + rotor;
    }
  }
}

// τ −= what acts along the coordinates.
static void take_along(const MbSim *sim, MbTangent *t, const double *v, double *tau) {
  const MbModel *model = sim->model;
  memset(t->dq, 0, model->nv * sizeof *t->dq);
  mb_coordinates_forces(model, &sim->x, sim->x.q, v, t->dq);
  for (size_t i = 0; i < model->nv; i++) tau[i] -= t->dq[i];
}

// Of joints, whose own matrices are added up.
static void clear_own(const MbModel *model, MbTangent *t) {
  for (size_t b = 0; b < model->nb; b++) {
    const size_t first = t->own_first[b], n = model->joint[b].ops ? model->joint[b].n : 0;
    if (t->stays[b]) t->own_q[first] = t->own_v[first] = 0;
    for (size_t i = first; i < first + n * n && !t->stays[b]; i++) t->own_q[i] = t->own_v[i] = 0;
  }
}

static void unforced(MbSim *sim, double time) {
  mb_sim_signals(sim, time);
  memset(sim->x.f, 0, 6 * sim->model->nb * sizeof *sim->x.f);
}

// The swings of bodies that fly are forces, of which D says nothing: how they change is told beside it.
static void add_swings(const MbSim *sim, MbTangent *t) {
  const MbModel *model = sim->model;
  for (size_t b = 0; b < model->nb && model->any_flies; b++) {
    if (!model->flies[b]) continue;
    mb_tangent_swing(model->h, model->M + 6 * b, sim->x.phi + 6 * b, !t->spins, &t->swing[b]);
    for (size_t i = 0; i < 3 && model->swings[b] && !t->forced; i++)
      sim->x.f[6 * b + i] += t->swing[b].s[i] / model->h;
  }
}

void mb_tangent_spins(MbTangent *t, bool spins) { t->spins = spins; }

const MbSwingSlopes *mb_tangent_swings(const MbTangent *t) { return t->swing; }

// Forces with their derivatives, as far as there are any and K and D are to have them.
static void forced(MbSim *sim, MbTangent *t, double time) {
  if (!t->forced)
    unforced(sim, time);
  else if (!t->blocked)
    mb_sim_signals(sim, time), mb_sim_outer_wrenches(sim, time);
  else if (t->feels)
    mb_sim_outer_unfelt(sim, time, t->K, t->D);
  else
    mb_sim_outer_derivatives(sim, time, t->K, t->D);
}

void mb_tangent_at(MbSim *sim, MbTangent *t, const double *v, const double *a, double time, double *tau) {
  t->still = false, t->linearised = t->linear != NULL;
  if (!t->forced || !t->linear || !t->linear->forces) forced(sim, t, time);
  clear_own(sim->model, t);
  down(sim, t, v, a, true);
  if (t->linear) mb_linear_at(sim, t, time);
  add_swings(sim, t);
  if (t->rows) mb_rows_push_at(sim, t);
  add_joints_own(sim, t, v);
  up(sim, t, a, true, tau);
  if (tau) take_along(sim, t, v, tau);
}

void mb_tangent_inertia_at(MbSim *sim, MbTangent *t, const double *a, double *tau) {
  double *v = t->dv;
  t->still = true, t->linearised = false;
  memset(v, 0, sim->model->nv * sizeof *v);
  clear_own(sim->model, t);
  down(sim, t, v, a, true);
  up(sim, t, a, true, tau);
}

void mb_tangent_agree_at(MbSim *sim, MbTangent *t, const double *a, const double *to, bool blocks) {
  double *v = t->dv;
  t->still = t->linearised = true, t->linear->to = to;
  memset(v, 0, sim->model->nv * sizeof *v);
  memset(sim->x.f, 0, 6 * sim->model->nb * sizeof *sim->x.f);
  clear_own(sim->model, t);
  down(sim, t, v, a, true);
  mb_linear_down(sim, t);
  t->linear->blocks = blocks && t->linear->forces;
  if (t->linear->blocks) mb_blocks_at(sim, t);
  if (t->rows) mb_rows_push_at(sim, t);
  up(sim, t, a, true, NULL);
}

void mb_tangent_inertia_value(MbSim *sim, MbTangent *t, const double *a, double *tau) {
  double *v = t->dv;
  t->still = true, t->linearised = false;
  memset(v, 0, sim->model->nv * sizeof *v);
  down(sim, t, v, a, false);
  up(sim, t, a, false, tau);
}

void mb_tangent_value(MbSim *sim, MbTangent *t, const double *v, const double *a, double time, double *tau) {
  t->still = false, t->linearised = t->linear != NULL;
  if (!t->forced)
    unforced(sim, time), mb_sim_swings(sim);
  else if (!t->linear || !t->linear->forces)
    mb_sim_signals(sim, time), mb_sim_outer_wrenches(sim, time);
  down(sim, t, v, a, false);
  if (t->linear) mb_linear_value(sim, t, time);
  up(sim, t, a, false, tau);
  take_along(sim, t, v, tau);
}

// The accelerations' part is nothing, and so is the forces'.
void mb_tangent_motion(MbSim *sim, MbTangent *t, const double *v) {
  const size_t nb = sim->model->nb;
  t->linearised = false;
  memset(t->da, 0, sim->model->nv * sizeof *t->da);
  down(sim, t, v, t->da, true);
  memset(t->F, 0, 6 * nb * sizeof *t->F), memset(t->dF, 0, 6 * nb * sizeof *t->dF);
}
