// Solutions with the matrices of sensitivity_rows.c, and with their transposes: with w̄ what the number in question is felt by along the stage's w, p̄ along p,
//
//   Aᵀ z + Bᵀ ζ = −w̄,  −G z + E ζ = 0:       Sᵀ ζ = −Yᵀ w̄,  S = B Y + E,  Y = A⁻¹ Gᵀ,     z = −A⁻ᵀ (w̄ + Bᵀ ζ)
//   M z_p + Gᵀ ζ_p = −p̄,  G z_p = 0:         S_p ζ_p = −Y_pᵀ p̄,                            z_p = −M⁻¹ (p̄ + Gᵀ ζ_p)
//
// and what these equations say is felt by w as −M z_p = p̄ + Gᵀ ζ_p, by the bodies' motion as (∂τ/∂q − C)ᵀ z + Dᵀ ζ and (∂(M x)/∂q − C_p)ᵀ z_p + D_pᵀ ζ_p, and by a
// number as z · (∂τ/∂p − ∂(Gᵀ μ)/∂p) + ζ · ∂r/∂p and the same of p. Rows that say the same as others have no pivot, and no ζ.
#include "core/sim/evaluate.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/sensitivity_opened.h"
#include "core/sim/sensitivity_rows.h"

#include <string.h>

