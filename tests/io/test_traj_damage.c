// Files that were cut off or damaged: detected, named, read as far as they are whole, repaired.
#include "core/base/alloc.h"
#include "io/trajectory/traj_format.h"
#include "io/trajectory/traj_record.h"
#include "tests/io/traj_make.h"
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Frames of every chunk that can be read, compared with what was written.
static uint64_t readable_frames(MbTraj *t) {
  uint64_t good = 0;
  for (size_t i = 0; i < mb_traj_chunks(t); i++) {
    const MbTrajChunkInfo c = mb_traj_chunk(t, i);
    double times[32], *frames = calloc(32 * MAKE_FRAME_SIZE, sizeof *frames);
    cr_assert_leq(c.count, 32);
    if (mb_traj_read(t, c.first, c.count, NULL, times, frames, NULL) == MB_OK) {
      for (uint64_t k = 0; k < c.count; k++) {
        double time = 0, frame[MAKE_FRAME_SIZE];
        make_frame(c.first + k, &time, frame);
        cr_assert_eq(times[k], time);
        cr_assert(!memcmp(frame, frames + k * MAKE_FRAME_SIZE, sizeof frame), "frame %d is wrong",
                  (int)(c.first + k));
      }
      good += c.count;
    }
    free(frames);
  }
  return good;
}

static size_t after_head(const unsigned char *bytes) {
  return 16 + 24 + (size_t)mb_pad8(mb_get64(bytes + 24));
}

