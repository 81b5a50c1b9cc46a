// Whole files: what was written comes back.
#include "core/base/alloc.h"
#include "tests/io/traj_make.h"
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Opens a file that must be whole.
static MbTraj *open_whole(const char *path) {
  MbReport report = {0};
  MbTraj *t = NULL;
  const MbStatus status = mb_traj_open(path, &t, &report);
  print_report(&report);
  cr_assert_eq(status, MB_OK);
  cr_assert(mb_traj_whole(t));
  cr_assert_eq(report.warnings, 0);
  return t;
}

Test(traj_file, everything_that_was_written_comes_back) {
  const Folder folder = folder_make();
  char path[256];
  folder_file(&folder, "a.mbt", path);
  make_file(path, 0, 0, 100);
  MbReport report = {0};
  cr_assert_eq(mb_traj_verify(path, &report), MB_OK);
  MbTraj *t = open_whole(path);

  size_t nchannels = 0;
  const MbChannel *c = mb_traj_channels(t, &nchannels);
  cr_assert_eq(nchannels, 3);
  cr_assert_str_eq(c[0].name, "body.pose");
  cr_assert(c[0].rotation && !c[1].rotation && c[2].unstable);
  cr_assert_eq(c[1].offset, 21);
  cr_assert_eq(c[1].quantity, MB_VELOCITY);
  cr_assert_str_eq(c[1].items_names[1], "b \"quoted\"");
  cr_assert_null(c[2].items_names);
  cr_assert_str_eq(c[0].component_names[3], "qw");
  cr_assert_str_eq(mb_traj_scene_json(t), "{\"name\": \"t\", \"x\": [1.50, {\"scene\": 2}]}");
  cr_assert_eq(mb_traj_step(t), 0.001);
  cr_assert_eq(mb_traj_frames(t), 100);
  cr_assert_eq(mb_traj_frame_size(t), MAKE_FRAME_SIZE);
  cr_assert_eq(mb_traj_chunks(t), 4); // 32 + 19, checkpoint, 32 + 17

  cr_assert_eq(mb_traj_meshes(t), 1);
  MbTrajMesh mesh;
  cr_assert_eq(mb_traj_read_mesh(t, 0, &mesh, &report), MB_OK);
  cr_assert_str_eq(mesh.body, "a");
  cr_assert_eq(mesh.vertex[3], 1);
  cr_assert_eq(mesh.element[2], 2);
  cr_assert_eq(mb_traj_events(t), 1);
  cr_assert_str_eq(mb_traj_read_event(t, 0).text, "something happened");
  cr_assert_eq(mb_traj_read_event(t, 0).step, 50);
  cr_assert_eq(mb_traj_provenances(t), 1);
  cr_assert_str_eq(mb_traj_provenance_json(t, 0), "{\"when\":\"now\"}");
  MbTrajCheckpoint k;
  cr_assert_eq(mb_traj_checkpoints(t), 1);
  cr_assert_eq(mb_traj_read_checkpoint(t, 0, &k, &report), MB_OK);
  cr_assert_eq(k.frames, 51);
  cr_assert(k.size == 5 && !memcmp(k.bytes, "state", 5));

  double *times = calloc(100, 8), *frames = calloc(100, 8 * MAKE_FRAME_SIZE);
  cr_assert_eq(mb_traj_read(t, 0, 100, NULL, times, frames, &report), MB_OK);
  for (uint64_t i = 0; i < 100; i++) {
    double time = 0, frame[MAKE_FRAME_SIZE];
    make_frame(i, &time, frame);
    cr_assert_eq(time, times[i]);
    cr_assert(!memcmp(frame, frames + i * MAKE_FRAME_SIZE, sizeof frame), "frame %d", (int)i);
  }
  free(times);
  free(frames);
  mb_traj_free(t);
  folder_remove(&folder);
  cr_assert_eq(mb_alloc_live(), 0);
}
