// Contacts where they are all that there is between bodies which nothing couples: piles. Then A is a block a body, A⁻¹ = C Cᵀ, and a contact's
// three rows of G have six numbers a body: of a push along d at r from the centre of mass, ( Rᵀ r × Rᵀ d ; d ). The problem's W = F Fᵀ with
// F = G C is made from the contacts themselves: rows of the set, which may be of anything, would take some ten times as long.
#include "core/sim/touch_apart.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/base/targets.h"
#include "core/math/mat3.h"
#include "core/model/coordinate_map.h"
#include "core/sim/touch.h"
#include "core/sim/touch_pile.h"
#include "core/sim/touch_solve.h"
#include "core/sim/trouble.h"

#include <string.h>

static const double ROUNDING = 1e-12; // of sums over some tens of terms

// A body where it is, for the rows of a step.
typedef struct Body {
  double R[9], p[3];
  double C[6];      // the factor of M⁻¹: 1/√M
  const double *C6; // the factor of A⁻¹ where A is not M (6 x 6, lower); else NULL
  size_t at;        // where its velocities begin
} Body;

// How a solid has moved since the last look, x ← R x + p; and a contact with it: its gap along the normal as it was then, the place between
// what were its two points.
typedef struct Turn {
  double R[9], p[3];
} Turn;
typedef struct Moved {
  double point[3], gap;
} Moved;

struct MbApart {
  bool is;      // all solids are of such bodies
  Body *body;   // (nb)
  Turn *turn;   // (nsolids)
  Moved *moved; // (a contact) where contacts have got to in the step
  size_t moved_room;
  double *y;                    // (6 nb) Fᵀ λ
  double *rate;                 // (3 a contact) of the velocities as they are without contacts
  double *last;                 // (3 a contact) of those at the step's start
  double normal[3], axis[3][3]; // of the contact that was last looked at: those of a face have the same
  size_t room, last_room;
};

// ---- whether ----------------------------------------------------------------------------------------------

static bool make(const MbSim *sim, MbApart *apart) {
  const MbModel *model = sim->model;
  const MbContacts *rules = &model->contacts;
  apart->is = !model->nslots && !rules->nsurfaces && !model->npairs && !model->nfollowers &&
              model->solver.mode == MB_DYNAMIC && rules->method != MB_CONTACT_BY_PIVOTING;
  for (size_t i = 0; i < rules->nsolids && apart->is; i++) {
    const size_t body = rules->solids[i].body;
    apart->is = rules->moved[body] == MB_WORLD || mb_delassus_is_apart(model, body);
  }
  if (!apart->is) return true;
  apart->body = mb_calloc(model->nb, sizeof *apart->body);
  apart->y = mb_calloc(6 * model->nb, sizeof *apart->y);
  apart->turn = mb_calloc(rules->nsolids, sizeof *apart->turn);
  if (!apart->body || !apart->y || (rules->nsolids && !apart->turn)) return false;
  for (size_t b = 0; b < model->nb; b++) {
    if (!mb_delassus_is_apart(model, b)) continue;
    apart->body[b].at = sim->solver->map->layout->velocity(model, b);
    for (size_t k = 0; k < 6; k++) apart->body[b].C[k] = 1 / sqrt(model->M[6 * b + k]);
  }
  return true;
}

MbStatus mb_touch_apart_create(MbSim *sim, MbReport *report) {
  MbApart *apart = sim->touching->apart = mb_calloc(1, sizeof *apart);
  if (apart) sim->touching->pile = mb_touch_pile_create(sim->touching);
  return apart && sim->touching->pile && make(sim, apart) ? MB_OK : mb_no_memory(report, "contact");
}

bool mb_touch_apart(const MbSim *sim) {
  return sim->touching && sim->touching->apart->is && sim->constraining->set.nsources == 1;
}

void mb_touch_apart_free(MbSim *sim) {
  MbApart *apart = sim->touching->apart;
  if (!apart) return;
  mb_free(apart->body);
  mb_free(apart->y);
  mb_free(apart->rate);
  mb_free(apart->last);
  mb_free(apart->turn);
  mb_free(apart->moved);
  mb_touch_pile_free(sim->touching->pile);
  mb_free(apart);
}

