#include "core/solvers/redmax/links.h"
#include "core/base/alloc.h"
#include "core/joints/joints.h"

#include <assert.h>
#include <string.h>

// Rotations so small that they are rounding's: angles below 4e-16, as 1 − cos x = x²/2 would not show them.
static bool is_unit(const double k[4]) { return fabs(k[1]) + fabs(k[2]) + fabs(k[3]) < 4e-16; }
static bool is_axis(const double a[3], int i) {
  return fabs(a[(i + 1) % 3]) + fabs(a[(i + 2) % 3]) < 4e-16 && a[i] > 0;
}

static MbTurn turn_of(const double k[4], const double axis[3]) {
  MbTurn turn = {.k = {k[0], k[1], k[2], k[3]}, .a = {axis[0], axis[1], axis[2]}};
  mb_quat_normalise(turn.k);
  mb_quat_mul(turn.k2, turn.k, (const double[4]){0, axis[0], axis[1], axis[2]});
  return turn;
}

static MbTurn make_turn(const MbModel *model, size_t b) {
  const MbPose *P = &model->P[b], *B = &model->B[b];
  double k[4], a[3];
  mb_quat_mul(k, P->q, B->q);
  mb_quat_unrotate(a, B->q, model->joint[b].axis);
  return turn_of(k, a);
}

static void make_revolute(const MbModel *model, size_t b, MbLinks *links) {
  MbLink *link = &links->link[b];
  const MbTurn turn = make_turn(model, b);
  mb_quat_unrotate(link->c, model->B[b].q, model->B[b].p);
  link->along = 3;
  for (uint32_t i = 0; i < 3; i++)
    if (is_unit(turn.k) && is_axis(turn.a, (int)i)) link->along = i;
  if (link->along == 3) link->turn = (uint32_t)links->nturns++;
}

// Whether body b's joint is made of turns, which it then lists.
static bool list_turns(const MbJoint *joint, MbJointTurn *turn) {
  return joint->ops && joint->ops->turns && joint->ops->turns(joint, turn);
}

static_assert(MB_JOINT_MOST <= UINT8_MAX, "MbHop counts turns in a byte");

// Makes room for the turns of body b's joint, if it is made of such, and has O where their axes meet.
static void count_turns(const MbModel *model, size_t b, MbLinks *links) {
  MbJointTurn list[MB_JOINT_MOST];
  if (!list_turns(&model->joint[b], list)) return;
  links->hop[b].turns = (uint8_t)model->joint[b].n;
  mb_quat_unrotate(links->link[b].c, model->B[b].q, model->B[b].p);
  links->link[b].turn = (uint32_t)links->nturns;
  links->nturns += model->joint[b].n;
}

// Lists the turns of body b's joint, of which the first one begins in the parent's C axes and the last one leads to the body's.
static void make_several(const MbModel *model, size_t b, MbTurn *turn) {
  MbJointTurn list[MB_JOINT_MOST];
  const size_t n = model->joint[b].n;
  if (!list_turns(&model->joint[b], list)) return;
  mb_quat_mul(list->k, model->P[b].q, list->k);
  mb_quat_mul(list[n - 1].k, list[n - 1].k, model->B[b].q);
  mb_quat_unrotate(list[n - 1].a, model->B[b].q, list[n - 1].a);
  for (size_t i = 0; i < n; i++) turn[i] = turn_of(list[i].k, list[i].a);
}

// The turns of those that need some.
static bool make_turns(const MbModel *model, MbLinks *links) {
  links->turn = mb_calloc(links->nturns, sizeof *links->turn);
  for (size_t b = 0; links->turn && b < links->nb; b++) {
    MbTurn *turn = links->turn + links->link[b].turn;
    if (links->hop[b].kind == MB_LINK_REVOLUTE && links->link[b].along == 3) *turn = make_turn(model, b);
    if (links->hop[b].turns) make_several(model, b, turn);
  }
  return links->turn;
}

