// What the numbers of a channel are called: the names that the CSV export gives its columns (io/export/export.h).

const join = (...parts) => parts.filter((part) => part !== "").join(".");

// "ball.1" of "joint.position" is "ball.joint.position.1".
function coordinate(channel, item) {
  const match = /^(.*)\.(\d+)$/.exec(item);
  return match ? join(match[1], channel, match[2]) : join(item, channel);
}

// Everything before the component.
function itemName(channel, items, i) {
  const last = channel.name.slice(channel.name.lastIndexOf(".") + 1);
  if (items && channel.name.startsWith("joint.")) return coordinate(channel.name, items[i]);
  if (items) return join(items[i], last);
  const deformable = /^deformable\.(.+)\.[^.]*$/.exec(channel.name);
  if (deformable) return join(deformable[1], i, last === "position" ? "" : last);
  return channel.items > 1 ? join(channel.name, i) : channel.name;
}

function component(channel, k) {
  if (channel.width === 1 && channel.name.startsWith("joint.")) return "";
  if (channel.component_names) return channel.component_names[k];
  return channel.width > 1 ? String(k) : "";
}

// The unit of one number of a channel's frame: a list of units belongs to its components, or to its two halves.
export function unitOf({ unit, width }, index) {
  const units = (unit || "").split(", ");
  if (units.length === width) return units[index % width];
  return width === 6 && units.length === 2 ? units[index % width < 3 ? 0 : 1] : unit || "";
}

// [label, channel id, index in the channel's frame] of every number.
export function columnsOf(channel, id, bodies) {
  const items = channel.items_names === "bodies" ? bodies : channel.items_names || null;
  const out = [];
  for (let i = 0; i < channel.items; i++)
    for (let k = 0; k < channel.width; k++)
      out.push([join(itemName(channel, items, i), component(channel, k)), id, i * channel.width + k]);
  return out;
}
