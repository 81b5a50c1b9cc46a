// The process that has the device: it builds runs' models, puts those that differ in numbers alone together, as many as there is room for,
// and has them stepped side by side (gpu/flock.h). Frames come back for the measures. Runs that do not go to their end there are left to
// the processor.
#include "cli/sweep_entry.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/report.h"
#include "core/sim/energy_watch.h"
#include "gpu/flock.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { KINDS = 16, MOST = 65536, LONGEST = 256 }; // of runs at a time; runs that wait; steps of a launch

typedef MbSweepEntry Entry;

// Runs that are alike.
typedef struct Kind {
  Entry *entry; // (room)
  size_t count, room;
  MbPlan plan;
} Kind;

// What steps and measures some of a kind.
typedef struct Group {
  MbFlock *flock;
  Entry *entry; // (count)
  size_t count;
  const MbPlan *plan;
  MbMeasures **measures; // (count)
  MbTally *tally;        // (count)
  const MbLane **lanes;  // (count)
  double *frame;
} Group;

typedef struct Worker {
  MbSweep *sweep;
  MbHerdBoard *board;
  MbFinishedFile *file;
  MbSceneKept *kept;
  double *values; // (nmeasures)
  Kind kinds[KINDS];
  size_t nkinds, waiting, most; // runs that wait, at most
  MbReport *report, ignored;
} Worker;

static MbReport *nobody(Worker *w) {
  mb_report_clear(&w->ignored);
  return &w->ignored;
}

// The processor is to do it.
static void leave(Worker *w, const Entry *e) {
  w->sweep->left[e->run] = 1;
  atomic_fetch_add(&w->board->left, 1);
}

// ---- a group ------------------------------------------------------------------------------------------------

static void end_group(Group *g) {
  for (size_t k = 0; g->measures && k < g->count; k++) mb_measures_free(g->measures[k]);
  mb_free(g->measures), mb_free(g->tally), mb_free(g->lanes), mb_free(g->frame);
}

static bool begin_group(Worker *w, Group *g) {
  size_t n = 0;
  const MbChannel *channels = mb_sim_channels(g->entry[0].lane.sim, &n);
  const size_t size = mb_sim_frame_size(g->entry[0].lane.sim);
  g->measures = mb_calloc(g->count, sizeof(MbMeasures *));
  g->tally = mb_calloc(g->count, sizeof *g->tally);
  g->lanes = mb_calloc(g->count, sizeof(MbLane *));
  g->frame = mb_calloc(size, sizeof *g->frame);
  bool *reads = mb_calloc(size, sizeof *reads);
  bool fine = g->measures && g->tally && g->lanes && g->frame && reads;
  for (size_t k = 0; fine && k < g->count; k++) {
    const double end = (double)g->plan->steps * g->entry[k].scene->spec.time.step;
    g->lanes[k] = &g->entry[k].lane;
    mb_tally_start(&g->tally[k], channels, n);
    fine = !mb_sweep_entry_measures(w->sweep, &g->entry[k], channels, n, end, &g->measures[k], nobody(w));
  }
  if (fine) mb_measures_reads(g->measures[0], reads);
  fine = fine && !mb_flock_want(g->flock, reads, nobody(w));
  mb_free(reads);
  return fine;
}

static MbStatus take_frames(Group *g, int64_t step, MbReport *report) {
  const MbStatus status = mb_flock_look(g->flock, report);
  for (size_t k = 0; k < g->count && !status; k++) {
    if (!mb_flock_frame(g->flock, k, g->frame)) continue;
    mb_tally_frame(&g->tally[k], g->frame, (double)NAN);
    mb_measures_frame(g->measures[k], (double)step * g->entry[k].model->h, g->frame);
  }
  return status;
}

// The step at which something is to be looked at next.
static int64_t next_look(const Group *g, int64_t step, bool watches) {
  int64_t end = step + LONGEST < g->plan->steps ? step + LONGEST : g->plan->steps, next = step + 1;
  while (next < end && !mb_plan_frame_due(g->plan, next) && !(watches && next % MB_WATCH_EVERY == 0)) next++;
  return next;
}

