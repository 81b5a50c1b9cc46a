// Gmsh's .msh, versions 2 and 4.1, as text or binary: sections $Name ... $EndName, of which $Nodes and $Elements are read.
// Nodes go by tags, in any order and with gaps. Of the elements triangles of first order and tetrahedra of first or second order are kept;
// points and lines are left out, and triangles of second order too, which are the tetrahedra's surface.
#include "core/base/alloc.h"
#include "io/mesh/mesh_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Gmsh's numbers of kinds of elements; those with nodes in the middles of edges
enum { POINT = 15, LINE = 1, TRIANGLE = 2, TET = 4, LINE_3 = 8, TRIANGLE_6 = 9, TET_10 = 11 };
enum { MOST_CORNERS = 10 };

typedef struct Kind {
  int64_t number;
  size_t nodes;
} Kind;
static const Kind kinds[] = {{POINT, 1},  {LINE, 2},       {TRIANGLE, 3}, {TET, 4},
                             {LINE_3, 3}, {TRIANGLE_6, 6}, {TET_10, 10}};

typedef struct Tagged {
  int64_t tag;
  int32_t index;
} Tagged;

typedef struct Msh {
  MbMeshFile *file;
  MbMeshValues v;
  bool four;     // version 4.1
  Tagged *nodes; // (file->nv) ascending tags
  size_t room;
  bool elements; // have been read
  bool bent;     // there are triangles of second order
} Msh;

// ---- sections ---------------------------------------------------------------------------------------------

static MbStatus expect(Msh *m, const char *wanted) {
  const MbToken word = mb_scan_word(&m->v.scanner);
  if (mb_token_is(&word, wanted)) return MB_OK;
  if (!word.text) return mb_values_error(&m->v, "the file ends before %s", wanted);
  char found[MB_FOUND];
  return mb_values_error(&m->v, "found %s, wanted %s", mb_mesh_found(m->file, &word, found), wanted);
}

static MbStatus read_format(Msh *m) {
  double version = 0;
  int64_t kind = 0, size = 0, one = 0;
  MbStatus status = expect(m, "$MeshFormat");
  m->file->known = !status;
  if (!status) status = mb_values_real(&m->v, 8, "a version", &version);
  if (!status && !(version >= 2 && version < 3) && version != 4.1)
    return mb_values_error(&m->v, "version %g of .msh; 2 and 4.1 are read", version);
  m->four = version > 3;
  if (!status) status = mb_values_integer(&m->v, 4, "0 (text) or 1 (binary)", &kind);
  if (!status) status = mb_values_integer(&m->v, 4, "the size of a number", &size);
  if (!status && (kind < 0 || kind > 1 || size != 8))
    return mb_values_error(&m->v,
                           "found \"%lld %lld\", wanted 0 (text) or 1 (binary), and 8 (bytes of a number)",
                           (long long)kind, (long long)size);
  if (!status && kind == 1) {
    mb_scan_line_end(&m->v.scanner);
    m->v.binary = true;
    status = mb_values_integer(&m->v, 4, "the number 1 in binary", &one);
    m->v.big = one == 1 << 24;
    if (!status && one != 1 && one != 1 << 24)
      return mb_values_error(&m->v, "the number 1 in binary is missing behind the format");
  }
  return status ? status : expect(m, "$EndMeshFormat");
}

// To behind the end of a section that is not read.
static MbStatus skip_section(Msh *m, const MbToken *name) {
  char wanted[64];
  char found[MB_FOUND];
  if (name->text[0] != '$' || name->length > 50)
    return mb_values_error(&m->v, "found %s, wanted a section such as $Nodes",
                           mb_mesh_found(m->file, name, found));
  const int n = snprintf(wanted, sizeof wanted, "$End%.*s", name->length - 1, name->text + 1);
  MbScanner *s = &m->v.scanner;
  const char *end = memmem(s->at, (size_t)(s->end - s->at), wanted, (size_t)n);
  if (!end) return mb_values_error(&m->v, "the file ends before %s", wanted);
  for (const char *c = s->at; c < end && !m->v.binary; c++) s->line += *c == '\n';
  s->at = end + n;
  return MB_OK;
}

// ---- nodes ------------------------------------------------------------------------------------------------

static MbStatus add_node(Msh *m, int64_t tag, const double x[3]) {
  if (m->file->nv >= m->room) {
    const size_t room = m->room < 256 ? 256 : m->room + m->room / 2;
    Tagged *nodes = mb_realloc(m->nodes, room, sizeof *nodes);
    if (!nodes) return mb_no_memory(m->file->report, "a mesh");
    m->nodes = nodes, m->room = room;
  }
  m->nodes[m->file->nv] = (Tagged){tag, (int32_t)m->file->nv};
  return mb_mesh_add_vertex(m->file, x);
}

static MbStatus read_place(Msh *m, double x[3]) {
  MbStatus status = MB_OK;
  for (int k = 0; k < 3 && !status; k++) status = mb_values_real(&m->v, 8, "a node's coordinate", &x[k]);
  return status;
}

