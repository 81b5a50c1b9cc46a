// Hill's muscle with a rigid tendon along a path (RM 1.9.4, 1.9.5): tension
//   F = f_max ( a f_L(l̃) f_V(ṽ) + f_P(l̃) ),   l̃ = (l − l_T)/l_opt,  ṽ = l̇ / (l_opt v_max), lengthening positive
//   ∂F/∂l = f_max ( a f_L′ f_V + f_P′ ) / l_opt,   ∂F/∂l̇ = f_max a f_L f_V′ / (l_opt v_max)
// The curves are RM's piecewise cubics, fitted to Millard and others (2013). Outside of the intervals given: f_L is 0;
// f_P is 0 below and goes on straight above; f_V keeps its end values 0 and 1.4. They meet there with their slopes.
#include "core/forces/muscle.h"
#include "core/forces/forces.h"
#include "core/forces/felt.h"
#include "core/forces/points.h"
#include "core/model/builder.h"

typedef struct Cubic {
  double from, a, b, c, d; // from here on a x³ + b x² + c x + d
} Cubic;

// RM 1.44, 1.42 (whose interval ends at 1.7; the matrix above it prints 1.8), 1.46. The last piece has no end.
static const Cubic force_length[] = {
    {-INFINITY, 0, 0, 0, 0},
    {0.4, -39.881247949014, 68.3443204612586, -35.5324573534802, 5.83029153632759},
    {0.7, -0.322674853252855, -1.71744046959073, 4.40290549894003, -1.36279017609645},
    {1.2, 4.85118460831817, -20.9908796589089, 28.3080866793169, -11.2356843095252},
    {1.81, 0, 0, 0, 0},
};
static const Cubic passive_length[] = {
    {-INFINITY, 0, 0, 0, 0},
    {1.0, 2.55305620081729, -7.02386028610914, 6.38855196976641, -1.91774788447456},
    {1.3, -2.76122280853939, 14.6587935048229, -23.0429533092186, 11.3749950550874},
    {1.7, 0, 0, 2.85714285714286, 1 - 1.7 * 2.85714285714286},
};
static const Cubic force_velocity[] = {
    {-INFINITY, 0, 0, 0, 0},
    {-1.0, 0.915253473864379, 2.74576042159314, 2.74576042159314, 0.915253473864378},
    {-0.05, -453.333333333333, -8.78048780487805, 5, 1},
    {0.05, 0.266648649866, -0.799945949598001, 0.799945949598001, 1.133351350134},
    {1.0, 0, 0, 0, 1.4},
};

// A value with its first two derivatives.
typedef struct Curved {
  double at, slope, bend;
} Curved;

static Curved curved(const Cubic *pieces, size_t n, double x) {
  size_t i = 0;
  while (i + 1 < n && x >= pieces[i + 1].from) i++;
  const Cubic *p = &pieces[i];
  return (Curved){((p->a * x + p->b) * x + p->c) * x + p->d, (3 * p->a * x + 2 * p->b) * x + p->c,
                  6 * p->a * x + 2 * p->b};
}
#define CURVE(pieces, x) curved(pieces, sizeof(pieces) / sizeof *(pieces), x)

static MbTensionCurve tension(const MbForce *force, const MbMaximal *x, double l, double rate) {
  const double given = x->signal[force->signal[0]];
  const double a = given < 0 ? 0 : given > 1 ? 1 : given; // what is no number stays so, and stops the run
  const MbMuscle *own = force->parameters;
  const double speed = own->optimal_length * own->max_velocity;
  const double length = (l - own->tendon_length) / own->optimal_length;
  const Curved fL = CURVE(force_length, length), fP = CURVE(passive_length, length),
               fV = CURVE(force_velocity, rate / speed);
  const double most = own->max_force, optimal = own->optimal_length;
  return (MbTensionCurve){.F = most * (a * fL.at * fV.at + fP.at),
                          .F_length = most * (a * fL.slope * fV.at + fP.slope) / optimal,
                          .F_rate = most * a * fL.at * fV.slope / speed,
                          .F_length_length = most * (a * fL.bend * fV.at + fP.bend) / (optimal * optimal),
                          .F_length_rate = most * a * fL.slope * fV.slope / (optimal * speed),
                          .F_rate_rate = most * a * fL.at * fV.bend / (speed * speed)};
}

static void eval(const MbModel *model, const MbForce *force, MbMaximal *x, size_t begin, size_t end) {
  (void)model, (void)begin, (void)end;
  MbPath path;
  mb_path_at(force, x, 0, &path);
  const MbTensionCurve t = tension(force, x, path.length, path.rate);
  mb_path_pull(force, x, &path, t.F, t.F_length, t.F_rate);
}

static void curve(const MbForce *force, const MbMaximal *x, const MbForceCurve *at) {
  MbPath path;
  mb_path_at(force, x, 0, &path);
  const MbTensionCurve t = tension(force, x, path.length, path.rate);
  mb_path_curve(force, x, &t, &path, at);
}

static void felt(const MbForce *force, const MbMaximal *x, const double *z, double *by_move, double *by_phi) {
  MbFeltPath path;
  mb_felt_path_at(force, x, z, 0, &path);
  const MbTensionCurve t = tension(force, x, path.length, path.rate);
  mb_path_felt(&t, &path, &(MbFeltBodies){by_move, by_phi});
}

static void sample(const MbForce *force, const MbMaximal *x, double lvf[3]) {
  MbPath path;
  mb_path_at(force, x, 0, &path);
  lvf[0] = path.length, lvf[1] = path.rate, lvf[2] = tension(force, x, path.length, path.rate).F;
}

static MbStatus build(MbBuilder *b, const MbForceSpec *from, MbForce *force, void *own) {
  const MbMuscleSpec *spec = from->parameters;
  *(MbMuscle *)own = spec->numbers;
  return mb_builder_signal(b, &spec->activation, "activation", &force->signal[0]);
}

extern const MbForceOps mb_muscle_ops;
const MbForceOps mb_muscle_ops = {.name = "muscle",
                                  .parameters = sizeof(MbMuscle),
                                  .build = build,
                                  .eval = eval,
                                  .least = 2,
                                  .most = MB_PATH_MOST,
                                  .curve = curve,
                                  .felt = felt,
                                  .muscle = sample};
