// The data space: points, the line of w with its sides, hulls, margin, the visited row, the proof.
import { Axes } from "./paint.js";
import { boxPolygon, centreOf, clipLine, clipPolygon, contour, convexHull, cutByLines, fitBox, roundTicks } from "./geometry.js";
import { fmt, t } from "./text.js";

const CONTOUR = [97, 73];

// How rows are drawn: "plane" (two columns), "lifted plane" (one column lifted to two), "line", or "projection" of more.
export function planeKind(run) {
  const columns = run.data.columns.length;
  if (columns === 2) return "plane";
  if (columns === 1) return run.content.lift && run.d === 2 ? "lifted plane" : "line";
  return run.kind === "sign" && !run.content.lift ? "projection" : "two of many";
}

export function principalDirection(run) {
  if (run.direction) return run.direction;
  const { Z, d, n } = run, mean = new Array(d).fill(0);
  for (const z of Z) for (let j = 0; j < d; j++) mean[j] += z[j] / n;
  let v = Array.from({ length: d }, (_, j) => 1 + j / d);
  for (let turn = 0; turn < 60; turn++) {
    const next = new Array(d).fill(0);
    for (const z of Z) { let s = 0; for (let j = 0; j < d; j++) s += (z[j] - mean[j]) * v[j]; for (let j = 0; j < d; j++) next[j] += s * (z[j] - mean[j]); }
    const size = Math.hypot(...next) || 1;
    v = next.map((value) => value / size);
  }
  return (run.direction = v);
}

// Where the rows are drawn for this w.
export function placeRows(run, w) {
  const kind = planeKind(run);
  if (kind === "plane" || kind === "two of many") return run.X;
  if (kind === "lifted plane") return run.Z;
  if (kind === "line") return run.X.map((x) => [x[0], 0]);
  const size = Math.hypot(...w.slice(0, run.d)), v = principalDirection(run);
  if (!size) return run.X;
  const along = v.reduce((sum, value, j) => sum + value * w[j], 0) / size / size;
  const other = v.map((value, j) => value - along * w[j]);
  return run.Z.map((z) => [run.score(w, 0, z) / size, z.reduce((sum, value, j) => sum + value * other[j], 0)]);
}

export function planeBox(run, w, ratio) {
  const kind = planeKind(run), points = placeRows(run, w);
  if (kind === "projection") return fitBox([...points, [0, points[0][1]]], ratio);
  if (kind === "line") { const [x0, x1] = fitBox(points, 0.0001); return [x0, x1, -1, 1]; }
  return fitBox(points, ratio, 0.16);
}

export function markerSize(n) { return n > 800 ? 2.6 : n > 200 ? 3.6 : n > 60 ? 5 : 6.5; }

export function drawPlane(painter, width, height, scene) {
  const { run, frame, w, box } = scene, { colours } = painter, kind = planeKind(run);
  const axes = new Axes(painter, width, height, box);
  const rows = kind === "projection" ? placeRows(run, w) : scene.places;
  axes.clip();
  drawRegions(axes, run, w, kind, colours);
  painter.unclip();
  axes.grid((v) => fmt(v, 3), undefined, kind === "line" ? [] : undefined);
  axes.clip();
  if (scene.show.hulls && (kind === "plane" || kind === "lifted plane")) drawHulls(axes, run, rows, colours);
  drawBoundary(axes, run, w, kind, colours, scene);
  drawRows(axes, scene, rows, colours);
  if (kind === "plane" && run.kind === "sign" && !run.content.lift) drawPoints(axes, scene, colours);
  drawVisited(axes, scene, rows, colours);
  painter.unclip();
  const c = run.data.columns;
  if (kind === "projection") axes.names(t("distance"), t("principal"));
  else if (kind === "lifted plane") axes.names(run.content.lift.columns[0], run.content.lift.columns[1]);
  else axes.names(c[0], kind === "line" ? "" : c[1]);
  return axes;
}

