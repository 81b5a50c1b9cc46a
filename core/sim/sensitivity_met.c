// Back through steps of one solution (sensitivity_once.c) in which bodies touch. Of each contact that has pushed the step has taken a branch: it sticks, or slides along d = u/|u|, u being
// the tangents' rates at the end; and it closes its gap, or comes no nearer (ask.c). With forces μ and rows G of its normal and tangents
//
//   sticks     G v⁺ + r = 0,  r = ( π g + E μ_n ; 0 ),  π = 1/h or 0
//   slides     the first of these,  μ_t + m μ_n d = 0
//
// of which the change is  B (G dv⁺ + δr) + C dμ = 0 with B = 1, C = E where it sticks, and in the second, m being the coefficient of friction,
//
//   B = m μ_n (1 − d dᵀ)/|u|,  C = ( m d, 1 )
//
// Under a box or a pyramid what is at a bound has its force there, whichever way it slides, and sticks along the rest (touch_slip.c).
//
// These are a border of A beside the rows of constraints (sensitivity_tied.c):  S = B G Y + C,  Sᵀ η = −Yᵀ w̄,  ζ = Bᵀ η,  z = −h A⁻¹ (w̄ + Gᵀ ζ). Rows that say the same as others leave no pivot; where
// what slides has loads that are not unique, and other loads would have other velocities, which of them there are is the solver's affair, and there is no way back. By where the bodies are
//
//   q̄ += ∂/∂q Σ ( −μ G z + ζ (G v⁺) + ζ_n π g )
//
// by differences along the six motions of each pair that touches (sensitivity_met_sum.c), whatever the number of coordinates and of numbers. A number is asked only where it moves bodies, shapes or friction.
#include "core/sim/sensitivity_met.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/evaluate.h"
#include "core/sim/same_elements.h"
#include "core/sim/ports.h"
#include "core/sim/sensitivity_rubbed.h"
#include "core/sim/sensitivity_tied.h"
#include "core/sim/touch_axes.h"
#include "core/sim/touch_slip.h"

#include <math.h>
#include <string.h>

static const char
    *const GONE = "contacts are not where they were beside it",
           *const LOADS = "contacts slide under loads that are not unique, unless \"compliance\" makes them",
           *const TURNING = "a contact has come to rest just as it slid";

