// Channels with a count per frame: entries come back as they were written, whatever the mode; damage is found; misuse is refused.
#include "core/base/alloc.h"
#include "io/trajectory/traj_format.h"
#include "tests/io/traj_lists.h"
#include <criterion/criterion.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 100 };

static MbTraj *open_traj(const char *path) {
  MbTraj *t = NULL;
  MbReport report = {0};
  cr_assert_eq(mb_traj_open(path, &t, &report), MB_OK, "%s", report.issues[0].text);
  return t;
}

static const MbChannel *channel(const MbTraj *t, size_t i) {
  size_t n = 0;
  return mb_traj_channels(t, &n) + i;
}

// The two lists of one frame against those written: numbers of bounded fields within it, the others to the last bit.
static void expect_lists(MbTraj *t, uint64_t i, uint64_t written, double pose, double force) {
  double entries[LISTS_WIDTH * LISTS_MOST];
  const double *there = NULL;
  size_t count = 0, n = make_touches(written, entries);
  cr_assert_eq(mb_traj_list(t, i, channel(t, LISTS_TOUCH), &there, &count, NULL), MB_OK);
  cr_assert_eq(count, n, "frame %d", (int)i);
  for (size_t k = 0; k < n * LISTS_WIDTH; k++) {
    const size_t field = k % LISTS_WIDTH;
    const double bound = field >= 2 && field < 5 ? pose : field == 6 ? force : 0;
    cr_assert(fabs(there[k] - entries[k]) <= bound, "frame %d entry %zu field %zu: %.17g, not %.17g", (int)i,
              k / LISTS_WIDTH, field, there[k], entries[k]);
  }
  n = make_marks(written, entries);
  cr_assert_eq(mb_traj_list(t, i, channel(t, LISTS_MARK), &there, &count, NULL), MB_OK);
  cr_assert_eq(count, n);
  cr_assert(!n || !memcmp(there, entries, n * LISTS_MARK_WIDTH * sizeof *entries));
}

static void come_back(double pose, double force) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  make_lists_file(path, pose, force, FRAMES, 47);
  MbTraj *t = open_traj(path);
  for (uint64_t k = 0; k < FRAMES; k++) expect_lists(t, k * 37 % FRAMES, k * 37 % FRAMES, pose, force);
  double frame[LISTS_FRAME_SIZE], wanted[LISTS_FRAME_SIZE], time = 0;
  for (uint64_t i = 0; i < FRAMES; i++) {
    make_lists_frame(i, &time, wanted);
    cr_assert_eq(mb_traj_read(t, i, 1, NULL, NULL, frame, NULL), MB_OK);
    cr_assert_eq(frame[6], wanted[6]);
    cr_assert_eq(frame[7], wanted[7]);
  }
  mb_traj_free(t);
  cr_assert_eq(mb_traj_verify(path, NULL), MB_OK);
  folder_remove(&folder);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(traj_lists, entries_come_back_bit_for_bit) { come_back(0, 0); }
Test(traj_lists, entries_come_back_within_their_fields_bounds) { come_back(1e-4, 1e-2); }

Test(traj_lists, only_files_with_lists_are_of_version_2) {
  const Folder folder = folder_make();
  char path[256], plain[256];
  folder_file(&folder, "a.mbt", path);
  folder_file(&folder, "b.mbt", plain);
  make_lists_file(path, 0, 0, 3, 99);
  make_file(plain, 0, 0, 3);
  size_t size = 0;
  unsigned char *bytes = read_whole(plain, &size);
  cr_assert_eq(bytes[8], 1);
  bytes[8] = 2; // a file without lists that says so is not one of that version
  write_whole(plain, bytes, size);
  free(bytes);
  bytes = read_whole(path, &size);
  cr_assert_eq(bytes[8], 2);
  bytes[8] = 1;
  write_whole(path, bytes, size);
  free(bytes);
  const char *const both[] = {path, plain};
  for (int i = 0; i < 2; i++) {
    MbTraj *t = NULL;
    MbReport report = {0};
    cr_assert_eq(mb_traj_open(both[i], &t, &report), MB_IO);
    cr_assert(strstr(report.issues[0].text, "another version"), "%s", report.issues[0].text);
    cr_assert_eq(mb_traj_verify(both[i], NULL), MB_IO);
  }
  folder_remove(&folder);
}

