// Rotations, signals and mesh files: values that may be written in several ways.
#include "io/scene/schema_read.h"
#include "core/base/alloc.h"
#include "core/base/arena.h"
#include "io/json/json.h"
#include "io/mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double NEAR = 1e-6; // how far from a rotation what is written may be

// ---- rotations --------------------------------------------------------------------------------------------

static void normalise(double q[4]) {
  const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) q[i] /= length;
}

// p = p q, the rotation q in the axes that p has turned.
static void turn(double p[4], const double q[4]) {
  const double a[4] = {p[0], p[1], p[2], p[3]};
  p[0] = a[0] * q[0] - a[1] * q[1] - a[2] * q[2] - a[3] * q[3];
  p[1] = a[0] * q[1] + a[1] * q[0] + a[2] * q[3] - a[3] * q[2];
  p[2] = a[0] * q[2] - a[1] * q[3] + a[2] * q[0] + a[3] * q[1];
  p[3] = a[0] * q[3] + a[1] * q[2] - a[2] * q[1] + a[3] * q[0];
}

static bool read_quaternion(MbReader *r, const cJSON *item, double q[4]) {
  static const MbSchemaRow any = {.type = MB_TYPE_NUMBERS};
  if (!mb_read_numbers(r, &any, item, 4, q)) return false;
  const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(length > 0) || isinf(length))
    return mb_reader_error(
        r, "found a quaternion of length %.9g, wanted length 1: no rotation is [1, 0, 0, 0]", length);
  if (!(fabs(length - 1) <= NEAR))
    return mb_reader_error(r,
                           "found a quaternion of length %.9g, wanted length 1 (within %g): divided by its "
                           "length it is [%.10g, %.10g, %.10g, %.10g]",
                           length, NEAR, q[0] / length, q[1] / length, q[2] / length, q[3] / length);
  normalise(q);
  return true;
}

// From the element of the quaternion that is largest, so that nothing is lost to cancellation.
static void from_matrix(double R[3][3], double q[4]) {
  const double trace = R[0][0] + R[1][1] + R[2][2];
  int k = 0;
  double largest = trace;
  for (int i = 0; i < 3; i++) {
    if (R[i][i] <= largest) continue;
    largest = R[i][i];
    k = i + 1;
  }
  if (!k) {
    q[0] = 1 + trace;
    q[1] = R[2][1] - R[1][2];
    q[2] = R[0][2] - R[2][0];
    q[3] = R[1][0] - R[0][1];
  } else {
    const int a = k - 1, b = k % 3, c = (k + 1) % 3;
    q[0] = R[c][b] - R[b][c];
    q[1 + a] = 1 + R[a][a] - R[b][b] - R[c][c];
    q[1 + b] = R[a][b] + R[b][a];
    q[1 + c] = R[a][c] + R[c][a];
    if (q[0] < 0)
      for (int i = 0; i < 4; i++) q[i] = -q[i];
  }
  normalise(q);
}

static bool read_matrix(MbReader *r, const cJSON *item, double q[4]) {
  static const MbSchemaRow any = {.type = MB_TYPE_NUMBERS};
  double R[3][3];
  int i = 0;
  for (const cJSON *row = item->child; row; row = row->next, i++) {
    const MbReaderPlace place = mb_reader_enter_index(r, (size_t)i);
    const bool fine = mb_read_numbers(r, &any, row, 3, R[i]);
    mb_reader_leave(r, place);
    if (!fine) return false;
  }
  double worst = 0;
  for (int a = 0; a < 3; a++) {
    for (int b = 0; b < 3; b++) {
      const double dot = R[a][0] * R[b][0] + R[a][1] * R[b][1] + R[a][2] * R[b][2];
      worst = fmax(worst, fabs(dot - (a == b)));
      if (!isfinite(dot)) worst = INFINITY;
    }
  }
  if (!(worst <= NEAR))
    return mb_reader_error(
        r, "found a matrix whose rows are not orthonormal (off by %.3g), wanted a rotation (within %g)",
        worst, NEAR);
  const double det = R[0][0] * (R[1][1] * R[2][2] - R[1][2] * R[2][1]) -
                     R[0][1] * (R[1][0] * R[2][2] - R[1][2] * R[2][0]) +
                     R[0][2] * (R[1][0] * R[2][1] - R[1][1] * R[2][0]);
  if (det < 0)
    return mb_reader_error(r, "found a reflection (a matrix of determinant -1), wanted a rotation");
  from_matrix(R, q);
  return true;
}