static bool lost(MbSensitivity *g, const char *why) {
  g->parted = why;
  return false;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

void mb_met_add_row(MbSim *sim, const MbSeen *seen, const double d[3], double *y) {
  for (size_t end = 0; end < seen->n; end++) {
    double H[6], carried[6];
    const size_t nb = sim->model->nb;
    mb_met_push(sim, seen, end, d, H);
    if (seen->body[end] >= nb) {
      double *at = y + sim->nv + 3 * (seen->body[end] - nb);
      mb_vec3_add(at, at, H + 3);
      continue;
    }
    sim->solver->carry(sim->work, seen->body[end], H, carried, y);
  }
  if (sim->model->nports) mb_ports_give(sim, y, y + sim->nv);
}

// Whether nothing that a row is about can move by it, as across the plane in which links turn, where it has `gives` less than rounding of what free bodies would have.
static bool is_idle(const MbSim *sim, const MbSeen *seen, const double d[3], double gives) {
  static const double ROUNDING = 1e-20; // as in mb_row_idle
  double free = 0;
  for (size_t end = 0; end < seen->n; end++) {
    double H[6];
    if (seen->body[end] >= sim->model->nb) return false;
    const double *M = sim->model->M + 6 * seen->body[end];
    mb_met_push(sim, seen, end, d, H);
    for (size_t k = 0; k < 6; k++)
      if (M[k] > 0) free += H[k] * H[k] / M[k];
  }
  return !(fabs(gives) > ROUNDING * free);
}

// The first `rows` rows of each contact that has been seen, and span A⁻¹ of them, where a simulation's bodies and its factors are; false: A has no inverse.
static bool make_rows(MbSensitivity *g, MbSim *sim, const MbPushes *pushed, size_t rows, double span) {
  MbMet *met = g->met;
  const size_t nv = met->width;
  for (size_t i = 0; i < pushed->n; i++) {
    double axis[3][3];
    mb_touch_axes(pushed->touch[i].normal, axis);
    for (size_t k = 0; k < rows; k++) {
      double *G = met->G + (rows * i + k) * nv, *Y = met->Y + (rows * i + k) * nv;
      memset(G, 0, nv * sizeof *G);
      mb_met_add_row(sim, &met->seen[0][i], axis[k], G);
      memcpy(Y, G, nv * sizeof *Y);
      if (!mb_met_invert(g, sim, span, Y)) return false;
      if (!is_idle(sim, &met->seen[0][i], axis[k], mb_slope_dot(G, Y, nv) / span)) continue;
      memset(G, 0, nv * sizeof *G), memset(Y, 0, nv * sizeof *Y);
    }
  }
  return true;
}

// Keeps contact i as the n-th, with its rows.
static void keep(MbSensitivity *g, const MbPushed *touch, size_t i, size_t n, size_t rows) {
  MbMet *met = g->met;
  const size_t nv = g->met->width, size = rows * nv;
  met->pressing.touch[n] = *touch;
  if (i == n) return;
  met->seen[0][n] = met->seen[0][i];
  memcpy(met->G + size * n, met->G + size * i, size * sizeof *met->G);
  memcpy(met->Y + size * n, met->Y + size * i, size * sizeof *met->Y);
}

// Solutions leave rounding of impulses in contacts that do not press: those go out of the list, of which rows have been made. `from` are velocities before (NULL: of a move).
static size_t leave_out_rounding(MbSensitivity *g, const MbPushes *pushed, size_t rows, double span,
                                 const double *from) {
  static const double ROUNDING = 1e-12; // of what a contact asks for, as problems are solved
  MbMet *met = g->met;
  const size_t nv = g->met->width;
  size_t n = 0;
  for (size_t i = 0; i < pushed->n; i++) {
    const MbPushed *touch = &pushed->touch[i];
    const double *G = met->G + rows * i * nv, *Y = met->Y + rows * i * nv;
    const double took = mb_slope_dot(G, Y, nv) * touch->lambda[0] / span;
    double size = from ? fabs(touch->gap) / g->sim->model->h + fabs(touch->rate[0]) : fabs(touch->gap);
    if (from) size += fabs(mb_slope_dot(G, from, nv));
    if (took > ROUNDING * size) keep(g, touch, i, n++, rows);
  }
  return n;
}

bool mb_met_press(MbSensitivity *g, MbSim *sim, const MbPushes *pushed, size_t rows, double span,
                  const double *from) {
  MbMet *met = g->met;
  met->pushed = &met->pressing, met->pressing.n = 0;
  if (!mb_grow(&met->pressing.touch, &met->pressing.room, pushed->n, sizeof *met->pressing.touch))
    return lost(g, "memory is out");
  if (!make_rows(g, sim, pushed, rows, span)) return false;
  met->pressing.n = leave_out_rounding(g, pushed, rows, span, from);
  return true;
}

// ---- the branch that a contact has taken ----------------------------------------------------------------------------

// How much of its gap there is in what a contact asks for, and of its force.
static void find_terms(const MbContacts *rules, double h, const MbPushed *touch, MbMetContact *c) {
  const double way = h + (touch->gap > 0 ? 0 : rules->damping);
  c->pull = mb_ask_closes(touch->gap, touch->size) ? 1 / h : 0, c->softness = 0;
  if (rules->compliance > 0) c->pull = 1 / way, c->softness = rules->compliance / way;
  if (touch->rebounds) c->pull = 0;
}

// B and C of one that slides under the round cone; false: it has come to rest just so.
static bool slide(const MbPushed *touch, const MbTouchSlip *slip, double h, MbMetContact *c) {
  const double *u = touch->rate + 1, fast = hypot(u[0], u[1]), rubs = slip->most;
  if (!(fast > 0)) return false;
  for (int k = 0; k < 2; k++) c->along[k] = -slip->m[0][k];
  c->scale /= 1 + c->scale * rubs / (h * fast); // so that they are as large as those of what sticks
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2; k++)
      c->B[3 * (1 + i) + 1 + k] = c->scale * rubs / h * ((i == k) - c->along[i] * c->along[k]) / fast;
    c->C[3 * (1 + i)] = c->scale * touch->mu * c->along[i];
    c->C[3 * (1 + i) + 1 + i] = c->scale;
  }
  return true;
}

