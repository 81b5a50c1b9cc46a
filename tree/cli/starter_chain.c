// A starter scene of any size: a chain.
#include "cli/starters.h"

static const char head[] =
    "{\n"
    "  \"mbsim\": 1,\n"
    "  \"name\": \"chain\",\n"
    "  \"description\": \"A chain of %lld links, hinged crosswise, swings from its upper end.\",\n"
    "  \"parameters\": { \"length\": 0.05, \"start\": \"=30*deg\" },\n"
    "  \"time\": { \"step\": 0.002, \"duration\": 5 },\n"
    "  \"materials\": { \"steel\": { \"density\": 7800 } },\n"
    "  \"_bodies\": \"links hang on one another, each by a hinge at its origin; damping is friction in "
    "it\",\n"
    "  \"bodies\": [\n";

static const char tail[] =
    "  ],\n"
    "  \"output\": { \"interval\": 0.02, \"channels\": [\"body.position\", \"body.rotation\", \"energy\"] }\n"
    "}\n";

void mb_starter_chain(FILE *out, int64_t links) {
  fprintf(out, head, (long long)links);
  for (long long i = 1; i <= links; i++) {
    fprintf(out,
            "    { \"name\": \"link %lld\", \"material\": \"steel\",\n"
            "      \"shape\": { \"type\": \"capsule\", \"radius\": \"=0.1*length\", \"length\": "
            "\"=0.8*length\",\n"
            "                 \"frame\": { \"position\": [0, 0, \"=-0.5*length\"] } },\n"
            "      \"joint\": { \"type\": \"revolute\", \"axis\": %s, \"damping\": 1e-5",
            i, i % 2 ? "[0, 1, 0]" : "[1, 0, 0]");
    if (i == 1)
      fputs(", \"position\": \"=start\"", out);
    else
      fprintf(out,
              ",\n                 \"parent\": \"link %lld\", \"in_parent\": { \"position\": [0, 0, "
              "\"=-length\"] }",
              i - 1);
    fputs(i < links ? " } },\n" : " } }\n", out);
  }
  fputs(tail, out);
}
