// From the command line to a sweep, checked as far as can be before the first run.
#include "cli/sweep.h"
#include "core/base/alloc.h"
#include "gpu/flock.h"
#include "io/sweep/small_file.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

// ---- what varies ------------------------------------------------------------------------------------------

// Whether one of a list's texts from `first` on, before the text at `i`, has the same name before its "=".
static bool is_named_before(const MbValue *given, size_t first, size_t i, size_t length) {
  for (size_t k = first; k < i; k++)
    if (!strncmp(given->list[k], given->list[i], length + 1)) return true;
  return false;
}

// "name=values" of --param or --set. What the command line says takes the place of what a study says of the same name.
static MbStatus add_axes(MbSweep *s, const char *option, MbReport *report) {
  const MbValue *given = mb_arg(s->args, option);
  const bool pointers = !strcmp(option, "set");
  const size_t of_study = pointers ? s->study_sets : s->study_params;
  MbStatus status = MB_OK;
  for (size_t i = 0; i < given->nlist; i++) {
    const char *text = given->list[i], *equals = strchr(text, '=');
    char what[200];
    if (!equals || equals == text || (*text == '/') != pointers) {
      status = mb_error(report, MB_USAGE, "", "--%s %.100s: wanted %s", option, text,
                        pointers ? "/json/pointer=values, as /time/step=0.001,0.002"
                                 : "name=values, as length=0.5:1.5:11");
      continue;
    }
    if (i >= of_study && is_named_before(given, of_study, i, (size_t)(equals - text))) {
      status =
          mb_error(report, MB_USAGE, "", "--%s %.*s is given twice: several values stand in one, as %.*s=1,2",
                   option, (int)(equals - text), text, (int)(equals - text), text);
      continue;
    }
    char *name = mb_arena_strndup(&s->arena, text, (size_t)(equals - text));
    if (!name) return mb_no_memory(report, "the command line");
    snprintf(what, sizeof what, "--%s %.100s", option, name);
    const int first = report->kept;
    const MbStatus one = mb_design_add(&s->design, name, equals + 1, what, report);
    mb_sweep_locate(s, i, of_study, "/vary", text, first, report);
    if (!status) status = one;
  }
  return status;
}

static MbStatus add_table(MbSweep *s, MbReport *report) {
  const MbValue *list = mb_arg(s->args, "list");
  if (!list->given)
    return s->design.kind == MB_DESIGN_LIST
               ? mb_error(report, MB_USAGE, "", "--design list wants the table: --list FILE")
               : MB_OK;
  if (mb_arg_given(s->args, "design") && s->design.kind != MB_DESIGN_LIST)
    return mb_error(report, MB_USAGE, "", "--list is a design of its own, not a %s",
                    mb_design_words[s->design.kind]);
  s->design.kind = MB_DESIGN_LIST;
  size_t length = 0;
  errno = 0;
  char *text = mb_small_read(list->text, &length);
  if (!text) return mb_error(report, MB_IO, "", "%s cannot be read: %s", list->text, strerror(errno));
  const MbStatus status = mb_design_add_table(&s->design, text, length, list->text, report);
  mb_free(text);
  return status;
}

static MbStatus ask_design(MbSweep *s, MbReport *report) {
  const MbValue *design = mb_arg(s->args, "design"), *seed = mb_arg(s->args, "seed");
  s->design.kind = design->given ? (MbDesignKind)design->word : MB_DESIGN_GRID;
  s->design.samples = (uint64_t)mb_arg(s->args, "samples")->count;
  s->design.seed = 1;
  if (seed->given) {
    char *end = NULL;
    errno = 0;
    s->design.seed = strtoull(seed->text, &end, 10);
    if (!*seed->text || *end || errno || strchr(seed->text, '-'))
      return mb_error(report, MB_USAGE, "", "--seed: \"%s\" is not a whole number of at least 0", seed->text);
  }
  MbStatus status = add_table(s, report);
  if (!status) status = add_axes(s, "param", report);
  if (!status) status = add_axes(s, "set", report);
  if (status) return status;
  const int first = report->kept;
  status = mb_design_finish(&s->design, report);
  mb_sweep_locate_axes(s, first, report);
  return status;
}

