// Two trajectories against one another as `mbsim diff` compares them: which numbers belong together, how far they are apart, where one
// first exceeds its tolerance, the verdict. The members of the result are those of `mbsim diff --json`; `curves` holds the largest error of
// each channel over time.
import { Fault } from "../mbt/fault.js";
import { Growth } from "./growth.js";
import { ulps } from "./measure.js";
import { alignRuns, Notes } from "./pairs.js";
import { comparePoints, measureRanges } from "./points.js";
import { general, verdictOf } from "./verdict.js";
import { Walk } from "./walk.js";

const MOST_POINTS = 2000; // of a curve

// The largest of every stretch of frames, and when it was.
class Largest {
  constructor(stretch) {
    Object.assign(this, { stretch, n: 0, times: [], values: [] });
  }

  add(time, value) {
    const last = this.values.length - 1;
    if (this.n++ % this.stretch === 0) {
      this.times.push(time);
      this.values.push(value);
    } else if (value > this.values[last]) [this.times[last], this.values[last]] = [time, value];
  }
}

class Lonely {
  constructor(has) {
    Object.assign(this, { has, count: 0 });
  }

  add(walk) {
    if (!this.count++) Object.assign(this, { frame: walk.frame, time: walk.time });
  }

  note(notes) {
    const { count, frame, time, has } = this;
    if (count === 1) notes.add(`frame ${frame} at t = ${general(time, 9)} s is only in ${has}`);
    if (count > 1) notes.add(`${count} frames from t = ${general(time, 9)} s (frame ${frame}) on are only in ${has}`);
  }
}

// Frames of the same time, to a part of a step or to the last bits of a long run's time.
async function matchFrames(pairs, wa, wb, { slack, curves, lonely }) {
  let frames = 0;
  let [inA, inB] = [await wa.next(), await wb.next()];
  while (inA || inB) {
    const [ta, tb] = [wa.time, wb.time];
    if (inA && inB && Math.abs(ta - tb) <= Math.max(slack, 2 ** -51 * Math.abs(ta))) {
      comparePoints(pairs, wa, wb, curves);
      frames++;
      inA = wa.forward() || (await wa.next());
      inB = wb.forward() || (await wb.next());
    } else if (ta < tb) {
      lonely[0].add(wa);
      inA = wa.forward() || (await wa.next());
    } else {
      lonely[1].add(wb);
      inB = wb.forward() || (await wb.next());
    }
  }
  return frames;
}

// A file that was cut off or damaged is never the same as another one, whatever is left of it.
function noteDamage(notes, { run, name }, unreadable) {
  const gaps = [];
  let expected = 0;
  let there = 0;
  for (const { first, count } of run.chunks) {
    there += count;
    if (first > expected) gaps.push([expected, first - 1]);
    expected = first + count;
  }
  for (const [first, last] of unreadable) there -= last - first + 1;
  if (!run.whole || gaps.length || unreadable.length) {
    notes.add(`${name} is cut off or damaged; ${there} frames of it are readable`);
  }
  for (const [first, last] of [...gaps, ...unreadable].sort((p, q) => p[0] - q[0])) notes.add(`${name} lacks frames ${first} to ${last}`);
}

function finish(pairs) {
  for (const pair of pairs) {
    const { result } = pair;
    Object.assign(result, pair.growth.fit(), { pair });
    const exact = !pair.boundA && !pair.boundB;
    for (const d of [result.worst, result.first].filter(Boolean)) nameDifference(pair, d, exact);
  }
}

function nameDifference({ a, itemNames }, d, exact) {
  const item = itemNames?.[d.item] ?? (a.items > 1 ? String(d.item) : "");
  const component = a.rotation ? "angle" : a.component_names?.[d.component] || "";
  d.place = [item, component].filter(Boolean).join(" ");
  d.ulps = exact ? ulps(d.a, d.b) : 0;
}

// `a` and `b`: {run: Trajectory, name}. `tolerance(channel)`: {atol, rtol, whole}, `whole` where the files' own bounds are in atol already;
// without it nothing but those bounds, as `mbsim diff` has it.
// Throws a Fault where they cannot be compared.
export async function compareRuns(a, b, tolerance = () => ({ atol: 0, rtol: 0 })) {
  const notes = new Notes();
  const { channels, pairs } = alignRuns(a, b, notes);
  for (const { run, name } of [a, b]) if (!run.chunks.length) throw new Fault(`${name} has no frames`);
  const [idsA, idsB] = [pairs.map((p) => p.inA), pairs.map((p) => p.inB)];
  await measureRanges(pairs, new Walk(a.run, idsA), tolerance);
  const stretch = Math.max(1, Math.ceil(a.run.frames / MOST_POINTS));
  const curves = pairs.map((pair) => ((pair.growth = new Growth()), new Largest(stretch)));
  const [wa, wb] = [new Walk(a.run, idsA), new Walk(b.run, idsB)];
  const lonely = [new Lonely(a.name), new Lonely(b.name)];
  const size = a.run.head.step;
  const frames = await matchFrames(pairs, wa, wb, { slack: size > 0 && Number.isFinite(size) ? 1e-9 * size : 0, curves, lonely });
  lonely.forEach((only) => only.note(notes));
  noteDamage(notes, a, wa.gaps);
  noteDamage(notes, b, wb.gaps);
  if (!frames) throw new Fault(`${a.name} and ${b.name} have no time in common`);
  finish(pairs);
  const missing = notes.close();
  const same = !missing.length && channels.every((c) => c.pass);
  const verdict = verdictOf({ same, channels, missing, frames, pairs: pairs.length });
  channels.forEach((c) => delete c.pair);
  return {
    same, frames, verdict, missing, channels,
    curves: pairs.map(({ a }, i) => ({ label: a.name, times: curves[i].times, values: curves[i].values })),
  };
}
