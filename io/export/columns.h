// The numbers of a channel one by one: names as the columns of csv have them, and units.
#ifndef MB_IO_COLUMNS_H
#define MB_IO_COLUMNS_H

#include "core/mbsim.h"
#include "io/json/json_text.h"

// Number `column` of the channel in a frame, item by item. The text that was there before is replaced.
void mb_column_name(MbText *name, const MbChannel *channel, size_t column);
// Channels list the units of their components in order: of two units and six components the first three have the first.
void mb_column_unit(MbText *unit, const MbChannel *channel, size_t column);

#endif
