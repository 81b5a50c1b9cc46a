// Numbers of channels over a whole run, thinned where there are more frames than points: of each stretch of frames the least and the
// largest stay, so that no peak is lost.
import { Fault } from "../mbt/fault.js";

// `columns`: [channel id, index in its frame]. Gives {times, values: one array a column}, NaN where frames are missing or damaged.
export async function readSeries(trajectory, columns, most = 4000) {
  const wanted = [...new Set(columns.map(([id]) => id))];
  const frames = trajectory.chunks.reduce((sum, c) => sum + c.count, 0);
  const stretch = Math.max(1, Math.ceil((2 * frames) / most));
  const keepers = columns.map(() => new Thinner(stretch));
  let expected = 0;
  for (let i = 0; i < trajectory.chunks.length; i++) {
    const { first, count, t0 } = trajectory.chunks[i];
    if (first > expected) keepers.forEach((k) => k.gap(t0));
    expected = first + count;
    const chunk = await readOrGap(trajectory, i, wanted);
    if (!chunk) keepers.forEach((k) => k.gap(t0));
    else columns.forEach(([id, index], k) => addColumn(keepers[k], trajectory, chunk, id, index));
  }
  return keepers.map((k) => k.finish());
}

// Every n-th frame's numbers, one array a column; frames that are damaged are left out.
export async function readStrided(trajectory, columns, most = 5000) {
  const wanted = [...new Set(columns.map(([id]) => id))];
  const stride = Math.max(1, Math.ceil(trajectory.frames / most));
  const out = columns.map(() => []);
  for (let i = 0; i < trajectory.chunks.length; i++) {
    const chunk = await readOrGap(trajectory, i, wanted);
    if (!chunk) continue;
    const first = (stride - (chunk.first % stride)) % stride;
    for (let r = first; r < chunk.times.length; r += stride)
      columns.forEach(([id, index], k) => {
        const { items, width } = trajectory.head.channels[id];
        out[k].push(chunk.channels[id][r * items * width + index]);
      });
  }
  return out;
}

async function readOrGap(trajectory, i, wanted) {
  try {
    return await trajectory.readChunk(i, wanted);
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

function addColumn(keeper, trajectory, chunk, id, index) {
  const { items, width } = trajectory.head.channels[id];
  const x = chunk.channels[id];
  for (let r = 0; r < chunk.times.length; r++) keeper.add(chunk.times[r], x[r * items * width + index]);
}

class Thinner {
  constructor(stretch) {
    this.stretch = stretch;
    this.times = [];
    this.values = [];
    this.#begin();
  }

  #begin() {
    this.n = 0;
    this.low = [0, Infinity];
    this.high = [0, -Infinity];
  }

  add(t, x) {
    if (this.stretch === 1) return this.#put(t, x);
    if (!(x >= this.low[1])) this.low = [t, x];
    if (!(x <= this.high[1])) this.high = [t, x];
    if (++this.n === this.stretch) this.#flush();
  }

  gap(t) {
    this.#flush();
    this.#put(t, NaN);
  }

  finish() {
    this.#flush();
    return { times: this.times, values: this.values };
  }

  #flush() {
    if (this.n === 0) return;
    const [first, last] = this.low[0] <= this.high[0] ? [this.low, this.high] : [this.high, this.low];
    this.#put(...first);
    if (last[0] > first[0]) this.#put(...last);
    this.#begin();
  }

  #put(t, x) {
    this.times.push(t);
    this.values.push(Number.isFinite(x) ? x : null);
  }
}
