// Exact derivatives of what a fully implicit step evaluates, of trees of joints and of bodies free in space (tangent.c, tangent_change.c). With a the
// accelerations
//
//   τ(q, v, a, t) = M a + bias − F,   the forces along the velocities that the motion asks for beside those that act,
//
// where M, the quadratic terms, gravity, forces and joints' springs, dampers and motors are all those at (q, v, t).
#ifndef MB_SIM_TANGENT_H
#define MB_SIM_TANGENT_H

#include "core/sim/sim_internal.h"

typedef struct MbTangent MbTangent;

// Says why a simulation's steps have no such derivatives, as words that fit behind "because"; NULL: they have.
const char *mb_tangent_refuses(const MbSim *sim);
// The same of its bodies alone, whatever deformables there are beside.
const char *mb_tangent_refuses_bodies(const MbSim *sim);
// Makes one in the simulation's memory; NULL: out of memory.
MbTangent *mb_tangent_create(MbSim *sim);

// From now on motions from parent to child are of where the bodies of sim->x are and not of the coordinates: in less time, to other last digits, which is not for
// tangents that runs are made of.
void mb_tangent_place(MbSim *sim, MbTangent *tangent);

// From now on it is asked for mb_tangent_transposed alone, and forces tell what they are felt by where they can, which takes less time than their K and D; or it is asked for everything again.
void mb_tangent_feel(MbSim *sim, MbTangent *tangent, bool feels);

// Of steps and passes that linearise forces on bodies (tangent_linear.c): how much of the motion to come, and of that at the start, there is in what D, Dᵀ, K and Kᵀ are
// multiplied by.
typedef struct MbTangentTerms {
  double x1[2], x2[2], y1[2], y2[2];
} MbTangentTerms;
// Says why forces of a model do not tell how K and D change; NULL: they do.
const char *mb_tangent_linear_refuses(const MbModel *model);
// From now on τ is less what such a step has beside f, with stiff paths linearised as they are turned by `ahead` seconds later; of NULL nothing, and the velocities to come
// are there alone. False: out of memory.
bool mb_tangent_linearise(MbSim *sim, MbTangent *tangent, const MbTangentTerms *of, double ahead);
// Leaves what forces are linearised to out of τ while it is away: τ is that of the forces themselves then.
void mb_tangent_plain(MbTangent *tangent, bool plain);
// Evaluates signals and the wrenches of forces, and K and D as the step has them, into sim->x. mb_tangent_at is to come after it.
void mb_tangent_linear_blocks(MbSim *sim, MbTangent *tangent, double t);
// From now on what such a step has beside f is by these terms, if it has any.
void mb_tangent_terms(MbTangent *tangent, const MbTangentTerms *of);
// The velocities to come (nv), which have to stay where they are while the tangent is at them. Of no effect where nothing is linearised.
void mb_tangent_to(MbTangent *tangent, const double *v1);

// Tells how the swings of bodies that fly change (nb), where mb_tangent_at has taken it.
const struct MbSwingSlopes *mb_tangent_swings(const MbTangent *tangent);

// From now on it is asked for these by spins alone, as no moments change; or for all.
void mb_tangent_spins(MbTangent *tangent, bool spins);

// Takes it to accelerations a at (v, t), where the bodies of sim->x are. It evaluates the forces, so that those of sim->x are then without
// gravity and the velocity terms. τ (nv, may be NULL) is what it is there. Where forces are linearised sim->x is to have the step's K and D.
void mb_tangent_at(MbSim *sim, MbTangent *tangent, const double *v, const double *a, double t, double *tau);
// τ (nv) alone, to the same bits. The tangent is of no use after it.
void mb_tangent_value(MbSim *sim, MbTangent *tangent, const double *v, const double *a, double t,
                      double *tau);
