// Newton's method on a fully implicit stage. A pass is that of stage.c with A = M − γ h D − γ² h² K: what it leaves out (derivatives of M, of J,
// of the quadratic terms, of forces' levers) makes each pass leave a share of its error that is O(h). Where a pass gains less than ten,
// Anderson's averaging over the last passes [Anderson 1965; Walker and Ni 2011] makes up for it, as a secant method does: it takes the
// combination of them whose changes z cancel best, in the metric of M. A move that makes the change larger is taken back by halves.
// A is definite, so that passes find their way from afar, where the exact matrix may point anywhere, and a pass is O(n). Where they are slow and
// a pass moves little, small trees go on by the exact matrix (newton.c; with rows, newton_rows.c, it is dear, and only taken after many passes),
// which squares what is left; where it does not gain, passes take over again. The solution is there when z is 1e-12 of what moves, or moves coordinates by their own rounding; a stage that does not come to 1e-9 of
// what moves ends the run.
#include "core/sim/full_stage.h"
#include "core/base/report.h"
#include "core/sim/claims.h"
#include "core/sim/constrain_halves.h"
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"
#include "core/sim/newton.h"
#include "core/sim/stage.h"
#include "core/sim/trouble.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH = 5, MOST = 100, HALVINGS = 19 };
static const double SETTLED = 1e-12, ENOUGH = 1e-9;  // of what moves, in the metric of M
static const double ROUNDING = 1e-15, NOISE = 1e-13; // of the scene's size
static const double OPEN = 1e-6;                     // m, rad

// Scratch, columns of nv in sim->stage: the last iterates' and changes' differences, the directions of these, and single ones.
enum {
  STEPS,
  CHANGES = STEPS + DEPTH,
  AXES = CHANGES + DEPTH,
  IMAGES = AXES + DEPTH,
  CHANGE = IMAGES + DEPTH,
  LAST,
  LAST_CHANGE,
  WEIGHED,
  FELT,
  COLUMNS
};

size_t mb_full_stage_scratch(size_t nv) { return COLUMNS * nv; }

static double *column(const MbSim *sim, size_t k) { return sim->stage + k * sim->nv; }

// ---- one stage ----------------------------------------------------------------------------------------------------

static double dot(const MbSim *sim, const double *x, const double *y) {
  double sum = 0;
  for (size_t i = 0; i < sim->nv; i++) sum += x[i] * y[i];
  return sum;
}

// x · M x, M where the bodies are.
static double weigh(const MbSim *sim, const double *x) {
  double *Mx = column(sim, WEIGHED);
  sim->solver->momentum(sim->work, x, Mx);
  return fmax(dot(sim, x, Mx), 0);
}

// sim->q1 ← q₀ ⊕ h (u* + γ w)
static void move(MbSim *sim, const MbFullStage *stage, const double *w) {
  double *u = sim->s;
  for (size_t i = 0; i < sim->nv; i++) u[i] = stage->base[i] + stage->gamma * w[i];
  mb_sim_move(sim, sim->model->h, u);
}

MbStatus mb_full_stage_measure(MbSim *sim, double *w, MbReport *report) {
  size_t blame = 0;
  if (!sim->constraining && !mb_claims_any(sim)) return MB_OK;
  mb_sim_kinematics(sim, sim->q1, w);
  mb_sim_follow(sim, NULL, w);
  if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame))
    return mb_sim_singular(sim, blame, report);
  return MB_OK;
}

MbStatus mb_full_stage_agree(MbSim *sim, double t, const double *w, double *p, MbReport *report) {
  memcpy(p, w, sim->nv * sizeof *p);
  if (!sim->constraining && !mb_claims_any(sim)) return MB_OK;
  const MbStatus measured = mb_full_stage_measure(sim, p, report);
  if (measured != MB_OK) return measured;
  const MbStatus status = mb_constrain_agree(sim, t, w, true, p, report);
  mb_sim_follow(sim, NULL, p);
  return status;
}

// z ← what an iteration changes w by.
static MbStatus change_of(MbSim *sim, const MbFullStage *stage, const double *w, double *z,
                          MbReport *report) {
  const double span = stage->gamma * sim->model->h;
  double *felt = column(sim, FELT);
  const MbStage pass = {
      .from = stage->from,
      .felt = stage->agrees ? felt : NULL,
      .weight = span,
      .t = stage->t,
      .a = span,
      .b = span * span,
      .q = sim->q1,
      .rows = true,
      .half = {.here = true, .impulse = span, .span = span, .t = stage->t, .from = stage->from},
      .passes = 1,
      .factors = 1};
  move(sim, stage, w);
  memcpy(z, w, sim->nv * sizeof *z);
  MbStatus status = stage->agrees ? mb_full_stage_agree(sim, stage->t, w, felt, report) : MB_OK;
  if (status == MB_OK) status = mb_stage_solve(sim, &pass, NULL, z, report);
  for (size_t i = 0; i < sim->nv; i++) z[i] -= w[i];
  return status;
}

