// Collision: time of a pair of shapes by their forms, as they rest (1e-6 deep), and as they are 0.1 apart; and the broad phase of many boxes.
#include "core/base/alloc.h"
#include "core/collision/broad.h"
#include "core/collision/collide.h"
#include "core/collision/quickhull.h"
#include "tools/bench/bench.h"

#include <math.h>
#include <stdio.h>

enum { PAIRS = 32, TIMES = 3, RING = 24, TUBE = 12 };
static const char *const names[MB_FORMS] = {"plane",     "sphere", "capsule", "cylinder",
                                            "ellipsoid", "box",    "hull",    "mesh"};

static uint64_t state = 1;
static double uniform(void) { // −1 … 1
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) / 4503599627370496.0 - 1;
}

static MbPose random_pose(double reach) {
  MbPose E;
  for (int k = 0; k < 3; k++) E.p[k] = reach * uniform();
  for (int k = 0; k < 4; k++) E.q[k] = uniform();
  mb_quat_normalise(E.q);
  return E;
}

// A hull of 20 vertices, and a torus of 576 triangles.
static MbHull *make_hull(void) {
  double point[60];
  for (int i = 0; i < 20; i++) {
    for (int k = 0; k < 3; k++) point[3 * i + k] = uniform();
    mb_vec3_scale(point + 3 * i, 0.6 / mb_vec3_norm(point + 3 * i), point + 3 * i);
  }
  MbHull *hull;
  mb_hull_of_points(&hull, 20, point);
  return hull;
}

static MbSkin *make_torus(void) {
  double vertex[3 * RING * TUBE];
  uint32_t corner[6 * RING * TUBE], at, n = 0;
  const double turn = 2 * acos(-1.0);
  for (uint32_t i = 0; i < RING; i++)
    for (uint32_t j = 0; j < TUBE; j++) {
      const double a = turn * i / RING, b = turn * j / TUBE, r = 0.6 + 0.2 * cos(b);
      mb_vec3_set(vertex + 3 * (i * TUBE + j), r * cos(a), r * sin(a), 0.2 * sin(b));
      const uint32_t i2 = (i + 1) % RING, j2 = (j + 1) % TUBE;
      const uint32_t side[6] = {i * TUBE + j, i2 * TUBE + j,  i2 * TUBE + j2,
                                i * TUBE + j, i2 * TUBE + j2, i * TUBE + j2};
      for (int k = 0; k < 6; k++) corner[n++] = side[k];
    }
  MbSkin *skin;
  mb_skin_make(&skin, RING * TUBE, vertex, n / 3, corner, &at);
  return skin;
}

static MbShape shape_of(MbForm form, const MbHull *hull, const MbSkin *skin) {
  switch (form) {
  case MB_FORM_PLANE:
    return mb_shape_plane();
  case MB_FORM_SPHERE:
    return mb_shape_sphere(0.5);
  case MB_FORM_CAPSULE:
    return mb_shape_capsule(0.4, 0.6);
  case MB_FORM_CYLINDER:
    return mb_shape_cylinder(0.5, 1);
  case MB_FORM_ELLIPSOID:
    return mb_shape_ellipsoid((double[]){0.3, 0.5, 0.7});
  case MB_FORM_BOX:
    return mb_shape_box((double[]){1, 0.9, 0.8});
  case MB_FORM_HULL:
    return mb_shape_hull(hull);
  default:
    return mb_shape_mesh(skin);
  }
}

typedef struct Pair {
  MbPose A, B;
} Pair;

// Moves b until the two are so far apart. Meshes have their gap by more than one try.
static void set_apart(const MbShape *a, const MbShape *b, Pair *pair, double gap) {
  MbContactPoint out[MB_CONTACT_POINTS];
  for (int k = 0; k < 20; k++) {
    if (mb_collide(a, &pair->A, b, &pair->B, 0.3, out) <= 0) {
      mb_vec3_scale(pair->B.p, 0.8, pair->B.p);
      continue;
    }
    if (fabs(out[0].gap - gap) < 1e-9) return;
    mb_vec3_add_scaled(pair->B.p, pair->B.p, gap - out[0].gap, out[0].normal);
  }
}

// The least nanoseconds of a pair of some rounds.
static double measure(const MbShape *a, const MbShape *b, const Pair *pair, int *points) {
  double least = INFINITY;
  MbContactPoint out[MB_CONTACT_POINTS];
  for (int round = 0; round < TIMES; round++) {
    *points = 0;
    const double start = mb_bench_cpu();
    for (int i = 0; i < PAIRS; i++) *points += mb_collide(a, &pair[i].A, b, &pair[i].B, 0.2, out);
    least = fmin(least, 1e9 * (mb_bench_cpu() - start) / PAIRS);
  }
  return least;
}

static void pairs(const MbHull *hull, const MbSkin *skin) {
  static Pair pair[PAIRS];
  printf("  %-22s %12s %12s %8s\n", "pair", "resting, ns", "apart, ns", "points");
  for (int f = 0; f < MB_FORMS; f++)
    for (int g = f; g < MB_FORMS; g++) {
      if (!mb_collides((MbForm)f, (MbForm)g)) continue;
      const MbShape a = shape_of((MbForm)f, hull, skin), b = shape_of((MbForm)g, hull, skin);
      double time[2];
      int points[2];
      for (int apart = 0; apart < 2; apart++) {
        for (int i = 0; i < PAIRS; i++) {
          pair[i] = (Pair){random_pose(0.1), random_pose(1.5)};
          set_apart(&a, &b, &pair[i], apart ? 0.1 : -1e-6);
        }
        time[apart] = measure(&a, &b, pair, &points[apart]);
      }
      printf("  %-9s %-12s %12.0f %12.0f %8.2f\n", names[f], names[g], time[0], time[1],
             (double)points[0] / PAIRS);
    }
}

// Boxes of size 1 in a pile of about one in each cube of size 1.2.
static bool broad(uint32_t n) {
  MbBounds *bounds = mb_calloc(n, sizeof *bounds);
  if (!bounds) return false;
  const double side = 1.2 * cbrt(n) / 2;
  const MbShape box = mb_shape_box((double[]){1, 1, 1});
  for (uint32_t i = 0; i < n; i++) {
    const MbPose E = random_pose(side);
    mb_shape_bounds(&box, &E, &bounds[i]);
  }
  double least[2] = {INFINITY, INFINITY};
  size_t pairs = 0;
  bool sound = true;
  for (int round = 0; round < TIMES && sound; round++) {
    MbBroad found = {0};
    for (int again = 0; again < 2 && sound; again++) {
      const double start = mb_bench_cpu();
      sound = mb_broad_find(&found, n, bounds);
      least[again] = fmin(least[again], 1e3 * (mb_bench_cpu() - start));
    }
    pairs = found.npairs;
    mb_broad_free(&found);
  }
  printf("  broad phase of %6u boxes: %8.3f ms, again where they have not moved far %8.3f ms, %zu pairs\n", n,
         least[0], least[1], pairs);
  mb_free(bounds);
  return sound;
}

bool mb_bench_collide(void) {
  MbHull *hull = make_hull();
  MbSkin *skin = make_torus();
  const bool made = hull && skin;
  if (made) pairs(hull, skin);
  mb_hull_free(hull), mb_skin_free(skin);
  return made && broad(1000) && broad(10000);
}
