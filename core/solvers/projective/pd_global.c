// The constant matrix of local-global iterations: which nodes it couples, its numbers, and how it is solved with where nodes are placed along
// some axes.
#include "core/base/lapack.h"
#include "core/base/alloc.h"
#include "core/base/blas.h"
#include "core/base/report.h"
#include "core/solvers/projective/pd_engine.h"

#include <math.h>
#include <string.h>

// ---- the matrix -------------------------------------------------------------------------------------------

void mb_pd_pairs(const MbPdEngine *engine, MbAssembly *assembly) {
  const uint32_t *number = engine->number;
  for (uint32_t i = 0; i < engine->nfree; i++) mb_assembly_add(assembly, i, i);
  for (size_t k = 0; k < engine->nblocks; k++) {
    const MbPdBlock *block = &engine->block[k];
    for (size_t e = 0; e < block->count; e += block->points)
      for (size_t a = 0; a < block->corners; a++)
        for (size_t b = 0; b <= a; b++) {
          const uint32_t i = number[mb_pd_node(block, e, a)], j = number[mb_pd_node(block, e, b)];
          if (i != MB_NONE && j != MB_NONE) mb_assembly_add(assembly, i, j);
        }
  }
  const MbPdForm *form = &engine->form;
  for (size_t i = 0; i < form->n; i++)
    for (size_t k = form->start[i]; k < form->start[i + 1]; k++)
      if (form->column[k] <= i && number[i] != MB_NONE && number[form->column[k]] != MB_NONE)
        mb_assembly_add(assembly, number[i], number[form->column[k]]);
}

// What fibres weigh in element e of a block, between corners a and b.
static double fibres_between(const MbPdEngine *engine, const MbPdBlock *block, size_t e, size_t a, size_t b) {
  double sum = 0;
  for (size_t i = 0; i < engine->nloaded; i++) {
    const MbElements *of = engine->loaded[i].fibred;
    if (engine->loaded[i].part != block->part || !of) continue;
    for (size_t m = 0; m < of->nfibres; m++) {
      const double *const c = of->fibres[m].weight + block->corners * e;
      sum += mb_fibre_most(&of->fibres[m]) * of->fibre_volume[e] * c[a] * c[b];
    }
  }
  return sum;
}

// In the order of mb_pd_pairs.
static void fill_values(const MbPdEngine *engine, const size_t *slot, double *value) {
  const uint32_t *number = engine->number;
  const double h2 = engine->h * engine->h;
  size_t next = 0, same = 0; // points of an element have the same pairs
  for (size_t i = 0; i < engine->nfree; i++) value[slot[next++]] += engine->inertia[engine->node[i]];
  for (size_t k = 0; k < engine->nblocks; k++) {
    const MbPdBlock *block = &engine->block[k];
    for (size_t e = 0; e < block->count; e++) {
      const double w = h2 * mb_pd_weight(block, e) * mb_pd_volume(block, e);
      double g[MB_PD_SLOPES];
      mb_gradient_of(&block->gradient, e, g);
      if (e % block->points) next = same;
      same = next;
      for (size_t a = 0; a < block->corners; a++)
        for (size_t b = 0; b <= a; b++) {
          if (number[mb_pd_node(block, e, a)] == MB_NONE || number[mb_pd_node(block, e, b)] == MB_NONE)
            continue;
          double gg = 0;
          for (size_t j = 0; j < block->rank; j++) gg += g[a * block->rank + j] * g[b * block->rank + j];
          value[slot[next++]] += w * gg + h2 * fibres_between(engine, block, e, a, b);
        }
    }
  }
  const MbPdForm *form = &engine->form;
  for (size_t i = 0; i < form->n; i++)
    for (size_t k = form->start[i]; k < form->start[i + 1]; k++)
      if (form->column[k] <= i && number[i] != MB_NONE && number[form->column[k]] != MB_NONE)
        value[slot[next++]] += h2 * form->times[i] * form->value[k];
}

// ---- nodes that are placed along some axes ------------------------------------------------------------------

static bool list_placed(MbPdEngine *engine) {
  MbPdGlobal *global = &engine->global;
  size_t most = 0;
  for (int axis = 0; axis < 3; axis++) {
    global->place[axis] = mb_calloc(global->n, sizeof *global->place[axis]);
    if (!global->place[axis]) return false;
    for (uint32_t i = 0; i < global->n; i++)
      if (engine->placed[engine->node[i]] >> axis & 1) global->place[axis][global->placed[axis]++] = i;
    if (global->placed[axis] > most) most = global->placed[axis];
    global->block[axis] = mb_calloc(global->near ? 0 : global->placed[axis] * global->placed[axis],
                                    sizeof *global->block[axis]);
    if (!global->block[axis]) return false;
  }
  global->of_placed = mb_calloc(most, sizeof *global->of_placed);
  return global->of_placed != NULL;
}

// Eᵀ A⁻¹ E of all three axes, a column of each at once.
static bool factor_blocks(MbPdGlobal *global) {
  size_t most = 0;
  if (global->near) return true;
  for (int axis = 0; axis < 3; axis++)
    if (global->placed[axis] > most) most = global->placed[axis];
  for (size_t k = 0; k < most; k++) {
    memset(global->x, 0, 3 * global->n * sizeof *global->x);
    for (size_t axis = 0; axis < 3; axis++)
      if (k < global->placed[axis]) global->x[3 * (size_t)global->place[axis][k] + axis] = 1;
    mb_global_solve(global->inverse, global->x, global->x, global->threads);
    for (size_t axis = 0; axis < 3; axis++)
      for (size_t i = 0; i < global->placed[axis] && k < global->placed[axis]; i++)
        global->block[axis][k * global->placed[axis] + i] =
            global->x[3 * (size_t)global->place[axis][i] + axis];
  }
  for (int axis = 0; axis < 3; axis++) {
    const int n = (int)global->placed[axis];
    if (n && mb_lapack.dpotrf(LAPACK_COL_MAJOR, 'L', n, global->block[axis], n) != 0) return false;
  }
  return true;
}

