#include "core/sim/alike.h"
#include "core/sim/sim_internal.h"

#include <string.h>

// Whether forces other than gravity, which comes and goes with its number, differ in more than numbers.
static bool forces_alike(const MbModel *m, const MbModel *n) {
  size_t i = 0, k = 0;
  for (;; i++, k++) {
    while (i < m->nforces && m->forces[i].ops->inertial) i++;
    while (k < n->nforces && n->forces[k].ops->inertial) k++;
    if (i >= m->nforces || k >= n->nforces) return i >= m->nforces && k >= n->nforces;
    if (m->forces[i].ops != n->forces[k].ops) return false;
  }
}

static bool constraints_alike(const MbModel *m, const MbModel *n) {
  if (m->nslots != n->nslots || m->nconstraints != n->nconstraints) return false;
  for (size_t i = 0; i < m->nconstraints; i++)
    if (m->constraints[i].ops != n->constraints[i].ops) return false;
  return m->nreductions == n->nreductions && m->nfollowers == n->nfollowers;
}

const char *mb_sim_unlike(const MbSim *a, const MbSim *b) {
  const MbModel *m = a->model, *n = b->model;
  if (m->nb != n->nb || m->nlisted != n->nlisted) return "how many bodies there are";
  if (a->nq != b->nq || a->nv != b->nv || a->width != b->width) return "how many coordinates there are";
  if (m->h != n->h || m->steps != n->steps) return "the steps of the run";
  if (m->integrator.kind != n->integrator.kind || strcmp(a->solver->name, b->solver->name) != 0)
    return "the solver or the integrator";
  if (!forces_alike(m, n) || m->npairs != n->npairs || m->ndrives != n->ndrives || m->nstops != n->nstops)
    return "which forces there are";
  if (m->nsignals != n->nsignals) return "which signals there are";
  if (!constraints_alike(m, n)) return "which constraints there are";
  if (m->contacts.nsolids != n->contacts.nsolids) return "what collides";
  if (m->ndeformables != n->ndeformables) return "which deformables there are";
  if (mb_sim_frame_size(a) != mb_sim_frame_size(b)) return "what is told of a frame";
  for (size_t i = 0; i < m->nb; i++)
    if (m->parent[i] != n->parent[i] || m->joint[i].ops != n->joint[i].ops || m->joint[i].n != n->joint[i].n)
      return "which joints there are";
  return NULL;
}
