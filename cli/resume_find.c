// Finding what to go on from. A resumed run that is killed is resumed by the same command line: it leaves a part, which
// is looked at next time beside the file that --resume names, and the one that came furthest is taken. The parts of one
// file have three names, so that neither the named file nor the one gone on from is ever written over.
#include "cli/file_kind.h"
#include "cli/plan_text.h"
#include "cli/run.h"
#include "core/base/alloc.h"
#include "core/sim/start_watch.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- opening ----------------------------------------------------------------------------------------------------------

// The named file: what is wrong with it is told.
static MbStatus open_named(MbRun *run, MbSource *source, MbReport *report) {
  MbReport opening = {0};
  MbStatus status = mb_output_unwritten(source->path, report);
  if (!status) status = mb_file_want_trajectory(source->path, report);
  if (status) return status;
  status = mb_traj_open(source->path, &source->traj, &opening);
  if (status && mb_path_ends(source->path, ".part") && mb_output_is_part(source->path)) return MB_OK;
  if (status) return *report = opening, status;
  if (opening.warnings) mb_log_report(&run->log, &opening);
  return MB_OK;
}

static MbStatus open_source(MbRun *run, MbSource *source, MbReport *report) {
  struct stat info;
  MbReport ignored = {0};
  source->there = !stat(source->path, &info);
  if (!source->there) return MB_OK;
  if (source->named) return open_named(run, source, report);
  const MbStatus busy = mb_output_unwritten(source->path, report);
  if (!busy && S_ISREG(info.st_mode)) (void)mb_traj_open(source->path, &source->traj, &ignored);
  return busy;
}

// Adds the file, unless it is the named one by another path. `path` is taken.
static MbSource *add_source(MbSources *sources, char *path) {
  MbSource *first = &sources->at[0], *next = &sources->at[sources->count];
  if (!path) return NULL;
  if (sources->count && mb_output_same_file(path, first->path)) {
    mb_free(path);
    return first;
  }
  *next = (MbSource){.path = path, .part = -1};
  sources->count++;
  return next;
}

static MbStatus add_all(MbRun *run, const char *named, MbReport *report) {
  MbSources *sources = &run->sources;
  MbSource *source = add_source(sources, mb_strdup(named));
  if (source) source->named = true;
  if (source) source = add_source(sources, mb_strdup(run->output.target.file));
  if (source) source->target = true;
  for (int k = 0; k < MB_OUTPUT_PARTS && source; k++) {
    source = add_source(sources, mb_output_part_name(run->output.target.file, k));
    if (source) source->part = k;
  }
  return source ? MB_OK : mb_no_memory(report, "file names");
}

MbStatus mb_resume_open(MbRun *run, MbReport *report) {
  const char *named = mb_arg(run->args, "resume")->text;
  const bool force = mb_arg_given(run->args, "force");
  bool any = false;
  MbStatus status = add_all(run, named, report);
  for (int i = 0; i < run->sources.count && !status; i++) {
    MbSource *source = &run->sources.at[i];
    if (force && !source->named) continue; // to be replaced, whatever it holds
    status = open_source(run, source, report);
    any = any || source->traj || (source->named && source->there);
  }
  if (status || any) return status;
  MbTraj *none = NULL;
  return mb_traj_open(named, &none, report); // says why not
}

MbTraj *mb_resume_scene(const MbRun *run) {
  for (int i = 0; i < run->sources.count; i++)
    if (run->sources.at[i].traj) return run->sources.at[i].traj;
  return NULL;
}

void mb_resume_free(MbSources *sources) {
  for (int i = 0; i < sources->count; i++) {
    mb_traj_free(sources->at[i].traj);
    mb_free(sources->at[i].path);
  }
  *sources = (MbSources){0};
}

// ---- judging ----------------------------------------------------------------------------------------------------------

