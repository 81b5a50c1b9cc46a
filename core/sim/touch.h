// Where bodies touch in a step: the solids of the model as collision sees them, their contacts at the state, and what of the last
// step's contacts the state remembers (touch.c).
#ifndef MB_SIM_TOUCH_H
#define MB_SIM_TOUCH_H

#include "core/collision/broad.h"
#include "core/collision/collide.h"
#include "core/contact/contact_ops.h"
#include "core/sim/ask.h"
#include "core/sim/row_set.h"
#include "core/sim/sim_internal.h"
#include "core/sim/solid_shapes.h"
#include "core/sim/touch_apart.h"
#include "core/sim/touch_axes.h"
#include "core/sim/touch_carried.h"
#include "core/sim/touch_faces.h"
#include "core/sim/touch_impacts.h"
#include "core/sim/touch_kept.h"
#include "core/sim/touch_sight.h"

enum { MB_TOUCH_ENDS = 4 };

// One contact. What pushes acts on b along the normal and its tangents (mb_touch_axes), and on a the other way, at the point. Three lines of
// the processor's memory: in a pile contacts are most of the numbers.
typedef struct MbTouch {
  uint32_t a, b, feature_a,
      feature_b;    // solids, or behind them deformables' surfaces; contacts are in order of these
  double lambda[3]; // impulses of the step; before it the last step's
  double point[3];  // in the world
  double gap, size; // below 0: depth; the smaller solid's
  double bounce, mu;
  double normal[3]; // in the world, from a to b
  uint32_t ends;    // where its list has them
  bool rebounds,
      narrow; // in the step that is being solved: restitution is what it asks for, or next to nothing decides whether it is
} MbTouch;
_Static_assert(sizeof(MbTouch) == 2 * 64, "they are two lines");

// Whom a contact's rows are about: bodies, and nodes as rows name them.
typedef struct MbTouchEnds {
  size_t n;
  size_t end[MB_TOUCH_ENDS];    // MB_WORLD: nothing moves it
  double weight[MB_TOUCH_ENDS]; // of each in the rows: those of a sum to -1, those of b to 1
} MbTouchEnds;

// What has pushed in a step that is done.
typedef struct MbPushed {
  uint32_t a, b, feature_a, feature_b;
  double lambda[3], point[3], normal[3];
  double gap, size; // when the step began
  double mu;
  double rate[3];        // of b against a along the axes, when the step is done
  bool rebounds, narrow; // restitution was what it asked for; next to nothing decided that
  bool lessened;         // it was, and was made less of in this step (touch_rebound.c)
} MbPushed;

// The surface of a deformable in a run.
typedef struct MbTouchSurface {
  const MbDeformableSurface *of;
  size_t *end;   // (nnodes) what rows call its nodes
  bool *carried; // (nnodes) by a body: it takes no part
  bool *fixed;   // (nnodes) nothing that contacts do moves it
  double size;   // half of what is between neighbours
  MbFaces *faces;
  MbBounds bounds; // at the last look: where it may be within the step
  double pace;     // how far solids may go in it that come near
  double fastest;  // speed of its nodes at the last look
} MbTouchSurface;

// Lists of them.
typedef struct MbTouches {
  MbTouch *touch; // (n) room for `room`
  size_t n, room;
  MbTouchEnds *
      ends; // (nends) those of two solids, which all of their contacts have; those of each contact of a deformable
  size_t nends, ends_room;
} MbTouches;

// Tells a contact's ends, which is one of that list.
static inline const MbTouchEnds *mb_touch_ends(const MbTouches *list, const MbTouch *touch) {
  return &list->ends[touch->ends];
}

typedef struct MbPushes {
  MbPushed *touch; // (n) room for `room`
  size_t n, room;
} MbPushes;

// Triangles of a surface that are near a solid, and the points at which a batch of them meets it. Its memory stays from look to look.
typedef struct MbTouchFacets {
  uint32_t *near; // (n)
  size_t n, near_room;
  int *count;            // (a batch) points of each
  MbContactPoint *point; // (a batch x MB_CONTACT_POINTS)
  size_t count_room, point_room;
  // Of the contacts that are found, by feature (those of edges behind those of triangles): 1 + the last one's number there, 0 where there is
  // none; and of each the same of the one before it. All are 0 between looks.
  uint32_t *last, *before;
  size_t last_room, before_room;
} MbTouchFacets;

