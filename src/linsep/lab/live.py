"""What a live page asks of Python, in the browser and in notebooks: recordings of the data that were drawn."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .presets import PRESETS, SUGGESTED

if TYPE_CHECKING:
    from .ladder import RiskLadder
    from .recording import Recording

MOST_BODY = 2_000_000  # bytes of a request, and of a file that is dropped
MOST_POINTS, MOST_STEPS, MOST_CLASSES, SECONDS = 2_000, 2_000, 6, 5.0
LADDER, LADDER_OPTIONS = "structural risk", {"degree": 5}  # not a rule: many, see `record_risk`
OwnRule = tuple[Any, int]  # an estimator, and its budget of updates


def drawing_content() -> dict[str, Any]:
    """Of the page on which points are drawn: presets, rules and limits."""
    from .rules import RULES

    rules = [{"name": name, **dict(zip(rule._fields[1:], rule[1:], strict=True))} for name, rule in RULES.items()]
    rules.append({"name": LADDER, "options": LADDER_OPTIONS, "many": False, "data": "points"})
    live = {"presets": PRESETS, "suggested": SUGGESTED, "rules": rules, "most": MOST_POINTS, "bytes": MOST_BODY}
    return {"live": live}


def record_all(asked: Any) -> str:
    """The recordings that were asked for, and their code, as JSON."""
    return with_code(make_recordings(asked))


def make_recordings(asked: Any, own: Mapping[str, OwnRule] = MappingProxyType({})) -> list[Recording | RiskLadder]:
    """The recordings that were asked for: {"X", "y", "columns", "rules": [{"rule", "options"}]}.

    A recording that comes from a file, {"recording": content}, is computed again and comes back. ``own`` are the user's
    rules by name, which are taken as they are; with options, the catalogue's rule of that name is.
    """
    from .ladder import FORMAT, RiskLadder
    from .recording import Recording
    from .verify import verify

    if isinstance(asked, dict) and isinstance(content := asked.get("recording"), dict):
        if content.get("format") == FORMAT:
            return [RiskLadder(content)]
        recording = Recording(content)
        verify(recording)
        return [recording]
    _check(asked)
    return [_make_one(each, asked, own) for each in asked["rules"]]


def _check(asked: Any) -> None:
    """Refuse what is not data and one rule or two."""
    if not isinstance(asked, dict) or not isinstance(asked.get("X"), list) or not isinstance(asked.get("y"), list):
        raise ValueError("Expected X, y and rules.")
    X, y, rules = asked["X"], asked["y"], asked.get("rules")
    if len(X) > MOST_POINTS:
        raise ValueError(f"The lab takes up to {MOST_POINTS} points, got {len(X)}.")
    if not isinstance(rules, list) or not 1 <= len(rules) <= 2:
        raise ValueError("Expected one rule or two.")
    words = any(isinstance(label, list) for label in y)
    if not words and not all(isinstance(label, str | int) and not isinstance(label, bool) for label in y):
        raise ValueError("y: expected whole numbers or words as labels.")
    if words and not all(isinstance(each, list) for each in [*X, *y]):
        raise ValueError("X: expected words as lists of names, y a list of labels for each.")
    if not words and len(set(y)) > MOST_CLASSES:
        raise ValueError(f"y: the live lab takes up to {MOST_CLASSES} classes, got {len(set(y))}. Take fewer classes.")
    for each in rules:
        if not isinstance(each, dict) or not isinstance(each.get("rule"), str):
            raise ValueError("Expected the name of a rule.")
        if not isinstance(each.get("options") or {}, dict):
            raise ValueError("options: expected numbers by name.")


def _make_one(chosen: dict[str, Any], asked: dict[str, Any], own: Mapping[str, OwnRule]) -> Recording | RiskLadder:
    """The recording of one rule."""
    from .ladder import make_ladder, record_risk
    from .record import record
    from .rules import make_option, make_rule

    X, y, name, options = asked["X"], asked["y"], chosen["rule"], chosen.get("options") or {}
    if name == LADDER:
        degree = make_option("degree", options.get("degree", LADDER_OPTIONS["degree"]))
        return record_risk(make_ladder(degree), X, y, columns=asked.get("columns"))
    rule, most = own[name] if name in own and not options else (make_rule(name, **options), MOST_STEPS)
    budget: dict[str, Any] = {"max_updates": most, "max_seconds": SECONDS}
    budget |= {"columns": asked.get("columns"), "covariances": asked.get("covariances")}
    return record(rule, X, y, **budget, name=name)


def with_code(found: list[Recording | RiskLadder]) -> str:
    """What the page shows, and the Python code that it exports."""
    codes = json.dumps([each.code() for each in found])
    return f'{{"recordings":[{",".join(each.to_json() for each in found)}],"codes":{codes}}}'
