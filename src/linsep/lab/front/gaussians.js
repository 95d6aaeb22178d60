// Gaussians and a line (F2, F3): ellipses that grow until they touch it, the points of contact, and r.
import { Axes } from "./paint.js";
import { boxPolygon, clipLine, clipPolygon, fitBox } from "./geometry.js";
import { Run } from "./recording.js";
import { fmt, fmtVector, t } from "./text.js";
import { drawWeights, sliceWords } from "./weights.js";
import { certificateParts, el, line, math } from "./words.js";

const RIM = Array.from({ length: 97 }, (_, k) => [Math.cos((2 * Math.PI * k) / 96), Math.sin((2 * Math.PI * k) / 96)]);
const DECIDES = 1e-3; // a Gaussian whose r is within this part of the least decides

export class GaussianRun extends Run {
  constructor(content) {
    super(content);
    const { gaussians: g, updates } = content, pairs = (list) => Array.isArray(list) && list.length === g.y.length && list.every((p) => p.length === 2 && p.flat().every(Number.isFinite));
    if (!pairs(g.means) || !pairs(g.factors) || !pairs(g.touching) || !updates.radii?.every((r) => r.length === g.y.length) || !updates.touching?.every(pairs)) throw new Error("gaussians");
    this.cloud = this.X.length === g.means.length && this.X.every((x, i) => x.every((v, j) => v === g.means[i][j])) ? null : { X: this.X, y: this.y };
    this.gaussians = g; this.X = this.Z = g.means; this.y = g.y; this.n = g.y.length; this.free = false;
  }

  // r of every Gaussian and the points of contact: as Python recorded them, or of a w by hand by the formula of r.
  contact(frame, w, byHand) {
    const { gaussians: g } = this;
    if (byHand) {
      const along = g.factors.map((f) => f[0].map((_, k) => f[0][k] * w[0] + f[1][k] * w[1])), spread = along.map((v) => Math.hypot(...v));
      const value = g.means.map((m) => m[0] * w[0] + m[1] * w[1] + w[2]);
      return { radii: value.map((v, j) => ((g.y[j] ? 1 : -1) * v) / spread[j]), touching: g.means.map((m, j) => m.map((x, i) => x - ((g.factors[j][i][0] * along[j][0] + g.factors[j][i][1] * along[j][1]) * value[j]) / spread[j] ** 2)) };
    }
    if (frame < 1 || !g.radii) return null; // not recorded yet
    const source = frame > this.T ? g : { radii: this.updates.radii[frame - 1], touching: this.updates.touching[frame - 1], error: this.updates.error[frame - 1] };
    return { ...source, radii: source.radii.map((r) => (r === "inf" ? Infinity : r === "-inf" ? -Infinity : r)) };
  }

  rim(j, r) { const { means, factors } = this.gaussians, [m, f] = [means[j], factors[j]]; return RIM.map(([c, s]) => [m[0] + r * (f[0][0] * c + f[0][1] * s), m[1] + r * (f[1][0] * c + f[1][1] * s)]); }
}

function gaussianBox(run, w, ratio) {
  const best = Math.max(1.2, run.gaussians.required ?? 0, ...[run.gaussians.radii ?? [], ...run.updates.radii].map((r) => Math.min(...r.map(Number))).filter(Number.isFinite));
  return fitBox([...run.gaussians.means.flatMap((_, j) => run.rim(j, Math.min(best, 12))), ...(run.cloud?.X ?? [])], ratio, 0.06);
}

