"""What a recording must be: version 1 of the schema in docs/lab.md. A damaged or forged one is refused by name."""

from __future__ import annotations

from typing import Any

from .parameters import check_described

FORMAT, VERSION = "linsep recording", 1
MOST_ROWS, MOST_COLUMNS, MOST_UPDATES = 5_000, 64, 20_000
MOST_CLASSES, MOST_LIFTED = 10, 100  # of rows that are recorded: w of a committee has a part for every pair
MOST_BYTES = 64_000_000
WORDS = 2_000  # letters of a name or a sentence, at most
FIELDS = {"rule", "data", "decides", "shape", "start", "updates", "answer", "certificates", "complete"}
KINDS = ("sign", "machine", "one versus all", "one versus one")
INTEGERS = ("row", "pass", "visits", "member")
WIDE = ("w", "a", "rows", "points", "radii", "touching", "through")  # lists at every update


def check(content: Any) -> None:
    """Refuse what is not a recording, with one sentence that names the field."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"recording: expected JSON with the format {FORMAT!r}.")
    if content.get("version") != VERSION:
        raise ValueError(f"recording: expected version {VERSION}, got {str(content.get('version'))[:20]!r}.")
    missing = FIELDS - set(content)
    if missing:
        raise ValueError(f"recording: expected the fields {', '.join(sorted(missing))}.")
    check_described(content["rule"])
    words = [content.get("title", ""), content.get("linsep", ""), content["rule"].get("catalogue") or ""]
    most = content.get("max_updates", MOST_UPDATES)
    if not all(_is_word(each) for each in words) or not _is_int(most, 1, MOST_UPDATES):
        raise ValueError("recording: expected a title, a version and max_updates.")
    if not isinstance(content["data"], dict) or not isinstance(content["decides"], dict):
        raise ValueError("recording: expected objects as data and decides.")
    if content["decides"].get("kind") == "labelling":
        _check_words(content)
        return
    rows, columns = check_data(content["data"])
    if "gaussians" in content:
        _check_gaussians(content, columns)
        rows = max(rows, len(content["gaussians"]["means"]))
    if "lift" in content:
        columns = _check_lift(content["lift"], rows, columns)
    members = _check_decides(content["decides"], len(content["data"]["classes"]))
    if content["shape"] != [members, columns + 1]:
        raise ValueError(f"shape: expected {[members, columns + 1]}, got {str(content['shape'])[:60]}.")
    size = members * (columns + 1)
    check_numbers(content["start"], size, "start")
    check_numbers(content["answer"], size, "answer")
    _check_updates(content["updates"], size, rows)
    _check_certificates(content["certificates"], rows)


def _is_int(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= WORDS


def check_numbers(values: Any, size: int | None, name: str, finite: bool = True) -> None:
    """Refuse what is not a list of so many numbers."""
    if not isinstance(values, list) or (size is not None and len(values) != size):
        raise ValueError(f"{name}: expected a list{'' if size is None else f' of {size} numbers'}.")
    for each in values:
        known = not finite and (each is None or each in ("inf", "-inf"))
        if not known and (type(each) not in (int, float) or not -1e300 < each < 1e300):
            raise ValueError(f"{name}: expected numbers, got {str(each)[:60]!r}.")


def _check_table(table: Any, rows: int | None, columns: int | None, name: str) -> None:
    if not isinstance(table, list) or (rows is not None and len(table) != rows):
        raise ValueError(f"{name}: expected a list{'' if rows is None else f' of {rows} lists'}.")
    for each in table:
        check_numbers(each, columns, name)


def check_data(data: Any) -> tuple[int, int]:
    """Refuse what is not rows with classes; how many rows and columns there are."""
    if not isinstance(data, dict) or not {"X", "y", "classes", "columns"} <= set(data):
        raise ValueError("data: expected X, y, classes and columns.")
    columns, classes = data["columns"], data["classes"]
    if not isinstance(columns, list) or not 1 <= len(columns) <= MOST_COLUMNS or not all(map(_is_word, columns)):
        raise ValueError(f"data: expected the names of 1 to {MOST_COLUMNS} columns.")
    if not isinstance(data["X"], list) or not 1 <= len(data["X"]) <= MOST_ROWS:
        raise ValueError(f"data: expected 1 to {MOST_ROWS} rows.")
    _check_table(data["X"], None, len(columns), "X")
    plain = isinstance(classes, list) and all(_is_word(each) or isinstance(each, int) for each in classes)
    if not plain or len(classes) < 2 or len(set(map(str, classes))) != len(classes):
        raise ValueError("classes: expected two labels or more, each once.")
    if not isinstance(data["y"], list) or len(data["y"]) != len(data["X"]):
        raise ValueError("y: expected one number for each row.")
    if not all(_is_int(each, 0, len(classes) - 1) for each in data["y"]):
        raise ValueError("y: expected the numbers of classes.")
    return len(data["X"]), len(columns)


def _check_lift(lift: Any, rows: int, variables: int) -> int:
    if not isinstance(lift, dict) or not {"columns", "functions", "Z"} <= set(lift):
        raise ValueError("lift: expected columns, functions and Z.")
    columns = lift["columns"]
    if not isinstance(columns, list) or not columns or not all(map(_is_word, columns)):
        raise ValueError("lift: expected the names of the lifted columns.")
    _check_table(lift["Z"], rows, len(columns), "lift")
    functions = lift["functions"]
    if not isinstance(functions, list) or len(functions) != len(columns):
        raise ValueError("lift: expected one function for each column.")
    for term in (term for terms in functions if isinstance(terms, list) for term in terms):
        if not isinstance(term, list) or len(term) != 2:
            raise ValueError("lift: expected terms of a coefficient and exponents.")
        check_numbers([term[0]], 1, "lift")
        if not isinstance(term[1], list) or len(term[1]) != variables or not all(_is_int(e, 0, 64) for e in term[1]):
            raise ValueError("lift: expected whole numbers from 0 to 64 as exponents.")
    return len(columns)


def _check_gaussians(content: Any, columns: int) -> None:
    """Gaussians of the plane, and what is drawn of them at every update."""
    found, updates = content["gaussians"], content["updates"]
    names = {"means", "covariances", "factors", "y", "required", "radii", "touching", "error"}
    if columns != 2 or not isinstance(found, dict) or not names <= set(found) or not isinstance(found["means"], list):
        raise ValueError(f"gaussians: expected {', '.join(sorted(names))}, of two columns.")
    count = len(found["means"])
    _check_table(found["means"], None, 2, "means")
    _check_table(found["touching"], count, 2, "touching")
    check_numbers(found["radii"], count, "radii", finite=False)
    for name in ("covariances", "factors"):
        if not isinstance(found[name], list) or len(found[name]) != count:
            raise ValueError(f"{name}: expected one for each mean.")
        for each in found[name]:
            _check_table(each, 2, 2, name)
    if not isinstance(found["y"], list) or len(found["y"]) != count or not all(_is_int(k, 0, 1) for k in found["y"]):
        raise ValueError("gaussians: expected the numbers of classes.")
    check_numbers([found["error"], found["required"] or 0.0], 2, "required")
    if not isinstance(updates, dict) or not {"radii", "touching", "error"} <= set(updates):
        raise ValueError("updates: expected radii, touching and error.")
    for each in _as_list(updates["radii"]):
        check_numbers(each, count, "radii", finite=False)
    for each in _as_list(updates["touching"]):
        _check_table(each, count, 2, "touching")


def _check_words(content: Any) -> None:
    """Words with labels, and the trellis of every update."""
    data, names = content["data"], content.get("names")
    if not {"X", "y", "classes", "columns"} <= set(data) or not all(isinstance(data[key], list) for key in "Xy"):
        raise ValueError("data: expected X, y, classes and columns.")
    if len(data["X"]) != len(data["y"]) or not 1 <= len(data["X"]) <= MOST_ROWS:
        raise ValueError(f"data: expected 1 to {MOST_ROWS} words, each with labels.")
    classes = _as_list(data["classes"])
    if len(classes) < 2 or not all(map(_is_word, classes)):
        raise ValueError("classes: expected two labels or more.")
    for word, labels in zip(data["X"], data["y"], strict=True):
        _check_word(word, labels, len(classes))
    if not isinstance(names, list) or not names or not all(map(_is_word, names)):
        raise ValueError("names: expected a name for every number of w.")
    if content["shape"] != [1, len(names)]:
        raise ValueError(f"shape: expected {[1, len(names)]}, got {str(content['shape'])[:60]}.")
    for name in ("start", "answer"):
        check_numbers(content[name], len(names), name)
    updates = content["updates"]
    _check_updates(updates, len(names), len(data["X"]))
    _check_certificates(content["certificates"], len(data["X"]))
    if not {"rival", "through"} <= set(updates) or any(row < 0 for row in updates["row"]):
        raise ValueError("updates: expected rival, through and a row each.")
    for row, rival, table in zip(updates["row"], updates["rival"], updates["through"], strict=True):
        _check_word(data["X"][row], rival, len(classes))
        _check_table(table, len(data["X"][row]), len(classes), "through")


def _check_word(word: Any, labels: Any, classes: int) -> None:
    if not isinstance(word, list) or not word or not all(map(_is_word, word)):
        raise ValueError("X: expected words as lists of names.")
    if not isinstance(labels, list) or len(labels) != len(word) or not all(_is_int(k, 0, classes - 1) for k in labels):
        raise ValueError("y: expected one number of a label for each position.")


def _check_decides(decides: Any, classes: int) -> int:
    """How many rows w has."""
    if not isinstance(decides, dict) or decides.get("kind") not in KINDS:
        raise ValueError(f"decides: expected the kind {', '.join(KINDS)}.")
    if decides["kind"] in ("sign", "machine"):
        return 1 if decides["kind"] == "sign" else classes
    sides = decides.get("sides")
    pairs = isinstance(sides, list) and all(isinstance(each, list) and len(each) == 2 for each in sides)
    if not pairs or not sides or not all(_is_int(k, -1, classes - 1) for each in sides for k in each):
        raise ValueError("decides: expected the two sides of each member.")
    return len(sides)


def _check_updates(updates: Any, size: int, rows: int) -> None:
    if not isinstance(updates, dict) or not {"w", "a", "row"} <= set(updates):
        raise ValueError("updates: expected w, a and row.")
    count = len(updates["w"]) if isinstance(updates["w"], list) else -1
    if not 0 <= count <= MOST_UPDATES:
        raise ValueError(f"updates: expected up to {MOST_UPDATES}.")
    _check_table(updates["w"], count, size, "w")
    _check_table(updates["a"], count, None, "a")
    for name, values in updates.items():
        if not isinstance(values, list) or len(values) != count:
            raise ValueError(f"updates: {name[:60]}: expected {count} entries.")
        if name in INTEGERS and not all(_is_int(each, -1, 2**53) for each in values):
            raise ValueError(f"updates: {name}: expected whole numbers.")
        if name not in (*INTEGERS, *WIDE, "rival"):
            check_numbers(values, count, name[:60], finite=False)
    listed = [*updates["row"], *(row for each in updates.get("rows", ()) for row in _as_list(each))]
    if not all(_is_int(each, -1, rows - 1) for each in listed):
        raise ValueError("updates: expected the numbers of rows.")
    plain = [each for each in updates.get("rival", ()) if not isinstance(each, list)]
    if not all(each is None or _is_int(each, 0, max(rows, 64)) for each in plain):
        raise ValueError("updates: rival: expected the numbers of rows or classes.")
    for pair in updates.get("points", ()):
        for point in _as_list(pair):
            check_numbers(point, None, "points", finite=False)


def _as_list(value: Any) -> list:
    if not isinstance(value, list):
        raise ValueError("updates: expected a list.")
    return value


def _check_certificates(certificates: Any, rows: int) -> None:
    if not isinstance(certificates, list) or not 1 <= len(certificates) <= 2_000:
        raise ValueError("certificates: expected one or more.")
    for each in certificates:
        if not isinstance(each, dict) or not _is_word(each.get("sentence")) or not _is_word(each.get("status")):
            raise ValueError("certificates: expected a status and a sentence.")
        if not all(_is_int(row, 0, rows - 1) for row in _as_list(each.get("proof_rows", []))):
            raise ValueError("certificates: expected the numbers of rows.")
        for point in _as_list(each.get("proof_points", [])):
            check_numbers(point, None, "proof_points")
