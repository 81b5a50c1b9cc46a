#include "io/trajectory/traj_kernels.h"
#include "io/trajectory/traj_scratch.h"

// What one block is encoded with.
typedef struct Choice {
  MbTrajMode mode;
  MbPredictor predictor;
  double bound, quantum;
} Choice;

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

// Residual in time of columns [c0, c0 + n) of one row, as integers.
static void residual_row(const MbCodec *codec, const double *x, MbGrid grid, MbTrajMode mode, size_t row,
                         unsigned time, size_t c0, size_t n, uint64_t *d) {
  const unsigned order = (unsigned)least(row, time);
  if (mode == MB_MODE_BOUNDED) {
    const uint64_t *q[4];
    for (unsigned k = 0; k < 4; k++) q[k] = codec->integers + (row - least(k, order)) * grid.cols + c0;
    mb_residual(n, order, q[0], q[1], q[2], q[3], d);
  } else {
    const double *p[4];
    for (unsigned k = 0; k < 4; k++) p[k] = x + (row - least(k, order)) * grid.stride + c0;
    mb_residual_double(n, order, p[0], p[1], p[2], p[3], d);
  }
}

static uint64_t bits_in(size_t n, const uint64_t *d) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++) {
    const uint64_t z = d[i] << 1 ^ (0 - (d[i] >> 63));
    sum += (uint64_t)(64 - __builtin_clzll(z | 1));
  }
  return sum;
}

// Sum of the residuals' lengths in bits over a sample, for every order in time and along the row, start and
// later rows apart. The sample: runs of neighbouring columns, spread evenly.
enum { ORDERS = 4, ALONG = 3, RUN = 32, RUNS = 4, SAMPLED_ROWS = 8 };
typedef struct Costs {
  uint64_t start[ORDERS][ALONG], later[ORDERS][ALONG];
  uint64_t numbers;
} Costs;

static void add_run(const MbCodec *codec, const double *x, MbGrid grid, MbTrajMode mode, size_t row,
                    size_t c0, size_t n, uint64_t weight, Costs *costs) {
  // the prefix that has no left neighbours in the run is counted only where the run begins the row
  uint64_t d[RUN];
  const size_t lead = c0 ? least(2 * grid.width, n) : 0;
  for (unsigned time = 0; time < ORDERS; time++) {
    residual_row(codec, x, grid, mode, row, time, c0, n, d);
    for (unsigned along = 0; along < ALONG; along++) {
      if (along) mb_difference(n, grid.width, d);
      (row < time ? costs->start : costs->later)[time][along] += weight * bits_in(n - lead, d + lead);
    }
  }
  costs->numbers += weight * (n - lead);
}

static Costs sample(const MbCodec *codec, const double *x, MbGrid grid, MbTrajMode mode) {
  Costs costs = {0};
  const size_t runs = grid.cols > (size_t)RUN * RUNS ? RUNS : (grid.cols + RUN - 1) / RUN;
  // the first rows each, for they differ; later ones thinned out and weighted
  const size_t rest = grid.rows > 3 ? grid.rows - 3 : 0, step = (rest + SAMPLED_ROWS - 1) / SAMPLED_ROWS;
  for (size_t row = 0; row < grid.rows; row += row < 3 ? 1 : step) {
    for (size_t r = 0; r < runs; r++) {
      const size_t at = runs < RUNS ? r * RUN : (grid.cols - RUN) * r / (RUNS - 1);
      add_run(codec, x, grid, mode, row, at, least(RUN, grid.cols - at), row < 3 ? 1 : step, &costs);
    }
  }
  return costs;
}

static unsigned cheapest(const uint64_t cost[ALONG]) {
  unsigned best = 0;
  for (unsigned a = 1; a < ALONG; a++)
    if (cost[a] < cost[best]) best = a;
  return best;
}

