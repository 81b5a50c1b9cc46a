// Dry friction is solved for with everything else that pushes (constrain.c): a row of it asks for no motion, with an impulse λ of no more
// than h times its largest force. What sticks does so exactly, and what slips feels the whole of it.
//
// Inside joints that largest force follows from what the joint transmits, which follows from the solution (RM 2.11, where normals and
// friction take turns). Passes solve the whole problem with the loads of the pass before, the first with those of the last step:
//
//   M̃ φ⁺ = M φ + h (f − c D φ) + Σ Hᵀ λ + r,   M̃ = M − a h D − b h² K      of each body, r the impulses of its joint and of its children's
//
// so that r, summed from the leaves to the root, is each joint's; of a joint that closes a loop it is what its own rows push. They end
// where no largest force changes by more than the tolerance. Where friction presses a surface harder on its like, as in a slide that is pushed
// beside itself, passes gain little, go round or go away: from the first that does not halve the change on the loads are averages of passes.
//
// Over a step a row does the work λ (G v⁺ + G v)/2, which with that of the other forces is what the kinetic energy changes by, since
// ½ v⁺ᵀ M v⁺ − ½ vᵀ M v = ½ (v⁺ + v)ᵀ M (v⁺ − v).
#include "core/sim/dry.h"
#include "core/base/report.h"
#include "core/constraints/joint_friction.h"
#include "core/contact/contact_auto.h"
#include "core/math/spatial.h"
#include "core/model/coordinates.h"
#include "core/math/averages.h"
#include "core/sim/constrain_internal.h"
#include "core/solvers/coupled.h"
#include "core/solvers/redmax/tree.h"

#include <string.h>

struct MbRubbing {
  bool apart;     // the solver has the bodies' velocities, so that no tree is needed
  MbTree tree;    // at the state
  MbPose *E;      // (nb) and
  double *twist;  // (nb x 6) the tree's own
  double *v;      // (width) velocities of the pass
  double *phi;    // (nb x 6) their twists
  double *r;      // (nb x 6) impulses
  double *load;   // (nloads) of the pass
  double *used;   // (nloads) those that it was solved with
  double *moved;  // (nloads) what it has changed them by
  double *mean;   // (nloads) an average of passes
  int (*side)[2]; // (nloads) from which they press
  MbAverages averages;
  double last; // change of the pass before
  bool slow;   // passes have gained little
  bool exact;  // passes end by rounding alone
};

// ---- room -------------------------------------------------------------------------------------------------

static double *numbers(MbSim *sim, size_t n) { return mb_arena_alloc(&sim->arena, n, sizeof(double)); }

static MbStatus create_rubbing(MbSim *sim, MbReport *report) {
  const MbModel *model = sim->model;
  MbRubbing *rub = sim->constraining->rubbing = mb_arena_alloc(&sim->arena, 1, sizeof *rub);
  if (!rub) return mb_no_memory(report, "friction");
  rub->apart = sim->solver->map->layout->apart(model);
  rub->E = mb_arena_alloc(&sim->arena, model->nb, sizeof *rub->E);
  rub->twist = numbers(sim, 6 * model->nb), rub->phi = numbers(sim, 6 * model->nb);
  rub->r = numbers(sim, 6 * model->nb), rub->v = numbers(sim, sim->width);
  rub->load = numbers(sim, model->nloads), rub->used = numbers(sim, model->nloads);
  rub->moved = numbers(sim, model->nloads), rub->mean = numbers(sim, model->nloads);
  rub->side = mb_arena_alloc(&sim->arena, model->nloads, sizeof *rub->side);
  double *room = numbers(sim, mb_averages_room(model->nloads));
  mb_averages_begin(&rub->averages, model->nloads, room);
  const bool tree = rub->apart || mb_tree_create(model, &rub->tree);
  const bool loads = rub->load && rub->used && rub->moved && rub->mean && rub->side && room;
  const bool fine = rub->E && rub->twist && rub->phi && rub->r && rub->v && loads && tree;
  return fine ? MB_OK : mb_no_memory(report, "friction");
}

void mb_dry_free(MbSim *sim) {
  if (sim->constraining && sim->constraining->rubbing) mb_tree_free(&sim->constraining->rubbing->tree);
}

size_t mb_dry_bytes(const MbSim *sim) {
  const MbRubbing *rub = sim->constraining ? sim->constraining->rubbing : NULL;
  return rub && !rub->apart ? mb_tree_bytes(sim->model) : 0;
}

// Of a W all of whose rows have to do with one another: none takes more room.
static void full_column(void *context, size_t i, double *out) {
  const MbRowSet *set = context;
  for (size_t k = 0; k < set->n; k++) out[k] = k == i ? 2 : 1;
}

