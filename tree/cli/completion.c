// The bash completion script.
#include "cli/help.h"

static void words(FILE *out, const char *const *list) {
  for (const char *const *word = list; word && *word; word++)
    fprintf(out, "%s%s", word == list ? "" : " ", *word);
}

// What may follow the options that take a value.
static void value_cases(FILE *out, const MbCommand *command) {
  for (size_t i = 0; i < command->noptions; i++) {
    const MbOption *option = &command->options[i];
    if (option->type == MB_OPTION_FLAG) continue;
    fprintf(out, "    %s:--%s", command->name, option->name);
    if (option->letter) fprintf(out, "|%s:-%c", command->name, option->letter);
    fputs(option->type == MB_OPTION_FILE ? ") COMPREPLY=($(compgen -f" : ") COMPREPLY=($(compgen -W '", out);
    words(out, option->words);
    fputs(option->type == MB_OPTION_FILE ? " -- \"$word\")); return ;;\n" : "' -- \"$word\")); return ;;\n",
          out);
  }
}

void mb_help_bash(FILE *out) {
  fputs("# bash completion for mbsim; made by `mbsim help bash`\n"
        "_mbsim() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
        "  local options= operands= files=\n"
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
    fprintf(out, "' files=%s ;;\n", (*c)->most && !(*c)->operand_words ? "yes" : "");
  }
  fputs("  esac\n"
        "  case $word in\n"
        "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
        "    *)\n"
        "      COMPREPLY=($(compgen -W \"$operands\" -- \"$word\"))\n"
        "      [ -z \"$files\" ] || COMPREPLY+=($(compgen -f -- \"$word\"))\n"
        "      ;;\n"
        "  esac\n"
        "}\n"
        "complete -o filenames -F _mbsim mbsim\n",
        out);
}
