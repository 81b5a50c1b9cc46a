// The documents that the option tables make: help, man page, bash completion.
#ifndef MB_CLI_HELP_H
#define MB_CLI_HELP_H

#include "cli/command.h"
#include <stdio.h>

void mb_help_program(FILE *out);
void mb_help_command(FILE *out, const MbCommand *command);
void mb_help_man(FILE *out);  // roff
void mb_help_bash(FILE *out); // completion script

typedef struct MbExitCode {
  int code;
  const char *text;
} MbExitCode;
extern const MbExitCode mb_exit_codes[]; // ended by text NULL

#endif
