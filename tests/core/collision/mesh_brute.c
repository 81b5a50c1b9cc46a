#include "tests/core/collision/mesh_brute.h"

#include "core/collision/convex.h"
#include "core/collision/skin_hull.h"
#include "core/math/vec3.h"
#include "tests/support.h"

// What meshes are made of for brute force, in the world: triangles; what is convex is itself.
typedef struct Pieces {
  size_t n;
  const MbShape *convex; // NULL: triangles
  MbPlaced placed;       // of what is convex
  double x[9 * 400];     // corners
} Pieces;

static void cut(Pieces *pieces, const MbShape *shape, const MbPose *E) {
  pieces->convex = shape->form == MB_FORM_MESH ? NULL : shape;
  pieces->n = pieces->convex ? 1 : shape->surface->triangles;
  if (pieces->convex) {
    pieces->placed = mb_place(shape, E);
    return;
  }
  cr_assert(pieces->n <= 400);
  for (size_t i = 0; i < 3 * pieces->n; i++)
    mb_pose_point(pieces->x + 3 * i, E, shape->surface->vertex + 3 * (size_t)shape->surface->corner[i]);
}

static const MbPlaced *piece(const Pieces *pieces, size_t i, MbSkinHull *hull) {
  if (pieces->convex) return &pieces->placed;
  const double *const x = pieces->x + 9 * i;
  cr_assert(mb_skin_hull_of(hull, (const double *const[]){x, x + 3, x + 6}));
  return &hull->placed;
}

static bool are_far(const double *p, const double *q, double within) {
  for (int k = 0; k < 3; k++)
    if (fmin(fmin(p[k], p[3 + k]), p[6 + k]) > fmax(fmax(q[k], q[3 + k]), q[6 + k]) + within ||
        fmin(fmin(q[k], q[3 + k]), q[6 + k]) > fmax(fmax(p[k], p[3 + k]), p[6 + k]) + within)
      return true;
  return false;
}

double brute_gap(const MbShape *a, const MbPose *A, const MbShape *b, const MbPose *B, double within,
                 double n[3]) {
  static Pieces one, two;
  cut(&one, a, A), cut(&two, b, B);
  double least = within;
  for (size_t s = 0; s < one.n; s++)
    for (size_t t = 0; t < two.n; t++) {
      MbSkinHull own, its;
      MbConvexPair pair;
      MbConvexGap gap;
      if (!two.convex && are_far(one.x + 9 * s, two.x + 9 * t, least)) continue;
      mb_convex_pair(&pair, piece(&one, s, &own), piece(&two, t, &its));
      if (!mb_convex_gap(&pair, least, &gap) || gap.gap >= least) continue;
      least = gap.gap;
      mb_vec3_copy(n, gap.n);
    }
  return least;
}

bool brute_touch(const MbShape *a, const MbPose *A, const MbShape *b, MbPose *B, const double way[3]) {
  double n[3];
  for (int k = 0; k < 200; k++) {
    const double gap = brute_gap(a, A, b, B, 0.3, n);
    if (gap >= 0.3) {
      mb_vec3_add_scaled(B->p, B->p, 0.25, way);
      if (mb_vec3_norm(B->p) > 8) return false;
      continue;
    }
    if (gap <= 0) return false;
    if (gap < 2e-9) return true;
    const double along = mb_vec3_dot(n, way);
    // n leads from a to b
    mb_vec3_add_scaled(B->p, B->p, along < -0.05 ? (gap - 1e-9) / -along : gap - 1e-9, way);
  }
  return false;
}