size_t mb_touch_apart_bytes(const MbSim *sim) {
  const MbApart *apart = sim->touching->apart;
  const size_t bodies = apart->is ? sim->model->nb * (sizeof *apart->body + 6 * sizeof *apart->y) +
                                        sim->touching->rules->nsolids * sizeof *apart->turn
                                  : 0;
  return sizeof *apart + bodies + (apart->room + apart->last_room) * sizeof(double) +
         apart->moved_room * sizeof *apart->moved + mb_touch_pile_bytes(sim->touching->pile);
}

// ---- rows -------------------------------------------------------------------------------------------------

static bool place(MbSim *sim, bool by_masses) {
  MbApart *apart = sim->touching->apart;
  MbDelassus *d = &sim->constraining->delassus;
  if (!by_masses && !mb_delassus_inverses(sim, d)) return false;
  for (size_t b = 0; b < sim->model->nlisted; b++) {
    Body *body = &apart->body[b];
    mb_quat_to_mat3(body->R, sim->x.E[b].q);
    mb_vec3_copy(body->p, sim->x.E[b].p);
    body->C6 = by_masses ? NULL : d->inverse + 36 * b;
  }
  return true;
}

static void find_axes(MbApart *apart, const double normal[3]) {
  if (!memcmp(apart->normal, normal, sizeof apart->normal)) return;
  mb_vec3_copy(apart->normal, normal);
  mb_touch_axes(normal, apart->axis);
}

// G of the first rows of a contact at a point, at one of its ends.
static void rows_at(const Body *body, const double axis[3][3], const double point[3], size_t rows,
                    double sign, double G[3][6]) {
  double r[3], d[3];
  mb_vec3_sub(r, point, body->p);
  mb_mat3_tapply(r, body->R, r);
  for (size_t k = 0; k < rows; k++) {
    mb_vec3_scale(G[k] + 3, sign, axis[k]);
    mb_mat3_tapply(d, body->R, G[k] + 3);
    mb_vec3_cross(G[k], r, d);
  }
}

// F = G C of one row. Returns G M⁻¹ Gᵀ.
static double factor_of(const Body *body, const double G[6], double F[6]) {
  double all = 0;
  for (int k = 0; k < 6; k++) F[k] = G[k] * body->C[k], all += F[k] * F[k];
  if (!body->C6) return all;
  for (size_t k = 0; k < 6; k++) {
    F[k] = 0;
    for (size_t r = k; r < 6; r++) F[k] += G[r] * body->C6[6 * r + k];
  }
  return all;
}

// Of the rows of one contact: F and its groups; rates with v, with the sizes of their terms, and with the velocities at the start
// (NULL: not wanted); what W_ii is of bodies that nothing holds.
typedef struct Made {
  double rate[3], last[3], size[3], all[3];
} Made;

MB_CLONES static void make_rows(MbSim *sim, size_t i, const double point[3], size_t rows, const double *v,
                                const double *v0, Made *made) {
  const MbTouch *touch = &sim->touching->now.touch[i];
  MbDelassus *d = &sim->constraining->delassus;
  double G[3][6];
  *made = (Made){{0}, {0}, {0}, {0}};
  find_axes(sim->touching->apart, touch->normal);
  for (size_t end = 0; end < 2; end++) {
    const size_t b = mb_touch_ends(&sim->touching->now, touch)->end[end];
    for (size_t k = 0; k < rows; k++)
      d->group[2 * (rows * i + k) + end] = b == MB_WORLD ? MB_NO_SLOT : (uint32_t)b;
    if (b == MB_WORLD) {
      for (size_t k = 0; k < rows; k++)
        memset(d->factor + 12 * (rows * i + k) + 6 * end, 0, 6 * sizeof(double));
      continue;
    }
    const Body *body = &sim->touching->apart->body[b];
    rows_at(body, sim->touching->apart->axis, point, rows, end ? 1 : -1, G);
    for (size_t k = 0; k < rows; k++) {
      for (size_t j = 0; j < 6 && v0; j++) {
        const double term = G[k][j] * v[body->at + j];
        made->rate[k] += term, made->size[k] += fabs(term);
        made->last[k] += G[k][j] * v0[body->at + j];
      }
      made->all[k] += factor_of(body, G[k], d->factor + 12 * (rows * i + k) + 6 * end);
    }
  }
}

