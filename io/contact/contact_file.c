// Contact problems as JSON, read with every check that a method relies on, and written.
#include "io/contact/contact_file.h"
#include "core/base/alloc.h"
#include "io/json/json.h"
#include "io/scene/schema_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void mb_contact_file_free(MbContactFile *file) {
  mb_arena_free(&file->arena);
  *file = (MbContactFile){0};
}

// ---- what the keys mean together --------------------------------------------------------------------------

static bool wrong_at(MbReader *r, const char *key, size_t index, const char *text) {
  const MbReaderPlace outer = mb_reader_enter(r, key), inner = mb_reader_enter_index(r, index);
  mb_reader_error(r, "%s", text);
  mb_reader_leave(r, inner);
  mb_reader_leave(r, outer);
  return false;
}

static bool is_long(MbReader *r, const char *key, size_t count, size_t wanted, const char *of) {
  if (count == wanted) return true;
  const MbReaderPlace place = mb_reader_enter(r, key);
  mb_reader_error(r, "found %zu numbers, wanted %zu: %s", count, wanted, of);
  mb_reader_leave(r, place);
  return false;
}

// Where W_ji stands, or NULL.
static const double *find(const MbContactOperator *W, size_t row, size_t column) {
  size_t lo = W->first[row], hi = W->first[row + 1];
  while (lo < hi) {
    const size_t mid = lo + (hi - lo) / 2;
    if (W->index[mid] == column) return &W->value[mid];
    if (W->index[mid] < column)
      lo = mid + 1;
    else
      hi = mid;
  }
  return NULL;
}

static bool check_symmetry(MbReader *r, const MbContactProblem *p) {
  static const double ALIKE = 1e-9; // of the two diagonals' mean
  for (size_t i = 0; i < p->n; i++) {
    const double *Wii = find(&p->W, i, i);
    if (Wii && *Wii < 0)
      return wrong_at(r, "value", (size_t)(Wii - p->W.value), "on the diagonal of W: wanted ≥ 0");
    for (size_t k = p->W.first[i]; k < p->W.first[i + 1]; k++) {
      const size_t j = p->W.index[k];
      const double *other = find(&p->W, j, i), *Wjj = find(&p->W, j, j);
      const double size = sqrt((Wii ? *Wii : 0) * (Wjj ? fabs(*Wjj) : 0));
      if (fabs(p->W.value[k] - (other ? *other : 0)) > ALIKE * size)
        return wrong_at(r, "value", k, "W is not symmetric: it has another number at the mirrored place");
    }
  }
  return true;
}

static bool take_matrix(MbReader *r, MbContactFile *file) {
  const MbContactSpec *s = &file->spec;
  const size_t n = s->nq;
  if (!is_long(r, "row_start", s->nrow_start, n + 1, "one for each row of q, and the end")) return false;
  if (!is_long(r, "value", s->nvalue, s->ncolumn, "as many as `column` has")) return false;
  size_t *first = mb_arena_alloc(&file->arena, n + 1, sizeof *first);
  uint32_t *index = mb_arena_alloc(&file->arena, s->ncolumn + 1, sizeof *index);
  if (!first || !index) return mb_reader_no_memory(r);
  for (size_t i = 0; i <= n; i++) {
    const double least = i ? s->row_start[i - 1] : 0;
    if (s->row_start[i] < least || s->row_start[i] > (double)s->ncolumn || (!i && s->row_start[0] != 0))
      return wrong_at(r, "row_start", i, "wanted numbers that rise from 0 to how many `column` has");
    first[i] = (size_t)s->row_start[i];
  }
  if (first[n] != s->ncolumn) return wrong_at(r, "row_start", n, "wanted how many numbers `column` has");
  for (size_t i = 0; i < n; i++)
    for (size_t k = first[i]; k < first[i + 1]; k++) {
      if (s->column[k] >= (double)n) return wrong_at(r, "column", k, "W has no such column");
      index[k] = (uint32_t)s->column[k];
      if (k > first[i] && index[k] <= index[k - 1])
        return wrong_at(r, "column", k, "wanted columns that rise in each row");
    }
  file->problem.W = (MbContactOperator){.first = first, .index = index, .value = s->value};
  return check_symmetry(r, &file->problem);
}

