#include "tools/bench/bench.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const MbBench benches[] = {
    {"local", "local steps of projective dynamics, and singular values", mb_bench_local},
    {"global", "the global step of projective dynamics beside CHOLMOD", mb_bench_global},
    {"frame", "whole frames of the projective solver, by parts", mb_bench_frame},
    {"loops", "steps of a chain with k loops", mb_bench_loops},
    {"trajectory", "compression ratio and speed of trajectories", mb_bench_trajectory},
    {"seek", "opening a large trajectory and reading a random frame", mb_bench_seek},
    {"tree", "forward dynamics and steps of trees of joints", mb_bench_tree},
    {"maximal", "bodies and multipliers of a forest: factorisation and solution", mb_bench_maximal},
    {"responses", "what many rows on a tree do to one another", mb_bench_responses},
    {"maxstep", "whole steps in maximal coordinates beside the recursion's", mb_bench_maxstep},
    {"drift", "how far joints held by rows come apart in a minute", mb_bench_drift},
};
enum { COUNT = sizeof benches / sizeof *benches };

static double seconds(clockid_t id) {
  struct timespec t = {0};
  clock_gettime(id, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
double mb_bench_cpu(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }
double mb_bench_wall(void) { return seconds(CLOCK_MONOTONIC); }

bool mb_bench_target(const char *what, double value, const char *unit, double target, bool least) {
  const bool met = least ? value >= target : value <= target;
  printf("    %-12s %9.2f %-5s target %s %7.2f  %s\n", what, value, unit, least ? ">=" : "<=", target,
         met ? "ok" : "MISSED");
  return met;
}

static bool wanted(const char *name, int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], name)) return true;
  return argc < 2;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    bool known = false;
    for (int k = 0; k < COUNT; k++) known |= !strcmp(argv[i], benches[k].name);
    if (known) continue;
    fprintf(stderr, "no benchmark is called %s; there are:\n", argv[i]);
    for (int k = 0; k < COUNT; k++) fprintf(stderr, "  %-12s %s\n", benches[k].name, benches[k].help);
    return 2;
  }
  bool met = true;
  for (int k = 0; k < COUNT; k++) {
    if (!wanted(benches[k].name, argc, argv)) continue;
    printf("%s: %s\n", benches[k].name, benches[k].help);
    fflush(stdout);
    met &= benches[k].run();
  }
  return met ? 0 : 1;
}
