// What the force `damping` has of its own, in the scene and in the model.
#ifndef MB_FORCES_DAMPING_H
#define MB_FORCES_DAMPING_H

typedef struct MbDamping {
  double coefficient; // N s/m, N m s
} MbDamping;

#endif
