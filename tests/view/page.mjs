// What the page shows and says: numbers, curves, files of all kinds, two runs, links, phones.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { differing, drawn, picture, ready, seek, withPage } from "./browser.mjs";
import { exported, file, mbsim, page, runScene } from "./mbsim.mjs";
import { colourful, pendulum, pendulumDamagedIn, shapeless, twoBoxes } from "./scenes.mjs";

const EXAMPLES = ["free/tennis_racket", "redmax/robot_arm", "maximal/attachments", "constraints/rolling_disk", "contact/drop", "projective/hanging_cloth", "deformables/soft_arm", "sweeps/whip", "fit/reach"];

async function examples() {
  const folders = readdirSync("scenes", { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== "bad");
  assert.deepEqual(folders.map(({ name }) => name).sort(), EXAMPLES.map((name) => name.split("/")[0]).sort());
  for (const name of EXAMPLES) {
    const path = runScene(`scenes/${name}.json`, name.replace("/", "-"), "--duration", "0.6");
    await withPage(page(path), async (p) => {
      const before = await picture(p);
      await p.keyboard.press("l"); // plays once
      await p.keyboard.press("Space");
      await p.waitForFunction(() => window.mbsim.player.time > 0 && !window.mbsim.player.playing);
      await drawn(p);
      assert.ok(differing(before, await picture(p)) > 20, `${name}: nothing moved`);
    });
  }
}

async function pixels() {
  const path = runScene(twoBoxes, "two_boxes");
  await withPage(page(path), async (p) => {
    await seek(p, 0);
    const before = await picture(p);
    await seek(p, 1);
    const after = await picture(p);
    const middle = Math.floor(before.width / 2);
    assert.ok(differing(before, after, [middle, 0, before.width, before.height]) > 300, "the right one moved");
    const left = differing(before, after, [0, 40, middle - 40, before.height]);
    assert.ok(left < 30, `${left} pixels changed where nothing moved`);
  });
}

// Numbers as the panel shows them: seven digits.
const shown = (text) => Number(text.replace("–", "NaN"));

async function numbers() {
  const path = runScene(twoBoxes, "two_boxes");
  const { frames } = exported(path);
  await withPage(page(path), async (p) => {
    await seek(p, frames[37].time);
    await p.evaluate(() => window.mbsim.choose(1));
    const rows = Object.fromEntries(
      await p.$$eval("#numbers tr", (list) => list.map((tr) => [tr.cells[0].textContent, tr.cells[1].textContent])),
    );
    const expected = { "position.z": frames[37]["body.position"][1][2], "rotation.y": frames[37]["body.rotation"][1][2] };
    for (const [key, x] of Object.entries(expected))
      assert.ok(Math.abs(shown(rows[key]) - x) <= 1e-6 * Math.abs(x), `${key}: ${rows[key]}, not ${x}`);
    assert.equal(await p.getAttribute("#clock", "data-frame"), "37");
    assert.equal(Number(await p.getAttribute("#clock", "data-time")), frames[37].time);
  });
}

async function curves() {
  const path = runScene(pendulum(1), "pendulum-1");
  const { frames } = exported(path);
  await withPage(page(path), async (p) => {
    await p.fill("#find", "rod.joint.pos");
    await p.keyboard.press("Enter");
    await p.waitForSelector(".curve canvas");
    const [{ times, values }] = await p.evaluate(() => [...window.mbsim.curves.plots.values()][0].curves);
    assert.deepEqual(times, frames.map((f) => f.time));
    assert.deepEqual(values, frames.map((f) => f["joint.position"].flat()[0]));
    assert.match(await p.textContent(".curve .u-title"), /\[m, rad\]$/);
    assert.match(await p.textContent(".curve .u-legend"), /t:? ?0 s/, "the numbers stand there, not only under the mouse");
    await p.click("#energy");
    await p.waitForFunction(() => window.mbsim.curves.plots.size === 2);
    await p.fill("#find", "no such thing");
    await p.keyboard.press("Enter");
    assert.equal(await p.inputValue("#find"), "no such thing", "what is not found stays to be mended");
    await p.click("#momentum");
    assert.match(await p.textContent("#notice"), /no number.*“momentum”.*output\.channels/i);
  });
}

async function files() {
  const path = runScene(twoBoxes, "two_boxes");
  await withPage(page(), async (p) => {
    await p.setInputFiles("#files", path);
    await ready(p);
    assert.equal(await p.evaluate(() => window.mbsim.runs[0].frames), 101);
  }, { wait: false });
  await withPage(page(), async (p) => {
    const text = readFileSync(path).toString("base64");
    await p.evaluate((base64) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], "dropped.mbt"));
      window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
    }, text);
    await ready(p);
    assert.equal(await p.title(), "dropped.mbt – mbsim");
  }, { wait: false });
}

