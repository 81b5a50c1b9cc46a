// Meshes against what is convex, against planes and one another: flat ones are planes, convex ones hulls.
#include "tests/core/collision/collide_make.h"
#include "tests/core/collision/hull_make.h"
#include "tests/core/collision/mesh_make.h"

#include "core/base/alloc.h"

#include <math.h>

static MbShape some_shape(uint64_t *seed, int k, const MbHull *hull) {
  const MbForm form = (MbForm)(MB_FORM_SPHERE + k % 6);
  return form == MB_FORM_HULL ? mb_shape_hull(hull) : made_shape(seed, form);
}

// The same gap and normal as of the plane, wherever on the sheet, and the same points where it lies flat.
static void check_flat(uint64_t *seed, const MbSkin *surface, bool thick, int rounds) {
  const MbShape sheet = mb_shape_mesh(surface), plane = mb_shape_plane();
  MbHull *hull = made_hull(seed, 14);
  MbPose flat;
  mb_pose_identity(&flat);
  for (int k = 0; k < rounds; k++) {
    const MbShape shape = some_shape(seed, k, hull);
    MbPose E = k % 3 ? made_pose(seed, 2.4) : made_aligned_pose(seed);
    MbContactPoint wanted[MB_CONTACT_POINTS], out[MB_CONTACT_POINTS];
    E.p[2] = 0;
    const int m = mb_collide(&plane, &flat, &shape, &E, INFINITY, wanted);
    cr_assert(m > 0);
    // from well above to as deep as the middle, or deeper where there is an inside
    const double reach = -wanted[0].gap,
                 height = reach * (thick ? 2.4 * test_random(seed) - 0.6 : 1.2 * test_random(seed) + 0.6);
    E.p[2] = k % 5 ? height : reach + (k % 2 ? 1e-9 : -1e-9);
    // all of it anywhere
    MbPose T = made_pose(seed, 1), S = T;
    mb_pose_mul(&E, &T, &E);
    const int n = mb_collide(&plane, &T, &shape, &E, 0.3, wanted);
    const int got = mb_collide(&sheet, &S, &shape, &E, 0.3, out);
    cr_assert_eq(n > 0, got > 0, "case %d, form %d: %d points, of the plane %d", k, (int)shape.form, got, n);
    if (!n) continue;
    cr_assert(fabs(out[0].gap - wanted[0].gap) < 1e-9, "case %d, form %d: gap %.17g, of the plane %.17g", k,
              (int)shape.form, out[0].gap, wanted[0].gap);
    for (int i = 0; i < got; i++) {
      double turned[3];
      mb_vec3_sub(turned, out[i].normal, wanted[0].normal);
      cr_assert(mb_vec3_norm(turned) < 1e-9,
                "case %d, form %d: point %d of %d has another normal, by %g, gap %g", k, (int)shape.form, i,
                got, mb_vec3_norm(turned), out[i].gap);
    }
    // what spans the plane's patch spans this one, but for points that are over nothing
    if (k % 3 || E.p[2] < 0 || n < 3) continue;
    cr_assert(got >= 3, "case %d, form %d: %d points, of the plane %d", k, (int)shape.form, got, n);
  }
  mb_hull_free(hull);
}

Test(collide_mesh, a_flat_mesh_of_200_triangles_is_as_its_plane_wherever_something_is_on_it) {
  uint64_t seed = 71;
  for (int thick = 0; thick < 2; thick++) {
    MbSkin *surface = made_sheet(&seed, 10, 5, thick ? 20 : 0);
    cr_assert_eq(surface->closed, thick == 1);
    check_flat(&seed, surface, thick, 4000);
    mb_skin_free(surface);
  }
}

