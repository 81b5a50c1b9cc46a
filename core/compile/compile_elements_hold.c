// What holds the nodes of elements, and what pulls at them: pins and how they move, attachments, cables.
#include "core/base/report.h"
#include "core/compile/compile_elements.h"
#include "core/compile/compile_internal.h"
#include "core/deformables/select.h"

#include <stdio.h>
#include <string.h>

enum { WHERE = 128 };

// One deformable at a time, and what is known of its nodes so far
typedef struct Holder {
  const MbDeformableSpec *spec;
  MbModel *model;
  const MbDeformable *of;
  MbElements *to;
  size_t number; // of the deformable, for messages
  MbArena *arena, *scratch;
  const MbPose *E; // (nb) of the bodies at the start
  bool moves;      // pins move nodes over time, and do not only lead them from equilibrium to equilibrium
  MbReport *report;
  bool *chosen;               // (count)
  unsigned *axes;             // (count) held by pins
  uint32_t (*motion)[3];      // (count)
  MbAttachedNode *attachment; // (count)
  bool *attached;             // (count)
} Holder;

static MbStatus choose(const Holder *h, const MbSelectSpec *select, const char *where) {
  memset(h->chosen, 0, h->of->count * sizeof *h->chosen);
  const MbPlaces places = mb_places_of(h->to);
  char fault[MB_SELECT_FAULT];
  const char *wrong = mb_select(&places, select, h->chosen, fault);
  return wrong ? mb_error(h->report, MB_SCENE, where, "%s", wrong) : MB_OK;
}

// ---- pins -------------------------------------------------------------------------------------------------

static MbStatus add_signal(const Holder *h, const MbSignalSpec *spec, const char *where, size_t *index) {
  return mb_model_add_signal(h->model, spec, where, index, h->report);
}

static MbStatus value_at_start(const Holder *h, const MbSignal *signal, double *value) {
  char message[200];
  double rates[3];
  if (!mb_compile_signal_start(h->model, signal, rates, message, sizeof message))
    return !strcmp(message, "out of memory")
               ? mb_no_memory(h->report, "signals")
               : mb_error(h->report, MB_SCENE, "", "the signal \"%.60s\": %s", signal->text, message);
  *value = rates[0];
  return MB_OK;
}

// Motion is from where the nodes are at the start: one that does not begin there makes them jump.
static MbStatus advise_start(const Holder *h, const MbPinMotion *motion, const char *where) {
  static const double SMALL = 1e-9; // m, rad
  for (size_t k = 0; k < (motion->turns ? 4u : 3u); k++) {
    double value = 0;
    const MbStatus status =
        value_at_start(h, &h->model->signals[k < 3 ? motion->translate[k] : motion->angle], &value);
    if (status != MB_OK) return status;
    if (fabs(value) <= SMALL) continue;
    mb_warning(h->report, where, "%s is %g at t = 0 and not 0: the nodes jump there in the first step",
               k < 3 ? "the shift" : "the angle", value);
    break;
  }
  return MB_OK;
}

static MbStatus add_motion(const Holder *h, const MbPinMotionSpec *spec, const char *where, MbPinMotion *to) {
  MbStatus status = MB_OK;
  char at[WHERE + 48];
  *to = (MbPinMotion){.turns = spec->turns, .angle = SIZE_MAX};
  mb_vec3_copy(to->axis, spec->axis);
  mb_vec3_copy(to->through, spec->through);
  for (size_t k = 0; k < 3 && status == MB_OK; k++) {
    snprintf(at, sizeof at, "%s/motion/translate/%zu", where, k);
    status = add_signal(h, &spec->translate[k], at, &to->translate[k]);
  }
  snprintf(at, sizeof at, "%s/motion/rotate/angle", where);
  if (status == MB_OK && spec->turns) status = add_signal(h, &spec->angle, at, &to->angle);
  return status == MB_OK ? advise_start(h, to, where) : status;
}

