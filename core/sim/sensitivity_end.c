// How a step of one solution ends, behind the velocities w that it has solved for and moved the coordinates by:
//
//   a body that flies (model/flight.h)   ω⁺ = I⁻¹ R P,  R = exp(−h w), P = I w − s(ω), s being the swing at the step's start
//   coordinates that are exchanged       q′, v′ = A v, the same motion by another rotation vector, which A = ∂q′/∂q tells the rates of
//
// so that  dω⁺ = I⁻¹ R ( I dw − B dω − h (J_r dw) × P ),  B = ∂s/∂ω,     δq′ = A δq,  δv′ = A δv + ∂(A v)/∂q δq.
//
// B is core/sim/tangent_swing.c's; ∂(A v)/∂q is a difference, some 1e-10 off. What a number changes of ω⁺ by I is the difference of both sides' ω⁺ along the run, and backwards gathered.
#include "core/base/report.h"
#include "core/math/mat3.h"
#include "core/math/so3.h"
#include "core/model/coordinates.h"
#include "core/model/flight.h"
#include "core/model/joint.h"
#include "core/sim/sensitivity_met.h"
#include "core/sim/tangent_swing.h"

#include <math.h>
#include <string.h>

bool mb_slope_ends(const MbModel *model) { return model->any_flies || model->nrenewing; }

// ---- a body that flies ----------------------------------------------------------------------------------------------

// ∂ω⁺/∂w and −∂ω⁺/∂s of one body, row after row; and R P.
typedef struct Carried {
  double by_w[9], by_s[9], spin[3];
} Carried;

static void carry_of(const MbModel *model, size_t b, const double s[3], const double *w, Carried *out) {
  const double h = model->h, *I = model->M + 6 * b, turn[3] = {-h * w[0], -h * w[1], -h * w[2]};
  double P[3], J[9], q[4], R[9];
  for (int i = 0; i < 3; i++) P[i] = I[i] * w[i] - s[i];
  mb_so3_right_jacobian(J, turn);
  mb_quat_exp(q, turn);
  mb_quat_to_mat3(R, q);
  mb_mat3_apply(out->spin, R, P);
  for (int k = 0; k < 3; k++) {
    const double column[3] = {-h * J[k], -h * J[3 + k], -h * J[6 + k]};
    double d[3];
    mb_vec3_cross(d, column, P);
    d[k] += I[k];
    for (int i = 0; i < 3; i++) {
      out->by_w[3 * i + k] = (R[3 * i] * d[0] + R[3 * i + 1] * d[1] + R[3 * i + 2] * d[2]) / I[i];
      out->by_s[3 * i + k] = R[3 * i + k] / I[i];
    }
  }
}

// A body of which a moment is zero has no swing, and goes on as it is. A ball has none either, but one beside it, of a number, has.
static bool carried(const MbModel *model, size_t b) {
  const double *I = model->M + 6 * b;
  return model->flies[b] && I[0] > 0 && I[1] > 0 && I[2] > 0;
}

// ω⁺ of a body as a side of a number has it.
static void spin_of(const MbModel *model, size_t b, const double *from, const double *w, double out[3]) {
  double s[3];
  mb_vec3_copy(out, w);
  mb_flight_swing(model->h, model->M + 6 * b, from, s);
  mb_flight_carry(model->h, model->M + 6 * b, s, out);
}

static void by_number(const MbSlope *slope, size_t b, const double *from, const double *w, double move,
                      double out[3]) {
  const MbModel *const less = slope->less->model, *const more = slope->more->model;
  double one[3], other[3];
  mb_vec3_set(out, 0, 0, 0);
  if (memcmp(less->M + 6 * b, more->M + 6 * b, 3 * sizeof *less->M) == 0) return;
  for (int s = 0; s < 2; s++) {
    double at[3], to[3], *spin = s ? other : one;
    mb_vec3_copy(at, from), mb_vec3_copy(to, w);
    mb_axes_vector(slope->axes, s, b, false, at), mb_axes_vector(slope->axes, s, b, false, to);
    spin_of(mb_slope_side(slope, s)->model, b, at, to, spin);
    mb_axes_vector(slope->axes, s, b, true, spin);
  }
  for (int i = 0; i < 3; i++) out[i] = (other[i] - one[i]) / (2 * move);
}

// ---- coordinates that are exchanged ---------------------------------------------------------------------------------

typedef struct Renewed {
  size_t first, n;
  double A[MB_JOINT_MOST * MB_JOINT_MOST], by_q[MB_JOINT_MOST * MB_JOINT_MOST]; // row after row
} Renewed;

// rate ← A v of coordinates that are moved by so much along one of them. False: these are not exchanged.
static bool rate_at(const MbJoint *joint, const double *q, const double *v, size_t along, double by,
                    double *rate) {
  double moved[MB_JOINT_MOST];
  memcpy(moved, q, joint->n * sizeof *q), memcpy(rate, v, joint->n * sizeof *v);
  moved[along] += by;
  return joint->ops->renew(joint, moved, rate);
}

