// The state as bytes, little endian: a header, then sections by name, each with the number of its numbers, then these. A section may have
// another length from step to step; empty ones are left out. Restoring takes a checkpoint whole or not at all.
#include "core/base/report.h"
#include "core/sim/evaluate.h"
#include "core/sim/nodes_away.h"
#include "core/sim/restore_of.h"
#include "core/sim/sensitivity_axes.h"
#include "core/sim/touch.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "checkpoints are written as they lie in memory");

static const char MAGIC[8] = "mbstate3";

const char *const mb_section_words[MB_SECTIONS] = {[MB_SECTION_SCHEME] = "scheme",
                                                   [MB_SECTION_NODES] = "nodes",
                                                   [MB_SECTION_SOLUTION] = "solution",
                                                   [MB_SECTION_DUAL] = "dual",
                                                   [MB_SECTION_CRUSHED] = "crushed",
                                                   [MB_SECTION_WATCH] = "watch",
                                                   [MB_SECTION_LINEAR] = "linear",
                                                   [MB_SECTION_WARNED] = "warned",
                                                   [MB_SECTION_GAPS] = "gaps",
                                                   [MB_SECTION_FREEDOM] = "freedom",
                                                   [MB_SECTION_CLOSURES] = "closures",
                                                   [MB_SECTION_LATCHED_BEFORE] = "held before",
                                                   [MB_SECTION_LATCHED] = "held",
                                                   [MB_SECTION_CONTACT] = "contact work",
                                                   [MB_SECTION_FRICTION] = "friction work",
                                                   [MB_SECTION_LOADS] = "loads",
                                                   [MB_SECTION_TOLD] = "solved",
                                                   [MB_SECTION_FORCES] = "forces"};

typedef struct Header {
  char magic[8];
  uint64_t fingerprint, sections;
  int64_t step;
  double t;
} Header;

typedef struct Section {
  char name[24];
  uint64_t count; // of its numbers
} Section;

// ---- what a section holds -----------------------------------------------------------------------------------

// A checkpoint need not be aligned.
static double number_at(const unsigned char *p, size_t i) {
  double x;
  memcpy(&x, p + i * sizeof x, sizeof x);
  return x;
}

// Inputs that were given values from outside: pairs of number and value.
static size_t count_inputs(const MbSim *sim) {
  size_t n = 0;
  for (size_t i = 0; i < sim->model->nsignals; i++) n += isnan(sim->input[i]) ? 0 : 1;
  return 2 * n;
}

static void write_inputs(const MbSim *sim, unsigned char *out) {
  for (size_t i = 0; i < sim->model->nsignals; i++) {
    const double pair[2] = {(double)i, sim->input[i]};
    if (isnan(pair[1])) continue;
    memcpy(out, pair, sizeof pair);
    out += sizeof pair;
  }
}

static bool inputs_fit(const MbSim *sim, const unsigned char *p, size_t count) {
  if (count % 2) return false;
  for (size_t i = 0; i < count; i += 2) {
    const double place = number_at(p, i);
    if (!(place >= 0 && place < (double)sim->model->nsignals) || place != floor(place)) return false;
    if (!isfinite(number_at(p, i + 1))) return false;
  }
  return true;
}

static void read_inputs(MbSim *sim, const unsigned char *p, size_t count) {
  for (size_t i = 0; i < sim->model->nsignals; i++) sim->input[i] = NAN;
  for (size_t i = 0; i < count; i += 2) sim->input[(size_t)number_at(p, i)] = number_at(p, i + 1);
  mb_sim_hold_signals(sim);
}

// One section: numbers that lie in the state as they are, always as many, or functions that write and read them.
typedef struct Part {
  const char *name;
  double *numbers;
  size_t count;
  bool from_nothing; // a checkpoint may lack them, as those of versions that knew them not: they are 0 then
  bool (*fit)(const MbSim *sim, const unsigned char *p, size_t count); // NULL: exactly `count` of them
  void (*write)(const MbSim *sim, unsigned char *out);
  void (*read)(MbSim *sim, const unsigned char *p, size_t count);
} Part;

