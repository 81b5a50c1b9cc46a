// A quick look at how fast this machine runs this program; tools/bench has the real benchmarks.
#include "cli/bench_contact.h"
#include "cli/console.h"
#include "cli/options.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/model/spec.h"
#include "io/scene/scene.h"
#include "io/trajectory/trajectory.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPEATS = 5, LEAST_STEPS = 20, MOST_FRAMES = 5000 };
static const double repeat_seconds = 0.03;

typedef struct Bench {
  MbScene *scene;
  MbModel *model;
  MbSim *sim;
} Bench;

static void bench_free(Bench *bench) {
  mb_sim_free(bench->sim);
  mb_model_free(bench->model);
  mb_scene_free(bench->scene);
  *bench = (Bench){0};
}

// A grid of boxes, each with its own spin and speed.
static char *scene_text(int64_t bodies, const char *integrator) {
  const size_t room = 512 + 256 * (size_t)bodies;
  char *text = mb_calloc(room, 1);
  if (!text) return NULL;
  size_t n =
      (size_t)snprintf(text, room,
                       "{\"mbsim\":1,\"time\":{\"step\":0.001,\"steps\":1000000},\"integrator\":\"%s\","
                       "\"output\":{\"channels\":[\"body.position\",\"body.rotation\",\"body.velocity\"]},"
                       "\"bodies\":[",
                       integrator);
  for (int64_t i = 0; i < bodies; i++)
    n += (size_t)snprintf(
        text + n, room - n,
        "%s{\"name\":\"b%lld\",\"shape\":{\"type\":\"box\",\"size\":[0.1,0.2,0.3]},\"density\":1000,"
        "\"pose\":{\"position\":[%lld,%lld,0]},"
        "\"velocity\":{\"angular\":[1,%lld,0.5],\"linear\":[0,%lld,3]}}",
        i ? "," : "", (long long)i, (long long)(i % 100), (long long)(i / 100), (long long)(i % 7 - 3),
        (long long)(i % 5 - 2));
  snprintf(text + n, room - n, "]}");
  return text;
}

static MbStatus bench_open(Bench *bench, int64_t bodies, const char *integrator, int threads,
                           MbReport *report) {
  char *text = scene_text(bodies, integrator);
  if (!text) return mb_no_memory(report, "the scene");
  MbStatus status = mb_scene_parse(text, strlen(text), "bench", ".", NULL, &bench->scene, report);
  mb_free(text);
  if (!status) status = mb_model_create(bench->scene, &bench->model, report);
  const MbSimOptions options = {.threads = threads};
  return status ? status : mb_sim_create(bench->model, &options, &bench->sim, report);
}

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare_doubles);
  return values[count / 2];
}

// Median ns a body (or node) a step.
static MbStatus time_steps(Bench *bench, double *ns, MbReport *report) {
  const size_t bodies = mb_model_bodies(bench->model) + mb_model_nodes(bench->model);
  double repeat[REPEATS];
  for (int r = 0; r < REPEATS; r++) {
    const double start = mb_clock();
    double took = 0;
    int64_t steps = 0;
    for (; steps < LEAST_STEPS || took < repeat_seconds; steps++) {
      const MbStatus status = mb_sim_step(bench->sim, report);
      if (status) return status;
      if (steps % LEAST_STEPS == 0) took = mb_clock() - start;
    }
    repeat[r] = 1e9 * (mb_clock() - start) / (double)steps / (double)bodies;
  }
  *ns = median(repeat, REPEATS);
  return MB_OK;
}

typedef struct CodecRate {
  double ratio, write, read; // write and read in raw bytes a second
} CodecRate;

static MbStatus write_file(Bench *bench, const char *path, double *frames, int64_t count,
                           const double bound[], MbTrajCounts *counts, MbReport *report) {
  MbTrajWriter *writer = NULL;
  MbTrajHead head = {.scene = "{}", .frame_size = mb_sim_frame_size(bench->sim), .step = 0.001};
  head.channels = mb_sim_channels(bench->sim, &head.nchannels);
  memcpy(head.bound, bound, sizeof head.bound);
  MbStatus status = mb_traj_create(path, &head, &writer, report);
  for (int64_t i = 0; i < count && !status; i++)
    status = mb_traj_frame(writer, 0.001 * (double)i, frames + (size_t)i * head.frame_size, report);
  if (status) return mb_traj_abandon(writer), status;
  return mb_traj_close(writer, counts, report);
}

static MbStatus read_file(const char *path, double *frames, MbReport *report) {
  MbTraj *traj = NULL;
  MbStatus status = mb_traj_open(path, &traj, report);
  for (size_t i = 0; !status && i < mb_traj_chunks(traj); i++) {
    const MbTrajChunkInfo chunk = mb_traj_chunk(traj, i);
    status = mb_traj_read(traj, chunk.first, chunk.count, NULL, NULL, frames, report);
  }
  mb_traj_free(traj);
  return status;
}

