// Bending of cloth against plates and beams: the energy of cylinders, tips of cantilevers, Euler's load, drapes, on meshes of several kinds; rest
// curvature.
#include "core/base/alloc.h"
#include "core/deformables/bending.h"
#include "core/math/quat.h"
#include "tests/core/math/near.h"
#include "tests/support.h"
#include "tools/bench/bending_cases.h"

#include <stdlib.h>

static const char *const names[] = {"isometric", "laplace_beltrami"};
static const double RADIUS = 0.7, SIZE = 1, STIFFNESS = 3;

// Cells of a x b over a square, cut along a diagonal or into four, or an equilateral lattice.
typedef enum Pattern { DIAGONAL, CROSS, EQUILATERAL } Pattern;

typedef struct Sheet {
  size_t nodes, triangles;
  double *x, area;
  uint32_t *triangle;
} Sheet;

static void put(Sheet *s, size_t a, size_t b, size_t c) {
  uint32_t *const t = s->triangle + 3 * s->triangles++;
  t[0] = (uint32_t)a, t[1] = (uint32_t)b, t[2] = (uint32_t)c;
}

static Sheet make(Pattern pattern, size_t n, size_t m) {
  Sheet s = {0};
  const size_t corners = (n + 1) * (m + 1);
  const double a = SIZE / (double)n, b = pattern == EQUILATERAL ? a * sqrt(0.75) : SIZE / (double)m;
  s.x = calloc(3 * (corners + n * m), sizeof *s.x);
  s.triangle = calloc(12 * n * m, sizeof *s.triangle);
  cr_assert(s.x && s.triangle);
  for (size_t j = 0; j <= m; j++)
    for (size_t i = 0; i <= n; i++) {
      double *const x = s.x + 3 * s.nodes++;
      x[0] = a * ((double)i + (pattern == EQUILATERAL ? 0.5 * (double)j : 0)), x[1] = b * (double)j;
    }
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < n; i++) {
      const size_t p = (n + 1) * j + i, q = p + 1, r = p + n + 1, t = r + 1;
      if (pattern == CROSS) {
        const size_t middle = s.nodes++;
        s.x[3 * middle] = a * ((double)i + 0.5), s.x[3 * middle + 1] = b * ((double)j + 0.5);
        put(&s, p, q, middle), put(&s, q, t, middle), put(&s, t, r, middle), put(&s, r, p, middle);
      } else if (pattern == EQUILATERAL) {
        put(&s, p, q, r), put(&s, q, t, r);
      } else {
        put(&s, p, q, t), put(&s, p, t, r);
      }
    }
  s.area = a * b * (double)(n * m);
  return s;
}

static void drop(Sheet *s) { free(s->x), free(s->triangle); }

// On a cylinder whose arc runs at an angle to x.
static void bend(const Sheet *s, double angle, double radius, double *x) {
  const double c = cos(angle), d = sin(angle);
  for (size_t i = 0; i < s->nodes; i++) {
    const double along = c * s->x[3 * i] + d * s->x[3 * i + 1];
    const double across = c * s->x[3 * i + 1] - d * s->x[3 * i];
    const double u = radius * sin(along / radius);
    x[3 * i] = c * u - d * across, x[3 * i + 1] = d * u + c * across;
    x[3 * i + 2] = radius * (1 - cos(along / radius));
  }
}

// Energy over ½ k A / R².
static double ratio(int model, Pattern pattern, size_t n, size_t m, double angle) {
  Sheet s = make(pattern, n, m);
  MbBending bending;
  size_t flat;
  double *const x = calloc(3 * s.nodes, sizeof *x);
  cr_assert(x && mb_bending_create(&bending, model, STIFFNESS, s.triangle, s.triangles, s.x, s.nodes, &flat));
  bend(&s, angle, RADIUS, x);
  const double energy = mb_bending_energy(&bending, x);
  const double wanted = 0.5 * STIFFNESS * s.area / (RADIUS * RADIUS);
  mb_bending_free(&bending), drop(&s), free(x);
  return energy / wanted;
}