// ---- measures ---------------------------------------------------------------------------------------------

// A copy without the spaces around it; NULL when memory ran out.
static char *trimmed(MbSweep *s, const char *text, size_t length) {
  while (length && strchr(" \t", text[length - 1])) length--;
  size_t skip = 0;
  while (skip < length && strchr(" \t", text[skip])) skip++;
  return mb_arena_strndup(&s->arena, text + skip, length - skip);
}

// "name=expression", or an expression that is its own name.
static MbStatus ask_measures(MbSweep *s, MbReport *report) {
  const MbValue *given = mb_arg(s->args, "measure");
  s->measures = mb_arena_alloc(&s->arena, given->nlist, sizeof *s->measures);
  s->defined = mb_arena_alloc(&s->arena, given->nlist, sizeof *s->defined);
  if (!s->measures || !s->defined) return mb_no_memory(report, "measures");
  size_t n = 0;
  for (size_t i = 0; i < given->nlist; i++) {
    const char *text = given->list[i], *equals = strchr(text, '=');
    const char *name = trimmed(s, text, equals ? (size_t)(equals - text) : 0);
    const bool named = name && mb_expression_is_name(name) && equals[1] != '=';
    const char *what = named ? equals + 1 : text;
    if (name && !named && i < s->study_measures) {
      const int first = report->kept;
      mb_error(report, MB_USAGE, "",
               "a measure's name has at most 63 letters, digits and \"_\", and begins with no digit");
      mb_sweep_locate(s, i, s->study_measures, "/measures", text, first, report);
      return MB_USAGE;
    }
    s->defined[n] = s->measures[n].what = trimmed(s, what, strlen(what));
    s->measures[n].name = named ? name : s->measures[n].what;
    if (!name || !s->defined[n]) return mb_no_memory(report, "measures");
    size_t k = 0;
    while (k < n && strcmp(s->measures[k].name, s->measures[n].name) != 0) k++;
    if (k == n) {
      n++;
    } else if (k < s->study_measures && i >= s->study_measures) { // the command line's instead of the study's
      s->measures[k] = s->measures[n];
      s->defined[k] = s->defined[n];
    } else {
      return mb_error(report, MB_USAGE, "", "--measure: two are called \"%s\"", s->measures[n].name);
    }
  }
  s->nmeasures = n;
  return MB_OK;
}

static bool varies(const MbSweep *s, const char *name) {
  for (size_t i = 0; i < s->design.naxes; i++)
    if (!strcmp(s->design.axes[i].name, name)) return true;
  return false;
}

// A table with two columns of one name would be read as if it had one of them.
static MbStatus check_columns(const MbSweep *s, MbReport *report) {
  for (size_t i = 0; i < s->design.naxes; i++) {
    const char *name = s->design.axes[i].name;
    if (mb_table_always_has(name))
      return mb_error(report, MB_USAGE, "",
                      "--param %s: every table has a column \"%s\" of its own: vary --set /parameters/%s",
                      name, name, name);
  }
  for (size_t i = 0; i < s->nmeasures; i++) {
    const char *name = s->measures[i].name;
    if (mb_table_always_has(name) || varies(s, name))
      return mb_error(report, MB_USAGE, "",
                      "--measure %s: the table has another column \"%s\": give it another name", name, name);
  }
  return MB_OK;
}

// ---- how ----------------------------------------------------------------------------------------------------

static MbStatus ask_memory(MbSweep *s, MbReport *report) {
  static const char units[] = "KMGT";
  const MbValue *given = mb_arg(s->args, "memory");
  if (!given->given) return MB_OK;
  char *end = NULL;
  double bytes = strtod(given->text, &end);
  const char *unit = *end ? strchr(units, *end) : NULL;
  for (const char *u = units; unit && u <= unit; u++) bytes *= 1024;
  if (end == given->text || (*end && (!unit || end[1])) || !(bytes >= 1 << 20) || !(bytes < 1e18))
    return mb_error(report, MB_USAGE, "", "--memory: \"%s\" is no size of at least 1M, as 500M or 2G",
                    given->text);
  s->memory = (uint64_t)bytes;
  return MB_OK;
}

