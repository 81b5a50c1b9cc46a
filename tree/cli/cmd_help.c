#include "cli/console.h"
#include "cli/help.h"
#include "cli/options.h"

#include <string.h>

static const char *const topics[] = {"man",    "bash",  "run",    "validate", "info",
                                     "diff",   "check", "repair", "hash",     "export",
                                     "schema", "bench", "init",   "version",  NULL};

static MbStatus run(const MbArgs *args) {
  const char *topic = args->noperands ? args->operands[0] : NULL;
  const MbCommand *command = topic ? mb_command_find(topic) : NULL;
  if (!topic)
    mb_help_program(stdout);
  else if (command)
    mb_help_command(stdout, command);
  else if (!strcmp(topic, "man"))
    mb_help_man(stdout);
  else if (!strcmp(topic, "bash"))
    mb_help_bash(stdout);
  else {
    const char *near = mb_nearest_word(topic, topics);
    mb_console_error("no help on \"%s\"%s%s%s", topic, near ? "; did you mean " : "", near ? near : "",
                     near ? "?" : "");
    return MB_USAGE;
  }
  return MB_OK;
}

const MbCommand mb_command_help = {
    .name = "help",
    .operands = "[COMMAND | man | bash]",
    .most = 1,
    .summary = "explain a command; print the man page or the bash completion",
    .details =
        "Explains a command. `mbsim help man` prints the manual page (roff: mbsim help man | man -l -), "
        "`mbsim help bash` a completion script (source <(mbsim help bash)).",
    .operand_words = topics,
    .run = run,
};
