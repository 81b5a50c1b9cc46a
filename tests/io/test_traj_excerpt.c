// Parts of trajectories: the frames that were asked for, the numbers as exact as promised, everything else as it was.
#include "core/base/alloc.h"
#include "tests/io/traj_make.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 200 };
static const MbTrajExcerpt whole = {.slice = {.last = INT64_MAX, .stride = 1}};

static int put_file(void *to, const void *bytes, size_t size) {
  return fwrite(bytes, 1, size, to) == size ? 0 : EIO;
}

// The excerpt of the file at `from`, opened.
static MbTraj *excerpt_of(const Folder *folder, const char *from, const char *name,
                          const MbTrajExcerpt *excerpt) {
  char path[256];
  MbTraj *source = NULL, *made = NULL;
  MbReport report = {0};
  folder_file(folder, name, path);
  FILE *file = fopen(path, "wb");
  cr_assert_eq(mb_traj_open(from, &source, &report), MB_OK);
  cr_assert_eq(mb_traj_excerpt(source, excerpt, "{\"note\":1}", (MbTrajSink){put_file, file}, &report), MB_OK,
               "%s", report.issues[0].text);
  fclose(file);
  mb_traj_free(source);
  cr_assert_eq(mb_traj_verify(path, &report), MB_OK, "%s", report.issues[0].text);
  cr_assert_eq(mb_traj_open(path, &made, &report), MB_OK);
  cr_assert(mb_traj_whole(made));
  return made;
}

// Largest distance of the excerpt's numbers from those that the frames first, first + stride, ... were made of.
static double farthest(MbTraj *made, uint64_t first, uint64_t stride) {
  double largest = 0, time, frame[MAKE_FRAME_SIZE], t, read[MAKE_FRAME_SIZE];
  for (uint64_t k = 0; k < mb_traj_frames(made); k++) {
    cr_assert_eq(mb_traj_read(made, k, 1, NULL, &t, read, NULL), MB_OK);
    make_frame(first + k * stride, &time, frame);
    cr_assert_eq(t, time, "frame %llu", (unsigned long long)k);
    for (int i = 0; i < MAKE_FRAME_SIZE; i++) largest = fmax(largest, fabs(read[i] - frame[i]));
  }
  return largest;
}

Test(traj_excerpt, every_tenth_frame_is_there_bit_for_bit_with_all_else_but_checkpoints) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  make_file(path, 0, 0, FRAMES);
  MbTrajExcerpt tenth = whole;
  tenth.slice.first = 5, tenth.slice.stride = 10;
  MbTraj *made = excerpt_of(&folder, path, "b.mbt", &tenth);
  cr_expect_eq(mb_traj_frames(made), 20);
  cr_expect_eq(farthest(made, 5, 10), 0);
  cr_expect_eq(mb_traj_meshes(made), 1);
  cr_expect_eq(mb_traj_events(made), 1);
  cr_expect_str_eq(mb_traj_read_event(made, 0).text, "something happened");
  cr_expect_eq(mb_traj_checkpoints(made), 0);
  cr_expect_eq(mb_traj_provenances(made), 2);
  cr_expect_str_eq(mb_traj_provenance_json(made, 1), "{\"note\":1}");
  mb_traj_free(made);
  folder_remove(&folder);
  cr_expect_eq(mb_alloc_live(), 0);
}

Test(traj_excerpt, negative_frames_count_from_the_end) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  make_file(path, 0, 0, FRAMES);
  const MbTrajExcerpt last = {.slice = {-3, INT64_MAX, 1}};
  MbTraj *made = excerpt_of(&folder, path, "b.mbt", &last);
  cr_expect_eq(mb_traj_frames(made), 3);
  cr_expect_eq(farthest(made, FRAMES - 3, 1), 0);
  mb_traj_free(made);
  folder_remove(&folder);
}

// The file's own error counts: its numbers and the excerpt's together stay within what was asked for.
Test(traj_excerpt, numbers_are_within_the_error_of_what_the_run_computed) {
  static const struct {
    double there, wanted, promised;
  } cases[] = {{0, 1e-4, 1e-4},    {1e-5, 1e-4, 1e-4}, {4e-5, 1e-4, 1e-4},
               {6e-5, 1e-4, 6e-5}, {1e-3, 1e-4, 1e-3}, {1e-4, 0, 1e-4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const Folder folder = folder_make();
    char path[256];
    folder_file(&folder, "a.mbt", path);
    make_file(path, cases[i].there, cases[i].there, FRAMES);
    MbTrajExcerpt coarse = whole;
    coarse.error[MB_POSE] = coarse.error[MB_VELOCITY] = cases[i].wanted;
    MbTraj *made = excerpt_of(&folder, path, "b.mbt", &coarse), *source = NULL;
    cr_expect_eq(mb_traj_bound(made, 0), cases[i].promised, "case %zu: %g", i, mb_traj_bound(made, 0));
    const double far = farthest(made, 0, 1);
    cr_expect_leq(far, cases[i].promised, "case %zu: %g", i, far);
    if (cases[i].there < cases[i].promised)
      cr_expect_gt(far, cases[i].there, "case %zu: nothing was rounded", i);
    // where nothing is to be gained the numbers are the file's
    cr_assert_eq(mb_traj_open(path, &source, NULL), MB_OK);
    double a[MAKE_FRAME_SIZE], b[MAKE_FRAME_SIZE];
    for (uint64_t k = 0; k < FRAMES && cases[i].there == cases[i].promised; k++) {
      mb_traj_read(source, k, 1, NULL, NULL, a, NULL);
      mb_traj_read(made, k, 1, NULL, NULL, b, NULL);
      cr_assert(!memcmp(a, b, sizeof a), "case %zu, frame %llu", i, (unsigned long long)k);
    }
    mb_traj_free(source);
    mb_traj_free(made);
    folder_remove(&folder);
  }
}

// A sink that is full after some bytes.
static int put_some(void *to, const void *bytes, size_t size) {
  size_t *left = to;
  (void)bytes;
  if (size > *left) return ENOSPC;
  *left -= size;
  return 0;
}

Test(traj_excerpt, a_full_sink_is_an_error_wherever_it_is_full) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  make_file(path, 0, 0, FRAMES);
  for (size_t room = 0; room < 12000; room += 700) {
    MbTraj *source = NULL;
    MbReport report = {0};
    size_t left = room;
    cr_assert_eq(mb_traj_open(path, &source, &report), MB_OK);
    cr_expect_eq(mb_traj_excerpt(source, &whole, NULL, (MbTrajSink){put_some, &left}, &report), MB_IO,
                 "%zu bytes", room);
    cr_expect(strstr(report.issues[0].text, "No space left"), "%s", report.issues[0].text);
    mb_traj_free(source);
  }
  folder_remove(&folder);
  cr_expect_eq(mb_alloc_live(), 0);
}
