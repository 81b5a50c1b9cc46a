#include "core/mbsim.h"

const char *mb_version(void) { return MB_VERSION; }