static bool number_of(const char *name, uint64_t *value) {
  const char *text = getenv(name);
  char *end = NULL;
  if (!text || !*text) return false;
  *value = strtoull(text, &end, 10);
  return !*end;
}

// What part of a job this process is, by what starts jobs.
static bool environment_part(uint64_t *part, uint64_t *parts) {
  uint64_t id = 0, count = 1, least = 0, step = 1, rank = 0, size = 1;
  const bool array = number_of("SLURM_ARRAY_TASK_ID", &id) && number_of("SLURM_ARRAY_TASK_COUNT", &count);
  number_of("SLURM_ARRAY_TASK_MIN", &least);
  number_of("SLURM_ARRAY_TASK_STEP", &step);
  uint64_t ignored = 0;
  // in a batch script, which is one process, SLURM_PROCID is there too: only a step has an ID
  const bool ranked =
      (number_of("OMPI_COMM_WORLD_RANK", &rank) && number_of("OMPI_COMM_WORLD_SIZE", &size)) ||
      (number_of("PMI_RANK", &rank) && number_of("PMI_SIZE", &size)) ||
      (number_of("SLURM_STEP_ID", &ignored) && number_of("SLURM_PROCID", &rank) &&
       number_of("SLURM_STEP_NUM_TASKS", &size));
  if (!array) id = least = 0, count = 1;
  if (!ranked) rank = 0, size = 1;
  *part = (step ? (id - least) / step : 0) * size + rank;
  *parts = count * size;
  return ranked && size > 1;
}

static MbStatus ask_shard(MbSweep *s, bool *ranked, MbReport *report) {
  const MbValue *given = mb_arg(s->args, "shard");
  *ranked = false;
  if (given->given) {
    unsigned long long i = 0, n = 0;
    int used = 0;
    if (sscanf(given->text, "%llu/%llu%n", &i, &n, &used) != 2 || given->text[used] || i < 1 || i > n)
      return mb_error(report, MB_USAGE, "", "--shard: \"%s\" is no I/N with I from 1 to N, as 2/8",
                      given->text);
    s->shard = i - 1;
    s->shards = n;
    return MB_OK;
  }
  *ranked = environment_part(&s->shard, &s->shards);
  if (s->shards && s->shard < s->shards) return MB_OK;
  return mb_error(
      report, MB_USAGE, "",
      "what the environment says of this task's place (%llu of %llu) makes no sense: give --shard",
      (unsigned long long)s->shard, (unsigned long long)s->shards);
}

static int processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

static MbStatus ask_how(MbSweep *s, MbReport *report) {
  enum { MOST_JOBS = 4096 };
  const MbValue *jobs = mb_arg(s->args, "jobs"), *keep = mb_arg(s->args, "keep"),
                *format = mb_arg(s->args, "format");
  bool ranked = false;
  MbStatus status = ask_shard(s, &ranked, report);
  if (!status) status = ask_memory(s, report);
  if (status) return status;
  if (jobs->count > MOST_JOBS) return mb_error(report, MB_USAGE, "", "--jobs: at most %d", MOST_JOBS);
  s->jobs = jobs->given ? (int)jobs->count : ranked ? 1 : processors();
  s->keep = keep->given ? (MbKeep)keep->word : MB_KEEP_ALL;
  s->timeout = mb_arg(s->args, "timeout")->number;
  s->retries = (int)mb_arg(s->args, "retry")->count;
  if (format->given) s->formats[format->word] = true;
  return MB_OK;
}

// The folder: --output, else the scene's name in this one.
static MbStatus ask_folder(MbSweep *s, MbReport *report) {
  const MbValue *output = mb_arg(s->args, "output");
  const char *slash = strrchr(s->title, '/'), *base = slash ? slash + 1 : s->title;
  const char *dot = s->studied ? strstr(base, ".study") : NULL;
  if (!dot) dot = strrchr(base, '.');
  int n = 0;
  if (output->given)
    n = snprintf(s->out, sizeof s->out, "%s", output->text);
  else if (!strcmp(base, "-"))
    n = snprintf(s->out, sizeof s->out, "sweep");
  else
    n = snprintf(s->out, sizeof s->out, "%.*s.sweep",
                 (int)(dot && dot > base ? dot - base : (long)strlen(base)), base);
  enum { OURS = 128 }; // characters of names in the folder
  if (!*s->out || n < 0 || (size_t)n + OURS >= sizeof s->out)
    return mb_error(report, MB_USAGE, "", "no usable name for the folder");
  return MB_OK;
}

