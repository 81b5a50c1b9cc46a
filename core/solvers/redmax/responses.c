// W of many rows by the factors of the recursion: wrenches are taken up the tree side by side and meet in pairs (responses.h).
#define MB_LANES 1
#include "core/solvers/redmax/responses.h"
#include "core/base/alloc.h"
#include "core/base/targets.h"
#include "core/solvers/redmax/lanes_joints.h"

#include <string.h>

enum { ENDS = 4 }; // wrenches of a row at most

typedef struct End {
  uint32_t body, row;
  double F[6]; // of O in world axes
} End;

struct MbResponses {
  const MbLinks *links;
  size_t most, n;  // wrenches: room, there are
  uint32_t *owner; // (nv) body whose joint's coordinate it is
  uint32_t *size;  // (nb) bodies of the subtree
  uint32_t *start; // (nb + 1) wrenches on bodies before
  End *end;        // (most) as they were added
  uint32_t *row;   // (most) by bodies
  double *F;       // (6 x most)
  double *shown;   // (slots x 36) Λ on the way down
  double *kept;    // (2 most x 36) Λ where wrenches meet
  uint32_t *meets; // (nb) its place there; NONE
  double *w;       // (most) scratch
};

#define NONE UINT32_MAX

void mb_responses_free(MbResponses *r) {
  if (!r) return;
  mb_free(r->owner);
  mb_free(r->size);
  mb_free(r->start);
  mb_free(r->end);
  mb_free(r->row);
  mb_free(r->F);
  mb_free(r->shown);
  mb_free(r->kept);
  mb_free(r->meets);
  mb_free(r->w);
  mb_free(r);
}

MbResponses *mb_responses_create(const MbLinks *links, size_t rows) {
  const size_t nb = links->nb;
  MbResponses *r = mb_calloc(1, sizeof *r);
  if (!r) return NULL;
  r->links = links, r->most = ENDS * rows;
  r->owner = mb_calloc(links->nv, sizeof *r->owner);
  r->size = mb_calloc(nb, sizeof *r->size);
  r->start = mb_calloc(nb + 1, sizeof *r->start);
  r->end = mb_calloc(r->most, sizeof *r->end);
  r->row = mb_calloc(r->most, sizeof *r->row);
  r->F = mb_calloc(6 * r->most, sizeof *r->F);
  r->shown = mb_calloc(36 * links->slots, sizeof *r->shown);
  r->kept = mb_calloc(72 * r->most, sizeof *r->kept);
  r->meets = mb_calloc(nb, sizeof *r->meets);
  r->w = mb_calloc(r->most, sizeof *r->w);
  if (!r->owner || !r->size || !r->start || !r->end || !r->row || !r->F || !r->shown || !r->kept ||
      !r->meets || !r->w) {
    mb_responses_free(r);
    return NULL;
  }
  for (size_t b = nb; b-- > 0;) {
    const size_t p = links->model->parent[b];
    r->size[b]++;
    for (size_t k = 0; k < links->hop[b].n; k++) r->owner[links->hop[b].v + k] = (uint32_t)b;
    if (p != MB_WORLD) r->size[p] += r->size[b];
  }
  return r;
}

size_t mb_responses_bytes(const MbResponses *r) {
  return r ? sizeof *r + (3 * r->links->nb + r->links->nv + 1 + r->most) * sizeof(uint32_t) +
                 r->most * sizeof *r->end + (79 * r->most + 36 * r->links->slots) * sizeof(double)
           : 0;
}

// ---- rows -------------------------------------------------------------------------------------------------

void mb_responses_begin(MbResponses *r) { r->n = 0; }

// Of O in world axes.
static void add_end(MbResponses *r, size_t row, size_t body, const double F[6]) {
  End *end = &r->end[r->n++];
  end->body = (uint32_t)body, end->row = (uint32_t)row;
  memcpy(end->F, F, sizeof end->F);
}

void mb_responses_add(MbResponses *r, const MbPosture *posture, size_t row, size_t body, const double w[6]) {
  double F[6];
  mb_posture_wrench(posture, body, w, F);
  add_end(r, row, body, F);
}

// A torque about the axis on the body, the opposite one on its parent.
bool mb_responses_add_along(MbResponses *r, const MbPosture *posture, size_t row, size_t coordinate,
                            double force) {
  const size_t body = r->owner[coordinate];
  if (r->links->hop[body].kind != MB_LINK_REVOLUTE) return false;
  const Vec s = posture->work->stand[body].s;
  const size_t p = r->links->model->parent[body];
  const double scaled = force / dot(s, s);
  const double own[6] = {scaled * s.x, scaled * s.y, scaled * s.z};
  const double other[6] = {-scaled * s.x, -scaled * s.y, -scaled * s.z};
  add_end(r, row, body, own);
  if (p != MB_WORLD) add_end(r, row, p, other);
  return true;
}

