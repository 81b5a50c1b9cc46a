// Bending of cloth by second derivatives of its nodes' places, which are curvatures while lengths stay. Of cloth that is flat at rest it
// is a quadratic form, E = ½ Σ_ij Q_ij x_i · x_j with constant Q; what a rest curvature adds is beside it (bending_rest.h).
// `stiffness` k in J: bent to a cylinder of radius R it is ½ k / R² an area. MB_BENDING_ISOMETRIC is right on any mesh.
#ifndef MB_DEFORMABLES_BENDING_H
#define MB_DEFORMABLES_BENDING_H

#include "core/model/spec.h"

// What makes triangles curved at rest: E += Σ_t (½ s_t − n_t · w_t), n the triangle's normal, w = Σ weight x over nodes.
typedef struct MbBendingRest {
  size_t count, entries; // triangles that are curved
  uint32_t *corner;      // (count x 3)
  size_t *first;         // (count + 1)
  uint32_t *node;        // (entries) the corners are among those of each
  double *weight;        // (entries) J/m, with sums of 0
  double *square;        // (count) s, J
} MbBendingRest;

// The lower triangle of Q, every entry once, by rows, columns ascending.
typedef struct MbBending {
  size_t nodes, count;
  uint32_t *row, *column; // (count) column ≤ row
  double *value;          // J/m²
  MbBendingRest rest;     // none where the mesh is flat
} MbBending;

// triangle (triangles x 3), x (nodes x 3) at rest. Its curvature is that at rest of MB_BENDING_ISOMETRIC; the other one is flat at rest. Edges that not just two triangles share are free ends. False: out of memory,
// or triangle *flat has no area (else SIZE_MAX); nothing is left then.
bool mb_bending_create(MbBending *bending, MbBendingKind model, double stiffness, const uint32_t *triangle,
                       size_t triangles, const double *x, size_t nodes, size_t *flat);
void mb_bending_free(MbBending *bending);

double mb_bending_energy(const MbBending *bending, const double *x); // with what the rest curvature adds

#endif
