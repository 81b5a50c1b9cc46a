// Bounds as a linear complementarity problem, and Lemke's method for it (AR 0.10; Anitescu and Potra, Stewart and Trinkle).
//
// Each λ is a sum of unknowns z ≥ 0, each with a rate y ≥ 0, y ⊥ z:
//   one way, normal     λ = z,                    y = w
//   tangents            λ_t = Σ β_k e_k over directions e_k; a slack σ for each bound that some of them share:
//                       y_k = e_k·w_t + σ,        y_σ = μ λ_n − Σ β_k
//   bounded             the same with e = +1, −1: y_σ = most − β₊ − β₋
// A pyramid has one σ for all its directions (Anitescu–Stewart: σ is then the velocity along the steepest of them), a box one for each
// axis. The signs of AR's block matrix in print agree with the two conditions below it, and with these.
// Rows both ways: λ is free and w = 0. They are exchanged at the start, the most independent one next, and take no part after.
//
// The dictionary  basic = q + T nonbasic + e z₀  begins with all y basic. z₀ enters where q is worst; then always the complement of what
// has left enters, until z₀ leaves. The matrix is copositive, so that the method ends with a solution wherever all rows can be kept.
// Equal rows (the four feet of a box) make ties; a second column of q, of numbers that have nothing to do with one another, decides
// them as if q were shifted by ever so little, and no dictionary comes back.
// In the end z is solved for anew with the rows of the last dictionary, so that the errors of pivots do not add up.
#include "core/contact/lemke.h"
#include "core/contact/contact_dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Unknown {
  uint32_t row; // of λ; for a slack, of the normal
  bool slack, free;
  double c, s;     // along row and the next one
  uint32_t bound;  // the slack of a direction
  double mu, most; // of a slack
} Unknown;

typedef struct Lemke {
  MbStrips strips;
  size_t n; // unknowns
  Unknown *unknown;
  double *T, *M;         // (n x (n + 1)) by rows, the last column z₀'s; (n x n)
  double *q, *tie, *z;   // (n)
  uint32_t *basic, *off; // (n), (n + 1): below n a y, from n on a z, 2n z₀
  double *d;             // (rows) λ = d x, which makes W about 1
  double *lambda, *w;    // (rows)
  double *line;          // (n + 1)
  int *pivot;            // (n)
} Lemke;

// ---- unknowns ---------------------------------------------------------------------------------------------

// The unknowns of the rows from i on; `out` may be NULL.
static size_t unknowns_of(const MbContactProblem *problem, size_t i, const MbContactCone *cone, size_t first,
                          Unknown *out) {
  Unknown u[2 + MB_MOST_SIDES + 4] = {{.row = (uint32_t)i, .c = 1}};
  size_t n = 1;
  switch (problem->kind[i]) {
  case MB_CONTACT_BOTH_WAYS:
    u[0].free = true;
    break;
  case MB_CONTACT_BOUNDED:
    u[n++] = (Unknown){.row = (uint32_t)i, .c = -1};
    u[n] = (Unknown){.row = (uint32_t)i, .slack = true, .most = problem->most[i]};
    u[0].bound = u[1].bound = (uint32_t)(first + n++);
    break;
  case MB_CONTACT_NORMAL: {
    const double turn = 2 * acos(-1.0);
    const bool box = cone->cone == MB_CONE_BOX;
    const int sides = cone->cone == MB_CONE_NONE || !(cone->mu > 0) ? 0 : box ? 4 : cone->sides;
    const size_t slack = first + 1 + (size_t)sides;
    for (int k = 0; k < sides; k++)
      u[n++] = (Unknown){.row = (uint32_t)i + 1,
                         .c = cos(turn * k / sides),
                         .s = sin(turn * k / sides),
                         .bound = (uint32_t)slack + (box ? (uint32_t)k % 2 : 0)};
    for (int k = 0; k < (sides ? 1 + box : 0); k++)
      u[n++] = (Unknown){.row = (uint32_t)i, .slack = true, .mu = cone->mu};
    break;
  }
  default:
    break;
  }
  if (out) memcpy(out, u, n * sizeof *u);
  return n;
}

