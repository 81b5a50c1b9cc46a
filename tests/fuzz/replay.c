// Runs a fuzz target on every file, and every file in every folder, that is named; stops where the target
// crashes.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) return perror(path), 1;
  const long size = ftell(file);
  rewind(file);
  // a block of exactly that size, so that a sanitizer sees reading beyond it
  uint8_t *bytes = size >= 0 ? malloc(size ? (size_t)size : 1) : NULL;
  const int bad = !bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size;
  fclose(file);
  if (bad)
    fprintf(stderr, "%s: cannot be read\n", path);
  else
    LLVMFuzzerTestOneInput(bytes, (size_t)size);
  free(bytes);
  return bad;
}

static int replay_folder(const char *path) {
  DIR *dir = opendir(path);
  if (!dir) return perror(path), 1;
  int bad = 0;
  for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
    char file[4096];
    if (e->d_name[0] == '.') continue;
    snprintf(file, sizeof file, "%s/%s", path, e->d_name);
    bad |= replay_file(file);
  }
  closedir(dir);
  return bad;
}

int main(int argc, char **argv) {
  int bad = 0;
  for (int i = 1; i < argc; i++) {
    struct stat stat_of;
    if (stat(argv[i], &stat_of)) {
      perror(argv[i]);
      bad = 1;
    } else {
      bad |= S_ISDIR(stat_of.st_mode) ? replay_folder(argv[i]) : replay_file(argv[i]);
    }
  }
  return bad;
}
