// The engineers' view: the rows of a table as a model sees them, in the plane and as a histogram, and the rows that matter.
import { exportSvg, readAddress, writeAddress } from "./exports.js";
import { fitBox, roundTicks } from "./geometry.js";
import { applyLook, lookButtons } from "./look.js";
import { Axes, CanvasPainter, SvgPainter, themeColours } from "./paint.js";
import { markerSize } from "./plane.js";
import { pythonOf } from "./python.js";
import { fmt, getLanguage, setLanguage, t } from "./text.js";
import { el, line } from "./words.js";

const LISTS = ["violators", "support", "opposites"];

export class ViewPage {
  constructor(root, content, live) {
    this.content = content; this.python = pythonOf(live); this.chosen = 0;
    const { points } = content, listed = new Map();
    for (const name of LISTS) for (const each of content[name]?.rows ?? []) listed.set(each.row, name);
    this.points = points.row.map((row, k) => ({ row, at: [points.x[k], points.y[k]], klass: points.class[k], decided: points.decided[k], list: listed.get(row), sampled: k < content.drawn })).filter(({ at }) => Number.isFinite(at[0]));
    this.make(root);
    this.setColours();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.setColours());
  }

  make(root) {
    const view = (name, draw) => {
      const canvas = el("canvas", { role: "img" }), heading = el("h2", {}), caption = el("span", { class: "caption" });
      return { name, canvas, heading, caption, draw, figure: el("figure", { class: `view ${name}` }, el("figcaption", {}, heading, caption), canvas) };
    };
    this.views = [view("plane", (...given) => this.drawPoints(...given)), view("margins", (...given) => this.drawMargins(...given))];
    this.words = el("div", { class: "panel" }); this.card = el("div", { class: "panel card", "aria-live": "polite" }); this.tables = el("div", { class: "tables" });
    this.looks = lookButtons((change) => { applyLook(change); this.setColours(); });
    this.svg = el("button", { type: "button", class: "toggle", onclick: () => exportSvg("rows.svg", this.toSvg()) });
    const name = el("div", { class: "brand" }, el("span", { class: "mark", "aria-hidden": "true" }), el("span", { class: "name" }, this.content.estimator));
    root.replaceChildren(el("header", { class: "top" }, name, el("div", { class: "group looks" }, this.svg, ...this.looks)),
      el("main", { class: "rows" }, this.views[0].figure, el("div", { class: "words" }, this.words, this.card), this.views[1].figure, this.tables));
    root.classList.add("isview");
    const { canvas } = this.views[0];
    canvas.addEventListener("pointerdown", (event) => { const found = this.nearest(event.offsetX, event.offsetY); if (found) this.choose(found.row); });
    const observer = new ResizeObserver(() => this.schedule());
    for (const each of this.views) observer.observe(each.canvas);
  }

  setColours() { this.colours = themeColours(); this.write(); this.schedule(); writeAddress({ lang: getLanguage() === "en" ? undefined : getLanguage(), theme: document.documentElement.dataset.theme, projector: document.documentElement.dataset.projector, row: this.chosen || undefined }); }

  schedule() { this.pending ??= requestAnimationFrame(() => { this.pending = null; this.draw(); }); }

  draw() {
    for (const { canvas, draw } of this.views) {
      const width = canvas.clientWidth, height = canvas.clientHeight, dots = window.devicePixelRatio || 1;
      if (!width || !height) continue;
      canvas.width = Math.round(width * dots); canvas.height = Math.round(height * dots);
      const context = canvas.getContext("2d");
      context.setTransform(dots, 0, 0, dots, 0, 0);
      draw(new CanvasPainter(context, this.colours), width, height);
    }
  }

  // --- pictures -------------------------------------------------------------------------------------------------------

  colour(k) { return k < 0 ? this.colours.soft : this.colours.classes[k % 6]; }

  drawPoints(painter, width, height) {
    const { axes: named, margins } = this.content, r = markerSize(this.points.length), { colours } = painter;
    const [x0, x1] = fitBox([...this.points.map(({ at }) => [at[0], 0]), [0, 0]], 1e-4, 0.06), [, , y0, y1] = fitBox(this.points.map(({ at }) => [0, at[1]]), 1e4, 0.06);
    const axes = new Axes(painter, width, height, [x0, x1, y0, y1], { left: 46 });
    axes.grid((v) => fmt(v, 3));
    axes.clip();
    const upright = (x, look) => painter.line([axes.at([x, y0]), axes.at([x, y1])], look);
    upright(0, { stroke: colours.ink, width: 2 });
    if (margins?.margin && named.across === "distance") for (const side of [-1, 1]) upright(side * margins.margin, { stroke: colours.soft, width: 1.2, dash: [5, 4] });
    const kinds = new Map();
    for (const each of this.points) { const wrong = each.klass !== each.decided, key = `${each.klass} ${wrong}`; if (!kinds.has(key)) kinds.set(key, { klass: each.klass, wrong, at: [] }); kinds.get(key).at.push(axes.at(each.at)); }
    for (const { klass, wrong, at } of [...kinds.values()].sort((a, b) => a.wrong - b.wrong)) painter.markers(Math.max(klass, 0), at, r, { fill: this.colour(klass), opacity: wrong ? 1 : 0.55, ...(wrong ? { stroke: colours.ink, width: 1.2 } : {}) });
    for (const { at, list } of this.points) if (list) painter.circle(axes.at(at), r + 4, { stroke: list === "violators" ? colours.classes[1] : list === "support" ? colours.good : colours.accent, width: 1.8, dash: list === "opposites" ? [3, 2] : [] });
    const chosen = this.points.find(({ row }) => row === this.chosen);
    if (chosen) { painter.circle(axes.at(chosen.at), r + 8, { stroke: colours.accent, width: 3 }); const [x, y] = axes.at(chosen.at); painter.text(t("row", { k: chosen.row }), [Math.min(x + r + 12, width - 80), y], { size: 12.5, bold: true, fill: colours.accent, base: "middle" }); }
    painter.unclip();
    axes.names(t(`across_${named.across}`), t(named.across === "distance" ? "alongrest" : "alongall", { share: fmt(100 * named.share, 3) }));
    if (painter instanceof CanvasPainter) this.axes = axes;
    return axes;
  }

  // All judged rows, stacked by class; what is left of zero is on the wrong side.
  drawMargins(painter, width, height) {
    const { margins } = this.content, { colours } = painter;
    if (!margins) return null;
    const { edges, classes, margin } = margins, total = edges.slice(1).map((_, k) => classes.reduce((sum, each) => sum + each.counts[k], 0));
    const axes = new Axes(painter, width, height, [edges[0], edges[edges.length - 1], 0, Math.max(1, ...total) * 1.06], { left: 46 });
    axes.grid((v) => fmt(v, 4), undefined, roundTicks(0, Math.max(1, ...total), Math.max(2, height / 40)).filter(Number.isInteger));
    axes.clip();
    const base = total.map(() => 0);
    classes.forEach(({ counts }, which) => counts.forEach((count, k) => {
      if (!count) return;
      const corners = [[edges[k], base[k]], [edges[k + 1], base[k]], [edges[k + 1], base[k] + count], [edges[k], base[k] + count]];
      painter.polygon(corners.map((q) => axes.at(q)), { fill: this.colour(which), fillOpacity: 0.8, stroke: colours.paper, width: 0.6 });
      base[k] += count;
    }));
    const upright = (x, look) => painter.line([[axes.x(x), axes.top], [axes.x(x), axes.top + axes.height]], look);
    upright(0, { stroke: colours.ink, width: 1.6 });
    if (margin) upright(margin, { stroke: colours.soft, width: 1.2, dash: [5, 4] });
    painter.unclip();
    return axes;
  }

  toSvg() {
    const [{ canvas }, other] = this.views, painters = [canvas, other.canvas].map((each) => new SvgPainter(each.clientWidth, each.clientHeight, this.colours));
    painters[1].clips = 100;
    this.drawPoints(painters[0], canvas.clientWidth, canvas.clientHeight);
    this.drawMargins(painters[1], other.canvas.clientWidth, other.canvas.clientHeight);
    const whole = new SvgPainter(Math.max(painters[0].width, painters[1].width), painters[0].height + painters[1].height + 16, this.colours);
    whole.parts = [...painters[0].parts, `<g transform="translate(0 ${painters[0].height + 16})">${painters[1].parts.join("")}</g>`];
    return whole.toString();
  }

  nearest(x, y) {
    let best = null, least = markerSize(this.points.length) + 12;
    for (const each of this.points) { const [px, py] = this.axes.at(each.at), far = Math.hypot(px - x, py - y) - (each.list ? 1 : 0); if (far < least) { least = far; best = each; } }
    return best;
  }

  // --- words ----------------------------------------------------------------------------------------------------------

  write() {
    const { content } = this, { axes } = content;
    for (const each of this.looks) each.refresh();
    this.svg.textContent = t("svg");
    const said = content.drawn < content.of ? t("drawnsome", { n: content.drawn, all: content.of }) : t("drawnall", { all: content.of });
    const [plane, margins] = this.views;
    plane.heading.textContent = t("rowsplane"); plane.caption.textContent = said;
    margins.heading.textContent = t("marginsof", { all: content.of }); margins.figure.classList.toggle("absent", !content.margins);
    margins.caption.textContent = content.margins ? t("notpositive", { n: content.margins.not_positive, all: content.of }) : "";
    plane.canvas.setAttribute("aria-label", `${plane.heading.textContent}: ${said}`); margins.canvas.setAttribute("aria-label", `${margins.heading.textContent}: ${margins.caption.textContent}`);
    const chips = content.classes.slice(0, 12).map((name, k) => el("span", { class: "legend" }, el("span", { class: `chip class${(k % 6) + 1}`, "aria-hidden": "true" }, "×●■▲◆▼"[k % 6]), name));
    const carried = axes.carried.map(([name, weight]) => `${fmt(weight, 2)} ${name}`).join(", ");
    this.words.replaceChildren(el("h1", { class: "asked" }, content.question), line(content.answer), el("div", { class: "line" }, ...chips),
      line(el("span", { class: "quiet" }, t("ringed"))), carried ? line(el("span", { class: "quiet" }, t("carried", { list: carried }))) : "",
      line(el("span", { class: content.holds === false ? "wrong" : "" }, content.checked)), el("details", {}, el("summary", {}, t("proof")), ...content.sentences.map((each) => el("p", {}, each))));
    if (!this.chosen) this.card.replaceChildren(line(el("span", { class: "quiet" }, t("clickrow"))));
    this.tables.replaceChildren(...LISTS.map((name) => this.table(name)).filter(Boolean));
  }

  table(name) {
    const found = this.content[name];
    if (!found) return null;
    const { rows } = found, extra = { violators: ["class", "decided", "distance"], support: ["class", "share"], opposites: ["class", "group"] }[name];
    const words = { violators: t(found.count ? "violatorssaid" : "noviolators", { n: found.count, shown: rows.length, on: this.content.of }), support: t(found.zero_sum ? "zerosumsaid" : "supportsaid", { n: found.count, of: found.of, shown: rows.length }), opposites: found.groups ? t("oppositessaid", { n: found.count, groups: found.groups, lost: found.lost }) : t("noopposites") }[name];
    const columns = [...new Set(rows.flatMap(({ cells }) => Object.keys(cells)))].slice(0, 40), text = (value) => (typeof value === "number" ? fmt(value, 4) : String(value ?? "–"));
    const head = ["row", ...extra].map((key) => el("th", { scope: "col" }, t(key === "row" ? "therow" : key === "distance" && this.content.axes.across !== "distance" ? "col_lead" : `col_${key}`)));
    const body = rows.map((each) => el("tr", { "data-row": each.row, "aria-selected": String(each.row === this.chosen), onclick: () => this.choose(each.row) },
      el("td", {}, el("button", { type: "button", class: "rowbutton" }, String(each.row))), ...extra.map((key) => el("td", {}, text(each[key]))), ...columns.map((column) => el("td", { class: "cell" }, text(each.cells[column])))));
    return el("section", { class: `panel listed ${name}` }, el("h2", {}, t(name)), line(words),
      rows.length ? el("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": t(name) }, el("table", {}, el("thead", {}, el("tr", {}, ...head, ...columns.map((column) => el("th", { scope: "col", class: "cell" }, column)))), el("tbody", {}, ...body))) : "");
  }

  // A row was chosen, in the picture or in a table: its cells come from the file.
  async choose(row) {
    this.chosen = row;
    this.setColours();
    const found = this.points.find((each) => each.row === row), { classes } = this.content, asked = row;
    let cells;
    try {
      cells = await this.python({ row });
    } catch { cells = { error: t("unreachable") }; }
    if (this.chosen !== asked) return;
    const heading = el("h2", {}, t("row", { k: row })), name = (k) => classes[k] ?? "?";
    const place = found ? line(t("rowplace", { klass: name(found.klass), decided: name(found.decided), x: fmt(found.at[0], 4) }), found.klass === found.decided ? "" : el("strong", { class: "wrong" }, ` ${t("wrongrow")}`)) : "";
    this.card.replaceChildren(heading, place, cells.error ? line(el("strong", { class: "wrong" }, cells.error)) : el("dl", { class: "cells" }, ...Object.entries(cells.cells).flatMap(([key, value]) => [el("dt", {}, key), el("dd", {}, value)])));
  }
}

export function startView(root, content) {
  const state = readAddress();
  setLanguage(state.lang ?? (navigator.language?.startsWith("cs") ? "cs" : "en"));
  applyLook({ theme: ["dark", "light"].includes(state.theme) ? state.theme : undefined, projector: state.projector === "1" });
  const page = new ViewPage(root, content.view, content.live), row = Number(state.row);
  window.linsepView = page; // for tests
  if (Number.isInteger(row) && row > 0) page.choose(row);
}
