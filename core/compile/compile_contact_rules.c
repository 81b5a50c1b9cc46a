// What the scene says of pairs of bodies and deformables in contact, and which pairs are held at one another and so do not collide.
#include "core/base/report.h"
#include "core/compile/compile_internal.h"
#include "core/model/ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
  const MbBodyRule *x = a, *y = b;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  return x->b < y->b ? -1 : x->b > y->b;
}

// A body of the model, or behind these a deformable.
static MbStatus find_named(const MbModel *model, const char *name, const char *where, size_t *number,
                           MbReport *report) {
  size_t listed, deformable = 0;
  while (deformable < model->ndeformables && strcmp(model->deformables[deformable].name, name)) deformable++;
  const bool body = mb_names_find(&model->names, name, &listed), soft = deformable < model->ndeformables;
  if (body && soft)
    return mb_error(report, MB_SCENE, where,
                    "\"%s\" is both a body and a deformable: give one of them another name", name);
  if (!body && !soft)
    return mb_error(report, MB_SCENE, where, "there is no body and no deformable \"%s\"", name);
  *number = body ? model->number[listed] : model->nb + deformable;
  return MB_OK;
}

static const char *name_of(const MbModel *model, size_t number) {
  return number < model->nb ? model->body_name[number] : model->deformables[number - model->nb].name;
}

static MbStatus make_rule(const MbModel *model, const char *const bodies[2], const char *where,
                          MbBodyRule *rule, MbReport *report) {
  size_t number[2] = {0};
  for (int k = 0; k < 2; k++) {
    const MbStatus status = find_named(model, bodies[k], where, &number[k], report);
    if (status != MB_OK) return status;
  }
  const size_t a = number[0], b = number[1];
  if (a == b)
    return mb_error(report, MB_SCENE, where,
                    a < model->nb ? "\"%s\" does not collide with itself: name two bodies"
                                  : "whether \"%s\" touches itself is said by \"self\" in its \"contact\": "
                                    "name two things",
                    bodies[0]);
  rule->a = a < b ? a : b;
  rule->b = a < b ? b : a;
  return MB_OK;
}

// Bodies that a constraint holds at one another touch there all the time. One that lets them come and go, or is about how they turn,
// says nothing of that.
static bool joins(const MbConstraint *constraint) {
  static const char *const words[] = {"joint", "point", "point_on_line", "point_on_plane", "rolling"};
  if (constraint->body[0] == MB_WORLD || constraint->body[1] == MB_WORLD) return false;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(constraint->ops->name, words[i])) return !constraint->unilateral;
  return false;
}

typedef struct Rules {
  const MbModel *model;
  MbBodyRule *rule; // room for all that `add` may be asked for
  size_t n;
} Rules;

// Excludes a pair of which nothing is said.
static void exclude(Rules *rules, size_t a, size_t b) {
  const bool rising = a < b;
  const MbBodyRule rule = {
      .a = rising ? a : b, .b = rising ? b : a, .excluded = true, .friction = NAN, .restitution = NAN};
  size_t j = 0;
  if (a == b) return;
  while (j < rules->n && compare(&rules->rule[j], &rule)) j++;
  if (j == rules->n) rules->rule[rules->n++] = rule;
}

// The number of the deformable whose node a body is; MB_WORLD: it is none.
static size_t deformable_of(const MbModel *model, size_t body) {
  if (body == MB_WORLD) return MB_WORLD;
  if (body >= mb_model_own(model)) return model->nb + model->ports[body - mb_model_own(model)].deformable;
  for (size_t d = 0; d < model->ndeformables; d++) {
    const MbDeformable *of = &model->deformables[d];
    if (!of->points && body >= of->first && body < of->first + of->count) return model->nb + d;
  }
  return MB_WORLD;
}

// Deformables whose nodes are held at one another: those of a node, and of what it follows.
static void exclude_masters(Rules *rules, size_t node, const MbMaster *master, size_t n) {
  const size_t own = deformable_of(rules->model, node);
  for (size_t k = 0; k < n && own != MB_WORLD; k++) {
    const size_t other = deformable_of(rules->model, master[k].body);
    if (other != MB_WORLD) exclude(rules, own, other);
  }
}

// Adds pairs that constraints join, of which nothing is said.
static void exclude_joined(Rules *rules) {
  const MbModel *model = rules->model;
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *constraint = &model->constraints[i];
    exclude_masters(rules, constraint->body[0], constraint->master, constraint->nmasters);
    if (!joins(constraint)) continue;
    exclude(rules, constraint->body[0], constraint->body[1]);
    exclude_masters(rules, constraint->body[0], &(MbMaster){constraint->body[1], 1}, 1);
  }
  for (size_t i = 0; i < model->nfollowers; i++)
    exclude_masters(rules, model->followers[i].body, model->followers[i].master,
                    model->followers[i].nmasters);
}

// The most pairs that these may add.
static size_t count_joined(const MbModel *model) {
  size_t n = 2 * model->nconstraints;
  for (size_t i = 0; i < model->nconstraints; i++) n += model->constraints[i].nmasters;
  for (size_t i = 0; i < model->nfollowers; i++) n += model->followers[i].nmasters;
  return n;
}

MbStatus mb_compile_contact_rules(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  const MbContactsSpec *contact = spec->contact;
  const size_t n = contact->npairs + contact->nexclude;
  MbBodyRule *rules = mb_arena_alloc(&model->arena, n + count_joined(model), sizeof *rules);
  MbStatus status = rules ? MB_OK : mb_no_memory(report, "contact");
  for (size_t i = 0; rules && i < n; i++) {
    const bool excluded = i >= contact->npairs;
    const size_t k = excluded ? i - contact->npairs : i;
    const MbContactPairSpec *pair = &contact->pairs[k];
    char where[64];
    snprintf(where, sizeof where, "/contact/%s/%zu", excluded ? "exclude" : "pairs", k);
    rules[i] = (MbBodyRule){.excluded = excluded,
                            .friction = excluded ? NAN : pair->friction,
                            .restitution = excluded ? NAN : pair->restitution};
    const MbStatus one =
        make_rule(model, excluded ? contact->exclude[k].bodies : pair->bodies, where, &rules[i], report);
    for (size_t j = 0; j < i && one == MB_OK; j++)
      if (!compare(&rules[i], &rules[j]))
        status = mb_error(report, MB_SCENE, where, "the pair \"%s\", \"%s\" is there twice, in \"%s\" before",
                          name_of(model, rules[i].a), name_of(model, rules[i].b),
                          rules[j].excluded ? "exclude" : "pairs");
    if (one != MB_OK) status = one;
  }
  if (status != MB_OK) return status;
  Rules all = {model, rules, n};
  exclude_joined(&all);
  model->contacts.nrules = all.n;
  qsort(rules, model->contacts.nrules, sizeof *rules, compare);
  model->contacts.rules = rules;
  return MB_OK;
}
