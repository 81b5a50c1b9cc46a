// Curves of numbers over time under the picture, with the cursor of the player.
import uPlot from "uplot";
import { show } from "./format.js";

const STROKES = ["#2f6fb3", "#d1752a", "#3f8f45", "#c0392b", "#7a5ba8", "#8a6d3b"];
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

// Merges curves that have times of their own into uPlot's one list of times.
function align(curves) {
  const times = [...new Set(curves.flatMap((c) => c.times))].sort((a, b) => a - b);
  const place = new Map(times.map((t, i) => [t, i]));
  const columns = curves.map(({ times: ts, values }) => {
    const column = new Array(times.length).fill(undefined); // undefined: the line goes on; null: a gap
    ts.forEach((t, i) => (column[place.get(t)] = values[i]));
    return column;
  });
  return [times, ...columns];
}

// A logarithmic axis has lines at powers of ten, every few of them where there are many.
function decades(axis) {
  const powers = (_, splits) => {
    const whole = splits.map((x) => Math.log10(x)).map((p) => (Math.abs(p - Math.round(p)) < 1e-9 ? Math.round(p) : null));
    const shown = whole.filter((p) => p !== null);
    const every = Math.max(1, Math.ceil((shown.at(-1) - shown[0]) / 5));
    return splits.map((x, i) => (whole[i] !== null && whole[i] % every === 0 ? x : null));
  };
  const values = (_, ticks) => ticks.map((x) => (x === null ? "" : x.toExponential(0)));
  return { filter: powers, grid: { ...axis.grid, filter: powers }, ticks: { filter: powers }, values };
}

// The place of a number of the series at or before i, where curves have times of their own; null in a gap.
function placeBefore(column, i) {
  while (i > 0 && column[i] === undefined) i--;
  return i;
}

export class Curves {
  constructor(element, player, { onseek, onchange }) {
    Object.assign(this, { element, player, onseek, onchange });
    this.plots = new Map(); // title → {plot, box, labels}
  }

  get titles() {
    return [...this.plots.keys()];
  }

  // A plot of [{label, times, values}] with a unit; one of that title there already is taken away instead.
  toggle(title, unit, curves, { logarithmic = false } = {}) {
    if (this.plots.has(title)) return this.remove(title);
    const box = document.createElement("div");
    box.className = "curve";
    box.innerHTML = `<button aria-label="Remove the curve">×</button>`;
    box.firstChild.onclick = () => this.remove(title);
    this.element.hidden = false;
    this.element.append(box);
    const plot = new uPlot(this.#options(title, unit, curves, box, logarithmic), align(curves), box);
    this.plots.set(title, { plot, box, curves });
    plot.over.addEventListener("click", () => this.onseek(plot.posToVal(plot.cursor.left, "x")));
    this.move();
    this.onchange();
  }

  #options(title, unit, curves, box, logarithmic) {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--faint").trim();
    const axis = { stroke: ink, grid: { stroke: style.getPropertyValue("--line").trim(), width: 1 } };
    return {
      title: unit ? `${title} [${unit}]` : title,
      width: Math.max(200, box.clientWidth - 16),
      height: 150,
      scales: { x: { time: false }, y: { distr: logarithmic ? 3 : 1 } },
      axes: [{ ...axis, size: 30 }, { ...axis, size: 70, ...(logarithmic ? decades(axis) : { values: (_, ticks) => ticks.map(show) }) }],
      series: [
        { label: "t", value: (_, x) => `${show(x)} s` },
        ...curves.map(({ label }, i) => ({
          label,
          stroke: STROKES[i % STROKES.length],
          dash: DASHES[Math.floor(i / STROKES.length) % DASHES.length],
          width: 1.5,
          spanGaps: false,
          pxAlign: 0,
          points: { show: false },
          value: (_, x) => show(x),
        })),
      ],
      hooks: { ready: [() => this.move()], draw: [(plot) => this.#cursor(plot)] },
    };
  }

  #cursor(plot) {
    const x = plot.valToPos(this.player.time, "x", true);
    const { left, top, width, height } = plot.bbox;
    if (x < left || x > left + width) return;
    plot.ctx.save();
    plot.ctx.strokeStyle = "#e15759";
    plot.ctx.lineWidth = devicePixelRatio;
    plot.ctx.beginPath();
    plot.ctx.moveTo(x, top);
    plot.ctx.lineTo(x, top + height);
    plot.ctx.stroke();
    plot.ctx.restore();
  }

  // The cursor is where the player is.
  move() {
    for (const { plot } of this.plots.values()) {
      const i = plot.valToIdx(this.player.time);
      plot.setLegend({ idxs: plot.data.map((column, k) => (k ? placeBefore(column, i) : i)) }, false);
      plot.redraw(false, false);
    }
  }

  remove(title) {
    const { plot, box } = this.plots.get(title);
    plot.destroy();
    box.remove();
    this.plots.delete(title);
    this.element.hidden = this.plots.size === 0;
    this.onchange();
  }

  resize() {
    for (const { plot, box } of this.plots.values())
      plot.setSize({ width: Math.max(200, box.clientWidth - 16), height: 150 });
  }
}
