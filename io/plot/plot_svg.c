// A plot as SVG: texts are texts, coordinates are tenths of pixels, and the same plot gives the same bytes.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/json/json_text.h"
#include "io/plot/plot_scale.h"
#include "io/plot/plot_svg.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum {
  LETTER = 12,       // size of texts
  EDGE = 18,         // free around all
  TITLE = 30,        // height of the plot's title
  LEGEND_LINE = 20,  // height of a line of the legend
  SAMPLE = 34,       // width of a sample of a curve
  PANEL_TITLE = 22,  // height
  NUMBERS = 20,      // height of the numbers below an axis
  LABEL = 20,        // height of an axis's label
  BETWEEN = 18,      // panels
  NAME_MOST = 44,    // characters of a name in a legend
  PIXELS_ALONG = 70, // from number to number
  PIXELS_UP = 42
};

// ---- texts ------------------------------------------------------------------------------------------------

// About how wide a text is: the widths of Helvetica's letters, by kind.
static double width_of(const char *text) {
  double w = 0;
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    if ((c & 0xc0) == 0x80) continue; // the rest of a letter
    w += strchr(".,:;il|'!I ()[]/jtfr", c) ? 0.31
         : strchr("mwMW@%", c)             ? 0.87
         : c >= 'A' && c <= 'Z'            ? 0.69
                                           : 0.56;
  }
  return w * LETTER;
}

