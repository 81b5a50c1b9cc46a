// A round body A rolls on a plane of B. Its shape has its centre in c and the half axes D = diag(radii) along S: all the same
// are a ball, one that is 0 is the rim of a disk. With n the plane's normal, o a point of it, and u = Sᵀ n in the shape's axes,
//   η = √(u · D² u),   r = −S D² u / η,   g = n · (c − o) − η;
// P = c + r is the lowest point. There A moves against B's surface by s, which is none along n and along the axes t_1, t_2 that
// are fixed in B; for each of them, d,
//   ġ = n · s,   s = ṗ_A(P) − ṗ_B(P),   d/dt (d · s) = H φ̇ + (ω_B × d) · s + d · ((ω_A − ω_B) × Ṗ),
// all of it exact wherever A is. P itself moves on by
//   Ṗ = ċ + ω_A × r + S ( D² u (D² u · u̇)/η³ − D² u̇/η ),   u̇ = Sᵀ ((ω_B − ω_A) × n).
// Of a disk that lies flat, η = 0, no point of the rim is lowest: g and ġ_t are no numbers there, nor where it comes to lie
// flat in the step to be made.
#include "core/constraints/rolling.h"
#include "core/constraints/constraints.h"

// A body in W: its centre of mass, its velocity, how it turns.
typedef struct Motion {
  double p[3], v[3], w[3];
} Motion;

static Motion motion_of(const MbConstraint *constraint, int end, const MbMaximal *x) {
  const size_t b = constraint->body[end];
  Motion m = {0};
  if (b == MB_WORLD) return m;
  mb_vec3_copy(m.p, x->E[b].p);
  mb_quat_rotate(m.w, x->E[b].q, x->phi + 6 * b);
  mb_quat_rotate(m.v, x->E[b].q, x->phi + 6 * b + 3);
  return m;
}

// a × (P − p) is what turning adds to v at P.
static void velocity_at(double out[3], const Motion *m, const double P[3]) {
  double arm[3], turn[3];
  mb_vec3_sub(arm, P, m->p);
  mb_vec3_cross(turn, m->w, arm);
  mb_vec3_add(out, m->v, turn);
}

// The lowest point of the shape and how it moves on, in W.
typedef struct Contact {
  double P[3], rate[3]; // P, Ṗ
  double height, eta;   // n · (c − o), η
  bool fine;            // there is one
} Contact;

// Whether a disk is flat, or comes to be so in the next two steps of length h: D u goes through none.
static bool is_flat(const double u[3], const double udot[3], const double D[3], double eta, double h) {
  static const double FLAT = 1e-6; // of the largest radius
  double towards = 0;
  for (int i = 0; i < 3; i++) towards += D[i] * D[i] * u[i] * udot[i];
  const double size = fmax(D[0], fmax(D[1], D[2]));
  return !(eta > FLAT * size && eta + 2 * h * towards / eta > 0);
}

static void touch(const MbConstraint *constraint, const MbInstant *at, const Motion motion[2],
                  Contact *contact) {
  const MbPoint c = mb_constraint_point(constraint, 0, at->x), o = mb_constraint_point(constraint, 1, at->x);
  const double *D = ((const MbRolling *)constraint->parameters)->radii;
  double n[3], S[3][3], u[3], udot[3], Du[3], relative[3], turn[3], d[3], r[3] = {0}, bend[3] = {0};
  mb_constraint_direction(constraint, 1, 2, at->x, n);
  mb_vec3_sub(relative, motion[1].w, motion[0].w);
  mb_vec3_cross(turn, relative, n);
  double square = 0, along = 0;
  for (int k = 0; k < 3; k++) {
    mb_constraint_direction(constraint, 0, k, at->x, S[k]);
    u[k] = mb_vec3_dot(S[k], n), udot[k] = mb_vec3_dot(S[k], turn);
    Du[k] = D[k] * D[k] * u[k];
    square += Du[k] * u[k], along += Du[k] * udot[k];
  }
  const double eta = contact->eta = sqrt(square);
  contact->fine = !is_flat(u, udot, D, eta, at->h);
  for (int k = 0; k < 3; k++) {
    mb_vec3_add_scaled(r, r, -Du[k] / eta, S[k]);
    mb_vec3_add_scaled(bend, bend, Du[k] * along / (square * eta) - D[k] * D[k] * udot[k] / eta, S[k]);
  }
  mb_vec3_sub(d, c.p, o.p);
  contact->height = mb_vec3_dot(n, d);
  mb_vec3_add(contact->P, c.p, r);
  mb_vec3_cross(turn, motion[0].w, r);
  for (int i = 0; i < 3; i++) contact->rate[i] = c.v[i] + turn[i] + bend[i];
}

// arm ← the point P of that body, in C.
static void seen_from(const MbConstraint *constraint, int end, const MbMaximal *x, const double P[3],
                      double arm[3]) {
  const size_t b = constraint->body[end];
  if (b == MB_WORLD) return;
  mb_vec3_sub(arm, P, x->E[b].p);
  mb_quat_unrotate(arm, x->E[b].q, arm);
}

// What makes s d · ṗ of the point of that body that is at `arm` in C.
static void along(const MbConstraint *constraint, int end, const MbMaximal *x, const double arm[3],
                  const double d[3], double s, MbRow *row) {
  const size_t b = row->body[end] = constraint->body[end];
  if (b == MB_WORLD) return;
  double m[3], turn[3];
  mb_quat_unrotate(m, x->E[b].q, d);
  mb_vec3_cross(turn, arm, m);
  mb_vec3_scale(row->H[end], s, turn);
  mb_vec3_scale(row->H[end] + 3, s, m);
}

static void eval(const MbConstraint *constraint, const MbInstant *at, MbRow *rows) {
  const Motion motion[2] = {motion_of(constraint, 0, at->x), motion_of(constraint, 1, at->x)};
  Contact contact;
  double s[3], back[3], relative[3], turn[3], arm[2][3];
  touch(constraint, at, motion, &contact);
  for (int end = 0; end < 2; end++) seen_from(constraint, end, at->x, contact.P, arm[end]);
  velocity_at(s, &motion[0], contact.P);
  velocity_at(back, &motion[1], contact.P);
  mb_vec3_sub(s, s, back);
  mb_vec3_sub(relative, motion[0].w, motion[1].w);
  mb_vec3_cross(turn, relative, contact.rate);
  for (int k = 0; k < 3; k++) {
    const MbPoint d = mb_constraint_axis(constraint, 1, (k + 2) % 3, at->x); // n, then t_1 and t_2
    MbRow *row = &rows[k];
    along(constraint, 0, at->x, arm[0], d.p, 1, row);
    along(constraint, 1, at->x, arm[1], d.p, -1, row);
    row->order = k ? 1 : 0;
    row->g = !contact.fine ? NAN : k ? 0 : contact.height - contact.eta;
    row->gt = contact.fine ? 0 : NAN;
    row->gtt = mb_vec3_dot(d.v, s) + mb_vec3_dot(d.p, turn);
    row->size = 1e-3 + fabs(contact.height) + contact.eta;
  }
}

extern const MbConstraintOps mb_rolling_ops;

static MbStatus build(MbBuilder *b, const MbConstraintSpec *from) {
  return mb_rolling_build(b, from, &mb_rolling_ops);
}

const MbConstraintOps mb_rolling_ops = {
    .name = "rolling",
    .parameters = sizeof(MbRolling),
    .rows = 3,
    .rates = true,
    .build = build,
    .singular = "its disk comes to lie flat, where no point of its rim is the lowest",
    .eval = eval};
