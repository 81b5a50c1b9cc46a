// Parsing a command line by a command's table of options, and asking what it said.
#ifndef MB_CLI_OPTIONS_H
#define MB_CLI_OPTIONS_H

#include "cli/command.h"

typedef struct MbValue {
  bool given;
  const char *text;  // the last one given
  double number;     // MB_OPTION_NUMBER, MB_OPTION_POSITIVE
  int64_t count;     // MB_OPTION_COUNT
  size_t word;       // MB_OPTION_WORD: index
  const char **list; // (nlist) MB_OPTION_LIST
  size_t nlist;
} MbValue;

struct MbArgs {
  const MbCommand *command;
  MbValue *values;       // (command->noptions)
  const char **operands; // (noperands)
  size_t noperands;
  bool help;         // --help was among the options
  int argc;          // the whole command line, as it came
  char *const *argv; // (argc)
};

// Parses what follows the command's name, argv[2] on. MB_USAGE when it makes no sense. Free whatever came.
MbStatus mb_args_parse(const MbCommand *command, int argc, char *const *argv, MbArgs *args, MbReport *report);
void mb_args_free(MbArgs *args);

// By the option's name, which must be in the command's table.
const MbValue *mb_arg(const MbArgs *args, const char *name);
bool mb_arg_given(const MbArgs *args, const char *name);

#endif