// A run whose numbers fail shows where and which body, and its bodies as they were at the start.
async function failed() {
  const weight = { name: "weight", shape: { type: "sphere", radius: 0.1 }, mass: 0.1, pose: { position: [0, 0, -1] } };
  const spring = { type: "spring", stiffness: 1e6, length: 0.5, between: [{ body: "world" }, { body: "weight" }] };
  const scene = { mbsim: 1, name: "blows up", time: { step: 0.01, duration: 10 }, integrator: "symplectic", bodies: [weight], forces: [spring] };
  writeFileSync(file("blows-up.json"), JSON.stringify(scene));
  assert.throws(() => mbsim("run", "-q", file("blows-up.json"), "-o", file("blows-up.mbt")), { status: 4 });
  await withPage(page(file("blows-up.mbt")), async (p) => {
    assert.match(await p.textContent("#title .ending"), /failed: at t = 0\.04 s, step 4: body "weight" has grown/);
    const [event] = await p.$$eval("#panel li", (list) => list.map((li) => li.textContent));
    assert.match(event, /^at t = 0\.04 s, step 4: body "weight"/);
    const pixels = await p.evaluate(() => {
      const { stage } = window.mbsim;
      const [a, b] = [-1.1, -0.9].map((z) => stage.project(stage.camera.position.clone().set(0, 0, z)));
      return Math.hypot(a[0] - b[0], a[1] - b[1]);
    });
    assert.ok(pixels > 15, `the ball is ${pixels} pixels high at the start`);
  });
}

