// Reading JSON values into structs by the rows of the schema. Everything that is wrong goes to the report,
// with its place; reading then goes on, so that all errors of a scene are found at once.
#ifndef MB_IO_SCHEMA_READ_H
#define MB_IO_SCHEMA_READ_H

#include "core/base/expression.h"
#include "core/base/report.h"
#include "io/scene/schema_names.h"
#include "io/scene/schema_table.h"
#include <cjson/cJSON.h>

enum { MB_READER_OBJECTS = 96 };

// Structs with every default filled in, by what they are of. They are the same in every reading.
typedef struct MbReaderDefaults {
  MbArena arena; // of readings that are kept
  struct {
    const void *of; // an object, or a variant with a struct of its own
    const void *bytes;
  } made[MB_READER_OBJECTS];
} MbReaderDefaults;

typedef struct MbReaderMesh MbReaderMesh;
typedef struct MbReaderPending MbReaderPending;

typedef struct MbReader {
  MbReport *report;
  MbStatus status;       // of the first error
  bool stopped;          // memory has run out
  MbArena *arena;        // for all that is read
  const char *directory; // of mesh files
  const char *text;      // the source, for lines and columns
  size_t length;
  char *const *overridden; // pointers that the command line has set
  size_t noverridden;
  char path[512];        // pointer of the value being read, cut to fit
  size_t path_length;    // before cutting
  MbConstant *constants; // the parameters so far
  size_t nconstants;
  const cJSON *parameter; // being read; NULL = none
  MbSchemaNames names[MB_NAME_SETS];
  MbReaderMesh *meshes;       // read so far
  MbReaderPending *pending;   // references to names that were not there yet
  MbReaderDefaults *defaults; // those of earlier readings, which stay; NULL: made for this one alone
  MbReaderDefaults own;       // where there are none of earlier ones; its arena is `arena`
} MbReader;

// ---- where we are -----------------------------------------------------------------------------------------

typedef size_t MbReaderPlace;
MbReaderPlace mb_reader_enter(MbReader *r, const char *key);
MbReaderPlace mb_reader_enter_index(MbReader *r, size_t index);
void mb_reader_leave(MbReader *r, MbReaderPlace place);

// ---- what is wrong ----------------------------------------------------------------------------------------

// Errors at the current place; both return false, so that type functions can return them.
bool mb_reader_error(MbReader *r, const char *format, ...) MB_PRINTF(2, 3);
// "found ..., wanted ..."
bool mb_reader_unwanted(MbReader *r, const cJSON *item, const char *format, ...) MB_PRINTF(3, 4);
bool mb_reader_key_error(MbReader *r, const char *key, const char *format, ...) MB_PRINTF(3, 4);
bool mb_reader_no_memory(MbReader *r);
// Whether an error will still be kept: suggestions that cost time are made only then.
bool mb_reader_listens(const MbReader *r);
// ` (did you mean "..."?)`, or nothing.
void mb_reader_suggest(const char *word, const char *const *words, char *out, size_t size);

// ---- reading ----------------------------------------------------------------------------------------------

// One value by its row into base + row->offset. False when something was wrong.
bool mb_read_row(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base);
// Refuses the references that wait for names which have not come.
void mb_read_pending(MbReader *r);
// An object's members into `base`, which mb_read_defaults has filled.
bool mb_read_object(MbReader *r, const MbSchemaObject *object, const cJSON *item, void *base);
// Room for an object that lies apart, with its defaults, the pointer to it put at `at`; NULL when memory ran out.
void *mb_read_place_apart(MbReader *r, const MbSchemaObject *object, void *at);
// Room for what a variant has of its own, with its defaults; the pointer to it goes to its place in `base`. NULL when memory ran
// out.
void *mb_read_own(MbReader *r, const MbSchemaObject *object, const MbSchemaVariant *variant, void *base);
// The object with the default of every key; NULL when memory ran out.
const void *mb_read_defaults(MbReader *r, const MbSchemaObject *object);

// The expression that a text "=..." is, over the parameters so far; NULL after an error.
MbExpression *mb_read_expression(MbReader *r, const cJSON *item, bool with_time);
bool mb_read_number(MbReader *r, const cJSON *item, double *value);
// Within the row's bounds?
bool mb_read_bounds(MbReader *r, const MbSchemaRow *row, const cJSON *item, double value);
// "a number > 0"
void mb_schema_bounds(const MbSchemaRow *row, const char *noun, char *out, size_t size);
// Whether a list has as many elements as its row allows.
bool mb_read_count(MbReader *r, const MbSchemaRow *row, const cJSON *item, const char *what);
bool mb_read_numbers(MbReader *r, const MbSchemaRow *row, const cJSON *item, size_t n, double *out);
// Texts and words, as schema_words.c reads them.
bool mb_read_text(MbReader *r, const cJSON *item, const char **out);
bool mb_read_name(MbReader *r, const MbSchemaRow *row, const cJSON *item, const char **out);
bool mb_read_reference(MbReader *r, const MbSchemaRow *row, const cJSON *item, const char **out);
bool mb_read_references(MbReader *r, const MbSchemaRow *row, const cJSON *item, const char **out);
bool mb_read_reference_lists(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base);
bool mb_read_word(MbReader *r, const MbSchemaRow *row, const cJSON *item, int *out);
bool mb_read_words(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base);
bool mb_read_error(MbReader *r, const MbSchemaRow *row, const cJSON *item, double *out);
bool mb_read_list(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base);
bool mb_read_texts(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base);
bool mb_read_map(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base);
bool mb_read_parameters(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base);
// Warns of angles at a joint's start that must be degrees.
void mb_read_doubt_start(MbReader *r, const cJSON *item, const MbJointSpec *joint);
bool mb_read_rotation(MbReader *r, const cJSON *item, double q[4]);
bool mb_read_signal(MbReader *r, const cJSON *item, MbSignalSpec *signal);
bool mb_read_elements(MbReader *r, const cJSON *item, MbNodeMeshSpec *mesh);
bool mb_read_mesh(MbReader *r, const MbSchemaRow *row, const cJSON *item, void *base);

#endif
