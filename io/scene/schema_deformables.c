// The scene format: materials, and what changes its shape.
#include "io/scene/schema_rows.h"

static const MbSchemaRow material_rows[] = {
    {"density", MB_TYPE_NUMBER, AT(MbMaterialSpec, density), .bound = MB_ABOVE, .unit = "kg/m^3",
     .help = "mass density"},
    FRICTION_OF(MbMaterialSpec, "in contact; absent: the scene's"),
    RESTITUTION_OF(MbMaterialSpec, "in contact; absent: the scene's"),
    COLOR_OF(MbMaterialSpec, "of shapes and bodies that have none of their own"),
    LATER("model", "elastic law"),
    LATER("young", "elasticity"),
    LATER("poisson", "elasticity"),
    LATER("thickness", "of cloth"),
    LATER("bending", "of cloth"),
    LATER("stiffness", "of springs"),
    LATER("damping", "of springs"),
    LATER("mass", "of springs"),
    {0}};
static const MbSchemaHint color_hints[] = {COLOR_HINTS, {NULL, NULL}};
const MbSchemaObject mb_schema_material = {.name = "material",
                                           .help = "What things are made of.",
                                           .size = sizeof(MbMaterialSpec),
                                           .rows = material_rows,
                                           .hints = color_hints};

// ---- deformables ------------------------------------------------------------------------------------------

static const char *const pattern_help[] = {
    "both diagonals of every cell; of cloth, a node in the middle of every cell and four triangles",
    "one diagonal, from corner [0, 0]; of cloth, two triangles a cell", "no diagonals; not of cloth", NULL};
static const MbSchemaRow helix_rows[] = {
    {"nodes", MB_TYPE_INTEGER, AT(MbHelixSpec, nodes), .flags = MB_REQUIRED, .bound = MB_BETWEEN, .lo = 2,
     .hi = 1e5, .help = "on it, from end to end"},
    {"radius", MB_TYPE_NUMBER, AT(MbHelixSpec, radius), .flags = MB_REQUIRED, .bound = MB_ABOVE, .unit = "m",
     .help = "from the z axis"},
    {"pitch", MB_TYPE_NUMBER, AT(MbHelixSpec, pitch), .unit = "m", .fallback = "0",
     .help = "how far it goes along z in a turn; 0: an arc of a circle"},
    {"turns", MB_TYPE_NUMBER, AT(MbHelixSpec, turns), .flags = MB_REQUIRED, .bound = MB_ABOVE,
     .help = "how often it goes round, from +x towards +y"},
    {0}};
static const MbSchemaObject helix = {.name = "helix",
                                     .help = "Points on a helix about z; node 0 is at [radius, 0, 0].",
                                     .size = sizeof(MbHelixSpec),
                                     .rows = helix_rows};
