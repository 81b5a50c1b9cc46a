// The process of runs in lockstep: it builds runs' models, puts those that differ in numbers alone together, and steps and measures
// eight at a time as `mbsim run` would each of them (run_loop.c). What does not come to its end here is left to a process of its own.
#include "cli/sweep_entry.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/report.h"
#include "core/sim/lockstep.h"
#include "core/sim/plan.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { L = MB_LOCKSTEP, BINS = 16, BODIES = 20000 }; // kinds of runs at a time, and bodies of one run of each

typedef MbSweepEntry Entry;

// Runs that are alike, and the room they are stepped in.
typedef struct Bin {
  Entry like; // the first one that came, which the room and the names of channels are of
  MbPlan plan;
  MbLockstep *lockstep;
  MbMeasures *measures[L];
  double end[L]; // of the runs that the measures are of, s
  bool chosen;   // which channels frames have
  MbTally tally[L];
  double *frames; // (L x frame_size)
  Entry waiting[L];
  size_t count;
  uint64_t used; // when
} Bin;

typedef struct Worker {
  MbSweep *sweep;
  MbBoard *board;
  MbFinishedFile *file;
  Bin bins[BINS];
  size_t nbins;
  uint64_t clock;
  bool parameters; // measures speak of the scene's parameters
  double *values;  // (nmeasures)
  MbSceneKept *kept;
  MbReport *report, ignored;
} Worker;

// What a run has to say is told by its own process, where it comes to that.
static MbReport *nobody(Worker *w) {
  mb_report_clear(&w->ignored);
  return &w->ignored;
}

void mb_board_note(MbBoard *board, const char *why, uint64_t runs) {
  for (size_t i = 0; i < MB_BOARD_REASONS; i++) {
    const char *none = NULL;
    if (!atomic_compare_exchange_strong(&board->alone[i].why, &none, why) && none != why) continue;
    atomic_fetch_add(&board->alone[i].runs, runs);
    return;
  }
}

static void free_bin(Bin *bin) {
  for (size_t k = 0; k < L; k++) mb_measures_free(bin->measures[k]);
  for (size_t k = 0; k < bin->count; k++) mb_sweep_entry_free(&bin->waiting[k]);
  mb_lockstep_free(bin->lockstep);
  mb_sweep_entry_free(&bin->like);
  mb_free(bin->frames);
  *bin = (Bin){0};
}

// ---- measures -------------------------------------------------------------------------------------------------

// Of every lane, anew where they speak of what differs from run to run.
static bool begin_measures(Worker *w, Bin *bin) {
  size_t n = 0, frame_size = 0;
  const MbChannel *channels = mb_lockstep_channels(bin->lockstep, &n, &frame_size);
  for (size_t k = 0; k < bin->count; k++) {
    const double end = (double)bin->plan.steps * bin->waiting[k].scene->spec.time.step;
    if (bin->measures[k] && !w->parameters && end == bin->end[k]) {
      mb_measures_reset(bin->measures[k]);
    } else {
      mb_measures_free(bin->measures[k]);
      bin->measures[k] = NULL;
      bin->end[k] = end;
      if (mb_sweep_entry_measures(w->sweep, &bin->waiting[k], channels, n, end, &bin->measures[k], nobody(w)))
        return false;
    }
    mb_tally_start(&bin->tally[k], channels, n);
  }
  return true;
}

// Frames need only have what measures read; energies are always there.
static bool choose_channels(Bin *bin) {
  size_t n = 0, frame_size = 0;
  const MbChannel *channels = mb_lockstep_channels(bin->lockstep, &n, &frame_size);
  bool *reads = mb_calloc(frame_size, sizeof *reads), *wanted = mb_calloc(n, sizeof *wanted);
  const bool fine = reads && wanted;
  if (fine && !bin->chosen) {
    mb_measures_reads(bin->measures[0], reads);
    for (size_t c = 0; c < n; c++)
      for (size_t i = 0; i < channels[c].items * channels[c].width; i++)
        wanted[c] |= reads[channels[c].offset + i];
    mb_lockstep_want(bin->lockstep, wanted);
    bin->chosen = true;
  }
  mb_free(reads);
  mb_free(wanted);
  return fine;
}

