// Trajectories: ratio and speed on kinds of motion, the hard ones beside easier ones, and how soon a random frame is there.
#include "tools/bench/bench.h"
#include "tools/bench/motions.h"
#include "core/base/alloc.h"
#include "io/trajectory/trajectory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 5 };

typedef struct Figures {
  double ratio, encode, decode; // raw over file bytes; MB/s of processor time
  double worst;                 // error over bound
} Figures;

static void temporary(char path[256]) {
  const char *tmp = getenv("TMPDIR");
  snprintf(path, 256, "%.200s/mbsim-bench-%ld.mbt", tmp ? tmp : "/tmp", (long)getpid());
  unlink(path);
}

static size_t frame_size(const Motion *m) { return m->items * (m->bodies ? 13 : 6); }

static MbStatus write_file(const char *path, const Motion *m, double pose, double velocity, size_t repeat,
                           MbTrajCounts *counts) {
  const size_t n = m->items, size = frame_size(m);
  MbChannel position = {.name = "body.position", .quantity = MB_POSE, .items = n, .width = 3};
  const MbChannel bodies[] = {
      position,
      {.name = "body.rotation",
       .quantity = MB_POSE,
       .rotation = true,
       .items = n,
       .width = 4,
       .offset = 3 * n},
      {.name = "body.velocity", .quantity = MB_VELOCITY, .items = n, .width = 6, .offset = 7 * n}};
  position.name = "deformable.cloth.position";
  const MbChannel nodes[] = {position,
                             {.name = "deformable.cloth.velocity",
                              .quantity = MB_VELOCITY,
                              .items = n,
                              .width = 3,
                              .offset = 3 * n}};
  const MbTrajHead head = {.channels = m->bodies ? bodies : nodes,
                           .nchannels = m->bodies ? 3 : 2,
                           .frame_size = size,
                           .step = m->interval,
                           .bound = {[MB_POSE] = pose, [MB_VELOCITY] = velocity}};
  MbTrajWriter *w = NULL;
  MbReport report = {0};
  MbStatus status = mb_traj_create(path, &head, &w, &report);
  for (size_t i = 0; i < repeat * m->frames && !status; i++)
    status = mb_traj_frame(w, m->interval * (double)i, m->numbers + i % m->frames * size, &report);
  if (w && !status) status = mb_traj_close(w, counts, &report);
  if (status) fprintf(stderr, "%s\n", report.issues[0].text);
  return status;
}

// Reads everything, and compares outside the time taken.
static MbStatus read_file(const char *path, const Motion *m, double pose, double velocity, double *seconds,
                          double *worst) {
  const size_t size = frame_size(m);
  MbReport report = {0};
  MbTraj *t = NULL;
  double *frames = mb_calloc(32 * size, sizeof *frames);
  MbStatus status = frames ? mb_traj_open(path, &t, &report) : MB_IO;
  *seconds = 0;
  for (size_t i = 0; !status && i < mb_traj_chunks(t); i++) {
    const MbTrajChunkInfo c = mb_traj_chunk(t, i);
    const double begin = mb_bench_cpu();
    status = mb_traj_read(t, c.first, c.count, NULL, NULL, frames, &report);
    *seconds += mb_bench_cpu() - begin;
    for (size_t k = 0; k < c.count * size; k++) {
      const double error = fabs(frames[k] - m->numbers[c.first * size + k]);
      const double bound = k % size < m->items * (m->bodies ? 7 : 3) ? pose : velocity;
      if (error > 0) *worst = fmax(*worst, error / bound);
    }
  }
  mb_traj_free(t);
  mb_free(frames);
  return status;
}

static bool measure(const Motion *m, double pose, double velocity, Figures *figures) {
  char path[256];
  temporary(path);
  *figures = (Figures){0};
  MbStatus status = MB_OK;
  for (int r = 0; r < ROUNDS && !status; r++) {
    MbTrajCounts counts = {0};
    double seconds = 0;
    const double begin = mb_bench_cpu();
    status = write_file(path, m, pose, velocity, 1, &counts);
    const double raw = (double)counts.raw_bytes, encode = mb_bench_cpu() - begin;
    if (!status) status = read_file(path, m, pose, velocity, &seconds, &figures->worst);
    unlink(path);
    figures->ratio = raw / (double)counts.file_bytes;
    figures->encode = fmax(figures->encode, 1e-6 * raw / encode);
    figures->decode = fmax(figures->decode, 1e-6 * raw / seconds);
  }
  return !status;
}

static bool print(const Figures *f, double ratio, double encode, double decode) {
  bool met = true;
  if (ratio > 0)
    met = mb_bench_target("ratio", f->ratio, "x", ratio, true);
  else
    printf("    %-12s %9.2f x\n", "ratio", f->ratio);
  met &= mb_bench_target("encoding", f->encode, "MB/s", encode, true);
  if (decode > 0)
    met &= mb_bench_target("decoding", f->decode, "MB/s", decode, true);
  else
    printf("    %-12s %9.2f MB/s\n", "decoding", f->decode);
  return met;
}

bool mb_bench_trajectory(void) {
  // 0 = none: the hardest part of a motion whose whole has one
  static const double lossless[MOTIONS] = {1.2, 1.2, 1.35, 0, 1.19, 1.3},
                      fine[MOTIONS] = {4.8, 4.8, 9.5, 0, 4.6, 9};
  bool met = true;
  for (int k = 0; k < MOTIONS; k++) {
    Motion m;
    Figures f;
    if (!motion_make(k, &m)) return false;
    printf("  %s, a frame every %g s; best of %d, processor time\n", m.what, m.interval, ROUNDS);
    printf("   lossless\n");
    met &= measure(&m, 0, 0, &f) && print(&f, lossless[k], 200, 0);
    printf("   fine: 1e-6 pose, 1e-4 velocity\n");
    met &= measure(&m, 1e-6, 1e-4, &f) && print(&f, fine[k], 250, 700);
    met &= mb_bench_target("error", f.worst, "bound", 1, false);
    fflush(stdout);
    mb_free(m.numbers);
  }
  return met;
}

bool mb_bench_seek(void) {
  enum { TRIES = 20 };
  Motion m;
  MbTrajCounts counts = {0};
  char path[256];
  temporary(path);
  if (!motion_make(0, &m)) return false;
  const size_t size = frame_size(&m);
  double *frame = mb_calloc(size, sizeof *frame);
  MbStatus status = frame ? write_file(path, &m, 0, 0, 73, &counts) : MB_IO;
  double worst = 0;
  for (uint64_t i = 0; i < TRIES && !status; i++) {
    MbTraj *t = NULL;
    const double begin = mb_bench_wall();
    status = mb_traj_open(path, &t, NULL);
    if (!status)
      status = mb_traj_read(t, (i * 7919 + 31) * 2654435761u % counts.frames, 1, NULL, NULL, frame, NULL);
    mb_traj_free(t);
    worst = fmax(worst, mb_bench_wall() - begin);
  }
  unlink(path);
  mb_free(frame);
  mb_free(m.numbers);
  printf("  %.0f MB in %llu chunks; slowest of %d\n", 1e-6 * (double)counts.file_bytes,
         (unsigned long long)counts.chunks, TRIES);
  return !status && mb_bench_target("open, frame", 1e3 * worst, "ms", 20, false);
}
