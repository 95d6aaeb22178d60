// The weight space: a plane of it through the present w. One half-plane per row, the w that separate, the path of w.
import { Axes } from "./paint.js";
import { boxPolygon, clipLine, clipPolygon, fitBox } from "./geometry.js";
import { subscript } from "./plane.js";
import { fmt, t } from "./text.js";

const MOST_LINES = 80, MOST_PATH = 4000;

// Which two numbers of w are the axes; of a machine those of the class that last moved.
export function weightAxes(run, scene) {
  const member = run.members === 1 ? 0 : scene.member ?? 0, first = member * run.width;
  return run.d === 1 ? [first, first + 1] : [first, first + 1];
}

export function weightName(run, index) {
  const member = Math.floor(index / run.width), j = index % run.width, k = j === run.d ? 0 : j + 1;
  return run.members === 1 ? `w${subscript(k)}` : `w${subscript(member + 1)},${subscript(k)}`;
}

export function weightBox(run, axes, ratio, extra = []) {
  const points = [[0, 0], ...extra], stride = Math.max(1, Math.floor(run.T / MOST_PATH));
  for (let f = 0; f <= run.T; f += stride) { const w = run.w(f); points.push([w[axes[0]], w[axes[1]]]); }
  if (run.frames > run.T + 1 && !run.T) points.push([run.content.answer[axes[0]], run.content.answer[axes[1]]]);
  const last = run.w(run.T);
  points.push([last[axes[0]], last[axes[1]]]);
  let reach = Math.max(...points.map(([x, y]) => Math.hypot(x, y)));
  if (!(reach > 0)) reach = 1;
  points.push([0.35 * reach, 0.35 * reach], [-0.35 * reach, -0.35 * reach]);
  return fitBox(points, ratio, 0.12);
}

// The half-planes of this slice: [a, b, c, row] with a·u + b·v + c > 0 wherever the row is on its side.
export function halfPlanes(run, w, axes) {
  const found = [];
  const add = (a, i) => { let rest = 0; for (let j = 0; j < a.length; j++) if (j !== axes[0] && j !== axes[1]) rest += a[j] * w[j]; found.push([a[axes[0]], a[axes[1]], rest, i]); };
  for (let i = 0; i < run.n; i++) {
    if (run.kind === "sign") add(run.mirrored(i), i);
    else if (run.kind === "machine") {
      const member = Math.floor(axes[0] / run.width);
      for (let k = 0; k < run.members; k++) {
        if (k === run.y[i] || (member !== k && member !== run.y[i])) continue;
        const a = new Array(w.length).fill(0), z = [...run.Z[i], 1];
        z.forEach((v, j) => { a[run.y[i] * run.width + j] = v; a[k * run.width + j] = -v; });
        add(a, i);
      }
    } else {
      const member = Math.floor(axes[0] / run.width), [low, high] = run.sides[member];
      if (low >= 0 && run.y[i] !== low && run.y[i] !== high) continue;
      const s = run.y[i] === high ? 1 : -1, a = new Array(w.length).fill(0);
      [...run.Z[i], 1].forEach((v, j) => (a[member * run.width + j] = s * v));
      add(a, i);
    }
  }
  return found;
}

export function drawWeights(painter, width, height, scene) {
  const { run, frame, w, weightBox: box } = scene, { colours } = painter, pair = weightAxes(run, scene);
  const axes = new Axes(painter, width, height, box), planes = run.pending ? [] : halfPlanes(run, w, pair);
  axes.clip();
  let region = run.pending ? [] : boxPolygon(box);
  for (const [a, b, c] of planes) { region = clipPolygon(region, a, b, c); if (region.length < 3) { region = []; break; } if (a === 0 && b === 0 && c <= 0) { region = []; break; } }
  if (region.length > 2 && scene.show.proof) painter.polygon(region.map((q) => axes.at(q)), { fill: colours.good, opacity: 0.22 });
  painter.unclip();
  axes.grid((v) => fmt(v, 3));
  axes.clip();
  painter.segments([[axes.at([box[0], 0]), axes.at([box[1], 0])], [axes.at([0, box[2]]), axes.at([0, box[3]])]], { stroke: colours.faint, width: 1 });
  drawHalfPlanes(axes, run, planes, scene, colours);
  drawPath(axes, run, scene, pair, colours);
  painter.unclip();
  axes.names(weightName(run, pair[0]), weightName(run, pair[1]));
  scene.regionEmpty = region.length < 3;
  return axes;
}

