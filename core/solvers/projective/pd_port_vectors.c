// Nodes that rows act on (pd_ports.c): the processor's part, which is what is done to vectors of all nodes.
#include "core/base/alloc.h"
#include "core/solvers/projective/pd_ports.h"

#include <string.h>

// ---- columns ----------------------------------------------------------------------------------------------

bool mb_pd_ports_take(MbPdEngine *engine, size_t column) {
  MbPdPorts *ports = engine->ports;
  ports->column[column].x = mb_calloc(engine->nfree, ports->width * sizeof(double));
  return ports->column[column].x != NULL;
}

// x (nfree x 3) ← A⁻¹ x, with Newton's matrix where that is the method's: A = h² H.
static void invert(MbPdEngine *engine, double *x) {
  if (!engine->newton) {
    mb_pd_global_solve(&engine->global, x);
    return;
  }
  mb_pd_newton_solve(engine->newton, x);
  for (size_t c = 0; c < 3 * engine->nfree; c++) x[c] /= engine->h * engine->h;
}

// Solves for up to three nodes at once, each along an axis of its own, or for one along all of them.
static void solve(MbPdEngine *engine, const uint32_t *node, size_t n) {
  double *x = engine->ports->solution;
  memset(x, 0, 3 * engine->nfree * sizeof *x);
  for (size_t axis = 0; axis < 3; axis++) {
    const size_t k = engine->ports->width == 1 ? axis : 0;
    if (k < n && engine->number[node[k]] != MB_NONE) x[3 * (size_t)engine->number[node[k]] + axis] = 1;
  }
  invert(engine, x);
}

void mb_pd_ports_find(MbPdEngine *engine, const uint32_t *node, size_t n) {
  MbPdPorts *ports = engine->ports;
  solve(engine, node, n);
  for (size_t i = 0; i < n; i++) {
    double *to = ports->column[ports->of[node[i]]].x;
    if (ports->width == 1)
      for (size_t f = 0; f < engine->nfree; f++) to[f] = ports->solution[3 * f + i];
    else
      memcpy(to, ports->solution, 3 * engine->nfree * sizeof *to);
  }
}

// What one number of a column says of free node f, along an axis.
static double at(const MbPdPorts *ports, const double *x, uint32_t f, size_t axis) {
  return ports->width == 1 ? x[f] : x[3 * (size_t)f + axis];
}

void mb_pd_ports_answer(MbPdEngine *engine) {
  MbPdPorts *ports = engine->ports;
  const size_t n = ports->count, width = ports->width;
  if (ports->branched) return;
  if (n) memset(ports->S, 0, n * n * width * sizeof *ports->S);
  for (size_t k = 0; k < n; k++) {
    if (engine->number[ports->node[k]] == MB_NONE) continue;
    const uint32_t column = mb_pd_column_of(ports, k);
    const double *x = column != MB_NONE ? ports->column[column].x : ports->solution;
    if (column == MB_NONE) solve(engine, ports->node + k, 1);
    for (size_t i = 0; i < n; i++) {
      const uint32_t f = engine->number[ports->node[i]];
      for (size_t axis = 0; f != MB_NONE && axis < width; axis++) // a solution's first axis is this node's
        ports->S[width * (n * k + i) + axis] =
            column != MB_NONE ? at(ports, x, f, axis) : x[3 * (size_t)f + axis];
    }
  }
}

// ---- what is read, and what pushes --------------------------------------------------------------------------

void mb_pd_ports_read(const MbPdEngine *engine, double share, double *x) {
  const MbPdPorts *ports = engine->ports;
  for (size_t k = 0; k < ports->count; k++) {
    const size_t i = ports->node[k];
    const uint32_t number = engine->number[i];
    for (size_t axis = 0; axis < 3; axis++) {
      const double correction = number == MB_NONE ? 0 : share * engine->r[3 * (size_t)number + axis];
      x[3 * k + axis] = engine->q[3 * i + axis] + correction;
    }
  }
}

