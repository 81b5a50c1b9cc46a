// Private to io/plot: what the parts of a picture share.
#ifndef MB_IO_PLOT_SVG_H
#define MB_IO_PLOT_SVG_H

#include "io/json/json_text.h"
#include "io/plot/plot_scale.h"

// Where curves are drawn, in pixels, and the axes there.
typedef struct MbSvgArea {
  double left, top, width, height;
  MbScale x, y;
} MbSvgArea;

// "12.3" of 123 tenths of pixels; `spaced`: apart from what is before it, which a minus is by itself.
void mb_svg_tenths(MbText *t, long tenths, bool spaced);
// Curve `number` of `count`: its line, of which points that fall into one column of pixels leave the first, the last, the lowest and
// the highest, and its markers.
void mb_svg_curve(MbText *t, const MbSvgArea *area, const MbCurve *curve, size_t number, size_t count);
// A piece of such a line with a marker in its middle.
void mb_svg_sample(MbText *t, const MbCurve *curve, double x, double y, double width);
// Writes the text and frees it. MB_IO.
MbStatus mb_plot_put(FILE *out, MbText *t, MbReport *report);

#endif
