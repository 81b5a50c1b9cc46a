// Meshes of elements from files: every format comes back as it was written; a file that is cut, flipped or wrong is refused with its name and
// its place, and nothing of a file that is no mesh is quoted.
#include "core/base/alloc.h"
#include "core/deformables/element_mesh.h"
#include "core/deformables/quadratic.h"
#include "io/mesh/mesh.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// One temporary folder a test, with at most two files in it.
static char folder[200], path[220], other[220];

static void set_up(void) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/mbsim-elements-XXXXXX", base ? base : "/tmp");
  cr_assert(mkdtemp(folder));
  path[0] = other[0] = 0;
}

static void tear_down(void) {
  if (path[0]) unlink(path);
  if (other[0]) unlink(other);
  rmdir(folder);
  cr_assert_eq(mb_alloc_live(), 0, "%d blocks leaked", (int)mb_alloc_live());
}
TestSuite(mesh_elements, .init = set_up, .fini = tear_down);

static void write_to(const char *to, const void *bytes, size_t size) {
  FILE *file = fopen(to, "wb");
  cr_assert(file);
  cr_assert_eq(fwrite(bytes, 1, size, file), size);
  cr_assert_eq(fclose(file), 0);
}

static void write_file(const char *ending, const void *bytes, size_t size) {
  if (path[0]) unlink(path);
  snprintf(path, sizeof path, "%s/mesh%s", folder, ending);
  write_to(path, bytes, size);
}

// ---- writers ----------------------------------------------------------------------------------------------

typedef struct Bytes {
  size_t size;
  char data[100000];
} Bytes;
static Bytes out;
static bool binary, big;

