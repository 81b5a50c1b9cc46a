// How far two runs are apart: of each channel that both have, the largest |a − b| of a frame, over frames of the same number.
const TOLERANCE = 1e-9; // of the largest number of the channel: what counts as different

// {curves: [{label, times, values}], first: when they first differ, or null}
export async function differences(a, b) {
  const shared = a.channels
    .map((channel, id) => ({ channel, id, other: b.byName.get(channel.name) }))
    .filter(({ channel, other }) => {
      const theirs = other === undefined ? null : b.channels[other];
      return theirs && !channel.unstable && theirs.items === channel.items && theirs.width === channel.width;
    });
  const curves = shared.map(({ channel }) => ({ label: channel.name, times: [], values: [], scale: 0 }));
  for (let i = 0; i < a.chunks.length; i++) {
    const chunk = await a.load(i);
    for (let r = 0; r < chunk.times.length; r++) {
      const frame = b.frameAt(chunk.times[r]) || (await b.load(b.chunkAt(chunk.times[r])), b.frameAt(chunk.times[r]));
      if (!frame || Math.abs(frame.time - chunk.times[r]) > 1e-9 * (1 + Math.abs(frame.time))) continue;
      shared.forEach((s, k) => addPoint(curves[k], s, chunk, r, frame));
    }
  }
  let first = null;
  for (const { times, values, scale } of curves) {
    const i = values.findIndex((x) => x > TOLERANCE * scale);
    if (i >= 0 && (first === null || times[i] < first)) first = times[i];
  }
  return { curves, first };
}

function addPoint(curve, { channel, id }, chunk, r, frame) {
  const n = channel.items * channel.width;
  const x = chunk.channels[id];
  const y = frame.numbers(channel.name);
  let worst = 0;
  for (let item = 0; item < channel.items; item++) worst = Math.max(worst, itemDistance(channel, x, r * n, y, item, curve));
  curve.times.push(chunk.times[r]);
  curve.values.push(Number.isFinite(worst) ? worst : null);
}

// A quaternion and its negative are the same rotation.
function itemDistance({ width, rotation }, x, at, y, item, curve) {
  let dot = 0;
  if (rotation) for (let k = 0; k < width; k++) dot += x[at + item * width + k] * y[item * width + k];
  const sign = dot < 0 ? -1 : 1;
  let worst = 0;
  for (let k = 0; k < width; k++) {
    const value = x[at + item * width + k];
    curve.scale = Math.max(curve.scale, Math.abs(value));
    worst = Math.max(worst, Math.abs(value - sign * y[item * width + k]));
  }
  return worst;
}
