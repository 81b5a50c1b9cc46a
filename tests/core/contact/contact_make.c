// Makes contact problems for tests: bodies with masses, contacts and rows between them, and W = H M⁻¹ Hᵀ of these.
#include "tests/core/contact/contact_make.h"
#include "core/base/alloc.h"

#include <math.h>
#include <string.h>

Made made_begin(size_t bodies, size_t room) {
  Made made = {.bodies = bodies, .room = room};
  made.b = mb_calloc(room, sizeof *made.b);
  made.soft = mb_calloc(room, sizeof *made.soft);
  made.most = mb_calloc(room, sizeof *made.most);
  made.start = mb_calloc(room, sizeof *made.start);
  made.kind = mb_calloc(room, sizeof *made.kind);
  made.contact = mb_calloc(room, sizeof *made.contact);
  made.H = mb_calloc(room * 6 * (bodies + 1), sizeof *made.H);
  made.ends = mb_calloc(room, sizeof *made.ends);
  made.mass = mb_calloc(6 * bodies + 1, sizeof *made.mass);
  made.v = mb_calloc(6 * bodies + 1, sizeof *made.v);
  for (size_t i = 0; i < 6 * bodies; i++) made.mass[i] = i % 6 < 3 ? 0.4 : 1;
  return made;
}

static void put(double *H, const double r[3], const double n[3], double sign) {
  const double turn[3] = {r[1] * n[2] - r[2] * n[1], r[2] * n[0] - r[0] * n[2], r[0] * n[1] - r[1] * n[0]};
  for (int i = 0; i < 3; i++) H[i] += sign * turn[i], H[3 + i] += sign * n[i];
}

void made_row(Made *made, MbContactRowKind kind, size_t body, const double r[3], size_t other,
              const double s[3], const double n[3]) {
  const size_t i = made->problem.n++;
  cr_assert_lt(i, made->room);
  made->kind[i] = kind;
  made->ends[i][0] = body, made->ends[i][1] = other;
  put(made->H + i * 6 * made->bodies + 6 * body, r, n, 1);
  if (other != SIZE_MAX) put(made->H + i * 6 * made->bodies + 6 * other, s, n, -1);
}

void made_contact(Made *made, size_t body, const double r[3], size_t other, const double s[3],
                  const double n[3], MbCone cone, double mu) {
  const double e[3] = {fabs(n[0]) < 0.7, fabs(n[0]) >= 0.7, 0};
  double t[3] = {n[1] * e[2] - n[2] * e[1], n[2] * e[0] - n[0] * e[2], n[0] * e[1] - n[1] * e[0]};
  const double size = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  for (int i = 0; i < 3; i++) t[i] /= size;
  const double o[3] = {n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]};
  made->contact[made->problem.ncontacts++] =
      (MbContactCone){.row = made->problem.n, .cone = cone, .mu = mu, .sides = 8};
  made_row(made, MB_CONTACT_NORMAL, body, r, other, s, n);
  made_row(made, MB_CONTACT_TANGENT, body, r, other, s, t);
  made_row(made, MB_CONTACT_TANGENT, body, r, other, s, o);
}

static void point_at(Made *made, bool sparse) {
  MbContactProblem *p = &made->problem;
  p->b = made->b, p->kind = made->kind, p->contact = made->contact, p->soft = made->soft,
  p->most = made->most;
  if (!sparse) {
    p->W = (MbContactOperator){.dense = made->W};
    return;
  }
  made->first = mb_calloc(p->n + 1, sizeof *made->first);
  made->index = mb_calloc(p->n * p->n + 1, sizeof *made->index);
  made->value = mb_calloc(p->n * p->n + 1, sizeof *made->value);
  size_t k = 0;
  for (size_t i = 0; i < p->n; i++) {
    for (size_t j = 0; j < p->n; j++)
      if (made->W[i * p->n + j] != 0) made->index[k] = (uint32_t)j, made->value[k++] = made->W[i * p->n + j];
    made->first[i + 1] = k;
  }
  p->W = (MbContactOperator){
      .first = made->first, .index = made->index, .value = made->value, made->factor, made->slot};
}

void made_end(Made *made, bool sparse) {
  const size_t n = made->problem.n, m = 6 * made->bodies;
  mb_free(made->W);
  made->W = mb_calloc(n * n + 1, sizeof *made->W);
  for (size_t i = 0; i < n; i++) {
    made->b[i] = 0;
    for (size_t k = 0; k < m; k++) made->b[i] += made->H[i * m + k] * made->v[k];
    for (size_t j = 0; j <= i; j++) {
      double sum = 0;
      for (int end = 0; end < 2; end++) {
        const size_t body = made->ends[i][end];
        if (body == SIZE_MAX || (body != made->ends[j][0] && body != made->ends[j][1])) continue;
        for (size_t k = 6 * body; k < 6 * body + 6; k++)
          sum += made->H[i * m + k] * made->H[j * m + k] / made->mass[k];
      }
      made->W[i * n + j] = made->W[j * n + i] = sum;
    }
  }
  point_at(made, sparse);
}

