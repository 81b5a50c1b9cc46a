// The channels that a frame can hold: one table; a new one is one row and its sampler.
#include "core/base/report.h"
#include "core/forces/forces.h"
#include "core/math/spatial.h"
#include "core/model/coordinates.h"
#include "core/sim/accelerate.h"
#include "core/sim/accounting.h"
#include "core/sim/balance.h"
#include "core/sim/body_frame.h"
#include "core/sim/channel_weights.h"
#include "core/sim/channels.h"
#include "core/sim/constrain.h"
#include "core/sim/element_channels.h"
#include "core/sim/lists.h"
#include "core/sim/nodes.h"

#include <stdio.h>
#include <string.h>

// COORDINATES: of the joints, in the tree's order; JOINTS: the bodies that have one; ROWS: of the constraints; ELEMENTS: each deformable that has such; CELLS: their elements, one
// by one; TOTALS: each deformable;
// SOLUTION: one, where there are elements; ITERATIONS: those of a step, there; LISTED: as many as there are in a frame
typedef enum MbItems {
  ONE,
  BODIES,
  COORDINATES,
  JOINTS,
  ROWS,
  MUSCLES,
  NODES,
  ELEMENTS,
  CELLS,
  TOTALS,
  SOLUTION,
  ITERATIONS,
  LISTED
} MbItems;

// What has to be known before a channel is sampled.
typedef enum MbNeed {
  STATE,  // nothing else
  FORCES, // of the constraints, over the last step
  BALANCE // of forces and accelerations, at the state
} MbNeed;

struct MbSampler {
  const char *name, *unit;
  MbQuantity quantity;
  bool rotation, standard; // standard: in a frame when the scene says nothing
  MbItems items;
  size_t width;
  MbNeed need;
  const char *const *components;
  void (*sample)(const MbSim *sim, double *out);
  // of NODES, ELEMENTS, CELLS and TOTALS, one deformable's
  void (*sample_nodes)(const MbSim *sim, const MbDeformable *of, double *out);
  bool (*weigh)(const MbSim *sim, const double *weights, MbWeighed *to); // channel_weights.h
};

static void sample_position(const MbSim *sim, double *out) {
  MbPose B;
  for (size_t i = 0; i < sim->model->nlisted; i++) {
    mb_sim_body_frame(sim, sim->model->number[i], &B);
    mb_vec3_copy(out + 3 * i, B.p);
  }
}

static void sample_rotation(const MbSim *sim, double *out) {
  MbPose B;
  for (size_t i = 0; i < sim->model->nlisted; i++) {
    mb_sim_body_frame(sim, sim->model->number[i], &B);
    memcpy(out + 4 * i, B.q, sizeof B.q);
  }
}

static void sample_velocity(const MbSim *sim, double *out) {
  for (size_t i = 0; i < sim->model->nlisted; i++)
    mb_sim_body_velocity(sim, sim->model->number[i], out + 6 * i);
}

// Coordinates or velocities of the joints: what bodies free in space have too is left out.
static void copy_joints(const MbModel *model, const double *from, const size_t *first, double *out) {
  for (size_t b = 0; b < model->nlisted; b++) {
    const size_t n = model->joint[b].ops ? model->joint[b].n : 0;
    memcpy(out, from + first[b], n * sizeof *out);
    out += n;
  }
}

static void sample_joint_position(const MbSim *sim, double *out) {
  copy_joints(sim->model, sim->x.q, sim->model->q_first, out);
}

static void sample_joint_velocity(const MbSim *sim, double *out) {
  const MbModel *model = sim->model;
  copy_joints(model, sim->x.v, model->v_first, out);
  for (size_t b = 0; b < model->nlisted; b++) {
    const MbJoint *joint = &model->joint[b];
    if (!joint->ops) continue;
    if (joint->ops->change) joint->ops->change(joint, sim->x.q + model->q_first[b], MB_TO_RATES, out);
    out += joint->n;
  }
}

// A signal at the state's time: what the forces last saw lies in the step before.
static void refresh(const MbSim *sim, size_t s) {
  if (s != MB_WORLD) sim->signal[s] = mb_sim_signal(sim, s, sim->state.t);
}

static void sample_joint_force(const MbSim *sim, double *out) {
  const MbModel *model = sim->model;
  double *y = sim->along;
  mb_constraint_reactions(sim, y);
  for (size_t i = 0; i < model->ndrives; i++)
    refresh(sim, model->drives[i].force), refresh(sim, model->drives[i].target),
        refresh(sim, model->drives[i].target_velocity);
  mb_coordinates_driven(model, &sim->x, sim->x.q, sim->x.v, y);
  mb_sim_reactions((MbSim *)sim, y);
  copy_joints(sim->model, y, sim->model->v_first, out);
}

