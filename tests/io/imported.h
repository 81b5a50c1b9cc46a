// Models that tests import: from a text of theirs, in a folder of theirs.
#ifndef MB_TESTS_IMPORTED_H
#define MB_TESTS_IMPORTED_H

#include "io/json/json.h"
#include "io/models/models.h"
#include "tests/runs.h"

typedef struct Imported {
  MbStatus status;
  MbReport report;
  MbModelNotes notes;
  char *text;
  cJSON *scene;
} Imported;

// Begins and ends a suite with a folder of its own; writes a file there.
void imported_begin(void);
void imported_end(void);
void imported_write(const char *name, const char *text);

// Imports the text of a model; by `imported` it has to go, by `imported_refused` it has to be refused there, with these words.
Imported imported_with(const char *text, const MbImportOptions *options);
Imported imported(const char *text);
void imported_refused(const char *text, int line, int column, const char *words);
void imported_drop(Imported *r);

// Whether this was noted of it.
bool imported_noted(const Imported *r, bool loss, const char *words);
// What stands in the scene: anything, a word ("": none), a number.
const cJSON *imported_at(const Imported *r, const char *pointer);
const char *imported_word(const Imported *r, const char *pointer);
double imported_number(const Imported *r, const char *pointer);
// Runs the scene for so many steps.
void imported_runs(const Imported *r, int64_t steps);

#define MJCF(inner) "<mujoco>\n" inner "\n</mujoco>"
#define BODY(inner)                                                                                          \
  MJCF("<worldbody><body name='a'><joint name='j'/><geom size='0.1'/>" inner "</body></worldbody>")
#define MASS                                                                                                 \
  "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"

#endif
