// The proximal Newton method for bodies that nothing but contacts couples, W = F Fᵀ. With y = Fᵀ λ, six numbers a body, and λ̄ where λ
// was, a proximal step asks for
//
//   λ = P(λ̄ − (F y + b)/α),   y = Fᵀ λ,
//
// P block by block the law's own: of a normal max(x_n, 0), of its tangents the nearest point of the section at that λ_n (Alart and Curnier's
// form, with 1/α for their r), so that where λ = λ̄ nothing is left of the contact but its law: α is no compliance of the solution. The
// step is found by Newton's method for y alone,
//
//   g(y) = y − Fᵀ P(…),   dg = 1 + Fᵀ K F,   K = dP/α,
//
// a block a pair of bodies that touch (body_factor.h). dg is as well conditioned as α is large, however many contacts there are: those
// of which W is singular are no trouble. A step is shortened until |g| falls.
//
// The solution is farther from λ̄ than a step can go where W is small along something: with α as it is, a proximal step takes what is left there
// down by α/(α + W) only. So α falls from step to step, the quicker the fewer turns Newton's method has taken, whose active sets
// are near from one α to the next; where it takes too many, α grows again. It begins the smaller the nearer λ is.
#include "core/base/targets.h"
#include "core/contact/polygon.h"
#include "core/contact/proximal.h"

#include <math.h>
#include <string.h>

enum { TURNS = 15 };                                                       // the most of a step
static const double FIRST = 0.1, NEAREST = 1e-3, LEAST = 1e-10, MOST = 10, // α of each block's scale
    FIRST_BY = 3e-5, // for each time that the natural map is as much as is enough
    FALL = 0.3, DROP = 0.01, GROW = 3;

void mb_proximal_make(MbProximal *t, MbRoom *room, const MbStrips *strips, MbBodyFactor *factor) {
  t->strips = *strips;
  const MbStrips *s = &t->strips;
  mb_body_sums_make(&t->sums, room, s, factor);
  const size_t width = t->sums.width;
  double **const rows[] = {&t->lambda, &t->w, &t->best, &t->kept, &t->tried};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = mb_room_take(room, s->n, sizeof(double));
  double **const bodies[] = {&t->y, &t->trial, &t->g, &t->dy};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
    *bodies[i] = mb_room_take(room, width + 6, sizeof(double));
  t->K = mb_room_take(room, s->nblocks, sizeof *t->K);
}

