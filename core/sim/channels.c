// A frame's channels: those that the scene asks for, their items' names, and how they are sampled and weighed.
#include "core/base/report.h"
#include "core/sim/balance.h"
#include "core/sim/channel_table.h"
#include "core/sim/channels.h"
#include "core/sim/element_channels.h"
#include "core/sim/lists.h"
#include "core/sim/nodes.h"
#include "core/sim/turns.h"

#include <stdio.h>
#include <string.h>

// What makes the lists of the rows that are LISTED; NULL of others.
static const MbLister *lister_of(const MbSampler *row) {
  static const struct {
    const char *name;
    const MbLister *lister;
  } lists[] = {{"constraint.active", &mb_active_lister},
               {"contact", &mb_touch_lister},
               {"contact.pair", &mb_touch_pair_lister},
               {"contact.impact", &mb_touch_impact_lister}};
  for (size_t i = 0; row->items == LISTED && i < sizeof lists / sizeof *lists; i++)
    if (!strcmp(lists[i].name, row->name)) return lists[i].lister;
  return NULL;
}

static bool of_deformables(const MbSampler *row) {
  return row->items == NODES || row->items == ELEMENTS || row->items == CELLS || row->items == TOTALS;
}

// Whether one of the parts of a name, which points divide, is the first n letters of `part`.
static bool has_part(const char *name, const char *part, size_t n) {
  for (const char *at = name; *at; at += strcspn(at, "."), at += *at == '.')
    if (strcspn(at, ".") == n && !memcmp(at, part, n)) return true;
  return false;
}

static bool is_like(const char *column, const char *channel) {
  for (const char *at = channel; *at; at += strcspn(at, "."), at += *at == '.')
    if (has_part(column, at, strcspn(at, "."))) return true;
  return false;
}

void mb_channels_like(const char *column, char *out, size_t room) {
  size_t n = 0, left = 0, length = 0;
  for (size_t i = 0; i < mb_channel_rows; i++) left += is_like(column, mb_channel_table[i].name);
  if (room) out[0] = 0;
  for (size_t i = 0; i < mb_channel_rows && length < room; i++) {
    const char *name = mb_channel_table[i].name;
    if (!is_like(column, name)) continue;
    left--;
    length += (size_t)snprintf(out + length, room - length, "%s\"%s\"",
                               !n++   ? ""
                               : left ? ", "
                                      : " or ",
                               name);
  }
}

// The row of a name; for one of a deformable's channels also whose, NULL for those of all deformables.
static const MbSampler *find(const MbModel *model, const char *name, const MbDeformable **of) {
  *of = NULL;
  for (size_t i = 0; i < mb_channel_rows; i++)
    if (!strcmp(mb_channel_table[i].name, name)) return &mb_channel_table[i];
  for (size_t i = 0; i < mb_channel_rows * model->ndeformables; i++) {
    const MbSampler *row = &mb_channel_table[i % mb_channel_rows];
    *of = &model->deformables[i / mb_channel_rows];
    if (!of_deformables(row)) continue;
    const size_t before = strcspn(row->name, "*"), n = strlen((*of)->name);
    if (!strncmp(name, row->name, before) && !strncmp(name + before, (*of)->name, n) &&
        !strcmp(name + before + n, row->name + before + 1))
      return row;
  }
  return NULL;
}

// Coordinate i of a joint in a few letters: "" where it has one, its number where it has several, the name of the part that it
// belongs to where a composite's has one, "wrist.0", "wrist.1" … where that has several.
static void name_coordinate(const MbJoint *joint, size_t i, char *out, size_t size) {
  size_t first = 0, k = 0;
  while (k < joint->nparts && i >= first + joint->part[k].n) first += joint->part[k++].n;
  if (k == joint->nparts || !joint->part[k].name) {
    *out = 0;
    if (joint->n > 1) snprintf(out, size, ".%zu", i);
    return;
  }
  const int n = snprintf(out, size, ".%s", joint->part[k].name);
  if (n > 0 && (size_t)n < size) name_coordinate(&joint->part[k], i - first, out + n, size - (size_t)n);
}