static double brute_distance(const MbSkin *s, const double x[3]) {
  double least = INFINITY;
  for (uint32_t t = 0; t < s->triangles; t++) {
    double corners[9];
    for (size_t i = 0; i < 9; i++)
      corners[i] = s->vertex[3 * (size_t)s->corner[3 * (size_t)t + i / 3] + i % 3];
    const MbHull one = {.vertices = 3, .vertex = corners};
    least = fmin(least, made_simplices_distance(&one, x));
  }
  return least;
}

Test(collide_mesh, a_point_is_as_far_from_a_torus_as_brute_force_says_and_inside_where_the_torus_is) {
  uint64_t seed = 72;
  MbSkin *torus = made_torus(1, 0.3, 24, 12);
  cr_assert(torus->closed);
  int inside = 0;
  for (int k = 0; k < 3000; k++) {
    double x[3], n[3], y[3];
    for (int i = 0; i < 3; i++) x[i] = (i == 2 ? 0.8 : 3) * (test_random(&seed) - 0.5);
    MbSkinPart part;
    const double s = mb_skin_distance(torus, x, n, &part), out = hypot(hypot(x[0], x[1]) - 1, x[2]) - 0.3;
    cr_assert(fabs(fabs(s) - brute_distance(torus, x)) < 1e-12);
    // the polyhedron and its torus are apart by at most 0.03
    if (out > 0.03) cr_assert(s > 0);
    if (out < -0.03) cr_assert(s < 0);
    inside += s < 0;
    mb_vec3_add_scaled(y, x, -s, n);
    cr_assert(fabs(mb_skin_distance(torus, y, n, &part)) < 1e-12);
  }
  cr_assert(inside > 200);
  mb_skin_free(torus);
}

Test(collide_mesh, a_convex_mesh_is_as_far_from_everything_as_its_hull) {
  uint64_t seed = 73;
  int apart = 0, shallow = 0, meshes = 0, seen = 0;
  for (int k = 0; k < 3000; k++) {
    MbHull *hull = made_hull(&seed, 4 + (uint32_t)(10 * test_random(&seed))), *other = made_hull(&seed, 9);
    MbSkin *surface = made_surface_of(hull), *second = made_surface_of(other);
    const MbShape a = mb_shape_hull(hull), mesh = mb_shape_mesh(surface);
    const MbShape b = some_shape(&seed, k, other), its = k % 6 == 5 ? mb_shape_mesh(second) : b;
    const MbPose A = made_pose(&seed, 0.2);
    MbPose B = made_pose(&seed, 1.2);
    MbContactPoint wanted[MB_CONTACT_POINTS], out[MB_CONTACT_POINTS];
    cr_assert(mb_collide(&a, &A, &b, &B, INFINITY, wanted) > 0);
    // half of them in one another by little
    if (k % 2) mb_vec3_add_scaled(B.p, B.p, -wanted[0].gap - 1e-6, wanted[0].normal);
    cr_assert(mb_collide(&a, &A, &b, &B, INFINITY, wanted) > 0);
    const int n = made_collide(&mesh, &A, &its, &B, fmax(wanted[0].gap, 0) + 0.01, out);
    if (wanted[0].gap > 1e-3) {
      apart++;
      cr_assert(n > 0 && fabs(out[0].gap - wanted[0].gap) < 1e-12,
                "case %d, form %d: gap %.17g of %d points, wanted %.17g", k, (int)b.form,
                n ? out[0].gap : NAN, n, wanted[0].gap);
      double turned[3];
      mb_vec3_sub(turned, out[0].normal, wanted[0].normal);
      cr_assert(mb_vec3_norm(turned) < 1e-9, "case %d, form %d: the normal is off by %g", k, (int)b.form,
                mb_vec3_norm(turned));
    } else if (wanted[0].gap > -1.1e-6 && wanted[0].gap < -0.9e-6) {
      shallow++;
      // two meshes see vertices over faces and edges across edges: what only just overlaps beside the ends of both may show nothing yet
      if (its.form == MB_FORM_MESH) {
        meshes++, seen += n > 0 && fabs(out[0].gap - wanted[0].gap) < 5e-7;
        cr_assert(n == 0 || out[0].gap > -2e-6, "case %d: two meshes are %g deep, wanted %g", k, out[0].gap,
                  wanted[0].gap);
      } else {
        cr_assert(n > 0 && fabs(out[0].gap - wanted[0].gap) < 1e-7,
                  "case %d, form %d: gap %.17g of %d points, wanted %.17g", k, (int)b.form,
                  n ? out[0].gap : NAN, n, wanted[0].gap);
      }
    }
    mb_skin_free(surface), mb_skin_free(second), mb_hull_free(hull), mb_hull_free(other);
  }
  cr_assert(apart > 500 && shallow > 500);
  cr_assert(seen > 0.99 * meshes, "%d of %d pairs of meshes are seen", seen, meshes);
}

