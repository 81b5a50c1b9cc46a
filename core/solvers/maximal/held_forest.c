// The forest of bodies (B96 6): joints hold bodies on their parents; and a constraint between two trees holds the root of one
// of them, where that is free in space, on the other or on the world. What closes loops is left to others.
#include "core/constraints/constraints.h"
#include "core/solvers/maximal/held.h"
#include "core/solvers/redmax/tree.h"

// Rows on two bodies, hard and both ways, that are always there and need no signals.
static bool may_hold(const MbModel *model, const MbConstraint *constraint) {
  const size_t own = mb_model_own(model);
  for (int end = 0; end < 2; end++) // a port's inertia is not known here
    if (constraint->body[end] != MB_WORLD && constraint->body[end] >= own) return false;
  return !constraint->ops->coordinates && !constraint->unilateral && !constraint->dry &&
         !(constraint->compliance > 0) && !constraint->npath && !constraint->nmasters &&
         constraint->ops != &mb_closure_search_ops && constraint->rows <= 6;
}

static size_t root_of(const MbHeld *held, size_t b) {
  while (b != MB_WORLD && held->up[b] != MB_WORLD) b = held->up[b];
  return b;
}

// Whether body b may be hung on something.
static bool is_free(const MbHeld *held, size_t b) {
  return b != MB_WORLD && !held->model->joint[b].ops && held->by[b] == MB_WORLD;
}

static bool is_grounded(const MbHeld *held, size_t root) { return root == MB_WORLD || !is_free(held, root); }

// The body that constraint i can hold, or MB_WORLD; *on is what it would hang on.
static size_t to_be_held(const MbHeld *held, size_t i, size_t *on) {
  const MbConstraint *constraint = &held->model->constraints[i];
  if (held->model->solver.project || !may_hold(held->model, constraint))
    return MB_WORLD; // coordinates know of joints only
  const size_t root[2] = {root_of(held, constraint->body[0]), root_of(held, constraint->body[1])};
  if (root[0] == root[1] || (is_grounded(held, root[0]) && is_grounded(held, root[1]))) return MB_WORLD;
  for (int end = 1; end >= 0; end--) {
    const size_t b = constraint->body[end];
    *on = constraint->body[1 - end];
    if (is_free(held, b) && root[end] == b) return b;
  }
  return MB_WORLD;
}

static void hang(MbHeld *held) {
  const MbModel *model = held->model;
  for (size_t b = 0; b < model->nb; b++) {
    held->up[b] = model->parent[b], held->by[b] = MB_WORLD;
    held->rows[b] = model->joint[b].ops ? 6 - model->joint[b].n : 0;
    for (size_t k = 0; k < mb_tree_dofs(model, b); k++) held->owner[model->v_first[b] + k] = b;
  }
  for (size_t i = 0; i < model->nconstraints; i++) {
    size_t on = MB_WORLD;
    const size_t b = held->holds[i] = to_be_held(held, i, &on);
    if (b == MB_WORLD) continue;
    held->by[b] = i, held->up[b] = on, held->rows[b] = model->constraints[i].rows;
    held->moved = true;
  }
}

// Numbers in which parents come before children. `stack` (nb) is scratch.
static void number(MbHeld *held, size_t *stack) {
  const size_t nb = held->model->nb;
  size_t count = 0, nrows = 0;
  for (size_t b = 0; b < nb; b++) held->spot[b] = held->moved ? MB_WORLD : b;
  for (size_t b = 0; held->moved && b < nb; b++) {
    size_t depth = 0;
    for (size_t i = b; i != MB_WORLD && held->spot[i] == MB_WORLD; i = held->up[i]) stack[depth++] = i;
    while (depth) held->spot[stack[--depth]] = count++;
  }
  for (size_t b = 0; b < nb; b++) {
    const size_t s = held->spot[b];
    held->spot_parent[s] = held->up[b] == MB_WORLD ? MB_WORLD : held->spot[held->up[b]];
    held->spot_rows[s] = held->rows[b];
    held->point[s] = b >= held->model->nlisted && held->up[b] == MB_WORLD;
    stack[s] = b;
    for (size_t k = 0; k < 6; k++) held->M[6 * s + k] = held->model->M[6 * b + k];
  }
  for (size_t s = 0; s < nb; s++) {
    held->spot_first[s] = held->first[stack[s]] = nrows;
    nrows += held->spot_rows[s];
  }
  held->shape.nb = nb, held->shape.nrows = nrows;
}

static void sort_pairs(MbHeld *held) {
  const MbModel *model = held->model;
  for (size_t n = 0; n < model->npairs; n++) {
    const size_t i = model->pair[2 * n], j = model->pair[2 * n + 1], si = held->spot[i], sj = held->spot[j];
    held->tie[n] = held->up[j] == i ? j : held->up[i] == j ? i : MB_WORLD;
    held->place[n] = MB_WORLD;
    if (held->tie[n] != MB_WORLD) continue;
    held->place[n] = held->ncouple;
    held->couple[2 * held->ncouple] = si < sj ? si : sj,
                     held->couple[2 * held->ncouple + 1] = si < sj ? sj : si;
    held->ncouple++;
  }
}

bool mb_held_plan(MbHeld *held) {
  const MbModel *model = held->model;
  const size_t nb = model->nb, size = sizeof(size_t);
  MbArena *arena = &held->arena;
  held->up = mb_arena_alloc(arena, nb, size), held->by = mb_arena_alloc(arena, nb, size);
  held->holds = mb_arena_alloc(arena, model->nconstraints, size);
  held->rows = mb_arena_alloc(arena, nb, size), held->first = mb_arena_alloc(arena, nb, size);
  held->owner = mb_arena_alloc(arena, model->nv, size);
  held->spot = mb_arena_alloc(arena, nb, size), held->spot_parent = mb_arena_alloc(arena, nb, size);
  held->spot_rows = mb_arena_alloc(arena, nb, size), held->spot_first = mb_arena_alloc(arena, nb, size);
  held->couple = mb_arena_alloc(arena, 2 * model->npairs, size);
  held->place = mb_arena_alloc(arena, model->npairs, size);
  held->tie = mb_arena_alloc(arena, model->npairs, size);
  held->M = mb_arena_alloc(arena, 6 * nb, sizeof *held->M);
  held->point = mb_arena_alloc(arena, nb, sizeof *held->point);
  size_t *stack = mb_arena_alloc(arena, nb, size);
  if (!held->up || !held->by || !held->holds || !held->rows || !held->first || !held->owner || !held->spot ||
      !held->spot_parent || !held->spot_rows || !held->spot_first || !held->couple || !held->place ||
      !held->tie || !held->M || !held->point || !stack)
    return false;
  hang(held);
  number(held, stack);
  sort_pairs(held);
  held->shape.parent = held->spot_parent, held->shape.rows = held->spot_rows,
  held->shape.first = held->spot_first;
  held->shape.point = held->point;
  held->shape.npairs = held->ncouple, held->shape.pair = held->couple;
  return true;
}
