// mbsim info: what a trajectory or a scene is, as one tree, told as JSON or in lines.
#include "cli/console.h"
#include "cli/each_file.h"
#include "cli/file_kind.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/plan_text.h"
#include "io/trajectory/trajectory.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

// ---- as JSON ------------------------------------------------------------------------------------

static cJSON *parsed(const char *json) {
  cJSON *tree = cJSON_Parse(json);
  return tree ? tree : cJSON_CreateNull();
}

static cJSON *field_json(const MbField *field, double bound) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "name", field->name);
  cJSON_AddStringToObject(item, "unit", field->unit);
  cJSON_AddNumberToObject(item, "bound", bound);
  if (field->words)
    cJSON_AddItemToObject(item, "words", cJSON_CreateStringArray(field->words, (int)field->nwords));
  return item;
}

static cJSON *channel_json(MbTraj *traj, size_t i, const MbChannel *channel, MbReport *report) {
  cJSON *item = cJSON_CreateObject();
  const double bound = mb_traj_bound(traj, i);
  const MbList *list = channel->list;
  const double entries = (double)mb_traj_channel_entries(traj, i, report);
  const double raw =
      8.0 * ((double)channel->items * (double)channel->width * (double)mb_traj_frames_there(traj) +
             (list ? entries * (double)list->width : 0));
  const double bytes = (double)mb_traj_channel_bytes(traj, i, report);
  cJSON_AddStringToObject(item, "name", channel->name);
  cJSON_AddNumberToObject(item, "items", (double)channel->items);
  cJSON_AddNumberToObject(item, "width", (double)channel->width);
  cJSON_AddStringToObject(item, "unit", channel->unit);
  cJSON_AddStringToObject(item, "mode", bound > 0 ? "bounded" : "lossless");
  cJSON_AddNumberToObject(item, "bound", bound);
  cJSON_AddNumberToObject(item, "bytes", bytes);
  cJSON_AddNumberToObject(item, "compression", bytes > 0 ? raw / bytes : 1);
  if (!list) return item;
  cJSON *fields = cJSON_CreateArray();
  cJSON_AddNumberToObject(item, "entries", entries);
  cJSON_AddNumberToObject(item, "keys", (double)list->keys);
  for (size_t k = 0; k < list->width; k++)
    cJSON_AddItemToArray(fields, field_json(&list->fields[k], mb_traj_field_bound(traj, i, k)));
  cJSON_AddItemToObject(item, "fields", fields);
  return item;
}

static void add_records(cJSON *tree, MbTraj *traj, MbReport *report) {
  cJSON *checkpoints = cJSON_CreateArray(), *events = cJSON_CreateArray(), *provenance = cJSON_CreateArray();
  for (size_t i = 0; i < mb_traj_checkpoints(traj); i++) {
    MbTrajCheckpoint c;
    if (mb_traj_read_checkpoint(traj, i, &c, report)) continue;
    cJSON *item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "time", c.time);
    cJSON_AddNumberToObject(item, "step", (double)c.step);
    cJSON_AddNumberToObject(item, "frames", (double)c.frames);
    cJSON_AddNumberToObject(item, "bytes", (double)c.size);
    cJSON_AddItemToArray(checkpoints, item);
  }
  for (size_t i = 0; i < mb_traj_events(traj); i++) {
    const MbTrajEvent e = mb_traj_read_event(traj, i);
    cJSON *item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "time", e.time);
    cJSON_AddNumberToObject(item, "step", (double)e.step);
    cJSON_AddStringToObject(item, "text", e.text);
    cJSON_AddItemToArray(events, item);
  }
  for (size_t i = 0; i < mb_traj_provenances(traj); i++)
    cJSON_AddItemToArray(provenance, parsed(mb_traj_provenance_json(traj, i)));
  cJSON_AddItemToObject(tree, "checkpoints", checkpoints);
  cJSON_AddItemToObject(tree, "events", events);
  cJSON_AddItemToObject(tree, "provenance", provenance);
}

static cJSON *meshes_json(MbTraj *traj, MbReport *report) {
  cJSON *list = cJSON_CreateArray();
  for (size_t i = 0; i < mb_traj_meshes(traj); i++) {
    MbTrajMesh mesh;
    if (mb_traj_read_mesh(traj, i, &mesh, report)) continue;
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", mesh.name);
    if (mesh.body) cJSON_AddStringToObject(item, "body", mesh.body);
    cJSON_AddNumberToObject(item, "vertices", mesh.nv);
    cJSON_AddNumberToObject(item, "elements", mesh.ne);
    cJSON_AddNumberToObject(item, "corners", mesh.corners);
    cJSON_AddItemToArray(list, item);
  }
  return list;
}

