// Deformables that touch, whole steps on a device beside the processor's: Zeng et al.'s cloth on knives, cloth over a sharp corner, and a ball that is
// squeezed, on their meshes, with five iterations a step and ten sweeps over the contacts in each. Both go the same steps from the same
// start; the last ones are timed. Parts are the processor's: one look for what touches, of two; local steps and adding up by nodes, solves
// without contact; what one of five iterations takes to make W and to sweep, each done once more. MBSIM_BENCH_CASE names one, the
// large ones too, MBSIM_BENCH_THREADS how many of the processor's threads. Where there is no device the processor's stand alone.
//
// A device goes the same steps twice: with sweeps, which are the processor's, and with contacts solved for there, by Newton's method, five steps
// at most to a natural map of a thousandth; ten sweeps leave 5e-4 to 2e-6 in the end. Of each its launches, how often something has to come back, and bytes to and fro are counted, an iteration.
#include "gpu/gpu.h"
#include "io/scene/scene.h"
#include "tools/bench/bench.h"
#include "tools/bench/timed_counts.h"

#include "core/sim/constrain_internal.h"
#include "core/sim/nodes.h"
#include "core/sim/sim_internal.h"
#include "core/sim/touch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SETTLE = 8, TAKE = 3, TEXT = 4096 };

typedef struct Case {
  const char *name, *bodies, *deformable;
  size_t n;      // of the mesh
  double target; // milliseconds a step on an H100 or H200
  bool lasts;    // a minute and more: only where it is named
} Case;

// A bar of 0.3 m by 0.3 m that lies on an edge: what is up is a blade of a right angle.
#define KNIFE(name, y)                                                                                       \
  "{\"name\": \"" name                                                                                       \
  "\", \"density\": 1000, \"shape\": {\"type\": \"box\", \"size\": [1.2, 0.3, 0.3], \"frame\": "             \
  "{\"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"=45*deg\"}}}, \"joint\": {\"type\": "                   \
  "\"fixed\", \"in_parent\": {\"position\": [0, " y ", \"=0.5-0.15*sqrt(2)\"]}}}"
#define PLATE(name, z, v)                                                                                    \
  "{\"name\": \"" name                                                                                       \
  "\", \"density\": 1000, \"shape\": {\"type\": \"box\", \"size\": [0.6, 0.6, 0.1]}, \"pose\": "             \
  "{\"position\": [0, 0, " z "]}, \"motion\": {\"velocity\": {\"linear\": [0, 0, " v                         \
  "], \"angular\": [0, 0, 0]}}}"
#define CLOTH                                                                                                \
  "\"type\": \"cloth\", \"mesh\": {\"grid\": [%1$zu, %1$zu], \"size\": [1, 1], \"pattern\": \"cross\"}, "    \
  "\"pose\": {\"position\": [-0.5, -0.5, 0.505]}, \"material\": {\"model\": \"neo_hookean\", \"young\": "    \
  "5e4, \"poisson\": 0.3, \"density\": 300, \"thickness\": 0.004}"
#define BALL                                                                                                 \
  "\"type\": \"tets\", \"mesh\": {\"ball\": %1$zu, \"radius\": 0.1}, \"material\": {\"model\": "             \
  "\"neo_hookean\", \"young\": 2e4, \"poisson\": 0.4, \"density\": 1000}"

static const char knives[] = KNIFE("left", "-0.27") ", " KNIFE("middle", "0.03") ", " KNIFE("right", "0.29");
static const char corner[] =
    "{\"name\": \"cube\", \"density\": 1000, \"shape\": {\"type\": \"box\", \"size\": [1.2, 1.2, 1.2], "
    "\"frame\": {\"rotation\": {\"axis\": [1, -1, 0], \"angle\": \"=atan(sqrt(2))\"}}}, \"pose\": "
    "{\"position\": [0.05, 0.02, -0.54]}, \"motion\": {\"velocity\": {\"linear\": [0, 0, 2], \"angular\": "
    "[0, "
    "0, 0]}}}";
static const char plates[] = PLATE("below", "-0.151", "0.1") ", " PLATE("above", "0.151", "-0.1");

static const Case cases[] = {
    {"cloth on knives, 5.1k", knives, CLOTH, 51, 4, false},
    {"cloth on knives, 10.2k", knives, CLOTH, 72, 6, true},
    {"cloth on knives, 15.3k", knives, CLOTH, 88, 9, true},
    {"sharp corner, 5.1k", corner, CLOTH, 51, 12, false},
    {"sharp corner, 10.2k", corner, CLOTH, 72, 45, true},
    {"squeezed ball, 8.2k", plates, BALL, 25, 12, false},
    {"squeezed ball, 15.0k", plates, BALL, 31, 25, true},
};

