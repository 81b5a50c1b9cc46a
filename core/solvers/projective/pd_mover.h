// What the steps of an engine are made of: work on the vectors of all nodes and elements. In which order it is done, and what is decided by
// the numbers that come of it, is the same for all (pd_engine.c, pd_lbfgs.c). The processor's is the first row; others are given from
// outside, as gpu/ gives one, for methods with a constant matrix. Of these the engine that is made has everything that stays: elements,
// bending, masses, the matrix's inverse; vectors are the row's own. Of a caller's rows, which are the processor's, a row knows the list of nodes
// that they are about (pd_ports.h), columns of the matrix's inverse, and impulses; numbers of listed nodes alone go to and fro.
#ifndef MB_SOLVERS_PROJECTIVE_PD_MOVER_H
#define MB_SOLVERS_PROJECTIVE_PD_MOVER_H

#include "core/solvers/projective/projective.h"

typedef struct MbPdMover {
  // Makes engine->moved, for an engine that is made but for it; takes it away.
  MbStatus (*make)(MbPdEngine *engine, MbReport *report);
  void (*free)(MbPdEngine *engine);
  size_t (*bytes)(const MbPdEngine *engine); // on the processor
  // Tells what else than the numbers was at fault in a step that failed; NULL: nothing.
  const char *(*fault)(const MbPdEngine *engine);

  // A step's guess q̃ from engine->start, and the iterate there, placed nodes where they go.
  void (*look_ahead)(MbPdEngine *engine);
  // What of elements at the start of the step counts through it.
  void (*begin)(MbPdEngine *engine);
  // Moves what is around placed nodes along with them (pd_start.c). False: numbers that are not finite.
  bool (*lead)(MbPdEngine *engine);
  // Adds the correction to the iterate. Returns its largest move by the size of it all; NaN where a number is not finite.
  double (*advance)(MbPdEngine *engine);
  // Tells whether a tetrahedron is inside out, at the iterate or at the step's start; of rods' turns and of cloth that tells nothing.
  bool (*inside_out)(MbPdEngine *engine, bool start);
  // Places and velocities (nodes x 3) at the end. False: numbers that are not finite.
  bool (*end)(MbPdEngine *engine, double *q1, double *v1);
  // Ends that stay where the vectors are (MbAwayOps). Tells what may stay; ends a step so; notes where the next one begins, and goes back there; sends; waits for what was
  // sent. `stays` NULL: nothing may.
  MbAwayOffer (*stays)(const MbPdEngine *engine);
  bool (*stay)(MbPdEngine *engine, const double *least, bool *odd);
  void (*go_on)(MbPdEngine *engine, bool all);
  void (*undo)(MbPdEngine *engine);
  void (*leave)(MbPdEngine *engine);
  bool (*arrive)(MbPdEngine *engine, double *q, double *v, double *dual);

  // The dual: as the stress is at places q (nodes x 3; NULL: the iterate), read, and written.
  void (*dual_begin)(MbPdEngine *engine, const double *q);
  void (*dual_read)(const MbPdEngine *engine, double *dual);
  void (*dual_write)(MbPdEngine *engine, const double *dual);
  // A local-global iteration: finds the correction; ½ Δᵀ A Δ of it as it is at last.
  void (*local_global)(MbPdEngine *engine);
  double (*worth)(const MbPdEngine *engine);

  // Quasi-Newton steps: b ← −g at the iterate, and E there.
  double (*look)(MbPdEngine *engine);
  // d ← h² A⁻¹ b.
  void (*solve)(MbPdEngine *engine);
  // d as the pairs of the last steps bend it, with the one that the last attempt has begun where `pair` says so; d is noted for the next.
  void (*bend)(MbPdEngine *engine, bool pair);
  // d · b
  double (*down)(MbPdEngine *engine);
  // E at q + t d, with −∂E/∂q there along d, and the largest move; s = t d is that of the pair to come.
  double (*attempt)(MbPdEngine *engine, double t, double *along, double *most);
  // Goes to the last attempt.
  void (*accept)(MbPdEngine *engine);

  // Nodes that rows act on. Makes room for another column, of that number (NULL: there is room for all). False: out of memory.
  bool (*take)(MbPdEngine *engine, size_t column);
  // Finds the columns of n nodes: three at most, or one where axes differ.
  void (*find)(MbPdEngine *engine, const uint32_t *node, size_t n);
  // Takes note of another list, and writes S of it, by solutions where there is no column.
  void (*answer)(MbPdEngine *engine);
  // Places of the listed nodes (list x 3) with a share of the correction.
  void (*read)(const MbPdEngine *engine, double share, double *x);
  // What acts += p/h, correction += h A⁻¹ E p, for impulses p at the listed nodes; where the iteration is a local-global one what the
  // correction was solved for changes with it.
  void (*pull)(MbPdEngine *engine, double *down, const double *p); // down: where it is on the processor
  void (*push)(MbPdEngine *engine, const double *p);
  // v (list x 3) ← S p of a list that has branches, where `contacts` tells somebody.
  void (*respond)(MbPdEngine *engine, const double *p, double *v);
  // Who solves for contacts at listed nodes where the vectors are, in the place of methods that are the processor's; NULL, or NULL told: nobody. A list
  // that it suits has branches, which are found when somebody asks for them.
  const struct MbContactElsewhere *(*contacts)(const MbPdEngine *engine);
  // Who finds what of deformables is near shapes where the vectors are (core/collision/near_elsewhere.h); NULL, or NULL told: nobody.
  const struct MbNearElsewhere *(*finds)(const MbPdEngine *engine);
  // Correction ← 0; correction += U w of the pairs.
  void (*rest)(MbPdEngine *engine);
  void (*bend_by)(MbPdEngine *engine, const double *w);
} MbPdMover;

extern const MbPdMover mb_pd_processor;

// Makes the solver's work (MbSolverOps.create) for nodes that this moves.
MbSolverWork *mb_projective_create(const MbModel *model, int threads, const MbPdMover *mover);

#endif
