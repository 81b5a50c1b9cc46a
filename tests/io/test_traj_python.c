// The Python reader, written from the description of the format, reads the same numbers, bit for bit.
#include "tests/io/traj_make.h"
#include <criterion/criterion.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Smooth numbers, but for what the case asks for.
enum { SMOOTH, NOISE, SPECIAL, STILL };
static void make_case(int kind, uint64_t i, double *time, double *frame, uint64_t *state) {
  make_frame(i, time, frame);
  if (kind == STILL) memset(frame, 0, MAKE_FRAME_SIZE * sizeof *frame);
  for (size_t k = 0; k < MAKE_FRAME_SIZE; k++) {
    static const uint64_t odd[] = {0x7ff0000000000000u, 0xfff8000000000123u, 0x8000000000000000u,
                                   0x7fefffffffffffffu, 3};
    const uint64_t word = random_word(state);
    if (kind == NOISE && k < 21) memcpy(&frame[k], &word, 8);
    if (kind == SPECIAL && word % 9 == 0) memcpy(&frame[k], &odd[(word >> 20) % 5], 8);
  }
}

static FILE *python(const char *path, const char *option) {
  char command[600];
  snprintf(command, sizeof command, "python3 tests/read_mbt.py '%s' %s", path, option);
  return popen(command, "r");
}

// Both readers on the same file: every bit, the hash, and `modes` among what the Python one says of blocks.
static void read_both(const char *path, uint64_t count, size_t size, const char *modes) {
  char line[256] = "", hex[33];
  MbTraj *t = NULL;
  double *times = calloc(count, sizeof *times), *frames = calloc(count * size, sizeof *frames);
  cr_assert_eq(mb_traj_open(path, &t, NULL), MB_OK);
  cr_assert_eq(mb_traj_read(t, 0, count, NULL, times, frames, NULL), MB_OK);
  FILE *pipe = python(path, "--bits");
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j <= size; j++) {
      uint64_t theirs = 0, ours = 0;
      cr_assert_eq(fscanf(pipe, "%" SCNx64, &theirs), 1);
      memcpy(&ours, j ? &frames[i * size + j - 1] : &times[i], 8);
      cr_assert_eq(theirs, ours, "frame %zu number %zu: %016" PRIx64 " and %016" PRIx64, i, j, ours, theirs);
    }
  cr_assert_eq(pclose(pipe), 0);
  pipe = python(path, "--modes");
  cr_assert_not_null(fgets(line, sizeof line, pipe));
  cr_assert(strstr(line, modes), "wanted %s, found %s", modes, line);
  cr_assert_eq(pclose(pipe), 0);
  pipe = python(path, "--hash");
  cr_assert_eq(mb_traj_hash(t, hex, NULL), MB_OK);
  cr_assert_not_null(fgets(line, sizeof line, pipe));
  cr_assert(!strncmp(line, hex, 32), "%s and %s", hex, line);
  cr_assert_eq(pclose(pipe), 0);
  free(times);
  free(frames);
  mb_traj_free(t);
}

static void compare(int kind, double pose, double velocity, const char *modes) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  const MbTrajHead head = make_head(pose, velocity);
  const MbTrajMesh mesh = {"m", "a", 2, 1, 2, (double[]){1, 2, 3, 4, 5, 6}, (uint32_t[]){0, 1}};
  MbTrajWriter *w = NULL;
  uint64_t state = 1;
  cr_assert_eq(mb_traj_create(path, &head, &w, NULL), MB_OK);
  cr_assert_eq(mb_traj_mesh(w, &mesh, NULL), MB_OK);
  for (uint64_t i = 0; i < 70; i++) {
    double time = 0, frame[MAKE_FRAME_SIZE];
    make_case(kind, i, &time, frame, &state);
    cr_assert_eq(mb_traj_frame(w, time, frame, NULL), MB_OK);
    if (i == 33) cr_assert_eq(mb_traj_checkpoint(w, time, i, "x", 1, NULL), MB_OK);
  }
  cr_assert_eq(mb_traj_close(w, NULL, NULL), MB_OK);
  read_both(path, 70, MAKE_FRAME_SIZE, modes);
  folder_remove(&folder);
}

// Poses predicted from velocities: some that velocities say nothing of, and velocities that are no numbers.
static void compare_moving(double pose, double velocity, bool odd, const char *modes) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  const MbTrajHead head = make_moving_head(pose, velocity);
  MbTrajWriter *w = NULL;
  uint64_t state = 1;
  cr_assert_eq(mb_traj_create(path, &head, &w, NULL), MB_OK);
  for (uint64_t i = 0; i < 70; i++) {
    double time = 0, frame[MAKE_MOVING_SIZE];
    make_moving_frame(i, &time, frame);
    for (size_t k = 21; odd && k < MAKE_MOVING_SIZE; k++)
      if (random_word(&state) % 97 == 0) frame[k] = (double[]){NAN, -INFINITY, 1e300, -0.0}[k % 4];
    for (size_t k = 9; odd && k < 13; k++) frame[k] *= 1 + 0.5 * (double)(i % 3); // no unit quaternion
    cr_assert_eq(mb_traj_frame(w, time, frame, NULL), MB_OK);
  }
  cr_assert_eq(mb_traj_close(w, NULL, NULL), MB_OK);
  read_both(path, 70, MAKE_MOVING_SIZE, modes);
  folder_remove(&folder);
}

Test(traj_python, reads_lossless) { compare(SMOOTH, 0, 0, "lossless="); }
Test(traj_python, reads_bounded) { compare(SMOOTH, 1e-6, 1e-4, "bounded="); }
Test(traj_python, reads_raw_and_what_falls_back) { compare(NOISE, 0, 1e-4, "raw="); }
Test(traj_python, reads_infinities_and_nans) { compare(SPECIAL, 1e-6, 0, "lossless="); }
Test(traj_python, reads_constants) { compare(STILL, 0, 1e-4, "lossless="); }

// 3 chunks of 4 blocks of poses
Test(traj_python, reads_poses_from_velocities) { compare_moving(1e-6, 1e-4, false, "from-velocities=12"); }
Test(traj_python, reads_poses_from_exact_velocities) { compare_moving(1e-9, 0, false, "from-velocities=12"); }
Test(traj_python, reads_poses_from_odd_velocities) { compare_moving(1e-6, 1e-4, true, "from-velocities="); }
Test(traj_python, reads_exact_poses_beside_velocities) {
  compare_moving(0, 1e-4, false, "from-velocities=0");
}

Test(traj_python, finds_damage) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  make_file(path, 0, 0, 20);
  size_t size = 0;
  unsigned char *bytes = read_whole(path, &size);
  bytes[size / 2] ^= 1;
  write_whole(path, bytes, size);
  FILE *pipe = python(path, "2>/dev/null");
  cr_assert_neq(pclose(pipe), 0);
  free(bytes);
  folder_remove(&folder);
}
