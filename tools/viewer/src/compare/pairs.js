// Which channels, items and components of two trajectories belong together, and what only one of them has (io/compare/compare_align.c).
import { rotationBound } from "./measure.js";
import { Fault } from "../mbt/fault.js";

const MOST_NOTES = 63;

// Sentences on what only one of the two has; equal ones are kept once, and those beyond the most that are kept are counted.
export class Notes {
  constructor() {
    this.list = [];
    this.unsaid = 0;
  }

  add(text) {
    if (this.list.includes(text)) return;
    if (this.list.length === MOST_NOTES) this.unsaid++;
    else this.list.push(text);
  }

  close() {
    return this.unsaid ? [...this.list, `and ${this.unsaid} more`] : this.list;
  }
}

const itemNames = (run, channel) => (channel.items_names === "bodies" ? run.head.bodies : channel.items_names) || null;

// "body" of "body.position": what its items are.
const kindOf = (channel) => channel.split(".")[0];

function knowsItem(run, channel, item) {
  const kind = kindOf(channel);
  return run.head.channels.some((c) => kindOf(c.name) === kind && itemNames(run, c)?.includes(item));
}

function noteItem(notes, channel, item, has, lacks) {
  if (notes.unsaid) return void notes.unsaid++;
  const knows = knowsItem(lacks.run, channel, item);
  notes.add(knows ? `${channel} of '${item}' is only in ${has.name}` : `${kindOf(channel)} '${item}' is only in ${has.name}`);
}

// Index of the first of each name.
function places(names) {
  const map = new Map();
  names.forEach((name, i) => map.has(name) || map.set(name, i));
  return map;
}

// Items by their names where both have names, else by their places; −1 where there is none.
function alignItems(notes, a, b, ca, cb) {
  const mine = itemNames(a.run, ca), theirs = itemNames(b.run, cb);
  if (!mine || !theirs) {
    if (ca.items !== cb.items) notes.add(`${ca.name} has ${ca.items} items in ${a.name} and ${cb.items} in ${b.name}`);
    return Array.from({ length: ca.items }, (_, i) => (i < cb.items ? i : -1));
  }
  const inA = places(mine), inB = places(theirs);
  const items = mine.map((name) => inB.get(name) ?? -1);
  items.forEach((i, k) => i < 0 && noteItem(notes, ca.name, mine[k], a, b));
  theirs.forEach((name) => inA.has(name) || noteItem(notes, cb.name, name, b, a));
  return items;
}

function alignComponents(notes, a, b, ca, cb) {
  const mine = ca.component_names, theirs = cb.component_names;
  if (ca.rotation || !mine || !theirs) {
    if (ca.width !== cb.width) notes.add(`${ca.name} has ${ca.width} components in ${a.name} and ${cb.width} in ${b.name}`);
    return Array.from({ length: ca.width }, (_, k) => (k < cb.width ? k : -1));
  }
  const components = mine.map((name) => theirs.indexOf(name));
  components.forEach((k, i) => k < 0 && notes.add(`${ca.name}: component '${mine[i]}' is only in ${a.name}`));
  theirs.forEach((name) => mine.includes(name) || notes.add(`${cb.name}: component '${name}' is only in ${b.name}`));
  return components;
}

// Components share a range if their names differ in the axis at the end only; those of an energy share one.
function shareRange(channel, j, k) {
  if (channel.quantity === "energy" || channel.rotation || !channel.component_names) return true;
  const x = channel.component_names[j], y = channel.component_names[k];
  if (!x || x.length !== y.length || x.slice(0, -1) !== y.slice(0, -1)) return false;
  return "xyzw".includes(x.at(-1)) && "xyzw".includes(y.at(-1));
}

function groupsOf(channel) {
  return Array.from({ length: channel.width }, (_, k) => {
    let g = 0;
    while (g < k && !shareRange(channel, g, k)) g++;
    return g;
  });
}

