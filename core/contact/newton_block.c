// The functions of the non-smooth Newton method, one block at a time; r is the block's mean diagonal of W, so that r λ and w are
// both velocities. In all of them F = 0 exactly where the block is solved.
//
// Minimum map (Alart and Curnier's form):
//   one way   min(w, r λ)
//   bounded   w, but r(λ − most) where r λ − w > r most, and r(λ + most) where it is below −r most
//   contact   F_n as one way; with y = r λ_t − w_t, R = μ max(0, r λ_n − w_n):
//             F_t = r λ_t − P_R(y), P_R the projection to the disc of radius R (to the square or the polygon, for box and pyramid).
//             Outside the disc, k = R/|y|, c = y/|y|:  dP_R = c dR + k (1 − c cᵀ) dy.
//             (With c and R kept this is ZF's E_f = r (1 − k)/k.)
//
// Fischer–Burmeister:
//   one way   w + r λ − √(w² + r²λ²)
//   contact   F_n as one way; where μ λ_n > 0, with a = |w_t|, l = |λ_t|, g = μ λ_n − l, s = √(a² + r²g²):
//             F_t = w_t + E λ_t,  E = r (s − r g)/(a + r μ λ_n − s)                              (ZF app. B)
//             E l = a exactly where 0 ≤ a ⊥ g ≥ 0: a numerator N, a denominator M, dE = (dN − E dM)/M with
//             N_a = r a/s,  N_g = r (r² g/s − r),  M_a = 1 − a/s,  M_g = −r² g/s,  and M has r μ dλ_n besides.
//             F_t = r λ_t elsewhere.
#include "core/contact/nonsmooth_newton.h"
#include "core/contact/polygon.h"

#include <math.h>
#include <string.h>

static void one_way(const MbBlock *block, MbContactFunction function, double lambda, double w,
                    MbNewtonBlock *part) {
  const double r = block->scale, y = r * lambda;
  if (function == MB_CONTACT_MINIMUM_MAP) {
    const bool pushes = y > w;
    part->F[0] = pushes ? w : y;
    part->A[0] = pushes ? 0 : r;
    part->B[0] = pushes;
    return;
  }
  const double s = hypot(w, y);
  part->F[0] = w + y - s;
  part->A[0] = s > 0 ? r * (1 - y / s) : r * (1 - sqrt(0.5));
  part->B[0] = s > 0 ? 1 - w / s : 1 - sqrt(0.5);
}

// Component i within −R and R.
static bool bounded(const MbBlock *block, int i, double R, const double *lambda, const double *w,
                    MbNewtonBlock *part) {
  const double y = block->scale * lambda[i] - w[i];
  const bool inside = fabs(y) < R;
  part->F[i] = inside ? w[i] : block->scale * lambda[i] - copysign(R, y);
  part->A[4 * i] = inside ? 0 : block->scale;
  part->B[4 * i] = inside;
  return inside;
}

static void square(const MbBlock *block, const double *lambda, const double *w, MbNewtonBlock *part) {
  const double r = block->scale, mu = block->mu, push = r * lambda[0] - w[0];
  for (int i = 1; i < 3; i++) {
    if (bounded(block, i, mu * fmax(push, 0), lambda, w, part) || !(push > 0)) continue;
    const double side = copysign(mu, r * lambda[i] - w[i]);
    part->A[3 * i] = -side * r;
    part->B[3 * i] = side;
  }
}

// No friction: both tangents' λ are to be 0.
static void nothing(const MbBlock *block, const double *lambda, MbNewtonBlock *part) {
  for (int i = 1; i < 3; i++) {
    part->F[i] = block->scale * lambda[i];
    part->A[4 * i] = block->scale;
  }
}

// `known`: R is, and does not change.
static void disc(const MbBlock *block, bool known, const double *lambda, const double *w,
                 MbNewtonBlock *part) {
  const double r = block->scale, mu = known ? 0 : block->mu,
               R = known ? r * block->most : mu * (r * lambda[0] - w[0]);
  const double y[2] = {r * lambda[1] - w[1], r * lambda[2] - w[2]}, size = sqrt(y[0] * y[0] + y[1] * y[1]);
  double *A = part->A, *B = part->B;
  if (!(R > 0)) {
    nothing(block, lambda, part);
    return;
  }
  if (size <= R) {
    part->F[1] = w[1], part->F[2] = w[2];
    B[4] = B[8] = 1;
    return;
  }
  const double c[2] = {y[0] / size, y[1] / size}, k = R / size;
  for (int i = 0; i < 2; i++) {
    double *Ai = A + 3 * (1 + i), *Bi = B + 3 * (1 + i);
    part->F[1 + i] = r * lambda[1 + i] - R * c[i];
    for (int j = 0; j < 2; j++) {
      const double T = k * ((i == j) - c[i] * c[j]);
      Ai[1 + j] = r * ((i == j) - T);
      Bi[1 + j] = T;
    }
    Ai[0] = -c[i] * mu * r;
    Bi[0] = c[i] * mu;
  }
}