static size_t all_unknowns(const MbContactProblem *problem, Unknown *out) {
  const MbContactCone *cone = problem->contact;
  size_t n = 0;
  for (size_t i = 0; i < problem->n;) {
    const bool contact = problem->kind[i] == MB_CONTACT_NORMAL;
    n += unknowns_of(problem, i, cone, n, out ? out + n : NULL);
    cone += contact;
    i += contact ? 3 : 1;
  }
  return n;
}

size_t mb_lemke_unknowns(const MbContactProblem *problem) { return all_unknowns(problem, NULL); }

static void layout(Lemke *t, MbRoom *room, const MbContactProblem *problem) {
  mb_strips_make(&t->strips, room, problem, MB_FORMED);
  const size_t n = t->n = mb_lemke_unknowns(problem), rows = problem->n;
  t->unknown = mb_room_take(room, n, sizeof *t->unknown);
  t->T = mb_room_take(room, n * (n + 1), sizeof(double));
  t->M = mb_room_take(room, n * n, sizeof(double));
  t->q = mb_room_take(room, n, sizeof(double));
  t->tie = mb_room_take(room, n, sizeof(double));
  t->z = mb_room_take(room, n, sizeof(double));
  t->line = mb_room_take(room, n + 1, sizeof(double));
  t->basic = mb_room_take(room, n, sizeof *t->basic);
  t->off = mb_room_take(room, n + 1, sizeof *t->off);
  t->pivot = mb_room_take(room, n, sizeof *t->pivot);
  t->d = mb_room_take(room, rows, sizeof(double));
  t->lambda = mb_room_take(room, rows, sizeof(double));
  t->w = mb_room_take(room, rows, sizeof(double));
}

size_t mb_lemke_room(const MbContactProblem *problem) {
  MbRoom room = {0};
  Lemke t;
  if (mb_lemke_unknowns(problem) > MB_LEMKE_MOST) return 0; // it is refused
  layout(&t, &room, problem);
  return room.used;
}

// ---- the matrix -------------------------------------------------------------------------------------------

static double product(const Unknown *a, const double *w) {
  return a->c * w[a->row] + (a->s != 0 ? a->s * w[a->row + 1] : 0);
}

// λ += z of unknown a, without its scale
static void spread(const Lemke *t, const Unknown *a, double z, double *lambda) {
  if (a->slack) return;
  lambda[a->row] += t->d[a->row] * a->c * z;
  if (a->s != 0) lambda[a->row + 1] += t->d[a->row + 1] * a->s * z;
}

// Of q: the rate without any λ, or the bound in the scale of what it bounds.
static double aim(const Lemke *t, const Unknown *a) {
  const double d = t->d[a->row];
  if (a->slack) return d > 0 ? a->most / d : 0;
  return d * product(a, t->strips.b);
}

// Column j of M is what all y become by z_j = 1.
static void fill(Lemke *t) {
  const size_t n = t->n;
  double *x = t->lambda;
  for (size_t j = 0; j < n; j++) {
    const Unknown *b = &t->unknown[j];
    memset(x, 0, t->strips.n * sizeof *x);
    spread(t, b, 1, x);
    mb_strips_rates(&t->strips, x, t->w);
    for (size_t i = 0; i < t->strips.n; i++) t->w[i] -= t->strips.b[i];
    for (size_t i = 0; i < n; i++) {
      const Unknown *a = &t->unknown[i];
      double y;
      if (a->slack) // λ_n and the directions, in the scale of their contact
        y = (a->mu > 0 && !b->slack && b->row == a->row ? a->mu : 0) - (!b->slack && b->bound == i);
      else
        y = t->d[a->row] * product(a, t->w) + (b->slack && a->bound == j ? 1 : 0);
      t->M[i * n + j] = y;
    }
  }
  for (size_t i = 0; i < n; i++) t->q[i] = aim(t, &t->unknown[i]);
}

