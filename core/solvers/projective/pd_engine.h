// The engine's insides.
#ifndef MB_SOLVERS_PROJECTIVE_PD_ENGINE_H
#define MB_SOLVERS_PROJECTIVE_PD_ENGINE_H

#include "core/deformables/bending_damper.h"
#include "core/deformables/fibres.h"
#include "core/solvers/projective/assembly.h"
#include "core/solvers/projective/pairs.h"
#include "core/solvers/projective/pd_blocks.h"
#include "core/solvers/projective/pd_mover.h"
#include "core/sparse/elimination.h"
#include "core/sparse/global.h"

enum {
  MB_PD_GRAIN = 64,
  MB_PD_PACK = 8
}; // elements or nodes a thread at least; elements that are done together

// What damps a part's bending: β/h, and what its stencils measured when the step began.
typedef struct MbPdBends {
  MbBendingDamper damper;
  size_t first; // the part's first node among all
  double weight;
  double *before; // (stencils x measures)
} MbPdBends;

// A constant quadratic form ½ Σ Q_ij x_i·x_j: rows of all of Q; and what rest curvatures add to it.
typedef struct MbPdForm {
  size_t n;
  size_t *start; // (n + 1)
  uint32_t *column;
  double *value;
  double *energy; // (n) of each row, where both are asked for
  MbBendingRest rest;
  double *times; // (n) what rows are taken times in constant matrices, for what damps them: 1 + β/h
  size_t nbends;
  MbPdBends *bends;
} MbPdForm;

// What acts on a part's surface and its fibres (pd_loads.c), and of a step by triangles that wind blows at: f₀, C, the mean velocity and place at the start.
typedef struct MbPdLoaded {
  const MbElementSurface *of;
  const MbElements *fibred; // NULL: no fibres
  size_t part, first;       // its first node among all
  MbNodeLoad load;
  double *f, *C, *v, *x; // (nouter x 3), (x 9), (x 3), (x 3)
} MbPdLoaded;

// The constant scalar matrix A = M + h² Σ w V GᵀG + h² Q over the nodes that are not placed along every axis. Along an axis that places some of
// them too the operator is A without their rows and columns, as it is without nodes that are placed altogether. That differs from axis to axis;
// with E those of one axis its inverse is a block's of the one factor that serves all three,
//
//   A⁻¹ − A⁻¹ E (Eᵀ A⁻¹ E)⁻¹ Eᵀ A⁻¹
//
// What is placed is known when the model is made, and stays: so this is the operator's, and no row that a step asks for. Methods that only
// come near A⁻¹ leave such nodes out before and after, which has the same fixed point.
typedef struct MbPdGlobal {
  size_t n;
  MbPattern pattern;
  double *value;
  MbGlobal *inverse;
  bool near; // its solutions are not exact
  int threads;
  size_t placed[3];      // nodes that an axis places
  uint32_t *place[3];    // (placed) their numbers among the free nodes
  double *block[3];      // (placed x placed) Cholesky factor of Eᵀ A⁻¹ E
  double *of_placed, *x; // (most of placed), (n x 3)
} MbPdGlobal;

// By the size of what is simulated, the longest last correction of iterations that end by a share of the energy. Shares are of what
// a step's first guess is above its solution: where speeds are wild that is much, and what is left of it would feed the next step's.
#define MB_PD_SHORT 1e-4
// The strain from which on what is around placed nodes is moved along with them (pd_start.c).
#define MB_PD_LITTLE 0.05

// How far a step's iterations have come, in parts of energy, one an iteration.
typedef struct MbPdWay {
  int count;
  double whole, last[3]; // of all; the last ones, the newest first
} MbPdWay;

typedef struct MbPdNewton MbPdNewton;
typedef struct MbPdLbfgs MbPdLbfgs;
typedef struct MbPdCables MbPdCables;
typedef struct MbPdPorts MbPdPorts;
typedef struct MbPdSlopes MbPdSlopes;

