// What bending is held against: strips and sheets whose answers are known, on meshes of several kinds. The benchmark prints them, the
// tests check small ones.
#ifndef MB_TOOLS_BENDING_CASES_H
#define MB_TOOLS_BENDING_CASES_H

#include "core/deformables/bending.h"
#include "core/deformables/element_mesh.h"

// Cells cut along one diagonal or into four; moved corners and diagonals at random.
typedef enum MbSheetKind {
  MB_SHEET_DIAGONAL,
  MB_SHEET_CROSS,
  MB_SHEET_IRREGULAR,
  MB_SHEET_KINDS
} MbSheetKind;

extern const char *const mb_sheet_names[MB_SHEET_KINDS];

// Cells of nx x ny over [0, a] x [0, b]. Of an irregular sheet the corners on the rim, on the lines of the first two columns and on
// those that are a third and two thirds across stay on these. False: out of memory.
bool mb_sheet_make(MbSheetKind kind, size_t nx, size_t ny, double a, double b, MbElementMesh *mesh);

// A strip of length 1 that many cells long, held at its first two columns, with a bending stiffness of 1 J. Its length L is taken from
// half way between the last two rows of nodes that are held. NaN: out of memory, or no solution.
// The mean height of its tip under a load w on all of it, over w L⁴/8D.
double mb_strip_tip(MbBendingKind model, MbSheetKind kind, size_t cells, double width);
// The least load along it under which it buckles, over π² D/4L² by width.
double mb_strip_buckles(MbBendingKind model, MbSheetKind kind, size_t cells, double width);
// The energy of a square of side 1 on a cylinder whose arc runs at an angle to x, over ½ D κ² by area.
double mb_sheet_cylinder(MbBendingKind model, MbSheetKind kind, size_t cells, double angle);
// The entries of Q by its rows.
double mb_sheet_entries(MbBendingKind model, MbSheetKind kind, size_t cells);
// The share of a square's area that is left of its shadow as it drapes over a square frame a third as wide, in which it is held.
double mb_sheet_drape(MbBendingKind model, MbSheetKind kind, size_t cells);

#endif
