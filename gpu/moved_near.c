// Finds what of deformables is near solids where a device moves the nodes: the same functions of one node or triangle and one shape as the processor's
// (core/collision/near.h), in its order. Places and velocities go there if they are not there yet, solids and pairs with them, and the
// list of what is near comes back. The memory is taken when the run begins, for as many things at a time as there are, 131,072 at most: more of
// them are looked at one window after the other.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/solid_shapes.h"
#include "gpu/moved_near.h"

#include <string.h>

enum { LINES = 64 }; // words that come back beside those of the last time

size_t mb_moved_near_most = (size_t)1 << 17;

typedef struct MbMovedNear Near;

// ---- what stays -------------------------------------------------------------------------------------------

static size_t things_of(const MbNearThings *things) {
  size_t n = 0;
  for (size_t k = 0; k < things->nsurfaces; k++)
    n += (size_t)things->nshapes * (things->surface[k].nnodes + things->surface[k].ntriangles);
  return n;
}

static size_t words_of(size_t things) { return 1 + MB_NEAR_WORDS * things; }
static size_t chunks_of(size_t n) { return (n + MB_NEAR_CHUNK - 1) / MB_NEAR_CHUNK; }

// Room on the processor. False: out of memory.
static bool list(Near *near, const MbNearThings *things) {
  const size_t all = things_of(things);
  near->nshapes = things->nshapes, near->nsurfaces = things->nsurfaces;
  near->most = all < mb_moved_near_most ? all : mb_moved_near_most,
  near->pairs = (size_t)things->nshapes * things->nsurfaces;
  near->shape = mb_calloc(near->nshapes, sizeof *near->shape);
  near->surface = mb_calloc(near->nsurfaces, sizeof *near->surface);
  near->first = mb_calloc(2 * near->pairs + 1, sizeof *near->first);
  near->told = mb_calloc(words_of(near->most), sizeof *near->told);
  return near->shape && near->surface && near->first && near->told;
}

static void release(Near *near) {
  void *const all[] = {near->shape, near->surface, near->first, near->told, near->touch, near->face, near};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mb_free(all[k]);
}

// The first shape that has the same hull, or surface.
static uint32_t first_alike(const MbNearThings *things, uint32_t i) {
  uint32_t k = 0;
  while (things->shape[k].hull != things->shape[i].hull ||
         things->shape[k].surface != things->shape[i].surface)
    k++;
  return k;
}

// Places an array there, and copies it where the memory is there.
static const void *keep(const MbMoved *moved, char **next, bool fill, const void *from, size_t count,
                        size_t size) {
  void *const to = mb_moved_place(next, count, size);
  if (fill) mb_moved_put(moved, to, from, count * size);
  return to;
}

// So much of a hull, and of a surface, as distances are of.
static const MbHull *keep_hull(const MbMoved *moved, char **next, bool fill, const MbHull *from) {
  const size_t corners = from->first[from->faces];
  MbHull hull = {.vertices = from->vertices, .faces = from->faces};
  hull.vertex = keep(moved, next, fill, from->vertex, 3 * (size_t)from->vertices, sizeof *from->vertex);
  hull.first = keep(moved, next, fill, from->first, (size_t)from->faces + 1, sizeof *from->first);
  hull.corner = keep(moved, next, fill, from->corner, corners, sizeof *from->corner);
  hull.normal = keep(moved, next, fill, from->normal, 3 * (size_t)from->faces, sizeof *from->normal);
  return keep(moved, next, fill, &hull, 1, sizeof hull);
}