static void polygon(const MbBlock *block, bool known, const double *lambda, const double *w,
                    MbNewtonBlock *part) {
  const double r = block->scale, mu = known ? 0 : block->mu,
               R = known ? r * block->most : mu * (r * lambda[0] - w[0]);
  double y[2] = {r * lambda[1] - w[1], r * lambda[2] - w[2]}, J[6];
  if (!(R > 0)) {
    nothing(block, lambda, part);
    return;
  }
  const bool inside = mb_polygon_holds(block->sides, R, y);
  mb_polygon_project(block->sides, R, y, J);
  for (int i = 0; i < 2; i++) {
    double *Ai = part->A + 3 * (1 + i), *Bi = part->B + 3 * (1 + i);
    part->F[1 + i] = inside ? w[1 + i] : r * lambda[1 + i] - y[i];
    Ai[0] = -J[3 * i] * mu * r;
    Bi[0] = J[3 * i] * mu;
    for (int j = 0; j < 2; j++) {
      Ai[1 + j] = r * ((i == j) - J[3 * i + 1 + j]);
      Bi[1 + j] = J[3 * i + 1 + j];
    }
  }
}

static void pair(const MbBlock *block, const double *lambda, const double *w, MbNewtonBlock *part) {
  const double r = block->scale, mu = block->mu, a = hypot(w[1], w[2]), l = hypot(lambda[1], lambda[2]);
  double *A = part->A, *B = part->B;
  if (!(mu * lambda[0] > 0)) {
    nothing(block, lambda, part);
    return;
  }
  const double g = mu * lambda[0] - l, s = hypot(a, r * g), N = r * (s - r * g),
               M = a + r * mu * lambda[0] - s, E = M > 0 ? N / M : 0;
  for (int i = 1; i < 3; i++) part->F[i] = w[i] + E * lambda[i];
  A[4] = A[8] = E, B[4] = B[8] = 1;
  if (!(s > 0) || !(M > 0)) return;
  const double Ng = r * (r * r * g / s - r), Mg = -r * r * g / s;
  const double Ea = (r * a / s - E * (1 - a / s)) / M, El = -(Ng - E * Mg) / M,
               En = (mu * Ng - E * (r * mu + mu * Mg)) / M;
  for (int i = 1; i < 3; i++) {
    for (int j = 1; j < 3; j++) {
      if (a > 0) B[3 * i + j] += lambda[i] * Ea * w[j] / a;
      if (l > 0) A[3 * i + j] += lambda[i] * El * lambda[j] / l;
    }
    A[3 * i] = lambda[i] * En;
  }
}

// Within a section whose size is known: the normal is to be nothing.
static void known(const MbBlock *block, const double *lambda, const double *w, MbNewtonBlock *part) {
  part->F[0] = block->scale * lambda[0], part->A[0] = block->scale, part->B[0] = 0;
  for (int i = 1; i < 3 && block->cone == MB_CONE_KNOWN_BOX; i++)
    bounded(block, i, block->scale * block->most, lambda, w, part);
  if (block->cone == MB_CONE_KNOWN_DISC) disc(block, true, lambda, w, part);
  if (block->cone == MB_CONE_KNOWN_PYRAMID) polygon(block, true, lambda, w, part);
}

static void contact(const MbBlock *block, MbContactFunction function, const double *lambda, const double *w,
                    MbNewtonBlock *part) {
  one_way(block, function, *lambda, *w, part);
  if (block->cone >= MB_CONE_KNOWN_BOX)
    known(block, lambda, w, part);
  else if (block->cone == MB_CONE_NONE || !(block->mu > 0))
    nothing(block, lambda, part);
  else if (block->cone == MB_CONE_BOX)
    square(block, lambda, w, part);
  else if (block->cone == MB_CONE_PYRAMID)
    polygon(block, false, lambda, w, part);
  else if (function == MB_CONTACT_MINIMUM_MAP)
    disc(block, false, lambda, w, part);
  else
    pair(block, lambda, w, part);
}

void mb_newton_block(const MbBlock *block, MbContactFunction function, const double *lambda, const double *w,
                     MbNewtonBlock *part) {
  memset(part, 0, sizeof *part);
  if (block->left_out) {
    part->A[0] = part->A[4] = part->A[8] = 1;
    return;
  }
  switch ((MbContactRowKind)block->kind) {
  case MB_CONTACT_BOTH_WAYS:
  case MB_CONTACT_TANGENT:
    part->F[0] = *w, part->B[0] = 1;
    return;
  case MB_CONTACT_BOUNDED:
    bounded(block, 0, block->scale * block->most, lambda, w, part);
    return;
  case MB_CONTACT_ONE_WAY:
    one_way(block, function, *lambda, *w, part);
    return;
  case MB_CONTACT_NORMAL:
    contact(block, function, lambda, w, part);
  }
}
