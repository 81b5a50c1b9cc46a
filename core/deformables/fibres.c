#include "core/deformables/fibres.h"
#include "core/deformables/load_body.h"
#include "core/math/mat3.h"

static void sides_of(const double *x, const uint32_t *corner, size_t rank, double E[9]) {
  for (size_t a = 0; a < rank; a++)
    mb_vec3_sub(E + 3 * a, x + 3 * (size_t)corner[a + 1], x + 3 * (size_t)corner[0]);
  if (rank == 2) mb_vec3_cross(E + 6, E, E + 3); // across
}

double mb_fibre_volume(const double *x, const uint32_t *corner, size_t rank) {
  double E[9];
  sides_of(x, corner, rank, E);
  return rank == 2 ? mb_vec3_norm(E + 6) / 2 : fabs(mb_mat3_det(E)) / 6;
}

// d = Σ c_a e_a, of a sheet without what is across it, by the rule of Cramer.
bool mb_fibre_weights(const double *x, const uint32_t *corner, size_t rank, const double d[3], double *c) {
  static const double LEAST = 1e-3; // of d that is in the sheet
  double E[9], e[3], in[3];
  sides_of(x, corner, rank, E);
  const double det = mb_mat3_det(E);
  mb_vec3_copy(in, d);
  if (rank == 2) mb_vec3_add_scaled(in, in, -mb_vec3_dot(d, E + 6) / mb_vec3_dot(E + 6, E + 6), E + 6);
  const double length = mb_vec3_norm(in);
  if (!(fabs(det) > 0) || !(length > LEAST * mb_vec3_norm(d))) return false;
  c[0] = 0;
  for (size_t a = 0; a < rank; a++) {
    mb_vec3_cross(e, E + 3 * ((a + 1) % 3), E + 3 * ((a + 2) % 3));
    c[a + 1] = mb_vec3_dot(e, in) / (det * length);
    c[0] -= c[a + 1];
  }
  return true;
}

void mb_fibre_along(const double *c, size_t nodes, MbSpots places, const uint32_t *node, double y[3]) {
  double side[3];
  mb_vec3_set(y, 0, 0, 0);
  for (size_t a = 1; a < nodes; a++) {
    mb_vec3_sub(side, mb_spot(&places, node[a]), mb_spot(&places, node[0]));
    mb_vec3_add_scaled(y, y, c[a], side);
  }
}

double mb_fibre_energy(const MbFibres *fibres, double activation, double stretch, double *T, double *slope) {
  const MbFibreStuff stuff = {fibres->stiffness, fibres->beyond, fibres->strength, fibres->limit};
  double tension, change;
  const double energy = mb_fibre_stretch_of(&stuff, activation, stretch, &tension, &change);
  if (T) *T = tension;
  if (slope) *slope = change;
  return energy;
}

void mb_fibre_tension_as(const MbFibres *fibres, double activation, double stretch, const MbFibres *other,
                         double its_stretch, double *T, double *slope) {
  const double strain = stretch - 1, there = its_stretch - 1;
  const double k = mb_fibre_side_of(there) * fibres->stiffness,
               beyond = mb_fibre_side_of(there - other->limit) * fibres->beyond;
  *T = k * strain + beyond * (strain - fibres->limit) + fmin(fmax(activation, 0), 1) * fibres->strength;
  *slope = k + beyond;
}

void mb_fibre_direct(const double y[3], double T, double slope, double u[3], double *stiff) {
  const double stretch = mb_vec3_norm(y), across = stretch > 0 ? T / stretch : 0;
  mb_vec3_scale(u, stretch > 0 ? 1 / stretch : 0, y);
  for (size_t i = 0; stiff && i < 3; i++)
    for (size_t j = 0; j < 3; j++) stiff[3 * i + j] = (slope - across) * u[i] * u[j] + (i == j ? across : 0);
}

double mb_fibre_pull(const MbFibres *fibres, double activation, const double y[3], double u[3], double *T,
                     double *stiff) {
  double slope;
  const double energy = mb_fibre_energy(fibres, activation, mb_vec3_norm(y), T, &slope);
  mb_fibre_direct(y, *T, slope, u, stiff);
  return energy;
}

double mb_fibre_most(const MbFibres *fibres) {
  return fibres->stiffness + fibres->beyond + 2 * fibres->strength;
}