function drawRegions(axes, run, w, kind, colours) {
  const { p, box } = axes, tint = (k) => (k < 0 ? { fill: colours.soft, opacity: 0.16 } : { fill: colours.classes[k % 6], opacity: 0.1 });
  if (!w.some((v) => v !== 0)) return;
  if (kind === "line" || (kind === "plane" && run.content.lift)) {
    const [columns, rows] = kind === "line" ? [400, 2] : CONTOUR;
    for (let j = 0; j + 1 < rows; j++) {
      let begin = 0, before = null;
      const y0 = box[2] + ((box[3] - box[2]) * j) / (rows - 1), y1 = box[2] + ((box[3] - box[2]) * (j + 1)) / (rows - 1);
      for (let i = 0; i < columns; i++) {
        const x = box[0] + ((box[1] - box[0]) * (i + 0.5)) / (columns - 1);
        const k = i + 1 < columns ? run.decide(w, run.phi(kind === "line" ? [x] : [x, (y0 + y1) / 2])) : null;
        if (i && k !== before) {
          const a = box[0] + ((box[1] - box[0]) * begin) / (columns - 1), b = box[0] + ((box[1] - box[0]) * i) / (columns - 1);
          p.polygon([[a, y0], [b, y0], [b, y1], [a, y1]].map((q) => axes.at(q)), tint(before));
          begin = i;
        }
        before = k;
      }
    }
    return;
  }
  if (kind === "projection") {
    [[1, 1], [-1, 0]].forEach(([s, k]) => p.polygon(clipPolygon(boxPolygon(box), s, 0, 0).map((q) => axes.at(q)), tint(k)));
    return;
  }
  if (run.d !== 2) return;
  for (const cell of cutByLines(box, decisionLines(run, w))) p.polygon(cell.map((q) => axes.at(q)), tint(run.decide(w, centreOf(cell))));
}

// All lines at which a decision may change.
function decisionLines(run, w) {
  const row = (m) => w.slice(m * run.width, m * run.width + 3);
  if (run.kind !== "machine") return Array.from({ length: run.members }, (_, m) => row(m));
  const lines = [];
  for (let i = 0; i < run.members; i++) for (let k = i + 1; k < run.members; k++) { const [a, b] = [row(i), row(k)]; lines.push([a[0] - b[0], a[1] - b[1], a[2] - b[2]]); }
  return lines;
}

