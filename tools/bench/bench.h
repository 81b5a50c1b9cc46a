// The table of benchmarks, and what they share. `mbsim-bench` runs all but the longest, `mbsim-bench NAME…` those named; what
// writes files writes them to `-o FOLDER`, or to build.
#ifndef MB_TOOLS_BENCH_H
#define MB_TOOLS_BENCH_H

#include <stdbool.h>
#include <stddef.h>

typedef struct MbBench {
  const char *name, *help;
  bool (*run)(void); // true = every target met
  bool lasts;        // minutes: runs only where it is named
} MbBench;

// Each in its own file; its row is in main.c.
bool mb_bench_local(void);
bool mb_bench_global(void);
bool mb_bench_loops(void);
bool mb_bench_trajectory(void);
bool mb_bench_sweep(void);
bool mb_bench_seek(void);
bool mb_bench_tree(void);
bool mb_bench_maximal(void);
bool mb_bench_responses(void);
bool mb_bench_frame(void);
bool mb_bench_converge(void);
bool mb_bench_settle(void);
bool mb_bench_coupled(void);
bool mb_bench_bending(void);
bool mb_bench_figure9(void);
bool mb_bench_maxstep(void);
bool mb_bench_drift(void);
bool mb_bench_contact(void);
bool mb_bench_humanoid(void);
bool mb_bench_collide(void);
bool mb_bench_coupling(void);
bool mb_bench_device(void);
bool mb_bench_device_touch(void);
bool mb_bench_flock(void);
bool mb_bench_gradient(void);
bool mb_bench_gradient_touch(void);
bool mb_bench_gradient_nodes(void);
bool mb_bench_stages(void);

const char *mb_bench_folder(void); // for files
double mb_bench_cpu(void);         // seconds of this process's processor time, all threads
double mb_bench_wall(void);        // seconds
// Seconds of a loop over numbers that stay in the cores' own caches, in as many equal parts as `threads` (1 or 2), which wait for nothing:
// what two threads gain there is what the machine can give just then.
double mb_bench_even_loop(int threads, double (*clock)(void));
// The order of two doubles, for qsort.
int mb_bench_ascending(const void *a, const void *b);
// Prints "  <what> <value> <unit>  target <target>  ok|MISSED"; `least`: the target is a lower bound.
bool mb_bench_target(const char *what, double value, const char *unit, double target, bool least);

#endif
