// What constraints are felt by in steps under solver "maximal" where their bodies are and how these move (sensitivity_held_rows.c says what of rows). Differences of rows along motions of
// their bodies are found anew for every weights, or once where many are asked for (mb_held_rows_find).
#include "core/constraints/constraints.h"
#include "core/model/coordinates.h"
#include "core/sim/evaluate.h"
#include "core/sim/sensitivity_held.h"
#include "core/sim/tangent_number_parts.h"

#include <math.h>
#include <string.h>

static const double MOVE = 1e-5; // m, rad; and of coordinates

// Of all bodies: at the step's start, to come, and weights of the equations.
typedef struct Twists {
  const double *phi, *plus, *z;
} Twists;

// ζ · r − μ · G z of the rows [first, end) of a constraint, as they are in another simulation by `rows`; `own`: with the terms that they have there.
static double sum_of(const MbHeldBack *held, const MbHeldRows *r, const MbSim *side, const Twists *twists,
                     const MbRow *rows, size_t first, size_t end, bool own) {
  const MbSim *sim = r->sim;
  const double *turns = r->at == MB_HELD_ONCE ? sim->solver->map->turns(sim->work) : NULL;
  double sum = 0;
  for (size_t k = first; k < end; k++) {
    MbHeldRow row = r->row[k];
    const MbRow *at = &rows[row.slot - sim->model->constraints[row.constraint].slot];
    double rate = 0, begun = 0, drift = 0, z = 0;
    if (row.slips && !row.loaded) row.mu = row.slips * at->most;
    if (own && !row.slips) mb_held_row_terms(r, side, sim->constraining->set.row[row.slot].g, &row);
    if (row.kept) row.rate = 0;
    for (int e = 0; e < 2; e++) {
      double fall[6];
      if (at->body[e] != MB_WORLD) {
        mb_twist_drift(twists->phi + 6 * at->body[e], fall);
        for (size_t i = 0; i < 6; i++) {
          rate += at->H[e][i] * twists->plus[6 * at->body[e] + i];
          begun += at->H[e][i] * twists->phi[6 * at->body[e] + i];
          z += at->H[e][i] * twists->z[6 * at->body[e] + i];
          drift += at->H[e][i] * fall[i];
        }
      }
      if (at->c[e] == 0) continue;
      rate += at->c[e] * held->rate_plus[at->v[e]];
      begun += row.before != 0 ? at->c[e] * sim->x.v[at->v[e]] : 0;
      z += at->c[e] * held->rate_z[at->v[e]];
      drift += turns ? at->c[e] * turns[at->v[e]] : 0;
    }
    sum += row.zeta * (row.rate * rate + row.before * begun + row.slip * at->gt + row.pull * at->g +
                       row.bend * (drift + (at->order == 2 ? 0 : at->gtt)) + row.soft * row.mu) -
           row.mu * z;
  }
  return sum;
}

// The rows of a constraint where the simulation's bodies are.
static const MbConstraint *rows_here(const MbHeldRows *r, size_t first, MbRow rows[MB_ROWS]) {
  const MbConstraint *constraint = &r->sim->model->constraints[r->row[first].constraint];
  mb_rows_of(r->sim, constraint, r->sim->constraining->signal, r->h, r->turn, rows);
  return constraint;
}

static double sum_by(const MbHeldBack *held, const MbHeldRows *r, const MbRow *rows, size_t first,
                     size_t end) {
  const Twists twists = {r->sim->x.phi, held->plus, held->row_z};
  return sum_of(held, r, r->sim, &twists, rows, first, end, false);
}

static double sum_here(const MbHeldBack *held, const MbHeldRows *r, size_t first, size_t end) {
  MbRow rows[MB_ROWS];
  rows_here(r, first, rows);
  return sum_by(held, r, rows, first, end);
}

// Takes one of the bodies by a motion along one of its axes, from `here`.
static void move_body(const MbHeldRows *r, size_t body, const MbPose *here, size_t k, int side) {
  double move[6] = {0};
  MbPose moved;
  move[k] = side * MOVE;
  mb_se3_exp(&moved, move);
  mb_pose_mul(&r->sim->x.E[body], here, &moved);
}

