// The table of study files.
#include "io/scene/schema_rows.h"
#include "io/sweep/study.h"

const char *const mb_keep_words[] = {"all", "failed", "none", NULL};
const char *const mb_lanes_words[] = {"auto", "off", NULL};

static const MbSchemaRow study_rows[] = {
    {"$schema", MB_TYPE_TEXT, AT(MbStudySpec, schema),
     .help = "where an editor finds the JSON Schema of studies (`mbsim schema --study` prints it)"},
    {"mbsim_study", MB_TYPE_VERSION, .flags = MB_REQUIRED, .bound = MB_BETWEEN, .lo = 1, .hi = 1,
     .help = "version of the format"},
    {"name", MB_TYPE_TEXT, AT(MbStudySpec, name), .fallback = "\"\"", .help = "a title"},
    {"description", MB_TYPE_TEXT, AT(MbStudySpec, description), .fallback = "\"\"",
     .help = "a line about the study"},
    {"scene", MB_TYPE_TEXT, AT(MbStudySpec, scene), .flags = MB_REQUIRED,
     .help = "the scene's file, from the study's folder"},
    {"design", MB_TYPE_WORD, AT(MbStudySpec, design), .words = mb_design_words, .word_help = mb_design_help,
     .fallback = "\"grid\"", .help = "how the values make runs"},
    {"samples", MB_TYPE_COUNT, AT(MbStudySpec, samples), .bound = MB_FROM, .lo = 1,
     .help = "runs of a design that draws"},
    {"seed", MB_TYPE_INTEGER, AT(MbStudySpec, seed), .bound = MB_BETWEEN, .hi = 9e15, .fallback = "1",
     .help =
         "what is drawn: the same seed gives the same runs everywhere; 0 is the Sobol sequence as published"},
    {"list", MB_TYPE_TEXT, AT(MbStudySpec, list),
     .help = "a table of runs (CSV, whose header names what varies), from the study's folder"},
    {"vary", MB_TYPE_VALUES, AT(MbStudySpec, vary), COUNT(MbStudySpec, nvary),
     .help = "what varies: names of the scene's parameters, or JSON pointers into it (\"/solver\"). Values "
             "are a list, or a text "
             "as on the command line: \"from:to:count\", \"log:from:to:count\"; for designs that draw "
             "\"from:to\", "
             "\"log:from:to\", \"normal:mean:deviation\". A single value holds in every run"},
    {"measures", MB_TYPE_TEXTS, AT(MbStudySpec, measures), COUNT(MbStudySpec, nmeasures),
     .help = "columns of the table: functions of a column as `mbsim export` names it (final, min, max, mean, "
             "rms, time_of_max, "
             "time_of_min, at(x, t), first(condition)), and expressions of them"},
    {"output", MB_TYPE_TEXT, AT(MbStudySpec, output),
     .help =
         "the folder of the results, from the one where mbsim runs; the study's name with .sweep if absent"},
    {"jobs", MB_TYPE_COUNT, AT(MbStudySpec, jobs), .bound = MB_FROM, .lo = 1,
     .help = "runs at a time; as many as there are processors if absent"},
    {"lanes", MB_TYPE_WORD, AT(MbStudySpec, lanes), .words = mb_lanes_words, .fallback = "\"auto\"",
     .help = "whether runs that differ in numbers alone go eight at a time in a processor's vectors, where "
             "their scenes allow it and "
             "`keep` is not \"all\"; they come to the same bits"},
    {"device", MB_TYPE_WORD, AT(MbStudySpec, device), .words = mb_device_words,
     .help = "what computes the runs, instead of what the scene says: on `cuda` trees go in lockstep, "
             "thousands at a "
             "time, with `keep` \"failed\" or \"none\", and deformables one by one"},
    {"keep", MB_TYPE_WORD, AT(MbStudySpec, keep), .words = mb_keep_words, .fallback = "\"all\"",
     .help = "whose trajectories stay"},
    {"format", MB_TYPE_WORD, AT(MbStudySpec, format), .words = mb_table_words, .fallback = "\"csv\"",
     .help = "write the table in this form too"},
    {"times", MB_TYPE_BOOL, AT(MbStudySpec, times), .fallback = "true",
     .help = "whether the table has the columns that differ from time to time"},
    {"timeout", MB_TYPE_NUMBER, AT(MbStudySpec, timeout), .bound = MB_ABOVE, .unit = "s",
     .help = "stop a run that takes longer"},
    {"memory", MB_TYPE_TEXT, AT(MbStudySpec, memory), .help = "how much a run may take: \"500M\", \"2G\""},
    {"retry", MB_TYPE_COUNT, AT(MbStudySpec, retry), .bound = MB_FROM, .lo = 1,
     .help = "try a run that fails so many times more"},
    {"fail_fast", MB_TYPE_BOOL, AT(MbStudySpec, fail_fast), .fallback = "false",
     .help = "start no more runs once one has failed"},
    {"duration", MB_TYPE_NUMBER, AT(MbStudySpec, duration), .bound = MB_FROM, .unit = "s",
     .help = "how long to simulate, instead of the scene's duration or steps"},
    {"step", MB_TYPE_NUMBER, AT(MbStudySpec, step), .bound = MB_ABOVE, .unit = "s",
     .help = "step length, instead of the scene's"},
    {"solver", MB_TYPE_WORD, AT(MbStudySpec, solver), .words = mb_solver_words,
     .help = "solver, instead of the scene's with its options; threads and device stay"},
    {"integrator", MB_TYPE_WORD, AT(MbStudySpec, integrator), .words = mb_integrator_words,
     .help = "integrator, instead of the scene's with its options"},
    {"every", MB_TYPE_COUNT, AT(MbStudySpec, every), .bound = MB_FROM, .lo = 1,
     .help = "steps from frame to frame, instead of the scene's every or interval"},
    {"error", MB_TYPE_ERROR, AT(MbStudySpec, error), .words = mb_error_words, .object = &mb_schema_error,
     .help = "largest error of the numbers in the trajectories, as in a scene's output"},
    {"checkpoint", MB_TYPE_NUMBER, AT(MbStudySpec, checkpoint), .bound = MB_ABOVE, .unit = "s",
     .help = "simulated time between checkpoints, instead of the scene's"},
    {0}};

const MbSchemaObject mb_schema_study = {
    .name = "study", .help = "The file: one JSON object.", .size = sizeof(MbStudySpec), .rows = study_rows};
