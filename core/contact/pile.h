// Sweeps over the contacts of many bodies that nothing else couples, for which neither rows nor W are made: a contact is its point, its axes and the
// 3 x 3 block that it has by itself, and pushes change velocities of bodies, in the world's axes. For hard contacts with the exact cone.
//
// Contacts of two bodies one after the other with the same axes and friction are runs (lane_runs.h), of which eight at a time are swept side by side:
// a batch. What the runs of a batch have for all their contacts is its head, the contacts at one place of them are a cell. Every bit follows
// from the contacts alone, whatever the width of the processor's vectors and the number of threads.
//
// The same runs serve to part what is deep when the bodies have moved: of a contact then only the normal is left.
#ifndef MB_CONTACT_PILE_H
#define MB_CONTACT_PILE_H

#include "core/contact/lane_runs.h"

enum {
  MB_PILE_FEW = 512, // contacts that are not worth it
  MB_PILE_AHEAD = 4  // cells: so far ahead of where it is going to write a pass brings memory near
};
#define MB_PILE_SLOP 1e-6 // of a contact's size: what is less deep stays
#define MB_PILE_MOST 0.01 // of that size: by so much at most what is deep is moved in a step

// Contacts as they are given: numbers one after the other.
enum {
  MB_PILE_LAMBDA = 0, // to begin with, along the normal and two tangents (tangents_of in pile_take.h)
  MB_PILE_POINT = 3,
  MB_PILE_GAP = 6,
  MB_PILE_SIZE, // below a share of which a gap is none
  MB_PILE_BOUNCE,
  MB_PILE_MU,
  MB_PILE_NORMAL, // from the first body to the second
  MB_PILE_GIVEN = MB_PILE_NORMAL + 3
};

typedef struct MbPileContacts {
  size_t n, stride;          // numbers from one contact to the next
  const double *number;      // (n x stride)
  const uint32_t (*body)[2]; // (n) the number of bodies: what nothing moves
  const uint32_t *patch;     // (n) those one after the other of one patch have the same normal and friction
} MbPileContacts;

// A body in the sweeps, in the world's axes: what they change of it, a line of the processor's memory.
typedef struct MbPileBody {
  double v[3], w[3]; // of its centre of mass, and how fast it turns
  double inverse, z; // 1/mass; where its centre of mass is
} MbPileBody;

// What contacts are taken with besides, a line as well: the inverse of its inertia, xx xy xz yy yz zz, which passes have in the heads of its
// batches, and where its centre of mass is.
typedef struct MbPileInertia {
  double J[6], x, y;
} MbPileInertia;

// R: how it has turned since its contacts were found. Velocities at the step's start lie in the second line.
typedef struct MbPileStart {
  double R[9], none, v[3], w[3];
} MbPileStart;

// Where numbers are in a head, and of a contact in the kinds of cells, in vectors of eight. What passes read together lies together, and nothing
// between: where no cache holds a pile, a pass takes as long as the memory does for what it goes through, gaps and all.
enum {
  MB_PILE_HEAD_AXES = 0,
  MB_PILE_HEAD_MU = 9,
  MB_PILE_HEAD_WAY = 10, // from the first body's centre of mass to the second's, at the step's start
  MB_PILE_HEAD_J = 13,   // of the first body, then of the second; looks do not read it
  MB_PILE_HEAD = MB_PILE_HEAD_J + 12
};
enum {
  MB_PILE_A = 0, // from the first body's centre of mass to the point; less the way that is from the second's
  MB_PILE_ASKS = 3,  // what the normal's rate is to come to, times -1
  MB_PILE_SCALE = 4, // the mean of D's diagonal, 0 of what is not there
  MB_PILE_NOW = 5,   // λ
  MB_PILE_HOT = MB_PILE_NOW + 3
};
// In vectors of floats: D over the power of two in SCALE, and the inverse of that, each by rows: 00 01 02 11 12 22. They are the way to a solution
// and not the solution: where λ stays as it is nothing depends on them.
enum { MB_PILE_D = 0, MB_PILE_I = 6, MB_PILE_ROUGH = 12 };
enum { MB_PILE_BEST = 3 }; // λ that has been kept
enum {
  MB_PILE_OPEN = 0,   // the gap
  MB_PILE_EXTENT = 1, // the size
  MB_PILE_COLD = 2
};
// Where contacts are being parted, of which the normal alone is a row: what those of a batch have, and behind it each of them, in vectors of
// floats. 1/m, J and D are over a power of two of each run (power_of in pile_part.h), so that floats hold them whatever the masses are.
enum {
  MB_PILE_RUN_N = 0,
  MB_PILE_RUN_ARM = 3, // the way from the first body's centre of mass to the second's, x n
  MB_PILE_RUN_J = 6,   // as a head has it
  MB_PILE_RUN_W =
      18, // what each has in common with those before it in its run, over its D: 10 20 21 30 31 32
  MB_PILE_RUN = MB_PILE_RUN_W + MB_LANES_DEEP * (MB_LANES_DEEP - 1) / 2
};
enum {
  MB_PILE_ONE_Y = 0, // r x n of the second body; with the arm that is of the first
  MB_PILE_ONE_I = 3, // 1/D, 0 of what is not there
  MB_PILE_ONE_ASKS,  // the gap
  MB_PILE_ONE_NOW,
  MB_PILE_PART
};