static const MbSkin *keep_skin(const MbMoved *moved, char **next, bool fill, const MbSkin *from) {
  const size_t n = 3 * (size_t)from->triangles, vertices = 3 * (size_t)from->vertices;
  MbSkin skin = {
      .vertices = from->vertices, .triangles = from->triangles, .nodes = from->nodes, .closed = from->closed};
  skin.vertex = keep(moved, next, fill, from->vertex, vertices, sizeof *from->vertex);
  skin.corner = keep(moved, next, fill, from->corner, n, sizeof *from->corner);
  skin.across = keep(moved, next, fill, from->across, n, sizeof *from->across);
  skin.side = keep(moved, next, fill, from->side, n, sizeof *from->side);
  skin.normal = keep(moved, next, fill, from->normal, n, sizeof *from->normal);
  skin.around = keep(moved, next, fill, from->around, vertices, sizeof *from->around);
  skin.node = keep(moved, next, fill, from->node, from->nodes, sizeof *from->node);
  skin.order = keep(moved, next, fill, from->order, from->triangles, sizeof *from->order);
  return keep(moved, next, fill, &skin, 1, sizeof skin);
}

static void keep_shapes(const MbMoved *moved, Near *near, const MbNearThings *things, char **next,
                        bool fill) {
  for (uint32_t i = 0; i < things->nshapes; i++) {
    const MbShape *from = &things->shape[i];
    const uint32_t alike = first_alike(things, i);
    MbShape *to = &near->shape[i];
    *to = *from;
    to->hull = alike < i ? near->shape[alike].hull : NULL;
    to->surface = alike < i ? near->shape[alike].surface : NULL;
    if (alike == i && from->hull) to->hull = keep_hull(moved, next, fill, from->hull);
    if (alike == i && from->surface) to->surface = keep_skin(moved, next, fill, from->surface);
  }
  near->args.shape = keep(moved, next, fill, near->shape, near->nshapes, sizeof *near->shape);
}

static void keep_surfaces(const MbMoved *moved, Near *near, const MbNearThings *things, char **next,
                          bool fill) {
  for (size_t k = 0; k < things->nsurfaces; k++) {
    const MbNearSurface *from = &things->surface[k];
    near->surface[k] = (MbNearOf){
        .node = keep(moved, next, fill, from->node, from->nnodes, sizeof *from->node),
        .corner = keep(moved, next, fill, from->corner, 3 * (size_t)from->ntriangles, sizeof *from->corner),
        .nnodes = from->nnodes,
        .ntriangles = from->ntriangles};
  }
  near->args.surface = keep(moved, next, fill, near->surface, near->nsurfaces, sizeof *near->surface);
}

// Gives all their places behind `memory`, and copies what stays if `fill`: how many bytes that takes.
static size_t lay_out(const MbMoved *moved, Near *near, const MbNearThings *things, char *memory, bool fill) {
  char *next = memory;
  MbNearArgs *a = &near->args;
  keep_shapes(moved, near, things, &next, fill);
  keep_surfaces(moved, near, things, &next, fill);
  a->solid = mb_moved_place(&next, near->nshapes, sizeof *a->solid);
  a->pair = mb_moved_place(&next, near->pairs, sizeof *a->pair);
  a->first = mb_moved_place(&next, 2 * near->pairs + 1, sizeof *a->first);
  a->near = mb_moved_place(&next, near->most, sizeof *a->near);
  a->count = mb_moved_place(&next, chunks_of(near->most), sizeof *a->count);
  a->sum = mb_moved_place(&next, chunks_of(chunks_of(near->most)), sizeof *a->sum);
  a->list = mb_moved_place(&next, near->most, sizeof *a->list);
  a->told = mb_moved_place(&next, words_of(near->most), sizeof *a->told);
  return (size_t)((uintptr_t)next - (uintptr_t)memory);
}

static MbStatus make(void *context, const MbNearThings *things, MbReport *report) {
  MbPdEngine *engine = context;
  MbMoved *moved = engine->moved;
  Near *near = moved->near;
  if (!list(near, things)) return mb_no_memory(report, "a device's copies");
  near->bytes = lay_out(moved, near, things, NULL, false);
  const MbStatus status = mb_moved_take(moved, near->bytes, &near->memory, report);
  if (status == MB_OK) (void)lay_out(moved, near, things, near->memory, true);
  return status;
}

static bool look(void *context, const MbNearLook *look, MbNearFound *found);

