// The bash completion script.
#include "cli/help.h"

static void words(FILE *out, const char *const *list) {
  for (const char *const *word = list; word && *word; word++)
    fprintf(out, "%s%s", word == list ? "" : " ", *word);
}

// What may follow the options that take something other than a file.
static void value_cases(FILE *out, const MbCommand *command) {
  for (size_t i = 0; i < command->noptions; i++) {
    const MbOption *option = &command->options[i];
    if (option->type == MB_OPTION_FLAG || option->type == MB_OPTION_FILE) continue;
    fprintf(out, "      %s:--%s) COMPREPLY=($(compgen -W '", command->name, option->name);
    words(out, option->words);
    fputs("' -- \"$word\")); return ;;\n", out);
  }
}

void mb_help_bash(FILE *out) {
  fputs("# bash completion for mbsim; made by `mbsim help bash`\n"
        "_mbsim() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
        "  local options= operands=\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "    COMPREPLY=($(compgen -W '",
        out);
  for (const MbCommand *const *c = mb_commands; *c; c++) fprintf(out, "%s ", (*c)->name);
  fputs("--help --version' -- \"$word\"))\n    return\n  fi\n  case $command:$before in\n", out);
  for (const MbCommand *const *c = mb_commands; *c; c++) value_cases(out, *c);
  fputs("  esac\n  case $command in\n", out);
  for (const MbCommand *const *c = mb_commands; *c; c++) {
    fprintf(out, "    %s) options='", (*c)->name);
    for (size_t i = 0; i < (*c)->noptions; i++) fprintf(out, "--%s ", (*c)->options[i].name);
    fputs("--help' operands='", out);
    words(out, (*c)->operand_words);
    fputs("' ;;\n", out);
  }
  fputs("  esac\n"
        "  case $word in\n"
        "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
        "    *) COMPREPLY=($(compgen -W \"$operands\" -- \"$word\"; compgen -f -- \"$word\")) ;;\n"
        "  esac\n"
        "}\n"
        "complete -o filenames -F _mbsim mbsim\n",
        out);
}
