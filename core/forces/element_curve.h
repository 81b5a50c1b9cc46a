// How K and D of deformables' elements change (corner_curve.h), and their parts.
#ifndef MB_FORCES_ELEMENT_CURVE_H
#define MB_FORCES_ELEMENT_CURVE_H

#include "core/forces/corner_curve.h"

// All of one deformable's.
void mb_elements_curve(const MbForce *force, const MbMaximal *x, const MbForceCurve *at);

// Bending and its damping (element_bending_curve.c); fibres, pressure and wind (element_load_curve.c).
void mb_element_bending_curve(const MbElementForce *e, const MbMaximal *x, const MbForceCurve *at);
void mb_element_loads_curve(const MbElementForce *e, const MbMaximal *x, const MbForceCurve *at);

#endif
