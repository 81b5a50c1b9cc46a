// Makes a long trajectory of a short one: its chunks again and again, with frames and times that go on. For measuring with large files.
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";

const HEADER = 24;
const padded = (n) => n + ((8 - (n % 8)) % 8);

// The record header for a payload, as bytes.
function header(tag, flags, payload) {
  const bytes = Buffer.alloc(HEADER);
  bytes.write(tag, 0, "latin1");
  bytes.writeUInt32LE(flags, 4);
  bytes.writeBigUInt64LE(BigInt(payload.length), 8);
  bytes.writeUInt32LE(crc32(payload), 16);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 20)), 20);
  return bytes;
}

class Writer {
  constructor(path) {
    Object.assign(this, { file: openSync(path, "w"), at: 0, chunks: [], others: [] });
  }

  put(bytes) {
    writeSync(this.file, bytes);
    this.at += bytes.length;
  }

  record(tag, flags, payload) {
    const entry = { tag, offset: this.at, length: HEADER + padded(payload.length) };
    this.put(header(tag, flags, payload));
    this.put(payload);
    this.put(Buffer.alloc(entry.length - HEADER - payload.length));
    return entry;
  }

  // The index and what follows it.
  finish(frames) {
    const index = Buffer.alloc(16 + 48 * this.chunks.length + 24 * this.others.length);
    index.writeBigUInt64LE(BigInt(this.chunks.length), 0);
    index.writeBigUInt64LE(BigInt(this.others.length), 8);
    let at = 16;
    for (const { first, count, t0, t1, offset, length } of this.chunks) {
      [first, count].forEach((n, i) => index.writeBigUInt64LE(BigInt(n), at + 8 * i));
      [t0, t1].forEach((t, i) => index.writeDoubleLE(t, at + 16 + 8 * i));
      [offset, length].forEach((n, i) => index.writeBigUInt64LE(BigInt(n), at + 32 + 8 * i));
      at += 48;
    }
    for (const { tag, offset, length } of this.others) {
      index.write(tag, at, "latin1");
      [offset, length].forEach((n, i) => index.writeBigUInt64LE(BigInt(n), at + 8 + 8 * i));
      at += 24;
    }
    const { offset } = this.record("INDX", 0, index);
    const trailer = Buffer.alloc(24);
    trailer.writeBigUInt64LE(BigInt(offset), 0);
    trailer.writeBigUInt64LE(BigInt(frames), 8);
    trailer.writeUInt32LE(crc32(trailer.subarray(0, 16)), 16);
    trailer.write("MBTE", 20, "latin1");
    this.put(trailer);
    closeSync(this.file);
  }
}

function* records(bytes) {
  for (let at = 16; at + HEADER <= bytes.length - 24; ) {
    const length = Number(bytes.readBigUInt64LE(at + 8));
    yield { tag: bytes.toString("latin1", at, at + 4), flags: bytes.readUInt32LE(at + 4), payload: bytes.subarray(at + HEADER, at + HEADER + length) };
    at += HEADER + padded(length);
  }
}

// Writes the trajectory at `from`, `times` times over, to `to`.
export function repeatTrajectory(from, to, times) {
  const bytes = readFileSync(from);
  const all = [...records(bytes)];
  const chunks = all.filter(({ tag }) => tag === "CHNK");
  const lastTime = ({ payload }) => payload.readDoubleLE(16 + 8 * (payload.readUInt32LE(8) - 1));
  const frames = chunks.reduce((sum, { payload }) => sum + payload.readUInt32LE(8), 0);
  const step = chunks[0].payload.readDoubleLE(24) - chunks[0].payload.readDoubleLE(16);
  const period = lastTime(chunks.at(-1)) - chunks[0].payload.readDoubleLE(16) + step;
  const writer = new Writer(to);
  writer.put(bytes.subarray(0, 16));
  for (const { tag, flags, payload } of all) {
    if (["CHNK", "INDX"].includes(tag)) continue;
    const entry = writer.record(tag, flags, payload);
    if (tag !== "HEAD") writer.others.push(entry);
  }
  for (let k = 0; k < times; k++)
    for (const { flags, payload } of chunks) {
      const moved = Buffer.from(payload);
      const count = moved.readUInt32LE(8);
      const first = Number(moved.readBigUInt64LE(0)) + k * frames;
      moved.writeBigUInt64LE(BigInt(first), 0);
      for (let r = 0; r < count; r++) moved.writeDoubleLE(payload.readDoubleLE(16 + 8 * r) + k * period, 16 + 8 * r);
      const [t0, t1] = [moved.readDoubleLE(16), lastTime({ payload: moved })];
      writer.chunks.push({ first, count, t0, t1, ...writer.record("CHNK", flags, moved) });
    }
  writer.finish(frames * times);
}
