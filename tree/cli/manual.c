// The man page, in roff.
#include "cli/help.h"

#include <string.h>

// Text with roff's special characters escaped; an empty line ends a paragraph.
static void roff(FILE *out, const char *text) {
  bool start = true; // of a line
  for (; *text; text++) {
    if (start && (*text == '.' || *text == '\'')) fputs("\\&", out);
    if (text[0] == '\n' && text[1] == '\n') {
      fputs("\n.PP\n", out);
      text++;
      start = true;
      continue;
    }
    if (*text == '-')
      fputs("\\-", out);
    else if (*text == '\\')
      fputs("\\e", out);
    else
      fputc(*text, out);
    start = *text == '\n';
  }
}

static void roff_upper(FILE *out, const char *text) {
  for (; *text; text++) fputc(*text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text, out);
}

static void option_entry(FILE *out, const MbOption *option) {
  fputs(".TP\n", out);
  if (option->letter) fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
  fputs("\\fB\\-\\-", out);
  roff(out, option->name);
  fputs("\\fR", out);
  if (option->argument) fprintf(out, " \\fI%s\\fR", option->argument);
  fputc('\n', out);
  roff(out, option->help);
  if (option->words) {
    fputs(": ", out);
    for (const char *const *word = option->words; *word; word++) {
      fputs(word == option->words ? "\\fB" : ", \\fB", out);
      roff(out, *word);
      fputs("\\fR", out);
    }
  }
  if (option->fallback) {
    fputs(" (default: ", out);
    roff(out, option->fallback);
    fputc(')', out);
  }
  fputs(".\n", out);
}

static void command_section(FILE *out, const MbCommand *command) {
  fputs(".SH \"MBSIM ", out);
  roff_upper(out, command->name);
  fprintf(out, "\"\n.B mbsim %s\n", command->name);
  if (command->noptions) fputs("[\\fIoption\\fR]... ", out);
  roff(out, command->operands);
  fputs("\n.PP\n", out);
  roff(out, command->details);
  fputc('\n', out);
  for (size_t i = 0; i < command->noptions; i++) option_entry(out, &command->options[i]);
}

static const char files[] =
    ".SH FILES\n"
    "A run writes to \\fIFILE\\fR.part and renames it when it ends, whether it finished, was interrupted or "
    "its "
    "numbers\nfailed. When the program is killed or the disk is full the .part stays: it is readable up to "
    "its "
    "last complete\nchunk, \\fBmbsim repair\\fR makes a whole file of it, and \\fBmbsim run \\-\\-resume\\fR "
    "goes "
    "on from its last checkpoint.\n.PP\n"
    "Every command follows links, refuses directories, pipes and devices, never writes over a file that it "
    "reads, and "
    "puts\na file in its place when it is whole: until then an older one is as it was.\n"
    ".SH LOG\n"
    "With \\fB\\-\\-log json\\fR the run writes one JSON object a line to standard error. Each has "
    "\\fIevent\\fR: "
    "\\fBstart\\fR (scene,\nfile, bodies, dofs, step, steps, from_step, solver, integrator, threads, "
    "device), "
    "\\fBprogress\\fR (step, steps, time, speed,\nsteps_per_second, left), \\fBcheckpoint\\fR (step, time), "
    "\\fBwarning\\fR and \\fBerror\\fR (text, and where known pointer, file,\nline, column; an error has "
    "status), "
    "\\fBsummary\\fR (status, reason, file, step, time, wall, frames, file_bytes,\ncompression, "
    "energy_drift, "
    "constraint_error).\n";

void mb_help_man(FILE *out) {
  fprintf(out,
          ".TH MBSIM 1 \"\" \"mbsim %s\" \"User Commands\"\n.SH NAME\nmbsim \\- simulation of multibody "
          "systems and deformables, in "
          "batch\n.SH SYNOPSIS\n",
          mb_version());
  for (const MbCommand *const *c = mb_commands; *c; c++) {
    fprintf(out, "%s.B mbsim %s\n", c == mb_commands ? "" : ".br\n", (*c)->name);
    if ((*c)->noptions) fputs("[\\fIoption\\fR]... ", out);
    roff(out, (*c)->operands);
    fputc('\n', out);
  }
  fputs(".SH DESCRIPTION\n\\fBmbsim\\fR simulates what a scene file describes and writes a compressed "
        "trajectory, "
        "to be inspected,\ncompared and exported. The commands:\n",
        out);
  for (const MbCommand *const *c = mb_commands; *c; c++) {
    fprintf(out, ".TP\n.B %s\n", (*c)->name);
    roff(out, (*c)->summary);
    fputc('\n', out);
  }
  fputs(
      ".PP\nOptions may stand before and after arguments, as \\fB\\-\\-option=value\\fR or \\fB\\-\\-option "
      "value\\fR; \\fB\\-\\-\\fR ends them.\n",
      out);
  for (const MbCommand *const *c = mb_commands; *c; c++) command_section(out, *c);
  fputs(files, out);
  fputs(".SH EXIT STATUS\n", out);
  for (const MbExitCode *e = mb_exit_codes; e->text; e++) {
    fprintf(out, ".TP\n.B %d\n", e->code);
    roff(out, e->text);
    fputc('\n', out);
  }
  fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colour, also on a terminal\n.SH EXAMPLES\n.nf\n"
        "mbsim init box \\-o box.json\nmbsim run box.json \\-\\-duration 2\nmbsim info box.mbt\n"
        "mbsim export box.mbt \\-\\-channel energy\nmbsim run box.json \\-o other.mbt \\-\\-integrator "
        "symplectic\n"
        "mbsim diff box.mbt other.mbt\n.fi\n",
        out);
}