Test(collide_mesh, cubes_of_triangles_stand_on_one_another_and_on_planes_with_all_of_their_base) {
  MbSkin *cube = made_surface_of(&mb_hull_cube);
  const MbShape mesh = mb_shape_mesh(cube), plane = mb_shape_plane();
  MbPose A, B;
  MbContactPoint out[MB_CONTACT_POINTS];
  mb_pose_identity(&A);
  mb_pose_identity(&B);
  for (int k = 0; k < 4; k++) {
    // beyond an edge, turned about the vertical; above and below by little
    const double gap = (double[]){1e-6, -1e-6, 1e-9, -1e-9}[k];
    mb_vec3_set(B.p, 0.5, 0.25, 2 + gap);
    mb_quat_exp(B.q, (double[]){0, 0, k > 1 ? 0.3 : 0});
    int n = made_collide(&mesh, &A, &mesh, &B, 0.01, out);
    double low[2] = {9, 9}, high[2] = {-9, -9};
    cr_assert(n >= 4, "case %d: %d points", k, n);
    for (int i = 0; i < n; i++) {
      cr_assert(fabs(out[i].gap - gap) < 1e-12 && out[i].normal[2] > 1 - 1e-12, "case %d: gap %g", k,
                out[i].gap);
      for (int j = 0; j < 2; j++)
        low[j] = fmin(low[j], out[i].position[j]), high[j] = fmax(high[j], out[i].position[j]);
    }
    if (k < 2) {
      test_near("low", low, (double[]){-0.5, -0.75}, 2, 1e-12);
      test_near("high", high, (double[]){1, 1}, 2, 1e-12);
    }
    mb_vec3_set(B.p, 0.5, 0.25, 1 + gap);
    n = made_collide(&plane, &A, &mesh, &B, 0.01, out);
    cr_assert_eq(n, 4);
    for (int i = 0; i < n; i++) cr_assert(fabs(out[i].gap - gap) < 1e-12);
  }
  mb_skin_free(cube);
}

// A cube of triangles whose edges are 2 · half long.
static MbSkin *made_cube(double half) {
  MbSkin *cube = made_surface_of(&mb_hull_cube), *made = NULL;
  double vertex[24];
  uint32_t at;
  for (int k = 0; k < 24; k++) vertex[k] = half * cube->vertex[k];
  cr_assert_eq(mb_skin_make(&made, 8, vertex, cube->triangles, cube->corner, &at), MB_SKIN_SOUND);
  mb_skin_free(cube);
  return made;
}