// Takes it to M a alone, without forces and without velocities: those of the bodies of sim->x are to be none. What follows is of τ = M a then.
void mb_tangent_inertia_at(MbSim *sim, MbTangent *tangent, const double *a, double *tau);
// Takes it to M a less what rows push that make velocities `to` agree, and have been listed for that; bodies' velocities are to be none here too. With `blocks` it has what A has of K and D of sim->x,
// which are another place's (tangent_blocks.c).
void mb_tangent_agree_at(MbSim *sim, MbTangent *tangent, const double *a, const double *to, bool blocks);
// Of that place, where the bodies are: out (nb x 6) ← −e′ of the change that mb_tangent_times has been asked about last, X (nb x 6) being the bodies' motion there by what velocities change by; move and phi (nb x 6) ← what
// Z · −e′ is by the two (mb_tangent_weigh).
void mb_tangent_blocks_change(MbSim *sim, MbTangent *tangent, const double *X, double *out);
void mb_tangent_blocks_weigh(MbSim *sim, MbTangent *tangent, const double *X, const double *Z, double *move,
                             double *phi);
// out (nb x 6) ← e of K and D of sim->x and of the bodies' motion X.
void mb_tangent_blocks_wrenches(MbSim *sim, MbTangent *tangent, const double *X, double *out);
// out ← Jᵀ e of K and D of sim->x and of the motion that its bodies have.
void mb_tangent_blocks_value(MbSim *sim, MbTangent *tangent, double *out);
// Z (nb x 6) ← the weights of wrenches, of what mb_tangent_transposed has been asked about last.
void mb_tangent_weights(const MbSim *sim, const MbTangent *tangent, double *Z);
// τ (nv) of M a alone, to the same bits.
void mb_tangent_inertia_value(MbSim *sim, MbTangent *tangent, const double *a, double *tau);
// out ← δτ of a change of v, of a, and of where the bodies are: by a motion of velocities dq, in the axes that they have there.
void mb_tangent_times(MbSim *sim, MbTangent *tangent, const double *dq, const double *dv, const double *da,
                      double *out);
// The transposed of it: dq, dv and da ← what z · δτ is by each of them. In O(n), as δτ is.
void mb_tangent_transposed(MbSim *sim, MbTangent *tangent, const double *z, double *dq, double *dv,
                           double *da);
// Tells what each body's joint does to it (nb x 6), in its own axes: all that the body and those behind it ask for beside the forces on them.
const double *mb_tangent_wrenches(const MbTangent *tangent);
// From now on these wrenches are weighed as well: z · τ has `twist` (nb x 6) · what the joint does beside it, and `move` (nb x 6) is what that is felt by along motions of bodies where the twists
// turn with others than the body itself. Both stay where they are; NULL: no more.
void mb_tangent_weigh_wrenches(MbTangent *tangent, const double *twist, const double *move);
// Takes it to velocities v alone, where the bodies of sim->x are: all that mb_tangent_weigh and mb_tangent_number_told ask for.
void mb_tangent_motion(MbSim *sim, MbTangent *tangent, const double *v);
// Adds to dq and dv (nv) what weights of bodies' motions, (nb x 6) `move` and `phi` in their own axes, come to by the coordinates' motion and by
// velocities.
void mb_tangent_weigh(MbSim *sim, MbTangent *tangent, const double *move, const double *phi, double *dq,
                      double *dv);
// out ← δ′ with  (q ⊕ before) ⊕ (step + change) = (q ⊕ step) ⊕ δ′,  before and change being small; out may be neither.
void mb_tangent_moved(const MbSim *sim, const double *step, const double *before, const double *change,
                      double *out);
// The transposed of it: before and change ← what out · δ′ is by each of them.
void mb_tangent_moved_transposed(const MbSim *sim, const double *step, const double *out, double *before,
                                 double *change);
// T (nv x nv, column after column) ← δτ of velocities w, where  v = w, a = (w − from)/span  and the coordinates are q₀ ⊕ h (base + γ w),
// which are moved by `step` = h (base + γ w): each column over the bodies that it moves.
void mb_tangent_matrix(MbSim *sim, MbTangent *tangent, const double *step, double reach, double span,
                       double *T);
// The same where the k-th column is by `reach` of a motion along velocity k, and by so much of that velocity and of its acceleration.
void mb_tangent_columns(MbSim *sim, MbTangent *tangent, const double *step, double reach, double faster,
                        double pull, double *T);

#endif
