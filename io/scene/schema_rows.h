// What the files of the scene format's table share: short words for places in structs, and objects of each other's.
#ifndef MB_IO_SCHEMA_ROWS_H
#define MB_IO_SCHEMA_ROWS_H

#include "io/scene/schema_table.h"

#include <stddef.h>

#define AT(type, member)    .offset = offsetof(type, member)
#define COUNT(type, member) .count = offsetof(type, member)
// A place in the struct of what a kind has of its own.
#define OWN(type, member)   .own = true, .offset = offsetof(type, member)
#define EXTRA(type, member) .extra = offsetof(type, member)
#define LATER(key_, what_)                                                                                   \
  { .key = (key_), .type = MB_TYPE_TEXT, .flags = MB_LATER, .help = (what_) }
// What surfaces are like, in contact.
#define FRICTION_OF(type, help_)                                                                             \
  {                                                                                                          \
    "friction", MB_TYPE_NUMBER, AT(type, friction), .bound = MB_FROM,                                        \
                                                    .help = "coefficient of friction " help_                 \
  }
#define RESTITUTION_OF(type, help_)                                                                          \
  {                                                                                                          \
    "restitution", MB_TYPE_NUMBER, AT(type, restitution),                                                    \
        .bound = MB_BETWEEN, .lo = 0, .hi = 1,                                                               \
        .help = "share of its speed with which an approach rebounds, " help_                                 \
  }
// What things look like.
#define COLOR_OF(type, help_)                                                                                \
  {                                                                                                          \
    "color", MB_TYPE_COLOR, AT(type, color),                                                                 \
        .bound = MB_BETWEEN, .lo = 0, .hi = 1,                                                               \
        .help = "for pictures alone: [red, green, blue] as screens have them, or with a fourth number, how " \
                "opaque; " help_                                                                             \
  }
#define COLOR_HINTS                                                                                          \
  {"rgba", "[red, green, blue, opacity] is \"color\""}, { "colour", "it is spelt \"color\"" }
// Numbers by degree of freedom, of a joint.
#define BY_DOF(key_, member_, unit_, bound_, help_)                                                          \
  {                                                                                                          \
    key_, MB_TYPE_SEQUENCE, AT(MbJointSpec, member_.value), COUNT(MbJointSpec, member_.count),               \
        .flags = MB_SINGLE, .bound = (bound_), .unit = (unit_),                                              \
        .help = help_ "; one number for all degrees of freedom, or one each; 0 if absent"                    \
  }

extern const char *const mb_euler_orders[];  // schema_table.c, ended by NULL
extern const MbSchemaObject mb_schema_frame; // schema_table.c
extern const MbSchemaObject mb_schema_time, mb_schema_solver, mb_schema_integrator; // schema_solver.c
extern const MbSchemaObject mb_schema_material, mb_schema_deformable;               // schema_deformables.c
extern const MbSchemaObject mb_schema_output, mb_schema_error;                      // schema_output.c
extern const MbSchemaObject mb_schema_contacts;                                     // schema_contacts.c
extern const MbSchemaObject mb_schema_joint_friction;                               // schema_bodies.c
extern const MbSchemaObject mb_schema_body;                                         // schema_bodies.c
// schema_forces.c: what all forces have, and by kind.
extern const MbSchemaRow mb_schema_force_rows[];
extern const MbSchemaVariant mb_schema_force_variants[MB_FORCES];
extern const MbSchemaObject mb_schema_anchor,
    mb_schema_body_frame;                         // schema_forces.c: ends of forces and constraints
extern const MbSchemaObject mb_schema_constraint; // schema_constraints.c
// By kind of joint: keys of its own, and what it does.
extern const MbSchemaVariant mb_schema_joint_variants[MB_JOINTS];

#endif
