// Lists of a chunk: entries, so many a frame, of channels that have such (io/README.md, "Lists"). An entry is predicted from the one that
// it follows in the frame before: of the same place for keys, of the same keys for the other numbers.
import { BOUNDED, joinPlanes, makeLossless, parseBlock, RAW, unzigzag, unzigzagHalves } from "./codec.js";
import { need } from "./fault.js";
import { u64 } from "./records.js";

const MOST_NUMBERS = 2 ** 27; // of a list: 1 GiB

// The list of a channel at `at` of a chunk's content; `at` of the result is where the next one begins.
export function parseList(view, at, id, list) {
  need(at + 8 <= view.byteLength, "a chunk ends within a list");
  const entries = u64(view, at);
  need(entries * list.fields.length <= MOST_NUMBERS, "a list is larger than 1 GiB");
  at += 8;
  const columns = list.fields.map((_, k) => {
    const header = parseBlock(view, at, { id, part: k + 1, cols: 1, kind: null }, entries);
    need(header.start === 0 && header.later === 0, "a list is predicted along its entries");
    at = header.at;
    return header;
  });
  return { id, list, entries, columns, at };
}

// For each entry the one that it follows, -1 for none. `order(b, e)`: negative, 0 or positive as entry b stands
// before, at or behind e.
function follow(starts, entries, order) {
  const before = new Int32Array(entries).fill(-1);
  for (let f = 1; f + 1 < starts.length; f++)
    for (let e = starts[f], b = starts[f - 1]; e < starts[f + 1]; e++) {
      while (b < starts[f] && order(b, e, starts[f - 1], starts[f]) < 0) b++;
      if (b < starts[f] && order(b, e, starts[f - 1], starts[f]) === 0) before[e] = b;
    }
  return before;
}

const byPlace = (b, e, firstBefore, first) => b - firstBefore - (e - first);

function byKeys(keys) {
  return (b, e) => {
    for (const key of keys) if (key[b] !== key[e]) return key[b] - key[e];
    return 0;
  };
}

function checkKeys(starts, keys) {
  for (const key of keys) for (const x of key) need(Number.isSafeInteger(x), "a key of a list is no whole number");
  const order = byKeys(keys);
  for (let f = 0; keys.length && f + 1 < starts.length; f++)
    for (let e = starts[f] + 1; e < starts[f + 1]; e++) need(order(e - 1, e) < 0, "the keys of a list are out of order");
}

function decodeBounded({ time, gain }, entries, before, { lo, hi }) {
  const q = new Float64Array(entries);
  unzigzag(lo, hi, q);
  for (let e = 0; e < entries; e++) {
    const a = time > 0 ? before[e] : -1;
    const b = time > 1 && a >= 0 ? before[a] : -1;
    const c = time > 2 && b >= 0 ? before[b] : -1;
    if (c >= 0) q[e] += 3 * (q[a] - q[b]) + q[c];
    else if (b >= 0) q[e] += 2 * q[a] - q[b];
    else if (a >= 0) q[e] += q[a];
  }
  for (let e = 0; e < entries; e++) q[e] = gain * (q[e] + 0); // + 0: no negative zeros
  return q;
}

function decodeLossless({ time }, entries, before, halves) {
  const x = new Float64Array(entries);
  const bits = new Uint32Array(x.buffer);
  unzigzagHalves(halves);
  for (let e = 0; e < entries; e++) {
    const a = time > 0 ? before[e] : -1;
    const b = time > 1 && a >= 0 ? before[a] : -1;
    const c = time > 2 && b >= 0 ? before[b] : -1;
    makeLossless(x, bits, e, halves.lo, halves.hi, a, b, c);
  }
  return x;
}

function decodeRaw(entries, { lo, hi }) {
  const x = new Float64Array(entries);
  const bits = new Uint32Array(x.buffer);
  for (let e = 0; e < entries; e++) [bits[2 * e], bits[2 * e + 1]] = [lo[e], hi[e]];
  return x;
}

async function decodeColumn(header, entries, before) {
  const halves = await joinPlanes(header.planes, entries);
  if (header.mode === RAW) return decodeRaw(entries, halves);
  return header.mode === BOUNDED ? decodeBounded(header, entries, before, halves) : decodeLossless(header, entries, before, halves);
}

// {starts, columns}: frame f has the entries from starts[f] to starts[f + 1]; columns hold one number of all of them each.
export async function decodeList({ list, entries, columns }, counts) {
  const starts = [0];
  for (const n of counts) {
    need(Number.isSafeInteger(n) && n >= 0, "the count of a list is no number of entries");
    starts.push(starts.at(-1) + n);
  }
  need(starts.at(-1) === entries, "a list has another length than its counts say");
  const places = follow(starts, entries, byPlace);
  let before = places;
  const out = [];
  for (let k = 0; k < columns.length; k++) {
    if (k === list.keys) {
      checkKeys(starts, out);
      if (list.keys) before = follow(starts, entries, byKeys(out.slice()));
    }
    out.push(await decodeColumn(columns[k], entries, before));
  }
  if (list.keys === columns.length) checkKeys(starts, out);
  return { starts, columns: out };
}
