// The way back through steps of deformables' nodes by themselves (solver `projective`, method `newton`), each of which is the least of an energy:
// R(q₁; q, v, loads, numbers) = 0 along axes that are not placed, v₁ = (q₁ − q)/h. With q̄ and v̄ what is felt along the state after a
// step (core/model/pass_slopes.h),
//
//   z = H⁻¹ (q̄ + v̄/h),   q̄* = −v̄/h − (∂R/∂q)ᵀ z,   v̄* = −(∂R/∂v)ᵀ z,   dP/dp += −z · ∂R/∂p + t̄ · ∂targets/∂p
//
// One factor and one solution do for all numbers. What signals are felt by is gathered (tangent_signals.h): loads, the pull of cables, and
// by t̄ how pins move. All else that a number changes is the difference of two models' −z · R at the same places, of those deformables
// alone that differ in it, and of their targets.
//
// Bodies that move beside them, and that no node pushes, have made their own step before (sensitivity_once.c), and nodes that they carry go where they are at its end:  q_b ↦ E(q_b) x,  so that
// the bodies' coordinates are felt there by t̄, a force at each of these nodes, and their step is gone back over after this one.
#include "core/sim/sensitivity_back_nodes.h"
#include "core/sim/evaluate.h"
#include "core/sim/nodes.h"
#include "core/sim/nodes_told.h"
#include "core/sim/same_elements.h"
#include "core/sim/sensitivity_met.h"

#include <math.h>
#include <string.h>

const char *const mb_back_nodes_singular = "the step's equations have no matrix that is definite";

size_t mb_back_nodes_numbers(const MbSensitivity *g) {
  return g->nodes ? 6 * mb_model_points(g->sim->model) : 0;
}

static size_t count(const MbBackward *b) { return mb_model_points(b->g->sim->model); }
static double *section(MbSim *sim) { return mb_section(sim, MB_SECTION_NODES); }

// ---- what numbers change ----------------------------------------------------------------------------------

static double drag_of(const MbModel *model) {
  double drag = 0;
  for (size_t i = 0; i < model->nforces; i++)
    if (model->forces[i].ops->drag) drag += model->forces[i].ops->drag(&model->forces[i]);
  return drag;
}

static bool look_at(MbBackward *b, const MbSensitivityNumber *number, MbBackAsked *asked) {
  const MbModel *const less = number->less, *const more = number->more;
  asked->part = mb_arena_alloc(&b->g->arena, less->ndeformables, sizeof *asked->part);
  if (!asked->part) return false;
  asked->any =
      memcmp(less->gravity, more->gravity, sizeof less->gravity) != 0 || drag_of(less) != drag_of(more);
  for (size_t b1 = 0; b1 < less->nb; b1++) // bodies that stand still, and carry nodes
    asked->aims |= memcmp(&less->P[b1], &more->P[b1], sizeof *less->P) != 0 ||
                   memcmp(&less->B[b1], &more->B[b1], sizeof *less->B) != 0 ||
                   memcmp(&less->C[b1], &more->C[b1], sizeof *less->C) != 0;
  for (size_t i = 0; i < less->ndeformables; i++) {
    const MbElements *const e = less->deformables[i].elements, *const o = more->deformables[i].elements;
    asked->part[i] = !mb_same_nodes(e, o);
    asked->any |= asked->part[i] || !mb_same_masses(e, o);
    asked->aims |= !mb_same_targets(e, o);
  }
  asked->any |= asked->aims;
  return true;
}

static bool make_loads(MbBackward *b, MbNodeLoadsFelt *loads) {
  const MbModel *model = b->g->sim->model;
  MbArena *arena = &b->g->arena;
  loads->load = mb_arena_alloc(arena, model->ndeformables, sizeof *loads->load);
  loads->force = mb_arena_alloc(arena, b->g->sim->nodes->ncables, sizeof *loads->force);
  if (!loads->load || !loads->force) return false;
  for (size_t i = 0; i < model->ndeformables; i++) {
    const size_t families = model->deformables[i].elements->nfibres;
    if (!(loads->load[i].activation = mb_arena_alloc(arena, families, sizeof(double)))) return false;
  }
  return true;
}

