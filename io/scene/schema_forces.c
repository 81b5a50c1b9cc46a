// The scene format: forces, and the points that they act at.
#include "core/forces/body_force.h"
#include "core/forces/damping.h"
#include "core/forces/frame_spring.h"
#include "core/forces/muscle.h"
#include "core/forces/spring.h"
#include "io/scene/schema_rows.h"

const MbSchemaRow mb_schema_force_rows[] = {
    {"name", MB_TYPE_NAME, AT(MbForceSpec, name), .set = MB_FORCE_NAMES, .help = "unique among the forces"},
    {0}};
static const MbSchemaRow damping_rows[] = {
    {"coefficient", MB_TYPE_NUMBER, OWN(MbDamping, coefficient), .flags = MB_REQUIRED, .bound = MB_FROM,
     .unit = "N s/m, N m s", .help = "as `damping` of every body; of nodes, on their velocity"},
    {0}};
#define ON_BODY                                                                                              \
  {                                                                                                          \
    "body", MB_TYPE_REFERENCE, AT(MbForceSpec, body), .flags = MB_REQUIRED, .set = MB_BODY_NAMES,            \
                                                      .help = "name of the body it acts on"                  \
  }
#define AXES                                                                                                 \
  {                                                                                                          \
    "frame", MB_TYPE_WORD, OWN(MbBodyForceSpec, axes), .words = mb_axes_words, .fallback = "\"world\"",      \
                                                       .help = "whose axes the vectors are given in"         \
  }
#define LAGGED                                                                                               \
  {                                                                                                          \
    "lagged", MB_TYPE_BOOL, AT(MbForceSpec, lagged),                                                         \
        .fallback = "false",                                                                                 \
        .help = "integrator \"implicit\" takes the force as it "                                             \
                "is at the start of the step, without its "                                                  \
                "derivatives"                                                                                \
  }
static const MbSchemaRow wrench_rows[] = {
    ON_BODY,
    {"torque", MB_TYPE_SIGNALS, OWN(MbBodyForceSpec, torque), .unit = "N m", .fallback = "[0, 0, 0]",
     .help = "torque; three signals"},
    {"force", MB_TYPE_SIGNALS, OWN(MbBodyForceSpec, force), .unit = "N", .fallback = "[0, 0, 0]",
     .help = "force at the body frame's origin; three signals"},
    AXES,
    LAGGED,
    {0}};
static const MbSchemaRow point_rows[] = {ON_BODY,
                                         {"at", MB_TYPE_NUMBERS, OWN(MbBodyForceSpec, at), .length = 3,
                                          .unit = "m", .fallback = "[0, 0, 0]",
                                          .help = "point that it acts on, in the body frame"},
                                         {"force", MB_TYPE_SIGNALS, OWN(MbBodyForceSpec, force),
                                          .flags = MB_REQUIRED, .unit = "N", .help = "force; three signals"},
                                         AXES,
                                         LAGGED,
                                         {0}};

// ---- forces between points

#define PART_OF                                                                                              \
  {                                                                                                          \
    "body", MB_TYPE_REFERENCE, AT(MbPointSpec, body), .flags = MB_REQUIRED | MB_OR_WORLD,                    \
                                                      .set = MB_BODY_NAMES,                                  \
                                                      .help = "body that it is fixed in, or \"world\""       \
  }
static const MbSchemaRow anchor_rows[] = {
    {"body", MB_TYPE_REFERENCE, AT(MbPointSpec, body), .flags = MB_OR_WORLD, .set = MB_BODY_NAMES,
     .help = "body that it is fixed in, or \"world\"; or give `node`"},
    {"node", MB_TYPE_REFERENCE, AT(MbPointSpec, node), .set = MB_DEFORMABLE_NAMES,
     .help = "deformable that it is a node of, instead of `body`"},
    {"index", MB_TYPE_INTEGER, AT(MbPointSpec, index), .bound = MB_BETWEEN, .hi = 1e6, .fallback = "0",
     .help = "number of the node, from 0"},
    {"at", MB_TYPE_NUMBERS, AT(MbPointSpec, frame.position), .length = 3, .unit = "m",
     .fallback = "[0, 0, 0]", .help = "place in the body frame"},
    {0}};
