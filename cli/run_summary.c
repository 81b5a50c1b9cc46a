// What a run says where it starts and where it ends.
#include "cli/console.h"
#include "cli/run.h"
#include "core/base/clock.h"

#include <math.h>

int mb_run_threads(const MbRun *run) {
  const MbValue *given = mb_arg(run->args, "threads");
  return given->given ? (int)given->count : run->scene->spec.solver.threads;
}

void mb_run_announce(MbRun *run) {
  const MbSceneSpec *spec = &run->scene->spec;
  cJSON *event = mb_log_event("start");
  cJSON_AddStringToObject(event, "scene", run->scene_name);
  if (run->output.file) cJSON_AddStringToObject(event, "file", run->output.file);
  cJSON_AddNumberToObject(event, "bodies", (double)mb_model_bodies(run->model));
  cJSON_AddNumberToObject(event, "dofs", (double)mb_model_dofs(run->model));
  cJSON_AddNumberToObject(event, "step", run->plan.step);
  cJSON_AddNumberToObject(event, "steps", (double)run->plan.steps);
  cJSON_AddNumberToObject(event, "from_step", (double)mb_sim_steps(run->sim));
  cJSON_AddStringToObject(event, "solver", mb_solver_words[spec->solver.kind]);
  cJSON_AddStringToObject(event, "integrator", mb_integrator_words[spec->integrator.kind]);
  cJSON_AddNumberToObject(event, "threads", mb_run_threads(run));
  cJSON_AddStringToObject(event, "device", mb_engine_name(run->engine));
  mb_log_write(&run->log, event);
}

static void summary_event(MbRun *run, MbStatus status, const MbTrajCounts *counts, double wall,
                          int64_t step) {
  cJSON *event = mb_log_event("summary");
  cJSON_AddNumberToObject(event, "status", status);
  cJSON_AddStringToObject(event, "reason", mb_run_reason(status));
  if (run->output.file) cJSON_AddStringToObject(event, "file", run->output.file);
  cJSON_AddNumberToObject(event, "step", (double)step);
  cJSON_AddNumberToObject(event, "time", mb_sim_time(run->sim));
  cJSON_AddNumberToObject(event, "wall", wall);
  if (run->output.file) {
    cJSON_AddNumberToObject(event, "frames", (double)counts->frames);
    cJSON_AddNumberToObject(event, "file_bytes", (double)counts->file_bytes);
    cJSON_AddNumberToObject(event, "compression", (double)counts->raw_bytes / (double)counts->file_bytes);
  }
  const double drift = mb_tally_drift(&run->tally), constraint = mb_tally_constraint(&run->tally);
  if (!isnan(drift)) cJSON_AddNumberToObject(event, "energy_drift", drift);
  if (!isnan(mb_tally_scale(&run->tally)))
    cJSON_AddNumberToObject(event, "energy_scale", mb_tally_scale(&run->tally));
  const double left = mb_sim_solution_left(run->sim);
  if (!isnan(left)) cJSON_AddNumberToObject(event, "solution_left", left);
  if (!isnan(left)) cJSON_AddNumberToObject(event, "steps_missed", (double)mb_sim_steps_missed(run->sim));
  const int64_t crushed = mb_sim_steps_crushed(run->sim);
  if (crushed) cJSON_AddNumberToObject(event, "steps_crushed", (double)crushed);
  MbContactCounts contacts;
  if (mb_sim_contacts(run->sim, &contacts)) {
    cJSON_AddNumberToObject(event, "contacts_most", (double)contacts.most);
    cJSON_AddNumberToObject(event, "contacts_residual", contacts.residual);
    cJSON_AddNumberToObject(event, "contacts_missed", (double)contacts.missed);
    cJSON_AddNumberToObject(event, "contacts_deepest", contacts.deepest);
  }
  double worst;
  const int64_t missed = mb_sim_contacts(run->sim, &contacts) ? 0 : mb_sim_forces_missed(run->sim, &worst);
  if (missed) cJSON_AddNumberToObject(event, "forces_missed", (double)missed);
  cJSON_AddBoolToObject(event, "energy_left", mb_sim_energy_left(run->sim));
  if (!isnan(constraint)) cJSON_AddNumberToObject(event, "constraint_error", constraint);
  mb_log_write(&run->log, event);
}

