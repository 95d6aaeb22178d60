"""A linear rule applied to the cells of a table, with Python's standard library alone.

    python rule.py data.csv > decisions.csv      # prediction, score: one line per row
    import rule; rule.decide({"size": "1.5", "shape": "o"})

A row is a dictionary: cells by the names of the columns, as text, numbers, true or false, dates; None, or no cell at
all, is a missing one. Each column becomes some features, and each feature has one weight per function:

    g = intercept + the features times their weights, added column by column, in the order of the columns

A rule of products of features has one g for each feature, which is that feature, and makes its own g of them: `lifted`.

Of two classes the second one is decided if g > 0, else the first; of more the class of the largest g, of equal ones
the first. A score is g, or by how much the largest g leads.
"""

from __future__ import annotations

import csv
import math
import re
import sys

RULE: dict = {}  # the rule stands here

MISSING = ("", "NA", "N/A", "n/a", "na", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "none", "?", "-", "--")
SPACE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
TOKEN = re.compile(r"(?u)\b\w\w+\b")
PERIODS = {"year": 365.2425, "week": 7.0, "day": 1.0}  # in days
BUCKETS = 8192  # of words of a text
DAY = 86_400_000_000  # microseconds


class BadCell(ValueError):
    """A cell that the rule can't read."""


def word(cell, column):
    """A cell as text without blanks around it; None: it is missing."""
    if cell is None or cell != cell:
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        if abs(cell) < 2.0**53 and cell == math.floor(cell):
            return str(int(cell))
        return re.sub(r"e([+-])0*([0-9])", r"e\g<1>\g<2>", repr(cell))
    said = str(cell).strip(SPACE)
    return None if said in MISSING or said in column.get("marks", ()) else said


def number(cell, column):
    """A cell as a finite float; None: it is missing."""
    if isinstance(cell, bool | int | float):
        value = float(cell)
    else:
        said = word(cell, column)
        if said is None:
            return None
        value = float(said) if NUMBER.fullmatch(said) else math.inf
    if value != value:
        return None
    if math.isinf(value):
        raise BadCell(f"{column['name']}: expected a finite number, got {cell!r}.")
    return value


def of_number(cell, column):
    """(x - centre) / scale, or the logarithm of 1 + x / scale; and whether the cell is missing."""
    value = number(cell, column)
    missing = value is None
    value = column["fill"] if missing else value
    if column["log"]:
        size = math.log1p(abs(value) / column["scale"])
        first = size if value > 0 else -size if value < 0 else 0.0
    else:
        first = (value - column["centre"]) / column["scale"]
    return [(0, first), (1, 1.0)] if missing and column["indicator"] else [(0, first)]


def of_boolean(cell, column):
    """1 or 0; and whether the cell is missing."""
    if isinstance(cell, bool | int | float):
        value = number(cell, column)
    else:
        said = word(cell, column)
        value = None if said is None else {column["yes"]: 1.0, column["no"]: 0.0}.get(said.lower(), math.inf)
        if value == math.inf:
            raise BadCell(f"{column['name']}: expected {column['yes']} or {column['no']}, got {cell!r}.")
    if value is None:
        return [(0, column["fill"]), (1, 1.0)] if column["indicator"] else [(0, column["fill"])]
    return [(0, value)]


