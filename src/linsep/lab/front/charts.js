// Curves against updates: bounds of the margin, errors of w, updates made and Novikoff's bound.
import { Axes } from "./paint.js";
import { roundTicks } from "./geometry.js";
import { fmt, t } from "./text.js";

const MOST_POINTS = 1200;

const thinned = new WeakMap();

function thin(list) {
  if (!thinned.has(list)) thinned.set(list, thinOnce(list));
  return thinned.get(list);
}

function thinOnce(list) {
  const stride = Math.max(1, Math.ceil(list.length / MOST_POINTS)), found = [];
  for (let k = 0; k < list.length; k += stride) found.push([k + 1, list[k]]);
  if (list.length) found.push([list.length, list[list.length - 1]]);
  return found.filter(([, v]) => Number.isFinite(v));
}

function stairs(points) {
  const found = [];
  points.forEach(([x, y], k) => { if (k) found.push([x, points[k - 1][1]]); found.push([x, y]); });
  return found;
}

function frameAxes(painter, width, height, most, low, high, xName) {
  const pad = (high - low || 1) * 0.08, axes = new Axes(painter, width, height, [0, Math.max(most, 1) * 1.015, low - (low === 0 ? 0 : pad), high + pad], { left: 40, right: 10 });
  axes.grid((v) => fmt(v, 3), roundTicks(0, Math.max(most, 1), Math.max(2, width / 80)).filter(Number.isInteger));
  axes.names(xName, "");
  return axes;
}

function drawCursor(axes, x, colours) { if (x >= 0) axes.p.line([[axes.x(x), axes.top], [axes.x(x), axes.top + axes.height]], { stroke: colours.accent, width: 1.4 }); }

export function drawBounds(painter, width, height, { run, frame }) {
  const { colours } = painter, { lower, upper, value } = run.series, isValue = !upper && value;
  const curves = isValue ? [[thin(value), colours.ink, "J", []]] : [[thin(upper ?? []), colours.classes[1], t("upper"), []], [thin(lower ?? []), colours.good, t("lower"), []]];
  const all = curves.flatMap(([points]) => points.map((p) => p[1]));
  if (!all.length) return null;
  const last = run.certificate, ends = isValue ? [] : [run.bound("lower"), run.bound("upper")].filter((v) => Number.isFinite(v) && !("C" in last));
  let low = Math.min(...all, ...ends), high = Math.max(...all, ...ends);
  if (!isValue && upper) low = Math.max(low, -upper.find(Number.isFinite)); // the best bound so far only falls
  const axes = frameAxes(painter, width, height, run.T, low, high, t("updates"));
  axes.clip();
  painter.layer(run.kept.bounds, `${axes.box} ${t("upper")}`, width, height, (p) => {
    if (low < 0 && high > 0) p.line([axes.at([0, 0]), axes.at([run.T, 0])], { stroke: colours.faint, width: 1 });
    for (const [points, colour, name] of curves) {
      p.line(stairs(points).map((q) => axes.at(q)), { stroke: colour, width: 2 });
      if (points.length === 1) p.circle(axes.at(points[0]), 3, { fill: colour });
      if (points.length) { const end = points[Math.floor(points.length * 0.35)] ?? points[0], [x, y] = axes.at(end); p.text(name, [Math.min(x + 6, axes.left + axes.width - 50 * colours.scale), Math.min(Math.max(y + (name === t("lower") ? 16 : -7), axes.top + 12 * colours.scale), axes.top + axes.height - 4)], { size: 12, fill: colour }); }
    }
  });
  drawCursor(axes, Math.min(frame, run.T), colours);
  painter.unclip();
  return axes;
}

export function drawErrors(painter, width, height, { run, frame }) {
  const { colours } = painter, { errors } = run.series;
  if (!errors?.length) return null;
  const points = thin(errors), axes = frameAxes(painter, width, height, run.T, 0, Math.max(1, ...points.map((p) => p[1])), t("updates"));
  axes.clip();
  painter.layer(run.kept.errors, `${axes.box}`, width, height, (p) => {
    p.line(stairs(points).map((q) => axes.at(q)), { stroke: colours.classes[0], width: 2 });
    if (points.length <= 60) for (const q of points) p.circle(axes.at(q), 3, { fill: colours.classes[0] });
  });
  drawCursor(axes, Math.min(frame, run.T), colours);
  painter.unclip();
  return axes;
}

export function drawNovikoff(painter, width, height, { run, frame }) {
  const { colours } = painter, { visits } = run.series, bound = run.novikoff();
  if (!visits || !(visits[run.T - 1] > 0) || run.kind !== "sign" && run.kind !== "machine") return null;
  const stride = Math.max(1, Math.ceil(run.T / MOST_POINTS)), points = [[0, 0]];
  for (let k = 0; k < run.T; k += stride) points.push([visits[k], k + 1]);
  points.push([visits[run.T - 1], run.T]);
  const most = visits[run.T - 1] + (run.content.complete ? run.n : 0), high = Number.isFinite(bound) && bound < 60 * run.T ? Math.max(bound, run.T) : run.T;
  const axes = frameAxes(painter, width, height, most, 0, high, t("visits"));
  axes.clip();
  painter.line([...stairs(points), [most, run.T]].map((q) => axes.at(q)), { stroke: colours.ink, width: 2 });
  if (high === bound) painter.line([axes.at([0, bound]), axes.at([most, bound])], { stroke: colours.classes[1], width: 1.6, dash: [6, 4] });
  if (Number.isFinite(bound)) painter.text(t("bound", { n: fmt(Math.floor(bound + 1e-9), 6) }), [axes.left + 8, high === bound ? axes.y(bound) + 15 * colours.scale : axes.top + 15 * colours.scale], { size: 12, fill: colours.classes[1] });
  drawCursor(axes, frame < 1 ? 0 : visits[Math.min(frame, run.T) - 1], colours);
  painter.unclip();
  return axes;
}
