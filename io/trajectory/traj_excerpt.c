// A part of a trajectory as one of its own: some of its frames, its numbers less exact where that is asked for.
#include "core/base/alloc.h"
#include "io/trajectory/traj_reader.h"

#include <math.h>

// What of the error wanted the file has spent already is not there for a second rounding. Where little more than that is wanted,
// rounding again would gain nothing: the numbers stay as they are, and encoding them by the same bound does not change them.
static void choose_bound(MbQuantity quantity, double there, const MbTrajExcerpt *excerpt, MbTrajHead *head) {
  const double wanted = excerpt->error[quantity];
  const bool coarser = wanted > 0 && wanted >= 2 * there;
  head->bound[quantity] = coarser ? wanted : there;
  head->spent[quantity] = coarser ? there : 0;
}

// Counts, keys and words are exact whatever the others of their quantity are.
static void choose_bounds(const MbTraj *t, const MbTrajExcerpt *excerpt, MbTrajHead *head) {
  for (size_t i = 0; i < t->head.nchannels; i++) {
    const MbChannel *c = &t->head.channels[i];
    if (!c->list) choose_bound(c->quantity, t->head.bound[i], excerpt, head);
    for (size_t k = c->list ? c->list->keys : 0; c->list && k < c->list->width; k++)
      if (!c->list->fields[k].words)
        choose_bound(c->list->fields[k].quantity, t->head.fields[i][k], excerpt, head);
  }
}

static MbStatus copy_sides(MbTraj *t, MbTrajWriter *writer, const char *note, MbReport *report) {
  MbStatus status = MB_OK;
  for (size_t i = 0; i < mb_traj_provenances(t) && !status; i++)
    status = mb_traj_provenance(writer, mb_traj_provenance_json(t, i), report);
  if (!status && note) status = mb_traj_provenance(writer, note, report);
  const char *drawing = mb_traj_drawing_json(t);
  if (!status && drawing) status = mb_traj_drawing(writer, drawing, report);
  for (size_t i = 0; i < mb_traj_meshes(t) && !status; i++) {
    MbTrajMesh mesh;
    status = mb_traj_read_mesh(t, i, &mesh, report);
    if (!status) status = mb_traj_mesh(writer, &mesh, report);
  }
  for (size_t i = 0; i < mb_traj_events(t) && !status; i++) {
    const MbTrajEvent event = mb_traj_read_event(t, i);
    status = mb_traj_event(writer, event.time, event.step, event.text, report);
  }
  return status;
}

static MbStatus copy_lists(MbTraj *t, uint64_t frame, MbTrajWriter *writer, MbReport *report) {
  MbStatus status = MB_OK;
  for (size_t i = 0; i < t->layout.nlists && !status; i++) {
    const unsigned channel = t->layout.list[i].channel;
    const double *entries = NULL;
    size_t count = 0;
    status = mb_traj_list(t, frame, &t->head.channels[channel], &entries, &count, report);
    if (!status) status = mb_traj_entries(writer, channel, entries, count, report);
  }
  return status;
}

static MbStatus copy_frames(MbTraj *t, const MbTrajFrames *frames, MbTrajWriter *writer, MbReport *report) {
  double time = 0, *numbers = mb_calloc(mb_traj_frame_size(t), sizeof *numbers);
  MbStatus status = numbers ? MB_OK : mb_no_memory(report, "a frame");
  for (uint64_t i = mb_frames_next(frames, 0); i < frames->span && !status;
       i = mb_frames_next(frames, i + 1)) {
    status = mb_traj_read(t, mb_frames_at(frames, i), 1, NULL, &time, numbers, report);
    if (!status) status = copy_lists(t, mb_frames_at(frames, i), writer, report);
    if (!status) status = mb_traj_frame(writer, time, numbers, report);
  }
  mb_free(numbers);
  return status;
}

MbStatus mb_traj_excerpt(MbTraj *t, const MbTrajExcerpt *excerpt, const char *note, MbTrajSink sink,
                         MbReport *report) {
  MbTrajFrames frames;
  MbTrajWriter *writer = NULL;
  MbTrajHead head = {.scene = t->head.scene,
                     .channels = t->head.channels,
                     .nchannels = t->head.nchannels,
                     .frame_size = t->head.frame_size,
                     .step = t->head.step,
                     .constraint_bound = t->head.constraint_bound,
                     .constraint_patience = t->head.constraint_patience,
                     .bodies = t->head.bodies,
                     .nbodies = t->head.nbodies};
  choose_bounds(t, excerpt, &head);
  MbStatus status = mb_traj_slice(t, excerpt->slice, &frames, report);
  if (!status) status = mb_traj_create_into(sink, mb_traj_path(t), &head, &writer, report);
  if (!status) status = copy_sides(t, writer, note, report);
  if (!status) status = copy_frames(t, &frames, writer, report);
  if (!status) return mb_traj_close(writer, NULL, report);
  mb_traj_abandon(writer);
  return status;
}
