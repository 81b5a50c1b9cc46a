// Mass properties: of every shape, of closed triangle meshes by volume integrals, of compositions.
#ifndef MB_COMPILE_INERTIA_H
#define MB_COMPILE_INERTIA_H

#include "core/model/spec.h"

// Mass, centre of mass, and inertia about it, in one frame's axes.
typedef struct MbMassProperties {
  double mass, center[3];
  double inertia[9]; // row major, symmetric
} MbMassProperties;

// Of a shape with density 1 (so `mass` is the volume), in the shape's own frame. MB_SCENE with an error at
// `where` for an open, inside-out, self-crossing-by-edges or flat mesh; a plane has no mass (MB_OK, all
// zero). Vertices at exactly the same position count as one. Whether a mesh, or the shapes of a composition,
// overlap is not looked at: what is covered twice counts twice.
MbStatus mb_shape_mass(const MbShapeSpec *shape, const char *where, MbMassProperties *out, MbReport *report);
MbStatus mb_mesh_mass(const MbMesh *mesh, const char *where, MbMassProperties *out, MbReport *report);

void mb_mass_scale(MbMassProperties *p, double factor);             // mass and inertia times factor
void mb_mass_move(MbMassProperties *p, const MbFrameSpec *frame);   // from a frame into its parent's
void mb_mass_add(MbMassProperties *sum, const MbMassProperties *p); // both in the same frame

// Principal axes: inertia = R diag(moments) Rᵀ with R (9, row major) a rotation. Moments keep the order of
// the axes nearest to the given ones, so that an already diagonal inertia gives R = identity exactly.
void mb_principal_axes(const double inertia[9], double R[9], double moments[3]);

// No moment exceeds the sum of the two others by more than 1e-9 of itself: some distribution of mass has
// them.
bool mb_inertia_plausible(const double moments[3]);

#endif
