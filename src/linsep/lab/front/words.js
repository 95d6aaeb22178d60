// The formula of the current step with its numbers, and the certificate in words. Text nodes only.
import { subscript } from "./plane.js";
import { fmt, fmtBound, fmtVector, t } from "./text.js";

// An element with attributes and children; strings become text nodes.
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

export const line = (...parts) => el("div", { class: "line" }, ...parts);
export const math = (said) => el("span", { class: "math" }, said);
const signed = (v) => (v < 0 ? `(${fmt(v)})` : fmt(v));

function product(w, a) {
  const terms = w.map((v, j) => `${signed(v)}·${signed(a[j])}`);
  return terms.length <= 4 ? terms.join(" + ") : `${terms.slice(0, 3).join(" + ")} + …`;
}

function shorten(values) { return values.length <= 6 ? fmtVector(values) : `(${Array.from(values.slice(0, 5), (v) => fmt(v)).join(", ")}, …)`; }

// How beta is found, in the letters of the lectures.
function betaFormula(run) {
  const rule = run.ruleClass(), batch = run.parameter("batch", false);
  if (rule === "Relaxation") return batch ? "β = η,  a = Σ (b − ⟨w, aᵢ⟩) / |aᵢ|² · aᵢ" : "β = η (b − ⟨w, a⟩) / |a|²";
  if (rule === "Kozinec") return "β = k = min(1, (|w|² − ⟨w, a⟩) / |w − a|²),  α = 1 − k";
  if (rule === "LeastSquares" && run.parameter("method") === "lms") return "β = η(k) (b − ⟨w, a⟩)";
  if (rule === "LeastSquares" || rule === "GradientDescent") return "β = η,  a = −∇J(w)";
  return run.parameter("rate") === "1/k" ? "β = η(k) = 1/k" : "β = η";
}

export function formulaParts(run, frame) {
  if (!run.T) return [line(t("nosteps")), line(math(`w = ${run.members === 1 ? shorten(run.content.answer) : "…"}`))];
  if (frame === 0) return [line(t("beginning")), line(math(`w = ${shorten(run.content.start.slice(0, run.width))}`))];
  if (frame > run.T) return [line(t("final")), ...answerParts(run)];
  const at = (name) => run.number(name, frame), row = run.updates.row[frame - 1], a = run.updates.a[frame - 1], before = run.w(frame - 1), w = run.w(frame);
  const member = run.updates.member ? run.updates.member[frame - 1] : 0, parts = [];
  if (run.sides) { const [low, high] = run.sides[member]; parts.push(line(t("member", { k: member + 1, sides: t("against", { a: run.classes[high], b: low < 0 ? t("rest") : run.classes[low] }) }))); }
  const rival = run.updates.rival?.[frame - 1] ?? null, rows = run.rowsOf(frame);
  if (row >= 0) {
    const name = `x${subscript(row + 1)}`, other = rival === null ? null : run.kind === "machine" ? run.classes[rival] : `x${subscript(rival + 1)}`;
    parts.push(line(t("visited", { x: other === null ? name : t("violates", { a: run.kind === "machine" ? `${name} (${run.classes[run.y[row]]})` : name, b: other }) }), " · ", el("span", { class: "quiet" }, run.classes[run.y[row]])));
  } else parts.push(line(t(rows.length === run.n ? "all" : "rows", { n: rows.length || "?" })));
  const own = run.kind === "machine" ? null : before.slice(member * run.width, (member + 1) * run.width), plain = own && own.length === a.length;
  const wa = at("wa"), goal = at("goal"), lms = run.parameter("method") === "lms";
  if (row >= 0 && plain) parts.push(line(math(`⟨w, a⟩ = ${product(own, a)} = ${fmt(wa)}`)));
  else if (!Number.isNaN(wa) && row >= 0) parts.push(line(math(`⟨w, a⟩ = ${fmt(wa)}`)));
  if (!Number.isNaN(goal) && row >= 0) parts.push(line(el("span", { class: "quiet" }, t(lms ? "should" : "wrong", { goal: fmt(goal) }))));
  const value = at("value");
  if (!Number.isNaN(value)) parts.push(line(math(`J(w) = ${fmt(value)}`)));
  const alpha = at("alpha"), beta = at("beta");
  if (!(alpha === 1 && beta === 1)) parts.push(line(math(betaFormula(run)), el("span", { class: "quiet" }, `  α = ${fmt(alpha)}, β = ${fmt(beta)}`)));
  if (plain) {
    const now = w.slice(member * run.width, (member + 1) * run.width);
    const head = alpha === 1 && beta === 1 ? "w ← w + a" : alpha === 1 ? "w ← w + β a" : "w ← α w + β a";
    const left = alpha === 1 ? shorten(own) : `${fmt(alpha)} ${shorten(own)}`, right = beta === 1 ? shorten(a) : `${fmt(beta)} ${shorten(a)}`;
    parts.push(line(math(`${head} = ${left} + ${right}`)), line(math(`  = ${shorten(now)}`), " "));
  } else for (let k = 0; k < run.members; k++) {
    const [was, is] = [before, w].map((v) => v.slice(k * run.width, (k + 1) * run.width));
    if (was.some((v, j) => v !== is[j])) parts.push(line(math(`w${subscript(k + 1)}: ${shorten(was)} → ${shorten(is)}`)));
  }
  return parts;
}

