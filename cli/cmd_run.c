// mbsim run: from the arguments to the simulation and its files, and back to what is told and which exit code it is. The steps between are
// run_loop.c's.
#include "cli/choices.h"
#include "cli/console.h"
#include "cli/run.h"
#include "cli/scene_input.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/threads.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// ---- setting up ---------------------------------------------------------------------------------

static MbStatus check_arguments(const MbArgs *args, MbReport *report) {
  const MbValue *output = mb_arg(args, "output"), *threads = mb_arg(args, "threads");
  const MbValue *view = mb_arg(args, "view");
  if (!args->noperands && !mb_arg_given(args, "resume"))
    return mb_error(report, MB_USAGE, "",
                    "a SCENE is missing, or a trajectory to --resume (see mbsim run --help)");
  if (output->given && !*output->text)
    return mb_error(report, MB_USAGE, "", "--output: the file's name is empty");
  if (output->given && !strcmp(output->text, "-"))
    return mb_error(report, MB_USAGE, "", "a trajectory goes to a file, not to stdout");
  if (view->given && !strcmp(view->text, "-"))
    return mb_error(report, MB_USAGE, "", "--view: the page goes to a file, not to stdout");
  if (view->given && mb_page_available(report)) return MB_IO;
  if (threads->count > MB_MOST_THREADS)
    return mb_error(report, MB_USAGE, "", "--threads: at most %d", MB_MOST_THREADS);
  return MB_OK;
}

// Why the device that is asked for cannot take the model, NULL: it can, or none is asked for: only then does anybody look for one.
static const char *device_lacks(const MbRun *run) {
  bool available = false;
  if (run->device == MB_CPU) return NULL;
  const char *text = mb_engine_text(mb_engine_cuda(), &available);
  return available ? mb_engine_refuses(mb_engine_cuda(), run->model) : text;
}

// `auto` takes the first engine that can take the model, and says once what it did not take.
static void stay_on_cpu(MbRun *run, const char *why) {
  run->engine = mb_engine_cpu();
  mb_log_say(&run->log, "device auto: %s; computed on %s", why, mb_engine_text(run->engine, NULL));
}

static MbStatus choose_engine(MbRun *run, MbReport *report) {
  const MbValue *given = mb_arg(run->args, "device");
  run->device = given->given ? (MbDevice)given->word : run->scene->spec.solver.device;
  const char *why = device_lacks(run);
  run->engine = run->device == MB_CPU ? mb_engine_cpu() : mb_engine_cuda();
  if (why && run->device == MB_AUTO) stay_on_cpu(run, why);
  if (!why || run->device == MB_AUTO) return MB_OK;
  if (given->given && !report->kept) report->file[0] = 0; // not the scene's fault
  return mb_error(report, MB_DEVICE, given->given ? "" : "/solver/device", "device %s: %s",
                  mb_engine_name(run->engine), why);
}

static MbStatus allocate(MbRun *run, MbReport *report) {
  run->checkpoint_room = mb_sim_checkpoint_size(run->sim);
  run->frame = mb_calloc(mb_sim_frame_size(run->sim), sizeof *run->frame);
  run->checkpoint = mb_calloc(run->checkpoint_room, 1);
  return run->frame && run->checkpoint ? MB_OK : mb_no_memory(report, "a frame and a checkpoint");
}

// From the command line's file, else from the trajectory that is resumed; that says where its meshes were.
static MbStatus load_scene(MbRun *run, MbReport *report) {
  if (run->args->noperands) {
    run->scene_name = run->args->operands[0];
    const MbStatus status = mb_scene_folder(run->scene_name, run->folder, report);
    return status ? status : mb_scene_input(run->args, run->scene_name, &run->scene, report);
  }
  const MbTraj *held = mb_resume_scene(run);
  if (!held)
    return mb_error(report, MB_IO, "", "%s holds no scene yet: name the scene too",
                    mb_arg(run->args, "resume")->text);
  run->scene_name = mb_traj_path(held);
  mb_provenance_folder(held, run->folder);
  return mb_scene_embedded(run->args, held, run->folder, &run->scene, report);
}

