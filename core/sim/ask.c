// With G = H J + c a row's rate is  ġ = G v + ġ_t,  its acceleration  g̈ = G v̇ + H J̇ v + g̈_t.  What is asked, by what is solved for:
//
//   velocities     G v⁺ = −ġ_t − γ g(q, t + h) − s (H J̇ v + g̈_t)
//                    s: of rows that are met on the way (loops), seconds of the rate half way, so that bodies which go straight on
//                    end where the row holds. Where γ is not given it is 1/h: what is prescribed is met at the step's end, without ġ_t
//     soft         G v⁺ + E λ = −g/(h/2 + β),   E = α/(h (h/2 + β))                                     (AR 0.9, 0.10)
//                    one of one way only beyond its bound: β is no force on what is still on its way there
//     slipping     G v⁺ + E λ = −ġ_t,   E = α/(h β)          a soft row of which only the rate is known
//   contact        h G v⁺ ≥ −g: what flies lands on the surface. One that is deep asks for no more than G v⁺ ≥ 0: what takes it out moves
//                    positions alone (touch_part.c), as a velocity that does so would stay
//     soft         G v⁺ + E λ ≥ −g/(h + β),   E = α/(h (h + β))               β = 0 of what is still on its way: in the limit of α = 0 it
//                    lands as hard ones do, and an impact leaves less energy than there was, however few steps it takes
//   made anew    as a soft contact, whatever α ≥ 0 and g: in every pass of a step, where the nodes that it is about have got to
//     rebound      G v⁺ ≥ −e G v₀ + G (v − v₀)        v₀ at the start, v as forces make it, of what approaches and would be through:
//                    the blow turns v₀ round, forces act beside it. So a step with e = 1 has the energy of one without a blow
//     positions    G dq ≥ −g,  of deep ones no more at once than they may be moved
//   dry friction   G v⁺ = 0, or less of it with λ at one of its bounds; of velocities alone
//   jumps          G v = −ġ_t
//   accelerations  G v̇ = −(H J̇ v + g̈_t) − 2 γ ġ − γ² g                      `last` is G v           (RM 1.82)
//   positions      G dq = −g
//   half steps     G (w⁺ − w) = −(g₁ − (1 − γ h) g₀)/h          `last` is G of the pass's change, w the last pass's, g₁ where it leads
//     a rate       G w⁺ + ½ (G₁ − G) w = −ġ_t(t + h/2)          the second part where the half begins at the state
//     soft         α λ = −(g + ρ h G w⁺ − θ h G w) − β G w⁺,  ρ = max(θ, ½); ½ in the second half
//     second half  G (w⁺ − w) = 0                               of rows that have pushed in the first; soft ones as in the first
//   end            G v⁺ = −ġ_t;  of an acceleration G (v⁺ − v′) = 0, v′ = v + 2 (w − v): `last` is G v′
//   kinematic      G v = −ġ_t − γ g;  soft: α λ = −g − β G v
#include "core/sim/ask_steps.h"

static const double QUICKEST = 1e-6; // of a step, where a soft row has no damping in the kinematic mode

// That nothing is left at the step's end of g, which is there without α λ.
static MbAsked at_end(const MbAsking *asking, const MbAskRow *row, double beta) {
  const double h = asking->h, way = h + beta;
  return (MbAsked){.takes = row->alpha < INFINITY,
                   .b = row->rate + row->g / way,
                   .size = row->size + fabs(row->g / way),
                   .soft = row->alpha / (h * way)};
}

bool mb_ask_closes(double gap, double size) {
  static const double ROUNDING = 1e-10; // of the size: depth that the next step takes away
  return gap > -ROUNDING * size;
}

// The least rate behind a blow.
static double thrown_back(const MbAskRow *row) { return -row->bounce * row->last + row->rate - row->last; }

// Whether that is what a contact asks for.
static bool rebounds(double h, const MbAskRow *row, double stops) {
  if (!(row->bounce > 0)) return false;
  if (row->blow != MB_BLOW_BY_NUMBERS) return row->blow == MB_BLOW_REBOUNDS;
  return row->last < -row->slowest && row->g + h * row->rate < 0 && thrown_back(row) > stops;
}

// Whether a state moved by as little as differences are would decide otherwise.
static bool narrow(double h, const MbAskRow *row, double stops) {
  static const double NEAR = 1e-6; // as in sensitivity_tied.c
  if (!(row->bounce > 0)) return false;
  const double near = NEAR * (row->size + fabs(stops)),
               slack[] = {-row->slowest - row->last, -row->g / h - row->rate, thrown_back(row) - stops};
  bool other = true, close = false;
  for (int i = 0; i < 3; i++) {
    other = other && slack[i] > -near;
    close = close || fabs(slack[i]) <= near;
  }
  return other && close;
}

MbAsked mb_ask_contact(const MbAsking *asking, const MbAskRow *row) {
  const double h = asking->h;
  if (row->alpha > 0) return at_end(asking, row, row->judged > 0 ? 0 : row->beta);
  const double stops = mb_ask_closes(row->judged, row->scale) ? -row->g / h : 0;
  const double least = rebounds(h, row, stops) ? thrown_back(row) : stops;
  return (MbAsked){.takes = true,
                   .b = row->rate - least,
                   .size = row->size + fabs(least),
                   .rebound = least - stops,
                   .narrow = narrow(h, row, stops)};
}

