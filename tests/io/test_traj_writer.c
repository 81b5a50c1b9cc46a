// The writer's promises: same frames, same bytes; errors kept and clean; odd shapes.
#include "core/base/alloc.h"
#include "io/trajectory/traj_writer.h"
#include "tests/io/traj_make.h"
#include <criterion/criterion.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// Reads all frames of a file.
static double *all_frames(const char *path, uint64_t *count, double **times) {
  MbTraj *t = NULL;
  cr_assert_eq(mb_traj_open(path, &t, NULL), MB_OK);
  *count = mb_traj_frames(t);
  *times = calloc(*count + 1, sizeof **times);
  double *frames = calloc(*count * MAKE_FRAME_SIZE + 1, sizeof *frames);
  cr_assert_eq(mb_traj_read(t, 0, *count, NULL, *times, frames, NULL), MB_OK);
  mb_traj_free(t);
  return frames;
}

// The chunk records of a file, one behind the other.
static unsigned char *chunk_bytes(const char *path, size_t *size) {
  MbTraj *t = NULL;
  size_t whole = 0;
  unsigned char *bytes = read_whole(path, &whole);
  cr_assert_eq(mb_traj_open(path, &t, NULL), MB_OK);
  *size = 0;
  for (size_t i = 0; i < mb_traj_chunks(t); i++) {
    const MbTrajChunkInfo c = mb_traj_chunk(t, i);
    memmove(bytes + *size, bytes + c.offset, c.length);
    *size += c.length;
  }
  mb_traj_free(t);
  return bytes;
}

// A resumed run feeds the frames of the interrupted file again, up to the checkpoint, and goes on.
static void resume(double pose, double velocity) {
  const Folder folder = folder_make();
  char path[256], other[256];
  folder_file(&folder, "a.mbt", path);
  folder_file(&folder, "b.mbt", other);
  make_file(path, pose, velocity, 120);
  uint64_t count = 0;
  double *times = NULL, *frames = all_frames(path, &count, &times);
  const MbTrajHead head = make_head(pose, velocity);
  MbTrajWriter *w = NULL;
  cr_assert_eq(mb_traj_create(other, &head, &w, NULL), MB_OK);
  for (uint64_t i = 0; i < 120; i++) {
    double time = times[i], fresh[MAKE_FRAME_SIZE];
    make_frame(i, &time, fresh);
    // before the checkpoint the decoded frames, after it those of the simulation
    cr_assert_eq(mb_traj_frame(w, times[i], i <= 60 ? frames + i * MAKE_FRAME_SIZE : fresh, NULL), MB_OK);
    if (i == 60) cr_assert_eq(mb_traj_checkpoint(w, time, i, "state", 5, NULL), MB_OK);
  }
  cr_assert_eq(mb_traj_close(w, NULL, NULL), MB_OK);
  size_t size = 0, again = 0;
  unsigned char *a = chunk_bytes(path, &size), *b = chunk_bytes(other, &again);
  // the records are equal, whatever stands between them
  cr_assert(size == again && !memcmp(a, b, size), "bounds %g %g", pose, velocity);
  free(a);
  free(b);
  free(times);
  free(frames);
  folder_remove(&folder);
}

Test(traj_writer, decoded_frames_encode_to_the_same_bytes_lossless) { resume(0, 0); }
Test(traj_writer, decoded_frames_encode_to_the_same_bytes_fine) { resume(1e-6, 1e-4); }
Test(traj_writer, decoded_frames_encode_to_the_same_bytes_mixed) { resume(0, 1e-3); }

Test(traj_writer, two_writers_give_the_same_file) {
  const Folder folder = folder_make();
  char path[256], other[256];
  folder_file(&folder, "a.mbt", path);
  folder_file(&folder, "b.mbt", other);
  make_file(path, 1e-5, 0, 333);
  make_file(other, 1e-5, 0, 333);
  size_t size = 0, again = 0;
  unsigned char *a = read_whole(path, &size), *b = read_whole(other, &again);
  cr_assert(size == again && !memcmp(a, b, size));
  free(a);
  free(b);
  folder_remove(&folder);
}