// [first, last] of the frames that are missing.
static cJSON *missing_json(const MbTraj *traj) {
  cJSON *list = cJSON_CreateArray();
  for (size_t i = 0; i < mb_traj_gaps(traj); i++) {
    const MbTrajGap gap = mb_traj_gap(traj, i);
    const double ends[2] = {(double)gap.first, (double)(gap.first + gap.count - 1)};
    cJSON_AddItemToArray(list, cJSON_CreateDoubleArray(ends, 2));
  }
  return list;
}

static cJSON *trajectory_json(MbTraj *traj, MbReport *report) {
  cJSON *tree = cJSON_CreateObject(), *channels = cJSON_CreateArray();
  size_t nchannels = 0;
  const MbChannel *channel = mb_traj_channels(traj, &nchannels);
  const double frames = (double)mb_traj_frames_there(traj), bytes = (double)mb_traj_file_bytes(traj);
  const size_t nchunks = mb_traj_chunks(traj);
  cJSON_AddStringToObject(tree, "file", mb_traj_path(traj));
  cJSON_AddBoolToObject(tree, "whole", mb_traj_whole(traj));
  cJSON_AddNumberToObject(tree, "file_bytes", bytes);
  cJSON_AddNumberToObject(tree, "frames", frames);
  cJSON_AddItemToObject(tree, "missing", missing_json(traj));
  cJSON_AddNumberToObject(tree, "step", mb_traj_step(traj));
  if (nchunks) {
    cJSON_AddNumberToObject(tree, "start", mb_traj_chunk(traj, 0).t0);
    cJSON_AddNumberToObject(tree, "end", mb_traj_chunk(traj, nchunks - 1).t1);
  }
  cJSON_AddNumberToObject(tree, "chunks", (double)nchunks);
  cJSON_AddItemToObject(tree, "meshes", meshes_json(traj, report));
  double numbers = frames * (double)(mb_traj_frame_size(traj) + 1);
  for (size_t i = 0; i < nchannels; i++)
    if (channel[i].list)
      numbers += (double)mb_traj_channel_entries(traj, i, report) * (double)channel[i].list->width;
  cJSON_AddNumberToObject(tree, "compression", 8 * numbers / bytes);
  for (size_t i = 0; i < nchannels; i++)
    cJSON_AddItemToArray(channels, channel_json(traj, i, &channel[i], report));
  cJSON_AddItemToObject(tree, "channels", channels);
  add_records(tree, traj, report);
  cJSON_AddItemToObject(tree, "scene", parsed(mb_traj_scene_json(traj)));
  return tree;
}

// ---- for people: the same tree, in lines --------------------------------------------------------

static double number(const cJSON *object, const char *key) {
  return cJSON_GetNumberValue(cJSON_GetObjectItem(object, key));
}

static const char *text_of(const cJSON *object, const char *key, char *buffer, size_t size) {
  const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
  return mb_console_safe(text ? text : "?", buffer, size);
}

// How many columns a name takes: UTF-8's later bytes take none.
static int columns_of(const char *name) {
  int columns = 0;
  for (; *name; name++) columns += (*name & 0xc0) != 0x80;
  return columns;
}

// Columns of the longest name.
static int name_width(const cJSON *channels) {
  int width = 24;
  const cJSON *c = NULL;
  cJSON_ArrayForEach(c, channels) {
    char name[128];
    const int wide = columns_of(text_of(c, "name", name, sizeof name));
    if (wide > width) width = wide;
  }
  return width;
}

