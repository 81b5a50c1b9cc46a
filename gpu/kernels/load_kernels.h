// What acts on nodes beside their elements: fibres, wind, pressure in chambers, cables with a tension (core/solvers/projective/pd_loads.c,
// pd_cables.c). One fibre at a point, triangle or cable a thread, which leaves vectors; then a node a thread, which gathers of them what is
// its own, in one order. Vectors are those of fibres, of triangles that wind blows at, of triangles around chambers, of points of cables.
#ifndef MB_GPU_KERNELS_LOAD_KERNELS_H
#define MB_GPU_KERNELS_LOAD_KERNELS_H

#include "gpu/kernels/kernel_body.h"

#include "core/deformables/load_body.h"
#include "core/math/mat3.h"

enum { MB_LOAD_CORNERS = 4, mb_load_chamber_NUMBERS = 1 }; // corners of an element that has fibres

typedef struct MbLoadArgs {
  const double *x;       // (nodes x 3)
  const double *q0, *v0; // at the step's start
  double span;
  uint32_t nfibres, nblown, npressed, npoints; // vectors
  uint32_t nchambers;
  // fibres
  const uint32_t *fibre_node; // (nfibres x 4) the first again where there are fewer
  const double *fibre_share;  // (nfibres x 4) c
  const double *fibre_volume;
  const uint32_t *family; // (nfibres)
  const MbFibreStuff *families;
  const double *activation; // (families) of the step
  // wind
  const uint32_t *blown_node; // (nblown x 3)
  const uint32_t *blown_by;   // (nblown) twice the number of its wind, and 1 where its surface is closed
  const MbWindStuff *winds;
  const double *wind;         // (winds x 3) of the step
  double *f0, *C, *mean, *at; // (nblown x 3), (x 9), (x 3), (x 3) of the step's start
  // pressure
  const uint32_t *pressed_node; // (npressed x 3)
  const uint32_t *chamber_of;   // (npressed)
  const uint32_t *chamber;      // (chambers + 1) where each one's triangles begin
  const MbChamberStuff *chambers;
  const double *pressure; // (chambers) of the step
  double *part, *P;       // (npressed) volumes; (chambers)
  // cables
  const uint32_t *cable;   // (cables + 1) where each one's points begin
  const uint32_t *point;   // (npoints + 1) where the nodes of each begin
  const uint32_t *through; // nodes
  const double *tension;   // (cables) of the step
  double *pull;            // (vectors x 3)
  double *energy;          // (nfibres, nblown, chambers, cables)
  const uint32_t *mine;    // (nodes + 1) into `which` and `share`
  const uint32_t *which;
  const double *share;
  double *f; // (nodes x 3)
} MbLoadArgs;

MB_BODY const double *mb_load_place(const double *x, const uint32_t *node, size_t i) {
  return x + 3 * (size_t)node[i];
}
MB_BODY void mb_load_middle(const double *x, const uint32_t node[3], double middle[3]) {
  mb_vec3_add(middle, mb_load_place(x, node, 0), mb_load_place(x, node, 1));
  mb_vec3_add(middle, middle, mb_load_place(x, node, 2));
  mb_vec3_scale(middle, 1.0 / 3, middle);
}

MB_BODY void mb_load_draw(const MbLoadArgs *a, size_t i) {
  const uint32_t *const node = a->fibre_node + MB_LOAD_CORNERS * i;
  double y[3] = {0, 0, 0}, side[3], T, slope;
  for (size_t c = 1; c < MB_LOAD_CORNERS; c++) {
    mb_vec3_sub(side, mb_load_place(a->x, node, c), mb_load_place(a->x, node, 0));
    mb_vec3_add_scaled(y, y, a->fibre_share[MB_LOAD_CORNERS * i + c], side);
  }
  const double stretch = mb_vec3_norm(y), V = a->fibre_volume[i];
  const uint32_t m = a->family[i];
  a->energy[i] = V * mb_fibre_stretch_of(&a->families[m], a->activation[m], stretch, &T, &slope);
  mb_vec3_scale(a->pull + 3 * i, stretch > 0 ? -V * T / stretch : 0, y);
}

// At the step's start: f₀, C, the mean velocity and place.
MB_BODY void mb_load_air(const MbLoadArgs *a, size_t t) {
  const uint32_t *const node = a->blown_node + 3 * t, by = a->blown_by[t] / 2;
  const bool closed = a->blown_by[t] % 2;
  double area[3], u[3], along, across;
  mb_load_middle(a->v0, node, a->mean + 3 * t);
  mb_load_middle(a->q0, node, a->at + 3 * t);
  mb_triangle_area_of(mb_load_place(a->q0, node, 0), mb_load_place(a->q0, node, 1),
                      mb_load_place(a->q0, node, 2), area);
  mb_vec3_sub(u, a->wind + 3 * by, a->mean + 3 * t);
  const bool feels = mb_wind_parts_of(&a->winds[by], closed, area, u, &along, &across);
  for (int c = 0; c < 3; c++) a->f0[3 * t + (size_t)c] = feels ? along * u[c] + across * area[c] : 0;
  for (size_t c = 0; c < 9; c++) a->C[9 * t + c] = 0;
  if (feels) mb_wind_slope_of(&a->winds[by], along, area, u, a->C + 9 * t);
}

