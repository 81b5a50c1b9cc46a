#include "io/models/models.h"
#include "core/base/alloc.h"
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
  if (!status) *text = mb_rig_scene(&door);
  if (!status && !*text) status = door.status ? door.status : mb_no_memory(report, "a model's scene");
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
               "%s is a model, imported as a scene: %d things left out (`mbsim import` writes the scene and "
               "lists more)",
               path, losses);
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
