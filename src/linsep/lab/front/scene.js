// One recording on the screen: its views, linked, drawn anew at every change.
import { drawBounds, drawErrors, drawNovikoff } from "./charts.js";
import { Axes, CanvasPainter, SvgPainter, themeColours } from "./paint.js";
import { drawPlane, placeRows, planeBox, planeKind } from "./plane.js";
import { GAUSSIANS } from "./gaussians.js";
import { LADDER } from "./ladder.js";
import { Run } from "./recording.js";
import { ruleName, t, fmt, fmtVector } from "./text.js";
import { WORDS } from "./trellis.js";
import { drawWeights, sliceWords, weightAxes, weightBox } from "./weights.js";
import { certificateParts, describeFrame, el, formulaParts, polynomialWords } from "./words.js";

// What is drawn and said of rows; other kinds of recordings have an object of their own.
const POINTS = {
  toggles: ["hulls", "strip", "numbers", "hand"],
  Run, plane: drawPlane, weights: drawWeights, box: planeBox, certificate: ({ run, frame }) => certificateParts(run, frame), describe: ({ run, frame, w }) => describeFrame(run, frame, w),
  headings: { plane: "data", weights: "weights", bounds: "bounds", errors: "errors", novikoff: "novikoff" },
  step: ({ run, frame, w }) => { const lifted = polynomialWords(run, w); return [...formulaParts(run, frame), ...(lifted ? [el("div", { class: "line" }, el("span", { class: "math" }, t("lifted", { f: lifted })))] : [])]; },
  caption: ({ run, w }) => { const { count } = run.wrong(w); return !w.some((v) => v !== 0) ? ["", false] : count ? [t("wrongside", { n: count, all: run.n }), false] : [t("right", { all: run.n }), true]; },
};

const TELLING = ["bounds", "errors", "novikoff"]; // curves that tell whether the data are separable

function kindOf(content) {
  if (content?.format === "linsep risk") return LADDER;
  return content?.gaussians ? GAUSSIANS : content?.decides?.kind === "labelling" ? WORDS : POINTS;
}

export class Scene {
  constructor(content, app) {
    this.app = app; this.frame = 0; this.show = { ...app.show }; this.byHand = false; this.handW = null; this.hiddenProof = false;
    this.root = el("section", { class: "scene" });
    this.views = {};
    this.make();
    this.setContent(content);
    this.observer = new ResizeObserver(() => this.resize());
    for (const view of Object.values(this.views)) if (view.canvas) this.observer.observe(view.canvas);
  }

  make() {
    const view = (name, draw) => {
      const canvas = el("canvas", { role: "img", tabindex: name === "plane" ? "0" : null }), caption = el("span", { class: "caption" }), heading = el("h2", {});
      const figure = el("figure", { class: `view ${name}` }, el("figcaption", {}, heading, caption), canvas);
      this.views[name] = { canvas, caption, heading, figure, draw };
      return figure;
    };
    this.title = el("h1", { class: "ruletitle" });
    this.formula = el("div", { class: "formula" }); this.certificate = el("div", { class: "certificate" });
    this.stepHeading = el("h2", {}); this.certificateHeading = el("h2", {});
    this.stepPanel = el("div", { class: "panel step" }, this.stepHeading, this.formula);
    this.certificatePanel = el("div", { class: "panel proofpanel" }, this.certificateHeading, this.certificate);
    this.root.append(this.title, view("plane"), view("weights"), el("div", { class: "words" }, this.stepPanel, this.certificatePanel),
      el("div", { class: "charts" }, view("bounds", drawBounds), view("errors", drawErrors), view("novikoff", drawNovikoff)));
    this.dragWeights();
  }

  setContent(content) {
    this.kind = kindOf(content);
    this.run = new this.kind.Run(content);
    Object.assign(this.views.plane, { draw: this.kind.plane }); Object.assign(this.views.weights, { draw: this.kind.weights });
    this.root.dataset.kind = this.run.kind; this.sliders = null;
    const hulls = this.run.kind === "sign" && ["Kozinec", "MaximumMargin"].includes(this.run.ruleClass()) && !("C" in this.run.certificate);
    this.show = { ...this.app.show, hulls: this.app.show.hulls ?? (hulls || this.run.certificate.meet === true), numbers: this.app.show.numbers ?? this.run.n <= 12 };
    this.appear();
    this.byHand = false; this.handW = null; this.frame = Math.min(this.frame, this.run.frames - 1); this.boxes = null;
  }

  appear() { for (const { figure } of Object.values(this.views)) figure.classList.remove("absent"); } // what has no size is not drawn

