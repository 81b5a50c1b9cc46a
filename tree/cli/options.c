#include "cli/options.h"
#include "core/base/alloc.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t option_index(const MbCommand *command, const char *name, size_t length) {
  for (size_t i = 0; i < command->noptions; i++)
    if (strlen(command->options[i].name) == length && !memcmp(command->options[i].name, name, length))
      return i;
  return SIZE_MAX;
}

static MbStatus unknown_option(const MbCommand *command, const char *name, MbReport *report) {
  enum { MOST = 64 };
  const char *words[MOST + 2];
  size_t n = 0;
  for (; n < command->noptions && n < MOST; n++) words[n] = command->options[n].name;
  words[n++] = "help";
  words[n] = NULL;
  const char *near = mb_nearest_word(name, words);
  return mb_error(report, MB_USAGE, "", "unknown option --%s%s%s%s (see mbsim %s --help)", name,
                  near ? "; did you mean --" : "", near ? near : "", near ? "?" : "", command->name);
}

static MbStatus take_number(const MbOption *option, const char *text, MbValue *value, MbReport *report) {
  char *end = NULL;
  errno = 0;
  value->number = strtod(text, &end);
  const bool positive = option->type == MB_OPTION_POSITIVE;
  if (end != text && !*end && isinf(value->number) && errno == ERANGE)
    return mb_error(report, MB_USAGE, "", "--%s: \"%s\" is too large for a number", option->name, text);
  if (end == text || *end || !isfinite(value->number) || value->number < 0 ||
      (positive && value->number == 0))
    return mb_error(report, MB_USAGE, "", "--%s: \"%s\" is not a number %s", option->name, text,
                    positive ? "above 0" : "of at least 0");
  return MB_OK;
}

static MbStatus take_count(const MbOption *option, const char *text, MbValue *value, MbReport *report) {
  char *end = NULL;
  errno = 0;
  value->count = strtoll(text, &end, 10);
  if (end == text || *end || errno || value->count < 1)
    return mb_error(report, MB_USAGE, "", "--%s: \"%s\" is not a whole number of at least 1", option->name,
                    text);
  return MB_OK;
}

static MbStatus take_word(const MbOption *option, const char *text, MbValue *value, MbReport *report) {
  for (value->word = 0; option->words[value->word]; value->word++)
    if (!strcmp(option->words[value->word], text)) return MB_OK;
  char all[256] = "";
  for (const char *const *word = option->words; *word; word++)
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", word == option->words ? "" : ", ", *word);
  const char *near = mb_nearest_word(text, option->words);
  return mb_error(report, MB_USAGE, "", "--%s: \"%s\" is none of %s%s%s%s", option->name, text, all,
                  near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static MbStatus take_value(const MbOption *option, const char *text, MbValue *value, int argc,
                           MbReport *report) {
  value->given = true;
  value->text = text;
  switch (option->type) {
  case MB_OPTION_FLAG:
  case MB_OPTION_TEXT:
  case MB_OPTION_FILE:
    return MB_OK;
  case MB_OPTION_LIST:
    if (!value->list) value->list = mb_calloc((size_t)argc, sizeof *value->list);
    if (!value->list) return mb_no_memory(report, "the command line");
    value->list[value->nlist++] = text;
    return MB_OK;
  case MB_OPTION_NUMBER:
  case MB_OPTION_POSITIVE:
    return take_number(option, text, value, report);
  case MB_OPTION_COUNT:
    return take_count(option, text, value, report);
  case MB_OPTION_WORD:
    return take_word(option, text, value, report);
  }
  return MB_USAGE;
}

// --name, --name=value, --name value; *i stays on the last argument taken.
static MbStatus parse_long(MbArgs *args, int *i, MbReport *report) {
  const MbCommand *command = args->command;
  const char *name = args->argv[*i] + 2, *equals = strchr(name, '=');
  const size_t length = equals ? (size_t)(equals - name) : strlen(name);
  if (length == 4 && !memcmp(name, "help", 4)) {
    args->help = true;
    return MB_OK;
  }
  const size_t k = option_index(command, name, length);
  if (k == SIZE_MAX) {
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), name);
    return unknown_option(command, word, report);
  }
  const MbOption *option = &command->options[k];
  if (option->type == MB_OPTION_FLAG) {
    if (equals) return mb_error(report, MB_USAGE, "", "--%s takes no value", option->name);
    return take_value(option, "", &args->values[k], args->argc, report);
  }
  if (!equals && *i + 1 >= args->argc)
    return mb_error(report, MB_USAGE, "", "--%s wants a value: %s", option->name, option->argument);
  return take_value(option, equals ? equals + 1 : args->argv[++*i], &args->values[k], args->argc, report);
}

