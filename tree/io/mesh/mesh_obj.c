// Wavefront .obj: "v x y z" and "f 1 2 3", "f 1/2 ...", "f 1//3 ...", "f 1/2/3 ..."; numbers below zero count
// back from the latest vertex; polygons become fans; a backslash at a line's end continues it. What does not
// change the surface is skipped.
#include "io/mesh/mesh_parts.h"

#include <string.h>

// The next word of a line that may be continued; none at its end or at a comment.
static MbToken next_word(MbScanner *s) {
  for (;;) {
    MbToken word = mb_scan_word_of_line(s);
    if (!word.text) return word;
    if (word.text[0] == '#') { // what a comment says does not continue it
      while (s->at < s->end && *s->at != '\n') s->at++;
      return (MbToken){.line = word.line};
    }

    // a backslash that ends the line, alone or behind a word
    if (word.text[word.length - 1] != '\\') return word;
    MbScanner ahead = *s;
    if (mb_scan_word_of_line(&ahead).text) return word;
    mb_scan_line_end(s);
    if (word.length-- > 1) return word;
  }
}

static MbStatus read_vertex(MbMeshFile *file, MbScanner *s) {
  double x[3];
  for (int k = 0; k < 3; k++) {
    const MbToken word = next_word(s);
    if (!word.text) return mb_mesh_error_line(file, word.line, "a vertex has %d numbers, 3 are wanted", k);
    char found[MB_FOUND];
    if (!mb_token_number(&word, &x[k]))
      return mb_mesh_error_line(file, word.line, "found %s, wanted a finite number",
                                mb_mesh_found(file, &word, found));
  }
  file->known = true;
  return mb_mesh_add_vertex(file, x);
}

// A whole number at *at, before `end`; the value stops growing where no vertex can be.
static bool take_integer(const char **at, const char *end, int64_t *value) {
  const char *p = *at;
  const bool negative = p < end && *p == '-';
  p += negative;
  const char *digits = p;
  int64_t n = 0;
  for (; p < end && *p >= '0' && *p <= '9'; p++)
    if (n < INT32_MAX) n = 10 * n + (*p - '0');
  if (p == digits) return false;
  *value = negative ? -n : n;
  *at = p;
  return true;
}

// "v", "v/vt", "v//vn" or "v/vt/vn"
static bool take_corner(const MbToken *word, int64_t *vertex) {
  const char *at = word->text, *end = word->text + word->length;
  int64_t ignored = 0;
  if (!take_integer(&at, end, vertex)) return false;
  if (at == end) return true;
  if (*at++ != '/') return false;
  const bool texture = take_integer(&at, end, &ignored);
  if (at == end) return texture;
  if (*at++ != '/') return false;
  return take_integer(&at, end, &ignored) && at == end;
}

static MbStatus read_face(MbMeshFile *file, MbScanner *s) {
  int32_t first = 0, before = 0;
  size_t corners = 0;
  const size_t line = s->line;
  for (MbToken word; (word = next_word(s)).text; corners++) {
    int64_t k = 0;
    char found[MB_FOUND];
    if (!take_corner(&word, &k))
      return mb_mesh_error_line(file, word.line, "found %s, wanted a corner such as 7, 7/1, 7//2 or 7/1/2",
                                mb_mesh_found(file, &word, found));
    const int64_t index = k < 0 ? (int64_t)file->nv + k : k - 1;
    if (k == 0 || index < 0 || index >= (int64_t)file->nv)
      return mb_mesh_error_line(file, word.line, "there is no vertex %lld: %zu stand above this line",
                                (long long)k, file->nv);
    if (corners >= 2) {
      const MbStatus status = mb_mesh_add_triangle(file, first, before, (int32_t)index);
      if (status) return status;
    }
    if (corners == 0) first = (int32_t)index;
    before = (int32_t)index;
  }
  if (corners < 3)
    return mb_mesh_error_line(file, line, "a face has %zu corners, at least 3 are wanted", corners);
  return MB_OK;
}

static bool is_skipped(const MbToken *word) {
  static const char *const words[] = {"vn",     "vt",       "vp",         "o",        "g",
                                      "s",      "l",        "p",          "mg",       "lod",
                                      "bevel",  "c_interp", "d_interp",   "usemtl",   "mtllib",
                                      "usemap", "maplib",   "shadow_obj", "trace_obj"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (mb_token_is(word, words[i])) return true;
  return false;
}

// To the start of the next line that does not continue this one.
static void skip_line(MbScanner *s) {
  while (next_word(s).text) continue;
  mb_scan_line_end(s);
}

static MbStatus unknown_word(const MbMeshFile *file, const MbToken *word) {
  char found[MB_FOUND];
  return mb_mesh_error_line(file, word->line, "found %s, wanted a word of .obj files, such as v or f",
                            mb_mesh_found(file, word, found));
}

MbStatus mb_read_obj(MbMeshFile *file) {
  MbScanner s;
  mb_scanner_start(&s, file);
  for (; s.at < s.end; skip_line(&s)) {
    const MbToken word = next_word(&s);
    MbStatus status = MB_OK;
    if (mb_token_is(&word, "v"))
      status = read_vertex(file, &s);
    else if (mb_token_is(&word, "f"))
      status = read_face(file, &s);
    else if (word.text && !is_skipped(&word))
      status = unknown_word(file, &word);
    if (status) return status;
  }
  return MB_OK;
}