function answerParts(run) {
  const w = run.content.answer, found = [];
  for (let k = 0; k < Math.min(run.members, 6); k++) found.push(line(math(`${run.members === 1 ? "w" : `w${subscript(k + 1)}`} = ${shorten(w.slice(k * run.width, (k + 1) * run.width))}`)));
  return found;
}

// The learned function in the variables of the data: of S0's lifting −0.12 − 1.5x + 3.12x².
export function polynomialWords(run, w) {
  if (!run.content.lift || run.kind !== "sign") return "";
  const sum = new Map(), add = (key, value) => sum.set(key, (sum.get(key) ?? 0) + value), names = run.data.columns;
  run.content.lift.functions.forEach((terms, j) => terms.forEach(([c, powers]) => add(powers.join(), w[j] * c)));
  add(new Array(names.length).fill(0).join(), w[run.d]);
  const power = (e) => (e > 1 ? String(e).replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]) : "");
  const named = [...sum].map(([key, value]) => { const e = key.split(",").map(Number); return { degree: e.reduce((s, v) => s + v, 0), name: e.map((v, j) => (v ? (names.length === 1 ? "x" : names[j]) + power(v) : "")).join(""), value }; });
  named.sort((p, q) => q.degree - p.degree);
  const largest = Math.max(...named.map((term) => Math.abs(term.value)));
  let said = "";
  for (const { name, value } of named.filter((term) => Math.abs(term.value) > 1e-12 * largest)) {
    const size = fmt(Math.abs(value)), sign = value < 0 ? (said ? " − " : "−") : said ? " + " : "";
    said += `${sign}${name && size === "1" ? "" : size}${name}`;
  }
  return said || "0";
}

// What the two points of the hulls prove: they are the nearest only where the answer is the best.
function pointWords(c) { return c.meet ? "meet" : c.status === "optimal" ? "nearest" : c.status === "eps-optimal" ? "nearesteps" : "bounding"; }

export function certificateParts(run, frame) {
  if (run.content.certificates.length > 1) return committeeParts(run);
  const c = run.certificate, parts = [];
  const good = ["optimal", "eps-optimal", "separated", "reached"].includes(c.status), bad = ["not separable", "impossible", "infeasible"].includes(c.status);
  parts.push(el("div", { class: `status ${good ? "good" : bad ? "bad" : ""}` }, el("span", { class: "badge", "aria-hidden": "true" }, good ? "✓" : bad ? "✕" : "…"), t(c.status)));
  const values = { n: c.size, lower: fmtBound(run.bound("lower"), false), upper: fmtBound(run.bound("upper"), true), v: c.violated ?? "?", k: Array.isArray(c.proof_rows) ? c.proof_rows.length : "?", C: c.C, reason: c.reason || "–" };
  if (c.kind === "ObjectiveCertificate") parts.push(line(t("saysoft", values)));
  else if (c.kind !== "MarginCertificate") parts.push(line(String(c.sentence))); // nothing is said of a margin
  else if (good) parts.push(line(t("saysep", values)));
  else if (bad) parts.push(line(t("saynot", values)));
  else parts.push(line(t("saybudget", values)));
  const bound = run.novikoff();
  if (good && Number.isFinite(bound)) parts.push(line(t("saynov", { n: fmt(Math.floor(bound + 1e-9), 6), k: c.updates })));
  if (Array.isArray(c.proof_points)) parts.push(line(el("span", { class: "quiet" }, t(pointWords(c), { gap: fmtBound(run.bound("upper") - run.bound("lower"), true, 2) }))));
  if (run.T) parts.push(line(el("span", { class: "quiet" }, t(run.content.complete ? "complete" : "budget"))));
  parts.push(el("details", {}, el("summary", {}, t("proof")), ...run.content.certificates.slice(0, 20).map((each) => el("p", {}, String(each.sentence)))));
  return parts;
}

// One line for each member of a committee: each is proved by itself.
function committeeParts(run) {
  const lines = run.content.certificates.slice(0, 15).map((c, k) => {
    const [low, high] = run.sides[k], sides = t("against", { a: run.classes[high], b: low < 0 ? t("rest") : run.classes[low] });
    return line(el("strong", {}, t(c.status)), " · ", t("member", { k: k + 1, sides }));
  });
  return [...lines, line(el("span", { class: "quiet" }, t(run.content.complete ? "complete" : "budget"))), el("details", {}, el("summary", {}, t("proof")), ...run.content.certificates.slice(0, 20).map((each) => el("p", {}, String(each.sentence))))];
}

// What a screen reader says of the picture.
export function describeFrame(run, frame, w) {
  const wrong = run.wrong(w).count, said = frame === 0 ? t("beginning") : frame > run.T ? t("final") : t("update", { k: frame, n: run.T });
  const row = frame >= 1 && frame <= run.T ? run.updates.row[frame - 1] : -1;
  return [said, row >= 0 ? t("visited", { x: `x${row + 1}` }) : "", run.members === 1 ? `w = ${shorten(w)}` : "", wrong ? t("wrongside", { n: wrong, all: run.n }) : t("right", { all: run.n })].filter(Boolean).join("; ");
}
