#include "core/base/alloc.h"
#include "core/deformables/bending.h"
#include "tests/core/math/near.h"

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

Test(bending, meshes_without_a_grain_bend_alike_in_all_directions) {
  for (int k = 0; k < 4; k++) {
    const double angle = 0.3 + 0.7 * k;
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

// The grain of the diagonal pattern under isometric bending is what the sources say it is.
Test(bending, the_diagonal_pattern_has_the_grain_that_is_written_down) {
  static const double RIM = 0.1;
  cr_assert_float_eq(ratio(MB_BENDING_ISOMETRIC, DIAGONAL, 64, 64, M_PI / 4), 2.5, 2.5 * RIM);
  cr_assert_float_eq(ratio(MB_BENDING_ISOMETRIC, DIAGONAL, 64, 64, -M_PI / 4), 0.5, 0.5 * RIM);
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
      cr_assert(k < 100 && flat == SIZE_MAX);
      cr_assert_eq(mb_alloc_live(), 0);
    }
  drop(&s);
}
