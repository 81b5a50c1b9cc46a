// One trajectory as the page sees it: channels by name, frames by number, chunks decoded on demand and kept while there is room.
import { columnsOf } from "./columns.js";

const ROOM = 96 * 2 ** 20; // bytes of decoded numbers

const SAMPLED = 10 * 2 ** 20; // bytes of decoded numbers that samples are taken of

// At most `most` of the whole numbers below n, evenly, with the first and the last one.
function spread(n, most) {
  const count = Math.min(n, most);
  return Array.from({ length: count }, (_, i) => Math.round((i * (n - 1)) / Math.max(1, count - 1)));
}

export class Run {
  static async open(backend, given, name) {
    const opened = await backend.call("open", given);
    return new Run(backend, opened, name);
  }

  constructor(backend, opened, name) {
    Object.assign(this, opened, { backend, id: opened.run, name });
    this.channels = opened.head.channels;
    this.bodies = opened.head.bodies || [];
    this.byName = new Map(this.channels.map((c, id) => [c.name, id]));
    this.decoded = new Map(); // chunk → promise or chunk, in order of use
    this.bytes = 0;
    this.duration = this.chunks.length ? this.chunks.at(-1).t1 : 0;
    this.start = this.chunks.length ? this.chunks[0].t0 : 0;
  }

  // {id, items, width, names of its items …}, or null.
  channel(name) {
    const id = this.byName.get(name);
    if (id === undefined) return null;
    const { items_names: names } = this.channels[id];
    return { id, ...this.channels[id], items_names: names === "bodies" ? this.bodies : names };
  }

  // The chunk that holds the last frame at or before `time`, or the first.
  chunkAt(time) {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.chunks[middle].t0 <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  chunkOf(frame) {
    const i = this.chunks.findIndex((c) => frame < c.first + c.count);
    return i < 0 ? this.chunks.length - 1 : i;
  }

  // Chunk i if it is decoded, else null while it is on its way; `damaged` stands in those that cannot be.
  peek(i) {
    const chunk = this.decoded.get(i);
    if (chunk === undefined) this.load(i);
    return chunk && !(chunk instanceof Promise) ? chunk : null;
  }

  load(i) {
    if (i < 0 || i >= this.chunks.length) return Promise.resolve(null);
    const there = this.decoded.get(i);
    if (there !== undefined) {
      this.decoded.delete(i);
      this.decoded.set(i, there); // used last
      return Promise.resolve(there);
    }
    const coming = this.backend.call("chunk", this.id, i).then(
      (chunk) => this.#keep(i, chunk),
      (error) => this.#damaged(i, error),
    );
    this.decoded.set(i, coming);
    return coming;
  }

  #keep(i, chunk) {
    chunk.bytes = chunk.channels.reduce((sum, c) => sum + c.byteLength, chunk.times.byteLength);
    this.bytes += chunk.bytes;
    this.decoded.set(i, chunk);
    for (const [k, old] of this.decoded) {
      if (this.bytes <= ROOM || this.decoded.size <= 3) break;
      if (k === i || old instanceof Promise) continue;
      this.decoded.delete(k);
      this.bytes -= old.bytes;
    }
    return chunk;
  }

  #damaged(i, error) {
    const { first, count } = this.chunks[i];
    this.troubles.push(`frames ${first} to ${first + count - 1}: ${error.message}`);
    const chunk = { first, times: new Float64Array(0), channels: [], bytes: 0, damaged: true };
    this.decoded.set(i, chunk);
    this.ontrouble?.();
    return chunk;
  }

  // Frame k as {frame, time, numbers(name)}, or null while its chunk is on its way.
  frame(k) {
    const i = this.chunkOf(k);
    const chunk = this.chunks.length ? this.peek(i) : null;
    if (!chunk || chunk.damaged) return null;
    return this.#view(chunk, Math.min(Math.max(k - chunk.first, 0), chunk.times.length - 1));
  }

  // The last frame at or before `time`, or the first; null while its chunk is on its way.
  frameAt(time) {
    if (!this.chunks.length) return null;
    const i = this.chunkAt(time);
    const chunk = this.peek(i);
    this.load(i + 1);
    if (!chunk || chunk.damaged) return null;
    let r = chunk.times.length - 1;
    const slack = 1e-9 * (Math.abs(time) + 1);
    while (r > 0 && chunk.times[r] > time + slack) r--;
    return this.#view(chunk, r);
  }

  // About n frames spread over the run from its first to its last, of a few chunks only where these are large.
  async samples(n) {
    const frames = [];
    const each = 8 * this.channels.reduce((sum, c) => sum + c.items * c.width, 1) * (this.chunks[0]?.count || 1);
    const picked = spread(this.chunks.length, Math.min(n, Math.max(3, Math.floor(SAMPLED / each))));
    for (const i of picked) {
      const chunk = await this.load(i);
      for (const r of spread(chunk.times.length, Math.max(2, Math.ceil(n / picked.length)))) frames.push(this.#view(chunk, r));
    }
    return frames;
  }

  #view(chunk, r) {
    return {
      frame: chunk.first + r,
      time: chunk.times[r],
      // The channel's numbers in this frame, or null where the run has no such channel.
      numbers: (name) => {
        const id = this.byName.get(name);
        if (id === undefined) return null;
        const { items, width } = this.channels[id];
        return chunk.channels[id].subarray(r * items * width, (r + 1) * items * width);
      },
    };
  }

  // Thinned curves {times, values} of [channel id, index] pairs.
  series(columns, most) {
    return this.backend.call("series", this.id, columns, most);
  }

  // The same of every n-th frame, the same frames for all of the columns: arrays of numbers alone.
  wholeColumns(columns, most = 5000) {
    return this.backend.call("strided", this.id, columns, most);
  }

  // What `mbsim diff` says of this run and another one, and the curves of their differences (compare/compare.js).
  compare(other, tolerances) {
    return this.backend.call("compare", this.id, other.id, [this.name, other.name], tolerances);
  }

  // Every number of the channels by the name that the CSV export gives its column, as [label, channel id, index].
  columns() {
    if (!this.columnList) this.columnList = this.channels.flatMap((c, id) => columnsOf(c, id, this.bodies));
    return this.columnList;
  }
}
