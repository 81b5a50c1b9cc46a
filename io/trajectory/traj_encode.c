// Blocks to bytes: which prediction suits the numbers, and the residuals that it leaves.
#include "io/trajectory/traj_kernels.h"
#include "io/trajectory/traj_scratch.h"

// The numbers of a block on their way.
typedef struct Source {
  MbCodec *codec;
  const double *x;
  MbGrid grid;
  const MbMotion *motion; // NULL = none
} Source;

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

// Residual in time of columns [c0, c0 + n) of one row, as integers. With velocities these are whole items.
static void residual_row(const Source *s, const MbBlockChoice *c, size_t row, size_t c0, size_t n,
                         uint64_t *d) {
  const MbGrid grid = s->grid;
  const unsigned order = (unsigned)least(row, c->predictor.time);
  if (c->mode == MB_MODE_BOUNDED) {
    const uint64_t *q[4];
    for (unsigned k = 0; k < 4; k++) q[k] = s->codec->integers + (row - least(k, order)) * grid.cols + c0;
    if (!c->predictor.motion || !order) {
      mb_residual(n, order, q[0], q[1], q[2], q[3], d);
      return;
    }
    const MbMotionRow moving = {.motion = s->motion,
                                .order = order,
                                .row = row,
                                .item = c0 / grid.width,
                                .items = n / grid.width,
                                .width = grid.width,
                                .gain = c->quantum,
                                .q1 = q[1],
                                .q2 = q[2]};
    mb_motion_residual(&moving, q[0], d);
  } else {
    const double *p[4];
    for (unsigned k = 0; k < 4; k++) p[k] = s->x + (row - least(k, order)) * grid.stride + c0;
    mb_residual_double(n, order, p[0], p[1], p[2], p[3], d);
  }
}

uint64_t mb_bits_in(size_t n, const uint64_t *d) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++) {
    const uint64_t z = d[i] << 1 ^ (0 - (d[i] >> 63));
    sum += (uint64_t)(64 - __builtin_clzll(z | 1));
  }
  return sum;
}

// Sum of the residuals' lengths in bits over a sample, for every order in time and along the row, start and
// later rows apart. The sample: runs of neighbouring columns, spread evenly. Orders from ORDERS on are those
// from velocities.
enum { ORDERS = 4, ALL_ORDERS = 6, ALONG = 3, RUN = 32, RUNS = 4, SAMPLED_ROWS = 8 };
typedef struct Costs {
  uint64_t start[ALL_ORDERS][ALONG], later[ALL_ORDERS][ALONG];
  uint64_t numbers;
} Costs;

static MbPredictor order_of(unsigned k) {
  return (MbPredictor){.time = k < ORDERS ? k : k - ORDERS + 1, .motion = k >= ORDERS};
}

static void add_run(const Source *s, MbBlockChoice c, size_t row, size_t c0, size_t n, uint64_t weight,
                    Costs *costs) {
  // the prefix that has no left neighbours in the run is counted only where the run begins the row
  uint64_t d[RUN];
  const size_t width = s->grid.width, lead = c0 ? least(2 * width, n) : 0;
  for (unsigned k = 0; k < (s->motion ? ALL_ORDERS : ORDERS); k++) {
    c.predictor = order_of(k);
    residual_row(s, &c, row, c0, n, d);
    for (unsigned along = 0; along < ALONG; along++) {
      if (along) mb_difference(n, width, d);
      (row < c.predictor.time ? costs->start : costs->later)[k][along] +=
          weight * mb_bits_in(n - lead, d + lead);
    }
  }
  costs->numbers += weight * (n - lead);
}

