#include "core/sim/turns.h"
#include "core/model/model.h"

#include <math.h>

// ---- where they are -----------------------------------------------------------------------------------------

typedef struct Places {
  size_t *out; // NULL: they are counted alone
  size_t n;
} Places;

// The rotation vectors of a joint whose coordinates begin at a place: the last three numbers, of composites of each part.
static void add_joint(Places *p, const MbJoint *joint, size_t at) {
  if (!joint->ops || !joint->ops->renew) return;
  if (!joint->nparts) {
    if (p->out) p->out[p->n] = at + joint->n - 3;
    p->n++;
  }
  for (size_t i = 0; i < joint->nparts; i++) {
    add_joint(p, &joint->part[i], at);
    at += joint->part[i].n;
  }
}

size_t mb_joint_vectors(const MbModel *model, size_t *places) {
  Places p = {.out = places};
  for (size_t b = 0, at = 0; b < model->nlisted; b++) {
    const MbJoint *joint = &model->joint[b];
    add_joint(&p, joint, at);
    at += joint->ops ? joint->n : 0;
  }
  return p.n;
}

size_t mb_channel_turns(const MbChannel *channels, size_t nchannels, MbRotationPlace *turns) {
  size_t n = 0;
  for (size_t i = 0; i < nchannels; i++) {
    const MbChannel *c = &channels[i];
    const bool quaternions = c->rotation && c->width == 4;
    const size_t count = quaternions ? c->items : c->nvectors;
    for (size_t k = 0; turns && k < count; k++)
      turns[n + k] = quaternions ? (MbRotationPlace){c->offset + 4 * k, 4}
                                 : (MbRotationPlace){c->offset + c->vectors[k], 3};
    n += count;
  }
  return n;
}

// ---- two ways to tell one -----------------------------------------------------------------------------------

static const double PI = 3.14159265358979323846;

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// What the other way is times this one; 1: there is none, of a vector without a direction.
static double factor(const double *value, size_t n) {
  static const double LEAST = 1e-6;
  if (n == 4) return -1;
  const double length = sqrt(dot(value, value, n));
  return length < LEAST ? 1 : 1 - 2 * PI / length;
}

// Whether the other way is nearer to `to`.
static bool is_away(const double *value, const double *to, size_t n) {
  const double f = factor(value, n);
  double here = 0, there = 0;
  for (size_t i = 0; i < n; i++) {
    if (isnan(to[i])) continue;
    here += (value[i] - to[i]) * (value[i] - to[i]);
    there += (f * value[i] - to[i]) * (f * value[i] - to[i]);
  }
  return there < here;
}

void mb_turn_tell(double *value, size_t n) {
  const double f = factor(value, n);
  for (size_t i = 0; i < n; i++) value[i] *= f;
}

// Of a vector (1 - 2π/|r|) ṙ + 2π r (r·ṙ)/|r|³.
void mb_turn_slope(const double *value, double *slope, size_t n) {
  const double f = factor(value, n), length = sqrt(dot(value, value, n)), along = dot(value, slope, n);
  for (size_t i = 0; i < n; i++)
    slope[i] = n == 4 || f == 1 ? f * slope[i]
                                : f * slope[i] + 2 * PI * value[i] * along / (length * length * length);
}

bool mb_turn_bring(double *value, double *slope, const double *to, size_t n) {
  if (!is_away(value, to, n)) return false;
  if (slope) mb_turn_slope(value, slope, n);
  mb_turn_tell(value, n);
  return true;
}