// A page holds a large run in pieces, which it keeps none of as elements.
async function pieces() {
  const channels = ["deformable.cloth.position"];
  const path = runScene("scenes/projective/hanging_cloth.json", "cloth-pieces", "--error", "0", "--set", `/output/channels=${JSON.stringify(channels)}`);
  const address = page(path);
  const found = [...readFileSync(new URL(address), "latin1").matchAll(/<script type="application\/x-mbt"( data-name="[^"]*")?>([^<]*)<\/script>/g)];
  assert.ok(found.length > 2, `${found.length} pieces`);
  assert.deepEqual(found.map(([, name]) => name !== undefined), found.map((_, i) => i === 0));
  assert.ok(found.every(([, , text]) => text.length <= 2 ** 20));
  assert.ok(Buffer.from(found.map(([, , text]) => text).join(""), "base64").equals(readFileSync(path)));
  const last = exported(path).frames.at(-1);
  await withPage(address, async (p) => {
    await seek(p, last.time);
    const shown = await p.evaluate(() => [...window.mbsim.runs[0].frameAt(window.mbsim.player.time).numbers("deformable.cloth.position")]);
    assert.deepEqual(shown, last["deformable.cloth.position"].flat());
    assert.equal(await p.locator('script[type="application/x-mbt"]').count(), 0);
  });
}

async function wrongFiles() {
  writeFileSync(file("text.mbt"), "This is a text and no trajectory.\n");
  writeFileSync(file("nothing.mbt"), "");
  await withPage(page(), async (p) => {
    for (const name of ["text.mbt", "nothing.mbt"]) {
      await p.setInputFiles("#files", file(name));
      await p.waitForFunction((n) => document.getElementById("fault").textContent.includes(n), name);
      assert.match(await p.textContent("#fault"), /no trajectory/);
    }
  }, { wait: false });
}

// A bit of a chunk in the middle is flipped, and the end is cut off.
async function damaged() {
  const { bytes, chunks } = pendulumDamagedIn(10);
  writeFileSync(file("damaged.mbt"), bytes);
  writeFileSync(file("cut.mbt"), bytes.subarray(0, chunks.at(-3)));
  for (const name of ["damaged", "cut"])
    await withPage(page(), async (p) => {
      await p.setInputFiles("#files", file(`${name}.mbt`));
      await ready(p);
      await seek(p, 0.9);
      assert.ok(Number(await p.getAttribute("#clock", "data-time")) > 0.8, "what is whole plays");
      await p.evaluate(() => window.mbsim.find("rod.joint.position"));
      await p.waitForSelector(".curve canvas");
      await p.evaluate(() => window.mbsim.player.seek(0.33));
      await p.waitForFunction(() => window.mbsim.runs[0].troubles.length > 0);
      await p.keyboard.press("i");
      assert.match(await p.textContent("#panel"), /damaged/i);
    }, { wait: false });
}

async function noFrames() {
  const bytes = readFileSync(runScene(pendulum(1), "pendulum-1"));
  writeFileSync(file("headonly.mbt"), bytes.subarray(0, bytes.indexOf("CHNK")));
  await withPage(page(), async (p) => {
    await p.setInputFiles("#files", file("headonly.mbt"));
    await ready(p);
    assert.match(await p.textContent("#title"), /no frames/);
  }, { wait: false });
}

// Without their positions bodies are not drawn anywhere.
async function noPositions() {
  await withPage(page(runScene("scenes/sweeps/swing.json", "swing", "-d", "0.2")), async (p) => {
    assert.match(await p.textContent("#title"), /no channel body\.position/);
    assert.equal(await p.evaluate(() => window.mbsim.views[0].bodies.group.visible), false);
    await p.click("#energy");
    await p.waitForSelector(".curve canvas");
  });
}

// A body that is thrown out of all measure, as numbers that blow up do, does not make all others too small to be seen.
async function farAway() {
  const [still, flying] = twoBoxes.bodies;
  const thrown = { ...flying, velocity: { linear: [1e9, 3e8, 1e9] } };
  await withPage(page(runScene({ ...twoBoxes, bodies: [still, thrown] }, "far-away")), async (p) => {
    const pixels = await p.evaluate(() => {
      const { stage } = window.mbsim;
      const [a, b] = [-1.7, -1.3].map((x) => stage.project(stage.camera.position.clone().set(x, 0, 0)));
      return Math.hypot(a[0] - b[0], a[1] - b[1]);
    });
    assert.ok(pixels > 30, `the box at rest is ${pixels} pixels wide`);
    const start = await picture(p);
    await p.keyboard.press("End");
    await drawn(p);
    assert.ok(differing(start, await picture(p)) > 300, "the thrown box was seen at the start");
  });
}

async function ghost() {
  const a = runScene(pendulum(1), "pendulum-1");
  const b = runScene({ ...pendulum(1), gravity: [0, 0, -9] }, "pendulum-slow");
  await withPage(page(a, b), async (p) => {
    assert.match(await p.textContent("#title"), /ghost/);
    await seek(p, 1);
    const over = await picture(p);
    await p.keyboard.press("s");
    await drawn(p);
    assert.ok(differing(over, await picture(p)) > 500, "side by side looks otherwise");
  });
}

async function link() {
  const address = page(runScene(twoBoxes, "two_boxes"));
  let fragment;
  await withPage(address, async (p) => {
    await seek(p, 0.5);
    await p.keyboard.press("3");
    await p.keyboard.press("e");
    await p.waitForSelector(".curve canvas");
    await p.evaluate(() => window.mbsim.choose(1));
    await p.waitForFunction(() => location.hash.includes("body=flying"));
    fragment = await p.evaluate(() => location.hash);
  });
  await withPage(address + fragment, async (p) => {
    await p.waitForSelector(".curve canvas");
    assert.equal(Number(await p.getAttribute("#clock", "data-time")), 0.5);
    const camera = await p.evaluate(() => window.mbsim.stage.camera.position.toArray());
    assert.ok(camera[1] > 0 && Math.abs(camera[0]) < 0.1 * camera[1], `the camera looks along y: ${camera}`);
    assert.match(await p.textContent("#panel h2"), /flying/);
    await p.keyboard.press("Space");
    await p.waitForFunction(() => window.mbsim.player.playing && new URLSearchParams(location.hash.slice(1)).get("t") > 0.6);
  });
}

async function phone() {
  const path = runScene(pendulum(1), "pendulum-1");
  await withPage(page(path), async (p) => {
    const wide = await p.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `the page is ${wide} pixels wide`);
    const size = await p.locator("#canvas").boundingBox();
    assert.ok(size.height > 400, `the picture is ${size.height} pixels high`);
    await p.tap("#play");
    await p.waitForFunction(() => window.mbsim.player.time > 0.1);
    await p.tap("#more");
    await p.waitForSelector("#panel", { state: "visible" });
  }, { width: 390, height: 800, mobile: true });
}

async function ellipsoid() {
  const path = runScene(shapeless, "shapeless");
  await withPage(page(path), async (p) => {
    const parts = await p.evaluate(() => window.mbsim.views[0].bodies.parts.length);
    assert.equal(parts, 1, "its inertia's ellipsoid");
    const radii = await p.evaluate(() => window.mbsim.runs[0].drawing.bodies[0].ellipsoid.radii);
    // I = m/5 (b² + c²) about each axis
    const [a, b, c] = radii.map((r) => r * r);
    const inertia = [b + c, a + c, a + b].map((x) => (2 / 5) * x).sort();
    [0.1, 0.2, 0.25].forEach((x, i) => assert.ok(Math.abs(inertia[i] - x) < 1e-12));
  });
}

// What the page draws where a point in space is: red, green and blue, 0 to 255.
async function colourAt(p, point) {
  const at = await p.evaluate((x) => {
    const { stage } = window.mbsim;
    const place = stage.middle.clone().set(...x);
    return stage.project(place).map(Math.round);
  }, point);
  return [...(await picture(p)).at(...at)];
}

async function colours() {
  await withPage(page(runScene(colourful, "colourful")), async (p) => {
    await p.evaluate(() => window.mbsim.view("-y"));
    await drawn(p);
    const most = async (point, wanted) => {
      const [r, g, b] = await colourAt(p, point);
      assert.ok(wanted(r, g, b), `at ${point}: ${[r, g, b]}`);
    };
    await most([0, -0.25, 0], (r, g, b) => r > 120 && r > 2 * g && r > 2 * b); // red, and nothing of the ball that is not seen
    await most([0, -0.25, 1], (r, g, b) => b > r + 15 && b > g + 15 && r > 90); // blue that one sees through
    await most([-2, -0.3, 0], (r, g, b) => Math.max(r, g, b) < 110 && Math.max(r, g, b) - Math.min(r, g, b) < 15); // dark grey
    await most([-3, -0.4, 0], (r, g, b) => r > 120 && g > 120 && b < 0.6 * g); // yellow
    const swatches = await p.$$eval(".bodies .swatch", (list) => list.map((s) => s.style.background));
    assert.deepEqual(swatches.slice(1), ["rgb(255, 0, 0)", "rgb(89, 161, 79)", "rgb(51, 51, 51)", "rgb(255, 255, 0)"]);
    const net = await p.evaluate(() => window.mbsim.stage.views[0].soft.parts[0].plain.getHexString());
    assert.equal(net, "ff00ff");
    const plane = await p.evaluate(() => window.mbsim.stage.floor[0].material.uniforms.fill.value.toArray());
    assert.deepEqual(plane, [0, 0.5, 0, 1]);
  });
}

export default {
  "an example of every folder plays": examples,
  "pixels change where bodies move and not elsewhere": pixels,
  "things have the colours that a scene gives them": colours,
  "the panel's numbers are the export's": numbers,
  "the curves' numbers are the export's": curves,
  "files are taken by picker and by drop": files,
  "a run that failed shows where, which body, and what was there": failed,
  "a large run stands in its page in pieces": pieces,
  "what is no trajectory is told so": wrongFiles,
  "a damaged file is told so, and the rest plays": damaged,
  "a file without frames is told so": noFrames,
  "what has no positions is not drawn, and told so": noPositions,
  "what flies out of all measure does not make the rest too small": farAway,
  "two runs are shown as ghost and side by side": ghost,
  "a link leads to its moment": link,
  "a phone shows it all": phone,
  "a body without shape is shown as its inertia's ellipsoid": ellipsoid,
};
