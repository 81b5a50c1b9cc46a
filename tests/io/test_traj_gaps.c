// Repaired files that lack chunks: what is missing is named, the rest is found, read, exported, checked and
// compared.
#include "core/base/alloc.h"
#include "io/compare/compare.h"
#include "io/export/export.h"
#include "tests/io/traj_make.h"
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FRAMES = 200 }; // in chunks of 32, but for a checkpoint behind frame 100

// Writes a.mbt, damages the chunks that `hit` says, and repairs that to b.mbt.
static void make_gaps(const Folder *folder, unsigned hit, char whole[256], char path[256], MbReport *report) {
  char bad[256];
  folder_file(folder, "a.mbt", whole);
  folder_file(folder, "b.mbt", path);
  folder_file(folder, "bad.mbt", bad);
  make_file(whole, 0, 0, FRAMES);
  MbTraj *t = NULL;
  size_t size = 0;
  unsigned char *bytes = read_whole(whole, &size);
  cr_assert_eq(mb_traj_open(whole, &t, NULL), MB_OK);
  for (size_t i = 0; i < mb_traj_chunks(t); i++)
    if (hit >> i & 1) bytes[mb_traj_chunk(t, i).offset + 100] ^= 4;
  mb_traj_free(t);
  write_whole(bad, bytes, size);
  free(bytes);
  cr_assert_eq(mb_traj_repair(bad, path, NULL, report), MB_OK);
}

static bool says(const MbReport *report, const char *text) {
  for (int i = 0; i < report->kept; i++)
    if (strstr(report->issues[i].text, text)) return true;
  return false;
}

