// Interior points for contacts with the exact cone. In the measures x = (μ λ_n, λ_t), z = (û_n/μ, w_t) of each contact, û_n = w_n + μ |w_t|,
// the law is that of the second-order cone, x and z inside and xᵀz = 0, but that û has the contact's own slip in it. With that slip
// known, s, it is what one convex problem asks for, which has a solution whatever the masses are and however loads may be shared. So turns
// solve the convex problem for the slips of the turn before, the first for none [Cadoux 2009; Acary et al. 2011]: where these stay the law holds. As that takes
// many turns, or goes to and fro, slips are those of an average of turns (math/averages.h).
//
// The convex problem is solved from inside (interior_step.c). Most contacts of a pile are at the edge of something, of which steps from inside
// see nothing before the end; and where loads may be shared in many ways they come to the middle of these.
#include "core/contact/interior.h"

#include <math.h>
#include <string.h>

bool mb_interior_takes(const MbStrips *s, const MbBodyFactor *factor) {
  if (s->F ? !mb_body_sums_takes(s, factor) : s->points || s->n > MB_SMALL) return false;
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    if (block->rows == 3 && block->mu > 0 && block->cone != MB_CONE_EXACT && block->cone != MB_CONE_NONE)
      return false;
  }
  return true;
}

void mb_interior_make(MbInterior *t, MbRoom *room, const MbStrips *strips, MbBodyFactor *factor) {
  t->strips = *strips;
  const size_t n = strips->n, dense = n <= MB_SMALL && (!room->at || !strips->F) ? n : 0;
  double **const rows[] = {&t->lambda, &t->w, &t->best, &t->trial, &t->right, &t->left};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = mb_room_take(room, n, sizeof(double));
  t->inside = mb_room_take(room, strips->nblocks, sizeof *t->inside);
  t->A = mb_room_take(room, dense * dense, sizeof *t->A);
  t->slip = mb_room_take(room, strips->nblocks, sizeof *t->slip);
  t->moved = mb_room_take(room, strips->nblocks, sizeof *t->moved);
  double *averages = mb_room_take(room, mb_averages_room(strips->nblocks), sizeof *averages);
  mb_averages_begin(&t->averages, strips->nblocks, averages);
  if (!strips->F) return;
  mb_body_sums_make(&t->sums, room, strips, factor);
  t->y = mb_room_take(room, t->sums.width + 6, sizeof *t->y);
  t->K = mb_room_take(room, strips->nblocks, sizeof *t->K);
}

// ---- where it begins --------------------------------------------------------------------------------------

static MbInsideIs what_is(const MbBlock *block) {
  if (block->left_out) return MB_INSIDE_NOTHING;
  if (block->rows == 3)
    return block->cone == MB_CONE_EXACT && block->mu > 0 ? MB_INSIDE_CONE : MB_INSIDE_ONE_SIDED;
  if (block->kind == MB_CONTACT_ONE_WAY) return MB_INSIDE_ONE_SIDED;
  if (block->kind == MB_CONTACT_BOUNDED) return block->most > 0 ? MB_INSIDE_BOUNDED : MB_INSIDE_NOTHING;
  return MB_INSIDE_FREE;
}

// How much a contact pushed at the end of the turn before, in the mean.
static double pushed(const MbInterior *t) {
  double sum = 0, cones = 0;
  for (size_t j = 0; j < t->strips.nblocks; j++)
    if (t->inside[j].is == MB_INSIDE_CONE) sum += t->inside[j].x[0], cones += 1;
  return cones > 0 && isfinite(sum) ? sum / cones : 0;
}

// Of each block as much as makes velocities of the size of those there are, or as pushed in the turn before.
static void begin(MbInterior *t) {
  static const double HELD = 1e-11,
                      HELD_FORMED = 1e-13; // where steps are found by bodies rounding comes sooner
  const MbStrips *s = &t->strips;
  const double size = s->size / sqrt((double)s->n), push = pushed(t);
  t->held = s->F ? HELD : HELD_FORMED;
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    MbInside *in = &t->inside[j];
    const MbInsideIs is = what_is(block);
    const size_t rows = is == MB_INSIDE_NOTHING ? 0 : is == MB_INSIDE_CONE ? 3 : 1;
    *in = (MbInside){.is = is, .rows = rows, .slip = in->slip, .seen = in->slip};
    if (is == MB_INSIDE_BOUNDED) in->pull[0] = in->pull[1] = size;
    if (is != MB_INSIDE_ONE_SIDED && is != MB_INSIDE_CONE) continue;
    in->x[0] = fmax(size / block->scale, push), in->z[0] = size;
  }
}

// ---- how good it is ---------------------------------------------------------------------------------------

// λ of the points inside.
static void find_lambda(const MbInterior *t, double *lambda) {
  const MbStrips *s = &t->strips;
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    const MbInside *in = &t->inside[j];
    double *to = lambda + block->row;
    for (size_t r = 0; r < block->rows; r++) to[r] = r < in->rows ? in->x[r] : 0;
    if (in->is == MB_INSIDE_CONE) to[0] /= block->mu;
  }
}

// Keeps λ, put where it may be, if it is better than the best so far. Returns the best natural map.
static double judge(MbInterior *t, double best) {
  const MbStrips *s = &t->strips;
  find_lambda(t, t->trial);
  for (size_t j = 0; j < s->nblocks; j++) mb_block_clamp(&s->block[j], t->trial + s->block[j].row);
  mb_strips_rates(s, t->trial, t->left);
  const double natural = mb_strips_natural(s, t->trial, t->left);
  if (!(natural < best)) return best;
  memcpy(t->best, t->trial, s->n * sizeof *t->best);
  return natural;
}

