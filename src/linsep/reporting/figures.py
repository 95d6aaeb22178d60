"""The figures of a report, each with its text alternative: what it shows, with its numbers, in words."""

from __future__ import annotations

import math
from typing import Any

from .markup import Markup
from .svg import Plot, interval

CURVES = 6  # classes in one figure


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def bounds(facts: dict[str, Any]) -> tuple[Markup, str] | None:
    """Both bounds against updates or passes; or, without a history, as they are now."""
    low, high, what = facts.get("lower"), facts.get("upper"), facts.get("quantity", "")
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return None
    best = "least cost" if what == "cost" else "largest possible margin"
    curve = facts["curve"]
    if not curve:
        meet = f"{low:.9g}" == f"{high:.9g}"
        said = f"The {best} is {low:.9g}." if meet else f"The {best} lies between {low:.9g} and {high:.9g}."
        return interval(low, high, "Bounds that are proved", said, ("at least", "at most")), said
    begin, end = curve[0][0], curve[-1][0]
    one, name = {"updates": ("update", "updates"), "pass": ("pass", "passes")}[facts["counted"]]
    said = (
        f"After {begin:g} {one if begin == 1 else name} the bounds were {curve[0][1]:.4g} and {curve[0][2]:.4g}; they "
        f"end at {low:.6g} and {high:.6g}. The {best} lies between them."
    )
    log = begin > 0 and end / begin > 100
    values = [v for _, *both in curve for v in both] + [low, high]
    spread = sorted(values)
    floor, ceiling = spread[len(spread) // 20], spread[-1 - len(spread) // 20]
    pad = 0.08 * (ceiling - floor) or 0.05 * abs(ceiling) or 1.0
    y_range = (min(floor, low) - pad, max(ceiling, high) + pad)
    plot = Plot((begin, end), y_range, width=620, log_x=log)
    clip = [[x, *(min(max(v, y_range[0]), y_range[1]) for v in both)] for x, *both in [*curve, [end, low, high]]]
    upper, lower = [[x, v] for x, _, v in clip], [[x, v] for x, v, _ in clip]
    plot.band([*upper, *lower[::-1]], "gap")
    plot.line(upper, "high")
    plot.line(lower, "low")
    plot.dot(end, high, "high", f"upper bound {high:.9g}")
    plot.dot(end, low, "low", f"lower bound {low:.9g}")
    return plot.svg("Bounds as learning went on", said, x=name, y=what), said


def roc(ranking: list[dict[str, Any]], at_zero: tuple[float, float] | None) -> tuple[Markup, str]:
    """The ROC curves."""
    shown = sorted(ranking, key=lambda each: each["auc"])[:CURVES]
    plot = Plot((0.0, 1.0), (0.0, 1.0))
    plot.line([[0, 0], [1, 1]], "chance")
    for k, each in enumerate(shown):
        plot.line(each["roc"], f"c{k}")
    if at_zero is not None:
        plot.dot(at_zero[0], at_zero[1], "c0", "the rule, at the threshold 0")
    areas = ", ".join(f"{each['class']} {each['auc']:.4f}" for each in shown)
    said = f"Area under the curve: {areas}."
    if at_zero is not None:
        said += f" The rule is at {_percent(at_zero[0])} false and {_percent(at_zero[1])} true positives."
    return plot.svg("ROC", said, x="false positives, share", y="true positives, share"), said


def precision_recall(ranking: list[dict[str, Any]], rows: int, at_zero: Any) -> tuple[Markup, str]:
    """The curves of precision against recall."""
    shown = sorted(ranking, key=lambda each: each["auc"])[:CURVES]
    plot = Plot((0.0, 1.0), (0.0, 1.0))
    for k, each in enumerate(shown):
        plot.line([[0.0, each["precision_recall"][0][1]], *each["precision_recall"]], f"c{k}")
    if len(shown) == 1:
        plot.horizontal(shown[0]["rows"] / rows, "chance")
    if at_zero is not None:
        plot.dot(at_zero[0], at_zero[1], "c0", "the rule, at the threshold 0")
    means = ", ".join(f"{each['class']} {each['average_precision']:.4f}" for each in shown)
    said = f"Average precision: {means}."
    return plot.svg("Precision and recall", said, x="recall", y="precision"), said


def threshold(facts: dict[str, Any], classes: list[Any]) -> tuple[Markup, str]:
    """The error against the threshold of the score."""
    points = facts["points"]
    cuts = sorted(x for x, _ in points)
    low, high = cuts[len(cuts) // 50], cuts[-1 - len(cuts) // 50]
    low, high = min(low, 0.0, facts["best_threshold"]), max(high, 0.0, facts["best_threshold"])
    inside = [point for point in sorted(points) if low <= point[0] <= high]
    plot = Plot((low, high), (0.0, max(y for _, y in inside) * 1.05 or 1.0))
    plot.line(inside, "c0")
    plot.vertical(0.0, "mark", "0: the rule")
    plot.dot(0.0, facts["error"], "c0", f"error {_percent(facts['error'])}")
    said = (
        f"At the threshold 0, {_percent(facts['error'])} of the rows are wrong: {facts['false_negatives']} of "
        f"{classes[1]} and {facts['false_positives']} of {classes[0]}. On these rows the threshold "
        f"{facts['best_threshold']:.4g} would make the fewest errors, {_percent(facts['best_error'])}; on others it "
        "need not."
    )
    return plot.svg("Error at each threshold", said, x="threshold of g(x)", y="errors", percent=True), said


def calibration(facts: dict[str, Any]) -> tuple[Markup, str]:
    """The share of hits in groups by score, with 95 % intervals, and Platt's sigmoid."""
    groups = facts["groups"]
    low, high = groups[0]["mean"], groups[-1]["mean"]
    pad = 0.05 * (high - low) or 1.0
    plot = Plot((low - pad, high + pad), (0.0, 1.0))
    width = high - low + 2 * pad
    curve = []
    for k in range(81):
        x = low - pad + width * k / 80
        z = facts["slope"] * x + facts["intercept"]
        curve.append([x, 1 / (1 + math.exp(-z)) if z > -700 else 0.0])
    plot.line(curve, "fit")
    for each in groups:
        a, b = each["interval"]
        plot.line([[each["mean"], a], [each["mean"], b]], "whisker")
        plot.dot(each["mean"], each["share"], "c0", f"{each['rows']} rows, share {each['share']:.3f}")
    first, last = groups[0], groups[-1]
    said = (
        f"By {facts['of']}: from {_percent(first['share'])} of the {first['rows']} rows with the lowest scores to "
        f"{_percent(last['share'])} of the {last['rows']} with the highest. Scores are no probabilities; the line is "
        f"1/(1 + exp(−({facts['slope']:.4g}·s {'+' if facts['intercept'] >= 0 else '−'} "
        f"{abs(facts['intercept']):.4g}))), fitted to these rows (Platt), with a Brier score of {facts['brier']:.4f}."
    )
    return plot.svg("Calibration", said, x="score", y="share of rows", percent=True), said


def margins(facts: dict[str, Any]) -> tuple[Markup, str]:
    """Histograms of the signed distances, stacked by class."""
    edges, classes = facts["edges"], facts["classes"]
    totals = [sum(each["counts"][k] for each in classes) for k in range(len(edges) - 1)]
    plot = Plot((edges[0], edges[-1]), (0.0, 1.08 * max(totals) or 1.0), width=620)
    base = [0] * len(totals)
    for c, each in enumerate(classes):
        for k, count in enumerate(each["counts"]):
            if count:
                plot.bar((edges[k], edges[k + 1]), (base[k], base[k] + count), f"fill c{c}")
                base[k] += count
    plot.vertical(0.0, "mark")
    if facts["margin"] is not None and facts["margin"] < edges[-1]:
        plot.vertical(facts["margin"], "mark dashed", "margin")
    what = {"distance": "signed distance from the border", "lead": "lead of the own class"}[facts["what"]]
    rows = sum(totals)
    said = (
        f"{facts['not_positive']} of {rows} rows are on the wrong side of 0"
        + (f"; the margin is {facts['margin']:.4g}" if facts["margin"] is not None else "")
        + ". The end bars hold all rows beyond them."
    )
    return plot.svg("How far rows are on their side", said, x=f"{what} (right side > 0)", y="rows"), said


def weights(facts: dict[str, Any], classes: list[Any], most: int = 16) -> list[tuple[str, float, Any, str]]:
    """The largest weights: feature, weight, the class whose weight it is, and its effect in units of the table."""
    rows = []
    for each in facts["features"][:most]:
        k = max(range(len(each["weights"])), key=lambda k: abs(each["weights"][k]))
        effect = each["unit"] if each["unit"] == "per 1" else f"{each['effects'][k]:+.3g} {each['unit']}"
        rows.append((each["feature"], each["weights"][k], classes[k] if len(each["weights"]) > 1 else None, effect))
    return rows