def day_number(year, month, day):
    """Days from 1970-01-01 in the Gregorian calendar; None: there is no such day."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if not 1 <= month <= 12 or not 1 <= day <= lengths[month - 1]:
        return None
    before = year - 1
    return 365 * before + before // 4 - before // 100 + before // 400 + sum(lengths[: month - 1]) + day - 1 - 719162


def days(cell, column):
    """Days since 2000-01-01, with their fraction; None: the cell is missing."""
    if hasattr(cell, "toordinal"):
        seconds = (cell.toordinal() - 719163) * 86400 + sum(
            factor * getattr(cell, part, 0) for part, factor in (("hour", 3600), ("minute", 60), ("second", 1))
        )
        return (float(seconds * 1_000_000 + getattr(cell, "microsecond", 0)) - 946_684_800e6) / DAY
    said = word(cell, column)
    if said is None:
        return None
    form = column["form"] or "%Y-%m-%d"
    # numbers take all digits that they can: (?=(...))\\1 does not give one back
    digits = {k: f"(?=(?P<{k}>{'[+-]?[0-9]{1,6}' if k == 'Y' else '[0-9]{1,2}'}))(?P={k})" for k in "YmdHMS"}
    pattern = re.sub("%([YmdHMS])", lambda found: digits[found[1]], re.escape(form).replace("\\ ", r"\s*"))
    found = re.fullmatch(pattern, said)
    part = {k: int(v) for k, v in found.groupdict().items()} if found else {}
    day = day_number(part["Y"], part["m"], part["d"]) if found else None
    hour, minute, second = part.get("H", 0), part.get("M", 0), part.get("S", 0)
    if day is None or hour > 23 or minute > 59 or second > 60:
        raise BadCell(f"{column['name']}: expected a date as {form}, got {cell!r}.")
    seconds = ((day * 24 + hour) * 60 + minute) * 60 + second
    return (float(seconds * 1_000_000) - 946_684_800e6) / DAY


def of_date(cell, column):
    """Time, the phases of its periods, and whether the cell is missing."""
    value = days(cell, column)
    missing = value is None
    value = column["fill"] if missing else value
    found = [(0, (value - column["centre"]) / column["scale"])]
    for k, period in enumerate(() if missing else column["periods"]):
        phase = 2 * math.pi * (value / PERIODS[period] % 1.0)
        found += [(2 * k + 1, math.cos(phase)), (2 * k + 2, math.sin(phase))]
    return [*found, (2 * len(column["periods"]) + 1, 1.0)] if missing and column["indicator"] else found


def of_category(cell, column):
    """A 1 for the level; other levels share one, if there is one for them, and missing cells too."""
    said = word(cell, column)
    if said is not None and column["numeric"] and not isinstance(cell, float) and NUMBER.fullmatch(said):
        said = word(float(said), column)  # 05 and 5.0 are 5
    if said is None:
        place = len(column["levels"]) + column["other"] if column["missing"] else -1
    elif said in column["levels"]:
        place = column["levels"].index(said)
    else:
        place = len(column["levels"]) if column["other"] else -1
    return [] if place < 0 else [(place, 1.0)]


def murmur(said):
    """MurmurHash3 of the text in UTF-8, 32 bits, with the seed 0."""
    data = said.encode("utf-8")
    whole, h = len(data) // 4 * 4, 0
    for k in range(0, len(data), 4):
        block = int.from_bytes(data[k : k + 4], "little") * 0xCC9E2D51 & 0xFFFFFFFF
        block = (block << 15 | block >> 17) * 0x1B873593 & 0xFFFFFFFF
        h ^= block
        if k < whole:
            h = ((h << 13 | h >> 19) * 5 + 0xE6546B64) & 0xFFFFFFFF
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    h = (h ^ h >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return h ^ h >> 16


def of_hashed(cell, column):
    """A 1 in the bucket of the word."""
    said = word(cell, column)
    return [] if said is None else [(murmur(said) % column["buckets"], 1.0)]


def of_text(cell, column):
    """The buckets of the words, weighed by how rare they are (tf-idf), of norm 1."""
    said = word(cell, column)
    counts: dict = {}
    for token in TOKEN.findall((said or "").lower()):
        h = murmur(token)
        bucket = (h if h < 2**31 else 2**32 - h) % BUCKETS
        counts[bucket] = counts.get(bucket, 0) + 1
    found = []
    for place, (bucket, documents) in enumerate(zip(column["buckets"], column["documents"])):
        if bucket in counts:
            rare = 1.0 + math.log((1.0 + column["rows"]) / (1.0 + documents))
            found.append((place, (1.0 + math.log(counts[bucket])) * rare))
    norm = math.sqrt(sum(value * value for _, value in found))
    return [(place, value / norm) for place, value in found]


FEATURES = {
    "number": of_number, "boolean": of_boolean, "date": of_date, "category": of_category, "hashed": of_hashed,
    "text": of_text,
}  # fmt: skip


def scores(row, rule=None):
    """The functions g of a row."""
    rule = RULE if rule is None else rule
    g = list(rule["intercept"])
    for column in rule["columns"]:
        for place, value in FEATURES[column["use"]](row.get(column["name"]), column):
            for k, weight in enumerate(column["weights"][place]):
                g[k] += weight * value
    return lifted(g, rule["lift"]) if "lift" in rule else g


def lifted(features, lift):
    """The functions of products of features; features and products are centred and scaled."""
    features = [(x - centre) / scale for x, centre, scale in zip(features, lift["centre"], lift["scale"])]
    g = list(lift["intercept"])
    for places, centre, scale, weights in lift["products"]:
        value = (math.prod([features[place] for place in places]) - centre) / scale
        for k, weight in enumerate(weights):
            g[k] += weight * value
    return g


def decide(row, rule=None):
    """The class of a row."""
    rule = RULE if rule is None else rule
    g = scores(row, rule)
    return rule["classes"][int(g[0] > 0) if len(g) == 1 else g.index(max(g))]


def main():
    """Decide about the rows of CSV files."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["prediction", "score"])
    for path in sys.argv[1:] or ["-"]:
        with sys.stdin if path == "-" else open(path, newline="", encoding="utf-8-sig") as file:
            for number_of_row, row in enumerate(csv.DictReader(file), 1):
                try:
                    g = scores(row)
                    best = sorted(g)
                    out.writerow([decide(row), g[0] if len(g) == 1 else best[-1] - best[-2]])
                except BadCell as error:
                    sys.exit(f"{path}: row {number_of_row}: {error}")


if __name__ == "__main__":
    main()
