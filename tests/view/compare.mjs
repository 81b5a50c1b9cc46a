// The page's comparison of two runs against `mbsim diff --json`, number by number, and what the page shows of it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { Trajectory } from "../../tools/viewer/src/mbt/trajectory.js";
import { BytesSource } from "../../tools/viewer/src/mbt/source.js";
import { compareRuns } from "../../tools/viewer/src/compare/compare.js";
import { general } from "../../tools/viewer/src/compare/verdict.js";
import { drawn, linkTo, ready, withPage } from "./browser.mjs";
import { diff, exported, file, page, runScene } from "./mbsim.mjs";
import { pendulum, twoBoxes } from "./scenes.mjs";

const open = async (path) => ({ run: await Trajectory.open(new BytesSource(new Uint8Array(readFileSync(path)))), name: path });

// JSON lists 15 digits where these give the number back to its rounding; it has null for what is not finite.
function expectAlike(ours, theirs, where) {
  if (typeof theirs === "number") return assert.ok(Math.abs(ours - theirs) <= 4e-16 * Math.abs(theirs), `${where}: ${ours}, not ${theirs}`);
  if (theirs === null) return assert.ok(!Number.isFinite(ours), `${where}: ${ours}, not infinite`);
  if (typeof theirs !== "object") return assert.equal(ours, theirs, where);
  assert.ok(ours && typeof ours === "object", `${where} is missing`);
  if (Array.isArray(theirs)) assert.equal(ours.length, theirs.length, where);
  for (const key of Object.keys(theirs)) expectAlike(ours[key], theirs[key], `${where}/${key}`);
}

// What the page's comparison has no use for.
const TOLD_ELSEWHERE = ["invariants", "scene", "scene_differences", "a", "b", "atol", "rtol", "status", "interpolate"];

async function expectSame(a, b) {
  const theirs = diff(a, b);
  for (const key of TOLD_ELSEWHERE) delete theirs[key];
  for (const c of theirs.channels)
    for (const d of [c.worst, c.first].filter(Boolean)) {
      delete d.item_name;
      delete d.component_name;
    }
  expectAlike(await compareRuns(await open(a), await open(b)), theirs, `${a} against ${b}`);
  return theirs;
}

const arm = (name, ...args) => runScene("scenes/redmax/robot_arm.json", name, "-d", "0.6", ...args);

async function likeDiff() {
  const plain = arm("arm");
  const heavy = arm("arm-heavy", "--set", "/gravity=[0,0,-9.8]");
  assert.equal((await expectSame(plain, plain)).same, true);
  assert.equal((await expectSame(plain, heavy)).same, false);
  assert.equal((await expectSame(plain, arm("arm-view", "--error", "view"))).same, true);
  await expectSame(heavy, arm("arm-view", "--error", "view"));
  await expectSame(plain, arm("arm-long", "-d", "0.7"));
  await expectSame(arm("arm-coarse", "--step", "0.004"), plain);
  await expectSame(plain, arm("arm-channels", "--set", '/output/channels=["body.position", "body.velocity", "momentum"]'));
  const cloth = (name, ...args) => runScene("scenes/projective/hanging_cloth.json", name, "-d", "0.2", ...args);
  await expectSame(cloth("cloth"), cloth("cloth-fine", "--error", "fine"));
  await expectSame(cloth("cloth"), cloth("cloth-heavy", "--set", "/gravity=[0,0,-9]"));
}

async function otherBodies() {
  const two = runScene(twoBoxes, "two_boxes");
  const [still, flying] = twoBoxes.bodies;
  const third = { ...flying, name: "third", pose: { position: [0, 0, 2] } };
  const three = runScene({ ...twoBoxes, bodies: [third, flying, still] }, "three-boxes");
  const { missing } = await expectSame(two, three);
  assert.deepEqual(missing, [`body 'third' is only in ${three}`]);
  await expectSame(three, two);
  const other = await open(runScene(pendulum(1), "pendulum-1"));
  await assert.rejects(compareRuns(await open(two), other), /unrelated scenes/);
}

// Cut off, and with numbers that are not finite in one of the two.
async function damagedFiles() {
  const path = arm("arm");
  const bytes = readFileSync(path);
  const chunks = [];
  for (let at = bytes.indexOf("CHNK"); at >= 0; at = bytes.indexOf("CHNK", at + 1)) chunks.push(at);
  const cut = file("arm-cut.mbt");
  writeFileSync(cut, bytes.subarray(0, chunks[1]));
  const { missing } = await expectSame(path, cut);
  assert.equal(missing.length, 2);
  await expectSame(cut, path);
}

