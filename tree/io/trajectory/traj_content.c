// What a trajectory holds besides frames: meshes, events, provenance, checkpoints.
#include "io/trajectory/traj_reader.h"
#include "core/base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

// Loads the content of one of the index's other records.
static bool load(MbTraj *t, size_t other, uint64_t limit, unsigned char **content, size_t *size,
                 const char **why) {
  const MbRecord *place = &t->index.others[other];
  MbRecord record;
  unsigned char *block = NULL;
  size_t room = 0;
  bool good = mb_record_load(t->fd, t->file_bytes, place->offset, mb_record_extent(place), &record, &block,
                             &room, why);
  if (good && record.tag != place->tag) {
    *why = "is not the one that the index means";
    good = false;
  }
  if (good) good = (*content = mb_record_content(&record, block, limit, size, why)) != NULL;
  mb_free(block);
  return good;
}

static MbKept *append(MbKeptList *list, size_t other) {
  if (list->count == list->room) {
    const size_t room = list->room ? 2 * list->room : 8;
    MbKept *grown = mb_realloc(list->items, room, sizeof *grown);
    if (!grown) return NULL;
    list->items = grown;
    list->room = room;
  }
  MbKept *item = &list->items[list->count++];
  *item = (MbKept){.other = other};
  return item;
}

static void describe(char text[64], MbTraj *t, size_t other) {
  char name[5];
  mb_record_name(t->index.others[other].tag, name);
  snprintf(text, 64, "the %s record at byte %" PRIu64, name, t->index.others[other].offset);
}

MbStatus mb_traj_load_sides(MbTraj *t, MbReport *report) {
  for (size_t i = 0; i < t->index.nothers; i++) {
    const uint32_t tag = t->index.others[i].tag;
    MbKeptList *list = tag == MB_TAG_MESH   ? &t->meshes
                       : tag == MB_TAG_EVNT ? &t->events
                       : tag == MB_TAG_PROV ? &t->provenances
                       : tag == MB_TAG_DRAW ? &t->drawings
                       : tag == MB_TAG_CKPT ? &t->checkpoints
                                            : NULL;
    MbKept *item = list ? append(list, i) : NULL;
    if (list && !item) return mb_no_memory(report, "the records of a trajectory");
    if (!item || (tag != MB_TAG_EVNT && tag != MB_TAG_PROV && tag != MB_TAG_DRAW)) continue;

    const char *why = "has a content that makes no sense";
    bool good = load(t, i, MB_TRAJ_TEXT_MAX, &item->content, &item->size, &why);
    if (good && tag == MB_TAG_EVNT) good = mb_event_unpack(item->content, item->size, &item->event);
    if (good) continue;
    char what[64];
    describe(what, t, i);
    mb_warning(report, "", "%s: %s %s; it is left out", t->path, what, why ? why : "is damaged");
    t->whole = false;
    mb_free(item->content);
    list->count--;
  }
  return MB_OK;
}

static void free_list(MbKeptList *list) {
  for (size_t i = 0; i < list->count; i++) {
    mb_free(list->items[i].content);
    mb_free(list->items[i].block);
  }
  mb_free(list->items);
  *list = (MbKeptList){0};
}

void mb_traj_free_sides(MbTraj *t) {
  free_list(&t->meshes);
  free_list(&t->events);
  free_list(&t->provenances);
  free_list(&t->drawings);
  free_list(&t->checkpoints);
  mb_free(t->checkpoint.content);
}

size_t mb_traj_provenances(const MbTraj *t) { return t->provenances.count; }
const char *mb_traj_provenance_json(const MbTraj *t, size_t i) {
  return (const char *)t->provenances.items[i].content;
}
const char *mb_traj_drawing_json(const MbTraj *t) {
  return t->drawings.count ? (const char *)t->drawings.items[0].content : NULL;
}
size_t mb_traj_events(const MbTraj *t) { return t->events.count; }
MbTrajEvent mb_traj_read_event(const MbTraj *t, size_t i) { return t->events.items[i].event; }
size_t mb_traj_meshes(const MbTraj *t) { return t->meshes.count; }
size_t mb_traj_checkpoints(const MbTraj *t) { return t->checkpoints.count; }

static MbStatus bad_record(MbTraj *t, size_t other, const char *why, MbReport *report) {
  char what[64];
  describe(what, t, other);
  t->whole = false;
  return mb_error(report, MB_IO, "", "%s: %s %s", t->path, what, why);
}

MbStatus mb_traj_read_mesh(MbTraj *t, size_t i, MbTrajMesh *mesh, MbReport *report) {
  MbKept *item = &t->meshes.items[i];
  const char *why = NULL;
  if (!item->content) {
    unsigned char *content = NULL;
    if (!load(t, item->other, MB_TRAJ_RAW_MAX, &content, &item->size, &why) ||
        !mb_mesh_unpack(content, item->size, &item->mesh, &item->block, &why)) {
      mb_free(content);
      return bad_record(t, item->other, why, report);
    }
    item->content = content;
  }
  *mesh = item->mesh;
  return MB_OK;
}

MbStatus mb_traj_read_checkpoint(MbTraj *t, size_t i, MbTrajCheckpoint *checkpoint, MbReport *report) {
  const size_t other = t->checkpoints.items[i].other;
  MbKept *item = &t->checkpoint;
  const char *why = NULL;
  mb_free(item->content);
  item->content = NULL;
  if (!load(t, other, MB_TRAJ_RAW_MAX, &item->content, &item->size, &why))
    return bad_record(t, other, why, report);
  const unsigned char *p = item->content;
  if (item->size < MB_TRAJ_CHECKPOINT_HEADER) return bad_record(t, other, "is too short", report);
  *checkpoint = (MbTrajCheckpoint){.time = mb_get_double(p),
                                   .step = mb_get64(p + 8),
                                   .frames = mb_get64(p + 16),
                                   .size = item->size - MB_TRAJ_CHECKPOINT_HEADER,
                                   .bytes = p + MB_TRAJ_CHECKPOINT_HEADER};
  return MB_OK;
}
