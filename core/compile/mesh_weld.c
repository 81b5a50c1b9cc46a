#include "core/compile/mesh_weld.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <stdlib.h>

typedef struct Corner {
  double x[3];
  int32_t index;
} Corner;

// By position; -0 and 0 are the same place.
static int compare_places(const Corner *p, const Corner *q) {
  for (int k = 0; k < 3; k++)
    if (p->x[k] != q->x[k]) return p->x[k] < q->x[k] ? -1 : 1;
  return 0;
}

static int compare_corners(const void *a, const void *b) {
  const Corner *p = a, *q = b;
  const int place = compare_places(p, q);
  return place ? place : p->index < q->index ? -1 : p->index > q->index;
}

MbStatus mb_mesh_weld(const double *vertex, size_t nv, int32_t *first, MbReport *report) {
  Corner *corner = mb_calloc(nv, sizeof *corner);
  if (!corner) return mb_no_memory(report, "the vertices of a mesh");
  for (size_t i = 0; i < nv; i++) {
    for (size_t k = 0; k < 3; k++) corner[i].x[k] = vertex[3 * i + k];
    corner[i].index = (int32_t)i;
  }
  qsort(corner, nv, sizeof *corner, compare_corners);
  for (size_t i = 0; i < nv; i++) {
    const bool same = i > 0 && compare_places(&corner[i], &corner[i - 1]) == 0;
    first[corner[i].index] = same ? first[corner[i - 1].index] : corner[i].index;
  }
  mb_free(corner);
  return MB_OK;
}

MbStatus mb_mesh_merge(MbMesh *mesh, MbReport *report) {
  int32_t *first = mb_calloc(mesh->nv, sizeof *first);
  if (!first) return mb_no_memory(report, "a mesh");
  const MbStatus status = mb_mesh_weld(mesh->vertex, mesh->nv, first, report);
  if (status) {
    mb_free(first);
    return status;
  }

  // new numbers; that of a lower vertex is already there
  size_t nv = 0, nt = 0;
  for (size_t i = 0; i < mesh->nv; i++) {
    if ((size_t)first[i] < i) {
      first[i] = first[first[i]];
      continue;
    }
    for (size_t k = 0; k < 3; k++) mesh->vertex[3 * nv + k] = mesh->vertex[3 * i + k];
    first[i] = (int32_t)nv++;
  }
  for (size_t t = 0; t < mesh->nt; t++) {
    const int32_t *v = mesh->triangle + 3 * t;
    const int32_t a = first[v[0]], b = first[v[1]], c = first[v[2]];
    if (a == b || b == c || c == a) continue;
    int32_t *corner = mesh->triangle + 3 * nt++;
    corner[0] = a, corner[1] = b, corner[2] = c;
  }
  mesh->nv = nv, mesh->nt = nt;
  mb_free(first);
  return MB_OK;
}
