// What a joint's limit has of its own.
#ifndef MB_CONSTRAINTS_LIMIT_H
#define MB_CONSTRAINTS_LIMIT_H

typedef struct MbLimit {
  double sign, bound; // sign (q − bound) ≥ 0
} MbLimit;

#endif
