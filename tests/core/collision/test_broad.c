// Pairs of boxes that overlap, against trying all; islands, against spreading numbers until nothing changes.
#include "core/collision/broad.h"

#include "core/base/alloc.h"
#include "tests/core/collision/collide_make.h"
#include "tests/core/collision/hull_make.h"

#include <math.h>
#include <string.h>

enum { MANY = 300 };

static void random_bounds(uint64_t *seed, MbBounds *bounds, bool aligned) {
  for (int k = 0; k < 3; k++) {
    const double x = 8 * test_random(seed), size = 1.5 * test_random(seed);
    bounds->low[k] = aligned ? floor(x) : x, bounds->high[k] = bounds->low[k] + (aligned ? 1 : size);
  }
}

Test(broad, every_pair_of_boxes_that_overlap_is_found_once_and_in_order) {
  uint64_t seed = 51;
  MbBroad broad = {0};
  MbBounds bounds[MANY];
  for (int round = 0; round < 30; round++) {
    const uint32_t n = round ? (uint32_t)(MANY * test_random(&seed)) : 0;
    for (uint32_t i = 0; i < n; i++) random_bounds(&seed, &bounds[i], round % 3 == 0);
    if (n > 4)
      mb_vec3_set(bounds[3].low, -INFINITY, -INFINITY, -INFINITY),
          mb_vec3_set(bounds[3].high, INFINITY, INFINITY, 1);
    cr_assert(mb_broad_find(&broad, n, bounds));
    size_t at = 0;
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t j = i + 1; j < n; j++) {
        bool meet = true;
        for (int k = 0; k < 3; k++)
          meet =
              meet && fmax(bounds[i].low[k], bounds[j].low[k]) <= fmin(bounds[i].high[k], bounds[j].high[k]);
        if (!meet) continue;
        cr_assert(at < broad.npairs && broad.pair[at].a == i && broad.pair[at].b == j, "pair %u %u", i, j);
        at++;
      }
    cr_assert_eq(at, broad.npairs);
  }
  // what it has had room for takes no more
  const int64_t calls = mb_alloc_calls();
  for (uint32_t i = 0; i < 20; i++) random_bounds(&seed, &bounds[i], false);
  cr_assert(mb_broad_find(&broad, 20, bounds));
  cr_assert_eq(mb_alloc_calls(), calls);
  mb_broad_free(&broad);
}

// Boxes that drift, of which one jumps now and then: what is kept from call to call must not show.
Test(broad, pairs_of_boxes_that_move_are_those_of_boxes_that_were_always_there) {
  uint64_t seed = 55;
  MbBroad kept = {0};
  MbBounds bounds[MANY];
  for (uint32_t i = 0; i < MANY; i++) random_bounds(&seed, &bounds[i], false);
  mb_vec3_set(bounds[7].low, -INFINITY, -INFINITY, -INFINITY);
  mb_vec3_set(bounds[7].high, INFINITY, INFINITY, 2);
  for (int step = 0; step < 200; step++) {
    const double way = pow(10, -1 - 4 * test_random(&seed));
    for (uint32_t i = 0; i < MANY; i++)
      for (int k = 0; k < 3; k++) {
        const double d = way * (2 * test_random(&seed) - 1) * (i == (uint32_t)step ? 100 : 1);
        bounds[i].low[k] += d, bounds[i].high[k] += d;
      }
    MbBroad anew = {0};
    cr_assert(mb_broad_find(&kept, MANY, bounds) && mb_broad_find(&anew, MANY, bounds));
    cr_assert_eq(kept.npairs, anew.npairs, "step %d", step);
    cr_assert(!memcmp(kept.pair, anew.pair, anew.npairs * sizeof *anew.pair), "step %d", step);
    mb_broad_free(&anew);
  }
  mb_broad_free(&kept);
}

Test(broad, no_memory_is_told_and_leaves_nothing_behind) {
  uint64_t seed = 52;
  MbBounds bounds[20];
  for (uint32_t i = 0; i < 20; i++) random_bounds(&seed, &bounds[i], true), bounds[i].low[0] = 0;
  const int64_t live = mb_alloc_live();
  int64_t calls = 0;
  for (bool done = false; !done; calls++) {
    MbBroad broad = {0};
    mb_alloc_fail_after(calls);
    done = mb_broad_find(&broad, 20, bounds);
    mb_alloc_fail_after(-1);
    if (!done) cr_assert_eq(broad.npairs, 0);
    mb_broad_free(&broad);
  }
  cr_assert(calls > 4);
  cr_assert_eq(mb_alloc_live(), live);
}

// A plane along each axis touches the shape where its box ends.
Test(broad, a_shape_s_box_ends_where_planes_touch_it) {
  uint64_t seed = 53;
  MbHull *hull = made_hull(&seed, 16);
  const MbShape ground = mb_shape_plane();
  const double quarter = acos(0.0);
  const double turn[6][3] = {{0, quarter, 0},  {-quarter, 0, 0}, {0, 0, 0},
                             {0, -quarter, 0}, {quarter, 0, 0},  {2 * quarter, 0, 0}};
  for (int k = 0; k < 600; k++) {
    const MbForm form = (MbForm)(MB_FORM_SPHERE + k % 6);
    const MbShape shape = form == MB_FORM_HULL ? mb_shape_hull(hull) : made_shape(&seed, form);
    const MbPose E = made_pose(&seed, 2);
    MbBounds bounds;
    mb_shape_bounds(&shape, &E, &bounds);
    for (int side = 0; side < 6; side++) {
      MbPose plane;
      mb_pose_identity(&plane);
      mb_quat_exp(plane.q, turn[side]);
      MbContactPoint out[MB_CONTACT_POINTS];
      cr_assert(mb_collide(&ground, &plane, &shape, &E, INFINITY, out) > 0);
      const double end = side < 3 ? bounds.low[side] : -bounds.high[side - 3];
      cr_assert(fabs(out[0].gap - end) < 1e-12, "form %d side %d: %g and %g", (int)form, side, out[0].gap,
                end);
    }
  }
  mb_hull_free(hull);
}

Test(broad, islands_are_what_links_connect_numbered_by_their_first_members) {
  uint64_t seed = 54;
  for (int round = 0; round < 200; round++) {
    const uint32_t n = 1 + (uint32_t)(60 * test_random(&seed));
    const size_t nlinks = (size_t)(n * 1.2 * test_random(&seed));
    MbPair links[80];
    uint32_t island[60], least[60];
    for (size_t i = 0; i < nlinks; i++)
      links[i] = (MbPair){(uint32_t)(n * test_random(&seed)), (uint32_t)(n * test_random(&seed))};
    for (uint32_t i = 0; i < n; i++) least[i] = i;
    for (uint32_t again = 0; again < n; again++)
      for (size_t i = 0; i < nlinks; i++) {
        const uint32_t a = least[links[i].a], b = least[links[i].b];
        least[links[i].a] = least[links[i].b] = a < b ? a : b;
      }
    const uint32_t count = mb_islands(n, nlinks, links, island);
    uint32_t firsts = 0;
    for (uint32_t i = 0; i < n; i++) {
      if (least[i] == i) cr_assert_eq(island[i], firsts++);
      cr_assert_eq(island[i], island[least[i]]);
    }
    cr_assert_eq(count, firsts);
  }
}