// ---- the first run ------------------------------------------------------------------------------------------

// Messages of a study's measures begin with their names.
static void locate_measure(const MbSweep *s, MbReport *report, size_t measure) {
  char begin[128];
  const char *name = s->measures[measure].name;
  const size_t n = (size_t)snprintf(begin, sizeof begin, "measure %.100s:", name);
  bool from_study = false;
  for (size_t i = 0; i < s->study.spec.nmeasures; i++)
    from_study |= !strcmp(s->study.spec.measures[i].name, name);
  for (int i = 0; from_study && i < report->kept; i++) {
    if (strncmp(report->issues[i].text, begin, n) != 0) continue;
    MbReport one = {.kept = 1, .issues = {report->issues[i]}};
    mb_study_locate(&s->study, s->title, "/measures", name, 0, &one);
    report->issues[i] = one.issues[0];
    snprintf(report->file, sizeof report->file, "%s", s->title);
  }
}

static MbStatus check_measures(MbSweep *s, const MbScene *scene, const MbModel *model, MbReport *report) {
  MbSim *sim = NULL;
  MbMeasures *measures = NULL;
  MbStatus status = mb_sim_create(model, &(MbSimOptions){.engine = mb_engine_cpu()}, &sim, report);
  const MbPlan plan = mb_plan(&scene->spec);
  s->first_steps = plan.steps;
  MbConstant *constants = mb_calloc(scene->spec.nparameters, sizeof *constants);
  for (size_t i = 0; constants && i < scene->spec.nparameters; i++)
    constants[i] = (MbConstant){scene->spec.parameters[i].name, scene->spec.parameters[i].value};
  size_t nchannels = 0;
  const MbChannel *channels = status ? NULL : mb_sim_channels(sim, &nchannels);
  MbReport own = {0}; // it is not about the scene's text
  if (!status)
    status = constants ? mb_measures_create(s->measures, s->nmeasures, channels, nchannels, constants,
                                            scene->spec.nparameters, (double)plan.steps * plan.step,
                                            &measures, &own)
                       : mb_no_memory(&own, "measures");
  if (own.errors) {
    for (size_t i = 0; s->studied && i < s->nmeasures; i++) locate_measure(s, &own, i);
    *report = own;
  }
  mb_measures_free(measures);
  mb_free(constants);
  mb_sim_free(sim);
  return status;
}

// What the ways that runs can go depend on.
static MbStatus note_first(MbSweep *s, const MbScene *scene, const MbModel *model, MbReport *report) {
  const MbSceneSpec *spec = &scene->spec;
  s->first_refused = mb_sweep_lane_refused(scene, model);
  s->device = mb_sweep_device_of(s, scene);
  s->first_left = s->first_refused ? s->first_refused : mb_flock_refused(model);
  s->one_by_one_there = !mb_engine_refuses(mb_engine_cuda(), model);
  s->numbers_alone = true;
  for (size_t i = 0; i < s->design.naxes; i++) {
    const MbAxis *axis = &s->design.axes[i];
    const bool stays = axis->kind == MB_AXIS_VALUES && axis->count == 1;
    s->numbers_alone &= stays || mb_axis_is_numbers(axis);
  }
  s->parameters = mb_arena_alloc(&s->arena, spec->nparameters, sizeof *s->parameters);
  for (size_t i = 0; s->parameters && i < spec->nparameters; i++)
    if (!(s->parameters[s->nparameters++] = mb_arena_strdup(&s->arena, spec->parameters[i].name)))
      return mb_no_memory(report, "a sweep");
  return s->parameters ? MB_OK : mb_no_memory(report, "a sweep");
}

