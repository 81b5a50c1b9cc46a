// Triangle meshes, convex or not, as what touches: triangles with their neighbours and a tree of boxes around them.
//
// A closed surface is that of a solid: it has an outside, where its triangles' corners are counterclockwise seen from. An open one has no
// thickness and two sides. A direction in which no triangle that meets at an edge or a vertex rises belongs to it: only along such a
// direction can what is outside be nearest to it. Edges between triangles of one plane, and those in a groove, have none that leads out, so
// that nothing catches on them.
#ifndef MB_COLLISION_SKIN_H
#define MB_COLLISION_SKIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MB_SKIN_NONE UINT32_MAX
// Features of points of outlines and surfaces: which part of a shape, and its number. What else a pair's functions tell is below these.
enum { MB_PART_FACE = 1 << 28, MB_PART_CORNER = 2 << 28, MB_PART_SIDE = 3 << 28 };
enum { MB_SKIN_DEEP = 64 }; // the most levels of the tree
// The sine by which a surface may reach farther down beside a vertex or an edge that touches all the same: what rests is turned by little.
#define MB_SKIN_LEANING 0.02

// A box around triangles: those of a leaf, or of two nodes of which the first follows it.
typedef struct MbSkinNode {
  double low[3], high[3];
  uint32_t first, count; // leaf: places in `order`; else count = 0, and first is the second node
} MbSkinNode;

typedef struct MbSkin {
  uint32_t vertices, triangles, nodes;
  bool closed;            // every side has one triangle across, which runs the other way
  const double *vertex;   // (3 vertices)
  const uint32_t *corner; // (3 triangles)
  const uint32_t
      *across; // (3 triangles) the triangle across the side from corner i to the next; MB_SKIN_NONE at a rim
  const uint32_t *side; // (3 triangles) a number of the side, the same from both triangles
  const double *normal; // (3 triangles) unit
  const double *around; // (3 vertices) the mean of the normals, by the angles that triangles have there; unit
  const uint32_t *first, *star; // the triangles at vertex v: star[first[v]] to star[first[v + 1]]
  const MbSkinNode *node;
  const uint32_t *order; // (triangles)
} MbSkin;

typedef enum MbSkinFault {
  MB_SKIN_SOUND,
  MB_SKIN_NO_MEMORY,
  MB_SKIN_EMPTY,      // no triangle
  MB_SKIN_NOT_FINITE, // a coordinate is no finite number
  MB_SKIN_CORNER,     // a triangle has a corner that is no vertex
  MB_SKIN_NO_AREA,    // a triangle's corners are on a line, and so are those beside it
  MB_SKIN_FAULTS
} MbSkinFault;

// What a fault is, in words that can follow "the mesh …".
const char *mb_skin_fault_text(MbSkinFault fault);

// A surface of its own from vertices (3 n) and triangles (3 m). Where three triangles or more meet at a side, or two run the same way, it is
// open there. Triangle *at is the one at fault. Vertices in one place have to be one vertex. Triangles whose corners are on a line are taken out
// (skin_mend.h), so that the surface may have others than were given. Free it with mb_skin_free.
MbSkinFault mb_skin_make(MbSkin **surface, uint32_t vertices, const double *vertex, uint32_t triangles,
                         const uint32_t *corner, uint32_t *at);
void mb_skin_free(MbSkin *surface);
// Memory that it has.
size_t mb_skin_bytes(const MbSkin *surface);

// Triangles whose boxes meet a box, one after the other: start with mb_skin_look; MB_SKIN_NONE after the last.
typedef struct MbSkinLook {
  const MbSkin *surface;
  double low[3], high[3];
  uint32_t waiting[MB_SKIN_DEEP], depth, at, end;
} MbSkinLook;
void mb_skin_look(MbSkinLook *look, const MbSkin *surface, const double low[3], const double high[3]);
uint32_t mb_skin_next(MbSkinLook *look);

// The part of a surface that a point of it is on: bit k says that corner k of the triangle holds it; 7 is the triangle's inside.
typedef struct MbSkinPart {
  uint32_t triangle, corners;
} MbSkinPart;
// A number of the part, the same from all triangles that it is of: the kind in the upper four bits, as above.
uint32_t mb_skin_part(const MbSkin *surface, MbSkinPart part);
// Whether n (unit) belongs to the part: no triangle that meets there rises along it by more than the sine `slack`, and of a closed surface it
// leads out.
bool mb_skin_leads(const MbSkin *surface, MbSkinPart part, const double n[3], double slack);

// The distance from x to the surface, below 0 inside of a closed one; its nearest point, the part that it is on, and the direction from there
// to x, of a closed surface outward. Of an open one the distance is never below 0.
double mb_skin_distance(const MbSkin *surface, const double x[3], double normal[3], MbSkinPart *part);

#endif
