// Takes the pictures of the README anew: node tools/viewer/pictures.mjs build/mbsim
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const mbsim = resolve(process.argv[2]);
const work = mkdtempSync(join(tmpdir(), "mbsim-pictures-"));

// [scene, seconds, time of the picture, name, what to do before]
const SHOTS = [
  ["redmax/robot_arm", 2, 1.2, "arm", () => window.mbsim.choose(5) || window.mbsim.trace().then(() => window.mbsim.togglePanel(false))],
  ["projective/twisting_bar", 2, 1.6, "bar", () => window.mbsim.show("strain", true)],
  ["redmax/elbow", 3, 1.7, "elbow", () => window.mbsim.find("biceps.muscle.force")],
];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"],
});
for (const [scene, duration, time, name, act] of SHOTS) {
  const run = join(work, `${name}.mbt`);
  execFileSync(mbsim, ["run", "-q", join(here, `../../scenes/${scene}.json`), "-d", String(duration), "-o", run]);
  execFileSync(mbsim, ["view", run, "-o", join(work, `${name}.html`)], { stdio: "ignore" });
  const page = await browser.newPage({ viewport: { width: 860, height: 580 }, deviceScaleFactor: 0.6 });
  await page.goto(`file://${join(work, name)}.html#t=${time}`);
  await page.waitForSelector("body[data-ready='1']", { timeout: 60000 });
  await page.evaluate(act);
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(here, `pictures/${name}.png`) });
}
await browser.close();
rmSync(work, { recursive: true });
