// Contact in differences of single steps. A contact that rests is where two laws of a step meet: what is deep by more than rounding is not pushed
// out by velocities (ask.c), and is parted by positions once it is deeper than a slop (touch_part.c). A state moved by a little would have
// other laws than the run, of a thing that is deep by as little. So a step beside the run's decides as that has done, contact by contact, what
// closes and what comes no nearer, and parts as often (touch_branch.c): within a branch velocities and moves are solutions of problems
// whose numbers depend on the state smoothly. It begins at the impulses that the run has begun at: where several loads hold the
// same, theirs are near the run's.
//
// What the run itself jumps by where a number takes a contact over one of these bounds is below a millionth of its size, the slop: differences of
// whole runs scatter by as much. Which contacts rebound is the run's decision as well.
//
// Contacts of the last look are a simulation's own and not its state's: a step from another state must look anew.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/sensitivity_parts.h"
#include "core/sim/touch_slip.h"

#include <math.h>

bool mb_sensitivity_rebounds(const MbModel *model) {
  const MbContacts *rules = &model->contacts;
  bool any = false;
  for (size_t i = 0; i < rules->nsolids; i++) any |= rules->solids[i].restitution > 0;
  for (size_t i = 0; i < rules->nrules; i++) any |= rules->rules[i].restitution > 0;
  return any;
}

const char *mb_touch_slopes_refuse(const MbModel *model) {
  const MbContacts *rules = &model->contacts;
  if (!mb_touch_exact(rules))
    return "there are derivatives of contact only where it is solved to 1e-12: give it such a \"tolerance\"";
  return NULL;
}

bool mb_touch_slopes_keep(MbSensitivity *g) {
  return !g->sim->touching || mb_touch_copy_pushes(&g->pushed, &g->sim->touching->last);
}

bool mb_touch_slopes_beside(const MbSensitivity *g, MbSim *side, const MbSlope *along, double way) {
  mb_touch_forget(side);
  if (!side->touching) return true;
  MbPushes *last = &side->touching->last;
  side->touching->branch = (MbTouchBranch){&g->sim->touching->last, g->sim->touching->moves};
  if (!mb_touch_copy_pushes(last, &g->pushed)) return false;
  for (size_t i = 0; along && along->pushed_room && i < last->n; i++)
    for (size_t k = 0; k < 3; k++) last->touch[i].lambda[k] += way * along->pushed[3 * i + k];
  return true;
}

// What has pushed in a step that is the same contact as one of the run's.
static const MbPushed *same_of(const MbPushes *pushed, const MbPushed *touch) {
  MbTouch like = {.a = touch->a, .b = touch->b, .feature_a = touch->feature_a, .feature_b = touch->feature_b};
  like.size = touch->size;
  mb_vec3_copy(like.point, touch->point);
  return mb_touch_pushed(pushed, &like);
}

// Impulses that one of the sides has not are no more the run's: the next step begins there at the run's own.
bool mb_touch_slopes_change(const MbSensitivity *g, MbSlope *slope, const MbSim *less, const MbSim *more,
                            double span) {
  if (!g->sim->touching) return true;
  const MbPushes *run = &g->sim->touching->last;
  if (!mb_grow(&slope->pushed, &slope->pushed_room, 3 * run->n + 1, sizeof *slope->pushed)) return false;
  for (size_t i = 0; i < run->n; i++) {
    const MbPushed *l = same_of(&less->touching->last, &run->touch[i]),
                   *m = same_of(&more->touching->last, &run->touch[i]);
    for (size_t k = 0; k < 3; k++)
      slope->pushed[3 * i + k] = l && m ? (m->lambda[k] - l->lambda[k]) / span : 0;
  }
  return true;
}

bool mb_touch_slopes_rests(double gap, double size) {
  static const double ROUNDING = 1e-10; // of the size, as in ask.c
  return fabs(gap) <= ROUNDING * size;
}

static bool rests(const MbPushed *touch) { return mb_touch_slopes_rests(touch->gap, touch->size); }

// Whether all that has pushed in `these` has pushed in `those`, and slides or sticks as there; `begins`: and rests or not.
static bool all_push(const MbContacts *rules, const MbPushes *these, const MbPushes *those, bool begins) {
  for (size_t i = 0; i < these->n; i++) {
    const MbPushed *touch = &these->touch[i], *same = same_of(those, touch);
    if (!(touch->lambda[0] > 0)) continue;
    if (!same || !(same->lambda[0] > 0) || touch->narrow) return false;
    if (!mb_touch_slips_alike(rules, same, touch)) return false;
    if (begins && rests(same) != rests(touch)) return false;
  }
  return true;
}

// What rests keeps no gap for long, so that a number which moves one of two things that lie on one another does so where the run begins: it
// lifts it off, or presses it in.
bool mb_touch_slopes_same(const MbSensitivity *g, const MbSim *side) {
  const MbSim *run = g->sim;
  if (!run->touching) return true;
  const MbPushes *one = &run->touching->last, *other = &side->touching->last;
  const bool begins = run->state.step == g->began + 1;
  const MbContacts *rules = run->touching->rules;
  return all_push(rules, one, other, begins) && all_push(rules, other, one, begins);
}

// In steps of fixed length a blow falls on a step's start, and no derivative of theirs has in it that what meets earlier is turned round earlier.
void mb_touch_slopes_tell(MbSensitivity *g, MbReport *report) {
  const MbSim *run = g->sim;
  const size_t n = run->touching ? run->touching->last.n : 0;
  for (size_t i = 0; i < n && !g->told_rebound; i++) {
    const MbPushed *touch = &run->touching->last.touch[i];
    if (!touch->rebounds) continue;
    g->told_rebound = true;
    mb_warning(
        report, "",
        "at t = %.9g s, step %lld: \"%s\" and \"%s\" rebound: the derivative is that of the steps, in "
        "which a blow falls on the start of one; by a number that moves the time of the blow it is not "
        "that of the motion, which only differences over more than a step tell",
        run->state.t, (long long)run->state.step, mb_touch_name(run, touch->a), mb_touch_name(run, touch->b));
  }
}

MbStatus mb_touch_slopes_check(const MbSim *run, MbReport *report) {
  const MbTouching *t = run->touching;
  if (!t || !t->moves || t->deepest <= MB_TOUCH_MOST) return MB_OK;
  return mb_error(report, MB_NUMBERS, "",
                  "at t = %.9g s, step %lld: contacts were %.2g of a size deep, which is not taken away in a "
                  "step: there is no derivative; take a smaller step, or another start",
                  run->state.t, (long long)run->state.step, t->deepest);
}