// The scene and its model. Their warnings are told here; errors are left in the report.
static MbStatus load(MbRun *run, MbReport *report) {
  MbStatus status = load_scene(run, report);
  if (!status) status = mb_model_create(run->scene, &run->model, report);
  if (!status) status = choose_engine(run, report);
  if (run->scene) mb_scene_locate(run->scene, report);
  if (status) return status;
  mb_run_warn(run, report);
  *report = (MbReport){0}; // what comes is not about the scene's text
  run->plan = mb_plan(&run->scene->spec);
  return MB_OK;
}

// What it warns of is about the scene's text, and of use before the run. A device that has too little memory, or fails, is no device for
// `auto`.
static MbStatus create_sim(MbRun *run, MbSimOptions *options, MbReport *report) {
  static const char begins[] = "device cuda: ";
  MbReport said = {0};
  snprintf(said.file, sizeof said.file, "%s", run->scene->name);
  MbStatus status = mb_sim_create(run->model, options, &run->sim, &said);
  if (status == MB_DEVICE && run->device == MB_AUTO && said.kept) {
    const char *why = said.issues[said.kept - 1].text;
    stay_on_cpu(run, !strncmp(why, begins, sizeof begins - 1) ? why + sizeof begins - 1 : why);
    mb_report_clear(&said);
    snprintf(said.file, sizeof said.file, "%s", run->scene->name);
    options->engine = run->engine;
    status = mb_sim_create(run->model, options, &run->sim, &said);
  }
  mb_scene_locate(run->scene, &said);
  if (status)
    *report = said;
  else
    mb_run_warn(run, &said);
  return status;
}

// Nothing may be in the way that --force does not take away; nothing is taken away before all of it is known. A run that goes on from
// another finds its part later.
static MbStatus plan_outputs(MbRun *run, bool resumes, MbReport *report) {
  const bool force = mb_arg_given(run->args, "force");
  MbStatus status = resumes ? MB_OK : mb_run_name_output(run, report);
  if (!status && !resumes) status = mb_run_allow_output(run, force, report);
  if (!status) status = mb_run_open_page(run, report);
  if (resumes) return status;
  for (int k = MB_OUTPUT_PARTS - 1; k >= 0 && !status; k--)
    status = mb_output_take_part(&run->output, k, force, report);
  return status;
}

static MbStatus prepare(MbRun *run, MbReport *report) {
  const bool resumes = mb_arg_given(run->args, "resume"), writes = !run->follower || !run->follower->no_file;
  MbSimOptions options = {.threads = (int)mb_arg(run->args, "threads")->count,
                          .engine = run->engine,
                          .restored = resumes && !run->follower}; // whoever follows is told all anew
  MbStatus status = writes ? plan_outputs(run, resumes, report) : MB_OK;
  if (!status) status = create_sim(run, &options, report);
  if (!status) status = allocate(run, report);
  if (!status && resumes) status = mb_resume_choose(run, report);
  return status;
}

static MbStatus create_file(MbRun *run, MbReport *report) {
  size_t nchannels = 0;
  const MbChannel *channels = mb_sim_channels(run->sim, &nchannels);
  const size_t nbodies = mb_model_bodies(run->model);
  char *scene = mb_scene_resolved(run->scene);
  const char **bodies = mb_calloc(nbodies, sizeof *bodies);
  MbStatus status = scene && bodies ? MB_OK : mb_no_memory(report, "the scene");
  for (size_t i = 0; i < nbodies && !status; i++) bodies[i] = mb_model_body_name(run->model, i);
  MbTrajHead head = {.scene = scene,
                     .channels = channels,
                     .nchannels = nchannels,
                     .frame_size = mb_sim_frame_size(run->sim),
                     .step = run->plan.step,
                     .bodies = bodies,
                     .nbodies = nbodies};
  memcpy(head.bound, run->scene->spec.output.error, sizeof head.bound);
  if (!mb_sim_constraint_bound(run->sim, &head.constraint_bound, &head.constraint_patience))
    head.constraint_bound = head.constraint_patience = 0;
  if (!status) status = mb_traj_create(run->output.part, &head, &run->writer, report);
  if (!status) status = mb_output_created(&run->output, report);
  mb_free(scene);
  mb_free(bodies);
  mb_tally_start(&run->tally, channels, nchannels);
  run->last_frame = run->last_checkpoint = -1;
  return status ? status : mb_provenance_start(run, mb_run_threads(run), mb_engine_name(run->engine), report);
}

