// Finds what of deformables is near solids where a device moves the nodes: the same functions of one node or triangle and one shape as the processor's
// (core/collision/near.h), in its order. Places and velocities go there if they are not there yet, solids and pairs with them, and the
// list of what is near comes back, with the points at which triangles meet solids. The memory is taken when the run begins, for as many things at
// a time as there are, 131,072 at most: more of them are looked at one window after the other. Of a window's triangles that are near 32,768 at
// most are met there, 8,192 at once, 2,048 near meshes; the others are left to the processor.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/solid_shapes.h"
#include "gpu/moved_near.h"

#include <string.h>

enum { LINES = 64 }; // words that come back beside those of the last time

size_t mb_moved_near_most = (size_t)1 << 17;
size_t mb_moved_near_meets = (size_t)1 << 15, mb_moved_near_rooms = (size_t)1 << 13,
       mb_moved_near_meshes = (size_t)1 << 11;

typedef struct MbMovedNear Near;

// ---- what stays -------------------------------------------------------------------------------------------

static size_t things_of(const MbNearThings *things) {
  size_t n = 0;
  for (size_t k = 0; k < things->nsurfaces; k++)
    n += (size_t)things->nshapes * (things->surface[k].nnodes + things->surface[k].ntriangles);
  return n;
}

// Words that such a window may tell at most.
static size_t words_of(const Near *near, size_t things) {
  return MB_NEAR_HEAD + MB_NEAR_WORDS * things + MB_MEET_WORDS * near->each * near->meets;
}

static size_t lesser(size_t a, size_t b) { return a < b ? a : b; }

static bool has_mesh(const MbNearThings *things) {
  bool has = false;
  for (uint32_t i = 0; i < things->nshapes; i++) has |= things->shape[i].form == MB_FORM_MESH;
  return has;
}

// Triangles of all surfaces, each with each shape that it may meet.
static size_t triangles_of(const MbNearThings *things) {
  size_t n = 0, shapes = 0;
  for (size_t k = 0; k < things->nsurfaces; k++) n += things->surface[k].ntriangles;
  for (uint32_t i = 0; i < things->nshapes; i++) shapes += things->shape[i].form != MB_FORM_PLANE;
  return n * shapes;
}

static size_t chunks_of(size_t n) { return (n + MB_NEAR_CHUNK - 1) / MB_NEAR_CHUNK; }

// Room on the processor. False: out of memory.
static bool list(Near *near, const MbNearThings *things) {
  near->nshapes = things->nshapes, near->nsurfaces = things->nsurfaces;
  near->most = lesser(things_of(things), mb_moved_near_most);
  near->meets = lesser(lesser(triangles_of(things), near->most), mb_moved_near_meets);
  near->rooms = lesser(near->meets, mb_moved_near_rooms);
  near->meshes = has_mesh(things) ? lesser(near->meets, mb_moved_near_meshes) : 0;
  near->each = near->meshes ? MB_CONTACT_POINTS : MB_PATCH_POINTS;
  near->pairs = (size_t)things->nshapes * things->nsurfaces;
  near->shape = mb_calloc(near->nshapes, sizeof *near->shape);
  near->surface = mb_calloc(near->nsurfaces, sizeof *near->surface);
  near->first = mb_calloc(2 * near->pairs + 1, sizeof *near->first);
  near->told = mb_calloc(words_of(near, near->most), sizeof *near->told);
  return near->shape && near->surface && near->first && near->told;
}

