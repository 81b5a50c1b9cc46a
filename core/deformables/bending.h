// Bending of cloth that is flat at rest, as a quadratic form of the nodes' places: E = ½ Σ_ij Q_ij x_i · x_j with constant Q, by
// second derivatives of positions, which are curvatures while lengths stay. `stiffness` k in J: bent to a cylinder of radius R
// it is ½ k / R² an area. MB_BENDING_ISOMETRIC is right on any mesh.
#ifndef MB_DEFORMABLES_BENDING_H
#define MB_DEFORMABLES_BENDING_H

#include "core/model/spec.h"

// The lower triangle of Q, every entry once, by rows, columns ascending.
typedef struct MbBending {
  size_t nodes, count;
  uint32_t *row, *column; // (count) column ≤ row
  double *value;          // J/m²
} MbBending;

// triangle (triangles x 3), x (nodes x 3) at rest. Edges that not just two triangles share are free ends. False: out of memory,
// or triangle *flat has no area (else SIZE_MAX); nothing is left then.
bool mb_bending_create(MbBending *bending, MbBendingKind model, double stiffness, const uint32_t *triangle,
                       size_t triangles, const double *x, size_t nodes, size_t *flat);
void mb_bending_free(MbBending *bending);

double mb_bending_energy(const MbBending *bending, const double *x);

#endif
