// The local step of projective dynamics, with the dual (METHODS 5): of every element for itself
//
//   p ← argmin w/2 ‖p − F − u‖² + ψ(p),   u ← u + F − p
//
// between global steps A x = M x̃ + h² Σ V w Gᵀ(p − u), A = M + h² Σ V w GᵀG with element volumes V. When F = p at last, w u is
// the material's stress ∂ψ/∂F, whatever w was. Without the dual the material would come out softer than it is: p − F would
// have to be there for its stress to be.
//
// arap needs no dual: p ← F − (2μ/w)(F − R) with u = 0, by which w (F − p) is its stress from the first iteration on. At w = 2μ
// that is p = R, plain projective dynamics.
//
// p has the singular vectors of F + u. What is left are its singular values, a problem of one unknown or none:
//   corotational  quadratic in them; where the second would become less than the third's size it stops there
//   neo_hookean   (w + μ) s² − w a s + κ = 0 of each, with κ = λ ln J − μ, the root that is not below the other: they grow as κ
//                 falls, so that ln J = Σ ln s(κ) has one solution, which Newton's method comes to from one side. All s are
//                 positive: what was inverted is put right.
//   linear        is solved as it stands, symmetric part and trace
// Where that is no minimum, or in J's range that elastic.h continues, Newton's method on all three takes over.
#ifndef MB_DEFORMABLES_LOCAL_STEP_H
#define MB_DEFORMABLES_LOCAL_STEP_H

#include "core/deformables/elastic.h"
#include "core/deformables/gradient.h"

// Elements of one kind and one material. Component c of element e of an array is at [c * stride + e]: F, u, p have 3 x rank
// components, row major.
typedef struct MbLocal {
  MbElastic elastic;
  int rank; // 3: tetrahedra, F 3 x 3; 2: triangles, F 3 x 2; 1: springs, F 3 x 1 (current over rest)
  size_t stride;
  const double *F;
  const double *weight; // (n) w, Pa
  double *u;            // not touched, and may be NULL, where there is no dual: it counts as 0
  double *p;            // in: that of the last iteration, for the residual alone
} MbLocal;

// A stiffness that iterations converge fast with, Pa.
//   arap          2μ: plain projective dynamics; less than μ diverges
//   others        that of a stretch across which nothing moves, 2μ + λ
// Of the others 0.7 to 1.4 times this is equally good for a bar that is pulled or pressed (some 40 iterations to 1e-13 at
// ν = 0.3 to 0.45), and 0.7 to 1 times in steps that inertia governs; where loads and ends alone decide, a quarter converges
// several times as fast. A twisted bar that is neo-Hookean, ν = 0.45, E = 1e5 to 1e9, comes to 1e-3 of a step's energy in 12 to 21
// iterations with all of it, in 14 to 21 with half, in 26 to 29 with a quarter, and nowhere with an eighth. Steps that are torn
// to more than three times their length and all but inside out (a bar drawn by 30 % and turned by 90° at one end, within
// 0.01 s) go round in circles with it and settle with twice as much. It changes how many iterations are needed, not what they
// come to.
double mb_local_weight(const MbElastic *elastic, int rank);
bool mb_local_has_dual(const MbElastic *elastic);

// Elements [begin, end). The same numbers whatever the ranges are. The largest ‖p − last p‖ and, with the dual, ‖F − p‖, both
// of which vanish at convergence; NaN where any is.
double mb_local_step(const MbLocal *local, size_t begin, size_t end);

// The same as what an iteration does with tetrahedra or triangles from places x to what their corners get of scale V (p − u − F),
// with u the new one: F and p never leave the registers.
typedef struct MbLocalSweep {
  MbElastic elastic;
  const MbGradient *gradient;
  const double *x;              // (nodes x 3)
  const double *weight, *scale; // (stride) w; weight × thickness
  double *u;                    // (3 rank x stride)
  double *corner;               // by packs, as of mb_gradient_corners
} MbLocalSweep;

// Packs of eight elements [begin, end). The same numbers whatever the ranges are.
void mb_local_sweep(const MbLocalSweep *sweep, size_t begin, size_t end);

// What methods without a local step take of the same elements: the energy of each at places x, and what its corners get of
// −∂V ψ/∂x, −V P g_aᵀ.
typedef struct MbStressSweep {
  MbElastic elastic;
  const MbGradient *gradient;
  const double *x; // (nodes x 3)
  double thickness;
  double *energy; // (stride) V ψ
  double *corner; // by packs, as of mb_gradient_corners
} MbStressSweep;

// Packs of eight elements [begin, end). The same numbers whatever the ranges are.
void mb_stress_sweep(const MbStressSweep *sweep, size_t begin, size_t end);
// Of those the singular values of F at x, s (rank x stride), the largest first; the last of three with the sign of det F.
void mb_local_values(const MbGradient *gradient, const double *x, double *s, size_t begin, size_t end);

// ---- one element, for tests and kernels -------------------------------------------------------------------

// Singular values s (rank) that minimise w/2 |s − a|² + ψ(s), begun at s, by Newton's method with a line search.
void mb_local_newton(const MbElastic *elastic, int rank, double w, const double *a, double *s);

// The kernels, as compiled for kinds of processors; the fastest first, ended by NULL.
typedef struct MbLocalKernel {
  const char *name;
  double (*step)(const MbLocal *local, size_t begin, size_t end);
  void (*sweep)(const MbLocalSweep *sweep, size_t begin, size_t end);
  void (*stress)(const MbStressSweep *sweep, size_t begin, size_t end);
  void (*values)(const MbGradient *gradient, const double *x, double *s, size_t begin, size_t end);
  // F (9 x stride) → U, V (9 x stride), s (3 x stride), of whole packs of eight
  void (*svd)(size_t n, size_t stride, const double *F, double *U, double *s, double *V);
} MbLocalKernel;
extern const MbLocalKernel *const mb_local_kernels[];
bool mb_local_runs(const MbLocalKernel *kernel); // on this machine

#endif