Test(traj_writer, refuses_what_exists_and_what_makes_no_sense) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  make_file(path, 0, 0, 1);
  MbTrajHead head = make_head(0, 0);
  MbTrajWriter *w = NULL;
  MbReport report = {0};
  cr_assert_eq(mb_traj_create(path, &head, &w, &report), MB_IO);
  cr_assert(strstr(report.issues[0].text, "File exists") && strstr(report.issues[0].text, path));
  cr_assert_eq(mb_traj_create("/nonexistent/a.mbt", &head, &w, NULL), MB_IO);
  head.scene = "{";
  cr_assert_eq(mb_traj_create(path, &head, &w, NULL), MB_USAGE);
  head = make_head(-1, 0);
  cr_assert_eq(mb_traj_create(path, &head, &w, NULL), MB_USAGE);
  head = make_head(NAN, 0);
  cr_assert_eq(mb_traj_create(path, &head, &w, NULL), MB_USAGE);
  head = make_head(0, 0);
  head.frame_size = MAKE_FRAME_SIZE - 1;
  cr_assert_eq(mb_traj_create(path, &head, &w, NULL), MB_USAGE);
  cr_assert_null(w);
  folder_remove(&folder);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(traj_writer, times_must_increase_and_the_first_error_stays) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  const MbTrajHead head = make_head(0, 0);
  const double frame[MAKE_FRAME_SIZE] = {0};
  MbTrajWriter *w = NULL;
  MbReport report = {0};
  cr_assert_eq(mb_traj_create(path, &head, &w, NULL), MB_OK);
  cr_assert_eq(mb_traj_frame(w, -1, frame, NULL), MB_OK);
  cr_assert_eq(mb_traj_checkpoint(w, -1, 0, NULL, 0, NULL), MB_OK);
  cr_assert_eq(mb_traj_frame(w, -1, frame, &report), MB_USAGE);
  cr_assert_eq(mb_traj_frame(w, 5, frame, &report), MB_USAGE);
  cr_assert_str_eq(report.issues[0].text, report.issues[1].text);
  cr_assert_eq(mb_traj_event(w, 5, 1, "x", &report), MB_USAGE);
  cr_assert_eq(mb_traj_close(w, NULL, &report), MB_USAGE);
  // what was written before is there
  uint64_t count = 0;
  double *times = NULL, *frames = all_frames(path, &count, &times);
  cr_assert_eq(count, 1);
  free(times);
  free(frames);
  folder_remove(&folder);
  cr_assert_eq(mb_alloc_live(), 0);
}

Test(traj_writer, a_full_disk_is_an_error_and_what_is_there_stays_readable) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  const struct rlimit limit = {100000, 100000};
  signal(SIGXFSZ, SIG_IGN);
  cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  const MbTrajHead head = make_head(0, 0);
  MbTrajWriter *w = NULL;
  MbReport report = {0};
  MbStatus status = MB_OK;
  cr_assert_eq(mb_traj_create(path, &head, &w, NULL), MB_OK);
  uint64_t i = 0;
  for (; i < 100000 && !status; i++) {
    double time = 0, frame[MAKE_FRAME_SIZE];
    make_frame(i, &time, frame);
    status = mb_traj_frame(w, time, frame, &report);
  }
  cr_assert_eq(status, MB_IO);
  cr_assert(strstr(report.issues[0].text, path) && strstr(report.issues[0].text, "File too large"), "%s",
            report.issues[0].text);
  cr_assert_eq(mb_traj_close(w, NULL, NULL), MB_IO);
  uint64_t count = 0;
  double *times = NULL, *frames = all_frames(path, &count, &times);
  cr_assert(count >= 200 && count < i, "%d frames", (int)count);
  free(times);
  free(frames);
  folder_remove(&folder);
  cr_assert_eq(mb_alloc_live(), 0);
}

static double fake_seconds;
static double fake_clock(void) { return fake_seconds; }

Test(traj_writer, chunks_end_by_frames_bytes_and_wall_time) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  const MbTrajHead head = make_head(0, 0);
  MbTrajWriter *w = NULL;
  cr_assert_eq(mb_traj_create(path, &head, &w, NULL), MB_OK);
  w->clock = fake_clock;
  for (uint64_t i = 0; i < 40; i++) {
    double time = 0, frame[MAKE_FRAME_SIZE];
    make_frame(i, &time, frame);
    cr_assert_eq(mb_traj_frame(w, time, frame, NULL), MB_OK);
    if (i >= 32) fake_seconds += 2;
  }
  MbTrajCounts counts = {0};
  cr_assert_eq(mb_traj_close(w, &counts, NULL), MB_OK);
  cr_assert_eq(counts.chunks, 3); // 32, then 6 in ten seconds, then 2
  cr_assert_eq(counts.frames, 40);
  cr_assert_eq(counts.raw_bytes, 40 * 8 * (MAKE_FRAME_SIZE + 1));
  size_t size = 0;
  free(read_whole(path, &size));
  cr_assert_eq(counts.file_bytes, size);
  folder_remove(&folder);
}

