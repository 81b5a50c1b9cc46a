// Stiff paths that turn in a step of one solution (implicit, of first order). Linearised where it is, a spring between points that go round
// one another pulls along a line that has turned by θ by the step's end, and of what is stiff that takes spin (element_turn.c has why). So a
// segment is linearised where it turns to. With d = x_b − x_a = l u at the step's start, Δ = x_b⁺ − x_b − (x_a⁺ − x_a) and ũ the direction to come,
// the force at the step's end on the point that the segment starts from is
//
//   F⁺ u⁺ ≈ ( F + F_L Σ (ũ · (d + Δ) − l) + F_L̇ (Σ ũ · (ẋ_b⁺ − ẋ_a⁺) − L̇) ) ũ + (F/l) (1 − ũ ũᵀ) (d + Δ),      sums over the segments
//
// exact in Δ for what only turns. Points move by h G φ⁺, and those of a body that turns about its centre by
//
//   c = R (exp(h [ω]) − 1 − h [ω]) r
//
// besides. What of that has v⁺ is K and D with ũ for u; with e = d + c_b − c_a the rest is F u and
//
//   ( F + F_L Σ (ũ · e − l) + F_L̇ Σ (ũ − u) · (ẋ_b − ẋ_a) ) ũ + (F/l) (1 − ũ ũᵀ) e − F u
//
// ũ is the direction of l u + s w, w what of h (ẋ_b − ẋ_a) + c_b − c_a is across u. What is drawn out as fast as it turns will not go on so, as of
// elements: s has the share κ = k² (3 − 2 k), k = 1 − (u · w₀)²/w², w₀ the whole of it, or 0, where it comes to without a kink, so that runs have derivatives. And where a step is short beside the spring's own swings nothing is lost
// that first order would not lose, and linearising it where it is, as in print, serves: s has another share that grows from 0 to 1 as
//
//   h² F_L (1/m_a + 1/m_b)
//
// grows from SLOW to FAST: one of a swing's square beside the step's, of points at centres; m are the bodies' masses.
#include "core/forces/path_turn.h"

#include <string.h>

static const double SLOW = 1, FAST = 4; // (ω h)², ω of the spring's swing

// By how much point i goes further in `ahead` seconds than its velocity says
static void curve_of(const MbForce *force, const MbMaximal *x, size_t i, double c[3]) {
  const MbForcePoint *at = &force->points[i];
  const double *r = at->at.p;
  double w[3], q[4], turned[3], straight[3];
  mb_vec3_set(c, 0, 0, 0);
  if (at->body == MB_WORLD || mb_vec3_dot(r, r) == 0) return;
  mb_vec3_scale(w, x->ahead, x->phi + 6 * at->body);
  mb_quat_exp(q, w);
  mb_quat_rotate(turned, q, r);
  mb_vec3_cross(straight, w, r);
  for (int k = 0; k < 3; k++) c[k] = turned[k] - r[k] - straight[k];
  mb_quat_rotate(c, x->E[at->body].q, c);
}

static double lightness(const MbForce *force, const MbMaximal *x, size_t i) {
  const size_t b = force->points[i].body;
  return b != MB_WORLD && x->M[6 * b + 3] > 0 ? 1 / x->M[6 * b + 3] : 0;
}

// From 0 to 1 as the spring swings fast beside the step.
static double share_of_stiffness(double swing) {
  const double s = fmin(fmax((swing - SLOW) / (FAST - SLOW), 0), 1);
  return s * s * (3 - 2 * s);
}

// The direction to come of segment s, by what it moves by; false where it is not to turn.
static bool turn_segment(const MbPath *path, size_t s, const double by[3], double u[3]) {
  const double along = mb_vec3_dot(path->u[s], by);
  double across[3];
  mb_vec3_add_scaled(across, by, -along, path->u[s]);
  const double turning = mb_vec3_dot(across, across);
  if (!(turning > along * along)) return false;
  const double k = 1 - along * along / turning;
  mb_vec3_scale(across, k * k * (3 - 2 * k) * path->inverse[s], across);
  mb_vec3_add(u, path->u[s], across);
  mb_vec3_scale(u, 1 / mb_vec3_norm(u), u);
  return true;
}

