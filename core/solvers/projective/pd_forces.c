// Elements and bending at places q: forces, energies, local steps. Every node sums up its elements in one order, so that any
// number of threads gives the same bits.
#include "core/base/alloc.h"
#include "core/base/threads.h"
#include "core/deformables/bending_rest.h"
#include "core/deformables/rod.h"
#include "core/deformables/viscous.h"
#include "core/math/vec3.h"
#include "core/solvers/projective/pd_engine.h"

#include <string.h>

// ---- bending ----------------------------------------------------------------------------------------------

// Rows of all of Q from lower triangles of the parts', added up.
static bool join_forms(MbPdForm *form, const MbPdSpec *spec, const MbBending *bending, size_t n) {
  form->start = mb_calloc(n + 2, sizeof *form->start);
  if (!form->start) return false;
  size_t *next = form->start + 1, count = 0;
  for (size_t k = 0; k < spec->nparts; k++)
    for (size_t i = 0; i < bending[k].count; i++) {
      const size_t row = spec->parts[k].first + bending[k].row[i],
                   column = spec->parts[k].first + bending[k].column[i];
      next[row + 1]++, count++;
      if (row != column) next[column + 1]++, count++;
    }
  for (size_t i = 1; i <= n; i++) next[i] += next[i - 1];
  form->column = mb_calloc(count, sizeof *form->column);
  form->value = mb_calloc(count, sizeof *form->value);
  form->energy = mb_calloc(n, sizeof *form->energy);
  if (!form->column || !form->value || !form->energy) return false;
  for (size_t k = 0; k < spec->nparts; k++)
    for (size_t i = 0; i < bending[k].count; i++) {
      const size_t row = spec->parts[k].first + bending[k].row[i],
                   column = spec->parts[k].first + bending[k].column[i];
      form->column[next[row]] = (uint32_t)column, form->value[next[row]++] = bending[k].value[i];
      if (row != column)
        form->column[next[column]] = (uint32_t)row, form->value[next[column]++] = bending[k].value[i];
    }
  form->n = n;
  return true;
}

// Those of the parts one after the other, by the engine's numbers of nodes.
static bool join_rests(MbBendingRest *to, const MbPdSpec *spec, const MbBending *bending) {
  size_t count = 0, entries = 0;
  for (size_t k = 0; k < spec->nparts; k++)
    count += bending[k].rest.count, entries += bending[k].rest.entries;
  if (!count) return true;
  to->corner = mb_calloc(count, 3 * sizeof *to->corner);
  to->first = mb_calloc(count + 1, sizeof *to->first);
  to->node = mb_calloc(entries, sizeof *to->node);
  to->weight = mb_calloc(entries, sizeof *to->weight);
  to->square = mb_calloc(count, sizeof *to->square);
  if (!to->corner || !to->first || !to->node || !to->weight || !to->square) return false;
  for (size_t k = 0; k < spec->nparts; k++) {
    const MbBendingRest *from = &bending[k].rest;
    const uint32_t shift = (uint32_t)spec->parts[k].first;
    for (size_t i = 0; i < 3 * from->count; i++) to->corner[3 * to->count + i] = from->corner[i] + shift;
    for (size_t i = 0; i < from->entries; i++)
      to->node[to->entries + i] = from->node[i] + shift, to->weight[to->entries + i] = from->weight[i];
    for (size_t t = 0; t < from->count; t++) {
      to->square[to->count] = from->square[t];
      to->first[++to->count] = to->entries + from->first[t + 1];
    }
    to->entries += from->entries;
  }
  return true;
}

bool mb_pd_form_make(MbPdEngine *engine, const MbPdSpec *spec) {
  MbBending *bending = mb_calloc(spec->nparts, sizeof *bending);
  bool ok = bending != NULL, any = false;
  for (size_t k = 0; k < spec->nparts && ok; k++) {
    const MbPdPart *part = &spec->parts[k];
    const MbElementMesh *mesh = part->mesh;
    size_t flat = SIZE_MAX;
    if (!part->rod && (part->bending == MB_NO_BENDING || !mesh->triangles)) continue;
    any = true;
    ok = part->rod ? mb_rod_bending(part->rod, mesh, &bending[k])
                   : mb_bending_create(&bending[k], part->bending, part->bending_stiffness, mesh->triangle,
                                       mesh->triangles, mesh->x, mesh->nodes, &flat);
  }
  if (ok && any)
    ok = join_forms(&engine->form, spec, bending, spec->nodes) &&
         join_rests(&engine->form.rest, spec, bending) && mb_pd_bends_make(engine, spec);
  for (size_t k = 0; bending && k < spec->nparts; k++) mb_bending_free(&bending[k]);
  mb_free(bending);
  return ok;
}

