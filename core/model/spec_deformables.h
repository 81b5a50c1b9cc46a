// What a scene says of deformables.
#ifndef MB_MODEL_SPEC_DEFORMABLES_H
#define MB_MODEL_SPEC_DEFORMABLES_H

#include "core/model/spec_forces.h"

// Nodes, and what stands between them. Counts that are 0 may have NULL for a list.
typedef struct MbElementMesh {
  size_t nodes, tets, triangles, edges;
  double *x;     // (nodes x 3) at rest
  uint32_t *tet; // (tets x 4) positive: det(x1 − x0, x2 − x0, x3 − x0) > 0
  uint32_t *
      middle; // (tets x 6) nodes half way along their edges (deformables/quadratic.h); NULL: they have corners alone
  uint32_t *triangle; // (triangles x 3) of cloth
  uint32_t *edge;     // (edges x 2) of springs
} MbElementMesh;

typedef enum MbDeformableKind {
  MB_DEFORMABLE_SPRINGS,
  MB_DEFORMABLE_PARTICLES,
  MB_DEFORMABLE_TETS,
  MB_DEFORMABLE_CLOTH,
  MB_DEFORMABLE_ROD,
  MB_DEFORMABLES
} MbDeformableKind;
typedef enum MbGridPattern {
  MB_PATTERN_CROSS,
  MB_PATTERN_DIAGONAL,
  MB_PATTERN_SQUARE,
  MB_PATTERNS
} MbGridPattern;

// Points on a helix about z.
typedef struct MbHelixSpec {
  int64_t nodes;               // 0 = it is none
  double radius, pitch, turns; // m; m a turn
} MbHelixSpec;

// Where the nodes are before the pose: one of rope, points, helix, grid, box, ball and file. A rope's first node and a corner of a grid
// or a box are at the origin, the others along x (and y, and z) from there; a ball is about the origin.
typedef struct MbNodeMeshSpec {
  int64_t rope;         // nodes; 0 = it is none
  double length;        // rope; NaN = not given
  size_t npoints;       // 0 = it is none
  const double *points; // (npoints x 3)
  MbHelixSpec helix;
  double grid[2], box[3];    // nodes along x, y (and z), whole numbers; 0 = it is none
  int64_t ball;              // cells along its diameter; 0 = it is none
  double radius;             // ball; NaN = not given
  const char *file;          // as written; NULL = it is none
  double scale;              // file
  double weld;               // file: vertices that are no further apart are one; 0, NaN = none are
  int64_t order;             // of tets: 1, or 2 with nodes half way along edges; 0 = not given
  const MbElementMesh *mesh; // file, read and scaled
  size_t nsize;              // numbers in `size`
  const double *size;        // grid, box: along x and y (and z)
  MbGridPattern pattern;     // grid: which of its cells' diagonals are springs; of cloth, how cells are cut
} MbNodeMeshSpec;

// Some nodes, by places in the mesh's own coordinates; one of the six is given.
typedef struct MbSelectSpec {
  size_t nvertices, nnearest;
  const double *vertices; // (nvertices) numbers of nodes
  const double *nearest;  // (nnearest) a place: the node nearest to it
  const char *side;       // "+x": the nodes furthest that way; NULL = not given
  const char *clamp;      // of a rod "first" or "last": an end with its direction; NULL = not given
  bool in_box, in_sphere;
  double box[2][3]; // least and most
  double center[3], radius;
} MbSelectSpec;

// How pinned nodes move from where they are at the start: turned about a line of the world, then moved.
typedef struct MbPinMotionSpec {
  MbSignalSpec translate[3];
  bool given, turns;
  double axis[3], through[3];
  MbSignalSpec angle;
} MbPinMotionSpec;

typedef struct MbPinSpec {
  MbSelectSpec select;
  const char *axes; // of the world, that are held: "xyz"
  MbPinMotionSpec motion;
} MbPinSpec;

// Nodes of a deformable, and their weights.
typedef struct MbMastersSpec {
  const char *deformable; // NULL = the same
  size_t nvertices, nweights;
  const double *vertices; // (nvertices) numbers of nodes
  const double *weights;  // (nweights) none: those that come nearest to where the attached node is
} MbMastersSpec;

