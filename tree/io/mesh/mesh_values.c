#include "io/mesh/mesh_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void mb_values_start(MbMeshValues *values, const MbMeshFile *file) {
  *values = (MbMeshValues){.file = file};
  mb_scanner_start(&values->scanner, file);
}

MbStatus mb_values_error(const MbMeshValues *values, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (values->binary)
    return mb_mesh_error_byte(values->file, (size_t)(values->scanner.at - values->file->data), "%s", text);
  return mb_mesh_error_line(values->file, values->scanner.line, "%s", text);
}

static size_t left(const MbMeshValues *values) { return (size_t)(values->scanner.end - values->scanner.at); }

static MbStatus take_word(MbMeshValues *values, const char *what, double *out) {
  const MbToken word = mb_scan_word(&values->scanner);
  if (!word.text) return mb_values_error(values, "the file ends before %s", what);
  char found[MB_FOUND];
  if (!mb_token_number(&word, out))
    return mb_mesh_error_line(values->file, word.line, "found %s, wanted %s",
                              mb_mesh_found(values->file, &word, found), what);
  return MB_OK;
}

static MbStatus take_bytes(MbMeshValues *values, size_t bytes, const char *what, uint64_t *bits) {
  if (left(values) < bytes) return mb_values_error(values, "the file ends before %s", what);
  const unsigned char *data = (const unsigned char *)values->scanner.at;
  *bits = 0;
  for (size_t k = 0; k < bytes; k++) *bits |= (uint64_t)data[values->big ? bytes - 1 - k : k] << 8 * k;
  values->scanner.at += bytes;
  return MB_OK;
}

// The whole token as a few digits, as most are
static bool take_digits(const MbToken *token, int64_t *out) {
  if (!token->text || token->length > 15) return false;
  int64_t n = 0;
  for (int k = 0; k < token->length; k++) {
    const char c = token->text[k];
    if (c < '0' || c > '9') return false;
    n = 10 * n + (c - '0');
  }
  *out = n;
  return true;
}

static MbStatus take_integer_word(MbMeshValues *values, const char *what, int64_t *out) {
  static const double EXACT = 9007199254740992.0; // up to here doubles are all the whole numbers
  MbScanner ahead = values->scanner;
  const MbToken word = mb_scan_word(&ahead);
  if (take_digits(&word, out)) {
    values->scanner = ahead;
    return MB_OK;
  }
  double number = 0;
  const MbStatus status = take_word(values, what, &number);
  if (status) return status;
  if (number != floor(number) || fabs(number) > EXACT)
    return mb_mesh_error_line(values->file, values->scanner.line, "found %g, wanted %s: a whole number",
                              number, what);
  *out = (int64_t)number;
  return MB_OK;
}

MbStatus mb_values_integer(MbMeshValues *values, size_t bytes, const char *what, int64_t *out) {
  if (!values->binary) return take_integer_word(values, what, out);
  uint64_t bits = 0;
  const MbStatus status = take_bytes(values, bytes, what, &bits);
  if (status) return status;
  const uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
  *out = (int64_t)((bits ^ sign) - sign); // extends the sign
  return MB_OK;
}

MbStatus mb_values_real(MbMeshValues *values, size_t bytes, const char *what, double *out) {
  if (!values->binary) return take_word(values, what, out);
  uint64_t bits = 0;
  const MbStatus status = take_bytes(values, bytes, what, &bits);
  if (status) return status;
  if (bytes == 4) {
    const uint32_t low = (uint32_t)bits;
    float single;
    memcpy(&single, &low, sizeof single);
    *out = (double)single;
  } else {
    memcpy(out, &bits, sizeof *out);
  }
  return isfinite(*out) ? MB_OK
                        : mb_values_error(values, "found a number that is not finite, wanted %s", what);
}

// A word takes a byte at least, and one to part it from the next.
MbStatus mb_values_fit(const MbMeshValues *values, const char *what, size_t count, size_t each) {
  const size_t room = (left(values) + 1) / (values->binary ? 1 : 2);
  if (each && count > room / each)
    return mb_values_error(values, "%s: %zu do not fit into the file, of which %zu bytes are left", what,
                           count, left(values));
  return MB_OK;
}

static MbStatus judge_count(const MbMeshValues *values, const char *what, int64_t number, size_t each,
                            size_t *out) {
  if (number < 0) return mb_values_error(values, "%s: found %lld", what, (long long)number);
  *out = (size_t)number;
  return mb_values_fit(values, what, *out, each);
}

MbStatus mb_values_count(MbMeshValues *values, size_t bytes, const char *what, size_t each, size_t *out) {
  int64_t number = 0;
  const MbStatus status = mb_values_integer(values, bytes, what, &number);
  return status ? status : judge_count(values, what, number, each, out);
}

MbStatus mb_values_count_word(MbMeshValues *values, const char *what, size_t each, size_t *out) {
  int64_t number = 0;
  const MbStatus status = take_integer_word(values, what, &number);
  return status ? status : judge_count(values, what, number, each, out);
}

MbStatus mb_values_skip(MbMeshValues *values, size_t count, size_t bytes, const char *what) {
  if (values->binary) {
    if (left(values) / bytes < count) return mb_values_error(values, "the file ends within %s", what);
    values->scanner.at += count * bytes;
    return MB_OK;
  }
  for (; count; count--)
    if (!mb_scan_word(&values->scanner).text) return mb_values_error(values, "the file ends within %s", what);
  return MB_OK;
}
