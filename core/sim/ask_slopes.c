// What contacts on what turns ask for (touch_carried.c), and joints that keep to a move (kept_moves.c), follows from the velocities y = v + A⁻¹ Gᵀ λ that the
// solution comes to: b = b(y). To be solved is the law of contacts for
//
//   w(λ) = W λ + b(y(λ))
//
// Passes, each with the b that the last one has led to, end where b goes by far less with λ than W does. But a rigid board on two rollers lies on four points
// of which three bear it, and friction follows the loads: as b changes by next to nothing another three bear it, and b changes back. The solution is
// one in which all four bear, by loads by which all four close, which the law itself leaves open: b(y) alone tells them. So Newton's method is for all of w:
//
//   w(λ) ≈ (W − K) λ + (b + K λ₀),    K = −∂b/∂λ at λ₀,
//
// again about where that has led. K is of the size of ω h W. It is found by differences: a column is where a unit of one row's impulse has bodies get to, to either
// side. W − K is not symmetric; along what W leaves open it is what K is.
#include "core/sim/ask_slopes.h"
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"

#include <math.h>
#include <string.h>

enum {
  MOST = 120, // rows: each takes an application of A⁻¹ and two looks at where bodies get to
  ROWS = 4,   // lists of rows
  WIDTHS = 3  // of velocities
};

bool mb_ask_slopes_takes(size_t n) { return n > 0 && n <= MOST; }

void mb_ask_slopes_free(MbAskSlopes *s) {
  mb_free(s->W);
  mb_free(s->K);
  mb_free(s->b);
  mb_free(s->come);
}

size_t mb_ask_slopes_bytes(const MbAskSlopes *s) {
  return (s->W_room + s->K_room + s->room + s->width_room) * sizeof(double);
}

// How many numbers the velocities are that rows are about.
static size_t width_of(const MbSim *sim) {
  const MbConstraining *c = sim->constraining;
  return c->of == MB_ROWS_OF_BODIES ? sim->nv : mb_row_width(sim, &c->set);
}

// Makes room for so many rows. False: out of memory.
static bool reserve(MbAskSlopes *s, size_t n, size_t width) {
  if (!mb_grow(&s->W, &s->W_room, n * n, sizeof(double)) ||
      !mb_grow(&s->K, &s->K_room, n * n, sizeof(double)) ||
      !mb_grow(&s->b, &s->room, ROWS * n, sizeof(double)) ||
      !mb_grow(&s->come, &s->width_room, WIDTHS * width, sizeof(double)))
    return false;
  s->n = n;
  s->lambda = s->b + n, s->first = s->lambda + n, s->before = s->first + n;
  s->column = s->come + width, s->v = s->column + width;
  return true;
}

bool mb_ask_slopes_begin(MbSim *sim, const double *before) {
  MbConstraining *c = sim->constraining;
  MbAskSlopes *s = &c->slopes;
  if (!reserve(s, c->n, sim->width)) return false;
  memcpy(s->first, c->answer.lambda, s->n * sizeof *s->first);
  memcpy(s->before, before, s->n * sizeof *s->before);
  return true;
}

// The largest of so many, without its sign.
static double largest(const double *v, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
  return most;
}

// Has rows ask for what they do at come + part * column.
static void look(MbSim *sim, size_t width, double part, MbAskAnew *anew) {
  MbAskSlopes *s = &sim->constraining->slopes;
  double change;
  for (size_t i = 0; i < width; i++) s->v[i] = s->come[i] + part * s->column[i];
  anew(sim, s->v, &change);
}

// K ← its column of row j. False: A⁻¹ could not be applied.
static bool find_column(MbSim *sim, size_t j, MbAskAnew *anew) {
  static const double MOVE = 1e-5; // m, rad: to either side
  MbConstraining *c = sim->constraining;
  MbAskSlopes *s = &c->slopes;
  const size_t width = width_of(sim);
  double *K = s->K + j * s->n;
  memset(K, 0, s->n * sizeof *K);
  memset(s->column, 0, sim->width * sizeof *s->column);
  mb_row_spread(&c->set, c->slot[j], 1, s->column);
  if (!sim->solver->apply(sim->work, s->column, NULL, NULL)) return false;
  const double most = largest(s->column, width);
  if (!(most > 0)) return true;
  const double part = MOVE / (sim->model->h * most);
  look(sim, width, -part, anew);
  memcpy(K, c->b, s->n * sizeof *K);
  look(sim, width, part, anew);
  for (size_t i = 0; i < s->n; i++) K[i] = (K[i] - c->b[i]) / (2 * part);
  return true;
}

bool mb_ask_slopes_find(MbSim *sim, const MbContactOperator *W, MbAskAnew *anew) {
  MbConstraining *c = sim->constraining;
  MbAskSlopes *s = &c->slopes;
  const size_t n = s->n;
  double change;
  memcpy(s->lambda, c->answer.lambda, n * sizeof *s->lambda);
  memcpy(s->come, c->come, width_of(sim) * sizeof *s->come);
  memcpy(s->b, c->b, n * sizeof *s->b);
  for (size_t j = 0; j < n; j++)
    if (!find_column(sim, j, anew)) return false;
  anew(sim, s->come, &change);
  memcpy(c->b, s->b, n * sizeof *s->b);
  for (size_t j = 0; j < n; j++) mb_contact_column(W, n, j, s->W + j * n); // W is symmetric
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      s->W[i * n + j] -= s->K[j * n + i];
      c->b[i] += s->K[j * n + i] * s->lambda[j];
    }
  return true;
}

void mb_ask_slopes_end(MbSim *sim) {
  MbConstraining *c = sim->constraining;
  const MbAskSlopes *s = &c->slopes;
  memcpy(c->b, s->b, s->n * sizeof *c->b);
  memcpy(c->aimed, s->b, s->n * sizeof *c->aimed);
  for (size_t j = 0; j < s->n; j++)
    for (size_t i = 0; i < s->n; i++)
      c->aimed[i] -= s->K[j * s->n + i] * (c->answer.lambda[j] - s->lambda[j]);
}

MbContactOperator mb_ask_slopes_operator(const MbSim *sim) {
  return (MbContactOperator){.dense = sim->constraining->slopes.W};
}
