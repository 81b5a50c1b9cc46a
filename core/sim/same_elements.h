// Whether deformables' elements of two models that differ in numbers alone push alike.
#ifndef MB_SIM_SAME_ELEMENTS_H
#define MB_SIM_SAME_ELEMENTS_H

#include "core/model/deformable.h"

#include <stdbool.h>

// At the same places and velocities, with the same signals. Of how they are laid out nothing is looked at.
bool mb_same_elements(const MbElementForce *one, const MbElementForce *other);
// The same of elements whose nodes are no bodies, masses aside.
bool mb_same_nodes(const MbElements *one, const MbElements *other);
// Whether they are the same at rest.
bool mb_same_rest(const MbElements *one, const MbElements *other);
// Whether nodes have the same masses, and whether those that are held go to the same places, with the same signals and bodies.
bool mb_same_masses(const MbElements *one, const MbElements *other);
bool mb_same_targets(const MbElements *one, const MbElements *other);

#endif