// Any number of numbers, from none to more than a chunk's limit in one frame.
Test(traj_writer, odd_shapes) {
  static const struct {
    size_t channels, items, width;
    uint64_t frames, chunks;
  } shapes[] = {{0, 0, 0, 50, 2},     {1, 0, 3, 40, 2},    {1, 5, 0, 3, 1},
                {1, 300000, 2, 3, 3}, {2, 40000, 2, 7, 3}, {3, 1, 1, 0, 0}};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    const Folder folder = folder_make();
    char path[256];
    folder_file(&folder, "a.mbt", path);
    MbChannel channels[3] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
    const size_t cols = shapes[k].items * shapes[k].width, size = cols * shapes[k].channels;
    for (size_t i = 0; i < 3; i++) {
      channels[i].items = shapes[k].items;
      channels[i].width = shapes[k].width;
      channels[i].offset = i * cols;
    }
    const MbTrajHead head = {.channels = channels, .nchannels = shapes[k].channels, .frame_size = size};
    MbTrajWriter *w = NULL;
    MbTrajCounts counts = {0};
    double *frame = calloc(size + 1, 8), *back = calloc(size + 1, 8), time = 0;
    cr_assert_eq(mb_traj_create(path, &head, &w, NULL), MB_OK);
    for (uint64_t i = 0; i < shapes[k].frames; i++) {
      for (size_t j = 0; j < size; j++) frame[j] = (double)(i * j);
      cr_assert_eq(mb_traj_frame(w, (double)i, frame, NULL), MB_OK);
    }
    cr_assert_eq(mb_traj_close(w, &counts, NULL), MB_OK);
    cr_assert_eq(counts.chunks, shapes[k].chunks, "shape %zu: %d chunks", k, (int)counts.chunks);
    cr_assert_eq(mb_traj_verify(path, NULL), MB_OK);
    MbTraj *t = NULL;
    cr_assert_eq(mb_traj_open(path, &t, NULL), MB_OK);
    cr_assert_eq(mb_traj_frames(t), shapes[k].frames);
    for (uint64_t i = shapes[k].frames; i-- > 0;) {
      cr_assert_eq(mb_traj_read(t, i, 1, NULL, &time, back, NULL), MB_OK);
      cr_assert_eq(time, (double)i);
      for (size_t j = 0; j < size; j++)
        cr_assert_eq(back[j], (double)(i * j), "shape %zu frame %d", k, (int)i);
    }
    char hex[33];
    cr_assert_eq(mb_traj_hash(t, hex, NULL), MB_OK);
    mb_traj_free(t);
    free(frame);
    free(back);
    folder_remove(&folder);
    cr_assert_eq(mb_alloc_live(), 0);
  }
}

Test(traj_writer, no_memory_is_asked_for_per_frame) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  const MbTrajHead head = make_head(1e-6, 0);
  MbTrajWriter *w = NULL;
  int64_t before = 0;
  cr_assert_eq(mb_traj_create(path, &head, &w, NULL), MB_OK);
  for (uint64_t i = 0; i < 1500; i++) {
    double time = 0, frame[MAKE_FRAME_SIZE];
    make_frame(i, &time, frame);
    cr_assert_eq(mb_traj_frame(w, time, frame, NULL), MB_OK);
    if (i == 100) before = mb_alloc_calls();
  }
  // the index grows now and then
  cr_assert_leq(mb_alloc_calls() - before, 2);
  cr_assert_eq(mb_traj_close(w, NULL, NULL), MB_OK);
  folder_remove(&folder);
}

// Whole life of a file; any status is fine, as long as nothing is lost and success means success.
static MbStatus live(const char *path) {
  MbReport report = {0};
  MbTrajWriter *w = NULL;
  MbTraj *t = NULL;
  MbTrajMesh mesh = {"m", NULL, 1, 1, 2, (double[]){1, 2, 3}, (uint32_t[]){0, 0}};
  MbTrajCheckpoint checkpoint;
  const MbTrajHead head = make_head(1e-6, 0);
  unlink(path);
  MbStatus status = mb_traj_create(path, &head, &w, &report);
  if (!status) mb_traj_mesh(w, &mesh, &report);
  for (uint64_t i = 0; i < 40 && !status; i++) {
    double time = 0, frame[MAKE_FRAME_SIZE];
    make_frame(i, &time, frame);
    status = mb_traj_frame(w, time, frame, &report);
  }
  if (w && !status) status = mb_traj_event(w, 1, 1, "event", &report);
  if (w && !status) status = mb_traj_checkpoint(w, 1, 1, "state", 5, &report);
  if (w) {
    const MbStatus closed = mb_traj_close(w, NULL, &report);
    if (!status) status = closed;
  }
  if (!status) status = mb_traj_open(path, &t, &report);
  double frames[40 * MAKE_FRAME_SIZE];
  char hex[33];
  if (!status) status = mb_traj_read(t, 3, 30, NULL, NULL, frames, &report);
  if (!status) status = mb_traj_read_mesh(t, 0, &mesh, &report);
  if (!status) status = mb_traj_read_checkpoint(t, 0, &checkpoint, &report);
  if (!status) status = mb_traj_hash(t, hex, &report);
  if (t && !status) mb_traj_channel_bytes(t, 0, &report);
  mb_traj_free(t);
  if (!status) status = mb_traj_verify(path, &report);
  char fixed[300];
  snprintf(fixed, sizeof fixed, "%s.fixed", path);
  unlink(fixed);
  if (!status) status = mb_traj_repair(path, fixed, NULL, &report);
  cr_assert(!status || report.errors, "a failure says why");
  return report.errors ? MB_IO : status;
}

Test(traj_writer, running_out_of_memory_anywhere_is_a_clean_error) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  int64_t k = 0;
  MbStatus status = MB_IO;
  for (; status && k < 2000; k++) {
    mb_alloc_fail_after(k);
    status = live(path);
    mb_alloc_fail_after(-1);
    cr_assert_eq(mb_alloc_live(), 0, "call %d", (int)k);
  }
  cr_assert(k > 50 && k < 2000, "%d calls", (int)k);
  folder_remove(&folder);
}