// "body" for the coordinate of a joint that has one, "body.0", "body.1" … for those of others, "body.yaw" for named parts.
static const char **name_coordinates(MbSim *sim, size_t count) {
  const MbModel *model = sim->model;
  const char **names = mb_arena_alloc(&sim->arena, count + 1, sizeof *names);
  size_t k = 0;
  for (size_t b = 0; names && b < model->nlisted; b++)
    for (size_t i = 0; model->joint[b].ops && i < model->joint[b].n; i++) {
      char coordinate[512], name[1024];
      name_coordinate(&model->joint[b], i, coordinate, sizeof coordinate);
      snprintf(name, sizeof name, "%s%s", model->body_name[b], coordinate);
      names[k] = *coordinate ? mb_arena_strdup(&sim->arena, name) : model->body_name[b];
      if (!names[k++]) return NULL;
    }
  return names;
}

static size_t count_coordinates(const MbModel *model) {
  size_t count = 0;
  for (size_t b = 0; b < model->nlisted; b++) count += model->joint[b].ops ? model->joint[b].n : 0;
  return count;
}

// The bodies that have a joint; NULL: out of memory.
static const char **name_joints(MbSim *sim, size_t *count) {
  const MbModel *model = sim->model;
  const char **names = mb_arena_alloc(&sim->arena, model->nlisted + 1, sizeof *names);
  *count = 0;
  for (size_t b = 0; names && b < model->nlisted; b++)
    if (model->joint[b].ops) names[(*count)++] = model->body_name[b];
  return names;
}

// How many things a channel is about, and their names.
typedef struct Items {
  size_t count;
  const char *const *names;
} Items;

static MbStatus add_channel(MbSim *sim, const MbSampler *row, const char *name, Items items,
                            const MbDeformable *of, MbReport *report) {
  for (size_t i = 0; i < sim->nchannels; i++)
    if (!strcmp(sim->channels[i].name, name))
      return mb_error(report, MB_SCENE, "/output/channels", "the channel \"%s\" is there twice", name);
  const char *const *components = row->components;
  const size_t width = row->measure ? row->measure(sim, of, &components) : row->width;
  const MbLister *lister = lister_of(row);
  const MbList *list = lister ? lister->describe(sim) : NULL;
  const size_t nvectors = row->flags & VECTORS ? mb_joint_vectors(sim->model, NULL) : 0;
  size_t *vectors = nvectors ? mb_arena_alloc(&sim->arena, nvectors, sizeof *vectors) : NULL;
  if ((lister && !list) || (nvectors && !vectors)) return mb_no_memory(report, "channels");
  if (vectors) mb_joint_vectors(sim->model, vectors);
  sim->lists[sim->nchannels].lister = lister;
  sim->forces_asked |= row->need == FORCES;
  sim->samplers[sim->nchannels] = row;
  sim->sampled[sim->nchannels] = of;
  sim->channels[sim->nchannels++] = (MbChannel){.name = name,
                                                .unit = row->unit,
                                                .quantity = row->quantity,
                                                .rotation = row->flags & ROTATION,
                                                .unstable = row->flags & UNSTABLE,
                                                .items = items.count,
                                                .width = width,
                                                .offset = sim->frame_size,
                                                .items_names = items.names,
                                                .component_names = components,
                                                .vectors = vectors,
                                                .nvectors = nvectors,
                                                .list = list};
  sim->frame_size += items.count * width;
  return MB_OK;
}

// Of one deformable, or of each: "deformable.rope.position".
static MbStatus add_deformables(MbSim *sim, const MbSampler *row, const MbDeformable *of, MbReport *report) {
  const MbModel *model = sim->model;
  MbStatus status = MB_OK;
  for (size_t i = 0; i < model->ndeformables && status == MB_OK; i++) {
    const MbDeformable *one = &model->deformables[i];
    if (of && of != one) continue;
    const size_t count = row->items == NODES ? one->count : row->items == CELLS ? mb_element_count(one) : 1;
    if (row->items != NODES && row->items != TOTALS && (!one->elements || !count))
      return mb_error(report, MB_SCENE, "/output/channels",
                      "\"%s\" has no elements: it has no channel \"%s\"", one->name, row->name);
    char name[300];
    const int before = (int)strcspn(row->name, "*");
    snprintf(name, sizeof name, "%.*s%s%s", before, row->name, one->name, row->name + before + 1);
    const char *kept = mb_arena_strdup(&sim->arena, name);
    if (!kept) return mb_no_memory(report, "channels");
    status = add_channel(sim, row, kept, (Items){count, NULL}, one, report);
  }
  return status;
}

