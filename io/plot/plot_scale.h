// One axis: what it shows, where numbers stand on it, and its round numbers.
#ifndef MB_IO_PLOT_SCALE_H
#define MB_IO_PLOT_SCALE_H

#include "io/plot/plot.h"

// Smallest and largest of some numbers; low > high: there are none.
typedef struct MbExtent {
  double low, high;
} MbExtent;

static const MbExtent MB_NOTHING = {1, 0};
bool mb_drawable(double x, bool logarithmic);                     // whether it has a place on any such axis
void mb_extent_add(MbExtent *extent, double x, bool logarithmic); // what cannot be drawn is left out

// Round numbers k = first … last stand at k · digit · 10^power, or at 10^k on a logarithmic axis. Their texts leave out the offset and
// the power of ten that all of them share.
typedef struct MbScale {
  bool logarithmic;
  double from, to;
  int64_t first, last, each; // each: of the round numbers one of so many has a text
  int64_t digit, offset;     // offset: in units of 10^power
  int power, shared;
} MbScale;

// For about `ticks` round numbers. `margin` is what is left free at both ends, in parts of the extent.
MbScale mb_scale_make(const MbAxis *axis, MbExtent extent, double margin, int ticks);
// From 0 (from) to 1 (to), and beyond.
double mb_scale_place(const MbScale *scale, double x);
double mb_scale_tick(const MbScale *scale, int64_t k);
// The axis of a panel as all that stands in it needs.
MbScale mb_panel_scale(const MbPanel *panel, bool along_x, int ticks);

enum { MB_SCALE_TEXT = 64 };
// The text of round number k. `plain`: ASCII.
const char *mb_scale_text(const MbScale *scale, int64_t k, bool plain, char text[MB_SCALE_TEXT]);
// What has to be applied to these texts, "×10⁻⁶ + 9.81"; empty where nothing has.
const char *mb_scale_note(const MbScale *scale, bool plain, char text[MB_SCALE_TEXT]);
#endif
