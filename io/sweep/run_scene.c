// Makes the scene of a run from the text of its sweep with what the run overrides, and hashes both, with their meshes, to its name.
#include "io/sweep/run_scene.h"
#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/report.h"
#include "io/json/json_scan.h"
#include "io/json/json_text.h"
#include "io/scene/scene_override.h"
#include "io/sweep/run_form.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// A mesh's file as it was when it was read.
struct MbMeshHash {
  MbMeshHash *next;
  uint64_t hash[2];
  struct timespec changed;
  off_t size;
  char path[];
};

void mb_run_scenes_free(MbRunScenes *scenes) {
  mb_run_form_free(scenes->form);
  scenes->form = NULL;
  while (scenes->meshes) {
    MbMeshHash *next = scenes->meshes->next;
    mb_free(scenes->meshes);
    scenes->meshes = next;
  }
}

// ---- what a run sets --------------------------------------------------------------------------------------

void mb_run_overrides_free(MbRunOverrides *o) {
  for (size_t i = 0; i < o->nmade; i++) mb_free(o->made[i]);
  mb_free(o->made);
  mb_free(o->sets);
  mb_free(o->params);
  *o = (MbRunOverrides){0};
}

// "name=value"; a parameter's expression stands without JSON's quotes.
static char *assignment(const MbDesign *design, uint64_t run, size_t axis) {
  MbText text = {0}, value = {0};
  const bool pointer = mb_axis_is_pointer(&design->axes[axis]);
  mb_design_value(design, run, axis, &value);
  char *json = mb_text_take(&value);
  cJSON *tree = json && !pointer && json[0] == '"' ? cJSON_Parse(json) : NULL;
  mb_text_format(&text, "%s=", design->axes[axis].name);
  if (json) mb_text_add(&text, cJSON_IsString(tree) ? tree->valuestring : json);
  char *made = mb_text_take(&text);
  cJSON_Delete(tree);
  if (!json) {
    mb_free(made);
    return NULL;
  }
  mb_free(json);
  return made;
}

MbStatus mb_run_overrides(const MbRunScenes *scenes, uint64_t run, MbRunOverrides *o, MbReport *report) {
  const MbDesign *design = scenes->design;
  *o = (MbRunOverrides){0};
  o->made = mb_calloc(design->naxes, sizeof *o->made);
  o->sets = mb_calloc(scenes->nsets + design->naxes, sizeof *o->sets);
  o->params = mb_calloc(design->naxes, sizeof *o->params);
  bool fine = o->made && o->sets && o->params;
  size_t nsets = 0, nparams = 0;
  for (; fine && nsets < scenes->nsets; nsets++) o->sets[nsets] = scenes->sets[nsets];
  for (size_t i = 0; fine && i < design->naxes; i++) {
    char *made = o->made[i] = assignment(design, run, i);
    fine = made != NULL;
    o->nmade += fine;
    if (mb_axis_is_pointer(&design->axes[i]))
      o->sets[nsets++] = made;
    else
      o->params[nparams++] = made;
  }
  o->options = (MbSceneOptions){.params = o->params, .nparams = nparams, .sets = o->sets, .nsets = nsets};
  if (fine) return MB_OK;
  mb_run_overrides_free(o);
  return mb_no_memory(report, "the scene of a run");
}

// ---- meshes -----------------------------------------------------------------------------------------------

static void hash_file(FILE *file, MbHash *hash) {
  unsigned char bytes[1 << 14];
  for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;) mb_hash_bytes(hash, bytes, n);
}

// Takes in a mesh's bytes; nothing where it cannot be read, which its run will tell.
static void add_mesh(MbRunScenes *scenes, const char *path, MbHash *hash) {
  struct stat info;
  if (stat(path, &info) || !S_ISREG(info.st_mode)) return;
  MbMeshHash *mesh = scenes->meshes;
  while (mesh && strcmp(mesh->path, path) != 0) mesh = mesh->next;
  const bool known = mesh && mesh->size == info.st_size && mesh->changed.tv_sec == info.st_mtim.tv_sec &&
                     mesh->changed.tv_nsec == info.st_mtim.tv_nsec;
  if (!known) {
    FILE *file = fopen(path, "re");
    if (!mesh && (mesh = mb_calloc(1, sizeof *mesh + strlen(path) + 1))) {
      memcpy(mesh->path, path, strlen(path) + 1);
      mesh->next = scenes->meshes;
      scenes->meshes = mesh;
    }
    MbHash own;
    mb_hash_begin(&own);
    if (file) hash_file(file, &own);
    if (file) fclose(file);
    if (mesh) {
      mesh->hash[0] = own.a;
      mesh->hash[1] = own.b;
      mesh->changed = info.st_mtim;
      mesh->size = info.st_size;
    }
  }
  if (!mesh) return;
  mb_hash_word(hash, mesh->hash[0]);
  mb_hash_word(hash, mesh->hash[1]);
}

