// The scene format: shapes, joints, bodies.
#include "io/scene/schema_rows.h"

// ---- shapes

static const char *const collide_help[] = {"of a mesh: the hull of its vertices",
                                           "of a mesh: its triangles, even if it is convex", NULL};
static const MbSchemaRow shape_rows[] = {
    {"frame", MB_TYPE_OBJECT, AT(MbShapeSpec, frame), .object = &mb_schema_frame,
     .help = "where the shape stands in the body"},
    {"density", MB_TYPE_NUMBER, AT(MbShapeSpec, density), .bound = MB_ABOVE, .unit = "kg/m^3",
     .help = "of this shape; absent: the body's. Not beside the body's `inertia`"},
    {"material", MB_TYPE_REFERENCE, AT(MbShapeSpec, material), .set = MB_MATERIAL_NAMES,
     .help = "of this shape, from `materials`; absent: the body's. Not beside the body's `inertia`"},
    {"collide", MB_TYPE_WORD, AT(MbShapeSpec, collide), .flags = MB_OR_BOOL, .words = mb_collide_words,
     .word_help = collide_help, .fallback = "true",
     .help = "whether, and as what, the shape takes part in contact, where the scene has `contact`. A mesh "
             "that is not convex collides by its triangles, one that is as the same hull, which is quicker"},
    FRICTION_OF(MbShapeSpec, "of this shape in contact; absent: its material's"),
    RESTITUTION_OF(MbShapeSpec, "of this shape in contact; absent: its material's"),
    COLOR_OF(MbShapeSpec, "absent: its material's, else the body's"),
    {0}};
static const MbSchemaRow box_rows[] = {{"size", MB_TYPE_NUMBERS, AT(MbShapeSpec, size), .length = 3,
                                        .flags = MB_REQUIRED, .bound = MB_ABOVE, .unit = "m",
                                        .help = "whole edges along x, y, z; the centre is the origin"},
                                       {0}};
#define RADIUS                                                                                               \
  {                                                                                                          \
    "radius", MB_TYPE_NUMBER, AT(MbShapeSpec, radius), .flags = MB_REQUIRED, .bound = MB_ABOVE, .unit = "m", \
                                                       .help = "radius"                                      \
  }
static const MbSchemaRow sphere_rows[] = {RADIUS, {0}};
static const MbSchemaRow capsule_rows[] = {RADIUS,
                                           {"length", MB_TYPE_NUMBER, AT(MbShapeSpec, length),
                                            .flags = MB_REQUIRED, .bound = MB_FROM, .unit = "m",
                                            .help = "between the centres of the caps, along z"},
                                           {0}};
static const MbSchemaRow cylinder_rows[] = {RADIUS,
                                            {"length", MB_TYPE_NUMBER, AT(MbShapeSpec, length),
                                             .flags = MB_REQUIRED, .bound = MB_ABOVE, .unit = "m",
                                             .help = "along z; the centre is the origin"},
                                            {0}};
static const MbSchemaRow ellipsoid_rows[] = {{"radii", MB_TYPE_NUMBERS, AT(MbShapeSpec, size), .length = 3,
                                              .flags = MB_REQUIRED, .bound = MB_ABOVE, .unit = "m",
                                              .help = "half axes along x, y, z"},
                                             {0}};
static const MbSchemaRow mesh_rows[] = {
    {"scale", MB_TYPE_NUMBER, AT(MbShapeSpec, scale), .bound = MB_ABOVE, .fallback = "1",
     .help = "factor for the file's coordinates"},
    {"stretch", MB_TYPE_NUMBERS, AT(MbShapeSpec, size), .length = 3, .bound = MB_NOT_ZERO,
     .fallback = "[1, 1, 1]",
     .help = "factors for the file's x, y and z by themselves, beside `scale`; below 0: mirrored"},
    {"file", MB_TYPE_MESH, AT(MbShapeSpec, file), EXTRA(MbShapeSpec, mesh), .flags = MB_REQUIRED,
     .help = "closed triangle mesh (.obj, .stl, .ply); relative to the scene's directory"},
    {0}};
