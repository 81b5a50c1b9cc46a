#include "io/scene/schema_rows.h"

// ---- frames and signals -----------------------------------------------------------------------------------

static const MbSchemaRow axis_angle_rows[] = {{"axis", MB_TYPE_DIRECTION, AT(MbAxisAngle, axis),
                                               .flags = MB_REQUIRED,
                                               .help = "axis of the rotation; of any length but 0"},
                                              {"angle", MB_TYPE_NUMBER, AT(MbAxisAngle, angle),
                                               .flags = MB_REQUIRED, .unit = "rad", .help = "angle about it"},
                                              {0}};
const MbSchemaObject mb_schema_axis_angle = {.name = "axis_angle",
                                             .help = "A rotation by an angle about an axis.",
                                             .size = sizeof(MbAxisAngle),
                                             .rows = axis_angle_rows};

const char *const mb_euler_orders[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx",
                                       "xzx", "yxy", "yzy", "zxz", "zyz", NULL};
static const MbSchemaRow euler_rows[] = {
    {"euler", MB_TYPE_TEXT, AT(MbEuler, order), .flags = MB_REQUIRED, .words = mb_euler_orders,
     .help = "three letters of x, y, z, none twice in a row, as \"xyz\" or \"zxz\": the rotations happen in "
             "the order "
             "of the letters, each about an axis of the frame that the ones before have turned (intrinsic)"},
    {"angles", MB_TYPE_NUMBERS, AT(MbEuler, angles), .length = 3, .flags = MB_REQUIRED, .unit = "rad",
     .help = "one angle per letter"},
    {0}};
const MbSchemaObject mb_schema_euler = {
    .name = "euler", .help = "A rotation by three angles.", .size = sizeof(MbEuler), .rows = euler_rows};

static const MbSchemaRow frame_rows[] = {{"position", MB_TYPE_NUMBERS, AT(MbFrameSpec, position), .length = 3,
                                          .unit = "m", .fallback = "[0, 0, 0]", .help = "origin"},
                                         {"rotation", MB_TYPE_ROTATION, AT(MbFrameSpec, rotation),
                                          .fallback = "[1, 0, 0, 0]",
                                          .help = "a quaternion [w, x, y, z] of length 1 (within 1e-6), "
                                                  "{\"axis\", \"angle\"}, {\"euler\", \"angles\"}, or "
                                                  "a rotation matrix as a list of three rows"},
                                         {0}};
static const MbSchemaHint frame_hints[] = {
    {"rpy", "roll, pitch and yaw are \"rotation\": {\"euler\": \"zyx\", \"angles\": [yaw, pitch, roll]}"},
    {"euler", "write \"rotation\": {\"euler\": ..., \"angles\": [...]}"},
    {"angles", "write \"rotation\": {\"euler\": ..., \"angles\": [...]}"},
    {"axis", "write \"rotation\": {\"axis\": [...], \"angle\": ...}"},
    {"angle", "write \"rotation\": {\"axis\": [...], \"angle\": ...}"},
    {"quaternion", "write \"rotation\": [w, x, y, z]"},
    {"quat", "write \"rotation\": [w, x, y, z]"},
    {"orientation", "write \"rotation\""},
    {"pos", "write \"position\""},
    {"xyz", "write \"position\""},
    {"translation", "write \"position\""},
    {NULL, NULL}};
const MbSchemaObject mb_schema_frame = {.name = "frame",
                                        .help = "A place and an orientation in another frame.",
                                        .size = sizeof(MbFrameSpec),
                                        .rows = frame_rows,
                                        .hints = frame_hints};

static const char *const interpolation_help[] = {
    "straight lines from point to point", "the value of the last point, until the next",
    "a natural cubic spline: smooth in value, slope and curvature, straight at its ends. It goes beyond the "
    "points where "
    "they change suddenly (before and after a pulse); take `linear` for such",
    NULL};
static const MbSchemaRow signal_rows[] = {
    {"times", MB_TYPE_SEQUENCE, AT(MbSignalTable, times), COUNT(MbSignalTable, ntimes), .flags = MB_REQUIRED,
     .unit = "s", .help = "strictly increasing; before the first and after the last the value stays"},
    {"values", MB_TYPE_SEQUENCE, AT(MbSignalTable, values), COUNT(MbSignalTable, nvalues),
     .flags = MB_REQUIRED, .help = "as many as times"},
    {"interpolation", MB_TYPE_WORD, AT(MbSignalTable, interpolation), .words = mb_interpolation_words,
     .word_help = interpolation_help, .fallback = "\"linear\"", .help = "what is between the points"},
    {0}};
