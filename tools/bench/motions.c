// Small simulations whose numbers the trajectory benchmarks write: a whipping chain, cloth in the wind, a pile of spheres.
#include "tools/bench/motions.h"
#include "core/base/alloc.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Particles and springs, stepped by symplectic Euler: chain and cloth.
typedef struct Spring {
  uint32_t a, b;
  double rest, stiffness, damping;
} Spring;

typedef struct Particles {
  size_t n, nsprings;
  double *x, *v, *f; // (n x 3)
  double mass;
  Spring *springs;
} Particles;

static bool particles_make(Particles *p, size_t n, size_t springs) {
  *p = (Particles){.n = n};
  p->x = mb_calloc(3 * n, sizeof(double));
  p->v = mb_calloc(3 * n, sizeof(double));
  p->f = mb_calloc(3 * n, sizeof(double));
  p->springs = mb_calloc(springs, sizeof(Spring));
  return p->x && p->v && p->f && p->springs;
}

static void particles_free(Particles *p) {
  mb_free(p->x);
  mb_free(p->v);
  mb_free(p->f);
  mb_free(p->springs);
}

static void tie(Particles *p, size_t a, size_t b, double stiffness, double damping) {
  double sum = 0;
  for (size_t k = 0; k < 3; k++)
    sum += (p->x[3 * a + k] - p->x[3 * b + k]) * (p->x[3 * a + k] - p->x[3 * b + k]);
  p->springs[p->nsprings++] = (Spring){(uint32_t)a, (uint32_t)b, sqrt(sum), stiffness, damping};
}

static void add_springs(Particles *p) {
  for (size_t s = 0; s < p->nsprings; s++) {
    const Spring *sp = &p->springs[s];
    const double *xa = p->x + 3 * (size_t)sp->a, *xb = p->x + 3 * (size_t)sp->b;
    const double *va = p->v + 3 * (size_t)sp->a, *vb = p->v + 3 * (size_t)sp->b;
    double *fa = p->f + 3 * (size_t)sp->a, *fb = p->f + 3 * (size_t)sp->b;
    const double d[3] = {xb[0] - xa[0], xb[1] - xa[1], xb[2] - xa[2]};
    const double w[3] = {vb[0] - va[0], vb[1] - va[1], vb[2] - va[2]};
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double rate = (d[0] * w[0] + d[1] * w[1] + d[2] * w[2]) / length;
    const double pull = (sp->stiffness * (length - sp->rest) + sp->damping * rate) / length;
    for (int k = 0; k < 3; k++) {
      fa[k] += pull * d[k];
      fb[k] -= pull * d[k];
    }
  }
}

static void advance(Particles *p, double h, double drag) {
  for (size_t i = 0; i < 3 * p->n; i++) {
    p->v[i] += h * (p->f[i] - drag * p->v[i]) / p->mass;
    p->x[i] += h * p->v[i];
  }
}

// ---- a whipping chain -------------------------------------------------------------------------------------

// The unit quaternion that turns x onto direction d.
static void turn_x_onto(const double d[3], double q[4]) {
  const double w = 1 + d[0], n = sqrt(w * w + d[1] * d[1] + d[2] * d[2]);
  q[0] = w / n;
  q[1] = 0;
  q[2] = -d[2] / n;
  q[3] = d[1] / n;
}

// q times a turn about x: links of a chain stand across one another.
static void roll(double q[4], double angle) {
  const double c = cos(angle / 2), s = sin(angle / 2), w = q[0], x = q[1], y = q[2], z = q[3];
  q[0] = w * c - x * s;
  q[1] = w * s + x * c;
  q[2] = y * c + z * s;
  q[3] = z * c - y * s;
}

