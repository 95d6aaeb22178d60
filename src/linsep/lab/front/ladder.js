// Structural risk (A4, A5): the rungs of a ladder with the bound S0 (1), which Python computed for every N and eta of the sliders.
import { Axes } from "./paint.js";
import { roundTicks } from "./geometry.js";
import { fmt, t } from "./text.js";
import { el, line, math } from "./words.js";

// The rungs of `make_ladder` in the language of the page; other names are the user's.
const rungName = ({ name }) => name.replace(/^degree (?=\d+$)/, () => `${t("degree")} `);
const toNumber = (v) => (v === "inf" ? Infinity : Number(v));

export class LadderRun {
  constructor(content) {
    const fail = (why) => { throw new Error(why); }, { data, rungs, grid } = content;
    if (content.version !== 1 || !Array.isArray(rungs) || !rungs.length) fail("rungs");
    if (!Array.isArray(data?.X) || !data.X.every((x) => x.length === 2 && x.every(Number.isFinite)) || !data.y?.every((k) => k === 0 || k === 1)) fail("data");
    if (!rungs.every((rung, k) => typeof rung.decided === "string" && rung.decided.length === grid[0] * grid[1] && content.bound[k].length === content.N.length)) fail("rungs");
    if (![content.N, content.eta].every((list) => Array.isArray(list) && list.every(Number.isFinite)) || content.best.length !== content.N.length) fail("N, eta");
    Object.assign(this, { content, data, X: data.X, Z: data.X, y: data.y, n: data.X.length, classes: data.classes.map(String), rungs, kind: "ladder", members: 1, d: 2, width: 3 });
    this.T = rungs.length - 1; this.frames = rungs.length; this.series = {}; this.kept = {}; this.certificate = {}; this.updates = { row: [] };
    this.atN = content.N.indexOf(content.chosen_N); this.atEta = content.eta.indexOf(content.chosen_eta);
  }

  w() { return [0, 0, 0]; }
  shown() { return [0, 0, 0]; }
  rowsOf() { return []; }
  novikoff() { return NaN; }
  ruleClass() { return "StructuralRisk"; }
  title() { return "structural risk"; }
  bound(k) { return toNumber(this.content.bound[k][this.atN][this.atEta]); }
  get best() { return this.content.best[this.atN][this.atEta]; }
}

function drawRung(painter, width, height, { run, frame }) {
  const { colours } = painter, { box, grid } = run.content, axes = new Axes(painter, width, height, box), { p } = axes, { decided } = run.rungs[frame], [columns, rows] = grid;
  axes.clip();
  for (let j = 0; j < rows; j++) for (let i = 0, begin = 0; i <= columns; i++) {
    if (i < columns && decided[j * columns + i] === decided[j * columns + begin]) continue;
    const [x0, x1] = [begin, i].map((k) => box[0] + ((box[1] - box[0]) * k) / columns), [y0, y1] = [j, j + 1].map((k) => box[2] + ((box[3] - box[2]) * k) / rows);
    p.polygon([[x0, y0], [x1, y0], [x1, y1], [x0, y1]].map((q) => axes.at(q)), { fill: colours.classes[Number(decided[j * columns + begin])], opacity: 0.13 });
    begin = i;
  }
  p.unclip();
  axes.grid((v) => fmt(v, 3));
  axes.clip();
  run.classes.forEach((_, k) => p.markers(k, run.X.filter((_, i) => run.y[i] === k).map((x) => axes.at(x)), run.n > 300 ? 3 : 4.5, { fill: colours.classes[k], stroke: colours.paper, width: 0.6 }));
  p.unclip();
  axes.names(...run.data.columns);
  return axes;
}