// Both anywhere, so that rounding alone decides whether their faces are in one another; the diagonals of these cross.
Test(collide_mesh, cubes_of_triangles_that_lie_flush_touch_along_what_is_square_to_their_faces_alone) {
  static const double halves[] = {1, 1e-3, 1e3};
  uint64_t seed = 75;
  MbContactPoint out[MB_CONTACT_POINTS];
  for (int k = 0; k < 600; k++) {
    const double half = halves[k % 3], away = k % 5 ? half : 100 * half;
    MbSkin *cube = made_cube(half);
    const MbShape mesh = mb_shape_mesh(cube);
    MbPose A = made_pose(&seed, away), B;
    mb_pose_identity(&B);
    mb_vec3_set(B.p, k % 2 ? 0 : half * test_random(&seed), k % 2 ? 0 : half * test_random(&seed), 2 * half);
    mb_quat_exp(B.q, (double[]){0, 0, k % 4 ? 3 * test_random(&seed) : 0});
    mb_pose_mul(&B, &A, &B);
    double up[3];
    mb_quat_rotate(up, A.q, (double[]){0, 0, 1});
    const int n = made_collide(&mesh, &A, &mesh, &B, 0.01 * half, out);
    cr_assert(n >= 4, "case %d: %d points", k, n);
    for (int i = 0; i < n; i++)
      cr_assert(mb_vec3_dot(out[i].normal, up) > 1 - 1e-12 && fabs(out[i].gap) < 1e-12 * half + 1e-14 * away,
                "case %d: point %d of %d has the normal %g along what is square, gap %g", k, i, n,
                mb_vec3_dot(out[i].normal, up), out[i].gap);
    mb_skin_free(cube);
  }
}

// A cube whose lower edge lies on the rim of another one, and a little beyond it or short of it: they can part along what no face beside
// the edge or the rim rises by, and along nothing else. The diagonals of the faces beside both begin at the same corner.
Test(collide_mesh, an_edge_on_a_rim_touches_along_nothing_that_leads_into_either_cube) {
  MbSkin *cube = made_surface_of(&mb_hull_cube);
  const MbShape mesh = mb_shape_mesh(cube);
  MbPose A, B;
  mb_pose_identity(&A);
  mb_pose_identity(&B);
  for (int turned = 0; turned < 4; turned++)
    for (int k = 1; k < 18; k++)
      for (int beside = -3; beside <= 3; beside++) {
        const double angle = 0.5 * M_PI * k / 18, c = cos(angle), s = sin(angle);
        const double R[9] = {c, 0, -s, 0, 1, 0, s, 0, c}, low[3] = {-1, 0, -1};
        MbContactPoint out[MB_CONTACT_POINTS];
        // the lower edge to x = 1, z = 1 of the other one; A's faces are cut along other diagonals as it is turned
        mb_mat3_apply(B.p, R, low);
        mb_vec3_sub(B.p, (double[]){1 + 1e-9 * beside, 1e-9 * beside, 1 + 1e-9}, B.p);
        mb_quat_exp(B.q, (double[]){0, -angle, 0});
        mb_quat_exp(A.q, (double[]){0, 0, 0.5 * M_PI * turned});
        const int n = made_collide(&mesh, &A, &mesh, &B, 1e-4, out);
        cr_assert(n >= 2, "%d, %d, %d: %d points", turned, k, beside, n);
        for (int i = 0; i < n; i++) {
          const double *m = out[i].normal;
          cr_assert(m[0] > -0.03 && m[2] > -0.03 && c * m[0] + s * m[2] > -0.03 &&
                        c * m[2] - s * m[0] > -0.03,
                    "%d, turned by %g, %d: along (%g, %g, %g)", turned, angle, beside, m[0], m[1], m[2]);
        }
      }
  mb_skin_free(cube);
}