// The kinds of all rows; false where they are not as many as q has.
static bool take_kinds(MbReader *r, MbContactFile *file, MbContactRowKind *kind, size_t *bounded) {
  MbContactSpec *s = &file->spec;
  MbContactRowsSpec contacts = {.kind = MB_CONTACT_NORMAL, .count = (int)(s->nq / 3)};
  const bool told = s->nrows > 0;
  const MbContactRowsSpec *rows = told ? s->rows : &contacts;
  size_t i = 0, ncontacts = 0;
  for (size_t k = 0; k < (told ? s->nrows : 1); k++)
    for (int c = 0; c < rows[k].count; c++) {
      const size_t wide = rows[k].kind == MB_CONTACT_NORMAL ? 3 : 1;
      if (i + wide > s->nq) return wrong_at(r, "rows", k, "these are more rows than q has");
      for (size_t w = 0; w < wide; w++) kind[i + w] = w ? MB_CONTACT_TANGENT : (MbContactRowKind)rows[k].kind;
      *bounded += rows[k].kind == MB_CONTACT_BOUNDED;
      ncontacts += wide == 3;
      i += wide;
    }
  if (i != s->nq && told)
    return mb_reader_key_error(r, "rows", "these are %zu rows, and q has %zu", i, s->nq);
  if (i != s->nq)
    return mb_reader_key_error(r, "q", "found %zu numbers, wanted three for each contact", s->nq);
  if (s->contacts && (size_t)s->contacts != ncontacts)
    return mb_reader_key_error(r, "contacts", "found %d, and there are %zu", s->contacts, ncontacts);
  file->problem.ncontacts = ncontacts;
  return true;
}

static bool take_contacts(MbReader *r, MbContactFile *file, const MbContactRowKind *kind) {
  const MbContactSpec *s = &file->spec;
  const size_t count = file->problem.ncontacts;
  MbContactCone *cone = mb_arena_alloc(&file->arena, count + 1, sizeof *cone);
  if (!cone) return mb_reader_no_memory(r);
  if (s->sides % 2) return mb_reader_key_error(r, "sides", "found %d, wanted an even number", s->sides);
  if (s->nmu != 1 && s->cone != MB_CONE_NONE && !is_long(r, "mu", s->nmu, count, "one for each contact"))
    return false;
  for (size_t i = 0, k = 0; i < s->nq; i++) {
    if (kind[i] != MB_CONTACT_NORMAL) continue;
    const double mu = s->cone == MB_CONE_NONE ? 0 : s->mu[s->nmu == 1 ? 0 : k];
    cone[k++] = (MbContactCone){.row = i, .cone = (MbCone)s->cone, .sides = s->sides, .mu = mu};
  }
  file->problem.contact = cone;
  return true;
}

static bool take_bounds(MbReader *r, MbContactFile *file, const MbContactRowKind *kind, size_t bounded) {
  const MbContactSpec *s = &file->spec;
  if (!bounded && !s->most) return true;
  if (!is_long(r, "most", s->nmost, bounded, "one for each bounded row")) return false;
  double *most = mb_arena_alloc(&file->arena, s->nq, sizeof *most);
  if (!most) return mb_reader_no_memory(r);
  for (size_t i = 0, k = 0; i < s->nq; i++)
    if (kind[i] == MB_CONTACT_BOUNDED) most[i] = s->most[k++];
  file->problem.most = most;
  return true;
}

static bool take(MbReader *r, MbContactFile *file) {
  const MbContactSpec *s = &file->spec;
  MbContactProblem *p = &file->problem;
  size_t bounded = 0;
  MbContactRowKind *kind = mb_arena_alloc(&file->arena, s->nq + 1, sizeof *kind);
  if (!kind) return mb_reader_no_memory(r);
  *p = (MbContactProblem){.n = s->nq, .b = s->q, .kind = kind, .soft = s->soft, .start = s->start};
  if (!take_kinds(r, file, kind, &bounded) || !take_contacts(r, file, kind) ||
      !take_bounds(r, file, kind, bounded))
    return false;
  if (s->soft && !is_long(r, "soft", s->nsoft, s->nq, "one for each row")) return false;
  if (s->start && !is_long(r, "start", s->nstart, s->nq, "one for each row")) return false;
  return take_matrix(r, file);
}

MbStatus mb_contact_file_read(MbContactFile *file, const char *text, size_t length, const char *name,
                              MbReport *report) {
  cJSON *tree = NULL;
  *file = (MbContactFile){0};
  snprintf(report->file, sizeof report->file, "%s", name);
  const MbStatus status = mb_json_parse(text, length, &tree, report);
  if (status) return status;
  // what others have found of the problem
  cJSON_DeleteItemFromObjectCaseSensitive(tree, "reference");
  cJSON_DeleteItemFromObjectCaseSensitive(tree, "siconos_runs");
  MbReader reader = {
      .report = report, .arena = &file->arena, .directory = ".", .text = text, .length = length};
  const void *const defaults = mb_read_defaults(&reader, &mb_schema_contact);
  if (defaults) {
    memcpy(&file->spec, defaults, sizeof file->spec);
    if (mb_read_object(&reader, &mb_schema_contact, tree, &file->spec)) take(&reader, file);
  }
  for (int i = 0; i < MB_NAME_SETS; i++) mb_schema_names_free(&reader.names[i]);
  cJSON_Delete(tree);
  return reader.status;
}

