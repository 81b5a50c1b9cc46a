// What a `frame_spring` has of its own, in the scene and in the model.
#ifndef MB_FORCES_FRAME_SPRING_H
#define MB_FORCES_FRAME_SPRING_H

typedef struct MbFrameSpring {
  double stiffness[2], damping[2]; // translational, rotational
} MbFrameSpring;

#endif
