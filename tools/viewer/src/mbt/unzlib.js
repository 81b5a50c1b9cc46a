// zlib streams (RFC 1950, 1951) at once, for those that are small: the platform's inflater works as a stream, which costs more than such
// a stream itself, and files hold thousands of them.
import { Fault, need } from "./fault.js";

const LONGEST = 15; // bits of a code
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

// What symbols of lengths and distances begin at, and how many further bits they have.
function ladder(count, first, grows) {
  const base = [];
  const extra = [];
  for (let i = 0, at = first; i < count; i++) {
    base.push(at);
    extra.push(grows(i));
    at += 1 << extra[i];
  }
  return { base, extra };
}
const lengths = ladder(28, 3, (i) => (i < 8 ? 0 : (i >> 2) - 1));
lengths.base.push(258);
lengths.extra.push(0);
const distances = ladder(30, 1, (i) => (i < 4 ? 0 : (i >> 1) - 1));

// For every LONGEST bits that may come, the symbol that they begin with and its length: symbol << 4 | length, 0 where there is none.
function makeTable(sizes) {
  const count = new Uint16Array(LONGEST + 2);
  for (const size of sizes) count[size]++;
  count[0] = 0;
  const next = new Uint32Array(LONGEST + 2);
  let most = 0;
  for (let bits = 1; bits <= LONGEST; bits++) {
    next[bits + 1] = (next[bits] + count[bits]) << 1;
    if (count[bits]) most = bits;
    need(next[bits] + count[bits] <= 1 << bits, "a zlib stream has codes that cannot be");
  }
  const table = new Uint16Array(1 << most);
  sizes.forEach((size, symbol) => {
    if (!size) return;
    let code = next[size]++;
    let reversed = 0;
    for (let i = 0; i < size; i++, code >>= 1) reversed = (reversed << 1) | (code & 1);
    for (let i = reversed; i < table.length; i += 1 << size) table[i] = (symbol << 4) | size;
  });
  return { table, bits: most };
}

const FIXED = [
  makeTable(Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))),
  makeTable(new Array(30).fill(5)),
];

class Bits {
  constructor(bytes, at) {
    Object.assign(this, { bytes, at, held: 0, count: 0 });
  }

  // The next n bits, at most 16, lowest first.
  take(n) {
    while (this.count < n) this.#more();
    const value = this.held & ((1 << n) - 1);
    this.held >>>= n;
    this.count -= n;
    return value;
  }

  #more() {
    need(this.at < this.bytes.length, "a zlib stream ends too soon");
    this.held |= this.bytes[this.at++] << this.count;
    this.count += 8;
  }

  symbol({ table, bits }) {
    while (this.count < bits && this.at < this.bytes.length) {
      this.held |= this.bytes[this.at++] << this.count;
      this.count += 8;
    }
    const entry = table[this.held & ((1 << bits) - 1)];
    const size = entry & 15;
    need(size && size <= this.count, "a zlib stream is damaged");
    this.held >>>= size;
    this.count -= size;
    return entry >> 4;
  }

  // Whole bytes from here on.
  align() {
    this.at -= this.count >> 3;
    this.held = this.count = 0;
  }
}

function readTables(bits) {
  const nlengths = bits.take(5) + 257;
  const ndistances = bits.take(5) + 1;
  const ncodes = bits.take(4) + 4;
  const sizes = new Array(19).fill(0);
  for (let i = 0; i < ncodes; i++) sizes[ORDER[i]] = bits.take(3);
  const codes = makeTable(sizes);
  const all = [];
  while (all.length < nlengths + ndistances) {
    const symbol = bits.symbol(codes);
    if (symbol < 16) {
      all.push(symbol);
      continue;
    }
    need(symbol !== 16 || all.length, "a zlib stream is damaged");
    const value = symbol === 16 ? all.at(-1) : 0;
    const times = symbol === 16 ? 3 + bits.take(2) : symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
    for (let i = 0; i < times; i++) all.push(value);
  }
  need(all.length === nlengths + ndistances && nlengths <= 286 && all[256], "a zlib stream is damaged");
  return [makeTable(all.slice(0, nlengths)), makeTable(all.slice(nlengths))];
}

function putStored(bits, out, filled) {
  bits.align();
  const { bytes } = bits;
  need(bits.at + 4 <= bytes.length, "a zlib stream ends too soon");
  const length = bytes[bits.at] | (bytes[bits.at + 1] << 8);
  need((length ^ 0xffff) === (bytes[bits.at + 2] | (bytes[bits.at + 3] << 8)), "a zlib stream is damaged");
  bits.at += 4;
  need(bits.at + length <= bytes.length, "a zlib stream ends too soon");
  need(filled + length <= out.length, `a zlib stream holds more than ${out.length} bytes`);
  out.set(bytes.subarray(bits.at, bits.at + length), filled);
  bits.at += length;
  return filled + length;
}

function putCoded(bits, [literals, ways], out, filled) {
  for (;;) {
    const symbol = bits.symbol(literals);
    if (symbol === 256) return filled;
    if (symbol < 256) {
      need(filled < out.length, `a zlib stream holds more than ${out.length} bytes`);
      out[filled++] = symbol;
      continue;
    }
    need(symbol < 286 && ways.bits, "a zlib stream is damaged");
    const length = lengths.base[symbol - 257] + bits.take(lengths.extra[symbol - 257]);
    const way = bits.symbol(ways);
    need(way < 30, "a zlib stream is damaged");
    const back = distances.base[way] + bits.take(distances.extra[way]);
    need(back <= filled, "a zlib stream is damaged");
    need(filled + length <= out.length, `a zlib stream holds more than ${out.length} bytes`);
    for (const end = filled + length; filled < end; filled++) out[filled] = out[filled - back];
  }
}

function adler32(bytes) {
  let a = 1;
  let b = 0;
  for (let i = 0; i < bytes.length; ) {
    for (const end = Math.min(i + 3800, bytes.length); i < end; i++) b += a += bytes[i];
    a %= 65521;
    b %= 65521;
  }
  return ((b << 16) | a) >>> 0;
}

// Exactly `size` bytes, else a Fault.
export function unzlib(bytes, size) {
  need(bytes.length >= 6, "a zlib stream ends too soon");
  need((bytes[0] & 15) === 8 && bytes[0] >> 4 < 8 && (256 * bytes[0] + bytes[1]) % 31 === 0 && !(bytes[1] & 32), "a zlib stream is damaged");
  const out = new Uint8Array(size);
  const bits = new Bits(bytes, 2);
  let filled = 0;
  for (let last = 0; !last; ) {
    last = bits.take(1);
    const kind = bits.take(2);
    need(kind < 3, "a zlib stream is damaged");
    filled = kind === 0 ? putStored(bits, out, filled) : putCoded(bits, kind === 1 ? FIXED : readTables(bits), out, filled);
  }
  bits.align();
  need(bits.at + 4 === bytes.length, "a zlib stream is damaged");
  const sum = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(bits.at);
  if (filled !== size) throw new Fault(`a zlib stream holds ${filled} bytes where ${size} were wanted`);
  need(sum === adler32(out), "a zlib stream is damaged");
  return out;
}