static MbStatus read_nodes_2(Msh *m) {
  size_t count = 0;
  MbStatus status = mb_values_count_word(&m->v, "the number of nodes", m->v.binary ? 28 : 4, &count);
  if (m->v.binary) mb_scan_line_end(&m->v.scanner);
  for (size_t i = 0; i < count && !status; i++) {
    int64_t tag = 0;
    double x[3];
    status = mb_values_integer(&m->v, 4, "a node's number", &tag);
    if (!status) status = read_place(m, x);
    if (!status) status = add_node(m, tag, x);
  }
  return status;
}

// All tags of a block, then all places: these are read along with them by a second reader.
static MbStatus read_block_of_nodes(Msh *m) {
  int64_t dimension = 0, entity = 0, parametric = 0;
  size_t count = 0;
  MbStatus status = mb_values_integer(&m->v, 4, "a dimension", &dimension);
  if (!status) status = mb_values_integer(&m->v, 4, "the tag of an entity", &entity);
  if (!status) status = mb_values_integer(&m->v, 4, "0 or 1", &parametric);
  if (!status && (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1))
    return mb_values_error(&m->v, "found dimension %lld and parametric %lld, wanted 0 to 3 and 0 or 1",
                           (long long)dimension, (long long)parametric);
  if (!status)
    status = mb_values_count(&m->v, 8, "the number of nodes of a block", m->v.binary ? 32 : 4, &count);
  MbMeshValues tags = m->v;
  if (!status) status = mb_values_skip(&m->v, count, 8, "the nodes' numbers");
  for (size_t i = 0; i < count && !status; i++) {
    int64_t tag = 0;
    double x[3];
    status = mb_values_integer(&tags, 8, "a node's number", &tag);
    if (!status) status = read_place(m, x);
    if (!status && parametric) status = mb_values_skip(&m->v, (size_t)dimension, 8, "parametric coordinates");
    if (!status) status = add_node(m, tag, x);
  }
  return status;
}

// Numbers of blocks and of things, least and greatest tag
static MbStatus read_section_head(Msh *m, size_t *blocks, size_t each) {
  int64_t ignored = 0;
  if (m->v.binary) mb_scan_line_end(&m->v.scanner);
  MbStatus status = mb_values_count(&m->v, 8, "the number of blocks", each, blocks);
  for (int k = 0; k < 3 && !status; k++) status = mb_values_integer(&m->v, 8, "a number", &ignored);
  return status;
}

static MbStatus read_nodes_4(Msh *m) {
  size_t blocks = 0;
  MbStatus status = read_section_head(m, &blocks, m->v.binary ? 20 : 4);
  for (size_t i = 0; i < blocks && !status; i++) status = read_block_of_nodes(m);
  return status;
}

static int by_tag(const void *a, const void *b) {
  const Tagged *x = a, *y = b;
  return (x->tag > y->tag) - (x->tag < y->tag);
}

static MbStatus read_nodes(Msh *m) {
  if (m->file->nv) return mb_values_error(&m->v, "$Nodes for the second time");
  MbStatus status = m->four ? read_nodes_4(m) : read_nodes_2(m);
  if (!status) status = expect(m, "$EndNodes");
  if (status) return status;
  const size_t n = m->file->nv;
  bool sorted = true;
  for (size_t i = 1; i < n; i++) sorted &= m->nodes[i - 1].tag < m->nodes[i].tag;
  if (!sorted) qsort(m->nodes, n, sizeof *m->nodes, by_tag);
  for (size_t i = 1; i < n; i++)
    if (m->nodes[i - 1].tag == m->nodes[i].tag)
      return mb_values_error(&m->v, "two nodes have the number %lld", (long long)m->nodes[i].tag);
  return MB_OK;
}

static bool find_node(const Msh *m, int64_t tag, int32_t *index) {
  const size_t n = m->file->nv;
  if (!n) return false;
  // most files number their nodes one by one
  const uint64_t guess = (uint64_t)tag - (uint64_t)m->nodes[0].tag;
  const Tagged *found = guess < n && m->nodes[guess].tag == tag
                            ? &m->nodes[guess]
                            : bsearch(&(Tagged){.tag = tag}, m->nodes, n, sizeof *m->nodes, by_tag);
  if (found) *index = found->index;
  return found != NULL;
}

// ---- elements ---------------------------------------------------------------------------------------------

static MbStatus count_corners(const Msh *m, int64_t kind, size_t *corners) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (kinds[i].number == kind) {
      *corners = kinds[i].nodes;
      return MB_OK;
    }
  return mb_values_error(
      &m->v,
      "elements of Gmsh's type %lld are not read: triangles (2) of first order and tetrahedra of "
      "first (4) and second (11) are",
      (long long)kind);
}

