// Ports: nodes at which a caller's rows of equations act on the step's correction. With E the ports' columns of the identity and A
// the constant matrix, impulses p (N s) at them over a step of length h add h p to the right-hand side, so that
//   Δ ← Δ + h A⁻¹ E p,   and of velocities  v ← v + S p,  S = Eᵀ A⁻¹ E.
// A is constant: its columns at the ports are made once and kept, where there is room for them; where not, every correction takes
// one more solution with A. Nodes that are held along an axis have none there: the columns are those of the solution with the
// nodes held (soft_global.c).
#include "core/base/alloc.h"
#include "core/solvers/projective/soft_engine.h"

#include <string.h>

static const size_t ROOM = (size_t)1 << 28; // bytes that columns may take where nobody says

struct MbSoftPorts {
  size_t count;
  uint32_t *port;   // (count) nodes
  double *S;        // (count x count x 3) by axis
  double *column;   // (count x nfree x 3), or NULL
  double *solution; // (nfree x 3) where they are not kept
  size_t room;      // bytes of the one or the other
};

static bool fill(MbSoftEngine *engine, MbSoftPorts *ports) {
  const size_t n = ports->count, size = 3 * engine->nfree;
  double *x = mb_calloc(size, sizeof *x);
  for (size_t k = 0; x && k < n; k++) {
    const uint32_t number = engine->number[ports->port[k]];
    if (number == MB_NONE) continue;
    memset(x, 0, size * sizeof *x);
    for (size_t axis = 0; axis < 3; axis++) x[3 * (size_t)number + axis] = 1;
    mb_soft_global_solve(&engine->global, x);
    for (size_t i = 0; i < n; i++) {
      const uint32_t other = engine->number[ports->port[i]];
      if (other != MB_NONE) memcpy(ports->S + 3 * (n * i + k), x + 3 * (size_t)other, 3 * sizeof *x);
    }
    if (ports->column) memcpy(ports->column + k * size, x, size * sizeof *x);
  }
  mb_free(x);
  return x != NULL;
}

MbSoftPorts *mb_soft_ports_make(MbSoftEngine *engine, const MbSoftSpec *spec) {
  const size_t n = spec->nports, size = 3 * engine->nfree * sizeof(double);
  MbSoftPorts *ports = mb_calloc(1, sizeof *ports);
  if (!ports) return NULL;
  const bool kept = size && n <= (spec->columns ? spec->columns : ROOM) / size;
  ports->count = n, ports->room = kept ? n * size : size;
  ports->port = mb_calloc(n, sizeof *ports->port);
  ports->S = mb_calloc(n * n, 3 * sizeof *ports->S);
  ports->column = kept ? mb_calloc(n, size) : NULL;
  ports->solution = kept ? NULL : mb_calloc(1, size);
  bool fine = ports->port && ports->S && (kept ? ports->column : ports->solution);
  if (fine) memcpy(ports->port, spec->port, n * sizeof *ports->port);
  if (fine && engine->nfree) fine = fill(engine, ports);
  if (fine) return ports;
  mb_soft_ports_free(ports);
  return NULL;
}

void mb_soft_ports_free(MbSoftPorts *ports) {
  if (!ports) return;
  mb_free(ports->port);
  mb_free(ports->S);
  mb_free(ports->column);
  mb_free(ports->solution);
  mb_free(ports);
}

size_t mb_soft_ports_bytes(const MbSoftPorts *ports) {
  if (!ports) return 0;
  return sizeof *ports + ports->count * (sizeof(uint32_t) + 3 * ports->count * sizeof(double)) + ports->room;
}

void mb_soft_respond(const MbSoftEngine *engine, const double *p, double *v) {
  const MbSoftPorts *ports = engine->ports;
  const size_t n = ports->count;
  memset(v, 0, 3 * n * sizeof *v);
  for (size_t k = 0; k < n; k++) {
    const double *S = ports->S + 3 * n * k; // symmetric
    if (p[3 * k] == 0 && p[3 * k + 1] == 0 && p[3 * k + 2] == 0) continue;
    for (size_t i = 0; i < n; i++)
      for (size_t axis = 0; axis < 3; axis++) v[3 * i + axis] += S[3 * i + axis] * p[3 * k + axis];
  }
}

void mb_soft_read_ports(const MbSoftEngine *engine, double *v) {
  const MbSoftPorts *ports = engine->ports;
  for (size_t k = 0; k < ports->count; k++) {
    const size_t i = ports->port[k];
    const uint32_t number = engine->number[i];
    for (size_t axis = 0; axis < 3; axis++) {
      const double correction = number == MB_NONE ? 0 : engine->r[3 * (size_t)number + axis];
      const double q = engine->q[3 * i + axis] + correction;
      v[3 * k + axis] = (q - engine->start->q[3 * i + axis]) / engine->h;
    }
  }
}

// Without columns: h A⁻¹ E p by a solution.
static void push_by_solution(MbSoftEngine *engine, const double *p) {
  MbSoftPorts *ports = engine->ports;
  double *x = ports->solution;
  memset(x, 0, 3 * engine->nfree * sizeof *x);
  for (size_t k = 0; k < ports->count; k++) {
    const uint32_t number = engine->number[ports->port[k]];
    for (size_t axis = 0; number != MB_NONE && axis < 3; axis++)
      x[3 * (size_t)number + axis] += engine->h * p[3 * k + axis];
  }
  mb_soft_global_solve(&engine->global, x);
  for (size_t c = 0; c < 3 * engine->nfree; c++) engine->r[c] += x[c];
}

void mb_soft_push_ports(MbSoftEngine *engine, const double *p) {
  const MbSoftPorts *ports = engine->ports;
  const size_t size = 3 * engine->nfree;
  for (size_t k = 0; k < ports->count; k++) {
    const uint32_t number = engine->number[ports->port[k]];
    for (size_t axis = 0; number != MB_NONE && axis < 3; axis++)
      engine->b[3 * (size_t)number + axis] += engine->h * p[3 * k + axis];
  }
  if (!ports->column) {
    push_by_solution(engine, p);
    return;
  }
  for (size_t k = 0; k < ports->count; k++) {
    const double *column = ports->column + k * size;
    const double by[3] = {engine->h * p[3 * k], engine->h * p[3 * k + 1], engine->h * p[3 * k + 2]};
    if (by[0] == 0 && by[1] == 0 && by[2] == 0) continue;
    for (size_t n = 0; n < size; n += 3)
      for (size_t axis = 0; axis < 3; axis++) engine->r[n + axis] += by[axis] * column[n + axis];
  }
}
