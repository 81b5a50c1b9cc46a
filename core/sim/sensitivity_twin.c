// Steps of deformables that solver "projective" moves by quasi-Newton steps or local-global iterations, to an end, are the least of the same energy as those by Newton's method, and so have the same
// derivatives: those of a twin, a model with Newton's method in the place of the run's. Values that are told are the twin's, too. The run itself goes on beside, from its own state and by its own method: where its nodes or
// bodies come to lie farther from the twin's than derivatives of a millionth bear, its steps have not come to their end, or to another one, and there is an error.
#include "core/sim/sensitivity_twin.h"
#include "core/base/report.h"
#include "core/sim/nodes.h"

#include <math.h>
#include <string.h>

static const double TIGHT = 1e-10; // of the size: what is asked for

// Whether a model's nodes may be moved by another method than Newton's, to the end of each step.
static bool may_have_twin(const MbModel *model) {
  return mb_model_points(model) > 0 && model->integrator.kind != MB_STATIC &&
         model->solver.method != MB_METHOD_NEWTON;
}

// Says what runs of other methods have to ask for.
static MbStatus refuse(MbReport *report) {
  return mb_error(
      report, MB_SCENE, "",
      "there are derivatives of deformables under solver \"projective\" only where each step is solved "
      "to its end: take \"method\": \"newton\", or for others a \"tolerance\" of 1e-10 or less, with "
      "as many \"iterations\" as that takes and no \"energy_tolerance\"");
}

// The same model under Newton's method, to the end of each step; NULL: out of memory.
static const MbModel *twin_of(MbArena *arena, const MbModel *model) {
  MbModel *twin = mb_arena_alloc(arena, 1, sizeof *twin);
  if (!twin) return NULL;
  *twin = *model;
  twin->solver.method = MB_METHOD_NEWTON;
  twin->solver.iterations = 0, twin->solver.tolerance = 0, twin->solver.energy_tolerance = NAN;
  return twin;
}

// Takes twins of both sides of each number.
static MbStatus make_numbers(MbSensitivity *g, MbReport *report) {
  MbSensitivityNumber *numbers = mb_arena_alloc(&g->arena, g->count + 1, sizeof *numbers);
  if (!numbers) return mb_no_memory(report, "derivatives");
  for (size_t k = 0; k < g->count; k++) {
    numbers[k] = g->number[k];
    numbers[k].less = twin_of(&g->arena, g->number[k].less);
    numbers[k].more = twin_of(&g->arena, g->number[k].more);
    if (!numbers[k].less || !numbers[k].more) return mb_no_memory(report, "derivatives");
  }
  g->number = numbers;
  return MB_OK;
}

MbStatus mb_twin_make(MbSensitivity *g, const MbModel **model, MbReport *report) {
  if (!may_have_twin(*model)) return MB_OK;
  MbReport own = {0};
  const MbStatus status = mb_sim_create(*model, NULL, &g->own, &own);
  if (status != MB_OK) {
    *report = own;
    return status;
  }
  const MbNodePlan plan = g->own->solver->passes->plan(*model);
  if (plan.to_end) { // which the scene has not said
    mb_sim_free(g->own);
    g->own = NULL;
    return MB_OK;
  }
  if (plan.share > 0 || !(plan.tolerance > 0) || plan.tolerance > TIGHT) return refuse(report);
  const MbModel *twin = twin_of(&g->arena, *model);
  if (!twin) return mb_no_memory(report, "derivatives");
  *model = twin;
  return make_numbers(g, report);
}

void mb_twin_free(MbSensitivity *g) { mb_sim_free(g->own); }

// The larger of two, and what is no number where one is.
static double more(double a, double b) { return a >= b ? a : b >= a ? b : NAN; }

// How far nodes of one deformable are apart at most, of its size, which *size is the largest of.
static double nodes_apart(const double *x, const double *y, size_t n, double *size) {
  double most = 0, low[3], high[3], own = 0;
  memcpy(low, x, sizeof low), memcpy(high, x, sizeof high);
  for (size_t c = 0; c < 3 * n; c++) {
    most = more(most, fabs(x[c] - y[c]));
    low[c % 3] = fmin(low[c % 3], x[c]), high[c % 3] = fmax(high[c % 3], x[c]);
  }
  for (int k = 0; k < 3; k++) own = fmax(own, high[k] - low[k]);
  *size = fmax(*size, own);
  return own > 0 ? most / own : most;
}

// How far bodies are apart at most, of a size; what turns, of half a turn.
static double bodies_apart(const MbSim *one, const MbSim *other, double size) {
  double most = 0;
  for (size_t b = 0; b < one->model->nlisted; b++) {
    const MbPose *x = &one->x.E[b], *y = &other->x.E[b];
    double same = 0, across = 0;
    for (int k = 0; k < 3; k++) most = more(most, fabs(x->p[k] - y->p[k]) / (size > 0 ? size : 1));
    for (int k = 0; k < 4; k++)
      same = more(same, fabs(x->q[k] - y->q[k])), across = more(across, fabs(x->q[k] + y->q[k]));
    most = more(most, same <= across ? same : across);
  }
  return most;
}

// How far the two are apart at most: nodes of each deformable, and bodies, of the largest one's size.
static double apart(const MbSim *one, const MbSim *other) {
  const MbModel *model = one->model;
  double most = 0, size = 0;
  for (size_t i = 0; i < model->ndeformables; i++) {
    const MbDeformable *of = &model->deformables[i];
    if (!of->points || !of->count) continue;
    const double *x = mb_nodes_places(one) + 3 * of->first, *y = mb_nodes_places(other) + 3 * of->first;
    most = more(most, nodes_apart(x, y, of->count, &size));
  }
  return more(most, bodies_apart(one, other, size));
}

MbStatus mb_twin_step(MbSensitivity *g, MbReport *report) {
  static const double FAR = 1e-8; // of the size: derivatives are off by about as much
  MbSim *own = g->own;
  if (!own || own->state.step >= g->sim->state.step) return MB_OK;
  const MbStatus status = mb_sim_step(own, report);
  if (status != MB_OK) return status;
  const double left = apart(own, g->sim);
  if (left <= FAR) return MB_OK;
  return mb_error(
      report, MB_NUMBERS, "",
      "at t = %.9g s, step %lld: what moves is %.2g of a deformable's size from where steps that are solved "
      "to "
      "their end lead: there is no derivative; take a smaller \"tolerance\", more \"iterations\", or "
      "\"method\": \"newton\"",
      own->state.t, (long long)own->state.step, left);
}
