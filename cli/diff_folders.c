// Two files, or two folders file by file: which ones belong together, and one line for each as it is compared.
#include "cli/diff_folders.h"
#include "cli/console.h"
#include "cli/diff_result.h"
#include "cli/file_kind.h"
#include "cli/output_file.h"
#include "core/base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- one pair ---------------------------------------------------------------------------------------------

MbStatus mb_diff_pair(const MbArgs *args, const MbDiffWanted *wanted, const char *a, const char *b,
                      MbDiffPair *pair, MbReport *report) {
  MbStatus status = mb_file_want_trajectory(a, report);
  if (!status) status = mb_file_want_trajectory(b, report);
  if (!status) status = mb_traj_open(a, &pair->traj[0], report);
  if (!status) status = mb_traj_open(b, &pair->traj[1], report);
  if (!status) status = mb_diff_wanted_check(args, pair->traj, 2, report);
  MbCompareOptions options = wanted->options;
  if (pair->errors) {
    options.watch = mb_error_plot_watch, options.watcher = pair->errors;
    if (!status) status = mb_error_plot_begin(pair->errors, pair->traj[0], report);
  }
  return status ? status : mb_compare(pair->traj[0], pair->traj[1], &options, &pair->result, report);
}

void mb_diff_pair_free(MbDiffPair *pair) {
  mb_compare_free(&pair->result);
  mb_traj_free(pair->traj[0]);
  mb_traj_free(pair->traj[1]);
  *pair = (MbDiffPair){0};
}

// ---- names in a folder ------------------------------------------------------------------------------------

static bool is_folder(const char *path) {
  struct stat info;
  return !stat(path, &info) && S_ISDIR(info.st_mode);
}

MbDiffFolders mb_diff_folders(const MbArgs *args) {
  const bool a = is_folder(args->operands[0]), b = is_folder(args->operands[1]);
  return a && b ? MB_DIFF_FOLDERS : a || b ? MB_DIFF_MIXED : MB_DIFF_FILES;
}

// Paths of trajectories, as seen from the folder.
typedef struct Names {
  MbArena *arena;
  const char **name;
  size_t count, room;
} Names;

static MbStatus add_name(Names *names, const char *name, MbReport *report) {
  if (names->count == names->room) {
    const size_t room = names->room ? 2 * names->room : 64;
    const char **grown = mb_realloc(names->name, room, sizeof *grown);
    if (!grown) return mb_no_memory(report, "file names");
    names->name = grown, names->room = room;
  }
  const char *copy = mb_arena_strdup(names->arena, name);
  if (!copy) return mb_no_memory(report, "file names");
  names->name[names->count++] = copy;
  return MB_OK;
}

static const char *join(MbArena *arena, const char *folder, const char *name) {
  const size_t size = strlen(folder) + strlen(name) + 2;
  char *path = mb_arena_alloc(arena, size, 1);
  if (path) snprintf(path, size, "%s%s%s", folder, *folder && !mb_path_ends(folder, "/") ? "/" : "", name);
  return path;
}

