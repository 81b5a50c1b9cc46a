// How right bending is: strips and sheets whose answers are known, over these answers, as meshes are refined.
#include "tools/bench/bending_cases.h"
#include "tools/bench/bench.h"

#include <math.h>
#include <stdio.h>

typedef double Measure(MbBendingKind model, MbSheetKind kind, size_t cells);

static double narrow(MbBendingKind m, MbSheetKind k, size_t n) { return mb_strip_tip(m, k, n, 0.2); }
static double square(MbBendingKind m, MbSheetKind k, size_t n) { return mb_strip_tip(m, k, n, 1); }
static double wide(MbBendingKind m, MbSheetKind k, size_t n) { return mb_strip_tip(m, k, n, 4); }
static double buckles(MbBendingKind m, MbSheetKind k, size_t n) { return mb_strip_buckles(m, k, n, 0.2); }
static double along(MbBendingKind m, MbSheetKind k, size_t n) { return mb_sheet_cylinder(m, k, n, 0); }
static double oblique(MbBendingKind m, MbSheetKind k, size_t n) { return mb_sheet_cylinder(m, k, n, 0.6); }

// How a row is judged: its last number against 1, the limit that its last two point to where a rim is worth some of the first order,
// or its last numbers on all meshes against their mean.
typedef enum Judged { BY_LAST, BY_LIMIT, BY_MEAN } Judged;

static const struct {
  const char *what;
  Measure *measure;
  Judged judged;
  double within;
  size_t cells[3];
} rows[] = {{"tip of a strip 1 : 0.2, over w L^4/8D", narrow, BY_LAST, 0.02, {10, 20, 40}},
            {"tip of a square, over w L^4/8D", square, BY_LAST, 0.02, {10, 20, 40}},
            {"tip of a sheet 1 : 4, over w L^4/8D", wide, BY_LAST, 0.02, {10, 20, 40}},
            {"buckling load of a strip 1 : 0.2, over Euler's", buckles, BY_LAST, 0.03, {10, 20, 40}},
            {"energy on a cylinder along x, over half D/R^2 by area", along, BY_LIMIT, 0.01, {10, 20, 40}},
            {"the same at 34 degrees", oblique, BY_LIMIT, 0.01, {10, 20, 40}},
            {"shadow of a draped square, by its area", mb_sheet_drape, BY_MEAN, 0.03, {18, 24, 36}}};
enum { ROWS = sizeof rows / sizeof *rows };

static bool run(size_t r) {
  double at[MB_SHEET_KINDS][3], mean = 0, off = 0;
  printf("  %s\n", rows[r].what);
  for (int kind = 0; kind < MB_SHEET_KINDS; kind++) {
    printf("    %-10s", mb_sheet_names[kind]);
    for (size_t k = 0; k < 3; k++) {
      at[kind][k] = rows[r].measure(MB_BENDING_ISOMETRIC, (MbSheetKind)kind, rows[r].cells[k]);
      printf("  %2zu cells %7.4f", rows[r].cells[k], at[kind][k]), fflush(stdout);
    }
    printf("\n");
    mean += at[kind][2] / MB_SHEET_KINDS;
  }
  for (int kind = 0; kind < MB_SHEET_KINDS; kind++) {
    const double wanted = rows[r].judged == BY_MEAN ? mean : 1;
    const double is = rows[r].judged == BY_LIMIT ? 2 * at[kind][2] - at[kind][1] : at[kind][2];
    off = fmax(off, fabs(is / wanted - 1));
  }
  return mb_bench_target("off by", 100 * off, "%", 100 * rows[r].within, false);
}

// Entries of Q a node, of squares of 40 cells a side.
static void count_entries(void) {
  printf("  entries of the matrix a row\n   ");
  for (int kind = 0; kind < MB_SHEET_KINDS; kind++)
    printf(" %-10s %.0f", mb_sheet_names[kind],
           mb_sheet_entries(MB_BENDING_ISOMETRIC, (MbSheetKind)kind, 40));
  printf("\n");
}

bool mb_bench_bending(void) {
  bool fine = true;
  count_entries();
  for (size_t r = 0; r < ROWS; r++) fine &= run(r);
  return fine;
}
