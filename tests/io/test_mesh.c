// Triangle meshes from .obj, .stl and .ply: all formats give the same numbers, and errors name the line or the byte.
#include "io/mesh/mesh.h"
#include "core/base/alloc.h"
#include "core/compile/inertia.h"
#include "core/compile/triangulate.h"
#include "tests/core/math/near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// One temporary folder a test, with at most one file in it.
static char folder[200], path[220];

static void set_up(void) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/mbsim-mesh-XXXXXX", base ? base : "/tmp");
  cr_assert(mkdtemp(folder));
  path[0] = 0;
}

static void tear_down(void) {
  if (path[0]) unlink(path);
  rmdir(folder);
  cr_assert_eq(mb_alloc_live(), 0, "%d blocks leaked", (int)mb_alloc_live());
}
TestSuite(mesh_file, .init = set_up, .fini = tear_down);

static void write_file(const char *ending, const void *bytes, size_t size) {
  if (path[0]) unlink(path);
  snprintf(path, sizeof path, "%s/mesh%s", folder, ending);
  FILE *file = fopen(path, "wb");
  cr_assert(file);
  cr_assert_eq(fwrite(bytes, 1, size, file), size);
  cr_assert_eq(fclose(file), 0);
}

static MbMesh *read_back(MbArena *arena, double scale) {
  MbReport report = {0};
  MbMesh *mesh = NULL;
  const MbStatus status = mb_mesh_read(path, scale, "/file", arena, &mesh, &report);
  cr_assert_eq(status, MB_OK, "%s", report.issues[0].text);
  return mesh;
}

static MbMesh *read_bytes(MbArena *arena, const char *ending, const void *bytes, size_t size) {
  write_file(ending, bytes, size);
  return read_back(arena, 1);
}

static MbMesh *read_text(MbArena *arena, const char *ending, const char *text) {
  return read_bytes(arena, ending, text, strlen(text));
}

static void expect_bytes_refused(const char *ending, const void *bytes, size_t size, const char *part) {
  MbArena arena = {0};
  MbReport report = {0};
  MbMesh *mesh = NULL;
  write_file(ending, bytes, size);
  cr_assert_eq(mb_mesh_read(path, 1, "/bodies/1/shape/file", &arena, &mesh, &report), MB_IO, "wanted \"%s\"",
               part);
  cr_assert_null(mesh);
  cr_assert_eq(report.errors, 1);
  cr_assert_str_eq(report.issues[0].where, "/bodies/1/shape/file");
  cr_assert(strstr(report.issues[0].text, part), "\"%s\" does not say \"%s\"", report.issues[0].text, part);
  mb_arena_free(&arena);
}

static void expect_refused(const char *ending, const char *text, const char *part) {
  expect_bytes_refused(ending, text, strlen(text), part);
}

// ---- writers, for the round trip ----

typedef struct Bytes {
  size_t size;
  char data[200000];
} Bytes;

static Bytes out;

static void put(const void *bytes, size_t size) {
  cr_assert(out.size + size < sizeof out.data);
  memcpy(out.data + out.size, bytes, size);
  out.size += size;
}

static void put_number(const void *number, size_t size, bool big) {
  const char *bytes = number;
  for (size_t k = 0; k < size; k++) put(bytes + (big ? size - 1 - k : k), 1);
}

#define PUT_TEXT(...) put(line, (size_t)snprintf(line, sizeof line, __VA_ARGS__))

static void write_obj(const MbMesh *m) {
  char line[200];
  out.size = 0;
  for (size_t i = 0; i < m->nv; i++)
    PUT_TEXT("v %.17g %.17g %.17g\n", m->vertex[3 * i], m->vertex[3 * i + 1], m->vertex[3 * i + 2]);
  for (size_t t = 0; t < m->nt; t++)
    PUT_TEXT("f %d/1 %d//2 %d/1/2\n", m->triangle[3 * t] + 1, m->triangle[3 * t + 1] + 1,
             m->triangle[3 * t + 2] + 1);
  write_file(".OBJ", out.data, out.size);
}