// What stays is predicted from what it was in the frame before, though others before it in the list come and go.
Test(traj_lists, entries_are_followed_by_their_keys) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  make_lists_file(path, 1e-6, 1e-3, 640, 9999);
  MbTraj *t = open_traj(path);
  const uint64_t entries = mb_traj_channel_entries(t, LISTS_TOUCH, NULL);
  const uint64_t bytes = mb_traj_channel_bytes(t, LISTS_TOUCH, NULL);
  cr_assert_gt(entries, 640);
  // 56 raw, and 25.6 when predicted from what stood at the same place
  cr_assert_lt((double)bytes, 24 * (double)entries, "%g bytes an entry", (double)bytes / (double)entries);
  mb_traj_free(t);
  folder_remove(&folder);
}

static void hash_of(const char *path, char hex[33]) {
  MbTraj *t = open_traj(path);
  cr_assert_eq(mb_traj_hash(t, hex, NULL), MB_OK);
  mb_traj_free(t);
}

Test(traj_lists, the_hash_is_of_the_entries_and_not_of_the_chunks) {
  const Folder folder = folder_make();
  char a[256], b[256], c[256], one[33], two[33], three[33];
  folder_file(&folder, "a.mbt", a);
  folder_file(&folder, "b.mbt", b);
  folder_file(&folder, "c.mbt", c);
  make_lists_file(a, 1e-4, 1e-2, FRAMES, 47);
  make_lists_file(b, 1e-4, 1e-2, FRAMES, 13);
  hash_of(a, one);
  hash_of(b, two);
  cr_assert_str_eq(one, two);
  const MbTrajHead head = make_lists_head(1e-4, 1e-2);
  for (size_t field = 0; field < LISTS_WIDTH; field++) { // one number of one entry is another
    MbTrajWriter *w = NULL;
    remove(c);
    cr_assert_eq(mb_traj_create(c, &head, &w, NULL), MB_OK);
    for (uint64_t i = 0; i < FRAMES; i++) {
      double time = 0, frame[LISTS_FRAME_SIZE], entries[LISTS_WIDTH * LISTS_MOST];
      make_lists_frame(i, &time, frame);
      const size_t n = make_touches(i, entries);
      if (i == 60) entries[(n - 1) * LISTS_WIDTH + field] += 1;
      cr_assert_eq(mb_traj_entries(w, LISTS_TOUCH, entries, n, NULL), MB_OK);
      cr_assert_eq(mb_traj_entries(w, LISTS_MARK, entries, make_marks(i, entries), NULL), MB_OK);
      cr_assert_eq(mb_traj_frame(w, time, frame, NULL), MB_OK);
    }
    cr_assert_eq(mb_traj_close(w, NULL, NULL), MB_OK);
    hash_of(c, three);
    cr_assert_str_neq(one, three, "field %zu", field);
  }
  folder_remove(&folder);
}

static int put(void *to, const void *bytes, size_t size) {
  return fwrite(bytes, 1, size, to) == size ? 0 : 5;
}

Test(traj_lists, an_excerpt_has_the_lists_of_its_frames) {
  const Folder folder = folder_make();
  char path[256], part[256];
  folder_file(&folder, "a.mbt", path);
  folder_file(&folder, "b.mbt", part);
  make_lists_file(path, 0, 0, FRAMES, 47);
  MbTraj *t = open_traj(path);
  FILE *out = fopen(part, "wb");
  MbTrajExcerpt excerpt = {.slice = {3, INT64_MAX, 7}, .error = {[MB_POSE] = 1e-3, [MB_OTHER] = 1}};
  cr_assert_eq(mb_traj_excerpt(t, &excerpt, NULL, (MbTrajSink){put, out}, NULL), MB_OK);
  fclose(out);
  mb_traj_free(t);
  t = open_traj(part);
  cr_assert_eq(mb_traj_frames(t), (FRAMES - 3 + 6) / 7);
  // gaps and marks, as other numbers, may be off by 1; counts and keys may not
  for (uint64_t i = 0; i < mb_traj_frames(t); i++) {
    double entries[LISTS_WIDTH * LISTS_MOST];
    const double *there = NULL;
    size_t count = 0;
    const size_t n = make_touches(3 + 7 * i, entries);
    cr_assert_eq(mb_traj_list(t, i, channel(t, LISTS_TOUCH), &there, &count, NULL), MB_OK);
    cr_assert_eq(count, n);
    for (size_t k = 0; k < n; k++)
      for (size_t f = 0; f < LISTS_WIDTH; f++) {
        const double bound = f < LISTS_KEYS || f == 6 ? 0 : f == 5 ? 1 : 1e-3;
        cr_assert(fabs(there[k * LISTS_WIDTH + f] - entries[k * LISTS_WIDTH + f]) <= bound);
      }
  }
  mb_traj_free(t);
  folder_remove(&folder);
}