static const MbSchemaRow plane_rows[] = {{"normal", MB_TYPE_DIRECTION, AT(MbShapeSpec, normal),
                                          .fallback = "[0, 0, 1]", .help = "outward; of any length but 0"},
                                         {"offset", MB_TYPE_NUMBER, AT(MbShapeSpec, offset), .unit = "m",
                                          .fallback = "0",
                                          .help = "distance from the origin along the normal"},
                                         {0}};
static const MbSchemaVariant shape_variants[] = {
    [MB_SHAPE_BOX] = {.rows = box_rows, .help = "a cuboid"},
    [MB_SHAPE_SPHERE] = {.rows = sphere_rows, .help = "a ball"},
    [MB_SHAPE_CAPSULE] = {.rows = capsule_rows, .help = "a cylinder with half balls at its ends"},
    [MB_SHAPE_CYLINDER] = {.rows = cylinder_rows, .help = "a cylinder"},
    [MB_SHAPE_ELLIPSOID] = {.rows = ellipsoid_rows, .help = "an ellipsoid"},
    [MB_SHAPE_MESH] = {.rows = mesh_rows, .help = "the inside of a closed triangle mesh"},
    [MB_SHAPE_PLANE] = {.rows = plane_rows,
                        .help = "a half space; only fixed to the world, and without mass"}};
static const MbSchemaHint shape_hints[] = {COLOR_HINTS, {NULL, NULL}};
static const MbSchemaObject shape = {.name = "shape",
                                     .help = "A solid of constant density.",
                                     .size = sizeof(MbShapeSpec),
                                     .rows = shape_rows,
                                     .selector = "type",
                                     .selector_offset = offsetof(MbShapeSpec, kind),
                                     .words = mb_shape_words,
                                     .variants = shape_variants,
                                     .either = "density",
                                     .or_else = "material",
                                     .hints = shape_hints};

// ---- joints

#define AXIS                                                                                                 \
  {                                                                                                          \
    "axis", MB_TYPE_DIRECTION, AT(MbJointSpec, axis), .fallback = "[0, 0, 1]",                               \
                                                      .help = "in the joint's frame; of any length but 0"    \
  }
static const MbSchemaRow axis_rows[] = {AXIS, {0}};
static const MbSchemaRow screw_rows[] = {AXIS,
                                         {"pitch", MB_TYPE_NUMBER, AT(MbJointSpec, pitch),
                                          .flags = MB_REQUIRED, .unit = "m",
                                          .help = "way along the axis in one turn"},
                                         {0}};
static const MbSchemaRow order_rows[] = {
    {"order", MB_TYPE_TEXT, AT(MbJointSpec, order), .flags = MB_REQUIRED, .words = mb_euler_orders,
     .help = "three letters of x, y, z, none twice in a row, as \"xyz\" or "
             "\"zxz\": one turn after the other, each "
             "about an axis of the frame that the ones before have turned"},
    {0}};
static const MbSchemaRow curve_rows[] = {
    {"frames", MB_TYPE_LIST, AT(MbJointSpec, frames), COUNT(MbJointSpec, nframes), .flags = MB_REQUIRED,
     .least = 4, .object = &mb_schema_frame,
     .help =
         "at least 4 control frames of a uniform cubic B-spline; segment i uses frames i to i + 3, and the "
         "coordinate counts segments"},
    {"closed", MB_TYPE_BOOL, AT(MbJointSpec, closed), .fallback = "false",
     .help = "whether the curve goes round: as many segments as frames, else three fewer"},
    {0}};
static const MbSchemaRow surface_rows[] = {
    {"control", MB_TYPE_GRIDS, AT(MbJointSpec, surface), .flags = MB_REQUIRED, .unit = "m, rad",
     .help =
         "six lists of rows of control values, at least 4 x 4: x, y, z, then the rotations about x, y, z, "
         "which "
         "happen in this order; the first coordinate runs along the rows' numbers, the second along a row"},
    {0}};
static const MbSchemaObject joint_part;
static const MbSchemaRow composite_rows[] = {
    {"joints", MB_TYPE_LIST, AT(MbJointSpec, parts), COUNT(MbJointSpec, nparts), .flags = MB_REQUIRED,
     .least = 1, .object = &joint_part, .help = "what it is made of, nearest to the parent first"},
    {0}};
