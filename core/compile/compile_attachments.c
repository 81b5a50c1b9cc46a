// Nodes attached to other nodes, their masters (AR 0.17, 0.18): weights, chains of attachments, circles. By reduction a node
// that is attached to attached ones follows what those follow, so that in the end nothing follows what follows.
#include "core/base/blas.h"
#include "core/base/lapack.h"
#include "core/base/report.h"
#include "core/compile/compile_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHERE = 160, FOLLOWERS = 1000 };
static const size_t PARTS = 1000000; // weights of all attachments together

typedef struct Builder {
  const MbSceneSpec *spec;
  MbModel *model;
  const MbPose *E; // (nb) at the start
  MbReport *report;
  MbArena scratch;
  MbLink *link;
  size_t count, reduced, parts;
  size_t *of; // (nb) number of a node's link, MB_WORLD = none
} Builder;

// The body that a node is.
static size_t body_of(const MbDeformable *of, size_t node) {
  return of->points ? of->port[node] : of->first + node;
}

static void place(char where[WHERE], size_t i, size_t k, const char *rest) {
  snprintf(where, WHERE, "/deformables/%zu/attach/%zu%s", i, k, rest);
}

// ---- masters and weights ----------------------------------------------------------------------------------

static MbStatus refuse_name(Builder *b, const char *where, const char *name) {
  const MbModel *model = b->model;
  const char **names = mb_arena_alloc(&b->scratch, model->ndeformables + 1, sizeof *names);
  if (!names) return mb_no_memory(b->report, "attachments");
  for (size_t d = 0; d < model->ndeformables; d++) names[d] = model->deformables[d].name;
  const char *near = mb_nearest_word(name, names);
  return mb_error(b->report, MB_SCENE, where, "no deformable is called \"%s\"%s%s%s", name,
                  near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
}

// The nodes that an attachment names, (nvertices).
static MbStatus find_masters(Builder *b, size_t i, size_t k, size_t *body) {
  const MbModel *model = b->model;
  const MbMastersSpec *to = &b->spec->deformables[i].attachments[k].to;
  char where[WHERE], rest[40];
  size_t d = i;
  for (d = to->deformable ? 0 : i; to->deformable && d < model->ndeformables; d++)
    if (!strcmp(model->deformables[d].name, to->deformable)) break;
  place(where, i, k, "/to/deformable");
  if (d == model->ndeformables) return refuse_name(b, where, to->deformable);
  const MbDeformable *of = &model->deformables[d];
  place(where, i, k, "/to/vertices");
  if (!to->nvertices)
    return mb_error(b->report, MB_SCENE, where, "no nodes to attach to: \"vertices\" wants one or more");
  for (size_t j = 0; j < to->nvertices; j++) {
    const double n = to->vertices[j];
    snprintf(rest, sizeof rest, "/to/vertices/%zu", j);
    place(where, i, k, rest);
    if (!(n >= 0 && n < (double)of->count) || n != floor(n))
      return mb_error(b->report, MB_SCENE, where, "there is no node %.15g: \"%s\" has 0 to %zu", n, of->name,
                      of->count - 1);
    body[j] = body_of(of, (size_t)n);
  }
  return MB_OK;
}

static MbStatus check_weights(const Builder *b, size_t i, size_t k) {
  static const double CLOSE = 1e-6; // written with seven digits; they are then made to sum to 1
  const MbMastersSpec *to = &b->spec->deformables[i].attachments[k].to;
  char where[WHERE];
  double sum = 0;
  place(where, i, k, "/to/weights");
  if (!to->nweights) return MB_OK;
  if (to->nweights != to->nvertices)
    return mb_error(b->report, MB_SCENE, where, "found %zu weights, wanted %zu, one for each of \"vertices\"",
                    to->nweights, to->nvertices);
  for (size_t j = 0; j < to->nweights; j++) sum += to->weights[j];
  if (fabs(sum - 1) <= CLOSE) return MB_OK;
  return mb_error(b->report, MB_SCENE, where, "the weights sum to %.9g, wanted 1", sum);
}

// The weights that sum to 1, bring Σ w x next to the point and are nearest to equal ones. With y the masters' places from
// their mean and r the point's from there:  w_j = 1/n + y_j · z,  (Σ y yᵀ) z = r  where that can be solved.
static void weigh(const Builder *b, const double point[3], MbMaster *master, size_t n) {
  static const double FLAT = 1e-10; // of the largest eigenvalue: places on a line, or in a plane
  double mean[3] = {0}, C[9] = {0}, eigenvalue[3], work[64], r[3], z[3] = {0};
  for (size_t j = 0; j < n; j++) mb_vec3_add_scaled(mean, mean, 1 / (double)n, b->E[master[j].body].p);
  for (size_t j = 0; j < n; j++) {
    double y[3];
    mb_vec3_sub(y, b->E[master[j].body].p, mean);
    for (int l = 0; l < 9; l++) C[l] += y[l / 3] * y[l % 3];
  }
  mb_vec3_sub(r, point, mean);
  if (mb_lapack.dsyev(LAPACK_COL_MAJOR, 'V', 'L', 3, C, 3, eigenvalue, work, 64) == 0)
    for (int l = 0; l < 3; l++)
      if (eigenvalue[l] > FLAT * eigenvalue[2])
        mb_vec3_add_scaled(z, z, mb_vec3_dot(C + 3 * l, r) / eigenvalue[l], C + 3 * l);
  for (size_t j = 0; j < n; j++) {
    double y[3];
    mb_vec3_sub(y, b->E[master[j].body].p, mean);
    master[j].weight = 1 / (double)n + mb_vec3_dot(y, z);
  }
}

static int by_body(const void *a, const void *b) {
  const size_t i = ((const MbMaster *)a)->body, j = ((const MbMaster *)b)->body;
  return (i > j) - (i < j);
}

// Every body once, none without weight, the sum 1 but for rounding; how many are left.
static size_t tidy(MbMaster *master, size_t n) {
  size_t left = 0;
  double sum = 0;
  qsort(master, n, sizeof *master, by_body);
  for (size_t j = 0; j < n; j++) {
    if (left && master[left - 1].body == master[j].body)
      master[left - 1].weight += master[j].weight;
    else
      master[left++] = master[j];
    sum += master[j].weight;
  }
  n = left, left = 0;
  for (size_t j = 0; j < n; j++)
    if (master[j].weight != 0) master[left++] = (MbMaster){master[j].body, master[j].weight / sum};
  return left;
}

// What is between the node and the mean of its masters.
static void find_offset(const Builder *b, MbFollower *follower) {
  mb_vec3_copy(follower->offset, b->E[follower->body].p);
  for (size_t j = 0; j < follower->nmasters; j++)
    mb_vec3_add_scaled(follower->offset, follower->offset, -follower->master[j].weight,
                       b->E[follower->master[j].body].p);
}

static MbStatus too_many(const Builder *b, size_t i, size_t k) {
  char where[WHERE];
  place(where, i, k, "");
  return mb_error(b->report, MB_SCENE, where, "all attachments to nodes have more than %zu weights", PARTS);
}

static MbStatus add_link(Builder *b, size_t i, size_t k, size_t node, const size_t *body) {
  const MbAttachSpec *from = &b->spec->deformables[i].attachments[k];
  const size_t n = from->to.nvertices;
  MbMaster *master = mb_arena_alloc(&b->model->arena, n, sizeof *master);
  if (!master || (!from->to.nweights && !mb_blas_start(1))) return mb_no_memory(b->report, "attachments");
  for (size_t j = 0; j < n; j++) {
    if (body[j] == node) {
      char where[WHERE];
      place(where, i, k, "/to/vertices");
      return mb_error(b->report, MB_SCENE, where, "node \"%s\" cannot be attached to itself",
                      b->model->body_name[node]);
    }
    master[j] = (MbMaster){body[j], from->to.nweights ? from->to.weights[j] : 0};
  }
  if (!from->to.nweights) weigh(b, b->E[node].p, master, n);
  MbLink *link = &b->link[b->count];
  // points have no coordinates that others' could take the place of
  const bool points = b->model->deformables[i].points;
  const MbEnforce enforce = points ? MB_BY_CONSTRAINT : from->enforce;
  *link = (MbLink){.enforce = enforce, .deformable = i, .attachment = k};
  link->follower = (MbFollower){.body = node, .master = master, .nmasters = tidy(master, n)};
  find_offset(b, &link->follower);
  b->of[node] = b->count++;
  b->reduced += enforce == MB_BY_REDUCTION;
  return MB_OK;
}

static MbStatus add_links(Builder *b, size_t i, size_t k, bool *chosen) {
  const MbDeformable *of = &b->model->deformables[i];
  const MbAttachSpec *from = &b->spec->deformables[i].attachments[k];
  char where[WHERE];
  place(where, i, k, "");
  size_t *body = mb_arena_alloc(&b->scratch, from->to.nvertices, sizeof *body);
  if (!body) return mb_no_memory(b->report, "attachments");
  MbStatus status = find_masters(b, i, k, body);
  const MbStatus weights = check_weights(b, i, k);
  if (status == MB_OK) status = weights;
  if (status == MB_OK)
    status = mb_compile_selection(b->model, b->spec, i, &from->select, where, chosen, b->report);
  for (size_t n = 0; n < of->count && status == MB_OK; n++) {
    if (!chosen[n]) continue;
    b->parts += from->to.nvertices;
    status = b->parts > PARTS ? too_many(b, i, k) : add_link(b, i, k, body_of(of, n), body);
  }
  return status;
}

// ---- chains -----------------------------------------------------------------------------------------------

// Masters that follow others themselves give way to those.
static MbStatus resolve(Builder *b, MbLink *link) {
  MbFollower *f = &link->follower;
  size_t n = 0;
  bool chained = false;
  for (size_t j = 0; j < f->nmasters; j++) {
    const size_t l = b->of[f->master[j].body];
    const bool follows = l != MB_WORLD && b->link[l].enforce == MB_BY_REDUCTION;
    n += follows ? b->link[l].follower.nmasters : 1;
    chained |= follows;
  }
  if (link->enforce != MB_BY_REDUCTION || !chained) return MB_OK;
  b->parts += n;
  if (b->parts > PARTS) return too_many(b, link->deformable, link->attachment);
  MbMaster *all = mb_arena_alloc(&b->model->arena, n, sizeof *all);
  if (!all) return mb_no_memory(b->report, "attachments");
  n = 0;
  for (size_t j = 0; j < f->nmasters; j++) {
    const size_t l = b->of[f->master[j].body];
    const MbMaster *part = &f->master[j];
    const bool follows = l != MB_WORLD && b->link[l].enforce == MB_BY_REDUCTION;
    const MbFollower *on = follows ? &b->link[l].follower : NULL;
    for (size_t m = 0; m < (on ? on->nmasters : 1); m++)
      all[n++] = on ? (MbMaster){on->master[m].body, part->weight * on->master[m].weight} : *part;
  }
  f->master = all, f->nmasters = tidy(all, n);
  find_offset(b, f);
  return MB_OK;
}

static MbStatus refuse_circle(const Builder *b, const MbLink *link, size_t master) {
  char where[WHERE];
  place(where, link->deformable, link->attachment, "/to");
  return mb_error(b->report, MB_SCENE, where,
                  "the nodes \"%s\" and \"%s\" are attached to each other in a circle",
                  b->model->body_name[link->follower.body], b->model->body_name[master]);
}

// Depth first: what a link stands on is resolved before it.
static MbStatus resolve_all(Builder *b) {
  enum { NEW, OPEN, DONE };
  size_t *stack = mb_arena_alloc(&b->scratch, b->count, sizeof *stack);
  size_t *next = mb_arena_alloc(&b->scratch, b->count, sizeof *next);
  char *state = mb_arena_alloc(&b->scratch, b->count, sizeof *state);
  if (!stack || !next || !state) return mb_no_memory(b->report, "attachments");
  for (size_t first = 0; first < b->count; first++) {
    size_t depth = 0;
    if (state[first] == DONE) continue;
    stack[depth++] = first, state[first] = OPEN;
    while (depth) {
      MbLink *link = &b->link[stack[depth - 1]];
      size_t *k = &next[stack[depth - 1]];
      if (*k == link->follower.nmasters) {
        const MbStatus status = resolve(b, link);
        if (status != MB_OK) return status;
        state[stack[--depth]] = DONE;
        continue;
      }
      const size_t master = link->follower.master[(*k)++].body, l = b->of[master];
      if (l == MB_WORLD || state[l] == DONE) continue;
      if (state[l] == OPEN) return refuse_circle(b, link, master);
      stack[depth++] = l, state[l] = OPEN;
    }
  }
  return MB_OK;
}

// ---- all --------------------------------------------------------------------------------------------------

static MbStatus keep_followers(Builder *b) {
  MbModel *model = b->model;
  MbFollower *followers = mb_arena_alloc(&model->arena, b->reduced, sizeof *followers);
  if (!followers) return mb_no_memory(b->report, "attachments");
  for (size_t l = 0; l < b->count; l++)
    if (b->link[l].enforce == MB_BY_REDUCTION) followers[model->nfollowers++] = b->link[l].follower;
  model->followers = followers;
  if (b->reduced <= FOLLOWERS) return MB_OK;
  return mb_error(b->report, MB_SCENE, "/deformables",
                  "%zu nodes are attached to nodes by \"reduction\": %d are the most", b->reduced, FOLLOWERS);
}

static MbStatus build(Builder *b) {
  const MbModel *model = b->model;
  bool *chosen = mb_arena_alloc(&b->scratch, mb_compile_most_nodes(model), sizeof *chosen);
  b->of = mb_arena_alloc(&b->scratch, model->nb, sizeof *b->of);
  b->link = mb_arena_alloc(&b->model->arena, model->nb - model->nlisted, sizeof *b->link);
  if (!chosen || !b->of || !b->link) return mb_no_memory(b->report, "attachments");
  for (size_t n = 0; n < model->nb; n++) b->of[n] = MB_WORLD;
  MbStatus status = MB_OK;
  for (size_t i = 0; i < model->ndeformables; i++)
    for (size_t k = 0; k < b->spec->deformables[i].nattachments && status != MB_IO; k++) {
      if (b->spec->deformables[i].attachments[k].body) continue;
      const MbStatus one = add_links(b, i, k, chosen);
      if (one != MB_OK) status = one;
    }
  if (status == MB_OK) status = resolve_all(b);
  return status == MB_OK ? keep_followers(b) : status;
}

MbStatus mb_compile_links(const MbSceneSpec *spec, MbModel *model, const MbPose *E, const MbLink **links,
                          size_t *count, MbReport *report) {
  Builder b = {.spec = spec, .model = model, .E = E, .report = report};
  bool any = false;
  *count = 0;
  for (size_t i = 0; i < model->ndeformables; i++)
    for (size_t k = 0; k < spec->deformables[i].nattachments; k++)
      any |= !spec->deformables[i].attachments[k].body;
  if (!any) return MB_OK;
  const MbStatus status = build(&b);
  mb_arena_free(&b.scratch);
  *links = b.link, *count = b.count;
  return status;
}
