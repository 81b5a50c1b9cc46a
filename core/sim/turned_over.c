// Beyond 3/4 of a turn a rotation vector q changes to (1 − 2π/|q|) q, which is the same rotation the other way round: from 3/4 of a turn to a quarter (joints/joint_spherical.c).
// What acts along its numbers jumps there. A spring k (rest − q) pulled back by 3/4 of a turn and pulls on by a quarter from then on, with (π/2)² of the energy of (3π/2)²; a motor goes
// for a target that is another way off; a force along a number turns the body about another axis. All of it is what these words say, and hardly what anybody wants: so a run tells of it.
// Dampers lose the less and not the sign, and are not told of.
#include "core/sim/turned_over.h"
#include "core/base/report.h"
#include "core/math/spatial.h"
#include "core/model/builder.h"
#include "core/sim/energy_watch.h"

#include <string.h>

// A rotation vector along which something acts: the first of its three numbers, which in lists of velocities is at v.
typedef struct MbTurned {
  size_t body, q, v;
} MbTurned;

struct MbTurnedOver {
  size_t n;
  MbTurned *joint; // (n)
  double *before;  // (nq)
};

// ---- which joints ---------------------------------------------------------------------------------------------------

// Whether a drive has a force: lists of forces have 0 for coordinates along which there is none.
static bool has_force(const MbModel *model, const MbDrive *drive) {
  const MbSignal *force = drive->force == MB_WORLD ? NULL : &model->signals[drive->force];
  return force && (force->kind != MB_SIGNAL_CONSTANT || force->value != 0);
}

// Whether a spring, a motor that pulls or a force acts along one of three numbers, whose velocities begin at v.
static bool is_felt(const MbModel *model, size_t v) {
  bool felt = false;
  for (size_t k = v; k < v + 3; k++) felt |= model->stiffness[k] > 0;
  for (size_t i = 0; i < model->ndrives; i++) {
    const MbDrive *drive = &model->drives[i];
    felt |= drive->v >= v && drive->v < v + 3 && (has_force(model, drive) || drive->stiffness > 0);
  }
  return felt;
}

// Adds the rotation vectors of a body's joint; NULL: they are counted alone.
static size_t add_joint(const MbModel *model, size_t b, MbTurned *out) {
  const MbJoint *joint = &model->joint[b];
  size_t n = 0;
  for (size_t i = 0; joint->ops && i < joint->n; i++) {
    if (!mb_joint_is_rotation_vector(joint, i)) continue;
    const MbTurned one = {b, model->q_first[b] + i, model->v_first[b] + i};
    i += 2;
    if (!is_felt(model, one.v)) continue;
    if (out) out[n] = one;
    n++;
  }
  return n;
}

MbStatus mb_turned_create(MbSim *sim, MbReport *report) {
  const MbModel *model = sim->model;
  size_t n = 0;
  for (size_t i = 0; i < model->nrenewing; i++) n += add_joint(model, model->renewing[i], NULL);
  if (!n) return MB_OK;
  MbTurnedOver *turned = sim->turned = mb_arena_alloc(&sim->arena, 1, sizeof *turned);
  MbTurned *joint = mb_arena_alloc(&sim->arena, n, sizeof *joint);
  double *before = mb_arena_alloc(&sim->arena, model->nq, sizeof *before);
  if (!turned || !joint || !before) return mb_no_memory(report, "the simulation");
  *turned = (MbTurnedOver){.joint = joint, .before = before};
  for (size_t i = 0; i < model->nrenewing; i++)
    turned->n += add_joint(model, model->renewing[i], joint + turned->n);
  return MB_OK;
}

// ---- a look ---------------------------------------------------------------------------------------------------------

// Whether a rotation vector is another one of the same rotation: it points the other way, by more than a step turns a body.
static bool is_over(const double *before, const double *after, size_t stride) {
  static const double FAR = 3; // rad, of the 2π that it changes by
  double a[3], b[3], by[3];
  for (size_t k = 0; k < 3; k++) a[k] = before[stride * k], b[k] = after[stride * k];
  mb_vec3_sub(by, b, a);
  return mb_vec3_dot(a, b) < 0 && mb_vec3_norm(by) > FAR;
}

static void tell(const MbSim *sim, size_t body, MbReport *report) {
  mb_warning(
      report, "",
      "at t = %.9g s, step %lld: the rotation vector of the joint of \"%s\" changes to its equivalent, "
      "3/4 of a turn one way for a quarter the other way: what springs, motors and forces along its "
      "numbers do jumps there, and energy with it; take joint \"euler\" or \"revolute\", whose "
      "angles go on, or a force that acts on the body",
      sim->state.t, (long long)sim->state.step, sim->model->body_name[body]);
}

void mb_turned_look(MbSim *sim, const double *before, const double *after, size_t stride, MbReport *report) {
  const MbTurnedOver *turned = sim->turned;
  double *told = mb_section(sim, MB_SECTION_WARNED) + MB_WARNED_TURNED;
  for (size_t i = 0; i < turned->n; i++) {
    const size_t at = stride * turned->joint[i].q;
    if (!is_over(before + at, after + at, stride)) continue;
    mb_watch_give_up(sim);
    if (*told == 0) tell(sim, turned->joint[i].body, report);
    *told = 1;
  }
}

void mb_turned_note(MbSim *sim) { memcpy(sim->turned->before, sim->x.q, sim->model->nq * sizeof(double)); }

void mb_turned_watch(MbSim *sim, MbReport *report) {
  mb_turned_look(sim, sim->turned->before, sim->x.q, 1, report);
}
