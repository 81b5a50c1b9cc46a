// Private to io/export/*glb*.c: what a glb file of a trajectory holds, and where.
#ifndef MB_IO_GLB_H
#define MB_IO_GLB_H

#include "io/export/export_parts.h"
#include "io/export/surface.h"
#include "io/json/json_text.h"

// A shape of a body: corners with normals of their own, in the body's frame.
typedef struct MbGlbShape {
  size_t body;
  MbTrajMesh mesh;
  MbSurface surface;
  // of bodies, by their numbers, then of deformables, then of shapes that the scene gives a colour
  size_t material;
  bool colored;   // it is such a shape
  double rgba[4]; // in linear light, but for the opacity
} MbGlbShape;

// A deformable: its mesh where it is in the first frame, and what is added to that in each later frame that is kept. Springs are lines,
// particles points.
typedef struct MbGlbDeformable {
  const char *name;
  const MbChannel *position;
  MbTrajMesh mesh;
  MbSurface surface;
  const uint32_t *index; // (nindex) of triangles, lines; of particles none
  size_t nindex;
  float (*bounds)[6]; // (ntargets + 1) least and largest coordinates: of the base, then of each target
  double rgba[4];     // in linear light, but for the opacity
} MbGlbDeformable;

// Parts of the binary chunk, one behind the other; each is a buffer view.
typedef enum MbGlbPart {
  MB_GLB_KEYS,    // times, then per body places and rotations by frame
  MB_GLB_CORNERS, // of shapes and deformables: places, normals; of deformables then those of the targets
  MB_GLB_INDICES, // of deformables
  MB_GLB_WEIGHTS, // times of the kept frames, then weights: kept x targets
  MB_GLB_PARTS
} MbGlbPart;

typedef struct MbGlb {
  MbExporter *e;
  const MbChannel *position, *rotation; // of bodies; NULL: there are none
  size_t nbodies;
  uint64_t *frame; // (nframes) of the span: those that get keys
  float *time;     // (nframes) increasing
  size_t nframes, frame_room;
  size_t nkept, ntargets; // frames that deformables are shown in; all but the first are targets
  size_t nshapes, ndeformables;
  MbGlbShape *shapes;           // (nshapes)
  MbGlbDeformable *deformables; // (ndeformables)
  uint64_t size[MB_GLB_PARTS];
} MbGlb;

// Which of the frames is the kth that is kept, evenly over all.
static inline size_t mb_glb_kept(const MbGlb *g, size_t k) {
  return g->nkept < 2 ? 0 : k * (g->nframes - 1) / (g->nkept - 1);
}

// Finds meshes, frames and bounds; `most` targets. mb_glb_free in any case.
MbStatus mb_glb_plan(MbExporter *e, size_t most, MbGlb *g);
void mb_glb_free(MbGlb *g);
// The JSON chunk.
void mb_glb_describe(const MbGlb *g, MbText *t);
// The binary chunk: g->size bytes in all.
MbStatus mb_glb_put(const MbGlb *g);
// Places and normals of the deformable at positions x (nv x 3), less those in `base` where it is not NULL. `out` has 6 nv numbers,
// places first; `work` 3 nv.
void mb_glb_deformable_corners(const MbGlbDeformable *deformable, const double *x, const float *base,
                               double *work, float *out);

#endif
