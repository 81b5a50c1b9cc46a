// A spring between two frames, against their distance and their turn (AR 0.22): frame 1 fixed in body A by R_1A, frame 2 in
// B by R_2B. With R_21 = R_1Wᵀ R_2W and r its rotation vector, which both frames see alike (R_21 r = r):
//   forces of a spring of zero length, k_t and d_t;  torques  τ_A = k_r R_1A r + d_r ( N ω_B − ω_A ),
//   τ_B = −k_r R_2B r + d_r ( Nᵀ ω_A − ω_B ),   N = R_AWᵀ R_BW
// Turns a of A and b of B give R_21 ← exp(−a₁) R_21 exp(b₂), so δr = J_r⁻¹ b₂ − J_l⁻¹ a₁,
//   J_r⁻¹ = 1 + ½[r] + e [r]²,  J_l⁻¹ = J_r⁻ᵀ   (Uᵀ and U of AR 0.45; its signs in 0.52 and 0.57 are not these)
// r jumps where the frames are turned against each other by half a turn.
#include "core/forces/frame_spring.h"
#include "core/forces/felt.h"
#include "core/forces/forces.h"
#include "core/forces/frame_spring_curve.h"
#include "core/forces/point_curve.h"
#include "core/forces/points.h"

static const MbFrameSpring *own_of(const MbForce *force) { return force->parameters; }

typedef struct Turn {
  double RA[9], RB[9];     // R_1A, R_2B
  double N[9];             // B's axes in A's
  double wA[3], wB[3];     // angular velocities in own axes
  double r[3], inverse[9]; // and J_r⁻¹
} Turn;

static void side(const MbForce *force, const MbMaximal *x, size_t i, double q_body[4], double R[9],
                 double w[3]) {
  const MbForcePoint *at = &force->points[i];
  mb_quat_to_mat3(R, at->at.q);
  mb_quat_identity(q_body);
  mb_vec3_set(w, 0, 0, 0);
  if (at->body == MB_WORLD) return;
  for (int k = 0; k < 4; k++) q_body[k] = x->E[at->body].q[k];
  mb_vec3_copy(w, x->phi + 6 * at->body);
}

static void turn_at(const MbForce *force, const MbMaximal *x, Turn *turn) {
  double qA[4], qB[4], q1[4], q2[4], A[9], B[9], X[9], XX[9];
  side(force, x, 0, qA, turn->RA, turn->wA);
  side(force, x, 1, qB, turn->RB, turn->wB);
  mb_quat_to_mat3(A, qA);
  mb_quat_to_mat3(B, qB);
  mb_mat3_tmul(turn->N, A, B);
  mb_quat_mul(q1, qA, force->points[0].at.q);
  mb_quat_mul(q2, qB, force->points[1].at.q);
  mb_quat_conj(q1, q1);
  mb_quat_mul(q2, q1, q2);
  mb_quat_log(turn->r, q2);
  mb_mat3_cross(X, turn->r);
  mb_mat3_mul(XX, X, X);
  const double e = mb_log_d(mb_vec3_dot(turn->r, turn->r));
  for (int k = 0; k < 9; k++) turn->inverse[k] = (k % 4 == 0) + X[k] / 2 + e * XX[k];
}

// The rotations' 3 x 3 part of the block of K or D at `place` += s A
static void add_turning(double *block, size_t place, double s, const double A[9]) {
  for (size_t i = 0; i < 3 && place != MB_WORLD; i++)
    for (size_t j = 0; j < 3; j++) block[place + 6 * i + j] += s * A[3 * i + j];
}

// s A J Bᵀ, or with J transposed
static void add_spring(double *K, size_t place, double s, const double A[9], const double J[9],
                       bool transposed, const double B[9]) {
  double JB[9], AJB[9], Jt[9];
  for (int i = 0; i < 9; i++) Jt[i] = transposed ? J[3 * (i % 3) + i / 3] : J[i];
  mb_mat3_mult(JB, Jt, B);
  mb_mat3_mul(AJB, A, JB);
  add_turning(K, place, s, AJB);
}

