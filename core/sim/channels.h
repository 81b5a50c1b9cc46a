// The names of the channels that this version can put into a frame.
#ifndef MB_SIM_CHANNELS_H
#define MB_SIM_CHANNELS_H

#include "core/sim/sim_internal.h"

// Makes the frame's channels, those that the scene asks for.
MbStatus mb_channels_build(MbSim *sim, MbReport *report);
// How many numbers a channel has in a frame.
static inline size_t mb_channel_size(const MbChannel *channel) { return channel->items * channel->width; }
// The name of the channel of this number; NULL after the last one.
const char *mb_channel_word(size_t i);

#endif
