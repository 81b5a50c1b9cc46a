// Decoding one block: byte planes, then residuals along rows and in time (io/README.md, "CHNK"). A block's numbers are `count` rows of
// `cols`. Whole numbers of bounded blocks are kept in doubles, which hold them exactly: writers keep |q| ≤ 2⁴⁸, so that no sum on the
// way exceeds 2⁵³. Lossless ones are 64-bit patterns in two halves.
import { Fault, need } from "./fault.js";
import { inflate } from "./inflate.js";
import { movePositions, moveRotations } from "./moving.js";

export const RAW = 0;
export const LOSSLESS = 1;
export const BOUNDED = 2;

// The header and planes of a block at `at` of a chunk's content; `at` of the result is where the next one begins.
export function parseBlock(view, at, block, count) {
  need(at + 24 <= view.byteLength, "a chunk ends within a block");
  const width = view.getUint8(at + 4);
  const predictor = view.getUint8(at + 3);
  const header = {
    mode: view.getUint8(at + 2),
    time: predictor & 3,
    start: (predictor >> 2) & 3,
    later: (predictor >> 4) & 3,
    moving: (predictor & 64) !== 0,
    gain: view.getFloat64(at + 16, true),
    planes: [],
    at: 0,
  };
  need(
    view.getUint16(at, true) === block.id && view.getUint8(at + 5) === block.part && !view.getUint16(at + 6, true),
    "a block is not the one that was to come",
  );
  checkHeader(header, predictor, width, block);
  const N = count * block.cols;
  let data = at + 24 + 5 * width;
  need(data <= view.byteLength, "a chunk ends within a block");
  for (let b = 0; b < width; b++) {
    const kind = view.getUint8(at + 24 + 5 * b);
    const length = view.getUint32(at + 25 + 5 * b, true);
    need(kind < 3 && (kind !== 0 || length === N) && (kind !== 2 || length === 1), "a plane is of no known kind");
    need(data + length <= view.byteLength, "a chunk ends within a plane");
    header.planes.push({ kind, bytes: new Uint8Array(view.buffer, view.byteOffset + data, length) });
    data += length;
  }
  header.at = data;
  return header;
}

function checkHeader(header, predictor, width, block) {
  const { mode, time, start, later, moving, gain } = header;
  need(mode <= BOUNDED && width <= 8 && predictor < 128, "a block has no known mode");
  need(start < 3 && later < 3 && (mode !== RAW || predictor === 0), "a block has no known predictor");
  need(!moving || (mode === BOUNDED && block.kind && (time === 1 || time === 2)), "a block has no velocities");
  need(mode !== BOUNDED || (gain > 0 && gain <= 1e300), "a block has no gain");
}

// The low and high halves of the N integers z.
export async function joinPlanes(planes, N) {
  const lo = new Uint32Array(N);
  const hi = planes.length > 4 ? new Uint32Array(N) : null;
  for (let b = 0; b < planes.length; b++) {
    const { kind, bytes } = planes[b];
    const to = b < 4 ? lo : hi;
    const shift = 8 * (b & 3);
    if (kind === 2) {
      const value = bytes[0] << shift;
      if (value) for (let i = 0; i < N; i++) to[i] |= value;
      continue;
    }
    const plane = kind === 1 ? await inflate(bytes, N) : bytes;
    for (let i = 0; i < N; i++) to[i] |= plane[i] << shift;
  }
  return { lo, hi: hi || new Uint32Array(N) };
}

// Sums along a row: number j of every item on that of the item before.
function sumRow(q, at, w, cols, times) {
  for (let n = 0; n < times; n++) for (let j = w; j < cols; j++) q[at + j] += q[at + j - w];
}

function boundedTimes(q, at, cols, k) {
  if (k === 1) for (let j = 0; j < cols; j++) q[at + j] += q[at - cols + j];
  else if (k === 2) for (let j = 0; j < cols; j++) q[at + j] += 2 * q[at - cols + j] - q[at - 2 * cols + j];
  else if (k === 3)
    for (let j = 0; j < cols; j++)
      q[at + j] += 3 * (q[at - cols + j] - q[at - 2 * cols + j]) + q[at - 3 * cols + j];
}

export function unzigzag(lo, hi, q) {
  for (let i = 0; i < q.length; i++) {
    const z = hi[i] * 4294967296 + lo[i];
    q[i] = lo[i] & 1 ? -(z + 1) / 2 : z / 2;
  }
}

