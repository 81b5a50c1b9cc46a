// Cables that keep their length are rows about the nodes that they run through. A cable of length l(q), L at most, asks of a step's end
//
//   L − l(q⁺) + e T ≥ 0,  T ≥ 0,  one of them an equality
//
// with T its tension and e its compliance. The directions in which it pulls turn with the nodes, so that the rows are made anew in every
// pass: where a pass begins with nodes at q, l is l(q) + J (q⁺ − q), and with the step's start q₀ and v = (q⁺ − q₀)/h
//
//   g − h J v + e T ≥ 0,  g = L − l(q) + J (q − q₀)
//
// And it pulls along other directions at q⁺ than at q: with d a segment between two points and s a direction across it, of length one,
// T pushes back by T/|d| for every metre that its ends part along s. So each segment has two soft rows more, of compliance |d|/T with the T of
// the pass before, which push where a pass moves nodes and nowhere else.
//
// What the nodes feel, −Jᵀ T, is minus the slope of δ²/(2 e), δ = max(0, l − L). So passes that have converged have found the minimum of the
// step's energy with the cables' in it, and where e = 0 the minimum of it among the places at which cables are no longer than they may be.
#include "core/base/report.h"
#include "core/deformables/cable.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/nodes.h"

#include <string.h>

typedef struct Kept {
  size_t deformable;
  const MbCable *cable;
} Kept;

typedef struct Cables {
  const MbSim *sim;
  const MbModel *model;
  const MbNodes *nodes;
  size_t n;
  Kept *kept;         // (n)
  size_t *body;       // (most nodes of a cable) by which rows name them
  double *way;        // (most nodes of a cable x 3) that they have gone in the step
  double *J, *centre; // (most points x 3)
} Cables;

// ---- the source of rows -----------------------------------------------------------------------------------

// The cable's own row, and behind it two for each segment, which are about the nodes of its two points alone.
static bool list_cable(const Cables *cables, size_t i, const MbSim *sim, MbRowSet *set) {
  const MbCable *cable = cables->kept[i].cable;
  const size_t n = cable->first[cable->npoints];
  MbRowTerms terms = {.kind = MB_ROW_ONE_WAY,
                      .anew = true,
                      .alpha = cable->compliance,
                      .target = true,
                      .two_bodies = n <= 2,
                      .name = "cable",
                      .key = i,
                      .claimed = MB_WORLD};
  for (size_t k = 0; k < n; k++)
    cables->body[k] = mb_row_node(sim->model, cables->kept[i].deformable, cable->node[k]);
  if (!mb_row_set_add(sim, set, cables->body, n, &terms)) return false;
  terms.kind = MB_ROW_BOTH_WAYS, terms.alpha = INFINITY;
  for (size_t j = 0; j + 1 < cable->npoints; j++) {
    const size_t first = cable->first[j], count = cable->first[j + 2] - first;
    terms.two_bodies = count <= 2;
    if (!mb_row_set_add(sim, set, cables->body + first, count, &terms) || !mb_row_set_add_beside(set, &terms))
      return false;
  }
  return true;
}

static bool list_rows(void *context, const MbSim *sim, MbRowSet *set) {
  const Cables *cables = context;
  bool fine = true;
  for (size_t i = 0; fine && i < cables->n; i++) fine = list_cable(cables, i, sim, set);
  return fine;
}

// Writes the row s, which pushes the nodes of each of the points [begin, end) by `along` of that point, and adds to its g what its rate has
// made of it since the start.
static void write_row(const Cables *cables, const Kept *kept, size_t begin, size_t end, const double *along,
                      const double *way, MbRowSet *set, size_t s) {
  const MbCable *cable = kept->cable;
  const size_t first = cable->first[begin];
  MbRow *row = &set->row[s];
  row->size = cable->length;
  for (size_t j = begin, k = first; j < end; j++)
    for (; k < cable->first[j + 1]; k++) {
      const size_t place = k - first;
      double *H = place < 2 ? row->H[place] : set->ends[set->end[s] + place - 2].H;
      if (place < 2) row->body[place] = mb_row_node(cables->model, kept->deformable, cable->node[k]);
      mb_vec3_set(H, 0, 0, 0);
      mb_vec3_copy(H + 3, along + 3 * j);
      row->g -= mb_vec3_dot(along + 3 * j, way + 3 * k);
    }
}