// Whether the string that was scanned last is the file of a mesh: a member "file", not the output's.
static bool is_mesh_file(const MbJsonScan *scan) {
  static const char file[] = "file", output[] = "output";
  if (scan->depth < 2) return false;
  const MbJsonLevel *outer = &scan->level[0], *inner = &scan->level[scan->depth - 1];
  if (!inner->object || inner->key_length != sizeof file - 1 ||
      memcmp(scan->text + inner->key, file, sizeof file - 1) != 0)
    return false;
  return outer->key_length != sizeof output - 1 ||
         memcmp(scan->text + outer->key, output, sizeof output - 1) != 0;
}

// Copies a scene's text, meshes' files named from the root, and takes their bytes into the hash.
static bool name_meshes(MbRunScenes *scenes, const char *text, MbText *out, MbHash *hash) {
  char root[PATH_MAX];
  if (!strstr(text, "\"file\"") || !realpath(scenes->folder, root)) {
    mb_text_add(out, text);
    return !out->failed;
  }
  MbJsonScan scan;
  size_t copied = 0;
  mb_json_scan_begin(&scan, text, strlen(text));
  for (;;) {
    const MbJsonToken token = mb_json_scan_next(&scan);
    if (token == MB_JSON_END || token == MB_JSON_WRONG) break;
    if (token != MB_JSON_STRING || !is_mesh_file(&scan)) continue;
    MbText path = {0};
    if (text[scan.start + 1] != '/') mb_text_format(&path, "%s/", root);
    for (size_t at = scan.start + 1; at < scan.at - 1;) {
      char bytes[4];
      const size_t n = mb_json_unescape(text, scan.at - 1, &at, bytes);
      mb_text_add_n(&path, bytes, n);
    }
    char *name = mb_text_take(&path);
    if (!name) return false;
    add_mesh(scenes, name, hash);
    mb_text_add_n(out, text + copied, scan.start - copied);
    mb_text_quoted(out, name);
    copied = scan.at;
    mb_free(name);
  }
  mb_text_add(out, text + copied);
  return !out->failed;
}

// ---- a run's scene ----------------------------------------------------------------------------------------

MbStatus mb_run_resolved(const MbRunScenes *scenes, const MbSceneOptions *options, char **text,
                         MbReport *report) {
  MbScene scene = {0};
  MbStatus status = mb_json_parse_folded(scenes->text, scenes->length, &scene.resolved, report);
  if (!status) status = mb_scene_override(&scene, options, report);
  *text = status ? NULL : mb_scene_resolved(&scene);
  for (size_t i = 0; i < scene.noverridden; i++) mb_free(scene.overridden[i]);
  mb_free(scene.overridden);
  cJSON_Delete(scene.resolved);
  return status;
}

MbStatus mb_run_rooted(MbRunScenes *scenes, const MbSceneOptions *options, char **text, MbReport *report) {
  char *own = NULL;
  MbText whole = {0};
  MbHash hash;
  *text = NULL;
  const MbStatus status = mb_run_resolved(scenes, options, &own, report);
  if (status) return status;
  mb_hash_begin(&hash);
  const bool fine = own && name_meshes(scenes, own, &whole, &hash);
  mb_free(own);
  *text = mb_text_take(&whole);
  return fine && *text ? MB_OK : mb_no_memory(report, "the scene of a run");
}

MbStatus mb_run_scene(MbRunScenes *scenes, uint64_t run, char **text, char id[MB_RUN_ID], MbReport *report) {
  *text = NULL;
  char *own = NULL;
  MbRunOverrides overrides;
  MbStatus status = mb_run_overrides(scenes, run, &overrides, report);
  if (status) return status;
  status = mb_run_resolved(scenes, &overrides.options, &own, report);
  mb_run_overrides_free(&overrides);
  if (status) return status;

  MbText whole = {0};
  MbHash hash;
  mb_hash_begin(&hash);
  mb_hash_text(&hash, mb_version());
  if (own) mb_hash_text(&hash, own);
  const bool fine = own && name_meshes(scenes, own, &whole, &hash);
  mb_free(own);
  mb_hash_hex(&hash, id);
  *text = mb_text_take(&whole);
  return fine && *text ? MB_OK : mb_no_memory(report, "the scene of a run");
}

MbStatus mb_run_id(MbRunScenes *scenes, uint64_t run, char id[MB_RUN_ID], MbReport *report) {
  if (!scenes->form) scenes->form = mb_run_form_create(scenes);
  if (scenes->form && mb_run_form_id(scenes->form, scenes->design, run, id)) return MB_OK;
  char *text = NULL;
  const MbStatus status = mb_run_scene(scenes, run, &text, id, report);
  mb_free(text);
  return status;
}
