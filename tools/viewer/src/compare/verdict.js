// One line that says what came of a comparison, as `mbsim diff` says it (io/compare/compare_verdict.c).

const MOST = 767; // characters

// %.<digits>g of C.
export function general(x, digits) {
  if (x === Infinity || x === -Infinity) return x < 0 ? "-inf" : "inf";
  if (x !== x) return "nan";
  if (x === 0) return Object.is(x, -0) ? "-0" : "0";
  const [mantissa, power] = x.toExponential(digits - 1).split("e");
  const e = Number(power);
  const bare = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (e >= -4 && e < digits) return bare(x.toFixed(Math.max(0, digits - 1 - e)));
  return `${bare(mantissa)}e${e < 0 ? "-" : "+"}${String(Math.abs(e)).padStart(2, "0")}`;
}

function place(result, d) {
  const { a, itemNames } = result.pair;
  const item = itemNames ? ` of '${itemNames[d.item]}'` : a.items > 1 ? ` of item ${d.item}` : "";
  const component = a.rotation ? " (angle)" : a.component_names && a.width > 1 ? ` (${a.component_names[d.component]})` : "";
  const numbers = d.error === Infinity ? `${general(d.a, 6)} against ${general(d.b, 6)}` : `${general(d.error, 3)} > ${general(d.allowed, 3)}`;
  return `${result.channel}${item}${component} at t = ${general(d.time, 9)} s (frame ${d.frame}): ${numbers}`;
}

function growth({ jump, growth: rate }) {
  return jump ? ", there at once" : rate > 0 ? `, grows 10x every ${general(1 / rate, 2)} s` : "";
}

// The item of the list for which `key` is largest, the first among equals.
const most = (list, key) => list.reduce((best, x) => (!best || key(x) > key(best) ? x : best), null);

function differences({ channels, missing }) {
  const failing = channels.filter((c) => c.compared && !c.pass);
  const others = missing.length + failing.length - 1;
  if (!failing.length) return [missing[0], others];
  const first = most(failing, (c) => -c.first.frame);
  const worst = most(failing, (c) => c.worst.scaled);
  const same = ["frame", "item", "component"].every((key) => worst.worst[key] === first.first[key]) && worst === first;
  return [place(first, first.first) + growth(first) + (same ? "" : `; worst ${place(worst, worst.worst)}`), others];
}

function agreement({ channels, frames, pairs }) {
  const worst = most(channels.filter((c) => c.compared && c.worst), (c) => c.worst.scaled);
  const found = !frames
    ? "no number compared"
    : worst
      ? `all within tolerance; the largest difference is ${general(worst.worst.error, 3)} in ${worst.channel} at t = ${general(worst.worst.time, 9)} s`
      : "every number equal";
  const lists = channels.filter((c) => c.pair?.a.list).map((c) => c.channel);
  const counts = lists.length ? `; of ${lists.join(", ")} the counts alone: mbsim diff compares the entries` : "";
  return `same: ${frames} frames, ${pairs} ${pairs === 1 ? "channel" : "channels"}, ${found}${counts}`;
}

// `result` as compareRuns makes it, with `pairs`, their number.
export function verdictOf(result) {
  if (result.same) return agreement(result).slice(0, MOST);
  const [text, others] = differences(result);
  return `differ: ${text}${others ? `; ${others} more ${others === 1 ? "difference" : "differences"}` : ""}`.slice(0, MOST);
}