bool mb_moved_near_list(MbMoved *moved, MbPdEngine *engine) {
  if (!engine->nfree) return true;
  moved->near = mb_calloc(1, sizeof *moved->near);
  moved->start = mb_calloc(6 * engine->n, sizeof *moved->start);
  if (!moved->near || !moved->start) return false;
  moved->near->self = (MbNearElsewhere){engine, make, look};
  return true;
}

void mb_moved_near_free(MbMoved *moved) {
  if (moved->near && moved->gpu) moved->on->give(moved->gpu, moved->near->memory);
  if (moved->near) release(moved->near);
  mb_free(moved->start);
}

size_t mb_moved_near_here(const MbMoved *moved, size_t nodes) {
  const Near *near = moved->near;
  if (!near) return 0;
  return sizeof *near + 6 * nodes * sizeof *moved->start + near->nshapes * sizeof *near->shape +
         near->nsurfaces * sizeof *near->surface + (2 * near->pairs + 1) * sizeof *near->first +
         words_of(near->most) * sizeof *near->told + near->touches * sizeof *near->touch +
         near->faces * sizeof *near->face;
}

const MbNearElsewhere *mb_moved_finds(const MbPdEngine *engine) {
  const MbMoved *moved = engine->moved;
  return moved && moved->near ? &moved->near->self : NULL;
}

// ---- of a model alone --------------------------------------------------------------------------------------

static bool has_points(const MbModel *model) {
  const MbContacts *rules = &model->contacts;
  for (size_t k = 0; k < rules->nsurfaces && rules->any; k++)
    if (model->deformables[rules->surfaces[k].deformable].points) return true;
  return false;
}

MbStatus mb_moved_near_bytes(const MbModel *model, size_t *bytes, MbReport *report) {
  const MbContacts *rules = &model->contacts;
  *bytes = 0;
  if (!has_points(model)) return MB_OK;
  MbArena scratch = {0};
  MbSolidShapes shapes = {0};
  Near *near = mb_calloc(1, sizeof *near);
  MbNearSurface *surface = mb_arena_alloc(&scratch, rules->nsurfaces, sizeof *surface);
  MbStatus status = near && surface ? mb_solid_shapes_make(model, &scratch, &shapes, report)
                                    : mb_no_memory(report, "contact");
  for (size_t k = 0; k < rules->nsurfaces && surface; k++)
    if (model->deformables[rules->surfaces[k].deformable].points)
      surface[k] = (MbNearSurface){.nnodes = (uint32_t)rules->surfaces[k].nnodes,
                                   .ntriangles = (uint32_t)rules->surfaces[k].ntriangles};
  const MbNearThings things = {(uint32_t)rules->nsolids, (uint32_t)rules->nsurfaces, shapes.shape, surface};
  if (status == MB_OK && !list(near, &things)) status = mb_no_memory(report, "contact");
  if (status == MB_OK) *bytes = lay_out(NULL, near, &things, NULL, false);
  mb_solid_shapes_free(&shapes);
  mb_arena_free(&scratch);
  if (near) release(near);
  return status;
}

// ---- a look -----------------------------------------------------------------------------------------------

void mb_moved_put_start(MbMoved *moved, size_t nodes, const double *q, const double *v) {
  const size_t size = 3 * nodes * sizeof *q;
  double *const last = moved->start;
  if (!last || memcmp(last, q, size) != 0) mb_moved_put(moved, moved->nodes.q0, q, size);
  if (!last || memcmp(last + 3 * nodes, v, size) != 0) mb_moved_put(moved, moved->nodes.v0, v, size);
  if (last) memcpy(last, q, size), memcpy(last + 3 * nodes, v, size);
}

// The pairs' things: nodes of all of them, then triangles. How many there are.
static uint64_t number(Near *near, const MbNearLook *look) {
  const size_t n = look->npairs;
  uint64_t all = 0;
  for (size_t p = 0; p < 2 * n; p++) {
    const MbNearOf *of = &near->surface[look->pair[p < n ? p : p - n].surface];
    near->first[p] = all;
    all += p < n ? of->nnodes : of->ntriangles;
  }
  near->first[2 * n] = all;
  return all;
}