const MbSchemaObject mb_schema_signal = {.name = "signal_table",
                                         .help = "A value over time, by points.",
                                         .size = sizeof(MbSignalTable),
                                         .rows = signal_rows};

// ---- time, solver, integrator -----------------------------------------------------------------------------

static const MbSchemaRow time_rows[] = {
    {"step", MB_TYPE_NUMBER, AT(MbTimeSpec, step), .flags = MB_REQUIRED, .bound = MB_ABOVE, .unit = "s",
     .help = "length of a time step"},
    {"duration", MB_TYPE_NUMBER, AT(MbTimeSpec, duration), .bound = MB_FROM, .unit = "s",
     .help = "simulated time; give this or `steps`. One that is no whole number of steps is rounded up to "
             "it, with a "
             "warning"},
    {"steps", MB_TYPE_INTEGER, AT(MbTimeSpec, steps), .absent = -1, .bound = MB_BETWEEN, .hi = 1e15,
     .help = "number of steps; give this or `duration`"},
    {0}};
static const MbSchemaObject time_object = {.name = "time",
                                           .help = "How long, and in steps of what length.",
                                           .size = sizeof(MbTimeSpec),
                                           .rows = time_rows,
                                           .either = "duration",
                                           .or_else = "steps",
                                           .one_of_both = true};

static const MbSchemaRow baumgarte_rows[] = {
    {"gamma", MB_TYPE_NUMBER, AT(MbStabilizationSpec, gamma), .bound = MB_FROM, .unit = "1/s",
     .help = "rate at which an error of position is asked to "
             "shrink; absent: 1 / `step`, or with integrator \"rk45\" five times the rate at which the scene "
             "swings, spins or is done, and limits and ropes act before they are passed, not after it"},
    {"upper_limits", MB_TYPE_WORD, AT(MbStabilizationSpec, upper_limits), .words = mb_upper_limit_words,
     .fallback = "\"inward\"",
     .help = "where a coordinate beyond its upper limit is asked to go: "
             "back, or \"outward\" at `gamma` times what it is beyond: a "
             "slip of sign in the published REDMAX code, to reproduce "
             "its numbers"},
    {0}};
static const MbSchemaRow stabilization_rows[] = {
    {"largest_error", MB_TYPE_NUMBER, AT(MbStabilizationSpec, largest_error), .absent = 0, .bound = MB_ABOVE,
     .fallback = "0.05",
     .help =
         "how far a hard constraint may be open: a length by the size of the scene's largest moving part, "
         "an angle in rad. A run in which one is further open for ten steps, and does not close (with "
         "`gamma`: not by half in 3 / `gamma`), ends with exit 4 and the constraint's name"},
    {0}};
static const MbSchemaRow *const stabilization_variants[] = {baumgarte_rows, NULL, NULL};
static const char *const stabilization_help[] = {
    "velocities are asked for that close the gaps; with integrator \"rk45\" accelerations, critically damped",
    "after each step positions are moved, by as little as masses tell, until the constraints hold; not with "
    "integrator \"rk45\"",
    "errors of position stay and grow with time"};
static const MbSchemaObject stabilization = {
    .name = "stabilization",
    .help =
        "What keeps constraints from drifting apart. Near positions at which a loop could go on by another "
        "motion as well, as a parallelogram that lies flat, each of them puts positions back onto the "
        "constraints.",
    .size = sizeof(MbStabilizationSpec),
    .rows = stabilization_rows,
    .selector = "type",
    .selector_offset = offsetof(MbStabilizationSpec, kind),
    .words = mb_stabilization_words,
    .variants = stabilization_variants,
    .variant_help = stabilization_help,
    .selector_fallback = "baumgarte",
    .bare = true};

static const MbSchemaRow solver_rows[] = {
    {"threads", MB_TYPE_COUNT, AT(MbSolverSpec, threads), .bound = MB_BETWEEN, .lo = 1, .hi = 1024,
     .fallback = "1", .help = "threads of one run; the result does not depend on it"},
    {"device", MB_TYPE_WORD, AT(MbSolverSpec, device), .words = mb_device_words, .fallback = "\"cpu\"",
     .help = "where it runs"},
    {"stabilization", MB_TYPE_OBJECT, AT(MbSolverSpec, stabilization), .object = &stabilization,
     .help = "of constraints"},
    {0}};
