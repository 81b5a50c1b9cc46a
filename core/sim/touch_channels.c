// Channels contact and contact.pair: what has pushed over the last step, by contacts and by pairs of bodies, in the scene's order; and
// contact.impact: what has come at one another since the frame before.
#include "core/base/alloc.h"
#include "core/base/sort.h"
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

static void tell_bodies(const MbSim *sim, size_t a, size_t b, double *entry) {
  entry[BODY_A] = (double)body_of(sim, a);
  entry[BODY_B] = (double)body_of(sim, b);
}

// ---- order --------------------------------------------------------------------------------------------------

// Contacts are in an order of names (compile_contacts.c), and those of two bodies with several shapes need not follow one another:
// (a₁, b₁), (a₁, c₁), (a₂, b₁). Entries are in the scene's order, of the same two bodies as contacts are.
typedef struct Bodies {
  size_t a, b;
} Bodies;

static bool is_same(Bodies x, Bodies y) { return x.a == y.a && x.b == y.b; }

static bool comes_behind(Bodies x, uint32_t i, Bodies y, uint32_t j) {
  if (x.a != y.a) return x.a > y.a;
  return x.b != y.b ? x.b > y.b : i > j;
}

static Bodies bodies_of(const MbSim *sim, uint32_t i) {
  const MbPushed *touch = &sim->touching->last.touch[i];
  return (Bodies){body_of(sim, touch->a), body_of(sim, touch->b)};
}

static bool follows(const void *context, uint32_t i, uint32_t j) {
  return comes_behind(bodies_of(context, i), i, bodies_of(context, j), j);
}

static Bodies bodies_at(const MbSim *sim, uint32_t i) {
  const MbImpact *impact = &sim->touching->impacts.impact[i];
  return (Bodies){body_of(sim, (size_t)impact->a), body_of(sim, (size_t)impact->b)};
}

static bool impact_follows(const void *context, uint32_t i, uint32_t j) {
  return comes_behind(bodies_at(context, i), i, bodies_at(context, j), j);
}

// The last step's contacts in the order of entries.
static const uint32_t *in_order(const MbSim *sim) {
  mb_sort_numbers(sim->touching->turn, count(sim), follows, sim);
  return sim->touching->turn;
}

// Numbers an entry among those of the same two bodies, which come before it.
static void number(double *entry, bool first, size_t width) {
  const double *before = entry - width;
  const bool same = !first && before[BODY_A] == entry[BODY_A] && before[BODY_B] == entry[BODY_B];
  entry[NUMBER] = same ? before[NUMBER] + 1 : 0;
}

// ---- contacts -----------------------------------------------------------------------------------------------

static void fill_entry(const MbSim *sim, const MbPushed *touch, double *entry) {
  const double h = sim->model->h;
  double axis[3][3];
  mb_touch_axes(touch->normal, axis);
  tell_bodies(sim, touch->a, touch->b, entry);
  memcpy(entry + POINT, touch->point, sizeof touch->point);
  memcpy(entry + NORMAL, touch->normal, sizeof touch->normal);
  entry[GAP] = touch->gap + h * touch->rate[0];
  entry[FORCE] = touch->lambda[0] / h;
  for (int k = 0; k < 3; k++)
    entry[FRICTION + k] = (touch->lambda[1] * axis[1][k] + touch->lambda[2] * axis[2][k]) / h + 0.0;
  entry[SLIP] = hypot(touch->rate[1], touch->rate[2]);
}

static void fill(const MbSim *sim, double *entries) {
  const size_t n = count(sim);
  const uint32_t *order = in_order(sim);
  for (size_t i = 0; i < n; i++) {
    fill_entry(sim, &sim->touching->last.touch[order[i]], entries + i * WIDTH);
    number(entries + i * WIDTH, i == 0, WIDTH);
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
  uint32_t *order = n ? sim->touching->turn : NULL;
  if (n) mb_sort_numbers(order, n, impact_follows, sim);
  for (size_t i = 0; i < n; i++) {
    const MbImpact *impact = &sim->touching->impacts.impact[order[i]];
    double *entry = entries + i * IMPACT_WIDTH;
    tell_bodies(sim, (size_t)impact->a, (size_t)impact->b, entry);
    number(entry, i == 0, IMPACT_WIDTH);
    entry[IMPACT_TIME] = impact->time;
    memcpy(entry + IMPACT_POINT, impact->point, sizeof impact->point);
    memcpy(entry + IMPACT_NORMAL, impact->normal, sizeof impact->normal);
    entry[IMPACT_SPEED] = impact->speed;
    entry[IMPULSE] = impact->impulse;
    memcpy(entry + IMPACT_FRICTION, impact->friction, sizeof impact->friction);
  }
}

// ---- by pairs of bodies -------------------------------------------------------------------------------------

static void add_to_pair(const MbSim *sim, const MbPushed *touch, double *sum) {
  const double h = sim->model->h;
  double axis[3][3];
  mb_touch_axes(touch->normal, axis);
  sum[COUNT] += 1;
  sum[PAIR_NORMAL] += touch->lambda[0] / h;
  for (int k = 0; k < 3; k++)
    for (int d = 0; d < 3; d++) sum[PAIR_FORCE + k] += touch->lambda[d] * axis[d][k] / h;
}

static void fill_pairs(const MbSim *sim, double *entries) {
  const size_t n = count(sim);
  const uint32_t *order = in_order(sim);
  double *sum = NULL;
  for (size_t i = 0; i < n; i++) {
    const MbPushed *touch = &sim->touching->last.touch[order[i]];
    if (!i || !is_same(bodies_of(sim, order[i]), bodies_of(sim, order[i - 1]))) {
      sum = sum ? sum + PAIR_WIDTH : entries;
      memset(sum, 0, PAIR_WIDTH * sizeof *sum);
      tell_bodies(sim, touch->a, touch->b, sum);
    }
    add_to_pair(sim, touch, sum);
  }
}

static size_t count_pairs(const MbSim *sim) {
  size_t pairs = 0;
  const size_t n = count(sim);
  const uint32_t *order = n ? in_order(sim) : NULL;
  for (size_t i = 0; i < n; i++)
    pairs += !i || !is_same(bodies_of(sim, order[i]), bodies_of(sim, order[i - 1]));
  return pairs;
}

// ---- of a deformable ----------------------------------------------------------------------------------------

void mb_touch_total(const MbSim *sim, const MbDeformable *of, double *out) {
  const MbModel *model = sim->model;
  const size_t which = model->nlisted + (size_t)(of - model->deformables);
  memset(out, 0, 4 * sizeof *out);
  for (size_t i = 0; i < count(sim); i++) {
    const MbPushed *touch = &sim->touching->last.touch[i];
    const bool a = body_of(sim, touch->a) == which, b = body_of(sim, touch->b) == which;
    double axis[3][3];
    if (!a && !b) continue;
    mb_touch_axes(touch->normal, axis);
    out[0] += touch->lambda[0] / model->h;
    for (int k = 0; k < 3 && a != b; k++) // what it does to itself is nothing in sum
      for (int d = 0; d < 3; d++) out[1 + k] += (b ? 1 : -1) * touch->lambda[d] * axis[d][k] / model->h;
  }
}

const MbLister mb_touch_lister = {describe, count, fill},
               mb_touch_pair_lister = {describe_pairs, count_pairs, fill_pairs},
               mb_touch_impact_lister = {describe_impacts, count_impacts, fill_impacts};