bool mb_back_nodes_make(MbBackward *b) {
  MbSensitivity *g = b->g;
  const size_t n = 3 * count(b);
  if (!g->nodes) return true;
  MbBackNodes *nodes = b->nodes = mb_arena_alloc(&g->arena, 1, sizeof *nodes);
  if (!nodes) return false;
  *nodes = (MbBackNodes){0};
  double **const lists[] = {&nodes->q,         &nodes->v,         &nodes->felt, &nodes->z,
                            &nodes->target[0], &nodes->target[1], &nodes->met};
  bool ok = true;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    ok = (*lists[i] = mb_arena_alloc(&g->arena, n, sizeof **lists[i])) && ok;
  nodes->asked = mb_arena_alloc(&g->arena, g->count, sizeof *nodes->asked);
  nodes->both = mb_arena_alloc(&g->arena, mb_sim_frame_size(g->sim) + 1, sizeof *nodes->both);
  nodes->carried = nodes->aims = g->beside && mb_nodes_carried(g->sim->model);
  if (!ok || !nodes->asked || !nodes->both || !make_loads(b, &nodes->loads)) return false;
  memset(nodes->q, 0, n * sizeof *nodes->q), memset(nodes->v, 0, n * sizeof *nodes->v);
  for (size_t k = 0; k < g->count; k++) {
    nodes->asked[k] = (MbBackAsked){0};
    if (!look_at(b, &g->number[k], &nodes->asked[k])) return false;
    nodes->aims |= nodes->asked[k].aims || mb_tangent_number_signals(g->slopes[k].number);
  }
  return true;
}

// ---- the run ----------------------------------------------------------------------------------------------

void mb_back_nodes_begin(const MbBackward *b, double *to) {
  if (b->nodes) memcpy(to, section(b->g->sim), 6 * count(b) * sizeof *to);
}

const char *mb_back_nodes_note(const MbBackward *b, const MbTurn *turn) {
  const MbSim *sim = b->g->sim;
  memcpy(turn->nodes1, mb_nodes_places(sim), 6 * count(b) * sizeof *turn->nodes1);
  return mb_nodes_missed(sim->nodes) ? "the step has not come to its end" : NULL;
}

// ---- a step -----------------------------------------------------------------------------------------------

static void give(MbBackward *b, size_t signal, double t, double by) {
  if (signal != SIZE_MAX && by != 0) mb_tangent_gather_signal(b->gather, signal, t, by);
}

static void add_pins(MbBackward *b, const MbDeformable *of, double t) {
  const MbElements *e = of->elements;
  for (size_t k = 0; k < e->nmotions; k++) {
    double translate[3], angle;
    mb_nodes_aim_felt(b->g->probe, of, (uint32_t)k, t, b->nodes->felt, translate, &angle);
    for (size_t axis = 0; axis < 3; axis++) give(b, e->motions[k].translate[axis], t, translate[axis]);
    if (e->motions[k].turns) give(b, e->motions[k].angle, t, angle);
  }
}

static void add_loads(MbBackward *b, const MbDeformable *of, const MbNodeLoad *felt, double t) {
  const MbElements *e = of->elements;
  if (e->surface) give(b, e->surface->pressure, t, felt->pressure);
  for (size_t k = 0; e->surface && k < 3; k++) give(b, e->surface->wind[k], t, felt->wind[k]);
  for (size_t m = 0; m < e->nfibres; m++) give(b, e->fibres[m].activation, t, felt->activation[m]);
}

