// What the numbers of a frame are called, as columns of a table.
#ifndef MB_IO_COLUMN_NAME_H
#define MB_IO_COLUMN_NAME_H

#include "core/mbsim.h"
#include "io/json/json_text.h"

// Appends the name of number `k` of a channel, as CSV has it (io/export/export.h).
void mb_column_name(MbText *name, const MbChannel *channel, size_t k);
// The same in the order of the channel's own name: "joint.position.bob", "body.position.bob.x".
void mb_column_full_name(MbText *name, const MbChannel *channel, size_t k);

#endif
