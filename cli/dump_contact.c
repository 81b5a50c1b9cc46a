// `mbsim run --dump-contact STEP:FILE`: the problem of contacts of one step, in the forms that `mbsim bench contact` reads.
#include "cli/dump_contact.h"
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "core/sim/touch.h"
#include "io/contact/fclib.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

MbStatus mb_dump_contact_parse(const char *text, MbDumpContact *dump, MbReport *report) {
  char *end = NULL;
  errno = 0;
  const long long step = strtoll(text, &end, 10);
  *dump = (MbDumpContact){.step = step};
  if (errno || end == text || *end != ':' || !end[1] || step < 1)
    return mb_error(report, MB_USAGE, "", "--dump-contact %s: wanted STEP:FILE, the first step being 1",
                    text);
  dump->file = end + 1;
  return mb_fclib_named(dump->file) ? mb_fclib_load(report) : MB_OK;
}

// Writes a problem in JSON. The error's number, or 0.
static int write_json(const char *file, const char *name, const MbContactProblem *problem) {
  MbText text = {0};
  const bool fine = mb_contact_file_write(&text, name, problem);
  char *const made = mb_text_take(&text);
  FILE *const out = fine && made ? fopen(file, "wx") : NULL;
  int error = out ? 0 : fine && made ? errno : ENOMEM;
  if (out && (fputs(made, out) == EOF)) error = errno;
  if (out && fclose(out) && !error) error = errno;
  mb_free(made);
  return error;
}

// A step of deformables makes a problem in each of its iterations: each takes the place of the one before, so that the last one stays, which
// is that of the step's end.
static void see(void *context, const MbContactProblem *problem) {
  MbDumpContact *dump = context;
  char name[64];
  snprintf(name, sizeof name, "step %lld", (long long)dump->step);
  dump->seen = true;
  if (dump->made) remove(dump->file);
  if (mb_fclib_named(dump->file)) {
    dump->made = mb_fclib_write(dump->file, name, problem, &dump->said) == MB_OK;
    return;
  }
  dump->error = write_json(dump->file, name, problem);
  dump->made = dump->error == 0;
}

MbStatus mb_dump_contact_ready(const MbDumpContact *dump, MbSim *sim, int64_t last, MbReport *report) {
  const long long from = mb_sim_steps(sim) + 1, to = last, step = dump->step;
  if (!dump->file) return MB_OK;
  if (!mb_touch_watch(sim, (MbTouchWatch){0}))
    return mb_error(report, MB_USAGE, "", "--dump-contact: nothing collides in this scene");
  if (from > to)
    return mb_error(report, MB_USAGE, "", "--dump-contact: no step is left to take, and step %lld is wanted",
                    step);
  if (step < from || step > to)
    return mb_error(report, MB_USAGE, "",
                    "--dump-contact: the run takes steps %lld to %lld, and not step %lld", from, to, step);
  if (!access(dump->file, F_OK))
    return mb_error(report, MB_IO, "", "--dump-contact: cannot write %s: %s", dump->file, strerror(EEXIST));
  return MB_OK;
}

void mb_dump_contact_start(MbDumpContact *dump, MbSim *sim, int64_t step) {
  if (dump->file && step == dump->step) mb_touch_watch(sim, (MbTouchWatch){see, dump});
}

void mb_dump_contact_end(MbDumpContact *dump, MbSim *sim, int64_t step) {
  if (!dump->file || step != dump->step) return;
  mb_touch_watch(sim, (MbTouchWatch){0});
  dump->taken = true;
}

MbStatus mb_dump_contact_told(const MbDumpContact *dump, MbReport *report) {
  if (!dump->taken) return MB_OK;
  if (!dump->seen)
    return mb_error(report, MB_USAGE, "", "--dump-contact: nothing touches in step %lld: %s is not written",
                    (long long)dump->step, dump->file);
  if (dump->said.kept)
    return mb_error(report, dump->said.status, "", "--dump-contact: %s", dump->said.issues[0].text);
  if (dump->error)
    return mb_error(report, MB_IO, "", "--dump-contact: cannot write %s: %s", dump->file,
                    strerror(dump->error));
  return MB_OK;
}
