// Writing a trajectory: records go to the file in order while the frames of the next chunk come in.
#include "io/trajectory/traj_writer.h"
#include "core/base/alloc.h"
#include "io/trajectory/traj_head.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double monotonic(void) {
  struct timespec t = {0};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The error that stopped the writer, told to this caller.
static MbStatus stopped(MbTrajWriter *w, MbReport *report) {
  pthread_mutex_lock(&w->mutex);
  const MbStatus status = w->error.errors ? w->error.status : MB_OK;
  if (status) mb_error(report, status, w->error.issues[0].where, "%s", w->error.issues[0].text);
  pthread_mutex_unlock(&w->mutex);
  return status;
}

// Keeps the first error for later calls.
static MbStatus fail(MbTrajWriter *w, const MbReport *error, MbReport *report) {
  pthread_mutex_lock(&w->mutex);
  if (!w->error.errors) w->error = *error;
  pthread_mutex_unlock(&w->mutex);
  return stopped(w, report);
}

// ---- creation ---------------------------------------------------------------------------------------------

static void bound_lists(MbTrajWriter *w, const MbTrajHead *head) {
  for (size_t i = 0; i < w->layout.nlists; i++) {
    MbChunkList *l = &w->layout.list[i];
    const MbList *list = head->channels[l->channel].list;
    for (size_t k = 0; k < l->width; k++) {
      l->bound[k] = mb_head_field_bound(head, list, k);
      if (l->bound[k] > 0) l->bound[k] -= head->spent[list->fields[k].quantity];
    }
  }
}

static bool make_buffers(MbTrajWriter *w, const MbTrajHead *head) {
  if (!mb_chunk_layout(head->channels, head->nchannels, head->frame_size, &w->layout)) return false;
  for (size_t i = 0; i < head->nchannels; i++)
    w->layout.channel[i].bound = head->channels[i].list ? 0
                                                        : head->bound[head->channels[i].quantity] -
                                                              head->spent[head->channels[i].quantity];
  bound_lists(w, head);
  w->capacity = mb_chunk_capacity(&w->layout);
  for (int k = 0; k < 2; k++) {
    w->pending[k].times = mb_calloc(w->capacity, sizeof(double));
    w->pending[k].frames = mb_calloc(w->capacity * head->frame_size, sizeof(double));
    w->pending[k].lists = mb_calloc(w->layout.nlists, sizeof *w->pending[k].lists);
    if (!w->pending[k].times || !w->pending[k].frames || !w->pending[k].lists) return false;
  }
  w->codec = mb_codec_create(true, w->capacity * w->layout.most_cols, w->layout.most_cols);
  w->payload_room = mb_chunk_room(&w->layout, w->capacity);
  w->payload = mb_calloc(w->payload_room, 1);
  w->list_work = mb_list_work_create(true);
  return w->codec && w->payload && w->list_work;
}

// Frees everything; the file is closed as it is.
static MbStatus destroy(MbTrajWriter *w, MbReport *report) {
  mb_writer_stop(w);
  const MbStatus status = mb_output_close(&w->output, report);
  for (int k = 0; k < 2; k++) {
    mb_free(w->pending[k].times);
    mb_free(w->pending[k].frames);
    for (size_t i = 0; w->pending[k].lists && i < w->layout.nlists; i++)
      mb_free(w->pending[k].lists[i].entries);
    mb_free(w->pending[k].lists);
  }
  mb_list_work_free(w->list_work);
  mb_codec_free(w->codec);
  mb_free(w->payload);
  mb_chunk_layout_free(&w->layout);
  mb_free(w);
  return status;
}

// Into a file at `path`, or into `sink`, which is called that.
static MbStatus create(const char *path, const MbTrajSink *sink, const MbTrajHead *head,
                       MbTrajWriter **writer, MbReport *report) {
  *writer = NULL;
  char *text = NULL;
  MbStatus status = mb_head_write(head, &text, report);
  if (status) return status;
  MbTrajWriter *w = mb_calloc(1, sizeof *w);
  if (!w) {
    mb_free(text);
    return mb_no_memory(report, "the writer of a trajectory");
  }
  const uint32_t version = mb_head_version(head->channels, head->nchannels);
  w->output.fd = -1;
  w->last_time = -INFINITY;
  w->clock = monotonic;
  status = make_buffers(w, head) ? MB_OK : mb_no_memory(report, "the frames of a trajectory");
  if (!status)
    status = sink ? mb_output_begin_sink(*sink, path, version, &w->output, report)
                  : mb_output_create(path, version, &w->output, report);
  if (!status) status = mb_output_deflated(&w->output, MB_TAG_HEAD, text, strlen(text), report);
  if (!status) status = mb_writer_start(w, report);
  mb_free(text);
  if (status) {
    if (w->output.fd >= 0) unlink(path); // made here, and nothing is in it
    destroy(w, NULL);
    return status;
  }
  w->file_bytes = w->output.offset;
  *writer = w;
  return MB_OK;
}