Test(traj_gaps, repairing_and_opening_name_the_missing_frames) {
  const Folder folder = folder_make();
  char whole[256], path[256];
  MbReport report = {0}, verdict = {0}, opening = {0};
  MbTraj *t = NULL;
  make_gaps(&folder, 1 | 1 << 2 | 1 << 3, whole, path, &report);
  cr_assert(says(&report, "the CHNK record") && says(&report, "is damaged"));
  cr_assert(says(&report, "frames 0 to 31 are missing") && says(&report, "frames 64 to 100 are missing"));
  cr_assert_eq(mb_traj_verify(path, &verdict), MB_OK, "every byte is in order: %s", verdict.issues[0].text);
  cr_assert(says(&verdict, "frames 64 to 100 are missing"));
  cr_assert_eq(mb_traj_open(path, &t, &opening), MB_OK);
  cr_assert(says(&opening, "frames 0 to 31 are missing") && says(&opening, "frames 64 to 100 are missing"));
  cr_assert(!mb_traj_whole(t));
  cr_assert_eq(mb_traj_frames(t), FRAMES);
  cr_assert_eq(mb_traj_frames_there(t), FRAMES - 32 - 37);
  cr_assert_eq(mb_traj_gaps(t), 2);
  cr_assert_eq(mb_traj_gap(t, 1).first, 64);
  cr_assert_eq(mb_traj_gap(t, 1).count, 37);
  mb_traj_free(t);
  folder_remove(&folder);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(traj_gaps, a_lost_last_chunk_is_named_too) {
  const Folder folder = folder_make();
  char whole[256], path[256];
  MbReport report = {0};
  make_gaps(&folder, 1 << 7, whole, path, &report);
  cr_assert(says(&report, "frames 197 to 199 are missing"), "%s", report.issues[report.kept - 1].text);
  folder_remove(&folder);
}

// The neighbours that are there, for every frame and for every set of lost chunks.
Test(traj_gaps, the_nearest_frames_that_are_there_are_found) {
  const Folder folder = folder_make();
  for (unsigned hit = 0; hit < 127; hit += 6) {
    char whole[256], path[256];
    bool there[FRAMES] = {0};
    MbTraj *t = NULL;
    make_gaps(&folder, hit, whole, path, NULL);
    cr_assert_eq(mb_traj_open(path, &t, NULL), MB_OK);
    for (size_t i = 0; i < mb_traj_chunks(t); i++)
      for (uint64_t k = 0; k < mb_traj_chunk(t, i).count; k++) there[mb_traj_chunk(t, i).first + k] = true;
    uint64_t count = 0, last = UINT64_MAX;
    for (uint64_t f = 0; f < FRAMES; f++) {
      uint64_t next = f;
      while (next < FRAMES && !there[next]) next++;
      if (there[f]) last = f;
      count += there[f];
      cr_assert_eq(mb_traj_frame_from(t, f), next, "lost %x, from %d", hit, (int)f);
      cr_assert_eq(mb_traj_frame_until(t, f), last, "lost %x, until %d", hit, (int)f);
    }
    cr_assert_eq(mb_traj_frames_there(t), count);
    cr_assert_eq(mb_traj_frame_from(t, UINT64_MAX), FRAMES);
    cr_assert_eq(mb_traj_frame_until(t, UINT64_MAX), FRAMES - 1);
    mb_traj_free(t);
    folder_remove(&folder);
    cr_assert(!mkdir(folder.path, 0700));
  }
  folder_remove(&folder);
}

// Times of the exported rows.
static size_t export_times(MbTraj *t, int64_t first, int64_t last, int64_t stride, double times[FRAMES]) {
  const MbExportOptions options = {.format = MB_EXPORT_CSV,
                                   .channels = (const char *const[]){"clock"},
                                   .nchannels = 1,
                                   .first = first,
                                   .last = last,
                                   .stride = stride};
  FILE *out = tmpfile();
  char line[200];
  size_t n = 0;
  cr_assert_eq(mb_export(t, &options, out, NULL), MB_OK);
  rewind(out);
  cr_assert_not_null(fgets(line, sizeof line, out));
  while (fgets(line, sizeof line, out)) times[n++] = strtod(line, NULL);
  fclose(out);
  return n;
}

Test(traj_gaps, exports_leave_missing_frames_out_in_any_stride) {
  const Folder folder = folder_make();
  char whole[256], path[256];
  MbTraj *t = NULL;
  make_gaps(&folder, 1 | 1 << 2 | 1 << 3 | 1 << 5, whole, path, NULL);
  cr_assert_eq(mb_traj_open(path, &t, NULL), MB_OK);
  for (int64_t stride = -40; stride <= 40; stride++) {
    double times[FRAMES];
    if (!stride) continue;
    const bool back = stride < 0;
    const size_t n = export_times(t, back ? INT64_MAX : 0, INT64_MAX, stride, times);
    size_t k = 0;
    for (int64_t f = back ? FRAMES - 1 : 0; f >= 0 && f < FRAMES; f += stride) {
      if (mb_traj_frame_from(t, (uint64_t)f) != (uint64_t)f) continue;
      cr_assert_lt(k, n, "stride %d: %d rows are not enough", (int)stride, (int)n);
      cr_assert_eq(times[k], 0.01 * (double)f, "stride %d row %d: %g", (int)stride, (int)k, times[k]);
      k++;
    }
    cr_assert_eq(k, n, "stride %d: %d rows, not %d", (int)stride, (int)n, (int)k);
  }
  MbReport report = {0};
  const MbExportOptions lost = {.format = MB_EXPORT_JSON, .first = 70, .last = 75, .stride = 1};
  FILE *out = tmpfile();
  cr_assert_eq(mb_export(t, &lost, out, &report), MB_IO);
  cr_assert(says(&report, "lacks all of the frames"));
  fclose(out);
  mb_traj_free(t);
  folder_remove(&folder);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(traj_gaps, checks_read_all_that_is_there) {
  const Folder folder = folder_make();
  char whole[256], path[256];
  MbReport report = {0};
  MbCheckResult result;
  const MbCheckOptions options = {NAN, NAN, NAN};
  make_gaps(&folder, 1 | 1 << 4, whole, path, NULL);
  cr_assert_eq(mb_check_trajectory(path, &options, &result, &report), MB_DIFFERS);
  cr_assert(result.items[0].pass, "%s", result.items[0].text);
  cr_assert(!result.items[1].pass && strstr(result.items[1].text, "frames 0 to 31, 101 to 132"), "%s",
            result.items[1].text);
  cr_assert(result.items[2].pass && strstr(result.items[2].text, "136 frames"), "%s", result.items[2].text);
  folder_remove(&folder);
  cr_assert_eq(mb_alloc_live(), 0);
}

static bool lacks(const MbCompareResult *r, const char *text) {
  for (size_t i = 0; i < r->nmissing; i++)
    if (strstr(r->missing[i], text)) return true;
  return false;
}

// Either way round and with interpolation, equal numbers stay equal; only what is missing makes the difference.
Test(traj_gaps, differences_are_of_frames_that_both_have) {
  const Folder folder = folder_make();
  char path[2][256];
  make_gaps(&folder, 1 | 1 << 2, path[0], path[1], NULL);
  for (int round = 0; round < 4; round++) {
    MbTraj *t[2] = {NULL, NULL};
    MbCompareResult r;
    const MbCompareOptions options = {.until = INFINITY, .interpolate = round / 2};
    const int gap = round % 2;
    cr_assert_eq(mb_traj_open(path[1 - gap], &t[0], NULL), MB_OK);
    cr_assert_eq(mb_traj_open(path[gap], &t[1], NULL), MB_OK);
    cr_assert_eq(mb_compare(t[0], t[1], &options, &r, NULL), MB_DIFFERS);
    cr_assert_eq(r.frames, FRAMES - 64, "%d frames were compared", (int)r.frames);
    size_t compared = 0;
    for (size_t i = 0; i < r.nchannels; i++) {
      compared += r.channels[i].compared;
      cr_assert(!r.channels[i].compared || r.channels[i].pass, "%s", r.channels[i].channel);
    }
    cr_assert_gt(compared, 0);
    cr_assert(lacks(&r, "b.mbt lacks frames 64 to 95") && lacks(&r, "b.mbt lacks frames 0 to 31"));
    mb_compare_free(&r);
    mb_traj_free(t[0]);
    mb_traj_free(t[1]);
  }
  folder_remove(&folder);
  cr_assert_eq(mb_alloc_live(), 0);
}
