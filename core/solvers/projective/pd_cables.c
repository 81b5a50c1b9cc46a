// Cables run through points c_j, each the mean of some nodes' places; l = Σ |c_{j+1} − c_j|, and with d_j the directions of the
// segments the row J = ∂l/∂q has (d_{j−1} − d_j)/(nodes of the group) at each node of group j. A tension T pulls with −T Jᵀ.
// What keeps its length asks of a correction Δ of the iterate, with B the inverse that made it (times h² where that is A's),
//   l + J (Δ − B Jᵀ T) − most ≤ e T,  T ≥ 0, one of them an equality,
// for all such cables together; Δ with what a caller's rows have pushed in the iteration before, so that where iterations have
// converged cables and rows hold at once:: W T = l + J Δ − most with W = J B Jᵀ + e, by Gauss–Seidel, which converges as W is positive.
#include "core/base/alloc.h"
#include "core/math/vec3.h"
#include "core/solvers/projective/pd_engine.h"

#include <string.h>

enum { SWEEPS = 2000 };
static const double SETTLED = 1e-15, PENALTY = 2;

typedef struct Cable {
  size_t npoints;
  size_t *start;
  uint32_t *node;
  double compliance; // NaN = a given force alone
  double *J;         // (npoints x 3) of a node in each group, at the iterate
  double *y;         // (nfree x 3) B Jᵀ; those that keep their length
  double length;     // at the iterate
} Cable;

struct MbPdCables {
  size_t count, bytes;
  Cable *cable;    // (count)
  double *W;       // (count x count)
  double *gap;     // (count)
  double *tension; // (count) that the lengths ask for
  double *all;     // (count) with the given forces
};

// ---- making and freeing -----------------------------------------------------------------------------------

static bool copy_cable(MbPdEngine *engine, const MbPdCable *from, Cable *to, size_t *bytes) {
  const size_t n = from->npoints, nodes = from->start[n];
  const size_t room = isnan(from->compliance) ? 0 : 3 * engine->nfree;
  *to = (Cable){.npoints = n, .compliance = from->compliance};
  to->start = mb_calloc(n + 1, sizeof *to->start);
  to->node = mb_calloc(nodes, sizeof *to->node);
  to->J = mb_calloc(n, 3 * sizeof *to->J);
  to->y = mb_calloc(room, sizeof *to->y);
  if (!to->start || !to->node || !to->J || !to->y) return false;
  memcpy(to->start, from->start, (n + 1) * sizeof *to->start);
  memcpy(to->node, from->node, nodes * sizeof *to->node);
  *bytes += (n + 1) * sizeof *to->start + nodes * sizeof *to->node + (3 * n + room) * sizeof(double);
  return true;
}

MbPdCables *mb_pd_cables_make(MbPdEngine *engine, const MbPdSpec *spec) {
  const size_t n = spec->ncables;
  MbPdCables *cables = mb_calloc(1, sizeof *cables);
  if (!cables) return NULL;
  cables->bytes = sizeof *cables + n * (sizeof *cables->cable + (n + 3) * sizeof(double));
  cables->cable = mb_calloc(n, sizeof *cables->cable);
  cables->W = mb_calloc(n * n, sizeof *cables->W);
  cables->gap = mb_calloc(n, sizeof *cables->gap);
  cables->tension = mb_calloc(n, sizeof *cables->tension);
  cables->all = mb_calloc(n, sizeof *cables->all);
  bool ok = cables->cable && cables->W && cables->gap && cables->tension && cables->all;
  for (; ok && cables->count < n; cables->count++)
    ok = copy_cable(engine, &spec->cables[cables->count], &cables->cable[cables->count], &cables->bytes);
  if (ok) return cables;
  mb_pd_cables_free(cables);
  return NULL;
}

void mb_pd_cables_free(MbPdCables *cables) {
  if (!cables) return;
  for (size_t k = 0; k < cables->count; k++) {
    mb_free(cables->cable[k].start);
    mb_free(cables->cable[k].node);
    mb_free(cables->cable[k].J);
    mb_free(cables->cable[k].y);
  }
  mb_free(cables->cable);
  mb_free(cables->W);
  mb_free(cables->gap);
  mb_free(cables->tension);
  mb_free(cables->all);
  mb_free(cables);
}