const MbSchemaVariant mb_schema_joint_variants[MB_JOINTS] = {
    [MB_JOINT_FIXED] = {.rows = NULL, .help = "holds the body to its parent; no coordinate"},
    [MB_JOINT_REVOLUTE] = {.rows = axis_rows, .help = "turns about an axis; 1 coordinate [rad]"},
    [MB_JOINT_PRISMATIC] = {.rows = axis_rows, .help = "slides along an axis; 1 coordinate [m]"},
    [MB_JOINT_CYLINDRICAL] = {.rows = axis_rows,
                              .help =
                                  "turns about an axis and slides along it; 2 coordinates, angle and way"},
    [MB_JOINT_SCREW] = {.rows = screw_rows,
                        .help = "turns about an axis and slides along it in step; 1 coordinate [rad]"},
    [MB_JOINT_UNIVERSAL] = {.rows = NULL, .help = "turns about x, then about the turned y; 2 coordinates"},
    [MB_JOINT_PLANAR] = {.rows = NULL, .help = "slides along x and y; 2 coordinates"},
    [MB_JOINT_TRANSLATIONAL] = {.rows = NULL, .help = "slides along x, y and z; 3 coordinates"},
    [MB_JOINT_SPHERICAL] = {.rows = NULL,
                            .help = "turns freely; 3 coordinates, the rotation vector, which changes to its "
                                    "equivalent beyond 3/4 of a turn, where what springs, motors and forces "
                                    "along it do jumps: a run tells of that"},
    [MB_JOINT_EULER] = {.rows = order_rows,
                        .help = "turns about three axes, one after the other; 3 coordinates"},
    [MB_JOINT_FREE2D] = {.rows = NULL, .help = "slides along x and y, then turns about z; 3 coordinates"},
    [MB_JOINT_FREE3D] = {.rows = NULL,
                         .help = "moves freely: slides along x, y and z of the joint's frame in the parent, "
                                 "then turns; 6 coordinates, "
                                 "position "
                                 "and rotation vector"},
    [MB_JOINT_COMPOSITE] = {.rows = composite_rows,
                            .help = "joints one after the other, as one; the sum of their coordinates"},
    [MB_JOINT_SPLINE_CURVE] = {.rows = curve_rows,
                               .help = "follows a curve of frames; 1 coordinate, which counts segments"},
    [MB_JOINT_SPLINE_SURFACE] = {.rows = surface_rows,
                                 .help = "follows a surface of frames; 2 coordinates, which count segments"}};
static const MbSchemaRow part_rows[] = {
    {"name", MB_TYPE_NAME, AT(MbJointSpec, name),
     .help = "what its coordinates are called in channels and columns, behind the body's name: \"head.yaw\"; "
             "absent: by their numbers in the whole joint"},
    {"frame", MB_TYPE_OBJECT, AT(MbJointSpec, in_parent), .object = &mb_schema_frame,
     .help = "where it stands in what the part before it moves; of the first, in the joint's own frame"},
    {0}};
static const MbSchemaObject joint_part = {.name = "joint_part",
                                          .help = "A joint as a part of a composite.",
                                          .size = sizeof(MbJointSpec),
                                          .rows = part_rows,
                                          .selector = "type",
                                          .selector_offset = offsetof(MbJointSpec, kind),
                                          .words = mb_joint_words,
                                          .variants = mb_schema_joint_variants};
#define OF_MOTOR(key_, member_, unit_, help_)                                                                \
  {                                                                                                          \
    key_, MB_TYPE_SEQUENCE, AT(MbMotorSpec, member_.value), COUNT(MbMotorSpec, member_.count),               \
        .flags = MB_SINGLE, .bound = MB_FROM, .unit = (unit_),                                               \
        .help = help_ "; one number for all degrees of freedom, or one each"                                 \
  }
