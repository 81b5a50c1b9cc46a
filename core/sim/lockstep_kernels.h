// Parts of the steps in lockstep, in vectors: the table MB_LOCKSTEP_TABLE of a file that includes this, compiled for a kind of
// processor. Every sum and product is the one of the scalar code, in its order and rounded each for itself:
//   joint_forces   mb_coordinates_forces, mb_coordinates_drives
//   wrenches       forces/velocity_term.c, forces/gravity.c, forces/damping.c
//   implicit       solve_once of sim/scheme_once.c by solvers/redmax/posture.c
//   energies       mb_energy, mb_coordinates_energy
#define MB_LANES 8
#include "core/forces/forces.h"
#include "core/integrators/integrators.h"
#include "core/sim/lockstep_internal.h"
#include "core/sim/stage.h"
#include "core/solvers/redmax/posture_passes.h"

typedef long long Choice __attribute__((vector_size(sizeof(Real))));

static inline Real choose(Choice yes, Real a, Real b) {
  return (Real)((yes & (Choice)a) | (~yes & (Choice)b));
}
static inline Choice is_small(Real x, double bound) { return (x < bound) & (x > -bound); } // false of NaN

// ---- joints' own forces -------------------------------------------------------------------------------------

static inline Real signal_or_zero(const MbLockstep *l, size_t signal) {
  const Real none = {0};
  return signal == MB_WORLD ? none : coordinate(l->signal, signal);
}

// What a motor asks for, before its bound.
static inline Real motor_of(const MbLockstep *l, size_t i) {
  const MbDrive *drive = &l->like->drives[i];
  const Real target = signal_or_zero(l, drive->target), rate = signal_or_zero(l, drive->target_velocity);
  return coordinate(l->drive_stiffness, i) * (target - coordinate(l->jq, drive->q)) +
         coordinate(l->drive_damping, i) * (rate - coordinate(l->jv, drive->v));
}

// y −= the forces of springs and dampers, and += those of motors
static void add_joint_forces(const MbLockstep *l, double *y) {
  const MbModel *model = l->like;
  for (size_t b = 0; model->sprung && b < model->nb; b++) {
    const size_t n = model->joint[b].ops ? model->joint[b].n : 0, q = model->q_first[b],
                 v = model->v_first[b];
    for (size_t i = 0; i < n; i++) {
      const size_t k = v + i;
      const Real pull = coordinate(l->stiffness, k) * (coordinate(l->jq, q + i) - coordinate(l->rest, k)) +
                        coordinate(l->damping, k) * coordinate(l->jv, k);
      put_coordinate(y, k, coordinate(y, k) - pull);
    }
  }
  for (size_t i = 0; i < model->ndrives; i++) {
    const MbDrive *drive = &model->drives[i];
    const Real asked = motor_of(l, i), most = coordinate(l->drive_most, i);
    Real pull = choose(asked > most, most, choose(asked < -most, -most, asked));
    if (drive->force != MB_WORLD) pull = pull + coordinate(l->signal, drive->force);
    put_coordinate(y, drive->v, coordinate(y, drive->v) + pull);
  }
}

static void joint_forces_of(MbLockstep *l) { add_joint_forces(l, l->y); }

static void with_motors(MbLockstep *l) {
  const MbModel *model = l->like;
  if (!model->ndrives) return;
  memcpy(l->total_stiffness, l->stiffness, MB_LANES * l->nv * sizeof(double));
  memcpy(l->total_damping, l->damping, MB_LANES * l->nv * sizeof(double));
  for (size_t i = 0; i < model->ndrives; i++) {
    const size_t v = model->drives[i].v;
    const Real asked = motor_of(l, i), most = coordinate(l->drive_most, i);
    const Choice within = (asked < most) & (asked > -most);
    const Real k = coordinate(l->total_stiffness, v), d = coordinate(l->total_damping, v);
    put_coordinate(l->total_stiffness, v, choose(within, k + coordinate(l->drive_stiffness, i), k));
    put_coordinate(l->total_damping, v, choose(within, d + coordinate(l->drive_damping, i), d));
  }
}

// ---- moving -------------------------------------------------------------------------------------------------

static void faster_by(MbLockstep *l) {
  const Real h = coordinate(l->h, 0);
  for (size_t i = 0; i < l->nv; i++) put_coordinate(l->v1, i, coordinate(l->v, i) + h * coordinate(l->y, i));
}

