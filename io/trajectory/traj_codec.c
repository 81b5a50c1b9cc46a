// Encoder and decoder of blocks (traj_codec.h): prediction, rounding to the bound of error, and bytes.
#include "io/trajectory/traj_codec.h"
#include "core/base/alloc.h"
#include "io/trajectory/traj_kernels.h"
#include "io/trajectory/traj_scratch.h"

unsigned char mb_predictor_byte(MbPredictor p) {
  return (unsigned char)(p.time | p.start << 2 | p.later << 4 | (unsigned)p.motion << 6);
}

bool mb_predictor_from_byte(unsigned char byte, MbPredictor *p) {
  *p = (MbPredictor){
      .time = byte & 3u, .start = byte >> 2 & 3u, .later = byte >> 4 & 3u, .motion = byte >> 6 & 1u};
  return byte < 128 && p->start < 3 && p->later < 3 && (!p->motion || p->time == 1 || p->time == 2);
}

size_t mb_block_room(size_t numbers) { return MB_BLOCK_HEADERS_MAX + 8 * numbers; }

MbCodec *mb_codec_create(bool encoding, size_t numbers, size_t cols) {
  MbCodec *codec = mb_calloc(1, sizeof *codec);
  if (!codec) return NULL;
  // encoding works on whole blocks, decoding row by row
  codec->integers = encoding ? mb_calloc(numbers, sizeof(uint64_t)) : NULL;
  codec->settled = encoding ? mb_calloc(numbers, sizeof(double)) : NULL;
  codec->residuals = mb_calloc(encoding ? numbers : cols, sizeof(uint64_t));
  codec->history = encoding ? NULL : mb_calloc(cols, 4 * sizeof(uint64_t));
  codec->rows = encoding ? NULL : mb_calloc(cols, 4 * sizeof(double));
  codec->planes = mb_calloc(numbers, encoding ? 1 : 8);
  const bool good = codec->residuals && codec->planes &&
                    (encoding ? codec->integers && codec->settled : codec->history && codec->rows);
  if (good && mb_squeezer_begin(&codec->squeezer, encoding)) return codec;
  mb_codec_free(codec);
  return NULL;
}

void mb_codec_free(MbCodec *codec) {
  if (!codec) return;
  mb_squeezer_end(&codec->squeezer);
  mb_free(codec->integers);
  mb_free(codec->settled);
  mb_free(codec->velocity);
  mb_free(codec->time);
  mb_free(codec->residuals);
  mb_free(codec->history);
  mb_free(codec->rows);
  mb_free(codec->planes);
  mb_free(codec);
}

static bool grow(double **block, size_t *room, size_t count) {
  if (count <= *room) return true;
  mb_free(*block);
  *block = mb_calloc(count, sizeof **block);
  *room = *block ? count : 0;
  return *block;
}

bool mb_codec_moving(MbCodec *codec, size_t rows, size_t numbers, double **time, double **velocity) {
  if (!grow(&codec->time, &codec->time_room, rows)) return false;
  if (!grow(&codec->velocity, &codec->velocity_room, numbers)) return false;
  *time = codec->time;
  *velocity = codec->velocity;
  return true;
}

// Header fields are checked for what a decoder relies on; everything reserved must be zero.
bool mb_block_headers(const unsigned char *p, size_t size, MbBlockName name, size_t numbers, MbBlock *block,
                      const char **why) {
  if (size < MB_TRAJ_BLOCK_HEADER) return *why = "ends within a block header", false;
  *block = (MbBlock){.width = p[4], .bound = mb_get_double(p + 8), .gain = mb_get_double(p + 16)};
  if (mb_get16(p) != name.id || p[5] != name.part)
    return *why = "holds its channels in the wrong order", false;
  if (p[2] >= MB_MODES) return *why = "uses an unknown mode", false;
  block->mode = (MbTrajMode)p[2];
  if (!mb_predictor_from_byte(p[3], &block->predictor)) return *why = "uses an unknown predictor", false;
  if (block->mode == MB_MODE_RAW && p[3]) return *why = "predicts in a raw block", false;
  if (block->predictor.motion && block->mode != MB_MODE_BOUNDED)
    return *why = "predicts from velocities in a block that is not bounded", false;
  if (block->predictor.motion && !name.moved)
    return *why = "predicts from velocities a channel that has none", false;
  if (block->width > 8 || p[6] || p[7]) return *why = "has an invalid block header", false;
  if (block->mode == MB_MODE_BOUNDED && !(block->gain > 0 && block->gain <= 1e300))
    return *why = "has an invalid gain", false;

  const size_t headers = MB_TRAJ_BLOCK_HEADER + (size_t)MB_TRAJ_PLANE_HEADER * block->width;
  if (size < headers) return *why = "ends within a plane header", false;
  block->length = headers;
  for (unsigned b = 0; b < block->width; b++) {
    const unsigned char *h = p + MB_TRAJ_BLOCK_HEADER + MB_TRAJ_PLANE_HEADER * b;
    if (h[0] >= MB_PLANES) return *why = "uses an unknown kind of plane", false;
    block->plane[b] = (MbPlane){.kind = (MbPlaneKind)h[0], .length = mb_get32(h + 1)};
    const uint32_t length = block->plane[b].length;
    if ((h[0] == MB_PLANE_RAW && length != numbers) || (h[0] == MB_PLANE_CONSTANT && length != 1))
      return *why = "has a plane of the wrong length", false;
    block->length += length;
  }
  return true;
}

