// The state's coordinates and velocities as a solver has them, and how the model's follow from these: the model's own, for solvers
// in reduced coordinates and for bodies free in space (own_coordinates.c), or bodies' poses and velocities, from which the joints'
// coordinates follow (solvers/maximal/poses.c). With v the solver's velocities and q the model's coordinates,  q̇ = V v.
#ifndef MB_MODEL_COORDINATE_MAP_H
#define MB_MODEL_COORDINATE_MAP_H

#include "core/model/model.h"

typedef struct MbSolverWork MbSolverWork; // a solver's own scratch

// The solver's numbers, by the model alone.
typedef struct MbLayout {
  const char *name;
  void (*size)(const MbModel *model, size_t *nq, size_t *nv);
  // Tells whether each body has six velocities of its own.
  bool (*apart)(const MbModel *model);
  // Tells where a body's coordinates and velocities begin, and where the three velocities of a node do.
  size_t (*place)(const MbModel *model, size_t body);
  size_t (*velocity)(const MbModel *model, size_t body);
  size_t (*node)(const MbModel *model, size_t body);
  // Tells the first of the velocities that move a body by themselves, and how many follow one another; *body ← what carries it further,
  // MB_WORLD: nothing does.
  size_t (*moved_by)(const MbModel *model, size_t *body, size_t *count);
  // Tells which body number i of (q, v) belongs to.
  size_t (*body)(const MbModel *model, size_t i);
  // Moves coordinates of bodies [begin, end) along velocities: q ← q ⊕ h v.
  void (*advance)(const MbModel *model, double *q, double h, const double *v, size_t begin, size_t end);
  // Finds the rates of the solver's coordinates, of velocities v at q.
  void (*rate)(const MbModel *model, const double *q, const double *v, double *qdot);
  // Makes q valid again after arithmetic on it, and `rate` (may be NULL) with it.
  void (*normalise)(const MbModel *model, double *q, double *rate);
  // Takes other coordinates of the same pose near singularities. True if there were any.
  bool (*renew)(const MbModel *model, double *q, double *v);
  // Makes (q, v) fit to be the state to come; `near`: where coordinates that follow are to be looked for, NULL: as q has it.
  void (*settle)(const MbModel *model, const double *near, double *q, double *v);
} MbLayout;

// The model's coordinates, at the work's last kinematics, which leave them in x->q and x->v.
typedef struct MbCoordinateMap {
  const MbLayout *layout;
  // Finds the state (q, v) that has the model's coordinates q0 and velocities v0. False: out of memory.
  bool (*start)(const MbSolverWork *work, const MbModel *model, const double *q0, const double *v0, double *q,
                double *v);
  // Finds the rates of the model's coordinates: rate ← V v.
  void (*rates)(const MbSolverWork *work, const MbModel *model, const double *v, double *rate);
  // Adds s Vᵀ of the model's velocity k: y += s V_kᵀ.
  void (*along)(const MbSolverWork *work, size_t k, double s, double *y);
  // Adds what joints' springs, dampers and motors do along the solver's velocities, at x's signals; (q, v) is the state at the last
  // kinematics.
  void (*forces)(const MbSolverWork *work, const MbModel *model, const MbMaximal *x, const double *q,
                 const double *v, double *y);
  // Adds what their derivatives do: y += (sD D + sK K) v.
  void (*blocks)(const MbSolverWork *work, const MbModel *model, const MbMaximal *x, double sD, double sK,
                 const double *v, double *y);
  // Tells what of the accelerations of the model's coordinates V v̇ leaves out: V̇ v (model's nv). NULL: none.
  const double *(*turns)(MbSolverWork *work);
  // The same with V times what the flight makes of velocities by itself, which steps of one solution do not solve for (model's nv). NULL: it is none.
  const double *(*unsolved)(MbSolverWork *work, const MbModel *model, const MbMaximal *x);
  // Writes into the solver's q where coordinates that follow are to be looked for next. Does nothing where none do.
  void (*remember)(const MbSolverWork *work, const MbModel *model, double *q);
  // Notes the same for a step of length h from now: near (model's nq).
  void (*foresee)(const MbSolverWork *work, const MbModel *model, const MbMaximal *x, double h, double *near);
} MbCoordinateMap;

// The model's own.
extern const MbLayout mb_own_layout;
extern const MbCoordinateMap mb_own_coordinates;

#endif