// In pages and tables numbers look as C prints them.
async function numbersInSentences() {
  const numbers = [0, 1, -1.5, 1e-5, 123456789, 99999.6, 0.000123456, 1e100, 9.9995e-5, 0.1, 1 / 3, 1e9, 1e-300];
  const lines = execFileSync("python3", ["-c", `for x in ${JSON.stringify(numbers)}: print("%.3g %.9g %.2g" % (x, x, x))`]).toString();
  assert.equal(numbers.map((x) => [3, 9, 2].map((d) => general(x, d)).join(" ")).join("\n"), lines.trimEnd());
}

const clock = async (p) => Number(await p.getAttribute("#clock", "data-time"));

// In the page: keeps what the clock says at the first picture.
function noteFirst() {
  addEventListener("DOMContentLoaded", () => {
    const watch = new MutationObserver(() => (window.firstSeen ??= Number(document.getElementById("clock").dataset.time)));
    watch.observe(document.body, { attributeFilter: ["data-ready"] });
  });
}

async function ofThePage() {
  const a = runScene(pendulum(1), "pendulum-1");
  const b = runScene({ ...pendulum(1), gravity: [0, 0, -9] }, "pendulum-slow");
  const expected = diff(a, b);
  await withPage(page(a, b), async (p) => {
    await p.click("#difference");
    await p.waitForSelector(".curve canvas");
    const curves = await p.evaluate(() => [...window.mbsim.curves.plots.values()][0].curves);
    const joint = curves.find((c) => c.label === "joint.position");
    const [fa, fb] = [exported(a).frames, exported(b).frames];
    const k = joint.times.indexOf(fa[700].time);
    assert.equal(joint.values[k], Math.abs(fa[700]["joint.position"].flat()[0] - fb[700]["joint.position"].flat()[0]));
    const first = Math.min(...expected.channels.filter((c) => c.first).map((c) => c.first.time));
    await drawn(p);
    assert.ok(Math.abs((await clock(p)) - first) < 1e-12, "it has gone to where they part");
    assert.equal(await p.textContent("#verdict"), expected.verdict);
    await p.keyboard.press("i");
    const row = await p.$eval("#differences tr[data-channel='joint.position']", (tr) => tr.textContent.replace(/\s+/g, " "));
    const { worst } = expected.channels.find((c) => c.channel === "joint.position");
    assert.ok(row.includes("FAIL") && row.includes(general(worst.error, 3)), row);
    await p.click("#differences tr[data-channel='joint.position'] + tr button:last-child");
    await drawn(p);
    assert.ok(Math.abs((await clock(p)) - worst.time) < 1e-12, `${await clock(p)}`);
    await p.waitForFunction(() => location.hash.includes("largest"));
    const link = await linkTo(p, worst.time);
    await p.goto("about:blank");
    await p.addInitScript(noteFirst);
    await p.goto(link);
    await ready(p);
    assert.ok(Math.abs((await p.evaluate(() => window.firstSeen)) - worst.time) < 1e-12, "a link's moment is the first that is seen");
    await p.waitForSelector(".curve canvas");
    await drawn(p);
    assert.ok(Math.abs((await clock(p)) - worst.time) < 1e-12, "a link keeps its moment");
  });
}

// Runs that agree to their bounds, and a report with tolerances: the page says what that says.
async function ofReport() {
  const [a, b] = [runScene(pendulum(1), "pendulum-1"), runScene(pendulum(1), "pendulum-view", "--error", "view")];
  await withPage(page(a, b), async (p) => {
    await p.keyboard.press("d");
    await p.waitForSelector("#verdict.fine");
    assert.equal(await p.textContent("#verdict"), diff(a, b).verdict);
  });
  const c = runScene({ ...pendulum(1), gravity: [0, 0, -9.8] }, "pendulum-lighter");
  const report = diff(a, c, "--atol", "0.01", "--report", file("report.html"));
  await withPage(`file://${file("report.html")}`, async (p) => {
    assert.equal(await p.textContent("#verdict"), report.verdict);
    await p.keyboard.press("i");
    const rows = await p.$$eval("#differences tr[data-channel]", (list) => list.map((tr) => [tr.dataset.channel, tr.cells[0].textContent]));
    assert.deepEqual(rows, report.channels.map((x) => [x.channel, x.pass ? "ok" : "FAIL"]));
    await p.keyboard.press("d");
    await p.waitForSelector(".curve canvas");
    const first = Math.min(...report.channels.filter((x) => x.first).map((x) => x.first.time));
    await drawn(p);
    assert.ok(Math.abs((await clock(p)) - first) < 1e-12, "beyond the report's tolerance");
  });
}

export default {
  "two runs differ as diff says": likeDiff,
  "runs of other bodies differ as diff says": otherBodies,
  "files that were cut differ as diff says": damagedFiles,
  "numbers in verdicts look as C prints them": numbersInSentences,
  "the page shows where two runs part": ofThePage,
  "the page shows a report's verdict and table": ofReport,
};
