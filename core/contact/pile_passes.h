// The passes of pile.h for one kind of processor: the table MB_PILE_TABLE of a file that defines it, MB_PILE_NAME and MB_PACK, and includes
// this.
#include "core/contact/pile_part.h"
#include "core/contact/pile_sweep.h"
#include "core/contact/pile_take.h"

const MbPilePasses MB_PILE_TABLE = {MB_PILE_NAME, take, again, push, sweep, last, glance, look, move, part};