static void take(MbSim *sim, const MbAsked *asked, MbContactRowKind kind, double all, double from) {
  MbConstraining *c = sim->constraining;
  const size_t i = c->n++;
  c->b[i] = asked->b;
  c->slack[i] = ROUNDING * asked->size + 1e-300;
  c->all[i] = all;
  c->least[i] = sim->solver->claims->nothing * all;
  c->soft[i] = asked->soft;
  mb_rebound_note(&c->rebounds, i, asked->rebound);
  c->kind[i] = kind;
  c->from[i] = from;
}

// The rows of contact i, for velocities.
static void take_contact(MbSim *sim, const MbAsking *asking, size_t i, const double *v) {
  MbConstraining *c = sim->constraining;
  const MbContacts *rules = sim->touching->rules;
  MbTouch *touch = &sim->touching->now.touch[i];
  MbApart *apart = sim->touching->apart;
  Made made;
  make_rows(sim, i, touch->point, 3, v, sim->state.v, &made);
  memcpy(apart->rate + 3 * i, made.rate, sizeof made.rate);
  memcpy(apart->last + 3 * i, made.last, sizeof made.last);
  for (size_t k = 0; k < 3; k++) {
    MbAskRow known = {.g = touch->gap,
                      .judged = mb_touch_judged(sim->touching, touch),
                      .scale = touch->size,
                      .one_way = true,
                      .alpha = k ? 0 : rules->compliance,
                      .beta = k ? 0 : rules->damping,
                      .bounce = touch->bounce,
                      .slowest = rules->threshold,
                      .blow = mb_touch_blow(sim->touching, touch),
                      .rate = made.rate[k],
                      .last = made.last[k],
                      .size = made.size[k]};
    const MbAsked asked = k ? mb_ask_friction(known.rate, known.size) : mb_ask_contact(asking, &known);
    if (k == 0) touch->rebounds = asked.rebound > 0, touch->narrow = asked.narrow;
    take(sim, &asked, k ? MB_CONTACT_TANGENT : MB_CONTACT_NORMAL, made.all[k], touch->lambda[k]);
  }
  c->cone[c->ntouches++] =
      (MbContactCone){.row = 3 * i, .cone = (MbCone)rules->cone, .sides = rules->sides, .mu = touch->mu};
}

static MbContactOperator operator_of(const MbSim *sim) {
  const MbDelassus *d = &sim->constraining->delassus;
  return (MbContactOperator){.factor = d->factor, .slot = d->group, .nslots = sim->model->nb};
}

static bool reserve(MbSim *sim, size_t rows) {
  MbConstraining *c = sim->constraining;
  MbApart *apart = sim->touching->apart;
  c->delassus.sim = sim, c->delassus.n = rows;
  c->delassus.unsolved = c->delassus.no_memory = false;
  return mb_rows_reserve(c, rows) && mb_delassus_reserve_factors(sim, &c->delassus, rows) &&
         mb_grow(&c->cone, &c->cone_room, rows, sizeof *c->cone) &&
         mb_grow(&apart->rate, &apart->room, rows, sizeof *apart->rate) &&
         mb_grow(&apart->last, &apart->last_room, rows, sizeof *apart->last);
}

// ---- solutions --------------------------------------------------------------------------------------------

// y ← Fᵀ λ, then x ← x + C y
static void push(MbSim *sim, double *x) {
  MbConstraining *c = sim->constraining;
  MbApart *apart = sim->touching->apart;
  const MbDelassus *d = &c->delassus;
  memset(apart->y, 0, 6 * sim->model->nb * sizeof *apart->y);
  for (size_t i = 0; i < c->n; i++) {
    const double lambda = c->answer.lambda[i];
    for (size_t end = 0; end < 2 && lambda != 0; end++) {
      if (d->group[2 * i + end] == MB_NO_SLOT) continue;
      double *y = apart->y + 6 * (size_t)d->group[2 * i + end];
      for (size_t k = 0; k < 6; k++) y[k] += lambda * d->factor[12 * i + 6 * end + k];
    }
  }
  for (size_t b = 0; b < sim->model->nlisted; b++) {
    const Body *body = &apart->body[b];
    const double *y = apart->y + 6 * b;
    if (!mb_delassus_is_apart(sim->model, b)) continue;
    for (size_t k = 0; k < 6; k++) {
      double sum = body->C6 ? 0 : body->C[k] * y[k];
      for (size_t j = 0; j <= k && body->C6; j++) sum += body->C6[6 * k + j] * y[j];
      x[body->at + k] += sum;
    }
  }
}

