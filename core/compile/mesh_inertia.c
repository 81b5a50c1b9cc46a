// Mass properties of a closed triangle mesh: is it closed and turned outwards, and its volume integrals.
//
// With o any point, a, b, c a triangle's corners as seen from o, and D = a·(b × c):
//   ∫ 1 = Σ D/6,   ∫ x = Σ D/24 s,   ∫ x xᵀ = Σ D/120 (a aᵀ + b bᵀ + c cᵀ + s sᵀ),   s = a + b + c
// (each triangle with o spans a tetrahedron with a sign; outside the mesh they cancel). To keep the digits, o
// is the middle of the mesh, lengths are in units of its size, and the sums carry their rounding errors
// along.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/compile/inertia.h"
#include "core/compile/mesh_weld.h"
#include "core/math/mat3.h"

#include <float.h>
#include <inttypes.h>
#include <stdlib.h>

// ---- sizes and indices ----

// The middle of the mesh and a power of two near its size.
typedef struct Unit {
  double middle[3], length;
  int exponent;
} Unit;

static MbStatus check_vertices(const MbMesh *mesh, const char *where, Unit *unit, MbReport *report) {
  if (mesh->nv < 4 || mesh->nt < 4)
    return mb_error(report, MB_SCENE, where,
                    "the mesh has %zu vertices and %zu triangles; a closed one has at least 4 of each",
                    mesh->nv, mesh->nt);
  if (mesh->nv > INT32_MAX || mesh->nt > INT32_MAX)
    return mb_error(report, MB_SCENE, where, "the mesh has more than %d vertices or triangles", INT32_MAX);
  double low[3], high[3], half = 0;
  mb_vec3_copy(low, mesh->vertex);
  mb_vec3_copy(high, mesh->vertex);
  for (size_t i = 0; i < mesh->nv; i++)
    for (size_t k = 0; k < 3; k++) {
      const double x = mesh->vertex[3 * i + k];
      if (!isfinite(x))
        return mb_error(report, MB_SCENE, where, "vertex %zu of the mesh is not finite: %c is %g", i + 1,
                        "xyz"[k], x);
      if (x < low[k]) low[k] = x;
      if (x > high[k]) high[k] = x;
    }
  for (size_t k = 0; k < 3; k++) {
    unit->middle[k] = low[k] / 2 + high[k] / 2;
    half = fmax(half, high[k] / 2 - low[k] / 2);
  }
  if (!(half > 0)) return mb_error(report, MB_SCENE, where, "all vertices of the mesh are at the same place");
  frexp(half, &unit->exponent);
  if (abs(unit->exponent) > 300)
    return mb_error(report, MB_SCENE, where, "the mesh is too %s: it is about %g across",
                    unit->exponent < 0 ? "small" : "large", 2 * half);
  unit->length = ldexp(1, unit->exponent);
  return MB_OK;
}

static MbStatus check_indices(const MbMesh *mesh, const char *where, MbReport *report) {
  for (size_t t = 0; t < mesh->nt; t++) {
    const int32_t *v = mesh->triangle + 3 * t;
    for (int k = 0; k < 3; k++) {
      if (v[k] < 0 || (size_t)v[k] >= mesh->nv)
        return mb_error(report, MB_SCENE, where,
                        "triangle %zu of the mesh has vertex %" PRId64 ", but there are %zu", t + 1,
                        (int64_t)v[k] + 1, mesh->nv);
      if (v[k] == v[(k + 1) % 3])
        return mb_error(report, MB_SCENE, where, "triangle %zu of the mesh has vertex %" PRId64 " twice",
                        t + 1, (int64_t)v[k] + 1);
    }
  }
  return MB_OK;
}

// ---- edges ----

// An edge as one number: lower vertex, higher vertex, and whether it is run from the higher to the lower one.
static uint64_t edge_key(int32_t from, int32_t to) {
  const uint64_t low = (uint64_t)(from < to ? from : to), high = (uint64_t)(from < to ? to : from);
  return low << 32 | high << 1 | (from > to);
}

