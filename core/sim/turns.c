#include "core/sim/turns.h"
#include "core/sim/sim_internal.h"

#include <string.h>

typedef struct Turns {
  MbRotationPlace *out; // NULL: they are counted alone
  size_t n;
} Turns;

static void add(Turns *t, size_t at, size_t width) {
  if (t->out) t->out[t->n] = (MbRotationPlace){at, width};
  t->n++;
}

// The rotation vectors of a joint whose coordinates begin at a place: the last three numbers, of composites of each part.
static void add_joint(Turns *t, const MbJoint *joint, size_t at) {
  if (!joint->ops || !joint->ops->renew) return;
  if (!joint->nparts) add(t, at + joint->n - 3, 3);
  for (size_t i = 0; i < joint->nparts; i++) {
    add_joint(t, &joint->part[i], at);
    at += joint->part[i].n;
  }
}

size_t mb_sim_turns(const MbSim *sim, MbRotationPlace *turns) {
  const MbModel *model = sim->model;
  Turns t = {.out = turns};
  size_t n = 0;
  const MbChannel *channels = mb_sim_channels(sim, &n);
  for (size_t i = 0; i < n; i++) {
    const MbChannel *c = &channels[i];
    size_t at = c->offset;
    for (size_t k = 0; c->rotation && c->width == 4 && k < c->items; k++) add(&t, at + 4 * k, 4);
    for (size_t b = 0; !strcmp(c->name, "joint.position") && b < model->nlisted; b++) {
      const MbJoint *joint = &model->joint[b];
      add_joint(&t, joint, at);
      at += joint->ops ? joint->n : 0;
    }
  }
  return t.n;
}