  get w() { return this.byHand && this.handW ? this.handW : this.run.shown(this.frame); }
  get before() { return !this.byHand && this.frame >= 1 ? this.run.shown(this.frame - 1) : null; }
  get member() {
    const { run, frame } = this;
    if (run.members === 1) return 0;
    if (run.updates.member && frame >= 1) return run.updates.member[Math.min(frame, run.T) - 1];
    const row = frame >= 1 && run.T ? run.updates.row[Math.min(frame, run.T) - 1] : -1;
    return row >= 0 ? run.y[row] : 0;
  }

  // What a view needs to draw this frame.
  state() {
    const { run, frame } = this, w = this.w;
    if (this.kind === POINTS ? planeKind(run) !== "projection" : this.kind === GAUSSIANS) this.places ??= placeRows(run, w);
    return { scene: this, sliders: this.sliders, handles: this.app.handles, run, frame, w, before: this.before, byHand: this.byHand, member: this.member, box: this.boxes.plane, weightBox: this.boxes.weights, places: this.places,
      show: { ...this.show, before: true, proof: !this.hiddenProof, strip: this.show.strip && !this.hiddenProof, hulls: this.show.hulls && !this.hiddenProof } };
  }

  // Colours and marks of the classes as the chips of the live lab have them.
  coloursOf(name) {
    const { colours } = this.app, drawn = ["plane", "weights"].includes(name) && [POINTS, GAUSSIANS].includes(this.kind), numbers = drawn ? this.app.numbering?.(this.run) : null;
    if (!numbers) return colours;
    if (this.chips?.of !== colours || this.chips.key !== numbers.join()) this.chips = { of: colours, key: numbers.join(), colours: { ...colours, classes: colours.classes.map((_, k) => colours.classes[(numbers[k] ?? k) % 6]), marks: numbers } };
    return this.chips.colours;
  }

  resize() { this.boxes = null; this.app.schedule(); }

  measure() {
    const colours = this.app.colours, ratio = (view) => { const { clientWidth, clientHeight } = this.views[view].canvas; return Axes.ratio(clientWidth, clientHeight, colours.scale); };
    const { run, kind } = this, drawn = kind === POINTS || kind === GAUSSIANS;
    this.places = null;
    const widest = kind === POINTS && run.kind === "sign" && planeKind(run) === "projection" ? run.content.answer : this.w;
    const plane = (drawn ? this.app.fixedBox?.(run, ratio("plane")) : null) ?? kind.box(run, widest, ratio("plane"));
    this.boxes = { plane, member: this.member, weights: drawn ? weightBox(run, weightAxes(run, { member: this.member }), ratio("weights")) : null };
  }

  draw() {
    if (!this.boxes || this.boxes.member !== this.member) this.measure();
    const state = this.state();
    for (const [name, view] of Object.entries(this.views)) {
      const { canvas } = view, width = canvas.clientWidth, height = canvas.clientHeight, dots = window.devicePixelRatio || 1;
      if (!width || !height) continue;
      if (canvas.width !== Math.round(width * dots) || canvas.height !== Math.round(height * dots)) { canvas.width = Math.round(width * dots); canvas.height = Math.round(height * dots); }
      const context = canvas.getContext("2d");
      context.setTransform(dots, 0, 0, dots, 0, 0);
      context.clearRect(0, 0, width, height);
      view.axes = this.hiddenProof && TELLING.includes(name) ? null : view.draw(new CanvasPainter(context, this.coloursOf(name)), width, height, state);
      view.figure.classList.toggle("absent", !view.axes);
    }
    this.regionEmpty = state.regionEmpty;
    this.write(state);
  }

  write(state) {
    const { run, frame } = this, { kind } = this, words = kind.describe(state), [caption, good] = kind.caption(state);
    this.title.textContent = ruleName(run.title());
    this.root.classList.toggle("byhand", this.byHand);
    const headings = { ...kind.headings, ...(run.series.upper || !run.series.value ? {} : { bounds: "value" }) };
    for (const [name, key] of Object.entries(headings)) { this.views[name].heading.textContent = t(key); this.views[name].canvas.setAttribute("aria-label", `${t(key)}: ${words}`); }
    this.views.plane.caption.textContent = caption;
    this.views.plane.caption.classList.toggle("good", good);
    this.views.weights.caption.textContent = run.pending ? "" : kind.weightsCaption ? kind.weightsCaption(state) : sliceWords(run, state.w, state);
    this.stepHeading.textContent = this.byHand ? t("hand") : t(kind.stepHeading ?? "step");
    this.formula.replaceChildren(...(this.byHand ? this.handParts() : run.pending ? [] : kind.step(state)));
    this.certificateHeading.textContent = t(kind.certificateHeading ?? "certificate");
    if (this.certificateFor !== run || this.certificateLanguage !== document.documentElement.lang) {
      const parts = run.pending ? [] : kind.certificate(state);
      if (this.sliders) { while (this.certificate.children.length > 2) this.certificate.lastChild.remove(); this.certificate.append(...parts.slice(2)); } // a slider that is held stays
      else this.certificate.replaceChildren(...parts, this.app.alone && kind !== LADDER ? el("div", { class: "line quiet" }, t("unchecked")) : "");
      if (kind === LADDER) this.sliders = parts.slice(0, 2);
      this.certificateFor = run; this.certificateLanguage = document.documentElement.lang;
    }
    this.certificatePanel.hidden = this.hiddenProof;
    this.certificatePanel.classList.toggle("early", kind !== LADDER && frame < run.T);
  }