static const MbSchemaRow maximal_rows[] = {
    {"mode", MB_TYPE_WORD, AT(MbSolverSpec, mode), .words = mb_mode_words, .fallback = "\"dynamic\"",
     .help =
         "\"dynamic\": f = m a; \"first_order\": f = m v, where forces give velocities and motion stops with "
         "them (kinematic dragging, creep); not with integrator \"bridson_marino\""},
    {"velocity_terms", MB_TYPE_WORD, AT(MbSolverSpec, terms), .words = mb_velocity_terms_words,
     .fallback = "\"carried\"",
     .help = "\"carried\": linear velocities and angular momenta stay as they are in the world's axes but "
             "for what "
             "forces and joints do; \"explicit\": what turns them in the bodies' axes is a force, taken at "
             "the step's "
             "start, as in the published maximal examples, to reproduce their numbers: momentum and spin "
             "grow. With "
             "integrator \"symplectic\" or \"implicit\", without `project`"},
    {"linear", MB_TYPE_WORD, AT(MbSolverSpec, linear), .words = mb_linear_words, .fallback = "\"auto\"",
     .help =
         "how velocities and multipliers are found: \"tree\" in time that grows with the number of bodies; "
         "\"sparse\" where forces couple bodies that no joint joins and the integrator is implicit; "
         "\"dense\" by "
         "LAPACK; \"auto\": tree where that can be. The result is the same but for rounding"},
    {"project", MB_TYPE_BOOL, AT(MbSolverSpec, project), .fallback = "false",
     .help =
         "true: from joints' coordinates to bodies and back in each step, so that joints never come apart"},
    {0}};
static const MbSchemaRow redmax_rows[] = {
    {"dynamics", MB_TYPE_WORD, AT(MbSolverSpec, dynamics), .words = mb_dynamics_words, .fallback = "\"auto\"",
     .help = "\"recursive\": in time that grows with the number of "
             "bodies (by iterations to 1e-12 where forces "
             "couple bodies and the integrator is implicit); \"dense\": "
             "by a dense matrix; \"auto\": recursive, or dense where "
             "it would iterate and there are at most 16 degrees of "
             "freedom. The result is the same but for rounding"},
    {0}};
static const char *const global_help[] = {
    "the device's own choice: `cholesky` on a CPU",
    "triangular solves with a sparse factor",
    "two products with the sparse inverse of that factor, which takes more memory",
    "the inverse of blocks of the factor: between these two in memory and in how many products depend on "
    "each other",
    "a sweep of Jacobi's method: approximate",
    "ten such sweeps, sped up by Chebyshev's recurrence: approximate",
    NULL};
static const char *const precision_help[] = {"64 bits", "32 bits, and a correction that makes up for it",
                                             NULL};
static const char *const method_help[] = {
    "what goes with the scene: `projective`",
    "quasi-Newton steps with a limited memory on a matrix that stays the same, and a line search",
    "a local and a global step in turn, with a matrix that stays the same",
    "Newton's method with exact derivatives and a line search: slow, the truth that others are held against",
    NULL};
static const char *const bodies_solver_help[] = {"reduced (joint) coordinates",
                                                 "maximal coordinates: every body has six", NULL};
static const MbSchemaRow projective_rows[] = {
    {"bodies", MB_TYPE_WORD, AT(MbSolverSpec, bodies), .words = mb_bodies_solver_words,
     .word_help = bodies_solver_help, .fallback = "\"redmax\"",
     .help = "what moves the bodies, which are solved for together with the nodes that attachments, "
             "constraints and forces tie to them"},
    {"iterations", MB_TYPE_COUNT, AT(MbSolverSpec, iterations), .bound = MB_BETWEEN, .lo = 1, .hi = 1e6,
     .help = "of a step, at most; 5 where it is not given, 100 with method \"newton\""},
    {"global", MB_TYPE_WORD, AT(MbSolverSpec, global), .words = mb_global_words, .word_help = global_help,
     .fallback = "\"auto\"", .help = "how the global step solves its equations"},
    {"tolerance", MB_TYPE_NUMBER, AT(MbSolverSpec, tolerance), .bound = MB_FROM, .fallback = "0",
     .help = "stops iterating when the largest correction of a node is below this share of the largest "
             "deformable's "
             "size; a step that does not come to it in `iterations` is an error. 0: all iterations are done"},
    {"precision", MB_TYPE_WORD, AT(MbSolverSpec, precision), .words = mb_precision_words,
     .word_help = precision_help, .fallback = "\"double\"",
     .help = "of the numbers that the global step keeps; unknowns always have 64 bits"},
    {"method", MB_TYPE_WORD, AT(MbSolverSpec, method), .words = mb_method_words, .word_help = method_help,
     .fallback = "\"auto\"", .help = "how a step's equations are solved"},
    {0}};
