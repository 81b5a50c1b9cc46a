// W = G A⁻¹ Gᵀ of the rows that take part in a solution, at the last factor of A (delassus.c): the one place where it is made.
#ifndef MB_SIM_DELASSUS_H
#define MB_SIM_DELASSUS_H

#include "core/contact/contact_ops.h"
#include "core/sim/row_set.h"

#include <string.h>

enum { MB_ROW_TREES = 8 }; // that a row may be about

// Rows parted among the trees that they are about (delassus_trees.c).
typedef struct MbTrees {
  size_t count; // trees; of no memory for them none
  uint32_t *of; // (nv) the tree of each velocity; NULL: not asked for yet
  // rows by trees
  uint32_t *rows; // (count) how many each has
  size_t *begin;  // (count + 1) where those of each begin in `list`
  uint32_t *list; // the rows taken, rising in each tree
  size_t *block;  // (count + 1) where its block begins in B
  double *B;      // (rows x rows) of each
  size_t most;    // rows of one tree
  // trees by rows
  size_t *seat;           // (n + 1) where those of each begin in `tree` and `place`
  uint32_t *tree, *place; // a tree, and where the row is among its rows
  // W put together
  size_t *first; // (n + 1)
  uint32_t *index;
  double *value;
  size_t tree_room, seat_room, seats, list_room, B_room, first_room, value_room;
} MbTrees;

// Points that rows are about, sums of listed nodes (delassus_branches.c).
typedef struct MbDelassusJoints {
  size_t njoints, last; // the last row about the last one
  bool summed;          // they have branches
  bool tabled;          // and a table of S
  MbPointSum *joint;
  MbBranch *branch; // of each
  double *self;     // (njoints) s · s of each
  double *table;    // (njoints x njoints) room for S of few
  MbStretch *run;
  double *number;
  size_t *first; // (n + 1) where the joints of each row begin
  uint32_t *point;
  double *H; // three of each
  size_t joint_room, branch_room, self_room, table_room, run_room, number_room, first_room, point_room,
      H_room;
} MbDelassusJoints;

// What the parts of W that stay are of: of those rows with these numbers, and of that inverse.
typedef struct MbDelassusKept {
  bool is;     // there are such parts
  bool bodies; // some rows are about bodies
  const MbRowSet *set;
  uint64_t numbers, inverse; // versions
  uint64_t version;          // of what is kept
  size_t n, *row, room;      // rows of the set
} MbDelassusKept;

enum { MB_DELASSUS_FEW = 2 }; // rows whose columns are made one by one

typedef struct MbDelassus {
  double *W;   // (n x n) where the solver tells all of it at once
  size_t room; // of W
  size_t rows; // that the solver has made room for
  double *y;   // (width) zero between uses
  // A⁻¹ Gᵀ of rows so few that W is made column by column, for solvers without passes
  double *column; // (MB_DELASSUS_FEW x width)
  bool made[MB_DELASSUS_FEW];
  bool unsolved; // A⁻¹ could not be applied to some column
  bool no_memory;
  // W = F Fᵀ by bodies that nothing couples
  double *inverse; // (36 nb) A⁻¹ of each, then its factor
  double *factor;  // (12 n)
  uint32_t *group; // (2 n)
  size_t factor_room, group_room;
  MbTrees trees; // W of rows about trees
  // W of rows about nodes that the solver couples (delassus_points.c)
  MbContactPoints points;
  MbDelassusKept kept;
  size_t *first, *pair; // of ends; (2 n) bodies of each row, MB_WORLD: none
  uint32_t *point;
  double *H, *V, *NV, *scratch;
  MbDelassusJoints joints;
  size_t first_room, pair_room, point_room, H_room, V_room, NV_room, scratch_room;
  // at the last use
  MbSim *sim;
  const MbRowSet *set;
  const size_t *row;    // (n)
  const MbRow **picked; // (rows)
  size_t npicked, n;
} MbDelassus;

// Makes room for as many rows. False: out of memory.
bool mb_delassus_reserve(MbSim *sim, MbDelassus *delassus, size_t n);
void mb_delassus_free(MbDelassus *delassus);
size_t mb_delassus_bytes(const MbSim *sim, const MbDelassus *delassus);