// What this run cannot tell, and what accelerations need.
static MbStatus prepare(MbSim *sim, const MbSampler *row, MbReport *report) {
  if ((row->items == SOLUTION || row->items == ITERATIONS) && !sim->nodes)
    return mb_error(report, MB_SCENE, "/output/channels", "the channel \"%s\" is of solver \"projective\"",
                    row->name);
  if (row->flags & TOUCHES && !sim->model->contacts.given)
    return mb_error(report, MB_SCENE, "/output/channels",
                    "the channel \"%s\" is of scenes with \"contact\", and this one has none", row->name);
  if (row->need != BALANCE) return MB_OK;
  if (sim->model->dry)
    return mb_error(report, MB_SCENE, "/output/channels",
                    "the channel \"%s\" is not offered with dry friction in joints: what it pushes is known "
                    "over steps, not at a moment; channel \"constraint.force\" tells it",
                    row->name);
  if (sim->model->contacts.any)
    return mb_error(
        report, MB_SCENE, "/output/channels",
        "the channel \"%s\" is not offered with contact in this version: what contacts push is known over "
        "steps, not at a moment; channel \"contact\" tells it",
        row->name);
  if (sim->model->solver.mode == MB_FIRST_ORDER)
    return mb_error(report, MB_SCENE, "/output/channels",
                    "the channel \"%s\" is of mode \"dynamic\": in mode \"first_order\" forces give "
                    "velocities, and nothing accelerates",
                    row->name);
  if (sim->nodes && row->items == JOINTS)
    return mb_error(
        report, MB_SCENE, "/output/channels",
        "the channel \"%s\" is not offered with deformables under solver \"projective\", where bodies do not "
        "feel their nodes",
        row->name);
  return sim->balance ? MB_OK : mb_balance_create(sim, report);
}

MbStatus mb_channels_build(MbSim *sim, MbReport *report) {
  const MbModel *model = sim->model;
  const size_t ncoordinates = count_coordinates(model);
  const size_t most = mb_channel_rows + model->nchannels + mb_channel_rows * model->ndeformables;
  const char **coordinates = name_coordinates(sim, ncoordinates);
  sim->channels = mb_arena_alloc(&sim->arena, most, sizeof *sim->channels);
  sim->samplers = mb_arena_alloc(&sim->arena, most, sizeof *sim->samplers);
  sim->sampled = mb_arena_alloc(&sim->arena, most, sizeof *sim->sampled);
  sim->lists = mb_arena_alloc(&sim->arena, most, sizeof *sim->lists);
  size_t nmuscles = 0, njoints = 0;
  const char **joints = name_joints(sim, &njoints);
  const char **muscle_names = mb_arena_alloc(&sim->arena, model->nforces + 1, sizeof *muscle_names);
  for (size_t i = 0; muscle_names && i < model->nforces; i++)
    if (model->forces[i].ops->muscle) muscle_names[nmuscles++] = model->forces[i].name;
  if (!coordinates || !joints || !muscle_names || !sim->channels || !sim->samplers || !sim->sampled ||
      !sim->lists)
    return mb_no_memory(report, "channels");

  const Items items[] = {[ONE] = {1, NULL},
                         [BODIES] = {model->nlisted, model->listed},
                         [COORDINATES] = {ncoordinates, coordinates},
                         [JOINTS] = {njoints, joints},
                         [ROWS] = {model->nslots, model->slots},
                         [MUSCLES] = {nmuscles, muscle_names},
                         [SOLUTION] = {1, NULL},
                         [LISTED] = {1, NULL},
                         [ITERATIONS] = {mb_nodes_history_size(sim), NULL}};
  const size_t asked = model->channels ? model->nchannels : mb_channel_rows;
  MbStatus status = MB_OK;
  for (size_t i = 0; i < asked && status == MB_OK; i++) {
    const MbDeformable *of = NULL;
    const MbSampler *row = model->channels ? find(model, model->channels[i], &of) : &mb_channel_table[i];
    if (!row)
      return mb_error(report, MB_SCENE, "/output/channels", "there is no channel \"%s\"", model->channels[i]);
    if (!model->channels && (!(row->flags & STANDARD) || (row->items == COORDINATES && !ncoordinates)))
      continue;
    status = prepare(sim, row, report);
    if (status != MB_OK) break;
    status = of_deformables(row) ? add_deformables(sim, row, of, report)
                                 : add_channel(sim, row, row->name, items[row->items], NULL, report);
  }
  return status;
}

