// mbsim: finds the sub-command and runs it.
#include "cli/console.h"
#include "cli/file_kind.h"
#include "cli/help.h"
#include "cli/log.h"
#include "cli/options.h"

#include <signal.h>
#include <string.h>

const MbCommand *const mb_commands[] = {
    &mb_command_run,   &mb_command_sweep,  &mb_command_validate, &mb_command_info,   &mb_command_diff,
    &mb_command_check, &mb_command_repair, &mb_command_hash,     &mb_command_export, &mb_command_view,
    &mb_command_plot,  &mb_command_schema, &mb_command_gradient, &mb_command_fit,    &mb_command_bench,
    &mb_command_init,  &mb_command_import, &mb_command_version,  &mb_command_help,   NULL,
};

const MbCommand *mb_command_find(const char *name) {
  for (const MbCommand *const *c = mb_commands; *c; c++)
    if (!strcmp((*c)->name, name)) return *c;
  return NULL;
}

// A file where a command is wanted: what to do with one of its kind.
static const char *command_for(const char *path) {
  const MbFileKind kind = mb_file_kind(path);
  return kind == MB_FILE_JSON ? "run" : kind == MB_FILE_TRAJECTORY ? "info" : NULL;
}

static MbStatus unknown_command(const char *name) {
  const char *words[32], *command = command_for(name);
  if (command) {
    mb_console_error("\"%s\" is a file and no command; did you mean mbsim %s %s? (see mbsim --help)", name,
                     command, name);
    return MB_USAGE;
  }
  size_t n = 0;
  for (; mb_commands[n] && n < 31; n++) words[n] = mb_commands[n]->name;
  words[n] = NULL;
  const char *near = mb_nearest_word(name, words);
  mb_console_error("unknown command \"%s\"%s%s%s (see mbsim --help)", name, near ? "; did you mean " : "",
                   near ? near : "", near ? "?" : "");
  return MB_USAGE;
}

// Whether a command line that may make no sense asks for a log in JSON, which then tells that too.
static bool wants_json_log(const MbCommand *command, int argc, char *const *argv) {
  bool knows = false, wants = false;
  for (size_t i = 0; i < command->noptions; i++) knows |= !strcmp(command->options[i].name, "log");
  for (int i = 2; knows && i < argc && strcmp(argv[i], "--") != 0; i++) {
    const char *value = !strcmp(argv[i], "--log")        ? argv[i + 1]
                        : !strncmp(argv[i], "--log=", 6) ? argv[i] + 6
                                                         : NULL;
    if (value) wants = !strcmp(value, "json");
  }
  return wants;
}

static MbStatus run_command(const MbCommand *command, int argc, char **argv) {
  MbReport report = {0};
  MbArgs args;
  MbStatus status = mb_args_parse(command, argc, argv, &args, &report);
  if (status)
    mb_log_report(&(MbLog){.json = wants_json_log(command, argc, argv)}, &report);
  else if (args.help)
    mb_help_command(stdout, command);
  else
    status = command->run(&args);
  mb_args_free(&args);
  return status;
}

static MbStatus dispatch(int argc, char **argv) {
  if (argc < 2) {
    mb_help_program(stderr);
    return MB_USAGE;
  }
  const char *name = argv[1];
  if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
    mb_help_program(stdout);
    return MB_OK;
  }
  if (!strcmp(name, "--version") || !strcmp(name, "-V")) name = "version";
  const MbCommand *command = mb_command_find(name);
  return command ? run_command(command, argc, argv) : unknown_command(name);
}

int main(int argc, char **argv) {
  // broken pipes and file size limits come back as errors of the write that met them
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  return (int)mb_console_finish(dispatch(argc, argv));
}