// Warns of an angle of more than a turn, which is degrees more often than not; not where the expression that it is says
// `deg`.
static void doubt_angle(MbReader *r, const cJSON *item, double angle) {
  static const double TURN = 6.283185307179586, rounding = 1e-9;
  if (!(fabs(angle) > TURN * (1 + rounding)) || (cJSON_IsString(item) && strstr(item->valuestring, "deg")))
    return;
  mb_warning(r->report, r->path, "%.10g rad is more than a turn: degrees? %.10g degrees are \"=%.10g*deg\"",
             angle, angle, angle);
}

// Whether coordinate `k` of a joint of that kind is an angle that has a way round.
static bool is_angle(MbJointKind kind, size_t k) {
  switch (kind) {
  case MB_JOINT_REVOLUTE:
  case MB_JOINT_UNIVERSAL:
  case MB_JOINT_SPHERICAL:
  case MB_JOINT_EULER:
    return true;
  case MB_JOINT_CYLINDRICAL:
    return k == 0;
  case MB_JOINT_FREE2D:
    return k == 2;
  case MB_JOINT_FREE3D:
    return k >= 3;
  default:
    return false;
  }
}

void mb_read_doubt_start(MbReader *r, const cJSON *item, const MbJointSpec *joint) {
  const bool list = cJSON_IsArray(item);
  const cJSON *one = list ? item->child : item;
  for (size_t k = 0; k < joint->position.count && one; k++, one = one->next) {
    if (!is_angle(joint->kind, k)) continue;
    const MbReaderPlace place = list ? mb_reader_enter_index(r, k) : r->path_length;
    doubt_angle(r, one, joint->position.value[k]);
    mb_reader_leave(r, place);
  }
}

static void doubt_turn(MbReader *r, const char *key, const cJSON *item, double angle) {
  const MbReaderPlace place = mb_reader_enter(r, key);
  doubt_angle(r, item, angle);
  mb_reader_leave(r, place);
}

static bool read_euler(MbReader *r, const cJSON *item, double q[4]) {
  MbEuler euler = {0};
  if (!mb_read_object(r, &mb_schema_euler, item, &euler)) return false;
  const char *const o = euler.order;
  memcpy(q, (const double[]){1, 0, 0, 0}, 4 * sizeof *q);
  const MbReaderPlace place = mb_reader_enter(r, "angles");
  const cJSON *const angles = cJSON_GetObjectItemCaseSensitive(item, "angles");
  for (int i = 0; i < 3; i++)
    doubt_turn(r, (const char *[]){"0", "1", "2"}[i], cJSON_GetArrayItem(angles, i), euler.angles[i]);
  mb_reader_leave(r, place);
  for (int i = 0; i < 3; i++) {
    double step[4] = {cos(euler.angles[i] / 2), 0, 0, 0};
    step[1 + o[i] - 'x'] = sin(euler.angles[i] / 2);
    turn(q, step);
  }
  normalise(q);
  return true;
}

static bool read_axis_angle(MbReader *r, const cJSON *item, double q[4]) {
  MbAxisAngle turned = {0};
  if (!mb_read_object(r, &mb_schema_axis_angle, item, &turned)) return false;
  doubt_turn(r, "angle", cJSON_GetObjectItemCaseSensitive(item, "angle"), turned.angle);
  q[0] = cos(turned.angle / 2);
  for (int i = 0; i < 3; i++) q[1 + i] = sin(turned.angle / 2) * turned.axis[i];
  normalise(q);
  return true;
}

