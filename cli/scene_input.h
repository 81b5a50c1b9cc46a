// Reading the scene that a command works on: from a file or stdin, with what the command line overrides.
#ifndef MB_CLI_SCENE_INPUT_H
#define MB_CLI_SCENE_INPUT_H

#include "cli/options.h"
#include "io/scene/scene.h"
#include "io/trajectory/trajectory.h"

enum { MB_FOLDER = 4096 }; // room for a path

// `args` must have the options of MB_SCENE_OPTIONS. `path` may be "-".
MbStatus mb_scene_input(const MbArgs *args, const char *path, MbScene **scene, MbReport *report);

// The scene that the trajectory holds; its meshes are looked for in `folder`.
MbStatus mb_scene_embedded(const MbArgs *args, const MbTraj *traj, const char *folder, MbScene **scene,
                           MbReport *report);
// The folder that a scene's meshes begin at: that of its file, this one for stdin. MB_IO when it is too long.
MbStatus mb_scene_folder(const char *path, char folder[MB_FOLDER], MbReport *report);

// A scene's text, and what options of the command line other than --param and --set put into it: for a command that makes many scenes
// of it.
typedef struct MbSceneSource {
  char *text;
  size_t length;
  const char *name; // for messages
  char folder[MB_FOLDER];
  char **sets; // (nsets) "pointer=json"
  size_t nsets;
} MbSceneSource;
// `sets` (NULL: none) are those that the command puts into the text before the source's: an option that puts a whole object anew keeps what they
// say of it.
MbStatus mb_scene_source(const MbArgs *args, const MbValue *sets, const char *path, MbSceneSource *source,
                         MbReport *report);
void mb_scene_source_free(MbSceneSource *source);

// The rows that stand for values of the scene.
#define MB_SCENE_SETTINGS                                                                                    \
  {.name = "duration",                                                                                       \
   .letter = 'd',                                                                                            \
   .type = MB_OPTION_NUMBER,                                                                                 \
   .argument = "SECONDS",                                                                                    \
   .help = "how long to simulate, instead of the scene's duration or steps; 0: the start alone"},            \
      {.name = "step",                                                                                       \
       .type = MB_OPTION_POSITIVE,                                                                           \
       .argument = "SECONDS",                                                                                \
       .help = "step length, instead of the scene's"},                                                       \
      {.name = "solver",                                                                                     \
       .type = MB_OPTION_WORD,                                                                               \
       .argument = "WORD",                                                                                   \
       .words = mb_solver_words,                                                                             \
       .help = "solver, instead of the scene's with its options; threads and device stay"},                  \
      {.name = "integrator",                                                                                 \
       .type = MB_OPTION_WORD,                                                                               \
       .argument = "WORD",                                                                                   \
       .words = mb_integrator_words,                                                                         \
       .help = "integrator, instead of the scene's with its options"},                                       \
      {.name = "every",                                                                                      \
       .type = MB_OPTION_COUNT,                                                                              \
       .argument = "N",                                                                                      \
       .help = "steps from frame to frame, instead of the scene's every or interval"},                       \
      {.name = "error",                                                                                      \
       .type = MB_OPTION_TEXT,                                                                               \
       .argument = "E",                                                                                      \
       .help = "largest error of the numbers in the file: 0 (lossless), fine, view, a number for all of"     \
               " them (SI units), or an object as in the scene's output.error: {\"pose\": 1e-6}"},           \
  {                                                                                                          \
    .name = "checkpoint", .type = MB_OPTION_POSITIVE, .argument = "SECONDS",                                 \
    .help = "simulated time between checkpoints, instead of the scene's"                                     \
  }

// The rows that every command with a scene has.
#define MB_SCENE_OPTIONS                                                                                     \
  {.name = "param",                                                                                          \
   .letter = 'p',                                                                                            \
   .type = MB_OPTION_LIST,                                                                                   \
   .argument = "NAME=VALUE",                                                                                 \
   .help = "override a number of the scene's \"parameters\": a number, or \"=\" and an expression; may be "  \
           "repeated"},                                                                                      \
      {.name = "set",                                                                                        \
       .letter = 's',                                                                                        \
       .type = MB_OPTION_LIST,                                                                               \
       .argument = "POINTER=JSON",                                                                           \
       .help = "replace or add a value of the scene, by JSON pointer (/bodies/0/mass=2); may be repeated"},  \
      MB_SCENE_SETTINGS

#endif