// ---- ending -------------------------------------------------------------------------------------

// Frames that a file which was not closed can be read with.
static uint64_t readable_frames(const char *path) {
  MbReport ignored = {0};
  MbTraj *traj = NULL;
  const uint64_t frames = mb_traj_open(path, &traj, &ignored) ? 0 : mb_traj_frames(traj);
  mb_traj_free(traj);
  return frames;
}

// What could not be written further stays where it is, and the message says what can be done with it; without a frame
// it is of no use.
static MbStatus give_up(MbRun *run, MbStatus status, MbReport *report) {
  mb_traj_abandon(run->writer);
  run->writer = NULL;
  if (!run->output.inode) return status;
  if (!readable_frames(run->output.part)) {
    unlink(run->output.part);
    return status;
  }
  return mb_error(report, status, "",
                  "%s is kept; it is readable up to its last complete chunk: `mbsim repair %s` makes a "
                  "whole file of it",
                  run->output.part, run->output.part);
}

// Closes the file and puts it in place; `status` is how the loop ended.
static MbStatus finish(MbRun *run, MbStatus status, int64_t from, MbReport *report) {
  MbReport closing = {0};
  MbTrajCounts counts = {0};
  MbStatus closed = mb_provenance_end(run, status, &closing);
  if (closed) return *report = closing, give_up(run, closed, report);
  closed = mb_traj_close(run->writer, &counts, &closing);
  run->writer = NULL;
  if (closed) return *report = closing, give_up(run, closed, report);
  closed = mb_output_place(&run->output, &closing);
  if (closed) return *report = closing, closed;
  run->placed = true;
  mb_resume_tidy(run, counts.frames);
  mb_run_summarize(run, status, &counts, from);
  if (status == MB_INTERRUPTED)
    mb_log_say(&run->log, "interrupted at t = %.6g s; --resume %s goes on", mb_sim_time(run->sim),
               run->output.file);
  return status;
}

// Steps and measures without a file.
static MbStatus simulate_unwritten(MbRun *run, MbReport *report) {
  mb_run_catch_signals();
  size_t nchannels = 0;
  const MbChannel *channels = mb_sim_channels(run->sim, &nchannels);
  mb_tally_start(&run->tally, channels, nchannels);
  run->last_frame = run->last_checkpoint = -1;
  MbStatus status = run->follower->start ? run->follower->start(run->follower->to, run, report) : MB_OK;
  if (status) return status;
  mb_run_announce(run);
  const int64_t from = mb_sim_steps(run->sim);
  mb_progress_start(&run->progress, &run->log, &run->plan, from, MB_PROGRESS_NEVER);
  status = mb_run_loop(run, report);
  const MbTrajCounts none = {0};
  if (status == MB_OK || status == MB_INTERRUPTED || status == MB_NUMBERS)
    mb_run_summarize(run, status, &none, from);
  return status;
}

// Steps that missed what iterations were to come to fail a run that is asked to be strict.
static MbStatus judge_steps(const MbRun *run, MbReport *report) {
  const int64_t missed = mb_sim_steps_missed(run->sim);
  MbContactCounts contacts;
  double worst;
  if (run->follower || !mb_arg_given(run->args, "strict")) return MB_OK; // `mbsim view` has no such option
  const int64_t unsolved = mb_sim_forces_missed(run->sim, &worst);
  if (unsolved && !mb_sim_contacts(run->sim, &contacts))
    return mb_error(report, MB_NUMBERS, "",
                    "--strict: friction in joints of %lld of %lld steps has not come to the tolerance (the "
                    "worst to %.2g): allow more \"passes\", or a smaller step",
                    (long long)unsolved, (long long)mb_sim_steps(run->sim), worst);
  if (unsolved)
    return mb_error(
        report, MB_NUMBERS, "",
        "--strict: contacts of %lld of %lld steps have not come to the tolerance (the worst to %.2g): allow "
        "more \"iterations\", take another \"method\", or a smaller step",
        (long long)unsolved, (long long)mb_sim_steps(run->sim), worst);
  const int64_t crushed = mb_sim_steps_crushed(run->sim);
  if (crushed)
    return mb_error(
        report, MB_NUMBERS, "",
        "--strict: %lld of %lld steps end with elements of deformables that are crushed or inside out, from "
        "where other methods may "
        "go on to other places: take smaller steps, a finer mesh, or move what presses them less far",
        (long long)crushed, (long long)mb_sim_steps(run->sim));
  if (!missed) return MB_OK;
  return mb_error(
      report, MB_NUMBERS, "",
      "--strict: %lld of %lld steps have not come to the accuracy that was wanted of the deformables: allow "
      "more \"iterations\", or take a smaller step",
      (long long)missed, (long long)mb_sim_steps(run->sim));
}

