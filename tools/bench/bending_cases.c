// Strips and sheets that bend, as linear problems and as drapes, on three kinds of meshes.
#include "tools/bench/bending_cases.h"
#include "core/base/alloc.h"
#include "core/math/vec3.h"
#include "core/solvers/projective/assembly.h"
#include "core/solvers/projective/projective.h"

#include <math.h>
#include <string.h>

const char *const mb_sheet_names[MB_SHEET_KINDS] = {"diagonal", "cross", "irregular"};

// ---- meshes -----------------------------------------------------------------------------------------------

static double next_random(uint64_t *seed) { // in [−1, 1]
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static bool on_line(size_t i, size_t n) { return i == 0 || i == n || 3 * i == n || 3 * i == 2 * n; }

// Moves corners by up to a quarter of a cell, and turns every other diagonal or so, where the cell stays convex: it does.
static void disturb(size_t nx, size_t ny, double a, double b, MbElementMesh *mesh) {
  uint64_t seed = 7;
  for (size_t j = 0; j <= ny; j++)
    for (size_t i = 0; i <= nx; i++) {
      double *x = mesh->x + 3 * ((nx + 1) * j + i);
      const double dx = next_random(&seed), dy = next_random(&seed);
      if (!on_line(i, nx) && i > 1) x[0] += 0.25 * dx * a / (double)nx;
      if (!on_line(j, ny)) x[1] += 0.25 * dy * b / (double)ny;
    }
  for (size_t t = 0; t + 1 < mesh->triangles; t += 2) { // two of a cell
    const size_t cell = t / 2, p = (nx + 1) * (cell / nx) + cell % nx;
    const uint32_t c[4] = {(uint32_t)p, (uint32_t)(p + 1), (uint32_t)(p + nx + 2), (uint32_t)(p + nx + 1)};
    const bool turned = next_random(&seed) > 0;
    const uint32_t two[2][6] = {{c[0], c[1], c[2], c[0], c[2], c[3]}, {c[0], c[1], c[3], c[1], c[2], c[3]}};
    memcpy(mesh->triangle + 3 * t, two[turned], sizeof two[0]);
  }
}

bool mb_sheet_make(MbSheetKind kind, size_t nx, size_t ny, double a, double b, MbElementMesh *mesh) {
  if (!mb_element_mesh_grid(mesh, nx + 1, ny + 1, a, b, kind == MB_SHEET_CROSS)) return false;
  for (size_t k = 0; k < 2; k++) { // from the origin on
    double least = INFINITY;
    for (size_t i = 0; i < mesh->nodes; i++) least = fmin(least, mesh->x[3 * i + k]);
    for (size_t i = 0; i < mesh->nodes; i++) mesh->x[3 * i + k] -= least;
  }
  if (kind == MB_SHEET_IRREGULAR) disturb(nx, ny, a, b, mesh);
  return true;
}

// ---- strips, as linear problems -----------------------------------------------------------------------------

// Heights z of a strip's nodes: Q z = f.
typedef struct Strip {
  MbElementMesh mesh;
  MbBending bending;
  double length;
  MbCholesky *factor;
  double *load, *z; // (nodes)
  bool *held;       // (nodes)
  MbPattern pattern;
  double *value;
} Strip;

static void strip_free(Strip *strip) {
  mb_element_mesh_free(&strip->mesh);
  mb_bending_free(&strip->bending);
  mb_cholesky_free(strip->factor);
  mb_free(strip->load), mb_free(strip->z), mb_free(strip->held), mb_free(strip->value);
  mb_pattern_free(&strip->pattern);
}

// Q, with rows of 1 where nodes are held.
static bool strip_factor(Strip *strip) {
  const MbBending *Q = &strip->bending;
  const size_t n = strip->mesh.nodes;
  MbAssembly assembly;
  size_t *slot = NULL, k = 0, blame;
  mb_assembly_begin(&assembly, n);
  for (size_t i = 0; i < Q->count; i++) mb_assembly_add(&assembly, Q->row[i], Q->column[i]);
  for (size_t i = 0; i < n; i++) mb_assembly_add(&assembly, (uint32_t)i, (uint32_t)i);
  if (!mb_assembly_end(&assembly, &strip->pattern, &slot)) return false;
  strip->value = mb_calloc(strip->pattern.start[n], sizeof *strip->value);
  for (size_t i = 0; i < Q->count && strip->value; i++, k++)
    if (!strip->held[Q->row[i]] && !strip->held[Q->column[i]]) strip->value[slot[k]] += Q->value[i];
  for (size_t i = 0; i < n && strip->value; i++, k++)
    if (strip->held[i]) strip->value[slot[k]] = 1;
  mb_free(slot);
  strip->factor = strip->value ? mb_cholesky_analyse(&strip->pattern, NULL, 1) : NULL;
  return strip->factor && mb_cholesky_factor(strip->factor, strip->value, &blame);
}

static bool strip_make(MbBendingKind model, MbSheetKind kind, size_t cells, double width, Strip *strip) {
  const double h = 1 / (double)cells;
  const size_t across = (size_t)fmax(1, round(width / h));
  size_t flat;
  *strip = (Strip){0};
  MbElementMesh *mesh = &strip->mesh;
  if (!mb_sheet_make(kind, cells, across, 1, width, mesh) ||
      !mb_bending_create(&strip->bending, model, 1, mesh->triangle, mesh->triangles, mesh->x, mesh->nodes,
                         &flat))
    return false;
  strip->load = mb_calloc(mesh->nodes, sizeof *strip->load);
  strip->z = mb_calloc(mesh->nodes, sizeof *strip->z);
  strip->held = mb_calloc(mesh->nodes, sizeof *strip->held);
  if (!strip->load || !strip->z || !strip->held) return false;
  for (size_t i = 0; i < mesh->nodes; i++) strip->held[i] = mesh->x[3 * i] < 1.01 * h;
  strip->length = 1 - (kind == MB_SHEET_CROSS ? 0.75 : 0.5) * h;
  return strip_factor(strip);
}

static double triangle_area(const MbElementMesh *mesh, size_t t) {
  const uint32_t *c = mesh->triangle + 3 * t;
  double d[2][3], across[3];
  for (size_t k = 0; k < 2; k++)
    mb_vec3_sub(d[k], mesh->x + 3 * (size_t)c[k + 1], mesh->x + 3 * (size_t)c[0]);
  mb_vec3_cross(across, d[0], d[1]);
  return mb_vec3_norm(across) / 2;
}

static void strip_solve(Strip *strip) {
  for (size_t i = 0; i < strip->mesh.nodes; i++) strip->z[i] = strip->held[i] ? 0 : strip->load[i];
  mb_cholesky_solve(strip->factor, strip->z, 1);
}

double mb_strip_tip(MbBendingKind model, MbSheetKind kind, size_t cells, double width) {
  Strip strip;
  double tip = NAN, count = 0;
  if (strip_make(model, kind, cells, width, &strip)) {
    const MbElementMesh *mesh = &strip.mesh;
    for (size_t c = 0; c < 3 * mesh->triangles; c++)
      strip.load[mesh->triangle[c]] += triangle_area(mesh, c / 3) / 3;
    strip_solve(&strip);
    tip = 0;
    for (size_t i = 0; i < mesh->nodes; i++)
      if (mesh->x[3 * i] > 1 - 1e-9) tip += strip.z[i], count++;
    tip *= 8 / (count * pow(strip.length, 4));
  }
  strip_free(&strip);
  return tip;
}

// load ← G z: what z's slopes along the strip make of a unit of load by width; zᵀ G z.
static double push(Strip *strip) {
  const MbElementMesh *mesh = &strip->mesh;
  double work = 0;
  memset(strip->load, 0, mesh->nodes * sizeof *strip->load);
  for (size_t t = 0; t < mesh->triangles; t++) {
    const uint32_t *c = mesh->triangle + 3 * t;
    const double area = triangle_area(mesh, t);
    double g[3], slope = 0;
    for (size_t k = 0; k < 3; k++) {
      const double *a = mesh->x + 3 * (size_t)c[(k + 1) % 3], *b = mesh->x + 3 * (size_t)c[(k + 2) % 3];
      g[k] = (a[1] - b[1]) / (2 * area), slope += g[k] * strip->z[c[k]];
    }
    for (size_t k = 0; k < 3; k++) strip->load[c[k]] += area * g[k] * slope;
    work += area * slope * slope;
  }
  return work;
}

double mb_strip_buckles(MbBendingKind model, MbSheetKind kind, size_t cells, double width) {
  enum { ITERATIONS = 30 };
  Strip strip;
  double least = NAN;
  if (strip_make(model, kind, cells, width, &strip)) {
    const size_t n = strip.mesh.nodes;
    for (size_t i = 0; i < n; i++) strip.z[i] = strip.held[i] ? 0 : strip.mesh.x[3 * i] * strip.mesh.x[3 * i];
    for (int k = 0; k < ITERATIONS; k++) { // z ← Q⁻¹ G z / ‖z‖_G; then λ = zᵀQz/zᵀGz
      double before = sqrt(push(&strip)), bent = 0;
      strip_solve(&strip);
      for (size_t i = 0; i < n; i++)
        strip.z[i] /= before, bent += strip.held[i] ? 0 : strip.z[i] * strip.load[i] / before;
      least = bent / push(&strip);
    }
    least /= M_PI * M_PI / (4 * strip.length * strip.length);
  }
  strip_free(&strip);
  return least;
}

double mb_sheet_cylinder(MbBendingKind model, MbSheetKind kind, size_t cells, double angle) {
  static const double RADIUS = 0.7;
  const double c = cos(angle), s = sin(angle);
  MbElementMesh mesh = {0};
  MbBending bending = {0};
  size_t flat;
  double energy = NAN;
  if (mb_sheet_make(kind, cells, cells, 1, 1, &mesh) &&
      mb_bending_create(&bending, model, 1, mesh.triangle, mesh.triangles, mesh.x, mesh.nodes, &flat)) {
    for (size_t i = 0; i < mesh.nodes; i++) {
      double *x = mesh.x + 3 * i;
      const double along = (c * x[0] + s * x[1]) / RADIUS, across = c * x[1] - s * x[0];
      x[0] = RADIUS * sin(along), x[1] = across, x[2] = RADIUS * (1 - cos(along));
    }
    energy = mb_bending_energy(&bending, mesh.x) * 2 * RADIUS * RADIUS;
  }
  mb_bending_free(&bending);
  mb_element_mesh_free(&mesh);
  return energy;
}

double mb_sheet_entries(MbBendingKind model, MbSheetKind kind, size_t cells) {
  MbElementMesh mesh = {0};
  MbBending bending = {0};
  size_t flat;
  double entries = NAN;
  if (mb_sheet_make(kind, cells, cells, 1, 1, &mesh) &&
      mb_bending_create(&bending, model, 1, mesh.triangle, mesh.triangles, mesh.x, mesh.nodes, &flat))
    entries = (2 * (double)bending.count - (double)mesh.nodes) / (double)mesh.nodes;
  mb_bending_free(&bending);
  mb_element_mesh_free(&mesh);
  return entries;
}

// ---- a sheet that drapes ------------------------------------------------------------------------------------

// What of the sheet is seen from above, by a grid of points.
static double shadow(const MbElementMesh *mesh, const double *q, double side) {
  enum { POINTS = 400 };
  unsigned char *seen = mb_calloc((size_t)POINTS * POINTS, 1);
  if (!seen) return NAN;
  const double step = 1.2 * side / POINTS, from = -0.1 * side;
  for (size_t t = 0; t < mesh->triangles; t++) {
    const double *p[3];
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t k = 0; k < 3; k++) {
      p[k] = q + 3 * (size_t)mesh->triangle[3 * t + k];
      for (size_t a = 0; a < 2; a++) low[a] = fmin(low[a], p[k][a]), high[a] = fmax(high[a], p[k][a]);
    }
    for (long j = lround((low[1] - from) / step); j <= lround((high[1] - from) / step); j++)
      for (long i = lround((low[0] - from) / step); i <= lround((high[0] - from) / step); i++) {
        const double x = from + (double)i * step, y = from + (double)j * step;
        int left = 0, right = 0;
        for (size_t k = 0; k < 3; k++) {
          const double *a = p[k], *b = p[(k + 1) % 3];
          const double turn = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
          left += turn >= 0, right += turn <= 0;
        }
        if ((left == 3 || right == 3) && i >= 0 && j >= 0 && i < POINTS && j < POINTS)
          seen[POINTS * j + i] = 1;
      }
  }
  size_t count = 0;
  for (size_t i = 0; i < (size_t)POINTS * POINTS; i++) count += seen[i];
  mb_free(seen);
  return (double)count * step * step / (side * side);
}

