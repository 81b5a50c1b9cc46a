// The scene format as data: one row per key. The rows read, check and explain a scene, and make its JSON
// Schema and its reference. A new key is a new row; a new kind of shape or force is a new list of rows.
#ifndef MB_IO_SCHEMA_TABLE_H
#define MB_IO_SCHEMA_TABLE_H

#include "core/model/spec.h"

// What a value may be. Where a number stands, a text "=expression" may stand too.
typedef enum MbSchemaType {
  MB_TYPE_VERSION,    // a number that is checked and not kept
  MB_TYPE_NUMBER,     // double
  MB_TYPE_INTEGER,    // int64_t
  MB_TYPE_COUNT,      // int
  MB_TYPE_BOOL,       // bool; extra: another one that says whether it was given
  MB_TYPE_TEXT,       // const char *; one of `words`, if there are any
  MB_TYPE_NAME,       // const char *, unique in `set`
  MB_TYPE_REFERENCE,  // const char *, a name of `set`
  MB_TYPE_WORD,       // an enum: index into `words`
  MB_TYPE_WORDS,      // const char **, count: a list of `words`
  MB_TYPE_NUMBERS,    // double[length]; extra: a bool that says whether they were given
  MB_TYPE_DIRECTION,  // double[3], made a unit vector
  MB_TYPE_DIRECTIONS, // double[length][3], the same
  MB_TYPE_SEQUENCE, // double *, count: as many numbers as there are; or `object`, with a place of its own, extra:
                    // that of the pointer to it, NULL where it is not given
  MB_TYPE_ROTATION,        // double[4]
  MB_TYPE_SIGNAL,          // MbSignalSpec; extra: a bool that says whether it was given
  MB_TYPE_SIGNALS,         // MbSignalSpec[3]
  MB_TYPE_SIGNAL_LIST,     // MbSignalsSpec: one signal, or a list; with MB_NULLS null is a NaN
  MB_TYPE_LIMITS,          // MbLimitsSpec: a pair [lo, hi], or a list of them; null is open
  MB_TYPE_REFERENCES,      // const char *[length], names of `set`
  MB_TYPE_REFERENCE_LISTS, // pointer to such, count: a list of them
  MB_TYPE_OBJECT,          // `object`, in place; extra: a bool that says whether it was given
  MB_TYPE_LIST,            // pointer to `object`s, count
  MB_TYPE_ONE_OR_LIST,     // the same; extra: a bool that says whether it was a list
  MB_TYPE_PARAMETERS,      // MbParameterSpec *, count
  MB_TYPE_MAP,             // pointer to `object`s, count; extra: the name's place in each
  MB_TYPE_ERROR,           // double[MB_QUANTITIES]: 0, a word, or `object`
  MB_TYPE_MESH,            // const char *, a file; extra: the mesh's place
  MB_TYPE_ELEMENTS, // in MbNodeMeshSpec: const char *, a file of tetrahedra or triangles, and what it holds
  MB_TYPE_POINTS,   // double *, count: a list of places, 3 numbers each
  MB_TYPE_CORNERS,  // double[2][3], least and most; extra: a bool that says whether they were given
  MB_TYPE_TEXTS,    // MbNamedText *, count: texts by name
  MB_TYPE_VALUES, // MbNamedText *, count: by name, what --param and --set take: a text, a value, or a list of values
  MB_TYPE_COLOR, // const double *, 4 of them: a list of 3 or 4 numbers
  MB_TYPE_GRIDS, // MbSurfaceSpec *: six lists of rows of numbers, a spline surface's control values
  MB_TYPES
} MbSchemaType;

enum { MB_TEXT_MOST = 1 << 20 }; // bytes of a text

typedef enum MbSchemaBound {
  MB_UNBOUND,
  MB_ABOVE,
  MB_FROM,
  MB_BETWEEN,
  MB_NOT_ZERO
} MbSchemaBound; // > lo, >= lo, lo .. hi, < 0 or > 0

enum {
  MB_REQUIRED = 1,
  MB_LATER = 2,
  MB_SINGLE = 4,
  MB_OR_WORLD = 8,
  MB_NULLS = 16,
  MB_FORWARD = 32,
  MB_START = 64,
  MB_WHOLE = 128,
  MB_APART = 256,
  MB_OR_BOOL = 512
};  // flags; LATER = the name is kept for a version that has it,
    // SINGLE = one number may stand for a list of one, OR_WORLD = a reference may be "world",
    // NULLS = null may stand for a signal in a list, FORWARD = what a reference names may stand behind it,
    // START = numbers are coordinates of a joint, of which angles beyond a turn are doubted,
    // WHOLE = numbers of a list are whole,
    // APART = the object has a place of its own, and its holder a pointer to it, NULL where it is not given,
    // OR_BOOL = of such, true may stand for one with its defaults, and false for none; of a WORD false is 0, true 1,
    // and the words follow

