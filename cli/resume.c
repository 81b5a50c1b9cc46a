// Going on from an earlier file. The calls that the writer gets are those that an uninterrupted run would
// have made: frames, events and regular checkpoints up to the checkpoint are replayed in the order of their
// steps (within a step: events, frame, checkpoint), then the simulation takes over. So the data records come
// out byte for byte the same, however the earlier file was divided.
#include "cli/plan_text.h"
#include "cli/run.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <math.h>

typedef struct Replay {
  MbRun *run;
  int64_t until;            // step of the checkpoint to go on from
  size_t checkpoint, event; // next to copy
  double *times, *frames;   // one chunk's
} Replay;

static MbStatus restore(MbRun *run, const MbTrajCheckpoint *from, MbReport *report) {
  const MbStatus status = mb_sim_restore(run->sim, from->bytes, from->size, report);
  if (status) return status;
  if (mb_sim_steps(run->sim) != (int64_t)from->step)
    return mb_error(report, MB_IO, "", "%s: the checkpoint of step %llu holds another step",
                    mb_traj_path(run->old), (unsigned long long)from->step);
  return MB_OK;
}

// Tells whoever follows the run what it warned of before its checkpoint.
static void tell_again(const MbRun *run, const MbTrajEvent *event) {
  if (!run->follower || !run->follower->said) return;
  MbReport said = {0};
  mb_warning(&said, "", "%s", event->text);
  run->follower->said(run->follower->to, &said);
}

// Events before or at `step`.
static MbStatus copy_events(Replay *replay, int64_t step, MbReport *report) {
  MbRun *run = replay->run;
  for (; replay->event < mb_traj_events(run->old); replay->event++, run->warnings++) {
    const MbTrajEvent event = mb_traj_read_event(run->old, replay->event);
    if (event.step > (uint64_t)step) break;
    const MbStatus status = mb_traj_event(run->writer, event.time, event.step, event.text, report);
    if (status) return status;
    tell_again(run, &event);
  }
  return MB_OK;
}

// Everything that comes before the frame of `step`: checkpoints of earlier steps, events of this one too.
static MbStatus copy_before(Replay *replay, int64_t step, MbReport *report) {
  MbRun *run = replay->run;
  MbStatus status = MB_OK;
  for (; !status && replay->checkpoint < mb_traj_checkpoints(run->old); replay->checkpoint++) {
    MbTrajCheckpoint c;
    status = mb_traj_read_checkpoint(run->old, replay->checkpoint, &c, report);
    if (status || c.step >= (uint64_t)step) break;
    if (!mb_plan_checkpoint_due(&run->plan, (int64_t)c.step)) continue;
    status = copy_events(replay, (int64_t)c.step, report);
    if (!status) status = mb_traj_checkpoint(run->writer, c.time, c.step, c.bytes, c.size, report);
    run->last_checkpoint = (int64_t)c.step;
  }
  return status ? status : copy_events(replay, step, report);
}

// The entries of one frame.
static MbStatus copy_lists(MbRun *run, uint64_t frame, MbReport *report) {
  size_t n = 0;
  const MbChannel *channel = mb_traj_channels(run->old, &n);
  MbStatus status = MB_OK;
  for (size_t i = 0; i < n && !status; i++) {
    const double *entries = NULL;
    size_t count = 0;
    if (!channel[i].list) continue;
    status = mb_traj_list(run->old, frame, &channel[i], &entries, &count, report);
    if (!status) status = mb_traj_entries(run->writer, i, entries, count, report);
  }
  return status;
}

static MbStatus copy_chunk(Replay *replay, const MbTrajChunkInfo *chunk, MbReport *report) {
  MbRun *run = replay->run;
  const size_t size = mb_traj_frame_size(run->old);
  MbStatus status =
      mb_traj_read(run->old, chunk->first, chunk->count, NULL, replay->times, replay->frames, report);
  for (uint64_t i = 0; i < chunk->count && !status; i++) {
    const int64_t step = llround(replay->times[i] / run->plan.step);
    if (step > replay->until) break;
    // the last frame of a run that ends here, but would not be one in this run
    if (step <= run->last_frame || !mb_plan_frame_due(&run->plan, step)) continue;
    status = copy_before(replay, step, report);
    if (!status) status = copy_lists(run, chunk->first + i, report);
    if (!status) status = mb_run_write_frame(run, step, replay->times[i], replay->frames + i * size, report);
  }
  return status;
}

static MbStatus copy_frames(Replay *replay, MbReport *report) {
  MbTraj *old = replay->run->old;
  uint64_t most = 0;
  for (size_t i = 0; i < mb_traj_chunks(old); i++) {
    const MbTrajChunkInfo chunk = mb_traj_chunk(old, i);
    if (chunk.count > most) most = chunk.count;
  }
  const size_t size = mb_traj_frame_size(old);
  replay->times = mb_calloc(most, sizeof *replay->times);
  replay->frames =
      most && size > SIZE_MAX / sizeof(double) / most ? NULL : mb_calloc(most * size, sizeof(double));
  MbStatus status = replay->times && replay->frames ? MB_OK : mb_no_memory(report, "frames");
  for (size_t i = 0; i < mb_traj_chunks(old) && !status; i++) {
    const MbTrajChunkInfo chunk = mb_traj_chunk(old, i);
    status = copy_chunk(replay, &chunk, report);
  }
  mb_free(replay->times);
  mb_free(replay->frames);
  return status;
}

// A hole in the earlier file must not become one that no one sees.
static MbStatus check_complete(const MbRun *run, int64_t until, MbReport *report) {
  MbTrajCounts counts;
  mb_traj_counts(run->writer, &counts);
  int64_t wanted = mb_plan_frames(&run->plan, until);
  if (mb_plan_frame_due(&run->plan, until) && run->last_frame < until) wanted--; // sampled after the restore
  if ((int64_t)counts.frames == wanted) return MB_OK;
  return mb_error(report, MB_IO, "", "%s lacks %lld of the %lld frames before its checkpoint at step %lld",
                  mb_traj_path(run->old), (long long)(wanted - (int64_t)counts.frames), (long long)wanted,
                  (long long)until);
}

MbStatus mb_resume_replay(MbRun *run, MbReport *report) {
  MbTrajCheckpoint from = {0};
  MbStatus status = mb_traj_read_checkpoint(run->old, run->old_checkpoint, &from, report);
  if (!status) status = restore(run, &from, report);
  if (status) return status;
  Replay replay = {.run = run, .until = (int64_t)from.step};
  status = copy_frames(&replay, report);
  // a checkpoint of the last step itself is written by the loop, from the restored state
  if (!status) status = copy_before(&replay, replay.until, report);
  if (!status) status = check_complete(run, replay.until, report);
  if (!status)
    mb_log_say(&run->log, "resumed from %s at step %lld, t = %.6g s", mb_traj_path(run->old),
               (long long)replay.until, mb_sim_time(run->sim));
  return status;
}
