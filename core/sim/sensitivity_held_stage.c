// The way back through fully implicit stages under solver "maximal" (scheme_stages.c), whose state is every body's pose and velocities:
//
//   τ(q₁, f, a) = Jᵀ μ + Vᵀ F,   g(q₁) = 0,   a = (w − v*)/(γ h),   q₁ = q ⊕ h (u* + γ w)                        f = w, or p
//   M (p − w) = Jᵀ ν,            J p + ġ_t = 0                                                                  at q₁
//
// p being the velocities that agree with the rows where the stage ends, with which a step ends, and by which forces in the first stage of sdirk2 go (sensitivity_stage.c). J has the rows of joints and of constraints, F what acts
// along joints' coordinates, limits and ropes being rows of g where they have pressed in the stage, and of J p where they have pushed for p to agree; M is the same wherever bodies are. With p̄ what p is felt by, and with z and ζ what the equations are,
//
//   M z_p + Jᵀ ζ_p = −p̄,   J z_p = 0,      w̄ −= M z_p,   q̄₁ += ∂(ζ_p · J p − ν · J z_p)/∂q
//   Fᵀ(z, ζ) = −w̄,         J z = 0,        Fᵀ(z, ζ) = ∂S/∂f + ∂S/∂a /(γ h) + γ h Tᵀ ∂S/∂q₁,     S = z · τ + ζ · g/(γ h) − μ · J z − F · V z
//
// A row that prescribes an acceleration ẍ asks for  γ h (V a + V̇ f − ẍ) = 0  in the stage and for  V (p − w) = 0  of p: sums of V x (sensitivity_held_rotors.c), and w̄ −= Vᵀ ζ_p.
//
// Fᵀ is (A z + γ h Jᵀ ζ)/(γ h) but for what passes leave out, which is O(h) of it, with A and J that the solver has factored. So GMRES solves for y = Fᵀ(z, ζ), (z, ζ) being what the factor makes of y, which has J z = 0 in all of them,
// in about as many products as the run has taken passes. A product is a sum over bodies, joints and constraints.
#include "core/base/report.h"
#include "core/sim/evaluate.h"
#include "core/sim/gmres.h"
#include "core/sim/layout.h"
#include "core/sim/newton_krylov.h"
#include "core/sim/sensitivity_held.h"
#include "core/sim/sensitivity_opened.h"

#include <string.h>

// What a stage is at, and what its two equations are felt by.
struct MbHeldStages {
  MbSim *measure;     // with M factored where the stage ends
  MbHeldRows *agreed; // rows there that p agrees with; NULL: there are none
  MbGmres *gmres;
  MbJointSlopes *slopes;         // (nb)
  double *before, *behind;       // (nb x 6) joints' frames, of which nobody wants to know
  const MbStageNote *note;       // the stage; NULL: the run's start
  double span;                   // γ h
  double *p, *nu;                // (nv), (claimed rows)
  double *zp, *zetap, *rows_p;   // (nv), (claimed rows), (nslots) what the equations of p are felt by in all
  double *z, *zeta;              // (nv), (claimed rows) the same of the product at hand
  double *dq, *dv, *da, *scrap;  // (nv)
  double *felt, *moved, *change; // (nv)
  double *agreed_by;             // (nv) p − w
};

// ---- memory -----------------------------------------------------------------------------------------------------------

MbStatus mb_held_stages_make(MbSensitivity *g, MbReport *report) {
  const MbSim *sim = g->sim;
  const size_t nv = sim->nv, claimed = sim->nclaimed + 1;
  MbArena *arena = &g->arena;
  MbHeldStages *s = g->held->stages = mb_arena_alloc(arena, 1, sizeof *s);
  if (!s) return mb_no_memory(report, "derivatives");
  const MbStatus status = mb_held_beside(sim->model, &s->measure, report);
  if (status != MB_OK) return status;
  double **const of_velocities[] = {&s->p,     &s->zp,   &s->z,     &s->dq,     &s->dv,       &s->da,
                                    &s->scrap, &s->felt, &s->moved, &s->change, &s->agreed_by};
  double **const of_rows[] = {&s->nu, &s->zetap, &s->zeta};
  bool ok = true;
  for (size_t i = 0; i < sizeof of_velocities / sizeof *of_velocities; i++)
    ok &= (*of_velocities[i] = mb_arena_alloc(arena, nv, sizeof(double))) != NULL;
  for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++)
    ok &= (*of_rows[i] = mb_arena_alloc(arena, claimed, sizeof(double))) != NULL;
  s->before = mb_arena_alloc(arena, nv, sizeof(double)),
  s->behind = mb_arena_alloc(arena, nv, sizeof(double));
  s->rows_p = mb_arena_alloc(arena, sim->model->nslots + 1, sizeof(double));
  s->slopes = mb_arena_alloc(arena, sim->model->nb + 1, sizeof *s->slopes);
  s->gmres = mb_gmres_create(arena, nv);
  g->sim->notes = mb_stage_notes_create(arena, sim);
  ok = ok && s->before && s->behind && s->rows_p && s->slopes && s->gmres && g->sim->notes;
  ok = ok && mb_held_rows_create(g, s->measure, MB_HELD_AGREED, &s->agreed);
  if (ok && s->agreed) ok = mb_held_rows_keep(g, g->held->rows) && mb_held_rows_keep(g, s->agreed);
  return ok ? MB_OK : mb_no_memory(report, "derivatives");
}

