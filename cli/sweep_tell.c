// What a sweep says: before, while and after it runs; the state of one; what one would be.
#include "cli/console.h"
#include "cli/sweep.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long Count;

// ---- a sweep that runs --------------------------------------------------------------------------------------

void mb_sweep_announce(MbSweep *s) {
  char part[64] = "";
  if (s->shards > 1)
    snprintf(part, sizeof part, ", shard %llu of %llu", (Count)s->shard + 1, (Count)s->shards);
  mb_log_say(&s->log, "%s: %llu %s (%s%s), %llu done before, %llu to do, %d at a time, into %s",
             s->scene_name, (Count)s->design.runs, s->design.runs == 1 ? "run" : "runs",
             mb_design_words[s->design.kind], part, (Count)s->there, (Count)s->todo, s->jobs, s->out);
  cJSON *event = mb_log_event("start");
  cJSON_AddStringToObject(event, "scene", s->scene_name);
  cJSON_AddStringToObject(event, "folder", s->out);
  cJSON_AddNumberToObject(event, "runs", (double)s->design.runs);
  cJSON_AddNumberToObject(event, "there", (double)s->there);
  cJSON_AddNumberToObject(event, "todo", (double)s->todo);
  cJSON_AddNumberToObject(event, "jobs", s->jobs);
  cJSON_AddNumberToObject(event, "shard", (double)s->shard + 1);
  cJSON_AddNumberToObject(event, "shards", (double)s->shards);
  mb_log_write(&s->log, event);
}

void mb_sweep_progress(MbSweep *s, double now, int active) {
  static const double LINE = 0.2, TEXT = 10, JSON = 1; // s
  const MbValue *given = mb_arg(s->args, "progress");
  const size_t mode = given->given ? given->word : MB_PROGRESS_AUTO;
  const bool line = !s->log.json && (mode == MB_PROGRESS_ALWAYS || isatty(STDERR_FILENO));
  if (mode == MB_PROGRESS_NEVER || (s->log.quiet && mode != MB_PROGRESS_ALWAYS)) return;
  if (s->told == 0) s->told = s->start;
  if (now - s->told < (s->log.json ? JSON : line ? LINE : TEXT)) return;
  s->told = now;
  const uint64_t ended = s->done + s->failed;
  const double rate = (double)ended / (now - s->start), left = (double)(s->todo - ended) / rate;
  if (s->log.json) {
    cJSON *event = mb_log_event("progress");
    cJSON_AddNumberToObject(event, "done", (double)s->done);
    cJSON_AddNumberToObject(event, "failed", (double)s->failed);
    cJSON_AddNumberToObject(event, "todo", (double)s->todo);
    cJSON_AddNumberToObject(event, "active", active);
    cJSON_AddNumberToObject(event, "runs_per_second", rate);
    if (isfinite(left)) cJSON_AddNumberToObject(event, "left", left);
    mb_log_write(&s->log, event);
    return;
  }
  char a[32], b[32], text[200];
  snprintf(text, sizeof text, "%3d %%  %llu of %llu runs, %llu failed, %d under way  %s runs/s  %s left",
           (int)(100.0 * (double)ended / (double)s->todo), (Count)ended, (Count)s->todo, (Count)s->failed,
           active, mb_console_rate(rate, a), mb_console_duration(left, b));
  if (line)
    mb_log_draw(&s->log, text);
  else
    mb_log_say(&s->log, "%s", text);
}

// "run 3 (length=0.5, mu=0.1)"
static void name_run(const MbSweep *s, uint64_t run, MbText *text) {
  mb_text_format(text, "run %llu", (Count)run);
  for (size_t a = 0; a < s->design.naxes; a++) {
    MbText value = {0};
    mb_design_value(&s->design, run, a, &value);
    char *json = mb_text_take(&value);
    mb_text_format(text, "%s%s=%s", a ? ", " : " (", s->design.axes[a].name, json ? json : "?");
    mb_free(json);
  }
  if (s->design.naxes) mb_text_add(text, ")");
}