static const MbSchemaRow *const solver_variants[] = {redmax_rows, maximal_rows, projective_rows};
static const char *const solver_help[] = {
    "reduced (joint) coordinates", "maximal coordinates: every body has six",
    "deformables by projective dynamics, and bodies together with them"};
static const MbSchemaObject solver = {
    .name = "solver",
    .help = "How the equations are solved: a word, or an object with options. Scenes of free bodies "
            "run the same under every solver.",
    .size = sizeof(MbSolverSpec),
    .rows = solver_rows,
    .selector = "type",
    .selector_offset = offsetof(MbSolverSpec, kind),
    .words = mb_solver_words,
    .variants = solver_variants,
    .variant_help = solver_help,
    .selector_fallback = "redmax",
    .bare = true};

static const MbSchemaRow integrator_rows[] = {{0}};
static const MbSchemaRow rk45_rows[] = {
    {"relative", MB_TYPE_NUMBER, AT(MbIntegratorSpec, relative), .bound = MB_ABOVE, .fallback = "1e-6",
     .help = "error allowed in a step, relative to the value"},
    {"absolute", MB_TYPE_NUMBER, AT(MbIntegratorSpec, absolute), .bound = MB_ABOVE, .fallback = "1e-9",
     .help = "error allowed in a step, in SI units"},
    {0}};
static const MbSchemaRow *const integrator_variants[] = {NULL, NULL, NULL, NULL, rk45_rows};
static const char *const integrator_help[] = {
    "symplectic Euler: first order, forces as they are before the step; springs neither gain nor lose, fast "
    "spins gain energy",
    "linearly implicit Euler: first order, damps, stable with stiff forces",
    "trapezoidal rule, with joints the midpoint rule: second order, stable with stiff joints",
    "second order, damps little; Bridson and Marino's scheme: damping implicit, stiffness explicit",
    "adaptive Runge-Kutta of order 5 with error control; `step` is the longest step"};
static const MbSchemaObject integrator = {.name = "integrator",
                                          .help = "How time is stepped: a word, or an object with options.",
                                          .size = sizeof(MbIntegratorSpec),
                                          .rows = integrator_rows,
                                          .selector = "type",
                                          .selector_offset = offsetof(MbIntegratorSpec, kind),
                                          .words = mb_integrator_words,
                                          .variants = integrator_variants,
                                          .variant_help = integrator_help,
                                          .selector_fallback = "implicit",
                                          .bare = true};

// ---- materials and shapes ---------------------------------------------------------------------------------

static const MbSchemaRow material_rows[] = {{"density", MB_TYPE_NUMBER, AT(MbMaterialSpec, density),
                                             .bound = MB_ABOVE, .unit = "kg/m^3", .help = "mass density"},
                                            LATER("model", "elastic law"),
                                            LATER("young", "elasticity"),
                                            LATER("poisson", "elasticity"),
                                            LATER("thickness", "of cloth"),
                                            LATER("bending", "of cloth"),
                                            LATER("stiffness", "of springs"),
                                            LATER("damping", "of springs"),
                                            LATER("mass", "of springs"),
                                            {0}};
static const MbSchemaObject material = {.name = "material",
                                        .help = "What things are made of.",
                                        .size = sizeof(MbMaterialSpec),
                                        .rows = material_rows};

// ---- deformables ------------------------------------------------------------------------------------------

static const char *const pattern_help[] = {
    "both diagonals of every cell; of cloth, a node in the middle of every cell and four triangles",
    "one diagonal, from corner [0, 0]; of cloth, two triangles a cell", "no diagonals; not of cloth", NULL};