size_t mb_pd_cables_bytes(const MbPdCables *cables) { return cables ? cables->bytes : 0; }

// ---- geometry ---------------------------------------------------------------------------------------------

static void centre(const size_t *start, const uint32_t *node, size_t point, const double *q, double c[3]) {
  const size_t n = start[point + 1] - start[point];
  mb_vec3_set(c, 0, 0, 0);
  for (size_t k = start[point]; k < start[point + 1]; k++) mb_vec3_add(c, c, q + 3 * (size_t)node[k]);
  mb_vec3_scale(c, 1 / (double)n, c);
}

// The length at q; J, where it is not NULL.
static double measure(size_t npoints, const size_t *start, const uint32_t *node, const double *q, double *J) {
  double length = 0, at[3], next[3], d[3];
  if (J) memset(J, 0, 3 * npoints * sizeof *J);
  centre(start, node, 0, q, at);
  for (size_t j = 0; j + 1 < npoints; j++) {
    centre(start, node, j + 1, q, next);
    mb_vec3_sub(d, next, at);
    const double l = mb_vec3_norm(d);
    mb_vec3_copy(at, next);
    length += l;
    if (!J || !(l > 0)) continue;
    for (size_t c = 0; c < 3; c++) J[3 * j + c] -= d[c] / l, J[3 * j + 3 + c] += d[c] / l;
  }
  for (size_t j = 0; J && j < npoints; j++)
    mb_vec3_scale(J + 3 * j, 1 / (double)(start[j + 1] - start[j]), J + 3 * j);
  return length;
}

double mb_pd_cable_length(const MbPdCable *cable, const double *q) {
  return measure(cable->npoints, cable->start, cable->node, q, NULL);
}

// J · x of x (nfree x 3)
static double along(const MbPdEngine *engine, const Cable *cable, const double *x) {
  double sum = 0;
  for (size_t j = 0; j < cable->npoints; j++)
    for (size_t k = cable->start[j]; k < cable->start[j + 1]; k++)
      if (engine->number[cable->node[k]] != MB_NONE)
        sum += mb_vec3_dot(cable->J + 3 * j, x + 3 * (size_t)engine->number[cable->node[k]]);
  return sum;
}

// ---- forces -----------------------------------------------------------------------------------------------

void mb_pd_cables_begin(MbPdEngine *engine) {
  memset(engine->cables->tension, 0, engine->cables->count * sizeof *engine->cables->tension);
}

void mb_pd_cables_pull(MbPdEngine *engine, const double *q, double *f) {
  MbPdCables *cables = engine->cables;
  for (size_t n = 0; n < cables->count; n++) {
    Cable *cable = &cables->cable[n];
    const double force = engine->start->force[n];
    cable->length = measure(cable->npoints, cable->start, cable->node, q, cable->J);
    for (size_t j = 0; j < cable->npoints; j++)
      for (size_t k = cable->start[j]; k < cable->start[j + 1]; k++)
        for (size_t c = 0; c < 3; c++) f[3 * (size_t)cable->node[k] + c] -= force * cable->J[3 * j + c];
  }
}

void mb_pd_cables_hold(const MbPdEngine *engine, double sign, double *x) {
  const MbPdCables *cables = engine->cables;
  for (size_t n = 0; n < cables->count; n++) {
    const Cable *cable = &cables->cable[n];
    const double T = isnan(cable->compliance) ? 0 : sign * cables->tension[n];
    for (size_t j = 0; T != 0 && j < cable->npoints; j++)
      for (size_t k = cable->start[j]; k < cable->start[j + 1]; k++) {
        const uint32_t number = engine->number[cable->node[k]];
        if (number == MB_NONE) continue;
        mb_vec3_add_scaled(x + 3 * (size_t)number, x + 3 * (size_t)number, T, cable->J + 3 * j);
      }
  }
}

