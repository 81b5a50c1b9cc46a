#include "cli/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { OTHERWISE = 80, LEAST = 40, MOST = 500 };

size_t mb_terminal_width(void) {
  const char *columns = getenv("COLUMNS");
  char *end = NULL;
  struct winsize size = {0};
  long width = columns ? strtol(columns, &end, 10) : 0;
  if (!columns || end == columns || *end || width <= 0)
    width = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : OTHERWISE;
  return (size_t)(width < LEAST ? LEAST : width > MOST ? MOST : width);
}