// Turns a unit quaternion for a step at angular velocity w, in world axes.
static void turn(double q[4], const double w[3], double h) {
  const double d[4] = {-q[1] * w[0] - q[2] * w[1] - q[3] * w[2], q[0] * w[0] + q[3] * w[1] - q[2] * w[2],
                       q[0] * w[1] + q[1] * w[2] - q[3] * w[0], q[0] * w[2] + q[2] * w[0] - q[1] * w[1]};
  double sum = 0;
  for (int k = 0; k < 4; k++) q[k] += 0.5 * h * d[k];
  for (int k = 0; k < 4; k++) sum += q[k] * q[k];
  for (int k = 0; k < 4; k++) q[k] /= sqrt(sum);
}

// A link lies between two particles and does not spin about itself: its angular velocity stands across it.
static void link_state(const Particles *p, size_t i, double d[3], double w[3]) {
  const double *a = p->x + 3 * i, *b = a + 3, *va = p->v + 3 * i, *vb = va + 3;
  double rate[3], sum = 0;
  for (int k = 0; k < 3; k++) {
    d[k] = b[k] - a[k];
    rate[k] = vb[k] - va[k];
    sum += d[k] * d[k];
  }
  for (int k = 0; k < 3; k++)
    w[k] = (d[(k + 1) % 3] * rate[(k + 2) % 3] - d[(k + 2) % 3] * rate[(k + 1) % 3]) / sum;
  for (int k = 0; k < 3; k++) d[k] /= sqrt(sum);
}

static void chain_frame(const Particles *p, size_t bodies, const double *q, double *frame) {
  double *position = frame, *velocity = frame + 7 * bodies, d[3];
  memcpy(frame + 3 * bodies, q, 4 * bodies * sizeof *q);
  for (size_t i = 0; i < bodies; i++, position += 3, velocity += 6) {
    const double *a = p->x + 3 * i, *va = p->v + 3 * i;
    link_state(p, i, d, velocity);
    for (int k = 0; k < 3; k++) {
      position[k] = 0.5 * (a[k] + a[k + 3]);
      velocity[3 + k] = 0.5 * (va[k] + va[k + 3]);
    }
  }
}

static bool chain(Motion *m) {
  enum { SUBSTEPS = 200 };
  const double h = m->interval / SUBSTEPS;
  Particles p;
  double *q = mb_calloc(4 * m->items, sizeof *q), d[3], w[3];
  const bool good = particles_make(&p, m->items + 1, m->items) && q;
  if (good) {
    p.mass = 0.01;
    for (size_t i = 0; i < p.n; i++) {
      p.x[3 * i] = 0.05 * (double)i * cos(0.3);
      p.x[3 * i + 1] = 0.05 * (double)i * sin(0.3);
      p.x[3 * i + 2] = 0.002 * sin((double)i);
      if (i) tie(&p, i - 1, i, 2e4, 1);
    }
    for (size_t i = 0; i < m->items; i++) {
      link_state(&p, i, d, w);
      turn_x_onto(d, q + 4 * i);
      roll(q + 4 * i, i % 2 ? 0.25 : 0.25 + 1.5707963);
    }
    for (size_t f = 0; f < m->frames; f++) {
      chain_frame(&p, m->items, q, m->numbers + f * m->items * 13);
      for (int s = 0; s < SUBSTEPS; s++) {
        const double t = ((double)f + (double)s / SUBSTEPS) * m->interval;
        for (size_t i = 0; i < p.n; i++)
          memcpy(p.f + 3 * i, (double[3]){0, -9.81 * p.mass, 0}, 3 * sizeof(double));
        add_springs(&p);
        advance(&p, h, 2e-4);
        // the hand that holds the first link
        const double hand[3] = {0.3 * sin(5 * t), 0.2 * sin(7 * t), 0.3 * (1 - cos(4 * t))};
        const double speed[3] = {1.5 * cos(5 * t), 1.4 * cos(7 * t), 1.2 * sin(4 * t)};
        memcpy(p.x, hand, sizeof hand);
        memcpy(p.v, speed, sizeof speed);
        for (size_t i = 0; i < m->items; i++) {
          link_state(&p, i, d, w);
          turn(q + 4 * i, w, h);
        }
      }
    }
  }
  particles_free(&p);
  mb_free(q);
  return good;
}

