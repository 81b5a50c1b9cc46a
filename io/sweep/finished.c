// Records of finished runs: they are appended, found again by their names, and left out where they are cut off.
#include "io/sweep/finished.h"
#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static const char MAGIC[8] = "mbrow 1";

// One record: this, then what each measure is (a hash of its text) and comes to.
typedef struct Head {
  char magic[8];
  uint32_t size, check; // of the whole record; CRC-32 of what is behind this
  uint64_t id[2];
  double energy_drift, steps_per_second, wall;
  int64_t steps;
  uint64_t nmeasures;
} Head;

// Of each measure; behind them stands the message, without an end.
typedef struct Value {
  uint64_t what;
  double value;
} Value;

enum { MOST_MEASURES = 100000 };

// Where the record of a run is.
typedef struct Place {
  uint64_t id[2], offset : 40, file : 24;
  uint32_t size; // 0: empty
} Place;

struct MbFinished {
  int *files; // (nfiles)
  size_t nfiles, room;
  Place *places; // (slots) by open addressing; slots is a power of two
  size_t slots, used;
  bool folders;
  char *record; // (record_room)
  size_t record_room;
};

static uint64_t hash_of(const char *text) {
  MbHash hash;
  mb_hash_begin(&hash);
  mb_hash_text(&hash, text);
  return hash.a;
}

static bool read_id(const char *id, uint64_t out[2]) {
  char half[17] = "";
  if (strlen(id) != 32) return false;
  for (int i = 0; i < 2; i++) {
    char *end = NULL;
    memcpy(half, id + (size_t)16 * (size_t)i, 16);
    out[i] = strtoull(half, &end, 16);
    if (*end) return false;
  }
  return true;
}

static uint32_t check_of(const Head *head, size_t size) {
  const size_t skip = offsetof(Head, id);
  return (uint32_t)crc32(0, (const Bytef *)head + skip, (uInt)(size - skip));
}

// ---- the list -----------------------------------------------------------------------------------------------

static Place *place_of(const MbFinished *f, const uint64_t id[2]) {
  size_t at = (size_t)id[0] & (f->slots - 1);
  while (f->places[at].size && (f->places[at].id[0] != id[0] || f->places[at].id[1] != id[1]))
    at = (at + 1) & (f->slots - 1);
  return &f->places[at];
}

static bool make_slots(MbFinished *f, size_t slots) {
  MbFinished grown = *f;
  grown.places = mb_calloc(slots, sizeof *grown.places);
  grown.slots = slots;
  if (!grown.places) return false;
  for (size_t i = 0; i < f->slots; i++)
    if (f->places[i].size) *place_of(&grown, f->places[i].id) = f->places[i];
  mb_free(f->places);
  *f = grown;
  return true;
}

// Later records count.
static bool note(MbFinished *f, const Head *head, uint32_t file, uint64_t offset) {
  if (4 * (f->used + 1) > 3 * f->slots && !make_slots(f, 2 * f->slots)) return false;
  Place *place = place_of(f, head->id);
  f->used += !place->size;
  *place = (Place){.id = {head->id[0], head->id[1]}, .size = head->size};
  place->offset = offset & ((UINT64_C(1) << 40) - 1);
  place->file = file & 0xffffff;
  return true;
}

static bool is_sound(const Head *head, size_t there) {
  if (there < sizeof *head || memcmp(head->magic, MAGIC, sizeof MAGIC) != 0) return false;
  const size_t least = sizeof *head + head->nmeasures * sizeof(Value);
  return head->nmeasures <= MOST_MEASURES && head->size >= least && head->size - least < MB_RESULT_MESSAGE;
}