// Side by side in the order of their bodies, so that those of a subtree stand together.
static void sort(MbResponses *r) {
  const size_t nb = r->links->nb;
  memset(r->start, 0, (nb + 1) * sizeof *r->start);
  for (size_t e = 0; e < r->n; e++) r->start[r->end[e].body + 1]++;
  for (size_t b = 0; b < nb; b++) r->start[b + 1] += r->start[b];
  for (size_t e = 0; e < r->n; e++) {
    const End *end = &r->end[e];
    const uint32_t at = r->start[end->body]++;
    r->row[at] = end->row;
    for (size_t k = 0; k < 6; k++) r->F[k * r->most + at] = end->F[k];
  }
  for (size_t b = nb; b-- > 0;) r->start[b + 1] = r->start[b];
  r->start[0] = 0;
}

static size_t first_of(const MbResponses *r, size_t b) { return r->start[b]; }
static size_t end_of(const MbResponses *r, size_t b) { return r->start[b + r->size[b]]; }

// ---- Λ ----------------------------------------------------------------------------------------------------

// A motion of the parent as one of the body, its joint free: Ψ a
static Screw follow(const MbPosture *posture, size_t b, Screw a) {
  const Stand *stand = &posture->work->stand[b];
  const MbHop *hop = &posture->links->hop[b];
  Screw moved = move_motion(a, stand->r);
  if (hop->kind == MB_LINK_REVOLUTE) {
    moved.turn = add_scaled(moved.turn, -dot_screw(stand->V, a), stand->s);
    return moved;
  }
  const size_t n = hop->n, column = hop->column;
  const Screw *T = posture->work->T + column, *U = posture->work->U + column;
  const Real *G = posture->work->G + hop->square;
  const Screw from = moved;
  double x[MB_JOINT_MOST];
  for (size_t i = n; i-- > 0;) {
    x[i] = -dot_screw(U[i], from) / G[n * i + i];
    for (size_t k = i + 1; k < n; k++) x[i] -= G[n * k + i] * x[k];
    moved = add_scaled_screw(moved, x[i], T[i]);
  }
  return moved;
}

// Λ += T G⁻¹ Tᵀ
static void add_own(const MbPosture *posture, size_t b, double L[36]) {
  const MbHop *hop = &posture->links->hop[b];
  if (hop->kind == MB_LINK_REVOLUTE) {
    const Stand *stand = &posture->work->stand[b];
    const double s[3] = {stand->s.x, stand->s.y, stand->s.z};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) L[6 * i + j] += stand->inverse * s[i] * s[j];
    return;
  }
  const size_t n = hop->n;
  const Real *G = posture->work->G + hop->square;
  double Z[MB_JOINT_MOST][6]; // L⁻¹ Tᵀ
  for (size_t i = 0; i < n; i++) {
    memcpy(Z[i], &posture->work->T[hop->column + i], sizeof Z[i]);
    for (size_t k = 0; k < i; k++)
      for (int c = 0; c < 6; c++) Z[i][c] -= G[n * i + k] * Z[k][c];
    const double inverse = 1 / G[n * i + i];
    for (int c = 0; c < 6; c++)
      for (int d = 0; d < 6; d++) L[6 * c + d] += inverse * Z[i][c] * Z[i][d];
  }
}

// Ψ Λ Ψᵀ: the columns of Λ, and then the rows of what comes of them
static void show(const MbPosture *posture, size_t b, const double from[36], double L[36]) {
  double half[36];
  for (int pass = 0; pass < 2; pass++) {
    const double *in = pass ? half : from;
    double *out = pass ? L : half;
    for (int j = 0; j < 6; j++) {
      Screw a;
      memcpy(&a, in + 6 * j, sizeof a); // symmetric, so that rows are columns
      a = follow(posture, b, a);
      double column[6];
      memcpy(column, &a, sizeof column);
      for (int i = 0; i < 6; i++) out[6 * i + j] = column[i];
    }
  }
}

