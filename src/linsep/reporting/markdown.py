"""A report as Markdown: the same words and tables; figures are there as their text alternatives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from . import figures, words
from .html import at_zero
from .markup import UNPRINTABLE

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$!])")


def plain(text: Any) -> str:
    r"""Text in which nothing is markup, in one line.

    >>> print(plain("a|b <i>*c*\nd"))
    a\|b \<i\>\*c\* d
    """
    return SPECIAL.sub(r"\\\1", " ".join(UNPRINTABLE.sub("\ufffd", str(text)).split())).replace("&", "&amp;")


def table(head: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """A table."""
    lines = [[plain(each) for each in head], ["---"] * len(head), *([plain(each) for each in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def text(facts: dict[str, Any]) -> str:
    """The whole report."""
    parts = [f"# {plain(facts['question'])}", plain(facts["answer"])]
    certificate = facts["certificate"]
    parts += ["## What is proved", *map(plain, certificate["sentences"][:10]), plain(words.checked(certificate))]
    if "lower" in certificate and (drawn := figures.bounds(certificate)) is not None:
        parts.append(plain(drawn[1]))
    parts += _errors(facts)
    parts += _scores(facts)
    if "violators" in facts:
        parts += ["## Margins, and the worst rows", plain(figures.margins(facts["margins"])[1])]
        head = {"row": "row", "class": "class", "decided": "decided", "distance": facts["margins"]["what"]}
        parts += _rows(facts["violators"]["rows"], head)
    parts += _rule(facts)
    if facts["support"] is not None:
        parts += ["## Support points", plain(words.support(facts))]
        parts += _rows(facts["support"]["rows"], {"row": "row", "class": "class", "share": "share"})
    chance = [words.stability(facts["stability"])] if "stability" in facts else []
    chance += words.risk(facts["risk"], facts["model"]["classes"])
    parts += ["## Chance: order, seed, and new rows", *map(plain, chance)] if chance else []
    return "\n\n".join([*parts, *_data(facts["data"]), *_origin(facts)]) + "\n"


def _errors(facts: dict[str, Any]) -> list[str]:
    found, judged = facts["errors"], facts["judged"]
    names = [each["class"] for each in found["classes"]]
    head = ["class", "rows", "recall", "precision"]
    rows = [
        [each[key] if not isinstance(each[key], float) else f"{each[key]:.4f}" for key in head]
        for each in found["classes"]
    ]
    parts = ["## Errors", plain(f"Counted on {judged['rows']} {judged['on']}."), table(head, rows)]
    if len(names) <= 20:
        matrix = [[name, *row] for name, row in zip(names, found["confusion"], strict=True)]
        parts.append(table(["class, decided:", *names], matrix))
    return parts


def _scores(facts: dict[str, Any]) -> list[str]:
    if not facts.get("ranking"):
        return []
    point = at_zero(facts)
    said = [
        figures.roc(facts["ranking"], point[0] if point else None)[1],
        figures.precision_recall(facts["ranking"], facts["judged"]["rows"], None)[1],
    ]
    if "threshold" in facts:
        said.append(figures.threshold(facts["threshold"], facts["model"]["classes"])[1])
    if "calibration" in facts:
        said.append(figures.calibration(facts["calibration"])[1])
    return ["## Scores", *map(plain, said)]


def _rows(rows: list[dict[str, Any]], head: dict[str, str]) -> list[str]:
    if not rows:
        return []
    names = list(rows[0]["cells"])[:20]
    lines = [
        [*(f"{row[key]:.4g}" if isinstance(row[key], float) else row[key] for key in head),
         *(words.cell(row["cells"].get(name)) for name in names)]
        for row in rows
    ]  # fmt: skip
    return [table([*head.values(), *names], lines)]


def _rule(facts: dict[str, Any]) -> list[str]:
    found, parts = facts["weights"], ["## The rule"]
    if facts["formula"]:
        parts += [plain(line) for line in facts["formula"]]
    if found:
        one = len(found["intercept"]) == 1
        parts.append(plain(words.weights(facts)))
        rows = [
            [each["feature"], *(f"{w:+.4g}" for w in each["weights"]),
             f"{each['effects'][0]:+.4g} {each['unit']}" if one else each["unit"]]
            for each in found["features"][:40]
        ]  # fmt: skip
        names = ["weight"] if one else [f"weight of {label}" for label in facts["model"]["classes"]]
        parts.append(table(["feature", *names, "effect"], rows))
    return parts if len(parts) > 1 else []


def _data(data: dict[str, Any]) -> list[str]:
    parts = ["## The data", plain(data["said"])]
    if data.get("noticed"):
        parts.append("\n".join(f"- {plain(each)}" for each in data["noticed"]))
    if data.get("columns"):
        rows = [
            [each["name"], each["use"], each.get("missing", ""), words.column_words(each)]
            for each in data["columns"][:60]
        ]
        parts.append(table(["column", "becomes", "missing", "cells"], rows))
    return parts


def _origin(facts: dict[str, Any]) -> list[str]:
    origin, data = facts["origin"], facts["data"]
    lines = [f"- model: {plain(facts['model']['estimator'])}"]
    lines += [f"- made by: {plain(origin['command'])}"] if origin.get("command") else []
    lines += [f"- this report by: {plain(origin['report'])}"] if origin.get("report") else []
    lines += [f"- data, SHA-256: {data['sha256']}"] if data.get("sha256") else []
    versions = ", ".join(f"{name} {number}" for name, number in origin["versions"].items())
    return ["## To reproduce", "\n".join([*lines, f"- versions: {plain(versions)}; {plain(origin['platform'])}"])]