// ---- rows that are found once -----------------------------------------------------------------------------------------

// What a row is found along: motions of its two bodies, or its coordinates, each to both sides.
enum { WAYS = 24 };

bool mb_held_rows_keep(MbSensitivity *g, MbHeldRows *r) {
  r->moved = mb_arena_alloc(&g->arena, r->sim->model->nslots * WAYS + 1, sizeof *r->moved);
  return r->moved;
}

// Where the rows of a constraint are kept, moved one way.
static MbRow *kept(const MbHeldRows *r, const MbConstraint *constraint, size_t way) {
  return r->moved + WAYS * constraint->slot + constraint->rows * way;
}

static bool is_one_body(const MbConstraint *c, int e) {
  return c->body[e] == MB_WORLD || (e == 1 && c->body[1] == c->body[0]);
}

static void find_moved(const MbHeldRows *r, const MbConstraint *c, size_t first) {
  MbRow rows[MB_ROWS];
  for (int e = 0; e < 2; e++) {
    if (is_one_body(c, e)) continue;
    const MbPose here = r->sim->x.E[c->body[e]];
    for (size_t k = 0; k < 12; k++) {
      move_body(r, c->body[e], &here, k / 2, k % 2 ? 1 : -1);
      rows_here(r, first, rows);
      memcpy(kept(r, c, 12 * (size_t)e + k), rows, c->rows * sizeof *rows);
    }
    r->sim->x.E[c->body[e]] = here;
  }
}

static void find_along(const MbHeldRows *r, const MbConstraint *c, size_t first) {
  const double *const q = r->sim->x.q;
  MbRow rows[MB_ROWS];
  memcpy(r->q, q, r->sim->model->nq * sizeof *q);
  r->sim->x.q = r->q;
  for (size_t k = 0; k < 2 * c->ops->coordinates; k++) {
    double *moved = &r->q[c->q[k / 2]];
    const double here = *moved;
    *moved = here + (k % 2 ? MOVE : -MOVE);
    rows_here(r, first, rows);
    memcpy(kept(r, c, k), rows, c->rows * sizeof *rows);
    *moved = here;
  }
  r->sim->x.q = q;
}

static size_t end_of(const MbHeldRows *r, size_t first) {
  size_t end = first;
  while (end < r->n && r->row[end].constraint == r->row[first].constraint) end++;
  return end;
}

void mb_held_rows_find(MbHeldRows *r) {
  for (size_t first = 0; first < r->n; first = end_of(r, first)) {
    const MbConstraint *c = &r->sim->model->constraints[r->row[first].constraint];
    (c->ops->coordinates ? find_along : find_moved)(r, c, first);
  }
}

// ---- along motions and twists -----------------------------------------------------------------------------------------

// Along motions of one of its bodies, whose twists stay what they are in its axes.
static void along_moves(MbHeldBack *held, const MbHeldRows *r, size_t first, size_t end, int e) {
  const MbConstraint *c = &r->sim->model->constraints[r->row[first].constraint];
  const size_t body = c->body[e];
  const MbPose here = r->sim->x.E[body];
  for (size_t k = 0; k < 12; k++) {
    const int side = k % 2 ? 1 : -1;
    if (!r->moved) move_body(r, body, &here, k / 2, side);
    const double sum = r->moved ? sum_by(held, r, kept(r, c, 12 * (size_t)e + k), first, end)
                                : sum_here(held, r, first, end);
    held->move[6 * body + k / 2] += side * sum / (2 * MOVE);
  }
  r->sim->x.E[body] = here;
}

// Along its twists.
static void along_twists(const MbHeldBack *held, const MbHeldRows *r, size_t first, size_t end, size_t body,
                         double by_phi[6]) {
  double *phi = r->sim->x.phi + 6 * body, fastest = 1;
  for (size_t k = 0; k < 6; k++) fastest = fmax(fastest, fabs(phi[k]));
  for (size_t k = 0; k < 6; k++) {
    const double here = phi[k], move = 1e-3 * fastest;
    phi[k] = here + move;
    const double more = sum_here(held, r, first, end);
    phi[k] = here - move;
    by_phi[k] += (more - sum_here(held, r, first, end)) / (2 * move);
    phi[k] = here;
  }
}

