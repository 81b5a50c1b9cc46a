// mbsim: simulation of multibody systems and deformables, as a library.
//
//   MbReport report = {0};
//   MbScene *scene = NULL; MbModel *model = NULL; MbSim *sim = NULL;
//   if (mb_scene_load("scene.json", NULL, &scene, &report) == MB_OK &&
//       mb_model_create(scene, &model, &report) == MB_OK &&
//       mb_sim_create(model, NULL, &sim, &report) == MB_OK)
//     while (mb_sim_time(sim) < 5.0 && mb_sim_step(sim, &report) == MB_OK) { ... mb_sim_sample(sim, frame, &report); }
//
// Functions return a status; what went wrong in detail is added to the caller's report. Nothing here prints,
// exits or aborts. A model is constant and may serve many simulations in many threads; a simulation belongs
// to one thread at a time. SI units, radians, right-handed axes, quaternions w x y z.
#ifndef MBSIM_H
#define MBSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- status and reports -----------------------------------------------------------------------------------

// What a call came to. The numbers are the program's exit codes.
typedef enum MbStatus {
  MB_OK = 0,
  MB_DIFFERS = 1,       // two trajectories differ, or a check of one failed
  MB_USAGE = 2,         // the caller asked for something that makes no sense
  MB_SCENE = 3,         // the scene is invalid
  MB_NUMBERS = 4,       // the numbers failed: NaN, growth beyond all bounds, no convergence
  MB_IO = 5,            // input or output: file missing, unreadable, corrupt, disk full
  MB_DEVICE = 6,        // the device asked for is not available
  MB_INTERRUPTED = 130, // stopped by a signal
} MbStatus;

// One thing that is wrong with the input, or that the user should know.
typedef struct MbIssue {
  bool warning;
  int line, column; // in the source text, from 1; 0 = not known
  char where[256];  // JSON pointer ("/bodies/3/mass"), or empty
  char text[640];   // what was found and what was wanted
} MbIssue;

enum { MB_REPORT_MAX = 20 }; // errors kept, and as many warnings; more are counted

// Everything a call has to say. Zero it before use; calls add to it and never clear it.
typedef struct MbReport {
  MbStatus status;      // of the first error
  int errors, warnings; // how many there were, kept or not
  int kept;             // issues in the list
  char file[256];       // what line and column refer to
  MbIssue issues[2 * MB_REPORT_MAX];
} MbReport;

const char *mb_version(void);                // "0.1.0"
const char *mb_status_text(MbStatus status); // "the scene is invalid"

// ---- scenes -----------------------------------------------------------------------------------------------

typedef struct MbScene MbScene; // a parsed and checked scene file; see scenes/README.md for the format

// What a caller changes in a scene before it is checked. All members may be zero.
typedef struct MbSceneOptions {
  const char *const *params; // nparams texts "name=value": override "parameters"
  size_t nparams;
  const char *const *sets; // nsets texts "/json/pointer=json": replace or add a value
  size_t nsets;
} MbSceneOptions;

MbStatus mb_scene_load(const char *path, const MbSceneOptions *options, MbScene **scene, MbReport *report);
// `directory` is where relative mesh files are looked for; `name` stands in messages. Neither may be NULL.
MbStatus mb_scene_parse(const char *text, size_t length, const char *name, const char *directory,
                        const MbSceneOptions *options, MbScene **scene, MbReport *report);
void mb_scene_free(MbScene *scene);

// ---- models -----------------------------------------------------------------------------------------------

typedef struct MbModel MbModel; // what the steps read: constant after creation

MbStatus mb_model_create(const MbScene *scene, MbModel **model, MbReport *report);
void mb_model_free(MbModel *model);

size_t mb_model_bodies(const MbModel *model);
size_t mb_model_nodes(const MbModel *model); // of deformables
size_t mb_model_dofs(const MbModel *model);
const char *mb_model_body_name(const MbModel *model, size_t body);
int64_t mb_model_steps(const MbModel *model); // that the scene asks for
double mb_model_step_size(const MbModel *model);

