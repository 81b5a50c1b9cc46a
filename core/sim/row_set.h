// The rows that there are in a step: those of the scene's constraints, and others that come and go from step to step, as sources list them
// (row_set.c). A row's terms stay while it is there; its numbers are those of an instant.
#ifndef MB_SIM_ROW_SET_H
#define MB_SIM_ROW_SET_H

#include "core/model/ops.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct MbSim MbSim;

// A contact is three rows: its normal, then two tangents. Dry friction is a row that pushes either way, up to MbRow.most.
typedef enum MbRowKind {
  MB_ROW_BOTH_WAYS,
  MB_ROW_ONE_WAY,
  MB_ROW_DRY,
  MB_ROW_CONTACT,
  MB_ROW_FRICTION
} MbRowKind;

// What is known of a row as long as it is there.
typedef struct MbRowTerms {
  MbRowKind kind;
  size_t normal;      // contact: the row of its normal
  double mu, bounce;  // contact: coefficients of friction and of restitution
  double alpha, beta; // compliance and damping (AR 0.11); α > 0: it is soft
  double outward;     // of γ: it goes on beyond its bound
  bool target;        // it is met where its target is at the step's end
  bool anew;          // it is made anew in every pass of a step, and asked of its end
  bool turns;         // it knows itself what it turns by in a step
  bool two_bodies;    // it is about no more than two bodies
  // Its rate is known in a step's passes alone: it is made anew there, or about nodes that are points and no bodies
  bool nodes;
  const char *name;     // for messages
  const char *singular; // what it means that its g is not a number; NULL: it always is one
  // It stays the same from step to step: of a constraint's row it is its number, of others what their source says.
  uint64_t key;
  size_t claimed; // its number among the rows that the solver claims; MB_WORLD = it is not
} MbRowTerms;

// A body, or a node (mb_row_node), that a row is about, beside the two that the row names.
typedef struct MbRowEnd {
  size_t body;
  double H[6];
} MbRowEnd;

typedef struct MbRowSet MbRowSet;

// What brings rows that come and go.
typedef struct MbRowSource {
  const char *name;
  void *context;
  // Finds what there is rows of in the step to come, and tells whether they are those listed last, of which there are so many, with the same terms. False: out of
  // memory. NULL: nobody knows.
  bool (*renew)(void *context, const MbSim *sim, size_t rows, bool *same);
  // Lists the rows that there are in the step to come by mb_row_set_add. False: out of memory.
  bool (*list)(void *context, const MbSim *sim, MbRowSet *set);
  // Writes the numbers of its rows [first, first + n) at an instant. Fields are zero before, bodies MB_WORLD. Of rows that are made anew
  // in every pass at->nodes is where the pass begins, and g the gap that there would be at the state if it changed as it does there.
  void (*eval)(void *context, const MbInstant *at, MbRowSet *set, size_t first, size_t n);
} MbRowSource;

enum { MB_ROW_SOURCES = 4 };

struct MbRowSet {
  size_t n, fixed; // rows; the constraints' among them, which come first
  size_t nb;       // bodies
  MbRow *row;      // (n)
  MbRowTerms *is;  // (n)
  size_t *first;   // (n + 1) where each row's velocities begin
  size_t *index;   // of the velocities
  double *G;       // the rows' numbers for them
  double
      *beside; // those of contacts whose rows are carried at once, side by side with a zero, from 2 first on
  size_t *end; // (n + 1) where each row's further bodies begin
  MbRowEnd *ends;                  //
  size_t room, entries, most_ends; // of rows, of index and G, of ends
  bool *mark;                      // (width) false between uses
  uint32_t *node;                  // (nnodes) nodes that are points and that some row is about, ascending
  size_t nnodes, most_nodes;
  size_t nsources;
  MbRowSource source[MB_ROW_SOURCES];
  size_t from[MB_ROW_SOURCES + 1]; // where each one's rows begin
  bool anew;                       // some rows are made anew in every pass
  bool listed;                     // sources have listed their rows, and none has failed since
  bool blank;                      // nothing has been written of the sources' rows since they were listed
  double *three;                   // (4 x width) where three rows are carried at once: zero between uses
  uint64_t version;                // another one whenever rows are listed, or their numbers written
};

// Makes n rows such that nothing is written of.
static inline void mb_rows_clear(MbRow *row, size_t n) {
  if (n) memset(row, 0, n * sizeof *row); // there may be no rows at all
  for (size_t s = 0; s < n; s++) row[s].body[0] = row[s].body[1] = MB_WORLD;
}