// Who wants to see the problems that steps solve.
typedef struct MbTouchWatch {
  void (*see)(void *context, const MbContactProblem *problem);
  void *context;
} MbTouchWatch;

// What a step has decided of its contacts, which a step of another simulation beside it decides alike (touch_branch.c).
typedef struct MbTouchBranch {
  const MbPushes *pushed; // in it; NULL: a step decides for itself
  int moves;              // how many times what was deep has been parted behind it
} MbTouchBranch;

// How what was deep was parted behind a step: from where, by what move, by the impulses of which contacts (their first), and by which rows of constraints. Nodes that are points go each by its contacts, by
// the ways that stand in the place of impulses.
typedef struct MbTouchMove {
  bool nodes;     // it moves these, and no bodies: q has their places (3 n), and there is no dq
  double *q, *dq; // (nq), (nv)
  size_t q_room, dq_room;
  MbPushes pushed;
  size_t *
      row; // (nrows) slots of constraints' rows that have taken part, of those that are about two bodies at most, or about coordinates
  double *nu; // (nrows) what these have pushed with
  size_t nrows, row_room, nu_room;
  bool plain; // no other rows have pushed
} MbTouchMove;

// How velocities have got back behind moves what these took of momentum (touch_kept.c): what they were before it, and the island that each body is of, MB_KEPT_NONE where it got none.
typedef struct MbTouchKeptNote {
  bool any;
  double *v;        // (n) of bodies, and of nodes that are points behind them where these have been parted
  size_t n;         //
  uint32_t *island; // (nb + ndeformables) by the number of a body or deformable in it
  size_t v_room, island_room;
} MbTouchKeptNote;

// The moves of a step, what velocities got back behind them, what did not push in it and was about to, and the bodies that spin anew (mb_touch_swing_anew).
enum { MB_TOUCH_MOVES = 2 };
typedef struct MbTouchMoves {
  MbTouchMove move[MB_TOUCH_MOVES];
  int n;
  bool bodies; // there was one of bodies, which is lost where one of nodes is noted behind it
  MbTouchKeptNote kept;
  MbPushes near;
  size_t *thrown; // (nthrown)
  size_t nthrown, thrown_room;
  bool settles;     // contacts on what turns have asked by the velocities that are solved for
  double unsettled; // by how much of these they would ask otherwise behind them
  bool no_memory;
} MbTouchMoves;

struct MbTouching {
  MbTouchWatch watch;
  MbTouchMoves *noted; // where the moves of steps are noted; NULL: nobody wants to know
  const MbModel *model;
  MbApart *apart;           // NULL: never asked for (touch_apart.h)
  struct MbTouchPile *pile; // with it (touch_pile.h)
  const MbContacts *rules;
  MbSolidShapes solids;
  bool *driven;     // (nsolids) nothing that contacts do moves it
  MbPose *E;        // (nsolids) at the last look
  MbPlaced *placed; // (nsolids) the same as collision has it
  MbBounds *bounds;
  double *way; // (nsolids) that it may go in a step
  MbBroad broad;
  size_t nsurfaces;
  MbTouchSurface *surface; // (nsurfaces)
  bool points;             // nodes of some are points and no bodies
  MbTouchSight sight;
  MbTouchBranch branch;
  MbTouchCarried carried;
  MbTouchKept kept;
  int moves;      // how many times what was deep has been parted behind this step
  double deepest; // by size: what it was parted from
  MbTouchFacets facets;
  MbTouches found; // contacts of a pair as they are found
  uint32_t *turn;  // room for the order of these, of `last`, or of impacts
  size_t turn_room;
  MbTouches now;       // those that the rows are of
  MbTouches next;      // at the last look
  bool fresh;          // which was at the state
  MbPushes done, last; // what pushes in this step; what did in the last one, which is a part of the state
  double work;         // of all contacts since the start, when this step is done
  bool *thrown;        // (nb) bodies that contacts of this step have thrown back
  bool throws;         // whether any is
  MbImpacts impacts;
};

// Whether the scene asks for a few sweeps, a fixed cost a step, and takes what they come to.
static inline bool mb_touch_few(const MbContacts *rules) {
  return rules->method == MB_CONTACT_BY_GAUSS_SEIDEL && rules->iterations < MB_CONTACT_ITERATIONS;
}

