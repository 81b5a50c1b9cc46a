// Angles and frames of a rig as MJCF says them: in degrees or radians for the whole model, turned by angles where these are round, else by
// a quaternion.
#include "core/math/quat.h"
#include "io/models/mjcf_write.h"

#include <string.h>

static const double DEG = 3.14159265358979323846 / 180;

double mb_mjcf_say_angle(const MbMjcfWriter *m, double x) {
  double degrees;
  if (!m->degrees) return x;
  return mb_angle_is_round(x, &degrees) ? degrees : x / DEG;
}

// The one axis that a quaternion turns about; −1: none, −2: others.
static int only_axis(const double q[4]) {
  int found = -1;
  for (int i = 0; i < 3; i++)
    if (q[1 + i] != 0) found = found == -1 ? i : -2;
  return found;
}

static double turn_about(const double q[4], int axis) {
  return mb_angle_tidy(remainder(2 * atan2(q[1 + axis], q[0]), 2 * 180 * DEG));
}

static void put_turn(MbMjcfWriter *m, const double q[4]) {
  const int axis = only_axis(q);
  double angles[3] = {0};
  bool nice = true;
  if (axis == -1) return;
  if (axis >= 0)
    angles[axis] = turn_about(q, axis);
  else
    mb_turn_xyz(q, angles, &nice);
  double degrees;
  for (int i = 0; i < 3; i++) {
    if (m->degrees && !mb_angle_is_round(angles[i], &degrees)) nice = false;
    angles[i] = mb_mjcf_say_angle(m, angles[i]);
  }
  if (nice || axis >= 0)
    mb_xml_put_numbers(m->x, "euler", angles, 3);
  else
    mb_xml_put_numbers(m->x, "quat", q, 4);
}

void mb_mjcf_put_frame(MbMjcfWriter *m, const MbRigFrame *f) {
  if (f->p[0] != 0 || f->p[1] != 0 || f->p[2] != 0) mb_xml_put_numbers(m->x, "pos", f->p, 3);
  put_turn(m, f->q);
}

// Whether an angle speaks for degrees (1), against them (−1), or for neither.
static int votes(double x) {
  double degrees;
  if (x == 0 || !isfinite(x)) return 0;
  return mb_angle_is_round(x, &degrees) ? 1 : -1;
}

static int votes_of_frame(const MbRigFrame *f) {
  const int axis = only_axis(f->q);
  return axis >= 0 ? votes(turn_about(f->q, axis)) : 0;
}

bool mb_mjcf_wants_degrees(const MbRig *rig) {
  int best = 0, worst = 0;
  for (size_t b = 0; b < rig->nbodies; b++) {
    const MbRigBody *body = &rig->body[b];
    int vote[] = {votes_of_frame(&body->frame), 0, 0, 0, 0, 0};
    for (size_t k = 0; k < body->njoints; k++) {
      const MbRigJoint *j = &body->joint[k];
      if (j->kind != MB_RIG_HINGE) continue;
      vote[1] = votes(j->ref), vote[2] = j->stiffness != 0 ? votes(j->rest) : 0;
      vote[3] = j->limited ? votes(j->range[0]) : 0, vote[4] = j->limited ? votes(j->range[1]) : 0;
      for (int i = 1; i < 5; i++)
        best = vote[i] > best ? vote[i] : best, worst = vote[i] < worst ? vote[i] : worst;
    }
    for (size_t k = 0; k < body->nshapes; k++) {
      vote[5] = votes_of_frame(&body->shape[k].frame);
      best = vote[5] > best ? vote[5] : best, worst = vote[5] < worst ? vote[5] : worst;
    }
    best = vote[0] > best ? vote[0] : best, worst = vote[0] < worst ? vote[0] : worst;
  }
  return best > 0 && worst == 0;
}
