// The memory of contacts on the way back (sensitivity_met.h): of a step at hand, and of what has been met in steps that are noted.
#include "core/base/alloc.h"
#include "core/sim/sensitivity_met.h"

#include <string.h>

static double *numbers(MbSensitivity *g, size_t n) {
  return mb_arena_alloc(&g->arena, n + 1, sizeof(double));
}

bool mb_met_make(MbSensitivity *g) {
  const MbSimOptions options = {.threads = 1};
  MbReport own = {0};
  const bool ports = g->beside && g->sim->model->nports;
  if (!(g->meets || g->nodes) || !(g->sim->touching || ports)) return true;
  MbMet *met = g->met = mb_arena_alloc(&g->arena, 1, sizeof *met);
  if (!met || mb_sim_create(g->sim->model, &options, &met->beside, &own) != MB_OK) return false;
  const size_t nb = g->sim->model->nb, n = 3 * mb_model_points(g->sim->model),
               groups = nb + g->sim->model->ndeformables;
  met->points = g->nodes, met->own = g->sim->nv, met->width = met->own + (g->nodes ? n : 0), met->q = g->q;
  double **const of_bodies[] = {&met->phi,  &met->phi_w,    &met->by_move,  &met->by_w, &met->by_z,
                                &met->none, &met->from_phi, &met->free_phi, &met->psi,  &met->wrench},
                 **const of_all[] = {&met->z, &met->y, &met->move, &met->first, &met->free, &met->back};
  bool ok = (g->nodes && !g->beside) || (met->tangent = mb_tangent_create(met->beside)) != NULL;
  for (int i = 0; i < MB_AXES_VECTORS; i++) ok = (met->side_v[i] = numbers(g, met->width)) != NULL && ok;
  ok = (met->side_q = numbers(g, g->sim->nq + n)) != NULL && ok;
  ok = (met->there = numbers(g, g->sim->nq + n)) != NULL && ok;
  for (size_t i = 0; i < sizeof of_bodies / sizeof *of_bodies; i++)
    ok = (*of_bodies[i] = numbers(g, 6 * nb + n)) != NULL && ok;
  for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++)
    ok = (*of_all[i] = numbers(g, met->width)) != NULL && ok;
  if (ok && met->tangent) mb_tangent_place(met->beside, met->tangent);
  met->thrown = mb_arena_alloc(&g->arena, nb + 1, sizeof *met->thrown);
  met->was = mb_arena_alloc(&g->arena, nb + 1, sizeof *met->was);
  for (int i = 0; i < 2; i++)
    ok &= (met->kept[i] = mb_arena_alloc(&g->arena, groups + 1, sizeof **met->kept)) != NULL;
  return ok && met->thrown && met->was && mb_met_arcs_make(g);
}

static void free_moves(MbTouchMoves *moves) {
  mb_free(moves->near.touch), mb_free(moves->thrown);
  mb_free(moves->kept.v), mb_free(moves->kept.island);
  for (int i = 0; i < MB_TOUCH_MOVES; i++) {
    mb_free(moves->move[i].q), mb_free(moves->move[i].dq), mb_free(moves->move[i].row),
        mb_free(moves->move[i].nu);
    mb_free(moves->move[i].pushed.touch);
  }
}

void mb_met_free(MbSensitivity *g) {
  if (!g->met) return;
  mb_sim_free(g->met->beside);
  mb_free(g->met->pressing.touch), mb_free(g->met->entry);
  free_moves(&g->met->moves);
}

bool mb_met_reserve(MbSensitivity *g, size_t n) {
  MbMet *met = g->met;
  const size_t nv = g->met->width;
  if (n <= met->room) return true;
  const size_t room = 2 * met->room > n ? 2 * met->room : n, rows = 3 * room + g->sim->model->nslots;
  met->contact = mb_arena_alloc(&g->arena, room, sizeof *met->contact);
  met->G = numbers(g, 3 * room * nv), met->Y = numbers(g, 3 * room * nv);
  met->mu = numbers(g, 3 * room), met->zeta = numbers(g, 3 * room), met->eta = numbers(g, 3 * room);
  met->pull = numbers(g, room), met->asked = numbers(g, rows);
  met->first_entry = mb_arena_alloc(&g->arena, room + 1, sizeof *met->first_entry);
  bool ok = met->contact && met->first_entry && met->G && met->Y && met->mu && met->zeta && met->eta &&
            met->pull && met->asked;
  for (int k = 0; k < 3; k++) ok &= (met->seen[k] = mb_arena_alloc(&g->arena, room, sizeof(MbSeen))) != NULL;
  ok = ok && mb_ranked_create(&g->arena, &met->S, rows);
  met->room = ok ? room : 0;
  return ok;
}