// ---- a group ----------------------------------------------------------------------------------------------------

static void take_frames(Bin *bin, int64_t step) {
  size_t n = 0, size = 0;
  mb_lockstep_channels(bin->lockstep, &n, &size);
  mb_lockstep_sample(bin->lockstep, bin->frames);
  for (size_t k = 0; k < bin->count; k++) {
    if (!(mb_lockstep_goes(bin->lockstep) >> k & 1)) continue;
    const double *frame = bin->frames + size * k;
    mb_tally_frame(&bin->tally[k], frame, (double)NAN);
    mb_measures_frame(bin->measures[k], (double)step * bin->waiting[k].model->h, frame);
  }
}

// As mb_run_loop. False where it takes longer than a run may.
static bool step_all(const Worker *w, Bin *bin, double begun) {
  enum { LOOK = 256 }; // steps from look to look at the clock
  const double most = w->sweep->timeout;
  for (int64_t step = 0;; step++) {
    if (mb_plan_frame_due(&bin->plan, step)) take_frames(bin, step);
    if (step >= bin->plan.steps || !mb_lockstep_goes(bin->lockstep)) break;
    if (most > 0 && step % LOOK == 0 && mb_clock() - begun > most) return false;
    mb_lockstep_step(bin->lockstep);
  }
  mb_lockstep_watch(bin->lockstep);
  return true;
}

static MbStatus write_results(Worker *w, Bin *bin, double took) {
  MbSweep *s = w->sweep;
  const double share = took / (double)bin->count; // of the group's time
  MbStatus status = MB_OK;
  for (size_t k = 0; k < bin->count && !status; k++) {
    MbResult result = {.defined = s->defined, .values = w->values, .nmeasures = s->nmeasures};
    const bool goes = mb_lockstep_goes(bin->lockstep) >> k & 1;
    mb_result_clear(&result, MB_OUT_OK);
    if (!goes || mb_measures_values(bin->measures[k], w->values, nobody(w))) {
      mb_board_note(w->board, "leaves the bounds of numbers there", 1);
      continue;
    }
    memcpy(result.message, bin->waiting[k].said.message, sizeof result.message);
    mb_result_warn(&result, mb_lockstep_said(bin->lockstep, k));
    result.steps = bin->plan.steps;
    result.energy_drift = mb_tally_drift(&bin->tally[k]);
    result.wall = share;
    if (share > 0 && result.steps > 0) result.steps_per_second = (double)result.steps / share;
    status = mb_finished_add(w->file, s->runs[bin->waiting[k].run].id, &result, w->report);
    atomic_fetch_add(&w->board->done, 1);
  }
  return status ? status : mb_finished_flush(w->file, w->report);
}

static MbStatus run_group(Worker *w, Bin *bin) {
  const MbLane *lanes[L];
  const double begun = mb_clock();
  if (!bin->count) return MB_OK;
  for (size_t k = 0; k < bin->count; k++) lanes[k] = &bin->waiting[k].lane;
  MbStatus status = MB_OK;
  const bool made = !mb_lockstep_load(bin->lockstep, lanes, bin->count, nobody(w)) &&
                    begin_measures(w, bin) && choose_channels(bin);
  if (!made)
    mb_board_note(w->board, "has measures that do not fit it", bin->count);
  else if (!step_all(w, bin, begun))
    mb_board_note(w->board, "takes longer than --timeout beside others", bin->count);
  else
    status = write_results(w, bin, mb_clock() - begun);
  for (size_t k = 0; k < bin->count; k++) mb_sweep_entry_free(&bin->waiting[k]);
  bin->count = 0;
  return status;
}

// ---- runs -------------------------------------------------------------------------------------------------------

static Bin *bin_for(Worker *w, const Entry *e) {
  const MbPlan plan = mb_plan(&e->scene->spec);
  for (size_t i = 0; i < w->nbins; i++) {
    Bin *bin = &w->bins[i];
    if (bin->frames && mb_sweep_same_plan(&plan, &bin->plan) && mb_lanes_alike(&bin->like.lane, &e->lane))
      return bin;
  }
  return NULL;
}

