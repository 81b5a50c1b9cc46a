#include "core/sparse/global_inside.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <unistd.h>

const char *const mb_global_words[MB_GLOBAL_METHODS + 1] = {
    "auto", "cholesky", "sparse_inverse", "partitioned_inverse", "jacobi", "chebyshev", NULL};

// ---- which method ---------------------------------------------------------------------------------------------

double mb_sparse_room(void) {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? 0.75 * (double)pages * (double)size : 1e18;
}

// At most at once. The sweeps' numbers are L's, filled up a little; an inverse is made beside the factor, one of floats beside
// doubles as well, but a limit that is given is for the inverse alone.
static double takes(const MbGlobal *g) {
  const MbInverse *S = g->inverse;
  static const double FILLED = 1.1;
  if (!S) return (double)g->cholesky->bytes + FILLED * 8 * (double)g->cholesky->entries;
  if (g->options.memory) return (double)S->bytes;
  return (double)g->cholesky->bytes + (double)S->bytes +
         (S->single ? 8.0 * (double)(S->entries + S->coupled) : 0);
}

static double room(const MbGlobal *g) {
  return g->options.memory ? (double)g->options.memory : mb_sparse_room();
}
static bool fits(const MbGlobal *g) { return takes(g) <= room(g); }

// False: out of memory.
static bool make_inverse(MbGlobal *g, size_t levels) {
  mb_inverse_free(g->inverse);
  mb_cholesky_free(g->cholesky);
  g->inverse = NULL;
  g->cholesky = mb_cholesky_analyse_as(g->A, NULL, levels == 1 ? MB_JOIN_NEIGHBOURS : MB_JOIN_ALIKE,
                                       g->options.threads);
  if (g->cholesky) g->inverse = mb_inverse_make(g->cholesky, levels, g->options.single);
  return g->inverse != NULL;
}

static MbStatus refuse(const MbGlobal *g, MbReport *report) {
  const double MB = 1048576;
  static const MbGlobalMethod smaller[MB_GLOBAL_METHODS] = {
      [MB_GLOBAL_CHOLESKY] = MB_GLOBAL_JACOBI,
      [MB_GLOBAL_SPARSE_INVERSE] = MB_GLOBAL_PARTITIONED_INVERSE,
      [MB_GLOBAL_PARTITIONED_INVERSE] = MB_GLOBAL_JACOBI};
  return mb_error(report, MB_SCENE, "",
                  "\"%s\" of %zu nodes takes %.1f MB, and there may be %.1f MB; \"%s\" takes less",
                  mb_global_words[g->options.method], g->A->n, takes(g) / MB, room(g) / MB,
                  mb_global_words[smaller[g->options.method]]);
}

// Of a whole inverse on a device. One in levels is read in a tenth of the time, but launches are several times as many: bars of 21 thousand
// nodes, whose whole inverse has 26 million numbers, take 1.2 times as long in levels (`mbsim-bench device`, an H200).
static const size_t WHOLE_MOST = 40000000;

static MbStatus choose(MbGlobal *g, MbReport *report) {
  MbGlobalMethod *method = &g->options.method;
  const bool open = *method == MB_GLOBAL_AUTO;
  if (open) *method = g->options.device ? MB_GLOBAL_SPARSE_INVERSE : MB_GLOBAL_CHOLESKY;
  if (*method == MB_GLOBAL_CHOLESKY) {
    g->cholesky = mb_cholesky_analyse_as(g->A, NULL, MB_JOIN_ANY, g->options.threads);
    if (g->cholesky && !fits(g)) return refuse(g, report);
    if (g->cholesky) g->sweeps = mb_sweeps_make(g->cholesky);
    return g->sweeps ? MB_OK : mb_no_memory(report, "the global step");
  }
  if (*method == MB_GLOBAL_SPARSE_INVERSE) {
    if (!make_inverse(g, 1)) return mb_no_memory(report, "the sparse inverse");
    const bool large = open && g->inverse->entries > WHOLE_MOST;
    if (!open || (fits(g) && !large)) return fits(g) ? MB_OK : refuse(g, report);
    *method = MB_GLOBAL_PARTITIONED_INVERSE;
  }
  if (*method != MB_GLOBAL_PARTITIONED_INVERSE) return MB_OK;
  if (!make_inverse(g, MB_LEVELS)) return mb_no_memory(report, "the partitioned inverse");
  return fits(g) ? MB_OK : refuse(g, report);
}