static void move_by(MbLockstep *l, size_t q_first, size_t v_first, size_t count) {
  const Real h = coordinate(l->h, 0);
  for (size_t i = 0; i < count; i++)
    put_coordinate(l->q1, q_first + i, coordinate(l->q, q_first + i) + h * coordinate(l->v1, v_first + i));
}

static unsigned bits_of(Choice yes) {
  unsigned bits = 0;
  for (size_t k = 0; k < MB_LANES; k++) bits |= (unsigned)(yes[k] != 0) << k;
  return bits;
}

static unsigned tame_lanes(const MbLockstep *l) {
  static const double SMALL = 1e6; // as in sim/step.c
  Choice tame = ~(Choice){0};
  for (size_t i = 0; i < l->qs; i++) tame &= is_small(coordinate(l->q1, i), SMALL);
  for (size_t i = 0; i < l->vs; i++) tame &= is_small(coordinate(l->v1, i), SMALL);
  return bits_of(tame);
}

// ---- implicit -----------------------------------------------------------------------------------------------

// R(q)ᵀ x, as mb_quat_unrotate does it
static inline Vec unrotate(const double *E, Vec x) {
  const Real w = coordinate(E, 3);
  const Vec c = {-coordinate(E, 4), -coordinate(E, 5), -coordinate(E, 6)};
  const Vec t = scale((Real){0} + 2.0, cross(c, x)), u = cross(c, t);
  return (Vec){x.x + w * t.x + u.x, x.y + w * t.y + u.y, x.z + w * t.z + u.z};
}

// What the bodies' own motion does: the quadratic velocity term, or the swing of a body that flies.
static inline Screw velocity_term(const MbLockstep *l, size_t b) {
  const double *M = l->M + MB_LANES * 6 * b;
  const Screw phi = screw_at(l->phi, 6 * b), m = screw_at(M, 0), zero = {0};
  const Vec spin = {m.turn.x * phi.turn.x, m.turn.y * phi.turn.y, m.turn.z * phi.turn.z};
  if (l->fly && l->like->flies[b])
    return (Screw){add_scaled(zero.turn, 1.0 / coordinate(l->h, 0), vec_at(l->swing, 3 * b)), zero.line};
  if (l->poses)
    return (Screw){add(zero.turn, cross(spin, phi.turn)), zero.line}; // what is in W's axes has no other
  const Vec push = {m.line.x * phi.line.x, m.line.y * phi.line.y, m.line.z * phi.line.z};
  return (Screw){add(zero.turn, cross(spin, phi.turn)), add(zero.line, cross(push, phi.turn))};
}

// Of one body, from the velocity terms on; the forces in the model's order.
static inline Screw wrench_on(const MbLockstep *l, size_t b, bool outside) {
  const MbModel *model = l->like;
  const double *M = l->M + MB_LANES * 6 * b, *E = l->E + MB_LANES * 7 * b;
  const Screw phi = screw_at(l->phi, 6 * b), zero = {0};
  Screw f = outside ? zero : velocity_term(l, b);
  for (size_t i = 0; i < model->nforces; i++) {
    if (model->forces[i].ops != &mb_gravity_ops) {
      const Real d = coordinate(l->drag, l->nb * i + b);
      f = (Screw){less_scaled(f.turn, d, phi.turn), less_scaled(f.line, d, phi.line)};
    } else if (!outside) {
      f.line = add_scaled(f.line, coordinate(M, 3), unrotate(E, vec_at(l->g, 0)));
    }
  }
  return f;
}

static void wrenches_of(MbLockstep *l, bool outside) {
  for (size_t b = 0; b < l->nb; b++) put_screw(l->f, 6 * b, wrench_on(l, b, outside));
}

#include "core/sim/lockstep_coupled.h"