// Reads and builds the first run as `mbsim run` would, so that what is wrong with names is told before any run.
static MbStatus check_first(MbSweep *s, MbReport *report) {
  MbRunOverrides overrides;
  MbScene *scene = NULL;
  MbModel *model = NULL;
  MbStatus status = mb_run_overrides(&s->scenes, 0, &overrides, report);
  if (status) return status;
  status = mb_scene_parse(s->source.text, s->source.length, s->source.name, s->source.folder,
                          &overrides.options, &scene, report);
  if (!status) status = mb_model_create(scene, &model, report);
  if (scene) mb_scene_locate(scene, report);
  if (!status) mb_log_report(&s->log, report); // warnings
  if (!status) *report = (MbReport){0};
  if (!status) status = check_measures(s, scene, model, report);
  if (!status) status = note_first(s, scene, model, report);
  mb_model_free(model);
  mb_scene_free(scene);
  mb_run_overrides_free(&overrides);
  return status;
}

// What varies comes after what options of the command line put into the scene, and must not undo that unseen: `-s /output={...}` with --every.
static MbStatus check_options(const MbSweep *s, MbReport *report) {
  for (size_t i = 0; i < s->design.naxes; i++)
    for (size_t k = 0; k < s->source.nsets; k++) {
      const char *name = s->design.axes[i].name, *set = s->source.sets[k];
      const size_t length = strlen(name);
      if (*name != '/' || strncmp(name, set, length) != 0 || !strchr("/=", set[length])) continue;
      return mb_error(report, MB_USAGE, "",
                      "--set %s takes the place of what an option says of %.*s: give one of them", name,
                      (int)strcspn(set, "="), set);
    }
  return MB_OK;
}

// Whether a pointer is to a place or to what holds it.
static bool is_at_or_above(const char *pointer, const char *place) {
  const size_t length = strlen(pointer);
  return !strncmp(pointer, place, length) && (!place[length] || place[length] == '/');
}

// What one thing that varies puts into a scene another must not take away, or the table would tell of a value that no run has had. A set may go into what
// one before it has put there.
static MbStatus check_apart(const MbSweep *s, MbReport *report) {
  char place[MB_SWEEP_PATH];
  for (size_t i = 0; i < s->design.naxes; i++) {
    const MbAxis *axis = &s->design.axes[i];
    const bool pointer = mb_axis_is_pointer(axis);
    snprintf(place, sizeof place, "%s%s", pointer ? "" : "/parameters/", axis->name);
    for (size_t k = pointer ? i + 1 : 0; k < s->design.naxes; k++) {
      const MbAxis *other = &s->design.axes[k];
      if (k == i || !mb_axis_is_pointer(other) || !is_at_or_above(other->name, place)) continue;
      return mb_error(report, MB_USAGE, "",
                      "%s %s and --set %s put values into the same place: vary one of them",
                      pointer ? "--set" : "--param", axis->name, other->name);
    }
  }
  return MB_OK;
}

MbStatus mb_sweep_ask(MbSweep *s, MbReport *report) {
  MbStatus status = mb_sweep_take_study(s, report);
  if (!status) status = ask_how(s, report);
  if (!status) status = ask_folder(s, report);
  if (!status) status = ask_design(s, report);
  if (!status) status = ask_measures(s, report);
  if (!status) status = check_columns(s, report);
  if (!status) status = mb_scene_source(s->args, NULL, s->scene_name, &s->source, report);
  s->scenes = (MbRunScenes){.text = s->source.text,
                            .length = s->source.length,
                            .name = s->source.name,
                            .folder = s->source.folder,
                            .sets = (const char *const *)s->source.sets,
                            .nsets = s->source.nsets,
                            .design = &s->design};
  if (!status) status = check_options(s, report);
  if (!status) status = check_apart(s, report);
  if (!status) status = check_first(s, report);
  return status ? status : mb_sweep_herd_ask(s, report);
}

void mb_sweep_free(MbSweep *s) {
  mb_run_scenes_free(&s->scenes);
  mb_scene_source_free(&s->source);
  mb_design_free(&s->design);
  mb_study_free(&s->study);
  mb_arena_free(&s->arena);
  mb_free(s->runs);
  mb_finished_free(s->finished);
}