static const MbPointSpec unturned = {.frame.rotation = {1, 0, 0, 0}};
const MbSchemaObject mb_schema_anchor = {.name = "point",
                                         .help = "A point of a body, one fixed in space, or a node.",
                                         .size = sizeof(MbPointSpec),
                                         .start = &unturned,
                                         .rows = anchor_rows,
                                         .either = "body",
                                         .or_else = "node",
                                         .one_of_both = true};
static const MbSchemaRow body_frame_rows[] = {PART_OF,
                                              {"frame", MB_TYPE_OBJECT, AT(MbPointSpec, frame),
                                               .object = &mb_schema_frame, .help = "frame in the body frame"},
                                              {0}};
const MbSchemaObject mb_schema_body_frame = {.name = "body_frame",
                                             .help = "A frame of a body, or one fixed in space.",
                                             .size = sizeof(MbPointSpec),
                                             .rows = body_frame_rows};

#define ENDS(object_, help_)                                                                                 \
  {                                                                                                          \
    "between", MB_TYPE_LIST, AT(MbForceSpec, points), COUNT(MbForceSpec, npoints),                           \
        .flags = MB_REQUIRED, .length = 2, .object = (object_), .help = (help_)                              \
  }
#define PATH                                                                                                 \
  {                                                                                                          \
    "path", MB_TYPE_LIST, AT(MbForceSpec, points), COUNT(MbForceSpec, npoints),                              \
        .flags = MB_REQUIRED, .least = 2, .most = 32, .object = &mb_schema_anchor,                           \
        .help = "points that it runs through, 2 to 32; it slides through those between the ends"             \
  }
static const MbSchemaRow spring_rows[] = {
    ENDS(&mb_schema_anchor, "its two ends"),
    {"stiffness", MB_TYPE_NUMBER, OWN(MbSpringSpec, stiffness), .flags = MB_REQUIRED, .bound = MB_FROM,
     .unit = "N/m, N", .help = "k; a force where the law divides by the rest length"},
    {"damping", MB_TYPE_NUMBER, OWN(MbSpringSpec, damping), .bound = MB_FROM, .unit = "N s/m, N s",
     .fallback = "0",
     .help = "d: d l' more tension where the length l grows at the rate l'; with law \"strain\" d l'/L, with "
             "law \"zero_length\" d times the velocity of one end seen from the other"},
    {"length", MB_TYPE_NUMBER, OWN(MbSpringSpec, length), .bound = MB_FROM, .unit = "m",
     .help = "rest length L; absent: the length at the start"},
    {"law", MB_TYPE_WORD, OWN(MbSpringSpec, law), .words = mb_law_words, .fallback = "\"linear\"",
     .help = "tension at length l: k (l - L); \"strain\": k (l - L)/L; \"quadratic_strain\": "
             "k l (l^2 - L^2)/(2 L^2); \"zero_length\": k l"},
    LAGGED,
    {0}};
static const MbSchemaRow frame_spring_rows[] = {
    ENDS(&mb_schema_body_frame, "its two ends"),
    {"stiffness", MB_TYPE_NUMBERS, OWN(MbFrameSpring, stiffness), .length = 2, .flags = MB_REQUIRED,
     .bound = MB_FROM, .unit = "N/m, N m/rad",
     .help = "against the distance of the origins, and against the angle of the turn between the frames"},
    {"damping", MB_TYPE_NUMBERS, OWN(MbFrameSpring, damping), .length = 2, .bound = MB_FROM,
     .unit = "N s/m, N m s", .fallback = "[0, 0]",
     .help = "of the origins' relative velocity, and of the relative angular velocity"},
    LAGGED,
    {0}};
