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

export function pythonCode(content) {
  const { data, rule } = content, described = { name: rule.name, parameters: rule.parameters }, names = [...new Set(namesOf(described))].sort();
  const labels = data.y.map((k) => (typeof data.classes[k] === "number" ? String(data.classes[k]) : pythonString(String(data.classes[k]))));
  return [
    `from linsep import ${names.join(", ")}`, "from linsep.lab import record", "",
    `X = [${data.X.map((x) => `[${x.map(pythonFloat).join(", ")}]`).join(", ")}]`, `y = [${labels.join(", ")}]`, `rule = ${pythonLiteral(described)}`,
    `recording = record(rule, X, y, max_updates=${Math.trunc(content.max_updates ?? 1000)})`, "for k in range(1, len(recording) + 1):", "    step = recording.step(k)",
    '    print(k, step["row"], step["w"])', 'for each in recording.content["certificates"]:', '    print(each["sentence"])', "",
  ].join("\n");
}

export function updatesCsv(content) {
  const { updates } = content, single = Object.keys(updates).filter((name) => !["w", "a", "rows", "points"].includes(name)), count = updates.w.length;
  if (!count) return `${["number", ...single].join(",")}\n`;
  const wides = ["w", "a"].flatMap((name) => updates[name][0].map((_, j) => `${name}${j + 1}`)), lines = [["number", ...single, ...wides].join(",")];
  for (let k = 0; k < count; k++) lines.push([k + 1, ...single.map((name) => updates[name][k] ?? ""), ...updates.w[k], ...updates.a[k]].join(","));
  return `${lines.join("\n")}\n`;
}