// The same of one whose forces are at bounds that do not turn with it: along what these leave open it sticks.
static void hold(const MbPushed *touch, const MbTouchSlip *slip, MbMetContact *c) {
  for (int i = 0; i < slip->n; i++) {
    c->along[i] = -slip->share[i];
    c->C[3 * (1 + i)] = c->scale * touch->mu * c->along[i];
    for (int k = 0; k < 2; k++) c->C[3 * (1 + i) + 1 + k] = c->scale * slip->m[i][k];
  }
  if (slip->n == 0) c->B[4] = c->B[8] = 1;
  if (slip->n == 1) c->B[7] = -slip->m[0][1], c->B[8] = slip->m[0][0];
}

static bool take_branch(MbSensitivity *g, size_t i) {
  const MbPushed *touch = &g->met->pushed->touch[i];
  MbMetContact *c = &g->met->contact[i];
  const size_t nv = g->met->width;
  const double h = g->sim->model->h, *G = g->met->G + 3 * i * nv, *Y = g->met->Y + 3 * i * nv;
  const MbContacts *rules = g->sim->touching->rules;
  const MbTouchSlip slip = mb_touch_slip(rules, touch);
  *c = (MbMetContact){.B[0] = 1};
  find_terms(rules, h, touch, c);
  c->C[0] = c->softness, g->met->pull[i] = c->pull;
  for (size_t k = 0; k < 3; k++) g->met->mu[3 * i + k] = touch->lambda[k] / h;
  c->scale = (mb_slope_dot(G + nv, Y + nv, nv) + mb_slope_dot(G + 2 * nv, Y + 2 * nv, nv)) / 2;
  if (slip.n == 1 && rules->cone == MB_ROUND_CONE) return slide(touch, &slip, h, c);
  hold(touch, &slip, c);
  return true;
}

// ---- the border -----------------------------------------------------------------------------------------------------

const double *mb_met_row(const MbSensitivity *g, size_t ties, size_t k, bool Y) {
  const MbMet *met = g->met;
  if (k < ties) return (Y ? g->tied->Y : g->tied->G) + g->tied->wide * k;
  return (Y ? met->Y : met->G) + met->width * (k - ties);
}

// How many numbers such a row has: those of constraints are about bodies alone, but where there are ports.
static size_t wide(const MbSensitivity *g, size_t ties, size_t k) {
  return k < ties ? g->tied->wide : g->met->width;
}

double mb_met_row_times(const MbSensitivity *g, size_t ties, size_t k, bool Y, const double *x) {
  return mb_slope_dot(mb_met_row(g, ties, k, Y), x, wide(g, ties, k));
}

double mb_met_row_at(const MbSensitivity *g, size_t ties, size_t k, bool Y, size_t j) {
  return j < wide(g, ties, k) ? mb_met_row(g, ties, k, Y)[j] : 0;
}

size_t mb_met_ties(const MbSensitivity *g) { return g->tied ? mb_tangent_rows(g->tangent)->n : 0; }

