// Nodes at which a caller's rows of equations act on the step's correction: ports, which are there for good, and behind them those that
// the rows of a step name. With E their columns of the identity and A the constant matrix, impulses p (N s) at them over a step of length
// h add h p to the right-hand side, so that
//   Δ ← Δ + h A⁻¹ E p,   and of velocities  v ← v + S p,  S = Eᵀ A⁻¹ E.
// A is constant: a column A⁻¹ e is made when its node is named first, and kept as long as there is room; where there is none it makes room
// in the place of the column that has not been named for longest. Where all that are named do not fit, every correction takes one more
// solution with A. Three columns are one solution, as A is the same along all three axes; but where nodes are placed along single
// axes, a node's columns along these differ, and are those of the solution with the nodes placed (pd_global.c).
#include "core/base/alloc.h"
#include "core/solvers/projective/pd_engine.h"

#include <string.h>

static const size_t ROOM = (size_t)1 << 28; // bytes that columns may take where nobody says

typedef struct Column {
  double *x;     // (nfree x width)
  uint32_t node; // whose it is
  size_t named;  // number of the list that has named it last
} Column;

struct MbPdPorts {
  size_t width; // numbers of a column for each node: 1, or 3
  size_t fixed; // ports
  size_t most;  // columns at most
  size_t ncolumns, room;
  Column *column; // (ncolumns)
  uint32_t *of;   // (nodes) which column is a node's; MB_NONE
  size_t list;    // number of the list
  size_t count;   // nodes in it
  uint32_t *node; // (count)
  double *S;      // (count x count x width)
  size_t nodes, nS;
  double *solution; // (nfree x 3)
};

// ---- columns ----------------------------------------------------------------------------------------------