static MbPredictor choose(const Costs *costs, double *bits_a_number) {
  MbPredictor best = {0};
  uint64_t least_cost = UINT64_MAX;
  for (unsigned time = 0; time < ORDERS; time++) {
    const unsigned start = cheapest(costs->start[time]), later = cheapest(costs->later[time]);
    const uint64_t cost = costs->start[time][start] + costs->later[time][later];
    if (cost >= least_cost) continue;
    least_cost = cost;
    best = (MbPredictor){time, start, later};
  }
  *bits_a_number = costs->numbers ? (double)least_cost / (double)costs->numbers : 0;
  return best;
}

// A quantum a little below twice the bound leaves room for the rounding of the multiplication back.
static bool quantise(MbCodec *codec, const double *x, MbGrid grid, double bound, double *quantum) {
  *quantum = bound * (2 - 0x1p-10);
  if (!(*quantum > 0 && *quantum <= 1e300)) return false;
  for (size_t row = 0; row < grid.rows; row++)
    if (!mb_quantise(grid.cols, x + row * grid.stride, *quantum, bound, codec->integers + row * grid.cols))
      return false;
  return true;
}

static Choice decide(MbCodec *codec, const double *x, MbGrid grid, double bound) {
  Choice choice = {.mode = MB_MODE_LOSSLESS};
  if (bound > 0 && quantise(codec, x, grid, bound, &choice.quantum)) {
    choice.mode = MB_MODE_BOUNDED;
    choice.bound = bound;
  } else {
    choice.quantum = 0;
  }
  const Costs costs = sample(codec, x, grid, choice.mode);
  double bits = 0;
  choice.predictor = choose(&costs, &bits);
  // bits without any pattern are left as they are
  if (choice.mode == MB_MODE_LOSSLESS && bits > 62.5) choice = (Choice){.mode = MB_MODE_RAW};
  return choice;
}

// All residuals, zigzagged unless raw; returns them or-ed together.
static uint64_t fill_residuals(MbCodec *codec, const double *x, MbGrid grid, const Choice *choice) {
  uint64_t all = 0;
  for (size_t row = 0; row < grid.rows; row++) {
    uint64_t *d = codec->residuals + row * grid.cols;
    if (choice->mode == MB_MODE_RAW) {
      memcpy(d, x + row * grid.stride, grid.cols * sizeof *d);
      all = UINT64_MAX;
      continue;
    }
    residual_row(codec, x, grid, choice->mode, row, choice->predictor.time, 0, grid.cols, d);
    const unsigned along = row < choice->predictor.time ? choice->predictor.start : choice->predictor.later;
    for (unsigned k = 0; k < along; k++) mb_difference(grid.cols, grid.width, d);
    all |= mb_zigzag(grid.cols, d);
  }
  return all;
}

size_t mb_block_encode(MbCodec *codec, unsigned id, const double *x, MbGrid grid, double bound,
                       unsigned char *out) {
  const size_t numbers = grid.rows * grid.cols;
  const Choice choice = decide(codec, x, grid, bound);
  const uint64_t all = fill_residuals(codec, x, grid, &choice);
  const unsigned width = all ? (unsigned)(71 - __builtin_clzll(all)) / 8 : 0;

  memset(out, 0, MB_TRAJ_BLOCK_HEADER);
  mb_put16(out, (uint16_t)id);
  out[2] = (unsigned char)choice.mode;
  out[3] = mb_predictor_byte(choice.predictor);
  out[4] = (unsigned char)width;
  mb_put_double(out + 8, choice.bound);
  mb_put_double(out + 16, choice.quantum);

  unsigned char *header = out + MB_TRAJ_BLOCK_HEADER;
  unsigned char *data = header + (size_t)MB_TRAJ_PLANE_HEADER * width;
  for (unsigned b = 0; b < width; b++, header += MB_TRAJ_PLANE_HEADER) {
    uint32_t length = 0;
    mb_split(numbers, codec->residuals, b, codec->planes);
    header[0] = (unsigned char)mb_plane_put(&codec->squeezer, codec->planes, numbers, data, &length);
    mb_put32(header + 1, length);
    data += length;
  }
  return (size_t)(data - out);
}
