// Talking to people: messages on stderr, tables on stdout, numbers in readable units.
#ifndef MB_CLI_CONSOLE_H
#define MB_CLI_CONSOLE_H

#include "core/base/report.h"
#include <cjson/cJSON.h>
#include <stdio.h>

// "mbsim: error: ..." on stderr.
void mb_console_error(const char *format, ...) MB_PRINTF(1, 2);
void mb_console_note(const char *format, ...) MB_PRINTF(1, 2);

// Every issue as `file:line:column: error: /pointer: text`, and how many were not kept.
void mb_console_report(FILE *out, const MbReport *report);
cJSON *mb_console_report_json(const MbReport *report); // a list; NULL when memory ran out
// Adds file, line, column, pointer and text, where known.
void mb_console_issue_json(cJSON *object, const MbReport *report, const MbIssue *issue);

bool mb_console_color(FILE *stream); // a terminal that wants colour
// The text with control characters replaced: names out of files must not steer the terminal.
const char *mb_console_safe(const char *text, char *buffer, size_t size);

// "3.2 MiB", "1 min 20 s", "1.25k"; all into 32 bytes, returned.
const char *mb_console_bytes(uint64_t bytes, char text[32]);
const char *mb_console_duration(double seconds, char text[32]);
const char *mb_console_rate(double number, char text[32]);

// Prints the tree on stdout, indented, and frees it. MB_IO when memory ran out (tree NULL) or stdout is
// broken.
MbStatus mb_console_json(cJSON *tree);
// The answer of a command with --json that has none: {"status", "issues"}. Returns `status`.
MbStatus mb_console_json_failure(MbStatus status, const MbReport *report);
cJSON *mb_console_failure(MbStatus status, const MbReport *report); // that answer
bool mb_console_reader_left(void); // stdout is a pipe that nobody reads any more
// Flushes stdout. A reader that went away (`| head`) is no failure; a full disk is.
MbStatus mb_console_finish(MbStatus status);

#endif