const MbChannel *mb_sim_channels(const MbSim *sim, size_t *count) {
  *count = sim->nchannels;
  return sim->channels;
}

size_t mb_sim_frame_size(const MbSim *sim) { return sim->frame_size; }

const MbChannel *mb_sim_channel(const MbSim *sim, const char *name) {
  for (size_t i = 0; i < sim->nchannels; i++)
    if (!strcmp(sim->channels[i].name, name)) return &sim->channels[i];
  return NULL;
}

static MbStatus sample(MbSim *sim, size_t i, double *out, MbReport *report) {
  if (sim->lists[i].lister) return mb_sim_list_make(sim, i, out, report);
  if (sim->sampled[i])
    sim->samplers[i]->sample_nodes(sim, sim->sampled[i], out);
  else
    sim->samplers[i]->sample(sim, out);
  return MB_OK;
}

MbStatus mb_sim_read(MbSim *sim, const MbChannel *channel, double *out, MbReport *report) {
  const size_t i = (size_t)(channel - sim->channels);
  const MbStatus status = sim->samplers[i]->need == BALANCE ? mb_balance_evaluate(sim, report) : MB_OK;
  return status == MB_OK ? sample(sim, i, out, report) : status;
}

MbStatus mb_sim_sample(MbSim *sim, double *frame, MbReport *report) {
  MbStatus status = sim->balance ? mb_balance_evaluate(sim, report) : MB_OK;
  for (size_t i = 0; i < sim->nchannels && status == MB_OK; i++)
    status = sample(sim, i, frame + sim->channels[i].offset, report);
  return status;
}

bool mb_sim_weigh(const MbSim *sim, const double *weights, MbWeighed *to, double *left) {
  bool all = true;
  for (size_t i = 0; i < sim->nchannels; i++) {
    const MbChannel *channel = &sim->channels[i];
    const MbSampler *row = sim->samplers[i];
    const size_t n = mb_channel_size(channel);
    double *rest = left + channel->offset;
    memcpy(rest, weights + channel->offset, n * sizeof *rest);
    if (row->weigh && row->weigh(sim, rest, to)) memset(rest, 0, n * sizeof *rest);
    for (size_t k = 0; k < n; k++) all &= rest[k] == 0;
  }
  return all;
}

bool mb_sim_weighs(const MbSim *sim, size_t column) {
  for (size_t i = 0; i < sim->nchannels; i++) {
    const MbChannel *channel = &sim->channels[i];
    if (column >= channel->offset && column < channel->offset + mb_channel_size(channel))
      return sim->samplers[i]->weigh != NULL;
  }
  return false;
}

double mb_sim_weighed(const MbSim *sim, const MbModel *model, const double *weights, double *frame) {
  MbSim as = *sim;
  double sum = 0;
  as.model = model;
  for (size_t i = 0; i < sim->nchannels; i++) {
    const MbChannel *channel = &sim->channels[i];
    const size_t n = mb_channel_size(channel);
    double *const out = frame + channel->offset;
    if (!sim->samplers[i]->weigh) continue;
    sim->samplers[i]->sample(&as, out);
    for (size_t k = 0; k < n; k++) sum += weights[channel->offset + k] * out[k];
  }
  return sum;
}
