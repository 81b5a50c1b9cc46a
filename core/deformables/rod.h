// Rods: thin, round, elastic in stretching, bending and twisting, of any shape at rest. What they are as nodes is in rod.c.
#ifndef MB_DEFORMABLES_ROD_H
#define MB_DEFORMABLES_ROD_H

#include "core/deformables/bending_damper.h"
#include "core/model/deformable.h"

enum { MB_ROD_HANDLE = 3, MB_ROD_FAULT = 160 }; // nodes of a handle; bytes of a text

// The nodes of a rod through n points (n x 3), with a handle where an end's direction is held, and its tetrahedra. `rod` has its radius and
// moduli, and gets what is counted. For mb_element_mesh_free. MB_IO: out of memory; MB_SCENE: `fault` says which points make no rod.
MbStatus mb_rod_mesh(const double *point, size_t n, const bool held[2], MbRod *rod, MbElementMesh *mesh,
                     char fault[MB_ROD_FAULT]);

// How much more volume the rod has than its tetrahedra.
double mb_rod_volume(const MbRod *rod);

// Masses (nodes) of a rod of this density.
void mb_rod_masses(const MbRod *rod, const MbElementMesh *mesh, double density, double *mass);

// The form that resists bending and twisting. False: out of memory.
bool mb_rod_bending(const MbRod *rod, const MbElementMesh *mesh, MbBending *bending);
// The same by its stencils with their axes, for what damps it. False: out of memory.
bool mb_rod_damper(const MbRod *rod, const MbElementMesh *mesh, MbBendingDamper *damper);

// Of a helix about z: number i of its n points. The first one is at (radius, 0, 0).
void mb_rod_helix(const MbHelixSpec *helix, size_t i, double x[3]);

#endif