static const MbSchemaRow node_mesh_rows[] = {
    {"rope", MB_TYPE_INTEGER, AT(MbNodeMeshSpec, rope), .bound = MB_BETWEEN, .lo = 2, .hi = 1e5,
     .needs = "length", .help = "a line of so many nodes: node 0 at the origin, the others along +x"},
    {"length", MB_TYPE_NUMBER, AT(MbNodeMeshSpec, length), .bound = MB_ABOVE, .unit = "m", .needs = "rope",
     .help = "of the rope, from end to end"},
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
             "node 0 at its centre, the others shell by shell"},
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
    {"file", MB_TYPE_ELEMENTS, AT(MbNodeMeshSpec, file),
     .help = "tetrahedra or, for cloth, triangles: Gmsh's .msh (2.2 and 4.1), TetGen's .node with .ele, .vtk "
             "(legacy), or "
             "triangles from .obj; relative to the scene's directory"},
    {0}};
static const char *const node_mesh_keys[] = {"rope", "grid", "box", "ball", "file", NULL};
static const MbSchemaObject node_mesh = {.name = "node_mesh",
                                         .help = "Where the nodes are before `pose`, and what stands between "
                                                 "them. Ropes are for springs and particles, grids "
                                                 "for these and cloth, boxes and balls for tets.",
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
    {0}};
static const char *const select_keys[] = {"vertices", "nearest", "side", "box", "sphere", NULL};
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
    {"cables", MB_TYPE_LIST, AT(MbDeformableSpec, cables), COUNT(MbDeformableSpec, ncables), .object = &cable,
     .help = "cables through nodes"},
    {0}};
static const MbSchemaRow springs_rows[] = {{"material", MB_TYPE_OBJECT, .flags = MB_REQUIRED,
                                            .object = &spring_material,
                                            .help = "mass, stiffness and damping"},
                                           {0}};
static const MbSchemaRow particles_rows[] = {
    {"material", MB_TYPE_OBJECT, .flags = MB_REQUIRED, .object = &particle_material, .help = "mass"}, {0}};

static const char *const elastic_help[] = {
    "as rigid as possible: resists shear and stretch alike, volume not at all; `poisson` has no effect",
    "linear in the stretches, rotations taken out", "compressible, and stiffer the more it is squeezed",
    "of small strains only: turned parts swell", NULL};
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
  {                                                                                                          \
    "density", MB_TYPE_NUMBER, AT(MbDeformableSpec, density), .flags = MB_REQUIRED, .bound = MB_ABOVE,       \
                                                              .unit = "kg/m^3", .help = "at rest"            \
  }
static const MbSchemaRow tet_material_rows[] = {ELASTIC, {0}};
static const MbSchemaObject tet_material = {.name = "tet_material",
                                            .help = "What tetrahedra are made of.",
                                            .size = sizeof(MbDeformableSpec),
                                            .rows = tet_material_rows};
static const char *const bending_help[] = {"by what edges turn; the rest shape is flat",
                                           "by the mean curvature at nodes; the rest shape is flat",
                                           "not at all", NULL};
static const MbSchemaRow bending_rows[] = {
    {"model", MB_TYPE_WORD, AT(MbBendingSpec, model), .words = mb_bending_words, .word_help = bending_help,
     .fallback = "\"isometric\"", .help = "how bending is resisted"},
    {"stiffness", MB_TYPE_NUMBER, AT(MbBendingSpec, stiffness), .bound = MB_FROM, .unit = "J",
     .help = "energy of an area A on a cylinder of radius R: stiffness A / 2 R^2; absent: that of a plate, "
             "young thickness^3 / 12 (1 - poisson^2)"},
    {0}};
static const MbSchemaObject bending = {.name = "bending",
                                       .help = "How cloth resists bending.",
                                       .size = sizeof(MbBendingSpec),
                                       .rows = bending_rows};
static const MbSchemaRow cloth_material_rows[] = {
    ELASTIC,
    {"thickness", MB_TYPE_NUMBER, AT(MbDeformableSpec, thickness), .flags = MB_REQUIRED, .bound = MB_ABOVE,
     .unit = "m", .help = "of the cloth"},
    {"bending", MB_TYPE_OBJECT, AT(MbDeformableSpec, bending), EXTRA(MbDeformableSpec, bending.given),
     .object = &bending, .help = "how it resists bending; absent: not at all"},
    {0}};
