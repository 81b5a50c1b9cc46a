// Constants of the .mbt format and little-endian access; io/README.md describes the format byte by byte.
#ifndef MB_IO_TRAJ_FORMAT_H
#define MB_IO_TRAJ_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MB_TRAJ_MAGIC "\x89MBT\r\n\x1a\n"
#define MB_TRAJ_TAG(a, b, c, d)                                                                              \
  ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define MB_TAG_HEAD MB_TRAJ_TAG('H', 'E', 'A', 'D')
#define MB_TAG_PROV MB_TRAJ_TAG('P', 'R', 'O', 'V')
#define MB_TAG_MESH MB_TRAJ_TAG('M', 'E', 'S', 'H')
#define MB_TAG_DRAW MB_TRAJ_TAG('D', 'R', 'A', 'W')
#define MB_TAG_CHNK MB_TRAJ_TAG('C', 'H', 'N', 'K')
#define MB_TAG_EVNT MB_TRAJ_TAG('E', 'V', 'N', 'T')
#define MB_TAG_CKPT MB_TRAJ_TAG('C', 'K', 'P', 'T')
#define MB_TAG_INDX MB_TRAJ_TAG('I', 'N', 'D', 'X')
#define MB_TAG_END  MB_TRAJ_TAG('M', 'B', 'T', 'E')

enum {
  MB_TRAJ_VERSION = 1,
  MB_TRAJ_VERSION_LISTS = 2, // of files with a channel that has a list
  MB_TRAJ_FILE_HEADER = 16,
  MB_TRAJ_RECORD_HEADER = 24,
  MB_TRAJ_TRAILER = 24,
  MB_TRAJ_CHUNK_HEADER = 16,
  MB_TRAJ_BLOCK_HEADER = 24,
  MB_TRAJ_PLANE_HEADER = 5,
  MB_TRAJ_INDEX_HEADER = 16,
  MB_TRAJ_INDEX_CHUNK = 48, // bytes of one entry
  MB_TRAJ_INDEX_OTHER = 24,
  MB_TRAJ_CHUNK_FRAMES = 32,
  MB_TRAJ_CHUNK_BYTES = 4 << 20, // raw, that the writer puts in one chunk at most
  MB_TRAJ_CHUNK_SECONDS = 10,
  MB_TRAJ_CHANNELS_MAX = 65535,
  MB_TRAJ_FIELDS_MAX = 254, // numbers of a list's entry: a part has a byte, and the count is one of them
};

// Limits that a reader refuses to exceed, whatever the file says.
#define MB_TRAJ_RAW_MAX  ((uint64_t)1 << 30) // decoded bytes of a chunk, or of an inflated record
#define MB_TRAJ_TEXT_MAX ((uint64_t)1 << 26) // characters of HEAD, PROV

enum { MB_RECORD_DEFLATED = 1 }; // record flag: payload is u64 size and a zlib stream of the content

typedef enum MbTrajMode { MB_MODE_RAW, MB_MODE_LOSSLESS, MB_MODE_BOUNDED, MB_MODES } MbTrajMode;
typedef enum MbPlaneKind { MB_PLANE_RAW, MB_PLANE_ZLIB, MB_PLANE_CONSTANT, MB_PLANES } MbPlaneKind;

static inline void mb_put16(unsigned char *p, uint16_t x) {
  for (int k = 0; k < 2; k++) p[k] = (unsigned char)(x >> 8 * k);
}
static inline void mb_put32(unsigned char *p, uint32_t x) {
  for (int k = 0; k < 4; k++) p[k] = (unsigned char)(x >> 8 * k);
}
static inline void mb_put64(unsigned char *p, uint64_t x) {
  for (int k = 0; k < 8; k++) p[k] = (unsigned char)(x >> 8 * k);
}
static inline void mb_put_double(unsigned char *p, double x) {
  uint64_t bits = 0;
  memcpy(&bits, &x, 8);
  mb_put64(p, bits);
}
static inline uint16_t mb_get16(const unsigned char *p) { return (uint16_t)(p[0] | p[1] << 8); }
static inline uint32_t mb_get32(const unsigned char *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t mb_get64(const unsigned char *p) {
  return (uint64_t)mb_get32(p) | (uint64_t)mb_get32(p + 4) << 32;
}
static inline double mb_get_double(const unsigned char *p) {
  const uint64_t bits = mb_get64(p);
  double x = 0;
  memcpy(&x, &bits, 8);
  return x;
}

static inline uint64_t mb_pad8(uint64_t n) { return (n + 7) & ~(uint64_t)7; }

#endif