static const char sweeps[] = "\"gauss_seidel\", \"iterations\": 10",
                  steps[] = "\"nonsmooth_newton\", \"tolerance\": 0.001, \"iterations\": 5";

static const char *scene_of(const Case *c, const char *method) {
  static char text[3 * TEXT], deformable[TEXT];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(deformable, sizeof deformable, c->deformable, c->n);
#pragma GCC diagnostic pop
  snprintf(text, sizeof text,
           "{\"mbsim\": 1, \"solver\": {\"type\": \"projective\", \"iterations\": 5}, \"integrator\": "
           "\"implicit\", \"time\": {\"step\": 0.01, \"steps\": 1}, \"gravity\": [0, 0, %s], \"contact\": "
           "{\"friction\": 0.5, \"method\": %s}, \"bodies\": [%s], "
           "\"deformables\": [{\"name\": \"it\", %s}]}",
           c->bodies == plates ? "0" : "-9.81", method, c->bodies, deformable);
  return text;
}

typedef enum Part { FIND, LOCAL, GLOBAL, MAKE, SOLVE, PARTS } Part;
enum { IN_TURN = 5 }; // iterations of a step, each with a solution

// Milliseconds and contacts of a step; of all places at the end, squared; milliseconds of parts of a step.
typedef struct Made {
  double ms, contacts, sum, natural, part[PARTS];
  size_t nodes;
  MbTimedCounts counts; // of a device, in all steps that are counted
} Made;

// What is done once more, to be timed, while a step is under way.
typedef struct Again {
  MbSim *sim;
  MbContactWork work;
  double make, solve, all; // milliseconds of what is timed, and of all that the step would not have done
} Again;

// Makes W of a problem once more and solves it once more.
static void solve_again(void *context, const MbContactProblem *problem) {
  Again *again = context;
  MbConstraining *c = again->sim->constraining;
  MbContactAnswer answer = {0};
  MbContactProblem same = *problem;
  const double began = mb_bench_wall();
  same.W = mb_delassus_of(again->sim, &c->delassus, &c->set, c->slot, c->n);
  const double made = mb_bench_wall();
  if (mb_contact_reserve(&again->work, c->touch_method, &same))
    mb_contact_solve(c->touch_method, &again->work, &same, &answer);
  const double solved = mb_bench_wall();
  again->make += 1e3 * (made - began), again->solve += 1e3 * (solved - made);
  again->all += solved - began;
}

// Times collision, done once more where the step ended, and takes what the solver has timed of its own parts.
static bool take_parts(MbSim *sim, Made *made) {
  const MbNodeStats *stats = &sim->nodes->stats;
  const bool fresh = sim->touching->fresh;
  const double began = mb_bench_wall();
  if (!mb_touch_look(sim, &sim->touching->last, true)) return false;
  made->part[FIND] += 1e3 / TAKE * (mb_bench_wall() - began);
  made->part[LOCAL] += 1e3 / TAKE * (stats->local + stats->collect);
  made->part[GLOBAL] += 1e3 / TAKE * stats->global;
  // the next step finds what it would have found, or looks itself
  const bool found = !fresh || mb_touch_look(sim, &sim->touching->last, true);
  sim->touching->fresh = fresh;
  return found;
}

// Counts what a device does in as many steps more.
static bool count(MbSim *sim, Made *made, MbReport *report) {
  bool ok = true;
  mb_timed_start();
  for (int k = 0; k < TAKE && ok; k++) ok = mb_sim_step(sim, report) == MB_OK;
  mb_timed_stop();
  made->counts = mb_timed_counts();
  return ok;
}

