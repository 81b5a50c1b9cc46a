// Records of runs without folders: they read back, whatever a kill has left of others.
#include "core/base/alloc.h"
#include "io/sweep/finished.h"
#include <criterion/criterion.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RUNS = 3000 };

static void id_of(int run, char id[MB_RUN_ID]) { snprintf(id, MB_RUN_ID, "%016x%016x", run * 7919, run); }

static void write_some(const char *folder, int from, int to) {
  const char *const defined[] = {"max(a)", "final(b)"};
  MbReport report = {0};
  MbFinishedFile *file = NULL;
  cr_assert_eq(mb_finished_create(folder, &file, &report), MB_OK);
  for (int run = from; run < to; run++) {
    char id[MB_RUN_ID];
    double values[] = {run, NAN};
    const MbResult r = {.defined = defined, .values = values, .nmeasures = 2, .steps = run, .wall = 0.5};
    id_of(run, id);
    cr_assert_eq(mb_finished_add(file, id, &r, &report), MB_OK);
    if (run % 8 == 7) cr_assert_eq(mb_finished_flush(file, &report), MB_OK);
  }
  cr_assert_eq(mb_finished_flush(file, &report), MB_OK);
  mb_finished_close(file);
}

// How many of the runs are found, each with its own numbers.
static int found(const char *folder) {
  const char *const defined[] = {"final(b)", "max(a)"};
  double values[2];
  MbReport report = {0};
  MbFinished *finished = NULL;
  int n = 0;
  cr_assert_eq(mb_finished_open(folder, &finished, &report), MB_OK);
  for (int run = 0; run < RUNS; run++) {
    char id[MB_RUN_ID];
    bool lacks = true;
    MbResult r = {.defined = defined, .values = values, .nmeasures = 2};
    id_of(run, id);
    if (!mb_finished_find(finished, id, &r, &lacks)) continue;
    cr_assert_not(lacks);
    cr_assert(values[1] == run && isnan(values[0]) && r.steps == run && r.wall == 0.5);
    n++;
  }
  mb_finished_free(finished);
  return n;
}

static void remove_all(const char *folder) {
  char rows[300], path[600];
  snprintf(rows, sizeof rows, "%s/rows", folder);
  DIR *dir = opendir(rows);
  for (const struct dirent *entry; (entry = readdir(dir));) {
    snprintf(path, sizeof path, "%s/%s", rows, entry->d_name);
    unlink(path);
  }
  closedir(dir);
  rmdir(rows);
  rmdir(folder);
}

Test(sweep_finished, records_of_several_files_read_back) {
  char folder[] = "/tmp/mbsim-test-XXXXXX";
  cr_assert(mkdtemp(folder));
  cr_assert_eq(found(folder), 0);
  write_some(folder, 0, 1000);
  write_some(folder, 500, RUNS);
  cr_assert_eq(found(folder), RUNS);
  const char *const other[] = {"max(a)", "min(c)"};
  double values[2];
  bool lacks = false;
  char id[MB_RUN_ID];
  MbResult r = {.defined = other, .values = values, .nmeasures = 2};
  MbReport report = {0};
  MbFinished *finished = NULL;
  id_of(5, id);
  cr_assert_eq(mb_finished_open(folder, &finished, &report), MB_OK);
  cr_assert(mb_finished_find(finished, id, &r, &lacks) && lacks && values[0] == 5);
  cr_assert_not(mb_finished_find(finished, "00000000000000010000000000000000", &r, &lacks));
  mb_finished_free(finished);
  remove_all(folder);
  cr_assert_eq(mb_alloc_live(), 0);
}

// One file of two hundred records, cut off, or with a byte changed: the others are all there.
Test(sweep_finished, a_record_that_is_cut_off_or_damaged_is_as_if_it_were_not_there) {
  enum { COUNT = 200 };
  for (int cut = 0; cut < 2; cut++)
    for (long at = 1; at < 3000; at += 97) {
      char folder[] = "/tmp/mbsim-test-XXXXXX", path[600] = "";
      cr_assert(mkdtemp(folder));
      write_some(folder, 0, COUNT);
      char rows[300];
      snprintf(rows, sizeof rows, "%s/rows", folder);
      DIR *dir = opendir(rows);
      for (const struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.') snprintf(path, sizeof path, "%s/%s", rows, entry->d_name);
      closedir(dir);
      struct stat info;
      cr_assert_eq(stat(path, &info), 0);
      const long size = info.st_size / COUNT;
      if (cut) {
        cr_assert_eq(truncate(path, info.st_size - at), 0);
      } else {
        FILE *file = fopen(path, "r+");
        fseek(file, at, SEEK_SET);
        const int byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(byte ^ 0x55, file);
        fclose(file);
      }
      cr_assert_eq(found(folder), cut ? (info.st_size - at) / size : COUNT - 1, "%s at %ld",
                   cut ? "cut" : "damaged", at);
      write_some(folder, 0, COUNT);
      cr_assert_eq(found(folder), COUNT);
      remove_all(folder);
    }
}
