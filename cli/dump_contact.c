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

static void see(void *context, const MbContactProblem *problem) {
  MbDumpContact *dump = context;
  MbText text = {0};
  char name[64];
  snprintf(name, sizeof name, "step %lld", (long long)dump->step);
  dump->seen = true;
  if (mb_fclib_named(dump->file)) {
    mb_fclib_write(dump->file, name, problem, &dump->said);
    return;
  }
  const bool fine = mb_contact_file_write(&text, name, problem);
  char *const made = mb_text_take(&text);
  FILE *const out = fine && made ? fopen(dump->file, "wx") : NULL;
  dump->error = out ? 0 : fine && made ? errno : ENOMEM;
  if (out && (fputs(made, out) == EOF)) dump->error = errno;
  if (out && fclose(out) && !dump->error) dump->error = errno;
  mb_free(made);
}

MbStatus mb_dump_contact_start(MbDumpContact *dump, MbSim *sim, int64_t step, MbReport *report) {
  if (!dump->file || step != dump->step) return MB_OK;
  if (!mb_touch_watch(sim, (MbTouchWatch){see, dump}))
    return mb_error(report, MB_USAGE, "", "--dump-contact: nothing collides in this scene");
  return MB_OK;
}

MbStatus mb_dump_contact_end(MbDumpContact *dump, MbSim *sim, int64_t step, MbReport *report) {
  if (!dump->file || step != dump->step) return MB_OK;
  mb_touch_watch(sim, (MbTouchWatch){0});
  if (!dump->seen)
    return mb_error(report, MB_USAGE, "", "--dump-contact: nothing touches in step %lld", (long long)step);
  if (dump->said.kept)
    return mb_error(report, dump->said.status, "", "--dump-contact: %s", dump->said.issues[0].text);
  if (dump->error)
    return mb_error(report, MB_IO, "", "--dump-contact: cannot write %s: %s", dump->file,
                    strerror(dump->error));
  return MB_OK;
}
