// The panel beside the picture: what the run is, how it ended, what was found wrong, the chosen body's numbers, what is drawn.
import { lookOfBody } from "../stage/palette.js";
import { SHOWN } from "./shown.js";
import { bytes, escape, show } from "./format.js";

const KEYS = [
  ["space", "play, pause"], ["← →", "a frame back, on"], ["Home End", "start, end"], ["[ ]", "slower, faster"], ["l", "loop"],
  ["f", "fit"], ["1–6", "look along an axis"], ["p", "perspective or orthographic"], ["e m", "energy, momentum"],
  ["c", "find a curve"], ["b", "next body"], ["o", "follow the body"], ["t", "trace of the body"], ["n", "names"],
  ["x", "frames"], ["g", "centres of mass"], ["j", "joints' axes"], ["a", "forces as arrows"], [", .", "shorter, longer arrows"],
  ["v", "strain as colour"], ["s", "ghost or side by side"], ["d", "difference of two runs"],
  ["i", "this panel"],
];

const row = (name, value) => `<tr><th>${escape(name)}</th><td>${value}</td></tr>`;
const word = (x) => (typeof x === "string" ? x : x?.type || "");

function about(run) {
  const scene = run.head.scene || {};
  const made = Object.assign({}, ...run.provenances);
  return `<h2>${escape(run.name)}</h2>
    ${scene.description ? `<p>${escape(scene.description)}</p>` : ""}
    <table>
    ${row("scene", escape(scene.name || "–"))}
    ${row("solver", escape(word(scene.solver) || "–"))}
    ${row("integrator", escape(word(scene.integrator) || "implicit"))}
    ${row("step", `${show(run.head.step)} s`)}
    ${row("time", `${show(run.start)} … ${show(run.duration)} s`)}
    ${row("frames", String(run.frames))}
    ${row("bodies", String(run.bodies.length))}
    ${row("file", bytes(run.size))}
    ${row("made by", `mbsim ${escape(run.head.mbsim || "")}${made.started ? `, ${escape(made.started)}` : ""}`)}
    ${made.reason ? row("ended", escape(made.reason)) : ""}
    </table>
    ${list("Events", run.events.map(told), "")}
    ${list("Found damaged", run.troubles, "trouble")}`;
}

// An event and when it was, which many texts tell themselves.
const told = ({ time, step, text }) => (text.startsWith("at t = ") ? text : `t = ${show(time)} s, step ${step}: ${text}`);

function list(title, lines, kind) {
  if (!lines.length) return "";
  return `<h2>${title}</h2><ul class="${kind}">${lines.map((l) => `<li>${escape(l)}</li>`).join("")}</ul>`;
}

export class Panel {
  constructor(element, app) {
    this.element = element;
    this.app = app;
    element.innerHTML = `<div id="body"></div><div id="comparison"></div><div id="shown"></div><div id="abouts"></div><div id="list"></div>
      <h2>Keys</h2><table>${KEYS.map(([k, what]) => `<tr><td><kbd>${k}</kbd></td><td>${what}</td></tr>`).join("")}</table>`;
    this.parts = Object.fromEntries(["body", "comparison", "shown", "abouts", "list"].map((id) => [id, element.querySelector(`#${id}`)]));
  }

  renew() {
    const { runs } = this.app;
    this.parts.abouts.innerHTML = runs.map(about).join("");
    this.parts.shown.innerHTML = `<h2>Drawn</h2><div class="row">${SHOWN.map((what) => this.#switch(what)).join("")}</div>
      <div class="row">${["+x", "-x", "+y", "-y", "+z", "-z"].map((v) => `<button data-view="${v}" aria-label="Look from ${v}">${v}</button>`).join("")}
      <button data-view="fit">fit</button><button data-view="projection">projection</button>
      ${runs.length > 1 ? `<button data-view="side">ghost / side by side</button><button data-view="difference">difference</button>` : ""}</div>`;
    for (const input of this.parts.shown.querySelectorAll("input"))
      input.onchange = () => this.app.show(input.dataset.show, input.checked);
    for (const button of this.parts.shown.querySelectorAll("button")) button.onclick = () => this.app.view(button.dataset.view);
    this.#bodies(runs[0]);
    this.compare();
    this.select();
  }

  // What the comparison of two runs has found so far.
  compare() {
    const { comparison, player } = this.app;
    this.parts.comparison.innerHTML = comparison?.html() || "";
    for (const button of this.parts.comparison.querySelectorAll("button"))
      button.onclick = () => {
        player.pause();
        player.seek(Number(button.dataset.time));
      };
  }

  // One that cannot be drawn says why.
  #switch(what) {
    const why = this.app.whyNot(what);
    const name = { centres: "centres of mass", joints: "joints' axes" }[what] || what;
    return `<label${why ? ` class="off" title="${escape(why)}"` : ""}><input type="checkbox" data-show="${what}"${why ? " disabled" : ""}${this.app.marks.has(what) ? " checked" : ""}> ${name}</label>`;
  }

  check(what, on) {
    const input = this.parts.shown.querySelector(`[data-show="${what}"]`);
    if (input) input.checked = on;
  }

  #bodies(run) {
    const most = 200;
    const buttons = run.bodies.slice(0, most).map(
      (name, b) => `<div><button data-body="${b}"><span class="swatch" style="background:${lookOfBody(run, b).colour}"></span>${escape(name)}</button></div>`,
    );
    this.parts.list.innerHTML = run.bodies.length
      ? `<h2>Bodies</h2><div class="bodies">${buttons.join("")}${run.bodies.length > most ? `… and ${run.bodies.length - most} more` : ""}</div>` : "";
    for (const button of this.parts.list.querySelectorAll("button"))
      button.onclick = () => this.app.choose(Number(button.dataset.body));
  }

  // The chosen body's numbers in the frame that is shown.
  select() {
    const { runs, chosen, frame } = this.app;
    if (chosen === null || !frame) {
      this.parts.body.innerHTML = "";
      return;
    }
    const run = runs[0];
    const name = run.bodies[chosen];
    const rows = run
      .columns()
      .filter(([label]) => label.startsWith(`${name}.`))
      .map(([label, id, index]) => row(label.slice(name.length + 1), show(frame.numbers(run.channels[id].name)[index])));
    this.parts.body.innerHTML = `<h2><span class="swatch" style="background:${lookOfBody(run, chosen).colour}"></span>${escape(name)}</h2>
      <table id="numbers">${rows.join("")}</table>
      <div class="row"><button data-do="follow">${this.app.following ? "stop following" : "follow (o)"}</button>
      <button data-do="trace">trace (t)</button><button data-do="curvesOfChosen">its curves</button></div>`;
    for (const button of this.parts.body.querySelectorAll("button"))
      button.onclick = () => this.app[button.dataset.do]();
  }
}