static int compare_keys(const void *a, const void *b) {
  const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
  return p < q ? -1 : p > q;
}

// The sorted edges of all triangles that have three corners; those with coincident ones are their own two
// edges.
static size_t collect_edges(const MbMesh *mesh, const int32_t *first, uint64_t *key) {
  size_t n = 0;
  for (size_t t = 0; t < mesh->nt; t++) {
    const int32_t *v = mesh->triangle + 3 * t;
    const int32_t a = first[v[0]], b = first[v[1]], c = first[v[2]];
    if (a == b || b == c || c == a) continue;
    key[n++] = edge_key(a, b), key[n++] = edge_key(b, c), key[n++] = edge_key(c, a);
  }
  qsort(key, n, sizeof *key, compare_keys);
  return n;
}

// Every edge must have two triangles that run it in opposite directions.
static MbStatus judge_edges(const uint64_t *key, size_t n, const char *where, MbReport *report) {
  size_t open = 0, same = 0, open_triangles = 0;
  uint64_t open_edge = 0, same_edge = 0;
  for (size_t i = 0, j; i < n; i = j) {
    for (j = i + 1; j < n && key[j] >> 1 == key[i] >> 1;) j++;
    if (j - i != 2) {
      if (!open++) open_edge = key[i], open_triangles = j - i;
    } else if (key[i] == key[i + 1]) {
      if (!same++) same_edge = key[i];
    }
  }
  const uint64_t mask = INT32_MAX;
  if (open)
    return mb_error(
        report, MB_SCENE, where,
        "the mesh is not closed: %zu of its edges %s not exactly two triangles; that between vertices "
        "%" PRIu64 " and %" PRIu64 " has %zu",
        open, open == 1 ? "has" : "have", (open_edge >> 32) + 1, (open_edge >> 1 & mask) + 1, open_triangles);
  if (same)
    return mb_error(
        report, MB_SCENE, where,
        "the triangles of the mesh are not oriented alike: at %zu %s, such as that between vertices "
        "%" PRIu64 " and %" PRIu64 ", both triangles run in the same direction; one of them must list its "
        "corners in the other order",
        same, same == 1 ? "edge" : "edges", (same_edge >> 32) + 1, (same_edge >> 1 & mask) + 1);
  return MB_OK;
}

static MbStatus check_edges(const MbMesh *mesh, const char *where, MbReport *report) {
  int32_t *first = mb_calloc(mesh->nv, sizeof *first);
  uint64_t *key = mb_calloc(mesh->nt, 3 * sizeof *key);
  MbStatus status = first && key ? MB_OK : mb_no_memory(report, "the edges of a mesh");
  if (!status) status = mb_mesh_weld(mesh->vertex, mesh->nv, first, report);
  if (!status) {
    const size_t n = collect_edges(mesh, first, key);
    status = judge_edges(key, n, where, report);
  }
  mb_free(first);
  mb_free(key);
  return status;
}

// ---- integrals ----

// A sum and what rounding took from it (Neumaier).
typedef struct Sum {
  double sum, rest;
} Sum;

static void sum_add(Sum *s, double x) {
  const double t = s->sum + x;
  s->rest += fabs(s->sum) >= fabs(x) ? s->sum - t + x : x - t + s->sum;
  s->sum = t;
}

static double sum_value(const Sum *s) { return s->sum + s->rest; }

typedef struct Integrals {
  Sum one, x[3], xx[6]; // xx yy zz xy xz yz
  Sum reach;            // of |a||b||c|: what the rounding of `one` is measured by
} Integrals;

static void add_triangle(Integrals *s, const double *a, const double *b, const double *c) {
  double n[3];
  mb_vec3_cross(n, b, c);
  const double D = mb_vec3_dot(a, n);
  sum_add(&s->one, D);
  sum_add(&s->reach, mb_vec3_norm(a) * mb_vec3_norm(b) * mb_vec3_norm(c));
  double m[3];
  for (int i = 0; i < 3; i++) {
    m[i] = a[i] + b[i] + c[i];
    sum_add(&s->x[i], D * m[i]);
  }
  for (int k = 0; k < 6; k++) {
    const int i = k < 3 ? k : (k - 3) / 2, j = k < 3 ? k : k / 2;
    sum_add(&s->xx[k], D * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + m[i] * m[j]));
  }
}