// Takes the records of a file in. What is cut off or damaged is passed over, up to the next record.
static bool read_file(MbFinished *f, int file, uint32_t number) {
  enum { ROOM = 1 << 20 };
  char *buffer = mb_calloc(ROOM + sizeof(uint64_t), 1);
  uint64_t offset = 0; // of the buffer's beginning in the file
  size_t length = 0, at = 0;
  bool fine = buffer;
  for (ssize_t n = 1; fine;) {
    Head head;
    const size_t there = length - at;
    if (there >= sizeof head) memcpy(&head, buffer + at, sizeof head);
    const bool sound = there >= sizeof head && is_sound(&head, there) && head.size <= ROOM;
    const bool whole = sound && there >= head.size;
    if (n > 0 && (there < sizeof head || (sound && !whole))) { // more of the file
      memmove(buffer, buffer + at, there);
      offset += at, length = there, at = 0;
      n = pread(file, buffer + length, ROOM - length, (off_t)(offset + length));
      if (n > 0) length += (size_t)n;
      continue;
    }
    if (there < sizeof head) break;
    Head *record = whole ? (Head *)mb_calloc(head.size, 1) : NULL;
    if (record) memcpy(record, buffer + at, head.size);
    const bool good = record && check_of(record, head.size) == head.check;
    mb_free(record);
    if (good) fine = note(f, &head, number, offset + at);
    at += good ? head.size : 1;
  }
  mb_free(buffer);
  return fine;
}

static bool add_file(MbFinished *f, int file) {
  if (!mb_grow(&f->files, &f->room, f->nfiles + 1, sizeof *f->files)) {
    close(file);
    return false;
  }
  f->files[f->nfiles] = file;
  return read_file(f, file, (uint32_t)f->nfiles++);
}

static bool is_rows(const char *name) {
  const size_t n = strlen(name);
  return n > 5 && !strcmp(name + n - 5, ".rows");
}

static bool has_entries(const char *path) {
  DIR *dir = opendir(path);
  bool some = false;
  for (const struct dirent *entry; dir && !some && (entry = readdir(dir));) some = entry->d_name[0] != '.';
  if (dir) closedir(dir);
  return some;
}

bool mb_finished_folders(const MbFinished *f) { return f->folders; }

MbStatus mb_finished_open(const char *folder, MbFinished **out, MbReport *report) {
  char path[PATH_MAX], name[PATH_MAX + 300];
  *out = NULL;
  MbFinished *f = mb_calloc(1, sizeof *f);
  bool fine = f && make_slots(f, 1024);
  snprintf(path, sizeof path, "%s/rows", folder);
  DIR *dir = opendir(path);
  for (const struct dirent *entry; fine && dir && (entry = readdir(dir));) {
    if (!is_rows(entry->d_name)) continue;
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file >= 0) fine = add_file(f, file);
  }
  if (dir) closedir(dir);
  if (!fine) {
    mb_finished_free(f);
    return mb_no_memory(report, "the list of runs");
  }
  snprintf(path, sizeof path, "%s/runs", folder);
  f->folders = has_entries(path);
  *out = f;
  return MB_OK;
}

void mb_finished_free(MbFinished *f) {
  if (!f) return;
  for (size_t i = 0; i < f->nfiles; i++) close(f->files[i]);
  mb_free(f->files);
  mb_free(f->places);
  mb_free(f->record);
  mb_free(f);
}

bool mb_finished_find(MbFinished *f, const char *id, MbResult *r, bool *lacks) {
  uint64_t key[2];
  *lacks = false;
  if (!read_id(id, key)) return false;
  const Place place = *place_of(f, key);
  if (!place.size || !mb_grow(&f->record, &f->record_room, place.size, 1)) return false;
  if (pread(f->files[place.file], f->record, place.size, (off_t)place.offset) != (ssize_t)place.size)
    return false;
  Head head;
  memcpy(&head, f->record, sizeof head);
  mb_result_clear(r, MB_OUT_OK);
  r->energy_drift = head.energy_drift, r->steps = head.steps;
  r->steps_per_second = head.steps_per_second, r->wall = head.wall;
  for (size_t i = 0; i < r->nmeasures; i++) {
    const uint64_t what = hash_of(r->defined[i]);
    bool found = false;
    for (size_t k = 0; k < head.nmeasures && !found; k++) {
      Value value;
      memcpy(&value, f->record + sizeof head + k * sizeof value, sizeof value);
      found = value.what == what;
      if (found) r->values[i] = value.value;
    }
    *lacks |= !found;
  }
  const size_t values = sizeof head + head.nmeasures * sizeof(Value);
  memcpy(r->message, f->record + values, place.size - values);
  r->message[place.size - values] = 0;
  return true;
}