// As meshes are refined; rims take or lack stencils, an error of the first order, which is extrapolated away.
static void check_cylinder(int model, Pattern pattern, double stretch, double angle) {
  static const double EXTRAPOLATED = 1.5; // what second order is left, times h² of the coarser of two
  static const double RIM = 3;            // times h
  double last = NAN;
  for (size_t n = 16; n <= 64; n *= 2) {
    const size_t m = (size_t)((double)n * stretch);
    const double now = ratio(model, pattern, n, m, angle), least = (double)(n < m ? n : m);
    cr_assert(fabs(now - 1) < RIM / least, "%s, pattern %d at %g, %zu cells: %g", names[model], pattern,
              angle, n, now);
    if (n > 16)
      cr_assert_float_eq(2 * now - last, 1, EXTRAPOLATED / (least * least / 4),
                         "%s, pattern %d at %g, %zu cells: %g", names[model], pattern, angle, n,
                         2 * now - last);
    last = now;
  }
}

Test(bending, cylinders_have_the_energy_of_their_curvature_on_any_refinement) {
  for (int model = 0; model < 2; model++)
    for (int pattern = DIAGONAL; pattern <= CROSS; pattern++)
      for (int side = 0; side < 2; side++) check_cylinder(model, (Pattern)pattern, 1, side * M_PI / 2);
}

Test(bending, no_mesh_has_a_grain, TEST_LONG) {
  for (int k = 0; k < 4; k++) {
    const double angle = 0.3 + 0.7 * k;
    check_cylinder(MB_BENDING_ISOMETRIC, DIAGONAL, 1, angle);
    check_cylinder(MB_BENDING_ISOMETRIC, CROSS, 1, angle);
    check_cylinder(MB_BENDING_ISOMETRIC, EQUILATERAL, 1, angle);
    check_cylinder(MB_BENDING_LAPLACE_BELTRAMI, DIAGONAL, 1, angle);
    check_cylinder(MB_BENDING_LAPLACE_BELTRAMI, CROSS, 1, angle);
    check_cylinder(MB_BENDING_LAPLACE_BELTRAMI, EQUILATERAL, 1, angle);
  }
}

Test(bending, cells_of_unequal_sides_do_not_matter_on_the_diagonal_pattern) {
  for (int model = 0; model < 2; model++)
    for (int side = 0; side < 2; side++) {
      check_cylinder(model, DIAGONAL, 0.5, side * M_PI / 2);
      check_cylinder(model, DIAGONAL, 2, side * M_PI / 2);
    }
}