// What signals at the step's end are felt by. Cables do not push.
static void add_signals(MbBackward *b, double t) {
  MbSensitivity *g = b->g;
  const MbModel *model = g->sim->model;
  const MbNodes *run = g->probe->nodes;
  MbNodeLoadsFelt *loads = &b->nodes->loads;
  bool any = false;
  for (size_t k = 0; k < g->count; k++) any |= mb_tangent_number_signals(g->slopes[k].number);
  if (!any) return;
  g->probe->solver->passes->slopes->loads(g->probe->work, b->nodes->z, loads);
  for (size_t i = 0; i < model->ndeformables; i++) {
    add_pins(b, &model->deformables[i], t);
    add_loads(b, &model->deformables[i], &loads->load[i], t);
  }
  for (size_t k = 0; k < run->ncables; k++)
    if (run->force[k] > 0) give(b, run->cable[k]->pull, t, loads->force[k]);
}

void mb_back_nodes_carried(const MbSim *at, const double *felt, double *by_move) {
  const MbModel *model = at->model;
  memset(by_move, 0, 6 * model->nb * sizeof *by_move);
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbElements *e = model->deformables[i].elements;
    for (size_t k = 0; k < e->nattached; k++) {
      const MbAttachedNode *attached = &e->attached[k];
      double force[3], moment[3], *to = by_move + 6 * attached->body;
      if (attached->body == MB_WORLD) continue;
      mb_quat_unrotate(force, at->x.E[attached->body].q,
                       felt + 3 * (model->deformables[i].first + attached->node));
      mb_vec3_cross(moment, attached->at, force);
      mb_vec3_add(to, to, moment), mb_vec3_add(to + 3, to + 3, force);
    }
  }
}

// What bodies' coordinates at a step's end are felt by, of what targets of nodes that they carry are. The probe's bodies are there.
static void add_carried(MbBackward *b, const MbTurn *turn) {
  MbSim *probe = b->g->probe;
  if (!b->nodes->carried) return;
  mb_back_nodes_carried(probe, b->nodes->felt, b->by_move);
  memset(b->by_phi, 0, 6 * probe->model->nb * sizeof *b->by_phi);
  mb_tangent_motion(probe, b->g->tangent, turn->v1);
  mb_tangent_weigh(probe, b->g->tangent, b->by_move, b->by_phi, b->q, b->dv);
}

// Takes the bodies of a side, or of the run, to a step's end.
static void end_bodies(const MbSensitivity *g, MbSim *at, MbSlopeAxes *axes, int side, const MbTurn *turn) {
  if (!g->beside) return;
  mb_sim_kinematics(at, mb_axes_q(axes, side, turn->q1), mb_axes_v(axes, side, MB_AXES_TO, turn->v1));
}

// What a number changes beside signals, which are the run's on both sides.
static double of_number(MbBackward *b, size_t k, const double *q1, const MbTurn *turn) {
  const double t = turn->t;
  const MbSensitivity *g = b->g;
  const MbSlope *slope = &g->slopes[k];
  MbBackNodes *nodes = b->nodes;
  const MbBackAsked *asked = &nodes->asked[k];
  MbSim *const side[2] = {slope->less, slope->more};
  double sum = 0;
  for (int s = 0; s < 2; s++) {
    const MbModel *model = side[s]->model;
    MbNodeStart start = g->probe->nodes->start;
    start.gravity = model->gravity;
    sum += (s ? 1 : -1) *
           side[s]->solver->passes->slopes->value(side[s]->work, &start, q1, nodes->z, asked->part);
    if (asked->aims) end_bodies(g, side[s], slope->axes, s, turn);
    for (size_t i = 0; i < model->ndeformables && asked->aims; i++)
      mb_nodes_aim(g->probe, side[s]->x.E, &model->deformables[i], t, nodes->target[s]);
  }
  // what is 0 along axes that nothing holds leaves out what is no target
  for (size_t c = 0; c < 3 * count(b) && asked->aims; c++)
    if (nodes->felt[c] != 0) sum += nodes->felt[c] * (nodes->target[1][c] - nodes->target[0][c]);
  return sum / (2 * g->number[k].move);
}