MbStatus mb_dry_create(MbSim *sim, MbReport *report) {
  MbConstraining *c = sim->constraining;
  if (!sim->model->dry) return MB_OK;
  if (!c->touch_method) c->touch_method = &mb_contact_auto;
  MbStatus status = sim->model->nloads ? create_rubbing(sim, report) : MB_OK;
  if (status != MB_OK || sim->model->contacts.any)
    return status; // contacts come and go, and memory with them
  // as much as all rows at once take: steps are not to ask for memory
  for (size_t s = 0; s < c->set.n; s++) {
    const MbRowKind kind = c->set.is[s].kind;
    c->kind[s] = kind == MB_ROW_DRY       ? MB_CONTACT_BOUNDED
                 : kind == MB_ROW_ONE_WAY ? MB_CONTACT_ONE_WAY
                                          : MB_CONTACT_BOTH_WAYS;
    c->b[s] = 0, c->soft[s] = 0;
    c->slot[s] = s;
  }
  const MbContactProblem problem = {.n = c->set.n,
                                    .kind = c->kind,
                                    .b = c->b,
                                    .most = c->most,
                                    .soft = c->soft,
                                    .W.column = full_column,
                                    .W.context = &c->set};
  mb_trees_part(sim, &c->delassus, &c->set, c->slot, c->set.n);
  const bool fine = !c->delassus.no_memory && mb_contact_reserve(&c->work, c->touch_method, &problem);
  return fine ? MB_OK : mb_no_memory(report, "friction");
}

// ---- loads ------------------------------------------------------------------------------------------------

static const MbJointFriction *friction_of(const MbModel *model, size_t i) {
  return model->constraints[i].ops == &mb_joint_friction_ops ? model->constraints[i].parameters : NULL;
}

// The largest forces by the loads of the pass. Returns by how much one has changed at most, of the largest.
static double set_bounds(MbSim *sim) {
  const MbModel *model = sim->model;
  MbConstraining *c = sim->constraining;
  double change = 0, largest = 0;
  bool finite = true;
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbJointFriction *own = friction_of(model, i);
    for (int k = 0; own && k < own->rows; k++) {
      double *most = &c->set.row[model->constraints[i].slot + (size_t)k].most;
      const double now = mb_joint_friction_most(own, k, c->rubbing->load + own->first);
      change = fmax(change, fabs(now - *most));
      largest = fmax(largest, now);
      finite &= isfinite(now);
      *most = now;
    }
  }
  if (!finite) return NAN;
  return largest > 0 ? change / largest : 0;
}

void mb_dry_begin(MbSim *sim) {
  MbConstraining *c = sim->constraining;
  if (!c->rubbing) return;
  mb_averages_forget(&c->rubbing->averages);
  c->rubbing->last = INFINITY, c->rubbing->slow = false;
  memcpy(c->rubbing->load, mb_section(sim, MB_SECTION_LOADS), sim->model->nloads * sizeof(double));
  set_bounds(sim);
}

// φ = J v at the state
static void find_twists(MbSim *sim, const double *v, double *phi) {
  const MbModel *model = sim->model;
  MbRubbing *rub = sim->constraining->rubbing;
  if (!rub->apart) {
    MbMaximal x = {.nb = model->nb, .E = rub->E, .phi = rub->twist};
    mb_tree_kinematics(&rub->tree, sim->state.q, sim->state.v, &x);
    mb_tree_twists(&rub->tree, v, phi);
    return;
  }
  for (size_t b = 0; b < model->nb; b++)
    mb_twist_of_velocity(&sim->x.E[b], v + sim->solver->map->layout->velocity(model, b), phi + 6 * b);
}

// r ← M̃ φ⁺ − M φ − h (f − c D φ)
static void find_impulses(MbSim *sim) {
  const MbModel *model = sim->model;
  const MbIntegrator *in = sim->integrator;
  const MbRubbing *rub = sim->constraining->rubbing;
  const double h = model->h, a = in->a * h, b = in->b * h * h;
  double *r = rub->r;
  for (size_t i = 0; i < 6 * model->nb; i++)
    r[i] = model->M[i] * (rub->phi[i] - sim->x.phi[i]) - h * sim->x.f[i];
  if (!sim->x.D || (a == 0 && b == 0)) return;
  mb_means_multiply(model, &sim->x, a, b, in->exact, rub->phi, r);
  mb_blocks_multiply(model, sim->x.D, h * in->c, sim->x.phi, r);
}

