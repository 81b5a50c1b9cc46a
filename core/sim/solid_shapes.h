// The shapes that a model's solids collide with.
#ifndef MB_SIM_SOLID_SHAPES_H
#define MB_SIM_SOLID_SHAPES_H

#include "core/base/arena.h"
#include "core/collision/broad.h"
#include "core/model/model.h"

typedef struct MbSolidShapes {
  size_t n;
  MbShape *shape; // (n)
  MbHull **hull;  // (n) of meshes that collide as one, once where several do; NULL of others
  MbSkin **skin;  // (n) the same of those that collide by their triangles
  double *size;   // (n) half of the least of its extents; of planes none
  double *reach;  // (n) of its points from the centre of mass of what moves it
  MbBounds *own;  // (n) what they fill of their own axes
} MbSolidShapes;

// Makes them; arrays lie in the arena, hulls and surfaces are freed by mb_solid_shapes_free, whatever this returns. `to` is zero before. MB_SCENE:
// one cannot collide.
MbStatus mb_solid_shapes_make(const MbModel *model, MbArena *arena, MbSolidShapes *to, MbReport *report);
void mb_solid_shapes_free(MbSolidShapes *shapes);
// Memory of hulls and surfaces.
size_t mb_solid_shapes_bytes(const MbSolidShapes *shapes);

#endif