static const MbSchemaRow multi_spring_rows[] = {
    PATH,
    {"passive", MB_TYPE_SEQUENCE, OWN(MbSpringSpec, passive.value), COUNT(MbSpringSpec, passive.count),
     .flags = MB_WHOLE, .bound = MB_FROM,
     .help = "segments that do not count in the length, from 0 (between the first two points); they carry "
             "the tension all the same"},
    {"stiffness", MB_TYPE_NUMBER, OWN(MbSpringSpec, stiffness), .flags = MB_REQUIRED, .bound = MB_FROM,
     .unit = "N/m", .help = "tension k (l - L)"},
    {"damping", MB_TYPE_NUMBER, OWN(MbSpringSpec, damping), .bound = MB_FROM, .unit = "N s/m",
     .fallback = "0", .help = "d: d l' more tension where the length grows at the rate l'"},
    {"length", MB_TYPE_NUMBER, OWN(MbSpringSpec, length), .bound = MB_FROM, .unit = "m",
     .help = "rest length L; absent: the length at the start"},
    LAGGED,
    {0}};
static const MbSchemaRow muscle_rows[] = {
    PATH,
    {"max_force", MB_TYPE_NUMBER, OWN(MbMuscleSpec, numbers.max_force), .flags = MB_REQUIRED,
     .bound = MB_FROM, .unit = "N", .help = "tension at optimal length, at rest, fully activated"},
    {"optimal_length", MB_TYPE_NUMBER, OWN(MbMuscleSpec, numbers.optimal_length), .flags = MB_REQUIRED,
     .bound = MB_ABOVE, .unit = "m", .help = "fibre length at which the muscle is strongest"},
    {"tendon_length", MB_TYPE_NUMBER, OWN(MbMuscleSpec, numbers.tendon_length), .bound = MB_FROM, .unit = "m",
     .fallback = "0", .help = "part of the path's length that is tendon, which does not stretch"},
    {"max_velocity", MB_TYPE_NUMBER, OWN(MbMuscleSpec, numbers.max_velocity), .bound = MB_ABOVE,
     .unit = "1/s", .fallback = "10",
     .help = "optimal lengths a second at which it can shorten without load"},
    {"activation", MB_TYPE_SIGNAL, OWN(MbMuscleSpec, activation), .flags = MB_REQUIRED,
     .help = "a signal; values beyond 0 and 1 count as these"},
    LAGGED,
    {0}};
const MbSchemaVariant mb_schema_force_variants[MB_FORCES] = {
    [MB_FORCE_DAMPING] = {.rows = damping_rows,
                          .help = "viscous drag on every body and node",
                          .own = sizeof(MbDamping)},
    [MB_FORCE_WRENCH] = {.rows = wrench_rows,
                         .help = "a torque, a force at the body's origin, or both",
                         .own = sizeof(MbBodyForceSpec)},
    [MB_FORCE_POINT] = {.rows = point_rows,
                        .help = "a force at a point of a body",
                        .own = sizeof(MbBodyForceSpec)},
    [MB_FORCE_SPRING] = {.rows = spring_rows,
                         .help = "a spring and damper between two points",
                         .own = sizeof(MbSpringSpec)},
    [MB_FORCE_FRAME_SPRING] =
        {.rows = frame_spring_rows,
         .help = "a spring and damper between two frames: against their distance and the turn between them",
         .own = sizeof(MbFrameSpring)},
    [MB_FORCE_MULTI_SPRING] = {.rows = multi_spring_rows,
                               .help = "a spring and damper along a path through several points",
                               .own = sizeof(MbSpringSpec)},
    [MB_FORCE_MUSCLE] = {.rows = muscle_rows,
                         .help = "a muscle along a path: Hill's model with a rigid tendon; curves "
                                 "fitted to Millard and others (2013)",
                         .own = sizeof(MbMuscleSpec)}};
