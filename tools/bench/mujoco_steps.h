// MuJoCo beside ours, where libmujoco is installed. Nothing else needs it.
#ifndef MB_TOOLS_MUJOCO_STEPS_H
#define MB_TOOLS_MUJOCO_STEPS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct MbMujoco MbMujoco;

bool mb_mujoco_there(void);
// Reads a model of MJCF. NULL: not there, or it cannot be read, which is printed.
MbMujoco *mb_mujoco_load(const char *path);
void mb_mujoco_free(MbMujoco *m);
// Takes so many steps.
void mb_mujoco_steps(MbMujoco *m, size_t steps);
// Iterations of its method in all steps so far, and at the last one what is left of the gradient of what it minimises, scaled as its tolerance is.
double mb_mujoco_iterations(const MbMujoco *m);
double mb_mujoco_gradient(const MbMujoco *m);
// Contacts at the last step, and the height of the first body's centre of mass.
size_t mb_mujoco_contacts(const MbMujoco *m);
double mb_mujoco_height(const MbMujoco *m);

#endif
