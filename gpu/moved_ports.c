// Nodes that rows act on, of nodes that a device moves: detection and the rows' solution are the processor's, which gets the places of listed nodes, S of
// them and what pairs have there, and gives impulses. Columns of the matrix's inverse stay on the device, in room that is taken when the engine is made.
#include "core/base/alloc.h"
#include "core/solvers/projective/pd_lbfgs.h"
#include "core/solvers/projective/pd_ports.h"
#include "gpu/moved.h"

#include <string.h>

enum { TOLD = 1 << 17 }; // numbers at least that come back at once

static MbMoved *of(const MbPdEngine *engine) { return engine->moved; }
static void run(const MbMoved *moved, MbKernel kernel, size_t n, const MbPortArgs *args) {
  moved->on->run(moved->gpu, kernel, n, args);
}

// ---- room -------------------------------------------------------------------------------------------------

// A row of S, or two vectors of the listed nodes, at least.
static size_t told(const MbPdEngine *engine) { return 6 * engine->n > TOLD ? 6 * engine->n : TOLD; }

bool mb_moved_ports_list(MbMoved *moved, const MbPdEngine *engine) {
  if (!engine->ports) return true;
  moved->push = mb_calloc(engine->n, sizeof *moved->push);
  moved->listed = mb_calloc(3 * engine->n, sizeof *moved->listed);
  return moved->push && moved->listed;
}

void mb_moved_ports_free(MbMoved *moved) {
  mb_free(moved->push);
  mb_free(moved->listed);
}

size_t mb_moved_ports_bytes(const MbPdEngine *engine) {
  return engine->ports ? engine->n * (sizeof(MbPortPush) + 3 * sizeof(uint32_t)) : 0;
}

void mb_moved_ports_lay_out(MbMoved *moved, const MbPdEngine *engine, char **next) {
  const MbPdPorts *ports = engine->ports;
  const size_t n = engine->n, nfree = engine->nfree;
  MbPortArgs *a = &moved->ports;
  if (!ports) return;
  a->nfree = nfree, a->width = (uint32_t)ports->width;
  a->node = mb_moved_place(next, 3 * n, sizeof *a->node);
  a->push = mb_moved_place(next, n, sizeof *a->push);
  a->told = mb_moved_place(next, told(engine), sizeof *a->told);
  a->solution = mb_moved_place(next, 3 * nfree, sizeof *a->solution);
  a->columns = mb_moved_place(next, ports->most * nfree * ports->width, sizeof *a->columns);
}

// ---- columns, and S ---------------------------------------------------------------------------------------

// The solution for up to three nodes at once, each along an axis of its own, or for one along all of them.
static void solve(const MbPdEngine *engine, const uint32_t *node, size_t n) {
  const MbMoved *moved = of(engine);
  MbPortArgs args = moved->ports;
  for (size_t axis = 0; axis < 3; axis++) {
    const size_t k = args.width == 1 ? axis : 0;
    args.one[axis] = k < n ? engine->number[node[k]] : MB_PORT_NONE;
  }
  args.to = args.solution;
  run(moved, MB_RUN_mb_port_clear, 3 * args.nfree, &args);
  run(moved, MB_RUN_mb_port_one, 3, &args);
  mb_moved_solve(moved, args.solution);
}

void mb_moved_find(MbPdEngine *engine, const uint32_t *node, size_t n) {
  const MbMoved *moved = of(engine);
  MbPortArgs args = moved->ports;
  solve(engine, node, n);
  for (size_t i = 0; i < n; i++) {
    args.axis = (uint32_t)i, args.column = engine->ports->of[node[i]];
    run(moved, MB_RUN_mb_port_keep, args.nfree * args.width, &args);
  }
}

static void put_list(MbMoved *moved, const MbPdEngine *engine) {
  const MbPdPorts *ports = engine->ports;
  const size_t n = ports->count;
  uint32_t *const node = moved->listed, *const number = node + n, *const column = number + n;
  MbPortArgs *a = &moved->ports;
  for (size_t k = 0; k < n; k++) {
    node[k] = ports->node[k];
    number[k] = engine->number[node[k]];
    column[k] = number[k] == MB_NONE ? MB_NONE : mb_pd_column_of(ports, k);
  }
  a->count = (uint32_t)n, a->number = a->node + n, a->of = a->number + n;
  mb_moved_put(moved, a->node, node, 3 * n * sizeof *node);
}

void mb_moved_answer(MbPdEngine *engine) {
  MbMoved *moved = of(engine);
  const MbPdPorts *ports = engine->ports;
  const size_t n = ports->count, row = n * ports->width;
  _Static_assert(MB_PORT_NONE == MB_NONE, "as listed");
  put_list(moved, engine);
  if (ports->branched) return;
  MbPortArgs args = moved->ports;
  for (size_t k = 0; k < n;) {
    const size_t most = told(engine) / row, rows = most < n - k ? most : n - k;
    args.first = (uint32_t)k;
    run(moved, MB_RUN_mb_port_answer, rows * row, &args);
    moved->on->get(moved->gpu, ports->S + k * row, args.told, rows * row * sizeof *ports->S);
    k += rows;
  }
  for (size_t k = 0; k < n; k++) {
    if (engine->number[ports->node[k]] == MB_NONE || mb_pd_column_of(ports, k) != MB_NONE) continue;
    solve(engine, ports->node + k, 1);
    run(moved, MB_RUN_mb_port_answer_solved, row, &args);
    moved->on->get(moved->gpu, ports->S + k * row, args.told, row * sizeof *ports->S);
  }
}