// `Nt`: Nᵀ
static void add_stiffness(const MbForce *force, MbMaximal *x, const Turn *turn, const double Nt[9],
                          const double NwB[3], const double NtwA[3]) {
  const double k = own_of(force)->stiffness[1], d = own_of(force)->damping[1];
  const size_t *place = force->block; // AA AB BA BB
  double X[9], Y[9];
  add_spring(x->K, place[0], -k, turn->RA, turn->inverse, true, turn->RA);
  add_spring(x->K, place[1], k, turn->RA, turn->inverse, false, turn->RB);
  add_spring(x->K, place[2], k, turn->RB, turn->inverse, true, turn->RA);
  add_spring(x->K, place[3], -k, turn->RB, turn->inverse, false, turn->RB);

  // the dampers' torques seen from bodies that turn
  const double turning = x->safe ? 0 : d;
  mb_mat3_cross(X, NwB);
  add_turning(x->K, place[0], turning, X);
  mb_mat3_cross(X, turn->wB);
  mb_mat3_mul(Y, turn->N, X);
  add_turning(x->K, place[1], -turning, Y);
  mb_mat3_cross(X, turn->wA);
  mb_mat3_mul(Y, Nt, X);
  add_turning(x->K, place[2], -turning, Y);
  mb_mat3_cross(X, NtwA);
  add_turning(x->K, place[3], turning, X);
}

static void add_derivatives(const MbForce *force, MbMaximal *x, const Turn *turn, const double NwB[3],
                            const double NtwA[3]) {
  const double d = own_of(force)->damping[1];
  const size_t *place = force->block; // AA AB BA BB
  const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double Nt[9];
  for (int i = 0; i < 9; i++) Nt[i] = turn->N[3 * (i % 3) + i / 3];
  if (x->K) add_stiffness(force, x, turn, Nt, NwB, NtwA);
  add_turning(x->D, place[0], -d, one);
  add_turning(x->D, place[1], d, turn->N);
  add_turning(x->D, place[2], d, Nt);
  add_turning(x->D, place[3], -d, one);
}

static void eval(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end) {
  (void)model, (void)begin, (void)end;
  const double k = own_of(force)->stiffness[1], d = own_of(force)->damping[1];
  mb_points_join(force, x, own_of(force)->stiffness[0], own_of(force)->damping[0]);
  Turn turn;
  double NwB[3], NtwA[3], rA[3], rB[3];
  turn_at(force, x, &turn);
  mb_mat3_apply(NwB, turn.N, turn.wB);
  mb_mat3_tapply(NtwA, turn.N, turn.wA);
  mb_mat3_apply(rA, turn.RA, turn.r);
  mb_mat3_apply(rB, turn.RB, turn.r);
  const size_t A = force->points[0].body, B = force->points[1].body;
  for (size_t i = 0; i < 3; i++) {
    if (A != MB_WORLD) x->f[6 * A + i] += k * rA[i] + d * (NwB[i] - turn.wA[i]);
    if (B != MB_WORLD) x->f[6 * B + i] += -k * rB[i] + d * (NtwA[i] - turn.wB[i]);
  }
  if (mb_force_counts(force, x)) add_derivatives(force, x, &turn, NwB, NtwA);
}

static void curve(const MbForce *force, const MbMaximal *x, const MbForceCurve *at) {
  if (force->lagged) return;
  Turn turn;
  turn_at(force, x, &turn);
  mb_points_join_curve(force, x, at, own_of(force)->stiffness[0], own_of(force)->damping[0]);
  mb_frame_turn_curve(force, x, at, (const double *const[2]){turn.RA, turn.RB}, turn.r, turn.inverse);
}