// As mb_run_loop. *late: a run's share of the time is more than it may take.
static MbStatus step_all(const Worker *w, Group *g, double begun, bool *late, MbReport *report) {
  MbStatus status = MB_OK;
  bool watches = mb_flock_watches(g->flock);
  for (int64_t step = 0; !status;) {
    if (mb_plan_frame_due(g->plan, step)) status = take_frames(g, step, report);
    if (status || step >= g->plan->steps) break;
    const double share = (mb_clock() - begun) / (double)g->count;
    if ((*late = w->sweep->timeout > 0 && share > w->sweep->timeout)) break;
    const int64_t next = next_look(g, step, watches);
    status = mb_flock_step(g->flock, next - step, report);
    step = next;
    if (status || !watches || step % MB_WATCH_EVERY) continue;
    status = mb_flock_watch(g->flock, report);
    watches = mb_flock_watches(g->flock);
  }
  if (!status && watches && !*late) status = mb_flock_watch(g->flock, report);
  return status ? status : mb_flock_look(g->flock, report); // who has come to the end
}

static MbStatus write_results(Worker *w, Group *g, double took, bool late) {
  MbSweep *s = w->sweep;
  const double share = took / (double)g->count;
  MbStatus status = MB_OK;
  for (size_t k = 0; k < g->count && !status; k++) {
    MbResult result = {.defined = s->defined, .values = w->values, .nmeasures = s->nmeasures};
    mb_result_clear(&result, MB_OUT_OK);
    if (late || !mb_flock_goes(g->flock, k) || mb_measures_values(g->measures[k], w->values, nobody(w))) {
      leave(w, &g->entry[k]);
      continue;
    }
    memcpy(result.message, g->entry[k].said.message, sizeof result.message);
    mb_result_warn(&result, mb_flock_said(g->flock, k));
    result.steps = g->plan->steps;
    result.energy_drift = mb_tally_drift(&g->tally[k]);
    result.wall = share;
    if (share > 0 && result.steps > 0) result.steps_per_second = (double)result.steps / share;
    status = mb_finished_add(w->file, s->runs[g->entry[k].run].id, &result, w->report);
    atomic_fetch_add(&w->board->done, 1);
  }
  return status ? status : mb_finished_flush(w->file, w->report);
}

// What a device is at fault with is told by the sweep.
static MbStatus blame(Worker *w, const MbReport *said) {
  static const char begins[] = "device ";
  const char *text = said->kept ? said->issues[said->kept - 1].text : "it has failed";
  const char *colon = !strncmp(text, begins, sizeof begins - 1) ? strstr(text, ": ") : NULL;
  w->board->status = MB_DEVICE;
  snprintf(w->board->why, sizeof w->board->why, "%s", colon ? colon + 2 : text);
  return MB_DEVICE;
}

static MbStatus run_group(Worker *w, Group *g) {
  const double begun = mb_clock();
  MbReport said = {0};
  bool late = false;
  MbStatus status = MB_OK;
  if (!begin_group(w, g)) {
    for (size_t k = 0; k < g->count; k++) leave(w, &g->entry[k]);
  } else {
    status = mb_flock_load(g->flock, g->lanes, g->count, &said);
    if (!status) status = step_all(w, g, begun, &late, &said);
    if (status == MB_DEVICE) (void)blame(w, &said);
    if (!status) status = write_results(w, g, mb_clock() - begun, late);
  }
  end_group(g);
  return status;
}

// As many at a time as there is room for.
static MbStatus run_kind(Worker *w, Kind *kind) {
  MbReport said = {0};
  Group g = {.plan = &kind->plan};
  if (!kind->count) return MB_OK;
  MbStatus status = mb_flock_create(mb_engine_cuda(), &kind->entry[0].lane, kind->count, &g.flock, &said);
  if (status == MB_DEVICE) (void)blame(w, &said);
  if (!status) snprintf(w->board->device, sizeof w->board->device, "%s", mb_flock_device(g.flock));
  for (size_t done = 0; done < kind->count && !status; done += g.count) {
    const size_t left = kind->count - done, room = mb_flock_room(g.flock);
    g.entry = kind->entry + done, g.count = left < room ? left : room;
    status = run_group(w, &g);
  }
  mb_flock_free(g.flock);
  for (size_t k = 0; k < kind->count; k++) mb_sweep_entry_free(&kind->entry[k]);
  w->waiting -= kind->count;
  kind->count = 0;
  return status;
}

