// Equilibrium of deformables of elements: nodes at rest where what elements store less gravity's work is least, E. Steps of Newton's
// method on
//
//   ½ H⁻² (q − q₀)ᵀ M (q − q₀) + E(q)
//
// from places q₀ at rest go down in E however long H is; H begins at what gravity takes to move nodes by their size, and grows tenfold
// from step to step, until M does not count and q stays where it is. So the way goes down to a minimum near by, and no node is thrown
// far where nothing but gravity pulls at first, as in a sheet that is flat.
//
// M/H² is (h/H)² M/h²: the steps are of the scene's length h, and inertia is what falls. Where cables keep their length rows are solved
// for in every iteration, as in a step with bodies (scheme_coupled.c); the bodies are at rest. Points that hang on cables alone have nothing
// but M in the matrix, and what rows do to one another, W, grows with H² until rounding of it is more than the cables' compliance
// beside it. So there H stays where M is a ten-thousandth of what gravity's pull on hanging points is stiff by: a step leaves as
// much of what it moves, and they go on until they move no more.
//
// Load step j of n has pins and cables as they are at t − h + j h/n; in the first step of a run gravity and pressure come on in as many parts.
#include "core/base/report.h"
#include "core/math/vec3.h"
#include "core/sim/constrain.h"
#include "core/sim/evaluate.h"
#include "core/sim/nodes.h"

#include <string.h>

enum { LONGER = 60 };

// The extent of the nodes, m.
static double extent(const MbSim *sim) {
  const double *q = mb_nodes_places(sim);
  double squared = 0;
  for (size_t c = 0; c < 3; c++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < sim->nodes->n; i++) low = fmin(low, q[3 * i + c]), high = fmax(high, q[3 * i + c]);
    squared += (high - low) * (high - low);
  }
  return sqrt(squared);
}

static double largest(const double *x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static MbStatus not_found(const MbSim *sim, double t, MbReport *report) {
  const MbNodes *nodes = sim->nodes;
  size_t worst = 0, i = 0;
  for (size_t c = 0; c < 3 * nodes->n; c++)
    if (fabs(nodes->v1[c]) > fabs(nodes->v1[worst])) worst = c;
  while (i + 1 < sim->model->ndeformables && worst / 3 >= sim->model->deformables[i + 1].first) i++;
  const MbDeformable *of = &sim->model->deformables[i];
  return mb_error(
      report, MB_NUMBERS, "",
      "at t = %.9g s, step %lld: \"static\" has found no equilibrium: node %zu of \"%s\" still moves; is it "
      "held against what pulls at it? Else take more \"load_steps\"",
      t, (long long)sim->state.step + 1, worst / 3 - of->first, of->name);
}

// One iteration of a step with rows; v are the velocities of all.
static bool iterate(MbSim *sim, double *v, MbStatus *status, MbReport *report) {
  const MbPassOps *passes = sim->solver->passes;
  double *impulse = sim->s;
  mb_constrain_anew(sim);
  memset(impulse, 0, sim->width * sizeof *impulse);
  memset(v, 0, sim->width * sizeof *v);
  if (!passes->pass(sim->work, impulse, v)) return false;
  *status = mb_constrain_nodes(sim, v, report);
  if (*status != MB_OK) return true;
  memset(impulse, 0, sim->width * sizeof *impulse);
  mb_constrain_impulses(sim, impulse);
  memset(impulse, 0, sim->nv * sizeof *impulse); // bodies stay where they are
  return passes->end_pass(sim->work, v, impulse, mb_constrain_forces(sim));
}

// A step where rows are about nodes.
static bool step_with_rows(MbSim *sim, MbStatus *status, MbReport *report) {
  const MbPassOps *passes = sim->solver->passes;
  const double h = sim->model->h;
  size_t blame;
  if (!sim->solver->factor(sim->work, &sim->x, 0, h * h, false, &blame)) return false;
  passes->begin(sim->work, &sim->nodes->start);
  bool fine = true;
  while (fine && *status == MB_OK && passes->goes_on(sim->work)) fine = iterate(sim, sim->v1, status, report);
  if (fine && *status == MB_OK) fine = passes->end(sim->work, sim->nodes->q1, sim->nodes->v1, sim->v1);
  memset(sim->v1, 0, sim->width * sizeof *sim->v1);
  return fine;
}

// One load step from places q1, which it moves.
static MbStatus settle(MbSim *sim, double t, double size, MbReport *report) {
  static const double LONG = 1e4, LONG_TIED = 1e2; // times as long as H is at first
  const MbPassOps *passes = sim->solver->passes;
  MbNodes *nodes = sim->nodes;
  const double g = mb_vec3_norm(sim->model->gravity), tolerance = sim->model->integrator.tolerance;
  const double h = sim->model->h, first = g > 0 ? sqrt(size / g) : h;
  const bool rows = passes->tied(sim->work);
  const double enough = (rows ? LONG_TIED : LONG) * first;
  double H = first;
  for (int k = 0; k < LONGER; k++, H = rows ? fmin(10 * H, enough) : 10 * H) {
    nodes->start.q = nodes->q1, nodes->start.v = nodes->v1;
    passes->take_inertia(sim->work, h * h / (H * H));
    memset(nodes->v1, 0, 3 * nodes->n * sizeof *nodes->v1);
    MbStatus status = MB_OK;
    const bool fine = rows ? step_with_rows(sim, &status, report)
                           : passes->step(sim->work, &nodes->start, nodes->q1, nodes->v1);
    if (status != MB_OK) return status;
    const double move = fine ? h * largest(nodes->v1, 3 * nodes->n) : INFINITY;
    if (!(move < 1e3 * size)) return not_found(sim, t, report);
    status = mb_nodes_judge(sim, fine, t, report);
    if (status != MB_OK) return status;
    if (move <= tolerance && H >= enough) return MB_OK;
  }
  return not_found(sim, t, report);
}

MbStatus mb_nodes_settle(MbSim *sim, double t, MbReport *report) {
  MbNodes *nodes = sim->nodes;
  const double h = sim->model->h, size = fmax(extent(sim), 1e-3);
  const int steps = sim->model->integrator.load_steps > 0 ? sim->model->integrator.load_steps : 1;
  MbStatus status = MB_OK;
  memcpy(nodes->q1, mb_nodes_places(sim), 3 * nodes->n * sizeof *nodes->q1);
  for (int j = 1; j <= steps && status == MB_OK; j++) {
    const double share = (double)j / steps;
    status = mb_nodes_prepare(sim, t - h + h * share, report);
    mb_vec3_scale(nodes->gravity, sim->state.step > 0 ? 1 : share, sim->model->gravity);
    nodes->start.gravity = nodes->gravity;
    for (size_t i = 0; i < sim->model->ndeformables && sim->state.step == 0; i++)
      nodes->load[i].pressure *= share;
    if (status == MB_OK) status = settle(sim, t, size, report);
  }
  memset(nodes->v1, 0, 3 * nodes->n * sizeof *nodes->v1);
  return status;
}