typedef enum MbNameSet {
  MB_NO_NAMES,
  MB_BODY_NAMES,
  MB_MATERIAL_NAMES,
  MB_FORCE_NAMES,
  MB_CONSTRAINT_NAMES,
  MB_PARAMETER_NAMES,
  MB_DEFORMABLE_NAMES,
  MB_SOLID_NAMES, // of bodies and of deformables
  MB_NAME_SETS
} MbNameSet;

typedef struct MbSchemaObject MbSchemaObject;

typedef struct MbNamedText {
  const char *name, *text;
} MbNamedText;

typedef struct MbSchemaRow {
  const char *key;
  MbSchemaType type;
  size_t offset, count, extra; // places in the object's struct
  bool own;                    // in that of its variant instead
  unsigned flags;
  MbSchemaBound bound;
  double lo, hi;
  size_t length; // NUMBERS, DIRECTIONS, REFERENCES, REFERENCE_LISTS; LIST: as many as it must have, 0 = any
  size_t least, most;                      // SEQUENCE, LIST: how many it may have, 0 = any
  MbNameSet set;                           // NAME, REFERENCE, REFERENCES, REFERENCE_LISTS
  const char *unit;                        // NULL = none
  const char *fallback;                    // the default, as JSON; NULL = none
  int64_t absent;                          // INTEGER without default: what says "not given"
  const char *const *words, *const *later; // that are known, and that a later version knows; ended by NULL
  const char *const *word_help; // what each of `words` means, ended by NULL; NULL = the row's help says it
  const char *form;             // NUMBERS: what each number is, "[xx, yy, zz]"
  const char *needs;            // a key that must stand beside this one; NULL = none
  const char *pattern;          // TEXT: what the JSON Schema says of it; core/compile checks it
  const MbSchemaObject *object;
  const char *help;
} MbSchemaRow;

// A key of another format, or one in a wrong place, and what to write instead.
typedef struct MbSchemaHint {
  const char *key, *instead;
} MbSchemaHint;

// What an object has whose "type" is one of the words: a row of a kind's list.
typedef struct MbSchemaVariant {
  const MbSchemaRow *rows; // NULL = no keys of its own
  const char *help;
  // bytes of a struct of its own, in which the rows marked `own` have their places; 0 = it has none
  size_t own;
} MbSchemaVariant;

// An object of the format. Rows end with one without a key and are read in their order.
struct MbSchemaObject {
  const char *name; // in the JSON Schema and the reference: "shape"
  const char *help;
  size_t size;       // of its struct
  const void *start; // what the struct holds before the rows' defaults; NULL = zeros
  const MbSchemaRow *rows;
  // of an object whose "type" says what other keys it has: the word's place, the rows of every word, and a
  // line of help
  const char *selector;
  size_t selector_offset;
  const char *const *words, *const *later;
  const MbSchemaVariant *variants; // (words)
  size_t parameters;               // place of the pointer to the struct of a variant's own
  const char *selector_fallback;   // word when "type" is absent; NULL = required
  bool bare;                       // a text alone is the word
  // of two keys, exactly one or at most one may be there
  const char *either, *or_else;
  bool one_of_both;
  // of several keys, exactly one is there; ended by NULL
  const char *const *one_of;
  const MbSchemaHint *hints; // ended by one without a key
};

extern const MbSchemaObject mb_schema_scene;
// What stands for numbers of several shapes: read by type functions, described like all else.
extern const MbSchemaObject mb_schema_signal, mb_schema_axis_angle, mb_schema_euler;

// What mb_schema_signal, mb_schema_axis_angle and mb_schema_euler are read into.
typedef struct MbSignalTable {
  double *times, *values;
  size_t ntimes, nvalues;
  MbInterpolation interpolation;
} MbSignalTable;

typedef struct MbAxisAngle {
  double axis[3], angle;
} MbAxisAngle;

typedef struct MbEuler {
  const char *order;
  double angles[3];
} MbEuler;

// The presets of "error", in the order of mb_error_words.
extern const char *const mb_error_words[];
extern const double mb_error_bounds[][MB_QUANTITIES];

#endif
