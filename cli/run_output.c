// Which files a run reads and writes, settled before anything is computed.
#include "cli/run.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <string.h>

// ---- what it reads ------------------------------------------------------------------------------------------------

void mb_run_inputs_free(MbRunInputs *inputs) {
  for (size_t i = inputs->given; i < inputs->count; i++) mb_free((void *)(uintptr_t)inputs->files[i]);
  mb_free(inputs->files);
}

// A mesh's file begins at the scene's folder.
static bool add_mesh(MbRunInputs *inputs, const char *folder, const char *file) {
  if (!file) return true;
  const size_t size = strlen(folder) + strlen(file) + 2;
  char *path = mb_calloc(size, 1);
  if (path) snprintf(path, size, "%s%s%s", file[0] == '/' ? "" : folder, file[0] == '/' ? "" : "/", file);
  inputs->files[inputs->count] = path;
  inputs->count += path != NULL;
  return path != NULL;
}

MbStatus mb_run_inputs(const MbRun *run, MbRunInputs *inputs, MbReport *report) {
  const MbSceneSpec *spec = &run->scene->spec;
  size_t most = 1 + 2 * spec->ndeformables;
  for (size_t i = 0; i < spec->nbodies; i++) most += spec->bodies[i].nshapes;
  inputs->files = mb_calloc(most, sizeof *inputs->files);
  if (!inputs->files) return mb_no_memory(report, "file names");
  inputs->files[inputs->count++] = run->args->noperands ? run->args->operands[0] : NULL;
  inputs->given = inputs->count;
  bool fine = true;
  for (size_t i = 0; i < spec->nbodies && fine; i++)
    for (size_t k = 0; k < spec->bodies[i].nshapes && fine; k++)
      fine = add_mesh(inputs, run->folder, spec->bodies[i].shapes[k].file);
  for (size_t i = 0; i < spec->ndeformables && fine; i++)
    fine = add_mesh(inputs, run->folder, spec->deformables[i].mesh.file) &&
           add_mesh(inputs, run->folder, spec->deformables[i].start.file);
  return fine ? MB_OK : mb_no_memory(report, "file names");
}

// ---- what it writes -----------------------------------------------------------------------------------------------

// --output, else the file resumed, else the scene's output.file, else the scene's name in this directory.
static MbStatus choose_file(const MbRun *run, char *file, size_t size, MbReport *report) {
  const char *scene = run->args->noperands ? run->args->operands[0] : "", *slash = strrchr(scene, '/');
  const MbValue *given = mb_arg(run->args, "output"), *resume = mb_arg(run->args, "resume");
  int n = 0;
  if (given->given)
    n = snprintf(file, size, "%s", given->text);
  else if (resume->given) {
    n = snprintf(file, size, "%s", resume->text);
    if (n > 0 && (size_t)n < size) mb_output_strip_part(file);
  } else if (run->scene->spec.output.file)
    n = snprintf(file, size, "%s", run->scene->spec.output.file);
  else if (!strcmp(scene, "-"))
    n = snprintf(file, size, "run.mbt");
  else {
    const char *base = slash ? slash + 1 : scene, *dot = strrchr(base, '.');
    n = snprintf(file, size, "%.*s.mbt", (int)(dot && dot > base ? dot - base : (long)strlen(base)), base);
  }
  if (!*file || n < 0 || (size_t)n >= size)
    return mb_error(report, MB_USAGE, "", "no usable name for the output");
  return MB_OK;
}

MbStatus mb_run_name_output(MbRun *run, MbReport *report) {
  const MbStatus status = choose_file(run, run->file, sizeof run->file, report);
  return status ? status : mb_output_plan(&run->output, run->file, report);
}

MbStatus mb_run_allow_output(MbRun *run, bool replace, MbReport *report) {
  MbRunInputs inputs = {0};
  MbStatus status = mb_run_inputs(run, &inputs, report);
  const MbOutputAsk ask = {.replace = replace, .inputs = inputs.files, .ninputs = inputs.count};
  if (!status) status = mb_output_allow(&run->output, &ask, report);
  mb_run_inputs_free(&inputs);
  return status;
}
