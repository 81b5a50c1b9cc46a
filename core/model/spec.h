// What a scene says, in C: filled by io/ from JSON (or by a program), read by core/compile.
//
// Nothing here is checked against anything else: names are not resolved, masses not computed; that is the
// build's work. Where a number may be absent, NaN says so; where a list or text may, NULL. All memory belongs
// to the scene's arena.
#ifndef MB_MODEL_SPEC_H
#define MB_MODEL_SPEC_H

#include "core/base/arena.h"
#include "core/mbsim.h"
#include "core/model/spec_bodies.h"
#include "core/model/spec_contacts.h"
#include "core/model/spec_deformables.h"
#include "core/model/spec_forces.h"
#include "core/model/spec_solver.h"

typedef struct MbOutputSpec {
  const char *file; // NULL = not given
  int64_t every;    // steps a frame; 0 = not given
  double interval;  // seconds a frame; NaN = not given
  size_t nchannels;
  const char **channels;       // (nchannels); NULL = the default ones
  double error[MB_QUANTITIES]; // largest error a number may have in the file; 0 = lossless
  double checkpoint;           // simulated seconds between checkpoints; NaN = not given
} MbOutputSpec;

typedef struct MbParameterSpec {
  const char *name;
  double value;
} MbParameterSpec;

typedef struct MbSceneSpec {
  MbArena arena;
  const char *schema;             // for editors; NULL = not given
  const char *name, *description; // "" when not given
  double gravity[3];
  MbTimeSpec time;
  MbSolverSpec solver;
  MbIntegratorSpec integrator;
  MbOutputSpec output;
  size_t nparameters, nmaterials, nbodies, nforces, nconstraints, ndeformables;
  MbParameterSpec *parameters;   // (nparameters) after overriding
  MbMaterialSpec *materials;     // (nmaterials)
  MbBodySpec *bodies;            // (nbodies)
  MbForceSpec *forces;           // (nforces)
  MbConstraintSpec *constraints; // (nconstraints)
  MbDeformableSpec *deformables; // (ndeformables)
  MbContactsSpec *contact;       // NULL = nothing collides
} MbSceneSpec;

// Whether a body is fixed to the world by its joint.
bool mb_body_stands(const MbBodySpec *body);
// Whether solver `maximal` has the joints' coordinates for its state: as the scene says, else where bodies on joints may touch. What steps part joints by,
// and closing them moves, is of the order h²: over h it would be as much as what tells which of several contacts bears a load.
bool mb_scene_projects(const MbSceneSpec *spec);
// The material of a name; NULL where the name is NULL, or none has it.
const MbMaterialSpec *mb_find_material(const MbSceneSpec *spec, const char *name);
// The colour of a body's shape: its own, its material's, the body's or the body's material's, whichever comes first. NULL = none.
// Without a shape, that of the body.
const double *mb_shape_color(const MbSceneSpec *spec, const MbBodySpec *body, const MbShapeSpec *shape);

// The words of the scene format, in the order of their enum, each list ended by NULL.
extern const char *const mb_quantity_words[MB_QUANTITIES + 1];

#endif
