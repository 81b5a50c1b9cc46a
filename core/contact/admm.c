// The alternating direction method of multipliers with De Saxcé's correction. With s the velocity along each normal that its tangents' stand
// for, μ |w_t| of a round cone, kept as it was, the problem is convex:  min ½ λᵀWλ + (b + s)ᵀλ over λ in K (the cones, the bounds, all of the line for rows both ways). In turns
//
//   (W + ρ + η) x = −b − s + ρ (z − y) + η x_before     proximal: η keeps what W does not see where it is
//   z = P_K(x̂ + y),  x̂ = 1.6 x − 0.6 z_before            relaxed
//   y ← y + x̂ − z                                       −ρ y is û = W x + b + s in the end
//   s ← μ |ρ y_t|                                      or the most that another section takes of it
//
// in variables that make each block's W about 1:  λ = d x, d = 1/√(mean diagonal), W ← d W d, b ← d b. The cones stay what they are, as
// the three rows of a contact have one d. ρ is set anew where one of the two residuals, of x − z and of z − z_before, is far
// smaller than the other; W + ρ is then factored anew.
#include "core/contact/admm.h"
#include "core/contact/contact_dense.h"

#include <math.h>
#include <string.h>

static const double PROXIMAL = 1e-7;

void mb_admm_make(MbAdmm *t, MbRoom *room, const MbStrips *strips) {
  t->strips = *strips;
  const size_t n = t->strips.n, dense = n <= MB_SMALL ? n : 0;
  double **const all[] = {&t->d,      &t->x, &t->z,    &t->y, &t->shift, &t->aim,
                          &t->lambda, &t->w, &t->best, &t->r, &t->p,     &t->Ap};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) *all[i] = mb_room_take(room, n, sizeof(double));
  t->L = mb_room_take(room, dense * dense, sizeof *t->L);
  if (!dense) t->L = NULL;
  if (!room->at) return;
  for (size_t j = 0; j < t->strips.nblocks; j++) {
    const MbBlock *block = &t->strips.block[j];
    for (size_t r = 0; r < block->rows; r++)
      t->d[block->row + r] = block->left_out ? 0 : 1 / sqrt(block->scale);
  }
}

// ---- (W + ρ + η) x = aim ----------------------------------------------------------------------------------

static bool factor(MbAdmm *t) {
  const MbStrips *s = &t->strips;
  if (!t->L) return true;
  memset(t->L, 0, s->n * s->n * sizeof *t->L);
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    const double *value = s->value + s->at[j];
    for (size_t k = s->first[j]; k < s->first[j + 1]; k++)
      for (size_t r = 0; r < block->rows; r++)
        t->L[(block->row + r) * s->n + s->column[k]] = t->d[block->row + r] * *value++ * t->d[s->column[k]];
    for (size_t r = 0; r < block->rows; r++) t->L[(block->row + r) * (s->n + 1)] += t->rho + PROXIMAL;
  }
  return mb_dense_factor(t->L, s->n);
}

// out ← (W + ρ + η) x
static void multiply(MbAdmm *t, const double *x, double *out) {
  const MbStrips *s = &t->strips;
  for (size_t i = 0; i < s->n; i++) t->lambda[i] = t->d[i] * x[i];
  mb_strips_rates(s, t->lambda, out);
  for (size_t i = 0; i < s->n; i++) out[i] = t->d[i] * (out[i] - s->b[i]) + (t->rho + PROXIMAL) * x[i];
}

// Conjugate gradients from the last x.
static void iterate(MbAdmm *t) {
  enum { TURNS = 50 };
  static const double CLOSE = 1e-3; // of what it starts with: the aim moves on by about as much
  const size_t n = t->strips.n;
  double rr = 0;
  multiply(t, t->x, t->Ap);
  for (size_t i = 0; i < n; i++) {
    t->p[i] = t->r[i] = t->aim[i] - t->Ap[i];
    rr += t->r[i] * t->r[i];
  }
  const double start = rr;
  for (int turn = 0; turn < TURNS && rr > CLOSE * CLOSE * start; turn++) {
    double pAp = 0, next = 0;
    multiply(t, t->p, t->Ap);
    for (size_t i = 0; i < n; i++) pAp += t->p[i] * t->Ap[i];
    for (size_t i = 0; i < n; i++) {
      t->x[i] += rr / pAp * t->p[i];
      t->r[i] -= rr / pAp * t->Ap[i];
      next += t->r[i] * t->r[i];
    }
    for (size_t i = 0; i < n; i++) t->p[i] = t->r[i] + next / rr * t->p[i];
    rr = next;
  }
}

