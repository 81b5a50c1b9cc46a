#include "io/models/models.h"
#include "core/base/alloc.h"
#include "core/sim/touch.h"
#include "io/json/json_text.h"
#include "io/models/door.h"

#include <stdio.h>
#include <string.h>

bool mb_model_is(const char *text, size_t length) {
  static const char mark[] = "\xEF\xBB\xBF";
  if (length >= 3 && !memcmp(text, mark, 3)) text += 3, length -= 3;
  while (length && strchr(" \t\r\n", *text)) text++, length--;
  return length && *text == '<';
}

// Looks are summed up: what moves nothing is no loss.
static MbStatus read_model(MbDoor *door, const char *path, MbXmlElement *root) {
  door->rig.source = root->at.file;
  if (!strcmp(root->name, "robot")) {
    door->rig.format = "URDF", door->rows = mb_urdf_rows, door->open = true;
    mb_door_check(door, root);
    if (!door->status) mb_urdf_read(door, path, root);
  } else if (!strcmp(root->name, "mujoco")) {
    door->rig.format = "MJCF", door->rows = mb_mjcf_rows;
    mb_mjcf_read(door, path, root);
  } else {
    mb_door_error(door, root->at, "<%s> is neither URDF's <robot> nor MJCF's <mujoco>%s", root->name,
                  !strcmp(root->name, "sdf") ? " (SDF is not read)" : "");
  }
  return door->status;
}

// The body of the rig that the scene's body of a number is
static size_t of_listed(const MbRig *rig, size_t listed) {
  size_t b = 0;
  for (size_t n = 0; b < rig->nbodies; b++)
    if (!rig->body[b].merged && n++ == listed) break;
  return b;
}

static bool exclude(MbDoor *door, size_t (*bodies)[2], size_t n) {
  MbRig *rig = &door->rig;
  for (size_t i = 0; i < n; i++) {
    const size_t a = of_listed(rig, bodies[i][0]), b = of_listed(rig, bodies[i][1]);
    MbRigPair *pair = mb_rig_add_pair(rig, rig->body[a].at);
    if (!pair) return mb_door_no_memory(door);
    pair->body[0] = a, pair->body[1] = b;
  }
  const size_t before = rig->npairs - n;
  mb_rig_order_pairs(rig);
  if (rig->npairs > before)
    mb_door_note(
        door, rig->body[of_listed(rig, bodies[0][0])].at, true,
        "bodies that begin deep in one another do not collide (%zu pairs: contact/exclude of the scene)",
        rig->npairs - before);
  return true;
}

// A run does not begin with bodies deep in one another, as links of a robot often are beside a joint: these do not collide. Where the
// scene cannot be made, a run will say why.
static bool part_deep(MbDoor *door, const char *text, bool *found) {
  enum { MOST = 4000 };
  static const char *const sets[] = {"/contact/compliance=1"}; // of soft contacts none is too deep
  const MbSceneOptions options = {.sets = sets, .nsets = 1};
  MbReport report = {0};
  MbScene *scene = NULL;
  MbModel *model = NULL;
  MbSim *sim = NULL;
  bool fine = true;
  *found = false;
  size_t(*bodies)[2] = mb_calloc(MOST, sizeof *bodies);
  if (!bodies) return mb_door_no_memory(door);
  if (!mb_scene_parse(text, strlen(text), "scene", door->options->folder, &options, &scene, &report) &&
      !mb_model_create(scene, &model, &report) && !mb_sim_create(model, NULL, &sim, &report)) {
    const size_t n = mb_touch_deep(sim, bodies, MOST);
    *found = n > 0;
    if (n) fine = exclude(door, bodies, n < MOST ? n : MOST);
  }
  mb_sim_free(sim);
  mb_model_free(model);
  mb_scene_free(scene);
  mb_free(bodies);
  return fine;
}

// The scene's text
static MbStatus write_scene(MbDoor *door, char **text, MbReport *report) {
  bool again = false;
  *text = mb_rig_scene(door);
  if (*text && door->rig.contact && !part_deep(door, *text, &again)) return door->status;
  if (again) {
    mb_free(*text);
    *text = mb_rig_scene(door);
  }
  if (*text) return MB_OK;
  return door->status ? door->status : mb_no_memory(report, "a model's scene");
}

MbStatus mb_model_import(const char *path, const MbImportOptions *options, MbModelNotes *notes, char **text,
                         MbReport *report) {
  MbImportOptions own = *options;
  char folder[4096] = ".";
  const char *slash = strrchr(path, '/');
  if (slash && (size_t)(slash - path) < sizeof folder) {
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash == path ? 1 : slash - path] = 0;
    if (slash == path) folder[0] = '/';
  }
  if (!own.folder) own.folder = folder;
  MbDoor door = {.options = &own, .notes = notes, .report = report};
  MbXmlElement *root = NULL;
  *text = NULL;
  MbStatus status = mb_xml_read(path, &door.rig.arena, &root, report);
  if (!status) status = read_model(&door, path, root);
  if (!status && !mb_rig_settle(&door)) status = door.status;
  if (!status) status = write_scene(&door, text, report);
  if (status) {
    mb_free(*text);
    *text = NULL;
  }
  mb_rig_free(&door.rig);
  return status;
}

MbStatus mb_model_as_scene(const char *path, char **text, MbReport *report) {
  const MbImportOptions options = {0};
  MbModelNotes notes = {0};
  const MbStatus status = mb_model_import(path, &options, &notes, text, report);
  int losses = 0;
  for (size_t i = 0; i < notes.n; i++) losses += notes.note[i].loss;
  if (!status)
    mb_warning(report, "",
               "%s is a model, imported as a scene: %d thing%s left out (`mbsim import` writes the scene and "
               "lists more)",
               path, losses, losses == 1 ? "" : "s");
  for (size_t i = 0; i < notes.n && !status; i++)
    if (notes.note[i].loss)
      mb_warning(report, "", "%s:%d:%d: %s", notes.note[i].at.file, notes.note[i].at.line,
                 notes.note[i].at.column, notes.note[i].text);
  mb_model_notes_free(&notes);
  return status;
}

// ---- the reference ----------------------------------------------------------------------------------------

static void add_rows(MbText *t, const MbDoorRow *rows) {
  static const char *const hows[] = {"taken", "converted", "no motion", "left out, listed", "refused"};
  mb_text_add(t, "\n| element | attributes | | |\n| --- | --- | --- | --- |\n");
  for (const MbDoorRow *row = rows; row->element; row++)
    mb_text_format(t, "| `%s` | %s%s%s | %s | %s |\n", row->element,
                   row->attributes && strcmp(row->attributes, "*") != 0 ? "`" : "",
                   !row->attributes                ? ""
                   : !strcmp(row->attributes, "*") ? "all others"
                                                   : row->attributes,
                   row->attributes && strcmp(row->attributes, "*") != 0 ? "`" : "", hows[row->how],
                   row->what);
}

char *mb_model_reference(void) {
  MbText t = {0};
  mb_text_add(&t, "### URDF\n");
  add_rows(&t, mb_urdf_rows);
  mb_text_add(&t, "\n### MJCF\n");
  add_rows(&t, mb_mjcf_rows);
  return mb_text_take(&t);
}
