// Records of a file: by the index where there is a sound one, else by going over their headers, past damaged places.
import { crc32 } from "./crc32.js";
import { Fault, need } from "./fault.js";
import { inflate } from "./inflate.js";

const MAGIC = [0x89, 0x4d, 0x42, 0x54, 0x0d, 0x0a, 0x1a, 0x0a];
const FILE_HEADER = 16;
const HEADER = 24;
const TRAILER = 24;
const WINDOW = 1 << 20; // bytes read at once where records are looked for
const MOST_INFLATION = 1032; // zlib's largest
const MOST_CONTENT = 2 ** 30;

const u64 = (view, at) => view.getUint32(at, true) + view.getUint32(at + 4, true) * 4294967296;
const padded = (length) => length + ((8 - (length % 8)) % 8);
const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function tagOf(view, at) {
  let tag = "";
  for (let i = 0; i < 4; i++) tag += String.fromCharCode(view.getUint8(at + i));
  return /^[A-Z0-9]{4}$/.test(tag) ? tag : null;
}

// The record header in the bytes at `at`, which stand at `offset` of the file; null where there is none.
function parseHeader(bytes, at, offset, size) {
  const view = viewOf(bytes);
  const tag = tagOf(view, at);
  if (!tag || crc32(bytes.subarray(at, at + 20)) !== view.getUint32(at + 20, true)) return null;
  const length = u64(view, at + 8);
  if (offset + HEADER + padded(length) > size) return null;
  return { tag, flags: view.getUint32(at + 4, true), length, crc: view.getUint32(at + 16, true), offset };
}

export async function checkMagic(source) {
  need(source.size >= FILE_HEADER, "this is no trajectory: it is shorter than one's first 16 bytes");
  const head = await source.read(0, FILE_HEADER);
  need(MAGIC.every((b, i) => head[i] === b), "this is no trajectory (.mbt)");
  const version = viewOf(head).getUint32(8, true);
  need(version === 1 || version === 2, `the trajectory is of version ${version}; this page reads versions 1 and 2`);
  need(viewOf(head).getUint32(12, true) === 0, "the trajectory has flags that this page does not know");
  return version;
}

export async function readHeader(source, offset) {
  need(offset + HEADER <= source.size, "the file ends within a record");
  const header = parseHeader(await source.read(offset, HEADER), 0, offset, source.size);
  need(header, `there is no sound record at byte ${offset}`);
  return header;
}

// The content of a record: CRC checked, inflated where it is deflated.
export async function readContent(source, record) {
  const payload = await source.read(record.offset + HEADER, record.length);
  need(crc32(payload) === record.crc, `record ${record.tag} at byte ${record.offset} is damaged`);
  if (!(record.flags & 1)) return payload;
  need(record.flags === 1 && payload.length >= 8, `record ${record.tag} has flags that this page does not know`);
  const size = u64(viewOf(payload), 0);
  need(size <= MOST_INFLATION * payload.length && size <= MOST_CONTENT, `record ${record.tag} claims too large a size`);
  return inflate(payload.subarray(8), size);
}

// {chunks, others, frames} by INDX and trailer, or null where these are missing or damaged.
export async function readIndex(source) {
  if (source.size < FILE_HEADER + TRAILER) return null;
  try {
    const end = await source.read(source.size - TRAILER, TRAILER);
    const view = viewOf(end);
    if (tagOf(view, 20) !== "MBTE" || crc32(end.subarray(0, 16)) !== view.getUint32(16, true)) return null;
    const record = await readHeader(source, u64(view, 0));
    if (record.tag !== "INDX") return null;
    return parseIndex(viewOf(await readContent(source, record)), source.size, u64(view, 8));
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

function parseIndex(view, size, frames) {
  need(view.byteLength >= 16, "the index is too short");
  const nchunks = u64(view, 0);
  const nothers = u64(view, 8);
  need(16 + 48 * nchunks + 24 * nothers === view.byteLength, "the index has another length than it says");
  const chunks = [];
  const others = [];
  for (let i = 0, at = 16; i < nchunks; i++, at += 48)
    chunks.push({
      first: u64(view, at),
      count: u64(view, at + 8),
      t0: view.getFloat64(at + 16, true),
      t1: view.getFloat64(at + 24, true),
      offset: u64(view, at + 32),
    });
  for (let i = 0, at = 16 + 48 * nchunks; i < nothers; i++, at += 24)
    others.push({ tag: tagOf(view, at), offset: u64(view, at + 8) });
  need([...chunks, ...others].every((r) => r.offset + HEADER <= size), "the index points beyond the file");
  return { chunks, others, frames };
}

// A source that reads windows of another one, for many small records one behind the other.
export class Windows {
  constructor(source, window = WINDOW) {
    Object.assign(this, { source, window, size: source.size, at: 0, bytes: new Uint8Array(0) });
  }

  async read(offset, length) {
    if (length > this.window) return this.source.read(offset, length);
    if (offset < this.at || offset + length > this.at + this.bytes.length) {
      this.bytes = await this.source.read(offset, Math.max(length, Math.min(this.window, this.size - offset)));
      this.at = offset;
    }
    return this.bytes.subarray(offset - this.at, offset - this.at + length);
  }
}

// The next place at or after `offset` where a record begins, or -1.
async function nextRecord(windows, offset, size) {
  for (let at = offset; at + HEADER <= size; at += 8) {
    const bytes = await windows.read(at, HEADER);
    if (parseHeader(bytes, 0, at, size)) return at;
  }
  return -1;
}

// All record headers of a file without a sound index, and what was found wrong on the way.
export async function scan(source) {
  const windows = new Windows(source);
  const records = [];
  const troubles = [];
  let at = FILE_HEADER;
  while (at + HEADER <= source.size) {
    const record = parseHeader(await windows.read(at, HEADER), 0, at, source.size);
    if (record) {
      records.push(record);
      at += HEADER + padded(record.length);
      continue;
    }
    const next = await nextRecord(windows, at + 8, source.size);
    if (next < 0) break;
    troubles.push(`bytes ${at} to ${next} are damaged and left out`);
    at = next;
  }
  return { records, troubles };
}

// The first 20 bytes of a chunk's content and its times: which frames it holds.
export async function peekChunk(source, record) {
  need(record.length >= 16, "a chunk is too short");
  const view = viewOf(await source.read(record.offset + HEADER, 16));
  const count = view.getUint32(8, true);
  need(count >= 1 && 16 + 8 * count <= record.length, "a chunk is too short");
  const times = viewOf(await source.read(record.offset + HEADER + 16, 8 * count));
  return {
    first: u64(view, 0),
    count,
    t0: times.getFloat64(0, true),
    t1: times.getFloat64(8 * (count - 1), true),
    offset: record.offset,
  };
}

export { u64, viewOf };