// Tells W of n rows of the set: at once where the solver can and they are many enough, else column by column, when asked for.
MbContactOperator mb_delassus_of(MbSim *sim, MbDelassus *delassus, const MbRowSet *set, const size_t *row,
                                 size_t n);

// Forgets the columns of the last rows, when others are to be solved for, or these by another factor.
static inline void mb_delassus_forget(MbDelassus *delassus) {
  memset(delassus->made, 0, sizeof delassus->made);
}
// Adds A⁻¹ Gᵀ λ of n rows to v (width) by the columns that have been made since; false where one that it needs has not been, and v is as it was.
bool mb_delassus_move(const MbDelassus *delassus, size_t n, const double *lambda, size_t width, double *v);

// Finds W of rows about nodes in a pass, and about bodies that nothing couples, without forming it. What of it stays from pass to pass is made once.
// False where they are others, or memory has run out (no_memory).
bool mb_delassus_points(MbSim *sim, MbDelassus *delassus, const MbRowSet *set, const size_t *row, size_t n);
// Tells whether the solver has branches for nodes.
bool mb_delassus_has_branches(MbSim *sim);
void mb_delassus_points_free(MbDelassus *delassus);
size_t mb_delassus_points_bytes(const MbDelassus *delassus);
// The same of W for who solves in the processor's place: its points alone, without what is needed to multiply by it. NULL: nobody does, or no_memory.
const struct MbContactElsewhere *mb_delassus_elsewhere(MbSim *sim, MbDelassus *delassus, const MbRowSet *set,
                                                       const size_t *row, size_t n);
// Makes of the ends of the rows, listed nodes that have branches, points that rows have in common (joints); then their branches. False: out of memory.
bool mb_delassus_join(MbDelassus *delassus);
bool mb_delassus_sum(MbDelassus *delassus, const MbBranch *branch);
void mb_delassus_joints_free(MbDelassusJoints *joints);
size_t mb_delassus_joints_bytes(const MbDelassusJoints *joints);

// Tells whether all that moves a body is six velocities of its own.
bool mb_delassus_is_apart(const MbModel *model, size_t body);
// Finds the factor C of every such body, A⁻¹ = C Cᵀ, in delassus->inverse, by applications of A⁻¹. False: it is not definite.
bool mb_delassus_inverses(MbSim *sim, MbDelassus *delassus);
// Finds F of one row, G C of each of its two bodies (MB_WORLD: none).
void mb_delassus_row_factor(const MbSim *sim, MbDelassus *delassus, size_t i, size_t s, const size_t body[2]);
// Makes room for the factors of n rows, and for those of bodies.
bool mb_delassus_reserve_factors(MbSim *sim, MbDelassus *delassus, size_t n);

// Does the same by factors, W = F Fᵀ, if all these rows are about bodies that are free in space and that nothing couples: then A is a block
// a body, and W need not be formed. False where they are not.
bool mb_delassus_by_bodies(MbSim *sim, MbDelassus *delassus, const MbRowSet *set, const size_t *row, size_t n,
                           MbContactOperator *W);

// Does the same by branches, if these rows, more than few, are about nodes that forces couple with nothing else, and about bodies as above.
bool mb_delassus_by_nodes(MbSim *sim, MbDelassus *delassus, const MbRowSet *set, const size_t *row, size_t n,
                          MbContactOperator *W);

// Does the same sparsely, if these rows are about two trees or more: W has what trees have alone, and what rows about several of them tie
// together. False where all are about one, or they are so few that the solver sooner tells all of W at once, or the solver has passes, or memory has
// run out (no_memory).
bool mb_delassus_by_trees(MbSim *sim, MbDelassus *delassus, const MbRowSet *set, const size_t *row, size_t n,
                          MbContactOperator *W);
// Parts n rows among trees and makes room for their W, which it does first: a step that does it again for these does not allocate. False as it
// returns false.
bool mb_trees_part(MbSim *sim, MbDelassus *delassus, const MbRowSet *set, const size_t *row, size_t n);
void mb_trees_free(MbTrees *trees);
size_t mb_trees_bytes(const MbSim *sim, const MbTrees *trees);

#endif