static const MbSchemaRow node_mesh_rows[] = {
    {"rope", MB_TYPE_INTEGER, AT(MbNodeMeshSpec, rope), .bound = MB_BETWEEN, .lo = 2, .hi = 1e5,
     .needs = "length", .help = "a line of so many nodes: node 0 at the origin, the others along +x"},
    {"length", MB_TYPE_NUMBER, AT(MbNodeMeshSpec, length), .bound = MB_ABOVE, .unit = "m", .needs = "rope",
     .help = "of the rope, from end to end"},
    {"points", MB_TYPE_POINTS, AT(MbNodeMeshSpec, points), COUNT(MbNodeMeshSpec, npoints), .least = 2,
     .unit = "m", .help = "places that a rod goes through at rest, [[x, y, z], ...]: node 0, 1, ..."},
    {"helix", MB_TYPE_OBJECT, AT(MbNodeMeshSpec, helix), .object = &helix,
     .help = "what a rod is like at rest that is a spring, or an arc"},
    {"grid", MB_TYPE_NUMBERS, AT(MbNodeMeshSpec, grid), .length = 2, .flags = MB_WHOLE, .bound = MB_FROM,
     .lo = 2, .needs = "size",
     .help =
         "nodes along x and along y: node 0 at the origin, the first row along +x, the next ones beside it "
         "along +y; at most 100000 in all, of cloth 1000000. Nodes in the middle of cells come after all "
         "others"},
    {"box", MB_TYPE_NUMBERS, AT(MbNodeMeshSpec, box), .length = 3, .flags = MB_WHOLE, .bound = MB_FROM,
     .lo = 2, .needs = "size",
     .help = "a block with so many nodes along x, y and z, for tets: node 0 at the origin, the others along "
             "+x, then +y, "
             "then +z; six tetrahedra a cube; at most 1000000 in all"},
    {"ball", MB_TYPE_INTEGER, AT(MbNodeMeshSpec, ball), .bound = MB_BETWEEN, .lo = 1, .hi = 130,
     .needs = "radius",
     .help = "a ball about the origin, for tets: so many tetrahedra along its diameter, rounded up to an "
             "even number; "
             "node 0 at its centre, the others shell by shell; for cloth its surface alone"},
    {"radius", MB_TYPE_NUMBER, AT(MbNodeMeshSpec, radius), .bound = MB_ABOVE, .unit = "m", .needs = "ball",
     .help = "of the ball"},
    {"size", MB_TYPE_SEQUENCE, AT(MbNodeMeshSpec, size), COUNT(MbNodeMeshSpec, nsize), .least = 2, .most = 3,
     .bound = MB_ABOVE, .unit = "m",
     .help = "of the grid along x and y: two numbers; of the box along x, y and z: three"},
    {"pattern", MB_TYPE_WORD, AT(MbNodeMeshSpec, pattern), .words = mb_pattern_words,
     .word_help = pattern_help, .fallback = "\"cross\"",
     .help =
         "of the grid: which diagonals of its cells are springs besides the sides, or how its cells are cut"},
    {"scale", MB_TYPE_NUMBER, AT(MbNodeMeshSpec, scale), .bound = MB_ABOVE, .fallback = "1", .needs = "file",
     .help = "factor on the file's coordinates"},
    {"weld", MB_TYPE_NUMBER, AT(MbNodeMeshSpec, weld), .bound = MB_ABOVE, .unit = "m", .needs = "file",
     .help = "vertices that are no further apart (after `scale`) become one, at the place of the first; "
             "numbers of nodes are those "
             "after that. Elements that then have the same corners are there once; absent: no vertices are "
             "joined"},
    {"order", MB_TYPE_INTEGER, AT(MbNodeMeshSpec, order), .bound = MB_BETWEEN, .lo = 1, .hi = 2,
     .help = "of tets: 2 = tetrahedra of ten nodes, whose displacement is quadratic and does not lock: "
             "behind all "
             "other nodes one in the middle of each edge; absent: 1, and of a file with such tetrahedra 2"},
    {"file", MB_TYPE_ELEMENTS, AT(MbNodeMeshSpec, file),
     .help = "tetrahedra (of Gmsh those of second order, too, with straight edges) or, for cloth, triangles: "
             "Gmsh's .msh (2.2 and 4.1), TetGen's .node with .ele, .vtk "
             "(legacy), or "
             "triangles from .obj; relative to the scene's directory"},
    {0}};
static const char *const node_mesh_keys[] = {"rope", "points", "helix", "grid", "box", "ball", "file", NULL};
static const MbSchemaObject node_mesh = {
    .name = "node_mesh",
    .help = "Where the nodes are before `pose`, and what stands between "
            "them. Ropes are for springs, particles and rods, points and helices for rods, grids "
            "for these and cloth, boxes for tets, balls for tets and cloth.",
    .size = sizeof(MbNodeMeshSpec),
    .rows = node_mesh_rows,
    .one_of = node_mesh_keys};

static const MbSchemaRow select_sphere_rows[] = {
    {"center", MB_TYPE_NUMBERS, AT(MbSelectSpec, center), .length = 3, .flags = MB_REQUIRED, .unit = "m",
     .help = "its middle"},
    {"radius", MB_TYPE_NUMBER, AT(MbSelectSpec, radius), .flags = MB_REQUIRED, .bound = MB_ABOVE, .unit = "m",
     .help = "its radius"},
    {0}};
static const MbSchemaObject select_sphere = {.name = "select_sphere",
                                             .help = "A ball in the mesh's coordinates.",
                                             .size = sizeof(MbSelectSpec),
                                             .rows = select_sphere_rows};
static const char *const sides[] = {"+x", "-x", "+y", "-y", "+z", "-z", NULL};
static const char *const ends[] = {"first", "last", NULL};
static const MbSchemaRow select_rows[] = {
    {"vertices", MB_TYPE_SEQUENCE, AT(MbSelectSpec, vertices), COUNT(MbSelectSpec, nvertices),
     .flags = MB_WHOLE, .bound = MB_FROM, .help = "numbers of nodes, from 0"},
    {"nearest", MB_TYPE_SEQUENCE, AT(MbSelectSpec, nearest), COUNT(MbSelectSpec, nnearest), .least = 3,
     .most = 3, .unit = "m", .help = "the node nearest to this place [x, y, z]"},
    {"side", MB_TYPE_TEXT, AT(MbSelectSpec, side), .words = sides, .help = "the nodes furthest that way"},
    {"box", MB_TYPE_CORNERS, AT(MbSelectSpec, box), EXTRA(MbSelectSpec, in_box), .unit = "m",
     .help = "the nodes in the box between two corners, the least and the greatest, and on its sides"},
    {"sphere", MB_TYPE_OBJECT, EXTRA(MbSelectSpec, in_sphere), .object = &select_sphere,
     .help = "the nodes in a ball, and on it"},
    {"clamp", MB_TYPE_TEXT, AT(MbSelectSpec, clamp), .words = ends,
     .help = "of a rod the first or the last point together with the rod's direction and how it is turned "
             "there: what holds it holds it against bending and twisting too"},
    {0}};
