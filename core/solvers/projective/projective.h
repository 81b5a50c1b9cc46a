// Deformables by implicit Euler as a minimisation (METHODS 5):
//
//   q⁺ = argmin ½ h⁻² (q − q̃)ᵀ M (q − q̃) + Σ ψ(q),   q̃ = q + h v + h² M⁻¹ f,   v⁺ = (q⁺ − q)/h
//
// over nodes with masses; ψ: elements (tetrahedra, triangles of cloth, springs), bending, cables. Nodes may be placed along
// some of the world's axes; where they are placed they go where the caller says. Three methods: quasi-Newton steps with a limited
// memory, and local-global iterations with the dual, both on one constant scalar matrix; Newton's with exact derivatives as
// ground truth.
#ifndef MB_SOLVERS_PROJECTIVE_PROJECTIVE_H
#define MB_SOLVERS_PROJECTIVE_PROJECTIVE_H

#include "core/deformables/cable.h"
#include "core/deformables/elastic.h"
#include "core/deformables/element_mesh.h"
#include "core/mbsim.h"
#include "core/model/ops.h"
#include "core/sparse/global_method.h"

// One mesh. What is not of its kind of elements is unread.
typedef struct MbPdPart {
  const MbElementMesh *mesh;       // its places are those at rest
  size_t first;                    // number of its first node among all
  MbElastic elastic;               // tetrahedra and triangles
  double thickness;                // m, triangles; of a rod's tetrahedra what their volumes are taken times
  MbBendingKind bending;           // triangles
  double bending_stiffness;        // J
  double bending_damping;          // s, of cloth and rods
  double stiffness, damping;       // N/m, N s/m of edges; of tetrahedra and triangles `damping` is β, s
  bool by_strain;                  // the stiffness is in N, of a strain
  const MbElementSurface *surface; // what acts on it; NULL: nothing
  const MbElements *fibred;        // whose fibres it has; NULL: none
  const MbRod *rod;                // whose segments its tetrahedra are; NULL: no rod's
} MbPdPart;

typedef struct MbPdSpec {
  size_t nodes;
  const double *mass;          // (nodes)
  const unsigned char *placed; // (nodes) bits 1, 2, 4: along x, y, z
  double drag;                 // N s/m, a node
  size_t nparts;
  const MbPdPart *parts; // (nparts)
  size_t ncables;
  const MbCablePath *cables; // (ncables) that pull with a given tension
  size_t nports;
  const uint32_t *port;          // (nports) nodes that a caller's rows act on, see mb_pd_begin
  bool names;                    // mb_pd_name names others; the processor need not be told
  bool touches;                  // contacts do, which a mover may solve for
  size_t columns;                // bytes that what is kept for them may take; 0 = 256 MB
  size_t beside;                 // velocities that a caller solves for beside the nodes, see mb_pd_pass
  double h;                      // s
  bool still;                    // steps begin where nodes are, not where inertia takes them: of equilibria
  MbMethod method;               // not MB_METHOD_AUTO
  MbGlobalMethod global;         // but for newton: how A is solved with
  bool single;                   // an inverse of A is kept in floats
  const struct MbPdMover *mover; // NULL: the processor's
  size_t memory;                 // bytes that a factor or an inverse may take; 0 = as the machine has
  int iterations;                // at most
  double tolerance;              // of the last correction, by the size of what is simulated; 0 = none
  double share; // of what the step's iterations take off its energy, that may be left by estimate; 0 = none
  int threads;
  size_t *blame; // gets the node at which the step's equations cannot be solved, for the caller to say so
  double (*clock)(void); // that parts of a step are timed by; NULL: wall time
  void (*watch)(void *context,
                const double *q); // told every iterate (nodes x 3), the first guess at first; NULL: nobody
  void *context;
} MbPdSpec;

typedef struct MbPdEngine MbPdEngine;

// Copies what it needs. MB_IO: out of memory; MB_SCENE: nothing that can be simulated, or it does not fit; MB_NUMBERS: the
// step's equations cannot be solved in double precision.
MbStatus mb_pd_create(const MbPdSpec *spec, MbPdEngine **engine, MbReport *report);
void mb_pd_free(MbPdEngine *engine); // NULL is fine
size_t mb_pd_bytes(const MbPdEngine *engine);

