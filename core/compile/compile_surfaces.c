// The surfaces of deformables that take part in contact: their nodes, and the triangles between them.
#include "core/base/alloc.h"
#include "core/base/names.h"
#include "core/base/report.h"
#include "core/base/sort.h"
#include "core/compile/compile_internal.h"
#include "core/deformables/mesh_surface.h"

#include <stdio.h>
#include <string.h>

// Sides that one tetrahedron has alone are the surface's. False: out of memory.
static bool find_sides(const MbElementMesh *mesh, MbArena *arena, MbDeformableSurface *surface) {
  size_t count;
  uint32_t *const found = mb_mesh_outer_faces(mesh->tet, mesh->middle, mesh->tets, &count);
  uint32_t *const triangle = found ? mb_arena_alloc(arena, 3 * count, sizeof *triangle) : NULL;
  if (triangle && count) memcpy(triangle, found, 3 * count * sizeof *triangle);
  mb_free(found);
  surface->triangle = triangle, surface->ntriangles = count;
  return triangle != NULL;
}

// The nodes that the triangles have; all of them where there are none.
static bool find_nodes(size_t nodes, MbArena *arena, MbDeformableSurface *surface) {
  uint32_t *node = mb_arena_alloc(arena, nodes, sizeof *node);
  bool *has = mb_calloc(nodes ? nodes : 1, sizeof *has);
  if (node && has) {
    for (size_t i = 0; i < 3 * surface->ntriangles; i++) has[surface->triangle[i]] = true;
    for (size_t i = 0; i < nodes; i++)
      if (has[i] || !surface->ntriangles) node[surface->nnodes++] = (uint32_t)i;
  }
  mb_free(has);
  surface->node = node;
  return node && has;
}

static bool make_surface(const MbSceneSpec *spec, size_t i, MbModel *model, MbDeformableSurface *surface) {
  const MbDeformableSpec *from = &spec->deformables[i];
  const MbDeformable *of = &model->deformables[i];
  const MbDeformableContactSpec *said = &from->contact;
  const bool cloth = from->kind == MB_DEFORMABLE_CLOTH, rod = from->kind == MB_DEFORMABLE_ROD;
  *surface = (MbDeformableSurface){.deformable = i,
                                   .thickness = cloth ? from->thickness
                                                : rod ? 2 * from->radius
                                                      : 0,
                                   .friction = spec->contact->friction};
  if (said->given && !isnan(said->thickness)) surface->thickness = said->thickness;
  if (said->given && !isnan(said->friction)) surface->friction = said->friction;
  surface->self = said->given && said->self_given ? said->self : spec->contact->self;
  if (of->elements && from->kind == MB_DEFORMABLE_TETS &&
      !find_sides(&of->elements->mesh, &model->arena, surface))
    return false;
  if (of->elements && cloth)
    surface->triangle = of->elements->mesh.triangle, surface->ntriangles = of->elements->mesh.triangles;
  return find_nodes(rod ? of->elements->rod.points : of->count, &model->arena, surface);
}

// Without a thickness nothing tells the two sides of a sheet where it lies on itself.
static MbStatus check_self(const MbSceneSpec *spec, const MbDeformableSurface *surface, MbReport *report) {
  const MbDeformableSpec *from = &spec->deformables[surface->deformable];
  char where[64];
  if (!surface->self || surface->thickness > 0 || from->kind == MB_DEFORMABLE_TETS) return MB_OK;
  const bool own = from->contact.given && from->contact.self_given;
  snprintf(where, sizeof where, own ? "/deformables/%zu/contact/self" : "/deformables/%zu",
           surface->deformable);
  return mb_error(report, MB_SCENE, where,
                  "\"%s\" has no thickness, and touches itself only with one: give its \"contact\" a "
                  "\"thickness\", or \"self\": false",
                  from->name);
}

typedef struct Named {
  const MbSceneSpec *spec;
  const MbDeformableSurface *surface;
} Named;

static bool follows(const void *context, uint32_t i, uint32_t j) {
  const Named *named = context;
  const MbDeformableSpec *all = named->spec->deformables;
  const int order =
      mb_names_compare(all[named->surface[i].deformable].name, all[named->surface[j].deformable].name);
  return order ? order > 0 : i > j;
}

// By names, as solids are.
static MbStatus sort_surfaces(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  const size_t n = model->contacts.nsurfaces;
  const Named named = {spec, model->contacts.surfaces};
  MbDeformableSurface *surfaces = mb_arena_alloc(&model->arena, n, sizeof *surfaces);
  uint32_t *order = mb_calloc(n ? n : 1, sizeof *order);
  if (surfaces && order) mb_sort_numbers(order, n, follows, &named);
  for (size_t i = 0; i < n && surfaces && order; i++) surfaces[i] = named.surface[order[i]];
  mb_free(order);
  if (!surfaces || !order) return mb_no_memory(report, "contact");
  model->contacts.surfaces = surfaces;
  return MB_OK;
}

MbStatus mb_compile_surfaces(const MbSceneSpec *spec, MbModel *model, MbReport *report) {
  MbDeformableSurface *surfaces = mb_arena_alloc(&model->arena, spec->ndeformables, sizeof *surfaces);
  size_t n = 0;
  MbStatus status = MB_OK;
  if (!surfaces) return mb_no_memory(report, "contact");
  for (size_t i = 0; i < spec->ndeformables; i++) {
    const MbDeformableContactSpec *said = &spec->deformables[i].contact;
    if (said->given && !said->enabled) continue;
    if (!make_surface(spec, i, model, &surfaces[n++])) return mb_no_memory(report, "contact");
    const MbStatus one = check_self(spec, &surfaces[n - 1], report);
    if (one != MB_OK) status = one;
    model->contacts.any |= surfaces[n - 1].self;
  }
  model->contacts.any |= n > 1;
  model->contacts.nsurfaces = n;
  model->contacts.surfaces = surfaces;
  return status == MB_OK ? sort_surfaces(spec, model, report) : status;
}