struct MbPdEngine {
  size_t n, nfree;
  uint32_t *number; // (n) among the free nodes; MB_NONE = placed along every axis
  uint32_t *node;   // (nfree)
  unsigned char *placed;
  bool *drifts;           // (nparts) nothing but rounding moves it as a whole (pd_unheld.c), of the iteration
  double *mass, *inertia; // (n) inertia: with what the drag adds
  double span; // the length that steps are like, s: h, or longer where inertia resists less than masses do
  double h, drag, size, tolerance, share;
  bool still; // steps begin where nodes are
  int iterations, threads;
  double (*clock)(void);
  void (*watch)(void *context, const double *q);
  void *context;
  size_t nblocks, nparts;
  MbPdBlock *block;
  MbPdForm form; // bending of all parts; n = 0 where there is none
  size_t nloaded;
  MbPdLoaded *loaded;
  MbPdGlobal global;
  MbMethod method;
  MbPdNewton *newton; // NULL: another method
  MbPdLbfgs *lbfgs;   // NULL: none; local-global iterations that do not settle have it too
  bool downhill;      // it is at work
  bool made;          // the first iteration of the step is
  bool whole;         // the iteration's correction is taken as it is
  bool stuck;         // nothing goes further down
  bool inside_out;    // elements are, or were, at an iterate
  bool anew;          // the step has been begun anew
  size_t beside;      // velocities that a caller has beside the nodes'
  MbPdCables *cables; // NULL: none
  MbPdPorts *ports;   // NULL: none
  MbPdSlopes *slopes; // NULL: nobody has gone back
  const MbPdMover *mover;
  void *moved;    // what that has made
  bool elsewhere; // it is not the processor's
  double began;   // clock at the step's start

  bool begun; // the dual is there

  // of the step
  const MbNodeStart *start;
  double *ahead; // (n x 3) q̃
  double *q;     // (n x 3) the iterate
  double *f;     // (n x 3)
  double *r;     // (nfree x 3, and beside)
  double *b;     // (nfree x 3) of local-global iterations: what A times the correction is
  MbPdWay way;   // how far they have come, in the measure of A
  double least;  // the smallest correction, and which it was
  int least_at;
  double *history;
  MbNodeStats stats;
};

// Where in vectors that this processor has the caller's velocities begin.
static inline size_t mb_pd_first_beside(const MbPdEngine *engine) {
  return engine->elsewhere ? 0 : 3 * engine->nfree;
}

// Pairs of free nodes that the matrices couple: the nodes alone, then by elements, corners a ≥ b, then those of the form.
void mb_pd_pairs(const MbPdEngine *engine, MbAssembly *assembly);
// (h² w V g_a·g_b) of all elements, h² Q and the masses.
MbStatus mb_pd_global_make(MbPdEngine *engine, const MbPdSpec *spec, MbReport *report);
void mb_pd_global_free(MbPdGlobal *global);
size_t mb_pd_global_bytes(const MbPdGlobal *global);
void mb_pd_global_solve(MbPdGlobal *global, double *x); // (n x 3), zero along axes that are placed

