// What a frame's files of the sets hold.
#include "io/export/vtk_sets.h"
#include "core/base/alloc.h"
#include "core/math/quat.h"

#include <string.h>

enum { VERTEX = 1, LINE = 3, TRIANGLE = 5, TETRAHEDRON = 10 }; // VTK's kinds of cells

const MbChannel *mb_vtk_channel(const MbVtk *v, const char *before, const char *name, const char *behind) {
  const size_t a = strlen(before), b = strlen(name);
  for (size_t i = 0; i < v->e.nchannels; i++) {
    const char *c = v->e.channels[i].name;
    if (!strncmp(c, before, a) && !strncmp(c + a, name, b) && !strcmp(c + a + b, behind))
      return &v->e.channels[i];
  }
  return NULL;
}

static double *numbers(MbVtkFile *file, size_t n) {
  double *x = mb_calloc(n + 1, sizeof *x);
  if (!x) file->failed = true;
  return x;
}

static int64_t *indices(MbVtkFile *file, size_t n) {
  int64_t *x = mb_calloc(n + 1, sizeof *x);
  if (!x) file->failed = true;
  return x;
}

void mb_vtk_points(MbVtkFile *file, const double *x, size_t n) {
  mb_vtk_text(file, "<Points>\n");
  mb_vtk_array(file, MB_VTK_F64, "Points", 3, x, 3 * n);
  mb_vtk_text(file, "</Points>\n");
}

void mb_vtk_cells(MbVtkFile *file, const char *kind, const int64_t *point, size_t n, size_t corners) {
  int64_t *end = indices(file, n);
  for (size_t i = 0; end && i < n; i++) end[i] = (int64_t)((i + 1) * corners);
  mb_vtk_text(file, "<%s>\n", kind);
  mb_vtk_array(file, MB_VTK_I64, "connectivity", 1, point, n * corners);
  if (end) mb_vtk_array(file, MB_VTK_I64, "offsets", 1, end, n);
  if (!strcmp(kind, "Cells")) {
    unsigned char *type = mb_calloc(n + 1, 1);
    if (!type) file->failed = true;
    if (type)
      memset(type, corners == 4 ? TETRAHEDRON : corners == 3 ? TRIANGLE : corners == 2 ? LINE : VERTEX, n);
    if (type) mb_vtk_array(file, MB_VTK_U8, "types", 1, type, n);
    mb_free(type);
  }
  mb_vtk_text(file, "</%s>\n", kind);
  mb_free(end);
}

static void put_cell_number(MbVtkFile *file, const char *name, const int32_t *x, size_t n) {
  mb_vtk_text(file, "<CellData Scalars=\"%s\">\n", name);
  mb_vtk_array(file, MB_VTK_I32, name, 1, x, n);
  mb_vtk_text(file, "</CellData>\n");
}

// ---- bodies -----------------------------------------------------------------------------------------------

// A point of a body's frame, in the world.
static void place(const MbVtk *v, const double *frame, size_t body, const double at[3], double out[3]) {
  const double *p = frame + v->position->offset + 3 * body;
  double turned[3] = {at[0], at[1], at[2]};
  if (v->rotation) mb_quat_rotate(turned, frame + v->rotation->offset + 4 * body, at);
  for (int k = 0; k < 3; k++) out[k] = p[k] + turned[k];
}

void mb_vtk_surfaces(const MbVtk *v, const double *frame, MbVtkFile *file) {
  size_t np = 0, nt = 0;
  for (size_t i = 0; i < v->nmeshes; i++)
    if (v->body[i] < v->nbodies) np += v->mesh[i].nv, nt += v->surface[i].n;
  double *x = numbers(file, 3 * np);
  int64_t *corner = indices(file, 3 * nt);
  int32_t *body = mb_calloc(nt + 1, sizeof *body);
  size_t p = 0, t = 0;
  for (size_t i = 0; x && corner && body && i < v->nmeshes; i++) {
    if (v->body[i] >= v->nbodies) continue;
    for (size_t k = 0; k < 3 * v->surface[i].n; k++)
      corner[3 * t + k] = (int64_t)(p + v->surface[i].triangle[k]);
    for (size_t k = 0; k < v->surface[i].n; k++) body[t++] = (int32_t)v->body[i];
    for (size_t k = 0; k < v->mesh[i].nv; k++, p++)
      place(v, frame, v->body[i], v->mesh[i].vertex + 3 * k, x + 3 * p);
  }
  file->failed = file->failed || !body;
  mb_vtk_text(file, "<Piece NumberOfPoints=\"%zu\" NumberOfPolys=\"%zu\">\n", np, nt);
  if (!file->failed) {
    put_cell_number(file, "body", body, nt);
    mb_vtk_points(file, x, np);
    mb_vtk_cells(file, "Polys", corner, nt, 3);
  }
  mb_free(x);
  mb_free(corner);
  mb_free(body);
}

