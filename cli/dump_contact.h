// The problem of contacts of one step as a file (dump_contact.c).
#ifndef MB_CLI_DUMP_CONTACT_H
#define MB_CLI_DUMP_CONTACT_H

#include "core/mbsim.h"

typedef struct MbDumpContact {
  int64_t step;
  const char *file; // NULL: none is wanted
  bool seen;        // the step had one
  int error;        // of writing it
  MbReport said;    // the same of FCLIB's form
} MbDumpContact;

// Reads "STEP:FILE". The text must stay.
MbStatus mb_dump_contact_parse(const char *text, MbDumpContact *dump, MbReport *report);
// Before and after each step, by its number. A file that is there is not replaced.
MbStatus mb_dump_contact_start(MbDumpContact *dump, MbSim *sim, int64_t step, MbReport *report);
MbStatus mb_dump_contact_end(MbDumpContact *dump, MbSim *sim, int64_t step, MbReport *report);

#endif