// ---- cloth ------------------------------------------------------------------------------------------------

static void cloth_springs(Particles *p, size_t side, double stiffness, double damping) {
  for (size_t r = 0; r < side; r++)
    for (size_t c = 0; c < side; c++) {
      const size_t i = r * side + c;
      if (c + 1 < side) tie(p, i, i + 1, stiffness, damping);
      if (r + 1 < side) tie(p, i, i + side, stiffness, damping);
      if (c + 1 < side && r + 1 < side) tie(p, i, i + side + 1, 0.5 * stiffness, damping);
      if (c && r + 1 < side) tie(p, i, i + side - 1, 0.5 * stiffness, damping);
      if (c + 2 < side) tie(p, i, i + 2, 0.1 * stiffness, damping);
      if (r + 2 < side) tie(p, i, i + 2 * side, 0.1 * stiffness, damping);
    }
}

// Wind and gravity; the top row hangs on a rod that sways.
static void cloth_step(Particles *p, size_t side, double t, double h, double wind) {
  for (size_t i = 0; i < p->n; i++) {
    const double *x = p->x + 3 * i;
    const double gust =
        wind * p->mass * (1 + sin(3 * x[0] + 9 * t) * sin(4 * x[1] - 6 * t) + 0.5 * sin(17 * t));
    memcpy(p->f + 3 * i, (double[3]){0.3 * gust, -9.81 * p->mass, gust}, 3 * sizeof(double));
  }
  add_springs(p);
  advance(p, h, wind > 5 ? 1e-4 : 5e-4);
  for (size_t c = 0; c < side; c++) {
    const double sway = 0.1 * sin(2 * t);
    memcpy(p->x + 3 * c, (double[3]){0.01 * (double)c, 0, sway}, 3 * sizeof(double));
    memcpy(p->v + 3 * c, (double[3]){0, 0, 0.2 * cos(2 * t)}, 3 * sizeof(double));
  }
}

static bool cloth(Motion *m, double wind) {
  enum { SIDE = 100, SUBSTEPS = 20, BEFORE = 100 }; // steps of the motion before it is recorded, in frames
  Particles p;
  const bool good = particles_make(&p, m->items, 6 * m->items);
  if (good) {
    p.mass = 1e-4;
    for (size_t i = 0; i < p.n; i++) {
      p.x[3 * i] = 0.01 * (double)(i % SIDE);
      p.x[3 * i + 1] = -0.01 * (double)(i / SIDE);
    }
    cloth_springs(&p, SIDE, 60, 2e-3);
    for (size_t f = 0; f < m->frames + BEFORE; f++) {
      if (f >= BEFORE) {
        double *out = m->numbers + (f - BEFORE) * m->items * 6;
        memcpy(out, p.x, 3 * m->items * sizeof *out);
        memcpy(out + 3 * m->items, p.v, 3 * m->items * sizeof *out);
      }
      for (int s = 0; s < SUBSTEPS; s++)
        cloth_step(&p, SIDE, ((double)f + (double)s / SUBSTEPS) * m->interval, m->interval / SUBSTEPS, wind);
    }
  }
  particles_free(&p);
  return good;
}

static bool violent(Motion *m) { return cloth(m, 25); }
static bool smooth(Motion *m) { return cloth(m, 0.5); }

// ---- a pile of spheres ------------------------------------------------------------------------------------

typedef struct Pile {
  size_t n;
  double *x, *v, *f, *w, *t, *q; // (n x 3), q (n x 4)
  int32_t *first, *next;         // grid of cells: lists of spheres
} Pile;

enum { CELLS = 16, LAYERS = 64 };
static const double radius = 0.05, stiff = 2e4, rub = 4, mu = 0.4, ball = 0.5;

static size_t cell_of(double x, size_t most) {
  const double k = x / (2 * radius);
  return k < 0 ? 0 : k >= (double)most ? most - 1 : (size_t)k;
}