void mb_pd_form_free(MbPdForm *form) {
  mb_free(form->start);
  mb_free(form->column);
  mb_free(form->value);
  mb_free(form->energy);
  mb_bending_rest_free(&form->rest);
  mb_pd_bends_free(form);
  *form = (MbPdForm){0};
}

size_t mb_pd_form_bytes(const MbPdForm *form) {
  return form->n ? (form->n + 2) * sizeof *form->start + form->n * sizeof *form->energy +
                       form->start[form->n] * (sizeof *form->column + sizeof *form->value) +
                       form->rest.count * (3 * sizeof(uint32_t) + sizeof(size_t) + sizeof(double)) +
                       form->rest.entries * (sizeof(uint32_t) + sizeof(double)) + mb_pd_bends_bytes(form)
                 : 0;
}

typedef double Two __attribute__((vector_size(16)));

// Differences of places: the rows of Q sum up to 0, which rounding far from the origin must not spoil.
void mb_pd_form_row(const MbPdForm *form, size_t i, const double *q, double sum[3]) {
  const uint32_t *column = form->column;
  const double *value = form->value, z = q[3 * i + 2];
  Two xy, sum_xy = {0};
  double sum_z = 0;
  memcpy(&xy, q + 3 * i, sizeof xy);
  for (size_t k = form->start[i], end = form->start[i + 1]; k < end; k++) {
    const double *to = q + 3 * (size_t)column[k];
    Two at;
    memcpy(&at, to, sizeof at);
    sum_xy += value[k] * (at - xy);
    sum_z += value[k] * (to[2] - z);
  }
  memcpy(sum, &sum_xy, sizeof sum_xy);
  sum[2] = sum_z;
}

void mb_pd_form_rest_of(const MbPdForm *form, size_t triangle, const double *q, const double *p[3],
                        double w[3]) {
  const MbBendingRest *rest = &form->rest;
  double d[3];
  for (size_t j = 0; j < 3; j++) p[j] = q + 3 * (size_t)rest->corner[3 * triangle + j];
  mb_vec3_set(w, 0, 0, 0);
  for (size_t k = rest->first[triangle]; k < rest->first[triangle + 1]; k++) {
    mb_vec3_sub(d, q + 3 * (size_t)rest->node[k], p[0]);
    mb_vec3_add_scaled(w, w, rest->weight[k], d);
  }
}

double mb_pd_form_rest(const MbPdForm *form, const double *q, double *f) {
  const MbBendingRest *rest = &form->rest;
  double energy = 0, w[3];
  for (size_t t = 0; t < rest->count; t++) {
    const double *p[3];
    MbBendingPull pull;
    mb_pd_form_rest_of(form, t, q, p, w);
    mb_bending_pull(p, w, &pull);
    energy += rest->square[t] / 2 - pull.value;
    if (!f) continue;
    for (size_t j = 0; j < 3; j++) {
      double *to = f + 3 * (size_t)rest->corner[3 * t + j];
      mb_vec3_add(to, to, pull.slope[j]);
    }
    for (size_t k = rest->first[t]; k < rest->first[t + 1]; k++) {
      double *to = f + 3 * (size_t)rest->node[k];
      mb_vec3_add_scaled(to, to, rest->weight[k], pull.n);
    }
  }
  return energy;
}

static double form_energy(const MbPdForm *form, const double *q) {
  double energy = mb_pd_form_rest(form, q, NULL), sum[3];
  for (size_t i = 0; i < form->n; i++) {
    mb_pd_form_row(form, i, q, sum);
    energy += mb_vec3_dot(sum, q + 3 * i) / 2;
  }
  return energy;
}

typedef struct Job {
  MbPdEngine *engine;
  MbPdBlock *block;
  const double *q;
  double *b;
} Job;

static void form_range(void *context, size_t begin, size_t end) {
  const Job *const job = context;
  for (size_t i = begin; i < end; i++) {
    double sum[3];
    mb_pd_form_row(&job->engine->form, i, job->q, sum);
    mb_vec3_sub(job->b + 3 * i, job->b + 3 * i, sum);
  }
}

static void add_bending(MbPdEngine *engine, const double *q, double *b) {
  Job job = {.engine = engine, .q = q, .b = b};
  mb_parallel_ranges(engine->threads, engine->form.n, MB_PD_GRAIN, form_range, &job);
  if (engine->form.rest.count) mb_pd_form_rest(&engine->form, q, b);
  mb_pd_bends(&engine->form, q, b);
}

