// A structured perceptron on short words (E2, E4): the trellis with truth and rival, and the numbers of w that change.
import { Axes } from "./paint.js";
import { roundTicks } from "./geometry.js";
import { Run } from "./recording.js";
import { fmt, t } from "./text.js";
import { certificateParts, el, line, math } from "./words.js";

const MOST_CHANGES = 24;

export class TrellisRun extends Run {
  constructor(content) {
    super(content);
    const { data, updates, names } = content, isPath = (path, word) => Array.isArray(path) && path.length === word.length && path.every((k) => Number.isInteger(k) && k >= 0 && k < data.classes.length);
    if (!Array.isArray(names) || names.length !== content.shape[1]) throw new Error("names");
    if (!updates.row.every((i, k) => isPath(updates.rival?.[k], data.X[i]) && updates.through?.[k]?.length === data.X[i].length)) throw new Error("trellis");
    this.names = names.map(String);
  }

  wordAt(frame) { return this.updates.row.length ? this.updates.row[Math.min(Math.max(frame, 1), this.T) - 1] : 0; }

  // How many words are not right yet: of a w as trace counted it.
  wrong(w) {
    const k = this.updates.w.indexOf(w), errors = this.updates.errors;
    return { count: w === this.content.answer || k < 0 ? (w.some((v) => v !== 0) ? this.certificate.violated ?? 0 : this.n) : errors ? errors[k] : NaN };
  }
}

// What the true path (+1) and the rival (-1) have alone: nodes [t, k, sign] and edges [t, j, k, sign].
function pathChanges(right, found) {
  const nodes = [], edges = [];
  for (const [path, other, sign] of [[right, found, 1], [found, right, -1]]) {
    path.forEach((k, at) => {
      if (k !== other[at]) nodes.push([at, k, sign]);
      if (at && (path[at - 1] !== other[at - 1] || k !== other[at])) edges.push([at, path[at - 1], k, sign]);
    });
  }
  return { nodes, edges };
}

function drawTrellis(painter, width, height, { run, frame }) {
  const { colours } = painter, word = run.wordAt(frame), letters = run.data.X[word], truth = run.data.y[word], K = run.classes.length, now = frame >= 1 && frame <= run.T;
  const axes = new Axes(painter, width, height, [-0.75, letters.length - 0.3, -1.05, K - 0.35]), { p } = axes, rival = now ? run.updates.rival[frame - 1] : null, through = now ? run.updates.through[frame - 1] : null;
  const at = (position, k, shift = 0) => { const [x, y] = axes.at([position, K - 1 - k]); return [x, y + shift]; }, size = Math.min(24, axes.width / letters.length / 3.2) * Math.sqrt(colours.scale);
  axes.clip();
  for (let s = 1; s < letters.length; s++) for (let j = 0; j < K; j++) for (let k = 0; k < K; k++) p.line([at(s - 1, j), at(s, k)], { stroke: colours.faint, width: 1 });
  const path = (labels, stroke, shift, dash) => p.line(labels.map((k, s) => at(s, k, shift)), { stroke, width: 4, dash });
  path(truth, colours.good, -3, []);
  if (rival) path(rival, colours.classes[1], 3, [9, 6]);
  letters.forEach((letter, s) => {
    for (let k = 0; k < K; k++) {
      const onTruth = truth[s] === k, onRival = rival?.[s] === k;
      p.circle(at(s, k), size, { fill: colours.paper, stroke: onTruth ? colours.good : onRival ? colours.classes[1] : colours.soft, width: onTruth || onRival ? 3 : 1 });
      if (through) p.text(fmt(Number(through[s][k]), 3), at(s, k), { size: 12, align: "center", base: "middle", halo: false });
    }
    p.text(letter.slice(0, 12), at(s, K - 0.35), { size: 17, align: "center", base: "middle", bold: true });
  });
  for (let k = 0; k < K; k++) p.text(run.classes[k].slice(0, 8), at(-0.6, k), { size: 14, align: "center", base: "middle", italic: true, serif: true });
  if (rival) {
    const { nodes, edges } = pathChanges(truth, rival), colour = (sign) => (sign > 0 ? colours.good : colours.classes[1]), mark = (sign) => (sign > 0 ? "+" : "−");
    for (const [s, k, sign] of nodes) { const [x, y] = at(s, k); p.text(mark(sign), [x + size * 0.9, y - size * 0.9], { size: 19, bold: true, align: "center", base: "middle", fill: colour(sign) }); }
    for (const [s, j, k, sign] of edges) { const [a, b] = [at(s - 1, j), at(s, k)]; p.text(mark(sign), [a[0] + 0.42 * (b[0] - a[0]), a[1] + 0.42 * (b[1] - a[1]) - sign * 9], { size: 19, bold: true, align: "center", base: "middle", fill: colour(sign) }); }
  }
  p.unclip();
  return axes;
}