void made_factor(Made *made) {
  const size_t n = made->problem.n, m = 6 * made->bodies;
  made->factor = mb_calloc(12 * n, sizeof *made->factor);
  made->slot = mb_calloc(2 * n, sizeof *made->slot);
  for (size_t i = 0; i < 2 * n; i++) {
    const size_t body = made->ends[i / 2][i % 2];
    made->slot[i] = body == SIZE_MAX ? MB_NO_SLOT : (uint32_t)body;
    for (size_t k = 0; k < 6 && body != SIZE_MAX; k++)
      made->factor[6 * i + k] = made->H[i / 2 * m + 6 * body + k] / sqrt(made->mass[6 * body + k]);
  }
  made->problem.W = (MbContactOperator){.factor = made->factor, .slot = made->slot, .nslots = made->bodies};
}

Made made_given(size_t contacts, const double *W, const double *b, MbCone cone, double mu) {
  Made made = made_begin(0, 3 * contacts);
  for (size_t i = 0; i < contacts; i++) {
    made.contact[i] = (MbContactCone){.row = 3 * i, .cone = cone, .mu = mu, .sides = 8};
    for (size_t r = 0; r < 3; r++) made.kind[3 * i + r] = r ? MB_CONTACT_TANGENT : MB_CONTACT_NORMAL;
  }
  made.problem.n = 3 * contacts, made.problem.ncontacts = contacts;
  made.W = mb_calloc(9 * contacts * contacts, sizeof *made.W);
  memcpy(made.W, W, 9 * contacts * contacts * sizeof *made.W);
  memcpy(made.b, b, 3 * contacts * sizeof *made.b);
  point_at(&made, false);
  return made;
}

void made_free(Made *made) {
  void *const all[] = {made->W,       made->b,     made->soft,   made->most, made->start, made->kind,
                       made->contact, made->H,     made->ends,   made->mass, made->v,     made->first,
                       made->index,   made->value, made->factor, made->slot};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mb_free(all[i]);
  *made = (Made){0};
}

// ---- kinds of problems ------------------------------------------------------------------------------------

static void random_direction(uint64_t *seed, double n[3]) {
  double size;
  do {
    for (int i = 0; i < 3; i++) n[i] = 2 * test_random(seed) - 1;
    size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  } while (size > 1 || size < 0.1);
  for (int i = 0; i < 3; i++) n[i] /= size;
}

Made made_heap(uint64_t *seed, size_t bodies, size_t contacts, double mu, MbCone cone, double spread,
               bool mixed) {
  Made made = made_begin(bodies, 6 * contacts);
  for (size_t i = 0; i < bodies; i++) {
    const double mass = pow(10, spread * test_random(seed));
    for (int k = 0; k < 6; k++) {
      made.mass[6 * i + (size_t)k] *= mass;
      made.v[6 * i + (size_t)k] = 0.3 * (2 * test_random(seed) - 1);
    }
    made.v[6 * i + 5] -= 1;
  }
  for (size_t c = 0; c < contacts; c++) {
    // a body on the one below it or on the world, from above; then random pairs
    const size_t body = c < bodies ? c : (size_t)(test_random(seed) * (double)bodies);
    size_t other = (size_t)(test_random(seed) * (double)(bodies + 1));
    if (other == body || other == bodies || !c) other = SIZE_MAX;
    double n[3], r[3];
    random_direction(seed, n);
    if (other == SIZE_MAX) n[2] = fabs(n[2]);
    for (int i = 0; i < 3; i++) r[i] = -n[i];
    if (mixed && c % 3 == 1) {
      made_row(&made, MB_CONTACT_BOTH_WAYS, body, n, other, r, r);
      if (c % 2) made_row(&made, MB_CONTACT_ONE_WAY, body, n, SIZE_MAX, n, n);
      made.most[made.problem.n] = 0.3 * test_random(seed);
      if (c % 4 == 2) made_row(&made, MB_CONTACT_BOUNDED, body, r, other, n, (double[]){1, 0, 0});
    }
    made_contact(&made, body, r, other, n, n, cone, mu);
  }
  made_end(&made, false);
  return made;
}

Made made_stack(size_t boxes, double mu, MbCone cone, double push, double ratio) {
  Made made = made_begin(boxes, 12 * boxes);
  for (size_t i = 0; i < boxes; i++) {
    // the masses go from 1 to `ratio` upwards; moments of a cube of side 1
    const double mass = pow(ratio, boxes > 1 ? (double)i / (double)(boxes - 1) : 0);
    for (size_t k = 0; k < 6; k++) made.mass[6 * i + k] = k < 3 ? mass / 6 : mass;
    made.v[6 * i + 5] = -1;
    made.v[6 * i + 3] = push;
    for (int corner = 0; corner < 4; corner++) {
      const double x = corner & 1 ? 0.5 : -0.5, y = corner & 2 ? 0.5 : -0.5;
      made_contact(&made, i, (double[]){x, y, -0.5}, i ? i - 1 : SIZE_MAX, (double[]){x, y, 0.5},
                   (double[]){0, 0, 1}, cone, mu);
    }
  }
  made_end(&made, false);
  return made;
}

