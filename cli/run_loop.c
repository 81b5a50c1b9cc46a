// The loop of a run: steps, and what of them goes into the file. A frame's turn is before all that its next step has to say, also where it is
// written beside that step (core/sim/nodes_away.h), and a step beside a frame that cannot be told is none.
#include "cli/run.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/report.h"
#include "core/sim/energy_watch.h"
#include "core/sim/nodes_away.h"

#include <signal.h>
#include <string.h>

enum { MOST_WARNINGS = 100 }; // of the steps, recorded in the file

static volatile sig_atomic_t stop;
static double first_signal;

static void on_signal(int number) {
  const double now = mb_clock();
  if (!stop) first_signal = now;
  if (stop && now - first_signal > MB_SAME_SIGNAL) { // the second one kills
    signal(number, SIG_DFL);
    raise(number);
  }
  stop = 1;
}

void mb_run_catch_signals(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_NODEFER};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction before;
    // what the parent ignores (nohup, jobs in the background) stays ignored
    if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN)
      sigaction(signals[i], &action, NULL);
  }
}

bool mb_run_stopped(void) { return stop; }

void mb_run_warn(MbRun *run, const MbReport *said) {
  mb_log_report(&run->log, said);
  if (run->follower && run->follower->said) run->follower->said(run->follower->to, said);
}

MbStatus mb_run_write_frame(MbRun *run, int64_t step, double time, const double *frame, MbReport *report) {
  run->last_frame = step;
  mb_tally_frame(&run->tally, frame, mb_sim_constraint_error(run->sim));
  if (run->follower && run->follower->frame) run->follower->frame(run->follower->to, time, frame);
  return run->writer ? mb_traj_frame(run->writer, time, frame, report) : MB_OK;
}

// States may be of another size than those before.
static bool take_checkpoint(MbRun *run) {
  run->checkpoint_size = mb_sim_checkpoint_size(run->sim);
  if (run->checkpoint_size > run->checkpoint_room) {
    const size_t room = run->checkpoint_size + run->checkpoint_size / 2;
    void *grown = mb_realloc(run->checkpoint, room, 1);
    if (!grown) return false;
    run->checkpoint = grown;
    run->checkpoint_room = room;
  }
  mb_sim_checkpoint(run->sim, run->checkpoint);
  return true;
}

// Keeps the state of a frame, where it may be lost with a device.
static MbStatus keep(MbRun *run, int64_t step, MbReport *report) {
  if (!run->stays) return MB_OK;
  if (!take_checkpoint(run)) return mb_no_memory(report, "a checkpoint");
  run->kept = step;
  return MB_OK;
}

// Writes the checkpoint that was taken.
static MbStatus write_taken(MbRun *run, int64_t step, double time, MbReport *report) {
  run->last_checkpoint = step, run->kept = -1;
  const MbRunFollower *follower = run->follower;
  MbStatus status =
      follower && follower->checkpoint ? follower->checkpoint(follower->to, run, step, report) : MB_OK;
  if (!status && run->writer)
    status =
        mb_traj_checkpoint(run->writer, time, (uint64_t)step, run->checkpoint, run->checkpoint_size, report);
  if (status || !run->log.json) return status;
  cJSON *event = mb_log_event("checkpoint");
  cJSON_AddNumberToObject(event, "step", (double)step);
  cJSON_AddNumberToObject(event, "time", time);
  mb_log_write(&run->log, event);
  return MB_OK;
}

static MbStatus write_checkpoint(MbRun *run, int64_t step, MbReport *report) {
  const MbStatus status = mb_sim_come(run->sim, report);
  if (status) return status;
  if (!take_checkpoint(run)) return mb_no_memory(report, "a checkpoint");
  return write_taken(run, step, mb_sim_time(run->sim), report);
}

// The run's last one: of its end, or of its last frame where a device has stopped and taken what came behind. That ends the run, if nothing has.
static MbStatus write_last(MbRun *run, int64_t step, MbStatus ending, MbReport *report) {
  MbReport lost = {0};
  if (run->last_checkpoint >= step) return MB_OK;
  const MbStatus status = mb_sim_come(run->sim, &lost);
  if (!status) return write_checkpoint(run, step, report);
  if (ending != MB_DEVICE) *report = lost;
  const double time = (double)run->kept * run->plan.step;
  const MbStatus kept = run->kept > run->last_checkpoint ? write_taken(run, run->kept, time, report) : MB_OK;
  return kept ? kept : status;
}

// What the step has to say goes to the log and into the file.
static MbStatus record_issues(MbRun *run, const MbReport *said, int64_t step, MbReport *report) {
  MbReport shown = *said;
  MbStatus status = MB_OK;
  for (int i = 0; run->writer && i < said->kept && !status && run->warnings < MOST_WARNINGS;
       i++, run->warnings++)
    status = mb_traj_event(run->writer, (double)step * run->plan.step, (uint64_t)step, said->issues[i].text,
                           report);
  shown.file[0] = 0;
  if (!shown.errors) mb_run_warn(run, &shown); // errors are reported where the run ends
  return status;
}

