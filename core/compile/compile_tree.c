// The tree of bodies: names, parents, and a depth-first order in which siblings keep the scene's order, so that a
// scene without joints keeps its own.
#include "core/base/report.h"
#include "core/compile/compile_internal.h"

#include <stdio.h>
#include <string.h>

static MbStatus build_names(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  const size_t nb = spec->nbodies;
  const char **listed = mb_arena_alloc(&model->arena, nb + 1, sizeof *listed);
  size_t twice = nb;
  if (!listed) return mb_no_memory(report, "bodies");
  for (size_t i = 0; i < nb; i++)
    if (!(listed[i] = mb_arena_strdup(&model->arena, spec->bodies[i].name)))
      return mb_no_memory(report, "bodies");
  if (!mb_names_build(&model->names, listed, nb, &model->arena, &twice))
    return mb_no_memory(report, "bodies");
  model->listed = listed;
  if (twice < nb) return mb_error(report, MB_SCENE, "/bodies", "two bodies are called \"%s\"", listed[twice]);
  return MB_OK;
}

// parent[i] of body i, both in the scene's order
static MbStatus find_parents(const MbSceneSpec *spec, const MbModel *model, size_t *parent,
                             MbReport *report) {
  MbStatus status = MB_OK;
  for (size_t i = 0; i < spec->nbodies; i++) {
    const MbBodySpec *body = &spec->bodies[i];
    const char *name = body->jointed ? body->joint.parent : NULL;
    parent[i] = MB_WORLD;
    if (!name || !strcmp(name, "world") || mb_names_find(&model->names, name, &parent[i])) continue;
    char where[64];
    snprintf(where, sizeof where, "/bodies/%zu/joint/parent", i);
    const char *near = mb_nearest_word(name, model->listed);
    status = mb_error(report, MB_SCENE, where, "no body is called \"%s\"%s%s%s", name,
                      near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
  }
  return status;
}

// Bodies that hang on each other in a circle are never reached from the world.
static MbStatus report_circle(const MbModel *model, const size_t *parent, const size_t *number,
                              MbReport *report) {
  size_t i = 0;
  while (i < model->nlisted && number[i] != MB_WORLD) i++;
  for (size_t k = 0; k < model->nlisted; k++) i = parent[i]; // now on the circle itself
  char where[64];
  snprintf(where, sizeof where, "/bodies/%zu/joint/parent", i);
  if (parent[i] == i)
    return mb_error(report, MB_SCENE, where, "body \"%s\" cannot hang on itself", model->listed[i]);
  return mb_error(report, MB_SCENE, where, "the bodies \"%s\" and \"%s\" hang on each other in a circle",
                  model->listed[i], model->listed[parent[i]]);
}

static MbStatus build_order(const MbSceneSpec *spec, MbModel *model, MbArena *scratch, MbReport *report) {
  const size_t nb = model->nlisted;
  size_t *listed_parent = mb_arena_alloc(scratch, nb, sizeof *listed_parent);
  size_t *first = mb_arena_alloc(scratch, nb + 1, sizeof *first); // first child, then next sibling
  size_t *next = mb_arena_alloc(scratch, nb, sizeof *next);
  size_t *number = mb_arena_alloc(&model->arena, nb, sizeof *number);
  size_t *parent = mb_arena_alloc(&model->arena, model->nb, sizeof *parent);
  const char **name = mb_arena_alloc(&model->arena, model->nb, sizeof *name);
  if (!listed_parent || !first || !next || !number || !parent || !name)
    return mb_no_memory(report, "the tree");
  const MbStatus status = find_parents(spec, model, listed_parent, report);
  if (status != MB_OK) return status;

  // children in the scene's order; the world's are first[nb]
  for (size_t i = 0; i <= nb; i++) first[i] = MB_WORLD;
  for (size_t i = nb; i-- > 0;) {
    size_t *list = &first[listed_parent[i] == MB_WORLD ? nb : listed_parent[i]];
    next[i] = *list;
    *list = i;
    number[i] = MB_WORLD;
    model->jointed |= spec->bodies[i].jointed;
  }
  size_t count = 0;
  for (size_t i = first[nb]; i != MB_WORLD;) {
    const size_t up = listed_parent[i];
    number[i] = count;
    name[count] = model->listed[i];
    parent[count++] = up == MB_WORLD ? MB_WORLD : number[up];
    if (first[i] != MB_WORLD) {
      i = first[i];
      continue;
    }
    while (next[i] == MB_WORLD && listed_parent[i] != MB_WORLD) i = listed_parent[i];
    i = next[i];
  }
  if (count < nb) return report_circle(model, listed_parent, number, report);
  for (size_t b = nb; b < model->nb; b++) parent[b] = MB_WORLD;
  model->number = number, model->parent = parent, model->body_name = name;
  return mb_compile_node_names(model, name, report);
}

MbStatus mb_compile_tree(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  MbArena scratch = {0};
  MbStatus status = build_names(spec, model, report);
  if (status == MB_OK) status = build_order(spec, model, &scratch, report);
  mb_arena_free(&scratch);
  return status;
}
