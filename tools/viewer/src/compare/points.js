// Ranges of channels, and one frame against another (io/compare/compare_points.c).
import { numberError, rotationError, same, scaled, signOf } from "./measure.js";

// ---- ranges ----------------------------------------------------------------------------------------------------

// A position's zero is arbitrary; no motion, no force, no energy is a natural one.
function beginExtents({ a }) {
  const fromZero = a.quantity !== "pose" && !a.rotation;
  const n = a.items * a.width;
  return {
    low: new Float64Array(n).fill(a.rotation ? NaN : fromZero ? 0 : Infinity),
    high: new Float64Array(n).fill(a.rotation || fromZero ? 0 : -Infinity),
  };
}

// Of rotations `low` is the first quaternion and high[i] the largest angle from it.
function extendRotation({ low, high }, x, at) {
  for (let i = 0; i < low.length; i += 4) {
    if (!Number.isFinite(x[at + i] + x[at + i + 1] + x[at + i + 2] + x[at + i + 3])) continue;
    if (low[i] !== low[i]) for (let k = 0; k < 4; k++) low[i + k] = x[at + i + k];
    high[i] = Math.max(high[i], rotationError(low, i, x, at + i));
  }
}

function extend(pair, extents, x, at) {
  if (pair.a.rotation) return extendRotation(extents, x, at);
  const { low, high } = extents;
  for (let i = 0; i < low.length; i++) {
    const value = x[at + i];
    if (!Number.isFinite(value)) continue;
    if (value < low[i]) low[i] = value;
    if (value > high[i]) high[i] = value;
  }
}

function endExtents(pair, { low, high }, tolerance) {
  const { a, group, range, result } = pair;
  for (let i = 0; i < a.items * a.width; i++) {
    const extent = a.rotation ? high[i] : high[i] - low[i];
    const g = group[i % a.width];
    if (extent > range[g]) range[g] = Math.min(extent, Number.MAX_VALUE);
  }
  const { atol, rtol, whole } = tolerance(a.name);
  const bounds = whole ? 0 : pair.boundA + pair.boundB;
  Object.assign(result, { range: 0, atol: atol + bounds, rtol, exceeding: 0, jump: false });
  for (let k = 0; k < a.width; k++) {
    range[k] = range[group[k]];
    pair.tolerance[k] = atol + bounds + (rtol > 0 ? rtol * range[k] : 0);
    result.range = Math.max(result.range, range[k]);
  }
}

// Fills ranges and tolerances of the pairs from all frames that `walk` over the first run finds.
export async function measureRanges(pairs, walk, tolerance) {
  const extents = pairs.map(beginExtents);
  while (walk.forward() || (await walk.next()))
    pairs.forEach((pair, i) => extend(pair, extents[i], walk.chunk.channels[pair.inA], walk.offset(pair.a)));
  pairs.forEach((pair, i) => endExtents(pair, extents[i], tolerance));
}

// ---- one frame -------------------------------------------------------------------------------------------------

// What one channel comes to in one frame; numbers are named by item and component.
class Tally {
  constructor(pair) {
    Object.assign(this, { pair, largest: 0, excess: -1, worst: null, beyond: null, exceeding: 0 });
  }

  count(error, item, component) {
    if (error > this.largest || !this.worst) {
      this.largest = error;
      this.worst = [item, component];
    }
    const tolerance = this.pair.tolerance[component];
    if (error <= tolerance && tolerance > 0) return;
    this.exceeding++;
    const excess = scaled(error - tolerance, this.pair.range[component]);
    if (excess > this.excess) {
      this.excess = excess;
      this.beyond = [item, component];
    }
  }
}

// The component of a rotation that is furthest off, −1 where none is.
function worstOf(x, i, y, j) {
  const sign = signOf(x, i, y, j);
  let largest = 0;
  let worst = -1;
  for (let k = 0; k < 4; k++) {
    const error = numberError(x[i + k], sign * y[j + k]);
    if (error > largest) [largest, worst] = [error, k];
  }
  return worst;
}

function tallyPair(pair, x, atX, y, atY) {
  const tally = new Tally(pair);
  const { a, b, item, component } = pair;
  for (let n = 0; n < a.items; n++) {
    if (item[n] < 0) continue;
    const i = atX + n * a.width;
    const j = atY + item[n] * b.width;
    if (a.rotation) {
      const k = worstOf(x, i, y, j);
      if (k >= 0) tally.count(rotationError(x, i, y, j), n, k);
      continue;
    }
    for (let k = 0; k < a.width; k++) {
      if (component[k] < 0 || same(x[i + k], y[j + component[k]])) continue;
      tally.count(numberError(x[i + k], y[j + component[k]]), n, k);
    }
  }
  return tally;
}

// The difference of one number, with all that is told about it.
function describe(pair, [item, component], frame, time, x, atX, y, atY) {
  const { a, b } = pair;
  const i = atX + item * a.width;
  const j = atY + pair.item[item] * b.width;
  const sign = a.rotation ? signOf(x, i, y, j) : 1;
  const [mine, theirs] = [x[i + component] + 0, sign * y[j + pair.component[component]] + 0];
  const error = a.rotation ? rotationError(x, i, y, j) : numberError(mine, theirs);
  return {
    item, component, frame, time, a: mine, b: theirs, error,
    allowed: pair.tolerance[component],
    scaled: scaled(error, pair.range[a.rotation ? 0 : component]),
  };
}

// Compares the frames that two walks stand at; `curves` get the largest error of each channel.
export function comparePoints(pairs, a, b, curves) {
  pairs.forEach((pair, n) => {
    const { result } = pair;
    const [x, y] = [a.chunk.channels[pair.inA], b.chunk.channels[pair.inB]];
    const [atX, atY] = [a.offset(pair.a), b.offset(pair.b)];
    const tally = tallyPair(pair, x, atX, y, atY);
    const told = (where) => describe(pair, where, a.frame, a.time, x, atX, y, atY);
    if (tally.worst && (!result.worst || tally.largest > result.worst.error)) result.worst = told(tally.worst);
    if (tally.exceeding && !result.first) result.first = told(tally.beyond);
    result.exceeding += tally.exceeding;
    if (tally.exceeding) result.pass = false;
    pair.growth.add(a.time, tally.largest, tally.exceeding > 0);
    curves[n].add(a.time, tally.largest);
  });
}