function drawHalfPlanes(axes, run, planes, scene, colours) {
  const visited = new Set(scene.byHand ? [] : run.rowsOf(scene.frame));
  const shown = planes.length <= MOST_LINES ? planes : planes.filter((plane) => visited.has(plane[3])).slice(0, MOST_LINES);
  for (const [a, b, c, i] of shown) {
    const ends = clipLine(axes.box, a, b, c), now = visited.has(i), size = Math.hypot(a, b);
    if (!ends) continue;
    const look = { stroke: colours.classes[run.y[i] % 6], width: now ? 2.2 : 1, opacity: now ? 1 : shown.length > 24 ? 0.25 : 0.55 };
    axes.p.line(ends.map((q) => axes.at(q)), look);
    const middle = [(ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2], reach = (axes.box[1] - axes.box[0]) * (now ? 0.04 : 0.018);
    axes.p.line([axes.at(middle), axes.at([middle[0] + (a / size) * reach, middle[1] + (b / size) * reach])], look); // towards its side
  }
}

function drawPath(axes, run, scene, [i, j], colours) {
  const { frame, w, before } = scene, { p } = axes, last = Math.min(frame, run.T), stride = Math.max(1, Math.floor(last / MOST_PATH));
  const at = (v) => [v[i], v[j]], path = [];
  for (let f = 0; f <= last; f += stride) {
    const q = axes.at(at(run.w(f))), end = path[path.length - 1];
    if (!end || last <= 200 || Math.abs(q[0] - end[0]) + Math.abs(q[1] - end[1]) > 1.5) path.push(q); // steps that are seen
  }
  path.push(axes.at(at(run.w(last))));
  const recent = Math.max(0, path.length - 60); // the last steps stand out from a long history
  if (recent) p.line(path.slice(0, recent + 1), { stroke: colours.ink, width: 1, opacity: 0.13 });
  p.line(path.slice(recent), { stroke: colours.ink, width: 1.2, opacity: 0.4 });
  if (path.length <= 200) for (const q of path) p.circle(q, 2.2, { fill: colours.ink, opacity: 0.5 });
  if (!scene.byHand && before && frame >= 1 && frame <= run.T) {
    const alpha = run.number("alpha", frame), row = run.updates.row[frame - 1];
    const from = at(before).map((v) => v * (Number.isNaN(alpha) ? 1 : alpha));
    axes.arrow([0, 0], at(before), { stroke: colours.soft, width: 1.6 });
    axes.arrow(from, at(run.w(frame)), { stroke: row >= 0 ? colours.classes[run.y[row] % 6] : colours.accent, width: 2.4 });
  }
  const tip = at(w), look = { stroke: scene.byHand ? colours.accent : colours.ink, width: 2.4 };
  axes.arrow([0, 0], tip, look);
  const [x, y] = axes.at(tip);
  if (scene.byHand) p.circle([x, y], 8, { fill: colours.accent, fillOpacity: 0.25, stroke: colours.accent, width: 2 });
  p.text("w", [x + 8, y - 8], { size: 15, italic: true, serif: true, fill: look.stroke });
}

// What the picture shows, in words.
export function sliceWords(run, w, scene, cone = "cone", empty = "empty") {
  const pair = weightAxes(run, scene), member = Math.floor(pair[0] / run.width), rest = [];
  for (let j = member * run.width; j < (member + 1) * run.width; j++) if (!pair.includes(j)) rest.push(`${weightName(run, j)} = ${fmt(w[j], 3)}`);
  const found = rest.length ? t("slice", { rest: rest.slice(0, 3).join(", ") + (rest.length > 3 ? ", …" : "") }) : "";
  return [found, scene.show.proof ? t(scene.regionEmpty ? empty : cone) : ""].filter(Boolean).join(" · ");
}
