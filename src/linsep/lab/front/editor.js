// The live lab: draw, drag, delete and relabel points, choose rules; Python records every change anew.
import { fitBox } from "./geometry.js";
import { markerSize, planeKind } from "./plane.js";
import { packPoints, unpackPoints } from "./exports.js";
import { pythonOf } from "./python.js";
import { ruleName, t } from "./text.js";
import { el } from "./words.js";

// A table of numbers with the label last; errors name the line.
export function parseCsv(said, most) {
  const lines = said.replace(/^\ufeff/, "").split(/\r\n|\n|\r/).map((line, k) => [line, k + 1]).filter(([line]) => line.trim() !== "");
  if (!lines.length) throw new Error(t("badcsv", { line: 1, n: 2, cell: "" }));
  const separator = [",", ";", "\t", " "].find((s) => lines[0][0].trim().includes(s)) ?? ",";
  const cells = (line) => line.trim().split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
  const isNumber = (cell) => cell !== "" && Number.isFinite(Number(cell));
  let columns = null;
  const first = cells(lines[0][0]);
  if (first.length > 1 && !first.slice(0, -1).every(isNumber) && first.slice(0, -1).every((cell) => cell !== "" && !/^[-+]?(\d|nan|inf)/i.test(cell))) { columns = first.slice(0, -1); lines.shift(); }
  if (lines.length > most) throw new Error(t("toomany", { n: most, got: lines.length }));
  const width = columns ? columns.length : first.length - 1, X = [], labels = [];
  for (const [line, number] of lines) {
    const row = cells(line), label = row.pop() ?? "", bad = row.length !== width ? line.slice(0, 40) : row.find((cell) => !isNumber(cell));
    if (bad !== undefined || width < 1 || label === "") throw new Error(t("badcsv", { line: number, n: Math.max(width, 1), cell: bad ?? line.slice(0, 40) }));
    X.push(row.map(Number)); labels.push(label.slice(0, 100));
  }
  const classes = [...new Set(labels)];
  return { X, y: labels.map((label) => classes.indexOf(label)), classes, columns };
}

export class Editor {
  constructor(player, live) {
    this.player = player; this.live = live; this.python = pythonOf(live); this.tool = "add"; this.klass = 0; this.rules = ["perceptron", ""]; this.options = [{}, {}]; this.preset = "";
    this.data = { X: [], y: [], classes: ["1", "2"] };
    player.fixedBox = (run, ratio) => (run.gaussians ? this.keptBox(ratio) : planeKind(run) === "projection" || !this.extent ? null : planeKind(run) === "plane" ? this.boxOfAll(ratio) : null);
    player.numbering = (run) => { const found = run.classes.map((name) => this.data.classes.indexOf(name)); return found.includes(-1) ? null : found; }; // Python sorts labels, and leaves out those without points
    player.handles = (run) => (run.gaussians && this.data.covariances ? this.handlePoints().flat() : []);
    player.root.classList.add("islive");
    this.makeControls();
    this.listen();
  }

  // --- controls -------------------------------------------------------------------------------------------------------

  makeControls() {
    const select = (change) => el("select", { onchange: change });
    this.presetSelect = select(() => this.usePreset(this.presetSelect.value));
    this.ruleSelects = [0, 1].map((k) => select(() => { this.rules[k] = this.ruleSelects[k].value; this.options[k] = {}; this.player.frame = 0; this.write(); this.record(); }));
    this.optionBoxes = [0, 1].map(() => el("span", { class: "options" }));
    this.labels = [el("label", {}), el("label", {}), el("label", {})];
    this.tools = el("div", { class: "tools", role: "toolbar" });
    this.file = el("input", { type: "file", accept: ".csv,.txt,.tsv,.json,text/csv", hidden: true, onchange: () => { if (this.file.files[0]) this.readFile(this.file.files[0]); this.file.value = ""; } });
    this.dialog = this.makeDialog();
    this.controls = el("div", { class: "live" }, ...this.labels, this.tools, this.file, this.dialog);
  }

  makeDialog() {
    const area = el("textarea", { rows: 10, cols: 40, spellcheck: "false" }), help = el("p", {}), use = el("button", { type: "button", class: "main" }), cancel = el("button", { type: "button" }), choose = el("button", { type: "button" });
    const dialog = el("dialog", {}, help, area, el("div", { class: "row" }, choose, cancel, use));
    use.addEventListener("click", () => { dialog.close(); this.useCsv(area.value); });
    cancel.addEventListener("click", () => dialog.close());
    choose.addEventListener("click", () => { dialog.close(); this.file.click(); });
    dialog.write = () => { help.textContent = t("csvhelp"); use.textContent = t("use"); cancel.textContent = t("cancel"); choose.textContent = "…"; choose.title = t("paste"); area.setAttribute("aria-label", t("paste")); };
    return dialog;
  }

