// The colours of tools/viewer/src/stage/palette.js, which a test compares.
#include "io/export/palette.h"

#include <math.h>

static const unsigned COLOURS[] = {0x4e79a7, 0xf28e2b, 0x59a14f, 0xe15759, 0x76b7b2,
                                   0xedc948, 0xb07aa1, 0xff9da7, 0x9c755f, 0x8cb369};

// The sRGB curve, IEC 61966-2-1.
double mb_palette_linear(double x) { return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4); }

void mb_palette(size_t i, double rgb[3]) {
  const unsigned colour = COLOURS[i % (sizeof COLOURS / sizeof *COLOURS)];
  for (int k = 0; k < 3; k++) rgb[k] = mb_palette_linear((colour >> (16 - 8 * k) & 255) / 255.0);
}