// A point a body, with its pose and velocity as the file has them.
void mb_vtk_places(const MbVtk *v, const double *frame, MbVtkFile *file) {
  const size_t n = v->nbodies;
  int64_t *point = indices(file, n);
  for (size_t i = 0; point && i < n; i++) point[i] = (int64_t)i;
  mb_vtk_text(file, "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\">\n<PointData>\n", n, n);
  if (v->rotation) mb_vtk_array(file, MB_VTK_F64, "rotation", 4, frame + v->rotation->offset, 4 * n);
  if (v->velocity) {
    double *half = numbers(file, 3 * n);
    for (size_t part = 0; half && part < 2; part++) {
      for (size_t i = 0; i < 3 * n; i++)
        half[i] = frame[v->velocity->offset + 6 * (i / 3) + 3 * part + i % 3];
      mb_vtk_array(file, MB_VTK_F64, part ? "velocity" : "angular velocity", 3, half, 3 * n);
    }
    mb_free(half);
  }
  mb_vtk_text(file, "</PointData>\n");
  mb_vtk_points(file, frame + v->position->offset, n);
  if (point) mb_vtk_cells(file, "Verts", point, n, 1);
  mb_free(point);
}

// ---- lines ------------------------------------------------------------------------------------------------

static const cJSON *lines_of(const MbVtk *v) {
  return v->drawing ? cJSON_GetObjectItem(v->drawing, "lines") : NULL;
}

size_t mb_vtk_line_count(const MbVtk *v) {
  size_t n = 0;
  const cJSON *line, *points;
  cJSON_ArrayForEach(line, lines_of(v)) {
    points = cJSON_GetObjectItem(line, "points");
    if (cJSON_GetArraySize(points) > 1) n += (size_t)cJSON_GetArraySize(points) - 1;
  }
  return n;
}

static void add_node(const MbChannel *c, const double *frame, const cJSON *node, double weight, double x[3]) {
  const double number = cJSON_IsNumber(node) ? node->valuedouble : -1;
  if (number < 0 || number >= (double)c->items || c->width != 3) return;
  for (size_t k = 0; k < 3; k++) x[k] += weight * frame[c->offset + 3 * (size_t)number + k];
}

static void line_point(const MbVtk *v, const double *frame, const cJSON *point, double x[3]) {
  const char *deformable = cJSON_GetStringValue(cJSON_GetObjectItem(point, "deformable"));
  const cJSON *at = cJSON_GetObjectItem(point, "at"), *body = cJSON_GetObjectItem(point, "body"),
              *nodes = cJSON_GetObjectItem(point, "nodes"), *node;
  for (int k = 0; k < 3; k++) {
    const cJSON *item = cJSON_GetArrayItem(at, k);
    x[k] = cJSON_IsNumber(item) ? item->valuedouble : 0;
  }
  if (deformable) {
    const MbChannel *c = mb_vtk_channel(v, "deformable.", deformable, ".position");
    if (!c) return;
    if (!nodes) add_node(c, frame, cJSON_GetObjectItem(point, "node"), 1, x);
    cJSON_ArrayForEach(node, nodes) add_node(c, frame, node, 1.0 / cJSON_GetArraySize(nodes), x);
  } else if (cJSON_IsNumber(body) && body->valuedouble >= 0 && body->valuedouble < (double)v->nbodies) {
    const double from[3] = {x[0], x[1], x[2]};
    place(v, frame, (size_t)body->valuedouble, from, x);
  }
}

void mb_vtk_lines(const MbVtk *v, const double *frame, MbVtkFile *file) {
  const size_t n = mb_vtk_line_count(v);
  double *x = numbers(file, 6 * n);
  int64_t *end = indices(file, 2 * n);
  int32_t *number = mb_calloc(n + 1, sizeof *number);
  const cJSON *line, *point;
  size_t segment = 0;
  int32_t k = 0;
  file->failed = file->failed || !number;
  mb_vtk_text(file, "<Piece NumberOfPoints=\"%zu\" NumberOfLines=\"%zu\">\n", 2 * n, n);
  if (!file->failed) {
    cJSON_ArrayForEach(line, lines_of(v)) {
      cJSON_ArrayForEach(point, cJSON_GetObjectItem(line, "points")) {
        if (!point->next) break; // segments begin at all points but the last
        line_point(v, frame, point, x + 6 * segment);
        line_point(v, frame, point->next, x + 6 * segment + 3);
        number[segment++] = k;
      }
      k++;
    }
    for (size_t i = 0; i < 2 * n; i++) end[i] = (int64_t)i;
    put_cell_number(file, "line", number, n);
    mb_vtk_points(file, x, 2 * n);
    mb_vtk_cells(file, "Lines", end, n, 2);
  }
  mb_free(x);
  mb_free(end);
  mb_free(number);
}
