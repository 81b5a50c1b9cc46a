// The page: runs, the picture, the cursor in time, curves, panel, keys, and the link to the moment that is seen.
import * as THREE from "three";
import { SCALE } from "../stage/strain.js";
import { Stage } from "../stage/stage.js";
import { Curves } from "./curves.js";
import { unitOf } from "../play/columns.js";
import { Comparison, DIFFERENCE, firstBeyond } from "./comparison.js";
import { escape, show } from "./format.js";
import { bindKeys } from "./keys.js";
import { readFragment, writeFragment } from "./link.js";
import { Panel } from "./panel.js";
import { Player, SPEEDS } from "./player.js";
import { SHOWN } from "./shown.js";

const $ = (id) => document.getElementById(id);
const PARTS = { play: "▶", pause: "❚❚" };
const SAMPLES = 12; // frames that tell how far the run goes
const FARTHEST = 30; // sizes of what is there at the start that the first look shows at most
const FOUND = 12; // curves of one plot at most
const ADDRESS_REST = 400; // ms between changes of the address, which browsers refuse where they come too often
const SCALED = 60; // frames that tell how large forces and strains become

export class App {
  // `report`: what `mbsim diff --json` says of the two runs, or null.
  constructor(runs, report) {
    this.runs = runs;
    this.comparison = runs.length > 1 ? new Comparison(runs, report) : null;
    this.chosen = null;
    this.following = false;
    this.names = false;
    this.marks = new Set();
    this.frame = null;
    this.remembering = null;
    this.remembered = -Infinity;
    this.player = new Player(longest(runs));
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.stage = new Stage($("canvas"), { dark: this.dark.matches });
    this.views = runs.map((run) => this.stage.add(run, upOf(run)));
    this.curves = new Curves($("curves"), this.player, {
      onseek: (t) => this.player.seek(t),
      onchange: () => this.#remember(),
    });
    this.panel = new Panel($("panel"), this);
    this.ready = false;
  }

  async start() {
    $("drop").hidden = true;
    $("app").hidden = false;
    this.#title();
    this.#bind();
    this.panel.renew();
    for (const run of this.runs) run.ontrouble = () => this.panel.renew();
    this.#layout();
    await this.#measure();
    this.#place();
    this.stage.firstLook();
    await this.#recall();
    await Promise.all(this.runs.map((run) => run.load(run.chunkAt(this.player.time)))); // the first picture is of the link's moment
    this.player.onchange(() => this.#moved());
    this.#moved();
    this.stage.draw();
    performance.mark("first picture");
    requestAnimationFrame((now) => this.#tick(now));
    document.body.dataset.ready = "1";
  }

  // How far the runs go, from some of their frames.
  async #measure() {
    const box = new THREE.Box3();
    for (const view of this.views) {
      box.union(await this.#reach(view));
      await view.run.load(view.run.chunkAt(this.player.time));
    }
    this.stage.settle(box);
  }

  // Without frames that lead so far away that what was there at the start would be too small to see, as where numbers blow up.
  async #reach(view) {
    let reach = new THREE.Box3();
    let start = 0; // the size of the first frame
    for (const frame of await view.run.samples(SAMPLES)) {
      this.stage.set(view, frame);
      const grown = reach.clone();
      for (const part of [view.bodies, view.soft, view.lines]) part.bounds(grown);
      const size = grown.isEmpty() ? 0 : grown.getSize(new THREE.Vector3()).length();
      start ||= size;
      if (size <= FARTHEST * start) reach = grown;
    }
    return reach;
  }

  #title() {
    const run = this.runs[0];
    const name = run.head.scene?.name || run.name;
    document.title = `${this.runs.map((r) => r.name).join(" · ")} – mbsim`;
    const { reason, status } = Object.assign({}, ...run.provenances);
    const last = run.events.at(-1);
    const ending = status ? `${reason}${last ? `: ${last.text}` : ""}` : null;
    $("title").innerHTML =
      `<b>${escape(name)}</b>${this.runs.length > 1 ? ` and ${escape(this.runs[1].name)} (ghost)` : ""}` +
      `${ending ? `<br><span class="ending">${escape(ending)}</span>` : ""}` +
      `${this.runs.some((r) => r.troubles.length) ? `<br><span class="ending">damaged: see the panel (i)</span>` : ""}` +
      `${missing(run).map((what) => `<br><span class="ending">${escape(what)}</span>`).join("")}` +
      `${run.frames === 0 ? `<br><span class="ending">The file holds no frames.</span>` : ""}`;
    this.#verdict();
  }