// Builds a run's model; why it cannot go in lockstep here, or NULL.
static const char *build(Worker *w, uint64_t run, Entry *e) {
  const char *why = mb_sweep_entry_build(w->sweep, w->kept, run, e, nobody(w));
  const bool elsewhere = !why && e->device == MB_CUDA && !mb_sweep_left(w->sweep, run);
  return elsewhere ? "asks for another device" : why;
}

// A bin for a run that is like none so far: the one that was used longest ago is given up, where there are too many. *bin NULL: none
// can be made.
static MbStatus new_bin(Worker *w, uint64_t run, Bin **out) {
  MbStatus status = MB_OK;
  Bin *bin = &w->bins[0];
  *out = NULL;
  size_t bodies = 0;
  for (size_t i = 0; i < w->nbins; i++)
    bodies += w->bins[i].frames ? mb_model_bodies(w->bins[i].like.model) : 0;
  if (!w->nbins || (w->nbins < BINS && bodies < BODIES)) {
    bin = &w->bins[w->nbins++];
  } else {
    for (size_t i = 1; i < w->nbins; i++)
      if (w->bins[i].used < bin->used) bin = &w->bins[i];
    status = run_group(w, bin);
    free_bin(bin);
  }
  size_t n = 0, size = 0;
  // the first run's model is built once more: room and names of channels are of it for as long as the bin is there
  if (status || build(w, run, &bin->like) || mb_lockstep_create(&bin->like.lane, &bin->lockstep, nobody(w)))
    return status;
  bin->plan = mb_plan(&bin->like.scene->spec);
  mb_lockstep_channels(bin->lockstep, &n, &size);
  bin->frames = mb_calloc(L * size, sizeof *bin->frames);
  if (bin->frames) *out = bin;
  return MB_OK;
}

static MbStatus take_run(Worker *w, uint64_t run) {
  Entry e;
  MbStatus status = MB_OK;
  const char *why = build(w, run, &e);
  Bin *bin = why ? NULL : bin_for(w, &e);
  if (!why && !bin) status = new_bin(w, run, &bin);
  if (!why && !bin) why = "cannot begin";
  if (why) {
    mb_board_note(w->board, why, 1);
    mb_sweep_entry_free(&e);
    return status;
  }
  bin->used = ++w->clock;
  bin->waiting[bin->count++] = e;
  return bin->count == w->board->group ? run_group(w, bin) : status;
}

static MbStatus take_runs(Worker *w) {
  MbSweep *s = w->sweep;
  const uint64_t claim = w->board->group * s->shards;
  MbStatus status = MB_OK;
  for (uint64_t first; !status && (first = atomic_fetch_add(&w->board->next, claim)) < s->design.runs;)
    for (uint64_t run = first; run < first + claim && run < s->design.runs && !status; run++)
      if (run % s->shards == s->shard && !s->runs[run].done) status = take_run(w, run);
  for (size_t i = 0; i < w->nbins && !status; i++) status = run_group(w, &w->bins[i]);
  return status;
}

MbStatus mb_sweep_lane_worker(MbSweep *s, MbReport *report) {
  Worker w = {.sweep = s, .board = s->board, .report = report};
  w.values = mb_calloc(s->nmeasures, sizeof *w.values);
  w.kept = mb_scene_kept_create();
  MbStatus status =
      w.values && w.kept ? mb_finished_create(s->out, &w.file, report) : mb_no_memory(report, "a sweep");
  for (size_t i = 0; i < s->nparameters; i++)
    w.parameters |= mb_measures_use(s->measures, s->nmeasures, s->parameters[i]);
  if (!status) status = take_runs(&w);
  for (size_t i = 0; i < w.nbins; i++) free_bin(&w.bins[i]);
  mb_scene_kept_free(w.kept);
  mb_finished_close(w.file);
  mb_free(w.values);
  return status;
}