// Inputs: the signals of the scene (forces, motors, muscles, prescribed motions, cables), each called by where it stands there:
// "/forces/0/activation", "/bodies/1/joint/motor/target", "/forces/0/force/2" (z). MB_USAGE: there is none of that name.
size_t mb_model_inputs(const MbModel *model);
const char *mb_model_input_name(const MbModel *model, size_t input);
MbStatus mb_model_input(const MbModel *model, const char *name, size_t *input, MbReport *report);

// Coordinates and velocities of the bodies, in the scene's order. A body with a joint has the joint's coordinates and their rates, as
// channels joint.position and joint.velocity; one free in space the position (x y z) and rotation (w x y z) of its frame, and its
// angular and linear velocity, all in the world. Returns how many numbers a body has, *first ← the place of the first; body
// number mb_model_bodies has none, and its first is the number of all.
size_t mb_model_coordinates(const MbModel *model, size_t body, size_t *first);
size_t mb_model_velocities(const MbModel *model, size_t body, size_t *first);

// ---- engines: what computes the steps ---------------------------------------------------------------------

typedef struct MbEngine MbEngine;

const MbEngine *mb_engine_cpu(void);  // there always
const MbEngine *mb_engine_cuda(void); // it may be one that cannot be had

const char *mb_engine_name(const MbEngine *engine); // "cpu": the word of a scene's "device"
// One phrase: what it is, or, where it cannot be had (*available is false), why. `available` may be NULL.
const char *mb_engine_text(const MbEngine *engine, bool *available);
// Why it cannot take a model, in one phrase; NULL: it can.
const char *mb_engine_refuses(const MbEngine *engine, const MbModel *model);
// How many bytes of a device's memory a run of a model takes that is not refused; 0: it has none of its own.
MbStatus mb_engine_memory(const MbEngine *engine, const MbModel *model, size_t *bytes, MbReport *report);

// ---- channels: what a frame holds -------------------------------------------------------------------------

// What a number measures: decides its error bound in a compressed trajectory.
typedef enum MbQuantity {
  MB_POSE,
  MB_VELOCITY,
  MB_ACCELERATION,
  MB_FORCE,
  MB_ENERGY,
  MB_OTHER,
  MB_QUANTITIES
} MbQuantity;

// One number of the entries of a list.
typedef struct MbField {
  const char *name, *unit;
  MbQuantity quantity;
  const char *const *words; // (nwords) what the number n stands for is words[n]; NULL: it stands for itself
  size_t nwords;
} MbField;

// What there is so many of in a frame, as contacts or limits that hold: entries of `width` numbers. The first `keys` of them are
// whole numbers that tell which thing it is; entries increase by these (by the first; where it is the same by the second, and so on).
typedef struct MbList {
  size_t keys, width;
  const MbField *fields; // (width)
} MbList;

typedef struct MbChannel {
  const char *name; // "body.position"
  const char *unit; // "m", "" where there is none
  MbQuantity quantity;
  bool rotation;                      // unit quaternions w x y z: q and -q are the same
  bool unstable;                      // depends on the clock: left out of hashes and comparisons
  size_t items;                       // bodies, joints, nodes, ...; 1 where there is only one
  size_t width;                       // numbers an item
  size_t offset;                      // of the first number in a frame
  const char *const *items_names;     // (items), or NULL where the items have no names
  const char *const *component_names; // (width)
  const size_t *vectors;              // (nvectors) places in it of rotation vectors, three numbers each
  size_t nvectors;
  const MbList *
      list; // its number in a frame is how many entries its list has then (items and width are 1); NULL: no list
} MbChannel;

// ---- simulations ------------------------------------------------------------------------------------------

typedef struct MbSim MbSim; // state and scratch of one run

typedef struct MbSimOptions {
  int threads;            // 0 = what the scene says (1 if it says nothing)
  const MbEngine *engine; // whatever device the scene asks for; NULL: the processor's
  bool restored; // a checkpoint is restored before the first step: how the scene begins is not told of
} MbSimOptions;

// MB_DEVICE: the engine cannot be had or cannot take the model; or none is given, and the scene asks for another than the processor's.
MbStatus mb_sim_create(const MbModel *model, const MbSimOptions *options, MbSim **sim, MbReport *report);
void mb_sim_free(MbSim *sim);
size_t mb_sim_memory(const MbSim *sim); // bytes that it and its model hold

