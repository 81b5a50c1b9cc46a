// What a model knows of contact: solids that may touch, and by what rules they do.
#ifndef MB_MODEL_CONTACTS_H
#define MB_MODEL_CONTACTS_H

#include "core/math/se3.h"
#include "core/model/spec.h"

// Iterations of a step where a scene gives none, of most methods; of sweeps and Newton's steps fewer are a fixed cost that the scene asks for.
enum { MB_CONTACT_ITERATIONS = 200 };

// A shape of a body that may collide. What is after `mesh` is numbers alone, which the model's fingerprint takes as a whole.
typedef struct MbSolid {
  const MbMesh
      *mesh; // of shape `mesh`, in the model's arena, without vertices in one place; those alike share one
  MbShapeKind kind;
  MbCollideKind as;
  size_t listed, shape; // the body's place in the scene, the shape's in the body
  bool among;           // the body's shapes are a list
  size_t body;          // that moves it
  MbPose at;            // in the body's C; of a plane its z axis is the normal, its origin on the plane
  double size[3], radius, length;
  double friction, restitution;
} MbSolid;

// The surface of a deformable that may touch: its nodes and what is between them.
typedef struct MbDeformableSurface {
  const uint32_t *node; // (nnodes) of the deformable, ascending
  const uint32_t *
      triangle; // (ntriangles x 3) of the deformable's nodes; of tetrahedra counterclockwise seen from outside
  // numbers alone from here on, which the model's fingerprint takes as a whole
  size_t deformable, nnodes, ntriangles;
  double thickness, friction;
  size_t self; // 1: it touches itself
} MbDeformableSurface;

// What is said of two bodies, a < b of the model; deformables are behind these. NaN = nothing.
typedef struct MbBodyRule {
  size_t a, b;
  bool excluded;
  double friction, restitution;
} MbBodyRule;

// All of it; where nothing collides nsolids and nsurfaces are 0. The rules are in order of a, then b.
typedef struct MbContacts {
  size_t nsolids, nrules;
  const MbSolid *solids;   // (nsolids) by their bodies' names, what stands still first (compile_contacts.c)
  const MbBodyRule *rules; // (nrules)
  size_t nsurfaces;
  const MbDeformableSurface *surfaces; // (nsurfaces) by names
  const size_t *
      moved; // (nb) the body that moves a body: itself, its parent where it is fixed to that, MB_WORLD where nothing does
  bool any; // something may meet something
  // numbers alone from here on
  bool given; // the scene has contact, whatever there is to collide
  MbContactMethodKind method;
  MbConeKind cone;
  int sides, iterations;
  MbNewtonFunction function;
  double threshold, compliance, damping, tolerance;
} MbContacts;

// The place in the scene of what a solid is of, and of a key of it.
void mb_solid_where(const MbSolid *solid, const char *key, char *where, size_t size);

#endif
