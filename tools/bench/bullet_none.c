// Where Bullet is not installed, or there is no C++ compiler: nothing to compare with.
#include "tools/bench/bullet_steps.h"

const char *mb_bullet_name(void) { return NULL; }

MbBullet *mb_bullet_begin(int sweeps, double friction) {
  (void)sweeps, (void)friction;
  return NULL;
}

void mb_bullet_free(MbBullet *bullet) { (void)bullet; }

void mb_bullet_add(MbBullet *bullet, bool ball, double width, double density, const double place[3]) {
  (void)bullet, (void)ball, (void)width, (void)density, (void)place;
}

void mb_bullet_step(MbBullet *bullet, double seconds) { (void)bullet, (void)seconds; }

size_t mb_bullet_contacts(const MbBullet *bullet) {
  (void)bullet;
  return 0;
}