static const MbSchemaRow motor_rows[] = {
    {"target", MB_TYPE_SIGNAL_LIST, AT(MbMotorSpec, target), .unit = "m, rad",
     .help =
         "where it pulls the coordinate; one signal for all degrees of freedom, or one each; 0 if absent"},
    {"target_velocity", MB_TYPE_SIGNAL_LIST, AT(MbMotorSpec, target_velocity), .unit = "m/s, rad/s",
     .help = "rate that `damping` pulls the coordinate's to; one signal for all degrees of freedom, or one "
             "each; 0 if absent. The rate of `target` takes the lag out of it; without `stiffness` it is a "
             "motor that holds a speed"},
    OF_MOTOR("stiffness", stiffness, "N/m, N m/rad", "force by distance from the target; 0 if absent"),
    OF_MOTOR("damping", damping, "N s/m, N m s/rad",
             "force by what the coordinate's rate lacks of `target_velocity`; 0 if absent"),
    OF_MOTOR("max", max, "N, N m", "largest force of the motor; if absent there is no such bound"),
    {0}};
static const MbSchemaObject motor = {
    .name = "motor",
    .help = "A motor in a joint: stiffness (target - q) + damping (target_velocity - q'), at most max.",
    .size = sizeof(MbMotorSpec),
    .rows = motor_rows};
#define OF_STOPS(key_, member_, flags_, bound_, unit_, help_)                                                \
  {                                                                                                          \
    key_, MB_TYPE_SEQUENCE, AT(MbStopsSpec, member_.value), COUNT(MbStopsSpec, member_.count),               \
        .flags = MB_SINGLE | flags_, .bound = bound_, .unit = (unit_),                                       \
        .help = help_ "; one number for all degrees of freedom, or one each"                                 \
  }
static const MbSchemaRow stops_rows[] = {
    OF_STOPS("stiffness", stiffness, MB_REQUIRED, MB_FROM, "N/m, N m/rad",
             "force by how far the coordinate is beyond its limit; 0: that limit is hard"),
    OF_STOPS("damping", damping, 0, MB_FROM, "N s/m, N m s/rad",
             "force against the coordinate's rate there, whichever way it goes; 0 if absent"),
    {0}};
static const MbSchemaObject stops = {.name = "stops",
                                     .help = "What makes a joint's limits soft: stiffness (limit - q) - "
                                             "damping q' where the coordinate q is beyond one.",
                                     .size = sizeof(MbStopsSpec),
                                     .rows = stops_rows};
static const MbSchemaRow motion_rows[] = {
#define RATE(key_, unit_, help_)                                                                             \
  {                                                                                                          \
#key_, MB_TYPE_SIGNAL_LIST, AT(MbMotionSpec, key_),                                                      \
        .flags = MB_NULLS, .unit = (unit_),                                                                  \
        .help = help_ "; one signal, or one for each degree of freedom, null for those that are free"        \
  }
    RATE(position, "m, rad", "coordinates over time"),
    RATE(velocity, "m/s, rad/s", "their rates; absent: those of `position`, exactly"),
    RATE(acceleration, "m/s^2, rad/s^2",
         "the rates of these; absent: as for `velocity`. Alone, under solver `maximal` without `project`, it "
         "is kept to first order by integrators `trapezoidal` and `bridson_marino` too"),
    {0}};
static const MbSchemaObject motion = {
    .name = "motion",
    .help = "Prescribed motion of a joint: what is given of `position`, "
            "`velocity`, `acceleration` first decides, the others say its rates. "
            "Channel `joint.force` tells the force that it takes.",
    .size = sizeof(MbMotionSpec),
    .rows = motion_rows};
static const MbSchemaRow joint_velocity_rows[] = {
    {"angular", MB_TYPE_NUMBERS, AT(MbJointTwistSpec, angular), EXTRA(MbJointTwistSpec, has_angular),
     .length = 3, .unit = "rad/s", .help = "angular velocity of the body seen from its parent"},
    {"linear", MB_TYPE_NUMBERS, AT(MbJointTwistSpec, linear), EXTRA(MbJointTwistSpec, has_linear),
     .length = 3, .unit = "m/s",
     .help = "velocity of the origin of the joint's frame in the body, seen from the parent"},
    {"frame", MB_TYPE_WORD, AT(MbJointTwistSpec, axes), .words = mb_joint_side_words,
     .fallback = "\"parent\"",
     .help = "whose axes the two are given in: those of the joint's frame in the parent (`in_parent`), or in "
             "the body (`in_body`), which have turned with it"},
    {0}};