static void write_stl_text(const MbMesh *m) {
  char line[200];
  out.size = 0;
  PUT_TEXT("solid a ball\n");
  for (size_t t = 0; t < m->nt; t++) {
    PUT_TEXT("facet normal 0 nan 0\nouter loop\n");
    for (size_t k = 0; k < 3; k++) {
      const double *x = m->vertex + 3 * m->triangle[3 * t + k];
      PUT_TEXT("vertex %.17g %.17g %.17g\n", x[0], x[1], x[2]);
    }
    PUT_TEXT("endloop\nendfacet\n");
  }
  PUT_TEXT("endsolid a ball\n");
  write_file(".stl", out.data, out.size);
}

static void write_stl_binary(const MbMesh *m) {
  char head[80] = "solid, although binary";
  const uint32_t n = (uint32_t)m->nt;
  const char none[12] = {0};
  out.size = 0;
  put(head, sizeof head);
  put_number(&n, 4, false);
  for (size_t t = 0; t < m->nt; t++) {
    put(none, 12);
    for (size_t k = 0; k < 9; k++) {
      const float x = (float)m->vertex[3 * m->triangle[3 * t + k / 3] + (int32_t)(k % 3)];
      put_number(&x, 4, false);
    }
    put(none, 2);
  }
  write_file(".stl", out.data, out.size);
}

// With other properties in between, and elements before and after; the faces stand above the vertices.
static void write_ply(const MbMesh *m, const char *format) {
  char line[200];
  const bool text = format[0] == 'a', big = strstr(format, "big");
  out.size = 0;
  PUT_TEXT("ply\nformat %s 1.0\ncomment nothing\nelement camera 1\nproperty list uint16 double view\n"
           "element face %zu\nproperty uchar red\nproperty list uint8 int32 vertex_indices\nproperty short "
           "group\n",
           format, m->nt);
  PUT_TEXT(
      "element empty 1000000000\nelement vertex %zu\nproperty float64 z\nproperty list char float extra\n"
      "property double x\nproperty double y\nelement tail 1\nproperty int end\nend_header\n",
      m->nv);
  const uint16_t two = 2;
  const double views[2] = {1, 2};
  if (text)
    PUT_TEXT("2 1.0 2.0\n");
  else
    put_number(&two, 2, big), put_number(&views[0], 8, big), put_number(&views[1], 8, big);
  for (size_t t = 0; t < m->nt; t++) {
    const int32_t *v = m->triangle + 3 * t;
    if (text) {
      PUT_TEXT("255 3 %d %d %d -7\n", v[0], v[1], v[2]);
      continue;
    }
    const short group = -7;
    put("\xff\x03", 2);
    for (int k = 0; k < 3; k++) put_number(&v[k], 4, big);
    put_number(&group, 2, big);
  }
  for (size_t i = 0; i < m->nv; i++) {
    const double *x = m->vertex + 3 * i;
    if (text) {
      PUT_TEXT("%.17g 1 0.5 %.17g %.17g\n", x[2], x[0], x[1]);
      continue;
    }
    const float extra = 0.5F;
    put_number(&x[2], 8, big), put("\x01", 1), put_number(&extra, 4, big);
    put_number(&x[0], 8, big), put_number(&x[1], 8, big);
  }
  put("    ", 4);
  if (text) put("0\n", 2);
  write_file(".ply", out.data, out.size);
}

Test(mesh_file, all_formats_give_the_same_numbers) {
  const double SINGLE = 1e-6; // binary .stl has seven digits
  const MbShapeSpec ball = {.kind = MB_SHAPE_SPHERE, .radius = 1.3, .frame = {{0.1, 0.2, 0.3}, {1, 0, 0, 0}}};
  MbArena arena = {0};
  MbMesh mesh;
  MbMassProperties wanted, p;
  cr_assert_eq(mb_triangulate(&ball, &arena, &mesh), MB_OK);
  cr_assert_eq(mb_mesh_mass(&mesh, "", &wanted, NULL), MB_OK);
  for (int format = 0; format < 6; format++) {
    switch (format) {
    case 0:
      write_obj(&mesh);
      break;
    case 1:
      write_stl_text(&mesh);
      break;
    case 2:
      write_stl_binary(&mesh);
      break;
    case 3:
      write_ply(&mesh, "ascii");
      break;
    case 4:
      write_ply(&mesh, "binary_little_endian");
      break;
    default:
      write_ply(&mesh, "binary_big_endian");
      break;
    }
    const double tolerance = format == 2 ? SINGLE : 0;
    const MbMesh *read = read_back(&arena, 1);
    cr_assert_eq(read->nv, mesh.nv, "format %d: %zu vertices", format, read->nv);
    cr_assert_eq(read->nt, mesh.nt);
    MbReport report = {0};
    cr_assert_eq(mb_mesh_mass(read, "", &p, &report), MB_OK, "%s", report.issues[0].text);
    check_near("mass", &p.mass, &wanted.mass, 1, tolerance * 10);
    check_near("center", p.center, wanted.center, 3, tolerance);
    check_near("inertia", p.inertia, wanted.inertia, 9, tolerance * 10);
  }
  mb_arena_free(&arena);
}

