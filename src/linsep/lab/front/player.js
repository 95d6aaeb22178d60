// The player: which frame is shown, and the controls; one clock for one scene or two side by side.
import { Scene } from "./scene.js";
import { applyLook } from "./look.js";
import { themeColours } from "./paint.js";
import { t } from "./text.js";
import { el } from "./words.js";

// Pictures on the buttons: no font is sure to have them.
const ICONS = { first: "M5 5h2v14H5zM19 5v14L9 12z", back: "M16 5v14L6 12z", play: "M7 4v16l13-8z", pause: "M7 5h4v14H7zM13 5h4v14h-4z", next: "M8 5v14l10-7z", last: "M17 5h2v14h-2zM5 5v14l10-7z" };

function icon(key) {
  const [svg, path] = ["svg", "path"].map((name) => document.createElementNS("http://www.w3.org/2000/svg", name));
  for (const [name, value] of Object.entries({ viewBox: "0 0 24 24", "aria-hidden": "true" })) svg.setAttribute(name, value);
  path.setAttribute("d", ICONS[key]);
  svg.append(path);
  return svg;
}

export class Player {
  constructor(root, host) {
    this.root = root; this.host = host; this.frame = 0; this.playing = false; this.speed = 2; this.scenes = [];
    this.show = { strip: true, hulls: null, numbers: null };
    this.listeners = [];
    this.top = el("header", { class: "top" }); this.stage = el("main", { class: "stage" }); this.note = el("div", { class: "note", role: "status", "aria-live": "polite" });
    this.spoken = el("div", { class: "spoken", "aria-live": "polite" });
    this.bar = this.makeBar();
    root.replaceChildren(this.top, el("div", { class: "notes" }, this.note), this.stage, this.bar, this.spoken);
    this.setColours();
    document.addEventListener("keydown", (event) => this.key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.setColours());
  }

  get frames() { return Math.max(1, ...this.scenes.map((scene) => scene.run.frames)); }

  setRecordings(contents, codes = []) {
    while (this.scenes.length > contents.length) this.scenes.pop().root.remove();
    contents.forEach((content, k) => {
      if (this.scenes[k]) this.scenes[k].setContent(content);
      else { this.scenes[k] = new Scene(content, this); this.stage.append(this.scenes[k].root); }
    });
    this.scenes.forEach((scene, k) => (scene.code = codes[k] ?? null));
    this.root.classList.toggle("beside", contents.length > 1);
    this.scenes.forEach((scene) => (scene.boxes = null));
    this.go(Math.min(this.frame, this.frames - 1));
  }

  // --- drawing --------------------------------------------------------------------------------------------------------

  setColours() { this.colours = themeColours(); this.schedule(); }

  schedule() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => { this.pending = null; this.draw(); });
  }

  draw() {
    const begin = performance.now();
    for (const scene of this.scenes) scene.draw();
    this.writeBar();
    for (const listener of this.listeners) listener();
    this.drawn = performance.now() - begin; // measured by benchmarks/lab.py
  }

  go(frame) {
    this.frame = Math.max(0, Math.min(frame, this.frames - 1));
    for (const scene of this.scenes) { scene.frame = Math.min(this.frame, scene.run.frames - 1); if (scene.byHand && !this.locked) scene.setByHand(false); }
    this.schedule();
  }

  step(by) { this.stop(); this.go(this.frame + by); this.speak(); }
  speak() { clearTimeout(this.speaking); this.speaking = setTimeout(() => (this.spoken.textContent = this.scenes[0]?.views.plane.canvas.getAttribute("aria-label") ?? ""), 250); }

  play() {
    if (this.playing) { this.stop(); return; }
    if (this.frame >= this.frames - 1) this.go(0);
    this.playing = true;
    this.clock = performance.now(); this.due = 0;
    const tick = (now) => {
      if (!this.playing) return;
      this.due += ((now - this.clock) / 1000) * this.rate(); this.clock = now;
      const whole = Math.floor(this.due);
      if (whole) { this.due -= whole; this.go(this.frame + whole); }
      if (this.frame >= this.frames - 1) this.stop(); else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    this.writeBar();
  }

  rate() { return [0.5, 1, 2, 5, 20, 100, 1000][this.speed]; }
  stop() { this.playing = false; this.writeBar(); }

  key(event) {
    if (event.target.closest?.("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = { ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1), " ": () => this.play(), Home: () => this.step(-Infinity), End: () => this.step(Infinity), PageDown: () => this.step(10), PageUp: () => this.step(-10) };
    if (event.target.closest?.("button, summary") && event.key === " ") return;
    if (actions[event.key] && !this.locked) { actions[event.key](); event.preventDefault(); }
  }

  // --- the bar --------------------------------------------------------------------------------------------------------

  makeBar() {
    const button = (key, action) => { const b = el("button", { type: "button", class: `icon ${key}`, onclick: action }, icon(key)); b.dataset.key = key; return b; };
    this.buttons = [button("first", () => this.step(-Infinity)), button("back", () => this.step(-1)), button("play", () => this.play()), button("next", () => this.step(1)), button("last", () => this.step(Infinity))];
    this.slider = el("input", { type: "range", min: 0, max: 1, value: 0, class: "timeline", oninput: () => { this.stop(); this.go(Number(this.slider.value)); } });
    this.where = el("output", { class: "where" });
    this.speedSlider = el("input", { type: "range", min: 0, max: 6, value: 2, step: 1, class: "speed", oninput: () => { this.speed = Number(this.speedSlider.value); } });
    this.speedLabel = el("span", { class: "speedlabel" });
    return el("footer", { class: "bar" }, el("div", { class: "buttons" }, ...this.buttons), this.slider, this.where, el("label", { class: "speedbox" }, this.speedLabel, this.speedSlider));
  }

  writeBar() {
    const T = Math.max(0, ...this.scenes.map((scene) => scene.run.T)), f = this.frame;
    this.slider.max = this.frames - 1;
    this.slider.value = f;
    this.slider.style.setProperty("--share", `${(100 * f) / Math.max(this.frames - 1, 1)}%`);
    const named = this.scenes[0]?.kind.where;
    this.where.textContent = named ? named(this.scenes[0].frame, this.scenes[0].run) : f === 0 ? t("start") : f > T ? t("answer") : t("update", { k: f, n: T });
    this.slider.setAttribute("aria-label", t("jump")); this.slider.setAttribute("aria-valuetext", this.where.textContent);
    this.speedLabel.textContent = t("speed"); this.speedSlider.setAttribute("aria-label", t("speed"));
    for (const button of this.buttons) {
      const key = button.dataset.key === "play" && this.playing ? "pause" : button.dataset.key;
      if (button.title !== t(key)) { button.title = t(key); button.setAttribute("aria-label", t(key)); button.replaceChildren(icon(key)); }
      if (["first", "back"].includes(button.dataset.key)) button.disabled = f === 0 || Boolean(this.locked);
      if (["next", "last", "play"].includes(button.dataset.key)) button.disabled = (f >= this.frames - 1 && button.dataset.key !== "play") || Boolean(this.locked);
    }
    this.slider.disabled = Boolean(this.locked);
  }

  say(words, bad = false) { this.note.textContent = words; this.note.classList.toggle("bad", bad); }

  // --- looks ----------------------------------------------------------------------------------------------------------

  setLook(change) {
    applyLook(change);
    this.scenes.forEach((scene) => (scene.boxes = null));
    this.setColours();
  }
}
