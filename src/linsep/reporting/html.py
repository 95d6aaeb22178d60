"""A report as one HTML file: no scripts, nothing is loaded from anywhere; light and dark, paper and phone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from . import figures, words
from .markup import Markup, join, tag

COLUMNS = 60  # of the data summary
CLASSES = 12  # of a confusion matrix
PAPER = 14  # columns of a table that a sheet of paper has room for; page.css
FEATURES = 40  # of the table of weights


def page(facts: dict[str, Any]) -> str:
    """The whole page."""
    style = Markup(Path(__file__).with_name("page.css").read_text(encoding="utf-8"))
    title = facts["title"]
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    head = join(
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", style),
    )
    body = tag("main", _top(facts), *(section for section in _sections(facts) if section is not None))
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'


def _top(facts: dict[str, Any]) -> Markup:
    errors, certificate = facts["errors"], facts["certificate"]
    check = certificate["check"]
    state = "holds" if check and check["holds"] else "WRONG" if check else "not checked"
    cards = [
        ("accuracy", words.percent(errors["accuracy"]), f"{errors['errors']} errors on {errors['rows']}"),
        ("always the largest class", words.percent(errors["largest_class"]), "would be right")
        if words.seen(facts)
        else ("95 % interval", " – ".join(f"{100 * v:.1f}" for v in errors["interval"]) + " %", "Clopper and Pearson"),
        ("certificate", state, certificate.get("status", "")),
    ]
    ranking = facts.get("ranking", [])
    if ranking:
        worst = min(ranking, key=lambda each: each["auc"])
        said = "area under ROC" if len(ranking) == 1 else f"lowest area: {worst['class']}"
        cards.insert(2, ("ranking", f"{worst['auc']:.4f}", said))
    return tag(
        "header", tag("p", "linsep report", class_="kicker"), tag("h1", facts["question"]),
        tag("p", facts["answer"], class_="answer"),
        tag("div", [_card(*card, bad=card[1] == "WRONG") for card in cards], class_="cards"),
    )  # fmt: skip


def _card(name: str, value: str, more: str, bad: bool) -> Markup:
    return tag(
        "div", tag("span", name, class_="name"), tag("strong", value), tag("span", more, class_="more"),
        class_="card bad" if bad else "card",
    )  # fmt: skip


def _sections(facts: dict[str, Any]) -> Iterable[Markup | None]:
    yield _certificate(facts["certificate"])
    yield _errors(facts)
    yield _scores(facts)
    yield _margins(facts)
    yield _weights(facts)
    yield _support(facts)
    yield _chance(facts)
    yield _data(facts["data"])
    yield _origin(facts)


def section(title: str, *inside: Any) -> Markup:
    """A part of the page."""
    return tag("section", tag("h2", title), *inside)


def figure(drawn: tuple[Markup, str] | None, legend: Any = None, title: str = "", wide: bool = False) -> Markup | None:
    """A picture with its words under it."""
    if drawn is None:
        return None
    svg, said = drawn
    head = tag("div", title, class_="title") if title else None
    return tag("figure", head, svg, legend, tag("figcaption", said), class_="wide" if wide else None)


def legend(names: Sequence[Any]) -> Markup:
    """Which colour is which."""
    keys = [tag("li", tag("span", class_=f"key c{k}"), name) for k, name in enumerate(names)]
    return tag("ul", keys, class_="legend")


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]], numbers: Sequence[int] = (), name: str = "") -> Markup:
    """A table that scrolls by itself; ``numbers`` are columns whose cells are."""
    tops = [tag("th", each, scope="col", class_="number" if k in numbers else None) for k, each in enumerate(head)]
    body = [
        tag("tr", [tag("td", each, class_="number" if k in numbers else None) for k, each in enumerate(row)])
        for row in rows
    ]
    inside = tag("table", tag("thead", tag("tr", tops)), tag("tbody", body))
    return tag("div", inside, class_="scroll", role="region", tabindex="0", aria_label=name or "table")


def more(summary: str, *inside: Any) -> Markup:
    """Something to be opened."""
    return tag("details", tag("summary", summary), *inside)


def _certificate(facts: dict[str, Any]) -> Markup:
    check = facts["check"]
    mark = "good" if check and check["holds"] else "bad" if check else "open"
    sentences = [tag("p", each, class_="quote") for each in facts["sentences"][:10]]
    left = len(facts["sentences"]) - 10
    rest = tag("p", f"… and {left} more.") if left > 0 else None
    drawn = figures.bounds(facts) if "lower" in facts else None
    numbers = None
    if facts["curve"]:
        rows = [
            [f"{x:g}", f"{low:.6g}", f"{high:.6g}"]
            for x, low, high in facts["curve"][:: max(1, len(facts["curve"]) // 20)]
        ]
        numbers = more("The curve in numbers", table([facts["counted"], "lower", "upper"], rows, (0, 1, 2)))
    return section(
        "What is proved",
        sentences,
        rest,
        tag("p", words.checked(facts), class_=f"verdict {mark}"),
        figure(drawn, legend(["lower bound", "upper bound"]) if facts["curve"] else None, wide=True),
        numbers,
    )


def _errors(facts: dict[str, Any]) -> Markup:
    found, judged = facts["errors"], facts["judged"]
    said = f"Counted on {judged['rows']} {judged['on']}."
    if words.seen(facts):
        said += " Expect more errors on new ones."
    per_class = [
        [each["class"], each["rows"], _share(each["recall"]), _share(each["precision"])] for each in found["classes"]
    ]
    matrix = _confusion(found["confusion"], [each["class"] for each in found["classes"]])
    classes = table(["class", "rows", "recall", "precision"], per_class[:100], (1, 2, 3), "errors by class")
    return section("Errors", tag("p", said), tag("div", matrix, classes, class_="beside"))


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _confusion(counts: list[list[int]], names: list[Any]) -> Markup:
    """The confusion matrix; of many classes the most frequent confusions."""
    if len(names) > CLASSES:
        pairs = [(n, names[i], names[j]) for i, row in enumerate(counts) for j, n in enumerate(row) if i != j and n]
        pairs.sort(key=lambda each: -each[0])
        rows = [[n, truth, said] for n, truth, said in pairs[:20]]
        return table(["rows", "class", "decided"], rows, (0,), "the most frequent confusions")
    corner = tag("tr", tag("th", "class \\ decided", scope="col"), [tag("th", each, scope="col") for each in names])
    body = []
    for k, (name, row) in enumerate(zip(names, counts, strict=True)):
        total = sum(row) or 1
        cells = [
            tag("td", n, class_="right" if j == k else "wrong" if n else "none", style=f"--share:{n / total:.3f}")
            for j, n in enumerate(row)
        ]
        body.append(tag("tr", tag("th", name, scope="row"), cells))
    inside = tag("table", tag("caption", "Confusion matrix: one row per true class, one column per decision"),
                 tag("thead", corner), tag("tbody", body), class_="confusion")  # fmt: skip
    return tag("div", inside, class_="scroll", role="region", tabindex="0", aria_label="confusion matrix")


def at_zero(facts: dict[str, Any]) -> tuple[tuple[float, float], tuple[float, float] | None] | None:
    """Where a two-class rule stands on its ROC curve and on that of precision and recall."""
    if "threshold" not in facts or not facts["ranking"]:
        return None
    rows, positives = facts["judged"]["rows"], facts["ranking"][0]["rows"]
    false = facts["threshold"]["false_positives"]
    hits = positives - facts["threshold"]["false_negatives"]
    precision = (hits / positives, hits / (hits + false)) if hits + false else None
    return (false / (rows - positives), hits / positives), precision


def _scores(facts: dict[str, Any]) -> Markup | None:
    if not facts.get("ranking"):
        return None
    ranking, rows, classes = facts["ranking"], facts["judged"]["rows"], facts["model"]["classes"]
    point = at_zero(facts)
    shown = sorted(ranking, key=lambda each: each["auc"])[: figures.CURVES]
    keys = legend([each["class"] for each in shown]) if len(ranking) > 1 else None
    note = None
    if len(ranking) > 1:
        note = (
            f"Each class against all others, by its score: the {len(shown)} of {len(ranking)} with the smallest area."
        )
    else:
        note = f"The score g(x) is positive on the side of {classes[1]}."
    if "judged_scores" in facts:
        note += f" From {facts['judged_scores']} rows, evenly spaced."
    pictures = [
        figure(figures.roc(ranking, point[0] if point else None), keys, "ROC curve"),
        figure(figures.precision_recall(ranking, rows, point[1] if point else None), keys, "Precision and recall"),
        figure(figures.threshold(facts["threshold"], classes), title="Error at each threshold")
        if "threshold" in facts
        else None,
        figure(figures.calibration(facts["calibration"]), title="Calibration") if "calibration" in facts else None,
    ]
    areas = [
        [each["class"], each["rows"], f"{each['auc']:.4f}", f"{each['average_precision']:.4f}"] for each in ranking
    ]
    head = ["class", "rows", "area under ROC", "average precision"]
    numbers = more("The areas in numbers", table(head, areas[:100], (1, 2, 3)))
    return section("Scores", tag("p", note), tag("div", pictures, class_="grid"), numbers, _calibration(facts))


def _calibration(facts: dict[str, Any]) -> Markup | None:
    if "calibration" not in facts:
        return None
    rows = [
        [f"{each['low']:.4g} to {each['high']:.4g}", each["rows"], f"{each['share']:.4f}",
         f"{each['interval'][0]:.4f} to {each['interval'][1]:.4f}"]
        for each in facts["calibration"]["groups"]
    ]  # fmt: skip
    return more("The calibration in numbers", table(["score", "rows", "share", "95 % interval"], rows, (1, 2, 3)))


def _margins(facts: dict[str, Any]) -> Markup | None:
    if "margins" not in facts:
        return None
    names = [each["class"] for each in facts["margins"]["classes"]]
    worst = facts["violators"]
    said = f"{worst['count']} rows are decided wrongly" + (
        f"; the {len(worst['rows'])} farthest on the wrong side, as they are in your table:" if worst["rows"] else "."
    )
    far = "distance" if facts["margins"]["what"] == "distance" else "lead"
    rows = table_of_rows(worst["rows"], {"row": "row", "class": "class", "decided": "decided", "distance": far})
    drawn = figure(figures.margins(facts["margins"]), legend(names) if len(names) > 1 else None, wide=True)
    return section("Margins, and the worst rows", drawn, tag("p", said), rows)


def table_of_rows(rows: list[dict[str, Any]], head: dict[str, str]) -> Markup | None:
    """Rows of the user's own table, with what is known of each in front."""
    if not rows:
        return None
    names = list(rows[0]["cells"])[:COLUMNS]
    lines = [
        [*(f"{row[key]:.4g}" if isinstance(row[key], float) else row[key] for key in head),
         *(words.cell(row["cells"].get(name)) for name in names)]
        for row in rows
    ]  # fmt: skip
    numbers = [k for k, key in enumerate(head) if key in ("row", "distance", "share")]
    wide = len(head) + len(names) > PAPER
    note = tag("p", f"On paper only the first {PAPER} columns are shown.", class_="paper") if wide else None
    return join(table([*head.values(), *names], lines, numbers, "rows of the table"), note)


