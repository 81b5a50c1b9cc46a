// Channel constraint.active: the one-way rows (limits, ropes) that have pushed over the last step. An entry tells the row, by its place in
// channel constraint.force; from which side it holds; its gap at the state, below 0 where it is beyond its bound; and how hard it pushes.
#include "core/sim/constrain_internal.h"
#include "core/sim/lists.h"

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

static bool pushes(const MbSim *sim, size_t s) {
  return sim->constraining->of[s]->unilateral && mb_section(sim, MB_SECTION_FORCES)[s] > 0;
}

static size_t count(const MbSim *sim) {
  size_t n = 0;
  for (size_t s = 0; sim->constraining && s < sim->model->nslots; s++) n += pushes(sim, s);
  return n;
}

// A lower limit keeps a coordinate from below; a rope keeps a distance from above.
static double side_of(const MbConstraint *of) { return of->rope || of->sign < 0 ? 1 : 0; }

static void fill(const MbSim *sim, double *entries) {
  const MbState *state = &sim->state;
  mb_rows_look((MbSim *)sim, state->q, state->v, state->t);
  for (size_t s = 0; s < sim->model->nslots; s++) {
    if (!pushes(sim, s)) continue;
    entries[ROW] = (double)s;
    entries[SIDE] = side_of(sim->constraining->of[s]);
    entries[GAP] = sim->constraining->row[s].g;
    entries[FORCE] = mb_section(sim, MB_SECTION_FORCES)[s];
    entries += WIDTH;
  }
}

const MbLister mb_active_lister = {describe, count, fill};
