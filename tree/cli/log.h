// What a run says on stderr while it goes: text for people, or one JSON object a line.
#ifndef MB_CLI_LOG_H
#define MB_CLI_LOG_H

#include "core/base/report.h"
#include <cjson/cJSON.h>

typedef struct MbLog {
  bool json;
  bool quiet; // text: warnings and errors only
  bool drawn; // a progress line stands on the terminal
} MbLog;

extern const char *const mb_log_words[]; // text, json

void mb_log_say(MbLog *log, const char *format, ...) MB_PRINTF(2, 3); // text only
void mb_log_report(MbLog *log, const MbReport *report);

// An event {"event": name}; NULL when memory ran out, which the functions of cJSON take.
cJSON *mb_log_event(const char *name);
// Writes and frees it; as a line where the log is JSON, else not at all.
void mb_log_write(MbLog *log, cJSON *event);

// The progress line: drawn over itself, wiped before anything else is printed.
void mb_log_draw(MbLog *log, const char *line);
void mb_log_wipe(MbLog *log);

#endif
