#include "core/base/targets.h"