function drawBoundary(axes, run, w, kind, colours, scene) {
  const { p, box } = axes, look = { stroke: scene.byHand ? colours.accent : colours.ink, width: 2 };
  if (kind === "projection") { p.line([axes.at([0, box[2]]), axes.at([0, box[3]])], look); return; }
  if (kind === "line") { drawThresholds(axes, run, w, look); return; }
  if (kind === "plane" && run.content.lift) {
    if (run.kind !== "sign") return;
    const [columns, rows] = CONTOUR, values = new Float64Array(columns * rows);
    for (let j = 0; j < rows; j++) for (let i = 0; i < columns; i++) values[j * columns + i] = run.score(w, 0, run.phi([box[0] + ((box[1] - box[0]) * i) / (columns - 1), box[2] + ((box[3] - box[2]) * j) / (rows - 1)]));
    p.segments(contour(values, columns, rows, box).map(([a, b]) => [axes.at(a), axes.at(b)]), look);
    return;
  }
  if (run.d !== 2) return;
  if (run.kind !== "sign") {
    const thin = { stroke: colours.soft, width: 1, dash: [2, 3] };
    for (const line of decisionLines(run, w)) { const ends = clipLine(box, ...line); if (ends && run.kind !== "machine") p.line(ends.map((q) => axes.at(q)), thin); }
    return;
  }
  if (scene.before && scene.show.before) { const old = clipLine(box, ...scene.before); if (old) p.line(old.map((q) => axes.at(q)), { stroke: colours.soft, width: 1.2, dash: [5, 4] }); }
  const [a, b, c] = w, size = Math.hypot(a, b), ends = clipLine(box, a, b, c);
  if (scene.show.strip && size > 0) drawStrip(axes, run, w, size, colours);
  if (ends) p.line(ends.map((q) => axes.at(q)), look);
  if (size > 0 && ends) {
    const middle = [(ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2], reach = (box[1] - box[0]) * 0.07;
    axes.arrow(middle, [middle[0] + (a / size) * reach, middle[1] + (b / size) * reach], { stroke: look.stroke, width: 1.6 });
    const [x, y] = axes.at([middle[0] + (a / size) * reach * 1.25, middle[1] + (b / size) * reach * 1.25]);
    p.text("w", [x, y], { size: 14, italic: true, serif: true, align: "center", base: "middle", fill: look.stroke });
  }
  if (kind === "lifted plane") drawBackOnLine(axes, run, w, look);
}

// The strip between the lines through the nearest row of each side; of a soft margin the lines at ±1.
function drawStrip(axes, run, w, size, colours) {
  const { p, box } = axes;
  const soft = "C" in run.certificate;
  let low = Infinity, high = Infinity;
  for (let i = 0; i < run.n; i++) { const s = run.score(w, 0, run.Z[i]) * (run.y[i] === 1 ? 1 : -1); if (run.y[i] === 1) high = Math.min(high, s); else low = Math.min(low, s); }
  if (soft) low = high = 1;
  if (!(low > 0 && high > 0)) return;
  const strip = clipPolygon(clipPolygon(boxPolygon(box), -w[0], -w[1], high - w[2]), w[0], w[1], low + w[2]);
  p.polygon(strip.map((q) => axes.at(q)), { fill: colours.good, opacity: 0.13 });
  for (const shift of [-high, low]) { const ends = clipLine(box, w[0], w[1], w[2] + shift); if (ends) p.line(ends.map((q) => axes.at(q)), { stroke: colours.good, width: 1, dash: [5, 4], opacity: 0.9 }); }
}

function drawThresholds(axes, run, w, look) {
  const { p, box } = axes, steps = 600;
  let before = null;
  for (let i = 0; i <= steps; i++) {
    const x = box[0] + ((box[1] - box[0]) * i) / steps, k = run.decide(w, run.phi([x]));
    if (i && k !== before) p.line([axes.at([x, box[2]]), axes.at([x, box[3]])], look);
    before = k;
  }
}

// S0's lifting: the line of the lifted plane, back on the axis of x, along the lower border.
function drawBackOnLine(axes, run, w, look) {
  const { p, box, } = axes, { colours } = p, y = box[2] + (box[3] - box[2]) * 0.05;
  const steps = 400;
  let begin = box[0], before = run.decide(w, run.phi([box[0]]));
  for (let i = 1; i <= steps; i++) {
    const x = box[0] + ((box[1] - box[0]) * i) / steps, k = run.decide(w, run.phi([x]));
    if (k !== before || i === steps) { p.line([axes.at([begin, y]), axes.at([x, y])], { stroke: before < 0 ? colours.soft : colours.classes[before], width: 4, opacity: 0.7 }); begin = x; before = k; }
  }
  run.X.forEach((x, i) => p.marker(run.y[i], axes.at([x[0], y]), 4, { fill: colours.classes[run.y[i]], stroke: colours.paper, width: 1 }));
  const curve = [];
  for (let i = 0; i <= 120; i++) { const x = box[0] + ((box[1] - box[0]) * i) / 120; curve.push(axes.at(run.phi([x]))); }
  p.line(curve, { stroke: colours.soft, width: 1, dash: [2, 3] });
}

function drawHulls(axes, run, rows, colours) {
  if (!run.hulls) run.hulls = run.classes.map((_, k) => convexHull(rows.filter((_, i) => run.y[i] === k)));
  run.hulls.forEach((hull, k) => axes.p.polygon(hull.map((q) => axes.at(q)), { fill: colours.classes[k % 6], fillOpacity: 0.1, stroke: colours.classes[k % 6], width: 1.2, opacity: 0.75 }));
}

function drawRows(axes, scene, rows, colours) {
  const { run, w } = scene, r = markerSize(run.n) * Math.sqrt(colours.scale), wrong = run.wrong(w), moved = w.some((v) => v !== 0);
  const look = (k) => ({ fill: colours.classes[k % 6], stroke: colours.paper, width: run.n > 200 ? 0.5 : 1.2 });
  if (run.n > 200) {
    const drawAll = (p) => run.classes.forEach((_, k) => p.markers(k, rows.filter((_, i) => run.y[i] === k).map((q) => axes.at(q)), r, look(k)));
    if (rows === scene.places) axes.p.layer(run.kept.rows, `${axes.box}`, axes.left + axes.width, axes.top + axes.height, drawAll); else drawAll(axes.p); // of a projection they move
  }
  for (let i = 0; i < run.n; i++) {
    const at = axes.at(rows[i]), k = run.y[i];
    if (run.n <= 200) axes.p.marker(k, at, r, look(k));
    if (wrong.flags[i] && moved && run.n <= 800) axes.p.circle(at, r + 4, { stroke: colours.ink, width: 1, dash: [2, 2.5], opacity: 0.8 });
  }
  if (scene.show.numbers && run.n <= 60) rows.forEach((q, i) => { const [x, y] = axes.at(q); axes.p.text(`x${subscript(i + 1)}`, [x + r + 3, y - r], { size: 11, fill: colours.soft, italic: true, serif: true }); });
}

export function subscript(k) { return String(k).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]); }

