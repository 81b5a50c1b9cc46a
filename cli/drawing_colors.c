// Colours in the DRAW record, of what the scene gives one; the others have those of a palette, by their places.
#include "cli/drawing.h"

void mb_drawing_color(MbText *t, const double *color) {
  if (!color) return;
  mb_text_add(t, ",");
  mb_drawing_numbers(t, "color", color, 4);
}

// A mesh has the name of its record (run_meshes.c); a plane has none.
void mb_drawing_shapes(MbText *t, const MbSceneSpec *spec) {
  size_t n = 0;
  for (size_t i = 0; i < spec->nbodies; i++)
    for (size_t k = 0; k < spec->bodies[i].nshapes; k++) {
      const MbShapeSpec *shape = &spec->bodies[i].shapes[k];
      const double *color = mb_shape_color(spec, &spec->bodies[i], shape);
      if (!color || shape->kind == MB_SHAPE_PLANE) continue;
      mb_text_format(t, "%s{\"body\":%zu,\"shape\":%zu", n++ ? "," : ",\"shapes\":[", i, k);
      mb_drawing_color(t, color);
      mb_text_add(t, "}");
    }
  if (n) mb_text_add(t, "]");
}
