// Meshes of deformables of elements: made here, or from files, which are checked.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/compile/compile_elements.h"
#include "core/deformables/element_mesh.h"
#include "core/deformables/mesh_check.h"
#include "core/deformables/mesh_join.h"
#include "core/deformables/mesh_survey.h"
#include "core/deformables/node_mesh.h"
#include "core/deformables/quadratic.h"
#include "core/deformables/rod.h"
#include "core/math/vec3.h"

#include <stdio.h>
#include <string.h>

enum { WHERE = 128 };

// A copy in the arena; a count of 0 gives no list.
static void *copy(MbArena *arena, const void *from, size_t count, size_t size, bool *fine) {
  if (!count) return NULL;
  void *to = mb_arena_alloc(arena, count, size);
  if (to)
    memcpy(to, from, count * size);
  else
    *fine = false;
  return to;
}

// Of the lists only those that the kind has.
static bool copy_mesh(MbDeformableKind kind, const MbElementMesh *from, MbArena *arena, MbElementMesh *to) {
  bool fine = true;
  const size_t tets = kind == MB_DEFORMABLE_TETS || kind == MB_DEFORMABLE_ROD ? from->tets : 0;
  const size_t triangles = kind == MB_DEFORMABLE_CLOTH ? from->triangles : 0;
  const size_t edges = kind == MB_DEFORMABLE_SPRINGS ? from->edges : 0;
  *to = (MbElementMesh){.nodes = from->nodes,
                        .tets = tets,
                        .triangles = triangles,
                        .edges = edges,
                        .x = copy(arena, from->x, from->nodes, 3 * sizeof(double), &fine),
                        .tet = copy(arena, from->tet, tets, 4 * sizeof(uint32_t), &fine),
                        .middle = from->middle ? copy(arena, from->middle, tets, 6 * sizeof(uint32_t), &fine)
                                               : NULL,
                        .triangle = copy(arena, from->triangle, triangles, 3 * sizeof(uint32_t), &fine),
                        .edge = copy(arena, from->edge, edges, 2 * sizeof(uint32_t), &fine)};
  return fine;
}

static bool generate(const MbDeformableSpec *spec, MbArena *arena, MbElementMesh *to) {
  const MbNodeMeshSpec *mesh = &spec->mesh;
  const size_t grid[] = {(size_t)mesh->grid[0], (size_t)mesh->grid[1]};
  const size_t box[] = {(size_t)mesh->box[0], (size_t)mesh->box[1], (size_t)mesh->box[2]};
  const bool springs = spec->kind == MB_DEFORMABLE_SPRINGS, cross = mesh->pattern == MB_PATTERN_CROSS;
  MbElementMesh made;
  bool fine = false;
  if (springs || spec->kind == MB_DEFORMABLE_PARTICLES)
    fine = mb_node_mesh_make(mesh, springs, &made);
  else if (mesh->ball && spec->kind == MB_DEFORMABLE_CLOTH)
    fine = mb_element_mesh_sphere(&made, (size_t)mesh->ball, mesh->radius);
  else if (mesh->ball)
    fine = mb_element_mesh_ball(&made, (size_t)mesh->ball, mesh->radius);
  else if (box[0])
    fine = mb_element_mesh_box(&made, box, mesh->size);
  else
    fine = mb_element_mesh_grid(&made, grid[0], grid[1], mesh->size[0], mesh->size[1], cross);
  if (!fine) return false;
  const bool copied = copy_mesh(spec->kind, &made, arena, to);
  mb_element_mesh_free(&made);
  return copied;
}