// ---- what defines a solution ------------------------------------------------------------------------------

// x ← the nearest point of the polygon with corners at `radius`, by trying every side and the inside.
static void nearest_in_polygon(int sides, double radius, double x[2]) {
  const double pi = acos(-1.0), in[2] = {x[0], x[1]};
  double best = INFINITY;
  bool inside = true;
  for (int k = 0; k < sides; k++) {
    const double a = 2 * pi * k / sides, b = 2 * pi * (k + 1) / sides;
    const double p[2] = {radius * cos(a), radius * sin(a)},
                 e[2] = {radius * cos(b) - p[0], radius * sin(b) - p[1]};
    const double to[2] = {in[0] - p[0], in[1] - p[1]}, length = e[0] * e[0] + e[1] * e[1];
    inside &= e[0] * to[1] - e[1] * to[0] >= 0;
    const double s = length > 0 ? fmin(fmax((to[0] * e[0] + to[1] * e[1]) / length, 0), 1) : 0;
    const double far = hypot(to[0] - s * e[0], to[1] - s * e[1]);
    if (far < best) best = far, x[0] = p[0] + s * e[0], x[1] = p[1] + s * e[1];
  }
  if (inside && radius > 0) x[0] = in[0], x[1] = in[1];
}

double made_natural(const Made *made, const double *lambda) {
  const MbContactProblem *p = &made->problem;
  double sum = 0, size = 0, u[3] = {0};
  const MbContactCone *cone = p->contact;
  for (size_t i = 0, rows; i < p->n; i += rows) {
    rows = p->kind[i] == MB_CONTACT_NORMAL ? 3 : 1;
    double trace = 0, x[3];
    for (size_t r = 0; r < rows; r++) {
      u[r] = p->b[i + r] + p->soft[i + r] * lambda[i + r];
      for (size_t j = 0; j < p->n; j++) u[r] += made->W[(i + r) * p->n + j] * lambda[j];
      trace += made->W[(i + r) * (p->n + 1)] + p->soft[i + r];
      size += p->b[i + r] * p->b[i + r];
    }
    const double rho = (double)rows / trace, slip = hypot(u[1], u[2]);
    for (size_t r = 0; r < rows; r++) x[r] = lambda[i + r] - rho * u[r];
    if (rows == 1) {
      if (p->kind[i] == MB_CONTACT_ONE_WAY) x[0] = fmax(x[0], 0);
      if (p->kind[i] == MB_CONTACT_BOUNDED) x[0] = fmax(fmin(x[0], p->most[i]), -p->most[i]);
    } else if (cone->cone == MB_CONE_EXACT) {
      x[0] -= rho * cone->mu * slip;
      const double t = hypot(x[1], x[2]);
      if (cone->mu * t <= -x[0])
        x[0] = x[1] = x[2] = 0;
      else if (t > cone->mu * x[0]) {
        const double along = (x[0] + cone->mu * t) / (1 + cone->mu * cone->mu);
        x[1] *= cone->mu * along / t, x[2] *= cone->mu * along / t, x[0] = along;
      }
    } else {
      const double radius = cone->mu * fmax(lambda[i], 0);
      x[0] = fmax(x[0], 0);
      if (cone->cone == MB_CONE_NONE) x[1] = x[2] = 0;
      if (cone->cone == MB_CONE_BOX)
        for (int k = 1; k < 3; k++) x[k] = fmax(fmin(x[k], radius), -radius);
      if (cone->cone == MB_CONE_PYRAMID) nearest_in_polygon(cone->sides, radius, x + 1);
    }
    for (size_t r = 0; r < rows; r++) sum += pow((lambda[i + r] - x[r]) / rho, 2);
    cone += rows == 3;
  }
  return sqrt(sum / size);
}

MbContactResult made_solve(const Made *made, const char *method, MbContactWork *work,
                           MbContactAnswer *answer) {
  const MbContactMethod *m = mb_contact_method(method);
  cr_assert_not_null(m, "%s", method);
  cr_assert(mb_contact_reserve(work, m, &made->problem));
  const int64_t calls = mb_alloc_calls();
  const MbContactResult result = mb_contact_solve(m, work, &made->problem, answer);
  cr_assert_eq(mb_alloc_calls(), calls, "%s allocates as it solves", method);
  if (result == MB_CONTACT_SOLVED)
    cr_assert_leq(made_natural(made, answer->lambda), 1e-9, "%s says that it has solved what it has not",
                  method);
  return result;
}
