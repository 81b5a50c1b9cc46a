// Reading at random, in parts, by channel and by time; the hash.
#include "core/base/alloc.h"
#include "tests/io/traj_make.h"
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void hash_of(const char *path, char hex[33]) {
  MbTraj *t = NULL;
  cr_assert_eq(mb_traj_open(path, &t, NULL), MB_OK);
  cr_assert_eq(mb_traj_hash(t, hex, NULL), MB_OK);
  mb_traj_free(t);
}

Test(traj_read, any_range_of_any_channels) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  make_file(path, 0, 0, 150);
  MbTraj *t = NULL;
  cr_assert_eq(mb_traj_open(path, &t, NULL), MB_OK);
  double *frames = calloc(150 * MAKE_FRAME_SIZE, sizeof *frames), times[150];
  uint64_t state = 1;
  for (int round = 0; round < 300; round++) {
    const uint64_t first = random_word(&state) % 151, count = random_word(&state) % (151 - first);
    const uint64_t pick = random_word(&state) % 8;
    const bool wanted[3] = {pick & 1, pick & 2, pick & 4};
    for (size_t i = 0; i < 150 * MAKE_FRAME_SIZE; i++) frames[i] = -7;
    cr_assert_eq(mb_traj_read(t, first, count, round % 3 ? wanted : NULL, times, frames, NULL), MB_OK);
    for (uint64_t i = 0; i < count; i++) {
      double time = 0, frame[MAKE_FRAME_SIZE];
      make_frame(first + i, &time, frame);
      cr_assert_eq(times[i], time);
      for (size_t j = 0; j < MAKE_FRAME_SIZE; j++) {
        const bool there = round % 3 == 0 || wanted[j < 21 ? 0 : j < 39 ? 1 : 2];
        cr_assert_eq(frames[i * MAKE_FRAME_SIZE + j], there ? frame[j] : -7, "frame %d number %zu",
                     (int)(first + i), j);
      }
    }
  }
  MbReport report = {0};
  cr_assert_eq(mb_traj_read(t, 150, 1, NULL, times, frames, &report), MB_USAGE);
  cr_assert_eq(mb_traj_read(t, 1, UINT64_MAX, NULL, times, frames, &report), MB_USAGE);
  free(frames);
  mb_traj_free(t);
  folder_remove(&folder);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(traj_read, the_frame_nearest_in_time) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  make_file(path, 0, 0, 100);
  MbTraj *t = NULL;
  cr_assert_eq(mb_traj_open(path, &t, NULL), MB_OK);
  cr_assert_eq(mb_traj_frame_at(t, -5), 0);
  cr_assert_eq(mb_traj_frame_at(t, 1e9), 99);
  for (uint64_t i = 0; i < 100; i++) {
    cr_assert_eq(mb_traj_frame_at(t, 0.01 * (double)i + 0.004), i);
    cr_assert_eq(mb_traj_frame_at(t, 0.01 * (double)i - 0.004), i);
  }
  mb_traj_free(t);
  folder_remove(&folder);
}

Test(traj_read, channel_bytes_add_up_to_the_blocks) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  make_file(path, 1e-6, 0, 100);
  MbTraj *t = NULL;
  cr_assert_eq(mb_traj_open(path, &t, NULL), MB_OK);
  uint64_t sum = 0, records = 0;
  for (size_t i = 0; i < 3; i++) sum += mb_traj_channel_bytes(t, i, NULL);
  for (size_t i = 0; i < mb_traj_chunks(t); i++) records += mb_traj_chunk(t, i).length - 24 - 16;
  records -= 8 * 100;
  cr_assert(sum <= records && sum + 8 * mb_traj_chunks(t) > records, "%d of %d", (int)sum, (int)records);
  cr_assert_lt(mb_traj_channel_bytes(t, 0, NULL), mb_traj_channel_bytes(t, 1, NULL));
  mb_traj_free(t);
  folder_remove(&folder);
}

// What write_variant changes in the trajectory that the hash is tried with.
enum { SAME, CLOCK, CHUNKS, BOUND, NUMBER, TIME, NAME, STEP, MESH, FEWER, VARIANTS };

static void write_variant(const char *path, int variant) {
  MbTrajHead head = make_head(variant == BOUND ? 1e-30 : 0, 0);
  MbChannel channels[3];
  memcpy(channels, head.channels, sizeof channels);
  if (variant == NAME) channels[1].name = "body.speed";
  if (variant == STEP) head.step = 0.002;
  head.channels = channels;
  const double vertex[] = {0, 0, variant == MESH ? 1 : 0};
  const MbTrajMesh mesh = {"m", NULL, 1, 0, 3, vertex, NULL};
  MbTrajWriter *w = NULL;
  cr_assert_eq(mb_traj_create(path, &head, &w, NULL), MB_OK);
  cr_assert_eq(mb_traj_mesh(w, &mesh, NULL), MB_OK);
  for (uint64_t i = 0; i < (variant == FEWER ? 79 : 80); i++) {
    double time = 0, frame[MAKE_FRAME_SIZE];
    make_frame(i, &time, frame);
    if (variant == TIME && i == 7) time = nextafter(time, 1);
    if (variant == NUMBER && i == 7) frame[3] = nextafter(frame[3], 1);
    if (variant == CLOCK) frame[39] += 1;
    cr_assert_eq(mb_traj_frame(w, time, frame, NULL), MB_OK);
    if (variant == CHUNKS && i % 9 == 0) cr_assert_eq(mb_traj_checkpoint(w, time, i, "x", 1, NULL), MB_OK);
  }
  cr_assert_eq(mb_traj_close(w, NULL, NULL), MB_OK);
}

Test(traj_read, the_hash_depends_on_content_alone) {
  const Folder folder = folder_make();
  char path[256], first[33], hex[33];
  for (int variant = SAME; variant < VARIANTS; variant++) {
    char name[20];
    snprintf(name, sizeof name, "%d.mbt", variant);
    folder_file(&folder, name, path);
    write_variant(path, variant);
    hash_of(path, hex);
    cr_assert_eq(strlen(hex), 32);
    if (variant == SAME) strcpy(first, hex);
    cr_assert_eq(!strcmp(first, hex), variant <= BOUND, "variant %d: %s and %s", variant, first, hex);
  }
  folder_remove(&folder);
}