// `below` is the path from `top` to here. Folders that links lead to are not entered: they could lead in circles.
static MbStatus list_names(Names *names, const char *top, const char *below, MbReport *report) {
  const char *here = join(names->arena, top, below);
  if (!here) return mb_no_memory(report, "file names");
  DIR *entries = opendir(here);
  if (!entries) return mb_error(report, MB_IO, "", "cannot read the folder %s: %s", here, strerror(errno));
  MbStatus status = MB_OK;
  for (struct dirent *entry; !status && (entry = readdir(entries));) {
    struct stat info;
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    const char *name = join(names->arena, below, entry->d_name),
               *path = name ? join(names->arena, top, name) : NULL;
    if (!path)
      status = mb_no_memory(report, "file names");
    else if (!lstat(path, &info) && S_ISDIR(info.st_mode))
      status = list_names(names, top, name, report);
    else if (mb_path_ends(name, ".mbt"))
      status = add_name(names, name, report);
  }
  closedir(entries);
  return status;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// ---- what came of it --------------------------------------------------------------------------------------

enum { SAME, DIFFERS, FAILED, ALONE, KINDS };

typedef struct Summary {
  const MbArgs *args;
  const MbDiffWanted *wanted;
  size_t of[KINDS];
  MbStatus worst;
  cJSON *list; // NULL: for people
} Summary;

static void say(const Summary *s, const char *word, const char *name, const char *text) {
  char safe[2][1024];
  if (s->list || mb_arg_given(s->args, "quiet")) return;
  printf("%-7s %s%s%s\n", word, mb_console_safe(name, safe[0], sizeof safe[0]), *text ? ": " : "",
         mb_console_safe(text, safe[1], sizeof safe[1]));
}

static cJSON *add_item(Summary *s, const char *name, MbStatus status) {
  cJSON *item = s->list ? cJSON_CreateObject() : NULL;
  if (status > s->worst) s->worst = status;
  if (!item) return NULL;
  cJSON_AddStringToObject(item, "file", name);
  cJSON_AddNumberToObject(item, "status", status);
  cJSON_AddItemToArray(s->list, item);
  return item;
}

static void alone(Summary *s, const char *name, int side) {
  char text[1100];
  snprintf(text, sizeof text, "only in %s", s->args->operands[side]);
  s->of[ALONE]++;
  cJSON *item = add_item(s, name, MB_DIFFERS);
  if (item) cJSON_AddStringToObject(item, "verdict", text);
  say(s, "MISSING", name, text);
}

static void compare(Summary *s, const char *name, const char *a, const char *b) {
  MbReport report = {0};
  MbDiffPair pair = {0};
  const MbStatus status = mb_diff_pair(s->args, s->wanted, a, b, &pair, &report);
  const bool told = status == MB_OK || status == MB_DIFFERS;
  cJSON *item = add_item(s, name, status);
  if (item && told) cJSON_AddStringToObject(item, "verdict", pair.result.verdict);
  if (item && report.kept) cJSON_AddItemToObject(item, "issues", mb_console_report_json(&report));
  s->of[!status ? SAME : told ? DIFFERS : FAILED]++;
  // the verdict of what differs begins with that word
  const char *const colon = told ? strchr(pair.result.verdict, ':') : NULL;
  say(s, !status ? "same" : told ? "DIFFERS" : "FAILED", name, colon ? colon + 2 : "");
  if (!s->list) {
    fflush(stdout);
    mb_console_report(stderr, &report);
  }
  mb_diff_pair_free(&pair);
}

// Both lists in order.
static MbStatus pair_names(Summary *s, const Names names[2], MbArena *arena, MbReport *report) {
  size_t i = 0, k = 0;
  while (i < names[0].count || k < names[1].count) {
    const int order = i == names[0].count   ? 1
                      : k == names[1].count ? -1
                                            : strcmp(names[0].name[i], names[1].name[k]);
    if (order) {
      alone(s, order < 0 ? names[0].name[i++] : names[1].name[k++], order > 0);
      continue;
    }
    const char *a = join(arena, s->args->operands[0], names[0].name[i]);
    const char *b = join(arena, s->args->operands[1], names[1].name[k]);
    if (!a || !b) return mb_no_memory(report, "file names");
    compare(s, names[0].name[i], a, b);
    i++, k++;
  }
  return MB_OK;
}

static MbStatus conclude(Summary *s) {
  const size_t count = s->of[SAME] + s->of[DIFFERS] + s->of[FAILED] + s->of[ALONE];
  if (s->list) {
    cJSON *tree = cJSON_CreateObject();
    cJSON_AddBoolToObject(tree, "same", s->worst == MB_OK);
    cJSON_AddNumberToObject(tree, "status", s->worst);
    cJSON_AddItemToObject(tree, "files", s->list);
    return mb_console_json(tree);
  }
  if (!mb_arg_given(s->args, "quiet"))
    printf("%zu %s: %zu same, %zu differ, %zu in one folder only, %zu not comparable\n", count,
           count == 1 ? "file" : "files", s->of[SAME], s->of[DIFFERS], s->of[ALONE], s->of[FAILED]);
  return MB_OK;
}

MbStatus mb_diff_all(const MbArgs *args, const MbDiffWanted *wanted, MbReport *report) {
  MbArena arena = {0};
  Names names[2] = {{.arena = &arena}, {.arena = &arena}};
  Summary summary = {.args = args, .wanted = wanted};
  MbStatus status = MB_OK;
  for (int side = 0; side < 2 && !status; side++) {
    status = list_names(&names[side], args->operands[side], "", report);
    if (names[side].count) qsort(names[side].name, names[side].count, sizeof *names[side].name, by_name);
  }
  if (!status && !names[0].count && !names[1].count)
    status = mb_error(report, MB_USAGE, "", "there is no trajectory (.mbt) in %s, nor in %s",
                      args->operands[0], args->operands[1]);
  if (!status && mb_arg_given(args, "json")) summary.list = cJSON_CreateArray();
  const bool began = !status;
  if (began) status = pair_names(&summary, names, &arena, report);
  if (began) {
    const MbStatus told = conclude(&summary);
    if (!status) status = told > summary.worst ? told : summary.worst;
  } else if (mb_arg_given(args, "json")) {
    mb_console_json_failure(status, report);
    *report = (MbReport){0};
  }
  mb_free(names[0].name);
  mb_free(names[1].name);
  mb_arena_free(&arena);
  return status;
}
