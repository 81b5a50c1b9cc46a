// Scenes: JSON text -> checked SceneSpec, by the schema table.
#ifndef MB_IO_SCENE_H
#define MB_IO_SCENE_H

#include "core/model/spec.h"
#include "io/json/json.h"

// What MbScene of core/mbsim.h is.
struct MbScene {
  MbSceneSpec spec;
  char *name; // file name for messages
  char *text; // source
  size_t length;
  cJSON *resolved;   // the scene after overriding, for the trajectory's HEAD
  char **overridden; // (noverridden) JSON pointers that --param and --set have set: no line of the text is
                     // theirs
  size_t noverridden;
};

// As mb_scene_parse, but takes the text, whatever comes of it: it was got by mb_calloc or mb_realloc, and has a zero at its end.
MbStatus mb_scene_take(char *text, size_t length, const char *name, const char *directory,
                       const MbSceneOptions *options, MbScene **scene, MbReport *report);

// What readings of scenes have in common, for who reads many: made once, it is in use by all of them.
typedef struct MbSceneKept MbSceneKept;
MbSceneKept *mb_scene_kept_create(void); // NULL: out of memory
// After all scenes that were read with it have been freed.
void mb_scene_kept_free(MbSceneKept *kept);
// As mb_scene_parse, with what is kept from other readings (NULL: nothing).
MbStatus mb_scene_parse_kept(const char *text, size_t length, const char *name, const char *directory,
                             const MbSceneOptions *options, MbSceneKept *kept, MbScene **scene,
                             MbReport *report);

// Gives back what a scene says, once its model is made, which holds all that it needs of it. What is left are its settings, how
// many there were of everything, and its text, so that issues can still be placed in it; no lists, no names, no resolved tree.
void mb_scene_let_go(MbScene *scene);

// Gives the issues that carry a JSON pointer and no line their line and column, from the source text.
void mb_scene_locate(const MbScene *scene, MbReport *report);

// The resolved scene as JSON text (free with mb_free); NULL when memory ran out.
char *mb_scene_resolved(const MbScene *scene);

// The documents made from the schema table (free with mb_free): JSON Schema 2020-12, and the Markdown
// reference that stands in scenes/README.md between its markers.
char *mb_schema_json(void);
char *mb_schema_reference(void);

#endif