static MbStatus hold(const Holder *h, unsigned axes, uint32_t motion, const char *where) {
  for (size_t i = 0; i < h->of->count; i++)
    for (unsigned k = 0; k < 3 && h->chosen[i]; k++) {
      if (!(axes >> k & 1)) continue;
      if (h->axes[i] >> k & 1 && h->motion[i][k] != motion)
        return mb_error(h->report, MB_SCENE, where,
                        "node %zu of \"%s\" is held along %c already, by a pin that moves otherwise", i,
                        h->of->name, 'x' + (int)k);
      h->axes[i] |= 1u << k;
      h->motion[i][k] = motion;
    }
  return MB_OK;
}

static MbStatus build_pins(const Holder *h) {
  MbStatus status = MB_OK;
  MbPinMotion *motions = mb_arena_alloc(h->arena, h->spec->npins, sizeof *motions);
  if (!motions) return mb_no_memory(h->report, "pins");
  h->to->motions = motions;
  for (size_t k = 0; k < h->spec->npins && status != MB_IO; k++) {
    const MbPinSpec *pin = &h->spec->pins[k];
    char where[WHERE];
    unsigned axes = 0;
    uint32_t motion = MB_STILL;
    snprintf(where, sizeof where, "/deformables/%zu/pin/%zu", h->number, k);
    MbStatus one = mb_compile_pinned_axes(pin->axes, where, &axes, h->report);
    if (one == MB_OK) one = choose(h, &pin->select, where);
    if (one == MB_OK && pin->motion.given) {
      motion = (uint32_t)h->to->nmotions++;
      one = add_motion(h, &pin->motion, where, &motions[motion]);
    }
    if (one == MB_OK) one = hold(h, axes, motion, where);
    if (one != MB_OK) status = one;
  }
  return status;
}

// How fast a motion moves a place at the start.
static MbStatus rate_at_start(const Holder *h, const MbPinMotion *motion, const double x[3], double v[3]) {
  double rates[3], axis[3], arm[3], turn[3];
  char message[200];
  for (size_t k = 0; k < (motion->turns ? 4u : 3u); k++) { // the first three are known to be fine
    const MbSignal *signal = &h->model->signals[k < 3 ? motion->translate[k] : motion->angle];
    if (!mb_compile_signal_start(h->model, signal, rates, message, sizeof message))
      return mb_no_memory(h->report, "signals");
    if (k < 3) v[k] = rates[1];
  }
  if (!motion->turns) return MB_OK;
  mb_vec3_scale(axis, rates[1] / mb_vec3_norm(motion->axis), motion->axis);
  mb_vec3_sub(arm, x, motion->through);
  mb_vec3_cross(turn, axis, arm);
  mb_vec3_add(v, v, turn);
  return MB_OK;
}

// What is pinned begins as fast as its pin moves it, whatever the deformable does.
static MbStatus pinned_velocities(const Holder *h) {
  double *v0 = mb_arena_alloc(h->arena, h->of->count, 3 * sizeof *v0);
  if (!v0) return mb_no_memory(h->report, "pins");
  memcpy(v0, h->to->v0, 3 * h->of->count * sizeof *v0);
  for (size_t i = 0; i < h->of->count; i++)
    for (unsigned k = 0; k < 3; k++) {
      if (!(h->axes[i] >> k & 1)) continue;
      double v[3] = {0, 0, 0};
      const uint32_t motion = h->motion[i][k];
      if (motion != MB_STILL && h->moves) {
        const MbStatus status = rate_at_start(h, &h->to->motions[motion], h->to->x0 + 3 * i, v);
        if (status != MB_OK) return status;
      }
      v0[3 * i + k] = v[k];
    }
  h->to->v0 = v0;
  return MB_OK;
}

// ---- attachments ------------------------------------------------------------------------------------------