static const MbSchemaObject joint_velocity = {.name = "joint_velocity",
                                              .help = "How a body moves in its parent at the start: its "
                                                      "angular velocity, not the rates of angles. What the "
                                                      "joint cannot do is an error. If only one of the two "
                                                      "is given, the other is as small as the joint lets "
                                                      "it be; if none is, both are 0.",
                                              .size = sizeof(MbJointTwistSpec),
                                              .rows = joint_velocity_rows};
static const MbSchemaRow joint_friction_rows[] = {
    {"coefficient", MB_TYPE_NUMBER, AT(MbJointFrictionSpec, coefficient), .flags = MB_REQUIRED,
     .bound = MB_FROM, .help = "of friction between the joint's surfaces; 0: none"},
    {"radius", MB_TYPE_NUMBER, AT(MbJointFrictionSpec, radius), .bound = MB_ABOVE, .unit = "m",
     .help =
         "of the pin (revolute, each of the two of universal), the shaft (cylindrical), the thread (screw) "
         "or the ball (spherical, euler)"},
    {"length", MB_TYPE_NUMBER, AT(MbJointFrictionSpec, length), .bound = MB_ABOVE, .unit = "m",
     .help = "of the pin, the shaft or the thread, along the axis, half of it to each side of the joint's "
             "frame"},
    {"size", MB_TYPE_NUMBERS, AT(MbJointFrictionSpec, size), .length = 3, .bound = MB_ABOVE, .unit = "m",
     .help = "of the box that slides (prismatic), along the axes x, y, z of the joint's frame in the body"},
    {"tolerance", MB_TYPE_NUMBER, AT(MbJointFrictionSpec, tolerance), .bound = MB_ABOVE, .fallback = "1e-9",
     .help = "loads and friction are found in turns until no largest force of friction changes by more than "
             "this, of the largest"},
    {"passes", MB_TYPE_COUNT, AT(MbJointFrictionSpec, passes), .bound = MB_BETWEEN, .lo = 1, .hi = 1e6,
     .fallback = "100",
     .help = "such turns in a step at most; steps in which these do not suffice are counted and told"},
    {0}};
const MbSchemaObject mb_schema_joint_friction = {
    .name = "joint_friction",
    .help =
        "Dry friction by load: what the joint transmits presses its surfaces on one another at places that "
        "are fixed in it. A pin, shaft or thread is held at four sides of both its ends, across and along "
        "its axis (a shaft across alone); a ball at six sides; a box at its eight corners. Each place rubs "
        "up to coefficient times its loads; what is stuck stays for ever. Of joints revolute, universal, "
        "cylindrical, screw, spherical, euler and prismatic, under solvers `redmax` and `maximal` and "
        "integrators `symplectic` and `implicit`. Channel `constraint.force` tells the torque or force of "
        "it, `energy` its work.",
    .size = sizeof(MbJointFrictionSpec),
    .rows = joint_friction_rows};