static void sample_body_acceleration(const MbSim *sim, double *out) {
  for (size_t i = 0; i < sim->model->nlisted; i++) mb_balance_body(sim, sim->model->number[i], out + 6 * i);
}

static void sample_joint_acceleration(const MbSim *sim, double *out) {
  copy_joints(sim->model, mb_balance_coordinates(sim), sim->model->v_first, out);
}

static void sample_joint_reaction(const MbSim *sim, double *out) {
  for (size_t b = 0; b < sim->model->nlisted; b++) {
    if (!sim->model->joint[b].ops) continue;
    mb_balance_reaction(sim, b, out);
    out += 6;
  }
}

static void sample_constraint_error(const MbSim *sim, double *out) { mb_constraint_errors(sim, out); }

static void sample_constraint_force(const MbSim *sim, double *out) {
  const MbModel *model = sim->model;
  memcpy(out, mb_section(sim, MB_SECTION_FORCES), model->nslots * sizeof *out);
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *c = &model->constraints[i];
    for (size_t k = 0; c->ops->felt && k < c->rows; k++) out[c->slot + k] *= c->ops->felt(c);
  }
}

static void sample_energy(const MbSim *sim, double *out) {
  MbEnergy e = mb_energy(sim->model, &sim->x);
  mb_nodes_energy(sim, &e);
  out[0] = e.kinetic, out[1] = e.gravity, out[2] = e.elastic, out[3] = e.total;
  out += 4;
  if (sim->model->contacts.any) *out++ = mb_section(sim, MB_SECTION_CONTACT)[0];
  if (sim->model->dry) *out = mb_section(sim, MB_SECTION_FRICTION)[0];
}

static void sample_momentum(const MbSim *sim, double *out) {
  mb_momentum(sim->model, &sim->x, out, out + 3);
  mb_nodes_momentum(sim, out, out + 3);
}

static void sample_muscle(const MbSim *sim, double *out) {
  const MbModel *model = sim->model;
  for (size_t i = 0; i < model->nforces; i++) {
    const MbForce *force = &model->forces[i];
    if (!force->ops->muscle) continue;
    refresh(sim, force->signal[0]);
    force->ops->muscle(force, &sim->x, out);
    out += 3;
  }
}

static void sample_node_position(const MbSim *sim, const MbDeformable *of, double *out) {
  if (of->points) {
    memcpy(out, mb_nodes_places(sim) + 3 * of->first, 3 * of->count * sizeof *out);
    return;
  }
  for (size_t i = 0; i < of->count; i++) mb_vec3_copy(out + 3 * i, sim->x.E[of->first + i].p);
}

static void sample_node_velocity(const MbSim *sim, const MbDeformable *of, double *out) {
  if (of->points) {
    memcpy(out, mb_nodes_velocities(sim) + 3 * of->first, 3 * of->count * sizeof *out);
    return;
  }
  for (size_t b = of->first, i = 0; i < of->count; i++, b++)
    mb_quat_rotate(out + 3 * i, sim->x.E[b].q, sim->x.phi + 6 * b + 3);
}

static void measure(const MbSim *sim, const MbDeformable *of, double *volume, double *strain) {
  const MbModel *model = sim->model;
  if (of->points) {
    mb_nodes_measure(sim, of, volume, strain);
    return;
  }
  for (size_t i = 0; i < model->nforces; i++)
    if (model->forces[i].elements && model->forces[i].elements->of == of->elements)
      mb_elements_measure(model->forces[i].elements, &sim->x, volume, strain);
}

static void sample_volume(const MbSim *sim, const MbDeformable *of, double *out) {
  double strain = 0;
  measure(sim, of, out, &strain);
}

static void sample_strain(const MbSim *sim, const MbDeformable *of, double *out) {
  double volume = 0;
  measure(sim, of, &volume, out);
}

static void sample_solution(const MbSim *sim, double *out) {
  double seconds;
  mb_nodes_solution(sim, out, &seconds);
}

static void sample_time(const MbSim *sim, double *out) {
  double solution[4];
  mb_nodes_solution(sim, solution, out);
}

static void sample_contact_solution(const MbSim *sim, double *out) {
  const bool solved = sim->section[MB_SECTION_TOLD + 1] > sim->section[MB_SECTION_TOLD];
  static const double none[MB_SOLVED_NUMBERS] = {0};
  const double *told = solved ? mb_section(sim, MB_SECTION_TOLD) : none;
  out[0] = told[MB_SOLVED_LAST_CONTACTS];
  out[1] = told[MB_SOLVED_LAST_ITERATIONS];
  out[2] = told[MB_SOLVED_LAST_NATURAL];
  out[3] = told[MB_SOLVED_LAST_DEEPEST];
  out[4] = told[MB_SOLVED_MISSED];
}

