#include "core/base/beside.h"

#include <signal.h>

static void *live(void *argument) {
  const MbBeside *const beside = argument;
  beside->job(beside->context);
  return NULL;
}

void mb_beside_start(MbBeside *beside, void (*job)(void *context), void *context) {
  sigset_t all, before;
  beside->job = job, beside->context = context;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  beside->runs = !pthread_create(&beside->thread, NULL, live, beside);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!beside->runs) job(context);
}

void mb_beside_end(MbBeside *beside) {
  if (beside->runs) pthread_join(beside->thread, NULL);
  beside->runs = false;
}
