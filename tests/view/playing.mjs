// The cursor in time: keys, scrubbing, speed, long files.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { NO_SHADOWS, Pace, PLAIN_EDGES } from "../../tools/viewer/src/stage/quality.js";
import { differing, drawn, picture, seek, withPage } from "./browser.mjs";
import { exported, file, page, runScene } from "./mbsim.mjs";
import { pendulum, pendulumDamagedIn, twoBoxes } from "./scenes.mjs";

const frameNow = async (p) => Number(await p.getAttribute("#clock", "data-frame"));

async function keys() {
  await withPage(page(runScene(twoBoxes, "two_boxes")), async (p) => {
    await p.keyboard.press("ArrowRight");
    await p.keyboard.press("ArrowRight");
    await p.waitForFunction(() => document.getElementById("clock").dataset.frame === "2");
    await p.keyboard.press("ArrowLeft");
    await p.waitForFunction(() => document.getElementById("clock").dataset.frame === "1");
    await p.keyboard.press("End");
    await drawn(p);
    assert.equal(await frameNow(p), 100);
    await p.keyboard.press("Home");
    await drawn(p);
    assert.equal(await frameNow(p), 0);
    await p.keyboard.press("]");
    assert.equal(await p.evaluate(() => window.mbsim.player.speed), 2);
    await p.keyboard.press("l");
    assert.equal(await p.evaluate(() => window.mbsim.player.loop), false);
    await p.keyboard.press("p");
    assert.equal(await p.evaluate(() => window.mbsim.stage.camera.isOrthographicCamera), true);
    await p.keyboard.press("n");
    await p.waitForSelector("#labels span");
    await p.keyboard.press("b");
    assert.match(await p.textContent("#panel h2"), /still/);
    await p.keyboard.press("t");
    await p.waitForFunction(() => window.mbsim.views[0].marks.traces.size === 1);
    for (const key of ["x", "g", "j", "f", "o", "1", "2", "3", "4", "5", "6", "i", "Escape"]) await p.keyboard.press(key);
    await drawn(p);
  });
}

// Where the chunks that steps lead to are still on their way, and over one that is damaged.
async function steps() {
  const { bytes } = pendulumDamagedIn(10);
  writeFileSync(file("damaged-steps.mbt"), bytes);
  await withPage(page(file("damaged-steps.mbt")), async (p) => {
    const arrive = (frame) => p.waitForFunction((k) => document.getElementById("clock").dataset.frame === String(k), frame);
    const chunks = await p.evaluate(() => window.mbsim.runs[0].chunks);
    await seek(p, chunks[8].t0);
    await p.evaluate(() => [-1, -1, -1].map((n) => window.mbsim.player.step(n)));
    await arrive(chunks[8].first - 3);
    await seek(p, chunks[9].t1);
    await p.keyboard.press("ArrowRight");
    await arrive(chunks[11].first);
    await p.keyboard.press("ArrowLeft");
    await arrive(chunks[10].first - 1);
  });
}

async function scrubbing() {
  await withPage(page(runScene(twoBoxes, "two_boxes")), async (p) => {
    const box = await p.locator("#scrub").boundingBox();
    await p.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await drawn(p);
    const time = Number(await p.getAttribute("#clock", "data-time"));
    assert.ok(Math.abs(time - 0.5) < 0.06, `${time}`);
  });
}

// To the end and no further without a loop; at its own pace.
async function ending() {
  await withPage(page(runScene(twoBoxes, "two_boxes")), async (p) => {
    await p.keyboard.press("l");
    await p.keyboard.press("Space");
    await p.waitForFunction(() => !window.mbsim.player.playing);
    await drawn(p);
    assert.equal(await frameNow(p), 100);
  });
}

async function longFile() {
  const path = runScene(pendulum(100), "pendulum-100", "--error", "view");
  const { frames } = exported(path);
  assert.equal(frames.length, 100001);
  await withPage(page(path), async (p) => {
    await seek(p, 77.777);
    assert.equal(Number(await p.getAttribute("#clock", "data-time")), frames[77777].time);
    await p.click("#energy");
    await p.waitForSelector(".curve canvas");
    const curves = await p.evaluate(() => [...window.mbsim.curves.plots.values()][0].curves);
    const kinetic = frames.map((f) => f.energy[0]);
    const { times, values } = curves[0];
    assert.ok(times.length <= 4100 && times.length > 2000);
    assert.equal(Math.max(...values), kinetic.reduce((a, b) => Math.max(a, b)), "no peak is lost");
    assert.equal(Math.min(...values), kinetic.reduce((a, b) => Math.min(a, b)));
  });
}

// Pictures that come late make smooth edges give way first, then shadows; at rest both come back.
async function quality() {
  const pace = new Pace();
  let now = 0;
  const draws = (n, ms) => Array.from({ length: n }, () => pace.drew((now += ms))).filter(Boolean).length;
  assert.equal(draws(200, 16), 0, "fast enough");
  assert.equal(draws(5, 50) + draws(10, 16) + draws(1, 300) + draws(1, 16), 0, "a hitch is no reason");
  assert.equal(draws(6, 50), 1);
  assert.equal(pace.level, PLAIN_EDGES);
  assert.equal(draws(2, 300), 1);
  assert.equal(pace.level, NO_SHADOWS);
  assert.ok(!pace.rests(now + 50) && pace.rests(now + 500));
  await withPage(page(runScene(twoBoxes, "two_boxes")), async (p) => {
    await seek(p, 0.5);
    const fine = await picture(p);
    await p.evaluate(() => (window.mbsim.stage.pace.level = 3));
    await p.evaluate(() => window.mbsim.stage.touch());
    await p.waitForFunction(() => window.mbsim.stage.coarse);
    await drawn(p);
    assert.equal(differing(fine, await picture(p)), 0, "at rest it is as before");
  });
}

export default {
  "every function has its key": keys,
  "steps by frame are all done, also past what is damaged": steps,
  "scrubbing moves the cursor": scrubbing,
  "without a loop it stops at the end": ending,
  "what is too slow is drawn plainly, and finely at rest": quality,
  "a file of 100,001 frames plays": longFile,
};
