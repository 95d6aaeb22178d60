"""The sentences of a report: what was asked, what was answered, what each part shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

FITTED = "rows that the rule was fitted to"
CELL = 60  # characters of a long cell that are shown
CUT = 20  # those that are not are more than so many


def percent(share: float) -> str:
    """A share in words.

    >>> percent(0.92763)
    '92.8 %'
    """
    return f"{100 * share:.1f} %"


def listed(names: Sequence[Any], most: int = 6) -> str:
    """Some names with "and".

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    said = [str(name) for name in names]
    if len(said) > most:
        said = [*said[:most], f"{len(said) - most} more"]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def cell(value: Any) -> str:
    """A cell in words: a missing one is a dash, a long one is cut and says so."""
    said = "–" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    return said if len(said) <= CELL + CUT else f"{said[:CELL]}… ({len(said)} characters)"


def seen(facts: dict[str, Any]) -> bool:
    """Whether errors are counted on the rows that the rule was fitted to."""
    return facts["judged"]["on"] == FITTED


def question(facts: dict[str, Any]) -> str:
    """What was asked, in one sentence."""
    data, classes = facts["data"], facts["model"]["classes"]
    columns = data.get("used")
    by = f" by {counted(columns, 'column')}" if columns else ""
    of = f" of {listed(data['files'], 2)}" if data.get("files") else ""
    what = f"{classes[0]} from {classes[1]}" if len(classes) == 2 else f"{len(classes)} classes"
    target = f" (column {data['target']})" if data.get("target") else ""
    lifted = facts["model"]["estimator"].startswith("Lifted(")
    rule = "a rule that is linear in lifted features" if lifted else "a linear rule"
    return f"Can {rule} tell {what}{target}{by}{of}?"


def answer(facts: dict[str, Any]) -> str:
    """What was answered, in one sentence: the errors, and what is proved."""
    errors, judged = facts["errors"], facts["judged"]["on"]
    right, n = errors["rows"] - errors["errors"], errors["rows"]
    low, high = errors["interval"]
    biggest = max(errors["classes"], key=lambda each: each["rows"])
    if not errors["errors"]:
        word = "Yes"
    elif low > errors["largest_class"]:
        word = "Mostly"
    else:
        word = f"Not shown to be better than always saying {biggest['class']}"
    sure = "" if seen(facts) else f"; 95 % confidence: {percent(low)} to {percent(high)}"  # of new rows only
    said = (
        f"{word}: it is right about {right} of {n} {judged} ({percent(errors['accuracy'])}{sure}), where always saying "
        f"{biggest['class']} is right about {percent(errors['largest_class'])}"
    )
    return f"{said}; {proved(facts)}."


def learned(facts: dict[str, Any]) -> str:
    """What was learned: a hyperplane between two classes, a linear machine of more."""
    return "hyperplane" if len(facts["model"]["classes"]) == 2 else "linear machine"


def proved(facts: dict[str, Any]) -> str:
    """What the certificate adds to the answer."""
    certificate = facts["certificate"]
    checked = certificate["check"]
    if checked is not None and not checked["holds"]:
        return "but its certificate does NOT hold on these data"
    if not certificate.get("proved"):
        return "nothing is proved about how good it could be at best"
    status, kind = certificate["status"], certificate["kind"]
    gap = (certificate["upper"] - certificate["lower"]) / abs(certificate["upper"] or 1.0)
    if status == "not separable":
        return f"it is proved that no {learned(facts)} makes no errors on the training rows"
    if kind == "margin" and status in ("optimal", "eps-optimal"):
        return f"it is proved that no {learned(facts)} has a margin larger by more than {max(gap, 0.0):.2g} of it"
    if kind in ("objective", "ridge") and status == "optimal":
        return f"it is proved that no other weights cost less by more than {max(gap, 0.0):.2g} of the cost"
    return "it is proved that all training rows are on their side" if status == "separated" else f"proved: {status}"