// ---- the iteration ----------------------------------------------------------------------------------------

static void project(const MbAdmm *t, double *z) {
  const MbStrips *s = &t->strips;
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    double *x = z + block->row, most;
    if (block->left_out)
      memset(x, 0, block->rows * sizeof *x);
    else if (block->kind == MB_CONTACT_NORMAL)
      mb_block_project(block, x);
    else if (block->kind == MB_CONTACT_ONE_WAY)
      x[0] = fmax(x[0], 0);
    else if (block->kind == MB_CONTACT_BOUNDED)
      most = block->most / t->d[block->row], x[0] = fmin(fmax(x[0], -most), most);
  }
}

// ρ times what tangents' y stand for along the normal of a contact.
static double shift_of(const MbAdmm *t, const MbBlock *block) {
  const double *y = t->y + block->row;
  return t->rho * mb_block_lift(block, (const double[]){-y[1], -y[2]});
}

// One turn; in `far` |x − z| and |z − z_before|, each over the size of what it is the difference of: so gaps that open, of which y is large, make ρ
// grow until nothing moves on. Over the roots of the sizes, with ρ for the second, they are halfway to what they are themselves as W is about 1,
// which serves most problems better; the few that are not solved so within `LATE` turns are by the former.
static void turn(MbAdmm *t, bool late, double far[2]) {
  static const double RELAXED = 1.6;
  const MbStrips *s = &t->strips;
  const size_t n = s->n;
  for (size_t i = 0; i < n; i++)
    t->aim[i] = -t->d[i] * s->b[i] - t->shift[i] + t->rho * (t->z[i] - t->y[i]) + PROXIMAL * t->x[i];
  if (t->L) {
    memcpy(t->x, t->aim, n * sizeof *t->x);
    mb_dense_apply(t->L, t->x, n);
  } else
    iterate(t);
  // aim: z before; y: x̂ + y, of which z is the projection
  memcpy(t->aim, t->z, n * sizeof *t->aim);
  for (size_t i = 0; i < n; i++) {
    t->y[i] += RELAXED * t->x[i] + (1 - RELAXED) * t->z[i];
    t->z[i] = t->y[i];
  }
  project(t, t->z);
  double apart = 0, moved = 0, sizes[2] = {0, 0};
  for (size_t i = 0; i < n; i++) {
    t->y[i] -= t->z[i];
    apart += (t->x[i] - t->z[i]) * (t->x[i] - t->z[i]);
    moved += (t->z[i] - t->aim[i]) * (t->z[i] - t->aim[i]);
    sizes[0] += t->z[i] * t->z[i];
    sizes[1] += t->y[i] * t->y[i];
  }
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    if (block->kind == MB_CONTACT_NORMAL) t->shift[block->row] = shift_of(t, block);
  }
  far[0] = sqrt(apart / fmax(late ? sizes[0] : sqrt(sizes[0]), 1e-300));
  far[1] = sqrt((late ? 1 : t->rho) * moved / fmax(late ? sizes[1] : sqrt(sizes[1]), 1e-300));
}

static double judge(MbAdmm *t, double best) {
  const MbStrips *s = &t->strips;
  for (size_t i = 0; i < s->n; i++) t->lambda[i] = t->d[i] * t->z[i];
  // what the scale's rounding has left beside the cone
  for (size_t j = 0; j < s->nblocks; j++) mb_block_clamp(&s->block[j], t->lambda + s->block[j].row);
  mb_strips_rates(s, t->lambda, t->w);
  const double natural = mb_strips_natural(s, t->lambda, t->w);
  if (!(natural < best)) return best;
  memcpy(t->best, t->lambda, s->n * sizeof *t->best);
  return natural;
}