// Where the step has led before what was deep was parted, and nodes->q ← what that is felt by. NULL: g->parted tells why not.
static const double *unpart(MbBackward *b, const MbTurn *turn) {
  MbSensitivity *g = b->g;
  const size_t n = 3 * count(b);
  g->parted = NULL;
  if (!turn->met || b->g->beside) return turn->nodes1;
  if (!mb_met_points_parted(g, turn->met, turn->nodes1, turn->nodes1 + n, b->nodes->q, b->nodes->v, b->out))
    return NULL;
  return turn->met->moves.n ? turn->met->moves.move[0].q : turn->nodes1;
}

// The note of a step as contacts ask for it: velocities of nodes at both ends, before these get anything back.
static MbStageNote note_of(const MbBackward *b, const MbTurn *turn) {
  const size_t n = 3 * count(b);
  const bool kept = turn->met && turn->met->moves.kept.any;
  double *w = kept ? turn->met->moves.kept.v : turn->nodes1 + n;
  return (MbStageNote){.from = turn->nodes + n, .w = w, .gamma = 1, .t = turn->t};
}

// Takes felt over what contacts push, by nodes->met (n x 3) beside. False: g->parted tells why not.
static bool meet(MbBackward *b, const MbTurn *turn, const MbStageNote *note) {
  MbSensitivity *g = b->g;
  MbBackNodes *nodes = b->nodes;
  const double h = g->sim->model->h;
  const size_t n = 3 * count(b);
  if (!turn->met || g->beside) return true;
  g->met->q = turn->nodes;
  if (!mb_met_stand(g, note, turn->met) || !mb_met_at(g, note)) return false;
  if (!g->met->n) return true;
  for (size_t c = 0; c < n; c++) nodes->met[c] = h * nodes->felt[c];
  mb_met_back(g, nodes->met);
  for (size_t c = 0; c < n; c++) {
    nodes->met[c] /= h;
    nodes->q[c] -= nodes->met[c] - nodes->felt[c];
    nodes->felt[c] = nodes->met[c];
  }
  return true;
}

// Adds what contacts are felt by where nodes begin, and by numbers. False as above.
static bool met_back(MbBackward *b, const MbTurn *turn, const MbStageNote *note, MbReport *report) {
  MbSensitivity *g = b->g;
  MbBackNodes *nodes = b->nodes;
  const size_t n = 3 * count(b);
  if (!turn->met || g->beside) return true;
  for (size_t c = 0; c < n; c++) nodes->met[c] = -nodes->z[c];
  if (!mb_met_felt(g, note, nodes->met, nodes->q, nodes->v)) return false;
  mb_met_tell(g, note, turn->met, turn->t, turn->step, report);
  for (size_t k = 0; k < g->count; k++)
    if (!mb_met_number(g, &g->slopes[k], note, nodes->met, g->number[k].move, &b->out[k])) return false;
  return true;
}

MbStatus mb_back_nodes_stand(MbBackward *b, const MbTurn *turn, MbReport *report) {
  MbSensitivity *g = b->g;
  MbSim *probe = g->probe;
  MbBackNodes *nodes = b->nodes;
  const double h = g->sim->model->h;
  const size_t n = 3 * count(b);
  memcpy(section(probe), turn->nodes, 2 * n * sizeof(double));
  end_bodies(g, probe, NULL, 0, turn);
  const MbStatus status = mb_nodes_prepare(probe, turn->t, report);
  if (status != MB_OK) return status;
  for (size_t c = 0; c < n; c++) {
    nodes->felt[c] = nodes->q[c] + nodes->v[c] / h;
    nodes->q[c] = -nodes->v[c] / h, nodes->v[c] = 0;
  }
  return MB_OK;
}

const char *mb_back_nodes_begins(MbBackward *b) {
  MbSim *probe = b->g->probe;
  MbBackNodes *nodes = b->nodes;
  const MbPassSlopes *slopes = probe->solver->passes->slopes;
  slopes->start(probe->work, nodes->z, nodes->q, nodes->v);
  if (nodes->aims) slopes->held(probe->work, nodes->z, nodes->felt);
  for (size_t c = 0; c < 3 * count(b); c++)
    if (!isfinite(nodes->q[c]) || !isfinite(nodes->v[c])) return "the derivative backwards is not finite";
  return NULL;
}