// Kozinec's two points while learning; at the end the points of the proof.
function drawPoints(axes, scene, colours) {
  const { run, frame } = scene, { p } = axes, proof = run.certificate.proof_points;
  const atEnd = frame >= run.T && scene.show.proof && Array.isArray(proof);
  const pair = atEnd ? proof : run.points(frame);
  if (!pair) return;
  if (atEnd && run.certificate.meet) {
    run.classes.slice(0, 2).forEach((_, k) => {
      const rows = run.certificate.proof_rows.filter((i) => run.y[i] === k).map((i) => run.X[i]);
      p.polygon(convexHull(rows).map((q) => axes.at(q)), { fill: colours.classes[k], fillOpacity: 0.16, stroke: colours.classes[k], width: 2 });
    });
    const at = axes.at(pair[0]);
    p.circle(at, 7, { fill: colours.paper, stroke: colours.accent, width: 2.5 });
    p.circle(at, 2.5, { fill: colours.accent });
    return;
  }
  p.line(pair.map((q) => axes.at(q)), { stroke: colours.accent, width: 1.6 });
  pair.forEach((q, k) => p.circle(axes.at(q), 5, { fill: colours.classes[k], stroke: colours.accent, width: 2 }));
}

function drawVisited(axes, scene, rows, colours) {
  const { run, frame } = scene, visited = scene.byHand ? [] : run.rowsOf(frame), r = markerSize(run.n) + 6;
  for (const i of visited.slice(0, 400)) axes.p.circle(axes.at(rows[i]), r, { stroke: colours.accent, width: 2.4 });
  if (visited.length === 1 && run.n <= 400 && !scene.show.numbers) { const [x, y] = axes.at(rows[visited[0]]); axes.p.text(`x${subscript(visited[0] + 1)}`, [x + r + 3, y - r + 3], { size: 14, italic: true, serif: true, bold: true, fill: colours.accent }); }
  const rival = run.updates.rival && frame >= 1 && frame <= run.T ? run.updates.rival[frame - 1] : null;
  if (rival !== null && run.kind === "sign" && rows[rival]) axes.p.circle(axes.at(rows[rival]), r, { stroke: colours.accent, width: 1.6, dash: [3, 3] });
}
