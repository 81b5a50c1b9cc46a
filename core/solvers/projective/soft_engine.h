// The engine's insides.
#ifndef MB_SOLVERS_PROJECTIVE_SOFT_ENGINE_H
#define MB_SOLVERS_PROJECTIVE_SOFT_ENGINE_H

#include "core/deformables/bending.h"
#include "core/solvers/projective/assembly.h"
#include "core/solvers/projective/pairs.h"
#include "core/solvers/projective/soft_blocks.h"
#include "core/sparse/elimination.h"
#include "core/sparse/global.h"

enum {
  MB_SOFT_GRAIN = 64,
  MB_SOFT_PACK = 8
}; // elements or nodes a thread at least; elements that are done together

// A constant quadratic form ½ Σ Q_ij x_i·x_j: rows of all of Q; and what rest curvatures add to it.
typedef struct MbSoftForm {
  size_t n;
  size_t *start; // (n + 1)
  uint32_t *column;
  double *value;
  double *energy; // (n) of each row, where both are asked for
  MbBendingRest rest;
} MbSoftForm;

// The constant scalar matrix A = M + h² Σ w V GᵀG + h² Q over the nodes that are not held along every axis. Nodes that are
// held along some have rows: with E those of one axis, x = A⁻¹(b − E λ), Eᵀx = 0, so that λ = (Eᵀ A⁻¹ E)⁻¹ Eᵀ A⁻¹ b. Methods
// that only come near A⁻¹ leave the rows out before and after, which has the same fixed point.
typedef struct MbSoftGlobal {
  size_t n;
  MbPattern pattern;
  double *value;
  MbGlobal *inverse;
  bool near; // its solutions are not exact
  int threads;
  size_t rows[3];
  uint32_t *row[3]; // (rows) numbers among the free nodes
  double *W[3];     // (rows x rows) Cholesky factor of Eᵀ A⁻¹ E
  double *lambda;   // (most rows)
  double *x;        // (n x 3)
} MbSoftGlobal;

// By the size of what is simulated, the longest last correction of iterations that end by a share of the energy. Shares are of what
// a step's first guess is above its solution: where speeds are wild that is much, and what is left of it would feed the next step's.
#define MB_SOFT_SHORT 1e-4

// How far a step's iterations have come, in parts of energy, one an iteration.
typedef struct MbSoftWay {
  int count;
  double whole, last[3]; // of all; the last ones, the newest first
} MbSoftWay;

typedef struct MbSoftNewton MbSoftNewton;
typedef struct MbSoftLbfgs MbSoftLbfgs;
typedef struct MbSoftCables MbSoftCables;
typedef struct MbSoftPorts MbSoftPorts;

struct MbSoftEngine {
  size_t n, nfree;
  uint32_t *number; // (n) among the free nodes; MB_NONE = held along every axis
  uint32_t *node;   // (nfree)
  unsigned char *held;
  double *mass, *inertia; // (n) inertia: with what the drag adds
  double h, drag, size, tolerance, share;
  bool still; // steps begin where nodes are
  int iterations, threads;
  double (*clock)(void);
  void (*watch)(void *context, const double *q);
  void *context;
  size_t nblocks, nparts;
  MbSoftBlock *block;
  MbSoftForm form; // bending of all parts; n = 0 where there is none
  MbSoftGlobal global;
  MbMethod method;
  MbSoftNewton *newton; // NULL: another method
  MbSoftLbfgs *lbfgs;   // NULL: none; local-global iterations that do not settle have it too
  bool downhill;        // it is at work
  bool made;            // the first iteration of the step is
  bool whole;           // the iteration's correction is taken as it is
  bool stuck;           // nothing goes further down
  size_t beside;        // velocities that a caller has beside the nodes'
  MbSoftCables *cables; // NULL: none
  MbSoftPorts *ports;   // NULL: none
  double *
      pushed; // (nfree x 3) what a caller's impulses have added to the last correction; NULL: none, or no cables
  double began; // clock at the step's start

  bool begun; // the dual is there

  // of the step
  const MbSoftStart *start;
  double *ahead; // (n x 3) q̃
  double *q;     // (n x 3) the iterate
  double *f;     // (n x 3)
  double *r;     // (nfree x 3, and beside)
  double *b;     // (nfree x 3) of local-global iterations: what A times the correction is
  MbSoftWay way; // how far they have come, in the measure of A
  double least;  // the smallest correction, and which it was
  int least_at;
  double *history;
  MbSoftStats stats;
};

// Pairs of free nodes that the matrices couple: the nodes alone, then by elements, corners a ≥ b, then those of the form.
void mb_soft_pairs(const MbSoftEngine *engine, MbAssembly *assembly);
// (h² w V g_a·g_b) of all elements, h² Q and the masses.
MbStatus mb_soft_global_make(MbSoftEngine *engine, const MbSoftSpec *spec, MbReport *report);
void mb_soft_global_free(MbSoftGlobal *global);
size_t mb_soft_global_bytes(const MbSoftGlobal *global);
void mb_soft_global_solve(MbSoftGlobal *global, double *x); // (n x 3), zero along rows that are held