// What the energy has changed by, in words behind its numbers: drift where nothing in the scene explains it.
static void describe_change(const MbRun *run, bool left, char *out, size_t size) {
  const double drift = mb_tally_drift(&run->tally), scale = mb_tally_scale(&run->tally);
  const MbEnergyCause cause = left ? MB_ENERGY_KEPT : mb_sim_energy_cause(run->sim);
  const bool down = cause == MB_ENERGY_DAMPED && drift < 0;
  *out = 0;
  if (isnan(drift) || cause == MB_ENERGY_DRIVEN) return;
  snprintf(out, size, ", %s %.2g of the %.3g J that there were to move with", down ? "down by" : "drift",
           down ? -drift : drift, scale);
}

static void say_energy(MbRun *run) {
  const MbTally *tally = &run->tally;
  const bool left = mb_sim_energy_left(run->sim);
  char change[100];
  if (isnan(mb_tally_scale(tally))) {
    if (left) mb_log_say(&run->log, "energy: it has changed by itself: see the warning above");
    return;
  }
  describe_change(run, left, change, sizeof change);
  mb_log_say(&run->log, "energy: %.6g -> %.6g J%s%s", tally->first, tally->last, change,
             left ? "; no force explains that: see the warning above" : "");
}

static void say_contacts(MbRun *run, int64_t step) {
  static const double MUCH = 0.01; // of the energy that there was to move with
  MbContactCounts contacts;
  double worst;
  const int64_t missed = mb_sim_forces_missed(run->sim, &worst);
  if (!mb_sim_contacts(run->sim, &contacts)) {
    if (missed)
      mb_log_say(&run->log,
                 "friction in joints: %lld of %lld steps have not come to the tolerance, the worst to %.2g",
                 (long long)missed, (long long)step, worst);
    return;
  }
  mb_log_say(&run->log, "contact: up to %zu contacts at once, solved to %.2g; the deepest %.2g of a size",
             contacts.most, contacts.residual, contacts.deepest);
  if (fabs(contacts.parted) > MUCH * mb_tally_scale(&run->tally))
    mb_log_say(&run->log, "contact: parting what was deep has %s %.3g J of energy: take a smaller step",
               contacts.parted > 0 ? "added" : "taken", fabs(contacts.parted));
  if (contacts.missed)
    mb_log_say(&run->log, "contact: %lld of %lld steps have not come to the tolerance",
               (long long)contacts.missed, (long long)step);
}

void mb_run_summarize(MbRun *run, MbStatus status, const MbTrajCounts *counts, int64_t from) {
  const double wall = mb_clock() - run->start;
  const int64_t step = mb_sim_steps(run->sim);
  char a[32], b[32], c[32];
  if (run->log.json) {
    summary_event(run, status, counts, wall, step);
    return;
  }
  const double rate = (double)(step - from) / wall;
  mb_log_say(&run->log, "%s: %llu %s to t = %.6g s in %s (%.2f times smaller than raw)", run->output.file,
             (unsigned long long)counts->frames, counts->frames == 1 ? "frame" : "frames",
             mb_sim_time(run->sim), mb_console_bytes(counts->file_bytes, a),
             (double)counts->raw_bytes / (double)counts->file_bytes);
  if (step == from)
    mb_log_say(&run->log, "no steps in %s", mb_console_duration(wall, a));
  else
    mb_log_say(&run->log, "%lld steps in %s: %s steps/s, %sx real time", (long long)(step - from),
               mb_console_duration(wall, a), mb_console_rate(rate, b),
               mb_console_rate(rate * run->plan.step, c));
  say_energy(run);
  const double left = mb_sim_solution_left(run->sim);
  const int64_t missed = mb_sim_steps_missed(run->sim);
  if (!isnan(left))
    mb_log_say(&run->log,
               "deformables: steps end up to about %.2g of their size from their solution, by estimate%s",
               left, mb_sim_solution_told(run->sim) ? "; see the warning above" : "");
  if (missed)
    mb_log_say(&run->log, "deformables: %lld of %lld steps have not come to the accuracy that was wanted",
               (long long)missed, (long long)step);
  const int64_t crushed = mb_sim_steps_crushed(run->sim);
  if (crushed)
    mb_log_say(&run->log, "deformables: %lld of %lld steps end with elements that are crushed or inside out",
               (long long)crushed, (long long)step);
  say_contacts(run, step);
  const double constraint = mb_tally_constraint(&run->tally);
  if (!isnan(constraint)) mb_log_say(&run->log, "worst constraint error: %.2g", constraint);
}