  write() {
    const option = (value, name, chosen) => el("option", { value, selected: value === chosen }, name);
    const many = this.isMany(), kind = this.kindOfData();
    this.presetSelect.replaceChildren(option("", t("own"), this.preset), ...Object.keys(this.live.presets).map((name) => option(name, name, this.preset)));
    this.ruleSelects.forEach((select, k) => select.replaceChildren(...(k ? [option("", t("none"), this.rules[1])] : []), ...this.live.rules.filter(({ data }) => data === kind).map(({ name, many: takes }) => { const each = option(name, ruleName(name), this.rules[k]); each.disabled = many && !takes; return each; })));
    this.labels[0].replaceChildren(t("preset"), this.presetSelect);
    [t("rule"), t("beside")].forEach((name, k) => this.labels[k + 1].replaceChildren(name, this.ruleSelects[k], this.optionBoxes[k]));
    this.optionBoxes.forEach((box, k) => box.replaceChildren(...this.optionInputs(k)));
    const button = (key, on, action, inside) => el("button", { type: "button", "aria-pressed": String(on), title: t(key), "data-tool": key, onclick: action }, inside ?? t(key));
    const chips = [0, 1, 2, 3, 4, 5].map((k) => { const chip = button("klass", this.klass === k, () => { this.klass = k; this.write(); }, el("span", { class: `chip class${k + 1}` }, this.data.classes[k] ?? String(k + 1))); chip.setAttribute("aria-label", `${t("klass")} ${this.data.classes[k] ?? k + 1}`); chip.dataset.klass = k; return chip; });
    this.tools.replaceChildren(...["add", "relabel", "remove"].map((key) => button(key, this.tool === key, () => { this.tool = key; this.write(); })), el("span", { class: "chips" }, ...chips),
      button("clear", false, () => this.setData({ X: [], y: [], classes: ["1", "2"] }, "")), button("paste", false, () => { this.dialog.write(); this.dialog.showModal(); }, "CSV"));
  }

  optionInputs(k) {
    const rule = this.live.rules.find(({ name }) => name === this.rules[k]);
    return Object.entries(rule?.options ?? {}).map(([name, value]) => el("label", { class: "option" }, { rate: "η", margin: "b", tol: "tol", C: "C", error: "ε", degree: t("degree") }[name] ?? name,
      el("input", { type: "number", step: "any", value: this.options[k][name] ?? value, "aria-label": name, onchange: (event) => { const number = Number(event.target.value); if (event.target.value !== "" && Number.isFinite(number)) { this.options[k][name] = number; this.record(); } } })));
  }

  // --- data -----------------------------------------------------------------------------------------------------------

  kindOfData() { return this.data.covariances ? "gaussians" : Array.isArray(this.data.y[0]) ? "words" : "points"; }

  // The picture stays where it is until a point is outside of it.
  boxOfAll(ratio) {
    const box = fitBox(this.extent, ratio, 0.2), outside = this.data.X.filter((x) => x.length === 2 && typeof x[0] === "number" && !(x[0] >= box[0] && x[0] <= box[1] && x[1] >= box[2] && x[1] <= box[3]));
    return outside.length ? fitBox([...this.extent, ...outside], ratio, 0.2) : box;
  }

  isMany() { return this.kindOfData() !== "words" && new Set(this.data.y).size > 2; }

  setData(data, preset = "") {
    this.keepData(data, preset);
    this.fitRules();
    this.write();
    this.record();
  }

  keepData(data, preset) {
    const { covariances = null } = data;
    this.data = { X: data.X.map((x) => x.slice()), y: data.y.slice(), classes: data.classes.slice(), columns: data.columns ?? null, covariances: covariances && covariances.map((C) => C.map((row) => row.slice())) };
    this.box = null;
    while (this.data.classes.length < 6 && this.data.classes.every((name) => /^\d+$/.test(name))) this.data.classes.push(String(this.data.classes.length + 1));
    this.preset = preset; this.player.frame = 0;
    this.extent = this.data.X.length && this.data.X[0].length === 2 && typeof this.data.X[0][0] === "number" ? this.data.X.map((x) => x.slice()) : [[0, 0], [6, 4]];
  }

