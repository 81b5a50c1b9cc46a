// Blocks: lossless to the bit, bounded within the bound, both stable when encoded again.
#include "core/base/alloc.h"
#include "io/trajectory/traj_codec.h"
#include "tests/io/traj_make.h"
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40 * 300 };

typedef struct Bench {
  MbCodec *encoder, *decoder;
  unsigned char *bytes;
  double *out;
} Bench;

static Bench bench_make(void) {
  return (Bench){mb_codec_create(true, MOST, MOST), mb_codec_create(false, MOST, MOST),
                 malloc(mb_block_room(MOST)), malloc(MOST * sizeof(double))};
}

static void bench_free(Bench *b) {
  mb_codec_free(b->encoder);
  mb_codec_free(b->decoder);
  free(b->bytes);
  free(b->out);
  cr_assert_eq(mb_alloc_live(), 0);
}

// Encodes and decodes; returns the mode and the length of the block.
static MbTrajMode round_trip(Bench *b, const double *x, MbGrid grid, double bound, size_t *length) {
  const char *why = NULL;
  MbBlock block;
  *length = mb_block_encode(b->encoder, (MbBlockName){7, 0, false}, x, grid, bound, NULL, b->bytes);
  const size_t n = grid.rows * grid.cols;
  cr_assert_leq(*length, mb_block_room(n));
  cr_assert(mb_block_parse(b->bytes, *length, (MbBlockName){7, 0, false}, n, &block, &why), "%s", why);
  cr_assert_eq(block.length, *length);
  cr_assert(mb_block_check(b->decoder, &block, n, &why), "%s", why);
  cr_assert(mb_block_decode(b->decoder, &block, grid, NULL, b->out, &why), "%s", why);
  return block.mode;
}

static void expect_bits(const double *x, const double *y, size_t n, const char *what) {
  for (size_t i = 0; i < n; i++)
    cr_assert(!memcmp(&x[i], &y[i], 8), "%s: number %zu was %a and is %a", what, i, x[i], y[i]);
}

// What comes back is within the bound; encoding it again gives the same bytes.
static void expect_bound(Bench *b, const double *x, MbGrid grid, double bound, const char *what) {
  size_t length = 0, again = 0;
  round_trip(b, x, grid, bound, &length);
  const size_t n = grid.rows * grid.cols;
  for (size_t i = 0; i < n; i++)
    cr_assert(fabs(x[i] - b->out[i]) <= bound || !memcmp(&x[i], &b->out[i], 8),
              "%s: number %zu was %a and is %a", what, i, x[i], b->out[i]);

  unsigned char *first = malloc(length);
  double *decoded = malloc(n * sizeof *decoded);
  memcpy(first, b->bytes, length);
  memcpy(decoded, b->out, n * sizeof *decoded);
  round_trip(b, decoded, grid, bound, &again);
  cr_assert(again == length && !memcmp(first, b->bytes, length), "%s: encoding again gives other bytes",
            what);
  expect_bits(decoded, b->out, n, what);
  free(first);
  free(decoded);
}

// Kinds of numbers, from harmless to hostile.
enum { KINDS = 13 };
static const char *const kind_names[KINDS] = {
    "smooth",   "noise",   "random bits", "zeros", "constant",       "denormals",       "huge",
    "half-way", "special", "steps",       "mixed", "near the limit", "half-way near it"};
static double make_number(int kind, size_t row, size_t col, double bound, uint64_t *state) {
  static const double special[] = {0.0, -0.0,   INFINITY, -INFINITY,
                                   NAN, 5e-324, -5e-324,  1.7976931348623157e308};
  const uint64_t random = random_word(state);
  const double unit = (double)(random >> 11) * 0x1p-53;
  double x = 0;
  switch (kind) {
  case 0:
    return sin(0.1 * (double)row + (double)col) + 1e-15 * unit;
  case 1:
    return unit - 0.5;
  case 2:
    memcpy(&x, &random, 8);
    return x;
  case 3:
    return random & 1 ? 0.0 : -0.0;
  case 4:
    return 3.25;
  case 5:
    x = (double)(random % 100000) * 5e-324;
    return random >> 63 ? -x : x;
  case 6:
    return (unit - 0.5) * 1e300;
  case 7:
    return ((double)(int64_t)(random % 2000) - 1000 + 0.5) * 2 * bound;
  case 8:
    return special[random % 8];
  case 9:
    return (double)(row / 7) * 1000 + (double)(col % 3);
  case 10:
    return random % 500 ? cos((double)(row * col)) : special[(random >> 32) % 8];
  case 11:
    return (random & 1 ? -1 : 1) * (0x1p48 + (double)(random % 5) - 2) * bound * (2 - 0x1p-10);
  default:
    return ((double)(random % 1000) + 0x1p47 + 0.5) * bound * (2 - 0x1p-10); // rounding shows there
  }
}

static void fill(double *x, MbGrid grid, int kind, double bound, uint64_t *state) {
  for (size_t r = 0; r < grid.rows; r++)
    for (size_t c = 0; c < grid.cols; c++) x[r * grid.stride + c] = make_number(kind, r, c, bound, state);
}

static const MbGrid grids[] = {{32, 300, 300, 3, 3}, {32, 7, 7, 7, 7}, {1, 300, 300, 4, 4},
                               {1, 1, 1, 1, 1},      {2, 5, 5, 1, 1},  {3, 12, 12, 6, 6},
                               {5, 33, 33, 3, 3},    {40, 3, 3, 3, 3}, {31, 1, 1, 1, 1}};
enum { GRIDS = sizeof grids / sizeof *grids };

