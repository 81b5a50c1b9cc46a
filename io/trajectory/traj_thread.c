#include "io/trajectory/traj_writer.h"
#include "core/base/alloc.h"

// What frames take is known beforehand, what lists take is not.
static bool make_room(MbTrajWriter *w, const MbPending *job) {
  size_t room = mb_chunk_room(&w->layout, job->count);
  for (size_t i = 0; i < w->layout.nlists; i++) {
    room += mb_list_room(&w->layout.list[i], job->lists[i].count);
    if (!mb_list_reserve(w->list_work, job->lists[i].count)) return false;
  }
  if (room <= w->payload_room) return true;
  unsigned char *grown = mb_realloc(w->payload, room + room / 4, 1);
  if (!grown) return false;
  w->payload = grown;
  w->payload_room = room + room / 4;
  return true;
}

// Encodes and writes one chunk; the mutex is not held.
static MbStatus write_chunk(MbTrajWriter *w, const MbPending *job, MbReport *report) {
  if (!make_room(w, job)) return mb_no_memory(report, "the lists of a trajectory");
  size_t length =
      mb_chunk_encode(w->codec, &w->layout, job->first, job->count, job->times, job->frames, w->payload);
  for (size_t i = 0; i < w->layout.nlists; i++)
    length += mb_list_encode(w->list_work, &w->layout.list[i],
                             mb_chunk_counts(&w->layout, i, job->frames, job->count), job->lists[i].entries,
                             w->payload + length);
  const MbTrajChunkInfo chunk = {
      .first = job->first, .count = job->count, .t0 = job->times[0], .t1 = job->times[job->count - 1]};
  return mb_output_record(&w->output, MB_TAG_CHNK, 0, w->payload, length, &chunk, report);
}

// The caller has the mutex. It is free while the chunk is written.
static void do_job(MbTrajWriter *w) {
  if (!w->error.errors) {
    pthread_mutex_unlock(&w->mutex);
    MbReport report = {0};
    const MbStatus status = write_chunk(w, w->job, &report);
    pthread_mutex_lock(&w->mutex);
    if (status) w->error = report;
    w->chunks += !status;
    w->file_bytes = w->output.offset;
  }
  w->job->count = 0;
  for (size_t i = 0; i < w->layout.nlists; i++) w->job->lists[i].count = 0;
  w->job = NULL;
  pthread_cond_broadcast(&w->changed);
}

static void *work(void *argument) {
  MbTrajWriter *w = argument;
  pthread_mutex_lock(&w->mutex);
  for (;;) {
    while (!w->job && !w->quit) pthread_cond_wait(&w->changed, &w->mutex);
    if (!w->job) break;
    do_job(w);
  }
  pthread_mutex_unlock(&w->mutex);
  return NULL;
}

MbStatus mb_writer_start(MbTrajWriter *w, MbReport *report) {
  if (pthread_mutex_init(&w->mutex, NULL)) return mb_no_memory(report, "the writer of a trajectory");
  if (pthread_cond_init(&w->changed, NULL)) {
    pthread_mutex_destroy(&w->mutex);
    return mb_no_memory(report, "the writer of a trajectory");
  }
  w->locks = true;
  w->threaded = !pthread_create(&w->thread, NULL, work, w); // without a thread the caller writes
  return MB_OK;
}

void mb_writer_stop(MbTrajWriter *w) {
  if (w->threaded) {
    pthread_mutex_lock(&w->mutex);
    w->quit = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
    pthread_join(w->thread, NULL);
  }
  if (w->locks) {
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->mutex);
  }
  w->threaded = w->locks = false;
}

MbStatus mb_writer_flush(MbTrajWriter *w, bool wait) {
  MbPending *filled = &w->pending[w->filling];
  pthread_mutex_lock(&w->mutex);
  if (filled->count) {
    while (w->job) pthread_cond_wait(&w->changed, &w->mutex);
    w->job = filled;
    w->filling ^= 1;
    if (w->threaded)
      pthread_cond_broadcast(&w->changed);
    else
      do_job(w);
  }
  while (wait && w->job) pthread_cond_wait(&w->changed, &w->mutex);
  const MbStatus status = w->error.errors ? w->error.status : MB_OK;
  pthread_mutex_unlock(&w->mutex);
  return status;
}
