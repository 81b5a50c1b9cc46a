// W of many rows by the factors of the recursion: wrenches are taken up the tree side by side and meet in pairs (responses.h).
#define MB_LANES 1
#include "core/solvers/redmax/responses.h"
#include "core/base/alloc.h"
#include "core/base/targets.h"
#include "core/solvers/redmax/lanes_joints.h"
#include "core/solvers/redmax/responses_square.h"

#include <string.h>

enum {
  ENDS = 4, // wrenches of a row at most
  FEW = 96  // wrenches that meet in a square of their own; more meet in W itself
};

typedef struct End {
  uint32_t body, row;
  double F[6]; // of O in world axes
} End;

// How a joint of any kind passes wrenches F of its body on to its parent, P F, and motions the other way, Ψ = Pᵀ:
//   P F = X (F − Σ U_i (Z_i · F)/D_i),  Z = L⁻¹ Tᵀ,  X the move
typedef struct Passage {
  size_t n;
  double P[36], Z[MB_JOINT_MOST][6];
  double inverse[MB_JOINT_MOST]; // 1/D
} Passage;

struct MbResponses {
  const MbLinks *links;
  size_t most, n;  // wrenches: room, there are
  bool in_order;   // wrench e is row e's, and the only one
  bool single;     // every row has one wrench
  bool together;   // the bodies of each subtree follow one another
  uint32_t *owner; // (nv) body whose joint's coordinate it is
  uint32_t *size;  // (nb) bodies of the subtree
  uint32_t *start; // (nb + 1) wrenches on bodies before
  End *end;        // (most) as they were added
  uint32_t *row;   // (most) by bodies
  double *F;       // (6 x most)
  double *shown;   // (slots x 36) Λ on the way down
  double *kept;    // (2 most x 36) Λ where wrenches meet
  uint32_t *meets; // (nb) its place there; NONE
  bool *joined;    // (nb) wrenches meet further up
  Passage *way;    // (nb) of joints that are no hinges, on the way down
  double *few;     // (FEW x FEW) wrenches with one another, where there are few
  double *y;       // (6 x most) scratch: Λ F where wrenches meet
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
  mb_free(r->joined);
  mb_free(r->way);
  mb_free(r->few);
  mb_free(r->y);
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
  r->joined = mb_calloc(nb, sizeof *r->joined);
  r->way = mb_calloc(nb, sizeof *r->way);
  r->few = mb_calloc(FEW * FEW, sizeof *r->few);
  r->y = mb_calloc(6 * r->most, sizeof *r->y);
  r->w = mb_calloc(r->most, sizeof *r->w);
  if (!r->owner || !r->size || !r->start || !r->end || !r->row || !r->F || !r->shown || !r->kept ||
      !r->meets || !r->joined || !r->way || !r->few || !r->y || !r->w) {
    mb_responses_free(r);
    return NULL;
  }
  for (size_t b = nb; b-- > 0;) {
    const size_t p = links->model->parent[b];
    r->size[b]++;
    for (size_t k = 0; k < links->hop[b].n; k++) r->owner[links->hop[b].v + k] = (uint32_t)b;
    if (p != MB_WORLD) r->size[p] += r->size[b];
  }
  r->together = true;
  for (size_t b = 0; b < nb; b++) { // nodes stand behind all bodies, those too that a body holds by reduction
    const size_t p = links->model->parent[b];
    r->together &= p == MB_WORLD || b + r->size[b] <= p + r->size[p];
  }
  return r;
}

bool mb_responses_apply(const MbResponses *r) { return r->together; }

