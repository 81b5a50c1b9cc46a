// FCLIB's local problems, as its interface of version 3.1.0 has them. With contacts r and what holds both ways λ (here all rows have
// one W and q):
//
//   u = W r + V λ + q,   0 = Vᵀ r + R λ + s,   each contact's three rows normal, first and second tangent, its cone exact
//
// What gives way (`soft`) stands on the diagonals of W and R. The file is HDF5, which the library reads and writes; it ends the program
// at files that are none of its own, so that these are looked at first.
#include "io/contact/fclib.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the library ------------------------------------------------------------------------------------------

// Its structures: lists of numbers with their lengths. nz: how many of a matrix of triplets, −1 of columns, −2 of rows.
typedef struct Matrix {
  int nzmax, m, n, *p, *i;
  double *x;
  int nz;
  void *info;
} Matrix;

typedef struct Info {
  const char *title, *description, *math_info;
} Info;

typedef struct Local {
  Matrix *W, *V, *R;
  double *mu, *q, *s;
  int spacedim;
  Info *info;
} Local;

typedef int64_t Handle; // HDF5's

static struct {
  int (*write)(Local *problem, const char *path);
  Local *(*read)(const char *path);
  void (*clear)(Local *problem);
  int (*begin)(void);
  int (*mute)(Handle stack, void *function, void *data);
  Handle (*open)(const char *path, unsigned flags, Handle access);
  int (*close)(Handle file);
  int (*exists)(Handle file, const char *name, Handle access);
} fclib;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;

static bool find(void *library, const char *symbol, void *call) {
  void *address = dlsym(library, symbol); // of what the library stands on too
  memcpy(call, &address, sizeof address);
  return address;
}

static MbStatus load(MbReport *report) {
  static const char *const files[] = {"libfclib.so.0", "libfclib.so"};
  void *library = NULL;
  for (size_t i = 0; !library && i < sizeof files / sizeof *files; i++)
    library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return mb_error(
        report, MB_IO, "",
        "FCLIB, which reads and writes HDF5 files of contact problems, cannot be loaded: install it "
        "(Debian: libfclib0), or take a file in JSON");
  loaded = find(library, "fclib_write_local", &fclib.write) &&
           find(library, "fclib_read_local", &fclib.read) &&
           find(library, "fclib_delete_local", &fclib.clear) && find(library, "H5open", &fclib.begin) &&
           find(library, "H5Eset_auto2", &fclib.mute) && find(library, "H5Fopen", &fclib.open) &&
           find(library, "H5Fclose", &fclib.close) && find(library, "H5Lexists", &fclib.exists);
  return loaded ? MB_OK
                : mb_error(report, MB_IO, "",
                           "FCLIB is there, and lacks functions of its version 3.1.0 or of HDF5");
}

MbStatus mb_fclib_load(MbReport *report) {
  pthread_mutex_lock(&mutex);
  const MbStatus status = loaded ? MB_OK : load(report);
  pthread_mutex_unlock(&mutex);
  return status;
}

bool mb_fclib_named(const char *path) {
  const char *ending = strrchr(path, '.');
  return ending && (!strcmp(ending, ".hdf5") || !strcmp(ending, ".h5"));
}

// ---- writing ----------------------------------------------------------------------------------------------

// The rows in the file's order: `row[i]` is the problem's of row i, contacts first, m of them.
static MbStatus order_rows(const MbContactProblem *p, size_t *row, size_t *m, MbReport *report) {
  size_t k = 0;
  *m = 3 * p->ncontacts;
  if (!*m) return mb_error(report, MB_SCENE, "", "a file of FCLIB has contacts, and the problem has none");
  for (size_t c = 0; c < p->ncontacts; c++) {
    if (p->contact[c].cone != MB_CONE_EXACT)
      return mb_error(report, MB_SCENE, "",
                      "a file of FCLIB has exact cones alone, and contact %zu has another", c);
    for (size_t w = 0; w < 3; w++) row[k++] = p->contact[c].row + w;
  }
  for (size_t i = 0; i < p->n; i++) {
    if (p->kind[i] == MB_CONTACT_ONE_WAY || p->kind[i] == MB_CONTACT_BOUNDED)
      return mb_error(report, MB_SCENE, "",
                      "a file of FCLIB has contacts and rows that hold both ways, and row %zu is %s", i,
                      p->kind[i] == MB_CONTACT_ONE_WAY ? "a limit" : "bounded, as dry friction is");
    if (p->kind[i] == MB_CONTACT_BOTH_WAYS) row[k++] = i;
  }
  return MB_OK;
}

static void free_matrix(Matrix *A) { mb_free(A->p), mb_free(A->i), mb_free(A->x); }

static bool make_matrix(Matrix *A, size_t m, size_t n, size_t most) {
  *A = (Matrix){.m = (int)m, .n = (int)n};
  A->p = mb_calloc(most + 1, sizeof *A->p), A->i = mb_calloc(most + 1, sizeof *A->i);
  A->x = mb_calloc(most + 1, sizeof *A->x);
  return A->p && A->i && A->x;
}

