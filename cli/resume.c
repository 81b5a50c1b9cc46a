// Going on from an earlier file. The calls that the writer gets are those that an uninterrupted run would
// have made: frames, events and regular checkpoints up to the checkpoint are replayed in the order of their
// steps (within a step: events, frame, checkpoint), then the simulation takes over. So the data records come
// out byte for byte the same, however the earlier file was divided.
#include "cli/file_kind.h"
#include "cli/plan_text.h"
#include "cli/run.h"
#include "core/base/alloc.h"

#include <math.h>
#include <string.h>

// ---- is it the same scene? ----------------------------------------------------------------------

enum { POINTER = 256 };

static bool skipped(const char *parent, const char *key) {
  static const char *const free_to_change[] = {"/time/duration", "/time/steps",  "/output/file",
                                               "/name",          "/description", NULL};
  if (key[0] == '_') return true;
  char pointer[POINTER];
  snprintf(pointer, sizeof pointer, "%s/%s", parent, key);
  for (const char *const *p = free_to_change; *p; p++)
    if (!strcmp(*p, pointer)) return true;
  return false;
}

static bool same_value(const cJSON *a, const cJSON *b, const char *where, char *differs);

static bool differs_at(const char *parent, const char *key, char *differs) {
  snprintf(differs, POINTER, "%s/%s", parent, key);
  return false;
}

static bool same_members(const cJSON *a, const cJSON *b, const char *where, char *differs) {
  for (const cJSON *x = a->child; x; x = x->next) {
    if (skipped(where, x->string)) continue;
    const cJSON *y = cJSON_GetObjectItemCaseSensitive(b, x->string);
    char below[POINTER];
    snprintf(below, sizeof below, "%s/%s", where, x->string);
    if (!y && !(x->type == cJSON_Object && !x->child)) return differs_at(where, x->string, differs);
    if (y && !same_value(x, y, below, differs)) return false;
  }
  for (const cJSON *y = b->child; y; y = y->next)
    if (!skipped(where, y->string) && !cJSON_GetObjectItemCaseSensitive(a, y->string))
      return differs_at(where, y->string, differs);
  return true;
}

// An object that lost all its members to the exceptions above is the same as none: /output {"file": ...}.
static bool same_value(const cJSON *a, const cJSON *b, const char *where, char *differs) {
  if (cJSON_IsObject(a) && cJSON_IsObject(b)) return same_members(a, b, where, differs);
  if (cJSON_IsArray(a) && cJSON_IsArray(b) && cJSON_GetArraySize(a) == cJSON_GetArraySize(b)) {
    const cJSON *x = a->child, *y = b->child;
    for (int i = 0; x && y; i++, x = x->next, y = y->next) {
      char below[POINTER];
      snprintf(below, sizeof below, "%s/%d", where, i);
      if (!same_value(x, y, below, differs)) return false;
    }
    return true;
  }
  if (cJSON_IsNumber(a) && cJSON_IsNumber(b) && a->valuedouble == b->valuedouble) return true;
  if (!cJSON_IsNumber(a) && cJSON_Compare(a, b, true)) return true;
  snprintf(differs, POINTER, "%s", where);
  return false;
}

// Both sides with an "output" object, be it empty: its absence and {"file": ...} are the same here.
static void ensure_output(cJSON *scene) {
  if (cJSON_IsObject(scene) && !cJSON_GetObjectItemCaseSensitive(scene, "output"))
    cJSON_AddItemToObject(scene, "output", cJSON_CreateObject());
}

static MbStatus same_scene(const char *path, const char *old_text, const char *new_text, MbReport *report) {
  cJSON *old = NULL, *new = NULL;
  char differs[POINTER] = "";
  MbStatus status = mb_json_parse(old_text, strlen(old_text), &old, report);
  if (!status) status = mb_json_parse(new_text, strlen(new_text), &new, report);
  if (!status) {
    ensure_output(old);
    ensure_output(new);
    if (!same_value(old, new, "", differs))
      status = mb_error(
          report, MB_USAGE, differs,
          "the scene differs from that of %s: to be resumed, all but its duration must be the same", path);
  }
  cJSON_Delete(old);
  cJSON_Delete(new);
  return status;
}

MbStatus mb_resume_open(MbRun *run, const char *path, MbReport *report) {
  MbReport opening = {0};
  MbStatus status = mb_file_want_trajectory(path, report);
  if (status) return status;
  status = mb_traj_open(path, &run->old, &opening);
  if (status) {
    *report = opening;
    return status;
  }
  if (opening.warnings) mb_log_report(&run->log, &opening);
  char *scene = mb_scene_resolved(run->scene);
  if (!scene) return mb_no_memory(report, "the scene");
  status = same_scene(path, mb_traj_scene_json(run->old), scene, report);
  mb_free(scene);
  if (!status && mb_traj_frame_size(run->old) != mb_sim_frame_size(run->sim))
    status = mb_error(report, MB_USAGE, "", "%s has other channels, from another version of mbsim", path);
  return status;
}

// ---- replay -------------------------------------------------------------------------------------

typedef struct Replay {
  MbRun *run;
  int64_t until;            // step of the checkpoint to go on from
  size_t checkpoint, event; // next to copy
  double *times, *frames;   // one chunk's
} Replay;

// The last checkpoint within the plan that can be read and restored.
static MbStatus find_checkpoint(MbRun *run, MbTrajCheckpoint *found, MbReport *report) {
  const size_t count = mb_traj_checkpoints(run->old);
  bool beyond = false;
  for (size_t i = count; i-- > 0;) {
    MbReport reading = {0};
    const MbStatus status = mb_traj_read_checkpoint(run->old, i, found, &reading);
    if (status)
      mb_log_report(&run->log, &reading);
    else if (found->step > (uint64_t)run->plan.steps)
      beyond = true;
    else
      return MB_OK;
  }
  if (beyond)
    return mb_error(report, MB_USAGE, "", "%s has no checkpoint within %g s; it goes to %g s already",
                    mb_traj_path(run->old), (double)run->plan.steps * run->plan.step, found->time);
  return mb_error(report, MB_IO, "", "%s holds no checkpoint to resume from", mb_traj_path(run->old));
}

static MbStatus restore(MbRun *run, const MbTrajCheckpoint *from, MbReport *report) {
  const MbStatus status = mb_sim_restore(run->sim, from->bytes, from->size, report);
  if (status) return status;
  if (mb_sim_steps(run->sim) != (int64_t)from->step)
    return mb_error(report, MB_IO, "", "%s: the checkpoint of step %llu holds another step",
                    mb_traj_path(run->old), (unsigned long long)from->step);
  return MB_OK;
}

// Events before or at `step`.
static MbStatus copy_events(Replay *replay, int64_t step, MbReport *report) {
  MbRun *run = replay->run;
  for (; replay->event < mb_traj_events(run->old); replay->event++, run->warnings++) {
    const MbTrajEvent event = mb_traj_read_event(run->old, replay->event);
    if (event.step > (uint64_t)step) break;
    const MbStatus status = mb_traj_event(run->writer, event.time, event.step, event.text, report);
    if (status) return status;
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
  MbStatus status = find_checkpoint(run, &from, report);
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
