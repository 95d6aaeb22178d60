"""A rule as one file of C99: cells as text in, the number of a class out. It allocates nothing and keeps no state."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import evaluate
from .rule import answers

SHARED = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-ffp-contract=off")


def text(value: str) -> str:
    r"""A literal of C: UTF-8, with everything unusual as octal numbers.

    >>> print(text('a"é?'))
    "a\042\303\251\077"
    """
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in value.encode()) + '"'


def _array(kind: str, name: str, values: Sequence[Any]) -> str:
    said = ", ".join(text(v) if isinstance(v, str) else repr(v) for v in values)
    return f"    static const {kind}{name}[] = {{{said}}};\n"


def write(rule: dict[str, Any]) -> bytes:
    """The file; columns that C can't hold are refused."""
    for column in rule["columns"]:
        if column["use"] == "text":
            raise ValueError(
                f"export: column {column['name']!r}: words of a text can't be found by C, which knows no letters "
                "beyond ASCII. Use --to python, or fit with --ignore."
            )
    uses = {column["use"] for column in rule["columns"]}
    names = ", ".join(text(column["name"]) for column in rule["columns"])
    labels = ", ".join(text(str(label)) for label in rule["classes"])
    k = len(answers(rule))
    parts = [
        HEAD.replace("LIST", "\n".join(f" *   cells[{i}]: {_comment(c)}" for i, c in enumerate(rule["columns"]))),
        f"#define LINSEP_COLUMNS {len(rule['columns'])}\n#define LINSEP_FUNCTIONS {k}\n",
        f"const char *const linsep_columns[] = {{{names}}};\nconst char *const linsep_labels[] = {{{labels}}};\n\n",
        f"static const char *const SPACES[] = {{{', '.join(text(c) for c in evaluate.SPACE)}, NULL}};\n",
        f"static const char *const MISSING[] = {{{', '.join(text(m) for m in rule['missing'] if m)}, NULL}};\n",
        BASIC,
        NUMBER if uses & {"number"} or any(c.get("numeric") for c in rule["columns"]) else "",
        LOWER if "boolean" in uses else "",
        DATE if "date" in uses else "",
        MURMUR if "hashed" in uses else "",
        "\nstatic void add(double g[], double value, const double weights[])\n{\n"
        f"    for (int k = 0; k < {len(rule['intercept'])}; k++)\n        g[k] += weights[k] * value;\n}}\n\n",
    ]
    parts += [WRITERS[column["use"]](i, column) for i, column in enumerate(rule["columns"])]
    parts.append(_decide(rule))
    return "".join(parts).encode()


def _comment(column: dict[str, Any]) -> str:
    """The name of a column inside a comment."""
    said = f"{column['name'].encode('ascii', 'backslashreplace').decode()!r}, {column['use']}"
    return said.replace("*/", "* /").replace("/*", "/ *")


def _begin(i: int, column: dict[str, Any]) -> str:
    """The head of the function of a column, its weights, and what marks a missing cell."""
    width = len(column["weights"][0]) if column["weights"] else 1
    rows = ",\n        ".join("{" + ", ".join(map(repr, each)) + "}" for each in column["weights"])
    marks = ", ".join([*(text(mark) for mark in column.get("marks", ())), "NULL"])
    return (
        f"static int column_{i}(Cell cell, double g[])\n{{\n"
        f"    static const double weights[][{width}] = {{\n        {rows}}};\n"
        f"    static const char *const marks[] = {{{marks}}};\n"
        "    const int missing = is_missing(cell, marks);\n"
    )


def _number(i: int, column: dict[str, Any]) -> str:
    centre, scale = column["centre"], column["scale"]
    if column["log"]:
        value = f"x > 0 ? log1p(x / {scale!r}) : x < 0 ? -log1p(-x / {scale!r}) : 0.0"
    else:
        value = f"(x - {centre!r}) / {scale!r}"
    said = "    if (missing)\n        add(g, 1.0, weights[1]);\n" if column["indicator"] else ""
    return (
        f"{_begin(i, column)}    double x = {column['fill']!r};\n    if (!missing && !parse_number(cell, &x))\n"
        f"        return 0;\n    add(g, {value}, weights[0]);\n{said}    return 1;\n}}\n\n"
    )