static void release(Near *near) {
  void *const all[] = {near->shape, near->surface, near->first, near->told,
                       near->touch, near->face,    near->point, near};
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

// So much of a hull, and of a surface, as nodes and triangles meet.
static const MbHull *keep_hull(const MbMoved *moved, char **next, bool fill, const MbHull *from) {
  const size_t corners = from->first[from->faces];
  MbHull hull = {.vertices = from->vertices, .faces = from->faces, .edges = from->edges};
  hull.vertex = keep(moved, next, fill, from->vertex, 3 * (size_t)from->vertices, sizeof *from->vertex);
  hull.first = keep(moved, next, fill, from->first, (size_t)from->faces + 1, sizeof *from->first);
  hull.corner = keep(moved, next, fill, from->corner, corners, sizeof *from->corner);
  hull.normal = keep(moved, next, fill, from->normal, 3 * (size_t)from->faces, sizeof *from->normal);
  hull.edge = keep(moved, next, fill, from->edge, from->edges, sizeof *from->edge);
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
  skin.first = keep(moved, next, fill, from->first, (size_t)from->vertices + 1, sizeof *from->first);
  skin.star = keep(moved, next, fill, from->star, from->first[from->vertices], sizeof *from->star);
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

// What triangles meet solids with.
static void lay_meets(Near *near, char **next) {
  MbNearArgs *a = &near->args;
  a->meets = (uint32_t)near->meets, a->rooms = (uint32_t)near->rooms;
  a->meshes = (uint32_t)near->meshes, a->each = (uint32_t)near->each;
  a->room = mb_moved_place(next, near->rooms, sizeof *a->room);
  a->mesh = mb_moved_place(next, near->meshes, sizeof *a->mesh);
  a->point = mb_moved_place(next, near->each * near->meets, sizeof *a->point);
  a->points = mb_moved_place(next, near->meets, sizeof *a->points);
  a->some = mb_moved_place(next, chunks_of(near->meets), sizeof *a->some);
  a->many = mb_moved_place(next, chunks_of(chunks_of(near->meets)), sizeof *a->many);
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
  a->told = mb_moved_place(&next, words_of(near, near->most), sizeof *a->told);
  lay_meets(near, &next);
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
         words_of(near, near->most) * sizeof *near->told + near->points * sizeof *near->point +
         near->touches * sizeof *near->touch + near->faces * sizeof *near->face;
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
    all += p < n ? of->nnodes : look->pair[p - n].facets ? of->ntriangles : 0;
  }
  near->first[2 * n] = all;
  return all;
}

static void run(const MbMoved *moved, MbKernel kernel, size_t n, const MbNearArgs *args) {
  moved->on->run(moved->gpu, kernel, n, args);
}

// Lets triangles that are near meet solids.
static void meet(MbMoved *moved, const MbNearArgs *a) {
  run(moved, MB_RUN_mb_near_meet, a->rooms, a);
  if (a->meshes) run(moved, MB_RUN_mb_near_mesh, a->meshes, a);
  run(moved, MB_RUN_mb_near_some, chunks_of(a->meets), a);
  run(moved, MB_RUN_mb_near_many, chunks_of(chunks_of(a->meets)), a);
}

// Looks at a window; what is told comes back with one wait, if it is not much more than the last time.
static void look_at(MbMoved *moved, MbNearArgs *a) {
  Near *near = moved->near;
  const size_t most = words_of(near, a->things);
  size_t words = near->expected + near->expected / 4 + LINES;
  if (words > most) words = most;
  a->chunks = (uint32_t)chunks_of(a->things);
  run(moved, MB_RUN_mb_near_look, a->things, a);
  run(moved, MB_RUN_mb_near_count, a->chunks, a);
  run(moved, MB_RUN_mb_near_sum, chunks_of(a->chunks), a);
  run(moved, MB_RUN_mb_near_list, a->chunks, a);
  meet(moved, a);
  run(moved, MB_RUN_mb_near_tell, a->things, a);
  run(moved, MB_RUN_mb_near_points, chunks_of(a->meets), a);
  moved->on->get(moved->gpu, near->told, a->told, words * sizeof *near->told);
  const size_t all = near->told->word[0], nodes = near->told->word[1], points = near->told[1].word[0],
               wanted = MB_NEAR_HEAD + MB_NEAR_WORDS * nodes + (all - nodes) + MB_MEET_WORDS * points;
  if (wanted > words)
    moved->on->get(moved->gpu, near->told + words, a->told + words, (wanted - words) * sizeof *near->told);
  near->expected = wanted;
}

// Room for what a window has told beside what has been found before; false: out of memory.
static bool grow(Near *near, const MbNearFound *found, size_t points) {
  const size_t nodes = near->told->word[1], faces = near->told->word[0] - nodes;
  return mb_grow(&near->touch, &near->touches, found->ntouches + nodes, sizeof *near->touch) &&
         mb_grow(&near->face, &near->faces, found->nfaces + faces, sizeof *near->face) &&
         mb_grow(&near->point, &near->points, points + near->told[1].word[0], sizeof *near->point);
}

// A node that touches, as it is told.
static MbNearTouch touch_of(const MbNearWord *at, uint32_t pair, uint32_t which) {
  MbNearTouch touch = {pair, which, {.gap = at[0].number, .feature = at[4].word[1]}};
  for (size_t k = 0; k < 3; k++) touch.how.normal[k] = at[1 + k].number;
  return touch;
}

static MbContactPoint point_of(const MbNearWord *at) {
  MbContactPoint point = {.gap = at[6].number, .feature_a = at[7].word[0], .feature_b = at[7].word[1]};
  for (size_t k = 0; k < 3; k++) point.position[k] = at[k].number, point.normal[k] = at[3 + k].number;
  return point;
}

// Takes the points of a window's triangles, which are told one after the other; *points are there before.
static void take_points(Near *near, const MbNearWord *at, size_t *points) {
  const size_t n = near->told[1].word[0];
  for (size_t i = 0; i < n; i++) near->point[(*points)++] = point_of(at + MB_MEET_WORDS * i);
}

// Takes what a window has told, whose things ascend as pairs do; false: out of memory.
static bool take(Near *near, const MbNearArgs *a, MbNearFound *found, size_t *points) {
  const size_t all = near->told->word[0], nodes = near->told->word[1], n = a->pairs;
  if (!grow(near, found, *points)) return false;
  const MbNearWord *at = near->told + MB_NEAR_HEAD;
  size_t range = 0, first = *points;
  for (size_t i = 0; i < all; i++, at += i <= nodes ? MB_NEAR_WORDS : 1) {
    const bool node = i < nodes;
    const uint64_t thing = a->from + at[node ? 4 : 0].word[0];
    while (near->first[range + 1] <= thing) range++;
    const uint32_t pair = (uint32_t)(node ? range : range - n),
                   which = (uint32_t)(thing - near->first[range]);
    if (node) {
      near->touch[found->ntouches++] = touch_of(at, pair, which);
    } else {
      const uint32_t has = at->word[1];
      near->face[found->nfaces++] = (MbNearFace){pair, which, has, first};
      first += has == MB_NEAR_LEFT ? 0 : has;
    }
  }
  take_points(near, at, points);
  return true;
}

static bool look(void *context, const MbNearLook *look, MbNearFound *found) {
  const MbPdEngine *engine = context;
  MbMoved *moved = engine->moved;
  Near *near = moved->near;
  MbNearArgs args = near->args;
  const uint64_t all = number(near, look);
  size_t points = 0;
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
    fine = !moved->on->fault(moved->gpu) && take(near, &args, found, &points);
  }
  found->touch = near->touch, found->face = near->face, found->point = near->point;
  return fine;
}
