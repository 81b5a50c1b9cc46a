// The texts of `mbsim init`: scenes to start from.
#ifndef MB_CLI_STARTERS_H
#define MB_CLI_STARTERS_H

#include <stdint.h>
#include <stdio.h>

// Bodies that are free in space (starters.c).
extern const char mb_starter_box[], mb_starter_spinning[], mb_starter_hammer[], mb_starter_thrown[];
// Joints (starters_joints.c).
extern const char mb_starter_pendulum[], mb_starter_arm[], mb_starter_four_bar[];

// A top, a muscle, and what changes its shape (starters_more.c).
extern const char mb_starter_top[], mb_starter_muscle[], mb_starter_cloth[], mb_starter_soft[];

// Bodies that touch (starters_contact.c).
extern const char mb_starter_stack[], mb_starter_drop[];

// A study of the pendulum (starter_study.c).
extern const char mb_starter_study[];

// A chain of `links` bodies (starter_chain.c).
void mb_starter_chain(FILE *out, int64_t links);

#endif
