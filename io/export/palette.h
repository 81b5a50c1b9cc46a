// Colours of bodies and deformables that the scene gives none: by their place in the file, the same in pages and in exported models.
#ifndef MB_IO_PALETTE_H
#define MB_IO_PALETTE_H

#include <stddef.h>

// Red, green and blue in linear light, 0 to 1: what glTF wants.
void mb_palette(size_t i, double rgb[3]);
// A number of a colour of screens (sRGB) in linear light.
double mb_palette_linear(double x);

#endif