// ---- writing ------------------------------------------------------------------------------------------------

struct MbFinishedFile {
  int file;
  char *bytes; // not written yet
  size_t length, room;
  char path[PATH_MAX];
};

MbStatus mb_finished_create(const char *folder, MbFinishedFile **out, MbReport *report) {
  enum { TRIES = 1000 };
  char host[64] = "", rows[PATH_MAX];
  MbFinishedFile *f = mb_calloc(1, sizeof *f);
  *out = NULL;
  if (!f) return mb_no_memory(report, "a sweep");
  gethostname(host, sizeof host - 1);
  if (snprintf(rows, sizeof rows, "%s/rows", folder) >= (int)sizeof rows - 100) errno = ENAMETOOLONG;
  f->file = -1;
  if (!mkdir(rows, 0777) || errno == EEXIST)
    for (int k = 0; f->file < 0 && k < TRIES; k++) {
      const int n = snprintf(f->path, sizeof f->path, "%s/%s.%ld.%d.rows", rows, host, (long)getpid(), k);
      if (n < 0 || (size_t)n >= sizeof f->path) break;
      f->file = open(f->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
      if (f->file < 0 && errno != EEXIST) break;
    }
  if (f->file < 0) {
    const MbStatus status = mb_error(report, MB_IO, "", "cannot write into %s: %s", rows, strerror(errno));
    mb_free(f);
    return status;
  }
  *out = f;
  return MB_OK;
}

MbStatus mb_finished_add(MbFinishedFile *f, const char *id, const MbResult *r, MbReport *report) {
  const size_t values = sizeof(Head) + r->nmeasures * sizeof(Value), length = strlen(r->message),
               size = values + length;
  if (r->nmeasures > MOST_MEASURES || !mb_grow(&f->bytes, &f->room, f->length + size, 1))
    return mb_no_memory(report, "a result");
  char *const at = f->bytes + f->length;
  Head *head = mb_calloc(size, 1);
  if (!head) return mb_no_memory(report, "a result");
  *head = (Head){.size = (uint32_t)size,
                 .energy_drift = r->energy_drift,
                 .steps_per_second = r->steps_per_second,
                 .wall = r->wall,
                 .steps = r->steps,
                 .nmeasures = r->nmeasures};
  memcpy(head->magic, MAGIC, sizeof MAGIC);
  read_id(id, head->id);
  for (size_t i = 0; i < r->nmeasures; i++) {
    const Value value = {hash_of(r->defined[i]), r->values[i]};
    memcpy((char *)head + sizeof *head + i * sizeof value, &value, sizeof value);
  }
  memcpy((char *)head + values, r->message, length);
  head->check = check_of(head, size);
  memcpy(at, head, size);
  mb_free(head);
  f->length += size;
  return MB_OK;
}

MbStatus mb_finished_flush(MbFinishedFile *f, MbReport *report) {
  for (size_t at = 0; at < f->length;) {
    const ssize_t n = write(f->file, f->bytes + at, f->length - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      return mb_error(report, MB_IO, "", "cannot write %s: %s", f->path, strerror(n ? errno : ENOSPC));
    at += (size_t)n;
  }
  f->length = 0;
  return MB_OK;
}

void mb_finished_close(MbFinishedFile *f) {
  if (!f) return;
  struct stat info;
  if (!fstat(f->file, &info) && !info.st_size) unlink(f->path);
  close(f->file);
  mb_free(f->bytes);
  mb_free(f);
}
