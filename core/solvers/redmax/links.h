// A tree of bodies as the recursions read it: one record a body, depth first, all that is constant folded into it (link.h).
#ifndef MB_SOLVERS_REDMAX_LINKS_H
#define MB_SOLVERS_REDMAX_LINKS_H

#include "core/model/model.h"
#include "core/solvers/redmax/link.h"

typedef struct MbLinks {
  const MbModel *model;
  size_t nb, nq, nv, slots, most; // most: degrees of freedom of one joint
  const double *inertia;          // (nv) of the coordinates alone
  size_t ncolumns, nsquares;      // of all joints that are not revolute: degrees of freedom, their squares
  MbHop *hop;                     // (nb)
  MbLink *link;                   // (nb)
  size_t nturns;
  MbTurn *turn; // (nturns)
} MbLinks;

bool mb_links_create(const MbModel *model, MbLinks *links);
void mb_links_free(MbLinks *links);
size_t mb_links_bytes(const MbLinks *links);
// Whether two trees differ in numbers alone, so that they can be instances of the same passes.
bool mb_links_alike(const MbLinks *a, const MbLinks *b);

#endif