enum { OTHERS = 5, PARTS = OTHERS + MB_SECTIONS };

static Part part_of(const MbSim *sim, size_t i) {
  switch (i) {
  case 0:
    return (Part){.name = "q", .numbers = sim->state.q, .count = sim->nq};
  case 1:
    return (Part){.name = "v", .numbers = sim->state.v, .count = sim->nv};
  case 2:
    return (Part){.name = "inputs",
                  .count = count_inputs(sim),
                  .fit = inputs_fit,
                  .write = write_inputs,
                  .read = read_inputs};
  case 3:
    return (Part){.name = "contacts",
                  .count = mb_touch_numbers(sim),
                  .fit = mb_touch_fits,
                  .write = mb_touch_write,
                  .read = mb_touch_read};
  case 4:
    return (Part){.name = "impacts",
                  .count = mb_impacts_numbers(sim),
                  .fit = mb_impacts_fit,
                  .write = mb_impacts_write,
                  .read = mb_impacts_read};
  default:
    break;
  }
  const MbSection s = (MbSection)(i - OTHERS);
  return (Part){.name = mb_section_words[s],
                .numbers = mb_section(sim, s),
                .from_nothing = s == MB_SECTION_WARNED,
                .count = sim->section[s + 1] - sim->section[s]};
}

// ---- writing ------------------------------------------------------------------------------------------------

size_t mb_sim_checkpoint_size(const MbSim *sim) {
  size_t size = sizeof(Header);
  for (size_t i = 0; i < PARTS; i++) {
    const size_t count = part_of(sim, i).count;
    if (count) size += sizeof(Section) + count * sizeof(double);
  }
  return size;
}

void mb_sim_checkpoint(const MbSim *sim, void *bytes) {
  (void)mb_away_come(sim);
  Header header = {.fingerprint = sim->model->fingerprint, .step = sim->state.step, .t = sim->state.t};
  unsigned char *p = (unsigned char *)bytes + sizeof header;
  memcpy(header.magic, MAGIC, sizeof MAGIC);
  for (size_t i = 0; i < PARTS; i++) {
    const Part part = part_of(sim, i);
    Section section = {.count = part.count};
    if (!part.count) continue;
    strncpy(section.name, part.name, sizeof section.name - 1);
    memcpy(p, &section, sizeof section);
    p += sizeof section;
    if (part.write)
      part.write(sim, p);
    else
      memcpy(p, part.numbers, part.count * sizeof *part.numbers);
    p += part.count * sizeof(double);
    header.sections++;
  }
  memcpy(bytes, &header, sizeof header);
}

// ---- reading ------------------------------------------------------------------------------------------------

// Where each part's numbers stand in the checkpoint; NULL: it has no such section.
typedef struct Found {
  const unsigned char *at[PARTS];
  size_t count[PARTS];
} Found;

static MbStatus refuse(MbReport *report, const char *why) {
  return mb_error(report, MB_USAGE, "", "the checkpoint %s", why);
}

static MbStatus check_header(const MbModel *of, const Header *header, size_t size, MbReport *report) {
  const size_t known = size < sizeof MAGIC ? size : sizeof MAGIC;
  if (memcmp(header->magic, MAGIC, known) != 0)
    return refuse(report, "is none of this version of mbsim, or damaged: its first bytes are others");
  if (size < sizeof *header) return refuse(report, "is cut off within its first bytes");
  if (header->fingerprint != of->fingerprint || header->step < 0 || !isfinite(header->t))
    return refuse(report, "does not belong to this model: another scene made it");
  return MB_OK;
}