void mb_held_stages_free(MbSensitivity *g) {
  if (g->held->stages) mb_sim_free(g->held->stages->measure);
}

// ---- what stands at a stage ---------------------------------------------------------------------------------------------

// λ ← what joints push where y = Jᵀ λ, which is lost. False: A has no inverse.
static bool find_push(MbHeldBack *held, MbSim *sim, double *y, double *lambda) {
  for (size_t i = 0; i < sim->nv; i++) y[i] = -y[i];
  memset(held->none, 0, held->nclaimed * sizeof *held->none);
  return sim->solver->apply(sim->work, y, held->none, lambda);
}

static void remember_closures(MbSim *sim, const double *guess) {
  const size_t n = sim->model->nguess;
  if (n) memcpy(mb_section(sim, MB_SECTION_CLOSURES), guess, n * sizeof *guess);
}

// Those of its rows that are not held with joints push by what makes p agree with them, too; of one way those that have pushed in the run, by `agreed`.
static bool agree_with_rows(MbSensitivity *g, const double *q, const double *w, double t,
                            const double *agreed, const double *guess) {
  MbHeldStages *s = g->held->stages;
  MbHeldRows *r = s->agreed;
  MbSim *sim = s->measure;
  const size_t nv = sim->nv;
  r->t = t, r->guess = guess;
  mb_rows_make(sim, q, w, t, 0);
  mb_held_rows_list(r, agreed);
  if (!mb_held_rows_respond(g, r)) return false;
  mb_ranked_factor(&r->S, r->ntied);
  for (size_t k = 0; k < r->n; k++) {
    if (r->row[k].tied == SIZE_MAX) continue;
    const double *G = r->G + nv * r->row[k].tied;
    const double kept = mb_held_row_accelerates(r, &r->row[k])
                            ? mb_slope_dot(G, w, nv)
                            : -sim->constraining->set.row[r->row[k].slot].gt;
    r->asked[r->row[k].tied] = kept - mb_slope_dot(G, s->p, nv);
  }
  mb_ranked_solve(&r->S, r->asked, r->asked);
  for (size_t k = 0; k < r->n; k++) {
    const size_t tied = r->row[k].tied;
    if (tied == SIZE_MAX) continue;
    r->row[k].mu = r->asked[tied];
    for (size_t i = 0; i < nv; i++) s->p[i] += r->asked[tied] * r->Y[nv * tied + i];
  }
  return true;
}

// What a list of rows pushes that are not held with joints is taken off y; those that are have their share of λ.
static void take_off(const MbHeldRows *r, double times, double *y) {
  for (size_t k = 0; r && k < r->n; k++)
    if (r->row[k].tied != SIZE_MAX)
      mb_row_spread(&r->sim->constraining->set, r->row[k].slot, -times * r->row[k].mu, y);
}
static void share(MbHeldRows *r, const double *lambda) {
  for (size_t k = 0; r && k < r->n; k++)
    if (r->row[k].tied == SIZE_MAX) r->row[k].mu = lambda[r->row[k].claimed];
}

