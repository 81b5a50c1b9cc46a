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

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Uint8Array(256); // of digits by their codes
for (let i = 0; i < DIGITS.length; i++) VALUES[DIGITS.charCodeAt(i)] = i;
const KEPT = 2 ** 25; // characters of text that are kept at hand; larger ones are read slice by slice

// Base64 text in a Blob, which browsers keep outside of the page's memory. Four characters are three bytes, so that any range can be
// decoded alone.
export class Base64Source {
  static async open(blob) {
    const end = new Uint8Array(await blob.slice(-2).arrayBuffer());
    const padding = end.filter((code) => code === "=".charCodeAt(0)).length;
    const text = blob.size <= KEPT ? new BytesSource(new Uint8Array(await blob.arrayBuffer())) : new BlobSource(blob);
    return new Base64Source(text, (blob.size / 4) * 3 - padding);
  }

  constructor(text, size) {
    Object.assign(this, { text, size });
  }

  async read(offset, length) {
    need(offset + length <= this.size, `the file ends before byte ${offset + length}`);
    const group = Math.floor(offset / 3);
    const text = await this.text.read(4 * group, 4 * (Math.ceil((offset + length) / 3) - group));
    const bytes = new Uint8Array((text.length / 4) * 3);
    for (let i = 0, at = 0; i < text.length; i += 4) {
      const word = (VALUES[text[i]] << 18) | (VALUES[text[i + 1]] << 12) | (VALUES[text[i + 2]] << 6) | VALUES[text[i + 3]];
      bytes[at++] = word >> 16;
      bytes[at++] = word >> 8;
      bytes[at++] = word;
    }
    return bytes.subarray(offset - 3 * group, offset - 3 * group + length);
  }
}
