// The integrators: coefficients only. How a step uses them is core/sim's business.
#ifndef MB_INTEGRATORS_INTEGRATORS_H
#define MB_INTEGRATORS_INTEGRATORS_H

#include "core/model/ops.h"

extern const MbIntegrator mb_integrator_table[MB_INTEGRATORS];

// Whether the integrator can run the kinematic mode f = m v.
bool mb_integrator_first_order_mode(MbIntegratorKind kind);

// The Dormand–Prince pair 5(4), seven stages, the last one at the end of the step (FSAL), and its dense
// output of order 4 (Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, II.5–II.6).
enum { MB_RK_STAGES = 7 };
extern const double mb_rk_c[MB_RK_STAGES];
extern const double mb_rk_a[MB_RK_STAGES][MB_RK_STAGES]; // the last row holds the weights of order 5
extern const double mb_rk_e[MB_RK_STAGES];               // order 5 minus order 4
extern const double mb_rk_d[MB_RK_STAGES];               // dense output

#endif