static MbAsked jumps(const MbAskRow *row) {
  if (row->alpha > 0 || (row->one_way && !row->holds)) return (MbAsked){0};
  const double b = row->order < 2 ? row->rate + row->gt : 0; // an acceleration leaves no jump
  return (MbAsked){.takes = true, .b = b, .size = row->size + fabs(row->gt)};
}

static MbAsked accelerations(const MbAsking *asking, const MbAskRow *row) {
  const double gamma = asking->gamma, bend = row->rate + row->drift + row->gtt;
  if (row->alpha > 0 || (row->one_way && !row->holds)) return (MbAsked){0};
  const double rate = row->order < 2 ? 2 * gamma * (row->last + row->gt) : 0;
  const double pull = row->order < 1 ? gamma * gamma * row->g : 0;
  const double size = row->size + fabs(row->drift) + fabs(row->gtt) + fabs(rate) + fabs(pull);
  if (row->decides && row->one_way) return (MbAsked){.takes = true, .b = bend, .size = size};
  // what is held is let go by an event only
  return (MbAsked){.takes = true, .both_ways = true, .b = bend + rate + pull, .size = size};
}

static MbAsked positions(const MbAskRow *row) {
  if (row->order || row->alpha > 0 || row->outward != 0) return (MbAsked){0};
  return (MbAsked){.takes = true, .b = row->g + row->rate, .size = row->size + fabs(row->g)};
}

static MbAsked second_half(const MbAsking *asking, const MbAskRow *row) {
  if (mb_ask_slack(row)) return (MbAsked){0};
  if (row->alpha > 0) return mb_ask_soft_half(asking, row);
  if (row->one_way && !row->pushed) return (MbAsked){0};
  return (MbAsked){.takes = true, .b = row->last, .size = row->size + fabs(row->gt)};
}

static MbAsked end(const MbAskRow *row) {
  if (row->alpha > 0 || (row->one_way && !row->pushed && !row->at_bound)) return (MbAsked){0};
  const double b = row->order == 2 ? row->rate - row->last : row->rate + row->gt;
  return (MbAsked){.takes = true, .b = b, .size = row->size + fabs(row->gt)};
}

static MbAsked kinematic(const MbAsking *asking, const MbAskRow *row) {
  const double way = fmax(row->beta, QUICKEST * asking->h), rate = row->rate + row->gt;
  const double size = row->size + fabs(row->gt);
  if (mb_ask_slack(row)) return (MbAsked){0};
  if (row->alpha > 0)
    return (MbAsked){
        .takes = true, .b = rate + row->g / way, .size = size + fabs(row->g / way), .soft = row->alpha / way};
  if (row->one_way) return (MbAsked){.takes = row->at_bound, .b = rate, .size = size};
  const double pull = asking->gamma * row->g;
  return (MbAsked){.takes = true, .b = rate + pull, .size = size + fabs(pull)};
}

static inline __attribute__((always_inline)) MbAsked ask(const MbAsking *asking, const MbAskRow *row) {
  if (row->anew) return asking->of == MB_ASK_VELOCITIES ? at_end(asking, row, row->beta) : (MbAsked){0};
  if (row->dry) return asking->of == MB_ASK_VELOCITIES ? mb_ask_friction(row->rate, row->size) : (MbAsked){0};
  switch (asking->of) {
  case MB_ASK_VELOCITIES:
    return mb_ask_velocities(asking, row);
  case MB_ASK_JUMPS:
    return jumps(row);
  case MB_ASK_ACCELERATIONS:
    return accelerations(asking, row);
  case MB_ASK_POSITIONS:
    return positions(row);
  case MB_ASK_HALF:
    return mb_ask_half(asking, row);
  case MB_ASK_SECOND_HALF:
    return second_half(asking, row);
  case MB_ASK_END:
    return end(row);
  case MB_ASK_KINEMATIC:
    break;
  }
  return kinematic(asking, row);
}

MbAsked mb_ask(const MbAsking *asking, const MbAskRow *row) { return ask(asking, row); }

static inline MbAskRow row_of(const MbAskRows *rows, size_t r) {
  return (MbAskRow){.order = rows->order[r],
                    .g = rows->g[r],
                    .gt = rows->gt[r],
                    .g0 = rows->g0[r],
                    .g1 = rows->g1[r],
                    .rate = rows->rate ? rows->rate[r] : 0,
                    .last = rows->last ? rows->last[r] : 0,
                    .drift = rows->drift ? rows->drift[r] : 0,
                    .holds = true};
}

void mb_ask_rows(const MbAsking *asking, const MbAskRows *rows, double *x) {
  const MbAsking same = *asking; // of its own, as x might be where these are
  const MbAskRows of = *rows;
  // inlined, so that what these rows have not is not worked out; nearly every step asks for velocities
  for (size_t r = 0; same.of == MB_ASK_VELOCITIES && r < of.n; r++) {
    const MbAskRow row = row_of(&of, r);
    x[r] = -mb_ask_velocities(&same, &row).b;
  }
  for (size_t r = 0; same.of != MB_ASK_VELOCITIES && r < of.n; r++) {
    const MbAskRow row = row_of(&of, r);
    x[r] = -ask(&same, &row).b;
  }
}

double mb_ask_soft_force(const MbAskRow *row) {
  const double stretch = row->g + row->beta * (row->rate + row->gt);
  if (mb_ask_slack(row)) return 0;
  return row->one_way ? fmax(-stretch / row->alpha, 0) : -stretch / row->alpha;
}
