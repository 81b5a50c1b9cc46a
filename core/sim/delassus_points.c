// W of rows about nodes in a step's passes, with what the solver couples them by, and about bodies that nothing else couples: the parts of
// contact_points.h, of which W need not be formed.
#include "core/base/alloc.h"
#include "core/contact/contact_elsewhere.h"
#include "core/sim/claims.h"
#include "core/sim/delassus.h"
#include "core/sim/sim_internal.h"

#include <string.h>

void mb_delassus_points_free(MbDelassus *d) {
  void *const all[] = {d->first, d->point, d->H, d->V, d->NV, d->scratch, d->pair, d->kept.row};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mb_free(all[i]);
  mb_delassus_joints_free(&d->joints);
}

size_t mb_delassus_points_bytes(const MbDelassus *d) {
  return (d->first_room + d->pair_room + d->kept.room) * sizeof *d->first + d->point_room * sizeof *d->point +
         (d->H_room + d->V_room + d->NV_room + d->scratch_room) * sizeof(double) +
         mb_delassus_joints_bytes(&d->joints);
}

// The bodies and nodes of a row, and its numbers for each: those that it names, then the further ones.
typedef struct Ends {
  size_t n, body[2 + MB_POINT_ENDS];
  const double *H[2 + MB_POINT_ENDS];
} Ends;

static bool ends_of(const MbRowSet *set, size_t s, Ends *ends) {
  const MbRow *row = &set->row[s];
  ends->n = 0;
  if (row->c[0] != 0 || row->c[1] != 0 || set->end[s + 1] - set->end[s] > MB_POINT_ENDS) return false;
  for (size_t k = 0; k < 2; k++)
    if (row->body[k] != MB_WORLD) ends->body[ends->n] = row->body[k], ends->H[ends->n++] = row->H[k];
  for (size_t k = set->end[s]; k < set->end[s + 1]; k++)
    ends->body[ends->n] = set->ends[k].body, ends->H[ends->n++] = set->ends[k].H;
  return true;
}

// Writes the ends of row i at nodes, and its bodies, two at most, which have six velocities of their own; *bodies: there are some. False: it
// is of another kind.
static bool add_row(MbSim *sim, MbDelassus *d, size_t i, bool *bodies) {
  const MbPassOps *passes = sim->solver->passes;
  size_t count = d->first[i], found = 0, *body = d->pair + 2 * i;
  Ends ends;
  body[0] = body[1] = MB_WORLD;
  if (!ends_of(d->set, d->row[i], &ends)) return false;
  for (size_t k = 0; k < ends.n; k++) {
    const size_t node = passes->listed(sim->work, ends.body[k]);
    if (node == MB_WORLD) {
      if (found == 2 || !mb_delassus_is_apart(sim->model, ends.body[k])) return false;
      body[found++] = ends.body[k];
      *bodies = true;
      continue;
    }
    if (count - d->first[i] == MB_POINT_ENDS) return false;
    d->point[count] = (uint32_t)node;
    memcpy(d->H + 3 * count++, ends.H[k] + 3, 3 * sizeof *d->H);
  }
  d->first[i + 1] = count;
  return true;
}

// V = U of the row, and V N.
static void weigh_row(MbSim *sim, MbDelassus *d, size_t i, const MbNodeCoupling *coupling, bool bodies) {
  const MbRowSet *set = d->set;
  const size_t s = d->row[i], m = coupling->weights, first = d->first[i], n = d->first[i + 1] - first;
  double *V = d->V + m * i, *NV = d->NV + m * i;
  size_t node[MB_POINT_ENDS];
  for (size_t k = 0; k < n; k++) node[k] = d->point[first + k];
  if (bodies) mb_row_spread(set, s, 1, d->y);
  sim->solver->passes->weigh(sim->work, bodies ? d->y : NULL, n, node, d->H + 3 * first, V);
  for (size_t k = set->first[s]; k < set->first[s + 1] && bodies; k++) d->y[set->index[k]] = 0;
  for (size_t k = 0; k < m; k++) {
    NV[k] = 0;
    for (size_t l = 0; l < m; l++) NV[k] += coupling->N[m * k + l] * V[l];
  }
}

static bool reserve(MbSim *sim, MbDelassus *d, size_t n, const MbNodeCoupling *coupling) {
  const size_t m = coupling->weights, few = MB_POINTS_FEW;
  if (!d->y) d->y = mb_calloc(sim->width, sizeof *d->y);
  return d->y && mb_grow(&d->pair, &d->pair_room, 2 * n, sizeof *d->pair) &&
         mb_grow(&d->first, &d->first_room, n + 1, sizeof *d->first) &&
         mb_grow(&d->point, &d->point_room, MB_POINT_ENDS * n, sizeof *d->point) &&
         mb_grow(&d->H, &d->H_room, 3 * MB_POINT_ENDS * n, sizeof *d->H) &&
         mb_grow(&d->V, &d->V_room, m * n, sizeof *d->V) &&
         mb_grow(&d->NV, &d->NV_room, m * n, sizeof *d->NV) &&
         mb_grow(&d->scratch, &d->scratch_room, 3 * (coupling->branched ? few : coupling->count),
                 sizeof *d->scratch);
}

