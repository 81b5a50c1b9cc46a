// Depth is taken away by positions alone, after the step: what velocities that did so would leave is energy from nothing. What touches at
// the step's end is looked for anew; where some of it is deep, bodies move by the least, as masses tell, that takes it out and
// keeps the other rows:
//
//   dq = A⁻¹ Gᵀ λ,  0 ≤ λ ⊥ G dq + g ≥ 0,  A = M
//
// A step that ends where it is asked to leaves none: what there is comes of turns, which rows at the step's start do not see, and is of
// the order h². Deeper things, as at the start of a scene, are moved by no more than a share of their size in a step, whatever its length: no
// speed at which they come apart is known by a scene, and a share a second would be another one in other units. Where a scene asks for
// a few sweeps, a fixed cost a step, bodies are moved once a step; where nothing couples them by the step's own contacts, whose points have gone
// with their bodies, so that nothing is looked for twice.
#include "core/base/report.h"
#include "core/sim/claims.h"
#include "core/sim/constrain.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/evaluate.h"
#include "core/sim/layout.h"
#include "core/sim/nodes.h"
#include "core/sim/touch.h"
#include "core/sim/touch_pile.h"
#include "core/sim/trouble.h"

#include <stdio.h>
#include <string.h>

static const double SLOP = MB_TOUCH_SLOP;

static double depth_of(const MbTouch *touch) { return -touch->gap / touch->size; }

// The deepest, by size.
static double deepest(const MbTouches *touches) {
  double worst = 0;
  for (size_t i = 0; i < touches->n; i++) worst = fmax(worst, depth_of(&touches->touch[i]));
  return worst;
}

// Whether a depth, of a size, is the first of the run beyond a bound.
static bool is_first(const MbSim *sim, double depth, double bound) {
  const double before =
      fmax(sim->constraining->told[MB_SOLVED_DEEPEST], mb_section(sim, MB_SECTION_TOLD)[MB_SOLVED_DEEPEST]);
  return depth > bound && !(before > bound);
}

// Tells, once in a run, that a step has ended with a contact of two bodies as deep as a tenth of a size, as what is struck hard or turns far in a step comes to: it is parted by
// the steps that follow. And once that one is as deep as half: what moves by so much in a step may as well have come out on the other side. `touch` NULL: it is not
// known which.
static void tell_depth(const MbSim *sim, double depth, const MbTouch *touch, MbReport *report) {
  static const double HALF = 0.5, TENTH = 0.1;
  char what[480] = "two things that touch have come";
  if (sim->touching->rules->compliance > 0) return;
  const bool half = is_first(sim, depth, HALF);
  const bool bodies = !touch || touch->a < sim->touching->rules->nsolids; // what is deformable comes first
  if (!half && !(bodies && is_first(sim, depth, TENTH))) return;
  if (touch)
    snprintf(what, sizeof what, "\"%s\" and \"%s\" have come %.3g m", mb_touch_name(sim, touch->a),
             mb_touch_name(sim, touch->b), -touch->gap);
  mb_warning(report, "",
             "at t = %.9g s, step %lld: %s into one another, %.2g of the smaller one's size, "
             "in a step: %s; take a smaller step",
             sim->state.t + sim->model->h, (long long)sim->state.step + 1, what, depth,
             half ? "they may pass through one another" : "they are parted by moves that no force makes");
}

static void note_depth(MbSim *sim, const MbTouch *touch, MbReport *report) {
  double *so_far = &sim->constraining->told[MB_SOLVED_DEEPEST];
  tell_depth(sim, depth_of(touch), touch, report);
  *so_far = fmax(*so_far, depth_of(touch));
}

// dq ← the least move by rows, which keeps the others.
static MbStatus find_move(MbSim *sim, double t, double *dq, MbReport *report) {
  size_t blame = 0;
  mb_rows_make(sim, sim->q1, sim->v1, t, 0);
  if (!sim->solver->factor(sim->work, &sim->x, 0, 0, true, &blame))
    return mb_sim_singular(sim, blame, report);
  mb_claims_close(sim, dq);
  MbAsking asking = mb_asking(sim, MB_ASK_POSITIONS);
  asking.parts = true;
  mb_rows_ask(sim, &asking, dq, NULL);
  return mb_rows_solve(sim, MB_POSITIONS, t, 0, dq, report);
}

// By the contacts of the last look, or by those of the step where they have got to.
static MbStatus move(MbSim *sim, double t, bool moved, MbReport *report) {
  double *dq = sim->s;
  MbStatus status = moved ? MB_OK : mb_rows_list(sim, report);
  if (status != MB_OK) return status;
  if (mb_touch_apart(sim)) {
    memset(dq, 0, sim->nv * sizeof *dq);
    status = mb_touch_apart_part(sim, t, moved, dq, report);
  } else {
    status = find_move(sim, t, dq, report);
  }
  if (status != MB_OK) return status;
  mb_touch_note_move(sim, sim->q1, dq);
  mb_touch_kept_moved(sim, moved && sim->touching->pile->solved);
  mb_sim_advance(sim, sim->q1, 1, dq);
  mb_sim_kinematics(sim, sim->q1, sim->v1);
  mb_sim_follow(sim, sim->q1, sim->v1);
  return MB_OK;
}

