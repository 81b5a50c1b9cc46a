// Branches of the constant matrix's factor at listed nodes (sparse/branches.h): S = Eᵀ A⁻¹ E of many nodes is had as products of these, which are
// a few hundred numbers each, where its columns have one for every node. They are found when a node is named first, and kept; where they take more than ROOM,
// those that the list does not name are given back.
#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/solvers/projective/pd_ports.h"

#include <string.h>

static const size_t ROOM = (size_t)1 << 28; // bytes

typedef struct MbPdPortBranch {
  MbStretch *run; // of its own, with the numbers behind them; NULL: it is not there
  MbBranch branch;
  size_t bytes, named; // number of the list that has named it last
} Kept;

// ---- making and freeing -----------------------------------------------------------------------------------

const struct MbContactElsewhere *mb_pd_elsewhere(const MbPdEngine *engine) {
  return engine->mover->contacts && engine->ports ? engine->mover->contacts(engine) : NULL;
}

const struct MbNearElsewhere *mb_pd_finds(const MbPdEngine *engine) {
  return engine->mover->finds ? engine->mover->finds(engine) : NULL;
}

bool mb_pd_branches_suit(const MbPdEngine *engine, size_t count) {
  enum { FEW = 96 }; // nodes that the processor solves for as fast
  const MbPdPorts *ports = engine->ports;
  const MbGlobal *global = engine->global.inverse;
  if (ports->width != 1 || engine->newton || !engine->nfree || !mb_branches_are(global)) return false;
  return count * engine->nfree > 2 * mb_global_size(global).entries ||
         (count > FEW && mb_pd_elsewhere(engine));
}

static bool make(MbPdEngine *engine) {
  MbPdBranches *b = &engine->ports->branches;
  if (b->of) return true;
  if (!b->node) b->node = mb_calloc(engine->nfree, sizeof *b->node);
  if (!b->y) b->y = mb_calloc(3 * engine->nfree, sizeof *b->y);
  return b->node && b->y && (b->of = mb_branches_make(engine->global.inverse));
}

static void forget(MbPdBranches *b, Kept *kept) {
  b->bytes -= kept->bytes;
  mb_free(kept->run);
  *kept = (Kept){0};
}

void mb_pd_branches_free(MbPdBranches *b, size_t nfree) {
  for (size_t f = 0; b->node && f < nfree; f++) mb_free(b->node[f].run);
  mb_branches_free(b->of);
  mb_free(b->node);
  mb_free(b->listed);
  mb_free(b->wanted);
  mb_free(b->order);
  mb_free(b->y);
}

size_t mb_pd_branches_bytes(const MbPdEngine *engine) {
  const MbPdBranches *b = &engine->ports->branches;
  const size_t kept = b->of ? engine->nfree * (sizeof *b->node + 3 * sizeof *b->y) : 0;
  return kept + b->bytes + mb_branches_bytes(b->of) + b->nlisted * sizeof *b->listed +
         b->nwanted * sizeof *b->wanted + b->norder * sizeof *b->order;
}

// ---- a list -----------------------------------------------------------------------------------------------

// Makes room for the branch of free node f, and returns where its numbers come. NULL: out of memory.
static double *keep(MbPdBranches *b, size_t f) {
  Kept *kept = &b->node[f];
  size_t length;
  const size_t nruns = mb_branch_runs(b->of, f, NULL, &length);
  kept->bytes = nruns * sizeof(MbStretch) + length * sizeof(double);
  kept->run = mb_calloc(1, kept->bytes);
  if (!kept->run) {
    kept->bytes = 0;
    return NULL;
  }
  b->bytes += kept->bytes;
  double *numbers = (double *)(void *)(kept->run + nruns);
  kept->branch = (MbBranch){kept->run, numbers, (uint32_t)nruns};
  mb_branch_runs(b->of, f, kept->run, &length);
  return numbers;
}

// In the order of elimination: what is found together has most of its way in common.
static bool follows(const void *context, uint32_t i, uint32_t j) {
  const MbPdBranches *b = context;
  return mb_branch_place(b->of, b->wanted[i]) > mb_branch_place(b->of, b->wanted[j]);
}

// Free nodes of the list that have no branch yet, to `wanted`.
static size_t look_for(MbPdEngine *engine) {
  const MbPdPorts *ports = engine->ports;
  MbPdBranches *b = &engine->ports->branches;
  size_t n = 0;
  for (size_t k = 0; k < ports->count; k++) {
    const uint32_t f = engine->number[ports->node[k]];
    if (f == MB_NONE) continue;
    b->node[f].named = ports->list;
    if (!b->node[f].run) b->wanted[n++] = f;
  }
  return n;
}

static bool find(MbPdBranches *b, size_t n) {
  enum { AT_ONCE = 3 };
  for (size_t k = 0; k < n; k += AT_ONCE) {
    const size_t some = n - k < AT_ONCE ? n - k : AT_ONCE;
    size_t row[AT_ONCE];
    double *s[AT_ONCE];
    bool fine = true;
    for (size_t i = 0; i < some; i++) row[i] = b->wanted[b->order[k + i]];
    for (size_t i = 0; i < some && fine; i++) fine = (s[i] = keep(b, row[i])) != NULL;
    if (fine && mb_branch_find(b->of, row, some, s)) continue;
    for (size_t i = 0; i < some; i++) forget(b, &b->node[row[i]]); // they have no numbers
    return false;
  }
  return true;
}

bool mb_pd_branches_list(MbPdEngine *engine) {
  MbPdPorts *ports = engine->ports;
  MbPdBranches *b = &ports->branches;
  if (!make(engine) || !mb_grow(&b->listed, &b->nlisted, ports->count, sizeof *b->listed) ||
      !mb_grow(&b->wanted, &b->nwanted, ports->count, sizeof *b->wanted) ||
      !mb_grow(&b->order, &b->norder, ports->count, sizeof *b->order))
    return false;
  const size_t n = look_for(engine);
  mb_sort_numbers(b->order, n, follows, b);
  if (!find(b, n)) return false;
  for (size_t f = 0; b->bytes > ROOM && f < engine->nfree; f++)
    if (b->node[f].named < ports->list) forget(b, &b->node[f]);
  for (size_t k = 0; k < ports->count; k++) {
    const uint32_t f = engine->number[ports->node[k]];
    b->listed[k] = f == MB_NONE ? (MbBranch){0} : b->node[f].branch;
  }
  return true;
}

void mb_pd_branches_respond(const MbPdEngine *engine, const double *p, double *v) {
  const MbPdPorts *ports = engine->ports;
  const MbPdBranches *b = &ports->branches;
  memset(b->y, 0, 3 * engine->nfree * sizeof *b->y);
  for (size_t k = 0; k < ports->count; k++)
    if (p[3 * k] != 0 || p[3 * k + 1] != 0 || p[3 * k + 2] != 0)
      mb_branch_add(&b->listed[k], p + 3 * k, engine->nfree, b->y);
  for (size_t k = 0; k < ports->count; k++) mb_branch_rate(&b->listed[k], engine->nfree, b->y, v + 3 * k);
}