// The same of a hinge: with y = Λ V and X the move,  Ψ Λ Ψᵀ = X Λ Xᵀ − s (X y)ᵀ − (X y) sᵀ + (V · y) s sᵀ
MB_CLONES static void show_hinge(const Stand *stand, const double P[36], double L[36]) {
  const double r[3] = {stand->r.x, stand->r.y, stand->r.z}, s[3] = {stand->s.x, stand->s.y, stand->s.z};
  double V[6], y[6], w[6], M[36], alpha = stand->inverse;
  memcpy(V, &stand->V, sizeof V);
  for (int i = 0; i < 6; i++) {
    double sum = 0;
    for (int j = 0; j < 6; j++) sum += P[6 * i + j] * V[j];
    y[i] = sum;
  }
  for (int i = 0; i < 6; i++) alpha += V[i] * y[i];
  for (int i = 0; i < 3; i++) w[i] = y[i];
  w[3] = y[3] + y[1] * r[2] - y[2] * r[1];
  w[4] = y[4] + y[2] * r[0] - y[0] * r[2];
  w[5] = y[5] + y[0] * r[1] - y[1] * r[0];
  for (int j = 0; j < 6; j++) { // rows of lines: v + ω × r
    for (int i = 0; i < 3; i++) M[6 * i + j] = P[6 * i + j];
    M[18 + j] = P[18 + j] + P[6 + j] * r[2] - P[12 + j] * r[1];
    M[24 + j] = P[24 + j] + P[12 + j] * r[0] - P[j] * r[2];
    M[30 + j] = P[30 + j] + P[j] * r[1] - P[6 + j] * r[0];
  }
  for (int i = 0; i < 6; i++) { // columns
    const double *m = M + 6 * i;
    double *l = L + 6 * i;
    l[0] = m[0], l[1] = m[1], l[2] = m[2];
    l[3] = m[3] + m[1] * r[2] - m[2] * r[1];
    l[4] = m[4] + m[2] * r[0] - m[0] * r[2];
    l[5] = m[5] + m[0] * r[1] - m[1] * r[0];
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 3; j++) L[6 * i + j] -= w[i] * s[j], L[6 * j + i] -= w[i] * s[j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) L[6 * i + j] += alpha * s[i] * s[j];
}

// Whether wrenches meet in body b: on it, or from two of its children.
static bool is_meeting(const MbResponses *r, size_t b) {
  if (r->start[b + 1] > r->start[b]) return true;
  size_t from = 0;
  for (size_t c = b + 1; c < b + r->size[b]; c += r->size[c]) from += first_of(r, c) < end_of(r, c);
  return from > 1;
}

static void show_all(MbResponses *r, const MbPosture *posture) {
  uint32_t count = 0;
  for (size_t b = 0; b < r->links->nb; b++) {
    const MbHop *hop = &r->links->hop[b];
    r->meets[b] = NONE;
    if (first_of(r, b) == end_of(r, b)) {
      b += r->size[b] - 1;
      continue;
    }
    double *L = r->shown + 36 * hop->slot;
    if (!hop->up) {
      memset(L, 0, 36 * sizeof *L);
      add_own(posture, b, L);
    } else {
      const double *from = r->shown + 36 * hop->up; // may be L
      if (hop->kind == MB_LINK_REVOLUTE) {
        show_hinge(&posture->work->stand[b], from, L);
      } else {
        show(posture, b, from, L);
        add_own(posture, b, L);
      }
    }
    if (!is_meeting(r, b)) continue;
    r->meets[b] = count;
    memcpy(r->kept + 36 * count++, L, 36 * sizeof *L);
  }
}

// ---- meeting ----------------------------------------------------------------------------------------------

// w[f] = y · F[f] for f in [begin, end)
MB_CLONES static void products(const double *restrict F, size_t stride, size_t begin, size_t end,
                               const double *y, double *restrict w) {
  const double a = y[0], b = y[1], c = y[2], d = y[3], e = y[4], g = y[5];
  const double *F1 = F + stride, *F2 = F + 2 * stride, *F3 = F + 3 * stride, *F4 = F + 4 * stride,
               *F5 = F + 5 * stride;
  MB_SIMD
  for (size_t f = begin; f < end; f++)
    w[f] = a * F[f] + b * F1[f] + c * F2[f] + (d * F3[f] + e * F4[f] + g * F5[f]);
}

// Wrench e with all of [begin, end), into the row of W that is e's: the whole is this and its transpose.
static void meet_one(const MbResponses *r, const double L[36], size_t e, size_t begin, size_t end, size_t k,
                     double *W) {
  double y[6], F[6];
  for (size_t j = 0; j < 6; j++) F[j] = r->F[j * r->most + e];
  for (size_t i = 0; i < 6; i++) {
    const double *l = L + 6 * i;
    y[i] = 0 + l[0] * F[0] + l[1] * F[1] + l[2] * F[2] + l[3] * F[3] + l[4] * F[4] + l[5] * F[5];
  }
  products(r->F, r->most, begin, end, y, r->w);
  double *const own = W + r->row[e] * k;
  if (begin == e) r->w[e] /= 2; // with itself
  for (size_t f = begin; f < end; f++) own[r->row[f]] += r->w[f];
}

static void meet(const MbResponses *r, size_t b, size_t k, double *W) {
  const double *L = r->kept + 36 * (size_t)r->meets[b];
  const size_t end = end_of(r, b);
  for (size_t e = r->start[b]; e < r->start[b + 1]; e++) meet_one(r, L, e, e, end, k, W);
  for (size_t c = b + 1; c < b + r->size[b]; c += r->size[c]) {
    const size_t after = end_of(r, c);
    for (size_t e = first_of(r, c); e < after && after < end; e++) meet_one(r, L, e, after, end, k, W);
  }
}

