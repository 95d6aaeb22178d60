"""A fitted estimator in a notebook: scikit-learn's diagram, and under it what was learned and what is proved."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

SHOWN = 6  # weights
STYLE = (
    "font:13px/1.5 system-ui,sans-serif;max-width:46rem;margin:.6em 0;padding:.6em .9em;border-left:3px solid #2f6b9a;"
    "background:rgba(128,128,128,.08);border-radius:0 6px 6px 0"
)


class Shown:
    """An estimator whose HTML has a compact form of its report, once it is fitted."""

    def _repr_html_inner(self) -> str:
        return super()._repr_html_inner() + summary(self)  # type: ignore[misc]

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += summary(self)
        return bundle


def summary(model: Any) -> str:
    """The certificates in words and the largest weights, as HTML; nothing of an estimator that is not fitted."""
    if not hasattr(model, "classes_"):
        return ""
    one = getattr(model, "certificate_", None)
    found = [one] if one is not None else list(getattr(model, "certificates_", ()))
    lines = [f"<p style='margin:.2em 0'>{html.escape(str(each))}</p>" for each in found[:3]]
    lines += [f"<p style='margin:.2em 0'>… and {len(found) - 3} more certificates.</p>"] if len(found) > 3 else []
    lines += _weights(model)
    return f"<div class='linsep-summary' style='{STYLE}'>{''.join(lines)}</div>" if lines else ""


def _weights(model: Any) -> list[str]:
    """The largest weights of two classes, as bars."""
    coef = getattr(model, "coef_", None)
    if not isinstance(coef, np.ndarray) or coef.ndim != 2 or len(coef) != 1 or not coef.any():
        return []
    given = getattr(model, "feature_names_in_", None)
    if hasattr(model, "lift_") and hasattr(model.lift_, "get_feature_names_out"):
        given = model.lift_.get_feature_names_out()
    names = given if given is not None and len(given) == coef.shape[1] else [f"x{k + 1}" for k in range(coef.shape[1])]
    order = np.argsort(-np.abs(coef[0]), kind="stable")[:SHOWN]
    largest = float(np.abs(coef).max())
    rows = []
    for k in order:
        w = float(coef[0, k])
        colour = "#c8702d" if w > 0 else "#2f6b9a"
        width = f"width:{8 * abs(w) / largest:.2f}em"
        bar = f"<span style='display:inline-block;height:.7em;{width};background:{colour}'></span>"
        rows.append(
            f"<tr><td style='text-align:left'>{html.escape(str(names[k]))}</td>"
            f"<td style='text-align:right'>{w:+.4g}</td>"
            f"<td style='text-align:left'>{bar}</td></tr>"
        )
    sides = f"positive: {html.escape(str(model.classes_[1]))}, negative: {html.escape(str(model.classes_[0]))}"
    caption = f"<caption style='text-align:left'>largest weights ({sides})</caption>"
    return [f"<table style='margin:.4em 0'>{caption}{''.join(rows)}</table>"]
