// Chromium with software drawing. Every page that a test opens fails that test when it writes an error to the console, throws, or asks
// for anything on a network.
import { createRequire } from "node:module";
import { inflateSync } from "node:zlib";

const { chromium } = createRequire(new URL("../../tools/viewer/", import.meta.url))("playwright-core");

// How long a test waits for what must come: long enough for any machine, since only a page that hangs makes it wait so long.
const PATIENCE = 120000; // ms

// THROTTLE=6 makes the page's thread six times slower, which brings out tests that look before the page is done.
const throttle = Number(process.env.THROTTLE || 1);

let browser = null;

export async function launch() {
  browser ??= await chromium.launch({
    timeout: PATIENCE,
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: [
      "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
    ],
  });
  return browser;
}

export async function closeBrowser() {
  const old = browser;
  browser = null;
  await old?.close();
}

// Opens the address, waits until the run is seen, gives the page to `work`, then looks for faults.
export async function withPage(address, work, { width = 900, height = 640, wait = true, mobile = false } = {}) {
  const context = await (await launch()).newContext({ viewport: { width, height }, isMobile: mobile, hasTouch: mobile });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  if (throttle > 1) await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: throttle });
  const faults = [];
  page.on("console", (message) => message.type() === "error" && faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`thrown: ${error.stack}`));
  page.on("request", (request) => /^(file|blob|data):/.test(request.url()) || faults.push(`request: ${request.url()}`));
  try {
    await page.goto(address);
    if (wait) await ready(page);
    if (wait) await drawn(page);
    await work(page);
  } catch (error) {
    throw new Error([...faults, error.stack].join("\n"));
  } finally {
    await context.close();
  }
  if (faults.length) throw new Error(faults.join("\n"));
}

export const ready = (page) => page.waitForSelector("body[data-ready='1']");

// Moves the cursor and waits until the frame there is drawn.
export async function seek(page, time) {
  await page.evaluate((t) => window.mbsim.player.seek(t), time);
  await drawn(page);
}

// Waits until what was asked for is seen: the page has had two pictures' time to lay itself out anew, the frame at the cursor is decoded
// and drawn as finely as it will be, and that picture is on the screen.
export async function drawn(page) {
  await pictures(page, 2);
  await page.waitForFunction(() => window.mbsim.ready && !window.mbsim.stage.dirty && !window.mbsim.stage.coarse);
  await pictures(page, 2);
}

const pictures = (page, n) =>
  page.evaluate(async (count) => {
    for (let i = 0; i < count; i++) await new Promise((done) => requestAnimationFrame(done));
  }, n);

// The address once it points at `time`: the page writes it a moment after the cursor has moved.
export async function linkTo(page, time) {
  await page.waitForFunction((t) => Math.abs(new URLSearchParams(location.hash.slice(1)).get("t") - t) < 1e-9, time);
  return page.evaluate(() => location.href);
}

// The canvas' picture as {width, height, at(x, y)}: a PNG of eight bits a channel, read here.
export async function picture(page) {
  return readPng(await page.locator("#canvas").screenshot());
}

function readPng(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const width = view.getUint32(16);
  const height = view.getUint32(20);
  const channels = { 2: 3, 6: 4 }[view.getUint8(25)];
  const parts = [];
  for (let at = 8; at < bytes.length; at += 12 + view.getUint32(at))
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(bytes.subarray(at + 8, at + 8 + view.getUint32(at)));
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const rows = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) unfilter(raw, y, stride, channels, rows);
  return { width, height, at: (x, y) => rows.subarray(y * stride + x * channels, y * stride + x * channels + 3) };
}

function unfilter(raw, y, stride, channels, rows) {
  const from = y * (stride + 1);
  const type = raw[from];
  for (let i = 0; i < stride; i++) {
    const left = i >= channels ? rows[y * stride + i - channels] : 0;
    const up = y ? rows[(y - 1) * stride + i] : 0;
    const corner = y && i >= channels ? rows[(y - 1) * stride + i - channels] : 0;
    const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][type];
    rows[y * stride + i] = raw[from + 1 + i] + guess;
  }
}

function paeth(a, b, c) {
  const p = a + b - c;
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

// How many pixels of two pictures differ, within a box of both.
export function differing(a, b, [x0, y0, x1, y1] = [0, 0, a.width, a.height]) {
  let n = 0;
  for (let y = y0; y < y1; y++)
    for (let x = x0; x < x1; x++) {
      const [p, q] = [a.at(x, y), b.at(x, y)];
      if (Math.abs(p[0] - q[0]) + Math.abs(p[1] - q[1]) + Math.abs(p[2] - q[2]) > 24) n++;
    }
  return n;
}