// ---- runs -----------------------------------------------------------------------------------------------------

// How many runs may wait: a quarter of the machine's memory.
static size_t most_of(size_t bytes) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  const size_t share = pages > 0 && page > 0 ? (size_t)pages / 4 * (size_t)page : (size_t)1 << 30;
  const size_t most = share / (bytes ? bytes : 1);
  return most < 32 ? 32 : most < MOST ? most : MOST;
}

static MbStatus run_largest(Worker *w) {
  Kind *largest = &w->kinds[0];
  for (size_t i = 1; i < w->nkinds; i++)
    if (w->kinds[i].count > largest->count) largest = &w->kinds[i];
  return run_kind(w, largest);
}

static MbStatus kind_for(Worker *w, const Entry *e, Kind **out) {
  const MbPlan plan = mb_plan(&e->scene->spec);
  Kind *empty = NULL;
  MbStatus status = MB_OK;
  for (size_t i = 0; i < w->nkinds; i++) {
    Kind *kind = &w->kinds[i];
    if (!kind->count)
      empty = kind;
    else if (mb_sweep_same_plan(&plan, &kind->plan) && mb_lanes_alike(&kind->entry[0].lane, &e->lane))
      return *out = kind, MB_OK;
  }
  if (!empty && w->nkinds == KINDS) {
    status = run_largest(w);
    return status ? status : kind_for(w, e, out);
  }
  *out = empty ? empty : &w->kinds[w->nkinds++];
  (*out)->plan = plan;
  return status;
}

static MbStatus take_run(Worker *w, uint64_t run) {
  Entry e;
  Kind *kind = NULL;
  (void)mb_alloc_most();
  const int64_t before = mb_alloc_most();
  const char *why = mb_sweep_entry_build(w->sweep, w->kept, run, &e, nobody(w));
  if (!w->most) w->most = most_of((size_t)(mb_alloc_most() - before));
  if (!why && e.device != MB_CPU) why = mb_flock_refused(e.model);
  MbStatus status = MB_OK;
  // what is wrong with a run is told by a process of its own
  if (why || e.device == MB_CPU) {
    mb_sweep_entry_free(&e);
    return MB_OK;
  }
  status = kind_for(w, &e, &kind);
  if (!status && !mb_grow(&kind->entry, &kind->room, kind->count + 1, sizeof *kind->entry))
    status = mb_no_memory(w->report, "a sweep");
  if (status) {
    mb_sweep_entry_free(&e);
    return status;
  }
  kind->entry[kind->count++] = e;
  return ++w->waiting < w->most ? MB_OK : run_largest(w);
}

static MbStatus take_runs(Worker *w) {
  MbSweep *s = w->sweep;
  MbStatus status = MB_OK;
  for (uint64_t run = s->shard; run < s->design.runs && !status; run += s->shards)
    if (!s->runs[run].done) status = take_run(w, run);
  for (size_t i = 0; i < w->nkinds && !status; i++) status = run_kind(w, &w->kinds[i]);
  return status;
}

MbStatus mb_sweep_herd_worker(MbSweep *s, MbReport *report) {
  Worker w = {.sweep = s, .board = s->herd, .report = report};
  bool there = false;
  const char *text = mb_engine_text(mb_engine_cuda(), &there);
  if (!there) {
    s->herd->status = MB_DEVICE;
    snprintf(s->herd->why, sizeof s->herd->why, "%s", text);
    return MB_OK;
  }
  w.values = mb_calloc(s->nmeasures, sizeof *w.values);
  w.kept = mb_scene_kept_create();
  MbStatus status =
      w.values && w.kept ? mb_finished_create(s->out, &w.file, report) : mb_no_memory(report, "a sweep");
  if (!status) status = take_runs(&w);
  for (size_t i = 0; i < w.nkinds; i++) {
    for (size_t k = 0; k < w.kinds[i].count; k++) mb_sweep_entry_free(&w.kinds[i].entry[k]);
    mb_free(w.kinds[i].entry);
  }
  mb_scene_kept_free(w.kept);
  mb_finished_close(w.file);
  mb_free(w.values);
  return status == MB_DEVICE ? MB_OK : status;
}
