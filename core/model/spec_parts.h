// What several parts of a scene are made of: values over time, lists of numbers, frames, points.
#ifndef MB_MODEL_SPEC_PARTS_H
#define MB_MODEL_SPEC_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Of the lists of kinds below: a name in the enum, a word in the list of words.
#define MB_KIND_NAME(name, word) name,
#define MB_KIND_WORD(name, word) word,

// A value over time.
typedef enum MbSignalKind { MB_SIGNAL_CONSTANT, MB_SIGNAL_EXPRESSION, MB_SIGNAL_TABLE } MbSignalKind;
typedef enum MbInterpolation { MB_LINES, MB_HOLD, MB_CUBIC } MbInterpolation;

typedef struct MbSignalSpec {
  MbSignalKind kind;
  MbInterpolation interpolation;
  double value;                 // constant
  const char *text;             // expression in t and the parameters, without the "="
  size_t count;                 // table: strictly increasing times
  const double *times, *values; // (count)
} MbSignalSpec;

typedef struct MbFrameSpec {
  double position[3];
  double rotation[4]; // unit quaternion w x y z
} MbFrameSpec;

// Lists of numbers by degree of freedom have one number for all of them, or as many as there are; none = 0.
typedef struct MbNumbersSpec {
  size_t count;
  const double *value; // (count)
} MbNumbersSpec;

// Signals by degree of freedom: one for each, or one for all; none = not given.
typedef struct MbSignalsSpec {
  uint32_t count;
  bool list;            // written as a list: pointers are /force/0, not /force
  MbSignalSpec *signal; // (count)
} MbSignalsSpec;

typedef enum MbAxes { MB_AXES_WORLD, MB_AXES_BODY } MbAxes;

// A point of a body, or a frame; or a node of a deformable.
typedef struct MbPointSpec {
  const char *body;  // or "world"
  MbFrameSpec frame; // in the body; a point's rotation is the identity
  const char *node;  // the deformable; NULL: of the body
  int64_t index;     // of the node in it
} MbPointSpec;

// The words of the scene format, in the order of their enum, each list ended by NULL.
extern const char *const mb_interpolation_words[4];
extern const char *const mb_axes_words[3];

#endif