// ---- forces -----------------------------------------------------------------------------------------------

static void stress_range(void *context, size_t begin, size_t end) {
  const Job *const job = context;
  MbPdBlock *block = job->block;
  const size_t width = 3 * block->rank, stride = block->gradient.stride;
  double F[9], P[9];
  for (size_t e = begin; e < end; e++) {
    for (size_t c = 0; c < width; c++) F[c] = block->F[c * stride + e];
    mb_pd_stress(block, e, F, P);
    for (size_t c = 0; c < width; c++)
      block->p[c * stride + e] = block->weight[e] > 0 ? -P[c] / block->weight[e] : 0; // springs may have none
  }
}

// p ← −P of what damps; energies, where they are added up, get their part.
static void viscous_range(void *context, size_t begin, size_t end) {
  const Job *const job = context;
  MbPdBlock *block = job->block;
  const size_t width = 3 * block->rank, stride = block->gradient.stride;
  double F[9], P[9];
  for (size_t e = begin; e < end; e++) {
    for (size_t c = 0; c < width; c++) F[c] = block->F[c * stride + e];
    block->energy[e] += mb_pd_volume(block, e) * mb_pd_viscous(block, e, F, P);
    for (size_t c = 0; c < width; c++) block->p[c * stride + e] = -block->thickness * P[c];
  }
}

void mb_pd_damp(MbPdEngine *engine, MbPdBlock *block, const double *q, double *f) {
  Job job = {.engine = engine, .block = block};
  if (!mb_pd_damped(block)) return;
  mb_gradient_gather_all(&block->gradient, engine->threads, q, block->F);
  mb_parallel_ranges(engine->threads, block->count, MB_PD_GRAIN, viscous_range, &job);
  mb_gradient_scatter_all(&block->gradient, engine->threads, NULL, block->p, NULL, block->corner, f);
}

void mb_pd_forces(MbPdEngine *engine, const double *q, double *f) {
  memset(f, 0, 3 * engine->n * sizeof *f);
  for (size_t k = 0; k < engine->nblocks; k++) {
    MbPdBlock *block = &engine->block[k];
    Job job = {.engine = engine, .block = block};
    mb_gradient_gather_all(&block->gradient, engine->threads, q + 3 * block->first, block->F);
    mb_parallel_ranges(engine->threads, block->count, MB_PD_GRAIN, stress_range, &job);
    mb_gradient_scatter_all(&block->gradient, engine->threads, block->scale, block->p, NULL, block->corner,
                            f + 3 * block->first);
    mb_pd_damp(engine, block, q + 3 * block->first, f + 3 * block->first);
  }
  add_bending(engine, q, f);
  mb_pd_loads(engine, q, f);
}

// ---- local steps ------------------------------------------------------------------------------------------

// u ← P/w at F
static void dual_range(void *context, size_t begin, size_t end) {
  const Job *const job = context;
  MbPdBlock *block = job->block;
  const size_t width = 3 * block->rank, stride = block->gradient.stride;
  double F[9], P[9];
  for (size_t e = begin; e < end; e++) {
    for (size_t c = 0; c < width; c++) F[c] = block->F[c * stride + e];
    mb_pd_stress(block, e, F, P);
    for (size_t c = 0; c < width; c++) block->u[c * stride + e] = P[c] / block->weight[e];
  }
}

static bool has_dual(const MbPdBlock *block) { return block->rank > 1 && mb_local_has_dual(&block->elastic); }

void mb_pd_stress_begin(MbPdEngine *engine, const double *q) {
  for (size_t k = 0; k < engine->nblocks; k++) {
    MbPdBlock *block = &engine->block[k];
    Job job = {.engine = engine, .block = block};
    if (!has_dual(block)) continue;
    mb_gradient_gather_all(&block->gradient, engine->threads, q + 3 * block->first, block->F);
    mb_parallel_ranges(engine->threads, block->count, MB_PD_GRAIN, dual_range, &job);
  }
}

size_t mb_pd_dual_size(const MbPdPart *part, MbMethod method) {
  return method != MB_METHOD_PROJECTIVE || !mb_local_has_dual(&part->elastic)
             ? 0
             : 9 * part->mesh->tets * (part->mesh->middle ? 4 : 1) + 6 * part->mesh->triangles;
}

// Components one after the other, without what pads them.
// A block's dual and where it is outside, component by component; the one that is not there is NULL.
typedef struct Carry {
  const MbPdBlock *block;
  double *out;
  const double *in;
} Carry;

