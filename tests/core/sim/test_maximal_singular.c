// Maximal coordinates where rows depend on each other, contradict each other, or a joint is at a singular position: a motion
// or a message that names who is to blame, never numbers that are not finite.
#include "tests/runs.h"

#include <stdio.h>
#include <string.h>

#define HEAD "{\"mbsim\": 1, \"gravity\": [0, 0, -9.81], \"time\": {\"step\": 0.002, \"steps\": 1}, "
#define ROD  "\"shape\": {\"type\": \"box\", \"size\": [0.4, 0.1, 0.1]}, \"density\": 1000"

// Two hinges between the same bodies: one is the joint, the other closes a loop; apart along their axis, or aside.
#define DOOR(at)                                                                                             \
  HEAD "\"bodies\": [{\"name\": \"door\", " ROD                                                              \
       ", \"joint\": {\"type\": \"revolute\", \"axis\": [0, 1, 0], "                                         \
       "\"in_body\": {\"position\": [-0.2, 0, 0]}}}], \"constraints\": [{\"name\": \"second\", "             \
       "\"type\": \"joint\", \"joint\": {\"type\": \"revolute\"}, \"axis\": [0, 1, 0], "                     \
       "\"between\": [{\"body\": \"world\", \"at\": " at                                                     \
       "}, {\"body\": \"door\", \"at\": [-0.2, 0.3, 0]}]}]}"