// y += s B x, or of its transposed.
static void add_bend(double s, const double B[36], bool transposed, const double x[6], double y[6]) {
  for (size_t i = 0; i < 6; i++)
    for (size_t k = 0; k < 6; k++) y[i] += s * B[transposed ? 6 * k + i : 6 * i + k] * x[k];
}

// The same of rows that tell how H changes, at once for both bodies: with δH = B ε what of g̈ no acceleration makes is  φ · B φ  beside H · drift. False: they do not tell it.
static bool told_twists(const MbHeldRows *r, size_t first, size_t end, double by_phi[2][6]) {
  MbSim *sim = r->sim;
  const MbConstraint *constraint = &sim->model->constraints[r->row[first].constraint];
  MbRowBend bend[MB_ROWS];
  if (!mb_rows_bend(sim, constraint, bend)) return false;
  for (size_t k = first; k < end; k++) {
    const MbHeldRow *row = &r->row[k];
    const MbRow *at = &sim->constraining->set.row[row->slot];
    const double share = row->zeta * row->bend;
    for (int e = 0; e < 2; e++) {
      const size_t body = constraint->body[e];
      if (body == MB_WORLD) continue;
      const double *phi = sim->x.phi + 6 * body;
      double turned[3]; // H · drift = H_v · (v × ω)
      mb_vec3_cross(turned, at->H[e] + 3, phi + 3);
      mb_vec3_add_scaled(by_phi[e], by_phi[e], share, turned);
      mb_vec3_cross(turned, phi, at->H[e] + 3);
      mb_vec3_add_scaled(by_phi[e] + 3, by_phi[e] + 3, share, turned);
      for (int by = 0; by < 2; by++) {
        const double *B = bend[row->slot - constraint->slot].by[e][by];
        if (constraint->body[by] == MB_WORLD) continue;
        add_bend(share, B, false, sim->x.phi + 6 * constraint->body[by], by_phi[e]);
        add_bend(share, B, true, phi, by_phi[by]);
      }
    }
  }
  return true;
}

// Of velocities whose linear part is in the world's axes: what twists, by which rows' rates are, make of a turn of a body. `by_phi` is what the twist now is felt by.
static void add_turns(MbHeldBack *held, const MbHeldRows *r, size_t first, size_t end, size_t body,
                      const double by_phi[6]) {
  const MbSim *sim = r->sim;
  double by[3][3] = {{0}}, turned[3];
  mb_vec3_copy(by[0], by_phi + 3);
  for (size_t k = first; k < end; k++) {
    const MbHeldRow *row = &r->row[k];
    const MbRow *at = &sim->constraining->set.row[row->slot];
    for (int e = 0; e < 2; e++) {
      if (at->body[e] != body) continue;
      mb_vec3_add_scaled(by[1], by[1], row->rate * row->zeta, at->H[e] + 3);
      mb_vec3_add_scaled(by[2], by[2], -row->mu, at->H[e] + 3);
    }
  }
  const double *const twist[3] = {sim->x.phi, held->plus, held->row_z};
  for (int i = 0; i < 3; i++) {
    mb_vec3_cross(turned, by[i], twist[i] + 6 * body + 3);
    mb_vec3_add(held->move + 6 * body, held->move + 6 * body, turned);
  }
}

// What rates of a pass as it begins are felt by, and what velocities to come are, where somebody wants to know.
static void weigh_twists(const MbHeldBack *held, const MbHeldRows *r, size_t first, size_t end,
                         double by_phi[2][6]) {
  for (size_t k = first; k < end; k++) {
    const MbHeldRow *row = &r->row[k];
    const MbRow *at = &r->sim->constraining->set.row[row->slot];
    for (int e = 0; e < 2; e++)
      for (size_t i = 0; i < 6 && at->body[e] != MB_WORLD; i++) {
        by_phi[e][i] += row->zeta * row->before * at->H[e][i];
        if (held->of.plus) held->of.plus[6 * at->body[e] + i] += row->zeta * row->rate * at->H[e][i];
      }
  }
}

