// Names and what they stand for, while more of them come: each is found in constant time.
#ifndef MB_IO_RIG_NAMES_H
#define MB_IO_RIG_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define MB_RIG_NO_NAME SIZE_MAX

typedef struct MbRigName {
  const char *name; // NULL: nothing stands here
  size_t value;
} MbRigName;

// Zero it before use; names stay where they are.
typedef struct MbRigNames {
  size_t n, room; // a power of two
  MbRigName *slot;
} MbRigNames;

// *before ← what the name stood for already, which stays; MB_RIG_NO_NAME: nothing. False when memory ran out.
bool mb_rig_names_put(MbRigNames *names, const char *name, size_t value, size_t *before);
// MB_RIG_NO_NAME: there is none.
size_t mb_rig_names_find(const MbRigNames *names, const char *name);
void mb_rig_names_free(MbRigNames *names);

#endif