// Lists the velocities that each contact's rows are about: those of deformables are about few. False: out of memory.
static bool list_entries(MbSensitivity *g) {
  MbMet *met = g->met;
  const size_t nv = g->met->width;
  size_t n = 0;
  for (size_t i = 0; i < met->n; i++) {
    const double *G = met->ask + 3 * i * nv;
    met->first_entry[i] = n;
    if (!mb_grow(&met->entry, &met->entry_room, n + nv, sizeof *met->entry)) return false;
    for (size_t k = 0; k < nv; k++)
      if (G[k] != 0 || G[nv + k] != 0 || G[2 * nv + k] != 0) met->entry[n++] = (uint32_t)k;
  }
  met->first_entry[met->n] = n;
  return true;
}

// GY ← the three rows by which a contact asks times the first n numbers of y, which has no others.
static void rows_times(const MbMet *met, size_t n, size_t i, const double *y, double GY[3]) {
  const size_t nv = met->width;
  const double *G = met->ask + 3 * i * nv;
  mb_vec3_set(GY, 0, 0, 0);
  for (size_t e = met->first_entry[i]; e < met->first_entry[i + 1]; e++) {
    const size_t k = met->entry[e];
    if (k >= n) break;
    GY[0] += G[k] * y[k], GY[1] += G[nv + k] * y[k], GY[2] += G[2 * nv + k] * y[k];
  }
}

static void fill(MbSensitivity *g) {
  MbMet *met = g->met;
  const size_t ties = mb_met_ties(g), m = ties + 3 * met->n;
  double *S = met->S.S;
  for (size_t k = 0; k < m; k++) {
    const double *Y = mb_met_row(g, ties, k, true);
    for (size_t i = 0; i < ties; i++)
      S[m * i + k] =
          mb_met_row_times(g, ties, i, false, Y) + (i == k ? mb_tangent_rows(g->tangent)->row[i].soft : 0);
    for (size_t i = 0; i < met->n; i++) {
      const MbMetContact *c = &met->contact[i];
      double GY[3];
      rows_times(met, wide(g, ties, k), i, Y, GY);
      for (size_t a = 0; a < 3; a++) {
        const bool own = k >= ties + 3 * i && k < ties + 3 * i + 3;
        S[m * (ties + 3 * i + a) + k] = c->B[3 * a] * GY[0] + c->B[3 * a + 1] * GY[1] +
                                        c->B[3 * a + 2] * GY[2] + (own ? c->C[3 * a + k - ties - 3 * i] : 0);
      }
    }
  }
  if (g->tied) mb_slope_rubbed_fill(g, S, m), mb_slope_rubbed_meets(g, S, m);
  mb_ranked_factor(&met->S, m);
}

// Whether loads that rows do not tell would change velocities.
static bool ambiguous(MbSensitivity *g) {
  static const double NONE = 1e-6; // of what they would change if they did not cancel
  MbMet *met = g->met;
  const size_t ties = mb_met_ties(g), m = met->S.m, nv = g->met->width;
  for (size_t free = met->S.rank; free < m; free++) {
    double sizes = 0, sum = 0;
    mb_ranked_null(&met->S, free, met->asked);
    for (size_t j = 0; j < nv; j++) {
      double of = 0, size = 0;
      for (size_t k = 0; k < m; k++) {
        const double by = met->asked[k] * mb_met_row_at(g, ties, k, true, j);
        of += by, size += fabs(by);
      }
      sum = fmax(sum, fabs(of)), sizes = fmax(sizes, size);
    }
    if (sum > NONE * sizes) return true;
  }
  return false;
}

bool mb_met_stand(MbSensitivity *g, const MbStageNote *note, const MbMeeting *meeting) {
  MbMet *met = g->met;
  met->n = met->nthrown = 0;
  if (!meeting) return true;
  if (!mb_met_reserve(g, meeting->pushed.n) || !mb_met_reserve(g, meeting->near.n))
    return lost(g, "memory is out");
  if (!meeting->pushed.n) return true;
  mb_thrown_at(g, note, meeting);
  if (!mb_met_look(met->beside, met->q, note->from, &meeting->pushed, NULL, met->seen[0]))
    return lost(g, GONE);
  if (!mb_met_press(g, g->probe, &meeting->pushed, 3, g->sim->model->h, note->from)) return false;
  met->n = met->pushed->n;
  if (!mb_met_arcs_at(g, note, &meeting->moves)) return false;
  for (size_t i = 0; i < met->n; i++)
    if (!take_branch(g, i)) return lost(g, TURNING);
  return true;
}

