// Runs of a sweep that are done and have left no folder: records in files of the sweep's folder `rows`, each file appended to by one
// process. A record is written at once and carries a checksum, so that one that a kill has cut off is as if it were not there.
// Only runs that came to their end stand there.
#ifndef MB_IO_FINISHED_H
#define MB_IO_FINISHED_H

#include "io/sweep/result.h"
#include "io/sweep/run_scene.h"

typedef struct MbFinished MbFinished;

// Looks through a sweep's folder. One without such records gives an empty list.
MbStatus mb_finished_open(const char *folder, MbFinished **finished, MbReport *report);
void mb_finished_free(MbFinished *finished);
// What a run has come to: `defined`, `values` and `nmeasures` of the result must be set. False where it is not there; *lacks: some
// measure is not in it.
bool mb_finished_find(MbFinished *finished, const char *id, MbResult *result, bool *lacks);

// Whether any run has a folder, as far as the time of mb_finished_open.
bool mb_finished_folders(const MbFinished *finished);

// Appends records to a file of its own in the folder `rows`, which it makes.
typedef struct MbFinishedFile MbFinishedFile;
MbStatus mb_finished_create(const char *folder, MbFinishedFile **file, MbReport *report);
// Adds a record, which is there for others once it has been flushed.
MbStatus mb_finished_add(MbFinishedFile *file, const char *id, const MbResult *result, MbReport *report);
MbStatus mb_finished_flush(MbFinishedFile *file, MbReport *report);
void mb_finished_close(MbFinishedFile *file);

#endif