static MbStatus simulate(MbRun *run, MbReport *report) {
  if (run->follower && run->follower->no_file) return simulate_unwritten(run, report);
  mb_run_catch_signals();
  MbStatus status = create_file(run, report);
  if (!status) status = mb_run_write_meshes(run, report);
  if (!status) status = mb_run_write_drawing(run, report);
  const MbRunFollower *follower = run->follower;
  if (!status && follower && follower->start) status = follower->start(follower->to, run, report);
  if (!status && run->old) status = mb_resume_replay(run, report);
  if (!status && run->old && follower && follower->resumed)
    status = follower->resumed(follower->to, run, report);
  if (!status) status = mb_dump_contact_ready(&run->dump, run->sim, run->plan.steps, report);
  if (status) { // nothing that is not elsewhere
    mb_traj_abandon(run->writer);
    run->writer = NULL;
    if (run->output.inode) unlink(run->output.part);
    return status;
  }
  mb_run_announce(run);
  const int64_t from = mb_sim_steps(run->sim);
  const MbValue *progress = mb_arg(run->args, "progress");
  mb_progress_start(&run->progress, &run->log, &run->plan, from, progress->given ? progress->word : 0);
  status = mb_run_loop(run, report);
  if (!status) status = judge_steps(run, report);
  mb_log_wipe(&run->log);
  if (status == MB_OK || status == MB_INTERRUPTED || status == MB_NUMBERS)
    return finish(run, status, from, report);
  return give_up(run, status, report);
}

// An earlier attempt was killed after it had put the file in place, or the command was given twice.
static MbStatus nothing_to_do(MbRun *run, MbReport *report) {
  const MbStatus status = mb_dump_contact_ready(&run->dump, run->sim, mb_sim_steps(run->sim), report);
  if (status) return status;
  run->placed = true;
  for (int i = 0; i < run->sources.count; i++)
    if (run->sources.at[i].target) mb_resume_tidy(run, mb_traj_frames_there(run->sources.at[i].traj));
  mb_log_say(&run->log, "%s holds all of this run already: nothing to do", run->file);
  cJSON *event = mb_log_event("summary");
  cJSON_AddNumberToObject(event, "status", MB_OK);
  cJSON_AddStringToObject(event, "reason", "nothing to do");
  cJSON_AddStringToObject(event, "file", run->file);
  mb_log_write(&run->log, event);
  return MB_OK;
}

static void run_free(MbRun *run) {
  mb_resume_free(&run->sources);
  mb_free(run->frame);
  mb_free(run->checkpoint);
  mb_sim_free(run->sim);
  mb_model_free(run->model);
  mb_scene_free(run->scene);
  mb_output_free(&run->output);
}

MbStatus mb_run_scene_file(const MbArgs *args, const MbRunFollower *follower, MbReport *report) {
  const MbValue *log = mb_arg(args, "log");
  MbRun run = {.args = args, .follower = follower, .start = mb_clock()};
  run.log = (MbLog){.json = log->given && log->word == 1, .quiet = mb_arg_given(args, "quiet")};
  MbStatus status = check_arguments(args, report);
  if (!status && !follower && mb_arg_given(args, "dump-contact"))
    status = mb_dump_contact_parse(mb_arg(args, "dump-contact")->text, &run.dump, report);
  if (!status && mb_arg_given(args, "resume")) status = mb_run_name_output(&run, report);
  if (!status && mb_arg_given(args, "resume")) status = mb_resume_open(&run, report);
  if (!status) status = load(&run, report);
  if (!status) status = prepare(&run, report);
  if (!status) status = run.done ? nothing_to_do(&run, report) : simulate(&run, report);
  if (!status) status = mb_dump_contact_told(&run.dump, report);
  if (follower && follower->end && run.sim) follower->end(follower->to, &run);
  mb_log_report(&run.log, report);
  status = mb_run_end_page(&run, status);
  run_free(&run);
  return status;
}