bool mb_met_at(MbSensitivity *g, const MbStageNote *note) {
  if (!g->met->n) return true;
  if (!list_entries(g)) return lost(g, "memory is out");
  fill(g);
  if (!mb_met_free_at(g, note)) return false;
  return ambiguous(g) ? lost(g, LOADS) : true;
}

void mb_met_back(MbSensitivity *g, double *w) {
  MbMet *met = g->met;
  if (!met || !met->n) {
    mb_slope_tied_back(g, w);
    return;
  }
  const size_t nv = met->width, ties = mb_met_ties(g);
  double *eta = met->asked;
  for (size_t k = 0; k < met->S.m; k++) eta[k] = -mb_met_row_times(g, ties, k, true, w);
  mb_ranked_solve_transposed(&met->S, eta, eta);
  memcpy(met->eta, eta + ties, 3 * met->n * sizeof *eta);
  for (size_t i = 0; i < met->n; i++)
    for (size_t k = 0; k < 3; k++) {
      double *zeta = &met->zeta[3 * i + k];
      *zeta = 0;
      for (size_t a = 0; a < 3; a++) *zeta += met->contact[i].B[3 * a + k] * met->eta[3 * i + a];
    }
  for (size_t k = 0; k < met->S.m; k++) {
    const double zeta = k < ties ? eta[k] : met->zeta[k - ties];
    const double *G = k < ties ? mb_met_row(g, ties, k, false) : met->ask + nv * (k - ties);
    for (size_t i = 0; i < wide(g, ties, k); i++) w[i] += zeta * G[i];
  }
  if (ties) mb_slope_rubbed_felt(g, eta);
  for (size_t k = 0; k < ties; k++) mb_tangent_rows(g->tangent)->row[k].zeta = eta[k];
}

// ---- where the bodies are, and numbers ------------------------------------------------------------------------------

static MbMetSum sum_of(const MbSensitivity *g, const double *z, const MbStageNote *note) {
  const MbMet *met = g->met;
  MbMetSum sum = {.pushed = met->pushed,
                  .mu = met->mu,
                  .zeta = met->zeta,
                  .pull = met->pull,
                  .z = z,
                  .carried = mb_slope_rubbed_twists(g),
                  .w = note->w,
                  .from = met->rebounds ? note->from : NULL,
                  .free = met->rebounds ? met->free : NULL};
  mb_met_arcs_of(met, &sum);
  return sum;
}

bool mb_met_felt(MbSensitivity *g, const MbStageNote *note, const double *z, double *q, double *v) {
  MbMet *met = g->met;
  if (!met || !met->n) return true;
  const MbMetSum sum = sum_of(g, z, note);
  mb_met_free_felt(g, v);
  mb_met_arcs_felt(met, q, v);
  return mb_met_slope(g, met->q, &sum, q) || lost(g, GONE);
}

// What a side says of friction and softness of the contacts beside where they are.
static double rubs_on(const MbMet *met, const MbSim *side, const MbSeen *seen) {
  double all = 0;
  for (size_t i = 0; i < met->n; i++) {
    const MbMetContact *c = &met->contact[i];
    const MbPushed *touch = &met->pushed->touch[i];
    MbMetContact other = {0};
    find_terms(side->touching->rules, side->model->h, touch, &other);
    all += met->zeta[3 * i] * (other.softness * met->mu[3 * i] + (other.pull - c->pull) * touch->gap);
    for (size_t k = 0; k < 2; k++)
      all += met->eta[3 * i + 1 + k] * c->scale * seen[i].mu * met->mu[3 * i] * c->along[k];
  }
  return all;
}

