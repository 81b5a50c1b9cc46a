#include "core/build/mesh_weld.h"
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
