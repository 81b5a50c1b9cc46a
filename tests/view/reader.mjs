// The reader of trajectories in JavaScript against the program's own, bit for bit, and on files that are damaged.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { constants, deflateSync, inflateSync } from "node:zlib";
import { Fault } from "../../tools/viewer/src/mbt/fault.js";
import { Base64Source, BlobSource, BytesSource } from "../../tools/viewer/src/mbt/source.js";
import { unzlib } from "../../tools/viewer/src/mbt/unzlib.js";
import { Trajectory } from "../../tools/viewer/src/mbt/trajectory.js";
import { columnsOf } from "../../tools/viewer/src/play/columns.js";
import { exported, mbsim, runScene } from "./mbsim.mjs";

const bytesOf = (path) => new Uint8Array(readFileSync(path));

// Nested lists of numbers one behind the other; what is not finite is null in an export.
const flatten = (x) => (Array.isArray(x) ? x.flatMap(flatten) : [x]);

// The entries of a list in frame r of a chunk against those of the export; its count is their number.
function sameEntries(chunk, id, r, theirs, what) {
  const { starts, columns } = chunk.lists[id];
  const ours = Array.from({ length: starts[r + 1] - starts[r] }, (_, i) => columns.map((x) => x[starts[r] + i]));
  assert.equal(chunk.channels[id][r], theirs.length, what);
  assert.deepEqual(ours, theirs, what);
  entries += theirs.length;
}

let entries = 0;

async function expectSame(path) {
  const { header, frames } = exported(path);
  const t = await Trajectory.open(new BytesSource(bytesOf(path)));
  assert.deepEqual(t.troubles, []);
  assert.equal(t.frames, frames.length);
  let k = 0;
  for (let i = 0; i < t.chunks.length; i++) {
    const chunk = await t.readChunk(i);
    for (let r = 0; r < chunk.times.length; r++, k++) {
      assert.equal(chunk.times[r], frames[k].time);
      header.channels.forEach(({ name }, id) => {
        if (t.head.channels[id].list) return sameEntries(chunk, id, r, frames[k][name], `${path} ${name} frame ${k}`);
        const n = t.head.channels[id].items * t.head.channels[id].width;
        const theirs = flatten(frames[k][name]);
        const ours = chunk.channels[id].subarray(r * n, (r + 1) * n);
        assert.equal(ours.length, theirs.length);
        for (let j = 0; j < n; j++)
          assert.ok(Object.is(ours[j], theirs[j]) || (theirs[j] === null && !Number.isFinite(ours[j])), `${path} ${name} frame ${k} number ${j}: ${ours[j]}, not ${theirs[j]}`);
      });
    }
  }
}

const SCENES = ["redmax/robot_arm", "redmax/pan_tilt", "redmax/elbow", "redmax/coaster", "free/tennis_racket", "projective/finger", "deformables/soft_arm"];

// Not long, so that all modes of all of them take seconds.
const runShort = (name, error) =>
  runScene(`scenes/${name}.json`, `${name.split("/")[1]}-${error}`, "--error", error, "--duration", "0.3");

async function everyMode() {
  for (const name of SCENES) for (const error of ["0", "fine", "view", "1e-3"]) await expectSame(runShort(name, error));
}

// Limits that are hit and let go of, in every mode.
async function lists() {
  for (const error of ["0", "fine", "1e-3"]) {
    const before = entries;
    const channels = '/output={"channels": ["body.position", "constraint.active"]}';
    await expectSame(runScene("scenes/redmax/06-joint-limits.json", `limits-${error}`, "--error", error, "--set", channels));
    assert.ok(entries > before + 10, "limits hold in some frames");
  }
}

async function slicesAndText() {
  const path = runShort("redmax/elbow", "0");
  const bytes = bytesOf(path);
  const sources = [new BytesSource(bytes), new BlobSource(new Blob([bytes]))];
  for (const lacking of [0, 1, 2]) {
    const text = Buffer.from(bytes.subarray(lacking)).toString("base64");
    const source = await Base64Source.open(new Blob([text.slice(0, 1000), text.slice(1000)]));
    assert.deepEqual([...(await source.read(0, source.size))], [...bytes.subarray(lacking)]);
    if (!lacking) sources.push(source, new Base64Source(new BlobSource(new Blob([text])), bytes.length));
  }
  for (const source of sources) {
    assert.equal(source.size, bytes.length);
    for (const [at, n] of [[0, 16], [1, 1], [17, 100], [bytes.length - 5, 5], [bytes.length, 0]])
      assert.deepEqual([...(await source.read(at, n))], [...bytes.subarray(at, at + n)]);
    await assert.rejects(source.read(bytes.length - 1, 2), Fault);
  }
}

