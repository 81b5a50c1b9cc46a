// A step from inside towards x∘z = τ of every block, for a τ that falls, with Nesterov and Todd's scaling (second_order.h) and Mehrotra's predictor
// and corrector. Of velocities w = W λ + b and of H = dz/dx of each block
//
//   (W + H + δ) dλ = r,
//
// a symmetric system. δ, a little of each block's own W and of H, is there for rounding; more solutions with the same factor take its part
// away, so that it is no compliance. Rows one way are cones of one number; rows both ways have no H; of a row within bounds both distances are
// inside, m + λ and m − λ.
//
// W is taken as it is formed, with a Cholesky factor, or as F Fᵀ, with that of bodies:
//
//   (H + δ + C + F Fᵀ)⁻¹ = K − K F (1 + Fᵀ K F)⁻¹ Fᵀ K,   K = (H + δ + C)⁻¹
//
// with C the compliance of its rows, which W that is formed has in it.
#include "core/contact/contact_dense.h"
#include "core/contact/interior.h"

#include <math.h>
#include <string.h>

static const double HELD = 1e-8, SOFT = 0.1; // δ at most: of each block's own W, and of its H

// ---- the system -------------------------------------------------------------------------------------------

// H and K of each block, in the measures of x.
static void scale(MbInterior *t) {
  const MbStrips *s = &t->strips;
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    MbInside *in = &t->inside[j];
    double middle = 0;
    if (in->is == MB_INSIDE_CONE) {
      in->scaling = mb_cone_scaling(in->x, in->z);
      for (int k = 0; k < 3; k++) in->H[k] = 1 / (in->scaling.by[k] * in->scaling.by[k]);
      middle = in->H[2];
    }
    if (in->is == MB_INSIDE_ONE_SIDED) middle = in->H[0] = in->z[0] / in->x[0];
    if (in->is == MB_INSIDE_BOUNDED)
      middle = in->H[0] = in->pull[0] / (block->most + in->x[0]) + in->pull[1] / (block->most - in->x[0]);
    const double held = fmax(fmin(HELD * block->scale, SOFT * middle), t->held * block->scale);
    for (size_t k = 0; k < in->rows; k++) in->K[k] = 1 / (in->H[k] + held);
  }
}

// M (rows x rows of the block, by rows) ← the matrix along the scaling's axes, of λ and w; `share` is what the normal's measure is of x.
static void spread(const MbBlock *block, const MbInside *in, const double by[3], double share, double M[9]) {
  const size_t rows = block->rows;
  memset(M, 0, 9 * sizeof *M);
  if (in->is != MB_INSIDE_CONE) {
    M[0] = in->rows ? by[0] : 0;
    return;
  }
  for (size_t c = 0; c < 3; c++) {
    const double unit[3] = {c == 0, c == 1, c == 2};
    double column[3];
    mb_cone_along(&in->scaling, by, unit, column);
    for (size_t r = 0; r < 3; r++) M[rows * r + c] = column[r] * (r ? 1 : share) * (c ? 1 : share);
  }
}

// Puts a block's rows of W and its H + δ into A.
static void put_block(MbInterior *t, size_t j) {
  const MbStrips *s = &t->strips;
  const MbBlock *block = &s->block[j];
  const MbInside *in = &t->inside[j];
  const size_t n = s->n, rows = block->rows;
  double M[9], by[3] = {0}, *to = t->A + n * block->row;
  const double *value = s->value + s->at[j];
  for (size_t k = s->first[j]; k < s->first[j + 1]; k++, value += rows)
    for (size_t r = 0; r < in->rows; r++) to[n * r + s->column[k]] = value[r];
  for (size_t r = 0; r < in->rows; r++) by[r] = 1 / in->K[r];
  spread(block, in, by, block->mu, M);
  for (size_t r = 0; r < in->rows; r++)
    for (size_t c = 0; c < in->rows; c++) to[n * r + block->row + c] += M[rows * r + c];
}

