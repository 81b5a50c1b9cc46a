// Parameters of constraints that numbers change and nothing else, each found once for all of them (tangent_shared.c). Private to core/sim/tangent_gather.c and sensitivity_held*.c.
#ifndef MB_SIM_TANGENT_SHARED_H
#define MB_SIM_TANGENT_SHARED_H

#include "core/sim/tangent_number_parts.h"

// What one of them is felt by over all steps.
typedef struct MbSharedFelt {
  const MbTangentNumber *of; // the number whose difference tells, which is
  size_t number;             // this one of those asked about,
  MbTangentShared at;        // and by how much it changes the parameter
  double felt;
} MbSharedFelt;

typedef struct MbSharedList {
  MbSharedFelt *parameter; // (n) room for all that numbers change
  size_t n;
} MbSharedList;

// Notes what a number changes of them, `number` being its place among all.
void mb_shared_note(MbSharedList *list, const MbTangentNumber *of, size_t number);
// Returns what a number changes of all steps by them, once they have been felt.
double mb_shared_sum(const MbSharedList *list, const MbTangentNumber *of);

#endif
