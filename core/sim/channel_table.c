// The channels that a frame can hold: a new one is one row and its sampler.
#include "core/forces/forces.h"
#include "core/model/coordinates.h"
#include "core/sim/accelerate.h"
#include "core/sim/accounting.h"
#include "core/sim/balance.h"
#include "core/sim/body_frame.h"
#include "core/sim/channel_table.h"
#include "core/sim/constrain.h"
#include "core/sim/element_channels.h"
#include "core/sim/lists.h"
#include "core/sim/nodes.h"

#include <string.h>

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
  if (sim->model->dry) *out++ = mb_section(sim, MB_SECTION_FRICTION)[0];
  if (sim->model->contacts.any) *out = mb_section(sim, MB_SECTION_CONTACT)[1];
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
static const char *const energies[] = {"kinetic", "gravity", "elastic", "total", "contact", "parted"};
static const char *const energies_with_both[] = {"kinetic", "gravity",  "elastic", "total",
                                                 "contact", "friction", "parted"};
static const char *const energies_with_friction[] = {"kinetic", "gravity", "elastic", "total", "friction"};
static const char *const errors[] = {"position", "velocity"};
static const char *const momenta[] = {"lx", "ly", "lz", "ax", "ay", "az"};
static const char *const solution[] = {"iterations", "residual", "left", "missed"};
static const char *const contact_solution[] = {"contacts", "iterations", "natural", "depth", "missed"};
static const char *const muscles[] = {"length", "speed", "force"};
static const char *const counts[] = {"count"}, *const totals[] = {"normal", "fx", "fy", "fz"};
static const char *const tensor[] = {"xx", "yy", "zz", "xy", "yz", "xz"};
static const char *const principal[] = {"1", "2", "3"};

static size_t energy_parts(const MbSim *sim, const MbDeformable *of, const char *const **components) {
  const bool touches = sim->model->contacts.any;
  (void)of;
  *components = !touches ? energies_with_friction : sim->model->dry ? energies_with_both : energies;
  return (size_t)4 + (touches ? 2 : 0) + sim->model->dry;
}

static size_t by_rank(const MbSim *sim, const MbDeformable *of, const char *const **components) {
  (void)sim;
  *components = principal;
  return mb_element_rank(of);
}