// A link hangs in another one by corners at which both surfaces turn up to two sides: four pairs of edges hold it there, and at most two a
// little beside. The slope of the edges is that of half a side's angle.
static void hang(double size) {
  static const double beside[] = {-1e-4, -1e-9, 0, 1e-9, 1e-4}, gaps[] = {-1e-10, 1e-10, 1e-6};
  MbSkin *link = made_torus(size, 0.2 * size, 16, 8);
  const MbShape shape = mb_shape_mesh(link);
  const double slope = tan(acos(-1.0) / 16), nz = 1 / sqrt(1 + 2 * slope * slope);
  MbPose A, B;
  mb_pose_identity(&A);
  mb_pose_identity(&B);
  mb_quat_exp(A.q, (double[]){0.5 * acos(-1.0), 0, 0});
  mb_quat_exp(B.q, (double[]){0, 0.5 * acos(-1.0), 0});
  for (size_t k = 0; k < 75; k++) {
    const double x = beside[k % 5], y = beside[k / 5 % 5], gap = gaps[k / 25];
    const double wanted = (gap - slope * (fabs(x) + fabs(y))) * nz;
    MbContactPoint out[MB_CONTACT_POINTS];
    mb_vec3_set(B.p, size * x, size * y, size * (-1.6 + gap));
    const int n = made_collide(&shape, &A, &shape, &B, 1e-3 * size, out);
    const bool at_corner = fabs(x) < 1e-8 && fabs(y) < 1e-8;
    cr_assert(n >= (at_corner ? 4 : 1), "%g: %g, %g, %g: %d points", size, x, y, gap, n);
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
      least = fmin(least, out[i].gap / size);
      cr_assert(fabs(out[i].normal[2] - nz) < 1e-4, "%g: %g, %g, %g: along %g", size, x, y, gap,
                out[i].normal[2]);
    }
    cr_assert(fabs(least - wanted) < 1e-9, "%g: %g, %g, %g: gap %g, wanted %g", size, x, y, gap, least,
              wanted);
  }
  mb_skin_free(link);
}

Test(collide_mesh, a_link_hangs_in_another_by_corners_that_lead_nowhere) { hang(1), hang(1e-3), hang(1e3); }

// Two links that touch at one place, by rounding, and are in one another at another, as they were found in a chain that swung.
Test(collide_mesh, what_touches_at_one_place_does_not_hide_what_is_deep_at_another) {
  MbSkin *link = made_torus(1, 0.2, 16, 8);
  const MbShape shape = mb_shape_mesh(link);
  MbPose A, B;
  mb_vec3_set(A.p, 0, 0, 0);
  mb_vec3_set(B.p, 0.87689596271031145, 5.8824382107809401e-05, -1.3431021816028952);
  memcpy(A.q, (const double[]){0.70710678118654757, 0.70710678118654746, 0, 0}, sizeof A.q);
  memcpy(B.q,
         (const double[]){0.85779597021241694, 0.00019031451883648706, 0.51399029548424369,
                          -0.0001158263458922939},
         sizeof B.q);
  MbContactPoint out[MB_CONTACT_POINTS];
  const int n = made_collide(&shape, &A, &shape, &B, 0.005, out);
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < n; i++) least = fmin(least, out[i].gap), most = fmax(most, out[i].gap);
  cr_expect(n >= 2 && fabs(least + 0.0226) < 1e-3 && fabs(most) < 1e-5, "%d points, from %g to %g", n, least,
            most);
  mb_skin_free(link);
}

Test(collide_mesh, a_torus_sits_on_a_cone_all_around) {
  enum { AROUND = 32 };
  MbSkin *torus = made_torus(1, 0.3, AROUND, 16), *cone = made_cone(1.5, 1.5, AROUND);
  const MbShape ring = mb_shape_mesh(torus), tip = mb_shape_mesh(cone);
  MbPose A, B;
  MbContactPoint out[MB_CONTACT_POINTS];
  mb_pose_identity(&A);
  mb_pose_identity(&B);
  // comes down by what is left along the normal until it touches
  B.p[2] = 1.3;
  int n = 0;
  for (int k = 0; k < 60; k++) {
    n = made_collide(&tip, &A, &ring, &B, 0.05, out);
    if (n > 0 && fabs(out[0].gap - 1e-9) < 1e-15) break;
    B.p[2] -= n > 0 ? (out[0].gap - 1e-9) / out[0].normal[2] : 0.05;
  }
  n = made_collide(&tip, &A, &ring, &B, 1e-3, out);
  bool quarter[4] = {false};
  cr_assert(n >= 8, "%d points", n);
  for (int i = 0; i < n; i++) {
    const double *x = out[i].position, *m = out[i].normal, r = hypot(x[0], x[1]);
    cr_assert(fabs(out[i].gap - 1e-9) < 1e-9, "gap %g", out[i].gap);
    // out and up, across the cone's side
    cr_assert(m[2] > 0.69 && m[2] < 0.72 && m[0] * x[0] + m[1] * x[1] > 0.65 * r, "normal %g", m[2]);
    quarter[(x[0] > 0) + 2 * (x[1] > 0)] = true;
  }
  for (int i = 0; i < 4; i++) cr_assert(quarter[i], "no point in quarter %d", i);
  mb_skin_free(torus), mb_skin_free(cone);
}