// ---- the dictionary ---------------------------------------------------------------------------------------

static void exchange(Lemke *t, size_t r, size_t s) {
  const size_t n = t->n, m = n + 1;
  double *row = t->T + r * m;
  const double p = row[s];
  for (size_t j = 0; j < m; j++) row[j] = j == s ? 1 / p : -row[j] / p;
  t->q[r] = -t->q[r] / p, t->tie[r] = -t->tie[r] / p;
  for (size_t i = 0; i < n; i++) {
    double *other = t->T + i * m;
    const double f = other[s];
    if (i == r || f == 0) continue;
    other[s] = 0;
    for (size_t j = 0; j < m; j++) other[j] += f * row[j];
    t->q[i] += f * t->q[r], t->tie[i] += f * t->tie[r];
  }
  const uint32_t left = t->basic[r];
  t->basic[r] = t->off[s], t->off[s] = left;
}

static bool is_free(const Lemke *t, uint32_t which) {
  return which < 2 * t->n && t->unknown[which % t->n].free;
}

// Rows both ways: λ basic, w off. Those that depend on others stay, with λ = 0.
static void exchange_free(Lemke *t) {
  static const double DEPENDENT = 1e-10; // W's diagonal is about 1
  const size_t n = t->n, m = n + 1;
  for (;;) {
    size_t best = SIZE_MAX;
    double most = DEPENDENT;
    for (size_t i = 0; i < n; i++)
      if (t->basic[i] < n && is_free(t, t->basic[i]) && t->T[i * m + i] > most)
        most = t->T[i * m + i] * (1 + 1e-6), best = i;
    if (best == SIZE_MAX) return;
    exchange(t, best, best);
  }
}

// The row that comes to zero first as column s enters; SIZE_MAX: none.
static size_t ratio_test(const Lemke *t, size_t s) {
  static const double NOTHING = 1e-11, TIE = 1e-12;
  const size_t n = t->n, m = n + 1;
  size_t best = SIZE_MAX;
  double least = INFINITY, second = INFINITY;
  for (size_t i = 0; i < n; i++) {
    const double p = t->T[i * m + s];
    if (is_free(t, t->basic[i]) || !(p < -NOTHING)) continue;
    const double ratio = -fmax(t->q[i], 0) / p, tie = -t->tie[i] / p;
    const bool same = fabs(ratio - least) <= TIE * fmax(1, fabs(least));
    // z₀ goes where it can
    if (same ? t->basic[i] == 2 * n || (t->basic[best] != 2 * n && tie < second) : ratio < least)
      least = same ? fmin(least, ratio) : ratio, second = tie, best = i;
  }
  return best;
}

static size_t column_of(const Lemke *t, uint32_t which) {
  for (size_t j = 0; j <= t->n; j++)
    if (t->off[j] == which) return j;
  return SIZE_MAX;
}

// NULL, or what has stopped it.
static const char *pivot(Lemke *t, size_t *pivots) {
  const size_t n = t->n, m = n + 1;
  size_t worst = SIZE_MAX;
  for (size_t i = 0; i < n; i++)
    if (!is_free(t, t->basic[i]) && t->q[i] < 0 && (worst == SIZE_MAX || t->q[i] < t->q[worst])) worst = i;
  *pivots = 0;
  if (worst == SIZE_MAX) return NULL;
  for (size_t i = 0; i < n; i++) t->T[i * m + n] = is_free(t, t->basic[i]) ? 0 : 1;
  uint32_t left = t->basic[worst];
  exchange(t, worst, n);
  for (*pivots = 1; *pivots < 50 * n + 100; ++*pivots) {
    const size_t s = column_of(t, left < n ? left + (uint32_t)n : left - (uint32_t)n), r = ratio_test(t, s);
    if (r == SIZE_MAX) return "the rows ask for what cannot be (Lemke's method ends in a ray)";
    left = t->basic[r];
    exchange(t, r, s);
    if (left == 2 * n) return NULL;
  }
  return "pivots go round without an end";
}

