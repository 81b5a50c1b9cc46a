// Sub-commands: what each is called, takes and does. One table of options a command drives parsing, help, man
// page and completion.
#ifndef MB_CLI_COMMAND_H
#define MB_CLI_COMMAND_H

#include "core/base/report.h"

typedef enum MbOptionType {
  MB_OPTION_FLAG,
  MB_OPTION_TEXT,
  MB_OPTION_FILE,
  MB_OPTION_LIST,     // text; may be given more than once
  MB_OPTION_NUMBER,   // finite, at least 0
  MB_OPTION_POSITIVE, // finite, more than 0
  MB_OPTION_COUNT,    // whole, at least 1
  MB_OPTION_WORD,     // one of `words`
} MbOptionType;

typedef struct MbOption {
  const char *name; // without the dashes
  char letter;      // short name; 0 = none
  MbOptionType type;
  const char *argument;     // its name in the help; NULL for flags
  const char *fallback;     // the default as the help tells it; NULL = nothing to tell
  const char *const *words; // MB_OPTION_WORD: those allowed, ended by NULL
  const char *help;
} MbOption;

typedef struct MbArgs MbArgs;

typedef struct MbCommand {
  const char *name;
  const char *operands; // "SCENE", "FILE..." as the help shows them
  int least, most;      // operands that must and may be there
  const char *summary;  // one line
  const char *details;  // paragraphs, separated by empty lines
  size_t noptions;
  const MbOption *options;          // (noptions)
  const char *const *operand_words; // words that the first operand may be, ended by NULL; or NULL
  MbStatus (*run)(const MbArgs *args);
} MbCommand;

// The table of commands, ended by NULL.
extern const MbCommand *const mb_commands[];
const MbCommand *mb_command_find(const char *name);

extern const MbCommand mb_command_run, mb_command_validate, mb_command_info, mb_command_diff,
    mb_command_check, mb_command_repair, mb_command_hash, mb_command_export, mb_command_schema,
    mb_command_bench, mb_command_init, mb_command_import, mb_command_view, mb_command_plot, mb_command_sweep,
    mb_command_gradient, mb_command_fit, mb_command_version, mb_command_help;

#endif
