// An exercise: questions one after the other, checked against the recording; the answers are exported as JSON.
import { download } from "./exports.js";
import { markerSize, subscript } from "./plane.js";
import { t } from "./text.js";
import { el } from "./words.js";

export class ExerciseHost {
  constructor(player, content) {
    this.player = player; this.content = content; this.questions = content.questions; this.at = 0;
    this.answers = this.questions.map(({ kind }) => ({ kind, attempts: [], right: false }));
    this.text = el("p", { class: "asked" }); this.verdict = el("p", { class: "verdict", role: "status", "aria-live": "polite" }); this.actions = el("div", { class: "row" }); this.heading = el("h2", {});
    this.panel = el("section", { class: "panel question" }, this.heading, this.text, this.actions, this.verdict);
    player.stage.addEventListener("click", (event) => this.click(event));
    player.listeners.push(() => this.watch());
  }

  get asked() { return this.questions[this.at]; }
  get open() { return this.at < this.questions.length && !this.answers[this.at].right && !this.answers[this.at].shown; }

  begin() {
    const scene = this.player.scenes[0], question = this.asked;
    this.player.locked = this.open;
    scene.hiddenProof = this.questions.some(({ kind }, k) => kind === "separable" && k >= this.at && !this.answers[k].shown);
    scene.appear();
    if (question?.kind === "next update") { scene.frame = this.player.frame = question.after; }
    if (question) this.player.go(question.kind === "next update" ? question.after : question.kind === "separable" ? 0 : this.player.frame);
    if (question?.kind === "separate by hand") { scene.draw(); scene.setByHand(true); }
    this.verdict.textContent = "";
    this.write();
  }

  write() {
    const done = this.at >= this.questions.length, results = el("button", { type: "button", "data-action": "results", onclick: () => this.results() }, t("results"));
    this.heading.textContent = done ? t("exercise") : t("question", { k: this.at + 1, n: this.questions.length });
    this.text.textContent = done ? t("done") : this.asked.text || t({ "next update": "qnext", "separate by hand": "qhand", separable: "qsep" }[this.asked.kind]);
    const buttons = [];
    if (!done && this.open && this.asked.kind === "separable") buttons.push(...["yes", "no"].map((key) => el("button", { type: "button", "data-action": key, onclick: () => this.guess(key === "yes") }, t(key))));
    if (!done && !this.open) buttons.push(el("button", { type: "button", class: "main", "data-action": "proceed", onclick: () => { this.at++; this.begin(); } }, t("proceed")));
    this.actions.replaceChildren(...buttons, ...(done || this.answers.some((each) => each.attempts.length) ? [results] : []));
  }

  judge(answer, right) {
    this.answers[this.at].attempts.push(answer);
    this.answers[this.at].right = right;
    this.verdict.textContent = right ? t("correct") : t("incorrect");
    this.verdict.classList.toggle("good", right);
    if (right) this.player.locked = false;
    this.write();
  }

  click(event) {
    const scene = this.player.scenes[0], { canvas, axes } = scene.views.plane;
    if (event.target !== canvas || !axes || !this.open || this.asked.kind !== "next update") return;
    let best = -1, least = markerSize(scene.run.n) + 12;
    scene.places.forEach((q, i) => { const [x, y] = axes.at(q), far = Math.hypot(x - event.offsetX, y - event.offsetY); if (far < least) { least = far; best = i; } });
    if (best < 0) return;
    const right = scene.run.updates.row[this.asked.after] === best;
    this.judge(`x${best + 1}`, right);
    if (right) this.player.go(this.asked.after + 1);
    else this.verdict.textContent = `x${subscript(best + 1)}: ${t("incorrect")}`;
  }

  guess(yes) {
    const { status } = this.player.scenes[0].run.certificate, separable = status !== "not separable";
    this.answers[this.at].shown = true;
    this.player.scenes[0].hiddenProof = false;
    this.player.scenes[0].appear();
    this.judge(yes ? "yes" : "no", yes === separable);
    this.player.locked = false;
    this.player.go(this.player.frames - 1);
    this.write();
  }

  watch() {
    if (this.at >= this.questions.length || !this.open || this.asked.kind !== "separate by hand") return;
    const scene = this.player.scenes[0];
    if (!scene.handW) return;
    const wrong = scene.run.wrong(scene.w).count;
    if (wrong) this.verdict.textContent = t("left", { n: wrong });
    else this.judge(scene.handW.slice(), true);
  }

  results() {
    const found = { format: "linsep answers", version: 1, title: this.content.title, answers: this.answers.map(({ kind, attempts, right }) => ({ kind, attempts, right })) };
    download("answers.json", JSON.stringify(found, null, 1), "application/json");
  }
}
