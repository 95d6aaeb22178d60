// The live lab: draw, drag, delete and relabel points, choose rules; Python records every change anew.
import { fitBox } from "./geometry.js";
import { markerSize, planeKind } from "./plane.js";
import { packPoints, unpackPoints } from "./exports.js";
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
    this.player = player; this.live = live; this.tool = "add"; this.klass = 0; this.rules = ["perceptron", ""]; this.options = [{}, {}]; this.preset = "";
    this.data = { X: [], y: [], classes: ["1", "2"] };
    player.fixedBox = (run, ratio) => (planeKind(run) === "projection" || !this.extent ? null : planeKind(run) === "plane" ? fitBox(this.extent, ratio, 0.2) : null);
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
    const many = this.data.classes.filter((_, k) => this.data.y.includes(k)).length > 2;
    this.presetSelect.replaceChildren(option("", t("own"), this.preset), ...Object.keys(this.live.presets).map((name) => option(name, name, this.preset)));
    this.ruleSelects.forEach((select, k) => select.replaceChildren(...(k ? [option("", t("none"), this.rules[1])] : []), ...this.live.rules.map(({ name, many: takes }) => { const each = option(name, ruleName(name), this.rules[k]); each.disabled = many && !takes; return each; })));
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
    return Object.entries(rule?.options ?? {}).map(([name, value]) => el("label", { class: "option" }, { rate: "η", margin: "b", tol: "tol", C: "C", degree: t("degree") }[name] ?? name,
      el("input", { type: "number", step: "any", value: this.options[k][name] ?? value, "aria-label": name, onchange: (event) => { const number = Number(event.target.value); if (event.target.value !== "" && Number.isFinite(number)) { this.options[k][name] = number; this.record(); } } })));
  }

  // --- data -----------------------------------------------------------------------------------------------------------

  setData(data, preset = "") {
    this.data = { X: data.X.map((x) => x.slice()), y: data.y.slice(), classes: data.classes.slice(), columns: data.columns ?? null };
    while (this.data.classes.length < 6 && this.data.classes.every((name) => /^\d+$/.test(name))) this.data.classes.push(String(this.data.classes.length + 1));
    this.preset = preset; this.player.frame = 0;
    this.extent = this.data.X.length && this.data.X[0].length === 2 ? this.data.X.map((x) => x.slice()) : [[0, 0], [6, 4]];
    this.fitRules();
    this.write();
    this.record();
  }

  fitRules() {
    const many = new Set(this.data.y).size > 2;
    this.rules.forEach((name, k) => { const rule = this.live.rules.find((each) => each.name === name); if (many && rule && !rule.many) { this.rules[k] = k ? "" : "linear machine"; this.options[k] = {}; } });
    if (this.rules[0] === "lifting to x^2 - 1" && this.data.X[0]?.length !== 1) this.rules[0] = "perceptron";
  }

  usePreset(name) {
    const preset = this.live.presets[name];
    if (!preset) return;
    const labels = preset.y.map(String), classes = [...new Set(labels)].sort((a, b) => Number(a) - Number(b));
    if (this.live.suggested[name]) { this.rules[0] = this.live.suggested[name]; this.options[0] = {}; }
    this.setData({ X: preset.X, y: labels.map((label) => classes.indexOf(label)), classes }, name);
  }

  useCsv(said) {
    try { this.setData(parseCsv(said, this.live.most), ""); } catch (error) { this.player.say(error.message, true); }
  }

  async readFile(file) {
    if (file.size > this.live.bytes) { this.player.say(t("toobig", { mb: (file.size / 1e6).toFixed(1), most: (this.live.bytes / 1e6).toFixed(0) }), true); return; }
    const said = await file.text();
    if (!/^\s*\{/.test(said)) { this.useCsv(said); return; }
    try { this.player.setRecordings([JSON.parse(said)]); } catch (error) { this.player.say(t("badrecording", { why: error.message }), true); }
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

  nearest({ scene, pixel, axes }) {
    let best = -1, least = markerSize(scene.run.n) + 8;
    scene.places?.forEach((q, i) => { const [x, y] = axes.at(q), far = Math.hypot(x - pixel[0], y - pixel[1]); if (far < least && i < this.data.X.length) { least = far; best = i; } });
    return best;
  }

  press(event) {
    const found = this.place(event);
    if (!found || !found.at || event.button > 0) return;
    const i = this.nearest(found), { X, y } = this.data;
    if (this.tool === "remove") { if (i >= 0) { X.splice(i, 1); y.splice(i, 1); this.changed(); } return; }
    while (this.data.classes.length <= this.klass) this.data.classes.push(String(this.data.classes.length + 1));
    if (this.tool === "relabel") { if (i >= 0) { y[i] = this.klass; this.changed(); } return; }
    event.target.setPointerCapture(event.pointerId);
    if (i >= 0) { this.held = i; return; }
    if (X.length >= this.live.most) { this.player.say(t("toomany", { n: this.live.most, got: X.length + 1 }), true); return; }
    X.push(found.at); y.push(this.klass);
    this.held = X.length - 1;
    this.changed();
  }

  drag(event) {
    if (this.held === undefined) return;
    const found = this.place(event);
    if (!found?.at || !this.data.X[this.held]) return;
    this.data.X[this.held] = found.at;
    this.preset = "";
    this.record();
  }

  // --- Python ---------------------------------------------------------------------------------------------------------

  placeholder() {
    const { X, y } = this.data, classes = [...this.data.classes, "–", "+"].slice(0, Math.max(2, ...y.map((k) => k + 1))), width = X[0]?.length ?? 2;
    const w = new Array(width + 1).fill(0), shown = X.length ? { X, y } : { X: [[1e9, 1e9]], y: [0] };
    return { format: "linsep recording", version: 1, rule: { name: "", parameters: {}, catalogue: this.rules[0] }, data: { ...shown, classes, columns: Array.from({ length: width }, (_, j) => `x${j + 1}`) }, decides: { kind: "sign" }, shape: [1, width + 1], start: w, updates: { w: [], a: [], row: [] }, answer: w, certificates: [{ status: "–", sentence: "", size: X.length }], complete: true, max_updates: 1 };
  }

  record() {
    if (this.busy) { this.again = true; return; }
    if (new Set(this.data.y).size < 2) { this.player.setRecordings([this.placeholder()]); this.player.say(t("short")); return; }
    this.busy = true;
    clearTimeout(this.slow);
    this.slow = setTimeout(() => { this.player.setRecordings([this.placeholder()]); this.player.say(t("loading")); }, this.player.scenes.length ? 900 : 150);
    const whole = this.data.classes.every((name) => /^-?\d{1,9}$/.test(name)), labels = this.data.y.map((k) => (whole ? Number(this.data.classes[k]) : this.data.classes[k]));
    const asked = this.rules.map((rule, k) => ({ rule, options: this.options[k] })).filter(({ rule }) => rule);
    const body = JSON.stringify({ X: this.data.X, y: labels, columns: this.data.columns, rules: asked });
    fetch(this.live.address, { method: "POST", headers: { "Content-Type": "application/json", "X-Linsep-Token": this.live.token }, body })
      .then((answer) => answer.json())
      .then((found) => { if (found.error) this.player.say(found.error, true); else { this.player.setRecordings(found.recordings); this.player.say(""); } })
      .catch((error) => this.player.say(error instanceof TypeError || error instanceof SyntaxError ? t("unreachable") : String(error.message), true))
      .finally(() => { clearTimeout(this.slow); this.busy = false; if (this.again) { this.again = false; this.record(); } });
  }

  state() { return { rule: this.rules[0], beside: this.rules[1], options: JSON.stringify(this.options) === "[{},{}]" ? undefined : JSON.stringify(this.options), preset: this.preset, points: this.preset || !this.data.X.length ? undefined : packPoints({ ...this.data, classes: this.data.classes.slice(0, Math.max(2, ...this.data.y.map((k) => k + 1))) }) }; }

  restore(state) {
    const known = new Set(this.live.rules.map(({ name }) => name));
    if (known.has(state.rule)) this.rules[0] = state.rule;
    if (known.has(state.beside)) this.rules[1] = state.beside;
    try { const read = JSON.parse(state.options ?? "[{},{}]"); this.options = [0, 1].map((k) => Object.fromEntries(Object.entries(read[k] ?? {}).filter(([, v]) => Number.isFinite(v)))); } catch { this.options = [{}, {}]; }
    try { if (state.points) { this.setData(unpackPoints(state.points)); return; } } catch { this.player.say(t("badrecording", { why: "points" }), true); }
    const name = state.preset in this.live.presets ? state.preset : Object.keys(this.live.presets)[0], { suggested } = this.live;
    if (known.has(state.rule)) this.live = { ...this.live, suggested: {} };
    this.usePreset(name);
    this.live = { ...this.live, suggested };
  }
}