static const char *const select_keys[] = {"vertices", "nearest", "side", "box", "sphere", "clamp", NULL};
static const MbSchemaObject selection = {
    .name = "select",
    .help = "Some nodes of a deformable, by one of the keys; places are those "
            "of the mesh before `pose`.",
    .size = sizeof(MbSelectSpec),
    .rows = select_rows,
    .one_of = select_keys};

static const MbSchemaRow pin_rotation_rows[] = {
    {"axis", MB_TYPE_DIRECTION, AT(MbPinMotionSpec, axis), .flags = MB_REQUIRED,
     .help = "in the world; of any length but 0"},
    {"through", MB_TYPE_NUMBERS, AT(MbPinMotionSpec, through), .length = 3, .unit = "m",
     .fallback = "[0, 0, 0]", .help = "a place in the world that the axis goes through"},
    {"angle", MB_TYPE_SIGNAL, AT(MbPinMotionSpec, angle), .flags = MB_REQUIRED, .unit = "rad",
     .help = "angle about it, from where the nodes are at the start"},
    {0}};
static const MbSchemaObject pin_rotation = {.name = "pin_rotation",
                                            .help = "Turning about a line that is fixed in the world.",
                                            .size = sizeof(MbPinMotionSpec),
                                            .rows = pin_rotation_rows};
static const MbSchemaRow pin_motion_rows[] = {
    {"translate", MB_TYPE_SIGNALS, AT(MbPinMotionSpec, translate), .unit = "m", .fallback = "[0, 0, 0]",
     .help = "shift from where the nodes are at the start, in the world's axes; after the rotation"},
    {"rotate", MB_TYPE_OBJECT, EXTRA(MbPinMotionSpec, turns), .object = &pin_rotation,
     .help = "rotation from where they are at the start"},
    {0}};
static const MbSchemaObject pin_motion = {.name = "pin_motion",
                                          .help = "How pinned nodes move. Under solver `projective`.",
                                          .size = sizeof(MbPinMotionSpec),
                                          .rows = pin_motion_rows};
static const MbSchemaRow pin_rows[] = {
    {"select", MB_TYPE_OBJECT, AT(MbPinSpec, select), .flags = MB_REQUIRED, .object = &selection,
     .help = "which nodes"},
    {"axes", MB_TYPE_TEXT, AT(MbPinSpec, axes), .pattern = "^(?!.*(.).*\\1)[xyz]+$", .fallback = "\"xyz\"",
     .help = "axes of the world along which they are held: some of x, y, z"},
    {"motion", MB_TYPE_OBJECT, AT(MbPinSpec, motion), EXTRA(MbPinSpec, motion.given), .object = &pin_motion,
     .help = "how they are moved along these axes; absent: they stay where they are at the start"},
    {0}};
static const MbSchemaObject pin = {
    .name = "pin", .help = "Nodes that are held in space.", .size = sizeof(MbPinSpec), .rows = pin_rows};
static const MbSchemaRow masters_rows[] = {
    {"deformable", MB_TYPE_REFERENCE, AT(MbMastersSpec, deformable), .flags = MB_FORWARD,
     .set = MB_DEFORMABLE_NAMES, .help = "whose nodes they are; absent: of the same"},
    {"vertices", MB_TYPE_SEQUENCE, AT(MbMastersSpec, vertices), COUNT(MbMastersSpec, nvertices),
     .flags = MB_REQUIRED | MB_WHOLE, .bound = MB_FROM, .help = "their numbers, from 0"},
    {"weights", MB_TYPE_SEQUENCE, AT(MbMastersSpec, weights), COUNT(MbMastersSpec, nweights),
     .help =
         "one for each, which sum to 1; absent: those that bring the mean as near to the attached node as "
         "can be, between two nodes, in a triangle or a tetrahedron the barycentric ones"},
    {0}};
static const MbSchemaObject masters = {.name = "masters",
                                       .help = "Nodes whose weighted mean other nodes follow.",
                                       .size = sizeof(MbMastersSpec),
                                       .rows = masters_rows};
static const MbSchemaRow cable_rows[] = {
    {"path", MB_TYPE_LIST, AT(MbCableSpec, path), COUNT(MbCableSpec, npath), .flags = MB_REQUIRED, .least = 2,
     .object = &selection,
     .help = "the points that it goes through, from end to end: each the middle of the nodes of a selection"},
    {"pull", MB_TYPE_SIGNAL, AT(MbCableSpec, pull), EXTRA(MbCableSpec, pulled), .unit = "N",
     .help = "tension, below 0 as if it were 0; absent: the cable keeps the length that it has at the start"},
    {"compliance", MB_TYPE_NUMBER, AT(MbCableSpec, compliance), .bound = MB_FROM, .unit = "m/N",
     .fallback = "0", .help = "of one that keeps its length: how much longer a newton makes it; 0 = hard"},
    {0}};