static void run(const MbMoved *moved, MbKernel kernel, size_t n, const MbNearArgs *args) {
  moved->on->run(moved->gpu, kernel, n, args);
}

// Looks at a window; what is told comes back with one wait, if it is not much more than the last time.
static void look_at(MbMoved *moved, MbNearArgs *a) {
  Near *near = moved->near;
  const size_t most = words_of(a->things);
  size_t words = near->expected + near->expected / 4 + LINES;
  if (words > most) words = most;
  a->chunks = (uint32_t)chunks_of(a->things);
  run(moved, MB_RUN_mb_near_look, a->things, a);
  run(moved, MB_RUN_mb_near_count, a->chunks, a);
  run(moved, MB_RUN_mb_near_sum, chunks_of(a->chunks), a);
  run(moved, MB_RUN_mb_near_list, a->chunks, a);
  run(moved, MB_RUN_mb_near_tell, a->things, a);
  moved->on->get(moved->gpu, near->told, a->told, words * sizeof *near->told);
  const size_t all = near->told->word[0], nodes = near->told->word[1],
               wanted = 1 + MB_NEAR_WORDS * nodes + (all - nodes);
  if (wanted > words)
    moved->on->get(moved->gpu, near->told + words, a->told + words, (wanted - words) * sizeof *near->told);
  near->expected = wanted;
}

// Takes what a window has told, whose things ascend as pairs do; false: out of memory.
static bool take(Near *near, const MbNearArgs *a, MbNearFound *found) {
  const size_t all = near->told->word[0], nodes = near->told->word[1], n = a->pairs;
  const size_t touches = found->ntouches + nodes, faces = found->nfaces + (all - nodes);
  if (!mb_grow(&near->touch, &near->touches, touches, sizeof *near->touch) ||
      !mb_grow(&near->face, &near->faces, faces, sizeof *near->face))
    return false;
  const MbNearWord *at = near->told + 1;
  size_t range = 0;
  for (size_t i = 0; i < all; i++, at += i <= nodes ? MB_NEAR_WORDS : 1) {
    const bool node = i < nodes;
    const uint64_t thing = a->from + at[node ? 4 : 0].word[0];
    while (near->first[range + 1] <= thing) range++;
    const uint32_t pair = (uint32_t)(node ? range : range - n),
                   which = (uint32_t)(thing - near->first[range]);
    if (!node) {
      near->face[found->nfaces++] = (MbNearFace){pair, which};
      continue;
    }
    MbNearTouch *touch = &near->touch[found->ntouches++];
    *touch = (MbNearTouch){pair, which, {.gap = at[0].number, .feature = at[4].word[1]}};
    for (size_t k = 0; k < 3; k++) touch->how.normal[k] = at[1 + k].number;
  }
  return true;
}

static bool look(void *context, const MbNearLook *look, MbNearFound *found) {
  const MbPdEngine *engine = context;
  MbMoved *moved = engine->moved;
  Near *near = moved->near;
  MbNearArgs args = near->args;
  const uint64_t all = number(near, look);
  bool fine = true;
  *found = (MbNearFound){0};
  mb_moved_put_start(moved, engine->n, look->x, look->v);
  mb_moved_put(moved, args.solid, look->solid, near->nshapes * sizeof *look->solid);
  mb_moved_put(moved, args.pair, look->pair, look->npairs * sizeof *look->pair);
  mb_moved_put(moved, args.first, near->first, (2 * look->npairs + 1) * sizeof *near->first);
  args.x = moved->nodes.q0, args.v = moved->nodes.v0, args.pairs = (uint32_t)look->npairs;
  for (args.from = 0; args.from < all && fine; args.from += args.things) {
    args.things = (uint32_t)(all - args.from < near->most ? all - args.from : near->most);
    look_at(moved, &args);
    fine = !moved->on->fault(moved->gpu) && take(near, &args, found);
  }
  found->touch = near->touch, found->face = near->face;
  return fine;
}
