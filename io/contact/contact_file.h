// Files with one contact problem, as core/contact/contact_ops.h has it, in JSON. io/README.md describes them.
#ifndef MB_IO_CONTACT_FILE_H
#define MB_IO_CONTACT_FILE_H

#include "core/base/arena.h"
#include "core/contact/contact_ops.h"
#include "io/json/json_text.h"
#include "io/scene/schema_table.h"

// So many rows of one kind; of contacts so many contacts.
typedef struct MbContactRowsSpec {
  int kind; // index into mb_contact_row_words
  int count;
} MbContactRowsSpec;

typedef struct MbContactSpec {
  const char *schema, *name, *source, *licence, *note;
  int contacts; // 0: not told
  MbContactRowsSpec *rows;
  size_t nrows;
  int cone, sides;
  double *q, *mu, *row_start, *column, *value, *soft, *most, *start;
  size_t nq, nmu, nrow_start, ncolumn, nvalue, nsoft, nmost, nstart;
} MbContactSpec;

typedef struct MbContactFile {
  MbArena arena;
  MbContactSpec spec;
  MbContactProblem problem;
} MbContactFile;

extern const char *const mb_contact_row_words[]; // in the order of MbContactRowKind, without tangents
extern const char *const mb_cone_words[];        // in the order of MbCone
extern const MbSchemaObject mb_schema_contact;

// Reads a problem from a text. MB_SCENE with the places of all that is wrong. Free what came whatever it returns.
MbStatus mb_contact_file_read(MbContactFile *file, const char *text, size_t length, const char *name,
                              MbReport *report);
void mb_contact_file_free(MbContactFile *file);

// The text of such a file; what reads it has the same bits. False where the contacts' cones differ, for which there is no word.
bool mb_contact_file_write(MbText *text, const char *name, const MbContactProblem *problem);

#endif