def _boolean(i: int, column: dict[str, Any]) -> str:
    said = "    if (missing)\n        add(g, 1.0, weights[1]);\n" if column["indicator"] else ""
    return (
        f'{_begin(i, column)}    const int yes = same_letters(cell, {text(column["yes"])}) || same(cell, "1");\n'
        f'    const int no = same_letters(cell, {text(column["no"])}) || same(cell, "0");\n'
        "    if (!missing && !yes && !no)\n        return 0;\n"
        f"    add(g, missing ? {column['fill']!r} : yes, weights[0]);\n{said}    return 1;\n}}\n\n"
    )


def _date(i: int, column: dict[str, Any]) -> str:
    lines = [f"    double x = {column['fill']!r};\n"]
    lines.append(
        f"    if (!missing && !parse_date(cell, {text(column['form'] or '%Y-%m-%d')}, &x))\n        return 0;\n"
    )
    lines.append(f"    add(g, (x - {column['centre']!r}) / {column['scale']!r}, weights[0]);\n")
    for k, period in enumerate(column["periods"]):
        length = evaluate.PERIODS[period]
        lines.append(
            f"    if (!missing) {{\n        const double turns = x / {length!r};\n"
            "        const double phase = 6.283185307179586 * (turns - floor(turns));\n"
            f"        add(g, cos(phase), weights[{2 * k + 1}]);\n"
            f"        add(g, sin(phase), weights[{2 * k + 2}]);\n    }}\n"
        )
    if column["indicator"]:
        lines.append(f"    if (missing)\n        add(g, 1.0, weights[{2 * len(column['periods']) + 1}]);\n")
    return f"{_begin(i, column)}{''.join(lines)}    return 1;\n}}\n\n"


def _category(i: int, column: dict[str, Any]) -> str:
    levels = column["levels"]
    other = len(levels) if column["other"] else -1
    absent = len(levels) + column["other"] if column["missing"] else -1
    if column["numeric"]:
        array = _array("double ", "levels", [float(level) for level in levels])
        find = (
            "    double x = 0.0;\n    if (!missing && parse_number(cell, &x))\n"
            f"        for (int k = 0; k < {len(levels)}; k++)\n            if (levels[k] == x)\n"
            "                place = k;\n"
        )
    else:
        array = _array("char *const ", "levels", list(levels) or [""])
        find = (
            f"    for (int k = 0; k < {len(levels)} && !missing; k++)\n        if (same(cell, levels[k]))\n"
            "            place = k;\n"
        )
    if not column["weights"]:
        head = _begin(i, column | {"weights": [[0.0]]})
        return f"{head}    (void)missing, (void)weights, (void)g;\n    return 1;\n}}\n\n"
    return (
        f"{_begin(i, column)}{array}    int place = missing ? {absent} : {other};\n{find}    if (place >= 0)\n"
        "        add(g, 1.0, weights[place]);\n    return 1;\n}\n\n"
    )


def _hashed(i: int, column: dict[str, Any]) -> str:
    return (
        f"{_begin(i, column)}    if (!missing)\n        add(g, 1.0, weights[murmur(cell) % {column['buckets']}u]);\n"
        "    return 1;\n}\n\n"
    )


WRITERS = {"number": _number, "boolean": _boolean, "date": _date, "category": _category, "hashed": _hashed}


def _decide(rule: dict[str, Any]) -> str:
    biases, target = ", ".join(map(repr, answers(rule))), "f" if "lift" in rule else "g"
    columns = "".join(
        f"    if (!column_{i}(trim(cells[{i}]), {target}))\n        return -1 - {i};\n"
        for i in range(len(rule["columns"]))
    )
    if "lift" in rule:
        columns = f"    double f[{len(rule['intercept'])}] = {{0.0}};\n{columns}{_products(rule['lift'])}"
    if len(answers(rule)) == 1:
        best = "    return g[0] > 0;\n"
    else:
        best = (
            "    int best = 0;\n    for (int k = 1; k < LINSEP_FUNCTIONS; k++)\n        if (g[k] > g[best])\n"
            "            best = k;\n    return best;\n"
        )
    return (
        "int linsep_decide(const char *const cells[], double g[])\n{\n"
        f"    static const double biases[] = {{{biases}}};\n    memcpy(g, biases, sizeof biases);\n{columns}{best}}}\n"
    )


