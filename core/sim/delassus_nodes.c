// W of rows about nodes that forces couple, where A of these is a sparse factor by itself: with s_i = L⁻¹ P Gᵢᵀ of row i (sparse/half.h)
//
//   W_ij = s_i · s_j
//
// and what bodies that nothing else couples add to it (contact_points.h). Each row is a point that moves along one axis, so that neither columns of A⁻¹
// nor W are made: a row's s is a solve along its branches alone, and a sweep goes through these.
#include "core/base/alloc.h"
#include "core/sim/claims.h"
#include "core/sim/delassus.h"
#include "core/sim/sim_internal.h"
#include "core/solvers/node_factor.h"

#include <string.h>

enum { FEW = 600 }; // rows of which columns are as good

// What the rows of a contact, or a row by itself, are about: numbers of the factor's unknowns, and what each row has for them.
typedef struct Group {
  size_t rows, n;
  uint32_t number[MB_HALF_ROWS];
  double x[MB_HALVES][MB_HALF_ROWS];
} Group;

static size_t rows_of(const MbDelassus *d, size_t i) {
  return d->set->is[d->row[i]].kind == MB_ROW_CONTACT ? MB_HALVES : 1;
}

// Where the unknown stands in the group, which takes it if it has none of it. MB_HALF_ROWS: there is no room.
static size_t place_of(Group *group, uint32_t number) {
  size_t k = 0;
  while (k < group->n && group->number[k] != number) k++;
  if (k < group->n || k == MB_HALF_ROWS) return k;
  for (size_t r = 0; r < group->rows; r++) group->x[r][k] = 0;
  group->number[group->n] = number;
  return group->n++;
}

// Takes a body of row i. False: it is of another kind than those that nothing couples, or a third one.
static bool take_body(const MbSim *sim, size_t v, size_t body[2]) {
  const size_t b = sim->solver->map->layout->body(sim->model, sim->nq + v);
  for (size_t end = 0; end < 2; end++) {
    if (body[end] == b) return true;
    if (body[end] != MB_WORLD) continue;
    body[end] = b;
    return mb_delassus_is_apart(sim->model, b);
  }
  return false;
}

// Takes the rows of the group that begins at row i, and their bodies. False: a row is of another kind.
static bool take_group(const MbSim *sim, const MbDelassus *d, const MbNodeFactor *factor, size_t i,
                       Group *group) {
  const MbRowSet *set = d->set;
  group->rows = rows_of(d, i), group->n = 0;
  for (size_t r = 0; r < group->rows; r++) {
    const size_t s = d->row[i + r];
    size_t *body = d->pair + 2 * (i + r);
    body[0] = body[1] = MB_WORLD;
    for (size_t e = set->first[s]; e < set->first[s + 1]; e++) {
      const uint32_t number = mb_node_factor_number(factor, set->index[e]);
      if (number == UINT32_MAX) {
        if (!take_body(sim, set->index[e], body)) return false;
        continue;
      }
      const size_t k = place_of(group, number);
      if (k == MB_HALF_ROWS) return false;
      group->x[r][k] = set->G[e];
    }
  }
  return true;
}

// Counts runs and numbers of all rows, and finds their bodies: whether there are any. False: a row is of another kind.
static bool measure(const MbSim *sim, const MbDelassus *d, const MbNodeFactor *factor, size_t *runs,
                    size_t *numbers, bool *bodies) {
  MbHalf *half = mb_node_factor_half(factor);
  Group group;
  *runs = *numbers = 0, *bodies = false;
  for (size_t i = 0; i < d->n; i += group.rows) {
    size_t length;
    if (!take_group(sim, d, factor, i, &group)) return false;
    *runs += mb_half_runs(half, group.number, group.n, NULL, &length);
    *numbers += group.rows * length;
    for (size_t k = 0; k < 2 * group.rows; k++) *bodies |= d->pair[2 * i + k] != MB_WORLD;
  }
  return true;
}