// Takes p and ν to velocities w where bodies are at q at time t. False: M has no inverse.
static bool agree(MbSensitivity *g, const double *q, const double *w, double t, const double *agreed,
                  const double *guess) {
  MbHeldBack *held = g->held;
  MbHeldStages *s = held->stages;
  MbSim *sim = s->measure;
  const MbClaimOps *claims = sim->solver->claims;
  const size_t nv = sim->nv, n = held->nclaimed;
  size_t blame = 0;
  remember_closures(sim, guess);
  mb_sim_kinematics(sim, q, w);
  if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame)) return false;
  claims->speeds(sim->work, w, s->nu);
  for (size_t r = 0; r < n; r++) s->nu[r] = -s->nu[r] - claims->rows(sim->work).gt[r];
  memset(s->p, 0, nv * sizeof *s->p);
  if (!sim->solver->apply(sim->work, s->p, s->nu, s->zeta)) return false;
  for (size_t i = 0; i < nv; i++) s->p[i] += w[i];
  if (s->agreed && !agree_with_rows(g, q, w, t, agreed, guess)) return false;
  for (size_t i = 0; i < nv; i++) s->agreed_by[i] = s->p[i] - w[i];
  sim->solver->momentum(sim->work, s->agreed_by, s->scrap);
  take_off(s->agreed, 1, s->scrap);
  if (!find_push(held, sim, s->scrap, s->nu)) return false;
  share(s->agreed, s->nu);
  return true;
}

// Takes μ to what holds joints together in the stage, where the probe is with its forces. False: A has no inverse.
static bool find_pushes(MbSensitivity *g) {
  MbHeldBack *held = g->held;
  MbHeldStages *s = held->stages;
  MbSim *sim = g->probe;
  const MbStageNote *note = s->note;
  for (size_t i = 0; i < sim->nv; i++) s->change[i] = note->w[i] - note->from[i];
  sim->solver->momentum(sim->work, s->change, s->scrap);
  mb_sim_gather(sim, sim->q1, s->felt, s->dv);
  for (size_t i = 0; i < sim->nv; i++) s->scrap[i] -= s->span * s->dv[i];
  take_off(held->rows, s->span, s->scrap);
  if (!find_push(held, sim, s->scrap, held->lambda)) return false;
  for (size_t r = 0; r < held->nclaimed; r++) held->lambda[r] /= s->span;
  share(held->rows, held->lambda);
  return true;
}

static bool find_slopes(MbSensitivity *g, const double *q) {
  MbHeldBack *held = g->held;
  held->slopes = held->stages->slopes;
  return mb_held_find_slopes(held, g->probe, q, false, held->stages->slopes);
}

// Rows of constraints in the stage, where A is factored.
static bool stand_rows(MbSensitivity *g, const double *q, const MbTurn *turn) {
  MbHeldRows *r = g->held->rows;
  const MbHeldStages *s = g->held->stages;
  const MbHalf half = {
      .here = true, .impulse = s->span, .span = s->span, .t = s->note->t, .from = s->note->from};
  if (!r) return true;
  r->t = s->note->t, r->guess = turn->guess, r->scale = r->h = s->span;
  mb_rows_make_half(g->probe, &half, q, s->note->from, s->note->t);
  mb_held_rows_list(r, s->note->impulse);
  for (size_t k = 0; k < r->n; k++) r->row[k].mu /= s->span;
  if (!mb_held_rows_respond(g, r)) return false;
  mb_held_rows_factor(g, s->note->from, s->note->w, turn->struck);
  return true;
}

// Takes the bodies without joints to the stage, as the probe is.
static void take_tangent(MbSensitivity *g, const double *q) {
  const MbHeldStages *s = g->held->stages;
  MbSensitivity *f = &g->held->free;
  for (size_t i = 0; i < f->sim->nv; i++) f->a[i] = (s->note->w[i] - s->note->from[i]) / s->span;
  memcpy(f->q1, q, f->sim->nq * sizeof *f->q1);
  mb_sim_kinematics(f->probe, q, s->felt);
  mb_tangent_at(f->probe, f->tangent, s->felt, f->a, s->note->t, NULL);
}

// Takes all of it to a stage. False: A has no inverse, or a joint's coordinates are not found.
static bool stand(MbSensitivity *g, const MbTurn *turn, const MbStageNote *note) {
  MbHeldBack *held = g->held;
  MbHeldStages *s = held->stages;
  MbSim *sim = g->probe;
  double *q1 = sim->q1, *step = held->free.step;
  const double h = sim->model->h;
  s->note = note, s->span = note->gamma * h;
  for (size_t i = 0; i < sim->nv; i++) step[i] = h * (note->base[i] + note->gamma * note->w[i]);
  memcpy(q1, turn->q, sim->nq * sizeof *q1);
  mb_sim_advance(sim, q1, 1, step);
  if (!agree(g, q1, note->w, note->t, note->agreed, turn->guess)) return false;
  memcpy(s->felt, note->agrees ? s->p : note->w, sim->nv * sizeof *s->felt);
  remember_closures(sim, turn->guess);
  mb_sim_kinematics(sim, q1, s->felt);
  if (!mb_krylov_factor(sim, note->t, s->span)) return false;
  if (!stand_rows(g, q1, turn) || !find_pushes(g) || !find_slopes(g, q1) || !mb_held_rotors_turns(g, q1))
    return false;
  if (held->rows) mb_held_rows_find(held->rows), mb_held_rows_find(s->agreed);
  take_tangent(g, q1);
  return true;
}