// z ← of the basic unknowns, M z = −q over their rows, twice: the second time for what rounding has left.
static void solve_anew(Lemke *t) {
  const size_t n = t->n;
  uint32_t *in = t->off;
  size_t m = 0;
  memset(t->z, 0, n * sizeof *t->z);
  for (size_t i = 0; i < n; i++) {
    if (t->basic[i] < n || t->basic[i] == 2 * n) continue;
    const uint32_t k = t->basic[i] - (uint32_t)n;
    t->z[k] = t->unknown[k].free ? t->q[i] : fmax(t->q[i], 0);
    in[m++] = k;
  }
  double *J = t->T, *x = t->line;
  for (int turn = 0; turn < 2 && m; turn++) {
    double size = 0, apart = 0;
    for (size_t i = 0; i < m; i++) {
      x[i] = -aim(t, &t->unknown[in[i]]);
      for (size_t j = 0; j < m; j++) {
        J[j * m + i] = t->M[in[i] * n + in[j]];
        x[i] -= J[j * m + i] * t->z[in[j]];
      }
    }
    if (!mb_dense_solve(J, x, t->pivot, m)) return;
    for (size_t j = 0; j < m; j++) apart = fmax(apart, fabs(x[j])), size = fmax(size, fabs(t->z[in[j]]));
    if (!(apart <= 1e-3 * size)) return; // the last dictionary's rows are nearly dependent
    for (size_t j = 0; j < m; j++) {
      double *z = &t->z[in[j]];
      *z = t->unknown[in[j]].free ? *z + x[j] : fmax(*z + x[j], 0);
    }
  }
}

MbContactResult mb_lemke_solve(MbContactWork *work, const MbContactProblem *problem,
                               MbContactAnswer *answer) {
  MbRoom room = {.at = work->block};
  Lemke lemke, *t = &lemke;
  layout(t, &room, problem);
  const size_t n = t->n, m = n + 1;
  all_unknowns(problem, t->unknown);
  for (size_t j = 0; j < t->strips.nblocks; j++) {
    const MbBlock *block = &t->strips.block[j];
    for (size_t r = 0; r < block->rows; r++)
      t->d[block->row + r] = block->left_out ? 0 : 1 / sqrt(block->scale);
  }
  fill(t);
  uint64_t random = 1;
  for (size_t i = 0; i < n; i++) {
    memcpy(t->T + i * m, t->M + i * n, n * sizeof *t->T);
    t->T[i * m + n] = 0;
    t->basic[i] = (uint32_t)i, t->off[i] = (uint32_t)(n + i);
    random = random * 6364136223846793005u + 1442695040888963407u;
    t->tie[i] = 1 + (double)(random >> 11) * 0x1p-53;
  }
  t->off[n] = (uint32_t)(2 * n);
  exchange_free(t);
  const char *stopped = pivot(t, &answer->iterations);
  solve_anew(t);
  memset(t->lambda, 0, problem->n * sizeof *t->lambda);
  for (size_t i = 0; i < n; i++) spread(t, &t->unknown[i], t->z[i], t->lambda);
  for (size_t j = 0; j < t->strips.nblocks; j++)
    mb_block_clamp(&t->strips.block[j], t->lambda + t->strips.block[j].row);
  mb_strips_rates(&t->strips, t->lambda, t->w);
  const MbContactResult result = mb_contact_tell(&t->strips, t->lambda, t->w, "pivoting", "pivots", answer);
  if (result != MB_CONTACT_SOLVED)
    snprintf(answer->why, sizeof answer->why, "%s: %.3g of |b| is left",
             stopped ? stopped : "rows contradict one another, or W is nearly singular", answer->natural);
  return result;
}
