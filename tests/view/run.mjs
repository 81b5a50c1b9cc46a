// Tests of the page of `mbsim view`: its reader of trajectories in Node, the page itself in Chromium. Arguments: the program, and part of
// the names of the tests to run (default: all). Prints a line a test and "N passed, N failed".
import { tmpdir } from "node:os";
import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { closeBrowser } from "./browser.mjs";
import { useProgram } from "./mbsim.mjs";
import reader from "./reader.mjs";
import compare from "./compare.mjs";
import exports from "./exports.mjs";
import drawn from "./drawn.mjs";
import page from "./page.mjs";
import playing from "./playing.mjs";
import sweeps from "./sweeps.mjs";

const LIMIT = 600; // seconds for one test, which only one that hangs takes

const [program, filter = ""] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "mbsim-view-"));
useProgram(resolve(program), folder);

function within(seconds, work) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`longer than ${seconds} s`)), 1000 * seconds)));
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

async function again(name, error, test) {
  console.log(`again   ${name}: ${error.message.split("\n")[0]}`);
  try {
    await closeBrowser();
    await within(LIMIT, test());
    return true;
  } catch (second) {
    console.log(`        ${second.stack}`);
    return false;
  }
}

let passed = 0;
let failed = 0;
for (const [name, test] of Object.entries({ ...reader, ...compare, ...exports, ...page, ...drawn, ...playing, ...sweeps })) {
  if (!name.includes(filter)) continue;
  const began = Date.now();
  const told = () => console.log(`ok      ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  try {
    await within(LIMIT, test());
    passed++;
    told();
  } catch (error) {
    // a browser that stands still is started anew, once a test
    if (/Timeout \d+ms exceeded|longer than \d+ s/.test(error.stack) && (await again(name, error, test))) {
      passed++;
      told();
      continue;
    }
    failed++;
    console.log(`FAILED  ${name}: ${error.stack}`);
  }
}
await closeBrowser();
rmSync(folder, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