// -x, -xy for flags, -oVALUE, -o VALUE.
static MbStatus parse_short(MbArgs *args, int *i, MbReport *report) {
  const MbCommand *command = args->command;
  for (const char *letter = args->argv[*i] + 1; *letter; letter++) {
    size_t k = 0;
    while (k < command->noptions && command->options[k].letter != *letter) k++;
    if (k == command->noptions) {
      if (*letter != 'h')
        return mb_error(report, MB_USAGE, "", "unknown option -%c (see mbsim %s --help)", *letter,
                        command->name);
      args->help = true;
      continue;
    }
    const MbOption *option = &command->options[k];
    if (option->type == MB_OPTION_FLAG) {
      take_value(option, "", &args->values[k], args->argc, report);
      continue;
    }
    if (!letter[1] && *i + 1 >= args->argc)
      return mb_error(report, MB_USAGE, "", "-%c wants a value: %s", *letter, option->argument);
    return take_value(option, letter[1] ? letter + 1 : args->argv[++*i], &args->values[k], args->argc,
                      report);
  }
  return MB_OK;
}

static MbStatus check_operands(const MbArgs *args, MbReport *report) {
  const MbCommand *command = args->command;
  if (args->noperands < (size_t)command->least)
    return mb_error(report, MB_USAGE, "", "%s: %s wanted (see mbsim %s --help)", command->name,
                    command->operands, command->name);
  if (args->noperands > (size_t)command->most)
    return mb_error(report, MB_USAGE, "", "%s: \"%s\" is one argument too many (see mbsim %s --help)",
                    command->name, args->operands[command->most], command->name);
  return MB_OK;
}

MbStatus mb_args_parse(const MbCommand *command, int argc, char *const *argv, MbArgs *args,
                       MbReport *report) {
  *args = (MbArgs){.command = command, .argc = argc, .argv = argv};
  args->values = mb_calloc(command->noptions, sizeof *args->values);
  args->operands = mb_calloc((size_t)argc, sizeof *args->operands);
  if (!args->values || !args->operands) return mb_no_memory(report, "the command line");
  MbStatus status = MB_OK;
  bool ended = false; // by "--"
  for (int i = 2; i < argc && !status; i++) {
    const char *word = argv[i];
    if (!ended && !strcmp(word, "--"))
      ended = true;
    else if (!ended && word[0] == '-' && word[1] == '-')
      status = parse_long(args, &i, report);
    else if (!ended && word[0] == '-' && word[1])
      status = parse_short(args, &i, report);
    else
      args->operands[args->noperands++] = word;
  }
  return status || args->help ? status : check_operands(args, report);
}

void mb_args_free(MbArgs *args) {
  for (size_t i = 0; args->values && i < args->command->noptions; i++) mb_free(args->values[i].list);
  mb_free(args->values);
  mb_free(args->operands);
  *args = (MbArgs){0};
}

const MbValue *mb_arg(const MbArgs *args, const char *name) {
  const size_t k = option_index(args->command, name, strlen(name));
  assert(k != SIZE_MAX);
  return &args->values[k];
}

bool mb_arg_given(const MbArgs *args, const char *name) { return mb_arg(args, name)->given; }
