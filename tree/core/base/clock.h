// Wall time, for reports and progress only: no result depends on it.
#ifndef MB_BASE_CLOCK_H
#define MB_BASE_CLOCK_H

double mb_clock(void); // seconds from an arbitrary start, never running backwards

#endif