static const MbSchemaRow joint_rows[] = {
    {"parent", MB_TYPE_REFERENCE, AT(MbJointSpec, parent), .flags = MB_OR_WORLD | MB_FORWARD,
     .set = MB_BODY_NAMES, .fallback = "\"world\"",
     .help = "body that this one hangs on; \"world\" is fixed in space"},
    {"in_parent", MB_TYPE_OBJECT, AT(MbJointSpec, in_parent), .object = &mb_schema_frame,
     .help = "the joint's frame in the parent's frame"},
    {"in_body", MB_TYPE_OBJECT, AT(MbJointSpec, in_body), .object = &mb_schema_frame,
     .help = "the joint's frame in this body's frame; where all coordinates are 0 the two coincide"},
    {"position", MB_TYPE_SEQUENCE, AT(MbJointSpec, position.value), COUNT(MbJointSpec, position.count),
     .flags = MB_SINGLE | MB_START, .unit = "m, rad",
     .help = "coordinates at the start; one number for all degrees of freedom, or one each; 0 if absent"},
    {"velocity", MB_TYPE_SEQUENCE, AT(MbJointSpec, velocity.value), COUNT(MbJointSpec, velocity.count),
     EXTRA(MbJointSpec, twist), .flags = MB_SINGLE, .unit = "m/s, rad/s", .object = &joint_velocity,
     .help =
         "their rates at the start; one number for all degrees of freedom, or one each; 0 if absent; or the "
         "body's angular and linear velocity, as an object"},
    BY_DOF("stiffness", stiffness, "N/m, N m/rad", MB_FROM, "spring that pulls the coordinate to `rest`"),
    BY_DOF("rest", rest, "m, rad", MB_UNBOUND, "where the spring is slack"),
    BY_DOF("damping", damping, "N s/m, N m s/rad", MB_FROM, "viscous damping of the coordinate"),
    BY_DOF("inertia", inertia, "kg, kg m^2", MB_FROM,
           "what a gear makes of a motor's rotor: the joint has the kinetic energy 1/2 inertia rate^2 "
           "besides that of the "
           "bodies, whose momentum it does not count in; not of joints that have rotation vectors"),
    BY_DOF(
        "frictionloss", frictionloss, "N, N m", MB_FROM,
        "dry friction along the coordinate: it holds still what pushes less, and brakes what moves by this "
        "force, whatever the joint carries; not of joints that have rotation vectors; of integrators "
        "`symplectic` and `implicit`"),
    {"limits", MB_TYPE_LIMITS, AT(MbJointSpec, limits), .unit = "m, rad",
     .help = "[lo, hi] of the coordinate, or a pair for each degree of freedom; null where it is open"},
    {"stops", MB_TYPE_OBJECT, AT(MbJointSpec, stops), .flags = MB_APART, .object = &stops,
     .help = "what gives way at the limits; without it they are hard"},
    {"force", MB_TYPE_SIGNAL_LIST, AT(MbJointSpec, force), .unit = "N, N m",
     .help = "applied along the coordinates; one signal for all degrees of freedom, or one each"},
    {"motor", MB_TYPE_OBJECT, AT(MbJointSpec, motor), .flags = MB_APART, .object = &motor,
     .help = "servo motor that pulls the coordinates to a target"},
    {"motion", MB_TYPE_OBJECT, AT(MbJointSpec, motion), .flags = MB_APART, .object = &motion,
     .help = "prescribed motion"},
    {"friction", MB_TYPE_OBJECT, AT(MbJointSpec, friction), .flags = MB_APART,
     .object = &mb_schema_joint_friction, .help = "friction inside the joint, by what the joint carries"},
    {0}};
static const MbSchemaObject joint = {.name = "joint",
                                     .help =
                                         "How a body hangs on its parent. Its world pose is the parent's · "
                                         "in_parent · (the joint's motion) · in_body⁻¹.",
                                     .size = sizeof(MbJointSpec),
                                     .rows = joint_rows,
                                     .selector = "type",
                                     .selector_offset = offsetof(MbJointSpec, kind),
                                     .words = mb_joint_words,
                                     .variants = mb_schema_joint_variants};

// ---- bodies -----------------------------------------------------------------------------------------------

static const MbSchemaRow inertia_rows[] = {
    {"mass", MB_TYPE_NUMBER, AT(MbInertiaSpec, mass), .flags = MB_REQUIRED, .bound = MB_ABOVE, .unit = "kg",
     .help = "mass"},
    {"center", MB_TYPE_NUMBERS, AT(MbInertiaSpec, center), .length = 3, .unit = "m", .fallback = "[0, 0, 0]",
     .help = "centre of mass in the body frame"},
    {"matrix", MB_TYPE_NUMBERS, AT(MbInertiaSpec, matrix), .length = 6, .flags = MB_REQUIRED,
     .unit = "kg m^2", .form = "[xx, yy, zz, xy, xz, yz]",
     .help = "[xx, yy, zz, xy, xz, yz] of the inertia matrix about the centre of mass, in the body's axes"},
    {0}};
static const MbSchemaObject inertia = {.name = "inertia",
                                       .help = "Mass, centre of mass and inertia, as numbers.",
                                       .size = sizeof(MbInertiaSpec),
                                       .rows = inertia_rows};

