// The updates as CSV; as Python writes them.

function ladderCsv({ rungs, N, eta, bound }) {
  const lines = ["rung,h,empirical,cross_validated,N,eta,bound"];
  rungs.forEach((rung, k) => N.forEach((n, i) => eta.forEach((e, j) => lines.push(`"${rung.name.replaceAll('"', '""')}",${rung.h},${rung.empirical},${rung.cross_validated},${n},${e},${bound[k][i][j]}`))));
  return `${lines.join("\n")}\n`;
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
