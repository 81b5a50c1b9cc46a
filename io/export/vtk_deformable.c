// Deformables: places with displacement and velocity, elements with their strain.
#include "core/base/alloc.h"
#include "core/math/quat.h"
#include "io/export/green.h"
#include "io/export/vtk_sets.h"

#include <string.h>

// ---- at rest ----------------------------------------------------------------------------------------------

static bool numbers_of(const cJSON *list, const char *key, double *x, int n) {
  const cJSON *numbers = cJSON_GetObjectItem(list, key);
  for (int k = 0; k < n; k++) {
    const cJSON *item = cJSON_GetArrayItem(numbers, k);
    if (!cJSON_IsNumber(item)) return false;
    x[k] = item->valuedouble;
  }
  return true;
}

// The pose of a deformable's mesh at the start; where the file does not tell, the world's.
static void pose_of(const MbVtk *v, const char *name, double position[3], double rotation[4]) {
  const cJSON *list = v->drawing ? cJSON_GetObjectItem(v->drawing, "deformables") : NULL, *of;
  double p[3], q[4];
  memcpy(position, (double[3]){0}, sizeof p);
  memcpy(rotation, (double[4]){1}, sizeof q);
  cJSON_ArrayForEach(of, list) {
    const char *its = cJSON_GetStringValue(cJSON_GetObjectItem(of, "name"));
    if (!its || strcmp(its, name) != 0) continue;
    if (!numbers_of(of, "position", p, 3) || !numbers_of(of, "rotation", q, 4)) return;
    memcpy(position, p, sizeof p);
    memcpy(rotation, q, sizeof q);
  }
}

bool mb_vtk_make_rest(MbVtk *v) {
  v->rest = mb_calloc(v->nmeshes + 1, sizeof *v->rest);
  if (!v->rest) return false;
  for (size_t i = 0; i < v->nmeshes; i++) {
    const MbTrajMesh *m = &v->mesh[i];
    if (m->body) continue;
    double p[3], q[4];
    pose_of(v, m->name, p, q);
    v->rest[i] = mb_calloc(m->nv + 1, 3 * sizeof *v->rest[i]);
    if (!v->rest[i]) return false;
    for (size_t k = 0; k < m->nv; k++) {
      mb_quat_rotate(v->rest[i] + 3 * k, q, m->vertex + 3 * k);
      mb_vec3_add(v->rest[i] + 3 * k, v->rest[i] + 3 * k, p);
    }
  }
  return true;
}

// ---- what is missing --------------------------------------------------------------------------------------

static const MbChannel *channel_of(const MbVtk *v, const MbTrajMesh *m, const char *what) {
  return mb_vtk_channel(v, "deformable.", m->name, what);
}

void mb_vtk_tell_missing(const MbVtk *v) {
  const char *first = NULL;
  size_t n = 0;
  for (size_t i = 0; i < v->nmeshes; i++) {
    const MbTrajMesh *m = &v->mesh[i];
    if (m->body || !channel_of(v, m, ".position") || channel_of(v, m, ".velocity")) continue;
    if (!n++) first = m->name;
  }
  if (n == 1)
    mb_warning(v->e.report, "", "without channel deformable.%s.velocity (output.channels) it has no velocity",
               first);
  if (n > 1)
    mb_warning(
        v->e.report, "",
        "without channels deformable.*.velocity (output.channels) \"%s\" and %zu more have no velocity",
        first, n - 1);
}

// ---- a frame ----------------------------------------------------------------------------------------------

// What the trajectory's channels say of each element.
static void put_told(const MbVtk *v, const MbTrajMesh *m, const double *frame, MbVtkFile *file) {
  static const struct {
    const char *channel, *name;
  } told[] = {{".stress", "stress"},
              {".principal_stress", "principal stresses"},
              {".von_mises", "von Mises stress"},
              {".element_strain", "stretch strain"},
              {".principal_strain", "principal stretch strains"}};
  for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
    const MbChannel *c = channel_of(v, m, told[i].channel);
    if (c && c->items == m->ne)
      mb_vtk_array(file, MB_VTK_F64, told[i].name, c->width, frame + c->offset, c->items * c->width);
  }
}

