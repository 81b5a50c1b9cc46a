// A curve in a picture.
#include "io/plot/plot_svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Dark enough for white paper, apart in hue and in brightness; told apart in black and white by dashes and markers.
static const char *const colours[] = {"#1559a8", "#c8461c", "#26824b", "#7d4aa3",
                                      "#9a7200", "#b8266b", "#007f8c", "#4d4d4d"};
static const char *const dashes[] = {"", "8 4", "2 3", "10 3 2 3", "5 2", "10 3 2 3 2 3", "1 4", "14 4"};
enum { COLOURS = sizeof colours / sizeof *colours, DASHES = sizeof dashes / sizeof *dashes };

// Around the origin.
static const char *const markers[] = {"m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0",
                                      "m-2.9-2.9h5.8v5.8h-5.8z",
                                      "m0-4l4 4l-4 4l-4-4z",
                                      "m0-3.8l3.6 6.2h-7.2z",
                                      "m-3.8 0h7.6m-3.8-3.8v7.6",
                                      "m-2.9-2.9l5.8 5.8m0-5.8l-5.8 5.8",
                                      "m0 3.8l3.6-6.2h-7.2z",
                                      "m-3.8 0h7.6m-1.9-3.3l-3.8 6.6m0-6.6l3.8 6.6"};
enum { MARKERS = sizeof markers / sizeof *markers, A_CURVE = 7 };

// ---- the line ---------------------------------------------------------------------------------------------

typedef struct Place {
  long x, y; // tenths of pixels
} Place;

// A line as it is written: absolute where it begins, then relative in tenths, so that no rounding adds up.
typedef struct Pen {
  MbText *t;
  bool down;
  Place at;
  size_t vertices;
  // the column of pixels that is not written yet
  bool open;
  long column;
  Place first, last, low, high;
  size_t nlow, nhigh; // their places in the curve
} Pen;

void mb_svg_tenths(MbText *t, long tenths, bool spaced) {
  const long whole = labs(tenths) / 10, rest = labs(tenths) % 10;
  mb_text_format(t, rest ? "%s%ld.%ld" : "%s%ld", tenths < 0 ? "-" : spaced ? " " : "", whole, rest);
}

static void put(Pen *pen, Place p) {
  if (pen->down && p.x == pen->at.x && p.y == pen->at.y) return;
  mb_text_add(pen->t, pen->down ? "l" : "M");
  mb_svg_tenths(pen->t, p.x - (pen->down ? pen->at.x : 0), false);
  mb_svg_tenths(pen->t, p.y - (pen->down ? pen->at.y : 0), true);
  pen->down = true;
  pen->at = p;
  pen->vertices++;
}

static void close_column(Pen *pen) {
  if (!pen->open) return;
  pen->open = false;
  put(pen, pen->first);
  const bool low_first = pen->nlow < pen->nhigh;
  put(pen, low_first ? pen->low : pen->high);
  put(pen, low_first ? pen->high : pen->low);
  put(pen, pen->last);
}

static void lift(Pen *pen) {
  const size_t before = pen->vertices;
  close_column(pen);
  // a point alone is a dot
  if (pen->down && before == 0 && pen->vertices == 1) mb_text_add(pen->t, "h0");
  pen->down = false;
  pen->vertices = 0;
}

static void draw(Pen *pen, Place p, size_t number) {
  const long column = p.x >= 0 ? p.x / 10 : (p.x - 9) / 10;
  if (pen->open && column != pen->column) close_column(pen);
  if (!pen->open) {
    pen->open = true;
    pen->column = column;
    pen->first = pen->low = pen->high = p;
    pen->nlow = pen->nhigh = number;
  }
  pen->last = p;
  if (p.y < pen->low.y) pen->low = p, pen->nlow = number;
  if (p.y > pen->high.y) pen->high = p, pen->nhigh = number;
}

// False where it cannot be drawn. What lies far outside is brought near, so that its line leaves in the same direction.
static bool place(const MbSvgArea *a, double x, double y, Place *p) {
  static const double FAR = 20;
  if (!mb_drawable(x, a->x.logarithmic) || !mb_drawable(y, a->y.logarithmic)) return false;
  const double u = mb_scale_place(&a->x, x), v = mb_scale_place(&a->y, y);
  p->x = lround(10 * (a->left + a->width * fmin(fmax(u, -FAR), FAR)));
  p->y = lround(10 * (a->top + a->height * (1 - fmin(fmax(v, -FAR), FAR))));
  return true;
}

static void add_look(MbText *t, const MbCurve *c) {
  const char *dash = dashes[c->dash % DASHES];
  mb_text_format(t, "<path class=\"c\" stroke=\"%s\"", colours[c->hue % COLOURS]);
  if (*dash) mb_text_format(t, " stroke-dasharray=\"%s\"", dash);
}

// ---- markers ----------------------------------------------------------------------------------------------

static void add_marker(MbText *t, Place p, size_t hue) {
  mb_text_add(t, "M");
  mb_svg_tenths(t, p.x, false);
  mb_svg_tenths(t, p.y, true);
  mb_text_add(t, markers[hue % MARKERS]);
}

static void begin_markers(MbText *t, const MbCurve *c) {
  mb_text_format(t, "<path class=\"d\" stroke=\"%s\" d=\"", colours[c->hue % COLOURS]);
}

// A few, at points of the curve; those of different curves stand at different places.
static void add_markers(MbText *t, const MbSvgArea *a, const MbCurve *c, size_t number, size_t count) {
  const double phase = ((double)number + 0.5) / (double)(count ? count : 1);
  size_t last = SIZE_MAX;
  begin_markers(t, c);
  for (int k = 0; k < A_CURVE; k++) {
    const size_t i = (size_t)(((double)k + phase) / A_CURVE * (double)c->n);
    Place p;
    if (i >= c->n || i == last || !place(a, c->x[i], c->y[i], &p)) continue;
    add_marker(t, p, c->hue);
    last = i;
  }
  mb_text_add(t, "\"/>\n");
}

// ---- all --------------------------------------------------------------------------------------------------

void mb_svg_curve(MbText *t, const MbSvgArea *a, const MbCurve *c, size_t number, size_t count) {
  Pen pen = {.t = t};
  if (!c->n) return;
  add_look(t, c);
  mb_text_add(t, " d=\"");
  for (size_t i = 0; i < c->n; i++) {
    Place p;
    if (place(a, c->x[i], c->y[i], &p))
      draw(&pen, p, i);
    else
      lift(&pen);
  }
  lift(&pen);
  mb_text_add(t, "\"/>\n");
  if (c->name || count > 1) add_markers(t, a, c, number, count); // one alone is not to be told from others
}

void mb_svg_sample(MbText *t, const MbCurve *c, double x, double y, double width) {
  const Place from = {lround(10 * x), lround(10 * y)}, middle = {from.x + lround(5 * width), from.y};
  add_look(t, c);
  mb_text_add(t, " d=\"M");
  mb_svg_tenths(t, from.x, false);
  mb_svg_tenths(t, from.y, true);
  mb_text_format(t, "h%.0f\"/>\n", width);
  begin_markers(t, c);
  add_marker(t, middle, c->hue);
  mb_text_add(t, "\"/>\n");
}
