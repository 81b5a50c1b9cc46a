// Private to core/sim/tangent_number.c and tangent_gather.c.
#ifndef MB_SIM_TANGENT_NUMBER_PARTS_H
#define MB_SIM_TANGENT_NUMBER_PARTS_H

#include "core/sim/tangent_framed.h"
#include "core/sim/tangent_number.h"
#include "core/sim/tangent_parts.h"

// A constraint of which a number changes one of its own parameters and nothing else, as lengths that are those at the start are changed by all that moves their ends.
typedef struct MbTangentShared {
  size_t constraint, place; // of the parameter among its doubles
  double by;                // how much
} MbTangentShared;

struct MbTangentNumber {
  MbSim *side[2];
  size_t nmasses, njoints, nframed, nforces;
  size_t *mass;   // (nmasses) bodies
  size_t *joint;  // (njoints) bodies whose joints differ
  size_t *framed; // (nframed) the bodies of which frames alone differ, and by how much
  MbTangentFramed *by;
  size_t *force[2]; // (nforces) in the lists of each side
  size_t nties,
      *tie; // (nties) constraints, of which there are nalone that no other number's difference tells of
  size_t nalone, *alone;
  size_t nshared;
  MbTangentShared *shared;  // (nshared)
  bool gravity;             // differs
  bool along;               // what acts along coordinates may differ
  bool rotors;              // their inertias may differ
  size_t nsignals, *signal; // (nsignals) signals that may have other values
  bool frames;              // bodies' own differ in them
  bool jumps;               // by more than a little
  double *wrench[2];        // (nb x 6)
  double *own[2];           // (nv)
};

// Whether masses are felt alone, and gathered: not beside another gravity.
static inline bool mb_tangent_number_linear(const MbTangentNumber *n) { return !n->gravity; }

#endif