// Joins vertices, where the scene asks for it.
static MbStatus weld(const MbDeformableSpec *spec, const char *file, const char *where, MbElementMesh *mesh,
                     MbReport *report) {
  size_t vertices, elements, fault;
  if (!(spec->mesh.weld > 0)) return MB_OK;
  const MbStatus status = mb_mesh_join(mesh, spec->mesh.weld, &vertices, &elements, &fault);
  if (status == MB_IO) return mb_no_memory(report, "deformables");
  if (status != MB_OK)
    return mb_error(report, MB_SCENE, where,
                    "%.200s: \"weld\": %g would join two corners of element %zu (numbered from 0): a smaller "
                    "distance is wanted",
                    file, spec->mesh.weld, fault);
  if (!vertices && !elements)
    mb_warning(report, where, "%.200s: \"weld\": %g joins nothing: no vertices are that near to one another",
               file, spec->mesh.weld);
  return MB_OK;
}

// What is wrong with it that can be simulated all the same, and how to mend it.
static MbStatus survey(const char *file, const char *where, const MbElementMesh *mesh, MbReport *report) {
  const char *what = mesh->tets ? "tetrahedra" : "triangles";
  const size_t count = mesh->tets ? mesh->tets : mesh->triangles;
  MbMeshSurvey s;
  if (!mb_mesh_survey(mesh, &s)) return mb_no_memory(report, "deformables");
  if (s.twins)
    mb_warning(report, where,
               "%.200s: vertices that are where another one is: %zu of %zu. The mesh is cracked there: "
               "\"weld\": %.1g "
               "in the mesh joins them",
               file, s.twins, mesh->nodes, s.near);
  if (s.repeats)
    mb_warning(
        report, where,
        "%.200s: %s that have the same corners as another one: %zu of %zu. They count twice: \"weld\": %.1g "
        "in the mesh leaves them out",
        file, what, s.repeats, count, s.near);
  if (s.pieces > 1 && !s.twins)
    mb_warning(
        report, where,
        "%.200s: the mesh has %zu parts without a vertex in common, which go their own ways: if they are one "
        "thing, mesh them as one, or join vertices near by with \"weld\"",
        file, s.pieces);
  if (s.hinges && !s.twins)
    mb_warning(report, where,
               "%.200s: parts that hang on others by vertices%s alone: %zu. They turn about them freely: "
               "mesh them so "
               "that they share %s",
               file, mesh->tets ? " or edges" : "", s.hinges, mesh->tets ? "faces" : "edges");
  if (s.thin)
    mb_warning(report, where,
               "%.200s: %s less than 0.01 of their longest edge high: %zu of %zu; number %zu (from 0) is "
               "%.2g of it. "
               "Such slivers are stiff, and steps take longer to solve",
               file, what, s.thin, count, s.thinnest, s.height);
  return MB_OK;
}

// From a file: the elements that the kind wants must be there, and good.
static MbStatus take_mesh(const MbDeformableSpec *spec, const char *where, MbArena *arena, MbElementMesh *to,
                          MbReport *report) {
  const MbElementMesh *from = spec->mesh.mesh;
  const bool tets = spec->kind == MB_DEFORMABLE_TETS;
  const char *file = spec->mesh.file ? spec->mesh.file : "the mesh";
  if (tets && !from->tets)
    return mb_error(report, MB_SCENE, where,
                    "%.200s is a surface: it has triangles and no tetrahedra, which \"tets\" are made of",
                    file);
  if (!tets && from->tets)
    return mb_error(report, MB_SCENE, where,
                    "%.200s is a volume: it has tetrahedra, and \"cloth\" is made of triangles alone", file);
  if (!tets && !from->triangles)
    return mb_error(report, MB_SCENE, where, "%.200s has no triangles, which \"cloth\" is made of", file);
  if (!copy_mesh(spec->kind, from, arena, to)) return mb_no_memory(report, "deformables");
  char fault[MB_MESH_FAULT];
  size_t turned = 0;
  const MbStatus welded = weld(spec, file, where, to, report);
  if (welded != MB_OK) return welded;
  const MbStatus status = tets ? mb_check_tets(to, &turned, fault) : mb_check_cloth(to, fault);
  if (status == MB_IO) return mb_no_memory(report, "deformables");
  if (status != MB_OK) return mb_error(report, status, where, "%.200s: %s", file, fault);
  if (turned)
    mb_warning(report, where, "%.200s: %zu of %zu tetrahedra were inside out and have been turned round",
               file, turned, to->tets);
  return survey(file, where, to, report);
}