void mb_back_nodes_numbers_felt(MbBackward *b, const MbTurn *turn, const double *x1) {
  add_signals(b, turn->t);
  for (size_t k = 0; k < b->g->count; k++)
    if (b->nodes->asked[k].any) b->out[k] += of_number(b, k, x1, turn);
}

MbStatus mb_back_nodes_step(MbBackward *b, const MbTurn *turn, const char **why, MbReport *report) {
  MbSensitivity *g = b->g;
  MbSim *probe = g->probe;
  MbBackNodes *nodes = b->nodes;
  const MbStageNote note = note_of(b, turn);
  const double *x1 = unpart(b, turn);
  if ((*why = g->parted)) return MB_OK;
  const MbPassSlopes *slopes = probe->solver->passes->slopes;
  const MbStatus status = mb_back_nodes_stand(b, turn, report);
  if (status != MB_OK) return status;
  if (!slopes->at(probe->work, &probe->nodes->start, x1) || !meet(b, turn, &note) ||
      !slopes->back(probe->work, nodes->felt, nodes->z))
    *why = g->parted ? g->parted : mb_back_nodes_singular;
  if (!*why) *why = mb_back_nodes_begins(b);
  if (!*why && !met_back(b, turn, &note, report)) *why = g->parted;
  if (*why) return MB_OK;
  mb_back_nodes_numbers_felt(b, turn, x1);
  add_carried(b, turn);
  return MB_OK;
}

void mb_back_nodes_start(const MbBackward *b) {
  const MbSensitivity *g = b->g;
  if (!b->nodes) return;
  const size_t n = 3 * count(b), first = g->sim->section[MB_SECTION_NODES];
  for (size_t k = 0; k < g->count; k++) {
    const double *changed = g->slopes[k].memory + first;
    b->out[k] += mb_slope_dot(b->nodes->q, changed, n) + mb_slope_dot(b->nodes->v, changed + n, n);
  }
}

// ---- a frame ----------------------------------------------------------------------------------------------

// Σ m v and Σ x × m v
static void add_momentum(MbBackward *b, const double *x, const double *w) {
  const MbModel *model = b->g->sim->model;
  const size_t n = 3 * count(b);
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbDeformable *of = &model->deformables[i];
    for (size_t k = 0; k < of->count; k++) {
      const size_t at = 3 * (of->first + k);
      const double m = of->elements->mass[k];
      double turn[3];
      mb_vec3_cross(turn, x + n + at, w + 3);
      mb_vec3_add_scaled(b->nodes->q + at, b->nodes->q + at, m, turn);
      mb_vec3_cross(turn, w + 3, x + at);
      mb_vec3_add(turn, turn, w);
      mb_vec3_add_scaled(b->nodes->v + at, b->nodes->v + at, m, turn);
    }
  }
}

// Kinetic, of gravity, elastic, and their sum.
static MbStatus add_energy(MbBackward *b, const MbMoment *at, const double *w, MbReport *report) {
  MbSim *probe = b->g->probe;
  const MbModel *model = probe->model;
  const size_t n = 3 * count(b);
  double *slope = b->nodes->felt;
  const MbStatus status = mb_nodes_prepare(probe, at->t, report);
  if (status != MB_OK) return status;
  probe->solver->passes->slopes->elastic(probe->work, at->nodes, probe->nodes->load, slope);
  for (size_t c = 0; c < n; c++) b->nodes->q[c] += (w[2] + w[3]) * slope[c];
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbDeformable *of = &model->deformables[i];
    for (size_t c = 3 * of->first; c < 3 * (of->first + of->count); c++) {
      const double m = of->elements->mass[c / 3 - of->first];
      b->nodes->q[c] -= (w[1] + w[3]) * m * model->gravity[c % 3];
      b->nodes->v[c] += (w[0] + w[3]) * m * at->nodes[n + c];
    }
  }
  return MB_OK;
}

