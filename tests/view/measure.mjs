// How fast the page is: its size, the time to the first picture, pictures a second while it plays, the time to seek, memory; for a thousand
// bodies in a thousand frames and for cloth of ten thousand vertices in three hundred, in Chromium with software drawing. Arguments: the
// program; "large" to open a file of a gigabyte too, which is made for that. Prints a Markdown table; each number is the best of three.
import { readFileSync, statSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { closeBrowser, launch, ready } from "./browser.mjs";
import { repeatTrajectory } from "./repeat.mjs";
import { file, mbsim, page, runScene, useProgram } from "./mbsim.mjs";

const [program, large] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "mbsim-measure-"));
useProgram(resolve(program), folder);

const TRIES = 3;
const PLAYED = 2000; // ms
const SEEKS = 8;

// Boxes that fly and tumble, each on a way of its own.
const boxes = (seconds) => ({
  mbsim: 1,
  name: "a thousand bodies",
  time: { step: 0.01, duration: seconds },
  bodies: Array.from({ length: 1000 }, (_, i) => ({
    name: `box ${i}`,
    shape: { type: "box", size: [0.2, 0.15, 0.1] },
    density: 500,
    pose: { position: [(i % 10) - 5, (Math.floor(i / 10) % 10) - 5, Math.floor(i / 100)] },
    velocity: { angular: [Math.sin(i), 2 * Math.cos(3 * i), Math.sin(7 * i)], linear: [Math.sin(5 * i), Math.cos(2 * i), 5] },
  })),
  gravity: [0, 0, -1],
});

const cloth = {
  mbsim: 1,
  name: "cloth of ten thousand vertices",
  time: { step: 0.01, duration: 2.99 },
  solver: { type: "projective", iterations: 5 },
  integrator: "implicit",
  deformables: [{
    name: "cloth", type: "cloth", mesh: { grid: [100, 100], size: [1, 1] },
    material: { model: "arap", young: 1e5, poisson: 0.3, density: 300, thickness: 1e-3 },
    pin: [{ select: { nearest: [0, 0, 0] } }, { select: { nearest: [1, 0, 0] } }],
  }],
  output: { channels: ["deformable.*.position", "energy"] },
};

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

// The browser's processes by kind, as Linux numbers them.
async function processes(browser, kinds) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return processInfo.filter(({ type }) => kinds.includes(type)).map(({ id }) => id);
}

// Memory that the page's own process has for itself, in bytes.
async function memory(browser) {
  const sizes = (await processes(browser, ["renderer"])).map((id) => {
    const line = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${id}/status`, "utf8"));
    return line ? 1024 * Number(line[1]) : 0;
  });
  return Math.max(...sizes);
}

// Processor time that the page and its drawing have taken, in ms.
async function processorTime(browser) {
  return (await processes(browser, ["renderer", "GPU"])).reduce((sum, id) => {
    const numbers = readFileSync(`/proc/${id}/stat`, "utf8").split(") ")[1].split(" ");
    return sum + 10 * (Number(numbers[11]) + Number(numbers[12]));
  }, 0);
}

// Pictures a second that show another frame each, at a speed that asks for more than there can be.
function playing(ms) {
  const { player, stage, runs } = window.mbsim;
  player.seek(player.start);
  player.speed = 60 * ((player.end - player.start) / runs[0].frames);
  player.loop = true;
  player.play();
  const before = stage.drawn;
  const began = performance.now();
  return new Promise((done) => setTimeout(() => {
    player.pause();
    const drawn = stage.drawn - before;
    done({ drawn, rate: (1000 * drawn) / (performance.now() - began) });
  }, ms));
}

// Until the frame at that time is drawn.
function seeking(time) {
  const began = performance.now();
  window.mbsim.player.seek(time);
  return new Promise((done) => {
    const look = () => (window.mbsim.ready && !window.mbsim.stage.dirty ? done(performance.now() - began) : requestAnimationFrame(look));
    requestAnimationFrame(look);
  });
}

async function measureOnce(address, given) {
  const browser = await launch();
  const context = await browser.newContext({ viewport: { width: 900, height: 640 } });
  const tab = await context.newPage();
  await tab.goto(address);
  const began = Date.now();
  if (given) await tab.setInputFiles("#files", given);
  await ready(tab);
  const first = given ? Date.now() - began : await tab.evaluate(() => performance.getEntriesByName("first picture")[0].startTime);
  const before = await processorTime(browser);
  const { rate, drawn } = await tab.evaluate(playing, PLAYED);
  const time = ((await processorTime(browser)) - before) / drawn;
  const end = await tab.evaluate(() => window.mbsim.player.end);
  const seeks = [];
  for (let i = 0; i < SEEKS; i++) seeks.push(await tab.evaluate(seeking, (end * ((7 * i + 3) % SEEKS)) / SEEKS));
  const bytes = await memory(browser);
  await context.close();
  return { first, rate, time, seek: median(seeks), slowest: Math.max(...seeks), bytes };
}

async function measure(name, trajectory, address, given) {
  const all = [];
  for (let i = 0; i < TRIES; i++) all.push(await measureOnce(address, given));
  const best = (key) => Math.min(...all.map((x) => x[key]));
  const size = statSync(given || new URL(address)).size;
  const megabytes = (n) => `${(n / 1e6).toFixed(n < 1e7 ? 1 : 0)} MB`;
  console.log(`| ${name} | ${megabytes(statSync(trajectory).size)} | ${megabytes(size)} | ${(best("first") / 1000).toFixed(1)} s | ${Math.max(...all.map((x) => x.rate)).toFixed(0)} | ${best("time").toFixed(0)} ms | ${best("seek").toFixed(0)} ms, ${best("slowest").toFixed(0)} ms | ${megabytes(best("bytes"))} |`);
}

try {
  console.log(`the page without data: ${statSync(new URL(page())).size} bytes; load ${loadavg()[0].toFixed(1)}\n`);
  console.log("| run | trajectory | page | first picture | pictures/s | processor time a picture | seek: median, slowest | memory |");
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const [name, scene, error] of [["1,000 bodies, 1,000 frames, `--error view`", boxes(9.99), "view"], ["the same, exact", boxes(9.99), "0"], ["cloth of 10,000 vertices, 300 frames, `--error view`", cloth, "view"], ["the same, exact", cloth, "0"]]) {
    const path = runScene(scene, `${scene.name.replaceAll(" ", "-")}-${error}`, "--error", error);
    await measure(name, path, page(path));
  }
  if (large === "large") {
    const path = file("large.mbt");
    repeatTrajectory(runScene(boxes(9.99), "a-thousand-bodies-0", "--error", "0"), path, 50);
    await measure("1,000 bodies, 50,000 frames, exact, chosen in the page without data", path, page(), path);
  }
  console.log(`\nload ${loadavg()[0].toFixed(1)}; ${mbsim("version").toString().split("\n")[0]}`);
} finally {
  await closeBrowser();
  rmSync(folder, { recursive: true });
}