// What holds things together: rows, or that there are no coordinates in which they could part.
typedef enum MbEnforce { MB_BY_CONSTRAINT, MB_BY_REDUCTION } MbEnforce;

typedef struct MbAttachSpec {
  MbSelectSpec select;
  const char *body; // or "world"; NULL: to nodes
  MbMastersSpec to;
  MbEnforce enforce;
} MbAttachSpec;

// A cable through points, each the middle of some nodes.
typedef struct MbCableSpec {
  size_t npath;
  MbSelectSpec *path; // (npath)
  MbSignalSpec pull;  // tension
  bool pulled;        // else it keeps its length
  double compliance;  // 0 = hard
} MbCableSpec;

// ψ of each is in core/deformables/elastic.h.
typedef enum MbElasticModel {
  MB_ARAP,
  MB_COROTATIONAL,
  MB_NEO_HOOKEAN,
  MB_LINEAR,
  MB_ELASTIC_MODELS
} MbElasticModel;

typedef enum MbBendingKind {
  MB_BENDING_ISOMETRIC,
  MB_BENDING_LAPLACE_BELTRAMI,
  MB_NO_BENDING,
  MB_BENDINGS
} MbBendingKind;

typedef struct MbBendingSpec {
  MbBendingKind model;
  bool given;
  double stiffness; // J; NaN = that of a plate
  double damping;   // s
} MbBendingSpec;

// A family of fibres in a deformable's elements.
typedef struct MbFibresSpec {
  double direction[3];
  double stiffness, limit, beyond, strength;
  MbSignalSpec activation;
  bool activated; // it is given
} MbFibresSpec;

// What is inside the closed parts of a deformable's surface beside a pressure that is given: a gas whose p V stays what it is.
typedef struct MbGasSpec {
  double pressure, outside; // Pa; 0 = there is none
} MbGasSpec;

// Wind at the triangles of a deformable's surface.
typedef struct MbWindSpec {
  bool given;
  MbSignalSpec velocity[3];
  double density, drag, lift;
} MbWindSpec;

// How a deformable takes part in contact.
typedef struct MbDeformableContactSpec {
  bool given, enabled, self, self_given;
  double thickness, friction; // NaN = not given
} MbDeformableContactSpec;

// Point masses; springs between them, or tetrahedra or triangles of something elastic.
typedef struct MbDeformableSpec {
  MbDeformableKind kind;
  const char *name;
  MbNodeMeshSpec mesh;
  MbNodeMeshSpec start;      // tets, cloth: a file with the places at the start; none = those of the mesh
  double mass;               // springs, particles: of all nodes together
  double stiffness, damping; // springs
  MbSpringLaw law;           // springs
  bool lagged;               // springs: as a force's
  MbElasticModel model;      // tets, cloth
  double young, poisson, density; // tets, cloth
  double thickness;               // cloth
  MbBendingSpec bending;          // cloth
  double radius;                  // rods
  double bends, twists;           // rods: N m²; NaN = as young, poisson and radius have it
  size_t nfibres;
  MbFibresSpec *fibres;  // (nfibres) tets, cloth
  MbSignalSpec pressure; // tets, cloth: inside closed parts
  bool pressed;          // it is given
  MbGasSpec gas;         // tets, cloth
  MbWindSpec wind;       // tets, cloth
  MbDeformableContactSpec contact;
  MbFrameSpec pose;             // of the mesh in the world at the start
  double angular[3], linear[3]; // velocity at the start, as of a rigid body with its origin at the pose's
  size_t npins, nattachments, ncables;
  MbPinSpec *pins;           // (npins)
  MbAttachSpec *attachments; // (nattachments)
  MbCableSpec *cables;       // (ncables)
  const double *color;       // (4) as a shape's
} MbDeformableSpec;

// The words of the scene format, in the order of their enum, each list ended by NULL.
extern const char *const mb_deformable_words[MB_DEFORMABLES + 1];
extern const char *const mb_pattern_words[MB_PATTERNS + 1];
extern const char *const mb_enforce_words[3];
extern const char *const mb_elastic_words[MB_ELASTIC_MODELS + 1];
extern const char *const mb_bending_words[MB_BENDINGS + 1];

#endif
