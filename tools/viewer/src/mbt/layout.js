// Which numbers of a frame make a block, and which velocities belong to it (io/README.md, "CHNK").

// What is fixed about the blocks of a chunk, in their order. `cols` numbers a frame, `w` an item; `kind` is "position" or
// "rotation" where the block may be predicted from the velocities in block `source`.
export function blocksOf(channels) {
  const blocks = [];
  channels.forEach((channel, id) => {
    const parts = channel.width === 6 ? 2 : 1;
    const w = channel.width / parts;
    for (let part = 0; part < parts; part++)
      blocks.push({ id, part, w, cols: w * channel.items, kind: null, source: -1 });
  });
  for (const block of blocks) linkVelocities(block, blocks, channels);
  return blocks;
}

function linkVelocities(block, blocks, channels) {
  const channel = channels[block.id];
  const dot = channel.name.lastIndexOf(".");
  const stem = channel.name.slice(0, Math.max(dot, 0));
  const kind = channel.name.slice(dot + 1);
  if (!stem || (kind !== "position" && kind !== "rotation")) return;
  const id = channels.findIndex((c) => c.name === `${stem}.velocity`);
  if (id < 0 || channels[id].items !== channel.items) return;
  const part = velocityPart(kind, block.part, channel.width, channels[id].width);
  if (part < 0) return;
  block.kind = kind;
  block.source = blocks.findIndex((b) => b.id === id && b.part === part);
}

function velocityPart(kind, part, width, velocityWidth) {
  if (kind === "rotation") return width === 4 && velocityWidth === 6 ? 0 : -1;
  if (width === velocityWidth && width > 0) return part;
  return width === 3 && velocityWidth === 6 ? 1 : -1;
}
