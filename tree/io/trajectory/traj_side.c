#include "io/trajectory/traj_side.h"
#include "core/base/alloc.h"

#include <math.h>

// MESH := u32 name, u32 body (lengths, with a 0 each; body 0 = none), u32 nv, u32 ne, u32 corners, u32 0,
// texts,
//         zeros up to a multiple of 8, f64 vertex[3 nv], u32 element[ne corners]
enum { MESH_HEADER = 24 };

unsigned char *mb_mesh_pack(const MbTrajMesh *m, size_t *size) {
  const size_t name = strlen(m->name) + 1, body = m->body ? strlen(m->body) + 1 : 0;
  if (name + body > 1 << 20) return NULL;
  const size_t texts = (size_t)mb_pad8(name + body);
  *size = MESH_HEADER + texts + 24 * (size_t)m->nv + 4 * (size_t)m->ne * m->corners;
  if (*size > MB_TRAJ_RAW_MAX) return NULL;
  unsigned char *p = mb_calloc(*size, 1);
  if (!p) return NULL;
  const uint32_t header[5] = {(uint32_t)name, (uint32_t)body, m->nv, m->ne, m->corners};
  for (size_t k = 0; k < 5; k++) mb_put32(p + 4 * k, header[k]);
  memcpy(p + MESH_HEADER, m->name, name);
  if (body) memcpy(p + MESH_HEADER + name, m->body, body);
  unsigned char *at = p + MESH_HEADER + texts;
  for (size_t i = 0; i < 3 * (size_t)m->nv; i++, at += 8) mb_put_double(at, m->vertex[i]);
  for (size_t i = 0; i < (size_t)m->ne * m->corners; i++, at += 4) mb_put32(at, m->element[i]);
  return p;
}

bool mb_mesh_unpack(const unsigned char *p, size_t size, MbTrajMesh *m, void **block, const char **why) {
  *why = "does not have the size that its header says";
  if (size < MESH_HEADER) return false;
  const uint32_t name = mb_get32(p), body = mb_get32(p + 4);
  *m = (MbTrajMesh){.nv = mb_get32(p + 8), .ne = mb_get32(p + 12), .corners = mb_get32(p + 16)};
  if (m->corners > 4 || name > size || body > size || !name || mb_get32(p + 20)) return false;
  const size_t texts = (size_t)mb_pad8((uint64_t)name + body), nv = m->nv,
               corners = (size_t)m->ne * m->corners;
  if (size != MESH_HEADER + texts + 24 * nv + 4 * corners) return false;
  const char *text = (const char *)p + MESH_HEADER;
  if (text[name - 1] || (body && text[name + body - 1])) return false;
  m->name = text;
  m->body = body ? text + name : NULL;

  double *vertex = mb_calloc(24 * nv + 4 * corners, 1);
  if (!vertex) return *why = "does not fit in memory", false;
  uint32_t *element = (uint32_t *)(void *)(vertex + 3 * nv);
  const unsigned char *at = p + MESH_HEADER + texts;
  for (size_t i = 0; i < 3 * nv; i++, at += 8) vertex[i] = mb_get_double(at);
  for (size_t i = 0; i < corners; i++, at += 4) {
    element[i] = mb_get32(at);
    if (element[i] < m->nv) continue;
    mb_free(vertex);
    return *why = "has an element whose corner is no vertex", false;
  }
  m->vertex = vertex;
  m->element = element;
  *block = vertex;
  return true;
}

// EVNT := f64 time, u64 step, text with a 0
unsigned char *mb_event_pack(double time, uint64_t step, const char *text, size_t *size) {
  const size_t n = strlen(text) + 1;
  *size = 16 + n;
  unsigned char *p = mb_calloc(*size, 1);
  if (!p) return NULL;
  mb_put_double(p, time);
  mb_put64(p + 8, step);
  memcpy(p + 16, text, n);
  return p;
}

bool mb_event_unpack(const unsigned char *p, size_t size, MbTrajEvent *event) {
  if (size < 17 || p[size - 1]) return false;
  *event = (MbTrajEvent){.time = mb_get_double(p), .step = mb_get64(p + 8), .text = (const char *)p + 16};
  return true;
}

// ---- the index --------------------------------------------------------------------------------------------

void mb_index_free(MbIndex *index) {
  mb_free(index->chunks);
  mb_free(index->others);
  *index = (MbIndex){0};
}

static bool grow(void **array, size_t *room, size_t count, size_t size) {
  if (count < *room) return true;
  const size_t more = count ? 2 * count : 64;
  void *grown = mb_realloc(*array, more, size);
  if (!grown) return false;
  *array = grown;
  *room = more;
  return true;
}