static void of_bodies(MbHeldBack *held, const MbHeldRows *r, size_t first, size_t end) {
  const MbConstraint *constraint = &r->sim->model->constraints[r->row[first].constraint];
  double by_phi[2][6] = {{0}};
  const bool told = r->at != MB_HELD_ONCE || told_twists(r, first, end, by_phi); // others ask for no J̇ v
  weigh_twists(held, r, first, end, by_phi);
  for (int e = 0; e < 2; e++) {
    const size_t body = constraint->body[e];
    if (is_one_body(constraint, e)) continue;
    along_moves(held, r, first, end, e);
    if (!told) along_twists(held, r, first, end, body, by_phi[e]);
    for (size_t i = 0; i < 6; i++) held->phi[6 * body + i] += by_phi[e][i];
    add_turns(held, r, first, end, body, by_phi[e]);
  }
}

// Weights of their rates at the step's start: a prescribed acceleration asks for the rate that it makes of that one.
static void of_rates(MbHeldBack *held, const MbHeldRows *r, size_t first, size_t end) {
  MbSim *sim = r->sim;
  const MbConstraint *constraint = &sim->model->constraints[r->row[first].constraint];
  const double *const v = sim->x.v;
  memcpy(r->v, v, sim->model->nv * sizeof *v);
  sim->x.v = r->v;
  for (size_t e = 0; e < constraint->ops->coordinates; e++) {
    double *moved = &r->v[constraint->v[e]];
    const double here = *moved;
    *moved = here + 1;
    const double more = sum_here(held, r, first, end);
    *moved = here - 1;
    held->by_rate[constraint->v[e]] += (more - sum_here(held, r, first, end)) / 2;
    *moved = here;
  }
  sim->x.v = v;
}

// What its rows weigh rates of coordinates by.
static void weigh_rates(MbHeldBack *held, const MbHeldRows *r, size_t first, size_t end) {
  for (size_t k = first; k < end; k++) {
    const MbHeldRow *row = &r->row[k];
    const MbRow *at = &r->sim->constraining->set.row[row->slot];
    for (int e = 0; e < 2; e++) {
      if (at->c[e] == 0) continue;
      if (mb_held_row_accelerates(r, row))
        mb_held_rotors_weigh_row(held, at->v[e], row->zeta * r->scale * at->c[e]);
      held->by_plus[at->v[e]] += row->zeta * row->rate * at->c[e];
      held->by_rate[at->v[e]] += row->zeta * row->before * at->c[e];
      held->by_z[at->v[e]] -= row->mu * at->c[e];
      held->by_turn[at->v[e]] += row->zeta * row->bend * at->c[e];
    }
  }
}

// Weights of the coordinates that a constraint's rows are about.
static void of_coordinates(MbHeldBack *held, const MbHeldRows *r, size_t first, size_t end) {
  MbSim *sim = r->sim;
  const MbConstraint *constraint = &sim->model->constraints[r->row[first].constraint];
  const double *const q = sim->x.q;
  weigh_rates(held, r, first, end);
  memcpy(r->q, q, sim->model->nq * sizeof *q);
  sim->x.q = r->q;
  for (size_t k = 0; k < 2 * constraint->ops->coordinates; k++) {
    double *moved = &r->q[constraint->q[k / 2]];
    const double here = *moved;
    const int side = k % 2 ? 1 : -1;
    *moved = here + side * MOVE;
    const double sum =
        r->moved ? sum_by(held, r, kept(r, constraint, k), first, end) : sum_here(held, r, first, end);
    held->by_q[constraint->v[k / 2]] += side * sum / (2 * MOVE);
    *moved = here;
  }
  sim->x.q = q;
  if (constraint->order == 2 && r->at == MB_HELD_ONCE) of_rates(held, r, first, end);
}

