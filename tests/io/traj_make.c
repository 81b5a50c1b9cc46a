#include "tests/io/traj_make.h"
#include <criterion/criterion.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Folder made; // the last one, removed at exit where a failing assertion left the test before its end
static pid_t maker;

static void remove_made(void) {
  if (getpid() == maker) folder_remove(&made);
}

Folder folder_make(void) {
  Folder folder;
  const char *tmp = getenv("TMPDIR");
  snprintf(folder.path, sizeof folder.path, "%.150s/mbsim-traj-XXXXXX", tmp ? tmp : "/tmp");
  cr_assert_not_null(mkdtemp(folder.path));
  if (!maker) atexit(remove_made);
  made = folder;
  maker = getpid();
  return folder;
}

void folder_remove(const Folder *folder) {
  DIR *dir = opendir(folder->path);
  if (!dir) return;
  for (struct dirent *e = readdir(dir); e; e = readdir(dir))
    if (e->d_name[0] != '.') {
      char path[512];
      snprintf(path, sizeof path, "%s/%s", folder->path, e->d_name);
      unlink(path);
    }
  closedir(dir);
  rmdir(folder->path);
}

void folder_file(const Folder *folder, const char *name, char path[256]) {
  snprintf(path, 256, "%.200s/%.50s", folder->path, name);
}

