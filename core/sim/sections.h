// What the state carries from step to step beside coordinates and velocities, by who owns it. All of it lies in state.memory, in this
// order, and goes into checkpoints under the names below (checkpoint.c). What may have another length from step to step is a part of
// the table there instead.
#ifndef MB_SIM_SECTIONS_H
#define MB_SIM_SECTIONS_H

typedef enum MbSection {
  MB_SECTION_SCHEME, // the scheme's own, as the adaptive integrator's state ahead (schemes.h)
  MB_SECTION_NODES, // places (n x 3) and velocities (n x 3) of the nodes of deformables of elements (nodes.c)
  MB_SECTION_SOLUTION, // how good the last step's solution was for them, and each of its iterations
  MB_SECTION_DUAL,     // the dual of their elements
  MB_SECTION_CRUSHED,  // how many steps have left elements crushed or inside out (crushed.c)
  MB_SECTION_LINEAR,   // what linearised forces have taken (linear_watch.c)
  MB_SECTION_WATCH,    // what is known of energy that the scheme adds (energy_watch.c)
  MB_SECTION_WARNED,   // which warnings that are given once have been (enum below)
  MB_SECTION_GAPS,     // the widest gap of a hard constraint, and since when (gaps.c)
  MB_SECTION_FREEDOM, // how many rows of constraints have been free at once, and how free the last of them (singular.c)
  MB_SECTION_CLOSURES, // (nguess) coordinates of joints that close loops (constrain_rows.c)
  MB_SECTION_LATCHED_BEFORE, // (nslots) rows that events had latched during the last step, under the adaptive integrator (events.c)
  MB_SECTION_LATCHED, // (nslots) rows that they latch now
  MB_SECTION_CONTACT, // work that contacts have done since the start (touch.c); what parting has added to the energy (touch_kept.c)
  MB_SECTION_FRICTION, // the same of dry friction in joints (dry.c)
  MB_SECTION_LOADS,    // (nloads) what pressed at the places where joints rub, over the last step (dry.c)
  MB_SECTION_TOLD,     // what solutions with contacts and friction have been since the start (MbSolved)
  MB_SECTION_FORCES,   // (nslots) forces of the constraints' rows over the last step (constrain.c)
  MB_SECTIONS
} MbSection;

// The numbers of MB_SECTION_TOLD: contacts at once; the largest natural map by what was to be stopped; steps that did not come to the
// tolerance; iterations of all solutions; the deepest of one solid in another, by the smaller one's size. Then the same of the last step
// alone, where the step's missed is left out.
enum {
  MB_SOLVED_MOST,
  MB_SOLVED_WORST,
  MB_SOLVED_MISSED,
  MB_SOLVED_ITERATIONS,
  MB_SOLVED_DEEPEST,
  MB_SOLVED_LAST_CONTACTS,
  MB_SOLVED_LAST_NATURAL,
  MB_SOLVED_LAST_ITERATIONS,
  MB_SOLVED_LAST_DEEPEST,
  MB_SOLVED_NUMBERS
};

// The numbers of MB_SECTION_WARNED, 0 or 1: of Euler angles near gimbal lock (gimbal_watch.c), of a rotation vector that changes to its equivalent (turned_over.c), of motions that turn
// too far in a step (kept_moves.c).
enum { MB_WARNED_GIMBAL, MB_WARNED_TURNED, MB_WARNED_KEPT, MB_WARNED_NUMBERS };

// What they are called in checkpoints.
extern const char *const mb_section_words[MB_SECTIONS];

// The numbers of MB_SECTION_LINEAR: J taken, the largest kinetic energy, the work of forces, how many steps have been looked at, whether it has been told.
enum { MB_LINEAR_TAKEN, MB_LINEAR_MOST, MB_LINEAR_WORK, MB_LINEAR_LOOKS, MB_LINEAR_TOLD, MB_LINEAR_NUMBERS };

#endif