// Of gaps alone: δg is H along motions, and C along coordinates.
static void of_gaps(MbHeldBack *held, const MbHeldRows *r) {
  for (size_t k = 0; k < r->n; k++) {
    const MbHeldRow *row = &r->row[k];
    const MbRow *at = &r->sim->constraining->set.row[row->slot];
    const double weight = row->zeta * row->pull;
    for (int e = 0; e < 2; e++) {
      for (size_t i = 0; i < 6 && at->body[e] != MB_WORLD; i++)
        held->move[6 * at->body[e] + i] += weight * at->H[e][i];
      if (at->c[e] != 0) held->by_q[at->v[e]] += weight * at->c[e];
    }
  }
}

void mb_held_rows_back(MbSensitivity *g, MbHeldRows *r, const double *claimed) {
  if (!r) return;
  for (size_t k = 0; k < r->n; k++)
    r->row[k].zeta = r->row[k].slips              ? 0
                     : r->row[k].tied == SIZE_MAX ? claimed[r->row[k].claimed]
                                                  : r->asked[r->row[k].tied];
  if (r->at == MB_HELD_GAPS) {
    of_gaps(g->held, r);
    return;
  }
  for (size_t first = 0; first < r->n; first = end_of(r, first)) {
    const bool about = r->sim->model->constraints[r->row[first].constraint].ops->coordinates > 0;
    (about ? of_coordinates : of_bodies)(g->held, r, first, end_of(r, first));
  }
}

// ---- what numbers change of them ----------------------------------------------------------------------------------------

// As a side has them, with the bodies where the probe's are (mb_held_side).
static double of_side(MbSensitivity *g, const MbHeldRows *r, MbSim *side, size_t first, size_t end) {
  const MbSim *sim = g->probe;
  const MbConstraint *constraint = &side->model->constraints[r->row[first].constraint];
  const size_t nguess = side->model->nguess;
  MbHeldBack *held = g->held;
  const Twists twists = {held->side_phi, held->side_plus, held->side_row_z};
  const MbMaximal own = side->x;
  MbRow rows[MB_ROWS];
  if (nguess) memcpy(mb_section(side, MB_SECTION_CLOSURES), r->guess, nguess * sizeof(double));
  side->half_way = sim->half_way;
  side->x.E = held->side_E, side->x.phi = held->side_phi, side->x.q = r->sim->x.q, side->x.v = r->sim->x.v;
  mb_rows_of(side, constraint, side->constraining->signal, r->h, r->turn, rows);
  side->x = own;
  return sum_of(held, r, side, &twists, rows, first, end, true);
}

// Whether a constraint may say other things on the sides of a number: of one that is the same on both, by the same signals, sums are the same where bodies are the same.
static bool differs(const MbSensitivity *g, size_t k, size_t constraint) {
  const MbTangentNumber *of = g->held->number[k].of;
  return of->nsignals || mb_held_number_jumps(g, k) || mb_tangent_number_ties(of, constraint);
}

double mb_held_rows_number(MbSensitivity *g, const MbHeldRows *r, size_t k, size_t only) {
  MbSim *const side[2] = {g->slopes[k].less, g->slopes[k].more};
  double sum = 0;
  for (int s = 0; s < 2 && r; s++) {
    mb_rows_signals(side[s], r->t);
    mb_held_side(g, k, s);
    for (size_t first = 0; first < r->n; first = end_of(r, first))
      if (only == SIZE_MAX ? differs(g, k, r->row[first].constraint) : only == r->row[first].constraint)
        sum += (s ? 1 : -1) * of_side(g, r, side[s], first, end_of(r, first));
  }
  return sum;
}

double mb_held_row_asked(MbSensitivity *g, size_t k, size_t row) {
  MbSim *const side[2] = {g->slopes[k].less, g->slopes[k].more};
  const MbHeldRows *r = g->held->rows;
  MbHeldRow *at = &r->row[row];
  const MbHeldRow own = *at;
  double sum = 0;
  if (!mb_tangent_number_rows(g->held->number[k].of)) return 0;
  at->zeta = 1, at->mu = 0;
  for (int s = 0; s < 2; s++) {
    mb_rows_signals(side[s], r->t);
    mb_held_side(g, k, s);
    sum += (s ? 1 : -1) * of_side(g, r, side[s], row, row + 1);
  }
  *at = own;
  return sum / (2 * g->number[k].move);
}