// Of the same scene, and by this version of the program where nobody has named it.
static MbStatus judge_scene(MbRun *run, MbSource *source, const char *scene, MbReport *report) {
  const char *head = mb_traj_head_json(source->traj);
  MbStatus status = mb_resume_same_scene(source->path, mb_traj_scene_json(source->traj), scene, report);
  if (!status && mb_traj_frame_size(source->traj) != mb_sim_frame_size(run->sim))
    status =
        mb_error(report, MB_USAGE, "", "%s has other channels, from another version of mbsim", source->path);
  cJSON *json = status ? NULL : cJSON_Parse(head);
  const char *version = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "mbsim"));
  if (!status && (!version || strcmp(version, mb_version()) != 0)) {
    if (source->named)
      mb_warning(report, "", "%s was made by mbsim %s, this is %s: the numbers may differ from here on",
                 source->path, version ? version : "of another time", mb_version());
    else
      status = MB_USAGE;
  }
  cJSON_Delete(json);
  return status;
}

// The scene is the same, so that what a checkpoint of another one comes of is a mesh.
static MbStatus cannot_restore(const MbSource *source, const MbReport *why, MbReport *report) {
  const char *text = why->issues[0].text;
  return mb_error(report, MB_USAGE, "", "%s: %.300s%s", source->path, text,
                  strstr(text, "another scene") ? ": has a mesh file of the scene changed?" : "");
}

// The last checkpoint within the plan that can be read and restored, and that no frame is missing before.
static MbStatus judge_checkpoints(MbRun *run, MbSource *source, MbReport *report) {
  const uint64_t sound = mb_traj_gaps(source->traj) ? mb_traj_gap(source->traj, 0).first : UINT64_MAX;
  for (size_t i = mb_traj_checkpoints(source->traj); i-- > 0 && !source->found;) {
    MbTrajCheckpoint read;
    MbReport reading = {0};
    const MbStatus status = mb_traj_read_checkpoint(source->traj, i, &read, &reading);
    if (status && source->named) mb_log_report(&run->log, &reading);
    if (status || read.frames > sound) continue;
    source->first = read.time;
    if (read.step > (uint64_t)run->plan.steps) continue;
    if (mb_sim_restore(run->sim, read.bytes, read.size, &reading))
      return cannot_restore(source, &reading, report);
    source->found = true;
    source->checkpoint = i;
    source->step = read.step;
  }
  return MB_OK;
}

// What is wrong with the named file is told; another one is of no use then.
static MbStatus judge(MbRun *run, MbSource *source, const char *scene, MbReport *report) {
  MbReport said = {0};
  if (!source->traj) return MB_OK;
  MbStatus status = judge_scene(run, source, scene, &said);
  if (!status) status = judge_checkpoints(run, source, &said);
  source->same = !status;
  if (!source->named) return MB_OK;
  if (status)
    *report = said;
  else if (said.warnings)
    mb_log_report(&run->log, &said);
  return status;
}

// The one that came furthest; among equals the one with more frames. NULL = none has a checkpoint.
static const MbSource *furthest(const MbSources *sources) {
  const MbSource *best = NULL;
  for (int i = 0; i < sources->count; i++) {
    const MbSource *s = &sources->at[i];
    if (!s->found || !s->same) continue;
    if (!best || s->step > best->step ||
        (s->step == best->step && mb_traj_frames_there(s->traj) > mb_traj_frames_there(best->traj)))
      best = s;
  }
  return best;
}

// ---- what is written --------------------------------------------------------------------------------------------------

// Whether this run will write all frames that the source holds.
static bool is_within(const MbRun *run, const MbSource *source) {
  const size_t chunks = mb_traj_chunks(source->traj);
  return !chunks ||
         mb_traj_chunk(source->traj, chunks - 1).t1 < ((double)run->plan.steps + 0.5) * run->plan.step;
}

// Whether the source is all that this run would write.
static bool is_all(const MbRun *run, const MbSource *source) {
  return source->found && source->step == (uint64_t)run->plan.steps && mb_traj_whole(source->traj) &&
         mb_traj_frames_there(source->traj) == (uint64_t)mb_plan_frames(&run->plan, run->plan.steps);
}