def _products(lift: dict[str, Any]) -> str:
    """Features centred and scaled, their products likewise, and these times their weights."""
    places, centres, scales, weights = zip(*lift["products"], strict=True)
    degree, count = max(map(len, places)), len(places)
    rows = ", ".join("{" + ", ".join(map(str, [*each, *[-1] * (degree - len(each))])) + "}" for each in places)
    table = ", ".join("{" + ", ".join(map(repr, each)) + "}" for each in weights)
    return (
        _array("double ", "centre", lift["centre"]) + _array("double ", "scale", lift["scale"])
        + f"    static const int places[][{degree}] = {{{rows}}};\n"
        + _array("double ", "mean", centres) + _array("double ", "deviation", scales)
        + f"    static const double weights[][LINSEP_FUNCTIONS] = {{{table}}};\n"
        + f"    for (int j = 0; j < {len(lift['centre'])}; j++)\n        f[j] = (f[j] - centre[j]) / scale[j];\n"
        + f"    for (int i = 0; i < {count}; i++) {{\n        double x = f[places[i][0]];\n"
        + f"        for (int j = 1; j < {degree} && places[i][j] >= 0; j++)\n            x *= f[places[i][j]];\n"
        + "        for (int k = 0; k < LINSEP_FUNCTIONS; k++)\n"
        + "            g[k] += weights[i][k] * ((x - mean[i]) / deviation[i]);\n    }\n"
    )  # fmt: skip