// Green's strain of each element, and its largest principal value.
static void put_strain(const MbVtk *v, const MbTrajMesh *m, const double *rest, const double *frame,
                       MbVtkFile *file) {
  const double *x = frame + channel_of(v, m, ".position")->offset;
  double *strain = mb_calloc(m->ne + 1, 6 * sizeof *strain), *largest = mb_calloc(m->ne + 1, sizeof *largest);
  if (strain && largest) {
    for (size_t i = 0; i < m->ne; i++)
      mb_green_strain(rest, x, m->element + i * m->corners, (int)m->corners - 1, strain + 6 * i, largest + i);
    mb_vtk_text(file, "<CellData Scalars=\"principal strain\">\n");
    mb_vtk_array(file, MB_VTK_F64, "strain", 6, strain, 6 * (size_t)m->ne);
    mb_vtk_array(file, MB_VTK_F64, "principal strain", 1, largest, m->ne);
    put_told(v, m, frame, file);
    mb_vtk_text(file, "</CellData>\n");
  } else {
    file->failed = true;
  }
  mb_free(strain);
  mb_free(largest);
}

// What the trajectory's own channel says of all elements.
static void put_largest(const MbVtk *v, const MbTrajMesh *m, const double *frame, MbVtkFile *file) {
  const MbChannel *c = channel_of(v, m, ".strain");
  if (!c) return;
  mb_vtk_text(file, "<FieldData>\n");
  mb_vtk_array(file, MB_VTK_F64, "largest strain", 1, frame + c->offset, c->items * c->width);
  mb_vtk_text(file, "</FieldData>\n");
}

static void put_points(const MbVtk *v, const MbTrajMesh *m, const double *rest, const double *frame,
                       MbVtkFile *file) {
  const size_t n = 3 * (size_t)m->nv;
  const double *x = frame + channel_of(v, m, ".position")->offset;
  const MbChannel *velocity = channel_of(v, m, ".velocity");
  double *way = mb_calloc(n + 1, sizeof *way);
  if (way) {
    for (size_t i = 0; i < n; i++) way[i] = x[i] - rest[i];
    mb_vtk_text(file, "<PointData Vectors=\"displacement\">\n");
    mb_vtk_array(file, MB_VTK_F64, "displacement", 3, way, n);
    if (velocity) mb_vtk_array(file, MB_VTK_F64, "velocity", 3, frame + velocity->offset, n);
    mb_vtk_text(file, "</PointData>\n");
  } else {
    file->failed = true;
  }
  mb_free(way);
}

void mb_vtk_deformable(const MbVtk *v, size_t mesh, const double *frame, MbVtkFile *file) {
  const MbTrajMesh *m = &v->mesh[mesh];
  const bool elements = m->ne && m->corners >= 2;
  const size_t corners = elements ? m->corners : 1, cells = elements ? m->ne : m->nv;
  const double *x = frame + channel_of(v, m, ".position")->offset;
  int64_t *corner = mb_calloc(cells * corners + 1, sizeof *corner);
  if (!corner) {
    file->failed = true;
    return;
  }
  for (size_t i = 0; i < cells * corners; i++) corner[i] = elements ? (int64_t)m->element[i] : (int64_t)i;
  put_largest(v, m, frame, file);
  mb_vtk_text(file, "<Piece NumberOfPoints=\"%u\" NumberOfCells=\"%zu\">\n", m->nv, cells);
  put_points(v, m, v->rest[mesh], frame, file);
  if (elements) put_strain(v, m, v->rest[mesh], frame, file);
  mb_vtk_points(file, x, m->nv);
  mb_vtk_cells(file, "Cells", corner, cells, corners);
  mb_free(corner);
}
