// RedMax, A⁻¹ in O(n) (RM 2.13, Alg. 10): A = Jᵀ (M − a D − c K) J − a D_r − c K_r, K and D a block a body. Articulated inertias Î
// from the leaves, each starting from its body's block:
//   U = Î T,  G = Tᵀ U + A_r,  Î_p += Xᵀ (Î − U G⁻¹ Uᵀ) X
// and y = A⁻¹ x by
//   up:   u = x − Tᵀ p,  p_p += Xᵀ (p + U G⁻¹ u)      down:  y = G⁻¹ (u − Uᵀ X a_p),  a = X a_p + T y
// all in world axes, where X is a translation (links.h). Accelerations alone take one pass up and one down with gravity and
// the velocity terms in them (lanes_passes.h). Where forces couple bodies this is the inverse of the rest of A, and preconditions
// conjugate gradients; nodes of deformables that hang on the world are factored by themselves there (node_factor.h), and where forces couple no
// others this is all there is to it.
#include "core/base/alloc.h"
#include "core/model/coordinates.h"
#include "core/solvers/keep.h"
#include "core/solvers/node_factor.h"
#include "core/solvers/redmax/posture_keep.h"
#include "core/solvers/redmax/responses.h"
#include "core/solvers/solvers.h"

struct MbSolverWork {
  MbLinks links;
  const MbLanes *lanes;
  MbPosture posture;
  MbCoupling coupling;
  MbNodeFactor *nodes;    // NULL: a block each
  MbResponses *responses; // NULL: no rows
  const MbMaximal *at;    // of the last factor, with its a and c
  double a, c;
  double *twist;            // (nb x 6) scratch, where there are pairs
  double instant, factored; // kinematics so far; with which of them M was factored alone, 0: none
};

static void free_work(MbSolverWork *work) {
  if (!work) return;
  if (work->posture.work) work->lanes->free(work->posture.work);
  mb_links_free(&work->links);
  mb_responses_free(work->responses);
  mb_free(work->posture.screws);
  mb_coupling_free(&work->coupling);
  mb_node_factor_free(work->nodes);
  mb_free(work->twist);
  mb_free(work);
}

static MbSolverWork *create(const MbModel *model, int threads) {
  MbSolverWork *work = mb_calloc(1, sizeof *work);
  if (!work) return NULL;
  work->lanes = mb_lanes_for(1);
  work->posture = (MbPosture){.model = model, .links = &work->links};
  work->posture.screws = mb_calloc(6 * model->nb, sizeof(double));
  work->twist = mb_calloc(model->npairs ? 6 * model->nb : 0, sizeof(double));
  work->posture.twist = work->twist;
  const bool ok = mb_coupling_create(model, &work->coupling) &&
                  mb_node_factor_create(model, threads, &work->nodes) && work->twist && work->posture.screws;
  if (mb_links_create(model, &work->links) && ok)
    work->posture.work = work->lanes->create(&(const MbLinks *){&work->links});
  if (work->posture.work) return work;
  free_work(work);
  return NULL;
}

static size_t bytes(const MbSolverWork *work) {
  const MbModel *model = work->posture.model;
  const size_t numbers = 6 * model->nb + (model->npairs ? 6 * model->nb : 0);
  return sizeof *work + mb_links_bytes(&work->links) + work->lanes->bytes(work->posture.work) +
         mb_responses_bytes(work->responses) + mb_coupling_bytes(model) + mb_node_factor_bytes(work->nodes) +
         numbers * sizeof(double);
}

_Static_assert(sizeof(MbPose) == 7 * sizeof(double), "poses are seven numbers in a row");

static void kinematics(MbSolverWork *work, const double *q, const double *v, MbMaximal *x, size_t begin,
                       size_t end) {
  (void)begin, (void)end;
  work->lanes->forward(work->posture.work, q, v, x->E->p, x->phi);
  work->posture.E = x->E, work->posture.phi = x->phi;
  work->instant++;
}

static bool accelerate(MbSolverWork *work, const double *f, double *y, size_t *blame) {
  work->coupling.on = false;
  work->posture.masses = true; // A is M in what that factors, whatever was factored before
  work->factored = work->instant;
  return work->lanes->accelerate(work->posture.work, work->posture.E->p, f, y, blame);
}

static bool factor(MbSolverWork *work, const MbMaximal *x, double a, double c, bool exact, size_t *blame) {
  (void)exact; // the integrators that run here take K symmetrised
  mb_coupling_set(&work->coupling, x, a, c, false);
  work->at = x, work->a = a, work->c = c;
  work->factored = a == 0 && c == 0 ? work->instant : 0;
  if (work->coupling.on && work->nodes && !mb_node_factor_set(work->nodes, &work->coupling, blame))
    return false;
  return mb_posture_factor(&work->posture, x, a, c, NULL, blame);
}

