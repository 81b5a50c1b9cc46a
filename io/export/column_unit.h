// The unit of one number of a channel.
#ifndef MB_IO_COLUMN_UNIT_H
#define MB_IO_COLUMN_UNIT_H

#include "core/mbsim.h"
#include "io/json/json_text.h"

// Adds that of number `column` of the channel in a frame, item by item. Channels list the units of their components in order: of two units
// and six components the first three have the first.
void mb_column_unit(MbText *unit, const MbChannel *channel, size_t column);

#endif
