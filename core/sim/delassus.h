// W = G A⁻¹ Gᵀ of the rows that take part in a solution, at the last factor of A (delassus.c): the one place where it is made.
#ifndef MB_SIM_DELASSUS_H
#define MB_SIM_DELASSUS_H

#include "core/contact/contact_ops.h"
#include "core/sim/row_set.h"

typedef struct MbDelassus {
  double *W;     // (n x n) where the solver tells all of it at once
  size_t room;   // of W
  size_t rows;   // that the solver has made room for
  double *y;     // (width) zero between uses
  bool unsolved; // A⁻¹ could not be applied to some column
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

#endif