static void integrate(const MbMesh *mesh, const Unit *unit, Integrals *s) {
  for (size_t t = 0; t < mesh->nt; t++) {
    double x[3][3];
    for (size_t k = 0; k < 3; k++) {
      mb_vec3_sub(x[k], mesh->vertex + 3 * mesh->triangle[3 * t + k], unit->middle);
      mb_vec3_scale(x[k], 1 / unit->length, x[k]);
    }
    add_triangle(s, x[0], x[1], x[2]);
  }
}

// Mass, centre and inertia from the integrals, still in the mesh's unit and seen from its middle.
static void unit_properties(const Integrals *s, MbMassProperties *p) {
  static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  p->mass = sum_value(&s->one) / 6;
  for (int i = 0; i < 3; i++) p->center[i] = sum_value(&s->x[i]) / 24 / p->mass;
  double C[9];
  for (int i = 0; i < 9; i++)
    C[i] = sum_value(&s->xx[at[i]]) / 120 - p->mass * p->center[i / 3] * p->center[i % 3];
  for (int i = 0; i < 9; i++) p->inertia[i] = 0 - C[i];
  p->inertia[0] = C[4] + C[8], p->inertia[4] = C[0] + C[8], p->inertia[8] = C[0] + C[4];
}

// What a volume and an inertia must be for the mesh to bound a body.
static MbStatus judge_volume(const Integrals *s, const char *where, MbReport *report) {
  const double volume = sum_value(&s->one), noise = 16 * DBL_EPSILON * sum_value(&s->reach);
  if (!(fabs(volume) > noise))
    return mb_error(report, MB_SCENE, where, "the mesh is flat: it is closed but encloses no volume");
  if (volume < 0)
    return mb_error(
        report, MB_SCENE, where,
        "the mesh is inside out: its volume is negative; list the corners of every triangle in the other "
        "order, so that they run counter-clockwise as seen from outside");
  return MB_OK;
}

MbStatus mb_mesh_mass(const MbMesh *mesh, const char *where, MbMassProperties *out, MbReport *report) {
  *out = (MbMassProperties){0};
  Unit unit;
  MbStatus status = check_vertices(mesh, where, &unit, report);
  if (!status) status = check_indices(mesh, where, report);
  if (!status) status = check_edges(mesh, where, report);
  if (status) return status;

  Integrals s = {0};
  MbMassProperties p = {0};
  integrate(mesh, &unit, &s);
  status = judge_volume(&s, where, report);
  if (status) return status;
  unit_properties(&s, &p);

  double R[9], moments[3];
  mb_principal_axes(p.inertia, R, moments);
  if (!mb_inertia_plausible(moments))
    return mb_error(
        report, MB_SCENE, where,
        "the mesh crosses itself: parts of it count as negative volume, and no body has the principal "
        "moments that come out, in the ratio of %g to %g to %g",
        moments[0], moments[1], moments[2]);

  // back to metres
  p.mass = ldexp(p.mass, 3 * unit.exponent);
  for (int i = 0; i < 9; i++) p.inertia[i] = ldexp(p.inertia[i], 5 * unit.exponent);
  for (int i = 0; i < 3; i++) p.center[i] = unit.middle[i] + unit.length * p.center[i];
  for (int i = 0; i < 3; i++) moments[i] = ldexp(moments[i], 5 * unit.exponent);
  for (int i = 0; i < 3; i++)
    if (!(p.mass > DBL_MIN && isfinite(p.mass) && moments[i] > DBL_MIN && isfinite(moments[i])))
      return mb_error(
          report, MB_SCENE, where,
          "the mesh is too small, too large or too thin: it is about %g across, its volume is %g, its "
          "principal moments are %g %g %g",
          2 * unit.length, p.mass, moments[0], moments[1], moments[2]);
  *out = p;
  return MB_OK;
}