// ---- upwards ----------------------------------------------------------------------------------------------

typedef struct Through {
  double r[3], s[3], V[6];
} Through;

// F ← Ψᵀ F for a hinge: torque + r × force − V (s · torque)
MB_CLONES static void pass_hinge(double *restrict F, size_t stride, size_t begin, size_t end,
                                 const Through *by) {
  const double x = by->r[0], y = by->r[1], z = by->r[2], a = by->s[0], b = by->s[1], c = by->s[2];
  const double V0 = by->V[0], V1 = by->V[1], V2 = by->V[2], V3 = by->V[3], V4 = by->V[4], V5 = by->V[5];
  double *restrict t0 = F, *restrict t1 = F + stride, *restrict t2 = F + 2 * stride;
  double *restrict f0 = F + 3 * stride, *restrict f1 = F + 4 * stride, *restrict f2 = F + 5 * stride;
  MB_SIMD
  for (size_t e = begin; e < end; e++) {
    const double g0 = f0[e], g1 = f1[e], g2 = f2[e], u = a * t0[e] + b * t1[e] + c * t2[e];
    t0[e] += y * g2 - z * g1 - V0 * u;
    t1[e] += z * g0 - x * g2 - V1 * u;
    t2[e] += x * g1 - y * g0 - V2 * u;
    f0[e] = g0 - V3 * u, f1[e] = g1 - V4 * u, f2[e] = g2 - V5 * u;
  }
}

// Of any joint: F + Uᵀ u, u = −D⁻¹ L⁻¹ Tᵀ F, moved.
static void pass_joint(const MbPosture *posture, size_t b, double *F, size_t stride, size_t begin,
                       size_t end) {
  const MbHop *hop = &posture->links->hop[b];
  for (size_t e = begin; e < end; e++) {
    Screw f;
    double at[6];
    for (size_t k = 0; k < 6; k++) at[k] = F[k * stride + e];
    memcpy(&f, at, sizeof f);
    double u[MB_JOINT_MOST];
    const size_t n = hop->n, column = hop->column;
    const Real *G = posture->work->G + hop->square;
    for (size_t i = 0; i < n; i++) {
      u[i] = -dot_screw(posture->work->T[column + i], f);
      for (size_t k = 0; k < i; k++) u[i] -= G[n * i + k] * u[k];
    }
    for (size_t i = 0; i < n; i++) f = add_scaled_screw(f, u[i] / G[n * i + i], posture->work->U[column + i]);
    f = move_wrench(f, posture->work->stand[b].r);
    memcpy(at, &f, sizeof at);
    for (size_t k = 0; k < 6; k++) F[k * stride + e] = at[k];
  }
}

// W + Wᵀ
static void fold(size_t k, double *W) {
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j <= i; j++) W[i * k + j] = W[j * k + i] = W[i * k + j] + W[j * k + i];
}

void mb_responses_solve(MbResponses *r, const MbPosture *posture, size_t k, double *W) {
  const MbLinks *links = r->links;
  memset(W, 0, k * k * sizeof *W);
  sort(r);
  show_all(r, posture);
  for (size_t b = links->nb; b-- > 0;) {
    const size_t begin = first_of(r, b), end = end_of(r, b);
    if (begin == end) continue;
    if (r->meets[b] != NONE) meet(r, b, k, W);
    if (links->model->parent[b] == MB_WORLD) continue;
    if (links->hop[b].kind != MB_LINK_REVOLUTE) {
      pass_joint(posture, b, r->F, r->most, begin, end);
      continue;
    }
    const Stand *stand = &posture->work->stand[b];
    Through by = {.r = {stand->r.x, stand->r.y, stand->r.z}, .s = {stand->s.x, stand->s.y, stand->s.z}};
    memcpy(by.V, &stand->V, sizeof by.V);
    pass_hinge(r->F, r->most, begin, end, &by);
  }
  fold(k, W);
}

bool mb_responses_of_rows(MbResponses *r, const MbPosture *posture, size_t k, const MbRow *const *row,
                          double *W) {
  mb_responses_begin(r);
  for (size_t i = 0; i < k; i++)
    for (int end = 0; end < 2; end++) {
      if (row[i]->body[end] != MB_WORLD) add_end(r, i, row[i]->body[end], row[i]->seen[end]);
      if (row[i]->c[end] != 0 && !mb_responses_add_along(r, posture, i, row[i]->v[end], row[i]->c[end]))
        return false;
    }
  mb_responses_solve(r, posture, k, W);
  return true;
}
