// What the methods share: the problem with its W put together block by block, and what is exact for one block.
#ifndef MB_CONTACT_CONTACT_PARTS_H
#define MB_CONTACT_CONTACT_PARTS_H

#include "core/contact/contact_ops.h"

enum {
  MB_CONTACT_ALL_ROWS = 1u << MB_CONTACT_BOTH_WAYS | 1u << MB_CONTACT_ONE_WAY | 1u << MB_CONTACT_BOUNDED |
                        1u << MB_CONTACT_NORMAL | 1u << MB_CONTACT_TANGENT,
  MB_CONTACT_ALL_CONES = 1u << MB_CONE_NONE | 1u << MB_CONE_BOX | 1u << MB_CONE_PYRAMID | 1u << MB_CONE_EXACT
};

// Sections whose size is known, `most`, and whose normal is left out: the tangents alone are to be found (staggered.c).
enum { MB_CONE_KNOWN_BOX = MB_CONE_EXACT + 1, MB_CONE_KNOWN_PYRAMID, MB_CONE_KNOWN_DISC };

// Of what is enough: λ that is as good as this at the start of a solution is left as it is, where others are bettered.
#define MB_SETTLED 1e-5

// ---- memory -----------------------------------------------------------------------------------------------

// Hands out a block of memory piece by piece. Without a block it only counts, so that one function both measures and lays out.
typedef struct MbRoom {
  char *at; // NULL: counts
  size_t used;
} MbRoom;

void *mb_room_take(MbRoom *room, size_t count, size_t size);
// Makes the work's block as large as that at least; what was in it is worth nothing. False when memory ran out.
bool mb_contact_room(MbContactWork *work, size_t bytes);

// ---- blocks -----------------------------------------------------------------------------------------------

// One contact, or one row that is no contact's.
typedef struct MbBlock {
  uint32_t row;  // its first
  uint8_t rows;  // 3 or 1
  uint8_t kind;  // MbContactRowKind of its first row
  uint8_t cone;  // MbCone
  bool left_out; // moves nothing: λ = 0
  int sides;
  double mu, most;
  double D[9];  // its block of W + diag(soft); of one row D[0]
  double I[9];  // the inverse
  double scale; // the mean of D's diagonal: velocities a unit of λ makes
} MbBlock;

// W + diag(soft), a strip of rows a block: column k of a strip is `rows` numbers. Or W = F Fᵀ, unformed: `F` is there and `value` not; or
// unformed of rows about points, where there are more than MB_SMALL of them: `points` is there.
typedef struct MbStrips {
  size_t n, nblocks;
  MbBlock *block; // (nblocks)
  size_t *first;  // (nblocks + 1) columns of each strip
  size_t *at;     // (nblocks + 1) its numbers
  uint32_t *column;
  double *value;
  // unformed: 12 numbers a row, six in each of its block's two slots
  bool unformed;
  const double *F;
  uint32_t (*slot)[2]; // (nblocks); nslots stands for none
  size_t nslots;
  const uint32_t *origin; // (nslots) of a part: which slots of the whole these are; NULL: of itself
  uint32_t *local;        // (nslots) of a whole: scratch, where slots are in the part that is being made
  double *y;              // (6 (nslots + 1)) Fᵀ λ as relaxation keeps it
  double *soft;           // (n)
  // or of rows about points, and what λ does to them
  const MbContactPoints *points;
  MbPointsState *state;
  double part; // of the way to its own solution that a contact about points goes in a sweep; 0: all of it

  const double *b; // (n)
  double size;     // |b|
  double enough;   // what the natural map, not over |b|, is to come to
  double rho;      // of the problem
  bool betters;    // of the problem
  double *whole;   // (3 n) scratch: whole columns
} MbStrips;

// Whether W = F Fᵀ is to be formed where the problem has it so.
typedef enum MbForming { MB_UNFORMED, MB_FORMED_IF_SMALL, MB_FORMED } MbForming;
enum { MB_SMALL = 600 }; // rows of what is solved densely
// The same of Newton's method where W is formed and hardly sparse: a product with it then costs so much that few of GMRES cost more than a factor.
enum { MB_NEWTON_DENSE = 2000 };

