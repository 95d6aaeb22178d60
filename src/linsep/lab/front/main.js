// The page: reads its content, makes the player, and keeps the state in the address.
import { Editor } from "./editor.js";
import { ExerciseHost } from "./exercise.js";
import { exportMenu, lookState, readAddress, writeAddress } from "./exports.js";
import { lookButtons } from "./look.js";
import { Player } from "./player.js";
import { ruleName, setLanguage, t } from "./text.js";
import { startView } from "./view.js";
import { el } from "./words.js";

function makeTop(player, title, middle, rewrite) {
  const viewGroup = el("div", { class: "group" }), name = el("span", { class: "name" }), menu = exportMenu(player);
  const toggle = (key, on, change) => { const button = el("button", { type: "button", class: "toggle", "data-toggle": key, onclick: () => { change(); write(); } }); button.refresh = () => { button.textContent = t(key); button.setAttribute("aria-pressed", String(Boolean(on()))); button.hidden = button.parentNode === viewGroup && !(player.scenes[0]?.kind.toggles ?? []).includes(key); }; return button; };
  const shown = (key) => () => player.scenes[0]?.show[key], flip = (key) => () => { const value = !player.scenes[0].show[key]; player.show[key] = value; player.scenes.forEach((scene) => (scene.show[key] = value)); player.schedule(); };
  const views = [toggle("hulls", shown("hulls"), flip("hulls")), toggle("strip", shown("strip"), flip("strip")), toggle("numbers", shown("numbers"), flip("numbers")),
    toggle("hand", () => player.scenes[0]?.byHand, () => player.scenes.forEach((scene) => scene.setByHand(!scene.byHand)))];
  viewGroup.append(...views);
  const looks = lookButtons((change) => { player.setLook(change); if (change.lang) rewrite(); write(); });
  const share = el("button", { type: "button", class: "toggle", "data-toggle": "share", onclick: async () => { await navigator.clipboard?.writeText(location.href).catch(() => {}); share.textContent = t("copied"); setTimeout(() => write(), 1500); } });
  const write = (all = true) => {
    for (const button of [...views, ...looks]) button.refresh();
    if (!all) return;
    name.textContent = title() || t("lab");
    share.textContent = t("share"); share.hidden = location.protocol === "about:"; menu.write(); // a frame has no address
    player.bar.title = t("keys");
  };
  player.top.replaceChildren(el("div", { class: "brand" }, el("span", { class: "mark", "aria-hidden": "true" }), name), middle ?? "", viewGroup, el("div", { class: "group looks" }, share, menu.box, ...looks));
  return write;
}

function startLab() {
  const root = document.getElementById("lab"), content = JSON.parse(document.getElementById("content").textContent), state = readAddress();
  if (content.view) { startView(root, content); return; }
  setLanguage(state.lang ?? (navigator.language?.startsWith("cs") ? "cs" : "en"));
  const player = new Player(root);
  player.setLook({ theme: ["dark", "light"].includes(state.theme) ? state.theme : undefined, projector: state.projector === "1" });
  player.alone = !content.live; // without Python nothing is computed again
  window.linsepLab = player; // for benchmarks and tests
  let editor = null, exercise = null, middle = null;
  if (content.live) { editor = new Editor(player, content.live); middle = editor.controls; }
  const recordings = content.exercise ? content.exercise.recordings : content.recordings;
  if (content.exercise && recordings.length > 1) {
    const choose = el("select", { onchange: () => { player.setRecordings([recordings[Number(choose.value)]], [content.codes[Number(choose.value)]]); exercise.begin(); } }, ...recordings.map((each, k) => el("option", { value: k }, ruleName(each.rule.catalogue ?? each.rule.name))));
    middle = el("div", { class: "live" }, el("label", {}, t("rule"), choose));
  }
  const title = () => content.exercise?.title || recordings?.[0]?.title || "", rewrite = () => { editor?.write(); exercise?.write(); };
  const write = makeTop(player, title, middle, rewrite);
  const keep = () => { clearTimeout(player.keeping); player.keeping = setTimeout(() => writeAddress({ ...lookState(player), ...(editor ? editor.state() : {}) }), 150); write(false); };
  try {
    if (editor && recordings) editor.adopt(recordings, content.codes);
    else if (editor) { editor.restore(state); player.wanted = Number(state.step) || 0; }
    else player.setRecordings(content.exercise ? recordings.slice(0, 1) : recordings, content.codes);
  } catch (error) { player.say(t("badrecording", { why: error.message }), true); return; }
  if (content.exercise) { exercise = new ExerciseHost(player, content.exercise); player.stage.before(exercise.panel); exercise.begin(); }
  else if (!editor) player.go(Number(state.step) || 0);
  player.listeners.push(() => { if (player.wanted && player.frames > 1 && player.scenes[0]?.run.T) { const step = player.wanted; player.wanted = 0; player.go(step); } keep(); });
  addEventListener("hashchange", () => { const now = readAddress(); player.setLook({ theme: now.theme ?? null, projector: now.projector === "1", lang: now.lang ?? "en" }); if (editor) { player.wanted = Number(now.step) || 0; editor.restore(now); } else if (!exercise) player.go(Number(now.step) || 0); rewrite(); });
  write();
}

startLab();