async function names() {
  for (const name of SCENES) {
    const path = runShort(name, "0");
    const t = await Trajectory.open(new BytesSource(bytesOf(path)));
    const ours = t.head.channels.flatMap((c, id) => columnsOf(c, id, t.head.bodies)).map(([label]) => label);
    const theirs = mbsim("export", path, "--frames", "0").toString().split("\n")[0].split(",").slice(1);
    assert.deepEqual(ours, theirs);
  }
}

// Reads everything; only Faults may come out.
async function readAll(bytes) {
  let t;
  try {
    t = await Trajectory.open(new BytesSource(bytes));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return null;
  }
  for (let i = 0; i < t.chunks.length; i++)
    try {
      await t.readChunk(i);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      t.troubles.push(error.message);
    }
  return t;
}

async function corpus() {
  const folder = "tests/fuzz/corpus/traj";
  const files = readdirSync(folder);
  assert.ok(files.length > 5);
  for (const name of files) await readAll(bytesOf(`${folder}/${name}`));
}

async function everyCut() {
  const bytes = bytesOf(runShort("redmax/elbow", "0"));
  const whole = await readAll(bytes);
  let frames = 0;
  for (let n = 0; n < bytes.length; n += 61) {
    const t = await readAll(bytes.subarray(0, n));
    if (!t) continue;
    assert.ok(t.troubles.length > 0);
    assert.ok(t.frames >= frames, "a longer piece holds no fewer frames");
    frames = t.frames;
  }
  assert.equal(frames, whole.frames);
}

async function everyFlip() {
  const bytes = bytesOf(runShort("redmax/elbow", "0"));
  for (let i = 0; i < 300; i++) {
    const at = Math.floor((i * bytes.length) / 300);
    const damaged = bytes.slice();
    damaged[at] ^= 1 << (i % 8);
    const t = await readAll(damaged);
    // a flip in padding, in a checkpoint or in a record of an unknown kind touches nothing that is shown
    if (t && !t.troubles.length) assert.equal(t.frames, (await readAll(bytes)).frames);
  }
}

// Numbers that look random and are the same every time.
function* randoms() {
  for (let seed = 1; ; seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) yield seed / 0x7fffffff;
}

const DATA = [(x) => 256 * x, (x) => 4 * x, (x, i) => (i % 37) * (x < 0.01 ? 2 : 1), (x) => 256 * x ** 6];
const WAYS = [{ level: 0 }, { level: 1 }, { level: 9 }, { strategy: constants.Z_HUFFMAN_ONLY }, { strategy: constants.Z_FIXED }, { strategy: constants.Z_RLE }, { windowBits: 9 }];

// What it makes of a stream: its bytes, or null where it refuses them.
function told(work) {
  try {
    return Buffer.from(work());
  } catch (error) {
    if (!(error instanceof Fault) && !error.code?.startsWith("Z_")) throw error;
    return null;
  }
}

// Whole streams, cut ones, ones with a flipped bit.
async function smallStreams() {
  const random = randoms();
  const draw = () => random.next().value;
  for (let k = 0; k < 60; k++) {
    const data = Buffer.from(Array.from({ length: Math.floor(8000 * draw() * draw()) }, (_, i) => DATA[k % 4](draw(), i)));
    for (const way of WAYS) {
      const stream = deflateSync(data, way);
      assert.deepEqual(told(() => unzlib(stream, data.length)), data);
      assert.equal(told(() => unzlib(stream, data.length + 1)), null);
      assert.equal(told(() => unzlib(stream.subarray(0, Math.floor(draw() * stream.length)), data.length)), null);
      stream[Math.floor(draw() * stream.length)] ^= 1 << Math.floor(8 * draw());
      const theirs = told(() => inflateSync(stream));
      assert.deepEqual(told(() => unzlib(stream, data.length)), theirs?.length === data.length ? theirs : null);
    }
  }
}

export default {
  "the reader gives the numbers of every mode bit for bit": everyMode,
  "the reader gives the entries of lists bit for bit": lists,
  "the reader reads slices of files and of base64 text": slicesAndText,
  "the reader inflates and refuses what zlib does": smallStreams,
  "the reader names numbers as the CSV export does": names,
  "the reader says what is wrong with every file of the fuzz corpus": corpus,
  "the reader keeps what is whole of a file cut anywhere": everyCut,
  "the reader survives flipped bits": everyFlip,
};
