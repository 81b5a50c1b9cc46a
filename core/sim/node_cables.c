// Cables that keep their length are rows about the nodes that they run through. A cable of length l(q), L at most, asks of a step's end
//
//   L − l(q⁺) + e T ≥ 0,  T ≥ 0,  one of them an equality
//
// with T its tension and e its compliance. The directions in which it pulls turn with the nodes, so that the rows are made anew in every
// pass: where a pass begins with nodes at q, l is l(q) + J (q⁺ − q), and with the step's start q₀ and v = (q⁺ − q₀)/h
//
//   g − h J v + e T ≥ 0,  g = L − l(q) + J (q − q₀)
//
// What the nodes feel, −Jᵀ T, is minus the slope of δ²/(2 e), δ = max(0, l − L). So passes that have converged have found the minimum of the
// step's energy with the cables' in it, and where e = 0 the minimum of it among the places at which cables are no longer than they may be.
#include "core/base/report.h"
#include "core/deformables/cable.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/nodes.h"

typedef struct Kept {
  size_t deformable;
  const MbCable *cable;
} Kept;

typedef struct Cables {
  const MbModel *model;
  const MbNodes *nodes;
  size_t n;
  Kept *kept;   // (n)
  size_t *body; // (most nodes of a cable) by which rows name them
  double *J;    // (most points x 3)
} Cables;

// ---- the source of rows -----------------------------------------------------------------------------------

static bool list_rows(void *context, const MbSim *sim, MbRowSet *set) {
  static const MbRowTerms like = {
      .kind = MB_ROW_ONE_WAY, .anew = true, .target = true, .name = "cable", .claimed = MB_WORLD};
  const Cables *cables = context;
  for (size_t i = 0; i < cables->n; i++) {
    const MbCable *cable = cables->kept[i].cable;
    const size_t n = cable->first[cable->npoints];
    MbRowTerms terms = like;
    terms.alpha = cable->compliance, terms.key = i, terms.two_bodies = n <= 2;
    for (size_t k = 0; k < n; k++)
      cables->body[k] = mb_row_node(sim->model, cables->kept[i].deformable, cable->node[k]);
    if (!mb_row_set_add(sim, set, cables->body, n, &terms)) return false;
  }
  return true;
}

// With the deformable's nodes at q, and where the step has begun.
static void eval_row(const Cables *cables, const Kept *kept, const double *q, const double *from,
                     MbRowSet *set, size_t s) {
  const MbCable *cable = kept->cable;
  const MbCablePath path = {cable->npoints, cable->first, cable->node};
  MbRow *row = &set->row[s];
  row->g = cable->length - mb_cable_length(&path, q, cables->J);
  row->size = cable->length;
  for (size_t j = 0, k = 0; j < path.npoints; j++)
    for (; k < path.first[j + 1]; k++) {
      const size_t i = 3 * (size_t)path.node[k],
                   b = mb_row_node(cables->model, kept->deformable, path.node[k]);
      double *H = k < 2 ? row->H[k] : set->ends[set->end[s] + k - 2].H, way[3];
      if (k < 2) row->body[k] = b;
      mb_vec3_set(H, 0, 0, 0);
      mb_vec3_scale(H + 3, -1, cables->J + 3 * j);
      mb_vec3_sub(way, q + i, from + i);
      row->g += mb_vec3_dot(cables->J + 3 * j, way);
    }
}

static void eval_rows(void *context, const MbInstant *at, MbRowSet *set, size_t first, size_t n) {
  const Cables *cables = context;
  for (size_t i = 0; i < n; i++) {
    const size_t own = 3 * cables->model->deformables[cables->kept[i].deformable].first;
    const double *q = at->nodes + own, *from = cables->nodes->start.q;
    eval_row(cables, &cables->kept[i], q, from ? from + own : q, set, first + i);
  }
}

// ---- making -----------------------------------------------------------------------------------------------

// The cables of all deformables that keep their length, into `kept` where that is not NULL; how much room the largest of them take.
static size_t find_kept(const MbModel *model, Kept *kept, size_t *nodes, size_t *points) {
  size_t n = 0;
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbElements *e = model->deformables[i].elements;
    for (size_t k = 0; model->deformables[i].points && k < e->ncables; k++) {
      const MbCable *cable = &e->cables[k];
      if (cable->pull != SIZE_MAX) continue;
      if (kept) kept[n] = (Kept){i, cable};
      if (cable->first[cable->npoints] > *nodes) *nodes = cable->first[cable->npoints];
      if (cable->npoints > *points) *points = cable->npoints;
      n++;
    }
  }
  return n;
}

MbStatus mb_nodes_make_cables(MbSim *sim, MbReport *report) {
  size_t nodes = 0, points = 0;
  const size_t n = find_kept(sim->model, NULL, &nodes, &points);
  MbArena *arena = &sim->nodes->arena;
  if (!n) return MB_OK;
  Cables *cables = mb_arena_alloc(arena, 1, sizeof *cables);
  if (!cables) return mb_no_memory(report, "cables");
  *cables = (Cables){.model = sim->model,
                     .nodes = sim->nodes,
                     .n = n,
                     .kept = mb_arena_alloc(arena, n, sizeof *cables->kept),
                     .body = mb_arena_alloc(arena, nodes, sizeof *cables->body),
                     .J = mb_arena_alloc(arena, points, 3 * sizeof *cables->J)};
  if (!cables->kept || !cables->body || !cables->J) return mb_no_memory(report, "cables");
  find_kept(sim->model, cables->kept, &nodes, &points);
  const MbRowSource source = {.name = "cables", .context = cables, .list = list_rows, .eval = eval_rows};
  return mb_rows_add_source(sim, &source, report);
}