  #verdict() {
    const line = this.comparison?.line || "";
    $("verdict").hidden = !line;
    $("verdict").className = this.comparison?.same ? "fine" : "trouble";
    $("verdict").textContent = line;
  }

  // ---- time ------------------------------------------------------------------------------------------------

  #tick(now) {
    this.player.tick(now, this.ready);
    if (!this.ready) this.#place();
    if (this.stage.draw(now) && this.names) this.#labels();
    requestAnimationFrame((next) => this.#tick(next));
  }

  #moved() {
    this.#place();
    this.#clock();
    this.curves.move();
    this.#remember();
  }

  // Every run where the cursor is; not ready where chunks are still on their way.
  #place() {
    this.ready = true;
    for (const view of this.views) {
      const frame = view.run.frameAt(this.player.time);
      if (!frame) {
        const chunk = view.run.chunks.length ? view.run.peek(view.run.chunkAt(this.player.time)) : { damaged: true };
        if (!chunk?.damaged) this.ready = false;
        continue;
      }
      if (view.shown === frame.frame) continue;
      view.shown = frame.frame;
      this.stage.set(view, frame);
      if (view === this.views[0]) {
        this.frame = frame;
        this.panel.select();
        this.#clock();
      }
    }
    $("waiting").hidden = this.ready;
  }

  #clock() {
    const { player, frame } = this;
    const step = frame ? Math.round(frame.time / this.runs[0].head.step) : 0;
    $("clock").innerHTML = `<b>${show(+(frame?.time ?? 0).toPrecision(7))}</b> s · step ${step}`;
    $("clock").dataset.time = frame ? String(frame.time) : "";
    $("clock").dataset.frame = frame ? String(frame.frame) : "";
    Object.assign($("scrub"), { min: player.start, max: player.end });
    $("scrub").value = player.time;
    $("scrub").setAttribute("aria-valuetext", `${show(player.time)} seconds`);
    $("play").textContent = player.playing ? PARTS.pause : PARTS.play;
    $("play").setAttribute("aria-label", player.playing ? "Pause (space)" : "Play (space)");
    $("speed").value = String(player.speed);
    $("loop").checked = player.loop;
  }

  // ---- bindings --------------------------------------------------------------------------------------------

  #bind() {
    const { player } = this;
    $("play").onclick = () => player.toggle();
    $("back").onclick = () => player.step(-1);
    $("next").onclick = () => player.step(1);
    $("scrub").oninput = () => {
      const time = Number($("scrub").value); // pausing puts the knob where the cursor still is
      player.pause();
      player.seek(time);
    };
    $("speed").innerHTML = SPEEDS.map((s) => `<option value="${s}">${s < 1 ? `1/${Math.round(1 / s)}` : s}×</option>`).join("");
    $("speed").onchange = () => (player.speed = Number($("speed").value));
    $("loop").onchange = () => (player.loop = $("loop").checked);
    $("energy").onclick = () => this.ask("energy");
    $("momentum").onclick = () => this.ask("momentum");
    $("difference").onclick = () => this.difference();
    $("difference").hidden = !this.comparison;
    $("more").onclick = () => this.togglePanel();
    this.#bindFind();
    this.#bindPicking();
    new ResizeObserver(() => this.#layout()).observe($("picture"));
    this.dark.onchange = () => this.stage.theme(this.dark.matches);
    this.stage.controls.addEventListener("end", () => this.#remember());
    bindKeys(this);
  }

  #bindFind() {
    const labels = this.runs[0].columns().slice(0, 2000).map(([label]) => label);
    $("columns").innerHTML = labels.map((label) => `<option value="${escape(label)}">`).join("");
    $("find").onchange = () => {
      if ($("find").value.trim() && this.ask($("find").value.trim())) $("find").value = "";
    };
  }

  #bindPicking() {
    let down = null;
    $("canvas").addEventListener("pointerdown", (e) => (down = [e.clientX, e.clientY]));
    $("canvas").addEventListener("pointerup", (e) => {
      if (!down || Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4) return;
      const box = $("canvas").getBoundingClientRect();
      const hit = this.stage.pick(e.clientX - box.left, e.clientY - box.top);
      this.choose(hit?.body ?? null);
    });
  }

  #layout() {
    const { clientWidth, clientHeight } = $("picture");
    this.stage.resize(clientWidth, clientHeight);
    if (document.body.dataset.ready) this.stage.draw(); // at once: a canvas of a new size is empty
    this.curves.resize();
  }

  // ---- what a person can ask for ---------------------------------------------------------------------------

  togglePanel(on = $("panel").hidden) {
    $("panel").hidden = !on;
    $("more").setAttribute("aria-expanded", String(on));
  }

  choose(body) {
    if (body !== null && !(body in this.runs[0].bodies)) return;
    this.chosen = body;
    this.views[0].bodies.select(body);
    if (body === null || this.following) this.#follow(body !== null);
    if (body !== null) this.togglePanel(true);
    this.stage.touch();
    this.panel.select();
    this.#remember();
  }

  chooseNext() {
    const n = this.runs[0].bodies.length;
    if (n) this.choose(this.chosen === null ? 0 : (this.chosen + 1) % n);
  }

  #follow(on) {
    this.following = on && this.chosen !== null;
    this.stage.followBody(this.views[0], this.following ? this.chosen : null);
  }

  follow() {
    this.#follow(!this.following);
    this.panel.select();
  }

  async trace() {
    if (this.chosen === null) return;
    await this.views[0].marks.trace(this.chosen);
    this.stage.touch();
  }

  curvesOfChosen() {
    if (this.chosen !== null) this.find(`${this.runs[0].bodies[this.chosen]}.position`);
  }

  // Why something cannot be drawn, as a sentence; null where it can.
  whyNot(what) {
    const all = (why) => (this.views.every(why) ? why(this.views[0]) : null);
    if (what === "forces") return all((view) => view.forces.why);
    if (what === "strain") return all((view) => (view.soft.elastic ? null : "This run has no deformable with elements."));
    return null;
  }

  async show(what, on) {
    const why = this.whyNot(what);
    if (why) return this.#notice(why);
    if (on) this.marks.add(what);
    else this.marks.delete(what);
    this.panel.check(what, on);
    if (what === "names") {
      this.names = on;
      if (!on) $("labels").textContent = "";
    } else if (what === "forces") await this.#showForces(on);
    else if (what === "strain") await this.#showStrain(on);
    else
      for (const view of this.views) {
        view.marks.show(what, on);
        view.marks.set();
      }
    this.#legend();
    this.stage.touch();
    this.#remember();
  }

  // Draws what is shown anew where it is.
  #redraw() {
    for (const view of this.views) view.shown = null;
    this.#place();
  }

  // Both runs have one scale.
  async #showForces(on) {
    const views = this.views.filter((view) => !view.forces.why);
    if (on && !views[0].forces.most) {
      for (const view of views) view.forces.measure(await view.run.samples(SCALED));
      const most = (kind) => Math.max(...views.map((view) => view.forces.most[kind]));
      const both = notable(most("force"), most("torque"), this.stage.size);
      for (const view of views) view.forces.most = both;
    }
    for (const view of views) view.forces.group.visible = on;
    this.#redraw();
  }

  async #showStrain(on) {
    for (const { soft } of this.views) soft.colour(on);
    if (on && !this.strain) {
      const found = [];
      for (const { run, soft } of this.views) found.push(soft.strainIn(await run.samples(SCALED)));
      const most = (key) => Math.max(...found.map((x) => x[key]));
      this.strain = { largest: most("largest"), common: roundUp(most("common")) };
      for (const { soft } of this.views) soft.most = this.strain.common;
    }
    this.#redraw();
  }

  // Longer or shorter arrows.
  stretchForces(by) {
    for (const { forces } of this.views) forces.longest = Math.min(100, Math.max(0.1, forces.longest * by));
    this.#redraw();
    this.#legend();
  }

  // What lengths and colours mean.
  #legend() {
    const { forces } = this.views.find((view) => !view.forces.why) || this.views[0];
    const lines = [];
    if (this.marks.has("forces"))
      for (const [kind, unit] of [["force", "N"], ["torque", "N m"]])
        if (forces.most?.[kind] > 0) lines.push(`<div><span class="arrow ${kind}"></span>${kind}s up to ${show(+forces.most[kind].toPrecision(3))} ${unit}</div>`);
    if (this.marks.has("strain"))
      lines.push(`<div>strain <span>0</span><span class="ramp" style="background:linear-gradient(90deg, ${SCALE.join(", ")})"></span><span>${show(this.strain.common)}</span>${this.strain.largest > this.strain.common ? ` and more (largest ${show(+this.strain.largest.toPrecision(2))})` : ""}</div>`);
    $("legend").innerHTML = lines.join("");
    $("legend").hidden = !lines.length;
  }

  // Says something for a while.
  #notice(text) {
    $("notice").textContent = text;
    $("notice").hidden = false;
    clearTimeout(this.noticed);
    this.noticed = setTimeout(() => ($("notice").hidden = true), 6000);
  }

  toggleMark(what) {
    this.show(what, !this.marks.has(what));
  }

  view(what) {
    if (what === "fit") this.stage.fit();
    else if (what === "projection") this.stage.setOrthographic(this.stage.camera === this.stage.perspective);
    else if (what === "side") this.stage.setSide(!this.stage.side);
    else if (what === "difference") this.difference();
    else this.stage.fit(what);
    this.#remember();
  }

  // Adds the curves whose names hold `text`: all of a channel, or up to a dozen that fit. False where none does.
  find(text) {
    const run = this.runs[0];
    const wanted = text.toLowerCase();
    const all = run.columns();
    let hits = all.filter(([label]) => label.toLowerCase() === wanted);
    if (!hits.length) hits = all.filter(([label]) => label.toLowerCase().startsWith(`${wanted}.`));
    if (!hits.length) hits = all.filter(([label]) => label.toLowerCase().includes(wanted));
    if (!hits.length) return false;
    this.#plot(text, hits.slice(0, FOUND));
    return true;
  }

  // The same; says so where there is no such curve.
  ask(text) {
    const found = this.find(text);
    if (!found) this.#notice(`No number of this run has “${text}” in its name. What a run keeps is its scene's output.channels.`);
    return found;
  }

  async #plot(title, hits) {
    if (this.curves.plots.has(title)) return this.curves.remove(title);
    const units = new Set(hits.map(([, id, index]) => unitOf(this.runs[0].channels[id], index)));
    const unit = [...units].join(", ");
    const curves = [];
    for (const run of this.runs) {
      const theirs = hits
        .map(([label]) => run.columns().find(([other]) => other === label))
        .filter(Boolean);
      const series = await run.series(theirs.map(([, id, index]) => [id, index]));
      series.forEach((s, i) => curves.push({ label: this.runs.length > 1 ? `${theirs[i][0]} (${run.name})` : theirs[i][0], ...s }));
    }
    this.curves.toggle(title, unit, curves);
  }

  // How far the two runs are apart, channel by channel, and a jump to where a number first exceeds its tolerance.
  async difference({ jump = true } = {}) {
    const { comparison } = this;
    if (!comparison || this.comparing) return;
    if (this.curves.plots.has(DIFFERENCE)) return this.curves.remove(DIFFERENCE);
    this.comparing = true;
    $("verdict").hidden = false;
    $("verdict").textContent ||= "comparing…";
    await comparison.find();
    this.comparing = false;
    this.#verdict();
    this.panel.compare();
    const curves = (comparison.curves || []).filter(({ values }) => values.some((x) => x !== null));
    if (curves.length) this.curves.toggle(DIFFERENCE, "", curves, { logarithmic: true });
    const first = comparison.result && firstBeyond(comparison.result);
    if (jump && first !== null) this.player.seek(first);
  }

  #labels() {
    const { bodies } = this.views[0];
    const point = new THREE.Vector3();
    const most = 300;
    $("labels").innerHTML = this.runs[0].bodies
      .slice(0, most)
      .map((name, b) => {
        const at = this.stage.project(point.setFromMatrixPosition(bodies.poses[b]));
        return at ? `<span style="left:${at[0].toFixed(1)}px;top:${at[1].toFixed(1)}px">${escape(name)}</span>` : "";
      })
      .join("");
  }

  // ---- the link --------------------------------------------------------------------------------------------

  // Keeps the address at what is seen, also while it plays: at once after a rest, else when it may be changed again.
  #remember() {
    if (this.remembering) return;
    const rest = this.remembered + ADDRESS_REST - performance.now();
    this.remembering = setTimeout(() => this.#write(), Math.max(0, rest));
  }

  #write() {
    this.remembering = null;
    this.remembered = performance.now();
    const { camera, controls, side } = this.stage;
    const shown = [...this.marks];
    writeFragment({
      time: this.player.time,
      camera: [...camera.position.toArray(), ...controls.target.toArray()],
      orthographic: camera === this.stage.orthographic,
      curves: this.curves.titles,
      body: this.chosen === null ? null : this.runs[0].bodies[this.chosen],
      side,
      shown,
    });
  }

  async #recall() {
    const { time, camera, orthographic, curves, body, side, shown } = readFragment();
    if (time !== null) this.player.seek(time);
    if (orthographic) this.stage.setOrthographic(true);
    if (camera) {
      this.stage.camera.position.fromArray(camera);
      this.stage.controls.target.fromArray(camera, 3);
      this.stage.controls.update();
    }
    if (side) this.stage.setSide(true);
    const b = this.runs[0].bodies.indexOf(body);
    if (b >= 0) this.choose(b);
    for (const what of shown) if (SHOWN.includes(what) && !this.whyNot(what)) await this.show(what, true);
    for (const title of curves)
      if (title === DIFFERENCE) this.difference({ jump: false });
      else this.find(title);
  }
}