static void carry_range(void *context, size_t begin, size_t end) {
  const Carry *const job = context;
  const MbPdBlock *block = job->block;
  for (size_t c = 0; c < 3 * block->rank; c++) {
    double *const own = block->u + c * block->gradient.stride + begin;
    const size_t at = c * block->count + begin, size = (end - begin) * sizeof *own;
    if (job->out)
      memcpy(job->out + at, own, size);
    else
      memcpy(own, job->in + at, size);
  }
}

static void carry(const MbPdEngine *engine, double *out, const double *in) {
  size_t at = 0;
  for (size_t k = 0; k < engine->nblocks && engine->method == MB_METHOD_PROJECTIVE; k++) {
    const MbPdBlock *block = &engine->block[k];
    if (!has_dual(block)) continue;
    Carry job = {block, out ? out + at : NULL, in ? in + at : NULL};
    mb_parallel_ranges(engine->threads, block->count, 32 * MB_PD_GRAIN, carry_range, &job);
    at += 3 * block->rank * block->count;
  }
}

void mb_pd_stress_read(const MbPdEngine *engine, double *dual) { carry(engine, dual, NULL); }
void mb_pd_stress_write(MbPdEngine *engine, const double *dual) { carry(engine, NULL, dual); }

void mb_pd_local_begin(MbPdEngine *engine, const double *q) {
  mb_pd_bends_begin(engine, q);
  for (size_t k = 0; k < engine->nblocks; k++) {
    MbPdBlock *block = &engine->block[k];
    const size_t stride = block->gradient.stride;
    if (block->rank > 1 && !mb_pd_damped(block)) continue;
    mb_gradient_gather_all(&block->gradient, engine->threads, q + 3 * block->first, block->F);
    for (size_t e = 0; e < block->count && block->rank > 1; e++) {
      double F[9];
      for (size_t c = 0; c < 3 * block->rank; c++) F[c] = block->F[c * stride + e];
      mb_viscous_strain(&block->elastic, (int)block->rank, F, block->before + block->rank * block->rank * e);
    }
    for (size_t e = 0; block->rank == 1 && e < block->count; e++) {
      const double F[3] = {block->F[e], block->F[stride + e], block->F[2 * stride + e]};
      block->before[e] = mb_vec3_norm(F);
    }
  }
}

// p ← (stretch that spring and damper agree upon) F/|F|: their energy is w/2 ‖F − p‖², so that no dual is needed.
static void spring_range(MbPdBlock *block, size_t begin, size_t end) {
  const size_t stride = block->gradient.stride;
  for (size_t e = begin; e < end; e++) {
    const double F[3] = {block->F[e], block->F[stride + e], block->F[2 * stride + e]}, s = mb_vec3_norm(F);
    double rest;
    mb_pd_spring(block, e, &rest);
    for (size_t c = 0; c < 3; c++) block->p[c * stride + e] = s > 0 ? rest * F[c] / s : c == 0 ? rest : 0;
  }
}

// Springs: F ← p − F
static void springs_range(void *context, size_t begin, size_t end) {
  const Job *const job = context;
  MbPdBlock *block = job->block;
  spring_range(block, begin, end);
  for (size_t c = 0; c < 3; c++)
    for (size_t e = c * block->gradient.stride + begin; e < c * block->gradient.stride + end; e++)
      block->F[e] = block->p[e] - block->F[e];
}

static void springs(MbPdEngine *engine, MbPdBlock *block, const double *q, double *f) {
  Job job = {.engine = engine, .block = block};
  mb_gradient_gather_all(&block->gradient, engine->threads, q, block->F);
  mb_parallel_ranges(engine->threads, block->count, MB_PD_GRAIN, springs_range, &job);
  mb_gradient_scatter_all(&block->gradient, engine->threads, block->scale, block->F, NULL, block->corner, f);
}

static void sweep_range(void *context, size_t begin, size_t end) {
  const Job *const job = context;
  MbPdBlock *block = job->block;
  const double *x = mb_gradient_spread(&block->gradient, job->q, MB_PD_PACK * begin, MB_PD_PACK * end);
  const MbLocalSweep sweep = {block->elastic, &block->gradient, x, block->weight, block->scale,
                              block->u,       block->corner};
  mb_local_sweep(&sweep, begin, end);
}

static void collect_range(void *context, size_t begin, size_t end) {
  const Job *const job = context;
  mb_gradient_collect(&job->block->gradient, job->block->corner, job->b, begin, end);
}