// f (n x 3) ← what a local step at q leaves for the global one: −∂ψ/∂q where it has converged. Bending is in it. `begin`: notes
// the lengths of springs in the state q that the step begins with, and the strains of what is damped.
void mb_soft_local_begin(MbSoftEngine *engine, const double *q);
// Adds to f what damps a block's elements over the step, at places q of the part's own nodes, and to the block's energies theirs.
void mb_soft_damp(MbSoftEngine *engine, MbSoftBlock *block, const double *q, double *f);
void mb_soft_local(MbSoftEngine *engine, const double *q, double *f);
// The elastic energy with what dampers add over a step; f (n x 3) ← minus its gradient.
double mb_soft_evaluate(MbSoftEngine *engine, const double *q, double *f);
// The same energy alone.
double mb_soft_potential(const MbSoftEngine *engine, const double *q);
bool mb_soft_form_make(MbSoftEngine *engine, const MbSoftSpec *spec); // false: out of memory
void mb_soft_form_free(MbSoftForm *form);
size_t mb_soft_form_bytes(const MbSoftForm *form);
// What rest curvatures add to the energy at q; f (n x 3; NULL: not wanted) += its forces.
double mb_soft_form_rest(const MbSoftForm *form, const double *q, double *f);
// w of a triangle that is curved at rest, and where its corners are.
void mb_soft_form_rest_of(const MbSoftForm *form, size_t triangle, const double *q, const double *p[3],
                          double w[3]);
void mb_soft_form_row(const MbSoftForm *form, size_t i, const double *q, double sum[3]); // of Q q
// Adds an iteration's part. Of iterations whose parts shrink by ρ, a mean over the last two, what is left is the last one's
// ρ/(1 − ρ): whether that is no more than `share` of all. One iteration alone tells nothing.
bool mb_soft_way_goes(MbSoftWay *way, double part, double share);
// Moves what is around held nodes along with them (soft_start.c). False: numbers that are not finite.
bool mb_soft_lead(MbSoftEngine *engine);
// The largest move of the iteration by the size of it all; NaN where a number is not finite.
double mb_soft_advance(MbSoftEngine *engine, double scale);

MbStatus mb_soft_newton_make(MbSoftEngine *engine, const MbSoftSpec *spec, MbReport *report);
void mb_soft_newton_free(MbSoftNewton *newton);
size_t mb_soft_newton_bytes(const MbSoftNewton *newton);
// An iteration: what acts on the nodes, and the matrix there (false: it cannot be factored); takes the correction.
bool mb_soft_newton_look(MbSoftEngine *engine);
bool mb_soft_newton_end(MbSoftEngine *engine, const MbSoftAlong *along, double *t);
double *mb_soft_newton_down(MbSoftEngine *engine);         // (nfree x 3, and beside) what acts
bool mb_soft_newton_factor_constant(MbSoftEngine *engine); // H ← the constant matrix; false: it cannot be
void mb_soft_newton_solve(MbSoftNewton *newton,
                          double *x); // (nfree x 3), x ← H⁻¹ x, zero along rows that are held

bool mb_soft_lbfgs_make(MbSoftEngine *engine); // false: out of memory
void mb_soft_lbfgs_free(MbSoftLbfgs *lbfgs);
size_t mb_soft_lbfgs_bytes(const MbSoftEngine *engine);
void mb_soft_lbfgs_begin(MbSoftEngine *engine); // a step
// An iteration: what acts on the nodes (false: numbers that are not finite), its solution with A, how that is bent; takes the correction.
bool mb_soft_lbfgs_look(MbSoftEngine *engine);
double *mb_soft_lbfgs_down(MbSoftEngine *engine); // (nfree x 3, and beside) what acts
void mb_soft_lbfgs_solve(MbSoftEngine *engine);
void mb_soft_lbfgs_bend(MbSoftEngine *engine);
void mb_soft_lbfgs_push(MbSoftEngine *engine, const double c[MB_PAIR_WEIGHTS]);
const MbPairs *mb_soft_lbfgs_pairs(const MbSoftEngine *engine);
const double *mb_soft_lbfgs_weights(const MbSoftEngine *engine);
bool mb_soft_lbfgs_end(MbSoftEngine *engine, const MbSoftAlong *along, double *t);
void mb_soft_lbfgs_apply(MbSoftEngine *engine,
                         double *x); // (nfree x 3), x ← H x, zero along rows that are held

// x (nfree x 3) ← A⁻¹ x, with Newton's matrix where that is the method's: A = h² H.
void mb_soft_inverse(MbSoftEngine *engine, double *x);

// Nodes that a caller's rows act on (soft_ports.c), and as many bytes as their columns may take, 0 = as many as suit. NULL: out of memory.
MbSoftPorts *mb_soft_ports_make(MbSoftEngine *engine, size_t nports, const uint32_t *port, size_t bytes);
void mb_soft_ports_free(MbSoftPorts *ports);
size_t mb_soft_ports_bytes(const MbSoftEngine *engine);
size_t mb_soft_listed(const MbSoftEngine *engine); // nodes in the list

// Cables: f (n x 3) −= given forces at q; of a correction r from there, what those that keep their length change in it, by their
// tensions; x (nfree x 3) += sign T Jᵀ of the latter, at the last places; what a line search sees of them: the potential at q,
// its slope along r but for that of the given forces.
MbSoftCables *mb_soft_cables_make(MbSoftEngine *engine, const MbSoftSpec *spec);
void mb_soft_cables_free(MbSoftCables *cables);
size_t mb_soft_cables_bytes(const MbSoftCables *cables);
void mb_soft_cables_begin(MbSoftEngine *engine); // a step
void mb_soft_cables_pull(MbSoftEngine *engine, const double *q, double *f);
void mb_soft_cables_correct(MbSoftEngine *engine);
void mb_soft_cables_hold(const MbSoftEngine *engine, double sign, double *x);
double mb_soft_cables_potential(const MbSoftEngine *engine, const double *q);
double mb_soft_cables_slope(const MbSoftEngine *engine);
void mb_soft_cables_end(MbSoftEngine *engine);

#endif
