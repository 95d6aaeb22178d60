// What can be taken away as text: Python code that reproduces a recording, and its updates as CSV; as Python writes them.

function pythonFloat(value) { return Number.isInteger(value) && Math.abs(value) < 1e16 ? `${value}.0` : String(value).replace(/e\+/, "e"); }

function pythonString(said) { return JSON.stringify(said).replace(/[\u007f-\u009f\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`); }

function pythonLiteral(value) {
  if (value === null) return "None";
  if (value === true || value === false) return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return pythonString(value);
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  if (!/^[A-Z]\w*$/.test(value.name)) throw new Error("rule");
  const inside = Object.entries(value.parameters).map(([key, each]) => { if (!/^[A-Za-z_]\w*$/.test(key)) throw new Error("parameter"); return `${key}=${pythonLiteral(each)}`; });
  return `${value.name}(${inside.join(", ")})`;
}

function namesOf(value) {
  if (Array.isArray(value)) return value.flatMap(namesOf);
  return value && typeof value === "object" ? [value.name, ...Object.values(value.parameters).flatMap(namesOf)] : [];
}

function pythonRows(X) { return `[${X.map((x) => `[${x.map(pythonFloat).join(", ")}]`).join(", ")}]`; }

function pythonLabel({ classes }, k) { return typeof classes[k] === "number" ? String(classes[k]) : pythonString(String(classes[k])); }

function ladderCode({ data, rungs, chosen_eta: eta }) {
  const names = [...new Set(rungs.flatMap(({ classifier }) => namesOf(classifier)))].sort();
  return [
    `from linsep import ${names.join(", ")}`, "from linsep.lab import record_risk", "from linsep.risk import StructuralRisk", "", `X = ${pythonRows(data.X)}`, `y = [${data.y.map((k) => pythonLabel(data, k)).join(", ")}]`,
    `model = StructuralRisk([${rungs.map(({ name, classifier }) => `(${pythonString(name)}, ${pythonLiteral(classifier)})`).join(", ")}], eta=${pythonFloat(Number(eta))})`, "recording = record_risk(model, X, y)", 'print(recording.content["sentence"])', "",
  ].join("\n");
}

function ladderCsv({ rungs, N, eta, bound }) {
  const lines = ["rung,h,empirical,cross_validated,N,eta,bound"];
  rungs.forEach((rung, k) => N.forEach((n, i) => eta.forEach((e, j) => lines.push(`"${rung.name.replaceAll('"', '""')}",${rung.h},${rung.empirical},${rung.cross_validated},${n},${e},${bound[k][i][j]}`))));
  return `${lines.join("\n")}\n`;
}

export function pythonCode(content) {
  if (content.format === "linsep risk") return ladderCode(content);
  const { data, rule } = content, described = { name: rule.name, parameters: rule.parameters }, names = [...new Set(namesOf(described))].sort();
  const words = content.decides.kind === "labelling", g = content.gaussians, moments = g && JSON.stringify(g.means) === JSON.stringify(data.X);
  const labels = data.y.map((k) => (words ? `[${k.map((each) => pythonLabel(data, each)).join(", ")}]` : pythonLabel(data, k)));
  return [
    `from linsep import ${names.join(", ")}`, "from linsep.lab import record", "",
    `X = ${words ? pythonLiteral(data.X) : pythonRows(data.X)}`, `y = [${labels.join(", ")}]`, ...(moments ? [`covariances = [${g.covariances.map(pythonRows).join(", ")}]`] : []), `rule = ${pythonLiteral(described)}`,
    `recording = record(rule, X, y${moments ? ", covariances=covariances" : ""}, max_updates=${Math.trunc(content.max_updates ?? 1000)})`, "for k in range(1, len(recording) + 1):", "    step = recording.step(k)",
    '    print(k, step["row"], step["w"])', 'for each in recording.content["certificates"]:', '    print(each["sentence"])', "",
  ].join("\n");
}

export function updatesCsv(content) {
  if (content.format === "linsep risk") return ladderCsv(content);
  const wide = ["w", "a", "rows", "points", "radii", "touching", "through", ...(content.decides.kind === "labelling" ? ["rival"] : [])];
  const { updates } = content, single = Object.keys(updates).filter((name) => !wide.includes(name)), count = updates.w.length;
  if (!count) return `${["number", ...single].join(",")}\n`;
  const wides = ["w", "a"].flatMap((name) => updates[name][0].map((_, j) => `${name}${j + 1}`)), lines = [["number", ...single, ...wides].join(",")];
  for (let k = 0; k < count; k++) lines.push([k + 1, ...single.map((name) => updates[name][k] ?? ""), ...updates.w[k], ...updates.a[k]].join(","));
  return `${lines.join("\n")}\n`;
}