void mb_strips_lay(MbStrips *strips, MbRoom *room, size_t columns, size_t values);
// Lays the strips out and, where there is a block of memory, fills them.
void mb_strips_make(MbStrips *strips, MbRoom *room, const MbContactProblem *problem, MbForming forming);
// Blocks alone, without D and I, and what is enough: for who has W another way.
void mb_strips_blocks(MbStrips *strips, MbRoom *room, const MbContactProblem *problem);
// Whether Newton's method may have to factor such rows, as far as is known before there are numbers; and whether it does.
static inline bool mb_strips_may_factor(const MbStrips *s) {
  return s->n <= MB_SMALL || (s->n <= MB_NEWTON_DENSE && !s->unformed && !s->points);
}
static inline bool mb_strips_factored(const MbStrips *s) {
  return s->n <= MB_SMALL || (mb_strips_may_factor(s) && 2 * s->at[s->nblocks] >= s->n * s->n);
}
// `part` ← the strips of some blocks (count) that no others have to do with; rows[i] is where row i of `whole` is there.
void mb_strips_part(MbStrips *part, MbRoom *room, const MbStrips *whole, const uint32_t *blocks, size_t count,
                    const uint32_t *rows);
// Begins relaxation at λ.
void mb_strips_begin(const MbStrips *strips, const double *lambda);
// Solves one block exactly, the others being as they are since mb_strips_begin(). Returns what its velocities change by.
double mb_strip_relax(const MbStrips *strips, size_t block, double *lambda);
// Solves all blocks one after the other. Returns the sum of the squares of what their velocities change by.
double mb_strips_sweep(const MbStrips *strips, double *lambda);
// w ← W λ + b; where W is unformed relaxation goes on from this λ, too.
void mb_strips_rates(const MbStrips *strips, const double *lambda, double *w);
// The natural map, not over |b|, of (λ, w).
double mb_strips_natural(const MbStrips *strips, const double *lambda, const double *w);
// The same, or INFINITY where it is more than `most` by more than rounding: then not all blocks are looked at.
double mb_strips_natural_up_to(const MbStrips *strips, const double *lambda, const double *w, double most);
// Whether something pushes, and nothing slips by more than `slow` of what it would without impulses, or than is enough: what slips is at the edge of
// its cone.
bool mb_strips_stick(const MbStrips *strips, const double *lambda, const double *w, double slow);
// λ ← the problem's start, each block put where it may be; zeros without a start.
void mb_strips_start(const MbStrips *strips, const MbContactProblem *problem, double *lambda);

// ---- one block --------------------------------------------------------------------------------------------

// λ ← the nearest point of the cone |λ_t| ≤ μ λ_n
void mb_cone_project(double mu, double lambda[3]);
// The same of a contact's own cone, whose section is as it says.
void mb_block_project(const MbBlock *block, double lambda[3]);
// What of a velocity along the normal tangents' velocities w stand for: the most that friction of λ_n = 1 takes of them. With û = w + that along
// the normal the law of the contact is K* ∋ û ⊥ λ ∈ K (De Saxcé), whatever its section.
double mb_block_lift(const MbBlock *block, const double w[2]);
// (1/ρ)(λ − P(λ − ρ û)) of one block in `out`.
void mb_block_natural(const MbBlock *block, double rho, const double *lambda, const double *u, double *out);
// Whether tangents' impulses x are within the section of the block's cone where that is `most` wide.
bool mb_block_holds(const MbBlock *block, double most, const double x[2]);
// λ ← where it may be, near where it is.
void mb_block_clamp(const MbBlock *block, double *lambda);
// The exact solution of one block whose velocities are D λ + q; λ holds a first guess.
void mb_block_solve(const MbBlock *block, const double q[3], double *lambda);

// Writes what a method tells in the end: where λ and w are, the natural map, whether it is enough. Where it is not, `why` says how many
// iterations (`turns`: what they are called) have come to what; a method that knows more writes its own words over that.
MbContactResult mb_contact_tell(const MbStrips *strips, const double *lambda, const double *w,
                                const char *method, const char *turns, MbContactAnswer *answer);
// The same where the natural map, not over |b|, is known.
MbContactResult mb_contact_tell_known(const MbStrips *strips, const double *lambda, const double *w,
                                      double natural, const char *method, const char *turns,
                                      MbContactAnswer *answer);
// Makes ready for dense systems of as many rows as the problem has: an MbContactMethod's `reserve`.
bool mb_contact_reserve_dense(MbContactWork *work, const MbContactProblem *problem);

#endif
