// Plane geometry: clipping, hulls, scales and ticks. Points are [x, y].

// The part of a convex polygon where a·x + b·y + c >= 0.
export function clipPolygon(polygon, a, b, c) {
  const found = [];
  for (let i = 0; i < polygon.length; i++) {
    const p = polygon[i], q = polygon[(i + 1) % polygon.length];
    const u = a * p[0] + b * p[1] + c, v = a * q[0] + b * q[1] + c;
    if (u >= 0) found.push(p);
    if ((u > 0 && v < 0) || (u < 0 && v > 0)) {
      const s = u / (u - v);
      found.push([p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])]);
    }
  }
  return found;
}

// The two ends of the line a·x + b·y + c = 0 on the border of a box, or null.
export function clipLine(box, a, b, c) {
  const corners = boxPolygon(box), ends = [];
  for (let i = 0; i < 4; i++) {
    const p = corners[i], q = corners[(i + 1) % 4];
    const u = a * p[0] + b * p[1] + c, v = a * q[0] + b * q[1] + c;
    if ((u >= 0) !== (v >= 0)) {
      const s = u / (u - v);
      ends.push([p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])]);
    }
  }
  return ends.length >= 2 ? [ends[0], ends[1]] : null;
}

export function boxPolygon([x0, x1, y0, y1]) { return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]; }

// The convex hull, counter-clockwise (Andrew).
export function convexHull(points) {
  const sorted = points.map((p) => [p[0], p[1]]).sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  if (sorted.length < 3) return sorted;
  const cross = (o, p, q) => (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
  const half = (list) => {
    const found = [];
    for (const p of list) {
      while (found.length >= 2 && cross(found[found.length - 2], found[found.length - 1], p) <= 0) found.pop();
      found.push(p);
    }
    found.pop();
    return found;
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

// A box around points, of the shape of the picture: equal units on both axes.
export function fitBox(points, ratio, pad = 0.12) {
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of points) {
    if (x < x0) x0 = x;
    if (x > x1) x1 = x;
    if (y < y0) y0 = y;
    if (y > y1) y1 = y;
  }
  if (!Number.isFinite(x0 + x1 + y0 + y1)) [x0, x1, y0, y1] = [0, 1, 0, 1];
  let width = Math.max(x1 - x0, 1e-9 * Math.max(Math.abs(x0), Math.abs(x1), 1e-3)) * (1 + 2 * pad);
  let height = Math.max(y1 - y0, 1e-9 * Math.max(Math.abs(y0), Math.abs(y1), 1e-3)) * (1 + 2 * pad);
  if (height < width * ratio) height = width * ratio; else width = height / ratio;
  const cx = (x0 + x1) / 2, cy = (y0 + y1) / 2;
  return [cx - width / 2, cx + width / 2, cy - height / 2, cy + height / 2];
}

// Round numbers between two others, about `count` of them.
export function roundTicks(low, high, count = 6) {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [];
  const power = 10 ** Math.floor(Math.log10(span / count));
  const unit = [1, 2, 5, 10].map((k) => k * power).find((k) => span / k <= count) ?? power * 10;
  const found = [];
  for (let k = Math.ceil(low / unit); k * unit <= high && found.length < 50; k++) found.push(k * unit);
  return found;
}

// The cells that lines cut a box into: convex polygons.
export function cutByLines(box, lines) {
  let cells = [boxPolygon(box)];
  for (const [a, b, c] of lines) {
    if (a === 0 && b === 0) continue;
    cells = cells.flatMap((cell) => [clipPolygon(cell, a, b, c), clipPolygon(cell, -a, -b, -c)]).filter((cell) => cell.length > 2);
    if (cells.length > 2000) break;
  }
  return cells;
}

export function centreOf(polygon) {
  let x = 0, y = 0;
  for (const p of polygon) { x += p[0]; y += p[1]; }
  return [x / polygon.length, y / polygon.length];
}

// Marching squares: segments of f = 0 on a grid of values, row by row from the lower left corner.
export function contour(values, columns, rows, box) {
  const [x0, x1, y0, y1] = box, segments = [];
  const at = (i, j) => [x0 + ((x1 - x0) * i) / (columns - 1), y0 + ((y1 - y0) * j) / (rows - 1)];
  for (let j = 0; j + 1 < rows; j++) {
    for (let i = 0; i + 1 < columns; i++) {
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]], ends = [];
      for (let k = 0; k < 4; k++) {
        const [p, q] = [corners[k], corners[(k + 1) % 4]];
        const u = values[p[1] * columns + p[0]], v = values[q[1] * columns + q[0]];
        if (u >= 0 !== v >= 0) {
          const s = u / (u - v), a = at(...p), b = at(...q);
          ends.push([a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])]);
        }
      }
      for (let k = 0; k + 1 < ends.length; k += 2) segments.push([ends[k], ends[k + 1]]);
    }
  }
  return segments;
}
