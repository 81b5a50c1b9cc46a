// Channels contact and contact.pair: what has pushed over the last step, by contacts and by pairs of bodies, in the scene's order; and
// contact.impact: what has come at one another since the frame before.
#include "core/base/alloc.h"
#include "core/sim/lists.h"
#include "core/sim/touch.h"

#include <string.h>

enum {
  BODY_A,
  BODY_B,
  NUMBER,
  POINT,
  NORMAL = POINT + 3,
  GAP = NORMAL + 3,
  FORCE,
  FRICTION,
  SLIP = FRICTION + 3,
  WIDTH
};
enum {
  IMPACT_TIME = NUMBER + 1,
  IMPACT_POINT,
  IMPACT_NORMAL = IMPACT_POINT + 3,
  IMPACT_SPEED = IMPACT_NORMAL + 3,
  IMPULSE,
  IMPACT_FRICTION,
  IMPACT_WIDTH = IMPACT_FRICTION + 3
};
enum { COUNT = NUMBER, PAIR_NORMAL, PAIR_FORCE, PAIR_WIDTH = PAIR_FORCE + 3 };

// The body of a solid; a deformable's number is behind those of all bodies.
static size_t body_of(const MbSim *sim, size_t which) {
  const MbContacts *rules = sim->touching->rules;
  if (which < rules->nsolids) return rules->solids[which].listed;
  return sim->model->nlisted + rules->surfaces[which - rules->nsolids].deformable;
}

// The names of bodies, and of deformables.
static const char *const *name_all(MbSim *sim) {
  const MbModel *model = sim->model;
  if (!model->ndeformables) return model->listed;
  const char **name = mb_arena_alloc(&sim->arena, model->nlisted + model->ndeformables, sizeof *name);
  for (size_t b = 0; name && b < model->nlisted; b++) name[b] = model->listed[b];
  for (size_t i = 0; name && i < model->ndeformables; i++)
    name[model->nlisted + i] = model->deformables[i].name;
  return name;
}

static MbField number_of(const char *name, const char *unit, MbQuantity quantity) {
  return (MbField){name, unit, quantity, NULL, 0};
}

static MbList *make_list(MbSim *sim, size_t keys, size_t width, MbField **field) {
  MbList *list = mb_arena_alloc(&sim->arena, 1, sizeof *list);
  *field = mb_arena_alloc(&sim->arena, width, sizeof **field);
  const char *const *names = name_all(sim);
  const size_t nnames = sim->model->nlisted + sim->model->ndeformables;
  if (!list || !*field || !names) return NULL;
  *list = (MbList){.keys = keys, .width = width, .fields = *field};
  (*field)[BODY_A] = (MbField){"a", "", MB_OTHER, names, nnames};
  (*field)[BODY_B] = (MbField){"b", "", MB_OTHER, names, nnames};
  return list;
}

static const MbList *describe(MbSim *sim) {
  static const char *const places[] = {"x", "y", "z"}, *const normals[] = {"nx", "ny", "nz"},
                           *const forces[] = {"fx", "fy", "fz"};
  MbField *field;
  MbList *list = make_list(sim, 3, WIDTH, &field);
  if (!list) return NULL;
  field[NUMBER] = number_of("number", "", MB_OTHER);
  for (int k = 0; k < 3; k++) {
    field[POINT + k] = number_of(places[k], "m", MB_POSE);
    field[NORMAL + k] = number_of(normals[k], "", MB_OTHER);
    field[FRICTION + k] = number_of(forces[k], "N", MB_FORCE);
  }
  field[GAP] = number_of("gap", "m", MB_POSE);
  field[FORCE] = number_of("normal", "N", MB_FORCE);
  field[SLIP] = number_of("slip", "m/s", MB_VELOCITY);
  return list;
}

static const MbList *describe_pairs(MbSim *sim) {
  static const char *const forces[] = {"fx", "fy", "fz"};
  MbField *field;
  MbList *list = make_list(sim, 2, PAIR_WIDTH, &field);
  if (!list) return NULL;
  field[COUNT] = number_of("contacts", "", MB_OTHER);
  field[PAIR_NORMAL] = number_of("normal", "N", MB_FORCE);
  for (int k = 0; k < 3; k++) field[PAIR_FORCE + k] = number_of(forces[k], "N", MB_FORCE);
  return list;
}

