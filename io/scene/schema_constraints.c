// The scene format: constraints.
#include "core/constraints/closure.h"
#include "core/constraints/distance.h"
#include "core/constraints/on_line.h"
#include "core/constraints/ratio.h"
#include "core/constraints/rolling.h"
#include "io/scene/schema_rows.h"

static const MbSchemaRow constraint_rows[] = {
    {"name", MB_TYPE_NAME, AT(MbConstraintSpec, name), .set = MB_CONSTRAINT_NAMES,
     .help = "unique among the constraints; in messages and channels"},
    {"compliance", MB_TYPE_NUMBER, AT(MbConstraintSpec, compliance), .bound = MB_FROM, .unit = "m/N, rad/N m",
     .fallback = "0", .help = "how far it gives way for each unit of force; 0 = hard"},
    {"damping", MB_TYPE_NUMBER, AT(MbConstraintSpec, damping), .bound = MB_FROM, .unit = "s", .fallback = "0",
     .help = "of a soft one: the time in which it comes back"},
    {0}};
#define BETWEEN(object_)                                                                                     \
  {                                                                                                          \
    "between", MB_TYPE_LIST, AT(MbConstraintSpec, between), COUNT(MbConstraintSpec, nbetween),               \
        .flags = MB_REQUIRED, .length = 2, .object = &(object_), .help = "the two ends"                      \
  }
static const MbSchemaRow joint_closure_rows[] = {
    BY_DOF("position", position, "m, rad", MB_UNBOUND,
           "of screws, composites and splines: coordinates near which theirs are looked for at the start"),
    {"friction", MB_TYPE_OBJECT, AT(MbJointSpec, friction), .flags = MB_APART,
     .object = &mb_schema_joint_friction,
     .help = "friction inside the joint, as in a body's; the second frame turns in the first"},
    {0}};
static const MbSchemaObject joint_closure = {
    .name = "joint_closure",
    .help = "A joint that closes a loop: a word, or an object where it needs more. Not \"free3d\", nor "
            "composites that hold nothing.",
    .size = sizeof(MbJointSpec),
    .rows = joint_closure_rows,
    .selector = "type",
    .selector_offset = offsetof(MbJointSpec, kind),
    .words = mb_joint_words,
    .variants = mb_schema_joint_variants,
    .bare = true};
static const MbSchemaRow closure_rows[] = {
    {"joint", MB_TYPE_OBJECT, OWN(MbClosureSpec, joint), .flags = MB_REQUIRED, .object = &joint_closure,
     .help = "what the second frame may do in the first"},
    BETWEEN(mb_schema_body_frame),
    {"axis", MB_TYPE_DIRECTION, OWN(MbClosureSpec, axis), .fallback = "[0, 0, 1]",
     .help = "direction that both frames' z is turned to first, so that the joint is along it; of any length "
             "but 0"},
    {0}};
static const MbSchemaRow point_constraint_rows[] = {BETWEEN(mb_schema_anchor), {0}};
static const MbSchemaRow distance_rows[] = {
    BETWEEN(mb_schema_anchor),
    {"length", MB_TYPE_NUMBER, OWN(MbDistanceSpec, length), .bound = MB_ABOVE, .unit = "m",
     .help = "between the points; absent: as it is at the start"},
    {"rope", MB_TYPE_BOOL, OWN(MbDistanceSpec, rope), .fallback = "false",
     .help = "whether the points may come nearer"},
    {0}};
static const MbSchemaRow on_line_rows[] = {
    BETWEEN(mb_schema_anchor),
    {"axis", MB_TYPE_DIRECTION, OWN(MbAxisSpec, axis), .fallback = "[0, 0, 1]",
     .help = "of the line through the first point, in the first body's frame; the second point stays on it"},
    {0}};
static const MbSchemaRow on_plane_rows[] = {
    BETWEEN(mb_schema_anchor),
    {"normal", MB_TYPE_DIRECTION, OWN(MbAxisSpec, axis), .fallback = "[0, 0, 1]",
     .help = "of the plane through the first point, in the first body's frame; the second point stays in it"},
    {0}};
static const MbSchemaRow ratio_rows[] = {
    {"joints", MB_TYPE_REFERENCES, OWN(MbRatioSpec, joints), .flags = MB_REQUIRED, .length = 2,
     .set = MB_BODY_NAMES, .help = "the bodies a and b that the joints belong to: q_b = ratio q_a + offset"},
    {"ratio", MB_TYPE_NUMBER, OWN(MbRatioSpec, ratio), .flags = MB_REQUIRED, .help = "see `joints`"},
    {"offset", MB_TYPE_NUMBER, OWN(MbRatioSpec, offset), .unit = "m, rad", .fallback = "0",
     .help = "see `joints`"},
    {"enforce", MB_TYPE_WORD, OWN(MbRatioSpec, enforce), .words = mb_enforce_words,
     .fallback = "\"constraint\"",
     .help = "\"constraint\": by forces, as closely as stabilization does it; \"reduction\": b's coordinates "
             "are no "
             "unknowns any more and follow a's to the last digit: what b starts with agrees with that or is "
             "absent, "
             "a follows nothing itself, and there is no `compliance`"},
    {0}};
