#include "io/export/vtk_file.h"
#include "core/base/alloc.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <zlib.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are written as they lie in memory");

enum {
  BLOCK = 1 << 18,
  LEVEL = 3
}; // bytes packed at once, of which the header tells each one's packed size; zlib's level

void mb_vtk_begin(MbVtkFile *file, const char *kind) {
  mb_text_format(&file->xml,
                 "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" "
                 "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n",
                 kind);
}

void mb_vtk_text(MbVtkFile *file, const char *format, ...) {
  char text[400];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  mb_text_add(&file->xml, text);
}

static bool make_room(MbVtkFile *file, size_t more) {
  if (file->failed) return false;
  if (file->size + more <= file->room) return true;
  const size_t room = 2 * file->room > file->size + more ? 2 * file->room : file->size + more;
  unsigned char *data = mb_realloc(file->data, room, 1);
  file->failed = !data;
  if (!data) return false;
  file->data = data;
  file->room = room;
  return true;
}

static void put64(unsigned char *p, uint64_t x) { memcpy(p, &x, sizeof x); }

// u64 blocks, u64 bytes of a block, u64 bytes of the last one where it is shorter, u64 packed bytes of each; then the blocks.
static void pack(MbVtkFile *file, const unsigned char *bytes, size_t size) {
  const size_t blocks = (size + BLOCK - 1) / BLOCK, header = 8 * (3 + blocks), at = file->size;
  if (!make_room(file, header + compressBound(BLOCK) * (blocks ? blocks : 1))) return;
  put64(file->data + at, blocks);
  put64(file->data + at + 8, BLOCK);
  put64(file->data + at + 16, size % BLOCK);
  file->size += header;
  for (size_t b = 0; b < blocks; b++) {
    const size_t n = b + 1 < blocks ? BLOCK : size - b * BLOCK;
    uLongf packed = compressBound(BLOCK);
    if (compress2(file->data + file->size, &packed, bytes + b * BLOCK, (uLong)n, LEVEL) != Z_OK)
      file->failed = true;
    put64(file->data + at + 8 * (3 + b), packed);
    file->size += packed;
  }
}

static void add_escaped(MbText *t, const char *text) {
  for (; *text; text++) {
    const char *word = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '"' ? "&quot;" : NULL;
    if (word)
      mb_text_add(t, word);
    else
      mb_text_add_n(t, text, 1);
  }
}

void mb_vtk_array(MbVtkFile *file, MbVtkType type, const char *name, size_t components, const void *x,
                  size_t n) {
  static const struct {
    const char *word;
    size_t bytes;
  } types[] = {{"Float64", 8}, {"Int64", 8}, {"Int32", 4}, {"UInt8", 1}};
  mb_text_format(
      &file->xml,
      "<DataArray type=\"%s\" NumberOfComponents=\"%zu\" NumberOfTuples=\"%zu\" format=\"appended\" "
      "offset=\"%zu\"",
      types[type].word, components, n / components, file->size);
  if (name) {
    mb_text_add(&file->xml, " Name=\"");
    add_escaped(&file->xml, name);
    mb_text_add(&file->xml, "\"");
  }
  mb_text_add(&file->xml, "/>\n");
  pack(file, x, n * types[type].bytes);
}

MbStatus mb_vtk_write(MbVtkFile *file, FILE *out, MbReport *report) {
  mb_text_add(&file->xml, "<AppendedData encoding=\"raw\">\n_");
  if (file->failed || file->xml.failed) return mb_no_memory(report, "a VTK file");
  static const char end[] = "\n</AppendedData>\n</VTKFile>\n";
  errno = 0;
  const bool good = fwrite(file->xml.text, 1, file->xml.length, out) == file->xml.length &&
                    fwrite(file->data, 1, file->size, out) == file->size &&
                    fwrite(end, 1, sizeof end - 1, out) == sizeof end - 1 && !fflush(out);
  return good ? MB_OK
              : mb_error(report, MB_IO, "", "cannot write the export: %s", strerror(errno ? errno : EIO));
}

void mb_vtk_free(MbVtkFile *file) {
  mb_free(mb_text_take(&file->xml));
  mb_free(file->data);
  *file = (MbVtkFile){0};
}