// Bit by bit, as what a shape has not is no number. Meshes may differ in their vertices.
static bool same_solids(const MbContacts *less, const MbContacts *more) {
  for (size_t i = 0; i < less->nsolids; i++) {
    const MbSolid *s = &less->solids[i], *t = &more->solids[i];
    const double one[] = {s->size[0], s->size[1], s->size[2], s->radius, s->length, s->friction},
                 other[] = {t->size[0], t->size[1], t->size[2], t->radius, t->length, t->friction};
    if (memcmp(&s->restitution, &t->restitution, sizeof(double)) != 0) return false;
    if (s->mesh || memcmp(&s->at, &t->at, sizeof s->at) != 0 || memcmp(one, other, sizeof one) != 0)
      return false;
  }
  for (size_t i = 0; i < less->nrules; i++)
    if (memcmp(&less->rules[i].friction, &more->rules[i].friction, sizeof(double)) != 0 ||
        memcmp(&less->rules[i].restitution, &more->rules[i].restitution, sizeof(double)) != 0)
      return false;
  for (size_t i = 0; i < less->nsurfaces; i++)
    if (less->surfaces[i].friction != more->surfaces[i].friction ||
        less->surfaces[i].thickness != more->surfaces[i].thickness)
      return false;
  return less->compliance == more->compliance && less->damping == more->damping;
}

// Whether nodes that are points have the same masses, by which what is deep is parted.
static bool same_points(const MbModel *less, const MbModel *more) {
  bool same = true;
  for (size_t i = 0; i < less->ndeformables; i++)
    same &= !less->deformables[i].points ||
            mb_same_masses(less->deformables[i].elements, more->deformables[i].elements);
  return same;
}

void mb_met_concern(MbSlope *slope) {
  const MbModel *const less = slope->less->model, *const more = slope->more->model;
  slope->meets = mb_tangent_number_moves(slope->number) || !same_points(less, more) ||
                 !same_solids(&less->contacts, &more->contacts);
}

MbMetSum mb_met_of_side(const MbMet *met, const MbSlope *slope, int s, const MbMetSum *sum) {
  MbMetSum own = *sum;
  own.w = mb_met_side_v(met, slope, s, MB_AXES_TO, sum->w);
  own.z = mb_met_side_v(met, slope, s, MB_AXES_FELT, sum->z);
  if (sum->free) own.from = mb_axes_v(slope->axes, s, MB_AXES_FROM, sum->from);
  if (sum->free) own.free = mb_axes_v(slope->axes, s, MB_AXES_FREE, sum->free);
  if (sum->arcs)
    own.by = sum->arcs->settles ? own.w : mb_met_side_v(met, slope, s, MB_AXES_FROM, sum->arcs->by);
  return own;
}

bool mb_met_number(MbSensitivity *g, const MbSlope *slope, const MbStageNote *note, const double *z,
                   double move, double *out) {
  MbMet *met = g->met;
  if (!met || !met->n || !slope->meets) return true;
  MbMetSum sum = sum_of(g, z, note);
  const MbMetSum run = sum;
  if (mb_tangent_number_jumps(slope->number)) sum.carried = NULL; // it is told of with the rest of friction
  for (int s = 0; s < 2; s++) {
    MbSim *side = mb_slope_side(slope, s);
    MbSeen *seen = met->seen[1 + s];
    const double *q = mb_met_side_q(met, slope, s, met->q);
    MbMetSum own = mb_met_of_side(met, slope, s, &sum);
    if (!mb_met_look(side, q, mb_met_side_v(met, slope, s, MB_AXES_FROM, note->from), met->pushed,
                     met->seen[0], seen))
      return lost(g, GONE);
    mb_met_arcs_reach(met, side, q, 1, &own);
    *out += (s ? 1 : -1) / (2 * move) * (mb_met_sum_at(met, side, q, &own, seen) + rubs_on(met, side, seen));
  }
  return mb_met_sides_smooth(g, met->q, &run) || lost(g, GONE);
}