static bool measure(const MbModel *model, const MbEngine *engine, Made *made, MbReport *report) {
  MbSim *sim = NULL;
  *made = (Made){.nodes = mb_model_points(model)};
  bool ok = mb_sim_create(model, &(MbSimOptions){.engine = engine}, &sim, report) == MB_OK;
  double seconds = 0;
  Again again = {.sim = sim};
  for (int k = 0; k < SETTLE + TAKE && ok; k++) {
    const double began = mb_bench_wall();
    if (k == SETTLE && !engine) sim->touching->watch = (MbTouchWatch){.see = solve_again, .context = &again};
    ok = mb_sim_step(sim, report) == MB_OK;
    if (k < SETTLE) continue;
    seconds += mb_bench_wall() - began;
    made->contacts += ok ? (double)sim->touching->now.n / TAKE : 0;
    ok = ok && take_parts(sim, made);
  }
  made->ms = 1e3 * (seconds - again.all) / TAKE;
  made->part[MAKE] = again.make / (TAKE * IN_TURN), made->part[SOLVE] = again.solve / (TAKE * IN_TURN);
  mb_contact_work_free(&again.work);
  const double *q = ok ? mb_section(sim, MB_SECTION_NODES) : NULL;
  for (size_t i = 0; q && i < 3 * made->nodes; i++) made->sum += q[i] * q[i];
  if (ok) made->natural = mb_section(sim, MB_SECTION_TOLD)[MB_SOLVED_LAST_NATURAL];
  ok = ok && (!engine || count(sim, made, report));
  mb_sim_free(sim);
  return ok;
}

static void print_own(const Case *c, const Made *own, int threads) {
  printf("  %-24s %7zu %9.0f %9.2f %7.2f %7.2f %7.2f %9.2f %10.2f %3d  %8.1e\n", c->name, own->nodes,
         own->contacts, own->part[FIND], own->part[LOCAL], own->part[GLOBAL], own->part[MAKE],
         own->part[SOLVE], own->ms, threads, own->natural);
}

static void print_there(const char *what, const Made *own, const Made *there) {
  const double n = TAKE * IN_TURN;
  printf("      %-20s %8.2f ms %7.2f times  differ by %7.1e  natural map %7.1e  %6.0f launches %5.1f waits "
         "%8.1f kB there "
         "%8.1f kB back, an iteration",
         what, there->ms, own->ms / there->ms, (there->sum - own->sum) / own->sum, there->natural,
         there->counts.launches / n, there->counts.waits / n, 1e-3 * there->counts.there / n,
         1e-3 * there->counts.back / n);
}

// Steps with contacts solved by a method: on a device, or by the processor.
static bool measure_by(const Case *c, const char *method, int threads, bool device, Made *made,
                       MbReport *report) {
  MbScene *scene = NULL;
  MbModel *model = NULL;
  char set[32];
  snprintf(set, sizeof set, "/solver/threads=%d", threads);
  const char *sets[] = {set};
  const MbSceneOptions options = {.sets = sets, .nsets = 1};
  const char *text = scene_of(c, method);
  const bool ok = mb_scene_parse(text, strlen(text), "bench", ".", &options, &scene, report) == MB_OK &&
                  mb_model_create(scene, &model, report) == MB_OK &&
                  measure(model, device ? mb_engine_cuda() : NULL, made, report);
  mb_model_free(model);
  mb_scene_free(scene);
  return ok;
}

// The processor's steps, and beside them a device's where there is one.
static bool run_case(const Case *c, int threads, bool device, MbReport *report) {
  Made own, swept, there = {0};
  bool ok = measure_by(c, sweeps, threads, false, &own, report);
  if (ok) print_own(c, &own, threads);
  if (ok && device &&
      (ok = measure_by(c, sweeps, threads, true, &swept, report) &&
            measure_by(c, steps, threads, true, &there, report))) {
    print_there("by sweeps", &own, &swept);
    printf("\n");
    print_there("by Newton's method", &own, &there);
    printf("  target %3.0f ms %s\n", c->target, there.ms <= c->target ? "ok" : "MISSED");
  }
  for (int k = 0; k < report->kept && !ok; k++) printf("  %s: %s\n", c->name, report->issues[k].text);
  fflush(stdout);
  return ok && (!device || there.ms <= c->target);
}

bool mb_bench_device_touch(void) {
  bool there = false, met = true;
  const char *only = getenv("MBSIM_BENCH_CASE"), *text = mb_engine_text(mb_engine_cuda(), &there);
  const char *asked = getenv("MBSIM_BENCH_THREADS");
  const long online = asked ? atol(asked) : sysconf(_SC_NPROCESSORS_ONLN);
  printf("  device: %s\n", text);
  printf("  %-24s %7s %9s %9s %7s %7s %7s %9s %10s %3s  %s\n", "ms a step", "nodes", "contacts", "collision",
         "local", "global", "W once", "ten sweeps", "processor", "on", "natural map");
  mb_timed_between(true);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    MbReport report = {0};
    if (only ? (size_t)atoi(only) != i : cases[i].lasts) continue;
    met &= run_case(&cases[i], online > 1 ? (int)online : 1, there, &report);
  }
  mb_timed_between(false);
  return met;
}
