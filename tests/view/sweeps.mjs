// The page of `mbsim sweep --report` in Chromium: what it lists, sorts, filters and draws.
import assert from "node:assert/strict";
import { withPage } from "./browser.mjs";
import { file, mbsim } from "./mbsim.mjs";

function report() {
  const folder = file("sweep");
  try {
    mbsim("sweep", "scenes/sweeps/swing.json", "-p", "amplitude=0.5:2:4", "-p", "length=0.3,0.6,-1", "-d", "0.2", "--keep", "none", "-q", "-o", folder,
      "-m", "fastest=max(abs(rod.joint.velocity))", "-m", "turn=final(rod.joint.position)", "--report", `${folder}/report.html`);
  } catch (error) {
    assert.equal(error.status, 1); // four runs have no length
  }
  return `file://${folder}/report.html`;
}

const column = (page, k) => page.$$eval("#runs tbody tr", (rows, k) => rows.map((r) => r.cells[k].textContent), k);
const type = (page, name, text) => page.fill(`input[aria-label="filter ${name}"]`, text);

export default {
  "a sweep's page lists its runs, sorts and filters them": () =>
    withPage(report(), async (page) => {
      assert.match(await page.textContent("#summary"), /^12 runs: 8 ok, 4 scene/);
      assert.deepEqual(await column(page, 0), [..."01234567891011".match(/1[01]|\d/g)]);
      await page.click("#runs th:nth-child(3)");
      await page.click("#runs th:nth-child(3)");
      assert.deepEqual((await column(page, 2)).map(Number), [2, 2, 2, 1.5, 1.5, 1.5, 1, 1, 1, 0.5, 0.5, 0.5]);
      await type(page, "amplitude", "0.9..1.6");
      await type(page, "length", ">0.5");
      assert.deepEqual((await column(page, 3)).map(Number), [0.6, 0.6]);
      await type(page, "length", "");
      await type(page, "amplitude", "");
      await type(page, "status", "scene");
      assert.equal((await column(page, 0)).length, 4);
      assert.match(await page.textContent("#failures"), /wanted a number/);
    }, { wait: false }),
  "a sweep's page draws the runs that the filters leave, and marks one": () =>
    withPage(report(), async (page) => {
      assert.equal(await page.locator("#scatter circle").count(), 8);
      assert.equal(await page.locator("#lines path.run").count(), 12);
      await type(page, "length", "0.6");
      assert.equal(await page.locator("#scatter circle").count(), 4);
      await page.click("#runs tbody tr:nth-child(2)");
      assert.equal(await page.locator("#scatter circle.on").count(), 1);
    }, { wait: false }),
  "a sweep's page tells by rank correlation and by means what matters": () =>
    withPage(report(), async (page) => {
      const ranks = await page.$$eval("#ranks tbody tr", (rows) => rows.map((r) => [...r.cells].map((c) => c.textContent)));
      assert.deepEqual(ranks.map((r) => r[0]), ["amplitude", "length"]);
      assert.ok(Number(ranks[0][1]) > 0.7, `the amplitude decides the speed: ${ranks[0][1]}`);
      assert.equal(await page.locator("#effects circle").count(), 6);
    }, { wait: false }),
};