Test(traj_damage, every_flipped_bit_is_detected) {
  const Folder folder = folder_make();
  char path[256], bad[256];
  folder_file(&folder, "a.mbt", path);
  folder_file(&folder, "b.mbt", bad);
  make_file(path, 1e-6, 0, 40);
  size_t size = 0;
  unsigned char *bytes = read_whole(path, &size);
  uint64_t state = 1;
  cr_assert_eq(mb_traj_verify(path, NULL), MB_OK);
  for (size_t i = 0; i < size; i++) {
    MbReport report = {0};
    const unsigned char bit = (unsigned char)(1u << random_word(&state) % 8);
    bytes[i] ^= bit;
    write_whole(bad, bytes, size);
    cr_assert_eq(mb_traj_verify(bad, &report), MB_IO, "byte %zu of %zu", i, size);
    cr_assert(report.errors > 0 && strstr(report.issues[0].text, bad), "byte %zu", i);
    bytes[i] ^= bit;
  }
  free(bytes);
  folder_remove(&folder);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(traj_damage, cut_anywhere_all_whole_chunks_are_read) {
  const Folder folder = folder_make();
  char path[256], bad[256];
  folder_file(&folder, "a.mbt", path);
  folder_file(&folder, "b.mbt", bad);
  make_file(path, 0, 0, 50);
  size_t size = 0;
  unsigned char *bytes = read_whole(path, &size);
  MbTraj *whole = NULL;
  cr_assert_eq(mb_traj_open(path, &whole, NULL), MB_OK);
  for (size_t cut = 0; cut < size; cut++) {
    MbReport report = {0};
    MbTraj *t = NULL;
    uint64_t expected = 0;
    for (size_t i = 0; i < mb_traj_chunks(whole); i++) {
      const MbTrajChunkInfo c = mb_traj_chunk(whole, i);
      if (c.offset + c.length <= cut) expected += c.count;
    }
    write_whole(bad, bytes, cut);
    const MbStatus status = mb_traj_open(bad, &t, &report);
    cr_assert_eq(mb_traj_verify(bad, NULL), MB_IO, "cut at %zu", cut);
    if (status) {
      cr_assert_lt(cut, after_head(bytes), "cut at %zu", cut);
      continue;
    }
    cr_assert(!mb_traj_whole(t) && report.warnings > 0);
    const uint64_t good = readable_frames(t);
    // a chunk that lacks but its padding may count as whole
    cr_assert(good >= expected && good <= expected + 32, "cut at %zu: %d frames", cut, (int)good);
    mb_traj_free(t);
  }
  mb_traj_free(whole);
  free(bytes);
  folder_remove(&folder);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(traj_damage, a_damaged_chunk_is_named_and_the_others_are_read) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  make_file(path, 0, 0, 200);
  MbTraj *t = NULL;
  cr_assert_eq(mb_traj_open(path, &t, NULL), MB_OK);
  const MbTrajChunkInfo hit = mb_traj_chunk(t, 1);
  mb_traj_free(t);
  size_t size = 0;
  unsigned char *bytes = read_whole(path, &size);
  bytes[hit.offset + 100] ^= 4;
  write_whole(path, bytes, size);

  // with the index: found when it is read
  MbReport report = {0};
  double frame[MAKE_FRAME_SIZE];
  cr_assert_eq(mb_traj_open(path, &t, &report), MB_OK);
  cr_assert(mb_traj_whole(t));
  cr_assert_eq(mb_traj_read(t, hit.first, 1, NULL, NULL, frame, &report), MB_IO);
  cr_assert(strstr(report.issues[0].text, "32 to 63"), "%s", report.issues[0].text);
  cr_assert(!mb_traj_whole(t));
  cr_assert_eq(readable_frames(t), 200 - hit.count);
  mb_traj_free(t);

  // without: left out, its frames are a gap; also when its header is damaged
  for (int header = 0; header < 2; header++) {
    if (header) bytes[hit.offset + 9] ^= 1;
    write_whole(path, bytes, size - 30);
    report = (MbReport){0};
    cr_assert_eq(mb_traj_open(path, &t, &report), MB_OK);
    cr_assert_eq(mb_traj_frames(t), 200);
    cr_assert_eq(readable_frames(t), 200 - hit.count);
    cr_assert_eq(mb_traj_read(t, 40, 1, NULL, NULL, frame, &report), MB_IO);
    cr_assert_eq(mb_traj_frame_at(t, 0.01 * 45), 31, "the nearest frame that is there");
    mb_traj_free(t);
  }
  free(bytes);
  folder_remove(&folder);
}

Test(traj_damage, repair_keeps_all_that_is_whole) {
  const Folder folder = folder_make();
  char path[256], fixed[256], twice[256];
  folder_file(&folder, "a.mbt", path);
  folder_file(&folder, "b.mbt", fixed);
  folder_file(&folder, "c.mbt", twice);
  make_file(path, 0, 0, 100);

  // a whole file comes out the same, but for an unknown record put into it
  size_t size = 0, again = 0;
  unsigned char *bytes = read_whole(path, &size);
  cr_assert_eq(mb_traj_repair(path, fixed, NULL, NULL), MB_OK);
  unsigned char *copy = read_whole(fixed, &again);
  cr_assert(size == again && !memcmp(bytes, copy, size));
  free(copy);
  MbReport report = {0};
  cr_assert_eq(mb_traj_repair(path, fixed, NULL, &report), MB_IO, "the target exists");

  // the same into a file that is open, which stays so
  FILE *open_file = tmpfile();
  cr_assert_not_null(open_file);
  cr_assert_eq(mb_traj_repair_into(path, fileno(open_file), "a file", NULL, NULL), MB_OK);
  unsigned char *read_back = calloc(size, 1);
  rewind(open_file);
  cr_assert_eq(fread(read_back, 1, size, open_file), size);
  cr_assert(fgetc(open_file) == EOF && !memcmp(bytes, read_back, size));
  fclose(open_file);
  free(read_back);

  const size_t at = after_head(bytes);
  unsigned char *longer = calloc(size + 32, 1);
  const MbRecord odd = {
      .tag = MB_TRAJ_TAG('O', 'D', 'D', '1'), .flags = 6, .length = 5, .crc = mb_crc32("hello", 5)};
  memcpy(longer, bytes, at);
  mb_record_put_header(longer + at, &odd);
  memcpy(longer + at + 24, "hello", 5);
  memcpy(longer + at + 32, bytes + at, size - at);
  write_whole(path, longer, size + 32 - 24 - 8); // and cut off
  MbTrajCounts counts = {0};
  cr_assert_eq(mb_traj_repair(path, twice, &counts, NULL), MB_OK);
  cr_assert_eq(counts.frames, 100);
  report = (MbReport){0};
  cr_assert_eq(mb_traj_verify(twice, &report), MB_OK, "%s", report.issues[0].text);
  copy = read_whole(twice, &again);
  cr_assert_eq(again, size + 32 + 24, "the unknown record and its line in the index");
  cr_assert_arr_eq(copy + at, longer + at, 32);
  MbTraj *t = NULL;
  cr_assert_eq(mb_traj_open(twice, &t, NULL), MB_OK);
  cr_assert(mb_traj_whole(t));
  cr_assert_eq(mb_traj_provenances(t), 1);
  cr_assert_eq(readable_frames(t), 100);
  mb_traj_free(t);
  free(copy);
  free(longer);
  free(bytes);
  folder_remove(&folder);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(traj_damage, what_is_no_trajectory_is_refused_by_name) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  MbReport report = {0};
  MbTraj *t = NULL;
  cr_assert_eq(mb_traj_open(path, &t, &report), MB_IO);
  cr_assert(strstr(report.issues[0].text, "No such file"));
  cr_assert_eq(mb_traj_open(folder.path, &t, &report), MB_IO);
  write_whole(path, "hello, this is a text file", 26);
  cr_assert_eq(mb_traj_open(path, &t, &report), MB_IO);
  cr_assert(strstr(report.issues[2].text, "is not a trajectory"));
  cr_assert_eq(mb_traj_verify(path, &report), MB_IO);
  unsigned char newer[64] = MB_TRAJ_MAGIC "\x03";
  write_whole(path, newer, sizeof newer);
  cr_assert_eq(mb_traj_open(path, &t, &report), MB_IO);
  cr_assert(strstr(report.issues[4].text, "version"));
  cr_assert_null(t);
  folder_remove(&folder);
}