static const MbSchemaObject cloth_material = {.name = "cloth_material",
                                              .help = "What triangles are made of: a sheet in plane stress.",
                                              .size = sizeof(MbDeformableSpec),
                                              .rows = cloth_material_rows};
static const MbSchemaRow tets_rows[] = {
    {"material", MB_TYPE_OBJECT, .flags = MB_REQUIRED, .object = &tet_material, .help = "what it is made of"},
    {0}};
static const MbSchemaRow cloth_rows[] = {{"material", MB_TYPE_OBJECT, .flags = MB_REQUIRED,
                                          .object = &cloth_material, .help = "what it is made of"},
                                         {0}};
static const MbSchemaRow *const deformable_variants[] = {springs_rows, particles_rows, tets_rows, cloth_rows};
static const char *const deformable_help[] = {"point masses, and springs between neighbours in the mesh",
                                              "point masses alone; forces may act between them",
                                              "an elastic body of tetrahedra",
                                              "an elastic sheet of triangles"};
static const MbSchemaObject deformable = {.name = "deformable",
                                          .help = "What changes its shape: nodes, which are point masses.",
                                          .size = sizeof(MbDeformableSpec),
                                          .rows = deformable_rows,
                                          .selector = "type",
                                          .selector_offset = offsetof(MbDeformableSpec, kind),
                                          .words = mb_deformable_words,
                                          .variants = deformable_variants,
                                          .variant_help = deformable_help};

// ---- forces -----------------------------------------------------------------------------------------------

static const MbSchemaObject force = {.name = "force",
                                     .help = "What pushes.",
                                     .size = sizeof(MbForceSpec),
                                     .rows = mb_schema_force_rows,
                                     .selector = "type",
                                     .selector_offset = offsetof(MbForceSpec, kind),
                                     .words = mb_force_words,
                                     .variants = mb_schema_force_variants,
                                     .variant_help = mb_schema_force_help};

// ---- output -----------------------------------------------------------------------------------------------

static const char *const channel_words[] = {"body.position",
                                            "body.rotation",
                                            "body.velocity",
                                            "body.acceleration",
                                            "joint.position",
                                            "joint.velocity",
                                            "joint.acceleration",
                                            "joint.force",
                                            "joint.reaction",
                                            "constraint.error",
                                            "constraint.force",
                                            "energy",
                                            "momentum",
                                            "muscle",
                                            "deformable.*.position",
                                            "deformable.*.velocity",
                                            "deformable.*.volume",
                                            "deformable.*.strain",
                                            "solver",
                                            "solver.history",
                                            "solver.time",
                                            NULL};
static const char *const channel_help[] = {
    "origin of the body's frame in the world (not the centre of mass)",
    "the body's frame in the world: unit quaternion w, x, y, z, which "
    "turns the body's axes into the world's; q and -q are "
    "the same",
    "angular velocity wx, wy, wz, then the velocity vx, vy, vz of the "
    "body frame's origin, in the world's axes",
    "angular acceleration alphax, alphay, alphaz, then the acceleration ax, ay, az of the body frame's "
    "origin, in the world's axes: the rates of body.velocity, so that a body that falls freely shows "
    "gravity. Found from the forces on the state as it is, constraints keeping their accelerations; "
    "limits and ropes hold that are at their bounds or pressed during the last step",
    "coordinates of the joints, body by body, parents first; a body's "
    "name, with .0, .1 ... where its joint has several",
    "their rates",
    "the rates of these, as body.acceleration",
    "forces and torques along them of motors and of `force` now, of prescribed motions, limits and ratios "
    "over the last step (of ratios by reduction: now)",
    "what the parent does to the body through its joint, body by body, parents first: torque tx, ty, tz "
    "about the joint's origin, then force fx, fy, fz, in the axes of the joint's frame on the body. All "
    "that the joint transmits: what holds it together, and what motors, springs, limits and gears do "
    "along it. At the same moment as body.acceleration; where constraints hold bodies more than once, "
    "which of them bears how much is the solver's choice",
    "the largest error of position of the hard constraints, and the largest of velocity",
    "what every row of the constraints does to its first end over the last step, forces or torques; the "
    "second end feels the "
    "opposite. Distance, rope: the tension, above 0 where it draws the ends together. Points in one: along "
    "the world's axes; in "
    "lines and planes: along the axes of the first end's frame. Joint: forces along the axes x, y, z of the "
    "first frame that are held, then "
    "torques, about z, x and y, of a hinge about y and x; of screws, composites and splines along the second "
    "frame's. Rolling: on "
    "the body that rolls, along the normal, then in the plane. Limits, motions, ratios: along the (first) "
    "joint's coordinate, so "
    "that an upper limit's is not above 0; spins in step: about the first body's axis",
    "kinetic; gravity, which is 0 where the centre of mass is as high "
    "as the world's origin; elastic, of springs; "
    "total, the sum of the three",
    "linear momentum lx, ly, lz of all bodies and nodes, then their angular "
    "momentum ax, ay, az about the world's origin",
    "length of the path, the rate at which it grows, and tension, muscle by muscle; a muscle's name, or "
    "forces/0, forces/1 ... by its place in the list",
    "places of the nodes in the world; of the deformable whose name stands for the *, or of all of them, one "
    "channel each",
    "their velocities, in the world's axes",
    "what its elements take up: m³; of cloth its area by its thickness; of springs, under solver "
    "`projective`, "
    "their length in m",
    "the largest strain of its elements, |s − 1| of a principal stretch s; of springs under solver "
    "`projective`",
    "of the last step: iterations; residual, the last correction's largest move of a node, by the size of "
    "the largest "
    "deformable; left, how far by estimate nodes still were from the step's solution, by the same size "
    "(above 0.001 a run "
    "warns, once). Solver `projective`",
    "the same move of every iteration, the first one's first; 0 of those that it did without. Solver "
    "`projective`",
    "the wall time that took, which no comparison looks at. Solver `projective`",
    NULL};
