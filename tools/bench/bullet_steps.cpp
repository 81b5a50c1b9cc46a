// Bullet as its users have it: sequential impulses with warm start over pairs found by trees of boxes, as the package builds it.
#include "tools/bench/bullet_steps.h"

#include <btBulletDynamicsCommon.h>

#include <cstdio>
#include <deque>
#include <memory>

struct MbBullet {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broad, &solver, &configuration};
  btStaticPlaneShape plane{btVector3(0, 0, 1), 0};
  std::deque<std::unique_ptr<btCollisionShape>> shapes;
  std::deque<btRigidBody> bodies;
  btScalar friction = 0;
};

const char *mb_bullet_name(void) {
  static char name[60];
  std::snprintf(name, sizeof name, "Bullet %d.%02d, %zu bytes", btGetVersion() / 100, btGetVersion() % 100,
                sizeof(btScalar));
  return name;
}

static void add(MbBullet *bullet, btCollisionShape *shape, btScalar mass, const btVector3 &place) {
  btVector3 inertia(0, 0, 0);
  if (mass > 0) shape->calculateLocalInertia(mass, inertia);
  btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
  info.m_startWorldTransform.setIdentity();
  info.m_startWorldTransform.setOrigin(place);
  info.m_friction = bullet->friction; // a pair has the product of both
  info.m_restitution = 0;
  btRigidBody &body = bullet->bodies.emplace_back(info);
  body.setActivationState(DISABLE_DEACTIVATION);
  bullet->world.addRigidBody(&body);
}

MbBullet *mb_bullet_begin(int sweeps, double friction) {
  MbBullet *bullet = new MbBullet;
  bullet->friction = btSqrt(btScalar(friction));
  bullet->world.setGravity(btVector3(0, 0, btScalar(-9.81)));
  bullet->world.getSolverInfo().m_numIterations = sweeps;
  add(bullet, &bullet->plane, 0, btVector3(0, 0, 0));
  return bullet;
}

void mb_bullet_free(MbBullet *bullet) {
  if (!bullet) return;
  for (btRigidBody &body : bullet->bodies) bullet->world.removeRigidBody(&body);
  delete bullet;
}

void mb_bullet_add(MbBullet *bullet, bool ball, double width, double density, const double place[3]) {
  const btScalar half = btScalar(width / 2);
  const double volume = ball ? SIMD_PI / 6 * width * width * width : width * width * width;
  if (ball)
    bullet->shapes.emplace_back(new btSphereShape(half));
  else
    bullet->shapes.emplace_back(new btBoxShape(btVector3(half, half, half)));
  add(bullet, bullet->shapes.back().get(), btScalar(density * volume),
      btVector3(btScalar(place[0]), btScalar(place[1]), btScalar(place[2])));
}

void mb_bullet_step(MbBullet *bullet, double seconds) { bullet->world.stepSimulation(btScalar(seconds), 0); }

size_t mb_bullet_contacts(const MbBullet *bullet) {
  size_t count = 0;
  for (int i = 0; i < bullet->dispatcher.getNumManifolds(); i++)
    count +=
        (size_t) const_cast<MbBullet *>(bullet)->dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
  return count;
}