// ---- Newton's method ----------------------------------------------------------------------------------------------

// The passes of one stage.
typedef struct Search {
  size_t known;    // differences that the averaging has
  size_t newest;   // among DEPTH
  bool slow;       // passes gain little: their averages are taken
  bool exact;      // iterations have the exact matrix
  bool refused;    // it has not gained
  bool passed;     // the last iteration was a pass
  int halvings;    // of the last move
  double scale;    // of what moves
  double last;     // size of the last change that was taken; INFINITY before
  double smallest; // of all
  int idle;        // passes since that has fallen by a half
} Search;

// Notes how the iterate and its change differ from those of the pass before.
static void remember(MbSim *sim, Search *search, const double *w, const double *z) {
  const size_t n = sim->nv, k = (search->newest + 1) % DEPTH;
  double *step = column(sim, STEPS + k), *change = column(sim, CHANGES + k);
  const double *last = column(sim, LAST), *last_change = column(sim, LAST_CHANGE);
  for (size_t i = 0; i < n; i++) step[i] = w[i] - last[i], change[i] = z[i] - last_change[i];
  search->newest = k;
  if (search->known < DEPTH) search->known++;
}

static void take_off(double *x, double by, const double *y, size_t n) {
  for (size_t i = 0; i < n; i++) x[i] -= by * y[i];
}

// w ← the average whose change is least:  w + z − Σ c_k (Δw_k + Δz_k),  c the least squares solution of  Σ c_k Δz_k = z  in M's metric.
// By orthogonal axes of the Δz, newest first; what hardly differs from those before is left out.
static void average(MbSim *sim, const Search *search, double *w, const double *z) {
  static const double APART = 1e-6;
  const size_t n = sim->nv;
  double share[DEPTH][DEPTH], along[DEPTH], c[DEPTH];
  size_t which[DEPTH], axes = 0;
  for (size_t j = 0; j < search->known; j++) {
    const size_t k = (search->newest + DEPTH - j) % DEPTH;
    double *axis = column(sim, AXES + axes), *image = column(sim, IMAGES + axes);
    memcpy(axis, column(sim, CHANGES + k), n * sizeof *axis);
    const double whole = sqrt(weigh(sim, axis));
    for (size_t i = 0; i < axes; i++) {
      share[i][axes] = dot(sim, column(sim, IMAGES + i), axis);
      take_off(axis, share[i][axes], column(sim, AXES + i), n);
    }
    const double rest = sqrt(weigh(sim, axis));
    if (!(rest > APART * whole)) continue;
    for (size_t i = 0; i < n; i++) axis[i] /= rest;
    sim->solver->momentum(sim->work, axis, image);
    share[axes][axes] = rest;
    along[axes] = dot(sim, image, z);
    which[axes++] = k;
  }
  for (size_t j = axes; j-- > 0;) {
    c[j] = along[j];
    for (size_t i = j + 1; i < axes; i++) c[j] -= share[j][i] * c[i];
    c[j] /= share[j][j];
  }
  for (size_t i = 0; i < n; i++) w[i] += z[i];
  for (size_t j = 0; j < axes; j++) {
    take_off(w, c[j], column(sim, STEPS + which[j]), n);
    take_off(w, c[j], column(sim, CHANGES + which[j]), n);
  }
}

// Whether z moves nothing by more than so much of the scene's size.
static bool is_below(const MbSim *sim, const MbFullStage *stage, const double *z, double share) {
  double most = 0, size = 1;
  for (size_t i = 0; i < sim->nv; i++) most = fmax(most, fabs(z[i]));
  for (size_t b = 0; b < sim->model->nb; b++) size = fmax(size, mb_vec3_norm(sim->x.E[b].p));
  return stage->gamma * sim->model->h * most <= share * size;
}