// Two directions across the unit vector d and one another.
static void find_sides(const double d[3], double a[3], double b[3]) {
  size_t least = 0;
  for (size_t k = 1; k < 3; k++)
    if (fabs(d[k]) < fabs(d[least])) least = k;
  mb_vec3_set(a, 0, 0, 0);
  a[least] = 1;
  mb_vec3_cross(b, d, a);
  mb_vec3_scale(b, 1 / mb_vec3_norm(b), b);
  mb_vec3_cross(a, b, d);
}

// Both rows of the segment behind point j, under tension T, which has begun at `from`.
static void write_segment(const Cables *cables, const Kept *kept, size_t j, double T, const double *way,
                          MbRowSet *set, size_t s) {
  const MbCable *cable = kept->cable;
  double d[3], side[2][3];
  mb_vec3_sub(d, cables->centre + 3 * j + 3, cables->centre + 3 * j);
  const double length = mb_vec3_norm(d);
  const bool pulls = T > 0 && length > 0;
  if (pulls)
    mb_vec3_scale(d, 1 / length, d);
  else
    mb_vec3_set(d, 1, 0, 0);
  find_sides(d, side[0], side[1]);
  for (size_t k = 0; k < 2; k++) {
    for (size_t end = 0; end < 2; end++)
      mb_vec3_scale(cables->J + 3 * (j + end),
                    (end ? 1.0 : -1.0) / (double)(cable->first[j + end + 1] - cable->first[j + end]),
                    side[k]);
    write_row(cables, kept, j, j + 2, cables->J, way, set, s + k);
    set->is[s + k].alpha = pulls ? length / T : INFINITY;
  }
}

// The rows from s on of a cable with its deformable's nodes at q, where the step has begun with them at `from`; returns how many they are.
static size_t write_cable(const Cables *cables, const Kept *kept, const double *q, const double *from,
                          MbRowSet *set, size_t s) {
  const MbCable *cable = kept->cable;
  const MbCablePath path = {cable->npoints, cable->first, cable->node};
  const double T = cables->sim->constraining->force[s];
  for (size_t k = 0; k < cable->first[cable->npoints]; k++) {
    const size_t i = 3 * (size_t)cable->node[k];
    mb_vec3_sub(cables->way + 3 * k, q + i, from + i);
  }
  set->row[s].g = cable->length - mb_cable_length(&path, q, cables->J);
  for (size_t c = 0; c < 3 * cable->npoints; c++) cables->J[c] = -cables->J[c];
  write_row(cables, kept, 0, cable->npoints, cables->J, cables->way, set, s);
  for (size_t j = 0; j < cable->npoints; j++) mb_cable_point(&path, j, q, cables->centre + 3 * j);
  for (size_t j = 0; j + 1 < cable->npoints; j++)
    write_segment(cables, kept, j, T, cables->way, set, s + 1 + 2 * j);
  return 1 + 2 * (cable->npoints - 1);
}

static void eval_rows(void *context, const MbInstant *at, MbRowSet *set, size_t first, size_t n) {
  const Cables *cables = context;
  size_t s = first;
  for (size_t i = 0; s < first + n; i++) {
    const size_t own = 3 * cables->model->deformables[cables->kept[i].deformable].first;
    const double *q = at->nodes + own, *from = cables->nodes->start.q;
    s += write_cable(cables, &cables->kept[i], q, from ? from + own : q, set, s);
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
  *cables = (Cables){.sim = sim,
                     .model = sim->model,
                     .nodes = sim->nodes,
                     .n = n,
                     .kept = mb_arena_alloc(arena, n, sizeof *cables->kept),
                     .body = mb_arena_alloc(arena, nodes, sizeof *cables->body),
                     .way = mb_arena_alloc(arena, nodes, 3 * sizeof *cables->way),
                     .J = mb_arena_alloc(arena, points, 3 * sizeof *cables->J),
                     .centre = mb_arena_alloc(arena, points, 3 * sizeof *cables->centre)};
  if (!cables->kept || !cables->body || !cables->way || !cables->J || !cables->centre)
    return mb_no_memory(report, "cables");
  find_kept(sim->model, cables->kept, &nodes, &points);
  const MbRowSource source = {.name = "cables", .context = cables, .list = list_rows, .eval = eval_rows};
  return mb_rows_add_source(sim, &source, report);
}