// F y of one row.
static double change_of(const MbSim *sim, size_t i) {
  const MbDelassus *d = &sim->constraining->delassus;
  double sum = 0;
  for (size_t end = 0; end < 2; end++) {
    if (d->group[2 * i + end] == MB_NO_SLOT) continue;
    const double *y = sim->touching->apart->y + 6 * (size_t)d->group[2 * i + end];
    for (size_t k = 0; k < 6; k++) sum += d->factor[12 * i + 6 * end + k] * y[k];
  }
  return sum;
}

static void note(MbSim *sim) {
  MbTouching *t = sim->touching;
  const MbConstraining *c = sim->constraining;
  mb_touch_begin_notes(sim);
  for (size_t i = 0; i < t->now.n; i++) {
    const bool pushes = c->answer.lambda[3 * i] > 0;
    if (!pushes && !t->noted) continue;
    double after[3];
    const double *lambda = c->answer.lambda + 3 * i, *before = t->apart->last + 3 * i;
    for (size_t k = 0; k < 3; k++) after[k] = t->apart->rate[3 * i + k] + change_of(sim, 3 * i + k);
    if (pushes)
      mb_touch_note(sim, &t->now.touch[i], lambda, after, before[0], mb_vec3_dot(lambda, before));
    else
      mb_touch_note_near(sim, &t->now.touch[i], before, after);
  }
}

static MbStatus tell_not_finite(const MbSim *sim, MbReport *report) {
  const MbStatus cause = mb_sim_trouble(sim, report);
  if (cause != MB_OK) return cause;
  return mb_error(report, MB_NUMBERS, "",
                  "at t = %.9g s, step %lld: a contact has numbers that are not finite", sim->state.t,
                  (long long)sim->state.step + 1);
}

// G x of all rows
static void find_rates(MbSim *sim, const double *x, double *out) {
  Made made;
  for (size_t i = 0; i < sim->touching->now.n; i++) {
    make_rows(sim, i, sim->touching->now.touch[i].point, 3, x, x, &made);
    memcpy(out + 3 * i, made.rate, sizeof made.rate);
  }
}

// The problem of all contacts of the step.
static MbStatus make_problem(MbSim *sim, const double *v, MbReport *report) {
  MbConstraining *c = sim->constraining;
  const MbIntegrator *in = sim->integrator;
  const size_t n = sim->touching->now.n;
  if (!reserve(sim, 3 * n)) return mb_no_memory(report, "contact");
  if (!place(sim, !sim->x.D || (in->a == 0 && in->b == 0))) return mb_sim_unsolved(sim, report);
  const MbAsking asking = mb_asking(sim, MB_ASK_VELOCITIES);
  for (size_t i = 0; i < n; i++) take_contact(sim, &asking, i, v);
  for (size_t i = 0; i < c->n; i++)
    if (!isfinite(c->b[i])) return tell_not_finite(sim, report);
  return MB_OK;
}

static void begin(MbSim *sim) {
  MbConstraining *c = sim->constraining;
  c->n = c->ntouches = 0;
  c->rebounds.any = false;
  sim->touching->pile->solved = false;
  mb_touch_begin_notes(sim);
}

// A pile, whose problem is never made but for who wants to see it.
static MbStatus solve_pile(MbSim *sim, double *v, bool *done, MbReport *report) {
  if (sim->touching->watch.see) {
    const MbStatus status = make_problem(sim, v, report);
    if (status != MB_OK) return status;
    const MbContactOperator W = operator_of(sim);
    mb_touch_show(sim, &W);
    begin(sim);
  }
  if (!mb_touch_pile_solve(sim, v, done)) return mb_no_memory(report, "contact");
  if (!*done) begin(sim);
  return MB_OK;
}

MbStatus mb_touch_apart_solve(MbSim *sim, double *v, MbReport *report) {
  MbStatus status = MB_OK;
  bool done = false;
  begin(sim);
  if (!sim->touching->now.n) return MB_OK;
  if (mb_touch_is_pile(sim)) status = solve_pile(sim, v, &done, report);
  if (status != MB_OK || done) return status;
  status = make_problem(sim, v, report);
  if (status != MB_OK) return status;
  const MbContactOperator W = operator_of(sim);
  status = mb_touch_find(sim, &W, sim->state.t, v, find_rates, true, report);
  if (status != MB_OK) return status;
  push(sim, v);
  note(sim);
  return MB_OK;
}