// f (n x 3) ← what a local step at q leaves for the global one: −∂ψ/∂q where it has converged. Bending is in it. `begin`: notes
// the lengths of springs in the state q that the step begins with, and the strains of what is damped.
void mb_pd_local_begin(MbPdEngine *engine, const double *q);
void mb_pd_stress_begin(MbPdEngine *engine, const double *q); // the dual is the stress at q
void mb_pd_stress_read(const MbPdEngine *engine, double *dual);
void mb_pd_stress_write(MbPdEngine *engine, const double *dual);
// Adds to f what damps a block's elements over the step, at places q of the part's own nodes, and to the block's energies theirs.
void mb_pd_damp(MbPdEngine *engine, MbPdBlock *block, const double *q, double *f);
void mb_pd_local(MbPdEngine *engine, const double *q, double *f);
// The elastic energy with what dampers add over a step; f (n x 3) ← minus its gradient.
double mb_pd_evaluate(MbPdEngine *engine, const double *q, double *f);
// The same energy alone.
double mb_pd_potential(const MbPdEngine *engine, const double *q);
bool mb_pd_form_make(MbPdEngine *engine, const MbPdSpec *spec); // false: out of memory
void mb_pd_form_free(MbPdForm *form);
size_t mb_pd_form_bytes(const MbPdForm *form);
// What damps bending (pd_bending.c): made behind the form (false: out of memory); begins a step; what it adds to the step's energy at q, and
// f (n x 3; NULL: not wanted) += its forces; one stencil where it is.
bool mb_pd_bends_make(MbPdEngine *engine, const MbPdSpec *spec);
void mb_pd_bends_free(MbPdForm *form);
size_t mb_pd_bends_bytes(const MbPdForm *form);
void mb_pd_bends_begin(MbPdEngine *engine, const double *q);
double mb_pd_bends(const MbPdForm *form, const double *q, double *f);
void mb_pd_bent(const MbPdBends *bends, size_t stencil, const double *q, bool curved, MbBent *bent);
// What rest curvatures add to the energy at q; f (n x 3; NULL: not wanted) += its forces.
double mb_pd_form_rest(const MbPdForm *form, const double *q, double *f);
// w of a triangle that is curved at rest, and where its corners are.
void mb_pd_form_rest_of(const MbPdForm *form, size_t triangle, const double *q, const double *p[3],
                        double w[3]);
void mb_pd_form_row(const MbPdForm *form, size_t i, const double *q, double sum[3]); // of Q q
// At how many points fibres of a part are felt, and the nodes of the element there.
static inline size_t mb_pd_fibred(const MbPdLoaded *s, size_t *corners) {
  *corners = s->fibred ? s->fibred->corners : 0;
  return s->fibred ? mb_fibre_points(s->fibred) : 0;
}
static inline const uint32_t *mb_pd_fibred_corners(const MbPdLoaded *s, size_t k) {
  return mb_fibre_nodes(s->fibred, k);
}

// What acts on surfaces, and fibres: makes room (false: out of memory); begins a step with start->load; its energy over the step at q, and f (n x 3; NULL: not
// wanted) += its forces.
bool mb_pd_loads_make(MbPdEngine *engine, const MbPdSpec *spec);
void mb_pd_loads_free(MbPdEngine *engine);
size_t mb_pd_loads_bytes(const MbPdEngine *engine);
void mb_pd_loads_begin(MbPdEngine *engine);
double mb_pd_loads(const MbPdEngine *engine, const double *q, double *f);
// Adds an iteration's part. Of iterations whose parts shrink by ρ, a mean over the last two, what is left is the last one's
// ρ/(1 − ρ): whether that is no more than `share` of all. One iteration alone tells nothing.
bool mb_pd_way_goes(MbPdWay *way, double part, double share);
// Moves what is around placed nodes along with them (pd_start.c). False: numbers that are not finite.
bool mb_pd_lead(MbPdEngine *engine);
// The largest move of the iteration by the size of it all; NaN where a number is not finite.
double mb_pd_advance(MbPdEngine *engine, double scale);

MbStatus mb_pd_newton_make(MbPdEngine *engine, const MbPdSpec *spec, MbReport *report);
void mb_pd_newton_free(MbPdNewton *newton);
size_t mb_pd_newton_bytes(const MbPdNewton *newton);
// An iteration: what acts on the nodes, and the matrix there (false: it cannot be factored); takes the correction.
bool mb_pd_newton_look(MbPdEngine *engine);
bool mb_pd_newton_end(MbPdEngine *engine, const MbPdAlong *along, double *t);
// Takes what moves parts as a whole that nothing holds off forces, or a correction, x (nfree x 3), in steps to equilibria (pd_unheld.c).
void mb_pd_unheld(MbPdEngine *engine, bool forces, double *x);
double *mb_pd_newton_down(MbPdEngine *engine);         // (nfree x 3, and beside) what acts
bool mb_pd_newton_factor_constant(MbPdEngine *engine); // H ← the constant matrix; false: it cannot be
bool mb_pd_newton_factor_exact(MbPdEngine *engine);    // H ← the exact one at engine->q; false as above
void mb_pd_newton_solve(MbPdNewton *newton,
                        double *x); // (nfree x 3), x ← H⁻¹ x, zero along axes that are placed