@contextmanager
def running(content: bytes, rule: dict[str, Any]) -> Iterator[Any]:
    """The file compiled, with warnings as errors, as a function of data frames."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise ImportError("a C compiler (cc) is needed to compare decisions; install one, or add --unchecked.")
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "rule.c"), Path(folder, "rule.so")
        source.write_bytes(content)
        done = subprocess.run(
            [compiler, *SHARED, str(source), "-o", str(library), "-lm"], capture_output=True, text=True
        )
        if done.returncode:
            raise ValueError(f"export: the C compiler refuses what was written: {done.stderr[:400]}")
        decide = ctypes.CDLL(str(library)).linsep_decide
        names, g = [column["name"] for column in rule["columns"]], (ctypes.c_double * len(answers(rule)))()

        def run(frame: Any) -> list[Any]:
            columns = [
                [_as_text(v) for v in frame[name].to_list()] if name in frame.columns else [None] * frame.height
                for name in names
            ]
            said = []
            for cells in zip(*columns, strict=True):
                k = decide((ctypes.c_char_p * len(names))(*cells), g)
                said.append(rule["classes"][k] if k >= 0 else f"column {names[-1 - k]}: not read")
            return said

        yield run


def _as_text(cell: Any) -> bytes | None:
    """A cell as a file has it."""
    if isinstance(cell, bool):
        return b"1" if cell else b"0"
    if isinstance(cell, float):
        return None if cell != cell else repr(cell).encode()
    return None if cell is None else str(cell).encode()


HEAD = r"""/* A linear rule, written by linsep export --to c. Link with -lm.
 *
 *     double g[LINSEP_FUNCTIONS];
 *     int k = linsep_decide(cells, g);
 *     if (k >= 0) puts(linsep_labels[k]); else bad_cell(linsep_columns[-1 - k]);
 *
 * cells are the cells of one row, as UTF-8; NULL, or a word such as NA, is a missing one:
LIST
 *
 * Numbers are read by strtod: leave the locale's decimal point alone. g is added up column by column, in doubles.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

"""
BASIC = r"""
typedef struct {
    const char *text;
    size_t size;
} Cell;

static Cell trim(const char *text)
{
    Cell cell = {text, text ? strlen(text) : 0};
    for (int k = 0; cell.size && SPACES[k]; k++) {
        const size_t n = strlen(SPACES[k]);
        if (cell.size >= n && !memcmp(cell.text, SPACES[k], n)) {
            cell.text += n;
            cell.size -= n;
            k = -1;
        } else if (cell.size >= n && !memcmp(cell.text + cell.size - n, SPACES[k], n)) {
            cell.size -= n;
            k = -1;
        }
    }
    return cell;
}

static int same(Cell cell, const char *word)
{
    return strlen(word) == cell.size && !memcmp(cell.text, word, cell.size);
}

static int is_missing(Cell cell, const char *const marks[])
{
    if (!cell.size)
        return 1;
    for (int k = 0; MISSING[k]; k++)
        if (same(cell, MISSING[k]))
            return 1;
    for (int k = 0; marks[k]; k++)
        if (same(cell, marks[k]))
            return 1;
    return 0;
}
"""
NUMBER = r"""
static size_t count_digits(Cell cell, size_t from)
{
    size_t k = from;
    while (k < cell.size && cell.text[k] >= '0' && cell.text[k] <= '9')
        k++;
    return k - from;
}

static int parse_number(Cell cell, double *x)
{
    size_t k = cell.size && (cell.text[0] == '+' || cell.text[0] == '-'), digits = count_digits(cell, k);
    k += digits;
    if (k < cell.size && cell.text[k] == '.') {
        const size_t more = count_digits(cell, ++k);
        digits += more;
        k += more;
    }
    if (digits && k < cell.size && (cell.text[k] == 'e' || cell.text[k] == 'E')) {
        k++;
        k += k < cell.size && (cell.text[k] == '+' || cell.text[k] == '-');
        digits = count_digits(cell, k);
        k += digits;
    }
    if (!digits || k != cell.size)
        return 0;
    *x = strtod(cell.text, NULL);
    return *x - *x == 0;
}
"""
LOWER = r"""
static int same_letters(Cell cell, const char *lower)
{
    size_t k = 0;
    for (; k < cell.size && lower[k]; k++) {
        const char c = cell.text[k];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != lower[k])
            return 0;
    }
    return k == cell.size && !lower[k];
}
"""
DATE = r"""
static int parse_date(Cell cell, const char *form, double *x)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    long part[6] = {0, 0, 0, 0, 0, 0};
    size_t at = 0;
    for (; *form; form++) {
        if (*form == ' ') {
            while (at < cell.size && (cell.text[at] == ' ' || cell.text[at] == '\t'))
                at++;
        } else if (*form == '%') {
            const int which = (int)(strchr("YmdHMS", *++form) - "YmdHMS"), most = which ? 2 : 6;
            const int sign = !which && at < cell.size && (cell.text[at] == '+' || cell.text[at] == '-');
            int digits = 0;
            const int negative = sign && cell.text[at] == '-';
            at += sign;
            for (; digits < most && at < cell.size && cell.text[at] >= '0' && cell.text[at] <= '9'; digits++)
                part[which] = 10 * part[which] + (cell.text[at++] - '0');
            if (!digits)
                return 0;
            if (negative)
                part[which] = -part[which];
        } else if (at >= cell.size || cell.text[at++] != *form) {
            return 0;
        }
    }
    const long y = part[0], m = part[1], d = part[2], b = y - 1;
    const int leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    if (at != cell.size || m < 1 || m > 12 || d < 1 || d > lengths[m - 1] + (m == 2 && leap))
        return 0;
    if (part[3] > 23 || part[4] > 59 || part[5] > 60)
        return 0;
    double days = 365.0 * b + floor(b / 4.0) - floor(b / 100.0) + floor(b / 400.0) + (double)(d - 1) - 719162.0;
    for (long k = 1; k < m; k++)
        days += lengths[k - 1] + (k == 2 && leap);
    *x = (((days * 24 + part[3]) * 60 + part[4]) * 60 + part[5] - 946684800.0) / 86400.0;
    return 1;
}
"""
MURMUR = r"""
static uint32_t murmur(Cell cell)
{
    uint32_t h = 0;
    for (size_t k = 0; k < cell.size; k += 4) {
        uint32_t block = 0;
        for (size_t j = 0; j < 4 && k + j < cell.size; j++)
            block |= (uint32_t)(unsigned char)cell.text[k + j] << (8 * j);
        block *= 0xCC9E2D51u;
        block = (block << 15 | block >> 17) * 0x1B873593u;
        h ^= block;
        if (k + 4 <= cell.size)
            h = (h << 13 | h >> 19) * 5 + 0xE6546B64u;
    }
    h ^= (uint32_t)cell.size;
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    h = (h ^ h >> 13) * 0xC2B2AE35u;
    return h ^ h >> 16;
}
"""