// λ of a row of the set in this pass
static double impulse_of(const MbSim *sim, size_t s) {
  const MbConstraining *c = sim->constraining;
  if (c->set.is[s].claimed != MB_WORLD) {
    const size_t k = c->set.is[s].claimed;
    return sim->pull[k] + sim->pulled[k];
  }
  for (size_t i = 0; i < c->n; i++)
    if (c->slot[i] == s) return c->answer.lambda[i];
  return 0;
}

// r ← what each body's joint does to it, without the friction inside it
static void find_reactions(MbSim *sim) {
  const MbModel *model = sim->model;
  const MbConstraining *c = sim->constraining;
  double *r = c->rubbing->r, moved[6];
  find_impulses(sim);
  for (size_t i = 0; i < c->n; i++)
    if (c->answer.lambda[i] != 0) mb_row_push(&c->set, c->slot[i], -c->answer.lambda[i], r);
  for (size_t s = 0; s < c->set.fixed && c->claims; s++)
    if (c->set.is[s].claimed != MB_WORLD) mb_row_push(&c->set, s, -impulse_of(sim, s), r);
  for (size_t i = model->nb; i-- > 0;) {
    const size_t parent = model->parent[i];
    if (parent == MB_WORLD) continue;
    mb_wrench_move(moved, &sim->x.E[i], r + 6 * i, &sim->x.E[parent]);
    for (int k = 0; k < 6; k++) r[6 * parent + (size_t)k] += moved[k];
  }
}

// What the joint does to the first body of its friction, at the rubbing frame.
static void find_wrench(const MbSim *sim, const MbConstraint *constraint, const MbPose *E, double w[6]) {
  const MbConstraining *c = sim->constraining;
  const MbJointFriction *own = constraint->parameters;
  const size_t body = constraint->body[0];
  MbPose world;
  mb_pose_identity(&world);
  if (own->body >= 0) {
    mb_wrench_move(w, &sim->x.E[body], c->rubbing->r + 6 * body, E);
    return;
  }
  // of a loop's joint: its rows push its second body; where that is the world, the opposite of what they push the first with
  const MbConstraint *closure = &sim->model->constraints[own->closes];
  const int end = body == MB_WORLD ? 0 : 1;
  double sum[6] = {0};
  for (size_t k = 0; k < closure->rows; k++) {
    const double lambda = impulse_of(sim, closure->slot + k) * (end ? 1 : -1);
    const double *H = c->set.row[closure->slot + k].H[end];
    for (int i = 0; i < 6; i++) sum[i] += lambda * H[i];
  }
  mb_wrench_move(w, &sim->x.E[closure->body[end]], sum, E);
}

bool mb_dry_pass(MbSim *sim, const double *v, double *change) {
  MbConstraining *c = sim->constraining;
  const MbModel *model = sim->model;
  MbRubbing *rub = c->rubbing;
  const double h = model->h;
  for (size_t i = 0; i < c->n; i++)
    if (c->answer.lambda[i] != 0) mb_row_spread(&c->set, c->slot[i], c->answer.lambda[i], c->y);
  const bool solved = sim->solver->apply(sim->work, c->y, NULL, c->claims ? sim->pulled : NULL);
  for (size_t i = 0; i < sim->nv; i++) rub->v[i] = v[i] + c->y[i];
  memset(c->y, 0, mb_row_width(sim, &c->set) * sizeof *c->y);
  if (!solved) return false;
  memcpy(rub->used, rub->load, model->nloads * sizeof *rub->load);
  find_twists(sim, rub->v, rub->phi);
  find_reactions(sim);
  for (size_t i = 0; i < model->nconstraints; i++) {
    const MbConstraint *constraint = &model->constraints[i];
    const MbJointFriction *own = friction_of(model, i);
    double w[6], lambda[MB_RUB_ROWS];
    MbPose E;
    if (!own) continue;
    mb_joint_friction_frame(constraint, &sim->x, &E);
    find_wrench(sim, constraint, &E, w);
    for (int k = 0; k < own->rows; k++) {
      lambda[k] = impulse_of(sim, constraint->slot + (size_t)k);
      for (int j = 0; j < 6; j++) w[j] += lambda[k] * own->screw[k][j];
      lambda[k] /= h;
    }
    for (int j = 0; j < 6; j++) w[j] /= h;
    mb_joint_friction_loads(own, w, lambda, rub->load + own->first, rub->side + own->first);
  }
  *change = set_bounds(sim);
  return true;
}

// Whether load ← the average of the passes whose change is least, and that change on. Not where it has places pull: where friction grows by
// itself until it holds, as in a slide that jams, plain passes go there, and what they go away from is no friction.
static bool average_loads(MbRubbing *rub, size_t n) {
  bool pulls = false;
  for (size_t i = 0; i < n; i++) rub->mean[i] = rub->used[i];
  mb_averages_next(&rub->averages, rub->mean, rub->moved);
  for (size_t i = 0; i < n; i++) pulls |= rub->mean[i] < 0;
  if (!pulls) memcpy(rub->load, rub->mean, n * sizeof *rub->load);
  return !pulls;
}

