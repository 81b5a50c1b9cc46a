// The program under test: runs of scenes, exports, pages.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

let program;
let folder;

export function useProgram(path, into) {
  program = path;
  folder = into;
}

export const file = (name) => join(folder, name);

export function mbsim(...args) {
  return execFileSync(program, args, { stdio: ["ignore", "pipe", "pipe"], maxBuffer: 2 ** 30 });
}

// A trajectory of a scene (a path, or an object), run once a name. Extra arguments go to `mbsim run`.
export function runScene(scene, name, ...args) {
  const out = file(`${name}.mbt`);
  if (existsSync(out)) return out;
  let path = scene;
  if (typeof scene !== "string") {
    path = file(`${name}.json`);
    writeFileSync(path, JSON.stringify(scene));
  }
  mbsim("run", "-q", path, "-o", out, ...args);
  return out;
}

// {header, frames} as `export --format json` gives them.
export function exported(trajectory) {
  const lines = mbsim("export", "--format", "json", trajectory).toString().trimEnd().split("\n");
  const [header, ...frames] = lines.map((line) => JSON.parse(line));
  return { header, frames };
}

// What `mbsim diff --json` says; it exits with 1 where they differ.
export function diff(...args) {
  try {
    return JSON.parse(mbsim("diff", "--json", ...args));
  } catch (error) {
    if (error.status !== 1) throw error;
    return JSON.parse(error.stdout);
  }
}

// The address of a page with these trajectories in it; with none, of the empty page.
export function page(...trajectories) {
  const out = file(`${trajectories.map((t) => basename(t, ".mbt")).join("+") || "viewer"}.html`);
  if (!existsSync(out)) mbsim("view", ...trajectories, "-o", out);
  return `file://${out}`;
}
