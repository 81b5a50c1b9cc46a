// Nodes at which a caller's rows of equations act on the step's correction: ports, which are there for good, and behind them those that
// the rows of a step name. With E their columns of the identity and A the constant matrix, impulses p (N s) at them over a step of length
// h add h p to the right-hand side, so that
//   Δ ← Δ + h A⁻¹ E p,   and of velocities  v ← v + S p,  S = Eᵀ A⁻¹ E.
// A is constant: a column A⁻¹ e is made when its node is named first, and kept as long as there is room; where there is none it makes room
// in the place of the column that has not been named for longest. Where all that are named do not fit, every correction takes one more
// solution with A. Of many nodes the columns are longer than what is told by them: these have branches (pd_branches.c), and what pushes them is
// moved by a solution. Three columns are one solution, as A is the same along all three axes; but where nodes are placed along single
// axes, a node's columns along these differ, and are those of the solution with the nodes placed (pd_global.c).
#include "core/base/alloc.h"
#include "core/math/vec3.h"
#include "core/solvers/projective/pd_lbfgs.h"
#include "core/solvers/projective/pd_ports.h"

#include <string.h>

static const size_t ROOM = (size_t)1 << 28; // bytes that columns may take where nobody says

// ---- columns ----------------------------------------------------------------------------------------------

// The column that is made next: a new one, or the one that has not been named for longest. NULL: all are named; *failed: out of memory.
static MbPdColumn *take_column(MbPdEngine *engine, bool *failed) {
  MbPdPorts *ports = engine->ports;
  MbPdColumn *best = NULL;
  if (ports->ncolumns < ports->most) {
    if (!mb_grow(&ports->column, &ports->room, ports->ncolumns + 1, sizeof *ports->column)) {
      *failed = true;
      return NULL;
    }
    best = &ports->column[ports->ncolumns];
    *best = (MbPdColumn){.node = MB_NONE};
    *failed = engine->mover->take && !engine->mover->take(engine, ports->ncolumns);
    if (!*failed) ports->ncolumns++;
    return *failed ? NULL : best;
  }
  for (size_t k = 0; k < ports->ncolumns; k++) {
    MbPdColumn *column = &ports->column[k];
    if (column->named < ports->list && (!best || column->named < best->named)) best = column;
  }
  if (best && best->node != MB_NONE) ports->of[best->node] = MB_NONE;
  return best;
}

static bool make_columns(MbPdEngine *engine) {
  MbPdPorts *ports = engine->ports;
  const size_t at_once = ports->width == 1 ? 3 : 1;
  uint32_t node[3];
  size_t n = 0;
  bool failed = false;
  for (size_t k = 0; k <= ports->count && !failed; k++) {
    if (n == at_once || (k == ports->count && n)) {
      engine->mover->find(engine, node, n);
      n = 0;
    }
    if (k == ports->count) break;
    const uint32_t wanted = ports->node[k];
    if (engine->number[wanted] == MB_NONE || ports->of[wanted] != MB_NONE) continue;
    MbPdColumn *column = take_column(engine, &failed);
    if (!column) continue; // this one is solved for whenever it is wanted
    column->node = wanted, column->named = ports->list;
    ports->of[wanted] = (uint32_t)(column - ports->column);
    node[n++] = wanted;
  }
  return !failed;
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
  if (engine->elsewhere && !engine->ports) return n == 0; // none were to be named
  if (!engine->ports && !(engine->ports = mb_pd_ports_make(engine, 0, NULL, true, 0))) return false;
  MbPdPorts *ports = engine->ports;
  const size_t count = ports->fixed + n;
  const bool branched = mb_pd_branches_suit(engine, count);
  if (is_listed(ports, n, node)) return true;
  if (!mb_grow(&ports->node, &ports->nodes, count, sizeof *ports->node) ||
      !mb_grow(&ports->S, &ports->nS, branched ? 0 : count * count * ports->width, sizeof *ports->S) ||
      !mb_grow(&ports->place, &ports->nplace, 3 * count, sizeof *ports->place))
    return false;
  // of pairs that stand elsewhere this processor has the listed nodes' numbers
  if (engine->elsewhere && !mb_pairs_room(mb_pd_lbfgs_pairs(engine), engine->beside + 3 * count))
    return false;
  if (n) memcpy(ports->node + ports->fixed, node, n * sizeof *node);
  ports->count = count, ports->branched = branched;
  ports->list++;
  for (size_t k = 0; k < count; k++)
    if (ports->of[ports->node[k]] != MB_NONE) ports->column[ports->of[ports->node[k]]].named = ports->list;
  if (engine->newton) return true; // its matrix is another one in every iteration
  ports->told = !engine->nfree || !branched || !mb_pd_elsewhere(engine);
  const bool fine =
      !engine->nfree || (branched ? !ports->told || mb_pd_branches_list(engine) : make_columns(engine));
  if (fine)
    engine->mover->answer(engine);
  else
    forget(engine);
  return fine;
}

