// The terminal that stdout is.
#ifndef MB_CLI_TERMINAL_H
#define MB_CLI_TERMINAL_H

#include <stddef.h>

// Characters in a line: COLUMNS, where that is a number; else the terminal's; 80 where stdout is none.
size_t mb_terminal_width(void);

#endif
