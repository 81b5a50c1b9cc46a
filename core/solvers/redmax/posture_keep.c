// Poses and twists of bodies, then what the passes have of each body's joint: of where it is (s and r, columns T) and of A⁻¹ (V and 1/d, columns U and G).
#define MB_LANES 1
#include "core/solvers/redmax/posture_keep.h"
#include "core/solvers/redmax/lanes_work.h"

#include <string.h>

enum { POSE = 7, TWIST = 6, STAND = sizeof(Stand) / sizeof(double), SCREW = sizeof(Screw) / sizeof(double) };

// Where each part begins, and what all of it is.
typedef struct Parts {
  size_t phi, stand, T, U, G, all;
} Parts;

static Parts parts_of(const MbLinks *links) {
  Parts at;
  at.phi = POSE * links->nb;
  at.stand = at.phi + TWIST * links->nb;
  at.T = at.stand + STAND * links->nb;
  at.U = at.T + SCREW * links->ncolumns;
  at.G = at.U + SCREW * links->ncolumns;
  at.all = at.G + links->nsquares;
  return at;
}

size_t mb_posture_keep_numbers(const MbPosture *posture) { return parts_of(posture->links).all; }

void mb_posture_keep_instant(const MbPosture *posture, double *kept) {
  const MbLinks *links = posture->links;
  const MbRecursion *work = posture->work;
  const Parts at = parts_of(links);
  memcpy(kept, posture->E, at.phi * sizeof *kept);
  memcpy(kept + at.phi, posture->phi, TWIST * links->nb * sizeof *kept);
  memcpy(kept + at.stand, work->stand, links->nb * sizeof *work->stand);
  if (links->ncolumns) memcpy(kept + at.T, work->T, links->ncolumns * sizeof *work->T);
}

void mb_posture_keep_factor(const MbPosture *posture, double *kept) {
  const MbLinks *links = posture->links;
  const MbRecursion *work = posture->work;
  const Parts at = parts_of(links);
  Stand *stand = (Stand *)(kept + at.stand);
  for (size_t b = 0; b < links->nb; b++)
    stand[b].V = work->stand[b].V, stand[b].inverse = work->stand[b].inverse;
  if (!links->ncolumns) return;
  memcpy(kept + at.U, work->U, links->ncolumns * sizeof *work->U);
  memcpy(kept + at.G, work->G, links->nsquares * sizeof *work->G);
}

void mb_posture_put(MbPosture *posture, const double *kept, MbMaximal *x) {
  const MbLinks *links = posture->links;
  MbRecursion *work = posture->work;
  const Parts at = parts_of(links);
  memcpy(x->E, kept, at.phi * sizeof *kept);
  memcpy(x->phi, kept + at.phi, TWIST * links->nb * sizeof *kept);
  memcpy(work->stand, kept + at.stand, links->nb * sizeof *work->stand);
  posture->E = x->E, posture->phi = x->phi;
  posture->derived = false, posture->masses = true;
  if (!links->ncolumns) return;
  memcpy(work->T, kept + at.T, links->ncolumns * sizeof *work->T);
  memcpy(work->U, kept + at.U, links->ncolumns * sizeof *work->U);
  memcpy(work->G, kept + at.G, links->nsquares * sizeof *work->G);
}
