// How a difference grows after the first frame that exceeds: at once, or tenfold again and again (io/compare/compare_growth.c).

const POINTS = 512;

export class Growth {
  constructor() {
    Object.assign(this, { started: false, before: 0, first: 0, largest: 0, stride: 1, phase: 0 });
    this.time = [];
    this.error = [];
  }

  add(time, error, exceeds) {
    if (!this.started && !exceeds) return void (this.before = error);
    if (!this.started) [this.started, this.first] = [true, error];
    if (error > this.largest) this.largest = error;
    const last = this.error.length - 1;
    // the last point gathers frames until it has its number of them
    if (last >= 0 && this.phase < this.stride) {
      this.phase++;
      if (error > this.error[last]) [this.time[last], this.error[last]] = [time, error];
      return;
    }
    if (this.error.length === POINTS) this.#thin();
    this.time.push(time);
    this.error.push(error);
    this.phase = 1;
  }

  // Halves the series: of two neighbouring points the larger stays.
  #thin() {
    for (let i = 0; i < POINTS / 2; i++) {
      const k = this.error[2 * i] >= this.error[2 * i + 1] ? 2 * i : 2 * i + 1;
      this.time[i] = this.time[k];
      this.error[i] = this.error[k];
    }
    this.time.length = this.error.length = POINTS / 2;
    this.stride *= 2;
  }

  // {jump, growth, growth_r2, growth_end}: the rate of log10(error) per second, absent where it has none.
  fit() {
    if (!this.started) return { jump: false };
    const jump = this.first >= 0.1 * this.largest && this.before <= 0.1 * this.first;
    if (jump || !Number.isFinite(this.largest)) return { jump };
    let n = this.error.findIndex((e) => e >= 0.25 * this.largest);
    n = n < 0 ? this.error.length : n + 1;
    const all = this.#line(0, n);
    if (!n || !this.#grows(n, all)) return { jump };
    return { jump, growth: all.slope, growth_r2: all.r2, growth_end: this.time[n - 1] };
  }

  // In both halves alike, for a decade at least.
  #grows(n, all) {
    const half = Math.floor(n / 2);
    const early = this.#line(0, half), late = this.#line(half, n);
    return (
      all && early && late && all.r2 >= 0.8 && all.slope > 0 && all.slope * (this.time[n - 1] - this.time[0]) >= 1 &&
      late.slope > 0 && early.slope <= 2.5 * late.slope && late.slope <= 2.5 * early.slope
    );
  }

  // Least squares of log10(error) over the points [begin, end); zero errors have no logarithm.
  #line(begin, end) {
    const points = [];
    for (let i = begin; i < end; i++) if (this.error[i] > 0) points.push([this.time[i], Math.log10(this.error[i])]);
    if (points.length < 3) return null;
    const t0 = points.reduce((sum, [t]) => sum + t, 0) / points.length;
    const y0 = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
    let tt = 0, ty = 0, yy = 0;
    for (const [time, log] of points) {
      const t = time - t0, y = log - y0;
      tt += t * t;
      ty += t * y;
      yy += y * y;
    }
    return tt > 0 ? { slope: ty / tt, r2: yy > 0 ? (ty * ty) / (tt * yy) : 0 } : null;
  }
}