static double dot(const double *x, const double *y, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// y += s Σ x_k (row k of A, n x m)
static void add_rows(double *y, double s, const double *x, const double *A, size_t n, size_t m) {
  for (size_t k = 0; k < n; k++) {
    if (x[k] == 0) continue;
    for (size_t i = 0; i < m; i++) y[i] += s * x[k] * A[m * k + i];
  }
}

// x ← M⁻¹ x, by the factor that the solver has.
static void divide(MbSensitivity *g, double *x) { g->probe->solver->apply(g->probe->work, x, NULL, NULL); }

// ---- what a number changes ------------------------------------------------------------------------------------------

// Of M x and of the rows.
static void at_side(MbSensitivity *g, const MbSlope *slope, int s, const MbStageNote *note, double share,
                    bool stage) {
  MbSim *side = mb_slope_side(slope, s);
  MbSlopeRows *r = g->rows;
  const MbRowSet *set = &side->constraining->set;
  const size_t nv = side->nv;
  double *y = r->wrench[0], *yp = r->wrench[1];
  const MbStageNote seen = mb_slope_side_note(slope, s, note);
  const double *p = mb_axes_v(slope->axes, s, MB_AXES_FELT, r->p),
               *x = mb_axes_v(slope->axes, s, MB_AXES_RATE, r->x);
  mb_slope_rows_make_at(g, side, &seen, mb_axes_q(slope->axes, s, g->q1));
  memset(y, 0, nv * sizeof *y), memset(yp, 0, nv * sizeof *yp);
  for (size_t k = 0; k < r->n; k++) {
    const size_t slot = r->slot[k];
    if (stage && r->takes[k]) {
      const MbAsked asked = mb_slope_rows_asked(side, &seen, slot, 0);
      mb_row_spread(set, slot, r->mu[k], y);
      r->number.r[k] += share * (asked.b + asked.soft * note->gamma * side->model->h * r->mu[k]);
    }
    if (k >= r->nagreed) continue;
    mb_row_spread(set, slot, r->nu[k], yp);
    r->number.rp[k] += share * mb_slope_rows_agree(g, side, k, p, x);
  }
  for (size_t k = 0; k < r->nidle && stage; k++)
    r->number.idle[k] += share * mb_slope_rows_asked(side, &seen, r->idle[k], 0).b;
  mb_axes_return(slope->axes, s, y), mb_axes_return(slope->axes, s, yp);
  for (size_t i = 0; i < nv; i++) r->number.y[i] += share * y[i], r->number.yp[i] += share * yp[i];
}

static void rows_of_number(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, double move,
                           bool stage) {
  MbSlopeRows *r = g->rows;
  const size_t nv = g->probe->nv, m = r->n;
  memset(r->number.y, 0, nv * sizeof *r->number.y), memset(r->number.yp, 0, nv * sizeof *r->number.yp);
  memset(r->number.r, 0, m * sizeof *r->number.r), memset(r->number.rp, 0, m * sizeof *r->number.rp);
  memset(r->number.idle, 0, r->nidle * sizeof *r->number.idle);
  if (!mb_tangent_number_rows(slope->number)) return;
  at_side(g, slope, 0, note, -1 / (2 * move), stage);
  at_side(g, slope, 1, note, 1 / (2 * move), stage);
}

static void inertia_of_number(MbSensitivity *g, const MbSlope *slope, double move) {
  MbSlopeRows *r = g->rows;
  const size_t nv = g->probe->nv;
  MbSim *const side[2] = {slope->less, slope->more};
  for (int s = 0; s < 2; s++) {
    mb_sim_kinematics(side[s], mb_axes_q(slope->axes, s, g->q1), r->zero);
    mb_tangent_inertia_value(side[s], slope->side[s], mb_axes_v(slope->axes, s, MB_AXES_RATE, r->x),
                             r->wrench[s]);
    mb_axes_return(slope->axes, s, r->wrench[s]);
  }
  for (size_t i = 0; i < nv; i++) r->number.inertia[i] = (r->wrench[1][i] - r->wrench[0][i]) / (2 * move);
}

void mb_slope_rows_number(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, double move) {
  rows_of_number(g, slope, note, move, note->impulse != NULL);
  inertia_of_number(g, slope, move);
}

void mb_slope_rows_look(MbSensitivity *g, const MbSlope *slope) {
  MbSlopeRows *r = g->rows;
  double *left = r->asked[0];
  if (!mb_tangent_number_rows(slope->number)) return;
  mb_ranked_left(&r->S, r->number.r, left);
  for (size_t k = 0; k < r->n; k++)
    if (!(r->gives[k] > 0)) mb_slope_opens(g, slope, g->probe, r->slot[k], left[k]);
  for (size_t k = 0; k < r->nidle; k++) mb_slope_opens(g, slope, g->probe, r->idle[k], r->number.idle[k]);
}

void mb_slope_rows_look_back(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, double move) {
  rows_of_number(g, slope, note, move, true);
  mb_slope_rows_look(g, slope);
}

double mb_slope_rows_number_back(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, double move,
                                 bool stage) {
  MbSlopeRows *r = g->rows;
  const size_t nv = g->probe->nv;
  double sum = 0;
  if (mb_tangent_number_jumps(slope->number)) {
    inertia_of_number(g, slope, move);
    sum = dot(r->zp, r->number.inertia, nv);
  } else {
    sum = mb_tangent_number(g->probe, r->still, slope->number, r->zero, r->x, r->zp) / (2 * move);
  }
  if (!mb_tangent_number_rows(slope->number)) return sum;
  rows_of_number(g, slope, note, move, stage);
  if (stage) sum += dot(r->zeta, r->number.r, r->n) - dot(r->z, r->number.y, nv);
  return sum + dot(r->zetap, r->number.rp, r->nagreed) - dot(r->zp, r->number.yp, nv);
}

// ---- along ----------------------------------------------------------------------------------------------------------

void mb_slope_project(MbSensitivity *g, const double *w, const double *moved, bool number, double *out) {
  MbSlopeRows *r = g->rows;
  const size_t nv = g->probe->nv;
  double *change = r->wrench[0], *nu = r->asked[0];
  memset(change, 0, nv * sizeof *change);
  add_rows(change, 1, moved, r->Q, nv, nv);
  for (size_t i = 0; i < nv && number; i++) change[i] += r->number.inertia[i] - r->number.yp[i];
  divide(g, change);
  for (size_t i = 0; i < nv; i++) out[i] = (w ? w[i] : 0) - change[i];
  for (size_t k = 0; k < r->nagreed; k++) {
    const double *G = r->G + nv * k, kept = r->keeps[k] && w ? dot(G, w, nv) : 0;
    nu[k] = kept - dot(r->Dp + nv * k, moved, nv) - (number ? r->number.rp[k] : 0) - dot(G, out, nv);
  }
  mb_ranked_solve(&r->Sp, nu, nu);
  add_rows(out, 1, nu, r->Yp, r->nagreed, nv);
}

void mb_slope_rows_solve(MbSensitivity *g, const double *rho, const double *moved, const double *from,
                         double *out) {
  MbSlopeRows *r = g->rows;
  const size_t nv = g->probe->nv;
  double *mu = r->asked[0];
  for (size_t i = 0; i < nv; i++) out[i] = r->number.y[i] - rho[i];
  add_rows(out, 1, moved, r->C, nv, nv);
  mb_lu_solve(r->A, nv, r->pivot, out);
  for (size_t k = 0; k < r->n; k++) {
    const double kept = r->keeps[k] ? dot(r->G + nv * k, from, nv) : 0;
    mu[k] = kept - r->number.r[k] - dot(r->D + nv * k, moved, nv) - dot(r->B + nv * k, out, nv);
  }
  mb_ranked_solve(&r->S, mu, mu);
  add_rows(out, 1, mu, r->Y, r->n, nv);
}

// ---- backwards ------------------------------------------------------------------------------------------------------

void mb_slope_rows_begin(MbSensitivity *g) {
  MbSlopeRows *r = g->rows;
  memset(r->zp, 0, g->probe->nv * sizeof *r->zp);
  memset(r->zetap, 0, g->probe->model->nslots * sizeof *r->zetap);
}

void mb_slope_rows_done(MbSensitivity *g) {
  MbSlopeRows *r = g->rows;
  mb_tangent_transposed(g->probe, r->still, r->zp, r->one, r->two, r->along);
  memset(r->one, 0, g->probe->nv * sizeof *r->one);
}

void mb_slope_project_back(MbSensitivity *g, const double *p, double *w, double *moved) {
  MbSlopeRows *r = g->rows;
  const size_t nv = g->probe->nv;
  double *z = r->wrench[0], *zeta = r->asked[0];
  for (size_t k = 0; k < r->nagreed; k++) zeta[k] = -dot(r->Yp + nv * k, p, nv);
  mb_ranked_solve_transposed(&r->Sp, zeta, zeta);
  memcpy(z, p, nv * sizeof *z);
  add_rows(z, 1, zeta, r->G, r->nagreed, nv);
  for (size_t i = 0; i < nv && w; i++) w[i] += z[i];
  for (size_t k = 0; k < r->nagreed && w; k++)
    if (r->keeps[k]) add_rows(w, -1, &zeta[k], r->G + nv * k, 1, nv);
  divide(g, z);
  for (size_t i = 0; i < nv; i++) z[i] = -z[i], r->zp[i] += z[i];
  for (size_t k = 0; k < r->nagreed; k++) r->zetap[k] += zeta[k];
  for (size_t i = 0; i < nv; i++) moved[i] += dot(r->Q + nv * i, z, nv);
  add_rows(moved, 1, zeta, r->Dp, r->nagreed, nv);
}

void mb_slope_rows_solve_back(MbSensitivity *g, const double *w, double *moved, double *from) {
  MbSlopeRows *r = g->rows;
  const size_t nv = g->probe->nv;
  double *zeta = r->zeta;
  for (size_t k = 0; k < r->n; k++) zeta[k] = -dot(r->Y + nv * k, w, nv);
  mb_ranked_solve_transposed(&r->S, zeta, zeta);
  memcpy(r->z, w, nv * sizeof *r->z);
  add_rows(r->z, 1, zeta, r->B, r->n, nv);
  mb_lu_solve_transposed(r->A, nv, r->pivot, r->z);
  for (size_t i = 0; i < nv; i++) r->z[i] = -r->z[i];
  memset(moved, 0, nv * sizeof *moved);
  for (size_t i = 0; i < nv; i++) moved[i] = -dot(r->C + nv * i, r->z, nv);
  add_rows(moved, 1, zeta, r->D, r->n, nv);
  memset(from, 0, nv * sizeof *from);
  for (size_t k = 0; k < r->n; k++)
    if (r->keeps[k]) add_rows(from, -1, &zeta[k], r->G + nv * k, 1, nv);
}