// A contact at `depth` along the unit normal n from b (or a wall) to a, with relative velocity u there.
static void push(const double n[3], double depth, const double u[3], double force[3]) {
  const double un = u[0] * n[0] + u[1] * n[1] + u[2] * n[2];
  const double fn = fmax(stiff * depth - 20 * un, 0);
  double slip[3], speed = 1e-9;
  for (int k = 0; k < 3; k++) {
    slip[k] = u[k] - un * n[k];
    speed += slip[k] * slip[k];
  }
  const double ft = fmin(rub * sqrt(speed), mu * fn) / sqrt(speed);
  for (int k = 0; k < 3; k++) force[k] = fn * n[k] - ft * slip[k];
}

static void apply(Pile *p, size_t i, const double n[3], const double force[3], double sign, double arm) {
  for (size_t k = 0; k < 3; k++) p->f[3 * i + k] += sign * force[k];
  for (size_t k = 0; k < 3; k++) {
    const size_t a = (k + 1) % 3, b = (k + 2) % 3;
    p->t[3 * i + k] += -arm * (n[a] * force[b] - n[b] * force[a]);
  }
}

// Velocity of the point at `arm` along n on sphere i.
static void point_velocity(const Pile *p, size_t i, const double n[3], double arm, double u[3]) {
  const double *w = p->w + 3 * i;
  for (size_t k = 0; k < 3; k++)
    u[k] = p->v[3 * i + k] + arm * (w[(k + 1) % 3] * n[(k + 2) % 3] - w[(k + 2) % 3] * n[(k + 1) % 3]);
}

static void walls(Pile *p, size_t i) {
  for (size_t k = 0; k < 5; k++) {
    double n[3] = {0}, u[3], force[3];
    const size_t axis = k < 2 ? 0 : k < 4 ? 2 : 1;
    const bool far = k == 1 || k == 3;
    n[axis] = far ? -1 : 1;
    const double depth = radius - (far ? 1 - p->x[3 * i + axis] : p->x[3 * i + axis]);
    if (depth <= 0) continue;
    point_velocity(p, i, n, -radius, u);
    push(n, depth, u, force);
    apply(p, i, n, force, 1, radius);
  }
}

static void pair(Pile *p, size_t i, size_t j) {
  double n[3], ui[3], uj[3], u[3], force[3], sum = 0;
  for (size_t k = 0; k < 3; k++) {
    n[k] = p->x[3 * i + k] - p->x[3 * j + k];
    sum += n[k] * n[k];
  }
  if (sum >= 4 * radius * radius) return;
  const double length = sqrt(sum);
  for (int k = 0; k < 3; k++) n[k] /= length;
  point_velocity(p, i, n, -radius, ui);
  point_velocity(p, j, n, radius, uj);
  for (int k = 0; k < 3; k++) u[k] = ui[k] - uj[k];
  push(n, 2 * radius - length, u, force);
  apply(p, i, n, force, 1, radius);
  apply(p, j, n, force, -1, radius);
}

static void collide(Pile *p) {
  for (size_t c = 0; c < (size_t)CELLS * CELLS * LAYERS; c++) p->first[c] = -1;
  for (size_t i = 0; i < p->n; i++) {
    const double *x = p->x + 3 * i;
    const size_t cx = cell_of(x[0], CELLS), cy = cell_of(x[1], LAYERS), cz = cell_of(x[2], CELLS);
    for (size_t a = cx ? cx - 1 : 0; a <= cx + 1 && a < CELLS; a++)
      for (size_t b = cy ? cy - 1 : 0; b <= cy + 1 && b < LAYERS; b++)
        for (size_t c = cz ? cz - 1 : 0; c <= cz + 1 && c < CELLS; c++)
          for (int32_t j = p->first[(b * CELLS + a) * CELLS + c]; j >= 0; j = p->next[j])
            pair(p, i, (size_t)j);
    const size_t own = (cy * CELLS + cx) * CELLS + cz;
    p->next[i] = p->first[own];
    p->first[own] = (int32_t)i;
    walls(p, i);
  }
}

