// Sweeps in lockstep beside the same one by one, by the program that lies beside this one: a hundred thousand double pendulums, a humanoid,
// what a run costs beyond its steps, and the sweep's own memory.
#include "tools/bench/bench.h"
#include "tools/bench/hinged.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH = 4096 };

static char program[PATH], place[PATH]; // mbsim; where files go

typedef struct Cost {
  double wall, cpu; // s, of all processes
  double memory;    // MB of the largest process
} Cost;

// ---- scenes -------------------------------------------------------------------------------------------------

static const char pendulum[] =
    "{\"mbsim\": 1, \"parameters\": {\"length\": 0.5}, \"time\": {\"step\": 0.001, \"steps\": 1000}, "
    "\"integrator\": \"symplectic\","
    " \"bodies\": ["
    "  {\"name\": \"upper\", \"inertia\": {\"mass\": 1, \"matrix\": [0.02, 0.02, 2e-4, 0, 0, 0]}, \"joint\": "
    "{\"type\": \"revolute\","
    "   \"axis\": [0, 1, 0], \"in_body\": {\"position\": [0, 0, \"=length/2\"]}, \"position\": 1}},"
    "  {\"name\": \"lower\", \"inertia\": {\"mass\": 1, \"matrix\": [0.02, 0.02, 2e-4, 0, 0, 0]}, \"joint\": "
    "{\"type\": \"revolute\","
    "   \"axis\": [0, 1, 0], \"parent\": \"upper\", \"in_parent\": {\"position\": [0, 0, \"=-length/2\"]},"
    "   \"in_body\": {\"position\": [0, 0, 0.25]}}}],"
    " \"output\": {\"channels\": [\"joint.position\", \"energy\"]}}";

static bool write_file(const char *name, const char *text) {
  char path[PATH + 64];
  snprintf(path, sizeof path, "%s/%s", place, name);
  FILE *file = fopen(path, "w");
  const bool fine = file && fputs(text, file) >= 0;
  return file && !fclose(file) && fine;
}

// The trunk is free in space, and hinges carry the rest (hinged.h); springs hold it together.
static bool write_humanoid(void) {
  static char text[20000];
  size_t n = (size_t)snprintf(
      text, sizeof text,
      "{\"mbsim\": 1, \"parameters\": {\"k\": 5}, \"time\": {\"step\": 0.001, \"steps\": 1000}, "
      "\"integrator\": "
      "\"symplectic\", \"output\": {\"channels\": [\"joint.position\", \"energy\"]}, \"bodies\": [");
  for (int i = 0; i < HUMANOID_BODIES; i++) {
    const int parent = hinged_humanoid(i);
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "%s{\"name\": \"b%d\", \"inertia\": {\"mass\": 1, \"center\": [0, 0, -0.1], "
                          "\"matrix\": [0.01, 0.012, 0.008, "
                          "0, 0, 0]}",
                          i ? ",\n" : "", i);
    if (parent >= 0)
      n += (size_t)snprintf(text + n, sizeof text - n,
                            ", \"joint\": {\"type\": \"revolute\", \"parent\": \"b%d\", \"axis\": [%d, %d, "
                            "%d], \"stiffness\": \"=k\", "
                            "\"damping\": 0.05, \"in_parent\": {\"position\": [0, 0, -0.2]}}",
                            parent, i % 3 == 0, i % 3 == 1, i % 3 == 2);
    n += (size_t)snprintf(text + n, sizeof text - n, "}");
  }
  snprintf(text + n, sizeof text - n, "]}\n");
  return write_file("humanoid.json", text);
}

// ---- running ------------------------------------------------------------------------------------------------

