// A v⁺ = r with A = M − a h D − b h² K,  r = M v + h (f − c D v + d h K v),  q⁺ = q ⊕ h (w v + (1 − w) v⁺).
//
// symplectic      v⁺ = v + h M⁻¹ f                                                     (AR 0.9.1, RM 2.20)
// implicit        f(q + h v⁺, v⁺) ≈ f + K h v⁺ + D (v⁺ − v)                            (AR 0.9.2, RM 2.79)
// trapezoidal     ½ (f + f⁺), f⁺ ≈ f + K (h/2)(v + v⁺) + D (v⁺ − v)                    (AR 0.9.3, whose f̂ has h²/4 in print
//                 before K v; it is h/4); second order only with every derivative in K and D, and with the signals half way
// bridson_marino  velocity Verlet with damping implicit (AR 0.9.4): A = M − (h/2) D,
//                 A v½ = A v + (h/2) f,  q⁺ = q ⊕ h v½,  A v⁺ = A v + (h/2)(f + f′)
// bdf1, bdf2, sdirk2  everything at the state to come: sim/scheme_stages.c
//
// static          F(q) = 0 at the signals at the step's end (sim/scheme_static.c); its row says that forces have K
//
// In trees of joints M and J change over the step too: those with `passes` are second order there by the half steps of
// sim/scheme_halves.c, with the same A.
#include "core/integrators/integrators.h"

const MbIntegrator mb_integrator_table[] = {
    // clang-format off
    [MB_SYMPLECTIC]     = {.name = "symplectic",     .order = 1, .scheme = MB_ONE_SOLVE},
    [MB_IMPLICIT]       = {.name = "implicit",       .order = 1, .scheme = MB_ONE_SOLVE, .a = 1, .b = 1, .c = 1},
    [MB_TRAPEZOIDAL]    = {.name = "trapezoidal",    .order = 2, .scheme = MB_ONE_SOLVE,
                           .a = 0.5, .b = 0.25, .c = 0.5, .d = 0.25, .w = 0.5, .instant = 0.5, .exact = true,
                           .passes = 3},
    [MB_BRIDSON_MARINO] = {.name = "bridson_marino", .order = 2, .scheme = MB_VERLET, .a = 0.5, .exact = true,
                           .passes = 3},
    [MB_RK45]           = {.name = "rk45",           .order = 5, .scheme = MB_ADAPTIVE, .exact = true},
    [MB_BDF1]           = {.name = "bdf1",           .order = 1, .scheme = MB_STAGES, .a = 1, .b = 1, .instant = 1},
    [MB_BDF2]           = {.name = "bdf2",           .order = 2, .scheme = MB_STAGES, .a = 1, .b = 1, .instant = 1},
    [MB_SDIRK2]         = {.name = "sdirk2",         .order = 2, .scheme = MB_STAGES, .a = 1, .b = 1, .instant = 1},
    [MB_STATIC]         = {.name = "static",         .order = 1, .scheme = MB_EQUILIBRIUM, .a = 1, .b = 1, .c = 1, .instant = 1},
    // clang-format on
};
_Static_assert(sizeof mb_integrator_table / sizeof *mb_integrator_table == MB_INTEGRATORS,
               "a row for every integrator");

bool mb_integrator_first_order_mode(MbIntegratorKind kind) {
  return mb_integrator_table[kind].scheme != MB_VERLET && mb_integrator_table[kind].scheme != MB_STAGES;
}

// clang-format off
const double mb_rk_c[] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
const double mb_rk_a[][MB_RK_STAGES] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
const double mb_rk_e[] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
const double mb_rk_d[] = {-12715105075.0 / 11282082432, 0, 87487479700.0 / 32700410799, -10690763975.0 / 1880347072,
                          701980252875.0 / 199316789632, -1453857185.0 / 822651844, 69997945.0 / 29380423};
// clang-format on