// y ← B Jᵀ
static void respond(MbPdEngine *engine, MbPdInverse *inverse, Cable *cable) {
  memset(cable->y, 0, 3 * engine->nfree * sizeof *cable->y);
  for (size_t j = 0; j < cable->npoints; j++)
    for (size_t k = cable->start[j]; k < cable->start[j + 1]; k++) {
      const uint32_t number = engine->number[cable->node[k]];
      if (number != MB_NONE)
        mb_vec3_add(cable->y + 3 * (size_t)number, cable->y + 3 * (size_t)number, cable->J + 3 * j);
    }
  inverse(engine, cable->y);
}

static void solve_tensions(MbPdCables *cables) {
  const size_t n = cables->count;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double change = 0, most = 0;
    for (size_t i = 0; i < n; i++) {
      const double *W = cables->W + n * i;
      double left = cables->gap[i];
      if (!(W[i] > 0)) continue;
      for (size_t j = 0; j < n; j++) left -= W[j] * cables->tension[j];
      const double next = fmax(0, cables->tension[i] + left / W[i]);
      change = fmax(change, fabs(next - cables->tension[i]));
      most = fmax(most, next);
      cables->tension[i] = next;
    }
    if (!(change > SETTLED * most)) return;
  }
}

void mb_pd_cables_correct(MbPdEngine *engine, MbPdInverse *inverse) {
  MbPdCables *cables = engine->cables;
  const size_t n = cables->count;
  const double scale = engine->newton || engine->downhill ? 1 : engine->h * engine->h;
  memset(cables->W, 0, n * n * sizeof *cables->W);
  for (size_t i = 0; i < n; i++) {
    Cable *cable = &cables->cable[i];
    if (isnan(cable->compliance)) continue;
    respond(engine, inverse, cable);
    cables->gap[i] = cable->length + along(engine, cable, engine->r) - engine->start->most[i];
    if (engine->pushed) cables->gap[i] += along(engine, cable, engine->pushed);
  }
  for (size_t i = 0; i < n; i++) {
    if (isnan(cables->cable[i].compliance)) continue;
    for (size_t j = 0; j < n; j++)
      if (!isnan(cables->cable[j].compliance))
        cables->W[n * i + j] = scale * along(engine, &cables->cable[i], cables->cable[j].y);
    cables->W[n * i + i] += cables->cable[i].compliance;
  }
  solve_tensions(cables);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; !isnan(cables->cable[i].compliance) && k < 3 * engine->nfree; k++)
      engine->r[k] -= scale * cables->tension[i] * cables->cable[i].y[k];
}

// ---- what line searches see ------------------------------------------------------------------------------

// Of what keeps its length δ = max(0, l − most): δ²/(2e), or where e = 0 a penalty above any tension, σ δ.
double mb_pd_cables_potential(const MbPdEngine *engine, const double *q) {
  const MbPdCables *cables = engine->cables;
  double sum = 0;
  for (size_t i = 0; i < cables->count; i++) {
    const Cable *cable = &cables->cable[i];
    const double l = measure(cable->npoints, cable->start, cable->node, q, NULL), e = cable->compliance;
    const double over = fmax(0, l - engine->start->most[i]);
    sum += engine->start->force[i] * l;
    if (!isnan(e)) sum += e > 0 ? over * over / (2 * e) : PENALTY * cables->tension[i] * over;
  }
  return sum;
}

double mb_pd_cables_slope(const MbPdEngine *engine) {
  const MbPdCables *cables = engine->cables;
  double sum = 0;
  for (size_t i = 0; i < cables->count; i++) {
    const Cable *cable = &cables->cable[i];
    const double e = cable->compliance, over = fmax(0, cable->length - engine->start->most[i]);
    if (isnan(e) || !(over > 0)) continue;
    sum += (e > 0 ? over / e : PENALTY * cables->tension[i]) * along(engine, cable, engine->r);
  }
  return sum;
}

void mb_pd_cables_end(MbPdEngine *engine) {
  MbPdCables *cables = engine->cables;
  for (size_t i = 0; i < cables->count; i++) cables->all[i] = cables->tension[i] + engine->start->force[i];
}

const double *mb_pd_tensions(const MbPdEngine *engine) { return engine->cables ? engine->cables->all : NULL; }
