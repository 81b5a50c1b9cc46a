#include "core/sim/touch_sight.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/model/ops.h"
#include "core/sim/nodes.h"
#include "core/sim/touch.h"

#include <string.h>

// ---- what stays -------------------------------------------------------------------------------------------

static bool has_points(const MbSim *sim, const MbTouchSurface *surface) {
  return sim->model->deformables[surface->of->deformable].points;
}

// The number of a surface's node among all points.
static uint32_t number_of(const MbSim *sim, const MbTouchSurface *surface, size_t i) {
  return (uint32_t)(sim->model->deformables[surface->of->deformable].first + surface->of->node[i]);
}

// Triangles are in the order of the surface's tree.
static bool list_surface(const MbSim *sim, const MbTouchSurface *from, MbArena *scratch, MbNearSurface *to) {
  const size_t n = from->of->nnodes, triangles = from->of->ntriangles;
  const MbFaces *faces = from->faces;
  if (!has_points(sim, from)) return true;
  uint32_t *node = mb_arena_alloc(scratch, n, sizeof *node),
           *corner = mb_arena_alloc(scratch, 3 * triangles, sizeof *corner);
  if (!node || !corner) return false;
  for (size_t i = 0; i < n; i++) node[i] = from->carried[i] ? MB_NEAR_NONE : number_of(sim, from, i);
  for (size_t e = 0; e < 3 * triangles; e++)
    corner[e] = number_of(sim, from, faces->corner[3 * (size_t)faces->order[e / 3] + e % 3]);
  *to = (MbNearSurface){(uint32_t)n, (uint32_t)triangles, node, corner};
  return true;
}

// Room for places and velocities of all points, where some are bodies as well.
static bool make_room(MbSim *sim) {
  const MbTouching *t = sim->touching;
  MbTouchSight *sight = &sim->touching->sight;
  bool some = false;
  for (size_t k = 0; k < t->nsurfaces; k++)
    for (size_t i = 0; i < t->surface[k].of->nnodes && has_points(sim, &t->surface[k]); i++)
      some = some || t->surface[k].end[i] < sim->model->nb;
  if (some) sight->x = mb_arena_alloc(&sim->arena, 6 * mb_model_points(sim->model), sizeof *sight->x);
  return !some || sight->x;
}

static MbStatus hand_over(MbSim *sim, MbReport *report) {
  const MbTouching *t = sim->touching;
  MbArena scratch = {0};
  MbNearSurface *surface = mb_arena_alloc(&scratch, t->nsurfaces, sizeof *surface);
  bool fine = surface && make_room(sim);
  for (size_t k = 0; k < t->nsurfaces && fine; k++)
    fine = list_surface(sim, &t->surface[k], &scratch, &surface[k]);
  const MbNearThings things = {(uint32_t)t->rules->nsolids, (uint32_t)t->nsurfaces, t->solids.shape, surface};
  const MbStatus status =
      fine ? t->sight.by->make(t->sight.by->context, &things, report) : mb_no_memory(report, "contact");
  mb_arena_free(&scratch);
  return status;
}

MbStatus mb_touch_sight_make(MbSim *sim, MbReport *report) {
  MbTouchSight *sight = &sim->touching->sight;
  const MbPassOps *passes = sim->solver->passes;
  sight->solid = mb_arena_alloc(&sim->arena, sim->touching->rules->nsolids, sizeof *sight->solid);
  if (!sight->solid) return mb_no_memory(report, "contact");
  sight->by = passes && passes->finds && sim->touching->points ? passes->finds(sim->work) : NULL;
  return sight->by ? hand_over(sim, report) : MB_OK;
}

void mb_touch_sight_free(MbTouchSight *sight) { mb_free(sight->pair); }
size_t mb_touch_sight_bytes(const MbTouchSight *sight) { return sight->room * sizeof *sight->pair; }

// ---- a look -----------------------------------------------------------------------------------------------

bool mb_touch_sight_may(const MbSim *sim, size_t surface, uint32_t solid) {
  const MbTouching *t = sim->touching;
  const MbTouchSurface *of = &t->surface[surface];
  return !mb_bounds_apart(&of->bounds, &t->bounds[solid], 0) &&
         !mb_touch_excludes(t, sim->model->nb + of->of->deformable, t->rules->solids[solid].body);
}