static MbStatus add_tet(Msh *m, int64_t kind, int32_t node[MOST_CORNERS]) {
  if (m->file->ntets && (m->file->middle != NULL) != (kind == TET_10))
    return mb_values_error(&m->v, "tetrahedra of first and of second order: all of one order are wanted");
  if (kind == TET) return mb_mesh_add_tet(m->file, node);
  const int32_t last = node[9]; // Gmsh has the edge (2 3) before (1 3)
  node[9] = node[8], node[8] = last;
  return mb_mesh_add_quadratic(m->file, node);
}

static MbStatus read_corners(Msh *m, int64_t kind, size_t corners, size_t bytes) {
  int32_t corner[MOST_CORNERS] = {0};
  for (size_t k = 0; k < corners; k++) {
    int64_t tag = 0;
    const MbStatus status = mb_values_integer(&m->v, bytes, "the number of an element's node", &tag);
    if (status) return status;
    if (!find_node(m, tag, &corner[k]))
      return mb_values_error(&m->v, "an element has the node %lld, which is not there", (long long)tag);
  }
  if (kind == TRIANGLE) return mb_mesh_add_triangle(m->file, corner[0], corner[1], corner[2]);
  m->bent |= kind == TRIANGLE_6;
  return kind == TET || kind == TET_10 ? add_tet(m, kind, corner) : MB_OK;
}

// As text one by one; binary in runs of one kind: kind, how many, how many tags each.
static MbStatus read_elements_2(Msh *m) {
  size_t count = 0, tags = 0;
  MbStatus status = mb_values_count_word(&m->v, "the number of elements", m->v.binary ? 8 : 4, &count);
  if (m->v.binary) mb_scan_line_end(&m->v.scanner);
  for (size_t i = 0; i < count && !status;) {
    int64_t number = 0, kind = 0;
    size_t run = 1, corners = 0;
    if (!m->v.binary) status = mb_values_integer(&m->v, 4, "an element's number", &number);
    if (!status) status = mb_values_integer(&m->v, 4, "a type of elements", &kind);
    if (!status) status = count_corners(m, kind, &corners);
    if (!status && m->v.binary) status = mb_values_count(&m->v, 4, "how many elements follow", 8, &run);
    if (!status) status = mb_values_count(&m->v, 4, "how many tags an element has", 1, &tags);
    if (!status && (run == 0 || run > count - i))
      return mb_values_error(&m->v, "a run of %zu elements, where 1 to %zu are left", run, count - i);
    i += run;
    for (; run && !status; run--) {
      if (m->v.binary) status = mb_values_integer(&m->v, 4, "an element's number", &number);
      if (!status) status = mb_values_skip(&m->v, tags, 4, "an element's tags");
      if (!status) status = read_corners(m, kind, corners, 4);
    }
  }
  return status;
}

static MbStatus read_elements_4(Msh *m) {
  size_t blocks = 0;
  MbStatus status = read_section_head(m, &blocks, m->v.binary ? 20 : 4);
  for (size_t i = 0; i < blocks && !status; i++) {
    int64_t ignored = 0, kind = 0;
    size_t count = 0, corners = 0;
    status = mb_values_integer(&m->v, 4, "a dimension", &ignored);
    if (!status) status = mb_values_integer(&m->v, 4, "the tag of an entity", &ignored);
    if (!status) status = mb_values_integer(&m->v, 4, "a type of elements", &kind);
    if (!status) status = count_corners(m, kind, &corners);
    if (!status)
      status = mb_values_count(&m->v, 8, "the number of elements of a block",
                               (corners + 1) * (m->v.binary ? 8 : 1), &count);
    for (size_t e = 0; e < count && !status; e++) {
      status = mb_values_integer(&m->v, 8, "an element's number", &ignored);
      if (!status) status = read_corners(m, kind, corners, 8);
    }
  }
  return status;
}

static MbStatus read_elements(Msh *m) {
  if (m->elements) return mb_values_error(&m->v, "$Elements for the second time");
  m->elements = true;
  if (!m->file->nv) return mb_values_error(&m->v, "$Elements before $Nodes");
  const MbStatus status = m->four ? read_elements_4(m) : read_elements_2(m);
  if (!status && m->bent && !m->file->ntets)
    return mb_values_error(&m->v,
                           "triangles of second order without tetrahedra: those of first order are read");
  return status ? status : expect(m, "$EndElements");
}

MbStatus mb_read_msh(MbMeshFile *file) {
  Msh m = {.file = file};
  mb_values_start(&m.v, file);
  MbStatus status = read_format(&m);
  while (!status) {
    const MbToken word = mb_scan_word(&m.v.scanner);
    if (!word.text) break;
    status = mb_token_is(&word, "$Nodes")      ? read_nodes(&m)
             : mb_token_is(&word, "$Elements") ? read_elements(&m)
                                               : skip_section(&m, &word);
  }
  if (!status && !m.elements) status = mb_values_error(&m.v, "the file ends without $Elements");
  mb_free(m.nodes);
  return status;
}
