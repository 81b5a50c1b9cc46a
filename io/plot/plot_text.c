// A plot in plain text: rows and columns of characters, a letter for each curve.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/plot/plot_svg.h"

#include <math.h>
#include <string.h>

static const char letters[] = "*o+x#@%&abcdefghijklmnpqrstuvwyz";
enum { LETTERS = sizeof letters - 1, CHARACTERS_ALONG = 14, LINES_UP = 4 };

// A panel's picture: rows from above.
typedef struct Sheet {
  const MbPanel *panel;
  MbScale x, y;
  size_t columns, rows, left; // left: width of the numbers
  char *cells;                // (rows x columns)
} Sheet;

static void mark(Sheet *s, double column, double row, char letter) {
  if (!(column >= 0 && row >= 0 && column < (double)s->columns && row < (double)s->rows)) return;
  s->cells[(size_t)row * s->columns + (size_t)column] = letter;
}

static double column_of(const Sheet *s, double x) {
  return floor(mb_scale_place(&s->x, x) * (double)(s->columns - 1) + 0.5);
}
static double row_of(const Sheet *s, double y) {
  return floor((1 - mb_scale_place(&s->y, y)) * (double)(s->rows - 1) + 0.5);
}

// From the point before, every column between gets its letter.
static void draw_piece(Sheet *s, const double from[2], const double to[2], char letter) {
  const double steps = fmax(fabs(to[0] - from[0]), fabs(to[1] - from[1]));
  const double most = 4.0 * (double)(s->columns + s->rows), n = fmin(steps, most);
  for (double k = 1; k <= n; k++)
    mark(s, round(from[0] + (to[0] - from[0]) * k / n), round(from[1] + (to[1] - from[1]) * k / n), letter);
}

static void draw_curve(Sheet *s, const MbCurve *c, char letter) {
  double at[2] = {0, 0};
  bool down = false;
  for (size_t i = 0; i < c->n; i++) {
    if (!mb_drawable(c->x[i], s->x.logarithmic) || !mb_drawable(c->y[i], s->y.logarithmic)) {
      down = false;
      continue;
    }
    const double to[2] = {column_of(s, c->x[i]), row_of(s, c->y[i])};
    if (down) draw_piece(s, at, to, letter);
    mark(s, to[0], to[1], letter);
    at[0] = to[0], at[1] = to[1];
    down = true;
  }
}

static void draw_guides(Sheet *s) {
  for (size_t g = 0; g < s->panel->nguides; g++) {
    const MbGuide *guide = &s->panel->guides[g];
    if (!mb_drawable(guide->at, guide->upright ? s->x.logarithmic : s->y.logarithmic)) continue;
    for (size_t k = 0; guide->upright && k < s->rows; k++) mark(s, column_of(s, guide->at), (double)k, ':');
    for (size_t k = 0; !guide->upright && k < s->columns; k++) mark(s, (double)k, row_of(s, guide->at), '-');
  }
}

// ---- writing ----------------------------------------------------------------------------------------------

static void add_spaces(MbText *t, size_t n) {
  for (size_t i = 0; i < n; i++) mb_text_add(t, " ");
}

static size_t widest_number(const MbScale *s) {
  char text[MB_SCALE_TEXT];
  size_t widest = 1;
  for (int64_t k = s->first; k <= s->last; k++) {
    const size_t n = strlen(mb_scale_text(s, k, true, text));
    if (n > widest) widest = n;
  }
  return widest;
}

// The number that stands beside a row, or an empty text.
static const char *number_at(const Sheet *s, size_t row, char text[MB_SCALE_TEXT]) {
  for (int64_t k = s->y.last; k >= s->y.first; k--)
    if (row_of(s, mb_scale_tick(&s->y, k)) == (double)row && (s->y.last - k) % s->y.each == 0)
      return mb_scale_text(&s->y, k, true, text);
  *text = 0;
  return text;
}

static void add_rows(MbText *t, const Sheet *s) {
  char text[MB_SCALE_TEXT];
  for (size_t r = 0; r < s->rows; r++) {
    const char *number = number_at(s, r, text);
    size_t n = s->columns;
    while (n && s->cells[r * s->columns + n - 1] == ' ') n--;
    add_spaces(t, s->left - strlen(number));
    mb_text_format(t, "%s %s%.*s\n", number, *number ? "+" : "|", (int)n, s->cells + r * s->columns);
  }
}

