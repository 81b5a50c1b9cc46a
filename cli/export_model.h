// `mbsim export` of a scene: as a model in another's format.
#ifndef MB_CLI_EXPORT_MODEL_H
#define MB_CLI_EXPORT_MODEL_H

#include "cli/options.h"
#include "io/models/models.h"

MbStatus mb_export_model(const MbArgs *args, MbModelFormat format, MbReport *report);

#endif
