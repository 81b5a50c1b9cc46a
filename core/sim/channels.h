// The names of the channels that this version can put into a frame.
#ifndef MB_SIM_CHANNELS_H
#define MB_SIM_CHANNELS_H

#include "core/sim/channel_weights.h"
#include "core/sim/sim_internal.h"

// Makes the frame's channels, those that the scene asks for.
MbStatus mb_channels_build(MbSim *sim, MbReport *report);
// How many numbers a channel has in a frame.
static inline size_t mb_channel_size(const MbChannel *channel) { return channel->items * channel->width; }
// Writes the names of the channels that a column of that name may be of, those with one of its parts, quoted; "" where there are none.
void mb_channels_like(const char *column, char *out, size_t room);

// Adds what the weights of the frame's numbers come to, of channels that tell so (channel_weights.h). `left` (frame size) ← the weights of the
// others. Returns whether there are none.
bool mb_sim_weigh(const MbSim *sim, const double *weights, MbWeighed *to, double *left);
// Tells whether that number of a frame is of such a channel.
bool mb_sim_weighs(const MbSim *sim, size_t column);
// Returns the sum of the weighed numbers of such channels, with the bodies' motion that the simulation has, of what a model like its own says
// of them. `frame` is scratch.
double mb_sim_weighed(const MbSim *sim, const MbModel *model, const double *weights, double *frame);

#endif
