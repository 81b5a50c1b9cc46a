// Where the bytes of a trajectory come from: all of them know `size` and read a range when asked to.
import { need } from "./fault.js";

// A File or Blob: slices are read on demand, so that a file of a gigabyte opens at once.
export class BlobSource {
  constructor(blob) {
    this.blob = blob;
    this.size = blob.size;
  }

  async read(offset, length) {
    const bytes = new Uint8Array(await this.blob.slice(offset, offset + length).arrayBuffer());
    need(bytes.length === length, `the file ends before byte ${offset + length}`);
    return bytes;
  }
}

export class BytesSource {
  constructor(bytes) {
    this.bytes = bytes;
    this.size = bytes.length;
  }

  async read(offset, length) {
    need(offset + length <= this.size, `the file ends before byte ${offset + length}`);
    return this.bytes.subarray(offset, offset + length);
  }
}

// Base64 text, which stays text: four characters are three bytes, so that any range can be decoded alone.
export class Base64Source {
  constructor(text) {
    this.text = text;
    const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
    this.size = (text.length / 4) * 3 - padding;
  }

  async read(offset, length) {
    need(offset + length <= this.size, `the file ends before byte ${offset + length}`);
    const group = Math.floor(offset / 3);
    const last = Math.ceil((offset + length) / 3);
    return bytesOf(this.text.slice(4 * group, 4 * last), offset - 3 * group, length);
  }
}

// `length` of the bytes that base64 text stands for, from `from` on.
function bytesOf(text, from, length) {
  const decoded = atob(text);
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = decoded.charCodeAt(from + i);
  return bytes;
}

// The bytes of base64 text as a Blob, which browsers keep outside of the page's memory.
export function blobOf(text) {
  const PIECE = 2 ** 22; // characters
  const { size } = new Base64Source(text);
  const pieces = [];
  for (let at = 0; at < text.length; at += PIECE)
    pieces.push(new Blob([bytesOf(text.slice(at, at + PIECE), 0, Math.min((PIECE / 4) * 3, size - (at / 4) * 3))]));
  return new Blob(pieces);
}
