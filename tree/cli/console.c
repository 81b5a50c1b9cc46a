#include "cli/console.h"

#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool mb_console_color(FILE *stream) {
  const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return !(no && *no) && isatty(fileno(stream)) && terminal && strcmp(terminal, "dumb") != 0;
}

const char *mb_console_safe(const char *text, char *buffer, size_t size) {
  size_t i = 0;
  for (; text[i] && i + 1 < size; i++) {
    const unsigned char c = (unsigned char)text[i];
    buffer[i] = c < 0x20 || c == 0x7f ? '?' : text[i];
  }
  buffer[i] = 0;
  return buffer;
}

static void label(FILE *out, bool warning) {
  const bool color = mb_console_color(out);
  if (color) fputs(warning ? "\033[1;35m" : "\033[1;31m", out);
  fputs(warning ? "warning:" : "error:", out);
  if (color) fputs("\033[0m", out);
  fputc(' ', out);
}

void mb_console_error(const char *format, ...) {
  char text[2048], safe[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fputs("mbsim: ", stderr);
  label(stderr, false);
  fprintf(stderr, "%s\n", mb_console_safe(text, safe, sizeof safe));
}

void mb_console_note(const char *format, ...) {
  char text[2048], safe[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fprintf(stderr, "mbsim: %s\n", mb_console_safe(text, safe, sizeof safe));
}

static void print_issue(FILE *out, const MbReport *report, const MbIssue *issue) {
  char file[sizeof report->file], where[sizeof issue->where], text[sizeof issue->text];
  fputs(report->file[0] ? mb_console_safe(report->file, file, sizeof file) : "mbsim", out);
  if (issue->line) fprintf(out, ":%d:%d", issue->line, issue->column);
  fputs(": ", out);
  label(out, issue->warning);
  if (issue->where[0]) fprintf(out, "%s: ", mb_console_safe(issue->where, where, sizeof where));
  fprintf(out, "%s\n", mb_console_safe(issue->text, text, sizeof text));
}

void mb_console_report(FILE *out, const MbReport *report) {
  for (int i = 0; i < report->kept; i++) print_issue(out, report, &report->issues[i]);
  if (report->errors > MB_REPORT_MAX) fprintf(out, "mbsim: %d more errors\n", report->errors - MB_REPORT_MAX);
  if (report->warnings > MB_REPORT_MAX)
    fprintf(out, "mbsim: %d more warnings\n", report->warnings - MB_REPORT_MAX);
}

void mb_console_issue_json(cJSON *object, const MbReport *report, const MbIssue *issue) {
  if (report->file[0]) cJSON_AddStringToObject(object, "file", report->file);
  if (issue->line) {
    cJSON_AddNumberToObject(object, "line", issue->line);
    cJSON_AddNumberToObject(object, "column", issue->column);
  }
  if (issue->where[0]) cJSON_AddStringToObject(object, "pointer", issue->where);
  cJSON_AddStringToObject(object, "text", issue->text);
}

cJSON *mb_console_report_json(const MbReport *report) {
  cJSON *list = cJSON_CreateArray();
  for (int i = 0; list && i < report->kept; i++) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "kind", report->issues[i].warning ? "warning" : "error");
    mb_console_issue_json(item, report, &report->issues[i]);
    cJSON_AddItemToArray(list, item);
  }
  return list;
}

const char *mb_console_bytes(uint64_t bytes, char text[32]) {
  static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = (double)bytes;
  int k = 0;
  for (; value >= 1024 && k < 6; k++) value /= 1024;
  snprintf(text, 32, k && value < 100 ? "%.1f %s" : "%.0f %s", value, unit[k]);
  return text;
}

const char *mb_console_duration(double s, char text[32]) {
  if (!(s >= 0) || isinf(s))
    snprintf(text, 32, "?");
  else if (s < 1e-3)
    snprintf(text, 32, "%.0f us", s * 1e6);
  else if (s < 1)
    snprintf(text, 32, "%.0f ms", s * 1e3);
  else if (s < 60)
    snprintf(text, 32, "%.1f s", s);
  else if (s < 3600)
    snprintf(text, 32, "%d min %02d s", (int)s / 60, (int)s % 60);
  else if (s < 86400)
    snprintf(text, 32, "%d h %02d min", (int)(s / 3600), (int)fmod(s / 60, 60));
  else
    snprintf(text, 32, "%.1f days", s / 86400);
  return text;
}

const char *mb_console_rate(double x, char text[32]) {
  if (!isfinite(x))
    snprintf(text, 32, "?");
  else if (fabs(x) < 1e3)
    snprintf(text, 32, "%.3g", x);
  else if (fabs(x) < 1e6)
    snprintf(text, 32, "%.3gk", x / 1e3);
  else
    snprintf(text, 32, "%.3gM", x / 1e6);
  return text;
}

MbStatus mb_console_json(cJSON *tree) {
  char *text = tree ? cJSON_Print(tree) : NULL;
  cJSON_Delete(tree);
  if (!text) {
    mb_console_error("out of memory for the answer");
    return MB_IO;
  }
  puts(text);
  cJSON_free(text);
  return MB_OK;
}

cJSON *mb_console_failure(MbStatus status, const MbReport *report) {
  cJSON *tree = cJSON_CreateObject();
  cJSON_AddNumberToObject(tree, "status", status);
  cJSON_AddItemToObject(tree, "issues", mb_console_report_json(report));
  return tree;
}

MbStatus mb_console_json_failure(MbStatus status, const MbReport *report) {
  mb_console_json(mb_console_failure(status, report));
  return status;
}

bool mb_console_reader_left(void) {
  struct pollfd output = {.fd = STDOUT_FILENO};
  return poll(&output, 1, 0) > 0 && (output.revents & POLLERR);
}

MbStatus mb_console_finish(MbStatus status) {
  const bool broken = fflush(stdout) != 0 || ferror(stdout);
  if (!broken) return status;
  if (status == MB_IO || mb_console_reader_left()) return status; // told already, or not to be told
  mb_console_error("cannot write to standard output");
  return status ? status : MB_IO;
}
