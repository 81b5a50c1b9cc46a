// The scene format: contact and friction.
#include "io/scene/schema_rows.h"

static const char *const cone_help[] = {
    "no friction", "each of two tangents by itself up to the friction: up to √2 of it along the diagonal",
    "a regular polygon with `sides` sides inside the circle, a corner on the first tangent",
    "the circle: Coulomb's law", NULL};
static const char *const method_help[] = {
    "gauss_seidel, then nonsmooth_newton, for free bodies a proximal Newton method, then admm, until one "
    "comes to "
    "the tolerance, for each island of "
    "bodies "
    "that touch; pivoting at last for boxes and pyramids. Few contacts that slip share loads that the law "
    "leaves open as if "
    "all gave way alike",
    "exact to rounding; cones none, box and pyramid, up to some 200 contacts",
    "one contact after the other, each solved exactly; quick on piles, slow where masses differ much",
    "normal forces and friction in turns; may go round without an end, which it tells",
    "Newton's method on a function that is zero where each contact's law holds",
    "the alternating direction method of multipliers: slow, and seldom fails",
    NULL};
static const char *const function_help[] = {"min(a, b)", "a + b - sqrt(a^2 + b^2)", NULL};
static const MbSchemaRow pair_rows[] = {
    {"bodies", MB_TYPE_REFERENCES, AT(MbContactPairSpec, bodies), .flags = MB_REQUIRED, .length = 2,
     .set = MB_SOLID_NAMES,
     .help = "two bodies, deformables, or one of each; they collide even if a joint joins them"},
    FRICTION_OF(MbContactPairSpec, "between them; absent: that of their shapes"),
    RESTITUTION_OF(MbContactPairSpec, "between them; absent: that of their shapes"),
    {0}};
static const MbSchemaObject pair = {.name = "contact_pair",
                                    .help = "What holds for two bodies or deformables.",
                                    .size = sizeof(MbContactPairSpec),
                                    .rows = pair_rows};
static const MbSchemaRow contact_rows[] = {
    {"enabled", MB_TYPE_BOOL, AT(MbContactsSpec, enabled), .fallback = "true",
     .help = "false: as if `contact` were not there"},
    {"friction", MB_TYPE_NUMBER, AT(MbContactsSpec, friction), .bound = MB_FROM, .fallback = "0.5",
     .help = "coefficient of friction of shapes that have none of their own, nor a material with one. "
             "Between two "
             "shapes it is the square root of the product of theirs"},
    {"restitution", MB_TYPE_NUMBER, AT(MbContactsSpec, restitution), .bound = MB_BETWEEN, .lo = 0, .hi = 1,
     .fallback = "0",
     .help =
         "share of its speed with which an approach rebounds (Newton's law), of shapes without a word of "
         "their own. Between two shapes it is the larger of theirs. Where the impacts of a step, with "
         "friction "
         "or through several bodies at once, would leave more energy than there was, all rebounds of what "
         "touches there are lessened together, as little as it takes; what friction jams, as a ball in a "
         "narrow "
         "groove, does not rebound"},
    {"restitution_threshold", MB_TYPE_NUMBER, AT(MbContactsSpec, threshold), .bound = MB_FROM, .unit = "m/s",
     .help = "approaches that are slower do not rebound; absent: what gravity makes of rest in two steps"},
    {"method", MB_TYPE_WORD, AT(MbContactsSpec, method), .words = mb_contact_method_words,
     .word_help = method_help, .fallback = "\"auto\"",
     .help = "how the forces of contacts are found, together with "
             "those of joints, loops and limits"},
    {"cone", MB_TYPE_WORD, AT(MbContactsSpec, cone), .words = mb_cone_kind_words, .word_help = cone_help,
     .fallback = "\"cone\"", .help = "where friction may be, by the normal force"},
    {"sides", MB_TYPE_COUNT, AT(MbContactsSpec, sides), .bound = MB_BETWEEN, .lo = 4, .hi = 32,
     .fallback = "4", .help = "of a pyramid: an even number"},
    {"compliance", MB_TYPE_NUMBER, AT(MbContactsSpec, compliance), .bound = MB_FROM, .unit = "m/N",
     .fallback = "0", .help = "of soft contacts, which give way by this for each newton; 0: hard"},
    {"damping", MB_TYPE_NUMBER, AT(MbContactsSpec, damping), .bound = MB_FROM, .unit = "s", .fallback = "0",
     .help = "of soft contacts: seconds of their rate that count as depth"},
    {"iterations", MB_TYPE_COUNT, AT(MbContactsSpec, iterations), .bound = MB_BETWEEN, .lo = 1, .hi = 1e6,
     .help = "of a method in one solution, at most; of `auto` in each of its turns, in the last 25 times as "
             "many, since no other has come to an end. Absent: 200, of gauss_seidel 2000, of staggered 500, "
             "of admm 5000"},
    {"tolerance", MB_TYPE_NUMBER, AT(MbContactsSpec, tolerance), .bound = MB_BETWEEN, .lo = 1e-14, .hi = 0.1,
     .fallback = "1e-8",
     .help =
         "of the natural map, what is left of the laws of all contacts, by what was to be stopped. Steps "
         "that do not come to it are counted and told in the end, the first that leaves a hundred times as "
         "much at once; one that leaves more than a thousandth "
         "ends the run with exit 4, but where method \"gauss_seidel\" or \"nonsmooth_newton\" has "
         "fewer than 200 \"iterations\" to make, a fixed cost a step. Solver \"projective\" leaves more in "
         "iterations that the step does not end with, a thousandth of what they move nodes by; not where "
         "less than 1e-9 is asked for, nor with method \"newton\""},
    {"function", MB_TYPE_WORD, AT(MbContactsSpec, function), .words = mb_newton_function_words,
     .word_help = function_help, .fallback = "\"minimum_map\"", .help = "of nonsmooth_newton"},
    {"pairs", MB_TYPE_LIST, AT(MbContactsSpec, pairs), COUNT(MbContactsSpec, npairs), .object = &pair,
     .help = "what holds for pairs of bodies and deformables"},
    {"exclude", MB_TYPE_REFERENCE_LISTS, AT(MbContactsSpec, exclude), COUNT(MbContactsSpec, nexclude),
     .length = 2, .set = MB_SOLID_NAMES, .help = "pairs of bodies and deformables that do not collide"},
    {"self", MB_TYPE_BOOL, AT(MbContactsSpec, self), .fallback = "false",
     .help = "whether deformables touch themselves that do not say it of their own"},
    {0}};
const MbSchemaObject mb_schema_contacts = {
    .name = "contact",
    .help =
        "Contact and friction of all shapes that `collide`. Bodies that a joint joins do not collide with "
        "one another, nor do those that are fixed to the same body.",
    .size = sizeof(MbContactsSpec),
    .rows = contact_rows};