// Every number of w that this update changes: before (hollow) and after, with its name.
function drawChanges(painter, width, height, { run, frame, w, before }) {
  const { colours } = painter, old = before ?? w, changed = run.names.map((_, j) => j).filter((j) => (frame >= 1 && frame <= run.T ? w[j] !== old[j] : w[j] !== 0));
  const largest = changed.sort((i, j) => Math.abs(w[j] - old[j]) - Math.abs(w[i] - old[i]) || Math.abs(w[j]) - Math.abs(w[i]) || i - j).slice(0, MOST_CHANGES).sort((i, j) => i - j);
  const values = largest.flatMap((j) => [w[j], old[j], 0]), low = Math.min(-0.5, ...values), high = Math.max(0.5, ...values), rows = Math.max(largest.length, 6);
  const axes = new Axes(painter, width, height, [low - 0.08 * (high - low), high + 0.08 * (high - low), -0.6, rows - 0.4], { left: 78 }), { p } = axes;
  axes.grid((v) => fmt(v, 3), roundTicks(axes.box[0], axes.box[1], Math.max(2, axes.width / 70)), []);
  p.line([axes.at([0, -0.6]), axes.at([0, rows - 0.4])], { stroke: colours.faint, width: 1.5 });
  largest.forEach((j, place) => {
    const y = rows - 1 - place, up = w[j] > old[j], stroke = w[j] === old[j] ? colours.soft : up ? colours.good : colours.classes[1];
    p.text(run.names[j].slice(0, 14), [axes.left - 8, axes.y(y)], { size: 12.5, align: "right", base: "middle", halo: false });
    if (w[j] === old[j]) p.line([axes.at([0, y]), axes.at([w[j], y])], { stroke, width: 5 });
    else { axes.arrow([old[j], y], [w[j], y], { stroke, width: 3 }); p.circle(axes.at([old[j], y]), 4, { fill: colours.paper, stroke, width: 1.6 }); }
  });
  return axes;
}

function stepOfWords({ run, frame, w }) {
  const { T } = run, named = (path) => path.map((k) => run.classes[k]).join(" ");
  if (frame < 1) return [line(t("beginning")), line(math("w = 0")), line(el("span", { class: "quiet" }, run.data.X.map((word) => word.join("")).join(" · ")))];
  if (frame > T || !T) return [line(t("final"))];
  const word = run.updates.row[frame - 1], alpha = run.number("alpha", frame), beta = run.number("beta", frame), head = alpha === 1 && beta === 1 ? "w ← w" : `w ← ${fmt(alpha)} w`;
  return [
    line(t("visited", { x: run.data.X[word].join("") }), " · ", el("span", { class: "quiet" }, `${word + 1} / ${run.n}`)),
    line(math("y = "), el("strong", { class: "truth" }, named(run.data.y[word]))), line(math("ŷ = "), el("strong", { class: "rivalpath" }, named(run.updates.rival[frame - 1]))),
    line(math(`⟨w, φ(x,y) − φ(x,ŷ)⟩ = ${fmt(run.number("wa", frame))}`)), line(el("span", { class: "quiet" }, t("wrong", { goal: fmt(run.number("goal", frame)) }))),
    line(math(`${head} + ${beta === 1 ? "" : fmt(beta)} (φ(x,y) − φ(x,ŷ))`)), line(el("span", { class: "quiet" }, t("through"))),
  ];
}

const captionOfWords = ({ run, w, frame }) => { if (!frame) return ["", false]; const { count } = run.wrong(w); return count ? [t("wrongwords", { n: count, all: run.n }), false] : [t("rightwords", { all: run.n }), true]; };

export const WORDS = {
  Run: TrellisRun, plane: drawTrellis, weights: drawChanges, box: () => null, step: stepOfWords, caption: captionOfWords, certificate: ({ run, frame }) => certificateParts(run, frame),
  headings: { plane: "trellis", weights: "change", bounds: "bounds", errors: "errors", novikoff: "novikoff" },
  weightsCaption: ({ run, frame }) => t(frame >= 1 && frame <= run.T ? "changecaption" : "largest"),
  describe: (scene) => stepOfWords(scene).map((part) => part.textContent).join("; "),
};