static void print_channels(const cJSON *tree) {
  const int width = name_width(cJSON_GetObjectItem(tree, "channels"));
  printf("\n  %-*s %12s  %-16s %10s %7s  %s\n", width, "channel", "shape", "mode", "size", "ratio", "unit");
  const cJSON *c = NULL;
  cJSON_ArrayForEach(c, cJSON_GetObjectItem(tree, "channels")) {
    char name[128], unit[32], shape[48], mode[32], size[32];
    const cJSON *fields = cJSON_GetObjectItem(c, "fields"), *field = NULL;
    if (fields)
      snprintf(shape, sizeof shape, "list x %d", cJSON_GetArraySize(fields));
    else
      snprintf(shape, sizeof shape, "%.0f x %.0f", number(c, "items"), number(c, "width"));
    if (number(c, "bound") > 0)
      snprintf(mode, sizeof mode, "bounded %.3g", number(c, "bound"));
    else
      snprintf(mode, sizeof mode, "lossless");
    text_of(c, "name", name, sizeof name);
    printf("  %s%*s %12s  %-16s %10s %6.2fx  %s\n", name, width - columns_of(name), "", shape, mode,
           mb_console_bytes((uint64_t)number(c, "bytes"), size), number(c, "compression"),
           text_of(c, "unit", unit, sizeof unit));
    if (fields) printf("    %.0f entries:", number(c, "entries"));
    cJSON_ArrayForEach(field, fields) {
      const char *of = text_of(field, "unit", unit, sizeof unit);
      printf("%s %s%s%s%s", field == fields->child ? "" : ",", text_of(field, "name", name, sizeof name),
             *of ? " (" : "", of, *of ? ")" : "");
    }
    if (fields) putchar('\n');
  }
}

static void print_meshes(const cJSON *list) {
  const cJSON *mesh = NULL;
  int count = 0;
  static const char *const words[] = {"springs", "triangles", "tetrahedra"}; // with 2, 3, 4 corners
  double of[3] = {0};
  cJSON_ArrayForEach(mesh, list) {
    const int corners = (int)number(mesh, "corners");
    count++;
    if (corners >= 2 && corners <= 4) of[corners - 2] += number(mesh, "elements");
  }
  if (!count) return;
  printf("meshes       %d", count);
  const char *before = ", of ";
  for (int k = 0; k < 3; k++)
    if (of[k] > 0) printf("%s%.0f %s", before, of[k], words[k]), before = ", ";
  printf("\n");
}

static void print_checkpoints(const cJSON *list) {
  const int count = cJSON_GetArraySize(list);
  if (!count) return;
  const cJSON *last = cJSON_GetArrayItem(list, count - 1);
  char size[32];
  printf("checkpoints  %d of %s, the last at step %.0f, t = %.6g s\n", count,
         mb_console_bytes((uint64_t)number(last, "bytes"), size), number(last, "step"), number(last, "time"));
}

static void print_provenance(const cJSON *record) {
  char a[256], b[256];
  if (cJSON_GetObjectItem(record, "started"))
    printf("started      %s on %s by mbsim %s\n", text_of(record, "started", a, 64),
           text_of(record, "host", b, sizeof b), text_of(record, "version", (char[64]){0}, 64));
  const cJSON *command = cJSON_GetObjectItem(record, "command"), *word = NULL;
  if (command) printf("command     ");
  cJSON_ArrayForEach(word, command) if (cJSON_IsString(word))
      printf(" %s", mb_console_safe(word->valuestring, a, sizeof a));
  if (command) putchar('\n');
  if (cJSON_GetObjectItem(record, "wall"))
    printf("ended        %s after %s, peak memory %s\n", text_of(record, "reason", a, sizeof a),
           mb_console_duration(number(record, "wall"), b),
           mb_console_bytes((uint64_t)number(record, "peak_memory"), (char[32]){0}));
}

// A file that was cut off early has no frames, and these no times.
static void print_frames(const cJSON *tree) {
  const double chunks = number(tree, "chunks");
  printf("frames       %.0f in %.0f %s, ", number(tree, "frames"), chunks, chunks == 1 ? "chunk" : "chunks");
  if (chunks > 0) printf("t = %.6g to %.6g s, ", number(tree, "start"), number(tree, "end"));
  printf("steps of %.6g s\n", number(tree, "step"));
  const cJSON *missing = cJSON_GetObjectItem(tree, "missing"), *gap = NULL;
  cJSON_ArrayForEach(gap, missing)
      printf("%-12s frames %.0f to %.0f\n", gap == missing->child ? "missing" : "",
             cJSON_GetArrayItem(gap, 0)->valuedouble, cJSON_GetArrayItem(gap, 1)->valuedouble);
}