// A sweep into a folder of its own, which is there already with `again`. NaN where it fails.
static Cost sweep(const char *scene, const char *values, const char *measure, const char *steps,
                  const char *lanes, bool again) {
  char command[3 * PATH];
  struct rusage usage;
  Cost cost = {NAN, NAN, NAN};
  snprintf(command, sizeof command,
           "cd '%s' && %s exec '%s' sweep %s -p %s -m '%s' --set /time/steps=%s --keep none --lanes %s -j 2 "
           "-q -o out",
           place, again ? "" : "rm -rf out &&", program, scene, values, measure, steps, lanes);
  fflush(stdout);
  const double begun = mb_bench_wall();
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
  int how = 0;
  if (child < 0 || wait4(child, &how, 0, &usage) != child || how != 0) {
    printf("    failed: %s\n", command);
    return cost;
  }
  cost.wall = mb_bench_wall() - begun;
  cost.cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
             1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  cost.memory = (double)usage.ru_maxrss / 1024;
  return cost;
}

static const char *const swing = "max(lower.joint.position)";

static bool overhead(void) {
  enum { LANES = 20000, ALONE = 400 };
  const Cost lanes = sweep("pendulum.json", "length=0.3:0.6:20000", swing, "0", "auto", false);
  const Cost alone = sweep("pendulum.json", "length=0.3:0.6:400", swing, "0", "off", false);
  printf("  a run without steps, in processor time\n");
  const bool a = mb_bench_target("in lanes", lanes.cpu / LANES * 1e6, "us", 50, false);
  const bool b = mb_bench_target("a process", alone.cpu / ALONE * 1e3, "ms", 2, false);
  return a && b;
}

static bool pendulums(void) {
  const Cost all = sweep("pendulum.json", "length=0.3:0.6:100000", swing, "1000", "auto", false);
  const Cost listed = sweep("pendulum.json", "length=0.3:0.6:100000", swing, "1000", "auto", true);
  const Cost alone = sweep("pendulum.json", "length=0.3:0.6:400", swing, "1000", "off", false);
  printf("  double pendulum, 100000 runs of 1000 steps each, two processors: %.1f s, processor time %.1f s; "
         "one by one %.0f s by a "
         "four-hundredth of them; the same command again, with nothing to do: %.1f s\n",
         all.wall, all.cpu, alone.wall * 250, listed.wall);
  const bool a = mb_bench_target("wall", all.wall, "s", 8, false);
  const bool b = mb_bench_target("memory", all.memory, "MB", 100, false);
  return a && b;
}

// Steps alone: runs of many steps less runs of none.
static bool people(void) {
  enum { RUNS = 64, ALONE = 16, STEPS = 20000 };
  static const char measure[] = "max(b28.joint.position)";
  const Cost lanes = sweep("humanoid.json", "k=3:6:64", measure, "20000", "auto", false);
  const Cost none = sweep("humanoid.json", "k=3:6:64", measure, "0", "auto", false);
  const Cost alone = sweep("humanoid.json", "k=3:6:16", measure, "20000", "off", false);
  const Cost nothing = sweep("humanoid.json", "k=3:6:16", measure, "0", "off", false);
  const double fast = (lanes.cpu - none.cpu) / RUNS / STEPS * 1e6,
               slow = (alone.cpu - nothing.cpu) / ALONE / STEPS * 1e6;
  printf("  humanoid of %d bodies, a step with its measure, in microseconds of processor time: in lanes "
         "%.2f, one by one %.2f\n",
         HUMANOID_BODIES, fast, slow);
  return mb_bench_target("rate", slow / fast, "x", 4, true);
}

static bool find_program(void) {
  const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 16);
  if (n <= 0) return false;
  program[n] = 0;
  char *slash = strrchr(program, '/');
  snprintf(slash + 1, 16, "mbsim");
  return !access(program, X_OK);
}

bool mb_bench_sweep(void) {
  char own[PATH];
  if (!find_program()) {
    printf("    there is no %s: `make` builds it\n", program);
    return false;
  }
  snprintf(own, sizeof own, "%s/sweep-XXXXXX", mb_bench_folder());
  if (!mkdtemp(own) || !realpath(own, place)) {
    printf("    cannot write into %s\n", mb_bench_folder());
    return false;
  }
  bool met = write_file("pendulum.json", pendulum) && write_humanoid();
  if (met) {
    const bool a = overhead(), b = people(), c = pendulums();
    met = a && b && c;
  }
  char command[PATH + 32];
  snprintf(command, sizeof command, "rm -rf '%s'", place);
  return system(command) == 0 && met;
}
