// Green's strain: elements under maps that are known, of which rotations strain nothing.
#include "core/math/quat.h"
#include "core/math/vec3.h"
#include "io/export/green.h"

#include <criterion/criterion.h>
#include <math.h>

static const double rest[12] = {0.3, -0.2, 0.1, 1.4, 0.2, -0.3, 0.1, 0.9, 0.4, 0.2, 0.3, 1.7};
static const uint32_t corners[4] = {2, 0, 3, 1};

// x = F X + c.
static void map_all(const double F[3][3], double x[12]) {
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++) x[3 * i + k] = mb_vec3_dot(F[k], rest + 3 * i) + 5 * k - 2;
}

// The quadratic form of E in the direction of an edge at rest: (l² − L²) / 2 of its lengths.
static void expect_edges(const double x[12], int m, const double E[6]) {
  for (int i = 0; i <= m; i++)
    for (int k = 0; k < i; k++) {
      double D[3], d[3];
      mb_vec3_sub(D, rest + 3 * corners[i], rest + 3 * corners[k]);
      mb_vec3_sub(d, x + 3 * corners[i], x + 3 * corners[k]);
      const double form = E[0] * D[0] * D[0] + E[1] * D[1] * D[1] + E[2] * D[2] * D[2] +
                          2 * (E[3] * D[0] * D[1] + E[4] * D[1] * D[2] + E[5] * D[0] * D[2]);
      cr_expect_float_eq(form, (mb_vec3_dot(d, d) - mb_vec3_dot(D, D)) / 2, 1e-14, "%d corners", m + 1);
    }
}

Test(green, strain_is_half_the_growth_of_squared_lengths_in_tetrahedra_triangles_and_lines) {
  const double F[3][3] = {{1.2, 0.3, -0.1}, {-0.2, 0.7, 0.4}, {0.1, -0.3, 1.6}};
  double x[12], E[6], largest;
  map_all(F, x);
  for (int m = 1; m <= 3; m++) {
    mb_green_strain(rest, x, corners, m, E, &largest);
    expect_edges(x, m, E);
  }
  for (int i = 0; i < 3; i++) // m = 3: (Fᵀ F − 1) / 2 itself
    cr_expect_float_eq(E[i], (F[0][i] * F[0][i] + F[1][i] * F[1][i] + F[2][i] * F[2][i] - 1) / 2, 1e-15);
}

Test(green, the_largest_principal_strain_of_a_stretch_along_an_axis_is_that_of_the_stretch) {
  const double stretch[][3] = {{1.5, 1, 0.8}, {0.9, 1.3, 1.3}, {0.5, 0.6, 0.7}, {1.1, 1.1, 1.1}};
  double x[12], E[6], largest;
  for (int n = 0; n < 4; n++) {
    const double *s = stretch[n];
    const double F[3][3] = {{s[0], 0, 0}, {0, s[1], 0}, {0, 0, s[2]}};
    map_all(F, x);
    mb_green_strain(rest, x, corners, 3, E, &largest);
    const double most = fmax(s[0], fmax(s[1], s[2]));
    cr_expect_float_eq(largest, (most * most - 1) / 2, 1e-14);
    for (int i = 0; i < 3; i++) cr_expect_float_eq(E[i], (s[i] * s[i] - 1) / 2, 1e-14);
    for (int i = 3; i < 6; i++) cr_expect_float_eq(E[i], 0, 1e-14);
  }
}

Test(green, a_triangle_has_no_strain_across_itself_and_none_when_it_turns) {
  const double flat[9] = {0, 0, 0, 2, 0, 0, 0, 1, 0}, wide[9] = {0, 0, 3, 0, 0, 5.2, 0, 1, 3};
  const uint32_t order[3] = {0, 1, 2};
  double E[6], largest;
  mb_green_strain(flat, wide, order, 2, E, &largest); // turned about y, and 1.1 times as long in x
  const double expected[6] = {0.105, 0, 0, 0, 0, 0};
  for (int i = 0; i < 6; i++) cr_expect_float_eq(E[i], expected[i], 1e-15);
  cr_expect_float_eq(largest, 0.105, 1e-15);
  const double narrow[9] = {0, 0, 0, 1.8, 0, 0, 0, 0.9, 0};
  mb_green_strain(flat, narrow, order, 2, E, &largest);
  cr_expect_float_eq(largest, -0.095, 1e-15, "not the 0 across the triangle");
}

Test(green, rotations_strain_nothing_and_small_strains_keep_their_digits) {
  double q[4] = {0.5, -0.5, 0.7, 0.1}, x[12], E[6], largest;
  const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) q[i] /= n;
  for (int i = 0; i < 4; i++) mb_quat_rotate(x + 3 * i, q, rest + 3 * i);
  for (int m = 1; m <= 3; m++) {
    mb_green_strain(rest, x, corners, m, E, &largest);
    for (int i = 0; i < 6; i++) cr_expect_float_eq(E[i], 0, 1e-14);
    cr_expect_float_eq(largest, 0, 1e-14);
  }
  const double unit[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double moved[12] = {0, 0, 0, 1, 1e-18, 0, 0, 1, 0, 0, 0, 1};
  const uint32_t order[4] = {0, 1, 2, 3};
  mb_green_strain(unit, moved, order, 3, E, &largest);
  cr_expect_float_eq(E[3], 0.5e-18, 1e-30, "beside 1 it would be lost");
}

Test(green, an_element_without_size_at_rest_has_no_number) {
  const double point[6] = {1, 1, 1, 1, 1, 1}, line[6] = {1, 1, 1, 2, 1, 1};
  const uint32_t order[2] = {0, 1};
  double E[6], largest;
  mb_green_strain(point, line, order, 1, E, &largest);
  cr_expect(isnan(largest) || isinf(largest));
}
