// MESH records: the bodies' shapes, then the deformables' meshes at rest. Every body gets its own shapes, equal ones too, as
// the format has it; so there is a budget for these: round ones are made coarser until all of them fit, and scenes that are
// beyond any budget get none. This depends on the scene alone, so that a resumed run writes the same bytes.
#include "cli/console.h"
#include "cli/run.h"
#include "core/base/alloc.h"
#include "core/compile/triangulate.h"
#include "core/deformables/element_mesh.h"
#include "core/deformables/node_mesh.h"
#include "core/deformables/quadratic.h"
#include "core/model/model.h"

#include <string.h>

static const size_t BUDGET =
    (size_t)4 << 20; // bytes before compression (0.3 s to write), while there is a coarser level
static const size_t MOST = (size_t)256 << 20; // bytes of the coarsest, else none are written

// What the last triangulation made: bodies with the same shape often follow one another.
typedef struct Meshes {
  int level;
  MbArena arena;
  const MbShapeSpec *shape; // NULL = none yet
  MbMesh mesh;
} Meshes;

static bool same_numbers(const double *a, const double *b, size_t n) { return !memcmp(a, b, n * sizeof *a); }

// Bit for bit: what a kind does not have may be NaN.
static bool same_shape(const MbShapeSpec *a, const MbShapeSpec *b) {
  return a->kind == b->kind && a->mesh == b->mesh && same_numbers(a->size, b->size, 3) &&
         same_numbers(&a->radius, &b->radius, 1) && same_numbers(&a->length, &b->length, 1) &&
         same_numbers(a->frame.position, b->frame.position, 3) &&
         same_numbers(a->frame.rotation, b->frame.rotation, 4);
}

static void forget(Meshes *meshes) {
  mb_arena_free(&meshes->arena);
  meshes->shape = NULL;
}

static MbStatus make(Meshes *meshes, const MbShapeSpec *shape) {
  if (meshes->shape && same_shape(meshes->shape, shape)) return MB_OK;
  forget(meshes);
  const MbStatus status = mb_triangulate_level(shape, meshes->level, &meshes->arena, &meshes->mesh);
  if (!status) meshes->shape = shape;
  return status;
}

static size_t bytes(const MbMesh *mesh) {
  return mesh->nv * 3 * sizeof(double) + mesh->nt * 3 * sizeof(uint32_t);
}

// Bytes of all meshes, or of as many as are above the limit.
static MbStatus measure(const MbSceneSpec *spec, size_t limit, Meshes *meshes, size_t *total) {
  *total = 0;
  for (size_t i = 0; i < spec->nbodies; i++)
    for (size_t k = 0; k < spec->bodies[i].nshapes; k++) {
      const MbStatus status = make(meshes, &spec->bodies[i].shapes[k]);
      if (status) return status;
      *total += bytes(&meshes->mesh);
      if (*total > limit) return MB_OK;
    }
  return MB_OK;
}

// The finest level within the budget, else the coarsest; `fits` tells whether that is below MOST.
static MbStatus choose_level(const MbSceneSpec *spec, Meshes *meshes, bool *fits) {
  for (meshes->level = MB_TRIANGULATE_LEVEL;; meshes->level--) {
    const size_t limit = meshes->level ? BUDGET : MOST;
    size_t total = 0;
    const MbStatus status = measure(spec, limit, meshes, &total);
    *fits = total <= limit;
    if (status || *fits || !meshes->level) return status;
    forget(meshes);
  }
}

static MbStatus write_shape(MbRun *run, const MbBodySpec *body, size_t k, const MbMesh *mesh,
                            MbReport *report) {
  if (!mesh->nt) return MB_OK; // a plane has no end
  if (mesh->nv > UINT32_MAX || mesh->nt > UINT32_MAX / 3) return MB_OK;
  const size_t size = strlen(body->name) + sizeof "/shape/" + 24;
  char *name = mb_calloc(size, 1);
  uint32_t *element = mb_calloc(mesh->nt * 3, sizeof *element);
  MbStatus status = name && element ? MB_OK : mb_no_memory(report, "a mesh");
  if (!status) {
    snprintf(name, size, "%s/shape/%zu", body->name, k);
    for (size_t i = 0; i < mesh->nt * 3; i++) element[i] = (uint32_t)mesh->triangle[i];
    const MbTrajMesh record = {.name = name,
                               .body = body->name,
                               .nv = (uint32_t)mesh->nv,
                               .ne = (uint32_t)mesh->nt,
                               .corners = 3,
                               .vertex = mesh->vertex,
                               .element = element};
    status = mb_traj_mesh(run->writer, &record, report);
  }
  mb_free(name);
  mb_free(element);
  return status;
}

