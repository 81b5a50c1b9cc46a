// A trajectory file: what it holds, and its frames chunk by chunk. Works in a page, in a worker and in Node.
import { blocksOf } from "./layout.js";
import { decodeBlock, parseBlock } from "./codec.js";
import { decodeList, parseList } from "./lists.js";
import { Fault, need } from "./fault.js";
import { checkMagic, peekChunk, readContent, readHeader, readIndex, scan, u64, viewOf, Windows } from "./records.js";

const MOST_CHANNELS = 65535;
const OTHERS_WINDOW = 1 << 16; // bytes read at once where meshes and events are
const MOST_NUMBERS = 2 ** 27; // of a chunk: 1 GiB

const decoder = new TextDecoder();

function parseJson(bytes, what) {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    throw new Fault(`${what} is no JSON`);
  }
}

function isWhole(x) {
  return Number.isInteger(x) && x >= 0;
}

function checkHead(head) {
  need(head && head.format === "mbt" && Array.isArray(head.channels), "the file's head lacks its channels");
  need(head.channels.length <= MOST_CHANNELS, "the file has too many channels");
  need(Array.isArray(head.bodies || []), "the file's head lacks its bodies");
  for (const c of head.channels)
    need(typeof c.name === "string" && isWhole(c.items) && isWhole(c.width), "a channel of the head lacks its size");
  for (const { list, items, width } of head.channels) if (list) checkList(list, items, width);
  const size = head.channels.reduce((sum, c) => sum + c.items * c.width, 0);
  need(size <= MOST_NUMBERS, "a frame is larger than 1 GiB");
}

function checkList(list, items, width) {
  const good = items === 1 && width === 1 && Array.isArray(list.fields) && isWhole(list.keys) && list.keys <= list.fields.length;
  need(good && list.fields.length >= 1 && list.fields.length <= 254, "a list of the head makes no sense");
  need(list.fields.every((f) => typeof f?.name === "string"), "a list of the head makes no sense");
}

function text(bytes, at, length) {
  return length ? decoder.decode(bytes.subarray(at, at + length - 1)) : "";
}

function parseMesh(bytes) {
  need(bytes.length >= 24, "a mesh is too short");
  const view = viewOf(bytes);
  const [names, bodies, nv, ne, corners] = [0, 4, 8, 12, 16].map((at) => view.getUint32(at, true));
  const at = 24 + names + bodies + ((8 - ((names + bodies) % 8)) % 8);
  need(corners <= 4 && at + 24 * nv + 4 * ne * corners === bytes.length, "a mesh has another length than it says");
  const vertices = new Float64Array(3 * nv);
  const elements = new Uint32Array(ne * corners);
  for (let i = 0; i < vertices.length; i++) vertices[i] = view.getFloat64(at + 8 * i, true);
  for (let i = 0; i < elements.length; i++) {
    elements[i] = view.getUint32(at + 24 * nv + 4 * i, true);
    need(elements[i] < nv, "an element of a mesh has no such vertex");
  }
  return { name: text(bytes, 24, names), body: text(bytes, 24 + names, bodies), corners, vertices, elements };
}

function parseEvent(bytes) {
  need(bytes.length >= 17, "an event is too short");
  const view = viewOf(bytes);
  return { time: view.getFloat64(0, true), step: u64(view, 8), text: text(bytes, 16, bytes.length - 16) };
}

const OTHERS = {
  MESH: (to, bytes) => to.meshes.push(parseMesh(bytes)),
  EVNT: (to, bytes) => to.events.push(parseEvent(bytes)),
  PROV: (to, bytes) => to.provenances.push(parseJson(bytes, "provenance")),
  DRAW: (to, bytes) => (to.drawing ??= parseJson(bytes, "what pictures need")),
};

export class Trajectory {
  // Opens what is whole of the file; what is not stands in `troubles`. Throws a Fault where it is no trajectory or its head is damaged.
  static async open(source) {
    const t = new Trajectory();
    Object.assign(t, { source, troubles: [], meshes: [], events: [], provenances: [], chunks: [], checkpoints: 0, drawing: null });
    const version = await checkMagic(source);
    const first = await readHeader(source, 16);
    need(first.tag === "HEAD", "the file does not begin with its head");
    t.head = parseJson(await readContent(source, first), "the file's head");
    checkHead(t.head);
    need(version === (t.head.channels.some((c) => c.list) ? 2 : 1), "the file is of another version than its head");
    t.blocks = blocksOf(t.head.channels);
    const index = await readIndex(source);
    t.whole = index !== null;
    if (index) await t.#takeIndex(index);
    else await t.#takeScan();
    t.#checkOrder();
    return t;
  }

  get frames() {
    const last = this.chunks.at(-1);
    return last ? last.first + last.count : 0;
  }

