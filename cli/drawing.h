// Private to the files of the DRAW record: what its parts are written with.
#ifndef MB_CLI_DRAWING_H
#define MB_CLI_DRAWING_H

#include "core/mbsim.h"
#include "core/model/model.h"
#include "core/model/spec.h"
#include "io/json/json_text.h"

enum { MB_DRAWING_LINES = 20000 }; // beyond which a picture shows nothing any more

typedef struct MbDrawing {
  MbText *t;
  const MbModel *model;
  const long *listed; // (nb) scene's number of each body
  size_t nlines;
} MbDrawing;

// "key":[x, …]
void mb_drawing_numbers(MbText *t, const char *key, const double *x, size_t n);
// The further member "color":[red, green, blue, opacity]; nothing where it is NULL (drawing_colors.c).
void mb_drawing_color(MbText *t, const double *color);
// The member "shapes": the colours of meshes that have one.
void mb_drawing_shapes(MbText *t, const MbSceneSpec *spec);
// A point fixed in C of a body, or in the world, as an object.
void mb_drawing_point(const MbDrawing *drawing, size_t body, const double at[3]);
// The member "constraints": where the rows of channel constraint.force act, and in which directions.
void mb_drawing_constraints(MbDrawing *drawing);

#endif
