// Exporting to VTK's XML formats: a folder that ParaView plays.
//   bodies.pvd, bodies/000000.vtp ...     surfaces of all bodies where they are; per triangle `body` (its number)
//   places.pvd, places/000000.vtp ...     a point a body: its origin, with `rotation` (w x y z) and velocities where the file has them
//   lines.pvd, lines/000000.vtp ...       springs, muscles, cables, ropes; per line `line` (its number)
//   deformable.NAME.pvd, ...              each deformable, as .vtu: places with `displacement` from rest, `velocity` where the file has it;
//                                         per element `strain` (Green's) and `principal strain`, its largest principal value,
//                                         and where the file has such channels `stress`, `principal stresses`, `von Mises stress`,
//                                         `stretch strain`, `principal stretch strains`
// The .pvd files come last, so that an export that was broken off has none.
#ifndef MB_IO_VTK_H
#define MB_IO_VTK_H

#include "io/export/export.h"

// Where files go. `name` has folders in it, which `open` makes.
typedef struct MbFolder {
  void *to;
  FILE *(*open)(void *to, const char *name, MbReport *report); // NULL with an error
  MbStatus (*close)(void *to, MbStatus status,
                    MbReport *report); // of the file opened last; MB_OK: put it in place
} MbFolder;

// The frames of `options`; channels' names do not matter.
MbStatus mb_export_vtk(MbTraj *traj, const MbExportOptions *options, const MbFolder *folder,
                       MbReport *report);

#endif