// What the file holds nothing about, so that it is not in the picture.
function missing(run) {
  const bodies = run.bodies.length && !run.channel("body.position") ? ["body.position"] : [];
  const soft = run.meshes.filter(({ name, body }) => !body && !run.channel(`deformable.${name}.position`)).map(({ name }) => `deformable.${name}.position`);
  return [...bodies, ...soft].map((channel) => `This file has no channel ${channel}: what it is about is not drawn.`);
}

// Largest force and torque, 0 where it is but rounding beside the other at the size of the scene.
function notable(force, torque, size) {
  const rounding = 1e-9;
  return { force: force * size > rounding * torque ? force : 0, torque: torque > rounding * force * size ? torque : 0 };
}

// To two digits, upwards.
function roundUp(x) {
  if (!(x > 0 && Number.isFinite(x))) return 1e-9;
  const unit = 10 ** (Math.floor(Math.log10(x)) - 1);
  return +(Math.ceil(x / unit - 1e-9) * unit).toPrecision(2);
}

const longest = (runs) => runs.reduce((a, b) => (b.duration > a.duration ? b : a));

// Against gravity; z where there is none.
function upOf(run) {
  const up = run.drawing?.up || run.head.scene?.gravity?.map((g) => -g);
  return Array.isArray(up) && up.every(Number.isFinite) && Math.hypot(...up) > 0 ? up : [0, 0, 1];
}