// Finds s of each row.
static void fill(const MbSim *sim, MbDelassus *d, const MbNodeFactor *factor) {
  MbHalf *half = mb_node_factor_half(factor);
  MbDelassusJoints *of = &d->joints;
  MbStretch *run = of->run;
  double *number = of->number;
  Group group;
  for (size_t i = 0; i < d->n; i += group.rows) {
    const double *x[MB_HALVES];
    double *s[MB_HALVES];
    size_t length;
    take_group(sim, d, factor, i, &group);
    const size_t runs = mb_half_runs(half, group.number, group.n, run, &length);
    for (size_t r = 0; r < group.rows; r++, number += length) {
      x[r] = group.x[r], s[r] = number;
      of->branch[i + r] = (MbBranch){.run = run, .s = number, .nruns = (uint32_t)runs};
    }
    mb_half_find(half, group.number, group.n, x, group.rows, s);
    for (size_t r = 0; r < group.rows; r++)
      of->self[i + r] = mb_branch_dot(&of->branch[i + r], &of->branch[i + r]);
    run += runs;
  }
}

// All rows of a group have all their points, each moves by its own along the first axis.
static void tie(MbDelassus *d) {
  MbDelassusJoints *of = &d->joints;
  size_t at = 0;
  for (size_t i = 0, rows; i < d->n; i += rows) {
    rows = rows_of(d, i);
    for (size_t r = 0; r < rows; r++) {
      of->first[i + r] = at;
      for (size_t k = 0; k < rows; k++, at++) {
        of->point[at] = (uint32_t)(i + k);
        of->H[3 * at] = k == r, of->H[3 * at + 1] = of->H[3 * at + 2] = 0;
      }
    }
  }
  of->first[d->n] = at;
}

static bool reserve(MbDelassus *d, size_t runs, size_t numbers) {
  MbDelassusJoints *of = &d->joints;
  const size_t n = d->n;
  return mb_grow(&of->first, &of->first_room, n + 1, sizeof *of->first) &&
         mb_grow(&of->point, &of->point_room, MB_HALVES * n, sizeof *of->point) &&
         mb_grow(&of->H, &of->H_room, 3 * MB_HALVES * n, sizeof *of->H) &&
         mb_grow(&of->branch, &of->branch_room, n, sizeof *of->branch) &&
         mb_grow(&of->self, &of->self_room, n, sizeof *of->self) &&
         mb_grow(&of->run, &of->run_room, runs, sizeof *of->run) &&
         mb_grow(&of->number, &of->number_room, numbers, sizeof *of->number);
}

// F of the rows' bodies. False: A⁻¹ of one is not definite, or memory has run out.
static bool add_bodies(MbSim *sim, MbDelassus *d) {
  d->no_memory = !mb_delassus_reserve_factors(sim, d, d->n);
  if (d->no_memory || !mb_delassus_inverses(sim, d)) return false;
  for (size_t i = 0; i < d->n; i++) mb_delassus_row_factor(sim, d, i, d->row[i], d->pair + 2 * i);
  return true;
}

bool mb_delassus_by_nodes(MbSim *sim, MbDelassus *d, const MbRowSet *set, const size_t *row, size_t n,
                          MbContactOperator *W) {
  const MbNodeFactor *factor = n > FEW && sim->solver->nodes ? sim->solver->nodes(sim->work) : NULL;
  size_t runs, numbers;
  bool bodies;
  d->sim = sim, d->set = set, d->row = row, d->n = n;
  d->unsolved = d->no_memory = false;
  if (!factor || sim->model->nfollowers || mb_claims_any(sim)) return false;
  d->no_memory = !mb_grow(&d->pair, &d->pair_room, 2 * n, sizeof *d->pair);
  if (d->no_memory || !measure(sim, d, factor, &runs, &numbers, &bodies)) return false;
  d->no_memory = !reserve(d, runs, numbers);
  if (d->no_memory || (bodies && !add_bodies(sim, d))) return false;
  fill(sim, d, factor);
  tie(d);
  const MbDelassusJoints *of = &d->joints;
  d->points = (MbContactPoints){.npoints = n,
                                .width = 1,
                                .lone = true,
                                .branch = of->branch,
                                .self = of->self,
                                .rows = mb_node_factor_size(factor),
                                .first = of->first,
                                .point = of->point,
                                .H = of->H,
                                .nslots = bodies ? sim->model->nb : 0,
                                .F = d->factor,
                                .slot = d->group,
                                .version = ++d->kept.version};
  *W = (MbContactOperator){.points = &d->points};
  return true;
}
