// The scene format: how long, by which solver and which integrator.
#include "io/scene/schema_rows.h"

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
const MbSchemaObject mb_schema_time = {.name = "time",
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
             "swings or spins (that of 1000 steps where it does neither), and limits and ropes act before "
             "they are passed, not after it"},
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
static const MbSchemaVariant stabilization_variants[] = {
    [MB_BAUMGARTE] = {.rows = baumgarte_rows,
                      .help = "velocities are asked for that close the gaps; with integrator "
                              "\"rk45\" accelerations, critically damped"},
    [MB_POST] = {.rows = NULL,
                 .help = "after each step positions are moved, by as little as masses tell, until the "
                         "constraints hold; not with "
                         "integrator \"rk45\""},
    [MB_NO_STABILIZATION] = {.rows = NULL, .help = "errors of position stay and grow with time"}};
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
    {"project", MB_TYPE_BOOL, AT(MbSolverSpec, project), EXTRA(MbSolverSpec, project_told),
     .help = "true: from joints' coordinates to bodies and back in each step, so that joints never come "
             "apart. Where nothing is said it is true if bodies on joints may touch and velocity terms are "
             "\"carried\": by how little steps of joints as rows part them "
             "it would else be decided which of several contacts bears a load. What spins fast on joints "
             "keeps its energy better with false"},
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
    "`cholesky` on a CPU; on a CUDA device `sparse_inverse` where that has up to 40 million numbers, "
    "`partitioned_inverse` of larger ones",
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
    "`lbfgs`, and `newton` where there are rods or the integrator is \"static\"",
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
     .help = "of a step, at most; 200 where it is not given (1000 with method \"newton\", 10000 with "
             "\"lbfgs\" where there are rods)"},
    {"global", MB_TYPE_WORD, AT(MbSolverSpec, global), .words = mb_global_words, .word_help = global_help,
     .fallback = "\"auto\"", .help = "how the global step solves its equations"},
    {"tolerance", MB_TYPE_NUMBER, AT(MbSolverSpec, tolerance), .bound = MB_FROM, .fallback = "0",
     .help =
         "stops iterating when the largest correction of a node is below this share of the largest "
         "deformable's "
         "size; a step that does not come to it in `iterations` is an error. 0: corrections do not matter "
         "(method \"newton\": 1e-9 is wanted, and it goes on to 1e-12 where it can; where there are rods "
         "1e-8. Steps that do not come to 1e-9 are told and counted, an error is one that leaves more than "
         "1e-5)"},
    {"energy_tolerance", MB_TYPE_NUMBER, AT(MbSolverSpec, energy_tolerance), .bound = MB_BETWEEN, .lo = 0,
     .hi = 1,
     .help = "stops iterating when the energy that a step minimises is, by estimate, above its least by no "
             "more than "
             "this share of what the step's iterations have taken off it, and the last correction is below "
             "1e-4 of the size. Steps that do not come to it in "
             "`iterations` are counted, and told in the end. Absent: 1e-3 where neither `iterations` nor "
             "`tolerance` "
             "is given; 0: all iterations are done. Not with method \"newton\""},
    {"precision", MB_TYPE_WORD, AT(MbSolverSpec, precision), .words = mb_precision_words,
     .word_help = precision_help, .fallback = "\"double\"",
     .help = "of the numbers that the global step keeps; unknowns always have 64 bits"},
    {"method", MB_TYPE_WORD, AT(MbSolverSpec, method), .words = mb_method_words, .word_help = method_help,
     .fallback = "\"auto\"", .help = "how a step's equations are solved"},
    {0}};
static const MbSchemaVariant solver_variants[] = {
    [MB_SOLVER_REDMAX] = {.rows = redmax_rows, .help = "reduced (joint) coordinates"},
    [MB_SOLVER_MAXIMAL] = {.rows = maximal_rows, .help = "maximal coordinates: every body has six"},
    [MB_SOLVER_PROJECTIVE] = {.rows = projective_rows,
                              .help = "deformables by projective dynamics, and bodies together with them"}};
