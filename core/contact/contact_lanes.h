// Sweeps over many blocks of W = F Fᵀ side by side, for problems of contacts with the exact cone alone, or of rows of one way alone, that give
// way by nothing (`soft`).
//
// Eight runs of one colour (lane_runs.h) at a time can be swept at once, one number of each in a vector: a batch. The numbers of the blocks that are at one place of their runs are a cell. Colours,
// batches and with them every bit follow from the problem alone, whatever the width of the processor's vectors and the number of threads.
#ifndef MB_CONTACT_CONTACT_LANES_H
#define MB_CONTACT_CONTACT_LANES_H

#include "core/contact/lane_runs.h"

enum { MB_LANES_SLOT = 8 }; // numbers of y that a slot has, of which six are used

// Where the numbers of a cell are, in vectors of eight. Of contacts: F by rows, then by ends; the inverse of D, whose entries are 00, 01, 02, 11,
// 12, 22; the first row of D; b; μ; the block's scale, 0 of what is not there; λ; the rest of D; w, when it was last looked at.
enum {
  MB_CELL_I = 36,
  MB_CELL_D = 42,
  MB_CELL_B = 45,
  MB_CELL_MU = 48,
  MB_CELL_SCALE,
  MB_CELL_LAMBDA,
  MB_CELL_D_REST = 53,
  MB_CELL_W = 56,
  MB_CELL_CONTACT = 59
};
// Of rows of one way: F, 1/D, D (0 of what is not there), b, λ, w.
enum { MB_CELL_ONE_I = 12, MB_CELL_ONE_D, MB_CELL_ONE_B, MB_CELL_ONE_LAMBDA, MB_CELL_ONE_W, MB_CELL_ONE };

typedef struct MbLaneBatch {
  uint32_t cell, depth;            // the first; how many
  uint32_t slot[2][MB_LANES_WIDE]; // nslots: none
} MbLaneBatch;

typedef struct MbLanePasses MbLanePasses;

typedef struct MbLanes {
  const MbLanePasses *passes; // the machine's
  bool is;                    // the problem is of such blocks
  size_t rows;                // of each block, 3 or 1
  size_t wide;                // numbers of a cell
  double rho;                 // of the natural map; 0: the inverse of each block's scale
  size_t nslots;
  double *y;       // (8 (nslots + 1)) Fᵀ λ
  double *cell;    // (ncells x wide)
  uint32_t *block; // (8 ncells) the block of each lane; UINT32_MAX: none
  MbLaneBatch *batch;
  double *moved; // (8 a batch) sums of squares
  size_t nbatches, ncells, ncolours;
  uint32_t begin[MB_LANES_COLOURS + 1]; // batches of each colour
  MbLaneRuns runs;
} MbLanes;

// The passes over batches, for one kind of processor.
struct MbLanePasses {
  const char *name;
  void (*push)(const MbLanes *lanes, size_t batch); // y ← y + Fᵀ λ
  void (*sweep)(const MbLanes *lanes,
                size_t batch); // each block solved exactly, one after the other in its run
  void (*look)(const MbLanes *lanes, size_t batch); // w ← F y + b; to `moved` the squares of the natural map
};

// All rows, the fastest first, ended by NULL; whether this machine runs them.
extern const MbLanePasses *const mb_lane_passes_list[];
bool mb_lane_passes_run(const MbLanePasses *passes);
const MbLanePasses *mb_lane_passes(void); // the fastest that this machine runs

// Takes the room that so many blocks may need, and where there is a block of memory, finds out whether these are such blocks and packs them.
void mb_lanes_make(MbLanes *lanes, MbRoom *room, const MbStrips *strips);
// Begins at λ.
void mb_lanes_begin(MbLanes *lanes, const double *lambda);
// Solves all blocks once. Returns by how much velocities of the blocks have changed.
double mb_lanes_sweep(MbLanes *lanes, int threads);
// The natural map, not over |b|, of λ as it is, from y made anew.
double mb_lanes_natural(MbLanes *lanes);
// λ as it is; w as it was at the last look.
void mb_lanes_lambda(const MbLanes *lanes, double *lambda);
void mb_lanes_rates(const MbLanes *lanes, double *w);

#endif