// The column that is made next: a new one, or the one that has not been named for longest. NULL: all are named; *failed: out of memory.
static Column *take_column(MbPdEngine *engine, bool *failed) {
  MbPdPorts *ports = engine->ports;
  Column *best = NULL;
  if (ports->ncolumns < ports->most) {
    if (!mb_grow(&ports->column, &ports->room, ports->ncolumns + 1, sizeof *ports->column)) {
      *failed = true;
      return NULL;
    }
    best = &ports->column[ports->ncolumns];
    *best = (Column){.x = mb_calloc(engine->nfree, ports->width * sizeof *best->x), .node = MB_NONE};
    *failed = !best->x;
    if (best->x) ports->ncolumns++;
    return best->x ? best : NULL;
  }
  for (size_t k = 0; k < ports->ncolumns; k++) {
    Column *column = &ports->column[k];
    if (column->named < ports->list && (!best || column->named < best->named)) best = column;
  }
  if (best && best->node != MB_NONE) ports->of[best->node] = MB_NONE;
  return best;
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

static bool make_columns(MbPdEngine *engine) {
  MbPdPorts *ports = engine->ports;
  const size_t at_once = ports->width == 1 ? 3 : 1;
  uint32_t node[3];
  size_t n = 0;
  bool failed = false;
  for (size_t k = 0; k <= ports->count && !failed; k++) {
    if (n == at_once || (k == ports->count && n)) {
      solve(engine, node, n);
      for (size_t i = 0; i < n; i++) {
        double *to = ports->column[ports->of[node[i]]].x;
        if (ports->width == 1)
          for (size_t f = 0; f < engine->nfree; f++) to[f] = ports->solution[3 * f + i];
        else
          memcpy(to, ports->solution, 3 * engine->nfree * sizeof *to);
      }
      n = 0;
    }
    if (k == ports->count) break;
    const uint32_t wanted = ports->node[k];
    if (engine->number[wanted] == MB_NONE || ports->of[wanted] != MB_NONE) continue;
    Column *column = take_column(engine, &failed);
    if (!column) continue; // this one is solved for whenever it is wanted
    column->node = wanted, column->named = ports->list;
    ports->of[wanted] = (uint32_t)(column - ports->column);
    node[n++] = wanted;
  }
  return !failed;
}

// What one number of a column says of free node f, along an axis.
static double at(const MbPdPorts *ports, const double *x, uint32_t f, size_t axis) {
  return ports->width == 1 ? x[f] : x[3 * (size_t)f + axis];
}

static void fill_response(MbPdEngine *engine) {
  MbPdPorts *ports = engine->ports;
  const size_t n = ports->count, width = ports->width;
  if (n) memset(ports->S, 0, n * n * width * sizeof *ports->S);
  for (size_t k = 0; k < n; k++) {
    if (engine->number[ports->node[k]] == MB_NONE) continue;
    const uint32_t column = ports->of[ports->node[k]];
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

// Of columns that memory has run out amid.
static void forget(MbPdEngine *engine) {
  MbPdPorts *ports = engine->ports;
  for (size_t i = 0; i < engine->n; i++) ports->of[i] = MB_NONE;
  for (size_t k = 0; k < ports->ncolumns; k++) ports->column[k].node = MB_NONE, ports->column[k].named = 0;
  ports->list = 0;
}

// ---- the list ---------------------------------------------------------------------------------------------

static bool is_listed(const MbPdPorts *ports, size_t n, const uint32_t *node) {
  return ports->list && ports->count == ports->fixed + n &&
         (!n || !memcmp(ports->node + ports->fixed, node, n * sizeof *node));
}

bool mb_pd_name(MbPdEngine *engine, size_t n, const uint32_t *node) {
  if (!engine->ports && !(engine->ports = mb_pd_ports_make(engine, 0, NULL, 0))) return false;
  MbPdPorts *ports = engine->ports;
  const size_t count = ports->fixed + n;
  if (is_listed(ports, n, node)) return true;
  if (!mb_grow(&ports->node, &ports->nodes, count, sizeof *ports->node) ||
      !mb_grow(&ports->S, &ports->nS, count * count * ports->width, sizeof *ports->S))
    return false;
  if (n) memcpy(ports->node + ports->fixed, node, n * sizeof *node);
  ports->count = count;
  ports->list++;
  for (size_t k = 0; k < count; k++)
    if (ports->of[ports->node[k]] != MB_NONE) ports->column[ports->of[ports->node[k]]].named = ports->list;
  if (!engine->nfree || engine->newton) return true; // its matrix is another one in every iteration
  const bool fine = make_columns(engine);
  if (fine)
    fill_response(engine);
  else
    forget(engine);
  return fine;
}

MbPdPorts *mb_pd_ports_make(MbPdEngine *engine, size_t nports, const uint32_t *port, size_t bytes) {
  const MbPdGlobal *global = &engine->global;
  MbPdPorts *ports = mb_calloc(1, sizeof *ports);
  if (!ports) return NULL;
  ports->width = global->placed[0] || global->placed[1] || global->placed[2] ? 3 : 1;
  const size_t size = ports->width * engine->nfree * sizeof(double);
  ports->most = size ? (bytes ? bytes : ROOM) / size : 0;
  ports->fixed = nports;
  ports->of = mb_calloc(engine->n, sizeof *ports->of);
  ports->solution = mb_calloc(engine->nfree, 3 * sizeof *ports->solution);
  bool fine =
      ports->of && ports->solution && mb_grow(&ports->node, &ports->nodes, nports, sizeof *ports->node);
  if (!fine) {
    mb_pd_ports_free(ports);
    return NULL;
  }
  for (size_t i = 0; i < engine->n; i++) ports->of[i] = MB_NONE;
  if (nports) memcpy(ports->node, port, nports * sizeof *port);
  return ports;
}

void mb_pd_ports_free(MbPdPorts *ports) {
  if (!ports) return;
  for (size_t k = 0; k < ports->ncolumns; k++) mb_free(ports->column[k].x);
  mb_free(ports->column);
  mb_free(ports->of);
  mb_free(ports->node);
  mb_free(ports->S);
  mb_free(ports->solution);
  mb_free(ports);
}

size_t mb_pd_ports_bytes(const MbPdEngine *engine) {
  const MbPdPorts *ports = engine->ports;
  if (!ports) return 0;
  return sizeof *ports + engine->n * sizeof *ports->of + ports->nodes * sizeof *ports->node +
         ports->room * sizeof *ports->column +
         (ports->nS + (ports->ncolumns * ports->width + 3) * engine->nfree) * sizeof(double);
}

// ---- answers ----------------------------------------------------------------------------------------------

size_t mb_pd_listed(const MbPdEngine *engine) { return engine->ports ? engine->ports->count : 0; }

size_t mb_pd_listed_at(const MbPdEngine *engine, size_t k) {
  const uint32_t number = engine->number[engine->ports->node[k]];
  return number == MB_NONE ? SIZE_MAX : 3 * (size_t)number;
}

// x (nfree x 3) += h E p; tells whether some column that this takes is not there.
static bool spread(const MbPdEngine *engine, const double *p, double *x) {
  const MbPdPorts *ports = engine->ports;
  bool lacks = false;
  for (size_t k = 0; k < ports->count; k++) {
    const uint32_t number = engine->number[ports->node[k]];
    if (number == MB_NONE || (p[3 * k] == 0 && p[3 * k + 1] == 0 && p[3 * k + 2] == 0)) continue;
    for (size_t axis = 0; axis < 3; axis++) x[3 * (size_t)number + axis] += engine->h * p[3 * k + axis];
    lacks |= ports->of[ports->node[k]] == MB_NONE;
  }
  return lacks;
}

const double *mb_pd_responses(const MbPdEngine *engine, size_t *width) {
  *width = engine->ports ? engine->ports->width : 1;
  return engine->ports ? engine->ports->S : NULL;
}

void mb_pd_response(const MbPdEngine *engine, size_t i, size_t j, double S[3]) {
  const MbPdPorts *ports = engine->ports;
  const double *from = ports->S + ports->width * (ports->count * i + j);
  for (size_t axis = 0; axis < 3; axis++) S[axis] = from[ports->width == 1 ? 0 : axis];
}

// By a solution: the matrix is not that of the columns.
static void respond_by_solution(MbPdEngine *engine, const double *p, double *v) {
  MbPdPorts *ports = engine->ports;
  double *x = ports->solution;
  bool any = false;
  for (size_t c = 0; c < 3 * ports->count; c++) any |= p[c] != 0;
  memset(x, 0, 3 * engine->nfree * sizeof *x);
  if (any) spread(engine, p, x), invert(engine, x);
  for (size_t k = 0; k < ports->count; k++) {
    const size_t at = mb_pd_listed_at(engine, k);
    for (size_t axis = 0; axis < 3; axis++) v[3 * k + axis] = at == SIZE_MAX ? 0 : x[at + axis] / engine->h;
  }
}

void mb_pd_respond(MbPdEngine *engine, const double *p, double *v) {
  const MbPdPorts *ports = engine->ports;
  if (!ports) return;
  const size_t n = ports->count, width = ports->width;
  if (engine->newton) {
    respond_by_solution(engine, p, v);
    return;
  }
  if (n) memset(v, 0, 3 * n * sizeof *v);
  for (size_t k = 0; k < n; k++) {
    const double *S = ports->S + width * n * k; // symmetric
    if (p[3 * k] == 0 && p[3 * k + 1] == 0 && p[3 * k + 2] == 0) continue;
    for (size_t i = 0; i < n; i++)
      for (size_t axis = 0; axis < 3; axis++)
        v[3 * i + axis] += S[width == 1 ? i : 3 * i + axis] * p[3 * k + axis];
  }
}

void mb_pd_read_ports(const MbPdEngine *engine, double share, double *v) {
  const MbPdPorts *ports = engine->ports;
  for (size_t k = 0; k < ports->count; k++) {
    const size_t i = ports->node[k];
    const uint32_t number = engine->number[i];
    for (size_t axis = 0; axis < 3; axis++) {
      const double correction = number == MB_NONE ? 0 : share * engine->r[3 * (size_t)number + axis];
      const double q = engine->q[3 * i + axis] + correction;
      v[3 * k + axis] = (q - engine->start->q[3 * i + axis]) / engine->h;
    }
  }
}

// ---- pushes -----------------------------------------------------------------------------------------------

// Without columns: h A⁻¹ E p by a solution.
static void push_by_solution(MbPdEngine *engine, const double *p) {
  double *x = engine->ports->solution;
  memset(x, 0, 3 * engine->nfree * sizeof *x);
  spread(engine, p, x);
  invert(engine, x);
  for (size_t c = 0; c < 3 * engine->nfree; c++) engine->r[c] += x[c];
}

void mb_pd_push_ports(MbPdEngine *engine, const double *p) {
  const MbPdPorts *ports = engine->ports;
  if (spread(engine, p, engine->b) || engine->newton) {
    push_by_solution(engine, p);
    return;
  }
  for (size_t k = 0; k < ports->count; k++) {
    const double by[3] = {engine->h * p[3 * k], engine->h * p[3 * k + 1], engine->h * p[3 * k + 2]};
    if (engine->number[ports->node[k]] == MB_NONE || (by[0] == 0 && by[1] == 0 && by[2] == 0)) continue;
    const double *column = ports->column[ports->of[ports->node[k]]].x;
    if (ports->width == 1) {
      for (size_t f = 0; f < engine->nfree; f++)
        for (size_t axis = 0; axis < 3; axis++) engine->r[3 * f + axis] += by[axis] * column[f];
      continue;
    }
    for (size_t f = 0; f < 3 * engine->nfree; f += 3)
      for (size_t axis = 0; axis < 3; axis++) engine->r[f + axis] += by[axis] * column[f + axis];
  }
}
