// Curves over axes: as a picture (SVG) or as plain text for a terminal. The same plot gives the same bytes.
#ifndef MB_IO_PLOT_H
#define MB_IO_PLOT_H

#include "core/mbsim.h"
#include <stdio.h>

// Numbers beyond this size are drawn as little as NaN: they break the line.
#define MB_PLOT_MOST 1e300

typedef struct MbCurve {
  const char *name; // in the legend
  size_t n;
  const double *x, *y; // (n); what is not finite, or not positive on a logarithmic axis, breaks the line
  size_t hue,
      dash; // how it looks: any numbers. The hue is a colour and a shape of markers, so that it is seen in black and white
} MbCurve;

// A straight line through the panel: across at a height, or upright.
typedef struct MbGuide {
  const char *name; // stands beside it; NULL = nothing
  double at;
  bool upright;
} MbGuide;

typedef struct MbAxis {
  const char *label; // NULL = none
  bool logarithmic;
  double from, to; // what it shows; where `from` is not below `to`, what curves and guides need
} MbAxis;

typedef struct MbPanel {
  const char *title; // NULL = none
  MbAxis x, y;
  size_t ncurves, nguides;
  const MbCurve *curves; // (ncurves)
  const MbGuide *guides; // (nguides)
} MbPanel;

typedef struct MbPlot {
  const char *title; // NULL = none
  size_t columns;    // that the panels stand in, row by row
  size_t npanels;
  const MbPanel *panels; // (npanels)
  double width, height;  // of what an axis spans in a picture, in pixels
  // every panel has the curves of the first: one legend above them all, instead of one beside each
  bool one_legend;
  size_t
      number; // of its first panel among those of all pictures on a page, as names in one must not be those of another
  bool one_x; // panels below one another share the axis: numbers stand below the last alone
} MbPlot;

// MB_IO: memory ran out, or `out` does not take it.
MbStatus mb_plot_svg(FILE *out, const MbPlot *plot, MbReport *report);
// At most `width` characters a line, at least MB_PLOT_NARROW; each panel `height` lines high. Plain ASCII but for names.
enum { MB_PLOT_NARROW = 40 };
MbStatus mb_plot_text(FILE *out, const MbPlot *plot, size_t width, size_t height, MbReport *report);

#endif
