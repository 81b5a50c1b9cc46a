// The alternating direction method of multipliers, as a method and as a part of others.
#ifndef MB_CONTACT_ADMM_H
#define MB_CONTACT_ADMM_H

#include "core/contact/contact_parts.h"

typedef struct MbAdmm {
  MbStrips strips;
  double *d;                       // (n) λ = d x
  double *x, *z, *y, *shift, *aim; // (n) shift: De Saxcé's, along normals
  double *lambda, *w, *best;       // (n)
  double *L;                       // (n x n) factor of the scaled W + ρ
  double *r, *p, *Ap;              // (n) conjugate gradients, where it is not factored
  double rho;
} MbAdmm;

// Lays out what turns need; λ is the caller's to fill.
void mb_admm_make(MbAdmm *admm, MbRoom *room, const MbStrips *strips);
// Iterates from λ until the natural map is enough, or `most` times. Leaves the best λ that was met, and its w.
bool mb_admm_run(MbAdmm *admm, size_t most, size_t *done);

extern const MbContactMethod mb_contact_admm;

#endif
