// Euler angles about axes a, b, c, of which b is across a and c: with s = a · c, the sine of the second angle or its cosine where the first axis and the last are the same, the
// rates of the first and the last are what the spin says along a and c divided by 1 − s². Where the second angle comes to gimbal lock, √(1 − s²) = 0, both of them are as large
// as that is small, and against one another, of a body that hardly turns:
//
//   |ω|² = q̇₀² + q̇₁² + q̇₂² + 2 s q̇₀ q̇₂
//
// Steps of a fixed length have the rates of one place and go to another: they go astray where √(1 − s²) changes by a share of itself in a step, by |s q̇₁| h, and there is anything that turns
// so. A plane motion straight through it has nothing of that. Adaptive steps follow it, and under solver maximal bodies have velocities of their own.
#include "core/sim/gimbal_watch.h"
#include "core/base/report.h"
#include "core/sim/layout.h"

#include <math.h>
#include <string.h>

// One joint of Euler angles, or a part of a composite one that is.
typedef struct MbGimbalJoint {
  size_t body, q, v;
  const int *order;
} MbGimbalJoint;

struct MbGimbal {
  size_t n;
  MbGimbalJoint *joint;
};

// ---- which joints ---------------------------------------------------------------------------------------------------

// Adds the Euler joints of a joint whose coordinates begin so far on in those of the body; NULL: they are counted alone.
static size_t add_joint(const MbModel *model, size_t b, const MbJoint *joint, size_t offset,
                        MbGimbalJoint *out) {
  size_t n = 0;
  if (!joint->ops) return 0;
  if (!joint->nparts && strcmp(joint->ops->name, "euler") == 0) {
    if (out) *out = (MbGimbalJoint){b, model->q_first[b] + offset, model->v_first[b] + offset, joint->order};
    return 1;
  }
  for (size_t i = 0; i < joint->nparts; i++) {
    n += add_joint(model, b, &joint->part[i], offset, out ? out + n : NULL);
    offset += joint->part[i].n;
  }
  return n;
}

MbStatus mb_gimbal_create(MbSim *sim, MbReport *report) {
  const MbModel *model = sim->model;
  const MbScheme scheme = sim->integrator->scheme;
  size_t n = 0;
  if (sim->solver->map->layout->apart(model) || model->solver.mode == MB_FIRST_ORDER ||
      scheme == MB_ADAPTIVE || scheme == MB_EQUILIBRIUM)
    return MB_OK;
  for (size_t b = 0; b < model->nb; b++) n += add_joint(model, b, &model->joint[b], 0, NULL);
  if (!n) return MB_OK;
  sim->gimbal = mb_arena_alloc(&sim->arena, 1, sizeof *sim->gimbal);
  MbGimbalJoint *joint = mb_arena_alloc(&sim->arena, n, sizeof *joint);
  if (!sim->gimbal || !joint) return mb_no_memory(report, "the simulation");
  *sim->gimbal = (MbGimbal){.joint = joint};
  for (size_t b = 0; b < model->nb; b++)
    sim->gimbal->n += add_joint(model, b, &model->joint[b], 0, joint + sim->gimbal->n);
  return MB_OK;
}

// ---- a look ---------------------------------------------------------------------------------------------------------

// a · c: of three axes that are not the same with the sign of their order.
static double across(const int order[3], double second) {
  if (order[0] == order[2]) return cos(second);
  return (order[1] - order[0] + 3) % 3 == 1 ? sin(second) : -sin(second);
}

// Whether a step goes astray that has come to angles q with rates v; *left ← how far from gimbal lock it is.
static bool astray(const MbSim *sim, const int order[3], const double q[3], const double v[3], double *left) {
  static const double SHARE = 0.1, MUCH = 2; // of what is left, in a step; beside the spin
  const double s = across(order, q[1]), most = fmax(fabs(v[0]), fabs(v[2]));
  const double spin2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + 2 * s * v[0] * v[2];
  *left = sqrt(fmax(1 - s * s, 0));
  return sim->model->h * fabs(v[1]) > SHARE * *left && most * most > MUCH * MUCH * spin2;
}

void mb_gimbal_look(MbSim *sim, const double *q, const double *v, size_t stride, MbReport *report) {
  const MbGimbal *gimbal = sim->gimbal;
  double *told = mb_section(sim, MB_SECTION_WARNED) + MB_WARNED_GIMBAL;
  for (size_t i = 0; i < gimbal->n && *told == 0; i++) {
    const MbGimbalJoint *joint = &gimbal->joint[i];
    double left, angle[3], rate[3];
    for (size_t k = 0; k < 3; k++) {
      angle[k] = q[stride * (joint->q + k)];
      rate[k] = v[stride * (joint->v + k)];
    }
    if (!astray(sim, joint->order, angle, rate, &left)) continue;
    *told = 1;
    mb_warning(
        report, "",
        "at t = %.9g s, step %lld: the Euler angles of the joint of \"%s\" are %.1g rad from gimbal lock, "
        "where two of them turn far for a little: steps of this length go astray, and derivatives with "
        "them; take joint \"spherical\", another \"order\", solver \"maximal\"%s or smaller steps",
        sim->state.t, (long long)sim->state.step, sim->model->body_name[joint->body], left,
        sim->model->contacts.any ? " with \"project\": false" : "");
  }
}

void mb_gimbal_watch(MbSim *sim, MbReport *report) {
  mb_gimbal_look(sim, sim->state.q, sim->state.v, 1, report);
}