void mb_sweep_tell_failure(MbSweep *s, uint64_t run, const MbResult *result) {
  enum { MOST = 10 };
  if (s->log.json) {
    cJSON *event = mb_log_event("failure");
    cJSON_AddNumberToObject(event, "run", (double)run);
    cJSON_AddStringToObject(event, "id", s->runs[run].id);
    cJSON_AddStringToObject(event, "status", mb_outcome_words[result->outcome]);
    cJSON_AddNumberToObject(event, "exit_code", result->exit_code);
    cJSON_AddStringToObject(event, "text", result->message);
    mb_log_write(&s->log, event);
    return;
  }
  if (s->failed > MOST) return;
  MbText text = {0};
  name_run(s, run, &text);
  char *name = mb_text_take(&text);
  mb_log_wipe(&s->log);
  mb_console_note("%.300s: %s: %s%s", name ? name : "a run", mb_outcome_words[result->outcome],
                  result->message, s->failed == MOST ? "\nmbsim: of further failures the table tells" : "");
  mb_free(name);
}

// "60,000 in lockstep on NVIDIA H200, 12 left to the processor"
static void tell_herd(MbSweep *s) {
  const MbHerdBoard *herd = s->herd;
  if (!herd || !*herd->device) return;
  const Count done = herd->done, left = herd->left;
  if (s->log.json) {
    cJSON *event = mb_log_event("device");
    cJSON_AddStringToObject(event, "device", herd->device);
    cJSON_AddNumberToObject(event, "lockstep", (double)done);
    cJSON_AddNumberToObject(event, "left", (double)left);
    mb_log_write(&s->log, event);
    return;
  }
  mb_log_say(&s->log, "%llu in lockstep on %s, %llu left to the processor", done, herd->device, left);
}

// "912 in lockstep, 88 one by one (80: it has constraints; 8: it leaves the bounds of numbers there)"
static void tell_ways(MbSweep *s) {
  const uint64_t there = s->herd ? (uint64_t)s->herd->done : 0, ended = s->done + s->failed,
                 lanes = mb_sweep_in_lanes(s), others = ended > there ? ended - there : 0,
                 alone = others > lanes ? others - lanes : 0;
  if (!lanes && !alone) return;
  MbText text = {0};
  uint64_t told = 0, runs = 0;
  cJSON *event = s->log.json ? mb_log_event("ways") : NULL;
  cJSON *reasons = event ? cJSON_AddArrayToObject(event, "reasons") : NULL;
  const char *why = NULL;
  for (size_t i = 0; (why = mb_sweep_why_alone(s, i, &runs)) != NULL; i++, told += runs) {
    mb_text_format(&text, "%s%llu: %s", i ? "; " : "", (Count)runs, why);
    if (!event) continue;
    cJSON *reason = cJSON_CreateObject();
    cJSON_AddStringToObject(reason, "reason", why);
    cJSON_AddNumberToObject(reason, "runs", (double)runs);
    cJSON_AddItemToArray(reasons, reason);
  }
  if (alone > told)
    mb_text_format(&text, "%s%llu: a process was lost", told ? "; " : "", (Count)(alone - told));
  char *all = mb_text_take(&text);
  if (event) {
    cJSON_AddNumberToObject(event, "lockstep", (double)lanes);
    cJSON_AddNumberToObject(event, "one_by_one", (double)alone);
    mb_log_write(&s->log, event);
  } else if (!alone) {
    mb_log_say(&s->log, "all in lockstep");
  } else {
    mb_log_say(&s->log, "%llu in lockstep, %llu one by one (%s)", (Count)lanes, (Count)alone, all ? all : "");
  }
  mb_free(all);
}