MbStatus mb_global_create(const MbPattern *A, const MbGlobalOptions *options, MbGlobal **global,
                          MbReport *report) {
  MbGlobal *g = *global = mb_calloc(1, sizeof *g);
  if (!g) return mb_no_memory(report, "the global step");
  *g = (MbGlobal){.A = A, .options = *options};
  g->sweep_passes = mb_sweep_passes();
  g->inverse_passes = mb_inverse_passes();
  MbStatus status = choose(g, report);
  if (status == MB_OK) {
    g->rows = mb_row_matrix_make(A);
    if (g->inverse && g->inverse->single) {
      g->x = mb_calloc(3 * A->n, sizeof *g->x);
      g->r = mb_calloc(3 * A->n, sizeof *g->r);
    }
    const bool iterates = !g->sweeps && !g->inverse;
    if (!g->rows || (iterates && !mb_row_matrix_hold(g->rows)) ||
        (g->inverse && g->inverse->single && (!g->x || !g->r)))
      status = mb_no_memory(report, "the global step");
  }
  if (status == MB_OK) return MB_OK;
  mb_global_free(g);
  *global = NULL;
  return status;
}

void mb_global_free(MbGlobal *g) {
  if (!g) return;
  mb_row_matrix_free(g->rows);
  mb_sweeps_free(g->sweeps);
  mb_inverse_free(g->inverse);
  mb_cholesky_free(g->cholesky);
  mb_free(g->x);
  mb_free(g->r);
  mb_free(g);
}

// ---- numbers ----------------------------------------------------------------------------------------------------

static MbStatus indefinite(size_t row, size_t *blame, MbReport *report) {
  if (blame) *blame = row;
  return mb_error(report, MB_NUMBERS, "",
                  "the matrix of the global step is not positive definite, at node %zu", row);
}

MbStatus mb_global_factor(MbGlobal *g, const double *values, size_t *blame, MbReport *report) {
  size_t row = 0;
  if (g->cholesky) {
    if (!mb_cholesky_hold(g->cholesky)) return mb_no_memory(report, "the factor of the global step");
    const bool definite = mb_cholesky_factor(g->cholesky, values, &row);
    bool ok = definite;
    if (ok && g->sweeps) mb_sweeps_fill(g->sweeps, g->cholesky, g->options.threads);
    if (ok && g->inverse) ok = mb_inverse_fill(g->inverse, g->cholesky, g->options.threads);
    mb_cholesky_shed(g->cholesky);
    if (!definite) return indefinite(row, blame, report);
    if (!ok) return mb_no_memory(report, "the inverse of the global step");
    mb_row_matrix_fill(g->rows, g->A, values);
    return MB_OK;
  }
  return mb_row_matrix_fill_for_sweeps(g->rows, g->A, values, &row) ? MB_OK : indefinite(row, blame, report);
}

// ---- solves -----------------------------------------------------------------------------------------------------

void mb_global_solve(MbGlobal *g, const double *b, double *x, int threads) {
  const size_t n = 3 * g->A->n;
  if (g->sweeps)
    mb_sweeps_solve(g->sweeps, g->sweep_passes, b, x, threads);
  else if (g->inverse && !g->inverse->single)
    mb_inverse_solve(g->inverse, g->inverse_passes, b, x, threads);
  else if (g->inverse) {
    mb_inverse_solve(g->inverse, g->inverse_passes, b, g->x, threads);
    mb_row_matrix_residual(g->rows, b, g->x, g->r, threads);
    mb_inverse_solve(g->inverse, g->inverse_passes, g->r, g->r, threads);
    for (size_t i = 0; i < n; i++) x[i] = g->x[i] + g->r[i];
  } else
    mb_global_sweep(g, b, x, g->options.sweeps ? g->options.sweeps : 1, threads);
}

void mb_global_sweep(MbGlobal *g, const double *b, double *x, size_t sweeps, int threads) {
  mb_row_matrix_sweep(g->rows, g->options.method == MB_GLOBAL_CHEBYSHEV, b, x, sweeps, threads);
}

double mb_global_residual(const MbGlobal *g, const double *b, const double *x) {
  return mb_row_matrix_residual_norm(g->rows, b, x);
}

MbGlobalSize mb_global_size(const MbGlobal *g) {
  MbGlobalSize size = {.method = g->options.method};
  if (g->cholesky) size.factor = g->cholesky->factor;
  if (g->sweeps) size.entries = g->sweeps->entries, size.bytes = g->sweeps->bytes;
  if (g->inverse) size.entries = g->inverse->entries + g->inverse->coupled, size.bytes = g->inverse->bytes;
  if (!g->cholesky)
    size.entries = g->rows->start[g->A->n] + g->A->n, size.low = g->rows->low, size.high = g->rows->high;
  return size;
}

const struct MbInverse *mb_global_inverse(const MbGlobal *g) { return g->inverse; }
const struct MbRowMatrix *mb_global_rows(const MbGlobal *g) { return g->rows; }