static const char *const channel_later[] = {"contact", NULL};

const char *const mb_error_words[] = {"fine", "view", NULL};
const double mb_error_bounds[][MB_QUANTITIES] = {{[MB_POSE] = 1e-6, [MB_VELOCITY] = 1e-4},
                                                 {[MB_POSE] = 1e-5, [MB_VELOCITY] = 1e-3}};

#define BOUND(word_, quantity_, unit_, help_)                                                                \
  {                                                                                                          \
    word_, MB_TYPE_NUMBER, .offset = (quantity_) * sizeof(double), .bound = MB_FROM, .fallback = "0",        \
                           .unit = (unit_), .help = (help_)                                                  \
  }
static const MbSchemaRow error_rows[] = {
    BOUND("pose", MB_POSE, "m, 1", "positions and rotations"),
    BOUND("velocity", MB_VELOCITY, "m/s, rad/s", "velocities"),
    BOUND("acceleration", MB_ACCELERATION, "m/s^2, rad/s^2", "accelerations"),
    BOUND("force", MB_FORCE, "N, N m", "forces and torques"),
    BOUND("energy", MB_ENERGY, "J", "energies"),
    BOUND("other", MB_OTHER, NULL, "all else"),
    {0}};
const MbSchemaObject mb_schema_error = {.name = "error",
                                        .help = "The largest error of a number in the file, by what it "
                                                "measures; 0 is exact.",
                                        .size = sizeof(double[MB_QUANTITIES]),
                                        .rows = error_rows};

static const MbSchemaRow output_rows[] = {
    {"file", MB_TYPE_TEXT, AT(MbOutputSpec, file),
     .help = "trajectory to write, relative to the directory where mbsim runs (not to the scene's); the "
             "command line "
             "overrides it. Absent: the scene's name with .mbt, run.mbt for a scene from stdin"},
    {"every", MB_TYPE_INTEGER, AT(MbOutputSpec, every), .bound = MB_BETWEEN, .lo = 1, .hi = 1e15,
     .help = "steps from frame to frame; 1 if `interval` is not given either"},
    {"interval", MB_TYPE_NUMBER, AT(MbOutputSpec, interval), .bound = MB_ABOVE, .unit = "s",
     .help = "simulated time from frame to frame, instead of `every`. Frames are at the steps nearest to its "
             "multiples: one "
             "that is no multiple of the step gives uneven distances, one below it a frame every step, both "
             "with a warning. With integrator \"rk45\" they are at its multiples: `step` is made a little "
             "shorter, so that a whole number of them is the interval"},
    {"channels", MB_TYPE_WORDS, AT(MbOutputSpec, channels), COUNT(MbOutputSpec, nchannels),
     .words = channel_words, .word_help = channel_help, .later = channel_later,
     .help = "what a frame holds besides its time; absent: body.position, body.rotation, joint.position "
             "where there are "
             "joints, energy, deformable.*.position"},
    {"error", MB_TYPE_ERROR, AT(MbOutputSpec, error), .words = mb_error_words, .object = &mb_schema_error,
     .fallback = "0",
     .help = "0 (exact), \"fine\" (1e-6 for poses, 1e-4 for velocities), \"view\" (1e-5, 1e-3), or bounds by "
             "what is "
             "measured"},
    {"checkpoint", MB_TYPE_NUMBER, AT(MbOutputSpec, checkpoint), .bound = MB_ABOVE, .unit = "s",
     .help = "simulated time between checkpoints, from which a run can go on"},
    {0}};