// The same, or a few steps of Newton's method, which may come to another end than what the contacts ask for.
static inline bool mb_touch_takes_few(const MbContacts *rules) {
  return mb_touch_few(rules) ||
         (rules->method == MB_CONTACT_BY_NEWTON && rules->iterations < MB_CONTACT_ITERATIONS);
}

// H ← a unit force along d at the point p of a body at E, times `sign`, in the axes of its centre of mass.
void mb_touch_push_at(double H[6], const MbPose *E, const double p[3], const double d[3], double sign);
// As a source of rows.
bool mb_touch_renew(void *context, const MbSim *sim, size_t rows, bool *same);
bool mb_touch_list(void *context, const MbSim *sim, MbRowSet *set);
void mb_touch_eval(void *context, const MbInstant *at, MbRowSet *set, size_t first, size_t n);

// Makes the model's solids. Does nothing where there is no contact. MB_SCENE: a pair of shapes that may collide is not offered.
MbStatus mb_touching_create(MbSim *sim, MbReport *report);
void mb_touching_free(MbSim *sim);
size_t mb_touching_bytes(const MbSim *sim);

// Looks for pairs of bodies, by their numbers in the scene, that are deeper in one another than a run may begin with: at most `most` of
// them are written, some more than once. How many there are.
size_t mb_touch_deep(MbSim *sim, size_t (*bodies)[2], size_t most);

// From now on shows the problem of contacts that a step solves; see NULL: no more. False: nothing can collide.
bool mb_touch_watch(MbSim *sim, MbTouchWatch watch);
// Finds what touches, or may within a step, where the bodies of sim->x are; `points`: and nodes that are points. What has `pushed` before
// is where the solution starts. False: out of memory.
bool mb_touch_look(MbSim *sim, const MbPushes *pushed, bool points);
// Its part: what of deformables touches solids, behind those.
bool mb_touch_look_surfaces(MbSim *sim, bool points);
// Whether a deformable's triangles may touch a solid beside its nodes: not a plane, and nothing round that bends little beside a triangle.
bool mb_touch_facets_meet(const MbSim *sim, size_t surface, uint32_t solid);
// The contacts of a deformable's triangles and edges with a solid, behind those of its nodes (touch_facets.c); what is near was `seen` elsewhere,
// NULL: it is to be found.
bool mb_touch_look_facets(MbSim *sim, const MbNearPair *pair, const MbTouchSeen *seen);
// The contacts of two deformables, or of one with itself (touch_folds.c).
bool mb_touch_look_folds(MbSim *sim, size_t k, size_t l, double fall);
// Whether these may touch at all.
bool mb_touch_may_fold(const MbSim *sim, size_t k, size_t l);
// Begins to gather contacts; has one more, NULL: out of memory; adds them to those of the look by their features, of equal ones the first.
void mb_touch_gather(MbTouching *touching);
MbTouch *mb_touch_gathered(MbTouching *touching);
bool mb_touch_add_gathered(MbTouching *touching);
// Gives a contact ends of its own in the list, none yet. NULL: out of memory.
MbTouchEnds *mb_touch_begin_ends(MbTouches *list, MbTouch *touch);
// Adds a node of a deformable, or the body of a solid, to a contact's ends, unless its weight is 0 or nothing moves it. The ends are closed when
// all are there: a row names two at least.
void mb_touch_end_solid(const MbSim *sim, MbTouchEnds *ends, uint32_t solid);
void mb_touch_close(MbTouchEnds *ends);
void mb_touch_end(const MbSim *sim, MbTouchEnds *ends, const MbTouchSurface *surface, uint32_t node,
                  double weight);
// The friction of a deformable with a solid, or with a deformable, which are behind the solids.
double mb_touch_friction(const MbSim *sim, size_t surface, uint32_t other);
// What the scene says of two bodies; NULL: nothing. A deformable's number is behind those of the model's bodies.
const MbBodyRule *mb_touch_rule(const MbContacts *rules, size_t a, size_t b);
// Whether the scene says that two bodies do not collide.
bool mb_touch_excludes(const MbTouching *touching, size_t a, size_t b);
// Makes the surfaces of deformables.
MbStatus mb_touch_make_surfaces(MbSim *sim, MbReport *report);
// The name of a solid's body, or of a deformable.
const char *mb_touch_name(const MbSim *sim, size_t which);
// Whether two solids may collide.
bool mb_touch_may(const MbTouching *touching, const MbModel *model, size_t a, size_t b);