MbStatus mb_touch_apart_part(MbSim *sim, double t, bool moved, double *dq, MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (moved && sim->touching->pile->solved) {
    mb_touch_pile_part(sim, dq);
    return MB_OK;
  }
  const MbApart *apart = sim->touching->apart;
  const size_t n = sim->touching->now.n;
  const MbAsking asking = mb_asking(sim, MB_ASK_POSITIONS);
  c->n = c->ntouches = 0;
  c->rebounds.any = false;
  if (!n) return MB_OK;
  if (!reserve(sim, n)) return mb_no_memory(report, "contact");
  place(sim, true);
  for (size_t i = 0; i < n; i++) {
    const MbTouch *touch = &sim->touching->now.touch[i];
    const double gap = moved ? apart->moved[i].gap : touch->gap;
    Made made;
    make_rows(sim, i, moved ? apart->moved[i].point : touch->point, 1, dq, NULL, &made);
    // no more than a step may move
    const MbAskRow known = {
        .g = fmax(gap, -MB_TOUCH_MOST * touch->size), .scale = touch->size, .one_way = true};
    const MbAsked asked = mb_ask(&asking, &known);
    take(sim, &asked, MB_CONTACT_ONE_WAY, made.all[0], 0);
  }
  const MbContactOperator W = operator_of(sim);
  const MbStatus status = mb_touch_find_parting(sim, &W, t, report);
  if (status == MB_OK) push(sim, dq);
  return status;
}

// ---- where contacts have got to ---------------------------------------------------------------------------

// R₁ R₀ᵀ, and what takes the solid's origin from where it was to where it is.
static void find_turns(MbSim *sim) {
  MbTouching *t = sim->touching;
  for (size_t i = 0; i < t->rules->nsolids; i++) {
    const MbSolid *solid = &t->rules->solids[i];
    Turn *turn = &t->apart->turn[i];
    double was[9], is[9], back[9], x[3];
    MbPose E;
    mb_pose_mul(&E, &sim->x.E[solid->body], &solid->at);
    mb_quat_to_mat3(was, t->E[i].q);
    mb_quat_to_mat3(is, E.q);
    for (int r = 0; r < 3; r++)
      for (int k = 0; k < 3; k++) back[3 * r + k] = was[3 * k + r];
    mb_mat3_mul(turn->R, is, back);
    mb_mat3_apply(x, turn->R, t->E[i].p);
    mb_vec3_sub(turn->p, E.p, x);
  }
}

static void take_along(const Turn *turn, const double x[3], double out[3]) {
  mb_mat3_apply(out, turn->R, x);
  mb_vec3_add(out, out, turn->p);
}

bool mb_touch_apart_move(MbSim *sim, double *deepest) {
  MbTouching *t = sim->touching;
  MbApart *apart = t->apart;
  *deepest = t->pile->solved ? mb_touch_pile_move(sim) : 0;
  if (t->pile->solved) return true;
  if (!mb_grow(&apart->moved, &apart->moved_room, t->now.n, sizeof *apart->moved)) return false;
  if (t->now.n) find_turns(sim);
  for (size_t i = 0; i < t->now.n; i++) {
    const MbTouch *touch = &t->now.touch[i];
    const double *n = touch->normal;
    double x[3], y[3], d[3];
    mb_vec3_add_scaled(d, touch->point, -touch->gap / 2, n);
    take_along(&apart->turn[touch->a], d, x);
    mb_vec3_add_scaled(d, touch->point, touch->gap / 2, n);
    take_along(&apart->turn[touch->b], d, y);
    mb_vec3_sub(d, y, x);
    Moved *moved = &apart->moved[i];
    moved->gap = mb_vec3_dot(d, n);
    // what is hardly deep stays so, whatever is deep elsewhere
    if (moved->gap < 0 && moved->gap >= -MB_TOUCH_SLOP * touch->size) moved->gap = 0;
    mb_vec3_add_scaled(moved->point, x, 0.5, d);
    *deepest = fmax(*deepest, -moved->gap / touch->size);
  }
  return true;
}