static const MbSchemaObject cable = {.name = "cable",
                                     .help = "A cable through a deformable. Under solver `projective`.",
                                     .size = sizeof(MbCableSpec),
                                     .rows = cable_rows,
                                     .either = "pull",
                                     .or_else = "compliance"};
static const MbSchemaRow attach_rows[] = {
    {"select", MB_TYPE_OBJECT, AT(MbAttachSpec, select), .flags = MB_REQUIRED, .object = &selection,
     .help = "which nodes"},
    {"body", MB_TYPE_REFERENCE, AT(MbAttachSpec, body), .flags = MB_OR_WORLD, .set = MB_BODY_NAMES,
     .help = "that they stay at the same place of, or \"world\""},
    {"to", MB_TYPE_OBJECT, AT(MbAttachSpec, to), .object = &masters,
     .help =
         "nodes whose weighted mean they follow, each at the distance, in the world's axes, that it has at "
         "the start; these may be attached themselves, but not in a circle"},
    {"enforce", MB_TYPE_WORD, AT(MbAttachSpec, enforce), .words = mb_enforce_words,
     .fallback = "\"constraint\"",
     .help = "by constraints, or by \"reduction\": the nodes have no coordinates of their own and cannot "
             "come loose; they carry their mass and what pulls at them to the body or to the other nodes. "
             "Under solver "
             "\"projective\" it is always by constraints"},
    {0}};
static const MbSchemaObject attachment = {
    .name = "attach",
    .help = "Nodes that a body or other nodes hold where they are at the start.",
    .size = sizeof(MbAttachSpec),
    .rows = attach_rows,
    .either = "body",
    .or_else = "to",
    .one_of_both = true};

#define NODE_MASS                                                                                            \
  {                                                                                                          \
    "mass", MB_TYPE_NUMBER, AT(MbDeformableSpec, mass),                                                      \
        .flags = MB_REQUIRED, .bound = MB_ABOVE, .unit = "kg",                                               \
        .help = "of all nodes together, which share it equally"                                              \
  }
static const MbSchemaRow spring_material_rows[] = {
    NODE_MASS,
    {"stiffness", MB_TYPE_NUMBER, AT(MbDeformableSpec, stiffness), .flags = MB_REQUIRED, .bound = MB_FROM,
     .unit = "N/m, N", .help = "of every spring; a force where the law divides by the rest length"},
    {"damping", MB_TYPE_NUMBER, AT(MbDeformableSpec, damping), .bound = MB_FROM, .unit = "N s/m, N s",
     .fallback = "0", .help = "of every spring, as a force `spring` has it"},
    {"law", MB_TYPE_WORD, AT(MbDeformableSpec, law), .words = mb_law_words, .fallback = "\"linear\"",
     .help = "tension of a spring, as of a force `spring`; rest lengths are those in the mesh"},
    {"lagged", MB_TYPE_BOOL, AT(MbDeformableSpec, lagged), .fallback = "false",
     .help =
         "integrator \"implicit\" takes the springs' forces as they are at the start of the step, without "
         "their derivatives"},
    {0}};
static const MbSchemaObject spring_material = {.name = "spring_material",
                                               .help = "What springs and their nodes are like.",
                                               .size = sizeof(MbDeformableSpec),
                                               .rows = spring_material_rows};
static const MbSchemaRow particle_material_rows[] = {NODE_MASS, {0}};
static const MbSchemaObject particle_material = {.name = "particle_material",
                                                 .help = "What nodes are like.",
                                                 .size = sizeof(MbDeformableSpec),
                                                 .rows = particle_material_rows};
static const MbSchemaRow node_velocity_rows[] = {
    {"angular", MB_TYPE_NUMBERS, AT(MbDeformableSpec, angular), .length = 3, .unit = "rad/s",
     .fallback = "[0, 0, 0]", .help = "angular velocity about the origin of `pose`, world axes"},
    {"linear", MB_TYPE_NUMBERS, AT(MbDeformableSpec, linear), .length = 3, .unit = "m/s",
     .fallback = "[0, 0, 0]", .help = "velocity of that origin, world axes"},
    {0}};
static const MbSchemaObject node_velocity = {
    .name = "node_velocity",
    .help = "How nodes move at the start: as if they were one rigid body.",
    .size = sizeof(MbDeformableSpec),
    .rows = node_velocity_rows};
