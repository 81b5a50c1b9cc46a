// Parts of core/compile, each adding to one model.
#ifndef MB_COMPILE_COMPILE_INTERNAL_H
#define MB_COMPILE_COMPILE_INTERNAL_H

#include "core/model/builder.h"

// Deformables: their meshes, counted; before the tree.
MbStatus mb_compile_deformables(const MbSceneSpec *spec, MbModel *model, MbReport *report);
// What the other parts take from there of every node.
MbStatus mb_compile_node_names(MbModel *model, const char **name, MbReport *report);
void mb_compile_node_bodies(const MbSceneSpec *spec, const MbModel *model, double *M, MbPose *C);
// Coordinates of the nodes' joints and their rates at the start.
void mb_compile_node_starts(const MbSceneSpec *spec, const MbModel *model, const MbJoint *joint,
                            const size_t *q_first, const size_t *v_first, double *q0, double *v0);
MbStatus mb_compile_node_joints(const MbSceneSpec *spec, const MbModel *model, MbJoint *joint, MbPose *P,
                                MbReport *report);
// When joints are there: the bodies that hold nodes by reduction become their parents.
MbStatus mb_compile_node_parents(const MbSceneSpec *spec, MbModel *model, MbReport *report);
// When it is known what hangs on what: a body without mass, with nothing that has mass behind it, moves by what its joint does, if that does anything and the
// step's matrix knows.
MbStatus mb_compile_check_massless(const MbSceneSpec *spec, MbModel *model, MbReport *report);
// Axes of the world by their letters: bits 1, 2, 4 for x, y, z.
MbStatus mb_compile_pinned_axes(const char *given, const char *where, unsigned *held, MbReport *report);
// How many nodes the largest deformable has.
size_t mb_compile_most_nodes(const MbModel *model);
// Which nodes of a deformable are chosen, into `chosen` (count of them).
MbStatus mb_compile_selection(const MbModel *model, const MbSceneSpec *spec, size_t deformable,
                              const MbSelectSpec *select, const char *where, bool *chosen, MbReport *report);
// A node that follows others, and where the scene says so.
typedef struct MbLink {
  MbFollower follower;
  MbEnforce enforce;
  size_t deformable, attachment;
} MbLink;

// Nodes attached to nodes, bodies at the start being at E (nb): those by reduction become the model's followers, all of them
// `links`, of the model.
MbStatus mb_compile_links(const MbSceneSpec *spec, MbModel *model, const MbPose *E, const MbLink **links,
                          size_t *count, MbReport *report);
// The springs along the edges of nets, the elements of meshes, behind the model's last force.
size_t mb_compile_count_mesh_forces(const MbSceneSpec *spec);
MbStatus mb_compile_mesh_forces(const MbSceneSpec *spec, MbModel *model, MbForce *forces, MbReport *report);
// Names, and the order of the tree: after it a body of the scene has its number in the model.
MbStatus mb_compile_tree(const MbSceneSpec *spec, MbModel *model, MbReport *report);
MbStatus mb_compile_bodies(const MbSceneSpec *spec, MbModel *model, MbReport *report);
// Value and first two derivatives of a signal at t = 0. False where its expression does not compile, and `message` says why.
bool mb_compile_signal_start(const MbModel *model, const MbSignal *signal, double rates[3], char *message,
                             size_t size);
// Where a body without a joint is at the start: C in the world, and its twist in C axes.
void mb_compile_start(const MbBodySpec *body, const MbPose *C, MbPose *E, double phi[6]);
// The same, where what the scene leaves open of a body that is driven along a path is as that begins.
void mb_compile_driven_start(const MbBodySpec *body, MbModel *model, const MbPose *C, MbPose *E,
                             double phi[6]);
// v ← velocities of the joint at q with which the body moves in its parent as the scene says; `where` is the joint's pointer.
MbStatus mb_compile_joint_twist(const MbJointTwistSpec *twist, const MbJoint *joint, const double *q,
                                const char *where, double *v, MbReport *report);
// Joints and their place between the bodies; after the bodies.
MbStatus mb_compile_joints(const MbSceneSpec *spec, MbModel *model, MbReport *report);
// Which bodies fly (model/flight.h).
MbStatus mb_compile_flights(MbModel *model, MbReport *report);
MbStatus mb_compile_forces(const MbSceneSpec *spec, MbModel *model, MbReport *report);
// Refuses a force that acts everywhere where there are nodes on which its kind does nothing.
MbStatus mb_compile_everywhere(const MbForceOps *ops, MbSolverKind solver, const char *where,
                               MbReport *report);
// Forces and motors along the joints' coordinates.
MbStatus mb_compile_drives(const MbSceneSpec *spec, MbModel *model, MbReport *report);
// compile_stops.c: joints' soft limits.
MbStatus mb_compile_stops(const MbSceneSpec *spec, MbModel *model, MbReport *report);
// A driven body's rows.
MbStatus mb_compile_body_motion(const MbSceneSpec *spec, size_t listed, MbModel *model,
                                MbConstraint *constraint, MbReport *report);
// γ where the scene does not give it, when joints and constraints are there.
double mb_compile_gamma(const MbSceneSpec *spec, const MbModel *model);
MbStatus mb_compile_constraints(const MbSceneSpec *spec, MbModel *model, MbReport *report);
// Its parts: the rows of a joint's limits and motion; of attachments; what is left to the start, and what does not hold then.
MbStatus mb_compile_joint_rows(MbBuilder *b, size_t listed);
// Friction inside a body's joint; inside that of constraint i, which has just been built.
MbStatus mb_compile_joint_friction(MbBuilder *b, size_t listed);
MbStatus mb_compile_closure_friction(MbBuilder *b, size_t i);
// Refuses dry friction where steps do not take it.
MbStatus mb_compile_check_dry(MbBuilder *b, const char *where);
MbStatus mb_compile_attachments(MbBuilder *b);
MbStatus mb_compile_check_start(MbBuilder *b);
// When bodies and joints stand: what may collide, and by what rules.
MbStatus mb_compile_contacts(const MbSceneSpec *spec, MbModel *model, MbReport *report);
// Its part: the surfaces of deformables that take part.
MbStatus mb_compile_surfaces(const MbSceneSpec *spec, MbModel *model, MbReport *report);
// Its part: what is said of pairs, and who is held at whom.
MbStatus mb_compile_contact_rules(const MbSceneSpec *spec, MbModel *model, MbReport *report);
// Times at which tables of signals have corners, when all signals are there: adaptive steps end there.
MbStatus mb_compile_breaks(MbModel *model, MbReport *report);
// Which signals are inputs, when all are there.
MbStatus mb_compile_inputs(MbModel *model, MbReport *report);
// After all forces: the pairs of bodies that they couple, where their derivatives stand.
MbStatus mb_compile_pairs(size_t nforces, MbModel *model, MbForce *forces, MbReport *report);
// How large the scene's parts are (m), when its constraints are there.
MbStatus mb_compile_size(const MbModel *model, double *size, MbReport *report);
// Of the finished model.
uint64_t mb_compile_fingerprint(const MbModel *model);

// Refuses what has no meaning under integrator "static" (compile_static.c).
MbStatus mb_compile_check_static(const MbSceneSpec *spec, MbModel *model, MbReport *report);

#endif
