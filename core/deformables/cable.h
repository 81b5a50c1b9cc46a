// How long a cable through nodes is, and how that changes with their places.
#ifndef MB_DEFORMABLES_CABLE_H
#define MB_DEFORMABLES_CABLE_H

#include <stddef.h>
#include <stdint.h>

// The points that a cable runs through: each is the mean of a group of nodes.
typedef struct MbCablePath {
  size_t npoints;
  const size_t *first;  // (npoints + 1) where each group begins
  const uint32_t *node; // (first[npoints])
} MbCablePath;

// Finds point number `point` with the nodes at q (nodes x 3).
void mb_cable_point(const MbCablePath *path, size_t point, const double *q, double c[3]);

// Returns the cable's length with its nodes at q (nodes x 3); J (npoints x 3) gets the derivative of the length by the place of a node
// of each group, if it is not NULL.
double mb_cable_length(const MbCablePath *path, const double *q, double *J);

#endif
