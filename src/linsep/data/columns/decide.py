"""From counts to decisions: how each column is used, and what is worth a note."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from . import cells
from .kinds import Boolean, Category, Column, Date, Hashed, Ignore, Number, Text
from .statistics import CLASSES, Statistics

MOST_LEVELS = 100  # features of one category; rarer levels share one
FEW_ROWS = 10  # levels with fewer rows are rare
LONG_TAIL = 6.0  # standard deviations from the mean to the largest value
MARKS = 3  # different words among numbers that may mean a missing cell
ID_NAME = re.compile(r"(^|[\s_.-])(id|uuid|guid|key|index|rowid|row|nr|no)$|[a-z](Id|ID|Key)$", re.IGNORECASE)
AMOUNT = re.compile(r"[-+]?[$€£]? ?[-+]?\d+([.,' ]\d+)* ?[%$€£]?")  # 1,200 or 3,5 or $5 or 40 %
TEXT = 3.0  # blanks in a cell, on average, that make it a text


def decide(found: Statistics, use: str | None, classes: int, target: str | None) -> tuple[Column, list[str]]:
    """What becomes of a column, and what to mention; ``use`` is what the user wants, None: what the counts suggest."""
    notes: list[str] = []
    wanted = use or _suggest(found, notes)
    if wanted.startswith("ignore: "):
        return Ignore(found.name, wanted.removeprefix("ignore: ")), [*notes, f"{found.name}: {wanted[8:]}; left out."]
    makers: dict[str, Any] = {
        "ignore": lambda: Ignore(found.name, "as you asked"),
        "number": lambda: _number(found, notes),
        "boolean": lambda: _boolean(found),
        "date": lambda: _date(found),
        "category": lambda: _category(found, notes),
        "hashed": lambda: Hashed(found.name, _buckets(found)),
        "text": lambda: _text(found),
    }
    column = makers[wanted]()
    if 1 < classes <= CLASSES:
        notes += _leaks(found, column, target)
    return column, notes


def _suggest(found: Statistics, notes: list[str]) -> str:
    """A use; "ignore: why" if it should be left out."""
    if found.other:
        return f"ignore: cells of the type {found.other}"
    if found.present == 0:
        return "ignore: every cell is missing"
    if found.boolean:
        return "boolean" if found.low < found.high else "ignore: all cells are the same"
    if "" in found.dates or (found.typed == 0 and any(m.count == found.present for m in found.dates.values())):
        return (
            "date" if any(low < high for low, high in found.date_range.values()) else "ignore: all dates are the same"
        )
    if found.numbers.count == found.present:
        return _suggest_number(found)
    levels = found.count_levels()
    if levels and frozenset(word.lower() for word in levels) in cells.YES_NO:
        return "boolean"
    strangers = [word for word in levels if not _is_number(word)]
    odd = found.present - found.numbers.count
    if found.typed == 0 and found.levels is not None and len(strangers) <= MARKS and odd * 5 <= found.present >= 20:
        said = ", ".join(repr(word) for word in sorted(strangers))
        notes.append(f"{found.name}: numbers, but for {odd} cells ({said}), which count as missing.")
        return "number"
    if strangers and all(AMOUNT.fullmatch(word) for word in strangers):
        said = f"amounts such as {min(strangers)!r} are taken for words"
        notes.append(f"{found.name}: {said}. Write plain numbers, such as 1234.5, to use them as numbers.")
    return _suggest_words(found, levels, notes)


def _suggest_number(found: Statistics) -> str:
    if found.low == found.high:
        return "ignore: all numbers are the same"
    n = found.numbers.count
    consecutive = found.whole and found.increasing and found.high - found.low == n - 1 and found.low in (0, 1)
    named = found.whole and ID_NAME.search(found.name) and (found.increasing or found.high - found.low >= n - 1)
    if n >= 10 and (consecutive or named):
        return "ignore: it numbers the rows"
    return "number"


def _suggest_words(found: Statistics, levels: Mapping[str, int], notes: list[str]) -> str:
    if len(levels) == 1:
        return "ignore: all cells are the same"
    blanks = found.spaces / found.present
    several = found.levels is None or len(levels) > max(20, found.present // 2)
    if several and blanks >= TEXT:
        return f"ignore: it looks like text; --text {found.name!r} would use its words"
    if found.levels is not None and len(levels) == found.present and found.present >= 20:
        return "ignore: every cell is different, as of a name or an id"
    common = sum(count >= FEW_ROWS for count in levels.values())
    if found.levels is None or (len(levels) > MOST_LEVELS and common < 2):
        notes.append(f"{found.name}: {_many(found)} different words are hashed to {_buckets(found)} features.")
        return "hashed"
    return "category"


def _many(found: Statistics) -> str:
    return "very many" if found.levels is None else str(len(found.count_levels()))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _buckets(found: Statistics) -> int:
    distinct = 1024 if found.levels is None else len(found.count_levels())
    return max(16, min(1024, 1 << max(1, distinct - 1).bit_length()))


def short(number: float) -> float:
    """Six digits: what a person reads, and what no order of summation changes.

    >>> short(1234567.0), short(1 / 3)
    (1234570.0, 0.333333)
    """
    return float(f"{number:.6g}")


def _number(found: Statistics, notes: list[str]) -> Number:
    mean, deviation = float(found.numbers.mean), found.numbers.deviation
    indicator = found.numbers.count < found.rows
    if found.infinite:
        notes.append(f"{found.name}: {found.infinite} cells are not finite, or beyond 1e150; they count as missing.")
    levels = found.count_levels()
    odd = (word for word in levels if not _is_number(word)) if found.numbers.count < found.present else ()
    marks = tuple(sorted(odd))[: MARKS + 1]
    if found.low >= 0 and found.high <= 1 and found.whole:
        return Number(found.name, fill=short(mean), indicator=indicator, marks=marks)
    if found.low >= 0 and mean > 0 and found.high > mean + LONG_TAIL * deviation:
        notes.append(f"{found.name}: a long tail (up to {found.high:g}, mean {mean:g}); its logarithm is used.")
        return Number(found.name, 0.0, short(mean), True, short(mean), indicator, marks)
    scale = short(deviation) if deviation > 0 else 1.0
    return Number(found.name, short(mean), scale, False, short(mean), indicator, marks)


def _boolean(found: Statistics) -> Boolean:
    levels = found.count_levels()
    yes = cells.YES_NO.get(frozenset(word.lower() for word in levels), "true")
    trues = sum(count for word, count in levels.items() if word.lower() == yes)
    share = float(found.numbers.mean) if found.numbers.count else trues / max(found.present, 1)
    return Boolean(found.name, yes, short(share), indicator=found.missing > 0)


def _date(found: Statistics) -> Date:
    form = max(found.dates, key=lambda each: found.dates[each].count, default="%Y-%m-%d")
    if form not in found.dates:
        return Date(found.name, form)
    moments, (low, high) = found.dates[form], found.date_range[form]
    span = high - low
    periods = ("year",) * (span >= 548) + ("week",) * (span >= 21) + ("day",) * found.times
    mean, deviation = float(moments.mean), moments.deviation
    indicator = moments.count < found.rows
    return Date(found.name, form, short(mean), short(deviation) or 1.0, periods, short(mean), indicator)


def _category(found: Statistics, notes: list[str]) -> Column:
    counts = found.count_levels()
    if found.levels is None or found.typed:
        return Hashed(found.name, _buckets(found))
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    common = [word for word in ranked if counts[word] >= FEW_ROWS][:MOST_LEVELS] if len(ranked) > 2 else ranked
    rare = len(ranked) - len(common)
    if len(common) < 2:
        common, rare = ranked[:MOST_LEVELS], max(0, len(ranked) - MOST_LEVELS)
    if rare:
        rows = sum(counts[word] for word in set(ranked) - set(common))
        notes.append(f"{found.name}: {rare} rare levels ({rows} rows) share one feature.")
    return Category(found.name, tuple(sorted(common)), rare > 0, found.missing > 0)


def _text(found: Statistics) -> Column:
    counts = found.documents
    if counts is None or not counts.any():
        return Ignore(found.name, "there were no words to count")
    seen = counts.nonzero()[0]
    words = tuple(found.words.get(bucket, "") for bucket in seen.tolist())
    return Text(found.name, found.rows, tuple(seen.tolist()), tuple(counts[seen].tolist()), words)


def _leaks(found: Statistics, column: Column, target: str | None) -> list[str]:
    """Whether the column alone tells the class, or whether its gaps do."""
    if isinstance(column, Ignore) or found.rows < 20:
        return []
    ranges = sorted((each.low, each.high) for each in found.classes.values() if each.low <= each.high)
    apart = len(ranges) > 1 and all(one[1] < other[0] for one, other in pairwise(ranges))
    by_word: dict[str, set[int]] = {}
    for word, label in found.levels or ():
        by_word.setdefault(word, set()).add(label)
    labels = set().union(*by_word.values()) if by_word else set()
    told = len(labels) > 1 and len(by_word) * 5 <= found.present and all(len(each) == 1 for each in by_word.values())
    if (apart and isinstance(column, Number | Boolean)) or (told and isinstance(column, Category)):
        return [f"{found.name}: alone tells {target!r} without an error. If it is known only afterwards: --ignore it."]
    gaps = _gaps(found, column)
    if sum(gaps) >= 5 and len(gaps) > 1 and sorted(gaps)[-2] == 0:
        return [f"{found.name}: missing in rows of one class only. Is it known when you predict?"]
    return []


def _gaps(found: Statistics, column: Column) -> list[int]:
    """How many cells are missing, of each class; nothing if words were not counted one by one."""
    if isinstance(column, Number) or found.boolean:
        return [each.missing for each in found.classes.values()]
    if found.typed or found.levels is None:
        return []
    there = dict.fromkeys(found.classes, 0)
    for (_, label), count in found.levels.items():
        there[label] += count
    return [each.rows - there[label] for label, each in found.classes.items()]


def odd_classes(labels: Iterable[str], target: str) -> list[str]:
    """What to mention about the classes: those that may be one, written in two ways."""
    alike: dict[str, list[str]] = {}
    for word in filter(None, sorted(labels)):
        alike.setdefault(word.casefold(), []).append(word)
    twice = [" and ".join(map(repr, words)) for words in alike.values() if len(words) > 1]
    if twice:
        return [f"{target}: {', '.join(twice)} are different classes. If they are one, write them alike."]
    numbers = [word for word in alike if _is_number(word)]
    if 0 < len(numbers) < len(alike):
        said = ", ".join(map(repr, sorted(alike)[:6])) + ", ..." * (len(alike) > 6)
        return [f"{target}: the classes are numbers and words ({said}). Is one written in two ways?"]
    return []
