#include "core/model/signal.h"
#include "tests/support.h"

static MbSignal table(MbArena *arena, MbInterpolation how, const double *t, const double *x, size_t n) {
  const MbSignalSpec spec = {
      .kind = MB_SIGNAL_TABLE, .interpolation = how, .count = n, .times = t, .values = x};
  MbSignal signal;
  cr_assert(mb_signal_build(&spec, NULL, arena, &signal));
  return signal;
}

Test(signal, tables_hold_interpolate_and_keep_their_ends) {
  MbArena arena = {0};
  const double t[] = {1, 2, 4}, x[] = {10, 20, 0}, at[] = {0, 1, 1.5, 2, 3, 4, 9};
  const double linear[] = {10, 10, 15, 20, 10, 0, 0}, hold[] = {10, 10, 10, 20, 20, 0, 0};
  const MbSignal a = table(&arena, MB_LINES, t, x, 3), b = table(&arena, MB_HOLD, t, x, 3);
  for (int i = 0; i < 7; i++) {
    test_near("linear", &(double){mb_signal_value(&a, NULL, at[i])}, &linear[i], 1, 1e-14);
    test_near("hold", &(double){mb_signal_value(&b, NULL, at[i])}, &hold[i], 1, 0);
  }
  mb_arena_free(&arena);
}

Test(signal, a_cubic_table_is_a_natural_spline) {
  MbArena arena = {0};
  enum { N = 41 };
  double t[N], x[N];
  for (int i = 0; i < N; i++) t[i] = 0.1 * i * (1 + 0.01 * (i % 3)), x[i] = sin(t[i]);
  const MbSignal s = table(&arena, MB_CUBIC, t, x, N);
  // through the points; fourth order inside (h⁴/384 · 5 for the complete spline); slope and curvature
  // continuous
  for (int i = 0; i < N; i++) test_near("point", &(double){mb_signal_value(&s, NULL, t[i])}, &x[i], 1, 1e-15);
  for (double u = 0.8; u < 3; u += 0.013)
    test_near("between", &(double){mb_signal_value(&s, NULL, u)}, &(double){sin(u)}, 1, 2e-5);
  const double e = 1e-4;
  for (int i = 10; i < 30; i++) {
    const double a = mb_signal_value(&s, NULL, t[i] - e), b = mb_signal_value(&s, NULL, t[i] + e);
    const double a2 = mb_signal_value(&s, NULL, t[i] - 2 * e), b2 = mb_signal_value(&s, NULL, t[i] + 2 * e);
    test_near("slope", &(double){(x[i] - a) / e}, &(double){(b - x[i]) / e}, 1, 2e-4);
    test_near("curvature", &(double){(x[i] - 2 * a + a2) / e / e}, &(double){(b2 - 2 * b + x[i]) / e / e}, 1,
              1e-2);
  }
  const MbSignal one = table(&arena, MB_CUBIC, t, x + 3, 1), two = table(&arena, MB_CUBIC, t, x, 2);
  test_near("one point", &(double){mb_signal_value(&one, NULL, 5)}, &x[3], 1, 0);
  test_near("two points", &(double){mb_signal_value(&two, NULL, t[1] / 2)}, &(double){x[1] / 2}, 1, 1e-15);
  mb_arena_free(&arena);
}

// The natural spline is the one curve through the points that is cubic between them, smooth to the second derivative
// across them, and straight at both ends.
Test(signal, a_cubic_through_many_points_is_the_natural_spline) {
  static const double times[] = {0, 0.5, 1.5, 2, 3.5, 4}, values[] = {1, -1, 2, 0.5, 3, -2};
  enum { N = sizeof times / sizeof *times };
  const MbSignalSpec spec = {
      .kind = MB_SIGNAL_TABLE, .interpolation = MB_CUBIC, .count = N, .times = times, .values = values};
  MbArena arena = {0};
  MbSignal signal;
  cr_assert(mb_signal_build(&spec, NULL, &arena, &signal));
  // one-sided: of a cubic 2f(t) − 5f(t+d) + 4f(t+2d) − f(t+3d) is exactly d² f″(t), and (−11f + 18f − 9f + 2f)/6 is d f′(t)
  const double d = 0.01;
  double slope[2][N], bend[2][N];
  for (int side = 0; side < 2; side++)
    for (int i = side ? 0 : 1; i < (side ? N - 1 : N); i++) {
      const double s = side ? d : -d;
      double f[4];
      for (int k = 0; k < 4; k++) f[k] = mb_signal_value(&signal, NULL, times[i] + k * s);
      slope[side][i] = (-11 * f[0] + 18 * f[1] - 9 * f[2] + 2 * f[3]) / (6 * s);
      bend[side][i] = (2 * f[0] - 5 * f[1] + 4 * f[2] - f[3]) / (s * s);
    }
  const double rounding = 1e-9; // some 1e-15 over d²
  for (int i = 0; i < N; i++)
    cr_assert_eq(mb_signal_value(&signal, NULL, times[i]), values[i], "point %d", i);
  test_near("slope from both sides", slope[0] + 1, slope[1] + 1, N - 2, rounding);
  test_near("curvature from both sides", bend[0] + 1, bend[1] + 1, N - 2, rounding);
  const double ends[2] = {bend[1][0], bend[0][N - 1]}, straight[2] = {0, 0};
  test_near("curvature at the ends", ends, straight, 2, rounding);
  mb_arena_free(&arena);
}