// ∂(A v)/∂q_k. Where one side is not exchanged, as the body has just come so far, two points on the other.
static void curve_of(const MbJoint *joint, const double *q, const double *v, size_t k, double *out) {
  static const double MOVE = 1e-5;
  double less[MB_JOINT_MOST], more[MB_JOINT_MOST], here[MB_JOINT_MOST];
  const bool by_less = rate_at(joint, q, v, k, -MOVE, less), by_more = rate_at(joint, q, v, k, MOVE, more);
  if (by_less && by_more) {
    for (size_t i = 0; i < joint->n; i++) out[i] = (more[i] - less[i]) / (2 * MOVE);
    return;
  }
  const double way = by_more ? MOVE : -MOVE, *near = by_more ? more : less;
  double far[MB_JOINT_MOST];
  rate_at(joint, q, v, k, 0, here);
  rate_at(joint, q, v, k, 2 * way, far);
  for (size_t i = 0; i < joint->n; i++) out[i] = (4 * near[i] - 3 * here[i] - far[i]) / (2 * way);
}

// Whether the joint's coordinates q, where the step has moved them to, are others at its end.
static bool renewed(const MbJoint *joint, const double *q, const double *end) {
  static const double APART = 1; // of a turn, 2π
  for (size_t i = 0; i < joint->n; i++)
    if (fabs(end[i] - q[i]) > APART) return true;
  return false;
}

// g->moved ← the coordinates as the step has moved them.
static void move_there(MbSensitivity *g, const double *w) {
  const MbSim *sim = g->sim;
  memcpy(g->moved, g->q, sim->nq * sizeof *g->moved);
  mb_coordinates_advance(sim->model, g->moved, sim->model->h, w, 0, sim->model->nb);
}

static bool renewal(const MbSensitivity *g, size_t i, const double *w, Renewed *out) {
  const MbModel *model = g->sim->model;
  const size_t b = model->renewing[i];
  const MbJoint *joint = &model->joint[b];
  const double *q = g->moved + model->q_first[b];
  if (!renewed(joint, q, g->end + model->q_first[b])) return false;
  out->first = model->v_first[b], out->n = joint->n;
  for (size_t k = 0; k < joint->n; k++) {
    double moved[MB_JOINT_MOST], rate[MB_JOINT_MOST] = {0};
    memcpy(moved, q, joint->n * sizeof *q);
    rate[k] = 1;
    joint->ops->renew(joint, moved, rate);
    for (size_t j = 0; j < joint->n; j++) out->A[joint->n * j + k] = rate[j];
    curve_of(joint, q, w + out->first, k, rate);
    for (size_t j = 0; j < joint->n; j++) out->by_q[joint->n * j + k] = rate[j];
  }
  return true;
}

// Whether a joint's coordinates would be exchanged where they are a little more, and not where they are a little less: then numbers move that to another step, and the run jumps by what
// steps differ by.
static bool about_to_be(const MbJoint *joint, const double *q, const double *v) {
  static const double NEAR = 1e-6;
  bool exchanged[2];
  for (int side = 0; side < 2; side++) {
    double moved[MB_JOINT_MOST], rate[MB_JOINT_MOST];
    for (size_t i = 0; i < joint->n; i++) moved[i] = q[i] * (1 + (side ? NEAR : -NEAR)), rate[i] = v[i];
    exchanged[side] = joint->ops->renew(joint, moved, rate);
  }
  return exchanged[0] != exchanged[1];
}

void mb_slope_end_tell(MbSensitivity *g, const MbStageNote *note, double t, int64_t step, MbReport *report) {
  const MbModel *model = g->sim->model;
  if (!model->nrenewing || g->told_exchange || g->halves) return;
  move_there(g, note->w);
  for (size_t i = 0; i < model->nrenewing; i++) {
    const size_t b = model->renewing[i];
    if (!about_to_be(&model->joint[b], g->moved + model->q_first[b], note->w + model->v_first[b])) continue;
    mb_warning(report, "",
               "at t = %.9g s, step %lld: the rotation vector of \"%s\" is exchanged just here, or not: the "
               "derivative is that of the branch taken",
               t, (long long)step, model->body_name[b]);
    g->told_exchange = true;
    return;
  }
}

// y ← A x, Aᵀ x of n x n
static void times(const double *A, size_t n, bool transposed, const double *x, double *y) {
  for (size_t i = 0; i < n; i++) {
    y[i] = 0;
    for (size_t k = 0; k < n; k++) y[i] += A[transposed ? n * k + i : n * i + k] * x[k];
  }
}

// ---- along, and backwards -------------------------------------------------------------------------------------------

