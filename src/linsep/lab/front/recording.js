// A recording, read: frames of w, who is on which side, and what is drawn of them. Nothing is learned here.

// Refuse what is not a recording; Python checks far more before it makes or serves one.
export function checkRecording(content) {
  const fail = (why) => { throw new Error(why); };
  if (!content || content.format !== "linsep recording" || content.version !== 1) fail("format, version");
  const { data, updates, shape, decides } = content, words = decides?.kind === "labelling";
  if (!data || !Array.isArray(data.X) || !Array.isArray(data.y) || data.X.length !== data.y.length || !data.X.length) fail("data");
  const isNumbers = (list, size) => Array.isArray(list) && list.length === size && list.every((v) => typeof v === "number" && Number.isFinite(v));
  const isClass = (k) => Number.isInteger(k) && k >= 0 && k < data.classes.length;
  if (!Array.isArray(data.columns) || !data.X.every((x) => (words ? Array.isArray(x) && x.length && x.every((one) => typeof one === "string") : isNumbers(x, data.columns.length)))) fail("X");
  if (!Array.isArray(data.classes) || data.classes.length < 2 || !data.y.every((k, i) => (words ? Array.isArray(k) && k.length === data.X[i].length && k.every(isClass) : isClass(k)))) fail("y");
  if (!Array.isArray(shape) || shape.length !== 2 || !["sign", "machine", "one versus all", "one versus one", "labelling"].includes(decides?.kind)) fail("shape");
  const size = shape[0] * shape[1], width = words ? shape[1] - 1 : content.lift ? content.lift.columns.length : data.columns.length;
  if (shape[1] !== width + 1 || !isNumbers(content.start, size) || !isNumbers(content.answer, size)) fail("w");
  if (content.lift && !content.lift.Z.every((z) => isNumbers(z, width))) fail("lift");
  if (!updates || !Array.isArray(updates.w) || !updates.w.every((w) => isNumbers(w, size))) fail("updates");
  for (const [name, values] of Object.entries(updates)) if (!Array.isArray(values) || values.length !== updates.w.length) fail(name);
  if (!updates.row.every((k) => Number.isInteger(k) && k >= -1 && k < data.X.length)) fail("row");
  if (!Array.isArray(content.certificates) || !content.certificates.length) fail("certificates");
}

const toFloat = (v) => (v === null || v === undefined ? NaN : v === "inf" ? Infinity : v === "-inf" ? -Infinity : Number(v));

export class Run {
  constructor(content) {
    checkRecording(content);
    this.content = content;
    this.data = content.data; this.X = content.data.X; this.y = content.data.y; this.classes = content.data.classes.map(String);
    this.pending = content.rule.name === ""; // Python is still at work: nothing is said of steps and w
    this.n = this.X.length; this.Z = content.lift ? content.lift.Z : this.X; this.d = content.shape[1] - 1;
    [this.members, this.width] = content.shape;
    this.kind = content.decides.kind; this.sides = content.decides.sides ?? null;
    this.updates = content.updates; this.T = content.updates.w.length;
    const last = this.T ? content.updates.w[this.T - 1] : content.start;
    this.hasAnswer = !this.T || content.answer.some((v, k) => Math.abs(v - last[k]) > 1e-9 * (1 + Math.abs(v)));
    this.frames = this.T + 1 + (this.hasAnswer ? 1 : 0);
    this.certificate = content.certificates[0];
    this.free = this.kind === "sign" && this.certificate.bias === "free" && this.updates.w.every((w) => w[this.d] === 0);
    this.cache = { frame: -1 };
    this.kept = { rows: {}, bounds: {}, errors: {}, novikoff: {} }; // layers of pictures
    this.series = this.makeSeries();
  }

  column(name) { return this.updates[name] ?? null; }
  number(name, k) { const column = this.updates[name]; return column ? toFloat(column[k - 1]) : NaN; }

  // w of a frame: 0 is the start, 1 ... T the updates, T + 1 the answer.
  w(frame) {
    if (frame > this.T) return this.content.answer;
    return frame === 0 ? this.content.start : this.updates.w[frame - 1];
  }