// By the turn of a body: of the spring by  δr = J_r⁻¹ b₂ − J_l⁻¹ a₁, of the other's spin ω seen from it as  N (θ × ω)  and  −θ × N ω.
static void feel_turn(const double R[9], const double by_own[3], double d, const double z[3],
                      const double other_spin[3], const double other_z[3], const double w[3],
                      double turn[3]) {
  double own[3];
  mb_mat3_apply(own, R, by_own);
  mb_vec3_add(turn, turn, own);
  mb_add_cross(turn, d, z, other_spin);
  mb_add_cross(turn, d, w, other_z);
}

// z_A·τ_A + z_B·τ_B with  z·r of the springs  k (R_1Aᵀ z_A − R_2Bᵀ z_B)·r
static void felt_turn(const MbForce *force, const Turn *at, const double *z, const MbFeltBodies *to) {
  const double k = own_of(force)->stiffness[1], d = own_of(force)->damping[1];
  const size_t A = force->points[0].body, B = force->points[1].body;
  double zA[3] = {0}, zB[3] = {0}, a1[3], b2[3], by_r[3], NwB[3], NtwA[3], NzB[3], NtzA[3];
  if (A != MB_WORLD) mb_vec3_copy(zA, z + 6 * A);
  if (B != MB_WORLD) mb_vec3_copy(zB, z + 6 * B);
  mb_mat3_tapply(a1, at->RA, zA), mb_mat3_tapply(b2, at->RB, zB);
  mb_vec3_sub(by_r, a1, b2);
  mb_vec3_scale(by_r, k, by_r);
  mb_mat3_apply(a1, at->inverse, by_r); // J_l⁻ᵀ = J_r⁻¹
  mb_vec3_scale(a1, -1, a1);
  mb_mat3_tapply(b2, at->inverse, by_r);
  mb_mat3_apply(NwB, at->N, at->wB), mb_mat3_tapply(NtwA, at->N, at->wA);
  mb_mat3_apply(NzB, at->N, zB), mb_mat3_tapply(NtzA, at->N, zA);
  if (A != MB_WORLD) {
    feel_turn(at->RA, a1, d, zA, NwB, NzB, at->wA, to->by_move + 6 * A);
    for (size_t i = 0; i < 3; i++) to->by_phi[6 * A + i] += d * (NzB[i] - zA[i]);
  }
  if (B != MB_WORLD) {
    feel_turn(at->RB, b2, d, zB, NtwA, NtzA, at->wB, to->by_move + 6 * B);
    for (size_t i = 0; i < 3; i++) to->by_phi[6 * B + i] += d * (NtzA[i] - zB[i]);
  }
}

static void felt(const MbForce *force, const MbMaximal *x, const double *z, double *by_move, double *by_phi) {
  const MbFeltBodies to = {by_move, by_phi};
  Turn turn;
  turn_at(force, x, &turn);
  mb_points_join_felt(force, x, z, own_of(force)->stiffness[0], own_of(force)->damping[0], &to);
  felt_turn(force, &turn, z, &to);
}

// ½ k_t Δx² + ½ k_r r²
static double energy(const MbForce *force, const MbMaximal *x) {
  Turn turn;
  turn_at(force, x, &turn);
  return mb_points_join_energy(force, x, own_of(force)->stiffness[0]) +
         own_of(force)->stiffness[1] * mb_vec3_dot(turn.r, turn.r) / 2;
}

static bool damps(const MbForce *force) {
  return own_of(force)->damping[0] > 0 || own_of(force)->damping[1] > 0;
}

extern const MbForceOps mb_frame_spring_ops;
const MbForceOps mb_frame_spring_ops = {.name = "frame_spring",
                                        .parameters = sizeof(MbFrameSpring),
                                        .eval = eval,
                                        .least = 2,
                                        .most = 2,
                                        .curve = curve,
                                        .felt = felt,
                                        .energy = energy,
                                        .damps = damps};