static double size_of(const double *x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

// ---- P ----------------------------------------------------------------------------------------------------

// x ← P(x) of a contact; J (3 x 3, zero before) ← its derivative, if wanted.
static void project_contact(const MbBlock *block, double x[3], double *J) {
  const double bound = block->mu * x[0], size = sqrt(x[1] * x[1] + x[2] * x[2]);
  if (!(x[0] > 0)) {
    x[0] = x[1] = x[2] = 0;
    return;
  }
  if (J) J[0] = 1;
  if (block->cone == MB_CONE_NONE || !(block->mu > 0)) {
    x[1] = x[2] = 0;
  } else if (block->cone == MB_CONE_BOX) {
    for (int i = 1; i < 3; i++) {
      const bool inside = fabs(x[i]) <= bound;
      if (J) J[4 * i] = inside, J[3 * i] = inside ? 0 : copysign(block->mu, x[i]);
      if (!inside) x[i] = copysign(bound, x[i]);
    }
  } else if (block->cone == MB_CONE_PYRAMID) {
    double by[6];
    mb_polygon_project(block->sides, bound, x + 1, J ? by : NULL);
    for (int i = 0; i < 2 && J; i++)
      J[3 * (1 + i)] = block->mu * by[3 * i], J[3 * (1 + i) + 1] = by[3 * i + 1],
                 J[3 * (1 + i) + 2] = by[3 * i + 2];
  } else if (size <= bound) {
    if (J) J[4] = J[8] = 1;
  } else {
    const double c[2] = {x[1] / size, x[2] / size}, k = bound / size;
    for (int i = 0; i < 2; i++) {
      x[1 + i] = bound * c[i];
      for (int l = 0; l < 2 && J; l++) J[3 * (1 + i) + 1 + l] = k * ((i == l) - c[i] * c[l]);
      if (J) J[3 * (1 + i)] = block->mu * c[i];
    }
  }
}

static void project_row(const MbBlock *block, double x[3], double *J) {
  const double asked = x[0];
  if (block->kind == MB_CONTACT_ONE_WAY) x[0] = fmax(asked, 0);
  if (block->kind == MB_CONTACT_BOUNDED) x[0] = fmin(fmax(asked, -block->most), block->most);
  if (J) J[0] = x[0] == asked;
}

// λ ← P(λ̄ − (F y + soft λ̄ + b)/α) of every block: softness counts for α, and so λ̄'s is that of λ in the end. With `change` K too.
MB_CLONES static void push(MbProximal *t, const double *y, double *lambda, bool change) {
  const MbStrips *s = &t->strips;
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    const size_t i = block->row, rows = block->rows;
    double x[3], u[3], J[9] = {0}, alpha[3];
    if (block->left_out) {
      memset(lambda + i, 0, rows * sizeof *lambda);
      if (change) memset(t->K[j], 0, sizeof t->K[j]);
      continue;
    }
    alpha[0] = t->alpha * block->scale + s->soft[i];
    // a section is round in both tangents' measure
    if (rows == 3) alpha[1] = alpha[2] = t->alpha * block->scale + fmax(s->soft[i + 1], s->soft[i + 2]);
    mb_body_sums_spread(&t->sums, s, j, y, u);
    for (size_t r = 0; r < rows; r++)
      x[r] = t->kept[i + r] - (u[r] + s->soft[i + r] * t->kept[i + r] + s->b[i + r]) / alpha[r];
    (rows == 3 ? project_contact : project_row)(block, x, change ? J : NULL);
    memcpy(lambda + i, x, rows * sizeof *x);
    for (size_t r = 0; r < rows && change; r++)
      for (size_t c = 0; c < rows; c++) t->K[j][rows * r + c] = J[rows * r + c] / alpha[c];
  }
}

// ---- steps ------------------------------------------------------------------------------------------------

// |y − Fᵀ λ(y)|; `g` ← that
static double residual(MbProximal *t, const double *y, double *lambda, bool change) {
  push(t, y, lambda, change);
  mb_body_sums_gather(&t->sums, &t->strips, lambda, t->g);
  for (size_t i = 0; i < t->sums.width; i++) t->g[i] = y[i] - t->g[i];
  return size_of(t->g, t->sums.width);
}

// One step of Newton's method, shortened until |g| falls. False where there is none.
static bool step(MbProximal *t, double size) {
  static const double LITTLE = 1e-3, ENOUGH = 1e-4;
  const MbStrips *s = &t->strips;
  mb_body_factor_begin(t->sums.factor, t->sums.group);
  for (size_t j = 0; j < s->nblocks; j++)
    if (t->K[j][0] != 0)
      mb_body_factor_add(t->sums.factor, t->sums.group, t->sums.place[j], s->block[j].rows,
                         s->F + 12 * (size_t)s->block[j].row, t->K[j]);
  if (!mb_body_factor_make(t->sums.factor, t->sums.group)) return false;
  memcpy(t->dy, t->g, t->sums.width * sizeof *t->dy);
  mb_body_factor_solve(t->sums.factor, t->sums.group, t->dy);
  for (double part = 1; part > LITTLE; part *= 0.5) {
    for (size_t i = 0; i < t->sums.width; i++) t->trial[i] = t->y[i] - part * t->dy[i];
    if (!(residual(t, t->trial, t->tried, false) <= (1 - ENOUGH * part) * size)) continue;
    memcpy(t->y, t->trial, t->sums.width * sizeof *t->y);
    return true;
  }
  return false;
}

// The natural map of λ.
static double natural_of(MbProximal *t, const double *lambda) {
  const MbStrips *s = &t->strips;
  mb_body_sums_gather(&t->sums, &t->strips, lambda, t->trial);
  for (size_t j = 0; j < s->nblocks; j++) {
    const size_t i = s->block[j].row;
    double u[3];
    mb_body_sums_spread(&t->sums, s, j, t->trial, u);
    for (size_t r = 0; r < s->block[j].rows; r++)
      t->w[i + r] = s->b[i + r] + s->soft[i + r] * lambda[i + r] + u[r];
  }
  return mb_strips_natural(s, lambda, t->w);
}