size_t mb_responses_bytes(const MbResponses *r) {
  return r ? sizeof *r + (3 * r->links->nb + r->links->nv + 1 + r->most) * sizeof(uint32_t) +
                 r->links->nb * (sizeof *r->joined + sizeof *r->way) + r->most * sizeof *r->end +
                 (85 * r->most + 36 * r->links->slots + FEW * FEW) * sizeof(double)
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
static void sort(MbResponses *r, size_t rows) {
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
  r->in_order = true, r->single = r->n == rows;
  for (size_t e = 0; e < r->n; e++) r->in_order &= r->row[e] == e, r->single &= r->end[e].row == e;
}

static size_t first_of(const MbResponses *r, size_t b) { return r->start[b]; }
static size_t end_of(const MbResponses *r, size_t b) { return r->start[b + r->size[b]]; }

// ---- Λ ----------------------------------------------------------------------------------------------------

// Six numbers, and two zeros.
typedef struct Row {
  Four head, tail;
} Row;

static inline Row row_of(const double x[6]) { return (Row){{x[0], x[1], x[2], x[3]}, {x[4], x[5], 0, 0}}; }

static inline Row row_scaled(double s, Row x) { return (Row){s * x.head, s * x.tail}; }
static inline Row row_add(Row to, double s, Row x) {
  return (Row){to.head + s * x.head, to.tail + s * x.tail};
}

static inline void row_put(double x[6], Row row) {
  memcpy(x, &row.head, sizeof row.head);
  x[4] = row.tail[0], x[5] = row.tail[1];
}

MB_CLONES static void find_own(const MbPosture *posture, size_t b, Passage *by) {
  const MbHop *hop = &posture->links->hop[b];
  const Real *G = posture->work->G + hop->square;
  const size_t n = by->n = hop->n;
  for (size_t i = 0; i < n; i++) {
    double z[6];
    memcpy(z, &posture->work->T[hop->column + i], sizeof z);
    Row sum = row_of(z);
    for (size_t k = 0; k < i; k++) sum = row_add(sum, -G[n * i + k], row_of(by->Z[k]));
    row_put(by->Z[i], sum);
    by->inverse[i] = 1 / G[n * i + i];
  }
}

MB_CLONES static void find_passage(const MbPosture *posture, size_t b, Passage *by) {
  const Screw *U = posture->work->U + posture->links->hop[b].column;
  const Vec r = posture->work->stand[b].r;
  Row P[6] = {{{1}, {0}}, {{0, 1}, {0}}, {{0, 0, 1}, {0}}, {{0, 0, 0, 1}, {0}}, {{0}, {1}}, {{0}, {0, 1}}};
  for (size_t i = 0; i < by->n; i++) {
    const Row Z = row_scaled(-by->inverse[i], row_of(by->Z[i]));
    const Vec turn = U[i].turn, line = U[i].line;
    P[0] = row_add(P[0], turn.x, Z), P[1] = row_add(P[1], turn.y, Z), P[2] = row_add(P[2], turn.z, Z);
    P[3] = row_add(P[3], line.x, Z), P[4] = row_add(P[4], line.y, Z), P[5] = row_add(P[5], line.z, Z);
  }
  P[0] = row_add(row_add(P[0], r.y, P[5]), -r.z, P[4]);
  P[1] = row_add(row_add(P[1], r.z, P[3]), -r.x, P[5]);
  P[2] = row_add(row_add(P[2], r.x, P[4]), -r.y, P[3]);
  MB_UNROLL
  for (int k = 0; k < 6; k++) row_put(by->P + 6 * k, P[k]);
}

// Λ += T G⁻¹ Tᵀ = Σ Z_i Z_iᵀ/D_i
MB_CLONES static void add_own(const Passage *by, double L[36]) {
  Row sum[6];
  MB_UNROLL
  for (int k = 0; k < 6; k++) sum[k] = row_of(L + 6 * k);
  for (size_t i = 0; i < by->n; i++) {
    const double *z = by->Z[i];
    const Row Z = row_scaled(by->inverse[i], row_of(z));
    MB_UNROLL
    for (int k = 0; k < 6; k++) sum[k] = row_add(sum[k], z[k], Z);
  }
  MB_UNROLL
  for (int k = 0; k < 6; k++) row_put(L + 6 * k, sum[k]);
}

// out ← A B, or Aᵀ B where A is read by columns
static inline __attribute__((always_inline)) void multiply_six(const double *A, int along, int down,
                                                               const double B[36], double out[36]) {
  Row row[6];
  MB_UNROLL
  for (int k = 0; k < 6; k++) row[k] = row_of(B + 6 * k);
  for (int i = 0; i < 6; i++, A += down) {
    Row sum = row_scaled(A[0], row[0]);
    MB_UNROLL
    for (int k = 1; k < 6; k++) sum = row_add(sum, A[k * along], row[k]);
    row_put(out + 6 * i, sum);
  }
}

// Ψ Λ Ψᵀ = Pᵀ (Λ P)
MB_CLONES static void show(const Passage *by, const double from[36], double L[36]) {
  double half[36];
  multiply_six(from, 1, 6, by->P, half);
  multiply_six(by->P, 6, 1, half, L);
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

// The same of any joint, whose passage is kept; `from` NULL: that of the world, which does not move.
static void show_any(MbResponses *r, const MbPosture *posture, size_t b, const double *from, double L[36]) {
  Passage *by = &r->way[b];
  if (posture->links->hop[b].kind == MB_LINK_REVOLUTE) {
    static const double none[36];
    show_hinge(&posture->work->stand[b], none, L);
    return;
  }
  find_own(posture, b, by);
  if (from) {
    find_passage(posture, b, by);
    show(by, from, L);
  } else
    memset(L, 0, 36 * sizeof *L);
  add_own(by, L);
}

// Whether wrenches meet in body b: on it, or from two of its children.
static bool is_meeting(const MbResponses *r, size_t b) {
  if (r->start[b + 1] > r->start[b]) return true;
  size_t from = 0;
  for (size_t c = b + 1; c < b + r->size[b]; c += r->size[c]) from += first_of(r, c) < end_of(r, c);
  return from > 1;
}

// How many trees wrenches act on.
static size_t show_all(MbResponses *r, const MbPosture *posture) {
  uint32_t count = 0;
  size_t trees = 0;
  for (size_t b = 0; b < r->links->nb; b++) {
    const MbHop *hop = &r->links->hop[b];
    const size_t p = r->links->model->parent[b];
    r->meets[b] = NONE;
    if (first_of(r, b) == end_of(r, b)) {
      b += r->size[b] - 1;
      continue;
    }
    trees += p == MB_WORLD;
    r->joined[b] = p != MB_WORLD && (r->joined[p] || r->meets[p] != NONE);
    double *L = r->shown + 36 * hop->slot;
    if (hop->up && hop->kind == MB_LINK_REVOLUTE)
      show_hinge(&posture->work->stand[b], r->shown + 36 * hop->up, L); // which may be L
    else
      show_any(r, posture, b, hop->up ? r->shown + 36 * hop->up : NULL, L);
    if (!is_meeting(r, b)) continue;
    r->meets[b] = count;
    memcpy(r->kept + 36 * count++, L, 36 * sizeof *L);
  }
  return trees;
}

// ---- meeting ----------------------------------------------------------------------------------------------

// out ← M in of wrenches [begin, end), whose numbers are `stride` apart; `out` may be `in`
MB_CLONES static void multiply(const double M[36], const double *in, double *out, size_t stride, size_t begin,
                               size_t end) {
  MB_SIMD
  for (size_t e = begin; e < end; e++) {
    const double a = in[e], b = in[stride + e], c = in[2 * stride + e], d = in[3 * stride + e],
                 f = in[4 * stride + e], g = in[5 * stride + e];
    out[e] = M[0] * a + M[1] * b + M[2] * c + (M[3] * d + M[4] * f + M[5] * g);
    out[stride + e] = M[6] * a + M[7] * b + M[8] * c + (M[9] * d + M[10] * f + M[11] * g);
    out[2 * stride + e] = M[12] * a + M[13] * b + M[14] * c + (M[15] * d + M[16] * f + M[17] * g);
    out[3 * stride + e] = M[18] * a + M[19] * b + M[20] * c + (M[21] * d + M[22] * f + M[23] * g);
    out[4 * stride + e] = M[24] * a + M[25] * b + M[26] * c + (M[27] * d + M[28] * f + M[29] * g);
    out[5 * stride + e] = M[30] * a + M[31] * b + M[32] * c + (M[33] * d + M[34] * f + M[35] * g);
  }
}

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

// w[f] += y · F[f], as above
MB_CLONES static void add_products(const double *restrict F, size_t stride, size_t begin, size_t end,
                                   const double *y, double *restrict w) {
  const double a = y[0], b = y[1], c = y[2], d = y[3], e = y[4], g = y[5];
  const double *F1 = F + stride, *F2 = F + 2 * stride, *F3 = F + 3 * stride, *F4 = F + 4 * stride,
               *F5 = F + 5 * stride;
  MB_SIMD
  for (size_t f = begin; f < end; f++)
    w[f] += a * F[f] + b * F1[f] + c * F2[f] + (d * F3[f] + e * F4[f] + g * F5[f]);
}

// The end of wrenches from e on that are of rows one after the other.
static size_t run_end(const MbResponses *r, size_t e) {
  size_t end = e + 1;
  while (end < r->n && r->row[end] == r->row[end - 1] + 1) end++;
  return end;
}

// W ← what stands on and above the diagonal of the square.
static void spread_square(const MbResponses *r, size_t k, double *W) {
  const size_t stride = stride_of(r->n);
  for (size_t e = 0, end; e < r->n && r->single; e = end) {
    const Range rows = {e, end = run_end(r, e)};
    for (size_t f = e, after; f < r->n; f = after) {
      const Range columns = {f, after = run_end(r, f)};
      spread_runs(r->few, stride, rows, columns, r->row[e], r->row[f], k, W);
    }
  }
  if (r->single) return;
  memset(W, 0, k * k * sizeof *W);
  for (size_t e = 0; e < r->n; e++) {
    const double *const own = r->few + e * stride;
    double *const row = W + r->row[e] * k, *const column = W + r->row[e];
    row[r->row[e]] += own[e];
    for (size_t f = e + 1; f < r->n; f++) row[r->row[f]] += own[f], column[r->row[f] * k] += own[f];
  }
}

// Wrench e, of which Λ makes y, with all of [begin, end), into the row of W that is e's: the whole is this and its transpose.
static void meet_one(const MbResponses *r, size_t e, size_t begin, size_t end, size_t k, double *W) {
  double y[6];
  for (size_t j = 0; j < 6; j++) y[j] = r->y[j * r->most + e];
  double *const own = W + r->row[e] * k;
  if (r->in_order) {
    const double before = own[e];
    add_products(r->F, r->most, begin, end, y, own);
    if (begin == e) own[e] = before + (own[e] - before) / 2; // with itself
    return;
  }
  products(r->F, r->most, begin, end, y, r->w);
  if (begin == e) r->w[e] /= 2; // with itself
  for (size_t f = begin; f < end; f++) own[r->row[f]] += r->w[f];
}

static void meet(const MbResponses *r, size_t b, size_t k, double *W) {
  const double *L = r->kept + 36 * (size_t)r->meets[b];
  const size_t end = end_of(r, b);
  const size_t stride = stride_of(r->n);
  const Range own = {r->start[b], r->start[b + 1]}, all = {r->start[b], end};
  multiply(L, r->F, r->y, r->most, r->start[b], end);
  if (r->n <= FEW)
    meet_square(r->F, r->y, r->most, stride, own, all, r->few);
  else
    for (size_t e = own.begin; e < own.end; e++) meet_one(r, e, e, end, k, W);
  for (size_t c = b + 1; c < b + r->size[b]; c += r->size[c]) {
    const size_t after = end_of(r, c);
    const Range of_child = {first_of(r, c), after}, rest = {after, end};
    if (r->n <= FEW) meet_square(r->F, r->y, r->most, stride, of_child, rest, r->few);
    for (size_t e = first_of(r, c); e < after && after < end && r->n > FEW; e++)
      meet_one(r, e, after, end, k, W);
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

// W + Wᵀ
static void fold(size_t k, double *W) {
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j <= i; j++) W[i * k + j] = W[j * k + i] = W[i * k + j] + W[j * k + i];
}

void mb_responses_solve(MbResponses *r, const MbPosture *posture, size_t k, double *W) {
  const MbLinks *links = r->links;
  sort(r, k);
  const size_t trees = show_all(r, posture);
  if (r->n > FEW) memset(W, 0, k * k * sizeof *W);
  if (r->n <= FEW && trees > 1)
    memset(r->few, 0, r->n * stride_of(r->n) * sizeof *r->few); // that do not meet
  for (size_t b = links->nb; b-- > 0;) {
    const size_t begin = first_of(r, b), end = end_of(r, b);
    if (begin == end) continue;
    if (r->meets[b] != NONE) meet(r, b, k, W);
    if (!r->joined[b]) continue;
    if (links->hop[b].kind != MB_LINK_REVOLUTE) {
      multiply(r->way[b].P, r->F, r->F, r->most, begin, end);
      continue;
    }
    const Stand *stand = &posture->work->stand[b];
    Through by = {.r = {stand->r.x, stand->r.y, stand->r.z}, .s = {stand->s.x, stand->s.y, stand->s.z}};
    memcpy(by.V, &stand->V, sizeof by.V);
    pass_hinge(r->F, r->most, begin, end, &by);
  }
  if (r->n <= FEW)
    spread_square(r, k, W);
  else
    fold(k, W);
}

bool mb_responses_of_rows(MbResponses *r, const MbPosture *posture, size_t k, const MbRow *const *row,
                          double *W) {
  if (!r->together) return false;
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