static bool factor_formed(MbInterior *t) {
  const MbStrips *s = &t->strips;
  const size_t n = s->n;
  memset(t->A, 0, n * n * sizeof *t->A);
  for (size_t j = 0; j < s->nblocks; j++) put_block(t, j);
  for (size_t j = 0; j < s->nblocks; j++) // rows without λ are the unit matrix's
    for (size_t r = t->inside[j].rows; r < s->block[j].rows; r++) {
      const size_t i = s->block[j].row + r;
      for (size_t k = 0; k < n; k++) t->A[n * k + i] = t->A[n * i + k] = 0;
      t->A[n * i + i] = 1;
    }
  return mb_dense_factor(t->A, n);
}

// M ← its inverse, symmetric and definite, of three rows or of the first alone
static void invert(size_t rows, double M[9]) {
  if (rows < 3) {
    M[0] = 1 / M[0];
    return;
  }
  const double a = M[4] * M[8] - M[5] * M[7], b = M[5] * M[6] - M[3] * M[8], c = M[3] * M[7] - M[4] * M[6],
               det = M[0] * a + M[1] * b + M[2] * c, xx = M[0] * M[8] - M[2] * M[6],
               xy = M[1] * M[6] - M[0] * M[7], yy = M[0] * M[4] - M[1] * M[3];
  M[0] = a / det, M[1] = M[3] = b / det, M[2] = M[6] = c / det;
  M[4] = xx / det, M[5] = M[7] = xy / det, M[8] = yy / det;
}

// K of a block, of λ and w.
static void find_K(const MbStrips *s, const MbBlock *block, const MbInside *in, double K[9]) {
  const double *soft = s->soft + block->row;
  double by[3] = {0}, most = 0;
  for (size_t r = 0; r < in->rows; r++) most = fmax(most, soft[r]);
  if (!(most > 0)) {
    spread(block, in, in->K, 1 / block->mu, K);
    return;
  }
  for (size_t r = 0; r < in->rows; r++) by[r] = 1 / in->K[r];
  spread(block, in, by, block->mu, K);
  for (size_t r = 0; r < in->rows; r++) K[(block->rows + 1) * r] += soft[r];
  invert(in->rows, K);
}

static bool factor_bodies(MbInterior *t) {
  const MbStrips *s = &t->strips;
  const MbBodySums *b = &t->sums;
  mb_body_factor_begin(b->factor, b->group);
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    const MbInside *in = &t->inside[j];
    find_K(s, block, in, t->K[j]);
    if (!in->rows) continue;
    mb_body_factor_add(b->factor, b->group, b->place[j], block->rows, s->F + 12 * (size_t)block->row,
                       t->K[j]);
  }
  return mb_body_factor_make(b->factor, b->group);
}

// x ← K x, block by block
static void give(const MbInterior *t, double *x) {
  const MbStrips *s = &t->strips;
  for (size_t j = 0; j < s->nblocks; j++) {
    const size_t rows = s->block[j].rows, i = s->block[j].row;
    double u[3] = {0};
    for (size_t r = 0; r < rows; r++)
      for (size_t c = 0; c < rows; c++) u[r] += t->K[j][rows * r + c] * x[i + c];
    memcpy(x + i, u, rows * sizeof *u);
  }
}

// out ← (K − K F (1 + Fᵀ K F)⁻¹ Fᵀ K) x; `out` is not x
static void apply_bodies(MbInterior *t, const double *x, double *out) {
  const MbStrips *s = &t->strips;
  const MbBodySums *b = &t->sums;
  memcpy(out, x, s->n * sizeof *out);
  give(t, out);
  mb_body_sums_gather(b, s, out, t->y);
  mb_body_factor_solve(b->factor, b->group, t->y);
  for (size_t j = 0; j < s->nblocks; j++) {
    const size_t i = s->block[j].row;
    double u[3];
    mb_body_sums_spread(b, s, j, t->y, u);
    for (size_t r = 0; r < s->block[j].rows; r++) out[i + r] = x[i + r] - u[r];
  }
  give(t, out);
}

// out ← (W + H + δ)⁻¹ x; `out` is not x
static void apply(MbInterior *t, const double *x, double *out) {
  if (t->strips.F) {
    apply_bodies(t, x, out);
    return;
  }
  memcpy(out, x, t->strips.n * sizeof *out);
  mb_dense_apply(t->A, out, t->strips.n);
}