// ---- writing ----------------------------------------------------------------------------------------------

static void numbers(MbText *t, const char *key, const double *x, size_t n) {
  mb_text_format(t, ",\n \"%s\": [", key);
  for (size_t i = 0; i < n; i++) {
    if (i) mb_text_add(t, ", ");
    mb_text_number(t, x[i]);
  }
  mb_text_add(t, "]");
}

// Row i of W: each number that is there; returns how many.
static size_t put_row(MbText *t, const MbContactProblem *p, size_t i, double *column, bool values,
                      bool first) {
  size_t count = 0;
  const MbContactOperator *W = &p->W;
  const bool sparse = W->value && !W->dense;
  if (!sparse) mb_contact_column(W, p->n, i, column);
  const size_t wide = sparse ? W->first[i + 1] - W->first[i] : p->n;
  for (size_t k = 0; k < wide; k++) {
    const size_t j = sparse ? W->index[W->first[i] + k] : k;
    const double x = sparse ? W->value[W->first[i] + k] : column[k];
    if (!sparse && x == 0) continue;
    count++;
    if (!t) continue;
    if (!first) mb_text_add(t, ", ");
    first = false;
    if (values)
      mb_text_number(t, x);
    else
      mb_text_format(t, "%zu", j);
  }
  return count;
}

static void put_matrix(MbText *t, const MbContactProblem *p) {
  double *column = mb_calloc(p->n + 1, sizeof *column);
  if (!column) {
    t->failed = true;
    return;
  }
  size_t at = 0;
  mb_text_add(t, ",\n \"row_start\": [0");
  for (size_t i = 0; i < p->n; i++)
    mb_text_format(t, ", %zu", at += put_row(NULL, p, i, column, false, true));
  for (int values = 0; values < 2; values++) {
    size_t count = 0;
    mb_text_format(t, "],\n \"%s\": [", values ? "value" : "column");
    for (size_t i = 0; i < p->n; i++) count += put_row(t, p, i, column, values, !count);
  }
  mb_text_add(t, "]");
  mb_free(column);
}

static void put_rows(MbText *t, const MbContactProblem *p) {
  mb_text_add(t, ",\n \"rows\": [");
  for (size_t i = 0, n; i < p->n; i += n) {
    const size_t wide = p->kind[i] == MB_CONTACT_NORMAL ? 3 : 1;
    for (n = wide; i + n < p->n && p->kind[i + n] == p->kind[i]; n += wide) {}
    mb_text_format(t, "%s{\"type\": \"%s\", \"count\": %zu}", i ? ", " : "", mb_contact_row_words[p->kind[i]],
                   n / wide);
  }
  mb_text_add(t, "]");
}

bool mb_contact_file_write(MbText *t, const char *name, const MbContactProblem *p) {
  const MbContactCone *cone = p->ncontacts ? p->contact : NULL;
  for (size_t k = 1; k < p->ncontacts; k++)
    if (cone[k].cone != cone->cone || (cone->cone == MB_CONE_PYRAMID && cone[k].sides != cone->sides))
      return false;
  mb_text_add(t, "{\"name\": ");
  mb_text_quoted(t, name);
  mb_text_format(t, ",\n \"contacts\": %zu", p->ncontacts);
  put_rows(t, p);
  if (cone) mb_text_format(t, ",\n \"cone\": \"%s\"", mb_cone_words[cone->cone]);
  if (cone && cone->cone == MB_CONE_PYRAMID) mb_text_format(t, ", \"sides\": %d", cone->sides);
  if (cone) {
    mb_text_add(t, ",\n \"mu\": [");
    for (size_t k = 0; k < p->ncontacts; k++) {
      if (k) mb_text_add(t, ", ");
      mb_text_number(t, cone[k].mu);
    }
    mb_text_add(t, "]");
  }
  numbers(t, "q", p->b, p->n);
  if (p->soft) numbers(t, "soft", p->soft, p->n);
  if (p->start) numbers(t, "start", p->start, p->n);
  bool bounded = false;
  for (size_t i = 0; p->most && i < p->n; i++) {
    if (p->kind[i] != MB_CONTACT_BOUNDED) continue;
    mb_text_add(t, bounded ? ", " : ",\n \"most\": [");
    mb_text_number(t, p->most[i]);
    bounded = true;
  }
  if (bounded) mb_text_add(t, "]");
  put_matrix(t, p);
  mb_text_add(t, "}\n");
  return true;
}