Test(bending, moved_turned_and_stretched_planes_have_none) {
  static const double ROUNDED =
      1e-10; // of stiffness over the size of a cell squared, times places of about 1
  for (int model = 0; model < 2; model++)
    for (int pattern = DIAGONAL; pattern <= EQUILATERAL; pattern++) {
      Sheet s = make((Pattern)pattern, 9, 7);
      MbBending bending;
      size_t flat;
      uint64_t seed = 1;
      double A[9], b[3];
      random_numbers(&seed, A, 9), random_numbers(&seed, b, 3);
      cr_assert(mb_bending_create(&bending, model, STIFFNESS, s.triangle, s.triangles, s.x, s.nodes, &flat));
      for (size_t i = 0; i < s.nodes; i++) {
        double *const x = s.x + 3 * i;
        const double y[3] = {A[0] * x[0] + A[1] * x[1] + b[0], A[3] * x[0] + A[4] * x[1] + b[1],
                             A[6] * x[0] + A[7] * x[1] + b[2]};
        x[0] = y[0], x[1] = y[1], x[2] = y[2];
      }
      cr_assert_float_eq(mb_bending_energy(&bending, s.x), 0, ROUNDED, "%s, pattern %d: %g", names[model],
                         pattern, mb_bending_energy(&bending, s.x));
      // and no other places have less than none
      for (int k = 0; k < 20; k++) {
        random_numbers(&seed, s.x, 3 * s.nodes);
        cr_assert(mb_bending_energy(&bending, s.x) > 0);
      }
      mb_bending_free(&bending), drop(&s);
    }
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(bending, entries_come_once_in_order_below_the_diagonal) {
  for (int model = 0; model < 2; model++) {
    Sheet s = make(CROSS, 6, 5);
    MbBending b;
    size_t flat;
    cr_assert(mb_bending_create(&b, model, 1, s.triangle, s.triangles, s.x, s.nodes, &flat));
    cr_assert(b.count > s.nodes && b.nodes == s.nodes);
    for (size_t k = 0; k < b.count; k++) {
      cr_assert(b.column[k] <= b.row[k] && b.row[k] < s.nodes);
      cr_assert(k == 0 || b.row[k] > b.row[k - 1] ||
                (b.row[k] == b.row[k - 1] && b.column[k] > b.column[k - 1]));
    }
    mb_bending_free(&b), drop(&s);
  }
}

Test(bending, triangles_without_area_are_named_and_lack_of_memory_leaves_nothing) {
  static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0};
  static const uint32_t triangle[] = {0, 1, 2, 0, 1, 3};
  MbBending b;
  size_t flat;
  cr_assert_not(mb_bending_create(&b, MB_BENDING_ISOMETRIC, 1, triangle, 2, x, 4, &flat));
  cr_assert_eq(flat, 1);
  cr_assert(mb_bending_create(&b, MB_BENDING_LAPLACE_BELTRAMI, 1, triangle, 1, x, 4, &flat));
  cr_assert_eq(b.count, 0, "a single triangle bends");
  mb_bending_free(&b);
  Sheet s = make(DIAGONAL, 20, 20);
  for (int model = 0; model < 2; model++)
    for (int64_t k = 0;; k++) {
      mb_alloc_fail_after(k);
      const bool ok = mb_bending_create(&b, model, 1, s.triangle, s.triangles, s.x, s.nodes, &flat);
      mb_alloc_fail_after(-1);
      if (ok) {
        mb_bending_free(&b);
        break;
      }
      cr_assert(k < 1000 && flat == SIZE_MAX);
      cr_assert_eq(mb_alloc_live(), 0);
    }
  drop(&s);
}

// ---- responses: what stands still where the plate would --------------------------------------------------------

Test(bending, a_cantilevered_strips_tip_converges_to_the_beams_on_every_mesh) {
  static const double SECOND = 0.7,
                      FIRST =
                          0.35; // times h² and h: where the cross pattern is held is a matter of first order
  static const double width[] = {0.2, 1, 4};
  for (int kind = 0; kind < MB_SHEET_KINDS; kind++)
    for (size_t w = 0; w < 3; w++)
      for (size_t n = 10; n <= (w == 2 ? 20 : 40); n *= 2) {
        const double tip = mb_strip_tip(MB_BENDING_ISOMETRIC, (MbSheetKind)kind, n, width[w]),
                     h = 1 / (double)n;
        const double off = kind == MB_SHEET_CROSS ? FIRST * h : SECOND * h * h;
        cr_assert_float_eq(tip, 1, off, "%s, %zu cells, %g wide: %g", mb_sheet_names[kind], n, width[w], tip);
        cr_assert(n < 20 || fabs(tip - 1) < 0.02);
      }
}

Test(bending, a_strip_of_one_row_of_cells_bends_as_a_beam) {
  for (int kind = 0; kind < MB_SHEET_KINDS; kind++) {
    const double tip = mb_strip_tip(MB_BENDING_ISOMETRIC, (MbSheetKind)kind, 20, 0.05);
    cr_assert_float_eq(tip, 1, 0.02, "%s: %g", mb_sheet_names[kind], tip);
  }
}

Test(bending, a_strip_buckles_under_eulers_load_on_every_mesh) {
  for (int kind = 0; kind < MB_SHEET_KINDS; kind++)
    for (size_t n = 10; n <= 20; n *= 2) {
      const double load = mb_strip_buckles(MB_BENDING_ISOMETRIC, (MbSheetKind)kind, n, 0.2);
      cr_assert_float_eq(load, 1, 0.01, "%s, %zu cells: %g", mb_sheet_names[kind], n, load);
    }
}

