// Green's strain of the elements of a mesh.
#ifndef MB_IO_GREEN_H
#define MB_IO_GREEN_H

#include <stddef.h>
#include <stdint.h>

// Of an element with m + 1 `corner`s (2 to 4) at the places `x`, whose places at rest are `rest` (both by vertex, 3 numbers each): E in the
// world's axes as xx, yy, zz, xy, yz, xz, and its largest principal value. A triangle or a line has no strain across itself: E is 0 in
// those directions, which do not count as principal ones. NaN where the element has no size at rest.
void mb_green_strain(const double *rest, const double *x, const uint32_t *corner, int m, double E[6],
                     double *largest);

#endif
