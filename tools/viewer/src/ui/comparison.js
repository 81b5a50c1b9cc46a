// Two runs against one another: the verdict, the table of channels, the curves of their largest differences. What `mbsim diff --report`
// found stands in the page; else it is found here, when it is asked for, by the same measure.
import { general } from "../compare/verdict.js";
import { escape, show } from "./format.js";

export const DIFFERENCE = "largest difference by channel";

// Tolerances by channel as a report has them: bounds of the files are in its atol.
function tolerancesOf(report) {
  const channels = {};
  for (const c of report.channels) if (c.compared) channels[c.channel] = { atol: c.atol, rtol: c.rtol, whole: true };
  return { fallback: { atol: report.atol || 0, rtol: report.rtol || 0 }, channels };
}

// When a channel first exceeds its tolerance; null where none does.
export function firstBeyond({ channels }) {
  const times = channels.filter((c) => c.first).map((c) => c.first.time);
  return times.length ? Math.min(...times) : null;
}

export class Comparison {
  constructor(runs, report) {
    Object.assign(this, { runs, report, result: report, curves: null, fault: null });
  }

  // Finds curves, and the table where no report has brought one.
  async find() {
    if (this.curves || this.fault) return;
    try {
      const found = await this.runs[0].compare(this.runs[1], this.report && tolerancesOf(this.report));
      this.curves = found.curves.map((c) => ({ ...c, values: c.values.map((x) => (x > 0 && Number.isFinite(x) ? x : null)) }));
      this.result ??= found;
    } catch (error) {
      this.fault = error.message;
    }
  }

  // In a few words, for the corner of the picture.
  get line() {
    return this.fault || this.result?.verdict || "";
  }

  get same() {
    return Boolean(this.result?.same);
  }

  // For the panel; buttons with data-time lead there.
  html() {
    if (this.fault) return `<h2>Comparison</h2><p class="trouble">${escape(this.fault)}</p>`;
    if (!this.result) return "";
    const { verdict, channels, invariants = [], missing, scene = [], scene_differences: count = 0 } = this.result;
    return `<h2>Comparison</h2><p class="${this.same ? "fine" : "trouble"}">${escape(verdict)}</p>
      <table id="differences"><tr><th></th><th>channel</th><th>largest</th><th>by range</th><th>allowed</th></tr>
      ${channels.map(rowOf).join("")}</table>
      ${invariants.length ? `<table>${invariants.map(invariantRow).join("")}</table>` : ""}
      ${missing.length ? `<ul class="trouble">${missing.map((text) => `<li>${escape(text)}</li>`).join("")}</ul>` : ""}
      ${scene.length ? `<p>The scenes differ in ${count} ${count === 1 ? "place" : "places"}:</p><ul>${scene.map(sceneItem).join("")}</ul>` : ""}`;
  }
}

// JSON has null for what is not finite.
const digits = (x) => (x === null || x === undefined || x === Infinity ? "∞" : general(x, 3));
const mark = (good) => `<td class="${good ? "fine" : "trouble"}">${good ? "ok" : "FAIL"}</td>`;
const jump = (text, { time, place }) =>
  `<button data-time="${time}" title="Go there: ${escape(place || "")}">${text} ${show(time)} s</button>`;

function rowOf(c) {
  if (!c.compared) return `<tr>${mark(c.pass)}<td colspan="4">${escape(c.channel)}: not compared</td></tr>`;
  const worst = c.worst || { error: 0, scaled: 0, allowed: c.atol + c.rtol * c.range };
  const where = c.first ? `<tr class="where"><td></td><td colspan="4">${escape(c.first.place || "")} ${jump("first", c.first)} ${jump("worst", worst)}</td></tr>` : "";
  return `<tr data-channel="${escape(c.channel)}">${mark(c.pass)}<td title="${escape(c.unit || "")}">${escape(c.channel)}</td>
    <td>${digits(worst.error)}</td><td>${digits(worst.scaled)}</td><td>${digits(worst.allowed)}</td></tr>${where}`;
}

const invariantRow = (v) =>
  `<tr>${mark(v.pass)}<td>${escape(v.name)}</td><td>${show(v.a)} against ${show(v.b)}</td><td>${digits(v.error)} of ${digits(v.tolerance)}</td></tr>`;

const sceneItem = ({ pointer, a, b }) => `<li><code>${escape(pointer)}</code>: ${escape(a ?? "nothing")} against ${escape(b ?? "nothing")}</li>`;