bool mb_index_add_chunk(MbIndex *index, const MbTrajChunkInfo *chunk) {
  void *array = index->chunks;
  const bool good = grow(&array, &index->chunk_room, index->nchunks, sizeof *chunk);
  index->chunks = array;
  if (good) index->chunks[index->nchunks++] = *chunk;
  return good;
}

bool mb_index_add_other(MbIndex *index, const MbRecord *record) {
  void *array = index->others;
  const bool good = grow(&array, &index->other_room, index->nothers, sizeof *record);
  index->others = array;
  if (good) index->others[index->nothers++] = *record;
  return good;
}

// INDX := u64 chunks, u64 others, per chunk { u64 first, u64 count, f64 t0, f64 t1, u64 offset, u64 length },
//         per other record { u32 tag, u32 0, u64 offset, u64 length }; lengths are those of whole records
unsigned char *mb_index_pack(const MbIndex *index, size_t *size) {
  *size = MB_TRAJ_INDEX_HEADER + index->nchunks * MB_TRAJ_INDEX_CHUNK + index->nothers * MB_TRAJ_INDEX_OTHER;
  unsigned char *content = mb_calloc(*size, 1), *p = content;
  if (!content) return NULL;
  mb_put64(p, index->nchunks);
  mb_put64(p + 8, index->nothers);
  p += MB_TRAJ_INDEX_HEADER;
  for (size_t i = 0; i < index->nchunks; i++, p += MB_TRAJ_INDEX_CHUNK) {
    const MbTrajChunkInfo *c = &index->chunks[i];
    mb_put64(p, c->first);
    mb_put64(p + 8, c->count);
    mb_put_double(p + 16, c->t0);
    mb_put_double(p + 24, c->t1);
    mb_put64(p + 32, c->offset);
    mb_put64(p + 40, c->length);
  }
  for (size_t i = 0; i < index->nothers; i++, p += MB_TRAJ_INDEX_OTHER) {
    mb_put32(p, index->others[i].tag);
    mb_put64(p + 8, index->others[i].offset);
    mb_put64(p + 16, mb_record_extent(&index->others[i]));
  }
  return content;
}

static bool in_file(uint64_t offset, uint64_t length, uint64_t end) {
  return offset % 8 == 0 && length % 8 == 0 && length >= MB_TRAJ_RECORD_HEADER && offset <= end &&
         length <= end - offset;
}

bool mb_index_unpack(const unsigned char *content, size_t size, uint64_t end, MbIndex *index,
                     const char **why) {
  *index = (MbIndex){0};
  *why = "does not have the size that its header says";
  if (size < MB_TRAJ_INDEX_HEADER) return false;
  const uint64_t nchunks = mb_get64(content), nothers = mb_get64(content + 8);
  if (nchunks > size || nothers > size ||
      size != MB_TRAJ_INDEX_HEADER + nchunks * MB_TRAJ_INDEX_CHUNK + nothers * MB_TRAJ_INDEX_OTHER)
    return false;
  const unsigned char *p = content + MB_TRAJ_INDEX_HEADER;
  uint64_t frames = 0, at = MB_TRAJ_FILE_HEADER;
  bool good = true, memory = true;
  for (uint64_t i = 0; i < nchunks && good && memory; i++, p += MB_TRAJ_INDEX_CHUNK) {
    const MbTrajChunkInfo c = {.first = mb_get64(p),
                               .count = mb_get64(p + 8),
                               .t0 = mb_get_double(p + 16),
                               .t1 = mb_get_double(p + 24),
                               .offset = mb_get64(p + 32),
                               .length = mb_get64(p + 40)};
    good = c.count && c.count <= UINT32_MAX && c.first >= frames && c.first < (uint64_t)1 << 62 &&
           c.offset >= at && in_file(c.offset, c.length, end);
    frames = c.first + c.count;
    at = c.offset + c.length;
    memory = mb_index_add_chunk(index, &c);
  }
  at = MB_TRAJ_FILE_HEADER;
  for (uint64_t i = 0; i < nothers && good && memory; i++, p += MB_TRAJ_INDEX_OTHER) {
    const uint64_t length = mb_get64(p + 16);
    const MbRecord r = {
        .tag = mb_get32(p), .offset = mb_get64(p + 8), .length = length - MB_TRAJ_RECORD_HEADER};
    good = !mb_get32(p + 4) && r.offset >= at && in_file(r.offset, length, end);
    at = r.offset + length;
    memory = mb_index_add_other(index, &r);
  }
  if (good && memory) return true;
  *why = memory ? "lists records in places where they cannot be" : "does not fit in memory";
  mb_index_free(index);
  return false;
}

uint64_t mb_index_frames(const MbIndex *index) {
  const MbTrajChunkInfo *last = index->nchunks ? &index->chunks[index->nchunks - 1] : NULL;
  return last ? last->first + last->count : 0;
}
