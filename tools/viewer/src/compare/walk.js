// Frames of a trajectory one after the other, past those that cannot be read.
import { Fault } from "../mbt/fault.js";

export class Walk {
  constructor(run, wanted) {
    Object.assign(this, { run, wanted, at: -1, row: 0, chunk: null, gaps: [] });
  }

  // Goes to the next frame within the chunk that is read; false where that ends, and next() goes on.
  forward() {
    if (!this.chunk || this.row + 1 >= this.chunk.times.length) return false;
    this.row++;
    return true;
  }

  // Goes to the first frame of the next chunk that can be read; false behind the last.
  async next() {
    this.row = 0;
    for (this.chunk = null; !this.chunk && ++this.at < this.run.chunks.length; ) this.chunk = await this.#read();
    return this.chunk !== null;
  }

  async #read() {
    const { first, count } = this.run.chunks[this.at];
    try {
      return await this.run.readChunk(this.at, this.wanted);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.gaps.push([first, first + count - 1]);
      return null;
    }
  }

  get frame() {
    return this.chunk.first + this.row;
  }

  // Behind the last frame it is infinite.
  get time() {
    return this.chunk ? this.chunk.times[this.row] : Infinity;
  }

  // The channel's numbers of this frame stand in chunk.channels[id] from here on.
  offset(channel) {
    return this.row * channel.items * channel.width;
  }
}