Test(bending, a_cylinder_has_its_energy_on_an_irregular_mesh_in_every_direction) {
  for (int k = 0; k < 4; k++) {
    const double coarse = mb_sheet_cylinder(MB_BENDING_ISOMETRIC, MB_SHEET_IRREGULAR, 16, 0.5 * k);
    const double fine = mb_sheet_cylinder(MB_BENDING_ISOMETRIC, MB_SHEET_IRREGULAR, 32, 0.5 * k);
    cr_assert_float_eq(2 * fine - coarse, 1, 0.01, "at %g: %g, %g", 0.5 * k, coarse, fine);
  }
}

Test(bending, a_draped_sheet_is_the_same_on_every_mesh, TEST_LONG) {
  double shadow[MB_SHEET_KINDS], mean = 0;
  for (int kind = 0; kind < MB_SHEET_KINDS; kind++) {
    shadow[kind] = mb_sheet_drape(MB_BENDING_ISOMETRIC, (MbSheetKind)kind, 18);
    mean += shadow[kind] / MB_SHEET_KINDS;
  }
  cr_assert(0.7 < mean && mean < 0.85, "it drapes: %g", mean);
  for (int kind = 0; kind < MB_SHEET_KINDS; kind++)
    cr_assert_float_eq(shadow[kind], mean, 0.03 * mean, "%s: %g of %g", mb_sheet_names[kind], shadow[kind],
                       mean);
}

// The patch test: nodes far enough from the rim feel nothing of a constant curvature, and the energy away from the rim is the plate's.
Test(bending, quadratic_shapes_push_no_inner_node_of_any_mesh) {
  static const double ROUNDED = 1e-9; // of the forces at the rim, which are about 100
  enum { CELLS = 14 };
  for (int kind = 0; kind < MB_SHEET_KINDS; kind++)
    for (int k = 0; k < 3; k++) {
      MbElementMesh mesh;
      MbBending b;
      size_t flat, inner = 0;
      double most = 0;
      cr_assert(mb_sheet_make((MbSheetKind)kind, CELLS, CELLS, 1, 1, &mesh));
      cr_assert(mb_bending_create(&b, MB_BENDING_ISOMETRIC, 1, mesh.triangle, mesh.triangles, mesh.x,
                                  mesh.nodes, &flat));
      double *const z = calloc(mesh.nodes, sizeof *z), *const f = calloc(mesh.nodes, sizeof *f);
      cr_assert(z && f);
      for (size_t i = 0; i < mesh.nodes; i++) {
        const double x = mesh.x[3 * i], y = mesh.x[3 * i + 1];
        z[i] = k == 0 ? x * x : k == 1 ? x * y : y * y;
      }
      for (size_t i = 0; i < b.count; i++) {
        const size_t row = b.row[i], column = b.column[i];
        f[row] += b.value[i] * z[column];
        if (row != column) f[column] += b.value[i] * z[row];
      }
      for (size_t i = 0; i < mesh.nodes; i++) {
        const double *x = mesh.x + 3 * i, far = 4.5 / CELLS;
        most = fmax(most, fabs(f[i]));
        if (x[0] < far || x[1] < far || x[0] > 1 - far || x[1] > 1 - far) continue;
        inner++;
        cr_assert_float_eq(f[i], 0, ROUNDED, "%s, shape %d, node %zu: %g", mb_sheet_names[kind], k, i, f[i]);
      }
      cr_assert(inner > 15 && most > 0.1);
      free(z), free(f);
      mb_bending_free(&b), mb_element_mesh_free(&mesh);
    }
}

// ---- rest curvature --------------------------------------------------------------------------------------------