// From λ, or from none where that is nearer, as where a blow is over. Returns what is left there.
static double begin(MbAdmm *t) {
  const MbStrips *s = &t->strips;
  memset(t->best, 0, s->n * sizeof *t->best);
  double left = mb_strips_natural(s, t->best, s->b);
  mb_strips_rates(s, t->lambda, t->w);
  const double there = mb_strips_natural(s, t->lambda, t->w);
  if (left < there) {
    memcpy(t->lambda, t->best, s->n * sizeof *t->lambda);
    memcpy(t->w, s->b, s->n * sizeof *t->w);
  } else {
    memcpy(t->best, t->lambda, s->n * sizeof *t->best);
    left = there;
  }
  t->rho = 1;
  for (size_t i = 0; i < s->n; i++) {
    t->x[i] = t->z[i] = t->d[i] > 0 ? t->lambda[i] / t->d[i] : 0;
    t->shift[i] = 0;
    t->y[i] = -t->d[i] * t->w[i] / t->rho;
  }
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    double *y = t->y + block->row;
    if (block->kind == MB_CONTACT_BOTH_WAYS) y[0] = 0;
    if (block->kind != MB_CONTACT_NORMAL) continue;
    t->shift[block->row] = shift_of(t, block);
    y[0] -= t->shift[block->row] / t->rho;
  }
  return left;
}

bool mb_admm_run(MbAdmm *t, size_t most, size_t *done) {
  enum { LOOK = 5, FIRST = 10, LATE = 500 };
  static const double APART = 4;
  const MbStrips *s = &t->strips;
  double far[2];
  size_t next = FIRST;
  double best = begin(t);
  bool fine = factor(t);
  for (*done = 0; fine && best > s->enough && *done < most;) {
    turn(t, *done > LATE, far);
    ++*done;
    if (*done % LOOK == 0 || *done == most) best = judge(t, best);
    if (*done < next || !(far[0] > 0) || !(far[1] > 0)) continue;
    // less and less often: each change begins a new method
    next = *done + (*done + 1) / 2;
    const double ratio = far[0] / far[1];
    if (ratio < APART && ratio > 1 / APART) continue;
    const double rho = fmin(fmax(t->rho * fmin(fmax(sqrt(ratio), 0.1), 10), 1e-6), 1e6);
    for (size_t i = 0; i < s->n; i++) t->y[i] *= t->rho / rho;
    t->rho = rho;
    fine = factor(t);
  }
  memcpy(t->lambda, t->best, s->n * sizeof *t->lambda);
  mb_strips_rates(s, t->lambda, t->w);
  return best <= s->enough;
}

static size_t room_of(const MbContactProblem *problem) {
  MbRoom room = {0};
  MbStrips strips;
  MbAdmm admm;
  mb_strips_make(&strips, &room, problem, MB_FORMED_IF_SMALL);
  mb_admm_make(&admm, &room, &strips);
  return room.used;
}

static MbContactResult solve(MbContactWork *work, const MbContactProblem *problem, MbContactAnswer *answer) {
  enum { TURNS = 5000 };
  MbRoom room = {.at = work->block};
  MbStrips strips;
  MbAdmm admm;
  mb_strips_make(&strips, &room, problem, MB_FORMED_IF_SMALL);
  mb_admm_make(&admm, &room, &strips);
  mb_strips_start(&admm.strips, problem, admm.lambda);
  mb_admm_run(&admm, problem->iterations ? problem->iterations : TURNS, &answer->iterations);
  return mb_contact_tell(&admm.strips, admm.lambda, admm.w, "admm", "turns", answer);
}

const MbContactMethod mb_contact_admm = {
    .name = "admm",
    .exact = "rows of every kind and every cone",
    .rows = MB_CONTACT_ALL_ROWS,
    .cones = MB_CONTACT_ALL_CONES,
    .room = room_of,
    .reserve = mb_contact_reserve_dense,
    .solve = solve,
};
