// Sweeps of Gauss–Seidel, as a method and as a part of others.
#ifndef MB_CONTACT_GAUSS_SEIDEL_H
#define MB_CONTACT_GAUSS_SEIDEL_H

#include "core/contact/contact_lanes.h"
#include "core/contact/contact_parts.h"
#include "core/math/averages.h"

typedef struct MbGaussSeidel {
  MbStrips strips;
  double *lambda, *w, *best; // (n)
  double *moved;             // (nblocks) by the last sweep
  uint32_t *order;           // (nblocks) in which a sweep goes
  uint32_t *colour;          // (n) of each row's block, from 1
  uint32_t *begin, *used;    // (nblocks + 1) where each colour begins in `order`; scratch
  size_t ncolours;           // 0: one block after the other
  size_t from;               // of the colour that is being swept
  int threads;
  MbLanes lanes; // of many blocks
  bool hastens;  // of contacts about points (mb_gauss_hasten)
  MbAverages averages;
  double *before, *change; // (n) λ before a sweep, and by how much that has changed it
  double last;             // by how much the last one has changed velocities
  double natural;          // of λ when a run has ended
} MbGaussSeidel;

// Lays out what sweeps need and finds their order; λ is the caller's to fill.
void mb_gauss_make(MbGaussSeidel *sweeps, MbRoom *room, const MbStrips *strips, int threads);
// Has sweeps over contacts about points go a part of the way, and averages of them go on; of others nothing changes. Lays out what that needs.
void mb_gauss_hasten(MbGaussSeidel *sweeps, MbRoom *room);
void mb_gauss_order(MbGaussSeidel *sweeps);
// One sweep over λ; tells by how much velocities of the blocks have changed.
double mb_gauss_sweep(MbGaussSeidel *sweeps);
// Sweeps from λ until the natural map is enough, or `most` times. Leaves the best λ that it looked at, and its w.
bool mb_gauss_run(MbGaussSeidel *sweeps, size_t most, size_t *done);

extern const MbContactMethod mb_contact_gauss_seidel;

#endif