Test(mesh_file, the_scale_multiplies_every_coordinate) {
  MbArena arena = {0};
  read_text(&arena, ".obj", "v 1 2 3\nv 4 5 6\nv 7 8 9\nf 1 2 3\n");
  const MbMesh *mesh = read_back(&arena, 0.5);
  for (int i = 0; i < 9; i++) cr_assert_eq(mesh->vertex[i], 0.5 * (i + 1));
  MbReport report = {0};
  MbMesh *large = NULL;
  cr_assert_eq(mb_mesh_read(path, 1e308, "", &arena, &large, &report), MB_IO);
  cr_assert(strstr(report.issues[0].text, "vertex 1, scaled by 1e+308"), "%s", report.issues[0].text);
  mb_arena_free(&arena);
}

// ---- .obj ----

Test(mesh_file, obj_knows_polygons_negative_indices_comments_and_continued_lines) {
  MbArena arena = {0};
  const MbMesh *mesh =
      read_text(&arena, ".obj",
                "# a comment that ends in a backslash \\\n"
                "mtllib a.mtl\no thing\r\n\n   v 0 0 0 1.0 # first\n"
                "v 1 \\\n 0\\\r\n 0\nv\t1 1 0 0.5 0.5 0.5\nvn 0 0 1\nvt 0 0\ng a b\ns off\nusemtl m\n"
                "f 1 2 3 # not 4\nv 0 1e0 -0\nl 1 2\np 1\nf 1/1/1 \\\n2//1 \\\n 3/3 -1\nf -4 -3 -2");
  static const double vertex[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  static const int32_t triangle[12] = {0, 1, 2, 0, 1, 2, 0, 2, 3, 0, 1, 2};
  cr_assert_eq(mesh->nv, 4);
  cr_assert_eq(mesh->nt, 4);
  check_near("vertices", mesh->vertex, vertex, 12, 0);
  cr_assert_arr_eq(mesh->triangle, triangle, sizeof triangle);
  mb_arena_free(&arena);
}

Test(mesh_file, obj_errors_name_the_line) {
#define THREE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
  expect_refused(".obj", THREE "f 1 2 4\n", "line 4: there is no vertex 4: 3 stand above this line");
  expect_refused(".obj", THREE "\n\nf 1 2 -4\n", "line 6: there is no vertex -4");
  expect_refused(".obj", THREE "f 1 2 0\n", "line 4: there is no vertex 0");
  expect_refused(".obj", THREE "f 1 \\\n 2 \\\n x\n", "line 6: found \"x\", wanted a corner");
  expect_refused(".obj", THREE "f 1 2 99999999999999999999\n", "there is no vertex 9999");
  expect_refused(".obj", THREE "f 1 2\n", "line 4: a face has 2 corners");
  expect_refused(".obj", THREE "f\n", "line 4: a face has 0 corners");
  static const char *const corners[] = {"3/", "3//", "3/1/", "3/x", "3/1/1/1", "3.5",
                                        "/3", "-",   "+3",   "3,",  "3/1//1"};
  for (size_t k = 0; k < sizeof corners / sizeof *corners; k++) {
    char text[100];
    snprintf(text, sizeof text, THREE "f 1 2 %s\n", corners[k]);
    expect_refused(".obj", text, "wanted a corner");
  }
  expect_refused(".obj", "v 0 0\n", "line 1: a vertex has 2 numbers");
  expect_refused(".obj", "v 0 0 # 0\n", "line 1: a vertex has 2 numbers");
  static const char *const numbers[] = {"nan", "inf", "1e999", "0x10", "1,5", "1e", "--1", "1.2.3", "."};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    char text[100];
    snprintf(text, sizeof text, "v 0 0 0\nv 0 %s 0\n", numbers[k]);
    expect_refused(".obj", text, "line 2: found \"");
  }
  expect_refused(".obj", THREE "curv2 1 2 3\n", "line 4: found \"curv2\", wanted a word of .obj files");
  expect_refused(".obj", THREE, "no triangles");
  expect_refused(".obj", "", "no triangles");
  expect_refused(".obj", "\\", "no triangles");
  expect_bytes_refused(".obj", THREE "f 1 2 3\0 1\n", sizeof THREE - 1 + 11, "wanted a corner");
}