// ---- what has been met ----------------------------------------------------------------------------------------------

static bool copy_move(const MbSensitivity *g, MbTouchMove *to, const MbTouchMove *from) {
  const size_t n = 3 * mb_model_points(g->sim->model);
  const size_t nq = from->nodes ? n : g->sim->nq, nv = from->nodes ? 0 : g->sim->nv;
  if (!mb_grow(&to->q, &to->q_room, nq, sizeof *to->q) ||
      !mb_grow(&to->dq, &to->dq_room, nv, sizeof *to->dq) ||
      !mb_grow(&to->row, &to->row_room, from->nrows, sizeof *to->row) ||
      !mb_grow(&to->nu, &to->nu_room, from->nrows, sizeof *to->nu) ||
      !mb_touch_copy_pushes(&to->pushed, &from->pushed))
    return false;
  memcpy(to->q, from->q, nq * sizeof *to->q);
  if (nv) memcpy(to->dq, from->dq, nv * sizeof *to->dq);
  if (from->nrows) memcpy(to->row, from->row, from->nrows * sizeof *to->row);
  if (from->nrows) memcpy(to->nu, from->nu, from->nrows * sizeof *to->nu);
  to->nodes = from->nodes, to->plain = from->plain, to->nrows = from->nrows;
  return true;
}

static bool copy_thrown(MbTouchMoves *to, const MbTouchMoves *from) {
  if (!mb_grow(&to->thrown, &to->thrown_room, from->nthrown, sizeof *to->thrown)) return false;
  if (from->nthrown) memcpy(to->thrown, from->thrown, from->nthrown * sizeof *to->thrown);
  to->nthrown = from->nthrown;
  return true;
}

static bool copy_kept(const MbSensitivity *g, MbTouchKeptNote *to, const MbTouchKeptNote *from) {
  const size_t n = g->sim->model->nb + g->sim->model->ndeformables;
  to->any = from->any, to->n = from->n;
  if (!from->any) return true;
  if (!mb_grow(&to->v, &to->v_room, from->n, sizeof *to->v) ||
      !mb_grow(&to->island, &to->island_room, n, sizeof *to->island))
    return false;
  memcpy(to->v, from->v, from->n * sizeof *to->v);
  memcpy(to->island, from->island, n * sizeof *to->island);
  return true;
}

bool mb_met_note(const MbSensitivity *g, MbMeeting *meeting) {
  const MbTouchMoves *moves = &g->met->moves;
  if (moves->no_memory || !mb_touch_copy_pushes(&meeting->pushed, &g->sim->touching->last) ||
      !mb_touch_copy_pushes(&meeting->near, &moves->near))
    return false;
  meeting->moves.n = moves->n, meeting->moves.bodies = moves->bodies;
  meeting->moves.settles = moves->settles, meeting->moves.unsettled = moves->unsettled;
  for (int i = 0; i < moves->n; i++)
    if (!copy_move(g, &meeting->moves.move[i], &moves->move[i])) return false;
  return copy_thrown(&meeting->moves, moves) && copy_kept(g, &meeting->moves.kept, &moves->kept);
}

void mb_met_forget(MbMeeting *meeting) {
  mb_free(meeting->pushed.touch), mb_free(meeting->near.touch);
  free_moves(&meeting->moves);
}

size_t mb_met_bytes(const MbMeeting *meeting) {
  size_t bytes = (meeting->pushed.room + meeting->near.room) * sizeof(MbPushed) +
                 meeting->moves.thrown_room * sizeof *meeting->moves.thrown +
                 meeting->moves.kept.v_room * sizeof *meeting->moves.kept.v +
                 meeting->moves.kept.island_room * sizeof *meeting->moves.kept.island;
  for (int i = 0; i < MB_TOUCH_MOVES; i++) {
    const MbTouchMove *move = &meeting->moves.move[i];
    bytes += move->pushed.room * sizeof(MbPushed) + (move->q_room + move->dq_room) * sizeof(double) +
             move->row_room * sizeof *move->row + move->nu_room * sizeof *move->nu;
  }
  return bytes;
}
