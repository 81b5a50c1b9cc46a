// The scene of each run of a sweep, and its name: a hash of all that decides the run's numbers.
#ifndef MB_IO_RUN_SCENE_H
#define MB_IO_RUN_SCENE_H

#include "io/scene/scene.h"
#include "io/sweep/design.h"

enum { MB_RUN_ID = 33 }; // 32 hexadecimal digits and a 0

typedef struct MbMeshHash MbMeshHash;
typedef struct MbRunForm MbRunForm;

// What all runs have in common. Zero what is not named here.
typedef struct MbRunScenes {
  const char *text; // of the scene
  size_t length;
  const char *name;        // its file, for messages
  const char *folder;      // that its meshes begin at
  const char *const *sets; // (nsets) "pointer=json" of every run
  size_t nsets;
  const MbDesign *design;
  MbMeshHash *meshes; // read so far; mb_run_scenes_free frees them
  MbRunForm *form;    // of IDs (run_form.c); freed too
} MbRunScenes;

// What a run sets in the scene: every run's own, then the design's.
typedef struct MbRunOverrides {
  MbSceneOptions options;
  char **made; // (nmade)
  size_t nmade;
  const char **sets, **params;
} MbRunOverrides;
MbStatus mb_run_overrides(const MbRunScenes *scenes, uint64_t run, MbRunOverrides *overrides,
                          MbReport *report);
void mb_run_overrides_free(MbRunOverrides *overrides);

// The scene of a run as JSON text (mb_free it), with meshes' files named from the root, and its ID. The scene is not checked.
MbStatus mb_run_scene(MbRunScenes *scenes, uint64_t run, char **text, char id[MB_RUN_ID], MbReport *report);
// The ID alone: quicker where nothing but numbers varies.
MbStatus mb_run_id(MbRunScenes *scenes, uint64_t run, char id[MB_RUN_ID], MbReport *report);
void mb_run_scenes_free(MbRunScenes *scenes);

#endif