static const MbSchemaRow soft_contact_rows[] = {
    {"enabled", MB_TYPE_BOOL, AT(MbDeformableContactSpec, enabled), .fallback = "true",
     .help = "false: everything passes through it"},
    {"thickness", MB_TYPE_NUMBER, AT(MbDeformableContactSpec, thickness), .bound = MB_FROM, .unit = "m",
     .help = "its surface is half of it away from the nodes; absent: of cloth that of its material, of rods "
             "twice "
             "the radius, of others 0"},
    {"friction", MB_TYPE_NUMBER, AT(MbDeformableContactSpec, friction), .bound = MB_FROM,
     .help = "coefficient of friction; absent: the scene's"},
    {"self", MB_TYPE_BOOL, AT(MbDeformableContactSpec, self), EXTRA(MbDeformableContactSpec, self_given),
     .help = "whether it touches itself; absent: what the scene's `contact` says. Sheets, springs and "
             "particles need a thickness for it; what is nearer at rest than that is no contact"},
    {0}};
static const MbSchemaObject soft_contact = {
    .name = "deformable_contact",
    .help =
        "How the surface of a deformable touches the shapes of bodies, other deformables and itself, where "
        "the scene has `contact`: its nodes, and the triangles and edges of cloth and of what tetrahedra "
        "fill; springs, particles and the points of rods have nodes alone. It does not rebound by "
        "`restitution`, but as it is "
        "elastic.",
    .size = sizeof(MbDeformableContactSpec),
    .rows = soft_contact_rows};
static const MbSchemaRow deformable_rows[] = {
    {"name", MB_TYPE_NAME, AT(MbDeformableSpec, name), .flags = MB_REQUIRED, .set = MB_DEFORMABLE_NAMES,
     .help = "unique among the deformables"},
    {"mesh", MB_TYPE_OBJECT, AT(MbDeformableSpec, mesh), .flags = MB_REQUIRED, .object = &node_mesh,
     .help = "its nodes, and which of them are neighbours"},
    {"pose", MB_TYPE_OBJECT, AT(MbDeformableSpec, pose), .object = &mb_schema_frame,
     .help = "of the mesh's coordinates in the world at the start"},
    {"velocity", MB_TYPE_OBJECT, .object = &node_velocity, .help = "at the start"},
    {"pin", MB_TYPE_LIST, AT(MbDeformableSpec, pins), COUNT(MbDeformableSpec, npins), .object = &pin,
     .help = "nodes that are held in space"},
    {"attach", MB_TYPE_LIST, AT(MbDeformableSpec, attachments), COUNT(MbDeformableSpec, nattachments),
     .object = &attachment, .help = "nodes that bodies or other nodes hold"},
    {"contact", MB_TYPE_OBJECT, AT(MbDeformableSpec, contact), EXTRA(MbDeformableSpec, contact.given),
     .object = &soft_contact, .help = "how it takes part in contact; absent: as is said there of each key"},
    COLOR_OF(MbDeformableSpec, "absent: one by its place in the scene"),
    {"cables", MB_TYPE_LIST, AT(MbDeformableSpec, cables), COUNT(MbDeformableSpec, ncables), .object = &cable,
     .help = "cables through nodes"},
    {0}};
static const MbSchemaRow springs_rows[] = {{"material", MB_TYPE_OBJECT, .flags = MB_REQUIRED,
                                            .object = &spring_material,
                                            .help = "mass, stiffness and damping"},
                                           {0}};
static const MbSchemaRow particles_rows[] = {
    {"material", MB_TYPE_OBJECT, .flags = MB_REQUIRED, .object = &particle_material, .help = "mass"}, {0}};

static const MbSchemaRow fibres_rows[] = {
    {"direction", MB_TYPE_DIRECTION, AT(MbFibresSpec, direction), .flags = MB_REQUIRED,
     .help = "in the mesh's coordinates, of any length but 0; in cloth what of it lies in each triangle"},
    {"stiffness", MB_TYPE_NUMBER, AT(MbFibresSpec, stiffness), .bound = MB_FROM, .unit = "Pa",
     .fallback = "0", .help = "stress by strain along them, when they are stretched; pressed they are slack"},
    {"limit", MB_TYPE_NUMBER, AT(MbFibresSpec, limit), .bound = MB_FROM, .fallback = "0", .needs = "beyond",
     .help = "strain from which on they are stiffer, as yarn that is no longer crimped"},
    {"beyond", MB_TYPE_NUMBER, AT(MbFibresSpec, beyond), .bound = MB_FROM, .unit = "Pa", .fallback = "0",
     .help = "stiffness that `limit` adds"},
    {"strength", MB_TYPE_NUMBER, AT(MbFibresSpec, strength), .bound = MB_FROM, .unit = "Pa", .fallback = "0",
     .needs = "activation",
     .help = "stress that they draw with when they are fully activated, by the area at rest"},
    {"activation", MB_TYPE_SIGNAL, AT(MbFibresSpec, activation), EXTRA(MbFibresSpec, activated),
     .needs = "strength",
     .help = "of a muscle: 0 to 1, and no less and no more than that where it is given so"},
    {0}};