def checked(certificate: dict[str, Any]) -> str:
    """Whether the certificate holds."""
    if certificate["check"] is not None:
        return certificate["check"]["said"]
    if not certificate["sentences"]:
        return "This rule has no certificate."
    return "Not checked: the rows that the rule was fitted to are not the ones of this report."


def stability(facts: dict[str, Any]) -> str:
    """What other seeds and orders change."""
    runs = facts["runs"]
    if not runs:
        return f"Not known: a single refit takes longer than the {facts['seconds']:g} s that were given to it."
    what = "with another seed, the rows in another order" if facts["reordered"] else "with another seed"
    short = f" ({facts['asked']} were asked for, {facts['seconds']:g} s were given)" if facts["out_of_time"] else ""
    errors, changed = [each["errors"] for each in runs], max(each["changed"] for each in runs)
    said = f"Fitted again {len(runs)} time{'s' * (len(runs) != 1)}{short} {what}: "
    if not changed:
        said += f"all {facts['rows']} decisions stay the same"
    else:
        said += (
            f"at most {changed} of {facts['rows']} decisions change ({percent(changed / facts['rows'])}), errors are "
            f"{min(errors)} to {max(errors)} where this model makes {facts['errors']}"
        )
    angles = [each["degrees"] for each in runs if each["degrees"] is not None]
    return said + (f"; w turns by at most {max(angles):.2g} degrees." if angles else ".")


def risk(facts: dict[str, Any] | None, classes: Sequence[Any]) -> list[str]:
    """The bounds of the risk."""
    if not facts:
        two = len(classes) == 2
        return [] if two else ["No bound of the risk: that of Vapnik and Chervonenkis (A4) is for two classes."]
    said = [facts["dimension"]["said"]]
    if "margin" in facts:
        found = facts["margin"]
        said.append(
            f"From the margin (R = {found['radius']:.4g}, m = {found['margin']:.4g}, h = {found['h']:.4g}): "
            f"{found['said']} The margin was computed from the data, so this is a guide, not a proof."
        )
    return said


def support(facts: dict[str, Any]) -> str:
    """What the support points are."""
    found, what = facts["support"], learned(facts)
    if found["zero_sum"]:
        how = "those of one class mirrored" if what == "hyperplane" else "each for its class and against a rival"
        return (
            f"A weighted mean of {found['count']} of {found['of']} training rows, {how}, is zero: this is why no "
            f"{what} separates the classes. The rows with the largest weights:"
        )
    return (
        f"{found['count']} of {found['of']} training rows have a weight in the proof: that no rule is better needs no "
        "other row. Those with the largest weights:"
    )


def counted(number: int, name: str) -> str:
    """So many of what has this name.

    >>> counted(1, "column"), counted(2, "column"), counted(3, "class")
    ('1 column', '2 columns', '3 classes')
    """
    many = "" if number == 1 else "es" if name.endswith("s") else "s"
    return f"{number} {name}{many}"


def weights(facts: dict[str, Any]) -> str:
    """How many features have a weight, and what its sign means."""
    found, classes = facts["weights"], facts["model"]["classes"]
    said = f"{counted(found['count'], 'feature')}, {found['zero']} of weight 0."
    if len(found["intercept"]) > 1:
        return f"{said} Each class has its own weights; a positive one speaks for the class."
    return f"{said} Positive weights speak for {classes[1]}, negative ones for {classes[0]}."


def column_words(column: dict[str, Any]) -> str:
    """What is in a column."""
    if "low" in column:
        return f"{column['low']:.6g} to {column['high']:.6g}, mean {column['mean']:.6g}"
    if "from" in column:
        return f"{column['from']} to {column['to']}"
    if "most" in column:
        most = ", ".join(f"{cell(word)} ({count})" for word, count in column["most"])
        return f"{column['levels']} different: {most}" + (", …" if column["levels"] > len(column["most"]) else "")
    return ""
