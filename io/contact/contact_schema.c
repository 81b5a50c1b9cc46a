// The table of files of contact problems.
#include "io/contact/contact_file.h"
#include "io/scene/schema_rows.h"

const char *const mb_contact_row_words[] = {"both_ways", "one_way", "bounded", "contact", NULL};
const char *const mb_cone_words[] = {"none", "box", "pyramid", "exact", NULL};

static const char *const row_help[] = {"w = 0", "0 ≤ λ ⊥ w ≥ 0", "−most ≤ λ ≤ most",
                                       "three rows: normal, first and second tangent", NULL};

static const MbSchemaRow rows_rows[] = {
    {"type", MB_TYPE_WORD, AT(MbContactRowsSpec, kind), .words = mb_contact_row_words, .word_help = row_help,
     .flags = MB_REQUIRED, .help = "what the rows ask"},
    {"count", MB_TYPE_COUNT, AT(MbContactRowsSpec, count), .bound = MB_FROM, .lo = 1, .fallback = "1",
     .help = "how many such rows; of contacts, how many contacts"},
    {0}};

static const MbSchemaObject rows_object = {.name = "contact_rows",
                                           .help = "Rows of one kind.",
                                           .size = sizeof(MbContactRowsSpec),
                                           .rows = rows_rows};

static const MbSchemaRow problem_rows[] = {
    {"$schema", MB_TYPE_TEXT, AT(MbContactSpec, schema), .help = "not read"},
    {"name", MB_TYPE_TEXT, AT(MbContactSpec, name), .fallback = "\"\"", .help = "a title"},
    {"source", MB_TYPE_TEXT, AT(MbContactSpec, source), .help = "where it is from"},
    {"licence", MB_TYPE_TEXT, AT(MbContactSpec, licence), .help = "under which licence it is given"},
    {"note", MB_TYPE_TEXT, AT(MbContactSpec, note), .help = "anything else"},
    {"contacts", MB_TYPE_COUNT, AT(MbContactSpec, contacts), .bound = MB_FROM, .lo = 0,
     .help = "how many there are; counted if absent"},
    {"rows", MB_TYPE_LIST, AT(MbContactSpec, rows), COUNT(MbContactSpec, nrows), .object = &rows_object,
     .help = "what the rows are, in their order; contacts only if absent"},
    {"cone", MB_TYPE_WORD, AT(MbContactSpec, cone), .words = mb_cone_words, .fallback = "\"exact\"",
     .help = "the section of the cones of friction"},
    {"sides", MB_TYPE_COUNT, AT(MbContactSpec, sides), .bound = MB_BETWEEN, .lo = 4, .hi = MB_MOST_SIDES,
     .fallback = "4", .help = "sides of pyramids, even"},
    {"mu", MB_TYPE_SEQUENCE, AT(MbContactSpec, mu), COUNT(MbContactSpec, nmu), .flags = MB_SINGLE,
     .bound = MB_FROM, .help = "coefficients of friction: one for all contacts, or one each"},
    {"q", MB_TYPE_SEQUENCE, AT(MbContactSpec, q), COUNT(MbContactSpec, nq), .flags = MB_REQUIRED, .least = 1,
     .help = "b: velocities without any impulse"},
    {"row_start", MB_TYPE_SEQUENCE, AT(MbContactSpec, row_start), COUNT(MbContactSpec, nrow_start),
     .flags = MB_REQUIRED | MB_WHOLE, .bound = MB_FROM, .least = 2,
     .help = "where each row of W begins in `column` and `value`, and where the last ends"},
    {"column", MB_TYPE_SEQUENCE, AT(MbContactSpec, column), COUNT(MbContactSpec, ncolumn),
     .flags = MB_REQUIRED | MB_WHOLE, .bound = MB_FROM,
     .help = "columns of W's numbers, from 0, rising in each row"},
    {"value", MB_TYPE_SEQUENCE, AT(MbContactSpec, value), COUNT(MbContactSpec, nvalue), .flags = MB_REQUIRED,
     .help = "W's numbers, which is symmetric"},
    {"soft", MB_TYPE_SEQUENCE, AT(MbContactSpec, soft), COUNT(MbContactSpec, nsoft), .bound = MB_FROM,
     .help = "compliance of each row, which adds to W's diagonal"},
    {"most", MB_TYPE_SEQUENCE, AT(MbContactSpec, most), COUNT(MbContactSpec, nmost), .bound = MB_FROM,
     .help = "bounds of the bounded rows, in their order"},
    {"start", MB_TYPE_SEQUENCE, AT(MbContactSpec, start), COUNT(MbContactSpec, nstart),
     .help = "impulses to start from; zeros if absent"},
    {0}};

const MbSchemaObject mb_schema_contact = {.name = "contact_problem",
                                          .help = "A contact problem: one JSON object.",
                                          .size = sizeof(MbContactSpec),
                                          .rows = problem_rows};