static const MbSchemaObject fibres = {
    .name = "fibres",
    .help = "Fibres that are all through the elements, along one direction at rest: warp or weft of cloth, "
            "muscle, "
            "reinforcement. What they do is added to what the rest of the material does.",
    .size = sizeof(MbFibresSpec),
    .rows = fibres_rows};
#define FIBRES                                                                                               \
  {                                                                                                          \
    "fibres", MB_TYPE_LIST, AT(MbDeformableSpec, fibres), COUNT(MbDeformableSpec, nfibres),                  \
        .object = &fibres,                                                                                   \
        .help =                                                                                              \
            "families of fibres in it, each with a direction; absent: the material is the same all round"    \
  }
static const char *const elastic_help[] = {
    "as rigid as possible: resists shear and stretch alike, volume not at all; `poisson` has no effect",
    "linear in the stretches, rotations taken out",
    "compressible, and stiffer the more it is squeezed: mu/2 (|F|^2 - 3) - mu ln J + lambda/2 ln^2 J; below "
    "J = 0.1 the "
    "terms in ln J go on as their parabola there, so that what is pressed flat or inside out pushes back by "
    "a finite force",
    "of small strains only: turned parts swell; not of cloth", NULL};
#define ELASTIC                                                                                              \
  {"model",                                                                                                  \
   MB_TYPE_WORD,                                                                                             \
   AT(MbDeformableSpec, model),                                                                              \
   .words = mb_elastic_words,                                                                                \
   .word_help = elastic_help,                                                                                \
   .fallback = "\"neo_hookean\"",                                                                            \
   .help = "how stress follows strain"},                                                                     \
      {"young",           MB_TYPE_NUMBER, AT(MbDeformableSpec, young),      .flags = MB_REQUIRED,            \
       .bound = MB_ABOVE, .unit = "Pa",   .help = "Young's modulus at rest"},                                \
      {"poisson",                                                                                            \
       MB_TYPE_NUMBER,                                                                                       \
       AT(MbDeformableSpec, poisson),                                                                        \
       .bound = MB_BETWEEN,                                                                                  \
       .lo = -0.99,                                                                                          \
       .hi = 0.4999,                                                                                         \
       .fallback = "0.3",                                                                                    \
       .help = "Poisson's ratio at rest; of `neo_hookean` not below 0"},                                     \
      {"damping",                                                                                            \
       MB_TYPE_NUMBER,                                                                                       \
       AT(MbDeformableSpec, damping),                                                                        \
       .bound = MB_FROM,                                                                                     \
       .fallback = "0",                                                                                      \
       .unit = "s",                                                                                          \
       .help = "in proportion to stiffness (Rayleigh's beta): a vibration of angular frequency w has the "   \
               "damping ratio beta w/2. A stress beta C : dE/dt beside the elastic one, with the stiffness " \
               "C at rest and Green's strain E, so that rigid motions feel nothing; bending of cloth has a " \
               "damping of its own"},                                                                        \
  {                                                                                                          \
    "density", MB_TYPE_NUMBER, AT(MbDeformableSpec, density), .flags = MB_REQUIRED, .bound = MB_ABOVE,       \
                                                              .unit = "kg/m^3", .help = "at rest"            \
  }
static const MbSchemaRow tet_material_rows[] = {ELASTIC, FIBRES, {0}};
static const MbSchemaObject tet_material = {.name = "tet_material",
                                            .help = "What tetrahedra are made of.",
                                            .size = sizeof(MbDeformableSpec),
                                            .rows = tet_material_rows};
static const char *const bending_help[] = {
    "as a plate without Poisson's effect, on any mesh (Morley's triangles); its rest shape is the mesh's, "
    "curved or flat",
    "by Laplacians at nodes, to compare with others: free edges bend several times too "
    "easily; the rest shape is flat",
    "not at all", NULL};
static const MbSchemaRow bending_rows[] = {
    {"model", MB_TYPE_WORD, AT(MbBendingSpec, model), .words = mb_bending_words, .word_help = bending_help,
     .fallback = "\"isometric\"", .help = "how bending is resisted"},
    {"stiffness", MB_TYPE_NUMBER, AT(MbBendingSpec, stiffness), .bound = MB_FROM, .unit = "J",
     .help = "energy of an area A on a cylinder of radius R: stiffness A / 2 R^2; absent: that of a plate, "
             "young thickness^3 / 12 (1 - poisson^2)"},
    {"damping", MB_TYPE_NUMBER, AT(MbBendingSpec, damping), .bound = MB_FROM, .fallback = "0", .unit = "s",
     .help = "in proportion to this stiffness, beside what `damping` of the material does to stretching: a "
             "vibration by bending of angular frequency w has the damping ratio damping w/2. By the rates of "
             "curvatures, so that rigid motions feel nothing; of model `isometric` alone"},
    {0}};