// `velocity`: decoded rows of the block's velocities, where it is predicted from them.
function decodeBounded(header, block, count, times, { lo, hi }, velocity) {
  const { w, cols } = block;
  const q = new Float64Array(count * cols);
  unzigzag(lo, hi, q);
  for (let r = 0; r < count; r++) {
    const k = Math.min(r, header.time);
    sumRow(q, r * cols, w, cols, r < header.time ? header.start : header.later);
    if (!header.moving || k === 0) boundedTimes(q, r * cols, cols, k);
    else if (block.kind === "position") movePositions(q, velocity, r, k, cols, times[r] - times[r - k], header.gain);
    else moveRotations(q, velocity, r, k, cols, times[r] - times[r - k], header.gain);
  }
  for (let i = 0; i < q.length; i++) q[i] = header.gain * (q[i] + 0); // + 0: no negative zeros
  return q;
}

const scratch = new Float64Array(1);
const scratchBits = new Uint32Array(scratch.buffer);

// The pattern that a number is predicted to have from numbers a, b and c before it (-1: none), into scratch; false where there is none.
// NaNs keep their payload only as bits, hence the copy of them.
function predict(x, bits, a, b, c) {
  if (a < 0) return false;
  const p = b < 0 ? x[a] : c < 0 ? 2 * x[a] - x[b] : 3 * (x[a] - x[b]) + x[c];
  if (b < 0 || p !== p) {
    scratchBits[0] = bits[2 * a];
    scratchBits[1] = bits[2 * a + 1];
  } else scratch[0] = p;
  return true;
}

export function unzigzagHalves({ lo, hi }) {
  for (let i = 0; i < lo.length; i++) {
    const m = -(lo[i] & 1);
    lo[i] = ((lo[i] >>> 1) | (hi[i] << 31)) ^ m;
    hi[i] = (hi[i] >>> 1) ^ m;
  }
}

// Number i of x from its residual and the numbers a, b and c before it (-1: none).
export function makeLossless(x, bits, i, lo, hi, a, b, c) {
  let low = lo[i];
  let high = hi[i];
  if (predict(x, bits, a, b, c)) {
    const negative = scratchBits[1] >>> 31 ? 0xffffffff : 0;
    const sum = low + ((scratchBits[0] ^ negative) >>> 0);
    high = (high + ((scratchBits[1] ^ (negative & 0x7fffffff)) >>> 0) + (sum > 0xffffffff ? 1 : 0)) >>> 0;
    low = sum >>> 0;
  }
  const negative = high >>> 31 ? 0xffffffff : 0;
  bits[2 * i] = low ^ negative;
  bits[2 * i + 1] = high ^ (negative & 0x7fffffff);
}

function decodeLossless(header, block, count, halves) {
  const { w, cols } = block;
  const { lo, hi } = halves;
  const x = new Float64Array(count * cols);
  const bits = new Uint32Array(x.buffer);
  unzigzagHalves(halves);
  for (let r = 0; r < count; r++) {
    const at = r * cols;
    const k = Math.min(r, header.time);
    const sums = r < header.time ? header.start : header.later;
    for (let n = 0; n < sums; n++)
      for (let i = at + w; i < at + cols; i++) {
        const sum = lo[i] + lo[i - w];
        hi[i] = hi[i] + hi[i - w] + (sum > 0xffffffff ? 1 : 0);
        lo[i] = sum;
      }
    const [a, b, c] = [k > 0 ? cols : 0, k > 1 ? 2 * cols : 0, k > 2 ? 3 * cols : 0];
    for (let i = at; i < at + cols; i++) makeLossless(x, bits, i, lo, hi, a ? i - a : -1, b ? i - b : -1, c ? i - c : -1);
  }
  return x;
}

function decodeRaw(block, count, { lo, hi }) {
  const x = new Float64Array(count * block.cols);
  const bits = new Uint32Array(x.buffer);
  for (let i = 0; i < x.length; i++) {
    bits[2 * i] = lo[i];
    bits[2 * i + 1] = hi[i];
  }
  return x;
}

// The numbers of a block, count x cols.
export async function decodeBlock(header, block, count, times, velocity) {
  const halves = await joinPlanes(header.planes, count * block.cols);
  switch (header.mode) {
    case RAW:
      return decodeRaw(block, count, halves);
    case LOSSLESS:
      return decodeLossless(header, block, count, halves);
    case BOUNDED:
      return decodeBounded(header, block, count, times, halves, velocity);
    default:
      throw new Fault("a block has no known mode");
  }
}