const MbSchemaObject mb_schema_solver = {
    .name = "solver",
    .help = "How the equations are solved: a word, or an object with options. Scenes of free bodies "
            "run the same under every solver.",
    .size = sizeof(MbSolverSpec),
    .rows = solver_rows,
    .selector = "type",
    .selector_offset = offsetof(MbSolverSpec, kind),
    .words = mb_solver_words,
    .variants = solver_variants,
    .selector_fallback = "redmax",
    .bare = true};

static const MbSchemaRow integrator_rows[] = {{0}};
static const MbSchemaRow rk45_rows[] = {
    {"relative", MB_TYPE_NUMBER, AT(MbIntegratorSpec, relative), .bound = MB_ABOVE, .fallback = "1e-6",
     .help = "error allowed in a step, relative to the value"},
    {"absolute", MB_TYPE_NUMBER, AT(MbIntegratorSpec, absolute), .bound = MB_ABOVE, .fallback = "1e-9",
     .help = "error allowed in a step, in SI units"},
    {0}};
static const MbSchemaRow static_rows[] = {
    {"load_steps", MB_TYPE_COUNT, AT(MbIntegratorSpec, load_steps), .bound = MB_BETWEEN, .lo = 1, .hi = 1e6,
     .fallback = "1",
     .help = "parts of each step's loads that come on one after the other: the signals' change over it, and "
             "what is out of balance at its start, in the first step gravity"},
    {"tolerance", MB_TYPE_NUMBER, AT(MbIntegratorSpec, tolerance), .bound = MB_ABOVE, .fallback = "1e-9",
     .help = "the largest correction of a coordinate that is taken for none, m or rad; in scenes larger than "
             "1 m lengths count by their size"},
    {0}};
static const MbSchemaVariant integrator_variants[] = {
    [MB_SYMPLECTIC] = {.rows = NULL,
                       .help = "symplectic Euler: first order, forces as they are before the step; springs "
                               "neither gain nor lose, fast "
                               "spins gain energy"},
    [MB_IMPLICIT] = {.rows = NULL,
                     .help = "linearly implicit Euler: first order, damps, stable with stiff forces"},
    [MB_TRAPEZOIDAL] =
        {.rows = NULL,
         .help = "trapezoidal rule, with joints the midpoint rule: second order, stable with stiff joints"},
    [MB_BRIDSON_MARINO] =
        {.rows = NULL,
         .help =
             "second order, damps little; Bridson and Marino's scheme: damping implicit, stiffness explicit"},
    [MB_RK45] = {.rows = rk45_rows,
                 .help = "adaptive Runge-Kutta of order 5 with error control; `step` is the longest step"},
    [MB_BDF1] =
        {.rows = NULL,
         .help = "fully implicit Euler: first order, masses, velocity terms and forces at the step's end, "
                 "by Newton's method; damps whatever is fast"},
    [MB_BDF2] =
        {.rows = NULL,
         .help =
             "backward differences of order 2, fully implicit; damps what is fast, little of what is slow"},
    [MB_SDIRK2] =
        {.rows = NULL,
         .help =
             "implicit Runge-Kutta of order 2 in two stages, fully implicit: as `bdf2`, at twice the cost, "
             "with no memory of the step before. Of order 1 where a soft constraint has `damping` and "
             "others, or joints under solver `maximal`, are hard: there take `bdf2`"},
    [MB_STATIC] = {.rows = static_rows,
                   .help = "no motion: each step looks for an equilibrium at the signals' values at its end, "
                           "from where the step before "
                           "has left things; nothing moves, damps or weighs but by gravity. One that is not "
                           "found ends the run with exit 4"}};
const MbSchemaObject mb_schema_integrator = {.name = "integrator",
                                             .help =
                                                 "How time is stepped: a word, or an object with options.",
                                             .size = sizeof(MbIntegratorSpec),
                                             .rows = integrator_rows,
                                             .selector = "type",
                                             .selector_offset = offsetof(MbIntegratorSpec, kind),
                                             .words = mb_integrator_words,
                                             .variants = integrator_variants,
                                             .selector_fallback = "implicit",
                                             .bare = true};