// What an object says that is neither of the two: one error, with the way out for those who think in roll, pitch and yaw.
static bool no_rotation(MbReader *r, const cJSON *item) {
  bool rolls = false;
  for (const cJSON *member = item->child; member; member = member->next)
    rolls = rolls || !strcmp(member->string, "rpy") || !strcmp(member->string, "roll") ||
            !strcmp(member->string, "yaw");
  return mb_reader_error(
      r, "found an object with neither \"axis\" and \"angle\" nor \"euler\" and \"angles\"%s",
      rolls ? ": roll, pitch and yaw are {\"euler\": \"zyx\", \"angles\": [yaw, pitch, roll]}" : "");
}

bool mb_read_rotation(MbReader *r, const cJSON *item, double q[4]) {
  if (cJSON_IsObject(item)) {
    if (cJSON_GetObjectItemCaseSensitive(item, "euler") || cJSON_GetObjectItemCaseSensitive(item, "angles"))
      return read_euler(r, item, q);
    if (cJSON_GetObjectItemCaseSensitive(item, "axis") || cJSON_GetObjectItemCaseSensitive(item, "angle"))
      return read_axis_angle(r, item, q);
    return no_rotation(r, item);
  }
  const int n = cJSON_IsArray(item) ? cJSON_GetArraySize(item) : 0;
  if (n == 3 && cJSON_IsArray(item->child)) return read_matrix(r, item, q);
  if (n == 4) return read_quaternion(r, item, q);
  return mb_reader_unwanted(r, item,
                            "a rotation: [w, x, y, z], {\"axis\", \"angle\"}, {\"euler\", \"angles\"}, or "
                            "three rows of a matrix");
}

// ---- signals ----------------------------------------------------------------------------------------------

static bool read_table(MbReader *r, const cJSON *item, MbSignalSpec *signal) {
  const void *const defaults = mb_read_defaults(r, &mb_schema_signal);
  if (!defaults) return false;
  MbSignalTable table;
  memcpy(&table, defaults, sizeof table);
  if (!mb_read_object(r, &mb_schema_signal, item, &table)) return false;
  if (table.ntimes != table.nvalues)
    return mb_reader_error(r, "found %zu times and %zu values, wanted as many of both", table.ntimes,
                           table.nvalues);
  for (size_t i = 1; i < table.ntimes; i++)
    if (!(table.times[i] > table.times[i - 1]))
      return mb_reader_error(r, "the times must increase: element %zu is %.10g after %.10g", i,
                             table.times[i], table.times[i - 1]);
  *signal = (MbSignalSpec){.kind = MB_SIGNAL_TABLE,
                           .interpolation = table.interpolation,
                           .count = table.ntimes,
                           .times = table.times,
                           .values = table.values};
  return true;
}

static bool read_formula(MbReader *r, const cJSON *item, MbSignalSpec *signal) {
  const char *text = item->valuestring + 1;
  MbExpression *const e = mb_read_expression(r, item, true);
  if (!e) return false;
  const double value = mb_expression_value(e, 0);
  mb_expression_free(e);
  if (!isfinite(value))
    return mb_reader_unwanted(r, item, "an expression that is finite at t = 0, not %g", mb_plain(value));

  text += strspn(text, " \t");
  size_t n = strlen(text);
  while (n && (text[n - 1] == ' ' || text[n - 1] == '\t')) n--;
  char *const kept = mb_arena_strndup(r->arena, text, n);
  if (!kept) return mb_reader_no_memory(r);
  *signal = (MbSignalSpec){.kind = MB_SIGNAL_EXPRESSION, .text = kept};
  return true;
}

bool mb_read_signal(MbReader *r, const cJSON *item, MbSignalSpec *signal) {
  if (cJSON_IsObject(item)) return read_table(r, item, signal);
  if (cJSON_IsString(item) && item->valuestring[0] == '=') return read_formula(r, item, signal);
  if (!cJSON_IsNumber(item))
    return mb_reader_unwanted(r, item,
                              "a signal: a number, an expression as \"=sin(t)\", or {\"times\", \"values\"}");
  *signal = (MbSignalSpec){.kind = MB_SIGNAL_CONSTANT, .value = item->valuedouble};
  return true;
}