// By how much velocities still depend on α.
static double drawn(const MbProximal *t) {
  const MbStrips *s = &t->strips;
  double sum = 0;
  for (size_t j = 0; j < s->nblocks; j++)
    for (size_t r = 0; r < s->block[j].rows; r++) {
      const size_t i = s->block[j].row + r;
      const double x = t->alpha * s->block[j].scale * (t->lambda[i] - t->kept[i]);
      sum += x * x;
    }
  return sqrt(sum);
}

// Keeps λ if it is the best so far.
static void judge(MbProximal *t) {
  const double natural = natural_of(t, t->lambda);
  if (!(natural < t->natural)) return;
  t->natural = natural;
  memcpy(t->best, t->lambda, t->strips.n * sizeof *t->best);
}

// Whether to stop. What is only just good enough is bettered as long as that takes a few turns: errors that all steps of a run have in common
// would add up.
static bool done_with(MbProximal *t, size_t done, size_t most) {
  enum { MORE = 6 };
  const MbStrips *s = &t->strips;
  if (done >= most) return true;
  if (t->natural > s->enough) {
    t->until = done + MORE;
    return false;
  }
  return t->natural <= MB_SETTLED * s->enough || done >= t->until;
}

// By how much α falls behind a step of so many turns. What is good enough and has taken next to none has found which contacts hold.
static double fall_of(const MbProximal *t, int turn) {
  if (t->natural <= t->strips.enough && turn <= 1) return DROP;
  return turn <= TURNS / 3 ? FALL : turn <= 2 * TURNS / 3 ? sqrt(FALL) : 1;
}

// A proximal step from λ̄ to `lambda`. False: Newton's method does not come to it.
static bool advance(MbProximal *t, size_t most, size_t *done) {
  static const double NEAR = 0.1; // of what α leaves
  for (int turn = 0;; turn++) {
    const double size = residual(t, t->y, t->lambda, true);
    judge(t);
    if (!isfinite(size)) return false;
    if (done_with(t, *done, most)) return true;
    if (size <= NEAR * drawn(t)) {
      t->alpha = fmax(t->alpha * fall_of(t, turn), LEAST);
      *done += turn == 0;
      return true;
    }
    if (turn == TURNS || !step(t, size)) return false;
    ++*done;
  }
}

// Whether steps bring nothing any more: what gives way against itself, as a body that is wedged, takes λ that grow as 1/α and leaves velocities as they are.
static bool is_idle(const MbProximal *t, double *was, size_t *idle) {
  enum { IDLE = 16 }; // steps
  static const double LITTLE = 0.9;
  if (t->natural < LITTLE * *was)
    *was = t->natural, *idle = 0;
  else
    ++*idle;
  return *idle > IDLE && t->natural > t->strips.enough;
}

bool mb_proximal_run(MbProximal *t, size_t most, size_t *done) {
  const MbStrips *s = &t->strips;
  *done = 0;
  t->natural = INFINITY;
  t->until = 0;
  judge(t);
  t->alpha = fmin(FIRST, fmax(NEAREST, FIRST_BY * t->natural / s->enough));
  double was = t->natural;
  size_t idle = 0;
  const bool settled = t->natural <= (s->betters ? MB_SETTLED : 1) * s->enough;
  memcpy(t->kept, t->lambda, s->n * sizeof *t->kept);
  mb_body_sums_gather(&t->sums, &t->strips, t->kept, t->y);
  for (t->until = 1; !settled && !done_with(t, *done, most) && !is_idle(t, &was, &idle);) {
    if (advance(t, most, done)) {
      memcpy(t->kept, t->lambda, s->n * sizeof *t->kept);
    } else {
      ++*done;
      t->alpha = fmin(GROW * t->alpha, MOST);
    }
    mb_body_sums_gather(&t->sums, &t->strips, t->kept, t->y);
  }
  memcpy(t->lambda, t->best, s->n * sizeof *t->lambda);
  return natural_of(t, t->lambda) <= s->enough;
}