static void bias(MbSolverWork *work, MbMaximal *x) { mb_posture_bias(&work->posture, x->f); }
static void apply(MbSolverWork *work, double *x) { mb_posture_apply(&work->posture, x); }
static void momentum(MbSolverWork *work, const double *v, double *y) {
  mb_posture_momentum(&work->posture, v, y);
  mb_coordinates_momentum(work->posture.model, v, y);
}
static void gather(MbSolverWork *work, const double *f, double *y) {
  mb_posture_gather(&work->posture, f, y);
}
static void impel(MbSolverWork *work, const double *v, const double *f, double s, double *y) {
  mb_posture_impel(&work->posture, v, f, s, y);
  mb_coordinates_momentum(work->posture.model, v, y);
}
static void blocks(MbSolverWork *work, const double *B, double s, const double *v, double *y) {
  mb_posture_blocks(&work->posture, B, s, v, y);
}

static void carry(MbSolverWork *work, size_t body, const double w[6], double *seen, double *y) {
  mb_posture_carry(&work->posture, body, w, seen, y);
}
static void carry_three(MbSolverWork *work, size_t body, const double *const w[3], double *const seen[3],
                        double *y) {
  mb_posture_carry_three(&work->posture, body, w, seen, y);
}
static void drift(MbSolverWork *work, double *a) { mb_posture_drift(&work->posture, a); }
static void multiply(MbSolverWork *work, const double *x, double *y) {
  mb_posture_twists(&work->posture, x, work->twist);
  mb_coupling_multiply(&work->coupling, work->twist, work->coupling.F);
  mb_posture_gather(&work->posture, work->coupling.F, y);
  mb_coordinates_blocks(work->posture.model, work->at, -work->a, -work->c, x, y);
  mb_coordinates_momentum(work->posture.model, x, y);
}

static void precondition(MbSolverWork *work, double *x) {
  if (work->nodes) mb_node_factor_solve(work->nodes, x);
  apply(work, x);
  if (work->nodes) mb_node_factor_put(work->nodes, x);
}

// Where it is not NULL it is what A is of nodes.
static const MbNodeFactor *nodes_alone(const MbSolverWork *work) {
  return work->coupling.on && work->nodes && mb_node_factor_is_all(work->nodes) ? work->nodes : NULL;
}

static bool apply_coupled(MbSolverWork *work, double *x, const double *aim, double *lambda) {
  (void)aim, (void)lambda;
  static const MbInverse inverse = {multiply, precondition};
  if (nodes_alone(work)) {
    precondition(work, x);
    return true;
  }
  if (work->coupling.on) return mb_coupling_solve(&work->coupling, work, &inverse, x);
  apply(work, x);
  return true;
}

// ---- instants that are kept -----------------------------------------------------------------------------------------

// The first number says which it was.
static size_t keep_numbers(const MbSolverWork *work) { return 1 + mb_posture_keep_numbers(&work->posture); }

static void keep_instant(const MbSolverWork *work, double *kept) {
  kept[0] = work->instant;
  mb_posture_keep_instant(&work->posture, kept + 1);
}

static bool keep_factor(const MbSolverWork *work, double *kept) {
  if (work->factored == 0 || work->factored != kept[0]) return false;
  mb_posture_keep_factor(&work->posture, kept + 1);
  return true;
}

static void put(MbSolverWork *work, const double *kept, const double *q, MbMaximal *x) {
  mb_posture_put(&work->posture, kept + 1, x);
  work->lanes->recall(work->posture.work, q, x->v, x->E->p, x->phi);
  work->coupling.on = false;
  work->factored = ++work->instant;
}

static const MbKeepOps keeps = {
    .numbers = keep_numbers, .instant = keep_instant, .factor = keep_factor, .put = put};

static bool reserve(MbSolverWork *work, size_t rows) {
  mb_responses_free(work->responses);
  work->responses = mb_responses_create(&work->links, rows);
  return work->responses;
}
static bool responses(MbSolverWork *work, size_t k, const MbRow *const *row, double *W) {
  return !work->coupling.on && mb_responses_of_rows(work->responses, &work->posture, k, row, W);
}

const MbSolverOps mb_redmax_recursive_ops = {
    .name = "redmax recursive",
    .create = create,
    .free = free_work,
    .bytes = bytes,
    .kinematics = kinematics,
    .bias = bias,
    .factor = factor,
    .apply = apply_coupled,
    .map = &mb_own_coordinates,
    .claims = &mb_claims_nothing,
    .momentum = momentum,
    .gather = gather,
    .impel = impel,
    .blocks = blocks,
    .carry = carry,
    .carry_three = carry_three,
    .drift = drift,
    .accelerate = accelerate,
    .reserve = reserve,
    .responses = responses,
    .nodes = nodes_alone,
    .keeps = &keeps,
};
