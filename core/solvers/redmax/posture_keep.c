// Rotations of bodies, then what the passes have of each body's joint: of A⁻¹ V and 1/d, columns U and G; of joints that are not revolute how the body moves, columns T, and r. The rest, as poses, twists, s and r of revolute
// joints, is found again from these faster than it is read from memory (MbLanes.recall).
#define MB_LANES 1
#include "core/solvers/redmax/posture_keep.h"
#include "core/solvers/redmax/lanes_work.h"

#include <string.h>

// Of a revolute joint V and 1/d, of another how its body moves.
typedef struct Share {
  Screw V;
  double inverse;
} Share;

enum {
  QUAT = 4,
  ARM = sizeof(Vec) / sizeof(double),
  SHARE = sizeof(Share) / sizeof(double),
  SCREW = sizeof(Screw) / sizeof(double)
};

// Where each part begins.
typedef struct Parts {
  size_t share, T, U, G, r;
} Parts;

static Parts parts_of(const MbLinks *links) {
  Parts at;
  at.share = QUAT * links->nb;
  at.T = at.share + SHARE * links->nb;
  at.U = at.T + SCREW * links->ncolumns;
  at.G = at.U + SCREW * links->ncolumns;
  at.r = at.G + links->nsquares;
  return at;
}

size_t mb_posture_keep_numbers(const MbPosture *posture) {
  const MbLinks *links = posture->links;
  size_t n = parts_of(links).r;
  for (size_t b = 0; b < links->nb; b++) n += links->hop[b].kind != MB_LINK_REVOLUTE ? ARM : 0;
  return n;
}

void mb_posture_keep_instant(const MbPosture *posture, double *kept) {
  const MbLinks *links = posture->links;
  const MbRecursion *work = posture->work;
  const Parts at = parts_of(links);
  Share *share = (Share *)(kept + at.share);
  Vec *r = (Vec *)(kept + at.r);
  for (size_t b = 0; b < links->nb; b++) {
    memcpy(kept + QUAT * b, posture->E[b].q, sizeof posture->E[b].q);
    if (links->hop[b].kind != MB_LINK_REVOLUTE) share[b].V = work->stand[b].V, *r++ = work->stand[b].r;
  }
  if (links->ncolumns) memcpy(kept + at.T, work->T, links->ncolumns * sizeof *work->T);
}

void mb_posture_keep_factor(const MbPosture *posture, double *kept) {
  const MbLinks *links = posture->links;
  const MbRecursion *work = posture->work;
  const Parts at = parts_of(links);
  Share *share = (Share *)(kept + at.share);
  for (size_t b = 0; b < links->nb; b++)
    if (links->hop[b].kind == MB_LINK_REVOLUTE) share[b] = (Share){work->stand[b].V, work->stand[b].inverse};
  if (!links->ncolumns) return;
  memcpy(kept + at.U, work->U, links->ncolumns * sizeof *work->U);
  memcpy(kept + at.G, work->G, links->nsquares * sizeof *work->G);
}

void mb_posture_put(MbPosture *posture, const double *kept, MbMaximal *x) {
  const MbLinks *links = posture->links;
  MbRecursion *work = posture->work;
  const Parts at = parts_of(links);
  const Share *share = (const Share *)(kept + at.share);
  const Vec *r = (const Vec *)(kept + at.r);
  for (size_t b = 0; b < links->nb; b++) {
    memcpy(x->E[b].q, kept + QUAT * b, sizeof x->E[b].q);
    work->stand[b].V = share[b].V, work->stand[b].inverse = share[b].inverse;
    if (links->hop[b].kind != MB_LINK_REVOLUTE) work->stand[b].r = *r++;
  }
  posture->E = x->E, posture->phi = x->phi;
  posture->derived = false, posture->masses = true;
  if (!links->ncolumns) return;
  memcpy(work->T, kept + at.T, links->ncolumns * sizeof *work->T);
  memcpy(work->U, kept + at.U, links->ncolumns * sizeof *work->U);
  memcpy(work->G, kept + at.G, links->nsquares * sizeof *work->G);
}
