#include "core/forces/corner_curve.h"
#include "core/math/mat3.h"
#include "core/math/spatial.h"

#include <string.h>

static void to_world(MbCorner *c, MbCornerVector k) {
  if (c->turns)
    mb_mat3_apply(c->at[k], c->R, c->own[k]);
  else
    mb_vec3_copy(c->at[k], c->own[k]);
}

void mb_corner_take(size_t body, const MbMaximal *x, const MbForceCurve *at, MbCorner *c) {
  const size_t v = 6 * body + 3;
  c->body = body, c->turns = at->model->parent[body] != MB_WORLD;
  if (c->turns) mb_quat_to_mat3(c->R, x->E[body].q);
  mb_vec3_copy(c->own[MB_CORNER_RATE], x->phi + v);
  mb_vec3_add(c->own[MB_CORNER_X], at->x1 + v, at->x2 + v);
  mb_vec3_add(c->own[MB_CORNER_Y], at->y1 + v, at->y2 + v);
  mb_vec3_scale(c->own[MB_CORNER_X], 0.5, c->own[MB_CORNER_X]);
  mb_vec3_scale(c->own[MB_CORNER_Y], 0.5, c->own[MB_CORNER_Y]);
  for (MbCornerVector k = MB_CORNER_RATE; k <= MB_CORNER_Y; k++) to_world(c, k);
  mb_vec3_copy(c->at[MB_CORNER_PLACE], x->E[body].p);
  mb_vec3_set(c->own[MB_CORNER_PLACE], 0, 0, 0);
}

// z of it, with t.
static void weigh(const MbForceCurve *at, const double z[6], MbCorner *c) {
  double x[3];
  mb_vec3_copy(c->own[MB_CORNER_Z], z + 3);
  mb_vec3_set(c->own[MB_CORNER_T], 0, 0, 0);
  if (c->turns) {
    mb_vec3_cross(c->own[MB_CORNER_T], at->y1 + 6 * c->body, z + 3);
    mb_vec3_cross(x, z, at->y2 + 6 * c->body + 3);
    mb_vec3_add(c->own[MB_CORNER_T], c->own[MB_CORNER_T], x);
    mb_vec3_scale(c->own[MB_CORNER_T], 0.5, c->own[MB_CORNER_T]);
  }
  to_world(c, MB_CORNER_Z), to_world(c, MB_CORNER_T);
  memset(c->felt, 0, sizeof c->felt);
}

// What is felt by along the body's motion and its twist.
static void back(const MbCorner *c, double move[6], double phi[6]) {
  memset(move, 0, 6 * sizeof *move), memset(phi, 0, 6 * sizeof *phi);
  if (!c->turns) {
    mb_vec3_copy(move + 3, c->felt[MB_CORNER_PLACE]);
    mb_vec3_copy(phi + 3, c->felt[MB_CORNER_RATE]);
    return;
  }
  mb_mat3_tapply(move + 3, c->R, c->felt[MB_CORNER_PLACE]);
  mb_mat3_tapply(phi + 3, c->R, c->felt[MB_CORNER_RATE]);
  for (MbCornerVector k = MB_CORNER_RATE; k < MB_CORNER_VECTORS; k++) {
    double felt[3], turn[3];
    mb_mat3_tapply(felt, c->R, c->felt[k]);
    mb_vec3_cross(turn, c->own[k], felt);
    mb_vec3_add(move, move, turn);
  }
}

// Along z = 1 of each number of each corner, one after the other, as S is linear in z.
static void change(const MbForceCurve *at, MbCorner *corner, size_t n, const void *piece,
                   const MbCornerPiece *kind) {
  static const double nothing[6] = {0};
  double move[6], phi[6];
  for (size_t i = 0; i < 6 * n; i++) {
    double z[6] = {0}, sum = 0;
    if (i % 6 < 3 && !corner[i / 6].turns) continue;
    z[i % 6] = 1;
    for (size_t a = 0; a < n; a++) weigh(at, a == i / 6 ? z : nothing, &corner[a]);
    kind->feel(piece, corner, n);
    for (size_t a = 0; a < n; a++) {
      const size_t b = 6 * corner[a].body;
      back(&corner[a], move, phi);
      for (size_t k = 0; k < 6; k++) sum += move[k] * at->move[b + k] + phi[k] * at->phi[b + k];
    }
    at->change[6 * corner[i / 6].body + i % 6] += sum;
  }
}

void mb_corner_curve(const MbForceCurve *at, MbCorner *corner, size_t n, const void *piece,
                     const MbCornerPiece *kind) {
  double move[6], phi[6];
  if (at->change) {
    change(at, corner, n, piece, kind);
    return;
  }
  for (size_t a = 0; a < n; a++) weigh(at, at->z + 6 * corner[a].body, &corner[a]);
  if (at->value) {
    *at->value += kind->value(piece, corner, n);
    return;
  }
  kind->feel(piece, corner, n);
  for (size_t a = 0; a < n; a++) {
    const size_t b = 6 * corner[a].body;
    back(&corner[a], move, phi);
    for (size_t k = 0; k < 6; k++) at->by_move[b + k] += move[k], at->by_phi[b + k] += phi[k];
  }
}
