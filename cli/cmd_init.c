#include "cli/console.h"
#include "cli/options.h"
#include "cli/output_file.h"

#include <string.h>

// Starter scenes. Keys that begin with _ are comments.
typedef struct Starter {
  const char *kind, *about, *text;
} Starter;

static const Starter starters[] = {
    {"box", "a box that is thrown up, turning, and falls",
     "{\n"
     "  \"_\": \"keys that begin with _ are comments; units are SI, angles radians\",\n"
     "  \"mbsim\": 1,\n"
     "  \"name\": \"box\",\n"
     "  \"description\": \"A box that is thrown up, turning, and falls.\",\n"
     "  \"_parameters\": \"named numbers; mbsim run box.json --param speed=8 overrides one\",\n"
     "  \"parameters\": { \"speed\": 5 },\n"
     "  \"gravity\": [0, 0, -9.81],\n"
     "  \"time\": { \"step\": 0.001, \"duration\": 1 },\n"
     "  \"bodies\": [\n"
     "    {\n"
     "      \"name\": \"box\",\n"
     "      \"_shape\": \"whole edges; mass and inertia follow from the density, kg/m3\",\n"
     "      \"shape\": { \"type\": \"box\", \"size\": [0.1, 0.2, 0.3] },\n"
     "      \"density\": 1000,\n"
     "      \"pose\": { \"position\": [0, 0, 1] },\n"
     "      \"_velocity\": \"a text that begins with = is an expression\",\n"
     "      \"velocity\": { \"angular\": [0, \"=30*deg\", 0], \"linear\": [0, 0, \"=speed\"] }\n"
     "    }\n"
     "  ],\n"
     "  \"_output\": \"a frame every 10 steps, numbers exact\",\n"
     "  \"output\": { \"every\": 10, \"channels\": [\"body.position\", \"body.rotation\", \"body.velocity\", "
     "\"energy\", \"momentum\"] }\n"
     "}\n"},
    {"spinning", "a body that spins about its middle axis and flips over and over",
     "{\n"
     "  \"mbsim\": 1,\n"
     "  \"name\": \"spinning\",\n"
     "  \"description\": \"Without gravity, spinning about the axis of the middle moment of inertia: it "
     "flips.\",\n"
     "  \"gravity\": [0, 0, 0],\n"
     "  \"time\": { \"step\": 0.001, \"duration\": 5 },\n"
     "  \"_integrator\": \"second order; the default, implicit, is of first order\",\n"
     "  \"integrator\": \"trapezoidal\",\n"
     "  \"bodies\": [\n"
     "    {\n"
     "      \"name\": \"tablet\",\n"
     "      \"shape\": { \"type\": \"box\", \"size\": [0.3, 0.2, 0.05] },\n"
     "      \"density\": 1000,\n"
     "      \"_velocity\": \"about y, with a small disturbance\",\n"
     "      \"velocity\": { \"angular\": [0.001, 10, 0] }\n"
     "    }\n"
     "  ],\n"
     "  \"_output\": \"mbsim check --momentum 1e-3 judges how well momentum is kept\",\n"
     "  \"output\": { \"interval\": 0.01, \"channels\": [\"body.rotation\", \"body.velocity\", \"energy\", "
     "\"momentum\"] }\n"
     "}\n"},
    {"hammer", "a body composed of two shapes and two materials, thrown",
     "{\n"
     "  \"mbsim\": 1,\n"
     "  \"name\": \"hammer\",\n"
     "  \"description\": \"A handle of wood and a head of steel, thrown: the centre of mass flies a "
     "parabola.\",\n"
     "  \"time\": { \"step\": 0.001, \"duration\": 1.5 },\n"
     "  \"_integrator\": \"second order; the default, implicit, is of first order\",\n"
     "  \"integrator\": \"trapezoidal\",\n"
     "  \"materials\": { \"wood\": { \"density\": 700 }, \"steel\": { \"density\": 7800 } },\n"
     "  \"bodies\": [\n"
     "    {\n"
     "      \"name\": \"hammer\",\n"
     "      \"_shape\": \"a list makes one body; each shape has its frame in the body\",\n"
     "      \"shape\": [\n"
     "        { \"type\": \"cylinder\", \"radius\": 0.015, \"length\": 0.3, \"material\": \"wood\" },\n"
     "        { \"type\": \"box\", \"size\": [0.12, 0.04, 0.04], \"material\": \"steel\",\n"
     "          \"frame\": { \"position\": [0, 0, 0.15] } }\n"
     "      ],\n"
     "      \"pose\": { \"position\": [0, 0, 1.5] },\n"
     "      \"velocity\": { \"angular\": [0, 12, 0], \"linear\": [4, 0, 6] }\n"
     "    }\n"
     "  ],\n"
     "  \"output\": { \"interval\": 0.01 }\n"
     "}\n"},
    {"thrown", "a ball in air with a gust of wind that pushes it sideways",
     "{\n"
     "  \"mbsim\": 1,\n"
     "  \"name\": \"thrown\",\n"
     "  \"description\": \"A ball with drag, and a gust of wind from 0.3 s to 0.6 s.\",\n"
     "  \"parameters\": { \"speed\": 12, \"gust\": 2 },\n"
     "  \"time\": { \"step\": 0.001, \"duration\": 2 },\n"
     "  \"bodies\": [\n"
     "    {\n"
     "      \"name\": \"ball\",\n"
     "      \"shape\": { \"type\": \"sphere\", \"radius\": 0.11 },\n"
     "      \"mass\": 0.43,\n"
     "      \"pose\": { \"position\": [0, 0, 1] },\n"
     "      \"velocity\": { \"linear\": [\"=speed*cos(40*deg)\", 0, \"=speed*sin(40*deg)\"] }\n"
     "    }\n"
     "  ],\n"
     "  \"forces\": [\n"
     "    { \"type\": \"damping\", \"coefficient\": 0.02 },\n"
     "    { \"type\": \"wrench\", \"body\": \"ball\",\n"
     "      \"_force\": \"each number of a force may be a signal: a number, an expression in t, or a "
     "table\",\n"
     "      \"force\": [0, { \"times\": [0.3, 0.45, 0.6], \"values\": [0, \"=gust\", 0] }, "
     "\"=0.1*sin(20*t)\"] }\n"
     "  ],\n"
     "  \"output\": { \"interval\": 0.01, \"channels\": [\"body.position\", \"body.rotation\", \"energy\"] "
     "}\n"
     "}\n"},
};

enum { STARTERS = sizeof starters / sizeof *starters };
static const char *const kinds[] = {"box", "spinning", "hammer", "thrown", NULL};
_Static_assert(sizeof kinds / sizeof *kinds == STARTERS + 1, "every starter has its word");

static MbStatus write_starter(const MbArgs *args, const Starter *starter, MbReport *report) {
  const MbValue *output = mb_arg(args, "output");
  const char *path = output->given && strcmp(output->text, "-") != 0 ? output->text : NULL;
  FILE *out = mb_output_stream(path, mb_arg_given(args, "force"), report);
  if (!out) return MB_IO;
  fputs(starter->text, out);
  return mb_output_stream_close(out, path, report);
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
    {.name = "output",
     .letter = 'o',
     .type = MB_OPTION_FILE,
     .argument = "FILE",
     .help = "where to write",
     .fallback = "stdout"},
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