static bool add_bodies(MbSim *sim, MbDelassus *d, size_t n) {
  if (sim->model->npairs || sim->model->nfollowers || mb_claims_any(sim)) return false;
  d->no_memory = !mb_delassus_reserve_factors(sim, d, n);
  if (d->no_memory || !mb_delassus_inverses(sim, d)) return false;
  for (size_t i = 0; i < n; i++) mb_delassus_row_factor(sim, d, i, d->row[i], d->pair + 2 * i);
  return true;
}

bool mb_delassus_has_branches(MbSim *sim) {
  const MbPassOps *passes = sim->solver->passes;
  MbNodeCoupling coupling;
  return passes && passes->coupling(sim->work, &coupling) && coupling.branched;
}

// Whether what is kept is of these rows, as they are now, and of this inverse.
static bool is_kept(const MbDelassus *d, const MbNodeCoupling *coupling) {
  const MbDelassusKept *kept = &d->kept;
  return kept->is && kept->set == d->set && kept->numbers == d->set->version &&
         kept->inverse == coupling->version && kept->n == d->n &&
         !memcmp(kept->row, d->row, d->n * sizeof *d->row);
}

// Makes what stays in all passes of a step: the rows' ends, the points that they have in common, and F. False as mb_delassus_points.
static bool make_kept(MbSim *sim, MbDelassus *d, const MbNodeCoupling *coupling) {
  MbDelassusKept *kept = &d->kept;
  const size_t n = d->n;
  kept->is = kept->bodies = false;
  d->first[0] = 0;
  for (size_t i = 0; i < n; i++)
    if (!add_row(sim, d, i, &kept->bodies)) return false;
  if (kept->bodies && !add_bodies(sim, d, n)) return false;
  d->no_memory =
      !mb_grow(&kept->row, &kept->room, n, sizeof *kept->row) || (coupling->branched && !mb_delassus_join(d));
  if (d->no_memory) return false;
  memcpy(kept->row, d->row, n * sizeof *d->row);
  kept->set = d->set, kept->n = n;
  kept->numbers = d->set->version, kept->inverse = coupling->version;
  kept->version++;
  return kept->is = true;
}

static MbContactPoints points_of(const MbSim *sim, MbDelassus *d, const MbNodeCoupling *coupling) {
  MbDelassusJoints *joints = coupling->branched ? &d->joints : NULL;
  const bool few = joints && joints->summed && joints->njoints <= MB_POINTS_FEW;
  return (MbContactPoints){.npoints = joints ? joints->njoints : coupling->count,
                           .width = coupling->width,
                           .S = coupling->S,
                           .branch = joints && joints->summed ? joints->branch : NULL,
                           .self = joints && joints->summed ? joints->self : NULL,
                           .table = few ? joints->table : NULL,
                           .tabled = few ? &joints->tabled : NULL,
                           .rows = coupling->rows,
                           .first = joints ? joints->first : d->first,
                           .point = joints ? joints->point : d->point,
                           .H = joints ? joints->H : d->H,
                           .nslots = d->kept.bodies ? sim->model->nb : 0,
                           .F = d->factor,
                           .slot = d->group,
                           .weights = coupling->weights,
                           .V = d->V,
                           .NV = d->NV,
                           .scratch = d->scratch,
                           .sum = joints ? joints->joint : NULL,
                           .version = d->kept.version};
}

// All but what is needed to multiply by W.
static bool find_points(MbSim *sim, MbDelassus *d, const MbRowSet *set, const size_t *row, size_t n,
                        const MbNodeCoupling *coupling) {
  d->sim = sim, d->set = set, d->row = row, d->n = n;
  if (!reserve(sim, d, n, coupling)) {
    d->no_memory = true;
    return false;
  }
  if (!is_kept(d, coupling) && !make_kept(sim, d, coupling)) return false;
  for (size_t i = 0; i < n && coupling->weights; i++) weigh_row(sim, d, i, coupling, d->kept.bodies);
  return true;
}

bool mb_delassus_points(MbSim *sim, MbDelassus *d, const MbRowSet *set, const size_t *row, size_t n) {
  const MbPassOps *passes = sim->solver->passes;
  MbNodeCoupling coupling;
  if (!passes || !set->nnodes || !passes->coupling(sim->work, &coupling)) return false;
  d->no_memory = coupling.branched && !(passes->tell(sim->work) && passes->coupling(sim->work, &coupling));
  if (d->no_memory || !(coupling.S || coupling.branch)) return false;
  if (!find_points(sim, d, set, row, n, &coupling)) return false;
  d->no_memory = coupling.branched && !mb_delassus_sum(d, coupling.branch);
  if (!d->no_memory) d->points = points_of(sim, d, &coupling);
  return !d->no_memory;
}

const MbContactElsewhere *mb_delassus_elsewhere(MbSim *sim, MbDelassus *d, const MbRowSet *set,
                                                const size_t *row, size_t n) {
  const MbPassOps *passes = sim->solver->passes;
  MbNodeCoupling coupling;
  d->no_memory = false;
  if (!passes || !set->nnodes || !passes->coupling(sim->work, &coupling) || !coupling.elsewhere ||
      !find_points(sim, d, set, row, n, &coupling))
    return NULL;
  d->points = points_of(sim, d, &coupling);
  return coupling.elsewhere;
}
