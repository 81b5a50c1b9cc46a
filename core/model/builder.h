// What a kind of force or constraint builds itself with, in the functions `build` and `settle` of its table row (ops.h): the
// scene, the model as far as it stands, and ways to find bodies, to add signals and constraints, and to say what is wrong.
#ifndef MB_MODEL_BUILDER_H
#define MB_MODEL_BUILDER_H

#include "core/base/report.h"
#include "core/model/ops.h"

enum { MB_BUILDER_WHERE = 192, MB_BUILDER_NAME = 400 };

// A constraint that stands, and where the scene says so.
typedef struct MbBuiltConstraint {
  MbConstraint constraint;
  char where[MB_BUILDER_WHERE / 2];
} MbBuiltConstraint;

struct MbBuilder {
  const MbSceneSpec *spec;
  MbModel *model;
  char where[MB_BUILDER_WHERE / 2]; // JSON pointer of what is being built, "/forces/3"
  size_t number;                    // of it in the scene's list
  char at[MB_BUILDER_WHERE];        // of the last mb_builder_at
  MbReport *report;
  // A joint's own geometry from what the scene says (core/compile).
  MbStatus (*geometry)(const MbJointSpec *spec, const char *where, MbArena *arena, MbJoint *joint,
                       MbReport *report);
  // Of constraints, on the heap until all of them stand.
  MbBuiltConstraint *list; // (model->nconstraints)
  double *guess;           // (model->nguess) coordinates of joints that close loops, at the start
  MbReduction *reductions; // (model->nreductions)
  size_t list_room, guess_room, reduction_room;
};

// The JSON pointer of a key of what is being built, for messages. It holds until the next call.
const char *mb_builder_at(MbBuilder *b, const char *key);
// Adds a signal that the scene gives under that key; NULL: no input stands for it. *index is its number.
MbStatus mb_builder_signal(MbBuilder *b, const MbSignalSpec *spec, const char *key, size_t *index);
// The points of a force, from those that the scene gives under that key.
MbStatus mb_builder_points(MbBuilder *b, const MbForceSpec *from, const char *key, MbForce *force);

// Adds a constraint to those that are being built, with room for its parameters (ops->parameters bytes, zero): *made. It stays
// where it is until the next one is added. Its name is not given yet.
MbStatus mb_builder_add(MbBuilder *b, const MbConstraintOps *ops, MbConstraint **made);
// The constraint's own parameters, to be filled.
static inline void *mb_builder_own(const MbConstraint *constraint) { return (void *)constraint->parameters; }
extern const double mb_builder_z[2][3]; // z at both ends
// Names it by the scene's name, or by its kind and number; with k behind it where it is one of `of` several.
MbStatus mb_builder_name(MbBuilder *b, MbConstraint *constraint, const char *given, size_t k, size_t of);
// Names it by any other text.
MbStatus mb_builder_call(MbBuilder *b, MbConstraint *constraint, const char *text);
// Its two ends from "between": their bodies, points, and axes in C with z along `axis` of each.
MbStatus mb_builder_ends(MbBuilder *b, const MbConstraintSpec *from, const double axis[2][3],
                         MbConstraint *constraint);
// A constraint between the two points of "between", with the axes above: made, named, its ends and compliance set. Its own
// parameters are the kind's to fill.
MbStatus mb_builder_between(MbBuilder *b, const MbConstraintSpec *from, const MbConstraintOps *ops,
                            const double axis[2][3], MbConstraint **made);
// What asks for rates between two bodies that are named under these keys; the axes at the ends are the kind's to set.
MbStatus mb_builder_rates(MbBuilder *b, const MbConstraintSpec *from, const MbConstraintOps *ops,
                          const char *const bodies[2], const char *const keys[2], MbConstraint **made);
// Refuses `what` of coordinates that change to their equivalent now and then, at the key.
MbStatus mb_builder_refuse_rotation_vector(MbBuilder *b, const char *where, const char *what);
// Room for the coordinates of a joint that is looked for; *first is the first one's number.
MbStatus mb_builder_guess(MbBuilder *b, size_t n, size_t *first);
MbStatus mb_builder_reduction(MbBuilder *b, MbReduction **made);
void mb_builder_free(MbBuilder *b);

// ---- without a builder ------------------------------------------------------------------------------------

// Adds a signal to the model's; `where` is its JSON pointer, or NULL. *index is its number.
MbStatus mb_model_add_signal(MbModel *model, const MbSignalSpec *spec, const char *where, size_t *index,
                             MbReport *report);
// The number of the body that `text` names; MB_WORLD for the world.
MbStatus mb_model_find_body(const MbModel *model, const char *text, const char *where, size_t *body,
                            MbReport *report);
// The body that a node is, where a point of a force or of a constraint is one.
MbStatus mb_model_find_node(const MbModel *model, const MbPointSpec *point, const char *where, size_t *body,
                            MbReport *report);
// E = E_p P Q B of every body at the start, when joints and coordinates are there.
void mb_model_poses(const MbModel *model, MbPose *E);
// Whether coordinate i of the joint is one of those: no number stands for a pose of theirs.
bool mb_joint_is_rotation_vector(const MbJoint *joint, size_t i);
// The rotation that takes z to a unit vector by the shortest way.
void mb_turn_z_to(double q[4], const double axis[3]);
// Point and axes of one end whose body is known: the frame as its body has it, z turned to `axis`.
void mb_model_place(const MbModel *model, const MbFrameSpec *frame, const double axis[3], int end,
                    MbConstraint *constraint);
// One number for all n degrees of freedom, or one each; none leaves `out` as it is. `where` is the joint's pointer.
MbStatus mb_model_by_dof(const MbNumbersSpec *numbers, size_t n, const char *where, const char *key,
                         double *out, MbReport *report);

#endif