MbTrajHead make_head(double pose, double velocity) {
  static const char *const bodies[] = {"a", "b \"quoted\"", "c"};
  static const char *const pose_names[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  static const char *const velocity_names[] = {"wx", "wy", "wz", "vx", "vy", "vz"};
  static const char *const clock_names[] = {"seconds"};
  static const MbChannel channels[] = {{.name = "body.pose",
                                        .unit = "",
                                        .quantity = MB_POSE,
                                        .rotation = true,
                                        .items = 3,
                                        .width = 7,
                                        .offset = 0,
                                        .items_names = bodies,
                                        .component_names = pose_names},
                                       {.name = "body.velocity",
                                        .unit = "m/s",
                                        .quantity = MB_VELOCITY,
                                        .items = 3,
                                        .width = 6,
                                        .offset = 21,
                                        .items_names = bodies,
                                        .component_names = velocity_names},
                                       {.name = "clock",
                                        .unit = "s",
                                        .quantity = MB_OTHER,
                                        .unstable = true,
                                        .items = 1,
                                        .width = 1,
                                        .offset = 39,
                                        .component_names = clock_names}};
  return (MbTrajHead){.scene = "{\"name\": \"t\", \"x\": [1.50, {\"scene\": 2}]}",
                      .channels = channels,
                      .nchannels = 3,
                      .frame_size = MAKE_FRAME_SIZE,
                      .bound = {[MB_POSE] = pose, [MB_VELOCITY] = velocity},
                      .step = 0.001,
                      .bodies = bodies,
                      .nbodies = 3};
}

uint64_t random_word(uint64_t *state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

void make_frame(uint64_t i, double *time, double *frame) {
  *time = 0.01 * (double)i;
  for (int k = 0; k < MAKE_FRAME_SIZE; k++)
    frame[k] = sin(0.3 * k + (1 + 0.1 * k) * *time) + 1e-3 * sin(40 * *time + k * k);
}

MbTrajHead make_moving_head(double pose, double velocity) {
  static const MbChannel channels[MAKE_MOVING_CHANNELS] = {
      {.name = "body.position", .quantity = MB_POSE, .items = 3, .width = 3},
      {.name = "body.rotation", .quantity = MB_POSE, .rotation = true, .items = 3, .width = 4, .offset = 9},
      {.name = "body.velocity", .quantity = MB_VELOCITY, .items = 3, .width = 6, .offset = 21},
      {.name = "deformable.cloth.position", .quantity = MB_POSE, .items = 5, .width = 3, .offset = 39},
      {.name = "deformable.cloth.velocity", .quantity = MB_VELOCITY, .items = 5, .width = 3, .offset = 54},
      {.name = "joint.position", .quantity = MB_POSE, .items = 2, .width = 1, .offset = 69},
      {.name = "joint.velocity", .quantity = MB_VELOCITY, .items = 2, .width = 1, .offset = 71}};
  return (MbTrajHead){.scene = "{}",
                      .channels = channels,
                      .nchannels = MAKE_MOVING_CHANNELS,
                      .frame_size = MAKE_MOVING_SIZE,
                      .bound = {[MB_POSE] = pose, [MB_VELOCITY] = velocity},
                      .step = 0.001};
}

// x = sin(w t + k) and its rate.
static void swing(size_t k, double t, double *x, double *v) {
  const double w = 2 + 0.7 * (double)(k % 5);
  *x = sin(w * t + (double)k);
  *v = w * cos(w * t + (double)k);
}

// A turn about x within one about z: q = z(a t) x(b t), the angular velocity a z + z(a t) b x.
static void tumble(size_t k, double t, double q[4], double w[3]) {
  const double a = 3 + (double)k, b = 5 - 2 * (double)k;
  const double cz = cos(a * t / 2), sz = sin(a * t / 2), cx = cos(b * t / 2), sx = sin(b * t / 2);
  memcpy(q, (double[]){cz * cx, cz * sx, sz * sx, sz * cx}, 4 * sizeof *q);
  memcpy(w, (double[]){b * cos(a * t), b * sin(a * t), a}, 3 * sizeof *w);
}

void make_moving_frame(uint64_t i, double *time, double *frame) {
  const double t = *time = 0.01 * (double)i;
  for (size_t k = 0; k < 9; k++) swing(k, t, &frame[k], &frame[21 + k / 3 * 6 + 3 + k % 3]);
  for (size_t k = 0; k < 3; k++) tumble(k, t, frame + 9 + 4 * k, frame + 21 + 6 * k);
  for (size_t k = 0; k < 15; k++) swing(k + 9, t, &frame[39 + k], &frame[54 + k]);
  for (size_t k = 0; k < 2; k++) swing(k + 24, t, &frame[69 + k], &frame[71 + k]);
}

void make_file(const char *path, double pose, double velocity, uint64_t frames) {
  static const double vertex[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  static const uint32_t element[] = {0, 1, 2};
  const MbTrajHead head = make_head(pose, velocity);
  const MbTrajMesh mesh = {"a/shape/0", "a", 3, 1, 3, vertex, element};
  MbReport report = {0};
  MbTrajWriter *w = NULL;
  cr_assert_eq(mb_traj_create(path, &head, &w, &report), MB_OK);
  cr_assert_eq(mb_traj_mesh(w, &mesh, &report), MB_OK);
  for (uint64_t i = 0; i < frames; i++) {
    double time = 0, frame[MAKE_FRAME_SIZE];
    make_frame(i, &time, frame);
    cr_assert_eq(mb_traj_frame(w, time, frame, &report), MB_OK);
    if (i == frames / 2) {
      cr_assert_eq(mb_traj_event(w, time, i, "something happened", &report), MB_OK);
      cr_assert_eq(mb_traj_checkpoint(w, time, i, "state", 5, &report), MB_OK);
    }
  }
  cr_assert_eq(mb_traj_provenance(w, "{\"when\":\"now\"}", &report), MB_OK);
  cr_assert_eq(mb_traj_close(w, NULL, &report), MB_OK);
}

unsigned char *read_whole(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  cr_assert_not_null(file, "%s", path);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*size + 1);
  cr_assert_eq(fread(bytes, 1, *size, file), *size);
  fclose(file);
  return bytes;
}

void write_whole(const char *path, const void *bytes, size_t size) {
  unlink(path); // some file systems wait for the disk when a file that held something is emptied and closed
  FILE *file = fopen(path, "wb");
  cr_assert_not_null(file, "%s", path);
  cr_assert_eq(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

void print_report(const MbReport *report) {
  for (int i = 0; i < report->kept; i++)
    fprintf(stderr, "%s: %s\n", report->issues[i].warning ? "warning" : "error", report->issues[i].text);
}
