// Study files: what `mbsim sweep` is asked, as JSON. Their keys are called as the command's options.
#ifndef MB_IO_STUDY_H
#define MB_IO_STUDY_H

#include "io/scene/schema_table.h"
#include "io/sweep/design.h"
#include "io/sweep/table.h"

extern const char *const mb_keep_words[];  // all, failed, none
extern const char *const mb_lanes_words[]; // auto, off

typedef struct MbStudySpec {
  const char *schema, *name, *description;
  const char *scene;
  int design; // MbDesignKind
  int samples;
  int64_t seed;
  const char *list;
  MbNamedText *vary; // (nvary) names of parameters or pointers, values as on the command line
  size_t nvary;
  MbNamedText *measures; // (nmeasures)
  size_t nmeasures;
  const char *output;
  int jobs, keep, format, lanes, device;
  bool times;
  double timeout;
  const char *memory;
  int retry;
  bool fail_fast;
  double duration, step, checkpoint;
  int solver, integrator, every;
  double error[MB_QUANTITIES];
} MbStudySpec;

extern const MbSchemaObject mb_schema_study;

typedef struct MbStudy {
  MbStudySpec spec;
  char *text; // its source
  size_t length;
  cJSON *tree;
  MbArena arena;
} MbStudy;

// Whether a JSON text means to be a study: it has the key "mbsim_study".
bool mb_study_is(const char *text, size_t length);
// Reads a study, taking the text (got by mb_calloc); `name` stands in messages. MB_SCENE where it is wrong. Free whatever came.
MbStatus mb_study_read(MbStudy *study, char *text, size_t length, const char *name, MbReport *report);
void mb_study_free(MbStudy *study);
// The value that a key has; NULL where it is not there.
const cJSON *mb_study_given(const MbStudy *study, const char *key);
// Gives the report's issues from number `first` on that have no place that of `key` in the object `group` ("/vary").
void mb_study_locate(const MbStudy *study, const char *name, const char *group, const char *key, int first,
                     MbReport *report);

#endif