static MbStatus unsettled(const MbSim *sim, double left, MbReport *report) {
  char where[64];
  const MbStatus cause = mb_sim_trouble(sim, report);
  if (cause != MB_OK) return cause;
  snprintf(where, sizeof where, "at t = %.9g s, step %lld", sim->state.t, (long long)sim->state.step + 1);
  double gap = 0;
  const char *open = mb_constrain_widest(sim, &gap);
  if (gap > OPEN)
    return mb_error(report, MB_NUMBERS, "",
                    "%s: constraint \"%s\" cannot be met at the step's end: a gap of %.2g is left; nothing "
                    "moves so, or the "
                    "step is too long",
                    where, open, gap);
  return mb_error(report, MB_NUMBERS, "",
                  "%s: the equations of \"%s\" at the step's end are not solved: %.2g of the velocities is "
                  "left where 1e-9 "
                  "is wanted: take a smaller step",
                  where, sim->integrator->name, left);
}

// Goes back half of the way that has made the change larger. False where that has been done too often.
static bool retract(MbSim *sim, Search *search, double *w) {
  const double *last = column(sim, LAST);
  for (size_t i = 0; i < sim->nv; i++) w[i] = last[i] + (w[i] - last[i]) / 2;
  search->known = 0;
  return ++search->halvings <= HALVINGS;
}

// Takes the last change, and ends the stage.
static MbStatus settle(MbSim *sim, const MbFullStage *stage, double *w, const double *z) {
  for (size_t i = 0; i < sim->nv; i++) w[i] += z[i];
  move(sim, stage, w);
  return MB_OK;
}

MbStatus mb_full_stage_solve(MbSim *sim, const MbFullStage *stage, double *w, MbReport *report) {
  enum { FEW = 4 };
  static const double WORSE = 2, QUICK = 0.1;
  enum { MANY = 12 };                // passes that a dear iteration costs as much as
  static const double NEAR = 1e-2;   // of what moves: the exact matrix is near enough
  static const double NEARER = 1e-4; // the same of dear ones; what is nearly rounding they do not help
  static const double EARLY = 100;   // rows that say the same as others come to count in the second pass
  const size_t n = sim->nv;
  double *z = column(sim, CHANGE), *last = column(sim, LAST), *last_change = column(sim, LAST_CHANGE);
  Search search = {.last = INFINITY, .smallest = INFINITY, .passed = true};
  double left = INFINITY;
  for (int pass = 0; pass < MOST; pass++) {
    const bool first = isinf(search.last);
    if (search.exact && !mb_newton_change(sim, stage, w, z)) search.exact = false, search.refused = true;
    const MbStatus status = search.exact ? MB_OK : change_of(sim, stage, w, z, first ? report : NULL);
    if (status != MB_OK && first) return status;
    const double size = status == MB_OK ? sqrt(weigh(sim, z)) : NAN;
    if (search.exact && !(size <= search.last / 2 || size <= SETTLED * search.scale)) {
      search.exact = false, search.refused = true, search.known = 0;
      memcpy(w, last, n * sizeof *w);
      for (size_t i = 0; i < n; i++) w[i] += last_change[i];
      continue;
    }
    if (!(size <= (pass < FEW ? EARLY : WORSE) * search.last)) {
      if (first) break;
      if (search.halvings < FEW || (left > ENOUGH && !is_below(sim, stage, last_change, NOISE))) {
        if (!retract(sim, &search, w)) break;
        continue;
      }
      memcpy(w, last, n * sizeof *w); // all that is left is rounding
      memcpy(z, last_change, n * sizeof *z);
      return settle(sim, stage, w, z);
    }
    const double scale = search.scale = sqrt(weigh(sim, w) + weigh(sim, stage->from)) + (first ? size : 0);
    left = size / fmax(scale, DBL_MIN);
    search.idle = size < search.smallest / 2 ? 0 : search.idle + 1;
    search.smallest = fmin(search.smallest, size);
    const bool still = search.idle > DEPTH;
    if (size <= SETTLED * scale || is_below(sim, stage, z, ROUNDING) ||
        (still && (left <= ENOUGH || is_below(sim, stage, z, NOISE))))
      return settle(sim, stage, w, z);
    search.slow |= size > QUICK * search.last;
    if (search.slow && !search.exact && search.passed) remember(sim, &search, w, z);
    search.passed = !search.exact;
    memcpy(last, w, n * sizeof *last);
    memcpy(last_change, z, n * sizeof *z);
    search.last = size, search.halvings = 0;
    if (search.exact) search.known = 0;
    average(sim, &search, w, z);
    search.exact |= sim->newton && search.slow && !search.refused &&
                    (mb_newton_dear(sim) ? pass >= MANY && left < NEARER && left > 10 * ENOUGH : left < NEAR);
  }
  return unsettled(sim, left, report);
}