static const MbSchemaRow velocity_rows[] = {
    {"angular", MB_TYPE_NUMBERS, AT(MbBodySpec, angular), .length = 3, .unit = "rad/s",
     .fallback = "[0, 0, 0]", .help = "angular velocity"},
    {"linear", MB_TYPE_NUMBERS, AT(MbBodySpec, linear), .length = 3, .unit = "m/s", .fallback = "[0, 0, 0]",
     .help = "velocity of the body frame's origin"},
    {"frame", MB_TYPE_WORD, AT(MbBodySpec, velocity_axes), .words = mb_axes_words, .fallback = "\"world\"",
     .help = "whose axes the two are given in"},
    {0}};
static const MbSchemaObject velocity = {.name = "velocity",
                                        .help = "How a body moves at the start.",
                                        .size = sizeof(MbBodySpec),
                                        .rows = velocity_rows};

static const MbSchemaRow turn_rows[] = {{"axis", MB_TYPE_DIRECTION, AT(MbBodyMotionSpec, axis),
                                         .flags = MB_REQUIRED,
                                         .help = "fixed in the world; of any length but 0"},
                                        {"angle", MB_TYPE_SIGNAL, AT(MbBodyMotionSpec, angle),
                                         .flags = MB_REQUIRED, .unit = "rad", .help = "over time"},
                                        {0}};
static const MbSchemaObject turn_path = {.name = "turn_path",
                                         .help = "A turn about one axis.",
                                         .size = sizeof(MbBodyMotionSpec),
                                         .rows = turn_rows};
static const MbSchemaRow euler_path_rows[] = {
    {"order", MB_TYPE_TEXT, AT(MbBodyMotionSpec, order), .flags = MB_REQUIRED, .words = mb_euler_orders,
     .help =
         "three letters of x, y, z, none twice in a row: one turn after the other, each about an axis of the "
         "frame that the ones before have turned"},
    {"angles", MB_TYPE_SIGNALS, AT(MbBodyMotionSpec, angles), .flags = MB_REQUIRED, .unit = "rad",
     .help = "three signals"},
    {0}};
static const MbSchemaObject euler_path = {.name = "euler_path",
                                          .help = "Turns about three axes.",
                                          .size = sizeof(MbBodyMotionSpec),
                                          .rows = euler_path_rows};
static const MbSchemaRow path_rows[] = {
    {"position", MB_TYPE_SIGNALS, AT(MbBodyMotionSpec, position), .unit = "m", .fallback = "[0, 0, 0]",
     .help = "of the body frame's origin in the world; three signals"},
    {"turn", MB_TYPE_OBJECT, EXTRA(MbBodyMotionSpec, turns), .object = &turn_path,
     .help = "the body frame's rotation about one axis"},
    {"euler", MB_TYPE_OBJECT, EXTRA(MbBodyMotionSpec, euler), .object = &euler_path,
     .help = "the same about three axes; with neither the body frame keeps the world's axes"},
    {0}};
static const MbSchemaObject path = {.name = "path",
                                    .help =
                                        "Where the body frame is over time. Rates follow from it exactly.",
                                    .size = sizeof(MbBodyMotionSpec),
                                    .rows = path_rows,
                                    .either = "turn",
                                    .or_else = "euler"};
static const MbSchemaRow speed_rows[] = {
    {"angular", MB_TYPE_SIGNALS, AT(MbBodyMotionSpec, angular), .unit = "rad/s", .fallback = "[0, 0, 0]",
     .help = "angular velocity; three signals"},
    {"linear", MB_TYPE_SIGNALS, AT(MbBodyMotionSpec, linear), .unit = "m/s", .fallback = "[0, 0, 0]",
     .help = "velocity of the body frame's origin; three signals"},
    {"frame", MB_TYPE_WORD, AT(MbBodyMotionSpec, axes), .words = mb_axes_words, .fallback = "\"world\"",
     .help = "whose axes the two are given in"},
    {0}};
static const MbSchemaObject speed = {.name = "speed",
                                     .help = "How the body frame moves over time.",
                                     .size = sizeof(MbBodyMotionSpec),
                                     .rows = speed_rows};