typedef struct MbPileBatch {
  uint32_t cell, depth;            // the first; how many
  uint32_t body[2][MB_LANES_WIDE]; // as contacts have them
} MbPileBatch;

typedef struct MbPilePasses MbPilePasses;

// What is asked of the contacts of a step of h seconds.
typedef struct MbPileAsking {
  double h, slowest; // the approach from which on there is restitution
} MbPileAsking;

// What is told of a contact when it is solved, in a line: λ, rates with it, and of the rates at the step's start the normal's and λ times them.
typedef struct MbPileTold {
  double lambda[3], after[3], before, given;
} MbPileTold;

typedef struct MbPile {
  const MbPilePasses *passes; // the machine's
  MbPileContacts given;
  MbPileAsking asking;
  size_t nbodies, nbatches, ncells, ncolours;
  MbPileBody *body;       // (nbodies + 1) the last is what nothing moves
  MbPileBody *anew;       // (nbodies + 1) bodies as λ alone makes them, while it is being found
  MbPileInertia *inertia; // (nbodies + 1)
  MbPileStart *start;     // (nbodies + 1)
  MbPileBody *base;       // (nbodies + 1) as they are without contacts
  MbPileBatch *batch;
  uint32_t *
      near; // (nbatches) batches by where their contacts were given: what is near one another behind one another
  uint32_t *block;  // (8 ncells, and of none ahead of the end) the contact of each lane; UINT32_MAX: none
  MbPileTold *told; // (n) as contacts were when rates were last looked at
  double *head, *hot, *best, *cold;
  float *rough, *part;
  double *sum; // (3 x 8 nbatches) three kinds of sums, eight numbers of each a batch
  MbLaneRuns runs;
  uint32_t begin[MB_LANES_COLOURS + 1]; // batches of each colour
  int threads;
  // of the last time that contacts were taken: |b|, |b| of what comes nearer, whether anything rebounds
  double norm, size;
  bool rebounds;
  double natural; // of the last solution, not over |b|
  char *memory;
  size_t room;
} MbPile;

// The passes over a batch, for one kind of processor. Sums go to the batch's places in `sum`. What can be done with cells that another pass has
// just gone through is done by that one: a pass over all of them waits for the memory.
struct MbPilePasses {
  const char *name;
  // fills its head and cells; |b|² and its part, rebounds
  void (*take)(const MbPile *pile, size_t batch);
  void (*again)(const MbPile *pile, size_t batch);  // λ as it was taken
  void (*push)(const MbPile *pile, size_t batch);   // velocities of bodies by λ
  void (*sweep)(const MbPile *pile, size_t batch);  // each contact solved exactly; squares of what changed
  void (*last)(const MbPile *pile, size_t batch);   // the same, and velocities of `anew` by λ
  void (*glance)(const MbPile *pile, size_t batch); // squares of the natural map
  void (*look)(const MbPile *pile, size_t batch);   // the same, and what is told of contacts
  // fills the cells for parting, and parts once; the deepest, by size, and squares of what changed
  void (*move)(const MbPile *pile, size_t batch);
  void (*part)(const MbPile *pile, size_t batch); // each normal solved; squares of what changed, second
};

// All rows, the fastest first, ended by NULL; whether this machine runs them; the fastest that it runs.
extern const MbPilePasses *const mb_pile_passes_list[];
bool mb_pile_passes_run(const MbPilePasses *passes);
const MbPilePasses *mb_pile_passes(void);

// Whether two contacts, as they are given, have the same normal and friction.
bool mb_pile_same_patch(const double *x, const double *y);
// Makes room for contacts of so many bodies and finds their batches. False: out of memory, or *is is false: they have more neighbours than there
// are colours. The bodies are the caller's to fill.
bool mb_pile_make(MbPile *pile, const MbPileContacts *contacts, size_t nbodies, bool *is);
// Takes the contacts with the bodies' velocities and places: norm, size and rebounds are known then, and bodies go as λ has it.
void mb_pile_take(MbPile *pile, const MbPileAsking *asking, int threads);
// Sweeps until the natural map is a share of `size`, or `most` times; leaves bodies, λ and what is told of contacts at the best that it looked at. Returns the number of sweeps.
size_t mb_pile_solve(MbPile *pile, double share, size_t most);
// Finds where the contacts have got to, the bodies being at new places (mb_pile_stands, R, J; v and w are 0); what is the deepest, by size. v and w begin to
// move what is deep.
double mb_pile_move(MbPile *pile);
// v and w of the bodies ← the least move that takes away what is deep, by so many sweeps at most, of which the first was when they were moved.
size_t mb_pile_part(MbPile *pile, size_t most);

// Tells where a body's centre of mass is.
static inline void mb_pile_stands(MbPile *pile, size_t body, const double p[3]) {
  pile->inertia[body].x = p[0], pile->inertia[body].y = p[1], pile->body[body].z = p[2];
}

// Where the numbers of a batch's parting begin.
static inline float *mb_pile_run(const MbPile *pile, size_t batch) {
  return pile->part + MB_LANES_WIDE * (MB_PILE_RUN * batch + MB_PILE_PART * (size_t)pile->batch[batch].cell);
}

// Shows one contact of each run of contacts between two bodies that has moved these.
void mb_pile_each_moved(const MbPile *pile, void (*see)(void *context, size_t contact), void *context);

size_t mb_pile_bytes(const MbPile *pile);
void mb_pile_free(MbPile *pile);

#endif