static void make_link(const MbModel *model, MbLinks *links, size_t b) {
  MbHop *hop = &links->hop[b];
  MbLink *link = &links->link[b];
  const MbJoint *joint = &model->joint[b];
  const size_t p = model->parent[b];
  *link = (MbLink){.m = model->M[6 * b + 3]};
  memcpy(link->I, model->M + 6 * b, sizeof link->I);
  hop->kind = !joint->ops                                       ? MB_LINK_FREE
              : joint->ops == mb_joint_table[MB_JOINT_REVOLUTE] ? MB_LINK_REVOLUTE
                                                                : MB_LINK_GENERAL;
  hop->n = joint->ops ? (uint32_t)joint->n : 6;
  hop->q = (uint32_t)model->q_first[b], hop->v = (uint32_t)model->v_first[b];
  hop->m = link->m;
  if (hop->kind != MB_LINK_REVOLUTE) {
    hop->column = (uint32_t)links->ncolumns, hop->square = (uint32_t)links->nsquares;
    links->ncolumns += hop->n, links->nsquares += (size_t)hop->n * hop->n;
  }
  hop->flies = model->flies[b];
  if (hop->n > links->most) links->most = hop->n;
  mb_vec3_copy(link->e, model->P[b].p);
  if (p != MB_WORLD) mb_vec3_add(link->e, link->e, links->link[p].c); // from O_p, not from C_p
  if (hop->kind == MB_LINK_REVOLUTE) make_revolute(model, b, links);
  if (hop->kind == MB_LINK_GENERAL) count_turns(model, b, links);
}

// Slots by a stack of those that are free. `last` and `spare` are scratch.
static void give_slots(const MbModel *model, MbLinks *links, size_t *last, uint32_t *spare) {
  const size_t nb = links->nb;
  size_t nspare = 0;
  uint32_t used = 1;
  for (size_t b = 0; b < nb; b++) last[b] = b;
  for (size_t b = 0; b < nb; b++)
    if (model->parent[b] != MB_WORLD) last[model->parent[b]] = b;
  for (size_t b = 0; b < nb; b++) {
    const size_t p = model->parent[b];
    MbHop *hop = &links->hop[b];
    hop->slot = nspare ? spare[--nspare] : used++;
    hop->up = p == MB_WORLD ? 0 : links->hop[p].slot;
    hop->leaf = last[b] == b;
    hop->alone = hop->leaf && hop->kind == MB_LINK_FREE;
    hop->last = p != MB_WORLD && last[p] == b;
    if (hop->last) spare[nspare++] = hop->up;
    if (hop->leaf) spare[nspare++] = hop->slot;
  }
  links->slots = used;
}

bool mb_links_create(const MbModel *model, MbLinks *links) {
  const size_t nb = model->nb;
  *links =
      (MbLinks){.model = model, .nb = nb, .nq = model->nq, .nv = model->nv, .inertia = model->joint_inertia};
  if (nb >= UINT32_MAX / 2 || model->nq > UINT32_MAX / MB_JOINT_MOST) return false; // squares fit too
  links->hop = mb_calloc(nb, sizeof *links->hop);
  links->link = mb_calloc(nb, sizeof *links->link);
  size_t *last = mb_calloc(nb, sizeof *last);
  uint32_t *spare = mb_calloc(nb + 1, sizeof *spare);
  const bool ok = links->hop && links->link && last && spare;
  for (size_t b = 0; ok && b < nb; b++) make_link(model, links, b);
  if (ok) give_slots(model, links, last, spare);
  mb_free(last);
  mb_free(spare);
  return ok && make_turns(model, links);
}

void mb_links_free(MbLinks *links) {
  mb_free(links->hop);
  mb_free(links->link);
  mb_free(links->turn);
}

size_t mb_links_bytes(const MbLinks *links) {
  return links->nb * (sizeof *links->hop + sizeof *links->link) + links->nturns * sizeof *links->turn;
}

static bool same_hop(const MbHop *a, const MbHop *b) {
  return a->slot == b->slot && a->up == b->up && a->kind == b->kind && a->leaf == b->leaf &&
         a->last == b->last && a->flies == b->flies && a->n == b->n && a->q == b->q && a->v == b->v &&
         a->column == b->column && a->square == b->square && a->turns == b->turns;
}

bool mb_links_alike(const MbLinks *a, const MbLinks *b) {
  bool alike =
      a->nb == b->nb && a->nq == b->nq && a->nv == b->nv && a->slots == b->slots && a->nturns == b->nturns;
  for (size_t i = 0; alike && i < a->nb; i++)
    alike = same_hop(&a->hop[i], &b->hop[i]) && a->model->joint[i].ops == b->model->joint[i].ops &&
            a->link[i].along == b->link[i].along &&
            a->link[i].turn == b->link[i].turn; // 0 where there is none
  return alike;
}