static void put(const void *bytes, size_t size) {
  cr_assert(out.size + size < sizeof out.data);
  memcpy(out.data + out.size, bytes, size);
  out.size += size;
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void put_bytes(const void *number, size_t size) {
  const char *bytes = number;
  for (size_t k = 0; k < size; k++) put(bytes + (big ? size - 1 - k : k), 1);
}

static void say(const char *format, ...) {
  char said[300];
  va_list args;
  va_start(args, format);
  put(said, (size_t)vsnprintf(said, sizeof said, format, args));
  va_end(args);
}

static void put_whole(int64_t n, size_t size) {
  const int32_t small = (int32_t)n;
  if (!binary)
    say("%lld ", (long long)n);
  else if (size == 4)
    put_bytes(&small, 4);
  else
    put_bytes(&n, 8);
}

static void put_real(double x, size_t size) {
  const float single = (float)x;
  if (!binary)
    say("%.17g ", x);
  else if (size == 4)
    put_bytes(&single, 4);
  else
    put_bytes(&x, 8);
}

static void line_end(void) {
  if (!binary) say("\n");
}

// Tags that are not in order and leave some out
static int64_t tag_of(size_t node) { return 1000 - 3 * (int64_t)node; }

static void msh_head(const char *version) {
  out.size = 0;
  say("$MeshFormat\n%s %d 8\n", version, binary);
  if (binary) put_whole(1, 4), say("\n");
  say("$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"all of it\"\n$EndPhysicalNames\n");
}

static void write_msh2(const MbElementMesh *m) {
  msh_head("2.2");
  say("$Nodes\n%zu\n", m->nodes);
  for (size_t i = 0; i < m->nodes; i++) {
    put_whole(tag_of(i), 4);
    for (size_t k = 0; k < 3; k++) put_real(m->x[3 * i + k], 8);
    line_end();
  }
  say("%s$EndNodes\n$Elements\n%zu\n", binary ? "\n" : "", m->tets + m->triangles + 1);
  for (size_t i = 0; i < m->tets + m->triangles + 1; i++) {
    const bool tet = i < m->tets, line = i == m->tets + m->triangles;
    const size_t n = tet ? 4 : line ? 2 : 3, t = i - m->tets;
    if (binary) { // runs of one or all: kind, count, tags
      if (i == 0 || i == m->tets || line)
        put_whole(tet    ? 4
                  : line ? 1
                         : 2,
                  4),
            put_whole(tet    ? (int64_t)m->tets
                      : line ? 1
                             : (int64_t)m->triangles,
                      4),
            put_whole(2, 4);
      put_whole((int64_t)i + 1, 4);
    } else {
      put_whole((int64_t)i + 1, 4), put_whole(tet ? 4 : line ? 1 : 2, 4), put_whole(2, 4);
    }
    put_whole(7, 4), put_whole(8, 4);
    for (size_t k = 0; k < n; k++)
      put_whole(tag_of(tet ? m->tet[4 * i + k] : line ? k : m->triangle[3 * t + k]), 4);
    line_end();
  }
  say("%s$EndElements\n", binary ? "\n" : "");
}

static void write_msh4(const MbElementMesh *m) {
  msh_head("4.1");
  say("$Nodes\n");
  const size_t half = m->nodes / 2;
  put_whole(2, 8), put_whole((int64_t)m->nodes, 8), put_whole(1, 8), put_whole(2000, 8), line_end();
  for (int block = 0; block < 2; block++) { // the first one with parametric coordinates
    const size_t from = block ? half : 0, to = block ? m->nodes : half;
    put_whole(2, 4), put_whole(1, 4), put_whole(!block, 4), put_whole((int64_t)(to - from), 8), line_end();
    for (size_t i = from; i < to; i++) put_whole(tag_of(i), 8), line_end();
    for (size_t i = from; i < to; i++) {
      for (size_t k = 0; k < 3; k++) put_real(m->x[3 * i + k], 8);
      if (!block) put_real(0.5, 8), put_real(0.25, 8);
      line_end();
    }
  }
  say("%s$EndNodes\n$Elements\n", binary ? "\n" : "");
  put_whole(3, 8), put_whole((int64_t)(m->tets + m->triangles + 1), 8), put_whole(1, 8), put_whole(2000, 8),
      line_end();
  put_whole(1, 4), put_whole(1, 4), put_whole(1, 4), put_whole(1, 8), line_end(); // a line
  put_whole(1, 8), put_whole(tag_of(0), 8), put_whole(tag_of(1), 8), line_end();
  for (int tet = 0; tet < 2; tet++) {
    const size_t count = tet ? m->tets : m->triangles, n = tet ? 4 : 3;
    const uint32_t *corner = tet ? m->tet : m->triangle;
    put_whole(2 + tet, 4), put_whole(1, 4), put_whole(tet ? 4 : 2, 4), put_whole((int64_t)count, 8),
        line_end();
    for (size_t i = 0; i < count; i++) {
      put_whole((int64_t)i + 5, 8);
      for (size_t k = 0; k < n; k++) put_whole(tag_of(corner[n * i + k]), 8);
      line_end();
    }
  }
  say("%s$EndElements\n", binary ? "\n" : "");
}

static void write_vtk(const MbElementMesh *m, bool offsets) {
  const size_t cells = m->tets + m->triangles, corners = 4 * m->tets + 3 * m->triangles;
  const size_t real = offsets ? 8 : 4, id = offsets ? 8 : 4;
  out.size = 0;
  say("# vtk DataFile Version %s\na title with POINTS in it\n%s\nDATASET UNSTRUCTURED_GRID\n",
      offsets ? "5.1" : "3.0", binary ? "BINARY" : "ASCII");
  say("FIELD FieldData 1\ntime 1 2 double\n");
  put_real(3, 8), put_real(4, 8);
  say("\nPOINTS %zu %s\n", m->nodes, offsets ? "double" : "float");
  for (size_t i = 0; i < 3 * m->nodes; i++) put_real(m->x[i], real);
  say("\nMETADATA\nINFORMATION 0\n\nCELLS %zu %zu\n", cells + offsets, offsets ? corners : corners + cells);
  if (offsets) {
    say("OFFSETS vtktypeint64\n");
    for (size_t i = 0, at = 0; i <= cells; i++) put_whole((int64_t)at, id), at += i < m->tets ? 4 : 3;
    say("\nCONNECTIVITY vtktypeint64\n");
  }
  for (size_t i = 0; i < cells; i++) {
    const bool tet = i < m->tets;
    if (!offsets) put_whole(tet ? 4 : 3, id);
    for (size_t k = 0; k < (tet ? 4u : 3u); k++)
      put_whole(tet ? m->tet[4 * i + k] : m->triangle[3 * (i - m->tets) + k], id);
  }
  say("\nCELL_TYPES %zu\n", cells);
  for (size_t i = 0; i < cells; i++) put_whole(i < m->tets ? 10 : 5, 4);
  say("\nCELL_DATA %zu\nSCALARS a float\n", cells);
}

static void write_tetgen(const MbElementMesh *m, int first, bool by_nodes) {
  char nodes[220], tets[220];
  snprintf(nodes, sizeof nodes, "%s/mesh.1.node", folder);
  snprintf(tets, sizeof tets, "%s/mesh.1.ele", folder);
  out.size = 0;
  say("# a comment\n%zu 3 1 1 # and one more\n", m->nodes);
  for (size_t i = 0; i < m->nodes; i++)
    say("%zu %.17g %.17g %.17g 0.5 -1\n", i + (size_t)first, m->x[3 * i], m->x[3 * i + 1], m->x[3 * i + 2]);
  write_to(nodes, out.data, out.size);
  out.size = 0;
  say("%zu 4 1\n", m->tets);
  for (size_t i = 0; i < m->tets; i++) {
    say("%zu", i + (size_t)first);
    for (size_t k = 0; k < 4; k++) say(" %u", m->tet[4 * i + k] + (unsigned)first);
    say(" 7\n");
  }
  say("# the end\n");
  write_to(tets, out.data, out.size);
  snprintf(path, sizeof path, "%s", by_nodes ? nodes : tets);
  snprintf(other, sizeof other, "%s", by_nodes ? tets : nodes);
}

// ---- round trips ------------------------------------------------------------------------------------------

// A block of tetrahedra and, as files often have them, two triangles of its surface. Places that floats hold exactly.
static void sample(MbElementMesh *m) {
  static uint32_t surface[] = {0, 1, 3, 0, 3, 2};
  cr_assert(mb_element_mesh_box(m, (const size_t[]){2, 3, 2}, (const double[]){1, 4, 0.25}));
  m->triangles = 2, m->triangle = surface;
}

static void release(MbElementMesh *m) {
  m->triangle = NULL;
  mb_element_mesh_free(m);
}

static void expect_back(const MbElementMesh *m, double scale, const char *what) {
  MbArena arena = {0};
  MbReport report = {0};
  MbElementMesh *back = NULL;
  const MbStatus status = mb_mesh_read_elements(path, scale, "/file", &arena, &back, &report);
  cr_assert_eq(status, MB_OK, "%s: %s", what, report.issues[0].text);
  cr_assert(back->nodes == m->nodes && back->tets == m->tets && back->triangles == m->triangles &&
                back->edges == 0,
            "%s: %zu nodes, %zu tetrahedra, %zu triangles", what, back->nodes, back->tets, back->triangles);
  for (size_t i = 0; i < 3 * m->nodes; i++)
    cr_assert_eq(back->x[i], scale * m->x[i], "%s: coordinate %zu is %g, wanted %g", what, i, back->x[i],
                 scale * m->x[i]);
  if (m->tets) cr_assert_arr_eq(back->tet, m->tet, m->tets * 16, "%s", what);
  if (m->triangles) cr_assert_arr_eq(back->triangle, m->triangle, m->triangles * 12, "%s", what);
  mb_arena_free(&arena);
}

enum { KINDS = 11 };
static const char *const kinds[KINDS] = {"msh 2.2 text",   "msh 2.2 binary", "msh 2.2 binary, big",
                                         "msh 4.1 text",   "msh 4.1 binary", "msh 4.1 binary, big",
                                         "vtk 3.0 text",   "vtk 3.0 binary", "vtk 5.1 text",
                                         "vtk 5.1 binary", "nothing"};

// Into `out`; the ending. NULL: no more of them.
static const char *write_kind(int kind, const MbElementMesh *m) {
  binary = kind < 6 ? kind % 3 > 0 : kind % 2 == 1;
  big = kind < 6 ? kind % 3 == 2 : binary;
  if (kind < 3)
    write_msh2(m);
  else if (kind < 6)
    write_msh4(m);
  else if (kind < 10)
    write_vtk(m, kind >= 8);
  return kind < 6 ? ".msh" : kind < 10 ? ".vtk" : NULL;
}

Test(mesh_elements, every_format_comes_back_as_it_was_written) {
  MbElementMesh m;
  sample(&m);
  for (int kind = 0; kind < KINDS; kind++) {
    const char *ending = write_kind(kind, &m);
    if (!ending) break;
    write_file(ending, out.data, out.size);
    expect_back(&m, 1, kinds[kind]);
    expect_back(&m, 0.5, kinds[kind]);
  }
  release(&m);
}

Test(mesh_elements, the_pair_of_node_and_ele_comes_back_by_either_name) {
  MbElementMesh m;
  sample(&m);
  m.triangles = 0;
  for (int way = 0; way < 4; way++) {
    write_tetgen(&m, way % 2, way / 2);
    expect_back(&m, 2, "tetgen");
    unlink(path), unlink(other);
  }
  release(&m);
}

Test(mesh_elements, an_obj_gives_its_triangles) {
  static const char text[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
  uint32_t triangle[] = {0, 1, 2, 0, 2, 3};
  double x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  const MbElementMesh m = {.nodes = 4, .triangles = 2, .x = x, .triangle = triangle};
  write_file(".obj", text, strlen(text));
  expect_back(&m, 3, "obj");
}

// ---- damage -----------------------------------------------------------------------------------------------

// What comes of a file: an error that is told, or a mesh whose corners are there.
static MbStatus outcome(MbReport *report) {
  MbArena arena = {0};
  MbElementMesh *mesh = NULL;
  *report = (MbReport){0};
  const MbStatus status = mb_mesh_read_elements(path, 1, "/file", &arena, &mesh, report);
  cr_assert((status == MB_OK) == (mesh != NULL) && (status == MB_OK) == (report->errors == 0));
  for (size_t i = 0; mesh && i < 4 * mesh->tets; i++) cr_assert(mesh->tet[i] < mesh->nodes);
  for (size_t i = 0; mesh && i < 3 * mesh->triangles; i++) cr_assert(mesh->triangle[i] < mesh->nodes);
  mb_arena_free(&arena);
  return status;
}

Test(mesh_elements, a_file_that_is_cut_anywhere_is_refused_with_its_name_and_place) {
  static const size_t TAIL =
      60; // what may be missing at the end: words that say that it is one, or data not read
  MbElementMesh m;
  sample(&m);
  for (int kind = 0; kind < KINDS; kind++) {
    const char *ending = write_kind(kind, &m);
    if (!ending) break;
    for (size_t size = 0; size < out.size; size += size < 200 ? 1 : 7) {
      MbReport report;
      write_file(ending, out.data, size);
      const MbStatus status = outcome(&report);
      cr_assert(status == MB_IO || size + TAIL > out.size, "%s cut at %zu of %zu is read", kinds[kind], size,
                out.size);
      if (status != MB_OK) {
        const char *text = report.issues[0].text;
        cr_assert(strstr(text, path) == text && (strstr(text, "line ") || strstr(text, "byte ")), "%s", text);
      }
    }
  }
  release(&m);
}

Test(mesh_elements, flipped_bytes_do_no_harm) {
  MbElementMesh m;
  uint64_t random = 1;
  sample(&m);
  for (int kind = 0; kind < KINDS; kind++) {
    const char *ending = write_kind(kind, &m);
    if (!ending) break;
    for (int trial = 0; trial < 300; trial++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const size_t at = (size_t)(random >> 33) % out.size;
      const char before = out.data[at];
      MbReport report;
      out.data[at] = (char)(random >> 25);
      write_file(ending, out.data, out.size);
      outcome(&report);
      out.data[at] = before;
    }
  }
  release(&m);
}

// Gmsh has the edge (2 3) before (1 3); lines and triangles with nodes in the middles of edges are passed over.
Test(mesh_elements, tetrahedra_of_ten_nodes_have_the_middles_of_their_edges_in_order) {
  static const char text[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 "
                             "0 0 1\n5 0.5 0 0\n6 0.5 0.5 "
                             "0\n7 0 0.5 0\n8 0 0 0.5\n9 0 0.5 0.5\n10 0.5 0 0.5\n$EndNodes\n$Elements\n3\n1 "
                             "8 0 1 2 5\n2 9 0 1 2 3 5 6 7\n3 "
                             "11 0 1 2 3 4 5 6 7 8 9 10\n$EndElements\n";
  MbReport report = {0};
  MbArena arena = {0};
  MbElementMesh *mesh = NULL;
  write_file(".msh", text, strlen(text));
  cr_assert_eq(mb_mesh_read_elements(path, 1, "", &arena, &mesh, &report), MB_OK);
  cr_assert(mesh->tets == 1 && mesh->triangles == 0 && mesh->nodes == 10 && mesh->middle);
  for (size_t e = 0; e < MB_QUADRATIC_EDGES; e++)
    for (size_t k = 0; k < 3; k++) {
      const double *a = mesh->x + 3 * mesh->tet[mb_quadratic_edge[e][0]],
                   *b = mesh->x + 3 * mesh->tet[mb_quadratic_edge[e][1]];
      cr_expect_eq(mesh->x[3 * mesh->middle[e] + k], (a[k] + b[k]) / 2);
    }
  mb_arena_free(&arena);
}

static void expect_refused(const char *ending, const char *text, const char *part) {
  MbReport report;
  write_file(ending, text, strlen(text));
  cr_assert_eq(outcome(&report), MB_IO, "wanted \"%s\"", part);
  cr_assert(strstr(report.issues[0].text, part), "\"%s\" does not say \"%s\"", report.issues[0].text, part);
}

Test(mesh_elements, what_is_wrong_in_a_msh_is_said_with_its_line) {
#define FOUR "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
  expect_refused(".msh", "", "line 1: the file ends before $MeshFormat");
  expect_refused(".msh", "$MeshFormat\n3 0 8\n", "line 2: version 3 of .msh; 2 and 4.1 are read");
  expect_refused(".msh", "$MeshFormat\n2.2 0 4\n", "bytes of a number");
  expect_refused(".msh", HEAD, "the file ends without $Elements");
  expect_refused(".msh", HEAD "$Elements\n1\n", "$Elements before $Nodes");
  expect_refused(".msh", HEAD "$Nodes\n99999999\n1 0 0 0\n",
                 "line 5: the number of nodes: 99999999 do not fit");
  expect_refused(".msh", HEAD "$Nodes\n-1\n", "the number of nodes: found -1");
  expect_refused(".msh", HEAD "$Nodes\n1\n1 0 nan 0\n", "line 6: found \"nan\", wanted a node's coordinate");
  expect_refused(".msh", HEAD "$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n", "two nodes have the number 1");
  expect_refused(".msh", HEAD FOUR "$Elements\n1\n1 4 0 1 2 3 5\n$EndElements\n",
                 "line 13: an element has the node 5, which is not there");
  expect_refused(".msh", HEAD FOUR "$Elements\n1\n1 29 0 1 2 3 4\n$EndElements\n",
                 "Gmsh's type 29 are not read");
  expect_refused(".msh", HEAD FOUR "$Elements\n1\n1 11 0 1 2 3 4\n$EndElements\n",
                 "wanted the number of an element's node");
  expect_refused(".msh", HEAD FOUR "$Elements\n2\n1 4 0 1 2 3 4\n2 11 0 1 2 3 4 1 2 3 1 2 3\n$EndElements\n",
                 "tetrahedra of first and of second order");
  expect_refused(".msh", HEAD FOUR "$Elements\n1\n1 9 0 1 2 3 4 1 2\n$EndElements\n",
                 "triangles of second order without tetrahedra");
  expect_refused(".msh", HEAD FOUR "$Elements\n1\n1 15 0 1\n$EndElements\n",
                 "neither tetrahedra nor triangles");
  expect_refused(".msh", HEAD FOUR "$Comments\nnothing\n", "the file ends before $EndComments");
  expect_refused(".msh", HEAD "Nodes\n", "found \"Nodes\", wanted a section");
}

Test(mesh_elements, what_is_wrong_in_a_vtk_is_said_with_its_line) {
#define START "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define THREE "POINTS 3 float\n0 0 0 1 0 0 0 1 0\n"
  expect_refused(".vtk", "<VTKFile>", "legacy .vtk files are read");
  expect_refused(".vtk", "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET POLYDATA\n",
                 "wanted UNSTRUCTURED_GRID");
  expect_refused(".vtk", START "CELLS 0 0\n", "POINTS are missing");
  expect_refused(".vtk", START THREE "CELLS 1 4\n3 0 1 2\n", "CELL_TYPES are missing");
  expect_refused(".vtk", START THREE "CELLS 1 4\n3 0 1 3\nCELL_TYPES 1\n5\n", "line 8: there is no point 3");
  expect_refused(".vtk", START THREE "CELLS 1 4\n4 0 1 2\nCELL_TYPES 1\n5\n", "a triangle with 4 corners");
  expect_refused(".vtk", START THREE "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n12\n", "VTK's type 12 are not read");
  expect_refused(".vtk", START THREE "CELLS 1 4\n3 0 1 2\nCELL_TYPES 2\n5 5\n", "1 cells and 2 types");
  expect_refused(".vtk", START "POINTS 3 int\n0 0 0 1 0 0 0 1 0\n", "wanted float or double");
  expect_refused(".vtk", START "POINTS 1000 float\n0 0 0\n", "1000 do not fit");
}

static void expect_pair_refused(const char *nodes, const char *tets, const char *part) {
  snprintf(other, sizeof other, "%s/mesh.ele", folder);
  write_to(other, tets, strlen(tets));
  expect_refused(".node", nodes, part);
}

Test(mesh_elements, what_is_wrong_in_node_and_ele_is_said_with_file_and_line) {
#define NODES "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
  MbReport report;
  write_file(".node", NODES, strlen(NODES));
  cr_assert_eq(outcome(&report), MB_IO);
  cr_assert(strstr(report.issues[0].text, "cannot open mesh file") &&
                strstr(report.issues[0].text, "mesh.ele"),
            "%s", report.issues[0].text);
  expect_pair_refused("2 2 0 0\n1 0.0 0.0\n2 1.0 1.0\n", "", "mesh.node, line 1: vertices in 2 dimensions");
  expect_pair_refused("1 3 0 0\n2 0 0 0\n", "", "found vertex 2, wanted 0");
  expect_pair_refused("2 3 0 0\n0 0 0 0\n2 0 0 0\n", "", "line 3: found vertex 2, wanted 1");
  expect_pair_refused(NODES, "1 10 0\n", "mesh.ele, line 1: tetrahedra with 10 corners");
  expect_pair_refused(NODES, "1 4 0\n1 1 2 3 5\n",
                      "mesh.ele, line 2: there is no vertex 5: they go from 1 to 4");
  expect_pair_refused(NODES, "1 4 0\n1 1 2 3 x\n", "found \"x\", wanted a tetrahedron's corner");
  expect_pair_refused(NODES, "2 4 0\n1 1 2 3 4\n", "the number of tetrahedra: 2 do not fit");
}

Test(mesh_elements, nothing_of_a_file_that_is_no_mesh_is_quoted) {
  static const char *const endings[] = {".msh", ".vtk", ".node", ".obj"};
  static const char text[] = "hunter2:x:0:0:root:/root:/bin/sh\n";
  for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
    MbReport report;
    write_file(endings[k], text, sizeof text - 1);
    cr_assert_neq(outcome(&report), MB_OK);
    cr_assert(!strstr(report.issues[0].text, "hunter2"), "%s", report.issues[0].text);
  }
}

Test(mesh_elements, memory_that_runs_out_anywhere_is_an_error) {
  MbElementMesh m;
  sample(&m);
  for (int kind = 0; kind < KINDS; kind++) {
    const char *ending = write_kind(kind, &m);
    if (!ending) break;
    write_file(ending, out.data, out.size);
    MbStatus status = MB_IO;
    int calls = 0;
    for (; status != MB_OK && calls < 100; calls++) {
      MbReport report;
      mb_alloc_fail_after(calls);
      status = outcome(&report);
      mb_alloc_fail_after(-1);
      cr_assert(status == MB_OK || status == MB_IO);
    }
    cr_assert(calls > 4 && calls < 100, "%s: %d calls", kinds[kind], calls);
  }
  release(&m);
}
