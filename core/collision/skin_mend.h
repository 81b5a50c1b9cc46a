// Triangles without area taken out of a mesh, so that its surface stays what it is.
//
// Programs that cut surfaces into triangles leave some whose corners are on a line: they fill nothing, but join what is on both sides of it.
#ifndef MB_COLLISION_SKIN_MEND_H
#define MB_COLLISION_SKIN_MEND_H

#include <stdbool.h>
#include <stdint.h>

// Whether the corners a, b, c of a triangle are on a line, within rounding.
bool mb_skin_is_line(const double a[3], const double b[3], const double c[3]);

// Takes the triangles without area out of `corner` (3 *triangles); their number becomes *triangles. Some may be left, where lines meet lines.
// False: out of memory, and nothing has changed.
bool mb_skin_mend(const double *vertex, uint32_t *triangles, uint32_t *corner);

#endif