static const char *const xyz[] = {"x", "y", "z"}, *const wxyz[] = {"w", "x", "y", "z"};
static const char *const twist[] = {"wx", "wy", "wz", "vx", "vy", "vz"};
static const char *const rates[] = {"alphax", "alphay", "alphaz", "ax", "ay", "az"};
static const char *const wrench[] = {"tx", "ty", "tz", "fx", "fy", "fz"};
static const char *const energies[] = {"kinetic", "gravity", "elastic", "total", "contact", "friction"};
static const char *const energies_with_friction[] = {"kinetic", "gravity", "elastic", "total", "friction"};
static const char *const errors[] = {"position", "velocity"};
static const char *const momenta[] = {"lx", "ly", "lz", "ax", "ay", "az"};
static const char *const solution[] = {"iterations", "residual", "left", "missed"};
static const char *const contact_solution[] = {"contacts", "iterations", "natural", "depth", "missed"};
static const char *const muscles[] = {"length", "speed", "force"};
static const char *const counts[] = {"count"}, *const totals[] = {"normal", "fx", "fy", "fz"};
static const char *const tensor[] = {"xx", "yy", "zz", "xy", "yz", "xz"};
static const char *const principal[] = {"1", "2", "3"};

static const MbSampler table[] = {
    // clang-format off
    {"body.position",  "m",                  MB_POSE,     false, true,  BODIES,      3, STATE,   xyz,      sample_position, NULL, mb_weigh_position},
    {"body.rotation",  "",                   MB_POSE,     true,  true,  BODIES,      4, STATE,   wxyz,     sample_rotation, NULL, mb_weigh_rotation},
    {"body.velocity",  "rad/s, m/s",         MB_VELOCITY, false, false, BODIES,      6, STATE,   twist,    sample_velocity, NULL, mb_weigh_velocity},
    {"body.acceleration", "rad/s², m/s²",    MB_ACCELERATION, false, false, BODIES,  6, BALANCE, rates,    sample_body_acceleration, NULL, NULL},
    {"joint.position", "m, rad",             MB_POSE,     false, true,  COORDINATES, 1, STATE,   NULL,     sample_joint_position, NULL, mb_weigh_joint_position},
    {"joint.velocity", "m/s, rad/s",         MB_VELOCITY, false, false, COORDINATES, 1, STATE,   NULL,     sample_joint_velocity, NULL, mb_weigh_joint_velocity},
    {"joint.acceleration", "m/s², rad/s²",   MB_ACCELERATION, false, false, COORDINATES, 1, BALANCE, NULL, sample_joint_acceleration, NULL, NULL},
    {"joint.force",    "N, N m",             MB_FORCE,    false, false, COORDINATES, 1, FORCES,  NULL,     sample_joint_force, NULL, NULL},
    {"joint.reaction", "N m, N",             MB_FORCE,    false, false, JOINTS,      6, BALANCE, wrench,   sample_joint_reaction, NULL, NULL},
    {"constraint.error", "m, rad, m/s, rad/s", MB_OTHER,  false, false, ONE,         2, STATE,   errors,   sample_constraint_error, NULL, NULL},
    {"constraint.force", "N, N m",           MB_FORCE,    false, false, ROWS,        1, FORCES,  NULL,     sample_constraint_force, NULL, NULL},
    {"constraint.active", "",                MB_OTHER,    false, false, LISTED,      1, FORCES,  counts,   NULL, NULL, NULL},
    {"contact",        "",                   MB_OTHER,    false, false, LISTED,      1, STATE,   counts,   NULL, NULL, NULL},
    {"contact.pair",   "",                   MB_OTHER,    false, false, LISTED,      1, STATE,   counts,   NULL, NULL, NULL},
    {"contact.impact", "",                   MB_OTHER,    false, false, LISTED,      1, STATE,   counts,   NULL, NULL, NULL},
    {"energy",         "J",                  MB_ENERGY,   false, true,  ONE,         4, STATE,   energies, sample_energy, NULL, NULL},
    {"momentum",       "kg m/s, kg m²/s",    MB_OTHER,    false, false, ONE,         6, STATE,   momenta,  sample_momentum, NULL, NULL},
    {"muscle",         "m, m/s, N",          MB_OTHER,    false, false, MUSCLES,     3, STATE,   muscles,  sample_muscle, NULL, NULL},
    {"deformable.*.position", "m",           MB_POSE,     false, true,  NODES,       3, STATE,   xyz,      NULL, sample_node_position, NULL},
    {"deformable.*.velocity", "m/s",         MB_VELOCITY, false, false, NODES,       3, STATE,   xyz,      NULL, sample_node_velocity, NULL},
    {"deformable.*.volume",   "m³",          MB_OTHER,    false, false, ELEMENTS,    1, STATE,   NULL,     NULL, sample_volume, NULL},
    {"deformable.*.strain",   "",            MB_OTHER,    false, false, ELEMENTS,    1, STATE,   NULL,     NULL, sample_strain, NULL},
    {"deformable.*.stress",           "Pa", MB_OTHER, false, false, CELLS, 6, STATE, tensor,    NULL, mb_element_stresses, NULL},
    {"deformable.*.principal_stress", "Pa", MB_OTHER, false, false, CELLS, 3, STATE, principal, NULL, mb_element_principal_stresses, NULL},
    {"deformable.*.von_mises",        "Pa", MB_OTHER, false, false, CELLS, 1, STATE, NULL,      NULL, mb_element_von_mises_all, NULL},
    {"deformable.*.element_strain",   "",   MB_OTHER, false, false, CELLS, 6, STATE, tensor,    NULL, mb_element_strains, NULL},
    {"deformable.*.principal_strain", "",   MB_OTHER, false, false, CELLS, 3, STATE, principal, NULL, mb_element_principal_strains, NULL},
    {"deformable.*.contact",          "N",  MB_FORCE, false, false, TOTALS, 4, STATE, totals, NULL, mb_touch_total, NULL},
    {"solver",         "",                   MB_OTHER,    false, false, SOLUTION,    4, STATE,   solution, sample_solution, NULL, NULL},
    {"solver.history", "",                   MB_OTHER,    false, false, ITERATIONS,  1, STATE,   NULL,     mb_nodes_history, NULL, NULL},
    {"solver.contact", "",                   MB_OTHER,    false, false, ONE,         5, STATE,   contact_solution, sample_contact_solution, NULL, NULL},
    {"solver.time",    "s",                  MB_OTHER,    false, false, SOLUTION,    1, STATE,   NULL,     sample_time, NULL, NULL},
    // clang-format on
};
enum { CHANNELS = sizeof table / sizeof *table };

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