// Bytes of the letter that begins here; 0: it is no UTF-8, which no reader of XML takes.
static size_t letter_length(const char *text) {
  const unsigned char *p = (const unsigned char *)text;
  const size_t n = *p < 0x80                 ? 1
                   : *p >= 0xc2 && *p < 0xe0 ? 2
                   : *p >= 0xe0 && *p < 0xf0 ? 3
                   : *p >= 0xf0 && *p < 0xf5 ? 4
                                             : 0;
  for (size_t i = 1; i < n; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  return n;
}

// At most so many letters.
static void add_escaped(MbText *t, const char *text, size_t most) {
  for (size_t letters = 0; *text; letters++) {
    const size_t n = letter_length(text);
    if (letters == most) {
      mb_text_add(t, "…");
      return;
    }
    switch (n == 1 ? *text : 0) {
    case '&':
      mb_text_add(t, "&amp;");
      break;
    case '<':
      mb_text_add(t, "&lt;");
      break;
    case '>':
      mb_text_add(t, "&gt;");
      break;
    case '"':
      mb_text_add(t, "&quot;");
      break;
    default:
      if (!n || (n == 1 && (*text < 32 || *text == 127)))
        mb_text_add(t, n ? " " : "?");
      else
        mb_text_add_n(t, text, n);
    }
    text += n ? n : 1;
  }
}

static long tenths(double x) { return lround(10 * x); }

static void add_at(MbText *t, const char *before, double x, const char *between, double y,
                   const char *after) {
  mb_text_add(t, before);
  mb_svg_tenths(t, tenths(x), false);
  mb_text_add(t, between);
  mb_svg_tenths(t, tenths(y), false);
  mb_text_add(t, after);
}

static void add_words(MbText *t, const char *class, double x, double y, const char *words, size_t most) {
  mb_text_format(t, "<text class=\"%s\"", class);
  add_at(t, " x=\"", x, "\" y=\"", y, "\">");
  add_escaped(t, words, most);
  mb_text_add(t, "</text>\n");
}

// A straight line from a point, `to` being the rest of its path.
static void add_line(MbText *t, const char *class, double x, double y, char to, double at) {
  mb_text_format(t, "<path class=\"%s\"", class);
  add_at(t, " d=\"M", x, " ", y, "");
  mb_text_format(t, "%c", to);
  mb_svg_tenths(t, tenths(at), false);
  mb_text_add(t, "\"/>\n");
}

// ---- layout -----------------------------------------------------------------------------------------------

// A panel's place, in pixels, and its axes.
typedef struct Box {
  const MbPanel *panel;
  size_t number;
  double left, top, width, height;
  MbScale x, y;
  bool numbers; // below it
} Box;

typedef struct Layout {
  const MbPlot *plot;
  Box *boxes;           // (plot->npanels)
  double scale, beside; // left of the axes: numbers and label; right of them: the legend
  double width, height;
  size_t legend_lines; // of one legend above all
} Layout;

static int ticks(double pixels, int each) { return (int)fmax(2, pixels / each); }

static double widest_number(const MbScale *s) {
  char text[MB_SCALE_TEXT];
  double widest = 0;
  for (int64_t k = s->first; k <= s->last; k++)
    widest = fmax(widest, width_of(mb_scale_text(s, k, false, text)));
  return widest;
}

// Characters of a name that stand in a legend.
static double legend_width(const char *name) {
  double w = width_of(name);
  const size_t n = strlen(name);
  if (n > NAME_MOST) w *= (double)NAME_MOST / (double)n;
  return SAMPLE + 8 + w;
}

static bool has_legend(const MbPlot *plot, const MbPanel *p) {
  bool named = false;
  for (size_t c = 0; c < p->ncurves; c++) named |= p->curves[c].name != NULL;
  return named && !plot->one_legend;
}

// What stands on the right of a panel: its legend, else the names of its guides.
static double beside_width(const MbPlot *plot, const MbPanel *p) {
  double w = 0;
  const bool legend = has_legend(plot, p);
  for (size_t c = 0; legend && c < p->ncurves; c++)
    if (p->curves[c].name) w = fmax(w, 14 + legend_width(p->curves[c].name));
  for (size_t g = 0; !legend && g < p->nguides; g++)
    if (p->guides[g].name && !p->guides[g].upright) w = fmax(w, 8 + legend_width(p->guides[g].name) - SAMPLE);
  return w;
}

static double panel_height(const MbPlot *plot, const Box *b) {
  const bool labelled = b->numbers && b->panel->x.label;
  return (b->panel->title ? PANEL_TITLE : 8) + plot->height + (b->numbers ? NUMBERS : 0) +
         (labelled ? LABEL : 0) + BETWEEN;
}

// How many lines a legend takes above all panels.
static size_t count_lines(const MbPlot *plot, double width) {
  size_t lines = 1;
  double x = 0;
  for (size_t c = 0; plot->one_legend && plot->npanels && c < plot->panels[0].ncurves; c++) {
    const double w = legend_width(plot->panels[0].curves[c].name) + 24;
    if (x > 0 && x + w > width) lines++, x = 0;
    x += w;
  }
  return plot->one_legend ? lines : 0;
}

static bool lay_out(const MbPlot *plot, Layout *l) {
  const size_t columns = plot->columns ? plot->columns : 1;
  *l = (Layout){.plot = plot, .boxes = mb_calloc(plot->npanels, sizeof(Box))};
  if (!l->boxes) return false;
  double numbers = 0;
  for (size_t i = 0; i < plot->npanels; i++) {
    Box *b = &l->boxes[i];
    b->panel = &plot->panels[i], b->number = plot->number + i, b->width = plot->width,
    b->height = plot->height;
    b->x = mb_panel_scale(b->panel, true, ticks(b->width, PIXELS_ALONG));
    b->y = mb_panel_scale(b->panel, false, ticks(b->height, PIXELS_UP));
    b->numbers = !plot->one_x || i + columns >= plot->npanels;
    numbers = fmax(numbers, widest_number(&b->y));
    l->beside = fmax(l->beside, beside_width(plot, b->panel));
  }
  l->scale = LABEL + 8 + numbers;
  const double column = l->scale + plot->width + fmax(l->beside, 10) + BETWEEN;
  l->width = 2 * EDGE + (double)columns * column - BETWEEN;
  l->legend_lines = count_lines(plot, l->width - 2 * EDGE);
  double top =
      EDGE + (plot->title ? TITLE : 0) + (double)l->legend_lines * LEGEND_LINE + (plot->one_legend ? 8 : 0);
  for (size_t i = 0; i < plot->npanels; i += columns) {
    double height = 0;
    for (size_t k = i; k < i + columns && k < plot->npanels; k++) {
      Box *b = &l->boxes[k];
      b->left = EDGE + (double)(k - i) * column + l->scale;
      b->top = top + (b->panel->title ? PANEL_TITLE : 8);
      height = fmax(height, panel_height(plot, b));
    }
    top += height;
  }
  l->height = top - BETWEEN + EDGE;
  return true;
}

// ---- axes -------------------------------------------------------------------------------------------------

static double px(const Box *b, double x) { return b->left + b->width * mb_scale_place(&b->x, x); }
static double py(const Box *b, double y) { return b->top + b->height * (1 - mb_scale_place(&b->y, y)); }

// Between powers of ten where these are few.
static void add_fine_lines(MbText *t, const Box *b) {
  if (!b->y.logarithmic || b->y.last - b->y.first > 3) return;
  for (int64_t k = b->y.first - 1; k <= b->y.last; k++)
    for (int m = 2; m < 10; m++) {
      const double y = py(b, m * mb_scale_tick(&b->y, k));
      if (y > b->top && y < b->top + b->height) add_line(t, "f", b->left, y, 'H', b->left + b->width);
    }
}

static void add_grid(MbText *t, const Box *b) {
  char text[MB_SCALE_TEXT];
  const double bottom = b->top + b->height;
  add_fine_lines(t, b);
  for (int64_t k = b->x.first; k <= b->x.last; k++) {
    const double x = px(b, mb_scale_tick(&b->x, k));
    add_line(t, "g", x, b->top, 'V', bottom);
    if (b->numbers && (k - b->x.first) % b->x.each == 0)
      add_words(t, "n m", x, bottom + 16, mb_scale_text(&b->x, k, false, text), SIZE_MAX);
  }
  for (int64_t k = b->y.first; k <= b->y.last; k++) {
    const double y = py(b, mb_scale_tick(&b->y, k));
    add_line(t, "g", b->left, y, 'H', b->left + b->width);
    if ((b->y.last - k) % b->y.each == 0)
      add_words(t, "n e", b->left - 7, y + 4, mb_scale_text(&b->y, k, false, text), SIZE_MAX);
  }
}

static void add_labels(MbText *t, const Box *b, double scale) {
  char text[MB_SCALE_TEXT];
  const double bottom = b->top + b->height, right = b->left + b->width;
  add_line(t, "a", b->left, b->top, 'V', bottom);
  add_line(t, "a", b->left, bottom, 'H', right);
  if (b->panel->title) add_words(t, "h", b->left, b->top - 8, b->panel->title, 100);
  if (*mb_scale_note(&b->y, false, text)) add_words(t, "n e", right, b->top - 6, text, SIZE_MAX);
  if (b->numbers && *mb_scale_note(&b->x, false, text))
    add_words(t, "n e", right, bottom + NUMBERS + LABEL - 6, text, SIZE_MAX);
  if (b->numbers && b->panel->x.label)
    add_words(t, "l m", b->left + b->width / 2, bottom + NUMBERS + LABEL - 6, b->panel->x.label, 100);
  if (!b->panel->y.label) return;
  add_at(t, "<text class=\"l m\" transform=\"translate(", b->left - scale + LETTER, " ",
         b->top + b->height / 2, ") rotate(-90)\">");
  add_escaped(t, b->panel->y.label, 60);
  mb_text_add(t, "</text>\n");
}

// Its place between 0 and 1 along its axis; false: it is not to be seen.
static bool guide_place(const Box *b, const MbGuide *guide, double *place) {
  const MbScale *scale = guide->upright ? &b->x : &b->y;
  if (!mb_drawable(guide->at, scale->logarithmic)) return false;
  *place = mb_scale_place(scale, guide->at);
  return *place >= 0 && *place <= 1;
}

static void add_guides(MbText *t, const Box *b) {
  double at = 0;
  for (size_t g = 0; g < b->panel->nguides; g++) {
    const MbGuide *guide = &b->panel->guides[g];
    if (!guide_place(b, guide, &at)) continue;
    if (guide->upright)
      add_line(t, "u", b->left + b->width * at, b->top, 'V', b->top + b->height);
    else
      add_line(t, "u", b->left, b->top + b->height * (1 - at), 'H', b->left + b->width);
  }
}

// Beside the axes where no legend is, else over the curves.
static void add_guide_names(MbText *t, const Box *b, bool legend) {
  double at = 0;
  for (size_t g = 0; g < b->panel->nguides; g++) {
    const MbGuide *guide = &b->panel->guides[g];
    if (!guide->name || !guide_place(b, guide, &at)) continue;
    const double x = b->left + b->width * at, y = b->top + b->height * (1 - at), right = b->left + b->width;
    const bool turned = x + 5 + width_of(guide->name) > right; // no room on the right
    if (guide->upright)
      add_words(t, turned ? "o e" : "o", turned ? x - 5 : x + 5, b->top + 12, guide->name, NAME_MOST);
    else if (legend)
      add_words(t, "o e", right - 4, y < b->top + 16 ? y + 13 : y - 5, guide->name, NAME_MOST);
    else
      add_words(t, "o", right + 8, y + 4, guide->name, NAME_MOST);
  }
}

// ---- all --------------------------------------------------------------------------------------------------

static void add_sample(MbText *t, const MbCurve *curve, double x, double y) {
  mb_svg_sample(t, curve, x, y - 4, SAMPLE);
  add_words(t, "k", x + SAMPLE + 8, y, curve->name, NAME_MOST);
}

static void add_legend_above(MbText *t, const Layout *l, double top) {
  const MbPanel *p = l->plot->npanels ? &l->plot->panels[0] : NULL;
  double x = 0;
  for (size_t c = 0; p && c < p->ncurves; c++) {
    const double w = legend_width(p->curves[c].name) + 24;
    if (x > 0 && x + w > l->width - 2 * EDGE) top += LEGEND_LINE, x = 0;
    add_sample(t, &p->curves[c], EDGE + x, top);
    x += w;
  }
}

static void add_legend_beside(MbText *t, const Box *b) {
  double y = b->top + 10;
  for (size_t c = 0; c < b->panel->ncurves; c++) {
    if (!b->panel->curves[c].name) continue;
    add_sample(t, &b->panel->curves[c], b->left + b->width + 14, y);
    y += LEGEND_LINE - 2;
  }
}

static void add_panel(MbText *t, const Layout *l, const Box *b) {
  mb_text_format(t, "<clipPath id=\"p%zu\"><rect", b->number);
  add_at(t, " x=\"", b->left, "\" y=\"", b->top - 3, "\"");
  add_at(t, " width=\"", b->width + 2, "\" height=\"", b->height + 6, "\"/></clipPath>\n");
  add_grid(t, b);
  add_guides(t, b);
  mb_text_format(t, "<g clip-path=\"url(#p%zu)\">\n", b->number);
  const MbSvgArea area = {b->left, b->top, b->width, b->height, b->x, b->y};
  for (size_t c = 0; c < b->panel->ncurves; c++)
    mb_svg_curve(t, &area, &b->panel->curves[c], c, b->panel->ncurves);
  mb_text_add(t, "</g>\n");
  add_guide_names(t, b, has_legend(l->plot, b->panel));
  add_labels(t, b, l->scale);
  if (has_legend(l->plot, b->panel)) add_legend_beside(t, b);
}

static void add_head(MbText *t, const Layout *l) {
  mb_text_format(
      t,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"%d\" fill=\"none\">\n",
      ceil(l->width), ceil(l->height), ceil(l->width), ceil(l->height), LETTER);
  mb_text_add(
      t, "<style>text{fill:#1c2430}.n{fill:#4a5462;font-size:11px}.m{text-anchor:middle}.e{text-anchor:end}"
         ".h{font-weight:bold}.t{font-weight:bold;font-size:16px}.o{fill:#4a5462;font-size:11px;font-style:"
         "italic}"
         ".g{stroke:#e3e7ec}.f{stroke:#f1f3f6}.a{stroke:#4a5462}.u{stroke:#1c2430;stroke-dasharray:6 4}"
         ".c{stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}.d{stroke-width:1.3;fill:#fff}</"
         "style>\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
}

MbStatus mb_plot_svg(FILE *out, const MbPlot *plot, MbReport *report) {
  Layout layout;
  MbText t = {0};
  if (!lay_out(plot, &layout)) return mb_no_memory(report, "the plot");
  add_head(&t, &layout);
  if (plot->title) {
    mb_text_add(&t, "<title>");
    add_escaped(&t, plot->title, SIZE_MAX);
    mb_text_add(&t, "</title>\n");
    add_words(&t, "t", EDGE, EDGE + 14, plot->title, 120);
  }
  if (plot->one_legend) add_legend_above(&t, &layout, EDGE + (plot->title ? TITLE : 0) + 12);
  for (size_t i = 0; i < plot->npanels; i++) add_panel(&t, &layout, &layout.boxes[i]);
  mb_text_add(&t, "</svg>\n");
  mb_free(layout.boxes);
  return mb_plot_put(out, &t, report);
}

MbStatus mb_plot_put(FILE *out, MbText *t, MbReport *report) {
  const size_t length = t->length;
  char *text = mb_text_take(t);
  if (!text) return mb_no_memory(report, "the plot");
  errno = 0;
  const bool written = fwrite(text, 1, length, out) == length && !fflush(out);
  const int failed = errno ? errno : EIO;
  mb_free(text);
  return written ? MB_OK : mb_error(report, MB_IO, "", "cannot write the plot: %s", strerror(failed));
}