// What a frame's channels say of the nodes; *others: a number may be told without them, as masses are by momentum.
static MbStatus add_channels(MbBackward *b, const MbMoment *at, bool *others, MbReport *report) {
  const MbSim *sim = b->g->sim;
  MbStatus status = MB_OK;
  *others = false;
  memset(b->nodes->both, 0, mb_sim_frame_size(sim) * sizeof *b->nodes->both);
  for (size_t c = 0; c < sim->nchannels; c++) {
    const MbChannel *channel = &sim->channels[c];
    const size_t numbers = channel->items * channel->width;
    double *const w = b->weight + channel->offset;
    const MbNodesTold told = mb_nodes_told(sim, c);
    double *const to = told == MB_TOLD_PLACES ? b->nodes->q : b->nodes->v;
    bool any = false;
    for (size_t i = 0; i < numbers; i++) any |= w[i] != 0;
    if (told == MB_TOLD_PLACES || told == MB_TOLD_VELOCITIES) {
      for (size_t i = 0; i < numbers; i++) to[3 * sim->sampled[c]->first + i] += w[i], w[i] = 0;
      continue;
    }
    if (told == MB_TOLD_NOTHING && b->g->beside) continue;
    *others |= any;
    if (any && told == MB_TOLD_MOMENTUM) add_momentum(b, at->nodes, w);
    if (any && told == MB_TOLD_ENERGY && status == MB_OK) status = add_energy(b, at, w, report);
    memcpy(b->nodes->both + channel->offset, w, numbers * sizeof *w);
  }
  return status;
}

static MbStatus sample(MbSim *at, const MbMoment *moment, size_t n, double *frame, MbReport *report) {
  memcpy(section(at), moment->nodes, 6 * n * sizeof(double));
  return mb_slope_sample(at, moment->q, moment->v, moment->t, moment->t, moment->step, frame, report);
}

// Leaves channels that tell nodes alone out of what is weighed, and those that tell bodies too.
static const double *leave_bodies(MbBackward *b, const MbMoment *at) {
  const MbSensitivity *g = b->g;
  const size_t n = 6 * count(b), size = mb_sim_frame_size(g->sim);
  for (size_t k = 0; k < g->count; k++)
    for (int s = 0; s < 2; s++)
      memcpy(section(mb_slope_side(&g->slopes[k], s)), at->nodes, n * sizeof(double));
  for (size_t i = 0; i < size; i++) b->weight[i] -= b->nodes->both[i];
  mb_sim_kinematics(g->probe, at->q, at->v);
  return b->nodes->both;
}

MbStatus mb_back_nodes_frame(MbBackward *b, const MbMoment *at, const double **others, MbReport *report) {
  MbSensitivity *g = b->g;
  const size_t n = count(b), size = mb_sim_frame_size(g->sim);
  MbStatus status = sample(g->probe, at, n, b->frame[0], report);
  if (status != MB_OK) return status;
  memset(b->weight, 0, size * sizeof *b->weight);
  b->weights->weigh(b->weights->to, at->step, at->t, b->frame[0], b->weight);
  bool told;
  status = add_channels(b, at, &told, report);
  if (g->beside && status == MB_OK) {
    *others = leave_bodies(b, at);
    return MB_OK;
  }
  for (size_t k = 0; k < g->count && told && status == MB_OK; k++) {
    // signals act on the energy of pressure and fibres
    if (!b->nodes->asked[k].any && !mb_tangent_number_signals(g->slopes[k].number)) continue;
    status = sample(g->slopes[k].less, at, n, b->frame[0], report);
    if (status == MB_OK) status = sample(g->slopes[k].more, at, n, b->frame[1], report);
    for (size_t i = 0; i < size && status == MB_OK; i++)
      b->out[k] += b->weight[i] * (b->frame[1][i] - b->frame[0][i]) / (2 * g->number[k].move);
  }
  return status;
}
