// Channel constraint.active: the one-way rows (limits, ropes) that have pushed over the last step. An entry tells the row, by its place in
// channel constraint.force; from which side it holds; its gap at the state, below 0 where it is beyond its bound; and how hard it pushes.
#include "core/constraints/limit.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/lists.h"

#include <math.h>

enum { ROW, SIDE, GAP, FORCE, WIDTH };

static const MbList *describe(MbSim *sim) {
  static const char *const sides[] = {"lower", "upper"};
  const MbModel *model = sim->model;
  MbField *field = mb_arena_alloc(&sim->arena, WIDTH, sizeof *field);
  MbList *list = mb_arena_alloc(&sim->arena, 1, sizeof *list);
  if (!field || !list) return NULL;
  field[ROW] = (MbField){"constraint", "", MB_OTHER, model->slots, model->nslots};
  field[SIDE] = (MbField){"side", "", MB_OTHER, sides, 2};
  field[GAP] = (MbField){"gap", "m, rad", MB_OTHER, NULL, 0};
  field[FORCE] = (MbField){"force", "N, N m", MB_FORCE, NULL, 0};
  *list = (MbList){.keys = 1, .width = WIDTH, .fields = field};
  return list;
}

// Of the constraint's row k, over the last step; 0 where it does not push.
static double push_of(const MbSim *sim, const MbConstraint *constraint, size_t k) {
  return constraint->unilateral ? fmax(mb_section(sim, MB_SECTION_FORCES)[constraint->slot + k], 0) : 0;
}

static size_t count(const MbSim *sim) {
  const MbModel *model = sim->model;
  size_t n = 0;
  for (size_t i = 0; i < model->nconstraints; i++)
    for (size_t k = 0; k < model->constraints[i].rows; k++) n += push_of(sim, &model->constraints[i], k) > 0;
  return n;
}

// A lower limit keeps a coordinate from below; a rope keeps a distance from above.
static double side_of(const MbConstraint *constraint) {
  const bool lower = constraint->ops == &mb_limit_ops && ((const MbLimit *)constraint->parameters)->sign > 0;
  return lower ? 0 : 1;
}

static void fill(const MbSim *sim, double *entries) {
  const MbModel *model = sim->model;
  const MbState *state = &sim->state;
  mb_rows_look((MbSim *)sim, state->q, state->v, state->t);
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *constraint = &model->constraints[i];
    for (size_t k = 0; k < constraint->rows; k++) {
      const double force = push_of(sim, constraint, k);
      if (!(force > 0)) continue;
      entries[ROW] = (double)(constraint->slot + k);
      entries[SIDE] = side_of(constraint);
      entries[GAP] = sim->constraining->set.row[constraint->slot + k].g;
      entries[FORCE] = force;
      entries += WIDTH;
    }
  }
}

const MbLister mb_active_lister = {describe, count, fill};