Test(traj_lists, every_flipped_bit_is_detected) {
  const Folder folder = folder_make();
  char path[256], bad[256];
  folder_file(&folder, "a.mbt", path);
  folder_file(&folder, "b.mbt", bad);
  make_lists_file(path, 1e-4, 0, 6, 3);
  size_t size = 0;
  unsigned char *bytes = read_whole(path, &size);
  uint64_t state = 1;
  for (size_t i = 0; i < size; i++) {
    const unsigned char bit = (unsigned char)(1u << random_word(&state) % 8);
    bytes[i] ^= bit;
    write_whole(bad, bytes, size);
    cr_assert_eq(mb_traj_verify(bad, NULL), MB_IO, "byte %zu of %zu", i, size);
    bytes[i] ^= bit;
  }
  free(bytes);
  folder_remove(&folder);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(traj_lists, a_file_that_was_cut_off_gives_the_lists_of_its_whole_chunks_and_is_repaired) {
  const Folder folder = folder_make();
  char path[256], cut[256], mended[256];
  folder_file(&folder, "a.mbt", path);
  folder_file(&folder, "b.mbt", cut);
  folder_file(&folder, "c.mbt", mended);
  make_lists_file(path, 0, 0, FRAMES, 47);
  size_t size = 0;
  unsigned char *bytes = read_whole(path, &size);
  write_whole(cut, bytes, size * 3 / 4);
  free(bytes);
  MbTrajCounts counts;
  cr_assert_eq(mb_traj_repair(cut, mended, &counts, NULL), MB_OK);
  cr_assert_eq(mb_traj_verify(mended, NULL), MB_OK);
  MbTraj *t = open_traj(mended);
  cr_assert(mb_traj_whole(t));
  cr_assert_gt(mb_traj_frames(t), 32);
  cr_assert_eq(mb_traj_frames(t), counts.frames);
  uint64_t numbers = counts.frames * (LISTS_FRAME_SIZE + 1);
  for (uint64_t i = 0; i < mb_traj_frames(t); i++) {
    double entries[LISTS_WIDTH * LISTS_MOST];
    expect_lists(t, i, i, 0, 0);
    numbers += LISTS_WIDTH * make_touches(i, entries) + LISTS_MARK_WIDTH * make_marks(i, entries);
  }
  cr_assert_eq(counts.raw_bytes, 8 * numbers);
  mb_traj_free(t);
  folder_remove(&folder);
}

// A chunk is closed before its entries take more than it may hold.
Test(traj_lists, many_entries_make_chunks_of_fewer_frames) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  const MbTrajHead head = make_lists_head(0, 0);
  enum { MANY = 30000 };
  double *entries = calloc((size_t)MANY * LISTS_WIDTH, sizeof *entries), frame[LISTS_FRAME_SIZE] = {0};
  for (size_t k = 0; k < MANY; k++) entries[k * LISTS_WIDTH + 1] = (double)k;
  MbTrajWriter *w = NULL;
  cr_assert_eq(mb_traj_create(path, &head, &w, NULL), MB_OK);
  frame[6] = MANY;
  for (int i = 0; i < 10; i++) {
    cr_assert_eq(mb_traj_entries(w, LISTS_TOUCH, entries, MANY, NULL), MB_OK);
    cr_assert_eq(mb_traj_frame(w, i, frame, NULL), MB_OK);
  }
  cr_assert_eq(mb_traj_close(w, NULL, NULL), MB_OK);
  MbTraj *t = open_traj(path);
  cr_assert_eq(mb_traj_chunks(t), 4); // of 3 x 1.7 MB
  const double *there = NULL;
  size_t count = 0;
  cr_assert_eq(mb_traj_list(t, 9, channel(t, LISTS_TOUCH), &there, &count, NULL), MB_OK);
  cr_assert_eq(count, MANY);
  cr_assert(!memcmp(there, entries, (size_t)MANY * LISTS_WIDTH * sizeof *there));
  free(entries);
  mb_traj_free(t);
  folder_remove(&folder);
}

