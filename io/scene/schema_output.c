// The scene format: what is written.
#include "io/scene/schema_rows.h"

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
                                            "constraint.active",
                                            "contact",
                                            "contact.pair",
                                            "contact.impact",
                                            "energy",
                                            "momentum",
                                            "muscle",
                                            "deformable.*.position",
                                            "deformable.*.velocity",
                                            "deformable.*.volume",
                                            "deformable.*.strain",
                                            "deformable.*.stress",
                                            "deformable.*.principal_stress",
                                            "deformable.*.von_mises",
                                            "deformable.*.element_strain",
                                            "deformable.*.principal_strain",
                                            "deformable.*.contact",
                                            "solver",
                                            "solver.history",
                                            "solver.contact",
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
    "their rates; those of a rotation vector jump where it changes to its equivalent (body.velocity does "
    "not)",
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
    "the limits and ropes that have pushed over the last step: how many there are in this frame, and a list "
    "of them, with "
    "the constraint; the side from which it holds, lower or upper (a rope is at its upper end); its gap now, "
    "below 0 where "
    "it is beyond its bound; and the force or torque, above 0, with which it pushes. So a file tells when "
    "limits are "
    "hit and let go; exports have a row for each",
    "what has pushed where bodies touch, over the last step: how many contacts there are in this frame, and "
    "a list "
    "of them, with the two bodies, by names, what stands still first, and before that what is deformable; a "
    "number among those of these two; the "
    "point, in the world; the normal, "
    "from the "
    "first body to the second; the gap at the step's end, below 0: depth; the normal force and the friction "
    "(fx, fy, "
    "fz), as the second body feels them; and the speed of slip. Exports have a row for each",
    "the same by pairs of bodies: how many contacts, the sum of their normal forces, and the whole force on "
    "the "
    "second body",
    "impacts in the steps since the frame before, of each: the two bodies or deformables; its number among "
    "theirs; the time at which its step ended; where; the normal, from the first to the second; the speed "
    "along it with which they came at one another, above \"threshold\" of \"contact\"; the impulse "
    "along it; and that of friction (px, py, pz), as the second feels it",
    "kinetic; gravity, which is 0 where the centre of mass is as high "
    "as the world's origin; elastic, of springs; "
    "total, the sum of the three; with `contact` also contact, the work that contacts have done since the "
    "start: "
    "what friction and impacts have taken, below 0; with dry friction in joints friction, the same of that; "
    "and with `contact` as the last parted, what moves that part what is deep have added to the total, "
    "which no impulse of a contact does",
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
    "Cauchy's stress of every element of tetrahedra or cloth (of tetrahedra with ten nodes in the middles of "
    "the eight parts that the file's mesh has of each), in Pa: xx, yy, zz, xy, yz, xz in the world's "
    "axes, "
    "tension above 0. What the "
    "material does and not what damps it; of `linear`, which takes places at rest and now for one, its own. "
    "Of cloth "
    "force by "
    "width, by the thickness at rest. An element that is crushed to less than a hundredth of its volume "
    "(area), or turned "
    "inside out, counts as "
    "one of a hundredth",
    "its principal values, the largest first: three, of cloth the two in its plane",
    "the stress in simple tension of the same energy of distortion, √(½ Σ (σi − σj)²), element by element",
    "strain of every element, xx, yy, zz, xy, yz, xz in the world's axes: change of length by length at "
    "rest, "
    "V − 1 = Σ (s − 1) u uᵀ with principal stretches s and their axes u as they are now; of `linear` (F + "
    "Fᵀ)/2 − 1. Of cloth "
    "that in its plane",
    "its principal values, the largest first: three, of cloth two",
    "what has pushed it where it touches, over the last step: the sum of the normal forces of its contacts, "
    "those with itself among them, "
    "and the whole force on it, fx, fy, fz. Of scenes with `contact`",
    "of the last step: iterations; residual, the last correction's largest move of a node, by the size of "
    "the largest "
    "deformable; left, how far by estimate nodes still were from the step's solution, by the same size "
    "(above 0.001 a run "
    "warns, once); missed, how many steps so far have not come to `energy_tolerance`. Solver `projective`",
    "the same move of every iteration, the first one's first; 0 of those that it did without. Solver "
    "`projective`",
    "of the problem that contacts and what holds with them were in the last step, under every solver: how "
    "many "
    "contacts it had; iterations of the method, of all solutions of the step together; natural, what is left "
    "of "
    "the natural map (0 where no contact opens or closes or slips but as its law says) by what was to be "
    "stopped, which `tolerance` of `contact` bounds; depth, how deep the step has left one solid in another, "
    "by the smaller "
    "one's size; missed, how many steps so far have not come to the tolerance. 0 where nothing touches",
    "the wall time that took, which no comparison looks at. Solver `projective`",
    NULL};
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
     .words = channel_words, .word_help = channel_help,
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
const MbSchemaObject mb_schema_output = {.name = "output",
                                         .help = "What is written, and how often.",
                                         .size = sizeof(MbOutputSpec),
                                         .rows = output_rows,
                                         .either = "every",
                                         .or_else = "interval"};