// Lists the constraints' rows. False: out of memory.
bool mb_row_set_create(MbSim *sim, MbRowSet *set);
void mb_row_set_free(MbRowSet *set);
size_t mb_row_set_bytes(const MbSim *sim, const MbRowSet *set);

// Lists the rows of the step to come anew. False: out of memory.
bool mb_row_set_list(MbSim *sim, MbRowSet *set);
// Tells the solver which nodes they are about. False: out of memory.
bool mb_row_set_name(MbSim *sim, MbRowSet *set);
// Adds a row about these bodies (MB_WORLD: none), of which the first two are those that the row names. Any node of a deformable may be
// among them, by mb_row_node. NULL: out of memory.
MbRowTerms *mb_row_set_add(const MbSim *sim, MbRowSet *set, const size_t *body, size_t nbodies,
                           const MbRowTerms *terms);
// Adds a row about the same bodies as the last one.
MbRowTerms *mb_row_set_add_beside(MbRowSet *set, const MbRowTerms *terms);

// Tells by what number rows name node `node` of a deformable: that of a body where it is one, else a number behind all bodies'. In both its
// H are three zeros and a direction in the world's axes.
size_t mb_row_node(const MbModel *model, size_t deformable, size_t node);
// Tells where what a row names is: a body's centre, or a node.
const double *mb_row_place(const MbInstant *at, size_t body);
// Tells how many velocities rows of the set may be about.
size_t mb_row_width(const MbSim *sim, const MbRowSet *set);

// Finds G = H J + c of rows [first, first + n), at the last kinematics; `y` (width) is zero before and after.
void mb_row_set_gather(const MbSim *sim, MbRowSet *set, size_t first, size_t n, double *y);
// Tells G v of one row.
static inline double mb_row_rate(const MbRowSet *set, size_t s, const double *v) {
  const size_t end = set->first[s + 1], *const index = set->index;
  const double *const G = set->G;
  double sum = 0;
  size_t k = set->first[s];
  for (; k + 2 <= end; k += 2) sum += G[k] * v[index[k]], sum += G[k + 1] * v[index[k + 1]];
  return k < end ? sum + G[k] * v[index[k]] : sum;
}
// Tells G v of one row; the sum of its terms' sizes is added to *size.
static inline double mb_row_rate_sized(const MbRowSet *set, size_t s, const double *v, double *size) {
  const size_t end = set->first[s + 1], *const index = set->index;
  const double *const G = set->G;
  double sum = 0, sizes = *size;
  size_t k = set->first[s];
  for (; k + 2 <= end; k += 2) {
    const double one = G[k] * v[index[k]], two = G[k + 1] * v[index[k + 1]];
    sum += one, sizes += fabs(one);
    sum += two, sizes += fabs(two);
  }
  if (k < end) {
    const double last = G[k] * v[index[k]];
    sum += last, sizes += fabs(last);
  }
  *size = sizes;
  return sum;
}
// Tells whether numbers of the contact whose first row is s are side by side.
static inline bool mb_row_is_beside(const MbRowSet *set, size_t s) {
  return set->three && set->is[s].kind == MB_ROW_CONTACT && set->is[s].two_bodies;
}
// Tells G v of a contact's three rows, the first of which is s, at two velocities, to the same bits as one by one.
void mb_row_rate_three(const MbRowSet *set, size_t s, const double *const v[2], double rate[2][3]);
// The same with the sums of their terms' sizes.
void mb_row_rate_three_sized(const MbRowSet *set, size_t s, const double *const v[2], double rate[2][3],
                             double size[2][3]);
// Adds Gᵀ λ of a contact's three rows to y.
void mb_row_spread_three(const MbRowSet *set, size_t s, const double lambda[3], double *y);
// Tells whether a row moves nothing, as one between two bodies that a joint holds to one another: `gives` is G A⁻¹ Gᵀ of it, and
// next to what bodies that are free would give no more than rounding.
bool mb_row_idle(const MbSim *sim, const MbRowSet *set, size_t s, double gives);
// Adds Gᵀ λ of one row to y.
static inline void mb_row_spread(const MbRowSet *set, size_t s, double lambda, double *restrict y) {
  const size_t end = set->first[s + 1], *const index = set->index;
  const double *const G = set->G;
  for (size_t k = set->first[s]; k < end; k++) y[index[k]] += lambda * G[k];
}
// Adds Hᵀ λ of one row, what acts on bodies, in their C axes, to f (nb x 6); on nodes that are none it is left out.
void mb_row_push(const MbRowSet *set, size_t s, double lambda, double *f);
// Tells H a of one row, with a (nb x 6) in C axes and nothing of nodes that are no bodies.
double mb_row_along(const MbRowSet *set, size_t s, const double *a);

#endif