// Takes (W + H) dλ from the right side, where there is λ. Returns the size of what is left.
static double find_left(MbInterior *t, const double *dlambda) {
  const MbStrips *s = &t->strips;
  double size = 0;
  mb_strips_rates(s, dlambda, t->left);
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    const MbInside *in = &t->inside[j];
    double M[9];
    spread(block, in, in->H, block->mu, M);
    for (size_t r = 0; r < block->rows; r++) {
      const size_t i = block->row + r;
      double sum = t->left[i] - s->b[i];
      for (size_t c = 0; c < in->rows; c++) sum += M[block->rows * r + c] * dlambda[block->row + c];
      t->left[i] = r < in->rows ? t->right[i] - sum : 0;
      size += t->left[i] * t->left[i];
    }
  }
  return sqrt(size);
}

// dx of each block, from the right side, of λ and w, whose size is given. More solutions take from the step what δ has kept of it, until there is
// rounding. False: the factor is worth nothing.
static bool solve(MbInterior *t, double size) {
  enum { TURNS = 4 };
  static const double POOR = 0.5; // of the right side
  const MbStrips *s = &t->strips;
  double *const dlambda = t->trial, least = size;
  memset(dlambda, 0, s->n * sizeof *dlambda);
  memcpy(t->left, t->right, s->n * sizeof *t->left);
  for (int turn = 0; turn < TURNS; turn++) {
    apply(t, t->left, t->w);
    for (size_t i = 0; i < s->n; i++) dlambda[i] += t->w[i];
    const double left = find_left(t, dlambda);
    if (!(left < least)) {
      for (size_t i = 0; i < s->n; i++) dlambda[i] -= t->w[i];
      break;
    }
    least = left;
  }
  for (size_t j = 0; j < s->nblocks; j++) {
    MbInside *in = &t->inside[j];
    for (size_t r = 0; r < in->rows; r++) in->dx[r] = dlambda[s->block[j].row + r];
    if (in->is == MB_INSIDE_CONE) in->dx[0] *= s->block[j].mu;
  }
  return least <= POOR * size;
}

// ---- where a step goes ------------------------------------------------------------------------------------

// Adds to what dz + H dx of a cone is to be the way towards τ, and the corrector of the step dx, dz.
static void correct(MbInside *in, double tau) {
  const double *by = in->scaling.by, back[3] = {1 / by[0], 1 / by[1], 1 / by[2]};
  double lambda[3], dx[3], dz[3], d[3];
  mb_cone_along(&in->scaling, by, in->z, lambda);
  mb_cone_along(&in->scaling, back, in->dx, dx);
  mb_cone_along(&in->scaling, by, in->dz, dz);
  mb_cone_product(dx, dz, d);
  for (int r = 0; r < 3; r++) d[r] = (r ? 0 : tau) - d[r];
  mb_cone_divide(lambda, d, d);
  mb_cone_along(&in->scaling, back, d, dx);
  for (int r = 0; r < 3; r++) in->aim[r] += dx[r];
}

// What dz + H dx is to be, for a step to x∘z = 0, or to τ with the corrector of the step before.
static void aim(MbInside *in, const MbBlock *block, double tau, bool corrects) {
  const double first = corrects ? in->dx[0] * in->dz[0] : 0, second = corrects ? in->dx[0] * in->dz[1] : 0;
  if (in->is == MB_INSIDE_BOUNDED) {
    in->aim[0] = (tau - first) / (block->most + in->x[0]) - in->pull[0];
    in->aim[1] = (tau + second) / (block->most - in->x[0]) - in->pull[1];
    return;
  }
  for (size_t r = 0; r < in->rows; r++) in->aim[r] = -in->z[r];
  if (in->is == MB_INSIDE_ONE_SIDED) in->aim[0] += (tau - first) / in->x[0];
  if (in->is == MB_INSIDE_CONE && corrects) correct(in, tau);
}

// dz, dx being known.
static void follow(MbInside *in, const MbBlock *block) {
  double back[3];
  if (in->is == MB_INSIDE_BOUNDED) {
    in->dz[0] = in->aim[0] - in->pull[0] / (block->most + in->x[0]) * in->dx[0];
    in->dz[1] = in->aim[1] + in->pull[1] / (block->most - in->x[0]) * in->dx[0];
  } else if (in->is == MB_INSIDE_CONE) {
    mb_cone_along(&in->scaling, in->H, in->dx, back);
    for (int r = 0; r < 3; r++) in->dz[r] = in->aim[r] - back[r];
  } else if (in->is == MB_INSIDE_ONE_SIDED) {
    in->dz[0] = in->aim[0] - in->H[0] * in->dx[0];
  }
}

