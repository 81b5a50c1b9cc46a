// Trajectories for the tests: a temporary folder, a small head, and frames to write.
#ifndef MB_TESTS_IO_TRAJ_MAKE_H
#define MB_TESTS_IO_TRAJ_MAKE_H

#include "io/trajectory/trajectory.h"

typedef struct Folder {
  char path[200];
} Folder;

Folder folder_make(void);
void folder_remove(const Folder *folder); // with the files in it
void folder_file(const Folder *folder, const char *name, char path[256]);

enum { MAKE_FRAME_SIZE = 3 * 7 + 3 * 6 + 1 }; // three bodies: pose, velocity; the clock
// bounds of pose and velocity; channels "body.pose", "body.velocity", "clock" (unstable)
MbTrajHead make_head(double pose, double velocity);
// Smooth motion with noise in the low bits; any frame by itself.
void make_frame(uint64_t i, double *time, double *frame);

// Three bodies, five vertices and two joints that move as their velocities say.
enum { MAKE_MOVING_SIZE = 3 * (3 + 4 + 6) + 5 * (3 + 3) + 2 * (1 + 1), MAKE_MOVING_CHANNELS = 7 };
MbTrajHead make_moving_head(double pose, double velocity);
void make_moving_frame(uint64_t i, double *time, double *frame);

// Writes a whole file with a mesh, provenance, an event and a checkpoint in the middle.
void make_file(const char *path, double pose, double velocity, uint64_t frames);

unsigned char *read_whole(const char *path, size_t *size); // free with free()
void write_whole(const char *path, const void *bytes, size_t size);
uint64_t random_word(uint64_t *state);
void print_report(const MbReport *report);

#endif