// What cannot be compared number by number although the names are the same is noted.
function fit(notes, a, b, ca, cb) {
  if (ca.rotation !== cb.rotation || (ca.rotation && (ca.width !== 4 || cb.width !== 4))) {
    notes.add(`${ca.name} holds unit quaternions in one file only`);
    return false;
  }
  const [ua, ub] = [ca.unit || "", cb.unit || ""];
  if (ua === ub) return true;
  notes.add(`${ca.name} is in '${ua}' in ${a.name} and in '${ub}' in ${b.name}`);
  return false;
}

function offsets(run) {
  let at = 0;
  return run.head.channels.map((c) => (at += c.items * c.width) - c.items * c.width);
}

function makePair(notes, a, b, inA, inB) {
  const ca = a.run.head.channels[inA], cb = b.run.head.channels[inB];
  const bound = (c) => (c.rotation ? rotationBound(c.bound || 0) : c.bound || 0);
  const item = alignItems(notes, a, b, ca, cb);
  const component = alignComponents(notes, a, b, ca, cb);
  return {
    a: ca, b: cb, inA, inB, item, component,
    group: groupsOf(ca),
    boundA: bound(ca), boundB: bound(cb),
    range: new Float64Array(ca.width), tolerance: new Float64Array(ca.width),
    itemNames: itemNames(a.run, ca),
    common: (item.some((i) => i >= 0) && component.some((k) => k >= 0)) || (!ca.items && !cb.items),
  };
}

// Files whose scenes have bodies and deformables, none with a name in common, cannot be compared.
function checkRelated(a, b) {
  const scenes = [a.run.head.scene, b.run.head.scene];
  if (scenes.some((s) => !s || typeof s !== "object")) return;
  const lists = (s) => ["bodies", "deformables"].map((kind) => (Array.isArray(s[kind]) ? s[kind] : []));
  const [mine, theirs] = scenes.map(lists);
  const nameOf = (x) => (typeof x?.name === "string" ? x.name : null);
  const alike = mine.some((list, i) => {
    const names = theirs[i].map(nameOf);
    return [...list.map(nameOf), ...names].includes(null) || list.some((x) => names.includes(nameOf(x)));
  });
  const named = [mine, theirs].every((s) => s.some((list) => list.length));
  if (named && !alike)
    throw new Fault(`${a.name} and ${b.name} are of unrelated scenes: no body and no deformable of one has a name that the other knows`);
}

// {channels: results in a's order, then those only in b; pairs}. `a` and `b` are {run, name}.
export function alignRuns(a, b, notes) {
  checkRelated(a, b);
  const mine = a.run.head.channels, theirs = b.run.head.channels;
  const [offsetA, offsetB] = [offsets(a.run), offsets(b.run)];
  const channels = [];
  const pairs = [];
  const add = (channel, inA, inB) => {
    const entry = { channel: channel.name, unit: (inA >= 0 && channel.unit) || "", compared: false, pass: false };
    channels.push(entry);
    if (inA < 0 || inB < 0) return notes.add(`channel ${channel.name} is only in ${inA < 0 ? b.name : a.name}`);
    if (!fit(notes, a, b, channel, theirs[inB])) return;
    const pair = { ...makePair(notes, a, b, inA, inB), result: entry, offsetA: offsetA[inA], offsetB: offsetB[inB] };
    entry.compared = entry.pass = pair.common;
    pairs.push(pair);
  };
  mine.forEach((channel, i) => {
    const j = theirs.findIndex((c) => c.name === channel.name);
    if (!channel.unstable && !(j >= 0 && theirs[j].unstable)) add(channel, i, j);
  });
  theirs.forEach((channel, j) => channel.unstable || mine.some((c) => c.name === channel.name) || add(channel, -1, j));
  if (!pairs.length) throw new Fault(`${a.name} and ${b.name} have no channel in common`);
  if (!channels.some((c) => c.compared))
    throw new Fault(`${a.name} and ${b.name} have nothing in common that can be compared: ${notes.list[0] || ""}`);
  return { channels, pairs };
}