static const MbSchemaRow body_motion_rows[] = {
    {"pose", MB_TYPE_OBJECT, EXTRA(MbBodyMotionSpec, has_pose), .object = &path,
     .help = "along a path, from its start on where the body's `pose` and `velocity` are absent"},
    {"velocity", MB_TYPE_OBJECT, EXTRA(MbBodyMotionSpec, has_velocity), .object = &speed,
     .help = "at a velocity, from the body's `pose` on, and from its start where the body's `velocity` is "
             "absent"},
    {0}};
static const MbSchemaObject body_motion = {
    .name = "body_motion",
    .help =
        "A body that is driven. Channel `constraint.force` tells what this takes: the torque about the body "
        "frame's origin, then the force, in the body's axes; in the world's where a velocity is given in "
        "them.",
    .size = sizeof(MbBodyMotionSpec),
    .rows = body_motion_rows,
    .either = "pose",
    .or_else = "velocity",
    .one_of_both = true};

static const MbSchemaRow body_rows[] = {
    {"name", MB_TYPE_NAME, AT(MbBodySpec, name), .flags = MB_REQUIRED, .set = MB_BODY_NAMES,
     .help = "unique; `world` is taken"},
    {"shape", MB_TYPE_ONE_OR_LIST, AT(MbBodySpec, shapes), COUNT(MbBodySpec, nshapes),
     EXTRA(MbBodySpec, shape_list), .object = &shape,
     .help = "one shape, or a list of them: a composite body"},
    {"density", MB_TYPE_NUMBER, AT(MbBodySpec, density), .bound = MB_ABOVE, .unit = "kg/m^3",
     .help = "of the shapes that have none of their own"},
    {"material", MB_TYPE_REFERENCE, AT(MbBodySpec, material), .set = MB_MATERIAL_NAMES,
     .help = "of the shapes that have none of their own, from `materials`"},
    COLOR_OF(MbBodySpec,
             "of the shapes that have none of their own; absent: its material's, or one by its place "
             "in the scene"),
    {"mass", MB_TYPE_NUMBER, AT(MbBodySpec, mass), .bound = MB_ABOVE, .unit = "kg",
     .help = "total mass: the shapes' masses are scaled to it"},
    {"inertia", MB_TYPE_OBJECT, AT(MbBodySpec, inertia), .flags = MB_APART, .object = &inertia,
     .help = "mass properties as numbers, instead of from shapes"},
    {"pose", MB_TYPE_OBJECT, AT(MbBodySpec, pose), EXTRA(MbBodySpec, posed), .object = &mb_schema_frame,
     .help = "the body frame in the world at the start; of bodies without a joint. Absent: of a body that is "
             "driven along a path where that begins, of others the origin"},
    {"velocity", MB_TYPE_OBJECT, EXTRA(MbBodySpec, moving), .object = &velocity,
     .help = "how the body moves at the start; of bodies without a joint. Absent: of a body that is driven "
             "along a path as that does, of others at rest"},
    {"damping", MB_TYPE_NUMBER, AT(MbBodySpec, damping), .bound = MB_FROM, .unit = "N s/m, N m s",
     .fallback = "0",
     .help = "viscous drag: minus this number times the body's twist, about its centre of mass"},
    {"joint", MB_TYPE_OBJECT, AT(MbBodySpec, joint), EXTRA(MbBodySpec, jointed), .object = &joint,
     .help = "how the body hangs on another; without one it is free in space"},
    {"motion", MB_TYPE_OBJECT, AT(MbBodySpec, motion), .flags = MB_APART, .object = &body_motion,
     .help = "drives the body along a path; of bodies without a joint"},
    {0}};
#define IN_POSE "a body's place is in its \"pose\": {\"position\": [...], \"rotation\": ...}"
static const MbSchemaHint body_hints[] = {
    {"position", IN_POSE}, {"pos", IN_POSE},    {"rotation", IN_POSE}, {"euler", IN_POSE}, {"quat", IN_POSE},
    {"rpy", IN_POSE},      {"origin", IN_POSE}, {"frame", IN_POSE},    COLOR_HINTS,        {NULL, NULL}};
const MbSchemaObject mb_schema_body = {.name = "body",
                                       .help = "A rigid body.",
                                       .size = sizeof(MbBodySpec),
                                       .rows = body_rows,
                                       .either = "density",
                                       .or_else = "material",
                                       .hints = body_hints};