function drawLadder(painter, width, height, { run, frame }) {
  const { colours } = painter, K = run.rungs.length, finite = run.rungs.map((_, k) => run.bound(k)).filter(Number.isFinite), high = Math.min(2.2, Math.max(1.08, ...finite) * 1.08);
  const axes = new Axes(painter, width, height, [-0.6, K - 0.4, 0, high], { bottom: 40 }), { p } = axes;
  axes.grid((v) => fmt(v, 3), [], roundTicks(0, high, 6));
  axes.clip();
  p.polygon([[run.best - 0.42, 0], [run.best + 0.42, 0], [run.best + 0.42, high], [run.best - 0.42, high]].map((q) => axes.at(q)), { fill: colours.good, opacity: 0.14 });
  p.line([axes.at([-0.6, 1]), axes.at([K - 0.4, 1])], { stroke: colours.soft, width: 1, dash: [4, 4] });
  p.text(t("vacuous"), [axes.left + 6, axes.y(1) - 5], { size: 11, fill: colours.soft });
  const bar = (k, low, top, half, look) => p.polygon([[k - half, low], [k + half, low], [k + half, top], [k - half, top]].map((q) => axes.at(q)), look);
  run.rungs.forEach((rung, k) => {
    const bound = run.bound(k), shown = Number.isFinite(bound) ? bound : high;
    bar(k, rung.empirical, shown, 0.2, { fill: colours.classes[1], fillOpacity: 0.28, stroke: colours.classes[1], width: 1.2 });
    bar(k, 0, rung.empirical, 0.2, { fill: colours.classes[0], stroke: colours.classes[0], width: 1 });
    p.circle(axes.at([k + 0.3, toNumber(rung.cross_validated)]), 4, { fill: colours.good, stroke: colours.paper, width: 1 });
    p.text(Number.isFinite(bound) ? fmt(bound, 3) : "∞", [axes.x(k), Math.max(axes.y(shown) - 6, axes.top + 14)], { size: 12, align: "center", bold: k === run.best });
  });
  p.unclip();
  run.rungs.forEach((rung, k) => {
    const name = rungName(rung).slice(0, 14), size = Math.min(12, axes.width / K / (0.66 * name.length * colours.scale)); // as wide as its place
    p.text(name, [axes.x(k), axes.top + axes.height + 16 * colours.scale], { size, align: "center", bold: k === frame, fill: k === frame ? colours.accent : colours.ink, halo: false });
    p.text(`h = ${fmt(toNumber(rung.h), 3)}`, [axes.x(k), axes.top + axes.height + 31 * colours.scale], { size: 11, align: "center", fill: colours.soft, halo: false });
  });
  return axes;
}

// Sliders over the table of Python.
function ladderSlider(scene, name, list, place, shown) {
  const { run } = scene, slider = el("input", { type: "range", min: 0, max: list.length - 1, step: 1, value: run[place], "data-slider": name, "aria-label": name, oninput: () => { run[place] = Number(slider.value); value.textContent = shown(list[run[place]]); scene.scene.certificateFor = null; scene.scene.app.schedule(); } });
  const value = el("output", {}, shown(list[run[place]]));
  return el("label", { class: "line slider" }, math(name), slider, value);
}

function stepOfLadder({ run, frame }) {
  const rung = run.rungs[frame], bound = run.bound(frame);
  return [
    line(el("strong", {}, rungName(rung)), el("span", { class: "quiet" }, ` · h = ${fmt(toNumber(rung.h), 4)}`)),
    line(math(`R ≤ ${fmt(rung.empirical, 4)} + ${fmt(bound - rung.empirical, 4)} = ${fmt(bound, 4)}`)),
    line(el("span", { class: "quiet" }, t("s01", { K: run.rungs.length }))), line(t("crossed"), math(` ${fmt(toNumber(rung.cross_validated), 3)} ± ${fmt(toNumber(rung.spread), 2)}`)),
  ];
}

function choiceParts(scene) {
  const { run } = scene, { content } = run, bound = run.bound(run.best);
  const found = scene.sliders ?? [ladderSlider(scene, "N", content.N, "atN", (v) => `${v}`), ladderSlider(scene, "η", content.eta, "atEta", (v) => `${v}`)];
  return [...found, line(el("strong", {}, t("chosen", { name: rungName(run.rungs[run.best]), bound: fmt(bound, 4) }))), ...(bound >= 1 ? [line(t("allvacuous"))] : []),
    ...(content.N[run.atN] !== content.chosen_N ? [line(el("span", { class: "quiet" }, t("supposed", { N: content.N[run.atN], n: content.chosen_N })))] : []), line(el("span", { class: "quiet" }, t("ladderlegend")))];
}

export const LADDER = {
  Run: LadderRun, plane: drawRung, weights: drawLadder, box: () => null, step: stepOfLadder, caption: ({ run, frame }) => [rungName(run.rungs[frame]), frame === run.best], certificate: choiceParts,
  headings: { plane: "data", weights: "ladder", bounds: "bounds", errors: "errors", novikoff: "novikoff" }, weightsCaption: ({ run }) => `N = ${run.content.N[run.atN]}, η = ${run.content.eta[run.atEta]}`,
  stepHeading: "rung", certificateHeading: "choice", where: (frame, run) => rungName(run.rungs[frame]),
  describe: (scene) => stepOfLadder(scene).map((part) => part.textContent).join("; "),
};