// x (nfree x 3) += h E p; tells whether some column that this takes is not there, or none is meant to be.
static bool spread(const MbPdEngine *engine, const double *p, double *x) {
  const MbPdPorts *ports = engine->ports;
  bool lacks = ports->branched;
  for (size_t k = 0; k < ports->count; k++) {
    const uint32_t number = engine->number[ports->node[k]];
    if (number == MB_NONE || (p[3 * k] == 0 && p[3 * k + 1] == 0 && p[3 * k + 2] == 0)) continue;
    for (size_t axis = 0; axis < 3; axis++) x[3 * (size_t)number + axis] += engine->h * p[3 * k + axis];
    lacks |= mb_pd_column_of(ports, k) == MB_NONE;
  }
  return lacks;
}

void mb_pd_ports_respond(MbPdEngine *engine, const double *p, double *v) {
  MbPdPorts *ports = engine->ports;
  double *x = ports->solution;
  bool any = false;
  for (size_t c = 0; c < 3 * ports->count; c++) any |= p[c] != 0;
  memset(x, 0, 3 * engine->nfree * sizeof *x);
  if (any) spread(engine, p, x), invert(engine, x);
  for (size_t k = 0; k < ports->count; k++) {
    const uint32_t number = engine->number[ports->node[k]];
    for (size_t axis = 0; axis < 3; axis++)
      v[3 * k + axis] = number == MB_NONE ? 0 : x[3 * (size_t)number + axis] / engine->h;
  }
}

void mb_pd_ports_pull(MbPdEngine *engine, double *down, const double *p) {
  for (size_t k = 0; k < engine->ports->count; k++) {
    const uint32_t number = engine->number[engine->ports->node[k]];
    for (size_t c = 0; number != MB_NONE && c < 3; c++)
      down[3 * (size_t)number + c] += p[3 * k + c] / engine->h;
  }
}

// Without columns: h A⁻¹ E p by a solution.
static void push_by_solution(MbPdEngine *engine, const double *p) {
  double *x = engine->ports->solution;
  memset(x, 0, 3 * engine->nfree * sizeof *x);
  spread(engine, p, x);
  invert(engine, x);
  for (size_t c = 0; c < 3 * engine->nfree; c++) engine->r[c] += x[c];
}

// Tells whether what pushes has more numbers in its columns than a solution takes, which reads those of the factor twice.
static bool many(const MbPdEngine *engine, const double *p) {
  const MbPdPorts *ports = engine->ports;
  size_t pushes = 0;
  for (size_t k = 0; k < ports->count; k++) pushes += p[3 * k] != 0 || p[3 * k + 1] != 0 || p[3 * k + 2] != 0;
  return engine->nfree &&
         pushes * engine->nfree * ports->width > 4 * mb_global_size(engine->global.inverse).entries;
}

void mb_pd_ports_push(MbPdEngine *engine, const double *p) {
  const MbPdPorts *ports = engine->ports;
  if (spread(engine, p, engine->b) || engine->newton || many(engine, p)) {
    push_by_solution(engine, p);
    return;
  }
  for (size_t k = 0; k < ports->count; k++) {
    const double by[3] = {engine->h * p[3 * k], engine->h * p[3 * k + 1], engine->h * p[3 * k + 2]};
    if (engine->number[ports->node[k]] == MB_NONE || (by[0] == 0 && by[1] == 0 && by[2] == 0)) continue;
    const double *column = ports->column[mb_pd_column_of(ports, k)].x;
    if (ports->width == 1) {
      for (size_t f = 0; f < engine->nfree; f++)
        for (size_t axis = 0; axis < 3; axis++) engine->r[3 * f + axis] += by[axis] * column[f];
      continue;
    }
    for (size_t f = 0; f < 3 * engine->nfree; f += 3)
      for (size_t axis = 0; axis < 3; axis++) engine->r[f + axis] += by[axis] * column[f + axis];
  }
}

void mb_pd_ports_rest(MbPdEngine *engine) { memset(engine->r, 0, 3 * engine->nfree * sizeof *engine->r); }
