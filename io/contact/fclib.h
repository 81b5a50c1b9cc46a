// Contact problems in FCLIB's form, HDF5, by the library itself, which is loaded when such a file is first asked for (fclib.c).
#ifndef MB_IO_FCLIB_H
#define MB_IO_FCLIB_H

#include "io/contact/contact_file.h"

// Tells whether the file's name ends as such files' do: .hdf5 or .h5.
bool mb_fclib_named(const char *path);
// Loads the library. MB_IO with what to install where it is not there.
MbStatus mb_fclib_load(MbReport *report);
// Writes a problem as "local" one, M3DFC(R, V, W, q, s, mu). MB_SCENE where it has what this form has no word for. A file that is there is not
// replaced.
MbStatus mb_fclib_write(const char *path, const char *title, const MbContactProblem *problem,
                        MbReport *report);
// Reads one. Its rows are the contacts', then those that hold both ways. Free what came whatever it returns.
MbStatus mb_fclib_read(MbContactFile *file, const char *path, MbReport *report);

#endif