MB_BODY void mb_load_blow(const MbLoadArgs *a, size_t t) {
  const double *const f0 = a->f0 + 3 * t, h = a->span;
  double d[3], e[3], Ce[3], *const to = a->pull + 3 * (a->nfibres + t);
  mb_load_middle(a->x, a->blown_node + 3 * t, d);
  mb_vec3_sub(d, d, a->at + 3 * t);
  for (size_t c = 0; c < 3; c++) e[c] = d[c] / h - a->mean[3 * t + c];
  mb_mat3_apply(Ce, a->C + 9 * t, e);
  a->energy[a->nfibres + t] = h * mb_vec3_dot(e, Ce) / 2 - mb_vec3_dot(f0, d);
  for (size_t c = 0; c < 3; c++) to[c] = (f0[c] - Ce[c]) / 3;
}

// From the chamber's first node, so that places far from the origin do no harm.
MB_BODY void mb_load_volume(const MbLoadArgs *a, size_t t) {
  const uint32_t *const node = a->pressed_node + 3 * t;
  const double *const from = mb_load_place(a->x, a->pressed_node, 3 * (size_t)a->chamber[a->chamber_of[t]]);
  a->part[t] = mb_triangle_volume(mb_load_place(a->x, node, 0), mb_load_place(a->x, node, 1),
                                  mb_load_place(a->x, node, 2), from);
}

MB_BODY void mb_load_chamber_part(const MbLoadArgs *a, size_t k, uint32_t lane, double *sum) {
  for (size_t t = a->chamber[k] + lane; t < a->chamber[k + 1]; t += MB_WARP) sum[0] += a->part[t];
}
MB_BODY double mb_load_chamber_join(const MbLoadArgs *a, size_t k, double one, double other) {
  (void)a, (void)k;
  return one + other;
}
MB_BODY void mb_load_chamber_end(const MbLoadArgs *a, size_t k, const double *sum) {
  double slope;
  a->energy[a->nfibres + a->nblown + k] =
      mb_chamber_push_of(&a->chambers[k], a->pressure[k], sum[0] / 6, &a->P[k], &slope);
}

MB_BODY void mb_load_press(const MbLoadArgs *a, size_t t) {
  const uint32_t *const node = a->pressed_node + 3 * t;
  double area[3];
  mb_triangle_area_of(mb_load_place(a->x, node, 0), mb_load_place(a->x, node, 1),
                      mb_load_place(a->x, node, 2), area);
  mb_vec3_scale(a->pull + 3 * ((size_t)a->nfibres + a->nblown + t), a->P[a->chamber_of[t]] / 3, area);
}

// Point j of all: the mean of its nodes.
MB_BODY void mb_load_point(const MbLoadArgs *a, size_t j, double c[3]) {
  mb_vec3_set(c, 0, 0, 0);
  for (uint32_t k = a->point[j]; k < a->point[j + 1]; k++)
    mb_vec3_add(c, c, a->x + 3 * (size_t)a->through[k]);
  mb_vec3_scale(c, 1 / (double)(a->point[j + 1] - a->point[j]), c);
}

// A cable (core/deformables/cable.c), of which a point's vector is what each of its nodes feels.
MB_BODY void mb_load_cable(const MbLoadArgs *a, size_t n) {
  const double T = a->tension[n];
  double length = 0, at[3], next[3], d[3], before[3] = {0, 0, 0};
  double *const pull = a->pull + 3 * ((size_t)a->nfibres + a->nblown + a->npressed);
  mb_load_point(a, a->cable[n], at);
  for (size_t j = a->cable[n]; j < a->cable[n + 1]; j++) {
    const double nodes = (double)(a->point[j + 1] - a->point[j]);
    double l = 0;
    mb_vec3_set(d, 0, 0, 0);
    if (j + 1 < a->cable[n + 1]) {
      mb_load_point(a, j + 1, next);
      mb_vec3_sub(d, next, at);
      l = mb_vec3_norm(d);
      mb_vec3_copy(at, next);
      mb_vec3_scale(d, l > 0 ? 1 / l : 0, d);
    }
    length += l;
    for (size_t c = 0; c < 3; c++) pull[3 * j + c] = -T * (before[c] - d[c]) / nodes;
    mb_vec3_copy(before, d);
  }
  a->energy[a->nfibres + a->nblown + a->nchambers + n] = T * length;
}

MB_BODY void mb_load_collect(const MbLoadArgs *a, size_t i) {
  double *const f = a->f + 3 * i;
  for (uint32_t k = a->mine[i]; k < a->mine[i + 1]; k++)
    mb_vec3_add_scaled(f, f, a->share[k], a->pull + 3 * (size_t)a->which[k]);
}

#endif