static MbStatus time_codec(Bench *bench, double *frames, int64_t count, const double bound[], CodecRate *rate,
                           MbReport *report) {
  const char *directory = getenv("TMPDIR");
  char path[512];
  double write[REPEATS], read[REPEATS];
  snprintf(path, sizeof path, "%s/mbsim-bench-XXXXXX", directory && *directory ? directory : "/tmp");
  const int placeholder = mkstemp(path);
  if (placeholder < 0) return mb_error(report, MB_IO, "", "no temporary file can be made in %s", path);
  close(placeholder);
  MbStatus status = MB_OK;
  for (int r = 0; r < REPEATS && !status; r++) {
    MbTrajCounts counts;
    unlink(path); // the writer wants to create it
    const double start = mb_clock();
    status = write_file(bench, path, frames, count, bound, &counts, report);
    const double written = mb_clock();
    if (!status) status = read_file(path, frames, report);
    write[r] = (double)counts.raw_bytes / (written - start);
    read[r] = (double)counts.raw_bytes / (mb_clock() - written);
    rate->ratio = (double)counts.raw_bytes / (double)counts.file_bytes;
  }
  unlink(path);
  if (status) return status;
  rate->write = median(write, REPEATS);
  rate->read = median(read, REPEATS);
  return MB_OK;
}

static MbStatus bench_integrators(const MbArgs *args, int64_t bodies, cJSON *list, MbReport *report) {
  const MbValue *threads = mb_arg(args, "threads");
  for (size_t k = 0; mb_integrator_words[k]; k++) {
    Bench bench = {0};
    double ns = NAN;
    MbReport issues = {0};
    if (k == MB_STATIC) continue; // nothing holds these bodies, and nothing moves
    MbStatus status = bench_open(&bench, bodies, mb_integrator_words[k], (int)threads->count, &issues);
    const bool offered = status != MB_SCENE; // by the default solver
    if (!status) status = time_steps(&bench, &ns, &issues);
    bench_free(&bench);
    if (!offered) continue;
    if (status) return *report = issues, status;
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "integrator", mb_integrator_words[k]);
    cJSON_AddNumberToObject(item, "ns_per_body_step", ns);
    cJSON_AddItemToArray(list, item);
  }
  return MB_OK;
}

static MbStatus bench_codec(int64_t bodies, cJSON *list, MbReport *report) {
  Bench bench = {0};
  MbStatus status = bench_open(&bench, bodies, mb_integrator_words[MB_SYMPLECTIC], 0, report);
  if (status) return bench_free(&bench), status;
  const size_t size = mb_sim_frame_size(bench.sim);
  int64_t count = (int64_t)((16u << 20) / (8 * size)); // 16 MiB of frames
  if (count < 32) count = 32;
  if (count > MOST_FRAMES) count = MOST_FRAMES;
  double *frames = mb_calloc((size_t)count * size, sizeof *frames);
  if (!frames) status = mb_no_memory(report, "frames");
  for (int64_t i = 0; i < count && !status; i++) {
    status = mb_sim_sample(bench.sim, frames + (size_t)i * size, report);
    if (!status) status = mb_sim_step(bench.sim, report);
  }
  static const struct {
    const char *name;
    double bound[MB_QUANTITIES];
  } modes[] = {{"lossless", {0}}, {"fine", {[MB_POSE] = 1e-6, [MB_VELOCITY] = 1e-4}}};
  for (size_t m = 0; m < 2 && !status; m++) {
    CodecRate rate = {0};
    status = time_codec(&bench, frames, count, modes[m].bound, &rate, report);
    if (status) break;
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "mode", modes[m].name);
    cJSON_AddNumberToObject(item, "compression", rate.ratio);
    cJSON_AddNumberToObject(item, "write_bytes_per_second", rate.write);
    cJSON_AddNumberToObject(item, "read_bytes_per_second", rate.read);
    cJSON_AddItemToArray(list, item);
  }
  mb_free(frames);
  bench_free(&bench);
  return status;
}

static void print_result(const cJSON *tree) {
  const cJSON *item = NULL;
  printf("%.0f free bodies\n", cJSON_GetNumberValue(cJSON_GetObjectItem(tree, "bodies")));
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(tree, "integrators")) printf(
      "  %-16s %8.1f ns a body a step\n", cJSON_GetStringValue(cJSON_GetObjectItem(item, "integrator")),
      cJSON_GetNumberValue(cJSON_GetObjectItem(item, "ns_per_body_step")));
  puts("trajectories of them, disk included");
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(tree, "codec"))
      printf("  %-16s %8.2f times smaller, written at %.0f MB/s, read at %.0f MB/s\n",
             cJSON_GetStringValue(cJSON_GetObjectItem(item, "mode")),
             cJSON_GetNumberValue(cJSON_GetObjectItem(item, "compression")),
             cJSON_GetNumberValue(cJSON_GetObjectItem(item, "write_bytes_per_second")) / 1e6,
             cJSON_GetNumberValue(cJSON_GetObjectItem(item, "read_bytes_per_second")) / 1e6);
}