// A sheet rolled to a cylinder of this radius, about an axis at an angle to x.
static void roll(const MbElementMesh *flat, double angle, double radius, double *x) {
  const double c = cos(angle), s = sin(angle);
  for (size_t i = 0; i < flat->nodes; i++) {
    const double *at = flat->x + 3 * i, along = (c * at[0] + s * at[1]) / radius;
    x[3 * i] = radius * sin(along), x[3 * i + 1] = c * at[1] - s * at[0],
          x[3 * i + 2] = radius * (1 - cos(along));
  }
}

Test(bending, a_curved_mesh_is_at_rest_as_it_is_wherever_it_is) {
  static const double ROUNDED = 1e-11;
  for (int kind = 0; kind < MB_SHEET_KINDS; kind++) {
    MbElementMesh mesh;
    MbBending b;
    size_t flat;
    cr_assert(mb_sheet_make((MbSheetKind)kind, 8, 8, 1, 1, &mesh));
    for (size_t i = 0; i < mesh.nodes; i++) { // saddle
      double *x = mesh.x + 3 * i;
      x[2] = 0.3 * (x[0] - 0.4) * (x[0] - 0.4) - 0.2 * x[1] * x[1] + 0.1 * x[0] * x[1];
    }
    cr_assert(mb_bending_create(&b, MB_BENDING_ISOMETRIC, 1, mesh.triangle, mesh.triangles, mesh.x,
                                mesh.nodes, &flat));
    cr_assert_gt(b.rest.count, mesh.triangles / 2);
    cr_assert_float_eq(mb_bending_energy(&b, mesh.x), 0, ROUNDED);
    const double turn[4] = {0.5, -0.5, 0.5, 0.5};
    for (size_t i = 0; i < mesh.nodes; i++) {
      double *x = mesh.x + 3 * i, y[3];
      mb_quat_rotate(y, turn, x);
      x[0] = y[0] + 3, x[1] = y[1] - 2, x[2] = y[2] + 1;
    }
    cr_assert_float_eq(mb_bending_energy(&b, mesh.x), 0, ROUNDED, "%s: %g", mb_sheet_names[kind],
                       mb_bending_energy(&b, mesh.x));
    mb_bending_free(&b), mb_element_mesh_free(&mesh);
  }
}

// ½ k (κ − κ₀)² an area, whichever way it bends.
Test(bending, a_rolled_sheet_costs_what_its_curvature_differs_by) {
  static const double FIRST = 2; // times h: rims
  static const double radius[] = {1e6, 1.4, 0.5, -0.7};
  for (int kind = 0; kind < MB_SHEET_KINDS; kind++)
    for (size_t r = 0; r < 4; r++) {
      double ratio[2];
      for (size_t n = 0; n < 2; n++) {
        const size_t cells = 16 << n;
        MbElementMesh mesh;
        MbBending b;
        size_t flat;
        cr_assert(mb_sheet_make((MbSheetKind)kind, cells, cells, 1, 1, &mesh));
        double *const rest = calloc(3 * mesh.nodes, sizeof *rest), *const x =
                                                                       calloc(3 * mesh.nodes, sizeof *x);
        cr_assert(rest && x);
        roll(&mesh, 0.4, 0.7, rest), roll(&mesh, 0.4, radius[r], x);
        cr_assert(mb_bending_create(&b, MB_BENDING_ISOMETRIC, STIFFNESS, mesh.triangle, mesh.triangles, rest,
                                    mesh.nodes, &flat));
        const double by = 1 / radius[r] - 1 / 0.7;
        ratio[n] = mb_bending_energy(&b, x) / (0.5 * STIFFNESS * by * by);
        cr_assert_float_eq(ratio[n], 1, FIRST / (double)cells, "%s, radius %g, %zu cells: %g",
                           mb_sheet_names[kind], radius[r], cells, ratio[n]);
        free(rest), free(x);
        mb_bending_free(&b), mb_element_mesh_free(&mesh);
      }
      cr_assert_float_eq(2 * ratio[1] - ratio[0], 1, 0.02, "%s, radius %g: %g, %g", mb_sheet_names[kind],
                         radius[r], ratio[0], ratio[1]);
    }
}
