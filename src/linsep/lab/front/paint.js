import { roundTicks } from "./geometry.js";
// One set of drawing commands, two painters: a canvas for the screen, SVG for export. Coordinates are CSS pixels.

export function themeColours() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  return {
    ink: read("--ink"), soft: read("--soft"), faint: read("--faint"), grid: read("--grid"), paper: read("--paper"), accent: read("--accent"), good: read("--good"),
    classes: [1, 2, 3, 4, 5, 6].map((k) => read(`--class${k}`)), scale: Number(read("--scale")) || 1,
    sans: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif', serif: '"STIX Two Text", "Cambria Math", Cambria, Georgia, "Noto Serif", serif',
  };
}

// Shapes of the classes, so that colour is never the only sign: cross, circle, square, triangle, diamond, inverted triangle.
const SHAPES = [
  (r) => { const s = r * 1.12, h = r * 0.5; return [[-s, -s + h], [-s + h, -s], [0, -h], [s - h, -s], [s, -s + h], [h, 0], [s, s - h], [s - h, s], [0, h], [-s + h, s], [-s, s - h], [-h, 0]]; },
  null,
  (r) => [[-r * 0.86, -r * 0.86], [r * 0.86, -r * 0.86], [r * 0.86, r * 0.86], [-r * 0.86, r * 0.86]],
  (r) => [[0, -r * 1.12], [r * 1.03, r * 0.76], [-r * 1.03, r * 0.76]],
  (r) => [[0, -r * 1.15], [r * 1.15, 0], [0, r * 1.15], [-r * 1.15, 0]],
  (r) => [[0, r * 1.12], [r * 1.03, -r * 0.76], [-r * 1.03, -r * 0.76]],
];

export class CanvasPainter {
  constructor(context, colours) { this.c = context; this.colours = colours; }
  stroke({ stroke, width = 1, dash = [], opacity = 1 }) {
    const { c } = this;
    c.globalAlpha = opacity; c.strokeStyle = stroke; c.lineWidth = width; c.setLineDash(dash); c.lineJoin = "round"; c.lineCap = "round"; c.stroke(); c.globalAlpha = 1;
  }
  fill({ fill, opacity = 1 }) { this.c.globalAlpha = opacity; this.c.fillStyle = fill; this.c.fill(); this.c.globalAlpha = 1; }
  path(points, close) {
    const { c } = this;
    c.beginPath();
    points.forEach(([x, y], k) => (k ? c.lineTo(x, y) : c.moveTo(x, y)));
    if (close) c.closePath();
  }
  line(points, look) { if (points.length > 1) { this.path(points, false); this.stroke(look); } }
  segments(list, look) {
    this.c.beginPath();
    for (const [p, q] of list) { this.c.moveTo(...p); this.c.lineTo(...q); }
    this.stroke(look);
  }
  polygon(points, look) {
    if (points.length < 2) return;
    this.path(points, true);
    if (look.fill) this.fill({ fill: look.fill, opacity: look.fillOpacity ?? look.opacity });
    if (look.stroke) this.stroke(look);
  }
  circle([x, y], r, look) {
    this.c.beginPath(); this.c.arc(x, y, Math.max(r, 0), 0, 2 * Math.PI);
    if (look.fill) this.fill({ fill: look.fill, opacity: look.fillOpacity ?? look.opacity });
    if (look.stroke) this.stroke(look);
  }
  marker(kind, [x, y], r, look) {
    const shape = SHAPES[(this.colours.marks?.[kind] ?? kind) % SHAPES.length];
    if (shape) this.polygon(shape(r).map(([dx, dy]) => [x + dx, y + dy]), look);
    else this.circle([x, y], r, look);
  }
  // Many markers of one kind: drawn once, then copied, so that a frame of 2,000 points stays cheap.
  markers(kind, points, r, look) {
    const size = Math.ceil(2 * r + 4), dots = this.c.getTransform().a, sprite = document.createElement("canvas");
    sprite.width = sprite.height = Math.ceil(size * dots);
    const context = sprite.getContext("2d");
    context.scale(dots, dots);
    new CanvasPainter(context, this.colours).marker(kind, [size / 2, size / 2], r, look);
    const side = sprite.width / dots;
    for (const [x, y] of points) this.c.drawImage(sprite, x - size / 2, y - size / 2, side, side);
  }
  text(said, [x, y], { size = 12, fill = this.colours.ink, align = "left", base = "alphabetic", italic = false, serif = false, bold = false, halo = true } = {}) {
    const { c } = this;
    c.font = `${italic ? "italic " : ""}${bold ? "600 " : ""}${size * this.colours.scale}px ${serif ? this.colours.serif : this.colours.sans}`;
    c.textAlign = align; c.textBaseline = base; c.setLineDash([]);
    if (halo) { c.lineJoin = "round"; c.lineWidth = 3; c.strokeStyle = this.colours.paper; c.globalAlpha = 0.85; c.strokeText(said, x, y); c.globalAlpha = 1; }
    c.fillStyle = fill; c.fillText(said, x, y);
  }
  // What does not change from frame to frame: drawn once, then copied.
  layer(kept, key, width, height, draw) {
    const dots = this.c.getTransform().a;
    if (kept.key !== key || kept.dots !== dots || kept.colours !== this.colours || kept.width !== width || kept.height !== height) {
      const canvas = document.createElement("canvas");
      canvas.width = Math.ceil(width * dots); canvas.height = Math.ceil(height * dots);
      const context = canvas.getContext("2d");
      context.scale(dots, dots);
      draw(new CanvasPainter(context, this.colours));
      Object.assign(kept, { canvas, key, dots, width, height, colours: this.colours });
    }
    this.c.drawImage(kept.canvas, 0, 0, kept.canvas.width / dots, kept.canvas.height / dots);
  }
  clip(x, y, width, height) { this.c.save(); this.c.beginPath(); this.c.rect(x, y, width, height); this.c.clip(); }
  unclip() { this.c.restore(); }
}