// ---- what the equations are felt by ---------------------------------------------------------------------------------------

// From now on sums are those of the stage, of weights z; or those of p.
static void take_stage(MbSensitivity *g) {
  MbHeldBack *held = g->held;
  held->of =
      (MbHeldWeighed){.zeta = held->zeta, .mu = held->lambda, .gap = 1 / held->stages->span, .forces = true};
  mb_held_move(g, held->stages->note->w), mb_held_coordinates(g, held->stages->note->w);
  mb_held_rotors_stage(g, held->free.a, true);
}
static void take_agreed(MbSensitivity *g, const double *zeta) {
  MbHeldBack *held = g->held;
  held->of = (MbHeldWeighed){.zeta = zeta, .mu = held->stages->nu, .asked = 1, .moves = held->rotors != NULL};
  mb_held_move(g, held->stages->p), mb_held_coordinates(g, held->stages->p);
  mb_held_rotors_stage(g, held->stages->agreed_by, false);
}

// Sums z, ζ and those of rows up, of what p's equations are felt by.
static void add_agreed(MbHeldStages *s, size_t nv, size_t nclaimed) {
  for (size_t i = 0; i < nv; i++) s->zp[i] += s->z[i];
  for (size_t r = 0; r < nclaimed; r++) s->zetap[r] += s->zeta[r];
  for (size_t k = 0; s->agreed && k < s->agreed->ntied; k++) s->rows_p[k] += s->agreed->asked[k];
}

// p̄ in: w and q += what it is felt by; `sum`: its equations' weights are added up. False: the coordinates of a joint are not found.
static bool agree_back(MbSensitivity *g, const double *p, bool sum, double *w, double *q) {
  MbHeldBack *held = g->held;
  MbHeldStages *s = held->stages;
  MbSim *sim = s->measure;
  const size_t nv = sim->nv;
  memcpy(s->z, p, nv * sizeof *p);
  if (s->agreed) mb_held_rows_weigh(s->agreed, s->z);
  if (!mb_held_weights(held, sim, 1, s->z, s->zeta)) return false;
  sim->solver->momentum(sim->work, s->z, s->scrap);
  for (size_t i = 0; i < nv; i++) w[i] -= s->scrap[i];
  for (size_t k = 0; s->agreed && k < s->agreed->n; k++)
    if (mb_held_row_accelerates(s->agreed, &s->agreed->row[k]))
      mb_row_spread(&sim->constraining->set, s->agreed->row[k].slot,
                    -s->agreed->asked[s->agreed->row[k].tied], w);
  if (sum) add_agreed(s, nv, held->nclaimed);
  take_agreed(g, s->zeta);
  return mb_held_joints_back(g, s->agreed, g->probe->q1, s->z, q, s->scrap);
}

// What S is felt by, of z, held->zeta and what rows ask for: by q₁ to dq, by w beside that to w, by accelerations to da.
static bool stage_felt(MbSensitivity *g, const double *z, bool sum, double *dq, double *w, double *da) {
  MbHeldBack *held = g->held;
  MbHeldStages *s = held->stages;
  MbSensitivity *f = &held->free;
  const size_t nv = g->probe->nv;
  MbHeldRows *r = held->rows;
  mb_tangent_transposed(f->probe, f->tangent, z, dq, s->dv, da);
  take_stage(g);
  if (!mb_held_joints_back(g, r, g->probe->q1, z, dq, s->dv)) return false;
  mb_held_rotors_felt(g, da);
  memset(w, 0, nv * sizeof *w);
  if (!s->note->agrees) memcpy(w, s->dv, nv * sizeof *w);
  for (size_t k = 0; r && k < r->n; k++)
    mb_row_spread(&g->probe->constraining->set, r->row[k].slot, r->row[k].zeta * r->row[k].rate, w);
  return !s->note->agrees || agree_back(g, s->dv, sum, w, dq);
}

