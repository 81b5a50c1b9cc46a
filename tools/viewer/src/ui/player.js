// The cursor in time: plays in real time or faster or slower, steps by frame, tells its listeners where it is.

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100];

export class Player {
  constructor(run) {
    this.run = run;
    this.time = run.start;
    this.speed = 1;
    this.loop = true;
    this.playing = false;
    this.listeners = [];
    this.stepping = Promise.resolve();
  }

  get end() {
    return this.run.duration;
  }

  get start() {
    return this.run.start;
  }

  onchange(listener) {
    this.listeners.push(listener);
  }

  #tell() {
    this.listeners.forEach((listener) => listener());
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.#tell();
  }

  // By a frame on (n = 1) or back (n = -1), at rest. Steps asked for while a chunk is on its way come one after the other, and none is lost.
  step(n) {
    this.pause();
    this.stepping = this.stepping.then(() => this.#step(n));
    return this.stepping;
  }

  // Past chunks that are damaged and over frames that are missing.
  async #step(n) {
    const { chunks } = this.run;
    if (!chunks.length) return;
    let i = this.run.chunkAt(this.time);
    let chunk = await this.run.load(i);
    let r = chunk.damaged ? (n > 0 ? 0 : -1) : this.run.frameAt(this.time).frame - chunk.first + n;
    while (r < 0 || r >= chunk.times.length) {
      i += n;
      if (i < 0 || i >= chunks.length) return;
      chunk = await this.run.load(i);
      r = n > 0 ? 0 : chunk.times.length - 1;
    }
    this.seek(chunk.times[r]);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.end <= this.start) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.last = null;
    this.#tell();
  }

  pause() {
    this.playing = false;
    this.#tell();
  }

  // Called for every picture with the clock in ms; while `ready` is false the cursor waits for what is being decoded.
  tick(now, ready) {
    if (!this.playing) return;
    const passed = this.last === null ? 0 : Math.min(now - this.last, 250);
    this.last = now;
    if (!ready) return;
    this.time += (passed / 1000) * this.speed;
    if (this.time > this.end) {
      if (this.loop) this.time = this.start;
      else {
        this.time = this.end;
        this.playing = false;
      }
    }
    this.#tell();
  }

  changeSpeed(by) {
    const i = SPEEDS.indexOf(this.speed) + by;
    if (i >= 0 && i < SPEEDS.length) this.speed = SPEEDS[i];
    this.#tell();
  }
}
