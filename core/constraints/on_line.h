// What `point_on_line` and `point_on_plane` have of their own in the scene.
#ifndef MB_CONSTRAINTS_ON_LINE_H
#define MB_CONSTRAINTS_ON_LINE_H

typedef struct MbAxisSpec {
  double axis[3]; // of the line, or normal to the plane, in the first body's frame
} MbAxisSpec;

#endif