void mb_slope_end_change(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, double move,
                         double *q, double *v) {
  const MbModel *model = g->sim->model;
  const MbSwingSlopes *swing = mb_tangent_swings(g->tangent);
  for (size_t b = 0; b < model->nb && model->any_flies; b++) {
    const size_t first = model->v_first[b];
    Carried c;
    double ds[3], out[3], lost[3], more[3];
    if (!carried(model, b)) continue;
    carry_of(model, b, swing[b].s, note->w + first, &c);
    times(swing[b].by_w, 3, false, slope->v + first, ds);
    times(c.by_w, 3, false, v + first, out);
    times(c.by_s, 3, false, ds, lost);
    by_number(slope, b, note->from + first, note->w + first, move, more);
    for (int i = 0; i < 3; i++) v[first + (size_t)i] = out[i] - lost[i] + more[i];
  }
  if (model->nrenewing) move_there(g, note->w);
  for (size_t i = 0; i < model->nrenewing; i++) {
    Renewed r;
    double dq[MB_JOINT_MOST], dv[MB_JOINT_MOST], bend[MB_JOINT_MOST];
    if (!renewal(g, i, note->w, &r)) continue;
    times(r.A, r.n, false, q + r.first, dq);
    times(r.A, r.n, false, v + r.first, dv);
    times(r.by_q, r.n, false, q + r.first, bend);
    for (size_t k = 0; k < r.n; k++) q[r.first + k] = dq[k], v[r.first + k] = dv[k] + bend[k];
  }
}

void mb_slope_end_back(MbSensitivity *g, const MbStageNote *note, double *q, double *v, double *from) {
  const MbModel *model = g->sim->model;
  const MbSwingSlopes *swing = mb_tangent_swings(g->tangent);
  memset(from, 0, g->sim->nv * sizeof *from);
  if (model->nrenewing) move_there(g, note->w);
  for (size_t i = 0; i < model->nrenewing; i++) {
    Renewed r;
    double dq[MB_JOINT_MOST], dv[MB_JOINT_MOST], bend[MB_JOINT_MOST];
    if (!renewal(g, i, note->w, &r)) continue;
    times(r.A, r.n, true, q + r.first, dq);
    times(r.A, r.n, true, v + r.first, dv);
    times(r.by_q, r.n, true, v + r.first, bend);
    for (size_t k = 0; k < r.n; k++) q[r.first + k] = dq[k] + bend[k], v[r.first + k] = dv[k];
  }
  for (size_t b = 0; b < model->nb && model->any_flies; b++) {
    const size_t first = model->v_first[b];
    MbThrown *thrown = mb_thrown_of(g, b);
    Carried c;
    double s[3], out[3], lost[3];
    if (!carried(model, b)) continue;
    memcpy(g->spun + first, v + first, 3 * sizeof *v);
    carry_of(model, b, thrown ? thrown->swing.s : swing[b].s, thrown ? thrown->turned : note->w + first, &c);
    times(c.by_w, 3, true, v + first, out);
    times(c.by_s, 3, true, v + first, s);
    times(swing[b].by_w, 3, true, s, lost);
    if (thrown) mb_vec3_copy(thrown->carried, s), mb_vec3_copy(thrown->spun, v + first);
    for (size_t i = 0; i < 3; i++) v[first + i] = out[i], from[first + i] = thrown ? 0 : -lost[i];
  }
}

// ω⁺ = I⁻¹ R P changes by I as  I⁻¹ ( R (w ∘ dI − ∂s/∂I dI) − ω⁺ ∘ dI ).
void mb_slope_end_gather(const MbSensitivity *g, MbTangentGather *gather, const MbStageNote *note) {
  const MbModel *model = g->sim->model;
  const MbSwingSlopes *swing = mb_tangent_swings(g->tangent);
  for (size_t b = 0; b < model->nb && model->any_flies && !g->halves; b++) {
    const size_t first = model->v_first[b];
    const double *I = model->M + 6 * b, *spun = g->spun + first;
    double felt[3], by_P[3], by_I[3];
    Carried c;
    const MbThrown *thrown = mb_thrown_of(g, b);
    if (!carried(model, b) || !mb_tangent_gathers_moments(gather, b)) continue;
    if (thrown) {
      for (size_t k = 0; k < 3; k++) felt[k] = mb_thrown_moment(g, thrown, note, k);
      mb_tangent_gather_moments(gather, b, felt);
      continue;
    }
    carry_of(model, b, swing[b].s, note->w + first, &c);
    times(c.by_s, 3, true, spun, by_P);
    times(swing[b].by_I, 3, true, by_P, by_I);
    for (size_t k = 0; k < 3; k++)
      felt[k] = by_P[k] * note->w[first + k] - by_I[k] - spun[k] * c.spin[k] / (I[k] * I[k]);
    mb_tangent_gather_moments(gather, b, felt);
  }
}

double mb_slope_end_number(const MbSensitivity *g, const MbSlope *slope, const MbStageNote *note,
                           double move) {
  const MbModel *model = g->sim->model;
  double sum = 0;
  for (size_t b = 0; b < model->nb && model->any_flies && mb_tangent_number_spins(slope->number); b++) {
    const size_t first = model->v_first[b];
    double more[3];
    const MbThrown *thrown = mb_thrown_of(g, b);
    if (!carried(model, b)) continue;
    if (thrown) {
      sum += mb_thrown_number(g, thrown, slope, note, move);
      continue;
    }
    by_number(slope, b, note->from + first, note->w + first, move, more);
    sum += mb_vec3_dot(g->spun + first, more);
  }
  return sum;
}
