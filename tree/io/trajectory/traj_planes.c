#include "io/trajectory/traj_planes.h"
#include "core/base/alloc.h"

static void *door_alloc(void *opaque, uInt count, uInt size) {
  (void)opaque;
  return mb_calloc(count, size);
}
static void door_free(void *opaque, void *block) {
  (void)opaque;
  mb_free(block);
}

bool mb_squeezer_begin(MbSqueezer *s, bool encoding) {
  *s = (MbSqueezer){.z = {.zalloc = door_alloc, .zfree = door_free}, .encoding = encoding};
  s->strategy = Z_HUFFMAN_ONLY;
  s->begun = (encoding ? deflateInit2(&s->z, 1, Z_DEFLATED, 15, 9, s->strategy) : inflateInit(&s->z)) == Z_OK;
  return s->begun;
}

void mb_squeezer_end(MbSqueezer *s) {
  if (s->begun && s->encoding) deflateEnd(&s->z);
  if (s->begun && !s->encoding) inflateEnd(&s->z);
  *s = (MbSqueezer){0};
}

// log2 of a positive integer to 1e-5, by its own series: the same on every machine, so that files are.
static double log2_of(uint32_t k) {
  const int e = 31 - __builtin_clz(k);
  const double m = (double)k / (double)(1u << e), t = (m - 1) / (m + 1), tt = t * t;
  return e + t * (2.8853900817779268 +
                  tt * (0.9617966939259756 + tt * (0.5770780163555854 + tt * 0.4121985831111324)));
}

// Entropy in bits a byte, from a sample of up to SAMPLE bytes in evenly spread runs.
static double entropy(const unsigned char *p, size_t n) {
  enum { RUN = 1024, SAMPLE = 16384 };
  uint32_t count[4][256];
  memset(count, 0, sizeof count);
  const size_t runs = n <= SAMPLE ? (n + RUN - 1) / RUN : SAMPLE / RUN;
  uint32_t total = 0;
  for (size_t r = 0; r < runs; r++) {
    const size_t at = n <= SAMPLE ? r * RUN : (n - RUN) / (runs - 1) * r;
    const size_t end = at + RUN < n ? at + RUN : n;
    for (size_t i = at; i < end; i++) count[i & 3][p[i]]++;
    total += (uint32_t)(end - at);
  }
  double sum = 0;
  for (int v = 0; v < 256; v++) {
    const uint32_t c = count[0][v] + count[1][v] + count[2][v] + count[3][v];
    if (c) sum += c * log2_of(c);
  }
  return log2_of(total) - sum / total;
}

// Deflates into at most `room` bytes; 0 when it does not fit.
static size_t squeeze(MbSqueezer *s, int strategy, const unsigned char *plane, size_t n, unsigned char *out,
                      size_t room) {
  z_stream *z = &s->z;
  if (deflateReset(z) != Z_OK) return 0;
  if (s->strategy != strategy && deflateParams(z, 1, strategy) != Z_OK) return 0;
  s->strategy = strategy;
  z->next_in = (unsigned char *)(uintptr_t)plane;
  z->avail_in = (uInt)n;
  z->next_out = out;
  z->avail_out = (uInt)room;
  return deflate(z, Z_FINISH) == Z_STREAM_END ? (size_t)z->total_out : 0;
}

MbPlaneKind mb_plane_put(MbSqueezer *s, const unsigned char *plane, size_t n, unsigned char *out,
                         uint32_t *length) {
  if (n > 1 && !memcmp(plane, plane + 1, n - 1)) {
    out[0] = plane[0];
    *length = 1;
    return MB_PLANE_CONSTANT;
  }
  const double bits = entropy(plane, n);
  if (bits <= 7.9 && n > 1) {
    // matches pay only where one value prevails; elsewhere Huffman codes alone are as small, and faster
    const size_t size = squeeze(s, bits < 2 ? Z_DEFAULT_STRATEGY : Z_HUFFMAN_ONLY, plane, n, out, n - 1);
    if (size) {
      *length = (uint32_t)size;
      return MB_PLANE_ZLIB;
    }
  }
  memcpy(out, plane, n);
  *length = (uint32_t)n;
  return MB_PLANE_RAW;
}

const unsigned char *mb_plane_get(MbSqueezer *s, const MbPlane *plane, size_t n, unsigned char *scratch) {
  if (plane->kind == MB_PLANE_RAW) return plane->length == n ? plane->bytes : NULL;
  if (plane->kind == MB_PLANE_CONSTANT)
    return plane->length == 1 ? memset(scratch, plane->bytes[0], n) : NULL;
  z_stream *z = &s->z;
  if (inflateReset(z) != Z_OK) return NULL;
  z->next_in = (unsigned char *)(uintptr_t)plane->bytes;
  z->avail_in = plane->length;
  z->next_out = scratch;
  z->avail_out = (uInt)n;
  return inflate(z, Z_FINISH) == Z_STREAM_END && !z->avail_in && !z->avail_out ? scratch : NULL;
}