  // Recordings that were made elsewhere, shown as they are; what is drawn from now on is recorded anew.
  adopt(recordings, codes) {
    const [{ data, gaussians }] = recordings, given = gaussians && JSON.stringify(gaussians.means) === JSON.stringify(data.X);
    this.rules = [0, 1].map((k) => this.live.chosen[k] ?? "");
    this.options = [{}, {}];
    this.keepData({ X: data.X, y: data.y, classes: data.classes.map(String), columns: data.columns, covariances: given ? gaussians.covariances : null }, "");
    this.write();
    this.player.setRecordings(recordings, codes);
  }

  fitRules() {
    const many = this.isMany(), kind = this.kindOfData(), suits = (name) => this.live.rules.some((each) => each.name === name && each.data === kind);
    this.rules.forEach((name, k) => { if (!suits(name)) { this.rules[k] = k ? "" : this.live.rules.find(({ data }) => data === kind).name; this.options[k] = {}; } });
    this.rules.forEach((name, k) => { const rule = this.live.rules.find((each) => each.name === name); if (many && rule && !rule.many) { this.rules[k] = k ? "" : "linear machine"; this.options[k] = {}; } });
    if (this.rules[0] === "lifting to x^2 - 1" && this.data.X[0]?.length !== 1) this.rules[0] = "perceptron";
  }

  usePreset(name) {
    if (!Object.hasOwn(this.live.presets, name)) return;
    const preset = this.live.presets[name];
    const words = Array.isArray(preset.y[0]), labels = words ? preset.y : preset.y.map(String), classes = words ? [...new Set(labels.flat())].sort() : [...new Set(labels)].sort((a, b) => Number(a) - Number(b));
    const at = (label) => (words ? label.map((each) => classes.indexOf(each)) : classes.indexOf(label));
    if (this.live.suggested[name]) { this.rules[0] = this.live.suggested[name]; this.options[0] = {}; }
    this.setData({ X: preset.X, y: labels.map(at), classes, covariances: preset.covariances }, name);
  }

  useCsv(said) {
    try { this.setData(parseCsv(said, this.live.most), ""); } catch (error) { this.player.say(error.message, true); }
  }

  async readFile(file) {
    if (file.size > this.live.bytes) { this.player.say(t("toobig", { mb: (file.size / 1e6).toFixed(1), most: (this.live.bytes / 1e6).toFixed(0) }), true); return; }
    const said = await file.text();
    if (!/^\s*\{/.test(said)) { this.useCsv(said); return; }
    await this.working;
    try { this.ask({ recording: JSON.parse(said) }); } catch (error) { this.player.say(t("badrecording", { why: error.message }), true); }
  }

  changed() { this.preset = ""; this.presetSelect.value = ""; this.fitRules(); this.write(); this.record(); }

  // --- drawing --------------------------------------------------------------------------------------------------------

  listen() {
    const { stage } = this.player;
    stage.addEventListener("pointerdown", (event) => this.press(event));
    stage.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) stage.addEventListener(name, () => { if (this.held !== undefined) { this.held = undefined; this.write(); } });
    const { body } = document;
    body.addEventListener("dragover", (event) => event.preventDefault());
    body.addEventListener("drop", (event) => { event.preventDefault(); if (event.dataTransfer.files[0]) this.readFile(event.dataTransfer.files[0]); });
    body.addEventListener("paste", (event) => { if (event.target.closest("input, textarea")) return; const said = event.clipboardData.getData("text"); if (said.includes("\n")) this.useCsv(said); });
    document.addEventListener("keydown", (event) => { if (/^[1-6]$/.test(event.key) && !event.target.closest("input, select, textarea, dialog")) { this.klass = Number(event.key) - 1; this.write(); } });
  }

  place(event) {
    const scene = this.player.scenes.find((each) => each.views.plane.canvas === event.target);
    if (!scene?.views.plane.axes) return null;
    const { axes } = scene.views.plane, kind = planeKind(scene.run), box = axes.box, unit = 10 ** Math.floor(Math.log10((box[1] - box[0]) / 200));
    const at = axes.back([event.offsetX, event.offsetY]).map((v) => Number((Math.round(v / unit) * unit).toPrecision(6)));
    return { scene, at: kind === "plane" ? at : kind === "lifted plane" || kind === "line" ? [at[0]] : null, pixel: [event.offsetX, event.offsetY], axes };
  }

  // The nearest of the points as they are now, which may be newer than those of the recording that is drawn.
  nearest({ scene, pixel, axes }) {
    const kind = planeKind(scene.run), place = (x) => (kind === "plane" ? x : kind === "line" ? [x[0], 0] : scene.run.phi(x));
    let best = -1, least = markerSize(scene.run.n) + 8;
    this.data.X.forEach((row, i) => { const [x, y] = axes.at(place(row)), far = Math.hypot(x - pixel[0], y - pixel[1]); if (far < least) { least = far; best = i; } });
    return best;
  }