// (z, held->zeta) ← what the factor makes of y, which z is.
static bool by_factor(MbSensitivity *g, double *z) {
  MbHeldBack *held = g->held;
  for (size_t i = 0; i < g->probe->nv; i++) z[i] = -z[i];
  if (held->rows) mb_held_rows_weigh(held->rows, z);
  return mb_held_weights(held, g->probe, held->stages->span, z, held->zeta);
}

// out ← Fᵀ of what the factor makes of y
static bool product(void *to, const double *y, double *out) {
  MbSensitivity *g = to;
  MbHeldStages *s = g->held->stages;
  MbSensitivity *f = &g->held->free;
  const size_t nv = g->probe->nv;
  memcpy(s->moved, y, nv * sizeof *y);
  if (!by_factor(g, s->moved) || !stage_felt(g, s->moved, false, s->dq, out, s->da)) return false;
  mb_tangent_moved_transposed(f->sim, f->step, s->dq, s->change, s->dv);
  for (size_t i = 0; i < nv; i++) out[i] += s->da[i] / s->span + s->span * s->dv[i];
  return true;
}

static bool left_of(void *to, const double *b, const double *y, double *out) {
  const MbSensitivity *g = to;
  if (y && !product(to, y, out)) return false;
  for (size_t i = 0; i < g->probe->nv; i++) out[i] = b[i] - (y ? out[i] : 0);
  return true;
}

// z and held->zeta of w̄, which z is.
static bool solve(MbSensitivity *g, double *z) {
  static const double TIGHT = 1e-13;
  const MbGmresOf of = {g, product, left_of};
  for (size_t i = 0; i < g->probe->nv; i++) z[i] = -z[i];
  if (mb_gmres_solve(g->held->stages->gmres, &of, TIGHT, z)) return by_factor(g, z);
  g->parted = "products do not solve a stage's equations backwards";
  return false;
}

// ---- numbers ----------------------------------------------------------------------------------------------------------------

// What a number changes of  z_p · M (p − w)  by masses, in the axes that each side has.
static double of_masses(const MbSensitivity *g, size_t k) {
  const MbHeldStages *s = g->held->stages;
  const MbSlope *slope = &g->slopes[k];
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    const MbModel *model = mb_slope_side(slope, side)->model;
    const double *x = mb_axes_v(slope->axes, side, MB_AXES_FROM, s->agreed_by),
                 *z = mb_axes_v(slope->axes, side, MB_AXES_TO, s->zp);
    for (size_t i = 0; i < 6 * model->nb; i++) sum += (side ? 1 : -1) * model->M[i] * x[i] * z[i];
  }
  return sum;
}

// Numbers at the equations of p, of which weights have been added up.
static bool numbers_agreed(MbBackward *b, double t) {
  MbSensitivity *g = b->g;
  MbHeldBack *held = g->held;
  MbHeldStages *s = held->stages;
  const double *q = g->probe->q1;
  if (s->agreed) memcpy(s->agreed->asked, s->rows_p, s->agreed->ntied * sizeof *s->rows_p);
  take_agreed(g, s->zetap);
  if (!mb_held_joints_back(g, s->agreed, q, s->zp, s->dq, s->dv)) return false;
  mb_held_numbers_gather(g, s->agreed);
  for (size_t k = 0; k < g->count; k++) {
    double sums = 0;
    if (!mb_held_number_sums(g, s->agreed, k, t, q, &sums)) return false;
    if (!mb_held_rotors_number(g, k, q, &sums)) return false;
    b->out[k] += (sums + of_masses(g, k)) / (2 * g->number[k].move);
  }
  return true;
}

static bool numbers_at_stage(MbBackward *b) {
  MbSensitivity *g = b->g, *f = &g->held->free;
  MbHeldBack *held = g->held;
  const MbHeldStages *s = held->stages;
  const double *q = g->probe->q1;
  mb_tangent_gather(b->gather, f->probe, f->tangent, s->felt, f->a, s->note->t, b->z);
  take_stage(g);
  if (!mb_held_joints_back(g, held->rows, q, b->z, s->dq, s->dv)) return false;
  mb_held_numbers_gather(g, held->rows);
  for (size_t i = 0; i < b->nrest; i++) {
    const size_t k = b->rest[i];
    double sums = 0;
    if (!mb_held_number_sums(g, held->rows, k, s->note->t, q, &sums)) return false;
    if (!mb_held_rotors_number(g, k, q, &sums)) return false;
    b->out[k] += sums / (2 * g->number[k].move) + mb_held_number_bodies(g, k, s->note, s->felt, b->z);
  }
  return true;
}

