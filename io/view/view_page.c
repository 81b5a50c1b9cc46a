// The page with trajectories in it: the bundle up to its mark, each file in base64, the rest of the bundle.
#include "core/base/alloc.h"
#include "core/base/report.h"
#include "io/view/view.h"
#include "io/view/view_bundle.h"

#include <errno.h>
#include <string.h>

static const char MARK[] = "<!--DATA-->"; // in tools/viewer/src/index.html

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

// ---- base64 -----------------------------------------------------------------------------------------------

enum {
  TRIPLES = 4096,                   // that are written at once
  PIECE = (1 << 20) / (4 * TRIPLES) // of these in a piece of the page, which leaves it as it is read
};

// Bytes on their way into the page. Three of them are four characters.
typedef struct Base64 {
  FILE *out;
  uint64_t written; // characters
  size_t waiting;   // bytes that are not written yet
  size_t flushed;   // times that were written into this piece
  unsigned char bytes[3 * TRIPLES];
} Base64;

static size_t encode(const unsigned char *bytes, size_t n, char *text) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *t = text;
  for (size_t i = 0; i < n; i += 3) {
    const unsigned b1 = i + 1 < n ? bytes[i + 1] : 0, b2 = i + 2 < n ? bytes[i + 2] : 0;
    const unsigned word = (unsigned)bytes[i] << 16 | b1 << 8 | b2;
    for (int k = 0; k < 4; k++) *t++ = digits[word >> (18 - 6 * k) & 63];
    // what is missing in the last three
    if (i + 1 >= n) t[-2] = '=';
    if (i + 2 >= n) t[-1] = '=';
  }
  return (size_t)(t - text);
}

// In index.html: takes the piece before it out of the page.
static const char END[] = "</script><script>mbsimTake()</script>\n";

static int flush_bytes(Base64 *to) {
  char text[4 * TRIPLES];
  if (to->flushed++ == PIECE) {
    fprintf(to->out, "%s<script type=\"application/x-mbt\">", END);
    to->flushed = 1;
  }
  const size_t n = encode(to->bytes, to->waiting, text);
  to->waiting = 0;
  to->written += n;
  errno = 0;
  return fwrite(text, 1, n, to->out) == n ? 0 : errno ? errno : EIO;
}

static int put_base64(void *sink, const void *bytes, size_t size) {
  Base64 *to = sink;
  int failed = 0;
  for (size_t done = 0; done < size && !failed;) {
    const size_t room = sizeof to->bytes - to->waiting, n = size - done < room ? size - done : room;
    memcpy(to->bytes + to->waiting, (const char *)bytes + done, n);
    to->waiting += n, done += n;
    if (to->waiting == sizeof to->bytes) failed = flush_bytes(to);
  }
  return failed;
}

// ---- what stands in the page ------------------------------------------------------------------------------

static MbStatus put_bytes(const char *path, Base64 *to, MbReport *report) {
  unsigned char bytes[3 * TRIPLES];
  FILE *in = fopen(path, "rbe");
  if (!in) return mb_error(report, MB_IO, "", "cannot open %s: %s", path, strerror(errno));
  size_t n = 0;
  int failed = 0;
  while (!failed && (n = fread(bytes, 1, sizeof bytes, in)) > 0) failed = put_base64(to, bytes, n);
  const bool unread = ferror(in) != 0;
  fclose(in);
  if (unread) return mb_error(report, MB_IO, "", "cannot read %s", path);
  return failed ? mb_error(report, MB_IO, "", "cannot write the page: %s", strerror(failed)) : MB_OK;
}

static MbStatus put_excerpt(const MbViewRun *run, Base64 *to, MbReport *report) {
  MbTraj *traj = NULL;
  MbReport opening = {0}; // its warnings are told already: the caller has opened the file too
  MbStatus status = mb_traj_open(run->path, &traj, &opening);
  if (status) *report = opening;
  if (!status) status = mb_traj_excerpt(traj, run->excerpt, run->note, (MbTrajSink){put_base64, to}, report);
  mb_traj_free(traj);
  return status;
}

static MbStatus put_run(FILE *out, const MbViewRun *run, uint64_t *size, MbReport *report) {
  Base64 *to = mb_calloc(1, sizeof *to);
  if (!to) return mb_no_memory(report, "the page");
  to->out = out;
  fputs("<script type=\"application/x-mbt\" data-name=\"", out);
  put_escaped(out, run->name);
  fputs("\">", out);
  MbStatus status = run->excerpt ? put_excerpt(run, to, report) : put_bytes(run->path, to, report);
  const int failed = status ? 0 : flush_bytes(to);
  if (failed) status = mb_error(report, MB_IO, "", "cannot write the page: %s", strerror(failed));
  fputs(END, out);
  *size += to->written;
  mb_free(to);
  return status;
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

MbStatus mb_view_write(FILE *out, const MbViewRun *runs, size_t n, const char *compared, uint64_t *size,
                       MbReport *report) {
  size_t length = 0;
  const char *bundle = mb_view_bundle(&length);
  const size_t before = before_mark(bundle, length), behind = before + sizeof MARK - 1;
  MbStatus status = MB_OK;
  *size = 0;
  errno = 0;
  fwrite(bundle, 1, before, out);
  for (size_t i = 0; i < n && !status; i++) status = put_run(out, &runs[i], size, report);
  if (!status && compared) put_compared(out, compared);
  if (!status) fwrite(bundle + behind, 1, length - behind, out);
  if (!status && (fflush(out) || ferror(out)))
    status = mb_error(report, MB_IO, "", "cannot write the page: %s", strerror(errno ? errno : EIO));
  return status;
}