static MbStatus write_all(MbRun *run, Meshes *meshes, MbReport *report) {
  const MbSceneSpec *spec = &run->scene->spec;
  for (size_t i = 0; i < spec->nbodies; i++)
    for (size_t k = 0; k < spec->bodies[i].nshapes; k++) {
      if (make(meshes, &spec->bodies[i].shapes[k])) return mb_no_memory(report, "a mesh");
      const MbStatus status = write_shape(run, &spec->bodies[i], k, &meshes->mesh, report);
      if (status) return status;
    }
  return MB_OK;
}

// ---- deformables ------------------------------------------------------------------------------------------

static MbStatus write_list(MbRun *run, const char *name, const MbElementMesh *mesh, size_t count,
                           size_t corners, const uint32_t *element, MbReport *report) {
  const MbTrajMesh record = {.name = name,
                             .nv = (uint32_t)mesh->nodes,
                             .ne = (uint32_t)count,
                             .corners = (uint32_t)corners,
                             .vertex = mesh->x,
                             .element = element};
  return mb_traj_mesh(run->writer, &record, report);
}

// Tetrahedra of ten nodes stand there as eight of four each, as the channels of elements have them.
static MbStatus write_parts(MbRun *run, const char *name, const MbElementMesh *mesh, MbReport *report) {
  const size_t n = MB_QUADRATIC_PARTS * mesh->tets;
  uint32_t *const node = mb_calloc(n, 4 * sizeof *node);
  if (!node) return mb_no_memory(report, "a mesh");
  for (size_t k = 0; k < n; k++)
    mb_quadratic_part_nodes(mesh, k / MB_QUADRATIC_PARTS, k % MB_QUADRATIC_PARTS, node + 4 * k);
  const MbStatus status = write_list(run, name, mesh, n, 4, node, report);
  mb_free(node);
  return status;
}

// Rest positions and what stands between them, whatever the size: without it the frames' positions mean nothing.
static MbStatus write_elements(MbRun *run, const char *name, const MbElementMesh *mesh, MbReport *report) {
  if (mesh->middle) return write_parts(run, name, mesh, report);
  if (mesh->tets) return write_list(run, name, mesh, mesh->tets, 4, mesh->tet, report);
  if (mesh->triangles) return write_list(run, name, mesh, mesh->triangles, 3, mesh->triangle, report);
  return write_list(run, name, mesh, mesh->edges, 2, mesh->edge, report);
}

// A rod is drawn as a line through its points. False: out of memory.
static bool draw_rod(const MbElements *rod, MbElementMesh *mesh) {
  const size_t n = rod->mesh.nodes, edges = rod->rod.points - 1;
  *mesh = (MbElementMesh){.nodes = n,
                          .edges = edges,
                          .x = mb_calloc(n, 3 * sizeof(double)),
                          .edge = mb_calloc(edges, 2 * sizeof(uint32_t))};
  if (!mesh->x || !mesh->edge) {
    mb_element_mesh_free(mesh);
    return false;
  }
  memcpy(mesh->x, rod->mesh.x, 3 * n * sizeof *mesh->x);
  for (size_t k = 0; k < 2 * edges; k++) mesh->edge[k] = (uint32_t)(k / 2 + k % 2);
  return true;
}

static MbStatus write_deformables(MbRun *run, MbReport *report) {
  for (size_t i = 0; i < run->model->ndeformables; i++) {
    const MbDeformable *of = &run->model->deformables[i];
    const MbDeformableSpec *spec = &run->scene->spec.deformables[i];
    MbElementMesh mesh = {0};
    if (!of->elements && !mb_node_mesh_make(&spec->mesh, spec->kind == MB_DEFORMABLE_SPRINGS, &mesh))
      return mb_no_memory(report, "a mesh");
    if (of->elements && of->elements->rod.points && !draw_rod(of->elements, &mesh))
      return mb_no_memory(report, "a mesh");
    const MbStatus status =
        write_elements(run, of->name, of->elements && !mesh.edges ? &of->elements->mesh : &mesh, report);
    mb_element_mesh_free(&mesh);
    if (status) return status;
  }
  return MB_OK;
}

MbStatus mb_run_write_meshes(MbRun *run, MbReport *report) {
  Meshes meshes = {0};
  bool fits = false;
  char text[32];
  MbStatus status = choose_level(&run->scene->spec, &meshes, &fits);
  if (status)
    status = mb_no_memory(report, "a mesh");
  else if (fits)
    status = write_all(run, &meshes, report);
  else
    mb_log_say(&run->log, "the shapes are not stored as meshes: these would take more than %s",
               mb_console_bytes(MOST, text));
  forget(&meshes);
  return status ? status : write_deformables(run, report);
}
