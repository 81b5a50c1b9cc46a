// Colours of URDF's materials by their names, which any link may use.
#ifndef MB_IO_URDF_COLORS_H
#define MB_IO_URDF_COLORS_H

#include "io/models/door.h"

typedef struct MbUrdfColors {
  MbRigNames names;
  size_t n, room;
  double (*rgba)[4]; // (n)
} MbUrdfColors;

// Lists the materials of the robot itself, then those that links bring: of several of one name the first counts, as in ROS. False with an
// error; mb_urdf_colors_free in any case.
bool mb_urdf_colors_list(MbDoor *door, const MbXmlElement *root, MbUrdfColors *colors);
void mb_urdf_colors_free(MbUrdfColors *colors);
// Gives a shape the colour of a <visual>, if that has one. False with an error.
bool mb_urdf_color(MbDoor *door, const MbUrdfColors *colors, const MbXmlElement *visual, MbRigShape *shape);

#endif