static MbStatus build_attachments(const Holder *h) {
  for (size_t k = 0; k < h->spec->nattachments; k++) {
    const MbAttachSpec *attach = &h->spec->attachments[k];
    char where[WHERE];
    size_t body = MB_WORLD;
    snprintf(where, sizeof where, "/deformables/%zu/attach/%zu", h->number, k);
    if (!attach->body) continue; // rows hold them at other nodes (compile_attachments.c)
    MbStatus status = mb_model_find_body(h->model, attach->body, where, &body, h->report);
    if (status == MB_OK) status = choose(h, &attach->select, where);
    if (status != MB_OK) return status;
    if (h->of->port && body != MB_WORLD) continue; // rows hold them (compile_constraints.c)
    for (size_t i = 0; i < h->of->count; i++) {
      if (!h->chosen[i]) continue;
      if (h->axes[i] || h->attached[i])
        return mb_error(h->report, MB_SCENE, where, "node %zu of \"%s\" is held already", i, h->of->name);
      MbAttachedNode *node = &h->attachment[i];
      *node = (MbAttachedNode){.node = (uint32_t)i, .body = body};
      mb_vec3_copy(node->at, h->to->x0 + 3 * i);
      if (body != MB_WORLD) {
        MbPose inverse;
        mb_pose_inverse(&inverse, &h->E[body]);
        mb_pose_point(node->at, &inverse, h->to->x0 + 3 * i);
      }
      h->attached[i] = true;
    }
  }
  return MB_OK;
}

// The lists of pinned and of attached nodes, from what is known of each.
static MbStatus list_nodes(const Holder *h) {
  size_t npinned = 0, nattached = 0;
  for (size_t i = 0; i < h->of->count; i++) npinned += h->axes[i] != 0, nattached += h->attached[i];
  MbPinnedNode *pinned = mb_arena_alloc(h->arena, npinned, sizeof *pinned);
  MbAttachedNode *attached = mb_arena_alloc(h->arena, nattached, sizeof *attached);
  if (!pinned || !attached) return mb_no_memory(h->report, "pins");
  for (size_t i = 0; i < h->of->count; i++) {
    if (h->attached[i]) attached[h->to->nattached++] = h->attachment[i];
    if (!h->axes[i]) continue;
    MbPinnedNode *node = &pinned[h->to->npinned++];
    *node = (MbPinnedNode){.node = (uint32_t)i, .axes = h->axes[i]};
    memcpy(node->motion, h->motion[i], sizeof node->motion);
  }
  h->to->pinned = pinned, h->to->attached = attached;
  return MB_OK;
}

// ---- cables -----------------------------------------------------------------------------------------------

// Their selections' nodes, one after the other; how long the cable is at the start.
static MbStatus thread_cable(const Holder *h, const MbCableSpec *spec, const char *where, MbCable *to) {
  size_t *first = mb_arena_alloc(h->arena, spec->npath + 1, sizeof *first);
  uint32_t *node = NULL;
  size_t room = 0;
  double before[3] = {0, 0, 0};
  if (!first) return mb_no_memory(h->report, "cables");
  for (size_t p = 0; p < spec->npath; p++) {
    char at[WHERE + 32];
    double middle[3] = {0, 0, 0}, between[3];
    size_t count = 0;
    snprintf(at, sizeof at, "%s/path/%zu", where, p);
    const MbStatus status = choose(h, &spec->path[p], at);
    if (status != MB_OK) return status;
    for (size_t i = 0; i < h->of->count; i++) count += h->chosen[i];
    first[p + 1] = first[p] + count;
    if (first[p + 1] > room) { // twice as much: the arena keeps the old ones, no more than as much again
      room = 2 * first[p + 1];
      uint32_t *more = mb_arena_alloc(h->arena, room, sizeof *more);
      if (!more) return mb_no_memory(h->report, "cables");
      if (first[p]) memcpy(more, node, first[p] * sizeof *more);
      node = more;
    }
    for (size_t i = 0, n = first[p]; i < h->of->count; i++) {
      if (!h->chosen[i]) continue;
      node[n++] = (uint32_t)i;
      mb_vec3_add_scaled(middle, middle, 1 / (double)count, h->to->x0 + 3 * i);
    }
    mb_vec3_sub(between, middle, before);
    const double length = p ? mb_vec3_norm(between) : 1;
    if (!(length > 0))
      return mb_error(h->report, MB_SCENE, at, "this point of the cable is where the one before it is");
    to->length += p ? length : 0;
    mb_vec3_copy(before, middle);
  }
  to->npoints = spec->npath, to->first = first, to->node = node;
  return MB_OK;
}