static const MbSchemaObject bending = {.name = "bending",
                                       .help = "How cloth resists bending.",
                                       .size = sizeof(MbBendingSpec),
                                       .rows = bending_rows};
static const MbSchemaRow cloth_material_rows[] = {
    ELASTIC,
    FIBRES,
    {"thickness", MB_TYPE_NUMBER, AT(MbDeformableSpec, thickness), .flags = MB_REQUIRED, .bound = MB_ABOVE,
     .unit = "m", .help = "of the cloth"},
    {"bending", MB_TYPE_OBJECT, AT(MbDeformableSpec, bending), EXTRA(MbDeformableSpec, bending.given),
     .object = &bending, .help = "how it resists bending; absent: not at all"},
    {0}};
static const MbSchemaObject cloth_material = {.name = "cloth_material",
                                              .help = "What triangles are made of: a sheet in plane stress.",
                                              .size = sizeof(MbDeformableSpec),
                                              .rows = cloth_material_rows};
static const MbSchemaRow start_mesh_rows[] = {
    {"scale", MB_TYPE_NUMBER, AT(MbNodeMeshSpec, scale), .bound = MB_ABOVE, .fallback = "1",
     .help = "factor on the file's coordinates"},
    {"file", MB_TYPE_ELEMENTS, AT(MbNodeMeshSpec, file), .flags = MB_REQUIRED,
     .help = "a mesh with as many vertices as `mesh`, of which only the places are read; relative to the "
             "scene's directory"},
    {0}};
static const MbSchemaObject start_mesh = {
    .name = "start_mesh",
    .help = "Where nodes are at the start, apart from where they are at rest.",
    .size = sizeof(MbNodeMeshSpec),
    .rows = start_mesh_rows};
#define START                                                                                                \
  {                                                                                                          \
    "start", MB_TYPE_OBJECT, AT(MbDeformableSpec, start),                                                    \
        .object = &start_mesh,                                                                               \
        .help = "where its nodes are at the start, before `pose`: it is then strained by how these places "  \
                "differ from the "                                                                           \
                "mesh's, which are those at rest; absent: at rest. `select` goes by places at rest"          \
  }
static const MbSchemaRow gas_rows[] = {
    {"pressure", MB_TYPE_NUMBER, AT(MbGasSpec, pressure), .flags = MB_REQUIRED, .bound = MB_ABOVE,
     .unit = "Pa", .help = "of the gas at the start, from 0 on and not from that outside"},
    {"outside", MB_TYPE_NUMBER, AT(MbGasSpec, outside), .bound = MB_FROM, .unit = "Pa", .fallback = "0",
     .help = "pressure around it, which stays"},
    {0}};
static const MbSchemaObject gas = {
    .name = "gas",
    .help = "A gas that is enclosed and keeps its temperature: pressure times volume "
            "stays what it is at the start. Under solver `projective`, and not by its "
            "method `projective`.",
    .size = sizeof(MbGasSpec),
    .rows = gas_rows};
static const MbSchemaRow wind_rows[] = {
    {"velocity", MB_TYPE_SIGNALS, AT(MbWindSpec, velocity), .flags = MB_REQUIRED, .unit = "m/s",
     .help = "of the air, in the world's axes"},
    {"density", MB_TYPE_NUMBER, AT(MbWindSpec, density), .bound = MB_ABOVE, .unit = "kg/m^3",
     .fallback = "1.2", .help = "of the air"},
    {"drag", MB_TYPE_NUMBER, AT(MbWindSpec, drag), .bound = MB_FROM, .fallback = "1",
     .help = "coefficient of what acts along the relative velocity u: density/2 drag u^2 times the area that "
             "stands "
             "across it"},
    {"lift", MB_TYPE_NUMBER, AT(MbWindSpec, lift), .bound = MB_FROM, .fallback = "0",
     .help = "coefficient of what acts across it, in the plane of u and the triangle's normal: of a triangle "
             "of area A "
             "at an angle of attack a density/2 lift A u^2 sin(a) cos(a)"},
    {0}};
static const MbSchemaObject wind = {.name = "wind",
                                    .help = "Air that moves: each triangle of the surface feels its velocity "
                                            "against its own, and nothing of the others. "
                                            "Cloth that is open feels it on both sides, closed surfaces "
                                            "where they are turned to it. Air at rest brakes "
                                            "what moves through it.",
                                    .size = sizeof(MbWindSpec),
                                    .rows = wind_rows};