function drawGaussians(painter, width, height, scene) {
  const { run, frame, w, box } = scene, { colours } = painter, axes = new Axes(painter, width, height, box), { p } = axes, g = run.gaussians;
  const contact = run.contact(frame, w, scene.byHand), least = contact ? Math.min(...contact.radii) : 0, ends = clipLine(box, ...w), colour = (j) => colours.classes[g.y[j] % 6];
  axes.clip();
  if (w[0] || w[1]) [[1, 1], [-1, 0]].forEach(([s, k]) => p.polygon(clipPolygon(boxPolygon(box), s * w[0], s * w[1], s * w[2]).map((q) => axes.at(q)), { fill: colours.classes[k], opacity: 0.08 }));
  p.unclip();
  axes.grid((v) => fmt(v, 3));
  axes.clip();
  if (run.cloud) run.classes.forEach((_, k) => p.markers(k, run.cloud.X.filter((_, i) => run.cloud.y[i] === k).map((x) => axes.at(x)), 3.2, { fill: colours.classes[k], stroke: colours.paper, width: 0.5 }));
  for (let j = 0; j < run.n; j++) {
    const ring = (r, look) => p.line(run.rim(j, r).map((q) => axes.at(q)), { stroke: colour(j), ...look });
    if (g.required > 0) ring(g.required, { width: 1.3, dash: [6, 4] });
    ring(1, { width: 1, opacity: 0.35 });
    if (least > 0 && Number.isFinite(least)) { p.polygon(run.rim(j, least).map((q) => axes.at(q)), { fill: colour(j), opacity: 0.13 }); ring(least, { width: 2 }); }
  }
  if (scene.before && scene.show.before) { const old = clipLine(box, ...scene.before); if (old) p.line(old.map((q) => axes.at(q)), { stroke: colours.soft, width: 1.2, dash: [5, 4] }); }
  if (ends) p.line(ends.map((q) => axes.at(q)), { stroke: scene.byHand ? colours.accent : colours.ink, width: 2 });
  for (let j = 0; j < run.n; j++) {
    const [x, y] = axes.at(g.means[j]), decides = contact && least > 0 && contact.radii[j] <= least * (1 + DECIDES);
    p.marker(g.y[j], [x, y], 6 * Math.sqrt(colours.scale), { fill: colour(j), stroke: colours.paper, width: 1.2 });
    if (contact) p.text(`r = ${fmt(contact.radii[j], 3)}`, [x + 10, y - 8], { size: 12, italic: true, serif: true, fill: colours.ink });
    if (decides) p.circle(axes.at(contact.touching[j]), 5, { fill: colours.accent, stroke: colours.paper, width: 1.5 });
  }
  for (const j of scene.byHand ? [] : run.rowsOf(frame)) p.circle(axes.at(g.means[j]), 12, { stroke: colours.accent, width: 2.2 });
  if (scene.handles) for (const q of scene.handles(run)) { const [x, y] = axes.at(q); p.polygon([[x - 4, y - 4], [x + 4, y - 4], [x + 4, y + 4], [x - 4, y + 4]], { fill: colours.paper, stroke: colours.ink, width: 1.4 }); }
  p.unclip();
  axes.names(...run.data.columns);
  return axes;
}

function stepOfGaussians(scene) {
  const { run, frame, w } = scene, { T, gaussians: g } = run, found = [], contact = run.contact(frame, w, false);
  if (!T) found.push(line(t("nosteps")));
  else if (frame === 0) found.push(line(t("beginning")));
  else if (frame > T) found.push(line(t("final")));
  else {
    const row = run.updates.row[frame - 1], rows = run.rowsOf(frame);
    found.push(line(row >= 0 ? t("ellipse", { j: row + 1, r: fmt(g.required, 4) }) : t("deciding", { list: rows.slice(0, 8).map((j) => j + 1).join(", ") })));
    if (row >= 0) found.push(line(math(`w ← α w + β a,  α = ${fmt(run.number("alpha", frame))}, β = ${fmt(run.number("beta", frame))}`)));
  }
  found.push(line(math(`w = ${fmtVector(w)}`)));
  if (contact) {
    found.push(line(math(`r = min rⱼ = ${fmt(Math.min(...contact.radii), 6)}`)), line(math(`ε = Φ(−r) = ${fmt(100 * contact.error, 3)} %`)));
    if (g.required) found.push(line(el("span", { class: "quiet" }, t("requires", { r: fmt(g.required, 4) }))));
  }
  return found;
}

function captionOfGaussians({ run, frame, w, byHand }) {
  const contact = run.contact(frame, w, byHand), least = contact ? Math.min(...contact.radii) : NaN;
  return contact ? [`r = ${fmt(least, 5)}`, least > 0 && least >= (run.gaussians.required ?? 0)] : ["", false];
}

export const GAUSSIANS = {
  toggles: ["hand"],
  Run: GaussianRun, plane: drawGaussians, weights: drawWeights, box: gaussianBox, step: stepOfGaussians, caption: captionOfGaussians, certificate: ({ run, frame }) => certificateParts(run, frame),
  weightsCaption: (scene) => sliceWords(scene.run, scene.w, scene, "meanscone", "meansempty"),
  headings: { plane: "gaussians", weights: "weights", bounds: "boundsr", errors: "errors", novikoff: "novikoff" },
  describe: ({ run, frame, w }) => { const contact = run.contact(frame, w, false); return [frame > run.T ? t("final") : frame ? t("update", { k: frame, n: run.T }) : t("beginning"), `w = ${fmtVector(w)}`, contact ? `r = ${fmt(Math.min(...contact.radii), 5)}` : ""].filter(Boolean).join("; "); },
};