// What local-global iterations carry from step to step beside places and velocities: the dual, stresses by elements. It could
// be had from the places, but where iterations have not converged and elements are nearly inside out their stress is no place
// to begin from.
size_t mb_pd_dual_size(const MbPdPart *part,
                       MbMethod method);                    // numbers; the sum over the parts is the engine's
void mb_pd_dual_begin(MbPdEngine *engine, const double *q); // the stress at q; NULL: at the iterate
void mb_pd_dual_read(const MbPdEngine *engine, double *dual);
void mb_pd_dual_write(MbPdEngine *engine, const double *dual);

// q1 and v1 at the end of the step; may be those of the start. False: numbers that are not finite. Does not allocate. The
// result depends on nothing but what is given here and the dual, which is the stress at the start where nobody has set it.
bool mb_pd_step(MbPdEngine *engine, const MbNodeStart *start, double *q1, double *v1);
// Steps whose end stays where the nodes are moved, as MbAwayOps has them; what that asks for beside the step is the mover's.
MbAwayOffer mb_pd_stays(const MbPdEngine *engine);
bool mb_pd_step_away(MbPdEngine *engine, const MbNodeStart *start, const double *least, bool *odd);
void mb_pd_go_on(MbPdEngine *engine, bool all);
void mb_pd_undo(MbPdEngine *engine);
void mb_pd_leave(MbPdEngine *engine);
bool mb_pd_arrive(MbPdEngine *engine, double *q, double *v, double *dual);
// Tells what else than the numbers was at fault in a step that failed; NULL: nothing.
const char *mb_pd_fault(const MbPdEngine *engine);
// Of method newton alone, where nothing drags: in the steps to come inertia resists so many times as much as the masses do. Nodes at rest then
// go as in a step that is longer by 1 over the root of that.
void mb_pd_take_inertia(MbPdEngine *engine, double times);
// Tells where the iterations of a step have got to (nodes x 3); of nodes that another mover than the processor moves, where the listed ones
// have.
const double *mb_pd_iterate(const MbPdEngine *engine);
MbNodeStats mb_pd_stats(const MbPdEngine *engine);     // of the last step
const double *mb_pd_history(const MbPdEngine *engine); // (iterations) residual of each

