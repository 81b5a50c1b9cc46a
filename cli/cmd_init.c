#include "cli/choices.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/starters.h"

#include <inttypes.h>
#include <string.h>

// A kind of scene: a text, or one that is written to size.
typedef struct Starter {
  const char *kind, *about, *text;
  void (*write)(FILE *out, int64_t bodies);
} Starter;

static const Starter starters[] = {
    {"box", "a box that is thrown up, turning, and falls", mb_starter_box, NULL},
    {"spinning", "a body that spins about its middle axis and flips over and over", mb_starter_spinning,
     NULL},
    {"hammer", "a body composed of two shapes and two materials, thrown", mb_starter_hammer, NULL},
    {"thrown", "a ball in air with a gust of wind that pushes it sideways", mb_starter_thrown, NULL},
    {"pendulum", "two rods, on a hinge and on a ball joint", mb_starter_pendulum, NULL},
    {"arm", "an arm with motors and limits in its joints", mb_starter_arm, NULL},
    {"four-bar", "a linkage with a closed loop and a prescribed motion", mb_starter_four_bar, NULL},
    {"top", "a spinning top that goes round and nods", mb_starter_top, NULL},
    {"muscle", "a forearm that a muscle bends", mb_starter_muscle, NULL},
    {"cloth", "a cloth held at two corners", mb_starter_cloth, NULL},
    {"soft", "a soft bar that is twisted", mb_starter_soft, NULL},
    {"stack", "boxes on one another, and a ball that knocks them over", mb_starter_stack, NULL},
    {"drop", "a ball, a box and a capsule that drop and bounce", mb_starter_drop, NULL},
    {"chain", "a chain of as many links as --bodies says", NULL, mb_starter_chain},
    {"study", "not a scene but a study of the pendulum: mbsim sweep runs it", mb_starter_study, NULL},
};

enum { STARTERS = sizeof starters / sizeof *starters, FEW_BODIES = 20, MOST_BODIES = 1000000 };
static const char *const kinds[] = {"box",      "spinning", "hammer", "thrown", "pendulum", "arm",
                                    "four-bar", "top",      "muscle", "cloth",  "soft",     "stack",
                                    "drop",     "chain",    "study",  NULL};
_Static_assert(sizeof kinds / sizeof *kinds == STARTERS + 1, "every starter has its word");

static MbStatus write_starter(const MbArgs *args, const Starter *starter, MbReport *report) {
  const MbValue *const output = mb_arg(args, "output"), *const bodies = mb_arg(args, "bodies");
  if (bodies->given && !starter->write)
    return mb_error(report, MB_USAGE, "", "--bodies is for chains; starter scene \"%s\" has its own number",
                    starter->kind);
  if (bodies->given && bodies->count > MOST_BODIES)
    return mb_error(report, MB_USAGE, "", "--bodies %" PRId64 ": at most %d", bodies->count, MOST_BODIES);
  MbOutput out;
  const MbOutputAsk ask = {.path = output->text, .replace = mb_arg_given(args, "force")};
  const MbStatus status = mb_output_open(&out, &ask, report);
  if (status) return status;
  if (starter->write)
    starter->write(out.stream, bodies->given ? bodies->count : FEW_BODIES);
  else
    fputs(starter->text, out.stream);
  return mb_output_end(&out, MB_OK, report);
}

static MbStatus run(const MbArgs *args) {
  if (!args->noperands) {
    for (int i = 0; i < STARTERS; i++) printf("%-10s%s\n", starters[i].kind, starters[i].about);
    return MB_OK;
  }
  MbReport report = {0};
  const char *kind = args->operands[0];
  int k = 0;
  while (k < STARTERS && strcmp(starters[k].kind, kind) != 0) k++;
  MbStatus status = MB_OK;
  if (k < STARTERS)
    status = write_starter(args, &starters[k], &report);
  else {
    const char *near = mb_nearest_word(kind, kinds);
    status = mb_error(&report, MB_USAGE, "", "no starter scene \"%s\"%s%s%s (mbsim init lists them)", kind,
                      near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
  }
  mb_console_report(stderr, &report);
  return status;
}

static const MbOption options[] = {
    MB_OUTPUT_OPTION("where to write", "stdout"),
    {.name = "bodies",
     .letter = 'n',
     .type = MB_OPTION_COUNT,
     .argument = "N",
     .help = "links of a chain",
     .fallback = "20"},
    {.name = "force", .letter = 'f', .help = "replace an existing file"},
};

const MbCommand mb_command_init = {
    .name = "init",
    .operands = "[KIND]",
    .most = 1,
    .summary = "write a scene to start from",
    .details = "Writes a commented scene of a KIND to start from; without KIND, lists the kinds.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .operand_words = kinds,
    .run = run,
};
