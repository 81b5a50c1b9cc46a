#include "core/solvers/projective/assembly.h"
#include "core/base/alloc.h"

void mb_assembly_begin(MbAssembly *assembly, size_t n) { *assembly = (MbAssembly){.n = n}; }

static bool grow(MbAssembly *assembly) {
  const size_t room = assembly->room ? assembly->room + assembly->room / 2 : 256;
  uint32_t *row = mb_realloc(assembly->row, room, sizeof *row);
  if (row) assembly->row = row;
  uint32_t *column = row ? mb_realloc(assembly->column, room, sizeof *column) : NULL;
  if (column) assembly->column = column, assembly->room = room;
  return column != NULL;
}

void mb_assembly_add(MbAssembly *assembly, uint32_t i, uint32_t j) {
  if (assembly->failed || (assembly->count == assembly->room && !grow(assembly))) {
    assembly->failed = true;
    return;
  }
  assembly->row[assembly->count] = i > j ? i : j;
  assembly->column[assembly->count++] = i > j ? j : i;
}

// Stable: order ← the additions `from` (NULL: as they came) by ascending key; `start` (n + 2) is scratch.
static void sort_by(const uint32_t *key, size_t n, size_t count, const size_t *from, size_t *start,
                    size_t *order) {
  for (size_t i = 0; i <= n + 1; i++) start[i] = 0;
  for (size_t k = 0; k < count; k++) start[key[k] + 1]++;
  for (size_t i = 1; i <= n; i++) start[i] += start[i - 1];
  for (size_t k = 0; k < count; k++) {
    const size_t which = from ? from[k] : k;
    order[start[key[which]]++] = which;
  }
}

bool mb_assembly_end(MbAssembly *assembly, MbPattern *pattern, size_t **slot) {
  const size_t n = assembly->n, count = assembly->count;
  size_t *begin = mb_calloc(n + 2, sizeof *begin), *start = mb_calloc(n + 1, sizeof *start);
  size_t *byrow = mb_calloc(count, sizeof *byrow), *order = mb_calloc(count, sizeof *order);
  size_t *slots = mb_calloc(count, sizeof *slots);
  uint32_t *row = mb_calloc(count, sizeof *row);
  const bool ok = !assembly->failed && begin && start && byrow && order && slots && row;
  if (ok) {
    sort_by(assembly->row, n, count, NULL, begin, byrow);
    sort_by(assembly->column, n, count, byrow, begin, order);
    size_t kept = 0, j = 0;
    for (size_t k = 0; k < count; k++) {
      const uint32_t r = assembly->row[order[k]], c = assembly->column[order[k]];
      const bool first = k == 0 || assembly->column[order[k - 1]] != c || assembly->row[order[k - 1]] != r;
      while (j < c) start[++j] = kept;
      if (first) row[kept++] = r;
      slots[order[k]] = kept - 1;
    }
    while (j < n) start[++j] = kept;
    *pattern = (MbPattern){.n = n, .start = start, .row = row};
  }
  mb_free(begin);
  mb_free(byrow);
  mb_free(order);
  mb_free(assembly->row);
  mb_free(assembly->column);
  mb_assembly_begin(assembly, n);
  if (ok && slot)
    *slot = slots;
  else
    mb_free(slots);
  if (ok) return true;
  mb_free(start);
  mb_free(row);
  return false;
}

void mb_pattern_free(MbPattern *pattern) {
  mb_free((void *)pattern->start);
  mb_free((void *)pattern->row);
  *pattern = (MbPattern){0};
}