// Exchanges where joints' frames are added up: of products nobody wants to know.
static void exchange_frames(MbHeldBack *held) {
  double *before = held->before, *behind = held->behind;
  held->before = held->stages->before, held->behind = held->stages->behind;
  held->stages->before = before, held->stages->behind = behind;
}

// ---- a stage ------------------------------------------------------------------------------------------------------------------

static void begin_agreed(const MbSensitivity *g) {
  MbHeldStages *s = g->held->stages;
  memset(s->zp, 0, g->probe->nv * sizeof *s->zp);
  memset(s->zetap, 0, g->held->nclaimed * sizeof *s->zetap);
  memset(s->rows_p, 0, g->probe->model->nslots * sizeof *s->rows_p);
}

// Of p̄ in b->w, q̄₁ in b->q1 and ū: z, and what the stage is felt by.
static bool back(MbBackward *b) {
  MbSensitivity *g = b->g, *f = &g->held->free;
  const MbHeldStages *s = g->held->stages;
  const MbStageNote *note = s->note;
  const size_t nv = g->probe->nv;
  const double h = g->probe->model->h;
  memcpy(b->dv, b->w, nv * sizeof *b->dv);
  memset(b->w, 0, nv * sizeof *b->w);
  if (!agree_back(g, b->dv, true, b->w, b->q1)) return false;
  mb_tangent_moved_transposed(f->sim, f->step, b->q1, b->move, b->dv);
  for (size_t i = 0; i < nv; i++) {
    b->next_q[i] += b->move[i], b->base[i] += h * b->dv[i];
    b->z[i] = b->w[i] + note->gamma * b->base[i];
  }
  if (!solve(g, b->z) || !stage_felt(g, b->z, true, b->dq, b->w, b->da)) return false;
  mb_tangent_moved_transposed(f->sim, f->step, b->dq, b->move, b->dv);
  for (size_t i = 0; i < nv; i++) {
    b->next_q[i] += b->move[i], b->base[i] += h * b->dv[i];
    b->da[i] /= s->span;
  }
  return true;
}

// Notes numbers that open rows which nothing can close, in steps in which that is looked for; what the stage was felt by is lost.
static void look(MbSensitivity *g, int64_t step) {
  if (!g->held->rows || !mb_slope_looks(g, step)) return;
  take_stage(g);
  mb_held_opens(g, g->probe->q1);
}

bool mb_held_stage_back(MbBackward *b, const MbTurn *turn, size_t at) {
  MbSensitivity *g = b->g;
  MbHeldBack *held = g->held;
  const MbStageNote *note = &turn->note[at];
  g->parted = NULL;
  if (!stand(g, turn, note)) return false;
  begin_agreed(g);
  exchange_frames(held);
  const bool solved = back(b);
  exchange_frames(held);
  const bool done = solved && numbers_at_stage(b) && numbers_agreed(b, note->t);
  if (done) look(g, turn->step);
  held->slopes = NULL;
  return done;
}

bool mb_held_start_back(MbBackward *b, const double *q, const double *v, const double *guess) {
  MbSensitivity *g = b->g;
  MbHeldBack *held = g->held;
  MbHeldStages *s = held->stages;
  MbSim *sim = g->probe;
  if (!s->agreed) return true;
  memcpy(sim->q1, q, sim->nq * sizeof *q);
  begin_agreed(g); // no row of one way has pushed there
  if (!agree(g, q, v, 0, s->rows_p, guess)) return false;
  remember_closures(sim, guess);
  mb_sim_kinematics(sim, q, s->p);
  size_t blame = 0; // rates of coordinates that have inertia are those of the solver
  if (held->rotors && !sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame)) return false;
  if (!find_slopes(g, q)) return false;
  mb_held_rows_find(s->agreed);
  begin_agreed(g);
  memcpy(b->z, b->v, sim->nv * sizeof *b->z);
  memset(b->v, 0, sim->nv * sizeof *b->v);
  exchange_frames(held);
  const bool solved = agree_back(g, b->z, true, b->v, b->q);
  exchange_frames(held);
  const bool done = solved && numbers_agreed(b, 0);
  held->slopes = NULL;
  return done;
}
