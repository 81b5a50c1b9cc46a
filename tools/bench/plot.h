// Curves over logarithmic axes as an SVG file: panels side by side and one below the other.
#ifndef MB_TOOLS_PLOT_H
#define MB_TOOLS_PLOT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct MbCurve {
  const char *name; // in the legend
  size_t n;
  const double *x, *y; // (n) what is not positive is left out
} MbCurve;

enum { MB_PLOT_CURVES = 8 };

typedef struct MbPanel {
  char title[64];
  const char *across, *up; // what the axes show
  double x[2], y[2];       // from, to
  double marked;           // a line across at this height
  size_t ncurves;
  MbCurve curve[MB_PLOT_CURVES];
} MbPanel;

// False: the file cannot be written.
bool mb_plot_write(const char *path, const char *title, size_t columns, size_t npanels,
                   const MbPanel *panels);

#endif
