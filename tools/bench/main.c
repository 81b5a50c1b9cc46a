#include "tools/bench/bench.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const MbBench benches[] = {
    {"local", "local steps of projective dynamics, and singular values", mb_bench_local, false},
    {"global", "the global step of projective dynamics beside CHOLMOD", mb_bench_global, false},
    {"frame", "whole frames of the projective solver, by parts", mb_bench_frame, false},
    {"converge", "one step of a deformable by every method: iterations and time to its solution",
     mb_bench_converge, false},
    {"settle", "steps that are hard to come to the end of: every method's places beside the others'",
     mb_bench_settle, true},
    {"coupled", "bodies and deformables in one step: iterations and time to its solution, by every method",
     mb_bench_coupled, false},
    {"bending", "strips and sheets whose bending is known, on meshes of several kinds", mb_bench_bending,
     false},
    {"figure9", "energy of a twisted bar by iterations and by time (Zeng et al., figure 9)", mb_bench_figure9,
     true},
    {"loops", "steps of a chain with k loops", mb_bench_loops, false},
    {"trajectory", "compression ratio and speed of trajectories", mb_bench_trajectory, false},
    {"seek", "opening a large trajectory and reading a random frame", mb_bench_seek, false},
    {"tree", "forward dynamics and steps of trees of joints", mb_bench_tree, false},
    {"maximal", "bodies and multipliers of a forest: factorisation and solution", mb_bench_maximal, false},
    {"responses", "what many rows on a tree do to one another", mb_bench_responses, false},
    {"maxstep", "whole steps in maximal coordinates beside the recursion's", mb_bench_maxstep, false},
    {"sweep", "sweeps in lockstep and one by one", mb_bench_sweep, true},
    {"drift", "how far joints held by rows come apart in a minute", mb_bench_drift, false},
    {"contact", "piles of bodies that touch: whole steps, by parts", mb_bench_contact, true},
    {"humanoid", "a figure that stands on a plane, beside MuJoCo", mb_bench_humanoid, false},
    {"collide", "pairs of shapes by their forms, and the broad phase", mb_bench_collide, false},
    {"coupling", "a step of a bar that an arm carries beside one that is pinned", mb_bench_coupling, false},
    {"device", "whole frames of the projective solver on a device beside the processor's", mb_bench_device,
     true},
    {"device_touch", "steps of deformables that touch on a device beside the processor's",
     mb_bench_device_touch, true},
    {"flock", "trees in lockstep on a device beside the processor's lanes", mb_bench_flock, true},
    {"gradient", "derivatives of a run beside the run, by how many numbers they are", mb_bench_gradient,
     false},
    {"gradient_touch", "derivatives of a run in which bodies touch, by how many numbers they are",
     mb_bench_gradient_touch, false},
    {"gradient_nodes", "derivatives back through a run of a deformable, by how many numbers they are",
     mb_bench_gradient_nodes, false},
    {"stages", "fully implicit steps of trees up to 100,000 bodies", mb_bench_stages, false},
};
enum { COUNT = sizeof benches / sizeof *benches };

static double seconds(clockid_t id) {
  struct timespec t = {0};
  clock_gettime(id, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
double mb_bench_cpu(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }
double mb_bench_wall(void) { return seconds(CLOCK_MONOTONIC); }

int mb_bench_ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

bool mb_bench_target(const char *what, double value, const char *unit, double target, bool least) {
  const bool met = least ? value >= target : value <= target;
  printf("    %-12s %9.2f %-5s target %s %7.2f  %s\n", what, value, unit, least ? ">=" : "<=", target,
         met ? "ok" : "MISSED");
  return met;
}

static const char *folder = "build";
const char *mb_bench_folder(void) { return folder; }

static int complain(const char *name) {
  fprintf(stderr, "no benchmark is called %s; there are:\n", name);
  for (int k = 0; k < COUNT; k++) fprintf(stderr, "  %-12s %s\n", benches[k].name, benches[k].help);
  fprintf(stderr, "-o FOLDER: where files are written, %s where nothing is said\n", folder);
  return 2;
}

int main(int argc, char **argv) {
  bool wanted[COUNT] = {0}, any = false, met = true;
  for (int i = 1; i < argc; i++) {
    bool known = !strcmp(argv[i], "-o") && i + 1 < argc;
    if (known) folder = argv[++i];
    for (int k = 0; k < COUNT && !known; k++)
      if (!strcmp(argv[i], benches[k].name)) known = any = wanted[k] = true;
    if (!known) return complain(argv[i]);
  }
  for (int k = 0; k < COUNT; k++) {
    if (!wanted[k] && (any || benches[k].lasts)) continue;
    printf("%s: %s\n", benches[k].name, benches[k].help);
    fflush(stdout);
    met &= benches[k].run();
  }
  return met ? 0 : 1;
}
