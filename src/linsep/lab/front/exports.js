// What can be taken away: frames (SVG, PNG), the recording (JSON, CSV), Python code, and a link to this scene.
import { encodeGif } from "./gif.js";
import { updatesCsv } from "./table.js";
import { getLanguage, t } from "./text.js";
import { el } from "./words.js";

export function download(name, content, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

export function exportSvg(name, drawn) { download(name, drawn, "image/svg+xml"); }

const MOST_FRAMES = 80, WIDEST = 900; // of an animation

// The whole run as a GIF, at the player's speed; of a long one every so many updates.
export async function makeGif(player) {
  const scene = player.scenes[0], { frames: all } = scene.run, count = Math.min(all, MOST_FRAMES), kept = scene.frame, pictures = [], wide = ["plane", "weights"].reduce((sum, name) => sum + scene.views[name].canvas.clientWidth + 16, -16);
  player.stop();
  for (let k = 0; k < count; k++) {
    scene.frame = Math.round((k * (all - 1)) / Math.max(count - 1, 1));
    const canvas = scene.toCanvas(Math.min(1, WIDEST / wide));
    pictures.push(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height));
    if (k % 8 === 0) { player.say(t("making", { k: k + 1, n: count })); await new Promise((done) => setTimeout(done)); }
  }
  scene.frame = kept;
  player.say("");
  player.schedule();
  const delay = Math.min(200, Math.max(4, Math.round(100 / player.rate())));
  return new Blob(encodeGif(pictures, pictures.map((_, k) => (k + 1 < count ? delay : 200))), { type: "image/gif" });
}

export function exportMenu(player) {
  const content = () => player.scenes[0].run.content;
  const items = [
    ["svg", () => exportSvg("frame.svg", player.scenes[0].toSvg())],
    ["png", () => player.scenes[0].toCanvas().toBlob((blob) => download("frame.png", blob))],
    ["gif", async () => download("animation.gif", await makeGif(player))],
    ["json", () => download("recording.json", JSON.stringify(content()), "application/json")],
    ["csv", () => download("updates.csv", updatesCsv(content()), "text/csv")],
    ["code", () => download("reproduce.py", player.scenes[0].code, "text/x-python")],
  ];
  const list = el("div", { class: "menu", role: "menu" }), summary = el("summary", {}), box = el("details", { class: "exports" }, summary, list);
  const write = () => { summary.textContent = t("exports"); list.replaceChildren(...items.map(([key, action]) => el("button", { type: "button", role: "menuitem", "data-export": key, onclick: () => { box.open = false; action(); } }, t(key)))); };
  summary.addEventListener("click", (event) => { if (player.locked) event.preventDefault(); }); // the answers are in what is exported
  box.addEventListener("toggle", () => { list.querySelector("[data-export=code]").disabled = !player.scenes[0]?.code; }); // Python is at work
  document.addEventListener("click", (event) => { if (!box.contains(event.target)) box.open = false; });
  return { box, write };
}

// --- state in the address ----------------------------------------------------------------------------------------------

export function readAddress() { return Object.fromEntries(new URLSearchParams(location.hash.slice(1))); }

export function writeAddress(state) {
  const found = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) if (value !== undefined && value !== null && value !== "" && value !== false) found.set(key, String(value));
  const hash = `#${found}`;
  if (hash !== location.hash && location.protocol !== "about:") try { history.replaceState(null, "", hash); } catch { /* a frame without an address */ }
  return hash;
}

export function lookState(player) { return { step: player.frame || undefined, lang: getLanguage() === "en" ? undefined : getLanguage(), theme: document.documentElement.dataset.theme, projector: document.documentElement.dataset.projector }; }

// Points as text: short, and exact.
export function packPoints({ X, y, classes }) {
  const said = X.map((x, i) => `${x.join(",")},${y[i]}`).join(";");
  return said.length <= 6000 ? `${classes.map(encodeURIComponent).join(",")}|${said}` : undefined;
}

export function unpackPoints(said) {
  const [names, points] = said.split("|"), classes = names.split(",").map(decodeURIComponent), X = [], y = [];
  for (const each of points.split(";")) { const cells = each.split(",").map(Number), k = cells.pop(); if (!cells.every(Number.isFinite) || !(k in classes)) throw new Error("points"); X.push(cells); y.push(k); }
  if (X.length > 5000 || X.some((x) => x.length !== X[0].length)) throw new Error("points");
  return { X, y, classes };
}