static MbStatus run(const MbArgs *args) {
  MbReport report = {0};
  return mb_run_scene_file(args, NULL, &report);
}

static const MbOption options[] = {
    MB_OUTPUT_OPTION("trajectory to write",
                     "the scene's output.file, else the scene's name with .mbt in this directory"),
    {.name = "force",
     .letter = 'f',
     .help = "replace an existing output and page; discard the part of a killed run"},
    MB_SCENE_OPTIONS,
    {.name = "threads",
     .letter = 't',
     .type = MB_OPTION_COUNT,
     .argument = "N",
     .help = "threads; the result does not depend on them",
     .fallback = "what the scene says, else 1"},
    {.name = "device",
     .type = MB_OPTION_WORD,
     .argument = "WORD",
     .words = mb_device_words,
     .help = "where to compute",
     .fallback = "what the scene says, else cpu"},
    {.name = "resume",
     .letter = 'r',
     .type = MB_OPTION_FILE,
     .argument = "FILE",
     .help = "go on from the last checkpoint of a trajectory (or of a killed run's .part); its scene need "
             "not be named"},
    {.name = "strict",
     .help = "exit 4, with the whole file written, if any step has not come to the accuracy that its solver "
             "was to iterate to, or has left elements of deformables crushed or inside out"},
    {.name = "dump-contact",
     .type = MB_OPTION_TEXT,
     .argument = "STEP:FILE",
     .help = "write the problem that the contacts of that step make (the first is 1), as `mbsim bench "
             "contact` reads it: JSON, or where FILE ends in .hdf5 or .h5 HDF5 of FCLIB"},
    {.name = "view",
     .type = MB_OPTION_FILE,
     .argument = "FILE",
     .help = "write a page (HTML) to watch the run in when it ends, be it by failing numbers or Ctrl-C"},
    MB_TALK_OPTIONS,
};

const MbCommand mb_command_run = {
    .name = "run",
    .operands = "[SCENE]",
    .least = 0,
    .most = 1,
    .summary = "simulate a scene and write its trajectory",
    .details =
        "Simulates SCENE (- reads it from stdin) and writes a trajectory. An existing file is refused (exit "
        "5) unless "
        "--force is given. While it runs, the file is called FILE.part; a killed run leaves that behind.\n\n"
        "Ctrl-C (SIGINT, SIGTERM, SIGHUP) ends the run after the step: the file is closed with everything up "
        "to there "
        "and a checkpoint, and the exit status is 130; a second signal, half a second later or more, kills "
        "at once. When the numbers fail "
        "(exit 4) "
        "the file holds everything before.\n\n"
        "Every run ends with a checkpoint, so --resume with a longer --duration goes on. The trajectory "
        "holds its "
        "scene; a SCENE that is named must be that one, but for its duration, output.file, "
        "output.checkpoint, "
        "solver.threads, name and description. Without --output the "
        "resumed file is replaced when the run ends (and a killed run's .part removed); with --output it "
        "stays. A resumed run that is killed is resumed by the same command line, as often as it takes: it "
        "goes on from "
        "what came furthest, and one that finds everything done exits 0.\n\n"
        "The same scene gives the same frames, meshes, events and checkpoints, bit for bit, on any number of "
        "threads "
        "and whether or not the run was interrupted and resumed, and so the same answer of mbsim hash. Their "
        "records "
        "in the file are the same bytes too, except that 32 frames which take longer than 10 s to come are "
        "divided by "
        "the clock. Whole files differ: they tell when, where and by what command they were made.\n\n"
        "All messages go to stderr, nothing to stdout.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