static MbStatus allow(MbRun *run, const MbSource *target, MbReport *report) {
  const bool force = mb_arg_given(run->args, "force");
  const bool same = target && target->same, within = same && is_within(run, target);
  if (same && target->named && !within && !force)
    return mb_error(report, MB_USAGE, "",
                    "%s goes beyond %g s already: --force cuts it there, --output leaves it", target->path,
                    (double)run->plan.steps * run->plan.step);
  return mb_run_allow_output(run, force || within, report);
}

// The first name that is neither the named file's nor that of the one gone on from. What an earlier attempt at this file
// has left there did not come as far, and goes.
static MbStatus take_part(MbRun *run, const MbSource *best, MbReport *report) {
  const MbSource *at[MB_OUTPUT_PARTS] = {0};
  for (int i = 0; i < run->sources.count; i++)
    if (run->sources.at[i].part >= 0) at[run->sources.at[i].part] = &run->sources.at[i];
  int k = 0;
  while (at[k] && (at[k]->named || at[k] == best)) k++;
  const bool left = at[k] && at[k]->there && (at[k]->same || !at[k]->traj);
  return mb_output_take_part(&run->output, k, left || mb_arg_given(run->args, "force"), report);
}

static MbStatus nowhere(MbRun *run, const MbSource *named, MbReport *report) {
  MbReport said = {0};
  if (named->traj && named->first > 0)
    return mb_error(report, MB_USAGE, "", "%s has no checkpoint within %g s; its first is at %g s",
                    named->path, (double)run->plan.steps * run->plan.step, named->first);
  mb_warning(&said, "", "%s holds no checkpoint to go on from: the run starts from its beginning",
             named->path);
  mb_log_report(&run->log, &said);
  return MB_OK;
}

MbStatus mb_resume_choose(MbRun *run, MbReport *report) {
  const MbSource *target = NULL;
  MbStatus status = MB_OK;
  char *scene = mb_scene_resolved(run->scene);
  if (!scene) return mb_no_memory(report, "the scene");
  for (int i = 0; i < run->sources.count && !status; i++) {
    status = judge(run, &run->sources.at[i], scene, report);
    if (run->sources.at[i].target) target = &run->sources.at[i];
  }
  mb_free(scene);
  const MbSource *best = furthest(&run->sources);
  if (!status && !best) status = nowhere(run, &run->sources.at[0], report);
  if (!status && !best && !run->follower)
    mb_start_watch(run->sim, report); // a simulation that goes on was made without
  if (!status && best && target == best && is_all(run, target) && !mb_arg_given(run->args, "force")) {
    run->done = true;
    return MB_OK;
  }
  if (!status) status = allow(run, target, report);
  if (!status) status = take_part(run, best, report);
  run->old = best ? best->traj : NULL;
  run->old_checkpoint = best ? best->checkpoint : 0;
  return status;
}

// Whether it is a part of which a file of that many frames holds everything.
static bool is_spent(const MbSource *source, uint64_t frames) {
  struct stat info;
  if (source->target || lstat(source->path, &info) || !S_ISREG(info.st_mode)) return false;
  if (!source->traj) return source->part >= 0 && mb_output_is_part(source->path);
  return mb_path_ends(source->path, ".part") && source->same && mb_traj_frames_there(source->traj) <= frames;
}

void mb_resume_tidy(MbRun *run, uint64_t frames) {
  bool synced = false;
  for (int i = 0; i < run->sources.count; i++) {
    const MbSource *source = &run->sources.at[i];
    if (!source->there || !is_spent(source, frames)) continue;
    if (source->named && mb_arg_given(run->args, "output")) {
      mb_log_say(&run->log, "%s is left where it is; %s has all that it holds", source->path,
                 run->output.file);
      continue;
    }
    if (!synced) mb_output_sync(&run->output);
    synced = true;
    unlink(source->path);
  }
}