// What share_of_stiffness changes by.
static double slope_of_share(double swing) {
  const double s = fmin(fmax((swing - SLOW) / (FAST - SLOW), 0), 1);
  return 6 * s * (1 - s) / (FAST - SLOW);
}

static void note(MbTurnedSegment *how, const double u[3], const double curve[3], const double rate[3],
                 const double by[3], const double e[3]) {
  how->counts = true;
  mb_vec3_copy(how->u, u), mb_vec3_copy(how->curve, curve), mb_vec3_copy(how->rate, rate);
  mb_vec3_copy(how->by, by), mb_vec3_copy(how->e, e);
}

bool mb_path_turn(const MbForce *force, const MbMaximal *x, const MbTension *t, MbPath *path,
                  double extra[MB_PATH_MOST][3], MbPathTurned *how) {
  double e[MB_PATH_MOST][3], u[MB_PATH_MOST][3], c[2][3], light = lightness(force, x, 0), pull = t->F;
  bool any = false;
  if (how) how->longer = how->faster = 0, memset(how->segment, 0, path->n * sizeof *how->segment);
  memcpy(u, path->u, path->n * sizeof *u);
  curve_of(force, x, 0, c[0]);
  for (size_t s = 0; s + 1 < path->n; s++) {
    const MbMovingPoint *a = &path->point[s], *b = &path->point[s + 1];
    const double next = lightness(force, x, s + 1);
    const double swing = x->ahead * x->ahead * t->F_length * (light + next),
                 stiff = share_of_stiffness(swing), square = x->ahead * x->ahead * (light + next);
    double rate[3], by[3], change[3], curve[3];
    light = next;
    curve_of(force, x, s + 1, c[(s + 1) % 2]);
    if (path->passive >> s & 1 || path->inverse[s] == 0) continue;
    mb_vec3_sub(rate, b->xdot, a->xdot);
    mb_vec3_sub(curve, c[(s + 1) % 2], c[s % 2]);
    mb_vec3_scale(by, stiff, curve);
    for (int k = 0; k < 3; k++) e[s][k] = path->u[s][k] / path->inverse[s] + by[k];
    mb_vec3_add_scaled(by, by, stiff * x->ahead, rate);
    const bool turned = stiff > 0 && turn_segment(path, s, by, u[s]);
    any |= turned;
    mb_vec3_sub(change, u[s], path->u[s]);
    pull += t->F_length * (mb_vec3_dot(u[s], e[s]) - 1 / path->inverse[s]);
    pull += t->F_rate * mb_vec3_dot(change, rate);
    if (!how) continue;
    MbTurnedSegment *of = &how->segment[s];
    note(of, path->u[s], curve, rate, by, e[s]);
    of->turned = turned, of->stiff = stiff, of->stiffer = square * slope_of_share(swing);
    how->longer += mb_vec3_dot(u[s], e[s]) - 1 / path->inverse[s];
    how->faster += mb_vec3_dot(change, rate);
  }
  if (how) how->pull = pull;
  if (!any) return false;
  for (size_t s = 0; s + 1 < path->n; s++) {
    mb_vec3_set(extra[s], 0, 0, 0);
    if (path->passive >> s & 1 || path->inverse[s] == 0) continue;
    const double across = t->across * path->inverse[s];
    mb_vec3_scale(extra[s], pull - across * mb_vec3_dot(u[s], e[s]), u[s]);
    mb_vec3_add_scaled(extra[s], extra[s], across, e[s]);
    mb_vec3_add_scaled(extra[s], extra[s], -t->F, path->u[s]);
  }
  memcpy(path->u, u, path->n * sizeof *u);
  return true;
}