  async #takeIndex({ chunks, others }) {
    this.chunks = chunks;
    const windows = new Windows(this.source, OTHERS_WINDOW);
    for (const { tag, offset } of others) await this.#takeOther(tag, () => readHeader(windows, offset), windows);
  }

  async #takeScan() {
    const { records, troubles } = await scan(this.source);
    this.troubles.push("the file was cut off, or its index is damaged", ...troubles);
    for (const record of records) {
      if (record.tag === "CHNK") await this.#tolerate(async () => this.chunks.push(await peekChunk(this.source, record)));
      else await this.#takeOther(record.tag, async () => record);
    }
  }

  async #takeOther(tag, header, source = this.source) {
    if (tag === "CKPT") this.checkpoints++;
    if (!OTHERS[tag]) return;
    await this.#tolerate(async () => {
      const record = await header();
      need(record.tag === tag, "the index names a record that is another");
      OTHERS[tag](this, await readContent(source, record));
    });
  }

  async #tolerate(work) {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.troubles.push(error.message);
    }
  }

  // Leaves out chunks that do not follow those before them.
  #checkOrder() {
    let frame = 0;
    let time = -Infinity;
    const sound = this.chunks.filter((c) => {
      const good = c.count >= 1 && c.first >= frame && c.t0 > time && c.t1 >= c.t0 && Number.isFinite(c.t1);
      if (good) [frame, time] = [c.first + c.count, c.t1];
      else this.troubles.push(`frames ${c.first} to ${c.first + c.count - 1} are out of order and left out`);
      return good;
    });
    this.chunks = sound;
    let expected = 0;
    for (const c of sound) {
      if (c.first > expected) this.troubles.push(`frames ${expected} to ${c.first - 1} are missing`);
      expected = c.first + c.count;
    }
  }

  // Frames of chunk i: {first, times, channels, lists}, channels by id as count x items x width numbers; lists by id as decodeList gives
  // them, null where a channel has none. `wanted` are ids; none given, all.
  async readChunk(i, wanted) {
    const chunk = this.chunks[i];
    const record = await readHeader(this.source, chunk.offset);
    need(record.tag === "CHNK", "the index names a record that is another");
    const view = viewOf(await readContent(this.source, record));
    need(view.byteLength >= 16 && view.getUint32(12, true) === this.head.channels.length, "a chunk has other channels");
    const count = view.getUint32(8, true);
    need(u64(view, 0) === chunk.first && count === chunk.count, "a chunk holds other frames than were to come");
    need(view.byteLength >= 16 + 8 * count, "a chunk is too short");
    const times = new Float64Array(count);
    for (let r = 0; r < count; r++) times[r] = view.getFloat64(16 + 8 * r, true);
    this.#checkTimes(times);
    const { headers, lists } = this.#parseBlocks(view, 16 + 8 * count, count);
    const rows = await this.#decodeBlocks(headers, count, times, wanted);
    const channels = this.#join(rows, count, wanted);
    return { first: chunk.first, times, channels, lists: await this.#decodeLists(lists, channels) };
  }

  async #decodeLists(lists, channels) {
    const out = new Array(channels.length).fill(null);
    for (const list of lists) if (channels[list.id]) out[list.id] = await decodeList(list, channels[list.id]);
    return out;
  }

  #checkTimes(times) {
    for (let r = 0; r < times.length; r++)
      need(Number.isFinite(times[r]) && (r === 0 || times[r] > times[r - 1]), "a chunk's times do not increase");
  }

  #parseBlocks(view, at, count) {
    need(count * this.blocks.reduce((sum, b) => sum + b.cols, 0) <= MOST_NUMBERS, "a chunk is larger than 1 GiB");
    const headers = this.blocks.map((block) => {
      const header = parseBlock(view, at, block, count);
      at = header.at;
      return header;
    });
    const lists = [];
    this.head.channels.forEach(({ list }, id) => {
      if (!list) return;
      lists.push(parseList(view, at, id, list));
      at = lists.at(-1).at;
    });
    need(at === view.byteLength, "a chunk has another length than it says");
    return { headers, lists };
  }

  // Velocities before the poses that are predicted from them.
  async #decodeBlocks(headers, count, times, wanted) {
    const rows = new Array(this.blocks.length).fill(null);
    const need = (i) => !wanted || wanted.includes(this.blocks[i].id);
    const decode = async (i, velocity) => {
      rows[i] ??= await decodeBlock(headers[i], this.blocks[i], count, times, velocity);
    };
    for (let i = 0; i < rows.length; i++) if (need(i) && !headers[i].moving) await decode(i, null);
    for (let i = 0; i < rows.length; i++) {
      if (!need(i) || !headers[i].moving) continue;
      const source = this.blocks[i].source;
      await decode(source, null);
      await decode(i, rows[source]);
    }
    return rows;
  }

  // Numbers of a channel together: those in two parts are interleaved.
  #join(rows, count, wanted) {
    return this.head.channels.map((channel, id) => {
      if (wanted && !wanted.includes(id)) return null;
      const parts = this.blocks.map((b, i) => [b, rows[i]]).filter(([b]) => b.id === id);
      if (parts.length === 1) return parts[0][1];
      const { items, width } = channel;
      const out = new Float64Array(count * items * width);
      for (const [block, x] of parts)
        for (let n = 0; n < count * items; n++)
          for (let k = 0; k < block.w; k++) out[n * width + block.part * block.w + k] = x[n * block.w + k];
      return out;
    });
  }
}