// One step of the scene's length. On failure the state is as it was before the step.
MbStatus mb_sim_step(MbSim *sim, MbReport *report);
double mb_sim_time(const MbSim *sim);
int64_t mb_sim_steps(const MbSim *sim); // done so far

// The largest error of position of the hard constraints now (m or rad); NaN where there are none.
double mb_sim_constraint_error(const MbSim *sim);
// How large it may be (the larger of what lengths and angles may be), and for how long (s) one that closes may be larger: it has
// halved by then, else the run ends. False where no bound holds.
bool mb_sim_constraint_bound(const MbSim *sim, double *most, double *patience);

// How far from their steps' solutions the nodes of the projective solver were at most, by the size of the largest deformable
// and by estimate; NaN without such nodes.
double mb_sim_solution_left(const MbSim *sim);
// Whether a warning has told that they were far from them.
bool mb_sim_solution_told(const MbSim *sim);
// How many steps of the projective solver have not come to the accuracy that was wanted in the iterations they may take.
int64_t mb_sim_steps_missed(const MbSim *sim);
// How many steps have ended with elements that are crushed or inside out, from where there is more than one way on.
int64_t mb_sim_steps_crushed(const MbSim *sim);

// What contacts have been since the simulation was created.
typedef struct MbContactCounts {
  size_t shapes,
      pairs; // shapes that may collide; pairs of them that may, if there are no more than some thousands of shapes, else 0
  size_t nodes;    // of deformables, that may touch these shapes
  size_t most;     // contacts at once
  double residual; // the largest natural map that a step's solution has left, by what was to be stopped
  int64_t missed;  // steps whose solution has not come to the scene's tolerance
  double deepest;  // one shape in another at a step's end, by the smaller one's size
  double parted;   // J: what moves that part what is deep have added to the energy
} MbContactCounts;
// False where nothing can collide.
bool mb_sim_contacts(const MbSim *sim, MbContactCounts *counts);
// How many steps' forces of contact and of dry friction have not come to what was asked of them; *worst: the most that one has left.
int64_t mb_sim_forces_missed(const MbSim *sim, double *worst);
// Tells how many pairs of deformables may touch one another, with those of one with itself; the names of the first `most` are written.
size_t mb_sim_contact_deformables(const MbSim *sim, const char *(*names)[2], size_t most);

// What in a scene changes its energy: nothing, so that what changes is the scheme's error; what takes from it (dampers, friction, contact, ropes and
// limits that catch); or what may add to it (motors, prescribed motions, forces over time, muscles, soft constraints, whose energy nobody counts).
typedef enum MbEnergyCause { MB_ENERGY_KEPT, MB_ENERGY_DAMPED, MB_ENERGY_DRIVEN } MbEnergyCause;
MbEnergyCause mb_sim_energy_cause(const MbSim *sim);

// Whether the energy has left a tenth of what there was of it to move with, though nothing drives (or, of loss, damps) the scene:
// steps warn of it once.
bool mb_sim_energy_left(const MbSim *sim);

// An impulse (N s, world axes) at a point of a body (body frame): the velocities jump by M⁻¹ of it, and of what the
// constraints answer at once: those that are hard hold for the velocities after it, limits and ropes where they are taut. In
// mode "first_order" velocities are no state, and the next step knows nothing of it. Numbers that are not finite are MB_USAGE, and velocities that would not be
// MB_NUMBERS. On failure nothing changes.
MbStatus mb_sim_impulse(MbSim *sim, size_t body, const double at[3], const double impulse[3]);

// Reads and sets coordinates and velocities in that order; either may be NULL: not wanted, or to stay. What is set moves bodies at
// once, as if the run began there; nodes of deformables stay in what carries them. A joint may later tell other coordinates of
// the same pose. MB_USAGE: a number is not finite, a quaternion not of length 1, a hard constraint open by more than a run
// allows, or velocities are no state (mode "first_order"); nothing has changed then. Smaller gaps, and velocities that constraints do
// not allow, are dealt with by the next steps as at the start of a run.
void mb_sim_get(const MbSim *sim, double *q, double *v);
MbStatus mb_sim_set(MbSim *sim, const double *q, const double *v, MbReport *report);