static void print_trajectory(const cJSON *tree) {
  char text[1024], size[32];
  const cJSON *scene = cJSON_GetObjectItem(tree, "scene"), *item = NULL;
  printf("trajectory   %s, %s%s\n", text_of(tree, "file", text, sizeof text),
         mb_console_bytes((uint64_t)number(tree, "file_bytes"), size),
         cJSON_IsTrue(cJSON_GetObjectItem(tree, "whole")) ? "" : ", not whole: `mbsim check` tells more");
  if (cJSON_GetObjectItem(scene, "name"))
    printf("scene        %s\n", text_of(scene, "name", text, sizeof text));
  if (cJSON_GetObjectItem(scene, "_source"))
    printf("             %s\n", text_of(scene, "_source", text, sizeof text));
  print_frames(tree);
  print_meshes(cJSON_GetObjectItem(tree, "meshes"));
  print_checkpoints(cJSON_GetObjectItem(tree, "checkpoints"));
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(tree, "provenance")) print_provenance(item);
  print_channels(tree);
  const cJSON *events = cJSON_GetObjectItem(tree, "events");
  if (cJSON_GetArraySize(events)) puts("\nevents");
  cJSON_ArrayForEach(item, events) printf("  t = %.6g s, step %.0f: %s\n", number(item, "time"),
                                          number(item, "step"), text_of(item, "text", text, sizeof text));
}

// ---- the command --------------------------------------------------------------------------------

// Tells what is there of a file that is not whole, and fails all the same.
static MbStatus trajectory_info(const char *path, bool json, bool partial, cJSON **answer) {
  MbReport report = {0};
  MbTraj *traj = NULL;
  MbStatus status = mb_traj_open(path, &traj, &report);
  cJSON *tree = status ? NULL : trajectory_json(traj, &report);
  const MbStatus whole = status ? status : mb_file_want_whole(traj, partial, &report);
  mb_traj_free(traj);
  if (json) *answer = status ? mb_console_failure(status, &report) : tree;
  if (status && json) return status;
  mb_console_report(stderr, &report);
  if (status || json) return status ? status : whole;
  print_trajectory(tree);
  cJSON_Delete(tree);
  return whole;
}

static MbStatus scene_info(const char *path, bool json, cJSON **answer) {
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  MbSim *sim = NULL;
  MbStatus status = mb_scene_load(path, NULL, &scene, &report);
  if (!status) status = mb_model_create(scene, &model, &report);
  if (!status) status = mb_sim_create(model, &(MbSimOptions){.engine = mb_engine_cpu()}, &sim, &report);
  if (scene) mb_scene_locate(scene, &report);
  if (status && json)
    *answer = mb_console_failure(status, &report);
  else
    mb_console_report(stderr, &report);
  if (!status) {
    cJSON *plan = mb_plan_json(scene, model, sim);
    if (json)
      *answer = plan;
    else {
      mb_plan_print(stdout, plan);
      cJSON_Delete(plan);
    }
  }
  mb_sim_free(sim);
  mb_model_free(model);
  mb_scene_free(scene);
  return status;
}

static MbStatus info(const MbArgs *args, const char *path, cJSON **answer) {
  const bool json = mb_arg_given(args, "json");
  const MbFileKind kind = mb_file_kind(path);
  if (kind == MB_FILE_UNREADABLE) {
    MbReport report = {0};
    mb_error(&report, MB_IO, "", "%s cannot be read: %s", path, strerror(errno));
    if (json)
      *answer = mb_console_failure(MB_IO, &report);
    else
      mb_console_report(stderr, &report);
    return MB_IO;
  }
  // a file that is called a trajectory and is none should hear that, not that it is no JSON
  const bool named = mb_path_ends(path, ".mbt") || mb_path_ends(path, ".mbt.part");
  return kind == MB_FILE_TRAJECTORY || (named && kind != MB_FILE_JSON)
             ? trajectory_info(path, json, mb_arg_given(args, "partial"), answer)
             : scene_info(path, json, answer);
}

static MbStatus run(const MbArgs *args) { return mb_each_file(args, info); }

static const MbOption options[] = {
    {.name = "json", .help = "answer as JSON on stdout; after a failure, status and issues"},
    MB_PARTIAL_OPTION,
};

const MbCommand mb_command_info = {
    .name = "info",
    .operands = "FILE...",
    .least = 1,
    .most = INT_MAX,
    .summary = "tell what trajectories and scenes hold",
    .details = "For a trajectory: frames, channels with their compression, checkpoints, events, where it "
               "comes from. "
               "For a scene: what would run. Of a file that was cut off or lacks frames it tells what is "
               "there, and exits 5, "
               "or 0 with --partial. Several files stand under their names, or with --json in a list; the "
               "exit status is "
               "the worst.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
