// What a scene says of contact and friction.
#ifndef MB_MODEL_SPEC_CONTACTS_H
#define MB_MODEL_SPEC_CONTACTS_H

#include <stdbool.h>
#include <stddef.h>

// The cones that friction may stay in, as core/contact has them in the same order.
typedef enum MbConeKind { MB_NO_CONE, MB_BOX_CONE, MB_PYRAMID_CONE, MB_ROUND_CONE, MB_CONES } MbConeKind;
// The methods, which core/contact has by the same words.
typedef enum MbContactMethodKind {
  MB_CONTACT_AUTO,
  MB_CONTACT_BY_PIVOTING,
  MB_CONTACT_BY_GAUSS_SEIDEL,
  MB_CONTACT_BY_STAGGERED,
  MB_CONTACT_BY_NEWTON,
  MB_CONTACT_BY_ADMM,
  MB_CONTACT_METHODS
} MbContactMethodKind;
typedef enum MbNewtonFunction {
  MB_BY_MINIMUM_MAP,
  MB_BY_FISCHER_BURMEISTER,
  MB_NEWTON_FUNCTIONS
} MbNewtonFunction;

// What holds for two bodies; NaN = not given.
typedef struct MbContactPairSpec {
  const char *bodies[2];
  double friction, restitution;
} MbContactPairSpec;

typedef struct MbBodyPairSpec {
  const char *bodies[2];
} MbBodyPairSpec;

// Contact and friction.
typedef struct MbContactsSpec {
  bool enabled;
  double friction, restitution;
  double threshold; // approaches that are slower do not rebound, m/s; NaN = not given
  MbContactMethodKind method;
  MbConeKind cone;
  int sides;                  // of a pyramid
  double compliance, damping; // 0 = hard
  int iterations;             // 0 = not given: compile_contacts.c has those of each method
  double tolerance;           // of the natural map
  MbNewtonFunction function;
  bool self; // deformables, where these do not say it
  size_t npairs, nexclude;
  MbContactPairSpec *pairs; // (npairs)
  MbBodyPairSpec *exclude;  // (nexclude)
} MbContactsSpec;

// The words of the scene format, in the order of their enum, each list ended by NULL.
extern const char *const mb_cone_kind_words[MB_CONES + 1];
extern const char *const mb_contact_method_words[MB_CONTACT_METHODS + 1];
extern const char *const mb_newton_function_words[MB_NEWTON_FUNCTIONS + 1];

#endif