// The same step by its parts, for a caller who holds nodes by rows of equations: what the rows push comes between the correction and its
// end. The nodes are listed: ports, and behind them those that mb_pd_name names. With A the engine's matrix and S = Eᵀ A⁻¹ E, E those of
// the list, impulses p (N s) at these nodes change velocities there by S p.
//   begin, then while another iteration is wanted: pass; where that is no whole one pull, solve, push, bend; read, push, end_pass; then end
// Local-global iterations are whole: their correction is taken as it is. So is the first of the other methods where nodes are listed, which
// has nothing in it but what pushes, so that rows are satisfied from there on. All others go down along the energy that the caller's
// velocities have a part in: `pull` tells what acts on nodes, `mb_pd_beside` has what acts on the others and how they answer.
// Names n nodes, ascending, none of them a port, in the place of those that were named last. False: out of memory.
bool mb_pd_name(MbPdEngine *engine, size_t n, const uint32_t *node);
void mb_pd_begin(MbPdEngine *engine, const MbNodeStart *start);
// Makes the matrix that a step's first iteration has, before it begins: S is asked for then. False: it cannot be factored.
bool mb_pd_prepare(MbPdEngine *engine);
// Tells whether the matrix is the same in all iterations.
bool mb_pd_constant(const MbPdEngine *engine);
bool mb_pd_goes_on(const MbPdEngine *engine);
// Tells by what velocity the last iteration has moved a node most: INFINITY before the first one, 0 before the last of a fixed number and under
// Newton's method.
double mb_pd_moves(const MbPdEngine *engine);
// Finds the iteration's correction if it is a whole one, else what acts on the nodes. False: numbers that are not finite, or a matrix that
// cannot be factored.
bool mb_pd_pass(MbPdEngine *engine);
bool mb_pd_whole(const MbPdEngine *engine);
// Adds impulses p (list x 3) of a step, at the listed nodes, to what acts on the nodes.
void mb_pd_pull_ports(MbPdEngine *engine, const double *p);
// What the caller's velocities have in the iteration: forces (impulses over the step) and, once it is solved, moves (velocities times the
// step), with the unlisted rest of what the solution needs.
typedef struct MbPdBeside {
  double *force, *move; // (beside)
} MbPdBeside;
MbPdBeside mb_pd_beside(MbPdEngine *engine);
// Solves for the nodes with the engine's matrix alone; the caller puts in what the two have in common.
void mb_pd_solve(MbPdEngine *engine);
// Corrects the solution, nodes' and the caller's, by what the last iterations have told of how soft all this is.
void mb_pd_bend(MbPdEngine *engine);
// What these have told: the matrix's inverse has U N Uᵀ beside A⁻¹, of moves by forces; weights are products with U, see pairs.h. Impulses and
// velocities that are read off it are 1/h and 1/h of these. NULL: nothing.
const struct MbPairs *mb_pd_pairs_of(const MbPdEngine *engine);
// Reads where in U's columns, as this processor has them, the numbers of listed node k begin; SIZE_MAX: it is placed.
size_t mb_pd_listed_at(const MbPdEngine *engine, size_t k);
// The caller's velocities begin there.
size_t mb_pd_beside_at(const MbPdEngine *engine);
// Adds what weights c = Uᵀ of impulses (over the step, divided by it) make of the nodes; the weights of all of the iteration.
void mb_pd_push_weights(MbPdEngine *engine, const double *c);
const double *mb_pd_weights(const MbPdEngine *engine);
// Reads the listed nodes' velocities (list x 3) over the step, with `share` of the correction.
void mb_pd_read_ports(const MbPdEngine *engine, double share, double *v);
// Adds to the correction what impulses p (list x 3) at the listed nodes make.
void mb_pd_push_ports(MbPdEngine *engine, const double *p);
// What acts on the caller's velocities, and what impulses do, along the correction of an iteration that is no whole one, for t of it:
// t down − t² curve/2 (J). `rows`: what of `down` the rows' impulses are.
typedef struct MbPdAlong {
  double rows, down, curve;
} MbPdAlong;
static inline double mb_pd_along(const MbPdAlong *along, double t) {
  return t * along->down - t * t * along->curve / 2;
}
// Takes the correction into the iterate: *t of it. False: numbers that are not finite.
bool mb_pd_end_pass(MbPdEngine *engine, const MbPdAlong *along, double *t);
bool mb_pd_end(MbPdEngine *engine, double *q1, double *v1); // as mb_pd_step
// All of them (listed x listed x *width); where *width is 1 the three axes are the same. NULL: there are branches in their place.
const double *mb_pd_responses(const MbPdEngine *engine, size_t *width);
// Tells whether the list has branches, of which S is the products; they are found where mb_pd_tell is asked for them at the latest. False: out of memory.
bool mb_pd_branched(const MbPdEngine *engine);
bool mb_pd_tell(MbPdEngine *engine);
// Branches of the listed nodes, of *rows numbers; NULL: there are none, or they have not been found.
const MbBranch *mb_pd_branches(const MbPdEngine *engine, size_t *rows);
// Who solves for contacts at the listed nodes in the processor's place; NULL: nobody.
const struct MbContactElsewhere *mb_pd_elsewhere(const MbPdEngine *engine);
// Who finds what of deformables is near shapes in the processor's place; NULL: nobody.
const struct MbNearElsewhere *mb_pd_finds(const MbPdEngine *engine);
// Writes v (list x 3) = S p; tells what S, which mb_pd_tell has been asked for, has of nodes number i and j in the list, along each axis.
void mb_pd_respond(MbPdEngine *engine, const double *p, double *v);
void mb_pd_response(const MbPdEngine *engine, size_t i, size_t j, double S[3]);

// What the step that is under way or was the last minimises, at q.
double mb_pd_objective(const MbPdEngine *engine, const double *q);
// At places q: elastic energy; of one part its volume (area x thickness of cloth) and the largest strain, max |s − 1| over
// singular values of the deformation gradients.
double mb_pd_energy(const MbPdEngine *engine, const double *q);
void mb_pd_measure(const MbPdEngine *engine, size_t part, const double *q, double *volume, double *strain);
// f (nodes x 3) = −∂ψ/∂q of the elements (springs' dampers over the last step among them) and of bending
void mb_pd_forces(MbPdEngine *engine, const double *q, double *f);

#endif