void mb_sweep_summarize(MbSweep *s, MbStatus status, const MbOutcomes *outcomes) {
  const double wall = mb_clock() - s->start;
  const uint64_t ended = s->done + s->failed, missing = outcomes->count[MB_OUT_MISSING];
  char a[32], b[32], rest[96] = "";
  mb_log_wipe(&s->log);
  tell_herd(s);
  if (s->keep != MB_KEEP_ALL) tell_ways(s);
  if (missing)
    snprintf(rest, sizeof rest, ", %llu of %llu still missing", (Count)missing, (Count)s->design.runs);
  if (s->log.json) {
    cJSON *event = mb_log_event("summary");
    cJSON_AddNumberToObject(event, "status", status);
    cJSON_AddNumberToObject(event, "done", (double)s->done);
    cJSON_AddNumberToObject(event, "failed", (double)s->failed);
    cJSON_AddNumberToObject(event, "there", (double)s->there);
    cJSON_AddNumberToObject(event, "missing", (double)missing);
    cJSON_AddNumberToObject(event, "wall", wall);
    mb_log_write(&s->log, event);
    return;
  }
  if (s->todo)
    mb_log_say(&s->log, "%llu %s done in %s (%s runs/s), %llu failed, %llu done before%s", (Count)s->done,
               s->done == 1 ? "run" : "runs", mb_console_duration(wall, a),
               mb_console_rate((double)ended / wall, b), (Count)s->failed, (Count)s->there, rest);
  else
    mb_log_say(&s->log, "nothing was to do: %llu done before%s", (Count)s->there, rest);
  mb_log_say(&s->log, "%s/results.csv", s->out);
  if (status == MB_INTERRUPTED) mb_log_say(&s->log, "interrupted; the same command goes on");
}

// ---- --status -------------------------------------------------------------------------------------------------

MbStatus mb_sweep_status(const char *folder, MbReport *report) {
  enum { MOST = 10 };
  MbSweepTable *table = NULL;
  MbOutcomes outcomes = {0};
  int told = 0;
  MbStatus status = mb_table_open(folder, &table, report);
  MbText failures = {0};
  while (!status && mb_table_next(table, &status, report)) {
    const MbOutcome outcome = table->result.outcome;
    outcomes.count[outcome]++;
    if (outcome != MB_OUT_OK && outcome != MB_OUT_MISSING && told++ < MOST)
      mb_text_format(&failures, "  run %s, %s: %s\n", table->cells[0].text, mb_outcome_words[outcome],
                     table->result.message);
  }
  if (!status) {
    printf("%s: %llu runs of %s\n", folder, (Count)table->head.runs, table->head.scene);
    for (int k = 0; k < MB_OUTCOMES; k++)
      if (outcomes.count[k]) printf("  %-8s %llu\n", mb_outcome_words[k], (Count)outcomes.count[k]);
    if (failures.length) printf("%s", failures.text);
    if (told > MOST) printf("  and %d more\n", told - MOST);
  }
  mb_free(mb_text_take(&failures));
  mb_table_free(table);
  return status;
}

// ---- --dry-run ------------------------------------------------------------------------------------------------

static void print_runs(const MbSweep *s) {
  printf("run,id");
  for (size_t a = 0; a < s->design.naxes; a++) printf(",%s", s->design.axes[a].name);
  printf(",state\n");
  for (uint64_t i = 0; i < s->design.runs; i++) {
    if (i % s->shards != s->shard) continue;
    MbText text = {0};
    for (size_t a = 0; a < s->design.naxes; a++) {
      MbText value = {0};
      mb_design_value(&s->design, i, a, &value);
      char *json = mb_text_take(&value);
      mb_text_add(&text, ",");
      if (json) mb_sweep_cell(&text, json);
      mb_free(json);
    }
    char *values = mb_text_take(&text);
    printf("%llu,%s%s,%s\n", (Count)i, s->runs[i].id, values ? values : "",
           s->runs[i].done ? "done" : "to do");
    mb_free(values);
  }
}

MbStatus mb_sweep_dry_run(MbSweep *s, MbReport *report) {
  print_runs(s);
  if (!s->todo) {
    printf("nothing is to do\n");
    return MB_OK;
  }
  MbSweepTrial trial;
  const MbStatus status = mb_sweep_try(s, &trial, report);
  if (status) return status;
  char a[32], b[32], c[32], d[32];
  if (trial.fails)
    printf("run %llu fails: %s\n", (Count)trial.run, trial.message);
  else
    printf("run %llu takes about %s and %s; all %llu, %d at a time, about %s and %s if they are like it\n",
           (Count)trial.run, mb_console_duration(trial.seconds, a), mb_console_bytes(trial.bytes, b),
           (Count)s->todo, s->jobs, mb_console_duration(trial.seconds * ceil((double)s->todo / s->jobs), c),
           mb_console_bytes(trial.bytes * s->todo, d));
  return MB_OK;
}