MbStatus mb_traj_create(const char *path, const MbTrajHead *head, MbTrajWriter **writer, MbReport *report) {
  return create(path, NULL, head, writer, report);
}

MbStatus mb_traj_create_into(MbTrajSink sink, const char *name, const MbTrajHead *head, MbTrajWriter **writer,
                             MbReport *report) {
  return create(name, &sink, head, writer, report);
}

// ---- frames -----------------------------------------------------------------------------------------------

static MbStatus misused(MbTrajWriter *w, MbReport *report, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Keeps what is wrong with the caller's frame for later calls.
static MbStatus misused(MbTrajWriter *w, MbReport *report, const char *format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  MbReport error = {0};
  mb_error(&error, MB_USAGE, "", "%s", text);
  return fail(w, &error, report);
}

MbStatus mb_traj_entries(MbTrajWriter *w, size_t channel, const double *entries, size_t count,
                         MbReport *report) {
  const MbStatus status = stopped(w, report);
  if (status) return status;
  size_t i = 0;
  while (i < w->layout.nlists && w->layout.list[i].channel != channel) i++;
  if (i == w->layout.nlists) return misused(w, report, "channel %zu of the trajectory has no list", channel);
  const MbChunkList *list = &w->layout.list[i];
  MbPendingList *p = &w->pending[w->filling].lists[i];
  if (!mb_list_ordered(entries, count, list->keys, list->width))
    return misused(w, report, "the keys of the list of channel %zu are out of order", channel);
  if (count > MB_TRAJ_RAW_MAX / 8 / list->width)
    return misused(w, report, "the list of channel %zu is larger than 1 GiB", channel);
  if (p->count + count > p->room) {
    const size_t room = p->count + count + p->room / 2;
    double *grown = mb_realloc(p->entries, room * list->width, sizeof *grown);
    MbReport error = {0};
    if (!grown) return mb_no_memory(&error, "the lists of a trajectory"), fail(w, &error, report);
    p->entries = grown;
    p->room = room;
  }
  if (count) memcpy(p->entries + p->count * list->width, entries, count * list->width * sizeof *entries);
  p->given = count;
  return MB_OK;
}

// Takes the entries that were given into the frames that wait. *numbers ← how many there are of all lists.
static MbStatus take_lists(MbTrajWriter *w, const double *frame, size_t *numbers, MbReport *report) {
  *numbers = 0;
  for (size_t i = 0; i < w->layout.nlists; i++) {
    const MbChunkList *list = &w->layout.list[i];
    MbPendingList *p = &w->pending[w->filling].lists[i];
    if (frame[list->offset] != (double)p->given)
      return misused(w, report, "the list of channel %u has %zu entries, and its frame says %g",
                     list->channel, p->given, frame[list->offset]);
    p->count += p->given;
    w->list_numbers += p->given * list->width;
    p->given = 0;
    *numbers += p->count * list->width;
  }
  return MB_OK;
}

MbStatus mb_traj_frame(MbTrajWriter *w, double time, const double *frame, MbReport *report) {
  MbStatus status = stopped(w, report);
  if (status) return status;
  if (!isfinite(time) || time <= w->last_time)
    return misused(w, report, "time %.17g of a frame does not follow %.17g", time, w->last_time);
  MbPending *p = &w->pending[w->filling];
  size_t listed = 0;
  status = take_lists(w, frame, &listed, report);
  if (status) return status;
  const double now = w->clock();
  if (!p->count) {
    p->first = w->frames;
    w->chunk_began = now;
  }
  p->times[p->count] = time;
  if (w->layout.frame_size)
    memcpy(p->frames + p->count * w->layout.frame_size, frame, w->layout.frame_size * sizeof *frame);
  p->count++;
  w->frames++;
  w->last_time = time;
  const bool large = listed && 8 * (listed + p->count * (w->layout.total_cols + 1)) >= MB_TRAJ_CHUNK_BYTES;
  if (p->count == w->capacity || large || now - w->chunk_began >= MB_TRAJ_CHUNK_SECONDS)
    mb_writer_flush(w, false);
  return MB_OK;
}

// ---- other records ----------------------------------------------------------------------------------------

// Writes a record behind the chunks that were handed over, so that the order never depends on the thread.
static MbStatus put(MbTrajWriter *w, uint32_t tag, bool deflate, unsigned char *content, size_t size,
                    const char *what, MbReport *report) {
  pthread_mutex_lock(&w->mutex);
  while (w->job) pthread_cond_wait(&w->changed, &w->mutex);
  pthread_mutex_unlock(&w->mutex);
  MbStatus status = stopped(w, report);
  if (!status) {
    MbReport error = {0};
    status = !content  ? mb_no_memory(&error, what)
             : deflate ? mb_output_deflated(&w->output, tag, content, size, &error)
                       : mb_output_record(&w->output, tag, 0, content, size, NULL, &error);
    pthread_mutex_lock(&w->mutex);
    w->file_bytes = w->output.offset;
    pthread_mutex_unlock(&w->mutex);
    if (status) status = fail(w, &error, report);
  }
  mb_free(content);
  return status;
}

MbStatus mb_traj_provenance(MbTrajWriter *w, const char *json, MbReport *report) {
  return put(w, MB_TAG_PROV, true, (unsigned char *)mb_strdup(json), strlen(json), "provenance", report);
}

MbStatus mb_traj_drawing(MbTrajWriter *w, const char *json, MbReport *report) {
  return put(w, MB_TAG_DRAW, true, (unsigned char *)mb_strdup(json), strlen(json), "what pictures need",
             report);
}

MbStatus mb_traj_mesh(MbTrajWriter *w, const MbTrajMesh *mesh, MbReport *report) {
  size_t size = 0;
  unsigned char *content = mb_mesh_pack(mesh, &size);
  return put(w, MB_TAG_MESH, true, content, size, "a mesh", report);
}

MbStatus mb_traj_event(MbTrajWriter *w, double time, uint64_t step, const char *text, MbReport *report) {
  size_t size = 0;
  unsigned char *content = mb_event_pack(time, step, text, &size);
  return put(w, MB_TAG_EVNT, false, content, size, "an event", report);
}

MbStatus mb_traj_checkpoint(MbTrajWriter *w, double time, uint64_t step, const void *bytes, size_t size,
                            MbReport *report) {
  mb_writer_flush(w, true);
  unsigned char *content = NULL;
  if (size <= MB_TRAJ_RAW_MAX - MB_TRAJ_CHECKPOINT_HEADER)
    content = mb_calloc(MB_TRAJ_CHECKPOINT_HEADER + size, 1);
  if (content) {
    mb_put_double(content, time);
    mb_put64(content + 8, step);
    mb_put64(content + 16, w->frames);
    if (size) memcpy(content + MB_TRAJ_CHECKPOINT_HEADER, bytes, size);
  }
  return put(w, MB_TAG_CKPT, false, content, MB_TRAJ_CHECKPOINT_HEADER + size, "a checkpoint", report);
}

// ---- counts and end ---------------------------------------------------------------------------------------

void mb_traj_counts(const MbTrajWriter *writer, MbTrajCounts *counts) {
  MbTrajWriter *w = (MbTrajWriter *)(uintptr_t)writer; // for its mutex alone
  pthread_mutex_lock(&w->mutex);
  *counts = (MbTrajCounts){.frames = w->frames,
                           .chunks = w->chunks,
                           .raw_bytes = 8 * (w->frames * (w->layout.total_cols + 1) + w->list_numbers),
                           .file_bytes = w->file_bytes};
  pthread_mutex_unlock(&w->mutex);
}

MbStatus mb_traj_close(MbTrajWriter *w, MbTrajCounts *counts, MbReport *report) {
  mb_writer_flush(w, true);
  MbStatus status = stopped(w, report);
  if (!status) status = mb_output_finish(&w->output, report);
  w->file_bytes = w->output.offset;
  if (counts) mb_traj_counts(w, counts);
  const MbStatus closed = destroy(w, status ? NULL : report);
  return status ? status : closed;
}

void mb_traj_abandon(MbTrajWriter *w) {
  if (w) destroy(w, NULL);
}
