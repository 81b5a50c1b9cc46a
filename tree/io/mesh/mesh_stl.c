// .stl, binary (80 bytes, a count n, then 50 bytes a triangle: normal, three corners, two spare) or text. A
// file of exactly 84 + 50 n bytes is binary, whatever its first word is. The normals are not used.
#include "io/mesh/mesh_parts.h"

#include <math.h>
#include <string.h>

enum { HEADER_BYTES = 84, TRIANGLE_BYTES = 50 };

static uint32_t little_u32(const char *data) {
  const unsigned char *b = (const unsigned char *)data;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static MbStatus add_last_triangle(MbMeshFile *file) {
  const int32_t n = (int32_t)file->nv;
  return mb_mesh_add_triangle(file, n - 3, n - 2, n - 1);
}

static MbStatus read_binary(MbMeshFile *file, size_t triangles) {
  for (size_t t = 0; t < triangles; t++) {
    const size_t corners = HEADER_BYTES + TRIANGLE_BYTES * t + 12;
    for (size_t k = 0; k < 3; k++) {
      double x[3];
      for (size_t i = 0; i < 3; i++) {
        const size_t byte = corners + 12 * k + 4 * i;
        const uint32_t bits = little_u32(file->data + byte);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
          return mb_mesh_error_byte(file, byte, "a corner of triangle %zu is not a finite number", t + 1);
        x[i] = (double)value;
      }
      const MbStatus status = mb_mesh_add_vertex(file, x);
      if (status) return status;
    }
    const MbStatus status = add_last_triangle(file);
    if (status) return status;
  }
  return MB_OK;
}

static MbStatus unexpected(const MbMeshFile *file, const MbToken *found, const char *wanted) {
  if (!found->text) return mb_mesh_error_line(file, found->line, "the file ends, wanted %s", wanted);
  char text[MB_FOUND];
  return mb_mesh_error_line(file, found->line, "found %s, wanted %s", mb_mesh_found(file, found, text),
                            wanted);
}

// The words that must follow, ended by NULL.
static MbStatus expect(const MbMeshFile *file, MbScanner *s, const char *const *words) {
  for (; *words; words++) {
    const MbToken word = mb_scan_word(s);
    if (!mb_token_is(&word, *words)) return unexpected(file, &word, *words);
  }
  return MB_OK;
}

// After "facet": normal x y z, outer loop, three times vertex x y z, endloop, endfacet.
static MbStatus read_facet(MbMeshFile *file, MbScanner *s) {
  static const char *const normal[] = {"normal", NULL}, *const loop[] = {"outer", "loop", NULL};
  static const char *const corner[] = {"vertex", NULL}, *const end[] = {"endloop", "endfacet", NULL};
  MbStatus status = expect(file, s, normal);
  for (int i = 0; i < 3; i++) mb_scan_word(s); // may be anything: "nan" is common
  if (!status) status = expect(file, s, loop);
  for (int k = 0; !status && k < 3; k++) {
    double x[3];
    status = expect(file, s, corner);
    for (int i = 0; !status && i < 3; i++) {
      const MbToken word = mb_scan_word(s);
      if (!mb_token_number(&word, &x[i])) status = unexpected(file, &word, "a finite number");
    }
    if (!status) status = mb_mesh_add_vertex(file, x);
  }
  if (!status) status = expect(file, s, end);
  return status ? status : add_last_triangle(file);
}

static MbStatus read_text(MbMeshFile *file, MbScanner *s) {
  for (;;) {
    MbToken word = mb_scan_word(s);
    if (!word.text) return MB_OK;
    if (!mb_token_is(&word, "solid")) return unexpected(file, &word, "solid");
    mb_scan_line_end(s); // its name
    for (;;) {
      word = mb_scan_word(s);
      file->known = file->known || mb_token_is(&word, "facet") || mb_token_is(&word, "endsolid");
      if (mb_token_is(&word, "endsolid")) break;
      if (!mb_token_is(&word, "facet")) return unexpected(file, &word, "facet or endsolid");
      const MbStatus status = read_facet(file, s);
      if (status) return status;
    }
    mb_scan_line_end(s);
  }
}

MbStatus mb_read_stl(MbMeshFile *file) {
  const bool has_header = file->size >= HEADER_BYTES;
  const size_t n = has_header ? little_u32(file->data + 80) : 0, bytes = HEADER_BYTES + TRIANGLE_BYTES * n;
  MbScanner s;
  mb_scanner_start(&s, file);
  MbScanner ahead = s;
  const MbToken word = mb_scan_word(&ahead);

  MbStatus status = MB_OK;
  if (has_header && file->size == bytes)
    status = read_binary(file, n);
  else if (mb_token_is(&word, "solid"))
    status = read_text(file, &s);
  else if (has_header)
    status = mb_mesh_error_byte(
        file, 80,
        "the file tells of %zu triangles and should have %zu bytes then, but has %zu (and it "
        "is no text, which would begin with \"solid\")",
        n, bytes, file->size);
  else
    status = mb_mesh_error_byte(
        file, file->size, "the file ends: a binary one has %d bytes at least, a text begins with \"solid\"",
        HEADER_BYTES);
  return status || !file->nt ? status : mb_mesh_merge_corners(file);
}