const char *mb_channel_word(size_t i) { return i < CHANNELS ? table[i].name : NULL; }

// The row of a name; for one of a deformable's channels also whose, NULL for those of all deformables.
static const MbSampler *find(const MbModel *model, const char *name, const MbDeformable **of) {
  *of = NULL;
  for (size_t i = 0; i < CHANNELS; i++)
    if (!strcmp(table[i].name, name)) return &table[i];
  for (size_t i = 0; i < CHANNELS * model->ndeformables; i++) {
    const MbSampler *row = &table[i % CHANNELS];
    *of = &model->deformables[i / CHANNELS];
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
  const bool energy = row->sample == sample_energy, touches = sim->model->contacts.any;
  const size_t width = row->components == principal
                           ? mb_element_rank(of)
                           : row->width + (energy && touches) + (energy && sim->model->dry);
  const MbLister *lister = lister_of(row);
  const MbList *list = lister ? lister->describe(sim) : NULL;
  if (lister && !list) return mb_no_memory(report, "channels");
  sim->lists[sim->nchannels].lister = lister;
  sim->forces_asked |= row->need == FORCES;
  sim->samplers[sim->nchannels] = row;
  sim->sampled[sim->nchannels] = of;
  sim->channels[sim->nchannels++] =
      (MbChannel){.name = name,
                  .unit = row->unit,
                  .quantity = row->quantity,
                  .rotation = row->rotation,
                  .unstable = row->sample == sample_time,
                  .items = items.count,
                  .width = width,
                  .offset = sim->frame_size,
                  .items_names = items.names,
                  .component_names = energy && !touches ? energies_with_friction : row->components,
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
  const bool contact =
      !strncmp(row->name, "contact", 7) || row->items == TOTALS || row->sample == sample_contact_solution;
  if (contact && !sim->model->contacts.given)
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
  const size_t most = CHANNELS + model->nchannels + CHANNELS * model->ndeformables;
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
  const size_t asked = model->channels ? model->nchannels : CHANNELS;
  MbStatus status = MB_OK;
  for (size_t i = 0; i < asked && status == MB_OK; i++) {
    const MbDeformable *of = NULL;
    const MbSampler *row = model->channels ? find(model, model->channels[i], &of) : &table[i];
    if (!row)
      return mb_error(report, MB_SCENE, "/output/channels", "there is no channel \"%s\"", model->channels[i]);
    if (!model->channels && (!row->standard || (row->items == COORDINATES && !ncoordinates))) continue;
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