bool mb_block_parse(const unsigned char *p, size_t size, MbBlockName name, size_t numbers, MbBlock *block,
                    const char **why) {
  if (!mb_block_headers(p, size, name, numbers, block, why)) return false;
  if (block->length > size) return *why = "ends within a plane", false;
  const unsigned char *at = p + MB_TRAJ_BLOCK_HEADER + MB_TRAJ_PLANE_HEADER * block->width;
  for (unsigned b = 0; b < block->width; b++) {
    block->plane[b].bytes = at;
    at += block->plane[b].length;
  }
  return true;
}

bool mb_block_check(MbCodec *codec, const MbBlock *block, size_t numbers, const char **why) {
  for (unsigned b = 0; b < block->width; b++)
    if (block->plane[b].kind == MB_PLANE_ZLIB &&
        !mb_plane_get(&codec->squeezer, &block->plane[b], numbers, codec->planes))
      return *why = "has a plane that does not inflate", false;
  return true;
}

// ---- decoding ---------------------------------------------------------------------------------------------

bool mb_planes_open(MbCodec *codec, const MbBlock *block, size_t numbers, const unsigned char *plane[8],
                    uint64_t *base) {
  *base = 0;
  for (unsigned b = 0; b < 8; b++) {
    plane[b] = NULL;
    if (b >= block->width) continue;
    const MbPlane *stored = &block->plane[b];
    if (stored->kind == MB_PLANE_CONSTANT) {
      *base |= (uint64_t)stored->bytes[0] << 8 * b;
    } else {
      plane[b] = mb_plane_get(&codec->squeezer, stored, numbers, codec->planes + b * numbers);
      if (!plane[b]) return false;
    }
  }
  return true;
}

static unsigned least(size_t row, unsigned order) { return row < order ? (unsigned)row : order; }

// One row of integers. The rows before it are in codec->history.
static void integrate_row(MbCodec *codec, const MbBlock *block, MbGrid grid, const MbMotion *motion,
                          size_t row, double *x0) {
  const unsigned order = least(row, block->predictor.time);
  uint64_t *q[4];
  for (size_t k = 0; k < 4; k++) q[k] = codec->history + (row + 4 - k) % 4 * grid.cols;
  const MbMotionRow moving = {.motion = motion,
                              .order = order,
                              .row = row,
                              .items = grid.width ? grid.cols / grid.width : 0,
                              .width = grid.width,
                              .gain = block->gain,
                              .q1 = q[1],
                              .q2 = q[2]};
  if (block->predictor.motion && order)
    mb_motion_integrate(&moving, codec->residuals, q[0]);
  else
    mb_integrate(grid.cols, order, codec->residuals, q[1], q[2], q[3], q[0]);
  mb_dequantise(grid.cols, q[0], block->gain, x0);
}

// Items of `width` numbers to their places in a frame.
static void scatter(MbGrid grid, const double *row, double *x) {
  for (size_t i = 0; i < grid.cols; i += grid.width, x += grid.step)
    for (size_t k = 0; k < grid.width; k++) x[k] = row[i + k];
}

// A row is made where it belongs, or among the last four if its items have other parts between them.
static double *row_at(const MbCodec *codec, MbGrid grid, double *x, size_t row) {
  return grid.step == grid.width ? x + row * grid.stride : codec->rows + row % 4 * grid.cols;
}

bool mb_block_decode(MbCodec *codec, const MbBlock *block, MbGrid grid, const MbMotion *motion, double *x,
                     const char **why) {
  const size_t numbers = grid.rows * grid.cols;
  const unsigned char *plane[8];
  uint64_t base = 0;
  if (!mb_planes_open(codec, block, numbers, plane, &base))
    return *why = "has a plane that does not inflate", false;

  for (size_t row = 0; row < grid.rows; row++) {
    const unsigned char *part[8];
    const bool raw = block->mode == MB_MODE_RAW;
    const unsigned along = row < block->predictor.time ? block->predictor.start : block->predictor.later;
    double *x0 = row_at(codec, grid, x, row);
    for (unsigned b = 0; b < 8; b++) part[b] = plane[b] ? plane[b] + row * grid.cols : NULL;
    mb_merge(grid.cols, part, base, codec->residuals, !raw);
    mb_accumulate(grid.cols, grid.width, along, codec->residuals);
    if (raw) {
      memcpy(x0, codec->residuals, grid.cols * sizeof *x);
    } else if (block->mode == MB_MODE_LOSSLESS) {
      const unsigned order = least(row, block->predictor.time);
      const double *before[4];
      for (size_t k = 0; k < 4; k++) before[k] = row_at(codec, grid, x, row - (k <= order ? k : 0));
      mb_integrate_double(grid.cols, order, codec->residuals, before[1], before[2], before[3], x0);
    } else {
      integrate_row(codec, block, grid, motion, row, x0);
    }
    if (grid.step != grid.width) scatter(grid, x0, x + row * grid.stride);
  }
  return true;
}
