"""Files as they come: ragged tables, wrong encodings, cells of all kinds, damaged models. All from a seed."""

from __future__ import annotations

import io
import random
import zipfile

CELLS = [
    "", "1", "-2.5", "1e308", "1e999", "nan", "inf", "NA", "x", "y z", "true", "No", "2026-01-31", "31.1.2026", "0x1f",
    "1,5", '"', 'a"b', '"a\nb"', '"a,b"', '""', "ž", "\u200b", "\x00", " 7 ", "🙂", "A" * 300, "1_000", "+3", "--",
    "=1+1", "<b>", "٣",
]  # fmt: skip
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1250"]
ENDS = ["\n", "\r\n", "\r", "\n\n"]


def odd_table(rng: random.Random) -> bytes:
    """A table that is wrong in some ways, or in none."""
    width, height = rng.choice([1, 2, 3, 5]), rng.choice([0, 1, 2, 8, 30])
    names = [
        rng.choice(["a", "b", "c", "id", "", "y", "a", "ů"]) if rng.random() < 0.3 else f"c{k}" for k in range(width)
    ]
    names[-1] = rng.choice(["y", "y", "y", "y", "Y", "other"])
    kinds = [rng.choice(["number", "word", "odd"]) for _ in range(width)]
    separator, end = rng.choice([",", ",", ",", ";", "\t"]), rng.choice(ENDS)
    lines = [separator.join(names)]
    for _ in range(height):
        cells = [_cell(rng, kind) for kind in kinds[:-1]] + [rng.choice(["u", "v"])]
        if rng.random() < 0.03:
            cells = cells[: rng.randrange(len(cells) + 1)] + [_cell(rng, "odd")] * rng.randrange(3)
        lines.append(separator.join(cells))
    if rng.random() < 0.1:
        del lines[0]
    data = end.join(lines).encode(rng.choice(ENCODINGS) if rng.random() < 0.3 else "utf-8", "replace")
    return _damaged(rng, data) if rng.random() < 0.25 else data


def _cell(rng: random.Random, kind: str) -> str:
    if kind == "number" and rng.random() < 0.97:
        return str(round(rng.gauss(0, 3), 2))
    return rng.choice("pqr") if kind == "word" and rng.random() < 0.97 else rng.choice(CELLS)


def _damaged(rng: random.Random, data: bytes) -> bytes:
    """Cut short, or some bytes changed, or others in between."""
    changed = bytearray(data)
    for _ in range(rng.choice([0, 1, 3, 20])):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    if rng.random() < 0.5:
        changed = changed[: rng.randrange(len(changed) + 1)]
    if rng.random() < 0.2:
        changed[:0] = rng.randbytes(rng.choice([1, 4, 100]))
    return bytes(changed)


def odd_model(rng: random.Random, good: bytes) -> bytes:
    """A model file with damage: in its bytes, in its JSON, or in its arrays."""
    how = rng.randrange(4)
    if how == 0:
        return rng.randbytes(rng.choice([0, 1, 30, 1000]))
    if how == 1:
        return _damaged(rng, good)
    members = {
        name: zipfile.ZipFile(io.BytesIO(good)).read(name) for name in zipfile.ZipFile(io.BytesIO(good)).namelist()
    }
    name = "model.json" if how == 2 else rng.choice(list(members))
    text = members[name]
    for _ in range(rng.choice([1, 2, 5])):
        words = [b"null", b"[]", b"-1", b'"x"', b"{}", b"1e300", b"true", b"", b"0", b"category", b"text", b"date"]
        at = rng.randrange(max(len(text), 1))
        text = text[:at] + rng.choice(words) + text[at + rng.choice([0, 1, 4, 9]) :]
    members[name] = text
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for each, content in members.items():
            archive.writestr(each, content)
    return buffer.getvalue()
