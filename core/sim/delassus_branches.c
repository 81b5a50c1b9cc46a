// Rows about nodes that have branches: what a row is about is often a point between nodes, of a triangle or an edge, and all rows of a contact are about
// the same one. Σ w_k x_k of nodes k has the branch Σ w_k s_k, hardly longer than one of theirs, and takes the place of the nodes.
#include "core/base/alloc.h"
#include "core/math/vec3.h"
#include "core/sim/delassus.h"

#include <math.h>
#include <string.h>

void mb_delassus_joints_free(MbDelassusJoints *of) {
  void *const all[] = {of->joint,  of->branch, of->self,  of->table, of->run,
                       of->number, of->first,  of->point, of->H};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mb_free(all[i]);
}

size_t mb_delassus_joints_bytes(const MbDelassusJoints *of) {
  return of->joint_room * sizeof *of->joint + of->branch_room * sizeof *of->branch +
         of->run_room * sizeof *of->run + of->first_room * sizeof *of->first +
         of->point_room * sizeof *of->point +
         (of->self_room + of->table_room + of->number_room + of->H_room) * sizeof(double);
}

// The weights with which a row's ends, n of them, have one vector in common; false where they have none.
static bool weights_of(const double *H, size_t n, double weight[MB_POINT_ENDS], double common[3]) {
  static const double ROUNDING = 1e-14;
  size_t most = 0;
  for (size_t k = 1; k < n; k++)
    if (mb_vec3_dot(H + 3 * k, H + 3 * k) > mb_vec3_dot(H + 3 * most, H + 3 * most)) most = k;
  const double square = mb_vec3_dot(H + 3 * most, H + 3 * most);
  if (!(square > 0)) return false;
  mb_vec3_copy(common, H + 3 * most);
  for (size_t k = 0; k < n; k++) {
    double off[3];
    weight[k] = mb_vec3_dot(H + 3 * k, common) / square;
    mb_vec3_add_scaled(off, H + 3 * k, -weight[k], common);
    if (mb_vec3_dot(off, off) > ROUNDING * ROUNDING * square) return false;
  }
  return true;
}

// Whether a row's ends have the weights of a joint; its vector.
static bool has_weights(const MbPointSum *joint, const double *H, double common[3]) {
  static const double ROUNDING = 1e-14;
  size_t most = 0;
  for (size_t k = 1; k < joint->n; k++)
    if (fabs(joint->weight[k]) > fabs(joint->weight[most])) most = k;
  mb_vec3_scale(common, 1 / joint->weight[most], H + 3 * most);
  for (size_t k = 0; k < joint->n; k++) {
    double off[3];
    mb_vec3_add_scaled(off, H + 3 * k, -joint->weight[k], common);
    if (mb_vec3_dot(off, off) > ROUNDING * ROUNDING * mb_vec3_dot(common, common)) return false;
  }
  return true;
}

// Finds the joints of row i, of *count that rows have so far. Rows of a contact, which follow one another, share a joint.
static bool take_row(MbDelassus *d, size_t i, size_t *count) {
  MbDelassusJoints *of = &d->joints;
  const size_t from = d->first[i], to = d->first[i + 1];
  const MbPointSum *last = of->njoints && of->last + 1 == i ? &of->joint[of->njoints - 1] : NULL;
  MbPointSum joint = {.n = (uint32_t)(to - from)};
  double common[3];
  const double *H = d->H + 3 * from;
  if (from == to) return true; // it is about bodies alone
  memcpy(joint.node, d->point + from, joint.n * sizeof *joint.node);
  const bool same = last && last->n == joint.n &&
                    !memcmp(last->node, joint.node, joint.n * sizeof *joint.node) &&
                    has_weights(last, H, common);
  if (!same && !weights_of(H, joint.n, joint.weight, common)) {
    for (size_t e = from; e < to; e++) {
      if (!mb_grow(&of->joint, &of->joint_room, of->njoints + 1, sizeof *of->joint)) return false;
      of->joint[of->njoints] = (MbPointSum){.n = 1, .node = {d->point[e]}, .weight = {1}};
      mb_vec3_copy(of->H + 3 * *count, d->H + 3 * e);
      of->point[(*count)++] = (uint32_t)of->njoints++;
    }
    return true;
  }
  if (!same) {
    if (!mb_grow(&of->joint, &of->joint_room, of->njoints + 1, sizeof *of->joint)) return false;
    of->joint[of->njoints++] = joint;
  }
  of->last = i;
  mb_vec3_copy(of->H + 3 * *count, common);
  of->point[(*count)++] = (uint32_t)of->njoints - 1;
  return true;
}

