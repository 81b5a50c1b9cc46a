#include "tests/io/compare_fixture.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[200], path[300];
static const char *const bodies[2] = {"crate", "ball"};
static const char *const xyz[] = {"x", "y", "z"}, *const wxyz[] = {"w", "x", "y", "z"};
static const char *const twist[] = {"wx", "wy", "wz", "vx", "vy", "vz"};
static const char *const energies[] = {"kinetic", "gravity", "elastic", "total"};
static const char *const momenta[] = {"lx", "ly", "lz", "ax", "ay", "az"};
static const char *const errors[] = {"position", "velocity"}, *const seconds[] = {"wall"};

const MbCompareOptions exact = {.until = INFINITY};

Plan smooth_plan(void) {
  return (Plan){.nchannels = CHANNELS,
                .frames = 101,
                .dt = 0.01,
                .step = 0.01,
                .channels = {{"body.position", "m", MB_POSE, false, false, 2, 3, POSITION, bodies, xyz},
                             {"body.rotation", "", MB_POSE, true, false, 2, 4, ROTATION, bodies, wxyz},
                             {"body.velocity", "", MB_VELOCITY, false, false, 2, 6, VELOCITY, bodies, twist},
                             {"energy", "J", MB_ENERGY, false, false, 1, 4, ENERGY, NULL, energies},
                             {"momentum", "", MB_VELOCITY, false, false, 1, 6, MOMENTUM, NULL, momenta},
                             {"constraint.error", "", MB_OTHER, false, false, 1, 2, VIOLATION, NULL, errors},
                             {"solver", "s", MB_OTHER, false, true, 1, 1, WALL, NULL, seconds}}};
}

static void fill(double *x, double t) {
  memset(x, 0, FRAME * sizeof *x);
  for (int b = 0; b < 2; b++) {
    double *p = x + POSITION + 3 * b, *q = x + ROTATION + 4 * b, *v = x + VELOCITY + 6 * b;
    p[0] = sin(t + b);
    p[1] = 2 * t;
    p[2] = 1 + b;
    q[0] = cos(t / 2);
    q[3] = sin(t / 2);
    v[2] = 1;
    v[3] = cos(t + b);
    v[4] = 2;
  }
  x[ENERGY] = 1 + sin(t);
  x[ENERGY + 1] = 4 - sin(t);
  x[ENERGY + 3] = 5;
  x[MOMENTUM] = 3;
  x[MOMENTUM + 5] = 0.5;
  x[VIOLATION] = 1e-9;
  x[WALL] = 1e-3;
}

void fixture_begin(void) {
  const char *base = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%s/mbsim-compare-XXXXXX", base ? base : "/tmp");
  cr_assert_not_null(mkdtemp(directory));
}

void fixture_end(void) {
  DIR *entries = opendir(directory);
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    char file[600];
    snprintf(file, sizeof file, "%s/%s", directory, entry->d_name);
    unlink(file);
  }
  if (entries) closedir(entries);
  rmdir(directory);
}

const char *fixture_file(const char *name, char file[300]) {
  snprintf(file, 300, "%s/%s", directory, name);
  return file;
}

const char *plan_write(const Plan *plan, const char *name) {
  fixture_file(name, path);
  MbTrajHead head = {.scene = plan->scene ? plan->scene : "{}",
                     .channels = plan->channels,
                     .nchannels = plan->nchannels,
                     .frame_size = FRAME,
                     .step = plan->step,
                     .constraint_bound = plan->constraint_bound,
                     .constraint_patience = plan->constraint_patience,
                     .bodies = bodies,
                     .nbodies = 2};
  memcpy(head.bound, plan->bound, sizeof head.bound);
  MbReport report = {0};
  MbTrajWriter *writer = NULL;
  cr_assert_eq(mb_traj_create(path, &head, &writer, &report), MB_OK, "%s", report.issues[0].text);
  for (uint64_t k = 0; k < plan->frames; k++) {
    const double t = plan->t0 + (double)k * plan->dt;
    double frame[FRAME];
    fill(frame, t);
    if (plan->edit) plan->edit(frame, k, t);
    cr_assert_eq(mb_traj_frame(writer, t, frame, &report), MB_OK, "%s", report.issues[0].text);
  }
  cr_assert_eq(mb_traj_close(writer, NULL, &report), MB_OK, "%s", report.issues[0].text);

  // the trailer is at the very end, and of fixed size
  enum { TRAILER_PART = 10 };
  FILE *file = plan->cut ? fopen(path, "rb+") : NULL;
  if (file) {
    fseek(file, 0, SEEK_END);
    cr_assert_eq(ftruncate(fileno(file), ftell(file) - TRAILER_PART), 0);
    fclose(file);
  }
  return path;
}

Compared compare_plans(const Plan *a, const Plan *b, const MbCompareOptions *options) {
  Compared c = {0};
  MbTraj *ta = NULL, *tb = NULL;
  cr_assert_eq(mb_traj_open(plan_write(a, "a.mbt"), &ta, &c.report), MB_OK, "%s", c.report.issues[0].text);
  unlink(path);
  cr_assert_eq(mb_traj_open(plan_write(b, "b.mbt"), &tb, &c.report), MB_OK, "%s", c.report.issues[0].text);
  unlink(path);
  c.status = mb_compare(ta, tb, options, &c.result, &c.report);
  mb_traj_free(ta);
  mb_traj_free(tb);
  return c;
}

const MbChannelResult *channel_result(const Compared *c, const char *name) {
  for (size_t i = 0; i < c->result.nchannels; i++)
    if (!strcmp(c->result.channels[i].channel, name)) return &c->result.channels[i];
  cr_assert_fail("no result for channel %s", name);
  return NULL;
}

bool has_missing(const Compared *c, const char *part) {
  for (size_t i = 0; i < c->result.nmissing; i++)
    if (strstr(c->result.missing[i], part)) return true;
  return false;
}
