// Contents of the smaller records: MESH, EVNT, CKPT, INDX.
#ifndef MB_IO_TRAJ_SIDE_H
#define MB_IO_TRAJ_SIDE_H

#include "io/trajectory/traj_record.h"
#include "io/trajectory/trajectory.h"

// Each returns the content (free with mb_free), NULL when memory ran out or the sizes overflow.
unsigned char *mb_mesh_pack(const MbTrajMesh *mesh, size_t *size);
unsigned char *mb_event_pack(double time, uint64_t step, const char *text, size_t *size);

// Points into `content`, but for the arrays, which are one new block (*block, free with mb_free).
bool mb_mesh_unpack(const unsigned char *content, size_t size, MbTrajMesh *mesh, void **block,
                    const char **why);
bool mb_event_unpack(const unsigned char *content, size_t size, MbTrajEvent *event);

enum { MB_TRAJ_CHECKPOINT_HEADER = 24 }; // f64 time, u64 step, u64 frames; the bytes follow

// What INDX lists: chunks, and the other records between HEAD and INDX.
typedef struct MbIndex {
  size_t nchunks, chunk_room, nothers, other_room;
  MbTrajChunkInfo *chunks; // (nchunks)
  MbRecord *others;        // (nothers) tag and place
} MbIndex;

void mb_index_free(MbIndex *index);
// False when memory ran out.
bool mb_index_add_chunk(MbIndex *index, const MbTrajChunkInfo *chunk);
bool mb_index_add_other(MbIndex *index, const MbRecord *record);
unsigned char *mb_index_pack(const MbIndex *index, size_t *size);
// Checks that everything lies in order below `end`. *why is set on failure, and index then empty.
bool mb_index_unpack(const unsigned char *content, size_t size, uint64_t end, MbIndex *index,
                     const char **why);
uint64_t mb_index_frames(const MbIndex *index); // last frame of the last chunk, plus one

#endif