// ---- what is read, and what pushes --------------------------------------------------------------------------

void mb_moved_read(const MbPdEngine *engine, double share, double *x) {
  const MbMoved *moved = of(engine);
  MbPortArgs args = moved->ports;
  args.share = share, args.q = moved->nodes.q, args.from = moved->nodes.r;
  run(moved, MB_RUN_mb_port_read, args.count, &args);
  moved->on->get(moved->gpu, x, args.told, 3 * args.count * sizeof *x);
}

// Those of the impulses that are some, times `times`. Tells whether a column is not there, or none is meant to be.
static bool put_pushes(MbMoved *moved, const MbPdEngine *engine, double times, const double *p) {
  const MbPdPorts *ports = engine->ports;
  bool lacks = ports->branched;
  size_t n = 0;
  for (size_t k = 0; k < ports->count; k++) {
    const uint32_t number = engine->number[ports->node[k]];
    if (number == MB_NONE || (p[3 * k] == 0 && p[3 * k + 1] == 0 && p[3 * k + 2] == 0)) continue;
    const uint32_t column = mb_pd_column_of(ports, k);
    moved->push[n++] =
        (MbPortPush){{times * p[3 * k], times * p[3 * k + 1], times * p[3 * k + 2]}, number, column};
    lacks = lacks || column == MB_NONE;
  }
  moved->ports.npushes = (uint32_t)n;
  mb_moved_put(moved, moved->ports.push, moved->push, n * sizeof *moved->push);
  return lacks;
}

void mb_moved_pull(MbPdEngine *engine, double *down, const double *p) {
  (void)down;
  MbMoved *moved = of(engine);
  moved->knows_down = false; // b changes
  (void)put_pushes(moved, engine, 1 / engine->h, p);
  MbPortArgs args = moved->ports;
  args.to = moved->nodes.b;
  run(moved, MB_RUN_mb_port_spread, args.npushes, &args);
}

void mb_moved_push(MbPdEngine *engine, const double *p) {
  MbMoved *moved = of(engine);
  moved->knows_down = false;
  const bool lacks = put_pushes(moved, engine, engine->h, p);
  MbPortArgs args = moved->ports;
  if (!args.npushes) return;
  args.to = moved->nodes.b;
  if (engine->whole && !engine->downhill) run(moved, MB_RUN_mb_port_spread, args.npushes, &args);
  if (lacks) {
    args.to = args.solution;
    run(moved, MB_RUN_mb_port_clear, 3 * args.nfree, &args);
    run(moved, MB_RUN_mb_port_spread, args.npushes, &args);
    mb_moved_solve(moved, args.solution);
  }
  args.to = moved->nodes.r;
  if (lacks)
    run(moved, MB_RUN_mb_port_add, 3 * args.nfree, &args);
  else
    run(moved, MB_RUN_mb_port_push, args.nfree, &args);
}

// By a solution: v ← Eᵀ A⁻¹ E p.
void mb_moved_respond(MbPdEngine *engine, const double *p, double *v) {
  MbMoved *moved = of(engine);
  (void)put_pushes(moved, engine, 1, p);
  MbPortArgs args = moved->ports;
  args.to = args.solution, args.from = args.solution;
  run(moved, MB_RUN_mb_port_clear, 3 * args.nfree, &args);
  run(moved, MB_RUN_mb_port_spread, args.npushes, &args);
  mb_moved_solve(moved, args.solution);
  run(moved, MB_RUN_mb_port_gather, args.count, &args);
  moved->on->get(moved->gpu, v, args.told, 3 * args.count * sizeof *v);
}

void mb_moved_rest(MbPdEngine *engine) {
  MbPortArgs args = of(engine)->ports;
  of(engine)->knows_down = false;
  args.to = of(engine)->nodes.r;
  run(of(engine), MB_RUN_mb_port_clear, 3 * args.nfree, &args);
}

// ---- pairs at listed nodes ----------------------------------------------------------------------------------

void mb_moved_tell_pair(MbPdEngine *engine, size_t k) {
  const MbMoved *moved = of(engine);
  const MbPairs *pairs = mb_pd_lbfgs_pairs(engine);
  MbPortArgs args = moved->ports;
  const size_t n = 3 * args.count, size = n * sizeof(double);
  if (!engine->ports || !n) return;
  args.from = moved->nodes.s[k];
  run(moved, MB_RUN_mb_port_gather, args.count, &args);
  moved->on->get(moved->gpu, pairs->s[k] + engine->beside, args.told, size);
  args.from = moved->nodes.zs[k];
  run(moved, MB_RUN_mb_port_gather, args.count, &args);
  moved->on->get(moved->gpu, pairs->z[k] + engine->beside, args.told, size);
}