  // --- w by hand ---------------------------------------------------------------------------------------------------

  setByHand(on) {
    const w = this.run.shown(this.frame);
    this.byHand = on && this.run.kind === "sign";
    this.handW = this.byHand ? (w.some((v) => v !== 0) ? w.slice() : w.map((_, j) => (j === 0 ? 0.6 * this.boxes.weights[1] : 0))) : null;
    this.app.schedule();
  }

  handParts() {
    const { run } = this, w = this.handW;
    if (!this.slider) {
      this.sliderLabel = el("label", { class: "line" });
      this.slider = el("input", { type: "range", min: -100, max: 100, step: 1, oninput: () => { this.handW = this.handW.slice(); this.handW[this.run.d] = (Number(this.slider.value) / 100) * this.biasReach(); this.app.schedule(); } });
    }
    this.slider.setAttribute("aria-label", "w0");
    this.sliderLabel.replaceChildren(t("drag"), " ", this.slider, ` ${fmt(w[run.d], 3)}`);
    if (document.activeElement !== this.slider) this.slider.value = Math.round((100 * w[run.d]) / this.biasReach());
    const value = el("div", { class: "line" }, el("span", { class: "math" }, t("handw", { w: fmtVector(w, 3) })));
    return run.d === 1 ? [value] : [value, this.sliderLabel];
  }

  biasReach() { const [x0, x1, y0, y1] = this.boxes.weights, size = Math.max(...this.run.Z.map((z) => Math.hypot(...z))); return Math.max(Math.abs(x0), Math.abs(x1), Math.abs(y0), Math.abs(y1)) * Math.max(size, 1) || 1; }

  dragWeights() {
    const { canvas } = this.views.weights, move = (event) => {
      const [i, j] = weightAxes(this.run, { member: 0 }), at = this.views.weights.axes.back([event.offsetX, event.offsetY]);
      this.handW = (this.handW ?? this.w).slice();
      this.handW[i] = at[0]; this.handW[j] = at[1];
      this.app.schedule();
    };
    canvas.addEventListener("pointerdown", (event) => { if (!this.byHand) return; canvas.setPointerCapture(event.pointerId); this.dragging = true; move(event); event.preventDefault(); });
    canvas.addEventListener("pointermove", (event) => { if (this.dragging) move(event); });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => (this.dragging = false));
  }

  // --- export --------------------------------------------------------------------------------------------------------

  toSvg() {
    const state = this.state(), { colours } = this.app, parts = [], gap = 16;
    let width = 0, height = 0;
    for (const name of ["plane", "weights"]) {
      const { canvas, draw } = this.views[name], painter = new SvgPainter(canvas.clientWidth, canvas.clientHeight, this.coloursOf(name));
      painter.clips = parts.length * 100;
      draw(painter, canvas.clientWidth, canvas.clientHeight, state);
      parts.push(`<g transform="translate(${width} 0)">${painter.parts.join("")}</g>`);
      width += canvas.clientWidth + gap; height = Math.max(height, canvas.clientHeight);
    }
    const whole = new SvgPainter(width - gap, height, colours);
    whole.parts = parts;
    return whole.toString();
  }

  toCanvas(factor = 2) {
    if (!this.boxes || this.boxes.member !== this.member) this.measure();
    const parts = ["plane", "weights"].map((name) => this.views[name].canvas), state = this.state(), gap = 16;
    const width = parts.reduce((sum, c) => sum + c.clientWidth + gap, -gap), height = Math.max(...parts.map((c) => c.clientHeight));
    const canvas = el("canvas", { width: Math.round(width * factor), height: Math.round(height * factor) }), context = canvas.getContext("2d", { willReadFrequently: factor <= 1 });
    context.scale(factor, factor);
    context.fillStyle = this.app.colours.paper;
    context.fillRect(0, 0, width, height);
    for (const name of ["plane", "weights"]) {
      const { canvas: own, draw } = this.views[name];
      draw(new CanvasPainter(context, this.coloursOf(name)), own.clientWidth, own.clientHeight, state);
      context.translate(own.clientWidth + gap, 0);
    }
    return canvas;
  }
}