#define SURFACE                                                                                              \
  {"pressure",                                                                                               \
   MB_TYPE_SIGNAL,                                                                                           \
   AT(MbDeformableSpec, pressure),                                                                           \
   EXTRA(MbDeformableSpec, pressed),                                                                         \
   .unit = "Pa",                                                                                             \
   .help = "inside closed surfaces, beside that outside: cloth without an edge, hollows of tetrahedra; "     \
           "below 0 it draws "                                                                               \
           "them in. Its energy, pressure times what the volume has grown since the start, is taken off "    \
           "the elastic one"},                                                                               \
      {"gas", MB_TYPE_OBJECT, AT(MbDeformableSpec, gas), .object = &gas,                                     \
       .help = "inside closed surfaces, each with one of its own; a `pressure` adds to it"},                 \
  {                                                                                                          \
    "wind", MB_TYPE_OBJECT, AT(MbDeformableSpec, wind), EXTRA(MbDeformableSpec, wind.given),                 \
        .object = &wind, .help = "what the air does to its surface; absent: there is none"                   \
  }
static const MbSchemaRow tets_rows[] = {
    START,
    SURFACE,
    {"material", MB_TYPE_OBJECT, .flags = MB_REQUIRED, .object = &tet_material, .help = "what it is made of"},
    {0}};
static const MbSchemaRow cloth_rows[] = {START,
                                         SURFACE,
                                         {"material", MB_TYPE_OBJECT, .flags = MB_REQUIRED,
                                          .object = &cloth_material, .help = "what it is made of"},
                                         {0}};
static const MbSchemaRow rod_material_rows[] = {
    {"radius", MB_TYPE_NUMBER, AT(MbDeformableSpec, radius), .flags = MB_REQUIRED, .bound = MB_ABOVE,
     .unit = "m", .help = "of its round section"},
    {"young", MB_TYPE_NUMBER, AT(MbDeformableSpec, young), .flags = MB_REQUIRED, .bound = MB_ABOVE,
     .unit = "Pa", .help = "Young's modulus: times the section's area its stiffness against stretching"},
    {"poisson", MB_TYPE_NUMBER, AT(MbDeformableSpec, poisson), .bound = MB_BETWEEN, .lo = -0.99, .hi = 0.4999,
     .fallback = "0.3", .help = "Poisson's ratio, by which it resists twisting"},
    {"bending", MB_TYPE_NUMBER, AT(MbDeformableSpec, bends), .bound = MB_ABOVE, .unit = "N m^2",
     .help = "moment by curvature; absent: young pi radius^4 / 4"},
    {"twisting", MB_TYPE_NUMBER, AT(MbDeformableSpec, twists), .bound = MB_ABOVE, .unit = "N m^2",
     .help = "moment by twist along its length, at most twice that of bending; absent: young pi radius^4 / 4 "
             "(1 + poisson)"},
    {"damping", MB_TYPE_NUMBER, AT(MbDeformableSpec, damping), .bound = MB_FROM, .fallback = "0", .unit = "s",
     .help =
         "in proportion to stiffness (Rayleigh's beta) of stretching, bending and twisting: a vibration of "
         "angular frequency w has the damping ratio beta w/2. Rigid motions feel nothing"},
    {"density", MB_TYPE_NUMBER, AT(MbDeformableSpec, density), .flags = MB_REQUIRED, .bound = MB_ABOVE,
     .unit = "kg/m^3", .help = "at rest"},
    {0}};
static const MbSchemaObject rod_material = {.name = "rod_material",
                                            .help = "What rods are made of, and how thick they are.",
                                            .size = sizeof(MbDeformableSpec),
                                            .rows = rod_material_rows};
static const MbSchemaRow rod_rows[] = {
    {"material", MB_TYPE_OBJECT, .flags = MB_REQUIRED, .object = &rod_material, .help = "what it is made of"},
    {0}};
static const MbSchemaVariant deformable_variants[] = {
    [MB_DEFORMABLE_SPRINGS] = {.rows = springs_rows,
                               .help = "point masses, and springs between neighbours in the mesh"},
    [MB_DEFORMABLE_PARTICLES] = {.rows = particles_rows,
                                 .help = "point masses alone; forces may act between them"},
    [MB_DEFORMABLE_TETS] = {.rows = tets_rows, .help = "an elastic body of tetrahedra"},
    [MB_DEFORMABLE_CLOTH] = {.rows = cloth_rows, .help = "an elastic sheet of triangles"},
    [MB_DEFORMABLE_ROD] = {.rows = rod_rows,
                           .help = "a thin round rod that resists stretching, bending and twisting; at rest "
                                   "it is as its mesh has it. Nodes behind its points tell how its segments "
                                   "are turned"}};
const MbSchemaObject mb_schema_deformable = {.name = "deformable",
                                             .help = "What changes its shape: nodes, which are point masses.",
                                             .size = sizeof(MbDeformableSpec),
                                             .rows = deformable_rows,
                                             .selector = "type",
                                             .selector_offset = offsetof(MbDeformableSpec, kind),
                                             .words = mb_deformable_words,
                                             .variants = deformable_variants,
                                             .hints = color_hints};
