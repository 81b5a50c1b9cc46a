// Exporting frames of a trajectory to formats that other programs read. Frames that are missing are left out.
#ifndef MB_IO_EXPORT_H
#define MB_IO_EXPORT_H

#include "io/trajectory/trajectory.h"
#include <stdio.h>

// csv: one line of names, one line a frame. Names with a comma, a quote or a line break are quoted (RFC
// 4180). Numbers have as few digits as read back to the same double; "nan", "inf", "-inf". Columns:
//   time
//   <item>.<last part of the channel>.<component>   items with names: "crate.position.x", "crate.velocity.wx"
//   <item>.joint.position[.<component>]             joint.*: the whole channel; the component where there are more
//   <channel>.<component>                           channels of one thing: "energy.total", "momentum.lx"
//   <name>.<index>.<component>                      deformable.<name>.position: "cloth.17.x"
//   <name>.<index>.<last part>.<component>          other channels of deformables: "cloth.17.velocity.x"
//   <channel>.<index>.<component>                   other items without names
// An empty component name is left out with its point; components without names count from 0.
//
// A channel with a list has the column of its count. Where it alone is chosen, the table is of its entries, a line each: time and the
// fields of the list, with words for numbers that stand for such; a frame without entries has no line.
//
// npz: as numpy.savez writes it: `time` (frames), one array of doubles a channel, named as the channel, of
// shape (frames, items, width), or (frames, width) where the channel is of one thing without a name; and
// `header.json`, bytes of a JSON text (below). Members are stored, not packed. The trajectory is read once
// for each channel.
//
// A channel with a list is the array of its counts, beside it `<channel>.entries` of shape (entries of all frames, fields):
// numpy.split(entries, numpy.cumsum(counts)[:-1]) are those of each frame.
//
// json: one JSON object a line. First the header:
//   {"mbsim_export": 1, "frames": n, "step": s, "nonfinite": "null",
//    "missing": [[first, last], ...],    where the trajectory lacks frames: their numbers in it
//    "channels": [{"name", "unit", "rotation", "items": [names] or a count, "components": [names]}, ...]}
//    a channel with a list also has "list": {"keys": n, "fields": [{"name", "unit", "words"}, ...]}
// then one for each frame: {"time": t, "body.position": [[x, y, z], ...], "energy": [...]}, nested as in npz; of a list an
// array of its entries, each an array of the fields' numbers.
// JSON has no NaN and no infinity: both become null.

// glb: glTF 2.0. Bodies are nodes with keys of translation and rotation, deformables meshes with a morph target for each of at most
// `most_targets` frames, evenly chosen; z is up for programs that turn glTF's y up. The channels' names do not matter.

typedef enum MbExportFormat {
  MB_EXPORT_CSV,
  MB_EXPORT_NPZ,
  MB_EXPORT_JSON,
  MB_EXPORT_GLB,
  MB_EXPORT_VTK, // a folder of files: mb_export_vtk
  MB_EXPORTS
} MbExportFormat;
extern const char *const mb_export_words[MB_EXPORTS + 1];

typedef struct MbExportOptions {
  MbExportFormat format;
  const char *const *channels; // (nchannels) names; NULL = all
  size_t nchannels;
  size_t most_targets;         // glb
  int64_t first, last, stride; // frames a:b:c as in Python (negative counts from the end); last exclusive,
                               // INT64_MAX = to the end. With a negative stride (frames backwards) an open
                               // first is INT64_MAX, an open last INT64_MAX or INT64_MIN. 0 is refused.
} MbExportOptions;

// MB_USAGE (no such channel, stride 0) before anything is written, MB_IO (cannot read or write, or every chosen
// frame is missing).
// Writes to `out`, which may be a pipe for csv and json; npz needs no seeking either.
MbStatus mb_export(MbTraj *traj, const MbExportOptions *options, FILE *out, MbReport *report);

#endif
