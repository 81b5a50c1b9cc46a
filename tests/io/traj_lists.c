#include "tests/io/traj_lists.h"
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

MbTrajHead make_lists_head(double pose, double force) {
  static const char *const bodies[] = {"a", "b"}, *const xyz[] = {"x", "y", "z"}, *const counts[] = {"count"};
  static const char *const things[] = {"floor", "wall, \"left\"", "ball"};
  static const MbField touch[LISTS_WIDTH] = {
      {.name = "thing", .unit = "", .quantity = MB_OTHER, .words = things, .nwords = 3},
      {.name = "feature", .unit = "", .quantity = MB_OTHER},
      {.name = "x", .unit = "m", .quantity = MB_POSE},
      {.name = "y", .unit = "m", .quantity = MB_POSE},
      {.name = "z", .unit = "m", .quantity = MB_POSE},
      {.name = "gap", .unit = "m", .quantity = MB_OTHER},
      {.name = "force", .unit = "N", .quantity = MB_FORCE}};
  static const MbField mark[LISTS_MARK_WIDTH] = {{.name = "u", .unit = "", .quantity = MB_OTHER},
                                                 {.name = "v", .unit = "", .quantity = MB_OTHER}};
  static const MbList touches = {LISTS_KEYS, LISTS_WIDTH, touch}, marks = {0, LISTS_MARK_WIDTH, mark};
  static const MbChannel channels[] = {{.name = "body.position",
                                        .unit = "m",
                                        .quantity = MB_POSE,
                                        .items = 2,
                                        .width = 3,
                                        .items_names = bodies,
                                        .component_names = xyz},
                                       {.name = "touch",
                                        .unit = "",
                                        .quantity = MB_OTHER,
                                        .items = 1,
                                        .width = 1,
                                        .offset = 6,
                                        .component_names = counts,
                                        .list = &touches},
                                       {.name = "mark",
                                        .unit = "",
                                        .quantity = MB_OTHER,
                                        .items = 1,
                                        .width = 1,
                                        .offset = 7,
                                        .component_names = counts,
                                        .list = &marks}};
  return (MbTrajHead){.scene = "{}",
                      .channels = channels,
                      .nchannels = 3,
                      .frame_size = LISTS_FRAME_SIZE,
                      .bound = {[MB_POSE] = pose, [MB_FORCE] = force},
                      .step = 0.01,
                      .bodies = bodies,
                      .nbodies = 2};
}

size_t make_touches(uint64_t i, double *entries) {
  const double t = 0.01 * (double)i;
  size_t n = 0;
  for (uint64_t k = 0; k < LISTS_MOST; k++) {
    if ((i + 5 * k) % (20 + k) > 13 - k || (i > 40 && i < 45)) continue; // it is not there now
    double *e = entries + LISTS_WIDTH * n++;
    e[0] = (double)(k / 4);
    e[1] = (double)(k % 4 * 3) - 2;
    for (int a = 0; a < 3; a++) e[2 + a] = sin(2 * t + (double)k + a);
    e[5] = -1e-4 * (double)(k + 1) * exp(-t);
    e[6] = 40 + 10 * cos(7 * t + (double)k);
  }
  return n;
}

size_t make_marks(uint64_t i, double *entries) {
  uint64_t state = i;
  const size_t n = random_word(&state) % 5;
  for (size_t k = 0; k < LISTS_MARK_WIDTH * n; k++) {
    const uint64_t word = random_word(&state);
    memcpy(&entries[k], &word, 8); // any bits, numbers or not
  }
  return n;
}

void make_lists_frame(uint64_t i, double *time, double *frame) {
  double entries[LISTS_WIDTH * LISTS_MOST];
  *time = 0.01 * (double)i;
  for (int k = 0; k < 6; k++) frame[k] = sin(*time + k);
  frame[6] = (double)make_touches(i, entries);
  frame[7] = (double)make_marks(i, entries);
}

void put_lists_frame(MbTrajWriter *writer, uint64_t i) {
  double time = 0, frame[LISTS_FRAME_SIZE], entries[LISTS_WIDTH * LISTS_MOST];
  make_lists_frame(i, &time, frame);
  size_t n = make_touches(i, entries);
  cr_assert_eq(mb_traj_entries(writer, LISTS_TOUCH, entries, n, NULL), MB_OK);
  n = make_marks(i, entries);
  if (n) cr_assert_eq(mb_traj_entries(writer, LISTS_MARK, entries, n, NULL), MB_OK);
  cr_assert_eq(mb_traj_frame(writer, time, frame, NULL), MB_OK);
}

void make_lists_file(const char *path, double pose, double force, uint64_t frames, uint64_t cut) {
  const MbTrajHead head = make_lists_head(pose, force);
  MbTrajWriter *w = NULL;
  cr_assert_eq(mb_traj_create(path, &head, &w, NULL), MB_OK);
  for (uint64_t i = 0; i < frames; i++) {
    if (i == cut) cr_assert_eq(mb_traj_checkpoint(w, 0, i, "state", 5, NULL), MB_OK);
    put_lists_frame(w, i);
  }
  cr_assert_eq(mb_traj_close(w, NULL, NULL), MB_OK);
}
