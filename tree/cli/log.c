#include "cli/log.h"
#include "cli/console.h"

#include <stdarg.h>
#include <string.h>

const char *const mb_log_words[] = {"text", "json", NULL};

void mb_log_draw(MbLog *log, const char *line) {
  fprintf(stderr, "\r\033[K%s", line);
  fflush(stderr);
  log->drawn = true;
}

void mb_log_wipe(MbLog *log) {
  if (log->drawn) fputs("\r\033[K", stderr);
  log->drawn = false;
}

void mb_log_say(MbLog *log, const char *format, ...) {
  if (log->json || log->quiet) return;
  mb_log_wipe(log);
  char text[2048], safe[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fprintf(stderr, "%s\n", mb_console_safe(text, safe, sizeof safe));
}

// How many were not kept, as one event.
static void say_more(MbLog *log, const MbReport *report, const char *name, int seen) {
  if (seen <= MB_REPORT_MAX) return;
  char text[64];
  snprintf(text, sizeof text, "%d more %ss", seen - MB_REPORT_MAX, name);
  cJSON *event = mb_log_event(name);
  cJSON_AddStringToObject(event, "text", text);
  if (!strcmp(name, "error")) cJSON_AddNumberToObject(event, "status", report->status);
  mb_log_write(log, event);
}

void mb_log_report(MbLog *log, const MbReport *report) {
  mb_log_wipe(log);
  if (!log->json) {
    mb_console_report(stderr, report);
    return;
  }
  for (int i = 0; i < report->kept; i++) {
    const MbIssue *issue = &report->issues[i];
    cJSON *event = mb_log_event(issue->warning ? "warning" : "error");
    mb_console_issue_json(event, report, issue);
    if (!issue->warning) cJSON_AddNumberToObject(event, "status", report->status);
    mb_log_write(log, event);
  }
  say_more(log, report, "error", report->errors);
  say_more(log, report, "warning", report->warnings);
}

cJSON *mb_log_event(const char *name) {
  cJSON *event = cJSON_CreateObject();
  cJSON_AddStringToObject(event, "event", name);
  return event;
}

void mb_log_write(MbLog *log, cJSON *event) {
  char *line = log->json && event ? cJSON_PrintUnformatted(event) : NULL;
  if (line) fprintf(stderr, "%s\n", line);
  cJSON_free(line);
  cJSON_Delete(event);
}