// dx and dz of every block. False: they are not exact enough.
static bool find_step(MbInterior *t, double tau, bool corrects) {
  const MbStrips *s = &t->strips;
  double size = 0;
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    MbInside *in = &t->inside[j];
    double *right = t->right + block->row;
    aim(in, block, tau, corrects);
    for (size_t r = 0; r < block->rows; r++) right[r] = r < in->rows ? in->aim[r] - in->r[r] : 0;
    if (in->is == MB_INSIDE_CONE) right[0] *= block->mu;
    if (in->is == MB_INSIDE_BOUNDED) right[0] -= in->aim[1];
    for (size_t r = 0; r < in->rows; r++) size += right[r] * right[r];
  }
  const bool fine = solve(t, sqrt(size));
  for (size_t j = 0; j < s->nblocks; j++) follow(&t->inside[j], &s->block[j]);
  return fine;
}

// ---- how far ----------------------------------------------------------------------------------------------

static double reach_of_row(double x, double dx) { return dx < 0 ? -x / dx : INFINITY; }

static double reach_of(const MbInside *in, const MbBlock *block) {
  if (in->is == MB_INSIDE_CONE) return fmin(mb_cone_reach(in->x, in->dx), mb_cone_reach(in->z, in->dz));
  if (in->is == MB_INSIDE_ONE_SIDED)
    return fmin(reach_of_row(in->x[0], in->dx[0]), reach_of_row(in->z[0], in->dz[0]));
  if (in->is != MB_INSIDE_BOUNDED) return INFINITY;
  const double low = reach_of_row(block->most + in->x[0], in->dx[0]),
               high = reach_of_row(block->most - in->x[0], -in->dx[0]);
  return fmin(fmin(low, high),
              fmin(reach_of_row(in->pull[0], in->dz[0]), reach_of_row(in->pull[1], in->dz[1])));
}

// How much of the step there may be.
static double reach(const MbInterior *t) {
  double most = INFINITY;
  for (size_t j = 0; j < t->strips.nblocks; j++)
    most = fmin(most, reach_of(&t->inside[j], &t->strips.block[j]));
  return most;
}

static void go(MbInterior *t, double part) {
  for (size_t j = 0; j < t->strips.nblocks; j++) {
    MbInside *in = &t->inside[j];
    const bool has_z = in->is == MB_INSIDE_CONE || in->is == MB_INSIDE_ONE_SIDED;
    for (size_t r = 0; r < in->rows; r++) in->x[r] += part * in->dx[r];
    for (int k = 0; k < 2 && in->is == MB_INSIDE_BOUNDED; k++) in->pull[k] += part * in->dz[k];
    for (size_t r = 0; r < in->rows && has_z; r++) in->z[r] += part * in->dz[r];
  }
}

// Finds the step to x∘z = 0, with a factor that is exact enough. False: there is none.
static bool predict(MbInterior *t) {
  static const double MORE = 100;
  for (;; t->held *= MORE) {
    scale(t);
    if ((t->strips.F ? factor_bodies(t) : factor_formed(t)) && find_step(t, 0, false)) return true;
    if (t->held > HELD) return false;
  }
}

bool mb_interior_step(MbInterior *t, const MbInteriorLeft *left) {
  static const double INSIDE = 0.99, // of the way to a side
      FASTEST = 1e-8, SLOWEST = 0.5, // of the gap
      BESIDE = 0.1;                  // gaps are not to be small beside what z is off by
  if (!predict(t)) return false;
  const double rest = 1 - fmin(reach(t), 1), share = fmax(rest * rest * rest, FASTEST);
  find_step(t, fmax(share * left->gap, fmin(BESIDE * left->beside, SLOWEST * left->gap)), true);
  const double part = fmin(INSIDE * reach(t), 1);
  if (!(part > 0)) return false;
  go(t, part);
  return true;
}
