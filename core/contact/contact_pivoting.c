// Pivoting as a row of the table of methods: principal pivoting (pivoting.h) of rows both ways and one way, whose columns of W are
// made on demand; Lemke's method (lemke.h) where there are bounds.
#include "core/contact/contact_pivoting.h"
#include "core/contact/contact_dense.h"
#include "core/contact/lemke.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ROUNDING = 1e-6; // of |b|: pivots may be 1e-10 of what they are left of

typedef struct Columns {
  const MbContactProblem *problem;
} Columns;

static void column(void *context, size_t i, double *out) {
  const MbContactProblem *problem = ((const Columns *)context)->problem;
  mb_contact_column(&problem->W, problem->n, i, out);
  if (problem->soft) out[i] += problem->soft[i];
}

typedef struct Room {
  bool *unilateral;
  double *zeros; // slack and least where the problem has none
} Room;

static Room layout(MbRoom *room, const MbContactProblem *problem) {
  return (Room){.unilateral = mb_room_take(room, problem->n, sizeof(bool)),
                .zeros = mb_room_take(room, problem->n, sizeof(double))};
}

bool mb_contact_has_bounds(const MbContactProblem *problem) {
  for (size_t i = 0; i < problem->n; i++)
    if (problem->kind[i] != MB_CONTACT_BOTH_WAYS && problem->kind[i] != MB_CONTACT_ONE_WAY) return true;
  return false;
}

const char *mb_contact_pivoting_refuses(const MbContactProblem *problem) {
  if (!mb_contact_has_bounds(problem) || mb_lemke_unknowns(problem) <= MB_LEMKE_MOST) return NULL;
  return "its bounds come to more than 1200 unknowns (a contact has one, one more for each side of its cone, "
         "and one or two for its "
         "bounds), of which pivots take minutes";
}

size_t mb_contact_pivoting_room(const MbContactProblem *problem) {
  MbRoom room = {0};
  if (mb_contact_has_bounds(problem)) return mb_lemke_room(problem);
  layout(&room, problem);
  return room.used;
}

bool mb_contact_pivoting_reserve(MbContactWork *work, const MbContactProblem *problem) {
  size_t tight = 1;
  if (mb_contact_has_bounds(problem)) {
    mb_dense_start(mb_lemke_unknowns(problem));
    return true;
  }
  for (size_t i = 0; i < problem->n; i++) tight += problem->kind[i] == MB_CONTACT_BOTH_WAYS;
  return mb_pivoting_reserve(&work->pivoting, problem->n, tight);
}

// What is left of each row: that of a row with λ > 0 is w. Rows that were dropped do not count, since no λ could do better; nor does what
// a row lacks within its slack, since that is rounding and no pivot is made for it.
static double natural_map(const MbContactProblem *problem, const MbPivoting *p) {
  double sum = 0, size = 0;
  for (size_t i = 0; i < problem->n; i++) {
    const bool pushes = problem->kind[i] == MB_CONTACT_BOTH_WAYS || p->lambda[i] > 0;
    const double slack = problem->slack ? problem->slack[i] : 0;
    const double left = pushes ? p->w[i] : fmin(p->w[i] + slack, 0);
    if (!p->dropped[i]) sum += left * left;
    size += problem->b[i] * problem->b[i];
  }
  return size > 0 ? sqrt(sum / size) : sqrt(sum);
}

MbContactResult mb_contact_pivot(MbContactWork *work, const MbContactProblem *problem,
                                 MbContactAnswer *answer) {
  MbRoom room = {.at = work->block};
  const Room r = layout(&room, problem);
  Columns columns = {problem};
  for (size_t i = 0; i < problem->n; i++) r.unilateral[i] = problem->kind[i] == MB_CONTACT_ONE_WAY;
  if (problem->n && !(problem->slack && problem->least)) memset(r.zeros, 0, problem->n * sizeof *r.zeros);
  const MbMixedProblem mixed = {.n = problem->n,
                                .b = problem->b,
                                .slack = problem->slack ? problem->slack : r.zeros,
                                .least = problem->least ? problem->least : r.zeros,
                                .unilateral = r.unilateral,
                                .column = column,
                                .context = &columns,
                                .same = problem->same};
  const MbPivotingResult result = mb_pivoting_solve(&work->pivoting, &mixed);
  answer->method = "pivoting", answer->iterations = 0, answer->why[0] = 0;
  answer->lambda = work->pivoting.lambda;
  answer->w = work->pivoting.w;
  answer->dropped = work->pivoting.dropped;
  if (result == MB_PIVOTING_MEMORY) return MB_CONTACT_MEMORY;
  answer->natural = natural_map(problem, &work->pivoting);
  if (result == MB_PIVOTED && answer->natural <= ROUNDING) return MB_CONTACT_SOLVED;
  if (result == MB_PIVOTED)
    snprintf(answer->why, sizeof answer->why, "rows contradict one another: pivots leave %.3g of |b|",
             answer->natural);
  else
    snprintf(answer->why, sizeof answer->why, "pivots go round without an end");
  return MB_CONTACT_NOT_CONVERGED;
}

MbContactResult mb_contact_pivoting_solve(MbContactWork *work, const MbContactProblem *problem,
                                          MbContactAnswer *answer) {
  return mb_contact_has_bounds(problem) ? mb_lemke_solve(work, problem, answer)
                                        : mb_contact_pivot(work, problem, answer);
}

const MbContactMethod mb_contact_pivoting = {
    .name = "pivoting",
    .exact = "rows of every kind; cones none, box, pyramid",
    .rows = MB_CONTACT_ALL_ROWS,
    .cones = 1u << MB_CONE_NONE | 1u << MB_CONE_BOX | 1u << MB_CONE_PYRAMID,
    .refuses = mb_contact_pivoting_refuses,
    .room = mb_contact_pivoting_room,
    .reserve = mb_contact_pivoting_reserve,
    .solve = mb_contact_pivoting_solve,
};