Test(traj_codec, lossless_gives_back_every_bit) {
  Bench b = bench_make();
  double *x = malloc(MOST * sizeof *x);
  uint64_t state = 1;
  for (int kind = 0; kind < KINDS; kind++)
    for (int g = 0; g < GRIDS; g++) {
      size_t length = 0;
      fill(x, grids[g], kind, 1e-6, &state);
      round_trip(&b, x, grids[g], 0, &length);
      expect_bits(x, b.out, grids[g].rows * grids[g].cols, kind_names[kind]);
    }
  free(x);
  bench_free(&b);
}

Test(traj_codec, bounded_never_exceeds_its_bound_and_is_stable) {
  static const double bounds[] = {1e-6, 1e-4, 1, 1e-300, 5e-324, 1e290, 0x1p-20, 0.3};
  Bench b = bench_make();
  double *x = malloc(MOST * sizeof *x);
  uint64_t state = 2;
  for (int kind = 0; kind < KINDS; kind++)
    for (int g = 0; g < GRIDS; g++)
      for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
        fill(x, grids[g], kind, bounds[k], &state);
        expect_bound(&b, x, grids[g], bounds[k], kind_names[kind]);
      }
  free(x);
  bench_free(&b);
}

// A run that was resumed has other chunks, and must give the same numbers.
Test(traj_codec, what_a_number_becomes_does_not_depend_on_the_others) {
  Bench b = bench_make();
  const MbGrid grid = grids[5], alone = grids[3];
  double x[36], together[36];
  uint64_t state = 6;
  for (int kind = 0; kind < KINDS; kind++)
    for (int round = 0; round < 20; round++) {
      size_t length = 0;
      fill(x, grid, kind, 1e-4, &state);
      round_trip(&b, x, grid, 1e-4, &length);
      memcpy(together, b.out, sizeof together);
      for (size_t i = 0; i < 36; i++) {
        round_trip(&b, x + i, alone, 1e-4, &length);
        expect_bits(b.out, together + i, 1, kind_names[kind]);
      }
      memcpy(b.out, x, sizeof x);
      mb_block_settle(b.out, 36, 1e-4);
      expect_bits(b.out, together, 36, kind_names[kind]);
    }
  bench_free(&b);
}

Test(traj_codec, modes_are_what_the_numbers_allow) {
  Bench b = bench_make();
  double *x = malloc(MOST * sizeof *x);
  uint64_t state = 3;
  size_t length = 0;
  fill(x, grids[0], 0, 1e-6, &state);
  cr_assert_eq(round_trip(&b, x, grids[0], 1e-6, &length), MB_MODE_BOUNDED);
  cr_assert_eq(round_trip(&b, x, grids[0], 0, &length), MB_MODE_LOSSLESS);
  x[4000] = NAN;
  cr_assert_eq(round_trip(&b, x, grids[0], 1e-6, &length), MB_MODE_LOSSLESS, "a NaN");
  x[4000] = 0x1p50 * 1e-6;
  cr_assert_eq(round_trip(&b, x, grids[0], 1e-6, &length), MB_MODE_LOSSLESS, "beyond the integers");
  fill(x, grids[0], 7, 1e-6, &state);
  cr_assert_eq(round_trip(&b, x, grids[0], 1e-6, &length), MB_MODE_BOUNDED, "half-way points");
  fill(x, grids[0], 2, 1e-6, &state);
  cr_assert_eq(round_trip(&b, x, grids[0], 0, &length), MB_MODE_RAW, "bits at random");
  fill(x, grids[0], 4, 1e-6, &state);
  round_trip(&b, x, grids[0], 0, &length);
  cr_assert_lt(length, 1500, "constant numbers take %zu bytes", length);
  free(x);
  bench_free(&b);
}

// Rows that lie apart in memory: what is between them stays untouched.
Test(traj_codec, rows_may_be_parts_of_frames) {
  Bench b = bench_make();
  const MbGrid grid = {20, 12, 50, 3, 3};
  double *x = calloc(MOST, sizeof *x);
  uint64_t state = 4;
  size_t length = 0;
  for (size_t i = 0; i < MOST; i++) b.out[i] = -77;
  fill(x, grid, 0, 1e-6, &state);
  round_trip(&b, x, grid, 0, &length);
  for (size_t r = 0; r < grid.rows; r++) {
    expect_bits(x + r * 50, b.out + r * 50, 12, "row");
    for (size_t c = 12; c < 50; c++) cr_assert_eq(b.out[r * 50 + c], -77);
  }
  free(x);
  bench_free(&b);
}

// Any change of a block's bytes is refused or decodes to something, and never goes astray.
Test(traj_codec, damaged_blocks_do_no_harm) {
  Bench b = bench_make();
  double *x = malloc(MOST * sizeof *x);
  uint64_t state = 5;
  size_t length = 0;
  const MbGrid grid = grids[5];
  fill(x, grid, 0, 1e-6, &state);
  for (int round = 0; round < 4000; round++) {
    length =
        mb_block_encode(b.encoder, (MbBlockName){7, 0, false}, x, grid, round % 2 ? 1e-6 : 0, NULL, b.bytes);
    for (int k = 0; k < 3; k++) b.bytes[random_word(&state) % length] = (unsigned char)random_word(&state);
    const size_t cut = round % 5 ? length : random_word(&state) % length;
    unsigned char *tight = malloc(cut ? cut : 1); // so that a sanitizer sees reading beyond
    memcpy(tight, b.bytes, cut);
    MbBlock block;
    const char *why = NULL;
    if (mb_block_parse(tight, cut, (MbBlockName){7, 0, false}, grid.rows * grid.cols, &block, &why))
      mb_block_decode(b.decoder, &block, grid, NULL, b.out, &why);
    else
      cr_assert_not_null(why);
    free(tight);
  }
  free(x);
  bench_free(&b);
}