def _weights(facts: dict[str, Any]) -> Markup | None:
    found = facts["weights"]
    formula = facts["formula"]
    if found is None and formula is None:
        return None
    inside: list[Any] = []
    if formula:
        inside += [tag("p", "The whole rule:"), tag("pre", "\n".join(formula))]
    if found:
        inside += [tag("p", words.weights(facts)), _bars(facts), _weights_in_numbers(facts)]
    return section("The rule", *inside)


def _bars(facts: dict[str, Any]) -> Markup:
    """The largest weights: bars to the left and to the right, their numbers, and what they do in the table's units."""
    rows = figures.weights(facts["weights"], facts["model"]["classes"])
    one = len(facts["weights"]["intercept"]) == 1
    largest = max((abs(weight) for _, weight, *_ in rows), default=0.0) or 1.0
    lines = []
    for name, weight, label, effect in rows:
        side = "bar plus" if weight >= 0 else "bar minus"
        bar = tag("span", class_=side, style=f"--size:{abs(weight) / largest:.3f}", aria_hidden="true")
        lines.append([name, bar, f"{weight:+.3g}", *([] if one else [label]), effect])
    head = ["feature", "", "weight", *([] if one else ["of class"]), "effect"]
    return table(head, lines, (2,), "the largest weights")


def _weights_in_numbers(facts: dict[str, Any]) -> Markup:
    """The weights of each class, the largest first."""
    found, classes = facts["weights"], facts["model"]["classes"]
    shown, one = found["features"][:FEATURES], len(found["intercept"]) == 1
    names = ["weight"] if one else [f"weight of {label}" for label in classes[:CLASSES]]
    rows = [
        [each["feature"], *(f"{w:+.4g}" for w in each["weights"][:CLASSES]),
         *([f"{each['effects'][0]:+.4g}"] if one else []), each["unit"]]
        for each in shown
    ]  # fmt: skip
    head = ["feature", *names, *(["effect", ""] if one else ["unit"])]
    largest = [f"the largest {FEATURES}"] * (found["count"] > FEATURES)
    first = [f"the first {CLASSES} classes"] * (not one and len(classes) > CLASSES)
    left = f" ({', '.join(largest + first)})" if largest or first else ""
    return more(f"The weights in numbers{left}", table(head, rows, range(1, len(names) + 1 + one), "weights"))