static size_t count(const MbSim *sim) { return sim->touching ? sim->touching->last.n : 0; }

// Whether contact i is of the same two bodies as the one before it. Contacts are in order of solids, and those of bodies.
static bool goes_on(const MbSim *sim, size_t i) {
  const MbTouch *touch = sim->touching->last.touch;
  return i && body_of(sim, touch[i].a) == body_of(sim, touch[i - 1].a) &&
         body_of(sim, touch[i].b) == body_of(sim, touch[i - 1].b);
}

// Shapes of two bodies that have several need not follow one another: (a₁, b₁), (a₁, c₁), (a₂, b₁).
static void tell_bodies(const MbSim *sim, size_t a, size_t b, double *entry) {
  entry[BODY_A] = (double)body_of(sim, a);
  entry[BODY_B] = (double)body_of(sim, b);
}

static bool comes_before(const double *x, const double *y) {
  return x[BODY_A] != y[BODY_A] ? x[BODY_A] < y[BODY_A] : x[BODY_B] < y[BODY_B];
}

// Where entries of the same bodies are, or would be, among n that are in order: behind the last of them.
static size_t find_place(const double *entries, size_t n, size_t width, const double *entry) {
  while (n && comes_before(entry, entries + (n - 1) * width)) n--;
  return n;
}

static void fill_entry(const MbSim *sim, const MbTouch *touch, double *entry) {
  const double h = sim->model->h;
  tell_bodies(sim, touch->a, touch->b, entry);
  memcpy(entry + POINT, touch->point, sizeof touch->point);
  memcpy(entry + NORMAL, touch->axis[0], sizeof touch->axis[0]);
  entry[GAP] = touch->gap + h * touch->rate[0];
  entry[FORCE] = touch->lambda[0] / h;
  for (int k = 0; k < 3; k++)
    entry[FRICTION + k] =
        (touch->lambda[1] * touch->axis[1][k] + touch->lambda[2] * touch->axis[2][k]) / h + 0.0;
  entry[SLIP] = hypot(touch->rate[1], touch->rate[2]);
}

// Puts one where it belongs among n that are there, behind those of the same bodies, and numbers it among these.
static void insert(double *entries, size_t n, size_t width, double *entry) {
  const size_t at = find_place(entries, n, width, entry);
  memmove(entries + (at + 1) * width, entries + at * width, (n - at) * width * sizeof *entry);
  const double *before = at ? entries + (at - 1) * width : NULL;
  entry[NUMBER] = before && !comes_before(before, entry) ? before[NUMBER] + 1 : 0;
  memcpy(entries + at * width, entry, width * sizeof *entry);
}

static void fill(const MbSim *sim, double *entries) {
  const MbTouches *last = &sim->touching->last;
  for (size_t i = 0; i < last->n; i++) {
    double entry[WIDTH];
    fill_entry(sim, &last->touch[i], entry);
    insert(entries, i, WIDTH, entry);
  }
}

// ---- impacts ------------------------------------------------------------------------------------------------

static const MbList *describe_impacts(MbSim *sim) {
  static const char *const places[] = {"x", "y", "z"}, *const normals[] = {"nx", "ny", "nz"},
                           *const frictions[] = {"px", "py", "pz"};
  MbField *field;
  MbList *list = make_list(sim, 3, IMPACT_WIDTH, &field);
  if (!list) return NULL;
  field[NUMBER] = number_of("number", "", MB_OTHER);
  field[IMPACT_TIME] = number_of("at", "s", MB_OTHER);
  for (int k = 0; k < 3; k++) {
    field[IMPACT_POINT + k] = number_of(places[k], "m", MB_POSE);
    field[IMPACT_NORMAL + k] = number_of(normals[k], "", MB_OTHER);
    field[IMPACT_FRICTION + k] = number_of(frictions[k], "N s", MB_OTHER);
  }
  field[IMPACT_SPEED] = number_of("speed", "m/s", MB_VELOCITY);
  field[IMPULSE] = number_of("impulse", "N s", MB_OTHER);
  return list;
}