const MbSampler mb_channel_table[] = {
    // clang-format off
    {"body.position",  "m",                  MB_POSE,     STANDARD, BODIES,      3, STATE,   xyz,      sample_position, NULL, NULL, mb_weigh_position},
    {"body.rotation",  "",                   MB_POSE,     ROTATION | STANDARD, BODIES,      4, STATE,   wxyz,     sample_rotation, NULL, NULL, mb_weigh_rotation},
    {"body.velocity",  "rad/s, m/s",         MB_VELOCITY, 0,            BODIES,      6, STATE,   twist,    sample_velocity, NULL, NULL, mb_weigh_velocity},
    {"body.acceleration", "rad/s², m/s²",    MB_ACCELERATION, 0,            BODIES,  6, BALANCE, rates,    sample_body_acceleration, NULL, NULL, NULL},
    {"joint.position", "m, rad",             MB_POSE,     STANDARD | VECTORS, COORDINATES, 1, STATE,   NULL,     sample_joint_position, NULL, NULL, mb_weigh_joint_position},
    {"joint.velocity", "m/s, rad/s",         MB_VELOCITY, 0,            COORDINATES, 1, STATE,   NULL,     sample_joint_velocity, NULL, NULL, mb_weigh_joint_velocity},
    {"joint.acceleration", "m/s², rad/s²",   MB_ACCELERATION, 0,            COORDINATES, 1, BALANCE, NULL, sample_joint_acceleration, NULL, NULL, NULL},
    {"joint.force",    "N, N m",             MB_FORCE,    0,        COORDINATES, 1, FORCES,  NULL,     sample_joint_force, NULL, NULL, NULL},
    {"joint.reaction", "N m, N",             MB_FORCE,    0,        JOINTS,      6, BALANCE, wrench,   sample_joint_reaction, NULL, NULL, NULL},
    {"constraint.error", "m, rad, m/s, rad/s", MB_OTHER,  0,        ONE,         2, STATE,   errors,   sample_constraint_error, NULL, NULL, NULL},
    {"constraint.force", "N, N m",           MB_FORCE,    0,        ROWS,        1, FORCES,  NULL,     sample_constraint_force, NULL, NULL, NULL},
    {"constraint.active", "",                MB_OTHER,    0,        LISTED,      1, FORCES,  counts,   NULL, NULL, NULL, NULL},
    {"contact",        "",                   MB_OTHER,    TOUCHES,  LISTED,      1, STATE,   counts,   NULL, NULL, NULL, NULL},
    {"contact.pair",   "",                   MB_OTHER,    TOUCHES,  LISTED,      1, STATE,   counts,   NULL, NULL, NULL, NULL},
    {"contact.impact", "",                   MB_OTHER,    TOUCHES,  LISTED,      1, STATE,   counts,   NULL, NULL, NULL, NULL},
    {"energy",         "J",                  MB_ENERGY,   STANDARD, ONE,         4, STATE,   energies, sample_energy, NULL, energy_parts, NULL},
    {"momentum",       "kg m/s, kg m²/s",    MB_OTHER,    0,        ONE,         6, STATE,   momenta,  sample_momentum, NULL, NULL, NULL},
    {"muscle",         "m, m/s, N",          MB_OTHER,    0,        MUSCLES,     3, STATE,   muscles,  sample_muscle, NULL, NULL, NULL},
    {"deformable.*.position", "m",           MB_POSE,     STANDARD, NODES,       3, STATE,   xyz,      NULL, sample_node_position, NULL, NULL},
    {"deformable.*.velocity", "m/s",         MB_VELOCITY, 0,            NODES,       3, STATE,   xyz,      NULL, sample_node_velocity, NULL, NULL},
    {"deformable.*.volume",   "m³",          MB_OTHER,    0,        ELEMENTS,    1, STATE,   NULL,     NULL, sample_volume, NULL, NULL},
    {"deformable.*.strain",   "",            MB_OTHER,    0,        ELEMENTS,    1, STATE,   NULL,     NULL, sample_strain, NULL, NULL},
    {"deformable.*.stress",           "Pa", MB_OTHER, 0,       CELLS, 6, STATE, tensor,    NULL, mb_element_stresses, NULL, NULL},
    {"deformable.*.principal_stress", "Pa", MB_OTHER, 0,       CELLS, 3, STATE, principal, NULL, mb_element_principal_stresses, by_rank, NULL},
    {"deformable.*.von_mises",        "Pa", MB_OTHER, 0,       CELLS, 1, STATE, NULL,      NULL, mb_element_von_mises_all, NULL, NULL},
    {"deformable.*.element_strain",   "",   MB_OTHER, 0,       CELLS, 6, STATE, tensor,    NULL, mb_element_strains, NULL, NULL},
    {"deformable.*.principal_strain", "",   MB_OTHER, 0,       CELLS, 3, STATE, principal, NULL, mb_element_principal_strains, by_rank, NULL},
    {"deformable.*.contact",          "N",  MB_FORCE, TOUCHES,  TOTALS, 4, STATE, totals, NULL, mb_touch_total, NULL, NULL},
    {"solver",         "",                   MB_OTHER,    0,        SOLUTION,    4, STATE,   solution, sample_solution, NULL, NULL, NULL},
    {"solver.history", "",                   MB_OTHER,    0,        ITERATIONS,  1, STATE,   NULL,     mb_nodes_history, NULL, NULL, NULL},
    {"solver.contact", "",                   MB_OTHER,    TOUCHES,  ONE,         5, STATE,   contact_solution, sample_contact_solution, NULL, NULL, NULL},
    {"solver.time",    "s",                  MB_OTHER,    UNSTABLE, SOLUTION,    1, STATE,   NULL,     sample_time, NULL, NULL, NULL},
    // clang-format on
};
const size_t mb_channel_rows = sizeof mb_channel_table / sizeof *mb_channel_table;