// The axis below, with its numbers under it.
static void add_below(MbText *t, const Sheet *s) {
  char text[MB_SCALE_TEXT];
  MbText numbers = {0};
  size_t length = 0;
  add_spaces(t, s->left + 1);
  mb_text_add(t, "+");
  for (size_t c = 0, next = 0; c < s->columns; c++) {
    bool tick = false;
    for (int64_t k = s->x.first; k <= s->x.last; k++) {
      if (column_of(s, mb_scale_tick(&s->x, k)) != (double)c || (k - s->x.first) % s->x.each) continue;
      tick = true;
      const size_t n = strlen(mb_scale_text(&s->x, k, true, text)),
                   middle = c + 1 > n / 2 ? c + 1 - n / 2 : 0;
      const size_t begin = middle + n > s->columns + 1 ? s->columns + 1 - n : middle;
      if (begin < next) continue;
      add_spaces(&numbers, begin - length);
      mb_text_add(&numbers, text);
      length = begin + n, next = length + 2;
    }
    mb_text_add(t, tick ? "+" : "-");
  }
  mb_text_add(t, "\n");
  add_spaces(t, s->left + 1);
  char *line = mb_text_take(&numbers);
  mb_text_add(t, line ? line : "");
  t->failed |= !line;
  mb_free(line);
  mb_text_add(t, "\n");
}

// A control character in a name must not steer the terminal.
static void add_name(MbText *t, const char *name) {
  for (; *name; name++) mb_text_add_n(t, (unsigned char)*name < 32 || *name == 127 ? "?" : name, 1);
}

static void add_label(MbText *t, const MbPanel *p, const MbScale *x, const MbScale *y) {
  char text[MB_SCALE_TEXT];
  if (p->title) add_name(t, p->title);
  if (p->title && p->y.label) mb_text_add(t, ": ");
  if (p->y.label) add_name(t, p->y.label);
  if (*mb_scale_note(y, true, text)) mb_text_format(t, "   %s", text);
  if (p->x.label) mb_text_add(t, " over ");
  if (p->x.label) add_name(t, p->x.label);
  if (*mb_scale_note(x, true, text)) mb_text_format(t, "   %s", text);
  mb_text_add(t, "\n");
}

static void add_legend(MbText *t, const Sheet *s, size_t width) {
  size_t at = 0;
  for (size_t c = 0; c < s->panel->ncurves; c++) {
    const char *name = s->panel->curves[c].name;
    if (!name) continue;
    const size_t n = strlen(name) + 4;
    if (at && at + n > width) mb_text_add(t, "\n"), at = 0;
    mb_text_format(t, "%s%c ", at ? "  " : "", letters[c % LETTERS]);
    add_name(t, name);
    at += n;
  }
  if (at) mb_text_add(t, "\n");
}

static bool add_panel(MbText *t, const MbPanel *panel, size_t width, size_t height) {
  Sheet s = {.panel = panel, .rows = height};
  s.y = mb_panel_scale(panel, false, (int)(height / LINES_UP) + 1);
  s.left = widest_number(&s.y);
  s.columns = width > s.left + 12 ? width - s.left - 3 : 10;
  s.x = mb_panel_scale(panel, true, (int)(s.columns / CHARACTERS_ALONG) + 1);
  s.cells = mb_calloc(s.rows * s.columns, 1);
  if (!s.cells) return false;
  memset(s.cells, ' ', s.rows * s.columns);
  draw_guides(&s);
  for (size_t c = 0; c < panel->ncurves; c++) draw_curve(&s, &panel->curves[c], letters[c % LETTERS]);
  add_label(t, panel, &s.x, &s.y);
  add_rows(t, &s);
  add_below(t, &s);
  add_legend(t, &s, width);
  mb_free(s.cells);
  return true;
}

MbStatus mb_plot_text(FILE *out, const MbPlot *plot, size_t width, size_t height, MbReport *report) {
  MbText t = {0};
  if (width < MB_PLOT_NARROW) width = MB_PLOT_NARROW;
  if (plot->title) {
    add_name(&t, plot->title);
    mb_text_add(&t, "\n");
  }
  for (size_t i = 0; i < plot->npanels; i++) {
    if (i || plot->title) mb_text_add(&t, "\n");
    if (!add_panel(&t, &plot->panels[i], width, height)) t.failed = true;
  }
  return mb_plot_put(out, &t, report);
}