static Costs sample(const Source *s, MbBlockChoice c) {
  Costs costs = {0};
  const MbGrid grid = s->grid;
  // where velocities predict, runs are of whole items
  const size_t whole = s->motion ? grid.width : 1, run = RUN / whole * whole;
  const size_t runs = grid.cols > run * RUNS ? RUNS : (grid.cols + run - 1) / run;
  // the first rows each, for they differ; later ones thinned out and weighted
  const size_t rest = grid.rows > 3 ? grid.rows - 3 : 0, step = (rest + SAMPLED_ROWS - 1) / SAMPLED_ROWS;
  for (size_t row = 0; row < grid.rows; row += row < 3 ? 1 : step) {
    for (size_t r = 0; r < runs; r++) {
      const size_t at = runs < RUNS ? r * run : (grid.cols - run) * r / (RUNS - 1) / whole * whole;
      add_run(s, c, row, at, least(run, grid.cols - at), row < 3 ? 1 : step, &costs);
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

static MbPredictor choose(const Costs *costs, bool motion, double *bits_a_number) {
  MbPredictor best = {0};
  uint64_t least_cost = UINT64_MAX;
  for (unsigned k = 0; k < (motion ? ALL_ORDERS : ORDERS); k++) {
    const unsigned start = cheapest(costs->start[k]), later = cheapest(costs->later[k]);
    const uint64_t cost = costs->start[k][start] + costs->later[k][later];
    if (cost >= least_cost) continue;
    least_cost = cost;
    best = order_of(k);
    best.start = start;
    best.later = later;
  }
  *bits_a_number = costs->numbers ? (double)least_cost / (double)costs->numbers : 0;
  return best;
}

// A quantum a little below twice the bound leaves room for the rounding of the multiplication back.
static bool quantise(const Source *s, double bound, double *quantum) {
  const MbGrid grid = s->grid;
  *quantum = mb_quantum_of(bound);
  if (!mb_is_quantum(*quantum)) return false;
  for (size_t row = 0; row < grid.rows; row++)
    if (!mb_quantise(grid.cols, s->x + row * grid.stride, *quantum, bound,
                     s->codec->integers + row * grid.cols))
      return false;
  return true;
}

void mb_grid_pack(const double *x, MbGrid grid, double *restrict y) {
  for (size_t row = 0; row < grid.rows; row++, x += grid.stride, y += grid.cols)
    for (size_t i = 0, at = 0; i < grid.cols; i += grid.width, at += grid.step)
      for (size_t k = 0; k < grid.width; k++) y[i + k] = x[at + k];
}

void mb_block_settle(double *x, size_t numbers, double bound) {
  const double quantum = mb_quantum_of(bound);
  if (mb_is_quantum(quantum)) mb_settle(numbers, quantum, bound, x);
}

// Moves the numbers to where they lie one behind the other and may be changed.
static void pack(Source *s) {
  if (s->x == s->codec->settled) return;
  mb_grid_pack(s->x, s->grid, s->codec->settled);
  s->x = s->codec->settled;
  s->grid.stride = s->grid.cols;
  s->grid.step = s->grid.width;
}

static MbBlockChoice decide(Source *s, double bound) {
  MbBlockChoice choice = {.mode = MB_MODE_LOSSLESS};
  if (bound > 0 && quantise(s, bound, &choice.quantum)) {
    choice.mode = MB_MODE_BOUNDED;
    choice.bound = bound;
  } else if (bound > 0) {
    // what the others of the block are must not change what a number decodes to
    pack(s);
    mb_block_settle(s->codec->settled, s->grid.rows * s->grid.cols, bound);
    choice.quantum = 0;
  }
  if (choice.mode != MB_MODE_BOUNDED || !s->grid.cols || s->grid.width > RUN) s->motion = NULL;
  const Costs costs = sample(s, choice);
  double bits = 0;
  choice.predictor = choose(&costs, !!s->motion, &bits);
  // bits without any pattern are left as they are
  if (choice.mode == MB_MODE_LOSSLESS && bits > MB_PATTERNLESS) choice = (MbBlockChoice){.mode = MB_MODE_RAW};
  return choice;
}

// All residuals, zigzagged unless raw; returns them or-ed together.
static uint64_t fill_residuals(const Source *s, const MbBlockChoice *choice) {
  uint64_t all = 0;
  const MbGrid grid = s->grid;
  for (size_t row = 0; row < grid.rows; row++) {
    uint64_t *d = s->codec->residuals + row * grid.cols;
    if (choice->mode == MB_MODE_RAW) {
      memcpy(d, s->x + row * grid.stride, grid.cols * sizeof *d);
      all = UINT64_MAX;
      continue;
    }
    residual_row(s, choice, row, 0, grid.cols, d);
    const unsigned along = row < choice->predictor.time ? choice->predictor.start : choice->predictor.later;
    for (unsigned k = 0; k < along; k++) mb_difference(grid.cols, grid.width, d);
    all |= mb_zigzag(grid.cols, d);
  }
  return all;
}

size_t mb_block_write(MbCodec *codec, MbBlockName name, const MbBlockChoice *choice, size_t numbers,
                      uint64_t all, unsigned char *out) {
  const unsigned width = all ? (unsigned)(71 - __builtin_clzll(all)) / 8 : 0;
  memset(out, 0, MB_TRAJ_BLOCK_HEADER);
  mb_put16(out, (uint16_t)name.id);
  out[2] = (unsigned char)choice->mode;
  out[3] = mb_predictor_byte(choice->predictor);
  out[4] = (unsigned char)width;
  out[5] = (unsigned char)name.part;
  mb_put_double(out + 8, choice->bound);
  mb_put_double(out + 16, choice->quantum);

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

size_t mb_block_encode(MbCodec *codec, MbBlockName name, const double *x, MbGrid grid, double bound,
                       const MbMotion *motion, unsigned char *out) {
  Source source = {codec, x, grid, motion};
  if (grid.step != grid.width) pack(&source);
  const MbBlockChoice choice = decide(&source, bound);
  const uint64_t all = fill_residuals(&source, &choice);
  return mb_block_write(codec, name, &choice, grid.rows * grid.cols, all, out);
}