static void clear_placed(const MbPdGlobal *global, double *x) {
  for (size_t axis = 0; axis < 3; axis++)
    for (size_t i = 0; i < global->placed[axis]; i++) x[3 * (size_t)global->place[axis][i] + axis] = 0;
}

void mb_pd_global_solve(MbPdGlobal *global, double *x) {
  const bool some = global->placed[0] || global->placed[1] || global->placed[2];
  if (global->near) {
    clear_placed(global, x);
    memset(global->x, 0, 3 * global->n * sizeof *global->x);
    mb_global_solve(global->inverse, x, global->x, global->threads);
    memcpy(x, global->x, 3 * global->n * sizeof *x);
    clear_placed(global, x);
    return;
  }
  mb_global_solve(global->inverse, x, x, global->threads);
  if (!some) return;
  memset(global->x, 0, 3 * global->n * sizeof *global->x);
  for (size_t axis = 0; axis < 3; axis++) {
    const int n = (int)global->placed[axis];
    const uint32_t *row = global->place[axis];
    for (int i = 0; i < n; i++) global->of_placed[i] = x[3 * (size_t)row[i] + axis];
    if (n) mb_lapack.dpotrs(LAPACK_COL_MAJOR, 'L', n, 1, global->block[axis], n, global->of_placed, n);
    for (int i = 0; i < n; i++) global->x[3 * (size_t)row[i] + axis] = global->of_placed[i];
  }
  mb_global_solve(global->inverse, global->x, global->x, global->threads);
  for (size_t i = 0; i < 3 * global->n; i++) x[i] -= global->x[i];
  clear_placed(global, x);
}

// ---- making and freeing -----------------------------------------------------------------------------------

static MbStatus make_inverse(MbPdEngine *engine, const MbPdSpec *spec, MbReport *report) {
  MbPdGlobal *global = &engine->global;
  const bool chebyshev = spec->global == MB_GLOBAL_CHEBYSHEV;
  static const size_t SWEEPS = 10; // of Chebyshev's recurrence; one of Jacobi's method
  const MbGlobalOptions options = {.method = spec->global,
                                   .single = spec->single,
                                   .device = engine->elsewhere,
                                   .threads = spec->threads,
                                   .memory = spec->memory,
                                   .sweeps = chebyshev ? SWEEPS : 1};
  global->threads = spec->threads;
  global->near = chebyshev || spec->global == MB_GLOBAL_JACOBI;
  MbStatus status = mb_global_create(&global->pattern, &options, &global->inverse, report);
  size_t row = 0;
  if (status != MB_OK) return status;
  MbReport said = {0};
  status = mb_global_factor(global->inverse, global->value, &row, &said);
  if (status == MB_NUMBERS && spec->blame)
    *spec->blame = engine->node[row];
  else if (status != MB_OK)
    mb_error(report, status, "", "%s", said.issues[0].text);
  if (status != MB_OK) return status;
  if (!list_placed(engine)) return mb_no_memory(report, "the global step");
  if (!factor_blocks(global))
    return mb_error(report, MB_NUMBERS, "",
                    "the deformables' nodes that are held along some axes cannot be told apart in the step's "
                    "equations: masses, stiffness and step are too far apart");
  return MB_OK;
}

MbStatus mb_pd_global_make(MbPdEngine *engine, const MbPdSpec *spec, MbReport *report) {
  MbPdGlobal *global = &engine->global;
  size_t *slot = NULL;
  MbAssembly assembly;
  global->n = engine->nfree;
  if (!mb_blas_start(spec->threads)) return mb_no_memory(report, "the global step");
  mb_assembly_begin(&assembly, global->n);
  mb_pd_pairs(engine, &assembly);
  if (!mb_assembly_end(&assembly, &global->pattern, &slot)) return mb_no_memory(report, "the global step");
  global->value = mb_calloc(global->pattern.start[global->n], sizeof *global->value);
  global->x = mb_calloc(3 * global->n, sizeof *global->x);
  const bool room = global->value && global->x;
  if (room) fill_values(engine, slot, global->value);
  mb_free(slot);
  return room ? make_inverse(engine, spec, report) : mb_no_memory(report, "the global step");
}

void mb_pd_global_free(MbPdGlobal *global) {
  mb_pattern_free(&global->pattern);
  mb_free(global->value);
  mb_free(global->x);
  mb_free(global->of_placed);
  mb_global_free(global->inverse);
  for (int axis = 0; axis < 3; axis++) {
    mb_free(global->place[axis]);
    mb_free(global->block[axis]);
  }
  *global = (MbPdGlobal){0};
}

size_t mb_pd_global_bytes(const MbPdGlobal *global) {
  if (!global->inverse) return 0;
  size_t bytes = mb_global_size(global->inverse).bytes + 3 * global->n * sizeof *global->x +
                 global->pattern.start[global->n] * (sizeof *global->value + sizeof(uint32_t)) +
                 global->n * sizeof(size_t);
  for (int axis = 0; axis < 3; axis++)
    bytes += global->n * sizeof(uint32_t) + global->placed[axis] * global->placed[axis] * sizeof(double);
  return bytes;
}
