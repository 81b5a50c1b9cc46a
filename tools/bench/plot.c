#include "tools/bench/plot.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 360, HEIGHT = 250, LEFT = 62, RIGHT = 26, ABOVE = 30, BELOW = 46, HEAD = 44 };
static const char *const colours[MB_PLOT_CURVES] = {"#1f5fa8", "#c8501e", "#3a8f3a", "#7a4fa0",
                                                    "#806000", "#b03060", "#008080", "#505050"};

typedef struct Frame {
  const MbPanel *panel;
  double left, top, width, height;
} Frame;

static double place(double value, const double range[2]) {
  return log(value / range[0]) / log(range[1] / range[0]);
}
static double across(const Frame *f, double x) { return f->left + f->width * place(x, f->panel->x); }
static double up(const Frame *f, double y) { return f->top + f->height * (1 - place(y, f->panel->y)); }
static bool within(double value, const double range[2]) { return value >= range[0] && value <= range[1]; }

// Lines and numbers at powers of ten; every second one where they are many.
static void axes(FILE *file, const Frame *f) {
  const MbPanel *p = f->panel;
  const double bottom = f->top + f->height;
  const int first[2] = {(int)ceil(log10(p->x[0]) - 1e-9), (int)ceil(log10(p->y[0]) - 1e-9)};
  const int last[2] = {(int)floor(log10(p->x[1]) + 1e-9), (int)floor(log10(p->y[1]) + 1e-9)};
  for (int k = first[0]; k <= last[0]; k++) {
    const double x = across(f, pow(10, k));
    fprintf(file, "<path d='M%.1f %.1fV%.1f' stroke='#ddd'/>\n", x, f->top, bottom);
    fprintf(file, "<text x='%.1f' y='%.1f' text-anchor='middle'>%g</text>\n", x, bottom + 14, pow(10, k));
  }
  for (int k = first[1]; k <= last[1]; k++) {
    const double y = up(f, pow(10, k));
    fprintf(file, "<path d='M%.1f %.1fH%.1f' stroke='#ddd'/>\n", f->left, y, f->left + f->width);
    if (last[1] - first[1] > 5 && (last[1] - k) % 2) continue;
    fprintf(file, "<text x='%.1f' y='%.1f' text-anchor='end'>%g</text>\n", f->left - 5, y + 4, pow(10, k));
  }
  if (within(p->marked, p->y))
    fprintf(file, "<path d='M%.1f %.1fH%.1f' stroke='#888' stroke-dasharray='4 3'/>\n", f->left,
            up(f, p->marked), f->left + f->width);
  fprintf(file, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='none' stroke='#444'/>\n", f->left,
          f->top, f->width, f->height);
  fprintf(file, "<text x='%.1f' y='%.1f' text-anchor='middle' font-weight='bold'>%s</text>\n",
          f->left + f->width / 2, f->top - 8, p->title);
  fprintf(file, "<text x='%.1f' y='%.1f' text-anchor='middle'>%s</text>\n", f->left + f->width / 2,
          bottom + 32, p->across);
  const double x = f->left - 46, y = f->top + f->height / 2;
  fprintf(file, "<text transform='translate(%.1f %.1f) rotate(-90)' text-anchor='middle'>%s</text>\n", x, y,
          p->up);
}

// What leaves the panel breaks the line.
static void curve(FILE *file, const Frame *f, size_t number) {
  const MbCurve *c = &f->panel->curve[number];
  bool pen = false;
  fprintf(file, "<path fill='none' stroke-width='1.8' stroke='%s' d='", colours[number]);
  for (size_t i = 0; i < c->n; i++) {
    const bool in = within(c->x[i], f->panel->x) && within(c->y[i], f->panel->y);
    if (in) fprintf(file, "%c%.1f %.1f", pen ? 'L' : 'M', across(f, c->x[i]), up(f, c->y[i]));
    pen = in;
  }
  fprintf(file, "'/>\n");
}

static void legend(FILE *file, const MbPanel *p, double left, double y) {
  for (size_t k = 0; k < p->ncurves; k++, left += 210) {
    fprintf(file, "<path stroke-width='2.5' stroke='%s' d='M%.1f %.1fh26'/>\n", colours[k], left, y - 4);
    fprintf(file, "<text x='%.1f' y='%.1f'>%s</text>\n", left + 32, y, p->curve[k].name);
  }
}

bool mb_plot_write(const char *path, const char *title, size_t columns, size_t npanels,
                   const MbPanel *panels) {
  const size_t rows = (npanels + columns - 1) / columns;
  const double width = (double)(columns * WIDTH), height = (double)(HEAD + rows * HEIGHT);
  FILE *file = fopen(path, "w");
  if (!file) return false;
  fprintf(file,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' font-family='sans-serif' "
          "font-size='11'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
          width, height);
  fprintf(file, "<text x='%d' y='18' font-size='14' font-weight='bold'>%s</text>\n", LEFT, title);
  legend(file, panels, LEFT, 36);
  for (size_t k = 0; k < npanels; k++) {
    const double left = (double)(k % columns * WIDTH), top = (double)(HEAD + k / columns * HEIGHT);
    const Frame frame = {&panels[k], left + LEFT, top + ABOVE, WIDTH - LEFT - RIGHT, HEIGHT - ABOVE - BELOW};
    axes(file, &frame);
    for (size_t c = 0; c < panels[k].ncurves; c++) curve(file, &frame, c);
  }
  fprintf(file, "</svg>\n");
  const bool written = !ferror(file);
  return fclose(file) == 0 && written;
}
