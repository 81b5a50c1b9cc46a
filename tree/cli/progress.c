#include "cli/progress.h"
#include "cli/console.h"
#include "core/base/clock.h"

#include <unistd.h>

const char *const mb_progress_words[] = {"auto", "always", "never", NULL};

static const double line_period = 0.2, text_period = 10, json_period = 1, look_period = 0.05;

void mb_progress_start(MbProgress *p, MbLog *log, const MbPlan *plan, int64_t first, size_t mode) {
  const double now = mb_clock();
  *p = (MbProgress){.log = log, .plan = plan, .start = now, .shown = now, .looked = now, .first = first};
  p->looked_step = first;
  p->batch = p->countdown = 1;
  p->line = !log->json && (mode == MB_PROGRESS_ALWAYS || isatty(STDERR_FILENO));
  p->period = log->json ? json_period : p->line ? line_period : text_period;
  if (mode == MB_PROGRESS_NEVER || (log->quiet && mode != MB_PROGRESS_ALWAYS)) p->period = 0;
}

static void show(MbProgress *p, int64_t step, double now) {
  const double time = (double)step * p->plan->step;
  const double rate = (double)(step - p->first) / (now - p->start);
  const double left = (double)(p->plan->steps - step) / rate, speed = rate * p->plan->step;
  if (p->log->json) {
    cJSON *event = mb_log_event("progress");
    cJSON_AddNumberToObject(event, "step", (double)step);
    cJSON_AddNumberToObject(event, "steps", (double)p->plan->steps);
    cJSON_AddNumberToObject(event, "time", time);
    cJSON_AddNumberToObject(event, "speed", speed);
    cJSON_AddNumberToObject(event, "steps_per_second", rate);
    cJSON_AddNumberToObject(event, "left", left);
    mb_log_write(p->log, event);
    return;
  }
  char a[32], b[32], c[32], line[160];
  snprintf(line, sizeof line, "%3d %%  t = %.6g s  %sx real time  %s steps/s  %s left",
           (int)(100.0 * (double)step / (double)p->plan->steps), time, mb_console_rate(speed, a),
           mb_console_rate(rate, b), mb_console_duration(left, c));
  if (p->line)
    mb_log_draw(p->log, line);
  else
    mb_log_say(p->log, "%s", line);
}

// Chooses the number of steps to the next look so that looks are about look_period apart.
void mb_progress_look(MbProgress *p, int64_t step) {
  if (p->period <= 0) {
    p->countdown = INT64_MAX;
    return;
  }
  const double now = mb_clock(), took = now - p->looked;
  const double wanted = took > 0 ? (double)(step - p->looked_step) * look_period / took : 1e9;
  p->batch = wanted > 2.0 * (double)p->batch ? 2 * p->batch : wanted < 1 ? 1 : (int64_t)wanted;
  p->countdown = p->batch;
  p->looked = now;
  p->looked_step = step;
  if (now - p->shown < p->period) return;
  p->shown = now;
  show(p, step, now);
}