def _support(facts: dict[str, Any]) -> Markup | None:
    found = facts["support"]
    if found is None:
        return None
    rows = table_of_rows(found["rows"], {"row": "row", "class": "class", "share": "share of the proof"})
    title = "Rows that prove it" if found["zero_sum"] else "Support points"
    return section(title, tag("p", words.support(facts)), rows)


def _chance(facts: dict[str, Any]) -> Markup | None:
    inside: list[Any] = []
    if "stability" in facts:
        inside.append(tag("p", words.stability(facts["stability"])))
        runs = facts["stability"]["runs"]
        rows = [
            [k + 1, each["errors"], each["changed"], "–" if each["degrees"] is None else f"{each['degrees']:.3g}"]
            for k, each in enumerate(runs)
        ]
        if runs:
            inside.append(
                more(
                    "The refits in numbers",
                    table(["refit", "errors", "changed decisions", "degrees"], rows, (0, 1, 2, 3)),
                )
            )
    inside += [tag("p", each) for each in words.risk(facts["risk"], facts["model"]["classes"])]
    return section("Chance: order, seed, and new rows", *inside) if inside else None


def _data(data: dict[str, Any]) -> Markup:
    inside: list[Any] = [tag("p", data["said"])]
    if data.get("noticed"):
        inside.append(tag("ul", [tag("li", each) for each in data["noticed"][:50]], class_="noticed"))
    classes = [[each["class"], each["rows"], words.percent(each["share"])] for each in data["classes"][:100]]
    inside.append(table(["class", "rows", "share"], classes, (1, 2), "classes"))
    if data.get("columns"):
        columns = data["columns"]
        rows = [
            [each["name"], each["use"], each.get("missing", ""), words.column_words(each)] for each in columns[:COLUMNS]
        ]
        title = (
            f"The columns ({min(len(columns), COLUMNS)} of {len(columns)})" if len(columns) > COLUMNS else "The columns"
        )
        inside.append(more(title, table(["column", "becomes", "missing", "cells"], rows, (2,), "columns")))
    return section("The data", *inside)


def _origin(facts: dict[str, Any]) -> Markup:
    origin, data = facts["origin"], facts["data"]
    lines: list[tuple[str, Any]] = [("model", facts["model"]["estimator"])]
    if origin.get("command"):
        lines.append(("made by", tag("code", origin["command"])))
    if origin.get("report"):
        lines.append(("this report by", tag("code", origin["report"])))
    if data.get("sha256"):
        lines.append(("data, SHA-256", tag("code", data["sha256"])))
    lines.append(("versions", ", ".join(f"{name} {number}" for name, number in origin["versions"].items())))
    lines.append(("machine", origin["platform"]))
    return section("To reproduce", tag("dl", [(tag("dt", name), tag("dd", value)) for name, value in lines]))
