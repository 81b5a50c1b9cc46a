// Bullet beside ours, where libbullet-dev is installed (bullet_steps.cpp, else bullet_none.c). Nothing else needs it.
#ifndef MB_TOOLS_BULLET_STEPS_H
#define MB_TOOLS_BULLET_STEPS_H

#ifdef __cplusplus
extern "C" {
#endif

#include <stdbool.h>
#include <stddef.h>

typedef struct MbBullet MbBullet;

// What it is, with its version and its numbers' size; NULL: it is not there.
const char *mb_bullet_name(void);
// A world with a plane and gravity along z, for so many sweeps a step. Bodies rub by so much on one another and do not bounce or sleep.
MbBullet *mb_bullet_begin(int sweeps, double friction);
void mb_bullet_free(MbBullet *bullet);
// Adds a ball or a cube of that width.
void mb_bullet_add(MbBullet *bullet, bool ball, double width, double density, const double place[3]);
// Takes a step of so many seconds.
void mb_bullet_step(MbBullet *bullet, double seconds);
// Points of its manifolds after the last step.
size_t mb_bullet_contacts(const MbBullet *bullet);

#ifdef __cplusplus
}
#endif
#endif