static bool on_frame(const double *x, double side) {
  const double u = fabs(x[0] / side - 0.5), v = fabs(x[1] / side - 0.5);
  return fabs(fmax(u, v) - 1.0 / 6) < 1e-6;
}

double mb_sheet_drape(MbBendingKind model, MbSheetKind kind, size_t cells) {
  static const double SIDE = 0.3, AREAL = 0.3, THICKNESS = 1e-3, YOUNG = 2e4, STIFFNESS = 4e-4, STEP = 0.02;
  enum { STEPS = 150 };
  MbElementMesh mesh = {0};
  double share = NAN;
  if (!mb_sheet_make(kind, cells, cells, SIDE, SIDE, &mesh)) return NAN;
  double *mass = mb_calloc(mesh.nodes, sizeof *mass), *q = mb_calloc(mesh.nodes, 3 * sizeof *q),
         *v = mb_calloc(mesh.nodes, 3 * sizeof *v);
  unsigned char *held = mb_calloc(mesh.nodes, 1);
  MbPdEngine *engine = NULL;
  if (mass && q && v && held) {
    for (size_t c = 0; c < 3 * mesh.triangles; c++)
      mass[mesh.triangle[c]] += AREAL * triangle_area(&mesh, c / 3) / 3;
    for (size_t i = 0; i < mesh.nodes; i++) held[i] = on_frame(mesh.x + 3 * i, SIDE) ? 7 : 0;
    memcpy(q, mesh.x, 3 * mesh.nodes * sizeof *q);
    const MbPdPart part = {.mesh = &mesh,
                           .elastic = mb_elastic_from(MB_COROTATIONAL, YOUNG, 0.3, true),
                           .thickness = THICKNESS,
                           .bending = model,
                           .bending_stiffness = STIFFNESS};
    const MbPdSpec spec = {.nodes = mesh.nodes,
                           .mass = mass,
                           .placed = held,
                           .drag = 5 * AREAL * SIDE * SIDE / (double)mesh.nodes,
                           .nparts = 1,
                           .parts = &part,
                           .h = STEP,
                           .method = MB_METHOD_LBFGS,
                           .iterations = 200,
                           .share = 1e-4,
                           .threads = 1};
    bool fine = mb_pd_create(&spec, &engine, NULL) == MB_OK;
    const double gravity[3] = {0, 0, -9.81};
    for (int k = 0; k < STEPS && fine; k++) {
      const MbNodeStart start = {q, v, mesh.x, gravity, NULL, NULL};
      fine = mb_pd_step(engine, &start, q, v);
    }
    if (fine) share = shadow(&mesh, q, SIDE);
  }
  mb_pd_free(engine);
  mb_free(mass), mb_free(q), mb_free(v), mb_free(held);
  mb_element_mesh_free(&mesh);
  return share;
}