// Whether the mesh may have the order that is asked for.
static MbStatus check_order(const MbDeformableSpec *spec, const char *where, MbReport *report) {
  const MbNodeMeshSpec *mesh = &spec->mesh;
  const bool quadratic = spec->kind == MB_DEFORMABLE_TETS && mesh->mesh && mesh->mesh->middle;
  const char *file = mesh->file ? mesh->file : "the mesh";
  if (mesh->order && spec->kind != MB_DEFORMABLE_TETS)
    return mb_error(report, MB_SCENE, where, "\"order\" is of \"tets\"");
  if (quadratic && mesh->order == 1)
    return mb_error(
        report, MB_SCENE, where,
        "%.200s has tetrahedra of ten nodes, whose \"order\" is 2: leave it out, or mesh it in first "
        "order",
        file);
  if (quadratic && mesh->weld > 0)
    return mb_error(
        report, MB_SCENE, where,
        "\"weld\" joins tetrahedra of four nodes, and %.200s has ten: mesh it in first order and take "
        "\"order\": 2",
        file);
  return MB_OK;
}

// A rod's points, and what holds its ends.
static MbStatus make_rod(const MbDeformableSpec *spec, const char *where, MbArena *arena, MbElements *to,
                         MbReport *report) {
  const MbNodeMeshSpec *mesh = &spec->mesh;
  const size_t n = mesh->rope      ? (size_t)mesh->rope
                   : mesh->npoints ? mesh->npoints
                                   : (size_t)mesh->helix.nodes;
  bool held[2] = {false, false};
  MbElementMesh made = {0};
  char fault[MB_ROD_FAULT];
  for (size_t k = 0; k < spec->npins + spec->nattachments; k++) {
    const char *clamp =
        k < spec->npins ? spec->pins[k].select.clamp : spec->attachments[k - spec->npins].select.clamp;
    if (clamp) held[!strcmp(clamp, "last")] = true;
  }
  double *point = mb_calloc(n, 3 * sizeof *point);
  if (!point) return mb_no_memory(report, "deformables");
  for (size_t i = 0; i < n; i++)
    if (mesh->rope)
      mb_node_mesh_place(mesh, i, point + 3 * i);
    else if (mesh->npoints)
      mb_vec3_copy(point + 3 * i, mesh->points + 3 * i);
    else
      mb_rod_helix(&mesh->helix, i, point + 3 * i);
  const MbStatus status = mb_rod_mesh(point, n, held, &to->rod, &made, fault);
  mb_free(point);
  if (status == MB_IO) return mb_no_memory(report, "deformables");
  if (status != MB_OK) return mb_error(report, status, where, "the rod \"%s\": %s", spec->name, fault);
  const bool copied = copy_mesh(spec->kind, &made, arena, &to->mesh);
  mb_element_mesh_free(&made);
  return copied ? MB_OK : mb_no_memory(report, "deformables");
}

MbStatus mb_compile_element_mesh(const MbDeformableSpec *spec, size_t i, MbArena *arena, MbElements *to,
                                 MbReport *report) {
  char where[WHERE];
  snprintf(where, sizeof where, "/deformables/%zu/mesh", i);
  const MbStatus status = check_order(spec, where, report);
  if (status != MB_OK) return status;
  if (spec->kind == MB_DEFORMABLE_ROD) return make_rod(spec, where, arena, to, report);
  if (spec->mesh.mesh) {
    const MbStatus taken = take_mesh(spec, where, arena, &to->mesh, report);
    if (taken != MB_OK) return taken;
  } else if (!generate(spec, arena, &to->mesh)) {
    return mb_no_memory(report, "deformables");
  }
  if (spec->mesh.order == 2 && !to->mesh.middle && !mb_quadratic_add(&to->mesh, arena))
    return mb_no_memory(report, "deformables");
  return MB_OK;
}
