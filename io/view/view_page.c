// The page with trajectories in it: the bundle up to its mark, each file in base64, the rest of the bundle.
#include "core/base/report.h"
#include "io/view/view.h"
#include "io/view/view_bundle.h"

#include <errno.h>
#include <string.h>

static const char MARK[] = "<!--DATA-->"; // in tools/viewer/src/index.html

enum { PIECE = 3 << 12 }; // bytes of a file read at once, a multiple of three

bool mb_view_available(void) {
  size_t size = 0;
  mb_view_bundle(&size);
  return size > 0;
}

// How many bytes of the bundle stand before the mark.
static size_t before_mark(const char *bundle, size_t size) {
  size_t i = 0;
  while (i + sizeof MARK - 1 < size && memcmp(bundle + i, MARK, sizeof MARK - 1) != 0) i++;
  return i;
}

static void put_escaped(FILE *out, const char *text) {
  for (; *text; text++) switch (*text) {
    case '&':
      fputs("&amp;", out);
      break;
    case '<':
      fputs("&lt;", out);
      break;
    case '"':
      fputs("&quot;", out);
      break;
    default:
      fputc(*text, out);
    }
}

// Three bytes are four characters; what is missing in the last three is "=".
static size_t encode(const unsigned char *bytes, size_t n, char *text) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *t = text;
  for (size_t i = 0; i < n; i += 3) {
    const unsigned b1 = i + 1 < n ? bytes[i + 1] : 0, b2 = i + 2 < n ? bytes[i + 2] : 0;
    const unsigned word = (unsigned)bytes[i] << 16 | b1 << 8 | b2;
    for (int k = 0; k < 4; k++) *t++ = digits[word >> (18 - 6 * k) & 63];
    if (i + 1 >= n) t[-2] = '=';
    if (i + 2 >= n) t[-1] = '=';
  }
  return (size_t)(t - text);
}

static MbStatus put_file(FILE *out, const char *path, const char *name, MbReport *report) {
  static unsigned char bytes[PIECE];
  static char text[PIECE / 3 * 4];
  FILE *in = fopen(path, "rb");
  if (!in) return mb_error(report, MB_IO, "", "cannot open %s: %s", path, strerror(errno));
  fputs("<script type=\"application/x-mbt\" data-name=\"", out);
  put_escaped(out, name);
  fputs("\">", out);
  size_t n = 0;
  while ((n = fread(bytes, 1, sizeof bytes, in)) > 0) fwrite(text, 1, encode(bytes, n, text), out);
  const bool failed = ferror(in) != 0;
  fclose(in);
  fputs("</script>\n", out);
  return failed ? mb_error(report, MB_IO, "", "cannot read %s", path) : MB_OK;
}

// JSON has "<" in texts only, where an escape means the same: no text of a name ends the script.
static void put_compared(FILE *out, const char *json) {
  fputs("<script type=\"application/json\" id=\"mbsim-report\">", out);
  for (const char *p = json; *p; p++) {
    if (*p == '<')
      fputs("\\u003c", out);
    else
      fputc(*p, out);
  }
  fputs("</script>\n", out);
}

MbStatus mb_view_write(FILE *out, const MbViewRun *runs, size_t n, const char *compared, MbReport *report) {
  size_t size = 0;
  const char *bundle = mb_view_bundle(&size);
  const size_t before = before_mark(bundle, size), behind = before + sizeof MARK - 1;
  MbStatus status = MB_OK;
  errno = 0;
  fwrite(bundle, 1, before, out);
  for (size_t i = 0; i < n && !status; i++) status = put_file(out, runs[i].path, runs[i].name, report);
  if (!status && compared) put_compared(out, compared);
  if (!status) fwrite(bundle + behind, 1, size - behind, out);
  if (!status && (fflush(out) || ferror(out)))
    status = mb_error(report, MB_IO, "", "cannot write the page: %s", strerror(errno ? errno : EIO));
  return status;
}