  // w as a decision needs it: a free bias is placed midway between the nearest rows of both sides, where the margin is largest.
  shown(frame) {
    const w = this.w(frame);
    if (!this.free || frame < 1 || frame > this.T) return w;
    if (this.placed?.frame === frame) return this.placed.w;
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < this.n; i++) {
      let s = 0;
      for (let j = 0; j < this.d; j++) s += w[j] * this.Z[i][j];
      if (this.y[i] === 1) low = Math.min(low, s); else high = Math.max(high, s);
    }
    const shown = w.slice();
    shown[this.d] = -(low + high) / 2;
    this.placed = { frame, w: shown };
    return shown;
  }

  points(frame) {
    const pair = frame >= 1 && frame <= this.T && this.updates.points ? this.updates.points[frame - 1] : null;
    return pair && pair.every((p) => p.every((v) => typeof v === "number")) ? pair : null;
  }

  score(w, member, z) {
    let sum = w[member * this.width + this.d];
    for (let j = 0; j < this.d; j++) sum += w[member * this.width + j] * z[j];
    return sum;
  }

  // The class that w decides for at z, or -1 where it does not decide for one.
  decide(w, z) {
    if (this.kind === "sign") { const s = this.score(w, 0, z); return s > 0 ? 1 : s < 0 ? 0 : -1; }
    if (this.kind === "machine") {
      let best = -1, top = -Infinity, tie = false;
      for (let k = 0; k < this.members; k++) { const s = this.score(w, k, z); if (s > top) { top = s; best = k; tie = false; } else if (s === top) tie = true; }
      return tie ? -1 : best;
    }
    const votes = new Array(this.classes.length).fill(0);
    this.sides.forEach(([low, high], m) => { const s = this.score(w, m, z); if (s > 0) votes[high]++; else if (s < 0 && low >= 0) votes[low]++; });
    const most = Math.max(...votes), leaders = votes.filter((v) => v === most).length;
    return leaders === 1 && most > 0 ? votes.indexOf(most) : -1;
  }

  wrong(w) {
    if (this.cache.w === w) return this.cache.wrong;
    const found = new Uint8Array(this.n);
    let count = 0;
    for (let i = 0; i < this.n; i++) if (this.decide(w, this.Z[i]) !== this.y[i]) { found[i] = 1; count++; }
    this.cache = { w, wrong: { flags: found, count } };
    return this.cache.wrong;
  }

  // The vectors a of two classes: the row, mirrored by its class and augmented by 1.
  mirrored(i) {
    this.vectors ??= this.Z.map((z, k) => { const s = this.y[k] === 1 ? 1 : -1; return [...z.map((v) => s * v), s]; });
    return this.vectors[i];
  }

  // Curves against updates, made once: best bounds so far, errors, the criterion.
  makeSeries() {
    const get = (name) => (this.updates[name] ? this.updates[name].map(toFloat) : null);
    const lower = get("lower"), upper = get("upper");
    const best = (list, pick) => { if (!list) return null; let so = NaN; return list.map((v) => (so = Number.isNaN(so) ? v : Number.isNaN(v) ? so : pick(so, v))); };
    const single = this.members === 1 || this.kind === "machine";
    return { lower: single ? best(lower, Math.max) : null, upper: single ? best(upper, Math.min) : null, errors: get("errors"), value: get("value"), visits: get("visits") };
  }

  novikoff() {
    const c = this.certificate;
    if (!("novikoff" in c) || !["Perceptron", "LinearMachine"].includes(this.ruleClass()) || this.members > 1 && this.kind !== "machine") return NaN;
    const found = Math.min(toFloat(c.novikoff), toFloat(c.novikoff_best));
    return Number.isFinite(found) && found < 1e9 ? found : NaN;
  }

  ruleClass() { const r = this.content.rule; return r.parameters?.classifier?.name ?? r.parameters?.estimator?.name ?? r.name; }
  parameter(name, otherwise) { const r = this.content.rule, p = r.parameters?.classifier?.parameters ?? r.parameters?.estimator?.parameters ?? r.parameters; return p[name] ?? otherwise; }
  title() { return this.content.rule.catalogue ?? this.content.rule.name; }
  rowsOf(frame) { if (frame < 1 || frame > this.T) return []; const row = this.updates.row[frame - 1]; return row >= 0 ? [row] : (this.updates.rows ? this.updates.rows[frame - 1] : []); }
  bound(name) { return toFloat(this.certificate[name]); }

  // phi(x) of a lift: sums of coefficients times powers.
  phi(x) {
    if (!this.content.lift) return x;
    return this.content.lift.functions.map((terms) => terms.reduce((sum, [c, powers]) => sum + powers.reduce((product, e, j) => product * x[j] ** e, c), 0));
  }
}
