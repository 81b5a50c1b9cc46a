// One job in a thread of its own, beside what its caller does meanwhile.
#ifndef MB_BASE_BESIDE_H
#define MB_BASE_BESIDE_H

#include <pthread.h>
#include <stdbool.h>

typedef struct MbBeside {
  void (*job)(void *context);
  void *context;
  pthread_t thread;
  bool runs;
} MbBeside;

// Starts the job. Signals are left to the caller's threads. Where the system refuses a thread the job is done when this returns.
void mb_beside_start(MbBeside *beside, void (*job)(void *context), void *context);
// Waits until the job is done; returns at once where none was started.
void mb_beside_end(MbBeside *beside);

#endif
