#include "io/trajectory/traj_output.h"
#include "core/base/alloc.h"
#include "core/base/report.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static MbStatus failed(const MbOutput *output, int error, MbReport *report) {
  return mb_error(report, MB_IO, "", "cannot write %s: %s", output->path, strerror(error));
}

static MbStatus write_bytes(MbOutput *output, const void *bytes, size_t size, MbReport *report) {
  const int error = output->sink.put ? output->sink.put(output->sink.to, bytes, size)
                                     : mb_write_all(output->fd, bytes, size);
  if (error) return failed(output, error, report);
  output->offset += size;
  return MB_OK;
}

MbStatus mb_output_create(const char *path, uint32_t version, MbOutput *output, MbReport *report) {
  *output = (MbOutput){.fd = -1};
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return mb_error(report, MB_IO, "", "cannot create %s: %s", path, strerror(errno));
  return mb_output_begin(fd, path, version, output, report);
}

static MbStatus begin(const char *path, uint32_t version, MbOutput *output, MbReport *report) {
  output->path = mb_strdup(path);
  if (!output->path) return mb_no_memory(report, "a trajectory");
  unsigned char header[MB_TRAJ_FILE_HEADER] = MB_TRAJ_MAGIC;
  mb_put32(header + 8, version);
  mb_put32(header + 12, 0);
  return write_bytes(output, header, sizeof header, report);
}

MbStatus mb_output_begin(int fd, const char *path, uint32_t version, MbOutput *output, MbReport *report) {
  *output = (MbOutput){.fd = fd};
  return begin(path, version, output, report);
}

MbStatus mb_output_begin_sink(MbTrajSink sink, const char *name, uint32_t version, MbOutput *output,
                              MbReport *report) {
  *output = (MbOutput){.fd = -1, .sink = sink};
  return begin(name, version, output, report);
}

MbStatus mb_output_record(MbOutput *output, uint32_t tag, uint32_t flags, const void *payload, size_t length,
                          const MbTrajChunkInfo *chunk, MbReport *report) {
  static const unsigned char zeros[8];
  const MbRecord record = {.tag = tag,
                           .flags = flags,
                           .crc = mb_crc32(payload, length),
                           .offset = output->offset,
                           .length = length};
  unsigned char header[MB_TRAJ_RECORD_HEADER];
  mb_record_put_header(header, &record);
  MbStatus status = write_bytes(output, header, sizeof header, report);
  if (!status) status = write_bytes(output, payload, length, report);
  if (!status) status = write_bytes(output, zeros, mb_pad8(length) - length, report);
  if (status || tag == MB_TAG_HEAD || tag == MB_TAG_INDX) return status;

  bool kept = false;
  if (chunk) {
    MbTrajChunkInfo entry = *chunk;
    entry.offset = record.offset;
    entry.length = mb_record_extent(&record);
    kept = mb_index_add_chunk(&output->index, &entry);
  } else {
    kept = mb_index_add_other(&output->index, &record);
  }
  return kept ? MB_OK : mb_no_memory(report, "the index of a trajectory");
}

MbStatus mb_output_deflated(MbOutput *output, uint32_t tag, const void *content, size_t size,
                            MbReport *report) {
  size_t length = 0;
  unsigned char *payload = mb_record_deflate(content, size, &length);
  if (!payload) return mb_no_memory(report, "a record of the trajectory");
  const MbStatus status = mb_output_record(output, tag, MB_RECORD_DEFLATED, payload, length, NULL, report);
  mb_free(payload);
  return status;
}

MbStatus mb_output_finish(MbOutput *output, MbReport *report) {
  size_t size = 0;
  const uint64_t at = output->offset;
  unsigned char *content = mb_index_pack(&output->index, &size);
  if (!content) return mb_no_memory(report, "the index of a trajectory");
  MbStatus status = mb_output_record(output, MB_TAG_INDX, 0, content, size, NULL, report);
  mb_free(content);
  if (status) return status;

  unsigned char trailer[MB_TRAJ_TRAILER];
  mb_put64(trailer, at);
  mb_put64(trailer + 8, mb_index_frames(&output->index));
  mb_put32(trailer + 16, mb_crc32(trailer, 16));
  mb_put32(trailer + 20, MB_TAG_END);
  status = write_bytes(output, trailer, sizeof trailer, report);
  // what is no disk (a pipe, a device) cannot be synchronised
  if (!status && output->fd >= 0 && fsync(output->fd) && errno != EINVAL && errno != EROFS &&
      errno != ENOTSUP)
    status = failed(output, errno, report);
  return status;
}

MbStatus mb_output_close(MbOutput *output, MbReport *report) {
  MbStatus status = MB_OK;
  if (output->fd >= 0 && close(output->fd) && errno != EINTR) status = failed(output, errno, report);
  mb_free(output->path);
  mb_index_free(&output->index);
  *output = (MbOutput){.fd = -1};
  return status;
}