static size_t count_impacts(const MbSim *sim) { return sim->touching ? sim->touching->impacts.kept : 0; }

static void fill_impacts(const MbSim *sim, double *entries) {
  const size_t n = count_impacts(sim);
  for (size_t i = 0; i < n; i++) {
    const MbImpact *impact = &sim->touching->impacts.impact[i];
    double entry[IMPACT_WIDTH];
    tell_bodies(sim, (size_t)impact->a, (size_t)impact->b, entry);
    entry[IMPACT_TIME] = impact->time;
    memcpy(entry + IMPACT_POINT, impact->point, sizeof impact->point);
    memcpy(entry + IMPACT_NORMAL, impact->normal, sizeof impact->normal);
    entry[IMPACT_SPEED] = impact->speed;
    entry[IMPULSE] = impact->impulse;
    memcpy(entry + IMPACT_FRICTION, impact->friction, sizeof impact->friction);
    insert(entries, i, IMPACT_WIDTH, entry);
  }
}

// ---- by pairs of bodies -------------------------------------------------------------------------------------

static void fill_pairs(const MbSim *sim, double *entries) {
  const MbTouches *last = &sim->touching->last;
  const double h = sim->model->h;
  size_t n = 0;
  for (size_t i = 0; i < last->n; i++) {
    const MbTouch *touch = &last->touch[i];
    double entry[PAIR_WIDTH] = {0};
    tell_bodies(sim, touch->a, touch->b, entry);
    size_t at = find_place(entries, n, PAIR_WIDTH, entry);
    if (!at || comes_before(entries + (at - 1) * PAIR_WIDTH, entry)) {
      memmove(entries + (at + 1) * PAIR_WIDTH, entries + at * PAIR_WIDTH, (n - at) * sizeof entry);
      memcpy(entries + at * PAIR_WIDTH, entry, sizeof entry);
      n++, at++;
    }
    double *sum = entries + (at - 1) * PAIR_WIDTH;
    sum[COUNT] += 1;
    sum[PAIR_NORMAL] += touch->lambda[0] / h;
    for (int k = 0; k < 3; k++)
      for (int d = 0; d < 3; d++) sum[PAIR_FORCE + k] += touch->lambda[d] * touch->axis[d][k] / h;
  }
}

static size_t count_pairs(const MbSim *sim) {
  const MbTouching *t = sim->touching;
  if (!t) return 0;
  size_t n = 0;
  for (size_t i = 0; i < t->last.n; i++) {
    bool first = !goes_on(sim, i);
    for (size_t j = 0; first && j < i; j++)
      first = body_of(sim, t->last.touch[j].a) != body_of(sim, t->last.touch[i].a) ||
              body_of(sim, t->last.touch[j].b) != body_of(sim, t->last.touch[i].b);
    n += first;
  }
  return n;
}

// ---- of a deformable ----------------------------------------------------------------------------------------

void mb_touch_total(const MbSim *sim, const MbDeformable *of, double *out) {
  const MbModel *model = sim->model;
  const size_t which = model->nlisted + (size_t)(of - model->deformables);
  memset(out, 0, 4 * sizeof *out);
  for (size_t i = 0; i < count(sim); i++) {
    const MbTouch *touch = &sim->touching->last.touch[i];
    const bool a = body_of(sim, touch->a) == which, b = body_of(sim, touch->b) == which;
    if (!a && !b) continue;
    out[0] += touch->lambda[0] / model->h;
    for (int k = 0; k < 3 && a != b; k++) // what it does to itself is nothing in sum
      for (int d = 0; d < 3; d++)
        out[1 + k] += (b ? 1 : -1) * touch->lambda[d] * touch->axis[d][k] / model->h;
  }
}

const MbLister mb_touch_lister = {describe, count, fill},
               mb_touch_pair_lister = {describe_pairs, count_pairs, fill_pairs},
               mb_touch_impact_lister = {describe_impacts, count_impacts, fill_impacts};