// The square of what is left of a contact's law with the turn's slip.
static double left_of_cone(const MbBlock *block, const MbInside *in, const double *w) {
  const double u[3] = {w[0] / block->mu + in->slip, w[1], w[2]};
  double x[3], sum = 0;
  for (int r = 0; r < 3; r++) x[r] = in->x[r] - u[r] / block->scale;
  mb_cone_project(1, x);
  for (int r = 0; r < 3; r++) sum += (in->x[r] - x[r]) * (in->x[r] - x[r]);
  return sum * block->scale * block->scale;
}

// r ← what w says z is, less z
static void find_residual(MbInside *in, const MbBlock *block, const double *w) {
  for (size_t r = 0; r < in->rows; r++) in->r[r] = w[r] - in->z[r];
  if (in->is == MB_INSIDE_BOUNDED) in->r[0] = w[0] - (in->pull[0] - in->pull[1]);
  if (in->is == MB_INSIDE_CONE) in->r[0] = w[0] / block->mu + in->slip - in->z[0];
}

// xᵀz of a block; of a bounded row the sum of both bounds'.
static double gap_of(const MbInside *in, const MbBlock *block) {
  if (in->is == MB_INSIDE_BOUNDED)
    return (block->most + in->x[0]) * in->pull[0] + (block->most - in->x[0]) * in->pull[1];
  return mb_cone_dot(in->x, in->z);
}

static MbInteriorLeft look(MbInterior *t) {
  const MbStrips *s = &t->strips;
  double convex = 0, slips = 0, gap = 0, beside = 0, cones = 0;
  find_lambda(t, t->lambda);
  mb_strips_rates(s, t->lambda, t->w);
  for (size_t j = 0; j < s->nblocks; j++) {
    const MbBlock *block = &s->block[j];
    MbInside *in = &t->inside[j];
    const double *w = t->w + block->row;
    if (in->is == MB_INSIDE_NOTHING) continue;
    find_residual(in, block, w);
    if (in->is != MB_INSIDE_FREE) {
      gap += gap_of(in, block), cones += in->is == MB_INSIDE_BOUNDED ? 2 : 1;
      for (size_t r = 0; r < in->rows; r++) beside += fabs(in->r[r] * in->x[r]);
    }
    if (in->is == MB_INSIDE_CONE) {
      const double change = hypot(w[1], w[2]) - in->slip;
      convex += left_of_cone(block, in, w), slips += change * change;
      continue;
    }
    double part[3];
    mb_block_natural(block, 1 / block->scale, t->lambda + block->row, w, part);
    convex += part[0] * part[0];
  }
  const double mean = cones > 0 ? 1 / cones : 0;
  return (MbInteriorLeft){sqrt(convex), sqrt(slips), mean * gap, mean * beside};
}

// ---- turns ------------------------------------------------------------------------------------------------

// The slips that w has.
static void note_slips(MbInterior *t) {
  const MbStrips *s = &t->strips;
  for (size_t j = 0; j < s->nblocks; j++)
    if (t->inside[j].is == MB_INSIDE_CONE)
      t->inside[j].seen = hypot(t->w[s->block[j].row + 1], t->w[s->block[j].row + 2]);
}

// Solves one turn's problem as far as its slips are worth it, and keeps the best λ. Returns by how much slips are off.
static double solve_turn(MbInterior *t, size_t most, size_t *done, double *best) {
  enum { STEPS = 60 };
  static const double CLOSE = 0.1; // of what slips change by, or of what is enough
  double slips = INFINITY;
  begin(t);
  for (int i = 0; i < STEPS && *done < most; i++, ++*done) {
    const MbInteriorLeft left = look(t);
    if (!(left.gap > 0) || !isfinite(left.convex)) break;
    note_slips(t);
    slips = left.slips;
    *best = judge(t, *best);
    if (*best <= t->strips.enough || left.convex <= CLOSE * fmax(slips, t->strips.enough)) break;
    if (!mb_interior_step(t, &left)) break;
  }
  return slips;
}

// Slips of the next turn: the average of turns that fits best, and what that one has changed slips by.
static void choose_slips(MbInterior *t) {
  const size_t n = t->strips.nblocks;
  for (size_t j = 0; j < n; j++)
    t->slip[j] = t->inside[j].slip, t->moved[j] = t->inside[j].seen - t->inside[j].slip;
  mb_averages_note(&t->averages, t->slip, t->moved);
  mb_averages_next(&t->averages, t->slip, t->moved);
  for (size_t j = 0; j < n; j++) t->inside[j].slip = fmax(t->slip[j], 0);
}

bool mb_interior_run(MbInterior *t, size_t most, size_t *done) {
  enum { TURNS = 20, IDLE = 10 };              // IDLE: that may be none the better
  static const double WORSE = 2, BETTER = 0.9; // than the turn before; than the best
  const MbStrips *s = &t->strips;
  double last = INFINITY, least = INFINITY;
  int idle = 0;
  memcpy(t->best, t->lambda, s->n * sizeof *t->best);
  mb_strips_rates(s, t->lambda, t->w);
  double best = mb_strips_natural(s, t->lambda, t->w);
  for (size_t j = 0; j < s->nblocks; j++) t->inside[j] = (MbInside){0};
  mb_averages_forget(&t->averages);
  *done = 0;
  for (int turn = 0; turn < TURNS && *done < most && best > s->enough; turn++) {
    const double slips = solve_turn(t, most, done, &best);
    if (slips > WORSE * last) mb_averages_forget(&t->averages);
    last = slips;
    idle = best <= BETTER * least ? 0 : idle + 1;
    if (idle == 0) least = best;
    if (idle == IDLE) break;
    choose_slips(t);
  }
  memcpy(t->lambda, t->best, s->n * sizeof *t->lambda);
  mb_strips_rates(s, t->lambda, t->w);
  return best <= s->enough;
}
