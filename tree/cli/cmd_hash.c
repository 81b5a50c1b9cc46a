#include "cli/console.h"
#include "cli/file_kind.h"
#include "cli/options.h"
#include "io/trajectory/trajectory.h"

#include <limits.h>

static MbStatus hash_one(const char *path, bool partial) {
  MbReport report = {0};
  MbTraj *traj = NULL;
  char hex[33];
  MbStatus status = mb_file_want_trajectory(path, &report);
  if (!status) status = mb_traj_open(path, &traj, &report);
  if (!status) status = mb_file_want_whole(traj, partial, &report);
  if (!status) status = mb_traj_hash(traj, hex, &report);
  mb_traj_free(traj);
  mb_console_report(stderr, &report);
  if (!status) printf("%s  %s\n", hex, path);
  return status;
}

static MbStatus run(const MbArgs *args) {
  MbStatus status = MB_OK;
  for (size_t i = 0; i < args->noperands; i++) {
    const MbStatus one = hash_one(args->operands[i], mb_arg_given(args, "partial"));
    if (one > status) status = one;
  }
  return status;
}

static const MbOption options[] = {MB_PARTIAL_OPTION};

const MbCommand mb_command_hash = {
    .name = "hash",
    .operands = "FILE...",
    .least = 1,
    .most = INT_MAX,
    .summary = "print the hash of what trajectories hold",
    .details =
        "Prints a hash of the decoded content of each FILE: channels, times, numbers, meshes. "
        "Provenance, the "
        "division into chunks and wall times do not count: the same simulation has the same hash on "
        "any number "
        "of threads. Like sha256sum, one line a file. A file that was cut off has no hash (exit 5), unless "
        "--partial asks for that of its frames. Of several the exit status is the worst.",
    .noptions = sizeof options / sizeof *options,
    .options = options,
    .run = run,
};