  press(event) {
    const found = this.place(event);
    if (!found?.at || event.button > 0 || this.kindOfData() === "words" || this.data.X.some((x) => x.length !== found.at.length)) return; // other data are still drawn
    this.box = found.axes.box;
    const i = this.nearest(found), { X, y, covariances } = this.data, handle = this.tool === "add" ? this.nearestHandle(found) : null;
    if (handle) { this.held = handle; event.target.setPointerCapture(event.pointerId); return; }
    if (this.tool === "remove") { if (i >= 0) { X.splice(i, 1); y.splice(i, 1); covariances?.splice(i, 1); this.changed(); } return; }
    if (covariances && this.klass > 1) this.klass = 0; // Gaussians are of two classes
    while (this.data.classes.length <= this.klass) this.data.classes.push(String(this.data.classes.length + 1));
    if (this.tool === "relabel") { if (i >= 0) { y[i] = this.klass; this.changed(); } return; }
    event.target.setPointerCapture(event.pointerId);
    if (i >= 0) { this.held = i; return; }
    if (X.length >= this.live.most) { this.player.say(t("toomany", { n: this.live.most, got: X.length + 1 }), true); return; }
    X.push(found.at); y.push(this.klass); covariances?.push([[0.6, 0], [0, 0.6]]);
    this.held = X.length - 1;
    this.changed();
  }

  drag(event) {
    if (this.held === undefined) return;
    const found = this.place(event);
    if (found?.at && this.held.axis !== undefined) this.stretch(this.held, found.at);
    else if (!found?.at || !this.data.X[this.held]) return;
    else this.data.X[this.held] = found.at;
    this.preset = "";
    this.record();
  }

  // --- Gaussians: a handle at the end of each axis turns and stretches the ellipse of one deviation ---------------------

  axesOf([[a, b], [, d]]) {
    const turn = 0.5 * Math.atan2(2 * b, a - d), c = Math.cos(turn), s = Math.sin(turn);
    const along = Math.sqrt(Math.max(a * c * c + 2 * b * c * s + d * s * s, 0)), across = Math.sqrt(Math.max(a * s * s - 2 * b * c * s + d * c * c, 0));
    return [[along * c, along * s], [-across * s, across * c]];
  }

  handlePoints() { return this.data.X.map((mean, i) => this.axesOf(this.data.covariances[i]).map(([x, y]) => [mean[0] + x, mean[1] + y])); }

  nearestHandle({ pixel, axes }) {
    let best = null, least = 10;
    if (this.data.covariances) this.handlePoints().forEach((pair, i) => pair.forEach((q, axis) => { const [x, y] = axes.at(q), far = Math.hypot(x - pixel[0], y - pixel[1]); if (far < least) { least = far; best = { i, axis }; } }));
    return best;
  }

  stretch({ i, axis }, at) {
    const mean = this.data.X[i], other = Math.max(Math.hypot(...this.axesOf(this.data.covariances[i])[1 - axis]), 1e-3), u = [at[0] - mean[0], at[1] - mean[1]], size = Math.hypot(...u);
    if (!(size > 1e-3)) return;
    const v = [(-u[1] / size) * other, (u[0] / size) * other], round = (value) => Number(value.toPrecision(6)), mixed = round(u[0] * u[1] + v[0] * v[1]);
    this.data.covariances[i] = [[round(u[0] * u[0] + v[0] * v[0]), mixed], [mixed, round(u[1] * u[1] + v[1] * v[1])]];
    this.held.axis = this.nearestAxis(i, at);
  }

  nearestAxis(i, at) { const far = this.handlePoints()[i].map((q) => Math.min(Math.hypot(q[0] - at[0], q[1] - at[1]), Math.hypot(2 * this.data.X[i][0] - q[0] - at[0], 2 * this.data.X[i][1] - q[1] - at[1]))); return far[0] <= far[1] ? 0 : 1; }

  // The picture stays where it is while Gaussians are dragged, and after.
  keptBox(ratio) { return this.box && Math.abs((this.box[3] - this.box[2]) / (this.box[1] - this.box[0]) - ratio) < 1e-9 * ratio ? this.box : null; }

  // --- Python ---------------------------------------------------------------------------------------------------------

