// Whether deformables' elements of two models that differ in numbers alone push alike.
#ifndef MB_SIM_SAME_ELEMENTS_H
#define MB_SIM_SAME_ELEMENTS_H

#include "core/model/deformable.h"

#include <stdbool.h>

// At the same places and velocities, with the same signals. Of how they are laid out nothing is looked at.
bool mb_same_elements(const MbElementForce *one, const MbElementForce *other);

#endif
