// A folder as the output of an export: files in it appear whole, as every other output.
#ifndef MB_CLI_EXPORT_FOLDER_H
#define MB_CLI_EXPORT_FOLDER_H

#include "cli/output_file.h"
#include "io/export/vtk.h"

typedef struct MbExportFolder {
  const char *path; // of the folder
  bool replace;     // its files may be replaced
  char *name;       // of the file that is being written
  MbOutput output;
} MbExportFolder;

// Makes the folder where nothing is. MB_IO where something else is there, or where it holds files and may not be written into.
MbStatus mb_export_folder_open(MbExportFolder *folder, const char *path, bool replace, MbReport *report);
// The functions by which an export writes into it.
MbFolder mb_export_folder_access(MbExportFolder *folder);

#endif