static void put(Matrix *A, size_t row, size_t column, double x) {
  A->p[A->nz] = (int)row, A->i[A->nz] = (int)column, A->x[A->nz] = x;
  A->nzmax = ++A->nz;
}

// All numbers of W, or how many there are where A is NULL: of the contacts, between these and the others, of the others.
static void put_all(const MbContactProblem *p, const size_t *row, size_t m, double *column, Matrix A[3],
                    size_t count[3]) {
  for (size_t j = 0; j < p->n; j++) {
    mb_contact_column(&p->W, p->n, row[j], column);
    if (p->soft) column[row[j]] += p->soft[row[j]];
    for (size_t i = 0; i < (j < m ? m : p->n); i++) {
      const size_t part = j < m ? 0 : i < m ? 1 : 2;
      const double x = column[row[i]];
      if (x == 0) continue;
      if (A)
        put(&A[part], part == 2 ? i - m : i, part ? j - m : j, x);
      else
        count[part]++;
    }
  }
}

static MbStatus write_as(const char *path, Local *local, MbReport *report) {
  FILE *const made = fopen(path, "wx");
  if (!made) return mb_error(report, MB_IO, "", "cannot write %s: %s", path, strerror(errno));
  fclose(made);
  remove(path); // the library makes it
  if (fclib.write(local, path)) return MB_OK;
  return mb_error(report, MB_IO, "", "FCLIB cannot write %s", path);
}

// What one problem is written from.
typedef struct Parts {
  size_t *row, m;
  double *number, *column, *mu; // q and s in the file's order; scratch; of the contacts
  Matrix A[3];                  // W, V, R
} Parts;

static void free_parts(Parts *parts) {
  for (int k = 0; k < 3; k++) free_matrix(&parts->A[k]);
  mb_free(parts->row), mb_free(parts->number);
}

static bool make_room(Parts *parts, const MbContactProblem *p) {
  parts->row = mb_calloc(p->n + 1, sizeof *parts->row);
  parts->number = mb_calloc(2 * p->n + p->ncontacts + 1, sizeof *parts->number);
  if (!parts->row || !parts->number) return false;
  parts->column = parts->number + p->n;
  parts->mu = parts->column + p->n;
  return true;
}

static bool fill(Parts *parts, const MbContactProblem *p) {
  size_t count[3] = {0}, m = parts->m;
  Matrix *A = parts->A;
  put_all(p, parts->row, m, parts->column, NULL, count);
  if (!make_matrix(&A[0], m, m, count[0]) || !make_matrix(&A[1], m, p->n - m, count[1]) ||
      !make_matrix(&A[2], p->n - m, p->n - m, count[2]))
    return false;
  put_all(p, parts->row, m, parts->column, A, NULL);
  for (size_t i = 0; i < p->n; i++) parts->number[i] = p->b[parts->row[i]];
  for (size_t c = 0; c < p->ncontacts; c++) parts->mu[c] = p->contact[c].mu;
  return true;
}

MbStatus mb_fclib_write(const char *path, const char *title, const MbContactProblem *p, MbReport *report) {
  Parts parts = {0};
  MbStatus status = mb_fclib_load(report);
  if (status) return status;
  const bool room = make_room(&parts, p);
  if (room) status = order_rows(p, parts.row, &parts.m, report);
  if (!room || (!status && !fill(&parts, p))) status = mb_no_memory(report, "the problem");
  if (!status) {
    const bool more = p->n > parts.m;
    Info info = {title, "contacts of one step", "W is symmetric and has no negative eigenvalues"};
    Local local = {.W = &parts.A[0],
                   .V = more ? &parts.A[1] : NULL,
                   .R = more ? &parts.A[2] : NULL,
                   .mu = parts.mu,
                   .q = parts.number,
                   .s = more ? parts.number + parts.m : NULL,
                   .spacedim = 3,
                   .info = &info};
    status = write_as(path, &local, report);
  }
  free_parts(&parts);
  return status;
}

// ---- reading ----------------------------------------------------------------------------------------------

// Whether it is a file that the library can read: it ends the program at others.
static MbStatus look(const char *path, MbReport *report) {
  static const char *const parts[] = {"fclib_local",           "fclib_local/W",
                                      "fclib_local/spacedim",  "fclib_local/vectors",
                                      "fclib_local/vectors/q", "fclib_local/vectors/mu"};
  fclib.begin();
  fclib.mute(0, NULL, NULL);
  const Handle file = fclib.open(path, 0, 0);
  if (file < 0) return mb_error(report, MB_SCENE, "", "%s cannot be read as HDF5", path);
  const char *lacks = NULL;
  for (size_t i = 0; !lacks && i < sizeof parts / sizeof *parts; i++)
    if (fclib.exists(file, parts[i], 0) <= 0) lacks = parts[i];
  const bool global = lacks && fclib.exists(file, "fclib_global", 0) > 0;
  fclib.close(file);
  if (global)
    return mb_error(report, MB_SCENE, "",
                    "%s has a global problem (M, H, G) of FCLIB; what is read is a local one (W, q, mu)",
                    path);
  return lacks ? mb_error(report, MB_SCENE, "", "%s is no local problem of FCLIB: it has no \"%s\"", path,
                          lacks)
               : MB_OK;
}

