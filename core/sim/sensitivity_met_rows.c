// Rows of constraints that hold something while what is deep is parted (sensitivity_met_moves.c), back. They take part in a move as contacts do, with ν what they push with:
//
//   M dq = Gᵀ λ + Hᵀ ν,   H dq + g = 0,     q̄ += ∂/∂q ( ν H z + ζ (H dq + g) )
//
// Rows about coordinates alone, as those of what is driven and of limits, have the same H everywhere. Those about two bodies are made anew where each of these is moved a little along its six motions, its twists being what they are in its own axes.
#include "core/sim/constrain_internal.h"
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_met.h"
#include "core/sim/sensitivity_tied.h"

#include <string.h>

static const double MOVE = 1e-5; // rad, m: to either side

void mb_met_rows_make(MbSensitivity *g, MbSim *sim, const MbTouchMove *move, const double *q,
                      const double *v) {
  if (!move->nrows) return;
  mb_slope_tied_look(g, sim);
  mb_tangent_rows_place(sim, MB_TANGENT_AGREE, q, v, g->tied->end);
}

static bool has_bodies(const MbRow *row) { return row->body[0] != MB_WORLD || row->body[1] != MB_WORLD; }

// H x of a row, x of the bodies.
static double along(const MbRow *row, const double *x) {
  double sum = 0;
  for (int end = 0; end < 2; end++)
    for (size_t k = 0; k < 6 && row->body[end] != MB_WORLD; k++)
      sum += row->H[end][k] * x[6 * row->body[end] + k];
  return sum;
}

// ---- along motions --------------------------------------------------------------------------------------------------

// The part of the rows from `first` to before `end`, which are one constraint's, with its numbers where the bodies are.
static double part_of(const MbMet *met, const MbMetSum *sum, size_t first, size_t end,
                      const MbConstraint *constraint) {
  MbSim *at = met->beside;
  MbRow rows[MB_ROWS];
  double all = 0;
  mb_rows_of(at, constraint, at->constraining->signal, 0, 0, rows);
  for (size_t i = first; i < end; i++) {
    const MbRow *row = &rows[sum->rows->move->row[i] - constraint->slot];
    all += sum->rows->move->nu[i] * along(row, met->phi);
    all += sum->rows->zeta[i] * (along(row, at->x.phi) + row->g);
  }
  return all;
}

// Adds that by the motions of a body.
static void add_motions(MbMet *met, const MbMetSum *sum, size_t first, size_t end,
                        const MbConstraint *constraint, size_t body) {
  MbPose *E = &met->beside->x.E[body];
  const MbPose here = *E;
  for (size_t k = 0; k < 6; k++) {
    double of[2];
    for (int side = 0; side < 2; side++) {
      double move[6] = {0};
      MbPose moved;
      move[k] = side ? MOVE : -MOVE;
      mb_se3_exp(&moved, move);
      mb_pose_mul(E, &here, &moved);
      of[side] = part_of(met, sum, first, end, constraint);
    }
    *E = here;
    met->by_move[6 * body + k] += (of[1] - of[0]) / (2 * MOVE);
  }
}

// The constraint of a row, and the first row behind those that it has among the move's.
static const MbConstraint *constraint_of(const MbModel *model, const MbTouchMove *move, size_t first,
                                         size_t *end) {
  size_t c = 0;
  while (move->row[first] >= model->constraints[c].slot + model->constraints[c].rows) c++;
  *end = first + 1;
  while (*end < move->nrows && move->row[*end] < model->constraints[c].slot + model->constraints[c].rows)
    ++*end;
  return &model->constraints[c];
}

static void add_twists(MbMet *met, const MbMetSum *sum, size_t i) {
  const MbRow *row = &met->beside->constraining->set.row[sum->rows->move->row[i]];
  for (int end = 0; end < 2; end++)
    for (size_t k = 0; k < 6 && row->body[end] != MB_WORLD; k++) {
      met->by_w[6 * row->body[end] + k] += sum->rows->zeta[i] * row->H[end][k];
      met->by_z[6 * row->body[end] + k] += sum->rows->move->nu[i] * row->H[end][k];
    }
}

void mb_met_rows_slope(MbMet *met, const MbMetSum *sum) {
  const MbTouchMove *move = sum->rows->move;
  for (size_t i = 0, end; i < move->nrows; i = end) {
    const MbConstraint *constraint = constraint_of(met->beside->model, move, i, &end);
    const MbRow row = met->beside->constraining->set.row[move->row[i]];
    if (!has_bodies(&row)) continue;
    for (size_t k = i; k < end; k++) add_twists(met, sum, k);
    for (int side = 0; side < 2; side++)
      if (row.body[side] != MB_WORLD && !(side && row.body[1] == row.body[0]))
        add_motions(met, sum, i, end, constraint, row.body[side]);
  }
}

void mb_met_rows_felt(const MbMet *met, const MbMetRows *rows, double *q) {
  const MbTouchMove *move = rows->move;
  for (size_t i = 0; i < move->nrows; i++) {
    const MbRow *row = &met->beside->constraining->set.row[move->row[i]];
    for (int k = 0; k < 2 && !has_bodies(row); k++)
      if (row->c[k] != 0) q[row->v[k]] += rows->zeta[i] * row->c[k];
  }
}

// ---- numbers --------------------------------------------------------------------------------------------------------

double mb_met_rows_number(MbSensitivity *g, const MbSlope *slope, const MbMetSum *sum, const double *v,
                          double move) {
  double all = 0;
  if (!sum->rows || !(slope->meets || mb_tangent_number_rows(slope->number))) return 0;
  const MbTouchMove *of = sum->rows->move;
  for (int s = 0; s < 2; s++) {
    MbSim *side = mb_slope_side(slope, s);
    const double *z = mb_axes_v(slope->axes, s, MB_AXES_FELT, sum->z),
                 *w = mb_axes_v(slope->axes, s, MB_AXES_TO, sum->w);
    const double *q = mb_axes_q(slope->axes, s, of->q), *from = mb_axes_v(slope->axes, s, MB_AXES_FROM, v);
    mb_sim_kinematics(side, q, from);
    mb_met_rows_make(g, side, of, q, from);
    const MbRowSet *set = &side->constraining->set;
    for (size_t i = 0; i < of->nrows; i++) {
      const size_t slot = of->row[i];
      const double part = of->nu[i] * mb_row_rate(set, slot, z) +
                          sum->rows->zeta[i] * (mb_row_rate(set, slot, w) + set->row[slot].g);
      all += (s ? 1 : -1) * part;
    }
  }
  return all / (2 * move);
}