// Notes which islands have got back momentum.
static void note_kept(MbSim *sim) {
  uint32_t *island = mb_touch_note_kept(sim);
  for (size_t i = 0; island && i < sim->model->nb + sim->model->ndeformables; i++)
    island[i] = mb_touch_kept_island(sim, i);
}

// What velocities give back of momentum makes another look of where they lead.
static void end_moves(MbSim *sim) {
  MbTouching *t = sim->touching;
  mb_touch_note_unkept(sim, NULL);
  if (!mb_touch_kept_end(sim, sim->v1)) return;
  t->fresh = false;
  note_kept(sim);
}

// Once, and what touches is looked for once a step, where it begins.
static MbStatus part_once(MbSim *sim, double t, MbReport *report) {
  double depth;
  sim->touching->fresh = false;
  if (!mb_touch_apart_move(sim, &depth)) return mb_no_memory(report, "contact");
  tell_depth(sim, depth, NULL, report);
  sim->constraining->told[MB_SOLVED_DEEPEST] = depth;
  if (!(depth > SLOP)) return MB_OK;
  mb_touch_kept_begin(sim);
  const MbStatus status = move(sim, t, true, report);
  if (status == MB_OK) end_moves(sim);
  return status;
}

MbStatus mb_touch_part(MbSim *sim, double t, MbReport *report) {
  enum { TURNS = 3, ONCE = 2 };
  MbTouching *touching = sim->touching;
  mb_touch_kept_step(sim);
  mb_touch_begin_moves(sim);
  if (mb_touch_apart(sim) && mb_touch_few(touching->rules) && !(touching->rules->compliance > 0))
    return part_once(sim, t, report);
  const int turns = mb_touch_few(touching->rules) ? ONCE : TURNS;
  touching->moves = 0;
  for (int turn = 0; turn < turns; turn++) {
    if (!mb_touch_look(sim, &touching->done, false)) return mb_no_memory(report, "contact");
    const double depth = deepest(&touching->next);
    for (size_t i = 0; i < touching->next.n && turn == 0; i++)
      note_depth(sim, &touching->next.touch[i], report);
    if (turn == 0) touching->deepest = depth;
    if (!mb_touch_parts(touching, turn, turns - 1, depth)) break;
    if (turn == 0) mb_touch_kept_begin(sim);
    const MbStatus status = move(sim, t, false, report);
    if (status != MB_OK) return status;
    touching->moves++;
  }
  touching->fresh = !touching->points;
  if (touching->moves) end_moves(sim);
  return MB_OK;
}

// By how much a push of 1 moves an end that is a node and no body: its weight by its mass.
static double gives(const MbModel *model, const MbTouchEnds *ends, size_t end) {
  if (ends->end[end] == MB_WORLD || ends->end[end] < model->nb) return 0;
  const size_t node = ends->end[end] - model->nb;
  size_t i = 0;
  while (node >= model->deformables[i].first + model->deformables[i].count) i++;
  return ends->weight[end] / model->deformables[i].elements->mass[node - model->deformables[i].first];
}

// Moves a contact's nodes by the least, as masses tell, that takes `depth` away. `began`: others have been moved before.
static bool part_nodes(MbSim *sim, const MbTouch *touch, double depth, bool began) {
  const MbTouchEnds *ends = mb_touch_ends(&sim->touching->next, touch);
  double sum = 0;
  bool moved = false;
  for (size_t k = 0; k < ends->n; k++) sum += gives(sim->model, ends, k) * ends->weight[k];
  if (!(sum > 0)) return false;
  if (!began) mb_touch_kept_begin_points(sim);
  for (size_t k = 0; k < ends->n; k++) {
    const double way = gives(sim->model, ends, k) / sum * depth;
    if (way == 0) continue;
    const size_t node = ends->end[k] - sim->model->nb;
    if (!mb_nodes_push(sim, node, way, touch->normal)) continue;
    mb_touch_kept_moves_node(sim, node, way, touch->normal);
    moved = true;
  }
  mb_touch_kept_join_touch(sim, ends->end, ends->n);
  return moved;
}

// What is deep goes out by itself: a node that is a point has little mass beside what it touches, and its place changes, and of its
// velocity no more than keeps momentum. What is left of it comes of turns and of curved shapes, of the order h².
MbStatus mb_touch_part_points(MbSim *sim, double at, MbReport *report) {
  static const double MOST = 0.1; // of the smaller one's size, in a step
  MbTouching *t = sim->touching;
  bool began = false;
  if (!t->points) return MB_OK;
  if (!mb_touch_look(sim, &t->done, true)) return mb_no_memory(report, "contact");
  t->fresh = true;
  for (size_t i = 0; i < t->next.n; i++) {
    const MbTouch *touch = &t->next.touch[i];
    const double depth = depth_of(touch);
    if (touch->a < t->rules->nsolids) continue;
    note_depth(sim, touch, report);
    if (t->rules->compliance > 0 || !(depth > SLOP)) continue;
    if (!began) mb_touch_note_places(sim, sim->nodes->q1);
    if (!part_nodes(sim, touch, fmin(depth, MOST) * touch->size, began)) continue;
    mb_touch_note_parted(sim, touch, fmin(depth, MOST) * touch->size);
    t->fresh = false, began = true;
  }
  if (began) mb_touch_note_unkept(sim, sim->nodes->v1);
  if (began && mb_touch_kept_end_points(sim, sim->v1)) note_kept(sim);
  // nobody asks a device for anything behind this look
  return mb_nodes_fault(sim, at, report);
}