static MbStatus build_cables(const Holder *h) {
  MbCable *cables = mb_arena_alloc(h->arena, h->spec->ncables, sizeof *cables);
  if (!cables) return mb_no_memory(h->report, "cables");
  h->to->cables = cables, h->to->ncables = h->spec->ncables;
  for (size_t k = 0; k < h->spec->ncables; k++) {
    const MbCableSpec *spec = &h->spec->cables[k];
    char where[WHERE], at[WHERE + 8];
    snprintf(where, sizeof where, "/deformables/%zu/cables/%zu", h->number, k);
    snprintf(at, sizeof at, "%s/pull", where);
    if (spec->npath < 2)
      return mb_error(h->report, MB_SCENE, where, "a cable goes through two points or more, not %zu",
                      spec->npath);
    cables[k] = (MbCable){.pull = SIZE_MAX, .compliance = spec->compliance};
    MbStatus status = thread_cable(h, spec, where, &cables[k]);
    if (status == MB_OK && spec->pulled && spec->pull.kind == MB_SIGNAL_CONSTANT && spec->pull.value < 0)
      status =
          mb_error(h->report, MB_SCENE, where, "a cable cannot push: its pull is %g N", spec->pull.value);
    if (status == MB_OK && spec->pulled) status = add_signal(h, &spec->pull, at, &cables[k].pull);
    if (status != MB_OK) return status;
  }
  return MB_OK;
}

// ---- all --------------------------------------------------------------------------------------------------

static MbStatus build_one(Holder *h) {
  const size_t n = h->of->count;
  h->chosen = mb_arena_alloc(h->scratch, n, sizeof *h->chosen);
  h->axes = mb_arena_alloc(h->scratch, n, sizeof *h->axes);
  h->motion = mb_arena_alloc(h->scratch, n, sizeof *h->motion);
  h->attachment = mb_arena_alloc(h->scratch, n, sizeof *h->attachment);
  h->attached = mb_arena_alloc(h->scratch, n, sizeof *h->attached);
  if (!h->chosen || !h->axes || !h->motion || !h->attachment || !h->attached)
    return mb_no_memory(h->report, "pins");
  memset(h->motion, 0xff, n * sizeof *h->motion); // MB_STILL
  const MbStatus pins = build_pins(h), attachments = pins == MB_IO ? pins : build_attachments(h);
  const MbStatus cables = attachments == MB_IO ? attachments : build_cables(h);
  const MbStatus held = pins != MB_OK ? pins : attachments != MB_OK ? attachments : cables;
  const MbStatus status = held == MB_OK && h->spec->npins ? pinned_velocities(h) : held;
  return status == MB_OK ? list_nodes(h) : status;
}

MbStatus mb_compile_elements_hold(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  if (spec->solver.kind != MB_SOLVER_PROJECTIVE) return MB_OK;
  if (!model->q0) return MB_OK; // something is wrong with the joints
  MbArena scratch = {0};
  MbPose *E = mb_arena_alloc(&scratch, model->nb, sizeof *E);
  MbStatus status = E ? MB_OK : mb_no_memory(report, "pins");
  if (status == MB_OK) mb_model_poses(model, E);
  for (size_t i = 0; i < model->ndeformables && status != MB_IO; i++) {
    MbArena own = {0};
    Holder h = {.spec = &spec->deformables[i],
                .model = model,
                .of = &model->deformables[i],
                .to = (MbElements *)model->deformables[i].elements,
                .number = i,
                .arena = &model->arena,
                .scratch = &own,
                .E = E,
                .moves = spec->integrator.kind != MB_STATIC,
                .report = report};
    const MbStatus one = build_one(&h);
    if (one != MB_OK) status = one;
    mb_arena_free(&own);
  }
  mb_arena_free(&scratch);
  return status;
}