bool mb_pd_lbfgs_make(MbPdEngine *engine); // false: out of memory
void mb_pd_lbfgs_free(MbPdLbfgs *lbfgs);
size_t mb_pd_lbfgs_bytes(const MbPdEngine *engine);
void mb_pd_lbfgs_begin(MbPdEngine *engine); // a step
// An iteration: what acts on the nodes (false: numbers that are not finite), its solution with A, how that is bent; takes the correction.
bool mb_pd_lbfgs_look(MbPdEngine *engine);
double *mb_pd_lbfgs_down(MbPdEngine *engine); // (nfree x 3, and beside) what acts
void mb_pd_lbfgs_solve(MbPdEngine *engine);
void mb_pd_lbfgs_bend(MbPdEngine *engine);
void mb_pd_lbfgs_push(MbPdEngine *engine, const double c[MB_PAIR_WEIGHTS]);
MbPairs *mb_pd_lbfgs_pairs(const MbPdEngine *engine);
const double *mb_pd_lbfgs_weights(const MbPdEngine *engine);
bool mb_pd_lbfgs_end(MbPdEngine *engine, const MbPdAlong *along, double *t);
// The processor's part of it (pd_mover.h).
double mb_pd_lbfgs_slope(MbPdEngine *engine);
void mb_pd_lbfgs_find(MbPdEngine *engine);
void mb_pd_lbfgs_correct(MbPdEngine *engine, bool pair);
double mb_pd_lbfgs_product(MbPdEngine *engine);
double mb_pd_lbfgs_attempt(MbPdEngine *engine, double t, double *along, double *most);
void mb_pd_lbfgs_accept(MbPdEngine *engine);
void mb_pd_lbfgs_bend_by(MbPdEngine *engine, const double w[MB_PAIR_WEIGHTS]);

// Nodes that a caller's rows act on (pd_ports.c): ports, and whether others are named too; and as many bytes as their columns may take, 0 = as
// many as suit. NULL: out of memory.
MbPdPorts *mb_pd_ports_make(MbPdEngine *engine, size_t nports, const uint32_t *port, bool more, size_t bytes);
void mb_pd_ports_free(MbPdPorts *ports, size_t nfree);
size_t mb_pd_ports_bytes(const MbPdEngine *engine);
size_t mb_pd_listed(const MbPdEngine *engine); // nodes in the list
// The processor's part of it (pd_port_vectors.c).
bool mb_pd_ports_take(MbPdEngine *engine, size_t column);
void mb_pd_ports_find(MbPdEngine *engine, const uint32_t *node, size_t n);
void mb_pd_ports_answer(MbPdEngine *engine);
void mb_pd_ports_read(const MbPdEngine *engine, double share, double *x);
void mb_pd_ports_pull(MbPdEngine *engine, double *down, const double *p);
void mb_pd_ports_push(MbPdEngine *engine, const double *p);
void mb_pd_ports_rest(MbPdEngine *engine);
// Of a matrix that is not that of the columns: velocities of the listed nodes by impulses p there.
void mb_pd_ports_respond(MbPdEngine *engine, const double *p, double *v);

// Cables with a given tension: f (n x 3) += how they pull at q; their potential there.
MbPdCables *mb_pd_cables_make(const MbPdSpec *spec);
void mb_pd_cables_free(MbPdCables *cables);
size_t mb_pd_cables_bytes(const MbPdCables *cables);
// How many there are, and their paths.
size_t mb_pd_cables(const MbPdEngine *engine, const MbCablePath **path);
void mb_pd_cables_pull(MbPdEngine *engine, const double *q, double *f);
double mb_pd_cables_potential(const MbPdEngine *engine, const double *q);

#endif