export function escapeXml(said) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return String(said).replace(/[&<>"']/g, (letter) => names[letter]).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "");
}

export class SvgPainter {
  constructor(width, height, colours) { this.parts = []; this.width = width; this.height = height; this.colours = colours; this.clips = 0; }
  n(value) { return Number(value.toFixed(2)); }
  d(points, close) { return points.map(([x, y], k) => `${k ? "L" : "M"}${this.n(x)} ${this.n(y)}`).join("") + (close ? "Z" : ""); }
  look({ fill = "none", stroke = "none", width = 1, dash = [], opacity = 1, fillOpacity }) {
    const dashed = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "";
    const inside = fill === "none" ? "" : ` fill-opacity="${fillOpacity ?? opacity}"`;
    return ` fill="${escapeXml(fill)}"${inside} stroke="${escapeXml(stroke)}" stroke-width="${width}" stroke-opacity="${opacity}" stroke-linejoin="round" stroke-linecap="round"${dashed}`;
  }
  line(points, look) { if (points.length > 1) this.parts.push(`<path d="${this.d(points, false)}"${this.look({ ...look, fill: "none" })}/>`); }
  segments(list, look) { this.parts.push(`<path d="${list.map((pair) => this.d(pair, false)).join("")}"${this.look({ ...look, fill: "none" })}/>`); }
  polygon(points, look) { if (points.length > 1) this.parts.push(`<path d="${this.d(points, true)}"${this.look(look)}/>`); }
  circle([x, y], r, look) { this.parts.push(`<circle cx="${this.n(x)}" cy="${this.n(y)}" r="${this.n(Math.max(r, 0))}"${this.look(look)}/>`); }
  marker(kind, at, r, look) { CanvasPainter.prototype.marker.call(this, kind, at, r, look); }
  markers(kind, points, r, look) { for (const at of points) this.marker(kind, at, r, look); }
  layer(kept, key, width, height, draw) { draw(this); }
  text(said, [x, y], { size = 12, fill = this.colours.ink, align = "left", base = "alphabetic", italic = false, serif = false, bold = false } = {}) {
    const anchor = { left: "start", center: "middle", right: "end" }[align], drop = { alphabetic: 0, middle: 0.35, top: 0.8, bottom: -0.2 }[base] * size * this.colours.scale;
    const font = `font-family="${escapeXml(serif ? this.colours.serif : this.colours.sans)}" font-size="${size * this.colours.scale}"${italic ? ' font-style="italic"' : ""}${bold ? ' font-weight="600"' : ""}`;
    this.parts.push(`<text x="${this.n(x)}" y="${this.n(y + drop)}" text-anchor="${anchor}" fill="${escapeXml(fill)}" ${font}>${escapeXml(said)}</text>`);
  }
  clip(x, y, width, height) {
    const name = `c${this.clips++}`;
    this.parts.push(`<clipPath id="${name}"><rect x="${this.n(x)}" y="${this.n(y)}" width="${this.n(width)}" height="${this.n(height)}"/></clipPath><g clip-path="url(#${name})">`);
  }
  unclip() { this.parts.push("</g>"); }
  toString() {
    const size = `width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect width="100%" height="100%" fill="${escapeXml(this.colours.paper)}"/>${this.parts.join("")}</svg>`;
  }
}

// A frame of axes: data coordinates to pixels, grid and numbers.
export class Axes {
  constructor(painter, width, height, box, { left = 34, right = 8, top = 8, bottom = 24, ratio = false } = {}) {
    const s = painter.colours.scale;
    this.p = painter; this.left = left * s; this.top = top; this.width = Math.max(width - left * s - right, 10); this.height = Math.max(height - top - bottom * s, 10); this.box = box;
  }
  static ratio(width, height, scale) { return Math.max(height - 8 - 24 * scale, 10) / Math.max(width - 8 - 34 * scale, 10); }
  x(value) { return this.left + ((value - this.box[0]) / (this.box[1] - this.box[0])) * this.width; }
  y(value) { return this.top + (1 - (value - this.box[2]) / (this.box[3] - this.box[2])) * this.height; }
  at([x, y]) { return [this.x(x), this.y(y)]; }
  back([px, py]) { return [this.box[0] + ((px - this.left) / this.width) * (this.box[1] - this.box[0]), this.box[2] + (1 - (py - this.top) / this.height) * (this.box[3] - this.box[2])]; }
  grid(format, xs, ys) {
    const { p } = this, { colours } = p;
    xs ??= roundTicks(this.box[0], this.box[1], Math.max(2, this.width / 90)); ys ??= roundTicks(this.box[2], this.box[3], Math.max(4, this.height / 50));
    const segments = [...xs.map((v) => [[this.x(v), this.top], [this.x(v), this.top + this.height]]), ...ys.map((v) => [[this.left, this.y(v)], [this.left + this.width, this.y(v)]])];
    p.segments(segments, { stroke: colours.grid, width: 1 });
    for (const v of xs) p.text(format(v), [this.x(v), this.top + this.height + 15 * colours.scale], { size: 11, fill: colours.soft, align: "center", halo: false });
    for (const v of ys) p.text(format(v), [this.left - 6, this.y(v)], { size: 11, fill: colours.soft, align: "right", base: "middle", halo: false });
  }
  clip() { this.p.clip(this.left, this.top, this.width, this.height); }
  names(x, y) {
    const { p } = this, { colours } = p;
    if (x) p.text(x, [this.left + this.width - 2, this.top + this.height - 6], { size: 12.5, fill: colours.soft, align: "right", italic: true, serif: true });
    if (y) p.text(y, [this.left + 6, this.top + 13 * colours.scale], { size: 12.5, fill: colours.soft, italic: true, serif: true });
  }
  arrow(from, to, look) {
    const [a, b] = [this.at(from), this.at(to)], length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (!(length > 1)) return;
    const u = [(b[0] - a[0]) / length, (b[1] - a[1]) / length], head = Math.min(9 + (look.width ?? 1), length * 0.6);
    const base = [b[0] - u[0] * head, b[1] - u[1] * head], side = head * 0.42;
    this.p.line([a, [b[0] - u[0] * head * 0.8, b[1] - u[1] * head * 0.8]], look);
    this.p.polygon([b, [base[0] - u[1] * side, base[1] + u[0] * side], [base[0] + u[1] * side, base[1] - u[0] * side]], { fill: look.stroke, opacity: look.opacity ?? 1 });
  }
}