static const MbSchemaObject output = {.name = "output",
                                      .help = "What is written, and how often.",
                                      .size = sizeof(MbOutputSpec),
                                      .rows = output_rows,
                                      .either = "every",
                                      .or_else = "interval"};

// ---- the scene --------------------------------------------------------------------------------------------
// Parameters come before everything that may use them, names before what refers to them.

static const MbSchemaRow scene_rows[] = {
    {"$schema", MB_TYPE_TEXT, AT(MbSceneSpec, schema),
     .help = "where an editor finds the JSON Schema of scenes (`mbsim schema` prints it); a run does not "
             "read it"},
    {"mbsim", MB_TYPE_VERSION, .flags = MB_REQUIRED, .bound = MB_BETWEEN, .lo = 1, .hi = 1,
     .help = "version of the format"},
    {"name", MB_TYPE_TEXT, AT(MbSceneSpec, name), .fallback = "\"\"", .help = "a title"},
    {"description", MB_TYPE_TEXT, AT(MbSceneSpec, description), .fallback = "\"\"",
     .help = "a line about the scene"},
    {"parameters", MB_TYPE_PARAMETERS, AT(MbSceneSpec, parameters), COUNT(MbSceneSpec, nparameters),
     .help = "named numbers for expressions; each may use those that stand before it. `--param name=value` "
             "overrides "
             "them"},
    {"gravity", MB_TYPE_NUMBERS, AT(MbSceneSpec, gravity), .length = 3, .unit = "m/s^2",
     .fallback = "[0, 0, -9.81]", .help = "acceleration of free fall"},
    {"time", MB_TYPE_OBJECT, AT(MbSceneSpec, time), .flags = MB_REQUIRED, .object = &time_object,
     .help = "time step and duration"},
    {"solver", MB_TYPE_OBJECT, AT(MbSceneSpec, solver), .object = &solver,
     .help = "how the equations are solved"},
    {"integrator", MB_TYPE_OBJECT, AT(MbSceneSpec, integrator), .object = &integrator,
     .help = "how time is stepped"},
    {"materials", MB_TYPE_MAP, AT(MbSceneSpec, materials), COUNT(MbSceneSpec, nmaterials),
     EXTRA(MbMaterialSpec, name), .set = MB_MATERIAL_NAMES, .object = &material, .help = "materials by name"},
    {"bodies", MB_TYPE_LIST, AT(MbSceneSpec, bodies), COUNT(MbSceneSpec, nbodies), .object = &mb_schema_body,
     .help = "the rigid bodies"},
    {"deformables", MB_TYPE_LIST, AT(MbSceneSpec, deformables), COUNT(MbSceneSpec, ndeformables),
     .object = &deformable, .help = "what changes its shape"},
    {"forces", MB_TYPE_LIST, AT(MbSceneSpec, forces), COUNT(MbSceneSpec, nforces), .object = &force,
     .help = "the forces besides gravity"},
    {"constraints", MB_TYPE_LIST, AT(MbSceneSpec, constraints), COUNT(MbSceneSpec, nconstraints),
     .object = &mb_schema_constraint, .help = "loop closures, gears, ropes"},
    {"output", MB_TYPE_OBJECT, AT(MbSceneSpec, output), .object = &output, .help = "what is written"},
    LATER("contact", "contact and friction"),
    {0}};
const MbSchemaObject mb_schema_scene = {
    .name = "scene", .help = "The file: one JSON object.", .size = sizeof(MbSceneSpec), .rows = scene_rows};