static MbStatus take_section(const MbSim *sim, const Section *section, const unsigned char *at, Found *found,
                             MbReport *report) {
  for (size_t i = 0; i < PARTS; i++) {
    const Part part = part_of(sim, i);
    if (strcmp(part.name, section->name) != 0) continue;
    if (found->at[i]) return mb_error(report, MB_USAGE, "", "the checkpoint has \"%s\" twice", part.name);
    if (!part.fit && section->count != part.count)
      return mb_error(report, MB_USAGE, "",
                      "the checkpoint has %llu numbers of \"%s\", this model has %zu: another scene made it",
                      (unsigned long long)section->count, part.name, part.count);
    found->at[i] = at;
    found->count[i] = (size_t)section->count;
    return MB_OK;
  }
  return mb_error(report, MB_USAGE, "",
                  "the checkpoint has \"%.23s\", which this version of mbsim does not know", section->name);
}

// Finds all sections; they are one behind the other and end where the checkpoint does.
static MbStatus find_sections(const MbSim *sim, const unsigned char *p, size_t left, uint64_t sections,
                              Found *found, MbReport *report) {
  for (uint64_t n = 0; n < sections; n++) {
    Section section;
    if (left < sizeof section) return refuse(report, "is cut off: sections are missing");
    memcpy(&section, p, sizeof section);
    p += sizeof section, left -= sizeof section;
    section.name[sizeof section.name - 1] = 0;
    if (section.count > left / sizeof(double))
      return mb_error(report, MB_USAGE, "", "the checkpoint is cut off: it ends within \"%s\"", section.name);
    const MbStatus status = take_section(sim, &section, p, found, report);
    if (status != MB_OK) return status;
    p += section.count * sizeof(double), left -= section.count * sizeof(double);
  }
  return left ? refuse(report, "goes on behind its last section") : MB_OK;
}

// What is missing, and numbers that their owner cannot read.
static MbStatus check_found(const MbSim *sim, const Found *found, MbReport *report) {
  for (size_t i = 0; i < PARTS; i++) {
    const Part part = part_of(sim, i);
    if (!found->at[i] && part.count && !part.fit && !part.from_nothing)
      return mb_error(report, MB_USAGE, "", "the checkpoint lacks \"%s\": another scene made it", part.name);
    if (found->at[i] && part.fit && !part.fit(sim, found->at[i], found->count[i]))
      return mb_error(report, MB_USAGE, "", "the checkpoint has \"%s\" that make no sense for this model",
                      part.name);
  }
  return MB_OK;
}

MbStatus mb_sim_restore(MbSim *sim, const void *bytes, size_t size, MbReport *report) {
  return mb_sim_restore_of(sim, sim->model, bytes, size, report);
}

MbStatus mb_sim_restore_of(MbSim *sim, const MbModel *of, const void *bytes, size_t size, MbReport *report) {
  Header header = {{0}, 0, 0, 0, 0};
  Found found = {{NULL}, {0}};
  memcpy(&header, bytes, size < sizeof header ? size : sizeof header);
  MbStatus status = check_header(of, &header, size, report);
  if (status == MB_OK)
    status = find_sections(sim, (const unsigned char *)bytes + sizeof header, size - sizeof header,
                           header.sections, &found, report);
  if (status == MB_OK) status = check_found(sim, &found, report);
  if (status != MB_OK) return status;

  mb_away_changed(sim);
  sim->state.step = header.step;
  sim->state.t = header.t;
  for (size_t i = 0; i < PARTS; i++) {
    const Part part = part_of(sim, i);
    if (part.read)
      part.read(sim, found.at[i], found.count[i]);
    else if (found.at[i])
      memcpy(part.numbers, found.at[i], found.count[i] * sizeof *part.numbers);
    else if (part.from_nothing)
      memset(part.numbers, 0, part.count * sizeof *part.numbers);
  }
  if (of != sim->model) mb_axes_adopt(sim, of);
  mb_sim_kinematics(sim, sim->state.q, sim->state.v);
  return MB_OK;
}