static unsigned implicit_velocities(MbLockstep *l) {
  const Real h = coordinate(l->h, 0), a = l->integrator->a * h, c = l->integrator->b * h * h;
  MbPosture *const posture = &l->posture;
  size_t blame = 0;
  for (size_t b = 0; b < l->nb; b++) { // f −= M J̇ v
    const double *M = l->M + MB_LANES * 6 * b;
    const Screw f = screw_at(l->f, 6 * b), drift = drift_of(posture, b), m = screw_at(M, 0);
    put_screw(l->f, 6 * b,
              (Screw){{f.turn.x - m.turn.x * drift.turn.x, f.turn.y - m.turn.y * drift.turn.y,
                       f.turn.z - m.turn.z * drift.turn.z},
                      {f.line.x - m.line.x * drift.line.x, f.line.y - m.line.y * drift.line.y,
                       f.line.z - m.line.z * drift.line.z}});
  }
  with_motors(l);
  const bool at_once = mb_stage_has_trees(l->like); // as stage.c has it
  if (at_once) {
    posture_impel(posture, l->v, l->f, h, l->s);
    memset(l->y, 0, MB_LANES * l->nv * sizeof *l->y);
  } else {
    posture_gather(posture, l->f, l->y);
  }
  joint_forces_of(l);
  const Real sD = (Real){0} - l->integrator->c, sK = (Real){0} + 0.0 * h;
  if (l->D) { // y −= Jᵀ D J v
    Screw *F = twists_of(posture, l->v);
    for (size_t b = 0; b < l->nb; b++)
      put_screw(l->f, 6 * b, twist_to_body(posture, b, F[b])); // forces have been gathered
    for (size_t b = 0; b < l->nb; b++)
      F[b] = block_of_twist(l->D + MB_LANES * 36 * b, sD, screw_at(l->f, 6 * b));
    if (l->blocks) add_pairs(l, l->D, sD, l->f, F);
    for (size_t b = 0; b < l->nb; b++) F[b] = wrench_to_world(posture, b, F[b]);
    gather_up(posture, F, l->y, false);
  }
  for (size_t b = 0; b < l->nb; b++)
    for (size_t i = 0; l->like->joint[b].ops && i < l->like->joint[b].n; i++) {
      const size_t k = l->like->v_first[b] + i;
      const Real rate = sD * coordinate(l->total_damping, k) + sK * coordinate(l->total_stiffness, k);
      put_coordinate(l->y, k, coordinate(l->y, k) - rate * coordinate(l->v, k));
    }
  if (!at_once) posture_momentum(posture, l->v, l->s);
  for (size_t i = 0; i < l->nv; i++) put_coordinate(l->v1, i, coordinate(l->s, i) + h * coordinate(l->y, i));
  const MbMaximal x = {
      .K = l->K, .D = l->D, .stiffness = l->total_stiffness, .joint_damping = l->total_damping};
  posture->derived = true;
  if (!factor_posture(posture, &x, a, c, NULL, &blame)) return 0;
  if (l->blocks) return solve_coupled(l, a, c);
  posture_apply(posture, l->v1);
  return (1u << MB_LANES) - 1;
}

#include "core/sim/lockstep_limits.h"
#include "core/sim/lockstep_rows.h"

// ---- energies -----------------------------------------------------------------------------------------------

static void energies_of(MbLockstep *l) {
  const MbModel *model = l->like;
  const Vec g = vec_at(l->g, 0);
  Real kinetic = {0}, gravity = {0}, elastic = {0};
  for (size_t b = 0; b < l->nb; b++) {
    const double *M = l->M + MB_LANES * 6 * b, *phi = l->phi + MB_LANES * 6 * b;
    for (size_t i = 0; i < 6; i++)
      kinetic += coordinate(M, i) * coordinate(phi, i) * coordinate(phi, i) / 2.0;
    gravity -= coordinate(M, 3) * dot(g, vec_at(l->E, 7 * b));
  }
  for (size_t b = 0; model->sprung && b < model->nb; b++)
    for (size_t i = 0; model->joint[b].ops && i < model->joint[b].n; i++) {
      const size_t k = model->v_first[b] + i;
      const Real stretch = coordinate(l->jq, model->q_first[b] + i) - coordinate(l->rest, k);
      elastic += coordinate(l->stiffness, k) * stretch * stretch / 2.0;
    }
  put_coordinate(l->energy, 0, kinetic);
  put_coordinate(l->energy, 1, gravity);
  put_coordinate(l->energy, 2, elastic);
  put_coordinate(l->energy, 3, kinetic + gravity + elastic);
}

extern const MbLockstepKernels MB_LOCKSTEP_TABLE;
const MbLockstepKernels MB_LOCKSTEP_TABLE = {.name = MB_LOCKSTEP_NAME,
                                             .joint_forces = joint_forces_of,
                                             .faster = faster_by,
                                             .move = move_by,
                                             .wrenches = wrenches_of,
                                             .implicit = implicit_velocities,
                                             .tame = tame_lanes,
                                             .unlimited = unlimited_lanes,
                                             .foresee = foresee_coordinates,
                                             .twists = find_twists,
                                             .held = held_velocities,
                                             .closed = closed_lanes,
                                             .energies = energies_of};