#ifdef MB_SANITIZED
enum { DEEP_PAIRS = 1500 };
#else
enum { DEEP_PAIRS = 6000 };
#endif
Test(collide_mesh, however_deep_things_are_in_meshes_there_are_numbers_and_nothing_is_allocated) {
  uint64_t seed = 74;
  MbHull *hull = made_hull(&seed, 12);
  MbSkin *surface[4] = {made_torus(0.6, 0.25, 14, 9), made_cone(0.5, 0.8, 9), made_sheet(&seed, 6, 1, 0),
                        made_sheet(&seed, 4, 1, 0.2)};
  const int64_t calls = mb_alloc_calls();
  for (int k = 0; k < DEEP_PAIRS; k++) {
    const MbShape a = mb_shape_mesh(surface[k % 4]);
    const MbShape b = k % 7 == 6 ? mb_shape_mesh(surface[k / 7 % 4]) : some_shape(&seed, k % 7, hull);
    const MbPose A = k % 2 ? made_pose(&seed, 0.5) : made_aligned_pose(&seed);
    const MbPose B = k % 3 ? made_pose(&seed, 0.5) : k % 5 ? made_near_pose(&seed, &A) : A;
    MbContactPoint out[MB_CONTACT_POINTS];
    made_collide(&a, &A, &b, &B, 0.05, out);
  }
  cr_assert_eq(mb_alloc_calls(), calls);
  for (int i = 0; i < 4; i++) mb_skin_free(surface[i]);
  mb_hull_free(hull);
}

Test(collide_mesh, what_is_no_mesh_is_told_by_name) {
  MbSkin *surface;
  uint32_t at;
  double vertex[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0};
  const uint32_t corner[6] = {0, 1, 2, 0, 1, 3}, beyond[3] = {0, 1, 4}, line[6] = {0, 1, 3, 1, 0, 3};
  const int64_t live = mb_alloc_live();
  cr_assert_eq(mb_skin_make(&surface, 4, vertex, 0, corner, &at), MB_SKIN_EMPTY);
  cr_assert_eq(mb_skin_make(&surface, 4, vertex, 2, line, &at), MB_SKIN_NO_AREA);
  cr_assert_eq(at, 0);
  mb_alloc_fail_after(1);
  cr_assert_eq(mb_skin_make(&surface, 4, vertex, 2, corner, &at), MB_SKIN_NO_MEMORY);
  mb_alloc_fail_after(-1);
  cr_assert_eq(mb_skin_make(&surface, 4, vertex, 1, beyond, &at), MB_SKIN_CORNER);
  mb_alloc_fail_after(0);
  cr_assert_eq(mb_skin_make(&surface, 4, vertex, 1, corner, &at), MB_SKIN_NO_MEMORY);
  mb_alloc_fail_after(-1);
  vertex[4] = INFINITY;
  cr_assert_eq(mb_skin_make(&surface, 4, vertex, 1, corner, &at), MB_SKIN_NOT_FINITE);
  cr_assert_null(surface);
  cr_assert_eq(mb_alloc_live(), live);
}
