// Models in others' formats: URDF and MJCF become scenes.
#ifndef MB_IO_MODELS_H
#define MB_IO_MODELS_H

#include "core/mbsim.h"
#include "io/models/rig_names.h"
#include "io/xml/xml.h"

// What an import has to say: something was left out or has become something else.
typedef struct MbModelNote {
  MbXmlPlace at; // of the first
  bool loss;     // the motion may be another one for it
  int count;
  const char *text;
} MbModelNote;

typedef struct MbModelNotes {
  MbArena arena;
  size_t n, room;
  MbModelNote *note; // (n)
  MbRigNames index;  // by their texts
} MbModelNotes;

void mb_model_notes_free(MbModelNotes *notes);

typedef struct MbImportOptions {
  const char *const *packages; // (npackages) folders in which package://NAME/ is looked for
  size_t npackages;
  const char *folder; // of the scene to be, from which it names meshes; NULL = the model's
  const char *key;    // MJCF: the keyframe to start from; NULL = none
  bool merge_fixed, free_base;
} MbImportOptions;

// Whether a text begins as a model does: XML.
bool mb_model_is(const char *text, size_t length);

// Reads a model and writes it as a scene: *text (free with mb_free). Notes are added also where it fails. The status is MB_IO for what
// is no XML or a file that is missing, MB_SCENE for a model that cannot be a scene.
MbStatus mb_model_import(const char *path, const MbImportOptions *options, MbModelNotes *notes, char **text,
                         MbReport *report);

// The same with all defaults, for what takes a scene: what is left out is a warning.
MbStatus mb_model_as_scene(const char *path, char **text, MbReport *report);

typedef enum MbModelFormat { MB_MODEL_MJCF, MB_MODEL_URDF, MB_MODEL_FORMATS } MbModelFormat;
extern const char *const mb_model_formats[MB_MODEL_FORMATS + 1]; // their words

// Writes a scene as a model: *text (free with mb_free). Everything that does not fit is an error with its JSON pointer, and there is no
// text then; what a model says nothing of (a start in URDF) is a warning. Meshes of the scene lie in `directory`; the model, which will
// lie in `folder`, names them from there.
MbStatus mb_model_export(const MbScene *scene, MbModelFormat format, const char *directory,
                         const char *folder, char **text, MbReport *report);

// What import takes, converts and refuses, as Markdown (free with mb_free).
char *mb_model_reference(void);

#endif