  // What is drawn while Python is at work: the data alone.
  placeholder() {
    const { X, y, covariances } = this.data, classes = [...this.data.classes, "–", "+"].slice(0, Math.max(2, ...y.map((k) => k + 1))), width = X[0]?.length ?? 2;
    const w = new Array(width + 1).fill(0), shown = X.length ? { X, y } : { X: [[1e9, 1e9]], y: [0] };
    const factor = ([[a, b], [, d]]) => [[Math.sqrt(a), 0], [b / Math.sqrt(a), Math.sqrt(Math.max(d - (b * b) / a, 0))]];
    const gaussians = covariances && X.length ? { gaussians: { means: X, covariances, factors: covariances.map(factor), y, required: null, radii: null, touching: X, error: null } } : {};
    return { format: "linsep recording", version: 1, rule: { name: "", parameters: {}, catalogue: this.rules[0] }, ...gaussians, data: { ...shown, classes, columns: Array.from({ length: width }, (_, j) => `x${j + 1}`) }, decides: { kind: "sign" }, shape: [1, width + 1], start: w, updates: { w: [], a: [], row: [], radii: [], touching: [] }, answer: w, certificates: [{ status: "–", sentence: "", size: X.length }], complete: true, max_updates: 1 };
  }

  record() {
    if (this.busy) { this.again = true; return; }
    const words = this.kindOfData() === "words";
    if (!words && new Set(this.data.y).size < 2) { this.player.setRecordings([this.placeholder()]); this.player.say(t("short")); return; }
    clearTimeout(this.slow);
    this.slow = setTimeout(() => { if (!words) this.player.setRecordings([this.placeholder()]); this.player.say(t("loading")); }, this.player.scenes.length ? 900 : 150);
    const whole = this.data.classes.every((name) => /^-?\d{1,9}$/.test(name)), one = (k) => (whole ? Number(this.data.classes[k]) : this.data.classes[k]), labels = this.data.y.map((k) => (words ? k.map(one) : one(k)));
    const asked = this.rules.map((rule, k) => ({ rule, options: this.options[k] })).filter(({ rule }) => rule);
    this.ask({ X: this.data.X, y: labels, columns: this.data.columns, covariances: this.data.covariances, rules: asked });
  }

  ask(asked) {
    this.busy = true;
    this.working = this.python(asked)
      .then((found) => { if (found.error) { if (!asked.recording && this.kindOfData() === "points") this.player.setRecordings([this.placeholder()]); this.player.say(found.error, true); } else { this.player.setRecordings(found.recordings, found.codes); this.player.say(""); } })
      .catch((error) => this.player.say(error instanceof TypeError || error instanceof SyntaxError ? t("unreachable") : String(error.message), true))
      .finally(() => { clearTimeout(this.slow); this.busy = false; if (this.again) { this.again = false; this.record(); } });
  }

  state() { return { rule: this.rules[0], beside: this.rules[1], options: JSON.stringify(this.options) === "[{},{}]" ? undefined : JSON.stringify(this.options), preset: this.preset, ...this.pointsState() }; }

  pointsState() {
    const { X, y, classes, covariances } = this.data;
    if (this.preset || !X.length || this.kindOfData() === "words") return {};
    return { gaussians: covariances ? 1 : undefined, points: packPoints({ X: covariances ? X.map((x, i) => [...x, covariances[i][0][0], covariances[i][0][1], covariances[i][1][1]]) : X, y, classes: classes.slice(0, Math.max(2, ...y.map((k) => k + 1))) }) };
  }

  unpack(state) {
    const data = unpackPoints(state.points);
    if (!state.gaussians) return data;
    if (data.X.some((x) => x.length !== 5)) throw new Error("points");
    return { ...data, X: data.X.map((x) => x.slice(0, 2)), covariances: data.X.map(([, , a, b, d]) => [[a, b], [b, d]]) };
  }

  restore(state) {
    const known = new Set(this.live.rules.map(({ name }) => name));
    if (known.has(state.rule)) this.rules[0] = state.rule;
    if (known.has(state.beside)) this.rules[1] = state.beside;
    try { const read = JSON.parse(state.options ?? "[{},{}]"); this.options = [0, 1].map((k) => Object.fromEntries(Object.entries(read[k] ?? {}).filter(([, v]) => Number.isFinite(v)))); } catch { this.options = [{}, {}]; }
    try { if (state.points) { this.setData(this.unpack(state)); return; } } catch { this.player.say(t("badrecording", { why: "points" }), true); }
    const name = Object.hasOwn(this.live.presets, state.preset ?? "") ? state.preset : Object.keys(this.live.presets)[0], { suggested } = this.live;
    if (known.has(state.rule)) this.live = { ...this.live, suggested: {} };
    this.usePreset(name);
    this.live = { ...this.live, suggested };
  }
}
