// The page of a run that ends: --view.
#include "cli/run.h"
#include "core/base/alloc.h"

#include <string.h>

// Files that are not there yet: one name in one folder.
static bool same_place(const MbTarget *target, const char *folder, const char *file) {
  return mb_output_same_file(target->folder, folder) &&
         !strcmp(mb_page_name(target->file), mb_page_name(file));
}

// The trajectory and its parts are no place for the page.
static MbStatus check_name(const MbRun *run, const char *page, MbReport *report) {
  MbTarget target;
  const MbStatus status = mb_target_find(page, &target, report);
  if (status) return status;
  const MbTarget *own = &run->output.target;
  bool same = same_place(&target, own->folder, own->file);
  for (int k = 0; k < MB_OUTPUT_PARTS && !same; k++) {
    char *part = mb_output_part_name(own->file, k);
    same = part && same_place(&target, own->folder, part);
    mb_free(part);
  }
  mb_target_free(&target);
  return same ? mb_error(report, MB_USAGE, "", "--view: %s is what the run writes: name another file", page)
              : MB_OK;
}

// The scene, its meshes, and what the run may go on from.
static MbStatus open_page(MbRun *run, const char *path, MbReport *report) {
  MbRunInputs inputs = {0};
  MbStatus status = mb_run_inputs(run, &inputs, report);
  const size_t count = inputs.count + (size_t)run->sources.count;
  const char **files = mb_calloc(count, sizeof *files);
  if (!status && !files) status = mb_no_memory(report, "file names");
  for (size_t i = 0; i < inputs.count && !status; i++) files[i] = inputs.files[i];
  for (int i = 0; i < run->sources.count && !status; i++)
    files[inputs.count + (size_t)i] = run->sources.at[i].path;
  // a run that goes on makes the page of the one before anew
  const bool again = mb_arg_given(run->args, "resume") && mb_page_is(path);
  const MbOutputAsk ask = {
      .path = path, .replace = again || mb_arg_given(run->args, "force"), .inputs = files, .ninputs = count};
  if (!status) status = mb_page_open(&run->page, &ask, report);
  run->paged = !status;
  mb_free(files);
  mb_run_inputs_free(&inputs);
  return status;
}

MbStatus mb_run_open_page(MbRun *run, MbReport *report) {
  const MbValue *view = mb_arg(run->args, "view");
  if (!view->given) return MB_OK;
  const MbStatus status = check_name(run, view->text, report);
  return status ? status : open_page(run, view->text, report);
}

MbStatus mb_run_end_page(MbRun *run, MbStatus status) {
  if (!run->paged) return status;
  run->paged = false;
  if (!run->placed) {
    mb_page_abandon(&run->page);
    return status;
  }
  MbReport report = {0};
  const char *const file = run->file, *name = mb_arg(run->args, "view")->text;
  const MbStatus written = mb_page_end(&run->page, &file, 1, NULL, &report);
  mb_log_report(&run->log, &report);
  if (written) return status ? status : written;
  mb_log_say(&run->log, "%s: a page to watch it in", name);
  cJSON *event = mb_log_event("view");
  cJSON_AddStringToObject(event, "file", name);
  mb_log_write(&run->log, event);
  return status;
}
