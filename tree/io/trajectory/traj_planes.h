// One byte plane: stored raw, by zlib or as a constant, whichever is worth it.
#ifndef MB_IO_TRAJ_PLANES_H
#define MB_IO_TRAJ_PLANES_H

#include "io/trajectory/traj_codec.h"
#include <zlib.h>

typedef struct MbSqueezer {
  z_stream z;
  bool encoding, begun;
  int strategy; // that deflating is set to
} MbSqueezer;

// False when memory ran out.
bool mb_squeezer_begin(MbSqueezer *squeezer, bool encoding);
void mb_squeezer_end(MbSqueezer *squeezer);

// Writes plane (n) to `out`, which has room for n bytes, and says how.
MbPlaneKind mb_plane_put(MbSqueezer *squeezer, const unsigned char *plane, size_t n, unsigned char *out,
                         uint32_t *length);
// Bytes of the plane: the stored ones, or `scratch` (n) filled. NULL when the data are not sane.
const unsigned char *mb_plane_get(MbSqueezer *squeezer, const MbPlane *plane, size_t n,
                                  unsigned char *scratch);

#endif