void mb_pd_local(MbPdEngine *engine, const double *q, double *f) {
  const double began = engine->clock();
  double collected = 0;
  mb_parallel_clear(engine->threads, f, 3 * engine->n);
  for (size_t k = 0; k < engine->nblocks; k++) {
    MbPdBlock *block = &engine->block[k];
    Job job = {engine, block, q + 3 * block->first, f + 3 * block->first};
    if (block->rank == 1) {
      springs(engine, block, job.q, job.b);
      continue;
    }
    const size_t packs = (block->count + MB_PD_PACK - 1) / MB_PD_PACK;
    mb_parallel_ranges(engine->threads, packs, MB_PD_GRAIN / MB_PD_PACK, sweep_range, &job);
    const double swept = engine->clock();
    mb_parallel_ranges(engine->threads, block->gradient.nodes, MB_PD_GRAIN, collect_range, &job);
    collected += engine->clock() - swept;
    mb_pd_damp(engine, block, job.q, job.b);
  }
  add_bending(engine, q, f);
  mb_pd_loads(engine, q, f);
  engine->stats.collect += collected;
  engine->stats.local += engine->clock() - began - collected;
}

// ---- energies ---------------------------------------------------------------------------------------------

// Singular values of F into p, at places q of the part's own nodes
typedef struct Measured {
  const MbPdBlock *block;
  const double *q;
} Measured;

static void values_range(void *context, size_t begin, size_t end) {
  const Measured *const job = context;
  const MbGradient *gradient = &job->block->gradient;
  const double *x = mb_gradient_spread(gradient, job->q, MB_PD_PACK * begin, MB_PD_PACK * end);
  mb_local_values(gradient, x, job->block->p, begin, end);
}

static void take_values(const MbPdEngine *engine, const MbPdBlock *block, const double *q) {
  Measured job = {block, q + 3 * block->first};
  const size_t packs = (block->count + MB_PD_PACK - 1) / MB_PD_PACK;
  mb_parallel_ranges(engine->threads, packs, MB_PD_GRAIN / MB_PD_PACK, values_range, &job);
}

static void value_of(const MbPdBlock *block, size_t e, double s[3]) {
  for (size_t c = 0; c < block->rank; c++) s[c] = block->p[c * block->gradient.stride + e];
}

static double energy_of(const MbPdEngine *engine, const double *q, bool stepping) {
  double energy = form_energy(&engine->form, q), F[9], g[MB_PD_SLOPES], s[3];
  for (size_t k = 0; k < engine->nblocks; k++) {
    const MbPdBlock *block = &engine->block[k];
    const bool by_values = block->rank == 2 || (block->rank == 3 && block->elastic.model != MB_LINEAR);
    if (by_values) take_values(engine, block, q);
    for (size_t e = 0; e < block->count; e++) {
      if (by_values) {
        value_of(block, e, s);
        energy +=
            mb_pd_volume(block, e) * mb_elastic_principal(&block->elastic, (int)block->rank, s, NULL, NULL);
        if (!stepping || !mb_pd_damped(block)) continue;
        double P[9];
        mb_pd_gradient(block, e, q, F, g);
        energy += mb_pd_volume(block, e) * mb_pd_viscous(block, e, F, P);
      } else {
        mb_pd_gradient(block, e, q, F, g);
        energy += mb_pd_volume(block, e) * mb_pd_density(block, e, F, stepping);
      }
    }
  }
  return energy;
}

double mb_pd_energy(const MbPdEngine *engine, const double *q) { return energy_of(engine, q, false); }
double mb_pd_potential(const MbPdEngine *engine, const double *q) {
  return energy_of(engine, q, true) + mb_pd_bends(&engine->form, q, NULL) + mb_pd_loads(engine, q, NULL);
}

void mb_pd_measure(const MbPdEngine *engine, size_t part, const double *q, double *volume, double *strain) {
  double F[9], g[MB_PD_SLOPES], s[3] = {0};
  *volume = *strain = 0;
  for (size_t k = 0; k < engine->nblocks; k++) {
    const MbPdBlock *block = &engine->block[k];
    if (block->part != part) continue;
    if (block->rank > 1) take_values(engine, block, q);
    for (size_t e = 0; e < block->count; e++) {
      double share = 1;
      if (block->rank > 1)
        value_of(block, e, s);
      else
        mb_pd_gradient(block, e, q, F, g), s[0] = mb_vec3_norm(F);
      for (size_t c = 0; c < block->rank; c++) share *= s[c], *strain = fmax(*strain, fabs(fabs(s[c]) - 1));
      *volume += mb_pd_volume(block, e) * share;
    }
  }
}