// The name of a mesh may be given to any file, and who reads the message need not be who may read that file.
Test(mesh_file, nothing_of_a_file_that_is_no_mesh_is_quoted) {
  static const char *const endings[] = {".obj", ".stl", ".ply"};
  for (size_t k = 0; k < 3; k++)
    for (size_t i = 0; i < 3; i++) {
      static const char *const texts[] = {"hunter2:x:0:0:root:/root:/bin/sh\n",
                                          "# comment\n\n hunter2 1 2 3\n", "v hunter2 is secret\n"};
      MbArena arena = {0};
      MbReport report = {0};
      MbMesh *mesh = NULL;
      write_file(endings[k], texts[i], strlen(texts[i]));
      cr_assert_neq(mb_mesh_read(path, 1, "", &arena, &mesh, &report), MB_OK);
      cr_assert(report.kept && !strstr(report.issues[0].text, "hunter2"), "%s: %s", endings[k],
                report.issues[0].text);
      mb_arena_free(&arena);
    }
}

// ---- .stl ----

#define FACET(a, b, c)                                                                                       \
  "facet normal 0 0 0\nouter loop\nvertex " a "\nvertex " b "\nvertex " c "\nendloop\nendfacet\n"

Test(mesh_file, stl_corners_become_shared_vertices_and_slivers_go) {
  MbArena arena = {0};
  const MbMesh *mesh = read_text(
      &arena, ".stl",
      "  SOLID facet\n" FACET("0 0 0", "1 0 0", "0 1 0") "endsolid\nsolid\n" FACET("1 0 0", "1 1 0", "0 1 -0")
          FACET("0 0 0", "1 1 0", "0 0 0") "endsolid x y\n\n");
  static const double vertex[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  static const int32_t triangle[6] = {0, 1, 2, 1, 3, 2};
  cr_assert_eq(mesh->nv, 4);
  cr_assert_eq(mesh->nt, 2);
  check_near("vertices", mesh->vertex, vertex, 12, 0);
  cr_assert_arr_eq(mesh->triangle, triangle, sizeof triangle);
  mb_arena_free(&arena);
}

Test(mesh_file, stl_errors_name_the_line_or_the_byte) {
  expect_refused(".stl", "solid\n" FACET("0 0 0", "1 0 0", "0 1 0"),
                 "line 9: the file ends, wanted facet or endsolid");
  expect_refused(".stl", "solid\n" FACET("0 0 0", "1 0", "0 1 0"),
                 "line 6: found \"vertex\", wanted a finite number");
  expect_refused(".stl", "solid\n" FACET("0 0 nan", "1 0 0", "0 1 0"), "line 4: found \"nan\"");
  expect_refused(".stl", "solid\nfacet normal 0 0 0 outer\nvertex 1 2 3\n",
                 "line 3: found \"vertex\", wanted loop");
  expect_refused(".stl", "solid\nfacet normal", "line 2: the file ends, wanted outer");
  expect_refused(".stl", "solid\nendsolid\nfacet", "line 3: found \"facet\", wanted solid");
  expect_refused(".stl", "solid\nendsolid\n", "no triangles");
  expect_refused(".stl", "", "byte 0: the file ends");
  expect_refused(".stl", "facet normal 0 0 0", "byte 18: the file ends");

  char binary[84 + 50 + 1] = {0};
  binary[80] = 1;
  expect_bytes_refused(".stl", binary, 84,
                       "byte 80: the file tells of 1 triangles and should have 134 bytes");
  expect_bytes_refused(".stl", binary, 133, "but has 133");
  expect_bytes_refused(".stl", binary, 135, "but has 135");
  memset(binary + 80, 0xff, 4);
  expect_bytes_refused(".stl", binary, 134, "4294967295 triangles");
  memset(binary + 80, 0, 4);
  expect_bytes_refused(".stl", binary, 84, "no triangles");
  binary[80] = 1;
  memset(binary + 100, 0xff, 4);
  expect_bytes_refused(".stl", binary, 134, "byte 100: a corner of triangle 1 is not a finite number");
  memset(binary + 100, 0, 4);
  expect_bytes_refused(".stl", binary, 134, "no triangles"); // all three corners are at the origin
}

// ---- .ply ----

#define PLY_HEAD   "ply\nformat ascii 1.0\n"
#define PLY_VERTEX "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACE   "element face 1\nproperty list uchar int vertex_index\n"
#define PLY_DATA   "end_header\n0 0 0\n1 0 0\n0 1 0\n"

Test(mesh_file, ply_polygons_become_fans_and_line_ends_may_be_of_two_bytes) {
  MbArena arena = {0};
  const MbMesh *mesh = read_text(
      &arena, ".ply",
      "ply\r\nformat ascii 1.0\r\nobj_info x\r\nelement vertex 5\r\nproperty float x\r\nproperty float y\r\n"
      "property float z\r\nelement face 1\r\nproperty list uchar int vertex_index\r\nend_header\r\n"
      "0 0 0\r\n1 0 0\r\n2 1 0\r\n1 2 0\r\n0 1 0\r\n5 0 1 2 3 4");
  static const int32_t triangle[9] = {0, 1, 2, 0, 2, 3, 0, 3, 4};
  cr_assert_eq(mesh->nv, 5);
  cr_assert_eq(mesh->nt, 3);
  cr_assert_arr_eq(mesh->triangle, triangle, sizeof triangle);
  mb_arena_free(&arena);
}

Test(mesh_file, ply_lists_may_have_any_integer_type) {
  static const char *const types[][2] = {{"char", "int8"},     {"uchar", "uint8"}, {"short", "int16"},
                                         {"ushort", "uint16"}, {"int", "int32"},   {"uint", "uint32"}};
  static const size_t bytes[] = {1, 1, 2, 2, 4, 4};
  char line[400];
  for (size_t c = 0; c < 6; c++)
    for (size_t i = 0; i < 6; i++)
      for (int big = 0; big < 2; big++) {
        out.size = 0;
        PUT_TEXT("ply\nformat binary_%s_endian 1.0\nelement vertex 3\nproperty %s x\nproperty short y\n"
                 "property float z\nelement face 1\nproperty list %s %s vertex_index\nend_header\n",
                 big ? "big" : "little", big ? "uchar" : "char", types[c][big], types[i][big]);
        for (int v = 0; v < 3; v++) {
          const short y = (short)-v;
          const float z = 0.5F * (float)v;
          put(v == 1 ? "\xf9" : "\x00", 1), put_number(&y, 2, big), put_number(&z, 4, big);
        }
        static const int32_t corners[] = {3, 2, 0, 1};
        for (int k = 0; k < 4; k++) put_number(&corners[k], bytes[k ? i : c], big);
        MbArena arena = {0};
        const MbMesh *mesh = read_bytes(&arena, ".ply", out.data, out.size);
        const double vertex[9] = {0, 0, 0, big ? 249 : -7, -1, 0.5, 0, -2, 1};
        check_near("vertices", mesh->vertex, vertex, 9, 0);
        cr_assert_arr_eq(mesh->triangle, corners + 1, 12);
        mb_arena_free(&arena);

        // cut short anywhere, it is refused
        for (size_t cut = 1; cut < 25; cut++)
          expect_bytes_refused(".ply", out.data, out.size - cut, "mesh.ply, ");
      }
}

Test(mesh_file, ply_headers_that_cannot_be_are_refused_with_their_line) {
  expect_refused(".ply", "", "line 1: found nothing, wanted the word ply");
  expect_refused(".ply", "plx\n", "line 1: found something else, wanted the word ply");
  expect_refused(".ply", "ply\n", "line 2: the file ends before end_header");
  expect_refused(".ply", "ply\nformat utf8 1.0\n", "line 2: found \"utf8\"");
  expect_refused(".ply", "ply\nformat ascii 2.0\n", "line 2: found \"2.0\"");
  expect_refused(".ply", "ply\n" PLY_VERTEX PLY_FACE PLY_DATA "3 0 1 2\n", "ends without a format");
  expect_refused(".ply", PLY_HEAD "elephant\n", "line 3: found \"elephant\"");
  expect_refused(".ply", PLY_HEAD "element\n", "line 3: found nothing, wanted an element's name");
  expect_refused(".ply", PLY_HEAD "element vertex -1\n", "line 3: found \"-1\"");
  expect_refused(".ply", PLY_HEAD "element vertex 1.5\n", "line 3: found \"1.5\"");
  expect_refused(".ply", PLY_HEAD "element vertex 1e300\n", "line 3: found \"1e300\"");
  expect_refused(".ply", PLY_HEAD "property float x\n", "line 3: a property before");
  expect_refused(".ply", PLY_HEAD PLY_VERTEX PLY_VERTEX, "line 7: element \"vertex\" for the second time");
  expect_refused(".ply", PLY_HEAD PLY_VERTEX "property float x\n",
                 "line 7: property \"x\" for the second time");
  expect_refused(".ply", PLY_HEAD "element vertex 3\nproperty list uchar float x\n",
                 "line 4: property \"x\" must not be a list");
  expect_refused(".ply", PLY_HEAD "element face 3\nproperty int vertex_index\n",
                 "property \"vertex_index\" must be a list");
  expect_refused(".ply", PLY_HEAD "element face 3\nproperty list uchar float vertex_index\n",
                 "wanted an integer type");
  expect_refused(".ply", PLY_HEAD "element face 3\nproperty list float int vertex_index\n",
                 "wanted an integer type");
  expect_refused(".ply", PLY_HEAD "element face 3\nproperty list uchar quad vertex_index\n",
                 "line 4: found \"quad\"");
  expect_refused(".ply", PLY_HEAD "element face 3\nproperty int\n", "wanted a property's name");
  expect_refused(".ply", PLY_HEAD PLY_VERTEX "end_header\n", "without a property list vertex_indices");
  expect_refused(".ply", PLY_HEAD PLY_FACE "end_header\n", "without the properties x, y and z");

  // more than fits
  out.size = 0;
  put(PLY_HEAD, sizeof PLY_HEAD - 1);
  for (int k = 0; k < 40; k++) put("element a 1\n", 12);
  expect_bytes_refused(".ply", out.data, out.size, "more than 32 kinds");
  out.size = 0;
  put(PLY_HEAD "element a 1\n", sizeof PLY_HEAD + 11);
  for (int k = 0; k < 300; k++) put("property int a\n", 15);
  expect_bytes_refused(".ply", out.data, out.size, "more than 256 properties");
}

Test(mesh_file, ply_values_that_cannot_be_are_refused_with_their_place) {
#define PLY_ALL PLY_HEAD PLY_VERTEX PLY_FACE PLY_DATA
  expect_refused(".ply", PLY_ALL "3 0 1 3\n", "line 13: the corner 3 does not exist (3 vertices");
  expect_refused(".ply", PLY_ALL "3 0 1 -1\n", "the corner -1 does not exist");
  expect_refused(".ply", PLY_ALL "3 0 1 0.5\n", "the corner 0.5 does not exist");
  expect_refused(".ply", PLY_ALL "2 0 1\n", "fewer than three corners, in \"face\" 1");
  expect_refused(".ply", PLY_ALL "-3 0 1 2\n", "line 13: a list's length is wrong, in \"face\" 1");
  expect_refused(".ply", PLY_ALL "1e30 0 1 2\n", "a list's length is wrong");
  expect_refused(".ply", PLY_ALL "3 0 1\n", "the file ends, in \"face\" 1");
  expect_refused(".ply", PLY_ALL "3 0 x 1\n", "line 13: found \"x\", wanted a finite number");
  expect_refused(
      ".ply",
      PLY_HEAD
      "element vertex 3000000000\nproperty float x\nproperty float y\nproperty float z\n" PLY_FACE PLY_DATA
      "3 0 1 2\n",
      "line 3: 3000000000 of element \"vertex\" do not fit into the file");
  expect_refused(".ply",
                 "ply\nformat binary_big_endian 1.0\n" PLY_VERTEX "element face 900000000000\n"
                 "property list uchar int vertex_index\nend_header\n"
                 "0123456789abcdefghijklmnopqrstuvwxyz12345",
                 "line 7: 900000000000 of element \"face\" do not fit");
  char nan[400];
  const int n =
      snprintf(nan, sizeof nan, "ply\nformat binary_big_endian 1.0\n%s%send_header\n", PLY_VERTEX, PLY_FACE);
  memset(nan + n, 0xff, 60);
  expect_bytes_refused(".ply", nan, (size_t)n + 60, "a coordinate is not a finite number, in \"vertex\" 1");
}

// ---- the file itself ----

Test(mesh_file, files_that_cannot_be_read_are_refused) {
  MbArena arena = {0};
  MbReport report = {0};
  MbMesh *mesh = NULL;
  cr_assert_eq(mb_mesh_read("no/such/file.obj", 1, "/f", &arena, &mesh, &report), MB_IO);
  cr_assert(strstr(report.issues[0].text, "no/such/file.obj: No such file"), "%s", report.issues[0].text);
  cr_assert_eq(mb_mesh_read("mesh.3ds", 1, "/f", &arena, &mesh, &report), MB_SCENE);
  cr_assert(strstr(report.issues[1].text, ".obj, .stl or .ply"), "%s", report.issues[1].text);
  cr_assert_eq(mb_mesh_read("mesh", 1, "/f", &arena, &mesh, &report), MB_SCENE);

  char inner[230];
  snprintf(inner, sizeof inner, "%s/folder.obj", folder);
  cr_assert_eq(mkdir(inner, 0700), 0);
  cr_assert_eq(mb_mesh_read(inner, 1, "/f", &arena, &mesh, &report), MB_IO);
  rmdir(inner);
  cr_assert_eq(mkfifo(inner, 0600), 0);
  cr_assert_eq(mb_mesh_read(inner, 1, "/f", &arena, &mesh, &report), MB_IO);
  unlink(inner);
  cr_assert(strstr(report.issues[report.kept - 1].text, "not a regular file"), "%s",
            report.issues[report.kept - 1].text);

  write_file(".obj", "", 0);
  cr_assert_eq(truncate(path, ((off_t)1 << 30) + 1), 0); // a hole, no bytes on the disk
  cr_assert_eq(mb_mesh_read(path, 1, "/f", &arena, &mesh, &report), MB_IO);
  cr_assert(strstr(report.issues[report.kept - 1].text, "at most 1 GiB"), "%s",
            report.issues[report.kept - 1].text);
  cr_assert_eq(arena.bytes, 0);
  mb_arena_free(&arena);
}

Test(mesh_file, memory_that_runs_out_is_an_error_and_no_leak) {
  MbArena arena = {0};
  static const char *const endings[] = {".obj", ".stl", ".ply"};
  static const char *const texts[] = {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
                                      "solid\n" FACET("0 0 0", "1 0 0", "0 1 0") "endsolid\n",
                                      PLY_ALL "3 0 1 2\n"};
  for (int k = 0; k < 3; k++) {
    write_file(endings[k], texts[k], strlen(texts[k]));
    MbStatus status = MB_IO;
    for (int calls = 0; status; calls++) {
      MbReport report = {0};
      MbMesh *mesh = NULL;
      mb_alloc_fail_after(calls);
      status = mb_mesh_read(path, 1, "", &arena, &mesh, &report);
      mb_alloc_fail_after(-1);
      cr_assert(status == MB_OK || (status == MB_IO && !mesh && strstr(report.issues[0].text, "memory")));
      cr_assert(status != MB_OK || calls > 2);
      mb_arena_free(&arena);
      cr_assert_eq(mb_alloc_live(), 0);
    }
  }
}
