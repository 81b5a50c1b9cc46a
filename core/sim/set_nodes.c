// The state of deformables' nodes from outside. A node is a body of the model, on a joint along the axes that nothing holds; or, under the
// projective solver, a point among the sections of the state's memory, and a body as well where rows are about it (a port).
#include "core/base/report.h"
#include "core/math/vec3.h"
#include "core/sim/nodes.h"
#include "core/sim/set_state.h"

#include <math.h>
#include <string.h>

static const MbDeformable *find(const MbModel *model, const char *name) {
  for (size_t i = 0; i < model->ndeformables; i++)
    if (!strcmp(model->deformables[i].name, name)) return &model->deformables[i];
  return NULL;
}

size_t mb_model_nodes_of(const MbModel *model, const char *deformable) {
  const MbDeformable *of = find(model, deformable);
  return of ? of->count : 0;
}

static MbStatus find_for(const MbModel *model, const char *name, const MbDeformable **of, MbReport *report) {
  *of = find(model, name);
  return *of ? MB_OK : mb_error(report, MB_USAGE, "", "there is no deformable \"%s\" in the scene", name);
}

// ---- reading ----------------------------------------------------------------------------------------------

static void get(const MbSim *sim, const MbDeformable *of, size_t k, double x[3], double v[3]) {
  if (of->points) {
    mb_vec3_copy(x, mb_nodes_places(sim) + 3 * (of->first + k));
    mb_vec3_copy(v, mb_nodes_velocities(sim) + 3 * (of->first + k));
    return;
  }
  const size_t b = of->first + k;
  mb_vec3_copy(x, sim->x.E[b].p);
  mb_quat_rotate(v, sim->x.E[b].q, sim->x.phi + 6 * b + 3);
}

MbStatus mb_sim_get_nodes(const MbSim *sim, const char *deformable, double *x, double *v, MbReport *report) {
  const MbDeformable *of;
  const MbStatus status = find_for(sim->model, deformable, &of, report);
  for (size_t k = 0; status == MB_OK && k < of->count; k++) {
    double at[3], rate[3];
    get(sim, of, k, at, rate);
    if (x) mb_vec3_copy(x + 3 * k, at);
    if (v) mb_vec3_copy(v + 3 * k, rate);
  }
  return status;
}

// ---- setting ----------------------------------------------------------------------------------------------

static MbStatus check(const MbDeformable *of, const double *numbers, const char *what, MbReport *report) {
  for (size_t c = 0; numbers && c < 3 * of->count; c++)
    if (!isfinite(numbers[c]))
      return mb_error(report, MB_USAGE, "",
                      "the %s of node %zu of \"%s\" along %c is %g, wanted a finite number", what, c / 3,
                      of->name, (int)('x' + c % 3), mb_plain(numbers[c]));
  return MB_OK;
}

// Along the axes of the node's joint, which are the world's; of those that nothing holds.
static void give_body(const MbModel *model, MbGiven *given, size_t b, const double *x, const double *v) {
  const MbJoint *joint = &model->joint[b];
  for (size_t axis = 0; axis < joint->n; axis++) {
    if (x) given->model_q[model->q_first[b] + axis] = x[joint->order[axis]];
    if (v) given->model_v[model->v_first[b] + axis] = v[joint->order[axis]];
  }
}

// Writes numbers (count x 3) but where pins or bodies have the node.
static void give_points(const MbDeformable *of, const double *numbers, double *to) {
  const MbElements *e = of->elements;
  size_t pinned = 0, attached = 0; // both lists ascend
  for (size_t k = 0; k < of->count; k++) {
    unsigned held = 0;
    while (pinned < e->npinned && e->pinned[pinned].node < k) pinned++;
    while (attached < e->nattached && e->attached[attached].node < k) attached++;
    if (pinned < e->npinned && e->pinned[pinned].node == k) held = e->pinned[pinned].axes;
    if (attached < e->nattached && e->attached[attached].node == k) held = 7;
    for (size_t axis = 0; axis < 3; axis++)
      if (!(held >> axis & 1)) to[3 * k + axis] = numbers[3 * k + axis];
  }
}

static void give(MbSim *sim, const MbDeformable *of, const double *x, const double *v, MbGiven *given) {
  for (size_t k = 0; k < of->count; k++) {
    const size_t b = !of->points ? of->first + k : of->port ? of->port[k] : SIZE_MAX;
    if (b != SIZE_MAX) give_body(sim->model, given, b, x ? x + 3 * k : NULL, v ? v + 3 * k : NULL);
  }
  if (!of->points) return;
  mb_away_changed(sim);
  double *const memory = mb_section(sim, MB_SECTION_NODES);
  if (x) give_points(of, x, memory + 3 * of->first);
  if (v) give_points(of, v, memory + 3 * (sim->nodes->n + of->first));
  mb_nodes_set_out(sim);
}

MbStatus mb_sim_set_nodes(MbSim *sim, const char *deformable, const double *x, const double *v,
                          MbReport *report) {
  const MbDeformable *of;
  MbStatus status = find_for(sim->model, deformable, &of, report);
  if (status == MB_OK) status = check(of, x, "place", report);
  if (status == MB_OK) status = check(of, v, "velocity", report);
  if (status == MB_OK) status = mb_given_velocities(sim, v, report);
  if (status != MB_OK) return status;
  MbGiven given;
  status = mb_given_begin(sim, &given, report);
  if (status == MB_OK) {
    give(sim, of, x, v, &given);
    status = mb_given_end(sim, &given, report);
  }
  mb_given_free(&given);
  return status;
}
