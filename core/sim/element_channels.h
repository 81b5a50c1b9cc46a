// What is told of each element of a deformable at the state: stress and strain (deformables/tell_element.h).
#ifndef MB_SIM_ELEMENT_CHANNELS_H
#define MB_SIM_ELEMENT_CHANNELS_H

#include "core/sim/sim_internal.h"

// Elements that are strained, tetrahedra or triangles of cloth; 0: it has none.
size_t mb_element_count(const MbDeformable *of);
// Principal values that one has: 3, of cloth 2.
size_t mb_element_rank(const MbDeformable *of);

void mb_element_stresses(const MbSim *sim, const MbDeformable *of, double *out);           // (count x 6)
void mb_element_principal_stresses(const MbSim *sim, const MbDeformable *of, double *out); // (count x rank)
void mb_element_von_mises_all(const MbSim *sim, const MbDeformable *of, double *out);      // (count)
void mb_element_strains(const MbSim *sim, const MbDeformable *of, double *out);            // (count x 6)
void mb_element_principal_strains(const MbSim *sim, const MbDeformable *of, double *out);  // (count x rank)

#endif