// Which of those of a pair that have pushed, [first, end), is this contact: that with its features, else the nearest; NULL: none is near.
const MbPushed *mb_touch_same(const MbPushed *first, const MbPushed *end, const MbTouch *touch);
// The same of all that has pushed.
const MbPushed *mb_touch_pushed(const MbPushes *pushed, const MbTouch *touch);
// How near two solids have to come to be listed, by the ways that they go at the last look.
double mb_touch_within(const MbTouching *touching, uint32_t a, uint32_t b);
// The gap by which is decided what a contact asks for: its own, or that of the run beside which the step is.
double mb_touch_judged(const MbTouching *touching, const MbTouch *touch);
// Who decides whether a contact rebounds: its numbers, or the run beside which the step is.
MbAskBlow mb_touch_blow(const MbTouching *touching, const MbTouch *touch);
// Whether what is deep when a step is done, `depth` by size, is parted once more, for the turn-th time of `most`.
bool mb_touch_parts(const MbTouching *touching, int turn, int most, double depth);
// Whether the scene wants contacts solved so far that steps have derivatives: what is deep is parted as exactly then.
bool mb_touch_exact(const MbContacts *rules);

// Moves what is deeper in one another than rounding apart, by positions alone: q1, and the bodies of sim->x with it.
MbStatus mb_touch_part(MbSim *sim, double t, MbReport *report);
// The same of nodes that are points, at the end of the step. Both, and mb_touch_commit, are for scenes in which something collides.
MbStatus mb_touch_part_points(MbSim *sim, double t, MbReport *report);
// Notes the impulses of a solution, its rates with velocities v, and the work that they have done.
void mb_touch_take(MbSim *sim, const double *v);
// The contact of a row that has been solved for; NULL: it is another row.
const MbTouch *mb_touch_of_row(const MbSim *sim, size_t row);
// Notes that nothing has been parted in this step, where somebody wants to know.
void mb_touch_begin_moves(MbSim *sim);
// Notes how what is deep has been parted from where bodies are, by dq (nv), where somebody wants to know.
void mb_touch_note_move(MbSim *sim, const double *q, const double *dq);
// Notes where nodes that are points are, x (3 n), before what is deep is parted, and a contact of theirs that has been by `way`, where somebody wants to know.
void mb_touch_note_places(MbSim *sim, const double *x);
void mb_touch_note_parted(MbSim *sim, const MbTouch *touch, double way);
// Notes velocities behind the moves of a step, before these get anything back, where somebody wants to know: of bodies, and of nodes that are points (NULL: these have not been moved); and, where they have got something, returns room for which island each body and deformable is of (nb + ndeformables; NULL: nobody does).
void mb_touch_note_unkept(MbSim *sim, const double *nodes);
uint32_t *mb_touch_note_kept(MbSim *sim);
// Notes a contact that has not pushed, with its rates before and after, where somebody wants to know and it was about to.
void mb_touch_note_near(MbSim *sim, const MbTouch *touch, const double before[3], const double after[3]);
// Copies what has pushed; false: out of memory.
bool mb_touch_copy_pushes(MbPushes *to, const MbPushes *from);
// Begins to note what pushes in this step.
void mb_touch_begin_notes(MbSim *sim);
// Notes one contact that pushes: its impulses, its rates along the axes behind them, and of the rates before them the normal's and λ times them.
void mb_touch_note(MbSim *sim, const MbTouch *touch, const double lambda[3], const double after[3],
                   double before, double given);
// What a step turns bodies by has the swing of the spin before the step, since rows are asked of both together. A body that a contact throws back
// spins otherwise behind it: where nothing else holds it, v (nv) gets the swing of that spin over h, or the flight would not keep its energy.
void mb_touch_swing_anew(MbSim *sim, double h, double *v);
// The step is done: what it found is the state's.
void mb_touch_commit(MbSim *sim);
// The contacts that the state remembers, as numbers of a checkpoint.
size_t mb_touch_numbers(const MbSim *sim);
void mb_touch_write(const MbSim *sim, unsigned char *out);
bool mb_touch_fits(const MbSim *sim, const unsigned char *p, size_t count);
void mb_touch_read(MbSim *sim, const unsigned char *p, size_t count);
// Velocities or coordinates have changed otherwise than by a step.
void mb_touch_forget(MbSim *sim);

#endif