static const MbSchemaRow velocity_ratio_rows[] = {
    {"bodies", MB_TYPE_REFERENCES, OWN(MbVelocityRatioSpec, bodies), .flags = MB_REQUIRED, .length = 2,
     .set = MB_BODY_NAMES,
     .help = "a and b: b spins about its axis at `ratio` times the rate at which a spins about its own, "
             "both in space, not against a carrier that turns itself: there, let \"ratio\" hold the joints"},
    {"axes", MB_TYPE_DIRECTIONS, OWN(MbVelocityRatioSpec, axes), .flags = MB_REQUIRED, .length = 2,
     .help = "of a in a's frame, and of b in b's; of any length but 0"},
    {"ratio", MB_TYPE_NUMBER, OWN(MbVelocityRatioSpec, ratio), .flags = MB_REQUIRED, .help = "see `bodies`"},
    {0}};
static const MbSchemaRow rolling_rows[] = {
    {"body", MB_TYPE_REFERENCE, OWN(MbRollingSpec, bodies[0]), .flags = MB_REQUIRED, .set = MB_BODY_NAMES,
     .help =
         "what rolls: it has exactly one round shape (sphere, ellipsoid, cylinder or capsule) and stays on "
         "the plane whatever pulls at it"},
    {"on", MB_TYPE_REFERENCE, OWN(MbRollingSpec, bodies[1]), .flags = MB_OR_WORLD, .set = MB_BODY_NAMES,
     .fallback = "\"world\"", .help = "what carries the plane: \"world\", or a body, which may move"},
    {"normal", MB_TYPE_DIRECTION, OWN(MbRollingSpec, normal),
     .help = "of the plane, towards the round shape, in the frame of `on`; absent: that of its one shape "
             "\"plane\", or the world's z"},
    {"at", MB_TYPE_NUMBERS, OWN(MbRollingSpec, at), .length = 3, .unit = "m", .fallback = "[0, 0, 0]",
     .help = "a point of that plane, in the frame of `on`; not where the plane is that of a shape"},
    {"along", MB_TYPE_NUMBER, OWN(MbRollingSpec, along), .unit = "m", .fallback = "0",
     .help =
         "cylinder, capsule: they roll on one circle, or on one ball of a capsule, this far along the axis "
         "from the middle: 0 makes a wheel of a cylinder, half its length its end's rim. What lies on "
         "its side takes two such constraints, one at each end"},
    {0}};
static const MbSchemaVariant constraint_variants[] = {
    [MB_CONSTRAINT_JOINT] = {.rows = closure_rows,
                             .help = "a joint that closes a loop",
                             .own = sizeof(MbClosureSpec)},
    [MB_CONSTRAINT_POINT] =
        {.rows = point_constraint_rows,
         .help = "two points are one; directions in which the loop cannot open are found and left out"},
    [MB_CONSTRAINT_DISTANCE] = {.rows = distance_rows,
                                .help = "two points keep their distance, or do not exceed it",
                                .own = sizeof(MbDistanceSpec)},
    [MB_CONSTRAINT_ON_LINE] = {.rows = on_line_rows,
                               .help = "a point stays on a line",
                               .own = sizeof(MbAxisSpec)},
    [MB_CONSTRAINT_ON_PLANE] = {.rows = on_plane_rows,
                                .help = "a point stays in a plane",
                                .own = sizeof(MbAxisSpec)},
    [MB_CONSTRAINT_RATIO] = {.rows = ratio_rows,
                             .help = "two joints move in step (gears)",
                             .own = sizeof(MbRatioSpec)},
    [MB_CONSTRAINT_VELOCITY_RATIO] =
        {.rows = velocity_ratio_rows,
         .help = "two bodies spin in step, each about an axis of its own, without an "
                 "angle that stays (friction wheels); "
                 "a "
                 "soft one slips at `damping`/`compliance` of torque for each rad/s",
         .own = sizeof(MbVelocityRatioSpec)},
    [MB_CONSTRAINT_ROLLING] = {
        rolling_rows,
        "a round body rolls on a plane and does not slip; a soft one sinks in as it says, and slips at "
        "`damping`/`compliance` of force for each m/s",
        sizeof(MbRollingSpec)}};
const MbSchemaObject mb_schema_constraint = {.name = "constraint",
                                             .help = "What bodies and joints may not do.",
                                             .size = sizeof(MbConstraintSpec),
                                             .rows = constraint_rows,
                                             .selector = "type",
                                             .selector_offset = offsetof(MbConstraintSpec, kind),
                                             .words = mb_constraint_words,
                                             .variants = constraint_variants,
                                             .parameters = offsetof(MbConstraintSpec, parameters),
                                             .selector_fallback = "joint"};