// How many runs and numbers the joints take. Those of one node have their own too: sweeps go through the numbers as they stand in memory, which takes
// half the time that it takes where those of each node stand somewhere else.
static size_t measure(const MbDelassusJoints *of, const MbBranch *branch, size_t *numbers) {
  size_t runs = 0;
  *numbers = 0;
  for (size_t j = 0; j < of->njoints; j++) {
    const MbBranch *term[MB_POINT_ENDS];
    size_t length;
    for (size_t k = 0; k < of->joint[j].n; k++) term[k] = &branch[of->joint[j].node[k]];
    runs += mb_branch_join(term, of->joint[j].n, NULL, &length);
    *numbers += length;
  }
  return runs;
}

static void fill(MbDelassusJoints *of, const MbBranch *branch) {
  MbStretch *run = of->run;
  double *number = of->number;
  for (size_t j = 0; j < of->njoints; j++) {
    const MbPointSum *joint = &of->joint[j];
    const MbBranch *term[MB_POINT_ENDS];
    size_t length;
    for (size_t k = 0; k < joint->n; k++) term[k] = &branch[joint->node[k]];
    const size_t nruns = mb_branch_join(term, joint->n, run, &length);
    of->branch[j] = (MbBranch){.run = run, .s = number, .nruns = (uint32_t)nruns};
    mb_branch_sum(term, joint->weight, joint->n, &of->branch[j], number);
    of->self[j] = mb_branch_dot(&of->branch[j], &of->branch[j]);
    run += nruns, number += length;
  }
}

bool mb_delassus_join(MbDelassus *d) {
  MbDelassusJoints *of = &d->joints;
  const size_t n = d->n, ends = d->first[n];
  size_t count = 0;
  if (!mb_grow(&of->first, &of->first_room, n + 1, sizeof *of->first) ||
      !mb_grow(&of->point, &of->point_room, ends, sizeof *of->point) ||
      !mb_grow(&of->H, &of->H_room, 3 * ends, sizeof *of->H))
    return false;
  of->njoints = of->first[0] = 0;
  of->summed = false;
  for (size_t i = 0; i < n; i++) {
    if (!take_row(d, i, &count)) return false;
    of->first[i + 1] = count;
  }
  return true;
}

bool mb_delassus_sum(MbDelassus *d, const MbBranch *branch) {
  MbDelassusJoints *of = &d->joints;
  const bool few = of->njoints <= MB_POINTS_FEW;
  size_t numbers;
  if (of->summed) return true;
  const size_t runs = measure(of, branch, &numbers);
  if (!mb_grow(&of->branch, &of->branch_room, of->njoints, sizeof *of->branch) ||
      !mb_grow(&of->self, &of->self_room, of->njoints, sizeof *of->self) ||
      (few && !mb_grow(&of->table, &of->table_room, of->njoints * of->njoints, sizeof *of->table)) ||
      !mb_grow(&of->run, &of->run_room, runs, sizeof *of->run) ||
      !mb_grow(&of->number, &of->number_room, numbers, sizeof *of->number))
    return false;
  fill(of, branch);
  of->tabled = false;
  return of->summed = true;
}