// Options of one of the two that are given for the other; NULL: none are.
static const char *misplaced(const MbArgs *args, bool contact) {
  static const char *const bodies[] = {"bodies", "threads"}, *const of_contact[] = {"method", "tolerance",
                                                                                    "rho", "function"};
  const char *const *others = contact ? bodies : of_contact;
  const size_t count = contact ? sizeof bodies / sizeof *bodies : sizeof of_contact / sizeof *of_contact;
  for (size_t i = 0; i < count; i++)
    if (mb_arg_given(args, others[i])) return others[i];
  return NULL;
}

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  const bool contact = args->noperands && !strcmp(args->operands[0], "contact");
  const char *wrong = misplaced(args, contact);
  if (args->noperands && !contact) {
    mb_console_error("bench: no \"%s\"; bench alone, or bench contact FILE...", args->operands[0]);
    return MB_USAGE;
  }
  if (wrong) {
    mb_console_error("--%s: not %s contact", wrong, contact ? "with" : "without");
    return MB_USAGE;
  }
  if (contact) return mb_bench_contact(args);
  const MbValue *given = mb_arg(args, "bodies");
  const int64_t bodies = given->given ? given->count : 100;
  cJSON *tree = cJSON_CreateObject(), *integrators = cJSON_CreateArray(), *codec = cJSON_CreateArray();
  cJSON_AddNumberToObject(tree, "bodies", (double)bodies);
  cJSON_AddItemToObject(tree, "integrators", integrators);
  cJSON_AddItemToObject(tree, "codec", codec);
  MbStatus status = MB_OK;
  if (bodies > 1000000) status = mb_error(&report, MB_USAGE, "", "--bodies: at most 1000000");
  if (!status) status = bench_integrators(args, bodies, integrators, &report);
  if (!status) status = bench_codec(bodies, codec, &report);
  const bool json = mb_arg_given(args, "json");
  if (status && json)
    mb_console_json_failure(status, &report);
  else
    mb_console_report(stderr, &report);
  if (!status && json) return mb_console_json(tree);
  if (!status) print_result(tree);
  cJSON_Delete(tree);
  return status;
}

static const MbOption options[] = {
    {.name = "bodies",
     .letter = 'n',
     .type = MB_OPTION_COUNT,
     .argument = "N",
     .help = "free bodies to simulate",
     .fallback = "100"},
    {.name = "threads",
     .letter = 't',
     .type = MB_OPTION_COUNT,
     .argument = "N",
     .help = "threads",
     .fallback = "1"},
    {.name = "method",
     .letter = 'm',
     .type = MB_OPTION_LIST,
     .argument = "NAME",
     .help = "contact: a method to try: auto, pivoting, gauss_seidel, nonsmooth_newton, admm, staggered; may "
             "be given again",
     .fallback = "all"},
    {.name = "tolerance",
     .type = MB_OPTION_POSITIVE,
     .argument = "X",
     .help = "contact: what the natural map is to come to, of the size of q",
     .fallback = "1e-8"},
    {.name = "rho",
     .type = MB_OPTION_NUMBER,
     .argument = "X",
     .help = "contact: the factor of velocities in the natural map; 0: the inverse of each block's own W",
     .fallback = "1"},
    {.name = "function",
     .type = MB_OPTION_WORD,
     .argument = "NAME",
     .words = mb_function_words,
     .help = "contact: what nonsmooth_newton makes zero: minimum_map or fischer_burmeister",
     .fallback = "minimum_map"},
    {.name = "json", .help = "answer as JSON on stdout; after a failure, status and issues"},
};

static const char *const operand_words[] = {"contact", NULL};

const MbCommand mb_command_bench = {
    .name = "bench",
    .operands = "[contact FILE...]",
    .most = INT_MAX,
    .summary = "measure how fast steps, trajectories and contact methods are here",
    .details =
        "Simulates free bodies with every integrator and tells the time a body and step, then writes "
        "and reads "
        "their trajectory. All figures are medians of five; it takes a few seconds.\n\n"
        "`bench contact FILE...` solves the contact problem of each FILE (JSON, as io/README.md describes "
        "it, or .hdf5 of FCLIB, a local problem) "
        "by every method, and tells iterations, the natural map |r - P(r - rho u)| over |q|, and the "
        "shortest time of several solutions. A method says why it refuses a problem, or what stopped it. "
        "Exit 3 when a file is no such problem, 4 when no method comes to the tolerance; of several "
        "files the worst.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .operand_words = operand_words,
    .run = run,
};