MbPdPorts *mb_pd_ports_make(MbPdEngine *engine, size_t nports, const uint32_t *port, bool more,
                            size_t bytes) {
  const MbPdGlobal *global = &engine->global;
  MbPdPorts *ports = mb_calloc(1, sizeof *ports);
  if (!ports) return NULL;
  ports->width = global->placed[0] || global->placed[1] || global->placed[2] ? 3 : 1;
  const size_t size = ports->width * engine->nfree * sizeof(double);
  const size_t all = more ? engine->nfree : nports, fit = size ? (bytes ? bytes : ROOM) / size : 0;
  ports->most = fit < all ? fit : all;
  ports->fixed = nports;
  ports->of = mb_calloc(engine->n, sizeof *ports->of);
  ports->solution = mb_calloc(engine->elsewhere ? 0 : engine->nfree, 3 * sizeof *ports->solution);
  bool fine =
      ports->of && ports->solution && mb_grow(&ports->node, &ports->nodes, nports, sizeof *ports->node);
  if (!fine) {
    mb_pd_ports_free(ports, engine->nfree);
    return NULL;
  }
  for (size_t i = 0; i < engine->n; i++) ports->of[i] = MB_NONE;
  if (nports) memcpy(ports->node, port, nports * sizeof *port);
  return ports;
}

void mb_pd_ports_free(MbPdPorts *ports, size_t nfree) {
  if (!ports) return;
  for (size_t k = 0; k < ports->ncolumns; k++) mb_free(ports->column[k].x);
  mb_free(ports->column);
  mb_free(ports->of);
  mb_free(ports->node);
  mb_free(ports->S);
  mb_free(ports->place);
  mb_free(ports->solution);
  mb_pd_branches_free(&ports->branches, nfree);
  mb_free(ports);
}

size_t mb_pd_ports_bytes(const MbPdEngine *engine) {
  const MbPdPorts *ports = engine->ports;
  if (!ports) return 0;
  const size_t here = engine->elsewhere ? 0 : (ports->ncolumns * ports->width + 3) * engine->nfree;
  return sizeof *ports + engine->n * sizeof *ports->of + ports->nodes * sizeof *ports->node +
         ports->room * sizeof *ports->column + (ports->nS + ports->nplace + here) * sizeof(double) +
         mb_pd_branches_bytes(engine);
}

bool mb_pd_tell(MbPdEngine *engine) {
  MbPdPorts *ports = engine->ports;
  if (!ports || ports->told || !ports->branched) return true;
  return ports->told = mb_pd_branches_list(engine);
}

// ---- answers ----------------------------------------------------------------------------------------------

size_t mb_pd_listed(const MbPdEngine *engine) { return engine->ports ? engine->ports->count : 0; }

size_t mb_pd_listed_at(const MbPdEngine *engine, size_t k) {
  const uint32_t number = engine->number[engine->ports->node[k]];
  if (number == MB_NONE) return SIZE_MAX;
  return engine->elsewhere ? engine->beside + 3 * k : 3 * (size_t)number;
}

const double *mb_pd_responses(const MbPdEngine *engine, size_t *width) {
  *width = engine->ports ? engine->ports->width : 1;
  return engine->ports && !engine->ports->branched ? engine->ports->S : NULL;
}

const MbBranch *mb_pd_branches(const MbPdEngine *engine, size_t *rows) {
  *rows = engine->nfree;
  return engine->ports && engine->ports->branched && engine->ports->told ? engine->ports->branches.listed
                                                                         : NULL;
}

bool mb_pd_branched(const MbPdEngine *engine) { return engine->ports && engine->ports->branched; }

void mb_pd_response(const MbPdEngine *engine, size_t i, size_t j, double S[3]) {
  const MbPdPorts *ports = engine->ports;
  if (ports->branched) {
    S[0] = S[1] = S[2] = mb_branch_dot(&ports->branches.listed[i], &ports->branches.listed[j]);
    return;
  }
  const double *from = ports->S + ports->width * (ports->count * i + j);
  for (size_t axis = 0; axis < 3; axis++) S[axis] = from[ports->width == 1 ? 0 : axis];
}

void mb_pd_respond(MbPdEngine *engine, const double *p, double *v) {
  const MbPdPorts *ports = engine->ports;
  if (!ports) return;
  const size_t n = ports->count, width = ports->width;
  if (engine->newton) {
    mb_pd_ports_respond(engine, p, v);
    return;
  }
  if (ports->branched && mb_pd_elsewhere(engine)) { // where branches need not be
    engine->mover->respond(engine, p, v);
    return;
  }
  if (ports->branched) {
    mb_pd_branches_respond(engine, p, v);
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
  engine->mover->read(engine, share, v);
  for (size_t k = 0; k < ports->count; k++)
    for (size_t c = 0; c < 3; c++)
      v[3 * k + c] = (v[3 * k + c] - engine->start->q[3 * (size_t)ports->node[k] + c]) / engine->h;
}

void mb_pd_push_ports(MbPdEngine *engine, const double *p) { engine->mover->push(engine, p); }
