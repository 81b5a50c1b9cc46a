#include "cli/help.h"

#include <string.h>

const MbExitCode mb_exit_codes[] = {
    {0, "success; trajectories are the same; the check passed"},
    {1, "trajectories differ, or a check failed"},
    {2, "the command line makes no sense, or the files cannot be compared"},
    {3, "the scene is invalid"},
    {4, "the numbers failed: the message names time, step and body"},
    {5, "input or output failed: file missing, damaged, already there, disk full"},
    {6, "the device asked for is not available"},
    {130, "interrupted; the file holds everything up to then and can be resumed"},
    {0, NULL},
};

enum { WIDTH = 88, INDENT = 26 };

// Words of `text`, wrapped, the first line starting at column `column`, the others at `indent`.
static void wrap(FILE *out, const char *text, int column, int indent) {
  while (*text) {
    const char *end = text + strcspn(text, " \n");
    const int length = (int)(end - text);
    if (column > indent && column + 1 + length > WIDTH) {
      fprintf(out, "\n%*s", indent, "");
      column = indent;
    } else if (column > indent) {
      fputc(' ', out);
      column++;
    }
    fwrite(text, 1, (size_t)length, out);
    column += length;
    if (end[0] == '\n' && end[1] == '\n') {
      fprintf(out, "\n\n%*s", indent, "");
      column = indent;
    }
    text = end + strspn(end, " \n");
  }
  fputc('\n', out);
}

void mb_help_program(FILE *out) {
  fprintf(
      out,
      "mbsim %s: simulation of multibody systems and deformables, in batch\n\nusage: mbsim COMMAND ...\n\n",
      mb_version());
  for (const MbCommand *const *c = mb_commands; *c; c++)
    fprintf(out, "  %-10s%s\n", (*c)->name, (*c)->summary);
  fputs("\nstart with:\n  mbsim init box -o box.json && mbsim run box.json && mbsim info box.mbt\n"
        "each command explains itself: mbsim COMMAND --help; `mbsim help man` prints the manual\n",
        out);
}

// "-o, --output FILE" and its help beside it or, where it is too long, below.
static void print_option(FILE *out, const MbOption *option) {
  char left[96], text[640];
  const char *letter = option->letter ? (char[]){'-', option->letter, ',', ' ', 0} : "    ";
  snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name, option->argument ? " " : "",
           option->argument ? option->argument : "");
  int n = snprintf(text, sizeof text, "%s", option->help);
  if (option->words) {
    n += snprintf(text + n, sizeof text - (size_t)n, " [");
    for (const char *const *w = option->words; *w; w++)
      n += snprintf(text + n, sizeof text - (size_t)n, "%s%s", w == option->words ? "" : " | ", *w);
    n += snprintf(text + n, sizeof text - (size_t)n, "]");
  }
  if (option->fallback) snprintf(text + n, sizeof text - (size_t)n, " (default: %s)", option->fallback);
  if ((int)strlen(left) >= INDENT - 1)
    fprintf(out, "%s\n%*s", left, INDENT, "");
  else
    fprintf(out, "%-*s", INDENT, left);
  wrap(out, text, INDENT, INDENT);
}

void mb_help_command(FILE *out, const MbCommand *command) {
  fprintf(out, "usage: mbsim %s%s%s%s\n\n", command->name, command->noptions ? " [OPTION]..." : "",
          command->operands[0] ? " " : "", command->operands);
  wrap(out, command->details, 0, 0);
  fputs("\noptions:\n", out);
  for (size_t i = 0; i < command->noptions; i++) print_option(out, &command->options[i]);
  static const MbOption help = {.name = "help", .letter = 'h', .help = "show this"};
  print_option(out, &help);
}
