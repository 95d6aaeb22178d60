// How the page looks: light or dark, the projector's size, the language; each host redraws after a change.
import { getLanguage, setLanguage, t } from "./text.js";
import { el } from "./words.js";

export function applyLook({ theme, projector, lang }) {
  const { dataset } = document.documentElement;
  if (theme !== undefined) { if (theme) dataset.theme = theme; else delete dataset.theme; }
  if (projector !== undefined) { if (projector) dataset.projector = "1"; else delete dataset.projector; }
  if (lang !== undefined && lang !== getLanguage()) setLanguage(lang);
}

export function isDark() { const { theme } = document.documentElement.dataset; return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches; }

// The buttons of the looks; `change` takes what `applyLook` takes.
export function lookButtons(change) {
  const toggle = (key, on, next) => {
    const button = el("button", { type: "button", class: "toggle", "data-toggle": key, onclick: () => change(next()) });
    button.refresh = () => { button.textContent = t(key); button.setAttribute("aria-pressed", String(Boolean(on()))); };
    return button;
  };
  return [toggle("theme", isDark, () => ({ theme: isDark() ? "light" : "dark" })),
    toggle("projector", () => document.documentElement.dataset.projector, () => ({ projector: !document.documentElement.dataset.projector })),
    toggle("language", () => false, () => ({ lang: getLanguage() === "cs" ? "en" : "cs" }))];
}
