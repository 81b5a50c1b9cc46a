// The problem of contacts of one step as a file (dump_contact.c).
#ifndef MB_CLI_DUMP_CONTACT_H
#define MB_CLI_DUMP_CONTACT_H

#include "core/mbsim.h"

typedef struct MbDumpContact {
  int64_t step;
  const char *file; // NULL: none is wanted
  bool taken;       // the step has been taken
  bool seen;        // it had one
  bool made;        // the file is this run's
  int error;        // of writing it
  MbReport said;    // the same of FCLIB's form
} MbDumpContact;

// Reads "STEP:FILE". The text must stay.
MbStatus mb_dump_contact_parse(const char *text, MbDumpContact *dump, MbReport *report);
// Looks before the first step, up to step `last`, whether the step is one that the run takes, and the file one that is not there yet: it is
// not replaced.
MbStatus mb_dump_contact_ready(const MbDumpContact *dump, MbSim *sim, int64_t last, MbReport *report);
// Before and after each step, by its number: the first begins to look at that step's problems, the second ends that.
void mb_dump_contact_start(MbDumpContact *dump, MbSim *sim, int64_t step);
void mb_dump_contact_end(MbDumpContact *dump, MbSim *sim, int64_t step);
// Behind the run, which goes on whatever becomes of the file: whether the last of the step's problems has been written.
MbStatus mb_dump_contact_told(const MbDumpContact *dump, MbReport *report);

#endif