static void pile_step(Pile *p, double h) {
  memset(p->t, 0, 3 * p->n * sizeof *p->t);
  for (size_t i = 0; i < p->n; i++) memcpy(p->f + 3 * i, (double[3]){0, -9.81 * ball, 0}, 3 * sizeof(double));
  collide(p);
  for (size_t i = 0; i < p->n; i++) {
    double *w = p->w + 3 * i;
    for (size_t k = 0; k < 3; k++) {
      p->v[3 * i + k] += h * p->f[3 * i + k] / ball;
      p->x[3 * i + k] += h * p->v[3 * i + k];
      w[k] += h * p->t[3 * i + k] / (0.4 * ball * radius * radius);
    }
    turn(p->q + 4 * i, w, h);
  }
}

static void pile_frame(const Pile *p, double *frame) {
  memcpy(frame, p->x, 3 * p->n * sizeof *frame);
  memcpy(frame + 3 * p->n, p->q, 4 * p->n * sizeof *frame);
  double *velocity = frame + 7 * p->n;
  for (size_t i = 0; i < p->n; i++, velocity += 6) {
    memcpy(velocity, p->w + 3 * i, 3 * sizeof *velocity);
    memcpy(velocity + 3, p->v + 3 * i, 3 * sizeof *velocity);
  }
}

static bool pile(Motion *m, size_t before) {
  enum { SUBSTEPS = 10 };
  const size_t n = m->items;
  Pile p = {.n = n};
  double **arrays[] = {&p.x, &p.v, &p.f, &p.w, &p.t, &p.q};
  bool good = true;
  for (size_t k = 0; k < 6; k++) good &= !!(*arrays[k] = mb_calloc(n, (k < 5 ? 3 : 4) * sizeof(double)));
  good &= !!(p.first = mb_calloc((size_t)CELLS * CELLS * LAYERS, sizeof *p.first));
  good &= !!(p.next = mb_calloc(n, sizeof *p.next));
  for (size_t i = 0; i < n && good; i++) {
    const size_t layer = i / 49, at = i % 49;
    p.x[3 * i] = 0.12 + 0.125 * (double)(at % 7) + 0.01 * sin((double)(3 * i));
    p.x[3 * i + 1] = 0.06 + 0.12 * (double)layer;
    p.x[3 * i + 2] = 0.12 + 0.125 * (double)(at / 7) + 0.01 * cos((double)(5 * i));
    p.q[4 * i] = 1;
  }
  for (size_t f = 0; f < before + m->frames && good; f++) {
    if (f >= before) pile_frame(&p, m->numbers + (f - before) * n * 13);
    for (int s = 0; s < SUBSTEPS; s++) pile_step(&p, m->interval / SUBSTEPS);
  }
  for (size_t k = 0; k < 6; k++) mb_free(*arrays[k]);
  mb_free(p.first);
  mb_free(p.next);
  return good;
}

static bool whole(Motion *m) { return pile(m, 0); }

// ---- the table --------------------------------------------------------------------------------------------

bool motion_make(int which, Motion *motion) {
  static const Motion motions[MOTIONS] = {
      {"chain", "whipping chain of 100 bodies", 100, true, 1600, 0.005, NULL},
      {"chain, finer", "the same chain", 100, true, 1600, 0.0025, NULL},
      {"pile", "pile of 1,000 spheres, dropped, collapsing, settling", 1000, true, 576, 0.005, NULL},
      {"pile, at first", "the same pile while the spheres first collide", 1000, true, 256, 0.005, NULL},
      {"waving", "violently waving cloth, 10,000 vertices", 10000, false, 64, 0.005, NULL},
      {"swaying", "smoothly swaying cloth, 10,000 vertices", 10000, false, 64, 0.005, NULL},
  };
  static bool (*const make[MOTIONS])(Motion *) = {chain, chain, whole, whole, violent, smooth};
  *motion = motions[which];
  motion->numbers = mb_calloc(motion->frames, motion->items * (motion->bodies ? 13 : 6) * sizeof(double));
  return motion->numbers && make[which](motion);
}