MbNearPair mb_touch_sight_pair(const MbSim *sim, size_t surface, uint32_t solid, double fall) {
  const MbTouching *t = sim->touching;
  const MbTouchSurface *of = &t->surface[surface];
  return (MbNearPair){.surface = (uint32_t)surface,
                      .solid = solid,
                      .size = fmin(of->size, t->solids.size[solid]),
                      .h = sim->model->h,
                      .fall = fall,
                      .half = of->of->thickness / 2,
                      .facets = mb_touch_facets_meet(sim, surface, solid)};
}

static void place_solids(const MbTouching *t) {
  for (size_t s = 0; s < t->rules->nsolids; s++) {
    MbNearSolid *solid = &t->sight.solid[s];
    solid->bounds = t->bounds[s], solid->own = t->solids.own[s], solid->way = t->way[s];
    memcpy(solid->p, t->E[s].p, sizeof solid->p);
    memcpy(solid->q, t->E[s].q, sizeof solid->q);
    memcpy(solid->R, t->placed[s].R, sizeof solid->R);
  }
}

static bool list_pairs(MbSim *sim, double fall) {
  MbTouching *t = sim->touching;
  MbTouchSight *sight = &t->sight;
  for (size_t k = 0; k < t->nsurfaces; k++) {
    if (!has_points(sim, &t->surface[k])) continue;
    for (uint32_t s = 0; s < t->rules->nsolids; s++) {
      if (!mb_touch_sight_may(sim, k, s)) continue;
      if (!mb_grow(&sight->pair, &sight->room, sight->npairs + 1, sizeof *sight->pair)) return false;
      sight->pair[sight->npairs++] = mb_touch_sight_pair(sim, k, s, fall);
    }
  }
  return true;
}

// Points that are bodies as well are where these are, as surfaces have them.
static void place_points(const MbSim *sim, MbNearLook *look) {
  const MbTouching *t = sim->touching;
  const size_t n = 3 * mb_model_points(sim->model);
  double *x = t->sight.x;
  if (!x) return;
  memcpy(x, look->x, n * sizeof *x), memcpy(x + n, look->v, n * sizeof *x);
  for (size_t k = 0; k < t->nsurfaces; k++) {
    const MbTouchSurface *surface = &t->surface[k];
    for (size_t i = 0; i < surface->of->nnodes && has_points(sim, surface); i++) {
      if (surface->end[i] >= sim->model->nb) continue;
      const size_t at = 3 * (size_t)number_of(sim, surface, i);
      mb_vec3_copy(x + at, surface->faces->x + 3 * i), mb_vec3_copy(x + n + at, surface->faces->v + 3 * i);
    }
  }
  look->x = x, look->v = x + n;
}

bool mb_touch_sight_begin(MbSim *sim, double fall, bool points) {
  MbTouchSight *sight = &sim->touching->sight;
  sight->npairs = sight->at = sight->touch = sight->face = 0;
  place_solids(sim->touching);
  if (!sight->by || !points) return true;
  if (!list_pairs(sim, fall)) return false;
  MbNearLook look = {.x = mb_nodes_at(sim),
                     .v = mb_nodes_velocities_at(sim),
                     .solid = sight->solid,
                     .pair = sight->pair,
                     .npairs = sight->npairs};
  place_points(sim, &look);
  if (sight->npairs && !sight->by->look(sight->by->context, &look, &sight->found)) sight->npairs = 0;
  return true;
}

bool mb_touch_sight_take(MbTouchSight *sight, size_t surface, uint32_t solid, MbTouchSeen *seen) {
  const MbNearFound *found = &sight->found;
  if (sight->at == sight->npairs || sight->pair[sight->at].surface != surface ||
      sight->pair[sight->at].solid != solid)
    return false;
  *seen = (MbTouchSeen){.point = found->point};
  if (found->touch) seen->touch = found->touch + sight->touch;
  if (found->face) seen->face = found->face + sight->face;
  while (sight->touch < found->ntouches && found->touch[sight->touch].pair == sight->at)
    sight->touch++, seen->ntouches++;
  while (sight->face < found->nfaces && found->face[sight->face].pair == sight->at)
    sight->face++, seen->nfaces++;
  sight->at++;
  return true;
}