// Adds a matrix to a dense one of n columns, from a row and a column on; the other way round too if `both`. False: its lists are wrong.
static bool add_matrix(const Matrix *A, double *dense, size_t n, size_t row, size_t column, bool both) {
  const int lines = A->nz == -1 ? A->n : A->m;
  const bool triplets = A->nz >= 0;
  for (int line = 0; line < (triplets ? 1 : lines); line++)
    for (int k = triplets ? 0 : A->p[line]; k < (triplets ? A->nz : A->p[line + 1]); k++) {
      if (k < 0 || k >= A->nzmax) return false;
      const int i = triplets ? A->p[k] : A->nz == -1 ? A->i[k] : line;
      const int j = triplets || A->nz == -2 ? A->i[k] : line;
      if (i < 0 || i >= A->m || j < 0 || j >= A->n) return false;
      dense[n * (row + (size_t)i) + column + (size_t)j] += A->x[k];
      if (both) dense[n * (column + (size_t)j) + row + (size_t)i] += A->x[k];
    }
  return true;
}

static bool is_whole(const Local *local) {
  const Matrix *W = local->W, *V = local->V, *R = local->R;
  if (!W || W->m != W->n || W->m < 0 || W->m % 3 || W->nz < -2 || !local->q || !local->mu) return false;
  return !R || (V && local->s && V->m == W->m && V->n == R->n && R->m == R->n && R->n >= 0);
}

// The matrix of all rows, dense, and what q and s ask. False: a matrix has numbers where it has no row or column.
static bool gather(const Local *local, size_t m, size_t n, double *dense, double *q) {
  for (size_t i = 0; i < n; i++) q[i] = i < m ? local->q[i] : local->s[i - m];
  if (!add_matrix(local->W, dense, n, 0, 0, false)) return false;
  return m == n ||
         (add_matrix(local->V, dense, n, 0, m, true) && add_matrix(local->R, dense, n, m, m, false));
}

// By way of the text that such a problem has in JSON, whose reader checks what methods rely on.
static MbStatus read_as_text(MbContactFile *file, const MbContactProblem *problem, const char *path,
                             MbReport *report) {
  MbText text = {0};
  mb_contact_file_write(&text, "FCLIB", problem);
  const size_t length = text.length;
  char *const made = mb_text_take(&text);
  const MbStatus status =
      made ? mb_contact_file_read(file, made, length, path, report) : mb_no_memory(report, "the problem");
  mb_free(made);
  return status;
}

static MbStatus take(MbContactFile *file, const Local *local, const char *path, MbReport *report) {
  if (local->spacedim != 3)
    return mb_error(report, MB_SCENE, "", "%s has contacts in %d dimensions, wanted 3", path,
                    local->spacedim);
  if (!is_whole(local)) return mb_error(report, MB_SCENE, "", "%s: W, V and R do not fit one another", path);
  const size_t m = (size_t)local->W->m, n = m + (local->R ? (size_t)local->R->n : 0);
  double *dense = mb_calloc(n * n + n + 1, sizeof *dense);
  MbContactRowKind *kind = mb_calloc(n + 1, sizeof *kind);
  MbContactCone *cone = mb_calloc(m / 3 + 1, sizeof *cone);
  MbStatus status = MB_OK;
  if (!dense || !kind || !cone) {
    status = mb_no_memory(report, "the problem");
  } else if (!gather(local, m, n, dense, dense + n * n)) {
    status = mb_error(report, MB_SCENE, "", "%s: a matrix has numbers where it has no row or column", path);
  } else {
    for (size_t i = 0; i < n; i++)
      kind[i] = i >= m ? MB_CONTACT_BOTH_WAYS : i % 3 ? MB_CONTACT_TANGENT : MB_CONTACT_NORMAL;
    for (size_t c = 0; c < m / 3; c++)
      cone[c] = (MbContactCone){.row = 3 * c, .cone = MB_CONE_EXACT, .mu = local->mu[c]};
    const MbContactProblem problem = {
        .n = n, .W = {.dense = dense}, .b = dense + n * n, .kind = kind, .contact = cone, .ncontacts = m / 3};
    status = read_as_text(file, &problem, path, report);
  }
  mb_free(dense), mb_free(kind), mb_free(cone);
  return status;
}

MbStatus mb_fclib_read(MbContactFile *file, const char *path, MbReport *report) {
  *file = (MbContactFile){0};
  MbStatus status = mb_fclib_load(report);
  if (!status) status = look(path, report);
  if (status) return status;
  Local *local = fclib.read(path);
  if (!local) return mb_error(report, MB_SCENE, "", "FCLIB cannot read %s", path);
  status = take(file, local, path, report);
  fclib.clear(local);
  free(local); // the library's own
  return status;
}