// The same of the nodes of a deformable, by its name: places and velocities (nodes x 3, world axes), in the order in which channels tell
// them. Along axes that pins hold, and of nodes that bodies carry, what is given is not looked at: pins and bodies say where these are.
// mb_model_nodes_of() tells how many nodes there are, 0: there is no such deformable, which the others answer with MB_USAGE.
size_t mb_model_nodes_of(const MbModel *model, const char *deformable);
MbStatus mb_sim_get_nodes(const MbSim *sim, const char *deformable, double *x, double *v, MbReport *report);
MbStatus mb_sim_set_nodes(MbSim *sim, const char *deformable, const double *x, const double *v,
                          MbReport *report);

// Gives an input a value, which holds for all steps to come, instead of what the scene says, until another is given. MB_USAGE: it
// is not finite. A motion's "position" that jumps is followed as far as the scene's stabilization closes gaps; its rates count as 0.
MbStatus mb_sim_set_input(MbSim *sim, size_t input, double value, MbReport *report);
double mb_sim_input(const MbSim *sim, size_t input); // its value now, whoever gave it

// The channels of the scene's "output", and their numbers now. A frame is `mb_sim_frame_size` doubles.
const MbChannel *mb_sim_channels(const MbSim *sim, size_t *count);
size_t mb_sim_frame_size(const MbSim *sim);
// MB_NUMBERS: what accelerates cannot be told there; only channels of accelerations and reactions of joints can come to that.
MbStatus mb_sim_sample(MbSim *sim, double *frame, MbReport *report);
// MB_NUMBERS where a number of a frame that was sampled now is not finite, naming the first one.
MbStatus mb_sim_check_frame(const MbSim *sim, const double *frame, MbReport *report);

// One of them by its name (NULL: not among them), and its items x width numbers now.
const MbChannel *mb_sim_channel(const MbSim *sim, const char *name);
MbStatus mb_sim_read(MbSim *sim, const MbChannel *channel, double *out, MbReport *report);
// The entries of a channel's list (count x its width) when it was last sampled or read, until it is again; NULL and 0 where it has no list.
const double *mb_sim_list(const MbSim *sim, const MbChannel *channel, size_t *count);

// Everything that a bitwise resume needs, as bytes; how many they are now may be another number after the next call. Restoring refuses,
// and changes nothing, where they are another model's, of another version of mbsim, or cut off.
size_t mb_sim_checkpoint_size(const MbSim *sim);
void mb_sim_checkpoint(const MbSim *sim, void *bytes);
MbStatus mb_sim_restore(MbSim *sim, const void *bytes, size_t size, MbReport *report);

// ---- trajectories: the files that `mbsim run` writes ---------------------------------------------------------

typedef struct MbTraj MbTraj;

// A file cut off or with damaged records opens with what is whole, if its head is; the report then holds warnings that name what is
// missing, and mb_traj_whole() is false. MB_IO when it is no trajectory or its head is damaged.
MbStatus mb_traj_open(const char *path, MbTraj **traj, MbReport *report);
void mb_traj_free(MbTraj *traj);
bool mb_traj_whole(const MbTraj *traj);             // complete, and nothing found damaged so far
const char *mb_traj_scene_json(const MbTraj *traj); // the scene as it was run
const MbChannel *mb_traj_channels(const MbTraj *traj, size_t *count);
size_t mb_traj_frame_size(const MbTraj *traj);
uint64_t mb_traj_frames(const MbTraj *traj); // the last one's number + 1
// Frame whose time is nearest to t, or the frame count when there are no frames.
uint64_t mb_traj_frame_at(MbTraj *traj, double t);
// Decodes frames [first, first + count) into times (count) and frames (count x frame_size); either may be NULL. `wanted` (one for
// each channel) selects channels to decode, NULL = all; the others' numbers are left as they were.
MbStatus mb_traj_read(MbTraj *traj, uint64_t first, uint64_t count, const bool *wanted, double *times,
                      double *frames, MbReport *report);
// The entries of a channel's list in one frame (*count x its width), until that channel's list is asked for again.
MbStatus mb_traj_list(MbTraj *traj, uint64_t frame, const MbChannel *channel, const double **entries,
                      size_t *count, MbReport *report);

#ifdef __cplusplus
}
#endif
#endif