// What is wrong with one frame, and what is said of it.
static void refuse(size_t which, const double *entries, size_t count, double said, const char *text) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  const MbTrajHead head = make_lists_head(0, 0);
  MbTrajWriter *w = NULL;
  MbReport report = {0};
  double frame[LISTS_FRAME_SIZE] = {[6] = said};
  cr_assert_eq(mb_traj_create(path, &head, &w, NULL), MB_OK);
  MbStatus status = mb_traj_entries(w, which, entries, count, &report);
  if (status == MB_OK) status = mb_traj_frame(w, 0, frame, &report);
  cr_assert_eq(status, MB_USAGE);
  cr_assert(strstr(report.issues[0].text, text), "%s", report.issues[0].text);
  mb_traj_abandon(w);
  folder_remove(&folder);
}

Test(traj_lists, entries_that_make_no_sense_are_refused) {
  double two[2 * LISTS_WIDTH] = {1, 2};
  two[LISTS_WIDTH] = 1;
  two[LISTS_WIDTH + 1] = 3;
  refuse(LISTS_TOUCH, two, 2, 1, "has 2 entries, and its frame says 1");
  refuse(0, two, 2, 2, "has no list");
  two[LISTS_WIDTH + 1] = 2;
  refuse(LISTS_TOUCH, two, 2, 2, "out of order");
  two[LISTS_WIDTH + 1] = NAN;
  refuse(LISTS_TOUCH, two, 2, 2, "out of order");
  two[LISTS_WIDTH + 1] = 2.5;
  refuse(LISTS_TOUCH, two, 2, 2, "out of order");
}

// The reader in Python was written from the description of the format.
static void read_by_python(double pose, double force) {
  const Folder folder = folder_make();
  char path[256], command[600], line[64] = "", hex[33];
  folder_file(&folder, "a.mbt", path);
  make_lists_file(path, pose, force, FRAMES, 47);
  MbTraj *t = open_traj(path);
  snprintf(command, sizeof command, "python3 tests/read_mbt.py '%s' --bits", path);
  FILE *pipe = popen(command, "r");
  for (uint64_t i = 0; i < FRAMES; i++) {
    double numbers[1 + LISTS_FRAME_SIZE + 2 * LISTS_WIDTH * LISTS_MOST];
    size_t n = 1 + LISTS_FRAME_SIZE;
    cr_assert_eq(mb_traj_read(t, i, 1, NULL, numbers, numbers + 1, NULL), MB_OK);
    for (size_t k = LISTS_TOUCH; k <= LISTS_MARK; k++) {
      const double *entries = NULL;
      size_t count = 0;
      cr_assert_eq(mb_traj_list(t, i, channel(t, k), &entries, &count, NULL), MB_OK);
      memcpy(numbers + n, entries, count * channel(t, k)->list->width * sizeof *entries);
      n += count * channel(t, k)->list->width;
    }
    for (size_t k = 0; k < n; k++) {
      uint64_t theirs = 0, ours = 0;
      cr_assert_eq(fscanf(pipe, "%" SCNx64, &theirs), 1);
      memcpy(&ours, &numbers[k], 8);
      cr_assert_eq(theirs, ours, "frame %d number %zu: %016" PRIx64 " and %016" PRIx64, (int)i, k, ours,
                   theirs);
    }
  }
  cr_assert_eq(pclose(pipe), 0);
  snprintf(command, sizeof command, "python3 tests/read_mbt.py '%s' --hash", path);
  pipe = popen(command, "r");
  cr_assert_eq(mb_traj_hash(t, hex, NULL), MB_OK);
  cr_assert_not_null(fgets(line, sizeof line, pipe));
  cr_assert(!strncmp(line, hex, 32), "%s and %s", hex, line);
  cr_assert_eq(pclose(pipe), 0);
  mb_traj_free(t);
  folder_remove(&folder);
}

Test(traj_lists, python_reads_exact_entries) { read_by_python(0, 0); }
Test(traj_lists, python_reads_bounded_entries) { read_by_python(1e-4, 1e-2); }