// The entries of the frame that was sampled.
static MbStatus write_lists(MbRun *run, MbReport *report) {
  size_t n = 0;
  const MbChannel *channel = mb_sim_channels(run->sim, &n);
  MbStatus status = MB_OK;
  for (size_t i = 0; run->writer && i < n && !status; i++) {
    size_t count = 0;
    const double *entries = mb_sim_list(run->sim, &channel[i], &count);
    if (channel[i].list) status = mb_traj_entries(run->writer, i, entries, count, report);
  }
  return status;
}

// What the frame of the state cannot be told by goes into the file in its place.
static MbStatus record_lack(MbRun *run, MbStatus status, int64_t step, MbReport *said, MbReport *report) {
  const MbStatus recorded = record_issues(run, said, step, report);
  if (!recorded) *report = *said;
  memset(said, 0, sizeof *said);
  return recorded ? recorded : status;
}

// The frame of the state as it is. Where it cannot be told, or has numbers that are not finite, the run ends, and an event tells of it in
// the frame's place. `said` is clear before and after: it is large, and not to be cleared for every frame.
static MbStatus write_now(MbRun *run, int64_t step, MbReport *said, MbReport *report) {
  MbStatus status = mb_sim_come(run->sim, said);
  if (!status) status = mb_sim_sample(run->sim, run->frame, said);
  if (!status) status = mb_sim_check_frame(run->sim, run->frame, said);
  if (!status) {
    status = write_lists(run, report);
    if (!status) status = mb_run_write_frame(run, step, mb_sim_time(run->sim), run->frame, report);
    return status ? status : keep(run, step, report);
  }
  return record_lack(run, status, step, said, report);
}

// ---- frames that are written beside the next step --------------------------------------------------------------

// It is the state until the step beside it is committed. False: that is not to be.
static bool write_late(void *context) {
  MbRun *run = context;
  MbRunLate *late = &run->late;
  late->waits = false;
  late->status = write_now(run, late->step, &late->said, &late->report);
  return !late->status;
}

// A frame that nobody follows leaves by itself if another step is to come and the state is a device's.
static bool leaves(MbRun *run, int64_t step) {
  const bool last = step >= run->plan.steps || stop || mb_plan_checkpoint_due(&run->plan, step);
  if (last || run->follower || !mb_sim_leave(run->sim)) return false;
  run->late.waits = true, run->late.step = step, run->late.status = MB_OK;
  return true;
}

// Frame and checkpoint of the state as it is, where the plan has them and the file has not.
static MbStatus write_due(MbRun *run, int64_t step, MbReport *said, MbReport *report) {
  if (run->last_frame < step && mb_plan_frame_due(&run->plan, step) && !leaves(run, step)) {
    const MbStatus status = write_now(run, step, said, report);
    if (status) return status;
  }
  if (run->last_checkpoint < step && mb_plan_checkpoint_due(&run->plan, step))
    return write_checkpoint(run, step, report);
  return MB_OK;
}

static MbStatus one_step(MbRun *run, int64_t step, MbReport *said, MbReport *report) {
  MbRunLate *late = &run->late;
  mb_dump_contact_start(&run->dump, run->sim, step);
  if (late->waits) mb_sim_beside(run->sim, write_late, run);
  const MbStatus status = mb_sim_step(run->sim, said);
  mb_dump_contact_end(&run->dump, run->sim, step);
  if (late->waits) (void)write_late(run); // the step has not come so far
  if (late->status) {
    memset(said, 0, sizeof *said);
    *report = late->report;
    return late->status;
  }
  if (!status && !said->warnings) return MB_OK;
  const MbStatus recorded = record_issues(run, said, step, report);
  if (status) *report = recorded ? *report : *said;
  memset(said, 0, sizeof *said);
  return recorded ? recorded : status;
}

// At a run's end, of what steps have not told yet. It is said alone: a longer run's file, which this one may become, does not have it.
static void look_back(MbRun *run, MbReport *said) {
  mb_watch_end(run->sim, said);
  said->file[0] = 0;
  if (said->warnings) mb_run_warn(run, said);
}

MbStatus mb_run_loop(MbRun *run, MbReport *report) {
  MbReport said = {0}; // by one step, or by its frame
  MbStatus ending = MB_OK;
  int64_t step = mb_sim_steps(run->sim);
  run->stays = mb_sim_stay_away(run->sim), run->kept = -1;
  for (;;) {
    const MbStatus status = write_due(run, step, &said, report);
    if (status && status != MB_NUMBERS && status != MB_DEVICE) return status;
    ending = status;
    if (ending || step >= run->plan.steps) break;
    ending = stop ? MB_INTERRUPTED : one_step(run, step + 1, &said, report);
    if (run->late.waits && !write_late(run)) *report = run->late.report, ending = run->late.status;
    if (ending == MB_IO) return ending;
    if (ending) break;
    mb_progress_step(&run->progress, ++step);
  }
  const MbStatus status = write_last(run, step, ending, report);
  if (status) return status;
  if (!ending) look_back(run, &said);
  return ending;
}
