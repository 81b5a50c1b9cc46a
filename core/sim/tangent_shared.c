// A parameter of a constraint is felt by the difference that one number makes of its rows, over what that number changes of it. Of numbers that share one it is that which changes it most, as its difference is least of all rounding.
#include "core/sim/tangent_shared.h"

#include <math.h>

static MbSharedFelt *parameter_of(const MbSharedList *list, const MbTangentShared *at) {
  for (size_t i = 0; i < list->n; i++)
    if (list->parameter[i].at.constraint == at->constraint && list->parameter[i].at.place == at->place)
      return &list->parameter[i];
  return NULL;
}

void mb_shared_note(MbSharedList *list, const MbTangentNumber *of, size_t number) {
  for (size_t i = 0; i < of->nshared; i++) {
    const MbTangentShared *at = &of->shared[i];
    MbSharedFelt *known = parameter_of(list, at);
    if (known && fabs(known->at.by) >= fabs(at->by)) continue;
    *(known ? known : &list->parameter[list->n++]) = (MbSharedFelt){.of = of, .number = number, .at = *at};
  }
}

double mb_shared_sum(const MbSharedList *list, const MbTangentNumber *of) {
  double sum = 0;
  for (size_t i = 0; i < of->nshared; i++) sum += parameter_of(list, &of->shared[i])->felt * of->shared[i].by;
  return sum;
}
