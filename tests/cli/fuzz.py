"""Odd files against the command: never a traceback, a bug, or half an output.

``python -m cli.fuzz COUNT [SEED]``, by script/fuzz; the test runs some hundred.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from odd_files import odd_model, odd_table

from linsep.cli.app import run

GOOD = "a,b,c,d,y\n" + "".join(
    f"{k % 7 / 2},{'pqr'[k % 3]},20{10 + k % 15}-01-1{k % 10},{'yes' if k % 4 else 'no'},{'uv'[k % 7 > 3]}\n"
    for k in range(40)
)
ALLOWED = {0, 1, 2, 3, 4}


def call(arguments: list[str]) -> tuple[int, str, str]:
    """The exit code of a command and what it prints."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    return code, out.getvalue(), err.getvalue()


def make_model(folder: Path) -> bytes:
    """A good model, of a table of all kinds of columns."""
    (folder / "good.csv").write_text(GOOD)
    arguments = [
        "fit",
        str(folder / "good.csv"),
        "-t",
        "y",
        "--rule",
        "least-squares",
        "-o",
        str(folder / "good.linsep"),
        "-q",
    ]
    code, _, err = call(arguments)
    assert code == 0, err
    return (folder / "good.linsep").read_bytes()


def attack(folder: Path, good: bytes, seed: int) -> str:
    """One odd file; what went wrong, or nothing."""
    rng = random.Random(seed)
    output = folder / "out.csv"
    if rng.random() < 0.7:
        data = folder / f"odd.{rng.choice(['csv', 'csv', 'csv', 'tsv', 'jsonl', 'parquet'])}"
        data.write_bytes(odd_table(rng))
        output = folder / "m.linsep"
        arguments = rng.choice(
            [
                ["fit", str(data), "-t", "y", "--rule", "least-squares", "-o", str(output)],
                ["fit", str(data), "-t", "y", "--rule", "perceptron", "--test", "0.3", "-o", str(output)],
                ["fit", str(data), "-t", "y", "--dry-run", "--text", "c0"],
                ["separable", str(data), "-t", "y", "--time-limit", "1s"],
                ["predict", str(folder / "good.linsep"), str(data), "-o", str(folder / "out.csv")],
                ["evaluate", str(folder / "good.linsep"), str(data)],
                ["check", str(folder / "good.linsep"), str(data)],
            ]
        )
    else:
        data = folder / "odd.linsep"
        data.write_bytes(odd_model(rng, good))
        table = str(folder / "good.csv")
        arguments = rng.choice(
            [["predict", str(data), table, "-o", str(output)], ["inspect", str(data)], ["evaluate", str(data), table],
             ["check", str(data), table]]
        )  # fmt: skip
    before = {path.name for path in folder.iterdir()}
    began = time.monotonic()
    code, said, err = call(arguments)
    problem = ""
    if code not in ALLOWED or "Traceback" in err or "bug" in err:
        problem = f"exit code {code}"
    elif code in (2, 3) and (len(err.splitlines()) - err.count("note:") != 1 and "linsep: error:" not in err):
        problem = "not one line"
    elif {path.name for path in folder.iterdir()} - before - ({"m.linsep", "out.csv"} if code in (0, 4) else set()):
        problem = "files are left over"
    elif time.monotonic() - began > 60:
        problem = "a hang"
    for path in (folder / "m.linsep", folder / "out.csv"):
        path.unlink(missing_ok=True)
    return f"seed {seed}: {problem}: {' '.join(arguments)}\n{said[-300:]}{err[-500:]}" if problem else ""


def main() -> None:
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    folder = Path(tempfile.mkdtemp())
    os.chdir(folder)
    good, wrong = make_model(folder), 0
    for seed in range(first, first + count):
        said = attack(folder, good, seed)
        if said:
            wrong += 1
            print(said, flush=True)
    print(f"{count} files, {wrong} went wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
