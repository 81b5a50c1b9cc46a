// How what is deep is parted behind a step, for who wants to go back over it (sensitivity_met.c): from where, by what move, and by the impulses of which contacts; and what velocities got back behind it.
#include "core/base/alloc.h"
#include "core/sim/constrain_internal.h"
#include "core/sim/touch.h"

#include <string.h>

bool mb_touch_copy_pushes(MbPushes *to, const MbPushes *from) {
  if (!mb_grow(&to->touch, &to->room, from->n, sizeof *to->touch)) return false;
  if (from->n) memcpy(to->touch, from->touch, from->n * sizeof *to->touch);
  to->n = from->n;
  return true;
}

const MbTouch *mb_touch_of_row(const MbSim *sim, size_t row) {
  const MbConstraining *c = sim->constraining;
  if (mb_touch_apart(sim)) return &sim->touching->now.touch[row];
  const MbRowTerms *is = &c->set.is[c->slot[row]];
  return is->kind == MB_ROW_CONTACT ? &sim->touching->now.touch[is->key] : NULL;
}

static MbPushed noted(const MbTouch *touch, double lambda) {
  MbPushed to = {.a = touch->a,
                 .b = touch->b,
                 .feature_a = touch->feature_a,
                 .feature_b = touch->feature_b,
                 .lambda = {lambda, 0, 0},
                 .gap = touch->gap,
                 .size = touch->size,
                 .mu = touch->mu};
  mb_vec3_copy(to.point, touch->point);
  mb_vec3_copy(to.normal, touch->normal);
  return to;
}

// Whether a row is a constraint's, and about coordinates alone or two bodies and no more.
static bool is_plain(const MbRowSet *set, size_t slot) {
  const MbRow *row = &set->row[slot];
  const bool bodies = row->body[0] != MB_WORLD || row->body[1] != MB_WORLD;
  return slot < set->fixed && set->end[slot + 1] == set->end[slot] &&
         !(bodies && (row->c[0] != 0 || row->c[1] != 0));
}

static void note_row(const MbRowSet *set, size_t slot, double nu, MbTouchMove *move) {
  if (nu == 0 && set->is[slot].kind != MB_ROW_BOTH_WAYS) return;
  if (is_plain(set, slot))
    move->row[move->nrows] = slot, move->nu[move->nrows++] = nu;
  else
    move->plain &= nu == 0;
}

void mb_touch_begin_moves(MbSim *sim) {
  MbTouchMoves *moves = sim->touching->noted;
  if (!moves) return;
  moves->n = 0, moves->bodies = moves->kept.any = false;
}

void mb_touch_note_move(MbSim *sim, const double *q, const double *dq) {
  const MbConstraining *c = sim->constraining;
  MbTouchMoves *moves = sim->touching->noted;
  if (!moves || moves->n >= MB_TOUCH_MOVES) return;
  MbTouchMove *move = &moves->move[moves->n++];
  moves->bodies = true;
  move->nodes = false, move->plain = true, move->pushed.n = move->nrows = 0;
  if (!mb_grow(&move->q, &move->q_room, sim->nq, sizeof *q) ||
      !mb_grow(&move->row, &move->row_room, c->n, sizeof *move->row) ||
      !mb_grow(&move->nu, &move->nu_room, c->n, sizeof *move->nu) ||
      !mb_grow(&move->dq, &move->dq_room, sim->nv, sizeof *dq) ||
      !mb_grow(&move->pushed.touch, &move->pushed.room, c->n, sizeof *move->pushed.touch)) {
    moves->no_memory = true;
    return;
  }
  memcpy(move->q, q, sim->nq * sizeof *q), memcpy(move->dq, dq, sim->nv * sizeof *dq);
  for (size_t i = 0; i < c->n; i++) {
    const MbTouch *touch = mb_touch_of_row(sim, i);
    if (!touch)
      note_row(&c->set, c->slot[i], c->answer.lambda[i], move);
    else if (c->answer.lambda[i] != 0)
      move->pushed.touch[move->pushed.n++] = noted(touch, c->answer.lambda[i]);
  }
}

void mb_touch_note_places(MbSim *sim, const double *x) {
  MbTouchMoves *moves = sim->touching->noted;
  const size_t n = 3 * mb_model_points(sim->model);
  if (!moves) return;
  MbTouchMove *move = &moves->move[0];
  moves->n = 0, move->nodes = move->plain = true, move->pushed.n = move->nrows = 0;
  if (mb_grow(&move->q, &move->q_room, n, sizeof *x))
    memcpy(move->q, x, n * sizeof *x);
  else
    moves->no_memory = true;
}

void mb_touch_note_parted(MbSim *sim, const MbTouch *touch, double way) {
  MbTouchMoves *moves = sim->touching->noted;
  if (!moves) return;
  MbPushes *pushed = &moves->move[0].pushed;
  moves->n = 1;
  if (mb_grow(&pushed->touch, &pushed->room, pushed->n + 1, sizeof *pushed->touch))
    pushed->touch[pushed->n++] = noted(touch, way);
  else
    moves->no_memory = true;
}

void mb_touch_note_unkept(MbSim *sim, const double *nodes) {
  MbTouchMoves *moves = sim->touching->noted;
  const size_t nv = sim->nv, n = nodes ? 3 * mb_model_points(sim->model) : 0;
  if (!moves) return;
  if (mb_grow(&moves->kept.v, &moves->kept.v_room, nv + n, sizeof *nodes)) {
    moves->kept.n = nv + n;
    memcpy(moves->kept.v, sim->v1, nv * sizeof *nodes);
    if (n) memcpy(moves->kept.v + nv, nodes, n * sizeof *nodes);
  } else {
    moves->no_memory = true;
  }
}

uint32_t *mb_touch_note_kept(MbSim *sim) {
  MbTouchMoves *moves = sim->touching->noted;
  if (!moves) return NULL;
  MbTouchKeptNote *kept = &moves->kept;
  kept->any = mb_grow(&kept->island, &kept->island_room, sim->model->nb + sim->model->ndeformables,
                      sizeof *kept->island);
  moves->no_memory |= !kept->any;
  return kept->any ? kept->island : NULL;
}
