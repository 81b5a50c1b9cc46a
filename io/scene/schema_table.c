// The scene format: frames and signals; the scene, of what the other files have.
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

// ---- forces -----------------------------------------------------------------------------------------------

static const MbSchemaObject force = {.name = "force",
                                     .help = "What pushes.",
                                     .size = sizeof(MbForceSpec),
                                     .rows = mb_schema_force_rows,
                                     .selector = "type",
                                     .selector_offset = offsetof(MbForceSpec, kind),
                                     .words = mb_force_words,
                                     .variants = mb_schema_force_variants,
                                     .parameters = offsetof(MbForceSpec, parameters)};

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
    {"time", MB_TYPE_OBJECT, AT(MbSceneSpec, time), .flags = MB_REQUIRED, .object = &mb_schema_time,
     .help = "time step and duration"},
    {"solver", MB_TYPE_OBJECT, AT(MbSceneSpec, solver), .object = &mb_schema_solver,
     .help = "how the equations are solved"},
    {"integrator", MB_TYPE_OBJECT, AT(MbSceneSpec, integrator), .object = &mb_schema_integrator,
     .help = "how time is stepped"},
    {"materials", MB_TYPE_MAP, AT(MbSceneSpec, materials), COUNT(MbSceneSpec, nmaterials),
     EXTRA(MbMaterialSpec, name), .set = MB_MATERIAL_NAMES, .object = &mb_schema_material,
     .help = "materials by name"},
    {"bodies", MB_TYPE_LIST, AT(MbSceneSpec, bodies), COUNT(MbSceneSpec, nbodies), .object = &mb_schema_body,
     .help = "the rigid bodies"},
    {"deformables", MB_TYPE_LIST, AT(MbSceneSpec, deformables), COUNT(MbSceneSpec, ndeformables),
     .object = &mb_schema_deformable, .help = "what changes its shape"},
    {"forces", MB_TYPE_LIST, AT(MbSceneSpec, forces), COUNT(MbSceneSpec, nforces), .object = &force,
     .help = "the forces besides gravity"},
    {"constraints", MB_TYPE_LIST, AT(MbSceneSpec, constraints), COUNT(MbSceneSpec, nconstraints),
     .object = &mb_schema_constraint, .help = "loop closures, gears, ropes"},
    {"output", MB_TYPE_OBJECT, AT(MbSceneSpec, output), .object = &mb_schema_output,
     .help = "what is written"},
    {"contact", MB_TYPE_OBJECT, AT(MbSceneSpec, contact), .flags = MB_APART | MB_OR_BOOL,
     .object = &mb_schema_contacts,
     .help = "contact and friction; absent or false: bodies pass through one another; true: all defaults"},
    {0}};
const MbSchemaObject mb_schema_scene = {
    .name = "scene", .help = "The file: one JSON object.", .size = sizeof(MbSceneSpec), .rows = scene_rows};