// The loads that the next pass is solved with.
static void choose_loads(MbSim *sim, double change) {
  static const double GAINS = 0.5;
  MbRubbing *rub = sim->constraining->rubbing;
  const size_t n = sim->model->nloads;
  for (size_t i = 0; i < n; i++) rub->moved[i] = rub->load[i] - rub->used[i];
  mb_averages_note(&rub->averages, rub->used, rub->moved);
  rub->slow |= change > GAINS * rub->last;
  rub->last = change;
  if (!rub->slow) return;
  if (average_loads(rub, n))
    set_bounds(sim);
  else
    mb_averages_forget(&rub->averages);
}

void mb_dry_again(MbSim *sim, double change) {
  MbConstraining *c = sim->constraining;
  choose_loads(sim, change);
  for (size_t i = 0; i < c->n; i++) {
    c->from[i] = c->answer.lambda[i];
    if (c->set.is[c->slot[i]].kind == MB_ROW_DRY) c->most[i] = sim->model->h * c->set.row[c->slot[i]].most;
  }
}

void mb_dry_be_exact(MbSim *sim) {
  if (sim->constraining && sim->constraining->rubbing) sim->constraining->rubbing->exact = true;
}

double mb_dry_largest(const MbSim *sim) {
  double largest = 0;
  for (size_t i = 0; i < sim->model->nconstraints; i++) {
    const MbConstraint *c = &sim->model->constraints[i];
    for (size_t k = 0; c->dry && k < c->rows; k++)
      largest = fmax(largest, sim->constraining->set.row[c->slot + k].most);
  }
  return largest;
}

int mb_dry_slips(const MbSim *sim, const MbConstraint *constraint, size_t k, double force, double largest) {
  static const double ROUNDING = 1e-9;
  const bool loaded = constraint->ops == &mb_joint_friction_ops;
  const double moved = loaded ? ((const MbJointFriction *)constraint->parameters)->tolerance * largest : 0;
  const double least = (1 - ROUNDING) * sim->constraining->set.row[constraint->slot + k].most - moved;
  return force >= least ? 1 : force <= -least ? -1 : 0;
}

bool mb_dry_same_sides(const MbSim *sim, const MbSim *other) {
  if (!sim->constraining || !sim->constraining->rubbing) return true;
  const int(*one)[2] = (const int(*)[2])sim->constraining->rubbing->side,
        (*two)[2] = (const int(*)[2])other->constraining->rubbing->side;
  for (size_t i = 0; i < sim->model->nloads; i++)
    for (int k = 0; k < 2; k++)
      if (one[i][k] * two[i][k] < 0) return false;
  return true;
}

bool mb_dry_ends(const MbSim *sim, double change, double last, double tolerance) {
  static const double ROUNDING = 1e-13, GAINS = 0.5; // of the largest; less is no gain any more
  if (!(change <= tolerance)) return false;
  return !sim->constraining->rubbing->exact || change <= ROUNDING || change > GAINS * last;
}

void mb_dry_patience(const MbSim *sim, double *tolerance, int *passes) {
  *tolerance = INFINITY, *passes = 0;
  for (size_t i = 0; i < sim->model->nconstraints; i++) {
    const MbJointFriction *own = friction_of(sim->model, i);
    if (!own) continue;
    *tolerance = fmin(*tolerance, own->tolerance);
    *passes = own->passes > *passes ? own->passes : *passes;
  }
}

// ---- after a solution -------------------------------------------------------------------------------------

void mb_dry_take(MbSim *sim, const double *v) {
  MbConstraining *c = sim->constraining;
  if (!sim->model->dry) return;
  double work = 0;
  for (size_t i = 0; i < c->n; i++) {
    const size_t s = c->slot[i];
    if (c->set.is[s].kind != MB_ROW_DRY) continue;
    const double rates = mb_row_rate(&c->set, s, v) + mb_row_rate(&c->set, s, sim->state.v);
    work += c->answer.lambda[i] * rates / 2;
  }
  c->dry_work = work;
}

void mb_dry_commit(MbSim *sim) {
  const MbRubbing *rub = sim->constraining->rubbing;
  mb_section(sim, MB_SECTION_FRICTION)[0] += sim->constraining->dry_work;
  if (rub) memcpy(mb_section(sim, MB_SECTION_LOADS), rub->load, sim->model->nloads * sizeof *rub->load);
}
