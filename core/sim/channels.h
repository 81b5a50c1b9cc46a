// The names of the channels that this version can put into a frame.
#ifndef MB_SIM_CHANNELS_H
#define MB_SIM_CHANNELS_H

#include <stddef.h>

const char *mb_channel_word(size_t i); // NULL after the last one

#endif