// ---- meshes -----------------------------------------------------------------------------------------------

struct MbReaderMesh {
  MbReaderMesh *next;
  const char *file;
  double scale, stretch[3];      // stretch: of a shape
  const MbMesh *mesh;            // of a shape
  const MbElementMesh *elements; // of a deformable
};

// The file's path: relative ones begin at the scene's directory.
static char *join(const char *directory, const char *file) {
  const size_t n = strlen(directory);
  if (file[0] == '/' || !n) return mb_strdup(file);
  const size_t size = n + strlen(file) + 2;
  char *const path = mb_calloc(size, 1);
  if (path) snprintf(path, size, directory[n - 1] == '/' ? "%s%s" : "%s/%s", directory, file);
  return path;
}

// A file that many things use is read once. NULL: it has not been read as this yet.
static const MbReaderMesh *find_mesh(const MbReader *r, const MbReaderMesh *wanted, bool elements) {
  const MbReaderMesh *m = r->meshes;
  while (m && (m->scale != wanted->scale || strcmp(m->file, wanted->file) ||
               memcmp(m->stretch, wanted->stretch, sizeof m->stretch) || elements != (m->elements != NULL)))
    m = m->next;
  return m;
}

// Reads the file of that name, as shapes or as elements, and keeps it.
static const MbReaderMesh *add_mesh(MbReader *r, const MbReaderMesh *wanted, bool elements) {
  MbReaderMesh *const entry = mb_arena_alloc(r->arena, 1, sizeof *entry);
  char *const path = join(r->directory, wanted->file), *const name = mb_arena_strdup(r->arena, wanted->file);
  if (!entry || !name || !path) {
    mb_free(path);
    mb_reader_no_memory(r);
    return NULL;
  }
  MbMesh *mesh = NULL;
  MbElementMesh *of_elements = NULL;
  const MbStatus status =
      elements ? mb_mesh_read_elements(path, wanted->scale, r->path, r->arena, &of_elements, r->report)
               : mb_mesh_read(path, wanted->scale, r->path, r->arena, &mesh, r->report);
  mb_free(path);
  if (status) {
    if (!r->status) r->status = status;
    return NULL;
  }
  if (mesh) mb_mesh_stretch(mesh, wanted->stretch);
  *entry = *wanted;
  entry->next = r->meshes, entry->file = name, entry->mesh = mesh, entry->elements = of_elements;
  return r->meshes = entry;
}

bool mb_read_mesh(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base) {
  MbShapeSpec *const shape = base;
  if (!cJSON_IsString(item) || !item->valuestring[0])
    return mb_reader_unwanted(r, item, "a file name (.obj, .stl, .ply)");
  (void)row;
  MbReaderMesh wanted = {.file = item->valuestring, .scale = shape->scale};
  memcpy(wanted.stretch, shape->size, sizeof wanted.stretch);
  const MbReaderMesh *m = find_mesh(r, &wanted, false);
  if (!m) m = add_mesh(r, &wanted, false);
  if (!m) return false;
  shape->file = m->file;
  shape->mesh = m->mesh;
  return true;
}

bool mb_read_elements(MbReader *r, const cJSON *item, MbNodeMeshSpec *mesh) {
  if (!cJSON_IsString(item) || !item->valuestring[0])
    return mb_reader_unwanted(r, item, "a file name (.msh, .node, .ele, .vtk, .obj)");
  const MbReaderMesh wanted = {.file = item->valuestring, .scale = mesh->scale};
  const MbReaderMesh *m = find_mesh(r, &wanted, true);
  if (!m) m = add_mesh(r, &wanted, true);
  if (!m) return false;
  mesh->file = m->file;
  mesh->mesh = m->elements;
  return true;
}
