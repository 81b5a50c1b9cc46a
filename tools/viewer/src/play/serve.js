// What the page asks of trajectories, wherever that is answered: in a worker, or in the page where there is none.
import { Trajectory } from "../mbt/trajectory.js";
import { Base64Source, BlobSource, BytesSource } from "../mbt/source.js";
import { compareRuns } from "../compare/compare.js";
import { readSeries, readStrided } from "./series.js";

// `given`: {base64: Blob} of text in a page, a File, or bytes.
function sourceOf(given) {
  if (given.base64) return Base64Source.open(given.base64);
  return given instanceof Blob ? new BlobSource(given) : new BytesSource(given);
}

const calls = {
  async open(runs, given) {
    const t = await Trajectory.open(await sourceOf(given));
    runs.push(t);
    const { head, meshes, events, provenances, drawing, troubles, chunks, whole, checkpoints, frames } = t;
    const size = t.source.size;
    const value = { run: runs.length - 1, head, meshes, events, provenances, drawing, troubles, chunks, whole, checkpoints, frames, size };
    return { value, transfer: [] };
  },

  async chunk(runs, run, i, wanted) {
    const value = await runs[run].readChunk(i, wanted);
    return { value, transfer: value.channels.filter(Boolean).map((c) => c.buffer).concat(value.times.buffer) };
  },

  async series(runs, run, columns, most) {
    const value = await readSeries(runs[run], columns, most);
    return { value, transfer: [] };
  },

  async strided(runs, run, columns, most) {
    const value = await readStrided(runs[run], columns, most);
    return { value, transfer: [] };
  },

  // `tolerances`: {fallback, channels by name}, or null for those that `mbsim diff` has by itself.
  async compare(runs, a, b, names, tolerances) {
    const tolerance = tolerances ? (channel) => tolerances.channels[channel] || tolerances.fallback : undefined;
    const value = await compareRuns({ run: runs[a], name: names[0] }, { run: runs[b], name: names[1] }, tolerance);
    return { value, transfer: [] };
  },
};

// A function that answers calls by name.
export function serve() {
  const runs = [];
  return (call, args) => calls[call](runs, ...args);
}
